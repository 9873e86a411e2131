/* For a build for WebAssembly: qsort_r(), which the C library lacks, and the folder of programs. */
#include "tools/web/host.h"

static int (*compare_with)(const void *, const void *, void *);
static void *compare_self;

static int compare(const void *a, const void *b) {
    return compare_with(a, b, compare_self);
}

void qsort_r(void *base, size_t count, size_t size, int (*with)(const void *, const void *, void *),
             void *self) {
    compare_with = with;
    compare_self = self;
    qsort(base, count, size, compare);
}

/* emcc --embed-file puts demos/programs into /data. */
__attribute__((constructor)) static void choose_data(void) {
    setenv("TESLAPIPE_DATA", "/data", 1);
}
