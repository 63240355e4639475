/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/budget-tables.h"

#include "app/window/text-table.h"
#include "app/window/view-parts.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum { ANSWER_NAME, ANSWER_FITS, ANSWER_PEAK, ANSWER_LOST, ANSWER_MOVED, ANSWER_AGAIN, N_ANSWER };
enum {
  IDLE_NAME,
  IDLE_SIZE,
  IDLE_VERDICT,
  IDLE_WHY,
  IDLE_COPIES,
  IDLE_OPS,
  IDLE_FROM,
  IDLE_TO,
  N_IDLE
};

static const TnColumnSpec answer_columns[N_ANSWER] = {
    [ANSWER_NAME] = {N_("Answer"), false, 0}, [ANSWER_FITS] = {N_("Fits"), false, 44},
    [ANSWER_PEAK] = {N_("Peak"), true, 76},   [ANSWER_LOST] = {N_("Time lost"), true, 76},
    [ANSWER_MOVED] = {N_("Moved"), true, 76}, [ANSWER_AGAIN] = {N_("Recomputed"), true, 92},
};

static const TnColumnSpec idle_columns[N_IDLE] = {
    [IDLE_NAME] = {N_("Storage"), false, 84},    [IDLE_SIZE] = {N_("Size"), true, 76},
    [IDLE_VERDICT] = {N_("Verdict"), false, 82}, [IDLE_WHY] = {N_("Why"), false, 0},
    [IDLE_COPIES] = {N_("Copies"), true, 84},    [IDLE_OPS] = {N_("Ops"), true, 44},
    [IDLE_FROM] = {N_("Idle after"), false, 96, true}, [IDLE_TO] = {N_("Until"), false, 96, true},
};

/* An idle stretch, or an op that runs in another way. */
typedef struct {
  bool is_way;
  uint32_t at; /* stretch, or place of the op */
  uint8_t rank;
  tn_bytes bytes;
} Row;

struct _TnBudgetTables {
  GtkBox parent_instance;
  TnSession *session;
  const TnBudgetAnswer *answer; /* borrowed */
  GArray *rows;                 /* Row */
  GtkWidget *answers, *idles;
};

G_DEFINE_TYPE(TnBudgetTables, tn_budget_tables, GTK_TYPE_BOX)

static TnUnits
units_of(const TnBudgetTables *tables)
{
  return tn_session_get_view(tables->session)->units;
}

/* ---- answers ------------------------------------------------------------------------------- */

/* Row 0 is the plan itself. */
static TnSpillPoint
point_at(const TnSpillAnswer *answer, uint32_t row)
{
  if (row > 0)
    return g_array_index(answer->others, TnSpillPoint, row - 1);
  const TnSpillOutcome *outcome = &answer->found.outcome;
  bool is_found = answer->found.is_found;
  return (TnSpillPoint){.name = "plan",
                        .is_feasible = is_found,
                        .peak = is_found ? outcome->peak : -1,
                        .overhead_seconds =
                            is_found ? tn_spill_overhead(answer->model, outcome->seconds) : 0,
                        .moved_bytes = outcome->moved_bytes,
                        .recomputed_bytes = outcome->recomputed_bytes};
}

static const char *
title_of(const char *name)
{
  static const struct {
    const char *name, *title;
  } titles[] = {{"plan", N_("Move, recompute")}, {"none", N_("As it is")},
                {"order", N_("Order only")},     {"order+plan", N_("Best order, plan")},
                {"move", N_("Move only")},       {"recompute", N_("Recompute only")}};
  for (gsize i = 0; i < G_N_ELEMENTS(titles); i++)
    if (strcmp(titles[i].name, name) == 0)
      return _(titles[i].title);
  return name;
}

static char *
dup_answer(uint32_t row, int column, gpointer data)
{
  TnBudgetTables *tables = data;
  const TnSpillAnswer *answer = tables->answer->answer;
  TnSpillPoint point = point_at(answer, row);
  bool is_known = point.peak >= 0;
  switch (column) {
  case ANSWER_NAME:
    return g_strdup(title_of(point.name));
  case ANSWER_FITS:
    return g_strdup(point.is_feasible ? _("yes") : _("no"));
  case ANSWER_PEAK:
    return is_known ? tn_format_bytes(point.peak, units_of(tables)) : g_strdup("–");
  case ANSWER_LOST:
    return is_known ? g_strdup_printf("%.2f %%", 100 * point.overhead_seconds /
                                                     MAX(answer->model->seconds, 1e-12))
                    : g_strdup("–");
  case ANSWER_MOVED:
    return point.moved_bytes > 0 && is_known ? tn_format_bytes(point.moved_bytes, units_of(tables))
                                             : g_strdup("–");
  default:
    return point.recomputed_bytes > 0 && is_known
               ? tn_format_bytes(point.recomputed_bytes, units_of(tables))
               : g_strdup("–");
  }
}

/* ---- idle storages ------------------------------------------------------------------------- */

static char *
dup_way(TnBudgetTables *tables, const Row *row, int column)
{
  const TnSpillReport *report = &tables->answer->report;
  const TnSpillModel *model = report->answer->model;
  uint32_t op = model->order[row->at];
  const TnSpillWay *way = tn_spill_way(model, op, report->answer->found.plan.way[op]);
  double more = way->seconds - model->op_seconds[op];
  switch (column) {
  case IDLE_NAME:
    return tn_spill_build_op_name(report, op);
  case IDLE_SIZE:
    return tn_format_bytes(way->workspace, units_of(tables));
  case IDLE_VERDICT:
    return g_strdup(_("algorithm"));
  case IDLE_WHY:
    return g_strdup_printf(
        way->scratch_change > 0 ? _("runs as “%s” with more workspace, %.3g ms shorter")
        : more < 0              ? _("runs as “%s” with less workspace, %.3g ms shorter")
        : way->tiles > 1        ? _("runs as “%s” in tiles with less workspace, %.3g ms longer")
                                : _("runs as “%s” with less workspace, %.3g ms longer"),
        tn_strings_get(report->document->strings, way->name), 1e3 * fabs(more));
  default:
    return g_strdup("");
  }
}

static char *
dup_idle(uint32_t i, int column, gpointer data)
{
  TnBudgetTables *tables = data;
  const TnSpillReport *report = &tables->answer->report;
  const TnSpillModel *model = report->answer->model;
  const Row *row = &g_array_index(tables->rows, Row, i);
  if (row->is_way)
    return dup_way(tables, row, column);
  const TnIdle *idle = tn_spill_idle(model, row->at);
  switch (column) {
  case IDLE_NAME:
    return g_strdup(tn_spill_storage_name(report, idle->buffer));
  case IDLE_SIZE:
    return tn_format_bytes(row->bytes, units_of(tables));
  case IDLE_FROM:
    return tn_spill_build_place_name(report, idle->from);
  case IDLE_TO:
    return tn_spill_build_place_name(report, (int32_t)idle->to);
  case IDLE_OPS:
    return g_strdup_printf("%d", (int32_t)idle->to - idle->from - 1);
  case IDLE_COPIES:
    return g_strdup_printf(
        "%.3g ms", 1e3 * (model->out_seconds[idle->buffer] + model->in_seconds[idle->buffer]));
  case IDLE_VERDICT:
    return g_strdup(tn_spill_verdict(report, row->at));
  default:
    return tn_spill_build_reason(report->answer, row->at);
  }
}

/* What is done first, then what could be; large ones first. */
static gint
compare_rows(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static void
list_rows(TnBudgetTables *tables)
{
  const TnSpillAnswer *answer = tables->answer ? tables->answer->answer : NULL;
  g_array_set_size(tables->rows, 0);
  if (!answer)
    return;
  const TnSpillModel *model = answer->model;
  for (uint32_t i = 0; i < model->idles->len; i++) {
    Row row = {false, i, answer->found.plan.choice[i].kind == TN_SPILL_KEEP ? 2 : 0,
               model->order_model->bytes[tn_spill_idle(model, i)->buffer]};
    g_array_append_val(tables->rows, row);
  }
  for (uint32_t p = 0; p < model->n; p++) {
    uint32_t op = model->order[p], way = answer->found.plan.way[op];
    Row row = {true, p, 1, tn_spill_way(model, op, way)->workspace};
    if (way)
      g_array_append_val(tables->rows, row);
  }
  g_array_sort(tables->rows, compare_rows);
}

/* ---- the widget ---------------------------------------------------------------------------- */

void
tn_budget_tables_set(TnBudgetTables *tables, const TnBudgetAnswer *answer)
{
  tables->answer = answer && answer->answer ? answer : NULL;
  list_rows(tables);
  tn_text_table_fill(TN_TEXT_TABLE(tables->answers),
                     tables->answer ? tables->answer->answer->others->len + 1 : 0);
  tn_text_table_fill(TN_TEXT_TABLE(tables->idles), tables->rows->len);
}

static void
dispose(GObject *object)
{
  g_clear_object(&TN_BUDGET_TABLES(object)->session);
  g_clear_pointer(&TN_BUDGET_TABLES(object)->rows, g_array_unref);
  G_OBJECT_CLASS(tn_budget_tables_parent_class)->dispose(object);
}

static void
tn_budget_tables_class_init(TnBudgetTablesClass *class)
{
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void
tn_budget_tables_init(TnBudgetTables *tables)
{
  tables->rows = g_array_new(FALSE, FALSE, sizeof(Row));
}

GtkWidget *
tn_budget_tables_new(TnSession *session)
{
  TnBudgetTables *tables = g_object_new(TN_TYPE_BUDGET_TABLES, NULL);
  tables->session = g_object_ref(session);
  tables->answers = tn_text_table_new(_("Answers"), answer_columns, N_ANSWER, dup_answer, tables);
  tables->idles = tn_text_table_new(_("Idle storages"), idle_columns, N_IDLE, dup_idle, tables);
  gtk_widget_set_size_request(tables->answers, 500, 172);
  gtk_widget_set_size_request(tables->idles, 300, 172);
  gtk_box_append(GTK_BOX(tables), tn_view_paned_new(GTK_ORIENTATION_HORIZONTAL, tables->answers,
                                                    tables->idles, true));
  return GTK_WIDGET(tables);
}
