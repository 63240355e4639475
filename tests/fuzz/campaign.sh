#!/bin/sh
# SPDX-License-Identifier: MIT
# campaign.sh WORK [TARGET…]: each libFuzzer target, one after the other at the lowest priority, until it has
# run 3,000,000 inputs or used 20 minutes of processor time.  WORK keeps the corpora (the next campaign goes on
# from them), the logs, what broke something, and campaign.txt: a line for each target.  Seeds are
# corpus/ and found/, and ../shared/samples where it is there.  While a file WORK/hold is there, no piece begins.
# An input of more than 10 s is kept as slow-unit-… in broken/, one of 120 s ends the target (a process that was
# stopped meanwhile looks slow).
# (Watching each comparison costs a third of the speed; our dictionaries and mutators know the formats.)
#
#   CC=clang meson setup build-fuzz -Dfuzz=true -Dwindow=disabled -Db_sanitize=address,undefined -Db_lundef=false \
#     -Dc_args=-fno-sanitize-coverage=trace-cmp
#   ninja -C build-fuzz && tests/fuzz/campaign.sh /tmp/campaign
#
# RUNS=… SECONDS_EACH=… BUILD=… NICE=… PIECE=… (seconds of the clock at a time) change what is usual.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD:-$root/build-fuzz}
goal=${RUNS:-3000000}
seconds=${SECONDS_EACH:-1200}
samples=$root/../shared/samples
[ $# -ge 1 ] || { sed -n '3,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
work=$1
shift
[ $# -gt 0 ] || set -- $(cd "$build/tests/fuzz" && for f in libfuzz-*; do [ -f "$f" ] && echo "${f#libfuzz-}"; done)

UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:suppressions=$here/ubsan.supp
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:malloc_context_size=2:quarantine_size_mb=16
LSAN_OPTIONS=suppressions=$root/tests/lsan.supp:print_suppressions=0
G_DEBUG=fatal-warnings
export UBSAN_OPTIONS ASAN_OPTIONS LSAN_OPTIONS G_DEBUG

# Samples whose format is the target's; the others' readers take those of all, for what they say to strangers.
seeds_of() {
  case $1 in
    pytorch) find "$samples" -name '*.pickle' -o -name '*.pkl' ;;
    onnx | external) find "$samples" -name '*.onnx' ;;
    tflite) find "$samples" -name '*.tflite' ;;
    executorch) find "$samples" -name '*.pte' ;;
    ascend-csv | memscope-csv | csv) find "$samples" -name '*.csv' ;;
    sqlite) find "$samples" -name '*.db' -o -name '*.sqlite' ;;
    text-log | xla | ge-graph) find "$samples" -name '*.log' -o -name '*.txt' -o -name '*.pbtxt' ;;
    vma-json) find "$samples" -name '*.json' ;;
  esac 2>/dev/null
}

# Sets `used` to the processor seconds of this shell's children so far (a subshell would know of none).
count_used() {
  times > "$work/times.$$"
  used=$(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); print int(60 * u[1] + u[2] + 60 * s[1] + s[2]) }' "$work/times.$$")
}

# Sets `runs_before` and `cpu_before`: what earlier campaigns ran of this target on this code, none of it broken.
# Their lines are WORK's and those kept with the source, where a machine that is gone has left its own; a line
# that stands in both counts once.
count_before() {
  set -- $(cat "$here/campaign.txt" "$work/campaign.txt" 2>/dev/null | sort -u |
    awk -v t="$1" -v c="$commit" '$1 == t && $NF == c && $(NF - 2) == 0 { r += $2; s += $4 } END { print r + 0, s + 0 }')
  runs_before=$1 cpu_before=$2
}

# run_target TARGET: pieces of at most 5 minutes each, since libFuzzer counts the clock and we the processor.
run_target() {
  target=$1
  mkdir -p "$work/corpus/$target" "$work/broken/$target" "$work/seeds/$target" "$work/log"
  seeds_of "$target" | while read -r file; do
    [ "$(stat -c %s "$file")" -le 65536 ] && cp "$file" "$work/seeds/$target/" && chmod u+w "$work/seeds/$target/"*
  done
  count_used
  count_before "$target"
  runs=0 begun=$used broken=0
  while [ $((runs_before + runs)) -lt "$goal" ] && [ $((cpu_before + used - begun)) -lt "$seconds" ] && [ "$broken" -lt 20 ]; do
    while [ -e "$work/hold" ]; do sleep 2; done
    log=$work/log/$target.log
    piece=$((seconds - cpu_before - used + begun + 20)) # a piece has a little less processor than clock
    [ "$piece" -lt "${PIECE:-300}" ] || piece=${PIECE:-300}
    nice -n "${NICE:-19}" "$build/tests/fuzz/libfuzz-$target" -dict="$here/$target.dict" -runs=$((goal - runs_before - runs)) \
      -max_total_time="$piece" -max_len=4096 -timeout=120 -report_slow_units=10 -rss_limit_mb=2048 -entropic=0 -print_final_stats=1 -close_fd_mask=1 \
      -artifact_prefix="$work/broken/$target/" "$work/corpus/$target" \
      $(for d in "$here/corpus/$target" "$here/found/$target" "$work/seeds/$target"; do [ -d "$d" ] && echo "$d"; done) \
      > "$log" 2>&1 || broken=$((broken + 1))
    more=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
    runs=$((runs + ${more:-0}))
    count_used
    [ "${more:-0}" -gt 0 ] || break
  done
  cpu=$((used - begun))
  printf '%-17s %9d executions %6d CPU seconds %7d a second %3d broken  %s\n' "$target" "$runs" "$cpu" \
    $((runs / (cpu > 0 ? cpu : 1))) "$broken" "$commit" >> "$work/campaign.txt"
}

commit=$(git -C "$root" log -1 --format=%h -- data analysis 'tests/fuzz/*.c' 'tests/fuzz/*.h' meson.build)
mkdir -p "$work"
for name in "$@"; do run_target "$name"; done
echo "done $(date -u +%H:%M)" >> "$work/campaign.txt"
