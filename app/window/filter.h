/* SPDX-License-Identifier: MIT */
/* What a search means: a name, /a regular expression/, `size>1MiB`, `life>100`, or an address. */
#pragma once

#include "analysis/study.h"

/* One byte a buffer, 1 where it fits; NULL where the text is empty, or a wrong expression: then the
 * error is set, and nothing is to be dimmed.  *out_n: how many fit.  Owned by the caller. */
GBytes *tn_filter_run(const TnStudy *study, const char *text, uint32_t *out_n, GError **error);
