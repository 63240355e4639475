#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_plans.py TENURE_CLI SOURCE_ROOT: graphs and plans that are bad for planners, orders and checks
that look at all pairs.  TAP; a slow suite.
"""
from tap import *
from hostile_help import *

def graph(name, ops, tensors):
    return path(name, json.dumps({"format": "tenure-graph", "version": 1, "ops": ops, "tensors": tensors}))


def op(i, inputs, outputs):
    return {"id": i, "name": "op", "type": "Relu", "inputs": inputs, "outputs": outputs}


def plan(name, buffers, end, head=""):
    full = path(name)
    with open(full, "w") as out:
        out.write('{"format": "tenure-plan", "version": 1, "axis": {"end": %d}%s, "buffers": [\n' % (end, head))
        out.write(",\n".join(buffers) + "]}")
    return full


@test("50,000 independent ops: an order in about its time limit")
def _():
    n = 50000
    full = graph("wide.json", [op(i, [], [i]) for i in range(n)], [{"id": i, "bytes": 64 + i % 7} for i in range(n)])
    try_all(full, ("schedule", "--method", "greedy", "--time-limit", "1"), most=6)


@test("two equal chains of 100,000 ops")
def _():
    n = 100000
    ops = [op(i, [i - 1 if i % n else 2 * n], [i]) for i in range(2 * n)]
    ops.append(op(2 * n, [n - 1, 2 * n - 1], [2 * n + 1]))
    full = graph("twins.json", ops, [{"id": i, "bytes": 64} for i in range(2 * n + 2)])
    try_all(full, ("schedule", "--method", "exact", "--time-limit", "1"), most=8)


@test("3,000 buffers that share with nobody, and 3,000 batches")
def _():
    row = '{"id": %d, "start": %d, "end": %d, "bytes": 64, "batch_label": "b%d"%s}'
    full = plan("apart.json", [row % (i, i, i + 1, i % 3000, ', "flags": ["no-reuse"]' if i >= 3000 else "")
                               for i in range(6000)], 6000)
    try_all(full, PLAN)


@test("300 memories, none of which comes to its bound: one time limit for all")
def _():
    row = '{"id": %d, "start": 0, "end": 2, "bytes": 5, "alignment": 4, "space": %d}'
    full = plan("spaces.json", [row % (i, i // 2) for i in range(600)], 2,
                ', "spaces": [%s]' % ",".join('{"name": "s%d"}' % i for i in range(300)))
    try_all(full, ("plan", "--strategy", "search", "--time-limit", "1"), most=4)


@test("40,000 memories, each with a batch of its own: each sums up its own rows")
def _():
    n = 40000
    row = '{"id": %d, "start": %d, "end": %d, "bytes": 64, "offset": 0, "space": %d, "batch_label": "b%d"}'
    full = plan("labels.json", [row % (i, i, i + 2, i, i) for i in range(n)], n + 2,
                ', "spaces": [%s]' % ",".join('{"name": "s%d"}' % i for i in range(n)))
    try_all(full, ("diff", full), most=5)


@test("a row of 200,000 gaps over 1,000 rows that overlap it")
def _():
    gaps = ",".join("[%d,%d]" % (2 * i + 1, 2 * i + 2) for i in range(200000))
    rows = ['{"id": %d, "start": 0, "end": 400002, "bytes": 64, "offset": 0}' % i for i in range(1, 1001)]
    rows.append('{"id": 0, "start": 0, "end": 400002, "bytes": 64, "offset": 0, "gaps": [%s]}' % gaps)
    try_all(plan("gaps.json", rows, 400002), ("check", "--json"), most=5)


@test("an op with 150,000 outputs, in two files")
def _():
    n = 150000
    twice = [graph("outputs%d.json" % k, [op(0, [], list(range(n)))],
                   [{"id": i, "bytes": 64 + 64 * k} for i in range(n)]) for k in range(2)]
    try_all(twice[0], ("diff", twice[1]), most=8)


sys.exit(run_tests())
