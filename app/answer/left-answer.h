/* SPDX-License-Identifier: MIT */
/* What a plan leaves on the table: the recorded one, or one that a planner makes, beside the best on
 * the same lives and constraints. */
#pragma once

#include "analysis/plan-left.h"
#include "analysis/plan/plan.h"
#include "analysis/study.h"

#include <cjson/cJSON.h>

typedef enum {
  TN_LEFT_ONE_STREAM,    /* streams restrict nothing */
  TN_LEFT_STREAMS_KNOWN, /* the file says who waits for whom */
  TN_LEFT_STREAMS_SHOWN  /* it does not: what the judged plan shares has waited, nothing else */
} TnLeftStreams;

typedef struct {
  const char *against;        /* "recorded", or the name of a strategy */
  const TnStrategy *strategy; /* what it is measured by: `best` */
  tn_bytes alignment;
  const uint32_t *order;      /* of a graph's ops; may be NULL */
  TnPlanParams params;        /* of both; `uses` is filled here */
} TnLeftQuestion;

typedef struct {
  char *error;   /* no answer: why; owned, and the rest is empty */
  TnStudy *judged, *reference; /* owned; the same study where nothing smaller was found */
  char *judged_name, *reference_name; /* owned */
  char *broken;  /* the first rule that the judged plan breaks; owned, NULL: none */
  GArray *tried; /* TnPlanTry of the judged plan: GE's variants; owned, may be NULL */
  TnPlanLeft left;
  TnLeftStreams streams;
  bool is_optimal;       /* proved: no plan of these lives and constraints is smaller */
  tn_bytes proved_bound; /* none is smaller than this */
} TnLeftAnswer;

/* Any thread; takes as long as the planners (params.time_limit, params.progress). */
TnLeftAnswer *tn_left_answer_new(const TnStudy *study, const TnLeftQuestion *question);
void tn_left_answer_free(TnLeftAnswer *answer);

/* One sentence, with "proved" only where it is; owned by the caller. */
char *tn_left_answer_dup_verdict(const TnLeftAnswer *answer, TnUnits units);
/* What the constraints between streams rest on; NULL where there are none.  Static. */
const char *tn_left_answer_streams(const TnLeftAnswer *answer);
/* GE's own terms where the log has them, ours beside them, each with whose it is; NULL where there are
 * none.  Owned by the caller. */
char *tn_left_answer_dup_terms(const TnLeftAnswer *answer, TnUnits units);

/* One cause of plan-gap: its name, and its bytes in each of the two plans.  Rows 0 to
 * TN_LEFT_N_CAUSES - 1 add up to the two arenas. */
#define TN_LEFT_N_CAUSES 7
const char *tn_left_answer_cause(const TnLeftAnswer *answer, int row, tn_bytes *out_judged,
                                 tn_bytes *out_reference);

/* {"plan", "arena_bytes", "best_arena_bytes", "left_bytes", "causes", "buffers", …}; the first `most`
 * buffers; owned by the caller. */
cJSON *tn_left_answer_build_json(const TnLeftAnswer *answer, guint most);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnLeftAnswer, tn_left_answer_free)
