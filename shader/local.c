/* Allocates and clears the rows of l[] (local.h). */
#include "shader/local.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { LARGE = 1 << 16 }; /* bytes: a memset of fewer is cheaper than the system's pages */

static size_t bytes_of(size_t rows) {
    return rows * sizeof(u32x32);
}

u32x32 *local_alloc(size_t rows) {
    const size_t bytes = bytes_of(rows ? rows : 1);
    if (bytes > LARGE) {
        void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return p == MAP_FAILED ? NULL : p;
    }
    void *p = aligned_alloc(_Alignof(u32x32), bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

void local_free(u32x32 *row, size_t rows) {
    if (row && bytes_of(rows) > LARGE)
        munmap(row, bytes_of(rows));
    else
        free(row);
}

void local_clear(struct warp *w, size_t rows) {
    for (uint32_t i = 0; i < LOCAL_DIRTY_WORDS; i++) {
        for (uint64_t rest = w->local_dirty[i]; rest; rest &= rest - 1) {
            const size_t first = (64 * i + (uint32_t)__builtin_ctzll(rest)) * LOCAL_DIRTY_ROWS;
            const size_t left = first < rows ? rows - first : 0;
            memset(w->local + first, 0,
                   bytes_of(left < LOCAL_DIRTY_ROWS ? left : LOCAL_DIRTY_ROWS));
        }
        w->local_dirty[i] = 0;
    }
}
