/* SPDX-License-Identifier: MIT */
/* What `--preset tflm` says of the whole arena: head, temp and tail, each figure with its
 * source.  Nothing for other presets. */
#pragma once

#include "app/cli/cli.h"

/* What a plan's arena of `head_bytes` takes with the sections beside it, on 32 bits and as far as the file
 * tells; without sections it is `head_bytes`, and false. */
bool tn_arena_sections_need(const TnCommonOptions *common, const TnDocument *document,
                            tn_bytes head_bytes, tn_bytes *out_bytes);
/* Whether that counts what may be there once only: a sub-graph for each op that runs it. */
bool tn_arena_sections_may_repeat(const TnCommonOptions *common, const TnDocument *document);
/* What of a capacity (0: none) the sections beside it leave for the plan's arena; at least 1. */
tn_bytes tn_arena_sections_room(const TnCommonOptions *common, const TnDocument *document,
                                tn_bytes capacity);
/* Where a budget (0: none) is compared with what is alive, which lies in the head: warns that the tail is not
 * in it. */
void tn_arena_sections_warn(const TnCommonOptions *common, const TnDocument *document,
                            tn_bytes budget);
/* `head_bytes`: the plan's arena. */
void tn_arena_sections_print(const TnCommonOptions *common, const TnDocument *document,
                             tn_bytes head_bytes);
/* "arena_sections": [{"section", "what", "bytes", "host64_bytes", "source"}], "arena_sections_bytes":
 * {"head_bytes", "temp_bytes", "tail_bytes", "total_bytes"}, "arena_sections_unknown": [texts] */
void tn_arena_sections_add_json(cJSON *object, const TnCommonOptions *common,
                                const TnDocument *document, tn_bytes head_bytes);
