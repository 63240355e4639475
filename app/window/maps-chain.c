/* SPDX-License-Identifier: MIT */
/* Who had and who gets the place of the selection: looked for on another thread (of a million buffers it
 * takes longer than a frame has), once for each selection. */
#include "config.h"

#include "app/window/maps-private.h"

#include "analysis/tenants.h"
#include "app/window/background.h"

#define MOST_TENANTS 8 /* before and after the selection */

typedef struct {
  TnMaps *maps;       /* owned reference */
  TnSession *session; /* owned reference: keeps the document */
  TnStudy *study;     /* owned reference */
  tn_index selected;
  GArray *chain;
} Job;

static void
free_job(gpointer data)
{
  Job *job = data;
  g_clear_pointer(&job->chain, g_array_unref);
  tn_study_unref(job->study);
  g_object_unref(job->session);
  g_object_unref(job->maps);
  g_free(job);
}

static void
work(gpointer data)
{
  Job *job = data;
  job->chain = tn_tenants_chain_new(job->study, job->selected, MOST_TENANTS);
}

void
tn_maps_drop_chain(TnMaps *maps)
{
  g_clear_pointer(&maps->chain_node, gsk_render_node_unref);
  g_clear_pointer(&maps->chain, g_array_unref);
}

/* Another selection or study may have come meanwhile: the next frame asks for its chain. */
static void
done(gpointer data)
{
  Job *job = data;
  TnMaps *maps = job->maps;
  maps->is_chaining = false;
  if (!maps->session)
    return; /* closed */
  tn_maps_drop_chain(maps);
  gtk_widget_queue_draw(GTK_WIDGET(maps));
  if (job->study != tn_session_get_study(maps->session))
    return;
  maps->chain = g_steal_pointer(&job->chain);
  maps->chain_of = job->selected;
}

static bool
has_place(TnMaps *maps)
{
  tn_index selected = tn_session_get_view(maps->session)->selected;
  return selected != TN_NONE && tn_session_get_study(maps->session)->offset[selected] != TN_NOT_PLACED;
}

static gboolean
start(gpointer data)
{
  TnMaps *maps = data;
  maps->chain_source = 0;
  if (!maps->session || !has_place(maps))
    return G_SOURCE_REMOVE;
  Job *job = g_new0(Job, 1);
  job->maps = g_object_ref(maps);
  job->session = g_object_ref(maps->session);
  job->study = tn_study_ref(tn_session_get_study(maps->session));
  job->selected = tn_session_get_view(maps->session)->selected;
  maps->is_chaining = true;
  tn_background_run(job, work, done, free_job);
  return G_SOURCE_REMOVE;
}

const GArray *
tn_maps_chain(TnMaps *maps)
{
  const TnView *view = tn_session_get_view(maps->session);
  if (!has_place(maps))
    return NULL;
  if (maps->chain && maps->chain_of == view->selected)
    return maps->chain;
  if (!maps->is_chaining && !maps->chain_source)
    maps->chain_source = g_idle_add_full(TN_MAPS_AFTER_FRAME, start, maps, NULL);
  return NULL;
}
