#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_edits.py TENURE_CLI SOURCE_ROOT: lists of what-if edits that name very many ops, or the same ones very
often.  TAP; a slow suite.
"""
import json

from hostile_help import *
from tap import run_tests, sys, test


def graph(name, n_tensors, ops):
    tensors = [{"id": i, "name": "t%d" % i, "bytes": 64} for i in range(n_tensors)]
    return path(name, json.dumps({"format": "tenure-graph", "version": 1, "tensors": tensors, "ops": ops}))


def edit(full, rows, most=SECONDS):
    edits = path("edits.json", json.dumps({"format": "tenure-edits", "version": 1, "edits": rows}))
    try_all(full, ("info", "--json", "--edits", edits), most=most)


def chain(name, n):
    return graph(name, n + 1, [{"name": "op%d" % i, "inputs": [i], "outputs": [i + 1]} for i in range(n)])


@test("100,000 ops by name become one")
def _():
    edit(chain("fuse.json", 100000), [{"edit": "fuse", "ops": ["op%d" % i for i in range(100000)]}])


@test("20,000 views of two ops in turn, twice")
def _():
    wide = graph("views.json", 20004, [{"name": "op%d" % k, "inputs": [k], "outputs": list(range(2 + 10001 * k, 2 + 10001 * (k + 1)))}
                                       for k in (0, 1)])
    rows = [{"edit": "view", "tensor": "#%d" % (2 + 10001 * k + i), "input": "#%d" % k} for i in range(10000) for k in (0, 1)]
    edit(wide, rows + rows)


@test("splits of splits")
def _():
    edit(chain("splits.json", 10), [{"edit": "split", "op": "#0", "tasks": 1024}] * 20000, most=3 * SECONDS)


sys.exit(run_tests())
