#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_runtimes.py TENURE SAMPLE: a large graph is planned as other runtimes plan it, which names workspaces that
the file has not, while the pointer asks for labels.  For the thread sanitizer: window.sh."""
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "window"))
from driving import *

N_OPS = 60000
graph = os.path.join(work, "net.json")
with open(graph, "w") as f:
    json.dump({"format": "tenure-graph", "version": 1, "name": "net", "outputs": [N_OPS],
               "tensors": [{"id": i, "name": "tensor%d" % i, "shape": [1000 + i * 7 % 300], "dtype": "int8"}
                           for i in range(N_OPS + 1)],
               "ops": [{"id": i, "name": "conv%d" % i, "type": "Conv", "inputs": [i], "outputs": [i + 1],
                        "algorithms": [{"name": "mlas", "workspace_bytes": 512 + i % 9},
                                       {"name": "im2col", "workspace_bytes": 700 + i % 5}]} for i in range(N_OPS)]}, f)

window = start(graph)
s = wait_for(lambda s: s.get("lanes", [0, 0, 0])[2] > 100 and s.get("arena_bytes", 0) > 0, 60)
check(s.get("arena_bytes", 0) > 0, "the graph opens", s)
for row, name in ((1, "onnxruntime"), (2, "tflite")):
    xdo("key", "ctrl+p")
    time.sleep(1)
    xdo("key", "space")
    time.sleep(0.8)
    xdo("key", "Home", *["Down"] * row)
    xdo("key", "Return")
    time.sleep(0.6)
    xdo("key", "alt+p", "Escape")
    for i in range(60):
        xdo("mousemove", 300 + 10 * i, 450 + 37 * i % 250)
        if i % 4 == 0:
            xdo("click", 4)
        time.sleep(0.01)
    s = wait_for(lambda s: s.get("preset") == name, 40)
    check(s.get("preset") == name, "planned as %s" % name, s)
check(window.poll() is None, "the window is still there")
window.terminate()
window.wait()
finish()
