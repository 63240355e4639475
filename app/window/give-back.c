/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/give-back.h"

#include "app/window/background.h"

#ifdef __GLIBC__
#include <malloc.h>

#define AFTER_MS 500

static guint waiting;

static void
trim(gpointer job)
{
  malloc_trim(0);
}

static void
do_nothing(gpointer job)
{
}

static gboolean
on_time(gpointer data)
{
  waiting = 0;
  tn_background_run(NULL, trim, do_nothing, do_nothing);
  return G_SOURCE_REMOVE;
}

void
tn_give_back_soon(void)
{
  if (!waiting)
    waiting = g_timeout_add(AFTER_MS, on_time, NULL);
}
#else
void
tn_give_back_soon(void)
{
}
#endif
