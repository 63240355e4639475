/* SPDX-License-Identifier: MIT */
/* What edits name things by, and what a person reads of them. */
#include "config.h"

#include "data/graph-edit.h"

#include "data/hash.h"
#include "data/units.h"

#include <string.h>

static bool
parse_row(const char *name, uint32_t n, uint32_t *out_row)
{
  guint64 row;
  if (name[0] != '#' || n == 0 || !g_ascii_string_to_unsigned(name + 1, 10, 0, n - 1, &row, NULL))
    return false;
  *out_row = (uint32_t)row;
  return true;
}

/* ---- tensors --------------------------------------------------------------------------- */

uint32_t
tn_graph_edit_find_tensor(const TnGraph *graph,
                          const TnStrings *strings,
                          const char *name,
                          uint32_t *out_row)
{
  uint32_t n = 0;
  if (parse_row(name, graph->tensors->len, out_row))
    return 1;
  for (uint32_t i = 0; i < graph->tensors->len; i++)
    if (strcmp(tn_strings_get(strings, tn_graph_tensor(graph, i)->name), name) == 0) {
      *out_row = i;
      n++;
    }
  return n;
}

char *
tn_graph_edit_dup_tensor_name(const TnGraph *graph, const TnStrings *strings, uint32_t tensor)
{
  uint32_t row;
  const char *name = tn_strings_get(strings, tn_graph_tensor(graph, tensor)->name);
  bool is_alone = name[0] && tn_graph_edit_find_tensor(graph, strings, name, &row) == 1 &&
                  row == tensor;
  return is_alone ? g_strdup(name) : g_strdup_printf("#%u", tensor);
}

/* ---- ops ------------------------------------------------------------------------------- */

static const char *
output_name(const TnGraph *graph, const TnStrings *strings, const TnOp *op)
{
  uint32_t first = op->n_outputs > 0 ? *tn_graph_outputs(graph, op) : TN_NONE;
  return first == TN_NONE ? "" : tn_strings_get(strings, tn_graph_tensor(graph, first)->name);
}

/* By their own names, or by those of their first outputs. */
static uint32_t
count_ops(const TnGraph *graph, const TnStrings *strings, const char *name, bool is_by_output,
          uint32_t *out_row)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const TnOp *op = tn_graph_op(graph, i);
    const char *has =
        is_by_output ? output_name(graph, strings, op) : tn_strings_get(strings, op->name);
    if (strcmp(has, name) != 0)
      continue;
    *out_row = i;
    n++;
  }
  return n;
}

uint32_t
tn_graph_edit_find_op(const TnGraph *graph,
                      const TnStrings *strings,
                      const char *name,
                      uint32_t *out_row)
{
  if (parse_row(name, graph->ops->len, out_row))
    return 1;
  uint32_t n = count_ops(graph, strings, name, false, out_row);
  return n > 0 ? n : count_ops(graph, strings, name, true, out_row);
}

#define FEW_NAMES 16 /* so few are found by looking at all ops sooner than a table of them is made */

/* Name to row + 1; 0 where several ops have it. */
static GHashTable *
index_ops(const TnGraph *graph, const TnStrings *strings, bool is_by_output)
{
  GHashTable *rows = g_hash_table_new(tn_text_hash, g_str_equal);
  for (uint32_t i = 0; i < graph->ops->len; i++) {
    const TnOp *op = tn_graph_op(graph, i);
    const char *name =
        is_by_output ? output_name(graph, strings, op) : tn_strings_get(strings, op->name);
    bool is_known = g_hash_table_contains(rows, name);
    g_hash_table_insert(rows, (gpointer)name, GUINT_TO_POINTER(is_known ? 0 : i + 1));
  }
  return rows;
}

uint32_t
tn_graph_edit_find_ops(const TnGraph *graph,
                       const TnStrings *strings,
                       char **names,
                       uint32_t n,
                       uint32_t *out_rows)
{
  uint32_t found = 0;
  if (n <= FEW_NAMES) {
    while (found < n && tn_graph_edit_find_op(graph, strings, names[found], &out_rows[found]) == 1)
      found++;
    return found;
  }
  g_autoptr(GHashTable) by_name = index_ops(graph, strings, false);
  g_autoptr(GHashTable) by_output = index_ops(graph, strings, true);
  for (uint32_t i = 0; i < n; i++) {
    if (parse_row(names[i], graph->ops->len, &out_rows[i]))
      continue;
    bool is_name = g_hash_table_contains(by_name, names[i]);
    gpointer row = g_hash_table_lookup(is_name ? by_name : by_output, names[i]);
    if (!row)
      return i;
    out_rows[i] = GPOINTER_TO_UINT(row) - 1;
  }
  return n;
}

char *
tn_graph_edit_dup_op_name(const TnGraph *graph, const TnStrings *strings, uint32_t op)
{
  const TnOp *row = tn_graph_op(graph, op);
  const char *names[] = {tn_strings_get(strings, row->name), output_name(graph, strings, row)};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    uint32_t found;
    if (names[i][0] && tn_graph_edit_find_op(graph, strings, names[i], &found) == 1 && found == op)
      return g_strdup(names[i]);
  }
  return g_strdup_printf("#%u", op);
}

/* ---- words ----------------------------------------------------------------------------- */

static char *
describe_tensor(const TnGraphEdit *edit)
{
  char size[48];
  GString *text = g_string_new(edit->tensor);
  const char *between = ": ";
  if (edit->bytes != TN_BYTES_UNKNOWN) {
    g_string_append_printf(text, "%s%s", between,
                           tn_print_bytes(size, sizeof size, edit->bytes, TN_UNITS_BYTES));
    between = ", ";
  }
  if (edit->dtype) {
    g_string_append_printf(text, "%s%s", between, edit->dtype);
    between = ", ";
  }
  if (edit->alignment > 0)
    g_string_append_printf(text, "%saligned to %" G_GINT64_FORMAT, between, edit->alignment);
  return g_string_free(text, FALSE);
}

static char *
describe_fusion(const TnGraphEdit *edit)
{
  guint n = edit->ops ? g_strv_length(edit->ops) : 0;
  if (n == 0)
    return g_strdup("no ops as one");
  return g_strdup_printf(n == 2 ? "%s and %s as one op" : "%s … %s as one op (%u ops)",
                         edit->ops[0], edit->ops[n - 1], n);
}

char *
tn_graph_edit_describe(const TnGraphEdit *edit)
{
  switch (edit->kind) {
  case TN_EDIT_FUSE:
    return describe_fusion(edit);
  case TN_EDIT_IN_PLACE:
    return g_strdup_printf("%s takes the memory of %s", edit->tensor, edit->input);
  case TN_EDIT_VIEW:
    return g_strdup_printf("%s is a view of %s", edit->tensor, edit->input);
  case TN_EDIT_PIN:
    return g_strdup_printf("%s lives to the end", edit->tensor);
  case TN_EDIT_RELEASE:
    return g_strdup_printf("%s ends with its last reader", edit->tensor);
  case TN_EDIT_SPLIT:
    return g_strdup_printf("%s as %u ops", edit->ops && edit->ops[0] ? edit->ops[0] : "",
                           edit->tasks);
  case TN_EDIT_TENSOR:
  case TN_N_EDITS:
  default:
    return describe_tensor(edit);
  }
}
