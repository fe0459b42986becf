/* Runs a Check suite and prints TAP, which automake's TAP driver reads.  A test program is
 *     int main(void) { return sl_test_run(suite()); }
 * and a program whose data is absent prints its reason with sl_test_skip and returns 0. */
#ifndef SL_TEST_HARNESS_H
#define SL_TEST_HARNESS_H
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Check writes a file's name and a line to disk for each assertion that holds, so that a crash can be
 * told from there: of millions in loops that is most of a test's time.  Sanitizers tell the stack. */
#define _mark_point(file, line) ((void)0)

/* `make check-long` sets SL_LONG: suites over random cases then run many more. */
static inline bool sl_test_long(void)
{
    return getenv("SL_LONG") != NULL;
}

/* Of `count` random cases, those that a build with sanitizers runs: there a case takes several
 * times as long, and what it is looked at for is faults of memory, not figures. */
static inline unsigned sl_test_cases(unsigned count)
{
#if defined(__SANITIZE_ADDRESS__)
    return sl_test_long() ? count : (count + 3) / 4;
#else
    return count;
#endif
}

static inline int sl_test_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int sl_test_skip(const char *reason)
{
    printf("1..0 # SKIP %s\n", reason);
    return EXIT_SUCCESS;
}

/* As sl_test_run; of rates over many thousand trials, which sanitizers only make slow: what they
 * would find in that code, other tests reach. */
static inline int sl_test_run_statistics(Suite *suite)
{
#if defined(__SANITIZE_ADDRESS__)
    if (!sl_test_long()) {
        srunner_free(srunner_create(suite)); /* which frees the suite */
        return sl_test_skip("statistics, which the build without sanitizers tests");
    }
#endif
    return sl_test_run(suite);
}
#endif
