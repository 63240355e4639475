/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/findings-order.h"

#include "analysis/address-table.h"
#include "analysis/findings-log.h"
#include "data/hash.h"
#include "data/units.h"

#include <string.h>

#define SIZE 48
#define MOST_SHARED 8
#define MOST_NAMED 32
#define MOST_UNRETURNED 8

static const char *
print(char *buffer, tn_bytes bytes)
{
  return tn_print_bytes(buffer, SIZE, bytes, TN_UNITS_IEC);
}

const char *
tn_print_event(char *buffer, gsize size, const TnEvents *events, uint32_t event)
{
  bool has_line = events->line && events->line[event];
  g_snprintf(buffer, size, has_line ? "line %u" : "event %u",
             has_line ? events->line[event] : event);
  return buffer;
}

/* ---- shared-allocator ---------------------------------------------------------------------- */

typedef struct {
  uint32_t name;          /* string id; 0: none */
  uint32_t owner, first;  /* thread and event of the first allocation */
  uint32_t other, second; /* of the first one by another thread; 0: none */
  uint32_t n;             /* allocations by others */
} Users;

typedef struct {
  const TnEvents *events;
  GTree *segments;    /* address → event + 1 of what is held now; NULL: the log has none */
  GHashTable *row_of; /* allocator → row + 1 */
  GArray *rows;       /* Users */
} Sharing;

static int
compare_addresses(gconstpointer a, gconstpointer b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The event that took the segment of this address; TN_NONE: none that is known. */
static uint32_t
segment_of(const Sharing *sharing, const uint64_t *address)
{
  GTreeNode *node = g_tree_upper_bound(sharing->segments, address);
  node = node ? g_tree_node_previous(node) : g_tree_node_last(sharing->segments);
  if (!node)
    return TN_NONE;
  uint32_t event = GPOINTER_TO_UINT(g_tree_node_value(node)) - 1;
  return *address - sharing->events->address[event] < (uint64_t)sharing->events->bytes[event]
             ? event
             : TN_NONE;
}

static Users *
users_of(Sharing *sharing, uint64_t allocator, uint32_t name)
{
  guint row = GPOINTER_TO_UINT(g_hash_table_lookup(sharing->row_of, &allocator));
  if (!row) {
    Users fresh = {.name = name};
    g_array_append_val(sharing->rows, fresh);
    row = sharing->rows->len;
    g_hash_table_insert(sharing->row_of, g_memdup2(&allocator, sizeof allocator),
                        GUINT_TO_POINTER(row));
  }
  return &g_array_index(sharing->rows, Users, row - 1);
}

/* An allocator is what its pool's lines name, else its segment; in a log without segments a space.
 */
static Users *
find_users(Sharing *sharing, const TnDevice *device, uint32_t event)
{
  const TnEvents *events = sharing->events;
  uint32_t space = events->space[event];
  if (!sharing->segments)
    return users_of(sharing, space, g_array_index(device->spaces, TnSpace, space).name);
  uint32_t segment = segment_of(sharing, &events->address[event]);
  if (segment == TN_NONE)
    return NULL;
  uint32_t name = events->name ? events->name[segment] : 0;
  return users_of(sharing, name ? (uint64_t)name << 32 : segment, name);
}

static void
count_thread(Sharing *sharing, const TnDevice *device, uint32_t event)
{
  uint32_t thread = sharing->events->thread[event];
  Users *users = thread ? find_users(sharing, device, event) : NULL;
  if (!users)
    return;
  if (!users->owner) {
    users->owner = thread;
    users->first = event;
  } else if (users->owner != thread) {
    if (users->n++ == 0) {
      users->other = thread;
      users->second = event;
    }
  }
}

static bool
has_segments(const TnEvents *events)
{
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_SEGMENT_ALLOC)
      return true;
  return false;
}

static void
walk_sharing(Sharing *sharing, const TnDevice *device)
{
  const TnEvents *events = sharing->events;
  for (uint32_t i = 0; i < events->n; i++) {
    if (events->action[i] == TN_EVENT_ALLOC)
      count_thread(sharing, device, i);
    else if (events->action[i] == TN_EVENT_SEGMENT_ALLOC)
      g_tree_replace(sharing->segments, &events->address[i], GUINT_TO_POINTER(i + 1));
    else if (events->action[i] == TN_EVENT_SEGMENT_FREE && sharing->segments)
      g_tree_remove(sharing->segments, &events->address[i]);
  }
}

static void
report_sharing(const TnStudy *study, const Users *users, TnFindings *findings)
{
  const TnStrings *strings = study->document->strings;
  const TnEvents *events = &study->device->events;
  char first[SIZE], second[SIZE], count[SIZE];
  TnFinding *finding = tn_findings_add(
      findings, "shared-allocator", TN_SEVERITY_NOTE,
      "%s is for one thread and has no lock, but thread %s takes from it (first in %s) and so does "
      "thread %s (from %s on; %s allocation%s by others than the first)",
      users->name ? tn_strings_get(strings, users->name) : "The allocator",
      tn_strings_get(strings, users->owner), tn_print_event(first, SIZE, events, users->first),
      tn_strings_get(strings, users->other), tn_print_event(second, SIZE, events, users->second),
      tn_print_count(count, sizeof count, users->n), users->n == 1 ? "" : "s");
  finding->hint = g_strdup("Give each thread an allocator of its own, or let one thread allocate "
                           "for all: two at once may be given the same block.");
  finding->at = users->second;
}

void
tn_find_shared_allocators(const TnStudy *study, TnFindings *findings)
{
  const TnEvents *events = &study->device->events;
  guint n = 0;
  if (!study->device->is_single_threaded || !events->thread)
    return;
  Sharing sharing = {.events = events,
                     .segments = has_segments(events) ? g_tree_new(compare_addresses) : NULL,
                     .row_of = g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL),
                     .rows = g_array_new(FALSE, FALSE, sizeof(Users))};
  walk_sharing(&sharing, study->device);
  for (guint i = 0; i < sharing.rows->len && n < MOST_SHARED; i++) {
    const Users *users = &g_array_index(sharing.rows, Users, i);
    if (users->n > 0) {
      report_sharing(study, users, findings);
      n++;
    }
  }
  g_clear_pointer(&sharing.segments, g_tree_unref);
  g_hash_table_unref(sharing.row_of);
  g_array_unref(sharing.rows);
}

/* ---- pending-free -------------------------------------------------------------------------- */

typedef struct {
  uint32_t n;
  tn_bytes sum, now, most;
  tn_tick most_at;
  uint32_t longest, longest_from; /* events, and the event of that free */
  tn_tick *end;                   /* by buffer: where the program freed it */
} Pending;

static bool
is_freed_at_once(const TnEvents *events, uint32_t request)
{
  return request + 1 < events->n && events->action[request + 1] == TN_EVENT_FREE &&
         events->address[request + 1] == events->address[request];
}

static void
end_pending(Pending *pending, const TnBuffers *b, uint32_t row, uint32_t request, uint32_t event)
{
  pending->now -= b->bytes[row];
  pending->sum += b->bytes[row];
  pending->n++;
  pending->end[row] = MAX((tn_tick)request, b->start[row] + 1);
  if (event - request > pending->longest) {
    pending->longest = event - request;
    pending->longest_from = request;
  }
}

/* An address is taken anew though its last free never came: nothing is known of its end. */
static void
forget_pending(
    Pending *pending, const TnBuffers *b, TnAddressTable *since, uint32_t row, uint64_t address)
{
  if (row != TN_NONE && tn_address_table_take(since, address) != TN_NONE)
    pending->now -= b->bytes[row];
}

static void
begin_pending(
    Pending *pending, TnAddressTable *since, tn_bytes bytes, uint32_t event, uint64_t address)
{
  if (tn_address_table_get(since, address) != TN_NONE)
    return;
  tn_address_table_put(since, address, event);
  pending->now += bytes;
  if (pending->now > pending->most) {
    pending->most = pending->now;
    pending->most_at = event;
  }
}

/* The buffer that stands at each address is followed by the table's own lives.  Where an alloc was lost, a life
 * begins with the free of the one before it, and is there behind that. */
static void
walk_pending(const TnStudy *study, Pending *pending, GArray *rows)
{
  const TnEvents *events = &study->device->events;
  const TnBuffers *b = study->buffers;
  TnAddressTable live, since;
  uint32_t next = 0;
  tn_address_table_init(&live);
  tn_address_table_init(&since);
  for (uint32_t i = 0; i < events->n; i++) {
    uint64_t address = events->address[i];
    if (events->action[i] == TN_EVENT_ALLOC)
      forget_pending(pending, b, &since, tn_address_table_get(&live, address), address);
    tn_tick begun = (tn_tick)i - (i > 0 && events->action[i] == TN_EVENT_FREE);
    for (; next < b->n && b->start[next] <= begun; next++)
      tn_address_table_put(&live, (uint64_t)b->offset[next], next);
    uint32_t row = tn_address_table_get(&live, address);
    if (row == TN_NONE)
      continue;
    if (events->action[i] == TN_EVENT_FREE_REQUESTED && !is_freed_at_once(events, i)) {
      begin_pending(pending, &since, b->bytes[row], i, address);
    } else if (events->action[i] == TN_EVENT_FREE) {
      uint32_t request = tn_address_table_take(&since, address);
      tn_address_table_take(&live, address);
      if (request != TN_NONE) {
        end_pending(pending, b, row, request, i);
        if (rows->len < MOST_NAMED)
          g_array_append_val(rows, row);
      }
    }
  }
  tn_address_table_clear(&live);
  tn_address_table_clear(&since);
}

/* Most logs have none, and need no table of what is live. */
static bool
has_pending(const TnEvents *events)
{
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_FREE_REQUESTED && !is_freed_at_once(events, i))
      return true;
  return false;
}

void
tn_find_pending_frees(const TnStudy *study, TnFindings *findings)
{
  const TnBuffers *b = study->buffers;
  char sum[SIZE], most[SIZE], at[SIZE], from[SIZE];
  Pending pending = {.end = g_memdup2(b->end, sizeof *b->end * MAX(b->n, 1u))};
  g_autofree tn_tick *end = pending.end;
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  const TnEvents *events = &study->device->events;
  if (has_pending(events))
    walk_pending(study, &pending, rows);
  if (pending.n == 0)
    return;
  TnFinding *finding = tn_findings_add(
      findings, "pending-free", TN_SEVERITY_NOTE,
      "%u buffer%s (%s) %s freed before the streams that use %s were synchronised, and stayed "
      "taken "
      "until then: at most %s at once (%s), the longest for %u events (from %s)",
      pending.n, pending.n == 1 ? "" : "s", print(sum, pending.sum),
      pending.n == 1 ? "was" : "were", pending.n == 1 ? "it" : "them", print(most, pending.most),
      tn_print_event(at, SIZE, events, (uint32_t)pending.most_at), pending.longest,
      tn_print_event(from, SIZE, events, pending.longest_from));
  finding->hint =
      g_strdup("Free after the other stream's work is known to be done, or let the stream "
               "that used it last free it.");
  finding->at = pending.most_at;
  finding->bytes = pending.most;
  finding->saving_bytes = study->live->peak - tn_peak_with_ends(study, end);
  for (guint i = 0; i < rows->len; i++)
    tn_finding_add_buffer(finding, g_array_index(rows, uint32_t, i));
}

/* ---- not-finalized ------------------------------------------------------------------------- */

/* Of a space. */
typedef struct {
  tn_bytes bytes; /* alive at the log's end */
  tn_tick first;  /* event of its first allocation; -1: none */
  uint32_t n;     /* buffers alive at the log's end */
  bool is_ended;
} Left;

static void
sum_left(const TnStudy *study, Left *left, guint n_spaces)
{
  const TnBuffers *b = study->buffers;
  for (guint space = 0; space < n_spaces; space++)
    left[space].first = -1;
  for (uint32_t i = 0; i < b->n; i++) {
    if (tn_buffers_space(b, i) >= n_spaces)
      continue;
    Left *row = &left[tn_buffers_space(b, i)];
    row->first = row->first < 0 ? b->start[i] : row->first;
    if (b->flags[i] & TN_BUFFER_TO_END) {
      row->bytes += b->bytes[i];
      row->n++;
    }
  }
}

static char *
dup_space_name(const TnStudy *study, uint32_t space)
{
  const TnSpace *row = &g_array_index(study->device->spaces, TnSpace, space);
  const char *name = tn_strings_get(study->document->strings, row->name);
  return name[0] ? g_strdup_printf("pool %s, stream %" G_GUINT64_FORMAT, name, row->stream)
                 : g_strdup_printf("stream %" G_GUINT64_FORMAT, row->stream);
}

static void
report_unfinished_space(const TnStudy *study, uint32_t space, const Left *left, uint32_t ended,
                        TnFindings *findings)
{
  char size[SIZE], place[SIZE], other[SIZE];
  g_autofree char *name = dup_space_name(study, space);
  TnFinding *finding = tn_findings_add(
      findings, "not-finalized", TN_SEVERITY_NOTE,
      "The allocator of %s, first used in %s, is never finalised, as others are (%s); %u buffer%s "
      "(%s) %s alive in it at the end",
      name, tn_print_event(place, SIZE, &study->device->events, (uint32_t)left->first),
      tn_print_event(other, SIZE, &study->device->events, ended), left->n, left->n == 1 ? "" : "s",
      print(size, left->bytes), left->n == 1 ? "is" : "are");
  finding->hint = g_strdup("Finalise it before the runtime unloads; what it holds is given back no "
                           "sooner.");
  finding->at = left->first;
  finding->bytes = left->bytes;
}

/* In a log in which allocators end, those that do not. */
static void
find_unfinished_spaces(const TnStudy *study, TnFindings *findings)
{
  const TnEvents *events = &study->device->events;
  guint n_spaces = study->device->spaces->len;
  g_autofree Left *left = g_new0(Left, n_spaces + 1);
  uint32_t ended = TN_NONE;
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_FINALIZE) {
      left[events->space[i]].is_ended = true;
      ended = ended == TN_NONE ? i : ended;
    }
  if (ended == TN_NONE)
    return;
  sum_left(study, left, n_spaces);
  for (guint space = 0; space < n_spaces; space++)
    if (!left[space].is_ended && left[space].first >= 0)
      report_unfinished_space(study, space, &left[space], ended, findings);
}

typedef struct {
  uint32_t name, n, first; /* string id, pieces of its pool, the event of the first */
  tn_bytes bytes;
} Unreturned;

static void
report_unreturned(const TnStudy *study, const Unreturned *rest, TnFindings *findings)
{
  char size[SIZE], place[SIZE];
  TnFinding *finding = tn_findings_add(
      findings, "not-finalized", TN_SEVERITY_NOTE,
      "%s is never finalised: %u piece%s of its pool (%s) %s not given back when the process ends "
      "(line %u), the first from %s",
      rest->name ? tn_strings_get(study->document->strings, rest->name) : "An allocator", rest->n,
      rest->n == 1 ? "" : "s", print(size, rest->bytes), rest->n == 1 ? "is" : "are",
      study->device->end_line, tn_print_event(place, SIZE, &study->device->events, rest->first));
  finding->hint = g_strdup("Finalise all allocators before the runtime unloads.");
  finding->at = rest->first;
  finding->bytes = rest->bytes;
}

static void
add_unreturned(const TnEvents *events, GArray *rests, uint32_t event)
{
  uint32_t name = events->name ? events->name[event] : 0;
  guint row = 0;
  while (row < rests->len && g_array_index(rests, Unreturned, row).name != name)
    row++;
  if (row == rests->len) {
    Unreturned fresh = {.name = name, .first = event};
    if (row == MOST_UNRETURNED)
      return;
    g_array_append_val(rests, fresh);
  }
  g_array_index(rests, Unreturned, row).n++;
  g_array_index(rests, Unreturned, row).bytes += events->bytes[event];
}

/* Where the log goes on to the process's end: what the pools had not given back by then. */
static void
find_unreturned(const TnStudy *study, TnFindings *findings)
{
  const TnEvents *events = &study->device->events;
  if (!study->device->end_line)
    return;
  TnAddressTable held;
  g_autoptr(GArray) rests = g_array_new(FALSE, FALSE, sizeof(Unreturned));
  tn_address_table_init(&held);
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_SEGMENT_ALLOC)
      tn_address_table_put(&held, events->address[i], i);
    else if (events->action[i] == TN_EVENT_SEGMENT_FREE)
      tn_address_table_take(&held, events->address[i]);
  for (uint32_t i = 0; i < events->n; i++)
    if (events->action[i] == TN_EVENT_SEGMENT_ALLOC &&
        tn_address_table_get(&held, events->address[i]) == i)
      add_unreturned(events, rests, i);
  tn_address_table_clear(&held);
  for (guint i = 0; i < rests->len; i++)
    report_unreturned(study, &g_array_index(rests, Unreturned, i), findings);
}

void
tn_find_unfinished_allocators(const TnStudy *study, TnFindings *findings)
{
  find_unfinished_spaces(study, findings);
  find_unreturned(study, findings);
}
