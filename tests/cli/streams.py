#!/usr/bin/env python3
"""streams.py TENURE_CLI SOURCE_ROOT: graphs and plans of several streams, which share no place that may still be in
use, and claim no more than is proved.  TAP."""
import json
import sys

from tap import ask, path, run, run_tests, test


def graph(name, sizes, ops, outputs):
    """Sizes by tensor; ops: (stream, inputs, outputs, more keys)."""
    return path(name, json.dumps({
        "format": "tenure-graph", "version": 1, "outputs": outputs,
        "tensors": [{"id": i, "name": chr(65 + i % 26), "bytes": size} for i, size in enumerate(sizes)],
        "ops": [dict({"id": i, "name": f"o{i}", "stream": stream, "inputs": reads, "outputs": makes}, **more)
                for i, (stream, reads, makes, more) in enumerate(ops)]}))


@test("a hole that in-place ops leave serves no stream that has not waited")
def _():
    file = graph("gap.json", [100, 10, 90, 1, 1], [
        (0, [], [0], {}), (0, [0], [1], {"in_place": [[1, 0]]}), (1, [], [2], {}), (1, [2], [3], {}), (0, [1], [4], {})],
                 [3, 4])
    for strategy in ("exact", "best", "greedy-size", "ge"):
        plan = path(f"gap.{strategy}.json")
        answer = ask("plan", file, "--strategy", strategy, "-o", plan)
        rows = {row["name"]: row for row in json.load(open(plan))["buffers"]}
        a, c = rows["A"], rows["C"]
        assert a["offset"] >= c["offset"] + c["bytes"] or c["offset"] >= a["offset"] + a["bytes"], strategy
        assert answer["proved_bound_bytes"] == 101 and answer["optimal"] is False, answer
        if strategy == "exact":
            assert answer["arena_bytes"] == 191
            text = open(plan).read()
    place = json.loads(text)
    for row in place["buffers"]:
        row["offset"] = {"A": 0, "C": 10, "D": 100, "E": 101}[row["name"]]
    done = run("check", path("hole.json", json.dumps(place)))
    assert done.returncode == 1 and b"lies in a gap" in done.stdout + done.stderr, done
    assert run("check", plan).returncode == 0


@test("two streams of thousands of ops that wait for nobody have a plan")
def _():
    n = 6000
    ops = [(i % 2, [i - 2] if i > 1 else [], [i], {}) for i in range(n)]
    file = graph("two.json", [100 + i % 36 for i in range(n)], ops, [n - 1])
    answer = ask("plan", file, "--strategy", "best", "--time-limit", "2")
    assert answer["lower_bound_bytes"] <= answer["proved_bound_bytes"] <= answer["arena_bytes"] <= 600, answer
    assert ask("schedule", file, "--method", "file")["arena_bytes"] > 0


@test("release-first: an op may write where it reads, whatever its stream")
def _():
    file = graph("first.json", [100, 100], [(0, [], [0], {}), (1, [0], [1], {})], [1])
    answer = ask("plan", file, "--lifetime-model", "release-first")
    assert (answer["arena_bytes"], answer["optimal"]) == (100, True)
    plan = path("same.json")
    ask("plan", file, "--lifetime-model", "release-first", "-o", plan)
    done = run("check", plan)
    assert done.returncode == 0, done.stdout


@test("spill: each stream has a space of its own, which is not called the optimum")
def _():
    file = graph("spill.json", [100, 1, 100], [(0, [], [0], {}), (0, [0], [1], {}), (1, [1], [2], {})], [2])
    plan = path("spilled.json")
    ask("spill", file, "--budget", "150B", "-o", plan)
    with open(plan) as opened:
        written = json.load(opened)
    assert not written.get("optimal") and written["arena_bytes"] == 201, (written["arena_bytes"], written.get("optimal"))
    assert written["lower_bound_bytes"] == 101


def overlaps(a, b):
    return a["offset"] < b["offset"] + b["bytes"] and b["offset"] < a["offset"] + a["bytes"]


@test("a plan without its graph knows which stream may still read a buffer")
def _():
    file = graph("readers.json", [10, 1000, 10, 10, 1000], [
        (1, [0], [1], {}), (0, [1], [2], {}), (1, [1], [3], {}), (1, [3], [4], {})], [2, 4])
    first, second = path("readers.plan.json"), path("readers.again.json")
    answer = ask("plan", file, "-o", first)
    again = ask("plan", first, "-o", second)
    for plan in (first, second):
        rows = {row["name"]: row for row in json.load(open(plan))["buffers"]}
        assert sorted(rows["B"]["last_ops"]) == [1, 2], rows["B"]
        assert not overlaps(rows["B"], rows["E"]), plan
    for key in ("arena_bytes", "proved_bound_bytes", "optimal"):
        assert answer[key] == again[key], (key, answer[key], again[key])
    moved = json.load(open(first))
    moved["buffers"][4]["offset"] = moved["buffers"][1]["offset"]
    done = run("check", path("race.json", json.dumps(moved)))
    assert done.returncode == 1 and b"cross-stream" in done.stdout + done.stderr, done


@test("a plan of several streams that names no last users is not believed in silence")
def _():
    text = json.dumps({"format": "tenure-plan", "version": 1,
                       "axis": {"end": 2, "labels": ["a", "b"]}, "streams": {"of_label": [0, 1], "waits": [[0, 1]]},
                       "buffers": [{"id": 0, "start": 0, "end": 2, "bytes": 4}]})
    codes = [warning["code"] for warning in ask("info", path("silent.json", text))["warnings"]]
    assert codes == ["last-ops-unknown"], codes


sys.exit(run_tests())
