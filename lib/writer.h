/* Writing into the host's buffer: counts all of it, and writes what has room. */
#ifndef D1G_WRITER_H
#define D1G_WRITER_H

#include "cursor.h"

struct d1g_writer {
    char *out;
    size_t room; /* bytes of out; 0 while only counting */
    size_t len;  /* of what was to be written */
};

/*@ predicate d1g_writable(struct d1g_writer *w) = \valid(w) && \valid(w->out + (0 .. w->room - 1)); */

/*@ requires d1g_writable(w);
    assigns w->len, w->out[0 .. w->room - 1]; */
static inline void d1g_write_byte(struct d1g_writer *w, int byte)
{
    if (w->len < w->room)
        w->out[w->len] = (char)byte;
    w->len++;
}

/*@ requires d1g_writable(w) && \valid_read(text + (0 .. len - 1));
    assigns w->len, w->out[0 .. w->room - 1]; */
static inline void d1g_write_bytes(struct d1g_writer *w, const char *text, size_t len)
{
    size_t i;

    /*@ loop invariant i <= len;
        loop assigns i, w->len, w->out[0 .. w->room - 1];
        loop variant len - i; */
    for (i = 0; i < len; i++)
        d1g_write_byte(w, text[i]);
}

#define D1G_WRITE(w, literal) d1g_write_bytes(w, literal, sizeof(literal) - 1)

/*@ requires d1g_writable(w);
    assigns w->len, w->out[0 .. w->room - 1]; */
static inline void d1g_write_number(struct d1g_writer *w, uint64_t number)
{
    uint64_t unit = UINT64_C(10000000000000000000); /* that of twenty digits */

    /*@ loop invariant unit >= 1;
        loop assigns unit;
        loop variant unit; */
    while (unit > 9 && unit > number)
        unit /= 10;
    /*@ loop assigns unit, w->len, w->out[0 .. w->room - 1];
        loop variant unit; */
    for (; unit > 0; unit /= 10)
        d1g_write_byte(w, '0' + (int)(number / unit % 10));
}

#endif
