/* Vertex fetch: every format and type compared with values computed by hand and with scalar
 * formulas in double precision (all values of components up to 16 bits), packing of enabled
 * components, limits, instances and ids, at every SIMD level. */
#include "pipeline/front/vfetch.h"
#include "tests/test.h"

enum {
    FLOAT = FETCH_FLOAT,
    UNORM = FETCH_UNORM,
    SNORM = FETCH_SNORM,
    UINT = FETCH_UINT,
    SINT = FETCH_SINT,
    USCALED = FETCH_USCALED,
    SSCALED = FETCH_SSCALED
};

struct sample {
    uint8_t format, type;
    bool bgra;
    uint8_t bytes[16];
    float value[4]; /* for UINT and SINT: integers */
};

static const struct sample samples[] = {
    {0x01,
     FLOAT,
     false,
     {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 192, 0, 0, 128, 62},
     {1, 2, -3, .25f}},
    {0x02, FLOAT, false, {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 192}, {1, 2, -3, 1}},
    {0x04, FLOAT, false, {0, 0, 128, 63, 0, 0, 0, 64}, {1, 2, 0, 1}},
    {0x12, FLOAT, false, {0, 0, 0, 64}, {2, 0, 0, 1}},
    {0x03, FLOAT, false, {0, 0x3c, 0, 0x40, 0, 0xc2, 0, 0x34}, {1, 2, -3, .25f}},
    {0x05, SNORM, false, {0xff, 0x7f, 0x01, 0x80, 0x00, 0x80}, {1, -1, -1, 1}},
    {0x0f, UNORM, false, {0xff, 0xff, 0, 0}, {1, 0, 0, 1}},
    {0x1b, SINT, false, {0xfe, 0xff}, {-2, 0, 0, 1}},
    {0x0a, UNORM, false, {255, 0, 51, 102}, {1, 0, .2f, .4f}},
    {0x0a, UNORM, true, {255, 0, 51, 102}, {.2f, 0, 1, .4f}},
    {0x0a, SNORM, false, {127, 0x81, 0x80, 0}, {1, -1, -1, 0}},
    {0x13, UINT, false, {200, 3, 4}, {200, 3, 4, 1}},
    {0x18, USCALED, false, {200, 3}, {200, 3, 0, 1}},
    {0x1d, SSCALED, false, {0xfe}, {-2, 0, 0, 1}},
    {0x0a, SINT, false, {0xff, 1, 2, 0x80}, {-1, 1, 2, -128}},
    {0x01, UINT, false, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}, {1, 2, 3, 4}},
    {0x12, SSCALED, false, {0xff, 0xff, 0xff, 0xff}, {-1, 0, 0, 1}},
    {0x12, UNORM, false, {0xff, 0xff, 0xff, 0xff}, {1, 0, 0, 1}},
    {0x30, UNORM, false, {0xff, 0x03, 0x00, 0xc0}, {1, 0, 0, 1}},
    {0x30, SNORM, false, {0xff, 0x05, 0x08, 0x40}, {511.0f / 511, -511.0f / 511, 0, 1}},
    {0x30, UINT, true, {0x01, 0x08, 0x30, 0x40}, {3, 2, 1, 1}},
    {0x31, FLOAT, false, {0xc0, 0x03, 0x20, 0x70}, {1, 2, .5f, 1}},
};

static uint32_t at(const u32x32 *rows, unsigned row, unsigned lane) {
    return ((const uint32_t *)&rows[row])[lane];
}

/* Fetches one attribute of `count` consecutive vertices. */
static void fetch_format(enum simd_level simd, const struct fetch_format *f, uint8_t type,
                         bool bgra, const void *data, uint32_t count, u32x32 rows[4]) {
    const struct fetch_plan plan = {
        .attribute_count = 1,
        .rows = 4,
        .vertex_id_row = -1,
        .instance_id_row = -1,
        .attribute = {{f, type, bgra, 0xf, 0, 0, 0, {0}}},
    };
    const struct fetch_source source = {data, (uint64_t)count * f->bytes, f->bytes, 0};
    const struct fetch_span span = {LANES, &source};
    uint32_t index[LANES], instance[LANES] = {0};
    for (uint32_t i = 0; i < count; i++)
        index[i] = i;
    const struct fetch_vertices v = {index, instance, count, 0, 0, &span};
    memset(rows, 0xaa, 4 * sizeof *rows);
    fetch_vertices(simd, &plan, &v, rows);
}

TEST(test_formats) {
    for (size_t i = 0; i < LENGTH(samples); i++) {
        const struct sample *s = &samples[i];
        const struct fetch_format *f = fetch_format_find(s->format);
        u32x32 got[4];
        assert_non_null(f);
        fetch_format(simd_best(), f, s->type, s->bgra, s->bytes, 1, got);
        for (unsigned k = 0; k < 4; k++) {
            const bool integer = s->type == UINT || s->type == SINT;
            const uint32_t want =
                integer ? (uint32_t)(int32_t)s->value[k] : float_bits(s->value[k]);
            if (at(got, k, 0) != want)
                print_message("sample %zu component %u\n", i, k);
            assert_int_equal(at(got, k, 0), want);
        }
    }
    assert_null(fetch_format_find(0x3e));
    assert_false(fetch_type_known(0));
}

/* ---- the formulas for one component ---- */

/* Converts a small float with five exponent bits, with or without a sign bit; the rest is the
 * mantissa. */
static uint32_t reference_float(uint32_t v, unsigned n) {
    if (n == 32)
        return v;
    const unsigned mantissa = n == 16 ? 10 : n >= 5 ? n - 5 : 0;
    const uint32_t sign = n == 16 ? v >> 15 << 31 : 0;
    const uint32_t m = n >= 5 ? v & ((1u << mantissa) - 1) : 0;
    const uint32_t exponent = n >= 5 ? v >> mantissa & 31 : v << (5 - n);
    if (exponent == 31)
        return sign | 0x7f800000 | m << (23 - mantissa);
    const double value = exponent ? ldexp(1 + ldexp(m, -(int)mantissa), (int)exponent - 15)
                                  : ldexp(m, -14 - (int)mantissa);
    return sign | float_bits((float)value);
}

static uint32_t reference(uint32_t v, unsigned n, uint8_t type) {
    const uint32_t max = n == 32 ? UINT32_MAX : (1u << n) - 1;
    const int32_t s = (int32_t)(v << (32 - n)) >> (32 - n);
    const double d = (double)s / (max >> 1);
    switch (type) {
    case FLOAT:
        return reference_float(v, n);
    case UNORM:
        return float_bits((float)((double)v / max));
    case SNORM:
        return float_bits((float)(d < -1 ? -1 : d));
    case USCALED:
        return float_bits((float)v);
    case SSCALED:
        return float_bits((float)s);
    case SINT:
        return (uint32_t)s;
    default:
        return v;
    }
}

static uint32_t component(const uint8_t *p, unsigned first, unsigned n) {
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint32_t)(p[(first + i) / 8] >> (first + i) % 8 & 1) << i;
    return v;
}

static void compare_vectors(const struct fetch_format *f, uint8_t type, bool bgra,
                            const uint8_t *data, uint32_t count) {
    const uint32_t one = type == UINT || type == SINT ? 1 : 0x3f800000;
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        u32x32 got[4];
        fetch_format((enum simd_level)simd, f, type, bgra, data, count, got);
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned first = 0;
            for (unsigned k = 0; k < 4; k++) {
                uint32_t want = k == 3 ? one : 0;
                if (k < f->components)
                    want = reference(component(data + lane * f->bytes, first, f->bits[k]),
                                     f->bits[k], type);
                if (lane >= count)
                    want = 0;
                const uint32_t value = at(got, bgra && k != 3 ? 2 - k : k, lane);
                if (value != want)
                    print_message("format %02x type %02x component %u lane %u level %d\n", f->code,
                                  type, k, lane, simd);
                assert_int_equal(value, want);
                first += f->bits[k];
            }
        }
    }
}

/* Every value of the first component if it has up to 16 bits; otherwise, and in the other
 * components, random bits and the greatest and least numbers. */
TEST(test_conversions) {
    static const uint8_t codes[] = {1,    2,   4,    0x12, 3,    5,    0xf,
                                    0x1b, 0xa, 0x13, 0x18, 0x1d, 0x30, 0x31};
    static const uint8_t types[] = {FLOAT, UNORM, SNORM, UINT, SINT, USCALED, SSCALED};
    static const uint8_t edge[][4] = {
        {0, 0, 0, 0x80}, {0xff, 0xff, 0xff, 0x7f}, {0xff, 0xff, 0xff, 0xff}, {1, 0, 0, 0x80}};
    uint64_t seed = 7;
    for (size_t c = 0; c < sizeof codes; c++) {
        const struct fetch_format *f = fetch_format_find(codes[c]);
        assert_non_null(f);
        const uint32_t values = f->bits[0] <= 16 ? 1u << f->bits[0] : 1u << 12;
        for (size_t t = 0; t < sizeof types; t++) {
            for (uint32_t at_value = 0; at_value < values; at_value += LANES) {
                uint8_t data[LANES * 16];
                for (size_t i = 0; i < sizeof data; i++) {
                    data[i] = (uint8_t)random_next(&seed);
                }
                for (uint32_t lane = 0; lane < LANES; lane++) {
                    uint8_t *p = data + lane * f->bytes;
                    const uint32_t v = at_value + lane;
                    if (f->bits[0] == 32 && lane < 4)
                        memcpy(p, edge[lane], 4);
                    else if (f->bits[0] <= 16)
                        p[0] = (uint8_t)v;
                    if (f->bits[0] > 8 && f->bits[0] <= 16) {
                        const uint32_t mask = (1u << (f->bits[0] - 8)) - 1;
                        p[1] = (uint8_t)((p[1] & ~mask) | (v >> 8 & mask));
                    }
                }
                compare_vectors(f, types[t], seed >> 20 & 1, data, at_value ? LANES : 29);
            }
        }
    }
}

/* Two attributes of an array of {float x, y, z; u8 rgba}, one constant attribute, then the ids. */
TEST(test_plan) {
    struct {
        float xyz[3];
        uint8_t rgba[4];
    } data[40];
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < 3; k++)
            data[i].xyz[k] = (float)(10 * i + k);
        for (int k = 0; k < 4; k++)
            data[i].rgba[k] = (uint8_t)(4 * i + k);
    }
    struct fetch_plan plan = {
        .attribute_count = 3,
        .rows = 8,
        .vertex_id_row = 6,
        .instance_id_row = 7,
        .id_base = 100,
        .attribute = {{fetch_format_find(0x02), FLOAT, false, 7, 0, 0, 0, {0}},
                      {fetch_format_find(0x0a), UINT, false, 0x9, 3, 0, 12, {0}},
                      {NULL, 0, false, 0x2, 5, 0, 0, {1, 77, 3, 4}}},
    };
    const struct fetch_source source = {(const uint8_t *)data, sizeof data, sizeof data[0], 0};
    const struct fetch_span span = {LANES, &source};
    uint32_t index[32], instance[32];
    for (uint32_t i = 0; i < 32; i++) {
        index[i] = 39 - i;
        instance[i] = 5;
    }
    index[3] = 40; /* one index beyond the end */
    index[4] = UINT32_MAX;
    struct fetch_vertices v = {index, instance, 30, 0, 0, &span};
    u32x32 rows[8];
    memset(rows, 0xaa, sizeof rows);
    fetch_vertices(simd_best(), &plan, &v, rows);
    for (unsigned lane = 0; lane < 30; lane++) {
        const bool out = lane == 3 || lane == 4;
        const uint32_t i = index[lane];
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(at(rows, k, lane), out ? 0 : float_bits((float)(10 * i + k)));
        assert_int_equal(at(rows, 3, lane), out ? 0 : 4 * i);
        assert_int_equal(at(rows, 4, lane), out ? 0 : 4 * i + 3);
        assert_int_equal(at(rows, 5, lane), 77);
        assert_int_equal(at(rows, 6, lane), i + 100);
        assert_int_equal(at(rows, 7, lane), 5);
    }
    assert_int_equal(at(rows, 0, 31), 0); /* lanes without a vertex are 0 */
}

/* An element that begins within the limit and ends beyond it reads as zeros. */
TEST(test_limit) {
    const uint32_t data[4] = {1, 2, 3, 4};
    const struct fetch_plan plan = {
        .attribute_count = 1,
        .rows = 2,
        .vertex_id_row = -1,
        .instance_id_row = -1,
        .attribute = {{fetch_format_find(0x04), UINT, false, 3, 0, 0, 0, {0}}},
    };
    const struct fetch_source source = {(const uint8_t *)data, 15, 8, 0};
    const struct fetch_span span = {2, &source};
    const uint32_t index[2] = {0, 1}, instance[2] = {0};
    const struct fetch_vertices v = {index, instance, 2, 0, 0, &span};
    u32x32 rows[2];
    fetch_vertices(simd_best(), &plan, &v, rows);
    assert_int_equal(at(rows, 0, 0), 1);
    assert_int_equal(at(rows, 1, 0), 2);
    assert_int_equal(at(rows, 0, 1), 0);
    assert_int_equal(at(rows, 1, 1), 0);
}

TEST(test_instances) {
    const uint32_t data[8] = {0, 10, 20, 30, 40, 50, 60, 70};
    const struct fetch_plan plan = {
        .attribute_count = 1,
        .rows = 2,
        .vertex_id_row = 1,
        .instance_id_row = -1,
        .attribute = {{fetch_format_find(0x12), UINT, false, 1, 0, 0, 0, {0}}},
    };
    const struct fetch_source source = {(const uint8_t *)data, sizeof data, 4, 3};
    const struct fetch_span span = {3, &source};
    const uint32_t index[3] = {107, 108, 109}, instance[3] = {2, 3, 8};
    const struct fetch_vertices v = {index, instance, 3, 1, 107, &span};
    u32x32 rows[2];
    fetch_vertices(simd_best(), &plan, &v, rows);
    assert_int_equal(at(rows, 0, 0), 10); /* 2 / 3 + 1 */
    assert_int_equal(at(rows, 0, 1), 20);
    assert_int_equal(at(rows, 0, 2), 30);
    assert_int_equal(at(rows, 1, 2), 2); /* counted from the draw's first vertex */
}

/* One warp fetches vertices of three draws, each of which has its own buffer. One buffer is too
 * short. */
TEST(test_parts) {
    const uint32_t data[3][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}, {20, 21, 22, 23}};
    const struct fetch_plan plan = {
        .attribute_count = 1,
        .rows = 1,
        .vertex_id_row = -1,
        .instance_id_row = -1,
        .attribute = {{fetch_format_find(0x12), UINT, false, 1, 0, 0, 0, {0}}},
    };
    struct fetch_source source[3];
    for (int i = 0; i < 3; i++)
        source[i] = (struct fetch_source){(const uint8_t *)data[i], i == 1 ? 8 : 16, 4, 0};
    const struct fetch_span span[3] = {{4, &source[0]}, {7, &source[1]}, {LANES, &source[2]}};
    const uint32_t index[9] = {0, 1, 2, 3, 0, 1, 2, 3, 0}, instance[9] = {0};
    const uint32_t want[9] = {0, 1, 2, 3, 10, 11, 0, 23, 20};
    const struct fetch_vertices v = {index, instance, 9, 0, 0, span};
    for (int simd = SIMD_BASE; simd <= (int)simd_best(); simd++) {
        u32x32 row;
        fetch_vertices((enum simd_level)simd, &plan, &v, &row);
        for (unsigned i = 0; i < 9; i++)
            assert_int_equal(at(&row, 0, i), want[i]);
    }
}

/* ---- plans at random ---- */

enum { PLANS = 4000, BUFFER = 5000, ROWS = 4 * FETCH_ATTRIBUTES + 3 };

static uint32_t below(uint64_t *seed, uint32_t n) {
    return (uint32_t)random_next(seed) % n;
}

struct random_plan {
    struct fetch_plan plan;
    struct fetch_source source[3][FETCH_ATTRIBUTES];
    struct fetch_span span[3];
    uint32_t index[LANES], instance[LANES], id[600];
    struct fetch_vertices v;
};

static void make_attributes(struct random_plan *r, uint64_t *seed) {
    static const uint8_t codes[] = {1,    2,   4,    0x12, 3,    5,    0xf,
                                    0x1b, 0xa, 0x13, 0x18, 0x1d, 0x30, 0x31};
    static const uint8_t types[] = {FLOAT, UNORM, SNORM, UINT, SINT, USCALED, SSCALED};
    struct fetch_plan *p = &r->plan;
    p->attribute_count = (uint8_t)below(seed, FETCH_ATTRIBUTES + 1);
    for (unsigned i = 0; i < p->attribute_count; i++) {
        struct fetch_attribute *a = &p->attribute[i];
        const struct fetch_format *f =
            below(seed, 5) ? fetch_format_find(codes[below(seed, 14)]) : NULL;
        *a = (struct fetch_attribute){
            f,
            types[below(seed, 7)],
            below(seed, 2),
            (uint8_t)(1 + below(seed, 15)),
            p->rows,
            (uint8_t)below(seed, FETCH_ATTRIBUTES),
            below(seed, 40),
            {below(seed, 99), below(seed, 99), below(seed, 99), below(seed, 99)}};
        p->rows += (uint8_t)__builtin_popcount(a->mask);
    }
    p->vertex_id_row = below(seed, 2) || !p->rows ? p->rows++ : -1;
    p->instance_id_row = below(seed, 2) ? p->rows++ : -1;
    p->id_base = below(seed, 3) ? below(seed, 1000) : (uint32_t)-9;
    p->vertex_id = below(seed, 4) ? NULL : r->id;
}

static void make_plan(struct random_plan *r, const uint8_t *buffer, uint64_t *seed) {
    static const uint32_t strides[] = {0, 1, 4, 16, 100, 2047, 2048, 4095};
    memset(r, 0, sizeof *r);
    make_attributes(r, seed);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < FETCH_ATTRIBUTES; i++)
            r->source[k][i] = (struct fetch_source){
                below(seed, 9) ? buffer : NULL, below(seed, BUFFER + 1), strides[below(seed, 8)],
                below(seed, 3) ? 0 : 1 + below(seed, 4)};
    const uint32_t count = 1 + below(seed, LANES), cut = 1 + below(seed, LANES);
    for (uint32_t i = 0; i < count; i++) {
        r->index[i] = below(seed, 9) ? below(seed, 600) : below(seed, 4);
        r->instance[i] = i && below(seed, 3) ? r->instance[i - 1] : below(seed, 12);
    }
    for (uint32_t i = 0; i < 600; i++)
        r->id[i] = 7 * i + 1;
    r->span[0] = (struct fetch_span){cut, r->source[0]};
    r->span[1] = (struct fetch_span){cut + 1 + below(seed, 9), r->source[1]};
    r->span[2] = (struct fetch_span){LANES + 9, r->source[2]};
    r->v = (struct fetch_vertices){r->index,       r->instance,     count,
                                   below(seed, 3), below(seed, 50), r->span};
}

/* Component c of an attribute of vertex i; beyond the limit it is zero. */
static uint32_t attribute_model(const struct random_plan *r, const struct fetch_attribute *a,
                                uint32_t i, unsigned c) {
    static const uint8_t nothing[16];
    const struct fetch_span *span = r->span;
    while (span->end <= i)
        span++;
    if (!a->format)
        return a->constant[c];
    const struct fetch_source *s = &span->source[a->source];
    const uint64_t number =
        s->divisor ? r->instance[i] / s->divisor + r->v.instance_base : r->index[i];
    const uint64_t first = number * s->stride + a->offset;
    const bool there = s->data && first + a->format->bytes <= s->limit;
    const unsigned k = a->bgra && c != 3 ? 2 - c : c;
    if (k >= a->format->components)
        return k != 3 ? 0 : a->type == UINT || a->type == SINT ? 1 : 0x3f800000;
    unsigned bit = 0;
    for (unsigned b = 0; b < k; b++)
        bit += a->format->bits[b];
    return reference(component(there ? s->data + first : nothing, bit, a->format->bits[k]),
                     a->format->bits[k], a->type);
}

static void check_row(const struct random_plan *r, const u32x32 *rows, unsigned row, uint32_t i,
                      uint32_t want) {
    if (at(rows, row, i) != (i < r->v.count ? want : 0))
        fail_msg("row %u of %u, vertex %u of %u: %08x, not %08x", row, r->plan.rows, i, r->v.count,
                 at(rows, row, i), want);
}

TEST(test_random_plans) {
    static uint8_t buffer[BUFFER];
    static struct random_plan r;
    uint64_t seed = 11;
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (uint8_t)below(&seed, 256);
    for (int n = 0; n < PLANS; n++) {
        u32x32 rows[ROWS];
        make_plan(&r, buffer, &seed);
        const struct fetch_plan *p = &r.plan;
        memset(rows, 0xaa, sizeof rows);
        fetch_vertices((enum simd_level)((uint32_t)n % ((uint32_t)simd_best() + 1)), p, &r.v, rows);
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t vertex = i < r.v.count ? i : 0;
            for (unsigned k = 0; k < p->attribute_count; k++)
                for (unsigned c = 0, row = p->attribute[k].row; c < 4; c++)
                    if (p->attribute[k].mask >> c & 1)
                        check_row(&r, rows, row++, i,
                                  attribute_model(&r, &p->attribute[k], vertex, c));
            const uint32_t index = r.index[vertex];
            if (p->vertex_id_row >= 0)
                check_row(&r, rows, (unsigned)p->vertex_id_row, i,
                          p->vertex_id ? r.id[index] : index + p->id_base - r.v.id_origin);
            if (p->instance_id_row >= 0)
                check_row(&r, rows, (unsigned)p->instance_id_row, i, r.instance[vertex]);
        }
        assert_int_equal(at(rows, p->rows, 0), 0xaaaaaaaa); /* no further row is written */
    }
}
