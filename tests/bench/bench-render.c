/* SPDX-License-Identifier: MIT */
/* bench-render FILE: how long it takes to prepare the pictures of a file and to fill the dense
 * layers at several zooms.  Prints a table on standard error and one JSON object on standard
 * output; exits 1 where a layer takes longer than 150 ms at its best of three. */
#include "config.h"

#include "data/reader.h"
#include "render/raster.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 1600
#define HEIGHT 900
#define MOST_MS 150.0

static double
now_ms(void)
{
  return (double)g_get_monotonic_time() / 1000.0;
}

typedef void (*Fill)(const TnView *, const TnTheme *, double, TnRaster *);

static double
best_of_three(const TnView *view, Fill fill, TnRaster *out)
{
  double best = INFINITY;
  for (int i = 0; i < 3; i++) {
    double from = now_ms();
    fill(view, tn_theme_light(), 1.0, out);
    best = MIN(best, now_ms() - from);
  }
  return best;
}

/* The whole, then ever closer to the peak; and one column a tick in the middle. */
static bool
time_layers(const TnStudy *study, GString *json)
{
  static const double zooms[] = {1, 4, 16, 64, 256, 1024, 4096};
  g_autofree uint32_t *pixels = g_new(uint32_t, WIDTH * HEIGHT);
  TnRaster out = {pixels, WIDTH, HEIGHT, WIDTH};
  bool is_good = true;
  fprintf(stderr, "%8s %12s %12s\n", "zoom", "offsets ms", "lanes ms");
  for (gsize i = 0; i < G_N_ELEMENTS(zooms); i++) {
    TnView view;
    tn_view_init(&view, study);
    tn_view_zoom_time(&view, zooms[i], (double)study->live->peak_at);
    double offsets = best_of_three(&view, tn_raster_offsets, &out);
    double lanes = best_of_three(&view, tn_raster_lanes, &out);
    view.lane_height = 1.0; /* all the lanes that there can be */
    lanes = MAX(lanes, best_of_three(&view, tn_raster_lanes, &out));
    fprintf(stderr, "%8.0f %12.1f %12.1f\n", zooms[i], offsets, lanes);
    g_string_append_printf(json, "%s{\"zoom\": %.0f, \"offsets_ms\": %.1f, \"lanes_ms\": %.1f}",
                           i ? ", " : "", zooms[i], offsets, lanes);
    is_good &= offsets <= MOST_MS && lanes <= MOST_MS;
  }
  return is_good;
}

int
main(int argc, char **argv)
{
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  double start = now_ms();
  g_autoptr(TnDocument) document =
      argc == 2 ? tn_document_load(argv[1], &options, &error) : NULL;
  if (!document) {
    fprintf(stderr, "bench-render: %s\n", error ? error->message : "a FILE is missing");
    return 2;
  }
  double loaded = now_ms();
  g_autoptr(TnStudy) study =
      tn_study_new(document, tn_study_first_device(document), &params, NULL, &error);
  if (!study)
    return 2;
  double studied = now_ms();
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
  double prepared = now_ms();
  g_autoptr(GString) json = g_string_new(NULL);
  fprintf(stderr, "%u buffers, %u lanes: read %.0f ms, study %.0f ms, prepare %.0f ms\n",
          study->buffers->n, study->lanes->n, loaded - start, studied - loaded,
          prepared - studied);
  bool is_good = time_layers(study, json);
  printf("{\"buffers\": %u, \"read_ms\": %.1f, \"study_ms\": %.1f, \"prepare_ms\": %.1f, "
         "\"layers\": [%s]}\n",
         study->buffers->n, loaded - start, studied - loaded, prepared - studied, json->str);
  return is_good ? 0 : 1;
}
