#include "policy.h"
#include "policy.def"

/*
 * Lists are one string: rows that end with a NUL, a letter in front where a row carries one. So they
 * need no pointers, hence no relocation in a shared library.
 */
#define DENIED_ROW(arg, a, b, c, d, last, role, name) role #name "\0"
#define PRAGMA_ROW(class, name) class #name "\0"
#define FUNCTION_ROW(name) #name "\0"
#define DENIED_SIZE(arg, a, b, c, d, last, role, name) sizeof(role #name),
static const char denied_rows[] = D1G_DENIED(DENIED_ROW, 0);
static const unsigned char denied_sizes[] = {D1G_DENIED(DENIED_SIZE, 0)}; /* of the rows above, to walk quickly */
static const char pragma_rows[] = D1G_PRAGMAS(PRAGMA_ROW);
static const char function_rows[] = D1G_FUNCTIONS_D1(FUNCTION_ROW) D1G_FUNCTIONS_SQLITE(FUNCTION_ROW);
#define D1_FUNCTIONS_SIZE (sizeof(D1G_FUNCTIONS_D1(FUNCTION_ROW)) - 1) /* bytes of function_rows for D1 */

/* Which of the bits from 32 * W on the rows set. */
#define HASH_OF(a, b, c, d) D1G_WATCH_HASH((a) | (b) << 8 | (c) << 16 | (d) << 24)
#define WATCH_BIT(W, a, b, c, d, last, role, name) \
    | (HASH_OF(a, b, c, d) / 32 == (W) ? UINT32_C(1) << HASH_OF(a, b, c, d) % 32 : 0)
#define WATCHED(W) 0 D1G_DENIED(WATCH_BIT, W)

#define FOUR(X, n) X(n), X((n) + 1), X((n) + 2), X((n) + 3)
#define SIXTEEN(X, n) FOUR(X, n), FOUR(X, (n) + 4), FOUR(X, (n) + 8), FOUR(X, (n) + 12)

const uint32_t d1g_watch[] = {SIXTEEN(WATCHED, 0)};

/* The group of a row, found by trial like the factor. */
#define FOURS_BIT(byte, n, a, b) | (((byte) & 15) == (n) ? 1 << ((((a) & ~1) + ((b) >> 2)) & 7) : 0)
#define FOURS_A(n, a, b, c, d, last, role, name) FOURS_BIT(a, n, a, b)
#define FOURS_B(n, a, b, c, d, last, role, name) FOURS_BIT(b, n, a, b)
#define FOURS_C(n, a, b, c, d, last, role, name) FOURS_BIT(c, n, a, b)
#define FOURS_D(n, a, b, c, d, last, role, name) FOURS_BIT(d, n, a, b)
#define WITH_A(n) 0 D1G_DENIED(FOURS_A, n)
#define WITH_B(n) 0 D1G_DENIED(FOURS_B, n)
#define WITH_C(n) 0 D1G_DENIED(FOURS_C, n)
#define WITH_D(n) 0 D1G_DENIED(FOURS_D, n)

const unsigned char d1g_watched_fours[D1G_SHORTEST_WATCHED][16] = {
    {SIXTEEN(WITH_A, 0)}, {SIXTEEN(WITH_B, 0)}, {SIXTEEN(WITH_C, 0)}, {SIXTEEN(WITH_D, 0)}};

/* For each last letter, a bit for each length. */
#define LENGTH_BIT(L, a, b, c, d, last, role, name) | (((last) & 31) == (L) ? UINT32_C(1) << (sizeof #name - 1) : 0)
#define LENGTHS(L) 0 D1G_DENIED(LENGTH_BIT, L)
#ifndef D1G_SMALL
static const uint32_t denied_lengths[] = {SIXTEEN(LENGTHS, 0), SIXTEEN(LENGTHS, 16)};
#endif

#define PRAGMA_PREFIX "pragma_"
#define PREFIX_LENGTH (sizeof PRAGMA_PREFIX - 1)

/*@ predicate is_row(char *row) = row == \null || \valid_read(row); */

/* Walks the rows of a list of `size` bytes, each with `skip` bytes before its name. The row of the name, or NULL. */
/*@ requires \valid_read(name) && d1g_readable(name->text);
    requires \valid_read(rows + (0 .. size - 1)) && size <= D1G_LONGEST_LIST && skip <= 1;
    assigns \nothing;
    ensures is_row(\result); */
static const char *find_row(const struct d1g_name *name, const char *rows, size_t size, size_t skip)
{
    const int first = name->at < name->end ? d1g_lower(d1g_byte(name->text, name->at)) : '\0';
    size_t i = skip;

    /*@ loop invariant skip <= i <= size + skip + 1;
        loop assigns i;
        loop variant size + 1 - i; */
    while (i < size) {
        size_t end = i;

        /*@ loop invariant i <= end <= size;
            loop assigns end;
            loop variant size - end; */
        while (end < size && rows[end] != '\0')
            end++;
        if (d1g_lower((unsigned char)rows[i]) == first && d1g_name_is(name, rows + i, end - i))
            return rows + i - skip;
        i = end + 1 + skip;
    }
    return NULL;
}

/* The row of the denied name that the name spells, or NULL. */
/*@ requires \valid_read(name) && d1g_is_name(*name);
    assigns \nothing;
    ensures is_row(\result); */
static const char *find_denied(const struct d1g_name *name)
{
    const size_t len = name->end - name->at;
    const char *row = denied_rows;
    size_t i;

    if (!d1g_may_matter(name->text, name->at, name->end, 0))
        return NULL;
#ifndef D1G_SMALL /* only to save walks over the rows */
    if (len >= 32 || (denied_lengths[name->text->z[name->end - 1] % 32] >> len & 1) == 0)
        return NULL;
#endif
    /*@ loop invariant i <= sizeof(denied_sizes);
        loop assigns i, row;
        loop variant sizeof(denied_sizes) - i; */
    for (i = 0; i < sizeof denied_sizes; i++) {
        /*@ admit \valid_read(row + (0 .. denied_sizes[i] - 1)); */
        if (denied_sizes[i] == len + 2 && d1g_name_is(name, row + 1, len)) /* a letter in front, a NUL behind */
            return row;
        row += denied_sizes[i];
    }
    return NULL;
}

/*@ requires \valid_read(name) && d1g_is_name(*name);
    assigns \nothing; */
static int is_denied(const struct d1g_name *name, enum d1g_role role)
{
    const char *row = find_denied(name);

    return row != NULL && row[0] == (char)role;
}

int d1g_is_listed(const struct d1g_text *t, size_t at, size_t end)
{
    struct d1g_name name = d1g_read_name(t, at, end);

    return find_denied(&name) != NULL || d1g_name_behind(&name, PRAGMA_PREFIX, PREFIX_LENGTH) != D1G_NOT_THERE;
}

/*@ requires \valid_read(name) && d1g_readable(name->text);
    assigns \nothing;
    ensures \result <= D1G_PRAGMA_ACTS; */
static enum d1g_pragma pragma_class(const struct d1g_name *name)
{
    const char *row = find_row(name, pragma_rows, sizeof pragma_rows - 1, 1);

    /*@ admit row != \null ==> 'A' <= row[0] <= 'F'; */
    return row == NULL ? D1G_PRAGMA_UNKNOWN : (enum d1g_pragma)(row[0] - 'A' + D1G_PRAGMA_REPORTS_D1);
}

enum d1g_pragma d1g_find_pragma(const struct d1g_text *t, size_t at, size_t end)
{
    const struct d1g_name name = d1g_read_name(t, at, end);

    return pragma_class(&name);
}

int d1g_pragma_reports(enum d1g_pragma pragma, uint32_t engine, int has_value)
{
    const enum d1g_pragma last = engine == D1GUARD_ENGINE_D1 ? D1G_PRAGMA_REPORTS_D1
                                 : has_value                 ? D1G_PRAGMA_REPORTS
                                                             : D1G_PRAGMA_SETS_FILE;

    return pragma != D1G_PRAGMA_UNKNOWN && pragma <= last;
}

const struct d1guard_names *d1g_host_list(const struct d1guard_options *options, const struct d1guard_names *list)
{
    static const struct d1guard_names none = {NULL, 0};
    const size_t end = (size_t)((const char *)(list + 1) - (const char *)options);
    const struct d1guard_names *names = end <= options->size ? list : &none;

    /*@ admit \valid_read(names) && d1g_is_host_list(*names); */
    return names;
}

/*@ requires \valid_read(name) && d1g_readable(name->text) && d1g_are_options(o);
    assigns \nothing; */
static int is_in(const struct d1g_name *name, const struct d1guard_options *o, const struct d1guard_names *list)
{
    const struct d1guard_names *names = d1g_host_list(o, list);

    /*@ admit d1g_is_list(*names); */ /* are_names of verdict.c saw to it */
    return find_row(name, names->text, names->len, 0) != NULL;
}

int d1g_is_host_name(const struct d1g_text *t, size_t at, size_t end, const struct d1guard_options *options,
                     const struct d1guard_names *list)
{
    const struct d1g_name name = d1g_read_name(t, at, end);

    return is_in(&name, options, list);
}

int d1g_has_host_lists(const struct d1guard_options *o)
{
    return (o->flags & D1GUARD_STRICT_FUNCTIONS) != 0 || d1g_host_list(o, &o->deny_functions)->len != 0 ||
           d1g_host_list(o, &o->deny_tables)->len != 0;
}

/* Whether the name is pragma_NAME, and which PRAGMA that reads then. */
/*@ requires \valid_read(name) && \valid(pragma) && d1g_readable(name->text);
    requires \separated(pragma, name) && \separated(pragma, name->text);
    assigns *pragma;
    ensures pragma->text == name->text; */
static int is_pragma_table(const struct d1g_name *name, struct d1g_name *pragma)
{
    *pragma = *name;
    pragma->at = d1g_name_behind(pragma, PRAGMA_PREFIX, PREFIX_LENGTH);
    return pragma->at < pragma->end;
}

/* pragma_NAME reads as PRAGMA NAME does without a value: no argument of it can set one. */
/*@ requires \valid_read(pragma) && d1g_readable(pragma->text) && d1g_are_options(o);
    assigns \nothing; */
static int may_read_pragma(const struct d1g_name *pragma, const struct d1guard_options *o)
{
    return !is_in(pragma, o, &o->deny_pragmas) &&
           (is_in(pragma, o, &o->allow_pragmas) || d1g_pragma_reports(pragma_class(pragma), o->engine, 0));
}

/*@ requires \valid_read(name) && d1g_readable(name->text) && d1g_are_options(o);
    assigns \nothing; */
static int is_listed_function(const struct d1g_name *name, const struct d1guard_options *o)
{
    const size_t size = o->engine == D1GUARD_ENGINE_D1 ? D1_FUNCTIONS_SIZE : sizeof function_rows - 1;
    struct d1g_name pragma;

    return find_row(name, function_rows, size, 0) != NULL ||
           (is_pragma_table(name, &pragma) && may_read_pragma(&pragma, o));
}

/*@ requires \valid_read(name) && d1g_is_name(*name) && d1g_are_options(o);
    assigns \nothing; */
static uint32_t refuses_function(const struct d1g_name *name, const struct d1guard_options *o)
{
    if (is_in(name, o, &o->deny_functions))
        return D1GUARD_REASON_DENIED_FUNCTION;
    if (is_in(name, o, &o->allow_functions))
        return D1GUARD_REASON_UNSET;
    if (is_denied(name, D1G_AS_FUNCTION))
        return D1GUARD_REASON_DENIED_FUNCTION;
    if ((o->flags & D1GUARD_STRICT_FUNCTIONS) == 0 || is_listed_function(name, o))
        return D1GUARD_REASON_UNSET;
    return D1GUARD_REASON_UNLISTED_FUNCTION;
}

/*@ requires \valid_read(name) && d1g_is_name(*name) && d1g_are_options(o);
    assigns \nothing; */
static uint32_t refuses_table(const struct d1g_name *name, const struct d1guard_options *o)
{
    struct d1g_name pragma;

    if (is_in(name, o, &o->deny_tables))
        return D1GUARD_REASON_DENIED_TABLE;
    if (is_in(name, o, &o->allow_tables))
        return D1GUARD_REASON_UNSET;
    if (is_denied(name, D1G_AS_TABLE))
        return D1GUARD_REASON_DENIED_TABLE;
    if (is_pragma_table(name, &pragma) && !may_read_pragma(&pragma, o))
        return D1GUARD_REASON_PRAGMA_NOT_LISTED;
    return D1GUARD_REASON_UNSET;
}

uint32_t d1g_refuses_name(const struct d1g_text *t, size_t at, size_t end, enum d1g_role role,
                          const struct d1guard_options *options)
{
    const struct d1g_name name = d1g_read_name(t, at, end);

    return role == D1G_AS_FUNCTION ? refuses_function(&name, options) : refuses_table(&name, options);
}
