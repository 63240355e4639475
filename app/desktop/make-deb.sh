#!/bin/sh
# make-deb.sh OUT_FOLDER: the Debian source package and the packages built from it, of what is
# committed; make-deb.sh --changes: what its changelog says of this version.  Needs debhelper and
# dpkg-dev.  The package's files live in app/desktop/debian, since the top level is the house's rooms;
# the changelog is made from CHANGELOG.md and meson.build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$root/meson.build" | head -n 1)

# The section of this version in CHANGELOG.md, as Debian writes it: what is not released yet stands above.
changes()
{
  awk -v version="$version" '/^## /{is_it = $2 == version; next} is_it && NF' "$root/CHANGELOG.md" |
    fmt -w 74 | sed '1s/^/  * /; 2,$s/^/    /'
}

if [ "$1" = --changes ]; then
  changes
  exit
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
tree=$out/tenure-$version

rm -rf "$tree"
mkdir "$tree"
git -C "$root" archive HEAD | tar -x -C "$tree"
mv "$tree/app/desktop/debian" "$tree/debian"

date=$(git -C "$root" log -1 --format=%cD)
{
  echo "tenure ($version) unstable; urgency=medium"
  echo
  changes
  echo
  echo " -- The Tenure authors <tenure@tenure.invalid>  $date"
} >"$tree/debian/changelog"

cd "$tree"
dpkg-buildpackage -us -uc -j2
