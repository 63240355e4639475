#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_ge.py TENURE SAMPLE: a plan of GE in the real window: two tensors selected one after the other,
and whether they may share memory; a file of totals, whose curves are chosen by component.  Prints TAP.
"""
from driving import *

LINE = ("[INFO] GE(7,x):2025-01-02-03:04:05.000.001 [block_mem_assigner.cc:1]7 SetOffsetSize: "
        "[IMAS]Set main_0 name[%s] optype[Relu] output[0] offset to [%d] streamid[%d] memtype[2] "
        "size[%d] realsize[%d] noalignsize[%d] life time begin[%d] life time end[%d] "
        "child[0:1:0:0:1] isref[0] batch[], block_type[]\n")
TENSORS = [("a", 0, 0, 8192, 0, 3), ("b", 8192, 0, 8192, 3, 6), ("c", 0, 0, 8192, 4, 9),
           ("d", 8192, 1, 4096, 8, 9)]

plog = os.path.join(work, "plog-7.log")
with open(plog, "w") as f:
    for name, offset, stream, size, begin, end in TENSORS:
        f.write(LINE % (name, offset, stream, size, size, size, begin, end))


def place(s, tick, kib):
    """The tensor at this tick and height of the map, of 16 KiB."""
    return at(s["offsets"], s, tick, s["offsets"][3] * (1 - kib / 16.0))


def select(s, tick, kib):
    click(*place(s, tick, kib))
    time.sleep(0.2)


window = start(plog)
s = wait_for(lambda s: s.get("axis_end") == 10 and s["offsets"][2] > 100, 30)
check(s.get("arena_bytes") == 16384, "the plan opens", s)
select(s, 1.5, 4)
s = wait_for(lambda s: s.get("description", "").startswith("a output[0]"))
check(s.get("sharing") == "", "one tensor alone is compared with none", s)
select(s, 5.5, 12)
s = wait_for(lambda s: s.get("description", "").startswith("b output[0]") and s.get("sharing"))
check("ends at 3, and" in s.get("sharing", "") and "both are alive" in s.get("sharing", ""),
      "the second says why it can't share with the first", s)
select(s, 7.5, 4)
s = wait_for(lambda s: s.get("description", "").startswith("c output[0]") and s.get("sharing"))
check("begins at 4: both" in s.get("sharing", ""), "the third is compared with the second", s)
select(s, 1.5, 4)
s = wait_for(lambda s: s.get("description", "").startswith("a output[0]") and s.get("sharing"))
check("may share, and they do" in s.get("sharing", ""), "tenants of one place may", s)
# Faster than the side pane follows.
select(s, 9.5, 15)
wait_for(lambda s: s.get("selected") == -1)
xdo("mousemove", *place(s, 7.5, 4), "click", 1, "mousemove", *place(s, 5.5, 12), "click", 1)
s = wait_for(lambda s: s.get("description", "").startswith("b output[0]") and s.get("sharing"))
check("begins at 4" in s.get("sharing", ""), "of two quick selections the second is compared with the first", s)
window.terminate()
window.wait()

record = os.path.join(work, "memory_record.csv")
with open(record, "w") as f:
    f.write("Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Device Type\n"
            "PTA,1000,1,4,NPU:0\nPTA,1010,3,8,NPU:0\nAPP,1005,,16,NPU:0\n")
window = start(record)
s = wait_for(lambda s: s.get("axis_end") == 11, 30)
check(s.get("axis_end") == 11 and s.get("device") == 1, "totals open with the curve of most samples", s)
click(s["offsets"][0] + 200, s["offsets"][1] + 40)
time.sleep(0.5)
check(state().get("selected") == -1 and window.poll() is None, "a click on totals selects nothing", s)
window.terminate()
window.wait()
finish()
