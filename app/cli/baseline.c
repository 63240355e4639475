/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/baseline.h"

#include "data/units.h"

bool
tn_cli_baseline_load(TnCliBaseline *baseline,
                     const char *path,
                     const TnCommonOptions *options,
                     const TnFindParams *find,
                     TnExit *out_exit)
{
  TnCommonOptions lives = *options;
  baseline->document = tn_cli_load(path, options, out_exit);
  if (!baseline->document)
    return false;
  if (baseline->document->kind == TN_DOCUMENT_PLAN)
    lives.align = NULL;
  baseline->study = tn_cli_study(baseline->document, &lives, out_exit);
  if (!baseline->study)
    return false;
  tn_study_prepare(baseline->study, TN_GROUP_AUTO, NULL);
  baseline->findings = tn_findings_new();
  tn_find_all(baseline->study, find, baseline->findings);
  return true;
}

void
tn_cli_baseline_clear(TnCliBaseline *baseline)
{
  if (baseline->findings)
    tn_findings_free(baseline->findings);
  tn_study_unref(baseline->study);
  tn_document_free(baseline->document);
}

static void
compare_figure(const char *what,
               tn_bytes old,
               tn_bytes new,
               tn_tick at,
               tn_bytes tolerance,
               TnFindings *findings)
{
  char was[48], is[48], more[48];
  if (old < 0 || new < 0 || new - old <= tolerance)
    return;
  TnFinding *finding = tn_findings_add(findings, "worse-than-baseline", TN_SEVERITY_ERROR,
                                       "the %s is %s, %s more than the baseline's %s", what,
                                       tn_print_bytes(is, sizeof is, new, TN_UNITS_IEC),
                                       tn_print_bytes(more, sizeof more, new - old, TN_UNITS_IEC),
                                       tn_print_bytes(was, sizeof was, old, TN_UNITS_IEC));
  finding->hint = g_strdup("`tenure-cli diff BASELINE FILE` says why");
  finding->bytes = new - old;
  finding->at = at;
}

static tn_bytes
reserved_of(const TnStudy *study)
{
  return study->reserved ? study->reserved->peak : TN_BYTES_UNKNOWN;
}

void
tn_cli_baseline_compare(const TnCliBaseline *baseline,
                        const TnStudy *study,
                        tn_bytes tolerance,
                        TnFindings *findings)
{
  const TnStudy *old = baseline->study;
  compare_figure("live peak", old->live->peak, study->live->peak, study->live->peak_at, tolerance,
                 findings);
  compare_figure("arena", old->arena_bytes, study->arena_bytes, -1, tolerance, findings);
  compare_figure("reserved peak", reserved_of(old), reserved_of(study),
                 study->reserved ? study->reserved->peak_at : -1, tolerance, findings);
  if (tn_cli_both_tell_residents(old, study))
    compare_figure("sum of the residents", old->resident_bytes, study->resident_bytes, -1, tolerance,
                   findings);
}

static uint32_t
count_code(const TnFindings *findings, const char *code)
{
  uint32_t n = 0;
  for (guint i = 0; i < findings->rows->len; i++)
    n += g_strcmp0(tn_findings_get(findings, i)->code, code) == 0;
  return n;
}

bool
tn_cli_baseline_knows(const TnCliBaseline *baseline,
                      const TnFindings *findings,
                      const TnFinding *finding)
{
  return count_code(findings, finding->code) <= count_code(baseline->findings, finding->code);
}

static void
add_figure(cJSON *row, const char *key, const char *delta_key, tn_bytes old, tn_bytes new)
{
  tn_json_add_bytes(row, key, old);
  if (old < 0 || new < 0)
    cJSON_AddNullToObject(row, delta_key);
  else
    tn_json_add_integer(row, delta_key, new - old);
}

void
tn_cli_baseline_add_json(const TnCliBaseline *baseline, const TnStudy *study, cJSON *object)
{
  const TnStudy *old = baseline->study;
  cJSON *row = cJSON_AddObjectToObject(object, "baseline");
  cJSON_AddStringToObject(row, "file", old->document->shown_path);
  add_figure(row, "live_peak_bytes", "live_peak_delta_bytes", old->live->peak, study->live->peak);
  add_figure(row, "arena_bytes", "arena_delta_bytes", old->arena_bytes, study->arena_bytes);
  add_figure(row, "reserved_peak_bytes", "reserved_peak_delta_bytes", reserved_of(old),
             reserved_of(study));
  add_figure(row, "resident_bytes", "resident_delta_bytes", old->resident_bytes,
             tn_cli_both_tell_residents(old, study) ? study->resident_bytes : TN_BYTES_UNKNOWN);
  tn_json_add_integer(row, "errors", tn_findings_count(baseline->findings, TN_SEVERITY_ERROR));
  tn_json_add_integer(row, "warnings_found",
                      tn_findings_count(baseline->findings, TN_SEVERITY_WARNING));
}
