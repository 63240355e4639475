#!/bin/sh
# bad-input.sh TENURE_CLI SOURCE_ROOT: whatever is given to it, tenure-cli answers with exit status
# 3, nothing on standard output, and one line that names the file and says what is wrong and where.
# `info` never crashes, never hangs, and never takes long.  TAP.
set -u
cli=$(realpath "$1") || exit 1
samples=$(realpath "$2/data/samples") || exit 1
[ -x "$cli" ] || { echo "Bail out! $cli is no program"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
n=0
status=0

# refuse NAME FILE PATTERN…: every extended regular expression matches a line of the message.
refuse() {
  name=$1
  file=$2
  shift 2
  n=$((n + 1))
  timeout 20 "$cli" info "$file" >out.txt 2>err.txt
  code=$?
  problem=""
  [ "$code" -eq 3 ] || problem="exit status $code, expected 3"
  [ ! -s out.txt ] || problem="$problem; wrote to standard output"
  grep -qF "$(basename "$file")" err.txt || problem="$problem; does not name the file"
  [ "$(wc -l <err.txt)" -eq 1 ] || problem="$problem; not one line"
  for pattern in "$@"; do
    grep -qE -e "$pattern" err.txt || problem="$problem; no match of: $pattern"
  done
  if [ -z "$problem" ]; then
    echo "ok $n - $name"
  else
    echo "not ok $n - $name"
    echo "# $problem"
    sed 's/^/# /' err.txt | cut -c1-400
    status=1
  fi
}

# text FILE LINE…: a file of these lines.
text() {
  file=$1
  shift
  printf '%s\n' "$@" >"$file"
}

# ---- files that are something else ---------------------------------------------------------

: >empty.pickle
refuse "an empty file" empty.pickle "empty"
mkdir folder.pickle
refuse "a directory" folder.pickle "directory"
refuse "no such file" missing.pickle "No such file"
printf 'PK\003\004\024\000\000\000\010\000checkpoint/data.pkl' >checkpoint.pt
refuse "a torch.save checkpoint" checkpoint.pt "zip" "torch.save"
printf '\211PNG\r\n\032\n\000\000\000\rIHDR' >picture.pickle
refuse "a picture named .pickle" picture.pickle "PNG"
printf '\211PNG\r\n\032\n\000\000\000\rIHDR' >picture.csv
refuse "a picture named .csv" picture.csv "PNG"
printf '\177ELF\002\001\001' >program.pickle
refuse "a program" program.pickle "ELF"
text poem.txt "Two roads diverged in a yellow wood,"
refuse "plain text" poem.txt "expected"
if truncate -s 5G zeros.pickle 2>/dev/null; then
  refuse "5 GB of zeros" zeros.pickle "zero"
  rm -f zeros.pickle
else
  n=$((n + 1))
  echo "ok $n - 5 GB of zeros # SKIP no sparse files here"
fi
printf '\037\213\010\000garbage that is no gzip stream' >damaged.pickle.gz
refuse "damaged gzip" damaged.pickle.gz "gzip"
gzip -c "$samples/transformer-oom.pickle" | head -c 5000 >cut.pickle.gz
refuse "gzip cut off" cut.pickle.gz "gzip" "cut"
if [ "$(id -u)" -ne 0 ]; then
  text secret.csv "id,lower,upper,size"
  chmod 0 secret.csv
  refuse "no permission" secret.csv "[Pp]ermission"
fi

# ---- pickles -------------------------------------------------------------------------------

# Protocol 4: {"segments": <os.system>}; reading it must run nothing.
printf '\200\004}\214\010segments\214\002os\214\006system\223s.' >evil.pickle
refuse "a pickle that names a function" evil.pickle "STACK_GLOBAL" "byte [0-9]+"
printf '\200\004}\214\010segmentscos\nsystem\n(S"touch ran"\ntRs.' >evil-global.pickle
refuse "a pickle that calls a function" evil-global.pickle "GLOBAL" "byte [0-9]+"
n=$((n + 1))
if [ -e ran ]; then
  echo "not ok $n - nothing in it ran"
  status=1
else
  echo "ok $n - nothing in it ran"
fi
printf '(dp0\nVsegments\np1\n(lp2\ns.' >protocol0.pickle
refuse "a pickle of protocol 0" protocol0.pickle "expected|protocol"
# A string of 2^31 - 1 bytes, and one of 2^63 - 1, in a file of a few.
printf '\200\004}X\377\377\377\177segments' >long-string.pickle
refuse "a string longer than the file" long-string.pickle "byte [0-9]+"
printf '\200\004}\215\377\377\377\377\377\377\377\177segments' >huge-string.pickle
refuse "a string of 2^63 bytes" huge-string.pickle "byte [0-9]+"
printf '\200\004\225\377\377\377\377\377\377\377\377}\214\010segments].' >huge-frame.pickle
refuse "a frame longer than memory" huge-frame.pickle "byte [0-9]+|expected"
printf '\200\004}\214\010segmentsh\377s.' >bad-memo.pickle
refuse "a reference to nothing" bad-memo.pickle "byte [0-9]+"
printf '\200\004K\001.' >number.pickle
refuse "a pickle of a number" number.pickle "expected"
printf '\200\004}\214\005hellok\001s.' >other.pickle
refuse "a pickle of something else" other.pickle "expected"

size=$(wc -c <"$samples/transformer-oom.pickle")
step=$((size / 50))
at=2
while [ "$at" -lt "$size" ]; do
  head -c "$at" "$samples/transformer-oom.pickle" >"cut-$at.pickle"
  refuse "the sample cut at byte $at" "cut-$at.pickle" "byte [0-9]+" "expected"
  rm -f "cut-$at.pickle"
  at=$((at + step))
done
head -c $((size - 1)) "$samples/transformer-oom.pickle" >no-stop.pickle
refuse "the sample without its last byte" no-stop.pickle "byte [0-9]+" "STOP"

# ---- CSV -----------------------------------------------------------------------------------

# csv NAME PATTERN LINE…: the error stands at `file:line:column:`.
csv() {
  name=$1
  pattern=$2
  shift 2
  text bad.csv "$@"
  refuse "CSV: $name" bad.csv "$pattern"
}

head="id,lower,upper,size"
csv "no upper" "bad.csv:1:1: .*upper" "id,lower,size" "1,2,3"
csv "upper and end" "bad.csv:1:21: .*'end'" "$head,end" "1,2,3,4,5"
csv "size twice" "bad.csv:1:21: .*'size'" "$head,size" "1,2,3,4,5"
csv "a field too few" "bad.csv:3:.*found 3 fields, expected 4" "$head" "1,0,2,8" "2,0,2"
csv "a field too many" "bad.csv:2:.*found 5 fields, expected 4" "$head" "1,0,2,8,9"
csv "an id twice" "bad.csv:3:1: .*'a'" "$head" "a,0,2,8" "a,0,2,8"
csv "no id" "bad.csv:2:1: id" "$head" ",0,2,8"
csv "a life that ends before it starts" "bad.csv:2:5: upper.*more than 7" "$head" "1,7,2,8"
csv "an empty life" "bad.csv:2:5: upper.*more than 7" "$head" "1,7,7,8"
csv "an inclusive end before the start" "bad.csv:2:5: end.*at least 7" "id,start,end,size" "1,7,6,8"
csv "a negative tick" "bad.csv:2:3: lower.*'-1'" "$head" "1,-1,2,8"
csv "a negative size" "bad.csv:2:7: size.*'-8'.*not negative" "$head" "1,0,2,-8"
csv "a size of 2^63" "bad.csv:2:7: size.*below 9223372036854775808" "$head" \
  "1,0,2,9223372036854775808"
csv "a size with a point" "bad.csv:2:7: size.*'8.5'.*whole" "$head" "1,0,2,8.5"
csv "a size with a unit" "bad.csv:2:7: size.*'8K'.*whole" "$head" "1,0,2,8K"
csv "no size" "bad.csv:2:7: size" "$head" "1,0,2,"
csv "offset + size too large" "bad.csv:2:9: offset" "$head,offset" "1,0,2,8,9223372036854775807"
csv "a negative offset" "bad.csv:2:9: offset.*'-2'" "$head,offset" "1,0,2,8,-2"
csv "an alignment of 0" "bad.csv:2:9: alignment.*at least 1" "$head,alignment" "1,0,2,8,0"
csv "a gap that is none" "bad.csv:2:13: gaps.*'x'" "$head,gaps" "1,0,9,8,1-2 x"
csv "a gap outside the life" "bad.csv:2:9: gaps.*within" "$head,gaps" "1,0,9,8,8-10"
csv "a window outside the size" "bad.csv:2:9: gaps.*within" "$head,gaps" "1,0,9,8,1-2@4:9"
csv "gaps that overlap" "bad.csv:2:9: gaps.*overlap" "$head,gaps" "1,0,9,8,1-4 3-5"
csv "an open quote" "bad.csv:2:1: .*quote" "$head" '"1,0,2,8'

# ---- plans ---------------------------------------------------------------------------------

# plan NAME PATTERN TEXT: a tenure-plan document with this text after `version`.
plan() {
  printf '{"format": "tenure-plan", "version": 1, %s' "$3" >bad.json
  refuse "plan: $1" bad.json "bad.json:[0-9]+:[0-9]+: " "$2"
}

row='"id": 0, "start": 0, "end": 4, "bytes": 8'
axis='"axis": {"unit": "step", "end": 4}'
printf '{"format": "tenure-plan", "version": 7}' >bad.json
refuse "plan: another version" bad.json "version: found 7, expected 1"
printf '{"format": "tenure-plan"}' >bad.json
refuse "plan: no version" bad.json '"version"'
plan "no axis" '"axis"' '"buffers": []}'
plan "no buffers" '"buffers"' "$axis}"
plan "a buffer without bytes" 'buffers\[0\].*"bytes"' "$axis, \"buffers\": [{\"id\": 0, \"start\": 0, \"end\": 4}]}"
plan "a buffer without an id" 'buffers\[0\].*"id"' "$axis, \"buffers\": [{\"start\": 0, \"end\": 4, \"bytes\": 8}]}"
plan "an id twice" 'buffers\[1\]: id: found 0' "$axis, \"buffers\": [{$row}, {$row}]}"
plan "negative bytes" 'bytes: found -8' "$axis, \"buffers\": [{$row, \"bytes\": -8}]}"
plan "bytes above 64 bits" 'found 9223372036854775808' "$axis, \"buffers\": [{$row, \"bytes\": 9223372036854775808}]}"
plan "bytes above 64 bits, as text" 'found "9223372036854775808"' "$axis, \"buffers\": [{$row, \"bytes\": \"9223372036854775808\"}]}"
plan "a life beyond the axis" 'end: found 4, expected at most axis.end, 3' "\"axis\": {\"end\": 3}, \"buffers\": [{$row}]}"
plan "an empty life" 'end: found 4' "$axis, \"buffers\": [{$row, \"start\": 4}]}"
plan "no such space" 'space: found 3' "$axis, \"buffers\": [{$row, \"space\": 3}]}"
plan "no such op" 'op: found "gelu"' "\"axis\": {\"end\": 4, \"labels\": [\"conv\"]}, \"buffers\": [{$row, \"op\": \"gelu\"}]}"
plan "no such flag" 'flags: found "sticky"' "$axis, \"buffers\": [{$row, \"flags\": [\"sticky\"]}]}"
plan "an offset that overflows" 'offset . bytes' "$axis, \"buffers\": [{$row, \"offset\": \"9223372036854775807\"}]}"
plan "the text ends early" 'end of the file' "$axis, \"buffers\": [{$row}"
plan "text after its end" 'nothing after' "$axis, \"buffers\": [{$row}]} {}"
plan "an array where an object belongs" 'expected an object' "$axis, \"buffers\": [[1, 2]]}"

echo "1..$n"
exit $status
