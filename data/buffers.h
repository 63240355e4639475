/* SPDX-License-Identifier: MIT */
/* The table of buffers: holders of memory, each with a life.  A structure of arrays; a row's id is
 * its index.  Columns marked "may be NULL" are absent where every row has the default: read them
 * through the accessors below.
 *
 *   address ^            life [start, end), half-open
 *           |    +-----------------+  offset + bytes
 *           |    |     buffer      |
 *           |    +-----------------+  offset
 *           +----start-------------end---> tick
 */
#pragma once

#include "data/types.h"

typedef enum {
  TN_KIND_UNKNOWN,
  TN_KIND_ALLOCATION, /* of a log */
  TN_KIND_BEFORE,     /* allocated before the recording began */
  TN_KIND_ACTIVATION,
  TN_KIND_INPUT,
  TN_KIND_OUTPUT,
  TN_KIND_CONSTANT,
  TN_KIND_VARIABLE,
  TN_KIND_WORKSPACE,
  TN_N_KINDS
} TnBufferKind;

typedef enum {
  TN_BUFFER_FIXED = 1 << 0,         /* its offset is given and may not move */
  TN_BUFFER_NO_REUSE = 1 << 1,      /* shares its place with nobody, whatever the lives */
  TN_BUFFER_BEFORE = 1 << 2,        /* its real start lies before the axis */
  TN_BUFFER_TO_END = 1 << 3,        /* never freed in the file: its end is the axis's end */
  TN_BUFFER_NOT_IN_SEGMENTS = 1 << 4, /* live at the log's end but not in its snapshot */
  TN_BUFFER_UNSIZED = 1 << 5,       /* its size is unknown (bytes is 0) */
  TN_BUFFER_GROUP_PADDED = 1 << 6   /* its contiguous group allows padding between members */
} TnBufferFlags;

/* What a compiler says of a buffer's place (GE's blocks; other formats leave them out). */
typedef enum {
  TN_TRAIT_NESTED = 1 << 0,       /* its block lies inside another's */
  TN_TRAIT_CONTINUOUS = 1 << 1,   /* of a block for neighbours in a given order */
  TN_TRAIT_NO_PADDING = 1 << 2,   /* the same, without rounding between them */
  TN_TRAIT_ZERO_COPY = 1 << 3,    /* the caller's memory may stand in for it */
  TN_TRAIT_MANY_STREAMS = 1 << 4, /* used by more than one stream */
  TN_TRAIT_CLEANED = 1 << 5,      /* one of the places that are set to 0 together */
  TN_TRAIT_DATA = 1 << 6,         /* of a block for data, never with one that is cleaned */
  TN_TRAIT_REUSED_INPUT = 1 << 7, /* an output at its input's place */
  TN_TRAIT_PLACED_LATER = 1 << 8, /* a later line of the log gave it another place */
  TN_TRAIT_FIXED_ADDRESS = 1 << 9 /* its address may not be refreshed between runs */
} TnTraits;

/* A stretch in which a buffer is dead, or holds only [low, high) of its own height. */
typedef struct {
  tn_tick start, end;
  tn_bytes low, high; /* both 0: dead */
} TnGap;

typedef struct {
  uint32_t n, capacity;
  tn_tick *start, *end;
  tn_bytes *bytes;      /* used: what it takes in memory */
  tn_bytes *offset;     /* TN_NOT_PLACED, a plan's offset, or a log's address */
  tn_bytes *requested;  /* may be NULL: the same as bytes */
  tn_bytes *alignment;  /* may be NULL: 1 */
  uint32_t *name;       /* string id; may be NULL: unnamed */
  uint32_t *stack;      /* stack id of the allocation; may be NULL: none */
  uint32_t *free_stack; /* stack id of the free; may be NULL: none */
  uint32_t *space;      /* row of the spaces (device + pool + stream); may be NULL: 0 */
  uint32_t *batch;      /* string id of the batch label; may be NULL: unlabelled */
  uint32_t *group;      /* contiguous group + 1, members in row order; may be NULL: none (0) */
  uint32_t *op;         /* row of the ops; may be NULL: none */
  uint32_t *tensor;     /* row of the tensors; may be NULL: none */
  uint32_t *last_use;   /* log: event of the last known use; may be NULL: none */
  uint32_t *stream;     /* whose op writes it first; may be NULL: unknown (TN_NONE) */
  uint32_t *traits;     /* TnTraits; may be NULL: none */
  tn_bytes *block;      /* bytes of the block that holds it; may be NULL: unknown (0) */
  uint8_t *kind;        /* TnBufferKind */
  uint8_t *flags;       /* TnBufferFlags */
  uint32_t *gap_first;  /* n + 1 indexes into gaps; may be NULL: no gaps */
  TnGap *gaps;
} TnBuffers;

typedef enum {
  TN_COLUMN_REQUESTED = 1 << 0,
  TN_COLUMN_ALIGNMENT = 1 << 1,
  TN_COLUMN_NAME = 1 << 2,
  TN_COLUMN_STACK = 1 << 3,
  TN_COLUMN_FREE_STACK = 1 << 4,
  TN_COLUMN_SPACE = 1 << 5,
  TN_COLUMN_BATCH = 1 << 6,
  TN_COLUMN_GROUP = 1 << 7,
  TN_COLUMN_OP = 1 << 8,
  TN_COLUMN_TENSOR = 1 << 9,
  TN_COLUMN_LAST_USE = 1 << 10,
  TN_COLUMN_STREAM = 1 << 11,
  TN_COLUMN_TRAITS = 1 << 12,
  TN_COLUMN_BLOCK = 1 << 13
} TnBufferColumns;

/* Empty, with the always-present columns only.  Free with tn_buffers_free(). */
TnBuffers *tn_buffers_new(void);
void tn_buffers_free(TnBuffers *buffers);
/* Deep copy, owned by the caller. */
TnBuffers *tn_buffers_copy(const TnBuffers *buffers);

/* Makes the optional columns of `columns` present, filled with their defaults. */
void tn_buffers_need(TnBuffers *buffers, unsigned columns);

/* Room for `n` rows in a table that is still empty, in the columns that it has now. */
void tn_buffers_reserve(TnBuffers *buffers, uint32_t n);

/* Appends one row and returns its id: life [start, end), `bytes` used, not placed, of `kind`. */
tn_index tn_buffers_add(TnBuffers *buffers, tn_tick start, tn_tick end, tn_bytes bytes,
                        TnBufferKind kind);

/* Puts the rows of `more` among the others, both sorted by start, before those of an equal start; columns
 * that `more` lacks get their defaults there, columns that `buffers` lacks are dropped.  Neither may have
 * gaps.  O(rows), and a move of memory for each place in which rows are put. */
void tn_buffers_insert_sorted(TnBuffers *buffers, const TnBuffers *more);

/* Hands over gaps, sorted by (buffer, start): `owner[i]` is the row of `gaps[i]`. Copies both. */
void tn_buffers_set_gaps(TnBuffers *buffers, const TnGap *gaps, const tn_index *owner, uint32_t n);

/* The word for a kind as documents and the command line write it ("allocation", …). */
const char *tn_kind_name(TnBufferKind kind);
/* The kind of a word; TN_KIND_UNKNOWN where there is none. */
TnBufferKind tn_kind_from_name(const char *name);

/* Flags as documents write them ("fixed", "no-reuse", "before", "to-end", "not-in-segments",
 * "unsized", "group-padded"): the flag of a word (0: none), and the word of flag 1 << `bit`
 * (NULL: none). */
TnBufferFlags tn_flag_from_name(const char *name);
const char *tn_flag_name(unsigned bit);

/* Traits in the same way: "nested", "continuous", "no-padding", "zero-copy", "many-streams", "cleaned",
 * "data", "reused-input", "placed-later", "fixed-address". */
TnTraits tn_trait_from_name(const char *name);
const char *tn_trait_name(unsigned bit);

static inline tn_bytes
tn_buffers_requested(const TnBuffers *b, tn_index i)
{
  return b->requested ? b->requested[i] : b->bytes[i];
}

static inline tn_bytes
tn_buffers_alignment(const TnBuffers *b, tn_index i)
{
  return b->alignment ? b->alignment[i] : 1;
}

static inline uint32_t
tn_buffers_name(const TnBuffers *b, tn_index i)
{
  return b->name ? b->name[i] : 0;
}

static inline uint32_t
tn_buffers_stack(const TnBuffers *b, tn_index i)
{
  return b->stack ? b->stack[i] : 0;
}

static inline uint32_t
tn_buffers_space(const TnBuffers *b, tn_index i)
{
  return b->space ? b->space[i] : 0;
}

static inline uint32_t
tn_buffers_op(const TnBuffers *b, tn_index i)
{
  return b->op ? b->op[i] : TN_NONE;
}

static inline uint32_t
tn_buffers_stream(const TnBuffers *b, tn_index i)
{
  return b->stream ? b->stream[i] : TN_NONE;
}

static inline unsigned
tn_buffers_traits(const TnBuffers *b, tn_index i)
{
  return b->traits ? b->traits[i] : 0;
}

/* The gaps of row i: borrowed, sorted by start, none overlapping. */
static inline const TnGap *
tn_buffers_gaps(const TnBuffers *b, tn_index i, uint32_t *out_n)
{
  *out_n = b->gap_first ? b->gap_first[i + 1] - b->gap_first[i] : 0;
  return b->gap_first ? b->gaps + b->gap_first[i] : NULL;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(TnBuffers, tn_buffers_free)
