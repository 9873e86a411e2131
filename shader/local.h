/* Memory of l[]: rows that begin as zeros, and notes of the rows that a warp has written, so that
 * only these are cleared before the next warp. In: numbers of rows. Out: rows. Must not know
 * programs.
 */
#pragma once

#include "shader/warp.h"

/* Allocates rows of zeros. Memory of many rows is taken from the system as it is touched. NULL when
 * out of memory. */
u32x32 *local_alloc(size_t rows);
void local_free(u32x32 *row, size_t rows);

/* Notes a store to byte `at` of l[], which lies inside w->local_size. */
static inline void local_written(struct warp *w, uint32_t at) {
    const uint32_t bit = at / (4 * LOCAL_DIRTY_ROWS);
    w->local_dirty[bit / 64 % LOCAL_DIRTY_WORDS] |= UINT64_C(1) << bit % 64;
}

/* local_written() for the lanes of m. */
LANES_INLINE void local_written_all(struct warp *w, u32x32 at, lane_mask m) {
    const u32x32 group = at / (4 * LOCAL_DIRTY_ROWS);
    while (m) {
        const uint32_t one = at[__builtin_ctz(m)];
        local_written(w, one);
        m &= lanes_to_mask((u32x32)(group != lanes_splat(one / (4 * LOCAL_DIRTY_ROWS))));
    }
}

/* Clears the rows that were written. rows: the number of rows at w->local. */
void local_clear(struct warp *w, size_t rows);
