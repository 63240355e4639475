#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_orders.py TENURE SAMPLE: the orders of a graph and its budget, in the real window.  Prints TAP."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["TENURE_PLAIN_CELLS"] = "1"  # cells whose words can be read
from layouts import *

graph = os.path.join(os.path.dirname(sample), "branches-graph.json")
MB = 1000000

window = start(graph)
s = wait_for(lambda s: s.get("axis_end") == 24, 30)
check(s.get("arena_bytes") == 2100 * MB, "the graph opens in the file's order", s)

xdo("key", "5")
s = wait_for(lambda s: s.get("orders") == 9, 60)
check(s.get("orders") == 9 and s.get("order") == "best" and s.get("order_peak") == 1450 * MB,
      "5 compares nine orders; the best one is chosen", s)



def save(name):
    """Through the dialog that Save … opens; what was written, or None."""
    path = os.path.join(work, name)
    xdo("key", "alt+v")
    time.sleep(1.5)
    xdo("key", "ctrl+a")
    xdo("type", path)
    xdo("key", "Return")
    end = time.time() + 15
    while time.time() < end and not os.path.exists(path):
        time.sleep(0.1)
    time.sleep(0.5)
    try:
        with open(path) as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


order = save("order.json")
check(order and order["format"] == "tenure-order" and order["peak_bytes"] == 1450 * MB
      and order["optimal"] and len(order["order"]) == 8 and len(order["steps"]) == 8,
      "the order is saved as schedule -o writes it", order)

# Use This Order stands at the right end of the view's bar.
click(1190, 75)
s = wait_for(lambda s: s.get("arena_bytes") == 1450 * MB)
check(s.get("arena_bytes") == 1450 * MB, "Use This Order: the plan follows", s)

xdo("key", "6")
s = wait_for(lambda s: s.get("budget_curve", 0) > 2, 60)
check(s.get("budget_least") == 750 * MB and s.get("budget") == 1100 * MB and s.get("budget_fits"),
      "6 plans for half way between the least possible and this order's peak", s)
check(s.get("budget_curve") == 24, "and draws the curve", s)

plan = save("plan.json")
check(plan and plan["format"] == "tenure-plan" and plan["actions"], "the plan is saved with its actions", plan)

xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("arena_bytes") == 2100 * MB and s.get("budget_curve") == 24, 60)
check(s.get("arena_bytes") == 2100 * MB, "Undo: the file's order again", s)

# The entry of the budget.
xdo("key", "alt+b")
time.sleep(0.3)
xdo("key", "ctrl+a")
xdo("type", "800MB")
xdo("key", "Return")
s = wait_for(lambda s: s.get("budget") == 800 * MB, 60)
check(s.get("budget") == 800 * MB and s.get("budget_fits"), "a budget typed in is planned for", s)
xdo("key", "ctrl+a")
xdo("type", "700MB")
xdo("key", "Return")
s = wait_for(lambda s: s.get("budget") == 700 * MB, 60)
check(s.get("budget") == 700 * MB and s.get("budget_fits") is False, "below the least there is none", s)
check(window.poll() is None, "the window is still there")
window.terminate()
window.wait()

# Orders are those of the graph as it is edited: a1's chain fused, seven ops are left.
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
select("a1")
add_edit("f")
xdo("key", "Return")
s = wait_for(lambda s: s.get("edits") == 1 and s.get("axis_end") == 21)
check(s.get("axis_end") == 21, "an edit fuses two ops", s)
xdo("key", "5")
s = wait_for(lambda s: s.get("orders") == 9, 60)
check(s.get("orders") == 9 and 0 < s.get("order_peak") < 1450 * MB, "the orders are the edited graph's", s)
peak, before = s.get("order_peak"), s.get("arena_bytes")
click(1190, 75)
# The plan may be a little above the live peak.
s = wait_for(lambda s: s.get("arena_bytes") != before)
check(peak <= s.get("arena_bytes", 0) < before and s.get("axis_end") == 21, "and can be used", s)
xdo("key", "ctrl+z")
wait_for(lambda s: s.get("arena_bytes") == before)
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("axis_end") == 24 and s.get("order_peak") == 1450 * MB, 60)
check(s.get("axis_end") == 24 and s.get("order_peak") == 1450 * MB,
      "the edit taken back, the orders are the file's again", s)
window.terminate()
window.wait()

# An edit after an order was taken back loses none, also as a runtime plans; one that is in use it loses, which is told.
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
plan_as(2)
wait_for(lambda s: s.get("preset") == "tflite", 10)
show_maps()
select("a1")
add_edit("f")
xdo("key", "Return")
wait_for(lambda s: s.get("edits") == 1 and s.get("axis_end") == 21)
xdo("key", "5")
before = wait_for(lambda s: s.get("orders") == 9, 60).get("arena_bytes")
click(1190, 75)
wait_for(lambda s: s.get("arena_bytes") != before)
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("arena_bytes") == before)
check(s.get("arena_bytes") == before and s.get("preset") == "tflite", "as tflite, Undo takes an order back", s)


def fuse(name, n):
    """What the panel says once the op that makes it is fused, too."""
    show_maps()
    select(name)
    add_edit("f")
    xdo("key", "Return")
    wait_for(lambda s: s.get("edits") == n and not s.get("planning"), 10)
    time.sleep(0.5)
    return state().get("edits"), state().get("edit_message", "")


got = fuse("b1", 2)
check(got == (2, ""), "an edit then loses no order", got)
xdo("key", "ctrl+z")
wait_for(lambda s: s.get("edits") == 1 and not s.get("planning") and s.get("axis_end") == 21)
xdo("key", "5")
wait_for(lambda s: s.get("orders") == 9 and s.get("order_peak") == peak, 60)
click(1190, 75)
s = wait_for(lambda s: s.get("arena_bytes") != before)
check(s.get("arena_bytes") != before, "an order is used", s)
got = fuse("a2", 2)
check(got[0] == 2 and "is gone: its ops are others now" in got[1], "an edit loses the order that is in use", got)
end(window)

# Read again, a file has the order that was chosen, as long as its ops are the same.
again = os.path.join(work, "again.json")
shutil.copy(graph, again)


def read_again(arena):
    os.remove(state_file)
    xdo("key", "F5")
    return wait_for(lambda s: s.get("arena_bytes") == arena, 10).get("arena_bytes")


window = start(again)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
xdo("key", "5")
wait_for(lambda s: s.get("orders") == 9, 60)
click(1190, 75)
s = wait_for(lambda s: s.get("arena_bytes") == 1450 * MB)
check(s.get("arena_bytes") == 1450 * MB, "an order is used", s)
xdo("key", "1")
got = read_again(1450 * MB)
check(got == 1450 * MB, "it stays when the file is read again", got)
got = read_again(1450 * MB)
check(got == 1450 * MB and not toasts(layout(window)), "and again", (got, texts(layout(window))))

# What is "the file's" in Orders is the file's, whichever is shown; that one can be used again.
xdo("key", "5")
s = wait_for(lambda s: s.get("orders") == 9 and s.get("order") == "best", 60)
now = wait_layout(window, has("✓ best"), 5)
check(s.get("order_peak") == 1450 * MB and has("✓ best")(now) and not has("✓ file")(now)
      and not has("No order found is better")(now), "the order that was chosen is not called the file's",
      (s.get("order_peak"), texts(now)))
press_text(now, "file")
click(1190, 75)
s = wait_for(lambda s: s.get("arena_bytes") == 2100 * MB)
now = wait_layout(window, has("✓ file"), 5)
check(s.get("arena_bytes") == 2100 * MB and has("✓ file")(now), "the file's order is used again", (s, texts(now)))
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("arena_bytes") == 1450 * MB)
check(s.get("arena_bytes") == 1450 * MB, "which Undo takes back", s.get("arena_bytes"))
xdo("key", "1")
with open(graph) as f:
    other = json.load(f)
other["ops"][0]["name"] = "another"
with open(again, "w") as f:
    json.dump(other, f)
got = read_again(2100 * MB)
now = wait_layout(window, has("The order that was chosen is gone"), 5)
check(got == 2100 * MB and has("The order that was chosen is gone")(now), "of other ops it is gone, which is told",
      (got, texts(now)))
end(window)

window = start(sample)
s = wait_for(lambda s: s.get("axis_end") == 4587, 30)
xdo("key", "5")
time.sleep(0.5)
xdo("key", "p")
time.sleep(0.5)
s = state()
check("orders" not in s and s.get("view") == "maps", "of a log there are no orders", s)
window.terminate()
finish()
