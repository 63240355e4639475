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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/filter-words/split", test_split);
  return g_test_run();
}
