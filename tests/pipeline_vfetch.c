/* Vertex fetch: every format and type against values worked out by hand, packing of enabled
 * components, limits, instances and ids.
 */
#include "pipeline/front/vfetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    FLOAT = 0x3f,
    UNORM = 0x12,
    SNORM = 0x09,
    UINT = 0x24,
    SINT = 0x1b,
    USCALED = 0x2d,
    SSCALED = 0x36
};

static uint32_t bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

struct sample {
    uint8_t format, type;
    bool bgra;
    uint8_t bytes[16];
    float value[4]; /* or integers, for UINT and SINT */
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

static void test_formats(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        const struct fetch_format *f = fetch_format_find(s->format);
        uint32_t got[4];
        assert_non_null(f);
        fetch_decode(f, s->type, s->bgra, s->bytes, got);
        for (int k = 0; k < 4; k++) {
            const bool integer = s->type == UINT || s->type == SINT;
            const uint32_t want = integer ? (uint32_t)(int32_t)s->value[k] : bits(s->value[k]);
            if (got[k] != want)
                print_message("sample %zu component %d\n", i, k);
            assert_int_equal(got[k], want);
        }
    }
    assert_null(fetch_format_find(0x3e));
    assert_false(fetch_type_known(0));
}

static uint32_t at(const u32x32 *rows, unsigned row, unsigned lane) {
    return ((const uint32_t *)&rows[row])[lane];
}

/* Two attributes of an array of {float x, y, z; u8 rgba}, one constant, ids behind them. */
static void test_plan(void **state) {
    (void)state;
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
        .id_adds_start = true,
        .id_base = 100,
        .attribute = {{fetch_format_find(0x02), FLOAT, false, 7, 0, 0, 0, {0}},
                      {fetch_format_find(0x0a), UINT, false, 0x9, 3, 0, 12, {0}},
                      {NULL, 0, false, 0x2, 5, 0, 0, {1, 77, 3, 4}}},
        .source = {{(const uint8_t *)data, sizeof data, sizeof data[0], 0}},
    };
    uint32_t index[32], instance[32];
    for (uint32_t i = 0; i < 32; i++) {
        index[i] = 39 - i;
        instance[i] = 5;
    }
    index[3] = 40; /* one beyond the end */
    index[4] = UINT32_MAX;
    struct fetch_vertices v = {index, instance, 30, 0, 0};
    u32x32 rows[8];
    memset(rows, 0xaa, sizeof rows);
    fetch_vertices(&plan, &v, rows);
    for (unsigned lane = 0; lane < 30; lane++) {
        const bool out = lane == 3 || lane == 4;
        const uint32_t i = index[lane];
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(at(rows, k, lane), out ? 0 : bits((float)(10 * i + k)));
        assert_int_equal(at(rows, 3, lane), out ? 0 : 4 * i);
        assert_int_equal(at(rows, 4, lane), out ? 0 : 4 * i + 3);
        assert_int_equal(at(rows, 5, lane), 77);
        assert_int_equal(at(rows, 6, lane), i + 100);
        assert_int_equal(at(rows, 7, lane), 5);
    }
    assert_int_equal(at(rows, 0, 31), 0); /* lanes without a vertex */
}

/* An element that begins inside the limit and ends outside reads zeros. */
static void test_limit(void **state) {
    (void)state;
    const uint32_t data[4] = {1, 2, 3, 4};
    const struct fetch_plan plan = {
        .attribute_count = 1,
        .rows = 2,
        .vertex_id_row = -1,
        .instance_id_row = -1,
        .attribute = {{fetch_format_find(0x04), UINT, false, 3, 0, 0, 0, {0}}},
        .source = {{(const uint8_t *)data, 15, 8, 0}},
    };
    const uint32_t index[2] = {0, 1}, instance[2] = {0};
    const struct fetch_vertices v = {index, instance, 2, 0, 0};
    u32x32 rows[2];
    fetch_vertices(&plan, &v, rows);
    assert_int_equal(at(rows, 0, 0), 1);
    assert_int_equal(at(rows, 1, 0), 2);
    assert_int_equal(at(rows, 0, 1), 0);
    assert_int_equal(at(rows, 1, 1), 0);
}

static void test_instances(void **state) {
    (void)state;
    const uint32_t data[8] = {0, 10, 20, 30, 40, 50, 60, 70};
    const struct fetch_plan plan = {
        .attribute_count = 1,
        .rows = 2,
        .vertex_id_row = 1,
        .instance_id_row = -1,
        .attribute = {{fetch_format_find(0x12), UINT, false, 1, 0, 0, 0, {0}}},
        .source = {{(const uint8_t *)data, sizeof data, 4, 3}},
    };
    const uint32_t index[3] = {107, 108, 109}, instance[3] = {2, 3, 8};
    const struct fetch_vertices v = {index, instance, 3, 1, 107};
    u32x32 rows[2];
    fetch_vertices(&plan, &v, rows);
    assert_int_equal(at(rows, 0, 0), 10); /* 2 / 3 + 1 */
    assert_int_equal(at(rows, 0, 1), 20);
    assert_int_equal(at(rows, 0, 2), 30);
    assert_int_equal(at(rows, 1, 2), 2); /* counted from the draw's first vertex */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
