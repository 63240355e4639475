/* SPDX-License-Identifier: MIT */
/* What a row is known by, as 64-bit keys that mean the same in two documents: hashes of the texts,
 * not of the string ids. */
#pragma once

#include "analysis/study.h"

/* A key from a key and one more value; never 0, which means "no key". */
static inline uint64_t
tn_diff_key_add(uint64_t key, uint64_t value)
{
  uint64_t z = (key ^ value) * 0x9E3779B97F4A7C15ull + 0x632BE59BD9B4E019ull;
  z = (z ^ (z >> 31)) * 0xD6E8FEB86659FD93ull;
  z ^= z >> 29;
  return z ? z : 1;
}

/* By string id of the document: 0 for the empty one.  Owned by the caller.  O(text). */
uint64_t *tn_diff_build_string_keys(const TnDocument *document);

/* By stack of the document, 0 for the empty stack.  `is_exact`: all frames with their lines; else
 * the functions of the user's own frames (all, where there is none).  Owned by the caller. */
uint64_t *
tn_diff_build_stack_keys(const TnDocument *document, const uint64_t *strings, bool is_exact);

/* The shape and type of a tensor. */
uint64_t tn_diff_shape_key(const TnGraph *graph, uint32_t tensor, const uint64_t *strings);
