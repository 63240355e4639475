/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/event-list.h"

#include "app/window/index-row.h"
#include "app/window/settings.h"
#include "data/units.h"

#include <glib/gi18n.h>

struct _TnEventList {
  GObject parent_instance;
  TnStudy *study;
  uint32_t n; /* kept: a table that is closing still asks when the document is gone */
};

static GType
get_item_type(GListModel *model)
{
  return TN_TYPE_INDEX_ROW;
}

static guint
get_n_items(GListModel *model)
{
  return TN_EVENT_LIST(model)->n;
}

static gpointer
get_item(GListModel *model, guint position)
{
  return position < get_n_items(model) ? tn_index_row_new(position) : NULL;
}

static void
init_model(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_TYPE_WITH_CODE(TnEventList, tn_event_list, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_model))

static void
finalize(GObject *object)
{
  tn_study_unref(TN_EVENT_LIST(object)->study);
  G_OBJECT_CLASS(tn_event_list_parent_class)->finalize(object);
}

static void
tn_event_list_class_init(TnEventListClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
}

static void
tn_event_list_init(TnEventList *list)
{
}

TnEventList *
tn_event_list_new(TnStudy *study)
{
  TnEventList *list = g_object_new(TN_TYPE_EVENT_LIST, NULL);
  list->study = tn_study_ref(study);
  list->n = study->device->events.n;
  return list;
}

void
tn_event_list_set_study(TnEventList *list, TnStudy *study)
{
  TnStudy *gone = list->study;
  guint had = list->n;
  list->study = tn_study_ref(study);
  list->n = study->device->events.n;
  if (study->device != gone->device)
    g_list_model_items_changed(G_LIST_MODEL(list), 0, had, list->n);
  tn_study_unref(gone);
}

bool
tn_event_list_has_device(TnEventList *list, const TnDevice *device)
{
  return list->study->device == device;
}

static const char *
name_of_action(uint8_t action)
{
  static const char *const names[TN_N_EVENT_ACTIONS] = {
      [TN_EVENT_ALLOC] = N_("alloc"),
      [TN_EVENT_FREE_REQUESTED] = N_("free requested"),
      [TN_EVENT_FREE] = N_("free"),
      [TN_EVENT_SEGMENT_ALLOC] = N_("segment alloc"),
      [TN_EVENT_SEGMENT_FREE] = N_("segment free"),
      [TN_EVENT_SEGMENT_MAP] = N_("segment map"),
      [TN_EVENT_SEGMENT_UNMAP] = N_("segment unmap"),
      [TN_EVENT_SNAPSHOT] = N_("snapshot"),
      [TN_EVENT_OOM] = N_("out of memory"),
      [TN_EVENT_ANNOTATE] = N_("annotate"),
      [TN_EVENT_USE] = N_("use"),
      [TN_EVENT_SHARE] = N_("used by a stream"),
      [TN_EVENT_SYNC] = N_("stream waited for"),
      [TN_EVENT_WAIT] = N_("stream waits"),
      [TN_EVENT_FINALIZE] = N_("allocator ends"),
  };
  return action < TN_N_EVENT_ACTIONS && names[action] ? _(names[action]) : _("other");
}

/* Milliseconds since the first event that has a time: what a person compares. */
static char *
dup_time(const TnStudy *study, uint32_t i)
{
  const TnEvents *events = &study->device->events;
  if (events->time_us[i] <= 0)
    return g_strdup("–");
  int64_t first = study->clock ? study->clock->first : events->time_us[i];
  char number[40];
  g_ascii_formatd(number, sizeof number, "%.3f",
                  (double)(events->time_us[i] - first) / 1000.0);
  return g_strdup_printf("%s ms", number);
}

char *
tn_event_list_dup_cell(const TnStudy *study, uint32_t i, TnEventColumn column)
{
  const TnEvents *events = &study->device->events;
  char text[48];
  bool is_oom = events->action[i] == TN_EVENT_OOM;
  switch (column) {
  case TN_EVENT_COLUMN_INDEX:
    return g_strdup(tn_print_count(text, sizeof text, i));
  case TN_EVENT_COLUMN_TIME:
    return dup_time(study, i);
  case TN_EVENT_COLUMN_ACTION:
    return g_strdup(name_of_action(events->action[i]));
  case TN_EVENT_COLUMN_SIZE:
    return tn_format_bytes(events->bytes[i], tn_settings_get_units());
  case TN_EVENT_COLUMN_ADDRESS:
    if (is_oom)
      return g_strdup_printf(
          _("%s free"),
          tn_print_bytes(text, sizeof text, (tn_bytes)events->address[i], tn_settings_get_units()));
    return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", events->address[i]);
  default: {
    uint32_t site = tn_call_sites_of(study->sites, events->stack[i]);
    return g_strdup(site ? tn_call_sites_name(study->sites, site) : "");
  }
  }
}
