/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/link.h"

#include <stdlib.h>

/* Points below 1 MB are no measurement: 10 µs for one copy with its synchronisation, plus the bytes
 * at the rate of the first measured point. */
static const TnLinkPreset presets[] = {
    {"pcie3-x16",
     "PCIe 3, 16 lanes",
     "CUDA bandwidthTest, pinned, 1 MB to 1 GB (Princeton, \"Tiger\"); 256 kB estimated",
     {{262144, 30.5e-6},
      {1000000, 78.1e-6},
      {10000000, 763.4e-6},
      {100000000, 7633.6e-6},
      {1000000000, 76335.9e-6}},
     {{262144, 31.7e-6},
      {1000000, 82.6e-6},
      {10000000, 806.5e-6},
      {100000000, 8064.5e-6},
      {1000000000, 80645.2e-6}}},
    {"pcie4-x16",
     "PCIe 4, 16 lanes",
     "CUDA bandwidthTest, pinned, 1 MB to 1 GB (A100, Princeton, \"Della\"); 256 kB estimated",
     {{262144, 26.6e-6},
      {1000000, 63.3e-6},
      {10000000, 393.7e-6},
      {100000000, 3816.8e-6},
      {1000000000, 38910.5e-6}},
     {{262144, 24.6e-6},
      {1000000, 55.6e-6},
      {10000000, 515.5e-6},
      {100000000, 4149.4e-6},
      {1000000000, 38759.7e-6}}},
    {"pcie3-x8",
     "PCIe 3, 8 lanes",
     "CUDA bandwidthTest, pinned, 32 MB (T4, public logs); other sizes at the same rate + 10 µs",
     {{262144, 49.7e-6}, {33554432, 5094.0e-6}, {1000000000, 151525.2e-6}},
     {{262144, 51.6e-6}, {33554432, 5336.1e-6}, {1000000000, 158740.2e-6}}},
    {NULL, NULL, NULL, {{0, 0}}, {{0, 0}}}};

const TnLinkPreset *
tn_link_presets(void)
{
  return presets;
}

static int
compare(const void *a, const void *b)
{
  const TnLinkPoint *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? -1 : 1;
  return x->seconds > y->seconds ? -1 : x->seconds < y->seconds;
}

static GArray *
copy_points(const GArray *points)
{
  GArray *copy = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  g_autofree TnLinkPoint *sorted =
      g_memdup2(points->data, sizeof(TnLinkPoint) * (gsize)points->len);
  if (points->len > 0)
    qsort(sorted, points->len, sizeof *sorted, compare);
  for (guint i = 0; i < points->len; i++)
    if (i == 0 || sorted[i].bytes != sorted[i - 1].bytes)
      g_array_append_val(copy, sorted[i]);
  return copy;
}

TnLink *
tn_link_new(const char *name, const char *source, const GArray *out, const GArray *in)
{
  TnLink *link = g_new0(TnLink, 1);
  link->name = g_strdup(name);
  link->source = g_strdup(source);
  link->out = copy_points(out);
  link->in = copy_points(in);
  return link;
}

static GArray *
points_of(const TnLinkPoint *points)
{
  GArray *list = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  for (; points->bytes > 0; points++)
    g_array_append_vals(list, points, 1);
  return list;
}

TnLink *
tn_link_new_for_preset(const TnLinkPreset *preset)
{
  g_autoptr(GArray) out = points_of(preset->out), in = points_of(preset->in);
  return tn_link_new(preset->name, preset->source, out, in);
}

TnLink *
tn_link_new_for_graph(const TnGraph *graph)
{
  const GArray *out = graph->link_out && graph->link_out->len ? graph->link_out : graph->link_in;
  const GArray *in = graph->link_in && graph->link_in->len ? graph->link_in : graph->link_out;
  if (!out || !in || out->len == 0 || in->len == 0)
    return NULL;
  return tn_link_new("graph", "the graph's own `link`", out, in);
}

void
tn_link_free(TnLink *link)
{
  if (!link)
    return;
  g_array_unref(link->out);
  g_array_unref(link->in);
  g_free(link->name);
  g_free(link->source);
  g_free(link);
}

double
tn_link_seconds(const GArray *points, tn_bytes bytes)
{
  const TnLinkPoint *point = (const TnLinkPoint *)(const void *)points->data;
  guint low = 0, high = points->len;
  if (bytes <= 0 || high == 0)
    return 0;
  if (bytes <= point[0].bytes)
    return point[0].seconds;
  if (high == 1)
    return point[0].seconds * (double)bytes / (double)MAX(point[0].bytes, (tn_bytes)1);
  while (low + 1 < high) {
    guint middle = low + (high - low) / 2;
    *(point[middle].bytes <= bytes ? &low : &high) = middle;
  }
  low = MIN(low, points->len - 2);
  double slope = (point[low + 1].seconds - point[low].seconds) /
                 (double)(point[low + 1].bytes - point[low].bytes);
  return MAX(point[low].seconds + slope * (double)(bytes - point[low].bytes), point[0].seconds);
}
