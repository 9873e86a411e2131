/* Runs tests through the JIT: with TESLAPIPE_TEST_JIT=1 the environments that tests make get a compiler
 * which they wait for (tests/jit.sh runs the shader tests so), else none.
 */
#ifndef TESTS_TEST_JIT_H
#define TESTS_TEST_JIT_H

#include "shader/jit/jit.h"

#include <stdio.h>
#include <stdlib.h>

static struct jit *test_jits[SIMD_LEVELS];

static void __attribute__((unused)) test_jits_destroy(void) {
    for (int i = 0; i < SIMD_LEVELS; i++)
        jit_destroy(test_jits[i]);
}

/* The level's compiler, or NULL with a line in error. */
static inline struct jit *test_jit_get(enum simd_level level, char *error, size_t error_size) {
    static bool registered;
    if (!registered)
        registered = atexit(test_jits_destroy) == 0;
    if (!test_jits[level])
        test_jits[level] = jit_create(level, true);
    return jit_usable(test_jits[level], error, error_size) ? test_jits[level] : NULL;
}

/* What a test's warp_env.jit is. */
static inline struct jit *test_jit(enum simd_level level) {
    const char *wanted = getenv("TESLAPIPE_TEST_JIT");
    char error[256];
    if (!wanted || *wanted != '1')
        return NULL;
    struct jit *jit = test_jit_get(level, error, sizeof error);
    if (!jit) {
        fprintf(stderr, "TESLAPIPE_TEST_JIT=1: %s\n", error);
        abort();
    }
    return jit;
}

#endif
