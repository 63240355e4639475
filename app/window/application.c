/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/application.h"

#include "app/window/early-load.h"
#include "app/window/notes.h"
#include "app/window/plain-keys.h"
#include "app/window/preferences.h"
#include "app/window/settings.h"
#include "app/window/test-layout.h"
#include "app/window/watchdog.h"
#include "app/window/window.h"

#include <glib/gi18n.h>

struct _TnApplication {
  AdwApplication parent_instance;
  gboolean is_diff; /* --diff A B */
};

G_DEFINE_TYPE(TnApplication, tn_application, ADW_TYPE_APPLICATION)

static const TnAccelerator accelerators[] = {
    {"win.open", {"<Control>o"}},
    {"win.export", {"<Control>s"}},
    {"win.export-picture", {"<Control><Shift>s"}},
    {"win.paste", {"<Control>v"}},
    {"win.compare", {"<Control>d"}},
    {"win.edits", {"<Control>e"}},
    {"win.undo", {"<Control>z"}},
    {"win.redo", {"<Control><Shift>z"}},
    {"win.close", {"<Control>w"}},
    {"win.reload", {"<Control>r", "F5"}},
    {"win.search", {"<Control>f", "slash"}},
    {"win.next-hit", {"n", "F3"}},
    {"win.previous-hit", {"<Shift>n", "<Shift>F3"}},
    {"win.bookmark", {"m"}},
    {"win.buffer-menu", {"<Shift>F10", "Menu"}},
    {"win.details", {"F9"}},
    {"win.table", {"<Control>F9"}},
    {"win.fullscreen", {"F11"}},
    {"win.peak", {"p"}},
    {"win.oom", {"o"}},
    {"win.focus-buffer", {"f"}},
    {"win.go-to", {"g"}},
    {"win.reset", {"0", "h"}},
    {"win.toggle-time", {"t"}},
    {"win.back", {"<Alt>Left"}},
    {"win.forward", {"<Alt>Right"}},
    {"win.view::maps", {"1"}},
    {"win.view::live-set", {"2"}},
    {"win.view::flame", {"3"}},
    {"win.view::oom", {"4"}},
    {"win.view::orders", {"5"}},
    {"win.view::budget", {"6"}},
    {"win.plan", {"<Control>p"}},
    {"win.show-help-overlay", {"<Control>question"}},
    {"app.new-window", {"<Control>n"}},
    {"app.preferences", {"<Control>comma"}},
    {"app.quit", {"<Control>q"}},
    {"app.help", {"F1"}},
};

const TnAccelerator *
tn_application_accelerators(gsize *out_n)
{
  *out_n = G_N_ELEMENTS(accelerators);
  return accelerators;
}

static TnWindow *
front_window(TnApplication *application)
{
  GtkWindow *window = gtk_application_get_active_window(GTK_APPLICATION(application));
  return window && TN_IS_WINDOW(window) ? TN_WINDOW(window)
                                        : tn_window_new(ADW_APPLICATION(application));
}

static void
open_path_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *path = g_variant_get_bytestring(parameter);
  if (g_file_test(path, G_FILE_TEST_EXISTS))
    tn_window_open(front_window(data), path);
  else
    tn_window_tell_missing(front_window(data), path);
}

static void
open_sample_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autofree char *installed =
      g_build_filename(TN_SAMPLES_DIR, "transformer-oom.pickle", NULL);
  g_autofree char *source =
      g_build_filename(TN_SOURCE_SAMPLES_DIR, "transformer-oom.pickle", NULL);
  bool is_installed = g_file_test(installed, G_FILE_TEST_EXISTS);
  tn_window_open(front_window(data), is_installed ? installed : source);
}

static void
new_window_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_window_present(GTK_WINDOW(tn_window_new(ADW_APPLICATION(data))));
}

static void
quit_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GList *windows = gtk_application_get_windows(GTK_APPLICATION(data));
  while (windows) {
    GList *next = windows->next;
    gtk_window_close(windows->data);
    windows = next;
  }
}

static void
help_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_widget_activate_action(GTK_WIDGET(front_window(data)), "win.show-help-overlay", NULL);
}

static void
about_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  adw_show_about_window(GTK_WINDOW(front_window(data)), "application-name", "Tenure",
                        "application-icon", "io.github.tenure.Tenure", "version", TN_VERSION,
                        "developer-name", _("The Tenure authors"), "license-type",
                        GTK_LICENSE_MIT_X11, "comments",
                        _("Where every byte of a neural network’s memory goes, and when"), NULL);
}

static void
show_uri_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  gtk_show_uri(GTK_WINDOW(front_window(data)), g_variant_get_string(parameter, NULL),
               GDK_CURRENT_TIME);
}

static void
preferences_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_preferences_show(GTK_WINDOW(front_window(data)));
}

static const GActionEntry actions[] = {
    {.name = "open-path", .activate = open_path_action, .parameter_type = "ay"},
    {.name = "open-sample", .activate = open_sample_action},
    {.name = "new-window", .activate = new_window_action},
    {.name = "quit", .activate = quit_action},
    {.name = "help", .activate = help_action},
    {.name = "preferences", .activate = preferences_action},
    {.name = "about", .activate = about_action},
    {.name = "show-uri", .activate = show_uri_action, .parameter_type = "s"},
};

static void
activate(GApplication *application)
{
  gtk_window_present(GTK_WINDOW(front_window(TN_APPLICATION(application))));
}

static void
compare_many(TnApplication *application, GFile **files, int n_files)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  TnWindow *window = front_window(application);
  for (int i = 0; i < n_files; i++) {
    char *path = g_file_get_path(files[i]);
    if (path)
      g_ptr_array_add(paths, path);
  }
  gtk_window_present(GTK_WINDOW(window));
  tn_window_compare_many(window, paths);
}

static void
open_files(GApplication *application, GFile **files, int n_files, const char *hint)
{
  if (TN_APPLICATION(application)->is_diff && n_files > 2) {
    compare_many(TN_APPLICATION(application), files, n_files);
    return;
  }
  if (TN_APPLICATION(application)->is_diff && n_files == 2) {
    g_autofree char *a = g_file_get_path(files[0]), *b = g_file_get_path(files[1]);
    TnWindow *both = front_window(TN_APPLICATION(application));
    gtk_window_present(GTK_WINDOW(both));
    if (a && b)
      tn_window_compare(both, a, b);
    return;
  }
  TnWindow *window = front_window(TN_APPLICATION(application));
  gtk_window_present(GTK_WINDOW(window));
  for (int i = 0; i < n_files; i++) {
    g_autofree char *path = g_file_get_path(files[i]);
    g_autofree char *uri = path ? NULL : g_file_get_uri(files[i]);
    tn_window_open(window, path ? path : uri);
  }
  tn_early_load_drop(); /* its name was meant otherwise */
}

/* Keys that an entry would take as text are the window's: see plain-keys.h. */
static void
add_accelerators(GApplication *application)
{
  for (gsize i = 0; i < G_N_ELEMENTS(accelerators); i++) {
    const char *chosen[G_N_ELEMENTS(accelerators[i].accelerators) + 1] = {NULL};
    gsize n = 0;
    for (gsize k = 0; accelerators[i].accelerators[k]; k++)
      if (!tn_plain_keys_has(accelerators[i].accelerators[k]))
        chosen[n++] = accelerators[i].accelerators[k];
    gtk_application_set_accels_for_action(GTK_APPLICATION(application), accelerators[i].action,
                                          chosen);
  }
}

/* Else GTK goes by the language and the desktop.  TENURE_TEXT_DIRECTION=rtl, TENURE_TEXT_DPI=192:
 * text at 200 %. */
static void
set_text_for_tests(void)
{
  const char *dpi = g_getenv("TENURE_TEXT_DPI");
  if (g_strcmp0(g_getenv("TENURE_TEXT_DIRECTION"), "rtl") == 0)
    gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL);
  if (dpi)
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", 1024 * atoi(dpi), NULL);
}

static void
startup(GApplication *application)
{
  G_APPLICATION_CLASS(tn_application_parent_class)->startup(application);
  g_action_map_add_action_entries(G_ACTION_MAP(application), actions, G_N_ELEMENTS(actions),
                                  application);
  add_accelerators(application);
  tn_preferences_apply(GTK_APPLICATION(application));
  tn_watchdog_start();
  tn_test_layout_start();
  set_text_for_tests();
}

static void
shut_down(GApplication *application)
{
  tn_notes_flush_all();
  G_APPLICATION_CLASS(tn_application_parent_class)->shutdown(application);
}

static void
tn_application_class_init(TnApplicationClass *class)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS(class);
  application_class->activate = activate;
  application_class->open = open_files;
  application_class->startup = startup;
  application_class->shutdown = shut_down;
}

static void
tn_application_init(TnApplication *application)
{
  const GOptionEntry options[] = {
      {"diff", 0, 0, G_OPTION_ARG_NONE, &application->is_diff,
       _("Compare two files, or look at many beside each other"), NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  g_application_add_main_option_entries(G_APPLICATION(application), options);
  g_application_set_option_context_parameter_string(G_APPLICATION(application), _("[FILE…]"));
}

TnApplication *
tn_application_new(void)
{
  return g_object_new(TN_TYPE_APPLICATION, "application-id", "io.github.tenure.Tenure",
                      "resource-base-path", "/io/github/tenure/Tenure", "flags",
                      G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE, NULL);
}
