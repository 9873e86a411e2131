/* The inner loops of the vertex stage, 32 vertices at a time. Vertex fetch makes a[] rows from
 * memory: enabled components in order, then vertex id, then instance id. The vectors of an
 * attribute are loaded whole, turned into rows of raw words and converted row by row. Reads beyond
 * the limit of a source give zeros, as the hardware's VERTEX_RUNOUT page does. The viewport part
 * makes outcodes for everything that clip.c clips against, divides by w, transforms and snaps. In:
 * a plan (formats, sources with limits) and vertex numbers; rows of result slots. Out: a[] rows;
 * window rows. Must not know GPU addresses or primitives. Codes: tesla-3d.md §4.1.
 */
#include "base/convert.h"
#include "pipeline/front/clip.h"
#include "pipeline/front/viewport.h"

/* ---- vertex fetch ---- */

enum { MAX_BYTES = 16, VECTOR_WORDS = MAX_BYTES / 4, STEP = 4 };

/* ---- addresses of vectors ---- */

/* Sets the element numbers in an array that advances by one element every `divisor` instances. */
static void instance_numbers(const struct fetch_source *s, const struct fetch_vertices *v,
                             uint32_t from, uint32_t end, uint32_t *number) {
    uint32_t instance = v->instance[from], n = instance / s->divisor;
    for (uint32_t i = from; i < end; i++) {
        if (v->instance[i] != instance) {
            instance = v->instance[i];
            n = instance / s->divisor;
        }
        number[i] = n + v->instance_base;
    }
}

/* The number of vertices whose attribute lies inside of the array's limit. end: the offset of the
 * attribute's end from the vertex' first byte. */
static uint64_t vertices_inside(const struct fetch_source *s, uint64_t end) {
    if (!s->data || s->limit < end)
        return 0;
    return s->stride ? (s->limit - end) / s->stride + 1 : UINT64_MAX;
}

static const uint8_t zeros[MAX_BYTES];

/* Sets at[] for vertices [from, end), which lie in one array. */
static void locate_span(const struct fetch_attribute *a, const struct fetch_source *s,
                        const struct fetch_vertices *v, uint32_t from, uint32_t end,
                        const uint8_t *at[LANES]) {
    const uint64_t inside = vertices_inside(s, (uint64_t)a->offset + a->format->bytes);
    const uint8_t *data = inside ? s->data + a->offset : zeros;
    uint32_t own[LANES];
    const uint32_t *number = v->index;
    if (s->divisor) {
        instance_numbers(s, v, from, end, own);
        number = own;
    }
    for (uint32_t i = from; i < end; i++)
        at[i] = number[i] < inside ? data + (uint64_t)number[i] * s->stride : zeros;
}

static void locate_vertices(const struct fetch_attribute *a, const struct fetch_vertices *v,
                            const uint8_t *at[LANES]) {
    const struct fetch_span *span = v->span;
    for (uint32_t from = 0, end; from < v->count; from = end, span++) {
        end = span->end < v->count ? span->end : v->count;
        locate_span(a, &span->source[a->source], v, from, end, at);
    }
    for (uint32_t i = v->count; i < LANES; i++)
        at[i] = zeros;
}

/* ---- raw words ---- */

LANES_INLINE u32x4 load_vector(const uint8_t *p, unsigned bytes) {
    u32x4 v = {0};
    memcpy(&v, p, bytes);
    return v;
}

LANES_INLINE void load_words(const uint8_t *const at[LANES], unsigned bytes, u32x32 *raw) {
    for (unsigned i = 0; i < LANES; i += STEP) {
        const u32x4 a = load_vector(at[i], bytes), b = load_vector(at[i + 1], bytes),
                    c = load_vector(at[i + 2], bytes), d = load_vector(at[i + 3], bytes);
        const u32x4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        const u32x4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const u32x4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const u32x4 cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        const u32x4 row[VECTOR_WORDS] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                                         __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                                         __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5),
                                         __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
        for (unsigned w = 0; w < (bytes + 3) / 4; w++)
            memcpy((uint32_t *)&raw[w] + i, &row[w], sizeof row[w]);
    }
}

/* Loads formats of at most one word. */
LANES_INLINE void load_word(const uint8_t *const at[LANES], unsigned bytes, u32x32 *raw) {
    uint32_t word[LANES] __attribute__((aligned(sizeof *raw))) = {0};
    for (unsigned i = 0; i < LANES; i++)
        memcpy(&word[i], at[i], bytes);
    memcpy(raw, word, sizeof *raw);
}

static void load_raw(const uint8_t *const at[LANES], unsigned bytes, u32x32 raw[VECTOR_WORDS]) {
    switch (bytes) { /* each case passes a constant size */
    case 1:
        load_word(at, 1, raw);
        break;
    case 2:
        load_word(at, 2, raw);
        break;
    case 3:
        load_word(at, 3, raw);
        break;
    case 4:
        load_word(at, 4, raw);
        break;
    case 6:
        load_words(at, 6, raw);
        break;
    case 8:
        load_words(at, 8, raw);
        break;
    case 12:
        load_words(at, 12, raw);
        break;
    default:
        load_words(at, MAX_BYTES, raw);
    }
}

/* ---- conversion ---- */

/* Converts bits [at, at + bits) of the raw words from this type. A component does not cross
 * words. */
static void convert_component(const u32x32 *raw, unsigned at, unsigned bits, uint8_t type,
                              u32x32 *out) {
    const u32x32 left = raw[at / 32] << (32 - bits - at % 32);
    const u32x32 v = left >> (32 - bits), s = (u32x32)((i32x32)left >> (32 - bits));
    switch (type) {
    case FETCH_FLOAT:
        *out = bits == 32 ? v : lanes_from_float(v, bits, true);
        break;
    case FETCH_UNORM:
        *out = (u32x32)lanes_from_unorm_exact(v, bits);
        break;
    case FETCH_SNORM:
        *out = (u32x32)lanes_from_snorm_exact((i32x32)s, bits);
        break;
    case FETCH_USCALED:
        *out = (u32x32) __builtin_convertvector(v, f32x32);
        break;
    case FETCH_SSCALED:
        *out = (u32x32) __builtin_convertvector((i32x32)s, f32x32);
        break;
    case FETCH_SINT:
        *out = s;
        break;
    default:
        *out = v;
    }
}

/* ---- attributes ---- */

static void fetch_constant(const struct fetch_attribute *a, u32x32 *row) {
    for (unsigned c = 0; c < 4; c++)
        if (a->mask >> c & 1)
            *row++ = lanes_splat(a->constant[c]);
}

static void fetch_array(const struct fetch_attribute *a, const struct fetch_vertices *v,
                        u32x32 *row) {
    const struct fetch_format *f = a->format;
    const uint32_t one = a->type == FETCH_SINT || a->type == FETCH_UINT ? 1 : 0x3f800000;
    const uint8_t *at[LANES];
    u32x32 raw[VECTOR_WORDS];
    locate_vertices(a, v, at);
    load_raw(at, f->bytes, raw);
    for (unsigned c = 0; c < 4; c++) {
        if (!(a->mask >> c & 1))
            continue;
        const unsigned from = a->bgra && c != 3 ? 2 - c : c;
        if (from < f->components)
            convert_component(raw, f->first[from], f->bits[from], a->type, row++);
        else
            *row++ = lanes_splat(from == 3 ? one : 0);
    }
}

static void store_words(u32x32 *row, const uint32_t *word, uint32_t count, uint32_t add) {
    uint32_t *out = (uint32_t *)row;
    for (uint32_t i = 0; i < count; i++)
        out[i] = word[i] + add;
}

static void store_ids(u32x32 *row, const uint32_t *id, const struct fetch_vertices *v) {
    uint32_t *out = (uint32_t *)row;
    for (uint32_t i = 0; i < v->count; i++)
        out[i] = id[v->index[i]];
}

void SIMD_FN(fetch_rows)(const struct fetch_plan *plan, const struct fetch_vertices *v,
                         u32x32 *rows) {
    for (unsigned i = 0; i < plan->attribute_count; i++) {
        const struct fetch_attribute *a = &plan->attribute[i];
        if (a->format)
            fetch_array(a, v, rows + a->row);
        else
            fetch_constant(a, rows + a->row);
    }
    if (plan->vertex_id_row >= 0 && plan->vertex_id)
        store_ids(&rows[plan->vertex_id_row], plan->vertex_id, v);
    else if (plan->vertex_id_row >= 0)
        store_words(&rows[plan->vertex_id_row], v->index, v->count, plan->id_base - v->id_origin);
    if (plan->instance_id_row >= 0)
        store_words(&rows[plan->instance_id_row], v->instance, v->count, 0);
    const lane_mask beyond = v->count < LANES ? LANES_ALL << v->count : 0;
    for (unsigned i = 0; i < plan->rows && beyond; i++)
        lanes_store(&rows[i], lanes_splat(0), beyond);
}

/* ---- clip space to window space ---- */

enum { DRAWN_PIXELS = 65536, SUBPIXEL = 256 }; /* as in raster_snap() */

LANES_INLINE f32x32 magnitude_lanes(f32x32 v) {
    return (f32x32)((u32x32)v & 0x7fffffff);
}

LANES_INLINE u32x32 is_finite(f32x32 v) {
    return (u32x32)((u32x32)magnitude_lanes(v) < 0x7f800000);
}

/* Rounds to the nearest integer, ties to even. */
LANES_INLINE i32x32 round_to_int(f32x32 v) {
    const union {
        f32x32 v;
        f32xv vec[VECS];
    } from = {.v = v};
    union {
        i32x32 v;
        i32xv vec[VECS];
    } to;
    for (int i = 0; i < VECS; i++)
#if defined(__AVX512F__)
        to.vec[i] = (i32xv)_mm512_cvtps_epi32((__m512)from.vec[i]);
#elif defined(__AVX2__)
        to.vec[i] = (i32xv)_mm256_cvtps_epi32((__m256)from.vec[i]);
#elif defined(__SSE2__)
        to.vec[i] = (i32xv)_mm_cvtps_epi32((__m128)from.vec[i]);
#else
        to.vec[i] = vec_nearest(from.vec[i]);
#endif
    return to.v;
}

/* Returns `bit` in lanes whose distance is negative or NaN, else 0. */
LANES_INLINE u32x32 code_of(f32x32 distance, uint32_t bit) {
    const f32x32 zero = {0};
    return ~(u32x32)(distance >= zero) & bit;
}

struct views {
    f32x32 scale[3], translate[3];
};

LANES_INLINE void find_views(const struct draw *d, const u32x32 *number, struct views *v) {
    for (unsigned axis = 0; axis < 3; axis++) {
        v->scale[axis] = lanes_splat_f(d->view->scale[0][axis]);
        v->translate[axis] = lanes_splat_f(d->view->translate[0][axis]);
        for (unsigned i = 0; number && i < LANES; i++) {
            const uint32_t view = (*number)[i] & (STATE_VIEWPORTS - 1);
            v->scale[axis][i] = d->view->scale[view][axis];
            v->translate[axis][i] = d->view->translate[view][axis];
        }
    }
}

static u32x32 user_code(const struct draw *d, const u32x32 *set, const uint8_t *row) {
    u32x32 code = lanes_splat(0);
    for (unsigned i = 0; i < STATE_CLIP_PLANES; i++) {
        const bool clip = d->view->clip.clip >> i & 1, cull = d->view->clip.cull >> i & 1;
        if (clip || cull)
            code |= code_of((f32x32)set[row[d->view->clip.slot + i]],
                            (uint32_t)(clip ? OUT_PLANE : OUT_CULL) << i);
    }
    return code;
}

/* Outcode bits of the planes that depend on the position: set where clip_distance() is negative or
 * NaN. */
LANES_INLINE u32x32 position_code(const struct draw *d, const struct views *view,
                                  const f32x32 p[4]) {
    const f32x32 w = p[3], guard = CLIP_GUARD_BAND * w;
    u32x32 code = code_of(w - CLIP_MIN_W, OUT_W);
    for (unsigned axis = 0; axis < 2; axis++) {
        const f32x32 window = p[axis] * view->scale[axis] + view->translate[axis] * w;
        code |= code_of(guard + window, OUT_GUARD << 2 * axis);
        code |= code_of(guard - window, OUT_GUARD << (2 * axis + 1));
    }
    if (d->view->clip.depth) {
        code |= code_of(d->view->clip.z_zero ? p[2] : p[2] + w, OUT_NEAR);
        code |= code_of(w - p[2], OUT_FAR);
    }
    return code;
}

/* Snaps window coordinates to 24.8 fixed point. Returns OUT_LOST in lanes where raster_snap()
 * fails. */
LANES_INLINE u32x32 snap_lanes(const struct draw *d, const f32x32 window[3], f32x32 rhw,
                               u32x32 *out) {
    const f32x32 most = lanes_splat_f(DRAWN_PIXELS);
    const i32x32 shift = (i32x32)lanes_splat(d->view->half_pixel ? SUBPIXEL / 2 : 0);
    u32x32 drawn = is_finite(window[2]) & is_finite(rhw);
    for (unsigned axis = 0; axis < 2; axis++) {
        const u32x32 near = (u32x32)(magnitude_lanes(window[axis]) <= most);
        const f32x32 inside = (f32x32)((u32x32)window[axis] & near);
        out[axis] = (u32x32)(round_to_int(inside * SUBPIXEL) + shift);
        drawn &= near;
    }
    return ~drawn & OUT_LOST;
}

void SIMD_FN(project_set)(const struct draw *d, const struct vertex_rows *rows, uint32_t index) {
    u32x32 *set = rows->data + (size_t)index * rows->layout.stride,
           *out = set + rows->layout.window;
    const uint8_t *row = rows->layout.row;
    const f32x32 p[4] = {(f32x32)set[row[0]], (f32x32)set[row[1]], (f32x32)set[row[2]],
                         (f32x32)set[row[3]]};
    f32x32 window[3] = {p[0], p[1], p[2]}, rhw = lanes_splat_f(1);
    u32x32 code = d->view->clip.clip | d->view->clip.cull ? user_code(d, set, row) : lanes_splat(0);
    if (d->view->transform) {
        struct views view;
        find_views(d,
                   d->vertex->viewport_from_slot ? &set[row[d->vertex->semantic.viewport]] : NULL,
                   &view);
        code |= position_code(d, &view, p);
        rhw = 1 / p[3];
        for (unsigned axis = 0; axis < 3; axis++)
            window[axis] = p[axis] * rhw * view.scale[axis] + view.translate[axis];
    }
    out[WINDOW_CODE] = code | snap_lanes(d, window, rhw, &out[WINDOW_X]);
    out[WINDOW_Z] = (u32x32)window[2];
    out[WINDOW_RHW] = (u32x32)rhw;
    out[ROW_WINDOW_X] = (u32x32)window[0];
    out[ROW_WINDOW_Y] = (u32x32)window[1];
}

void SIMD_FN(clamp_rows)(u32x32 *to, const u32x32 *from) {
    const f32x32 x = (f32x32)*from, zero = {0}, one = lanes_splat_f(1);
    const u32x32 below = lanes_blend((u32x32)(x < one), (u32x32)x, (u32x32)one);
    *to = below & (u32x32)(x > zero);
}
