/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/boxes.h"

#include "analysis/batch-sum.h"
#include "render/raster.h"

#include <math.h>
#include <stdlib.h>

#define MOST_IN_GROUP 300
#define HEADER 17.0

typedef struct {
  double weight;
  uint32_t id;
} Item;

static int
compare_items(const void *a, const void *b)
{
  const Item *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return x->id < y->id ? -1 : x->id > y->id;
}

/* The worst aspect ratio of a row of items with these sums along a side. */
static double
worst(double sum, double least, double most, double side)
{
  double s2 = sum * sum, w2 = side * side;
  return MAX(w2 * most / s2, s2 / (w2 * least));
}

/* Lays items[0, n) (largest first, weights in square pixels) out in `rect`. */
static void
squarify(const Item *items, uint32_t n, TnRect rect, TnRect *out)
{
  uint32_t from = 0;
  while (from < n) {
    double side = MAX(MIN(rect.width, rect.height), 0.01), sum = 0.0;
    uint32_t stop = from;
    while (stop < n) {
      double next = sum + items[stop].weight;
      if (stop > from && worst(next, items[stop].weight, items[from].weight, side) >
                             worst(sum, items[stop - 1].weight, items[from].weight, side))
        break;
      sum = next;
      stop++;
    }
    bool is_wide = rect.width >= rect.height;
    double thick = sum / side, at = is_wide ? rect.y : rect.x;
    for (uint32_t i = from; i < stop; i++) {
      double length = sum > 0 ? items[i].weight / sum * side : 0.0;
      out[i] = is_wide ? (TnRect){rect.x, at, thick, length} : (TnRect){at, rect.y, length, thick};
      at += length;
    }
    if (is_wide) {
      rect.x += thick;
      rect.width = MAX(rect.width - thick, 0.0);
    } else {
      rect.y += thick;
      rect.height = MAX(rect.height - thick, 0.0);
    }
    from = stop;
  }
}

static void
scale_weights(Item *items, uint32_t n, TnRect rect)
{
  double sum = 0.0;
  for (uint32_t i = 0; i < n; i++)
    sum += items[i].weight;
  for (uint32_t i = 0; i < n && sum > 0; i++)
    items[i].weight *= rect.width * rect.height / sum;
}

typedef struct {
  const TnView *view;
  const TnTheme *theme;
  GArray *boxes;
} Builder;

static void
add_buffers(Builder *b, Item *items, uint32_t n, TnRect rect, uint32_t color, const char *name)
{
  const TnStudy *study = b->view->study;
  if (n == 0 || rect.width < 2.0 || rect.height < 2.0)
    return;
  qsort(items, n, sizeof *items, compare_items);
  uint32_t shown = MIN(n, MOST_IN_GROUP);
  double rest = 0.0;
  for (uint32_t i = shown; i < n; i++)
    rest += items[i].weight;
  Item *all = g_new(Item, shown + 1);
  for (uint32_t i = 0; i < shown; i++)
    all[i] = items[i];
  uint32_t total = shown;
  if (rest > 0)
    all[total++] = (Item){rest, TN_NONE};
  qsort(all, total, sizeof *all, compare_items);
  tn_bytes *bytes = g_new(tn_bytes, total);
  for (uint32_t i = 0; i < total; i++)
    bytes[i] = (tn_bytes)all[i].weight;
  TnRect *rects = g_new(TnRect, total);
  scale_weights(all, total, rect);
  squarify(all, total, rect, rects);
  for (uint32_t i = 0; i < total; i++) {
    bool is_buffer = all[i].id != TN_NONE;
    TnBox box = {.rect = rects[i],
                 .color = is_buffer ? b->theme->shade[study->categories->category[all[i].id]]
                                                     [tn_shade_of(all[i].id)]
                                    : tn_color_mix(color, b->theme->panel, 0.4),
                 .label = is_buffer ? tn_study_dup_label(study, all[i].id)
                                    : g_strdup_printf("%u smaller", n - shown),
                 .bytes = bytes[i],
                 .buffer = all[i].id,
                 .frame = TN_NONE};
    box.is_named_above = is_buffer && g_strcmp0(box.label, name) == 0;
    g_array_append_val(b->boxes, box);
  }
  g_free(all);
  g_free(bytes);
  g_free(rects);
}

static const TnCategories *
groups_of(const TnView *view)
{
  return view->groups ? view->groups : view->study->categories;
}

static void
add_group(Builder *b, const TnGroup *group, tn_bytes bytes, Item *items, uint32_t n, TnRect rect)
{
  /* A group that is no colour's has none: its buffers may be of several. */
  uint32_t hue = b->view->groups ? b->theme->other : b->theme->category[group->category];
  bool has_header = rect.height > 40.0 && rect.width > 60.0;
  TnBox box = {.rect = rect,
               .color = tn_color_mix(hue, b->theme->panel, 0.62),
               .label = g_strdup(group->name),
               .bytes = bytes,
               .buffer = TN_NONE,
               .frame = TN_NONE,
               .is_header = true,
               .is_silent = !has_header};
  g_array_append_val(b->boxes, box);
  TnRect inner = {rect.x + 2, rect.y + (has_header ? HEADER : 2), rect.width - 5,
                  rect.height - (has_header ? HEADER : 2) - 3};
  add_buffers(b, items, n, inner, hue, has_header ? group->name : NULL);
}

static char *
title_of(const TnView *view, tn_tick tick, double total, uint32_t n)
{
  char size[48], at[32], count[32];
  return g_strdup_printf(
      "Alive at %s %s%s: %s in %s %s", tn_axis_unit_name(view->study->device->axis),
      tn_print_count(at, sizeof at, tick), tick == view->study->live->peak_at ? " (the peak)" : "",
      tn_print_bytes(size, sizeof size, (tn_bytes)total, view->units),
      tn_print_count(count, sizeof count, n), tn_plural(n, "buffer", "buffers"));
}

/* Rows of the alive, sorted by group: each group's items lie together. */
static Item *
sort_by_group(const TnView *view, const GArray *alive, uint32_t *out_first)
{
  const TnStudy *study = view->study;
  const TnCategories *categories = groups_of(view);
  uint32_t n_groups = categories->groups->len;
  for (guint i = 0; i < alive->len; i++)
    out_first[categories->group[g_array_index(alive, uint32_t, i)] + 1]++;
  for (uint32_t g = 0; g < n_groups; g++)
    out_first[g + 1] += out_first[g];
  g_autofree uint32_t *next = g_memdup2(out_first, (n_groups + 1) * sizeof *next);
  Item *items = g_new(Item, MAX(alive->len, 1u));
  for (guint i = 0; i < alive->len; i++) {
    uint32_t row = g_array_index(alive, uint32_t, i);
    items[next[categories->group[row]]++] = (Item){(double)study->buffers->bytes[row], row};
  }
  return items;
}

TnBoxes *
tn_treemap_new(const TnView *view, tn_tick tick, TnRect rect)
{
  const TnStudy *study = view->study;
  const TnCategories *categories = groups_of(view);
  uint32_t n_groups = categories->groups->len, n = 0;
  TnBoxes *boxes = g_new0(TnBoxes, 1);
  Builder b = {view, view->theme ? view->theme : tn_theme_light(),
               g_array_new(FALSE, TRUE, sizeof(TnBox))};
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, tick, alive);
  tn_batch_sum_keep(study->buffers, alive, tick);
  g_autofree uint32_t *first = g_new0(uint32_t, n_groups + 1);
  g_autofree Item *items = sort_by_group(view, alive, first);
  g_autofree Item *groups = g_new(Item, MAX(n_groups, 1u));
  for (uint32_t g = 0; g < n_groups; g++) {
    double sum = 0.0;
    for (uint32_t i = first[g]; i < first[g + 1]; i++)
      sum += items[i].weight;
    boxes->total += sum;
    if (sum > 0)
      groups[n++] = (Item){sum, g};
  }
  qsort(groups, n, sizeof *groups, compare_items);
  g_autofree TnRect *rects = g_new(TnRect, MAX(n, 1u));
  g_autofree Item *scaled = g_memdup2(groups, MAX(n, 1u) * sizeof *groups);
  scale_weights(scaled, n, rect);
  squarify(scaled, n, rect, rects);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t g = groups[i].id;
    add_group(&b, &g_array_index(categories->groups, TnGroup, g),
              (tn_bytes)groups[i].weight, items + first[g], first[g + 1] - first[g], rects[i]);
  }
  boxes->boxes = b.boxes;
  boxes->title = title_of(view, tick, boxes->total, alive->len);
  return boxes;
}
