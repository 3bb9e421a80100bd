#include "keyword.h"

/* The words one behind the other, and where each starts: no pointers, so no relocation in a shared library. */
#define X(word, use, tables) #word
static const char keyword_text[] =
#include "keywords.def"
    ;
#undef X

/* Their lengths as members, so that the compiler adds them up. */
struct keyword_layout {
#define X(word, use, tables) char in_##word[sizeof #word - 1];
#include "keywords.def"
#undef X
};

static const unsigned short keyword_starts[KW_COUNT + 1] = {
    0,
#define X(word, use, tables) offsetof(struct keyword_layout, in_##word),
#include "keywords.def"
#undef X
    sizeof(struct keyword_layout)};

enum use {
    RESERVED,
    LITERAL,
    NAME,
    OPERATOR
};

/* The use in the low two bits, what it says of tables above. */
static const unsigned char keyword_uses[KW_COUNT] = {
    NAME,
#define X(word, use, tables) use | D1G_TABLES_##tables << 2,
#include "keywords.def"
#undef X
};

/* The first row of each letter from A to Z, and behind the last one; the rows are in alphabetical order. */
static const unsigned char first_rows[27] = {
    KW_ADD,      KW_BEGIN,  KW_CASE, KW_DEFAULT, KW_ELSE, KW_FILTER, KW_GLOB,      KW_HAVING,   KW_IF,
    KW_JOIN,     KW_LIKE,   KW_LIKE, KW_MATCH,   KW_NOT,  KW_OFFSET, KW_PARTITION, KW_QUERY,    KW_RAISE,
    KW_SAVEPOINT, KW_TABLE, KW_UNION, KW_VACUUM, KW_WHEN, KW_COUNT,  KW_COUNT,     KW_COUNT,    KW_COUNT};

/* ASCII upper case; of the id bytes, only letters become letters. */
/*@ assigns \nothing; */
static int upper(int b)
{
    return b & ~0x20;
}

/* Whether the word of len bytes is the keyword, whose first letter it has. */
/*@ requires 0 < len && \valid_read(z + (0 .. len - 1)) && \valid_read(keyword + (0 .. len - 1));
    assigns \nothing; */
static int is_word(const unsigned char *z, size_t len, const char *keyword)
{
    size_t k;

    /*@ loop invariant k < len;
        loop assigns k;
        loop variant k; */
    for (k = len - 1; k > 0; k--) {
        if (upper(z[k]) != keyword[k])
            return 0;
    }
    return 1;
}

enum d1g_keyword d1g_find_keyword(const struct d1g_text *t, size_t at, size_t end)
{
    const unsigned char *z = t->z + at;
    const unsigned letter = (unsigned)upper(z[0]) - 'A';
    unsigned keyword, last;
    size_t start;

    if (letter >= 26)
        return KW_NONE;
    /*@ admit first_rows[letter] <= first_rows[letter + 1] <= KW_COUNT; */
    keyword = first_rows[letter];
    last = first_rows[letter + 1];
    start = keyword_starts[keyword];
    /*@ loop invariant keyword <= last && start == keyword_starts[keyword];
        loop assigns keyword, start;
        loop variant last - keyword; */
    for (; keyword < last; keyword++) {
        const size_t next = keyword_starts[keyword + 1];

        /*@ admit start <= next < sizeof(keyword_text); */
        if (next - start == end - at && is_word(z, end - at, keyword_text + start))
            return (enum d1g_keyword)keyword;
        start = next;
    }
    return KW_NONE;
}

enum d1g_keyword d1g_keyword_at(const struct d1g_reader *r)
{
    return r->kind == D1GUARD_TOKEN_WORD ? d1g_find_keyword(r->text, r->at, r->end) : KW_NONE;
}

/*@ requires keyword < KW_COUNT;
    assigns \nothing; */
static enum use use_of(enum d1g_keyword keyword)
{
    return (enum use)(keyword_uses[keyword] & 3);
}

int d1g_may_be_name(enum d1g_keyword keyword)
{
    return use_of(keyword) >= NAME;
}

int d1g_ends_operand(enum d1g_keyword keyword)
{
    return use_of(keyword) == NAME || use_of(keyword) == LITERAL;
}

int d1g_is_operator(enum d1g_keyword keyword)
{
    return use_of(keyword) == OPERATOR;
}

enum d1g_tables d1g_tables_behind(enum d1g_keyword keyword)
{
    return (enum d1g_tables)(keyword_uses[keyword] >> 2);
}

struct d1g_name d1g_read_name(const struct d1g_text *t, size_t at, size_t end)
{
    const int open = d1g_byte(t, at);
    struct d1g_name name;

    name.text = t;
    name.at = at;
    name.end = end;
    name.quote = D1G_END;
    if (d1g_class(t, at) == CLASS_QUOTE) {
        name.quote = open == '[' ? D1G_END : open;
        name.at++;
        name.end--;
    }
    return name;
}

size_t d1g_name_behind(const struct d1g_name *name, const char *text, size_t len)
{
    size_t i = name->at;
    size_t k;

    /*@ loop invariant k <= len;
        loop assigns k, i;
        loop variant len - k; */
    for (k = 0; k < len; k++) {
        const int b = i < name->end ? d1g_byte(name->text, i) : D1G_END;

        if (b == D1G_END || d1g_lower(b) != d1g_lower((unsigned char)text[k]))
            return D1G_NOT_THERE;
        i += b == name->quote ? 2 : 1;
    }
    return i;
}

int d1g_name_is(const struct d1g_name *name, const char *text, size_t len)
{
    const size_t rest = d1g_name_behind(name, text, len);

    return rest != D1G_NOT_THERE && rest >= name->end;
}
