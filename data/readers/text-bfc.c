/* SPDX-License-Identifier: MIT */
/* The dump of TensorFlow's, TSL's and JAX's BFC allocator: every chunk with its address, whether it
 * is in use, and the request that failed.  Three generations of lines; see formats/text-logs.md. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

typedef struct {
  uint64_t address;
  tn_bytes bytes;
  uint32_t op; /* string id; 0: not said */
  bool in_use;
  bool begins, ends; /* a region, which no hole reaches across */
} Chunk;

#define MAX_WAIT 40 /* lines between a dump's end and the exception that names the tensor */

typedef struct {
  bool is_open, is_done; /* done: all but the exception behind it is there */
  uint32_t n_waited;
  char *allocator;
  int32_t device; /* that its name says; -1: none */
  uint32_t first_line, last_line;
  tn_bytes requested, requested_exact; /* as the words say, and to the byte */
  tn_bytes limit, in_use, peak, regions, step;
  GArray *chunks; /* Chunk */
  bool has_chunks_end, has_stats;
  bool begins_region; /* the next chunk does */
  uint32_t n_bad;
  bool had_dump; /* of the failures that exceptions name; survives dumps */
} State;

/* "Tables" of old generations list free chunks after all others: sorted by address they are one. */
static gint
compare_chunks(gconstpointer a, gconstpointer b)
{
  const Chunk *x = a, *y = b;
  return x->address < y->address ? -1 : x->address > y->address;
}

static void
open_dump(State *state, uint32_t line)
{
  *state = (State){.is_open = true,
                   .had_dump = true,
                   .first_line = line,
                   .last_line = line,
                   .device = -1,
                   .requested = -1,
                   .requested_exact = -1,
                   .limit = -1,
                   .in_use = -1,
                   .peak = -1,
                   .regions = -1};
  state->chunks = g_array_new(FALSE, TRUE, sizeof(Chunk));
}

/* ---- closing --------------------------------------------------------------------------- */

/* Chunks that overlap are two dumps mixed up, or lines that were damaged. */
static uint32_t
drop_overlaps(State *state)
{
  GArray *chunks = state->chunks;
  uint32_t kept = 0;
  for (guint i = 0; i < chunks->len; i++) {
    Chunk chunk = g_array_index(chunks, Chunk, i);
    const Chunk *last = kept ? &g_array_index(chunks, Chunk, kept - 1) : NULL;
    if (last && chunk.address - last->address < (uint64_t)last->bytes)
      continue;
    g_array_index(chunks, Chunk, kept++) = chunk;
  }
  uint32_t dropped = chunks->len - kept;
  g_array_set_size(chunks, kept);
  return dropped;
}

static uint32_t
stack_of_op(TnDocument *document, uint32_t op)
{
  if (!op)
    return 0;
  uint32_t frame = tn_stacks_intern_frame(document->stacks, (TnFrame){.name = op});
  return tn_stacks_intern(document->stacks, &frame, 1);
}

/* Whether a chunk goes on behind another in its region.  Old dumps say nothing of regions: there, those
 * without a gap between them do. */
static bool
is_next_of(const Chunk *chunk, const Chunk *before)
{
  return before && before->address + (uint64_t)before->bytes == chunk->address && !before->ends && !chunk->begins;
}

/* Regions are segments.  out_sums: free and used bytes. */
static void
fill_device(TnDocument *document, TnDevice *device, const State *state, tn_bytes out_sums[2])
{
  tn_device_space(device, 0, 0, 0);
  device->has_reserved = true;
  for (guint i = 0; i < state->chunks->len; i++) {
    const Chunk *chunk = &g_array_index(state->chunks, Chunk, i);
    if (!is_next_of(chunk, i ? chunk - 1 : NULL)) {
      TnSegment segment = {.address = chunk->address};
      g_array_append_val(device->segments, segment);
    }
    g_array_index(device->segments, TnSegment, device->segments->len - 1).bytes += chunk->bytes;
    TnBlock block = {.address = chunk->address,
                     .bytes = chunk->bytes,
                     .requested = TN_BYTES_UNKNOWN,
                     .segment = device->segments->len - 1,
                     .stack = stack_of_op(document, chunk->op),
                     .state = chunk->in_use ? TN_BLOCK_ACTIVE : TN_BLOCK_INACTIVE};
    g_array_append_val(device->blocks, block);
    out_sums[chunk->in_use] += chunk->bytes;
  }
}

static tn_bytes
request_of(const State *state)
{
  return state->requested_exact >= 0 ? state->requested_exact : state->requested;
}

/* The allocator's own figures where it printed them: chunks may be missing, its sums are not. */
static void
fill_account(TnAccount *account, const State *state, const tn_bytes sums[2])
{
  bool has_map = state->chunks->len > 0;
  tn_bytes in_use = state->in_use >= 0 || !has_map ? state->in_use : sums[1];
  bool is_whole = has_map && in_use == sums[1];
  tn_bytes regions = state->regions >= 0 ? state->regions : is_whole ? sums[0] + sums[1] : -1;
  account->total = state->limit >= 0 ? state->limit : regions;
  account->total_what =
      g_strdup(state->limit >= 0 ? "limit of the allocator" : "regions of the allocator");
  tn_account_add(account, "in use", in_use, NULL);
  if (regions >= 0 && in_use >= 0 && regions >= in_use)
    tn_account_add(account, "free in the allocator's regions", regions - in_use, NULL);
  if (state->limit >= 0 && regions >= 0)
    tn_account_add(account, "not taken from the device yet", MAX(state->limit - regions, 0), NULL);
  tn_account_close(account, "not listed by the report", "listed beyond the total", 0);
  tn_account_add_detail(account, "requested", request_of(state), "the allocation that failed");
  tn_account_add_detail(account, "peak in use", state->peak, NULL);
}

/* What a whole dump must add up to, and does not: lines are missing. */
static void
check_whole(TnTextLog *log, TnAccount *account, const State *state, const tn_bytes sums[2])
{
  g_autofree char *missing = NULL;
  if (state->in_use >= 0 && state->chunks->len && state->in_use != sums[1])
    missing = g_strdup_printf("chunks in use sum to %" G_GINT64_FORMAT
                              " bytes, its statistics say %" G_GINT64_FORMAT
                              ": lines are missing, and the map has holes that need not be free",
                              sums[1], state->in_use);
  else if (state->regions >= 0 && state->chunks->len && state->regions != sums[0] + sums[1])
    missing = g_strdup_printf("chunks sum to %" G_GINT64_FORMAT
                              " bytes, the allocator says %" G_GINT64_FORMAT ": lines are missing",
                              sums[0] + sums[1], state->regions);
  else if (!state->has_stats)
    missing = g_strdup("the statistics that end it are missing, so that it can't be checked "
                       "whether all chunks are there");
  else if (request_of(state) < 0)
    missing = g_strdup("its beginning, with the request that failed, is missing");
  if (missing)
    tn_text_log_cut_off(log, account, missing);
}

static void
close_dump(TnTextLog *log, State *state)
{
  if (!state->is_open)
    return;
  g_autofree char *title = g_strdup_printf("BFC allocator dump, %s",
                                           state->allocator ? state->allocator : "name unknown");
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, state->first_line));
  account->last_line = state->last_line;
  g_array_sort(state->chunks, compare_chunks);
  uint32_t dropped = drop_overlaps(state) + state->n_bad;
  if (dropped)
    tn_diagnostics_add(log->document->diagnostics, "mixed-chunks", dropped,
                       "%s, line %u: %u lines of chunks are damaged or overlap others (two dumps "
                       "mixed up?) and were left out",
                       title, state->first_line, dropped);
  TnDevice *device = state->device >= 0 ? tn_text_log_device(log, state->device) : tn_text_log_new_device(log);
  tn_bytes sums[2] = {0, 0};
  tn_text_log_name(log, device, title);
  fill_device(log->document, device, state, sums);
  device->total_bytes = state->limit;
  log->has_map |= state->chunks->len > 0;
  if (request_of(state) >= 0) {
    tn_bytes left = state->limit >= 0 ? MAX(state->limit - sums[0] - sums[1], 0) : -1;
    tn_text_log_mark(log, device, request_of(state), state->chunks->len ? left : -1, title);
  }
  fill_account(account, state, sums);
  check_whole(log, account, state, sums);
  if (!state->chunks->len)
    account->statement = g_strdup("The lines of chunks are missing: no map can be drawn. They are "
                                  "printed between “Bin for …” and “Summary of in-use Chunks”.");
  g_array_unref(state->chunks);
  g_free(state->allocator);
  *state = (State){.had_dump = true};
}

/* ---- lines ----------------------------------------------------------------------------- */

/* "GPU_3_bfc": 3; -1 where it says none, as "gpu_host_bfc". */
static int32_t
device_of(const char *allocator)
{
  int64_t number;
  const char *at = allocator + strlen("GPU_");
  bool is_gpu = g_ascii_strncasecmp(allocator, "GPU_", strlen("GPU_")) == 0;
  return is_gpu && tn_text_number(&at, &number) && *at == '_' && number <= 4095 ? (int32_t)number : -1;
}

/* Exact sizes are of blocks of 256 bytes. */
static void
keep_request(TnTextLog *log, const State *state)
{
  tn_bytes exact = state->requested_exact;
  if (exact >= 0)
    tn_text_log_add_dumped(log, exact - 255, exact, state->device);
  else if (state->requested >= 0)
    tn_text_log_add_dumped(log, state->requested - state->step, tn_add_saturated(state->requested, state->step),
                           state->device);
}

/* "Allocator (GPU_0_bfc) ran out of memory trying to allocate 74.16MiB (rounded to N)requested by
 * op NAME.  Current allocation summary follows." */
static void
read_head(TnTextLog *log, State *state, const TnTextLine *line, const char *at)
{
  close_dump(log, state);
  open_dump(state, line->number);
  const char *name = at + strlen("Allocator ("), *close = strchr(name, ')');
  if (close && close - name < 200) {
    state->allocator = g_strndup(name, (gsize)(close - name));
    state->device = device_of(state->allocator);
  }
  tn_text_size_after(at, "trying to allocate", &state->requested, &state->step);
  tn_text_number_after(at, "(rounded to", &state->requested_exact);
  keep_request(log, state);
}

/* "Chunk at 0x905a40000 of size 1280", "InUse at 7bc2af247200 of size 32768 by op X action_count N
 * step N next 246", "Free  at …", "Free at 0x…". */
static bool
read_chunk(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = line->text;
  while (*at == ' ')
    at++;
  Chunk chunk = {.in_use = true};
  if (tn_text_word(&at, "Free"))
    chunk.in_use = false;
  else if (!tn_text_word(&at, "InUse") && !tn_text_word(&at, "Chunk"))
    return false;
  int64_t bytes;
  if (!tn_text_word(&at, "at"))
    return false;
  if (!tn_text_hex(&at, &chunk.address) || !tn_text_word(&at, "of size") ||
      !tn_text_number(&at, &bytes) || bytes <= 0 || chunk.address > (uint64_t)INT64_MAX - bytes ||
      (line->is_cut && *at == 0)) {
    state->n_bad += state->is_open;
    return state->is_open;
  }
  if (!state->is_open)
    open_dump(state, line->number);
  chunk.bytes = bytes;
  chunk.begins = state->begins_region;
  chunk.ends = strstr(at, "next 18446744073709551615") != NULL; /* no chunk's number */
  state->begins_region = false;
  const char *op = strstr(at, "by op ");
  if (op)
    chunk.op = tn_strings_intern(log->document->strings, op + 6, (gssize)strcspn(op + 6, " "));
  g_array_append_val(state->chunks, chunk);
  return true;
}

static bool
is_chunk(const char *text)
{
  while (*text == ' ')
    text++;
  return g_str_has_prefix(text, "InUse at ") || g_str_has_prefix(text, "Chunk at ") ||
         g_str_has_prefix(text, "Free ");
}

static bool
read_figure(State *state, const char *text)
{
  const struct {
    const char *label;
    tn_bytes *out;
  } rows[] = {{"MaxInUse:", &state->peak}, {"InUse:", &state->in_use}, {"Limit:", &state->limit}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    const char *at = text;
    int64_t value;
    if (!tn_text_word(&at, rows[i].label) || !tn_text_number(&at, &value))
      continue;
    *rows[i].out = value;
    return true;
  }
  return tn_text_number_after(text, "total_region_allocated_bytes_:", &state->regions) ||
         tn_text_number_after(text, "Total bytes in pool:", &state->regions);
}

static tn_bytes
size_of_type(const char *name)
{
  static const struct {
    const char *name;
    tn_bytes bytes;
  } types[] = {{"float", 4},  {"double", 8}, {"half", 2}, {"bfloat16", 2},  {"int32", 4},
               {"int64", 8},  {"int16", 2},  {"int8", 1}, {"uint8", 1},     {"uint16", 2},
               {"uint32", 4}, {"uint64", 8}, {"bool", 1}, {"complex64", 8}, {"complex128", 16}};
  gsize n = strcspn(name, " ,.\n");
  for (gsize i = 0; i < G_N_ELEMENTS(types); i++)
    if (strlen(types[i].name) == n && strncmp(types[i].name, name, n) == 0)
      return types[i].bytes;
  return 0;
}

/* "OOM when allocating tensor with shape[128,225,225,3] and type float": its elements, and the bytes of one (0: not
 * said, as in old lines).  *out_note: from "shape" on, in the line. */
static bool
read_tensor(const char *text, int64_t *out_n, tn_bytes *out_size, const char **out_note)
{
  const char *at = strstr(text, "OOM when allocating tensor with shape[");
  int64_t dim;
  if (!at)
    return false;
  *out_note = strstr(at, "shape[");
  *out_n = 1;
  for (at = strchr(at, '['); *at == '[' || *at == ',';) {
    at++;
    if (!tn_text_number(&at, &dim) || !tn_mul(*out_n, dim, out_n))
      return false;
  }
  if (*at != ']')
    return false;
  const char *type = strstr(at, "type ");
  *out_size = type ? size_of_type(type + 5) : 0;
  return true;
}

/* Whether the tensor, its device and its allocator are not those of an earlier exception; what follows them differs
 * from one print to the next. */
static bool
is_news(TnTextLog *log, const char *note)
{
  static const char by[] = " by allocator ";
  const char *allocator = strstr(note, by), *end = allocator ? allocator + strlen(by) : strchr(note, ']');
  g_autofree char *what = g_strndup(note, (gsize)(end - note) + strcspn(end, " \"'[\\"));
  return tn_text_is_news(log->said, what, log->now);
}

/* The exception behind a dump: the request to the byte, which must agree with the size in words; where the type is not
 * said, with that of the size that does. */
static void
read_shape(State *state, const char *text)
{
  const char *note;
  int64_t n;
  tn_bytes known;
  if (state->requested < 0 || !read_tensor(text, &n, &known, &note))
    return;
  state->n_waited = MAX_WAIT;
  for (tn_bytes size = 1; state->requested_exact < 0 && size <= 16; size *= 2) {
    tn_bytes bytes;
    if ((known && size != known) || !tn_mul(n, size, &bytes) ||
        bytes > tn_add_saturated(state->requested, state->step) || bytes < state->requested - state->step)
      continue;
    /* The allocator rounds up to 256 bytes before it looks for a place. */
    tn_round_up(bytes, 256, &state->requested_exact);
  }
}

/* The exception alone, of which logs at a higher level keep no dump.  Where dumps stand in the log, each failure has
 * one, and its exception is printed behind later ones, too. */
static void
read_exception(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *note;
  int64_t n, device = 0;
  tn_bytes size, bytes;
  if (state->had_dump || !read_tensor(line->text, &n, &size, &note) || !size || !tn_mul(n, size, &bytes) ||
      !is_news(log, note))
    return;
  if (!tn_text_number_after(note, "device:GPU:", &device) || device > 4095)
    device = 0;
  TnAccount *account = tn_text_log_report(log, tn_account_new("TensorFlow: no memory for a tensor", line->number));
  g_autofree char *what = g_strchomp(g_strdup(note));
  tn_account_add_detail(account, "requested", bytes, what);
  account->statement = g_strdup("The allocator's dump, which has the map, is not there: TensorFlow logs it at level "
                                "INFO (TF_CPP_MIN_LOG_LEVEL=0).");
  tn_text_log_oom(log, (int32_t)device, bytes, TN_BYTES_UNKNOWN, account->title);
}

/* Other lines of a dump, which say nothing that the chunks do not. */
static bool
is_known(const char *text)
{
  static const char *const words[] = {"Bin (",         "Bin for ",       "Chunks of size ",
                                      "Sum Total of ", "Summary of in-", "Next region of size",
                                      "NumAllocs:",    "MaxAllocSize:",  "Stats:",
                                      "Reserved:",     "PeakReserved:",  "LargestFreeBlock:"};
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
    if (strstr(text, words[i]))
      return true;
  return false;
}

/* The picture of 100 characters that ends a dump. */
static bool
is_bar(const TnTextLine *line)
{
  return line->length >= 50 && strspn(line->text, "*_x") == line->length;
}

/* Dumps have thousands of lines, of which the failure is no older. */
static void
take_row(TnTextLog *log, State *state, const TnTextLine *line)
{
  state->last_line = line->number;
  log->is_row = true;
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  const char *head = strstr(line->text, "Allocator (");
  if (head && strstr(head, "ran out of memory trying to allocate") &&
      !strstr(head, "with freed_by_count")) { /* that one says itself that it is no failure */
    read_head(log, state, line, head);
    return;
  }
  bool was_done = state->is_done;
  if (was_done && is_chunk(line->text))
    close_dump(log, state);
  if (read_chunk(log, state, line)) {
    take_row(log, state, line);
    return;
  }
  if (!state->is_open) {
    read_exception(log, state, line);
    return;
  }
  if (was_done) {
    read_shape(state, line->text);
    if (state->n_waited++ >= MAX_WAIT)
      close_dump(log, state);
    return;
  }
  if (read_figure(state, line->text) || is_known(line->text)) {
    take_row(log, state, line);
    state->has_stats |= strstr(line->text, "MaxAllocSize:") != NULL;
    state->begins_region |= strstr(line->text, "Next region of size") != NULL;
  }
  if (is_bar(line)) {
    take_row(log, state, line);
    state->is_done = true;
  }
}

static void
end_text(TnTextLog *log, void *state)
{
  close_dump(log, state);
}

static const char *const marks[] = {"_bfc) ran out of memory", "bfc_allocator.cc", "InUse at ",
                                    "OOM when allocating tensor with shape[", NULL};

const TnTextFinder tn_text_bfc = {
    .name = "the BFC allocator's dump (TensorFlow, JAX)",
    .state_size = sizeof(State),
    .said_size = sizeof(TnTextSaid), /* by exceptions */
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
