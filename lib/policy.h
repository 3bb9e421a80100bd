/* What the names in a text mean: the lists of policy.def and those of the host. */
#ifndef D1G_POLICY_H
#define D1G_POLICY_H

#include "keyword.h"

/* In the order of the letters in policy.def. */
enum d1g_pragma {
    D1G_PRAGMA_UNKNOWN,
    D1G_PRAGMA_REPORTS_D1,
    D1G_PRAGMA_REPORTS,
    D1G_PRAGMA_SETS_STATE,
    D1G_PRAGMA_SETS_FILE,
    D1G_PRAGMA_ONLY_SETS,
    D1G_PRAGMA_ACTS
};

/* What a name is used as. */
enum d1g_role {
    D1G_AS_FUNCTION = 'F',
    D1G_AS_TABLE = 'T'
};

/*
 * Words that may be a name of policy.def, as bits: numbered by a hash of the low five bits of their first four
 * bytes, the first one lowest. All others can be stepped over unread. The factor was found by trial, for few
 * others that share a bit.
 */
#define D1G_WATCH_HASH(letters) (((letters) & 0x1F1F1F1Fu) * 0xB8D7B027u >> 23)

extern const uint32_t d1g_watch[512 / 32];

#define D1G_SHORTEST_WATCHED 4

/* The same words for d1g_look. */
extern const unsigned char d1g_watched_fours[D1G_SHORTEST_WATCHED][16];

/* First letters of more words to watch, as bits: those of WHERE and RETURNING. */
#define D1G_CLAUSES (UINT32_C(1) << ('W' & 31) | UINT32_C(1) << ('R' & 31))

/* Whether a word of at least D1G_SHORTEST_WATCHED bytes may be a watched one; letters is D1G_CLAUSES or 0. */
/*@ requires \valid_read(word + (0 .. 3));
    assigns \nothing; */
static inline int d1g_is_watched(const unsigned char *word, uint32_t letters)
{
    const uint32_t hash = D1G_WATCH_HASH(d1g_load4(word));

    return (int)((d1g_watch[hash / 32] >> hash % 32 | letters >> word[0] % 32) & 1);
}

/* The same for the word in [at, end), of any length. */
/*@ requires d1g_readable(t) && at <= end <= t->n;
    assigns \nothing;
    ensures \result ==> end - at >= D1G_SHORTEST_WATCHED; */
static inline int d1g_may_matter(const struct d1g_text *t, size_t at, size_t end, uint32_t letters)
{
    return end - at >= D1G_SHORTEST_WATCHED && d1g_is_watched(t->z + at, letters);
}

/* Whether the name token in [at, end) is on a list of policy.def, in any role. */
/*@ requires d1g_is_nameable(t, at, end);
    assigns \nothing; */
int d1g_is_listed(const struct d1g_text *t, size_t at, size_t end);

/* What the PRAGMA named by the token in [at, end) does. */
/*@ requires d1g_is_nameable(t, at, end);
    assigns \nothing;
    ensures \result <= D1G_PRAGMA_ACTS; */
enum d1g_pragma d1g_find_pragma(const struct d1g_text *t, size_t at, size_t end);

/* Whether a PRAGMA of this class only reports on this engine; has_value says which form it has. */
/*@ assigns \nothing; */
int d1g_pragma_reports(enum d1g_pragma pragma, uint32_t engine, int has_value);

#define D1G_LONGEST_LIST (SIZE_MAX / 2) /* no object is longer */
/*@ predicate d1g_is_list(struct d1guard_names names) =
        names.len <= D1G_LONGEST_LIST && \valid_read(names.text + (0 .. names.len - 1));
    predicate d1g_is_host_list(struct d1guard_names names) = names.len <= D1G_LONGEST_LIST &&
        (names.text != \null ==> \valid_read(names.text + (0 .. names.len - 1)));
    predicate d1g_are_options(struct d1guard_options *o) =
        \valid_read(&o->size) && \valid_read(&o->engine) && \valid_read(&o->allow_risks) && \valid_read(&o->flags); */

/* The list, which is one of options; none where the host's struct ends before it. */
/*@ requires d1g_are_options(options);
    assigns \nothing;
    ensures \valid_read(\result) && d1g_is_host_list(*\result); */
const struct d1guard_names *d1g_host_list(const struct d1guard_options *options, const struct d1guard_names *list);

/* Why options refuse the name token in [at, end) in this role; UNSET where they do not. */
/*@ requires d1g_is_nameable(t, at, end) && d1g_are_options(options);
    assigns \nothing; */
uint32_t d1g_refuses_name(const struct d1g_text *t, size_t at, size_t end, enum d1g_role role,
                          const struct d1guard_options *options);

/* Whether the name token in [at, end) is on the list, which is one of options. */
/*@ requires d1g_is_nameable(t, at, end) && d1g_are_options(options);
    assigns \nothing; */
int d1g_is_host_name(const struct d1g_text *t, size_t at, size_t end, const struct d1guard_options *options,
                     const struct d1guard_names *list);

/* Whether every name in a text has to be looked up, because options bring lists of their own. Those of pragmas are
 * asked anyway: names with pragma_ in front are listed. */
/*@ requires d1g_are_options(options);
    assigns \nothing; */
int d1g_has_host_lists(const struct d1guard_options *options);

#endif
