#!/usr/bin/env python3
"""figures.py TENURE_CLI SOURCE_ROOT [SHARED]: figures and warnings say the same wherever they stand.  TAP."""
import json
import sys

from tap import ask, buffers, path, run, run_tests, snapshot, test

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


def reserving(size):
    """A log that reserves `size` for 1 MiB."""
    event = '{"action": "%s", "addr": 4096, "size": %d, "stream": 0}'
    events = ", ".join((event % ("segment_alloc", size), event % ("alloc", 1 << 20)))
    blocks = '[{"size": %d, "requested_size": %d, "state": "active_allocated"}]' % (1 << 20, 1 << 20)
    return path("reserving-%d.json" % size, '{"segments": [{"address": 4096, "total_size": %d, "device": 0, '
                '"stream": 0, "blocks": %s}], "device_traces": [[%s]]}' % (size, blocks, events))


def graph(constant, name="residents", unsized=0):
    """A graph of one op with a constant of so many bytes, and inputs of unknown size."""
    tensors = [{"id": 0, "bytes": 64, "kind": "input"}, {"id": 1, "bytes": 64},
               {"id": 2, "bytes": constant, "kind": "constant"}]
    tensors += [{"id": 3 + i, "name": f"{name}{i}", "kind": "input"} for i in range(unsized)]
    ops = [{"id": 0, "type": "Add", "inputs": [t["id"] for t in tensors if t["id"] != 1], "outputs": [1]}]
    return path(f"{name}-{constant}-{unsized}.json", json.dumps(
        {"format": "tenure-graph", "version": 1, "tensors": tensors, "ops": ops, "outputs": [1]}))


@test("files that reserve differently, or whose residents differ, are not the same")
def _():
    for a, b, key, delta in ((reserving(6 << 20), reserving(8 << 20), "reserved_peak_delta_bytes", 2 << 20),
                             (graph(5000), graph(5000000), "resident_delta_bytes", 4995000)):
        diff = ask("diff", a, b, status=1)
        assert (diff["same"], diff[key], diff["live_peak_delta_bytes"]) == (False, delta, 0)
        assert ask("diff", a, a)["same"] is True
        assert ask("diff", a, b, "--tolerance", "1KiB", status=1)["same"] is False
        assert ask("diff", a, b, "--tolerance", str(delta))["same"] is True
        check = ask("check", b, "--baseline", a, status=1)
        assert [f["bytes"] for f in check["findings"] if f["code"] == "worse-than-baseline"] == [delta]
        assert run("check", a, "--baseline", b).returncode == 0


@test("a table, which has no residents, is not told apart from a graph by them")
def _():
    table = path("table.csv", "id,lower,upper,size\n0,0,3,64\n1,0,3,64\n")
    assert "resident_delta_bytes" not in ask("diff", table, graph(5000), status=1)
    assert not [f for f in ask("check", graph(5000), "--baseline", table)["findings"]
                if "residents" in f["message"]]


@test("a baseline that is above the budget as well is no reason to fail")
def _():
    assert run("check", buffers, "--budget", "1KiB").returncode == 1
    assert run("check", buffers, "--budget", "1KiB", "--baseline", buffers).returncode == 0
    assert run("check", buffers, "--tolerance", "1KiB").returncode == 2


sys.exit(run_tests())
