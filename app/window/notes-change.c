/* SPDX-License-Identifier: MIT */
/* Changes of bookmarks and notes.  All tabs of a file share these and each has changes of its own to
 * take back, so that a state is not all there is but what the change was of: a bookmark, or the text. */
#include "config.h"

#include "app/window/notes-private.h"

#define BOOKMARK "(sixumsx)" /* name, device, tick, buffer, label, bytes */

/* ---- bookmarks --------------------------------------------------------------------------------- */

static GVariant *
variant_of(const TnBookmark *b)
{
  const char *name = b && b->name ? b->name : "";
  return b ? g_variant_new(BOOKMARK, name, b->device, b->tick, b->buffer, b->label, b->bytes) : NULL;
}

/* Whose place another takes.  NULL: none. */
static GVariant *
state_of(const TnBookmark *gone, const TnBookmark *here)
{
  return g_variant_new("(@m" BOOKMARK "@m" BOOKMARK ")",
                       g_variant_new_maybe(G_VARIANT_TYPE(BOOKMARK), variant_of(gone)),
                       g_variant_new_maybe(G_VARIANT_TYPE(BOOKMARK), variant_of(here)));
}

/* One of the two of a state; false: none.  Its words are the state's. */
static bool
read_state(GVariant *state, gsize which, TnBookmark *out)
{
  g_autoptr(GVariant) maybe = g_variant_get_child_value(state, which);
  g_autoptr(GVariant) of = g_variant_get_maybe(maybe);
  if (of)
    g_variant_get(of, "(&sixum&sx)", &out->name, &out->device, &out->tick, &out->buffer, &out->label,
                  &out->bytes);
  return of != NULL;
}

static bool
is_same(const TnBookmark *a, const TnBookmark *b)
{
  return a->tick == b->tick && a->device == b->device && a->buffer == b->buffer &&
         a->bytes == b->bytes && g_str_equal(a->name, b->name) && g_strcmp0(a->label, b->label) == 0;
}

/* -1: it is not there. */
static int
find(const TnNotes *notes, const TnBookmark *bookmark)
{
  const GPtrArray *all = notes->content.bookmarks;
  for (guint i = 0; i < all->len; i++)
    if (is_same(g_ptr_array_index(all, i), bookmark))
      return (int)i;
  return -1;
}

static bool
is_bookmark_there(gpointer owner, GVariant *state)
{
  TnNotes *notes = owner;
  TnBookmark here;
  return read_state(state, 1, &here) ? find(notes, &here) >= 0
                                     : notes->content.bookmarks->len < TN_NOTES_MOST;
}

static void
put_bookmark(gpointer owner, GVariant *state)
{
  TnNotes *notes = owner;
  TnBookmark gone, here;
  int at = read_state(state, 0, &gone) ? find(notes, &gone) : -1;
  bool is_here = read_state(state, 1, &here);
  if (at >= 0)
    g_ptr_array_remove_index(notes->content.bookmarks, (guint)at);
  if (at >= 0 && is_here) /* a rename: its place among those of its tick stays */
    g_ptr_array_insert(notes->content.bookmarks, at, tn_bookmark_copy(&here));
  else if (is_here)
    tn_notes_content_insert(&notes->content, &here);
  tn_notes_count_edition(notes);
  tn_notes_tell_change(notes);
}

/* One bookmark in the place of another; either may be NULL. */
static void
keep_change(TnNotes *notes, TnUndo *undo, const char *label, const TnBookmark *old,
            const TnBookmark *new)
{
  g_autoptr(GVariant) before = g_variant_ref_sink(state_of(new, old));
  g_autoptr(GVariant) after = g_variant_ref_sink(state_of(old, new));
  tn_undo_seal(undo);
  tn_undo_push_shared(undo, label, notes, put_bookmark, is_bookmark_there, before, after);
  tn_undo_seal(undo);
  put_bookmark(notes, after);
}

void
tn_notes_add(TnNotes *notes, TnUndo *undo, const TnBookmark *bookmark)
{
  if (notes->content.bookmarks->len < TN_NOTES_MOST)
    keep_change(notes, undo, "Add Bookmark", NULL, bookmark);
}

void
tn_notes_rename(TnNotes *notes, TnUndo *undo, guint row, const char *name)
{
  const TnBookmark *old = tn_notes_get(notes, row);
  TnBookmark new = *old;
  new.name = (char *)name;
  keep_change(notes, undo, "Rename Bookmark", old, &new);
}

void
tn_notes_remove(TnNotes *notes, TnUndo *undo, guint row)
{
  keep_change(notes, undo, "Remove Bookmark", tn_notes_get(notes, row), NULL);
}

/* ---- the text ---------------------------------------------------------------------------------- */

static bool
is_text_there(gpointer owner, GVariant *state)
{
  return g_str_equal(((TnNotes *)owner)->content.text, g_variant_get_string(state, NULL));
}

static void
put_text(gpointer owner, GVariant *state)
{
  TnNotes *notes = owner;
  g_free(notes->content.text);
  notes->content.text = g_variant_dup_string(state, NULL);
  tn_notes_tell_change(notes);
}

void
tn_notes_set_text(TnNotes *notes, TnUndo *undo, const char *text)
{
  if (notes->is_reading || g_str_equal(notes->content.text, text))
    return;
  g_autoptr(GVariant) after = g_variant_ref_sink(g_variant_new_string(text));
  tn_undo_push_shared(undo, "Edit Notes", notes, put_text, is_text_there,
                      g_variant_new_string(notes->content.text), after);
  put_text(notes, after);
}
