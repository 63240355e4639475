/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/diff-model.h"

#include "app/window/background.h"
#include "app/window/changes-order.h"

#define AFTER_CHANGE 400 /* ms */

struct _TnDiffModel {
  GObject parent_instance;
  TnSession *session[2]; /* they keep the documents */
  TnStudy *study[2];
  TnUndo *undo;
  GArray *fixed; /* tn_index[2]: pairs set by hand */
  TnDiffPicture *picture;
  GArray *order;
  char *failure;
  TnDiffFilter filter;
  GBytes *shown, *match[2];
  uint32_t n_shown;
  tn_index selected[2]; /* by buffer, so that it stays when pairs are made anew */
  double cursor;
  guint generation; /* of the comparison that is wanted */
  guint timer;      /* until a side that changed is compared again; 0: none */
};

enum { COMPARED, FILTER_CHANGED, SELECTION_CHANGED, CURSOR_CHANGED, UNITS_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_TYPE(TnDiffModel, tn_diff_model, G_TYPE_OBJECT)

/* ---- on a thread of its own --------------------------------------------------------------------
 */

typedef struct {
  TnDiffModel *model; /* owned reference, as are the others */
  TnSession *session[2];
  TnStudy *study[2];
  GArray *fixed;
  guint generation;
  TnDiffPicture *picture;
  GArray *order;
  GError *error;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  g_clear_pointer(&job->picture, tn_diff_picture_unref);
  g_clear_pointer(&job->order, g_array_unref);
  g_array_unref(job->fixed);
  for (int i = 0; i < 2; i++) {
    tn_study_unref(job->study[i]);
    g_object_unref(job->session[i]);
  }
  g_clear_error(&job->error);
  g_object_unref(job->model);
  g_free(job);
}

static void
work(gpointer data)
{
  Job *job = data;
  TnDiffParams params = TN_DIFF_PARAMS_INIT;
  params.fixed = (const tn_index(*)[2])(const void *)job->fixed->data;
  params.n_fixed = job->fixed->len;
  g_autoptr(TnDiff) diff = tn_diff_new(job->study[0], job->study[1], &params, &job->error);
  if (!diff)
    return;
  job->order = tn_changes_order_first(diff);
  job->picture = tn_diff_picture_new(diff, tn_theme_light(), tn_session_get_note(job->session[0]),
                                     tn_session_get_note(job->session[1]));
}

/* ---- what follows from it ----------------------------------------------------------------------
 */

static void
run_filter(TnDiffModel *model)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  g_clear_pointer(&model->shown, g_bytes_unref);
  g_clear_pointer(&model->match[0], g_bytes_unref);
  g_clear_pointer(&model->match[1], g_bytes_unref);
  model->n_shown = 0;
  if (!diff)
    return;
  model->shown = tn_diff_filter_run(&model->filter, diff, &model->n_shown);
  for (int i = 0; i < 2; i++)
    model->match[i] = tn_diff_filter_side(diff, model->shown, (TnDiffSide)i);
}

/* A pair may have come apart: one of its buffers stays selected. */
static void
renew_selection(TnDiffModel *model)
{
  uint32_t pair = tn_diff_model_get_selected(model);
  const TnDiff *diff = tn_diff_model_get_diff(model);
  if (pair == TN_NONE)
    return;
  model->selected[0] = diff->pairs[pair].a;
  model->selected[1] = diff->pairs[pair].b;
}

/* A row of other lives is another buffer: those of a runtime share, and have workspaces, of their own. */
static bool
is_same_rows(const TnStudy *then, const TnStudy *now)
{
  return then->document->graph == now->document->graph && then->device == now->device &&
         then->preset == now->preset && then->buffers->n == now->buffers->n;
}

/* What was selected while this was compared is of the picture before. */
static void
drop_selection(TnDiffModel *model, const TnDiff *now)
{
  const TnDiff *then = tn_diff_model_get_diff(model);
  if (then && is_same_rows(then->a, now->a) && is_same_rows(then->b, now->b))
    return;
  if (then || model->selected[0] >= now->a->buffers->n)
    model->selected[0] = TN_NONE;
  if (then || model->selected[1] >= now->b->buffers->n)
    model->selected[1] = TN_NONE;
}

static void
take_picture(TnDiffModel *model, Job *job)
{
  drop_selection(model, job->picture->diff);
  g_clear_pointer(&model->picture, tn_diff_picture_unref);
  g_clear_pointer(&model->order, g_array_unref);
  model->picture = g_steal_pointer(&job->picture);
  model->order = g_steal_pointer(&job->order);
  run_filter(model);
  renew_selection(model);
}

static void
done(gpointer data)
{
  Job *job = data;
  TnDiffModel *model = job->model;
  if (job->generation != model->generation)
    return;
  g_clear_pointer(&model->failure, g_free);
  if (job->error)
    model->failure = g_strdup(job->error->message);
  else
    take_picture(model, job);
  g_signal_emit(model, signals[COMPARED], 0);
}

static void
compare(TnDiffModel *model)
{
  Job *job = g_new0(Job, 1);
  job->model = g_object_ref(model);
  for (int i = 0; i < 2; i++) {
    job->session[i] = g_object_ref(model->session[i]);
    job->study[i] = tn_study_ref(model->study[i]);
  }
  job->fixed = g_array_copy(model->fixed);
  job->generation = ++model->generation;
  tn_background_run(job, work, done, free_job);
}

TnDiffPicture *
tn_diff_model_get_picture(TnDiffModel *model)
{
  return model->picture;
}

const TnDiff *
tn_diff_model_get_diff(TnDiffModel *model)
{
  return model->picture ? model->picture->diff : NULL;
}

const GArray *
tn_diff_model_get_order(TnDiffModel *model)
{
  return model->order;
}

const char *
tn_diff_model_get_failure(TnDiffModel *model)
{
  return model->failure;
}

const TnStudy *
tn_diff_model_get_study(TnDiffModel *model, TnDiffSide side)
{
  return model->study[side];
}

const TnFileStamp *
tn_diff_model_get_stamp(TnDiffModel *model, TnDiffSide side)
{
  return tn_session_get_stamp(model->session[side]);
}

TnUndo *
tn_diff_model_get_undo(TnDiffModel *model)
{
  return model->undo;
}

char *
tn_diff_model_build_title(TnDiffModel *model)
{
  g_autofree char *a = tn_session_build_title(model->session[0]);
  g_autofree char *b = tn_session_build_title(model->session[1]);
  return g_strdup_printf("%s ↔ %s", a, b);
}

/* ---- pairs set by hand -------------------------------------------------------------------------
 */

static GVariant *
variant_of_fixed(const GArray *fixed)
{
  return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, fixed->data, 2 * fixed->len,
                                   sizeof(tn_index));
}

static void
put_fixed(gpointer owner, GVariant *state)
{
  TnDiffModel *model = owner;
  gsize n;
  const tn_index *rows = g_variant_get_fixed_array(state, &n, sizeof(tn_index));
  g_array_set_size(model->fixed, 0);
  g_array_append_vals(model->fixed, rows, (guint)(n / 2));
  compare(model);
}

static void
add_fixed(TnDiffModel *model, const char *label, const tn_index (*pairs)[2], guint n)
{
  g_autoptr(GVariant) before = g_variant_ref_sink(variant_of_fixed(model->fixed));
  g_array_append_vals(model->fixed, pairs, n);
  tn_undo_push(model->undo, label, model, put_fixed, before, variant_of_fixed(model->fixed));
  compare(model);
}

void
tn_diff_model_match(TnDiffModel *model, tn_index a, tn_index b)
{
  const tn_index pairs[][2] = {{a, b}};
  add_fixed(model, "Match", pairs, 1);
}

void
tn_diff_model_unmatch(TnDiffModel *model, tn_index a, tn_index b)
{
  const tn_index pairs[][2] = {{a, TN_NONE}, {TN_NONE, b}};
  add_fixed(model, "Unmatch", pairs, 2);
}

static void
swap_fixed(GArray *fixed)
{
  tn_index *rows = (tn_index *)(void *)fixed->data;
  for (guint i = 0; i < fixed->len; i++) {
    tn_index a = rows[2 * i];
    rows[2 * i] = rows[2 * i + 1];
    rows[2 * i + 1] = a;
  }
}

#define SWAP(pair)                                                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    __auto_type first = (pair)[0];                                                                 \
    (pair)[0] = (pair)[1];                                                                         \
    (pair)[1] = first;                                                                             \
  }                                                                                                \
  G_STMT_END

static unsigned
swap_sides(unsigned sides)
{
  return (sides & TN_SHOW_BOTH) | (sides & TN_SHOW_ONLY_A ? TN_SHOW_ONLY_B : 0) |
         (sides & TN_SHOW_ONLY_B ? TN_SHOW_ONLY_A : 0);
}

void
tn_diff_model_swap(TnDiffModel *model)
{
  SWAP(model->session);
  SWAP(model->study);
  SWAP(model->selected);
  swap_fixed(model->fixed);
  model->filter = (TnDiffFilter){swap_sides(model->filter.sides), 0, TN_N_CAUSES};
  tn_undo_clear(model->undo);
  g_clear_pointer(&model->picture, tn_diff_picture_unref);
  run_filter(model);
  g_signal_emit(model, signals[COMPARED], 0);
  compare(model);
}

/* ---- the filter --------------------------------------------------------------------------------
 */

const TnDiffFilter *
tn_diff_model_get_filter(TnDiffModel *model)
{
  return &model->filter;
}

static GVariant *
variant_of_filter(const TnDiffFilter *filter)
{
  return g_variant_new("(uuu)", filter->sides, filter->changes, filter->cause);
}

static void
apply_filter(TnDiffModel *model, const TnDiffFilter *filter)
{
  model->filter = *filter;
  run_filter(model);
  g_signal_emit(model, signals[FILTER_CHANGED], 0);
}

static void
put_filter(gpointer owner, GVariant *state)
{
  TnDiffFilter filter;
  g_variant_get(state, "(uuu)", &filter.sides, &filter.changes, &filter.cause);
  apply_filter(owner, &filter);
}

void
tn_diff_model_set_filter(TnDiffModel *model, const TnDiffFilter *filter)
{
  tn_undo_push(model->undo, "Filter", model, put_filter, variant_of_filter(&model->filter),
               variant_of_filter(filter));
  apply_filter(model, filter);
}

GBytes *
tn_diff_model_get_shown(TnDiffModel *model, uint32_t *out_n)
{
  if (out_n)
    *out_n = model->n_shown;
  return model->shown;
}

GBytes *
tn_diff_model_get_match(TnDiffModel *model, TnDiffSide side)
{
  return model->match[side];
}

/* ---- selection, pointer, units -----------------------------------------------------------------
 */

uint32_t
tn_diff_model_get_selected(TnDiffModel *model)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  if (diff && model->selected[1] != TN_NONE)
    return diff->pair_of_b[model->selected[1]];
  return diff && model->selected[0] != TN_NONE ? diff->pair_of_a[model->selected[0]] : TN_NONE;
}

void
tn_diff_model_select(TnDiffModel *model, uint32_t pair)
{
  const TnDiff *diff = tn_diff_model_get_diff(model);
  if (!diff || pair == tn_diff_model_get_selected(model))
    return;
  model->selected[0] = pair == TN_NONE ? TN_NONE : diff->pairs[pair].a;
  model->selected[1] = pair == TN_NONE ? TN_NONE : diff->pairs[pair].b;
  g_signal_emit(model, signals[SELECTION_CHANGED], 0);
}

double
tn_diff_model_get_cursor(TnDiffModel *model)
{
  return model->cursor;
}

void
tn_diff_model_set_cursor(TnDiffModel *model, double tick)
{
  if (model->cursor == tick)
    return;
  model->cursor = tick;
  g_signal_emit(model, signals[CURSOR_CHANGED], 0);
}

void
tn_diff_model_invalidate(TnDiffModel *model)
{
  g_signal_emit(model, signals[UNITS_CHANGED], 0);
}

/* ---- the object --------------------------------------------------------------------------------
 */

static void
finalize(GObject *object)
{
  TnDiffModel *model = TN_DIFF_MODEL(object);
  g_clear_handle_id(&model->timer, g_source_remove);
  g_clear_pointer(&model->picture, tn_diff_picture_unref);
  g_clear_pointer(&model->order, g_array_unref);
  g_clear_pointer(&model->shown, g_bytes_unref);
  g_array_unref(model->fixed);
  g_free(model->failure);
  for (int i = 0; i < 2; i++) {
    g_clear_pointer(&model->match[i], g_bytes_unref);
    tn_study_unref(model->study[i]);
    g_object_unref(model->session[i]);
  }
  g_object_unref(model->undo);
  G_OBJECT_CLASS(tn_diff_model_parent_class)->finalize(object);
}

static guint
add_signal(const char *name)
{
  return g_signal_new(name, TN_TYPE_DIFF_MODEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                      0);
}

static void
tn_diff_model_class_init(TnDiffModelClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  signals[COMPARED] = add_signal("compared");
  signals[FILTER_CHANGED] = add_signal("filter-changed");
  signals[SELECTION_CHANGED] = add_signal("selection-changed");
  signals[CURSOR_CHANGED] = add_signal("cursor-changed");
  signals[UNITS_CHANGED] = add_signal("units-changed");
}

static void
tn_diff_model_init(TnDiffModel *model)
{
  model->undo = tn_undo_new();
  model->fixed = g_array_new(FALSE, FALSE, sizeof(tn_index[2]));
  model->filter = (TnDiffFilter)TN_DIFF_FILTER_INIT;
  model->selected[0] = model->selected[1] = TN_NONE;
  model->cursor = -1.0;
}

/* Rows of other lives are other buffers: what was set by hand is of those that are gone. */
static void
take_study(TnDiffModel *model, int side, TnStudy *study)
{
  bool is_same = is_same_rows(model->study[side], study);
  tn_study_unref(model->study[side]);
  model->study[side] = tn_study_ref(study);
  if (is_same)
    return;
  g_array_set_size(model->fixed, 0);
  model->selected[0] = model->selected[1] = TN_NONE;
  tn_undo_clear(model->undo);
}

static gboolean
compare_again(gpointer data)
{
  TnDiffModel *model = data;
  model->timer = 0;
  for (int i = 0; i < 2; i++)
    if (tn_session_get_study(model->session[i]) != model->study[i])
      take_study(model, i, tn_session_get_study(model->session[i]));
  compare(model);
  return G_SOURCE_REMOVE;
}

/* Another plan, order, device or edit in a tab; a plan comes in steps, so that a little is waited.
 * Other groups or lanes alone are the same figures. */
static void
on_study_changed(TnSession *session, TnDiffModel *model)
{
  for (int i = 0; i < 2; i++) {
    const TnStudy *now = tn_session_get_study(session), *then = model->study[i];
    if (session == model->session[i] && (now->offset != then->offset || now->buffers != then->buffers) &&
        !model->timer)
      model->timer = g_timeout_add(AFTER_CHANGE, compare_again, model);
  }
}

TnDiffModel *
tn_diff_model_new(TnSession *a, TnSession *b)
{
  TnDiffModel *model = g_object_new(TN_TYPE_DIFF_MODEL, NULL);
  model->session[0] = g_object_ref(a);
  model->session[1] = g_object_ref(b);
  model->study[0] = tn_study_ref(tn_session_get_study(a));
  model->study[1] = tn_study_ref(tn_session_get_study(b));
  for (int i = 0; i < (a == b ? 1 : 2); i++)
    g_signal_connect_object(model->session[i], "study-changed", G_CALLBACK(on_study_changed), model, 0);
  compare(model);
  return model;
}
