/* SPDX-License-Identifier: MIT */
/* A small model of GE and what GE would write of it: both text dumps, and the [IMAS] lines of a plog
 * in each of their generations, whole or with other threads' lines between and names cut. */
#pragma once

#include "data/document.h"

#include <string.h>

#define GE_NEVER 4294967295

typedef struct {
  const char *name, *type, *inputs; /* inputs: "conv:0 data:0 late:-1" */
  int64_t stream;
  int64_t offset, bytes, dim; /* of output 0, float32 of [dim]; offset < 0: has no output */
  int64_t workspace, workspace_bytes; /* bytes 0: none */
  const char *flag;  /* an attribute that is set; NULL */
  const char *batch; /* NULL */
  int64_t reused;    /* the input whose place output 0 has; -1 */
} GeOp;

/* The plan of the sample ge_io_reuse_expected_plan_from_test.txt: four tensors in two places. */
static const GeOp ge_io_reuse[] = {
    {"data_0", "Data", "", 0, 0, 1024, 248, 0, 0, NULL, NULL, -1},
    {"const_0", "Constant", "", 0, 137438953472, 1024, 248, 0, 0, NULL, NULL, -1},
    {"add_1", "Add", "data_0:0 const_0:0", 0, 1024, 1024, 248, 0, 0, NULL, NULL, -1},
    {"add_2", "Add", "add_1:0 const_0:0", 0, 0, 1024, 248, 0, 0, NULL, NULL, -1},
    {"add_3", "Add", "add_2:0 const_0:0", 0, 1024, 1024, 248, 0, 0, NULL, NULL, -1},
    {"out", "NetOutput", "add_3:0", 0, -1, 0, 0, 0, 0, NULL, NULL, -1},
};

/* ---- dumps ----------------------------------------------------------------------------------- */

static inline void
ge_proto_desc(GString *out, const GeOp *op)
{
  g_string_append_printf(out,
                         "    output_desc {\n      name: \"y\"\n      dtype: DT_FLOAT\n"
                         "      shape {\n        dim: %" G_GINT64_FORMAT "\n      }\n"
                         "      layout: \"ND\"\n      size: %" G_GINT64_FORMAT "\n",
                         op->dim, op->bytes);
  if (op->reused >= 0)
    g_string_append_printf(
        out, "      reuse_input: true\n      reuse_input_index: %" G_GINT64_FORMAT "\n", op->reused);
  g_string_append(out, "      attr {\n        key: \"origin_format\"\n        value {\n"
                       "          s: \"ND\"\n        }\n      }\n    }\n");
}

static inline void
ge_proto_attribute(GString *out, const char *key, const char *value)
{
  g_string_append_printf(out, "    attr {\n      key: \"%s\"\n      value {\n        %s\n      }\n    }\n",
                         key, value);
}

static inline void
ge_proto_op(GString *out, const GeOp *op, int64_t id)
{
  g_auto(GStrv) inputs = g_strsplit(op->inputs, " ", -1);
  g_string_append_printf(out, "  op {\n    name: \"%s\"\n    type: \"%s\"\n", op->name, op->type);
  for (gsize i = 0; inputs[i]; i++)
    if (inputs[i][0])
      g_string_append_printf(out, "    input: \"%s\"\n", inputs[i]);
  if (op->flag)
    ge_proto_attribute(out, op->flag, "b: true");
  if (op->batch) {
    g_autofree char *value = g_strdup_printf("s: \"%s\"", op->batch);
    ge_proto_attribute(out, "_batch_label", value);
  }
  ge_proto_attribute(out, "_output_memory_type", "list {\n          i: 2\n          val_type: VT_LIST_INT\n        }");
  if (id) /* zero is omitted, as protobuf does */
    g_string_append_printf(out, "    id: %" G_GINT64_FORMAT "\n", id);
  if (op->stream)
    g_string_append_printf(out, "    stream_id: %" G_GINT64_FORMAT "\n", op->stream);
  if (op->offset >= 0)
    g_string_append_printf(out, "    output_i: %" G_GINT64_FORMAT "\n", op->offset);
  if (op->workspace_bytes)
    g_string_append_printf(out,
                           "    workspace: %" G_GINT64_FORMAT "\n    workspace_bytes: %" G_GINT64_FORMAT
                           "\n",
                           op->workspace, op->workspace_bytes);
  if (op->offset >= 0)
    ge_proto_desc(out, op);
  g_string_append(out, "  }\n");
}

/* ge_proto_00000005_graph_1_Build.txt; owned by the caller. */
static inline char *
ge_proto_text(const GeOp *ops, gsize n)
{
  GString *out = g_string_new("name: \"model\"\nversion: 1\ngraph {\n  name: \"main\"\n");
  for (gsize i = 0; i < n; i++)
    ge_proto_op(out, &ops[i], (int64_t)i);
  g_string_append(out, "  attr {\n    key: \"x\"\n    value {\n      t {\n        data: \"\\000\\\"}\"\n"
                       "      }\n    }\n  }\n}\n");
  return g_string_free(out, FALSE);
}

static inline void
ge_onnx_number(GString *out, const char *name, int64_t value)
{
  g_string_append_printf(out, "    attribute {\n      name: \"%s\"\n", name);
  if (value)
    g_string_append_printf(out, "      i: %" G_GINT64_FORMAT "\n", value);
  g_string_append(out, "      type: INT\n    }\n");
}

static inline void
ge_onnx_list(GString *out, const char *name, int64_t value)
{
  g_string_append_printf(out,
                         "    attribute {\n      name: \"%s\"\n      ints: %" G_GINT64_FORMAT
                         "\n      type: INTS\n    }\n",
                         name, value);
}

static inline void
ge_onnx_text_attribute(GString *out, const char *name, const char *value)
{
  g_string_append_printf(
      out, "    attribute {\n      name: \"%s\"\n      s: \"%s\"\n      type: STRING\n    }\n", name,
      value);
}

/* With `has_json` the tensors are described as an op with 20 of them or more has it. */
static inline void
ge_onnx_desc(GString *out, const GeOp *op, bool has_json)
{
  if (has_json) {
    g_autofree char *json = g_strdup_printf(
        "{\\\"dtype\\\":\\\"DT_FLOAT\\\",\\\"shape\\\":[%" G_GINT64_FORMAT
        "],\\\"size\\\":%" G_GINT64_FORMAT ",\\\"reuse_input\\\":%d,\\\"reuse_input_index\\\":%d}",
        op->dim, op->bytes, op->reused >= 0, (int)MAX(op->reused, (int64_t)0));
    ge_onnx_text_attribute(out, "output_desc_0", json);
    return;
  }
  ge_onnx_text_attribute(out, "output_desc_dtype:0", "DT_FLOAT");
  ge_onnx_list(out, "output_desc_shape:0", op->dim);
  ge_onnx_number(out, "output_desc_size:0", op->bytes);
  ge_onnx_number(out, "output_desc_reuse_input:0", op->reused >= 0);
  ge_onnx_number(out, "output_desc_reuse_input_index:0", MAX(op->reused, (int64_t)0));
}

static inline void
ge_onnx_node(GString *out, const GeOp *op, int64_t id, bool has_json)
{
  g_auto(GStrv) inputs = g_strsplit(op->inputs, " ", -1);
  g_string_append(out, "  node {\n");
  for (gsize i = 0; inputs[i]; i++)
    g_string_append_printf(out, "    input: \"%s\"\n", inputs[i]);
  g_string_append_printf(out, "    output: \"%s:0\"\n    name: \"%s\"\n    op_type: \"ge:%s\"\n",
                         op->name, op->name, op->type);
  ge_onnx_number(out, "id", id);
  ge_onnx_number(out, "stream_id", op->stream);
  if (op->flag)
    ge_onnx_number(out, op->flag, 1);
  if (op->batch)
    ge_onnx_text_attribute(out, "_batch_label", op->batch);
  if (op->workspace_bytes) {
    ge_onnx_list(out, "workspace", op->workspace);
    ge_onnx_list(out, "workspace_bytes", op->workspace_bytes);
  }
  if (op->offset >= 0) {
    ge_onnx_list(out, "output_i", op->offset);
    ge_onnx_desc(out, op, has_json);
  }
  g_string_append(out, "  }\n");
}

/* ge_onnx_00000005_graph_1_Build.pbtxt; owned by the caller. */
static inline char *
ge_onnx_text(const GeOp *ops, gsize n, bool has_json)
{
  GString *out = g_string_new("ir_version: 6\nproducer_name: \"GE\"\ngraph {\n");
  for (gsize i = 0; i < n; i++)
    ge_onnx_node(out, &ops[i], (int64_t)i, has_json);
  g_string_append(out, "  name: \"main\"\n}\n");
  return g_string_free(out, FALSE);
}

/* ---- plogs --------------------------------------------------------------------------------------- */

/* The generations of an [IMAS]Set line. */
typedef enum {
  GE_PLOG_2020,     /* without optype and memtype, four numbers of child */
  GE_PLOG_2021,     /* with both, and batch */
  GE_PLOG_SCOPE,    /* and scope at the end */
  GE_PLOG_NOW,      /* and block_type; the end of life by streams */
  GE_PLOG_WORDS,    /* the stream in words */
  N_GE_PLOGS
} GePlog;

typedef struct {
  const char *name, *type, *slot; /* slot: "output[0]" */
  int64_t offset, stream, size, real, plain;
  int64_t begin, end; /* closed; GE_NEVER */
  int level, reusable, continuous, zero_copy, one_stream, is_ref;
  const char *batch, *block_type; /* "" for none */
} GeLine;

static inline void
ge_plog_line(GString *out, const GeLine *l, GePlog form)
{
  g_string_append_printf(out, "[IMAS]Set main_0 name[%s]", l->name);
  if (form != GE_PLOG_2020)
    g_string_append_printf(out, " optype[%s]", l->type);
  g_string_append_printf(out, " %s offset to [%" G_GINT64_FORMAT "] ", l->slot, l->offset);
  if (form == GE_PLOG_WORDS)
    g_string_append_printf(out, "streamid[%" G_GINT64_FORMAT ", label main]", l->stream);
  else
    g_string_append_printf(out, "streamid[%" G_GINT64_FORMAT "]", l->stream);
  if (form != GE_PLOG_2020)
    g_string_append(out, " memtype[2]");
  g_string_append_printf(out,
                         " size[%" G_GINT64_FORMAT "] realsize[%" G_GINT64_FORMAT
                         "] noalignsize[%" G_GINT64_FORMAT "] life time begin[%" G_GINT64_FORMAT
                         "] life time end[",
                         l->size, l->real, l->plain, l->begin);
  if (form >= GE_PLOG_NOW) /* another stream sees it end earlier; the own stream's end is last */
    g_string_append_printf(out, "%" G_GINT64_FORMAT "--", MAX(l->end - 1, l->begin));
  g_string_append_printf(out, "%" G_GINT64_FORMAT "] child[%d:%d:%d:%d", l->end, l->level,
                         l->reusable, l->continuous, l->zero_copy);
  if (form != GE_PLOG_2020)
    g_string_append_printf(out, ":%d", l->one_stream);
  g_string_append_printf(out, "] isref[%d]", l->is_ref);
  if (form == GE_PLOG_2020)
    g_string_append_c(out, '.');
  else
    g_string_append_printf(out, " batch[%s]", l->batch);
  if (form == GE_PLOG_SCOPE)
    g_string_append(out, " scope[0]");
  if (form >= GE_PLOG_NOW)
    g_string_append_printf(out, ", block_type[%s]", l->block_type);
  g_string_append_c(out, '\n');
}

typedef struct {
  GePlog form;
  gboolean has_threads; /* other threads' lines stand between */
  gboolean is_cut;      /* names are longer than a line of GE's holds, and end in the middle */
} GePlogNoise;

/* One more line of GE's, with its prefix. */
static inline void
ge_plog_say(GString *out, const char *level, const char *function, const char *text)
{
  g_string_append_printf(out,
                         "[%s] GE(77,python):2025-01-02-03:04:06.000.001 [some_file.cc:12]77 %s: %s\n",
                         level, function, text);
}

/* A plog of the plan, with GE's prefixes; owned by the caller. */
static inline char *
ge_plog_text(const GeLine *lines, gsize n, GePlogNoise noise)
{
  GString *out = g_string_new(NULL);
  for (gsize i = 0; i < n; i++) {
    GeLine line = lines[i];
    g_autofree char *tail = g_strnfill(noise.is_cut ? 512 - strlen(line.name) : 0, 'x');
    g_autofree char *name = g_strconcat(line.name, tail, NULL);
    line.name = name;
    if (noise.has_threads)
      g_string_append_printf(out,
                             "[INFO] RUNTIME(77,python):2025-01-02-03:04:05.000.%03u [api.cc:9]%u "
                             "rtMalloc: size=%u, [IMAS]nothing of interest\n",
                             (unsigned)i, 900 + (unsigned)i % 3, (unsigned)i * 64);
    g_string_append_printf(out,
                           "[INFO] GE(77,python):2025-01-02-03:04:05.000.%03u "
                           "[block_mem_assigner.cc:3000]77 SetOffsetSize: ",
                           (unsigned)i);
    ge_plog_line(out, &line, noise.form);
  }
  return g_string_free(out, FALSE);
}

/* ---- pools ------------------------------------------------------------------------------------- */

/* A step of a dynamic pool: `bytes` > 0 asks for a span, which has the number of the step; else the
 * span of step `freed` goes back, or (-1) the pool is recycled. */
typedef struct {
  int64_t bytes, freed;
} GeStep;

#define GE_PAGE 65536

/* What GE says of the pool: all that it holds of the device, and how often it was recycled. */
static inline void
ge_pool_sizes(GString *out, double held, double theory, int recycled)
{
  g_autofree char *device = g_strdup_printf(
      "Device memory   : [alloc count:6 free count:0 total size:%.2fM new_va_size:0B "
      "real_theory_min:1.00M theory_min:%.2fM reach theory rate:83.33%%]",
      held / 1048576.0, theory / 1048576.0);
  g_autofree char *count = g_strdup_printf(
      "Allocator memory: [alloc count:9 free count:9 recycle count:%d]", recycled);
  ge_plog_say(out, "INFO", "PrintDetails", device);
  ge_plog_say(out, "INFO", "PrintDetails", count);
}

typedef struct {
  int64_t unit, held, now, theory; /* bytes */
  gsize resting;                   /* the unit that was freed last; it is not given again at once */
  int recycled;
  gboolean *in_use, *is_held; /* by unit */
} GePool;

static inline gsize
ge_pool_take(const GePool *pool)
{
  gsize k = 0;
  while (pool->in_use[k] || k == pool->resting)
    k++;
  return k;
}

static inline void
ge_pool_recycle(GString *out, GePool *pool, gsize n)
{
  pool->held = 0;
  pool->resting = n + 1;
  for (gsize k = 0; k <= n; k++) {
    pool->is_held[k] = pool->in_use[k];
    pool->held += pool->in_use[k] ? pool->unit : 0;
  }
  ge_pool_sizes(out, (double)pool->held, (double)pool->theory, ++pool->recycled);
}

static inline void
ge_pool_step(GString *out, GePool *pool, gsize k, int64_t bytes, bool is_taken)
{
  int64_t span = (bytes + GE_PAGE - 1) / GE_PAGE * GE_PAGE;
  unsigned long long address = 0x12c000000000ull + (unsigned long long)k * (unsigned long long)pool->unit;
  g_autofree char *line = NULL;
  pool->in_use[k] = is_taken;
  pool->resting = is_taken ? pool->resting : k;
  pool->now += is_taken ? span : -span;
  pool->theory = MAX(pool->theory, pool->now);
  if (is_taken && !pool->is_held[k]) {
    pool->is_held[k] = true;
    pool->held += pool->unit;
    ge_pool_sizes(out, (double)pool->held, (double)pool->theory, pool->recycled);
  }
  line = is_taken ? g_strdup_printf("Malloc block device_id:0 size:%" G_GINT64_FORMAT
                                    " allocate_size:%" G_GINT64_FORMAT
                                    " mem_addr:0x%llx. span addr 0x55d0c0ffee00",
                                    bytes, span, address)
                  : g_strdup_printf("Free block device_id:0 theory_size_:%" G_GINT64_FORMAT
                                    " theory_min_size_:1 allock_size:%" G_GINT64_FORMAT " mem_addr:0x%llx.",
                                    pool->now, span, address);
  ge_plog_say(out, "INFO", is_taken ? "Alloc" : "Free", line);
}

/* The lines of a scalable allocator that takes `unit` bytes of the device where no free unit will do,
 * and gives all free ones back when it is recycled; owned by the caller. */
static inline char *
ge_pool_text(const GeStep *steps, gsize n, int64_t unit)
{
  GString *out = g_string_new(NULL);
  g_autofree gboolean *in_use = g_new0(gboolean, n + 2), *is_held = g_new0(gboolean, n + 2);
  g_autofree gsize *unit_of = g_new0(gsize, n + 1);
  GePool pool = {.unit = unit, .resting = n + 1, .in_use = in_use, .is_held = is_held};
  for (gsize i = 0; i < n; i++) {
    if (steps[i].bytes > 0) {
      unit_of[i] = ge_pool_take(&pool);
      ge_pool_step(out, &pool, unit_of[i], steps[i].bytes, true);
    } else if (steps[i].freed >= 0) {
      ge_pool_step(out, &pool, unit_of[steps[i].freed], steps[steps[i].freed].bytes, false);
    } else {
      ge_pool_recycle(out, &pool, n);
    }
  }
  return g_string_free(out, FALSE);
}
