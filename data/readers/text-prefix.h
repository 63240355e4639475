/* SPDX-License-Identifier: MIT */
/* What launchers, containers and loggers put before a line. */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct {
  char stream;  /* of docker's lines: of stdout or stderr; 0: it is none */
  bool is_open; /* docker cuts lines at 16 KiB: this one goes on in the next of its stream */
} TnTextPacking;

/* Takes a line out of what it was packed into: docker's `{"log":"…"}`, `> ` quotes, and (where it
 * has any) `&lt; &gt; &amp; &quot; &#39;`.  `other` is room to work in. */
TnTextPacking tn_text_unpack(GString *line, GString *other);

/* Behind the tags of launchers and containers, which are appended to `tag`: `[rank1]:`,
 * `[default0]:`, `[1,0]<stderr>:` (mpirun), `3: ` (srun -l), `(Worker pid=7)` (Ray, vLLM),
 * `web-1  | ` (docker compose), `[pod/a/b]` (kubectl), also after a timestamp. */
const char *tn_text_skip_tags(const char *line, GString *tag);

/* Behind a timestamp and a logger's prefix: dates, `I1129 12:00:00.1 123 f.cc:7]` (glog),
 * `2017-11-06 08:55:24.9: W path/f.cc:1] ` (TensorFlow), `INFO 12-13 19:54:18 worker.py:243] `. */
const char *tn_text_skip_logger(const char *line);

/* The second of the day that a logger's prefix from `line` to `end` says: `… 12:00:01…`.  -1: none. */
int32_t tn_text_second(const char *line, const char *end);

/* The process that wrote a line (without tags, with its logger's prefix) or that a row is of: `[INFO] GE(123,python3):…`
 * of CANN's logs, `123,main_0,optype,…` of the imas tool.  0: not said. */
int64_t tn_text_process(const char *whole);
