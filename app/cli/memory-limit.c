/* SPDX-License-Identifier: MIT */
/* The system refuses what passes the limit, and where malloc() gets nothing the program says so and ends:
 * in one place for GLib, cairo, SQLite and the rest, of which some would abort and some go on without. */
#include "config.h"

#include "app/cli/memory-limit.h"

#include "app/cli/cli.h"
#include "data/memory.h"
#include "data/sanitizer.h"
#include "data/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__GLIBC__) && !TN_HAS_SANITIZER
#define HAS_LIMIT 1
#else
#define HAS_LIMIT 0
#endif

#if HAS_LIMIT
static char sentence[256]; /* made beforehand: there will be no memory to make it */

static void
end(void)
{
  if (write(STDERR_FILENO, sentence, strlen(sentence)) < 0)
    _exit(TN_EXIT_INPUT);
  _exit(TN_EXIT_INPUT);
}

/* ---- the program's malloc(): glibc's, but it never fails once there is a limit ------------------ */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static void *
need(void *block)
{
  if (!block && sentence[0])
    end();
  return block;
}

void *
malloc(size_t size)
{
  return need(__libc_malloc(size));
}

void *
calloc(size_t n, size_t size)
{
  return need(__libc_calloc(n, size));
}

void *
realloc(void *block, size_t size)
{
  void *moved = __libc_realloc(block, size);
  return size ? need(moved) : moved;
}

void *
aligned_alloc(size_t alignment, size_t size)
{
  return need(__libc_memalign(alignment, size));
}

int
posix_memalign(void **out, size_t alignment, size_t size)
{
  *out = need(__libc_memalign(alignment, size));
  return *out ? 0 : ENOMEM;
}

/* A thread gets its stack from elsewhere. */
static void
on_error(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (message && strstr(message, "creating thread"))
    end();
  g_log_default_handler(domain, level, message, data);
}
#endif

#if HAS_LIMIT
static gsize limit; /* bytes of this process and those that share it */
static bool is_asked_for;

static void
keep_within(gsize bytes, const char *why, const char *cure)
{
  char size[48];
  struct rlimit most;
  if (getrlimit(RLIMIT_DATA, &most) != 0)
    return;
  most.rlim_cur = MIN((rlim_t)bytes, most.rlim_max);
  if (setrlimit(RLIMIT_DATA, &most) != 0)
    return;
  g_snprintf(sentence, sizeof sentence, "tenure-cli: more memory is needed than %s (%s%s); %s\n",
             tn_print_bytes(size, sizeof size, (tn_bytes)MIN(bytes, (gsize)INT64_MAX), TN_UNITS_IEC),
             is_asked_for ? "--memory-limit" : "three quarters of the machine's", why, cure);
}
#endif

void
tn_cli_limit_memory(gsize bytes)
{
#if HAS_LIMIT
  limit = bytes ? bytes : tn_memory_default_limit();
  is_asked_for = bytes > 0;
  keep_within(limit, "", "a larger --memory-limit allows more");
  g_log_set_handler("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, on_error, NULL);
#endif
}

void
tn_cli_share_memory(guint n)
{
#if HAS_LIMIT
  char why[48];
  g_snprintf(why, sizeof why, ", shared by %u", n);
  if (n > 1)
    keep_within(limit / n, why, "fewer --jobs or a larger --memory-limit allow more");
#endif
}
