/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-chips.h"

#include "app/window/tip.h"

#include "data/units.h"

#include <glib/gi18n.h>

/* Kinds of change of what both sides have, and of what is the same. */
static const struct {
  unsigned bit;
  const char *label, *says;
} kinds[] = {
    {TN_CHANGE_GREW, N_("↑ grew"), N_("More was asked for in B")},
    {TN_CHANGE_SHRANK, N_("↓ shrank"), N_("Less was asked for in B")},
    {TN_CHANGE_LONGER, N_("longer"), N_("Lives over more of the moments that both have")},
    {TN_CHANGE_SHORTER, N_("shorter"), N_("Lives over fewer of the moments that both have")},
    {TN_CHANGE_MOVED, N_("↔ moved"), N_("Has another offset")},
    {TN_CHANGE_REALIGNED, N_("realigned"), N_("Aligned or rounded otherwise")},
    {TN_CHANGE_REORDERED, N_("reordered"), N_("Lives as long, at another moment")},
    {TN_CHANGE_RENAMED, N_("renamed"), N_("Has another name")},
    {TN_SHOW_SAME, N_("= the same"), N_("Nothing changed")},
};

static const struct {
  unsigned bit;
  const char *label;
} sides[] = {
    {TN_SHOW_ONLY_A, N_("− Only A")}, {TN_SHOW_BOTH, N_("Both")}, {TN_SHOW_ONLY_B, N_("+ Only B")}};

#define N_KINDS G_N_ELEMENTS(kinds)
#define N_SIDES G_N_ELEMENTS(sides)

struct _TnDiffChips {
  GtkBox parent_instance;
  TnDiffModel *model;
  GtkWidget *sides[N_SIDES], *kinds[N_KINDS], *count;
  bool is_following; /* a toggle that is not the user's */
};

G_DEFINE_TYPE(TnDiffChips, tn_diff_chips, GTK_TYPE_BOX)

static unsigned
sum_active(GtkWidget *const *buttons, gsize n, const unsigned *bits)
{
  unsigned sum = 0;
  for (gsize i = 0; i < n; i++)
    if (gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(buttons[i])))
      sum |= bits[i];
  return sum;
}

static void
on_toggled(GtkToggleButton *button, TnDiffChips *chips)
{
  unsigned side_bits[N_SIDES], kind_bits[N_KINDS];
  TnDiffFilter filter = *tn_diff_model_get_filter(chips->model);
  if (chips->is_following)
    return;
  for (gsize i = 0; i < N_SIDES; i++)
    side_bits[i] = sides[i].bit;
  for (gsize i = 0; i < N_KINDS; i++)
    kind_bits[i] = kinds[i].bit;
  filter.sides = sum_active(chips->sides, N_SIDES, side_bits);
  filter.changes = sum_active(chips->kinds, N_KINDS, kind_bits);
  tn_diff_model_set_filter(chips->model, &filter);
}

static void
show_count(TnDiffChips *chips)
{
  const TnDiff *diff = tn_diff_model_get_diff(chips->model);
  uint32_t n;
  char of[32], shown[32];
  tn_diff_model_get_shown(chips->model, &n);
  g_autofree char *text =
      !diff ? g_strdup("")
            : g_strdup_printf(_("%s of %s"), tn_print_count(shown, sizeof shown, n),
                              tn_print_count(of, sizeof of, diff->n));
  gtk_label_set_text(GTK_LABEL(chips->count), text);
}

static void
follow_filter(TnDiffModel *model, TnDiffChips *chips)
{
  const TnDiffFilter *filter = tn_diff_model_get_filter(model);
  chips->is_following = true;
  for (gsize i = 0; i < N_SIDES; i++)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(chips->sides[i]),
                                 (filter->sides & sides[i].bit) != 0);
  for (gsize i = 0; i < N_KINDS; i++)
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(chips->kinds[i]),
                                 (filter->changes & kinds[i].bit) != 0);
  chips->is_following = false;
  show_count(chips);
}

static void
set_count(GtkWidget *button, const char *label, uint32_t n)
{
  char count[32];
  g_autofree char *text = g_strdup_printf("%s %s", label, tn_print_count(count, sizeof count, n));
  gtk_button_set_label(GTK_BUTTON(button), text);
}

/* Of kinds that there are. */
static void
on_compared(TnDiffModel *model, TnDiffChips *chips)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  uint32_t n_kinds[N_KINDS] = {0};
  for (uint32_t i = 0; diff && i < diff->n; i++)
    for (gsize k = 0; k < N_KINDS; k++)
      n_kinds[k] += (tn_diff_filter_changes_of(diff, i) & kinds[k].bit) != 0;
  for (gsize k = 0; k < N_KINDS; k++) {
    set_count(chips->kinds[k], _(kinds[k].label), n_kinds[k]);
    gtk_widget_set_visible(chips->kinds[k], n_kinds[k] > 0);
  }
  const uint32_t n_sides[N_SIDES] = {diff ? diff->n_only_a : 0, diff ? diff->n_matched : 0,
                                     diff ? diff->n_only_b : 0};
  for (gsize k = 0; k < N_SIDES; k++)
    set_count(chips->sides[k], _(sides[k].label), n_sides[k]);
  follow_filter(model, chips);
}

static GtkWidget *
add_chip(TnDiffChips *chips, GtkWidget *box, const char *says)
{
  GtkWidget *button = gtk_toggle_button_new_with_label("");
  gtk_widget_add_css_class(button, "diff-chip");
  tn_tip_set(button, says);
  g_signal_connect(button, "toggled", G_CALLBACK(on_toggled), chips);
  gtk_box_append(GTK_BOX(box), button);
  return button;
}

static GtkWidget *
make_chips(TnDiffChips *chips)
{
  static const char *const says[N_SIDES] = {N_("What A alone has"), N_("What both have"),
                                            N_("What B alone has")};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
  GtkWidget *group = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *scroller = gtk_scrolled_window_new();
  gtk_widget_add_css_class(group, "linked");
  gtk_widget_set_margin_end(group, 8);
  gtk_box_append(GTK_BOX(box), group);
  for (gsize i = 0; i < N_SIDES; i++)
    chips->sides[i] = add_chip(chips, group, _(says[i]));
  for (gsize i = 0; i < N_KINDS; i++)
    chips->kinds[i] = add_chip(chips, box, _(kinds[i].says));
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_AUTOMATIC,
                                 GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), box);
  gtk_widget_set_hexpand(scroller, TRUE);
  return scroller;
}

static void
dispose(GObject *object)
{
  g_clear_object(&TN_DIFF_CHIPS(object)->model);
  G_OBJECT_CLASS(tn_diff_chips_parent_class)->dispose(object);
}

static void
tn_diff_chips_class_init(TnDiffChipsClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_diff_chips_init(TnDiffChips *chips)
{
  gtk_box_set_spacing(GTK_BOX(chips), 8);
  chips->count = gtk_label_new("");
  gtk_widget_add_css_class(chips->count, "caption");
  gtk_widget_add_css_class(chips->count, "numeric");
}

GtkWidget *
tn_diff_chips_new(TnDiffModel *model)
{
  TnDiffChips *chips = g_object_new(TN_TYPE_DIFF_CHIPS, NULL);
  chips->model = g_object_ref(model);
  chips->is_following = true; /* buttons are made */
  gtk_box_append(GTK_BOX(chips), make_chips(chips));
  gtk_box_append(GTK_BOX(chips), chips->count);
  g_signal_connect_object(model, "compared", G_CALLBACK(on_compared), chips, 0);
  g_signal_connect_object(model, "filter-changed", G_CALLBACK(follow_filter), chips, 0);
  on_compared(model, chips);
  return GTK_WIDGET(chips);
}
