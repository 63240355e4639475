#!/bin/sh
# Refreshes the desktop's caches after an install; a package's own triggers do it otherwise.
[ -z "${DESTDIR:-}" ] || exit 0
data=$MESON_INSTALL_PREFIX/$1
glib-compile-schemas "$data/glib-2.0/schemas" || true
command -v gtk4-update-icon-cache >/dev/null && gtk4-update-icon-cache -q -t -f "$data/icons/hicolor" || true
command -v update-desktop-database >/dev/null && update-desktop-database -q "$data/applications" || true
command -v update-mime-database >/dev/null && update-mime-database "$data/mime" || true
