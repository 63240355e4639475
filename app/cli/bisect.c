/* SPDX-License-Identifier: MIT */
/* tenure-cli bisect: which buffer's reuse of memory breaks the results?  Of the buffers that take over or
 * hand on a place, halves are named to switch reuse off for; the answers are remembered in a file until one
 * buffer is left. */
#include "config.h"

#include "app/cli/cli.h"

#include "analysis/plan/reuse.h"
#include "analysis/tenants.h"
#include "data/write.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  const TnCommonOptions *common;
  char *state;
  gboolean is_gone, is_there;
} Options;

/* Rows that need a place and have none: nothing is known of whose they take. */
static uint32_t
count_unplaced(const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n; i++)
    n += study->offset[i] == TN_NOT_PLACED && b->bytes[i] > 0 && b->start[i] < b->end[i];
  return n;
}

/* Rows that share a byte of their place with another, in their order; owned. */
static GArray *
find_sharers(const TnStudy *study)
{
  const TnBuffers *b = study->buffers;
  g_autofree uint8_t *shares = g_malloc0(MAX(b->n, 1u));
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_reuse_mark_sharers(b, study->offset, shares);
  for (uint32_t i = 0; i < b->n; i++)
    if (shares[i])
      g_array_append_val(rows, i);
  return rows;
}

/* What tells a plan from another: the rows, names and places that answers are about. */
static char *
dup_plan_id(const TnStudy *study, const GArray *sharers)
{
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  for (guint i = 0; i < sharers->len; i++) {
    uint32_t row = g_array_index(sharers, uint32_t, i);
    g_autofree char *label = tn_study_dup_label(study, row);
    g_autofree char *line = g_strdup_printf("%u %" G_GINT64_FORMAT " %s\n", row, (gint64)study->offset[row], label);
    g_checksum_update(checksum, (const guchar *)line, -1);
  }
  return g_strdup(g_checksum_get_string(checksum));
}

/* ---- what was answered -------------------------------------------------------------------------- */

static bool
complain_state(const char *path, const char *found, const char *expected)
{
  tn_cli_complain("%s: found %s; expected %s", path, found, expected);
  return false;
}

static bool
replay(TnBisect *bisect, const cJSON *root, const char *path, guint n_sharers)
{
  const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format"), *answer;
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(root, "suspects");
  const cJSON *answers = cJSON_GetObjectItemCaseSensitive(root, "answers");
  if (!cJSON_IsString(format) || strcmp(format->valuestring, "tenure-bisect") != 0)
    return complain_state(path, "something else", "what `tenure-cli bisect` wrote");
  if (!cJSON_IsNumber(version) || version->valuedouble != 1.0)
    return complain_state(path, "another version", "1");
  if (!cJSON_IsNumber(n) || n->valuedouble != (double)n_sharers || !cJSON_IsArray(answers))
    return complain_state(path, "the state of another plan", "the one that these answers are of");
  cJSON_ArrayForEach(answer, answers)
  {
    bool is_gone = cJSON_IsString(answer) && strcmp(answer->valuestring, "gone") == 0;
    if (!is_gone && !(cJSON_IsString(answer) && strcmp(answer->valuestring, "there") == 0))
      return complain_state(path, "another answer", "\"gone\" or \"there\"");
    tn_bisect_answer(bisect, is_gone);
  }
  return true;
}

/* A file that is not there yet has no answers: *out_root is NULL then. */
static bool
read_state(const char *path, cJSON **out_root)
{
  g_autofree char *text = NULL;
  gsize size;
  g_autoptr(GError) error = NULL;
  *out_root = NULL;
  if (!g_file_get_contents(path, &text, &size, &error)) {
    if (g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
      return true;
    tn_cli_complain("%s", error->message);
    return false;
  }
  *out_root = cJSON_ParseWithLength(text, size);
  return *out_root || complain_state(path, "no JSON", "what `tenure-cli bisect` wrote");
}

/* An answer is to a question: of this plan, and asked before. */
static TnExit
check_state(const Options *own, const cJSON *root, const char *id)
{
  const cJSON *kept = cJSON_GetObjectItemCaseSensitive(root, "plan"); /* older files have none */
  bool is_of_this = !cJSON_IsString(kept) || strcmp(kept->valuestring, id) == 0;
  if (!is_of_this) {
    complain_state(own->state, "the state of another plan", "the one that these answers are of");
    return TN_EXIT_INPUT;
  }
  if (root || !(own->is_gone || own->is_there))
    return TN_EXIT_DONE;
  tn_cli_complain("bisect: %s answers nothing: %s is not there, so that no half was named yet",
                  own->is_gone ? "--gone" : "--there", own->state);
  return TN_EXIT_USAGE;
}

/* Once the last suspect is named, or none is left, nobody is switched off. */
static bool
can_answer(const TnBisect *bisect, const Options *own)
{
  uint32_t half;
  tn_bisect_half(bisect, &half);
  if (half > 0)
    return true;
  tn_cli_complain("bisect: %s answers nothing: the search is at its end, so that nothing was asked; without an "
                  "answer it says what was found", own->is_gone ? "--gone" : "--there");
  return false;
}

static bool
save_state(const TnBisect *bisect, const char *path, const char *id, guint n_sharers)
{
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "format", "tenure-bisect");
  cJSON_AddNumberToObject(root, "version", 1);
  cJSON_AddStringToObject(root, "plan", id);
  cJSON_AddNumberToObject(root, "suspects", n_sharers);
  cJSON *answers = cJSON_AddArrayToObject(root, "answers");
  for (guint i = 0; i < bisect->answers->len; i++)
    cJSON_AddItemToArray(answers,
                         cJSON_CreateString(g_array_index(bisect->answers, TnBisectAnswer, i).is_gone
                                                ? "gone"
                                                : "there"));
  bool is_good = tn_json_write(root, path);
  cJSON_Delete(root);
  return is_good;
}

/* ---- saying it ---------------------------------------------------------------------------------- */

static char *
dup_name(const TnStudy *study, uint32_t row)
{
  g_autofree char *label = tn_study_dup_label(study, row);
  return g_strdup_printf("%s (buffer %u)", label, row);
}

/* Nobody is to be suspected. */
static void
print_none(const TnStudy *study)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", study->document->shown_path);
  tn_json_add_integer(object, "suspects", 0);
  tn_json_add_integer(object, "unplaced", 0);
  tn_json_add_integer(object, "left", 0);
  cJSON_AddArrayToObject(object, "switch_off");
  tn_json_add_warnings(object, study->document->diagnostics);
  tn_json_print(object);
}

static void
print_json(const TnStudy *study, const TnBisect *bisect, guint n_sharers)
{
  uint32_t half, found = tn_bisect_found(bisect);
  const uint32_t *rows = tn_bisect_half(bisect, &half);
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", study->document->shown_path);
  tn_json_add_integer(object, "suspects", n_sharers);
  tn_json_add_integer(object, "unplaced", count_unplaced(study));
  tn_json_add_integer(object, "left", bisect->suspects->len);
  tn_json_add_integer(object, "answers", bisect->answers->len);
  cJSON *list = cJSON_AddArrayToObject(object, "switch_off");
  for (uint32_t i = 0; i < half; i++) {
    g_autofree char *name = tn_study_dup_label(study, rows[i]);
    cJSON *row = cJSON_CreateObject();
    tn_json_add_integer(row, "buffer", rows[i]);
    cJSON_AddStringToObject(row, "name", name);
    cJSON_AddItemToArray(list, row);
  }
  if (found != TN_NONE) {
    g_autofree char *name = tn_study_dup_label(study, found);
    tn_json_add_integer(object, "found", found);
    cJSON_AddStringToObject(object, "found_name", name);
  }
  tn_json_add_warnings(object, study->document->diagnostics);
  tn_json_print(object);
}

static void
print_at_end(const TnStudy *study, const TnBisect *bisect, guint n_sharers)
{
  uint32_t unplaced = count_unplaced(study);
  tn_say("It is none of the %u that share their place, after %u answers: the fault stayed, whichever was "
         "switched off. ", n_sharers, bisect->answers->len);
  if (unplaced == 0)
    tn_say("Reuse is not the cause, or more than one of them is.\n");
  else
    tn_say("More than one of them is the cause, or one of %u without an offset, of whose places nothing is known, "
           "or reuse is not.\n", unplaced);
}

static void
print_text(const TnStudy *study, const TnBisect *bisect, guint n_sharers)
{
  uint32_t half, found = tn_bisect_found(bisect);
  const uint32_t *rows = tn_bisect_half(bisect, &half);
  if (found != TN_NONE) {
    g_autofree char *name = dup_name(study, found);
    tn_say("It is %s: the last of %u that share their place, after %u answers.\n", name, n_sharers,
           bisect->answers->len);
    return;
  }
  if (half == 0) {
    print_at_end(study, bisect, n_sharers);
    return;
  }
  g_autofree char *these = half == 1 ? g_strdup("this one") : g_strdup_printf("these %u", half);
  tn_say("%u of %u suspects %s left. Switch reuse off for %s, run, and say --gone or --there:\n",
         bisect->suspects->len, n_sharers, tn_plural(bisect->suspects->len, "is", "are"), these);
  for (uint32_t i = 0; i < half; i++) {
    g_autofree char *name = dup_name(study, rows[i]);
    tn_say("  %s\n", name);
  }
}

/* `root`: what the state's file held, once: another run may write it meanwhile.  NULL: nothing yet. */
static TnExit
go_on(const TnStudy *study, const Options *own, const GArray *sharers, const cJSON *root)
{
  guint n = sharers->len;
  g_autofree char *id = dup_plan_id(study, sharers);
  TnExit code = check_state(own, root, id);
  if (code != TN_EXIT_DONE)
    return code;
  g_autoptr(TnBisect) bisect = tn_bisect_new((const uint32_t *)(void *)sharers->data, n);
  if (root && !replay(bisect, root, own->state, n))
    return TN_EXIT_INPUT;
  bool is_answered = own->is_gone || own->is_there;
  if (is_answered && !can_answer(bisect, own))
    return TN_EXIT_USAGE;
  if (is_answered)
    tn_bisect_answer(bisect, own->is_gone);
  if (!save_state(bisect, own->state, id, n))
    return TN_EXIT_INPUT;
  if (own->common->is_json)
    print_json(study, bisect, n);
  else
    print_text(study, bisect, n);
  return bisect->suspects->len > 0 ? TN_EXIT_DONE : TN_EXIT_NO;
}

/* Nobody is known to take another's place: which is an answer only where all places are known. */
static TnExit
suspect_nobody(const TnStudy *study, const Options *own)
{
  const char *path = study->document->shown_path;
  uint32_t n = study->buffers->n, unplaced = count_unplaced(study);
  if (unplaced > 0) {
    tn_cli_complain("%s: %u of %u buffers %s no offset, so that nothing is known of %s; expected a plan of all: "
                    "`tenure-cli plan -o` writes one",
                    path, unplaced, n, tn_plural(unplaced, "has", "have"),
                    tn_plural(unplaced, "its place", "their places"));
    return TN_EXIT_INPUT;
  }
  if (n == 0 && study->document->accounts->len > 0) {
    tn_cli_complain("%s says totals only, so that nobody's place is known; expected the buffers of a plan", path);
    return TN_EXIT_INPUT;
  }
  tn_cli_complain("%s: no buffer takes another's place: reuse can't be the cause", path);
  if (own->common->is_json)
    print_none(study);
  return TN_EXIT_NO;
}

static void
warn_unplaced(const TnStudy *study)
{
  uint32_t unplaced = count_unplaced(study);
  if (unplaced > 0)
    tn_diagnostics_add(study->document->diagnostics, "not-placed", unplaced,
                       "%u of %u buffers %s no offset, so that nothing is known of %s: none of them is suspected",
                       unplaced, study->buffers->n, tn_plural(unplaced, "has", "have"),
                       tn_plural(unplaced, "its place", "their places"));
}

static TnExit
bisect_file(const char *path, const Options *own)
{
  TnExit code;
  g_autoptr(TnDocument) document = tn_cli_load(path, own->common, &code);
  g_autoptr(TnStudy) study = document ? tn_cli_study(document, own->common, &code) : NULL;
  if (!study)
    return code;
  g_autoptr(GArray) sharers = find_sharers(study);
  tn_cli_add_study_warnings(document, study);
  if (sharers->len > 0)
    warn_unplaced(study);
  tn_cli_print_warnings(document->diagnostics);
  if (sharers->len == 0)
    return suspect_nobody(study, own);
  cJSON *root;
  if (!read_state(own->state, &root))
    return TN_EXIT_INPUT;
  code = go_on(study, own, sharers, root);
  cJSON_Delete(root);
  return code;
}

static TnExit
run(int argc, char **argv)
{
  TnCommonOptions common = {0};
  Options own = {.common = &common};
  g_auto(GStrv) files = NULL;
  const GOptionEntry entries[] = {
      {"state", 0, 0, G_OPTION_ARG_FILENAME, &own.state, "Where the answers are kept", "FILE"},
      {"gone", 0, 0, G_OPTION_ARG_NONE, &own.is_gone,
       "The fault was gone with the last half switched off", NULL},
      {"there", 0, 0, G_OPTION_ARG_NONE, &own.is_there, "The fault was still there", NULL},
      {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
  };
  if (!tn_cli_parse(&tn_command_bisect, argc, argv, &common, entries, 1, 1, &files))
    return TN_EXIT_USAGE;
  TnExit code = TN_EXIT_USAGE;
  if (!own.state)
    tn_cli_complain("bisect: --state FILE is missing");
  else if (tn_cli_is_stdout(own.state))
    tn_cli_complain("bisect: --state -: expected a file, in which the answers are kept");
  else if (own.is_gone && own.is_there)
    tn_cli_complain("bisect: --gone and --there at once");
  else
    code = bisect_file(files[0], &own);
  tn_common_options_clear(&common);
  g_free(own.state);
  return code;
}

const TnCommand tn_command_bisect = {"bisect", "PLAN --state FILE",
                                     "Find the buffer whose reuse breaks results", run};
