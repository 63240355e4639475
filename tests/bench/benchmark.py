#!/usr/bin/env python3
"""benchmark.py TENURE_CLI BENCH_RENDER SOURCE_ROOT SHARED BUILD_DIR: the figures that must hold on a
snapshot of two million events.

`tenure-cli info` against CPython's pickle.load of the same file (collector off, best of the runs of
each, in turns; by the clock and by processor time, of which the better one counts: on a busy machine
either is bent by others), its peak memory with the mapped file counted, and the time that the dense layers take at several zooms.  Prints a table, writes BUILD_DIR/benchmark.json, exits 1 where a target is missed.
The snapshot is a real one (or, where ../shared is missing, the project's own sample) repeated.
"""
import json
import os
import subprocess
import sys
import time

from snapshots import repeat

cli, bench_render, root, shared, build = sys.argv[1:6]
EVENTS = 2_000_000
LEAST_RATIO, AIM_RATIO, MOST_MIB, MOST_MS, AIM_PREPARE_MS = 6.0, 10.0, 400.0, 150.0, 300.0


def snapshot_of_millions():
    real = os.path.join(shared, "samples", "pytorch", "magma27_cs336_memory_snapshot.pickle")
    own = os.path.join(root, "data", "samples", "transformer-oom.pickle")
    source = real if os.path.exists(real) else own
    if source == own:
        print("../shared is not here: the project's own sample is repeated instead")
    target = os.path.join(build, f"benchmark-{os.path.splitext(os.path.basename(source))[0]}.pickle")
    if not os.path.exists(target):
        child = os.fork()  # so that the tables of the generator are gone before anything is timed
        if child == 0:
            repeat(source, EVENTS, target)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, "the snapshot could not be made"
    return target


def run(argv):
    """Wall seconds, processor seconds, peak MiB, status and standard output of a program."""
    out = os.path.join(build, "benchmark.out")
    with open(out, "wb") as file:
        start = time.perf_counter()
        child = subprocess.Popen(argv, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    with open(out, "rb") as file:
        return (seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, child.returncode,
                file.read())


LOAD = """import gc, pickle, sys, time
gc.disable()
wall, cpu = time.perf_counter(), time.process_time()
with open(sys.argv[1], 'rb') as file:
    snapshot = pickle.load(file)
print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)
import os; os._exit(0)"""


def main():
    path = snapshot_of_millions()
    info_wall, info_cpu, load_wall, load_cpu, memory, load_memory = [], [], [], [], [], []
    for _ in range(5):
        for _ in range(2):
            wall, cpu, mib, status, text = run([cli, "info", "--json", path])
            assert status == 0
            info_wall.append(wall)
            info_cpu.append(cpu)
            memory.append(mib)
        _, _, mib, status, out = run([sys.executable, "-c", LOAD, path])
        assert status == 0
        load_wall.append(float(out.split()[0]))
        load_cpu.append(float(out.split()[1]))
        load_memory.append(mib)
    info = json.loads(text)
    layers = subprocess.run([bench_render, path], capture_output=True)
    pictures = json.loads(layers.stdout)
    ratio, wall_ratio = min(load_cpu) / min(info_cpu), min(load_wall) / min(info_wall)
    slowest = max(max(row["offsets_ms"], row["lanes_ms"]) for row in pictures["layers"])
    rows = [
        ("pickle.load, s of cpu", min(load_cpu), None, ""),
        ("tenure-cli info, s of cpu", min(info_cpu), None, ""),
        ("pickle.load, s", min(load_wall), None, ""),
        ("tenure-cli info, s", min(info_wall), None, ""),
        ("times faster, by cpu time", ratio, None, ""),
        ("times faster, by the clock", wall_ratio, None, ""),
        ("times faster", max(ratio, wall_ratio), max(ratio, wall_ratio) >= LEAST_RATIO, f"at least {LEAST_RATIO:.0f}, aim {AIM_RATIO:.0f}"),
        ("pickle.load, peak MiB", max(load_memory), None, ""),
        ("tenure-cli info, peak MiB", max(memory), max(memory) <= MOST_MIB, f"at most {MOST_MIB:.0f}"),
        ("prepare the pictures, ms", pictures["prepare_ms"], None, f"aim {AIM_PREPARE_MS:.0f}"),
        ("slowest layer 1600x900, ms", slowest, slowest <= MOST_MS, f"at most {MOST_MS:.0f}"),
    ]
    print(f"{os.path.basename(path)}: {os.path.getsize(path) / 1e6:.0f} MB, {info['events']} events, "
          f"{info['buffers']} buffers")
    for name, value, is_good, target in rows:
        print(f"{name:28} {value:10.2f}  {'' if is_good is None else 'ok' if is_good else 'MISSED':7} {target}")
    print(layers.stderr.decode(), end="")
    result = {"events": info["events"], "load_seconds": min(load_wall), "info_seconds": min(info_wall),
              "load_cpu_seconds": min(load_cpu), "info_cpu_seconds": min(info_cpu), "cpu_ratio": ratio, "wall_ratio": wall_ratio,
              "info_peak_bytes": int(max(memory) * 1048576), "pictures": pictures}
    print(json.dumps(result))
    with open(os.path.join(build, "benchmark.json"), "w") as file:
        json.dump(result, file, indent=1)
    return any(is_good is False for _, _, is_good, _ in rows)


sys.exit(main())
