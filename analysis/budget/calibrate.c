/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/budget/calibrate.h"

#include "data/link-file.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SEGMENTS = 4, MOST_POINTS = 400 };

typedef struct {
  double latency, per_byte, cost; /* cost: sum of squared relative errors */
} Line;

/* ---- points ---------------------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
  const TnLinkPoint *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? -1 : 1;
  return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* Sorted, one point a size: the median of its times. */
static GArray *
build_medians(const GArray *points)
{
  g_autofree TnLinkPoint *sorted =
      g_memdup2(points->data, sizeof(TnLinkPoint) * (gsize)points->len);
  GArray *medians = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  qsort(sorted, points->len, sizeof *sorted, compare);
  for (guint from = 0, to; from < points->len; from = to) {
    for (to = from + 1; to < points->len && sorted[to].bytes == sorted[from].bytes; to++)
      ;
    g_array_append_val(medians, sorted[from + (to - from) / 2]);
  }
  /* Too many to try all pieces of: every so-manieth, and the last. */
  guint step = medians->len / MOST_POINTS + 1;
  for (guint i = 0, n = 0; step > 1 && i < medians->len; i += step, n++)
    g_array_index(medians, TnLinkPoint, n) = g_array_index(medians, TnLinkPoint, i);
  if (step > 1)
    g_array_set_size(medians, (medians->len - 1) / step + 1);
  return medians;
}

/* ---- one piece ------------------------------------------------------------------------- */

static double
cost_of(const TnLinkPoint *point, guint n, double latency, double per_byte)
{
  double cost = 0;
  for (guint i = 0; i < n; i++) {
    double error = (latency + per_byte * (double)point[i].bytes) / point[i].seconds - 1;
    cost += error * error;
  }
  return cost;
}

/* Weighted least squares with weights 1 / seconds^2: the smallest relative errors. */
static Line
fit_line(const TnLinkPoint *point, guint n)
{
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, sx2y = 0;
  for (guint i = 0; i < n; i++) {
    double w = 1 / (point[i].seconds * point[i].seconds), x = (double)point[i].bytes;
    s += w;
    sx += w * x;
    sy += w * point[i].seconds;
    sxx += w * x * x;
    sxy += w * x * point[i].seconds;
  }
  sx2y = sxx > 0 ? sxy / sxx : 0;
  double det = s * sxx - sx * sx;
  Line line = {0, sx2y, 0};
  if (n > 1 && det > 1e-12 * s * sxx) {
    line.per_byte = (s * sxy - sx * sy) / det;
    line.latency = (sy - line.per_byte * sx) / s;
  }
  if (line.latency < 0)
    line = (Line){0, sx2y, 0};
  if (line.per_byte < 0)
    line = (Line){s > 0 ? sy / s : 0, 0, 0};
  line.cost = cost_of(point, n, line.latency, line.per_byte);
  return line;
}

/* ---- pieces ---------------------------------------------------------------------------- */

typedef struct {
  const TnLinkPoint *point;
  guint n;
  Line *line;   /* shape n * n: of points i … j */
  double *cost; /* shape (MOST_SEGMENTS + 1) * (n + 1): of the first j points in k pieces */
  guint *start; /* the same shape: where the last piece begins */
} Pieces;

static void
solve(Pieces *pieces)
{
  guint n = pieces->n;
  for (guint i = 0; i < n; i++)
    for (guint j = i; j < n; j++)
      pieces->line[i * n + j] = fit_line(pieces->point + i, j - i + 1);
  for (guint k = 0; k <= MOST_SEGMENTS; k++)
    for (guint j = 0; j <= n; j++) {
      double *cost = &pieces->cost[k * (n + 1) + j];
      *cost = j == 0 ? 0 : HUGE_VAL;
      for (guint i = 0; k > 0 && i < j; i++) {
        double with = pieces->cost[(k - 1) * (n + 1) + i] + pieces->line[i * n + j - 1].cost;
        /* A piece of one point says nothing of its rate, unless there is no other. */
        if (j - i < 2 && n > 1)
          continue;
        if (with < *cost) {
          *cost = with;
          pieces->start[k * (n + 1) + j] = i;
        }
      }
    }
}

static int
compare_doubles(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static TnLinkFit *
build_fit(const Pieces *pieces, guint k)
{
  TnLinkFit *fit = g_new0(TnLinkFit, 1);
  guint n = pieces->n, end = n;
  fit->segments = g_array_new(FALSE, FALSE, sizeof(TnLinkSegment));
  fit->n_points = n;
  for (; k > 0 && end > 0; k--) {
    guint start = pieces->start[k * (n + 1) + end];
    Line line = pieces->line[start * n + end - 1];
    TnLinkSegment segment = {pieces->point[start].bytes, pieces->point[end - 1].bytes, line.latency,
                             line.per_byte > 0 ? 1 / line.per_byte : HUGE_VAL};
    g_array_prepend_val(fit->segments, segment);
    end = start;
  }
  g_autofree double *errors = g_new(double, n);
  for (guint i = 0; i < n; i++)
    errors[i] =
        fabs(tn_link_fit_seconds(fit, pieces->point[i].bytes) / pieces->point[i].seconds - 1);
  qsort(errors, n, sizeof *errors, compare_doubles);
  fit->median_error = n % 2 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
  fit->max_error = errors[n - 1];
  return fit;
}

TnLinkFit *
tn_link_fit_new(const GArray *points)
{
  g_autoptr(GArray) medians = points->len > 0 ? build_medians(points) : NULL;
  TnLinkFit *fits[MOST_SEGMENTS + 1] = {NULL}, *best = NULL;
  double least = HUGE_VAL;
  if (!medians)
    return NULL;
  gsize n = medians->len;
  g_autofree Line *lines = g_new0(Line, n * n);
  g_autofree double *cost = g_new0(double, (MOST_SEGMENTS + 1) * (n + 1));
  g_autofree guint *start = g_new0(guint, (MOST_SEGMENTS + 1) * (n + 1));
  Pieces pieces = {(const TnLinkPoint *)(const void *)medians->data, (guint)n, lines, cost, start};
  solve(&pieces);
  for (guint k = 1; k <= MOST_SEGMENTS; k++) {
    if (cost[k * (n + 1) + n] == HUGE_VAL)
      continue;
    fits[k] = build_fit(&pieces, k);
    least = MIN(least, fits[k]->max_error);
  }
  for (guint k = 1; k <= MOST_SEGMENTS; k++)
    if (fits[k] && !best && fits[k]->max_error <= least * 1.1 + 0.001)
      best = fits[k];
    else if (fits[k])
      tn_link_fit_free(fits[k]);
  return best;
}

void
tn_link_fit_free(TnLinkFit *fit)
{
  if (!fit)
    return;
  g_array_unref(fit->segments);
  g_free(fit);
}

static double
segment_seconds(const TnLinkSegment *segment, tn_bytes bytes)
{
  return segment->latency_seconds + (double)bytes / segment->bytes_per_second;
}

double
tn_link_fit_seconds(const TnLinkFit *fit, tn_bytes bytes)
{
  const TnLinkSegment *segment = &g_array_index(fit->segments, TnLinkSegment, 0);
  if (bytes <= 0)
    return 0;
  for (guint i = 1; i < fit->segments->len; i++)
    if (g_array_index(fit->segments, TnLinkSegment, i).from <= bytes)
      segment = &g_array_index(fit->segments, TnLinkSegment, i);
  return segment_seconds(segment, MAX(bytes, g_array_index(fit->segments, TnLinkSegment, 0).from));
}

GArray *
tn_link_fit_build_points(const TnLinkFit *fit)
{
  GArray *points = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  for (guint i = 0; i < fit->segments->len; i++) {
    const TnLinkSegment *segment = &g_array_index(fit->segments, TnLinkSegment, i);
    TnLinkPoint from = {segment->from, segment_seconds(segment, segment->from)};
    TnLinkPoint to = {segment->to, segment_seconds(segment, segment->to)};
    g_array_append_val(points, from);
    /* One size alone: its rate shows only at another one. */
    if (to.bytes == from.bytes)
      to = (TnLinkPoint){from.bytes * 2, segment_seconds(segment, from.bytes * 2)};
    if (segment->to > segment->from || fit->segments->len == 1)
      g_array_append_val(points, to);
  }
  return points;
}

TnLink *
tn_link_new_from_text(const char *name, const char *text, gsize size, GError **error)
{
  TnLinkFile file;
  if (!tn_link_file_read(name, text, size, &file, error))
    return NULL;
  TnLink *link = tn_link_new(name, name, file.out->len ? file.out : file.in,
                             file.in->len ? file.in : file.out);
  tn_link_file_clear(&file);
  return link;
}
