#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_devices.py TENURE SAMPLE: a log of very many devices opens at once, and another of them can be chosen."""
from driving import *

N = 32768
log = os.path.join(work, "many.tlog")
with open(log, "w") as f:
    f.write('{"format": "tenure-log", "version": 1}\n')
    for i in range(N):
        f.write('{"t": %d, "event": "alloc", "address": 4096, "bytes": 64, "device": %d}\n' % (i, i))
stalls_file = os.path.join(work, "stalls")
os.environ.update(TENURE_WATCHDOG=stalls_file, G_DEBUG="fatal-criticals")


def work_at_a_stretch():
    """Of the main thread, in ms of its own time: this machine has other things to do."""
    with open(stalls_file) as f:
        return max([float(line.split()[2]) for line in f], default=0.0)


window = start(log)
s = wait_for(lambda s: s.get("axis_end", 0) > 0 and s["lanes"][2] > 100, 60)
check(s.get("device") == 0, "the first device is shown", s)
time.sleep(1)
check(work_at_a_stretch() < 500, "and nothing stood still for it", work_at_a_stretch())
click(*middle(s["buttons"]["Device"]))
time.sleep(2)
for key in ("End", "Return"):
    xdo("key", key)
    time.sleep(1)
s = wait_for(lambda s: s.get("device") == N - 1, 20)
check(s.get("device") == N - 1, "the last one can be chosen", s.get("device"))
xdo("key", "F5")
time.sleep(1)
s = wait_for(lambda s: s.get("device") == N - 1, 20)
check(s.get("device") == N - 1 and window.poll() is None, "and is read again", s.get("device"))
check(work_at_a_stretch() < 500, "nothing stood still for these either", work_at_a_stretch())
window.kill()
finish()
