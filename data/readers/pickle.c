/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/pickle-private.h"

#include "data/error.h"

#include <string.h>

/* Opcodes that name classes, call them, or reach outside the file. */
static const struct {
  uint8_t opcode;
  const char *name;
} refused[] = {
    {'c', "GLOBAL"},        {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},     {'b', "BUILD"},
    {0x81, "NEWOBJ"},       {0x92, "NEWOBJ_EX"},    {'i', "INST"},       {'o', "OBJ"},
    {'P', "PERSID"},        {'Q', "BINPERSID"},     {0x82, "EXT1"},      {0x83, "EXT2"},
    {0x84, "EXT4"},         {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"},
    {0x96, "BYTEARRAY8"},
};

static bool
fail(TnPickle *m, TnDataError code, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool
fail(TnPickle *m, TnDataError code, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(m->error, TN_DATA_ERROR, code, "%s: byte %" G_GSIZE_FORMAT ": %s", m->name,
              (gsize)(m->opcode - m->data), what);
  return false;
}

static bool
fail_short(TnPickle *m, gsize wanted)
{
  return fail(m, TN_DATA_ERROR_TRUNCATED,
              "found the end of the data (%" G_GSIZE_FORMAT " bytes); expected %" G_GSIZE_FORMAT
              " more byte%s of opcode 0x%02x (%" G_GUINT64_FORMAT " events were read up to here)",
              (gsize)(m->end - m->data), wanted - (gsize)(m->end - m->at),
              wanted - (gsize)(m->end - m->at) == 1 ? "" : "s", *m->opcode,
              tn_snapshot_event_count(m->snapshot));
}

static uint64_t
read_u64(const uint8_t *at)
{
  uint64_t value;
  memcpy(&value, at, 8);
  return GUINT64_FROM_LE(value);
}

/* ---- the stack ------------------------------------------------------------------------------- */

/* So many values wait for their list or dict at most: 2 GiB of them. */
#define MAX_STACK (1u << 27)

static void
push(TnPickle *m, TnValue value)
{
  if (m->n == m->capacity) {
    m->capacity = m->capacity ? m->capacity * 2 : 256;
    m->stack = g_renew(TnValue, m->stack, m->capacity);
  }
  m->stack[m->n++] = value;
}

static uint32_t
top_mark(const TnPickle *m)
{
  return m->n_marks ? m->marks[m->n_marks - 1] : 0;
}

static bool
is_container(TnValue value)
{
  return value.type == TN_VALUE_DICT || value.type == TN_VALUE_LIST;
}

/* A scalar or a finished value arrives.  The plain members of an event ("event MARK key" below it)
 * take effect at once: they are nearly all of a big file, and this spares them the stack.  Nothing
 * else may, since it could still become part of a tuple. */
static bool
push_value(TnPickle *m, TnValue value)
{
  if (m->n_marks && m->marks[m->n_marks - 1] > 0) {
    uint32_t mark = m->marks[m->n_marks - 1];
    TnValue below = m->stack[mark - 1];
    if (below.role == TN_ROLE_EVENT && m->n == mark + 1 && below.type == TN_VALUE_DICT &&
        m->stack[mark].type == TN_VALUE_STRING &&
        tn_snapshot_is_plain_member(m->stack[mark].row)) {
      m->n = mark;
      if (!tn_snapshot_set(m->snapshot, below, m->stack[mark].row, value))
        return fail(m, TN_DATA_ERROR_MALFORMED, "%s", tn_snapshot_problem(m->snapshot));
      return true;
    }
    if (below.role == TN_ROLE_FRAMES && m->n == mark && value.role == TN_ROLE_FRAME) {
      tn_snapshot_append(m->snapshot, below, value);
      return true;
    }
  }
  push(m, value);
  return true;
}

static bool
push_integer(TnPickle *m, int64_t integer)
{
  return push_value(m, (TnValue){.type = TN_VALUE_INTEGER, .integer = integer});
}

/* A new container gets its meaning from where it stands: as an item of a list (in a batch after
 * MARK, or alone before APPEND) or as the value of a key (likewise). */
static TnValue
open_container(TnPickle *m, bool is_dict)
{
  TnValue skip = {.type = is_dict ? TN_VALUE_DICT : TN_VALUE_LIST, .role = TN_ROLE_SKIP};
  if (m->n == 0)
    return m->n_marks ? skip : tn_snapshot_open_top(m->snapshot, is_dict);
  uint32_t mark = top_mark(m);
  TnValue batch = mark > 0 ? m->stack[mark - 1] : skip;
  TnValue top = m->stack[m->n - 1];
  if (m->n == mark || top.type == TN_VALUE_DICT || (top.type == TN_VALUE_LIST &&
                                                    !tn_snapshot_expects(top.role, is_dict)))
    return tn_snapshot_open_item(m->snapshot, batch, is_dict);
  if (top.type == TN_VALUE_LIST)
    return tn_snapshot_open_item(m->snapshot, top, is_dict);
  if (top.type != TN_VALUE_STRING)
    return skip;
  bool is_batch = batch.type == TN_VALUE_DICT && (m->n - mark) % 2 == 1 && m->n_marks;
  bool is_alone = m->n >= 2 && m->n - 2 >= mark && m->stack[m->n - 2].type == TN_VALUE_DICT;
  if (is_alone && (!is_batch || !tn_snapshot_has_container(batch.role, top.row)))
    return tn_snapshot_open_member(m->snapshot, m->stack[m->n - 2], top.row, is_dict);
  return is_batch ? tn_snapshot_open_member(m->snapshot, batch, top.row, is_dict) : skip;
}

static bool
pop_mark(TnPickle *m, uint32_t *out_mark)
{
  if (m->n_marks == 0)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found opcode 0x%02x without a MARK before it",
                *m->opcode);
  *out_mark = m->marks[--m->n_marks];
  if (*out_mark > m->n)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found a MARK above the stack's end");
  return true;
}

static bool
set_pairs(TnPickle *m, TnValue dict, uint32_t from)
{
  if ((m->n - from) % 2 != 0)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found a key without a value");
  for (uint32_t i = from; i + 1 < m->n; i += 2)
    if (m->stack[i].type == TN_VALUE_STRING &&
        !tn_snapshot_set(m->snapshot, dict, m->stack[i].row, m->stack[i + 1]))
      return fail(m, TN_DATA_ERROR_MALFORMED, "%s", tn_snapshot_problem(m->snapshot));
  m->n = from;
  return true;
}

static bool
do_setitems(TnPickle *m)
{
  uint32_t mark = 0;
  if (!pop_mark(m, &mark))
    return false;
  if (mark == 0 || m->stack[mark - 1].type != TN_VALUE_DICT)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found SETITEMS on what is no dict");
  return set_pairs(m, m->stack[mark - 1], mark);
}

static bool
do_setitem(TnPickle *m)
{
  if (m->n < 3 || m->stack[m->n - 3].type != TN_VALUE_DICT || m->n - 2 < top_mark(m))
    return fail(m, TN_DATA_ERROR_MALFORMED, "found SETITEM without a dict, a key and a value");
  return set_pairs(m, m->stack[m->n - 3], m->n - 2);
}

static bool
do_appends(TnPickle *m, bool is_single)
{
  uint32_t mark = 0;
  if (is_single) {
    if (m->n < 2 || m->n - 1 < top_mark(m))
      return fail(m, TN_DATA_ERROR_MALFORMED, "found APPEND without a list and an item");
    mark = m->n - 1;
  } else if (!pop_mark(m, &mark)) {
    return false;
  }
  if (mark == 0 || m->stack[mark - 1].type != TN_VALUE_LIST)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found APPENDS on what is no list");
  for (uint32_t i = mark; i < m->n; i++)
    tn_snapshot_append(m->snapshot, m->stack[mark - 1], m->stack[i]);
  m->n = mark;
  return true;
}

/* A tuple of the values from `from` on: a pair of integers is a pool's id, the rest is of no
 * interest. */
static bool
do_tuple(TnPickle *m, uint32_t from)
{
  TnValue value = {.type = TN_VALUE_NONE};
  if (from > m->n)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found a tuple of more values than there are");
  if (m->n - from == 2 && m->stack[from].type == TN_VALUE_INTEGER &&
      m->stack[from + 1].type == TN_VALUE_INTEGER)
    value = tn_snapshot_pair(m->snapshot, m->stack[from].integer, m->stack[from + 1].integer);
  m->n = from;
  push(m, value);
  return true;
}

/* What a tuple, a list, a dict or a set made with MARK leaves: nothing that a snapshot uses. */
static bool
do_marked(TnPickle *m, uint8_t opcode)
{
  uint32_t mark = 0;
  if (!pop_mark(m, &mark))
    return false;
  if (opcode == OP_TUPLE)
    return do_tuple(m, mark);
  m->n = mark;
  if (opcode == OP_POP_MARK || opcode == OP_ADDITEMS)
    return true; /* the set that the items join stands below */
  TnValue value = {.type = opcode == OP_DICT ? TN_VALUE_DICT : opcode == OP_LIST ? TN_VALUE_LIST
                                                                                  : TN_VALUE_NONE,
                   .role = TN_ROLE_SKIP};
  push(m, value);
  return true;
}

/* ---- the memo ---------------------------------------------------------------------------------- */

bool
tn_pickle_put_memo(TnPickle *m, uint32_t slot)
{
  if (m->n == 0)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found a memo opcode on an empty stack");
  /* Writers number the slots from 0 on, one for an opcode at most (optimizers leave some out): a
   * leap beyond would only make us allocate. */
  if (slot > m->n_memo + 65536u || slot > (gsize)(m->at - m->data))
    return fail(m, TN_DATA_ERROR_MALFORMED, "found memo slot %u; expected about %u", slot,
                m->n_memo);
  if (slot >= m->memo_capacity) {
    m->memo_capacity = MAX(slot + 1, m->memo_capacity + m->memo_capacity / 2 + 256);
    m->memo = g_renew(TnPickleMemo, m->memo, m->memo_capacity);
  }
  for (; m->n_memo <= slot; m->n_memo++)
    m->memo[m->n_memo] = (TnPickleMemo){.type = G_MAXUINT8};
  TnValue value = m->stack[m->n - 1];
  m->memo[slot] = (TnPickleMemo){value.type, value.role, value.owner, value.row};
  return true;
}

/* The list that a value met now joins: alone before APPEND, or as an item of its batch.  Of the two
 * it is the one that holds values of this kind. */
static TnValue
receiving_list(const TnPickle *m, TnValue value)
{
  uint32_t mark = top_mark(m);
  TnValue none = {.type = TN_VALUE_NONE};
  TnValue batch = mark > 0 ? m->stack[mark - 1] : none;
  TnValue top = m->n > 0 ? m->stack[m->n - 1] : none;
  bool is_dict = value.type == TN_VALUE_DICT;
  if (top.type == TN_VALUE_LIST && tn_snapshot_expects(top.role, is_dict))
    return top;
  return batch.type == TN_VALUE_LIST ? batch : none;
}

static bool
memo_get(TnPickle *m, uint32_t slot)
{
  if (slot >= m->n_memo || m->memo[slot].type == G_MAXUINT8)
    return fail(m, TN_DATA_ERROR_MALFORMED, "found memo slot %u, which was never filled", slot);
  TnPickleMemo entry = m->memo[slot];
  TnValue value = {.type = entry.type, .role = entry.role, .owner = entry.owner, .row = entry.row};
  if (entry.type == TN_VALUE_STRING) {
    /* A key waits for its value; any other string is a value. */
    uint32_t mark = top_mark(m);
    if (m->n != mark || mark == 0 || m->stack[mark - 1].type != TN_VALUE_DICT)
      return push_value(m, value);
    push(m, value);
    return true;
  } else if (is_container(value)) {
    value = tn_snapshot_reuse(m->snapshot, receiving_list(m, value), value);
  }
  return push_value(m, value);
}

/* ---- scalars ----------------------------------------------------------------------------------- */

TnValue
tn_pickle_long(const uint8_t *at, gsize n)
{
  TnValue value = {.type = TN_VALUE_INTEGER};
  if (n > 9 || (n == 9 && at[8] != 0)) {
    value.type = TN_VALUE_NONE;
    return value;
  }
  uint64_t bits = n > 0 && n < 8 && (at[n - 1] & 0x80) ? UINT64_MAX << (8 * n) : 0;
  for (gsize i = 0; i < MIN(n, (gsize)8); i++)
    bits |= (uint64_t)at[i] << (8 * i);
  value.integer = (int64_t)bits;
  if (n == 9 && value.integer < 0)
    value.type = TN_VALUE_UNSIGNED;
  return value;
}

/* A string is a key where a dict's batch waits for one; strings are memoized after they are pushed,
 * so a value may not take effect before its MEMOIZE: peek at the next opcode. */
static bool
do_string(TnPickle *m, const uint8_t *text, gsize n)
{
  TnValue value = {.type = TN_VALUE_STRING,
                   .row = tn_strings_intern(m->strings, (const char *)text, (gssize)n)};
  m->at = text + n;
  push(m, value);
  return true;
}

/* `field` bytes of length, then that many bytes of payload: *out_n of them, at *out_payload. */
static bool
take_counted(TnPickle *m, gsize field, const uint8_t **out_payload, gsize *out_n)
{
  gsize left = (gsize)(m->end - m->at);
  if (left < field)
    return fail_short(m, field);
  uint64_t n = field == 1 ? m->at[0] : field == 4 ? tn_pickle_u32(m->at) : read_u64(m->at);
  if (n > left - field) {
    if (n > (uint64_t)1 << 40)
      return fail(m, TN_DATA_ERROR_MALFORMED,
                  "found a length of %" G_GUINT64_FORMAT " bytes, with %" G_GSIZE_FORMAT
                  " bytes left in the file",
                  n, left - field);
    return fail_short(m, (gsize)n + field);
  }
  *out_payload = m->at + field;
  *out_n = (gsize)n;
  return true;
}

static bool
do_counted(TnPickle *m, uint8_t opcode, gsize field)
{
  const uint8_t *payload = NULL;
  gsize n = 0;
  if (!take_counted(m, field, &payload, &n))
    return false;
  if (opcode == OP_SHORT_BINUNICODE || opcode == OP_BINUNICODE || opcode == OP_BINUNICODE8)
    return do_string(m, payload, n);
  m->at = payload + n;
  if (opcode == OP_LONG1 || opcode == OP_LONG4)
    return push_value(m, tn_pickle_long(payload, n));
  push(m, (TnValue){.type = TN_VALUE_NONE});
  return true;
}

static bool
do_float(TnPickle *m)
{
  uint64_t bits;
  memcpy(&bits, m->at, 8);
  bits = GUINT64_FROM_BE(bits);
  TnValue value = {.type = TN_VALUE_REAL};
  memcpy(&value.real, &bits, 8);
  m->at += 8;
  return push_value(m, value);
}

/* ---- dispatch ---------------------------------------------------------------------------------- */

static bool
refuse(TnPickle *m, uint8_t opcode)
{
  for (gsize i = 0; i < G_N_ELEMENTS(refused); i++)
    if (refused[i].opcode == opcode)
      return fail(m, TN_DATA_ERROR_REFUSED,
                  "found opcode %s, which names or calls Python code; a memory snapshot never "
                  "does that, so the file is refused and nothing in it was run",
                  refused[i].name);
  if (opcode != 0 && strchr("ISLFVgpdl", opcode))
    return fail(m, TN_DATA_ERROR_UNSUPPORTED,
                "found opcode '%c' of pickle protocol 0; expected protocol 2 to 5", opcode);
  return fail(m, TN_DATA_ERROR_MALFORMED,
              "found 0x%02x, which is no pickle opcode; expected protocol 2 to 5", opcode);
}

static bool
need(TnPickle *m, gsize n)
{
  return (gsize)(m->end - m->at) >= n || fail_short(m, n);
}

static bool
do_proto(TnPickle *m)
{
  if (!need(m, 1))
    return false;
  uint8_t version = *m->at++;
  if (version < 2 || version > 5)
    return fail(m, TN_DATA_ERROR_UNSUPPORTED,
                "found pickle protocol %u; this version reads protocols 2 to 5", version);
  return true;
}

/* Frames only say how much to read at once, which a mapped file need not know.  One that no file can
 * hold is damage all the same; one that is merely cut short shows at the end. */
static bool
do_frame(TnPickle *m)
{
  if (!need(m, 8))
    return false;
  uint64_t n = read_u64(m->at);
  if (n > (uint64_t)1 << 40)
    return fail(m, TN_DATA_ERROR_MALFORMED,
                "found a frame of %" G_GUINT64_FORMAT " bytes, with %" G_GSIZE_FORMAT
                " bytes left in the file",
                n, (gsize)(m->end - m->at) - 8);
  m->at += 8;
  return true;
}

void
tn_pickle_push_mark(TnPickle *m)
{
  if (m->n_marks == m->marks_capacity) {
    m->marks_capacity = m->marks_capacity ? m->marks_capacity * 2 : 64;
    m->marks = g_renew(uint32_t, m->marks, m->marks_capacity);
  }
  m->marks[m->n_marks++] = m->n;
}

static bool
do_pop(TnPickle *m)
{
  if (m->n == top_mark(m)) {
    uint32_t mark;
    return pop_mark(m, &mark);
  }
  m->n--;
  return true;
}

/* One opcode other than STOP.  A table of one-line cases: longer than the house's measure. */
static bool
step(TnPickle *m, uint8_t opcode)
{
  switch (opcode) {
  case OP_BININT1:
    return need(m, 1) && push_integer(m, *m->at++);
  case OP_BININT2:
    if (!need(m, 2))
      return false;
    m->at += 2;
    return push_integer(m, m->at[-2] | m->at[-1] << 8);
  case OP_BININT:
    if (!need(m, 4))
      return false;
    m->at += 4;
    return push_integer(m, (int32_t)tn_pickle_u32(m->at - 4));
  case OP_BINGET:
    return need(m, 1) && memo_get(m, *m->at++);
  case OP_LONG_BINGET:
    if (!need(m, 4))
      return false;
    m->at += 4;
    return memo_get(m, tn_pickle_u32(m->at - 4));
  case OP_MEMOIZE:
    return tn_pickle_put_memo(m, m->n_memo);
  case OP_BINPUT:
    return need(m, 1) && tn_pickle_put_memo(m, *m->at++);
  case OP_LONG_BINPUT:
    if (!need(m, 4))
      return false;
    m->at += 4;
    return tn_pickle_put_memo(m, tn_pickle_u32(m->at - 4));
  case OP_MARK:
    tn_pickle_push_mark(m);
    return true;
  case OP_EMPTY_DICT:
  case OP_EMPTY_LIST:
    push(m, open_container(m, opcode == OP_EMPTY_DICT));
    if (m->stack[m->n - 1].role == TN_ROLE_TRACE)
      tn_snapshot_expect(m->snapshot, (gsize)(m->end - m->at));
    else if (m->stack[m->n - 1].role == TN_ROLE_EVENT)
      tn_pickle_read_event(m);
    return true;
  case OP_SETITEMS:
    return do_setitems(m);
  case OP_SETITEM:
    return do_setitem(m);
  case OP_APPENDS:
    return do_appends(m, false);
  case OP_APPEND:
    return do_appends(m, true);
  case OP_SHORT_BINUNICODE:
  case OP_SHORT_BINBYTES:
  case OP_LONG1:
    return do_counted(m, opcode, 1);
  case OP_BINUNICODE:
  case OP_BINBYTES:
  case OP_LONG4:
    return do_counted(m, opcode, 4);
  case OP_BINUNICODE8:
  case OP_BINBYTES8:
    return do_counted(m, opcode, 8);
  case OP_BINFLOAT:
    return need(m, 8) && do_float(m);
  case OP_NEWTRUE:
  case OP_NEWFALSE:
    return push_integer(m, opcode == OP_NEWTRUE);
  case OP_NONE:
    return push_value(m, (TnValue){.type = TN_VALUE_NONE});
  case OP_EMPTY_TUPLE:
  case OP_EMPTY_SET:
    push(m, (TnValue){.type = TN_VALUE_NONE});
    return true;
  case OP_TUPLE1:
  case OP_TUPLE2:
  case OP_TUPLE3: {
    uint32_t n = (uint32_t)(opcode - OP_TUPLE1 + 1);
    return m->n >= top_mark(m) + n ? do_tuple(m, m->n - n) : do_tuple(m, m->n + 1);
  }
  case OP_TUPLE:
  case OP_DICT:
  case OP_LIST:
  case OP_ADDITEMS:
  case OP_FROZENSET:
  case OP_POP_MARK:
    return do_marked(m, opcode);
  case OP_POP:
    return do_pop(m);
  case OP_DUP:
    if (m->n == 0)
      return fail(m, TN_DATA_ERROR_MALFORMED, "found DUP on an empty stack");
    push(m, m->stack[m->n - 1]);
    return true;
  case OP_PROTO:
    return do_proto(m);
  case OP_FRAME:
    return do_frame(m);
  default:
    return refuse(m, opcode);
  }
}

static bool
run(TnPickle *m, TnProgress *progress)
{
  const uint8_t *next_report = m->data;
  while (m->at < m->end) {
    m->opcode = m->at;
    uint8_t opcode = *m->at++;
    if (opcode == OP_STOP)
      return true;
    if (!step(m, opcode))
      return false;
    if (m->n >= MAX_STACK || m->n_marks >= MAX_STACK)
      return fail(m, TN_DATA_ERROR_TOO_LARGE,
                  "found %u values that wait for their list or dict; expected fewer",
                  MAX(m->n, m->n_marks));
    if (m->at >= next_report) {
      if (tn_progress_is_cancelled(progress))
        return fail(m, TN_DATA_ERROR_CANCELLED, "stopped");
      tn_progress_report(progress, (double)(m->at - m->data) / (double)(m->end - m->data),
                         "Reading");
      next_report = m->at + (1 << 20);
    }
  }
  m->opcode = m->end - 1;
  return fail(m, TN_DATA_ERROR_TRUNCATED,
              "found the end of the data (%" G_GSIZE_FORMAT " bytes); expected the STOP opcode "
              "(%" G_GUINT64_FORMAT " events were read up to here)",
              (gsize)(m->end - m->data), tn_snapshot_event_count(m->snapshot));
}

bool
tn_pickle_read(const char *name,
               const uint8_t *data,
               gsize size,
               TnStrings *strings,
               TnSnapshot *snapshot,
               TnProgress *progress,
               GError **error)
{
  TnPickle m = {.name = name,
               .data = data,
               .at = data,
               .end = data + size,
               .opcode = data,
               .strings = strings,
               .snapshot = snapshot,
               .error = error};
  bool is_good = run(&m, progress);
  g_free(m.stack);
  g_free(m.marks);
  g_free(m.memo);
  return is_good;
}
