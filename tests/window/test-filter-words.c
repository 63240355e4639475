/* SPDX-License-Identifier: MIT */
/* How the text of a search falls into words. */
#include "config.h"

#include "app/window/filter-words.h"

static void
test_split(void)
{
  static const struct {
    const char *text;
    const char *words[5];
  } rows[] = {
      {"", {NULL}},
      {"   ", {NULL}},
      {"conv", {"conv", NULL}},
      {" conv  relu ", {"conv", "relu", NULL}},
      {"size>50MiB alive@peak", {"size>50MiB", "alive@peak", NULL}},
      {"size > 50 MiB alive@peak", {"size>50MiB", "alive@peak", NULL}},
      {"size >50 MiB", {"size>50MiB", NULL}},
      {"!size>= 1.5 GiB conv", {"!size>=1.5GiB", "conv", NULL}},
      {"life>100 block", {"life>100", "block", NULL}},
      {"size>1MiB mib", {"size>1MiB", "mib", NULL}},
      {"size conv", {"size", "conv", NULL}},
      {"size", {"size", NULL}},
      {"size >", {"size>", NULL}},
      {"/a b/ !c", {"/a b/", "!c", NULL}},
      {"!/a b/ kind:input", {"!/a b/", "kind:input", NULL}},
      {"/usr/lib x", {"/usr/lib", "x", NULL}},
      {"/a/b/ x", {"/a/b/", "x", NULL}},
      {"\"model.py:108 TinyLM\" peak", {"model.py:108 TinyLM", "peak", NULL}},
      {"site:\"a b\" c", {"site:a b", "c", NULL}},
      {"\"open c", {"open c", NULL}},
      {"space=\"the \"\"big\"\" one\" c", {"space=the \"big\" one", "c", NULL}},
      {"site=\"operator\"\"\"\" _s\"", {"site=operator\"\" _s", NULL}},
      {"a\"\"b \"\" c", {"ab", "c", NULL}},
      {"! a", {"!", "a", NULL}},
      {"0x10-0x20 kind:input", {"0x10-0x20", "kind:input", NULL}},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GPtrArray) words = tn_filter_split(rows[i].text);
    guint n = 0;
    while (rows[i].words[n])
      n++;
    if (words->len != n)
      g_error("%s: %u words", rows[i].text, words->len);
    for (guint k = 0; k < n; k++)
      g_assert_cmpstr(g_ptr_array_index(words, k), ==, rows[i].words[k]);
  }
}

/* Any name can be asked for. */
static void
test_quoted(void)
{
  static const char *const names[] = {"conv", "a b", "the \"big\" one", "\"", "\"\"", "a\" ", "operator\"\" _s", " \"x"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *quoted = tn_filter_dup_quoted(names[i]);
    g_autofree char *text = g_strdup_printf("x site=%s y", quoted);
    g_autofree char *word = g_strconcat("site=", names[i], NULL);
    g_autoptr(GPtrArray) words = tn_filter_split(text);
    g_assert_cmpuint(words->len, ==, 3);
    g_assert_cmpstr(g_ptr_array_index(words, 1), ==, word);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/filter-words/split", test_split);
  g_test_add_func("/filter-words/quoted", test_quoted);
  return g_test_run();
}
