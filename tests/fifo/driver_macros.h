/* The 16 macros that Mesa 22.3.6's nouveau driver uploads for chipset c0, taken from the seeds of
 * the fuzzer (tests/fuzz/fuzz_macro.c), and the position of each. */
#ifndef TESTS_FIFO_DRIVER_MACROS_H
#define TESTS_FIFO_DRIVER_MACROS_H

#include "tests/test.h"

#include <stdint.h>
#include <stdio.h>

enum { DRIVER_MACROS = 16, DRIVER_WORDS = 385 };

static uint32_t driver_entry[DRIVER_MACROS], driver_code[DRIVER_WORDS];

static void read_driver_macros(void) {
    static const uint8_t order[] = {0, 2, 1, 6, 5, 3, 4, 7, 8, 9, 10, 11, 13, 14, 15, 12};
    uint32_t at = 0;
    for (int i = 0; i < DRIVER_MACROS; i++) {
        char name[64];
        snprintf(name, sizeof name, "tests/fuzz/corpus/fuzz_macro/driver-%x", order[i]);
        FILE *f = fopen(name, "rb");
        assert_non_null(f);
        const int words = fgetc(f);
        assert_true(words > 0 && at + (uint32_t)words <= DRIVER_WORDS);
        assert_int_equal(fread(driver_code + at, 4, (size_t)words, f), words);
        fclose(f);
        driver_entry[order[i]] = at;
        at += (uint32_t)words;
    }
    assert_int_equal(at, DRIVER_WORDS);
}

#endif
