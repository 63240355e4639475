/* SPDX-License-Identifier: MIT */
/* PyTorch snapshots in what else holds them: the viewer's HTML page, JSON, gzip. */
#include "config.h"

#include "tests/unit/pytorch-support.h"

#include <glib/gstdio.h>
#include <unistd.h>
#include <zlib.h>

static void
test_trailing_bytes(void)
{
  g_autoptr(GByteArray) bytes =
      pickle_new(4, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
  g_byte_array_append(bytes, (const guint8 *)"\0\0\0", 3);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  check_alloc_and_free(document);
}

static void
test_html(void)
{
  g_autoptr(GByteArray) bytes =
      pickle_new(4, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
  g_autofree char *base64 = g_base64_encode(bytes->data, bytes->len);
  g_autofree char *page = g_strdup_printf(
      "<!DOCTYPE html>\n<html><head></head><body><script type=\"module\">\nimport {add_local_files}"
      " from \"x\"\nconst local_files = [{\"name\": \"snapshot.pickle\", \"base64\": \"%s\"}]\n"
      "add_local_files(local_files, \"Active Memory Timeline\")\n</script></body>\n",
      base64);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(page, strlen(page), false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "pytorch-html");
  check_alloc_and_free(document);
  char *bad = strstr(page, base64) + 8;
  *bad = '!';
  g_assert_null(load_bytes(page, strlen(page), false, NULL, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
}

/* Of several snapshots in a page the first is read, and that there are more is said. */
static void
test_html_of_several(void)
{
  g_autoptr(GByteArray) bytes =
      pickle_new(4, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
  g_autofree char *base64 = g_base64_encode(bytes->data, bytes->len);
  g_autofree char *page = g_strdup_printf(
      "<!DOCTYPE html>\n<html><body><script>const local_files = [{\"name\": \"a\", \"base64\": \"%s\"},\n"
      "{\"name\": \"b\", \"base64\": \"\"}, {\"name\": \"c\", \"base64\": \"%s\"}]\n</script></body>\n",
      base64, base64);
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(page, strlen(page), false, NULL, &error);
  g_assert_no_error(error);
  check_alloc_and_free(document);
  const TnWarning *more = tn_diagnostics_get(document->diagnostics, 0);
  g_assert_cmpstr(more->code, ==, "more-snapshots");
  g_assert_cmpint(more->count, ==, 2);
}

static const char json_snapshot[] =
    "{\"segments\": [{\"device\": 0, \"address\": 18446744073709551104, \"total_size\": 512,"
    " \"segment_pool_id\": [4294967296, 1], \"odd\": [[[{\"a\": null}]]], \"blocks\": [{\"size\": 512,"
    " \"state\": \"inactive\", \"requested_size\": 0}]}],\n"
    " \"device_traces\": [[{\"action\": \"alloc\", \"addr\": 4096, \"size\": 1000, \"stream\": 0,"
    " \"time_us\": 50, \"frames\": [{\"filename\": \"/home/me/train.py\", \"line\": 12, \"name\":"
    " \"forward\"}]}, {\"action\": \"free_completed\", \"addr\": 4096, \"size\": 1000,"
    " \"time_us\": 60, \"frames\": []}]]}";

static void
test_json(void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document =
      load_bytes(json_snapshot, strlen(json_snapshot), false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "pytorch-json");
  check_alloc_and_free(document);
  const TnDevice *device = tn_document_get_device(document, 0);
  const TnSegment *segment = &g_array_index(device->segments, TnSegment, 0);
  g_assert_cmpuint(segment->address, ==, 18446744073709551104u);
  g_assert_cmpint(g_array_index(device->spaces, TnSpace, segment->space).pool[0], ==, 4294967296);
  g_assert_cmpint(g_array_index(device->spaces, TnSpace, segment->space).pool[1], ==, 1);
}

static void
test_json_truncated(void)
{
  gsize whole = strlen(json_snapshot);
  for (gsize n = 1; n < whole; n++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load_bytes(json_snapshot, n, false, "pytorch-json", &error));
    g_assert_true(error->domain == TN_DATA_ERROR);
    g_autoptr(TnDocument) part = load_bytes(json_snapshot, n, true, "pytorch-json", NULL);
    if (n > 300 && !part)
      g_error("a cut at byte %zu gave nothing", n);
  }
}

static GByteArray *
gzip(const guint8 *data, gsize size)
{
  z_stream z = {0};
  g_assert_cmpint(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
  GByteArray *out = g_byte_array_new();
  g_byte_array_set_size(out, (guint)deflateBound(&z, size) + 64);
  z.next_in = (Bytef *)(uintptr_t)data;
  z.avail_in = (uInt)size;
  z.next_out = out->data;
  z.avail_out = out->len;
  g_assert_cmpint(deflate(&z, Z_FINISH), ==, Z_STREAM_END);
  g_byte_array_set_size(out, (guint)z.total_out);
  deflateEnd(&z);
  return out;
}

/* Gzip is opened by the source, so it takes a file. */
static void
test_gzip(void)
{
  g_autoptr(GByteArray) bytes =
      pickle_new(4, "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u");
  g_autoptr(GByteArray) packed = gzip(bytes->data, bytes->len);
  g_autoptr(GError) error = NULL;
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp("tenure-XXXXXX.pickle.gz", &path, &error);
  g_assert_no_error(error);
  close(fd);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  for (guint cut = 0; cut < 2; cut++) {
    g_assert_true(g_file_set_contents(path, (const char *)packed->data,
                                      (gssize)(packed->len - cut * 9), NULL));
    g_autoptr(TnDocument) document = tn_document_load(path, &options, &error);
    if (cut == 0) {
      g_assert_no_error(error);
      check_alloc_and_free(document);
    } else {
      g_assert_null(document);
      g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
    }
  }
  /* A part of the sample, packed: what came before the cut is read where that is wanted. */
  g_autofree char *sample = own_sample(), *text = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(sample, &text, &size, NULL));
  g_autoptr(GByteArray) whole = gzip((const guint8 *)text, size);
  g_assert_true(g_file_set_contents(path, (const char *)whole->data, whole->len / 2, NULL));
  options.is_partial_wanted = true;
  g_clear_error(&error);
  g_autoptr(TnDocument) part = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(events_of(part, 0)->n, >, 500);
  g_assert_cmpuint(events_of(part, 0)->n, <, 4587);
  g_assert_cmpstr(tn_diagnostics_get(part->diagnostics, 0)->code, ==, "truncated");
  /* Damage is no cut. */
  memset(whole->data + 100, 0xff, 50);
  g_assert_true(g_file_set_contents(path, (const char *)whole->data, whole->len, NULL));
  g_assert_null(tn_document_load(path, &options, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
  g_remove(path);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pytorch/trailing-bytes", test_trailing_bytes);
  g_test_add_func("/pytorch/html", test_html);
  g_test_add_func("/pytorch/html-of-several", test_html_of_several);
  g_test_add_func("/pytorch/json", test_json);
  g_test_add_func("/pytorch/json-truncated", test_json_truncated);
  g_test_add_func("/pytorch/gzip", test_gzip);
  return g_test_run();
}
