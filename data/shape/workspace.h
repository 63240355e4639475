/* SPDX-License-Identifier: MIT */
/* Scratch memory that the kernels of an op take, by the way they compute.  Elements × size:
 *
 *   im2col        C/g · kH · kW · oH · oW, one image and group at a time; 0 where the window is one
 *                 element at stride 1 without padding
 *   tiled-im2col  the same for one row of the output
 *   winograd      F(2×2, 3×3): 16 · (C + K) · N · ⌈oH/2⌉ · ⌈oW/2⌉, filters transformed beforehand
 *   mlas          ONNX Runtime's CPU library, one thread: 0 where im2col is; one input row + 2 for
 *                 depthwise; oH · oW · C/g · kH · kW with more filters than places; else 128 · 128
 *   needed        LSTM: 4 · hidden · batch · seq + 3 · batch · hidden for each direction, and for
 *                 the backward one copies of its input and output; attention: heads · queries ·
 *                 keys · batch
 *
 * Sources: ONNX Runtime's conv.cc, mlas convolve.cpp, uni_directional_lstm.cc; Lavin and Gray,
 * "Fast Algorithms for Convolutional Neural Networks", 2016, for Winograd. */
#pragma once

#include "data/shape/rule.h"

#define TN_MOST_WORKSPACES 8

typedef struct {
  const char *name;
  tn_bytes bytes;
} TnWorkspace;

/* Fills `out` (shape TN_MOST_WORKSPACES) for an op whose outputs are inferred; returns how many, 0
 * where nothing is known of the op.  The first is "direct" (none) or "needed". */
uint32_t tn_workspaces_list(const TnRuleContext *context, TnWorkspace *out);
