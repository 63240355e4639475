/* SPDX-License-Identifier: MIT */
/* Laying out a treemap or a flame graph on another thread. */
#pragma once

#include "app/window/session.h"
#include "render/boxes.h"

/* Groups that a view and its layouts share. */
typedef struct {
  TnCategories *categories;
} TnBoxGroups;

/* Takes the categories. */
TnBoxGroups *tn_box_groups_new(TnCategories *categories);
void tn_box_groups_unref(TnBoxGroups *groups);

/* All that it takes, kept: whatever happens to the session meanwhile. */
typedef struct TnBoxLayout TnBoxLayout;
typedef void (*TnBoxLayoutDone)(gpointer owner, TnBoxLayout *layout);

struct TnBoxLayout {
  TnSession *session;  /* owned reference: keeps the document */
  TnStudy *study;      /* owned reference */
  TnBoxGroups *groups; /* owned reference; may be NULL */
  TnView view;
  tn_tick moment;
  TnRect rect;
  bool is_flame; /* else a treemap */
  TnFlameWeight weight;
  bool with_framework;
  TnBoxes *boxes; /* what comes of it */
  GObject *owner; /* owned reference */
  TnBoxLayoutDone done;
};

/* Of the session's study, view and moment as they are; the caller fills in the rest.  `groups` may be
 * NULL. */
TnBoxLayout *tn_box_layout_new(TnSession *session, TnBoxGroups *groups);

/* Takes the layout, and calls `done` with `owner` on the main thread; it may take the boxes. */
void tn_box_layout_run(TnBoxLayout *layout, TnBoxLayoutDone done, GObject *owner);
