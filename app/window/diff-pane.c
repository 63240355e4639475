/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-pane.h"

#include "app/window/diff-canvas.h"

struct _TnDiffPane {
  GtkBox parent_instance;
  TnDiffCanvas *canvas;
  TnUndo *undo;
  GtkWidget *layouts[3]; /* by TnDiffLayout */
};

G_DEFINE_TYPE(TnDiffPane, tn_diff_pane, GTK_TYPE_BOX)

static void
on_layout(GtkToggleButton *button, TnDiffPane *pane)
{
  for (guint i = 0; i < G_N_ELEMENTS(pane->layouts); i++)
    if (gtk_toggle_button_get_active(button) && pane->layouts[i] == GTK_WIDGET(button))
      tn_diff_canvas_set_layout(pane->canvas, (TnDiffLayout)i);
  gtk_widget_grab_focus(GTK_WIDGET(pane->canvas));
}

static TnDiffLayout
chosen_layout(TnDiffPane *pane)
{
  for (guint i = 0; i < G_N_ELEMENTS(pane->layouts); i++)
    if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(pane->layouts[i])))
      return (TnDiffLayout)i;
  return TN_DIFF_OVER_UNDER;
}

/* Space shows A alone, then B alone in the same place, and so on: what differs blinks. */
static void
blink(TnDiffPane *pane)
{
  bool is_a = tn_diff_canvas_get_layout(pane->canvas) == TN_DIFF_ONLY_A;
  tn_diff_canvas_set_layout(pane->canvas, is_a ? TN_DIFF_ONLY_B : TN_DIFF_ONLY_A);
}

static gboolean
on_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
       TnDiffPane *pane)
{
  if (key == GDK_KEY_space) {
    blink(pane);
    return TRUE;
  }
  if (key == GDK_KEY_Escape) {
    tn_diff_canvas_set_layout(pane->canvas, chosen_layout(pane));
    return TRUE;
  }
  return FALSE;
}

static GtkWidget *
make_bar(TnDiffPane *pane)
{
  static const char *const names[] = {"Over and Under", "Overlay", "Difference Map"};
  static const char *const tips[] = {"A above B, on one axis and at one scale",
                                     "A’s outlines over B",
                                     "B − A by moment and place"};
  GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *group = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *alone = gtk_button_new_with_label("Blink");
  GtkWidget *swap = gtk_button_new_with_label("Swap");
  gtk_widget_add_css_class(group, "linked");
  gtk_widget_add_css_class(bar, "toolbar");
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    GtkWidget *button = pane->layouts[i] = gtk_toggle_button_new_with_label(names[i]);
    gtk_widget_set_tooltip_text(button, tips[i]);
    if (i)
      gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(button), GTK_TOGGLE_BUTTON(pane->layouts[0]));
    gtk_box_append(GTK_BOX(group), button);
  }
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(pane->layouts[0]), TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    g_signal_connect(pane->layouts[i], "toggled", G_CALLBACK(on_layout), pane);
  gtk_widget_set_tooltip_text(alone, "One side alone, then the other in its place (Space); Esc ends");
  g_signal_connect_swapped(alone, "clicked", G_CALLBACK(blink), pane);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(swap), "win.swap");
  gtk_widget_set_tooltip_text(swap, "B against A");
  gtk_box_append(GTK_BOX(bar), group);
  gtk_box_append(GTK_BOX(bar), alone);
  gtk_box_append(GTK_BOX(bar), swap);
  return bar;
}

TnUndo *
tn_diff_pane_get_undo(TnDiffPane *pane)
{
  return pane->undo;
}

char *
tn_diff_pane_build_title(TnDiffPane *pane)
{
  return tn_diff_canvas_build_title(pane->canvas);
}

void
tn_diff_pane_swap(TnDiffPane *pane)
{
  tn_diff_canvas_swap(pane->canvas);
}

void
tn_diff_pane_invalidate(TnDiffPane *pane)
{
  tn_diff_canvas_invalidate(pane->canvas);
}

static void
finalize(GObject *object)
{
  g_object_unref(TN_DIFF_PANE(object)->undo);
  G_OBJECT_CLASS(tn_diff_pane_parent_class)->finalize(object);
}

static void
tn_diff_pane_class_init(TnDiffPaneClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
}

static void
tn_diff_pane_init(TnDiffPane *pane)
{
  gtk_orientable_set_orientation(GTK_ORIENTABLE(pane), GTK_ORIENTATION_VERTICAL);
  pane->undo = tn_undo_new();
}

GtkWidget *
tn_diff_pane_new(TnSession *a, TnSession *b)
{
  TnDiffPane *pane = g_object_new(TN_TYPE_DIFF_PANE, NULL);
  pane->canvas = TN_DIFF_CANVAS(tn_diff_canvas_new(a, b));
  gtk_box_append(GTK_BOX(pane), make_bar(pane));
  gtk_box_append(GTK_BOX(pane), GTK_WIDGET(pane->canvas));
  GtkEventController *keys = gtk_event_controller_key_new();
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), pane);
  gtk_widget_add_controller(GTK_WIDGET(pane->canvas), keys);
  return GTK_WIDGET(pane);
}
