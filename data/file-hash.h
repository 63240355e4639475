/* SPDX-License-Identifier: MIT */
/* What names a file's content in a report. */
#pragma once

#include <glib.h>

/* SHA-256 of the file's bytes as they lie on the disk (packed where it is packed), 64 hexadecimal
 * digits owned by the caller; NULL where it can't be read, or not again ("-", a pipe, a device).
 * Errors: TN_DATA_ERROR_OPEN. */
char *tn_file_hash(const char *path, GError **error);
