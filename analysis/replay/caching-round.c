/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/replay/caching-private.h"

static uint32_t
divisions_for(const TnReplaySettings *settings, tn_bytes bytes)
{
  /* Interval i begins at 2^i MiB; smaller sizes use the first. */
  int floor_log2 = 63 - __builtin_clzll((unsigned long long)bytes);
  int interval = CLAMP(floor_log2 - 20, 0, TN_ROUNDUP_INTERVALS - 1);
  return settings->roundup_power2_divisions[interval];
}

/* Up to the next of `divisions` equal steps between two powers of two. */
static tn_bytes
round_to_division(tn_bytes bytes, uint32_t divisions)
{
  if ((bytes & (bytes - 1)) == 0)
    return bytes;
  tn_bytes floor = (tn_bytes)1 << (63 - __builtin_clzll((unsigned long long)bytes));
  tn_bytes step = floor / divisions;
  if (step == 0)
    return floor * 2;
  tn_bytes low = bytes / step * step;
  return low == bytes ? bytes : low + step;
}

tn_bytes
tn_caching_round_padded(const TnReplaySettings *settings, tn_bytes bytes)
{
  tn_bytes whole;
  if (bytes < MIN_BLOCK)
    return MIN_BLOCK;
  uint32_t divisions = divisions_for(settings, bytes);
  if (divisions > 1 && bytes > (tn_bytes)MIN_BLOCK * divisions && bytes < (tn_bytes)1 << 61)
    return round_to_division(bytes, divisions);
  return tn_round_up(bytes, MIN_BLOCK, &whole) ? whole : INT64_MAX / 2;
}

tn_bytes
tn_caching_round(const TnReplaySettings *settings, tn_bytes bytes)
{
  if (!tn_add(bytes, settings->padding, &bytes))
    return INT64_MAX / 2;
  return tn_caching_round_padded(settings, bytes);
}

tn_bytes
tn_caching_segment_size(tn_bytes rounded)
{
  tn_bytes whole;
  if (rounded <= SMALL_REQUEST)
    return SMALL_SEGMENT;
  if (rounded < MIDDLE_REQUEST)
    return LARGE_SEGMENT;
  return tn_round_up(rounded, LARGE_ROUNDING, &whole) ? whole : rounded;
}
