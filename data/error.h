/* SPDX-License-Identifier: MIT */
/* Errors of reading and writing.  Messages name the file, the place, what was found and what was
 * expected, in this order. */
#pragma once

#include <glib.h>

#define TN_DATA_ERROR (tn_data_error_quark())

typedef enum {
  TN_DATA_ERROR_OPEN,        /* the file can't be opened or read at all */
  TN_DATA_ERROR_UNKNOWN,     /* no reader knows this content */
  TN_DATA_ERROR_MALFORMED,   /* the content breaks its format's rules */
  TN_DATA_ERROR_TRUNCATED,   /* the content ends early; TnReadOptions.partial may still read it */
  TN_DATA_ERROR_REFUSED,     /* the content asks for something that is never done (run code) */
  TN_DATA_ERROR_TOO_LARGE,   /* a size or a count passes a limit */
  TN_DATA_ERROR_UNSUPPORTED, /* a known format in a version or form that is not read */
  TN_DATA_ERROR_CANCELLED,
  TN_DATA_ERROR_WRITE
} TnDataError;

GQuark tn_data_error_quark(void);
