/* SPDX-License-Identifier: MIT */
/* What a reader warned of. */
#pragma once

#include "data/document.h"

#include <stdbool.h>
#include <string.h>

/* The document's own first warning of this code; NULL: there is none. */
static inline const TnWarning *
find_warning(const TnDocument *document, const char *code)
{
  for (uint32_t i = 0; i < tn_diagnostics_length(document->diagnostics); i++)
    if (strcmp(tn_diagnostics_get(document->diagnostics, i)->code, code) == 0)
      return tn_diagnostics_get(document->diagnostics, i);
  return NULL;
}

static inline bool
has_warning(const TnDocument *document, const char *code)
{
  return find_warning(document, code) != NULL;
}
