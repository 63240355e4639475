/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/notes-json.h"

#include "data/json.h"

#include <glib/gstdio.h>
#include <string.h>

/* ---- the content ------------------------------------------------------------------------------- */

static void
free_bookmark(gpointer data)
{
  TnBookmark *bookmark = data;
  g_free(bookmark->name);
  g_free(bookmark->label);
  g_free(bookmark);
}

void
tn_notes_content_init(TnNotesContent *content)
{
  content->bookmarks = g_ptr_array_new_with_free_func(free_bookmark);
  content->text = g_strdup("");
}

void
tn_notes_content_clear(TnNotesContent *content)
{
  g_clear_pointer(&content->bookmarks, g_ptr_array_unref);
  g_clear_pointer(&content->text, g_free);
}

TnBookmark *
tn_bookmark_copy(const TnBookmark *bookmark)
{
  TnBookmark *copy = g_memdup2(bookmark, sizeof *bookmark);
  copy->name = g_strdup(bookmark->name ? bookmark->name : "");
  copy->label = g_strdup(bookmark->label);
  return copy;
}

void
tn_notes_content_insert(TnNotesContent *content, const TnBookmark *bookmark)
{
  guint at = content->bookmarks->len;
  while (at > 0 &&
         ((TnBookmark *)g_ptr_array_index(content->bookmarks, at - 1))->tick > bookmark->tick)
    at--;
  g_ptr_array_insert(content->bookmarks, (gint)at, tn_bookmark_copy(bookmark));
}

static gint
compare_ticks(gconstpointer a, gconstpointer b)
{
  tn_tick x = (*(TnBookmark *const *)a)->tick, y = (*(TnBookmark *const *)b)->tick;
  return x < y ? -1 : x > y;
}

bool
tn_notes_check_text(const char *text, GError **error)
{
  gsize size = strlen(text);
  if (size > TN_NOTES_TEXT_MOST)
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                "a text of %" G_GSIZE_FORMAT " bytes, expected at most %d", size, TN_NOTES_TEXT_MOST);
  return size <= TN_NOTES_TEXT_MOST;
}

/* Of a line that is longer than one may be: after its last space, else its last whole character. */
static gsize
find_break(const char *line)
{
  const char *space = g_strrstr_len(line, TN_NOTES_LINE_MOST, " ");
  if (space)
    return (gsize)(space + 1 - line);
  return (gsize)(g_utf8_find_prev_char(line, line + TN_NOTES_LINE_MOST + 1) - line);
}

/* Nothing is lost, and the field stays quick. */
static char *
break_lines(const char *text)
{
  GString *out = g_string_new(NULL);
  while (*text) {
    gsize n = strcspn(text, "\n");
    bool is_long = n > TN_NOTES_LINE_MOST;
    n = is_long ? find_break(text) : n + (text[n] == '\n');
    g_string_append_len(out, text, (gssize)n);
    if (is_long)
      g_string_append_c(out, '\n');
    text += n;
  }
  return g_string_free(out, FALSE);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void
append_buffer(GString *out, const TnBookmark *bookmark)
{
  g_string_append_printf(out, ", \"buffer\": %u", bookmark->buffer);
  if (!bookmark->label)
    return;
  g_string_append(out, ", \"label\": ");
  tn_json_append_string(out, bookmark->label);
  g_string_append(out, ", \"bytes\": ");
  tn_json_append_int(out, bookmark->bytes);
}

static void
append_bookmark(GString *out, const TnBookmark *bookmark)
{
  g_string_append(out, "    {\"name\": ");
  tn_json_append_string(out, bookmark->name);
  g_string_append_printf(out, ", \"device\": %d, \"tick\": ", bookmark->device);
  tn_json_append_int(out, bookmark->tick);
  if (bookmark->buffer != TN_NONE)
    append_buffer(out, bookmark);
  g_string_append_c(out, '}');
}

char *
tn_notes_json_build(const TnNotesContent *content, const char *path, const char *hash)
{
  g_autofree char *valid = g_utf8_make_valid(path, -1); /* a path is bytes */
  GString *out = g_string_new("{\n  \"format\": \"tenure-notes\",\n  \"version\": 1,\n  \"file\": ");
  tn_json_append_string(out, valid);
  g_string_append(out, ",\n  \"sha256\": ");
  tn_json_append_string(out, hash ? hash : "");
  g_string_append(out, ",\n  \"notes\": ");
  tn_json_append_string(out, content->text);
  g_string_append(out, ",\n  \"bookmarks\": [");
  for (guint i = 0; i < content->bookmarks->len; i++) {
    g_string_append(out, i ? ",\n" : "\n");
    append_bookmark(out, g_ptr_array_index(content->bookmarks, i));
  }
  g_string_append(out, content->bookmarks->len ? "\n  ]\n}\n" : "]\n}\n");
  return g_string_free(out, FALSE);
}

/* In place of the text that is there. */
static bool
read_text(TnJson *json, char **text)
{
  const char *read;
  if (!tn_json_read_string(json, &read))
    return false;
  g_free(*text);
  *text = g_strdup(read);
  return true;
}

static void
read_bookmark(TnJson *json, TnNotesContent *content)
{
  const char *key;
  int64_t number;
  g_autofree char *name = NULL, *label = NULL;
  TnBookmark bookmark = {.buffer = TN_NONE};
  tn_json_begin_object(json);
  while (tn_json_next_key(json, &key)) {
    if (strcmp(key, "name") == 0 && read_text(json, &name)) {
      continue;
    } else if (strcmp(key, "label") == 0 && read_text(json, &label)) {
      continue;
    } else if (strcmp(key, "bytes") == 0 && tn_json_read_int(json, &number)) {
      bookmark.bytes = MAX(number, 0);
    } else if (strcmp(key, "device") == 0 && tn_json_read_int(json, &number)) {
      bookmark.device = (int32_t)CLAMP(number, INT32_MIN, INT32_MAX);
    } else if (strcmp(key, "tick") == 0 && tn_json_read_int(json, &number)) {
      bookmark.tick = MAX(number, 0);
    } else if (strcmp(key, "buffer") == 0 && tn_json_read_int(json, &number)) {
      bookmark.buffer = number >= 0 && number < TN_NONE ? (tn_index)number : TN_NONE;
    } else {
      tn_json_skip(json);
    }
  }
  bookmark.name = name;
  bookmark.label = label;
  if (!tn_json_has_failed(json))
    g_ptr_array_add(content->bookmarks, tn_bookmark_copy(&bookmark));
}

static void
read_bookmarks(TnJson *json, TnNotesContent *content)
{
  tn_json_begin_array(json);
  while (tn_json_next_item(json)) {
    if (content->bookmarks->len >= TN_NOTES_MOST)
      tn_json_fail(json, TN_DATA_ERROR_TOO_LARGE, "more than %u bookmarks, expected at most as many",
                   TN_NOTES_MOST);
    else
      read_bookmark(json, content);
  }
}

/* A later version may hold what this one would lose. */
static void
check_version(TnJson *json)
{
  int64_t version;
  if (tn_json_read_int(json, &version) && version != 1)
    tn_json_fail(json, TN_DATA_ERROR_UNSUPPORTED,
                 "notes of version %" G_GINT64_FORMAT ", expected version 1", (gint64)version);
}

static bool
read_all(TnJson *json, TnNotesContent *content)
{
  const char *key, *text;
  bool is_notes = false;
  tn_json_begin_object(json);
  while (tn_json_next_key(json, &key)) {
    if (strcmp(key, "format") == 0 && tn_json_read_string(json, &text)) {
      is_notes = strcmp(text, "tenure-notes") == 0;
    } else if (strcmp(key, "notes") == 0 && read_text(json, &content->text)) {
      continue;
    } else if (strcmp(key, "bookmarks") == 0) {
      read_bookmarks(json, content);
    } else if (strcmp(key, "version") == 0) {
      check_version(json);
    } else {
      tn_json_skip(json);
    }
  }
  g_autoptr(GError) error = NULL;
  if (!tn_notes_check_text(content->text, &error))
    tn_json_fail(json, TN_DATA_ERROR_TOO_LARGE, "%s", error->message);
  g_autofree char *whole = content->text;
  content->text = break_lines(whole);
  return tn_json_expect_end(json) &&
         (is_notes || tn_json_fail(json, TN_DATA_ERROR_MALFORMED, "these are no notes of Tenure"));
}

bool
tn_notes_json_parse(TnNotesContent *content, const char *name, const char *text, gsize size,
                    GError **error)
{
  TnJson json;
  TnNotesContent read;
  tn_notes_content_init(&read);
  tn_json_init(&json, name, text, size, error);
  bool is_good = read_all(&json, &read);
  tn_json_clear(&json);
  if (is_good) {
    g_ptr_array_sort(read.bookmarks, compare_ticks); /* a stable one */
    TnNotesContent old = *content;
    *content = read;
    read = old;
  }
  tn_notes_content_clear(&read);
  return is_good;
}

/* ---- where ------------------------------------------------------------------------------------- */

static char *
build_folder(void)
{
  return g_build_filename(g_get_user_data_dir(), "tenure", "notes", NULL);
}

/* "-PATHHASH.json": the end of the name of all notes of one path. */
static char *
build_end(const char *path)
{
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, path, -1);
  return g_strdup_printf("-%.16s.json", hash);
}

char *
tn_notes_build_place(const char *path, const char *hash)
{
  g_autofree char *folder = build_folder(), *end = build_end(path);
  g_autofree char *name = g_strdup_printf("%.32s%s", hash, end);
  return g_build_filename(folder, name, NULL);
}

/* The newest file of the folder whose name starts or ends so. */
static char *
find_newest(const char *start, const char *end)
{
  g_autofree char *folder = build_folder();
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  char *best = NULL;
  gint64 best_time = G_MININT64;
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    if (!(start ? g_str_has_prefix(name, start) : g_str_has_suffix(name, end)))
      continue;
    g_autofree char *place = g_build_filename(folder, name, NULL);
    GStatBuf about;
    if (g_stat(place, &about) != 0 || about.st_mtime < best_time)
      continue;
    best_time = about.st_mtime;
    g_free(best);
    best = g_steal_pointer(&place);
  }
  return best;
}

char *
tn_notes_find_place(const char *path, const char *hash, bool *out_is_other)
{
  g_autofree char *own = tn_notes_build_place(path, hash), *end = build_end(path);
  g_autofree char *start = g_strdup_printf("%.32s-", hash);
  g_autofree char *beside = g_strconcat(path, ".notes.json", NULL);
  *out_is_other = false;
  if (g_file_test(own, G_FILE_TEST_EXISTS))
    return g_steal_pointer(&own);
  char *found = find_newest(start, NULL);
  if (found)
    return found;
  found = find_newest(NULL, end);
  *out_is_other = found != NULL;
  if (found || !g_file_test(beside, G_FILE_TEST_IS_REGULAR))
    return found;
  return g_steal_pointer(&beside);
}
