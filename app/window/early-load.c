/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/early-load.h"

#include "app/window/loader.h"

typedef struct {
  char *path; /* whole */
  GCancellable *cancellable, *of_taker;
  gulong handler;
  GAsyncResult *result; /* NULL: not there yet */
  bool is_taken;
  void (*progress)(double fraction, const char *stage, void *payload);
  void *payload;
  GAsyncReadyCallback callback;
  gpointer user_data;
} EarlyLoad;

static EarlyLoad *present;

static void
free_early(EarlyLoad *early)
{
  if (early->handler)
    g_cancellable_disconnect(early->of_taker, early->handler);
  g_clear_object(&early->of_taker);
  g_clear_object(&early->cancellable);
  g_clear_object(&early->result);
  g_free(early->path);
  g_free(early);
}

static gboolean
hand_over(gpointer data)
{
  EarlyLoad *early = data;
  early->callback(NULL, early->result, early->user_data);
  free_early(early);
  return G_SOURCE_REMOVE;
}

static void
on_progress(double fraction, const char *stage, void *payload)
{
  EarlyLoad *early = payload;
  if (early->progress)
    early->progress(fraction, stage, early->payload);
}

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  EarlyLoad *early = data;
  early->result = g_object_ref(result);
  if (early->is_taken)
    hand_over(early);
  else if (early != present) /* dropped */
    free_early(early);
}

/* NULL where the arguments are not one file's name alone. */
static char *
find_file(int argc, char **argv)
{
  if (argc != 2 || argv[1][0] == '-' || !g_file_test(argv[1], G_FILE_TEST_IS_REGULAR))
    return NULL;
  return g_canonicalize_filename(argv[1], NULL);
}

void
tn_early_load_start(int argc, char **argv)
{
  char *path = find_file(argc, argv);
  if (!path)
    return;
  present = g_new0(EarlyLoad, 1);
  present->path = path;
  present->cancellable = g_cancellable_new();
  tn_load_async(&(TnLoadRequest){.path = path, .device = TN_FIRST_DEVICE}, present->cancellable, on_progress,
                present, ready, present);
}

static void
on_cancelled(GCancellable *of_taker, gpointer cancellable)
{
  g_cancellable_cancel(cancellable);
}

bool
tn_early_load_take(const char *path,
                   GCancellable *cancellable,
                   void (*progress)(double fraction, const char *stage, void *payload),
                   void *payload,
                   GAsyncReadyCallback callback,
                   gpointer user_data)
{
  EarlyLoad *early = present;
  g_autofree char *whole = g_canonicalize_filename(path, NULL);
  if (!early || g_strcmp0(early->path, whole) != 0)
    return false;
  present = NULL;
  early->is_taken = true;
  early->progress = progress;
  early->payload = payload;
  early->callback = callback;
  early->user_data = user_data;
  if (cancellable) {
    early->of_taker = g_object_ref(cancellable);
    early->handler = g_cancellable_connect(cancellable, G_CALLBACK(on_cancelled),
                                           g_object_ref(early->cancellable), g_object_unref);
  }
  if (early->result)
    g_idle_add(hand_over, early);
  return true;
}

void
tn_early_load_drop(void)
{
  EarlyLoad *early = g_steal_pointer(&present);
  if (early && early->result)
    free_early(early);
  else if (early)
    g_cancellable_cancel(early->cancellable);
}
