/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/samples/plans.h"

#include "data/write.h"

#define ALIGNMENT 64

static tn_index
add(TnDocument *document,
    const char *name,
    TnBufferKind kind,
    tn_tick start,
    tn_tick end,
    tn_bytes bytes)
{
  TnDevice *device = tn_document_device(document, 0);
  tn_index i = tn_buffers_add(device->buffers, start, end, bytes, kind);
  device->buffers->name[i] = tn_strings_intern(document->strings, name, -1);
  device->buffers->alignment[i] = ALIGNMENT;
  device->axis_end = MAX(device->axis_end, end);
  return i;
}

static TnDocument *
plan_new(void)
{
  TnDocument *document = tn_document_new("sample");
  TnDevice *device = tn_document_device(document, 0);
  document->kind = TN_DOCUMENT_PLAN;
  device->axis = TN_AXIS_STEP;
  device->buffers = tn_buffers_new();
  tn_buffers_need(device->buffers, TN_COLUMN_NAME | TN_COLUMN_ALIGNMENT | TN_COLUMN_OP);
  return document;
}

/* ---- a residual CNN -------------------------------------------------------------------- */

typedef struct {
  TnDocument *document;
  tn_tick tick; /* of the op that comes next; one each */
} Network;

/* An op's output; it lives through this op, and longer once somebody reads it. */
static tn_index
output(Network *network, const char *name, tn_bytes bytes)
{
  return add(network->document, name, TN_KIND_ACTIVATION, network->tick, network->tick + 1, bytes);
}

/* The op at hand reads a buffer. */
static void
read_by(Network *network, tn_index buffer)
{
  tn_document_device(network->document, 0)->buffers->end[buffer] = network->tick + 1;
}

static tn_index
convolve(Network *network,
         const char *name,
         tn_index input,
         tn_bytes out_bytes,
         tn_bytes workspace_bytes)
{
  g_autofree char *workspace = g_strdup_printf("%s/workspace", name);
  tn_index out = output(network, name, out_bytes);
  read_by(network, input);
  add(network->document, workspace, TN_KIND_WORKSPACE, network->tick, network->tick + 1,
      workspace_bytes);
  network->tick++;
  return out;
}

/* Two 3×3 convolutions beside the identity (or a 1×1 convolution where the shape changes). */
static tn_index
residual(Network *network, int stage, int block, tn_index input)
{
  int side = 64 >> stage, channels = 16 << stage;
  int before = block == 0 && stage > 0 ? channels / 2 : channels;
  tn_bytes bytes = (tn_bytes)side * side * channels * 4;
  g_autofree char *prefix = g_strdup_printf("stage%d.block%d", stage + 1, block + 1);
  g_autofree char *conv_a = g_strdup_printf("%s.conv_a", prefix);
  g_autofree char *conv_b = g_strdup_printf("%s.conv_b", prefix);
  g_autofree char *shortcut = g_strdup_printf("%s.shortcut", prefix);
  g_autofree char *sum = g_strdup_printf("%s.add", prefix);
  tn_index a = convolve(network, conv_a, input, bytes, (tn_bytes)side * 9 * before * 4);
  tn_index b = convolve(network, conv_b, a, bytes, (tn_bytes)side * 9 * channels * 4);
  tn_index past = input;
  if (before != channels)
    past = convolve(network, shortcut, input, bytes, (tn_bytes)side * before * 4);
  tn_index out = output(network, sum, bytes);
  read_by(network, b);
  read_by(network, past);
  network->tick++;
  return out;
}

char *
sample_small_plan_new(void)
{
  g_autoptr(TnDocument) document = plan_new();
  Network network = {document, 0};
  tn_index image = output(&network, "image", 128 * 128 * 3 * 4);
  tn_index last = convolve(&network, "stem.conv", image, 64 * 64 * 16 * 4, 64 * 27 * 4);
  for (int stage = 0; stage < 4; stage++)
    for (int block = 0; block < 2; block++)
      last = residual(&network, stage, block, last);
  static const char *const names[] = {"pool", "classifier", "softmax"};
  static const tn_bytes bytes[] = {128 * 4, 1000 * 4, 1000 * 4};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++, network.tick++) {
    tn_index out = output(&network, names[i], bytes[i]);
    read_by(&network, last);
    last = out;
  }
  const TnDevice *device = tn_document_get_device(document, 0);
  TnPlanOutput plan = {.document = document, .device = device, .buffers = device->buffers};
  return tn_plan_build_csv(&plan);
}

/* ---- a broken plan --------------------------------------------------------------------- */

char *
sample_broken_plan_new(void)
{
  static const char *const ops[] = {"conv1", "relu1", "conv2", "relu2",  "pool",
                                    "conv3", "add",   "fc",    "softmax"};
  static const struct {
    const char *name;
    TnBufferKind kind;
    uint32_t op, last; /* made by, read last by */
    tn_bytes bytes, offset;
  } rows[] = {
      {"image", TN_KIND_INPUT, 0, 0, 12288, 131072},
      {"conv1/out", TN_KIND_ACTIVATION, 0, 1, 65536, 0},
      {"conv1/workspace", TN_KIND_WORKSPACE, 0, 0, 9216, 143360},
      {"relu1/out", TN_KIND_ACTIVATION, 1, 6, 65536, 65536},
      {"conv2/out", TN_KIND_ACTIVATION, 2, 3, 65536, 0},
      {"conv2/workspace", TN_KIND_WORKSPACE, 2, 2, 18432, 131072},
      {"relu2/out", TN_KIND_ACTIVATION, 3, 4, 65536, 131072},
      {"pool/out", TN_KIND_ACTIVATION, 4, 5, 16384, 0},
      /* `add` still reads relu1/out, whose end this one lies on. */
      {"conv3/out", TN_KIND_ACTIVATION, 5, 6, 65536, 114688},
      {"conv3/workspace", TN_KIND_WORKSPACE, 5, 5, 4608, 16384},
      {"add/out", TN_KIND_ACTIVATION, 6, 7, 65536, 0},
      {"fc/out", TN_KIND_ACTIVATION, 7, 8, 4096, 65536},
      {"fc/workspace", TN_KIND_WORKSPACE, 7, 7, 2048, 69640}, /* 8 beyond a multiple of 64 */
      {"softmax/out", TN_KIND_OUTPUT, 8, 8, 4096, 131072},
  };
  g_autoptr(TnDocument) document = plan_new();
  TnDevice *device = tn_document_device(document, 0);
  document->ticks_per_op = 3;
  document->op_names = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (gsize i = 0; i < G_N_ELEMENTS(ops); i++) {
    uint32_t name = tn_strings_intern(document->strings, ops[i], -1);
    g_array_append_val(document->op_names, name);
  }
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    tn_index i = add(document, rows[r].name, rows[r].kind, 3 * (tn_tick)rows[r].op,
                     3 * (tn_tick)rows[r].last + 3, rows[r].bytes);
    device->buffers->op[i] = rows[r].op;
    device->buffers->offset[i] = rows[r].offset;
  }
  TnPlanOutput plan = {.document = document,
                       .device = device,
                       .buffers = device->buffers,
                       .strategy = "by hand",
                       .lifetime_model = "kernel",
                       .lower_bound_bytes = 196608,
                       .arena_bytes = 196608,
                       .n_spaces = 1};
  return tn_plan_build_json(&plan);
}
