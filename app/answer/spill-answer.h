/* SPDX-License-Identifier: MIT */
/* A spill plan that was found, with all that is said of it: its run, lives cut where storages are
 * elsewhere, their offsets, and JSON. */
#pragma once

#include "analysis/budget/spill-lives.h"
#include "analysis/budget/spill.h"
#include "analysis/plan/plan.h"
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
  TnPlan *offsets;     /* of those lives; NULL: none */
  tn_bytes live_peak;  /* the largest sum alive of those lives */
  tn_bytes apart;      /* what streams, which share nothing here, need at their own peaks beyond that */
  tn_bytes resident;   /* beside the arena: constants, variables, what the caller owns */
  uint32_t n_unsized;  /* tensors that count as 0 bytes */
  bool is_sound;       /* the offsets were checked */
  bool is_shared;      /* none were found in which no stream overwrites what another one still reads */
} TnSpillReport;

/* Of a report whose first six members are set: runs the plan … */
void tn_spill_report_run(TnSpillReport *report);
/* … gives its lives, where it was found, offsets within a second or so, and has them checked … */
void tn_spill_report_plan_offsets(TnSpillReport *report);
/* … and frees what these two made. */
void tn_spill_report_clear(TnSpillReport *report);

/* Whether streams wait for each other wherever the offsets have them share, as `check` will ask.  Appends to `out_rows`
 * (uint32_t) buffers whose place another stream takes too soon … */
bool tn_spill_streams_hold(const TnSpillReport *report, GArray *out_rows);
/* … which have spaces of their own then: offsets must be found anew. */
void tn_spill_streams_split(TnSpillReport *report, const GArray *rows);

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
/* The same without the actions, where there are offsets. */
char *tn_spill_build_offsets(const TnSpillReport *spill);
/* The plan of offsets with the actions, a `tenure-plan`; NULL where there is none.  Owned. */
char *tn_spill_build_plan(const TnSpillReport *spill);
/* What is written to a file: that plan; where there is none, the JSON.  Owned; NULL where it is too large
 * (TN_JSON_TOO_LARGE). */
char *tn_spill_build_file(const TnSpillReport *spill);
