#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""holds.py TENURE_CLI SOURCE_ROOT: killed at any moment, without a network, without a home: what was
there stays as it was, and nothing leaves the machine.  TAP.
"""
import random
import re
import shutil
import signal
import socket
import time

from tap import *


def read(name):
    with open(name, "rb") as opened:
        return opened.read()


def kill_after(seconds, arguments):
    """Whether the program had ended by itself."""
    running = subprocess.Popen([cli, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        running.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGKILL)
        running.wait()
        return False


def kill_often(arguments, target, times):
    """The old file or the new one, whole, whenever the program was killed."""
    begun = time.monotonic()
    assert run(*arguments, "-o", target).returncode == 0
    takes = time.monotonic() - begun
    new, old, killed = read(target), b"the old file", 0
    chance = random.Random(1)
    for _ in range(times):
        with open(target, "wb") as out:
            out.write(old)
        ended = kill_after(chance.uniform(0, takes), [*arguments, "-o", target])
        killed += not ended
        assert read(target) in (old, new), f"{len(read(target))} bytes, neither the old nor the new file"
        assert not ended or read(target) == new
    return killed


@test("200 kills in the middle of an export leave the old file or the new one")
def _():
    killed = kill_often(("draw", snapshot, "--size", "800x500"), path("killed.png"), 80)
    killed += kill_often(("draw", snapshot, "--view", "report"), path("killed.svg"), 40)
    killed += kill_often(("convert", snapshot), path("killed.json"), 80)
    assert killed >= 60, f"only {killed} of 200 came in time"


def untimed(text):
    return re.sub(rb'_seconds":\s*[0-9.e-]+', b"", text)


@test("without a network it does the same")
def _():
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode != 0:
        raise Skip("no network-less namespace can be made here")
    for command in (("info", snapshot, "--json"), ("check", buffers, "--json"), ("plan", buffers, "--json", "--strategy", "greedy-size")):
        alone = subprocess.run(["unshare", "-rn", cli, *command], capture_output=True, timeout=100)
        beside = run(*command)
        assert alone.returncode == beside.returncode
        assert untimed(alone.stdout) == untimed(beside.stdout)


@test("it asks the system for no network, and for no GTK")
def _():
    for tool in ("ldd", "nm"):
        if not shutil.which(tool):
            raise Skip(f"no {tool}")
    names = subprocess.run(["nm", "-D", cli], capture_output=True, text=True).stdout
    asked = re.findall(r" U (socket|connect|bind|listen|getaddrinfo|gethostbyname|sendto|g_socket\w*|g_resolver\w*)\b", names)
    assert not asked, asked
    linked = subprocess.run(["ldd", cli], capture_output=True, text=True).stdout
    assert not re.search(r"libgtk|libgdk|libadwaita|libgsk|libcurl|libsoup|libssl", linked), linked


@test("it starts in under 20 ms")
def _():
    if b"libasan" in subprocess.run(["ldd", cli], capture_output=True).stdout:
        raise Skip("sanitizers take longer to start")
    best = 1.0
    for _ in range(20):
        begun = time.monotonic()
        run("--version")
        best = min(best, time.monotonic() - begun)
    assert best < 0.020, f"{best * 1000:.1f} ms"


@test("without a home, a locale or a temporary folder of its own")
def _():
    bare = subprocess.run([cli, "info", snapshot, "--json"], env={"HOME": "/nonexistent", "LC_ALL": "xx_XX.UTF-8",
                          "XDG_CACHE_HOME": "/nonexistent"}, capture_output=True, timeout=100)
    assert bare.returncode == 0 and json.loads(bare.stdout) == ask("info", snapshot)


@test("pictures draw without any font's configuration")
def _():
    out = path("no-fonts.png")
    empty = path("fonts.conf", '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>')
    done = subprocess.run([cli, "draw", buffers, "-o", out], env=dict(os.environ, FONTCONFIG_FILE=empty, HOME="/nonexistent"),
                          capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr[-300:]
    assert read(out)[:4] == b"\x89PNG"


@test("a report holds nothing of the machine it was made on")
def _():
    for form in ("svg", "html"):
        out = path("private." + form)
        assert run("draw", snapshot, "--view", "report", "-o", out).returncode == 0
        text = read(out).decode("utf-8")
        for secret in (socket.gethostname(), os.path.dirname(snapshot), work.name, os.path.expanduser("~") + "/"):
            assert len(secret) < 4 or secret not in text, f"{form}: {secret}"
        assert not re.search(r'(src|href)="(?!data:|#)', text), "something is fetched from elsewhere"


if __name__ == "__main__":
    sys.exit(run_tests())
