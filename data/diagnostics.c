/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/diagnostics.h"

#include <string.h>

static void
clear_warning(gpointer data)
{
  TnWarning *warning = data;
  g_free(warning->code);
  g_free(warning->message);
}

TnDiagnostics *
tn_diagnostics_new(void)
{
  TnDiagnostics *diagnostics = g_new0(TnDiagnostics, 1);
  diagnostics->rows = g_array_new(FALSE, FALSE, sizeof(TnWarning));
  g_array_set_clear_func(diagnostics->rows, clear_warning);
  return diagnostics;
}

void
tn_diagnostics_free(TnDiagnostics *diagnostics)
{
  if (!diagnostics)
    return;
  g_array_unref(diagnostics->rows);
  g_free(diagnostics);
}

static TnWarning *
find(TnDiagnostics *diagnostics, const char *code)
{
  for (uint32_t i = 0; i < diagnostics->rows->len; i++) {
    TnWarning *warning = &g_array_index(diagnostics->rows, TnWarning, i);
    if (strcmp(warning->code, code) == 0)
      return warning;
  }
  return NULL;
}

void
tn_diagnostics_add(
    TnDiagnostics *diagnostics, const char *code, int64_t count, const char *format, ...)
{
  TnWarning *had = find(diagnostics, code);
  if (had) {
    had->count += count;
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  TnWarning warning = {g_strdup(code), count, g_strdup_vprintf(format, arguments)};
  va_end(arguments);
  g_array_append_val(diagnostics->rows, warning);
}

void
tn_diagnostics_count(TnDiagnostics *diagnostics, const char *code, const char *message)
{
  tn_diagnostics_add(diagnostics, code, 1, "%s", message);
}
