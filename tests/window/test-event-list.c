/* SPDX-License-Identifier: MIT */
/* The events of a device stay the same rows whatever is done with its buffers: of millions, a selection would make
 * each anew to find its own. */
#include "config.h"

#include "app/window/event-list.h"

#include "session-support.h"

static void
count(GListModel *model, guint at, guint removed, guint added, guint *n)
{
  (*n)++;
  g_assert_cmpuint(g_list_model_get_n_items(model), ==, added);
}

static void
test_same_device(void)
{
  TnDocument *document =
      load("{\"format\": \"tenure-log\", \"version\": 1}\n"
           "{\"t\": 1, \"event\": \"alloc\", \"address\": \"0x1000\", \"bytes\": 512, \"device\": 0}\n"
           "{\"t\": 2, \"event\": \"free\", \"address\": \"0x1000\", \"device\": 0}\n"
           "{\"t\": 3, \"event\": \"alloc\", \"address\": \"0x2000\", \"bytes\": 512, \"device\": 1}\n");
  TnStudy *first = study_of_device(document, 0), *second = study_of_device(document, 1);
  TnStudy *regrouped = tn_study_new_regrouped(first, TN_GROUP_SIZE, true, TN_LANES_BY_START);
  g_autoptr(TnEventList) list = tn_event_list_new(first);
  guint n_changes = 0;
  g_signal_connect(list, "items-changed", G_CALLBACK(count), &n_changes);
  g_assert_true(tn_event_list_has_device(list, regrouped->device));
  tn_event_list_set_study(list, regrouped);
  g_assert_cmpuint(n_changes, ==, 0);
  g_assert_false(tn_event_list_has_device(list, second->device));
  tn_event_list_set_study(list, second);
  g_assert_cmpuint(n_changes, ==, 1);
  g_clear_object(&list);
  tn_study_unref(first);
  tn_study_unref(second);
  tn_study_unref(regrouped);
  tn_document_free(document);
}

/* The first line has no time: it is not the one that others count from. */
static void
test_first_time(void)
{
  TnDocument *document =
      load("{\"format\": \"tenure-log\", \"version\": 1}\n"
           "{\"event\": \"alloc\", \"address\": \"0x1000\", \"bytes\": 512}\n"
           "{\"t\": 1764525600, \"event\": \"alloc\", \"address\": \"0x2000\", \"bytes\": 512}\n"
           "{\"t\": 1764525600.25, \"event\": \"free\", \"address\": \"0x2000\"}\n");
  TnStudy *study = study_of(document);
  static const char *const times[] = {"–", "0.000 ms", "250.000 ms"};
  for (uint32_t i = 0; i < 3; i++) {
    g_autofree char *time = tn_event_list_dup_cell(study, i, TN_EVENT_COLUMN_TIME);
    g_assert_cmpstr(time, ==, times[i]);
  }
  tn_study_unref(study);
  tn_document_free(document);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/event-list/same-device", test_same_device);
  g_test_add_func("/event-list/first-time", test_first_time);
  return g_test_run();
}
