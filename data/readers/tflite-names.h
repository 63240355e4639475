/* SPDX-License-Identifier: MIT */
/* TensorFlow Lite's enumerations. */
#pragma once

#include "data/dtype.h"

#define TN_TFLITE_CUSTOM 32
#define TN_TFLITE_PLACEHOLDER 127 /* in the old field: the code is in the new one */

/* "CONV_2D" for 3; NULL for a code that is newer than the list. */
const char *tn_tflite_op_name(int64_t code);
TnDtype tn_tflite_dtype(int64_t code);
