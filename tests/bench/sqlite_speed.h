/* SQLite's private tokenizer, and the newest SQLite for its sqlite3_prepare_v2. */
#ifndef D1GUARD_BENCH_SQLITE_SPEED_H
#define D1GUARD_BENCH_SQLITE_SPEED_H

#include <stddef.h>

/* Walks over all tokens of sql, which ends with a NUL byte. Returns how many there are. */
size_t sqlite_speed_tokens(const char *sql);

#endif
