/* SPDX-License-Identifier: MIT */
/* What kernels of TensorFlow Lite Micro ask for beside their tensors, as far as a model's own
 * tensors tell.  Source: tensorflow/tflite-micro, micro/kernels/ (reference kernels): svdf_common.cc,
 * transpose_conv.cc, unidirectional_sequence_lstm.cc, reduce_common.cc, mirror_pad.cc, add_n.cc, and
 * conv_common.cc, depthwise_conv_common.cc, fully_connected.cc for filters of 4 bits.  Kernels of a
 * vendor (CMSIS-NN, Xtensa, …) ask for more. */
#pragma once

#include "data/graph.h"
#include "data/strings.h"

#define TN_TFLM_MOST_SCRATCH 4

/* Fills `out` with the bytes of each RequestScratchBufferInArena() of the op, as requested; returns
 * how many.  `pointer_bytes`: 4 on a microcontroller, 8 on a 64-bit host. */
uint32_t tn_tflm_list_scratch(const TnGraph *graph, const TnStrings *strings, const TnOp *op,
                              tn_bytes pointer_bytes, tn_bytes *out);

/* The sum of them on a microcontroller, each rounded up to 16; 0: none. */
tn_bytes tn_tflm_scratch_bytes(const TnGraph *graph, const TnStrings *strings, const TnOp *op);
