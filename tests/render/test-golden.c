/* SPDX-License-Identifier: MIT */
/* Pictures of the project's own sample, compared with those in tests/golden: PNG pixel by pixel, SVG by
 * structure.  The findings of the report are made here: what the analyses say is no matter of drawing.
 * On failure NAME.out.png and NAME.diff.png are
 * written beside the golden one (where that folder can't be written: into the temporary folder).
 * TN_UPDATE_GOLDEN=1 refreshes; look at what it made before you commit it. */
#include "config.h"

#include "data/reader.h"
#include "ge-support.h"
#include "render/report-file.h"

#include <cairo.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <pango/pangocairo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FONT "DejaVu Sans"

typedef struct {
  const char *name, *view, *size;
  gboolean is_dark;
} Picture;

static const Picture pictures[] = {
    {"report-light", "report", "1600x900", FALSE},
    {"report-dark", "report", "1600x900", TRUE},
    {"report-small-light", "report", "1024x600", FALSE},
    {"lifetimes-light", "lifetimes", "1600x900", FALSE},
    {"lifetimes-dark", "lifetimes", "1024x600", TRUE},
    {"offsets-light", "offsets", "1600x900", FALSE},
    {"offsets-dark", "offsets", "1024x600", TRUE},
    {"live-light", "live", "1600x900", FALSE},
    {"live-dark", "live", "1024x600", TRUE},
    {"live-set-light", "live-set", "1600x900", FALSE},
    {"live-set-dark", "live-set", "1024x600", TRUE},
    {"flame-light", "flame", "1600x900", FALSE},
    {"flame-dark", "flame", "1024x600", TRUE},
    {"oom-light", "oom", "1280x820", FALSE},
    {"oom-dark", "oom", "1024x700", TRUE},
    {"diff-light", "diff:over-under", "1280x820", FALSE},
    {"diff-dark", "diff:over-under", "1024x700", TRUE},
    {"diff-overlay-light", "diff:overlay", "1280x820", FALSE},
    {"diff-overlay-dark", "diff:overlay", "1024x700", TRUE},
    {"diff-map-light", "diff:delta", "1280x820", FALSE},
    {"diff-map-dark", "diff:delta", "1024x700", TRUE},
    {"sheet-light", "sheet", "1280x820", FALSE},
    {"ge-plan-light", "ge:offsets", "1280x720", FALSE},
    {"ge-plan-dark", "ge:offsets", "1024x600", TRUE},
    {"ge-pool-light", "pool:live", "1024x400", FALSE},
    {"ge-pool-dark", "pool:report", "1280x820", TRUE},
};

static char *
golden_path(const char *name, const char *ending)
{
  g_autofree char *file = g_strconcat(name, ending, NULL);
  return g_build_filename(g_getenv("TN_SOURCE_ROOT"), "tests", "golden", file, NULL);
}

static bool
is_update(void)
{
  return g_strcmp0(g_getenv("TN_UPDATE_GOLDEN"), "1") == 0;
}

/* The pictures pin a font, so that text has the same pixels everywhere. */
static bool
has_font(void)
{
  PangoFontFamily **families;
  int n;
  bool found = false;
  pango_font_map_list_families(pango_cairo_font_map_get_default(), &families, &n);
  for (int i = 0; i < n; i++)
    found |= strcmp(pango_font_family_get_name(families[i]), FONT) == 0;
  g_free(families);
  if (!found)
    g_test_skip("the font " FONT " is not installed (fonts-dejavu-core)");
  return found;
}

static TnDocument *document;
static TnStudy *study;

static void
open_sample(void)
{
  g_autofree char *path = g_build_filename(g_getenv("TN_SOURCE_ROOT"), "data", "samples",
                                           "transformer-oom.pickle", NULL);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(GError) error = NULL;
  document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  study = tn_study_new(document, 0, &params, NULL, &error);
  g_assert_no_error(error);
  tn_study_prepare(study, TN_GROUP_AUTO, NULL);
}

/* ---- a plan of GE's and a pool of its runtime ----------------------------------------------------- */

#define MIB ((int64_t)1048576)
#define ROW(name, offset, bytes, stream, begin, end, level, continuous, zero_copy, batch)                    \
  {                                                                                                          \
    name, "MatMul", "output[0]", (offset)*MIB / 2, stream, (bytes)*MIB / 2, (bytes)*MIB / 2,                 \
        (bytes)*MIB / 2 - 32, begin, end, level, 1, continuous, zero_copy, 1, 0, batch, ""                    \
  }

/* All that a map can mark: two streams, a nested block, neighbours, three batches, zero copy. */
static const GeLine ge_lines[] = {
    ROW("stem/conv", 0, 16, 0, 1, 4, 0, 0, 0, ""),
    ROW("stem/norm", 16, 12, 0, 2, 6, 0, 0, 0, ""),
    ROW("stem/relu", 0, 12, 1, 6, 9, 0, 0, 0, ""),
    ROW("stem/pool", 16, 8, 0, 7, 12, 0, 0, 0, ""),
    ROW("grad/a", 28, 4, 0, 3, 14, 0, 1, 0, ""),
    ROW("grad/b", 32, 4, 0, 5, 14, 0, 1, 0, ""),
    ROW("grad/c", 36, 4, 0, 8, 14, 0, 1, 0, ""),
    ROW("scratch", 12, 2, 0, 9, 10, 1, 0, 0, ""),
    ROW("allreduce", 0, 12, 0, 14, 16, 0, 0, 0, ""),
    ROW("qkv", 40, 4, 0, 17, 20, 0, 0, 0, "batch 1"),
    ROW("scores", 44, 2, 0, 19, 21, 0, 0, 0, "batch 1"),
    ROW("qkv 2", 40, 6, 0, 24, 27, 0, 0, 0, "batch 2"),
    ROW("scores 2", 46, 4, 0, 26, 28, 0, 0, 0, "batch 2"),
    ROW("qkv 4", 40, 10, 0, 31, 34, 0, 0, 0, "batch 4"),
    ROW("scores 4", 50, 8, 0, 33, 35, 0, 0, 0, "batch 4"),
    ROW("sum", 0, 12, 0, 38, 41, 0, 0, 0, ""),
    ROW("softmax", 16, 12, 0, 41, 44, 0, 0, 0, ""),
    ROW("logits", 60, 4, 0, 42, GE_NEVER, 0, 0, 1, ""),
    ROW("input", 64, 4, 0, 0, 5, 0, 0, 1, ""),
    ROW("mask", 68, 2, 0, 0, 20, 0, 0, 1, ""),
};

/* Grows, is recycled, and grows again. */
static const GeStep pool_steps[] = {
    {6 * MIB, -1}, {8 * MIB, -1}, {3 * MIB, -1}, {0, 0},  {5 * MIB, -1}, {8 * MIB, -1}, {0, 1},  {0, 2},
    {0, -1},       {7 * MIB, -1}, {0, 4},        {0, 5},  {2 * MIB, -1}, {0, -1},       {0, 9}, {8 * MIB, -1},
    {8 * MIB, -1}, {4 * MIB, -1}, {0, 12},       {0, 15}, {0, -1},       {0, 16},       {0, 17},
};

static TnDocument *ge_documents[2];
static TnStudy *ge_studies[2];

static void
open_ge(void)
{
  g_autofree char *plan = ge_plog_text(ge_lines, G_N_ELEMENTS(ge_lines), (GePlogNoise){.form = GE_PLOG_NOW});
  g_autofree char *p2p = g_strconcat(
      plan,
      "[IMAS]Set main_0 name[send] optype[Send] output[0] offset to [0] streamid[0] memtype[17] size[3145728] "
      "realsize[3145728] noalignsize[3145728] life time begin[10] life time end[30] child[0:1:0:0:1] isref[0] "
      "batch[]\n"
      "SubMemOffsets[0]: mem_type[2] mem_offset_base[0] mem_size[20971520] is_fixed_addr_prior[0]\n"
      "SubMemOffsets[1]: mem_type[2] mem_offset_base[20971520] mem_size[15728640] is_fixed_addr_prior[1]\n",
      NULL);
  g_autofree char *pool = ge_pool_text(pool_steps, G_N_ELEMENTS(pool_steps), 8 * MIB);
  const char *const texts[] = {p2p, pool}, *const names[] = {"plog-77.log", "plog-78.log"};
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  for (int i = 0; i < 2; i++) {
    g_autoptr(TnSource) source = tn_source_new_for_bytes(names[i], texts[i], strlen(texts[i]));
    ge_documents[i] = tn_document_load_source(source, &options, NULL);
    ge_studies[i] = tn_study_new(ge_documents[i], 0, &params, NULL, NULL);
    tn_study_prepare(ge_studies[i], TN_GROUP_AUTO, NULL);
  }
}

/* Of the plan, one user of the lowest place is selected: arrows lead along the chain of all. */
static void
show_ge(TnView *view, bool is_pool)
{
  tn_view_init(view, ge_studies[is_pool]);
  for (tn_index i = 0; !is_pool && i < view->study->buffers->n; i++) {
    g_autofree char *label = tn_study_dup_label(view->study, i);
    if (g_str_has_prefix(label, "stem/relu"))
      view->selected = i;
  }
}

static void
close_ge(void)
{
  for (int i = 0; i < 2; i++) {
    tn_study_unref(ge_studies[i]);
    tn_document_free(ge_documents[i]);
  }
}

static TnFindings *
make_findings(void)
{
  TnFindings *findings = tn_findings_new();
  tn_findings_add(findings, "oom", TN_SEVERITY_ERROR,
                  "A request for 27.0 MiB failed at event 4282: 3.53 GiB was alive, 3.69 GiB "
                  "reserved, and the device had 17.0 MiB free");
  tn_findings_add(findings, "long-tail", TN_SEVERITY_WARNING,
                  "4 buffers from train.py:57 train_step (68.0 MiB) are alive at the peak and live "
                  "through at least 70 %% of the recording; without them the live peak would be "
                  "68.0 MiB lower");
  tn_findings_add(findings, "padding", TN_SEVERITY_NOTE,
                  "3.0 MiB of the live peak are lost to rounding sizes up, most of it by "
                  "a_very_long_name_without_any_space_that_no_line_of_this_panel_can_hold");
  for (int i = 0; i < 9; i++)
    tn_findings_add(findings, "padding", TN_SEVERITY_NOTE, "One of those that have no room here");
  return findings;
}

/* ---- two files ----------------------------------------------------------------------------------- */

/* Of each kind of change one: grown, shrunk, longer, shorter, moved, new, gone, the same. */
static const char plan_a[] = "id,lower,upper,size,alignment,offset\n"
                             "weights,0,30,4194304,512,0\nconv1,2,12,2097152,512,4194304\n"
                             "conv2,4,16,3145728,512,6291456\nskip,6,14,1048576,512,9437184\n"
                             "branch,12,28,2097152,512,4194304\nnorm,16,26,1048576,512,6291456\n"
                             "cast,18,24,3145728,512,7340032\ntail,24,30,524288,512,10485760\n";
static const char plan_b[] = "id,lower,upper,size,alignment,offset\n"
                             "weights,0,30,4194304,512,0\nconv1,2,12,3145728,512,4194304\n"
                             "conv2,4,16,2097152,512,7340032\nskip,6,20,1048576,512,9437184\n"
                             "branch,12,22,2097152,512,4194304\nnorm,16,26,1048576,512,7340032\n"
                             "fused,8,24,1572864,512,10485760\ntail,24,30,524288,512,10485760\n";
static TnDocument *both[2];
static TnDiff *both_diff;

static void
open_both(void)
{
  static const char *const texts[] = {plan_a, plan_b}, *const names[] = {"a.csv", "b.csv"};
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnDiffParams diff_params = TN_DIFF_PARAMS_INIT;
  TnStudy *studies[2];
  for (int i = 0; i < 2; i++) {
    g_autoptr(TnSource) source = tn_source_new_for_bytes(names[i], texts[i], strlen(texts[i]));
    both[i] = tn_document_load_source(source, &options, NULL);
    studies[i] = tn_study_new(both[i], 0, &params, NULL, NULL);
    tn_study_prepare(studies[i], TN_GROUP_AUTO, NULL);
  }
  both_diff = tn_diff_new(studies[0], studies[1], &diff_params, NULL);
  tn_study_unref(studies[0]);
  tn_study_unref(studies[1]);
}

static void
close_both(void)
{
  tn_diff_unref(both_diff);
  tn_document_free(both[0]);
  tn_document_free(both[1]);
}

static GByteArray *
draw_diff(const char *layout, const TnExportParams *params, TnExportFormat format)
{
  g_autoptr(TnDiffPicture) picture =
      tn_diff_picture_new(both_diff, params->theme, NULL, "--preset onnxruntime");
  g_assert_true(tn_diff_layout_from_name(layout, &picture->layout));
  return tn_export_build_diff(picture, TN_UNITS_IEC, params, format, NULL);
}

/* The report's first sheet, with all that may stand below it. */
static GByteArray *
draw_sheet(const TnView *view, const TnExportParams *params, TnExportFormat format)
{
  TnReportParams report = {.view = view,
                           .findings = params->findings,
                           .theme = params->theme,
                           .font = params->font,
                           .width = params->width,
                           .height = params->height,
                           .scale = params->scale,
                           .hash = "8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1",
                           .version = "0.1",
                           .options = "tenure-cli draw transformer-oom.pickle --view report",
                           .notes = "The second iteration is the one that fails.\n"
                                    "What holds 27 MiB between the segments?"};
  return tn_report_build(&report, (TnReportFormat)format, NULL);
}

static void
draw(const Picture *picture, const char *out)
{
  TnView view;
  TnExportFormat format;
  TnExportParams params = {.scale = 1.0,
                           .theme = picture->is_dark ? tn_theme_dark() : tn_theme_light(),
                           .font = FONT};
  g_autoptr(TnFindings) findings = make_findings();
  g_autoptr(GError) error = NULL;
  bool is_ge = g_str_has_prefix(picture->view, "ge:"), is_pool = g_str_has_prefix(picture->view, "pool:");
  const char *name = is_ge || is_pool ? strchr(picture->view, ':') + 1 : picture->view;
  if (is_ge || is_pool)
    show_ge(&view, is_pool);
  else
    tn_view_init(&view, study);
  params.findings = findings;
  bool is_diff = g_str_has_prefix(picture->view, "diff:"), is_sheet = !strcmp(picture->view, "sheet");
  g_assert_true(is_diff || is_sheet || tn_picture_from_name(name, &params.picture));
  g_assert_true(tn_export_format_from_path(out, &format));
  g_assert_cmpint(sscanf(picture->size, "%dx%d", &params.width, &params.height), ==, 2);
  g_autoptr(GByteArray) bytes = is_diff    ? draw_diff(picture->view + 5, &params, format)
                                : is_sheet ? draw_sheet(&view, &params, format)
                                           : tn_export_build(&view, &params, format, &error);
  g_assert_no_error(error);
  g_assert_true(g_file_set_contents(out, (const char *)bytes->data, bytes->len, NULL));
}

/* ---- pixels -------------------------------------------------------------------------------------- */

static char *
failure_path(const char *name, const char *ending)
{
  char *path = golden_path(name, ending);
  g_autofree char *folder = g_path_get_dirname(path), *file = g_path_get_basename(path);
  if (g_access(folder, W_OK) == 0)
    return path;
  g_free(path);
  return g_build_filename(g_get_tmp_dir(), file, NULL);
}

static void
copy_file(const char *from, const char *to)
{
  g_autofree char *bytes = NULL;
  gsize n;
  g_assert_true(g_file_get_contents(from, &bytes, &n, NULL));
  g_assert_true(g_file_set_contents(to, bytes, (gssize)n, NULL));
}

/* How many pixels differ; where any do, red in a picture of its own. */
static int
compare(cairo_surface_t *want, cairo_surface_t *got, cairo_surface_t *diff)
{
  int width = cairo_image_surface_get_width(want), height = cairo_image_surface_get_height(want);
  int n = 0;
  for (int y = 0; y < height; y++) {
    const guint32 *a = (const guint32 *)(const void *)(cairo_image_surface_get_data(want) +
                                                       y * cairo_image_surface_get_stride(want));
    const guint32 *b = (const guint32 *)(const void *)(cairo_image_surface_get_data(got) +
                                                       y * cairo_image_surface_get_stride(got));
    guint32 *d = (guint32 *)(void *)(cairo_image_surface_get_data(diff) +
                                     y * cairo_image_surface_get_stride(diff));
    for (int x = 0; x < width; x++) {
      bool differs = (a[x] & 0xFFFFFF) != (b[x] & 0xFFFFFF);
      d[x] = differs ? 0xFFFF0000u : 0xFF000000u | (b[x] >> 2 & 0x3F3F3F);
      n += differs;
    }
  }
  cairo_surface_mark_dirty(diff);
  return n;
}

static cairo_surface_t *
open_png(const char *path)
{
  cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
    g_error("%s: %s", path, cairo_status_to_string(cairo_surface_status(surface)));
  return surface;
}

static void
compare_files(const char *name, const char *golden, const char *drawn)
{
  cairo_surface_t *want = open_png(golden), *got = open_png(drawn);
  int width = cairo_image_surface_get_width(want), height = cairo_image_surface_get_height(want);
  g_assert_cmpint(cairo_image_surface_get_width(got), ==, width);
  g_assert_cmpint(cairo_image_surface_get_height(got), ==, height);
  cairo_surface_t *diff = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  int n = compare(want, got, diff);
  if (n > 0) {
    g_autofree char *out = failure_path(name, ".out.png");
    g_autofree char *red = failure_path(name, ".diff.png");
    copy_file(drawn, out);
    cairo_surface_write_to_png(diff, red);
    g_test_message("%s: %d pixels differ, see %s and %s", name, n, out, red);
    g_test_fail();
  }
  cairo_surface_destroy(want);
  cairo_surface_destroy(got);
  cairo_surface_destroy(diff);
}

static void
test_png(gconstpointer data)
{
  const Picture *picture = data;
  if (!has_font())
    return;
  g_autofree char *golden = golden_path(picture->name, ".png");
  g_autofree char *folder = g_dir_make_tmp("tenure-golden-XXXXXX", NULL);
  g_autofree char *drawn = g_build_filename(folder, "drawn.png", NULL);
  draw(picture, drawn);
  if (is_update())
    copy_file(drawn, golden);
  else
    compare_files(picture->name, golden, drawn);
  g_unlink(drawn);
  g_rmdir(folder);
}

/* ---- structure ----------------------------------------------------------------------------------- */

static int
count(const char *text, const char *word)
{
  int n = 0;
  for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
    n++;
  return n;
}

static int
compare_strings(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The frame, how many of each element, and every text, sorted. */
static char *
structure_of(const char *svg)
{
  GString *out = g_string_new(NULL);
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  const char *box = strstr(svg, "viewBox=");
  g_assert_nonnull(box);
  g_string_append_printf(out, "%.*s\n", (int)(strchr(box + 9, '"') + 1 - box), box);
  g_string_append_printf(out, "%d image, %d text\n", count(svg, "<image "), count(svg, "<text "));
  for (const char *at = svg; (at = strstr(at, "<text ")); at++) {
    const char *from = strchr(at, '>') + 1;
    g_ptr_array_add(texts, g_strndup(from, (gsize)(strstr(from, "</text>") - from)));
  }
  g_ptr_array_sort(texts, compare_strings);
  for (guint i = 0; i < texts->len; i++)
    g_string_append_printf(out, "%s\n", (const char *)g_ptr_array_index(texts, i));
  return g_string_free(out, FALSE);
}

static void
test_svg(gconstpointer data)
{
  const Picture *picture = data;
  if (!has_font())
    return;
  g_autofree char *golden = golden_path(picture->name, ".svg.txt");
  g_autofree char *folder = g_dir_make_tmp("tenure-golden-XXXXXX", NULL);
  g_autofree char *drawn = g_build_filename(folder, "drawn.svg", NULL);
  g_autofree char *svg = NULL, *want = NULL;
  draw(picture, drawn);
  g_assert_true(g_file_get_contents(drawn, &svg, NULL, NULL));
  g_assert_true(g_str_has_prefix(svg, "<?xml"));
  g_assert_true(g_str_has_suffix(svg, "</svg>\n"));
  g_assert_true(g_utf8_validate(svg, -1, NULL));
  /* No glyph may have become a drawing. */
  g_assert_null(strstr(svg, "<glyph"));
  g_assert_null(strstr(svg, "<symbol"));
  g_autofree char *got = structure_of(svg);
  if (is_update()) {
    g_assert_true(g_file_set_contents(golden, got, -1, NULL));
  } else {
    g_assert_true(g_file_get_contents(golden, &want, NULL, NULL));
    g_assert_cmpstr(got, ==, want);
  }
  g_unlink(drawn);
  g_rmdir(folder);
}

/* The same input gives the same bytes, in every format. */
static void
test_same_bytes(void)
{
  static const char *const endings[] = {"png", "svg", "pdf"};
  g_autofree char *folder = g_dir_make_tmp("tenure-golden-XXXXXX", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(endings); i++) {
    char *bytes[2];
    gsize n[2];
    for (int k = 0; k < 2; k++) {
      g_autofree char *file = g_strdup_printf("%d.%s", k, endings[i]);
      g_autofree char *path = g_build_filename(folder, file, NULL);
      draw(&pictures[2], path);
      g_assert_true(g_file_get_contents(path, &bytes[k], &n[k], NULL));
      g_unlink(path);
    }
    g_assert_cmpmem(bytes[0], n[0], bytes[1], n[1]);
    g_free(bytes[0]);
    g_free(bytes[1]);
  }
  g_rmdir(folder);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  open_sample();
  open_both();
  open_ge();
  for (gsize i = 0; i < G_N_ELEMENTS(pictures); i++) {
    g_autofree char *png = g_strdup_printf("/golden/png/%s", pictures[i].name);
    g_autofree char *svg = g_strdup_printf("/golden/svg/%s", pictures[i].name);
    g_test_add_data_func(png, &pictures[i], test_png);
    g_test_add_data_func(svg, &pictures[i], test_svg);
  }
  g_test_add_func("/golden/same-bytes", test_same_bytes);
  int status = g_test_run();
  close_both();
  close_ge();
  tn_study_unref(study);
  tn_document_free(document);
  return status;
}
