# Sourced by run, test and .ci/run: what Debian packages are missing, and installing them.
# Looks for the things themselves (programs, pkg-config modules, files), which takes milliseconds,
# so that a prepared machine starts at once.

# need_program PROGRAM PACKAGE · need_module MODULE PACKAGE · need_file FILE PACKAGE
missing=""
is_changed=false
need_program() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need_module() { pkg-config --exists "$1" 2>/dev/null || missing="$missing $2"; }
need_file() { [ -e "$1" ] || missing="$missing $2"; }

need_to_build() {
  need_program gcc gcc
  need_program meson meson
  need_program ninja ninja-build
  need_program pkg-config pkg-config
  need_program glib-compile-resources libglib2.0-dev-bin
  need_module glib-2.0 libglib2.0-dev
  need_module libcjson libcjson-dev
  need_module zlib zlib1g-dev
  need_module sqlite3 libsqlite3-dev
  need_module pangocairo libpango1.0-dev
  need_module cairo-pdf libcairo2-dev
  need_module gtk4 libgtk-4-dev
  need_module libadwaita-1 libadwaita-1-dev
  need_module fontconfig libfontconfig-dev
  need_file /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
  need_file /usr/share/fonts/opentype/cantarell fonts-cantarell
}

need_to_test() {
  need_to_build
  need_program xvfb-run xvfb
  need_program xauth xauth
  need_program xdotool xdotool
  need_program import imagemagick
  need_program desktop-file-validate desktop-file-utils
  need_program appstreamcli appstream
  need_program xmllint libxml2-utils
  need_program dbus-launch dbus-x11
  need_file /usr/libexec/at-spi-bus-launcher at-spi2-core
  need_file /usr/share/icons/Adwaita adwaita-icon-theme
}

# Installs $missing.  Ends with a clear word where that is not possible; the build then says what it
# can do without.
install_missing() {
  [ -n "$missing" ] || return 0
  echo "Missing Debian packages:$missing" >&2
  as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
    command -v sudo >/dev/null 2>&1 || as_root="none"
  fi
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "There is no apt-get here: please install what these packages hold, then run this again." >&2
    return 1
  fi
  if [ "$as_root" = none ]; then
    echo "Not root, and no sudo: please run, as root: apt-get install$missing" >&2
    return 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  is_changed=true
  # $missing is a list of words.  An old index is refreshed only where the first try fails.
  $as_root apt-get install -y --no-install-recommends $missing >&2 && return 0
  $as_root apt-get update >&2 || true
  $as_root apt-get install -y --no-install-recommends $missing >&2 && return 0
  echo "apt-get could not install:$missing" >&2
  return 1
}

# build FOLDER [MESON OPTION…]: sets the folder up once (again where packages came), then compiles
# what changed.
build() {
  folder=$1
  shift
  if [ ! -f "$folder/build.ninja" ]; then
    meson setup "$folder" "$@" >&2 || return 1
  elif $is_changed; then
    meson setup --reconfigure "$folder" "$@" >&2 || return 1
  fi
  ninja -C "$folder" >"$folder/compile.log" 2>&1 && return 0
  cat "$folder/compile.log" >&2
  return 1
}
