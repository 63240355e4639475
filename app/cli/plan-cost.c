/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/plan-cost.h"

#include "analysis/plan/reuse.h"

#include <stdio.h>

#define MOST_ROWS 200000u
#define MOST_MOMENTS 200u

void
tn_plan_cost_clear(TnPlanCost *cost)
{
  g_clear_pointer(&cost->reuse, g_array_unref);
  g_clear_pointer(&cost->curve, g_array_unref);
}

TnPlanCost
tn_plan_cost_find(const TnDocument *document, const TnStudy *study, const TnPlan *plan,
                  const uint32_t *order, tn_bytes alignment, tn_tick compact_at)
{
  TnPlanCost cost = {.added_waits = -1, .high_water_bytes = plan->arena_bytes};
  const TnBuffers *b = study->buffers;
  if (b->n > MOST_ROWS)
    return cost;
  if (compact_at < 0)
    compact_at = tn_occupancy_high_water(b, plan->offset);
  cost.reuse = tn_reuse_pairs_new(b, plan->offset, NULL);
  if (document->kind == TN_DOCUMENT_GRAPH && document->graph->ops->len)
    cost.added_waits = tn_reuse_count_waits(
        document->graph, order ? order : (const uint32_t *)(void *)document->graph->order->data, b,
        cost.reuse);
  cost.compaction = tn_occupancy_at(b, plan->offset, alignment, compact_at);
  cost.curve = tn_occupancy_curve_new(b, plan->offset, alignment,
                                      MIN(MOST_MOMENTS, 40000000u / MAX(b->n, 1u)));
  return cost;
}

static cJSON *
moment_json(const TnOccupancy *at)
{
  cJSON *row = cJSON_CreateObject();
  tn_json_add_integer(row, "tick", at->tick);
  tn_json_add_bytes(row, "used_bytes", at->used_bytes);
  tn_json_add_bytes(row, "extent_bytes", at->extent_bytes);
  tn_json_add_bytes(row, "hole_bytes", at->hole_bytes);
  tn_json_add_bytes(row, "largest_hole_bytes", at->largest_hole_bytes);
  cJSON_AddNumberToObject(row, "fragmentation_ratio", tn_occupancy_fragmentation(at));
  return row;
}

void
tn_plan_cost_add_json(cJSON *object, const TnPlanCost *cost)
{
  if (!cost->reuse)
    return;
  cJSON *pool = cJSON_AddObjectToObject(object, "pool");
  cJSON *compaction = cJSON_CreateObject(), *moments = cJSON_CreateArray();
  tn_json_add_integer(object, "reused_places", cost->reuse->len);
  if (cost->added_waits >= 0)
    tn_json_add_integer(object, "added_dependencies", cost->added_waits);
  tn_json_add_integer(compaction, "tick", cost->compaction.tick);
  tn_json_add_bytes(compaction, "moved_bytes", cost->compaction.moved_bytes);
  tn_json_add_bytes(compaction, "won_bytes", cost->compaction.won_bytes);
  for (guint i = 0; i < cost->curve->len; i++)
    cJSON_AddItemToArray(moments, moment_json(&g_array_index(cost->curve, TnOccupancy, i)));
  tn_json_add_bytes(pool, "high_water_bytes", cost->high_water_bytes);
  cJSON_AddItemToObject(pool, "compaction", compaction);
  cJSON_AddItemToObject(pool, "moments", moments);
}

void
tn_plan_cost_print(const TnCommonOptions *common, const TnPlanCost *cost)
{
  if (!cost->reuse)
    return;
  g_autofree char *added =
      cost->added_waits < 0
          ? g_strdup("")
          : g_strdup_printf("  %" G_GINT64_FORMAT " waits between ops that the graph does not ask for",
                            cost->added_waits);
  tn_say("%-18s %14u%s\n", "Places taken over", cost->reuse->len, added);
  if (cost->compaction.won_bytes <= 0)
    return;
  g_autofree char *moved = tn_cli_size(common, cost->compaction.moved_bytes);
  g_autofree char *won = tn_cli_size(common, cost->compaction.won_bytes);
  tn_say("%-18s %14s  won by moving %s at tick %" G_GINT64_FORMAT "\n", "Compaction", won, moved,
         cost->compaction.tick);
}
