/*
 * Makes a text that shows something shorter.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SHRINK_H
#define SHRINK_H

#include "text.h"

typedef int shrink_shows(void *context, const char *sql, size_t len);

/* Takes tokens out of the text, long runs first, as long as it still shows what it has to. */
void shrink(struct text *text, shrink_shows *shows, void *context);

#endif
