/* SPDX-License-Identifier: MIT */
/* Whether a file is still the one that was read, without reading it again: size, time and place. */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
  gint64 size, time_ns; /* of the last change */
  guint64 device, inode; /* all 0: no file */
} TnFileStamp;

/* Of what is at the path now; all 0 where nothing is. */
TnFileStamp tn_file_stamp_of(const char *path);
bool tn_file_stamp_is_same(const TnFileStamp *a, const TnFileStamp *b);
