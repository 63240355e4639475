#!/usr/bin/env python3
"""streams.py TENURE_CLI SOURCE_ROOT: graphs and plans of several streams, which share no place that may still be in
use, and claim no more than is proved.  TAP."""
import json
import sys

from tap import ask, drawn, path, plan_file, read_json, run, run_tests, test


def graph(name, sizes, ops, outputs):
    """Sizes by tensor; ops: (stream, inputs, outputs, more keys)."""
    return path(name, json.dumps({
        "format": "tenure-graph", "version": 1, "outputs": outputs,
        "tensors": [{"id": i, "name": chr(65 + i % 26), "bytes": size} for i, size in enumerate(sizes)],
        "ops": [dict({"id": i, "name": f"o{i}", "stream": stream, "inputs": reads, "outputs": makes}, **more)
                for i, (stream, reads, makes, more) in enumerate(ops)]}))


def overlaps(a, b):
    return a["offset"] < b["offset"] + b["bytes"] and b["offset"] < a["offset"] + a["bytes"]


@test("a hole that in-place ops leave serves no stream that has not waited")
def _():
    file = graph("gap.json", [100, 10, 90, 1, 1], [
        (0, [], [0], {}), (0, [0], [1], {"in_place": [[1, 0]]}), (1, [], [2], {}), (1, [2], [3], {}), (0, [1], [4], {})],
                 [3, 4])
    for strategy in ("exact", "best", "greedy-size", "ge"):
        plan = path(f"gap.{strategy}.json")
        answer = ask("plan", file, "--strategy", strategy, "-o", plan)
        rows = {row["name"]: row for row in read_json(plan)["buffers"]}
        assert not overlaps(rows["A"], rows["C"]), strategy
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
    picture, said = path("two.svg"), "streams share nothing with each other"
    for arguments in (("plan", file, "--strategy", "first-fit"), ("draw", file, "--strategy", "first-fit", "-o", picture),
                      ("diff", file, file, "--a-strategy", "first-fit", "--b-strategy", "ge")):
        warnings = ask(*arguments, status=int(arguments[0] == "diff"))["warnings"]
        assert [row for row in warnings if row["code"] == "streams-apart" and said in row["message"]], (arguments, warnings)
        assert run(*arguments).stderr.count(said.encode()) == 1, arguments
    assert said.encode() not in run("draw", file, "-o", picture).stderr  # with `ge`, which needs no list


@test("release-first: an op may write where it reads, whatever its stream")
def _():
    file = graph("first.json", [100, 100], [(0, [], [0], {}), (1, [0], [1], {})], [1])
    answer = ask("plan", file, "--lifetime-model", "release-first")
    assert (answer["arena_bytes"], answer["optimal"]) == (100, True)
    plan = path("same.json")
    ask("plan", file, "--lifetime-model", "release-first", "-o", plan)
    done = run("check", plan)
    assert done.returncode == 0, done.stdout


@test("spill: streams that wait for each other share, as in a plan of the graph")
def _():
    file = graph("spill.json", [100, 1, 100], [(0, [], [0], {}), (0, [0], [1], {}), (1, [1], [2], {})], [2])
    plan = path("spilled.json")
    ask("spill", file, "--budget", "150B", "-o", plan)
    written = read_json(plan)
    assert written["optimal"] and written["arena_bytes"] == 101, (written["arena_bytes"], written.get("optimal"))
    assert written["lower_bound_bytes"] == 101


@test("spill -o: a reader of another stream counts, though it is not what ends the life")
def _():
    file = graph("slow.json", [10, 1000, 10, 10, 1000], [
        (1, [0], [1], {}), (0, [1], [2], {}), (1, [1], [3], {}), (1, [3], [4], {})], [2, 4])
    plan = path("slow.plan.json")
    answer = ask("spill", file, "--budget", "2030B", "-o", plan)
    rows = {row["name"]: row for row in read_json(plan)["buffers"]}
    assert sorted(rows["B"]["last_ops"]) == [1, 2], rows["B"]
    assert not overlaps(rows["B"], rows["E"]), rows
    assert answer["arena_bytes"] == ask("plan", file)["arena_bytes"] == ask("plan", plan)["arena_bytes"], answer


@test("a plan without its graph knows which stream may still read a buffer")
def _():
    file = graph("readers.json", [10, 1000, 10, 10, 1000], [
        (1, [0], [1], {}), (0, [1], [2], {}), (1, [1], [3], {}), (1, [3], [4], {})], [2, 4])
    first, second = path("readers.plan.json"), path("readers.again.json")
    answer = ask("plan", file, "-o", first)
    again = ask("plan", first, "-o", second)
    for plan in (first, second):
        rows = {row["name"]: row for row in read_json(plan)["buffers"]}
        assert sorted(rows["B"]["last_ops"]) == [1, 2], rows["B"]
        assert not overlaps(rows["B"], rows["E"]), plan
    for key in ("arena_bytes", "proved_bound_bytes", "optimal"):
        assert answer[key] == again[key], (key, answer[key], again[key])
    moved = read_json(first)
    moved["buffers"][4]["offset"] = moved["buffers"][1]["offset"]
    done = run("check", path("race.json", json.dumps(moved)))
    assert done.returncode == 1 and b"cross-stream" in done.stdout + done.stderr, done


@test("a trait of any buffer leaves the question of streams as it is")
def _():
    rows = [{"name": "a", "start": 0, "end": 3, "bytes": 512, "offset": 0, "op": "o0", "last_ops": [0]},
            {"name": "b", "start": 3, "end": 6, "bytes": 512, "offset": 0, "op": "o1", "last_ops": [1]},
            {"name": "c", "start": 3, "end": 6, "bytes": 512, "offset": 512, "op": "o1", "last_ops": [1]}]
    for traited, made_by in ((None, "mine"), (0, "mine"), (2, "mine"), (0, "binary-block")):
        marked = [dict(row, traits=["cleaned"]) if i == traited else row for i, row in enumerate(rows)]
        file = plan_file("trait.json", marked, 6, axis={"labels": ["o0", "o1"], "ticks_per_label": 3}, strategy=made_by,
                         streams={"of_label": [0, 1], "waits": []})
        done = run("check", file)
        assert done.returncode == 1 and b"[cross-stream]" in done.stdout + done.stderr, (traited, done)
        assert b"Rule: streams." in run("check", file, "--why-not", "a,b").stdout, traited


@test("streams that wait: batches and the rest are planned in one where alignment wastes space, too")
def _():
    mib = 1 << 20
    row = {"start": 0, "end": 4, "op": 0, "last_ops": [3]}
    file = plan_file("stacked.json", [dict(row, bytes=1), dict(row, bytes=2 * mib, alignment=2 * mib, batch_label="x")], 4,
                     axis={"labels": ["a", "b", "c", "d"], "ticks_per_label": 1},
                     streams={"of_label": [0, 1, 0, 1], "waits": [[0, 1], [1, 2], [2, 3]]})
    for strategy in ("best", "exact", "greedy-size"):
        answer = ask("plan", file, "--strategy", strategy, "--capacity", "3MiB")
        assert (answer["arena_bytes"], answer["optimal"]) == (2 * mib + 1, True), (strategy, answer)


@test("a plan of several streams that names no last users is not believed in silence")
def _():
    file = plan_file("silent.json", [{"start": 0, "end": 2, "bytes": 4}], 2, axis={"labels": ["a", "b"]},
                     streams={"of_label": [0, 1], "waits": [[0, 1]]})
    codes = [warning["code"] for warning in ask("info", file)["warnings"]]
    assert codes == ["last-ops-unknown"], codes


@test("spill: what streams need that share nothing is no fragmentation")
def _():
    file = graph("apart.json", [1000, 8, 900, 8], [
        (0, [], [0], {}), (0, [0], [1], {}), (1, [], [2], {}), (1, [2], [3], {})], [1, 3])
    answer = ask("spill", file, "--budget", "1MiB")
    assert (answer["peak_bytes"], answer["arena_bytes"]) == (1008, 1008 + 908), answer
    assert (answer["fragmentation_bytes"], answer["streams_bytes"]) == (0, 908), answer
    text = run("spill", file, "--budget", "1MiB").stdout.decode()
    assert "fragmentation adds nothing, streams that share nothing 90.08 %" in text, text
    picture = drawn(file, "--view", "budget", "--budget", "1MiB")
    assert "nothing lost to fragmentation, 908 B for streams that share nothing" in picture
    said = run("spill", file, "--budget", "1500B").stdout  # the peak fits, the arena does not
    assert b"90.08 %: more than the budget, which the peak keeps" in said, said


def apart_graph(name, streams):
    return graph(name, [1000, 8, 900, 8], [
        (0, [], [0], {}), (0, [0], [1], {}), (streams, [], [2], {}), (streams, [2], [3], {})], [1, 3])


@test("what streams need that share nothing is no fragmentation of an order, a report or a diff")
def _():
    made = []
    for streams in (0, 1):
        file = apart_graph(f"apart-{streams}.json", streams)
        order = ask("schedule", file, "--method", "file")
        assert (order["arena_bytes"], order["fragmentation_bytes"], order["streams_bytes"]) == (
            1008 + 908 * streams, 0, 908 * streams), order
        made.append(path(f"apart-{streams}.plan.json"))
        ask("plan", file, "-o", made[-1])
    said = run("schedule", file, "--method", "file").stdout
    assert b"fragmentation adds nothing, streams that share nothing 90.08 %" in said, said
    diff = ask("diff", *made, status=1)
    causes = {row["cause"]: row["bytes"] for row in diff["causes"] if row["bytes"]}
    assert causes == {"streams": 908}, causes
    assert (diff["b"]["fragmentation_bytes"], diff["b"]["streams_bytes"]) == (0, 908), diff["b"]
    for file, expected in zip(made, (False, True)):
        assert ("streams that share nothing" in drawn(file, ending="html")) == expected, file


@test("a plan whose streams do share, or that has holes, has no more for them than they need")
def _():
    file = apart_graph("holes.json", 1)
    made = path("holes.plan.json")
    ask("plan", file, "-o", made)
    place = read_json(made)
    for offsets, arena, wanted in (((0, 2000, 1000, 2008), 2016, (100, 908)), ((0, 1100, 0, 1108), 1116, (108, 0))):
        for row, offset in zip(place["buffers"], offsets):
            row["offset"] = offset
        place["arena_bytes"] = place["spaces"][0]["arena_bytes"] = arena
        file = path("holes-moved.json", json.dumps(place))
        side = ask("diff", file, file)["a"]
        assert (side["fragmentation_bytes"], side["streams_bytes"]) == wanted, side


def plan(name, streams, waits, rows, others=()):
    """Ops o0, o1, … of three ticks on these streams; rows: (name, first op, end, last ops, offset, more keys), and
    others as they are written."""
    return plan_file(name, [
        dict({"name": row, "start": 3 * op, "end": 3 * end, "bytes": 10, "offset": offset, "op": f"o{op}",
              "stream": streams[op], "last_ops": last}, **more) for row, op, end, last, offset, more in rows] + list(others),
        3 * len(streams), axis={"labels": [f"o{i}" for i in range(len(streams))], "ticks_per_label": 3},
        streams={"of_label": streams, "waits": waits})


def crossings(file):
    """(later, earlier) of the errors across streams."""
    findings = json.loads(run("check", file, "--json").stdout)["findings"]
    return {tuple(row["buffers"]) for row in findings if row["code"] == "cross-stream"}


@test("check: who has a place in a gap, or for another batch, hides nobody who did not wait")
def _():
    gap = plan("hidden.json", [0, 0, 0, 1], [[1, 3]], [
        ("a", 0, 3, [2], 0, {"gaps": [[3, 6]]}), ("b", 1, 2, [1], 0, {}), ("c", 3, 4, [3], 0, {})])
    assert crossings(gap) == {("c", "a")}
    for last in (2, 0):  # alive beside b, and gone before it
        batch = plan("batch.json", [0, 2, 0, 1], [[0, 1], [1, 3]] if last else [], [
            ("a", 0, last + 1, [last], 0, {"batch_label": "x"}), ("b", 1, 2, [1], 0, {"batch_label": "y"}),
            ("c", 3, 4, [3], 0, {"batch_label": "x"})])
        assert crossings(batch) == {("c", "a")}, crossings(batch)
    assert not crossings(plan("kept.json", [0, 0, 0, 1], [[2, 3]], [
        ("a", 0, 3, [2], 0, {"gaps": [[3, 6]]}), ("b", 1, 2, [1], 0, {}), ("c", 3, 4, [3], 0, {})]))


@test("check: 12,000 batches in one byte hide nobody elsewhere, and what is not looked at is said")
def _():
    hidden = [("a", 0, 3, [2], 0, {"gaps": [[3, 6]]}), ("b", 1, 2, [1], 0, {}), ("c", 3, 4, [3], 0, {})]
    for n, is_cut in ((100, False), (12000, True)):
        full = plan("crowd.json", [0, 0, 0, 1], [[1, 3]], hidden, [
            {"name": f"l{i}", "start": 0, "end": 1, "bytes": 1, "offset": 100, "batch_label": f"l{i}"} for i in range(n)])
        assert ("c", "a") in crossings(full), n
        assert (b"not all were looked at" in run("check", full).stdout) == is_cut, n


@test("check: 5,000 rows side by side under 5,000 of another batch are not all followed, which is said, and hide nobody")
def _():
    for n in (100, 5000):
        wide = plan("wide.json", [0] * (n + 3) + [1], [[n + 1, n + 3]], [  # behind those
            ("a", n, n + 3, [n + 2], 0, {"gaps": [[3 * n + 3, 3 * n + 6]]}), ("b", n + 1, n + 2, [n + 1], 0, {}),
            ("c", n + 3, n + 4, [n + 3], 0, {})], [
            {"start": 0, "end": 1, "bytes": 1, "offset": 100 + i, "batch_label": "x"} for i in range(n)] + [
            {"start": 1 + i, "end": 2 + i, "bytes": n, "offset": 100, "batch_label": "y"} for i in range(n)])
        assert ("c", "a") in crossings(wide), n
        assert (b"not all were looked at" in run("check", wide).stdout) == (n > 100), n


@test("check: the streams of the ops count where the buffers name none")
def _():
    rows = [("a", 0, 1, [0], 0, {}), ("b", 1, 2, [1], 0, {})]
    for waits, status in ([], 1), ([[0, 1]], 0):
        file = plan("ops.json", [0, 1], waits, rows)
        text = read_json(file)
        for row in text["buffers"]:
            del row["stream"]
        file = path("ops.json", json.dumps(text))
        assert run("check", file).returncode == status
        assert crossings(file) == ({("b", "a")} if status else set())
        why = run("check", file, "--why-not", "a,b").stdout
        assert (b"Rule: streams." in why) == bool(status), why
    seen = plan("seen.json", [0, 1, 0, 0], [], [("a", 0, 2, [0, 1], 0, {}), ("b", 2, 3, [2], 0, {})])
    assert crossings(seen) == {("b", "a")}  # of one stream, but used on another last


@test("check: a plan of two fixed buffers in a gap is what --why-not says it is")
def _():
    file = plan("fixed.json", [0, 1, 1, 2, 0], [[1, 3], [1, 4]], [
        ("a", 1, 5, [1, 4], 5, {"gaps": [[5, 14]], "flags": ["fixed"]}),
        ("b", 2, 3, [2], 3, {"flags": ["fixed"]})])
    assert run("check", file).returncode == 0
    for strategy in ("best", "exact", "greedy-size", "first-fit"):
        assert ask("plan", file, "--strategy", strategy)["arena_bytes"] == 15, strategy
    late = plan("late.json", [0, 1, 0], [], [
        ("a", 0, 3, [0, 2], 0, {"gaps": [[3, 6]], "flags": ["fixed"]}), ("b", 1, 2, [1], 0, {"flags": ["fixed"]})])
    assert crossings(late) == {("b", "a")}  # b has not waited for a's writer
    done = run("plan", late)
    assert done.returncode and b"may not share a place with" in done.stderr, done
    assert b"Rule: may-share." in run("check", file, "--why-not", "a,b").stdout


@test("check: says how many errors across streams it does not list")
def _():
    rows = [(f"{name}{i}", op, op + 1, [op], 10 * i, {}) for op, name in enumerate("ac") for i in range(300)]
    findings = json.loads(run("check", plan("many.json", [0, 1], [], rows), "--json").stdout)["findings"]
    assert len(findings) == 101 and findings[-1]["severity"] == "error", len(findings)
    assert findings[-1]["message"].startswith("200 more places"), findings[-1]


sys.exit(run_tests())
