/* SPDX-License-Identifier: MIT */
/* What the files of tenure-cli spill share. */
#pragma once

#include "app/answer/spill-answer.h"
#include "app/cli/cli.h"

typedef struct {
  TnSpillReport report;
  const TnCommonOptions *common;
} Spill;

void tn_spill_print(const Spill *spill, bool with_candidates);
