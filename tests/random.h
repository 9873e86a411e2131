/* The random numbers of all tests: the same seed gives the same numbers on every machine. For tests only. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

static uint64_t random_state __attribute__((unused));

static inline void random_start(uint64_t seed) {
    random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* From a state of the caller's own. */
static inline uint32_t random_next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static inline uint32_t random_word(void) {
    return random_next(&random_state);
}

static inline uint32_t random_below(uint32_t n) {
    return random_word() % n;
}

#endif
