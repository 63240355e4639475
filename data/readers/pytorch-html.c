/* SPDX-License-Identifier: MIT */
/* The HTML page that PyTorch's _memory_viz.py writes: a snapshot pickle in base64 inside. */
#include "config.h"

#include "data/error.h"
#include "data/readers/pytorch.h"
#include "data/readers/readers.h"

#include <string.h>

/* The text between the quotes after the next "base64": from `at` on, or NULL. */
static const char *
find_payload(const char *at, const char *end, gsize *out_length)
{
  static const char key[] = "\"base64\"";
  while ((at = memmem(at, (gsize)(end - at), key, sizeof key - 1))) {
    at += sizeof key - 1;
    while (at < end && g_ascii_isspace(*at))
      at++;
    if (at >= end || *at != ':')
      continue;
    at++;
    while (at < end && g_ascii_isspace(*at))
      at++;
    if (at >= end || *at != '"')
      continue;
    const char *close = memchr(at + 1, '"', (gsize)(end - at - 1));
    *out_length = (gsize)((close ? close : end) - at - 1);
    return at + 1;
  }
  return NULL;
}

static bool
decode(const char *name, const char *text, gsize n, GByteArray *out, GError **error)
{
  int state = 0;
  guint save = 0;
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_isalnum(text[i]) && !strchr("+/=\r\n \t", text[i])) {
      g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                  "%s: found byte 0x%02x inside the base64 string; expected letters, digits, "
                  "'+', '/' or '='",
                  name, (uint8_t)text[i]);
      return false;
    }
  if (n / 4 * 3 > G_MAXUINT - 16) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TOO_LARGE,
                "%s: the base64 string has %" G_GSIZE_FORMAT " bytes; at most 5 GiB are read",
                name, n);
    return false;
  }
  g_byte_array_set_size(out, (guint)(n / 4 * 3 + 6));
  gsize used = g_base64_decode_step(text, n, out->data, &state, &save);
  g_byte_array_set_size(out, (guint)used);
  return true;
}

static bool
read_file(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  gsize n, next;
  const char *end = (const char *)source->data + source->size;
  const char *text = find_payload((const char *)source->data, end, &n);
  if (!text) {
    g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                "%s: found no \"base64\" string; expected a page written by PyTorch's "
                "_memory_viz.py",
                source->name);
    return false;
  }
  g_autoptr(GByteArray) pickle = g_byte_array_new();
  if (!decode(source->name, text, n, pickle, error))
    return false;
  for (const char *more = text; (more = find_payload(more + n, end, &next)); n = next)
    tn_diagnostics_count(document->diagnostics, "more-snapshots",
                         "the page has more than one snapshot: the first is read; open the pickles "
                         "of the others as files of their own");
  g_autofree char *name = g_strdup_printf("%s (the pickle inside)", source->name);
  return tn_pytorch_read_pickle(name, pickle->data, pickle->len, options, document, error);
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  gsize n = MIN(size, (gsize)1 << 20);
  const char *text = (const char *)data;
  bool is_html = g_strstr_len(text, (gssize)MIN(n, (gsize)4096), "<") != NULL;
  return is_html && memmem(data, n, "local_files", 11) && memmem(data, n, "base64", 6) ? 80 : 0;
}

const TnReader tn_reader_pytorch_html = {
    .name = "pytorch-html",
    .holds = "PyTorch memory_viz page (HTML) with a snapshot inside",
    .patterns = "*.html",
    .sniff = sniff,
    .read = read_file,
    .keeps_cut = true,
};
