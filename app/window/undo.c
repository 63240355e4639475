/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/undo.h"

#define MERGE_WITHIN G_TIME_SPAN_SECOND
#define MAX_CHANGES 1000
#define MAX_BYTES (64 << 20) /* of the states: a long text is kept whole for each change */

typedef struct {
  const char *label;
  GWeakRef owner;
  TnUndoApply apply;
  TnUndoIsThere is_there; /* NULL: what the change left is there */
  GVariant *before, *after;
} Change;

struct _TnUndo {
  GObject parent_instance;
  GPtrArray *changes; /* Change; the first `done` of them are in place */
  guint done;
  gint64 last_push; /* monotonic µs; 0: the next change is one of its own */
  bool is_applying;
};

G_DEFINE_TYPE(TnUndo, tn_undo, G_TYPE_OBJECT)

static guint changed_signal;

static void
change_free(gpointer data)
{
  Change *change = data;
  g_weak_ref_clear(&change->owner);
  g_variant_unref(change->before);
  g_variant_unref(change->after);
  g_free(change);
}

static void
finalize(GObject *object)
{
  g_ptr_array_unref(TN_UNDO(object)->changes);
  G_OBJECT_CLASS(tn_undo_parent_class)->finalize(object);
}

static void
tn_undo_class_init(TnUndoClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  changed_signal = g_signal_new("changed", TN_TYPE_UNDO, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
}

static void
tn_undo_init(TnUndo *undo)
{
  undo->changes = g_ptr_array_new_with_free_func(change_free);
}

TnUndo *
tn_undo_new(void)
{
  return g_object_new(TN_TYPE_UNDO, NULL);
}

static bool
is_of(Change *change, gpointer owner)
{
  g_autoptr(GObject) of = g_weak_ref_get(&change->owner);
  return of == owner;
}

/* Whether the change goes on with the last one, as letters typed one after the other do. */
static bool
merge(TnUndo *undo, const char *label, gpointer owner, GVariant *after)
{
  Change *last = undo->done ? g_ptr_array_index(undo->changes, undo->done - 1) : NULL;
  gint64 now = g_get_monotonic_time();
  bool is_soon = undo->last_push && now - undo->last_push < MERGE_WITHIN;
  undo->last_push = now;
  if (!last || !is_soon || g_strcmp0(last->label, label) != 0 || !is_of(last, owner))
    return false;
  g_variant_unref(last->after);
  last->after = g_variant_ref(after);
  if (g_variant_equal(last->before, last->after))
    g_ptr_array_set_size(undo->changes, (gint)--undo->done);
  return true;
}

static gsize
size_of(const TnUndo *undo, guint i)
{
  Change *change = g_ptr_array_index(undo->changes, i);
  return g_variant_get_size(change->before) + g_variant_get_size(change->after);
}

/* The oldest go where there are too many, or too much; the last one stays. */
static void
drop_oldest(TnUndo *undo)
{
  guint n = undo->changes->len, first = n - 1;
  gsize bytes = size_of(undo, first);
  while (first > 0 && n - first < MAX_CHANGES && (bytes += size_of(undo, first - 1)) <= MAX_BYTES)
    first--;
  if (first > 0)
    g_ptr_array_remove_range(undo->changes, 0, first);
}

static void
append(TnUndo *undo, const char *label, gpointer owner, TnUndoApply apply, TnUndoIsThere is_there,
       GVariant *before, GVariant *after)
{
  Change *change = g_new0(Change, 1);
  change->label = label;
  change->apply = apply;
  change->is_there = is_there;
  change->before = g_variant_ref(before);
  change->after = g_variant_ref(after);
  g_weak_ref_init(&change->owner, owner);
  g_ptr_array_add(undo->changes, change);
  drop_oldest(undo);
  undo->done = undo->changes->len;
}

void
tn_undo_push(TnUndo *undo, const char *label, gpointer owner, TnUndoApply apply, GVariant *before,
             GVariant *after)
{
  tn_undo_push_shared(undo, label, owner, apply, NULL, before, after);
}

void
tn_undo_push_shared(TnUndo *undo, const char *label, gpointer owner, TnUndoApply apply,
                    TnUndoIsThere is_there, GVariant *before, GVariant *after)
{
  g_autoptr(GVariant) old = g_variant_ref_sink(before);
  g_autoptr(GVariant) new = g_variant_ref_sink(after);
  if (undo->is_applying || g_variant_equal(old, new))
    return;
  g_ptr_array_set_size(undo->changes, (gint)undo->done);
  if (!merge(undo, label, owner, new))
    append(undo, label, owner, apply, is_there, old, new);
  g_signal_emit(undo, changed_signal, 0);
}

void
tn_undo_seal(TnUndo *undo)
{
  undo->last_push = 0;
}

/* False: its owner is gone, or what it is to replace. */
static bool
put_in_place(TnUndo *undo, Change *change, GVariant *present, GVariant *state)
{
  g_autoptr(GObject) owner = g_weak_ref_get(&change->owner);
  if (!owner || (change->is_there && !change->is_there(owner, present)))
    return false;
  undo->is_applying = true;
  change->apply(owner, state);
  undo->is_applying = false;
  return true;
}

void
tn_undo_undo(TnUndo *undo)
{
  bool is_done = false;
  while (undo->done > 0 && !is_done && !undo->is_applying) {
    Change *change = g_ptr_array_index(undo->changes, --undo->done);
    is_done = put_in_place(undo, change, change->after, change->before);
  }
  undo->last_push = 0;
  g_signal_emit(undo, changed_signal, 0);
}

void
tn_undo_redo(TnUndo *undo)
{
  bool is_done = false;
  while (undo->done < undo->changes->len && !is_done && !undo->is_applying) {
    Change *change = g_ptr_array_index(undo->changes, undo->done++);
    is_done = put_in_place(undo, change, change->before, change->after);
  }
  undo->last_push = 0;
  g_signal_emit(undo, changed_signal, 0);
}

const char *
tn_undo_peek_undo(TnUndo *undo)
{
  return undo->done ? ((Change *)g_ptr_array_index(undo->changes, undo->done - 1))->label : NULL;
}

const char *
tn_undo_peek_redo(TnUndo *undo)
{
  return undo->done < undo->changes->len
             ? ((Change *)g_ptr_array_index(undo->changes, undo->done))->label
             : NULL;
}

void
tn_undo_clear(TnUndo *undo)
{
  g_ptr_array_set_size(undo->changes, 0);
  undo->done = 0;
  undo->last_push = 0;
  g_signal_emit(undo, changed_signal, 0);
}
