/* The random numbers of tests: the same seed gives the same numbers on every machine. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

static uint64_t random_numbers __attribute__((unused));

/* Returns 40 random bits and advances the caller's state. */
static inline uint64_t random_next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 24;
}

static inline float random_float(uint64_t *state, float low, float high) {
    return low + (high - low) * ((float)(random_next(state) & 0xffffff) / (float)0x1000000);
}

static inline uint32_t random_word(void) {
    return (uint32_t)(random_next(&random_numbers) >> 8);
}

/* Seeds that are close to each other start unrelated sequences. */
static inline void random_start(uint64_t seed) {
    random_numbers = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    random_word();
}

static inline uint32_t random_below(uint32_t n) {
    return random_word() % n;
}

#endif
