/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/callsite.h"

#include <string.h>

static bool
contains_any(const char *text, const char *const *words)
{
  for (; *words; words++)
    if (strstr(text, *words))
      return true;
  return false;
}

static bool
is_compiled_source(const char *file)
{
  static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp",
                                        ".inl"};
  for (gsize i = 0; i < G_N_ELEMENTS(endings); i++)
    if (g_str_has_suffix(file, endings[i]))
      return true;
  return false;
}

bool
tn_frame_is_framework(const char *file, const char *function)
{
  static const char *const paths[] = {"/site-packages/", "\\site-packages\\", "/dist-packages/",
                                      "\\dist-packages\\", "/torch/", "\\torch\\", "/torch_npu/",
                                      "/lib/python3", "\\lib\\python3", "/lib64/python3",
                                      "importlib", "runpy.py", NULL};
  static const char *const interpreter[] = {"/Python/", "/Objects/", "/Modules/", "/Include/",
                                            NULL};
  if (file[0] == '\0' || strcmp(file, "??") == 0 || file[0] == '<')
    return true;
  /* Compiled code without a folder is PyTorch's own ("RegisterCUDA.cpp", no debug information); so
   * is what runs Python. */
  bool is_compiled = is_compiled_source(file);
  if (is_compiled && (!strpbrk(file, "/\\") || contains_any(file, interpreter)))
    return true;
  return contains_any(file, paths) || strcmp(function, "_call_impl") == 0 ||
         strcmp(function, "_wrapped_call_impl") == 0;
}

const char *
tn_frame_base_name(const char *path)
{
  const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
  const char *last = slash > back ? slash : back;
  return last ? last + 1 : path;
}

char *
tn_frame_format(const TnDocument *document, uint32_t frame)
{
  TnFrame f = tn_stacks_frame(document->stacks, frame);
  const char *file = tn_frame_base_name(tn_strings_get(document->strings, f.file));
  const char *name = tn_strings_get(document->strings, f.name);
  if (file[0] == '\0' || strcmp(file, "??") == 0)
    return g_strdup(name[0] ? name : "unknown code");
  if (f.line <= 0)
    return g_strdup_printf("%s %s", file, name);
  return g_strdup_printf("%s:%d %s", file, f.line, name);
}

/* The innermost frame of the user's Python; else of their compiled code; else the innermost with a
 * file; else the innermost. */
static uint32_t
choose_frame(const TnDocument *document, uint32_t stack)
{
  uint32_t n, with_file = TN_NONE, compiled = TN_NONE;
  const uint32_t *frames = tn_stacks_get(document->stacks, stack, &n);
  for (uint32_t i = 0; i < n; i++) {
    TnFrame frame = tn_stacks_frame(document->stacks, frames[i]);
    const char *file = tn_strings_get(document->strings, frame.file);
    bool is_users = !tn_frame_is_framework(file, tn_strings_get(document->strings, frame.name));
    if (is_users && !is_compiled_source(file))
      return frames[i];
    if (is_users && compiled == TN_NONE)
      compiled = frames[i];
    if (with_file == TN_NONE && file[0] && strcmp(file, "??") != 0)
      with_file = frames[i];
  }
  if (compiled != TN_NONE)
    return compiled;
  return with_file != TN_NONE ? with_file : n ? frames[0] : TN_NONE;
}

static uint32_t
add_site(TnCallSites *sites, uint32_t frame, char *name)
{
  g_array_append_val(sites->frames, frame);
  g_ptr_array_add(sites->names, name);
  return sites->n++;
}

TnCallSites *
tn_call_sites_new(const TnDocument *document)
{
  TnCallSites *sites = g_new0(TnCallSites, 1);
  sites->frames = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  sites->names = g_ptr_array_new_with_free_func(g_free);
  sites->n_stacks = tn_stacks_count(document->stacks);
  sites->site = g_new0(uint32_t, sites->n_stacks);
  uint32_t n_frames = tn_stacks_frame_count(document->stacks);
  g_autofree uint32_t *site_of_frame = g_new0(uint32_t, MAX(n_frames, 1u));
  add_site(sites, TN_NONE, g_strdup("no call stack"));
  for (uint32_t stack = 1; stack < sites->n_stacks; stack++) {
    uint32_t frame = choose_frame(document, stack);
    if (frame == TN_NONE)
      continue;
    if (!site_of_frame[frame])
      site_of_frame[frame] = add_site(sites, frame, tn_frame_format(document, frame));
    sites->site[stack] = site_of_frame[frame];
  }
  return sites;
}

void
tn_call_sites_free(TnCallSites *sites)
{
  if (!sites)
    return;
  g_free(sites->site);
  g_array_unref(sites->frames);
  g_ptr_array_unref(sites->names);
  g_free(sites);
}
