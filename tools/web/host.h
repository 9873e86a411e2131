/* Included before every file of a build for WebAssembly. Declares functions that emscripten's C
 * library lacks, and includes emscripten's version of x86's vector functions.
 */
#pragma once

#include <immintrin.h>
#include <stdlib.h>

void qsort_r(void *base, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *self);
