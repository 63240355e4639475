#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_faults.py TENURE SAMPLE: a machine with little on it, and one that goes away: no settings'
schema, no session bus, no icons, no fonts, homes that are files; very small and very large windows; a
display that is lost.  What was noted is kept.
"""
from driving import *

import glob


def start_with(more, *files, program=tenure):
    if os.path.exists(state_file):
        os.remove(state_file)
    env = dict(os.environ, TENURE_STATE_FILE=state_file, **more)
    return subprocess.Popen([program] + list(files), env=env, stderr=subprocess.PIPE)


def stop(window):
    window.kill()
    return window.communicate()[1].decode("utf-8", "replace")


def is_drawn(s):
    return s.get("axis_end") == 4587


def check_opens(what, more, program=tenure):
    window = start_with(more, sample, program=program)
    s = wait_for(is_drawn, 40)
    is_good = is_drawn(s) and window.poll() is None
    words = stop(window)
    check(is_good, "the sample opens " + what, (window.returncode, words[-500:]))


# A copy in a folder of its own has no schema, no samples and no help beside it.
alone = os.path.join(work, "alone")
os.makedirs(alone)
shutil.copy(tenure, alone)
empty = os.path.join(work, "empty")
os.makedirs(empty)
file = os.path.join(work, "file")
with open(file, "w") as out:
    out.write("not a folder")
fonts = os.path.join(work, "fonts.conf")
with open(fonts, "w") as out:
    out.write('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>')
check_opens("without a settings' schema", {"GSETTINGS_SCHEMA_DIR": empty}, os.path.join(alone, "tenure"))
check_opens("without a session bus", {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"})
check_opens("without icons, schemas and MIME types", {"XDG_DATA_DIRS": empty})
check_opens("without a font's configuration", {"FONTCONFIG_FILE": fonts})
check_opens("where homes are files", dict({"XDG_%s_HOME" % name: file for name in ("CONFIG", "CACHE", "DATA", "STATE")},
                                          HOME=file, XDG_RUNTIME_DIR=file, TMPDIR=file))
check_opens("in 200 x 150", {"TENURE_WINDOW_SIZE": "200x150"})


class Display:
    """An X server of our own, which can be taken away."""

    def __init__(self, size):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", size + "x24", "-nolisten", "tcp"],
                                       pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            self.name = ":" + pipe.readline().strip()
        self.env = {"DISPLAY": self.name, "XAUTHORITY": "/dev/null"}

    def kill(self):
        self.server.kill()
        self.server.wait()


display = Display("10000x8000")
check_opens("in 10,000 x 8,000", dict(display.env, TENURE_WINDOW_SIZE="10000x8000"))
display.kill()

# A display that goes away takes no bookmark with it.
display = Display("1280x800")
notes_home = os.path.join(work, "notes-home")
window = start_with(dict(display.env, XDG_DATA_HOME=notes_home), sample)
wait_for(is_drawn, 40)
os.environ.update(display.env)
time.sleep(1)
xdo("key", "p")
wait_for(lambda s: s.get("cursor") == 4272)
xdo("key", "m")
wait_for(lambda s: s.get("bookmarks") == 1)
time.sleep(1)  # it is written 0.3 s after the last change
display.kill()
try:
    code = window.wait(20)
except subprocess.TimeoutExpired:
    code = "hangs"
    window.kill()
words = window.communicate()[1].decode("utf-8", "replace")
check(code == 1, "without its display it ends, and not by a signal", (code, words[-300:]))
kept = glob.glob(os.path.join(notes_home, "tenure", "notes", "*.json"))
check(len(kept) == 1 and len(json.load(open(kept[0]))["bookmarks"]) == 1, "the bookmark is kept", kept)
finish()
