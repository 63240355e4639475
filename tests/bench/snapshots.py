#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""snapshots.py SOURCE EVENTS TARGET: a PyTorch snapshot of at least so many events: a real one, repeated."""
import os
import pickle
import sys


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def repeat(source, n_events, target):
    """The trace over and over; what is alive at the end of a round is freed before the next one."""
    with open(source, "rb") as file:
        snapshot = PlainUnpickler(file).load()
    traces = snapshot["device_traces"]
    device = max(range(len(traces)), key=lambda i: len(traces[i]))
    alive, core = {}, []
    for event in traces[device]:
        if event["action"] == "alloc":
            alive[event["addr"]] = event
        elif event["action"] not in ("free_requested", "free_completed") or event["addr"] not in alive:
            continue
        core.append(event)
        if event["action"] == "free_completed":
            del alive[event["addr"]]
    start = core[0].get("time_us") or 0
    span = (core[-1].get("time_us") or 0) - start + 1000
    events, round_ = [], 0
    while len(events) < n_events:
        for event in core:
            events.append(dict(event, time_us=(event.get("time_us") or 0) + round_ * span))
        round_ += 1
        if len(events) < n_events:
            for event in alive.values():
                for action in ("free_requested", "free_completed"):
                    events.append(dict(event, action=action, time_us=start + round_ * span - 500))
    snapshot["device_traces"] = [events if i == device else [] for i in range(len(traces))]
    with open(target + ".part", "wb") as file:
        pickle.dump(snapshot, file, 4)
    os.rename(target + ".part", target)


if __name__ == "__main__":
    repeat(sys.argv[1], int(sys.argv[2]), sys.argv[3])
