#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the pictures of this folder from the running program: the window under Xvfb, light and dark,
# large and small.  Usage: screenshots/make.sh [BUILD [NAME]]   (default: build, all; NAME may be a
# shell pattern)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
build=${1:-$top/build}
wanted=${2:-*}
sample=$top/data/samples/transformer-oom.pickle
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT

export GSK_RENDERER=cairo GDK_BACKEND=x11 GTK_A11Y=none NO_AT_BRIDGE=1 GSETTINGS_BACKEND=memory
export XDG_DATA_HOME="$state" XDG_CONFIG_HOME="$state"

# shot NAME SIZE SCHEME COMMANDS FILE…: COMMANDS (xdotool words, one a line) run before the picture.
shot() {
  name=$1 size=$2 scheme=$3 commands=$4
  shift 4
  case $name in $wanted) ;; *) return ;; esac
  rm -f "$state/state.json"
  # Twice the pixels for the same window where GDK_SCALE says so.
  screen=$size
  [ "${GDK_SCALE:-1}" = 1 ] || screen=$((${size%x*} * GDK_SCALE))x$((${size#*x} * GDK_SCALE))
  TENURE_WINDOW_SIZE=$size TENURE_COLOR_SCHEME=$scheme TENURE_STATE_FILE=$state/state.json \
    xvfb-run -a -s "-screen 0 ${screen}x24" sh -c '
      out=$1 commands=$2 state=$3 tenure=$4
      shift 4
      "$tenure" "$@" & pid=$!
      for i in $(seq 100); do [ -f "$state" ] && break; sleep 0.1; done
      sleep 1.2
      printf "%s\n" "$commands" | while read -r words; do
        [ -z "$words" ] || { xdotool $words; sleep 0.4; }
      done
      sleep 0.8
      import -window root "$out"
      kill $pid' sh "$here/$name.png" "$commands" "$state/state.json" \
      "$build/app/window/tenure" "$@" 2>/dev/null
  echo "$here/$name.png"
}

model=$top/data/samples/branches-graph.json
# The same network under another compiler: one result is kept longer, a stage's tensors are half as large
# again, a workspace is gone, two ops are fused into one.
other=$state/other-compiler.csv
awk -F, -v OFS=, '
  $1 == "stage1.block2.conv_b/workspace" { next }
  $1 == "stage2.block1.conv_b" { $1 = "stage2.block1.fused" }
  $1 == "stage1.block1.add" { $3 += 4 }
  $1 == "stage2.block2.add" { $3 -= 2 }
  $1 ~ /^stage2.*conv_a$/ { $4 *= 1.5 }
  $1 ~ /^stage3.*workspace$/ { $4 /= 2 }
  { print }' "$top/data/samples/small-plan.csv" >"$other"
"$build/app/cli/tenure-cli" plan "$top/data/samples/small-plan.csv" --strategy best \
  -o "$state/a.json" >/dev/null
"$build/app/cli/tenure-cli" plan "$other" --strategy first-fit -o "$state/b.json" >/dev/null
# Eight ranks of a job, one of which keeps more.
for rank in 0 1 2 3 4 5 6 7; do
  awk -F, -v OFS=, -v rank=$rank 'NR > 1 && rank == 5 && NR % 4 == 0 { $3 += 6 }
    NR > 1 && NR % 7 == rank { $4 += 4096 } { print }' "$top/data/samples/small-plan.csv" \
    >"$state/rank$rank.csv"
done
click='mousemove 1200 340
click 1'
shot maps-light 1600x900 light "$click" "$sample"
shot maps-dark 1600x900 dark "$click" "$sample"
shot small-light 1024x600 light '' "$sample"
shot small-dark 1024x600 dark '' "$sample"
shot start 1024x600 light ''
shot live-set-dark 1600x900 dark 'key 2' "$sample"
shot stacks-light 1600x900 light 'key 3' "$sample"
# The settings that would have helped take a moment.
shot oom-light 1600x900 light 'key 4
mousemove 800 20
sleep 2' "$sample"
# The first of the settings that were tried, replayed.
shot what-if-light 1600x900 light 'key 4
mousemove 800 20
sleep 2
key alt+i
sleep 1
mousemove 200 415
click 1
mousemove 800 20
sleep 1' "$sample"
shot model-light 1600x900 light 'mousemove 137 884
click 1' "$model"
for scheme in light dark; do
  shot diff-$scheme 1600x900 $scheme 'sleep 2
mousemove 560 245
click 1
mousemove 700 490
sleep 1' --diff "$state/a.json" "$state/b.json"
  shot diff-overlay-$scheme 1600x900 $scheme 'mousemove 800 20
sleep 2
key 2
sleep 1' --diff "$state/a.json" "$state/b.json"
  shot diff-map-$scheme 1600x900 $scheme 'mousemove 800 20
sleep 2
key 3
sleep 1' --diff "$state/a.json" "$state/b.json"
done
shot diff-small-light 1024x600 light 'mousemove 800 20
sleep 2' --diff "$state/a.json" "$state/b.json"
shot overview-light 1280x800 light 'sleep 2
mousemove 200 250
click 1
mousemove 1000 450
click 1
sleep 1' --diff "$state"/rank?.csv
shot report-light 1280x800 light 'key ctrl+s
sleep 2
mousemove 850 400
click 1
type Fragmentation?
sleep 1' "$sample"
# The three branches: 1.96 GiB as the file has it, 1.35 GiB in the best order; 1 GB with a plan.
orders='key 5
mousemove 500 20
sleep 2'
budget='key 6
mousemove 500 20
sleep 3
key alt+b
key ctrl+a
type 1GB
key Return
sleep 3'
for size in 1600x900 1024x600; do
  case $size in 1600x900) suffix= ;; *) suffix=small- ;; esac
  for scheme in light dark; do
    shot orders-$suffix$scheme $size $scheme "$orders" "$model"
    shot budget-$suffix$scheme $size $scheme "$budget" "$model"
  done
done
# What if the chain behind a1 were fused?
shot edits-light 1600x900 light 'mousemove 800 20
key ctrl+f
sleep 0.5
type /^a1$/
sleep 0.5
key Return
key Escape
key ctrl+e
sleep 0.5
mousemove 425 782
click 1
sleep 0.8
key f
sleep 1
key Return
sleep 1.5
mousemove 800 20
sleep 1' "$model"
shot skyline-dark 1600x900 dark 'mousemove 1500 20
sleep 0.5
mousemove 1288 187
click 1
sleep 0.8
key s
sleep 0.5
mousemove 800 20
sleep 1' "$sample"
# A plan of Ascend's graph engine, as it logs it: two streams, neighbours, three batches, zero copy, another
# memory type; a place with all its users, and why two may not share.
said='[INFO] GE(7,x):2025-01-02-03:04:05.000.001 [block_mem_assigner.cc:1]7 SetOffsetSize: '
while read -r name offset stream size begin end child batch type; do
  printf '%s[IMAS]Set main_0 name[%s] optype[MatMul] output[0] offset to [%d] streamid[%d] memtype[%d] ' \
    "$said" "$name" $((offset * 524288)) "$stream" "${type:-2}"
  printf 'size[%d] realsize[%d] noalignsize[%d] life time begin[%d] life time end[%d] ' \
    $((size * 524288)) $((size * 524288)) $((size * 524288 - 32)) "$begin" "$end"
  printf 'child[%s] isref[0] batch[%s], block_type[]\n' "$child" "${batch#-}"
done >"$state/plog-7.log" <<END
stem/conv 0 0 16 1 4 0:1:0:0:1 -
stem/norm 16 0 12 2 6 0:1:0:0:1 -
stem/relu 0 1 12 6 9 0:1:0:0:1 -
stem/pool 16 0 8 7 12 0:1:0:0:1 -
grad/a 28 0 4 3 14 0:1:1:0:1 -
grad/b 32 0 4 5 14 0:1:1:0:1 -
grad/c 36 0 4 8 14 0:1:1:0:1 -
scratch 12 0 2 10 11 1:1:0:0:1 -
allreduce 0 0 12 14 16 0:1:0:0:1 -
b1/qkv 40 0 4 17 20 0:1:0:0:1 batch_1
b1/scores 44 0 2 19 21 0:1:0:0:1 batch_1
b2/qkv 40 0 6 24 27 0:1:0:0:1 batch_2
b2/scores 46 0 4 26 28 0:1:0:0:1 batch_2
b4/qkv 40 0 10 31 34 0:1:0:0:1 batch_4
b4/scores 50 0 8 33 35 0:1:0:0:1 batch_4
sum 0 0 12 38 41 0:1:0:0:1 -
softmax 16 0 12 41 44 0:1:0:0:1 -
logits 60 0 4 42 4294967295 0:1:0:1:1 -
input 64 0 4 0 5 0:1:0:1:1 -
mask 68 0 2 0 20 0:1:0:1:1 -
send 0 0 6 10 30 0:1:0:0:1 - 17
END
{
  printf '%sSubMemOffsets[0]: mem_type[2] mem_offset_base[0] mem_size[20971520] is_fixed_addr_prior[0]\n' "$said"
  printf '%sSubMemOffsets[1]: mem_type[2] mem_offset_base[20971520] mem_size[15728640] is_fixed_addr_prior[1]\n' "$said"
} >>"$state/plog-7.log"
chain='mousemove 187 434
sleep 0.5
click 1
sleep 0.8
mousemove 290 515
sleep 0.5
click 1
sleep 1
mousemove 800 20'
shot ge-dark 1600x900 dark "$chain" "$state/plog-7.log"
shot ge-light 1600x900 light "$chain" "$state/plog-7.log"
ADW_DEBUG_HIGH_CONTRAST=1 shot high-contrast 1280x800 light '' "$sample"
GDK_SCALE=2 shot twice 800x600 light '' "$sample"
