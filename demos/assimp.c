/* Opens assimp. In: its name. Out: its functions. */
#define _GNU_SOURCE
#include "demos/assimp.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Its readers of text fill a buffer of 16 MiB, whatever a file's size: 4,096 pages, one by one touched for the
 * first time, which took a fifth of the time to the first picture. malloc gives it the memory that is freed
 * here, and that may be large pages. */
void assimp_prepare(void) {
    enum { LARGE = 2 << 20, SIZE = (16 << 20) + 2 * LARGE };
    void *volatile mapped = malloc(SIZE); /* volatile: or compilers leave both calls out */
    free(mapped);                         /* from here on malloc takes such sizes from what it keeps */
    char *p = malloc(SIZE);
    if (!p)
        return;
    char *const first = p + (-(uintptr_t)p & (LARGE - 1));
    madvise(first, (size_t)(p + SIZE - first) & ~(size_t)(LARGE - 1), MADV_HUGEPAGE);
    free(p);
}

void assimp_release(void) {
    malloc_trim(0);
}

bool assimp_open(struct assimp *a, const char **why) {
    void *library = dlopen("libassimp.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libassimp.so", RTLD_NOW | RTLD_LOCAL);
    *a = (struct assimp){0};
#define X(name) a->name = library ? (__typeof__(a->name))dlsym(library, "ai" #name) : NULL;
    ASSIMP_FUNCTIONS(X)
#undef X
#define X(name) &&a->name
    if (true ASSIMP_FUNCTIONS(X))
        return true;
#undef X
    *why = dlerror();
    return false;
}
