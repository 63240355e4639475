/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/draw-many.h"

#include "data/write.h"
#include "render/draw-multiples.h"

#include <stdio.h>

static void
draw(const TnPaint *paint, TnRect rect, const void *payload)
{
  tn_draw_multiples(paint, payload, rect);
}

static bool
load_all(char **files,
         const TnCommonOptions *options,
         GPtrArray *documents,
         GPtrArray *studies,
         TnExit *out_exit)
{
  for (; *files; files++) {
    TnDocument *document = tn_cli_load(*files, options, out_exit);
    if (!document)
      return false;
    g_ptr_array_add(documents, document);
    TnStudy *study = tn_cli_study(document, options, out_exit);
    if (!study)
      return false;
    g_ptr_array_add(studies, study);
    tn_cli_add_study_warnings(document, study);
    tn_cli_print_warnings_of(document->shown_path, document->diagnostics);
  }
  return true;
}

static void
report(const TnMultiples *many,
       const TnCommonOptions *options,
       const TnExportParams *params,
       const char *output)
{
  const char *outlier =
      many->outlier == TN_NONE ? NULL : many->studies[many->outlier]->document->shown_path;
  if (!options->is_json) {
    tn_say("%s: %dx%d, %u files%s%s\n", output, params->width, params->height, many->n,
           outlier ? ", not like the others: " : "", outlier ? outlier : "");
    return;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "written", output);
  cJSON_AddStringToObject(object, "view", "overview");
  tn_json_add_integer(object, "width", params->width);
  tn_json_add_integer(object, "height", params->height);
  tn_json_add_integer(object, "files", many->n);
  if (outlier)
    cJSON_AddStringToObject(object, "outlier", outlier);
  else
    cJSON_AddNullToObject(object, "outlier");
  cJSON *warnings = cJSON_AddArrayToObject(object, "warnings");
  for (uint32_t i = 0; i < many->n; i++) {
    const TnDocument *document = many->studies[i]->document;
    tn_json_append_warnings(warnings, document->diagnostics, "file", document->shown_path);
  }
  tn_json_print(object);
}

TnExit
tn_cli_draw_many(char **files,
                 const TnCommonOptions *options,
                 const TnExportParams *params,
                 const char *output)
{
  TnExit code;
  TnMultiples many;
  TnExportFormat format;
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) documents = g_ptr_array_new_with_free_func((GDestroyNotify)tn_document_free);
  g_autoptr(GPtrArray) studies = g_ptr_array_new_with_free_func((GDestroyNotify)tn_study_unref);
  if (!tn_export_format_from_path(output, &format)) {
    tn_cli_complain("draw: -o FILE of an overview ends with .png, .svg or .pdf");
    return TN_EXIT_USAGE;
  }
  if (!load_all(files, options, documents, studies, &code))
    return code;
  tn_multiples_init(&many, (const TnStudy *const *)studies->pdata, studies->len, TN_UNITS_IEC);
  g_autoptr(GByteArray) bytes = tn_export_build_drawing(params, format, draw, &many, &error);
  if (!bytes || !tn_write_file(output, bytes->data, bytes->len, &error)) {
    tn_cli_complain("%s", error->message);
    return TN_EXIT_INPUT;
  }
  report(&many, options, params, output);
  return TN_EXIT_DONE;
}
