/* SPDX-License-Identifier: MIT */
/* One independent part of a problem as the exact search wants it: 32-bit numbers in units of the
 * greatest common divisor, neighbours and members listed.  Immutable: threads share it.
 *
 * Only convex bodies (every span as high as its body): then a body's neighbours forbid it one
 * interval each, and a plan exists exactly if a canonical one does (see dive.h). */
#pragma once

#include "analysis/plan/bodies.h"

typedef struct {
  uint32_t first, last; /* sections, half-open */
} TnRange;

typedef struct {
  uint32_t n, n_sections;
  tn_bytes unit;            /* bytes */
  bool is_rounded;          /* sizes were rounded up to fit: what is not found may still exist */
  int32_t *size;            /* units */
  int32_t *alignment;       /* units; NULL: all 1 */
  int32_t *residue;         /* units; NULL where `alignment` is */
  int32_t *fixed;           /* units, -1 where free; NULL: none */
  uint32_t *range_first;    /* n + 1 */
  TnRange *ranges;
  TnRange *hull;            /* by body: from its first section to its last */
  uint32_t *near_first;     /* n + 1 */
  uint32_t *near;           /* neighbours in time */
  uint32_t *member_first;   /* n_sections + 1 */
  uint32_t *member;         /* bodies alive in a section */
  uint64_t *is_near;        /* bit matrix, n rows of `n_words` words */
  uint32_t n_words;
  uint32_t *body;           /* by body of the field: the body it is */
  tn_tick *start, *end;     /* lives, for orders */
  int32_t load;             /* largest sum of sizes in a section, units */
} TnField;

/* About 100 MB. */
#define TN_FIELD_BODIES_MAX 32768u
#define TN_FIELD_PAIRS_MAX 40000000u

/* The part made of `ids` (shape n, bodies of `bodies`, which must be convex), for capacities up to
 * `height` bytes, at least the load.  NULL where it is too large: more than TN_FIELD_BODIES_MAX
 * bodies or TN_FIELD_PAIRS_MAX pairs, or numbers that no 32 bits hold.
 * Free with tn_field_free(). */
TnField *tn_field_new(const TnBodies *bodies, const uint32_t *ids, uint32_t n, tn_bytes height);
void tn_field_free(TnField *field);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnField, tn_field_free)

/* Splits the bodies into parts that share no section (hulls).  Returns the bodies sorted by part
 * (owned), *out_first (owned, shape *out_n + 1) has each part's first. */
uint32_t *tn_field_new_parts(const TnBodies *bodies, uint32_t **out_first, uint32_t *out_n);

static inline bool
tn_field_are_near(const TnField *field, uint32_t a, uint32_t b)
{
  return (field->is_near[(gsize)a * field->n_words + b / 64] >> (b % 64)) & 1;
}

/* The lowest offset >= from that body b may have. */
static inline int32_t
tn_field_align(const TnField *field, uint32_t b, int32_t from)
{
  if (!field->alignment)
    return from;
  int32_t step = field->alignment[b], over = (from - field->residue[b]) % step;
  if (over < 0)
    over += step;
  return over ? from + step - over : from;
}
