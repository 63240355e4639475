/* SPDX-License-Identifier: MIT */
/* Which buffers a filter's words mean: a part of a call site or all of it, a place of one space. */
#include "config.h"

#include "app/window/filter.h"

#include "session-support.h"

/* The rows that fit, "0 2"; owned. */
static char *
found(const TnStudy *study, const char *text)
{
  TnFilterResult result;
  g_autoptr(GError) error = NULL;
  GString *rows = g_string_new(NULL);
  const char *terms[] = {text, NULL};
  g_assert_true(tn_filter_run(study, terms, &result, &error));
  g_assert_no_error(error);
  const uint8_t *match = g_bytes_get_data(result.match, NULL);
  for (uint32_t i = 0; i < study->buffers->n; i++)
    if (match[i])
      g_string_append_printf(rows, "%s%u", rows->len ? " " : "", i);
  g_bytes_unref(result.match);
  return g_string_free(rows, FALSE);
}

typedef struct {
  const char *text, *rows;
} Row;

static void
check(const char *file, const Row *rows, gsize n)
{
  TnDocument *document = load(file);
  TnStudy *study = study_of(document);
  for (gsize i = 0; i < n; i++) {
    g_autofree char *got = found(study, rows[i].text);
    g_test_message("%s", rows[i].text);
    g_assert_cmpstr(got, ==, rows[i].rows);
  }
  tn_study_unref(study);
  tn_document_free(document);
}

static void
test_sites(void)
{
  static const char file[] =
      "{\"format\": \"tenure-log\", \"version\": 1}\n"
      "{\"t\": 1, \"event\": \"alloc\", \"address\": \"0x100\", \"bytes\": 16, \"stack\": [\"f (model.py:4)\"]}\n"
      "{\"t\": 2, \"event\": \"alloc\", \"address\": \"0x200\", \"bytes\": 16, \"stack\": [\"f2 (model.py:4)\"]}\n"
      "{\"t\": 3, \"event\": \"alloc\", \"address\": \"0x300\", \"bytes\": 16, \"stack\": [\"g (model.py:44)\"]}\n";
  static const Row rows[] = {{"site:model.py:4", "0 1 2"},
                             {"site:\"model.py:4 f\"", "0 1"},
                             {"site=\"model.py:4 f\"", "0"},
                             {"SITE=\"Model.py:4 F\"", "0"},
                             {"!site=\"model.py:4 f\"", "1 2"},
                             {"site=model.py:4", ""},
                             {"kind:alloc", "0 1 2"},
                             {"kind=alloc", ""},
                             {"kind=allocation", "0 1 2"},
                             {"sites", ""}};
  check(file, rows, G_N_ELEMENTS(rows));
}

/* Batches never run together: at a tick that counts which has most. */
static void
test_batches(void)
{
  static const char file[] =
      "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 4}, \"buffers\": ["
      "{\"id\": 0, \"start\": 0, \"end\": 4, \"bytes\": 8, \"batch_label\": \"x\"},"
      "{\"id\": 1, \"start\": 0, \"end\": 2, \"bytes\": 10, \"batch_label\": \"y\"},"
      "{\"id\": 2, \"start\": 0, \"end\": 4, \"bytes\": 1}]}";
  static const Row rows[] = {{"alive@peak", "1 2"}, {"alive@3", "0 2"}, {"!alive@peak", "0"}};
  check(file, rows, G_N_ELEMENTS(rows));
}

static void
test_spaces(void)
{
  static const char file[] =
      "{\"format\": \"tenure-plan\", \"version\": 1, \"axis\": {\"unit\": \"step\", \"end\": 4},"
      " \"spaces\": [{\"name\": \"memory 1\"}, {\"name\": \"memory 10\"}, {\"name\": \"\"}], \"buffers\": ["
      "{\"id\": 0, \"name\": \"a\", \"start\": 0, \"end\": 2, \"bytes\": 64, \"offset\": 0, \"space\": 0},"
      "{\"id\": 1, \"name\": \"b\", \"start\": 2, \"end\": 4, \"bytes\": 64, \"offset\": 0, \"space\": 1},"
      "{\"id\": 2, \"name\": \"c\", \"start\": 2, \"end\": 4, \"bytes\": 64, \"offset\": 0, \"space\": 2},"
      "{\"id\": 3, \"name\": \"d\", \"start\": 2, \"end\": 4, \"bytes\": 64, \"offset\": 32, \"space\": 0}]}";
  static const Row rows[] = {{"0x0-0x3f", "0 1 2 3"},
                             {"0x0-0x3f space=\"memory 1\"", "0 3"},
                             {"0x0-0x1f space=\"memory 1\"", "0"},
                             {"space:memory", "0 1 3"},
                             {"space=2", "2"},
                             {"!space=2", "0 1 3"}};
  check(file, rows, G_N_ELEMENTS(rows));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/filter/sites", test_sites);
  g_test_add_func("/filter/spaces", test_spaces);
  g_test_add_func("/filter/batches", test_batches);
  return g_test_run();
}
