/* SPDX-License-Identifier: MIT */
/* A document with its ops in another order, or with a string table of its own, that shares all else
 * with the one it was made of. */
#pragma once

#include "data/document.h"

/* Shares with `document`, which must outlive it.  `order` (may be NULL: the same): shape of its
 * graph's ops, copied, must be legal.  `with_own_strings`: its string table is a copy with the same
 * ids, so that a worker may add names while others read the document's.  O(ops + strings). */
TnDocument *
tn_document_view_new(const TnDocument *document, const uint32_t *order, bool with_own_strings);
/* Never tn_document_free(). */
void tn_document_view_free(TnDocument *view);
