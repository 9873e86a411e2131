/* Surface instructions of GF100: raw loads and stores, stores that convert to the image's format, and
 * addresses of texels. In: a linked op and the lanes it runs in. Out: registers, the GPU's memory.
 * Lanes execute in ascending order. Coordinates outside of the image read 0, are dropped, or are
 * clamped. Facts: fermi-isa.md §6.7.
 */
#include "base/surface.h"
#include "shader/fermi.h"

static const struct image_view no_image;

/* One access in one lane. */
struct texel {
    const struct image_view *image;
    uint64_t address; /* of the GPU's memory; 0: outside */
    uint8_t *host;    /* NULL: outside */
};

LANES_INLINE uint32_t word_of(const struct call *c, uint32_t n, int lane) {
    return c->w->r[source_row(c->env, n)][lane];
}

static const struct image_view *image_of(const struct call *c, int lane) {
    const struct operand *o = &op_of(c)->src[0];
    const uint32_t n = o->value + (o->flags & OPERAND_BASED ? word_of(c, o->areg, lane) : 0);
    return c->env->image && n < WARP_IMAGES ? &c->env->image[n] : &no_image;
}

static uint32_t texel_bytes(const struct image_view *i) {
    const uint32_t bytes = format_info(i->format)->bytes;
    return bytes ? bytes : 1;
}

/* Brings a coordinate into the image if the instruction says so. False: it is outside. */
static bool within(const struct op *op, uint32_t *at, uint32_t size, uint32_t limit) {
    if ((uint64_t)*at + size <= limit)
        return true;
    if (op->outside != OUTSIDE_CLAMP || size > limit)
        return false;
    *at = (int32_t)*at < 0 ? 0 : (limit - size) / size * size;
    return true;
}

/* The byte of column x, in bytes, and row y. */
static uint64_t offset_of(const struct image_view *i, uint32_t x, uint32_t y) {
    const struct surface s = {.format = i->format,
                              .width = i->width,
                              .height = i->height,
                              .depth = 1,
                              .linear = i->linear,
                              .pitch = i->width,
                              .tile_h = i->tile_h};
    return surface_offset(&s, x, y, 0);
}

/* Finds the place of an access of `size` bytes. The third coordinate counts 256 bytes. */
static struct texel find(const struct call *c, int lane, uint32_t size) {
    enum { LAYER_UNIT = 256 };
    const struct op *op = op_of(c);
    const uint32_t first = op->src[1].value;
    struct texel t = {.image = image_of(c, lane)};
    const struct image_view *i = t.image;
    const bool typed = op->sub == SURFACE_STORE_TYPED;
    const uint32_t unit = texel_bytes(i);
    const uint64_t row = i->linear ? i->width : (uint64_t)i->width * unit;
    uint32_t x = word_of(c, first, lane), y = op->dims ? word_of(c, first + 1, lane) : 0;
    if (typed)
        x = x <= UINT32_MAX / unit ? x * unit : UINT32_MAX;
    x -= typed ? 0 : x % size; /* aligned down */
    if (!i->address || !c->env->memory ||
        !within(op, &x, size, row < UINT32_MAX ? (uint32_t)row : UINT32_MAX) ||
        !within(op, &y, 1, i->height))
        return t;
    t.address = i->address + offset_of(i, x, y);
    if (op->dims >= SURFACE_3D)
        t.address += (uint64_t)word_of(c, first + 2, lane) * LAYER_UNIT;
    t.host = memory_near(c->env->memory, &c->w->fermi.hint, t.address, size);
    return t;
}

static uint32_t access_bytes(const struct operand *o) {
    return type_bytes(o->mem);
}

static void load(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                 lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    const struct operand *d = &l->op->dst;
    const unsigned type = l->op->src[0].mem;
    const uint32_t size = access_bytes(&l->op->src[0]), words = size > 4 ? size / 4 : 1;
    u32x32 v[4];
    memset(v, 0, sizeof v);
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct texel t = find(&c, lane, size);
        uint32_t data[4] = {0};
        if (t.host)
            memcpy(data, t.host, size);
        else
            w->stats.bad_reads++;
        data[0] = type == TYPE_S8    ? (uint32_t)(int8_t)data[0]
                  : type == TYPE_S16 ? (uint32_t)(int16_t)data[0]
                                     : data[0];
        for (uint32_t k = 0; k < words; k++)
            v[k][lane] = data[k];
    }
    for (uint32_t k = 0; d->file == FILE_R && k < words; k++)
        lanes_store(&w->r[dest_row(env, d->value + k)], v[k], m);
}

static void store_raw(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                      lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    const struct operand *d = &l->op->src[2];
    const uint32_t size = access_bytes(&l->op->dst);
    for (lane_mask rest = fermi_writers(&c, m); rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct texel t = find(&c, lane, size);
        uint32_t data[4] = {0};
        for (uint32_t k = 0; d->file == FILE_R && k < (size + 3) / 4; k++)
            data[k] = word_of(&c, d->value + k, lane);
        if (t.host)
            memcpy(t.host, data, size);
        else
            w->stats.bad_writes++;
    }
}

/* Components that the instruction does not name are 0. */
static void store_typed(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                        lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    const struct tex_fields *f = &l->op->tex;
    for (lane_mask rest = fermi_writers(&c, m); rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct image_view *i = image_of(&c, lane);
        const struct texel t = find(&c, lane, texel_bytes(i));
        uint32_t rgba[4] = {0}, n = f->base;
        for (uint32_t k = 0; k < 4; k++)
            if (f->call.result_mask >> k & 1)
                rgba[k] = word_of(&c, n++, lane);
        const struct format_info *info = format_info(i->format);
        if (t.host && info->bytes && !info->compressed && !info->zeta)
            format_encode(i->format, rgba, t.host);
        else
            w->stats.bad_writes++;
    }
}

/* The predicate is set where the texel is outside. */
static void address(struct warp *w, const struct warp_env *env, const struct linked_op *l,
                    lane_mask m) {
    const struct call c = {.w = w, .env = env, .l = l, .m = m};
    u32x32 low = lanes_splat(0), high = lanes_splat(0);
    lane_mask outside = 0;
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const struct texel t = find(&c, lane, access_bytes(&l->op->src[0]));
        low[lane] = t.host ? (uint32_t)t.address : 0;
        high[lane] = t.host ? (uint32_t)(t.address >> 32) : 0;
        outside |= (lane_mask)!t.host << lane;
    }
    put_pair(&c, low, high);
    fermi_put_predicate(&c, 0, outside);
}

exec_fn *exec_fermi_surface_select(const struct op *op) {
    static exec_fn *const handlers[] = {[SURFACE_LOAD] = load,
                                        [SURFACE_STORE_RAW] = store_raw,
                                        [SURFACE_STORE_TYPED] = store_typed,
                                        [SURFACE_ADDRESS] = address};
    return op->code == OP_SURFACE && op->sub < sizeof handlers / sizeof *handlers
               ? handlers[op->sub]
               : NULL;
}
