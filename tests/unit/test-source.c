/* SPDX-License-Identifier: MIT */
/* Files that change under the reader's hands. */
#include "config.h"

#include "data/error.h"
#include "data/map-guard.h"
#include "data/reader.h"
#include "data/write.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static char *folder;

/* A file of `size` bytes 'x'; owned. */
static char *
make_file(const char *name, gsize size)
{
  char *path = g_build_filename(folder, name, NULL);
  g_autofree char *bytes = g_malloc(size);
  memset(bytes, 'x', size);
  g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
  return path;
}

static void
test_shorter(void)
{
  g_autofree char *path = make_file("shorter.bin", 1 << 20);
  g_autoptr(TnSource) source = tn_source_new(path, 0, NULL);
  g_assert_cmpint(source->data[700000], ==, 'x');
  g_assert_cmpint(truncate(path, 4096), ==, 0);
  g_assert_false(tn_source_is_torn(source));
  g_assert_cmpint(source->data[0], ==, 'x');
  g_assert_cmpint(source->data[700000], ==, 0);
  g_assert_true(tn_source_is_torn(source));
  g_assert_cmpint(source->data[(1 << 20) - 1], ==, 0);
  g_assert_cmpint(source->data[4095], ==, 'x');
}

/* A file put in the place of another changes nothing for whoever has the old one open. */
static void
test_replaced(void)
{
  g_autofree char *path = make_file("replaced.bin", 100000);
  g_autoptr(TnSource) source = tn_source_new(path, 0, NULL);
  g_assert_true(g_file_set_contents(path, "new", 3, NULL));
  g_assert_cmpint(source->data[99999], ==, 'x');
  g_assert_false(tn_source_is_torn(source));
}

typedef struct {
  const char *path;
  bool is_cut;
} Cutter;

static void
cut(double fraction, const char *stage, void *payload)
{
  Cutter *cutter = payload;
  if (!cutter->is_cut)
    g_assert_cmpint(truncate(cutter->path, 4096), ==, 0);
  cutter->is_cut = true;
}

/* Whatever a reader makes of the zeros, the answer is that the file became shorter. */
static void
test_while_read(void)
{
  g_autoptr(GString) text = g_string_new("id,lower,upper,size\n");
  for (int i = 0; i < 300000; i++)
    g_string_append_printf(text, "b%d,%d,%d,64\n", i, i, i + 2);
  g_autofree char *path = g_build_filename(folder, "read.csv", NULL);
  g_assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
  Cutter cutter = {path, false};
  TnProgress progress = {.report = cut, .payload = &cutter};
  TnReadOptions options = {.progress = &progress, .is_partial_wanted = true};
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
  g_assert_true(cutter.is_cut);
  g_assert_null(document);
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_OPEN);
  g_assert_nonnull(strstr(error->message, "read.csv: became shorter while it was read"));
}

/* Another SIGBUS still ends the program. */
static void
test_not_ours(void)
{
  if (g_test_subprocess()) {
    g_autofree char *path = make_file("ours.bin", 4096);
    g_autoptr(TnSource) source = tn_source_new(path, 0, NULL);
    g_assert_cmpint(source->data[0], ==, 'x');
    raise(SIGBUS);
    raise(SIGBUS);
    exit(0);
  }
  g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_failed();
}

/* More maps than there are guards. */
static void
test_many(void)
{
  static TnMapGuard *guards[300];
  static char bytes[300];
  int n = 0;
  for (int i = 0; i < 300; i++)
    n += (guards[i] = tn_map_guard_new(&bytes[i], 1)) != NULL;
  g_assert_cmpint(n, ==, 256);
  for (int i = 0; i < 300; i++)
    tn_map_guard_free(guards[i]);
  TnMapGuard *again = tn_map_guard_new(&bytes[0], 1);
  g_assert_nonnull(again);
  g_assert_false(tn_map_guard_is_torn(again));
  tn_map_guard_free(again);
}

/* Two members of gzip, one after the other; owned. */
static char *
make_packed(const char *name, gsize *out_first)
{
  static const char *const texts[] = {"the first member, ", "the second"};
  g_autoptr(GByteArray) all = g_byte_array_new();
  for (int i = 0; i < 2; i++) {
    uint8_t packed[256];
    z_stream z = {0};
    g_assert_cmpint(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
    z.next_in = (Bytef *)(uintptr_t)texts[i];
    z.avail_in = (uInt)strlen(texts[i]);
    z.next_out = packed;
    z.avail_out = sizeof packed;
    g_assert_cmpint(deflate(&z, Z_FINISH), ==, Z_STREAM_END);
    g_byte_array_append(all, packed, (guint)z.total_out);
    *out_first = i == 0 ? z.total_out : *out_first;
    deflateEnd(&z);
  }
  char *path = g_build_filename(folder, name, NULL);
  g_assert_true(g_file_set_contents(path, (const char *)all->data, (gssize)all->len, NULL));
  return path;
}

/* zlib is handed 1 GiB at a time: a member may end where such a piece ends, or anywhere in it. */
static void
test_members(void)
{
  gsize first = 0;
  g_autofree char *path = make_packed("members.gz", &first);
  for (gsize piece = 1; piece <= first + 3; piece++) {
    char text[64] = "";
    gsize n = 0, got = 1;
    g_autoptr(TnSource) source = tn_source_new_head(path, 0, NULL);
    g_assert_cmpmem(source->data, source->size, "the first member, the second", 28);
    TnSource packed = {.name = source->name, .piece = piece};
    g_assert_true(g_file_get_contents(path, (char **)&packed.map, &packed.map_size, NULL));
    g_autoptr(TnSourceStream) stream = tn_source_stream_new(&packed);
    for (; got; n += got)
      g_assert_true(tn_source_stream_read(stream, (uint8_t *)text + n, sizeof text - n, &got, NULL));
    g_assert_cmpmem(text, n, "the first member, the second", 28);
    g_free(packed.map);
  }
}

/* A pipe of 100,000 bytes, under a limit. */
static TnSource *
read_pipe(gsize limit, GError **error)
{
  g_autofree char *path = NULL;
  int ends[2];
  g_assert_cmpint(pipe(ends), ==, 0);
  if (fork() == 0) {
    g_autofree char *text = g_malloc0(100000);
    _exit(write(ends[1], text, 100000) < 0);
  }
  close(ends[1]);
  path = g_strdup_printf("/dev/fd/%d", ends[0]);
  TnSource *source = tn_source_new(path, limit, error);
  close(ends[0]);
  return source;
}

/* All that the limit allows is read, and one byte more is refused. */
static void
test_limit(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnSource) all = read_pipe(100000, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(all->size, ==, 100000);
  g_assert_false(all->is_mapped);
  g_autoptr(TnSource) less = read_pipe(99999, &error);
  g_assert_null(less);
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE);
}

/* A link stays one, also where nothing is behind it yet; what is replaced keeps its mode. */
static void
test_write(void)
{
  g_autofree char *link = g_build_filename(folder, "link", NULL);
  g_autofree char *target = g_build_filename(folder, "target", NULL);
  GStatBuf info;
  g_assert_cmpint(symlink("target", link), ==, 0);
  g_assert_true(tn_write_file(link, "1", 1, NULL));
  g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint(g_chmod(target, 0600), ==, 0);
  g_assert_true(tn_write_file(link, "22", 2, NULL));
  g_assert_cmpint(g_stat(target, &info), ==, 0);
  g_assert_cmpint(info.st_mode & 0777, ==, 0600);
  g_assert_cmpint(info.st_size, ==, 2);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  folder = g_dir_make_tmp("tenure-source-XXXXXX", NULL);
  g_test_add_func("/source/shorter", test_shorter);
  g_test_add_func("/source/replaced", test_replaced);
  g_test_add_func("/source/while-read", test_while_read);
  g_test_add_func("/source/not-ours", test_not_ours);
  g_test_add_func("/source/many-maps", test_many);
  g_test_add_func("/source/members", test_members);
  g_test_add_func("/source/limit", test_limit);
  g_test_add_func("/source/write", test_write);
  int status = g_test_run();
  g_autofree char *command = g_strdup_printf("rm -rf '%s'", folder);
  return system(command) == 0 ? status : 1;
}
