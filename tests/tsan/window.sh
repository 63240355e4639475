#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/tsan/window.sh BUILD SCRIPT…: scripts that drive the window (tests/window/drive*.py and the ones here), with
# the window and the command line under run.sh.  A line for each script: seconds, checks, reports; ends with 1 where
# there is a report (in BUILD/tsan-reports).  Checks may fail: all is several times slower.
#
#   TN_TSAN_PROCESSORS=4 tests/tsan/window.sh build-tsan tests/window/drive_*.py tests/tsan/drive_*.py
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for program in window/tenure cli/tenure-cli; do # where the scripts expect them: beside each other
  mkdir -p "$stage/app/$(dirname "$program")"
  printf '#!/bin/sh\nexec "%s/tests/tsan/run.sh" "%s" "%s/app/%s" "$@"\n' "$root" "$build" "$build" "$program" \
    >"$stage/app/$program"
  chmod +x "$stage/app/$program"
done
mkdir -p "$build/tsan-reports"
ends=0
for script in "$@"; do
  name=$(basename "$script" .py)
  log=$build/tsan-reports/$name
  rm -f "$log".*
  began=$(date +%s)
  TSAN_OPTIONS="log_path=$log ${TSAN_OPTIONS:-}" python3 "$script" "$stage/app/window/tenure" \
    "$root/data/samples/transformer-oom.pickle" "$stage/app/cli/tenure-cli" >"$log.tap" 2>&1 || true
  reports=$(cat "$log".[0-9]* 2>/dev/null | grep -c '^WARNING: ThreadSanitizer' || true)
  echo "$name: $(($(date +%s) - began)) s, $(grep -c '^ok' "$log.tap" || true) checks good," \
    "$(grep -c '^not ok' "$log.tap" || true) not, $reports reports"
  [ "$reports" = 0 ] || ends=1
done
exit $ends
