/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/application.h"
#include "app/window/early-load.h"
#include "app/window/fonts.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

/* TENURE_LOCALE_DIR: where translations are that are not installed, for tests and translators. */
static void
start_translation(void)
{
  const char *other = g_getenv("TENURE_LOCALE_DIR");
  setlocale(LC_ALL, "");
  gtk_disable_setlocale(); /* again, while a file is read by then (early-load.h) */
  bindtextdomain(GETTEXT_PACKAGE, other ? other : TN_LOCALE_DIR);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  textdomain(GETTEXT_PACKAGE);
}

/* Where cairo is to draw, GDK still loads OpenGL and its compiler with it: 40 ms for nothing. */
static void
leave_gl_out(void)
{
  const char *flags = g_getenv("GDK_DEBUG");
  if (g_strcmp0(g_getenv("GSK_RENDERER"), "cairo") != 0)
    return;
  g_autofree char *more = g_strjoin(",", "gl-disable", flags, NULL);
  g_setenv("GDK_DEBUG", more, TRUE);
}

int
main(int argc, char **argv)
{
  start_translation();
  signal(SIGXFSZ, SIG_IGN); /* a full disk of the user's is an error, not a signal */
  g_set_application_name("Tenure");
  if (!tn_fonts_find()) {
    g_printerr("tenure: %s\n", _("no font is installed; the package fonts-dejavu-core has some"));
    return EXIT_FAILURE;
  }
  leave_gl_out();
  tn_early_load_start(argc, argv); /* no more of the environment is changed */
  g_autoptr(TnApplication) application = tn_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
