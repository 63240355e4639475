#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_follow.py TENURE SAMPLE: a comparison follows the plans of its tabs, an edit keeps the order that was
chosen before it, tabs of one model under other dimensions have titles of their own, a log without a failed
request says what can be done."""
from layouts import *

MB = 1000000
graph = os.path.join(os.path.dirname(sample), "branches-graph.json")


def title():
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--class", "tenure"], stdout=subprocess.PIPE,
                           text=True).stdout.split()
    names = [subprocess.run(["xdotool", "getwindowname", w], stdout=subprocess.PIPE, text=True).stdout.strip()
             for w in found]
    return [name for name in names if name]


# ---- a comparison follows: the second tab is planned with another strategy.
other = os.path.join(work, "other.json")
shutil.copy(graph, other)
window = subprocess.Popen([tenure, "--diff", graph, other], env=dict(os.environ, TENURE_STATE_FILE=state_file),
                          stderr=subprocess.DEVNULL)
s = wait_for(lambda s: s.get("pairs", 0) > 10 and s.get("drawn"), 40)
check(s.get("arena_delta") == 0 and s.get("matched") == 15, "two copies of a graph have the same arena", s)
xdo("key", "ctrl+Page_Up")
time.sleep(1.0)
xdo("key", "5")
s = wait_for(lambda s: s.get("orders") == 9, 60)
click(1190, 111)  # Use This Order, below the bar of tabs
s = wait_for(lambda s: s.get("arena_bytes") == 1450 * MB, 10)
check(s.get("arena_bytes") == 1450 * MB, "another order in the tab of B", s.get("arena_bytes"))
xdo("key", "ctrl+Page_Down")
s = wait_for(lambda s: s.get("arena_delta") == -650 * MB, 10)
check(s.get("arena_delta") == -650 * MB, "and the comparison says so", s.get("arena_delta"))
check(window.poll() is None, "the window is still there")
window.kill()
window.wait()

# ---- an edit after an order was chosen: figures are against that order's.
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
xdo("key", "5")
wait_for(lambda s: s.get("orders") == 9, 60)
click(1190, 75)
s = wait_for(lambda s: s.get("arena_bytes") == 1450 * MB, 10)
xdo("key", "1")
time.sleep(0.8)
select("a1")
add_edit("p")
s = wait_for(lambda s: s.get("edits") == 1 and not s.get("planning"), 10)
check(s.get("peak_before") == 1450 * MB, "an edit keeps the order that was chosen", s.get("peak_before"))
check(s.get("peak_after", 0) >= 1450 * MB, "a pinned tensor does not lower the peak", s.get("peak_after"))
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("edits") == 0 and s.get("arena_bytes") == 1450 * MB, 10)
check(s.get("edits") == 0 and s.get("arena_bytes") == 1450 * MB, "taken back, the order still stands", s)
window.kill()
window.wait()


# ---- an order that was chosen for an edited graph and taken back: the next edit loses nothing.
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
select("b1")
add_edit("p")
s = wait_for(lambda s: s.get("edits") == 1 and not s.get("planning"), 10)
arena = s.get("arena_bytes")
xdo("key", "Escape")
show_maps()
xdo("key", "5")
wait_for(lambda s: s.get("orders") == 9, 60)
press("Use This Order")
s = wait_for(lambda s: s.get("arena_bytes") != arena, 10)
check(s.get("arena_bytes") != arena, "another order of the edited graph", s.get("arena_bytes"))
point_aside()
for key, is_first in (("ctrl+z", True), ("ctrl+shift+z", False), ("ctrl+z", True)):
    xdo("key", key)
    s = wait_for(lambda s: (s.get("arena_bytes") == arena) == is_first, 10)
    check((s.get("arena_bytes") == arena) == is_first, key, s.get("arena_bytes"))
xdo("key", "1")
time.sleep(1.0)
select("a2")
add_edit("p")
s = wait_for(lambda s: s.get("edits") == 2 and not s.get("planning"), 10)
time.sleep(0.5)
check(state().get("edits") == 2 and "order" not in state().get("edit_message", ""), "no order is said to be gone",
      state().get("edit_message"))
window.kill()
window.wait()


# ---- titles: an ONNX model Relu(x[batch, 64]) written by hand.
def field(number, value):
    if isinstance(value, int):
        return bytes([number << 3, value])
    value = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(value)]) + value


def value_info(name):
    shape = field(1, field(2, "batch")) + field(1, field(1, 64))
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)))


relu = field(1, "x") + field(2, "y") + field(4, "Relu")
body = field(1, relu) + field(2, "g") + field(11, value_info("x")) + field(12, value_info("y"))
model = os.path.join(work, "relu.onnx")
with open(model, "wb") as f:
    f.write(field(1, 8) + field(7, body) + field(8, field(2, 17)))
window = start(model)
wait_for(lambda s: s.get("axis_end", 4587) < 20 and "Shapes" in s.get("buttons", {}), 30)
check(title() == ["relu.onnx"], "a model has its name", title())
# A list is for the table: read with it, the model would have one of its values alone.
press("Shapes")
time.sleep(0.5)
for wrong in ("1, 2, 4", "8x"):
    xdo("key", "ctrl+a")
    xdo("type", wrong)
    xdo("key", "alt+r")
    time.sleep(1.0)
    check("relu.onnx" in title() and not [t for t in title() if "batch" in t],
          f"{wrong}: what is no number is not read with", title())
now = wait_layout(window, has("expected one whole number"), 10)
check(has("expected one whole number")(now), "what is expected is said", texts(now))
xdo("key", "ctrl+a")
xdo("type", "4")
now = wait_layout(window, lacks("expected one whole number"), 10)
check(lacks("expected one whole number")(now), "until it is typed", texts(now))
xdo("key", "Escape")
time.sleep(0.5)
# Another sort of the bars is a study of its own: what was typed stays.
x, y, width, _ = state()["lanes"]
click(x + width - 30, y - 11)
time.sleep(1.2)
xdo("key", "t")
s = wait_for(lambda s: s.get("sort") == "start")
check(s.get("sort") == "start", "the bars are sorted otherwise", s)
# As tflite, whose rules go on to hold.
plan_as(2)
s = wait_for(lambda s: s.get("preset") == "tflite", 6)
check(s.get("preset") == "tflite", "the runtime is tflite", s.get("preset"))
point_aside()
press("Shapes")
time.sleep(0.5)
os.remove(state_file)
xdo("key", "alt+r")
end = time.time() + 10
while time.time() < end and title() != ["relu.onnx \u00b7 batch=4"]:
    time.sleep(0.1)
check(title() == ["relu.onnx \u00b7 batch=4"], "read again, the dimensions that were typed before beside it", title())
s = wait_for(lambda s: s.get("preset") == "tflite", 6)
check(s.get("preset") == "tflite", "and by the rules of tflite", s.get("preset"))
window.kill()
finish()
