#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""frames.py TENURE LOG…: opens each log in the real window under Xvfb at 1600x900, zooms, pans, points
and clicks, and prints how long frames took, how long until the exact picture was there, and how long the
main thread worked at a stretch.  Prints one JSON object; nothing fails.  Logs: make-log.py."""
import json
import os
import sys
import time

from display import Window, enter, part, xdo

NAMES = ("frame", "picture", "hover", "press", "select")
START_MS = 800  # the start until the window stands is not looked at


def zoom_and_pan():
    xdo("mousemove", 600, 500)
    for wheel in (4, 5):  # closer, and back again, at the pointer
        xdo("keydown", "ctrl")
        for _ in range(12):
            xdo("click", wheel)
            time.sleep(0.25)
        xdo("keyup", "ctrl")
    for key in ["w"] * 5 + ["d"] * 8 + ["a"] * 8 + ["s"] * 5 + ["0"]:
        xdo("key", key)
        time.sleep(0.25)
    time.sleep(1)


def point():
    for k in range(60):
        xdo("mousemove", 300 + 10 * k, 300 + 5 * k)
        time.sleep(0.03)
    time.sleep(1)


def select():
    for k in range(20):
        xdo("mousemove", 300 + 30 * k, 330 + 3 * k)
        time.sleep(0.1)
        xdo("mousedown", 1)
        time.sleep(0.06)  # a finger's
        xdo("mouseup", 1)
        time.sleep(0.2)
    time.sleep(1)


def watch(window, act):
    """What the watchdog wrote while it was done: by name, lists of (by the clock, by processor) ms."""
    n = len(window.lines())
    act()
    rows = window.lines(n)
    return {name: [(float(r[1]), float(r[2])) for r in rows if r[0] == name] for name in NAMES}


def longest_work(window):
    """Of the main thread at a stretch, once the window stands: loading too."""
    rows = [r for r in window.lines() if r[0] not in NAMES]
    return max([float(r[2]) for r in rows if float(r[0]) > START_MS], default=0.0)


def spread(name, pairs):
    wall, cpu = [p[0] for p in pairs], [p[1] for p in pairs]
    return {name + ("es" if name == "press" else "s"): len(pairs), name + "_p50_ms": part(wall, 0.5), name + "_p95_ms": part(wall, 0.95),
            name + "_cpu_p50_ms": part(cpu, 0.5), name + "_cpu_p95_ms": part(cpu, 0.95)}


def measure(tenure, log):
    with Window(tenure, log) as window:
        loaded = window.wait_loaded()
        if loaded is None:
            sys.exit("frames.py: %s does not open" % log)
        window.wait_picture()
        time.sleep(8)
        moved, hovered, selected = (watch(window, act) for act in (zoom_and_pan, point, select))
        result = {"log": os.path.basename(log), "open_s": round(loaded, 1),
                  "open_cpu_s": window.cpu_at_load, "memory_mib": window.peak_mib(),
                  "longest_work_ms": longest_work(window)}
    for name, pairs in (("frame", moved["frame"]), ("picture", moved["picture"]),
                        ("hover", hovered["hover"]), ("press", selected["press"]), ("select", selected["select"])):
        result.update(spread(name, pairs))
    return result


if __name__ == "__main__":
    enter()
    print(json.dumps({"load": os.getloadavg()[0],
                      "logs": [measure(sys.argv[1], log) for log in sys.argv[2:]]}, indent=1))
