/* SPDX-License-Identifier: MIT */
/* GLib is not built with the thread sanitizer, which so sees none of its locks, queues and tasks and calls
 * everything that they order a race.  This library, preloaded before a program built with
 * -Db_sanitize=thread, tells it what comes before what:
 *
 *   gcc -shared -fPIC -fsanitize=thread $(pkg-config --cflags gio-2.0) glib-order.c -o libglib-order.so
 *
 * run.sh does that. */
#include <dlfcn.h>
#include <gio/gio.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define REAL(name) ((__typeof__(&name))find(#name))

static void *
find(const char *name)
{
  return dlsym(RTLD_NEXT, name);
}

/* ---- locks ------------------------------------------------------------------------------------- */

void
g_mutex_lock(GMutex *mutex)
{
  REAL(g_mutex_lock)(mutex);
  __tsan_acquire(mutex);
}

gboolean
g_mutex_trylock(GMutex *mutex)
{
  gboolean is_locked = REAL(g_mutex_trylock)(mutex);
  if (is_locked)
    __tsan_acquire(mutex);
  return is_locked;
}

void
g_mutex_unlock(GMutex *mutex)
{
  __tsan_release(mutex);
  REAL(g_mutex_unlock)(mutex);
}

void
g_cond_wait(GCond *cond, GMutex *mutex)
{
  __tsan_release(mutex);
  REAL(g_cond_wait)(cond, mutex);
  __tsan_acquire(mutex);
}

gboolean
g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
  __tsan_release(mutex);
  gboolean is_woken = REAL(g_cond_wait_until)(cond, mutex, end);
  __tsan_acquire(mutex);
  return is_woken;
}

gboolean(g_once_init_enter)(volatile void *location)
{
  gboolean is_first = ((gboolean(*)(volatile void *))find("g_once_init_enter"))(location);
  if (!is_first)
    __tsan_acquire((void *)location);
  return is_first;
}

void(g_once_init_leave)(volatile void *location, gsize value)
{
  __tsan_release((void *)location);
  ((void (*)(volatile void *, gsize))find("g_once_init_leave"))(location, value);
}

gpointer
g_once_impl(GOnce *once, GThreadFunc func, gpointer data)
{
  gpointer value = REAL(g_once_impl)(once, func, data);
  __tsan_release(once);
  __tsan_acquire(once);
  return value;
}

/* ---- references: who lets go last sees what all others did ---------------------------------------- */

void
g_object_unref(gpointer object)
{
  __tsan_release(object);
  __tsan_acquire(object);
  REAL(g_object_unref)(object);
}

void
g_bytes_unref(GBytes *bytes)
{
  if (bytes) {
    __tsan_release(bytes);
    __tsan_acquire(bytes);
  }
  REAL(g_bytes_unref)(bytes);
}

void
g_atomic_rc_box_release_full(gpointer box, GDestroyNotify clear)
{
  __tsan_release(box);
  __tsan_acquire(box);
  REAL(g_atomic_rc_box_release_full)(box, clear);
}

void
g_hash_table_unref(GHashTable *table)
{
  __tsan_release(table);
  __tsan_acquire(table);
  REAL(g_hash_table_unref)(table);
}

/* ---- tasks --------------------------------------------------------------------------------------- */

static void
run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GTaskThreadFunc func = (GTaskThreadFunc)g_object_get_data(G_OBJECT(task), "order-func");
  __tsan_acquire(task);
  func(task, source, data, cancellable);
  __tsan_release(task);
}

void
g_task_run_in_thread(GTask *task, GTaskThreadFunc func)
{
  g_object_set_data(G_OBJECT(task), "order-func", (gpointer)func);
  __tsan_release(task);
  REAL(g_task_run_in_thread)(task, run);
}

void
g_task_return_pointer(GTask *task, gpointer result, GDestroyNotify destroy)
{
  __tsan_release(task);
  REAL(g_task_return_pointer)(task, result, destroy);
}

void
g_task_return_boolean(GTask *task, gboolean result)
{
  __tsan_release(task);
  REAL(g_task_return_boolean)(task, result);
}

void
g_task_return_int(GTask *task, gssize result)
{
  __tsan_release(task);
  REAL(g_task_return_int)(task, result);
}

void
g_task_return_error(GTask *task, GError *error)
{
  __tsan_release(task);
  REAL(g_task_return_error)(task, error);
}

/* ---- pools ---------------------------------------------------------------------------------------- */

typedef struct {
  GFunc func;
  gpointer user_data;
} Pool;

static void
run_pushed(gpointer data, gpointer pool)
{
  const Pool *wrapped = pool;
  __tsan_acquire(data);
  wrapped->func(data, wrapped->user_data);
}

/* Those of the program are never freed, nor is this. */
GThreadPool *
g_thread_pool_new(GFunc func, gpointer user_data, gint most, gboolean is_exclusive, GError **error)
{
  Pool *wrapped = g_new(Pool, 1);
  *wrapped = (Pool){func, user_data};
  return REAL(g_thread_pool_new)(run_pushed, wrapped, most, is_exclusive, error);
}

gboolean
g_thread_pool_push(GThreadPool *pool, gpointer data, GError **error)
{
  __tsan_release(data);
  return REAL(g_thread_pool_push)(pool, data, error);
}

/* More helpers than there are processors meet in more orders: TN_TSAN_PROCESSORS says how many. */
guint
g_get_num_processors(void)
{
  const char *wanted = g_getenv("TN_TSAN_PROCESSORS");
  return wanted ? (guint)MAX(atoi(wanted), 1) : REAL(g_get_num_processors)();
}

/* ---- answers of tasks ----------------------------------------------------------------------------- */

typedef struct {
  GAsyncReadyCallback callback;
  gpointer data;
} Ready;

static void
ready(GObject *source, GAsyncResult *result, gpointer data)
{
  Ready *wrapped = data;
  __tsan_acquire(result);
  if (wrapped->callback)
    wrapped->callback(source, result, wrapped->data);
  g_free(wrapped);
}

GTask *(g_task_new)(gpointer source, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  Ready *wrapped = g_new(Ready, 1);
  *wrapped = (Ready){callback, data};
  return ((GTask * (*)(gpointer, GCancellable *, GAsyncReadyCallback, gpointer)) find("g_task_new"))(
      source, cancellable, callback ? ready : NULL, callback ? wrapped : data);
}

/* ---- the main loop ------------------------------------------------------------------------------- */

typedef struct {
  GSourceFunc func;
  gpointer data;
  GDestroyNotify destroy;
} Turn;

static gboolean
turn(gpointer data)
{
  Turn *wrapped = data;
  __tsan_acquire(wrapped);
  return wrapped->func(wrapped->data);
}

static void
end_turn(gpointer data)
{
  Turn *wrapped = data;
  if (wrapped->destroy)
    wrapped->destroy(wrapped->data);
  g_free(wrapped);
}

guint
g_idle_add_full(gint priority, GSourceFunc func, gpointer data, GDestroyNotify destroy)
{
  Turn *wrapped = g_new(Turn, 1);
  *wrapped = (Turn){func, data, destroy};
  __tsan_release(wrapped);
  return REAL(g_idle_add_full)(priority, turn, wrapped, end_turn);
}

guint
g_idle_add(GSourceFunc func, gpointer data)
{
  return g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, func, data, NULL);
}
