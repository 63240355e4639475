/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/what-if-text.h"

#include <glib/gi18n.h>

static char *
dup_plan_verdict(const TnReplayParams *params, const TnReplayResult *result, TnUnits units)
{
  char wanted[48], lacking[48], bound[48];
  if (result->reserved_peak < 0)
    return g_strdup(_("No plan was found."));
  if (result->ooms->len == 0)
    return g_strdup(_("Fits, with a plan that knows all lives."));
  bool is_proved = result->proved_bound > params->limit;
  tn_bytes needed = is_proved ? result->proved_bound : result->reserved_peak;
  tn_print_bytes(wanted, sizeof wanted, needed, units);
  tn_print_bytes(lacking, sizeof lacking, needed - params->limit, units);
  tn_print_bytes(bound, sizeof bound, result->proved_bound, units);
  return is_proved
             ? g_strdup_printf(_("Does not fit: even a plan needs %s, %s more than the device has."),
                               wanted, lacking)
             : g_strdup_printf(_("No plan was found that fits: the best one takes %s, %s more than "
                                 "the device has. It is proved only that none takes less than %s."),
                               wanted, lacking, bound);
}

static char *
dup_failure(const TnReplayOom *oom, TnUnits units)
{
  char wanted[48], room[48], segment[48], lacking[48], event[32];
  tn_print_count(event, sizeof event, oom->event);
  if (oom->bytes == 0)
    return g_strdup_printf(_("Fails at event %s: what was there before the recording, %s, is more "
                             "than the device has."),
                           event, tn_print_bytes(room, sizeof room, oom->reserved, units));
  tn_bytes room_bytes = MAX(oom->device_free, 0), needed = MAX(oom->needed, oom->bytes);
  tn_print_bytes(wanted, sizeof wanted, oom->bytes, units);
  tn_print_bytes(room, sizeof room, room_bytes, units);
  tn_print_bytes(segment, sizeof segment, needed, units);
  tn_print_bytes(lacking, sizeof lacking, needed - room_bytes, units);
  if (needed <= room_bytes)
    return g_strdup_printf(_("Fails at event %s: %s requested, and the %s left on the device are "
                             "too little for its segment."),
                           event, wanted, room);
  if (needed > oom->bytes)
    return g_strdup_printf(_("Fails at event %s: %s requested, in a segment of %s; %s left on the "
                             "device, %s short."),
                           event, wanted, segment, room, lacking);
  return g_strdup_printf(_("Fails at event %s: %s requested, %s left on the device, %s short."),
                         event, wanted, room, lacking);
}

/* Without the recorded failure among what failed before. */
static char *
dup_success(const TnReplayOp *failed, const TnReplayResult *result, TnUnits units)
{
  char wanted[48], event[32], others[32];
  if (!failed)
    return g_strdup(_("Passes: no request fails."));
  tn_print_bytes(wanted, sizeof wanted, failed->bytes, units);
  tn_print_count(event, sizeof event, failed->event);
  tn_print_count(others, sizeof others, result->ooms->len);
  return result->ooms->len
             ? g_strdup_printf(ngettext("Passes event %s, where %s failed, but %s fails later.",
                                        "Passes event %s, where %s failed, but %s fail later.",
                                        result->ooms->len),
                               event, wanted, others)
             : g_strdup_printf(_("Passes: the %s that failed at event %s are served."), wanted,
                               event);
}

char *
tn_what_if_dup_verdict(const TnReplayLog *log,
                       const TnReplayParams *params,
                       const TnReplayResult *result,
                       TnUnits units)
{
  const TnReplayOp *failed =
      log->last_oom == TN_NONE ? NULL : &g_array_index(log->ops, TnReplayOp, log->last_oom);
  if (params->limit == 0)
    return g_strdup(_("No limit of the device is set, so nothing fails."));
  if (!params->model->take)
    return dup_plan_verdict(params, result, units);
  if (result->ooms->len == 0)
    return dup_success(failed, result, units);
  const TnReplayOom *oom = &g_array_index(result->ooms, TnReplayOom, 0);
  return failed && oom->event > failed->event ? dup_success(failed, result, units)
                                              : dup_failure(oom, units);
}

char *
tn_what_if_dup_peaks(const TnReplayResult *result, TnUnits units)
{
  char peak[48], recorded[48], change[48];
  tn_bytes more = result->reserved_peak - result->recorded_peak;
  if (result->reserved_peak < 0)
    return g_strdup("");
  tn_print_bytes(peak, sizeof peak, result->reserved_peak, units);
  if (result->recorded_peak < 0)
    return g_strdup_printf(_("Peak reserved %s"), peak);
  tn_print_bytes(recorded, sizeof recorded, result->recorded_peak, units);
  tn_print_bytes(change, sizeof change, ABS(more), units);
  if (more == 0)
    return g_strdup_printf(_("Peak reserved %s, recorded %s: the same"), peak, recorded);
  return g_strdup_printf(more > 0 ? _("Peak reserved %s, recorded %s: %s more")
                                  : _("Peak reserved %s, recorded %s: %s less"),
                         peak, recorded, change);
}

char *
tn_what_if_dup_name(const TnSuggestion *try)
{
  return try->model == tn_allocator_models()[0]
             ? g_strdup(try->text)
             : g_strdup_printf("%s: %s", try->model->name, try->text);
}

char *
tn_what_if_dup_note(const TnSuggestion *try, TnUnits units)
{
  char peak[48];
  tn_print_bytes(peak, sizeof peak, try->reserved_peak, units);
  if (try->is_open)
    return g_strdup_printf(_("no plan was found that fits, none is ruled out · the best takes %s"),
                           peak);
  const char *recorded = try->is_recorded ? _("as recorded") : "";
  return g_strdup_printf(try->passes ? _("%s%spasses · %s reserved until then")
                                     : _("%s%sfails · %s reserved until then"),
                         recorded, *recorded ? " · " : "", peak);
}
