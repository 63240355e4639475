/* SPDX-License-Identifier: MIT */
/* A spill plan for one budget, or for many (the curve), made in a worker.  Main thread only. */
#pragma once

#include "app/answer/spill-answer.h"
#include "app/window/session.h"

typedef struct {
  tn_bytes budget; /* <= 0: half way between the least possible and the peak */
  guint link;      /* of tn_budget_link_names() */
  bool is_sweep;   /* plans for budgets from the least possible to the peak instead */
} TnBudgetRequest;

/* Never changed once it is there; atomically reference counted. */
typedef struct {
  TnStudy *study;   /* owned reference: whose order, runtime and lives */
  TnDocument *view; /* owned: of the study's document, with strings of its own */
  TnBudgetRequest request;
  TnLink *link;          /* owned */
  TnSpillAnswer *answer; /* owned; NULL: failed */
  GError *error;         /* owned; NULL where there is an answer */
  TnSpillReport report;
  TnSession *session; /* owned reference: keeps the document */
} TnBudgetAnswer;

void tn_budget_answer_unref(TnBudgetAnswer *answer);

typedef struct TnBudgetJob TnBudgetJob;

typedef struct {
  /* A point of the curve, as soon as it is known. */
  void (*swept)(const TnSpillPoint *point, gpointer data);
  /* Once, at the end; takes the answer.  The job is then still the caller's to drop. */
  void (*done)(TnBudgetAnswer *answer, gpointer data);
} TnBudgetJobCalls;

/* `calls` are made on the main thread, until the job is dropped. */
TnBudgetJob *tn_budget_job_start(TnSession *session,
                                 const TnBudgetRequest *request,
                                 const TnBudgetJobCalls *calls,
                                 gpointer data);
/* Tells it to stop and frees it. */
void tn_budget_job_drop(TnBudgetJob *job);

/* The links to choose from, NULL-terminated: the graph's own where it has one, then the presets.
 * Owned by the caller (g_strfreev). */
char **tn_budget_link_names(const TnGraph *graph);
