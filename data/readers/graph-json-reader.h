/* SPDX-License-Identifier: MIT */
/* What the files of the tenure-graph reader share. */
#pragma once

#include "data/document.h"
#include "data/readers/graph-json-values.h"

typedef struct {
  TnGraphJson json;
  TnDocument *document;
  TnGraph *graph;
  GHashTable *tensors; /* file id (int64) to row + 1 */
  GHashTable *ops;     /* the same */
  uint32_t *read_by;   /* by tensor: the last op that reads it, + 1 */
} TnGraphJsonReader;

/* Notes that the file calls this row `id`; false and an error where another has it. */
bool tn_graph_json_add_id(TnGraphJsonReader *reader, GHashTable *ids, int64_t id, uint32_t row,
                          const char *place);
/* The row of an id; false and an error where the file lists none. */
bool tn_graph_json_find_id(TnGraphJsonReader *reader, GHashTable *ids, const cJSON *value,
                           const char *place, uint32_t *out_row);

/* The kind of a tensor whose file leaves it out, until the ops are known. */
#define TN_GRAPH_JSON_NO_KIND UINT8_MAX

/* The next tensor; a kind that is left out is settled once the ops are known. */
bool tn_graph_json_read_tensor(TnGraphJsonReader *reader, const cJSON *object, uint32_t index);
/* `inside` of all tensors, once each has its row: whose memory theirs is a part of. */
bool tn_graph_json_read_inside(TnGraphJsonReader *reader, const cJSON *tensors);
/* The next op, but for its `after`. */
bool tn_graph_json_read_op(TnGraphJsonReader *reader, const cJSON *object, uint32_t index);
/* `after` of all ops, once each has its row. */
bool tn_graph_json_read_after(TnGraphJsonReader *reader, const cJSON *ops);
