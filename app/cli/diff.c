/* SPDX-License-Identifier: MIT */
/* tenure-cli diff: two files, or one under two settings, and why the peak is another. */
#include "config.h"

#include "app/cli/two.h"

#include "analysis/diff/groups.h"
#include "data/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_ROWS 20
#define JSON_ROWS 1000
#define NOT_SAID G_MININT

typedef struct {
  char *tolerance;
  int top; /* NOT_SAID; 0: all */
} DiffOptions;

/* ---- JSON ---------------------------------------------------------------------------------- */

static void
add_side(cJSON *object, const char *key, const TnCliSide *side, const TnDiffAccount *account)
{
  const TnStudy *study = side->study;
  cJSON *row = cJSON_AddObjectToObject(object, key);
  cJSON_AddStringToObject(row, "file", study->document->shown_path);
  cJSON_AddStringToObject(row, "format", study->document->format);
  if (side->strategy)
    cJSON_AddStringToObject(row, "strategy", side->strategy);
  tn_json_add_integer(row, "buffers", study->buffers->n);
  tn_json_add_integer(row, "ops", study->document->graph ? study->document->graph->ops->len : 0);
  tn_json_add_bytes(row, "live_peak_bytes", study->live->peak);
  tn_json_add_integer(row, "live_peak_at", study->live->peak_at);
  tn_json_add_bytes(row, "arena_bytes", study->arena_bytes);
  tn_json_add_bytes(row, "alignment_bytes", study->arena_bytes < 0 ? -1 : account->alignment);
  if (study->arena_bytes < 0)
    cJSON_AddNullToObject(row, "fragmentation_bytes");
  else
    tn_json_add_integer(row, "fragmentation_bytes", account->fragmentation);
  tn_json_add_bytes(row, "spaces_bytes", study->arena_bytes < 0 ? -1 : account->spaces);
  tn_json_add_bytes(row, "streams_bytes", study->arena_bytes < 0 ? -1 : account->streams);
  tn_json_add_bytes(row, "reserved_peak_bytes", study->reserved ? study->reserved->peak : -1);
  tn_json_add_bytes(row, "resident_bytes", study->resident_bytes);
}

static void
add_row_side(cJSON *object, const char *key, const TnStudy *study, tn_index row)
{
  const TnBuffers *b = study->buffers;
  if (row == TN_NONE) {
    cJSON_AddNullToObject(object, key);
    return;
  }
  cJSON *item = cJSON_AddObjectToObject(object, key);
  g_autofree char *label = tn_study_dup_label(study, row);
  cJSON_AddStringToObject(item, "name", label);
  tn_json_add_integer(item, "row", row);
  tn_json_add_integer(item, "start", b->start[row]);
  tn_json_add_integer(item, "end", b->end[row]);
  tn_json_add_bytes(item, "bytes", b->bytes[row]);
  tn_json_add_bytes(item, "requested_bytes", tn_buffers_requested(b, row));
  tn_json_add_bytes(item, "alignment_bytes", tn_buffers_alignment(b, row));
  tn_json_add_bytes(item, study->is_log ? "address" : "offset_bytes", study->offset[row]);
}

static cJSON *
build_pair(const TnDiff *diff, uint32_t row)
{
  const TnDiffPair *pair = &diff->pairs[row];
  cJSON *item = cJSON_CreateObject();
  g_autofree char *label = tn_diff_dup_label(diff, row);
  cJSON_AddStringToObject(item, "name", label);
  cJSON *kinds = cJSON_AddArrayToObject(item, "kinds");
  for (unsigned bit = 0; bit < TN_N_CHANGES; bit++)
    if (pair->changes & 1u << bit)
      cJSON_AddItemToArray(kinds, cJSON_CreateString(tn_diff_change_name(bit)));
  cJSON_AddStringToObject(item, "match", tn_diff_match_name((TnDiffMatch)pair->match));
  tn_json_add_integer(item, "delta_bytes", tn_diff_bytes_b(diff, row) - tn_diff_bytes_a(diff, row));
  tn_json_add_integer(item, "peak_delta_bytes", diff->pair_bytes[row]);
  if (diff->pair_causes[row])
    cJSON_AddStringToObject(item, "cause", tn_diff_cause_name(tn_diff_pair_cause(diff, row)));
  add_row_side(item, "a", diff->a, pair->a);
  add_row_side(item, "b", diff->b, pair->b);
  return item;
}

/* The changes of both sides' rows, and those of one side only. */
static void
add_changes(cJSON *object, const TnDiff *diff, int top)
{
  guint most = top < 0 ? JSON_ROWS : top ? (guint)top : G_MAXUINT;
  g_autoptr(GArray) rows = tn_diff_build_ranking(diff);
  cJSON *changed = cJSON_AddArrayToObject(object, "changed");
  cJSON *alone_a = cJSON_AddArrayToObject(object, "gone"),
        *alone_b = cJSON_AddArrayToObject(object, "new");
  guint n[3] = {0};
  for (guint i = 0; i < rows->len; i++) {
    uint32_t row = g_array_index(rows, uint32_t, i);
    const TnDiffPair *pair = &diff->pairs[row];
    int list = pair->b == TN_NONE ? 1 : pair->a == TN_NONE ? 2 : 0;
    if (n[list]++ < most)
      cJSON_AddItemToArray(list == 0   ? changed
                           : list == 1 ? alone_a
                                       : alone_b,
                           build_pair(diff, row));
  }
  tn_json_add_integer(object, "changed_total", n[0]);
}

static void
add_causes(cJSON *object, const TnDiff *diff)
{
  cJSON *list = cJSON_AddArrayToObject(object, "causes");
  int n = diff->has_arena ? TN_N_CAUSES : TN_N_LIVE_CAUSES;
  for (int i = 0; i < n; i++) {
    if (diff->cause[i] == 0)
      continue;
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "cause", tn_diff_cause_name((TnDiffCause)i));
    tn_json_add_integer(row, "bytes", diff->cause[i]);
    tn_json_add_integer(row, "buffers", diff->cause_n[i]);
    cJSON_AddBoolToObject(row, "of_live_peak", i < TN_N_LIVE_CAUSES);
    cJSON_AddItemToArray(list, row);
  }
  cJSON_AddStringToObject(object, "causes_of", diff->has_arena ? "arena" : "live_peak");
}

static void
add_matches(cJSON *object, const TnDiff *diff)
{
  cJSON *row = cJSON_AddObjectToObject(object, "matched_by");
  for (int i = TN_MATCH_ID; i < TN_N_MATCHES; i++)
    tn_json_add_integer(row, tn_diff_match_name((TnDiffMatch)i), diff->n_by_match[i]);
  if (!diff->op_of_a)
    return;
  row = cJSON_AddObjectToObject(object, "ops");
  tn_json_add_integer(row, "matched", diff->n_ops_matched);
  tn_json_add_integer(row, "only_a", diff->n_ops_only_a);
  tn_json_add_integer(row, "only_b", diff->n_ops_only_b);
}

static void
print_json(const TnCliTwo *two, const TnDiff *diff, const DiffOptions *own, bool is_same)
{
  cJSON *object = cJSON_CreateObject();
  const TnCurve *held_a = diff->a->reserved, *held_b = diff->b->reserved;
  add_side(object, "a", &two->a, &diff->account_a);
  add_side(object, "b", &two->b, &diff->account_b);
  if (diff->has_arena)
    tn_json_add_integer(object, "arena_delta_bytes", diff->arena_delta);
  else
    cJSON_AddNullToObject(object, "arena_delta_bytes");
  tn_json_add_integer(object, "live_peak_delta_bytes", diff->live_delta);
  if (held_a && held_b)
    tn_json_add_integer(object, "reserved_peak_delta_bytes", held_b->peak - held_a->peak);
  if (tn_cli_both_tell_residents(diff->a, diff->b))
    tn_json_add_integer(object, "resident_delta_bytes",
                        diff->b->resident_bytes - diff->a->resident_bytes);
  tn_json_add_integer(object, "matched", diff->n_matched);
  tn_json_add_integer(object, "only_a", diff->n_only_a);
  tn_json_add_integer(object, "only_b", diff->n_only_b);
  add_matches(object, diff);
  add_causes(object, diff);
  add_changes(object, diff, own->top);
  cJSON_AddBoolToObject(object, "same", is_same);
  tn_cli_two_add_warnings(object, two);
  tn_json_print(object);
}

/* ---- text ---------------------------------------------------------------------------------- */

static void
print_figure(const TnCommonOptions *options, const char *what, tn_bytes a, tn_bytes b)
{
  if (a < 0 && b < 0)
    return;
  g_autofree char *left = tn_cli_size(options, a), *right = tn_cli_size(options, b);
  g_autofree char *delta = a < 0 || b < 0 ? g_strdup("") : tn_cli_delta(options, b - a);
  tn_say("%-16s %16s %16s %16s", what, left, right, delta);
  if (a > 0 && b >= 0 && a != b)
    tn_say("  %+.1f %%", 100.0 * ((double)b / (double)a - 1.0));
  putchar('\n');
}

static void
print_head(const TnCommonOptions *options, const TnCliTwo *two, const TnDiff *diff)
{
  const TnStudy *a = diff->a, *b = diff->b;
  g_autofree char *note_a = tn_cli_side_dup_note(&two->a, &two->options_a);
  g_autofree char *note_b = tn_cli_side_dup_note(&two->b, &two->options_b);
  tn_say("A  %s  %s\nB  %s  %s\n\n", a->document->shown_path, note_a, b->document->shown_path, note_b);
  tn_say("%-16s %16s %16s %16s\n", "", "A", "B", "B - A");
  print_figure(options, "Live peak", a->live->peak, b->live->peak);
  print_figure(options, "Arena", a->arena_bytes, b->arena_bytes);
  print_figure(options, "Reserved peak", a->reserved ? a->reserved->peak : -1,
               b->reserved ? b->reserved->peak : -1);
  if (a->resident_bytes || b->resident_bytes)
    print_figure(options, "Residents", a->resident_bytes, b->resident_bytes);
  tn_say("%-16s %16u %16u %+16" G_GINT64_FORMAT "\n", "Buffers", a->buffers->n, b->buffers->n,
         (gint64)b->buffers->n - a->buffers->n);
  tn_say("\n%u matched", diff->n_matched);
  const char *sign = " (";
  for (int i = TN_MATCH_ID; i < TN_N_MATCHES; i++)
    if (diff->n_by_match[i]) {
      tn_say("%s%u by %s", sign, diff->n_by_match[i], tn_diff_match_name((TnDiffMatch)i));
      sign = ", ";
    }
  tn_say("%s, %u only in A, %u only in B\n", sign[0] == ',' ? ")" : "", diff->n_only_a,
         diff->n_only_b);
}

static void
print_causes(const TnCommonOptions *options, const TnDiff *diff)
{
  int n = diff->has_arena ? TN_N_CAUSES : TN_N_LIVE_CAUSES;
  const char *what = diff->has_arena ? "arena" : "live peak";
  bool is_same = true;
  for (int i = 0; i < n; i++)
    is_same &= diff->cause[i] == 0;
  tn_say(is_same ? "\nThe %s is the same.\n" : "\nWhy the %s is another:\n", what);
  if (is_same)
    return;
  for (int i = 0; i < n; i++) {
    if (diff->cause[i] == 0)
      continue;
    g_autofree char *size = tn_cli_delta(options, diff->cause[i]);
    tn_say("  %16s  %s", size, tn_diff_cause_title((TnDiffCause)i));
    if (diff->cause_n[i])
      tn_say(", %u %s", diff->cause_n[i], diff->cause_n[i] == 1 ? "buffer" : "buffers");
    putchar('\n');
  }
  g_autofree char *sum =
      tn_cli_delta(options, diff->has_arena ? diff->arena_delta : diff->live_delta);
  tn_say("= %16s\n", sum);
}

static void
print_group(const TnCommonOptions *options, const TnDiffGroup *group)
{
  g_autofree char *a =
      group->changes & TN_CHANGE_NEW ? g_strdup("-") : tn_cli_size(options, group->bytes_a);
  g_autofree char *b =
      group->changes & TN_CHANGE_GONE ? g_strdup("-") : tn_cli_size(options, group->bytes_b);
  g_autofree char *peak =
      group->peak_bytes ? tn_cli_delta(options, group->peak_bytes) : g_strdup("");
  g_autofree char *kinds = tn_diff_dup_changes(group->changes, ",");
  tn_say("%14s %14s %14s %6u  %-20s %s\n", a, b, peak, group->n, kinds, group->label);
}

static void
print_changes(const TnCommonOptions *options, const TnDiff *diff, int top)
{
  g_autoptr(GArray) groups = tn_diff_build_groups(diff);
  guint most = top < 0 ? TEXT_ROWS : top ? (guint)top : G_MAXUINT;
  if (groups->len == 0)
    return;
  tn_say("\n%14s %14s %14s %6s  %-20s %s\n", "A", "B", "at the peak", "count", "change", "buffer");
  for (guint i = 0; i < groups->len && i < most; i++)
    print_group(options, tn_diff_group(groups, i));
  if (groups->len > most)
    tn_say("%51s  … and %u more\n", "", groups->len - most);
}

/* ---- the answer ---------------------------------------------------------------------------- */

/* "1%" of A, or a size. */
static bool
parse_tolerance(const char *text, tn_bytes of, tn_bytes *out_bytes)
{
  char *end;
  double percent = text ? g_ascii_strtod(text, &end) : 0.0;
  if (text && end > text && strcmp(end, "%") == 0 && percent >= 0.0 && percent <= 1e6) {
    *out_bytes = (tn_bytes)MIN(percent / 100.0 * (double)of, 0x1p62);
    return true;
  }
  return tn_cli_parse_size("--tolerance", text, out_bytes);
}

/* Whether a figure of B is A's, but for the tolerance.  False where that can't be read. */
static bool
compare_figure(const char *tolerance, tn_bytes of, tn_bytes delta, bool *in_out_is_same)
{
  tn_bytes most;
  if (!parse_tolerance(tolerance, of, &most))
    return false;
  *in_out_is_same &= ABS(delta) <= most;
  return true;
}

/* With a tolerance the peaks, arenas and residents decide; without, any change. */
static bool
find_same(const TnDiff *diff, const char *tolerance, bool *out_is_same)
{
  const TnStudy *a = diff->a, *b = diff->b;
  bool both_reserve = a->reserved && b->reserved, both_reside = tn_cli_both_tell_residents(a, b);
  tn_bytes reserved = both_reserve ? a->reserved->peak : 0;
  *out_is_same = true;
  if (!compare_figure(tolerance, a->live->peak, diff->live_delta, out_is_same) ||
      !compare_figure(tolerance, MAX(a->arena_bytes, 0), diff->arena_delta, out_is_same) ||
      !compare_figure(tolerance, reserved, both_reserve ? b->reserved->peak - reserved : 0,
                      out_is_same) ||
      !compare_figure(tolerance, a->resident_bytes,
                      both_reside ? b->resident_bytes - a->resident_bytes : 0, out_is_same))
    return false;
  if (!tolerance)
    *out_is_same &= diff->n_only_a + diff->n_only_b + diff->n_changed == 0;
  return true;
}

static TnExit
answer(const TnCliTwo *two, const TnCommonOptions *common, const DiffOptions *own)
{
  bool is_same;
  TnExit code;
  g_autoptr(TnDiff) diff = tn_cli_two_compare(two, &code);
  if (!diff)
    return code;
  if (!find_same(diff, own->tolerance, &is_same))
    return TN_EXIT_USAGE;
  tn_study_prepare((TnStudy *)diff->a, TN_GROUP_AUTO, NULL);
  tn_study_prepare((TnStudy *)diff->b, TN_GROUP_AUTO, NULL);
  if (common->is_json)
    print_json(two, diff, own, is_same);
  else {
    print_head(common, two, diff);
    print_causes(common, diff);
    print_changes(common, diff, own->top);
  }
  return is_same ? TN_EXIT_DONE : TN_EXIT_NO;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  TnCliTwo two = {0};
  DiffOptions own = {.top = NOT_SAID};
  TnExit code;
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"tolerance", 0, 0, G_OPTION_ARG_STRING, &own.tolerance,
       "Exit 0 where peaks, arenas and residents differ by no more than this", "SIZE|N%"},
      {"top", 0, 0, G_OPTION_ARG_INT, &own.top, "List this many changes (0: all)", "N"},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  g_autofree GOptionEntry *all = tn_cli_two_join_entries(&two, entries);
  if (!tn_cli_parse(&tn_command_diff, argc, argv, &common, all, 2, 2, &files))
    return TN_EXIT_USAGE;
  if (own.top < 0 && own.top != NOT_SAID) {
    tn_cli_complain("--top %d: expected 0 (all) or more", own.top);
    code = TN_EXIT_USAGE;
  } else if (tn_cli_two_load(&two, files[0], files[1], &common, &code))
    code = answer(&two, &common, &own);
  tn_cli_two_clear(&two);
  tn_common_options_clear(&common);
  g_free(own.tolerance);
  return code;
}

const TnCommand tn_command_diff = {"diff", "A B", "Compare two files, or one under two settings",
                                   run};
