#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts share that also speak to the window as another program does: `from driving_bus import *` starts the
script again with a bus of its own (or skips it), then all of driving.
"""
import os, shutil, subprocess, sys

for tool in ("dbus-run-session", "gdbus"):
    if not shutil.which(tool):
        print("1..0 # SKIP %s is not installed" % tool)
        sys.exit(0)
if "TENURE_BUS" not in os.environ:
    sys.exit(subprocess.call(["dbus-run-session", "--", sys.executable] + sys.argv,
                             env=dict(os.environ, TENURE_BUS="1")))
from driving import *
import re

PLACE = "/io/github/tenure/Tenure"


def gdbus(name, place, method, *arguments):
    done = subprocess.run(["gdbus", "call", "--session", "--dest", name, "--object-path", place, "--method", method]
                          + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout if done.returncode == 0 else None


def find_name(pid):
    """The program's own name on the bus: each start is a program of its own."""
    bus = "org.freedesktop.DBus"
    names = re.findall("':[0-9.]+'", gdbus(bus, "/org/freedesktop/DBus", bus + ".ListNames") or "")
    ids = [(n, gdbus(bus, "/org/freedesktop/DBus", bus + ".GetConnectionUnixProcessID", n)) for n in names]
    return [n.strip("'") for n, i in ids if i and "uint32 %d," % pid in i][-1]


def call(program, place, method, *arguments):
    """What another program can ask for, whatever dialog is open."""
    return gdbus(find_name(program.pid), place, method, *arguments) is not None


def activate(program, window, action):
    return call(program, "%s/window/%d" % (PLACE, window), "org.gtk.Actions.Activate", action, "[]", "{}")


def open_file(program, path):
    return call(program, PLACE, "org.freedesktop.Application.Open", "['file://%s']" % path, "{}")


def chooser(title):
    """Waits for the dialog, which then has the keys."""
    found = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "^%s$" % title],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
    time.sleep(1.0)
    xdo("windowfocus", found[-1])
    time.sleep(0.3)


def titles():
    """Of the windows on screen."""
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--class", "tenure"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
    names = [subprocess.run(["xdotool", "getwindowname", w], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True).stdout.strip() for w in found]
    return [(w, name) for w, name in zip(found, names) if name]


def names():
    """Of the windows with a tab: what is dragged has a window as well."""
    return sorted(name for _, name in titles() if name != "Tenure")


def wait_titles(condition, seconds=20):
    end = time.time() + seconds
    while time.time() < end and not condition(names()):
        time.sleep(0.1)
    return names()
