/* SPDX-License-Identifier: MIT */
/* What the window calls the ticks of an axis.  (What the layers below write keeps their English
 * names: pictures, reports and plans are the same in all languages.) */
#pragma once

#include "data/document.h"

/* "event", "step" or "us", of one tick; "events", "steps" or "us", of several.  Static. */
const char *tn_axis_word(TnAxisUnit unit);
const char *tn_axis_words(TnAxisUnit unit);
/* Of `n` of them. */
const char *tn_axis_word_for(TnAxisUnit unit, int64_t n);
