/* SPDX-License-Identifier: MIT */
/* ONNX models that name files: whatever they name, nothing is opened but what lies below the model's own
 * folder, part by part and through no link. */
#include "config.h"

#include "tests/fuzz/past-reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_openat(int folder, const char *name, int flags, ...);
int __wrap_openat(int folder, const char *name, int flags, ...);
int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);

static char *folder_path;
static bool is_reading;

/* The linker sends the program's own calls here (--wrap). */
int
__wrap_openat(int folder, const char *name, int flags, ...)
{
  g_assert_true(flags & O_NOFOLLOW);
  g_assert_false(flags & (O_CREAT | O_WRONLY | O_RDWR));
  g_assert_null(strchr(name, '/'));
  g_assert_cmpstr(name, !=, "..");
  g_assert_cmpstr(name, !=, "");
  return __real_openat(folder, name, flags);
}

int
__wrap_open(const char *name, int flags, ...)
{
  if (is_reading)
    g_assert_cmpstr(name, ==, folder_path);
  return __real_open(name, flags);
}

/* A folder with data, a folder in it, a link out of it and a link to the data. */
static void
make_folder(void)
{
  folder_path = g_dir_make_tmp("tenure-fuzz-XXXXXX", NULL);
  g_assert_nonnull(folder_path);
  g_autofree char *data = g_build_filename(folder_path, "w", NULL);
  g_autofree char *inner = g_build_filename(folder_path, "d", NULL);
  g_autofree char *out = g_build_filename(folder_path, "l", NULL);
  g_autofree char *link = g_build_filename(folder_path, "m", NULL);
  g_assert_true(g_file_set_contents(data, "0123456789abcdef", 16, NULL));
  g_assert_cmpint(mkdir(inner, 0700), ==, 0);
  g_assert_cmpint(symlink("/etc/passwd", out), ==, 0);
  g_assert_cmpint(symlink("w", link), ==, 0);
}

static void
remove_folder(void)
{
  static const char *const names[] = {"w", "d", "l", "m"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *name = g_build_filename(folder_path, names[i], NULL);
    remove(name);
  }
  rmdir(folder_path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  TnReadOptions options = {.format = "onnx"};
  g_autoptr(GError) error = NULL;
  if (!folder_path) {
    make_folder();
    atexit(remove_folder);
  }
  g_autoptr(TnSource) source = tn_source_new_for_bytes("model.onnx", data, size);
  source->path = g_build_filename(folder_path, "model.onnx", NULL);
  is_reading = true;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
  is_reading = false;
  g_assert_true((document == NULL) == (error != NULL));
  if (document)
    tn_fuzz_document(document);
  return 0;
}
