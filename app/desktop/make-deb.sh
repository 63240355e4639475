#!/bin/sh
# make-deb.sh OUT_FOLDER: the Debian source package and the packages built from it, of what is
# committed.  Needs debhelper and dpkg-dev.  The package's files live in app/desktop/debian, since the
# top level is the house's rooms; the changelog is made from CHANGELOG.md and meson.build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$root/meson.build" | head -n 1)
tree=$out/tenure-$version

rm -rf "$tree"
mkdir "$tree"
git -C "$root" archive HEAD | tar -x -C "$tree"
mv "$tree/app/desktop/debian" "$tree/debian"

# The newest section of CHANGELOG.md, as Debian writes it.
date=$(git -C "$root" log -1 --format=%cD)
{
  echo "tenure ($version) unstable; urgency=medium"
  echo
  awk '/^## /{n++; next} n==1 && NF' "$root/CHANGELOG.md" | fmt -w 74 | sed '1s/^/  * /; 2,$s/^/    /'
  echo
  echo " -- The Tenure authors <tenure@tenure.invalid>  $date"
} >"$tree/debian/changelog"

cd "$tree"
dpkg-buildpackage -us -uc -j2
