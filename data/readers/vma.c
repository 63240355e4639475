/* SPDX-License-Identifier: MIT */
/* The JSON dump of Vulkan's and D3D12's Memory Allocator: blocks of memory types with all that lies
 * in them, at one moment.  Offsets are within a block; here blocks stand one after another. */
#include "config.h"

#include "data/json.h"
#include "data/readers/readers.h"

#include <string.h>

#define BLOCK_GAP ((tn_bytes)1 << 20) /* so that neighbours are seen to be apart */

typedef struct {
  TnJson json;
  TnDocument *document;
  TnDevice *device;
  tn_bytes next; /* where the next block stands */
  GString *pool;
  uint32_t pool_name; /* its string id */
  int64_t n_damaged;
} Reader;

typedef struct {
  int64_t offset, bytes;
  bool is_free;
  uint32_t type, name; /* string ids */
} Part;

/* ---- parts and blocks ------------------------------------------------------------------------ */

static bool
read_part(Reader *reader, Part *part)
{
  const char *key, *text;
  *part = (Part){.offset = 0, .bytes = -1};
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    if (strcmp(key, "Offset") == 0)
      tn_json_read_int(&reader->json, &part->offset);
    else if (strcmp(key, "Size") == 0)
      tn_json_read_int(&reader->json, &part->bytes);
    else if (strcmp(key, "Type") == 0 && tn_json_read_string(&reader->json, &text)) {
      part->is_free = strcmp(text, "FREE") == 0;
      part->type = tn_strings_intern(reader->document->strings, text, -1);
    } else if (strcmp(key, "Name") == 0 && tn_json_peek(&reader->json) == TN_JSON_STRING) {
      if (tn_json_read_string(&reader->json, &text))
        part->name = tn_strings_intern(reader->document->strings, text, -1);
    } else if (strcmp(key, "Type") != 0) {
      tn_json_skip(&reader->json);
    }
  }
  return !tn_json_has_failed(&reader->json);
}

/* What it is called: its name, its type, its pool. */
static uint32_t
stack_of(Reader *reader, const Part *part)
{
  uint32_t frames[3], n = 0;
  uint32_t names[] = {part->name, part->type, reader->pool_name};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
    if (names[i])
      frames[n++] = tn_stacks_intern_frame(reader->document->stacks, (TnFrame){.name = names[i]});
  return tn_stacks_intern(reader->document->stacks, frames, n);
}

static void
add_segment(Reader *reader, tn_bytes bytes)
{
  TnSegment segment = {
      .address = (uint64_t)reader->next, .bytes = bytes, .space = reader->device->spaces->len - 1};
  g_array_append_val(reader->device->segments, segment);
}

static void
add_block(Reader *reader, const Part *part, tn_bytes block_bytes)
{
  tn_bytes end;
  if (part->offset < 0 || part->bytes <= 0 || !tn_add(part->offset, part->bytes, &end) ||
      end > block_bytes) {
    reader->n_damaged++;
    return;
  }
  TnBlock block = {.address = (uint64_t)(reader->next + part->offset),
                   .bytes = part->bytes,
                   .requested = part->is_free ? TN_BYTES_UNKNOWN : part->bytes,
                   .segment = reader->device->segments->len - 1,
                   .stack = part->is_free ? 0 : stack_of(reader, part),
                   .state = part->is_free ? TN_BLOCK_INACTIVE : TN_BLOCK_ACTIVE};
  g_array_append_val(reader->device->blocks, block);
}

static bool
end_segment(Reader *reader, tn_bytes bytes)
{
  tn_bytes up;
  if (tn_add(reader->next, bytes, &reader->next) &&
      tn_add(reader->next, BLOCK_GAP, &reader->next) && tn_round_up(reader->next, BLOCK_GAP, &up)) {
    reader->next = up;
    return true;
  }
  return tn_json_fail(&reader->json, TN_DATA_ERROR_TOO_LARGE,
                      "found blocks whose sizes pass 64 bits in sum");
}

/* {"TotalBytes": …, "Suballocations": [{"Offset", "Type", "Size", …}, …]}. */
static bool
read_block(Reader *reader)
{
  const char *key;
  int64_t bytes = -1;
  g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(Part));
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    if (strcmp(key, "TotalBytes") == 0) {
      tn_json_read_int(&reader->json, &bytes);
    } else if (strcmp(key, "Suballocations") == 0) {
      Part part;
      tn_json_begin_array(&reader->json);
      while (tn_json_next_item(&reader->json) && read_part(reader, &part))
        g_array_append_val(parts, part);
    } else {
      tn_json_skip(&reader->json);
    }
  }
  if (tn_json_has_failed(&reader->json))
    return false;
  if (bytes <= 0)
    return tn_json_fail(&reader->json, TN_DATA_ERROR_MALFORMED,
                        "found a block that ends here without \"TotalBytes\", expected it");
  add_segment(reader, bytes);
  for (guint i = 0; i < parts->len; i++)
    add_block(reader, &g_array_index(parts, Part, i), bytes);
  return end_segment(reader, bytes);
}

static bool
read_dedicated(Reader *reader)
{
  Part part;
  tn_json_begin_array(&reader->json);
  while (tn_json_next_item(&reader->json) && read_part(reader, &part)) {
    part.offset = 0;
    if (part.bytes <= 0) {
      reader->n_damaged++;
      continue;
    }
    add_segment(reader, part.bytes);
    add_block(reader, &part, part.bytes);
    if (!end_segment(reader, part.bytes))
      return false;
  }
  return !tn_json_has_failed(&reader->json);
}

/* ---- pools ------------------------------------------------------------------------------------
 */

#define MOST_WORD 256u /* of a type's name: each pool's own begins with it */

/* "word, key", which all pools of this type are called. */
static void
name_type(Reader *reader, const char *word, const char *key)
{
  gsize n = strlen(key);
  if (n > MOST_WORD)
    n = (gsize)(g_utf8_find_prev_char(key, key + MOST_WORD + 1) - key);
  g_string_printf(reader->pool, "%s, %.*s", word, (int)n, key);
  reader->pool_name = tn_strings_intern(reader->document->strings, reader->pool->str, -1);
}

/* Behind the type's name; a pool has one name, and the last counts. */
static void
name_pool(Reader *reader, gsize type_length, const char *name)
{
  g_string_truncate(reader->pool, type_length);
  g_string_append_printf(reader->pool, " (%s)", name);
  reader->pool_name = tn_strings_intern(reader->document->strings, reader->pool->str, -1);
}

/* {"Blocks": {"0": …}, "DedicatedAllocations": […]}, whose space has just been begun. */
static bool
read_pool(Reader *reader)
{
  const char *key, *text;
  int64_t number = reader->device->spaces->len;
  uint32_t space = tn_device_space(reader->device, 0, number, 0), type_name = reader->pool_name;
  gsize type_length = reader->pool->len;
  g_array_index(reader->device->spaces, TnSpace, space).name = type_name;
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    if (strcmp(key, "Name") == 0 && tn_json_peek(&reader->json) == TN_JSON_STRING) {
      if (tn_json_read_string(&reader->json, &text) && text[0])
        name_pool(reader, type_length, text);
    } else if (strcmp(key, "Blocks") == 0) {
      tn_json_begin_object(&reader->json);
      while (tn_json_next_key(&reader->json, &key) && read_block(reader))
        ;
    } else if (strcmp(key, "DedicatedAllocations") == 0) {
      read_dedicated(reader);
    } else {
      tn_json_skip(&reader->json);
    }
  }
  g_string_truncate(reader->pool, type_length);
  reader->pool_name = type_name;
  return !tn_json_has_failed(&reader->json);
}

/* {"Type 0": pool} or, of custom pools, {"Type 0": [pool, …]}. */
static bool
read_pools(Reader *reader, const char *word)
{
  const char *key;
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    name_type(reader, word, key);
    if (tn_json_peek(&reader->json) != TN_JSON_ARRAY) {
      read_pool(reader);
      continue;
    }
    tn_json_begin_array(&reader->json);
    while (tn_json_next_item(&reader->json) && read_pool(reader))
      ;
  }
  return !tn_json_has_failed(&reader->json);
}

/* ---- the file ----------------------------------------------------------------------------------
 */

typedef struct {
  int64_t block_bytes, allocation_bytes, n_blocks, n_allocations;
} Total;

static bool
read_total(Reader *reader, Total *total, bool is_outer)
{
  const char *key;
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    int64_t *out = strcmp(key, "BlockBytes") == 0        ? &total->block_bytes
                   : strcmp(key, "AllocationBytes") == 0 ? &total->allocation_bytes
                   : strcmp(key, "BlockCount") == 0      ? &total->n_blocks
                   : strcmp(key, "AllocationCount") == 0 ? &total->n_allocations
                                                         : NULL;
    if (out && tn_json_peek(&reader->json) == TN_JSON_NUMBER)
      tn_json_read_int(&reader->json, out);
    else if (is_outer && strcmp(key, "Stats") == 0)
      read_total(reader, total, false); /* D3D12 puts them one deeper */
    else
      tn_json_skip(&reader->json);
  }
  return !tn_json_has_failed(&reader->json);
}

static bool
read_top(Reader *reader, Total *total)
{
  const char *key;
  tn_json_begin_object(&reader->json);
  while (tn_json_next_key(&reader->json, &key)) {
    if (strcmp(key, "Total") == 0)
      read_total(reader, total, true);
    else if (strcmp(key, "DefaultPools") == 0)
      read_pools(reader, "default pool");
    else if (strcmp(key, "CustomPools") == 0)
      read_pools(reader, "custom pool");
    else
      tn_json_skip(&reader->json);
  }
  return !tn_json_has_failed(&reader->json) && tn_json_expect_end(&reader->json);
}

/* Sizes of a damaged file may pass 64 bits; the study refuses it then. */
static void
finish(Reader *reader, const Total *total)
{
  TnDiagnostics *diagnostics = reader->document->diagnostics;
  tn_bytes used = 0, held = 0;
  for (guint i = 0; i < reader->device->segments->len; i++)
    held = tn_add_saturated(held, g_array_index(reader->device->segments, TnSegment, i).bytes);
  for (guint i = 0; i < reader->device->blocks->len; i++) {
    const TnBlock *block = &g_array_index(reader->device->blocks, TnBlock, i);
    used = tn_add_saturated(used, block->state == TN_BLOCK_ACTIVE ? block->bytes : 0);
  }
  TnAccount *account = tn_account_new("Vulkan/D3D12 Memory Allocator, by its own totals", 0);
  tn_account_set_total(account, total->block_bytes, "blocks");
  tn_account_add(account, "allocations", total->allocation_bytes, NULL);
  tn_account_close(account, "unused ranges of blocks", "more than its blocks", 0);
  g_ptr_array_add(reader->document->accounts, account);
  if (reader->n_damaged)
    tn_diagnostics_add(diagnostics, "damaged-blocks", reader->n_damaged,
                       "%" G_GINT64_FORMAT
                       " allocations have no size or pass their block's end and "
                       "were left out",
                       reader->n_damaged);
  if (total->block_bytes >= 0 && (held != total->block_bytes || used != total->allocation_bytes))
    tn_diagnostics_add(diagnostics, "incomplete-map", 1,
                       "the map holds %" G_GINT64_FORMAT " bytes of %" G_GINT64_FORMAT
                       " allocated: write the dump with its detailed map (vmaBuildStatsString(…, "
                       "VK_TRUE))",
                       used, total->allocation_bytes);
}

static bool
read_vma(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  Total total = {-1, -1, -1, -1};
  Reader reader = {.document = document, .pool = g_string_new(NULL)};
  document->kind = TN_DOCUMENT_LOG;
  document->producer = g_strdup("Vulkan/D3D12 Memory Allocator");
  reader.device = tn_document_device(document, 0);
  reader.device->has_reserved = true;
  tn_json_init(&reader.json, source->name, source->data, source->size, error);
  bool is_good = read_top(&reader, &total);
  tn_json_clear(&reader.json);
  if (is_good)
    finish(&reader, &total);
  g_string_free(reader.pool, TRUE);
  return is_good;
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize n = MIN(size, (gsize)16384), at = tn_text_start(data, n);
  return at < n && data[at] == '{' && memmem(data, n, "\"General\"", 9) &&
                 memmem(data, n, "\"MemoryInfo\"", 12) &&
                 (memmem(data, n, "Vulkan", 6) || memmem(data, n, "Direct3D 12", 11))
             ? 90
             : 0;
}

const TnReader tn_reader_vma = {
    .name = "vma-json",
    .holds = "JSON dump of the Vulkan (VMA) or D3D12 Memory Allocator: a map of one moment",
    .patterns = "*.json",
    .sniff = sniff,
    .read = read_vma,
};
