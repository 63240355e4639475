/* SPDX-License-Identifier: MIT */
/* A pickle's opcodes stay whole: numbers become others, values of one type another's, members and
 * parts come twice or go, lists hold themselves, the memo names what is not there yet. */
#include "tests/fuzz/mutate.h"

#include <string.h>

typedef struct {
  uint32_t start, end;
} Op;

/* Bytes after an opcode; -1, -4, -8: a length of so many bytes and its payload; -9: no such opcode. */
static int
argument_of(uint8_t opcode)
{
  switch (opcode) {
  case 'K': case 'h': case 'q': case 0x80: case 0x82:
    return 1;
  case 'M': case 0x83:
    return 2;
  case 'J': case 'j': case 'r': case 0x84:
    return 4;
  case 'G': case 0x95:
    return 8;
  case 'U': case 'C': case 0x8a: case 0x8c:
    return -1;
  case 'T': case 'B': case 'X': case 0x8b:
    return -4;
  case 0x8d: case 0x8e: case 0x96:
    return -8;
  case '(': case '.': case '0': case '1': case '2': case 'N': case ')': case ']': case '}': case 'a': case 'e':
  case 's': case 'u': case 't': case 'd': case 'l': case 'R': case 'b': case 0x81: case 0x85: case 0x86:
  case 0x87: case 0x88: case 0x89: case 0x8f: case 0x90: case 0x91: case 0x92: case 0x93: case 0x94:
    return 0;
  default:
    return -9;
  }
}

/* From the pickle's start (or in an archive its member's) as far as opcodes follow one another. */
static GArray *
find_ops(const GByteArray *bytes)
{
  GArray *ops = g_array_new(FALSE, FALSE, sizeof(Op));
  for (gsize at = 0; at < bytes->len;) {
    int argument = argument_of(bytes->data[at]);
    gsize field = argument < 0 ? (gsize)-argument : 0, size = 1 + field;
    if (argument == -9)
      break;
    if (at + size <= bytes->len && argument < 0) {
      uint64_t n = 0;
      memcpy(&n, bytes->data + at + 1, field);
      size += MIN(GUINT64_FROM_LE(n), (uint64_t)bytes->len);
    } else {
      size += (gsize)MAX(argument, 0);
    }
    if (at + size > bytes->len)
      break;
    Op op = {(uint32_t)at, (uint32_t)(at + size)};
    g_array_append_val(ops, op);
    at += size;
  }
  return ops;
}

/* ---- values ------------------------------------------------------------------------------------ */

static void
append_integer(GByteArray *out, TnChance *chance)
{
  int64_t number = GINT64_TO_LE(tn_chance_number(chance));
  switch (tn_chance_draw(chance, 4)) {
  case 0: /* BININT: what fits into it */
    g_byte_array_append(out, (const guint8 *)"J", 1);
    g_byte_array_append(out, (const guint8 *)&number, 4);
    break;
  case 1: { /* LONG1 of more bytes than a number of ours has */
    uint8_t n = (uint8_t)tn_chance_draw(chance, 256);
    g_autofree uint8_t *digits = g_malloc(256);
    memset(digits, tn_chance_draw(chance, 2) ? 0xff : 0x7f, 256);
    g_byte_array_append(out, (const guint8 *)"\x8a", 1);
    g_byte_array_append(out, &n, 1);
    g_byte_array_append(out, digits, n);
    break;
  }
  default:
    g_byte_array_append(out, (const guint8 *)"\x8a\x08", 2);
    g_byte_array_append(out, (const guint8 *)&number, 8);
    break;
  }
}

static void
append_repeated(GByteArray *out, const char *text, uint32_t times)
{
  for (uint32_t i = 0; i < times; i++)
    g_byte_array_append(out, (const guint8 *)text, (guint)strlen(text));
}

void
tn_append_hostile(GByteArray *out, TnChance *chance)
{
  static const char *const some[] = {"N", "\x88", "\x89", "]", "}", ")", "\x8f", "K\x01", "](K\x01K\x02" "e",
                                     "}(K\x01K\x02u", "}(\x8c\x01" "aNu", "(K\x01K\x02t", "\x8c\x04size", "\x8c\x01\xff",
                                     "X\x03\x00\x00\x00"};
  uint32_t n = tn_chance_draw(chance, 3000);
  switch (tn_chance_draw(chance, 10)) {
  case 0: /* a list in a list in a list … */
    append_repeated(out, "]", n);
    append_repeated(out, "a", n ? n - 1 : 0);
    break;
  case 1: /* a list that holds itself */
    append_repeated(out, tn_chance_draw(chance, 2) ? "]q\xf0h\xf0" "a" : "]\x94" "2a", 1);
    break;
  case 2: /* a dict that holds itself */
    append_repeated(out, "}q\xf1\x8c\x06" "frames" "h\xf1s", 1);
    break;
  case 3: /* a float */
    g_byte_array_append(out, (const guint8 *)"G\x7f\xef\xff\xff\xff\xff\xff\xff", 9);
    break;
  case 4:
    append_repeated(out, some[tn_chance_draw(chance, G_N_ELEMENTS(some) - 1)], 1);
    break;
  case 5: { /* what the memo holds, or not */
    uint8_t slot[2] = {'h', (uint8_t)tn_chance_draw(chance, tn_chance_draw(chance, 2) ? 24 : 256)};
    g_byte_array_append(out, slot, 2);
    break;
  }
  default:
    append_integer(out, chance);
    break;
  }
}

static bool
is_scalar(uint8_t opcode)
{
  return strchr("KMJNGX", opcode) || opcode == 0x8a || opcode == 0x8c || opcode == 0x88 || opcode == 0x89;
}

/* The first scalar at or after a random opcode; NULL: there is none. */
static const Op *
find_scalar(const GByteArray *bytes, const GArray *ops, TnChance *chance)
{
  for (guint i = tn_chance_draw(chance, ops->len); i < ops->len; i++) {
    const Op *op = &g_array_index(ops, Op, i);
    if (is_scalar(bytes->data[op->start]))
      return op;
  }
  return NULL;
}

bool
tn_mutate_pickle(GByteArray *bytes, TnChance *chance)
{
  static const char *const marks[] = {"(", "0", "1", "2", "t", "e", "u", "a", "s", "\x94", "\x85", "\x86", "\x87", "l", "d",
                                      "\x90", "\x91", "."};
  if (tn_chance_draw(chance, 8) == 0) {
    tn_make_snapshot(bytes, chance);
    return true;
  }
  g_autoptr(GArray) ops = find_ops(bytes);
  g_autoptr(GByteArray) hostile = g_byte_array_new();
  if (ops->len == 0)
    return false;
  guint row = tn_chance_draw(chance, ops->len);
  const Op *op = &g_array_index(ops, Op, row);
  guint end = row + tn_chance_draw(chance, 12);
  const Op *last = &g_array_index(ops, Op, MIN(end, ops->len - 1));
  const Op *other = &g_array_index(ops, Op, tn_chance_draw(chance, ops->len));
  const Op *scalar = find_scalar(bytes, ops, chance);
  tn_append_hostile(hostile, chance);
  switch (tn_chance_draw(chance, 8)) {
  case 0: /* some go: a member, an item, half of one */
    tn_splice(bytes, op->start, last->end - op->start, NULL, 0);
    break;
  case 1: /* some come again elsewhere */
    tn_splice(bytes, other->start, 0, bytes->data + op->start, last->end - op->start);
    break;
  case 2:
    tn_splice(bytes, op->start, 0, hostile->data, hostile->len);
    break;
  case 3: { /* the order of things */
    const char *mark = marks[tn_chance_draw(chance, G_N_ELEMENTS(marks))];
    tn_splice(bytes, op->start, tn_chance_draw(chance, 2) ? op->end - op->start : 0, mark, strlen(mark));
    break;
  }
  default:
    if (!scalar)
      return false;
    tn_splice(bytes, scalar->start, scalar->end - scalar->start, hostile->data, hostile->len);
    break;
  }
  return true;
}
