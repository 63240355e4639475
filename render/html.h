/* SPDX-License-Identifier: MIT */
/* Pieces of a page: escaped text, tables, pictures inside it. */
#pragma once

#include "render/theme.h"

#include <glib.h>
#include <stdbool.h>

/* The page's head, with its style in the theme's colours; and its end. */
void tn_html_begin(GString *html, const char *title, const TnTheme *theme);
void tn_html_end(GString *html);

/* <tag>text</tag>, the text escaped. */
void tn_html_element(GString *html, const char *tag, const char *text);

/* A table whose columns are named; then rows of as many cells (NULL-terminated lists of texts);
 * `is_number` (of the columns, may be NULL): set to the right.  tn_html_table_end() after them. */
void tn_html_table_begin(GString *html, const char *const *columns);
void tn_html_table_row(GString *html, const char *const *cells, const bool *is_number);
void tn_html_table_end(GString *html);

/* An SVG document inline: its prolog is left out, and its ids get a prefix, so that several can
 * stand in one page.  `label` is read to those who can't see it. */
void tn_html_svg(GString *html, const char *svg, gsize size, const char *prefix, const char *label);
