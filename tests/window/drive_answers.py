#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_answers.py TENURE SAMPLE CLI: what the window says: the header, exact figures, what tells of an export that
worked or failed; that reading is cancelled at once; the size that is kept."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

cli = sys.argv[3]
N_BLOCKS = 3000  # of 500 events: read in some seconds

# ---- the header, and exact figures -----------------------------------------------------------------
done = subprocess.run([cli, "info", sample], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
info = dict(line.split(None, 1) for line in done.stdout.replace("Live peak", "Peak").splitlines())
below = "GPU 0 · peak %s · %s events" % (info["Peak"].split(" at ")[0], info["Events"])
window, s = open_sample()
now = wait_layout(window, has(below))
name = os.path.basename(sample)
check({name, below} <= set(texts(now)) and now[0]["title"] == name,
      "the header has the file’s name, below it peak and events as `info` says", (below, texts(now)[:12]))


def facts(windows):
    """The side pane's facts: what is said of each, and what its tooltip adds."""
    everything = windows[0]["widgets"]
    found = {}
    for at in (w for w in everything if w["type"] == "GtkBox" and "tip" in w):
        inside = [w["text"] for w in everything if "text" in w and is_within(w["rect"], at["rect"])]
        found[inside[0]] = (inside[1], at["tip"])
    return found


click_largest(s)
now = wait_layout(window, lambda w: "Address" in facts(w))
known = facts(now)
address = known.get("Address", ("0x0", ""))
check(known.get("Size") == ("192.0 MiB", "201,326,592 B"), "the size is there to the byte, in groups", known)
check(address == ("0x7f5ebc200000", "140,044,859,867,136") and int(address[0], 16) == int(address[1].replace(",", "")),
      "the address in hexadecimal and decimal", known)

# ---- saving: what worked is a toast, what failed a dialog ------------------------------------------
out = os.path.join(work, "picture.png")


def save_picture(name):
    xdo("key", "ctrl+shift+s")
    wait_layout(window, lambda w: len(w) == 2)
    time.sleep(0.5)
    xdo("key", "Tab")
    xdo("key", "Return")
    wait_layout(window, has("Create Folder"), 5)
    time.sleep(0.5)
    xdo("key", "ctrl+a")
    xdo("type", "--delay", "5", name)
    xdo("key", "Return")


save_picture("/proc/none.png")
now = wait_layout(window, has("can’t be saved"))
check(has("can’t be saved")(now) and len(now) == 2 and not toasts(now),
      "an export that failed is a dialog with the reason, and no toast", texts(now)[-20:])
xdo("key", "Escape")
now = wait_layout(window, lambda w: len(w) == 1)
check(len(now) == 1 and not toasts(now), "it can be closed", [w["title"] for w in now])
save_picture(out)
now = wait_layout(window, toasts)
check("Saved as “picture.png”" in texts(now) and "Show" in texts(now) and len(now) == 1 and os.path.exists(out),
      "one that worked is a toast with Show", texts(now)[-20:])

# ---- cancelling ------------------------------------------------------------------------------------
large = os.path.join(work, "large.tlog")
with open(large, "w") as f:
    f.write('{"format": "tenure-log", "version": 1, "device_bytes": 8589934592}\n')
    block = "".join('{"event": "alloc", "address": %d, "bytes": %d, "name": "t%d"}\n' % (2**32 + i * 2**17, 512 * (i + 1), i)
                    for i in range(250))
    block += "".join('{"event": "free", "address": %d}\n' % (2**32 + i * 2**17) for i in range(250))
    for _ in range(N_BLOCKS):
        f.write(block)


def cancel():
    """Milliseconds from the key to the page that is there again; None where nothing was being read."""
    xdo("key", "ctrl+o")
    wait_layout(window, lambda w: len(w) == 2)
    time.sleep(0.3)
    xdo("type", "--delay", "5", large)
    time.sleep(0.2)
    xdo("key", "Return")
    if not has("Cancel")(wait_layout(window, lambda w: len(w) == 1 and has("Cancel")(w))):
        return None
    time.sleep(0.2)
    begin = time.time()
    xdo("key", "alt+c")
    now = wait_layout(window, lacks("Cancel"), 30, 0.0)
    return 1000 * (time.time() - begin) if below in texts(now) else None


took = [cancel() for _ in range(5)]
print("# cancelled after %s ms" % ", ".join("%.0f" % ms for ms in took if ms))
# The clock also counts the key's own way, the looking, and the waits for a processor that others have: two of five count.
check(all(took) and sorted(took)[1] <= 200, "reading is cancelled within 200 ms, and the view before is there again", took)
xdo("key", "p")
s = wait_for(lambda s: s.get("cursor") == 4272)
check(s.get("cursor") == 4272 and s.get("axis_end") == 4587 and s.get("selected", -1) >= 0,
      "as it was, with its selection, and it answers", s)
end(window)

# ---- what a report in totals says of a figure, and the figure to the byte ---------------------------
report = os.path.join(work, "arena.log")
with open(report, "w") as f:
    for words in ("Arena allocation total 4096 bytes", "Arena allocation head 3072 bytes", "Arena allocation tail 1024 bytes",
                  "'TfLiteTensor data' used 2048 bytes with alignment overhead (requested 1990 bytes for 4 allocations)"):
        f.write("[RecordingMicroAllocator] %s\n" % words)
window = start(report)
wait_for(lambda s: "axis_end" in s, 30)
now = wait_layout(window, lambda w: "TfLiteTensor data" in texts(w))
known = facts(now)
check(known.get("tail") == ("1.0 KiB", "1,024 B\npersistent"), "a row of the sum has its note", known)
check(known.get("TfLiteTensor data") == ("2.0 KiB", "2,048 B\nrequested 1990 bytes"), "and so has a detail", known)
end(window)
finish()
