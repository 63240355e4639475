#!/usr/bin/env python3
"""graphs.py TENURE_CLI SOURCE_ROOT: edits, presets and bindings of graphs.  TAP.

The graph is the project's sample: three branches of convolutions, 2100 MB at its peak.
"""
import json
import os
import sys

from tap import ask, buffers, path, root, run, run_tests, samples, test

MB = 1000000
graph = os.path.join(samples, "branches-graph.json")
model = os.path.join(root, "tests", "fuzz", "corpus", "tflite", "small.tflite")


def edits(name, *rows):
    return path(name, json.dumps({"format": "tenure-edits", "version": 1, "edits": list(rows)}))


def peak(*arguments):
    return ask("plan", graph, "--strategy", "greedy-size", *arguments)["lower_bound_bytes"]


@test("edits: each changes the peak as it should, the file stays")
def _():
    with open(graph, "rb") as f:
        before = f.read()
    assert peak() == 2100 * MB
    smaller = {"edit": "tensor", "tensor": "a2", "bytes": 125 * MB}
    fused = {"edit": "fuse", "ops": ["conv1_1", "conv1_2"]}
    assert peak("--edits", edits("a.json", smaller)) == 1900 * MB
    assert peak("--edits", edits("b.json", smaller, fused)) == 1450 * MB
    assert peak("--edits", edits("c.json", fused)) == 1650 * MB
    assert peak("--edits", edits("d.json", {"edit": "split", "op": "conv1_2", "tasks": 6})) == 1600 * MB
    with open(graph, "rb") as f:
        assert f.read() == before


@test("edits: what can't be done says which and why, with status 3")
def _():
    cases = (({"edit": "pin", "tensor": "y"}, b"edit 1: found 'y', which lives to the end already"),
             ({"edit": "fuse", "ops": ["conv1_1", "fuse"]}, b"a cycle once"),
             ({"edit": "view", "tensor": "y", "input": "a1"}, b"'y' and 'a1'"))
    for i, (row, says) in enumerate(cases):
        done = run("plan", graph, "--edits", edits(f"bad{i}.json", row))
        assert done.returncode == 3 and says in done.stderr, done.stderr
    done = run("plan", buffers, "--edits", edits("e.json"))
    assert done.returncode == 3 and b"edits need a graph" in done.stderr, done.stderr


@test("presets: the runtime's own planner, unless another is named")
def _():
    for preset, strategy in (("tflite", "greedy-size"), ("onnxruntime", "best-fit"), ("tflm", "greedy-size")):
        assert ask("plan", graph, "--preset", preset)["strategy"] == strategy
    assert ask("plan", graph, "--preset", "tflm", "--strategy", "first-fit")["strategy"] == "first-fit"


@test("tflm: the sections add up, and what is not known is named")
def _():
    answer = ask("plan", model, "--preset", "tflm")
    sums, rows = answer["arena_sections_bytes"], answer["arena_sections"]
    for section in ("head", "temp", "tail"):
        assert sum(r["bytes"] for r in rows if r["section"] == section) == sums[f"{section}_bytes"]
    assert sums["head_bytes"] == answer["arena_bytes"]
    assert sums["total_bytes"] == sums["tail_bytes"] + max(sums["head_bytes"], sums["temp_bytes"])
    assert all(r["source"] for r in rows) and len(answer["arena_sections_unknown"]) >= 3
    assert "arena_sections" not in ask("plan", model, "--preset", "tflite")


@test("tflm: what must fit is the whole arena, not its head alone")
def _():
    tflm = ("plan", model, "--preset", "tflm", "--strategy", "best", "--bytes")
    total = ask(*tflm)["arena_sections_bytes"]["total_bytes"]
    head = ask(*tflm)["arena_bytes"]
    assert head < total
    for capacity, is_proved in ((head, True), (total - 1, True), (total, False)):
        fits = capacity >= total
        answer = ask(*tflm, "--capacity", str(capacity), status=0 if fits else 1)
        assert (answer["fits"], answer["infeasible_proved"]) == (fits, is_proved), answer
        done = run(*tflm, "--capacity", str(capacity))
        said = ("fits on 32 bits, as far as the file tells" if fits else
                f"does not fit: the whole arena takes {total:,} B or more (proved that no plan does)")
        assert said.encode() in done.stdout, done.stdout
    bare = str(ask("plan", model, "--preset", "tflite")["arena_bytes"])
    assert ask("plan", model, "--preset", "tflite", "--capacity", bare)["fits"]


@test("tflm: of sub-graphs that may be one, counted for each op, only the head is proved")
def _():
    control = ("plan", os.path.join(root, "tests", "fuzz", "corpus", "onnx", "control.onnx"), "--preset", "tflm", "--bytes")
    answer = ask(*control)
    head, total = answer["proved_bound_bytes"], answer["arena_sections_bytes"]["total_bytes"]
    assert head < total
    for capacity, is_proved in ((head - 1, True), (head, False), (total - 1, False)):
        answer = ask(*control, "--capacity", str(capacity), status=1)
        assert (answer["fits"], answer["infeasible_proved"]) == (False, is_proved), (capacity, answer)
        text = run(*control, "--capacity", str(capacity)).stdout
        said = "proved that no plan does" if is_proved else "not proved impossible"
        assert f"takes {total:,} B, counting a sub-graph for each op that runs it ({said})".encode() in text, text
    assert ask(*control, "--capacity", str(total))["fits"]


@test("tflm: schedule, spill and check say that their budgets are of the head alone")
def _():
    answer = ask("plan", model, "--preset", "tflm")
    tail = answer["arena_sections_bytes"]["tail_bytes"]
    for command in ("schedule", "spill", "check"):
        given = (command, model, "--budget", "1MiB", "--preset")
        done = run(*given, "tflm", "--bytes", "--json")
        said = [row["message"] for row in json.loads(done.stdout)["warnings"] if row["code"] == "head-alone"]
        assert len(said) == 1 and f"the tail takes {tail:,} B more" in said[0], (command, said)
        assert b"TFLM's head alone" in run(*given, "tflm").stderr, command
        assert b"TFLM" not in run(*given, "tflite").stderr, command
    assert b"TFLM" not in run("check", model, "--preset", "tflm").stderr


@test("tflite: another batch gives other sizes")
def _():
    # x [1,4,4,2] float32 → CONV_2D → a [1,2,2,3] → RESHAPE, whose shape the file states nowhere → ADD
    one = ask("info", model)
    assert one["live_peak_bytes"] > 0 and one["unsized_tensors"] == 0
    three = ask("info", model, "--bind", "x[0]=3")
    assert three["input_bytes"] == 3 * one["input_bytes"]
    done = run("info", model, "--bind", "x[0]=3")
    assert b"2 tensors have no known size; the first is 'v', lost at v: the new shape" in done.stderr
    done = run("info", model, "--bind", "nothing[0]=3")
    assert b"name nothing that this graph's inputs have" in done.stderr, done.stderr


sys.exit(run_tests())
