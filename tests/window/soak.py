#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py TENURE SAMPLE: a day's work in short: the file is read again sixty times while the views are
looked at, now and then a comparison is opened and closed and a report saved.  The memory of the
process must not grow: what a tab had goes with it.
"""
import os, statistics, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from driving import *

WARM_UP, ROUNDS, AT_ONCE = 10, 60, 10
LIMIT = 1.05


def resident(process):
    """MiB of the process that are in memory."""
    with open("/proc/%d/status" % process.pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def read_again():
    """True once the tab that was read again has written its state."""
    os.remove(state_file)
    xdo("key", "ctrl+r")
    return wait_for(lambda s: s.get("axis_end") == 4587, 20).get("axis_end") == 4587


def look_at_views():
    for key in "2341":
        xdo("key", key)
        time.sleep(0.15)


def compare():
    """With itself; the comparison and the second file's tab are closed again."""
    os.remove(state_file)
    xdo("key", "ctrl+d")
    time.sleep(1.5)
    xdo("type", "--delay", "5", sample)
    time.sleep(0.5)
    xdo("key", "Return")
    is_alike = wait_for(lambda s: s.get("matched") == 1719, 20).get("matched") == 1719
    xdo("key", "ctrl+w")
    time.sleep(0.3)
    xdo("key", "ctrl+w")
    time.sleep(0.5)
    return is_alike


# What is asked of the allocator is measured, not what it keeps for later: its thresholds would grow
# with the blocks that the readers free, and each thread could have pages of its own.
os.environ.update(MALLOC_ARENA_MAX="2", MALLOC_MMAP_THRESHOLD_="131072",
                  MALLOC_TRIM_THRESHOLD_="131072", MALLOC_PERTURB_="0")
window = start(sample)
wait_for(lambda s: s.get("axis_end") == 4587, 30)
time.sleep(1.0)
curve, read, compared, saved = [], 0, 0, 0
for k in range(WARM_UP + ROUNDS):
    # Twice in the warm-up, for what GTK keeps of a dialog that it has shown once.
    if k in (2, 6, 25, 40, 55):
        compared += compare()
        saved += save_report(os.path.join(work, "soak%d.pdf" % k))
    read += read_again()
    look_at_views()
    curve.append(resident(window))
    if k % 5 == 4:
        print("# %3d %.1f MiB" % (k + 1, curve[-1]))
        sys.stdout.flush()
check(window.poll() is None and read == WARM_UP + ROUNDS, "the file was read again each time", read)
check((compared, saved) == (5, 5), "comparisons and reports came about", (compared, saved))
# A picture may be in the making when one is taken: medians are compared.
first = statistics.median(curve[WARM_UP:WARM_UP + AT_ONCE])
last = statistics.median(curve[-AT_ONCE:])
print("# %.1f MiB after the warm-up, %.1f MiB at the end: %+.1f %%"
      % (first, last, 100 * (last / first - 1)))
check(last < first * LIMIT, "the memory has not grown by 5 %", curve)
window.terminate()
finish()
