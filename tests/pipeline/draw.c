/* Draws from vertices to pixels: primitive types, indices, instances, state, textures that were
 * drawn before, equal results for all numbers of threads and SIMD levels, and messages about bad
 * input. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

enum { SIZE = 64, WHITE = 0xffffffff, RED = 0xff0000ff };

#define AT(x, y) {x, y, 0, 1, 1, 1, 1, 1}
static const float square[4][8] = {AT(-.5f, -.5f), AT(.5f, -.5f), AT(.5f, .5f), AT(-.5f, .5f)};
static const float square_strip[4][8] = {AT(-.5f, -.5f), AT(.5f, -.5f), AT(-.5f, .5f),
                                         AT(.5f, .5f)};
static const float square_list[6][8] = {AT(-.5f, -.5f), AT(.5f, -.5f), AT(.5f, .5f),
                                        AT(-.5f, -.5f), AT(.5f, .5f),  AT(-.5f, .5f)};

static void assert_square(struct fixture *f) {
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE / 4);
    assert_int_equal(fixture_pixel(f, SIZE / 4, SIZE / 4), WHITE);
    assert_int_equal(fixture_pixel(f, SIZE * 3 / 4 - 1, SIZE * 3 / 4 - 1), WHITE);
}

/* Every primitive type that can make the square draws the same square. */
TEST(test_types) {
    static const struct {
        enum tp_primitive type;
        const float (*v)[8];
        uint32_t n;
    } draws[] = {
        {TP_TRIANGLES, square_list, 6},   {TP_TRIANGLE_STRIP, square_strip, 4},
        {TP_TRIANGLE_FAN, square, 4},     {TP_QUADS, square, 4},
        {TP_QUAD_STRIP, square_strip, 4}, {TP_POLYGON, square, 4},
    };
    for (size_t i = 0; i < LENGTH(draws); i++) {
        FIXTURE(f, 2, NULL, SIZE);
        fixture_draw(&f, draws[i].type, draws[i].v, draws[i].n);
        assert_square(&f);
    }
}

/* Without a geometry program, adjacent vertices are ignored: a triangle consists of every second of
 * its six vertices. */
DRAW_TEST(test_neighbours_left_out, 1, SIZE) {
    float v[12][8];
    for (int i = 0; i < 12;
         i++) { /* the square as two triangles; adjacent vertices lie in other corners */
        const float *corner = i & 1 ? square_list[(i / 2 + 3) % 6] : square_list[i / 2];
        memcpy(v[i], corner, sizeof v[i]);
    }
    struct tp_statistics s;
    fixture_draw(f, TP_TRIANGLES_ADJACENCY, (const float(*)[8])v, 12);
    assert_square(f);
    OK(f, tp_get_statistics(f->context, &s));
    assert_int_equal(s.primitives, 2);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    fixture_draw(f, TP_LINES_ADJACENCY, (const float(*)[8])v, 12);
    OK(f, tp_get_statistics(f->context, &s));
    assert_int_equal(s.primitives, 2 + 3);
}

/* Without a geometry program, lines and line strips with adjacency draw their inner lines only,
 * with and without indices. */
TEST(test_inner_lines) {
    enum { LINES = 5, COUNT = 4 * LINES };
    float v[COUNT][8];
    uint64_t seed = 3;
    for (int i = 0; i < COUNT; i++) {
        const float one[8] = {0, 0, 0, 1, 1, (float)i / COUNT, 1, 1};
        memcpy(v[i], one, sizeof one);
        for (int k = 0; k < 2; k++) {
            v[i][k] = random_float(&seed, -1, 1);
        }
    }
    static const struct {
        enum tp_primitive with, without;
    } kinds[] = {{TP_LINES_ADJACENCY, TP_LINES}, {TP_LINE_STRIP_ADJACENCY, TP_LINE_STRIP}};
    for (int k = 0; k < 2; k++) {
        uint16_t index[COUNT], inner[COUNT];
        uint32_t count = 0;
        uint8_t *want = malloc(SIZE * SIZE * 4);
        tp_buffer *indices, *inners;
        for (uint16_t i = 0; i < COUNT; i++) {
            index[i] = (uint16_t)(i * 7 % COUNT);
            if (k ? i > 0 && i < COUNT - 1 : i % 4 == 1 || i % 4 == 2)
                inner[count++] = i;
        }
        FIXTURE(f, 2, NULL, SIZE);
        indices = fixture_buffer(&f, sizeof index, index);
        for (int by_index = 0; by_index < 2; by_index++) {
            uint16_t of[COUNT];
            for (uint32_t i = 0; i < count; i++)
                of[i] = by_index ? index[inner[i]] : inner[i];
            inners = fixture_buffer(&f, count * 2, of);
            for (int with = 0; with < 2; with++) {
                const struct tp_draw_info info = {.primitive =
                                                      with ? kinds[k].with : kinds[k].without,
                                                  .count = with ? COUNT : count,
                                                  .index_buffer = !with      ? inners
                                                                  : by_index ? indices
                                                                             : NULL,
                                                  .index_type = TP_INDEX_U16};
                OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
                fixture_vertices(&f, (const float(*)[8])v, COUNT);
                OK(&f, tp_draw(f.context, &info));
                fixture_read(&f);
                if (!with)
                    memcpy(want, f.pixels, SIZE * SIZE * 4);
            }
            assert_true(fixture_count(&f) > 50);
            assert_memory_equal(f.pixels, want, SIZE * SIZE * 4);
        }
        free(want);
    }
}

/* ndc y +1 is the top row; colours are interpolated. */
DRAW_TEST(test_orientation, 1, SIZE) {
    static const float v[3][8] = {
        {-1, 1, 0, 1, 1, 0, 0, 1}, {3, 1, 0, 1, 1, 0, 0, 1}, {-1, -3, 0, 1, 0, 0, 1, 1}};
    fixture_draw(f, TP_TRIANGLES, v, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
    assert_int_equal(fixture_pixel(f, 0, 0) & 0xff, 254);        /* 1 - .5 / 128 */
    assert_int_equal(fixture_pixel(f, 0, SIZE - 1) & 0xff, 128); /* 1 - 63.75 / 128 */
    assert_int_equal(fixture_pixel(f, 0, SIZE - 1) >> 16 & 0xff, 127);
}

static void draw_indexed(struct fixture *f, enum tp_index_type type, uint32_t restart,
                         int32_t base) {
    /* half squares with a restart between them, from the second index on */
    const uint32_t wide[] = {77, 0, 1, 3, restart, 1, 2, 3};
    uint8_t bytes[sizeof wide];
    const uint32_t size = 1u << type;
    for (int i = 0; i < 8; i++) {
        const uint32_t index = wide[i] == restart ? restart : wide[i] - (uint32_t)base;
        memcpy(bytes + i * size, &index, size);
    }
    tp_buffer *indices;
    OK(f, tp_buffer_create(f->device, sizeof bytes, bytes, &indices));
    fixture_vertices(f, square, 4);
    const struct tp_draw_info info =
        DRAW_INFO(TP_TRIANGLE_STRIP, 7, .first = 1, .index_buffer = indices, .index_type = type,
                  .base_vertex = base, .restart = true, .restart_index = restart);
    OK(f, tp_draw(f->context, &info));
    tp_buffer_destroy(indices); /* the queued draw keeps the buffer alive */
    assert_square(f);
}

TEST(test_indices) {
    static const uint32_t restart[] = {0xff, 0xffff, 0xffffffff};
    for (int type = TP_INDEX_U8; type <= TP_INDEX_U32; type++) {
        FIXTURE(f, 2, NULL, SIZE);
        draw_indexed(&f, type, restart[type], type == TP_INDEX_U8 ? 0 : -5);
    }
}

/* Offsets for each instance, with a divisor. The colour is the instance id. */
DRAW_TEST(test_instances, 2, SIZE) {
    static const char text[] =
        ".attr 0 xyzw\n.attr 1 xy\n.builtin instance_id\n"
        ".output position o[0x0]\n.output varying o[0x10] 4\n"
        "mov b32 $r0 a[0x10]\nmov b32 $r1 a[0x14]\nadd f32 $r0 a[0x0] $r0\n"
        "add f32 $r1 a[0x4] $r1\nmov b32 o[0x0] $r0\n"
        "mov b32 o[0x4] $r1\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
        "mov b32 $r2 a[0x18]\ncvt rn f32 $r2 u32 $r2\nmov b32 $r3 0.2\nmul f32 $r2 $r2 $r3\n"
        "mov b32 $r4 1.0\nmov b32 o[0x10] $r2\nmov b32 o[0x14] $r4\n"
        "mov b32 o[0x18] $r4\nexit mov b32 o[0x1c] $r4\n";
    static const float offset[3][2] = {{-.5f, -.5f}, {.5f, -.5f}, {.5f, .5f}};
    fixture_bind(f, TP_VERTEX, text);
    fixture_vertices(f, square, 4);
    tp_buffer *offsets = fixture_buffer(f, sizeof offset, offset);
    OK(f, tp_bind_vertices(f->context, 1, offsets, 0, 8, 2));
    OK(f, tp_set_attribute(f->context, 1, 1, 0, 2, TP_FLOAT32));
    const struct tp_draw_info info = {.primitive = TP_QUADS, .count = 4, .instances = 6};
    OK(f, tp_draw(f->context, &info));
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE * 3 / 4);
    assert_int_equal(fixture_pixel(f, 8, SIZE - 8) & 0xff, 51);         /* instances 0 and 1 */
    assert_int_equal(fixture_pixel(f, SIZE - 8, SIZE - 8) & 0xff, 153); /* 2 and 3 */
    assert_int_equal(fixture_pixel(f, SIZE - 8, 8) & 0xff, 255);        /* 4 and 5 */
}

TEST(test_cull) {
    for (int k = 0; k < 8; k++) {
        const struct tp_raster_state r = {
            .cull_front = k & 1, .cull_back = k & 2, .front_clockwise = k & 4};
        FIXTURE(f, 1, NULL, SIZE);
        OK(&f, tp_set_raster(f.context, &r));
        fixture_draw(&f, TP_QUADS, square, 4); /* counterclockwise */
        fixture_read(&f);
        const bool gone = r.front_clockwise ? r.cull_back : r.cull_front;
        assert_int_equal(fixture_count(&f), gone ? 0 : SIZE * SIZE / 4);
    }
}

/* A quad's outline and corners have no diagonal. */
DRAW_TEST(test_polygon_mode, 1, SIZE) {
    struct tp_raster_state r = {.polygon_front = TP_POLYGON_LINE, .polygon_back = TP_POLYGON_FILL};
    OK(f, tp_set_raster(f->context, &r));
    fixture_draw(f, TP_QUADS, square, 4);
    fixture_read(f);
    assert_in_range(fixture_count(f), 4 * SIZE / 2 - 8, 4 * SIZE / 2 + 8);
    assert_int_equal(fixture_pixel(f, SIZE / 2, SIZE / 2), 0);
    r.polygon_front = TP_POLYGON_POINT;
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
    OK(f, tp_set_raster(f->context, &r));
    fixture_draw(f, TP_QUADS, square, 4);
    fixture_read(f);
    assert_int_equal(fixture_count(f), 4);
}

TEST(test_flat) {
    static const float v[3][8] = {
        {-1, 1, 0, 1, 1, 0, 0, 1}, {3, 1, 0, 1, 0, 1, 0, 1}, {-1, -3, 0, 1, 0, 0, 1, 1}};
    static const char text[] = ".interpolants position=w flat=4\ninterp $r0 flat v[0x4]\n"
                               "interp $r1 flat v[0x8]\ninterp $r2 flat v[0xc]\n"
                               "interp $r3 flat v[0x10]\nexit nop\n";
    for (int first = 0; first < 2; first++) {
        const struct tp_raster_state r = {.provoking_first = first};
        FIXTURE(f, 1, NULL, SIZE);
        fixture_bind(&f, TP_FRAGMENT, text);
        OK(&f, tp_set_raster(f.context, &r));
        fixture_draw(&f, TP_TRIANGLES, v, 3);
        fixture_read(&f);
        for (uint32_t i = 0; i < SIZE * SIZE; i++)
            assert_int_equal(fixture_pixel(&f, i % SIZE, i / SIZE),
                             first ? 0xff0000ff : 0xffff0000);
    }
}

static const char constant_fp[] =
    ".interpolants position=w\nmov b32 $r4 1.0\nmul f32 $r0 $r4 c0[0x0]\n"
    "mul f32 $r1 $r4 c0[0x4]\nmul f32 $r2 $r4 c0[0x8]\n"
    "mul f32 $r3 $r4 c0[0xc]\nexit nop\n";

/* A draw uses the constants of the time of its call, even if it runs later. */
DRAW_TEST(test_constants, 2, SIZE) {
    fixture_bind(f, TP_FRAGMENT, constant_fp);
    fixture_vertices(f, square, 4);
    tp_buffer *buffer = fixture_buffer(f, 256, NULL);
    for (uint32_t i = 0; i < 8; i++) {
        const float color[4] = {(float)i / 255, 1, 0, 1};
        OK(f, tp_set_scissor(f->context, 0, 16 + 4 * i, 16, 4, 32));
        if (i & 1) {
            OK(f, tp_buffer_write(f->context, buffer, 0, color, sizeof color));
            OK(f, tp_bind_constants(f->context, TP_FRAGMENT, 0, buffer, 0, 16));
        } else {
            OK(f, tp_set_constants(f->context, TP_FRAGMENT, 0, color, sizeof color));
        }
        OK(f, tp_draw_arrays(f->context, TP_QUADS, 0, 4));
    }
    fixture_read(f);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(fixture_pixel(f, 16 + 4 * i, 20), 0xff00ff00 | i);
}

/* New contents of a bound buffer apply to the next draw, even without a change of state. */
DRAW_TEST(test_constants_in_place, 2, SIZE) {
    fixture_bind(f, TP_FRAGMENT, constant_fp);
    tp_buffer *buffer = fixture_buffer(f, 256, NULL);
    OK(f, tp_bind_constants(f->context, TP_FRAGMENT, 0, buffer, 0, 256));
    OK(f, tp_set_blend(f->context, TP_ALL_TARGETS, &fixture_add));
    fixture_vertices(f, square, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const float color[4] = {(float)(1u << i) / 255, 0, 0, 0};
        OK(f, tp_buffer_write(f->context, buffer, 0, color, sizeof color));
        OK(f, tp_draw_arrays(f->context, TP_QUADS, 0, 4));
    }
    fixture_read(f);
    assert_int_equal(fixture_pixel(f, SIZE / 2, SIZE / 2), 15);
}

/* A write to any word that the program reads applies to the next draw; other words have no
 * effect. */
DRAW_TEST(test_words_in_place, 1, SIZE) {
    const float none[4] = {0}, one = 1;
    fixture_bind(f, TP_FRAGMENT, constant_fp);
    tp_buffer *buffer = fixture_buffer(f, 256, NULL);
    OK(f, tp_bind_constants(f->context, TP_FRAGMENT, 0, buffer, 0, 256));
    fixture_vertices(f, square, 4);
    for (uint32_t word = 0; word < 6; word++) {
        OK(f, tp_buffer_write(f->context, buffer, 0, none, sizeof none));
        OK(f, tp_draw_arrays(f->context, TP_QUADS, 0, 4));
        OK(f, tp_buffer_write(f->context, buffer, 4 * word, &one, 4));
        OK(f, tp_draw_arrays(f->context, TP_QUADS, 0, 4));
        fixture_read(f);
        const uint32_t pixel = fixture_pixel(f, SIZE / 2, SIZE / 2);
        if (pixel != (word < 4 ? 0xffu << 8 * word : 0))
            fail_msg("word %u: %08x", word, pixel);
    }
}

/* A texture is drawn, sampled by the next draw, then overwritten by the host: the draw sees the
 * drawn texels. */
DRAW_TEST(test_render_to_texture, 2, SIZE) {
    static const char text[] =
        ".interpolants position=xyw\n"
        "interp $r0 v[0x0]\ninterp $r1 v[0x4]\n"
        "mov b32 $r2 0.015625\nmul f32 $r0 $r0 $r2\n"
        "mul f32 $r1 $r1 $r2\ntexauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";
    tp_texture *source = fixture_picture(f, TP_FORMAT_RGBA8, SIZE, SIZE);
    OK(f, tp_set_target(f->context, source, NULL));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
    fixture_draw(f, TP_QUADS, square, 4);
    OK(f, tp_set_target(f->context, f->color, NULL));
    tp_program *fp = fixture_bind(f, TP_FRAGMENT, text);
    OK(f, tp_bind_texture(f->context, TP_FRAGMENT, 0, source, NULL));
    static const float whole[3][8] = {AT(-1, 1), AT(3, 1), AT(-1, -3)};
    fixture_draw(f, TP_TRIANGLES, whole, 3);
    uint32_t *red = malloc(SIZE * SIZE * 4);
    for (int i = 0; i < SIZE * SIZE; i++)
        red[i] = RED;
    OK(f, tp_texture_write(f->context, source, 0, 0, red, SIZE * 4)); /* after the draw */
    OK(f, tp_bind_texture(f->context, TP_FRAGMENT, 0, NULL, NULL));
    assert_square(f);
    /* sampling the target itself: the earlier draw is finished first, so copying the target changes
     * nothing */
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 0, 0));
    OK(f, tp_finish(f->context));
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    fixture_draw(f, TP_QUADS, square, 4);
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, fp));
    OK(f, tp_bind_texture(f->context, TP_FRAGMENT, 0, f->color, NULL));
    fixture_draw(f, TP_TRIANGLES, whole, 3);
    assert_square(f);
    free(red);
}

DRAW_TEST(test_clear_and_query, 2, SIZE) {
    const float red[4] = {1, 0, 0, 1};
    struct tp_statistics s;
    uint64_t samples;
    fixture_draw(f, TP_QUADS, square, 4);
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, red, 1, 0));
    fixture_read(f);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(fixture_pixel(f, i % SIZE, i / SIZE), RED);
    OK(f, tp_get_statistics(f->context, &s));
    assert_int_equal(s.fragments, 0); /* the clear hides the draw, so the draw is left out */
    OK(f, tp_query_begin(f->context));
    assert_int_equal(tp_query_begin(f->context), TP_ERROR_INVALID);
    OK(f, tp_draw_arrays(f->context, TP_QUADS, 0, 4));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, red, 1, 0));
    OK(f, tp_query_end(f->context, &samples));
    assert_int_equal(samples, SIZE * SIZE / 4);
}

/* ---- determinism ---- */

static float rnd(void) {
    return (float)(random_word() >> 8) / 0x1p24f;
}

/* Overlapping, blended, depth-tested primitives of all classes, in many small draws and one large
 * draw. */
static uint32_t picture(int threads, const char *simd, const char *engine,
                        struct tp_statistics *s) {
    enum { N = 9000 };
    FIXTURE_ENGINE(f, threads, simd, engine, 200);
    float(*v)[8] = malloc(N * sizeof *v);
    random_start(7);
    for (int i = 0; i < N; i++) {
        const float cx = rnd() * 2 - 1, cy = rnd() * 2 - 1, r = i % 90 < 3 ? 2 : .1f;
        for (int k = 0; k < 8; k++)
            v[i][k] = k == 0 ? cx : k == 1 ? cy : k == 3 ? .2f + rnd() : rnd();
        if (i % 3)
            for (int k = 0; k < 2; k++)
                v[i][k] = v[i - i % 3][k] + r * (rnd() - .5f);
    }
    fixture_vertices(&f, v, N);
    const struct tp_blend_target blend = {.enable = true,
                                          .src_rgb = TP_SRC_ALPHA,
                                          .dst_rgb = TP_ONE_MINUS_SRC_ALPHA,
                                          .src_alpha = TP_FACTOR_ONE,
                                          .dst_alpha = TP_FACTOR_ONE};
    fixture_depth(&f, TP_LESS);
    OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, N));
    OK(&f, tp_set_blend(f.context, TP_ALL_TARGETS, &blend));
    for (uint32_t i = 0; i < 300; i++)
        OK(&f,
           tp_draw_arrays(f.context, i % 3 == 2 ? TP_TRIANGLE_STRIP : (enum tp_primitive)(i % 3),
                          7 * i, 9));
    fixture_read(&f);
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < 200 * 200 * 4; i++)
        hash = (hash ^ f.pixels[i]) * 16777619u;
    OK(&f, tp_get_statistics(f.context, s));
    free(v);
    return hash;
}

TEST(test_determinism) {
    static const int threads[] = {1, 2, 5};
    static const char *const levels[] = {"base", "avx2", "avx512"};
    struct tp_statistics first, s;
    const uint32_t hash = picture(1, "base", "interp", &first);
    assert_true(first.fragments > 100000);
    for (int t = 0; t < 3; t++) {
        for (int l = 0; l < 3; l++) {
            tp_device *probe;
            const struct tp_device_info info = {.threads = 1, .simd = levels[l]};
            if (tp_device_create(&info, &probe) != TP_OK)
                continue; /* this CPU lacks the level */
            tp_device_destroy(probe);
            assert_int_equal(picture(threads[t], levels[l], NULL, &s), hash);
            assert_int_equal(s.fragments, first.fragments);
            assert_int_equal(s.fragment_warps, first.fragment_warps);
            assert_int_equal(s.instructions, first.instructions);
            assert_int_equal(s.primitives, first.primitives);
        }
    }
}

/* Every count and pixel is the same with native code. */
TEST(test_engines) {
    const struct tp_device_info info = {.engine = "native"};
    struct tp_statistics first, s;
    tp_device *device;
    OK(&(struct fixture){0}, tp_device_create(NULL, &device));
    const bool has_native = strcmp(tp_device_engine(device), "native") == 0;
    assert_true(has_native || strcmp(tp_device_engine(device), "interp") == 0);
    tp_device_destroy(device);
    assert_int_equal(tp_device_create(&info, &device), has_native ? TP_OK : TP_ERROR_INVALID);
    tp_device_destroy(device);
    if (!has_native)
        skip();
    const uint32_t hash = picture(1, NULL, "interp", &first);
    assert_int_equal(first.programs_compiled, 0);
    assert_int_equal(picture(2, NULL, "native", &s), hash);
    assert_int_equal(s.programs_compiled, 2);
    assert_true(s.compile_nanoseconds > 0);
    assert_memory_equal(&s, &first, offsetof(struct tp_statistics, memory_now));
}

/* ---- bad input ---- */

#define FAILS(f, call, text)                                                                       \
    do {                                                                                           \
        assert_int_equal(call, TP_ERROR_INVALID);                                                  \
        if (!strstr(tp_message((f)->device), text))                                                \
            fail_msg("%s: '%s' lacks '%s'", #call, tp_message((f)->device), text);                 \
    } while (0)

TEST(test_bad_device) {
    tp_device *device;
    struct tp_device_info info = {.chip = (enum tp_chip)9};
    assert_int_equal(tp_device_create(&info, &device), TP_ERROR_INVALID);
    assert_non_null(strstr(tp_message(NULL), "chip"));
    info = (struct tp_device_info){.simd = "sse9"};
    assert_int_equal(tp_device_create(&info, &device), TP_ERROR_INVALID);
    assert_non_null(strstr(tp_message(NULL), "sse9"));
    info = (struct tp_device_info){.threads = -1};
    assert_int_equal(tp_device_create(&info, &device), TP_ERROR_INVALID);
    assert_non_null(strstr(tp_message(NULL), "threads"));
    info = (struct tp_device_info){.engine = "magic"};
    assert_int_equal(tp_device_create(&info, &device), TP_ERROR_INVALID);
    assert_non_null(strstr(tp_message(NULL), "interp or native"));
    info = (struct tp_device_info){.arithmetic = (enum tp_arithmetic)2};
    assert_int_equal(tp_device_create(&info, &device), TP_ERROR_INVALID);
    assert_non_null(strstr(tp_message(NULL), "unknown arithmetic 2"));
    assert_null(device);
}

DRAW_TEST(test_bad_draws, 1, SIZE) {
    tp_context *c = f->context;
    fixture_vertices(f, square, 4);
    const struct tp_depth_state depth = {.test = true, .func = TP_LESS};
    const struct tp_stencil_state stencil = {.test = true};
    OK(f, tp_set_depth(c, &depth));
    OK(f, tp_set_target(c, f->color, NULL));
    FAILS(f, tp_draw_arrays(c, TP_QUADS, 0, 4), "no zeta target");
    OK(f, tp_set_depth(c, &(struct tp_depth_state){0}));
    OK(f, tp_set_stencil(c, &stencil));
    FAILS(f, tp_draw_arrays(c, TP_QUADS, 0, 4), "stencil");
    OK(f, tp_set_stencil(c, &(struct tp_stencil_state){0}));
    OK(f, tp_set_target(c, NULL, NULL));
    FAILS(f, tp_draw_arrays(c, TP_QUADS, 0, 4), "without a target");
    FAILS(f, tp_clear(c, TP_CLEAR_DEPTH, NULL, 1, 0), "no zeta target");
    FAILS(f, tp_set_target(c, f->zeta, NULL), "depth format");
    OK(f, tp_set_target(c, f->color, NULL));
    OK(f, tp_bind_program(c, TP_FRAGMENT, NULL));
    FAILS(f, tp_draw_arrays(c, TP_QUADS, 0, 4), "no fragment program");
    OK(f, tp_bind_program(c, TP_FRAGMENT, f->fp));
    OK(f, tp_bind_program(c, TP_VERTEX, NULL));
    FAILS(f, tp_draw_arrays(c, TP_QUADS, 0, 4), "no vertex program");
    OK(f, tp_bind_program(c, TP_VERTEX, f->vp));
    FAILS(f, tp_draw_arrays(c, (enum tp_primitive)15, 0, 4), "primitive 15");
    const struct tp_draw_info beyond =
        DRAW_INFO(TP_POINTS, 100, .index_buffer = f->vertices, .index_type = TP_INDEX_U32);
    FAILS(f, tp_draw(c, &beyond), "index buffer");
    OK(f, tp_draw_arrays(c, TP_QUADS, 0, 4)); /* a correct draw works again */
    assert_square(f);
}

DRAW_TEST(test_bad_objects, 1, SIZE) {
    tp_context *c = f->context;
    tp_buffer *b;
    tp_texture *t;
    tp_program *p;
    struct tp_texture_info info = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = 8193, .height = 1};
    FAILS(f, tp_buffer_create(f->device, 0, NULL, &b), "0 bytes");
    assert_int_equal(tp_buffer_create(f->device, UINT64_C(1) << 50, NULL, &b), TP_ERROR_MEMORY);
    FAILS(f, tp_texture_create(f->device, &info, &t), "width 8193");
    info.width = 16;
    info.samples = 3;
    FAILS(f, tp_texture_create(f->device, &info, &t), "3 samples");
    info.samples = 1;
    info.format = (enum tp_format)99;
    FAILS(f, tp_texture_create(f->device, &info, &t), "format 99");
    FAILS(f, tp_texture_read(c, f->color, 1, 0, f->pixels, 4 * SIZE), "level 1");
    FAILS(f, tp_texture_read(c, f->color, 0, 0, f->pixels, 4), "rows of 4 bytes");
    b = fixture_buffer(f, 16, NULL);
    FAILS(f, tp_buffer_write(c, b, 8, f->pixels, 9), "buffer of 16 bytes");
    FAILS(f, tp_buffer_read(c, b, UINT64_MAX, f->pixels, 2), "buffer of 16 bytes");
    FAILS(f, tp_bind_constants(c, TP_VERTEX, 0, b, 1, 4), "multiple of 256");
    FAILS(f, tp_bind_vertices(c, 16, b, 0, 4, 0), "vertex array 16");
    FAILS(f, tp_set_attribute(c, 0, 0, 0, 5, TP_FLOAT32), "5 components");
    FAILS(f, tp_bind_texture(c, TP_FRAGMENT, 16, f->color, NULL), "slot 16");
    FAILS(f, tp_set_blend(c, 8, &(struct tp_blend_target){0}), "target 8");
    FAILS(f, tp_dispatch(c, (uint32_t[]){1, 1}, (uint32_t[]){1, 1, 1}, NULL, 0), "compute program");
    assert_int_equal(tp_program_from_text(f->device, TP_VERTEX, "frob $r0\n", "bad.vp", &p),
                     TP_ERROR_PROGRAM);
    assert_non_null(strstr(tp_message(f->device), "bad.vp:1"));
    assert_int_equal(tp_program_from_file(f->device, "/nowhere/x.vp", &p), TP_ERROR_IO);
}

static void assert_trap(struct fixture *f, const char *text, const char *more) {
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    const char *m = tp_message(f->device);
    if (!strstr(m, text) || !strstr(m, more) || !strstr(m, "test"))
        fail_msg("'%s' lacks '%s' or '%s'", m, text, more);
    assert_string_equal(f->log, m);
    OK(f, tp_finish(f->context)); /* the failure is reported once */
}

TEST(test_traps) {
    for (int threads = 1; threads < 4; threads += 2) {
        FIXTURE(f, threads, NULL, SIZE);
        fixture_bind(&f, TP_VERTEX, "again:\nmov b32 o[0xc] $r1\nbra #again\n");
        fixture_draw(&f, TP_QUADS, square, 4);
        assert_trap(&f, "TIMEOUT", "vertex program");
        OK(&f, tp_bind_program(f.context, TP_VERTEX, f.vp));
        fixture_bind(&f, TP_FRAGMENT, "trap\nexit nop\n");
        OK(&f, tp_draw_arrays(f.context, TP_QUADS, 0, 4));
        assert_trap(&f, "fragment program", "at 0x0");
        OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
        OK(&f, tp_draw_arrays(f.context, TP_QUADS, 0, 4));
        assert_square(&f);
    }
}

/* A draw that is far larger than the bins of one tile pass. */
DRAW_TEST(test_large, 2, SIZE) {
    struct tp_statistics s;
    fixture_vertices(f, square_list, 6);
    const struct tp_draw_info info = {.primitive = TP_TRIANGLES, .count = 6, .instances = 100000};
    const struct tp_raster_state tiny = {0};
    const float scale[3] = {1, -1, .5f}, at[3] = {32, 32, .5f};
    OK(f, tp_set_raster(f->context, &tiny));
    OK(f, tp_set_viewport_transform(f->context, 0, scale, at));
    OK(f, tp_draw(f->context, &info));
    fixture_read(f);
    assert_int_equal(fixture_count(f), 1);
    OK(f, tp_get_statistics(f->context, &s));
    assert_int_equal(s.primitives, 200000);
    assert_int_equal(s.vertices, 600000);
}
