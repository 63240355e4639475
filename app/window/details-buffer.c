/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/details-parts.h"

#include "analysis/batch-sum.h"
#include "app/window/axis-words.h"
#include "app/window/edit-actions.h"
#include "app/window/facts.h"
#include "app/window/plan-facts.h"
#include "app/window/settings.h"
#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>

static char *
dup_range(const TnBuffers *b, tn_index i)
{
  char from[32], to[32];
  bool is_before = b->flags[i] & TN_BUFFER_BEFORE, is_kept = b->flags[i] & TN_BUFFER_TO_END;
  return g_strdup_printf(is_before && is_kept ? _("before %s – %s (never freed)")
                         : is_before          ? _("before %s – %s")
                         : is_kept            ? _("%s – %s (never freed)")
                                              : "%s – %s",
                         tn_print_count(from, sizeof from, b->start[i]),
                         tn_print_count(to, sizeof to, b->end[i]));
}

/* "1.654 s · 12 % · long in ticks" */
static void
add_clock_life(GtkBox *content, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  char life[32];
  if (!study->clock)
    return;
  double us = tn_clock_life(study->clock, b->start[i], b->end[i]);
  TnLongIn which = tn_clock_long_in(study->clock, b->start[i], b->end[i]);
  g_autofree char *text =
      g_strdup_printf(which == TN_LONG_IN_TICKS     ? _("%s · %.0f %% · long in ticks")
                      : which == TN_LONG_IN_SECONDS ? _("%s · %.0f %% · long in seconds")
                                                    : "%s · %.0f %%",
                      tn_print_us(life, sizeof life, us), 100.0 * us / study->clock->total_us);
  tn_facts_add(content, _("By the clock"), text,
           which ? _("Its two shares of the recording differ by a factor of 4 or more")
                 : _("Of the whole recording"));
}

static void
add_life(GtkBox *content, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  char life[32];
  const TnAxisUnit axis = study->device->axis;
  g_autofree char *range = dup_range(b, i);
  g_autofree char *length = g_strdup_printf(
      "%s %s · %.0f %%", tn_print_count(life, sizeof life, b->end[i] - b->start[i]),
      tn_axis_word_for(axis, b->end[i] - b->start[i]),
      100.0 * (double)(b->end[i] - b->start[i]) / (double)study->axis_end);
  tn_facts_add(content, _("Alive"), range, tn_axis_word(axis));
  tn_facts_add(content, _("Life"), length, _("Of the whole axis"));
  add_clock_life(content, study, i);
}

static void
add_share_of_peak(GtkBox *content, const TnStudy *study, tn_index i)
{
  const TnBuffers *b = study->buffers;
  tn_tick at = study->live->peak_at;
  bool is_alive = b->start[i] <= at && b->end[i] > at &&
                  tn_batch_sum_counts(b, i, tn_batch_sum_label_at(b, NULL, b->n, at));
  g_autofree char *text =
      is_alive
          ? g_strdup_printf(_("yes · %.1f %%"), 100.0 * (double)b->bytes[i] /
                                                    (double)MAX(study->live->peak, (tn_bytes)1))
          : g_strdup(_("no"));
  tn_facts_add(content, _("At the peak"), text, _("Its share of the live peak"));
}

static uint32_t
rank_by_size(const TnBuffers *b, tn_index i)
{
  uint32_t larger = 0;
  for (uint32_t k = 0; k < b->n; k++)
    larger += b->bytes[k] > b->bytes[i];
  return larger + 1;
}

static void
add_stack(GtkBox *content, const TnStudy *study, uint32_t stack, const char *title)
{
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(study->document->stacks, stack, &n);
  if (n == 0)
    return;
  tn_facts_add_heading(content, title);
  for (uint32_t f = 0; f < MIN(n, 64u); f++) {
    TnFrame frame = tn_stacks_frame(study->document->stacks, frames[f]);
    const char *file = tn_strings_get(study->document->strings, frame.file);
    const char *name = tn_strings_get(study->document->strings, frame.name);
    g_autofree char *text = tn_frame_format(study->document, frames[f]);
    g_autofree char *whole = g_strdup_printf("%s:%d\n%s", file, frame.line, name);
    GtkWidget *label =
        tn_facts_label_new(text, tn_frame_is_framework(file, name) ? "dim-label" : NULL, 0.0f);
    gtk_widget_add_css_class(label, "caption");
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
    tn_tip_set(label, whole);
    gtk_box_append(content, label);
  }
}

static void
add_rounding(GtkBox *content, const TnBuffers *b, tn_index i)
{
  tn_bytes requested = tn_buffers_requested(b, i);
  if (requested == b->bytes[i])
    return;
  tn_facts_add_bytes(content, _("Requested"), requested);
  tn_facts_add_bytes(content, _("Lost to rounding"), b->bytes[i] - requested);
}

/* What if it were another: the edits of a graph's tensor. */
static void
add_edit_button(GtkBox *content)
{
  GtkWidget *button = gtk_menu_button_new();
  g_autoptr(GMenuModel) menu = tn_edit_menu_new();
  gtk_menu_button_set_label(GTK_MENU_BUTTON(button), _("Add Edit"));
  gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), menu);
  tn_tip_set(button, _("What if it were another: the file stays as it is"));
  gtk_widget_set_halign(button, GTK_ALIGN_START);
  gtk_widget_set_margin_top(button, 8);
  gtk_box_append(content, button);
}

GtkWidget *
tn_details_fill_buffer(GtkBox *content, TnSession *session, tn_index i, tn_index before)
{
  const TnStudy *study = tn_session_get_study(session);
  GtkWidget *facts = NULL;
  const TnBuffers *b = study->buffers;
  char count[32];
  g_autofree char *whole = tn_study_dup_label(study, i);
  g_autofree char *name = tn_elide_middle(whole, TN_VIEW_NAME_CHARS);
  GtkWidget *title = tn_facts_label_new(name, "title-4", 0.0f);
  gtk_label_set_wrap(GTK_LABEL(title), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(title), PANGO_WRAP_WORD_CHAR);
  gtk_box_append(content, title);
  g_autofree char *id =
      g_strdup_printf(_("%s · buffer %u"), tn_kind_name((TnBufferKind)b->kind[i]), i);
  gtk_box_append(content, tn_facts_label_new(id, "dim-label", 0.0f));
  tn_facts_add_bytes(content, _("Size"), b->bytes[i]);
  add_rounding(content, b, i);
  if (study->offset[i] != TN_NOT_PLACED) {
    g_autofree char *hex = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", (guint64)study->offset[i]);
    tn_facts_add(content, study->is_log ? _("Address") : _("Offset"), hex,
             tn_print_count(count, sizeof count, study->offset[i]));
  }
  add_life(content, study, i);
  add_share_of_peak(content, study, i);
  g_autofree char *rank = g_strdup_printf(_("%u of %s by size"), rank_by_size(b, i),
                                          tn_print_count(count, sizeof count, b->n));
  tn_facts_add(content, _("Rank"), rank, NULL);
  if (!study->is_log) {
    facts = tn_plan_facts_new(session, i, before);
    gtk_box_append(content, facts);
  }
  if (study->document->graph)
    add_edit_button(content);
  add_stack(content, study, tn_buffers_stack(b, i), _("Allocated by"));
  if (b->free_stack && b->free_stack[i])
    add_stack(content, study, b->free_stack[i], _("Freed by"));
  return facts;
}
