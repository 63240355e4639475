/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/undo.h"

/* What the tests change: a number of an object. */
static void
put(gpointer owner, GVariant *state)
{
  g_object_set_data(owner, "n", GINT_TO_POINTER(g_variant_get_int32(state)));
}

static int
get(GObject *owner)
{
  return GPOINTER_TO_INT(g_object_get_data(owner, "n"));
}

static void
change(TnUndo *undo, const char *label, GObject *owner, int n)
{
  tn_undo_push(undo, label, owner, put, g_variant_new_int32(get(owner)), g_variant_new_int32(n));
  g_object_set_data(owner, "n", GINT_TO_POINTER(n));
}

static void
test_back_and_forth(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  change(undo, "First", owner, 1);
  change(undo, "Second", owner, 2);
  g_assert_cmpstr(tn_undo_peek_undo(undo), ==, "Second");
  tn_undo_undo(undo);
  g_assert_cmpint(get(owner), ==, 1);
  g_assert_cmpstr(tn_undo_peek_redo(undo), ==, "Second");
  tn_undo_undo(undo);
  tn_undo_undo(undo);
  g_assert_cmpint(get(owner), ==, 0);
  g_assert_null(tn_undo_peek_undo(undo));
  tn_undo_redo(undo);
  tn_undo_redo(undo);
  tn_undo_redo(undo);
  g_assert_cmpint(get(owner), ==, 2);
}

/* A change after an undo forgets what was undone. */
static void
test_another_way(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  change(undo, "First", owner, 1);
  tn_undo_undo(undo);
  change(undo, "Second", owner, 5);
  g_assert_null(tn_undo_peek_redo(undo));
  tn_undo_undo(undo);
  g_assert_cmpint(get(owner), ==, 0);
}

static void
test_merge(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  change(undo, "Typing", owner, 1);
  change(undo, "Typing", owner, 2);
  change(undo, "Typing", owner, 3);
  change(undo, "Typing", owner, 3); /* changes nothing */
  tn_undo_undo(undo);
  g_assert_cmpint(get(owner), ==, 0);
  g_assert_null(tn_undo_peek_undo(undo));
  tn_undo_redo(undo);
  g_assert_cmpint(get(owner), ==, 3);
  /* What follows an undo or a redo is a change of its own. */
  change(undo, "Typing", owner, 4);
  tn_undo_undo(undo);
  g_assert_cmpint(get(owner), ==, 3);
}

static void
test_seal(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  change(undo, "Typing", owner, 1);
  tn_undo_seal(undo);
  change(undo, "Typing", owner, 2);
  tn_undo_undo(undo);
  g_assert_cmpint(get(owner), ==, 1);
  tn_undo_redo(undo);
  tn_undo_undo(undo);
  tn_undo_undo(undo);
  /* There and back at once is no change. */
  change(undo, "Typing", owner, 3);
  change(undo, "Typing", owner, 0);
  g_assert_null(tn_undo_peek_undo(undo));
}

static void
push_again(gpointer owner, GVariant *state)
{
  TnUndo *undo = g_object_get_data(owner, "undo");
  put(owner, state);
  tn_undo_push(undo, "Echo", owner, put, g_variant_new_int32(70), g_variant_new_int32(71));
}

static void
test_echo(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  g_object_set_data(owner, "undo", undo);
  tn_undo_push(undo, "Change", owner, push_again, g_variant_new_int32(1), g_variant_new_int32(2));
  tn_undo_undo(undo);
  g_assert_null(tn_undo_peek_undo(undo));
  g_assert_cmpstr(tn_undo_peek_redo(undo), ==, "Change");
}

static void
test_owner_gone(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) stays = g_object_new(G_TYPE_OBJECT, NULL);
  GObject *goes = g_object_new(G_TYPE_OBJECT, NULL);
  change(undo, "Stays", stays, 1);
  change(undo, "Goes", goes, 1);
  g_object_unref(goes);
  tn_undo_undo(undo);
  g_assert_cmpint(get(stays), ==, 0);
}

static bool
is_there(gpointer owner, GVariant *state)
{
  return get(owner) == g_variant_get_int32(state);
}

/* What was changed elsewhere meanwhile is not taken back; what lies below it is. */
static void
test_shared(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) own = g_object_new(G_TYPE_OBJECT, NULL), shared = g_object_new(G_TYPE_OBJECT, NULL);
  change(undo, "Own", own, 1);
  tn_undo_push_shared(undo, "Shared", shared, put, is_there, g_variant_new_int32(0), g_variant_new_int32(1));
  g_object_set_data(shared, "n", GINT_TO_POINTER(2));
  tn_undo_undo(undo);
  g_assert_cmpint(get(shared), ==, 2);
  g_assert_cmpint(get(own), ==, 0);
  g_object_set_data(shared, "n", GINT_TO_POINTER(0));
  tn_undo_redo(undo);
  tn_undo_redo(undo);
  g_assert_cmpint(get(shared), ==, 1);
  tn_undo_undo(undo);
  g_assert_cmpint(get(shared), ==, 0);
}

static void
put_nothing(gpointer owner, GVariant *state)
{
}

static guint
count_changes(TnUndo *undo)
{
  guint n = 0;
  while (tn_undo_peek_undo(undo)) {
    tn_undo_undo(undo);
    n++;
  }
  return n;
}

static void
change_large(TnUndo *undo, GObject *owner, int n, gsize mib)
{
  for (int i = 0; i < n; i++)
    tn_undo_push(undo, i % 2 ? "A" : "B", owner, put_nothing, g_variant_new_string(""),
                 g_variant_new_take_string(g_strnfill(mib << 20, (char)('a' + i))));
}

/* The last 1,000 changes are kept, but no more than 64 MiB of them; the last one always. */
static void
test_many(void)
{
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GObject) owner = g_object_new(G_TYPE_OBJECT, NULL);
  for (int i = 1; i <= 1200; i++) {
    tn_undo_seal(undo);
    change(undo, "Small", owner, i);
  }
  g_assert_cmpuint(count_changes(undo), ==, 1000);
  g_assert_cmpint(get(owner), ==, 200);
  change_large(undo, owner, 10, 8);
  g_assert_cmpuint(count_changes(undo), ==, 7);
  change_large(undo, owner, 2, 80);
  g_assert_cmpuint(count_changes(undo), ==, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/undo/back-and-forth", test_back_and_forth);
  g_test_add_func("/undo/another-way", test_another_way);
  g_test_add_func("/undo/merge", test_merge);
  g_test_add_func("/undo/seal", test_seal);
  g_test_add_func("/undo/echo", test_echo);
  g_test_add_func("/undo/owner-gone", test_owner_gone);
  g_test_add_func("/undo/shared", test_shared);
  g_test_add_func("/undo/many", test_many);
  return g_test_run();
}
