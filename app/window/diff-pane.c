/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-pane.h"

#include "app/window/axis-words.h"
#include "app/window/changes-table.h"
#include "app/window/diff-canvas.h"
#include "app/window/diff-causes.h"
#include "app/window/diff-chips.h"
#include "app/window/diff-input.h"
#include "app/window/diff-state.h"
#include "app/window/rematch-dialog.h"
#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

struct _TnDiffPane {
  GtkBox parent_instance;
  TnDiffModel *model;
  TnDiffCanvas *canvas;
  GtkWidget *layouts[3]; /* by TnDiffLayout */
  GtkWidget *causes, *drawer, *table, *status;
  GSimpleActionGroup *actions;
  TnDiffLayout before_hold; /* what B took the place of */
  bool is_held;
};

G_DEFINE_TYPE(TnDiffPane, tn_diff_pane, GTK_TYPE_BOX)

/* ---- layouts ----------------------------------------------------------------------------------- */

static void
on_layout(GtkToggleButton *button, TnDiffPane *pane)
{
  for (guint i = 0; i < G_N_ELEMENTS(pane->layouts); i++)
    if (gtk_toggle_button_get_active(button) && pane->layouts[i] == GTK_WIDGET(button))
      tn_diff_canvas_set_layout(pane->canvas, (TnDiffLayout)i);
  gtk_widget_grab_focus(GTK_WIDGET(pane->canvas));
}

TnDiffLayout
tn_diff_pane_get_layout(TnDiffPane *pane)
{
  for (guint i = 0; i < G_N_ELEMENTS(pane->layouts); i++)
    if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(pane->layouts[i])))
      return (TnDiffLayout)i;
  return TN_DIFF_OVER_UNDER;
}

bool
tn_diff_pane_get_shown(TnDiffPane *pane, TnView *out_shown)
{
  TnDiffPicture picture;
  return tn_diff_canvas_get_shown(pane->canvas, &picture, out_shown);
}

void
tn_diff_pane_set_layout(TnDiffPane *pane, TnDiffLayout layout)
{
  if (layout < G_N_ELEMENTS(pane->layouts))
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(pane->layouts[layout]), TRUE);
  tn_diff_canvas_set_layout(pane->canvas, layout);
}

/* ---- blinking ---------------------------------------------------------------------------------- */

static TnDiffLayout
other_side(TnDiffLayout layout)
{
  return layout == TN_DIFF_ONLY_B ? TN_DIFF_ONLY_A : TN_DIFF_ONLY_B;
}

/* Space shows A alone, then B alone in the same place, and so on: what differs blinks. */
static void
blink(TnDiffPane *pane)
{
  bool is_a = tn_diff_canvas_get_layout(pane->canvas) == TN_DIFF_ONLY_A;
  TnDiffLayout next = is_a ? TN_DIFF_ONLY_B : TN_DIFF_ONLY_A;
  tn_diff_canvas_set_layout(pane->canvas, next);
  tn_diff_canvas_prepare(pane->canvas, other_side(next));
  gtk_widget_grab_focus(GTK_WIDGET(pane->canvas));
}

/* B shows the other side (B where both are shown) as long as it is held. */
static void
hold(TnDiffPane *pane)
{
  if (pane->is_held)
    return;
  pane->is_held = true;
  pane->before_hold = tn_diff_canvas_get_layout(pane->canvas);
  tn_diff_canvas_set_layout(pane->canvas, other_side(pane->before_hold));
  tn_diff_canvas_prepare(pane->canvas, pane->before_hold);
}

static void
let_go(TnDiffPane *pane)
{
  if (pane->is_held)
    tn_diff_canvas_set_layout(pane->canvas, pane->before_hold);
  pane->is_held = false;
}

static gboolean
on_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
       TnDiffPane *pane)
{
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  if (key == GDK_KEY_space)
    blink(pane);
  else if (key == GDK_KEY_b || key == GDK_KEY_B)
    hold(pane);
  else if (key == GDK_KEY_Escape &&
           tn_diff_canvas_get_layout(pane->canvas) != tn_diff_pane_get_layout(pane))
    tn_diff_canvas_set_layout(pane->canvas, tn_diff_pane_get_layout(pane));
  else if (key == GDK_KEY_Escape)
    tn_diff_model_select(pane->model, TN_NONE);
  else
    return FALSE;
  return TRUE;
}

static void
on_key_released(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                TnDiffPane *pane)
{
  if (key == GDK_KEY_b || key == GDK_KEY_B)
    let_go(pane);
}

static void
on_focus_left(GtkEventControllerFocus *controller, TnDiffPane *pane)
{
  let_go(pane);
}

/* ---- the status line ----------------------------------------------------------------------------- */

/* What both hold at the pointer's moment. */
static char *
describe_moment(const TnDiff *diff, double cursor)
{
  TnUnits units = tn_settings_get_units();
  tn_tick common = CLAMP((tn_tick)cursor, 0, diff->axis->end - 1);
  tn_tick at_a = tn_diff_axis_from_common(diff->axis, TN_DIFF_A, common);
  tn_tick at_b = tn_diff_axis_from_common(diff->axis, TN_DIFF_B, common);
  tn_bytes a = tn_curve_at(diff->a->live, at_a), b = tn_curve_at(diff->b->live, at_b);
  char size_a[48], size_b[48], size[48], count_a[32], count_b[32];
  return g_strdup_printf("%s %s: A %s  ·  %s: B %s  ·  %s%s", tn_axis_word(diff->a->device->axis),
                         tn_print_count(count_a, sizeof count_a, at_a),
                         tn_print_bytes(size_a, sizeof size_a, a, units),
                         tn_print_count(count_b, sizeof count_b, at_b),
                         tn_print_bytes(size_b, sizeof size_b, b, units),
                         b > a   ? "+"
                         : b < a ? "−"
                                 : "",
                         tn_print_bytes(size, sizeof size, ABS(b - a), units));
}

static void
show_status(TnDiffModel *model, TnDiffPane *pane)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  double cursor = tn_diff_model_get_cursor(model);
  g_autofree char *text = diff && cursor >= 0 ? describe_moment(diff, cursor) : NULL;
  gtk_label_set_text(GTK_LABEL(pane->status), text ? text : "");
}

/* ---- actions on the selected pair ---------------------------------------------------------------- */

static void
match_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnDiffPane *pane = data;
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(pane));
  if (root)
    tn_rematch_dialog_show(GTK_WINDOW(root), pane->model);
}

/* Both stay alone: else A's next best would be found for it at once. */
static void
unmatch_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  TnDiffPane *pane = data;
  uint32_t pair = tn_diff_model_get_selected(pane->model);
  if (pair == TN_NONE)
    return;
  const TnDiffPair p = tn_diff_model_get_diff(pane->model)->pairs[pair];
  tn_diff_model_unmatch(pane->model, p.a, p.b);
}

static void
copy_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  tn_changes_table_copy(TN_CHANGES_TABLE(TN_DIFF_PANE(data)->table));
}

static void
follow_selection(TnDiffModel *model, TnDiffPane *pane)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  uint32_t pair = tn_diff_model_get_selected(model);
  bool is_any = diff && pair != TN_NONE;
  bool is_both = is_any && diff->pairs[pair].match != TN_MATCH_NONE;
  GActionMap *map = G_ACTION_MAP(pane->actions);
  g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(map, "match")), is_any);
  g_simple_action_set_enabled(G_SIMPLE_ACTION(g_action_map_lookup_action(map, "unmatch")), is_both);
}

static void
add_actions(TnDiffPane *pane)
{
  static const GActionEntry actions[] = {{.name = "match", .activate = match_action},
                                         {.name = "unmatch", .activate = unmatch_action},
                                         {.name = "copy", .activate = copy_action}};
  pane->actions = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(pane->actions), actions, G_N_ELEMENTS(actions),
                                  pane);
  gtk_widget_insert_action_group(GTK_WIDGET(pane), "diff", G_ACTION_GROUP(pane->actions));
}

/* ---- making -------------------------------------------------------------------------------------- */

static GtkWidget *
button_new(const char *label, const char *says, const char *action)
{
  GtkWidget *button = gtk_button_new_with_label(label);
  tn_tip_set(button, says);
  if (action)
    gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
  return button;
}

static GtkWidget *
make_layouts(TnDiffPane *pane)
{
  static const char *const names[] = {N_("Over and Under"), N_("Overlay"), N_("Difference Map")};
  static const char *const tips[] = {N_("A above B, on one axis and at one scale (1)"),
                                     N_("A’s outlines over B (2)"),
                                     N_("B − A by moment and place (3)")};
  GtkWidget *group = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class(group, "linked");
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    GtkWidget *button = pane->layouts[i] = gtk_toggle_button_new_with_label(_(names[i]));
    tn_tip_set(button, _(tips[i]));
    if (i)
      gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(button), GTK_TOGGLE_BUTTON(pane->layouts[0]));
    gtk_box_append(GTK_BOX(group), button);
  }
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(pane->layouts[0]), TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    g_signal_connect(pane->layouts[i], "toggled", G_CALLBACK(on_layout), pane);
  return group;
}

static GtkWidget *
make_bar(TnDiffPane *pane)
{
  GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *alone = button_new(
      _("Blink"),
      _("One side alone, then the other in its place (Space; B shows it while held); Esc ends"),
      NULL);
  pane->status = gtk_label_new("");
  gtk_label_set_ellipsize(GTK_LABEL(pane->status), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign(GTK_LABEL(pane->status), 1.0f);
  gtk_widget_set_hexpand(pane->status, TRUE);
  gtk_widget_add_css_class(pane->status, "caption");
  gtk_widget_add_css_class(pane->status, "numeric");
  gtk_widget_add_css_class(bar, "toolbar");
  g_signal_connect_swapped(alone, "clicked", G_CALLBACK(blink), pane);
  gtk_box_append(GTK_BOX(bar), make_layouts(pane));
  gtk_box_append(GTK_BOX(bar), alone);
  gtk_box_append(GTK_BOX(bar), button_new(_("Swap"), _("B against A"), "win.swap"));
  gtk_box_append(GTK_BOX(bar), pane->status);
  return bar;
}

static GtkWidget *
make_drawer(TnDiffPane *pane)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *chips = tn_diff_chips_new(pane->model);
  gtk_box_append(
      GTK_BOX(chips),
      button_new(_("Match With…"), _("Another buffer is its partner (Ctrl+M)"), "diff.match"));
  gtk_box_append(GTK_BOX(chips),
                 button_new(_("Unmatch"), _("The two are not the same buffer (Ctrl+Shift+M)"),
                            "diff.unmatch"));
  gtk_widget_add_css_class(chips, "change-chips");
  pane->table = tn_changes_table_new(pane->model);
  gtk_box_append(GTK_BOX(box), chips);
  gtk_box_append(GTK_BOX(box), pane->table);
  gtk_widget_set_size_request(box, -1, 150);
  return box;
}

/* Once, when the height is known: the list has a third of a large window, the least of a small one. */
static void
on_height(GtkPaned *down, GParamSpec *pspec, TnDiffPane *pane)
{
  int max, min;
  g_object_get(down, "max-position", &max, "min-position", &min, NULL);
  if (max <= min)
    return;
  g_signal_handlers_disconnect_by_func(down, on_height, pane);
  if (max > 400)
    gtk_paned_set_position(down, MAX(min, (int)(0.83 * max)));
}

static GtkWidget *
make_panes(TnDiffPane *pane)
{
  pane->causes = tn_diff_causes_new(pane->model);
  pane->drawer = make_drawer(pane);
  GtkWidget *down = tn_view_paned_new(GTK_ORIENTATION_VERTICAL, GTK_WIDGET(pane->canvas),
                                      pane->drawer, false);
  g_signal_connect(down, "notify::max-position", G_CALLBACK(on_height), pane);
  return tn_view_paned_new(GTK_ORIENTATION_HORIZONTAL, down, pane->causes, false);
}

static void
add_keys(TnDiffPane *pane)
{
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkEventController *focus = gtk_event_controller_focus_new();
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), pane);
  g_signal_connect(keys, "key-released", G_CALLBACK(on_key_released), pane);
  g_signal_connect(focus, "leave", G_CALLBACK(on_focus_left), pane);
  gtk_widget_add_controller(GTK_WIDGET(pane->canvas), keys);
  gtk_widget_add_controller(GTK_WIDGET(pane->canvas), focus);
}

void
tn_diff_pane_show_all(TnDiffPane *pane)
{
  tn_diff_canvas_show_all(pane->canvas);
}

/* From where either side's life begins to where either's ends, on the common axis. */
void
tn_diff_pane_show_selected(TnDiffPane *pane)
{
  TnDiffPicture picture;
  TnView view;
  uint32_t pair = tn_diff_model_get_selected(pane->model);
  if (pair == TN_NONE || !tn_diff_canvas_get_shown(pane->canvas, &picture, &view))
    return;
  const TnDiffPair *p = &picture.diff->pairs[pair];
  const TnBuffers *a = picture.a->buffers, *b = picture.b->buffers;
  double start = (double)MIN(p->a == TN_NONE ? INT64_MAX : a->start[p->a],
                             p->b == TN_NONE ? INT64_MAX : b->start[p->b]);
  double end = (double)MAX(p->a == TN_NONE ? 0 : a->end[p->a], p->b == TN_NONE ? 0 : b->end[p->b]);
  view.t0 = start - 0.25 * (end - start);
  view.t1 = end + 0.25 * (end - start);
  tn_diff_canvas_show(pane->canvas, &view);
}

static void
toggle(GtkWidget *widget)
{
  gtk_widget_set_visible(widget, !gtk_widget_get_visible(widget));
}

void
tn_diff_pane_toggle_causes(TnDiffPane *pane)
{
  toggle(pane->causes);
}

void
tn_diff_pane_toggle_table(TnDiffPane *pane)
{
  toggle(pane->drawer);
}

TnDiffModel *
tn_diff_pane_get_model(TnDiffPane *pane)
{
  return pane->model;
}

TnUndo *
tn_diff_pane_get_undo(TnDiffPane *pane)
{
  return tn_diff_model_get_undo(pane->model);
}

char *
tn_diff_pane_build_title(TnDiffPane *pane)
{
  return tn_diff_model_build_title(pane->model);
}

void
tn_diff_pane_swap(TnDiffPane *pane)
{
  tn_diff_model_swap(pane->model);
}

void
tn_diff_pane_invalidate(TnDiffPane *pane)
{
  tn_diff_model_invalidate(pane->model);
}

static void
finalize(GObject *object)
{
  TnDiffPane *pane = TN_DIFF_PANE(object);
  g_object_unref(pane->model);
  g_object_unref(pane->actions);
  G_OBJECT_CLASS(tn_diff_pane_parent_class)->finalize(object);
}

static void
tn_diff_pane_class_init(TnDiffPaneClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->finalize = finalize;
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_m, GDK_CONTROL_MASK, "diff.match", NULL);
  gtk_widget_class_add_binding_action(widget_class, GDK_KEY_M, GDK_CONTROL_MASK | GDK_SHIFT_MASK,
                                      "diff.unmatch", NULL);
}

static void
tn_diff_pane_init(TnDiffPane *pane)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(pane), GTK_ORIENTATION_VERTICAL);
}

GtkWidget *
tn_diff_pane_new(TnSession *a, TnSession *b)
{
  TnDiffPane *pane = g_object_new(TN_TYPE_DIFF_PANE, NULL);
  pane->model = tn_diff_model_new(a, b);
  pane->canvas = TN_DIFF_CANVAS(tn_diff_canvas_new(pane->model));
  add_actions(pane);
  gtk_box_append(GTK_BOX(pane), make_bar(pane));
  gtk_box_append(GTK_BOX(pane), make_panes(pane));
  add_keys(pane);
  g_signal_connect_object(pane->model, "cursor-changed", G_CALLBACK(show_status), pane, 0);
  g_signal_connect_object(pane->model, "selection-changed", G_CALLBACK(follow_selection), pane, 0);
  g_signal_connect_object(pane->model, "compared", G_CALLBACK(follow_selection), pane, 0);
  follow_selection(pane->model, pane);
  tn_diff_state_watch(GTK_WIDGET(pane), pane->model, pane->canvas, TN_CHANGES_TABLE(pane->table));
  return GTK_WIDGET(pane);
}
