/* SPDX-License-Identifier: MIT */
/* A drawing as a texture, for any thread. */
#pragma once

#include "render/export.h"

#include <gtk/gtk.h>

/* Draws `width` x `height` logical pixels at `scale`; owned by the caller. */
GdkTexture *tn_texture_new(int width,
                           int height,
                           double scale,
                           const TnTheme *theme,
                           TnExportDraw draw,
                           const void *payload);
