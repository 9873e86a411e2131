/* Frame of a test program: TEST(name) { ... } adds a test to the list of its file, and main() runs
 * the tests in their order. Allocations have fences (tests/fences.h) unless the program includes
 * tests/failing_allocator.h first. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#ifndef TESTS_FAILING_ALLOCATOR_H
#include "tests/fences.h"
#endif
#include "base/bits.h"
#include "tests/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef assert_uint_in_range /* cmocka 2 */
#undef assert_in_range
#define assert_in_range(value, least, most)                                                        \
    assert_uint_in_range((uintmax_t)(value), (uintmax_t)(least), (uintmax_t)(most))
#endif

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static struct {
    struct CMUnitTest test[128];
    size_t count;
    int (*before)(void **), (*after)(void **); /* run before and after all tests */
} test_list;

#define TEST_ENTER(function, title, setup, teardown)                                               \
    __attribute__((constructor)) static void enter_##title(void) {                                 \
        test_list.test[test_list.count++] =                                                        \
            (struct CMUnitTest){#title, function, setup, teardown, NULL};                          \
    }                                                                                              \
    _Static_assert(1, "")

#define TEST(name)                                                                                 \
    static void name(void **);                                                                     \
    TEST_ENTER(name, name, NULL, NULL);                                                            \
    static void name(void **state __attribute__((unused)))
/* A test with a fixture f. `setup` runs before it and sets *state to the fixture, `teardown` runs
 * after it. */
#define TEST_WITH(name, setup, teardown)                                                           \
    static void name##_with(struct fixture *f);                                                    \
    static void name(void **state) {                                                               \
        name##_with(*state);                                                                       \
    }                                                                                              \
    TEST_ENTER(name, name, setup, teardown);                                                       \
    static void name##_with(struct fixture *f)
#define FIXTURE_TEST(name) TEST_WITH(name, setup, teardown)

/* BEFORE_TESTS { ... return 0; } runs once before the first test, AFTER_TESTS { ... } once after
 * the last test. */
#define TEST_GROUP(when)                                                                           \
    static int tests_##when(void **);                                                              \
    __attribute__((constructor)) static void enter_tests_##when(void) {                            \
        test_list.when = tests_##when;                                                             \
    }                                                                                              \
    static int tests_##when(void **state __attribute__((unused)))
#define BEFORE_TESTS TEST_GROUP(before)
#define AFTER_TESTS TEST_GROUP(after)

int main(void) {
    return _cmocka_run_group_tests("tests", test_list.test, test_list.count, test_list.before,
                                   test_list.after);
}

#endif
