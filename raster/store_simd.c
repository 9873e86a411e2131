/* Loads and stores blocks of a tile surface, all samples: between memory order and lane order, with
 * depth and stencil split or joined. A tile loads a block before its first use and stores it at the
 * tile's end. In: located tile surfaces. Every access is limited to the surface's size and extent:
 * texels outside read 0 and are not written. Must not know the state.
 */
#include "raster/tile.h"

#include <string.h>

enum { MAX_ROW = (BLOCK_W << 2) * 16, MAX_ROWS = BLOCK_H << 1 };

/* A block as it lies in memory: rows of texels, samples side by side. */
struct texels {
    uint8_t row[MAX_ROWS][MAX_ROW] __attribute__((aligned(64)));
};

/* Returns the bytes of each row of the block that lie inside the surface. */
LANES_INLINE uint32_t row_bytes(const struct tile_surface *p, const struct raster_rect *at) {
    const uint32_t texels = BLOCK_W << p->shift_x, x = (uint32_t)at->x0;
    const uint32_t inside = x < p->width ? p->width - x : 0;
    return (inside < texels ? inside : texels) * p->bytes;
}

/* Returns the number of spans in a row of a block. A span is memory that lies side by side, at most
 * 64 bytes. */
LANES_INLINE uint32_t row_spans(const struct tile_surface *p) {
    return (uint32_t)(BLOCK_W << p->shift_x) * p->bytes / p->span_bytes;
}

/* Copies the spans of the block's rows that lie inside the surface: from t to memory (store), or
 * from memory to t. */
LANES_INLINE void move_rows(const struct tile_surface *p, uint32_t block,
                            const struct raster_rect *at, struct texels *t, bool store) {
    const uint32_t rows = BLOCK_H << p->shift_y, bytes = row_bytes(p, at);
    const uint64_t *column = &p->column[block % BLOCKS_X * row_spans(p)];
    const uint64_t *row = &p->row[block / BLOCKS_X * rows];
    for (uint32_t j = 0; j < rows && (uint32_t)at->y0 + j < p->height; j++) {
        for (uint32_t i = 0, done = 0; done < bytes; i++, done += p->span_bytes) {
            const uint64_t offset = row[j] + column[i];
            const uint32_t n = bytes - done < p->span_bytes ? bytes - done : p->span_bytes;
            if (offset > p->surface.size || p->surface.size - offset < n)
                continue;
            if (store)
                memcpy(p->surface.data + offset, t->row[j] + done, n);
            else
                memcpy(t->row[j] + done, p->surface.data + offset, n);
        }
    }
}

/* The place of sample s inside its pixel in the surface (docs/raster.md "Samples"). */
LANES_INLINE uint32_t sample_x(uint32_t s) {
    return (s & 1) | (s >> 1 & 2);
}

LANES_INLINE uint32_t sample_y(uint32_t s) {
    return s >> 1 & 1;
}

/* Moves 32-bit word `word` of each texel of sample s to lane order, or from lane order (store).
 * bytes is a constant where speed depends on it. */
LANES_INLINE void swizzle_word(struct texels *t, const struct tile_surface *p, uint32_t s,
                               uint32_t word, uint32_t bytes, u32x32 *lanes, bool store) {
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

LANES_INLINE void swizzle_words(struct texels *t, const struct tile_surface *p, uint32_t s,
                                u32x32 *rows, bool store) {
    switch (p->bytes) {
    case 1:
        swizzle_word(t, p, s, 0, 1, rows, store);
        break;
    case 2:
        swizzle_word(t, p, s, 0, 2, rows, store);
        break;
    case 4:
        swizzle_word(t, p, s, 0, 4, rows, store);
        break;
    case 8:
        for (uint32_t w = 0; w < 2; w++)
            swizzle_word(t, p, s, w, 8, rows + w, store);
        break;
    default:
        for (uint32_t w = 0; w < 4; w++)
            swizzle_word(t, p, s, w, 16, rows + w, store);
    }
}

/* Splits raw zeta words into depth and stencil rows. */
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

LANES_INLINE struct raster_rect block_texels(const struct tile_surface *p,
                                             const struct raster_rect *tile, uint32_t block) {
    return (struct raster_rect){
        .x0 = (int32_t)((uint32_t)(tile->x0 + (int32_t)(block % BLOCKS_X) * BLOCK_W) << p->shift_x),
        .y0 =
            (int32_t)((uint32_t)(tile->y0 + (int32_t)(block / BLOCKS_X) * BLOCK_H) << p->shift_y)};
}

/* The layout of texels in memory. The values are constants where speed depends on them. */
struct layout {
    uint32_t bytes;            /* of a texel */
    uint32_t shift_x, shift_y; /* log2 of samples per pixel in x and y */
};

LANES_INLINE struct layout layout_of(const struct tile_surface *p) {
    return (struct layout){p->bytes, p->shift_x, p->shift_y};
}

enum { MAX_SPANS = 2 };
/* The places of a block's texel rows in memory, if each row has one or two spans. */
struct block_rows {
    uint8_t *span[MAX_ROWS][MAX_SPANS];
};

/* True if all texels of the block lie inside the surface. */
LANES_INLINE bool is_whole(const struct tile_surface *p, uint32_t block) {
    return block % BLOCKS_X < p->whole_x && block / BLOCKS_X < p->whole_y;
}

/* Finds the places of a block's rows in memory; a row has `spans` spans. */
LANES_INLINE void find_rows(const struct tile_surface *p, struct layout l, uint32_t block,
                            uint32_t spans, struct block_rows *r) {
    const uint32_t rows = BLOCK_H << l.shift_y;
    const uint64_t *row = &p->row[block / BLOCKS_X * rows];
    const uint64_t *column = &p->column[block % BLOCKS_X * spans];
    for (uint32_t y = 0; y < rows; y++) {
        for (uint32_t i = 0; i < spans; i++) {
            r->span[y][i] = p->surface.data + row[y] + column[i];
        }
    }
}

/* Finds the places of a block's rows: in memory, or in t if the block reaches beyond the surface.
 * False if a row has more than two spans. */
LANES_INLINE bool place_rows(const struct tile_surface *p, uint32_t block, struct texels *t,
                             struct block_rows *r) {
    const uint32_t spans = row_spans(p);
    if (spans > MAX_SPANS)
        return false;
    if (!is_whole(p, block))
        for (uint32_t y = 0; y < (uint32_t)BLOCK_H << p->shift_y; y++)
            for (uint32_t i = 0; i < spans; i++)
                r->span[y][i] = t->row[y] + i * p->span_bytes;
    else if (spans == 1)
        find_rows(p, layout_of(p), block, 1, r);
    else
        find_rows(p, layout_of(p), block, MAX_SPANS, r);
    return true;
}

/* Stores to surfaces of at least STREAMED bytes may bypass the cache: such a surface would be
 * evicted from a core's cache before it is read. LINE: bytes of a cache line. */
enum { STREAMED = 2 << 20, LINE = 64 };

/* Stores a whole cache line. stream: the store bypasses the cache, so the line's old contents are
 * not loaded. */
LANES_INLINE void store_line(uint8_t *to, u64x8 v, bool stream) {
#if defined(__AVX512F__)
    if (stream) {
        _mm512_stream_si512((__m512i *)(void *)to, (__m512i)v);
        return;
    }
#elif defined(__AVX2__)
    if (stream) {
        const union {
            u64x8 whole;
            __m256i half[2];
        } u = {v};
        _mm256_stream_si256((__m256i *)(void *)to, u.half[0]);
        _mm256_stream_si256((__m256i *)(void *)to + 1, u.half[1]);
        return;
    }
#else
    (void)stream;
#endif
    memcpy(to, &v, sizeof(v));
}

/* Completes streamed stores before later stores, such as the store that reports the tile as
 * drawn. */
LANES_INLINE void end_stream(void) {
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

union plain_lanes {
    u32x32 lanes;
    u64x4 part[4];
};

/* Span i of row y of pixels: texel row first + y * step. step: texel rows of a pixel. */
#define SPAN(y, i) r->span[first + (y) * step][i]

/* Loads four rows of eight words. In lane order, each pair of words of an upper row is followed by
 * the pair below it. */
LANES_INLINE void load_plain(const struct block_rows *r, u32x32 *plane) {
    union plain_lanes u;
    for (int i = 0; i < 2; i++) {
        u64x4 up, low;
        memcpy(&up, r->span[2 * i][0], sizeof(up));
        memcpy(&low, r->span[2 * i + 1][0], sizeof(low));
        u.part[2 * i] = __builtin_shufflevector(up, low, 0, 4, 1, 5);
        u.part[2 * i + 1] = __builtin_shufflevector(up, low, 2, 6, 3, 7);
    }
    *plane = u.lanes;
}

/* A block's rows of eight words, made of lanes; the upper row first. */
LANES_INLINE void plain_rows(u32x32 lanes, u64x4 row[BLOCK_H]) {
    const union plain_lanes u = {.lanes = lanes};
    for (int i = 0; i < 2; i++) {
        row[2 * i] = __builtin_shufflevector(u.part[2 * i], u.part[2 * i + 1], 0, 2, 4, 6);
        row[2 * i + 1] = __builtin_shufflevector(u.part[2 * i], u.part[2 * i + 1], 1, 3, 5, 7);
    }
}

LANES_INLINE void store_plain(const struct block_rows *r, const u32x32 *plane) {
    u64x4 v[BLOCK_H];
    plain_rows(*plane, v);
    for (int y = 0; y < BLOCK_H; y++)
        memcpy(r->span[y][0], &v[y], sizeof(v[y]));
}

union pair_lanes {
    u32x32 lanes;
    u32x16 half[2];
};

/* Loads rows of sixteen words that alternate between plane[0] and plane[1], each 32 lanes: two
 * samples side by side, or the two words of 64-bit texels. */
LANES_INLINE void load_pair(const struct block_rows *r, uint32_t first, uint32_t step,
                            u32x32 plane[2]) {
    union pair_lanes u[2];
    for (uint32_t i = 0; i < 2; i++) {
        u32x16 up, low;
        memcpy(&up, SPAN(2 * i, 0), sizeof(up));
        memcpy(&low, SPAN(2 * i + 1, 0), sizeof(low));
        u[0].half[i] = __builtin_shufflevector(up, low, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26,
                                               12, 14, 28, 30);
        u[1].half[i] = __builtin_shufflevector(up, low, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27,
                                               13, 15, 29, 31);
    }
    plane[0] = u[0].lanes;
    plane[1] = u[1].lanes;
}

LANES_INLINE void store_pair(const struct block_rows *r, uint32_t first, uint32_t step,
                             const u32x32 plane[2], bool stream) {
    const union pair_lanes u[2] = {{.lanes = plane[0]}, {.lanes = plane[1]}};
    for (uint32_t i = 0; i < 2; i++) {
        const u32x16 a = u[0].half[i], b = u[1].half[i];
        const u32x16 up =
            __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
        const u32x16 low = __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27,
                                                   14, 30, 15, 31);
        store_line(SPAN(2 * i, 0), (u64x8)up, stream);
        store_line(SPAN(2 * i + 1, 0), (u64x8)low, stream);
    }
}

/* Loads rows of two spans. The sixteen words of a span go to plane[0] to plane[3] in turn. A span
 * is half a row. */
LANES_INLINE void load_four(const struct block_rows *r, uint32_t first, uint32_t step,
                            u32x32 plane[4]) {
    union plain_lanes_8 {
        u32x32 lanes;
        u32x8 part[4];
    } u[4];
    for (uint32_t i = 0; i < 4; i++) { /* upper left, upper right, lower left, lower right */
        u32x16 up, low;
        memcpy(&up, SPAN(i / 2 * 2, i % 2), sizeof(up));
        memcpy(&low, SPAN(i / 2 * 2 + 1, i % 2), sizeof(low));
#define PART(n)                                                                                    \
    __builtin_shufflevector(up, low, n, n + 4, n + 16, n + 20, n + 8, n + 12, n + 24, n + 28)
        u[0].part[i] = PART(0);
        u[1].part[i] = PART(1);
        u[2].part[i] = PART(2);
        u[3].part[i] = PART(3);
#undef PART
    }
    for (int n = 0; n < 4; n++)
        plane[n] = u[n].lanes;
}

LANES_INLINE void store_four(const struct block_rows *r, uint32_t first, uint32_t step,
                             const u32x32 plane[4], bool stream) {
    for (uint32_t half = 0; half < 2; half++) {
        /* even[0]: words of plane[0] and [1]; odd[0]: of [2] and [3]; then even[]: both rows */
        u32x16 even[2], odd[2];
        const u32x16 *v[4];
        for (uint32_t n = 0; n < 4; n++)
            v[n] = (const u32x16 *)&plane[n] + half;
        for (uint32_t side = 0; side < 2; side++) {
#define SIDE(a, b)                                                                                 \
    (side ? __builtin_shufflevector(a, b, 8, 24, 9, 25, 12, 28, 13, 29, 10, 26, 11, 27, 14, 30,    \
                                    15, 31)                                                        \
          : __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 2, 18, 3, 19, 6, 22, 7, 23))
            even[0] = SIDE(*v[0], *v[1]);
            odd[0] = SIDE(*v[2], *v[3]);
#undef SIDE
            even[1] = __builtin_shufflevector(even[0], odd[0], 8, 9, 24, 25, 10, 11, 26, 27, 12, 13,
                                              28, 29, 14, 15, 30, 31);
            even[0] = __builtin_shufflevector(even[0], odd[0], 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20,
                                              21, 6, 7, 22, 23);
            for (uint32_t y = 0; y < 2; y++)
                store_line(SPAN(2 * half + y, side), (u64x8)even[y], stream);
        }
    }
}
#undef SPAN

typedef VECTOR_OF(uint16_t, 16) u16x16;

/* Loads rows of eight texels of one or two bytes, with one sample. In lane order, each pair of
 * texels of an upper row is followed by the pair below it. */
#define LOAD_SMALL(name, pair, texel)                                                              \
    LANES_INLINE void name(const struct block_rows *r, u32x32 *plane) {                            \
        union pair_lanes u;                                                                        \
        for (int i = 0; i < 2; i++) {                                                              \
            pair##x4 up, low;                                                                      \
            memcpy(&up, r->span[2 * i][0], sizeof(up));                                            \
            memcpy(&low, r->span[2 * i + 1][0], sizeof(low));                                      \
            const pair##x8 both = __builtin_shufflevector(up, low, 0, 4, 1, 5, 2, 6, 3, 7);        \
            u.half[i] = __builtin_convertvector((texel##x16)both, u32x16);                         \
        }                                                                                          \
        *plane = u.lanes;                                                                          \
    }
LOAD_SMALL(load_bytes, u16, u8)
LOAD_SMALL(load_shorts, u32, u16)
#undef LOAD_SMALL

#define STORE_SMALL(name, pair, texel)                                                             \
    LANES_INLINE void name(const struct block_rows *r, const u32x32 *plane) {                      \
        const union pair_lanes u = {.lanes = *plane};                                              \
        for (int i = 0; i < 2; i++) {                                                              \
            const pair##x8 both = (pair##x8) __builtin_convertvector(u.half[i], texel##x16);       \
            const pair##x4 up = __builtin_shufflevector(both, both, 0, 2, 4, 6);                   \
            const pair##x4 low = __builtin_shufflevector(both, both, 1, 3, 5, 7);                  \
            memcpy(r->span[2 * i][0], &up, sizeof(up));                                            \
            memcpy(r->span[2 * i + 1][0], &low, sizeof(low));                                      \
        }                                                                                          \
    }
STORE_SMALL(store_bytes, u16, u8)
STORE_SMALL(store_shorts, u32, u16)
#undef STORE_SMALL

/* Copies a texel of 32 lanes: one, two or four words. No loop, because compilers make a call of
 * memcpy() of it. */
LANES_INLINE void copy_words(struct layout l, const u32x32 *from, u32x32 *to) {
    to[0] = from[0];
    if (l.bytes > 4)
        to[1] = from[1];
    if (l.bytes > 8) {
        to[2] = from[2];
        to[3] = from[3];
    }
}

LANES_INLINE void take_raw(struct tile_surface *p, struct layout l, uint32_t sample, uint32_t block,
                           const u32x32 *raw) {
    u32x32 *rows = tile_rows(p, sample, block);
    if (p->info->zeta)
        split_zeta(p->info, raw, rows);
    else
        copy_words(l, raw, rows);
}

LANES_INLINE void give_raw(const struct tile_surface *p, struct layout l, uint32_t sample,
                           uint32_t block, u32x32 *raw) {
    const u32x32 *rows = tile_rows(p, block_bit(p->agree, block) ? 0 : sample, block);
    u32x32 clear[MAX_WORDS];
    if (block_bit(p->cleared, block)) {
        for (uint32_t w = 0; w < p->words; w++)
            clear[w] = lanes_splat(p->clear_words[w]);
        rows = clear;
    }
    if (p->info->zeta)
        join_zeta(p->info, rows, raw);
    else
        copy_words(l, rows, raw);
}

/* Returns the number of words that alternate in a row of texels: the words of all samples that lie
 * side by side. 0 for texels of less than a word. */
LANES_INLINE uint32_t planes_in_turn(struct layout l) {
    return l.bytes / 4 << l.shift_x;
}

/* Returns the number of the sample at column x and row y of its pixel. */
LANES_INLINE uint32_t sample_at(uint32_t x, uint32_t y) {
    return (x & 1) | y << 1 | (x & 2) << 1;
}

/* Loads a block from the rows r. False if there is no fast code for the format's layout. */
LANES_INLINE bool load_fast(struct tile_surface *p, struct layout l, uint32_t block,
                            const struct block_rows *r) {
    const uint32_t planes = planes_in_turn(l), step = 1u << l.shift_y;
    u32x32 raw[4];
    if (planes > 4 || (!planes && l.shift_x))
        return false;
    for (uint32_t y = 0; y < step; y++) {
        if (l.bytes == 1)
            load_bytes(r, raw);
        else if (l.bytes == 2)
            load_shorts(r, raw);
        else if (planes == 1)
            load_plain(r, raw);
        else if (planes == 2)
            load_pair(r, y, step, raw);
        else
            load_four(r, y, step, raw);
        for (uint32_t x = 0; x < 1u << l.shift_x; x++)
            take_raw(p, l, sample_at(x, y), block, &raw[x * (l.bytes / 4)]);
    }
    return true;
}

/* Stores a block to the rows r. stream: the spans are whole cache lines, and their stores bypass
 * the cache. False if there is no fast code for the format's layout. */
LANES_INLINE bool store_fast(const struct tile_surface *p, struct layout l, uint32_t block,
                             const struct block_rows *r, bool stream) {
    const uint32_t planes = planes_in_turn(l), step = 1u << l.shift_y;
    u32x32 raw[4];
    if (planes > 4 || (!planes && l.shift_x))
        return false;
    for (uint32_t y = 0; y < step; y++) {
        for (uint32_t x = 0; x < 1u << l.shift_x; x++)
            give_raw(p, l, sample_at(x, y), block, &raw[x * (l.bytes / 4)]);
        if (l.bytes == 1)
            store_bytes(r, raw);
        else if (l.bytes == 2)
            store_shorts(r, raw);
        else if (planes == 1)
            store_plain(r, raw);
        else if (planes == 2)
            store_pair(r, y, step, raw, stream);
        else
            store_four(r, y, step, raw, stream);
    }
    return true;
}

/* Notes in p->agree whether all samples of a colour block are alike. */
static void compare_samples(struct tile_surface *p, uint32_t block) {
    const size_t bytes = p->words * sizeof(u32x32);
    bool alike = p->samples > 1 && !p->info->zeta;
    for (uint32_t s = 1; s < p->samples && alike; s++)
        alike = memcmp(tile_rows(p, 0, block), tile_rows(p, s, block), bytes) == 0;
    if (alike)
        block_set(p->agree, block);
}

/* Copies the block's texels to t, with zeros beyond the surface. */
static void copy_texels(const struct tile_surface *p, uint32_t block, struct texels *t) {
    const struct raster_rect at = block_texels(p, &p->tile, block);
    const uint32_t bytes = (uint32_t)(BLOCK_W << p->shift_x) * p->bytes;
    for (uint32_t j = 0; j < (uint32_t)BLOCK_H << p->shift_y; j++)
        memset(t->row[j], 0, bytes);
    move_rows(p, block, &at, t, false);
}

/* Calls F(layout, number of spans in a row) for the layout of a surface with one sample. */
#define WITH_LAYOUT(F)                                                                             \
    switch (p->bytes) {                                                                            \
    case 1:                                                                                        \
        F(((struct layout){.bytes = 1}), 1);                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        F(((struct layout){.bytes = 2}), 1);                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        F(((struct layout){.bytes = 4}), 1);                                                       \
        break;                                                                                     \
    case 8:                                                                                        \
        F(((struct layout){.bytes = 8}), 1);                                                       \
        break;                                                                                     \
    default:                                                                                       \
        F(((struct layout){.bytes = 16}), 2);                                                      \
    }

/* Loads a block that lies inside a surface with one sample. */
static void load_whole(struct tile_surface *p, uint32_t block) {
    struct block_rows r;
#define LOAD(layout, spans) find_rows(p, layout, block, spans, &r), load_fast(p, layout, block, &r)
    WITH_LAYOUT(LOAD)
#undef LOAD
}

static void store_whole(const struct tile_surface *p, uint32_t block, bool stream) {
    struct block_rows r;
#define STORE(layout, spans)                                                                       \
    find_rows(p, layout, block, spans, &r), store_fast(p, layout, block, &r, stream)
    WITH_LAYOUT(STORE)
#undef STORE
}
#undef WITH_LAYOUT

static void load_memory(struct tile_surface *p, uint32_t block) {
    const bool whole = is_whole(p, block);
    const struct layout l = layout_of(p);
    struct block_rows r;
    struct texels t;
    p->loaded = true;
    if (whole && p->samples == 1) {
        load_whole(p, block);
        return;
    }
    if (!whole)
        copy_texels(p, block, &t);
    if (place_rows(p, block, &t, &r) && load_fast(p, l, block, &r))
        return;
    if (whole)
        copy_texels(p, block, &t);
    for (uint32_t s = 0; s < p->samples; s++) {
        u32x32 raw[MAX_WORDS] = {{0}};
        swizzle_words(&t, p, s, raw, false);
        take_raw(p, l, s, block, raw);
    }
}

/* Fills the rows of a block for which a clear was noted (p->cleared). */
static void load_cleared(struct tile_surface *p, uint32_t block) {
    const bool one = p->clears_all && !p->info->zeta;
    block_clear(p->cleared, block);
    if (!p->clears_all)
        load_memory(p, block);
    for (uint32_t s = 0; s < (one ? 1 : p->samples); s++) {
        u32x32 *rows = tile_rows(p, s, block);
        for (uint32_t w = 0; w < p->words; w++) {
            const u32x32 kept = p->clears_all ? lanes_splat(0) : rows[w] & ~p->clear_bits[w];
            rows[w] = kept | lanes_splat(p->clear_words[w] & p->clear_bits[w]);
        }
    }
    if (one && p->samples > 1)
        block_set(p->agree, block);
    else
        compare_samples(p, block);
}

void SIMD_FN(block_load)(struct tile_surface *p, uint32_t block) {
    if (block_bit(p->cleared, block)) {
        load_cleared(p, block);
        return;
    }
    load_memory(p, block);
    compare_samples(p, block);
}

/* Makes a block valid for which a clear of only some bits was noted: the other bits are read from
 * memory. */
static void complete_rows(struct tile_surface *p, uint32_t block) {
    if (p->clears_all || !block_bit(p->cleared, block))
        return;
    load_cleared(p, block);
    block_set(p->valid, block);
}

static void block_store(struct tile_surface *p, uint32_t block, bool stream) {
    const bool whole = is_whole(p, block);
    const struct layout l = layout_of(p);
    complete_rows(p, block);
    if (whole && p->samples == 1) {
        store_whole(p, block, stream);
        return;
    }
    const struct raster_rect at = block_texels(p, &p->tile, block);
    struct block_rows r;
    struct texels t;
    const bool fast = place_rows(p, block, &t, &r) && store_fast(p, l, block, &r, stream && whole);
    if (fast && whole)
        return;
    for (uint32_t s = 0; s < p->samples && !fast; s++) {
        u32x32 raw[MAX_WORDS];
        give_raw(p, l, s, block, raw);
        swizzle_words(&t, p, s, raw, true);
    }
    move_rows(p, block, &at, &t, true);
}

/* A block in lane order. Each half holds two rows: each pair of words of the upper row is followed
 * by the pair below it. */
union line_lanes {
    u32x32 lanes;
    u64x8 half[2];
};

/* Returns the texels of a block with one sample, in a format of 32 bits. */
LANES_INLINE u32x32 texel_words(const struct tile_surface *p, uint32_t block) {
    const struct format_info *f = p->info;
    const bool cleared = block_bit(p->cleared, block);
    const u32x32 *rows = tile_rows(p, 0, block);
    const u32x32 word = cleared ? lanes_splat(p->clear_words[0]) : rows[0];
    if (!f->zeta || f->bits[0] == 32)
        return word;
    const u32x32 depth = word << f->shift[0];
    if (!f->bits[1])
        return depth;
    return depth | (cleared ? lanes_splat(p->clear_words[1]) : rows[1]) << f->shift[1];
}

/* Stores a block of 32-bit texels with one sample, and its right neighbour. Each row of the two
 * blocks has 64 bytes, which lie side by side in memory. */
LANES_INLINE void store_two(struct tile_surface *p, uint32_t block, bool stream) {
    const union line_lanes left = {.lanes = texel_words(p, block)};
    const union line_lanes right = {.lanes = texel_words(p, block + 1)};
    const uint64_t *row = &p->row[block / BLOCKS_X * BLOCK_H];
    uint8_t *const at = p->surface.data + p->column[block % BLOCKS_X];
    for (int i = 0; i < 2; i++) {
        const u64x8 l = left.half[i], r = right.half[i];
        const u64x8 up = __builtin_shufflevector(l, r, 0, 2, 4, 6, 8, 10, 12, 14);
        const u64x8 low = __builtin_shufflevector(l, r, 1, 3, 5, 7, 9, 11, 13, 15);
        store_line(at + row[2 * i], up, stream);
        store_line(at + row[2 * i + 1], low, stream);
    }
}

/* Does a noted clear of some bits directly in memory, for a block and its right neighbour. */
LANES_INLINE void clear_two(const struct tile_surface *p, uint32_t block, bool stream) {
    const struct format_info *f = p->info;
    uint32_t bits = p->clear_bits[0], words = p->clear_words[0];
    if (f->zeta) {
        const uint32_t depth = (uint32_t)((UINT64_C(1) << f->bits[0]) - 1);
        bits = (bits & depth) << f->shift[0] | (p->clear_bits[1] & 0xff) << f->shift[1];
        words = words << f->shift[0] | p->clear_words[1] << f->shift[1];
    }
    const uint64_t *row = &p->row[block / BLOCKS_X * BLOCK_H];
    uint8_t *const at = p->surface.data + p->column[block % BLOCKS_X];
    for (uint32_t y = 0; y < BLOCK_H; y++) {
        u64x8 v;
        memcpy(&v, at + row[y], sizeof v);
        v = (v & ~(bits * UINT64_C(0x100000001))) | (words & bits) * UINT64_C(0x100000001);
        store_line(at + row[y], v, stream);
    }
}

/* True if stores may be streamed: the surface is large enough, no block of the tile was loaded, and
 * each store fills a whole cache line: with a row of two blocks (pairs), or with a span. */
static bool is_streamed(const struct tile_surface *p, bool pairs) {
    const uint64_t bytes = (uint64_t)p->width * p->height * p->bytes;
    return bytes >= STREAMED && !p->loaded && (pairs || p->span_bytes == LINE) &&
           !(((uintptr_t)p->surface.data | p->row[0] | p->row[1]) % LINE);
}

void SIMD_FN(tile_surface_store)(struct tile_surface *p) {
    const bool pairs = p->bytes == 4 && p->samples == 1;
    const bool stream = is_streamed(p, pairs);
    for (uint32_t half = 0; half < 2; half++) {
        uint64_t rest = p->dirty[half];
        while (rest) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(rest), block = half * 64 + bit;
            const bool two =
                pairs && bit % 2 == 0 && rest >> bit >> 1 & 1 && is_whole(p, block + 1);
            const bool noted = two && !p->clears_all && p->cleared[half] >> bit & 1 &&
                               p->cleared[half] >> bit >> 1 & 1;
            for (uint32_t i = 0; two && !noted && i < 2; i++)
                complete_rows(p, block + i);
            if (noted)
                clear_two(p, block, stream);
            else if (two)
                store_two(p, block, stream);
            else
                block_store(p, block, !pairs && stream);
            rest &= ~((two ? UINT64_C(3) : 1) << bit);
        }
        p->dirty[half] = 0;
    }
    if (stream)
        end_stream();
}
