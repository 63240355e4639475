#!/bin/sh
# samples-same.sh MAKE_SAMPLES FOLDER: the committed samples are what the generator writes, and
# CPython reads the snapshot and would write the same bytes (where there is a Python).
set -eu
make_samples=$1
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "1..2"
status=0
"$make_samples" "$work" >/dev/null
if cmp "$work/transformer-oom.pickle" "$folder/transformer-oom.pickle" &&
   cmp "$work/small-plan.csv" "$folder/small-plan.csv" &&
   cmp "$work/tree-graph.json" "$folder/tree-graph.json" &&
   cmp "$work/branches-graph.json" "$folder/branches-graph.json" &&
   cmp "$work/broken-plan.json" "$folder/broken-plan.json"; then
  echo "ok 1 - the committed samples are what make-samples writes"
else
  echo "not ok 1 - the committed samples are what make-samples writes"
  status=1
fi
if ! command -v python3 >/dev/null; then
  echo "ok 2 - CPython writes the same bytes # SKIP no python3"
elif python3 - "$work/transformer-oom.pickle" <<'END'
import pickle, sys
data = open(sys.argv[1], "rb").read()
snapshot = pickle.loads(data)
for s in snapshot["segments"]:
    at = s["address"]
    for b in s["blocks"]:
        assert b["address"] == at
        at += b["size"]
    assert at == s["address"] + s["total_size"]
    active = [b for b in s["blocks"] if b["state"] == "active_allocated"]
    assert s["allocated_size"] == sum(b["size"] for b in active)
sys.exit(pickle.dumps(snapshot, 4) != data)
END
then
  echo "ok 2 - CPython writes the same bytes"
else
  echo "not ok 2 - CPython writes the same bytes"
  status=1
fi
exit $status
