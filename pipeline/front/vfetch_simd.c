/* Vertex fetch: memory to a[] rows, 32 vertices at a time. In: a plan (formats, sources with
 * limits) and vertex numbers. Out: rows: enabled components in order, then vertex id, then instance
 * id. The vectors of an attribute are loaded whole, turned into rows of raw words and converted row
 * by row. Reads beyond the limit of a source give zeros, as the hardware's VERTEX_RUNOUT page does.
 * Must not know state or GPU addresses. Codes: tesla-3d.md §4.1.
 */
#include "base/convert.h"
#include "pipeline/front/vfetch.h"

enum { MAX_BYTES = 16, MAX_WORDS = MAX_BYTES / 4, STEP = 4 };

/* ---- addresses of vectors ---- */

/* Element numbers of an array that advances once per divisor instances. */
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

/* The number of vertices inside the limit of the array. */
static uint64_t vertices_inside(const struct fetch_source *s, uint64_t end) {
    if (!s->data || s->limit < end)
        return 0;
    return s->stride ? (s->limit - end) / s->stride + 1 : UINT64_MAX;
}

static const uint8_t zeros[MAX_BYTES];

/* Vertices [from, end), which lie in one array. */
static void locate_part(const struct fetch_attribute *a, const struct fetch_source *s,
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
    const struct fetch_part *part = v->part;
    for (uint32_t from = 0, end; from < v->count; from = end, part++) {
        end = part->end < v->count ? part->end : v->count;
        locate_part(a, &part->source[a->source], v, from, end, at);
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
        const u32x4 row[MAX_WORDS] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
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

static void load_raw(const uint8_t *const at[LANES], unsigned bytes, u32x32 raw[MAX_WORDS]) {
    switch (bytes) { /* each copy has a constant size */
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

/* Converts bits [at, at + bits) of the raw words by type. Components lie within a word. */
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
    u32x32 raw[MAX_WORDS];
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
