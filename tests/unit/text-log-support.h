/* SPDX-License-Identifier: MIT */
/* What the tests of text share: reading a text, what its accounts say, and the noise that surrounds
 * a log in real life: prefixes, colours, CRLF, escapes. */
#pragma once

#include "analysis/findings-all.h"
#include "data/error.h"
#include "data/reader.h"
#include "shared.h"

#include <string.h>

#define GIB(x) ((tn_bytes)((x)*1073741824.0 + 0.5))
#define MIB(x) ((tn_bytes)((x)*1048576.0 + 0.5))

/* The second generation of PyTorch's sentence, also where it stands among other reports. */
#define PYTORCH_SENTENCE_2020                                                                      \
  "RuntimeError: CUDA out of memory. Tried to allocate 128.00 MiB (GPU 2; 11.17 GiB total "        \
  "capacity; 10.85 GiB already allocated; 24.81 MiB free; 10.86 GiB reserved in total by "         \
  "PyTorch)\n"

static inline TnDocument *
load_bytes(const char *text, gsize size)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", text, size);
  TnReadOptions options = {.format = "text-log"};
  return tn_document_load_source(source, &options, NULL);
}

static inline TnDocument *
load(const char *text)
{
  TnDocument *document = load_bytes(text, strlen(text));
  g_assert_nonnull(document);
  g_assert_cmpstr(document->format, ==, "text-log");
  return document;
}

static inline TnDocument *
load_sample(const char *relative)
{
  g_autofree char *path = shared_path(relative);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  if (!path)
    return NULL;
  TnDocument *document = tn_document_load(path, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(document->format, ==, "text-log");
  return document;
}

static inline const TnAccount *
account_of(const TnDocument *document, guint i)
{
  g_assert_cmpuint(i, <, document->accounts->len);
  return g_ptr_array_index(document->accounts, i);
}

/* Failures of all devices. */
static inline guint
count_marks(const TnDocument *document)
{
  guint n = 0;
  for (guint d = 0; d < document->devices->len; d++)
    n += tn_document_get_device(document, d)->marks->len;
  return n;
}

/* The bytes of the row or detail of this name; TN_BYTES_UNKNOWN where there is none. */
static inline tn_bytes
bytes_of(const TnAccount *account, const char *what)
{
  const GArray *lists[] = {account->rows, account->details};
  for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
    for (guint i = 0; i < lists[l]->len; i++)
      if (strcmp(tn_account_row(lists[l], i)->what, what) == 0)
        return tn_account_row(lists[l], i)->bytes;
  return TN_BYTES_UNKNOWN;
}

static inline void
assert_adds_up(const TnDocument *document)
{
  for (guint i = 0; i < document->accounts->len; i++) {
    const TnAccount *account = account_of(document, i);
    if (account->total >= 0 && account->rows->len && !account->is_cut_off)
      g_assert_cmpint(tn_account_sum(account), ==, account->total);
  }
}

/* The finding that explains the failed request of the first device; NULL: there is none. */
static inline const TnFinding *
find_oom(const TnDocument *document, TnFindings *findings)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnFindParams find = {0};
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_nonnull(study);
  tn_find_all(study, &find, findings);
  for (guint i = 0; i < findings->rows->len; i++)
    if (strcmp(tn_findings_get(findings, i)->code, "oom") == 0)
      return tn_findings_get(findings, i);
  return NULL;
}

/* ---- noise ----------------------------------------------------------------------------- */

typedef enum { PLAIN, TAGGED, COLOURED, DOS, DATED, QUOTED, DOCKER, COMPOSE, HTML, N_NOISES } Noise;

static inline void
append_noisy(GString *out, const char *line, Noise noise)
{
  static const char *const prefixes[N_NOISES] = {
      [PLAIN] = "",
      [TAGGED] = "[rank3]: ",
      [COLOURED] = "\x1b[31m\x1b[1m",
      [DOS] = "",
      [DATED] = "2024-05-01T12:00:00.123456789Z stderr F ",
      [QUOTED] = "> ",
      [DOCKER] = "{\"log\":\"",
      [COMPOSE] = "trainer-1  | ",
      [HTML] = "",
  };
  g_string_append(out, prefixes[noise]);
  for (const char *at = line; *at; at++)
    if (noise == DOCKER && strchr("\"\\", *at))
      g_string_append_printf(out, "\\%c", *at);
    else if (noise == HTML && *at == '>')
      g_string_append(out, "&gt;");
    else
      g_string_append_c(out, *at);
  g_string_append(out, noise == COLOURED ? "\x1b[0m\n"
                       : noise == DOS    ? "\r\n"
                       : noise == DOCKER ? "\\n\",\"stream\":\"stderr\",\"time\":\"x\"}\n"
                                         : "\n");
}

static inline char *
make_noisy(const char *text, Noise noise)
{
  g_autoptr(GString) out = g_string_new(noise == COLOURED ? "50%|##\r100%|####\n" : NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gsize i = 0; lines[i] && (lines[i + 1] || lines[i][0]); i++)
    append_noisy(out, lines[i], noise);
  return g_string_free(g_steal_pointer(&out), FALSE);
}
