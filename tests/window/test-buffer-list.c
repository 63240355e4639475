/* SPDX-License-Identifier: MIT */
/* Buffers sorted by what they are called: by the text, not by which name came first in the file; names, call sites and
 * kinds among each other. */
#include "config.h"

#include "app/window/buffer-list.h"
#include "app/window/label-ranks.h"

#include "session-support.h"

static char *
dup_labels(TnBufferList *list, const TnStudy *study)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < study->buffers->n; i++) {
    tn_index row = TN_ROW_LIST_GET_CLASS(list)->get(TN_ROW_LIST(list), i);
    g_autofree char *label = tn_study_dup_label(study, row);
    g_string_append_printf(text, "%s ", label);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static void
test_by_label(void)
{
  TnDocument *document = load("id,lower,upper,size\nzeta,0,2,64\nbeta,1,3,64\nalpha,2,4,64\ngamma,3,5,64\n");
  TnStudy *study = study_of(document);
  g_autoptr(TnBufferList) list = tn_buffer_list_new(study);
  tn_buffer_list_sort(list, TN_COLUMN_LABEL, false);
  g_autofree char *up = dup_labels(list, study);
  g_assert_cmpstr(up, ==, "alpha beta gamma zeta ");
  tn_buffer_list_sort(list, TN_COLUMN_LABEL, true);
  g_autofree char *down = dup_labels(list, study);
  g_assert_cmpstr(down, ==, "zeta gamma beta alpha ");
  g_clear_object(&list);
  tn_study_unref(study);
  tn_document_free(document);
}

/* The same label, the same rank, also where two documents say it. */
static void
test_ranks(void)
{
  TnDocument *log = load("{\"format\": \"tenure-log\", \"version\": 1}\n"
                         "{\"t\": 1, \"event\": \"alloc\", \"address\": \"0x1000\", \"bytes\": 512}\n"
                         "{\"t\": 2, \"event\": \"alloc\", \"address\": \"0x2000\", \"bytes\": 512}\n");
  TnDocument *plan = load("id,lower,upper,size\nzeta,0,2,64\nno call stack,1,3,64\n");
  TnStudy *a = study_of(log), *b = study_of(plan);
  g_autofree char *label = tn_study_dup_label(a, 0);
  g_autoptr(TnLabelRanks) ranks = tn_label_ranks_new();
  uint32_t first = tn_label_ranks_add(ranks, a, 0, 0), second = tn_label_ranks_add(ranks, a, 1, 0);
  uint32_t zeta = tn_label_ranks_add(ranks, b, 0, 1), same = tn_label_ranks_add(ranks, b, 1, 1);
  g_autofree int64_t *by_number = tn_label_ranks_build(ranks);
  g_assert_cmpstr(label, ==, "no call stack");
  g_assert_cmpuint(first, ==, second);
  g_assert_cmpint(by_number[first], ==, 0);
  g_assert_cmpint(by_number[same], ==, 0);
  g_assert_cmpint(by_number[zeta], ==, 1);
  tn_study_unref(a);
  tn_study_unref(b);
  tn_document_free(log);
  tn_document_free(plan);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/buffer-list/by-label", test_by_label);
  g_test_add_func("/buffer-list/ranks", test_ranks);
  return g_test_run();
}
