/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/status-line.h"

#include "app/window/axis-words.h"
#include "app/window/maps.h"
#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-switch.h"

#include <glib/gi18n.h>

enum { COUNT_CHARS = 40 }; /* for which there always is room */

struct _TnStatusLine {
  GtkBox parent_instance;
  TnSession *session;
  GtkWidget *switcher, *count, *left, *right;
  guint words; /* the source that will write it; 0: none */
};

G_DEFINE_TYPE(TnStatusLine, tn_status_line, GTK_TYPE_BOX)

static void
show_range(TnStatusLine *line)
{
  const TnView *view = tn_session_get_view(line->session);
  tn_tick from, to;
  char a[32], b[32], peak[48];
  tn_view_range_ticks(view, &from, &to);
  g_autofree char *text = g_strdup_printf(
      _("%s %s to %s · peak %s"), tn_axis_words(view->study->device->axis),
      tn_print_count(a, sizeof a, from), tn_print_count(b, sizeof b, to),
      tn_print_bytes(peak, sizeof peak, tn_curve_max(view->study->live, from, to, NULL),
                     tn_settings_get_units()));
  gtk_inscription_set_text(GTK_INSCRIPTION(line->right), text);
}

static void
show_cursor(TnStatusLine *line)
{
  const TnView *view = tn_session_get_view(line->session);
  const TnStudy *study = view->study;
  if (tn_session_has_range(line->session)) {
    show_range(line);
    return;
  }
  if (view->cursor < 0) {
    gtk_inscription_set_text(GTK_INSCRIPTION(line->right), "");
    return;
  }
  tn_tick tick = CLAMP((tn_tick)view->cursor, 0, study->axis_end - 1);
  char live[48], held[48], at[32];
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_printf(text, "%s %s", tn_axis_word(study->device->axis),
                  tn_print_count(at, sizeof at, tick));
  if (study->clock)
    g_string_append_printf(text, " · %s",
                           tn_print_us(at, sizeof at, tn_clock_at(study->clock, view->cursor)));
  g_string_append_printf(
      text, _(" · live %s"),
      tn_print_bytes(live, sizeof live, tn_curve_at(study->live, tick), tn_settings_get_units()));
  if (study->reserved)
    g_string_append_printf(text, _(" · reserved %s"),
                           tn_print_bytes(held, sizeof held, tn_curve_at(study->reserved, tick),
                                          tn_settings_get_units()));
  gtk_inscription_set_text(GTK_INSCRIPTION(line->right), text->str);
}

static void
show_hovered(TnStatusLine *line)
{
  const TnView *view = tn_session_get_view(line->session);
  tn_index buffer = view->hovered != TN_NONE ? view->hovered : view->selected;
  g_autofree char *text = tn_maps_describe(line->session, buffer);
  gtk_inscription_set_text(GTK_INSCRIPTION(line->left), text);
  tn_tip_set(line->left, text); /* where there is no room for all of it */
}

static gboolean
show_words(gpointer data)
{
  TnStatusLine *line = data;
  line->words = 0;
  show_hovered(line);
  show_cursor(line);
  return G_SOURCE_REMOVE;
}

/* After the frame of the maps: one that drew both would draw all that lies between them. */
static void
on_selection_changed(TnSession *session, TnStatusLine *line)
{
  if (!line->words)
    line->words = g_idle_add(show_words, line);
}

void
tn_status_line_set_count(TnStatusLine *line, const char *text)
{
  gtk_label_set_text(GTK_LABEL(line->count), text);
  /* What is shown of how much must be seen, also where words are large: a short one takes just its width. */
  bool is_long = g_utf8_strlen(text, -1) > COUNT_CHARS;
  gtk_label_set_ellipsize(GTK_LABEL(line->count), is_long ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_width_chars(GTK_LABEL(line->count), is_long ? COUNT_CHARS : -1);
  tn_tip_set(line->count, text);
}

void
tn_status_line_set_has_tables(TnStatusLine *line, bool has_tables)
{
  gtk_widget_set_visible(line->switcher, has_tables);
}

/* ---- making ------------------------------------------------------------------------------------ */

/* A text that changes with the pointer: an inscription does not ask the window for another layout.
 */
static GtkWidget *
make_text(guint min_chars, guint nat_chars, PangoEllipsizeMode cut)
{
  GtkWidget *text = gtk_inscription_new("");
  gtk_inscription_set_text_overflow(GTK_INSCRIPTION(text),
                                    cut == PANGO_ELLIPSIZE_MIDDLE
                                        ? GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_MIDDLE
                                        : GTK_INSCRIPTION_OVERFLOW_ELLIPSIZE_END);
  gtk_inscription_set_min_chars(GTK_INSCRIPTION(text), min_chars);
  gtk_inscription_set_nat_chars(GTK_INSCRIPTION(text), nat_chars);
  gtk_inscription_set_min_lines(GTK_INSCRIPTION(text), 1);
  gtk_inscription_set_nat_lines(GTK_INSCRIPTION(text), 1);
  gtk_widget_set_valign(text, GTK_ALIGN_CENTER);
  return text;
}

static void
dispose(GObject *object)
{
  g_clear_handle_id(&TN_STATUS_LINE(object)->words, g_source_remove);
  g_clear_object(&TN_STATUS_LINE(object)->session);
  G_OBJECT_CLASS(tn_status_line_parent_class)->dispose(object);
}

static void
tn_status_line_class_init(TnStatusLineClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_status_line_init(TnStatusLine *line)
{
  gtk_box_set_spacing(GTK_BOX(line), 12);
  gtk_widget_add_css_class(GTK_WIDGET(line), "status");
}

static GtkWidget *
make_count(void)
{
  GtkWidget *count = gtk_label_new("");
  gtk_label_set_xalign(GTK_LABEL(count), 0.0f);
  gtk_label_set_ellipsize(GTK_LABEL(count), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(count, "caption");
  gtk_widget_add_css_class(count, "numeric");
  return count;
}

static GtkWidget *
make_switcher(GtkStack *tables)
{
  GtkWidget *buttons = gtk_stack_switcher_new();
  gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(buttons), tables);
  gtk_widget_add_css_class(buttons, "drawer-switch");
  gtk_widget_set_valign(buttons, GTK_ALIGN_CENTER);
  GtkWidget *switcher = tn_view_switch_new(buttons, _("Table"));
  gtk_widget_add_css_class(switcher, "drawer-switch");
  gtk_widget_set_valign(switcher, GTK_ALIGN_CENTER);
  return switcher;
}

GtkWidget *
tn_status_line_new(TnSession *session, GtkStack *tables)
{
  TnStatusLine *line = g_object_new(TN_TYPE_STATUS_LINE, NULL);
  line->session = g_object_ref(session);
  line->switcher = make_switcher(tables);
  line->count = make_count();
  line->left = make_text(8, 12, PANGO_ELLIPSIZE_MIDDLE);
  line->right = make_text(16, 56, PANGO_ELLIPSIZE_END);
  gtk_inscription_set_xalign(GTK_INSCRIPTION(line->right), 1.0f);
  gtk_widget_set_hexpand(line->left, TRUE);
  gtk_widget_add_css_class(line->left, "caption");
  gtk_widget_add_css_class(line->right, "caption");
  gtk_widget_add_css_class(line->right, "numeric");
  gtk_box_append(GTK_BOX(line), line->switcher);
  gtk_box_append(GTK_BOX(line), line->count);
  gtk_box_append(GTK_BOX(line), line->left);
  gtk_box_append(GTK_BOX(line), line->right);
  g_signal_connect_object(session, "selection-changed", G_CALLBACK(on_selection_changed), line, 0);
  g_signal_connect_object(session, "units-changed", G_CALLBACK(on_selection_changed), line, 0);
  show_hovered(line);
  return GTK_WIDGET(line);
}
