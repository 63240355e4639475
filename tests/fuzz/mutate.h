/* SPDX-License-Identifier: MIT */
/* Damage to inputs: of bytes, which mostly finds what a reader does with nonsense, and of structure,
 * which gives well-formed files of hostile values.  The same seed gives the same damage. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Chance, repeatable (a linear congruential generator, Knuth's constants). */
typedef struct {
  uint64_t state;
} TnChance;

/* In [0, below); 0 where `below` is 0. */
uint32_t tn_chance_draw(TnChance *chance, uint32_t below);
/* Numbers that readers stumble over: around 0, around powers of two, the ends of 64 bits. */
int64_t tn_chance_number(TnChance *chance);

/* Puts `n` bytes in place of bytes[at, at + cut). */
void tn_splice(GByteArray *bytes, gsize at, gsize cut, const void *with, gsize n);

/* One change of any bytes. */
void tn_mutate_bytes(GByteArray *bytes, TnChance *chance);

/* One change by structure; false where the bytes have none to change (nothing is changed then). */
typedef bool (*TnMutator)(GByteArray *bytes, TnChance *chance);

bool tn_mutate_json(GByteArray *bytes, TnChance *chance);       /* JSON anywhere in a text */
bool tn_mutate_text(GByteArray *bytes, TnChance *chance);       /* lines, blocks, numbers */
bool tn_mutate_pickle(GByteArray *bytes, TnChance *chance);     /* opcodes */
bool tn_mutate_protobuf(GByteArray *bytes, TnChance *chance);   /* fields; lengths are kept right */
bool tn_mutate_flatbuffer(GByteArray *bytes, TnChance *chance); /* offsets, vtables, vectors */

/* Appends one value of any type, well formed, as a pickle's opcodes. */
void tn_append_hostile(GByteArray *out, TnChance *chance);
/* Puts a snapshot of PyTorch's allocator with such values in the place of the bytes. */
void tn_make_snapshot(GByteArray *bytes, TnChance *chance);

/* One to four changes, by structure (where there is a mutator) half of the times. */
void tn_damage(GByteArray *bytes, TnMutator mutator, TnChance *chance);

/* The one for a reader's format, or for a target's own name; NULL: bytes only. */
TnMutator tn_mutator_find(const char *format);
/* The same for a file by the end of its name. */
TnMutator tn_mutator_find_for_name(const char *name);
