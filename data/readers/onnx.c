/* SPDX-License-Identifier: MIT */
/* ONNX models: IR 1 to 14, with sub-graphs, local functions and external weights. */
#include "config.h"

#include "data/error.h"
#include "data/graph-order.h"
#include "data/readers/onnx-emit.h"
#include "data/readers/onnx-infer.h"
#include "data/readers/readers.h"

#include <string.h>

#define NEWEST_IR 14
#define NEWEST_OPSET 25

/* The first fields of a ModelProto: a small IR version, then texts or messages of known numbers. */
static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  TnWireFailure failure = {.base = data};
  TnWire wire = tn_wire(data, size, &failure);
  TnWireField field;
  bool has_version = false, has_graph = false;
  for (int i = 0; i < 12 && tn_wire_next(&wire, &field); i++) {
    bool is_number = field.number == 1 || field.number == 5;
    if (field.type != (is_number ? TN_WIRE_VARINT : TN_WIRE_BYTES))
      return 0;
    if (field.number > 26 || (field.number > 8 && field.number < 14))
      return 0;
    has_version = has_version || (field.number == 1 && field.value >= 1 && field.value <= 1000);
    has_graph = has_graph || field.number == 7;
  }
  bool is_named = name && g_str_has_suffix(name, ".onnx");
  if (failure.found && failure.is_truncated && is_named)
    return 60;
  return failure.found && !failure.is_truncated ? 0
         : has_version && has_graph             ? 90
         : has_version || has_graph             ? (is_named ? 60 : 30)
                                                : 0;
}

static bool
fail_wire(const TnSource *source, const TnWireFailure *failure, GError **error)
{
  g_set_error(error, TN_DATA_ERROR,
              failure->is_truncated ? TN_DATA_ERROR_TRUNCATED : TN_DATA_ERROR_MALFORMED,
              "%s: byte %" G_GSIZE_FORMAT ": found %s; expected %s", source->name, failure->at,
              failure->found, failure->expected);
  return false;
}

static bool
fail_stopped(const char *file, GError **error)
{
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped", file);
  return false;
}

static void
warn_versions(const TnOnnxModel *model, TnDiagnostics *diagnostics)
{
  if (model->ir_version > NEWEST_IR)
    tn_diagnostics_add(diagnostics, "newer-format", 1,
                       "IR version %" G_GINT64_FORMAT " is newer than the newest known (%d); it is "
                       "read as that",
                       model->ir_version, NEWEST_IR);
  for (uint32_t i = 0; i < model->n_opsets; i++)
    if (model->opsets[i].domain == 0 && model->opsets[i].version > NEWEST_OPSET)
      tn_diagnostics_add(diagnostics, "newer-operators", 1,
                         "operator set %" G_GINT64_FORMAT " is newer than the newest known (%d); "
                         "operators are taken as they were last known",
                         model->opsets[i].version, NEWEST_OPSET);
}

static void
infer(TnOnnxBuilder *builder, TnOnnxWork *work, const TnReadOptions *options)
{
  TnOnnxInference inference = {.builder = builder,
                               .options = options,
                               .used = g_hash_table_new(NULL, NULL)};
  tn_onnx_bind_inputs(&inference, work);
  tn_onnx_infer(&inference, work);
  tn_onnx_warn_unused(&inference);
  g_hash_table_unref(inference.used);
}

static void
set_device(TnDocument *document)
{
  TnDevice *device = tn_document_device(document, 0);
  document->kind = TN_DOCUMENT_GRAPH;
  device->axis = TN_AXIS_STEP;
  device->axis_end = (tn_tick)document->graph->ops->len * 3;
}

static bool
read_model(TnOnnxBuilder *builder, const TnReadOptions *options, TnDocument *document)
{
  const TnOnnxModel *model = builder->model;
  if (!model->graph) {
    g_set_error(builder->error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED,
                "%s: the model: found no graph; expected field 7 of a ModelProto", builder->file);
    return false;
  }
  if (model->n_graphs > 1)
    tn_diagnostics_add(document->diagnostics, "several-graphs", model->n_graphs - 1,
                       "the file has several graphs; the last one counts");
  warn_versions(model, document->diagnostics);
  g_autoptr(TnOnnxWork) work = tn_onnx_work_new(builder);
  if (work) {
    infer(builder, work, options);
    document->graph = tn_onnx_graph_build(builder, work);
  }
  if (builder->parser->is_stopped)
    return fail_stopped(builder->file, builder->error);
  if (!work)
    return false;
  const char *producer = tn_strings_get(document->strings, model->producer);
  document->producer = *producer ? g_strdup(producer) : NULL;
  set_device(document);
  tn_document_warn_unsized(document);
  return true;
}

static bool
read_onnx(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  g_autoptr(TnArena) arena = tn_arena_new();
  g_autofree char *folder = source->path ? g_path_get_dirname(source->path) : NULL;
  TnWireFailure failure = {.base = source->data};
  TnOnnxParser parser = {.strings = document->strings,
                         .arena = arena,
                         .failure = &failure,
                         .folder = folder,
                         .progress = options->progress};
  TnOnnxBuilder builder = {.file = source->name,
                           .parser = &parser,
                           .diagnostics = document->diagnostics,
                           .error = error,
                           .size = source->size};
  builder.model = tn_onnx_model_parse(&parser, source->data, source->size);
  if (parser.is_stopped)
    return fail_stopped(source->name, error);
  if (!builder.model)
    return fail_wire(source, &failure, error);
  if (parser.n_refused)
    tn_diagnostics_add(document->diagnostics, "external-refused", parser.n_refused,
                       "external data outside the model's folder (an absolute path, or '..') is "
                       "never opened; what it holds is not known");
  return read_model(&builder, options, document);
}

const TnReader tn_reader_onnx = {
    .name = "onnx",
    .holds = "a model in ONNX, its shapes inferred for given dimensions",
    .patterns = "*.onnx",
    .sniff = sniff,
    .read = read_onnx,
    .takes_bindings = true,
    .takes_values = true,
};
