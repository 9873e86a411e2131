/* Vertex fetch: memory to a[] rows, 32 vertices at a time. In: a plan (formats, sources with
 * limits) and vertex numbers. Out: rows, enabled components packed in order, then vertex id, then
 * instance id. Reads beyond a source's limit give zeros, as the hardware's VERTEX_RUNOUT page does.
 * Must not know state or GPU addresses. Codes: tesla-3d.md, "vertex fetch".
 */
#include "pipeline/front/vfetch.h"

#include "base/format.h"

#include <stddef.h>
#include <string.h>

enum {
    TYPE_SNORM = 0x09,
    TYPE_UNORM = 0x12,
    TYPE_SINT = 0x1b,
    TYPE_UINT = 0x24,
    TYPE_USCALED = 0x2d,
    TYPE_SSCALED = 0x36,
    TYPE_FLOAT = 0x3f
};

static const struct fetch_format formats[] = {
    {0x01, 4, 16, {32, 32, 32, 32}},
    {0x02, 3, 12, {32, 32, 32}},
    {0x04, 2, 8, {32, 32}},
    {0x12, 1, 4, {32}},
    {0x03, 4, 8, {16, 16, 16, 16}},
    {0x05, 3, 6, {16, 16, 16}},
    {0x0f, 2, 4, {16, 16}},
    {0x1b, 1, 2, {16}},
    {0x0a, 4, 4, {8, 8, 8, 8}},
    {0x13, 3, 3, {8, 8, 8}},
    {0x18, 2, 2, {8, 8}},
    {0x1d, 1, 1, {8}},
    {0x30, 4, 4, {10, 10, 10, 2}},
    {0x31, 3, 4, {11, 11, 10}},
};

const struct fetch_format *fetch_format_find(uint8_t code) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].code == code)
            return &formats[i];
    return NULL;
}

bool fetch_type_known(uint8_t type) {
    return type == TYPE_SNORM || type == TYPE_UNORM || type == TYPE_SINT || type == TYPE_UINT ||
           type == TYPE_USCALED || type == TYPE_SSCALED || type == TYPE_FLOAT;
}

static uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* Unsigned small floats of 11_11_10: five exponent bits, the rest mantissa. */
static uint32_t small_float(uint32_t v, unsigned bits) {
    return float_bits(f16_to_f32((uint16_t)(v << (15 - bits))));
}

static uint32_t decode_component(uint32_t v, unsigned bits, uint8_t type) {
    const uint32_t max = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    const int32_t s = (int32_t)(v << (32 - bits)) >> (32 - bits);
    switch (type) {
    case TYPE_FLOAT:
        return bits == 32   ? v
               : bits == 16 ? float_bits(f16_to_f32((uint16_t)v))
                            : small_float(v, bits);
    case TYPE_UNORM:
        return float_bits((float)((double)v / max));
    case TYPE_SNORM: {
        const double d = (double)s / (max >> 1);
        return float_bits((float)(d < -1 ? -1 : d));
    }
    case TYPE_USCALED:
        return float_bits((float)v);
    case TYPE_SSCALED:
        return float_bits((float)s);
    case TYPE_SINT:
        return (uint32_t)s;
    default:
        return v;
    }
}

static uint32_t one_of(uint8_t type) {
    return type == TYPE_SINT || type == TYPE_UINT ? 1 : 0x3f800000;
}

void fetch_decode(const struct fetch_format *f, uint8_t type, bool bgra, const uint8_t *p,
                  uint32_t out[4]) {
    uint8_t raw[24] = {0};
    memcpy(raw, p, f->bytes);
    unsigned bit = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (i >= f->components) {
            out[i] = i == 3 ? one_of(type) : 0;
            continue;
        }
        uint64_t word;
        memcpy(&word, raw + bit / 8, 8);
        const uint32_t mask = f->bits[i] == 32 ? UINT32_MAX : (1u << f->bits[i]) - 1;
        out[i] = decode_component((uint32_t)(word >> (bit % 8)) & mask, f->bits[i], type);
        bit += f->bits[i];
    }
    if (bgra) {
        const uint32_t b = out[0];
        out[0] = out[2];
        out[2] = b;
    }
}

static const uint8_t zeros[16];

/* Where vertex i of v finds an attribute, or zeros beyond the limit. */
static inline const uint8_t *locate(const struct fetch_source *s, const struct fetch_vertices *v,
                                    uint32_t i, uint32_t offset, uint32_t bytes) {
    const uint32_t n = s->divisor ? v->instance[i] / s->divisor + v->instance_base : v->index[i];
    const uint64_t at = (uint64_t)n * s->stride + offset;
    return at + bytes <= s->limit ? s->data + at : zeros;
}

static void store_components(uint32_t (*row)[LANES], uint32_t lane, uint8_t mask,
                             const uint32_t value[4]) {
    for (unsigned c = 0; c < 4; c++)
        if (mask >> c & 1)
            (*row++)[lane] = value[c];
}

static void fetch_general(const struct fetch_attribute *a, const struct fetch_source *s,
                          const struct fetch_vertices *v, u32x32 *rows) {
    uint32_t(*row)[LANES] = (uint32_t(*)[LANES])(rows + a->row);
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t value[4];
        fetch_decode(a->format, a->type, a->bgra, locate(s, v, i, a->offset, a->format->bytes),
                     value);
        store_components(row, i, a->mask, value);
    }
}

/* 32-bit components without conversion: words from memory. */
static inline void fetch_words(const struct fetch_attribute *a, const struct fetch_source *s,
                               const struct fetch_vertices *v, u32x32 *rows, unsigned n) {
    uint32_t(*row)[LANES] = (uint32_t(*)[LANES])(rows + a->row);
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t value[4] = {0, 0, 0, one_of(a->type)};
        memcpy(value, locate(s, v, i, a->offset, 4 * n), 4 * n);
        for (unsigned c = 0; c < n; c++)
            row[c][i] = value[c];
    }
}

static bool plain_words(const struct fetch_attribute *a) {
    return a->format->bits[0] == 32 && !a->bgra && a->mask == (1u << a->format->components) - 1 &&
           (a->type == TYPE_FLOAT || a->type == TYPE_UINT || a->type == TYPE_SINT);
}

static void fetch_attribute(const struct fetch_plan *plan, const struct fetch_attribute *a,
                            const struct fetch_vertices *v, u32x32 *rows) {
    if (!a->format) {
        uint32_t r = a->row;
        for (unsigned c = 0; c < 4; c++)
            if (a->mask >> c & 1)
                rows[r++] = lanes_splat(a->constant[c]);
        return;
    }
    const struct fetch_source *s = &plan->source[a->source];
    if (!plain_words(a)) {
        fetch_general(a, s, v, rows);
        return;
    }
    switch (a->format->components) {
    case 1:
        fetch_words(a, s, v, rows, 1);
        break;
    case 2:
        fetch_words(a, s, v, rows, 2);
        break;
    case 3:
        fetch_words(a, s, v, rows, 3);
        break;
    default:
        fetch_words(a, s, v, rows, 4);
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

void fetch_vertices(const struct fetch_plan *plan, const struct fetch_vertices *v, u32x32 *rows) {
    if (v->count < LANES)
        memset(rows, 0, plan->rows * sizeof *rows);
    for (unsigned i = 0; i < plan->attribute_count; i++)
        fetch_attribute(plan, &plan->attribute[i], v, rows);
    if (plan->vertex_id_row >= 0 && plan->vertex_id)
        store_ids(&rows[plan->vertex_id_row], plan->vertex_id, v);
    else if (plan->vertex_id_row >= 0)
        store_words(&rows[plan->vertex_id_row], v->index, v->count,
                    plan->id_base - (plan->id_adds_start ? 0 : v->first_vertex));
    if (plan->instance_id_row >= 0)
        store_words(&rows[plan->instance_id_row], v->instance, v->count, 0);
}
