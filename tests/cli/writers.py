#!/usr/bin/env python3
"""writers.py TENURE_CLI SOURCE_ROOT [SHARED]: what is written holds what was read, or says what it does not.  TAP."""
import json
import os
import sys

from onnx_bytes import choice_model
from tap import Skip, ask, need_shared, path, plan_file, read_json, root, run, run_tests, samples, test


def plan(name, rows, end=4, **more):
    """Rows: (start, end, bytes, more keys)."""
    return plan_file(name, [dict({"name": "xyzw"[i], "start": start, "end": stop, "bytes": size}, **keys)
                            for i, (start, stop, size, keys) in enumerate(rows)], end, **more)


def codes(answer):
    return [warning["code"] for warning in answer["warnings"]]


# ---- CSV -----------------------------------------------------------------------------------------

@test("CSV keeps what decides who may share a place: its plan is the same problem")
def _():
    labels = plan("labels.json", [(0, 4, 100, {"batch_label": "B0"}), (0, 4, 100, {"batch_label": "B1"})])
    groups = plan("groups.json", [(0, 4, 100, {"group": "a"}), (0, 4, 60, {"group": "a"}),
                                  (0, 2, 60, {"offset": 300, "flags": ["fixed", "no-reuse"]}), (2, 4, 60, {})])
    for file, arena, columns in ((labels, 100, "batch_label"), (groups, 360, "contiguous_group,flags")):
        csv = file.replace(".json", ".csv")
        first = ask("plan", file, "-o", csv)
        assert first["arena_bytes"] == arena and first["optimal"] and not codes(first), first
        assert open(csv).readline().strip() == f"id,lower,upper,size,offset,{columns}"
        assert run("check", csv).returncode == 0
        again = ask("plan", csv)
        for key in ("arena_bytes", "proved_bound_bytes", "optimal"):
            assert first[key] == again[key], (file, key, again[key])


@test("what CSV has no columns for is named, and its plan is not taken for the same")
def _():
    file = plan("streams.json", [(0, 1, 100, {"op": 0, "stream": 0, "last_ops": [0]}),
                                 (1, 2, 100, {"op": 1, "stream": 1, "last_ops": [1]})], resident_bytes=77,
                axis={"labels": list("abcd")}, streams={"of_label": [0, 1, 0, 1], "waits": []})
    csv = path("streams.csv")
    for command in ("plan", "convert"):
        answer = ask(command, file, "-o", csv)
        says = answer["warnings"][-1]
        assert says["code"] == "not-in-csv" and "which stream waits for which, residents of 77 B" in says["message"]
        assert b"which stream waits for which" in run(command, file, "-o", csv).stderr
    assert open(csv).readline().strip() == "id,lower,upper,size,stream"
    assert "streams-unknown" in codes(ask("plan", csv))


@test("arenas that are not the offsets' own are named, each by its space; so are inputs that GE tells from outputs")
def _():
    rows = [(0, 4, 100, {"offset": 0, "space": "a"}), (0, 4, 7, {"offset": 0, "space": "b"})]
    csv = path("arenas.csv")

    def losses(file, command="convert"):
        warnings = [row["message"] for row in ask(command, file, "-o", csv)["warnings"] if row["code"] == "not-in-csv"]
        return warnings[0].split("left out: ")[1].split(" (write")[0] if warnings else None

    for arenas, lost in (((50, 7), "an arena of 50 B in a"), ((100, 7), None), ((100, 9), "an arena of 9 B in b"),
                         ((None, None), None), ((1, 2), "an arena of 1 B in a, an arena of 2 B in b")):
        spaces = [dict({"name": name}, **({"arena_bytes": arena} if arena else {})) for name, arena in zip("ab", arenas)]
        file = plan("arenas.json", rows, spaces=spaces)
        assert losses(file) == lost and losses(file, "plan") is None, (arenas, losses(file), losses(file, "plan"))
    assert losses(plan("one.json", [(0, 4, 100, {"offset": 0}), (0, 4, 7, {})], arena_bytes=50)) == "an arena of 50 B"
    assert losses(plan("none.json", [(0, 4, 100, {})], arena_bytes=50)) == "an arena of 50 B"
    for keys, lost in (({"traits": ["zero-copy"]}, "which zero-copy buffers are inputs"), ({}, None)):
        assert losses(plan("io.json", [(0, 4, 100, dict({"kind": "input"}, **keys))])) == lost


# ---- convert ---------------------------------------------------------------------------------------

@test("convert hands on what a plan says of itself, and makes up no bound")
def _():
    spaces = [{"name": "a", "arena_bytes": 50}, {"name": "b"}]
    small = plan("small.json", [(0, 4, 100, {"offset": 0})], arena_bytes=50, lower_bound_bytes=20, optimal=True,
                 strategy="mine")
    several = plan("several.json", [(0, 4, 100, {"offset": 0}), (0, 4, 7, {"offset": 1, "space": "b"})], spaces=spaces)
    labels = plan("labels.json", [(0, 4, 100, {"offset": 0, "batch_label": label}) for label in ("B0", "B1")])
    for file in (small, several, labels):
        out = path("out.json")
        ask("convert", file, "-o", out)
        before, after = read_json(file), read_json(out)
        for key in ("lower_bound_bytes", "arena_bytes", "strategy"):
            if file is not labels or key != "arena_bytes":
                assert before.get(key) == after.get(key), (file, key, after.get(key))
        assert before.get("optimal", False) == after["optimal"]
        assert file is not several or after["spaces"] == spaces, after["spaces"]
        assert run("check", file).returncode == run("check", out).returncode
    assert b"outside-arena" in run("check", small).stdout
    # Of rounded sizes nothing was said; the arena is then measured.
    ask("convert", small, "-o", out, "--align", "64")
    after = read_json(out)
    assert after["arena_bytes"] == 128 and "lower_bound_bytes" not in after and not after["optimal"], after


@test("convert --align says that places are not of the sizes that it writes")
def _():
    rows = [(0, 4, 100, {"offset": 0}), (0, 4, 64, {"offset": 100}), (0, 4, 90, {})]
    for out in ("aligned.json", "aligned.csv"):
        answer = ask("convert", plan("placed.json", rows), "-o", path(out), "--align", "64")
        says = [row["message"] for row in answer["warnings"] if row["code"] == "places-of-other-sizes"]
        assert len(says) == 1 and "1 placed buffer larger" in says[0], answer["warnings"]
    for options in ((), ("--align", "4")):
        assert not codes(ask("convert", plan("placed.json", rows[:2]), "-o", path("plain.json"), *options)), options


@test("what a spill plan moves and computes again goes with it")
def _():
    actions = [{"action": "move-out", "tensor": "x \u00e9\n", "bytes": 9007199254740993, "start_seconds": 1.5e-7},
               {"action": "algorithm", "nested": [[], {}, None, True]}]
    file = plan("actions.json", [(0, 4, 100, {"offset": 0})], actions=actions)
    for command in ("convert", "plan"):
        out = path("actions.out.json")
        assert not codes(ask(command, file, "-o", out))
        assert read_json(out)["actions"] == actions, command
        answer = ask(command, file, "-o", path("actions.csv"))
        assert "left out: what is moved and computed again" in answer["warnings"][0]["message"], answer["warnings"]
    for other in (None, 7, "text", {"a": []}):
        assert run("convert", plan("other.json", [(0, 4, 100, {})], actions=other), "-o", out).returncode == 0
        assert "actions" not in read_json(out), other


@test("convert says of a file without buffers that there are none")
def _():
    file = need_shared("samples", "ascend", "pt_memory_record.csv")
    out = path("totals.json")
    answer = ask("convert", file, "-o", out)
    assert answer["buffers"] == 0 and "totals-only" in codes(answer), answer
    assert "lower_bound_bytes" not in read_json(out)


@test("what is taken of a file with several devices says whose it is")
def _():
    file = path("two.tlog", '{"format": "tenure-log", "version": 1}\n' + "".join(
        json.dumps({"t": i / 10, "event": "alloc", "address": 4096 * (i + 1), "bytes": 512 << i, "device": device}) + "\n"
        for i, device in enumerate((0, 1, 0))))
    for command in ("convert", "plan"):
        out = path("two.json")
        answer = ask(command, file, "-o", out)
        says = [warning["message"] for warning in answer["warnings"] if warning["code"] == "other-devices"]
        assert len(says) == 1 and "2 devices" in says[0] and "another: 1)" in says[0], answer["warnings"]
        assert b"2 devices" in run(command, file, "-o", out).stderr
        named = ask(command, file, "-o", out, "--device", "1")
        assert "other-devices" not in codes(named) and len(read_json(out)["buffers"]) == 1


# ---- graphs ----------------------------------------------------------------------------------------

branches = os.path.join(samples, "branches-graph.json")


def model():
    name = path("choice.onnx")
    with open(name, "wb") as out:
        out.write(choice_model())
    return name


@test("options of lives have no place in a graph's JSON; in CSV they have")
def _():
    for option in (("--preset", "tflite"), ("--lifetime-model", "release-first"), ("--aliasing", "none"),
                   ("--align", "64"), ("--no-workspace",)):
        out = path("refused.json")
        done = run("convert", branches, "-o", out, *option)
        assert done.returncode == 2 and option[0].encode() in done.stderr and not os.path.exists(out), done
        assert run("convert", branches, "-o", path("lives.csv"), *option).returncode == 0
    with open(path("lives.csv")) as plain, open(path("aligned.csv"), "w+") as aligned:
        ask("convert", branches, "-o", aligned.name, "--align", "512")
        assert plain.read() != aligned.read()


@test("graphs inside ops that are not written are named, and their weights")
def _():
    answer = ask("convert", model(), "-o", path("choice.json"))
    says = [warning["message"] for warning in answer["warnings"] if warning["code"] == "bodies-left-out"]
    assert len(says) == 1 and says[0].startswith("2 graphs inside ops"), answer["warnings"]
    assert "bodies-left-out" not in codes(ask("convert", model(), "-o", path("choice.csv")))
    silero = need_shared("samples", "onnx", "npm-silero_vad_v5.onnx")
    assert b"nor their weights (2.1 MiB)" in run("convert", silero, "-o", path("silero.json")).stderr


@test("a plan recorded beside a graph is named where it is not written")
def _():
    file = need_shared("samples", "tflite", "tflm-person_detect_vela.tflite")
    says = [row["message"] for row in ask("convert", file, "-o", path("vela.json"))["warnings"]
            if row["code"] == "plan-left-out"]
    assert len(says) == 1 and "an arena of 72.7 KiB" in says[0], says
    assert "plan-left-out" not in codes(ask("convert", file, "-o", path("vela.csv")))
    assert "plan-left-out" not in codes(ask("convert", branches, "-o", path("branches.json")))


@test("a converted graph plans as its model does, under every preset")
def _():
    # The model's reshape is a view to some runtimes only, and where one of them writes in place differs.
    small = os.path.join(root, "tests", "fuzz", "corpus", "tflite", "small.tflite")
    shared = [("onnx", "ortex-ultraface_rfb320.onnx"), ("onnx", "ortex-mnist.onnx"),
              ("tflite", "tflm-person_detect.tflite")]
    try:
        files = [small] + [need_shared("samples", *parts) for parts in shared]
    except Skip:
        files = [small]
    for file in files:
        graph = path("converted.json")
        ask("convert", file, "-o", graph)
        for options in ((), ("--preset", "onnxruntime"), ("--preset", "tflite"), ("--preset", "tflm"), ("--preset", "ge")):
            first, second = (ask("plan", name, "--strategy", "greedy-size", *options) for name in (file, graph))
            for key in ("arena_bytes", "lower_bound_bytes", "no_reuse_bytes"):
                assert first[key] == second[key], (file, options, key, first[key], second[key])


sys.exit(run_tests())
