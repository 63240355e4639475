/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/readers/memscope.h"

#include "data/hash.h"
#include "data/next-free.h"
#include "data/readers/log-blocks.h"
#include "data/readers/text-scan.h"

#include <string.h>

#define MAX_FRAMES 256

typedef struct {
  int64_t process;
  char *name;
  TnDevice *device;
} Place;

struct TnMemscope {
  TnDocument *document;
  GPtrArray *places;  /* Place *, owned by place_of */
  GHashTable *place_of; /* Place * → itself, by process and name */
  GArray *next; /* uint32_t by ordinal; see next-free.h */
  GHashTable *driver; /* "process address" → Place *, of driver memory that is alive */
  int64_t n_unmatched;
  bool has_other; /* ordinal -1 is taken */
};

static guint
hash_place(gconstpointer key)
{
  const Place *place = key;
  return (guint)tn_mix64((guint64)place->process ^ (guint64)tn_text_hash(place->name) << 32);
}

static gboolean
are_places_equal(gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;
  return x->process == y->process && strcmp(x->name, y->name) == 0;
}

static void
place_free(gpointer data)
{
  g_free(((Place *)data)->name);
  g_free(data);
}

TnMemscope *
tn_memscope_new(TnDocument *document)
{
  TnMemscope *memscope = g_new0(TnMemscope, 1);
  memscope->document = document;
  memscope->places = g_ptr_array_new();
  memscope->place_of = g_hash_table_new_full(hash_place, are_places_equal, place_free, NULL);
  memscope->next = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  memscope->driver = g_hash_table_new_full(tn_text_hash, g_str_equal, g_free, NULL);
  document->kind = TN_DOCUMENT_LOG;
  return memscope;
}

void
tn_memscope_free(TnMemscope *memscope)
{
  if (!memscope)
    return;
  g_ptr_array_unref(memscope->places);
  g_hash_table_unref(memscope->place_of);
  g_array_unref(memscope->next);
  g_hash_table_unref(memscope->driver);
  g_free(memscope);
}

/* ---- devices ----------------------------------------------------------------------------- */

#define MOST_NUMBERED 4096 /* devices by their numbers; behind them what has none */

/* The first free ordinal from `ordinal` on, taken.  What was stepped over is not stepped over again. */
static int32_t
take_ordinal(TnMemscope *memscope, int32_t ordinal)
{
  GArray *next = memscope->next;
  for (uint32_t k = next->len; k <= MAX((uint32_t)ordinal, MOST_NUMBERED + memscope->places->len); k++)
    g_array_append_val(next, k);
  uint32_t *by_ordinal = (uint32_t *)(void *)next->data, at = tn_next_free(by_ordinal, (uint32_t)ordinal);
  by_ordinal[at] = at + 1;
  return (int32_t)at;
}

/* The first process on a device has its number; others the next that are free. */
static Place *
place_of(TnMemscope *memscope, int64_t process, const char *name)
{
  Place wanted = {process, (char *)(uintptr_t)name, NULL}, *had = g_hash_table_lookup(memscope->place_of, &wanted);
  if (had)
    return had;
  int64_t number = -1;
  const char *at = name;
  bool is_numbered = tn_text_number(&at, &number) && number < MOST_NUMBERED;
  bool is_first_other = !is_numbered && !memscope->has_other;
  int32_t ordinal = is_first_other ? -1 : take_ordinal(memscope, is_numbered ? (int32_t)number : MOST_NUMBERED);
  memscope->has_other |= is_first_other;
  Place *place = g_new0(Place, 1);
  place->process = process;
  place->name = g_strdup(name);
  place->device = tn_document_device(memscope->document, ordinal);
  place->device->process = process;
  place->device->number = number >= 0 && number < MOST_NUMBERED ? (int32_t)number : -1;
  g_autofree char *label = g_strdup_printf("device %s, process %" G_GINT64_FORMAT, name, process);
  place->device->name = tn_strings_intern(memscope->document->strings, label, -1);
  g_ptr_array_add(memscope->places, place);
  g_hash_table_add(memscope->place_of, place);
  return place;
}

static void
add(Place *place, const TnMemscopeEvent *event, TnEventAction action)
{
  TnEvents *events = &place->device->events;
  uint32_t row = tn_events_add(events, action, event->address, event->bytes);
  events->time_us[row] = event->ns / 1000;
  events->stack[row] = event->stack;
  events->space[row] = tn_device_space(place->device, 0, 0, 0);
  tn_events_set_name(events, row, event->name);
}

/* The driver's frees name no device, and some come twice. */
static void
add_driver(TnMemscope *memscope, const TnMemscopeEvent *event)
{
  g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_MODIFIER "x",
                                         event->process, event->address);
  Place *place = g_hash_table_lookup(memscope->driver, key);
  if (event->is_alloc) {
    place = place_of(memscope, event->process, event->device);
    add(place, event, TN_EVENT_SEGMENT_ALLOC);
    g_hash_table_insert(memscope->driver, g_steal_pointer(&key), place);
  } else if (place) {
    add(place, event, TN_EVENT_SEGMENT_FREE);
    g_hash_table_remove(memscope->driver, key);
  } else {
    memscope->n_unmatched++;
  }
}

void
tn_memscope_add(TnMemscope *memscope, const TnMemscopeEvent *event)
{
  if (event->is_driver)
    add_driver(memscope, event);
  else
    add(place_of(memscope, event->process, event->device), event,
        event->is_alloc ? TN_EVENT_ALLOC : TN_EVENT_FREE);
}

void
tn_memscope_use(TnMemscope *memscope, const TnMemscopeEvent *event)
{
  add(place_of(memscope, event->process, event->device), event, TN_EVENT_USE);
}

void
tn_memscope_mark(TnMemscope *memscope, const TnMemscopeEvent *event, const char *text)
{
  Place *place = place_of(memscope, event->process, event->device);
  TnMark mark = {.tick = place->device->events.n,
                 .kind = TN_MARK_ANNOTATION,
                 .text = tn_strings_intern(memscope->document->strings, text, -1)};
  g_array_append_val(place->device->marks, mark);
}

/* Without a framework's events the driver's are the buffers themselves. */
static void
promote_driver(TnDevice *device)
{
  TnEvents *events = &device->events;
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_ALLOC || events->action[i] == TN_EVENT_FREE)
      return;
  for (uint32_t i = 0; i < events->n; i++) {
    if (events->action[i] == TN_EVENT_SEGMENT_ALLOC)
      events->action[i] = TN_EVENT_ALLOC;
    else if (events->action[i] == TN_EVENT_SEGMENT_FREE)
      events->action[i] = TN_EVENT_FREE;
  }
}

void
tn_memscope_finish(TnMemscope *memscope)
{
  for (guint i = 0; i < memscope->places->len; i++) {
    Place *place = g_ptr_array_index(memscope->places, i);
    promote_driver(place->device);
    tn_log_fill_segments(place->device);
  }
  if (memscope->n_unmatched)
    tn_diagnostics_add(memscope->document->diagnostics, "unmatched-free", memscope->n_unmatched,
                       "%" G_GINT64_FORMAT " frees of the driver are of memory that is not known, "
                       "or was free already: left out",
                       memscope->n_unmatched);
}

/* ---- msMemScope's rows --------------------------------------------------------------------- */

/* `key:value` or `"key":"value"` in the attributes; old FREE rows have negative sizes. */
static bool
attribute(const char *attributes, const char *key, int64_t *out)
{
  gsize n = strlen(key);
  for (const char *at = strstr(attributes, key); at; at = strstr(at + 1, key)) {
    bool is_whole = at > attributes && strchr("{,\" ", at[-1]);
    const char *value = at + n;
    value += *value == '"';
    if (!is_whole || *value != ':')
      continue;
    value += 1 + strspn(value + 1, " \"");
    value += *value == '-';
    return tn_text_number(&value, out);
  }
  return false;
}

/* "/path/a.py(174): name", one a line, innermost first; C's lines are names whole. */
static uint32_t
intern_stack(TnDocument *document, const char *text)
{
  uint32_t frames[MAX_FRAMES], n = 0;
  while (*text && n < MAX_FRAMES) {
    gsize length = strcspn(text, "\n");
    g_autofree char *line = g_strndup(text, length);
    char *close = strstr(line, "): "), *open = close;
    while (open && open > line && *open != '(')
      open--;
    TnFrame frame = {0};
    if (open && *open == '(' && g_ascii_isdigit(open[1])) {
      frame.file = tn_strings_intern(document->strings, line, open - line);
      frame.line = (int32_t)CLAMP(g_ascii_strtoll(open + 1, NULL, 10), 0, INT32_MAX);
      frame.name = tn_strings_intern(document->strings, close + 3, -1);
    } else {
      frame.name = tn_strings_intern(document->strings, line, -1);
    }
    if (length)
      frames[n++] = tn_stacks_intern_frame(document->stacks, frame);
    text += length + (text[length] != 0);
  }
  return tn_stacks_intern(document->stacks, frames, n);
}

static bool
add_memory_row(TnMemscope *memscope, const TnMemscopeRow *row, TnMemscopeEvent *event)
{
  int64_t bytes = 0;
  const char *at = row->address;
  event->is_alloc = strcmp(row->event, "MALLOC") == 0;
  event->is_driver = strcmp(row->type, "HAL") == 0;
  bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  int64_t decimal = 0;
  if (is_hex ? !tn_text_hex(&at, &event->address) : !tn_text_number(&at, &decimal))
    return false;
  event->address = is_hex ? event->address : (uint64_t)decimal;
  if (!attribute(row->attributes, "size", &bytes) && event->is_alloc)
    return false;
  event->bytes = bytes;
  event->stack =
      intern_stack(memscope->document, row->python_stack[0] ? row->python_stack : row->c_stack);
  if (row->name[0] && strcmp(row->name, "N/A") != 0)
    event->name = tn_strings_intern(memscope->document->strings, row->name, -1);
  tn_memscope_add(memscope, event);
  return true;
}

bool
tn_memscope_add_row(TnMemscope *memscope, const TnMemscopeRow *row)
{
  TnMemscopeEvent event = {.device = row->device, .process = row->process, .ns = row->ns};
  if (strcmp(row->event, "MALLOC") == 0 || strcmp(row->event, "FREE") == 0)
    return add_memory_row(memscope, row, &event);
  if (strcmp(row->event, "MSTX") == 0 && strcmp(row->device, "N/A") != 0) {
    tn_memscope_mark(memscope, &event, row->name);
  } else if (strcmp(row->event, "ACCESS") == 0) {
    const char *at = row->address;
    if (!tn_text_hex(&at, &event.address))
      return false;
    tn_memscope_use(memscope, &event);
  }
  return true;
}
