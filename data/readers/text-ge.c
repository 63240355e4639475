/* SPDX-License-Identifier: MIT */
/* GE's plan as its log prints it: an `[IMAS]Set …` line for each tensor and workspace (five
 * generations), later lines that give some of them another place, and a summary for each graph.
 * Also the rows that the imas tool makes of them (imas_mem_graph.csv, imas_mem_pool.csv). */
#include "config.h"

#include "data/readers/text-ge.h"

#include "data/hash.h"
#include "data/readers/text-names.h"

#include <string.h>

#define NAME_CUT 512 /* GE cuts longer names here: they may be of different tensors */
#define NEVER_RELEASED 4294967294 /* and 4294967295: to the graph's end */

typedef struct {
  TnTextNames graphs;      /* TnGeGraph * */
  TnGeGraph *last_planned; /* borrowed; of the last line of sums or of a tensor */
} State;

/* How a field is introduced: in the log in brackets, in the tool's rows between commas. */
typedef struct {
  const char *begin, *end, *real, *plain, *type, *ref, *batch, *stream, *block, *child, *block_type;
} Labels;

static const Labels log_labels = {
    "life time begin[", "life time end[", "realsize[", "noalignsize[", "memtype[",   "isref[",
    "batch[",           "streamid[",      " size[",    "child[",       "block_type["};
static const Labels row_labels = {
    "life time begin,", "life time end,", ",realsize,", ",noalignsize,",  "memory_type,", ",isref,",
    ",batch,",          ",streamid,",     ",size,",     "child:r:c:z:s,", ",block_type,"};

/* ---- graphs ------------------------------------------------------------------------------ */

static TnGeGraph *
find_graph(State *state, const char *name, gsize length, uint32_t line)
{
  char *own_name;
  TnGeGraph *graph = tn_text_names_find(&state->graphs, name, length, &own_name);
  if (graph) {
    graph->last_line = line;
    return graph;
  }
  graph = g_new0(TnGeGraph, 1);
  graph->name = own_name;
  graph->first_line = graph->last_line = line;
  graph->smp = -1;
  graph->tensors = g_array_new(FALSE, FALSE, sizeof(TnGeTensor));
  graph->by_key = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  graph->summaries = g_ptr_array_new();
  tn_text_names_add(&state->graphs, graph->name, graph);
  return graph;
}

/* ---- fields ------------------------------------------------------------------------------- */

/* The number behind `label`. */
static bool
number_in(const char *line, const char *label, int64_t *out)
{
  const char *at = strstr(line, label);
  if (!at)
    return false;
  at += strlen(label);
  return tn_text_number(&at, out) && (*at == 0 || strchr("]:-, ", *at));
}

/* "3", "2--3" (effective begin first), "7", "9--7" (the own stream's end last). */
static bool
life_in(const char *line, const char *label, bool wants_last, int64_t *out)
{
  const char *at = strstr(line, label);
  if (!at)
    return false;
  at += strlen(label);
  if (!tn_text_number(&at, out))
    return false;
  while (wants_last && at[0] == '-' && at[1] == '-') {
    at += 2;
    if (!tn_text_number(&at, out))
      return false;
  }
  return *at == ']' || *at == ',' || (!wants_last && *at == '-');
}

/* What stands between `label` and the next ']' or ','; NULL where it is not there. */
static char *
dup_in(const char *line, const char *label)
{
  const char *at = strstr(line, label), *close = at ? strpbrk(at + strlen(label), "],") : NULL;
  return close ? g_strndup(at + strlen(label), (gsize)(close - at) - strlen(label)) : NULL;
}

/* " output[0] offset to [": the word and the number before the offset, which name the tensor of the
 * op; *out_offset is behind the bracket. */
static char *
dup_slot(const char *line, const char **out_offset)
{
  const char *place = strstr(line, " offset to [");
  if (!place || place == line || place[-1] != ']')
    return NULL;
  const char *start = place;
  while (start > line && start[-1] != ' ')
    start--;
  *out_offset = place + strlen(" offset to [");
  return g_strndup(start, (gsize)(place - start));
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* "child[L:r:c:z:s]": nesting, reusable, continuous, zero copy, users on one stream (not in 2020). */
static void
read_child(const char *line, const char *label, TnGeTensor *tensor)
{
  static const unsigned set[] = {TN_TRAIT_NESTED, 0, TN_TRAIT_CONTINUOUS, TN_TRAIT_ZERO_COPY, 0};
  const char *at = strstr(line, label);
  int64_t value;
  at = at ? at + strlen(label) : "";
  for (gsize i = 0; i < G_N_ELEMENTS(set) && tn_text_number(&at, &value); i++) {
    tensor->traits |= value ? set[i] : 0;
    tensor->is_shared &= i != 1 || value != 0;
    tensor->traits |= i == 4 && !value ? TN_TRAIT_MANY_STREAMS : 0;
    if (*at++ != ':')
      return;
  }
}

static void
read_block(const char *line, const Labels *labels, TnGeTensor *tensor)
{
  int64_t stream = -1;
  g_autofree char *type = dup_in(line, labels->block_type);
  tensor->stream = number_in(line, labels->stream, &stream) && stream < (int64_t)TN_NONE
                       ? (uint32_t)stream
                       : TN_NONE;
  tensor->is_shared = true;
  number_in(line, labels->block, &tensor->block);
  read_child(line, labels->child, tensor);
  if (type && strcmp(type, "concentrate_atomic") == 0)
    tensor->traits |= TN_TRAIT_CLEANED;
  else if (type && strcmp(type, "data") == 0)
    tensor->traits |= TN_TRAIT_DATA;
}

/* A graph's last line of a tensor counts; an allocation of a pool is another of its name's. */
static void
put_tensor(TnTextLog *log, TnGeGraph *graph, const char *key, const TnGeTensor *tensor)
{
  uint32_t had = graph->is_pool || strlen(key) >= NAME_CUT ? 0 : GPOINTER_TO_UINT(g_hash_table_lookup(graph->by_key, key));
  if (had) {
    g_array_index(graph->tensors, TnGeTensor, had - 1) = *tensor;
    return;
  }
  g_array_append_vals(graph->tensors, tensor, 1);
  log->n_graphs += graph->tensors->len == 1 && !graph->is_pool;
  g_hash_table_insert(graph->by_key, g_strdup(key), GUINT_TO_POINTER(graph->tensors->len));
}

static void
add_tensor(TnTextLog *log,
           TnGeGraph *graph,
           const Labels *labels,
           const char *line,
           const char *key,
           int64_t offset)
{
  TnGeTensor tensor = {.offset = offset, .memory_type = 2, .line = graph->last_line};
  int64_t real = -1, end = 0;
  g_autofree char *batch = dup_in(line, labels->batch);
  if (!life_in(line, labels->begin, false, &tensor.start) ||
      !life_in(line, labels->end, true, &end) || !number_in(line, labels->real, &real) ||
      tensor.start >= NEVER_RELEASED) {
    graph->n_damaged++;
    return;
  }
  tensor.is_to_end = end >= NEVER_RELEASED;
  if (!tensor.is_to_end && end < tensor.start)
    end = tensor.start;
  tensor.end = MIN(end, TN_TICK_MAX - 1) + 1; /* written inclusive */
  number_in(line, labels->type, &tensor.memory_type);
  number_in(line, labels->ref, &tensor.is_ref);
  read_block(line, labels, &tensor);
  tensor.requested = real;
  number_in(line, labels->plain, &tensor.requested);
  tensor.requested = MIN(tensor.requested, real);
  if (!tn_round_up(real, 512, &tensor.bytes) || tensor.bytes > INT64_MAX - MAX(offset, 0)) {
    graph->n_damaged++;
    return;
  }
  tensor.real = real;
  tensor.name = tn_strings_intern(log->document->strings, key, -1);
  tensor.batch = batch && batch[0] ? tn_strings_intern(log->document->strings, batch, -1) : 0;
  put_tensor(log, graph, key, &tensor);
}

/* Continuous and atomic assignments come later, and move what was set before. */
static void
move_tensor(TnGeGraph *graph, const char *line, const char *key, int64_t offset)
{
  uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(graph->by_key, key));
  if (!row) {
    graph->n_unknown++;
    return;
  }
  TnGeTensor *tensor = &g_array_index(graph->tensors, TnGeTensor, row - 1);
  if (offset < 0 || offset > INT64_MAX - MAX(tensor->bytes, tensor->real))
    return;
  int64_t is_close = 0;
  bool is_member = strstr(line, "ontinuous") || strstr(line, "reassign");
  (void)(number_in(line, "nopadding[", &is_close) || number_in(line, ",nopadding,", &is_close));
  tensor->offset = offset;
  tensor->traits |= TN_TRAIT_PLACED_LATER;
  if (is_member)
    tensor->traits |= TN_TRAIT_CONTINUOUS | (is_close ? TN_TRAIT_NO_PADDING : 0);
  else
    tensor->traits |= TN_TRAIT_CLEANED;
  if (is_close) /* without padding they stand as close as their contents */
    tensor->bytes = tensor->requested;
  else if (!is_member)
    tensor->bytes = tensor->real;
  graph->n_moved++;
}

/* "-1": none was set, yet. */
static bool
read_offset(const char **text, int64_t *out)
{
  if (!g_str_has_prefix(*text, "-1"))
    return tn_text_number(text, out);
  *text += 2;
  *out = TN_NOT_PLACED;
  return true;
}

/* The next number of a list that stands between brackets; false at its end. */
static bool
next_of(const char **list, int64_t *out)
{
  *list += strspn(*list, " ,");
  return tn_text_number(list, out);
}

/* "AppendAttrsToMemSetOp : Set GRAPH atomic_node … offset to [o1 o2 ] streamid[S] size[s1 s2 ]": what
 * is set to 0 at the start. */
static bool
read_cleaned(State *state, const TnTextLine *line, const char *at)
{
  const char *set = strstr(at, ": Set "), *offset = strstr(at, "offset to ["), *size;
  TnGeRange range = {.line = line->number};
  int64_t bytes;
  if (!set || !offset || !strstr(at, "atomic_node") || !(size = strstr(offset, " size[")) || line->is_cut)
    return false;
  set += strlen(": Set ");
  TnGeGraph *graph = find_graph(state, set, strcspn(set, " "), line->number);
  if (!graph->cleaned)
    graph->cleaned = g_array_new(FALSE, FALSE, sizeof(TnGeRange));
  offset += strlen("offset to [");
  size += strlen(" size[");
  while (next_of(&offset, &range.start) && next_of(&size, &bytes) &&
         tn_add(range.start, bytes, &range.end))
    g_array_append_val(graph->cleaned, range);
  return true;
}

/* "[IMAS]Set GRAPH name[…] …" and "[IMAS]Continuous input : Set GRAPH name[…] …". */
static bool
read_set(TnTextLog *log, State *state, const TnTextLine *line, const char *at)
{
  const char *set = g_str_has_prefix(at, "Set ") ? at : strstr(at, ": Set "), *place = NULL;
  if (!set || strstr(at, "AssignVarMem") || strstr(at, "atomic_node"))
    return false;
  set += *set == ':' ? strlen(": Set ") : strlen("Set ");
  gsize length = strcspn(set, " ");
  g_autofree char *name = dup_in(set, "name[");
  g_autofree char *slot = dup_slot(set, &place);
  int64_t offset;
  if (!name || !slot || !length)
    return false;
  TnGeGraph *graph = state->last_planned = find_graph(state, set, length, line->number);
  g_autofree char *key = g_strdup_printf("%s %s", name, slot);
  if (!read_offset(&place, &offset) || *place != ']' || line->is_cut)
    graph->n_damaged++;
  else if (strstr(place, "life time begin["))
    add_tensor(log, graph, &log_labels, place, key, offset);
  else if (strstr(place, "life time"))
    graph->n_damaged++;
  else
    move_tensor(graph, at, key, offset);
  return true;
}

/* "PID,GRAPH,optype,T,name_NODE_output_0_offset to ,OFFSET,streamid,…"; a row with `reassign` gives
 * another place. */
static bool
read_graph_row(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *place = strstr(line->whole, "_offset to ,"), *name = strstr(line->whole, ",name_");
  int64_t offset;
  if (!place || !name || name + strlen(",name_") > place) /* ",name_offset to ,": both have the one '_' */
    return false;
  const char *graph_name = strchr(line->whole, ','), *at = place + strlen("_offset to ,");
  gsize length = strcspn(++graph_name, ",");
  TnGeGraph *graph = find_graph(state, graph_name, length, line->number);
  name += strlen(",name_");
  g_autofree char *key = g_strndup(name, (gsize)(place - name));
  if (!tn_text_number(&at, &offset) || *at != ',' || line->is_cut)
    graph->n_damaged++;
  else if (strstr(at, "reassign"))
    move_tensor(graph, at, key, offset);
  else
    add_tensor(log, graph, &row_labels, at, key, offset);
  return true;
}

static void
read_most(const char *row, const char *label, tn_bytes *most)
{
  int64_t number;
  if (number_in(row, label, &number))
    *most = MAX(*most, number);
}

/* "PID,allocator_id,ge_0,name,X,size,S,realsize,R,address,A,life time begin,B,life time end,E,…": a
 * pool's allocations, whose offsets are addresses. */
static bool
read_pool_row(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *pool = strstr(line->whole, ",allocator_id,"), *at = strstr(line->whole, ",address,");
  uint64_t address;
  if (!pool || !at)
    return false;
  pool += strlen(",allocator_id,");
  TnGeGraph *graph = find_graph(state, pool, strcspn(pool, ","), line->number);
  g_autofree char *name = dup_in(line->whole, ",name,");
  int64_t decimal = 0;
  at += strlen(",address,");
  bool is_hex = at[0] == '0' && at[1] == 'x';
  bool is_good = is_hex ? tn_text_hex(&at, &address) : tn_text_number(&at, &decimal);
  address = is_hex && is_good ? address : (uint64_t)decimal;
  log->n_graphs -= graph->tensors->len > 0 && !graph->is_pool;
  graph->is_pool = true;
  read_most(line->whole, ",cached_size,", &graph->cached);
  read_most(line->whole, ",theory_size,", &graph->theory);
  if (!is_good || address > (uint64_t)INT64_MAX || line->is_cut)
    graph->n_damaged++;
  else
    add_tensor(log, graph, &row_labels, line->whole, name ? name : "", (int64_t)address);
  return true;
}

/* "[IMAS]AfterAssignMemory : GRAPH memoffset[..], memtype[..], theory_min[..], …". */
static void
read_summary(State *state, const TnTextLine *line, const char *at)
{
  const char *name = strstr(at, "AfterAssignMemory : ");
  int64_t planned;
  if (!name)
    return;
  name += strlen("AfterAssignMemory : ");
  if (!number_in(name, "memoffset[", &planned))
    return;
  TnGeGraph *graph = state->last_planned = find_graph(state, name, strcspn(name, " "), line->number);
  number_in(name, " smp[", &graph->smp);
  tn_ge_read_summary(graph, name, false, line->number);
}

/* "PID,GRAPH,…,memory_type,2,memory_size,N,reuse rate:R% detail[reach_theory_rate:.. total:.. …]". */
static bool
read_summary_row(State *state, const TnTextLine *line)
{
  const char *name = strchr(line->whole, ','), *detail = strstr(line->whole, "detail[");
  if (!name || !detail || !strstr(line->whole, ",memory_size,"))
    return false;
  name++;
  return tn_ge_read_summary(find_graph(state, name, strcspn(name, ","), line->number), line->whole,
                            true, line->number);
}

/* "SubMemOffsets[i]: mem_type[2] mem_offset_base[0] mem_size[N] is_fixed_addr_prior[0]": names no graph,
 * and is printed among the lines of the one that it is of. */
static void
read_segment(State *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "SubMemOffsets[");
  TnGeSegment segment = {.memory_type = 2};
  TnGeGraph *graph = state->last_planned;
  int64_t end;
  if (!at || !graph || line->is_cut || !number_in(at, "mem_offset_base[", &segment.base) ||
      !number_in(at, "mem_size[", &segment.bytes) || !tn_add(segment.base, segment.bytes, &end))
    return;
  number_in(at, "mem_type[", &segment.memory_type);
  if (!graph->segments)
    graph->segments = g_array_new(FALSE, FALSE, sizeof(TnGeSegment));
  g_array_append_val(graph->segments, segment);
}

static void
add_line(TnTextLog *log, void *state, const TnTextLine *line)
{
  const char *at = strstr(line->whole, "[IMAS]");
  if (!at && strstr(line->whole, "life time begin,"))
    (void)(read_graph_row(log, state, line) || read_pool_row(log, state, line));
  else if (!at && strstr(line->whole, ",reassign "))
    read_graph_row(log, state, line);
  else if (!at && strstr(line->whole, "reuse rate:"))
    read_summary_row(state, line);
  else if (!at)
    read_segment(state, line);
  if (!at)
    return;
  at += strlen("[IMAS]");
  at += strspn(at, " ");
  if (!read_set(log, state, line, at) && !read_cleaned(state, line, at))
    read_summary(state, line, at);
}

static void
free_graph(TnGeGraph *graph)
{
  g_array_unref(graph->tensors);
  g_hash_table_unref(graph->by_key);
  g_ptr_array_unref(graph->summaries);
  g_clear_pointer(&graph->cleaned, g_array_unref);
  g_clear_pointer(&graph->segments, g_array_unref);
  g_free(graph->name);
  g_free(graph);
}

/* Pools alone are a log of allocations; beside graphs (of any process), which have no addresses, they are plans too. */
static bool
are_all_pools(const TnTextLog *log, const State *state)
{
  bool has_pool = false;
  for (guint i = 0; i < tn_text_names_count(&state->graphs); i++)
    has_pool |= ((TnGeGraph *)tn_text_names_get(&state->graphs, i))->is_pool;
  return has_pool && log->n_graphs == 0;
}

static void
end_text(TnTextLog *log, void *data)
{
  State *state = data;
  bool is_log = are_all_pools(log, state);
  for (guint i = 0; i < tn_text_names_count(&state->graphs); i++) {
    TnGeGraph *graph = tn_text_names_get(&state->graphs, i);
    tn_ge_check_lines(log, graph);
    if (is_log && graph->tensors->len)
      tn_ge_finish_log(log, graph);
    else
      tn_ge_finish(log, graph);
    free_graph(graph);
  }
  tn_text_names_clear(&state->graphs);
}

static const char *const marks[] = {"[IMAS]Set ",   "[IMAS]AfterAssignMemory", "[IMAS]Continuous",
                                    "_offset to ,", ",allocator_id,",          NULL};

const TnTextFinder tn_text_ge = {
    .name = "GE's plan ([IMAS] lines of a plog)",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
    .follows_speaker = true,
};
