/* SPDX-License-Identifier: MIT */
/* Pictures made of labelled boxes: what is alive at a moment as a treemap, and call stacks as a flame
 * graph.  Laid out once for a rectangle, then drawn and asked what is where. */
#pragma once

#include "render/view.h"

typedef struct {
  TnRect rect;
  uint32_t color;
  char *label;      /* owned */
  tn_bytes bytes;   /* flame graphs weighted by life: byte-ticks */
  tn_index buffer;  /* of a treemap: the buffer; TN_NONE: a group or what is left over */
  uint32_t frame;   /* of a flame graph: the frame; TN_NONE */
  bool is_header;   /* holds other boxes: its label stands at its top */
  bool is_silent;   /* there is no place for its label: what it holds covers it */
  bool is_named_above; /* the box around it has the same name: only its size is written */
} TnBox;

typedef struct {
  GArray *boxes; /* TnBox, containers before what they hold */
  char *title;   /* "Alive at event 4,272: 3.53 GiB in 312 buffers" */
  double total;
} TnBoxes;

void tn_boxes_free(TnBoxes *boxes);

/* Squarified treemap of the buffers alive at `tick`, in the groups of the view; a buffer has the
 * colour that it has everywhere.
 * Bruls, Huizing, van Wijk, "Squarified Treemaps" (2000).  O(alive log alive). */
TnBoxes *tn_treemap_new(const TnView *view, tn_tick tick, TnRect rect);

typedef enum { TN_FLAME_ALIVE, TN_FLAME_BYTE_TICKS } TnFlameWeight;

/* Call stacks, the outermost frame at the top, each as wide as the bytes that are alive at `tick`
 * under it (or as the bytes x ticks of all buffers).  `with_framework`: frames of PyTorch and the
 * standard library too.  O(stacks x depth). */
TnBoxes *tn_flame_new(const TnView *view, tn_tick tick, TnFlameWeight weight, bool with_framework,
                      TnRect rect);

/* The innermost box at a point, or -1. */
int tn_boxes_hit(const TnBoxes *boxes, double x, double y);

/* The box of a buffer, or -1. */
int tn_boxes_find(const TnBoxes *boxes, tn_index buffer);

/* The next box in a direction, dx and dy being -1, 0 or 1: of those wholly on that side the
 * nearest, across twice as far as along; `from` where there is none.  From none, -1: the first.
 * Boxes that hold others are passed over, -1 where there are no others.  O(boxes). */
int tn_boxes_step(const TnBoxes *boxes, int from, int dx, int dy);

/* Draws them; `hovered` and `selected` (a buffer) are outlined. */
void tn_draw_boxes(const TnPaint *paint, const TnView *view, const TnBoxes *boxes, int hovered);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnBoxes, tn_boxes_free)
