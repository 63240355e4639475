/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/fonts.h"

#include <fontconfig/fontconfig.h>
#include <glib.h>

static bool
has_fonts(FcSetName set)
{
  const FcFontSet *fonts = FcConfigGetFonts(NULL, set);
  return fonts && fonts->nfont > 0;
}

bool
tn_fonts_find(void)
{
  if (has_fonts(FcSetSystem))
    return true;
  const char *const *shared = g_get_system_data_dirs();
  g_autofree char *own = g_build_filename(g_get_user_data_dir(), "fonts", NULL);
  FcConfigAppFontAddDir(NULL, (const FcChar8 *)own);
  FcConfigAppFontAddDir(NULL, (const FcChar8 *)"/usr/share/fonts");
  for (gsize i = 0; shared[i]; i++) {
    g_autofree char *path = g_build_filename(shared[i], "fonts", NULL);
    FcConfigAppFontAddDir(NULL, (const FcChar8 *)path);
  }
  return has_fonts(FcSetApplication);
}
