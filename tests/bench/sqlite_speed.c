/* The one-file SQLite at BENCH_AMALGAMATION, a quoted path, and a loop over its static tokenizer. */
#include BENCH_AMALGAMATION

#include "sqlite_speed.h"

size_t sqlite_speed_tokens(const char *sql)
{
    const unsigned char *z = (const unsigned char *)sql;
    size_t count = 0;
    int type;

    for (; *z != 0; count++)
        z += sqlite3GetToken(z, &type);
    return count;
}
