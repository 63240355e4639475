/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/sharing.h"

#include "analysis/stream-uses.h"

#include <string.h>

static const char *const names[TN_N_SHARINGS] = {
    [TN_SHARING_SAME] = "same-buffer",      [TN_SHARING_SPACE] = "space",
    [TN_SHARING_BATCH] = "batch",           [TN_SHARING_NO_REUSE] = "no-reuse",
    [TN_SHARING_CLEANED] = "cleaned",       [TN_SHARING_ZERO_COPY] = "zero-copy",
    [TN_SHARING_CONTINUOUS] = "continuous",
    [TN_SHARING_NEIGHBOURS] = "neighbours", [TN_SHARING_LIVES] = "lives",
    [TN_SHARING_STREAMS] = "streams",       [TN_SHARING_STREAMS_UNKNOWN] = "streams-unknown",
    [TN_SHARING_MAY] = "may-share",
};

const char *
tn_sharing_rule_name(TnSharingRule rule)
{
  return names[rule];
}

void
tn_sharing_clear(TnSharing *sharing)
{
  g_clear_pointer(&sharing->sentence, g_free);
  g_clear_pointer(&sharing->path, g_array_unref);
}

/* ---- what it is about
 * ---------------------------------------------------------------------------- */

typedef struct {
  TnSharing *out;
  const TnStudy *study;
  TnStreamOrder *reach;
  const TnStreamUses *uses; /* NULL: made when they are needed */
  tn_index a, b; /* a begins first */
  char *first, *second;
  tn_index narrow; /* holds a part of its place only while the other holds some, too; TN_NONE */
} Question;

static uint32_t
op_at(const Question *q, tn_tick tick)
{
  return tn_document_op_at(q->study->document, q->study->device, tick);
}

/* "3", or "“conv” (3)": an op by its topological id, else the tick. */
static char *
dup_moment(const Question *q, tn_tick tick)
{
  const TnDocument *document = q->study->document;
  uint32_t op = op_at(q, tick);
  uint32_t name = tn_document_op_name(document, op);
  int64_t id = document->graph && op != TN_NONE ? tn_graph_op(document->graph, op)->file_id : tick;
  return name ? g_strdup_printf("“%s” (%" G_GINT64_FORMAT ")",
                                tn_strings_get(document->strings, name), id)
              : g_strdup_printf("%" G_GINT64_FORMAT, tick);
}

static void answer(Question *q, TnSharingRule rule, const char *format, ...) G_GNUC_PRINTF(3, 4);

static void
answer(Question *q, TnSharingRule rule, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  q->out->sentence = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  q->out->rule = rule;
  q->out->may_share = rule == TN_SHARING_MAY;
}

static bool
places_overlap(const TnStudy *study, tn_index a, tn_index b)
{
  const TnBuffers *t = study->buffers;
  const tn_bytes *offset = study->offset;
  return offset[a] >= 0 && offset[b] >= 0 && tn_buffers_space(t, a) == tn_buffers_space(t, b) &&
         offset[a] < offset[b] + t->bytes[b] && offset[b] < offset[a] + t->bytes[a];
}

/* ---- rules of what they are
 * ------------------------------------------------------------------------ */

static bool
ask_space(Question *q)
{
  const TnBuffers *t = q->study->buffers;
  const GPtrArray *spaces = q->study->device->space_names;
  uint32_t x = tn_buffers_space(t, q->a), y = tn_buffers_space(t, q->b);
  if (x == y)
    return false;
  answer(q, TN_SHARING_SPACE,
         "%s is in %s, %s in %s: offsets of different memories are not of one "
         "place",
         q->first, spaces && x < spaces->len ? (char *)spaces->pdata[x] : "another space",
         q->second, spaces && y < spaces->len ? (char *)spaces->pdata[y] : "another space");
  return true;
}

/* True where they are of different batches: those never run together. */
static bool
are_exclusive(const Question *q)
{
  const TnBuffers *t = q->study->buffers;
  return t->batch && t->batch[q->a] && t->batch[q->b] && t->batch[q->a] != t->batch[q->b];
}

static bool
ask_batch(Question *q)
{
  const TnBuffers *t = q->study->buffers;
  if (!t->batch || (t->batch[q->a] != 0) == (t->batch[q->b] != 0))
    return false;
  bool is_first = t->batch[q->a] != 0;
  answer(q, TN_SHARING_BATCH,
         "%s is of the batch “%s”, %s of none: a batch's memory serves batches "
         "only",
         is_first ? q->first : q->second,
         tn_strings_get(q->study->document->strings, t->batch[is_first ? q->a : q->b]),
         is_first ? q->second : q->first);
  return true;
}

static bool
ask_no_reuse(Question *q)
{
  const uint8_t *flags = q->study->buffers->flags;
  bool is_first = flags[q->a] & TN_BUFFER_NO_REUSE;
  if (!is_first && !(flags[q->b] & TN_BUFFER_NO_REUSE))
    return false;
  answer(q, TN_SHARING_NO_REUSE,
         "%s shares its place with nobody: its block is marked as not "
         "reusable",
         is_first ? q->first : q->second);
  return true;
}

static bool
ask_cleaned(Question *q)
{
  unsigned x = tn_buffers_traits(q->study->buffers, q->a);
  unsigned y = tn_buffers_traits(q->study->buffers, q->b);
  bool is_first = x & TN_TRAIT_CLEANED;
  if (!(x & TN_TRAIT_CLEANED && y & TN_TRAIT_DATA) && !(y & TN_TRAIT_CLEANED && x & TN_TRAIT_DATA))
    return false;
  answer(q, TN_SHARING_CLEANED,
         "%s is one of the places that are set to 0 together, %s holds data: "
         "their block types may not share",
         is_first ? q->first : q->second, is_first ? q->second : q->first);
  return true;
}

static bool
ask_zero_copy(Question *q)
{
  unsigned both =
      tn_buffers_traits(q->study->buffers, q->a) & tn_buffers_traits(q->study->buffers, q->b);
  if (!(both & TN_TRAIT_ZERO_COPY))
    return false;
  answer(q, TN_SHARING_ZERO_COPY,
         "%s and %s are both zero copy: the caller's memory may stand in for "
         "either, so they are never merged",
         q->first, q->second);
  return true;
}

static bool
is_continuous(const TnBuffers *t, tn_index i)
{
  return (t->group && t->group[i]) || tn_buffers_traits(t, i) & TN_TRAIT_CONTINUOUS;
}

static bool
ask_continuous(Question *q)
{
  const TnBuffers *t = q->study->buffers;
  bool is_first = is_continuous(t, q->a) && tn_buffers_traits(t, q->b) & TN_TRAIT_ZERO_COPY;
  bool is_second = is_continuous(t, q->b) && tn_buffers_traits(t, q->a) & TN_TRAIT_ZERO_COPY;
  if (!is_first && !is_second)
    return false;
  answer(q, TN_SHARING_CONTINUOUS,
         "%s is of a contiguous stretch, %s is zero copy: the stretch must stay in one piece, and the "
         "caller's memory may stand in for the other",
         is_first ? q->first : q->second, is_first ? q->second : q->first);
  return true;
}

static bool
ask_neighbours(Question *q)
{
  const uint32_t *group = q->study->buffers->group;
  if (!group || !group[q->a] || group[q->a] != group[q->b])
    return false;
  answer(q, TN_SHARING_NEIGHBOURS,
         "%s and %s are of one contiguous stretch: they stand beside each "
         "other",
         q->first, q->second);
  return true;
}

/* ---- rules of time
 * ------------------------------------------------------------------------------------ */

/* What a buffer holds of its own height in one stretch. */
typedef struct {
  tn_tick start, end;
  tn_bytes low, high;
} Stretch;

/* Stretch k of 2 * gaps + 1: between gaps, and (k odd) in one. */
static Stretch
stretch_at(const TnBuffers *t, tn_index i, uint32_t k)
{
  uint32_t n;
  const TnGap *gaps = tn_buffers_gaps(t, i, &n);
  if (k % 2) {
    const TnGap *gap = &gaps[k / 2];
    return (Stretch){gap->start, gap->end, gap->low, gap->high};
  }
  return (Stretch){.start = k ? gaps[k / 2 - 1].end : t->start[i],
                   .end = k / 2 < n ? gaps[k / 2].start : t->end[i],
                   .high = t->bytes[i]};
}

static bool
is_narrow(const TnBuffers *t, tn_index i, const Stretch *stretch)
{
  return stretch->high - stretch->low < t->bytes[i];
}

/* Two that hold something at one time need not meet where one holds a part only: the other may lie in the
 * rest, and does unless their offsets say otherwise. */
static bool
do_meet(Question *q, const Stretch *x, const Stretch *y)
{
  const TnBuffers *t = q->study->buffers;
  const tn_bytes *offset = q->study->offset;
  if (MAX(x->start, y->start) >= MIN(x->end, y->end) || x->low >= x->high || y->low >= y->high)
    return false;
  bool is_placed = offset[q->a] >= 0 && offset[q->b] >= 0;
  bool is_x_narrow = is_narrow(t, q->a, x), is_y_narrow = is_narrow(t, q->b, y);
  if ((!is_x_narrow && !is_y_narrow) ||
      (is_placed && offset[q->a] + x->low < offset[q->b] + y->high &&
       offset[q->b] + y->low < offset[q->a] + x->high))
    return true;
  q->narrow = is_x_narrow ? q->a : q->b;
  return false;
}

/* The first stretch in which both hold something that can't lie apart within one place. */
static bool
find_common(Question *q, Stretch *out)
{
  const TnBuffers *t = q->study->buffers;
  uint32_t n_a, n_b, i = 0, k = 0;
  tn_buffers_gaps(t, q->a, &n_a);
  tn_buffers_gaps(t, q->b, &n_b);
  while (i <= 2 * n_a && k <= 2 * n_b) {
    Stretch x = stretch_at(t, q->a, i), y = stretch_at(t, q->b, k);
    *out = (Stretch){.start = MAX(x.start, y.start), .end = MIN(x.end, y.end)};
    if (do_meet(q, &x, &y))
      return true;
    if (x.end <= y.end)
      i++;
    else
      k++;
  }
  return false;
}

static bool
ask_lives(Question *q)
{
  const TnBuffers *t = q->study->buffers;
  Stretch common;
  if (!find_common(q, &common))
    return false;
  if (common.start > t->start[q->b]) {
    g_autofree char *from = dup_moment(q, common.start), *to = dup_moment(q, common.end - 1);
    answer(q, TN_SHARING_LIVES, "%s and %s are both alive from %s to %s, behind a gap", q->first,
           q->second, from, to);
    return true;
  }
  g_autofree char *end = dup_moment(q, t->end[q->a] - 1), *begin = dup_moment(q, t->start[q->b]);
  answer(q, TN_SHARING_LIVES,
         "%s ends at %s, and %s begins at %s: both are alive then (lives are "
         "closed: the last reader and the first writer must be different ops)",
         q->first, end, q->second, begin);
  return true;
}

/* Marks what stands for the tensor: itself, and results that are views of what is marked. */
static void
mark_storage(const TnGraph *graph, uint32_t tensor, uint8_t *is_storage)
{
  is_storage[tensor] = 1;
  for (guint i = 0; i < graph->order->len; i++) {
    const TnOp *op = tn_graph_op(graph, g_array_index(graph->order, uint32_t, i));
    for (uint32_t v = 0; v < op->n_views; v++) {
      const TnAlias *view = &g_array_index(graph->views, TnAlias, op->first_view + v);
      if (view->input < graph->tensors->len && is_storage[view->input])
        is_storage[view->output] = 1;
    }
  }
}

static void
add_user(GArray *users, uint32_t op)
{
  if (op != TN_NONE && (users->len == 0 || g_array_index(users, uint32_t, users->len - 1) != op))
    g_array_append_val(users, op);
}

GArray *
tn_sharing_users_new(const TnStudy *study, tn_index buffer)
{
  const TnGraph *graph = study->document->graph;
  const TnBuffers *t = study->buffers;
  GArray *users = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint32_t tensor = graph && t->tensor ? t->tensor[buffer] : TN_NONE;
  uint32_t last = tn_document_op_at(study->document, study->device, t->end[buffer] - 1);
  if (tensor != TN_NONE && tensor < graph->tensors->len) {
    g_autofree uint8_t *is_storage = g_new0(uint8_t, graph->tensors->len);
    mark_storage(graph, tensor, is_storage);
    for (uint32_t op = 0; op < graph->ops->len; op++) {
      const TnOp *row = tn_graph_op(graph, op);
      const uint32_t *inputs = tn_graph_inputs(graph, row);
      for (uint32_t k = 0; k < row->n_inputs; k++)
        if (inputs[k] != TN_NONE && is_storage[inputs[k]])
          add_user(users, op);
    }
  }
  if (users->len == 0)
    add_user(users, tn_buffers_op(t, buffer) != TN_NONE ? tn_buffers_op(t, buffer) : last);
  return users;
}

static const char *
op_name(const Question *q, uint32_t op)
{
  return tn_strings_get(q->study->document->strings, tn_document_op_name(q->study->document, op));
}

/* Each user of the earlier must have ended before the later is first written. */
static bool
ask_paths(Question *q)
{
  g_autoptr(GArray) users = tn_sharing_users_new(q->study, q->a);
  uint32_t writer = tn_buffers_op(q->study->buffers, q->b);
  uint32_t *ops = (uint32_t *)(void *)users->data;
  uint32_t i = tn_stream_order_first_loose(q->reach, ops, users->len, writer);
  if (i == users->len) {
    if (i > 0)
      tn_stream_order_is_kept(q->reach, ops[i - 1], writer, q->out->path);
    return false;
  }
  answer(q, TN_SHARING_STREAMS,
         "“%s” on stream %u, which uses %s, cannot reach “%s” on stream %u, "
         "which writes %s: nothing makes the one wait for the other",
         op_name(q, ops[i]), tn_graph_op(q->study->document->graph, ops[i])->stream, q->first,
         op_name(q, writer), tn_graph_op(q->study->document->graph, writer)->stream, q->second);
  return true;
}

static uint32_t
stream_of_op(const TnDocument *document, uint32_t op)
{
  return document->graph ? tn_graph_op(document->graph, op)->stream
                         : g_array_index(document->op_streams, uint32_t, op);
}

/* A plan that says itself which stream waits for which, or lives of a graph: as planners see it. */
static bool
ask_waits(Question *q)
{
  const TnDocument *document = q->study->document;
  g_autoptr(TnStreamUses) own = q->uses ? NULL : tn_stream_uses_new_for_study(q->study, NULL, NULL);
  const TnStreamUses *uses = q->uses ? q->uses : own;
  const TnBuffers *t = q->study->buffers;
  uint32_t writer = uses ? uses->writer[q->b] : 0;
  bool is_in_gap = uses && t->start[q->b] < t->end[q->a];
  if (is_in_gap && (tn_stream_uses_are_of_one(uses, q->a, q->b) ||
                    (q->out->does_share && tn_stream_clock_is_after(uses->clock, uses->writer[q->a], writer))))
    return false; /* the gap's other side is no concern of its writer */
  for (uint32_t k = uses ? uses->last_first[q->a] : 0; uses && k < uses->last_first[q->a + 1]; k++) {
    uint32_t user = uses->last[k];
    bool is_after = tn_stream_clock_is_after(uses->clock, user, writer);
    if (q->reach && (is_after || uses->is_coarse))
      is_after |= tn_stream_order_is_kept(q->reach, user, writer, q->out->path);
    if (is_after)
      continue;
    answer(q, TN_SHARING_STREAMS,
           "“%s” on stream %u, which uses %s, cannot reach “%s” on stream %u, which writes %s: nothing "
           "makes the one wait for the other",
           op_name(q, user), stream_of_op(document, user), q->first, op_name(q, writer),
           stream_of_op(document, writer), q->second);
    return true;
  }
  return false;
}

bool
tn_sharing_is_by_ge_streams(const TnStudy *study)
{
  return study->buffers->traits && !study->document->op_streams;
}

static bool
ask_streams(Question *q)
{
  const TnBuffers *t = q->study->buffers;
  uint32_t x = tn_buffers_stream(t, q->a), y = tn_buffers_stream(t, q->b);
  bool has_many = tn_buffers_traits(t, q->a) & TN_TRAIT_MANY_STREAMS;
  bool is_stated = !q->reach && q->study->document->op_streams;
  if ((q->study->row_of && t->stream) || is_stated)
    return ask_waits(q);
  if ((x == y && !has_many) || x == TN_NONE || y == TN_NONE)
    return false;
  if (q->reach && tn_buffers_op(t, q->b) != TN_NONE)
    return ask_paths(q);
  answer(
      q, TN_SHARING_STREAMS_UNKNOWN,
      "%s is of stream %u%s, %s of stream %u, and the file has no "
      "edges: open the dump of the graph (ge_proto_*_Build.txt) to know whether one waits for the "
      "other",
      q->first, x, has_many ? " and others" : "", q->second, y);
  return true;
}

/* ---- of two that may share and do not: GE's own reason
 * -------------------------------------------------------------- */

static bool
is_of_ge(const Question *q)
{
  static const char *const planners[] = {"ge", "binary-block", "max-block"};
  const TnDocument *document = q->study->document;
  const char *made_by = document->strategy ? document->strategy : "";
  bool is_ge = g_strcmp0(document->producer, "GE") == 0 || g_str_has_prefix(made_by, "range-binary-block");
  for (gsize i = 0; i < G_N_ELEMENTS(planners); i++)
    is_ge |= strcmp(made_by, planners[i]) == 0;
  return is_ge;
}

static tn_bytes
block_of(const TnBuffers *t, tn_index i)
{
  tn_bytes block = t->bytes[i];
  tn_round_up(block, 512, &block);
  return block;
}

/* Who is alive at the earlier's place when the later begins; TN_NONE: nobody. */
static tn_index
holder_then(const Question *q)
{
  const TnBuffers *t = q->study->buffers;
  for (tn_index i = 0; i < t->n; i++)
    if (i != q->a && i != q->b && t->start[i] < t->end[q->b] && t->end[i] > t->start[q->b] &&
        places_overlap(q->study, q->a, i))
      return i;
  return TN_NONE;
}

/* " (GE: …)": what its two levels do with these blocks.  Owned by the caller. */
static char *
dup_ge_reason(const Question *q)
{
  const TnBuffers *t = q->study->buffers;
  unsigned special = TN_TRAIT_ZERO_COPY;
  if (!is_of_ge(q) || q->out->does_share)
    return g_strdup("");
  tn_index holder = holder_then(q);
  if (holder != TN_NONE) {
    g_autofree char *name = tn_study_dup_label(q->study, holder);
    return g_strdup_printf("; when %s begins, “%s” has the place of %s", q->second, name, q->first);
  }
  if (is_continuous(t, q->a) || is_continuous(t, q->b) ||
      (tn_buffers_traits(t, q->a) | tn_buffers_traits(t, q->b)) & special)
    return g_strdup("; GE's first level leaves out contiguous and zero-copy blocks, and its second "
                    "only puts whole blocks into them, as far as they hold without rounding");
  if (tn_buffers_stream(t, q->a) != tn_buffers_stream(t, q->b))
    return g_strdup("; GE's first level shares within one stream, and its second only puts whole blocks "
                    "before or after whole blocks of another");
  if (block_of(t, q->a) != block_of(t, q->b))
    return g_strdup_printf("; GE's first level shares blocks of one size only, and these ask for %" G_GINT64_FORMAT
                           " and %" G_GINT64_FORMAT " bytes; its second lays smaller blocks side by side into a "
                           "larger one that is idle, and found other blocks first",
                           block_of(t, q->a), block_of(t, q->b));
  return g_strdup("; of blocks of one size GE's first level takes the one released last, and that was "
                  "another");
}

static void
say_that_they_may(Question *q)
{
  const TnBuffers *t = q->study->buffers;
  const tn_bytes *offset = q->study->offset;
  const char *what = q->out->does_share ? "and they do"
                     : offset[q->a] < 0 || offset[q->b] < 0 ? "and have no places yet"
                                                            : "but each has a place of its own";
  if (are_exclusive(q)) {
    answer(q, TN_SHARING_MAY, "%s and %s may share, %s: batches never run together", q->first,
           q->second, what);
    return;
  }
  if (q->narrow != TN_NONE) {
    bool is_first = q->narrow == q->a;
    answer(q, TN_SHARING_MAY,
           "%s and %s may share, %s: while both are alive %s holds a part of its place only, and %s may "
           "have the rest",
           q->first, q->second, what, is_first ? q->first : q->second, is_first ? q->second : q->first);
    return;
  }
  if (t->start[q->b] < t->end[q->a]) {
    answer(q, TN_SHARING_MAY,
           "%s and %s may share, %s: at no tick both hold anything, as one lives in gaps of the other",
           q->first, q->second, what);
    return;
  }
  g_autofree char *end = dup_moment(q, t->end[q->a] - 1), *begin = dup_moment(q, t->start[q->b]);
  g_autofree char *reason = dup_ge_reason(q);
  answer(q, TN_SHARING_MAY, "%s and %s may share, %s: %s ends at %s before %s begins at %s%s%s", q->first,
         q->second, what, q->first, end, q->second, begin,
         q->out->path->len > 2 ? ", and a path of ops makes the later wait" : "", reason);
}

/* In the order of what is easiest to see. */
static const struct {
  bool (*ask)(Question *q);
  bool for_exclusive; /* also where both are of different batches */
} rules[] = {{ask_space, true},      {ask_batch, true},     {ask_no_reuse, true},
             {ask_cleaned, true},    {ask_zero_copy, true}, {ask_continuous, true},
             {ask_neighbours, true}, {ask_lives, false},    {ask_streams, false}};

void
tn_sharing_find(TnSharing *sharing,
                const TnStudy *study,
                TnStreamOrder *reach,
                const TnStreamUses *uses,
                tn_index a,
                tn_index b)
{
  const tn_tick *start = study->buffers->start;
  bool is_swapped = start[b] < start[a] || (start[b] == start[a] && b < a);
  g_autofree char *x = tn_study_dup_label(study, is_swapped ? b : a);
  g_autofree char *y = tn_study_dup_label(study, is_swapped ? a : b);
  g_autofree char *first = g_strdup_printf("“%s”", x), *second = g_strdup_printf("“%s”", y);
  Question q = {.out = sharing,
                .study = study,
                .reach = reach,
                .uses = uses,
                .a = is_swapped ? b : a,
                .b = is_swapped ? a : b,
                .first = first,
                .second = second,
                .narrow = TN_NONE};
  *sharing = (TnSharing){.does_share = places_overlap(study, a, b),
                         .path = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
  if (a == b) {
    answer(&q, TN_SHARING_SAME, "%s is one buffer", first);
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(rules); i++)
    if ((rules[i].for_exclusive || !are_exclusive(&q)) && rules[i].ask(&q))
      return;
  say_that_they_may(&q);
}
