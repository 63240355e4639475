/* SPDX-License-Identifier: MIT */
/* The events of a log as a list model, in their order; its items are TnIndexRow, made for a row only
 * while a widget shows it. */
#pragma once

#include "analysis/study.h"

#include <gio/gio.h>

#define TN_TYPE_EVENT_LIST (tn_event_list_get_type())
G_DECLARE_FINAL_TYPE(TnEventList, tn_event_list, TN, EVENT_LIST, GObject)

TnEventList *tn_event_list_new(TnStudy *study);
/* Of another plan of the same device nothing changes but what is written of its events. */
void tn_event_list_set_study(TnEventList *list, TnStudy *study);
bool tn_event_list_has_device(TnEventList *list, const TnDevice *device);

typedef enum {
  TN_EVENT_COLUMN_INDEX,
  TN_EVENT_COLUMN_TIME,
  TN_EVENT_COLUMN_ACTION,
  TN_EVENT_COLUMN_SIZE,
  TN_EVENT_COLUMN_ADDRESS,
  TN_EVENT_COLUMN_SITE,
  TN_N_EVENT_COLUMNS
} TnEventColumn;

/* The text of a cell, owned by the caller. */
char *tn_event_list_dup_cell(const TnStudy *study, uint32_t event, TnEventColumn column);
