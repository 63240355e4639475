/* SPDX-License-Identifier: MIT */
/* Bookmarks and notes: what is read is written and read again as the same. */
#include "config.h"

#include "app/window/notes-json.h"
#include "data/error.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  TnNotesContent content, again;
  g_autoptr(GError) error = NULL;
  tn_notes_content_init(&content);
  tn_notes_content_init(&again);
  bool is_good = tn_notes_json_parse(&content, "notes", (const char *)data, size, &error);
  g_assert_true(is_good == (error == NULL));
  if (is_good) {
    g_autofree char *text = tn_notes_json_build(&content, "file", NULL);
    g_assert_true(tn_notes_json_parse(&again, "notes", text, strlen(text), NULL));
    g_autofree char *twice = tn_notes_json_build(&again, "file", NULL);
    g_assert_cmpstr(text, ==, twice);
  }
  tn_notes_content_clear(&content);
  tn_notes_content_clear(&again);
  return 0;
}
