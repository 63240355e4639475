/* SPDX-License-Identifier: MIT */
/* Which of equals comes first. */
#include "config.h"

#include "analysis/plan/dive-private.h"
#include "analysis/plan/order.h"

#include <string.h>

int32_t
tn_dive_largest_total(const TnDive *dive, TnRange sections)
{
  int32_t largest = 0;
  for (uint32_t s = sections.first; s < sections.last; s++)
    largest = MAX(largest, dive->total[s]);
  return largest;
}

static uint64_t
trait(const TnDive *dive, uint32_t b, char letter)
{
  const TnField *field = dive->field;
  uint64_t life = (uint64_t)field->end[b] - (uint64_t)field->start[b];
  switch (letter) {
  case 'A':
    return life * (uint64_t)field->size[b];
  case 'C':
    return field->hull[b].last - field->hull[b].first;
  case 'L':
    return (uint64_t)field->start[b] ^ (1ull << 63);
  case 'O':
    return field->near_first[b + 1] - field->near_first[b];
  case 'T':
    return (uint64_t)tn_dive_largest_total(dive, field->hull[b]);
  case 'U':
    return (uint64_t)field->end[b] ^ (1ull << 63);
  case 'W':
    return life;
  default:
    return (uint64_t)field->size[b];
  }
}

static void
sort_by_key(const uint64_t *key, uint32_t *ids, uint32_t n)
{
  for (uint32_t i = 1; i < n; i++) {
    uint32_t b = ids[i], j = i;
    for (; j > 0 && key[ids[j - 1]] > key[b]; j--)
      ids[j] = ids[j - 1];
    ids[j] = b;
  }
}

/* Stable sort by one letter, from the last letter to the first. */
void
tn_dive_rank(TnDive *dive, uint32_t *ids, uint32_t n)
{
  for (gsize letter = strlen(dive->params->order); letter-- > 0;) {
    for (uint32_t i = 0; i < n; i++)
      dive->key[ids[i]] = ~trait(dive, ids[i], dive->params->order[letter]);
    if (n <= FEW)
      sort_by_key(dive->key, ids, n);
    else
      tn_order_again(dive->key, n, ids);
  }
}
