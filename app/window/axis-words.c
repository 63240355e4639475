/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/axis-words.h"

#include <glib/gi18n.h>

const char *
tn_axis_word_for(TnAxisUnit unit, int64_t n)
{
  gulong count = (gulong)n;
  return unit == TN_AXIS_EVENT  ? ngettext("event", "events", count)
         : unit == TN_AXIS_STEP ? ngettext("step", "steps", count)
                                : _("us");
}

const char *
tn_axis_word(TnAxisUnit unit)
{
  return tn_axis_word_for(unit, 1);
}

const char *
tn_axis_words(TnAxisUnit unit)
{
  return unit == TN_AXIS_EVENT ? _("events") : unit == TN_AXIS_STEP ? _("steps") : _("us");
}
