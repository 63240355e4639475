/* SPDX-License-Identifier: MIT */
/* What the log's requests would have met with other settings, another allocator or another device:
 * replayed off the main thread whenever a control changes; the last change wins.  Signal:
 * "answered". */
#pragma once

#include "analysis/replay/suggest.h"
#include "app/window/session.h"

#include <gtk/gtk.h>

#define TN_TYPE_WHAT_IF (tn_what_if_get_type())
G_DECLARE_FINAL_TYPE(TnWhatIf, tn_what_if, TN, WHAT_IF, GtkBox)

GtkWidget *tn_what_if_new(TnSession *session);

/* Lists them (borrowed until the next call; NULL: none): a click on one fills in the controls. */
void tn_what_if_set_suggestions(TnWhatIf *panel, const TnSuggestions *suggestions);

/* Whether there are requests to replay: the log of an allocator, with events. */
bool tn_what_if_is_possible(TnSession *session);

/* What the last answer says; empty before the first.  Owned by the panel. */
const char *tn_what_if_get_verdict(TnWhatIf *panel);
