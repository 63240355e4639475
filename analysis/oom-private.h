/* SPDX-License-Identifier: MIT */
/* What the files of oom.c share. */
#pragma once

#include "analysis/oom.h"

/* What happened, the verdict, and what to do next, of a TnOom whose figures are filled.  Owned by the
 * caller. */
char *tn_oom_dup_sentence(const TnOom *oom);
char *tn_oom_dup_cause(const TnOom *oom);
char *tn_oom_dup_advice(const TnOom *oom);
