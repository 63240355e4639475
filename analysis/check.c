/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/check-private.h"

#include "data/units.h"

#include <string.h>

static const struct {
  const char *code, *many;
  TnSeverity severity;
} checks[TN_N_CHECKS] = {
    [TN_CHECK_OVERLAP] = {"overlap", "overlaps", TN_SEVERITY_ERROR},
    [TN_CHECK_MISALIGNED] = {"misaligned", "misaligned buffers", TN_SEVERITY_ERROR},
    [TN_CHECK_SHARED_ALIGNMENT] = {"shared-alignment", "places that follow a weaker alignment",
                                   TN_SEVERITY_WARNING},
    [TN_CHECK_OUTSIDE_ARENA] = {"outside-arena", "buffers outside the arena", TN_SEVERITY_ERROR},
    [TN_CHECK_CONTIGUITY] = {"contiguity", "broken contiguous groups", TN_SEVERITY_ERROR},
    [TN_CHECK_BATCH_MIX] = {"batch-mix", "places shared by a batch and others", TN_SEVERITY_ERROR},
    [TN_CHECK_FIXED_MOVED] = {"fixed-moved", "fixed buffers that were moved", TN_SEVERITY_ERROR},
    [TN_CHECK_NO_REUSE] = {"no-reuse", "buffers that may not share their place", TN_SEVERITY_ERROR},
};

/* ---- what the rules share -------------------------------------------------------------- */

bool
tn_check_count(TnCheck *check, TnCheckCode code)
{
  return check->found[code]++ < check->limit;
}

TnFinding *
tn_check_add(TnCheck *check, TnCheckCode code, tn_index buffer, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  TnFinding *finding =
      tn_findings_add(check->findings, checks[code].code, checks[code].severity, "%s", message);
  tn_finding_add_buffer(finding, buffer);
  finding->at = check->buffers->start[buffer];
  return finding;
}

char *
tn_check_dup_name(const TnCheck *check, tn_index buffer)
{
  const TnDocument *document = check->params->document;
  uint32_t name = tn_buffers_name(check->buffers, buffer);
  if (document && name)
    return g_strdup_printf("“%s”", tn_strings_get(document->strings, name));
  return g_strdup_printf("buffer %u", buffer);
}

char *
tn_check_dup_op(const TnCheck *check, tn_index buffer, tn_tick tick)
{
  const TnDocument *document = check->params->document;
  uint32_t op = TN_NONE;
  if (document && tick == check->buffers->start[buffer])
    op = tn_buffers_op(check->buffers, buffer);
  if (document && op == TN_NONE)
    op = tn_document_op_at(document,
                           check->params->device ? check->params->device : tn_document_get_device(document, 0), tick);
  uint32_t name = document ? tn_document_op_name(document, op) : 0;
  if (!name)
    return g_strdup_printf("the op at tick %" G_GINT64_FORMAT, tick);
  return g_strdup_printf("op “%s” (tick %" G_GINT64_FORMAT ")",
                         tn_strings_get(document->strings, name), tick);
}

bool
tn_check_is_placed(const TnCheck *check, tn_index buffer)
{
  tn_bytes top;
  return check->offset[buffer] >= 0 && check->buffers->bytes[buffer] >= 0 &&
         tn_add(check->offset[buffer], check->buffers->bytes[buffer], &top);
}

/* ---- sorting --------------------------------------------------------------------------- */

/* 16 bits of a key, in an order that puts negative keys first. */
static inline uint32_t
digit(int64_t key, int shift)
{
  return (uint32_t)(((uint64_t)key ^ (uint64_t)1 << 63) >> shift & 0xffff);
}

/* One pass of the radix sort over 16 bits; skipped where all keys agree in them. */
static bool
sort_pass(const int64_t *keys, const uint32_t *from, uint32_t *to, uint32_t n, int shift)
{
  g_autofree uint32_t *at = g_new0(uint32_t, 65537);
  for (uint32_t i = 0; i < n; i++)
    at[digit(keys[i], shift) + 1]++;
  for (uint32_t d = 0; d < 65536; d++)
    if (at[d + 1] == n)
      return false;
  for (uint32_t d = 0; d < 65536; d++)
    at[d + 1] += at[d];
  for (uint32_t i = 0; i < n; i++)
    to[at[digit(keys[from[i]], shift)]++] = from[i];
  return true;
}

/* A few rows are sooner sorted than 65,536 digits counted. */
#define FEW 64

static void
sort_few(const int64_t *keys, uint32_t *order, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++) {
    uint32_t row = order[i], at = i;
    for (; at > 0 && keys[order[at - 1]] > keys[row]; at--)
      order[at] = order[at - 1];
    order[at] = row;
  }
}

uint32_t *
tn_check_sort_new(const int64_t *keys, uint32_t n)
{
  uint32_t *order = g_new(uint32_t, n);
  g_autofree uint32_t *other = g_new(uint32_t, n);
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  if (n <= FEW) {
    sort_few(keys, order, n);
    return order;
  }
  for (int shift = 0; shift < 64 && n > 1; shift += 16) {
    if (!sort_pass(keys, order, other, n, shift))
      continue;
    uint32_t *sorted = other;
    other = order;
    order = sorted;
  }
  return order;
}

/* ---- rules of one buffer --------------------------------------------------------------- */

/* How well an address is aligned: the largest power of two that divides it. */
static tn_bytes
alignment_of(tn_bytes offset)
{
  return offset ? offset & -offset : 0;
}

/* The strictest alignment that the offset breaks; 0: none. */
static tn_bytes
broken_alignment(const TnCheck *check, tn_index i)
{
  tn_bytes own = tn_buffers_alignment(check->buffers, i), least = check->params->alignment;
  tn_bytes broken = own > 1 && check->offset[i] % own ? own : 0;
  return least > broken && check->offset[i] % least ? least : broken;
}

static void
check_alignment(TnCheck *check, tn_index i)
{
  tn_bytes needed = broken_alignment(check, i), offset = check->offset[i], next;
  if (!needed || !tn_check_count(check, TN_CHECK_MISALIGNED))
    return;
  g_autofree char *name = tn_check_dup_name(check, i);
  g_autofree char *op = tn_check_dup_op(check, i, check->buffers->start[i]);
  TnFinding *finding =
      tn_check_add(check, TN_CHECK_MISALIGNED, i,
                   "%s of %s lies at offset " TN_HEX " (%" G_GINT64_FORMAT
                   "), aligned to %" G_GINT64_FORMAT ", but needs a multiple of %" G_GINT64_FORMAT,
                   name, op, offset, offset, alignment_of(offset), needed);
  finding->bytes = check->buffers->bytes[i];
  if (tn_round_up(offset, needed, &next))
    finding->hint = g_strdup_printf("The aligned offsets next to it are " TN_HEX " and " TN_HEX ".",
                                    next - needed, next);
}

/* The arena of the buffer's space; TN_BYTES_UNKNOWN: none is known. */
static tn_bytes
arena_of(const TnCheck *check, tn_index i)
{
  uint32_t space = tn_buffers_space(check->buffers, i);
  return check->params->space_arena && space < check->params->n_spaces
             ? check->params->space_arena[space]
             : TN_BYTES_UNKNOWN;
}

/* What has no bytes lies in no arena, wherever it is said to be. */
static void
check_arena(TnCheck *check, tn_index i)
{
  tn_bytes arena = arena_of(check, i);
  bool is_empty = check->buffers->bytes[i] == 0;
  bool is_inside = tn_check_is_placed(check, i) && (arena == TN_BYTES_UNKNOWN || is_empty ||
                                                    tn_check_top(check, i) <= arena);
  if (is_inside || !tn_check_count(check, TN_CHECK_OUTSIDE_ARENA))
    return;
  g_autofree char *name = tn_check_dup_name(check, i);
  if (!tn_check_is_placed(check, i)) {
    tn_check_add(check, TN_CHECK_OUTSIDE_ARENA, i,
                 "%s lies at offset %" G_GINT64_FORMAT " with %" G_GINT64_FORMAT
                 " bytes, which is no place in any arena",
                 name, check->offset[i], check->buffers->bytes[i]);
    return;
  }
  TnFinding *finding =
      tn_check_add(check, TN_CHECK_OUTSIDE_ARENA, i,
                   "%s lies in [" TN_HEX ", " TN_HEX "), but its arena ends at " TN_HEX
                   " (%" G_GINT64_FORMAT " bytes)",
                   name, check->offset[i], tn_check_top(check, i), arena, arena);
  finding->bytes = tn_check_top(check, i) - arena;
}

static void
check_fixed(TnCheck *check, tn_index i)
{
  tn_bytes given = check->buffers->offset[i];
  if (!(check->buffers->flags[i] & TN_BUFFER_FIXED) || given == TN_NOT_PLACED ||
      given == check->offset[i] || !tn_check_count(check, TN_CHECK_FIXED_MOVED))
    return;
  g_autofree char *name = tn_check_dup_name(check, i);
  tn_check_add(check, TN_CHECK_FIXED_MOVED, i,
               "%s has the fixed offset " TN_HEX " (%" G_GINT64_FORMAT
               "), but was placed at " TN_HEX " (%" G_GINT64_FORMAT ")",
               name, given, given, check->offset[i], check->offset[i]);
}

/* Rules of single buffers; counts those without a place. */
static void
check_each(TnCheck *check)
{
  uint32_t n_unplaced = 0, first = 0;
  for (tn_index i = check->buffers->n; i-- > 0;)
    if (check->offset[i] == TN_NOT_PLACED) {
      n_unplaced++;
      first = i;
    }
  if (n_unplaced) {
    TnFinding *finding = tn_findings_add(
        check->findings, "not-placed", TN_SEVERITY_NOTE,
        "%u of %u %s no offset, so nothing is said about %s", n_unplaced, check->buffers->n,
        tn_plural(n_unplaced, "buffers has", "buffers have"), tn_plural(n_unplaced, "it", "them"));
    tn_finding_add_buffer(finding, first);
  }
  for (tn_index i = 0; i < check->buffers->n; i++) {
    if (check->offset[i] == TN_NOT_PLACED)
      continue;
    check_arena(check, i);
    check_fixed(check, i);
    if (check->offset[i] >= 0)
      check_alignment(check, i);
  }
}

/* ---- all of them ----------------------------------------------------------------------- */

static void
summarise(TnCheck *check)
{
  for (TnCheckCode code = 0; code < TN_N_CHECKS; code++) {
    if (check->found[code] <= check->limit)
      continue;
    char count[32];
    tn_print_count(count, sizeof count, (int64_t)(check->found[code] - check->limit));
    tn_findings_add(
        check->findings, checks[code].code, checks[code].severity, "%s%s more %s are not listed",
        code == TN_CHECK_OVERLAP && check->is_cut ? "at least " : "", count, checks[code].many);
  }
}

void
tn_check_offsets(const TnCheckParams *params, TnFindings *findings)
{
  TnCheck check = {.params = params,
                   .buffers = params->buffers,
                   .offset = params->offset ? params->offset : params->buffers->offset,
                   .findings = findings,
                   .limit = params->limit ? params->limit : 100};
  if (params->buffers->n == 0)
    return;
  tn_check_overlaps(&check);
  check_each(&check);
  tn_check_places(&check);
  summarise(&check);
}

char *
tn_check_dup_plan_error(const TnDocument *document, const TnBuffers *buffers,
                        const tn_bytes *offset, tn_bytes alignment, const tn_bytes *space_arena,
                        uint32_t n_spaces)
{
  g_autoptr(TnFindings) findings = tn_findings_new();
  TnCheckParams params = {.document = document,
                          .buffers = buffers,
                          .offset = offset,
                          .alignment = alignment,
                          .space_arena = space_arena,
                          .n_spaces = n_spaces,
                          .limit = 1};
  tn_check_offsets(&params, findings);
  for (guint i = 0; i < findings->rows->len; i++)
    if (tn_findings_get(findings, i)->severity == TN_SEVERITY_ERROR)
      return g_strdup(tn_findings_get(findings, i)->message);
  return NULL;
}
