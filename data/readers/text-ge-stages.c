/* SPDX-License-Identifier: MIT */
/* Decisions that two stages of GE take apart from each other, and that must agree.  The conflict stage
 * says which ops' addresses can't be refreshed (a type UNSUPPORTED_ADDRESS_REFRESH_OPERATOR_… of a
 * [MemConflict]), the reuse stage as well ("Op[x] not support zero copy"); neither may be zero copy in
 * the plan, nor may what flows to no output of the root graph, nor the shapes of a multi-batch graph.
 * Also the allocators of sessions, which are created and must be removed.
 *
 * Source of the lines: mem_layout_conflict_optimize, block_mem_zero_copy.cc and graph_mem_allocator.h
 * of CANN's GE. */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/hash.h"

#include <string.h>

#define MOST 1000 /* of a list, and of statements of a kind */

typedef struct {
  char *name;   /* of the op; it may have lost its end: "abc...TopoId_7" */
  gsize length; /* without the mark of a lost end */
  guint hash;   /* of the name; what lost its end is compared without */
  bool is_cut;
  uint32_t line;
  bool is_input; /* zero copy: of the caller, not an output */
} Op;

typedef struct {
  char *key; /* "the type, session 1" */
  uint32_t line;
  bool is_removed;
} Allocator;

typedef struct {
  GArray *conflict, *reuse;    /* Op that can't be refreshed; NULL: none yet */
  GArray *zero_copy, *outputs; /* Op planned as zero copy; ops that flow to the root's outputs */
  GArray *allocators;          /* Allocator */
  int64_t conflict_flag;       /* + 1: whether the conflict stage may move the feature map; 0: not said */
  uint32_t first_line, last_line, n_removed;
} State;

static void
note_line(State *state, uint32_t line)
{
  if (!state->first_line)
    state->first_line = line;
  state->last_line = line;
}

/* Takes the name. */
static Op
op_of(char *name, uint32_t line, bool is_input)
{
  const char *dots = strstr(name, "...TopoId_");
  gsize length = dots ? (gsize)(dots - name) : strlen(name);
  return (Op){name, length, tn_text_hash(name), dots != NULL, line, is_input};
}

static bool
is_same_op(const Op *a, const Op *b)
{
  if (!a->is_cut && !b->is_cut)
    return a->hash == b->hash && strcmp(a->name, b->name) == 0;
  gsize n = MIN(a->length, b->length);
  return n > 0 && memcmp(a->name, b->name, n) == 0;
}

static const Op *
find_op(const GArray *ops, const Op *op)
{
  for (guint i = 0; ops && i < ops->len; i++)
    if (is_same_op(&g_array_index(ops, Op, i), op))
      return &g_array_index(ops, Op, i);
  return NULL;
}

static void
add_op(GArray **ops, const char *name, gsize length, const TnTextLine *line, bool is_input)
{
  if (!*ops)
    *ops = g_array_new(FALSE, FALSE, sizeof(Op));
  if (length == 0 || (*ops)->len == MOST)
    return;
  Op op = op_of(g_strndup(name, length), line->number, is_input);
  if (find_op(*ops, &op))
    g_free(op.name);
  else
    g_array_append_val(*ops, op);
}

/* ---- which ops can't be refreshed ---------------------------------------------------------------- */

/* Without the "_out_0" or "_in_1" of an anchor. */
static gsize
name_length(const char *anchor, gsize length)
{
  gsize n = length;
  while (n > 0 && g_ascii_isdigit(anchor[n - 1]))
    n--;
  if (n == length)
    return length;
  if (n > 5 && strncmp(anchor + n - 5, "_out_", 5) == 0)
    return n - 5;
  return n > 4 && strncmp(anchor + n - 4, "_in_", 4) == 0 ? n - 4 : length;
}

/* "[MemConflict][Conflict] type: [A, B], anchor: [x_out_0, y_in_1], …": A is of x, B of y. */
static void
read_conflict(State *state, const TnTextLine *line, const char *at)
{
  static const char word[] = "UNSUPPORTED_ADDRESS_REFRESH_OPERATOR";
  const char *type = strstr(at, "type: ["), *anchor = strstr(at, "anchor: [");
  const char *comma = type ? strstr(type, ", ") : NULL, *found = type ? strstr(type, word) : NULL;
  if (!comma || !anchor || comma > anchor)
    return;
  anchor += strlen("anchor: [");
  const char *middle = strstr(anchor, ", "), *close = strchr(anchor, ']');
  if (!found || found >= anchor || !middle || !close || middle >= close)
    return;
  note_line(state, line->number);
  if (found < comma) {
    add_op(&state->conflict, anchor, name_length(anchor, (gsize)(middle - anchor)), line, false);
    found = strstr(comma, word);
  }
  if (found && found < anchor)
    add_op(&state->conflict, middle + 2, name_length(middle + 2, (gsize)(close - middle - 2)), line, false);
}

static bool
read_refresh(State *state, const TnTextLine *line)
{
  static const char *const starts[] = {" Op[", " hccl engine op["};
  const char *end = strstr(line->whole, "] not support zero copy");
  const char *conflict = end ? NULL : strstr(line->whole, "[MemConflict][Conflict]");
  if (conflict)
    read_conflict(state, line, conflict);
  for (gsize i = 0; end && i < G_N_ELEMENTS(starts); i++) {
    const char *at = strstr(line->whole, starts[i]);
    if (!at && g_str_has_prefix(line->whole, starts[i] + 1))
      at = line->whole - 1;
    if (!at || at > end)
      continue;
    at += strlen(starts[i]);
    add_op(&state->reuse, at, (gsize)(end - at), line, false);
    note_line(state, line->number);
  }
  return end || conflict;
}

/* Both stages ask whether the feature map may be moved. */
static bool
read_flag(TnTextLog *log, State *state, const TnTextLine *line)
{
  int64_t flag;
  const char *start = strstr(line->whole, "[MemConflict] Start to check memory of static graph");
  if (start && tn_text_number_after(start, "is_feature_map_refreshable: ", &flag))
    state->conflict_flag = MIN(flag, 1) + 1;
  if (start || line->is_cut || !tn_text_number_after(line->whole, "feature map refreshable: ", &flag))
    return start != NULL;
  if (!state->conflict_flag || MIN(flag, 1) + 1 == state->conflict_flag)
    return true;
  note_line(state, line->number);
  tn_document_state(log->document, "ge-refresh-stages", TN_STATEMENT_WARNING, line->number,
                    flag ? "The reuse stage may move the feature map, but the conflict stage took it to "
                           "stay in its place"
                         : "The conflict stage took the feature map to move, but the reuse stage keeps it "
                           "in its place",
                    "Both follow ge.featureBaseRefreshable; only static parts of a dynamic graph may "
                    "differ.");
  return true;
}

/* ---- zero copy ----------------------------------------------------------------------------------- */

/* "[IMAS]Set main_0 name[x] optype[T] output[0] … child[L:r:c:z:s] …": z is 1. */
static bool
read_set(State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "[IMAS]Set "), *child = at ? strstr(at, "child[") : NULL;
  const char *name = child ? strstr(at, "name[") : NULL, *close = name ? strchr(name, ']') : NULL;
  if (!close)
    return false;
  child += strlen("child[");
  for (int i = 0; i < 3 && child; i++)
    child = (child = strchr(child, ':')) ? child + 1 : NULL;
  if (!child || *child != '1')
    return true;
  name += strlen("name[");
  const char *type = strstr(at, "optype["), *end = type ? strchr(type, ']') : NULL;
  bool is_input = end && end - type > 4 && strncmp(end - 4, "Data", 4) == 0; /* AippData, RefData … */
  add_op(&state->zero_copy, name, (gsize)(close - name), line, is_input || !type);
  return true;
}

/* "Node x output 0 flow to 1 root graph output". */
static bool
read_output(State *state, const TnTextLine *line)
{
  const char *end = strstr(line->whole, " root graph output"), *at = NULL;
  for (const char *next = line->whole; end && (next = strstr(next, "Node ")) && next < end; next++)
    at = next + strlen("Node ");
  const char *output = at ? strstr(at, " output ") : NULL;
  if (!output || !strstr(output, " flow to "))
    return false;
  add_op(&state->outputs, at, (gsize)(output - at), line, false);
  return true;
}

/* ---- sessions ------------------------------------------------------------------------------------ */

/* "create session allocator, typeid: T, session_id: 1, …"; removed by "typeid" or "class". */
static bool
read_allocator(State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, " session allocator, ");
  int64_t session;
  if (!at || line->is_cut || !tn_text_number_after(at, "session_id: ", &session))
    return false;
  const char *type = strchr(at, ':');
  type += strspn(type, ": ");
  g_autofree char *key = g_strdup_printf("%.*s, session %" G_GINT64_FORMAT,
                                         (int)MIN(strcspn(type, ","), (gsize)200), type, session);
  bool is_new = at - line->whole >= 6 && strncmp(at - 6, "create", 6) == 0;
  bool is_removed = at - line->whole >= 6 && strncmp(at - 6, "remove", 6) == 0;
  if (!state->allocators)
    state->allocators = g_array_new(FALSE, FALSE, sizeof(Allocator));
  state->n_removed += is_removed;
  for (guint i = 0; is_removed && i < state->allocators->len; i++) {
    Allocator *had = &g_array_index(state->allocators, Allocator, i);
    had->is_removed |= strcmp(had->key, key) == 0;
  }
  if (is_new && state->allocators->len < MOST) {
    Allocator allocator = {g_steal_pointer(&key), line->number, false};
    g_array_append_val(state->allocators, allocator);
  }
  note_line(state, line->number);
  return true;
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  (void)(read_set(state, line) || read_refresh(state, line) || read_flag(log, state, line) ||
         read_output(state, line) || read_allocator(state, line));
}

/* ---- what does not agree -------------------------------------------------------------------------- */

/* A sentence with the op's name in place of its "$". */
static void
state_op(TnTextLog *log, const Op *op, const char *code, TnStatementWeight weight, const char *sentence,
         const char *hint)
{
  g_autofree char *valid = g_utf8_make_valid(op->name, -1);
  const char *place = strchr(sentence, '$');
  g_autofree char *text =
      g_strdup_printf("%.*s%s%s", (int)(place - sentence), sentence, valid, place + 1);
  tn_document_state(log->document, code, weight, op->line, text, hint);
}

/* The conflict stage names the ops of conflicts only: what it does not name may still be known to it. */
static void
compare_lists(TnTextLog *log, const State *state)
{
  if (!state->conflict || !state->reuse)
    return;
  for (guint i = 0; i < state->conflict->len; i++) {
    const Op *op = &g_array_index(state->conflict, Op, i);
    if (!find_op(state->reuse, op))
      state_op(log, op, "ge-refresh-lists", TN_STATEMENT_WARNING,
               "The addresses of “$” can't be refreshed for the conflict stage, but the reuse stage "
               "does not say so",
               "Both stages must go by one list: where they differ a copy is missing or in vain.");
  }
  for (guint i = 0; i < state->reuse->len; i++) {
    const Op *op = &g_array_index(state->reuse, Op, i);
    if (!find_op(state->conflict, op))
      state_op(log, op, "ge-refresh-lists", TN_STATEMENT_NOTE,
               "The addresses of “$” can't be refreshed for the reuse stage, and no conflict names it",
               "Of no harm where nothing is in conflict with it; else both lists should be compared.");
  }
}

static void
check_zero_copy(TnTextLog *log, const State *state)
{
  for (guint i = 0; state->zero_copy && i < state->zero_copy->len; i++) {
    const Op *op = &g_array_index(state->zero_copy, Op, i);
    if (find_op(state->conflict, op) || find_op(state->reuse, op))
      state_op(log, op, "ge-refresh-zero-copy", TN_STATEMENT_ERROR,
               "“$” is planned as zero copy, but its addresses can't be refreshed",
               "The caller's buffer can't stand in for it: it needs memory of the plan, and a copy.");
    if (g_str_has_prefix(op->name, "ascend_mbatch_shape_data"))
      state_op(log, op, "ge-zero-copy-shape", TN_STATEMENT_WARNING,
               "“$” holds the shapes of a multi-batch graph, and is planned as zero copy",
               "It is written by GE itself: it must lie in the plan's own memory.");
    else if (state->outputs && !op->is_input && !find_op(state->outputs, op))
      state_op(log, op, "ge-zero-copy-inner", TN_STATEMENT_WARNING,
               "“$” is planned as zero copy, but flows to no output of the root graph",
               "What a subgraph hands on stays inside: no caller gives memory for it.");
  }
}

/* Some were removed, so this is a log of an end. */
static void
check_allocators(TnTextLog *log, const State *state)
{
  for (guint i = 0; state->allocators && state->n_removed && i < state->allocators->len; i++) {
    const Allocator *allocator = &g_array_index(state->allocators, Allocator, i);
    if (allocator->is_removed)
      continue;
    g_autofree char *valid = g_utf8_make_valid(allocator->key, -1);
    g_autofree char *text = g_strdup_printf(
        "The allocator of a session is created and never removed, as others are (%s)", valid);
    tn_document_state(log->document, "ge-session-allocator", TN_STATEMENT_WARNING, allocator->line, text,
                      "It keeps its memory until the process ends: unload the model, or finalize the "
                      "session.");
  }
}

static void
report(TnTextLog *log, const State *state)
{
  g_autofree char *title = g_strdup_printf(
      "GE's stages: %u and %u ops that can't be refreshed, %u allocators of sessions",
      state->conflict ? state->conflict->len : 0, state->reuse ? state->reuse->len : 0,
      state->allocators ? state->allocators->len : 0);
  TnAccount *account = tn_account_new(title, state->first_line);
  account->last_line = state->last_line;
  account->statement = g_strdup("Words, no sums: `check` lists them.");
  tn_text_log_report(log, account);
}

static void
clear_ops(GArray **ops)
{
  for (guint i = 0; *ops && i < (*ops)->len; i++)
    g_free(g_array_index(*ops, Op, i).name);
  g_clear_pointer(ops, g_array_unref);
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  compare_lists(log, state);
  check_zero_copy(log, state);
  check_allocators(log, state);
  if (state->first_line)
    report(log, state);
  clear_ops(&state->conflict);
  clear_ops(&state->reuse);
  clear_ops(&state->zero_copy);
  clear_ops(&state->outputs);
  for (guint i = 0; state->allocators && i < state->allocators->len; i++)
    g_free(g_array_index(state->allocators, Allocator, i).key);
  g_clear_pointer(&state->allocators, g_array_unref);
}

static const char *const marks[] = {"] not support zero copy", " session allocator, typeid: ", NULL};

const TnTextFinder tn_text_ge_stages = {
    .name = "what GE's stages decided, and allocators of sessions",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
    .follows_speaker = true,
};
