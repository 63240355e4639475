/* SPDX-License-Identifier: MIT */
/* What GE's own checks say in a plog: reuse that is not allowed, neighbours that are none, layout
 * conflicts and the Identity nodes that solve them, pages mapped twice, leaks; and lines that only
 * look like an out-of-memory error.  Each becomes a statement of the document. */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/hash.h"

#include <string.h>

#define LONGEST 600 /* of a sentence that is quoted */

/* A layout conflict waits for the Identity node that solves it. */
typedef struct {
  char *types, *first, *second; /* "A, B"; the anchors "conv_out_0" and "add_in_1" */
  uint32_t line;
  bool is_solved;
} Conflict;

#define MOST_COMPARED 200000000 /* a few seconds; thousands of conflicts and nodes are 10^7 */

typedef struct {
  GArray *conflicts;        /* Conflict; NULL: none yet */
  guint n_solved_first;     /* of them, before the first that is open */
  int64_t n_compared;       /* of conflicts with Identity nodes */
  bool is_given_up;         /* they were too many: which are open is not known */
  GHashTable *feature_maps; /* "graph_1" → uint64_t: its base; the last that was said; NULL: none yet */
  GString *reuse;       /* a statement that waits for its reasons; NULL: none */
  uint32_t reuse_line, first_line, last_line, n_said, n_inserted, n_maps_checked;
} State;

static void
note_line(State *state, uint32_t line)
{
  if (!state->first_line)
    state->first_line = line;
  state->last_line = line;
}

static void
say(TnTextLog *log,
    State *state,
    const char *code,
    TnStatementWeight weight,
    uint32_t line,
    const char *text,
    const char *hint)
{
  gsize length = MIN(strlen(text), (gsize)LONGEST);
  g_autofree char *cut = g_strndup(text, length);
  g_autofree char *valid = g_utf8_make_valid(g_strchomp(cut), -1);
  tn_document_state(log->document, code, weight, line, valid, hint);
  note_line(state, line);
  state->n_said++;
}

/* ---- sentences that are a finding as they stand ------------------------------------------------
 */

static const struct {
  const char *mark, *code, *hint;
  TnStatementWeight weight;
} sentences[] = {
    {"check atomic clean address failed", "ge-atomic-clean",
     "The range that is set to 0 at the start does not hold all that needs it.",
     TN_STATEMENT_ERROR},
    {"Invalid input offset", "ge-no-offset", "No place was ever set for it.", TN_STATEMENT_ERROR},
    {"Invalid output offset", "ge-no-offset", "No place was ever set for it.", TN_STATEMENT_ERROR},
    {"Invalid workspace in node", "ge-no-offset", "No place was ever set for it.",
     TN_STATEMENT_ERROR},
    {"memory size check failed", "ge-outside",
     "The output passes the end of the memory that the plan has.", TN_STATEMENT_ERROR},
    {"memory leaks, occupied spans", "ge-leak",
     "The pool was closed while these spans were in use.", TN_STATEMENT_WARNING},
    {"virtual and physical page mapping check failed", "ge-page-mapping",
     "Two virtual ranges must not share a physical page at the same time.", TN_STATEMENT_ERROR},
    {"va intersection, pa_index[", "ge-page-mapping",
     "Two virtual ranges must not share a physical page at the same time.", TN_STATEMENT_ERROR},
    {"is using. using va info:", "ge-page-mapping",
     "Two virtual ranges must not share a physical page at the same time.", TN_STATEMENT_ERROR},
    {"We will try to free memory from memory pool", "not-an-oom",
     "GE frees what its pool holds and asks again: only a later failure would be one.",
     TN_STATEMENT_NOTE},
    {"Maybe not support rtReserveMemAddress", "va-fallback",
     "The driver gives no virtual addresses: GE goes on without them, with more fragmentation.",
     TN_STATEMENT_NOTE},
};

/* Whether a bracket that ends before `close` is an index, as of "pa_index[7]". */
static bool
is_index(const char *line, const char *close)
{
  const char *open = close;
  while (open > line && g_ascii_isdigit(open[-1]))
    open--;
  return open < close && open - 1 > line && open[-1] == '[' && (g_ascii_isalpha(open[-2]) || open[-2] == '_');
}

/* From the start of the message: behind the function's name that GE puts before it. */
static const char *
message_of(const char *line, const char *mark)
{
  const char *start = mark;
  while (start > line && (start[-1] != ']' || is_index(line, start - 1)) &&
         !(start[-1] == ' ' && start - 1 > line && start[-2] == ':'))
    start--;
  return start + strspn(start, " ");
}

static bool
read_sentence(TnTextLog *log, State *state, const TnTextLine *line)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sentences); i++) {
    const char *mark = strstr(line->whole, sentences[i].mark);
    if (!mark)
      continue;
    say(log, state, sentences[i].code, sentences[i].weight, line->number,
        message_of(line->whole, mark), sentences[i].hint);
    return true;
  }
  return false;
}

/* "Sum of total_mem_offset:A and var_mem_size:B is greater than memory manager malloc max size C". */
static bool
read_too_large(TnTextLog *log, State *state, const TnTextLine *line)
{
  static const char limit[] = "is greater than memory manager malloc max size ";
  const char *at = strstr(line->whole, limit);
  int64_t planned, variables, most, sum;
  if (!at)
    return false;
  bool is_known = !line->is_cut && tn_text_number_after(line->whole, "total_mem_offset:", &planned) &&
                  tn_text_number_after(line->whole, "var_mem_size:", &variables) &&
                  tn_text_number_after(at, limit, &most) && tn_add(planned, variables, &sum) && sum > most;
  g_autofree char *text =
      is_known ? g_strdup_printf("The plan needs %" G_GINT64_FORMAT " bytes and the variables %" G_GINT64_FORMAT
                                 ": %" G_GINT64_FORMAT " more than the %" G_GINT64_FORMAT
                                 " that GE may take",
                                 planned, variables, sum - most, most)
               : g_strdup(message_of(line->whole, at));
  say(log, state, "ge-too-large", TN_STATEMENT_ERROR, line->number, text,
      "Reduce the batch size, or set ge.exec.memoryOptimizationPolicy to MemoryPriority.");
  return true;
}

/* ---- reuse that is not allowed ------------------------------------------------------------------
 */

static void
flush_reuse(TnTextLog *log, State *state)
{
  if (!state->reuse)
    return;
  say(log, state, "ge-reuse", TN_STATEMENT_ERROR, state->reuse_line, state->reuse->str,
      "Nothing makes the one wait for the other: keep one of them from sharing (OP_NO_REUSE_MEM).");
  g_string_free(state->reuse, TRUE);
  state->reuse = NULL;
}

/* "Cannot reuse memory between node: A… and node: B…", then a line "reason: …" for each way. */
static bool
read_reuse(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "Cannot reuse memory between node"), *reason;
  if (at) {
    flush_reuse(log, state);
    state->reuse = g_string_new_len(at, (gssize)MIN(strlen(at), (gsize)LONGEST / 2));
    state->reuse_line = line->number;
    return true;
  }
  if (state->reuse && (reason = strstr(line->whole, "reason: "))) {
    g_string_append_printf(state->reuse, "; %.*s", LONGEST / 4, reason);
    return true;
  }
  return false;
}

/* ---- neighbours
 * ----------------------------------------------------------------------------------- */

static char *
dup_field(const char *line, const char *label)
{
  const char *at = strstr(line, label);
  if (!at)
    return g_strdup("?");
  at += strlen(label);
  at += strspn(at, " ");
  return g_strndup(at, strcspn(at, ",;"));
}

/* "continuous input node memory check failed. node: N, …, offset: O, expect_offset: E". */
static bool
read_continuous(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "node memory check failed");
  int64_t had, wanted;
  if (!at || !strstr(line->whole, "continuous"))
    return false;
  g_autofree char *node = dup_field(at, " node:");
  bool is_known = tn_text_number_after(at, " offset:", &had) &&
                  tn_text_number_after(at, "expect_offset:", &wanted) && !line->is_cut;
  g_autofree char *text =
      is_known ? g_strdup_printf("The tensors of “%s” must be neighbours, but one lies at offset "
                                 "%" G_GINT64_FORMAT " where %" G_GINT64_FORMAT " was expected",
                                 node, had, wanted)
               : g_strdup_printf("The tensors of “%s” must be neighbours, and are not", node);
  say(log, state, "ge-continuous", TN_STATEMENT_ERROR, line->number, text,
      "A continuous input or output is one stretch of memory, in the order of the tensors.");
  return true;
}

/* ---- layout conflicts
 * -------------------------------------------------------------------------------- */

/* "[A, B]" behind `label`: both, owned by the caller; false where the bracket is open. */
static bool
dup_pair(const char *line, const char *label, char **out_first, char **out_second)
{
  const char *at = strstr(line, label), *close, *comma;
  if (!at)
    return false;
  at += strlen(label);
  close = strchr(at, ']');
  comma = strstr(at, ", ");
  if (!close || !comma || comma > close)
    return false;
  *out_first = g_strndup(at, (gsize)(comma - at));
  *out_second = g_strndup(comma + 2, (gsize)(close - comma - 2));
  return true;
}

static void
read_conflict(State *state, const TnTextLine *line)
{
  Conflict conflict = {.line = line->number};
  g_autofree char *a = NULL, *b = NULL;
  if (!dup_pair(line->whole, "type: [", &a, &b) ||
      !dup_pair(line->whole, "anchor: [", &conflict.first, &conflict.second))
    return;
  conflict.types = g_strdup_printf("%s and %s", a, b);
  if (!state->conflicts)
    state->conflicts = g_array_new(FALSE, FALSE, sizeof(Conflict));
  g_array_append_val(state->conflicts, conflict);
  note_line(state, line->number);
}

/* A node's name in a line; a long one was cut and ended with "...TopoId_3", which is not part of it
 * here. */
typedef struct {
  const char *text; /* NULL: no node */
  gsize length;
  bool is_cut;
} Node;

static Node
node_of(const char *text, gsize length)
{
  const char *dots = g_strstr_len(text, (gssize)length, "...TopoId_");
  return (Node){text, dots ? (gsize)(dots - text) : length, dots != NULL};
}

/* Whether an anchor ("conv_out_0") is of this node. */
static bool
is_anchor_of(const char *anchor, const Node *node)
{
  gsize n = node->length;
  if (!node->text || n == 0 || strncmp(anchor, node->text, n) != 0)
    return false;
  return node->is_cut || g_str_has_prefix(anchor + n, "_out_") || g_str_has_prefix(anchor + n, "_in_");
}

static gsize
name_length(const char *name)
{
  return strcspn(name, " ,\n");
}

/* Where an Identity node was put: "… <identity> before|after <node>[, index: k]" or "… between A->B". */
typedef struct {
  Node first, second; /* second: only of "between" */
  bool is_between;
} Place;

static Place
place_of(const char *line)
{
  const char *between = strstr(line, " between "), *arrow = between ? strstr(between, "->") : NULL;
  const char *after = strstr(line, " after "), *before = strstr(line, " before ");
  if (arrow) {
    between += strlen(" between ");
    return (Place){node_of(between, (gsize)(arrow - between)),
                   node_of(arrow + 2, name_length(arrow + 2)), true};
  }
  const char *node = after    ? after + strlen(" after ")
                     : before ? before + strlen(" before ")
                              : NULL;
  return (Place){.first = node ? node_of(node, name_length(node)) : (Node){0}};
}

static bool
solves(const Conflict *conflict, const Place *place)
{
  if (place->is_between)
    return is_anchor_of(conflict->first, &place->first) && is_anchor_of(conflict->second, &place->second);
  return is_anchor_of(conflict->first, &place->first) || is_anchor_of(conflict->second, &place->first);
}

/* Which conflict it solves is looked for as long as that takes no hour. */
static void
solve_first(TnTextLog *log, State *state, const Place *place, uint32_t line)
{
  gsize weight = 1 + (place->first.length + place->second.length) / 64;
  for (guint i = state->n_solved_first; i < state->conflicts->len; i++) {
    Conflict *conflict = &g_array_index(state->conflicts, Conflict, i);
    if (state->n_compared >= MOST_COMPARED) {
      tn_diagnostics_add(log->document->diagnostics, "too-many-conflicts", 1,
                         "line %u: %u layout conflicts with this many Identity nodes are too many to "
                         "look for which node solves which, expected at most 200 million pairs: from "
                         "here on that is not looked for, and no open conflict is listed",
                         line, state->conflicts->len);
      state->is_given_up = true;
      return;
    }
    state->n_compared += (int64_t)weight;
    if (conflict->is_solved || !solves(conflict, place))
      continue;
    conflict->is_solved = true;
    while (state->n_solved_first < state->conflicts->len &&
           g_array_index(state->conflicts, Conflict, state->n_solved_first).is_solved)
      state->n_solved_first++;
    return;
  }
}

static void
read_insert(TnTextLog *log, State *state, const TnTextLine *line)
{
  state->n_inserted++;
  note_line(state, line->number);
  Place place = place_of(line->whole);
  if (state->conflicts)
    solve_first(log, state, &place, line->number);
}

static bool
read_layout(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "[MemConflict]");
  if (!at)
    return false;
  if (strstr(at, "[Conflict]"))
    read_conflict(state, line);
  else if (strstr(at, "[INSERT][NODE]"))
    read_insert(log, state, line);
  return true;
}

/* ---- addresses at load
 * -------------------------------------------------------------------------------- */

/* "[IMAS]InitFeatureMapAndP2PMem graph_1 MallocMemory type[F] memaddr[0x…] mem_size[N]Bytes". */
static void
read_feature_map(State *state, const char *at)
{
  const char *name = strstr(at, "graph_"), *address = strstr(at, "memaddr[");
  uint64_t base;
  if (!name || !address || !strstr(at, "type[F]"))
    return;
  address += strlen("memaddr[");
  if (!tn_text_hex(&address, &base) || *address != ']')
    return;
  if (!state->feature_maps)
    state->feature_maps = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, g_free);
  g_hash_table_insert(state->feature_maps, g_strndup(name, name_length(name)),
                      g_memdup2(&base, sizeof base));
}

/* Of the graph whose name stands here, up to a blank; NULL: not said. */
static const uint64_t *
find_base(const State *state, const char *graph)
{
  gsize length = strcspn(graph, " ");
  g_autofree char *name = g_strndup(graph, length);
  return state->feature_maps && graph[length] ? g_hash_table_lookup(state->feature_maps, name) : NULL;
}

/* "[IMAS]graph_1 type[F] name[conv] output[0] offset[512] size[…] memaddr[0x…]". */
static void
check_address(TnTextLog *log, State *state, const TnTextLine *line, const char *graph)
{
  const uint64_t *base = find_base(state, graph);
  const char *at = strstr(graph, "memaddr[");
  int64_t offset;
  uint64_t address;
  if (!base || !at || !strstr(graph, "type[F]") || !tn_text_number_after(graph, " offset[", &offset))
    return;
  at += strlen("memaddr[");
  if (!tn_text_hex(&at, &address) || *at != ']')
    return;
  state->n_maps_checked++;
  note_line(state, line->number);
  if (address - *base == (uint64_t)offset)
    return;
  g_autofree char *name = dup_field(graph, "name[");
  name[strcspn(name, "]")] = 0;
  g_autofree char *text =
      g_strdup_printf("“%s” has offset %" G_GINT64_FORMAT " in the plan, but lies %" G_GINT64_FORMAT
                      " bytes from the base of its feature map",
                      name, offset, (int64_t)(address - *base));
  say(log, state, "ge-address", TN_STATEMENT_ERROR, line->number, text,
      "Address and base + offset must be the same, unless the caller's memory stands in for it.");
}

static bool
read_addresses(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "[IMAS]");
  if (!at)
    return false;
  at += strlen("[IMAS]");
  if (g_str_has_prefix(at, "InitFeatureMap"))
    read_feature_map(state, at);
  else if (g_str_has_prefix(at, "graph_"))
    check_address(log, state, line, at);
  return true;
}

/* ---- all of it
 * ------------------------------------------------------------------------------------------- */

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  if (read_reuse(log, state, line))
    return;
  if (!read_layout(log, state, line) && !read_addresses(log, state, line) &&
      !read_continuous(log, state, line) && !read_too_large(log, state, line))
    read_sentence(log, state, line);
}

static uint32_t
end_conflicts(TnTextLog *log, State *state)
{
  uint32_t n_open = 0;
  for (guint i = 0; state->conflicts && i < state->conflicts->len; i++) {
    Conflict *conflict = &g_array_index(state->conflicts, Conflict, i);
    if (!conflict->is_solved && !state->is_given_up) {
      g_autofree char *text =
          g_strdup_printf("%s and %s want different places (%s), and no Identity node was put "
                          "between them",
                          conflict->first, conflict->second, conflict->types);
      uint32_t last = state->last_line;
      say(log, state, "ge-conflict-open", TN_STATEMENT_WARNING, conflict->line, text,
          "Without a copy between them one of both would break its rule.");
      state->last_line = last;
      n_open++;
    }
    g_free(conflict->types);
    g_free(conflict->first);
    g_free(conflict->second);
  }
  return n_open;
}

static void
report(TnTextLog *log, State *state, uint32_t n_open)
{
  guint n_conflicts = state->conflicts ? state->conflicts->len : 0;
  g_autoptr(GString) title = g_string_new("GE's own checks");
  const char *sign = ": ";
  if (n_conflicts || state->n_inserted) {
    g_string_append_printf(title, "%s%u layout conflicts, %u Identity nodes", sign, n_conflicts,
                           state->n_inserted);
    sign = ", ";
  }
  if (state->n_maps_checked) {
    g_string_append_printf(title, "%s%u addresses", sign, state->n_maps_checked);
    sign = ", ";
  }
  if (state->n_said > n_open)
    g_string_append_printf(title, "%s%u statements", sign, state->n_said - n_open);
  TnAccount *account = tn_account_new(title->str, state->first_line);
  account->last_line = state->last_line;
  account->statement = g_strdup("Words, no sums: `check` lists them.");
  tn_text_log_report(log, account);
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  flush_reuse(log, state);
  uint32_t n_open = end_conflicts(log, state);
  if (state->first_line)
    report(log, state, n_open);
  g_clear_pointer(&state->conflicts, g_array_unref);
  g_clear_pointer(&state->feature_maps, g_hash_table_unref);
}

static const char *const marks[] = {"[MemConflict]",
                                    "Cannot reuse memory between node",
                                    "node memory check failed",
                                    "memory leaks, occupied spans",
                                    "try to free memory from memory pool",
                                    NULL};

const TnTextFinder tn_text_ge_says = {
    .name = "GE's own checks",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
    .follows_speaker = true,
};
