#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory.py TENURE_CLI SOURCE_ROOT: who needs more memory than --memory-limit ends with a sentence and exit
status 3, whatever it was doing.  TAP.
"""
import gzip
import pickle
import struct

from onnx_bytes import message
from tap import *

LIMITS = ("8MiB", "13MiB", "21MiB", "40MiB", "256MiB")
ROWS = 150000


def is_sanitized():
    """A sanitizer's own memory is without bounds, so that there is no limit in such a build."""
    return b"__asan_init" in open(cli, "rb").read() or b"__tsan_init" in open(cli, "rb").read()


def limited(limit, *arguments):
    done = run(arguments[0], *arguments[1:], "--memory-limit", limit)
    text = done.stderr.decode("utf-8", "replace")
    assert done.returncode in (0, 1, 3), f"{arguments} in {limit}: exit status {done.returncode}: {text[-300:]}"
    if done.returncode == 3:
        assert "memory" in text or "limit" in text, f"{arguments} in {limit}: {text[-300:]}"
    return done.returncode


def try_all(*arguments, smallest=3, largest=0):
    """It needs more than the first limits and, where `largest` says so, not more than the last."""
    if is_sanitized():
        raise Skip("a sanitizer is built in")
    codes = [limited(limit, *arguments) for limit in LIMITS]
    print("#", arguments[0], *(f"{limit}: {code}" for limit, code in zip(LIMITS, codes)))
    assert codes[0] == smallest and codes[-1] == largest, codes
    assert codes == sorted(codes, key=lambda code: code != 3), f"a larger limit allows less: {codes}"


@test("a table of lives, read, checked, planned and drawn")
def _():
    rows = path("rows.csv", "id,lower,upper,size\n" + "".join(
        f"{i},{i},{i + 50},{64 * (i % 100 + 1)}\n" for i in range(ROWS)))
    picture = path("picture.png")
    try_all("info", rows)
    try_all("check", rows)
    try_all("plan", rows, "--strategy", "greedy-size", "-o", path("plan.json"))
    try_all("draw", rows, "-o", picture)
    left = [name for name in os.listdir(work.name) if name not in ("rows.csv", "plan.json", "picture.png")]
    assert not left, f"left behind: {left}"


@test("a log, read, replayed and converted")
def _():
    log = path("log.tenure-log", '{"format": "tenure-log", "version": 1}\n' + "".join(
        '{"t": %d, "event": "alloc", "address": "%#x", "bytes": 4096}\n' % (i, 4096 * i + 4096) for i in range(ROWS)))
    try_all("info", log)
    try_all("replay", log)
    try_all("convert", log, "-o", path("log.json"))


@test("a snapshot, and a graph")
def _():
    event = {"action": "alloc", "addr": 0, "size": 512, "stream": 0, "frames": [], "time_us": 0}
    trace = [dict(event, addr=512 * i) for i in range(ROWS)]
    full = path("snapshot.pickle")
    with open(full, "wb") as out:
        pickle.dump({"segments": [], "device_traces": [trace]}, out)
    try_all("info", full)
    n = 20000
    tensors = [{"id": i, "bytes": 64} for i in range(n)]
    ops = [{"id": i, "inputs": [i - 1] if i else [], "outputs": [i]} for i in range(n)]
    graph = path("graph.json", json.dumps({"format": "tenure-graph", "version": 1, "tensors": tensors, "ops": ops}))
    try_all("info", graph)
    try_all("schedule", graph, "--method", "greedy")


@test("a picture larger than the limit")
def _():
    if is_sanitized():
        raise Skip("a sanitizer is built in")
    assert limited("64MiB", "draw", buffers, "--size", "8000x8000", "-o", path("large.png")) == 3
    assert not os.path.exists(path("large.png"))


@test("gzip that unpacks to too much, by ratio and by sum")
def _():
    bomb = path("bomb.gz")
    with open(bomb, "wb") as out:
        out.write(gzip.compress(b"\0" * (300 << 20), 9))
    done = run("info", bomb, "--format", "csv")
    assert done.returncode == 3 and b"1000 times" in done.stderr, done.stderr
    rows = path("packed.csv.gz")
    with gzip.open(rows, "wb") as out:
        out.write(b"id,lower,upper,size\n" + b"".join(b"%d,0,1,64\n" % i for i in range(1000000)))
    done = run("info", rows, "--memory-limit", "4MiB" if is_sanitized() else "64MiB")
    assert done.returncode == 3 and (b"unpacks to more" in done.stderr or b"more memory is needed" in done.stderr), done.stderr
    assert is_sanitized() or run("info", rows, "--memory-limit", "512MiB").returncode == 0


def peak(full):
    """Exit status, and the most memory that `info` had."""
    # With a function to call it is forked, and does not begin with all that this script had at most.
    running = subprocess.Popen([cli, "info", full], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: None)
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    return running.returncode, used.ru_maxrss * 1024


def check_bound(name, data, status):
    """README.md: a file of n bytes takes at most 64 MiB and 256 n."""
    full = path(name)
    with open(full, "wb") as out:
        out.write(data)
    code, most = peak(full)
    print(f"# {name}: {len(data)} bytes, {most >> 20} MiB, exit {code}")
    assert code == status and (is_sanitized() or most <= (64 << 20) + 256 * len(data)), (code, most)


@test("lists that all tables share")
def _():
    with open(os.path.join(root, "tests", "fuzz", "corpus", "tflite", "small.tflite"), "rb") as model:
        data = bytearray(model.read())
    place = lambda at: at + struct.unpack_from("<I", data, at)[0]

    def field(table, slot):
        vtable = table - struct.unpack_from("<i", data, table)[0]
        return table + struct.unpack_from("<H", data, vtable + 4 + 2 * slot)[0]

    n, data = 8000, data + bytes(-len(data) % 4)
    subgraphs = place(field(place(0), 2))
    operators, new = field(place(subgraphs + 4), 3), len(data)
    # n times the same operator, whose inputs are a list of n
    struct.pack_into("<I", data, operators, new - operators)
    table = new + 4 + 4 * n
    data += struct.pack("<I", n) + b"".join(struct.pack("<I", table - new - 4 - 4 * i) for i in range(n))
    data += struct.pack("<iII", -12, 20, 20 + 4 * n) + struct.pack("<HHHHHH", 10, 12, 0, 4, 8, 0)
    data += struct.pack("<I", n) + bytes(4 * n) + struct.pack("<I", 0)
    check_bound("shared.tflite", bytes(data), 3)


def model(functions, name="n"):
    def call(function, at):
        return message(at, message(1, "x") + message(2, "y") + message(3, name) + message(4, function) + message(7, "f"))
    text = message(7, call("f0", 1) + message(11, message(1, "x")))
    for i, (width, what) in enumerate(functions):
        body = b"".join(message(7, message(1, "p") + message(2, "q%d" % k) + message(3, name) + message(4, what)
                                + (message(7, "f") if what != "Neg" else b"")) for k in range(width))
        text += message(25, message(1, "f%d" % i) + message(4, "p") + message(5, "q0") + message(10, "f") + body)
    return b"\x08\x08" + text + message(8, message(1, "") + b"\x10\x0d")


@test("functions that call functions that call functions")
def _():
    check_bound("laugh.onnx", model([(2, f"f{i + 1}") for i in range(20)] + [(2, "Neg")]), 3)
    check_bound("wide.onnx", model([(300, "f1"), (300, "f2"), (300, "Neg")]), 3)
    check_bound("names.onnx", model([(100, "f1"), (100, "f2"), (5, "Neg")], "n" * 60000), 3)


@test("values in values in values, and names of 5 MB")
def _():
    deep, long = "[" * 500000 + "]" * 500000, "n" * 5000000
    alloc = '{"format": "tenure-log", "version": 1}\n{"t": 1, "event": "alloc", "address": "0x1000", "bytes": 64, %s}\n'
    for name, text, status in (
            ("deep-graph.json", '{"format": "tenure-graph", "version": 1, "x": ' + deep + "}", 3),
            ("deep-plan.json", '{"format": "tenure-plan", "version": 1, "x": ' + deep + "}", 3),
            ("deep.json", '{"segments": [], "device_traces": [], "x": ' + deep + "}", 0),
            ("deep.tenure-log", alloc % f'"x": {deep}', 0),
            ("long.tenure-log", alloc % f'"name": "{long}"', 0),
            ("long.csv", f"id,lower,upper,size\n{long},0,1,4\n", 0)):
        check_bound(name, text.encode(), status)


@test("what is piped in is counted too")
def _():
    done = run("info", "-", "--memory-limit", "1MiB" if is_sanitized() else "16MiB", stdin=b"x" * (40 << 20))
    assert done.returncode == 3 and b"the limit" in done.stderr or b"memory" in done.stderr, done.stderr


@test("a limit that is no size, or too small to start")
def _():
    assert run("info", buffers, "--memory-limit", "lots").returncode == 2
    if not is_sanitized():
        assert limited("1MiB", "info", buffers) in (0, 3)


if __name__ == "__main__":
    sys.exit(run_tests())
