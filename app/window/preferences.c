/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/preferences.h"

#include "app/window/settings.h"
#include "app/window/window.h"
#include "render/theme.h"

#include <glib/gi18n.h>

/* A choice of the settings, and how it reads. */
typedef struct {
  const char *key, *title, *subtitle;
  const char *const *names; /* as a person reads them, in the order of the enum */
} Choice;

static const char *const unit_names[] = {N_("KiB, MiB, GiB"), N_("kB, MB, GB"), N_("Exact bytes"),
                                         NULL};
static const char *const style_names[] = {N_("As the system"), N_("Light"), N_("Dark"), NULL};
static const char *const palette_names[] = {"Tenure", "Okabe–Ito", NULL};
static const char *const outline_names[] = {N_("As the system"), N_("Always"), N_("Never"), NULL};
static const char *const motion_names[] = {N_("As the system"), N_("Never"), NULL};
static const char *const view_names[] = {N_("As it was left"), N_("Maps"), N_("Live set"),
                                         N_("Stacks"),         N_("OOM"),  NULL};

static const Choice units = {"units", N_("Sizes"), N_("In every view and export"), unit_names};
static const Choice style = {"color-scheme", N_("Style"), NULL, style_names};
static const Choice palette = {"palette", N_("Palette"),
                               N_("Both keep apart for the common kinds of colour blindness"),
                               palette_names};
static const Choice outlines = {"outlines", N_("Outlines Around Every Bar"), NULL, outline_names};
static const Choice motion = {"animations", N_("Animations"), NULL, motion_names};
static const Choice view = {"default-view", N_("Open Files In"), NULL, view_names};

/* ---- putting in place -------------------------------------------------------------------------- */

/* TENURE_COLOR_SCHEME (light, dark) is for screenshots. */
static void
apply_style(void)
{
  static const AdwColorScheme schemes[] = {ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
                                           ADW_COLOR_SCHEME_FORCE_DARK};
  const char *wanted = g_getenv("TENURE_COLOR_SCHEME");
  int kept = wanted ? (g_strcmp0(wanted, "dark") == 0 ? 2 : 1) : tn_settings_get_choice("color-scheme");
  adw_style_manager_set_color_scheme(adw_style_manager_get_default(), schemes[CLAMP(kept, 0, 2)]);
}

static void
apply_theme(void)
{
  AdwStyleManager *manager = adw_style_manager_get_default();
  int kept = tn_settings_get_choice("outlines");
  bool has_outlines = kept == 1 || (kept == 0 && adw_style_manager_get_high_contrast(manager));
  tn_theme_set_variant((TnPalette)tn_settings_get_choice("palette"), has_outlines);
}

static void
apply_motion(void)
{
  GtkSettings *settings = gtk_settings_get_default();
  if (tn_settings_get_choice("animations") == 1)
    g_object_set(settings, "gtk-enable-animations", FALSE, NULL);
  else
    gtk_settings_reset_property(settings, "gtk-enable-animations");
}

static void
redraw(GtkApplication *application)
{
  for (GList *at = gtk_application_get_windows(application); at; at = at->next)
    if (TN_IS_WINDOW(at->data))
      tn_window_rewrite(at->data);
}

static void
put(const char *key, int value)
{
  if (g_strcmp0(key, "units") == 0)
    tn_settings_set_units((TnUnits)value);
  tn_settings_set_choice(key, value);
  apply_style();
  apply_theme();
  apply_motion();
  redraw(GTK_APPLICATION(g_application_get_default()));
}

static void
on_contrast(AdwStyleManager *manager, GParamSpec *pspec, gpointer application)
{
  apply_theme();
  redraw(application);
}

void
tn_preferences_apply(GtkApplication *application)
{
  apply_style();
  apply_theme();
  apply_motion();
  g_signal_connect_object(adw_style_manager_get_default(), "notify::high-contrast",
                          G_CALLBACK(on_contrast), application, 0);
}

/* ---- the window -------------------------------------------------------------------------------- */

static void
on_chosen(AdwComboRow *row, GParamSpec *pspec, gpointer key)
{
  int value = (int)adw_combo_row_get_selected(row);
  if (value != tn_settings_get_choice(key))
    put(key, value);
}

static GtkWidget *
make_row(const Choice *choice)
{
  GtkWidget *row = adw_combo_row_new();
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  for (const char *const *name = choice->names; *name; name++)
    gtk_string_list_append(names, _(*name));
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _(choice->title));
  if (choice->subtitle)
    adw_action_row_set_subtitle(ADW_ACTION_ROW(row), _(choice->subtitle));
  adw_combo_row_set_model(ADW_COMBO_ROW(row), G_LIST_MODEL(names));
  adw_combo_row_set_selected(ADW_COMBO_ROW(row), (guint)tn_settings_get_choice(choice->key));
  g_signal_connect(row, "notify::selected", G_CALLBACK(on_chosen), (gpointer)choice->key);
  return row;
}

static void
add_group(AdwPreferencesPage *page, const char *title, const Choice *const *choices)
{
  GtkWidget *group = adw_preferences_group_new();
  adw_preferences_group_set_title(ADW_PREFERENCES_GROUP(group), title);
  for (; *choices; choices++)
    adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), make_row(*choices));
  adw_preferences_page_add(page, ADW_PREFERENCES_GROUP(group));
}

void
tn_preferences_show(GtkWindow *window)
{
  static const Choice *const files[] = {&units, &view, NULL};
  static const Choice *const looks[] = {&style, &palette, &outlines, &motion, NULL};
  GtkWidget *dialog = adw_preferences_window_new();
  GtkWidget *page = adw_preferences_page_new();
  adw_preferences_page_set_title(ADW_PREFERENCES_PAGE(page), _("General"));
  add_group(ADW_PREFERENCES_PAGE(page), _("Files"), files);
  add_group(ADW_PREFERENCES_PAGE(page), _("Look"), looks);
  adw_preferences_window_add(ADW_PREFERENCES_WINDOW(dialog), ADW_PREFERENCES_PAGE(page));
  adw_preferences_window_set_search_enabled(ADW_PREFERENCES_WINDOW(dialog), FALSE);
  gtk_window_set_transient_for(GTK_WINDOW(dialog), window);
  gtk_window_set_modal(GTK_WINDOW(dialog), TRUE);
  gtk_window_set_default_size(GTK_WINDOW(dialog), 560, 520);
  gtk_window_present(GTK_WINDOW(dialog));
}
