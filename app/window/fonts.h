/* SPDX-License-Identifier: MIT */
/* GTK measures text with what memory happened to hold where there is no font at all: windows of millions
 * of pixels, and worse. */
#pragma once

#include <stdbool.h>

/* Whether there is a font to write with.  Where fontconfig's configuration names none (it is missing, or
 * another program's), those in the usual folders serve this program.  Before GTK begins. */
bool tn_fonts_find(void);
