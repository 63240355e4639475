/* SPDX-License-Identifier: MIT */
/* Protobuf's text format over mapped memory, one field at a time: nothing is kept, so that a dump of
 * any size costs no memory of its own.
 *
 *   name: 12   name: "text" "more"   name: WORD   name: [1, 2]   name { … }   name: < … >   # comment
 */
#pragma once

#include "data/types.h"

#define TN_TEXT_PROTO_DEPTH 64 /* deeper nesting is refused */

typedef enum {
  TN_TEXT_PROTO_VALUE, /* `name` and `value` */
  TN_TEXT_PROTO_OPEN,  /* `name` begins a message; its fields follow */
  TN_TEXT_PROTO_CLOSE, /* the innermost open message ends */
  TN_TEXT_PROTO_END,   /* the text ends, with `depth` messages still open */
  TN_TEXT_PROTO_BAD    /* `found` stands at `at`, and `expected` does not */
} TnTextProtoEvent;

typedef struct {
  const uint8_t *at, *end;
  uint32_t line, depth; /* line: from 1 */
  /* Of the event in hand; borrowed from the text. */
  const uint8_t *name, *value; /* a string's value: between its quotes, escapes as they stand */
  gsize name_length, value_length;
  bool is_string, in_list;
  const char *found, *expected;
  uint8_t closing[TN_TEXT_PROTO_DEPTH]; /* private: '}' or '>' by depth */
} TnTextProto;

void tn_text_proto_init(TnTextProto *text, const void *data, gsize size);
/* The next field or end.  After END or BAD it stays there. */
TnTextProtoEvent tn_text_proto_next(TnTextProto *text);
/* Behind the end of the message that OPEN began; false where the text ends or is bad before. */
bool tn_text_proto_skip(TnTextProto *text);

bool tn_text_proto_is(const TnTextProto *text, const char *name);
/* The value in hand as a number of 64 bits, decimal or hexadecimal, or true and false. */
bool tn_text_proto_integer(const TnTextProto *text, int64_t *out);
/* The value in hand with its escapes undone; owned by the caller. */
char *tn_text_proto_dup_string(const TnTextProto *text);
