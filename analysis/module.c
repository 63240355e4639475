/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/module.h"

#include "analysis/callsite.h"
#include "data/hash.h"

#include <string.h>

#define NN_MODULE "nn.Module: "

typedef struct {
  const TnDocument *document;
  TnModules *modules;
  GHashTable *by_name; /* char * (the modules') → module */
  bool has_stacks, has_names;
} Builder;

/* Takes the name. */
static uint32_t
intern(Builder *b, char *name)
{
  gpointer had;
  if (g_hash_table_lookup_extended(b->by_name, name, NULL, &had)) {
    g_free(name);
    return GPOINTER_TO_UINT(had);
  }
  g_ptr_array_add(b->modules->names, name);
  g_hash_table_insert(b->by_name, name, GUINT_TO_POINTER(b->modules->n));
  return b->modules->n++;
}

/* ---- stacks -------------------------------------------------------------------------------- */

static const char *
function_of(const Builder *b, uint32_t frame)
{
  return tn_strings_get(b->document->strings, tn_stacks_frame(b->document->stacks, frame).name);
}

/* "_call_impl", "Module._wrapped_call_impl". */
static bool
is_call(const Builder *b, uint32_t frame)
{
  return g_str_has_suffix(function_of(b, frame), "_call_impl");
}

static bool
is_framework(const Builder *b, uint32_t frame)
{
  const char *file =
      tn_strings_get(b->document->strings, tn_stacks_frame(b->document->stacks, frame).file);
  return tn_frame_is_framework(file, function_of(b, frame));
}

/* "CausalSelfAttention (model.py:78)"; where functions lack their class "attention.py forward
 * (model.py:78)".  Without the callee's line, which is another with every op. */
static char *
dup_name(const Builder *b, uint32_t callee, uint32_t caller)
{
  const TnStrings *strings = b->document->strings;
  TnFrame to = tn_stacks_frame(b->document->stacks, callee);
  TnFrame from = tn_stacks_frame(b->document->stacks, caller);
  const char *function = function_of(b, callee), *dot = strrchr(function, '.');
  const char *to_file = tn_frame_base_name(tn_strings_get(strings, to.file));
  const char *from_file = tn_frame_base_name(tn_strings_get(strings, from.file));
  if (dot && dot > function)
    return g_strdup_printf("%.*s (%s:%d)", (int)(dot - function), function, from_file, from.line);
  return g_strdup_printf("%s %s (%s:%d)", to_file, function, from_file, from.line);
}

/* Frames are innermost first: forward, _call_impl, _wrapped_call_impl, who called the module. */
static uint32_t
module_of_stack(Builder *b, uint32_t stack)
{
  uint32_t n;
  const uint32_t *frames = tn_stacks_get(b->document->stacks, stack, &n);
  for (uint32_t i = 0; i < n; i++)
    if (g_str_has_prefix(function_of(b, frames[i]), NN_MODULE))
      return intern(b, g_strdup(function_of(b, frames[i]) + strlen(NN_MODULE)));
  for (uint32_t i = 1; i < n; i++) {
    uint32_t caller = i + 1;
    if (!is_call(b, frames[i]) || is_call(b, frames[i - 1]) || is_framework(b, frames[i - 1]))
      continue;
    while (caller < n && is_call(b, frames[caller]))
      caller++;
    if (caller < n)
      return intern(b, dup_name(b, frames[i - 1], frames[caller]));
  }
  return 0;
}

static uint32_t *
modules_by_stack(Builder *b)
{
  uint32_t n = tn_stacks_count(b->document->stacks);
  uint32_t *by_stack = g_new0(uint32_t, MAX(n, 1u));
  for (uint32_t stack = 1; stack < n; stack++)
    by_stack[stack] = module_of_stack(b, stack);
  b->has_stacks = n > 1;
  return by_stack;
}

/* ---- names --------------------------------------------------------------------------------- */

/* The folder of a name that is a path of words; 0 where it is none. */
static uint32_t
module_of_name(Builder *b, uint32_t id)
{
  const char *name = tn_strings_get(b->document->strings, id);
  const char *blank = strpbrk(name, " \t(["), *slash = strrchr(name, '/');
  name += *name == '/';
  /* "conv/Conv output[0]": what follows a blank is not the path. */
  if (blank && slash && slash > blank)
    slash = g_strrstr_len(name, blank - name, "/");
  if (!slash || slash <= name)
    return 0;
  return intern(b, g_strndup(name, (gsize)(slash - name)));
}

static uint32_t
name_of(const Builder *b, const TnBuffers *buffers, uint32_t i)
{
  uint32_t op = tn_buffers_op(buffers, i);
  uint32_t name = op == TN_NONE ? 0 : tn_document_op_name(b->document, op);
  return name ? name : tn_buffers_name(buffers, i);
}

static void
fill(Builder *b, const TnBuffers *buffers, const uint32_t *by_stack)
{
  g_autoptr(GHashTable) by_id = g_hash_table_new(NULL, NULL); /* string id → module + 1 */
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint32_t module = by_stack[tn_buffers_stack(buffers, i)];
    uint32_t name = module ? 0 : name_of(b, buffers, i);
    b->has_names |= name != 0;
    if (name) {
      module = GPOINTER_TO_UINT(g_hash_table_lookup(by_id, GUINT_TO_POINTER(name)));
      if (!module) {
        module = module_of_name(b, name) + 1;
        g_hash_table_insert(by_id, GUINT_TO_POINTER(name), GUINT_TO_POINTER(module));
      }
      module--;
    }
    b->modules->module[i] = module;
  }
}

static char *
dup_untold(const Builder *b)
{
  if (b->modules->n > 1)
    return NULL;
  return g_strdup_printf("Modules can't be told from this file: %s.",
                         b->has_stacks  ? "no call stack goes through torch.nn.Module's __call__"
                         : b->has_names ? "it has no call stacks, and no name is a path"
                                        : "it has neither call stacks nor names");
}

TnModules *
tn_modules_new(const TnDocument *document, const TnBuffers *buffers)
{
  TnModules *modules = g_new0(TnModules, 1);
  Builder b = {.document = document,
               .modules = modules,
               .by_name = g_hash_table_new(tn_text_hash, g_str_equal)};
  modules->module = g_new0(uint32_t, MAX(buffers->n, 1u));
  modules->names = g_ptr_array_new_with_free_func(g_free);
  intern(&b, g_strdup("no module"));
  g_autofree uint32_t *by_stack = modules_by_stack(&b);
  fill(&b, buffers, by_stack);
  g_hash_table_unref(b.by_name);
  modules->untold = dup_untold(&b);
  return modules;
}

void
tn_modules_free(TnModules *modules)
{
  if (!modules)
    return;
  g_free(modules->module);
  g_ptr_array_unref(modules->names);
  g_free(modules->untold);
  g_free(modules);
}
