/* SPDX-License-Identifier: MIT */
/* Rounds of searches and the parts that they search, for the files exact*.c. */
#pragma once

#include "analysis/plan/dive.h"
#include "analysis/plan/exact.h"

#define N_JOBS_MAX 40u

/* One run of the search: a capacity, an order, a node limit. */
typedef struct {
  int32_t capacity;
  const char *order;
  uint64_t n_nodes_max;
  TnDiveResult result;
  int32_t need;
  int32_t *offset;
  gint stop; /* atomic: a job before it was decisive */
} Job;

/* The jobs of one round.  Their answer is that of the first decisive one in their order, whichever
 * thread ends first: so it depends on no timing. */
typedef struct {
  TnExact *exact;
  const TnField *field;
  Job jobs[N_JOBS_MAX];
  uint32_t n;
  uint64_t n_nodes_max, n_fails_max;
  gint64 deadline;
  bool is_alone;  /* on one thread */
  gint next;      /* atomic */
  gint decisive;  /* atomic: least index of a decisive job */
  uint64_t nodes; /* atomic */
} Round;

/* A part of the problem: its field, what is proved and what is found, in units. */
typedef struct {
  TnField *field;
  TnDive *dive[2];
  tn_bytes height;                   /* bytes */
  int32_t proved;                    /* units */
  unsigned round, n_rounds_at_bound; /* rounds that tried the capacity `bound_tried` */
  int32_t bound_tried;
  bool is_begun, is_done;
} PartState;

/* exact-round.c.  Every order's job at this capacity, unless the round has them. */
void tn_exact_add_jobs(Round *round, int32_t capacity, uint64_t n_nodes_max);
/* Runs the jobs, on two threads where they are long enough to be worth it. */
void tn_exact_run_round(Round *round, PartState *part);

/* exact-coarse.c.  Where many bodies are negligible, their numbers hide what matters and make the
 * unit fine: a plan of the others first, at their own bound. */
void tn_exact_improve_coarsely(TnExact *exact, PartState *part);
