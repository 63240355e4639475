#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_replaced.py TENURE SAMPLE: a file that is touched, then replaced, on the disk while its tab is open."""
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


def wait_bookmarks(n):
    s = wait_for(lambda s: s.get("bookmarks") == n, 10)
    return s.get("bookmarks"), len(wait_kept(lambda k: len(k.get("bookmarks", [])) == n).get("bookmarks", []))


def touch():
    os.utime(own)


# Two tabs of a file that is only touched, and one of them read again.
window = start(own, own)
wait_for(lambda s: s.get("axis_end") == 4587 and s["lanes"][2] > 100, 40)
point_aside()
xdo("key", "p")
wait_for(lambda s: s.get("cursor") == 4272)
xdo("key", "m")
check(wait_bookmarks(1) == (1, 1), "a bookmark is kept", kept())
touch()
xdo("key", "F5")
time.sleep(2)
xdo("key", "m")
check(wait_bookmarks(2) == (2, 2), "the file touched and read again: one more is kept", kept())
xdo("key", "ctrl+Page_Up")
time.sleep(1)
xdo("key", "p")
time.sleep(0.5)
xdo("key", "m")
check(wait_bookmarks(3) == (3, 3), "the tab of before has both, and takes one more", kept())
xdo("key", "ctrl+w")
time.sleep(1)

# One tab: what was put just before it is read again is still to be written.
touch()
xdo("key", "m", "key", "F5")
time.sleep(2)
check(wait_bookmarks(4) == (4, 4), "one that was put as it is read again is kept", kept())
xdo("key", "m")
check(wait_bookmarks(5) == (5, 5), "and so is one more", kept())
xdo("key", "ctrl+q")
check(window.wait(10) == 0 and len(kept().get("bookmarks", [])) == 5, "they are there after the end", kept())

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
