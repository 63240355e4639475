/* SPDX-License-Identifier: MIT */
/* XLA's text dumps: *-buffer-assignment.txt (offsets) and *-live-range.txt (lives), which together
 * are a whole plan; each is looked for beside the other.  And *-memory-usage-report.txt, totals. */
#include "config.h"

#include "data/readers/xla.h"

#include "data/error.h"
#include "data/hash.h"
#include "data/json.h"
#include "data/readers/readers.h"

#include <string.h>

/* ---- lines ----------------------------------------------------------------------------- */

bool
tn_xla_next_line(TnXlaText *text)
{
  if (text->at == text->end)
    return false;
  const uint8_t *stop = memchr(text->at, '\n', (gsize)(text->end - text->at));
  const uint8_t *end = stop ? stop : text->end;
  const uint8_t *tail = end > text->at && end[-1] == '\r' ? end - 1 : end;
  g_string_truncate(text->line, 0);
  g_string_append_len(text->line, (const char *)text->at, tail - text->at);
  text->at = stop ? stop + 1 : text->end;
  text->is_cut = stop == NULL;
  text->number++;
  return true;
}

/* ---- live ranges ------------------------------------------------------------------------- */

static TnXlaRange *
need_range(TnXla *xla, const char *name)
{
  TnXlaRange *range = g_hash_table_lookup(xla->ranges, name);
  if (!range) {
    range = g_new0(TnXlaRange, 1);
    range->start = -1;
    range->bytes = TN_BYTES_UNKNOWN;
    g_hash_table_insert(xla->ranges, g_strdup(name), range);
    g_ptr_array_add(xla->range_names, g_strdup(name));
  }
  return range;
}

/* "    multiply{}:2-3". */
static void
read_range(TnXla *xla, TnXlaText *text)
{
  char *line = text->line->str + strspn(text->line->str, " "), *colon = strrchr(line, ':');
  const char *at = colon ? colon + 1 : line;
  int64_t start, end;
  if (!colon || !tn_text_number(&at, &start) || *at != '-' || (at++, !tn_text_number(&at, &end)) ||
      *at || end < start || end >= INT32_MAX || text->is_cut) {
    xla->n_damaged++;
    return;
  }
  *colon = 0;
  TnXlaRange *range = need_range(xla, line);
  range->start = start;
  range->end = end + 1; /* written inclusive */
  xla->axis_end = MAX(xla->axis_end, range->end);
}

/* "    multiply{}: 16 bytes (cumulative: 16 bytes)": the only sizes that this file has. */
static void
read_peak_line(TnXla *xla, TnXlaText *text)
{
  char *line = text->line->str + strspn(text->line->str, " "), *colon = strstr(line, "}: ");
  const char *at = colon ? colon + 3 : line;
  int64_t bytes;
  if (!colon || !tn_text_number(&at, &bytes) || !tn_text_word(&at, "bytes"))
    return;
  colon[1] = 0;
  need_range(xla, line)->bytes = bytes;
}

/* "    2:multiply": the order in which instructions run. */
static void
read_instruction(TnXla *xla, const TnXlaText *text)
{
  const char *at = text->line->str;
  int64_t row;
  if (!tn_text_number(&at, &row) || *at != ':')
    return;
  uint32_t name = tn_strings_intern(xla->document->strings, at + 1, -1);
  if (row == xla->op_names->len)
    g_array_append_val(xla->op_names, name);
}

void
tn_xla_read_live_ranges(TnXla *xla, TnXlaText *text)
{
  enum { NOWHERE, SEQUENCE, RANGES, PEAK } section = NOWHERE;
  do {
    const char *line = text->line->str;
    int64_t max;
    if (tn_text_number_after(line, "HloLiveRange (max ", &max) && max < INT32_MAX)
      xla->axis_end = MAX(xla->axis_end, max + 1);
    else if (strstr(line, "InstructionSequence:"))
      section = SEQUENCE;
    else if (strstr(line, "BufferLiveRange:"))
      section = RANGES;
    else if (strstr(line, "Live ranges at "))
      section = PEAK;
    else if (strstr(line, "Stack trace breakdown"))
      section = NOWHERE;
    else if (!line[strspn(line, " ")])
      continue;
    else if (section == SEQUENCE)
      read_instruction(xla, text);
    else if (section == RANGES)
      read_range(xla, text);
    else if (section == PEAK)
      read_peak_line(xla, text);
  } while (tn_xla_next_line(text));
}

/* ---- assignment ------------------------------------------------------------------------- */

/* "allocation 11: size 5242880, color 5, preallocated-temp:" (old: an address before the size). */
static bool
read_allocation(TnXla *xla, const TnXlaText *text, const char *line)
{
  const char *at = line;
  TnXlaAllocation allocation = {0};
  if (!tn_text_word(&at, "allocation ") || !tn_text_number(&at, &allocation.number) || *at != ':' ||
      !tn_text_number_after(at, "size ", &allocation.bytes) || text->is_cut)
    return false;
  tn_text_number_after(at, ", color ", &allocation.color);
  allocation.kind = strstr(at, ", parameter ")          ? TN_XLA_PARAMETER
                    : strstr(at, ", thread-local")      ? TN_XLA_THREAD_LOCAL
                    : strstr(at, ", constant")          ? TN_XLA_CONSTANT
                    : strstr(at, ", preallocated-temp") ? TN_XLA_TEMP
                                                        : TN_XLA_OUTPUT;
  g_array_append_val(xla->allocations, allocation);
  return true;
}

/* " value: <36 gemm_fusion_dot{1} (phi) @0> (size=4194304,offset=0): f32[4,512,512]{2,1,0}". */
static bool
read_value(TnXla *xla, TnXlaText *text, const char *line)
{
  TnXlaValue value = {.allocation = xla->allocations->len - 1};
  const char *at = line, *close = strstr(line, "> (size=");
  int64_t id;
  if (!tn_text_word(&at, "value: <"))
    return false;
  if (!close || !xla->allocations->len || !tn_text_number(&at, &id) ||
      !tn_text_number_after(close, "(size=", &value.bytes) ||
      !tn_text_number_after(close, ",offset=", &value.offset) || text->is_cut ||
      value.bytes > INT64_MAX - value.offset) {
    xla->n_damaged++;
    return true;
  }
  const char *name = at + (*at == ' ');
  gsize n = MIN(strcspn(name, " "), (gsize)(close - name));
  g_autofree char *key = g_strndup(name, n);
  value.name = tn_strings_intern(xla->document->strings, key, -1);
  g_array_append_val(xla->values, value);
  return true;
}

void
tn_xla_read_assignment(TnXla *xla, TnXlaText *text)
{
  bool is_over = false; /* "Used values:" repeats the values without their places */
  do {
    const char *line = text->line->str;
    if (strstr(line, "HloLiveRange (max ") || strstr(line, "BufferLiveRange:")) {
      tn_xla_read_live_ranges(xla, text);
      return;
    }
    tn_text_number_after(line, "Total bytes used: ", &xla->total_bytes);
    is_over |= strstr(line, "Used values:") != NULL;
    if (!is_over && !read_allocation(xla, text, line))
      read_value(xla, text, line);
  } while (tn_xla_next_line(text));
}

/* ---- reports ---------------------------------------------------------------------------- */

/* "  512.0KiB( 67%);   256.0KiB; allocation 6: size 512.0KiB, preallocated-temp:". */
static void
add_report_row(TnAccount *account, const char *line, tn_bytes *rounding)
{
  const char *place = strstr(line, "; allocation "),
             *size = place ? strstr(place, ": size ") : NULL;
  tn_bytes bytes, step;
  if (!size || !tn_text_size_after(size, ": size ", &bytes, &step))
    return;
  const char *kind = strchr(size + 7, ',');
  g_autofree char *what = g_strndup(place + 2, (gsize)(size - place) - 2);
  if (kind)
    kind += 1 + strspn(kind + 1, " ");
  g_autofree char *note = kind ? g_strndup(kind, strcspn(kind, ":,")) : NULL;
  tn_account_add(account, what, bytes, note);
  *rounding = tn_add_saturated(*rounding, step);
}

/* "    1.00MiB(  7%);    1.00MiB;      4194304;                3; f32[4,256,64], 2×f32[4,256,256]".
 */
static void
add_slot(TnAccount *account, const char *line)
{
  const char *at = strstr(line, "%);");
  tn_bytes bytes;
  int64_t offset, n;
  if (!at || (at += 3, !tn_text_size(&at, &bytes, NULL)) || !tn_text_word(&at, ";") ||
      !tn_text_number(&at, &offset) || !tn_text_word(&at, ";") || !tn_text_number(&at, &n) ||
      !tn_text_word(&at, "; "))
    return;
  g_autofree char *what = g_strdup_printf("at offset %" G_GINT64_FORMAT, offset);
  g_autofree char *note = g_strdup_printf("%" G_GINT64_FORMAT " values: %s", n, at);
  tn_account_add_detail(account, what, bytes, note);
}

static void
close_report(TnAccount *account, tn_bytes *rounding)
{
  if (account)
    tn_account_close(account, "allocations not shown", "shown twice", *rounding);
  *rounding = 0;
}

/* "Memory Space: host (color=5)"; the default needs no name. */
static char *
read_space(const char *line)
{
  const char *at = strstr(line, "Memory Space: ");
  bool is_default = at && strstr(at, "(color=0)");
  return g_strdup_printf("XLA memory usage report%s%s", at && !is_default ? ", memory space " : "",
                         at && !is_default ? at + strlen("Memory Space: ") : "");
}

void
tn_xla_read_report(TnXla *xla, TnXlaText *text)
{
  TnAccount *account = NULL;
  tn_bytes rounding = 0;
  g_autofree char *title = read_space("");
  do {
    const char *line = text->line->str;
    tn_bytes bytes;
    if (strstr(line, "Memory Space: ")) {
      g_free(title);
      title = read_space(line);
    }
    if (tn_text_number_after(line, "Total bytes used: ", &bytes) ||
        tn_text_number_after(line, "Total bytes: ", &bytes)) {
      close_report(account, &rounding);
      account = tn_account_new(title, text->number);
      tn_account_set_total(account, bytes, "total of the program");
      account->statement = g_strdup(
          "Sizes without lives: open *-buffer-assignment.txt, with *-live-range.txt beside "
          "it, for the whole plan.");
      g_ptr_array_add(xla->document->accounts, account);
      continue;
    }
    if (!account)
      continue;
    account->last_line = text->number;
    add_report_row(account, line, &rounding);
    add_slot(account, line);
  } while (tn_xla_next_line(text));
  close_report(account, &rounding);
}

/* ---- the file and its neighbour --------------------------------------------------------- */

typedef enum { NONE, ASSIGNMENT, LIVE_RANGE, REPORT } Form;

static Form
form_of(const uint8_t *data, gsize size)
{
  static const struct {
    const char *words;
    Form form;
  } forms[] = {{"BufferAssignment:", ASSIGNMENT},
               {"HloLiveRange (max ", LIVE_RANGE},
               {"Memory Space: ", REPORT},
               {"Total bytes used: ", REPORT}};
  gsize n = MIN(size, (gsize)256), at = tn_text_start(data, n);
  for (gsize i = 0; i < G_N_ELEMENTS(forms); i++)
    if (n - at >= strlen(forms[i].words) &&
        memcmp(data + at, forms[i].words, strlen(forms[i].words)) == 0)
      return forms[i].form;
  return NONE;
}

static void
read_text(TnXla *xla, const uint8_t *data, gsize size)
{
  TnXlaText text = {data + tn_text_mark(data, size), data + size, 0, g_string_new(NULL), false};
  Form form = form_of(data, size);
  if (tn_xla_next_line(&text)) {
    if (form == LIVE_RANGE)
      tn_xla_read_live_ranges(xla, &text);
    else if (form == REPORT)
      tn_xla_read_report(xla, &text);
    else
      tn_xla_read_assignment(xla, &text);
  }
  g_string_free(text.line, TRUE);
}

/* X-buffer-assignment.txt and X-live-range.txt of one module are read as one. */
static void
read_neighbour(TnXla *xla, const TnSource *source)
{
  static const char *const ends[] = {"-buffer-assignment.txt", "-live-range.txt"};
  for (gsize i = 0; i < G_N_ELEMENTS(ends) && source->path; i++) {
    if (!g_str_has_suffix(source->path, ends[i]))
      continue;
    g_autofree char *stem = g_strndup(source->path, strlen(source->path) - strlen(ends[i]));
    g_autofree char *other = g_strconcat(stem, ends[1 - i], NULL);
    g_autoptr(TnSource) neighbour =
        g_file_test(other, G_FILE_TEST_IS_REGULAR) ? tn_source_new(other, 0, NULL) : NULL;
    Form form = neighbour ? form_of(neighbour->data, neighbour->size) : NONE;
    if (form == ASSIGNMENT || form == LIVE_RANGE)
      read_text(xla, neighbour->data, neighbour->size);
  }
}

static bool
read_xla(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  TnXla xla = {.document = document,
               .allocations = g_array_new(FALSE, FALSE, sizeof(TnXlaAllocation)),
               .values = g_array_new(FALSE, FALSE, sizeof(TnXlaValue)),
               .ranges = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, g_free),
               .range_names = g_ptr_array_new_with_free_func(g_free),
               .op_names = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
               .total_bytes = TN_BYTES_UNKNOWN};
  document->producer = g_strdup("XLA");
  document->kind = TN_DOCUMENT_LOG;
  read_text(&xla, source->data, source->size);
  if (form_of(source->data, source->size) != REPORT)
    read_neighbour(&xla, source);
  if (xla.values->len || xla.range_names->len)
    tn_xla_finish(&xla);
  bool is_good = xla.values->len || xla.range_names->len || document->accounts->len;
  if (!is_good)
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s:1: found no allocation with values and no live range; expected lines like "
                "“allocation 0: size 16, …” or “name{}:0-3”",
                source->name);
  g_array_unref(xla.allocations);
  g_array_unref(xla.values);
  g_hash_table_unref(xla.ranges);
  g_ptr_array_unref(xla.range_names);
  g_array_unref(xla.op_names);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  Form form = form_of(data, size);
  gsize n = MIN(size, (gsize)4096);
  if (form == REPORT)
    return memmem(data, n, "cumulative_size;", 16) ? 90 : 0;
  return form == NONE ? 0 : 90;
}

const TnReader tn_reader_xla = {
    .name = "xla",
    .holds = "XLA's buffer assignment with its live ranges (a plan), or memory usage report",
    .patterns = "*-buffer-assignment.txt;*-live-range.txt;*-memory-usage-report.txt",
    .sniff = sniff,
    .read = read_xla,
};
