#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_notes.py TENURE SAMPLE: bookmarks and notes are put, undone, and still there when the file is
opened again, also after the program was killed."""
from driving import *

own = os.path.join(work, "run.pickle")
shutil.copy(sample, own)

window = start(own)
s = wait_for(lambda s: s.get("axis_end") == 4587 and s["lanes"][2] > 100, 30)
point_aside()
xdo("key", "p")
wait_for(lambda s: s.get("cursor") == 4272)
xdo("key", "m")
s = wait_for(lambda s: s.get("bookmarks") == 1)
check(s.get("bookmarks") == 1, "M puts a bookmark", s)
k = wait_kept(lambda k: len(k.get("bookmarks", [])) == 1)
check(k.get("format") == "tenure-notes" and k["bookmarks"][0]["tick"] == 4272
      and k["bookmarks"][0]["name"] == "Peak, at 4,272", "it is kept", k)
check(k.get("file") == own and len(k.get("sha256", "")) == 64, "with the file it is of", k)

# On a buffer: the largest bar.
s = click_largest(s)
bar = s["selected"]
time.sleep(0.3)
xdo("key", "m")
s = wait_for(lambda s: s.get("bookmarks") == 2)
k = wait_kept(lambda k: len(k.get("bookmarks", [])) == 2)
check(len(k.get("bookmarks", [])) == 2 and k["bookmarks"][0]["buffer"] == bar
      and 1290 < k["bookmarks"][0]["tick"] < 1310, "one on the selected buffer", k)

xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("bookmarks") == 1)
k = wait_kept(lambda k: len(k.get("bookmarks", [])) == 1)
check(len(k.get("bookmarks", [])) == 1, "Ctrl + Z takes it away", k)
xdo("key", "ctrl+shift+z")
s = wait_for(lambda s: s.get("bookmarks") == 2)
check(s.get("bookmarks") == 2, "and Ctrl + Shift + Z puts it again", s)

# A click on the flag on the axis goes there.
point_aside()
xdo("key", "Escape")
wait_for(lambda s: s.get("selected") == -1)
left, _, width, _ = s["lanes"]
flag = int(left + 4272.5 / 4587 * width) + 2
below = s["lanes"][1] + s["lanes"][3] + 6
click(flag, below)
s = wait_for(lambda s: s.get("cursor") == 4272)
check(s.get("cursor") == 4272, "a click on a flag goes there", s)

# The list: the first row is the one on the buffer.
point_aside()
time.sleep(0.2)
press("Bookmarks")
click(150, 690)
s = wait_for(lambda s: s.get("selected") == bar, 5)
check(s.get("selected") == bar and s.get("cursor") in range(1290, 1311), "a row goes to its bookmark", s)

# Notes, typed beside the list; what are keys elsewhere is text there.
click(700, 740)
time.sleep(0.4)
xdo("type", "--delay", "25", "grows from step 2, hops over m and n")
k = wait_kept(lambda k: k.get("notes", "").endswith("and n"))
check(k.get("notes") == "grows from step 2, hops over m and n", "notes are kept as typed", k)
check(len(k.get("bookmarks", [])) == 2, "and what is typed puts no bookmarks", k)
window.kill()
window.wait()

window = start(own)
s = wait_for(lambda s: s.get("bookmarks") == 2, 20)
check(s.get("bookmarks") == 2, "a killed program has lost nothing", s)
xdo("key", "ctrl+r")
time.sleep(2.0)
s = wait_for(lambda s: s.get("bookmarks") == 2)
check(s.get("bookmarks") == 2, "nor has a reload", s)
point_aside()
xdo("key", "o")
wait_for(lambda s: s.get("cursor") == 4282)
xdo("key", "m")
xdo("key", "ctrl+q")
check(window.wait(10) == 0, "Ctrl + Q quits at once")
k = kept()
check(len(k.get("bookmarks", [])) == 3, "what was put just before is kept", k)

# The same content under another name has them too; another content at the same path says so.
moved = os.path.join(work, "moved.pickle")
os.rename(own, moved)
window = start(moved)
s = wait_for(lambda s: s.get("bookmarks") == 3, 20)
check(s.get("bookmarks") == 3, "a file that was moved keeps its notes", s)
window.kill()
window.wait()

# A bookmark finds its buffer where an edit has given it another row; where it is gone, only the tick.
os.rename(moved, moved + ".old")
graph = os.path.join(work, "graph.json")
shutil.copy(os.path.join(os.path.dirname(sample), "branches-graph.json"), graph)
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
for n, name in enumerate(("b3", "a1")):
    s = select(name)
    xdo("key", "m")
    wait_for(lambda s: s.get("bookmarks") == n + 1)
    rows = (rows if n else []) + [s["selected"]]
select("a1")
add_edit("f")  # a chain as one: a1 is gone
xdo("key", "Return")
wait_for(lambda s: s.get("edits") == 1 and not s.get("planning"), 10)
press("Bookmarks")
xdo("key", "Escape")
wait_for(lambda s: s.get("selected") == -1, 5)
found = {}
for y in (679, 709):
    click(150, y)
    time.sleep(0.8)
    s = state()
    found[s.get("description", "").split(",")[0]] = s["selected"]
print("#", rows, found)
check("b3" in found and found["b3"] not in (rows[0], -1), "a bookmark leads to its buffer after an edit", (rows, found))
check(all(name in ("", "b3") for name in found), "or to none", found)
window.kill()
window.wait()
finish()
