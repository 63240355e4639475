/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/sizes-fit.h"

#include "analysis/reserved.h"

/* Unknown sizes are negative. */
static bool
take(tn_bytes *room, tn_bytes bytes)
{
  *room -= CLAMP(bytes, 0, *room + 1);
  return *room >= 0;
}

static bool
take_buffers(tn_bytes *room, const TnBuffers *b)
{
  for (uint32_t i = 0; i < b->n; i++)
    if (!take(room, b->bytes[i]) || (b->requested && !take(room, b->requested[i])))
      return false;
  return true;
}

static bool
take_segments(tn_bytes *room, const TnDevice *device)
{
  for (guint i = 0; i < device->segments->len; i++)
    if (!take(room, g_array_index(device->segments, TnSegment, i).bytes))
      return false;
  for (uint32_t i = 0; i < device->events.n; i++)
    if (tn_reserved_sign(device->events.action[i]) && !take(room, device->events.bytes[i]))
      return false;
  return true;
}

bool
tn_sizes_fit(const TnDevice *device, const TnBuffers *buffers)
{
  tn_bytes room = TN_SIZES_MOST;
  return take(&room, device->total_bytes) && take_buffers(&room, buffers) && take_segments(&room, device);
}
