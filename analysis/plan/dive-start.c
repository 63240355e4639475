/* SPDX-License-Identifier: MIT */
/* The searcher's memory, and its state before the first body is placed. */
#include "config.h"

#include "analysis/plan/dive-private.h"

#include <string.h>

TnDive *
tn_dive_new(const TnField *field)
{
  TnDive *dive = g_new0(TnDive, 1);
  dive->field = field;
  dive->bodies = g_new(Body, field->n);
  uint32_t n_members = field->member_first[field->n_sections],
           n_ranges = field->range_first[field->n];
  dive->member = g_new(uint32_t, n_members);
  dive->place = g_new(uint32_t, n_members);
  dive->n_left = g_new(int32_t, field->n_sections);
  dive->slot_first = g_new(uint32_t, n_ranges);
  for (uint32_t k = 0, slot = 0; k < n_ranges; k++) {
    dive->slot_first[k] = slot;
    slot += field->ranges[k].last - field->ranges[k].first;
  }
  dive->floor = g_new(int32_t, field->n_sections);
  dive->total = g_new(int32_t, field->n_sections);
  dive->cut = g_new(uint32_t, field->n_sections);
  dive->stamp = g_new0(uint32_t, field->n_sections);
  dive->key = g_new(uint64_t, field->n);
  /* Lists of parts inside one another shrink by a body at least. */
  dive->n_ids_max = MIN((gsize)field->n * ((gsize)field->n + 3) / 2 + 1, N_IDS_MAX);
  dive->ids = g_new(uint32_t, dive->n_ids_max);
  return dive;
}

void
tn_dive_free(TnDive *dive)
{
  if (!dive)
    return;
  g_free(dive->bodies);
  g_free(dive->member);
  g_free(dive->place);
  g_free(dive->n_left);
  g_free(dive->slot_first);
  g_free(dive->floor);
  g_free(dive->total);
  g_free(dive->cut);
  g_free(dive->stamp);
  g_free(dive->key);
  g_free(dive->changes);
  g_free(dive->candidates);
  g_free(dive->ids);
  g_free(dive);
}

static void
start_bodies(TnDive *dive)
{
  const TnField *field = dive->field;
  memset(dive->cut, 0, field->n_sections * sizeof *dive->cut);
  for (uint32_t b = 0; b < field->n; b++) {
    dive->bodies[b].at = -1;
    dive->bodies[b].size = field->size[b];
    dive->bodies[b].real = tn_field_align(field, b, 0);
    if (field->fixed && field->fixed[b] >= 0)
      dive->bodies[b].real = field->fixed[b];
    dive->bodies[b].low = dive->bodies[b].real;
    /* Where it begins and ends; a body may reach over very many sections. */
    dive->cut[field->hull[b].first]++;
    dive->cut[field->hull[b].last - 1]--;
  }
  for (uint32_t s = 1; s < field->n_sections; s++)
    dive->cut[s] += dive->cut[s - 1];
}

/* Slots of a body follow each other as its sections do. */
static void
start_members(TnDive *dive)
{
  const TnField *field = dive->field;
  uint64_t *slot = dive->key;
  for (uint32_t b = 0; b < field->n; b++)
    slot[b] = dive->slot_first[field->range_first[b]];
  memcpy(dive->member, field->member, field->member_first[field->n_sections] * sizeof(uint32_t));
  for (uint32_t s = 0; s < field->n_sections; s++) {
    dive->n_left[s] = (int32_t)(field->member_first[s + 1] - field->member_first[s]);
    for (uint32_t k = field->member_first[s]; k < field->member_first[s + 1]; k++)
      dive->place[slot[field->member[k]]++] = k - field->member_first[s];
  }
}

static bool
start_sections(TnDive *dive)
{
  const TnField *field = dive->field;
  bool is_good = true;
  start_members(dive);
  for (uint32_t s = 0; s < field->n_sections; s++) {
    dive->total[s] = 0;
    for (uint32_t k = field->member_first[s]; k < field->member_first[s + 1]; k++)
      dive->total[s] += field->size[field->member[k]];
    dive->floor[s] = tn_dive_least_low(dive, s, -1);
    is_good &= dive->total[s] == 0 || tn_dive_fits(dive, dive->floor[s] + dive->total[s]);
  }
  for (uint32_t b = 0; b < field->n; b++)
    is_good &= tn_dive_fits(dive, dive->bodies[b].low + field->size[b]);
  return is_good;
}

bool
tn_dive_start(TnDive *dive)
{
  start_bodies(dive);
  return start_sections(dive);
}
