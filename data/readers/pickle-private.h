/* SPDX-License-Identifier: MIT */
/* The machine's state, shared by pickle.c (every opcode) and pickle-event.c (the hot path). */
#pragma once

#include "data/readers/pickle.h"

#include <string.h>

/* The opcodes of protocols 2 to 5 that carry plain data. */
enum {
  OP_MARK = '(',
  OP_STOP = '.',
  OP_POP = '0',
  OP_POP_MARK = '1',
  OP_DUP = '2',
  OP_BINFLOAT = 'G',
  OP_BININT = 'J',
  OP_BININT1 = 'K',
  OP_BININT2 = 'M',
  OP_NONE = 'N',
  OP_BINUNICODE = 'X',
  OP_BINBYTES = 'B',
  OP_SHORT_BINBYTES = 'C',
  OP_APPEND = 'a',
  OP_APPENDS = 'e',
  OP_DICT = 'd',
  OP_LIST = 'l',
  OP_TUPLE = 't',
  OP_EMPTY_DICT = '}',
  OP_EMPTY_LIST = ']',
  OP_EMPTY_TUPLE = ')',
  OP_BINGET = 'h',
  OP_LONG_BINGET = 'j',
  OP_BINPUT = 'q',
  OP_LONG_BINPUT = 'r',
  OP_SETITEM = 's',
  OP_SETITEMS = 'u',
  OP_PROTO = 0x80,
  OP_TUPLE1 = 0x85,
  OP_TUPLE2 = 0x86,
  OP_TUPLE3 = 0x87,
  OP_NEWTRUE = 0x88,
  OP_NEWFALSE = 0x89,
  OP_LONG1 = 0x8a,
  OP_LONG4 = 0x8b,
  OP_SHORT_BINUNICODE = 0x8c,
  OP_BINUNICODE8 = 0x8d,
  OP_BINBYTES8 = 0x8e,
  OP_EMPTY_SET = 0x8f,
  OP_ADDITEMS = 0x90,
  OP_FROZENSET = 0x91,
  OP_MEMOIZE = 0x94,
  OP_FRAME = 0x95,
};

/* A memo entry: a value without its 64-bit part. */
typedef struct {
  uint8_t type, role;
  uint16_t owner;
  uint32_t row;
} TnPickleMemo;

typedef struct {
  const char *name;
  const uint8_t *data, *at, *end;
  const uint8_t *opcode; /* where the present one begins */
  TnStrings *strings;
  TnSnapshot *snapshot;
  TnValue *stack;
  uint32_t n, capacity;
  uint32_t *marks; /* stack heights */
  uint32_t n_marks, marks_capacity;
  TnPickleMemo *memo;
  uint32_t n_memo, memo_capacity;
  GError **error;
} TnPickle;


/* The event at the top of the stack, just opened: reads its members, if they come as one batch of
 * shared keys and plain values, straight into the tables, and so on with the events of the trace
 * that follow it.  Stops before the first pair that does not (then with the MARK pushed, so that the
 * machine goes on from there), at worst before anything.  Never fails: what is wrong is left to the
 * machine, which says so. */
void tn_pickle_read_event(TnPickle *m);

static inline uint32_t
tn_pickle_u32(const uint8_t *at)
{
  uint32_t value;
  memcpy(&value, at, 4);
  return GUINT32_FROM_LE(value);
}

/* The integer of a LONG1 or LONG4 with `n` bytes at `at`; TN_VALUE_NONE where it passes 64 bits. */
TnValue tn_pickle_long(const uint8_t *at, gsize n);
bool tn_pickle_put_memo(TnPickle *m, uint32_t slot);
void tn_pickle_push_mark(TnPickle *m);
