/* SPDX-License-Identifier: MIT */
/* The hot path of a snapshot: an event as PyTorch's pickles have it, millions of times,
 *
 *   } [memo] ( key value key value … u
 *
 * with every key a memo reference and every value a small integer or a memo reference.  Nothing but
 * this exact form is taken here. */
#include "config.h"

#include "data/readers/pickle-private.h"
#include "data/readers/snapshot-private.h"

/* A pair has at most 5 bytes of key and 11 of value; one opcode more is peeked at. */
#define PAIR_BYTES 18

/* Behind the memo opcode at `at`, if there is one; NULL where the long way must take it (and say
 * what is wrong with it). */
static const uint8_t *
skip_memo(TnPickle *m, const uint8_t *at)
{
  if (m->end - at < PAIR_BYTES)
    return NULL;
  if (*at == OP_MEMOIZE)
    return tn_pickle_put_memo(m, m->n_memo) ? at + 1 : NULL;
  if (*at == OP_BINPUT)
    return at[1] <= m->n_memo && tn_pickle_put_memo(m, at[1]) ? at + 2 : NULL;
  if (*at == OP_LONG_BINPUT) {
    uint32_t slot = tn_pickle_u32(at + 1);
    return slot <= m->n_memo && tn_pickle_put_memo(m, slot) ? at + 5 : NULL;
  }
  return at;
}

/* The memo entry that `*at` fetches, or NULL; moves on behind it. */
static inline const TnPickleMemo *
take_memo(const TnPickle *m, const uint8_t **at)
{
  uint32_t slot;
  if (**at == OP_BINGET) {
    slot = (*at)[1];
    *at += 2;
  } else if (**at == OP_LONG_BINGET) {
    slot = tn_pickle_u32(*at + 1);
    *at += 5;
  } else {
    return NULL;
  }
  return slot < m->n_memo ? &m->memo[slot] : NULL;
}

/* A small integer at `*at`; false where there is something else. */
static inline bool
take_integer(const uint8_t **at, int64_t *out)
{
  const uint8_t *p = *at;
  switch (*p) {
  case OP_BININT1:
    *out = p[1];
    *at = p + 2;
    return true;
  case OP_BININT2:
    *out = p[1] | p[2] << 8;
    *at = p + 3;
    return true;
  case OP_BININT:
    *out = (int32_t)tn_pickle_u32(p + 1);
    *at = p + 5;
    return true;
  case OP_LONG1: {
    if (p[1] == 0 || p[1] > 8)
      return false;
    uint64_t bits;
    memcpy(&bits, p + 2, 8);
    uint32_t unused = 64u - 8u * p[1];
    *out = (int64_t)(GUINT64_FROM_LE(bits) << unused) >> unused;
    *at = p + 2 + p[1];
    return true;
  }
  default:
    return false;
  }
}

/* The members that are plain integers; the rest (and what is out of range) is not taken. */
static inline bool
set_integer(TnSnapshot *snapshot, TnEvents *events, uint32_t row, uint32_t key, int64_t value)
{
  switch (key) {
  case TN_KEY_ADDR:
  case TN_KEY_DEVICE_FREE:
    events->address[row] = (uint64_t)value;
    return true;
  case TN_KEY_SIZE:
    events->bytes[row] = value;
    return value >= 0;
  case TN_KEY_TIME_US:
    events->time_us[row] = value;
    return true;
  case TN_KEY_STREAM:
    snapshot->stream = (uint64_t)value;
    return true;
  default:
    return false;
  }
}

/* The members that are known strings or stacks met before; others go the long way. */
static inline bool
set_memo(TnSnapshot *snapshot, TnEvents *events, uint32_t row, uint32_t key, TnPickleMemo value)
{
  if (key == TN_KEY_ACTION && value.type == TN_VALUE_STRING &&
      value.row >= TN_KEY_FIRST_ACTION && value.row < TN_N_KEYS) {
    events->action[row] = (uint8_t)(value.row - TN_KEY_FIRST_ACTION);
    return true;
  }
  if (key == TN_KEY_FRAMES && value.type == TN_VALUE_LIST && value.role == TN_ROLE_FRAMES) {
    uint32_t stack = g_array_index(snapshot->lists, TnRawList, value.row).stack;
    events->stack[row] = stack;
    return stack != TN_NONE;
  }
  bool is_note = key == TN_KEY_USER_METADATA || key == TN_KEY_COMPILE_CONTEXT;
  return is_note && value.type == TN_VALUE_STRING &&
         (value.row == TN_KEY_EMPTY || value.row == TN_KEY_NOT_COMPILED);
}

/* One pair; `*at` moves on only where it was taken whole.  An integer counts only when a key or the
 * end follows: else it belongs to a tuple. */
static inline bool
take_pair(TnPickle *m, TnEvents *events, uint32_t row, const uint8_t **at)
{
  const uint8_t *p = *at;
  const TnPickleMemo *key = take_memo(m, &p);
  int64_t integer;
  if (!key || key->type != TN_VALUE_STRING)
    return false;
  if (take_integer(&p, &integer)) {
    if ((*p != OP_BINGET && *p != OP_LONG_BINGET && *p != OP_SETITEMS) ||
        !set_integer(m->snapshot, events, row, key->row, integer))
      return false;
  } else {
    const TnPickleMemo *value = take_memo(m, &p);
    if (!value || !set_memo(m->snapshot, events, row, key->row, *value))
      return false;
  }
  *at = p;
  return true;
}

/* The members of the event at the top of the stack; true where they were all taken, SETITEMS too. */
static bool
read_members(TnPickle *m)
{
  uint32_t row = m->stack[m->n - 1].row;
  TnEvents *events = &m->snapshot->trace->events;
  const uint8_t *at = skip_memo(m, m->at);
  if (!at)
    return false;
  m->at = at;
  if (*at != OP_MARK)
    return false;
  at++;
  while (m->end - at >= PAIR_BYTES && take_pair(m, events, row, &at))
    ;
  if (at < m->end && *at == OP_SETITEMS) {
    m->at = at + 1;
    return true;
  }
  tn_pickle_push_mark(m);
  m->at = at;
  return false;
}

/* The list whose batch the event at the top of the stack stands in. */
static TnValue
batch_of(const TnPickle *m)
{
  uint32_t mark = m->n_marks ? m->marks[m->n_marks - 1] : 0;
  return mark > 0 && m->n > mark ? m->stack[mark - 1] : (TnValue){.type = TN_VALUE_NONE};
}

/* So many bytes at most before the machine looks whether it was told to stop. */
#define STRETCH (1 << 18)

void
tn_pickle_read_event(TnPickle *m)
{
  TnValue list = batch_of(m);
  bool is_batch = list.type == TN_VALUE_LIST && list.role == TN_ROLE_TRACE;
  const uint8_t *stop = m->end - m->at > STRETCH ? m->at + STRETCH : m->end;
  while (read_members(m) && is_batch && m->at < stop && *m->at == OP_EMPTY_DICT) {
    m->at++;
    /* The event before it has joined its trace already: its place on the stack is free. */
    m->stack[m->n - 1] = tn_snapshot_open_item(m->snapshot, list, true);
  }
}
