/* SPDX-License-Identifier: MIT */
/* The words of a search, each a term of its own that must fit.  Spaces part them, but not inside
 * /a regular expression/ or "a name in quotes", nor around a comparison: `size > 1 MiB`. */
#pragma once

#include "data/types.h"

/* char *, owned by the caller; without quotes, but those of a name, of which each stands there twice. */
GPtrArray *tn_filter_split(const char *text);
/* A name in quotes, as it may stand behind `site=`; owned by the caller. */
char *tn_filter_dup_quoted(const char *name);
