#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tabs.py TENURE SAMPLE: ten tabs of large files: what they had goes back to the system as they close."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from driving import *

EVENTS, TABS = 300000, 10
make_log = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "make-log.py")


def anonymous(process):
    """MiB in memory that no file is behind."""
    with open("/proc/%d/status" % process.pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024


def used_seconds(process):
    with open("/proc/%d/stat" % process.pid) as stat:
        return sum(int(field) for field in stat.read().rsplit(")", 1)[1].split()[11:13]) / 100


def wait_quiet(process, seconds):
    end, last = time.time() + seconds, -1.0
    while time.time() < end and used_seconds(process) - last > 0.1:
        last = used_seconds(process)
        time.sleep(2)


files = [os.path.join(work, "large%d.tenure-log" % k) for k in range(TABS)]
subprocess.run([sys.executable, make_log, str(EVENTS), "500", files[0]], check=True)
for file in files[1:]:
    os.link(files[0], file)
window = start(sample)
wait_for(lambda s: s.get("axis_end") == 4587, 30)
wait_quiet(window, 20)
before = anonymous(window)
window.kill()
window.wait()

window = start(*files)
s = wait_for(lambda s: s.get("axis_end") == EVENTS, 60)
check(s.get("axis_end") == EVENTS, "a large file opens", s)
time.sleep(3)
wait_quiet(window, 120)
most = anonymous(window)
print("# one small file %.0f MiB, ten large ones %.0f MiB" % (before, most))
for _ in range(TABS):
    xdo("key", "ctrl+w")
    time.sleep(0.5)
time.sleep(2)
wait_quiet(window, 30)
after = anonymous(window)
print("# closed again %.0f MiB" % after)
check(window.poll() is None, "ten tabs open and close")
check(after - before < 0.25 * (most - before), "their memory goes back", (before, most, after))
window.terminate()
finish()
