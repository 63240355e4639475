#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_edits.py TENURE SAMPLE: what-if edits of a graph in the real window, and that what it saves
does the same on the command line.  Prints TAP.
"""
from driving import *

graph = os.path.join(os.path.dirname(sample), "branches-graph.json")
cli = os.path.join(os.path.dirname(tenure), "..", "cli", "tenure-cli")
MB = 1000000


def edited(n, peak):
    return wait_for(lambda s: s.get("edits") == n and s.get("peak_after") == peak
                    and not s.get("planning"), 10)


window = start(graph)
s = wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
check(s.get("edits") == 0, "a graph opens without edits", s)

s = select("a2")
check(s.get("description", "").startswith("a2,"), "a tensor is found", s)
add_edit("s")
xdo("type", "--delay", "20", "125MB")
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", "125000000")
xdo("key", "Return")
s = edited(1, 1900 * MB)
check(s.get("peak_before") == 2100 * MB and s.get("peak_after") == 1900 * MB,
      "another size gives another peak", s)
check(s.get("description", "").startswith("a2,"), "the tensor stays selected", s)

select("a1")
add_edit("f")
xdo("key", "Return")
s = edited(2, 1450 * MB)
check(s.get("edits") == 2 and s.get("peak_after") == 1450 * MB, "a fused chain passes nothing on", s)
check(s.get("axis_end") == 21, "and is one op", s)

point_aside()
xdo("key", "ctrl+z")
s = edited(1, 1900 * MB)
check(s.get("edits") == 1 and s.get("axis_end") == 24, "Ctrl + Z takes it back", s)
xdo("key", "ctrl+shift+z")
s = edited(2, 1450 * MB)
check(s.get("edits") == 2 and s.get("axis_end") == 21, "Ctrl + Shift + Z makes it again", s)

select("a2")
add_edit("i")
s = wait_for(lambda s: "still read by" in s.get("edit_message", ""), 5)
check("no effect, for x is still read by add_skip" in s.get("edit_message", ""),
      "what would do nothing is refused, with the reason", s)
check(s.get("edits") == 2 and s.get("peak_after") == 1450 * MB, "and changes nothing", s)
select("y")
add_edit("p")
s = wait_for(lambda s: "to the end already" in s.get("edit_message", ""), 5)
check("lives to the end already" in s.get("edit_message", ""), "so is what is so already", s)

saved = os.path.join(work, "e.json")
click(596, 683)
time.sleep(1.0)
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", saved)
xdo("key", "Return")
end = time.time() + 5
while not os.path.exists(saved) and time.time() < end:
    time.sleep(0.1)
check(os.path.exists(saved), "the edits are saved", s)
answer = json.loads(subprocess.run([cli, "plan", graph, "--edits", saved, "--strategy", "greedy-size",
                                    "--json"], capture_output=True, text=True).stdout or "{}")
check(answer.get("lower_bound_bytes") == 1450 * MB, "the command line finds the same peak", answer)
check(answer.get("arena_bytes") == state().get("arena_after"), "and the same arena", answer)

press("Clear")
s = edited(0, 2100 * MB)
check(s.get("edits") == 0 and s.get("axis_end") == 24, "Clear shows the file again", s)
click(515, 683)
time.sleep(1.0)
xdo("type", "--delay", "20", saved)
xdo("key", "Return")
s = edited(2, 1450 * MB)
check(s.get("edits") == 2 and s.get("peak_after") == 1450 * MB, "loaded, they do the same", s)

# The first of the two goes; the second stays.
for x in (300, 500, 700, 300, 500):  # what is shown is written down when the pointer moves
    xdo("mousemove", x, 300)
    time.sleep(0.3)
wait_for(lambda s: s.get("buttons", {}).get("Remove edit 1", [0, 0, 0])[2] > 0, 5)
press("Remove edit 1")
s = edited(1, 1650 * MB)
check(s.get("edits") == 1 and s.get("peak_after") == 1650 * MB, "one of them is removed", s)

# Another order of the edited graph, taken back together with the edit before it.
point_aside()
xdo("key", "5")
s = wait_for(lambda s: s.get("orders", 0) >= 3 and s.get("order_peak", 0) > 0, 60)
check(0 < s.get("order_peak", 0) <= 1650 * MB, "orders are looked for of the edited graph", s)
press("Use This Order")
time.sleep(1.5)
xdo("key", "1")
time.sleep(0.5)
point_aside()
xdo("key", "ctrl+z")
xdo("key", "ctrl+z")
s = edited(2, 1450 * MB)
check(s.get("edits") == 2 and s.get("axis_end") == 21, "order and edit are taken back at once", s)
xdo("key", "ctrl+shift+z")
xdo("key", "ctrl+shift+z")
s = edited(1, 1650 * MB)
time.sleep(1.5)
check(s.get("edits") == 1 and s.get("axis_end") == 21, "and made again", s)
xdo("key", "ctrl+r")
time.sleep(1.0)
s = edited(1, 1650 * MB)
check(s.get("edits") == 1 and s.get("axis_end") == 21, "read again, the edits are made again", s)
check(window.poll() is None, "the window is still there")
window.kill()
finish()
