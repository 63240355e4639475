/* SPDX-License-Identifier: MIT */
/* torch.profiler's export_memory_timeline(): the raw form, a list of [time in ns, action, bytes,
 * category] without identities, and the summed form, [times, [sizes by category]]. */
#include "config.h"

#include "data/error.h"
#include "data/hash.h"
#include "data/json.h"
#include "data/readers/event-lives.h"
#include "data/readers/json-stream.h"
#include "data/readers/readers.h"
#include "data/units.h"

#include <string.h>

enum { PREEXISTING = 1, CREATE, INCREMENT_VERSION, DESTROY };

#define N_CATEGORIES 8

static const struct {
  const char *name;
  TnBufferKind kind;
} categories[N_CATEGORIES] = {{"parameter", TN_KIND_VARIABLE},
                              {"optimizer state", TN_KIND_VARIABLE},
                              {"input", TN_KIND_INPUT},
                              {"temporary", TN_KIND_WORKSPACE},
                              {"activation", TN_KIND_ACTIVATION},
                              {"gradient", TN_KIND_ALLOCATION},
                              {"autograd detail", TN_KIND_ALLOCATION},
                              {"unknown", TN_KIND_UNKNOWN}};

typedef struct {
  int64_t time, action, bytes, category;
} Row;

typedef struct {
  int64_t start;
  tn_bytes bytes;
  uint8_t category;
  uint32_t below; /* the one alive of the same size and category before it, + 1 */
} Alive;

typedef struct {
  TnJson json;
  TnDocument *document;
  TnProgress *progress;
  TnEventLives *lives;
  GArray *alive;                  /* Alive; ended ones stay */
  GHashTable *last[N_CATEGORIES]; /* size → row of `alive` + 1 */
  Row held;                       /* the first half of a version bump */
  bool has_held;
  int64_t n_unmatched, n_damaged;
} Reader;

/* ---- the raw form -------------------------------------------------------------------------- */

static void
begin(Reader *reader, const Row *row)
{
  gpointer size = GSIZE_TO_POINTER((gsize)row->bytes);
  GHashTable *last = reader->last[row->category];
  Alive alive = {row->action == PREEXISTING ? TN_TIME_UNKNOWN : row->time, row->bytes,
                 (uint8_t)row->category, GPOINTER_TO_UINT(g_hash_table_lookup(last, size))};
  g_array_append_val(reader->alive, alive);
  g_hash_table_insert(last, size, GUINT_TO_POINTER(reader->alive->len));
}

static void
add_life(Reader *reader, const Alive *alive, int64_t end)
{
  uint32_t name =
      tn_strings_intern(reader->document->strings, categories[alive->category].name, -1);
  tn_event_lives_add(reader->lives, 0, name, alive->start, end, alive->bytes,
                     categories[alive->category].kind);
}

/* Ends the last of its size that began in this category; else in any. */
static bool
end_one(Reader *reader, int64_t time, tn_bytes bytes, int64_t category)
{
  gpointer size = GSIZE_TO_POINTER((gsize)bytes);
  for (int64_t k = 0; k < N_CATEGORIES; k++) {
    GHashTable *last = reader->last[(category + k) % N_CATEGORIES];
    uint32_t row = GPOINTER_TO_UINT(g_hash_table_lookup(last, size));
    if (!row)
      continue;
    Alive *alive = &g_array_index(reader->alive, Alive, row - 1);
    g_hash_table_insert(last, size, GUINT_TO_POINTER(alive->below));
    add_life(reader, alive, time);
    alive->bytes = -1;
    return true;
  }
  return false;
}

/* A version bump is two rows, -n then +n: the buffer stays, its category may change. */
static void
bump(Reader *reader, const Row *row)
{
  const Row *first = &reader->held;
  bool is_pair = reader->has_held && row->bytes == -first->bytes && row->time == first->time;
  reader->has_held = !is_pair;
  if (!is_pair)
    reader->held = *row;
  else if (first->category != row->category && first->bytes < 0 &&
           end_one(reader, row->time, row->bytes, first->category))
    begin(reader, row);
}

static void
add_row(Reader *reader, const Row *row)
{
  bool is_sane = row->category >= 0 && row->category < N_CATEGORIES && row->bytes != INT64_MIN;
  if (is_sane && row->action == INCREMENT_VERSION)
    bump(reader, row);
  else if (is_sane && row->bytes > 0 && (row->action == CREATE || row->action == PREEXISTING))
    begin(reader, row);
  else if (is_sane && row->bytes < 0 && row->action == DESTROY)
    reader->n_unmatched += !end_one(reader, row->time, -row->bytes, row->category);
  else
    reader->n_damaged += row->bytes != 0;
}

static bool
read_raw_rest(Reader *reader)
{
  TnJson *json = &reader->json;
  do {
    Row row = {0};
    int64_t *fields[] = {&row.time, &row.action, &row.bytes, &row.category};
    gsize n = 0;
    tn_json_begin_array(json);
    for (; tn_json_next_item(json); n++)
      if (n >= 4 || !tn_json_read_int(json, fields[n]))
        return tn_json_fail(json, TN_DATA_ERROR_MALFORMED,
                            "found a row of more than 4 values, "
                            "expected [time, action, bytes, "
                            "category]");
    if (tn_json_has_failed(json))
      return false;
    if (n != 4)
      return tn_json_fail(json, TN_DATA_ERROR_MALFORMED,
                          "found a row of %u values, expected [time, action, bytes, category]",
                          (unsigned)n);
    add_row(reader, &row);
    if (tn_progress_is_cancelled(reader->progress))
      return tn_json_fail(json, TN_DATA_ERROR_CANCELLED, "stopped");
  } while (tn_json_next_item(json));
  return !tn_json_has_failed(json);
}

static void
finish_raw(Reader *reader)
{
  TnDiagnostics *diagnostics = reader->document->diagnostics;
  for (guint i = 0; i < reader->alive->len; i++) {
    const Alive *alive = &g_array_index(reader->alive, Alive, i);
    if (alive->bytes >= 0)
      add_life(reader, alive, TN_TIME_UNKNOWN);
  }
  tn_event_lives_finish(reader->lives, reader->document, 1000);
  tn_diagnostics_add(diagnostics, "no-address", reader->alive->len,
                     "a memory timeline names no buffers: a release was taken to end the last one "
                     "of its size and category; sums are right, which one it was is a guess, and "
                     "there is no map");
  if (reader->n_unmatched)
    tn_diagnostics_add(diagnostics, "unmatched-free", reader->n_unmatched,
                       "%" G_GINT64_FORMAT " %s left out", reader->n_unmatched,
                       tn_plural(reader->n_unmatched, "release matches no buffer and was",
                                 "releases match no buffer and were"));
  if (reader->n_damaged)
    tn_diagnostics_add(diagnostics, "damaged-events", reader->n_damaged,
                       "%" G_GINT64_FORMAT " %s left "
                       "out",
                       reader->n_damaged,
                       tn_plural(reader->n_damaged, "row is of unknown action or category and was",
                                 "rows are of unknown action or category and were"));
}

/* ---- the summed form ------------------------------------------------------------------------ */

static void
report_peak(Reader *reader, const int64_t *sizes, int64_t sum, int64_t time)
{
  TnAccount *account = tn_account_new("memory by category at its peak", 0);
  account->total = sum;
  account->total_what = g_strdup_printf("allocated at time %" G_GINT64_FORMAT, time);
  for (int i = 0; i < N_CATEGORIES; i++)
    tn_account_add(account, categories[i].name, sizes[i], NULL);
  account->statement = g_strdup(
      "Sums by category: no map can be drawn. Export \"….raw.json.gz\" for lives, or record "
      "with torch.cuda.memory._record_memory_history() for a map.");
  g_ptr_array_add(reader->document->accounts, account);
}

/* One moment's sizes; the first is always 0 and no category. */
static bool
read_sizes(TnJson *json, int64_t *sizes, int64_t *out_sum)
{
  int64_t value;
  gsize n = 0;
  *out_sum = 0;
  tn_json_begin_array(json);
  for (; tn_json_next_item(json); n++) {
    if (n > N_CATEGORIES || !tn_json_read_int(json, &value) || value < 0 ||
        !tn_add(*out_sum, value, out_sum))
      return tn_json_fail(json, TN_DATA_ERROR_MALFORMED,
                          "found no size, expected 9 sizes of 0 or more");
    if (n > 0)
      sizes[n - 1] = value;
  }
  return !tn_json_has_failed(json);
}

/* A time, of which a fraction is cut off. */
static bool
read_time(TnJson *json, int64_t *out)
{
  tn_json_peek(json);
  const uint8_t *from = json->at;
  if (!tn_json_skip(json))
    return false;
  TnJsonSlice slice = {from, (gsize)(json->at - from)};
  return tn_json_slice_int(slice, out) ||
         tn_json_fail_at(json, from, TN_DATA_ERROR_MALFORMED, "found no time, expected a number");
}

static bool
read_summed_rest(Reader *reader)
{
  TnJson *json = &reader->json;
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(int64_t));
  int64_t time, best[N_CATEGORIES] = {0}, best_sum = -1, best_at = 0;
  tn_json_begin_array(json);
  while (tn_json_next_item(json))
    if (read_time(json, &time))
      g_array_append_val(times, time);
  if (!tn_json_next_item(json))
    return tn_json_fail(json, TN_DATA_ERROR_MALFORMED,
                        "found times only, expected sizes behind them");
  tn_json_begin_array(json);
  for (guint i = 0; tn_json_next_item(json); i++) {
    int64_t sizes[N_CATEGORIES] = {0}, sum;
    if (!read_sizes(json, sizes, &sum))
      return false;
    if (sum <= best_sum)
      continue;
    best_sum = sum;
    best_at = i < times->len ? g_array_index(times, int64_t, i) : -1;
    memcpy(best, sizes, sizeof best);
  }
  while (tn_json_next_item(json))
    tn_json_skip(json);
  if (!tn_json_has_failed(json))
    report_peak(reader, best, MAX(best_sum, 0), best_at);
  return !tn_json_has_failed(json);
}

/* ---- the file ------------------------------------------------------------------------------- */

typedef enum { NONE, RAW, SUMMED } Form;

/* "[[", then up to 5 numbers: a row of four is the raw form's. */
static Form
form_of(const uint8_t *data, gsize size)
{
  gsize n = MIN(size, (gsize)512), at = tn_text_start(data, n);
  int depth = 0, numbers = 0;
  int64_t value[4] = {0};
  for (; at < n && depth < 2; at++) {
    if (data[at] == '[')
      depth++;
    else if (!g_ascii_isspace(data[at]))
      return NONE;
  }
  while (at < n && numbers <= 4) {
    while (at < n && (g_ascii_isspace(data[at]) || (data[at] == ',' && numbers)))
      at++;
    if (at < n && data[at] == ']')
      break;
    char *end;
    g_autofree char *word = g_strndup((const char *)data + at, MIN(n - at, (gsize)40));
    int64_t number = g_ascii_strtoll(word, &end, 10);
    if (end == word)
      return NONE;
    if (numbers < 4)
      value[numbers] = number;
    numbers++;
    at += (gsize)(end - word);
    if (at < n && data[at] == '.') /* the summed form's times may have fractions */
      for (at++; at < n && g_ascii_isdigit(data[at]);)
        at++;
  }
  if (at >= n)
    return numbers > 4 ? SUMMED : NONE;
  bool is_row = numbers == 4 && value[1] >= PREEXISTING && value[1] <= DESTROY && value[3] >= 0 &&
                value[3] < N_CATEGORIES;
  if (is_row)
    return RAW;
  bool has_sizes = memmem(data, size, "],[[0,", 6) || memmem(data, size, "], [[0,", 7);
  return numbers > 0 && has_sizes ? SUMMED : NONE;
}

static bool
read_timeline(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Reader reader = {.document = document,
                   .progress = options->progress,
                   .lives = tn_event_lives_new(),
                   .alive = g_array_new(FALSE, FALSE, sizeof(Alive))};
  for (int i = 0; i < N_CATEGORIES; i++)
    reader.last[i] = g_hash_table_new(tn_direct64_hash, NULL);
  Form form = form_of(source->data, source->size);
  document->kind = TN_DOCUMENT_LOG;
  document->producer = g_strdup("torch.profiler memory timeline");
  tn_json_init(&reader.json, source->name, source->data, source->size, error);
  tn_json_begin_array(&reader.json);
  bool is_good = tn_json_next_item(&reader.json)
                     ? (form == SUMMED ? read_summed_rest(&reader) : read_raw_rest(&reader))
                     : tn_json_fail(&reader.json, TN_DATA_ERROR_MALFORMED,
                                    "found an empty list, expected rows of a memory timeline");
  is_good = is_good && tn_json_expect_end(&reader.json);
  tn_json_clear(&reader.json);
  if (is_good && form != SUMMED)
    finish_raw(&reader);
  for (int i = 0; i < N_CATEGORIES; i++)
    g_hash_table_unref(reader.last[i]);
  g_array_unref(reader.alive);
  tn_event_lives_free(reader.lives);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  return form_of(data, MIN(size, (gsize)1 << 20)) == NONE ? 0 : 70;
}

const TnReader tn_reader_memory_timeline = {
    .name = "memory-timeline",
    .holds = "torch.profiler's export_memory_timeline(), raw (lives) or summed (by category)",
    .patterns = "*.raw.json.gz;*.json;*.json.gz",
    .sniff = sniff,
    .read = read_timeline,
};
