/* Writing into the host's buffer: counts first, then writes if all of it has room. */
#ifndef D1G_WRITER_H
#define D1G_WRITER_H

#include "cursor.h"

struct d1g_writer {
    char *out; /* NULL while only counting */
    size_t len;
};

static inline void d1g_write_byte(struct d1g_writer *w, int byte)
{
    if (w->out != NULL)
        w->out[w->len] = (char)byte;
    w->len++;
}

/* text ends with a NUL, which is not written. */
static inline void d1g_write_text(struct d1g_writer *w, const char *text)
{
    for (; *text != '\0'; text++)
        d1g_write_byte(w, (unsigned char)*text);
}

static inline void d1g_write_number(struct d1g_writer *w, uint64_t number)
{
    uint64_t unit = 1;

    while (number / unit >= 10)
        unit *= 10;
    for (; unit > 0; unit /= 10)
        d1g_write_byte(w, '0' + (int)(number / unit % 10));
}

#endif
