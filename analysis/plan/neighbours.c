/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/plan/neighbours.h"
#include "analysis/plan/order.h"

/* A span in the order of first sections.  Not placed: low == high. */
typedef struct {
  tn_bytes low, high; /* absolute addresses */
  uint32_t last;
  uint32_t body;
} Entry;

struct TnNeighbours {
  const TnBodies *bodies;
  Entry *entries;
  uint32_t *entry;       /* by span: its entry */
  uint32_t *section;     /* n_sections + 1: the first entry that begins at or after it */
  uint32_t *checkpoint;  /* by section: number of the checkpoint at or before it */
  GArray *check_section; /* uint32_t, by checkpoint: its section */
  GArray *check_first;   /* uint32_t, by checkpoint + 1: index into alive */
  GArray *alive;         /* uint32_t: entries that began before the section and reach beyond it */
  TnForbidden *forbidden;
  uint32_t *found;
};

static void
sort_entries(TnNeighbours *neighbours)
{
  const TnBodies *bodies = neighbours->bodies;
  uint32_t n = bodies->n_spans, *section = neighbours->section;
  for (uint32_t i = 0; i < n; i++)
    section[bodies->spans[i].first + 1]++;
  for (uint32_t s = 0; s < bodies->n_sections; s++)
    section[s + 1] += section[s];
  g_autofree uint32_t *next = g_memdup2(section, sizeof *section * (bodies->n_sections + 1));
  for (uint32_t b = 0; b < bodies->n; b++)
    for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++) {
      uint32_t e = neighbours->entry[i] = next[bodies->spans[i].first]++;
      neighbours->entries[e] = (Entry){.last = bodies->spans[i].last, .body = b};
    }
}

/* Keeps the entries that reach beyond section `s`. */
static void
drop_dead(const TnNeighbours *neighbours, GArray *live, uint32_t s)
{
  uint32_t *ids = (uint32_t *)(void *)live->data, kept = 0;
  for (uint32_t i = 0; i < live->len; i++)
    if (neighbours->entries[ids[i]].last > s)
      ids[kept++] = ids[i];
  g_array_set_size(live, kept);
}

static void
add_checkpoint(TnNeighbours *neighbours, const GArray *live, uint32_t s)
{
  g_array_append_val(neighbours->check_section, s);
  g_array_append_vals(neighbours->alive, live->data, live->len);
  g_array_append_val(neighbours->check_first, neighbours->alive->len);
}

/* A checkpoint as soon as as many spans began since the last as were alive there: all lists
 * together are then no longer than the spans, and a query reads at most about three times the
 * spans alive. */
static void
set_checkpoints(TnNeighbours *neighbours)
{
  const TnBodies *bodies = neighbours->bodies;
  g_autoptr(GArray) live = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  uint32_t zero = 0, since = 0, budget = 0;
  g_array_append_val(neighbours->check_first, zero);
  for (uint32_t s = 0; s < bodies->n_sections; s++) {
    if (since >= budget) {
      drop_dead(neighbours, live, s);
      add_checkpoint(neighbours, live, s);
      since = 0;
      budget = MAX(live->len, 16u);
    }
    neighbours->checkpoint[s] = neighbours->check_section->len - 1;
    for (uint32_t e = neighbours->section[s]; e < neighbours->section[s + 1]; e++, since++)
      g_array_append_val(live, e);
  }
}

TnNeighbours *
tn_neighbours_new(const TnBodies *bodies)
{
  TnNeighbours *neighbours = g_new0(TnNeighbours, 1);
  uint32_t n = MAX(bodies->n_spans, 1u), n_sections = bodies->n_sections;
  neighbours->bodies = bodies;
  neighbours->entries = g_new(Entry, n);
  neighbours->entry = g_new(uint32_t, n);
  neighbours->section = g_new0(uint32_t, (gsize)n_sections + 2);
  neighbours->checkpoint = g_new(uint32_t, (gsize)n_sections + 1);
  neighbours->check_section = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  neighbours->check_first = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  neighbours->alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  neighbours->forbidden = g_new(TnForbidden, 64);
  sort_entries(neighbours);
  set_checkpoints(neighbours);
  return neighbours;
}

void
tn_neighbours_free(TnNeighbours *neighbours)
{
  if (!neighbours)
    return;
  g_free(neighbours->entries);
  g_free(neighbours->entry);
  g_free(neighbours->section);
  g_free(neighbours->checkpoint);
  g_array_unref(neighbours->check_section);
  g_array_unref(neighbours->check_first);
  g_array_unref(neighbours->alive);
  g_free(neighbours->forbidden);
  g_free(neighbours->found);
  g_free(neighbours);
}

void
tn_neighbours_place(TnNeighbours *neighbours, uint32_t b, tn_bytes offset)
{
  const TnBodies *bodies = neighbours->bodies;
  for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++) {
    Entry *entry = &neighbours->entries[neighbours->entry[i]];
    entry->low = offset + bodies->spans[i].low;
    entry->high = offset + bodies->spans[i].high;
  }
}

void
tn_neighbours_remove(TnNeighbours *neighbours, uint32_t b)
{
  const TnBodies *bodies = neighbours->bodies;
  for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++)
    neighbours->entries[neighbours->entry[i]].high = neighbours->entries[neighbours->entry[i]].low =
        0;
}

void
tn_neighbours_reset(TnNeighbours *neighbours)
{
  for (uint32_t e = 0; e < neighbours->bodies->n_spans; e++)
    neighbours->entries[e].low = neighbours->entries[e].high = 0;
}

/* The entries that may meet [first, last): a checkpoint's list, and a stretch of entries of which
 * those before `certain` must reach beyond `first`. */
typedef struct {
  const uint32_t *alive;
  uint32_t n_alive, from, certain, to;
} Range;

static Range
range_of(const TnNeighbours *neighbours, uint32_t first, uint32_t last)
{
  uint32_t c = neighbours->checkpoint[first];
  const uint32_t *check_first = (const uint32_t *)(const void *)neighbours->check_first->data;
  return (Range){
      .alive = (const uint32_t *)(const void *)neighbours->alive->data + check_first[c],
      .n_alive = check_first[c + 1] - check_first[c],
      .from = neighbours->section[g_array_index(neighbours->check_section, uint32_t, c)],
      .certain = neighbours->section[first + 1],
      .to = neighbours->section[last],
  };
}

static inline uint32_t
range_size(const Range *range)
{
  return range->n_alive + range->to - range->from;
}

/* Writes the interval always and keeps it only if it counts: no branch to mispredict. */
static inline uint32_t
forbid(TnForbidden *out, const Entry *entry, const TnSpan *span)
{
  out->low = entry->low - span->high;
  out->high = entry->high - span->low;
  return (entry->high > entry->low) & (entry->last > span->first);
}

TnForbidden *
tn_neighbours_forbidden(TnNeighbours *neighbours, uint32_t b, uint32_t *out_n)
{
  const TnBodies *bodies = neighbours->bodies;
  const Entry *entries = neighbours->entries;
  uint32_t n = 0;
  for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++) {
    const TnSpan *span = &bodies->spans[i];
    Range range = range_of(neighbours, span->first, span->last);
    neighbours->forbidden =
        g_renew(TnForbidden, neighbours->forbidden, (gsize)n + range_size(&range) + 1);
    TnForbidden *out = neighbours->forbidden;
    for (uint32_t k = 0; k < range.n_alive; k++)
      n += forbid(out + n, &entries[range.alive[k]], span);
    for (uint32_t e = range.from; e < range.to; e++)
      n += forbid(out + n, &entries[e], span);
  }
  *out_n = n;
  return neighbours->forbidden;
}

const TnForbidden *
tn_neighbours_owned(TnNeighbours *neighbours,
                    uint32_t b,
                    const uint32_t **out_owner,
                    uint32_t *out_n)
{
  const TnBodies *bodies = neighbours->bodies;
  uint32_t n = 0;
  for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++) {
    const TnSpan *span = &bodies->spans[i];
    Range range = range_of(neighbours, span->first, span->last);
    gsize most = (gsize)n + range_size(&range) + 1;
    neighbours->forbidden = g_renew(TnForbidden, neighbours->forbidden, most);
    neighbours->found = g_renew(uint32_t, neighbours->found, most);
    for (uint32_t k = 0; k < range_size(&range); k++) {
      const Entry *entry =
          &neighbours->entries[k < range.n_alive ? range.alive[k] : range.from + k - range.n_alive];
      neighbours->found[n] = entry->body;
      n += forbid(neighbours->forbidden + n, entry, span);
    }
  }
  *out_n = n;
  *out_owner = neighbours->found;
  return neighbours->forbidden;
}

const uint32_t *
tn_neighbours_bodies(TnNeighbours *neighbours, uint32_t b, uint32_t *out_n)
{
  const TnBodies *bodies = neighbours->bodies;
  const Entry *entries = neighbours->entries;
  uint32_t n = 0;
  for (uint32_t i = bodies->span_first[b]; i < bodies->span_first[b + 1]; i++) {
    const TnSpan *span = &bodies->spans[i];
    Range range = range_of(neighbours, span->first, span->last);
    neighbours->found = g_renew(uint32_t, neighbours->found, (gsize)n + range_size(&range) + 1);
    for (uint32_t k = 0; k < range_size(&range); k++) {
      const Entry *entry =
          &entries[k < range.n_alive ? range.alive[k] : range.from + k - range.n_alive];
      neighbours->found[n] = entry->body;
      n += (entry->high > entry->low) & (entry->last > span->first) & (entry->body != b);
    }
  }
  *out_n = n;
  return neighbours->found;
}
