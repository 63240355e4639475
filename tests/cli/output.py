#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""output.py TENURE_CLI SOURCE_ROOT: what is printed and written stays what it says it is, whatever a
file holds or is called.  TAP."""
import glob
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import xml.dom.minidom

from tap import ask, broken, cli, path, root, run, run_tests, snapshot, test, work

# Controls of all kinds, a forged row, letters from right to left, what XML forbids, what looks like an id.
NAME = "a\u0001b\x1b]0;title\x07\x1b[2J\nforged row\u202eabc\uffff\ufffe\x7f\u009b2J url(#x id=\"y"
FOUND_ON_A_TERMINAL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def plan_named(name):
    row = {"id": 0, "name": name, "start": 0, "end": 10, "bytes": 65536, "offset": 0, "batch_label": name}
    other = {"id": 1, "name": "other", "start": 0, "end": 5, "bytes": 64, "offset": 16}
    full = os.path.join(os.fsencode(work.name), b"bad\xff\xfe\x1bname.json")
    with open(full, "w") as out:
        json.dump({"format": "tenure-plan", "version": 1, "axis": {"end": 10}, "buffers": [row, other]}, out)
    return full


COMMANDS = (["info", "--group-by", "batch"], ["check"], ["plan", "--against", "recorded"],
            ["check", "--neighbours", "other"], ["check", "--neighbours", "nobody\x1b[2J"], ["replay"])


@test("no control character of a file or its name reaches the terminal, and no line is forged")
def _():
    full, larger = plan_named(NAME), path("larger.json")
    for command in COMMANDS:
        done = run(command[0], full, *command[1:])
        text = (done.stdout + done.stderr).decode()  # UTF-8, or this fails
        assert text and not FOUND_ON_A_TERMINAL.search(text), f"{command}: {text!r}"
        assert not re.search("^forged", text, re.M), f"{command}: {text!r}"
    with open(full, encoding="utf-8") as file:
        path("larger.json", file.read().replace("65536", "131072"))
    text = run("diff", full, larger).stdout.decode()
    assert "forged row" in text and not FOUND_ON_A_TERMINAL.search(text), repr(text)


@test("JSON of a file whose name is no UTF-8 is UTF-8, and keeps the names of buffers")
def _():
    full = plan_named(NAME)
    assert ask("info", full)["file"].endswith("bad\ufffd\ufffd\x1bname.json")
    groups = ask("info", full, "--group-by", "batch")["devices"][0]["alive_at_peak"]["rows"]
    assert NAME in [row["name"] for row in groups]
    lines = run("info", full, full, os.path.join(os.fsencode(work.name), b"none\xff"), "--json").stdout
    assert [json.loads(line)["file"].endswith("name.json") for line in lines.splitlines()] == [True, True, False]


@test("pictures and reports are well formed whatever a file holds")
def _():
    full, svg, html = plan_named(NAME), path("o.svg"), path("o.html")
    for view in ("lifetimes", "offsets", "report", "live-set"):
        done = run("draw", full, "--view", view, "--select", "other", "-o", svg)
        assert done.returncode == 0 and b"WARNING" not in done.stderr, done.stderr
        assert "bad\ufffd\ufffd" in xml.dom.minidom.parse(svg).documentElement.toxml()
    done = run("draw", full, "-o", html)
    assert done.returncode == 0 and b"WARNING" not in done.stderr, done.stderr
    with open(html, encoding="utf-8") as file:
        text = file.read()
    assert not re.search("&#x(1|1b|7|7f|9b|ffff);", text) and "bad\ufffd\ufffd\ufffdname.json" in text
    # An id within a text is none: only those of pictures are made unique.
    assert "url(#x id=" in text and not re.search("url\\(#[a-z0-9]+-x", text)


@test("a report names a file behind --option= by its name alone")
def _():
    html = path("r.html")
    assert run("draw", broken, f"--diff={broken}", "-o", html).returncode == 0
    with open(html, encoding="utf-8") as file:
        text = file.read()
    assert f"--diff={os.path.basename(broken)}" in text and root not in text


@test("a comparison names the file of an order by its name alone, whatever its bytes are")
def _():
    tree, html, svg = os.path.join(root, "data", "samples", "tree-graph.json"), path("two.html"), path("two.svg")
    folder = os.fsencode(path("secret"))
    os.makedirs(folder, exist_ok=True)
    for name, shown in ((b"order.json", "order.json"), (b"\xf6rder.json", "\ufffdrder.json")):
        order = os.path.join(folder, name)
        assert run("schedule", tree, "--method", "greedy", "-o", order).returncode == 0
        for page in (html, svg):
            done = run("draw", tree, "--diff", tree, "--a-order", order, "--b-order", order, "-o", page)
            assert done.returncode == 0, done.stderr
            with open(page, encoding="utf-8") as file:
                text = file.read()
            assert shown in text and "secret" not in text, page


def hashes(full):
    with open(full, encoding="utf-8") as file:
        return set(re.findall(r"\b[0-9a-f]{64}\b", file.read()))


@test("a report of what can't be read twice ends, and has no hash")
def _():
    pipe, html = path("pipe"), path("pipe.html")
    path("standard input", "another file")
    with open(broken, "rb") as file:
        data = file.read()
    assert run("draw", broken, "-o", html).returncode == 0
    assert hashes(html) == {hashlib.sha256(data).hexdigest()}
    os.mkfifo(pipe)
    writer = subprocess.Popen(["cp", broken, pipe])
    assert run("draw", pipe, "-o", html).returncode == 0 and writer.wait() == 0 and not hashes(html)
    for name in ("-", "/dev/stdin"):
        done = subprocess.run([cli, "draw", name, "-o", html], input=data, cwd=work.name, capture_output=True,
                              timeout=60)
        assert done.returncode == 0 and not hashes(html), f"{name}: {done.stderr} {hashes(html)}"


def graph():
    names = glob.glob(os.path.join(root, "data", "samples", "*.json"))
    for name in sorted(names):
        with open(name) as file:
            if '"tenure-graph"' in file.read(200):
                return name
    raise AssertionError("no sample of a graph")


@test("-o - is one document on standard output")
def _():
    times = path("times.csv", "bytes,seconds\n" + "".join(f"{1 << i},{1e-5 + (1 << i) / 1e10}\n" for i in range(10, 24)))
    for command in (["plan", broken, "--strategy", "greedy-size"], ["plan", graph()], ["schedule", graph()],
                    ["schedule", graph(), "--log"], ["spill", graph(), "--budget", "1GiB"], ["calibrate", times],
                    ["convert", broken]):
        done = run(*command, "-o", "-")
        assert done.returncode == 0, f"{command}: {done.returncode} {done.stderr}"
        json.loads(done.stdout)
        both = run(*command, "-o", "-", "--json")
        assert both.returncode == 2 and not both.stdout, f"{command}: {both.returncode}"


def model(name):
    """An ONNX model of x[N, 1024] → Relu → Relu, by hand."""
    def field(number, value):
        if isinstance(value, int):
            return bytes([number << 3, value])
        size, head = len(value), bytes([number << 3 | 2])
        while size > 127:
            head, size = head + bytes([size & 127 | 128]), size >> 7
        return head + bytes([size]) + value

    def tensor(name):
        dims = field(1, field(2, b"N")) + field(1, b"\x08\x80\x08")
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))

    def relu(a, b):
        return field(1, field(1, a) + field(2, b) + field(3, a + b) + field(4, b"Relu"))

    whole = relu(b"x", b"y") + relu(b"y", b"z") + field(2, b"g") + field(11, tensor(b"x")) + field(12, tensor(b"z"))
    full = path(name)
    with open(full, "wb") as out:
        out.write(field(1, 8) + field(7, whole) + field(8, field(2, 17)))
    return full


@test("buckets keep plan's options, or refuse them")
def _():
    full = model("relu.onnx")
    buckets = ["--bucket", "N=4", "--bucket", "N=8"]
    rows = ask("plan", full, *buckets)["buckets"]
    assert [row["arena_bytes"] for row in rows] == [2 * rows[0]["arena_bytes"] // 2, 2 * rows[0]["arena_bytes"]]
    least = rows[0]["arena_bytes"]
    fits = ask("plan", full, *buckets, "--capacity", str(least), status=1)["buckets"]
    assert [row["fits"] for row in fits] == [True, False]
    assert run("plan", full, *buckets, "--capacity", str(least)).returncode == 1
    assert run("plan", full, *buckets, "--capacity", "1GiB").returncode == 0
    least_only = ("plan", full, *buckets, "--capacity", str(least), "--serve")
    assert ask(*least_only, "N=3", status=1)["served_by"] == "N=4"
    assert "served_by" not in ask(*least_only, "N=6", status=1)
    assert b"N=6 is served by none of them: N=8 would, but does not fit" in run(*least_only, "N=6").stdout
    assert run("plan", full, *buckets, "--order", "greedy").returncode == 0
    for wrong in (["--capacity", "junk"], ["--order", "nothing"], ["--ge", "junk"], ["--against", "ge"],
                  ["--compact-at", "1"], ["-o", "-"]):
        done = run("plan", full, *buckets, *wrong)
        assert done.returncode == 2 and done.stderr, f"{wrong}: {done.returncode}"
    assert not glob.glob("--N=*")


@test("an answer of a fleet that cannot be kept is no answer")
def _():
    done = subprocess.run([cli, "info", "--json", "--jobs", "2", snapshot, broken], capture_output=True, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 3 and rows[0]["exit_status"] == 3 and "can't be kept" in rows[0]["error"], rows


sys.exit(run_tests())
