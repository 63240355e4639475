/* SPDX-License-Identifier: MIT */
/* The controls of the what-if panel: a model of an allocator, its settings, the device's memory.
 * Signal: "changed", where a person or tn_what_if_form_fill() changed any. */
#pragma once

#include "analysis/replay/replay.h"

#include <gtk/gtk.h>

#define TN_TYPE_WHAT_IF_FORM (tn_what_if_form_get_type())
G_DECLARE_FINAL_TYPE(TnWhatIfForm, tn_what_if_form, TN, WHAT_IF_FORM, GtkGrid)

GtkWidget *tn_what_if_form_new(void);

/* Shows these; what no control shows (padding, alignment) is kept from `settings`.  `limit`: 0:
 * none. */
void tn_what_if_form_fill(TnWhatIfForm *form,
                          const TnAllocatorModel *model,
                          const TnReplaySettings *settings,
                          tn_bytes limit);

/* Sets model, settings and limit; false where an entry holds no such value: *out_message (owned by
 * the caller) says what was expected. */
bool tn_what_if_form_read(TnWhatIfForm *form, TnReplayParams *params, char **out_message);

/* All that the controls hold, and what was filled in below them; floating.  Putting it back says
 * "changed". */
GVariant *tn_what_if_form_get_state(TnWhatIfForm *form);
void tn_what_if_form_set_state(TnWhatIfForm *form, GVariant *state);
/* What a change from one state to another is called: "Change Allocator"; static. */
const char *tn_what_if_form_name_change(GVariant *from, GVariant *to);
