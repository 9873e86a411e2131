/* The operations besides sampling: texels by their indices, gathers, queries, cube coordinates. In:
 * a binding, a call, registers. Out: result registers. Built from the stages of the sampler, once
 * per SIMD level; all levels give the same bits. texfetch has instances, which are chosen by key
 * like fronts.
 */
#include "tex/kernels.h"
#include "tex/inside.inc"

void SIMD_FN(kernel_nothing)(const struct tex_binding *, const struct tex_call *call, u32x32 *reg,
                             lane_mask m) {
    for (int i = 0; i < __builtin_popcount(call->result_mask & 15); i++)
        lanes_store(&reg[i], lanes_splat(0), m);
}

/* ---- texfetch: integer coordinates, no wrap, no filter; texels outside are zero ---- */

/* Fetches texels of one level in the lanes of `here`. */
LANES_INLINE void fetch_level(struct key k, struct work *w, int level, const i32xv at[3],
                              i32xv *here, struct sums *out) {
    const struct tex_view *v = w->request->bound->view;
    struct footprint *f = w->footprint;
    struct axis *axis = f->axis;
    slice_enter(k, v, v->first_level + level, &w->slice, &f->slice);
    const struct tex_level *l = f->slice.level;
    const uint32_t size[3] = {l->width, l->height, l->depth};
    axis[1].i[0] = (i32xv){0};
    VEC_UNROLL
    for (int i = 0; i < KEY(k, axes); i++) {
        *here = *here & (i32xv)((u32xv)at[i] < size[i] - (u32xv){0});
        axis[i].i[0] = vec_clamp(at[i], 0, (int32_t)size[i] - 1);
    }
    if (KEY_FIXED(k, fetch))
        texels_nearest(k, f, out);
    else
        w->back->nearest(f, out);
}

LANES_INLINE void fetch_vector(struct key k, struct work *w, struct sums *out) {
    const struct request *q = w->request;
    const struct tex_view *v = q->bound->view;
    const i32xv lod = (i32xv)vec_load(q->lod, w->vec);
    const int last = v->last_level - v->first_level;
    i32xv at[3];
    VEC_UNROLL
    for (int i = 0; i < KEY(k, axes); i++)
        at[i] = (i32xv)vec_load(q->coord[i], w->vec) + work_offset(k, w, i);
    i32xv here = vec_splat_int(-1);
    if (KEY(k, array))
        here = (i32xv)((u32xv)vec_load(q->layer, w->vec) < v->layers - (u32xv){0});
    struct levels levels = {.level = vec_clamp(lod, 0, last)};
    if (last)
        levels_range(&levels, w->mask);
    here = here & (lod == levels.level);
    if (levels.low == levels.high) {
        fetch_level(k, w, levels.low, at, &here, out);
        out->border = (f32xv)here; /* not zero in lanes with a texel */
        return;
    }
    *out = (struct sums){0};
    VEC_ROLL for (int level = levels.low; level <= levels.high; level++) {
        i32xv now = here & (levels.level == level);
        struct sums s;
        fetch_level(k, w, level, at, &now, &s);
        s.border = (f32xv)now;
        sums_pick(now, &s, out);
    }
}

/* Stores components through the swizzle, and zero in lanes without a texel. In most calls all lanes
 * have a texel. */
LANES_INLINE void fetch_write(struct key k, const struct work *w, const struct sums *s) {
    const struct request *q = w->request;
    u32x32 *row = q->reg;
    if (!(~vec_where((i32xv)s->border) & w->mask)) {
        write_vector(k, w, s);
        return;
    }
    VEC_ROLL for (int i = 0; i < 4; i++) if (q->call->result_mask >> i & 1)
        vec_store_lanes(row++, w->vec, swizzled(k, q->bound, s, i) & (u32xv)s->border, w->mask);
}

LANES_INLINE void fetch_warp(struct key k, const struct tex_binding *binding,
                             const struct tex_call *call, u32x32 *reg, lane_mask m) {
    struct position at[VECS];
    struct request q;
    request_init(&q, k, binding, call, reg, m, false);
    if (KEY(k, cube))
        positions_load(&q, k, at);
    for (int vec = 0; vec < VECS; vec++) {
        struct footprint f;
        struct work w;
        struct sums s;
        const uint32_t mask = vec_mask(m, vec);
        if (!mask)
            continue;
        w.footprint = &f;
        w.back = &q.bound->fetch;
        work_begin(&w, &q, k, at, vec, mask, false);
        fetch_vector(k, &w, &s);
        fetch_write(k, &w, &s);
    }
}

static void fetch_general(const struct tex_binding *binding, const struct tex_call *call,
                          u32x32 *reg, lane_mask m) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    const bool cube = b->key.cube && call->cube;
    const struct tex_key other = cube ? tex_key_plain(b, true) : b->fetch_key;
    fetch_warp((struct key){.rest = &other, .fixed = &key_any}, binding, call, reg, m);
}

#define PLAIN .cube = false, .seamless = false, .border = false, .whole = true, .aniso = false
#define FLAT PLAIN, .axes = 2, .layers = false, .array = false, .linear = false
#define BUFFER PLAIN, .axes = 1, .layers = false, .array = false, .linear = true
#define TEXELS(bytes, kind) .fetch = TEX_FETCH_##bytes, .decode = TEX_DECODE_##kind
#define FLOATS(bytes, kind, bits) TEXELS(bytes, kind), FLAT, .sum = TEX_SUM_FLOATS, .width = bits

/* X(name, constant fields): the first row that fits the key is taken. */
#define FETCHES(X)                                                                                 \
    X(bytes_4, FLOATS(4, BYTES, KEY_ANY))                                                          \
    MORE(X, unorm_1, FLOATS(1, UNORM, 8))                                                          \
    MORE(X, half_4, FLOATS(4, HALF, 16))                                                           \
    X(float_4, FLOATS(4, FLOAT, 32))                                                               \
    MORE(X, half_8, FLOATS(8, HALF, 16))                                                           \
    MORE(X, float_8, FLOATS(8, FLOAT, 32))                                                         \
    X(float_16, FLOATS(16, FLOAT, 32))                                                             \
    MORE(X, uint_1, TEXELS(1, UINT), FLAT, .sum = TEX_SUM_NONE)                                    \
    MORE(X, uint_4, TEXELS(4, UINT), FLAT, .sum = TEX_SUM_NONE)                                    \
    MORE(X, any_4, .fetch = TEX_FETCH_4, FLAT)                                                     \
    X(flat, FLAT)                                                                                  \
    MORE(X, buffer_unorm_4, TEXELS(4, UNORM), BUFFER, .sum = TEX_SUM_FLOATS)                       \
    MORE(X, buffer_4, .fetch = TEX_FETCH_4, BUFFER)                                                \
    X(buffer_16, TEXELS(16, FLOAT), BUFFER, .sum = TEX_SUM_FLOATS)                                 \
    MORE(X, buffer_any_16, .fetch = TEX_FETCH_16, BUFFER)                                          \
    X(buffer, BUFFER)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma GCC diagnostic ignored "-Woverride-init"
#define INSTANCE(name, ...)                                                                        \
    static const struct tex_key fetch_key_##name = {KEY_ALL_ANY, __VA_ARGS__};                     \
    static void fetch_##name(const struct tex_binding *binding, const struct tex_call *call,       \
                             u32x32 *reg, lane_mask m) {                                           \
        const struct tex_bound *b = (const struct tex_bound *)binding;                             \
        struct key k = {.rest = &b->fetch_key, .fixed = &fetch_key_##name, .inside = true};        \
        if (fetch_inside(k, b, call, reg, m))                                                      \
            return;                                                                                \
        k.inside = false;                                                                          \
        fetch_warp(k, binding, call, reg, m);                                                      \
    }
FETCHES(INSTANCE)
#undef INSTANCE
#pragma clang diagnostic pop

tex_kernel *SIMD_FN(fetch_find)(const struct tex_bound *bound) {
    static const struct {
        const struct tex_key *key;
        tex_kernel *fn;
    } table[] = {
#define ROW(name, ...) {&fetch_key_##name, fetch_##name},
        FETCHES(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof table / sizeof *table && !bound->key.cube; i++)
        if (key_fits(table[i].key, &bound->fetch_key))
            return table[i].fn;
    return fetch_general;
}

/* ---- texfetch of a sample ---- */

/* Fetches a sample of a texel. The samples lie side by side: the sample's place is added to the
 * coordinates, and a plain texel is fetched. There is one level; for a sample that does not exist,
 * level -1 is fetched, which gives 0. */
void SIMD_FN(kernel_fetch_sample)(const struct tex_binding *binding, const struct tex_call *call,
                                  u32x32 *reg, lane_mask m) {
    static const u32x32 at_x = {0, 1, 0, 1, 2, 3, 2, 3}, at_y = {0, 0, 1, 1, 0, 0, 1, 1};
    const struct tex_view *v = ((const struct tex_bound *)binding)->view;
    struct tex_call fetch = *call;
    u32x32 own[4];
    memcpy(own, reg, sizeof own);
    u32x32 *sample = &own[(call->source_count - 1) & 3];
    const u32x32 there =
        (u32x32)((*sample < v->samples) & (own[0] < v->width) & (own[1] < v->height));
    const u32x32 n = *sample & 7;
    uint32_t shift_x, shift_y;
    surface_sample_shift(v->samples, &shift_x, &shift_y);
    for (int lane = 0; lane < LANES; lane++) {
        own[0][lane] = (own[0][lane] << shift_x) + at_x[n[lane]];
        own[1][lane] = (own[1][lane] << shift_y) + at_y[n[lane]];
    }
    *sample = ~there;
    fetch.op = TEX_OP_FETCH;
    binding->kernel[TEX_OP_FETCH](binding, &fetch, own, m);
    for (int i = 0; i < __builtin_popcount(call->result_mask & 15); i++)
        lanes_store(&reg[i], own[i], m);
}

/* ---- texgather ---- */

/* Left of 0, modes that mirror once mirror each texel of a gather by itself, so that the texels
 * keep their order. A sample mirrors its position instead, because the order of its texels does not
 * matter. */
LANES_INLINE void gather_left(struct key k, const struct work *w, int axis) {
    const struct texel_slice *p = &w->footprint->slice;
    const int wrap = KEY(k, wrap[axis]);
    const i32xv size = slice_size(k, p, axis);
    const f32xv extent = slice_fixed_extent(k, p, axis);
    const f32xv least = extent + (wrap == WRAP_MIRROR_CLAMP ? 0.0f : 0x1p18f);
    const f32xv x = w->at.coord[axis] * (KEY(k, normalized) ? extent : vec_splat_f(256.0f)) +
                    (float)work_offset(k, w, axis) * 256.0f;
    const i32xv left = x < 0.0f, i = (vec_floor(vec_max_f(x, -least) + 0.5f) - 128) >> 8;
    struct axis *a = &w->footprint->axis[axis];
    for (int t = 0; t < 2; t++) {
        const i32xv own = wrap_index(i + t, size, wrap, false, true, true);
        a->i[t] = vec_blend_int(left, own, a->i[t]);
        if (KEY_BORDER(k))
            a->inside[t] = vec_blend_int(left, wrap_inside(i + t, size, wrap, true), a->inside[t]);
    }
}

/* Finds the texels of a linear footprint in the first level, one for each result, in the order of
 * OpenGL: u0v1, u1v1, u1v0, u0v0. */
LANES_INLINE void gather_vector(struct key k, struct work *w, struct sums results[4]) {
    static const uint8_t order[4] = {2, 3, 1, 0};
    const struct tex_view *v = w->request->bound->view;
    struct footprint *f = w->footprint;
    slice_enter(k, v, v->first_level, &w->slice, &f->slice);
    const bool across = footprint_axes(k, w, true);
    for (int a = 0; a < 2 && a < KEY(k, axes); a++)
        if (KEY(k, wrap[a]) >= WRAP_MIRROR_EDGE)
            gather_left(k, w, a);
    const struct footprint all = *f;
    for (int i = 0; i < 4; i++) {
        const int tap = KEY(k, axes) < 2 ? order[i] & 1 : order[i];
        for (int a = 0; a < KEY(k, axes); a++) {
            f->axis[a] = all.axis[a];
            f->axis[a].i[0] = all.axis[a].i[a < 2 ? tap >> a & 1 : 0];
            f->axis[a].inside[0] = a < 2 ? all.axis[a].inside[tap >> a & 1] : vec_splat_int(-1);
        }
        if (across)
            footprint_cross(k, f);
        if (KEY_FIXED(k, fetch))
            texels_nearest(k, f, &results[i]);
        else
            w->back->nearest(f, &results[i]);
        f->slice = all.slice;
    }
}

/* Gathers from each texel the component that the call names. */
LANES_INLINE void gather_warp(struct key k, const struct tex_back *back,
                              const struct tex_binding *binding, const struct tex_call *call,
                              u32x32 *reg, lane_mask m) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    const bool compare = KEY(k, sum) == TEX_SUM_COMPARE;
    struct request q;
    struct position at[VECS];
    request_init(&q, k, binding, call, reg, m, compare);
    q.components = compare ? 15 : b->components[1 << call->component];
    if (KEY(k, cube))
        positions_load(&q, k, at);
    for (int vec = 0; vec < VECS; vec++) {
        struct footprint f;
        struct work w;
        struct sums results[4];
        const uint32_t mask = vec_mask(m, vec);
        if (!mask)
            continue;
        w.footprint = &f;
        w.back = back;
        work_begin(&w, &q, k, at, vec, mask, false);
        gather_vector(k, &w, results);
        u32x32 *row = reg;
        for (int i = 0; i < 4; i++)
            if (call->result_mask >> i & 1)
                vec_store_lanes(row++, vec, swizzled(k, b, &results[i], call->component), mask);
    }
}

/* Gathers with a key for this call: calls of one binding may differ in comparison and in
 * directions. */
static void gather_general(const struct tex_binding *binding, const struct tex_call *call,
                           u32x32 *reg, lane_mask m) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    const struct tex_key own = tex_key_gather(tex_key_of_call(b, call));
    struct tex_back back;
    SIMD_FN(back_find)(&own, &back);
    gather_warp((struct key){.rest = &own, .fixed = &key_any}, &back, binding, call, reg, m);
}

/* X(name, constant fields): the first row that fits the key is taken. */
#define GATHERS(X)                                                                                 \
    X(bytes_4, FLOATS(4, BYTES, KEY_ANY))                                                          \
    MORE(X, unorm_1, FLOATS(1, UNORM, 8))                                                          \
    MORE(X, half_8, FLOATS(8, HALF, 16))                                                           \
    X(float_4, FLOATS(4, FLOAT, 32))                                                               \
    X(flat, FLAT, .sum = TEX_SUM_FLOATS)

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winitializer-overrides"
#pragma GCC diagnostic ignored "-Woverride-init"
#define INSTANCE(name, ...)                                                                        \
    static const struct tex_key gather_key_##name = {KEY_ALL_ANY, __VA_ARGS__};                    \
    static void gather_##name(const struct tex_binding *binding, const struct tex_call *call,      \
                              u32x32 *reg, lane_mask m) {                                          \
        const struct tex_bound *b = (const struct tex_bound *)binding;                             \
        const struct key k = {.rest = &b->gather_key, .fixed = &gather_key_##name};                \
        gather_warp(k, &b->gather, binding, call, reg, m);                                         \
    }
GATHERS(INSTANCE)
#undef INSTANCE
#pragma clang diagnostic pop

tex_kernel *SIMD_FN(gather_find)(const struct tex_bound *bound) {
    static const struct {
        const struct tex_key *key;
        tex_kernel *fn;
    } table[] = {
#define ROW(name, ...) {&gather_key_##name, gather_##name},
        GATHERS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof table / sizeof *table && !bound->sampler->compare; i++)
        if (key_fits(table[i].key, &bound->gather_key))
            return table[i].fn;
    return gather_general;
}

/* ---- queries ---- */

/* x: the level that sampling would use; y: the level before clamping, signed; both have 8
 * fractional bits. On a Fermi x and y are swapped (component 1). A call may also be a sample with a
 * bias or a LOD in its last operand: then the levels are those of the sample. */
void SIMD_FN(kernel_querylod)(const struct tex_binding *binding, const struct tex_call *call,
                              u32x32 *reg, lane_mask m) {
    const struct tex_bound *b = (const struct tex_bound *)binding;
    const struct tex_key own = tex_key_of_call(b, call);
    const struct key k = {.rest = &own, .fixed = &key_any};
    struct request q;
    struct position at[VECS];
    struct lod lod;
    request_init(&q, k, binding, call, reg, m, false);
    if (own.cube)
        positions_load(&q, k, at);
    if (call->op == TEX_OP_LOD)
        lod_finish(&q, (const f32x32 *)q.lod, &lod);
    else
        lod_find(&q, k, at, false, &lod);
    for (int vec = 0; vec < VECS; vec++) {
        if (!vec_mask(m, vec))
            continue;
        const i32xv fixed = (i32xv)vec_load((const u32x32 *)&lod.fixed, vec);
        const i32xv shown = own.mip == 3   ? fixed
                            : own.mip == 2 ? (fixed + 128) & ~255
                                           : (i32xv){0}; /* 0, too, in a view of one level */
        const i32xv raw = lod_fixed(vec_load((const u32x32 *)&lod.raw, vec), -64.0f, 64.0f);
        u32xv r[4] = {(u32xv)shown, (u32xv)raw};
        if (call->component)
            r[0] = (u32xv)raw, r[1] = (u32xv)shown;
        u32x32 *row = reg;
        for (int i = 0; i < 4; i++)
            if (call->result_mask >> i & 1)
                vec_store_lanes(row++, vec, r[i], vec_mask(m, vec));
    }
}

static void write_results(const struct tex_call *call, u32x32 *reg, lane_mask m,
                          const u32x32 r[4]) {
    for (int i = 0; i < 4; i++)
        if (call->result_mask >> i & 1)
            lanes_store(reg++, r[i], m);
}

/* Sets the size of level l: x, y, and layers or slices. Zero if there is no such level. */
static void level_size(const struct tex_view *v, uint32_t l, uint32_t size[3]) {
    uint32_t shift_x, shift_y;
    if (l > (uint32_t)(v->last_level - v->first_level)) {
        memset(size, 0, 3 * sizeof *size);
        return;
    }
    const struct tex_level *level = &v->level[v->first_level + l];
    surface_sample_shift(v->samples, &shift_x, &shift_y);
    size[0] = level->width >> shift_x;
    size[1] = v->dim == TEX_1D_ARRAY ? v->layers : level->height >> shift_y;
    size[2] = v->dim == TEX_3D           ? level->depth
              : v->dim == TEX_CUBE_ARRAY ? v->layers / 6 /* number of cubes */
                                         : v->layers;
}

/* Returns width, height, depth or layers of a level, and the number of levels. The loop has one
 * round for each level that lanes name: mostly one. */
void SIMD_FN(kernel_size)(const struct tex_binding *binding, const struct tex_call *call,
                          u32x32 *reg, lane_mask m) {
    const struct tex_view *v = ((const struct tex_bound *)binding)->view;
    const u32x32 lod = call->source_count ? reg[0] : no_operand;
    uint32_t size[4] = {0, 0, 0, (uint32_t)(v->last_level - v->first_level + 1)};
    while (m) {
        const uint32_t l = lod[__builtin_ctz(m)];
        const lane_mask here = lanes_to_mask((u32x32)(lod == l)) & m;
        u32x32 *row = reg;
        level_size(v, l, size);
        for (int i = 0; i < 4; i++)
            if (call->result_mask >> i & 1)
                lanes_store(row++, lanes_splat(size[i]), here);
        m &= ~here;
    }
}

/* Returns 0 for the types of components, because no driver is known to read them. The third word is
 * the number of samples. */
void SIMD_FN(kernel_type)(const struct tex_binding *binding, const struct tex_call *call,
                          u32x32 *reg, lane_mask m) {
    const struct tex_view *v = ((const struct tex_bound *)binding)->view;
    const u32x32 r[4] = {{0}, {0}, lanes_splat(v->samples), {0}};
    write_results(call, reg, m, r);
}

/* Turns cube coordinates and the layer into x, y and the layer for an access to a two-dimensional
 * array. */
void SIMD_FN(kernel_prep)(const struct tex_binding *, const struct tex_call *call, u32x32 *reg,
                          lane_mask m) {
    const u32x32 *src[4];
    u32x32 r[4] = {{0}};
    for (int i = 0; i < 4; i++)
        src[i] = i < call->source_count ? &reg[i] : &no_operand;
    for (int vec = 0; vec < VECS; vec++) {
        const f32xv x = vec_load(src[0], vec), y = vec_load(src[1], vec), z = vec_load(src[2], vec);
        struct cube_coord c;
        cube_on_face(x, y, z, cube_face(x, y, z), &c);
        vec_store(&r[0], vec, c.s * 0.5f + 0.5f);
        vec_store(&r[1], vec, c.t * 0.5f + 0.5f);
        vec_store(&r[2], vec, (f32xv)((u32xv)vec_load(src[3], vec) * 6 + (u32xv)c.face));
    }
    write_results(call, reg, m, r);
}
