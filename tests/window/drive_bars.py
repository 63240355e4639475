#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_bars.py TENURE SAMPLE: the bars grouped and sorted by the menu above them, and the skyline in
place of the offsets."""
import re

from driving import *

window, s = open_sample()
plain = s["n_lanes"]
check(s.get("group") == "none" and s.get("sort") == "size" and s["n_lane_groups"] == 0,
      "bars stand by size at first", s)


def choose(plot, key):
    """Opens the menu at the right end of a plot's title and takes an item by its mnemonic."""
    x, y, width, _ = state()[plot]
    click(x + width - 30, y - 11)
    time.sleep(1.2)
    xdo("key", key)
    time.sleep(0.8)
    point_aside()
    time.sleep(0.2)


choose("lanes", "c")
s = wait_for(lambda s: s.get("n_lane_groups", 0) > 0)
check(s.get("group") == "call-site" and s["n_lane_groups"] > 10 and s["n_lanes"] > plain,
      "by call site", s)
choose("lanes", "t")
s = wait_for(lambda s: s.get("sort") == "start" and s["n_lanes"] < plain)
check(s.get("sort") == "start" and s["n_lane_groups"] > 10, "and by start", s)
choose("lanes", "m")
s = wait_for(lambda s: s.get("group") == "module" and s["n_lane_groups"] < 12)
check(s.get("group") == "module" and s["n_lane_groups"] < 12, "by module: fewer groups", s)

# A click on a bar selects it here too.
x, y = at(s["lanes"], s, 300, 7)
xdo("mousemove", x, y)
time.sleep(0.3)
hovered = wait_for(lambda s: s.get("hovered", -1) >= 0, 3).get("hovered")
s = wait_for(lambda s: "\n" in s.get("tip", ""), 3)
check(re.match(r"[^\n]+\n[\d.]+ [KMG]iB, events [\d,]+ to [\d,]+", s.get("tip", "")), "beside the pointer stands what it is", s)
xdo("click", 1)
s = wait_for(lambda s: s.get("selected", -1) >= 0, 3)
check(s.get("selected", -1) == hovered and hovered >= 0, "a bar of a group is hit and selected", s)
point_aside()
xdo("key", "Escape")
for want in (("call-site", "start"), ("call-site", "size"), ("none", "size")):
    xdo("key", "ctrl+z")
    s = wait_for(lambda s: (s.get("group"), s.get("sort")) == want, 4)
    check((s.get("group"), s.get("sort")) == want, "Ctrl + Z: %s, %s" % want, s)
s = wait_for(lambda s: s.get("n_lanes") == plain, 4)
check(s.get("n_lanes") == plain and s["n_lane_groups"] == 0, "the bars stand as at first", s)

# The skyline: the largest bar (192 MiB) is alive from 435 to 2,089, and what is pointed at there lives.
choose("offsets", "s")
s = wait_for(lambda s: s.get("skyline"))
check(s.get("skyline") is True, "the skyline stands in place of the offsets", s)
seen = set()
for part in 3 * list(range(50, 100, 3)):  # a loaded machine answers some moves late
    if len(seen - {-1}) > 3:
        break
    x, y = at(s["offsets"], s, 1300, s["offsets"][3] * part / 100.0)
    xdo("mousemove", x, y)
    time.sleep(0.15)
    seen.add(state().get("hovered", -1))
seen.discard(-1)
check(len(seen) > 3, "what is alive is under the pointer", seen)
xdo("click", 1)
s = wait_for(lambda s: s.get("selected", -1) >= 0, 3)
span = s.get("description", "").split("events ")[-1].split(",  ")[0].split(", at")[0].replace(",", "").split(" to ")
check(len(span) == 2 and int(span[0]) <= 1302 and int(span[1]) > 1297, "and is alive there", s)
point_aside()
choose("offsets", "o")
s = wait_for(lambda s: not s.get("skyline"))
check(s.get("skyline") is False, "and the offsets come back", s)
check("Offsets" in s["buttons"] and "Group, Sort" in s["buttons"], "both menus are on the maps", s)
check(window.poll() is None, "the window is still there")
window.kill()
window.wait()

# Totals only: no map to choose, no bars to group.
log = os.path.join(work, "oom.txt")
with open(log, "w") as f:
    f.write("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB (GPU 0; 11.17 GiB "
            "total capacity; 10.85 GiB already allocated; 24.75 MiB free; 10.86 GiB reserved in total by "
            "PyTorch)\n")
window = start(log)
s = wait_for(lambda s: "Report" in s.get("buttons", {}), 30)
time.sleep(0.5)
s = state()
check("Report" in s.get("buttons", {}) and not {"Offsets", "Group, Sort"} & set(s["buttons"]),
      "a file without buffers has no menus on its maps", s.get("buttons"))
window.kill()
finish()
