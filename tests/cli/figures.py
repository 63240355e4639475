#!/usr/bin/env python3
"""figures.py TENURE_CLI SOURCE_ROOT [SHARED]: figures and warnings say the same wherever they stand.  TAP."""
import json
import sys

from tap import ask, path, run, run_tests, snapshot, test

DEVICES = ('{"segments": [], "device_traces": [%s, [], %s]}' % tuple(
    '[{"action": "alloc", "addr": 512, "size": %d}]' % size for size in (100, 5000))).encode()


@test("info --device shows an empty device, too, and no other in its place")
def _():
    info = ask("info", "-", "--device", "1", stdin=DEVICES)
    assert (info["device"], info["live_peak_bytes"]) == (1, 0)
    assert [device["device"] for device in info["devices"]] == [0, 1, 2]
    assert run("info", "-", "--device", "3", stdin=DEVICES).returncode == 2


@test("replay says that what was there before the recording is too much, and not that 0 B were asked for")
def _():
    done = run("replay", snapshot, "--device-memory", "1MiB")
    assert b"from before the recording are more than the device has" in done.stdout, done.stdout
    assert b" 0 B requested" not in done.stdout
    first = ask("replay", snapshot, "--device-memory", "1MiB", status=1)["ooms"][0]
    assert first["requested_bytes"] is None and first["needed_bytes"] is None
    assert run("replay", snapshot, "--device-memory", "0").returncode == 2


sys.exit(run_tests())
