/* SPDX-License-Identifier: MIT */
/* A spill plan that was found, with all that is said of it: its run, lives cut where storages are
 * elsewhere, their offsets, and JSON. */
#pragma once

#include "analysis/budget/spill-lives.h"
#include "analysis/budget/spill.h"
#include "analysis/plan/plan.h"
#include "analysis/study.h"
#include "data/document.h"

#include <cjson/cJSON.h>

typedef struct {
  const TnDocument *document;
  TnGraphLifetimeParams lifetime;
  TnComputeRate rate;
  const TnLink *link;
  const TnSpillAnswer *answer;
  double time_limit;   /* seconds for the answer and the offsets; 0: a second for these */
  TnSpillRun run;      /* of the plan found */
  TnSpillLives *lives; /* cut where storages are elsewhere; NULL: no plan */
  uint32_t *holder;    /* by tensor: that whose buffer it lies in, TN_NONE: none; owned */
  TnPlan *offsets;     /* of those lives; NULL: none */
  tn_bytes live_peak;  /* the largest sum alive of those lives */
  tn_bytes apart;      /* what streams that do not wait for each other need beyond that */
  tn_bytes resident;   /* beside the arena: constants, variables, what the caller owns */
  uint32_t n_unsized;  /* tensors that count as 0 bytes */
  bool is_sound;       /* the offsets were checked */
  bool is_refused;     /* there are none in which no stream overwrites what another one still reads */
} TnSpillReport;

/* Of a report whose first six members are set: runs the plan … */
void tn_spill_report_run(TnSpillReport *report);
/* … gives its lives, where it was found, offsets within a second or so, and has them checked … */
void tn_spill_report_plan_offsets(TnSpillReport *report);
/* … and frees what these two made. */
void tn_spill_report_clear(TnSpillReport *report);

/* Who uses each of the lives last, of each stream (TnLastUse, by row; owned); NULL where there is one stream. */
GArray *tn_spill_build_last_uses(const TnSpillReport *report);
/* The plan as a file that is read again, with offsets where there are some; *out_document is owned, too.  NULL where it
 * can't be read. */
TnStudy *tn_spill_build_study(const TnSpillReport *report, TnDocument **out_document);
/* Whether streams wait for each other wherever the offsets have them share, as `check` will ask. */
bool tn_spill_streams_hold(const TnSpillReport *report);

/* What of the arena nobody holds when most is alive; the offsets are there. */
tn_bytes tn_spill_report_fragmentation(const TnSpillReport *report);

/* Names of a storage (borrowed) and of the op at a place ("start": before the first; owned). */
const char *tn_spill_storage_name(const TnSpillReport *spill, uint32_t buffer);
char *tn_spill_build_place_name(const TnSpillReport *spill, int32_t place);
char *tn_spill_build_op_name(const TnSpillReport *spill, uint32_t op);
const char *tn_spill_verdict(const TnSpillReport *spill, uint32_t idle);

/* What a runtime does, an array of objects in the order in which the ops are listed; owned. */
cJSON *tn_spill_build_actions(const TnSpillReport *spill);
cJSON *tn_spill_build_json(const TnSpillReport *spill);
/* The same without the actions, and without offsets where there are none yet. */
char *tn_spill_build_offsets(const TnSpillReport *spill);
/* The plan of offsets with the actions, a `tenure-plan`; NULL where there is none.  Owned. */
char *tn_spill_build_plan(const TnSpillReport *spill);
/* What is written to a file: that plan; where there is none, the JSON.  Owned; NULL where it is too large
 * (TN_JSON_TOO_LARGE). */
char *tn_spill_build_file(const TnSpillReport *spill);
