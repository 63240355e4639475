#!/bin/sh
# validate.sh FOLDER VERSION: the desktop files are what their standards say.
folder=$1
id=io.github.tenure.Tenure
icons=$folder/../icons/hicolor
n=0
status=0
echo "1..12"

# check NAME PROGRAM ARGUMENT…
check() {
  name=$1
  shift
  n=$((n + 1))
  if ! command -v "$1" >/dev/null 2>&1; then
    echo "ok $n - $name # SKIP no $1"
  elif output=$("$@" 2>&1); then
    echo "ok $n - $name"
  else
    echo "not ok $n - $name"
    echo "$output" | sed 's/^/# /'
    status=1
  fi
}

check "desktop file" desktop-file-validate "$folder/$id.desktop"
check "AppStream metainfo" appstreamcli validate --no-net "$folder/$id.metainfo.xml"
check "settings schema" glib-compile-schemas --strict --dry-run "$folder"
check "XML is well formed" xmllint --noout "$folder/$id.mime.xml" "$folder/$id.gschema.xml" \
  "$folder/$id.metainfo.xml"
check "icons are well formed" xmllint --noout "$icons/scalable/apps/$id.svg" \
  "$icons/symbolic/apps/$id-symbolic.svg"

# The MIME types of the desktop file that are ours are those of the MIME file.
n=$((n + 1))
ours=$(grep -o 'type="application/x-[^"]*"' "$folder/$id.mime.xml" | sed 's/type="\(.*\)"/\1/' | sort)
used=$(sed -n 's/^MimeType=//p' "$folder/$id.desktop" | tr ';' '\n' | grep '^application/x-' | sort)
if [ "$ours" = "$used" ]; then
  echo "ok $n - the desktop file opens our MIME types"
else
  echo "not ok $n - the desktop file opens our MIME types"
  status=1
fi

# The version stands in meson.build; what lists releases begins with it.
check "the metainfo's newest release" sh -c "sed -n 's/.*<release version=\"\([^\"]*\)\".*/\1/p' '$folder/$id.metainfo.xml' | head -n 1 | grep -Fx '$2'"
check "the changelog's newest release" sh -c "sed -n 's/^## \([^ ]*\) .*/\1/p' '$folder/../../CHANGELOG.md' | head -n 1 | grep -Fx '$2'"
check "bash completion" bash -n "$folder/tenure-cli.bash"
check "Flatpak manifest" python3 -c "
import sys
try:
    import yaml
except ImportError:
    sys.exit(0)
m = yaml.safe_load(open('$folder/$id.yml'))
assert m['app-id'] == '$id' and m['command'] == 'tenure'
assert not any('network' in a or 'filesystem' in a for a in m['finish-args'])"

for page in tenure.1 tenure-cli.1; do
  check "man page $page" sh -c "! man --warnings -E UTF-8 -l -Tutf8 -Z '$folder/$page' 2>&1 >/dev/null | grep ."
done
exit $status
