/* Included before every file of a build for WebAssembly: what emscripten's C library lacks, and x86's
 * vector functions, which emscripten has.
 */
#ifndef TOOLS_WEB_HOST_H
#define TOOLS_WEB_HOST_H

#include <immintrin.h>
#include <stdlib.h>

void qsort_r(void *base, size_t count, size_t size,
             int (*compare)(const void *, const void *, void *), void *self);

#endif
