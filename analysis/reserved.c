/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/reserved.h"

#include "analysis/lifetime.h"

int
tn_reserved_sign(uint8_t action)
{
  switch (action) {
  case TN_EVENT_SEGMENT_ALLOC:
  case TN_EVENT_SEGMENT_MAP:
    return 1;
  case TN_EVENT_SEGMENT_FREE:
  case TN_EVENT_SEGMENT_UNMAP:
    return -1;
  default:
    return 0;
  }
}

static bool
sum_changes(const TnEvents *events, tn_bytes *out_sum)
{
  *out_sum = 0;
  for (uint32_t i = 0; i < events->n; i++) {
    int sign = tn_reserved_sign(events->action[i]);
    if (sign && !tn_add(*out_sum, sign * events->bytes[i], out_sum))
      return false;
  }
  return true;
}

TnCurve *
tn_reserved_curve_new(const TnDevice *device)
{
  const TnEvents *events = &device->events;
  tn_bytes now = 0, changes;
  for (guint i = 0; i < device->segments->len; i++)
    if (!tn_add(now, g_array_index(device->segments, TnSegment, i).bytes, &now))
      return NULL;
  if (!device->has_reserved || !sum_changes(events, &changes) || !tn_add(now, -changes, &now))
    return NULL;
  g_autoptr(GArray) ticks = g_array_new(FALSE, FALSE, sizeof(tn_tick));
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(tn_bytes));
  tn_tick zero = 0;
  g_array_append_val(ticks, zero);
  g_array_append_val(values, now);
  for (uint32_t i = 0; i < events->n; i++) {
    int sign = tn_reserved_sign(events->action[i]);
    if (!sign)
      continue;
    now += sign * events->bytes[i];
    tn_tick tick = i;
    if (i == 0 && sign > 0) {
      g_array_index(values, tn_bytes, 0) = now;
      continue;
    }
    /* What the first event gives back was there before it. */
    tick = MAX(tick, (tn_tick)1);
    if (tick >= tn_log_axis_end(device))
      break;
    if (g_array_index(ticks, tn_tick, ticks->len - 1) == tick) {
      g_array_index(values, tn_bytes, values->len - 1) = now;
      continue;
    }
    g_array_append_val(ticks, tick);
    g_array_append_val(values, now);
  }
  return tn_curve_new((const tn_tick *)(void *)ticks->data,
                      (const tn_bytes *)(void *)values->data, ticks->len,
                      tn_log_axis_end(device));
}
