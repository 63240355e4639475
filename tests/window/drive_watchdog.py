#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_watchdog.py TENURE SAMPLE: while a log of 300,000 events is read and looked at, the main thread
never works for more than 50 ms at a stretch (TENURE_STALL_LIMIT).  What it waits for the processor,
which other programs may have, is no work; the start until the window stands is not looked at."""
from driving import *
import random

LIMIT = float(os.environ.get("TENURE_STALL_LIMIT", "50"))
START_MS = 800
log = os.path.join(work, "many.tlog")
random.seed(1)
alive = [0] * 1500
with open(log, "w") as f:
    f.write('{"format": "tenure-log", "version": 1, "device_bytes": 8589934592}\n')
    for k in range(300000):
        i = random.randrange(len(alive))
        what = '"free"' if alive[i] else '"alloc"'
        alive[i] = 0 if alive[i] else 512 * random.randrange(1, 256)
        size = ', "bytes": %d, "name": "t%d"' % (alive[i], i % 97) if alive[i] else ""
        f.write('{"t": %d, "event": %s, "address": %d%s}\n' % (k, what, 2**32 + i * 2**17, size))

stalls_file = os.path.join(work, "stalls.txt")
os.environ["TENURE_WATCHDOG"] = stalls_file
begin = time.time()
window = start(log)
s = wait_for(lambda s: s.get("axis_end", 0) > 200000 and s["lanes"][2] > 100, 60)
check(s.get("axis_end", 0) > 200000, "the log opens", s)
marks = []


def step(name, *keys, wait=1.0):
    marks.append(((time.time() - begin) * 1000, name))
    for key in keys:
        xdo("key", key)
        time.sleep(0.1)
    time.sleep(wait)


point_aside()
time.sleep(1.0)
step("zoom", "w", "w", "w", "d", "a", "s", "0")
step("peak", "p")
step("live set", "2", wait=2.0)
step("stacks", "3", wait=2.0)
step("oom", "4")
step("maps", "1")
step("search", "ctrl+f")
xdo("type", "--delay", "60", "t4")
time.sleep(1.5)
step("next", "Return", "Return")
step("filter", "ctrl+Return", "Escape", wait=1.5)
step("sort")
click(555, 679)
time.sleep(1.5)
step("undo", "ctrl+z", wait=1.5)
step("bookmark", "m")
with open(stalls_file) as f:
    stalls = [tuple(float(x) for x in line.split()) for line in f]
window.kill()
late = [s for s in stalls if s[0] > START_MS]
worst = max([s[2] for s in late], default=0.0)
at_worst = [s for s in late if s[2] == worst]
where = [name for at, name in marks if at_worst and at < at_worst[0][0]]
print("# longest work of the main thread at a stretch: %.0f ms (%s); longest from turn to turn of its "
      "loop: %.0f ms" % (worst, where[-1] if where else "loading", max([s[1] for s in late], default=0)))
check(worst <= LIMIT, "the main thread works for at most %.0f ms at a stretch" % LIMIT,
      sorted(late, key=lambda s: -s[2])[:5])
finish()
