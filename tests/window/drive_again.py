#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_again.py TENURE SAMPLE: what a tab was set to is there when its file is read again; filters that can't be
understood, and filters beside an op's marks; the focus after a search; where a drag and a slider end.
"""
from driving import *

log = os.path.join(work, "two.tenure-log")
graph = os.path.join(os.path.dirname(sample), "branches-graph.json")
with open(log, "w") as out:
    out.write('{"format": "tenure-log", "version": 1}\n')
    for device, n in ((0, 300), (1, 200)):
        for i in range(n):
            out.write('{"t": %.3f, "event": "alloc", "device": %d, "address": "0x%x", "bytes": %d}\n'
                      % (i / 1000.0, device, 0x10000 * (i + 1), 512 * (1 + i % 100)))


def keep(term):
    """As a filter, at once: without waiting for what is found."""
    search(term)
    xdo("key", "ctrl+Return")
    time.sleep(1.0)
    xdo("key", "Escape")
    time.sleep(0.5)
    return state()


def is_drawn(s):
    return s.get("axis_end", 0) > 0 and s["lanes"][2] > 100


# ---- two devices: the second one, a filter, groups, a part of the time, another view.
window = start(log)
wait_for(is_drawn, 30)
press("Device")
xdo("key", "Down")
xdo("key", "Return")
s = wait_for(lambda s: s.get("device") == 1, 10)
check(s.get("device") == 1, "another device is chosen", s.get("device"))
point_aside()
s = keep("size>10KiB")
check(s.get("filters") == 1 and s.get("shown") == 160, "a filter is kept", (s.get("filters"), s.get("shown")))
s = keep("size>abc")
check(s.get("filters") == 1 and s.get("shown") == 160, "one that can't be understood is not",
      (s.get("filters"), s.get("shown"), s.get("count")))
press("Group, Sort")
xdo("key", "k")
wait_for(lambda s: s.get("group") == "kind", 10)
point_aside()
for _ in range(3):
    xdo("key", "plus")
    time.sleep(0.2)
before = wait_for(lambda s: s["t1"] - s["t0"] < 100, 5)

# The minimap: a drag that ends beside it goes to the end.
x, y = middle(before["live"])
drag(x, y, before["live"][0] + before["live"][2] + 12)
before = wait_for(lambda s: s.get("t1") == 200 and s.get("moment") == 199, 5)
check(before.get("moment") == 199, "the moment beside the minimap is its end", before.get("moment"))

# Escape gives the focus back to the view: its keys do what they do.
xdo("key", "2")
time.sleep(0.8)
xdo("key", "ctrl+f")
time.sleep(0.5)
xdo("key", "Escape")
time.sleep(0.5)
for key in ("Right", "Right", "Return"):
    xdo("key", key)
    time.sleep(0.3)
s = wait_for(lambda s: s.get("selected", -1) >= 0, 4)
check(s.get("view") == "live-set" and s.get("selected", -1) >= 0, "after a search the live set has the focus", s)

# A state is written when the maps are shown.  In the live set they don't have the focus: Home does not move them.
before = state()
os.remove(state_file)
xdo("key", "F5")
time.sleep(2.0)
xdo("key", "Home")
xdo("key", "1")
s = wait_for(lambda s: s.get("filters") == 1 and s.get("group") == "kind" and s.get("t0", 0) > 0, 10)
for key in ("device", "filters", "shown", "group", "t0", "t1", "selected"):
    check(s.get(key) == before.get(key), "read again: " + key, (before.get(key), s.get(key)))
xdo("key", "2")
time.sleep(0.8)
xdo("key", "F5")
time.sleep(2.0)
for key in ("Right", "Right", "Return"):
    xdo("key", key)
    time.sleep(0.3)
xdo("key", "1")
s = wait_for(lambda s: s.get("selected", -1) not in (-1, before["selected"]), 5)
check(s.get("selected", -1) not in (-1, before["selected"]), "read again: its view has the focus", s)
window.kill()
window.wait()

# ---- a graph: an op marks what it uses, over a filter, until Escape.
window = start(graph)
s = wait_for(is_drawn, 30)
point_aside()
filtered = keep("size>100MB")
check(0 < filtered["shown"] < s["shown"], "a filter of a graph", filtered)
press("Ops")
click(300, 703)
s = wait_for(lambda s: s.get("shown") != filtered["shown"], 4)
marked = s.get("shown")
check(marked != filtered["shown"], "an op marks what it uses", s)
click(*middle(s["lanes"]))
time.sleep(0.5)
xdo("key", "Escape")
s = wait_for(lambda s: s.get("shown") == filtered["shown"], 4)
check(s.get("shown") == filtered["shown"] and s.get("search"), "Escape: the filter holds again", s)
click(300, 703)
s = wait_for(lambda s: s.get("shown") == marked, 4)
check(s.get("shown") == marked, "the same op once more", s)
xdo("keydown", "ctrl")
xdo("click", 1)
xdo("keyup", "ctrl")
s = wait_for(lambda s: s.get("shown") == filtered["shown"], 4)
check(s.get("shown") == filtered["shown"] and s.get("search"), "chosen no more: the filter holds again", s)

# A search in its place: Escape ends the search, then unmarks the op, which can be chosen again.
click(300, 703)
wait_for(lambda s: s.get("shown") == marked, 4)
search("b3")
time.sleep(0.6)
for _ in range(2):
    xdo("key", "Escape")
    time.sleep(0.5)
s = state()
check(s.get("shown") == filtered["shown"], "a search over it, and Escape: the filter holds again", s)
click(300, 703)
s = wait_for(lambda s: s.get("shown") == marked, 4)
check(s.get("shown") == marked, "and the op can be chosen again", s)
xdo("key", "Escape")
wait_for(lambda s: s.get("shown") == filtered["shown"], 4)

# The slider of the budget, by keys.
xdo("key", "6")
s = wait_for(lambda s: s.get("budget_curve", 0) > 0, 30)
xdo("key", "alt+b")
time.sleep(0.3)
xdo("key", "shift+Tab")
time.sleep(0.3)
xdo("key", "Right")
moved = wait_for(lambda now: now.get("budget") != s["budget"], 10)
check(5000000 < moved["budget"] - s["budget"] < 50000000, "a step of the slider is seen",
      (s["budget_least"], s["budget"], moved["budget"]))
window.kill()
window.wait()
finish()
