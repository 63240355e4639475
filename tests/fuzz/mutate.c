/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/mutate.h"

#include <string.h>

uint32_t
tn_chance_draw(TnChance *chance, uint32_t below)
{
  chance->state = chance->state * 6364136223846793005u + 1442695040888963407u;
  return below ? (uint32_t)(chance->state >> 33) % below : 0;
}

int64_t
tn_chance_number(TnChance *chance)
{
  static const int64_t some[] = {0, 1, -1, 2, 7, 64, 255, 256, 4095, 65536, INT32_MAX, INT32_MIN,
                                 INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1};
  int64_t number = some[tn_chance_draw(chance, G_N_ELEMENTS(some))];
  switch (tn_chance_draw(chance, 4)) {
  case 0:
    return (int64_t)((uint64_t)1 << tn_chance_draw(chance, 64));
  case 1:
    return (int64_t)(((uint64_t)1 << tn_chance_draw(chance, 64)) - 1);
  case 2:
    return (int64_t)tn_chance_draw(chance, 1000) - 20;
  default:
    return number;
  }
}

void
tn_splice(GByteArray *bytes, gsize at, gsize cut, const void *with, gsize n)
{
  gsize rest = bytes->len - at - cut, old = bytes->len;
  /* `with` may be a part of the array itself. */
  g_autofree void *copy = n ? g_memdup2(with, n) : NULL;
  if (n > cut)
    g_byte_array_set_size(bytes, (guint)(old + n - cut));
  memmove(bytes->data + at + n, bytes->data + at + cut, rest);
  if (n)
    memcpy(bytes->data + at, copy, n);
  if (n < cut)
    g_byte_array_set_size(bytes, (guint)(old + n - cut));
}

/* Text and bytes that readers stumble over. */
static const char *const tokens[] = {
    "-1", "0", "9223372036854775807", "9223372036854775808", "18446744073709551616", "\"", ",", "{",
    "}", "[", "]", "null", "1e9", "\n", "-", "@", ":", "\\u0000", "\xff\xff\xff\x7f", "\xff", "(", ".",
    "h", "\x94",
};

void
tn_mutate_bytes(GByteArray *bytes, TnChance *chance)
{
  uint32_t at = tn_chance_draw(chance, bytes->len + 1), n = tn_chance_draw(chance, 40);
  uint32_t from = tn_chance_draw(chance, bytes->len + 1);
  const char *token = tokens[tn_chance_draw(chance, G_N_ELEMENTS(tokens))];
  switch (tn_chance_draw(chance, 6)) {
  case 0: /* cut off */
    g_byte_array_set_size(bytes, at);
    break;
  case 1: /* one bit */
    if (at < bytes->len)
      bytes->data[at] ^= (uint8_t)(1u << tn_chance_draw(chance, 8));
    break;
  case 2: /* one byte */
    if (at < bytes->len)
      bytes->data[at] = (uint8_t)tn_chance_draw(chance, 256);
    break;
  case 3: /* some gone */
    tn_splice(bytes, at, MIN(n, bytes->len - at), NULL, 0);
    break;
  case 4: /* some from elsewhere */
    n = MIN(n, bytes->len - MAX(at, from));
    memmove(bytes->data + at, bytes->data + from, n);
    break;
  default: /* a token in between */
    tn_splice(bytes, at, 0, token, strlen(token));
    break;
  }
}

void
tn_damage(GByteArray *bytes, TnMutator mutator, TnChance *chance)
{
  bool by_structure = mutator && tn_chance_draw(chance, 2);
  for (uint32_t n = 1 + tn_chance_draw(chance, 4); n > 0; n--)
    if (!by_structure || !mutator(bytes, chance))
      tn_mutate_bytes(bytes, chance);
}

TnMutator
tn_mutator_find(const char *format)
{
  static const struct {
    const char *format;
    TnMutator mutator;
  } rows[] = {
      {"pytorch", tn_mutate_pickle},          {"onnx", tn_mutate_protobuf},
      {"tflite", tn_mutate_flatbuffer},       {"executorch", tn_mutate_flatbuffer},
      {"pytorch-json", tn_mutate_json},       {"pytorch-html", tn_mutate_json},
      {"executorch-trace", tn_mutate_json},   {"tenure-graph", tn_mutate_json},
      {"tenure-plan", tn_mutate_json},        {"kineto", tn_mutate_json},
      {"tenure-log", tn_mutate_json},         {"memory-timeline", tn_mutate_json},
      {"vma-json", tn_mutate_json},           {"json", tn_mutate_json},
      {"csv", tn_mutate_text},                {"text-log", tn_mutate_text},
      {"xla", tn_mutate_text},                {"ascend-csv", tn_mutate_text},
      {"memscope-csv", tn_mutate_text},       {"ge-graph", tn_mutate_text},
      {"text", tn_mutate_text},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (strcmp(rows[i].format, format) == 0)
      return rows[i].mutator;
  return NULL;
}

TnMutator
tn_mutator_find_for_name(const char *name)
{
  static const struct {
    const char *end;
    TnMutator mutator;
  } rows[] = {
      {".pickle", tn_mutate_pickle}, {".pkl", tn_mutate_pickle}, {".onnx", tn_mutate_protobuf},
      {".tflite", tn_mutate_flatbuffer}, {".pte", tn_mutate_flatbuffer}, {".json", tn_mutate_json},
      {".tenure-log", tn_mutate_json}, {".html", tn_mutate_json}, {".csv", tn_mutate_text},
      {".txt", tn_mutate_text}, {".log", tn_mutate_text}, {".pbtxt", tn_mutate_text},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (g_str_has_suffix(name, rows[i].end))
      return rows[i].mutator;
  return NULL;
}
