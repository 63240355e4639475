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
        xdo("click", 1)
        time.sleep(0.2)
    time.sleep(1)


def watch(window, act):
    """What the watchdog wrote while it was done: by name, lists of figures."""
    n = len(window.lines())
    act()
    rows = window.lines(n)
    return ([(float(r[1]), float(r[2])) for r in rows if r[0] == "frame"],
            [(float(r[1]), float(r[2])) for r in rows if r[0] == "picture"],
            [float(r[2]) for r in rows if r[0] not in ("frame", "picture")])


def measure(tenure, log):
    with Window(tenure, log) as window:
        loaded = window.wait_loaded()
        if loaded is None:
            sys.exit("frames.py: %s does not open" % log)
        window.wait_picture()
        time.sleep(8)
        frames, pictures, stalls = watch(window, zoom_and_pan)
        hovers, _, _ = watch(window, point)
        selections, _, _ = watch(window, select)
        memory = window.peak_mib()
    wall, cpu = [f[0] for f in frames], [f[1] for f in frames]
    drawn = [p[1] for p in pictures]
    waited = [p[0] for p in pictures]
    return {"log": os.path.basename(log), "open_s": round(loaded, 1), "memory_mib": memory,
            "frames": len(frames), "frame_p50_ms": part(wall, 0.5), "frame_p95_ms": part(wall, 0.95),
            "frame_cpu_p95_ms": part(cpu, 0.95), "pictures": len(pictures),
            "picture_cpu_p50_ms": part(drawn, 0.5), "picture_cpu_p95_ms": part(drawn, 0.95),
            "picture_p50_ms": part(waited, 0.5), "picture_p95_ms": part(waited, 0.95),
            "hover_frame_cpu_p50_ms": part([f[1] for f in hovers], 0.5),
            "hover_frame_cpu_p95_ms": part([f[1] for f in hovers], 0.95),
            "select_frame_cpu_p50_ms": part([f[1] for f in selections], 0.5),
            "select_frame_cpu_p95_ms": part([f[1] for f in selections], 0.95),
            "longest_work_ms": max(stalls, default=0.0)}


if __name__ == "__main__":
    enter()
    print(json.dumps({"load": os.getloadavg()[0],
                      "logs": [measure(sys.argv[1], log) for log in sys.argv[2:]]}, indent=1))
