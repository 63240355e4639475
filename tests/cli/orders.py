#!/usr/bin/env python3
"""orders.py TENURE_CLI SOURCE_ROOT: schedule, plan --order, spill, calibrate as cli.md has them.  TAP.

The graph is the three-branch CNN of design/orders-and-budgets.md: six convolutions in three
branches, one skip; 2100 MB as it stands, 1450 MB in the best order.
"""
import json
import os
import re
import socket
import subprocess
import sys

from tap import ask, buffers, cli, drawn, path, read_json, root, run, run_tests, samples, test

MB = 1000000


def three_branches():
    sizes = {"x": 250, "a1": 450, "a2": 325, "a3": 325, "b1": 150, "b2": 150, "b3": 150, "f": 250, "y": 250}
    ids = {name: i for i, name in enumerate(sizes)}
    ops = [("conv1_1", "x", "a1", 50, .11), ("conv2_1", "x", "a2", 50, .12), ("conv3_1", "x", "a3", 50, .12),
           ("conv1_2", "a1", "b1", 600, .165), ("conv2_2", "a2", "b2", 50, .14),
           ("conv3_2", "a3", "b3", 50, .135), ("fuse", "b1 b2 b3", "f", 0, .095), ("add_skip", "f x", "y", 0, .045)]
    rows = [{"id": i + 10, "name": name, "inputs": [ids[t] for t in reads.split()], "outputs": [ids[made]],
             "workspace_bytes": scratch * MB, "seconds": seconds}
            for i, (name, reads, made, scratch, seconds) in enumerate(ops)]
    rows[3]["algorithms"] = [{"name": "fast", "workspace_bytes": 600 * MB, "seconds": .165},
                             {"name": "small", "workspace_bytes": 100 * MB, "seconds": .197}]
    points = [[size, 20e-6 + size / 12e9] for size in (MB, 1000 * MB)]
    return {"format": "tenure-graph", "version": 1, "ops": rows, "outputs": [ids["y"]],
            "tensors": [{"id": i, "name": name, "bytes": sizes[name] * MB} for name, i in ids.items()],
            "link": {"out": points, "in": points}}


graph = path("graph.json", json.dumps(three_branches()))


@test("schedule: keys, peaks, proof")
def _():
    answer = ask("schedule", graph)
    wanted = "order peak_bytes baseline_peak_bytes lower_bound_bytes optimal method schedule_seconds".split()
    assert not [key for key in wanted if key not in answer]
    assert (answer["peak_bytes"], answer["baseline_peak_bytes"]) == (1450 * MB, 2100 * MB)
    assert answer["optimal"] is True and answer["lower_bound_bytes"] == 1450 * MB
    assert sorted(answer["order"]) == list(range(10, 18))
    assert answer["arena_bytes"] >= answer["peak_bytes"]


@test("schedule: each method is listed and runs, none is better than best")
def _():
    names = [row["name"] for row in ask("strategies")["order_methods"]]
    assert {"file", "level", "depth-first", "greedy", "lookahead", "beam", "exact", "best"} <= set(names)
    for name in names:
        answer = ask("schedule", graph, "--method", name)
        assert answer["peak_bytes"] >= 1450 * MB and answer["lower_bound_bytes"] <= 1450 * MB, name
    assert ask("schedule", graph, "--method", "file")["peak_bytes"] == 2100 * MB


@test("schedule: ids above 2^53 are written and read exactly, others refused")
def _():
    large = three_branches()
    for row in large["ops"]:
        row["id"] = str(2**53 + row["id"])
    name, order = path("large-ids.json", json.dumps(large)), path("order.json")
    assert ask("schedule", name, "-o", order)["peak_bytes"] == 1450 * MB
    assert sorted(read_json(order)["order"]) == [str(2**53 + i) for i in range(10, 18)]
    assert ask("plan", name, "--order", order)["lower_bound_bytes"] == 1450 * MB
    answer = ask("schedule", graph)
    answer["order"][0] += .5
    assert run("plan", graph, "--order", path("half.json", json.dumps(answer))).returncode == 3


@test("schedule: a budget fits, or it is proved that none does")
def _():
    fits = ask("schedule", graph, "--budget", str(1450 * MB))
    assert fits["fits"] is True and fits["budget"] == "fits"
    less = ask("schedule", graph, "--budget", str(1450 * MB - 1), status=1)
    assert less["fits"] is False and less["budget"] == "impossible"


@test("plan --order: a method, a file that schedule wrote, an illegal one")
def _():
    order = path("order.json")
    ask("schedule", graph, "-o", order)
    assert ask("plan", graph)["lower_bound_bytes"] == 2100 * MB
    assert ask("plan", graph, "--order", "best")["lower_bound_bytes"] == 1450 * MB
    plan = path("plan.json")
    assert ask("plan", graph, "--order", order, "-o", plan)["lower_bound_bytes"] == 1450 * MB
    assert read_json(plan)["axis"]["labels"] == read_json(order)["order_names"]
    assert ask("check", plan)["errors"] == 0
    wrong = path("wrong.json", json.dumps({"order": list(range(17, 9, -1))}))
    assert run("plan", graph, "--order", wrong).returncode == 3
    assert run("plan", graph, "--order", "no-such").returncode == 2


SPILL_KEYS = """feasible budget_bytes peak_bytes baseline_peak_bytes spilled_bytes recomputed_bytes
compute_seconds overhead_seconds overhead_ratio actions sweep""".split()


@test("spill: the table of budgets")
def _():
    for budget, most in ((2100, 0), (1800, .0292), (1600, .0345), (1400, .0571), (1200, .11), (1000, .1735),
                         (800, .29), (750, .29)):
        answer = ask("spill", graph, "--budget", str(budget * MB))
        assert not [key for key in SPILL_KEYS if key not in answer]
        assert answer["feasible"] and answer["peak_bytes"] <= budget * MB
        assert answer["overhead_ratio"] <= most + 1e-9, (budget, answer["overhead_ratio"])
        assert abs(answer["compute_seconds"] - .93) < 1e-9
        order = [row for row in answer["alternatives"] if row["name"] == "order"]
        assert order[0]["peak_bytes"] == 1450 * MB


@test("spill: infeasible names the op that sets the least budget")
def _():
    answer = ask("spill", graph, "--budget", str(700 * MB), status=1)
    assert answer["feasible"] is False and answer["infeasible_proved"] is True
    assert answer["smallest_budget_bytes"] == 750 * MB and answer["smallest_budget_op"] == "add_skip"
    text = run("spill", graph, "--budget", str(700 * MB), "--bytes").stdout.decode()
    assert "add_skip needs 750,000,000 B" in text
    # Another order may lose less: what is proved is of this one.
    text = run("spill", graph, "--budget", "1.33GiB").stdout.decode()
    assert "optimal in this order (proved)" in text


@test("draw --view orders, --view budget: pictures that say the figures; refusals")
def _():
    for view, words in (("orders", ("optimal, proved", "no order is below", "lookahead")),
                        ("budget", ("the least in this order, proved", "order only", "add_skip needs", "copy out",
                                    "hatched: proved, no plan there in this order"))):
        svg = path(view + ".svg")
        answer = ask("draw", graph, "--view", view, "-o", svg)
        assert (answer["view"], answer["width"], answer["height"]) == (view, 1600, 900)
        with open(svg, encoding="utf-8") as file:
            text = file.read()
        assert not [word for word in words if word not in text], view
    # A tall picture has steps of few per cent: none of them below nothing.
    svg = path("tall.svg")
    tree = os.path.join(root, "data", "samples", "tree-graph.json")
    ask("draw", tree, "--view", "budget", "--budget", "220", "--size", "1000x4000", "-o", svg)
    with open(svg, encoding="utf-8") as file:
        steps = re.findall(r">(-?[0-9.]+) %<", file.read())
    assert steps and "0" in steps and all(float(step) >= 0 for step in steps), steps
    assert run("draw", graph, "--view", "budget", "--budget", "0", "-o", path("b.png")).returncode == 2
    assert run("draw", graph, "--view", "orders", "-o", path("o.html")).returncode == 2


@test("schedule, spill: a budget of nothing is no budget")
def _():
    for command in ("schedule", "spill"):
        done = run(command, graph, "--budget", "0")
        assert done.returncode == 2 and b"more than 0 bytes" in done.stderr, command
    assert run("draw", graph, graph, "--view", "orders", "-o", path("o.png")).returncode == 2
    log = os.path.join(root, "data", "samples", "allocator.tenure-log")
    assert run("draw", log, "--view", "orders", "-o", path("o.png")).returncode == 3


@test("spill --sweep: more memory never costs more")
def _():
    rows = ask("spill", graph, "--budget", str(1000 * MB), "--sweep", "6")["sweep"]
    assert len(rows) == 6 and rows[0]["budget_bytes"] == 750 * MB and rows[-1]["overhead_seconds"] == 0
    costs = [row["overhead_seconds"] for row in rows]
    assert all(a >= b - 1e-12 for a, b in zip(costs, costs[1:]))


def conv(name, scratch, seconds, *algorithms):
    """A graph of x (2), y (3) and z (3): a convolution that has other algorithms, and a relu of no scratch."""
    ways = [{"name": way, "workspace_bytes": str(size * MB), "seconds": time} for way, size, time in algorithms]
    return path(name, json.dumps({
        "format": "tenure-graph", "version": 1, "outputs": [2],
        "tensors": [{"id": i, "name": "xyz"[i], "bytes": size * MB} for i, size in enumerate((2, 3, 3))],
        "ops": [{"id": 0, "name": "conv", "inputs": [0], "outputs": [1], "workspace_bytes": scratch * MB,
                 "seconds": seconds, "algorithms": ways},
                {"id": 1, "name": "relu", "inputs": [1], "outputs": [2], "seconds": .1}]}))


@test("spill: what an algorithm that is faster gains is said of each answer and budget")
def _():
    graph = conv("gains.json", 5, 1, ("fast", 4, .4))
    asked = "spill", graph, "--budget", str(10 * MB), "--sweep", "3"
    answer = ask(*asked)
    assert abs(answer["overhead_seconds"] + .6) < 1e-9 and answer["gap_ratio"] == 0
    assert abs(answer["overhead_bound_seconds"] + .6) < 1e-9
    plans = [row for row in answer["alternatives"] if row["name"] in ("order+plan", "move", "recompute")]
    assert len(plans) == 3 and len(answer["sweep"]) == 3
    for row in plans + answer["sweep"]:
        assert abs(row["overhead_seconds"] + .6) < 1e-9 and row["spilled_bytes"] == 0, row
        assert abs(row["overhead_ratio"] + .6 / 1.1) < 1e-9 and row["workspace_bytes"] == 4 * MB, row
    assert all(abs(row["overhead_bound_seconds"] + .6) < 1e-9 for row in answer["sweep"])
    assert "-54.55 % of compute" in run(*asked).stdout.decode()
    none = ask("spill", graph, "--budget", str(5 * MB), "--sweep", "2", status=1)
    assert all("overhead_seconds" not in row for row in none["alternatives"] if row["peak_bytes"] is None)


@test("spill: a bound below 0 is what plans save at most")
def _():
    skips, n = 60, 300
    ops = [{"id": i, "inputs": [0 if i <= skips else i], "outputs": [i + 1], "seconds": 1e-3, "workspace_bytes": 0}
           for i in range(n + 2 * skips)]
    for op in ops[skips:skips + n]:
        op["algorithms"] = [{"name": "fast", "workspace_bytes": 1000, "seconds": 9e-4}]
    for i, op in enumerate(ops[skips + n:]):
        op["inputs"].append(i + 1)
    graph = path("bound.json", json.dumps({
        "format": "tenure-graph", "version": 1, "outputs": [len(ops)], "ops": ops,
        "tensors": [{"id": i, "bytes": 100, "kind": "activation" if i else "input"} for i in range(len(ops) + 1)],
        "link": {way: [[1, 1e-4], [1000, .1]] for way in ("out", "in")}}))
    asked = "spill", graph, "--budget", "6200", "--time-limit", "0.2"
    answer = ask(*asked)
    assert answer["overhead_seconds"] <= 0 and answer["overhead_bound_seconds"] < 0 and not answer["optimal"], answer
    rows = [row for row in run(*asked).stdout.decode().splitlines() if row.startswith("At ")]
    assert len(rows) == 1 and rows[0].startswith("At most") and "no plan saves more (proved)" in rows[0], rows
    assert "-" not in rows[0], rows


@test("spill: an algorithm that takes more workspace and less time runs where there is room for it")
def _():
    for scratch in (0, 1):
        graph, plan = conv(f"larger-{scratch}.json", scratch, 1, ("fast", 4, .4), ("huge", 90, .1)), path("larger.json")
        answer = ask("spill", graph, "--budget", str(10 * MB), "--sweep", "5", "--least-bytes", "1")
        assert answer["optimal"] and abs(answer["overhead_seconds"] + .6) < 1e-9, answer["overhead_seconds"]
        assert answer["peak_bytes"] == answer["arena_bytes"] == 9 * MB and answer["workspace_bytes"] == 4 * MB
        assert answer["baseline_peak_bytes"] == max(6, 5 + scratch) * MB
        # The curve is not spread over what one huge workspace takes: that is its last point.
        assert [row["budget_bytes"] for row in answer["sweep"]] == [size * MB for size in (6, 7, 8, 9, 95)]
        assert [round(row["overhead_seconds"], 9) for row in answer["sweep"]] == [0, 0, 0, -.6, -.9]
        two = ask("spill", graph, "--budget", str(10 * MB), "--sweep", "2")["sweep"]
        assert [row["budget_bytes"] for row in two] == [6 * MB, 95 * MB]
        ask("spill", graph, "--budget", str(10 * MB), "-o", plan)
        assert ask("check", plan)["errors"] == 0 and ask("info", plan)["live_peak_bytes"] == 9 * MB
        written = read_json(plan)
        assert [row["algorithm"] for row in written["actions"]] == ["fast"]
        assert [row["bytes"] for row in written["buffers"] if row["name"] == "conv: workspace"] == [4 * MB]
        assert ask("spill", graph, "--budget", str(8 * MB))["overhead_seconds"] == 0
        full = conv("full.json", scratch, 1, ("fast", 4, .4), ("full", (2**63 - 1) // MB, .1))
        answer = ask("spill", full, "--budget", str(10 * MB), "--sweep", "3")
        assert abs(answer["overhead_seconds"] + .6) < 1e-9 and answer["sweep"][-1]["budget_bytes"] == 9 * MB
        own = ask("spill", graph, "--budget", str(10 * MB), "--no-workspace")
        assert own["overhead_seconds"] == 0 and own["workspace_bytes"] == 0


@test("spill -o: a plan whose offsets hold, with what a runtime does")
def _():
    plan = path("spill.json")
    ask("spill", graph, "--budget", str(800 * MB), "-o", plan)
    assert ask("check", plan)["errors"] == 0
    written = read_json(plan)
    kinds = {action["action"] for action in written["actions"]}
    assert {"move-out", "bring-back"} <= kinds
    assert written["arena_bytes"] <= 800 * MB
    assert any(buffer["name"] == "x (back)" for buffer in written["buffers"])


@test("spill -o: no stream overwrites what another one still reads")
def _():
    def op(i, inputs, output, stream):
        return {"id": i, "name": f"o{i}", "inputs": inputs, "outputs": [output], "seconds": 1, "stream": stream}

    def streams(name, sizes, *ops):
        return path(name, json.dumps({
            "format": "tenure-graph", "version": 1, "outputs": [len(sizes) - 1], "ops": ops,
            "tensors": [{"id": i, "bytes": size, "kind": "activation" if i else "input"} for i, size in enumerate(sizes)],
            "link": {way: [[1, 1e-6], [1000, 1e-3]] for way in ("out", "in")}}))

    # o2 would write over what o1, of another stream, may still read.
    shared = streams("shared.json", (100, 900, 100, 900, 100), op(0, [0], 1, 0), op(1, [1], 2, 1), op(2, [0], 3, 0),
                     op(3, [3], 4, 0))
    # What comes back is written after o3, not when o0 made it: it may share its place, although there are two streams.
    back = streams("back.json", (10, 900, 10, 900, 10, 10, 10), op(0, [0], 1, 0), op(1, [1], 2, 0), op(2, [2], 3, 0),
                   op(3, [3], 4, 0), op(4, [1, 4], 5, 0), op(5, [5], 6, 1))
    for graph, budget, moved, arena in (shared, 1200, 0, 2000), (back, 1000, 900, 920):
        plan = path("streams-plan.json")
        answer = ask("spill", graph, "--budget", str(budget), "-o", plan)
        assert answer["feasible"] and answer["spilled_bytes"] == moved and answer["peak_bytes"] <= budget
        assert answer["arena_bytes"] == arena, answer["arena_bytes"]
        checked = ask("check", plan)
        assert checked["errors"] == 0, checked["findings"]


@test("spill -o: what lies beside the arena stays there")
def _():
    owned = three_branches()
    owned["tensors"].append({"id": 9, "name": "weights", "bytes": 7 * MB, "kind": "constant"})
    owned["ops"][0]["inputs"].append(9)
    full, plan = path("owned.json", json.dumps(owned)), path("owned-spill.json")
    assert ask("info", full)["resident_bytes"] == 7 * MB
    ask("spill", full, "--budget", str(800 * MB), "-o", plan)
    assert ask("info", plan)["resident_bytes"] == 7 * MB


@test("schedule, spill: what fits beside residents says what both take")
def _():
    weights = three_branches()
    weights["tensors"].append({"id": 9, "name": "weights", "bytes": 1000 * MB, "kind": "constant"})
    weights["ops"][0]["inputs"].append(9)
    heavy = path("heavy.json", json.dumps(weights))
    plain, answer = (ask("schedule", name, "--budget", str(1500 * MB)) for name in (graph, heavy))
    assert answer["order"] == plain["order"] and answer["peak_bytes"] == plain["peak_bytes"]
    assert (plain["with_residents_bytes"], answer["with_residents_bytes"]) == (1450 * MB, 2450 * MB)
    assert plain["fits_with_residents"] is True and answer["fits_with_residents"] is False
    for budget, fits, words in ((1000, False, "more than the budget"), (3200, True, "within the budget")):
        answer = ask("spill", heavy, "--budget", str(budget * MB))
        assert answer["feasible"] and answer["resident_bytes"] == 1000 * MB
        assert answer["with_residents_bytes"] == answer["peak_bytes"] + 1000 * MB
        assert answer["fits_with_residents"] is fits, budget
        assert words in run("spill", heavy, "--budget", str(budget * MB)).stdout.decode(), budget
    for budget, words in ((1500, "more than the budget"), (2450, "within the budget")):
        text = run("schedule", heavy, "--budget", str(budget * MB), "--bytes").stdout.decode()
        assert "this order fits, beside the residents: 2,450,000,000 B in all, " + words in text, text
    none = ask("spill", heavy, "--budget", str(700 * MB), status=1)
    assert none["resident_bytes"] == 1000 * MB and none["fits_with_residents"] is False
    assert none["with_residents_bytes"] is None
    assert "residents" not in run("schedule", graph, "--budget", str(1450 * MB)).stdout.decode().lower()


@test("spill --order best: reorder first")
def _():
    answer = ask("spill", graph, "--budget", str(1450 * MB), "--order", "best")
    assert answer["overhead_seconds"] == 0 and answer["baseline_peak_bytes"] == 1450 * MB


@test("calibrate: segments, errors, and a model that spill takes")
def _():
    pairs = path("pairs.csv", "bytes,us\n" + "".join(
        f"{size},{20 + size / 12e3}\n" for size in (262144 << k for k in range(11))))
    model = path("link.json")
    answer = ask("calibrate", pairs, "-o", model)
    assert set(answer) >= {"segments", "median_error", "max_error"}
    (segment,) = answer["segments"]
    assert abs(segment["bytes_per_second"] / 12e9 - 1) < 1e-3
    assert abs(segment["latency_seconds"] - 20e-6) < 1e-7 and answer["max_error"] < 1e-3
    own = ask("spill", graph, "--budget", str(1200 * MB))["overhead_seconds"]
    fitted = ask("spill", graph, "--budget", str(1200 * MB), "--cost-model", model)["overhead_seconds"]
    assert abs(own - fitted) < 1e-4


@test("calibrate reads what standard input is, a file, a pipe or a socket")
def _():
    pairs = path("pairs.csv", "bytes,us\n" + "".join(f"{1 << k},{20 + (1 << k) / 12e3}\n" for k in range(18, 28)))
    with open(pairs, "rb") as opened:
        data = opened.read()
        opened.seek(0)
        wanted = dict(ask("calibrate", pairs), file="standard input")
        by_file = subprocess.run([cli, "calibrate", "-", "--json"], stdin=opened, capture_output=True, timeout=60)
    mine, its = socket.socketpair()
    mine.sendall(data)
    mine.close()
    by_socket = subprocess.run([cli, "calibrate", "-", "--json"], stdin=its, capture_output=True, timeout=60)
    for done in (by_file, run("calibrate", "-", "--json", stdin=data), by_socket):
        assert json.loads(done.stdout or "null") == wanted, done.stderr
    empty = run("calibrate", "-", stdin=b"")
    assert empty.returncode == 3 and b"is empty" in empty.stderr


@test("wrong usage is 2, what is no graph or no measurement is 3")
def _():
    csv = os.path.join(root, "data", "samples", "small-plan.csv")
    for status, arguments in ((2, ("spill", graph)), (2, ("spill", graph, "--budget", "x")),
                              (2, ("schedule", graph, "--method", "no-such")),
                              (2, ("spill", graph, "--budget", "1G", "--link", "no-such")),
                              (2, ("schedule",)), (3, ("schedule", csv)), (3, ("spill", csv, "--budget", "1G")),
                              (3, ("calibrate", path("none.csv"))), (3, ("calibrate", path("bad", "a b\nc d\n"))),
                              (3, ("spill", graph, "--budget", "1G", "--cost-model", path("none.csv")))):
        done = run(*arguments)
        assert done.returncode == status, f"{arguments}: {done.returncode}, expected {status}"
        assert done.stderr and not done.stdout, arguments


@test("spill: sums in another order are no overhead, and a faster algorithm takes less time")
def _():
    same = three_branches()
    for row, seconds in zip(same["ops"], (.5, .4, .2, .6, .1, .1, .1, .9)):
        row["seconds"] = seconds
        row.pop("algorithms", None)
    file = path("same.json", json.dumps(same))
    answer = ask("spill", file, "--budget", "3000MB", "--order", "best")
    assert answer["overhead_seconds"] == 0 and answer["overhead_ratio"] == 0, answer["overhead_seconds"]
    text = run("spill", file, "--budget", "3000MB", "--order", "best").stdout
    assert b"-0.0" not in text and b"0.0000 s  0.00 % of compute" in text, text
    faster = three_branches()
    faster["ops"][3]["algorithms"] = [{"name": "small", "workspace_bytes": 100 * MB, "seconds": .1}]
    file = path("faster.json", json.dumps(faster))
    answer = ask("spill", file, "--budget", "1900MB")
    assert abs(answer["overhead_seconds"] + .065) < 1e-12
    for row in answer["alternatives"]:
        assert not row["feasible"] or row["overhead_seconds"] <= 0, row
    assert "6.99 % shorter" in drawn(file, "--view", "budget", "--budget", "1900MB")


sys.exit(run_tests())
