#!/bin/sh
# layers.sh ROOT: app → render → analysis → data.  No file includes a header of a room above its
# own, and none below app/ includes GTK or prints.
root=$1
cd "$root" || exit 1
n=0
status=0
echo "1..6"

# check NAME FOLDERS PATTERN: no line in the folders (a list of words) matches.
check() {
  n=$((n + 1))
  if found=$(grep -rnE --include='*.c' --include='*.h' "$3" $2 |
             grep -vE '^data/(samples/|tenure-log-writer.h)'); then # the writer is for others' programs
    echo "not ok $n - $1"
    echo "$found" | sed 's/^/# /'
    status=1
  else
    echo "ok $n - $1"
  fi
}

check "data uses nothing above it" data '#include "(analysis|render|app|tests)/'
check "analysis uses nothing above it" analysis '#include "(render|app|tests)/'
check "render uses nothing above it" render '#include "(app|tests)/'
check "no GTK below the window" "data analysis render app/answer app/cli" '#include <(gtk|adwaita|gdk)'
check "nothing is printed below the programs" "data analysis render app/answer" '\<(g_print|g_printerr|printf|fprintf|puts|g_warning|g_message) ?\('
check "the command line prints with tn_say() what files say" app/cli '(^|[^_a-z])printf ?\('
exit $status
