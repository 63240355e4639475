/* SPDX-License-Identifier: MIT */
/* Settings of the allocator models, with the names that the real ones use. */
#pragma once

#include "data/types.h"

#define TN_ROUNDUP_INTERVALS 16 /* 1 MiB, 2 MiB, … 32 GiB and above */

typedef struct {
  /* caching (PyTorch) */
  bool expandable_segments;
  tn_bytes max_split_size;         /* 0: unlimited */
  tn_bytes max_non_split_rounding; /* 20 MiB */
  double garbage_collection_threshold; /* 0: off */
  uint32_t roundup_power2_divisions[TN_ROUNDUP_INTERVALS]; /* 0: off */
  tn_bytes padding; /* added to each request before rounding: 32 on Ascend */
  /* bfc (TensorFlow) */
  bool allow_growth, garbage_collection;
  /* scalable (GE) */
  tn_bytes memory_pool_threshold; /* 0: 95 % of the device's memory, none where that is unknown */
  /* all others */
  tn_bytes alignment; /* 512; bfc: 256 */
} TnReplaySettings;

/* What the allocators do when nothing is set. */
void tn_replay_settings_init(TnReplaySettings *settings);

/* Sets KEY=VALUE ("max_split_size_mb=128", "expandable_segments=True",
 * "roundup_power2_divisions=4" or "[256:1,>:4]"); false: no such key or no such value, and
 * *out_message (owned by the caller) says what was expected. */
bool tn_replay_settings_set(TnReplaySettings *settings, const char *pair, char **out_message);

/* What differs from the default, as KEY=VALUE separated by commas; "defaults" where nothing does.
 * Owned by the caller. */
char *tn_replay_settings_format(const TnReplaySettings *settings);

/* The settings that a PyTorch snapshot states (`settings`: char * to char *, may be NULL). */
void tn_replay_settings_read(TnReplaySettings *settings, GHashTable *stated);
