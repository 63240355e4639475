/* SPDX-License-Identifier: MIT */
/* Rows come and go in parts, and stand for what is at their place at any time. */
#include "config.h"

#include "app/window/row-list.h"

#define TEST_TYPE_LIST (test_list_get_type())
G_DECLARE_FINAL_TYPE(TestList, test_list, TEST, LIST, TnRowList)

struct _TestList {
  TnRowList parent_instance;
  tn_index first; /* at place i stands first + i */
  guint n;
};

G_DEFINE_TYPE(TestList, test_list, TN_TYPE_ROW_LIST)

static tn_index
get(TnRowList *rows, guint position)
{
  const TestList *list = TEST_LIST(rows);
  g_assert_cmpuint(position, <, list->n); /* there is nothing to read behind the end */
  return list->first + position;
}

static void
test_list_class_init(TestListClass *class)
{
  TN_ROW_LIST_CLASS(class)->get = get;
}

static void
test_list_init(TestList *list)
{
}

static void
show(TestList *list, tn_index first, guint n)
{
  list->first = first;
  list->n = n;
  tn_row_list_set_n(TN_ROW_LIST(list), n);
}

static guint
count(TestList *list)
{
  return g_list_model_get_n_items(G_LIST_MODEL(list));
}

/* The most rows that came or went at a time among those that GTK makes widgets for. */
static void
on_items_changed(GListModel *model, guint position, guint removed, guint added, guint *most)
{
  if (position < 240)
    *most = MAX(*most, MAX(added, removed));
}

static void
settle(TestList *list)
{
  while (count(list) != list->n)
    g_main_context_iteration(NULL, TRUE);
}

static void
test_steps(void)
{
  g_autoptr(TestList) list = g_object_new(TEST_TYPE_LIST, NULL);
  guint most = 0;
  g_signal_connect(list, "items-changed", G_CALLBACK(on_items_changed), &most);
  show(list, 100, 1000000);
  g_assert_cmpuint(count(list), ==, 16);
  settle(list);
  g_assert_cmpuint(most, ==, 16);
  g_assert_cmpuint(tn_row_list_find(TN_ROW_LIST(list), 100 + 999999), ==, 999999);
  show(list, 7, 3);
  g_assert_cmpuint(count(list), ==, 240);
  /* Rows are still to go: nothing is looked for where they stood. */
  g_assert_cmpuint(tn_row_list_find(TN_ROW_LIST(list), 9), ==, 2);
  g_assert_cmpuint(tn_row_list_find(TN_ROW_LIST(list), 10), ==, G_MAXUINT);
  settle(list);
  g_assert_cmpuint(most, ==, 16);
}

static void
test_places(void)
{
  g_autoptr(TestList) list = g_object_new(TEST_TYPE_LIST, NULL);
  show(list, 5, 2);
  g_autoptr(TnIndexRow) row = g_list_model_get_item(G_LIST_MODEL(list), 1);
  g_assert_cmpuint(tn_index_row_get(row), ==, 6);
  show(list, 50, 2);
  g_assert_cmpuint(tn_index_row_get(row), ==, 51);
  g_assert_null(g_list_model_get_item(G_LIST_MODEL(list), 2));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/row-list/steps", test_steps);
  g_test_add_func("/row-list/places", test_places);
  return g_test_run();
}
