/* Moves one block of a tile plane, all its samples, between memory order and lane order, and splits
 * or joins depth and stencil. In: located planes. Every access is limited to the surface's size and
 * extent: texels outside read 0 and are not written. Knows no state.
 */
#include "raster/tile.h"

#include <string.h>

enum { MAX_ROW = (BLOCK_W << 2) * 16, MAX_ROWS = BLOCK_H << 1 };

/* A block as it lies in memory: rows of texels, samples side by side. */
struct texels {
    uint8_t row[MAX_ROWS][MAX_ROW] __attribute__((aligned(64)));
};

/* Bytes of each row of the block that lie inside the surface. */
LANES_INLINE uint32_t row_bytes(const struct tile_plane *p, const struct raster_rect *at) {
    const uint32_t texels = BLOCK_W << p->shift_x, x = (uint32_t)at->x0;
    const uint32_t inside = x < p->width ? p->width - x : 0;
    return (inside < texels ? inside : texels) * p->bytes;
}

/* Calls for each piece of the block's rows that may be touched: memory, texels, bytes. */
LANES_INLINE void move_rows(const struct tile_plane *p, uint32_t block,
                            const struct raster_rect *at, struct texels *t, bool store) {
    const uint32_t rows = BLOCK_H << p->shift_y, bytes = row_bytes(p, at);
    const uint32_t pieces = (uint32_t)(BLOCK_W << p->shift_x) * p->bytes / p->chunk;
    const uint64_t *column = &p->column[block % BLOCKS_X * pieces];
    const uint64_t *row = &p->row[block / BLOCKS_X * rows];
    for (uint32_t j = 0; j < rows && (uint32_t)at->y0 + j < p->height; j++) {
        for (uint32_t i = 0, done = 0; done < bytes; i++, done += p->chunk) {
            const uint64_t offset = row[j] + column[i];
            const uint32_t n = bytes - done < p->chunk ? bytes - done : p->chunk;
            if (offset > p->surface.size || p->surface.size - offset < n)
                continue;
            if (store)
                memcpy(p->surface.data + offset, t->row[j] + done, n);
            else
                memcpy(t->row[j] + done, p->surface.data + offset, n);
        }
    }
}

/* The surface position of sample s inside its pixel (docs/raster.md "Samples"). */
LANES_INLINE uint32_t sample_x(uint32_t s) {
    return (s & 1) | (s >> 1 & 2);
}

LANES_INLINE uint32_t sample_y(uint32_t s) {
    return s >> 1 & 1;
}

/* 32-bit word `word` of each texel of four rows, to or from lane order. bytes is a constant where
 * it matters. */
LANES_INLINE void swizzle(struct texels *t, const struct tile_plane *p, uint32_t s, uint32_t word,
                          uint32_t bytes, u32x32 *lanes, bool store) {
    const uint32_t step = bytes << p->shift_x, n = bytes < 4 ? bytes : 4;
    uint32_t lane[LANES] = {0};
    if (store)
        memcpy(lane, lanes, sizeof(lane));
    for (uint32_t y = 0; y < BLOCK_H; y++) {
        uint8_t *row = t->row[(y << p->shift_y) + sample_y(s)] + sample_x(s) * bytes + word * 4;
        for (uint32_t x = 0; x < BLOCK_W; x++) {
            uint32_t *l = &lane[(y / 2 * 4 + x / 2) * 4 + y % 2 * 2 + x % 2];
            if (store)
                memcpy(row + x * step, l, n);
            else
                memcpy(l, row + x * step, n);
        }
    }
    if (!store)
        memcpy(lanes, lane, sizeof(lane));
}

LANES_INLINE void swizzle_words(struct texels *t, const struct tile_plane *p, uint32_t s,
                                u32x32 *rows, bool store) {
    switch (p->bytes) {
    case 1:
        swizzle(t, p, s, 0, 1, rows, store);
        break;
    case 2:
        swizzle(t, p, s, 0, 2, rows, store);
        break;
    case 4:
        swizzle(t, p, s, 0, 4, rows, store);
        break;
    case 8:
        for (uint32_t w = 0; w < 2; w++)
            swizzle(t, p, s, w, 8, rows + w, store);
        break;
    default:
        for (uint32_t w = 0; w < 4; w++)
            swizzle(t, p, s, w, 16, rows + w, store);
    }
}

/* Raw zeta words to depth and stencil rows. */
LANES_INLINE void split_zeta(const struct format_info *f, const u32x32 *raw, u32x32 *rows) {
    if (f->bits[1])
        rows[1] = raw[f->shift[1] >= 32] >> (f->shift[1] % 32) & 0xff;
    rows[0] = f->bits[0] == 32 ? raw[0] : raw[0] >> f->shift[0] & ((1u << f->bits[0]) - 1);
}

LANES_INLINE void join_zeta(const struct format_info *f, const u32x32 *rows, u32x32 *raw) {
    raw[0] = f->bits[0] == 32 ? rows[0] : rows[0] << f->shift[0];
    if (f->bytes == 8)
        raw[1] = lanes_splat(0);
    if (f->bits[1])
        raw[f->shift[1] >= 32] |= rows[1] << (f->shift[1] % 32);
}

LANES_INLINE struct raster_rect block_texels(const struct tile_plane *p,
                                             const struct raster_rect *tile, uint32_t block) {
    return (struct raster_rect){
        .x0 = (int32_t)((uint32_t)(tile->x0 + (int32_t)(block % BLOCKS_X) * BLOCK_W) << p->shift_x),
        .y0 =
            (int32_t)((uint32_t)(tile->y0 + (int32_t)(block / BLOCKS_X) * BLOCK_H) << p->shift_y)};
}

typedef uint64_t u64x4 __attribute__((vector_size(32)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));

/* The block's texel rows in memory, if each is one whole piece inside the surface. */
LANES_INLINE bool whole_rows(const struct tile_plane *p, uint32_t block,
                             const struct raster_rect *at, uint8_t *row[MAX_ROWS]) {
    const uint32_t width = BLOCK_W << p->shift_x, rows = BLOCK_H << p->shift_y;
    if (p->chunk != width * p->bytes)
        return false;
    if (!p->inside && ((uint32_t)at->x0 + width > p->width || (uint32_t)at->y0 + rows > p->height))
        return false;
    for (uint32_t y = 0; y < rows; y++) {
        const uint64_t offset = p->row[block / BLOCKS_X * rows + y] + p->column[block % BLOCKS_X];
        if (p->inside) {
            row[y] = p->surface.data + offset;
            continue;
        }
        if (offset > p->surface.size || p->surface.size - offset < p->chunk)
            return false;
        row[y] = p->surface.data + offset;
    }
    return true;
}

union plain_lanes {
    u32x32 lanes;
    u64x4 part[4];
};

/* Rows of eight words: pairs of the upper row, each followed by the pair below it. */
LANES_INLINE u32x32 load_plain(uint8_t *const *row) {
    union plain_lanes u;
    for (int i = 0; i < 2; i++) {
        u64x4 up, low;
        memcpy(&up, row[2 * i], sizeof(up));
        memcpy(&low, row[2 * i + 1], sizeof(low));
        u.part[2 * i] = __builtin_shufflevector(up, low, 0, 4, 1, 5);
        u.part[2 * i + 1] = __builtin_shufflevector(up, low, 2, 6, 3, 7);
    }
    return u.lanes;
}

/* The rows back, from the upper to the lowest. */
LANES_INLINE void plain_rows(u32x32 lanes, u64x4 row[BLOCK_H]) {
    const union plain_lanes u = {.lanes = lanes};
    for (int i = 0; i < 2; i++) {
        row[2 * i] = __builtin_shufflevector(u.part[2 * i], u.part[2 * i + 1], 0, 2, 4, 6);
        row[2 * i + 1] = __builtin_shufflevector(u.part[2 * i], u.part[2 * i + 1], 1, 3, 5, 7);
    }
}

LANES_INLINE void store_plain(uint8_t *const *row, u32x32 lanes) {
    u64x4 v[BLOCK_H];
    plain_rows(lanes, v);
    for (int y = 0; y < BLOCK_H; y++)
        memcpy(row[y], &v[y], sizeof(v[y]));
}

union pair_lanes {
    u32x32 lanes;
    u32x16 half[2];
};

/* Rows of sixteen words, alternating between two planes: two samples side by side, or the two words
 * of 64-bit texels. Row y of the block is row[y * step]. */
LANES_INLINE void load_pair(uint8_t *const *row, uint32_t step, u32x32 plane[2]) {
    union pair_lanes u[2];
    for (uint32_t i = 0; i < 2; i++) {
        u32x16 up, low;
        memcpy(&up, row[2 * i * step], sizeof(up));
        memcpy(&low, row[(2 * i + 1) * step], sizeof(low));
        u[0].half[i] = __builtin_shufflevector(up, low, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26,
                                               12, 14, 28, 30);
        u[1].half[i] = __builtin_shufflevector(up, low, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27,
                                               13, 15, 29, 31);
    }
    plane[0] = u[0].lanes;
    plane[1] = u[1].lanes;
}

LANES_INLINE void store_pair(uint8_t *const *row, uint32_t step, const u32x32 plane[2]) {
    const union pair_lanes u[2] = {{.lanes = plane[0]}, {.lanes = plane[1]}};
    for (uint32_t i = 0; i < 2; i++) {
        const u32x16 a = u[0].half[i], b = u[1].half[i];
        const u32x16 up =
            __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        const u32x16 low = __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27,
                                                   14, 30, 15, 31);
        memcpy(row[2 * i * step], &up, sizeof(up));
        memcpy(row[(2 * i + 1) * step], &low, sizeof(low));
    }
}

LANES_INLINE void take_raw(struct tile_plane *p, const struct format_info *f, uint32_t sample,
                           uint32_t block, const u32x32 *raw) {
    u32x32 *rows = plane_rows(p, sample, block);
    if (f->zeta) {
        split_zeta(f, raw, rows);
        return;
    }
    for (uint32_t w = 0; w < p->words; w++)
        rows[w] = raw[w];
}

LANES_INLINE void give_raw(const struct tile_plane *p, const struct format_info *f, uint32_t sample,
                           uint32_t block, u32x32 *raw) {
    const u32x32 *rows = plane_rows(p, block_bit(p->agree, block) ? 0 : sample, block);
    u32x32 clear[MAX_WORDS];
    if (block_bit(p->cleared, block)) {
        for (uint32_t w = 0; w < p->words; w++)
            clear[w] = lanes_splat(p->clear_words[w]);
        rows = clear;
    }
    if (f->zeta) {
        join_zeta(f, rows, raw);
        return;
    }
    for (uint32_t w = 0; w < p->words; w++)
        raw[w] = rows[w];
}

/* Blocks wholly inside, in the layouts worth it; false if this is not one. */
static bool load_fast(struct tile_plane *p, const struct format_info *f, uint32_t block,
                      uint8_t *const *row) {
    u32x32 raw[2];
    if (p->chunk == 32 && p->bytes == 4) {
        raw[0] = load_plain(row);
        take_raw(p, f, 0, block, raw);
        return true;
    }
    if (p->chunk != 64 || p->bytes < 4)
        return false;
    if (p->bytes == 8) {
        load_pair(row, 1, raw);
        take_raw(p, f, 0, block, raw);
        return true;
    }
    for (uint32_t y = 0; y < 1u << p->shift_y; y++) {
        load_pair(row + y, 1u << p->shift_y, raw);
        for (uint32_t x = 0; x < 2; x++)
            take_raw(p, f, 2 * y + x, block, &raw[x]);
    }
    return true;
}

static bool store_fast(const struct tile_plane *p, const struct format_info *f, uint32_t block,
                       uint8_t *const *row) {
    u32x32 raw[2];
    if (p->chunk == 32 && p->bytes == 4) {
        give_raw(p, f, 0, block, raw);
        store_plain(row, raw[0]);
        return true;
    }
    if (p->chunk != 64 || p->bytes < 4)
        return false;
    if (p->bytes == 8) {
        give_raw(p, f, 0, block, raw);
        store_pair(row, 1, raw);
        return true;
    }
    for (uint32_t y = 0; y < 1u << p->shift_y; y++) {
        for (uint32_t x = 0; x < 2; x++)
            give_raw(p, f, 2 * y + x, block, &raw[x]);
        store_pair(row + y, 1u << p->shift_y, raw);
    }
    return true;
}

/* Notes whether all samples of a colour block are alike. */
static void compare_samples(struct tile_plane *p, uint32_t block) {
    const size_t bytes = p->words * sizeof(u32x32);
    bool alike = p->samples > 1 && !p->info->zeta;
    for (uint32_t s = 1; s < p->samples && alike; s++)
        alike = memcmp(plane_rows(p, 0, block), plane_rows(p, s, block), bytes) == 0;
    if (alike)
        block_set(p->agree, block);
}

static void load(struct tile_plane *p, uint32_t block) {
    const struct format_info *f = p->info;
    const struct raster_rect at = block_texels(p, &p->tile, block);
    uint8_t *row[MAX_ROWS];
    if (whole_rows(p, block, &at, row) && load_fast(p, f, block, row))
        return;
    struct texels t;
    const uint32_t bytes = (uint32_t)(BLOCK_W << p->shift_x) * p->bytes;
    for (uint32_t j = 0; j < (uint32_t)BLOCK_H << p->shift_y; j++)
        memset(t.row[j], 0, bytes);
    move_rows(p, block, &at, &t, false);
    for (uint32_t s = 0; s < p->samples; s++) {
        u32x32 raw[MAX_WORDS] = {{0}};
        swizzle_words(&t, p, s, raw, false);
        take_raw(p, f, s, block, raw);
    }
}

/* Rows of a block that so far is only known to be cleared. */
static void load_cleared(struct tile_plane *p, uint32_t block) {
    const bool zeta = p->info->zeta;
    block_clear(p->cleared, block);
    for (uint32_t s = 0; s < (zeta ? p->samples : 1); s++)
        for (uint32_t w = 0; w < p->words; w++)
            plane_rows(p, s, block)[w] = lanes_splat(p->clear_words[w]);
    if (p->samples > 1 && !zeta)
        block_set(p->agree, block);
}

void SIMD_FN(block_load)(struct tile_plane *p, uint32_t block) {
    if (block_bit(p->cleared, block)) {
        load_cleared(p, block);
        return;
    }
    load(p, block);
    compare_samples(p, block);
}

static void block_store(struct tile_plane *p, uint32_t block) {
    const struct format_info *f = p->info;
    const struct raster_rect at = block_texels(p, &p->tile, block);
    uint8_t *row[MAX_ROWS];
    if (whole_rows(p, block, &at, row) && store_fast(p, f, block, row))
        return;
    struct texels t;
    for (uint32_t s = 0; s < p->samples; s++) {
        u32x32 raw[MAX_WORDS];
        give_raw(p, f, s, block, raw);
        swizzle_words(&t, p, s, raw, true);
    }
    move_rows(p, block, &at, &t, true);
}

typedef uint64_t u64x8 __attribute__((vector_size(64)));

/* A block of 32-bit texels with one sample, and its neighbour on the right: rows of 64 bytes, which lie
 * in one piece. */
LANES_INLINE void store_two(struct tile_plane *p, uint32_t block) {
    u64x4 left[BLOCK_H], right[BLOCK_H];
    u32x32 raw[2];
    give_raw(p, p->info, 0, block, &raw[0]);
    give_raw(p, p->info, 0, block + 1, &raw[1]);
    plain_rows(raw[0], left);
    plain_rows(raw[1], right);
    const uint64_t *row = &p->row[block / BLOCKS_X * BLOCK_H];
    uint8_t *const at = p->surface.data + p->column[block % BLOCKS_X];
    for (int y = 0; y < BLOCK_H; y++) {
        const u64x8 v = __builtin_shufflevector(left[y], right[y], 0, 1, 2, 3, 4, 5, 6, 7);
        memcpy(at + row[y], &v, sizeof(v));
    }
}

void SIMD_FN(plane_store)(struct tile_plane *p) {
    const bool pairs = p->inside && p->bytes == 4 && p->samples == 1;
    for (uint32_t half = 0; half < 2; half++) {
        uint64_t rest = p->dirty[half];
        while (rest) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(rest), block = half * 64 + bit;
            const bool two = pairs && bit % 2 == 0 && rest >> bit >> 1 & 1;
            if (two)
                store_two(p, block);
            else
                block_store(p, block);
            rest &= ~((two ? UINT64_C(3) : 1) << bit);
        }
        p->dirty[half] = 0;
    }
}
