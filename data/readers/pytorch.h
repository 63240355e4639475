/* SPDX-License-Identifier: MIT */
/* The pickle inside, wherever it comes from (a file, a base64 string of an HTML page). */
#pragma once

#include "data/reader.h"

/* Reads a snapshot pickle of data[0, size) into `document`; errors begin with `name`. */
bool tn_pytorch_read_pickle(const char *name, const uint8_t *data, gsize size,
                            const TnReadOptions *options, TnDocument *document, GError **error);
