/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-state.h"

#include "app/window/diff-input.h"
#include "app/window/test-state.h"

#include <string.h>

typedef struct _State State;

struct _State {
  GtkWidget *pane; /* whose data this is */
  char *(*build)(const State *state);
  TnDiffModel *model; /* of a comparison */
  TnDiffCanvas *canvas;
  TnChangesTable *table;
  TnOverviewCanvas *overview; /* of many files */
  char *last;
};

static void
free_state(gpointer data)
{
  State *state = data;
  g_free(state->last);
  g_free(state);
}

/* Of a widget's own coordinates, on the screen. */
static void
append_rect(GString *out, GtkWidget *widget, const char *name, TnRect r)
{
  double x = 0, y = 0, left = 0, top = 0;
  GtkWidget *root = GTK_WIDGET(gtk_widget_get_root(widget));
  gtk_widget_translate_coordinates(widget, root, r.x, r.y, &x, &y);
  gtk_native_get_surface_transform(GTK_NATIVE(root), &left, &top);
  g_string_append_printf(out, ", \"%s\": [%d, %d, %d, %d]", name, (int)(x + left), (int)(y + top),
                         (int)r.width, (int)r.height);
}

static TnRect
whole(GtkWidget *widget)
{
  return (TnRect){0, 0, gtk_widget_get_width(widget), gtk_widget_get_height(widget)};
}

/* Chips and causes that can be pressed, by their number: "chip0", "cause1". */
static void
append_buttons(GString *out, GtkWidget *widget, const char *class, int *n)
{
  if (GTK_IS_TOGGLE_BUTTON(widget) && gtk_widget_has_css_class(widget, class) &&
      gtk_widget_get_mapped(widget)) {
    g_autofree char *name =
        g_strdup_printf("%s%d", strrchr(class, '-') ? strrchr(class, '-') + 1 : class, (*n)++);
    append_rect(out, widget, name, whole(widget));
  }
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    append_buttons(out, child, class, n);
}

static char *
build_diff(const State *state)
{
  GString *out = g_string_new(NULL);
  const TnDiff *diff = tn_diff_model_get_diff(state->model);
  const TnDiffFilter *filter = tn_diff_model_get_filter(state->model);
  uint32_t n_shown, pair = tn_diff_model_get_selected(state->model);
  TnDiffPicture picture;
  TnView view;
  char t0[32] = "0", t1[32] = "0";
  tn_diff_model_get_shown(state->model, &n_shown);
  g_autofree char *label = diff && pair != TN_NONE ? tn_diff_dup_label(diff, pair) : g_strdup("");
  g_autofree char *escaped = g_strescape(label, NULL);
  bool has_picture = tn_diff_canvas_get_shown(state->canvas, &picture, &view);
  if (has_picture) {
    g_ascii_formatd(t0, sizeof t0, "%.4f", view.t0);
    g_ascii_formatd(t1, sizeof t1, "%.4f", view.t1);
  }
  g_string_printf(
      out,
      "{\"diff\": true, \"pairs\": %u, \"shown\": %u, \"rows\": %u, \"matched\": %u, \"only_a\": "
      "%u, "
      "\"only_b\": %u, \"by_hand\": %u, \"arena_delta\": %" G_GINT64_FORMAT
      ", \"live_delta\": %" G_GINT64_FORMAT
      ", \"layout\": %d, \"selected\": %d, \"label\": \"%s\", \"match\": \"%s\", \"sides\": %u, "
      "\"changes\": %u, \"cause\": %d, \"cursor\": %d, \"drawn\": %s, \"t0\": %s, "
      "\"t1\": %s",
      diff ? diff->n : 0, n_shown, tn_changes_table_get_n_rows(state->table),
      diff ? diff->n_matched : 0, diff ? diff->n_only_a : 0, diff ? diff->n_only_b : 0,
      diff ? diff->n_by_match[TN_MATCH_PERSON] : 0, diff ? diff->arena_delta : 0,
      diff ? diff->live_delta : 0,
      tn_diff_canvas_get_layout(state->canvas), pair == TN_NONE ? -1 : (int)pair, escaped,
      diff && pair != TN_NONE ? tn_diff_match_name(diff->pairs[pair].match) : "", filter->sides,
      filter->changes, filter->cause == TN_N_CAUSES ? -1 : (int)filter->cause,
      (int)tn_diff_model_get_cursor(state->model),
      tn_diff_canvas_is_drawn(state->canvas) ? "true" : "false", t0, t1);
  if (has_picture) {
    TnRect rect = whole(GTK_WIDGET(state->canvas));
    append_rect(out, GTK_WIDGET(state->canvas), "map_a",
                tn_diff_page_plot(&picture, rect, TN_DIFF_A));
    append_rect(out, GTK_WIDGET(state->canvas), "map_b",
                tn_diff_page_plot(&picture, rect, TN_DIFF_B));
  }
  g_autofree char *clipboard = tn_test_state_dup_clipboard(state->pane);
  g_string_append_printf(out, ", \"clipboard\": \"%s\"", clipboard);
  int n_chips = 0, n_causes = 0;
  append_rect(out, GTK_WIDGET(state->table), "table", whole(GTK_WIDGET(state->table)));
  append_buttons(out, state->pane, "diff-chip", &n_chips);
  append_buttons(out, state->pane, "cause", &n_causes);
  g_string_append(out, "}\n");
  return g_string_free(out, FALSE);
}

static char *
build_overview(const State *state)
{
  GString *out = g_string_new(NULL);
  guint n = tn_overview_canvas_count(state->overview);
  g_string_printf(out, "{\"overview\": true, \"files\": %u, \"a\": %d, \"b\": %d, \"outlier\": %d",
                  n, (int)tn_overview_canvas_get_picked(state->overview, 0),
                  (int)tn_overview_canvas_get_picked(state->overview, 1),
                  (int)tn_overview_canvas_get_outlier(state->overview));
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("cell%u", i);
    append_rect(out, GTK_WIDGET(state->overview), name,
                tn_overview_canvas_get_cell(state->overview, i));
  }
  g_string_append(out, "}\n");
  return g_string_free(out, FALSE);
}

/* Ten times a second is soon enough for a script. */
static gboolean
on_time(gpointer data)
{
  State *state = g_object_get_data(data, "state");
  if (!gtk_widget_get_mapped(state->pane))
    return G_SOURCE_CONTINUE;
  char *text = state->build(state);
  if (g_strcmp0(text, state->last) != 0)
    g_file_set_contents(g_getenv("TENURE_STATE_FILE"), text, -1, NULL);
  g_free(state->last);
  state->last = text;
  return G_SOURCE_CONTINUE;
}

static void
on_destroyed(GtkWidget *pane, gpointer data)
{
  g_source_remove(GPOINTER_TO_UINT(data));
}

static void
watch(const State *from)
{
  if (!g_getenv("TENURE_STATE_FILE"))
    return;
  g_object_set_data_full(G_OBJECT(from->pane), "state", g_memdup2(from, sizeof *from), free_state);
  guint timer = g_timeout_add(100, on_time, from->pane);
  g_signal_connect(from->pane, "destroy", G_CALLBACK(on_destroyed), GUINT_TO_POINTER(timer));
}

void
tn_diff_state_watch(GtkWidget *pane,
                    TnDiffModel *model,
                    TnDiffCanvas *canvas,
                    TnChangesTable *table)
{
  watch(&(State){
      .pane = pane, .build = build_diff, .model = model, .canvas = canvas, .table = table});
}

void
tn_overview_state_watch(GtkWidget *overview, TnOverviewCanvas *canvas)
{
  watch(&(State){.pane = overview, .build = build_overview, .overview = canvas});
}
