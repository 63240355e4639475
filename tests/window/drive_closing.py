#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_closing.py TENURE SAMPLE: a report that is being written when the last window closes is written to its end, and
where it can't be, that is said."""
from driving_bus import *

os.environ["G_DEBUG"] = "fatal-criticals"
rows = os.path.join(work, "rows.csv")
with open(rows, "w") as f:
    f.write("id,lower,upper,size,offset\n")
    for i in range(400000):
        f.write("name%d,%d,%d,%d,%d\n" % (i, i, i + 9, 64 + i % 1000, i % 10 * 2048))


def is_asking():
    return subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "^Save Report$"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout != b""


def wait_asking(wanted, seconds=20):
    end = time.time() + seconds
    while time.time() < end and is_asking() != wanted:
        time.sleep(0.02)


def wait_end(window, seconds):
    try:
        return window.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def save_and_quit(out, meanwhile):
    """Quits while the report is made; the program."""
    window = start(rows)
    wait_for(lambda s: s.get("axis_end", 0) >= 400000 and s["lanes"][2] > 100, 60)
    name = find_name(window.pid)
    point_aside()
    xdo("key", "ctrl+s")
    time.sleep(3)
    xdo("key", "alt+s")
    wait_asking(True)
    time.sleep(1)
    xdo("key", "ctrl+a")
    xdo("type", "--delay", "10", out)
    xdo("key", "Return")
    wait_asking(False)
    print("# %s" % ("it was written already: this shows nothing" if os.path.exists(out) else "while it is written"))
    meanwhile()
    gdbus(name, PLACE, "org.gtk.Actions.Activate", "quit", "[]", "{}")
    return window


out = os.path.join(work, "out.pdf")
window = save_and_quit(out, lambda: None)
check(wait_end(window, 60) == 0, "the program ends", window.poll())
with open(out if os.path.exists(out) else os.devnull, "rb") as f:
    data = f.read()
check(data[:5] == b"%PDF-" and b"%%EOF" in data[-32:], "once the report is there, whole", (len(data), os.listdir(work)))

folder = os.path.join(work, "gone")
os.mkdir(folder)
window = save_and_quit(os.path.join(folder, "out.pdf"), lambda: shutil.rmtree(folder))
check(wait_end(window, 10) is None, "that it can’t be written is said", window.poll())
xdo("key", "Escape")
check(wait_end(window, 20) == 0, "and then it ends", window.poll())
if window.poll() is None:
    window.kill()
finish()
