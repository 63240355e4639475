#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_replaced.py TENURE SAMPLE: a file that is replaced on the disk while its tab is open."""
from driving import *
import hashlib

own = os.path.join(work, "run.pickle")
shutil.copy(sample, own)


def own_hash():
    with open(own, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def report(name):
    out = os.path.join(work, name)
    check(save_report(out), "a report is written")
    with open(out) as f:
        return f.read()


window = start(own)
wait_for(lambda s: s.get("axis_end") == 4587 and s["lanes"][2] > 100, 40)
point_aside()
old = own_hash()
text = report("before.html")
check(old in text and "replaced since" not in text, "it names the hash of its file")

shutil.copy(os.path.join(os.path.dirname(sample), "tree-graph.json"), own + ".new")
os.rename(own + ".new", own)
text = report("after.html")
check("3.53 GiB" in text and old not in text and own_hash() not in text and "replaced since it was read" in text,
      "once it is replaced, it says so, and claims no hash")
window.kill()
window.wait()
finish()
