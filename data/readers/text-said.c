/* SPDX-License-Identifier: MIT */
/* What was said of late: one failure is told of by an allocator, its client, a logger and a traceback. */
#include "config.h"

#include "data/hash.h"
#include "data/readers/text-log.h"

#define NEAR_LINES 1000
#define NEAR_SECONDS 120
#define DAY 86400

void
tn_text_log_add_dumped(TnTextLog *log, tn_bytes least, tn_bytes most, int32_t device)
{
  uint32_t i = log->dumped->n++ % TN_TEXT_SAID;
  log->dumped->last[i].least = least;
  log->dumped->last[i].most = most;
  log->dumped->last[i].device = device;
  log->dumped->last[i].when = log->now;
  log->dumped->last[i].is_used = false;
}

bool
tn_text_log_use_dumped(TnTextLog *log, tn_bytes bytes, tn_bytes step, int32_t *device)
{
  for (uint32_t i = 0; i < MIN(log->dumped->n, (uint32_t)TN_TEXT_SAID); i++) {
    int32_t of = log->dumped->last[i].device;
    if (log->dumped->last[i].is_used || !tn_text_moment_is_near(log->dumped->last[i].when, log->now) ||
        tn_add_saturated(bytes, step) < log->dumped->last[i].least || bytes - step > log->dumped->last[i].most ||
        (of >= 0 && *device >= 0 && of != *device))
      continue;
    log->dumped->last[i].is_used = true;
    *device = MAX(*device, of);
    return true;
  }
  return false;
}

bool
tn_text_moment_is_near(TnTextMoment a, TnTextMoment b)
{
  uint32_t lines = MAX(a.line, b.line) - MIN(a.line, b.line);
  int32_t seconds = a.second && b.second ? ABS(a.second - b.second) : 0;
  bool may_be_one = !a.process || !b.process || a.process == b.process;
  return may_be_one && lines <= NEAR_LINES && MIN(seconds, DAY - seconds) <= NEAR_SECONDS;
}

void
tn_text_moment_repeat(TnTextMoment *first, TnTextMoment again)
{
  if (!first->process)
    first->process = again.process;
}

bool
tn_text_is_news(TnTextSaid *said, const char *what, TnTextMoment when)
{
  guint hash = tn_text_hash(what);
  for (uint32_t i = 0; i < MIN(said->n, (uint32_t)TN_TEXT_SAID); i++) {
    if (said->last[i].hash != hash || !tn_text_moment_is_near(said->last[i].when, when))
      continue;
    tn_text_moment_repeat(&said->last[i].when, when);
    return false;
  }
  said->last[said->n % TN_TEXT_SAID].hash = hash;
  said->last[said->n++ % TN_TEXT_SAID].when = when;
  return true;
}
