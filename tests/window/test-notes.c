/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/notes-json.h"
#include "data/error.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

static void
add(TnNotesContent *content, const char *name, tn_tick tick, tn_index buffer)
{
  TnBookmark bookmark = {(char *)name, 3, tick, buffer};
  tn_notes_content_insert(content, &bookmark);
}

static const TnBookmark *
get(const TnNotesContent *content, guint row)
{
  return g_ptr_array_index(content->bookmarks, row);
}

static void
test_round_trip(void)
{
  TnNotesContent a, b;
  g_autoptr(GError) error = NULL;
  tn_notes_content_init(&a);
  tn_notes_content_init(&b);
  add(&a, "late", 9007199254740993, TN_NONE);
  add(&a, "a “name” with \"quotes\"\n", 12, 7);
  add(&a, "the same tick", 12, 8);
  TnBookmark whole = {(char *)"on a buffer", 0, 13, 4, (char *)"a \"label\"", 1152921504606846976};
  tn_notes_content_insert(&a, &whole);
  g_free(a.text);
  a.text = g_strdup("Zeile eins\nline two\t✓");
  g_autofree char *json = tn_notes_json_build(&a, "/tmp/x.pickle", "abc");
  g_assert_true(tn_notes_json_parse(&b, "x", json, strlen(json), &error));
  g_assert_no_error(error);
  g_assert_cmpuint(b.bookmarks->len, ==, 4);
  g_assert_cmpstr(get(&b, 0)->name, ==, "a “name” with \"quotes\"\n");
  g_assert_cmpuint(get(&b, 0)->buffer, ==, 7);
  g_assert_cmpint(get(&b, 0)->device, ==, 3);
  g_assert_cmpstr(get(&b, 1)->name, ==, "the same tick");
  g_assert_null(get(&b, 1)->label);
  g_assert_cmpstr(get(&b, 2)->label, ==, whole.label);
  g_assert_cmpint(get(&b, 2)->bytes, ==, whole.bytes);
  g_assert_cmpint(get(&b, 3)->tick, ==, 9007199254740993);
  g_assert_cmpuint(get(&b, 3)->buffer, ==, TN_NONE);
  g_assert_cmpstr(b.text, ==, a.text);
  tn_notes_content_clear(&a);
  tn_notes_content_clear(&b);
}

static void
test_bad(void)
{
  static const char *const texts[] = {
      "", "{", "[]", "{\"format\": \"other\"}", "{\"format\": \"tenure-notes\", \"bookmarks\": [{]}",
      "{\"format\": \"tenure-notes\", \"notes\": \"a\"} x",
  };
  TnNotesContent content;
  tn_notes_content_init(&content);
  add(&content, "stays", 1, TN_NONE);
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(tn_notes_json_parse(&content, "x", texts[i], strlen(texts[i]), &error));
    g_assert_nonnull(error);
    g_assert_cmpuint(content.bookmarks->len, ==, 1);
  }
  tn_notes_content_clear(&content);
}

/* A later version may hold what would be lost, ... */
static void
test_version(void)
{
  static const char text[] = "{\"format\": \"tenure-notes\", \"version\": 2, \"notes\": \"a\", \"tags\": [1]}";
  TnNotesContent content;
  g_autoptr(GError) error = NULL;
  tn_notes_content_init(&content);
  g_assert_false(tn_notes_json_parse(&content, "x", text, strlen(text), &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNSUPPORTED);
  g_assert_cmpstr(content.text, ==, "");
  tn_notes_content_clear(&content);
}

static char *
falling(guint n)
{
  GString *json = g_string_new("{\"format\": \"tenure-notes\", \"version\": 1, \"bookmarks\": [");
  for (guint i = 0; i < n; i++)
    g_string_append_printf(json, "%s{\"tick\": %u}", i ? "," : "", n - i);
  g_string_append(json, "]}");
  return g_string_free(json, FALSE);
}

/* ... and so would what is more than can be shown. */
static void
test_many(void)
{
  TnNotesContent content;
  g_autoptr(GError) error = NULL;
  g_autofree char *most = falling(TN_NOTES_MOST), *more = falling(1000000);
  tn_notes_content_init(&content);
  g_assert_true(tn_notes_json_parse(&content, "x", most, strlen(most), &error));
  g_assert_cmpuint(content.bookmarks->len, ==, TN_NOTES_MOST);
  for (guint i = 0; i < TN_NOTES_MOST; i++)
    g_assert_cmpint(get(&content, i)->tick, ==, i + 1);
  g_assert_false(tn_notes_json_parse(&content, "x", more, strlen(more), &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
  tn_notes_content_clear(&content);
}

/* A path is bytes; JSON is text. */
static void
test_path(void)
{
  TnNotesContent content;
  tn_notes_content_init(&content);
  g_autofree char *json = tn_notes_json_build(&content, "/tmp/caf\xe9.pickle", "abc");
  g_assert_true(g_utf8_validate(json, -1, NULL));
  g_assert_nonnull(strstr(json, "/tmp/caf\xef\xbf\xbd.pickle"));
  tn_notes_content_clear(&content);
}

static void
write_file(const char *place)
{
  g_autofree char *folder = g_path_get_dirname(place);
  g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
  g_assert_true(g_file_set_contents(place, "{}", -1, NULL));
}

/* Its own place first, then the same content elsewhere, then what was at the path before, then beside
 * the file. */
static void
test_places(void)
{
  const char *hash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  const char *other = "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  g_autofree char *folder = g_dir_make_tmp("tenure-notes-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "run.pickle", NULL);
  g_autofree char *beside = g_strconcat(path, ".notes.json", NULL);
  g_autofree char *own = tn_notes_build_place(path, hash);
  g_autofree char *moved = tn_notes_build_place("/elsewhere/run.pickle", hash);
  g_autofree char *before = tn_notes_build_place(path, other);
  const char *const places[] = {beside, before, moved, own};
  bool is_other;
  g_assert_null(tn_notes_find_place(path, hash, &is_other));
  for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
    write_file(places[i]);
    g_autofree char *found = tn_notes_find_place(path, hash, &is_other);
    g_assert_cmpstr(found, ==, places[i]);
    g_assert_cmpint(is_other, ==, i == 1);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(places); i++)
    g_unlink(places[i]);
  g_rmdir(folder);
}

/* ---- notes of a file --------------------------------------------------------------------------- */

static TnNotes *
start_notes(const char *path)
{
  TnFileStamp stamp = tn_file_stamp_of(path);
  return tn_notes_for_file(path, &stamp);
}

static void
wait_read(TnNotes *notes)
{
  while (tn_notes_is_reading(notes))
    g_main_context_iteration(NULL, TRUE);
}

/* Read; its file is `text`. */
static TnNotes *
open_notes(const char *path, const char *text)
{
  if (text)
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
  TnNotes *notes = start_notes(path);
  wait_read(notes);
  return notes;
}

static void
mark(TnNotes *notes, TnUndo *undo, const char *name, tn_tick tick)
{
  tn_notes_add(notes, undo, &(TnBookmark){(char *)name, 0, tick, TN_NONE});
}

/* "a b c": the names by tick, and the text. */
static void
assert_holds(TnNotes *notes, const char *names, const char *text)
{
  g_autoptr(GString) found = g_string_new(NULL);
  for (guint i = 0; i < tn_notes_count(notes); i++)
    g_string_append_printf(found, "%s%s", i ? " " : "", tn_notes_get(notes, i)->name);
  g_assert_cmpstr(found->str, ==, names);
  g_assert_cmpstr(tn_notes_get_text(notes), ==, text);
}

static char *
make_path(const char *name)
{
  g_autofree char *folder = g_dir_make_tmp("tenure-notes-XXXXXX", NULL);
  return g_build_filename(folder, name, NULL);
}

/* The tabs of a file share its notes, and each takes back what was done in it. */
static void
test_tabs(void)
{
  g_autofree char *path = make_path("tabs");
  g_autoptr(TnNotes) notes = open_notes(path, "tabs");
  g_autoptr(TnUndo) a = tn_undo_new(), b = tn_undo_new();
  mark(notes, b, "b", 20);
  mark(notes, a, "a", 10);
  tn_notes_set_text(notes, b, "of b");
  tn_notes_set_text(notes, a, "of both");
  tn_undo_undo(b); /* its text is not there any more: nobody's is lost */
  assert_holds(notes, "a", "of both");
  tn_undo_redo(b);
  assert_holds(notes, "a b", "of both");
  tn_notes_remove(notes, a, 1);
  tn_undo_undo(b); /* what it put is gone */
  assert_holds(notes, "a", "of both");
  tn_undo_undo(a);
  assert_holds(notes, "a b", "of both");
  tn_undo_undo(a);
  assert_holds(notes, "a b", "of b");
}

static void
test_rename(void)
{
  g_autofree char *path = make_path("rename");
  g_autoptr(TnNotes) notes = open_notes(path, "rename");
  g_autoptr(TnUndo) undo = tn_undo_new();
  for (int i = 0; i < 3; i++)
    mark(notes, undo, (const char *[]){"x", "y", "z"}[i], 7);
  tn_notes_rename(notes, undo, 0, "first");
  tn_notes_rename(notes, undo, 1, "second");
  assert_holds(notes, "first second z", "");
  tn_undo_undo(undo);
  assert_holds(notes, "first y z", "");
  tn_undo_undo(undo);
  assert_holds(notes, "x y z", "");
  tn_undo_redo(undo);
  tn_undo_redo(undo);
  assert_holds(notes, "first second z", "");
}

/* No more than can be read again. */
static void
test_full(void)
{
  g_autofree char *path = make_path("full");
  g_autofree char *beside = g_strconcat(path, ".notes.json", NULL), *most = falling(TN_NOTES_MOST);
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_assert_true(g_file_set_contents(beside, most, -1, NULL));
  g_assert_true(g_file_set_contents(path, "full", -1, NULL));
  g_autoptr(TnNotes) notes = start_notes(path);
  mark(notes, undo, "early", 0); /* before what is kept was read */
  wait_read(notes);
  g_assert_cmpuint(tn_notes_count(notes), ==, TN_NOTES_MOST);
  mark(notes, undo, "late", 0);
  g_assert_cmpuint(tn_notes_count(notes), ==, TN_NOTES_MOST);
  tn_notes_remove(notes, undo, 0);
  mark(notes, undo, "room", 0);
  g_assert_cmpuint(tn_notes_count(notes), ==, TN_NOTES_MOST);
  tn_undo_undo(undo);
  tn_undo_undo(undo);
  g_assert_cmpuint(tn_notes_count(notes), ==, TN_NOTES_MOST);
}

/* What is put before the file is hashed stands beside what was kept, and is taken back alone. */
static void
test_early(void)
{
  g_autofree char *path = make_path("early");
  g_autofree char *beside = g_strconcat(path, ".notes.json", NULL);
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_assert_true(g_file_set_contents(beside, "{\"format\": \"tenure-notes\", \"notes\": \"three days\", "
                                            "\"bookmarks\": [{\"name\": \"kept\", \"tick\": 5}]}", -1, NULL));
  g_assert_true(g_file_set_contents(path, "early", -1, NULL));
  g_autoptr(TnNotes) notes = start_notes(path);
  mark(notes, undo, "new", 9);
  tn_notes_set_text(notes, undo, "in its place"); /* no: the text comes */
  assert_holds(notes, "new", "");
  wait_read(notes);
  assert_holds(notes, "kept new", "three days");
  tn_undo_undo(undo);
  assert_holds(notes, "kept", "three days");
  tn_undo_redo(undo);
  assert_holds(notes, "kept new", "three days");
}

/* The same at the end of the program: it waits for the place where the new one is kept. */
static void
test_quit(void)
{
  g_autofree char *path = make_path("quit");
  g_autoptr(TnUndo) undo = tn_undo_new();
  TnNotes *notes = open_notes(path, "quit");
  tn_notes_set_text(notes, undo, "kept");
  tn_notes_flush_all();
  while (g_main_context_iteration(NULL, FALSE))
    ;
  g_object_unref(notes);
  notes = start_notes(path);
  mark(notes, undo, "new", 9);
  tn_notes_flush_all();
  g_object_unref(notes);
  g_autoptr(TnNotes) again = open_notes(path, NULL);
  assert_holds(again, "new", "kept");
}

/* Another content at the path has notes of its own, which begin with those of the content before. */
static void
test_replaced(void)
{
  g_autofree char *path = make_path("replaced");
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(TnNotes) old = open_notes(path, "old");
  mark(old, undo, "old", 1);
  g_autoptr(TnNotes) new = open_notes(path, "new, longer");
  g_assert_true(old != new);
  assert_holds(new, "old", "");
  g_assert_cmpstr(tn_notes_get_trouble(new), ==, "Made for another version of this file");
  mark(new, undo, "new", 2);
  assert_holds(old, "old", "");
  g_autoptr(TnNotes) same = start_notes(path);
  g_assert_true(same == new);
  tn_notes_flush_all();
  g_autofree char *hash_old = g_compute_checksum_for_string(G_CHECKSUM_SHA256, "old", -1);
  g_autofree char *hash_new = g_compute_checksum_for_string(G_CHECKSUM_SHA256, "new, longer", -1);
  g_autofree char *place_old = tn_notes_build_place(path, hash_old), *kept_old = NULL;
  g_autofree char *place_new = tn_notes_build_place(path, hash_new), *kept_new = NULL;
  g_assert_true(g_file_get_contents(place_old, &kept_old, NULL, NULL));
  g_assert_true(g_file_get_contents(place_new, &kept_new, NULL, NULL));
  g_assert_null(strstr(kept_old, "\"new\""));
  g_assert_nonnull(strstr(kept_new, "\"new\""));
}

static void
touch(const char *path)
{
  struct utimbuf day = {86400, 86400};
  g_assert_cmpint(g_utime(path, &day), ==, 0);
}

/* A file that was only touched has the same notes in tabs of before and after: each change is in both, and kept. */
static void
test_touched(void)
{
  g_autofree char *path = make_path("touched");
  g_autoptr(TnUndo) undo = tn_undo_new();
  TnNotes *old = open_notes(path, "touched");
  mark(old, undo, "a", 1);
  touch(path);
  mark(old, undo, "b", 2);
  TnNotes *new = start_notes(path);
  g_assert_true(old != new);
  mark(old, undo, "c", 3);
  mark(new, undo, "early", 4); /* before it is hashed */
  wait_read(new);
  assert_holds(new, "a b c early", "");
  assert_holds(old, "a b c early", "");
  g_assert_null(tn_notes_get_trouble(new));
  guint edition = tn_notes_get_edition(old);
  tn_notes_set_text(new, undo, "of new");
  g_assert_cmpuint(tn_notes_get_edition(old), ==, edition); /* no rows are made anew for a letter */
  tn_notes_remove(old, undo, 0);
  g_assert_cmpuint(tn_notes_get_edition(new), !=, edition);
  assert_holds(new, "b c early", "of new");
  g_object_unref(old); /* its write is still to come */
  mark(new, undo, "late", 5);
  tn_notes_flush_all();
  g_object_unref(new);
  while (g_main_context_iteration(NULL, FALSE))
    ;
  g_autoptr(TnNotes) again = open_notes(path, NULL);
  assert_holds(again, "b c early late", "of new");
}

/* Two tabs that would keep theirs in one place: the later one keeps nothing, and says so. */
static void
test_overtaken(void)
{
  g_autofree char *path = make_path("overtaken");
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(TnNotes) notes = open_notes(path, "what is there now");
  TnFileStamp before = tn_file_stamp_of(path);
  before.size--;
  g_autoptr(TnNotes) late = tn_notes_for_file(path, &before);
  wait_read(late);
  g_assert_nonnull(strstr(tn_notes_get_trouble(late), "replaced since it was read"));
  mark(notes, undo, "kept", 1);
  mark(late, undo, "not kept", 2);
  tn_notes_flush_all();
  g_clear_object(&notes);
  g_clear_object(&late);
  while (g_main_context_iteration(NULL, FALSE))
    ;
  g_autoptr(TnNotes) again = open_notes(path, NULL);
  assert_holds(again, "kept", "");
}

static char *
dup_json(const char *text)
{
  g_autoptr(GString) json = g_string_new("{\"format\": \"tenure-notes\", \"notes\": \"");
  g_string_append(json, text);
  g_string_replace(json, "\n", "\\n", 0);
  return g_strconcat(json->str, "\"}", NULL);
}

/* Long lines are broken: at a space, else between characters. */
static void
test_long_lines(void)
{
  static const struct {
    const char *part;
    gsize n, first; /* parts; bytes of the first line */
  } cases[] = {{"x", 4000, 4000}, {"x", 4001, 4000}, {"\xc3\xa4", 2000, 4000}, {"\xe2\x82\xac", 1400, 3999},
               {"1234 ", 4000, 4000}, {"123456 ", 1000, 3997}};
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    TnNotesContent content;
    g_autoptr(GString) text = g_string_new(NULL);
    tn_notes_content_init(&content);
    for (gsize k = 0; k < cases[i].n; k++)
      g_string_append(text, cases[i].part);
    g_autofree char *json = dup_json(text->str);
    g_assert_true(tn_notes_json_parse(&content, "x", json, strlen(json), NULL));
    g_assert_cmpuint(strcspn(content.text, "\n"), ==, cases[i].first);
    g_auto(GStrv) lines = g_strsplit(content.text, "\n", -1);
    for (gsize k = 0; lines[k]; k++)
      g_assert_cmpuint(strlen(lines[k]), <=, TN_NOTES_LINE_MOST);
    g_autofree char *joined = g_strjoinv("", lines);
    g_assert_cmpstr(joined, ==, text->str);
    tn_notes_content_clear(&content);
  }
}

/* What is too long is neither read nor kept, and said; what was kept before stays. */
static void
test_long(void)
{
  g_autofree char *path = make_path("long"), *line = g_strnfill(511, 'x');
  g_autoptr(TnUndo) undo = tn_undo_new();
  g_autoptr(GString) most = g_string_new(NULL);
  for (int i = 0; i < 2048; i++)
    g_string_append_printf(most, "%s\n", line);
  g_autofree char *more = g_strconcat(most->str, "x", NULL), *json = dup_json(most->str), *too_long = dup_json(more);
  TnNotesContent content;
  tn_notes_content_init(&content);
  g_assert_false(tn_notes_json_parse(&content, "x", too_long, strlen(too_long), NULL));
  g_assert_cmpstr(content.text, ==, "");
  g_assert_true(tn_notes_json_parse(&content, "x", json, strlen(json), NULL));
  g_assert_cmpstr(content.text, ==, most->str);
  tn_notes_content_clear(&content);
  g_autoptr(TnNotes) notes = open_notes(path, "long");
  tn_notes_set_text(notes, undo, most->str);
  tn_notes_flush_all();
  tn_notes_set_text(notes, undo, more);
  while (!tn_notes_get_trouble(notes))
    g_main_context_iteration(NULL, TRUE);
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, "long", -1);
  g_autofree char *place = tn_notes_build_place(path, hash), *kept = NULL;
  g_assert_true(g_file_get_contents(place, &kept, NULL, NULL));
  g_assert_nonnull(strstr(kept, "xxx\\n\""));
  tn_notes_set_text(notes, undo, "short");
  while (tn_notes_get_trouble(notes))
    g_main_context_iteration(NULL, TRUE);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  g_test_add_func("/notes/round-trip", test_round_trip);
  g_test_add_func("/notes/bad", test_bad);
  g_test_add_func("/notes/version", test_version);
  g_test_add_func("/notes/many", test_many);
  g_test_add_func("/notes/path", test_path);
  g_test_add_func("/notes/places", test_places);
  g_test_add_func("/notes/tabs", test_tabs);
  g_test_add_func("/notes/rename", test_rename);
  g_test_add_func("/notes/full", test_full);
  g_test_add_func("/notes/early", test_early);
  g_test_add_func("/notes/quit", test_quit);
  g_test_add_func("/notes/replaced", test_replaced);
  g_test_add_func("/notes/touched", test_touched);
  g_test_add_func("/notes/overtaken", test_overtaken);
  g_test_add_func("/notes/long", test_long);
  g_test_add_func("/notes/long-lines", test_long_lines);
  return g_test_run();
}
