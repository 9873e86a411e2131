/* Surface instructions of GF100: raw loads and stores, stores that convert to the image's format,
 * and addresses of texels. In: a linked op and the lanes it runs in. Out: registers, the GPU's
 * memory. Lanes execute in ascending order. Accesses outside of the image read 0, are dropped, or
 * have their coordinates clamped. Lanes inside of one image are served together, others one by one.
 * Compiled once per SIMD level. Facts: fermi-isa.md §6.7.
 */
#include "shader/fermi_span.h"
#include "shader/fermi_texel.h"

/* One access in one lane. */
struct texel {
    uint64_t address; /* in the GPU's memory; 0: outside */
    uint8_t *host;    /* NULL: outside */
};

static struct texel find(const struct call *c, int lane, uint32_t size) {
    struct texel t = {.address = texel_address(c, lane, size)};
    if (t.address)
        t.host = memory_near(c->env->memory, hint_of(c), t.address, size);
    return t;
}

static uint32_t access_bytes(const struct operand *o) {
    return type_bytes(o->mem);
}

/* ---- all lanes of an image ---- */

/* The texels of several lanes, in one image and one allocation. */
struct texels {
    const struct image_view *image;
    struct span span;
    lane_mask ok; /* the lanes whose texels were found */
    u32x32 offset;
};

/* Byte offsets in the image, of columns x (bytes) and rows y. The image is below 1 GiB. */
LANES_INLINE u32x32 offsets_in(const struct image_view *i, uint32_t row_bytes, u32x32 x, u32x32 y) {
    const uint32_t h = 2u + i->tile_h, tiles = (row_bytes + SURFACE_LINE - 1) / SURFACE_LINE;
    if (i->linear)
        return y * i->width + x;
    const u32x32 tile = (y >> h) * tiles + (x / SURFACE_LINE);
    return (tile << (6 + h)) + (y & ((1u << h) - 1)) * SURFACE_LINE + x % SURFACE_LINE;
}

static bool is_plain(const struct image_view *i, uint64_t row_bytes) {
    const struct format_info *info = format_info(i->format);
    const uint64_t tile_rows = 4u << i->tile_h, rows = i->height + tile_rows, limit = 1u << 30;
    return info->bytes && !info->compressed && row_bytes < limit &&
           (row_bytes + SURFACE_LINE) * rows < limit;
}

/* The image that the first lane of m accesses. *same: the lanes of m that access the same image. */
static const struct image_view *image_of_lanes(const struct call *c, lane_mask m, lane_mask *same) {
    const struct operand *o = &op_of(c)->src[0];
    *same = m;
    if (o->flags & OPERAND_BASED) {
        const u32x32 n = c->w->r[source_row(c->env, o->areg)];
        *same = m & lanes_to_mask((u32x32)(n == lanes_splat(n[__builtin_ctz(m)])));
    }
    return texel_image(c, __builtin_ctz(m));
}

/* Finds the texels of m's first lane and of the lanes in the same image. Texels that are not found
 * may be outside of the image or of the allocation. */
static struct texels find_texels(const struct call *c, uint32_t size, lane_mask m) {
    enum { LAYER_MOST = 1 << 20 };
    const struct op *op = op_of(c);
    const uint32_t first = op->src[1].value;
    struct texels t = {.image = image_of_lanes(c, m, &m)};
    const struct image_view *i = t.image;
    const uint32_t unit = texel_bytes(i), step = op->sub == SURFACE_STORE_TYPED ? unit : 1;
    const uint64_t row = i->linear ? i->width : (uint64_t)i->width * unit;
    if (!i->address || !c->env->memory || !is_plain(i, row) || row < size || size & (size - 1))
        return t;
    u32x32 x = c->w->r[source_row(c->env, first)];
    const u32x32 y = op->dims ? c->w->r[source_row(c->env, first + 1)] : lanes_splat(0);
    const u32x32 z =
        op->dims >= SURFACE_3D ? c->w->r[source_row(c->env, first + 2)] : lanes_splat(0);
    m &= lanes_to_mask((u32x32)(x <= lanes_splat(((uint32_t)row - size) / step)) &
                       (u32x32)(y < lanes_splat(i->height)) & (u32x32)(z < LAYER_MOST));
    x = x * step;
    x -= step == 1 ? x & (size - 1) : lanes_splat(0); /* aligned down */
    struct lane_addresses a = {.low = offsets_in(i, (uint32_t)row, x, y) + z * TEXEL_LAYER};
    a.low += (uint32_t)i->address;
    a.high = (uint32_t)(i->address >> 32) - (u32x32)(a.low < lanes_splat((uint32_t)i->address));
    if (m && span_of_memory(c, span_address(&a, __builtin_ctz(m)), &t.span))
        t.ok = span_lanes(&t.span, &a, size, m, &t.offset);
    return t;
}

/* ---- the instructions ---- */

/* Prefetches the texels to the right of the warp's: programs often go through an image from left to
 * right, and tiles are too far from each other for the host's own prefetching. */
LANES_INLINE void prefetch_beside(const struct texels *t) {
    const uint32_t step = t->image->linear ? 64 : 64u << (2 + t->image->tile_h);
    for (int i = 0; i < LANES; i += 8)
        __builtin_prefetch(t->span.data + t->offset[i] + step);
}

static void load_lane(const struct call *c, int lane, uint32_t size, unsigned type, u32x32 *v) {
    const struct texel t = find(c, lane, size);
    uint32_t data[4] = {0};
    if (t.host)
        memcpy(data, t.host, size);
    else
        c->w->stats.bad_reads++;
    data[0] = type == TYPE_S8    ? (uint32_t)(int8_t)data[0]
              : type == TYPE_S16 ? (uint32_t)(int16_t)data[0]
                                 : data[0];
    for (uint32_t k = 0; k < 4; k++)
        v[k][lane] = data[k];
}

LANES_INLINE void load_found(const struct texels *t, uint32_t size, uint32_t words, unsigned type,
                             u32x32 *v) {
    /* allocations begin and end at multiples of 256, so a whole word may be read */
    span_load(&t->span, size < 4 ? t->offset & ~3u : t->offset, words, t->ok, v);
    if (size < 4)
        v[0] = span_part(v[0], t->offset, type);
}

/* Loads in parts: the lanes of each image, and single lanes. */
static void load_in_parts(const struct call *c, uint32_t size, uint32_t words, u32x32 *all) {
    const unsigned type = op_of(c)->src[0].mem;
    u32x32 v[4];
    memset(all, 0, 4 * sizeof *all);
    for (lane_mask rest = c->m; rest;) {
        const struct texels t = find_texels(c, size, rest);
        lane_mask done = t.ok;
        if (done) {
            load_found(&t, size, words, type, v);
            for (uint32_t k = 0; k < words; k++)
                lanes_store(&all[k], v[k], done);
        } else {
            done = rest & -rest;
            load_lane(c, __builtin_ctz(rest), size, type, all);
        }
        rest &= ~done;
    }
}

FERMI_HANDLER(load) {
    const struct operand *d = &op_of(c)->dst;
    const uint32_t size = access_bytes(&op_of(c)->src[0]), words = size > 4 ? size / 4 : 1;
    u32x32 v[4];
    if (!c->m)
        return;
    const struct texels t = find_texels(c, size, c->m);
    if (t.ok == LANES_ALL)
        prefetch_beside(&t);
    if (t.ok == c->m)
        load_found(&t, size, words, op_of(c)->src[0].mem, v);
    else
        load_in_parts(c, size, words, v);
    for (uint32_t k = 0; d->file == FILE_R && k < words; k++)
        lanes_store(&c->w->r[dest_row(c->env, d->value + k)], v[k], c->m);
}

static void store_lane(const struct call *c, int lane, uint32_t size, const uint8_t *texel) {
    const struct texel t = find(c, lane, size);
    if (t.host)
        memcpy(t.host, texel, size);
    else
        c->w->stats.bad_writes++;
}

/* The lanes of m before the first that is not in `ok`: stores keep the order of the lanes. */
static lane_mask leading(lane_mask m, lane_mask ok) {
    const lane_mask other = m & ~ok;
    return other ? ok & ((other & -other) - 1) : ok;
}

/* Stores the texels of all lanes. The texels of lanes 0 to 7 follow each other in memory, and so do
 * those of each later group of eight lanes. */
LANES_INLINE void store_by_eight(uint8_t *data, u32x32 offset, uint32_t size,
                                 const uint8_t *texels) {
    for (uint32_t i = 0; i < LANES; i += 8)
        for (uint32_t k = 0; k < size; k++)
            memcpy(data + offset[i] + 8 * k, texels + i * size + 8 * k, 8);
}

/* Stores the texels of the lanes `done`, in ascending order. */
LANES_INLINE void store_found(const struct texels *t, uint32_t size, lane_mask done,
                              const uint8_t *texels) {
    uint32_t at[LANES];
    if (done == LANES_ALL && span_is_dense_by_eight(t->offset, size)) {
        prefetch_beside(t);
        store_by_eight(t->span.data, t->offset, size, texels);
        return;
    }
    memcpy(at, &t->offset, sizeof at);
    for (; done; done &= done - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(done);
        memcpy(t->span.data + at[i], texels + i * size, size);
    }
}

/* Stores texels of 1 to 16 bytes, one a lane. */
static void store_texels(const struct call *c, uint32_t size, lane_mask m, const uint8_t *texels) {
    while (m) {
        const struct texels t = find_texels(c, size, m);
        lane_mask done = leading(m, t.ok);
        if (!done) {
            done = m & -m;
            store_lane(c, __builtin_ctz(m), size, texels + (uint32_t)__builtin_ctz(m) * size);
        } else if (size == 1) {
            store_found(&t, 1, done, texels);
        } else if (size == 2) {
            store_found(&t, 2, done, texels);
        } else if (size == 4) {
            store_found(&t, 4, done, texels);
        } else if (size == 8) {
            store_found(&t, 8, done, texels);
        } else {
            store_found(&t, 16, done, texels);
        }
        m &= ~done;
    }
}

/* Writes the texels, 1 to 16 bytes of the registers for each lane. */
static void texels_of_rows(const u32x32 *const v[4], uint32_t size, uint8_t *texels) {
    if (size == 1) {
        const u8x32 byte = __builtin_convertvector(*v[0], u8x32);
        memcpy(texels, &byte, sizeof byte);
    } else if (size == 2) {
        const u16x32 half = __builtin_convertvector(*v[0], u16x32);
        memcpy(texels, &half, sizeof half);
    } else {
        span_store_dense(texels, size / 4, v);
    }
}

FERMI_HANDLER(store_raw) {
    static const u32x32 zero;
    const struct operand *d = &op_of(c)->src[2];
    const uint32_t size = access_bytes(&op_of(c)->dst);
    const u32x32 *v[4];
    uint8_t texels[16 * LANES] __attribute__((aligned(sizeof(u32x32))));
    for (uint32_t k = 0; k < 4; k++)
        v[k] = d->file == FILE_R ? &c->w->r[source_row(c->env, d->value + k)] : &zero;
    texels_of_rows(v, size, texels);
    store_texels(c, size, fermi_writers(c, c->m), texels);
}

/* Converts the registers to texels of a format. */
static void encode(const struct call *c, enum pixel_format format, uint8_t *texels) {
    const struct tex_fields *f = &op_of(c)->tex;
    uint32_t rgba[4][FORMAT_ROW], n = f->base;
    for (uint32_t k = 0; k < 4; k++) {
        if (f->call.result_mask >> k & 1)
            memcpy(rgba[k], &c->w->r[source_row(c->env, n++)], sizeof(u32x32));
        else
            memset(rgba[k], 0, sizeof(u32x32));
    }
    SIMD_FN(format_encode_row)(format, rgba, LANES, texels);
}

/* Components that the instruction does not name are 0. */
FERMI_HANDLER(store_typed) {
    for (lane_mask rest = fermi_writers(c, c->m), same; rest; rest &= ~same) {
        const struct image_view *i = image_of_lanes(c, rest, &same);
        const struct format_info *info = format_info(i->format);
        uint8_t texels[16 * LANES] __attribute__((aligned(sizeof(u32x32))));
        same = leading(rest, same);
        if (!info->bytes || info->compressed || info->zeta) {
            c->w->stats.bad_writes += lanes_count(same);
            continue;
        }
        encode(c, i->format, texels);
        store_texels(c, info->bytes, same, texels);
    }
}

/* The predicate is set where the texel is outside. */
FERMI_HANDLER(address) {
    const uint32_t size = access_bytes(&op_of(c)->src[0]);
    u32x32 low = lanes_splat(0), high = lanes_splat(0);
    lane_mask outside = 0;
    for (lane_mask rest = c->m; rest;) {
        const struct texels t = find_texels(c, size, rest);
        if (t.ok) {
            const u32x32 sum = t.offset + (uint32_t)t.span.start;
            const u32x32 carry = (u32x32)(sum < t.offset); /* a comparison that holds is -1 */
            lanes_store(&low, sum, t.ok);
            lanes_store(&high, (uint32_t)(t.span.start >> 32) - carry, t.ok);
        }
        rest &= ~t.ok;
        if (t.ok || !rest)
            continue;
        const int lane = __builtin_ctz(rest);
        const struct texel one = find(c, lane, size);
        low[lane] = one.host ? (uint32_t)one.address : 0;
        high[lane] = one.host ? (uint32_t)(one.address >> 32) : 0;
        outside |= (lane_mask)!one.host << lane;
        rest &= rest - 1;
    }
    put_pair(c, low, high);
    fermi_put_predicate(c, 0, outside);
}

exec_fn *SIMD_FN(exec_fermi_surface_select)(const struct op *op) {
    static exec_fn *const handlers[] = {[SURFACE_LOAD] = load,
                                        [SURFACE_STORE_RAW] = store_raw,
                                        [SURFACE_STORE_TYPED] = store_typed,
                                        [SURFACE_ADDRESS] = address};
    return op->code == OP_SURFACE && op->sub < sizeof handlers / sizeof *handlers
               ? handlers[op->sub]
               : NULL;
}
