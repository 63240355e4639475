#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""frames.py TENURE LOG…: opens each log in the real window under Xvfb at 1600x900, zooms, pans and
points, and prints how long frames took, how long until the exact picture was there, and how long the
main thread worked at a stretch.  Prints one JSON object; nothing fails.  Logs: make-log.py."""
import json, os, shutil, subprocess, sys, tempfile, time

if "TENURE_INSIDE" not in os.environ:
    if not shutil.which("xvfb-run") or not shutil.which("xdotool"):
        sys.exit("frames.py: xvfb-run and xdotool are needed")
    env = dict(os.environ, TENURE_INSIDE="1", GSK_RENDERER="cairo", GDK_BACKEND="x11",
               GTK_A11Y="none", NO_AT_BRIDGE="1", GSETTINGS_BACKEND="memory",
               TENURE_WINDOW_SIZE="1600x900", TENURE_COLOR_SCHEME="light",
               XDG_DATA_HOME=tempfile.mkdtemp(), XDG_CONFIG_HOME=tempfile.mkdtemp())
    sys.exit(subprocess.call(["xvfb-run", "-a", "-s", "-screen 0 1600x900x24", sys.executable]
                             + sys.argv, env=env))


def xdo(*words):
    subprocess.run(["xdotool"] + [str(w) for w in words], check=True)


def part(values, p):
    values = sorted(values)
    return round(values[min(int(len(values) * p), len(values) - 1)], 1) if values else None


def measure(tenure, log):
    work = tempfile.mkdtemp()
    state, dog = os.path.join(work, "state.json"), os.path.join(work, "dog.txt")
    begin = time.time()
    window = subprocess.Popen([tenure, log], env=dict(os.environ, TENURE_STATE_FILE=state,
                              TENURE_WATCHDOG=dog, TENURE_WATCHDOG_FRAMES="1"),
                              stderr=subprocess.DEVNULL)
    while not os.path.exists(state) and time.time() - begin < 300:
        time.sleep(0.05)
    loaded = time.time() - begin
    time.sleep(8)
    n_before = len(open(dog).read().split("\n"))
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
    zoomed = open(dog).read().split("\n")[n_before:]
    for k in range(60):  # pointing
        xdo("mousemove", 300 + 10 * k, 300 + 5 * k)
        time.sleep(0.03)
    time.sleep(1)
    pointed = open(dog).read().split("\n")[n_before + len(zoomed) - 1:]
    with open("/proc/%d/status" % window.pid) as f:
        memory = [line.split()[1] for line in f if line.startswith("VmHWM")][0]
    window.kill()
    window.wait()
    shutil.rmtree(work)
    rows = [line.split() for line in zoomed if line]
    frames = [float(r[1]) for r in rows if r[0] == "frame"]
    cpu = [float(r[2]) for r in rows if r[0] == "frame"]
    pictures = [float(r[1]) for r in rows if r[0] == "picture"]
    drawn = [float(r[2]) for r in rows if r[0] == "picture"]
    hover = [float(line.split()[2]) for line in pointed if line.startswith("frame")]
    stalls = [float(r[2]) for r in rows if r[0] not in ("frame", "picture")]
    return {"log": os.path.basename(log), "open_s": round(loaded, 1), "memory_mib": int(memory) // 1024,
            "frames": len(frames), "frame_p50_ms": part(frames, 0.5), "frame_p95_ms": part(frames, 0.95),
            "frame_cpu_p95_ms": part(cpu, 0.95), "pictures": len(pictures),
            "picture_cpu_p50_ms": part(drawn, 0.5), "picture_cpu_p95_ms": part(drawn, 0.95),
            "picture_p50_ms": part(pictures, 0.5), "picture_p95_ms": part(pictures, 0.95),
            "hover_frame_cpu_p95_ms": part(hover, 0.95),
            "longest_work_ms": max(stalls, default=0.0)}


print(json.dumps({"load": os.getloadavg()[0],
                  "logs": [measure(sys.argv[1], log) for log in sys.argv[2:]]}, indent=1))
