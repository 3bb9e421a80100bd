/*
 * d1guard.h alone, before any other header: built as C89, C99 and C11, and by header_alone.cpp as C++98
 * and C++17. Each build must lay the structs out alike and reach the library's names.
 */
#include "d1guard.h"

static int is_layout_right(void)
{
    return sizeof(struct d1guard_report) == 48 && offsetof(struct d1guard_report, at) == 16 &&
           sizeof(struct d1guard_token) == 24 && offsetof(struct d1guard_token, at) == 8 &&
           sizeof(struct d1guard_statement) == 64 && offsetof(struct d1guard_statement, at) == 24 &&
           sizeof(struct d1guard_options) == 24 + 6 * sizeof(struct d1guard_names);
}

static int is_version_right(void)
{
    const char *linked = d1guard_version();
    const char *built = D1GUARD_VERSION_STRING;

    while (*linked && *linked == *built) {
        linked++;
        built++;
    }
    return *linked == *built;
}

int main(void)
{
    static const char sql[] = "SELECT 1";
    struct d1guard_report report = {sizeof(struct d1guard_report), 0, 0, 0, 0, 0, 0, 0};

    if (!is_layout_right())
        return 1;
    if (!is_version_right())
        return 2;
    return d1guard_classify(sql, sizeof sql - 1, NULL, &report) != D1GUARD_ALLOW ||
           report.reason != D1GUARD_REASON_READS_ONLY;
}
