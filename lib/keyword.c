#include "keyword.h"

enum {
    RESERVED,
    NAME,
    LONGEST = sizeof "AUTOINCREMENT" - 1
};

/* Arrays, not pointers, so that the table needs no relocation in a shared library. */
struct keyword_row {
    char word[LONGEST];
    unsigned char length;
    unsigned char use;
};

static const struct keyword_row keyword_rows[KW_COUNT] = {
    {"", 0, NAME},
#define X(word, use) {#word, sizeof #word - 1, use},
#include "keywords.def"
#undef X
};

/* The first row of each letter from A to Z, and behind the last one; the rows are in alphabetical order. */
static const unsigned char first_rows[27] = {
    KW_ADD,      KW_BEGIN,  KW_CASE, KW_DEFAULT, KW_ELSE, KW_FILTER, KW_GLOB,      KW_HAVING,   KW_IF,
    KW_JOIN,     KW_KEY,    KW_LIKE, KW_MATCH,   KW_NOT,  KW_OFFSET, KW_PARTITION, KW_QUERY,    KW_RAISE,
    KW_SAVEPOINT, KW_TABLE, KW_UNION, KW_VACUUM, KW_WHEN, KW_COUNT,  KW_COUNT,     KW_COUNT,    KW_COUNT};

/* ASCII upper case; of the id bytes, only letters become letters. */
static int upper(int b)
{
    return b & ~0x20;
}

static int is_word(struct d1g_text t, size_t at, size_t end, const struct keyword_row *row)
{
    size_t k = 0;

    if (end - at != row->length)
        return 0;
    while (k < row->length && upper(d1g_byte(t, at + k)) == row->word[k])
        k++;
    return k == row->length;
}

enum d1g_keyword d1g_find_keyword(struct d1g_text t, size_t at, size_t end)
{
    const int letter = upper(d1g_byte(t, at)) - 'A';
    unsigned row;

    if (letter < 0 || letter >= 26)
        return KW_NONE;
    for (row = first_rows[letter]; row < first_rows[letter + 1]; row++) {
        if (is_word(t, at, end, &keyword_rows[row]))
            return (enum d1g_keyword)row;
    }
    return KW_NONE;
}

int d1g_may_be_name(enum d1g_keyword keyword)
{
    return keyword_rows[keyword].use != RESERVED;
}

struct d1g_name d1g_read_name(struct d1g_text t, size_t at, size_t end)
{
    const int open = d1g_byte(t, at);
    struct d1g_name name;

    name.text = t;
    name.at = at;
    name.end = end;
    name.quote = D1G_END;
    if (d1g_class(open) == CLASS_QUOTE || open == '[') {
        name.quote = open == '[' ? D1G_END : open;
        name.at++;
        name.end--;
    }
    return name;
}

int d1g_name_skip(struct d1g_name *name, const char *text, size_t len)
{
    size_t i = name->at;
    size_t k;

    for (k = 0; k < len; k++) {
        const int b = i < name->end ? d1g_byte(name->text, i) : D1G_END;

        if (b == D1G_END || d1g_lower(b) != d1g_lower((unsigned char)text[k]))
            return 0;
        i += b == name->quote ? 2 : 1;
    }
    name->at = i;
    return 1;
}

int d1g_name_is(struct d1g_name name, const char *text, size_t len)
{
    return d1g_name_skip(&name, text, len) && name.at >= name.end;
}
