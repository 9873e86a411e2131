/* Runs files of execution vectors (each line has one instruction, its inputs and the expected
 * result), many lines to a warp. For `teslapipe exec` and tests.
 */
#ifndef SHADER_VECTORS_H
#define SHADER_VECTORS_H

#include "shader/warp.h"

#include <stdio.h>

/* The function that runs the warps: warp_run, or another engine with the same interface. */
typedef enum warp_status vectors_engine(struct warp *w, const struct warp_env *env);

struct vectors_report {
    uint32_t passed, failed;
    /* Called for each failing line with its number (from 1), its text and the actual result. */
    void *self;
    void (*fail)(void *self, unsigned line, const char *text, const char *got);
};

/* Runs all vectors of `in` at this SIMD level, as native code if it is available, and counts into
 * report. Lines that are not vectors fail. 0, or -1 when out of memory or on a read error. */
int vectors_run(FILE *in, enum simd_level simd, struct native *native, vectors_engine *engine,
                struct vectors_report *report);

#endif
