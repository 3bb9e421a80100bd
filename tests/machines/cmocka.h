/*
 * The few calls of cmocka that tests/run_cases.c makes, for machines that have no cmocka to link: another
 * processor, another C library. A failing test is left by longjmp; failures are counted and printed. With
 * FIRST_FAILURE_ENDS nothing runs behind one.
 */
#ifndef CMOCKA_H
#define CMOCKA_H

typedef void (*CMUnitTestFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    int (*setup_func)(void **state);
    int (*teardown_func)(void **state);
    void *initial_state;
};

static jmp_buf failed_here;

static void fail(void)
{
    longjmp(failed_here, 1);
}

static void fail_msg(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fail();
}

static void assert_true(int holds)
{
    if (!holds)
        fail();
}

static int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count, void *setup,
                                   void *teardown)
{
    volatile int failures = 0;
    volatile size_t i;

    (void)setup;
    (void)teardown;
    for (i = 0; i < count; i++) {
        void *state = tests[i].initial_state;

        if (setjmp(failed_here) == 0) {
            tests[i].test_func(&state);
        } else {
            printf("FAILED %s\n", tests[i].name);
            failures++;
#ifdef FIRST_FAILURE_ENDS
            return failures;
#endif
        }
    }
    printf("%s: %lu run, %d failed\n", name, (unsigned long)count, failures);
    return failures;
}

#endif
