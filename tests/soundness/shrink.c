/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "shrink.h"

#include <d1guard.h>

/* The byte behind `count` tokens from at on. */
static size_t skip_tokens(const struct text *text, size_t at, unsigned count)
{
    struct d1guard_token token = {.size = sizeof token};

    for (; count > 0 && d1guard_next_token(text->bytes, text->len, at, &token); count--)
        at += (size_t)token.len;
    return at;
}

/* Tries to take out each run of `count` tokens. */
static void take_out(struct text *text, unsigned count, shrink_shows *shows, void *context)
{
    struct text shorter = {0};

    for (size_t at = 0; at < text->len;) {
        const size_t end = skip_tokens(text, at, count);

        text_set(&shorter, text->bytes, at);
        text_add(&shorter, text->bytes + end, text->len - end);
        if (shows(context, shorter.bytes, shorter.len))
            text_set(text, shorter.bytes, shorter.len);
        else
            at = skip_tokens(text, at, 1);
    }
    text_free(&shorter);
}

void shrink(struct text *text, shrink_shows *shows, void *context)
{
    for (unsigned count = 64; count > 0; count /= 4)
        take_out(text, count, shows, context);
    take_out(text, 1, shows, context);
}
