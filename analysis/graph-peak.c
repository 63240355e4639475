/* SPDX-License-Identifier: MIT */
/* The live peak of a graph's buffers, and the words for models and aliasing. */
#include "config.h"

#include "analysis/graph-lifetime.h"

tn_bytes *
tn_graph_build_live(const TnBuffers *buffers, tn_tick axis_end)
{
  tn_bytes *change = g_try_new0(tn_bytes, (gsize)axis_end + 1);
  for (uint32_t i = 0; change && i < buffers->n; i++) {
    uint32_t n_gaps;
    const TnGap *gaps = tn_buffers_gaps(buffers, i, &n_gaps);
    change[CLAMP(buffers->start[i], 0, axis_end)] += buffers->bytes[i];
    change[CLAMP(buffers->end[i], 0, axis_end)] -= buffers->bytes[i];
    for (uint32_t g = 0; g < n_gaps; g++) {
      tn_bytes absent = buffers->bytes[i] - (gaps[g].high - gaps[g].low);
      change[CLAMP(gaps[g].start, 0, axis_end)] -= absent;
      change[CLAMP(gaps[g].end, 0, axis_end)] += absent;
    }
  }
  for (tn_tick t = 1; change && t < axis_end; t++)
    change[t] += change[t - 1];
  return change;
}

tn_bytes
tn_graph_live_peak(const TnBuffers *buffers, tn_tick axis_end, tn_tick *out_at)
{
  g_autofree tn_bytes *live = tn_graph_build_live(buffers, axis_end);
  tn_bytes peak = 0;
  if (out_at)
    *out_at = 0;
  if (!live)
    return INT64_MAX;
  for (tn_tick t = 0; t < axis_end; t++) {
    if (live[t] <= peak)
      continue;
    peak = live[t];
    if (out_at)
      *out_at = t;
  }
  return peak;
}

static const char *const model_names[] = {"kernel", "release-first"};
static const char *const aliasing_names[] = {"none", "views", "all"};

static int
find_name(const char *const *names, int n, const char *name)
{
  for (int i = 0; i < n; i++)
    if (g_strcmp0(names[i], name) == 0)
      return i;
  return -1;
}

const char *
tn_lifetime_model_name(TnLifetimeModel model)
{
  return model_names[model];
}

bool
tn_lifetime_model_from_name(const char *name, TnLifetimeModel *out_model)
{
  int found = find_name(model_names, G_N_ELEMENTS(model_names), name);
  if (found >= 0)
    *out_model = (TnLifetimeModel)found;
  return found >= 0;
}

const char *
tn_aliasing_name(TnAliasing aliasing)
{
  return aliasing_names[aliasing];
}

bool
tn_aliasing_from_name(const char *name, TnAliasing *out_aliasing)
{
  int found = find_name(aliasing_names, G_N_ELEMENTS(aliasing_names), name);
  if (found >= 0)
    *out_aliasing = (TnAliasing)found;
  return found >= 0;
}
