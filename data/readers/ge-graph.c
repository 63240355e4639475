/* SPDX-License-Identifier: MIT */
/* GE's dumps of a graph with its plan: ge_proto_*.txt is protobuf's text of GE's own ModelDef,
 * ge_onnx_*.pbtxt that of ONNX's ModelProto with GE's fields as attributes. */
#include "config.h"

#include "data/readers/ge-graph.h"

#include "data/dtype.h"
#include "data/error.h"
#include "data/readers/readers.h"

#include <string.h>

#define STEP 1024 /* ops between two looks at the progress */
/* An attribute that describes a tensor takes some 60 bytes; those of one op come in any order. */
#define BYTES_PER_DESC 8
#define LEAST_DESCS 65536

/* ---- the model ----------------------------------------------------------------------------- */

static void
free_op(gpointer data)
{
  TnGeOp *op = data;
  g_array_unref(op->sources);
  g_array_unref(op->inputs);
  g_array_unref(op->outputs);
  g_clear_pointer(&op->bodies, g_array_unref);
  for (int l = 0; l < TN_GE_N_LISTS; l++)
    g_clear_pointer(&op->list[l], g_array_unref);
  g_free(op);
}

/* The larger part of the time goes by while the text is read. */
static bool
report_read(TnGeModel *model, const TnTextProto *text)
{
  gsize read = (gsize)(text->at - model->start), left = (gsize)(text->end - text->at);
  tn_progress_report(model->progress, 0.8 * (double)read / (double)(read + left), "Reading ops");
  model->is_stopped |= tn_progress_is_cancelled(model->progress);
  return !model->is_stopped;
}

TnGeOp *
tn_ge_model_add(TnGeModel *model, const TnTextProto *text)
{
  if (model->ops->len % STEP == 0 && !report_read(model, text))
    return NULL;
  TnGeOp *op = g_new0(TnGeOp, 1);
  op->sources = g_array_new(FALSE, FALSE, sizeof(TnGeSource));
  op->inputs = g_array_new(FALSE, FALSE, sizeof(TnGeDesc));
  op->outputs = g_array_new(FALSE, FALSE, sizeof(TnGeDesc));
  op->graph = model->name;
  op->parent = -1;
  g_ptr_array_add(model->ops, op);
  return op;
}

TnGeDesc *
tn_ge_desc(TnGeModel *model, GArray *descs, int64_t row)
{
  const TnGeDesc none = {.bytes = TN_BYTES_UNKNOWN, .reused = 0, .parent = -1, .rank = TN_NONE};
  uint64_t n_more = row < (int64_t)descs->len ? 0 : (uint64_t)row + 1 - descs->len;
  if (row < 0)
    return NULL;
  if (row >= 65536 || n_more > model->most_descs - model->n_descs) {
    model->n_beyond++;
    return NULL;
  }
  model->n_descs += n_more;
  while ((int64_t)descs->len <= row)
    g_array_append_val(descs, none);
  return &g_array_index(descs, TnGeDesc, row);
}

void
tn_ge_op_append(TnGeOp *op, TnGeList list, int64_t number)
{
  if (!op->list[list])
    op->list[list] = g_array_new(FALSE, FALSE, sizeof(int64_t));
  g_array_append_val(op->list[list], number);
}

void
tn_ge_op_add_source(TnGeModel *model, TnGeOp *op, const char *text)
{
  const char *colon = strrchr(text, ':');
  gsize length = colon ? (gsize)(colon - text) : strlen(text);
  int64_t index = colon ? g_ascii_strtoll(colon + 1, NULL, 10) : 0;
  TnGeSource source = {tn_strings_intern(model->document->strings, text, (gssize)length),
                       (int32_t)CLAMP(index, -1, 65535)};
  if (length)
    g_array_append_val(op->sources, source);
}

uint8_t
tn_ge_dtype(const char *name)
{
  g_autofree char *lower = g_ascii_strdown(g_str_has_prefix(name, "DT_") ? name + 3 : name, -1);
  return (uint8_t)tn_dtype_from_name(lower);
}

/* ---- attributes ------------------------------------------------------------------------------ */

void
tn_ge_value_add(TnGeModel *model, TnGeValue *value, const TnTextProto *text)
{
  int64_t number;
  if (text->is_string) {
    g_free(value->text);
    value->text = tn_text_proto_dup_string(text);
  } else if (tn_text_proto_integer(text, &number)) {
    g_array_append_val(value->numbers, number);
  } else {
    model->n_bad++;
  }
}

void
tn_ge_value_reset(TnGeValue *value)
{
  g_array_set_size(value->numbers, 0);
  g_clear_pointer(&value->text, g_free);
}

static void
set_flag(TnGeOp *op, const char *name, const TnGeValue *value)
{
  static const struct {
    const char *name;
    unsigned flag;
  } flags[] = {{"continuous_input", TN_GE_CONTINUOUS_INPUT},
               {"continuous_output", TN_GE_CONTINUOUS_OUTPUT},
               {"_no_padding_continuous_input", TN_GE_NO_PADDING_INPUT},
               {"_no_padding_continuous_output", TN_GE_NO_PADDING_OUTPUT},
               {"reference", TN_GE_REFERENCE},
               {"no_reuse_mem_flag", TN_GE_NO_REUSE},
               {"_is_fixed_addr_prior", TN_GE_FIXED_ADDRESS}};
  for (gsize i = 0; i < G_N_ELEMENTS(flags); i++)
    if (strcmp(name, flags[i].name) == 0 && value->numbers->len &&
        g_array_index(value->numbers, int64_t, 0))
      op->flags |= flags[i].flag;
}

void
tn_ge_op_set(TnGeModel *model, TnGeOp *op, const char *name, const TnGeValue *value)
{
  static const char *const lists[TN_GE_N_LISTS] = {
      [TN_GE_OUTPUT_OFFSET] = "output_i",          [TN_GE_WORKSPACE] = "workspace",
      [TN_GE_WORKSPACE_BYTES] = "workspace_bytes", [TN_GE_OUTPUT_TYPE] = "_output_memory_type",
      [TN_GE_WORKSPACE_TYPE] = "_workspace_type",  [TN_GE_SENT] = "send_event_id_list",
      [TN_GE_RECEIVED] = "recv_event_id_list",     [TN_GE_ATOMIC_OUTPUT] = "atomic_output_index"};
  for (TnGeList l = 0; l < TN_GE_N_LISTS; l++)
    for (guint i = 0; i < value->numbers->len && strcmp(name, lists[l]) == 0; i++)
      tn_ge_op_append(op, l, g_array_index(value->numbers, int64_t, i));
  if (strcmp(name, "_batch_label") == 0 && value->text)
    op->batch = tn_strings_intern(model->document->strings, value->text, -1);
  else if (strcmp(name, "_parent_node_index") == 0 && value->numbers->len)
    op->parent = g_array_index(value->numbers, int64_t, 0);
  else
    set_flag(op, name, value);
}

/* ---- ge_proto -----------------------------------------------------------------------------------
 */

/* Values of all depths inside the message just opened: an attribute holds a number, a string, or a
 * list of either. */
static bool
read_value(TnGeModel *model, TnTextProto *text, TnGeValue *value)
{
  uint32_t depth = text->depth;
  while (text->depth >= depth) {
    TnTextProtoEvent event = tn_text_proto_next(text);
    if (event == TN_TEXT_PROTO_END || event == TN_TEXT_PROTO_BAD)
      return false;
    bool is_wanted =
        tn_text_proto_is(text, "i") || tn_text_proto_is(text, "b") || tn_text_proto_is(text, "s");
    if (event == TN_TEXT_PROTO_VALUE && is_wanted)
      tn_ge_value_add(model, value, text);
    bool is_list = tn_text_proto_is(text, "list");
    if (event == TN_TEXT_PROTO_OPEN && !is_list && !tn_text_proto_skip(text))
      return false;
  }
  return true;
}

/* An entry of a map of attributes; *out_key is owned by the caller. */
static bool
read_attribute(TnGeModel *model, TnTextProto *text, char **out_key, TnGeValue *value)
{
  TnTextProtoEvent event;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    if (event == TN_TEXT_PROTO_END || event == TN_TEXT_PROTO_BAD)
      return false;
    if (event == TN_TEXT_PROTO_VALUE && tn_text_proto_is(text, "key")) {
      g_free(*out_key);
      *out_key = tn_text_proto_dup_string(text);
    }
    if (event == TN_TEXT_PROTO_OPEN &&
        !(tn_text_proto_is(text, "value") ? read_value(model, text, value)
                                          : tn_text_proto_skip(text)))
      return false;
  }
  return true;
}

static void
set_number(TnGeModel *model, const TnTextProto *text, int64_t *out)
{
  if (!tn_text_proto_integer(text, out))
    model->n_bad++;
}

static void
set_desc(TnGeModel *model, const TnTextProto *text, TnGeDesc *desc)
{
  int64_t number = 0;
  if (tn_text_proto_is(text, "dtype")) {
    g_autofree char *word = tn_text_proto_dup_string(text);
    desc->dtype = tn_ge_dtype(word);
  } else if (tn_text_proto_is(text, "size")) {
    set_number(model, text, &desc->bytes);
  } else if (tn_text_proto_is(text, "reuse_input")) {
    set_number(model, text, &number);
    desc->reuses_input = number != 0;
  } else if (tn_text_proto_is(text, "reuse_input_index")) {
    set_number(model, text, &desc->reused);
  }
}

static bool
read_dims(TnGeModel *model, TnTextProto *text, TnGeDesc *desc)
{
  TnTextProtoEvent event;
  desc->first_dim = model->dims->len;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    int64_t dim = -1;
    if (event == TN_TEXT_PROTO_END || event == TN_TEXT_PROTO_BAD ||
        (event == TN_TEXT_PROTO_OPEN && !tn_text_proto_skip(text)))
      return false;
    if (event != TN_TEXT_PROTO_VALUE || !tn_text_proto_is(text, "dim"))
      continue;
    set_number(model, text, &dim);
    g_array_append_val(model->dims, dim);
  }
  desc->rank = model->dims->len - desc->first_dim;
  return true;
}

/* Whoever wants an attribute: a tensor, an op, the model. */
typedef void (*TakeAttribute)(TnGeModel *model,
                              gpointer to,
                              const char *key,
                              const TnGeValue *value);

static bool
hand_on_attribute(TnGeModel *model, TnTextProto *text, TakeAttribute take, gpointer to)
{
  g_autofree char *key = NULL;
  TnGeValue value = {g_array_new(FALSE, FALSE, sizeof(int64_t)), NULL};
  bool is_good = read_attribute(model, text, &key, &value);
  if (is_good && key)
    take(model, to, key, &value);
  tn_ge_value_reset(&value);
  g_array_unref(value.numbers);
  return is_good;
}

static void
take_for_desc(TnGeModel *model, gpointer to, const char *key, const TnGeValue *value)
{
  if (strcmp(key, "_parent_node_index") == 0 && value->numbers->len)
    ((TnGeDesc *)to)->parent = g_array_index(value->numbers, int64_t, 0);
}

static void
take_for_op(TnGeModel *model, gpointer to, const char *key, const TnGeValue *value)
{
  tn_ge_op_set(model, to, key, value);
}

static void
take_for_model(TnGeModel *model, gpointer to, const char *key, const TnGeValue *value)
{
  if (strcmp(key, "memory_size") == 0 && value->numbers->len)
    model->planned = g_array_index(value->numbers, int64_t, 0);
}

static bool
read_desc(TnGeModel *model, TnTextProto *text, GArray *descs)
{
  TnTextProtoEvent event;
  TnGeDesc spare, *desc = tn_ge_desc(model, descs, descs->len);
  desc = desc ? desc : &spare;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    bool is_good = event == TN_TEXT_PROTO_VALUE;
    if (is_good)
      set_desc(model, text, desc);
    else if (event == TN_TEXT_PROTO_OPEN)
      is_good = tn_text_proto_is(text, "shape") ? read_dims(model, text, desc)
                : tn_text_proto_is(text, "attr")
                    ? hand_on_attribute(model, text, take_for_desc, desc)
                    : tn_text_proto_skip(text);
    if (!is_good)
      return false;
  }
  return true;
}

static void
set_op_text(TnGeModel *model, const TnTextProto *text, TnGeOp *op)
{
  g_autofree char *word = tn_text_proto_dup_string(text);
  TnStrings *strings = model->document->strings;
  if (tn_text_proto_is(text, "name"))
    op->name = tn_strings_intern(strings, word, -1);
  else if (tn_text_proto_is(text, "type"))
    op->type = tn_strings_intern(strings, word, -1);
  else if (tn_text_proto_is(text, "input"))
    tn_ge_op_add_source(model, op, word);
  else if (tn_text_proto_is(text, "subgraph_name")) {
    uint32_t body = tn_strings_intern(strings, word, -1);
    op->bodies = op->bodies ? op->bodies : g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(op->bodies, body);
  }
}

static void
set_op(TnGeModel *model, const TnTextProto *text, TnGeOp *op)
{
  static const struct {
    const char *name;
    TnGeList list;
  } lists[] = {{"output_i", TN_GE_OUTPUT_OFFSET},
               {"workspace", TN_GE_WORKSPACE},
               {"workspace_bytes", TN_GE_WORKSPACE_BYTES}};
  if (tn_text_proto_is(text, "id"))
    set_number(model, text, &op->id);
  else if (tn_text_proto_is(text, "stream_id"))
    set_number(model, text, &op->stream);
  else if (text->is_string)
    set_op_text(model, text, op);
  for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
    int64_t number = -1;
    if (!tn_text_proto_is(text, lists[i].name))
      continue;
    set_number(model, text, &number);
    tn_ge_op_append(op, lists[i].list, number);
  }
}

static bool
read_op(TnGeModel *model, TnTextProto *text)
{
  TnTextProtoEvent event;
  TnGeOp *op = tn_ge_model_add(model, text);
  if (!op)
    return false;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    bool is_good = event == TN_TEXT_PROTO_VALUE;
    if (is_good)
      set_op(model, text, op);
    else if (event == TN_TEXT_PROTO_OPEN)
      is_good = tn_text_proto_is(text, "attr") ? hand_on_attribute(model, text, take_for_op, op)
                : tn_text_proto_is(text, "output_desc") ? read_desc(model, text, op->outputs)
                : tn_text_proto_is(text, "input_desc")  ? read_desc(model, text, op->inputs)
                                                        : tn_text_proto_skip(text);
    if (!is_good)
      return false;
  }
  return true;
}

static bool
read_graph(TnGeModel *model, TnTextProto *text)
{
  TnTextProtoEvent event;
  guint first = model->ops->len;
  uint32_t name = 0;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_CLOSE) {
    if (event == TN_TEXT_PROTO_END || event == TN_TEXT_PROTO_BAD)
      return false;
    if (event == TN_TEXT_PROTO_VALUE && tn_text_proto_is(text, "name")) {
      g_autofree char *word = tn_text_proto_dup_string(text);
      name = tn_strings_intern(model->document->strings, word, -1);
    }
    if (event == TN_TEXT_PROTO_OPEN &&
        !(tn_text_proto_is(text, "op") ? read_op(model, text) : tn_text_proto_skip(text)))
      return false;
  }
  model->name = model->name ? model->name : name;
  for (guint i = first; i < model->ops->len; i++)
    ((TnGeOp *)g_ptr_array_index(model->ops, i))->graph = name;
  return true;
}

bool
tn_ge_read_proto(TnGeModel *model, TnTextProto *text)
{
  TnTextProtoEvent event;
  while ((event = tn_text_proto_next(text)) != TN_TEXT_PROTO_END) {
    bool is_good = event == TN_TEXT_PROTO_VALUE;
    if (event == TN_TEXT_PROTO_OPEN)
      is_good = tn_text_proto_is(text, "graph") ? read_graph(model, text)
                : tn_text_proto_is(text, "attr")
                    ? hand_on_attribute(model, text, take_for_model, NULL)
                    : tn_text_proto_skip(text);
    if (!is_good)
      return false;
  }
  return true;
}

/* ---- the reader
 * -------------------------------------------------------------------------------------- */

static bool
has_word(const uint8_t *data, gsize size, const char *word)
{
  return memmem(data, size, word, strlen(word)) != NULL;
}

static bool
is_onnx(const uint8_t *data, gsize size)
{
  gsize head = MIN(size, (gsize)4096);
  return has_word(data, head, "producer_name: \"GE\"") || has_word(data, head, "op_type: \"ge:");
}

/* A word of GE's that TensorFlow's and Caffe's text graphs lack stands in the first of its ops. */
static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize head = MIN(size, (gsize)65536);
  if (size == 0 || memchr(data, 0, MIN(head, (gsize)4096)))
    return 0;
  if (is_onnx(data, size))
    return 90;
  return has_word(data, head, "graph {") && has_word(data, head, "op {") &&
                 (has_word(data, head, "output_desc {") || has_word(data, head, "stream_id: ") ||
                  has_word(data, head, "output_i: "))
             ? 88
             : 0;
}

static bool
fail_stopped(const TnSource *source, GError **error)
{
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED, "%s: stopped", source->name);
  return false;
}

static bool
fail(const TnSource *source, const TnTextProto *text, GError **error)
{
  bool is_cut = text->at == text->end;
  g_set_error(error, TN_DATA_ERROR, is_cut ? TN_DATA_ERROR_TRUNCATED : TN_DATA_ERROR_MALFORMED,
              "%s:%u: found %s; expected %s", source->name, text->line, text->found,
              text->expected);
  return false;
}

static bool
has_ops(const TnSource *source, const TnGeModel *model, GError **error)
{
  if (model->ops->len)
    return true;
  g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
              "%s: found text protobuf without an op; expected GE's graph with its ops",
              source->name);
  return false;
}

static bool
read_dump(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  TnTextProto text;
  TnGeModel model = {.document = document,
                     .ops = g_ptr_array_new_with_free_func(free_op),
                     .dims = g_array_new(FALSE, FALSE, sizeof(int64_t)),
                     .planned = TN_BYTES_UNKNOWN,
                     .most_descs = LEAST_DESCS + source->size / BYTES_PER_DESC,
                     .progress = options->progress,
                     .start = source->data};
  tn_text_proto_init(&text, source->data, source->size);
  bool is_whole = is_onnx(source->data, source->size) ? tn_ge_read_onnx(&model, &text)
                                                      : tn_ge_read_proto(&model, &text);
  bool is_partial = !is_whole && text.at == text.end && options->is_partial_wanted;
  bool is_good = is_whole || is_partial ||
                 (model.is_stopped ? fail_stopped(source, error) : fail(source, &text, error));
  is_good = is_good && has_ops(source, &model, error);
  if (is_good) {
    if (is_partial)
      tn_diagnostics_add(document->diagnostics, "truncated", 1,
                         "%s: the text ends inside a message: what stands before it was read",
                         source->name);
    is_good = tn_ge_build(&model) || fail_stopped(source, error);
  }
  if (is_good)
    tn_progress_report(options->progress, 1.0, "Done");
  g_ptr_array_unref(model.ops);
  g_array_unref(model.dims);
  return is_good;
}

const TnReader tn_reader_ge_graph = {
    .name = "ge-graph",
    .holds = "a graph of Ascend's GE with its plan: ge_proto_*.txt, ge_onnx_*.pbtxt",
    .patterns = "ge_proto_*.txt;ge_onnx_*.pbtxt",
    .sniff = sniff,
    .read = read_dump,
    .keeps_cut = true,
};
