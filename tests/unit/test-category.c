/* SPDX-License-Identifier: MIT */
/* Groups and hues: by bytes alive at the peak, at most seven hues, the rest grey. */
#include "config.h"

#include "analysis/category.h"
#include "log-support.h"

static const TnGroup *
group(const TnCategories *c, guint i)
{
  g_assert_cmpuint(i, <, c->groups->len);
  return &g_array_index(c->groups, TnGroup, i);
}

/* Ten spaces of falling size: seven hues, three grey. */
static void
test_hues(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_SPACE);
  uint32_t alive[20];
  for (uint32_t i = 0; i < 20; i++) {
    tn_buffers_add(b, 0, 1, 100 * (i % 10 + 1), TN_KIND_ALLOCATION);
    b->space[i] = tn_device_space(log_device(document), i % 10, 0, i % 10 == 9 ? 1 : 0);
    alive[i] = i;
  }
  TnCategories *c = tn_categories_new(document, log_device(document), b, NULL, alive, 20,
                                      TN_GROUP_SPACE);
  g_assert_cmpint(c->grouping, ==, TN_GROUP_SPACE);
  g_assert_cmpuint(c->groups->len, ==, 10);
  for (guint i = 0; i < 10; i++) {
    g_assert_cmpint(group(c, i)->bytes, ==, 2 * 100 * (10 - (tn_bytes)i));
    g_assert_cmpuint(group(c, i)->n, ==, 2);
    g_assert_cmpuint(group(c, i)->category, ==, i < 7 ? i : TN_CATEGORY_OTHER);
  }
  g_assert_cmpstr(group(c, 0)->name, ==, "stream 9, private pool (0, 1)");
  g_assert_cmpstr(group(c, 1)->name, ==, "stream 8");
  for (uint32_t i = 0; i < 20; i++) {
    g_assert_cmpuint(c->group[i], ==, 9 - i % 10);
    g_assert_cmpuint(c->category[i], ==, group(c, c->group[i])->category);
  }
  tn_categories_free(c);
}

/* What is alive decides, not what there is in all; "before" is grey whatever its size. */
static void
test_alive(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_add(b, 0, 1, 1 << 30, TN_KIND_BEFORE);
  tn_buffers_add(b, 0, 1, 10, TN_KIND_ACTIVATION);
  for (int i = 0; i < 9; i++)
    tn_buffers_add(b, 0, 1, 1 << 20, TN_KIND_WORKSPACE);
  static const uint32_t alive[] = {0, 1};
  TnCategories *c = tn_categories_new(document, log_device(document), b, NULL, alive, 2,
                                      TN_GROUP_KIND);
  g_assert_cmpuint(c->groups->len, ==, 3);
  g_assert_cmpstr(group(c, 0)->name, ==, "before recording");
  g_assert_cmpuint(group(c, 0)->category, ==, TN_CATEGORY_BEFORE);
  g_assert_cmpstr(group(c, 1)->name, ==, "activation");
  g_assert_cmpuint(group(c, 1)->category, ==, 0);
  g_assert_cmpstr(group(c, 2)->name, ==, "workspace");
  g_assert_cmpint(group(c, 2)->bytes, ==, 0);
  g_assert_cmpuint(group(c, 2)->n_all, ==, 9);
  tn_categories_free(c);
}

static void
test_sizes(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  g_autoptr(TnBuffers) b = tn_buffers_new();
  static const tn_bytes bytes[] = {512, 1023, 1024, INT64_MAX, 0, 1};
  for (gsize i = 0; i < G_N_ELEMENTS(bytes); i++)
    tn_buffers_add(b, 0, 1, bytes[i], TN_KIND_ALLOCATION);
  static const uint32_t alive[] = {0, 1, 2};
  TnCategories *c = tn_categories_new(document, log_device(document), b, NULL, alive, 3,
                                      TN_GROUP_AUTO);
  g_assert_cmpint(c->grouping, ==, TN_GROUP_SIZE);
  g_assert_cmpuint(c->group[0], ==, c->group[1]);
  g_assert_cmpuint(c->group[0], !=, c->group[2]);
  g_assert_cmpuint(c->group[4], ==, c->group[5]);
  g_assert_cmpstr(group(c, 0)->name, ==, "512 B to 1.0 KiB");
  tn_categories_free(c);
}

static void
test_call_sites(void)
{
  g_autoptr(TnDocument) document = log_new(NULL, 0);
  TnStrings *strings = document->strings;
  uint32_t stack[2];
  for (int i = 0; i < 2; i++) {
    uint32_t frame = tn_stacks_intern_frame(
        document->stacks,
        (TnFrame){tn_strings_intern(strings, "f", -1), tn_strings_intern(strings, "a.py", -1),
                  i + 1});
    stack[i] = tn_stacks_intern(document->stacks, &frame, 1);
  }
  g_autoptr(TnBuffers) b = tn_buffers_new();
  tn_buffers_need(b, TN_COLUMN_STACK);
  for (int i = 0; i < 4; i++) {
    tn_buffers_add(b, 0, 1, 100 << i, i == 3 ? TN_KIND_BEFORE : TN_KIND_ALLOCATION);
    b->stack[i] = i < 2 ? stack[i] : 0;
  }
  static const uint32_t alive[] = {0, 1, 2, 3};
  g_autoptr(TnCallSites) sites = tn_call_sites_new(document);
  TnCategories *c = tn_categories_new(document, log_device(document), b, sites, alive, 4,
                                      TN_GROUP_AUTO);
  static const char *const names[] = {"before recording", "no call stack", "a.py:2 f", "a.py:1 f"};
  g_assert_cmpint(c->grouping, ==, TN_GROUP_CALL_SITE);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpstr(group(c, i)->name, ==, names[i]);
  tn_categories_free(c);
}

static void
test_names(void)
{
  for (TnGrouping g = TN_GROUP_AUTO; g <= TN_GROUP_MODULE; g++) {
    TnGrouping back;
    g_assert_true(tn_grouping_from_name(tn_grouping_name(g), &back));
    g_assert_cmpint(back, ==, g);
  }
  TnGrouping none;
  g_assert_false(tn_grouping_from_name("colour", &none));
  g_assert_false(tn_grouping_from_name(NULL, &none));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/category/hues", test_hues);
  g_test_add_func("/category/alive", test_alive);
  g_test_add_func("/category/sizes", test_sizes);
  g_test_add_func("/category/call-sites", test_call_sites);
  g_test_add_func("/category/names", test_names);
  return g_test_run();
}
