/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/graph-edit-effect.h"

#include "data/graph-order.h"

typedef struct {
  const TnGraph *graph;
  const TnStrings *strings;
  const TnGraphStorage *storage;
  const uint32_t *order;
} Check;

/* Of the storage that the tensor would take. */
static char *
dup_held_reason(const Check *check, const TnGraphEdit *edit, uint32_t from, uint32_t position)
{
  const TnGraphStorage *storage = check->storage;
  if (storage->is_resident[from])
    return g_strdup_printf("%s is resident: its memory is never given on", edit->input);
  if (storage->is_kept[from])
    return g_strdup_printf("%s lives to the end: its memory is never free", edit->input);
  if (storage->last_read[from] != position) {
    g_autofree char *reader = tn_graph_build_op_text(check->graph, check->strings,
                                                     check->order[storage->last_read[from]]);
    return g_strdup_printf("%s is still read by %s", edit->input, reader);
  }
  if (storage->taken_by[from] != TN_NONE)
    return g_strdup_printf("%s gives its memory to %s already", edit->input,
                           tn_strings_get(check->strings, tn_graph_tensor(check->graph,
                                                          storage->taken_by[from])->name));
  return g_strdup_printf("%s has memory of another tensor already", edit->tensor);
}

static char *
dup_in_place_reason(const Check *check, const TnGraphEdit *edit, uint32_t output, uint32_t input)
{
  const TnGraphStorage *storage = check->storage;
  uint32_t from = storage->root[input];
  tn_bytes had = tn_graph_tensor(check->graph, from)->bytes;
  tn_bytes wanted = tn_graph_tensor(check->graph, output)->bytes;
  if (storage->root[output] != output)
    return g_strdup_printf("%s is a view: it has no memory of its own", edit->tensor);
  if (storage->taken_by[from] == output)
    return NULL;
  if (wanted < 0 || had < 0)
    return g_strdup_printf("the size of %s is unknown", wanted < 0 ? edit->tensor : edit->input);
  if (wanted > had)
    return g_strdup_printf("%s (%" G_GINT64_FORMAT " B) is larger than %s (%" G_GINT64_FORMAT " B)",
                           edit->tensor, wanted, edit->input, had);
  return dup_held_reason(check, edit, from, storage->made_at[output]);
}

static char *
dup_view_reason(const Check *check, const TnGraphEdit *edit, uint32_t output, uint32_t input)
{
  return check->storage->root[output] == check->storage->root[input]
             ? NULL
             : g_strdup_printf("%s is the caller's or resident: it must be copied there",
                               edit->tensor);
}

char *
tn_graph_edit_dup_idle_reason(const TnGraph *graph,
                              const TnStrings *strings,
                              const TnGraphLifetimeParams *params,
                              const TnGraphEdit *edit)
{
  TnGraphStorageParams rules;
  uint32_t output, input;
  if ((edit->kind != TN_EDIT_IN_PLACE && edit->kind != TN_EDIT_VIEW) ||
      !tn_graph_lifetime_storage_params(graph, params, &rules) ||
      tn_graph_edit_find_tensor(graph, strings, edit->tensor, &output) != 1 ||
      tn_graph_edit_find_tensor(graph, strings, edit->input, &input) != 1)
    return NULL;
  g_autoptr(TnGraphStorage) storage = tn_graph_storage_new(graph, strings, &rules);
  Check check = {graph, strings, storage, rules.order};
  return edit->kind == TN_EDIT_VIEW ? dup_view_reason(&check, edit, output, input)
                                    : dup_in_place_reason(&check, edit, output, input);
}
