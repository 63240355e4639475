/* SPDX-License-Identifier: MIT */
/* Graph → buffers: both lifetime models, views, in place, residents, workspaces, groups. */
#include "config.h"

#include "analysis/graph-lifetime.h"
#include "data/error.h"
#include "data/reader.h"
#include "graph-support.h"
#include "shared.h"

#include <string.h>

static tn_bytes
peak_with(const TnDocument *document, const TnGraphLifetimeParams *params)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, params, &error);
  g_assert_no_error(error);
  for (uint32_t i = 0; i < lives->buffers->n; i++) {
    g_assert_cmpint(lives->buffers->start[i], <, lives->buffers->end[i]);
    g_assert_cmpint(lives->buffers->end[i], <=, lives->axis_end);
  }
  return tn_graph_live_peak(lives->buffers, lives->axis_end, NULL);
}

static tn_bytes
peak_of(const TnDocument *document, TnLifetimeModel model, TnAliasing aliasing)
{
  TnGraphLifetimeParams params = {.model = model, .aliasing = aliasing};
  return peak_with(document, &params);
}

/* a (10) → A → b (20) → B → c (30), output; B has a workspace of 7. */
static const char chain[] =
    "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
    "{\"id\":0,\"bytes\":10},{\"id\":1,\"bytes\":20},{\"id\":2,\"bytes\":30},"
    "{\"id\":3,\"bytes\":1000,\"kind\":\"constant\"}],\"ops\":["
    "{\"name\":\"A\",\"inputs\":[0,3],\"outputs\":[1]},"
    "{\"name\":\"B\",\"inputs\":[1,1],\"outputs\":[2],\"workspace_bytes\":7}]}";

static void
test_ticks(void)
{
  g_autoptr(TnDocument) document = load_text(chain);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  static const tn_tick kernel[4][3] = {{0, 3, 10}, {0, 6, 20}, {3, 6, 30}, {3, 6, 7}};
  static const tn_tick first[4][3] = {{0, 1, 10}, {1, 4, 20}, {4, 6, 30}, {4, 6, 7}};
  g_assert_cmpuint(lives->buffers->n, ==, 4);
  for (uint32_t i = 0; i < 4; i++) {
    g_assert_cmpint(lives->buffers->start[i], ==, kernel[i][0]);
    g_assert_cmpint(lives->buffers->end[i], ==, kernel[i][1]);
    g_assert_cmpint(lives->buffers->bytes[i], ==, kernel[i][2]);
  }
  g_assert_cmpint(lives->resident_bytes, ==, 1000);
  g_assert_cmpint(lives->axis_end, ==, 6);
  g_assert_cmpint(lives->input_bytes, ==, 10);
  g_assert_cmpint(lives->output_bytes, ==, 30);
  g_assert_cmpint(lives->workspace_bytes, ==, 7);
  g_assert_cmpint(lives->buffers->kind[0], ==, TN_KIND_INPUT);
  g_assert_cmpint(lives->buffers->kind[2], ==, TN_KIND_OUTPUT);
  g_assert_cmpint(lives->buffers->kind[3], ==, TN_KIND_WORKSPACE);
  g_assert_cmpuint(lives->buffers->op[2], ==, 1);
  g_assert_cmpstr(tn_strings_get(document->strings, lives->buffers->name[3]), ==, "B: workspace");
  params.model = TN_LIFETIME_RELEASE_FIRST;
  g_autoptr(TnGraphLives) other =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  for (uint32_t i = 0; i < 4; i++) {
    g_assert_cmpint(other->buffers->start[i], ==, first[i][0]);
    g_assert_cmpint(other->buffers->end[i], ==, first[i][1]);
    g_assert_cmpint(other->buffers->bytes[i], ==, first[i][2]);
  }
  params.no_workspace = true;
  params.alignment = 64;
  g_autoptr(TnGraphLives) aligned =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpuint(aligned->buffers->n, ==, 3);
  g_assert_cmpint(aligned->buffers->bytes[1], ==, 64);
  g_assert_cmpint(aligned->buffers->requested[1], ==, 20);
  g_assert_cmpint(aligned->buffers->alignment[1], ==, 64);
}

static void
test_order(void)
{
  g_autoptr(TnDocument) document = load_text(chain);
  static const uint32_t backwards[] = {1, 0};
  TnGraphLifetimeParams params = {.order = backwards};
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_graph_lives_new(document->graph, document->strings, &params, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
}

/* x (100) → view v → A → y (60) in place on v → B → z (10): one buffer, with a hole above y. */
static const char in_place[] =
    "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
    "{\"id\":9,\"bytes\":50,\"name\":\"in\"},{\"id\":0,\"bytes\":100,\"name\":\"x\"},"
    "{\"id\":1,\"bytes\":100},{\"id\":2,\"bytes\":60},{\"id\":3,\"bytes\":10}],\"ops\":["
    "{\"name\":\"make\",\"inputs\":[9],\"outputs\":[0]},"
    "{\"name\":\"V\",\"inputs\":[0],\"outputs\":[1],\"views\":[[1,0]]},"
    "{\"name\":\"A\",\"inputs\":[1],\"outputs\":[2],\"in_place\":[[2,1]]},"
    "{\"name\":\"B\",\"inputs\":[2],\"outputs\":[3]}]}";

static void
test_in_place(void)
{
  g_autoptr(TnDocument) document = load_text(in_place);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  const TnBuffers *buffers = lives->buffers;
  uint32_t n_gaps;
  g_assert_cmpuint(buffers->n, ==, 3);
  g_assert_cmpint(buffers->start[1], ==, 0);
  g_assert_cmpint(buffers->end[1], ==, 12);
  const TnGap *gap = tn_buffers_gaps(buffers, 1, &n_gaps);
  g_assert_cmpuint(n_gaps, ==, 1);
  g_assert_cmpint(gap->start, ==, 9);
  g_assert_cmpint(gap->end, ==, 12);
  g_assert_cmpint(gap->high, ==, 60);
  g_assert_cmpint(peak_of(document, TN_LIFETIME_KERNEL, TN_ALIASING_ALL), ==, 150);
  g_assert_cmpint(peak_of(document, TN_LIFETIME_KERNEL, TN_ALIASING_VIEWS), ==, 160);
  g_assert_cmpint(peak_of(document, TN_LIFETIME_KERNEL, TN_ALIASING_NONE), ==, 200);
  g_assert_cmpint(peak_of(document, TN_LIFETIME_RELEASE_FIRST, TN_ALIASING_ALL), ==, 100);
}

/* A preset has rules of its own, but what the file states of its memory stays true. */
static void
test_stated(void)
{
  g_autoptr(TnDocument) document = load_text(in_place);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.preset = "ge";
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpuint(lives->n_views, ==, 1);
  g_assert_cmpuint(lives->n_in_place, ==, 1);
  g_assert_cmpint(lives->buffers->bytes[1], ==, 512);
}

/* GE: rounded up to 32, 32 more, blocks of 512; inputs are held. */
static void
test_ge(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
      "{\"id\":0,\"bytes\":480},{\"id\":1,\"bytes\":481},{\"id\":2,\"bytes\":512},"
      "{\"id\":3,\"bytes\":2400000}],\"ops\":[{\"inputs\":[0],\"outputs\":[1],"
      "\"workspace_bytes\":512},{\"type\":\"Identity\",\"inputs\":[1],\"outputs\":[2]},"
      "{\"inputs\":[2],\"outputs\":[3]}]}";
  static const tn_bytes bytes[] = {512, 1024, 1024, 2400256, 512};
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  params.preset = "ge";
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpuint(lives->buffers->n, ==, 5); /* Identity copies */
  for (uint32_t i = 0; i < 5; i++)
    g_assert_cmpint(lives->buffers->bytes[i], ==, bytes[i]);
  g_assert_cmpint(lives->buffers->requested[3], ==, 2400000);
  g_assert_cmpint(lives->buffers->end[0], ==, lives->axis_end);
}

/* No op may write over what another still reads, what is an output, or a constant. */
static void
test_in_place_refused(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
      "{\"id\":0,\"bytes\":100},{\"id\":1,\"bytes\":100},{\"id\":2,\"bytes\":100},"
      "{\"id\":3,\"bytes\":100,\"kind\":\"constant\"},{\"id\":4,\"bytes\":100}],\"ops\":["
      "{\"inputs\":[0],\"outputs\":[1],\"in_place\":[[1,0]]},"
      "{\"inputs\":[0,1],\"outputs\":[2],\"in_place\":[[2,1]]},"
      "{\"inputs\":[3],\"outputs\":[4],\"in_place\":[[4,3]]}],\"outputs\":[1,2,4]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpuint(lives->n_in_place, ==, 0);
  g_assert_cmpuint(lives->buffers->n, ==, 4);
}

static void
test_internal(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":[{\"id\":0,\"bytes\":8}],\"ops\":["
      "{\"outputs\":[0],\"internal\":[{\"bytes\":5,\"phases\":[\"read\",\"write\"]},"
      "{\"name\":\"acc\",\"bytes\":6,\"phases\":[\"compute\"]}]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(TnGraphLives) lives =
      tn_graph_lives_new(document->graph, document->strings, &params, NULL);
  g_assert_cmpuint(lives->buffers->n, ==, 4);
  static const tn_tick rows[4][3] = {{0, 3, 8}, {0, 1, 5}, {2, 3, 5}, {1, 2, 6}};
  for (uint32_t i = 0; i < 4; i++) {
    g_assert_cmpint(lives->buffers->start[i], ==, rows[i][0]);
    g_assert_cmpint(lives->buffers->end[i], ==, rows[i][1]);
    g_assert_cmpint(lives->buffers->bytes[i], ==, rows[i][2]);
  }
  g_assert_cmpint(tn_graph_live_peak(lives->buffers, lives->axis_end, NULL), ==, 14);
}

static void
test_too_large(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
      "{\"id\":0,\"bytes\":\"9000000000000000000\"},{\"id\":1,\"bytes\":\"9000000000000000000\"}],"
      "\"ops\":[{\"inputs\":[0],\"outputs\":[1]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnGraphLifetimeParams params = TN_GRAPH_LIFETIME_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_graph_lives_new(document->graph, document->strings, &params, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
}

/* ---- the shared graphs ----------------------------------------------------------------- */

static int64_t
expected_peak(const cJSON *row)
{
  static const char *const keys[] = {"topo", "file_order", "file_order_peak"};
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(row, keys[i]);
    if (value)
      return (int64_t)value->valuedouble;
  }
  g_error("no baseline");
}

static void
test_shared(void)
{
  cJSON *expected = shared_json("graphs/expected.json");
  const cJSON *row;
  int n = 0;
  cJSON_ArrayForEach(row, expected)
  {
    g_autofree char *relative = g_strdup_printf("graphs/%s.json", row->string);
    g_autofree char *path = shared_path(relative);
    TnReadOptions options = TN_READ_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    g_assert_no_error(error);
    for (int model = 0; model < 2; model++) {
      const char *name = tn_lifetime_model_name((TnLifetimeModel)model);
      int64_t right = expected_peak(cJSON_GetObjectItemCaseSensitive(row, name));
      tn_bytes peak = peak_of(document, (TnLifetimeModel)model, TN_ALIASING_ALL);
      if (peak != right)
        g_error("%s, %s: %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT, row->string, name,
                peak, right);
      n++;
    }
  }
  g_test_message("%d peaks", n);
  cJSON_Delete(expected);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/graph-lifetime/ticks", test_ticks);
  g_test_add_func("/graph-lifetime/order", test_order);
  g_test_add_func("/graph-lifetime/in-place", test_in_place);
  g_test_add_func("/graph-lifetime/stated", test_stated);
  g_test_add_func("/graph-lifetime/ge", test_ge);
  g_test_add_func("/graph-lifetime/in-place-refused", test_in_place_refused);
  g_test_add_func("/graph-lifetime/internal", test_internal);
  g_test_add_func("/graph-lifetime/too-large", test_too_large);
  g_test_add_func("/graph-lifetime/shared", test_shared);
  return g_test_run();
}
