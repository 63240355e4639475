#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memoryviz.py TENURE VIZ FILE…: a snapshot's first picture in the window against PyTorch's MemoryViz.

VIZ is a folder with MemoryViz.js (PyTorch's torch/utils/viz) and d3.min.js (npm: d3@5, dist/): neither is
part of this repository.  The page is served from this machine to Debian's headless Chromium, which draws
without a graphics card, as the window does; its imports alone are changed, to the local d3.  Timed from the
start of the browser until the browser has begun the second frame after the polygons were made: what it
still paints then is not counted.  Its memory is the sum of the proportional set sizes of its processes,
looked at five times a second; the window's is its largest resident set, with the mapped file in it.
Prints one JSON object; without Chromium or VIZ it says so and ends with 77."""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from display import Window, cpu_seconds, enter

PAGE = """<!doctype html><html><body style="height:100%"><script src="/d3.js"></script>
<script type="module">
import {add_remote_files} from "/viz.js";
const say = word => fetch("/said/" + word, {method: "POST"});
const made = () => {
  const n = document.querySelectorAll("polygon").length;
  if (n) requestAnimationFrame(() => requestAnimationFrame(() => say(n)));
  else setTimeout(made, 5);
};
window.addEventListener("error", e => say("error"));
window.addEventListener("unhandledrejection", e => say("error"));
add_remote_files([{name: "snapshot", url: "/snapshot"}]);
made();
</script></body></html>"""


def script(folder):
    """MemoryViz.js with its imports taken from the d3 that the page has loaded."""
    with open(os.path.join(folder, "MemoryViz.js")) as file:
        text = file.read()
    text, n = re.subn(r"^import .*$", "", text, flags=re.M)
    assert n == 5, "MemoryViz.js has other imports than are known here"
    return "const d3 = window.d3, {axisLeft, scaleLinear, zoom, zoomIdentity, brushX} = d3;\n" + text


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, folder, snapshot):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {"/": (PAGE.encode(), "text/html"), "/viz.js": (script(folder).encode(), "text/javascript")}
        with open(os.path.join(folder, "d3.min.js"), "rb") as file:
            self.files["/d3.js"] = (file.read(), "text/javascript")
        self.snapshot, self.said, self.heard = snapshot, None, threading.Event()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *unused):
        pass

    def do_GET(self):
        if self.path == "/snapshot":
            self.send_response(200)
            self.send_header("Content-Length", str(os.path.getsize(self.server.snapshot)))
            self.end_headers()
            with open(self.server.snapshot, "rb") as file:
                shutil.copyfileobj(file, self.wfile, 1 << 20)
            return
        body, kind = self.server.files.get(self.path, (b"", "text/plain"))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.said = (self.path.rsplit("/", 1)[1], time.time())
        self.server.heard.set()
        self.send_response(204)
        self.end_headers()


def processes(profile):
    """Those of the browser with this profile, its children included."""
    parent, ours = {}, set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as file:
                parent[int(pid)] = int(file.read().rsplit(")", 1)[1].split()[1])
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                if profile.encode() in file.read():
                    ours.add(int(pid))
        except OSError:
            continue
    grown = True
    while grown:
        more = {pid for pid in parent if parent[pid] in ours} - ours
        ours, grown = ours | more, bool(more)
    return ours


def memory_mib(pids):
    total = 0
    for pid in pids:
        try:
            with open("/proc/%d/smaps_rollup" % pid) as file:
                total += [int(line.split()[1]) for line in file if line.startswith("Pss:")][0]
        except (OSError, IndexError):
            continue
    return total / 1024


def measure_viz(folder, snapshot, seconds=400):
    server = Server(folder, snapshot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = tempfile.mkdtemp(prefix="memoryviz-")
    begin = time.time()
    browser = subprocess.Popen(
        ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--window-size=1600,900", "--user-data-dir=" + profile,
         "http://127.0.0.1:%d/" % server.server_address[1]],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    peak, cpu = 0.0, {}
    until = begin + seconds
    while time.time() < until:
        pids = processes(profile)
        peak = max(peak, memory_mib(pids))
        for pid in pids:
            try:
                cpu[pid] = cpu_seconds(pid)
            except OSError:
                pass
        if server.heard.is_set():
            until = min(until, server.said[1] + 1.0)  # its raster threads' memory is seen too
        time.sleep(0.2)
    os.killpg(browser.pid, 9)
    browser.wait()
    server.shutdown()
    shutil.rmtree(profile, ignore_errors=True)
    if not server.said or not server.said[0].isdigit():
        return {"failed": server.said[0] if server.said else "nothing within %d s" % seconds}
    return {"seconds": round(server.said[1] - begin, 2), "cpu_seconds": round(sum(cpu.values()), 2),
            "peak_mib": round(peak), "polygons": int(server.said[0])}


def measure_window(tenure, snapshot):
    with Window(tenure, snapshot) as window:
        seconds = window.wait_picture()
        cpu = window.cpu_seconds()
        time.sleep(1.0)
        return {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2), "peak_mib": window.peak_mib()}


def can_run(folder):
    return shutil.which("chromium") and all(
        os.path.exists(os.path.join(folder, name)) for name in ("MemoryViz.js", "d3.min.js"))


def middle(rows):
    """Of an odd number of measured rows the one with the middle time; one that failed before all."""
    return next((r for r in rows if "seconds" not in r), None) or sorted(rows, key=lambda r: r["seconds"])[len(rows) // 2]


def compare(tenure, folder, snapshot, times=5):
    """In turns, so that both see the same machine; the middle of `times` counts."""
    pairs = [(measure_window(tenure, snapshot), measure_viz(folder, snapshot)) for _ in range(times)]
    ours, theirs = middle([a for a, b in pairs]), middle([b for a, b in pairs])
    row = {"file": os.path.basename(snapshot), "bytes": os.path.getsize(snapshot), "window": ours,
           "memoryviz": theirs, "all": [[a["seconds"], b.get("seconds")] for a, b in pairs]}
    if "seconds" in theirs:
        row["times_faster"] = round(theirs["seconds"] / ours["seconds"], 1)
        row["times_less_cpu"] = round(theirs["cpu_seconds"] / ours["cpu_seconds"], 1)
        row["part_of_memory"] = round(ours["peak_mib"] / theirs["peak_mib"], 2)
    return row


if __name__ == "__main__":
    if len(sys.argv) < 4 or not can_run(sys.argv[2]):
        print("memoryviz.py: chromium, or MemoryViz.js or d3.min.js in the folder, is not here")
        sys.exit(77)
    enter()
    print(json.dumps({"load": os.getloadavg()[0],
                      "files": [compare(sys.argv[1], sys.argv[2], path) for path in sys.argv[3:]]}, indent=1))
