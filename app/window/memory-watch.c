/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/memory-watch.h"

#include "data/error.h"
#include "data/memory.h"
#include "data/units.h"

#include <glib/gi18n.h>

#define EVERY_MS 100

typedef struct {
  TnMemoryWatch *watch;
  GTask *task; /* held, and with it the watch */
} Turn;

static void
free_turn(gpointer data)
{
  Turn *turn = data;
  g_object_unref(turn->task);
  g_free(turn);
}

static gboolean
on_turn(gpointer data)
{
  Turn *turn = data;
  if (g_task_get_completed(turn->task))
    return G_SOURCE_REMOVE;
  if (tn_memory_in_use() <= turn->watch->limit)
    return G_SOURCE_CONTINUE;
  g_atomic_int_set(&turn->watch->is_over, 1);
  g_atomic_int_set(&turn->watch->progress->cancelled, 1);
  return G_SOURCE_REMOVE;
}

void
tn_memory_watch_start(TnMemoryWatch *watch, GTask *task)
{
  Turn *turn = g_new(Turn, 1);
  if (!watch->limit)
    watch->limit = tn_memory_default_limit();
  *turn = (Turn){watch, g_object_ref(task)};
  g_timeout_add_full(G_PRIORITY_HIGH, EVERY_MS, on_turn, turn, free_turn);
}

void
tn_memory_watch_explain(const TnMemoryWatch *watch, const char *name, GError **error)
{
  char size[48];
  if (!g_atomic_int_get(&watch->is_over))
    return;
  g_clear_error(error);
  g_set_error(
      error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
      _("%s: with it the program would need more than %s, three quarters of the machine’s memory"),
      name, tn_print_bytes(size, sizeof size, (tn_bytes)watch->limit, TN_UNITS_IEC));
}
