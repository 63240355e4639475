#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_asked.py TENURE SAMPLE: what a file chooser answers is about what it was asked for, also where that is no longer
in front, or closed; what could be read of a pasted text opens; a file's name of other bytes than UTF-8; notes that
can't be read are not written over."""
from driving_bus import *
import glob

a, b = (os.path.join(work, name) for name in ("a.pickle", "b.pickle"))
shutil.copy(sample, a)
with open(sample, "rb") as f, open(b, "wb") as g:
    g.write(f.read() + b"\0")  # another file, of the same figures


def is_drawn(s):
    return s.get("axis_end") == 4587


def notes_of():
    return glob.glob(os.path.join(os.environ["XDG_DATA_HOME"], "tenure", "notes", "*.json"))


# ---- another tab comes to the front ----------------------------------------------------------------
os.environ["G_DEBUG"] = "fatal-criticals"  # what is done with a window that is gone
window = start(a)
wait_for(is_drawn, 40)
point_aside()
xdo("key", "p")
wait_for(lambda s: s.get("cursor") == 4272)
xdo("key", "m")
wait_for(lambda s: s.get("bookmarks") == 1)
check(activate(window, 1, "export-notes"), "the window hears of its action")
chooser("Export Notes")
check(open_file(window, b), "another file opens meanwhile")
s = wait_for(lambda s: s.get("bookmarks") == 0, 20)
check(s.get("bookmarks") == 0, "and is in front", s)
out = os.path.join(work, "out.notes.json")
chooser("Export Notes")
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", out)
xdo("key", "Return")
written, end = {}, time.time() + 10
while time.time() < end and not written:
    time.sleep(0.2)
    try:
        with open(out) as f:
            written = json.load(f)
    except (OSError, ValueError):
        pass
check(written.get("file") == a and len(written.get("bookmarks", [])) == 1, "the notes that were asked for are exported", written)

# ---- a pasted text that is cut ---------------------------------------------------------------------
event = '{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":%d,"args":{"Device Type":0,"Device Id":-1,"Bytes":%d}}'
text = '{"traceEvents":[%s,%s,%s' % (event % (1, 64), event % (2, 64), event[:20])
search(text)
time.sleep(0.5)
for key in ("ctrl+a", "ctrl+c", "Escape", "ctrl+v"):
    xdo("key", key)
    time.sleep(0.4)
time.sleep(1.0)
xdo("key", "alt+o")
s = wait_for(lambda s: s.get("axis_end", 4587) < 10, 10)
check(s.get("axis_end", 4587) < 10, "what could be read of a pasted text opens", s)

# ---- a window is closed --------------------------------------------------------------------------
check(call(window, PLACE, "org.gtk.Actions.Activate", "new-window", "[]", "{}"), "a second window")
time.sleep(1.5)
activate(window, 2, "open")
chooser("Open")
activate(window, 2, "close")
time.sleep(1.0)
if window.poll() is None:
    xdo("key", "ctrl+a")
    xdo("type", "--delay", "20", b)
    xdo("key", "Return")
    time.sleep(2.0)
check(window.poll() is None, "a chooser of a window that was closed answers nobody", window.poll())
window.kill()
window.wait()

# ---- a name with what ends a cell -----------------------------------------------------------------
if shutil.which("xclip"):
    tabs = os.path.join(work, "tabs.csv")
    with open(tabs, "w") as f:
        f.write("id,lower,upper,size\nover\there,0,2,10\n")
    window = start(tabs)
    s = wait_for(lambda s: s.get("axis_end") == 2 and s["lanes"][2] > 100, 20)
    time.sleep(0.5)
    click(*at(s["lanes"], s, 1, 7))
    wait_for(lambda s: s.get("selected") == 0, 5)
    activate(window, 1, "copy-row")
    time.sleep(0.3)
    row = subprocess.run(["xclip", "-selection", "clipboard", "-o"], stdout=subprocess.PIPE, text=True, timeout=10).stdout
    check(row.startswith("over here\t") and row.count("\n") == 1, "a name with a tab is one cell of a copied row", [row])
    window.kill()
    window.wait()

# ---- a name of other bytes -------------------------------------------------------------------------
odd = os.path.join(work.encode(), b"caf\xe9.pickle")
shutil.copy(sample, odd)
os.remove(notes_of()[0])
window = start(odd)
wait_for(is_drawn, 40)
point_aside()
for key, n in (("m", 1), ("ctrl+z", 0), ("ctrl+shift+z", 1)):
    xdo("key", key)
    s = wait_for(lambda s: s.get("bookmarks") == n, 5)
    check(window.poll() is None and s.get("bookmarks") == n, "%s on a file whose name is not UTF-8" % key, s)
xdo("key", "ctrl+n")
time.sleep(1.5)
check(window.poll() is None, "and in the list of recent files")
call(window, PLACE, "org.gtk.Actions.Activate", "quit", "[]", "{}")
check(window.wait(10) == 0, "and it ends well", window.poll())

# ---- notes that can't be read ----------------------------------------------------------------------
place = notes_of()[0]
for what, kept in (("damaged", '{"format": "tenure-notes", "notes": "half'),
                   ("of a later version", '{"format": "tenure-notes", "version": 2, "notes": "a", "tags": []}')):
    with open(place, "w") as f:
        f.write(kept)
    window = start(odd)
    wait_for(is_drawn, 40)
    time.sleep(1.0)
    point_aside()
    xdo("key", "m")
    s = wait_for(lambda s: s.get("bookmarks") == 1, 5)
    check(s.get("bookmarks") == 1, "notes %s: bookmarks can still be put" % what, s)
    time.sleep(1.0)
    xdo("key", "ctrl+z")
    time.sleep(1.0)
    xdo("key", "m")
    xdo("key", "ctrl+q")
    window.wait(10)
    with open(place) as f:
        now = f.read()
    check(now == kept, "but what is there stays", now)
finish()
