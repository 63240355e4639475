/* SPDX-License-Identifier: MIT */
/* Steps by keys from box to box: on a grid by hand, on a flame graph by hand, and every box of a treemap
 * of many sizes is reached. */
#include "config.h"

#include "data/reader.h"
#include "render/boxes.h"

#include <string.h>

static void
add(TnBoxes *boxes, double x, double y, double width, double height, bool is_header)
{
  TnBox box = {.rect = {x, y, width, height}, .label = g_strdup(""), .is_header = is_header};
  g_array_append_val(boxes->boxes, box);
}

static TnBoxes *
new_boxes(void)
{
  TnBoxes *boxes = g_new0(TnBoxes, 1);
  boxes->boxes = g_array_new(FALSE, FALSE, sizeof(TnBox));
  return boxes;
}

static void
test_grid(void)
{
  g_autoptr(TnBoxes) boxes = new_boxes();
  add(boxes, 0, 0, 30, 20, true); /* holds the others */
  for (int row = 0; row < 2; row++)
    for (int column = 0; column < 3; column++)
      add(boxes, 10.0 * column, 10.0 * row, 10, 10, false);
  g_assert_cmpint(tn_boxes_step(boxes, -1, 1, 0), ==, 1);
  g_assert_cmpint(tn_boxes_step(boxes, 1, 1, 0), ==, 2);
  g_assert_cmpint(tn_boxes_step(boxes, 2, 0, 1), ==, 5);
  g_assert_cmpint(tn_boxes_step(boxes, 5, -1, 0), ==, 4);
  g_assert_cmpint(tn_boxes_step(boxes, 4, 0, -1), ==, 1);
  g_assert_cmpint(tn_boxes_step(boxes, 3, 1, 0), ==, 3);
  g_assert_cmpint(tn_boxes_step(boxes, 1, 0, -1), ==, 1);
}

static void
test_flame(void)
{
  g_autoptr(TnBoxes) boxes = new_boxes();
  add(boxes, 0, 0, 100, 10, false);  /* 0: all */
  add(boxes, 0, 10, 70, 10, false);  /* 1 */
  add(boxes, 70, 10, 30, 10, false); /* 2 */
  add(boxes, 0, 20, 10, 10, false);  /* 3 */
  add(boxes, 10, 20, 60, 10, false); /* 4: most of what 1 calls */
  add(boxes, 75, 20, 20, 10, false); /* 5 */
  g_assert_cmpint(tn_boxes_step(boxes, 0, 0, 1), ==, 1);
  g_assert_cmpint(tn_boxes_step(boxes, 1, 0, 1), ==, 4);
  g_assert_cmpint(tn_boxes_step(boxes, 4, 0, -1), ==, 1);
  g_assert_cmpint(tn_boxes_step(boxes, 4, -1, 0), ==, 3);
  g_assert_cmpint(tn_boxes_step(boxes, 1, 1, 0), ==, 2);
  g_assert_cmpint(tn_boxes_step(boxes, 2, 0, 1), ==, 5);
  g_assert_cmpint(tn_boxes_step(boxes, 5, 0, -1), ==, 2);
}

/* How many boxes steps lead to. */
static guint
count_reached(const TnBoxes *boxes)
{
  static const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  g_autofree bool *is_reached = g_new0(bool, boxes->boxes->len);
  g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(int));
  int first = tn_boxes_step(boxes, -1, 1, 0);
  g_array_append_val(queue, first);
  is_reached[first] = true;
  for (guint i = 0; i < queue->len; i++)
    for (int k = 0; k < 4; k++) {
      int to = tn_boxes_step(boxes, g_array_index(queue, int, i), steps[k][0], steps[k][1]);
      if (!is_reached[to])
        g_array_append_val(queue, to);
      is_reached[to] = true;
    }
  return queue->len;
}

/* 60 buffers of very different sizes, all alive at once. */
static char *
build_csv(void)
{
  GString *text = g_string_new("id,lower,upper,size\n");
  for (int i = 0; i < 60; i++)
    g_string_append_printf(text, "b%d,0,10,%d\n", i, 64 * (1 + (i * 37) % 53 * (i % 7 + 1)));
  return g_string_free(text, FALSE);
}

static void
test_treemap(void)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autofree char *text = build_csv();
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSource) source = tn_source_new_for_bytes("by hand.csv", text, strlen(text));
  TnDocument *document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  TnStudy *study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  g_assert_true(tn_study_prepare(study, TN_GROUP_AUTO, NULL));
  TnView view = {.study = study, .theme = tn_theme_light(), .selected = TN_NONE, .hovered = TN_NONE};
  g_autoptr(TnBoxes) boxes = tn_treemap_new(&view, 5, (TnRect){0, 0, 800, 500});
  guint n = 0;
  for (guint i = 0; i < boxes->boxes->len; i++)
    n += !g_array_index(boxes->boxes, TnBox, i).is_header;
  g_assert_cmpuint(n, >=, 60);
  g_assert_cmpuint(count_reached(boxes), ==, n);
  g_assert_cmpint(tn_boxes_find(boxes, 7), >=, 0);
  g_assert_cmpint(tn_boxes_find(boxes, TN_NONE), ==, -1);
  tn_study_unref(study);
  tn_document_free(document);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/boxes/grid", test_grid);
  g_test_add_func("/boxes/flame", test_flame);
  g_test_add_func("/boxes/treemap", test_treemap);
  return g_test_run();
}
