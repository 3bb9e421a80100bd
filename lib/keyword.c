#include "keyword.h"

enum {
    RESERVED,
    NAME,
    LONGEST = sizeof "AUTOINCREMENT" - 1
};

/* Arrays, not pointers, so that the table needs no relocation in a shared library. */
struct keyword_row {
    char word[LONGEST + 1];
    unsigned char use;
};

static const struct keyword_row keyword_rows[KW_COUNT] = {
    {"", NAME},
#define X(word, use) {#word, use},
#include "keywords.def"
#undef X
};

/* < 0, 0 or > 0 as the word in [at, end) sorts before, with or behind the row's. */
static int compare_word(struct d1g_text t, size_t at, size_t end, const char *row)
{
    size_t k;
    int diff = 0;

    for (k = 0; diff == 0 && k < end - at && row[k] != '\0'; k++)
        diff = d1g_lower(d1g_byte(t, at + k)) - d1g_lower((unsigned char)row[k]);
    if (diff == 0)
        diff = k < end - at ? 1 : -(row[k] != '\0');
    return diff;
}

enum d1g_keyword d1g_find_keyword(struct d1g_text t, size_t at, size_t end)
{
    unsigned low = KW_NONE + 1;
    unsigned high = KW_COUNT;

    if (end - at > LONGEST)
        return KW_NONE;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        const int diff = compare_word(t, at, end, keyword_rows[middle].word);

        if (diff == 0)
            return (enum d1g_keyword)middle;
        if (diff < 0)
            high = middle;
        else
            low = middle + 1;
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
