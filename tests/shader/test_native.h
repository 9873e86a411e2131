/* Lets tests use native code. With TESLAPIPE_TEST_NATIVE=1, environments made by tests run every
 * program natively from its first warp (tests/shader/native.sh runs some shader tests so);
 * otherwise they use the interpreter. */
#ifndef TESTS_TEST_NATIVE_H
#define TESTS_TEST_NATIVE_H

#include "shader/native/native.h"

#include <stdio.h>
#include <stdlib.h>

static struct native *test_natives[SIMD_LEVELS];

static void __attribute__((unused)) test_natives_destroy(void) {
    for (int i = 0; i < SIMD_LEVELS; i++)
        native_destroy(test_natives[i]);
}

/* The level's native code service, or NULL in a build without native code. */
static inline struct native *test_native_get(enum simd_level level) {
    static bool registered;
    if (!registered)
        registered = atexit(test_natives_destroy) == 0;
    if (!test_natives[level] && native_usable())
        test_natives[level] = native_create(level);
    return test_natives[level];
}

/* The value for a test's warp_env.native. */
static inline struct native *test_native(enum simd_level level) {
    const char *wanted = getenv("TESLAPIPE_TEST_NATIVE");
    if (!wanted || *wanted != '1')
        return NULL;
    struct native *native = test_native_get(level);
    if (!native) {
        fprintf(stderr, "TESLAPIPE_TEST_NATIVE=1: this build has no native code\n");
        abort();
    }
    return native;
}

#endif
