#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_wishes.py TENURE SAMPLE: what is wanted outlives what comes between: edits that still fit a graph that is read
again, a comparison that is asked for while something is read, the second of two files where the first is broken or cut,
the tab that is read again where only a part can be."""
from driving_bus import *

os.environ["G_DEBUG"] = "fatal-criticals"

# ---- edits of a graph that is another one when it is read again --------------------------------------
graph = os.path.join(work, "g.json")
shutil.copy(os.path.join(os.path.dirname(sample), "branches-graph.json"), graph)
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 60)
select("a2")
add_edit("s")
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", "125000000")
xdo("key", "Return")
wait_for(lambda s: s.get("edits") == 1 and not s.get("planning"), 20)
select("b1")
add_edit("p")
s = wait_for(lambda s: s.get("edits") == 2 and not s.get("planning"), 20)
check(s.get("edits") == 2, "two edits", s.get("edit_message"))
press("Buffers")
with open(graph) as f:
    text = f.read()
with open(graph, "w") as f:
    f.write(text.replace('"b1"', '"b1x"'))
point_aside()
xdo("key", "1")
time.sleep(0.3)
xdo("key", "F5")
s = wait_for(lambda s: "no longer" in s.get("edit_message", "") and not s.get("planning"), 20)
check(s.get("edits") == 1 and "1 edit no longer fits" in s.get("edit_message", ""),
      "what fits is kept, what does not is told", (s.get("edits"), s.get("edit_message")))
time.sleep(0.6)
xdo("key", "p")
s = wait_for(lambda s: "Remove edit 1" in s.get("buttons", {}), 10)
check("Remove edit 1" in s.get("buttons", {}), "where one looks", s.get("buttons"))
window.kill()
window.wait()

# ---- a comparison while another file is read -----------------------------------------------------------
a, b = (os.path.join(work, name) for name in ("a.csv", "b.csv"))
for path, end in ((a, ""), (b, "d,3,4,64,128\n")):
    with open(path, "w") as f:
        f.write("id,lower,upper,size,offset\nc,0,3,64,0\n" + end)
big = os.path.join(work, "big.csv")
with open(big, "w") as f:
    f.write("id,lower,upper,size,offset\n")
    for i in range(300000):
        f.write("name%d,%d,%d,%d,%d\n" % (i, i, i + 9, 64 + i % 1000, i % 10 * 2048))
window = start(a)
wait_for(lambda s: s.get("axis_end") == 3, 60)
activate(window, 1, "compare")
chooser("Compare With")
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", b)
open_file(window, big)
xdo("key", "Return")
found = wait_titles(lambda names: names and "→" in names[0], 60)
check(len(found) == 1 and "a.csv" in found[0] and "b.csv" in found[0], "it is compared with what was asked for", found)
window.kill()
window.wait()

# ---- the first of two can't be read, or only a part of it ----------------------------------------------
broken, cut = (os.path.join(work, name) for name in ("broken.json", "cut.json"))
event = '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":%d,"args":{"Device Type":0,"Device Id":-1,"Bytes":%d}}'
whole = '{"traceEvents":[%s]}' % ",".join(event % (k, 64) for k in range(1, 40))
with open(broken, "w") as f:
    f.write("nothing of the kind\n")
with open(cut, "w") as f:
    f.write(whole[:-40])
window = start("--diff", broken, b)
time.sleep(4)
xdo("key", "Escape")
found = wait_titles(lambda names: names == ["b.csv"], 20)
check(found == ["b.csv"], "the second opens where the first is broken", found)
window.kill()
window.wait()
window = start("--diff", cut, b)
time.sleep(4)
xdo("key", "alt+o")
found = wait_titles(lambda names: names and "→" in names[0], 20)
check(len(found) == 1 and "cut.json" in found[0], "and is compared with what could be read of it", found)
window.kill()
window.wait()

# ---- a part of what was there gives the tab its place ---------------------------------------------------
with open(cut, "w") as f:
    f.write(whole)
window = start(cut)
s = wait_for(lambda s: s.get("axis_end", 0) > 0, 60)
with open(cut, "w") as f:
    f.write(whole[:-1000])
point_aside()
xdo("key", "F5")
time.sleep(4)
xdo("key", "alt+o")
now = wait_for(lambda t: t.get("axis_end", 0) < s["axis_end"], 20)
check(now["axis_end"] < s["axis_end"], "what could be read is shown", now)
activate(window, 1, "close")
found = wait_titles(lambda names: not names, 10)
check(found == [], "in the place of what was read again", found)
window.kill()
finish()
