/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/overview.h"

#include "app/window/diff-state.h"
#include "app/window/loader.h"
#include "app/window/overview-canvas.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

struct _TnOverview {
  GtkBox parent_instance;
  GPtrArray *paths; /* char * */
  guint next;       /* of them, to be read */
  GString *failures;
  guint n_failed;
  GCancellable *loading;
  TnOverviewCanvas *canvas;
  GtkWidget *status, *pair, *compare;
  TnOverviewCompare callback;
};

G_DEFINE_TYPE(TnOverview, tn_overview, GTK_TYPE_BOX)

/* ---- what it says ------------------------------------------------------------------------------
 */

static void
show_status(TnOverview *overview)
{
  g_autoptr(GString) text = g_string_new(NULL);
  guint n = overview->paths->len;
  if (overview->next < n)
    g_string_printf(text, _("Reading %u of %u…"), overview->next + 1, n);
  else if (overview->n_failed == 0)
    g_string_printf(text, ngettext("%u file", "%u files", n), n);
  else
    g_string_printf(text,
                    ngettext("%u file, %u could not be read", "%u files, %u could not be read", n),
                    n, overview->n_failed);
  gtk_label_set_text(GTK_LABEL(overview->status), text->str);
  tn_tip_set(overview->status,
                              overview->failures->len ? overview->failures->str : NULL);
}

static char *
dup_name(TnOverview *overview, int side)
{
  uint32_t i = tn_overview_canvas_get_picked(overview->canvas, side);
  return i == TN_NONE
             ? NULL
             : g_filename_display_basename(
                   tn_session_get_document(tn_overview_canvas_get(overview->canvas, i))->path);
}

static void
on_picked(TnOverviewCanvas *canvas, TnOverview *overview)
{
  g_autofree char *a = dup_name(overview, 0), *b = dup_name(overview, 1);
  g_autofree char *text = a || b ? g_strdup_printf("A  %s   →   B  %s", a ? a : "…", b ? b : "…")
                                 : g_strdup(_("Click two files to compare them"));
  gtk_label_set_text(GTK_LABEL(overview->pair), text);
  gtk_widget_set_sensitive(overview->compare, a && b);
}

static void
on_compare(GtkButton *button, TnOverview *overview)
{
  uint32_t a = tn_overview_canvas_get_picked(overview->canvas, 0);
  uint32_t b = tn_overview_canvas_get_picked(overview->canvas, 1);
  if (a != TN_NONE && b != TN_NONE)
    overview->callback(overview, tn_overview_canvas_get(overview->canvas, a),
                       tn_overview_canvas_get(overview->canvas, b));
}

static void
on_opened(TnOverviewCanvas *canvas, guint i, TnOverview *overview)
{
  gtk_widget_activate_action(GTK_WIDGET(overview), "app.open-path", "^ay",
                             tn_session_get_document(tn_overview_canvas_get(canvas, i))->path);
}

/* ---- reading, one file after the other ---------------------------------------------------------
 */

static void read_next(TnOverview *overview);

static void
loaded(GObject *source, GAsyncResult *result, gpointer data)
{
  GWeakRef *weak = data;
  g_autoptr(TnOverview) overview = g_weak_ref_get(weak);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSession) session = tn_load_finish(result, &error);
  g_weak_ref_clear(weak);
  g_free(weak);
  if (!overview || g_cancellable_is_cancelled(overview->loading))
    return;
  if (session) {
    tn_overview_canvas_add(overview->canvas, session);
  } else {
    overview->n_failed++;
    g_string_append_printf(overview->failures, "%s%s", overview->failures->len ? "\n" : "",
                           error->message);
  }
  overview->next++;
  read_next(overview);
}

static void
read_next(TnOverview *overview)
{
  show_status(overview);
  if (overview->next >= overview->paths->len)
    return;
  TnLoadRequest request = {.path = g_ptr_array_index(overview->paths, overview->next),
                           .device = TN_FIRST_DEVICE};
  GWeakRef *weak = g_new0(GWeakRef, 1); /* a tab that was closed reads no further */
  g_weak_ref_init(weak, overview);
  tn_load_async(&request, overview->loading, NULL, NULL, loaded, weak);
}

/* ---- making ------------------------------------------------------------------------------------
 */

char *
tn_overview_build_title(TnOverview *overview)
{
  guint n = overview->paths->len;
  return g_strdup_printf(ngettext("%u file", "%u files", n), n);
}

void
tn_overview_invalidate(TnOverview *overview)
{
  tn_overview_canvas_invalidate(overview->canvas);
}

static GtkWidget *
make_bar(TnOverview *overview)
{
  GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  overview->status = gtk_label_new("");
  overview->pair = gtk_label_new("");
  overview->compare = tn_view_spoken(gtk_button_new_with_mnemonic(_("_Compare")));
  gtk_label_set_ellipsize(GTK_LABEL(overview->pair), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand(overview->pair, TRUE);
  gtk_widget_add_css_class(overview->status, "dim-label");
  gtk_widget_add_css_class(overview->compare, "suggested-action");
  gtk_widget_add_css_class(bar, "toolbar");
  g_signal_connect(overview->compare, "clicked", G_CALLBACK(on_compare), overview);
  gtk_box_append(GTK_BOX(bar), overview->status);
  gtk_box_append(GTK_BOX(bar), overview->pair);
  gtk_box_append(GTK_BOX(bar), overview->compare);
  return bar;
}

static void
dispose(GObject *object)
{
  g_cancellable_cancel(TN_OVERVIEW(object)->loading);
  G_OBJECT_CLASS(tn_overview_parent_class)->dispose(object);
}

static void
finalize(GObject *object)
{
  TnOverview *overview = TN_OVERVIEW(object);
  g_object_unref(overview->loading);
  g_ptr_array_unref(overview->paths);
  g_string_free(overview->failures, TRUE);
  G_OBJECT_CLASS(tn_overview_parent_class)->finalize(object);
}

static void
tn_overview_class_init(TnOverviewClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
  G_OBJECT_CLASS(class)->finalize = finalize;
}

static void
tn_overview_init(TnOverview *overview)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(overview), GTK_ORIENTATION_VERTICAL);
  overview->paths = g_ptr_array_new_with_free_func(g_free);
  overview->failures = g_string_new(NULL);
  overview->loading = g_cancellable_new();
}

GtkWidget *
tn_overview_new(const GPtrArray *paths, TnOverviewCompare compare)
{
  TnOverview *overview = g_object_new(TN_TYPE_OVERVIEW, NULL);
  for (guint i = 0; i < MIN(paths->len, TN_OVERVIEW_MOST); i++)
    g_ptr_array_add(overview->paths, g_strdup(g_ptr_array_index(paths, i)));
  overview->callback = compare;
  overview->canvas = TN_OVERVIEW_CANVAS(tn_overview_canvas_new());
  gtk_box_append(GTK_BOX(overview), make_bar(overview));
  gtk_box_append(GTK_BOX(overview), GTK_WIDGET(overview->canvas));
  g_signal_connect(overview->canvas, "picked", G_CALLBACK(on_picked), overview);
  g_signal_connect(overview->canvas, "opened", G_CALLBACK(on_opened), overview);
  on_picked(overview->canvas, overview);
  tn_overview_state_watch(GTK_WIDGET(overview), overview->canvas);
  read_next(overview);
  return GTK_WIDGET(overview);
}
