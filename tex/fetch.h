/* Texels from memory: a part's taps of one level as words. In: a plane and texel indices inside it.
 * Out: up to four words of each tap, components at their places; blocks as four bytes. No read leaves
 * the view's bytes, whatever the descriptor said. Knows no coordinates.
 */
#ifndef TEX_FETCH_H
#define TEX_FETCH_H

#include "tex/address.h"
#include "tex/block.h"
#include "tex/wrap.h"

struct texel {
    u32xp word[4];
};

/* What is fetched: the first `taps` of 8; bit 0 of a tap is its x, bit 1 its y, bit 2 its z. */
struct taps {
    const struct tex_view *view;
    const struct axis *axis; /* [3] */
    int count;
};

LANES_INLINE int fetch_bytes(int fetch) {
    static const uint8_t bytes[] = {1, 2, 4, 8, 12, 16, 0};
    return bytes[fetch];
}

/* 64 bits a lane, as lower and upper words. */
LANES_INLINE void fetch_pairs(struct key k, const uint8_t *base, u32xp offset, u32xp word[2]) {
    if (KEY(k, singly)) {
        const struct part_offsets at = part_offsets(offset);
        part_load_pairs(base, &at, word);
    } else {
        part_gather_pairs(base, offset, word);
    }
}

/* The words at these offsets; all of each texel is readable. Short texels are read with the bytes
 * around them, as far as those are the view's. only: there is no other tap. */
LANES_INLINE void fetch_words(struct key k, const struct tex_view *v, const uint8_t *base,
                              u32xp offset, bool only, struct texel *t) {
    switch (KEY(k, fetch)) {
    case TEX_FETCH_1:
    case TEX_FETCH_2: {
        const u32xp last = (uint32_t)(v->size - 4) - (u32xp){0};
        const u32xp from =
            KEY(k, linear) || !KEY(k, whole) ? part_min_unsigned(offset, last) : offset & ~3u;
        t->word[0] = part_gather(base, from) >> ((offset - from) << 3);
        break;
    }
    case TEX_FETCH_8:
        fetch_pairs(k, base, offset, t->word);
        break;
    case TEX_FETCH_16:
        part_gather_quads(base, offset, t->word);
        break;
    case TEX_FETCH_12:
        t->word[1] = part_gather(base, offset + 4);
        t->word[2] = part_gather(base, offset + 8);
        t->word[0] = part_gather(base, offset);
        break;
    default:
        t->word[0] = only ? part_gather_beside(base, offset) : part_gather(base, offset);
    }
}

/* The block at this offset, decoded for each lane. */
LANES_INLINE void fetch_block(const struct tex_view *v, const uint8_t *base, u32xp offset,
                              u32xp texel, struct texel *t) {
    u32xp word[4] = {{0}};
    for (int i = 0; i < v->bytes / 4; i++)
        word[i] = part_gather(base, offset + 4 * i);
    t->word[0] =
        block_texels(v->storage, v->component_type[0] == COMPONENT_SNORM, word, texel);
}

/* One tap of any kind, at an offset that is readable: a function of its own, or eight taps of seven
 * kinds would fill a kernel. */
static __attribute__((noinline)) void fetch_any(const struct tex_key *key, const struct tex_view *v,
                                                const uint8_t *base, const u32xp *offset,
                                                const u32xp *in_block, struct texel *t) {
    if (key->fetch == TEX_FETCH_BLOCK)
        fetch_block(v, base, *offset, *in_block, t);
    else
        fetch_words((struct key){&key_any, key, false, 0}, v, base, *offset, false, t);
}

LANES_INLINE void fetch_tap(struct key k, const struct tex_view *v, const uint8_t *base,
                            u32xp offset, u32xp in_block, bool only, struct texel *t) {
    u32xp kept = (u32xp)part_splat(-1), at = offset;
    if (!KEY(k, whole)) {
        kept = (u32xp)(offset <= (uint32_t)(v->size - v->bytes) - (u32xp){0});
        at = offset & kept;
    }
    if (!KEY_FIXED(k, fetch))
        fetch_any(k.rest, v, base, &at, &in_block, t);
    else if (KEY(k, fetch) == TEX_FETCH_BLOCK)
        fetch_block(v, base, at, in_block, t);
    else
        fetch_words(k, v, base, at, only, t);
    UNROLL
    for (int w = 0; !KEY(k, whole) && w < 4; w++)
        t->word[w] = t->word[w] & kept;
}

/* Every tap by its own address. */
LANES_INLINE void fetch_scattered(struct key k, const struct taps *f, const struct plane *p,
                                  struct texel t[]) {
    const struct tex_view *v = f->view;
    const bool block = KEY(k, fetch) == TEX_FETCH_BLOCK;
    const uint32_t bytes =
        KEY_FIXED(k, fetch) && !block ? (uint32_t)fetch_bytes(KEY(k, fetch)) : v->bytes;
    u32xp column[2], row[2] = {{0}, {0}}, slice[2] = {{0}, {0}}, in_block = {0};
    UNROLL
    for (int i = 0; i < (f->count > 1 ? 2 : 1); i++) {
        const u32xp x = (u32xp)f->axis[0].i[i], y = (u32xp)f->axis[1].i[i];
        column[i] = address_column(k, p, (block ? x >> 2 : x) * bytes);
        if (p->scattered)
            column[i] = column[i] + p->layer;
        if (KEY(k, axes) > 1)
            row[i] = address_row(k, p, block ? y >> 2 : y);
        if (KEY(k, axes) > 2)
            slice[i] = address_slice(k, p->level, (u32xp)f->axis[2].i[i]);
    }
    UNROLL
    for (int i = 0; i < f->count; i++) {
        if (block)
            in_block = ((u32xp)f->axis[1].i[i >> 1 & 1] & 3) << 2 |
                       ((u32xp)f->axis[0].i[i & 1] & 3);
        fetch_tap(k, v, p->base, column[i & 1] + row[i >> 1 & 1] + slice[i >> 2], in_block,
                  f->count == 1, &t[i]);
    }
}

/* ---- neighbours ---- */

/* The least and the greatest x and y of some blocks. */
struct box {
    int32_t left, right, top, bottom;
};

/* Of all lanes of two columns and two rows. */
LANES_INLINE struct box fetch_box(const i32xp x[2], const i32xp y[2]) {
    const i32xp low[2] = {part_min_int(x[0], x[1]), part_min_int(y[0], y[1])};
    const i32xp high[2] = {part_max_int(x[0], x[1]), part_max_int(y[0], y[1])};
#if PART_LANES == 16
    /* All four at once: the greatest are the least of what is complemented. */
    __m512i v[4], w[2], all;
    for (int i = 0; i < 2; i++) {
        v[2 * i] = (__m512i)low[i];
        v[2 * i + 1] = (__m512i)~high[i];
    }
    for (int i = 0; i < 2; i++)
        w[i] = _mm512_min_epi32(_mm512_shuffle_i64x2(v[2 * i], v[2 * i + 1], 0x44),
                                _mm512_shuffle_i64x2(v[2 * i], v[2 * i + 1], 0xee));
    all = _mm512_min_epi32(_mm512_shuffle_i64x2(w[0], w[1], 0x88),
                           _mm512_shuffle_i64x2(w[0], w[1], 0xdd));
    all = _mm512_min_epi32(all, _mm512_shuffle_epi32(all, 0x4e));
    all = _mm512_min_epi32(all, _mm512_shuffle_epi32(all, 0xb1));
    int32_t least[16];
    _mm512_storeu_si512(least, all);
    return (struct box){least[0], ~least[4], least[8], ~least[12]};
#else
    struct box r = {low[0][0], high[0][0], low[1][0], high[1][0]};
    for (int i = 1; i < PART_LANES; i++) {
        r.left = low[0][i] < r.left ? low[0][i] : r.left;
        r.right = high[0][i] > r.right ? high[0][i] : r.right;
        r.top = low[1][i] < r.top ? low[1][i] : r.top;
        r.bottom = high[1][i] > r.bottom ? high[1][i] : r.bottom;
    }
    return r;
#endif
}

/* Columns and rows of blocks that are looked up at once, a lane each. */
enum { BOX_COLUMNS = PART_LANES == 4 ? 2 : 4, BOX_ROWS = PART_LANES / BOX_COLUMNS };

/* May all blocks of a box be in the cache at once? */
LANES_INLINE bool fetch_is_close(const struct box *box) {
    return box->right - box->left < BLOCK_COLUMNS && box->bottom - box->top < BLOCK_ROWS;
}

/* Makes sure that these blocks are in their slots, those of the mask. close: they are known to lie near
 * each other. False if they do not, and are not there yet. */
LANES_INLINE bool fetch_into_cache(struct key k, const struct tex_view *v, const struct plane *p,
                                   struct block_cache *cache, u32xp bx, u32xp by, uint32_t salt,
                                   uint32_t mask, bool close) {
    const uint32_t begin = (uint32_t)(p->base - v->data);
    const uint64_t first = block_tag(v, 0);
    const u32xp byte = part_shift_left(bx, v->bytes == 16 ? 4 : 3);
    const u32xp at = address_column(k, p, byte) + address_row(k, p, by);
    const u32xp slot =
        ((by & (BLOCK_ROWS - 1)) << BLOCK_COLUMN_BITS | (bx & (BLOCK_COLUMNS - 1))) ^ salt;
    const u32xp low = (at + begin) >> 3 | (uint32_t)first;
    u32xp tag[2];
    uint32_t from[PART_LANES], to[PART_LANES];
    fetch_pairs(k, (const uint8_t *)cache->tag, slot << 3, tag);
    uint32_t missing =
        part_bits((i32xp)(tag[0] != low) | (i32xp)(tag[1] != (uint32_t)(first >> 32))) & mask;
    if (!missing)
        return true;
    if (!close) {
        const i32xp x = (i32xp)bx, y = (i32xp)by;
        const struct box box = fetch_box((const i32xp[2]){x, x}, (const i32xp[2]){y, y});
        if (!fetch_is_close(&box))
            return false;
    }
    memcpy(from, &at, sizeof from);
    memcpy(to, &slot, sizeof to);
    for (; missing; missing &= missing - 1) {
        const int lane = __builtin_ctz(missing);
        block_load(cache, v, to[lane], p->base + from[lane]);
    }
    return true;
}

/* All blocks around linear footprints. False if they are too far apart. */
LANES_INLINE bool fetch_box_blocks(struct key k, const struct taps *f, const struct plane *p,
                                   struct block_cache *cache, uint32_t salt) {
    const struct axis *ax = &f->axis[0], *ay = &f->axis[1];
    const i32xp x[2] = {ax->i[0] >> 2, ax->i[1] >> 2}, y[2] = {ay->i[0] >> 2, ay->i[1] >> 2};
    const struct box box = fetch_box(x, y);
    if (box.right - box.left < BOX_COLUMNS && box.bottom - box.top < BOX_ROWS) {
        const u32x32 iota = lanes_iota();
        const u32xp lane = (u32xp)part_load(&iota, 0);
        const u32xp bx = (uint32_t)box.left + lane % BOX_COLUMNS;
        const u32xp by = (uint32_t)box.top + lane / BOX_COLUMNS;
        const uint32_t here = part_bits((i32xp)(bx <= (uint32_t)box.right) &
                                        (i32xp)(by <= (uint32_t)box.bottom));
        return fetch_into_cache(k, f->view, p, cache, bx, by, salt, here, true);
    }
    if (!fetch_is_close(&box))
        return false;
    ROLL
    for (int i = 0; i < 4; i++) /* each lane's own: no two want one slot */
        fetch_into_cache(k, f->view, p, cache, (u32xp)x[i & 1], (u32xp)y[i >> 1], salt, -1u,
                         true);
    return true;
}

/* Taps of blocks that lie near each other: each block is decoded at most once, then its texels are as
 * those of any texture. False if they lie too far apart. */
static inline bool fetch_blocks(struct key k, const struct taps *f, const struct plane *p,
                                struct texel t[]) {
    struct block_cache *cache = block_cache_get();
    const uint32_t salt = block_salt(f->view, (int)(p->level - f->view->level));
    u32xp column[2], row[2];
    if (f->count > 1 ? !fetch_box_blocks(k, f, p, cache, salt)
                     : !fetch_into_cache(k, f->view, p, cache, (u32xp)f->axis[0].i[0] >> 2,
                                         (u32xp)f->axis[1].i[0] >> 2, salt, -1u, false))
        return false;
    UNROLL
    for (int i = 0; i < (f->count > 1 ? 2 : 1); i++) {
        const u32xp tx = (u32xp)f->axis[0].i[i], ty = (u32xp)f->axis[1].i[i];
        column[i] = (tx >> 2 & (BLOCK_COLUMNS - 1)) << 6 | (tx & 3) << 2;
        row[i] = (ty >> 2 & (BLOCK_ROWS - 1)) << (6 + BLOCK_COLUMN_BITS) | (ty & 3) << 4;
    }
    UNROLL
    for (int i = 0; i < f->count; i++)
        t[i].word[0] = part_gather((const uint8_t *)cache->texel,
                                   (column[i & 1] | row[i >> 1 & 1]) ^ salt << 6);
    return true;
}

/* Where the texels of a pair of taps begin, beside their columns. */
LANES_INLINE u32xp fetch_line(struct key k, const struct taps *f, const struct plane *p, int pair) {
    u32xp line = address_row(k, p, (u32xp)f->axis[1].i[pair & 1]);
    if (KEY(k, axes) > 2)
        line = line + address_slice(k, p->level, (u32xp)f->axis[2].i[pair >> 1]);
    return p->scattered ? line + p->layer : line;
}

/* How many bytes are loaded at once for two texels side by side: a power of two. */
LANES_INLINE uint32_t fetch_piece(uint32_t bytes) {
    return bytes <= 2 ? 4 : 2 * bytes;
}

/* Two texels of 32 bits. after: see fetch_split. */
LANES_INLINE void fetch_two(const uint8_t *base, const struct part_offsets *at, u32xp after,
                            struct texel t[2]) {
    u32xp word[2];
    part_load_pairs(base, at, word);
    t[0].word[0] = part_pick((i32xp)(after != 0), word[1], word[0]);
    t[1].word[0] = word[1];
}

/* Do the second slices of a volume's footprints lie as far from the first for all lanes, as they do inside
 * tiles? Then both are loaded by the same offsets. */
LANES_INLINE bool fetch_slices_apart(struct key k, const struct taps *f, const struct plane *p,
                                     int32_t *apart) {
    int32_t lane[PART_LANES];
    const i32xp all = (i32xp)(address_slice(k, p->level, (u32xp)f->axis[2].i[1]) -
                              address_slice(k, p->level, (u32xp)f->axis[2].i[0]));
    memcpy(lane, &all, sizeof lane);
    *apart = lane[0];
    return !part_bits(all != *apart);
}

/* Two texels from pieces of memory; after: bytes from the piece's start to the first of them. */
LANES_INLINE void fetch_split(struct key k, const uint8_t *base, u32xp offset, u32xp after,
                              struct texel t[2]) {
    const int bytes = fetch_bytes(KEY(k, fetch));
    u32xp word[4];
    if (bytes == 8) {
        const i32xp late = after != 0;
        part_gather_quads(base, offset, word);
        UNROLL
        for (int i = 0; i < 2; i++) {
            t[0].word[i] = part_pick(late, word[2 + i], word[i]);
            t[1].word[i] = word[2 + i];
        }
    } else if (bytes == 4) {
        const struct part_offsets at = part_offsets(offset);
        fetch_two(base, &at, after, t); /* fetch_by_pieces asked for it */
    } else {
        t[0].word[0] = part_gather(base, offset) >> (after << 3);
        t[1].word[0] = t[0].word[0] >> 8 * bytes;
    }
}

/* The second texels of pairs of taps, at these offsets, in some lanes; in others what is there, or any. */
LANES_INLINE void fetch_some(struct key k, const struct tex_view *v, const uint8_t *base,
                             const u32xp offset[], int pairs, uint32_t mask, struct texel t[]) {
    u32xp word[4];
    UNROLL
    for (int i = 0; i < pairs; i++) {
        if (KEY(k, fetch) == TEX_FETCH_4)
            word[i] = t[2 * i + 1].word[0];
        else if (KEY(k, fetch) == TEX_FETCH_8)
            part_gather_some_pairs(base, offset[i], mask, t[2 * i + 1].word);
        else
            fetch_words(k, v, base, offset[i], false, &t[2 * i + 1]);
    }
    if (KEY(k, fetch) != TEX_FETCH_4)
        return;
    part_gather_some_each(base, offset, pairs, mask, KEY(k, singly), word);
    UNROLL
    for (int i = 0; i < pairs; i++)
        t[2 * i + 1].word[0] = word[i];
}

/* Texels side by side, in a line of a tile, are loaded together: half the work. Where a lane's lie in two
 * tiles or apart, as at an edge, the second ones are gathered after that. */
LANES_INLINE void fetch_beside(struct key k, const struct taps *f, const struct plane *p,
                               struct texel t[]) {
    const uint32_t bytes = (uint32_t)fetch_bytes(KEY(k, fetch)), most = 64 - fetch_piece(bytes);
    const i32xp x = f->axis[0].i[0], next = f->axis[0].i[1];
    const u32xp inside = ((u32xp)x * bytes) & 63;
    const i32xp apart = (x + 1 != next) | (inside == 64 - bytes);
    const uint32_t some = part_bits(apart);
    /* A piece never leaves its line. */
    const u32xp after = (u32xp)part_max_int((i32xp)(inside - most), (i32xp){0});
    const u32xp column = address_column(k, p, (u32xp)x * bytes) - after;
    const int pairs = f->count / 2;
    int32_t behind = 0; /* the second slice lies so many bytes behind the first */
    const bool slices = pairs == 4 && bytes == 4 && fetch_slices_apart(k, f, p, &behind);
    u32xp offset[4];
    if (slices) {
        UNROLL
        for (int i = 0; i < 2; i++) {
            offset[i] = fetch_line(k, f, p, i) + column;
            const struct part_offsets at = part_offsets(offset[i]);
            fetch_two(p->base, &at, after, &t[2 * i]);
            fetch_two(p->base + behind, &at, after, &t[2 * i + 4]);
        }
    } else {
        UNROLL
        for (int i = 0; i < pairs; i++) {
            offset[i] = fetch_line(k, f, p, i) + column;
            fetch_split(k, p->base, offset[i], after, &t[2 * i]);
        }
    }
    if (!some)
        return;
    const u32xp further = address_column(k, p, (u32xp)next * bytes) - column;
    if (slices) {
        UNROLL
        for (int i = 0; i < 2; i++)
            offset[i] = offset[i] + further;
        fetch_some(k, f->view, p->base, offset, 2, some, t);
        fetch_some(k, f->view, p->base + behind, offset, 2, some, t + 4);
        return;
    }
    UNROLL
    for (int i = 0; i < pairs; i++)
        offset[i] = offset[i] + further;
    fetch_some(k, f->view, p->base, offset, pairs, some, t);
}

/* Is a footprint worth loading by pieces? Texels of 32 bits, and of 64 where a part is as wide as a line, so
 * that one always ends in it, where a gather takes longer than what taking pieces apart takes. */
LANES_INLINE bool fetch_by_pieces(struct key k) {
    const int fetch = KEY(k, fetch);
    return KEY_FIXED(k, fetch) && KEY(k, whole) && !KEY(k, linear) && KEY(k, axes) > 1 &&
           (fetch == TEX_FETCH_1 || fetch == TEX_FETCH_2 ||
            (fetch == TEX_FETCH_4 && PART_LANES > 4 && KEY(k, singly)) ||
            (fetch == TEX_FETCH_8 && (PART_LANES < 16 || KEY(k, singly))));
}

LANES_INLINE void fetch_taps(struct key k, const struct taps *f, const struct plane *p,
                             struct texel t[]) {
    if (!KEY(k, whole) && f->view->size < f->view->bytes) {
        UNROLL
        for (int i = 0; i < f->count; i++)
            t[i] = (struct texel){0};
        return;
    }
    if (f->count > 1 && fetch_by_pieces(k)) {
        fetch_beside(k, f, p, t);
        return;
    }
    if (KEY(k, whole) && KEY(k, fetch) == TEX_FETCH_BLOCK && !p->scattered && KEY(k, axes) == 2 &&
        fetch_blocks(k, f, p, t))
        return;
    fetch_scattered(k, f, p, t);
}

#endif
