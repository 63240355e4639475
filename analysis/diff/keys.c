/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/diff/keys.h"

#include "analysis/callsite.h"

#include <string.h>

static uint64_t
hash_text(const char *text)
{
  uint64_t hash = 0xCBF29CE484222325ull;
  for (; *text; text++)
    hash = (hash ^ (uint8_t)*text) * 0x100000001B3ull;
  return tn_diff_key_add(hash, 1);
}

uint64_t *
tn_diff_build_string_keys(const TnDocument *document)
{
  uint32_t n = tn_strings_count(document->strings);
  uint64_t *keys = g_new0(uint64_t, MAX(n, 1u));
  for (uint32_t i = 1; i < n; i++)
    keys[i] = hash_text(tn_strings_get(document->strings, i));
  return keys;
}

static bool
is_users(const TnDocument *document, TnFrame frame)
{
  return !tn_frame_is_framework(tn_strings_get(document->strings, frame.file),
                                tn_strings_get(document->strings, frame.name));
}

/* By frame: its key, and whether it is the user's own. */
typedef struct {
  uint64_t *key;
  uint8_t *is_own;
} FrameKeys;

static FrameKeys
build_frames(const TnDocument *document, const uint64_t *strings, bool is_exact)
{
  uint32_t n = tn_stacks_frame_count(document->stacks);
  FrameKeys keys = {g_new(uint64_t, MAX(n, 1u)), g_new0(uint8_t, MAX(n, 1u))};
  for (uint32_t i = 0; i < n; i++) {
    TnFrame frame = tn_stacks_frame(document->stacks, i);
    keys.key[i] = tn_diff_key_add(strings[frame.name], strings[frame.file]);
    if (is_exact)
      keys.key[i] = tn_diff_key_add(keys.key[i], (uint64_t)frame.line);
    else
      keys.is_own[i] = is_users(document, frame);
  }
  return keys;
}

static uint64_t
key_of_stack(const FrameKeys *keys, const uint32_t *frames, uint32_t n, bool own_only)
{
  uint64_t key = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!own_only || keys->is_own[frames[i]])
      key = tn_diff_key_add(key, keys->key[frames[i]]);
  return key;
}

uint64_t *
tn_diff_build_stack_keys(const TnDocument *document, const uint64_t *strings, bool is_exact)
{
  uint32_t n = tn_stacks_count(document->stacks);
  FrameKeys frames = build_frames(document, strings, is_exact);
  uint64_t *keys = g_new0(uint64_t, MAX(n, 1u));
  for (uint32_t i = 1; i < n; i++) {
    uint32_t n_frames;
    const uint32_t *rows = tn_stacks_get(document->stacks, i, &n_frames);
    keys[i] = is_exact ? 0 : key_of_stack(&frames, rows, n_frames, true);
    if (!keys[i])
      keys[i] = key_of_stack(&frames, rows, n_frames, false);
  }
  g_free(frames.key);
  g_free(frames.is_own);
  return keys;
}

uint64_t
tn_diff_shape_key(const TnGraph *graph, uint32_t tensor, const uint64_t *strings)
{
  if (tensor == TN_NONE)
    return 2;
  const TnTensor *row = tn_graph_tensor(graph, tensor);
  uint64_t key = tn_diff_key_add(strings[row->dtype], row->rank);
  for (uint32_t i = 0; i < row->rank && row->rank != TN_NONE; i++)
    key = tn_diff_key_add(key, (uint64_t)tn_graph_dims(graph, row)[i]);
  /* Without a shape the size is the best that is known. */
  return row->rank == TN_NONE ? tn_diff_key_add(key, (uint64_t)row->bytes) : key;
}
