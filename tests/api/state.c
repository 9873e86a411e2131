/* Functions of the public header beyond a first picture, one by one: state between shading and
 * targets, patterns, partial clears, transform feedback, counters and conditions, indirect draws,
 * attribute types, texture formats, partial copies, buffer textures. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "api/api.h"
#include "include/teslapipe_debug.h"

enum { SIZE = 64 };

static const float whole[3][8] = {
    {-1, 1, 0, 1, 1, 1, 1, 1}, {3, 1, 0, 1, 1, 1, 1, 1}, {-1, -3, 0, 1, 1, 1, 1, 1}};

static void whole_of(struct fixture *f, float r, float g, float b, float a) {
    float v[3][8];
    memcpy(v, whole, sizeof v);
    for (int i = 0; i < 3; i++)
        v[i][4] = r, v[i][5] = g, v[i][6] = b, v[i][7] = a;
    fixture_draw(f, TP_TRIANGLES, v, 3);
}

#define INVALID(call) assert_int_equal(call, TP_ERROR_INVALID)

/* ---- output, samples, patterns ---- */

DRAW_TEST(test_output, 1, SIZE) {
    static const struct {
        enum tp_logic_op op;
        uint32_t result; /* result of 0x66 over 0xcc in each byte */
    } row[] = {{TP_LOGIC_XOR, 0xaa}, {TP_LOGIC_AND, 0x44},    {TP_LOGIC_OR, 0xee},
               {TP_LOGIC_SET, 0xff}, {TP_LOGIC_INVERT, 0x33}, {TP_LOGIC_NOOP, 0xcc},
               {TP_LOGIC_CLEAR, 0},  {TP_LOGIC_COPY, 0x66},   {TP_LOGIC_NAND, 0xbb}};
    static const float cc[4] = {0.8f, 0.8f, 0.8f, 0.8f};
    for (size_t i = 0; i < LENGTH(row); i++) {
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, cc, 1, 0));
        OK(f,
           tp_set_output(f->context, &(struct tp_output_state){.logic_op = true, .op = row[i].op}));
        whole_of(f, 0.4f, 0.4f, 0.4f, 0.4f);
        fixture_read(f);
        assert_int_equal(fixture_pixel(f, 9, 9), row[i].result * 0x01010101);
    }
    for (int i = 0; i < 2; i++) {
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(f, tp_set_output(f->context, &(struct tp_output_state){.alpha_test = true,
                                                                  .alpha_func = TP_GREATER,
                                                                  .alpha_ref = i ? 0.3f : 0.5f}));
        whole_of(f, 1, 1, 1, 0.4f);
        fixture_read(f);
        assert_int_equal(fixture_count(f), i ? SIZE * SIZE : 0);
    }
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, cc, 1, 0));
    OK(f, tp_set_output(f->context,
                        &(struct tp_output_state){.logic_op = true, .op = TP_LOGIC_INVERT}));
    whole_of(f, 0.4f, 0.4f, 0.4f, 0.4f); /* no read between the two draws */
    OK(f,
       tp_set_output(f->context, &(struct tp_output_state){.logic_op = true, .op = TP_LOGIC_OR}));
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, 9, 9), 0x77777777);
    INVALID(tp_set_output(f->context, &(struct tp_output_state){.op = 0x1510}));
    INVALID(tp_set_output(f->context, &(struct tp_output_state){.clamp = 0x100}));
}

DRAW_TEST(test_samples, 1, SIZE) {
    fixture_samples(f, SIZE, SIZE, 4);
    static const struct {
        struct tp_sample_state s;
        uint32_t sum, fragments; /* sum of the red of four samples; fragments for each pixel */
    } row[] = {{{.masked_out = 0}, 255, 1},
               {{.masked_out = 0x6}, 128, 1},
               {{.masked_out = 0xf}, 0, 1},
               {{.alpha_to_coverage = true}, 128, 1}, /* alpha 0.5 covers two of four samples */
               {{.per_sample = true}, 255, 4}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        struct tp_statistics s;
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
        OK(f, tp_set_samples(f->context, &row[i].s));
        tp_reset_statistics(f->context);
        whole_of(f, 1, 1, 1, 0.5f);
        OK(f, tp_texture_read_rgba8(f->context, f->color, f->pixels));
        OK(f, tp_get_statistics(f->context, &s));
        assert_in_range(f->pixels[4 * (5 * SIZE + 9)], row[i].sum ? row[i].sum - 1 : 0, row[i].sum);
        if (row[i].sum)
            assert_int_equal(s.fragments, SIZE * SIZE * row[i].fragments);
    }
}

static uint32_t drawn(struct fixture *f, enum tp_primitive type, const float (*v)[8], uint32_t n) {
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    fixture_draw(f, type, v, n);
    fixture_read(f);
    return fixture_count(f);
}

DRAW_TEST(test_patterns, 1, SIZE) {
    static const float line[2][8] = {{-1, 0.01f, 0, 1, 1, 1, 1, 1}, {1, 0.01f, 0, 1, 1, 1, 1, 1}};
    struct tp_pattern_state p = {.line_stipple = true, .line_pattern = 0x1111};
    OK(f, tp_set_patterns(f->context, &p));
    assert_int_equal(drawn(f, TP_LINES, line, 2), SIZE / 4);
    p.line_factor = 3;
    OK(f, tp_set_patterns(f->context, &p));
    assert_in_range(drawn(f, TP_LINES, line, 2), SIZE / 4 - 1, SIZE / 4 + 3);
    p = (struct tp_pattern_state){.polygon_stipple = true};
    p.polygon_pattern[5] = 0x80000080; /* columns 24 and 0 of row 5 */
    OK(f, tp_set_patterns(f->context, &p));
    assert_int_equal(drawn(f, TP_TRIANGLES, whole, 3), 2 * 2 * SIZE / 32);
    assert_int_equal(fixture_pixel(f, 24, 5), 0xffffffff);
    assert_int_equal(fixture_pixel(f, 32, 37), 0xffffffff);
    p = (struct tp_pattern_state){.smooth_lines = true};
    OK(f, tp_set_patterns(f->context, &p));
    drawn(f, TP_LINES, line, 2);
    uint32_t partly = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        partly += f->pixels[4 * i + 3] != 0 && f->pixels[4 * i + 3] != 255;
    assert_true(partly >= SIZE);
    INVALID(tp_set_patterns(f->context, &(struct tp_pattern_state){.line_factor = 257}));
}

DRAW_TEST(test_windows_and_edges, 1, SIZE) {
    static const struct tp_rect r[2] = {{2, 3, 10, 20}, {40, 50, 100, 5}};
    const uint32_t inside = 10 * 20 + 24 * 5;
    OK(f, tp_set_window_rectangles(f->context, TP_WINDOWS_INSIDE, 2, r));
    assert_int_equal(drawn(f, TP_TRIANGLES, whole, 3), inside);
    OK(f, tp_set_window_rectangles(f->context, TP_WINDOWS_OUTSIDE, 2, r));
    assert_int_equal(drawn(f, TP_TRIANGLES, whole, 3), SIZE * SIZE - inside);
    OK(f, tp_set_window_rectangles(f->context, TP_WINDOWS_OFF, 0, NULL));
    assert_int_equal(drawn(f, TP_TRIANGLES, whole, 3), SIZE * SIZE);
    INVALID(tp_set_window_rectangles(f->context, TP_WINDOWS_INSIDE, 9, r));
    static const float small[3][8] = {{-0.5f, 0.5f, 0, 1, 1, 1, 1, 1},
                                      {0.5f, 0.5f, 0, 1, 1, 1, 1, 1},
                                      {0, -0.5f, 0, 1, 1, 1, 1, 1}};
    OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.polygon_front = TP_POLYGON_LINE,
                                                              .polygon_back = TP_POLYGON_LINE}));
    assert_true(drawn(f, TP_TRIANGLES, small, 3) > SIZE);
    OK(f, tp_set_edge_flag(f->context, false));
    assert_int_equal(drawn(f, TP_TRIANGLES, small, 3), 0);
}

/* ---- clears ---- */

TEST(test_clear_part) {
    static const struct tp_rect r = {7, 9, 11, 13};
    static uint32_t words[SIZE * SIZE];
    FIXTURE(f, 1, NULL, SIZE);
    struct tp_clear_info i = {.what = TP_CLEAR_COLOR, .rect = &r, .color.f = {1, 1, 1, 1}};
    OK(&f, tp_clear_part(f.context, &i));
    fixture_read(&f);
    assert_int_equal(fixture_count(&f), 11 * 13);
    assert_int_equal(fixture_pixel(&f, 17, 21), 0xffffffff);
    assert_int_equal(fixture_pixel(&f, 18, 21), 0);
    i = (struct tp_clear_info){
        .what = TP_CLEAR_COLOR, .color_mask = 5, .color.f = {0.2f, 0.2f, 0.2f, 0.2f}};
    OK(&f, tp_clear_part(f.context, &i));
    fixture_read(&f);
    assert_int_equal(fixture_pixel(&f, 17, 21), 0xff33ff33);
    OK(&f, tp_clear(f.context, TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 0xa5));
    i = (struct tp_clear_info){.what = TP_CLEAR_STENCIL, .stencil = 0xff, .stencil_mask = 0x0f};
    OK(&f, tp_clear_part(f.context, &i));
    OK(&f, tp_texture_read(f.context, f.zeta, 0, 0, words, SIZE * 4));
    assert_int_equal(words[77], 0xafffffff);
    INVALID(tp_clear_part(f.context, &(struct tp_clear_info){.what = 8}));
    INVALID(tp_clear_part(f.context, &(struct tp_clear_info){.what = TP_CLEAR_COLOR, .target = 1}));
    INVALID(tp_clear_part(f.context,
                          &(struct tp_clear_info){.what = TP_CLEAR_DEPTH, .first_layer = 1}));
    /* integers, in one layer of three */
    tp_texture *array = fixture_array(&f, TP_FORMAT_R32UI, SIZE, SIZE, 3);
    OK(&f, tp_set_targets(f.context, 1, &(struct tp_target){array, 0, 0, true}, NULL));
    i = (struct tp_clear_info){
        .what = TP_CLEAR_COLOR, .first_layer = 1, .layers = 1, .color.u = {0xdeadbeef}};
    OK(&f, tp_clear_part(f.context, &i));
    for (uint32_t layer = 0; layer < 3; layer++) {
        OK(&f, tp_texture_read(f.context, array, 0, layer, words, SIZE * 4));
        assert_int_equal(words[100], layer == 1 ? 0xdeadbeef : 0);
    }
}

/* Streams that capture the four words of vertices' positions into a buffer. */
static struct tp_stream_info position_into(tp_buffer *out) {
    return (struct tp_stream_info){.interleaved = true,
                                   .stride = 16,
                                   .count = 1,
                                   .stream[0] = {.buffer = out},
                                   .map = {0x80, 0x81, 0x82, 0x83}};
}

/* ---- feedback, counters, conditions, indirect draws ---- */

DRAW_TEST(test_streams, 1, SIZE) {
    static const float v[4][8] = {{-1, 1, 0, 1, 0, 0, 0, 1},
                                  {1, 1, 0, 1, 0, 0, 0, 1},
                                  {-1, -1, 0, 1, 0, 0, 0, 1},
                                  {1, -1, 0, 1, 0, 0, 0, 1}};
    uint32_t bytes;
    uint64_t count;
    float got[6][4];
    tp_buffer *out = fixture_buffer(f, 96 + 10, NULL);
    const struct tp_stream_info info = position_into(out);
    OK(f, tp_set_streams(f->context, &info));
    fixture_draw(f, TP_TRIANGLE_STRIP, v, 4);
    OK(f, tp_get_stream_bytes(f->context, 0, &bytes));
    assert_int_equal(bytes, 96);
    OK(f, tp_get_counter(f->context, TP_COUNT_PRIMITIVES_STREAMED, &count));
    assert_int_equal(count, 2);
    OK(f, tp_pause_streams(f->context, true));
    fixture_draw(f, TP_TRIANGLE_STRIP, v, 4);
    OK(f, tp_get_counter(f->context, TP_COUNT_PRIMITIVES_STREAMED, &count));
    assert_int_equal(count, 2);
    OK(f, tp_set_streams(f->context, NULL));
    OK(f, tp_buffer_read(f->context, out, 0, got, sizeof got));
    static const uint8_t order[6] = {0, 1, 2, 2, 1, 3};
    for (int i = 0; i < 6; i++)
        assert_memory_equal(got[i], v[order[i]], 16);
    /* the streams drawn as vertices */
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    OK(f, tp_bind_vertices(f->context, 0, out, 0, 16, 0));
    OK(f, tp_set_attribute_constant(f->context, 1, (const float[4]){1, 1, 1, 1}));
    OK(f, tp_draw_stream(f->context, TP_TRIANGLES, 0, 16));
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
    INVALID(tp_get_stream_bytes(f->context, 3, &bytes));
    INVALID(tp_draw_stream(f->context, TP_TRIANGLES, 0, 0));
    struct tp_stream_info bad = info;
    bad.stride = 5;
    INVALID(tp_set_streams(f->context, &bad));
    bad = info, bad.count = 2;
    INVALID(tp_set_streams(f->context, &bad));
    bad = info, bad.stream[0].size = 107;
    INVALID(tp_set_streams(f->context, &bad));
}

DRAW_TEST(test_counters_and_conditions, 1, SIZE) {
    uint64_t first, second;
    uint32_t word[8];
    tp_buffer *reports = fixture_buffer(f, 64, NULL);
    OK(f, tp_count_samples(f->context, true));
    whole_of(f, 1, 1, 1, 1);
    OK(f, tp_get_counter(f->context, TP_COUNT_SAMPLES, &first));
    whole_of(f, 1, 1, 1, 1);
    OK(f, tp_count_samples(f->context, false));
    whole_of(f, 1, 1, 1, 1);
    OK(f, tp_get_counter(f->context, TP_COUNT_SAMPLES, &second));
    assert_int_equal(first, SIZE * SIZE);
    assert_int_equal(second, 2 * SIZE * SIZE);
    static const struct {
        enum tp_counter counter;
        uint64_t value;
    } row[] = {{TP_COUNT_VERTICES, 9},
               {TP_COUNT_PRIMITIVES, 3},
               {TP_COUNT_VERTEX_RUNS, 9},
               {TP_COUNT_CLIP_IN, 3},
               {TP_COUNT_GEOMETRY_RUNS, 0},
               {TP_COUNT_FRAGMENTS, 3 * SIZE * SIZE},
               {TP_COUNT_PRIMITIVES_GENERATED, 3}};
    for (size_t i = 0; i < LENGTH(row); i++) {
        OK(f, tp_get_counter(f->context, row[i].counter, &first));
        assert_int_equal(first, row[i].value);
    }
    OK(f, tp_write_counter(f->context, TP_COUNT_SAMPLES, reports, 0));
    OK(f, tp_write_counter(f->context, TP_COUNT_GEOMETRY_RUNS, reports, 16));
    OK(f, tp_buffer_read(f->context, reports, 0, word, sizeof word));
    assert_int_equal(word[1], 2 * SIZE * SIZE);
    assert_int_equal(word[5], 0);
    assert_true(word[2] | word[3]);
    static const struct {
        enum tp_condition condition;
        uint32_t offset;
        bool drawn;
    } rule[] = {{TP_IF_ALWAYS, 0, true},     {TP_IF_NEVER, 0, false}, {TP_IF_NOT_ZERO, 0, true},
                {TP_IF_NOT_ZERO, 16, false}, {TP_IF_EQUAL, 0, false}, {TP_IF_DIFFERENT, 0, true},
                {TP_IF_EQUAL, 32, true}};
    for (size_t i = 0; i < LENGTH(rule); i++) {
        OK(f, tp_set_condition(f->context, TP_IF_ALWAYS, NULL, 0));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(f, tp_set_condition(f->context, rule[i].condition, reports, rule[i].offset));
        whole_of(f, 1, 1, 1, 1);
        fixture_read(f);
        assert_int_equal(fixture_count(f), rule[i].drawn ? SIZE * SIZE : 0);
    }
    INVALID(tp_set_condition(f->context, TP_IF_EQUAL, reports, 48));
    INVALID(tp_set_condition(f->context, TP_IF_EQUAL, reports, 8));
    INVALID(tp_write_counter(f->context, TP_COUNT_SAMPLES, reports, 56));
    INVALID(tp_get_counter(f->context, (enum tp_counter)11, &first));
}

DRAW_TEST(test_indirect, 1, SIZE) {
    static const uint32_t words[] = {9, 9, 3, 1,
                                     1, 0, /* count, instances, first, first instance */
                                     3, 1, 2, (uint32_t)-1,
                                     0};
    static const uint8_t index[] = {9, 9, 2, 3, 4, 9};
    float v[4][8];
    tp_buffer *arguments, *indices;
    memset(v, 0, sizeof v);
    memcpy(&v[1], whole, sizeof whole);
    fixture_vertices(f, v, 4);
    arguments = fixture_buffer(f, sizeof words, words);
    indices = fixture_buffer(f, sizeof index, index);
    const struct tp_draw_info plain = {.primitive = TP_TRIANGLES};
    OK(f, tp_draw_indirect(f->context, &plain, arguments, 8));
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    const struct tp_draw_info indexed = {
        .primitive = TP_TRIANGLES, .index_buffer = indices, .index_type = TP_INDEX_U8};
    OK(f, tp_draw_indirect(f->context, &indexed, arguments, 24));
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
    INVALID(tp_draw_indirect(f->context, &indexed, arguments, 28));
}

/* ---- attributes: the values that a vertex program reads, captured by feedback ---- */

DRAW_TEST(test_attributes, 1, SIZE) {
    static const struct {
        unsigned type, components;
        uint32_t word[4], expected[4];
    } row[] = {
        {TP_UNORM8 | TP_BGRA, 4, {0xff330066}, {0x3e4ccccd, 0, 0x3ecccccd, 0x3f800000}},
        {TP_UNORM10_10_10_2 | TP_BGRA, 4, {0xc00003ff}, {0, 0, 0x3f800000, 0x3f800000}},
        {TP_SNORM10_10_10_2, 4, {0x400001ff}, {0x3f800000, 0, 0, 0x3f800000}},
        {TP_UINT10_10_10_2, 4, {0x80000403}, {3, 1, 0, 2}},
        {TP_SINT10_10_10_2, 4, {0xc00003ff}, {UINT32_MAX, 0, 0, UINT32_MAX}},
        {TP_USCALED10_10_10_2, 4, {0x80000403}, {0x40400000, 0x3f800000, 0, 0x40000000}},
        {TP_SSCALED10_10_10_2, 4, {0x000003ff}, {0xbf800000, 0, 0, 0}},
        {TP_FLOAT11_11_10,
         3,
         {0x3c0 | 0x400 << 11 | 0x1c0u << 22},
         {0x3f800000, 0x40000000, 0x3f000000, 0x3f800000}},
        {TP_USCALED32, 2, {3, 7}, {0x40400000, 0x40e00000, 0, 0x3f800000}},
        {TP_SSCALED32, 1, {(uint32_t)-3}, {0xc0400000, 0, 0, 0x3f800000}},
        {TP_UNORM32, 1, {UINT32_MAX}, {0x3f800000, 0, 0, 0x3f800000}},
        {TP_SNORM32, 1, {0x80000001}, {0xbf800000, 0, 0, 0x3f800000}},
    };
    tp_buffer *in, *out;
    uint32_t got[4];
    in = fixture_buffer(f, 16, NULL);
    out = fixture_buffer(f, 16, NULL);
    OK(f, tp_bind_vertices(f->context, 0, in, 0, 16, 0));
    for (size_t i = 0; i < LENGTH(row); i++) {
        OK(f, tp_buffer_write(f->context, in, 0, row[i].word, 16));
        OK(f, tp_set_attribute(f->context, 0, 0, 0, row[i].components,
                               (enum tp_attribute_type)row[i].type));
        const struct tp_stream_info info = position_into(out);
        OK(f, tp_set_streams(f->context, &info));
        OK(f, tp_draw_arrays(f->context, TP_POINTS, 0, 1));
        OK(f, tp_buffer_read(f->context, out, 0, got, 16));
        for (int k = 0; k < 4; k++)
            if (got[k] != row[i].expected[k])
                fail_msg("row %zu component %d: %08x", i, k, got[k]);
    }
    INVALID(tp_set_attribute(f->context, 0, 0, 0, 4, TP_FLOAT11_11_10));
    INVALID(tp_set_attribute(f->context, 0, 0, 0, 3, TP_UINT10_10_10_2));
}

/* ---- textures ---- */

/* A program that reads texel (x, y) of a texture of 4x4 texels, in any format, and writes the texel
 * to the target. */
static const char read_fp[] =
    ".interpolants position=xyw\ninterp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
    "mov b32 $r4 0.25\nmul f32 $r0 $r0 $r4\nmul f32 $r1 $r1 $r4\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";

TEST(test_formats) {
    enum { SIDE = 4 };
    FIXTURE(f, 1, NULL, SIDE);
    fixture_bind(&f, TP_FRAGMENT, read_fp);
    uint32_t tried = 0;
    for (unsigned format = 1; api_format((enum tp_format)format) != FORMAT_NONE; format++) {
        const struct format_info *info = format_info(api_format((enum tp_format)format));
        const bool integer = info->type == COMPONENT_UINT || info->type == COMPONENT_SINT;
        tp_texture *texture = fixture_picture(&f, (enum tp_format)format, SIDE, SIDE);
        tp_texture *target =
            fixture_picture(&f, integer ? TP_FORMAT_RGBA32UI : TP_FORMAT_RGBA32F, SIDE, SIDE);
        uint8_t texels[SIDE * SIDE * 16], back[sizeof texels];
        uint32_t words[SIDE * SIDE][4];
        for (size_t i = 0; i < sizeof texels; i++) /* bytes that are no NaN in any float format */
            texels[i] = (uint8_t)(info->type == COMPONENT_FLOAT ? i * 5 % 56 : i * 37 + format);
        const size_t pitch = (info->compressed ? 1 : SIDE) * info->bytes;
        OK(&f, tp_texture_write(f.context, texture, 0, 0, texels, pitch));
        memset(back, 0xee, sizeof back);
        OK(&f, tp_texture_read(f.context, texture, 0, 0, back, pitch));
        assert_memory_equal(back, texels, pitch * (info->compressed ? 1 : SIDE));
        OK(&f, tp_set_target(f.context, target, NULL));
        OK(&f, tp_bind_texture(f.context, TP_FRAGMENT, 0, texture, NULL));
        fixture_draw(&f, TP_TRIANGLES, whole, 3);
        OK(&f, tp_texture_read(f.context, target, 0, 0, words, SIDE * 16));
        for (uint32_t i = 0; i < SIDE * SIDE && !info->compressed && !info->zeta; i++) {
            uint32_t rgba[4];
            format_decode(api_format((enum tp_format)format), texels + i * info->bytes, rgba);
            if (memcmp(rgba, words[i], 16) != 0)
                fail_msg("%s texel %u: %08x %08x %08x %08x, not %08x %08x %08x %08x", info->name, i,
                         words[i][0], words[i][1], words[i][2], words[i][3], rgba[0], rgba[1],
                         rgba[2], rgba[3]);
        }
        tried++;
    }
    assert_true(tried >= 58);
    /* formats that cannot be targets are refused */
    tp_texture *blocks = fixture_picture(&f, TP_FORMAT_DXT1, 8, 8);
    INVALID(tp_set_target(f.context, blocks, NULL));
    INVALID(tp_texture_generate_mipmaps(f.context, blocks));
    const struct tp_texture_info cubes =
        TEXTURE_INFO(TP_TEXTURE_CUBE_ARRAY, TP_FORMAT_RGBA8, 8, 8, .layers = 7);
    INVALID(tp_texture_create(f.device, &cubes, &blocks));
}

TEST(test_parts) {
    static uint32_t texels[SIZE * SIZE], part[20 * 9], again[20 * 9];
    static const struct tp_rect r = {13, 50, 20, 9}, out = {60, 0, 5, 1};
    FIXTURE(f, 1, NULL, SIZE);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        texels[i] = i * 2654435761u;
    for (uint32_t i = 0; i < 20 * 9; i++)
        part[i] = ~i;
    OK(&f, tp_texture_write(f.context, f.color, 0, 0, texels, SIZE * 4));
    OK(&f, tp_texture_write_rect(f.context, f.color, 0, 0, &r, part, 80));
    OK(&f, tp_texture_read_rect(f.context, f.color, 0, 0, &r, again, 80));
    assert_memory_equal(part, again, sizeof part);
    OK(&f, tp_texture_copy(f.context, (struct tp_texture_place){f.color, 0, 0}, 1, 2,
                           (struct tp_texture_place){f.color, 0, 0}, &r));
    OK(&f, tp_texture_read(f.context, f.color, 0, 0, f.pixels, SIZE * 4));
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++) {
            const uint32_t ax = x - 13, ay = y - 50, bx = x - 1, by = y - 2;
            const uint32_t expected = ax < 20 && ay < 9   ? part[20 * ay + ax]
                                      : bx < 20 && by < 9 ? part[20 * by + bx]
                                                          : texels[y * SIZE + x];
            assert_int_equal(fixture_pixel(&f, x, y), expected);
        }
    INVALID(tp_texture_write_rect(f.context, f.color, 0, 0, &out, part, 80));
    INVALID(tp_texture_read_rect(f.context, f.color, 0, 0, &out, part, 80));
    INVALID(tp_texture_copy(f.context, (struct tp_texture_place){f.zeta, 0, 0}, 0, 0,
                            (struct tp_texture_place){f.color, 0, 0}, &r));
    /* buffers: copies, and the bytes themselves */
    tp_buffer *a, *b;
    a = fixture_buffer(&f, 64, texels);
    b = fixture_buffer(&f, 64, NULL);
    OK(&f, tp_buffer_copy(f.context, b, 8, a, 4, 12));
    const uint32_t *bytes = tp_buffer_map(f.context, b, 0, 64);
    assert_non_null(bytes);
    assert_memory_equal(bytes + 2, texels + 1, 12);
    assert_null(tp_buffer_map(f.context, b, 60, 5));
    INVALID(tp_buffer_copy(f.context, b, 60, a, 0, 5));
}

/* A texture on a buffer shows the buffer's texels; a view of the second level of a texture shows
 * that level. */
TEST(test_views) {
    enum { SIDE = 8 };
    static const char fetch_fp[] =
        ".interpolants position=xw\ninterp $r0 v[0x0]\n"
        "cvt rzi s32 $r0 f32 $r0\n"
        "texfetch live $r0:$r1:$r2:$r3 $t0 $s0 $r0 0x0 0x0 0x0\nexit nop\n";
    uint32_t texels[SIDE * SIDE], tic[8], tsc[8] = {0};
    FIXTURE(f, 1, NULL, SIDE);
    fixture_bind(&f, TP_FRAGMENT, fetch_fp);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        texels[i] = 0xff000000 | i * 3;
    tp_buffer *b = fixture_buffer(&f, 256 + SIDE * 4, NULL);
    OK(&f, tp_buffer_write(f.context, b, 256, texels, SIDE * 4));
    OK(&f, tp_bind_buffer_texture(f.context, TP_FRAGMENT, 0, b, 256, TP_FORMAT_RGBA8, SIDE - 1));
    fixture_draw(&f, TP_TRIANGLES, whole, 3);
    fixture_read(&f);
    for (uint32_t x = 0; x < SIDE; x++)
        assert_int_equal(fixture_pixel(&f, x, 3), x < SIDE - 1 ? texels[x] : 0);
    INVALID(tp_bind_buffer_texture(f.context, TP_FRAGMENT, 0, b, 256, TP_FORMAT_RGBA8, SIDE + 1));
    INVALID(tp_bind_buffer_texture(f.context, TP_FRAGMENT, 0, b, 128, TP_FORMAT_RGBA8, 1));
    tp_buffer *large; /* in 32-bit programs there is no memory for it */
    if (tp_buffer_create(f.device, 1 << 30, NULL, &large) == TP_OK) {
        INVALID(tp_bind_buffer_texture(f.context, TP_FRAGMENT, 0, large, 0, TP_FORMAT_R8, 1 << 30));
        OK(&f, tp_bind_buffer_texture(f.context, TP_FRAGMENT, 0, large, 0, TP_FORMAT_R8,
                                      (1 << 30) - 1));
        tp_buffer_destroy(large);
    }
    const struct tp_texture_info t = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = 16, .height = 16, .levels = 2};
    tp_texture *two = fixture_texture(&f, &t);
    OK(&f, tp_texture_write(f.context, two, 1, 0, texels, SIDE * 4));
    assert_true(tp_texture_address(two));
    OK(&f, tp_texture_describe(two, 1, 1, tic));
    INVALID(tp_texture_describe(two, 1, 2, tic));
    tsc[1] = 0x51; /* nearest, nearest, no mip */
    OK(&f, tp_bind_descriptors(f.context, TP_FRAGMENT, 0, tic, tsc));
    fixture_bind(&f, TP_FRAGMENT, read_fp);
    fixture_draw(&f, TP_TRIANGLES, whole, 3);
    fixture_read(&f);
    assert_int_equal(fixture_pixel(&f, 1, 0),
                     texels[SIDE + 3]); /* texel (1.5 / 4, 0.5 / 4) of 8 texels */
    OK(&f, tp_set_seamless_cubes(f.context, true));
    assert_true(f.context->state.seamless_cube);
}

/* A program becomes native code when it first runs. The statistics count the calls of each
 * operation; their sum is the number of all calls. */
TEST(test_native_costs) {
    for (int k = 0; k < 2; k++) {
        struct tp_debug_native before, after;
        FIXTURE_ENGINE(f, 1, NULL, k ? "interp" : NULL, SIZE);
        const bool has = strcmp(tp_device_engine(f.device), "native") == 0;
        tp_debug_get_native(f.device, &before);
        fixture_draw(&f, TP_TRIANGLES, whole, 3);
        fixture_read(&f);
        tp_debug_get_native(f.device, &after);
        assert_int_equal(before.programs, 0);
        assert_int_equal(after.programs, has ? 2 : 0);
        assert_int_equal(after.instructions > 8, has);
        assert_true(after.worst_nanoseconds <= after.nanoseconds);
        assert_int_equal(after.nanoseconds > 0, has);
        uint32_t operation = 0, one;
        uint64_t calls = 0;
        for (; tp_debug_get_calls(f.device, operation, &one); operation++)
            calls += one;
        assert_true(operation > 50);
        assert_int_equal(calls, after.calls);
    }
}

/* Layers of 3D textures lie in memory in another way than layers of arrays, so all targets with
 * layers must be of one kind. Single slices and layers can be mixed. A 3D texture is no zeta
 * target. */
TEST(test_kinds_of_targets) {
    FIXTURE(f, 1, NULL, SIZE);
    const struct tp_texture_info info =
        TEXTURE_INFO(TP_TEXTURE_3D, TP_FORMAT_RGBA8, SIZE, SIZE, .depth = 8, .levels = 2);
    struct tp_texture_info zeta = info;
    zeta.format = TP_FORMAT_Z24S8;
    tp_texture *const volume = fixture_texture(&f, &info), *depth = fixture_texture(&f, &zeta);
    tp_texture *const array = fixture_array(&f, TP_FORMAT_RGBA8, SIZE, SIZE, 8);
    for (int i = 0; i < 8; i++) {
        const bool layered[2] = {i & 1, i >> 1 & 1};
        tp_texture *const t[2] = {volume, i & 4 ? array : volume};
        const struct tp_target both[2] = {{t[0], 0, layered[0] ? 0 : 5, layered[0]},
                                          {t[1], 0, layered[1] ? 0 : 3, layered[1]}};
        const enum tp_result got = tp_set_targets(f.context, 2, both, NULL);
        assert_int_equal(got, i == 7 ? TP_ERROR_INVALID : TP_OK);
    }
    INVALID(tp_set_targets(f.context, 0, NULL, &(struct tp_target){depth, 0, 3, false}));
    INVALID(tp_set_target(f.context, NULL, depth));
}
