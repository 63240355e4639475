/* SPDX-License-Identifier: MIT */
/* Text from files in XML and HTML. */
#pragma once

#include <glib.h>

/* Escaped for text and for attributes, well formed whatever the text holds: XML 1.0 allows neither control
 * characters but tab, newline and return, nor U+FFFE and U+FFFF, not even as references (section 2.2);
 * each, and each byte that is no UTF-8, becomes U+FFFD.  Owned by the caller. */
char *tn_markup_escape(const char *text);
