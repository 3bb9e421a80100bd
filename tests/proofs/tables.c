/*
 * What the proofs admit of constant tables, checked row by row: see `admit` in lib/. Includes the library itself,
 * whose tables no header shows.
 */
#include "../../lib/d1guard_all.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int is_no_name(uint32_t kind)
{
    return kind != D1GUARD_TOKEN_WORD && kind != D1GUARD_TOKEN_NAME && kind != D1GUARD_TOKEN_STRING;
}

static void signs_are_no_names(void **state)
{
    (void)state;
    for (size_t b = 0; b < sizeof d1g_classes; b++)
        assert_true(d1g_classes[b] < CLASS_SIGN || is_no_name(d1g_classes[b] & (CLASS_SIGN - 1)));
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
        assert_true(is_no_name(pairs[k][2]));
}

static void keywords_lie_in_their_text(void **state)
{
    (void)state;
    for (size_t k = 0; k < KW_COUNT; k++)
        assert_true(keyword_starts[k] <= keyword_starts[k + 1] && keyword_starts[k + 1] < sizeof keyword_text);
    for (size_t k = 0; k < 26; k++)
        assert_true(first_rows[k] <= first_rows[k + 1] && first_rows[k + 1] <= KW_COUNT);
}

static void names_lie_in_their_rows(void **state)
{
    size_t size = 0;

    (void)state;
    for (size_t i = 0; i < sizeof denied_sizes; i++)
        size += denied_sizes[i];
    assert_true(size == sizeof denied_rows - 1);
    for (size_t i = 0; i < sizeof pragma_rows - 1; i++) {
        if (i == 0 || pragma_rows[i - 1] == '\0')
            assert_true(pragma_rows[i] >= 'A' && pragma_rows[i] <= 'F');
    }
}

/* As in statement.c. */
static size_t rows_left(size_t row)
{
    return row >= STEP_BODY ? 0 : (row <= STEP_NO_COMMAND ? STEP_BODY : 2 * STEP_BODY) - row;
}

static void heads_go_on(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof steps / sizeof steps[0]; row++) {
        assert_true(rows_left(steps[row].otherwise) < rows_left(row));
        assert_true(steps[row].tells <= UNPAIRED);
        assert_true(steps[row].tells >= NOTHING || steps[row].tells <= D1GUARD_KIND_LAST);
        assert_true(steps[row].tells != PRAGMA_NAME || steps[row].token == ANY_NAME);
        assert_true(steps[row].then >= STEP_BODY || (steps[row].token > 0 && steps[row].token < END_OF_STATEMENT));
    }
}

static void select_starts_with_no_quote(void **state)
{
    unsigned char text[] = "?elect ";
    const struct d1g_text t = {text, sizeof text - 1};
    int found = 0;

    (void)state;
    for (unsigned b = 0; b < sizeof d1g_classes; b++) {
        text[0] = (unsigned char)b;
        assert_true(!is_select(&t, 0) || d1g_classes[b] != CLASS_QUOTE);
        found += is_select(&t, 0);
    }
    assert_int_equal(found, 2); /* s and S */
}

static void risks_are_known(void **state)
{
    const struct d1g_text none = {NULL, 0};
    struct d1g_statement s = {0};

    (void)state;
    for (s.kind = 0; s.kind <= D1GUARD_KIND_LAST; s.kind++)
        assert_true(d1g_risk(&none, &s) <= D1GUARD_RISK_LAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_are_no_names),   cmocka_unit_test(keywords_lie_in_their_text),
        cmocka_unit_test(names_lie_in_their_rows), cmocka_unit_test(heads_go_on),
        cmocka_unit_test(select_starts_with_no_quote), cmocka_unit_test(risks_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
