#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/tsan/run.sh BUILD PROGRAM [ARGUMENT…]: a program of a build with -Db_sanitize=thread, with GLib's order
# of things told to the sanitizer (glib-order.c).  Ends with 66 where it found a race.
#
#   meson setup build-tsan -Db_sanitize=thread -Db_lundef=false && ninja -C build-tsan
#   tests/tsan/run.sh build-tsan build-tsan/tests/unit/test-spill
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
shift
order=$build/libglib-order.so
if [ ! -e "$order" ] || [ "$here/glib-order.c" -nt "$order" ]; then
  # shellcheck disable=SC2046 # a list of options
  cc -shared -fPIC -fsanitize=thread -g -O1 $(pkg-config --cflags gio-2.0) "$here/glib-order.c" -o "$order" -ldl
fi
tsan=$(cc -print-file-name=libtsan.so)
TSAN_OPTIONS="suppressions=$here/suppressions:second_deadlock_stack=1:halt_on_error=0:exitcode=66:ignore_noninstrumented_modules=0 ${TSAN_OPTIONS:-}" \
  LD_PRELOAD="$tsan $(cd "$build" && pwd)/libglib-order.so" exec "$@"
