/* SPDX-License-Identifier: MIT */
/* What the programs do with a document once it is read, on documents of any content: lives, curves,
 * findings, plans, and all of it as text.  Asserts what must hold whatever was read. */
#pragma once

#include "data/reader.h"

/* Reads the bytes as `format` (NULL: by content), with an error or a document, whole and in part,
 * and takes what was read through everything that follows. */
void tn_fuzz_read(const char *format, const void *data, gsize size);

/* The same of a document. */
void tn_fuzz_document(const TnDocument *document);
