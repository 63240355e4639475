/* SPDX-License-Identifier: MIT */
/* Writes pickle protocol 4 byte for byte as CPython's pickler does: frames of 64 KiB, every
 * container and string memoized, batches of 1000.  Only what a memory snapshot needs. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  GByteArray *out;
  gsize frame_start; /* of the open frame's header; G_MAXSIZE: none is open */
  uint32_t n_memo;
  GHashTable *strings; /* text → memo index + 1 */
} PickleWriter;

/* A list or a dict that is being filled with a known number of members. */
typedef struct {
  uint32_t n, done;
  bool is_dict;
} PickleFill;

void pickle_begin(PickleWriter *writer);
/* STOP; the bytes are the caller's. */
GByteArray *pickle_end(PickleWriter *writer);

void pickle_int(PickleWriter *writer, int64_t value);
void pickle_bool(PickleWriter *writer, bool value);
void pickle_float(PickleWriter *writer, double value);
/* The second time a text is written it is a reference. */
void pickle_string(PickleWriter *writer, const char *text);
void pickle_int_pair(PickleWriter *writer, int64_t a, int64_t b);

/* A list or dict of n members: begin, then before and after each member (dict: key and value). */
PickleFill pickle_list(PickleWriter *writer, uint32_t n);
PickleFill pickle_dict(PickleWriter *writer, uint32_t n);
void pickle_before(PickleWriter *writer, const PickleFill *fill);
void pickle_after(PickleWriter *writer, PickleFill *fill);

/* The memo index of the container that was begun last, and a reference to it. */
uint32_t pickle_last_memo(const PickleWriter *writer);
void pickle_get(PickleWriter *writer, uint32_t memo);
