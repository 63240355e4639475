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
finish()
