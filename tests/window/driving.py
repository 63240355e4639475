#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the scripts that drive the window share: `from driving import *` starts the script again under
Xvfb (or skips it, where a tool is missing); argv[1] is the program, argv[2] the sample.
"""
import atexit, glob, json, os, shutil, subprocess, sys, tempfile, time

tenure, sample = sys.argv[1], sys.argv[2]
for tool in ("xvfb-run", "xdotool"):
    if not shutil.which(tool):
        print("1..0 # SKIP %s is not installed" % tool)
        sys.exit(0)
if "TENURE_INSIDE" not in os.environ:
    env = dict(os.environ, TENURE_INSIDE="1", GSK_RENDERER="cairo", GDK_BACKEND="x11",
               GTK_A11Y="none", NO_AT_BRIDGE="1", GSETTINGS_BACKEND="memory",
               TENURE_WINDOW_SIZE="1280x800", TENURE_COLOR_SCHEME="light",
               XDG_DATA_HOME=tempfile.mkdtemp(), XDG_CONFIG_HOME=tempfile.mkdtemp())
    sys.exit(subprocess.call(["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", sys.executable]
                             + sys.argv, env=env))

work = tempfile.mkdtemp()
atexit.register(shutil.rmtree, work, True)
state_file = os.path.join(work, "state.json")
count = 0


def check(is_good, what, detail=""):
    global count
    count += 1
    print("%s %d - %s" % ("ok" if is_good else "not ok", count, what))
    if not is_good:
        print("# %s" % (detail,))
    sys.stdout.flush()


def state():
    try:
        with open(state_file) as f:
            return json.load(f)
    except (OSError, ValueError):
        return {}


def wait_for(condition, seconds=15):
    end = time.time() + seconds
    while time.time() < end:
        now = state()
        if now and condition(now):
            return now
        time.sleep(0.05)
    return state()


def xdo(*words):
    subprocess.run(["xdotool"] + [str(w) for w in words], check=True)


def start(*files):
    if os.path.exists(state_file):
        os.remove(state_file)
    return subprocess.Popen([tenure] + list(files), env=dict(os.environ, TENURE_STATE_FILE=state_file),
                            stderr=subprocess.DEVNULL)


def open_sample():
    """The window with the sample of argv, and its state once the maps stand."""
    window = start(sample)
    return window, wait_for(lambda s: s.get("axis_end") == 4587 and s["lanes"][2] > 100, 30)


def point_aside():
    """Where the pointer rests on no picture."""
    xdo("mousemove", 5, 795)


def show_maps():
    point_aside()
    xdo("key", "1")
    time.sleep(0.8)


def click(x, y, button=1):
    xdo("mousemove", x, y)
    time.sleep(0.3)
    xdo("click", button)


def drag(x, y, to_x):
    """Sideways, in steps as a hand makes them."""
    xdo("mousemove", x, y)
    time.sleep(0.2)
    xdo("mousedown", 1)
    for k in range(1, 6):
        xdo("mousemove", int(x + (to_x - x) * k / 5), y)
        time.sleep(0.05)
    xdo("mouseup", 1)


def middle(rect):
    return rect[0] + rect[2] // 2, rect[1] + rect[3] // 2


def click_largest(s, button=1):
    """The sample's largest bar, in the first lane: 192 MiB, events 435 to 2,089."""
    click(*at(s["lanes"], s, 1300, 7), button)
    return wait_for(lambda s: s.get("selected", -1) >= 0)


def search(text):
    xdo("key", "ctrl+f")
    time.sleep(0.4)
    xdo("key", "ctrl+a")
    xdo("type", "--delay", "20", text)


def select(name):
    """The buffer of this name, by the search."""
    search("/^%s$/" % name)
    time.sleep(0.4)
    xdo("key", "Return")
    s = wait_for(lambda s: s.get("description", "").startswith(name + ","), 5)
    xdo("key", "Escape")
    time.sleep(0.3)
    return s


def add_edit(letter):
    """An item of the menu of the panel of edits, by its underlined letter."""
    xdo("key", "ctrl+e")
    time.sleep(0.3)
    click(421, 683)
    time.sleep(0.8)
    xdo("key", letter)
    time.sleep(0.5)


def plan_as(row):
    """Ctrl + P, the runtime of this row (0: as the file says), Plan."""
    xdo("key", "ctrl+p")
    time.sleep(0.8)
    xdo("key", "space")
    time.sleep(0.6)
    xdo("key", "Home")
    for _ in range(row):
        xdo("key", "Down")
    xdo("key", "Return")
    time.sleep(0.5)
    xdo("key", "alt+p")
    time.sleep(1.5)
    xdo("key", "Escape")
    time.sleep(0.4)


def press(label):
    """Clicks the button with this text or tooltip."""
    click(*middle(wait_for(lambda s: label in s.get("buttons", {}))["buttons"][label]))
    time.sleep(0.5)


def name_file(out):
    """In a file chooser that comes; True once the file, written in the background, is there."""
    time.sleep(1.5)
    xdo("key", "ctrl+a")
    xdo("type", "--delay", "20", out)
    xdo("key", "Return")
    end = time.time() + 20
    while time.time() < end and not os.path.exists(out):
        time.sleep(0.1)
    return os.path.exists(out)


def save_report(out):
    """Ctrl + S, the first button, the name; True once the file, written in the background, is there."""
    xdo("key", "ctrl+s")
    time.sleep(2.5)
    xdo("key", "Tab")
    xdo("key", "Return")
    return name_file(out)


def kept():
    """The notes in the user's data folder, of one file."""
    found = glob.glob(os.path.join(os.environ["XDG_DATA_HOME"], "tenure", "notes", "*.json"))
    if len(found) != 1:
        return {"files": len(found)}
    with open(found[0]) as f:
        return json.load(f)


def wait_kept(condition, seconds=5):
    end = time.time() + seconds
    while time.time() < end:
        if condition(kept()):
            break
        time.sleep(0.05)
    return kept()


def finish():
    print("1..%d" % count)


def at(plot, view, tick, y):
    """The screen point of a tick in a plot of the state."""
    x, top, width, height = plot
    return int(x + (tick - view["t0"]) / (view["t1"] - view["t0"]) * width), int(top + y)
