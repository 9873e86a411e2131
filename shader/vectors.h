/* Runs files of execution vectors (each line has one instruction, its inputs and the expected
 * result), many lines to a warp. For `teslapipe exec` and tests.
 */
#pragma once

#include "shader/warp.h"

#include <stdio.h>

struct vectors_report {
    uint32_t passed, failed;
    /* Called for each failing line with its number (from 1), its text and the actual result. */
    void *self;
    void (*fail)(void *self, unsigned line, const char *text, const char *got);
};

/* Runs all vectors of `in` at this SIMD level and counts them in *report. native NULL: the
 * interpreter runs them. Lines that are not vectors fail. 0, or -1 when out of memory or on a read
 * error. */
int vectors_run(FILE *in, enum simd_level simd, struct native *native,
                struct vectors_report *report);
/* As vectors_run(), with native code that the function makes; -1 with errno ENOSYS if the build has
 * no native code. */
int vectors_run_native(FILE *in, enum simd_level simd, struct vectors_report *report);
