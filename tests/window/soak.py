#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py TENURE SAMPLE [--minutes N] [--plot OUT.svg] [--animate]: a day's work in short: the file is read again
sixty times (or for N minutes) while the views are looked at, now and then a comparison is opened and
closed and a report saved.  The memory of the process must not grow: what a tab had goes with it.

GTK's animations are off unless --animate: each frame of one that scales draws its text at a size of its own, and
cairo keeps the last 256 sizes with their glyphs, 6.5 MiB that fill within half an hour in whatever program.
"""
import os, statistics, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from driving import *

WARM_UP, ROUNDS, LIMIT = 10, 60, 1.05


def option(name, default):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


MINUTES, PLOT = float(option("--minutes", 0)), option("--plot", None)
EVENTS = (2, 6, 25, 40, 55)  # twice in the warm-up, for what GTK keeps of a dialog that it has shown once


def is_event(k):
    return k in EVENTS if not MINUTES else k in EVENTS[:2] or k % 15 == 10


def goes_on(k, begun):
    return k < WARM_UP + ROUNDS if not MINUTES else k < WARM_UP + 10 or time.time() - begun < 60 * MINUTES


def plot(out, points, title):
    """Resident MiB over minutes, as an SVG drawing."""
    width, height, left, top = 900, 360, 70, 40
    last = points[-1][0] or 1
    most = 1.15 * max(mib for _, mib in points)
    x = lambda minutes: left + minutes / last * (width - left - 40)
    y = lambda mib: height - 40 - mib / most * (height - top - 50)
    step = next(s for s in (10, 20, 50, 100, 200, 500) if most / s <= 8)
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">'
             % (width, height), '<rect width="100%" height="100%" fill="white"/>',
             '<text x="%d" y="22" font-size="14">%s</text>' % (left, title)]
    for mib in range(0, int(most) + 1, step):
        lines.append('<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%d MiB</text>'
                     % (left, y(mib), width - 20, left - 6, y(mib) + 4, mib))
    for k in range(7):
        lines.append('<text x="%.1f" y="%d" text-anchor="middle">%.2g min</text>'
                     % (x(last * k / 6), height - 16, last * k / 6))
    lines.append('<polyline fill="none" stroke="#1c71d8" stroke-width="1.5" points="%s"/></svg>'
                 % " ".join("%.1f,%.1f" % (x(m), y(mib)) for m, mib in points))
    with open(out, "w") as file:
        file.write("\n".join(lines) + "\n")


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


def set_animations(is_on):
    folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "gtk-4.0")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "settings.ini"), "w") as f:
        f.write("[Settings]\ngtk-enable-animations=%d\n" % is_on)


# What is asked of the allocator is measured, not what it keeps for later: its thresholds would grow
# with the blocks that the readers free, and each thread could have pages of its own.
os.environ.update(MALLOC_ARENA_MAX="2", MALLOC_MMAP_THRESHOLD_="131072",
                  MALLOC_TRIM_THRESHOLD_="131072", MALLOC_PERTURB_="0")
set_animations("--animate" in sys.argv)
window = start(sample)
wait_for(lambda s: s.get("axis_end") == 4587, 30)
time.sleep(1.0)
curve, times, read, compared, saved, events, k = [], [], 0, 0, 0, 0, 0
begun = time.time()
while window.poll() is None and goes_on(k, begun):
    if is_event(k):
        events += 1
        compared += compare()
        out = os.path.join(work, "soak%d.pdf" % k)
        saved += save_report(out)
        if os.path.exists(out):
            os.remove(out)
    read += read_again()
    look_at_views()
    curve.append(resident(window))
    times.append((time.time() - begun) / 60)
    k += 1
    if k % (5 if not MINUTES else 50) == 0:
        print("# %3d, %.1f min: %.1f MiB" % (k, times[-1], curve[-1]))
        sys.stdout.flush()
check(window.poll() is None and read == k, "the file was read again each time", (read, k))
check((compared, saved) == (events, events), "comparisons and reports came about", (compared, saved, events))
# A picture may be in the making when one is taken: medians are compared.
at_once = max(10, (k - WARM_UP) // 10)
first = statistics.median(curve[WARM_UP:WARM_UP + at_once])
last = statistics.median(curve[-at_once:])
words = ("%d reads, %d comparisons and reports in %.1f min: %.1f MiB after the warm-up, %.1f MiB at the end, %+.1f %%"
         % (read, compared, times[-1], first, last, 100 * (last / first - 1)))
print("# " + words)
if PLOT:
    plot(PLOT, list(zip(times, curve)), words)
check(last < first * LIMIT, "the memory has not grown by 5 %", curve)
window.terminate()
finish()
