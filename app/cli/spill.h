/* SPDX-License-Identifier: MIT */
/* What the files of tenure-cli spill share. */
#pragma once

#include "app/cli/cli.h"

#include "analysis/budget/spill-lives.h"
#include "analysis/budget/spill.h"
#include "analysis/plan/plan.h"

typedef struct {
  const TnDocument *document;
  const TnCommonOptions *common;
  TnGraphLifetimeParams lifetime;
  TnComputeRate rate;
  TnLink *link;
  TnSpillAnswer *answer;
  TnSpillRun run;      /* of the plan found */
  TnSpillLives *lives; /* cut where storages are elsewhere; NULL: no plan */
  TnPlan *offsets;     /* of those lives; NULL: none */
  tn_bytes live_peak;  /* the largest sum alive of those lives */
  bool is_sound;       /* the offsets were checked */
} Spill;

/* Names of a storage (borrowed) and of the op at a place ("start": before the first; owned). */
const char *tn_spill_storage_name(const Spill *spill, uint32_t buffer);
char *tn_spill_build_place_name(const Spill *spill, int32_t place);
char *tn_spill_build_op_name(const Spill *spill, uint32_t op);
const char *tn_spill_verdict(const Spill *spill, uint32_t idle);

/* What a runtime does, an array of objects in the order in which the ops are listed; owned. */
cJSON *tn_spill_build_actions(const Spill *spill);
cJSON *tn_spill_build_json(const Spill *spill);
/* The plan of offsets with the actions, a `tenure-plan`; NULL where there is none.  Owned. */
char *tn_spill_build_plan(const Spill *spill);
void tn_spill_print(const Spill *spill, bool with_candidates);
