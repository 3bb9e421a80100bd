/*
 * One JSON line for each call of a tool. The file is opened anew each time, so it can be moved away; a
 * file that cannot be written is reported on stderr and costs no answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- SHA-256, FIPS 180-4 --- */

static const uint32_t sha_round[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, unsigned by)
{
    return x >> by | x << (32 - by);
}

static void sha_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64], v[8];

    for (size_t i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (size_t i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(v, state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t a = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                           ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha_round[i] + w[i];
        const uint32_t b = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
                           ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += a;
        v[0] = a + b;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_hex(const void *bytes, size_t len, char hex[65])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *s = bytes;
    const size_t rest = len % 64, whole = len - rest;
    unsigned char last[128] = {0};
    const size_t padded = rest < 56 ? 64 : 128;

    for (size_t at = 0; at < whole; at += 64)
        sha_block(state, s + at);
    if (rest > 0)
        memcpy(last, s + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[padded - 1 - i] = (unsigned char)((uint64_t)len * 8 >> 8 * i);
    for (size_t at = 0; at < padded; at += 64)
        sha_block(state, last + at);
    for (size_t i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", (unsigned)state[i]);
}

/* --- the line --- */

static void add_time(struct buf *line)
{
    char text[32];
    struct timespec now;
    struct tm utc;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    buf_printf(line, "\"%s.%03ldZ\"", text, now.tv_nsec / 1000000);
}

static void add_text_if(struct buf *line, const char *key, const char *text)
{
    if (text != NULL) {
        put_key(line, key);
        put_str(line, text);
    }
}

static void add_sql(struct buf *line, const struct call_record *record, int with_text)
{
    char hex[65];

    if (with_text) {
        put_key(line, "sql");
        put_text(line, record->sql, record->sql_len);
        return;
    }
    sha256_hex(record->sql, record->sql_len, hex);
    add_text_if(line, "sql_sha256", hex);
}

static void make_line(struct buf *line, const struct call_record *record, int with_text)
{
    buf_str(line, "{");
    put_key(line, "time");
    add_time(line);
    add_text_if(line, "tool", record->tool);
    add_text_if(line, "database", record->database);
    if (record->sql != NULL)
        add_sql(line, record, with_text);
    if (record->verdict != NULL) {
        add_text_if(line, "verdict", record->verdict);
        add_text_if(line, "reason", d1guard_reason_slug(record->reason));
    }
    add_text_if(line, "error", record->error);
    put_key(line, "rows");
    put_int(line, record->rows);
    put_key(line, "duration_ms");
    put_int(line, record->duration_ms);
    buf_str(line, "}\n");
}

void audit_write(const struct audit *audit, const struct call_record *record)
{
    struct buf line = {0};
    ssize_t n = -1;
    int fd;

    if (audit->path == NULL)
        return;
    make_line(&line, record, audit->with_text);
    fd = open(audit->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        n = write(fd, line.data, line.len); /* one write, so that lines of several servers do not mix */
    if (n != (ssize_t)line.len)
        fprintf(stderr, "d1guard-mcp: audit: %s: %s\n", audit->path, n < 0 ? strerror(errno) : "line cut short");
    if (fd >= 0)
        close(fd);
    buf_free(&line);
}
