/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/buffers.h"

#include "data/memory.h"

#include <string.h>

/* The place of a name among names; -1: it is none of them. */
static int
find_name(const char *const *names, unsigned n, const char *name)
{
  for (unsigned i = 0; i < n; i++)
    if (g_strcmp0(name, names[i]) == 0)
      return (int)i;
  return -1;
}

static const char *const kind_names[TN_N_KINDS] = {
    [TN_KIND_UNKNOWN] = "unknown",       [TN_KIND_ALLOCATION] = "allocation",
    [TN_KIND_BEFORE] = "before",         [TN_KIND_ACTIVATION] = "activation",
    [TN_KIND_INPUT] = "input",           [TN_KIND_OUTPUT] = "output",
    [TN_KIND_CONSTANT] = "constant",     [TN_KIND_VARIABLE] = "variable",
    [TN_KIND_WORKSPACE] = "workspace",
};

const char *
tn_kind_name(TnBufferKind kind)
{
  return (unsigned)kind < TN_N_KINDS ? kind_names[kind] : kind_names[0];
}

TnBufferKind
tn_kind_from_name(const char *name)
{
  return (TnBufferKind)MAX(find_name(kind_names, TN_N_KINDS, name), TN_KIND_UNKNOWN);
}

static const char *const flag_names[] = {"fixed",           "no-reuse", "before",      "to-end",
                                         "not-in-segments", "unsized",  "group-padded"};

const char *
tn_flag_name(unsigned bit)
{
  return bit < G_N_ELEMENTS(flag_names) ? flag_names[bit] : NULL;
}

TnBufferFlags
tn_flag_from_name(const char *name)
{
  int bit = find_name(flag_names, G_N_ELEMENTS(flag_names), name);
  return (TnBufferFlags)(bit < 0 ? 0 : 1u << bit);
}

static const char *const trait_names[] = {"nested",    "continuous",   "no-padding",  "zero-copy",
                                          "many-streams", "cleaned",   "data",        "reused-input",
                                          "placed-later", "fixed-address"};

const char *
tn_trait_name(unsigned bit)
{
  return bit < G_N_ELEMENTS(trait_names) ? trait_names[bit] : NULL;
}

TnTraits
tn_trait_from_name(const char *name)
{
  int bit = find_name(trait_names, G_N_ELEMENTS(trait_names), name);
  return (TnTraits)(bit < 0 ? 0 : 1u << bit);
}

/* Each optional 64-bit or 32-bit column with its flag and default, so that growing, copying and
 * freeing know them from one place. */
typedef struct {
  unsigned flag; /* 0: always present */
  gsize offset, width;
  int64_t fill;
} Column;

#define COLUMN(flag, member, fill)                                                                 \
  {                                                                                                \
    flag, G_STRUCT_OFFSET(TnBuffers, member), sizeof *((TnBuffers *)0)->member, fill               \
  }

static const Column columns[] = {
    COLUMN(0, start, 0),
    COLUMN(0, end, 0),
    COLUMN(0, bytes, 0),
    COLUMN(0, offset, TN_NOT_PLACED),
    COLUMN(0, kind, TN_KIND_UNKNOWN),
    COLUMN(0, flags, 0),
    COLUMN(TN_COLUMN_REQUESTED, requested, 0),
    COLUMN(TN_COLUMN_ALIGNMENT, alignment, 1),
    COLUMN(TN_COLUMN_NAME, name, 0),
    COLUMN(TN_COLUMN_STACK, stack, 0),
    COLUMN(TN_COLUMN_FREE_STACK, free_stack, 0),
    COLUMN(TN_COLUMN_SPACE, space, 0),
    COLUMN(TN_COLUMN_BATCH, batch, 0),
    COLUMN(TN_COLUMN_GROUP, group, 0),
    COLUMN(TN_COLUMN_OP, op, TN_NONE),
    COLUMN(TN_COLUMN_TENSOR, tensor, TN_NONE),
    COLUMN(TN_COLUMN_LAST_USE, last_use, TN_NONE),
    COLUMN(TN_COLUMN_STREAM, stream, TN_NONE),
    COLUMN(TN_COLUMN_TRAITS, traits, 0),
    COLUMN(TN_COLUMN_BLOCK, block, 0),
};

static void **
column_at(TnBuffers *buffers, const Column *column)
{
  return (void **)(void *)((char *)buffers + column->offset);
}

static void
fill_cells(void *cells, const Column *column, uint32_t from, uint32_t to)
{
  for (uint32_t i = from; i < to; i++) {
    if (column->width == 8)
      ((int64_t *)cells)[i] = column->fill;
    else if (column->width == 4)
      ((uint32_t *)cells)[i] = (uint32_t)column->fill;
    else
      ((uint8_t *)cells)[i] = (uint8_t)column->fill;
  }
}

static void
grow(TnBuffers *buffers, uint32_t capacity)
{
  buffers->capacity = capacity;
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++) {
    void **cells = column_at(buffers, &columns[c]);
    if (*cells || !columns[c].flag)
      *cells = g_realloc_n(*cells, buffers->capacity, columns[c].width);
  }
}

void
tn_buffers_reserve(TnBuffers *buffers, uint32_t n)
{
  if (buffers->n || n < 65536)
    return;
  buffers->capacity = n;
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++) {
    void **cells = column_at(buffers, &columns[c]);
    if (!*cells && columns[c].flag)
      continue;
    g_free(*cells);
    *cells = tn_reserve(n, columns[c].width);
  }
}

TnBuffers *
tn_buffers_new(void)
{
  return g_new0(TnBuffers, 1);
}

void
tn_buffers_free(TnBuffers *buffers)
{
  if (!buffers)
    return;
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++)
    g_free(*column_at(buffers, &columns[c]));
  g_free(buffers->gap_first);
  g_free(buffers->gaps);
  g_free(buffers);
}

TnBuffers *
tn_buffers_copy(const TnBuffers *buffers)
{
  TnBuffers *copy = g_new0(TnBuffers, 1);
  copy->n = copy->capacity = buffers->n;
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++)
    *column_at(copy, &columns[c]) =
        g_memdup2(*column_at((TnBuffers *)buffers, &columns[c]), columns[c].width * buffers->n);
  if (buffers->gap_first) {
    copy->gap_first = g_memdup2(buffers->gap_first, sizeof(uint32_t) * (buffers->n + 1));
    copy->gaps = g_memdup2(buffers->gaps, sizeof(TnGap) * buffers->gap_first[buffers->n]);
  }
  return copy;
}

void
tn_buffers_need(TnBuffers *buffers, unsigned wanted)
{
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++) {
    void **cells = column_at(buffers, &columns[c]);
    if (!(columns[c].flag & wanted) || *cells)
      continue;
    *cells = g_malloc_n(MAX(buffers->capacity, 1u), columns[c].width);
    fill_cells(*cells, &columns[c], 0, buffers->n);
    if (columns[c].flag == TN_COLUMN_REQUESTED && buffers->n)
      memcpy(*cells, buffers->bytes, buffers->n * sizeof(tn_bytes));
  }
}

tn_index
tn_buffers_add(TnBuffers *buffers, tn_tick start, tn_tick end, tn_bytes bytes, TnBufferKind kind)
{
  if (buffers->n == buffers->capacity)
    grow(buffers, MAX(buffers->capacity + buffers->capacity / 2, 16u));
  tn_index i = buffers->n++;
  for (gsize c = 6; c < G_N_ELEMENTS(columns); c++) {
    void *cells = *column_at(buffers, &columns[c]);
    if (cells)
      fill_cells(cells, &columns[c], i, i + 1);
  }
  buffers->start[i] = start;
  buffers->end[i] = end;
  buffers->bytes[i] = bytes;
  buffers->offset[i] = TN_NOT_PLACED;
  buffers->kind[i] = (uint8_t)kind;
  buffers->flags[i] = 0;
  if (buffers->requested)
    buffers->requested[i] = bytes;
  return i;
}

/* `place`: of each row of `more`, how many of the `n` old ones stand before it. */
static void
insert_cells(char *cells, const char *more, const Column *column, const uint32_t *place, uint32_t n_more, uint32_t n)
{
  gsize width = column->width;
  for (uint32_t last = n_more; last > 0;) {
    uint32_t first = last - 1; /* rows [first, last) stand together */
    while (first > 0 && place[first - 1] == place[last - 1])
      first--;
    uint32_t at = place[first];
    memmove(cells + (gsize)(at + last) * width, cells + (gsize)at * width, (gsize)(n - at) * width);
    if (more)
      memcpy(cells + (gsize)(at + first) * width, more + first * width, (last - first) * width);
    else
      fill_cells(cells, column, at + first, at + last);
    n = at;
    last = first;
  }
}

void
tn_buffers_insert_sorted(TnBuffers *buffers, const TnBuffers *more)
{
  if (more->n == 0)
    return;
  g_autofree uint32_t *place = g_new(uint32_t, more->n);
  for (uint32_t k = 0, i = 0; k < more->n; k++) {
    while (i < buffers->n && buffers->start[i] < more->start[k])
      i++;
    place[k] = i;
  }
  if (buffers->capacity < buffers->n + more->n)
    grow(buffers, buffers->n + more->n);
  for (gsize c = 0; c < G_N_ELEMENTS(columns); c++) {
    char *cells = *column_at(buffers, &columns[c]);
    const char *from = *column_at((TnBuffers *)more, &columns[c]);
    if (cells)
      insert_cells(cells, from, &columns[c], place, more->n, buffers->n);
  }
  buffers->n += more->n;
}

void
tn_buffers_set_gaps(TnBuffers *buffers, const TnGap *gaps, const tn_index *owner, uint32_t n)
{
  g_free(buffers->gap_first);
  g_free(buffers->gaps);
  buffers->gap_first = NULL;
  buffers->gaps = NULL;
  if (n == 0)
    return;
  buffers->gap_first = g_new0(uint32_t, (gsize)buffers->n + 1);
  buffers->gaps = g_memdup2(gaps, sizeof(TnGap) * n);
  for (uint32_t g = 0; g < n; g++)
    buffers->gap_first[owner[g] + 1]++;
  for (uint32_t i = 0; i < buffers->n; i++)
    buffers->gap_first[i + 1] += buffers->gap_first[i];
}
