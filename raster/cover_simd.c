/* Coverage, the first step of a tile's draw: finds the 8x4 blocks of the tile that primitives of a
 * draw cover, sixteen primitives at a time. The steps: bounds, edges and depths of all sixteen
 * (prims16.inc); for each primitive, the blocks that it may touch and whose depths do not hide it;
 * the pixels of each pair of a primitive and a block (pairs.inc); early zeta (zeta_pairs.inc). The
 * remaining pairs go to the packer (pack_simd.c), in order. The signs of the integer edge functions
 * decide every pixel. In: primitives after set-up. Must not know programs or colours.
 */
#include "raster/zeta_pairs.inc"

enum {
    /* If a primitive may touch more blocks, uncut blocks and the depths in each block are found. */
    MANY = 16,
    BLOCK_ROWS = 4,            /* block rows that are tested together: 32 blocks */
    SMALL_PAIRS = LANES16 * 8, /* room for the pairs of sixteen small primitives */
    CACHE_LINE = 64,
};

/* ---- the blocks of sixteen primitives ---- */

/* Small primitives reach at most 2x4 blocks. block: the first of these blocks. slots: for each of
 * the eight blocks, two a row, a bit that says if the primitive may cover the block. */
struct small {
    uint32_t prims; /* bit per small primitive */
    uint8_t block[LANES16], slots[LANES16];
};

/* Returns the lanes whose primitive is hidden by the depths stored in the lane's block. */
LANES_INLINE i32x16 hidden_lanes(const struct raster_tile *t, const struct prims16 *g, i32x16 block,
                                 uint8_t hides) {
    const u32x16 at = (u32x16)min16(block, splat_int16(TILE_BLOCKS - 1));
    const int32_t distance = hide_distance(hides);
    i32x16 hidden = splat_int16(0);
    if (hides & HIDES_FAR)
        hidden = (i32x16)gather16((const uint32_t *)t->bound_high, at) <= g->low.v - distance;
    if (hides & HIDES_NEAR)
        hidden |= (i32x16)gather16((const uint32_t *)t->bound_low, at) >= g->high.v + distance;
    return hidden;
}

/* Returns bits [slot, slot + 4) of the lanes' slots: for the blocks of two rows and two columns
 * from `block` on. corner: the greatest edge values in the first block. column: negative in lanes
 * without a second column; row: negative in lanes without a second row. */
LANES_INLINE i32x16 list_slots(const struct raster_tile *t, const struct prims16 *g, uint8_t hides,
                               const i32x16 corner[3], i32x16 block, i32x16 column, i32x16 row,
                               int slot) {
    const i32x16 none = splat_int16(0);
    const i32x16 beyond[4] = {none, column, row, column | row};
    i32x16 slots = none;
    for (int n = 0; n < 4; n++) {
        i32x16 outside = beyond[n];
        for (unsigned k = 0; k < 3; k++)
            outside |= corner[k] + g->a[k].v * (n % 2 * BLOCK_W) + g->b[k].v * (n / 2 * BLOCK_H);
        i32x16 in = outside >= 0;
        if (hides != HIDES_NEVER)
            in &= ~hidden_lanes(t, g, block + (n % 2 + n / 2 * BLOCKS_X), hides);
        slots |= in & (1 << (slot + n));
    }
    return slots;
}

LANES_INLINE void list_small(const struct raster_tile *t, const struct prims16 *g, uint8_t hides,
                             struct small *s) {
    const i32x16 x = g->x0.v / BLOCK_W, y = g->y0.v / BLOCK_H, none = splat_int16(0);
    const i32x16 wide = (g->x1.v - 1) / BLOCK_W - x, high = (g->y1.v - 1) / BLOCK_H - y;
    const i32x16 block = y * BLOCKS_X + x;
    i32x16 corner[3];
    for (unsigned k = 0; k < 3; k++) {
        const i32x16 a = g->a[k].v, b = g->b[k].v;
        const i32x16 most = max16(a, none) * (BLOCK_W - 1) + max16(b, none) * (BLOCK_H - 1);
        corner[k] = g->at[k].v + a * (x * BLOCK_W) + b * (y * BLOCK_H) + most + g->margin[k].v;
    }
    i32x16 slots = list_slots(t, g, hides, corner, block, wide - 1, high - 1, 0);
    s->prims = to_mask16((u32x16)((wide <= 1) & (high <= 3)));
    if (s->prims & to_mask16((u32x16)(high > 1))) {
        for (unsigned k = 0; k < 3; k++)
            corner[k] += g->b[k].v * (2 * BLOCK_H);
        slots |= (high > 1) &
                 list_slots(t, g, hides, corner, block + 2 * BLOCKS_X, wide - 1, high - 3, 4);
    }
    const u8x16 blocks = __builtin_convertvector(block, u8x16);
    const u8x16 bits = __builtin_convertvector(slots, u8x16);
    memcpy(s->block, &blocks, sizeof blocks);
    memcpy(s->slots, &bits, sizeof bits);
}

/* Adds the blocks of small primitive i to the pairs, which have room for eight more. */
LANES_INLINE void add_small(struct pairs *q, const struct small *s, uint32_t i) {
    const uint64_t bytes = 0x0101010101010101;
    const uint32_t slots = s->slots[i], n = q->count;
    const uint64_t prims = bytes * i;
#if defined(__BMI2__)
    const uint64_t offsets = 0x1918111009080100;
    const uint64_t blocks =
        _pext_u64(offsets, _pdep_u64(slots, bytes) * 0xff) + bytes * s->block[i];
    memcpy(&q->block[n], &blocks, sizeof blocks);
#else
    for (uint32_t rest = slots, k = n; rest; rest &= rest - 1, k++) {
        const uint32_t slot = (uint32_t)__builtin_ctz(rest);
        q->block[k] = (uint8_t)(s->block[i] + slot % 2 + slot / 2 * BLOCKS_X);
    }
#endif
    memcpy(&q->prim[n], &prims, sizeof prims);
    q->count = n + (uint32_t)__builtin_popcount(slots);
}

static const i32x16 block_x = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
static const i32x16 block_y = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};

/* Returns the blocks, among the 32 from block row `row` on, that no edge of primitive i excludes.
 * *uncut, if not NULL, receives the blocks that no edge cuts. */
LANES_INLINE lane_mask edge_blocks(const struct prims16 *g, uint32_t i, int32_t row,
                                   lane_mask *uncut) {
    i32x16 outside[2] = {{0}}, cut[2] = {{0}};
    for (unsigned k = 0; k < 3; k++) {
        const int32_t a = g->a[k].lane[i], b = g->b[k].lane[i];
        const int32_t most = (a > 0 ? a : 0) * (BLOCK_W - 1) + (b > 0 ? b : 0) * (BLOCK_H - 1);
        const int32_t all = a * (BLOCK_W - 1) + b * (BLOCK_H - 1), margin = g->margin[k].lane[i];
        const int32_t at = g->at[k].lane[i] + b * BLOCK_H * row;
        const i32x16 v = block_x * (a * BLOCK_W) + block_y * (b * BLOCK_H);
        for (int half = 0; half < 2; half++) {
            const int32_t corner = at + 2 * BLOCK_H * b * half;
            outside[half] |= v + (corner + most + margin);
            if (uncut)
                /* all - most: from the corner to the least value in the block */
                cut[half] |= v + (corner + all - most - margin);
        }
    }
    if (uncut)
        *uncut = ~(to_mask16((u32x16)cut[0]) | to_mask16((u32x16)cut[1]) << 16);
    return ~(to_mask16((u32x16)outside[0]) | to_mask16((u32x16)outside[1]) << 16);
}

LANES_INLINE i32x32 load_bounds(const int32_t *bound) {
    i32x32 v;
    memcpy(&v, bound, sizeof v);
    return v;
}

/* Returns the blocks, among the 32 from block row `row` on, whose stored depths hide depths in
 * [low, high]. Each block has its own range. */
LANES_INLINE lane_mask hidden_blocks(const struct raster_tile *t, int32_t row, uint8_t hides,
                                     i32x32 low, i32x32 high) {
    const int32_t distance = hide_distance(hides);
    lane_mask hidden = 0;
    if (hides & HIDES_FAR)
        hidden =
            lanes_to_mask((u32x32)(load_bounds(&t->bound_high[row * BLOCKS_X]) <= low - distance));
    if (hides & HIDES_NEAR)
        hidden |=
            lanes_to_mask((u32x32)(load_bounds(&t->bound_low[row * BLOCKS_X]) >= high + distance));
    return hidden;
}

/* Returns the blocks, among the 32 from block row `row` on, whose stored depths hide primitive i.
 * The range of the primitive's depths is computed for each block. */
static lane_mask hidden_each(const struct raster_tile *t, const struct prims16 *g, uint32_t i,
                             int32_t row, uint8_t hides) {
    const bool is_float = t->plan->zkey.is_float;
    const i32x32 bx = (i32x32)(lanes_iota() & 7), by = (i32x32)(lanes_iota() >> 3) + row;
    const f64x32 x = __builtin_convertvector(bx * BLOCK_W, f64x32) + (BLOCK_W - 1) / 2.0;
    const f64x32 y = __builtin_convertvector(by * BLOCK_H, f64x32) + (BLOCK_H - 1) / 2.0;
    const f64x32 z = g->z.lane[i] + x * g->zdx.lane[i] + y * g->zdy.lane[i];
    i32x32 low = {0}, high = {0};
    if (hides & HIDES_FAR)
        low = limited_words(g, i, z - g->around.lane[i], is_float);
    if (hides & HIDES_NEAR)
        high = limited_words(g, i, z + g->around.lane[i], is_float);
    return hidden_blocks(t, row, hides, low, high);
}

/* Adds the blocks that primitive i may cover and whose depths do not hide it. A primitive with long
 * edges may cover any block that its bounds touch. */
static void list_blocks(const struct raster_tile *t, const struct prims16 *g, uint32_t i,
                        uint8_t hides, struct pairs *q) {
    const int32_t x0 = g->x0.lane[i] / BLOCK_W, x1 = (g->x1.lane[i] - 1) / BLOCK_W;
    const int32_t y0 = g->y0.lane[i] / BLOCK_H, y1 = (g->y1.lane[i] - 1) / BLOCK_H;
    const int32_t blocks = (x1 - x0 + 1) * (y1 - y0 + 1);
    const lane_mask columns = ((2u << x1) - (1u << x0)) * 0x01010101u;
    uint32_t n = q->count;
    for (int32_t y = y0, row; y <= y1; y = row + BLOCK_ROWS) {
        const int32_t last = BLOCKS_Y - BLOCK_ROWS;
        row = y < last ? y : last;
        const int32_t below = y1 - row < BLOCK_ROWS ? BLOCK_ROWS - 1 - (y1 - row) : 0;
        lane_mask m = columns & LANES_ALL >> (8 * below) & LANES_ALL << (8 * (y - row)), uncut = 0;
        if (!(g->short_edges >> i & 1))
            uncut = 0;
        else if (blocks > MANY)
            m &= edge_blocks(g, i, row, &uncut);
        else
            m &= edge_blocks(g, i, row, NULL);
        if (hides != HIDES_NEVER && m)
            m &= blocks > MANY ? ~hidden_each(t, g, i, row, hides)
                               : ~hidden_blocks(t, row, hides, g->low.lane[i] - (i32x32){0},
                                                g->high.lane[i] - (i32x32){0});
        for (; m; m &= m - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(m);
            q->prim[n] = (uint8_t)i;
            q->block[n++] = (uint8_t)((uint32_t)row * BLOCKS_X + k + (uncut >> k & 1) * UNCUT);
        }
    }
    q->count = n;
}

/* ---- pairs that are not hidden ---- */

/* Up to sixteen primitives to be drawn now, and the primitives after them, which are prefetched at
 * the same time. */
struct at_hand {
    const struct prim *prim[LANES16];
    uint32_t count;
    const struct raster_prim *const *next;
    uint32_t next_count;
};

/* The first cache lines of a record: the part that coverage and depth read, four planes, four more
 * planes. They are prefetched one after the other, because more requests at once would wait for
 * each other. */
enum { LINE_COVERAGE, LINE_PLANES, LINE_MORE_PLANES };

LANES_INLINE void fetch_next(const struct at_hand *l, int line) {
    const uint32_t count = l->next_count < LANES16 ? l->next_count : LANES16;
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch((const char *)l->next[i] + line * CACHE_LINE);
}

LANES_INLINE bool has_failed(const struct raster_tile *t) {
    return t->counters->error.code != MP_NONE;
}

static void count_samples(struct raster_tile *t, const struct pairs *q, uint32_t from, uint32_t to,
                          uint32_t samples) {
    for (uint32_t k = from; k < to; k++)
        for (uint32_t s = 0; s < samples; s++)
            t->counters->samples_passed += (uint32_t)__builtin_popcount(q->cover[s][k]);
}

/* Hands pairs [from, to) to the packer. */
LANES_INLINE void pack_pairs(struct raster_tile *t, const struct at_hand *l,
                             const struct prims16 *g, struct pairs *q, uint32_t from, uint32_t to,
                             struct cover_key key) {
    const uint32_t samples = key.multi ? t->plan->samples : 1;
    if (t->plan->counts == COUNT_BEFORE)
        count_samples(t, q, from, to, samples);
    if (!t->plan->shades)
        return;
    if (!key.multi && from < to) {
        const struct pack_list list = {l->prim,
                                       g->front,
                                       &q->prim[from],
                                       &q->block[from],
                                       &q->cover[0][from],
                                       to - from,
                                       q->packed == q->prim[from]};
        SIMD_FN(pack_pairs)(t, &list);
        q->packed = q->prim[to - 1];
    }
    for (uint32_t k = from; k < to && key.multi; k++) {
        const uint32_t i = q->prim[k];
        lane_mask any = 0;
        t->rebased = q->packed == i ? t->rebased : NULL;
        t->prim = l->prim[i];
        t->whole.front = g->front >> i & 1;
        t->whole.block = q->block[k];
        q->packed = (uint8_t)i;
        if (key.general && t->plan->smooth)
            t->whole.smooth = q->parts ? smooth_pair(q, k) : (f32x32)lanes_splat_f(1);
        for (uint32_t s = 0; s < samples; s++)
            any |= t->whole.cover[s] = q->cover[s][k];
        SIMD_FN(pack_block)(t, any);
    }
}

/* Returns the end of the pairs from `from` on that are all in different blocks. */
static uint32_t end_of_blocks(const struct pairs *q, uint32_t from) {
    uint64_t seen[2] = {0};
    uint32_t end = from;
    for (; end < q->count && !block_bit(seen, q->block[end]); end++)
        block_set(seen, q->block[end]);
    return end;
}

/* Returns the end of the pairs from `from` on that may be tested before their program runs. With
 * early zeta, if the program may fail: the pairs of one primitive, because later primitives must
 * not leave depths after a failure. With late zeta: the pairs before a block occurs again, because
 * the depths of its first pair may hide its second pair. */
LANES_INLINE uint32_t ahead_end(const struct raster_tile *t, const struct pairs *q, uint32_t from) {
    uint32_t end = from + 1;
    if (t->plan->late)
        return t->plan->before == EARLY_NOTHING ? q->count : end_of_blocks(q, from);
    if (t->plan->infallible)
        return q->count;
    while (end < q->count && q->prim[end] == q->prim[from])
        end++;
    return end;
}

/* True if a pair's block may have bounds wider than its depths. */
static bool any_loose(const struct raster_tile *t, const struct pairs *q) {
    const uint64_t loose[2] = {t->loose[0] & t->zeta.valid[0], t->loose[1] & t->zeta.valid[1]};
    bool any = false;
    if (!(loose[0] | loose[1]))
        return false;
    for (uint32_t k = 0; k < q->count; k++)
        any |= block_bit(loose, q->block[k]);
    return any;
}

/* Measures bounds that may be too wide, and drops the pairs that they hide. */
static void drop_hidden(struct raster_tile *t, const struct prims16 *g, struct pairs *q,
                        uint32_t samples, uint32_t parts) {
    const uint32_t count = q->count;
    q->count = 0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = q->prim[k], block = q->block[k];
        const struct zeta_bound z = {g->low.lane[i], g->high.lane[i]};
        if (block_bit(t->zeta.valid, block)) {
            if (block_bit(t->loose, block))
                measure_bound(t, block);
            if (bound_hides(t, block, z))
                continue;
        }
        if (k != q->count)
            move_pair(q, k, q->count, samples, parts);
        q->count++;
    }
}

/* Draws the listed pairs and empties the list. False if the program failed. *last: the number of
 * the primitive that was drawn last, or whose program failed. */
LANES_INLINE bool draw_pairs(struct raster_tile *t, const struct at_hand *l,
                             const struct prims16 *g, struct pairs *q, struct cover_key key,
                             uint32_t *last) {
    q->packed = LANES16;
    cover_all(t, l->prim, g, q, key);
    fetch_next(l, LINE_MORE_PLANES);
    if (key.zeta && t->plan->hides != HIDES_NEVER && any_loose(t, q))
        drop_hidden(t, g, q, key.multi ? t->plan->samples : 1, key.general ? q->parts : 0);
    for (uint32_t from = 0, end; from < q->count; from = end) {
        uint32_t to = end = ahead_end(t, q, from);
        *last = q->prim[from];
        if (key.zeta && t->plan->before != EARLY_NOTHING) {
            const enum stage was = profile_enter(t->profile, STAGE_ZETA);
            to = zeta_kernel(t->plan, key.multi)(t, g, q, from, end);
            profile_leave(t->profile, was);
        }
        pack_pairs(t, l, g, q, from, to, key);
        if (has_failed(t))
            return false;
    }
    q->count = 0;
    return true;
}

/* ---- sixteen primitives ---- */

/* True if the primitive fills the tile up to its bounds: the bounds begin at the tile's corner and
 * consist of whole blocks, and no edge cuts the tile. */
static bool fills_tile(const struct prims16 *g, uint32_t i, bool general) {
    bool fills = g->x0.lane[i] == 0 && g->y0.lane[i] == 0 && g->x1.lane[i] % BLOCK_W == 0 &&
                 g->y1.lane[i] % BLOCK_H == 0;
    for (unsigned k = 0; k < (g->fourth ? 4 : 3); k++) {
        const int64_t a = g->a[k].lane[i], b = g->b[k].lane[i];
        const int64_t least = (a < 0 ? a : 0) + (b < 0 ? b : 0);
        const int64_t at = general ? g->far[k].lane[i] : g->at[k].lane[i];
        fills &= at + least * (TILE_SIZE - 1) - g->margin[k].lane[i] >= 0;
    }
    return fills;
}

static uint32_t draw_general(struct raster_tile *t, const struct at_hand *l);

/* Draws the primitives of l. Returns the number of primitives taken. If a primitive has long edges,
 * an instance that is not general leaves all primitives to the general instance. */
LANES_INLINE uint32_t draw_prims16(struct raster_tile *t, const struct at_hand *l,
                                   struct cover_key key) {
    struct prims16 g;
    struct small small;
    struct pairs q; /* not cleared, because it is large */
    const uint8_t hides = key.zeta ? t->plan->hides : HIDES_NEVER;
    uint32_t last = 0;
    q.count = 0;
    small.prims = 0;
    make_prims16(&g, t, l->prim, key);
    if (!key.general && g.live & ~g.short_edges)
        return draw_general(t, l);
    fetch_next(l, LINE_COVERAGE);
    if (!key.general)
        list_small(t, &g, hides, &small);
    for (uint32_t i = 0; i < l->count; i++) {
        const bool live = g.live >> i & 1;
        if (live && small.prims >> i & 1) {
            add_small(&q, &small, i);
            continue;
        }
        if (!live)
            continue;
        const bool fills = t->plan->whole_tile && fills_tile(&g, i, key.general);
        if ((fills || q.count > PAIRS - TILE_BLOCKS - SMALL_PAIRS) &&
            !draw_pairs(t, l, &g, &q, key, &last))
            return last + 1;
        if (!fills) {
            list_blocks(t, &g, i, hides, &q);
            continue;
        }
        SIMD_FN(pack_blocks)
        (t, (uint32_t)g.x1.lane[i] / BLOCK_W, (uint32_t)g.y1.lane[i] / BLOCK_H);
        if (has_failed(t))
            return i + 1;
    }
    fetch_next(l, LINE_PLANES);
    return draw_pairs(t, l, &g, &q, key, &last) ? l->count : last + 1;
}

/* Draws primitives of any shape. */
static uint32_t draw_general(struct raster_tile *t, const struct at_hand *l) {
    return draw_prims16(t, l, (struct cover_key){t->plan->zeta_active, true, true});
}

#define PLAIN_INSTANCES(name, zeta)                                                                \
    static uint32_t name(struct raster_tile *t, const struct at_hand *l) {                         \
        return draw_prims16(t, l, (struct cover_key){zeta, false, false});                         \
    }                                                                                              \
    static uint32_t name##_samples(struct raster_tile *t, const struct at_hand *l) {               \
        return draw_prims16(t, l, (struct cover_key){zeta, true, false});                          \
    }
PLAIN_INSTANCES(draw_bare, false)
PLAIN_INSTANCES(draw_zeta, true)

/* ---- nearest first ---- */

enum { SORTED_PRIMS = 256, SORT_STEPS = 256 };

/* Finds the distance of each primitive in the tile, in depth words. A primitive may hide primitives
 * with greater distances. */
static void find_distances(const struct raster_tile *t, const struct raster_prim *const *prims,
                           uint32_t count, int32_t *distance) {
    for (uint32_t from = 0; from < count; from += LANES16) {
        const struct prim *p[LANES16];
        struct prims16 g;
        for (uint32_t i = 0; i < LANES16; i++)
            p[i] = (const struct prim *)prims[from + i < count ? from + i : from];
        make_prims16(&g, t, p, (struct cover_key){true, t->plan->samples > 1, false});
        for (uint32_t i = 0; i < LANES16 && from + i < count; i++)
            distance[from + i] = t->plan->hides & HIDES_FAR ? g.low.lane[i] : ~g.high.lane[i];
    }
}

/* Sorts the primitives by distance, nearest first. Distances are rounded to SORT_STEPS equal
 * steps. */
static void sort_prims(const struct raster_tile *t, const struct raster_prim *const *prims,
                       uint32_t count, const struct raster_prim **sorted) {
    int32_t distance[SORTED_PRIMS], low = INT32_MAX, high = INT32_MIN;
    uint16_t place[SORT_STEPS + 1] = {0};
    find_distances(t, prims, count, distance);
    for (uint32_t i = 0; i < count; i++) {
        low = lower_of(low, distance[i]);
        high = higher_of(high, distance[i]);
    }
    const uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    for (uint32_t i = 0; i < count; i++) {
        distance[i] = (int32_t)((uint64_t)((int64_t)distance[i] - low) * SORT_STEPS / span);
        place[distance[i] + 1]++;
    }
    for (uint32_t i = 1; i <= SORT_STEPS; i++)
        place[i] += place[i - 1];
    for (uint32_t i = 0; i < count; i++)
        sorted[place[distance[i]]++] = prims[i];
}

/* Draws the primitives in the given order. Returns the number of primitives taken. */
static uint32_t cover_in_order(struct raster_tile *t, const struct raster_prim *const *prims,
                               uint32_t count) {
    static uint32_t (*const draw[2][COVER_KINDS])(struct raster_tile *, const struct at_hand *) = {
        {draw_general, draw_bare, draw_zeta}, {draw_general, draw_bare_samples, draw_zeta_samples}};
    uint32_t taken = 0;
    while (taken < count) {
        const uint32_t left = count - taken, n = left < LANES16 ? left : LANES16;
        struct at_hand l = {.count = n, .next = prims + taken + n, .next_count = left - n};
        for (uint32_t i = 0; i < LANES16; i++)
            l.prim[i] = (const struct prim *)prims[taken + (i < n ? i : 0)];
        const uint32_t now = draw[t->plan->samples > 1][t->plan->cover](t, &l);
        taken += now;
        if (now < n)
            break;
    }
    return taken;
}

uint32_t SIMD_FN(cover_prims)(struct raster_tile *t, const struct raster_prim *const *prims,
                              uint32_t count) {
    const struct raster_prim *sorted[SORTED_PRIMS];
    if (!t->plan->any_order || t->plan->cover != COVER_ZETA || count <= LANES16)
        return cover_in_order(t, prims, count);
    for (uint32_t from = 0; from < count; from += SORTED_PRIMS) {
        const uint32_t n = count - from < SORTED_PRIMS ? count - from : SORTED_PRIMS;
        sort_prims(t, prims + from, n, sorted);
        cover_in_order(t, sorted, n);
    }
    return count;
}
