/* Numbers for vertices whose indices lie close together. A byte for each index of the range says if
 * the index is used; prefix sums of these bytes, eight at a time, are the numbers. So neither a
 * table nor a branch is needed, and vertices lie in the order of their indices. In: indices. Out:
 * vertices, each once, and the number of each element. Must not know primitives.
 */
#include "pipeline/front/number.h"

enum { STEP = 8 };
_Static_assert((int)VERTEX_SLACK >= (int)STEP, "vertices are written in steps");

void SIMD_FN(index_range)(const uint32_t *index, uint32_t n, uint32_t *low, uint32_t *high) {
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        least = index[i] < least ? index[i] : least;
        most = index[i] > most ? index[i] : most;
    }
    *low = least;
    *high = most;
}

/* Stores the eight bytes of a word, each plus `base`, to out[8]. */
static inline void store_bytes(uint64_t bytes, uint32_t base, uint32_t *out) {
    u8x8 narrow;
    memcpy(&narrow, &bytes, sizeof narrow);
    const u32x8 wide = __builtin_convertvector(narrow, u32x8) + base;
    memcpy(out, &wide, sizeof wide);
}

/* Returns the positions of the bytes that are 1, a byte for each, in order. */
static inline uint64_t which_bytes(uint64_t used) {
#if defined(__BMI2__)
    return __builtin_ia32_pext_di(0x0706050403020100, used * 0xff);
#else
    uint64_t which = 0;
    unsigned n = 0;
    for (uint64_t rest = used; rest; rest &= rest - 1)
        which |= (uint64_t)(__builtin_ctzll(rest) / 8) << (8 * n++);
    return which;
#endif
}

uint32_t SIMD_FN(number_dense)(const uint32_t *index, uint32_t n, uint32_t low, uint32_t range,
                               uint32_t *vertex, uint32_t count, uint32_t *number) {
    uint8_t used[NUMBER_RANGE + STEP];
    uint32_t rank[NUMBER_RANGE + STEP];
    memset(used, 0, range + STEP);
    for (uint32_t i = 0; i < n; i++)
        used[index[i] - low] = 1;
    for (uint32_t i = 0; i < range; i += STEP) {
        uint64_t bytes;
        memcpy(&bytes, &used[i], sizeof bytes);
        const uint64_t sums = bytes * 0x0101010101010101; /* prefix sums, each with its own byte */
        store_bytes(sums - bytes, count, &rank[i]);
        store_bytes(which_bytes(bytes), low + i, &vertex[count]);
        count += (uint32_t)(sums >> 56);
    }
    for (uint32_t i = 0; i < n; i++)
        number[i] = rank[index[i] - low];
    return count;
}
