/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/notes.h"

#include "app/window/background.h"
#include "app/window/notes-private.h"
#include "data/file-hash.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#define WRITE_AFTER_MS 300

G_DEFINE_TYPE(TnNotes, tn_notes, G_TYPE_OBJECT)

static guint changed_signal;
static GPtrArray *all; /* TnNotes of files, not owned */

static void
set_trouble(TnNotes *notes, const char *trouble)
{
  g_free(notes->trouble);
  notes->trouble = g_strdup(trouble);
}

/* ---- twins ------------------------------------------------------------------------------------- */

/* Where a file was only touched, or the same was written once more, tabs of before and after have notes in
 * one place: what is changed in one is changed in the other, so that either can write them. */
static bool
is_twin(const TnNotes *a, const TnNotes *b)
{
  return a != b && a->hash && b->hash && !a->is_locked && !b->is_locked &&
         g_str_equal(a->path, b->path) && g_str_equal(a->hash, b->hash);
}

/* References. */
static GPtrArray *
list_twins(const TnNotes *notes)
{
  GPtrArray *twins = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; i < all->len; i++)
    if (is_twin(notes, g_ptr_array_index(all, i)))
      g_ptr_array_add(twins, g_object_ref(g_ptr_array_index(all, i)));
  return twins;
}

static void
copy_content(TnNotesContent *to, const TnNotesContent *from)
{
  tn_notes_content_clear(to);
  tn_notes_content_init(to);
  for (guint i = 0; i < from->bookmarks->len; i++)
    g_ptr_array_add(to->bookmarks, tn_bookmark_copy(g_ptr_array_index(from->bookmarks, i)));
  g_free(to->text);
  to->text = g_strdup(from->text);
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* Nothing to keep leaves no file.  Any thread. */
static bool
put(const char *place, const char *json, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(place);
  if (!json) {
    g_unlink(place);
    return true;
  }
  if (g_mkdir_with_parents(folder, 0700) != 0) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, _("%s can’t be made"), folder);
    return false;
  }
  return g_file_set_contents_full(place, json, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, error);
}

typedef struct {
  TnNotes *notes; /* owned reference */
  char *place, *json; /* json is NULL: nothing to keep */
  guint64 generation;
  GError *error;
} WriteJob;

static void
write_work(gpointer data)
{
  WriteJob *job = data;
  g_mutex_lock(&job->notes->lock);
  if (!job->error && job->generation > job->notes->written && put(job->place, job->json, &job->error))
    job->notes->written = job->generation;
  g_mutex_unlock(&job->notes->lock);
}

static void
write_done(gpointer data)
{
  WriteJob *job = data;
  if (!job->error && !job->notes->is_unkept)
    return;
  g_autofree char *text =
      job->error ? g_strdup_printf(_("The notes are not kept: %s"), job->error->message) : NULL;
  job->notes->is_unkept = job->error != NULL;
  set_trouble(job->notes, text);
  g_signal_emit(job->notes, changed_signal, 0);
}

static void
free_write_job(gpointer data)
{
  WriteJob *job = data;
  g_object_unref(job->notes);
  g_free(job->place);
  g_free(job->json);
  g_clear_error(&job->error);
  g_free(job);
}

static WriteJob *
make_write_job(TnNotes *notes)
{
  bool is_empty = notes->content.bookmarks->len == 0 && !notes->content.text[0];
  WriteJob *job = g_new0(WriteJob, 1);
  job->notes = g_object_ref(notes);
  job->place = tn_notes_build_place(notes->path, notes->hash);
  if (!is_empty && tn_notes_check_text(notes->content.text, &job->error))
    job->json = tn_notes_build_json(notes);
  job->generation = notes->generation;
  return job;
}

static gboolean
on_write(gpointer data)
{
  TnNotes *notes = data;
  notes->waiting = 0;
  if (notes->hash && !notes->is_locked)
    tn_background_run(make_write_job(notes), write_work, write_done, free_write_job);
  return G_SOURCE_REMOVE;
}

static void
tell_one(TnNotes *notes)
{
  notes->generation++;
  if (!notes->waiting)
    notes->waiting = g_timeout_add_full(G_PRIORITY_DEFAULT, WRITE_AFTER_MS, on_write,
                                        g_object_ref(notes), g_object_unref);
  g_signal_emit(notes, changed_signal, 0);
}

void
tn_notes_tell_change(TnNotes *notes)
{
  g_autoptr(GPtrArray) twins = list_twins(notes);
  tell_one(notes);
  for (guint i = 0; i < twins->len; i++) {
    TnNotes *twin = g_ptr_array_index(twins, i);
    copy_content(&twin->content, &notes->content);
    twin->edition = notes->edition;
    tell_one(twin);
  }
}

void
tn_notes_count_edition(TnNotes *notes)
{
  static guint n_editions;
  notes->edition = ++n_editions;
}

/* A write may be under way. */
static bool
is_written(TnNotes *notes)
{
  g_mutex_lock(&notes->lock);
  bool is_newest = notes->written >= notes->generation;
  g_mutex_unlock(&notes->lock);
  return is_newest;
}

static void
flush(TnNotes *notes)
{
  if (!notes->hash || notes->is_locked || is_written(notes))
    return;
  WriteJob *job = make_write_job(notes);
  write_work(job);
  if (job->error)
    g_printerr("tenure: %s\n", job->error->message);
  free_write_job(job);
}

/* Where they are kept is known only then. */
static void
wait_for_place(TnNotes *notes)
{
  while (notes->is_reading && !is_written(notes))
    g_main_context_iteration(NULL, TRUE);
}

void
tn_notes_flush_all(void)
{
  g_autoptr(GPtrArray) held = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint i = 0; all && i < all->len; i++) /* others may end meanwhile */
    g_ptr_array_add(held, g_object_ref(g_ptr_array_index(all, i)));
  for (guint i = 0; i < held->len; i++) {
    wait_for_place(g_ptr_array_index(held, i));
    flush(g_ptr_array_index(held, i));
  }
}

/* ---- reading ----------------------------------------------------------------------------------- */

typedef struct {
  TnNotes *notes; /* owned reference */
  char *path, *hash, *found;
  TnFileStamp stamp; /* of what was hashed */
  TnNotesContent kept;
  bool is_other, is_good; /* something was kept, and is read */
  GError *error;
} ReadJob;

#define LARGE (32 << 20) /* bytes: hashing more than this takes longer than a frame */
#define AFTER_US 300000  /* then the first picture comes first */
#define LARGEST (16 << 20) /* bytes of notes: more was not written by hand */

/* On a thread of its own, which may wait. */
static void
let_the_picture_come(const char *path)
{
  GStatBuf file;
  if (g_stat(path, &file) == 0 && file.st_size > LARGE)
    g_usleep(AFTER_US);
}

static bool
check_size(const char *place, GError **error)
{
  GStatBuf file;
  if (g_stat(place, &file) != 0 || file.st_size <= LARGEST)
    return true;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, _("%s has %" G_GINT64_FORMAT " bytes, expected at most %d"),
              place, (gint64)file.st_size, LARGEST);
  return false;
}

static void
read_kept(ReadJob *job)
{
  g_autofree char *json = NULL;
  gsize size;
  job->is_good = check_size(job->found, &job->error) &&
                 g_file_get_contents(job->found, &json, &size, &job->error) &&
                 tn_notes_json_parse(&job->kept, job->found, json, size, &job->error);
}

static void
read_work(gpointer data)
{
  ReadJob *job = data;
  let_the_picture_come(job->path);
  job->hash = tn_file_hash(job->path, NULL);
  job->stamp = tn_file_stamp_of(job->path);
  job->found = job->hash ? tn_notes_find_place(job->path, job->hash, &job->is_other) : NULL;
  if (job->found)
    read_kept(job);
}

/* What was put meanwhile stays beside what was kept, as far as there is room. */
static void
take(TnNotes *notes, ReadJob *job)
{
  TnNotesContent early = notes->content;
  notes->content = job->kept;
  job->kept = early;
  tn_notes_count_edition(notes);
  for (guint i = 0; i < early.bookmarks->len && notes->content.bookmarks->len < TN_NOTES_MOST; i++)
    tn_notes_content_insert(&notes->content, g_ptr_array_index(early.bookmarks, i));
}

static void
tell_unread(TnNotes *notes, const GError *error)
{
  g_autofree char *text = g_strdup_printf(
      notes->is_locked ? _("The notes can’t be read, and stay as they are; nothing new is kept: %s")
                       : _("The notes can’t be read: %s"),
      error->message);
  set_trouble(notes, text);
}

/* What it holds may not be on the disk yet. */
static void
read_twin(ReadJob *job, const TnNotes *twin)
{
  copy_content(&job->kept, &twin->content);
  set_trouble(job->notes, twin->trouble);
  job->notes->is_unkept = twin->is_unkept;
  job->is_good = true;
}

/* True: what was found is to be written there. */
static bool
read_place(TnNotes *notes, ReadJob *job)
{
  g_autofree char *own = notes->hash ? tn_notes_build_place(notes->path, notes->hash) : NULL;
  bool is_own = g_strcmp0(own, job->found) == 0;
  notes->is_locked = job->error && is_own;
  if (job->is_good && job->is_other)
    set_trouble(notes, _("Made for another version of this file"));
  if (job->error)
    tell_unread(notes, job->error);
  else if (!notes->hash)
    set_trouble(notes, _("Not kept: this is no file that can be read again"));
  return job->is_good && !is_own;
}

static void
read_done(gpointer data)
{
  ReadJob *job = data;
  TnNotes *notes = job->notes;
  bool had_changes = notes->generation > 0;
  notes->is_reading = false;
  notes->hash = g_steal_pointer(&job->hash);
  bool is_new = read_place(notes, job);
  g_autoptr(GPtrArray) twins = list_twins(notes);
  if (twins->len > 0 && tn_file_stamp_is_same(&notes->stamp, &job->stamp)) {
    read_twin(job, g_ptr_array_index(twins, 0));
    is_new = false;
  } else if (twins->len > 0) { /* replaced before it was hashed: it may be another content than the twin's */
    notes->is_locked = true;
    set_trouble(notes, _("Not kept: the file was replaced since it was read"));
  }
  if (job->is_good)
    take(notes, job);
  if (had_changes || is_new)
    tn_notes_tell_change(notes);
  else
    g_signal_emit(notes, changed_signal, 0);
}

static void
free_read_job(gpointer data)
{
  ReadJob *job = data;
  g_object_unref(job->notes);
  g_free(job->path);
  g_free(job->hash);
  g_free(job->found);
  tn_notes_content_clear(&job->kept);
  g_clear_error(&job->error);
  g_free(job);
}

/* ---- the object -------------------------------------------------------------------------------- */

static void
finalize(GObject *object)
{
  TnNotes *notes = TN_NOTES(object);
  g_ptr_array_remove_fast(all, notes);
  tn_notes_content_clear(&notes->content);
  g_free(notes->path);
  g_free(notes->hash);
  g_free(notes->trouble);
  g_mutex_clear(&notes->lock);
  G_OBJECT_CLASS(tn_notes_parent_class)->finalize(object);
}

static void
tn_notes_class_init(TnNotesClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  changed_signal = g_signal_new("changed", TN_TYPE_NOTES, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
}

static void
tn_notes_init(TnNotes *notes)
{
  tn_notes_content_init(&notes->content);
  g_mutex_init(&notes->lock);
}

/* Those of another content at the path are written first: the new ones begin with what was kept of them. */
static TnNotes *
find_alive(const char *path, const TnFileStamp *stamp)
{
  TnNotes *found = NULL;
  for (guint i = 0; i < all->len; i++) {
    TnNotes *notes = g_ptr_array_index(all, i);
    if (!g_str_equal(notes->path, path))
      continue;
    if (tn_file_stamp_is_same(&notes->stamp, stamp))
      found = notes;
    else
      flush(notes);
  }
  return found;
}

static void
start_reading(TnNotes *notes)
{
  ReadJob *job = g_new0(ReadJob, 1);
  notes->is_reading = true;
  job->notes = g_object_ref(notes);
  job->path = g_strdup(notes->path);
  tn_notes_content_init(&job->kept);
  tn_background_run_quietly(job, read_work, read_done, free_read_job); /* hashes the whole file */
}

TnNotes *
tn_notes_for_file(const char *path, const TnFileStamp *stamp)
{
  g_autofree char *whole = g_canonicalize_filename(path, NULL);
  if (!all)
    all = g_ptr_array_new();
  bool is_file = g_file_test(whole, G_FILE_TEST_EXISTS);
  TnNotes *notes = is_file ? find_alive(whole, stamp) : NULL;
  if (notes)
    return g_object_ref(notes);
  notes = g_object_new(TN_TYPE_NOTES, NULL);
  notes->path = g_steal_pointer(&whole);
  notes->stamp = *stamp;
  if (is_file)
    g_ptr_array_add(all, notes);
  start_reading(notes);
  return notes;
}

bool
tn_notes_is_reading(TnNotes *notes)
{
  return notes->is_reading;
}

guint
tn_notes_count(TnNotes *notes)
{
  return notes->content.bookmarks->len;
}

const TnBookmark *
tn_notes_get(TnNotes *notes, guint row)
{
  return g_ptr_array_index(notes->content.bookmarks, row);
}

const char *
tn_notes_get_text(TnNotes *notes)
{
  return notes->content.text;
}

guint
tn_notes_get_edition(TnNotes *notes)
{
  return notes->edition;
}

const char *
tn_notes_get_trouble(TnNotes *notes)
{
  return notes->trouble;
}

char *
tn_notes_build_json(TnNotes *notes)
{
  return tn_notes_json_build(&notes->content, notes->path, notes->hash);
}
