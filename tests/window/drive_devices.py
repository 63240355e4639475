#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_devices.py TENURE SAMPLE: a log of very many devices opens at once, and another of them can be chosen; of
methods of a program, of which the graph is the first's, the ops are shown of no other."""
from driving import *
import struct

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

# A program that has the method of another twice.
part = open(os.path.join(os.path.dirname(__file__), "../fuzz/corpus/executorch/small.pte"), "rb").read()
word = lambda at: struct.unpack_from("<I", part, at)[0]
root = word(0)
field = root + struct.unpack_from("<H", part, root - word(root) + 6)[0]
entry = field + word(field) + 4
plan = 48 + entry + word(entry)
two = os.path.join(work, "two.pte")
with open(two, "wb") as f:
    f.write(struct.pack("<I4s4H", 16, b"ET12", 8, 8, 0, 4) + struct.pack("<5I", 8, 4, 2, plan - 28, plan - 32))
    f.write(bytes(48 - f.tell()) + part)
window = start(two)
s = wait_for(lambda s: s.get("device") == 0 and "Ops" in s.get("buttons", {}), 30)
check("Ops" in s.get("buttons", {}), "the first method's ops are shown", s)
click(*middle(s["buttons"]["Ops"]))
time.sleep(1)
click(*middle(s["buttons"]["Device"]))
time.sleep(1)
for key in ("End", "Return"):
    xdo("key", key)
    time.sleep(1)
s = wait_for(lambda s: s.get("device") == 1 and "Ops" not in s["buttons"], 20)
check(s.get("device") == 1 and "Ops" not in s["buttons"], "and not beside the second's buffers", s)
click(*middle(s["buttons"]["Device"]))
time.sleep(1)
for key in ("Home", "Return"):
    xdo("key", key)
    time.sleep(1)
s = wait_for(lambda s: s.get("device") == 0 and "Ops" in s["buttons"], 20)
check(s.get("device") == 0 and "Ops" in s["buttons"], "the first method has them again", s)
window.kill()
finish()
