#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_preset.py TENURE SAMPLE CLI: a graph planned as a runtime plans it: the arena of `tenure-cli plan
--preset`, the orders of `schedule --preset`, the budget of `spill --preset`; then as the file says again."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["TENURE_PLAIN_CELLS"] = "1"  # cells whose words can be read
from layouts import *

cli = sys.argv[3]
graph = os.path.join(work, "net.json")
with open(graph, "w") as f:  # sizes that 16, 64 and 512 + 32 bytes round differently; a view, an in-place op
    sizes = [1000, 3001, 2050, 777, 4099, 130, 2050]
    json.dump({"format": "tenure-graph", "version": 1, "name": "net",
               "tensors": [{"id": i, "name": "t%d" % i, "shape": [n], "dtype": "int8"} for i, n in enumerate(sizes)],
               "ops": [{"id": 0, "type": "Conv", "inputs": [0], "outputs": [1],
                        "algorithms": [{"name": "im2col", "workspace_bytes": 5000}]},
                       {"id": 1, "type": "Conv", "inputs": [1], "outputs": [2]},
                       {"id": 2, "type": "Relu", "inputs": [2], "outputs": [6]},
                       {"id": 3, "type": "Conv", "inputs": [1, 6], "outputs": [3]},
                       {"id": 4, "type": "Conv", "inputs": [3], "outputs": [4]},
                       {"id": 5, "type": "Conv", "inputs": [4, 3], "outputs": [5]}],
               "outputs": [5]}, f)


def ask(command, *options, file=graph):
    return json.loads(subprocess.run([cli, command, file, "--json"] + list(options), check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def arena(*options):
    return ask("plan", *options)["arena_bytes"]


names = [None, "onnxruntime", "tflite", "tflm", "ge"]
want = {name: arena("--preset", name) if name else arena() for name in names}
check(len(set(want.values())) >= 4, "the command line's arenas differ", want)
window = start(graph)
s = wait_for(lambda s: s.get("lanes", [0, 0, 0])[2] > 100 and s.get("arena_bytes", 0) > 0, 30)
for row in (3, 4, 2, 1, 0):
    plan_as(row)
    s = wait_for(lambda s: s["arena_bytes"] == want[names[row]] and s.get("preset") == (names[row] or ""), 6)
    check(s["arena_bytes"] == want[names[row]] and s.get("preset") == (names[row] or ""),
          "as %s: the arena of the command line" % (names[row] or "the file says"), (s["arena_bytes"], want, s.get("preset")))

# The table of ops has the figures of the rules that are shown.
def words(size):
    return "%d B" % size if size < 1024 else "%.1f KiB" % (size / 1024)


def first_op():
    """The cells of the first op, from the left."""
    cells = [w for w in widgets(window) if w["type"] == "GtkInscription" and "text" in w]
    top = min([w["rect"][1] for w in cells], default=0)
    return [w["text"] for w in sorted(cells, key=lambda w: w["rect"][0]) if w["rect"][1] == top]


def wait_op(want, seconds=6):
    end = time.time() + seconds
    while time.time() < end and first_op() != want:
        time.sleep(0.2)
    return first_op()


alive = {name: ask("schedule", "--method", "file", "--log", *(["--preset", name] if name else []))["steps"][0]["during_bytes"]
         for name in (None, "tflite")}
press("Ops")
want = ["0", "Conv", words(alive[None]), words(3001), "–"]
check(wait_op(want) == want, "an op of the file", (first_op(), want))
plan_as(2)
want = ["0", "Conv", words(alive["tflite"]), words(3001), words(5000)]
check(wait_op(want) == want, "as tflite: what is alive then, and the workspace", (first_op(), want))
plan_as(0)
want = ["0", "Conv", words(alive[None]), words(3001), "–"]
check(wait_op(want) == want, "and as the file says again", (first_op(), want))

# Orders and Budget are by the rules that are shown, and follow them.
order = {name: ask("schedule", *(["--preset", name] if name else [])) for name in (None, "tflite", "ge")}
peak = {name: order[name]["peak_bytes"] for name in order}
least = {name: ask("spill", "--budget", str(peak[name]), *(["--preset", name] if name else []))["smallest_budget_bytes"]
         for name in peak}
check(len(set(peak.values())) == 3 and len(set(least.values())) == 3, "the command line's peaks differ", (peak, least))
plan_as(2)
xdo("key", "5")
s = wait_for(lambda s: s.get("orders") == 9 and s.get("order_peak") == peak["tflite"], 60)
check(s.get("order_peak") == peak["tflite"], "as tflite: the peak of schedule --preset", (s.get("order_peak"), peak))
xdo("key", "alt+v")
path = os.path.join(work, "order.json")
name_file(path)
time.sleep(0.5)
with open(path) as f:
    saved = json.load(f)
check([saved[x] for x in ("peak_bytes", "arena_bytes")] == [order["tflite"][x] for x in ("peak_bytes", "arena_bytes")],
      "and its arena is saved", saved)
plan_as(4)
s = wait_for(lambda s: s.get("orders") == 9 and s.get("order_peak") == peak["ge"], 60)
check(s.get("order_peak") == peak["ge"], "another runtime: the orders are its", (s.get("order_peak"), peak))
xdo("key", "6")
half = {name: least[name] + (peak[name] - least[name]) // 2 for name in peak}
for row in (4, 2, 0):
    if row != 4:
        plan_as(row)
    name = names[row]
    s = wait_for(lambda s: s.get("budget_least") == least[name] and s.get("budget") == half[name], 60)
    check(s.get("budget_least") == least[name] and s.get("budget") == half[name],
          "as %s: the least budget of spill --preset, and half way" % (name or "the file says"),
          (s.get("budget_least"), s.get("budget"), least, half))

# An edit is made by the rules that are shown, which go on to hold, also when the file is read again.
edited = os.path.join(work, "edited.json")
with open(graph) as f:
    net = json.load(f)
net["tensors"][2]["shape"] = [9000]
with open(edited, "w") as f:
    json.dump(net, f)
plan_as(2)
show_maps()
select("t2")
add_edit("s")
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", "9000")
xdo("key", "Return")
after = ask("schedule", "--method", "file", "--preset", "tflite", file=edited)["peak_bytes"]


def is_edited(s):
    return (s.get("edits") == 1 and s.get("preset") == "tflite" and s.get("peak_before") == peak["tflite"]
            and s.get("peak_after") == after and not s.get("planning"))


check(is_edited(wait_for(is_edited, 10)), "an edit is by the rules of tflite, before and after",
      [state().get(x) for x in ("edits", "preset", "peak_before", "peak_after")] + [peak, after])
os.remove(state_file)
xdo("key", "F5")
check(is_edited(wait_for(is_edited, 10)), "and so it is once the file was read again",
      [state().get(x) for x in ("edits", "preset", "peak_before", "peak_after")] + [peak, after])

# Planned as the file says, the figures of the panel are so, too; and back.
def follow(name):
    """Whether before and after come to be those of the command line; they, and those."""
    options = ["--preset", name] if name else []
    want = [ask("schedule", "--method", "file", *options, file=f)["peak_bytes"] for f in (graph, edited)]
    s = wait_for(lambda s: s.get("preset") == (name or "") and not s.get("planning")
                 and [s.get("peak_before"), s.get("peak_after")] == want, 10)
    got = [s.get("peak_before"), s.get("peak_after")]
    return got == want and s.get("edits") == 1 and s.get("preset") == (name or ""), (got, want)


for row in (0, 4, 2):
    plan_as(row)
    good, got = follow(names[row])
    check(good, "an edit's figures follow to %s" % (names[row] or "the file's rules"), got)
check(window.poll() is None, "the window is still there")
window.kill()
finish()
