#!/usr/bin/env python3
"""figures.py TENURE_CLI SOURCE_ROOT [SHARED]: figures and warnings say the same wherever they stand.  TAP."""
import json
import os
import re
import subprocess
import sys

from tap import ask, buffers, cli, drawn, path, plan_file, run, run_tests, snapshot, test

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


def warned(*arguments):
    return run(*arguments).stderr.decode()


@test("what compares two files, or draws several, says the warnings of all of them")
def _():
    a, b = graph(64, "few", 2), graph(64, "many", 3)
    rows = ask("diff", a, b, status=1)["warnings"]
    counts = {(row["side"], row["code"]): row["count"] for row in rows}
    assert (counts["a", "dynamic-size"], counts["b", "dynamic-size"]) == (2, 3), rows
    text = warned("diff", a, b)
    assert "warning: A: 2 tensors are of unknown size" in text and "warning: B: 3 tensors" in text, text
    # One file under two settings warns once.
    assert [row["count"] for row in ask("diff", a, a, "--b-strategy", "exact")["warnings"]
            if row["code"] == "dynamic-size"] == [2]
    assert "B: 3 tensors" in warned("draw", a, "--diff", b, "-o", path("diff.html"))
    many = ask("draw", a, b, "-o", path("many.svg"))["warnings"]
    assert [(row["file"], row["count"]) for row in many if row["code"] == "dynamic-size"] == [(a, 2), (b, 3)]
    with open(snapshot, "rb") as file:
        part = path("part.pickle")
        with open(part, "wb") as out:
            out.write(file.read(200000))
    assert "truncated" in [row["code"] for row in ask("diff", part, buffers, "--partial", status=1)["warnings"]]


@test("buckets say their warnings, and which of them serves by numbers alone")
def _():
    model = graph(64, "open", 2)
    rows = ask("plan", model, "--bucket", "N=4")["warnings"]
    assert ("dynamic-size", "N=4") in [(row["code"], row["bucket"]) for row in rows], rows
    for dims, bucket, status in (("N=4", "N=4", 0), (" N = 4 ", "M=2, N=4", 0), ("N=5", "N=4", 1), ("M=1", "N=4", 1)):
        assert run("plan", model, "--bucket", bucket, "--serve", dims).returncode == status, dims
    for dims, bound, status in (("N=4,M=8", "M=8", 0), ("N=4,M=9", "M=8", 1), ("N=4", "N=2", 0), ("N=5", "N=9", 1)):
        done = run("plan", model, "--bind", bound, "--bucket", "N=4", "--serve", dims)
        assert done.returncode == status, (dims, bound, done.stdout)
    for wrong in ("", "=", "=1", "=-5", "N", "N=abc", "N=1x", "N=1e9", "N=-5", "N=0", "N=4,"):
        assert run("plan", model, "--bucket", "N=4", "--serve", wrong).returncode == 2, wrong
    assert run("plan", model, "--serve", "N=4").returncode == 2
    shared_place = path("shared.csv", "id,lower,upper,size,offset\na,0,2,64,0\nb,2,4,64,0\n")
    assert ask("bisect", shared_place, "--state", path("warned.json"))["warnings"] == []


@test("plan shows the bound that its proof is held against")
def _():
    table = path("aligned.csv", "id,lower,upper,size,alignment\na,0,2,10,64\nb,1,3,70,64\n")
    text = run("plan", table).stdout.decode()
    assert "Lower bound                  80 B  largest sum alive at once\n" in text, text
    assert "Proved bound                134 B  no plan is smaller\n" in text, text
    spaces = path("two.csv", "id,lower,upper,size,space\na,0,2,10,x\nb,2,3,70,y\n")
    text = run("plan", spaces).stdout.decode()
    assert "80 B  sum of the largest alive at once in each of 2 spaces\n" in text and "Proved" not in text, text


@test("a no is an object, too")
def _():
    fixed = [{"id": i, "name": "ab"[i], "start": 0, "end": 3, "bytes": 64, "offset": 32 * i, "flags": ["fixed"]}
             for i in range(2)]
    clash = path("clash.json", json.dumps({"format": "tenure-plan", "version": 1, "axis": {"unit": "step", "start": 0, "end": 3},
                                     "buffers": fixed}))
    none = ask("plan", clash, "--capacity", "1KiB", status=1)
    assert (none["arena_bytes"], none["optimal"], none["fits"]) == (None, False, False) and none["reason"], none
    bare = path("bare.csv", "id,lower,upper,size\na,0,2,64\nb,1,3,64\n")
    assert ask("plan", bare, "--against", "recorded", status=1)["reason"]
    apart = path("apart.csv", "id,lower,upper,size,offset\na,0,2,64,0\nb,1,3,64,64\n")
    assert ask("bisect", apart, "--state", path("state.json"), status=1)["suspects"] == 0
    unknown = run("bisect", bare, "--state", path("state.json"))  # nothing is known of places: no "no"
    assert unknown.returncode == 3 and b"2 of 2 buffers have no offset" in unknown.stderr and not unknown.stdout, unknown
    spill = ask("spill", graph(64), "--budget", "1", status=1)
    assert spill["feasible"] is False
    for key in ("peak", "spilled", "recomputed"):
        assert spill[key + "_bytes"] is None, key
    assert spill["overhead_seconds"] is None and spill["overhead_ratio"] is None


@test("a budget's answer says that sizes are unknown, whether there is a plan or none")
def _():
    model = graph(64, "open", 2)
    for budget, status in (("1MiB", 0), ("1", 1)):
        assert ask("spill", model, "--budget", budget, status=status)["unsized_tensors"] == 2
        text = run("spill", model, "--budget", budget).stdout.decode()
        assert re.search(r"^Unknown sizes +2  tensors count as 0 bytes", text, re.M), text
    assert ask("spill", graph(64), "--budget", "1MiB")["unsized_tensors"] == 0
    picture = drawn(model, "--view", "budget", "--budget", "1MiB")
    assert "2 tensors are of unknown size and count as 0 bytes" in picture


@test("an option out of its range is refused")
def _():
    model = graph(64)
    for wrong in (["schedule", model, "--time-limit", "-1"], ["schedule", model, "--time-limit", "nan"],
                  ["schedule", model, "--memory-weight", "7"], ["schedule", model, "--memory-weight", "nan"],
                  ["spill", model, "--budget", "1GiB", "--time-limit", "-1"],
                  ["spill", model, "--budget", "1GiB", "--tflops", "inf"],
                  ["spill", model, "--budget", "1GiB", "--cost-model", model, "--link", "pcie3-x8"],
                  ["diff", model, model, "--time-limit", "-3"], ["diff", model, model, "--top", "-7"],
                  ["info", model, "--json", "--jobs", "-3"], ["check", model, "--json", "--jobs", "-3"],
                  ["plan", model, "--compact-at", "99999999"], ["plan", model, "--compact-at", "-1"]):
        done = run(*wrong)
        assert done.returncode == 2 and done.stderr, f"{wrong}: {done.returncode}"


@test("help that could not be written is an error; nothing matched is said without brackets")
def _():
    for wanted in (["plan", "--help"], ["--help"], ["info", buffers]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([cli, *wanted], stdout=full, stderr=subprocess.PIPE, timeout=60)
        assert done.returncode == 3 and done.stderr.count(b"can't be written") == 1, (wanted, done)
    assert run("plan", "--help").returncode == 0
    assert b"\n0 matched, 2 only in A, 52 only in B\n" in run("diff", graph(64), buffers).stdout


@test("a report says that its file was cut off and what the reading left out, and not where the file lies")
def _():
    with open(snapshot, "rb") as file:
        part = file.read(200000)
    cut = path("cut.pickle")
    with open(cut, "wb") as out:
        out.write(part)
    for files in ([cut], [snapshot, "--diff", cut]):
        for ending in ("html", "svg"):
            text = drawn(*files, "--partial", ending=ending)
            assert "the file is cut off: its end is missing here" in text, (files, ending)
            assert os.path.dirname(cut) not in text, (files, ending)
            assert ending == "svg" or "what stands before it was read, the rest is missing" in text, files
    assert "cut off" not in drawn(snapshot, ending="html")


@test("batches, of which one runs at a time, are not added up")
def _():
    file = plan_file("batches.json", [{"name": label, "start": 0, "end": 4, "bytes": 10, "batch_label": label}
                                      for label in "xy"], 10)
    made = path("batches-made.json")
    plan = ask("plan", file, "-o", made)
    assert ask("info", file)["live_peak_bytes"] == plan["lower_bound_bytes"] == plan["arena_bytes"] == 10
    assert run("check", file, "--budget", "12B").returncode == 0
    assert run("check", file, "--budget", "9B").returncode == 1
    assert all(moment["used_bytes"] == moment["extent_bytes"] for moment in plan["pool"]["moments"])
    assert b"-10" not in run("diff", made, made, "--json").stdout
    assert "The buffer alive at the peak" in drawn(made, ending="html")


@test("every view of the live peak shows the one batch that makes it")
def _():
    file = plan_file("views.json", [
        {"name": label, "start": 0, "end": 4, "bytes": size, "offset": 0, "batch_label": label}
        for label, size in (("x", 10), ("y", 8))], 10)
    rows = ask("info", file, "--group-by", "batch")["devices"][0]["alive_at_peak"]["rows"]
    assert rows == [{"name": "x", "buffers": 1, "bytes": 10}], rows
    for view in ("live-set", "flame"):
        picture = drawn(file, "--view", view)
        assert "(the peak): 10 B" in picture and "18 B" not in picture, view


@test("plan --against takes one batch at a time, however many there are, in each memory its own")
def _():
    for n in (3, 300):
        file = plan_file("many.json", [{"start": 0, "end": 4, "bytes": 10, "offset": 0, "batch_label": f"b{i}"}
                                       for i in range(n)], 10)
        left = ask("plan", file, "--against", "recorded")
        assert left["alive_bytes"] == left["arena_bytes"] == 10 and left["sums"]["overlap_bytes"] == 0, left
        assert {cause["bytes"] for cause in left["causes"] if cause["cause"] != "needed"} == {0}, left["causes"]
    file = plan_file("memories.json", [
        {"start": 0, "end": 4, "bytes": size, "offset": 0, "space": i // 2, "batch_label": "xy"[i % 2]}
        for i, size in enumerate((10, 4, 2, 8))], 10, spaces=[{"name": "HBM"}, {"name": "L1"}])
    left = ask("plan", file, "--against", "recorded")
    assert left["alive_bytes"] == left["arena_bytes"] == 18 and left["sums"]["idle_bytes"] == 0, left


@test("an order and what is moved out say that batches are added up, and prove nothing then")
def _():
    ops = [("x", 0, 1), ("y", 0, 3), ("x", 1, 2), ("y", 3, 4)]
    for several in (True, False):
        graph = path("ops.json", json.dumps({
            "format": "tenure-graph", "version": 1, "outputs": [2, 4], "order": [0, 1, 2, 3],
            "tensors": [{"id": i, "name": f"t{i}", "bytes": 4000 if i in (1, 3) else 40} for i in range(5)],
            "ops": [{"id": i, "type": "X", "inputs": [source], "outputs": [made],
                     "batch_label": label if several else "x"} for i, (label, source, made) in enumerate(ops)]}))
        order = ask("schedule", graph, "--budget", "100B", status=1)
        spill = ask("spill", graph, "--budget", "4100B")
        least = ask("spill", graph, "--budget", "100B", status=1)
        assert order["batches_added_up"] == spill["batches_added_up"] == several
        assert order["optimal"] == spill["optimal"] == least["infeasible_proved"] == (not several), (order, spill)
        text = run("schedule", graph, "--budget", "100B").stdout + run("spill", graph, "--budget", "100B").stdout
        assert (b"proved)" in text) == (not several) and (b"added up" in text) == several, text


@test("orders and budgets that add up batches prove nothing in pictures, and nothing of fragmentation")
def _():
    made = [("x", [0], 1, 4000), ("y", [0], 2, 8000), (None, [1, 2], 3, 40)]
    for several in (True, False):
        graph = path("turns.json", json.dumps({
            "format": "tenure-graph", "version": 1, "outputs": [3], "order": [0, 1, 2],
            "tensors": [{"id": i, "name": f"t{i}", "bytes": size} for i, size in enumerate([40, 4000, 8000, 40])],
            "ops": [{"id": i, "type": "X", "inputs": reads, "outputs": [out],
                     **({"batch_label": label} if several and label else {})}
                    for i, (label, reads, out, _) in enumerate(made)]}))
        order = ask("schedule", graph)
        assert order["arena_bytes"] == (8040 if several else 12040), order
        assert (order["fragmentation_bytes"], order["streams_bytes"]) == ((None, None) if several else (0, 0)), order
        text = run("schedule", graph).stdout
        assert (b"fragmentation" in text) != several and (b"nothing proved" in text) == several, text
        for view, claims in (("orders", ("no order is below", "optimal, proved", ">optimal<")),
                             ("budget", ("hatched: proved", "the least in this order, proved"))):
            picture = drawn(graph, "--view", view)
            assert [claim in picture for claim in claims] == [not several] * len(claims), (view, several)
            assert ("batches added up" in picture) == several, view


@test("batches in two memories that share their places are no fragmentation")
def _():
    file = plan_file("spaces.json", [
        {"name": f"b{i}", "start": 4 * (i % 2), "end": 4 * (i % 2) + 4, "bytes": 10, "offset": 0, "space": i % 2,
         "batch_label": "xy"[i // 2]} for i in range(4)], 10, spaces=[{"name": n, "arena_bytes": 10} for n in ("HBM", "L1")])
    account = ask("diff", file, file)["a"]
    assert (account["live_peak_bytes"], account["spaces_bytes"], account["fragmentation_bytes"]) == (10, 10, 0), account


@test("a batch that lies in a gap at the peak is not the one that counts there")
def _():
    file = plan_file("gap.json", [
        {"name": "p", "start": 3, "end": 6, "bytes": 80, "offset": 100},
        {"name": "x", "start": 0, "end": 10, "bytes": 100, "requested_bytes": 100, "batch_label": "x", "offset": 0,
         "gaps": [[3, 6]]},
        {"name": "y", "start": 3, "end": 6, "bytes": 60, "requested_bytes": 10, "batch_label": "y", "offset": 0}], 10)
    assert ask("info", file)["live_peak_bytes"] == 140
    assert b"50 B of the live peak are lost" in run("check", file).stdout
    table = re.search("The largest of 2 buffers alive at the peak.*?</table>", drawn(file, ending="html"), re.DOTALL).group()
    assert "60 B" in table and "100 B" not in table, table


sys.exit(run_tests())
