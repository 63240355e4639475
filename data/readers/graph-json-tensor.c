/* SPDX-License-Identifier: MIT */
/* Tensors of a tenure-graph document. */
#include "config.h"

#include "data/dtype.h"
#include "data/readers/graph-json-reader.h"

#include <string.h>

static bool
read_shape(TnGraphJsonReader *reader, const cJSON *object, const char *place, uint32_t row)
{
  const cJSON *shape = tn_graph_json_get_array(&reader->json, object, place, "shape"), *dim;
  if (!shape)
    return !reader->json.has_failed;
  g_autoptr(GArray) dims = g_array_new(FALSE, FALSE, sizeof(int64_t));
  cJSON_ArrayForEach(dim, shape)
  {
    g_autofree char *full = g_strdup_printf("%s.shape[%u]", place, dims->len);
    int64_t value = -1;
    if (!cJSON_IsString(dim) && !cJSON_IsNull(dim) &&
        !tn_graph_json_int(&reader->json, dim, full, -1, G_MAXINT64, &value))
      return false;
    g_array_append_val(dims, value);
  }
  tn_graph_set_shape(reader->graph, row, (int64_t *)(void *)dims->data, dims->len);
  return true;
}

/* What shape and type say; true with -1 where they say nothing. */
static bool
computed_size(TnGraphJsonReader *reader, const TnTensor *tensor, TnDtype dtype, const char *place,
              tn_bytes *out_bytes)
{
  int64_t elements;
  *out_bytes = TN_BYTES_UNKNOWN;
  if (tensor->rank == TN_NONE || tn_dtype_bits(dtype) == 0)
    return true;
  const int64_t *dims = tn_graph_dims(reader->graph, tensor);
  for (uint32_t i = 0; i < tensor->rank; i++)
    if (dims[i] < 0)
      return true;
  if (tn_dims_product(dims, tensor->rank, &elements) && tn_dtype_size(dtype, elements, out_bytes))
    return true;
  return tn_graph_json_fail(&reader->json, place, "a shape of more than 2^63 bytes",
                      "dimensions whose product fits into 64 bits");
}

static bool
read_size(TnGraphJsonReader *reader, const cJSON *object, const char *place, uint32_t row)
{
  TnTensor *tensor = tn_graph_tensor(reader->graph, row);
  const char *name = tn_graph_json_get_text(&reader->json, object, place, "dtype", "");
  TnDtype dtype = tn_dtype_from_name(name);
  tn_bytes computed;
  if (*name && dtype == TN_DTYPE_UNKNOWN)
    tn_diagnostics_add(reader->document->diagnostics, "unknown-dtype", 1,
                       "%s.dtype '%s' is not known; the sizes of such tensors are unknown unless "
                       "`bytes` says them",
                       place, name);
  tensor->dtype = tn_strings_intern(reader->document->strings, name, -1);
  if (!tn_graph_json_get_int(&reader->json, object, place, "bytes", 0, G_MAXINT64, &tensor->bytes) ||
      !computed_size(reader, tensor, dtype, place, &computed))
    return false;
  if (tensor->bytes == TN_BYTES_UNKNOWN)
    tensor->bytes = computed;
  if (computed == TN_BYTES_UNKNOWN || computed == tensor->bytes)
    return true;
  g_autofree char *found = g_strdup_printf("%" G_GINT64_FORMAT " bytes", tensor->bytes);
  return tn_graph_json_fail(&reader->json, place, found,
                      "%" G_GINT64_FORMAT " bytes, which its shape and dtype give", computed);
}

static const char *const kind_names[] = {"activation", "input", "output", "constant", "variable"};

static bool
read_kind(TnGraphJsonReader *reader, const cJSON *object, const char *place, TnTensor *tensor)
{
  const char *kind = tn_graph_json_get_text(&reader->json, object, place, "kind", NULL);
  if (!kind) {
    tensor->kind = TN_GRAPH_JSON_NO_KIND;
    return !reader->json.has_failed;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(kind_names); i++)
    if (strcmp(kind, kind_names[i]) == 0) {
      tensor->kind = (uint8_t)i;
      return true;
    }
  g_autofree char *found = g_strdup_printf("kind '%.40s'", kind);
  return tn_graph_json_fail(&reader->json, place, found,
                      "input, activation, output, constant or variable");
}

bool
tn_graph_json_read_tensor(TnGraphJsonReader *reader, const cJSON *object, uint32_t index)
{
  g_autofree char *place = g_strdup_printf("tensors[%u]", index);
  int64_t id = index;
  if (!cJSON_IsObject(object))
    return tn_graph_json_fail(&reader->json, place, "no object", "an object for each tensor");
  if (!tn_graph_json_get_int(&reader->json, object, place, "id", G_MININT64, G_MAXINT64, &id))
    return false;
  const char *name = tn_graph_json_get_text(&reader->json, object, place, "name", "");
  uint32_t row = tn_graph_add_tensor(
      reader->graph, tn_strings_intern(reader->document->strings, name, -1), TN_TENSOR_ACTIVATION);
  TnTensor *tensor = tn_graph_tensor(reader->graph, row);
  tensor->file_id = id;
  return tn_graph_json_add_id(reader, reader->tensors, id, row, place) &&
         tn_graph_json_get_int(&reader->json, object, place, "alignment", 0, 1 << 30,
                         &tensor->alignment) &&
         read_shape(reader, object, place, row) && read_size(reader, object, place, row) &&
         read_kind(reader, object, place, tensor) && !reader->json.has_failed;
}

/* One level: what holds others is held by nobody. */
static bool
check_inside(TnGraphJsonReader *reader, uint32_t row)
{
  const TnTensor *tensor = tn_graph_tensor(reader->graph, row);
  g_autofree char *place = g_strdup_printf("tensors[%u].inside", row);
  if (tensor->inside == TN_NONE)
    return true;
  const TnTensor *container = tn_graph_tensor(reader->graph, tensor->inside);
  if (container == tensor || container->inside != TN_NONE)
    return tn_graph_json_fail(&reader->json, place, "a tensor that lies inside another itself",
                              "one that has memory of its own");
  if (tensor->bytes > container->bytes && container->bytes >= 0)
    return tn_graph_json_fail(&reader->json, place, "a smaller tensor",
                              "one of at least %" G_GINT64_FORMAT " bytes", tensor->bytes);
  return true;
}

bool
tn_graph_json_read_inside(TnGraphJsonReader *reader, const cJSON *tensors)
{
  const cJSON *object;
  uint32_t row = 0;
  cJSON_ArrayForEach(object, tensors)
  {
    const cJSON *inside = cJSON_GetObjectItemCaseSensitive(object, "inside");
    g_autofree char *place = g_strdup_printf("tensors[%u].inside", row);
    TnTensor *tensor = tn_graph_tensor(reader->graph, row++);
    if (inside && !tn_graph_json_find_id(reader, reader->tensors, inside, place, &tensor->inside))
      return false;
  }
  for (uint32_t i = 0; i < row; i++)
    if (!check_inside(reader, i))
      return false;
  return true;
}
