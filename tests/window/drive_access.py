#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_access.py TENURE SAMPLE READ_TREE: the accessibility tree as a screen reader gets it over AT-SPI:
names of all that can be pressed, roles, the selection that is spoken, tables with their titles and rows."""
import os, shutil, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
launcher = "/usr/libexec/at-spi-bus-launcher"
for tool in ("dbus-run-session", "xvfb-run", launcher):
    if not shutil.which(tool):
        print("1..0 # SKIP %s is not installed" % tool)
        sys.exit(0)
if "TENURE_INSIDE" not in os.environ:
    import tempfile
    env = dict(os.environ, TENURE_INSIDE="1", GSK_RENDERER="cairo", GDK_BACKEND="x11", GSETTINGS_BACKEND="memory",
               TENURE_WINDOW_SIZE="1280x800", TENURE_COLOR_SCHEME="light", XDG_DATA_HOME=tempfile.mkdtemp(),
               XDG_CONFIG_HOME=tempfile.mkdtemp(), XDG_CACHE_HOME=tempfile.mkdtemp())
    for name in ("GTK_A11Y", "NO_AT_BRIDGE"):
        env.pop(name, None)
    sys.exit(subprocess.call(["dbus-run-session", "--", "xvfb-run", "-a", "-s", "-screen 0 1280x800x24",
                              sys.executable] + sys.argv, env=env, stderr=subprocess.DEVNULL))
from layouts import *

read_tree = sys.argv[3]
graph = os.path.join(os.path.dirname(sample), "branches-graph.json")
other = os.path.join(os.path.dirname(sample), "tree-graph.json")
FOCUSABLE = 11  # AT-SPI's number of the state
PRESSED = {"button", "push button", "toggle button", "check box", "combo box", "entry", "text", "slider", "spin button",
           "tab", "page tab", "switch", "radio button"}


def read():
    """All objects that are shown, each with the roles above it."""
    done = subprocess.run([read_tree], stdout=subprocess.PIPE, text=True)
    if done.returncode == 77:
        print("1..0 # SKIP no accessibility bus")
        sys.exit(0)
    found = []

    def walk(at, above):
        found.append(dict(at, above=above))
        for child in at["children"]:
            walk(child, above + [at["role"]])

    walk(json.loads(done.stdout), [])
    return found


def texts(at):
    return [at["name"]] * (at["role"] == "label") + [text for child in at["children"] for text in texts(child)]


def is_spoken_twice(name):
    """"_Open Open": GTK 4.8 says a label with its mnemonic's underline, and again without."""
    return any(name[:k].replace("_", "") == name[k + 1:] and "_" in name[:k] for k in range(1, len(name)))


def is_close_button(at):
    return at["name"] == "GtkImage" and at["description"] == "Close Tab"  # libadwaita's own, in a tab


def nameless(found):
    """What can be pressed and has no name that could be spoken."""
    return [(at["role"], at["name"], at["rect"]) for at in found
            if at["role"] in PRESSED and FOCUSABLE in at["states"] and not is_close_button(at)
            and (not at["name"] or at["name"].startswith(("Gtk", "Adw", "Tn")) or is_spoken_twice(at["name"]))]


def unexplained(found, words):
    """Icons that can be pressed and say nothing when they are pointed at."""
    return [(at["name"], at["rect"]) for at in found
            if at["role"] == "button" and FOCUSABLE in at["states"] and not texts(at) and not at["description"]
            and at["name"] not in words and at["name"].split(": ")[-1] not in words]


def named(found, name, role=None):
    return [at for at in found if at["name"] == name and (role is None or at["role"] == role)]


def look(what):
    found = read()
    pressed = [at for at in found if at["role"] in PRESSED and FOCUSABLE in at["states"]]
    check(len(pressed) > 3 and not nameless(found), "%s: all that can be pressed has a name" % what,
          nameless(found) or len(pressed))
    words = {w["text"] for w in widgets(window) if "text" in w}
    check(not unexplained(found, words), "%s: icons say what they do" % what, unexplained(found, words))
    return found


def show(key, seconds=1.0):
    point_aside()
    xdo("key", key)
    time.sleep(seconds)


window = start()
time.sleep(1.5)
found = look("the start page")
check(named(found, "Open…", "button") and named(found, "Open the Sample", "button"), "its buttons are named as they read",
      [at["name"] for at in found if at["role"] == "button"])
window.kill()
window.wait()

window, s = open_sample()
time.sleep(0.5)
found = look("maps")
maps = named(found, "Memory over time: live curve, offset map and lifetime bars", "image")
check(maps and maps[0]["description"] == "Nothing is selected", "the maps are a picture with a name and nothing selected", maps)
table = named(found, "Buffers", "tree grid")
heads = [at["name"] for at in found if at["role"] == "column header"]
check(table and heads[:5] == ["Buffer", "Size", "Start", "End", "Life"] and heads[-2:] == ["Offset", "Kind"], "the table has a name and titles", heads)
lines = [at for at in found if at["role"] == "row" and "list" in at["above"]]
check(lines and lines[0]["name"] == "model.py:108 TinyLM.forward" and
      [at["name"] for at in lines[0]["children"]] ==
      ["Buffer model.py:108 TinyLM.forward, Size 192.0 MiB, Start 435, End 2,089, Life 1,654, By Clock 41.14 ms, "
       "Offset 0x7f5ebc200000, Kind allocation"],
      "its rows are called as their buffers, cells are read after their titles", lines[0] if lines else found)
select("model.py:108 TinyLM.forward")
s = wait_for(lambda s: s.get("selected", -1) >= 0, 5)
time.sleep(0.5)
found = read()
said = [at["description"] for at in found if at["name"].startswith("Memory over time")]
check(said and said[0] == s.get("description") and ", 192.0 MiB, events " in said[0] and ", at 0x" in said[0],
      "the selection is spoken with size, life and address", (said, s.get("description")))
xdo("key", "ctrl+f")
time.sleep(0.6)
look("search")
xdo("key", "Escape")
for key, name, keys in (("2", "Treemap of the buffers alive at a moment", ("Right", "Down")),
                        ("3", "Flame graph of call stacks by bytes", ("Right", "Down", "Down"))):
    show(key)
    for step in keys:
        xdo("key", step)
        time.sleep(0.2)
    found = look(name.split()[0].lower())
    box = named(found, name, "image")
    check(box and " MiB · " in box[0]["description"] or box and " GiB · " in box[0]["description"],
          "the box that arrows lead to is spoken", box)
show("4", 2.0)
found = look("OOM")
for key, what in (("F9", "without the side pane"), ("F9", "with it"), ("ctrl+p", "the planner")):
    xdo("key", key)
    time.sleep(0.8)
    look(what)
xdo("key", "Escape")
time.sleep(0.4)
for key, what in (("ctrl+comma", "preferences"), ("ctrl+s", "report")):
    xdo("key", key)
    time.sleep(2.0)
    look(what)
    xdo("key", "Escape")
    time.sleep(0.5)
window.kill()
window.wait()

window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24, 30)
for key, what in (("5", "orders"), ("6", "budget"), ("1", "maps of a graph"), ("ctrl+e", "edits")):
    show(key, 3.0)
    look(what)
window.kill()
window.wait()

window = start("--diff", graph, other)
wait_for(lambda s: s.get("diff"), 30)
time.sleep(1)
found = look("comparison")
canvas = named(found, "Two files compared", "image")
check(canvas and canvas[0]["description"] == "Nothing is selected", "a comparison is a picture with a name", canvas)
window.kill()
window.wait()
finish()
