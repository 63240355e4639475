/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/finding.h"

#include <string.h>

static void
clear_finding(gpointer data)
{
  TnFinding *finding = data;
  g_free(finding->message);
  g_free(finding->hint);
  g_array_unref(finding->buffers);
}

TnFindings *
tn_findings_new(void)
{
  TnFindings *findings = g_new0(TnFindings, 1);
  findings->rows = g_array_new(FALSE, TRUE, sizeof(TnFinding));
  g_array_set_clear_func(findings->rows, clear_finding);
  return findings;
}

void
tn_findings_free(TnFindings *findings)
{
  if (!findings)
    return;
  g_array_unref(findings->rows);
  g_free(findings);
}

TnFinding *
tn_findings_add(
    TnFindings *findings, const char *code, TnSeverity severity, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  TnFinding finding = {.code = code,
                       .severity = severity,
                       .message = g_strdup_vprintf(format, arguments),
                       .buffers = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                       .at = -1,
                       .bytes = -1,
                       .saving_bytes = -1};
  va_end(arguments);
  g_array_append_val(findings->rows, finding);
  return &g_array_index(findings->rows, TnFinding, findings->rows->len - 1);
}

void
tn_finding_add_buffer(TnFinding *finding, tn_index buffer)
{
  g_array_append_val(finding->buffers, buffer);
}

uint32_t
tn_findings_count(const TnFindings *findings, TnSeverity severity)
{
  uint32_t n = 0;
  for (guint i = 0; i < findings->rows->len; i++)
    n += tn_findings_get(findings, i)->severity == severity;
  return n;
}

const char *
tn_severity_name(TnSeverity severity)
{
  return severity == TN_SEVERITY_ERROR     ? "error"
         : severity == TN_SEVERITY_WARNING ? "warning"
                                           : "note";
}

const char *
tn_finding_saving_of(const TnFinding *finding)
{
  static const struct {
    const char *code, *what;
  } rows[] = {{"fragmentation", "reserved peak"},      {"cross-stream", "reserved peak"},
              {"reuse-off", "arena"},                  {"resident-in-arena", "arena"},
              {"workspace-not-shared", "arena"}};
  if (finding->saving_of)
    return finding->saving_of;
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (strcmp(finding->code, rows[i].code) == 0)
      return rows[i].what;
  return "live peak";
}
