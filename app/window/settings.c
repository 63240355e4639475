/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/settings.h"

#define SCHEMA "io.github.tenure.Tenure"

GSettings *
tn_settings_get(void)
{
  static GSettings *settings;
  static gsize once;
  if (g_once_init_enter(&once)) {
    GSettingsSchemaSource *source = g_settings_schema_source_get_default();
    GSettingsSchema *schema = source ? g_settings_schema_source_lookup(source, SCHEMA, TRUE) : NULL;
    if (schema) {
      settings = g_settings_new_full(schema, NULL, NULL);
      g_settings_schema_unref(schema);
    }
    g_once_init_leave(&once, 1);
  }
  return settings;
}

static gboolean
on_close(GtkWindow *window, gpointer data)
{
  int width, height;
  gtk_window_get_default_size(window, &width, &height);
  g_settings_set_boolean(tn_settings_get(), "is-maximized", gtk_window_is_maximized(window));
  if (!gtk_window_is_maximized(window) && width >= 360 && height >= 300) {
    g_settings_set_int(tn_settings_get(), "window-width", width);
    g_settings_set_int(tn_settings_get(), "window-height", height);
  }
  return FALSE;
}

void
tn_settings_bind_window(GtkWindow *window)
{
  GSettings *settings = tn_settings_get();
  int width = 1280, height = 800;
  if (settings) {
    width = g_settings_get_int(settings, "window-width");
    height = g_settings_get_int(settings, "window-height");
    if (g_settings_get_boolean(settings, "is-maximized"))
      gtk_window_maximize(window);
    g_signal_connect(window, "close-request", G_CALLBACK(on_close), NULL);
  }
  /* For screenshots and tests: an exact size. */
  const char *size = g_getenv("TENURE_WINDOW_SIZE");
  if (size)
    sscanf(size, "%dx%d", &width, &height);
  gtk_window_set_default_size(window, width, height);
}

static int current_units = -1;

TnUnits
tn_settings_get_units(void)
{
  if (current_units < 0)
    current_units =
        tn_settings_get() ? g_settings_get_enum(tn_settings_get(), "units") : TN_UNITS_IEC;
  return (TnUnits)current_units;
}

void
tn_settings_set_units(TnUnits units)
{
  current_units = (int)units;
  if (tn_settings_get())
    g_settings_set_enum(tn_settings_get(), "units", (int)units);
}

static GHashTable *choices; /* key → value: without a schema */

int
tn_settings_get_choice(const char *key)
{
  if (tn_settings_get())
    return g_settings_get_enum(tn_settings_get(), key);
  return choices ? GPOINTER_TO_INT(g_hash_table_lookup(choices, key)) : 0;
}

void
tn_settings_set_choice(const char *key, int value)
{
  if (tn_settings_get()) {
    g_settings_set_enum(tn_settings_get(), key, value);
    return;
  }
  if (!choices)
    choices = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_insert(choices, g_strdup(key), GINT_TO_POINTER(value));
}

double
tn_settings_get_text_scale(void)
{
  g_autofree char *name = NULL;
  int dpi = 0;
  g_object_get(gtk_settings_get_default(), "gtk-font-name", &name, "gtk-xft-dpi", &dpi, NULL);
  PangoFontDescription *font = pango_font_description_from_string(name ? name : "Sans 11");
  double points = (double)pango_font_description_get_size(font) / PANGO_SCALE;
  pango_font_description_free(font);
  double scale = (dpi > 0 ? dpi / 1024.0 / 96.0 : 1.0) * (points > 0 ? points / 11.0 : 1.0);
  return CLAMP(scale, 0.7, 3.0);
}
