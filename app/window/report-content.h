/* SPDX-License-Identifier: MIT */
/* What a report from the window is about: what a tab shows, held so that it stays as it is while
 * the report is drawn and written on other threads. */
#pragma once

#include "app/window/box-layout.h"
#include "app/window/budget-job.h"
#include "app/window/diff-model.h"
#include "app/window/orders-view.h"
#include "app/window/session.h"
#include "render/report-file.h"

typedef struct {
  gint references;
  GObject *owner; /* session or model: keeps the documents */
  TnStudy *study; /* NULL: a comparison */
  TnFindings *of_lives; /* what the session knows of the study's lives, which may be a plan's; NULL: a comparison */
  TnView view;    /* of a comparison: its common axis, as it is shown */
  tn_tick moment; /* of a file: what live set and stacks are of */
  TnPictureOptions chosen; /* of a file: what is chosen in the views of a moment */
  TnBoxGroups *groups;     /* of its live set; NULL: as it is coloured */
  TnOrdersFound *orders; /* of a graph; NULL: none, or not yet */
  guint order;           /* the row that is selected; TN_NONE */
  TnBudgetAnswer *plan, *sweep; /* of a graph; NULL: none, or not yet */
  TnDiffPicture *diff; /* NULL: a file */
  TnDiffLayout layout;
  TnFileStamp stamp[2]; /* which files they were */
  GBytes *match[2];
  TnUnits units;
  char *options; /* what the report says of how it came about */
  char *notes;   /* those of the file, to begin with; "" where there are none */
} TnReportContent;

TnReportContent *tn_report_content_new_for_session(TnSession *session);
/* `shown`: the part that is on screen.  NULL while there is no picture. */
TnReportContent *
tn_report_content_new_for_diff(TnDiffModel *model, TnDiffLayout layout, const TnView *shown);
TnReportContent *tn_report_content_ref(TnReportContent *content);
void tn_report_content_unref(TnReportContent *content);

/* The file's name without a folder, or both: what a report is called at first.  Owned by the
 * caller. */
char *tn_report_content_build_name(const TnReportContent *content);

/* What takes long and is the same for each drawing: findings, hashes of the files.  For any thread.
 */
typedef struct {
  TnFindings *findings; /* NULL for a comparison */
  char *hash[2];        /* NULL where a file can't be read again, or is another now */
  bool is_replaced[2];  /* another */
} TnReportFacts;

TnReportFacts *tn_report_facts_new(const TnReportContent *content);
void tn_report_facts_free(TnReportFacts *facts);

/* A report's parameters but for its format: everything is borrowed from the arguments, and from
 * `picture`, which the caller keeps beside it.  `facts` may be NULL: not known yet. */
TnReportParams tn_report_content_params(const TnReportContent *content,
                                        const TnReportFacts *facts,
                                        const char *notes,
                                        bool is_dark,
                                        TnDiffPicture *picture);
