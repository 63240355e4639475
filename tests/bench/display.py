# SPDX-License-Identifier: MIT
"""What the benchmarks of the window share: a display of 1600x900 without a graphics card, a window on it
that writes its figures (app/window/watchdog.h), and its memory."""
import os
import shutil
import subprocess
import sys
import tempfile
import time


def enter():
    """Runs the calling script again on a display of its own; returns there."""
    if "TENURE_INSIDE" in os.environ:
        return
    if not shutil.which("xvfb-run") or not shutil.which("xdotool"):
        sys.exit("%s: xvfb-run and xdotool are needed" % os.path.basename(sys.argv[0]))
    with tempfile.TemporaryDirectory() as home:
        env = dict(os.environ, TENURE_INSIDE="1", GSK_RENDERER="cairo", GDK_BACKEND="x11",
                   GTK_A11Y="none", NO_AT_BRIDGE="1", GSETTINGS_BACKEND="memory",
                   TENURE_WINDOW_SIZE="1600x900", TENURE_COLOR_SCHEME="light",
                   XDG_DATA_HOME=home + "/data", XDG_CONFIG_HOME=home + "/config",
                   XDG_CACHE_HOME=home + "/cache")
        sys.exit(subprocess.call(["xvfb-run", "-a", "-s", "-screen 0 1600x900x24", sys.executable]
                                 + sys.argv, env=env))


def xdo(*words):
    subprocess.run(["xdotool"] + [str(w) for w in words], check=True)


def part(values, p):
    """The p-th part of the values, None where there are none."""
    values = sorted(values)
    return round(values[min(int(len(values) * p), len(values) - 1)], 1) if values else None


class Window:
    """`with Window(tenure, files…) as w`: the program, and what its watchdog has written so far."""

    def __init__(self, tenure, *files):
        self.argv = [tenure] + list(files)

    def __enter__(self):
        self.work = tempfile.mkdtemp()
        self.state, self.dog = os.path.join(self.work, "state.json"), os.path.join(self.work, "dog.txt")
        self.begin = time.time()
        self.process = subprocess.Popen(self.argv, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, TENURE_STATE_FILE=self.state,
                                                 TENURE_WATCHDOG=self.dog, TENURE_WATCHDOG_FRAMES="1"))
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.work)

    def lines(self, since=0):
        """The watchdog's lines from number `since` on, split into words."""
        if not os.path.exists(self.dog):
            return []
        with open(self.dog) as file:
            return [line.split() for line in file.read().split("\n")[:-1]][since:]

    def wait(self, is_done, seconds):
        """Seconds from the start of the program until is_done(); None where it never was."""
        while time.time() - self.begin < seconds and self.process.poll() is None:
            if is_done():
                return time.time() - self.begin
            time.sleep(0.005)
        return None

    def wait_loaded(self, seconds=300):
        loaded = self.wait(lambda: os.path.exists(self.state), seconds)
        self.cpu_at_load = self.cpu_seconds()
        return loaded

    def wait_picture(self, seconds=300):
        """... until the first picture of the data is on the screen: the frame after it is painted."""
        def is_painted():
            names = [words[0] for words in self.lines()]
            return "picture" in names and "frame" in names[names.index("picture"):]
        return self.wait(is_painted, seconds)

    def wait_frame(self, seconds=30):
        return self.wait(lambda: any(words[0] == "frame" for words in self.lines()), seconds)

    def peak_mib(self):
        with open("/proc/%d/status" % self.process.pid) as file:
            return [int(line.split()[1]) // 1024 for line in file if line.startswith("VmHWM")][0]

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid) as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
