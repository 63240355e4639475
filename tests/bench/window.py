#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""window.py BUILD LOG_1500 LOG_15000 SNAPSHOT [VIZ]: the window's targets as a table in Markdown.

BUILD is a release build (meson setup --buildtype=release BUILD); the logs have ten million events with
1,500 and 15,000 alive (make-log.py 10000000 1500 OUT); SNAPSHOT has two million events (snapshots.py); VIZ
is the folder of memoryviz.py, without which PyTorch's MemoryViz is left out.  About eight minutes on two
quiet processors.  Times are by the clock; where a figure misses its target, the processor's own time beside
it tells whether the machine was busy.  Exits 1 where a target is missed."""
import os
import sys
import time

import memoryviz
from display import Window, enter
from frames import measure

STARTS = 5


class Table:
    def __init__(self):
        self.is_missed = False
        print("| what | target | seen | met | note |\n|---|---|---|---|---|")

    def row(self, what, target, seen, is_met, note=""):
        self.is_missed |= not is_met
        print("| %s | %s | %s | %s | %s |" % (what, target, seen, "yes" if is_met else "**no**", note), flush=True)

    def at_most(self, what, most, seen, note="", unit="ms"):
        self.row(what, "≤ %s %s" % (most, unit), "%s %s" % (seen, unit), seen is not None and seen <= most, note)


def start(table, tenure):
    """From the start until the first frame is painted: the start page."""
    seconds = []
    for _ in range(STARTS):
        with Window(tenure) as window:
            seconds.append(window.wait_frame())
        time.sleep(0.5)
    worst = ", ".join("%.2f" % s for s in sorted(seconds))
    table.at_most("start to an empty window (median of %d)" % STARTS, 0.5, round(sorted(seconds)[STARTS // 2], 2),
                  "all: %s" % worst, "s")


def look(table, tenure, log, alive, most_picture):
    seen = measure(tenure, log)

    def cpu(name):
        return "p50 %s, CPU p50 %s, p95 %s; %s %ss" % (seen[name + "_p50_ms"], seen[name + "_cpu_p50_ms"],
                                                      seen[name + "_cpu_p95_ms"], seen[name + "s"], name)
    table.at_most("frame while zooming and panning, p95, %s alive" % alive, 16, seen["frame_p95_ms"], cpu("frame"))
    table.at_most("exact picture, p95, %s alive" % alive, most_picture, seen["picture_p95_ms"], cpu("picture"))
    table.at_most("hover: handler and its frame, p95, %s alive" % alive, 4, seen["hover_p95_ms"], cpu("hover"))
    table.at_most("selection: handler and its frame, p95, %s alive" % alive, 4, seen["select_p95_ms"],
                  "%s; the press before it, which shows nothing: p50 %s, p95 %s" %
                  (cpu("select"), seen["press_p50_ms"], seen["press_p95_ms"]))
    table.at_most("longest work of the main thread, loading too", 50, seen["longest_work_ms"],
                  "opened in %s s (CPU %.1f), at most %d MiB" % (seen["open_s"], seen["open_cpu_s"],
                                                               seen["memory_mib"]))


def compare(table, tenure, folder, snapshot):
    if not folder or not memoryviz.can_run(folder):
        ours = memoryviz.measure_window(tenure, snapshot)
        print("| first picture of %s | | %s s, %d MiB | | MemoryViz is not here |"
              % (os.path.basename(snapshot), ours["seconds"], ours["peak_mib"]))
        return
    seen = memoryviz.compare(tenure, folder, snapshot)
    ours, theirs = seen["window"], seen["memoryviz"]
    if "seconds" not in theirs:
        table.row("first picture against MemoryViz", "≥ 15 times faster", "MemoryViz: " + theirs["failed"], True)
        return
    table.row("first picture against MemoryViz", "≥ 15 times faster", "%.1f times" % seen["times_faster"],
              seen["times_faster"] >= 15, "%s s against %s s, the middle of %s; CPU %s s against %s s" %
              (ours["seconds"], theirs["seconds"], ", ".join("%s:%s" % tuple(pair) for pair in seen["all"]),
               ours["cpu_seconds"], theirs["cpu_seconds"]))
    table.row("memory against MemoryViz", "≤ 0.33", "%.2f" % seen["part_of_memory"], seen["part_of_memory"] <= 0.33,
              "%d MiB against %d MiB" % (ours["peak_mib"], theirs["peak_mib"]))


def main():
    build, few, many, snapshot = sys.argv[1:5]
    tenure = os.path.join(build, "app", "window", "tenure")
    print("Load before: %.1f; %d processors; 1600x900, cairo, Xvfb.\n" % (os.getloadavg()[0], os.cpu_count()))
    table = Table()
    start(table, tenure)
    compare(table, tenure, sys.argv[5] if len(sys.argv) > 5 else None, snapshot)
    look(table, tenure, few, "1,500", 100)
    look(table, tenure, many, "15,000", 250)
    return table.is_missed


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    enter()
    sys.exit(main())
