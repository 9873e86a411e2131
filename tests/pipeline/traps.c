/* Draws whose program fails: picture, samples and the reported failure are those of one thread, for
 * any number of threads and in every repetition. Draws in which every warp uses up its budget end
 * soon and do not affect other draws. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 500, TRIANGLES = 5000, CALLS = 3 };

/* Fails where a random vertex or fragment value is above the limit in c0[0x0]. */
static const char fragile_vp[] = ".attr 0 xyzw\n.attr 1 xyzw\n"
                                 ".output position o[0x0]\n.output varying o[0x10] 4\n"
                                 "mov b32 $r0 a[0x1c]\n"
                                 "set $c0 # g f32 $r0 c0[0x0]\n(lg $c0) bra #fail\n"
                                 "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
                                 "mov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
                                 "mov b32 o[0x10] a[0x10]\nmov b32 o[0x14] a[0x14]\n"
                                 "mov b32 o[0x18] a[0x18]\nexit mov b32 o[0x1c] a[0x1c]\n"
                                 "fail: trap\n";
static const char fragile_fp[] = ".interpolants position=w smooth=4\n"
                                 "interp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
                                 "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
                                 "interp $r2 v[0xc] $r4\ninterp $r3 v[0x10] $r4\n"
                                 "set $c0 # g f32 $r3 c0[0x0]\n(lg $c0) bra #fail\n"
                                 "exit nop\n"
                                 "fail: trap\n";
static const char endless_fp[] = ".interpolants position=w smooth=4\n"
                                 "again: add f32 $r0 $r0 $r1\nbra #again\n";

static float v[3 * TRIANGLES][8];

static void make_vertices(void) {
    uint64_t seed = 11;
    for (int i = 0; i < 3 * TRIANGLES; i++)
        for (int k = 0; k < 8; k++) {
            const float f = random_float(&seed, 0, 1);
            /* small triangles all over the target */
            v[i][k] = k == 3 ? 1 : k > 1 ? f : i % 3 ? v[i / 3 * 3][k] + .2f * f : 2.2f * f - 1.2f;
        }
}

struct outcome {
    uint8_t *pixels;
    uint64_t samples;
    char message[512];
};

/* CALLS draws of the same state with a program that fails in some warps; then a draw of 100
 * triangles that does not fail. */
static void draw_fragile(struct outcome *o, int threads, enum tp_stage stage, const char *text,
                         float limit) {
    FIXTURE(f, threads, NULL, SIZE);
    fixture_depth(&f, TP_LESS);
    fixture_vertices(&f, v, 3 * TRIANGLES);
    fixture_bind(&f, stage, text);
    OK(&f, tp_set_constants(f.context, stage, 0, &limit, sizeof limit));
    OK(&f, tp_query_begin(f.context));
    for (int i = 0; i < CALLS; i++)
        OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3 * TRIANGLES));
    OK(&f, tp_bind_program(f.context, TP_VERTEX, f.vp));
    OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
    OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 300));
    OK(&f, tp_query_end(f.context, &o->samples));
    assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
    snprintf(o->message, sizeof o->message, "%s", tp_message(f.device));
    fixture_read(&f);
    o->pixels = f.pixels;
    f.pixels = NULL;
}

static void check_same(enum tp_stage stage, const char *text, float limit) {
    static const int threads[] = {1, 2, 5, 8, 16};
    struct outcome one = {0};
    draw_fragile(&one, 1, stage, text, limit);
    for (int i = 0; i < 15; i++) {
        struct outcome o;
        draw_fragile(&o, threads[i % 5], stage, text, limit);
        assert_memory_equal(o.pixels, one.pixels, SIZE * SIZE * 4);
        assert_int_equal(o.samples, one.samples);
        assert_string_equal(o.message, one.message);
        free(o.pixels);
    }
    struct outcome whole;
    /* with another limit, other warps fail: another picture */
    draw_fragile(&whole, 1, stage, text, .9998f);
    assert_memory_not_equal(whole.pixels, one.pixels, SIZE * SIZE * 4);
    free(whole.pixels);
    free(one.pixels);
}

TEST(test_fragments) {
    check_same(TP_FRAGMENT, fragile_fp, .995f);
}

TEST(test_vertices) {
    check_same(TP_VERTEX, fragile_vp, .9995f);
}

static void put_corner(float (*at)[8], float from, float to, float alpha) {
    const float xy[3][2] = {{from, from}, {to, from}, {from, to}};
    for (int i = 0; i < 3; i++)
        memcpy(at[i], (float[8]){xy[i][0], xy[i][1], 0, 1, 1, 1, 1, alpha}, sizeof at[i]);
}

/* The first triangle fails. Its tile gets no later triangle of the draw, not even from a much later
 * chunk. Other tiles get all their triangles, and the next draw is complete. */
DRAW_TEST(test_rest_of_the_draw, 2, SIZE) {
    enum { N = 4000 };
    static float list[3 * N][8];
    const float limit = .5f;
    for (int i = 0; i < N; i++)
        put_corner(list + 3 * i, .95f, .85f, .2f);
    put_corner(list, -.95f, -.85f, 1);
    put_corner(list + 3 * (N - 1), -.95f, -.85f, .2f);
    fixture_bind(f, TP_FRAGMENT, fragile_fp);
    OK(f, tp_set_constants(f->context, TP_FRAGMENT, 0, &limit, sizeof limit));
    fixture_draw(f, TP_TRIANGLES, (const float(*)[8])list, 3 * N);
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    fixture_read(f);
    const uint32_t low = SIZE / 2 * 6 / 100, high = SIZE - low - 1;
    assert_int_not_equal(fixture_pixel(f, high, low), 0);
    assert_int_equal(fixture_pixel(f, low, high), 0);
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 3 * (N - 1), 3));
    OK(f, tp_finish(f->context));
    fixture_read(f);
    assert_int_not_equal(fixture_pixel(f, low, high), 0);
}

/* Small draws of one state, which may be prepared together. A draw with failing vertices draws
 * nothing. The draws before and after it are complete. */
TEST(test_neighbours_of_a_failed_draw) {
    enum { DRAWS = 7, CELL = SIZE / DRAWS };
    const float limit = .5f;
    for (unsigned failing = 0; failing < 1 << DRAWS; failing += 5) {
        float list[DRAWS][3][8];
        FIXTURE(f, 2, NULL, SIZE);
        fixture_bind(&f, TP_VERTEX, fragile_vp);
        OK(&f, tp_set_constants(f.context, TP_VERTEX, 0, &limit, sizeof limit));
        for (unsigned i = 0; i < DRAWS; i++) {
            const float from = 2.f * (float)i / DRAWS - 1, alpha = failing >> i & 1 ? 1 : .2f;
            put_corner(list[i], from, from + 2.f / DRAWS, alpha);
        }
        fixture_vertices(&f, (const float(*)[8])list, 3 * DRAWS);
        for (unsigned i = 0; i < DRAWS; i++)
            OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 3 * i, 3));
        assert_int_equal(tp_finish(f.context), failing ? TP_ERROR_TRAP : TP_OK);
        fixture_read(&f);
        for (unsigned i = 0; i < DRAWS; i++) {
            const uint32_t x = i * CELL + CELL / 4, y = SIZE - 1 - x;
            if ((fixture_pixel(&f, x, y) != 0) != !(failing >> i & 1))
                fail_msg("failing %x: draw %u is %08x", failing, i, fixture_pixel(&f, x, y));
        }
    }
}

/* Small draws of one state in one tile; the fragments of some fail. A failing draw draws nothing.
 * Draws behind it are complete, and no draw is drawn twice. A draw that shares its last warp with a
 * failing next draw may be lost, too. */
TEST(test_neighbours_of_failed_fragments) {
    enum { DRAWS = 7, SMALL = 64, CELL = SMALL / 8 };
    const float limit = .5f;
    for (unsigned failing = 0; failing < 1 << DRAWS; failing++) {
        float list[DRAWS][3][8];
        FIXTURE(f, 1, NULL, SMALL);
        fixture_bind(&f, TP_FRAGMENT, fragile_fp);
        OK(&f, tp_set_constants(f.context, TP_FRAGMENT, 0, &limit, sizeof limit));
        OK(&f, tp_set_blend(f.context, 0, &fixture_add));
        for (unsigned i = 0; i < DRAWS; i++) {
            const float from = 2.f * (float)i / 8 - 1;
            put_corner(list[i], from, from + 2.f / 8, failing >> i & 1 ? 1 : .2f);
            for (int k = 0; k < 3; k++)
                for (int c = 4; c < 7; c++)
                    list[i][k][c] = .2f;
        }
        fixture_vertices(&f, (const float(*)[8])list, 3 * DRAWS);
        for (unsigned i = 0; i < DRAWS; i++)
            OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 3 * i, 3));
        assert_int_equal(tp_finish(f.context), failing ? TP_ERROR_TRAP : TP_OK);
        fixture_read(&f);
        for (unsigned i = 0; i < DRAWS; i++) {
            const uint32_t x = i * CELL + CELL / 4, y = SMALL - 1 - x;
            const uint32_t want = failing >> i & 1 ? 0 : 0x33333333, got = fixture_pixel(&f, x, y);
            if (got != want && (got || !(failing >> (i + 1) & 1)))
                fail_msg("failing %x: draw %u is %08x", failing, i, got);
        }
    }
}

/* A failure is reported once, by tp_finish() and in the log, with program, error and address. Of
 * several failing draws the earliest is reported, and the same holds for grids. A grid's failure is
 * reported after that of a draw. */
TEST(test_what_is_told) {
    static const char rest_fp[] =
        "mov b32 $r0 1.0\nmov b32 $r1 1.0\nmov b32 $r2 1.0\nmov b32 $r3 1.0\ntrap\nexit nop\n";
    static const char trap_vp[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\ntrap\nexit nop\n";
    static const char trap_gp[] =
        ".primitive points\n.vertices 1\n.output position o[0x0]\n"
        ".output varying o[0x10] 4\nmov b32 $r0 1.0\nmov b32 $r1 1.0\ntrap\nemit\nexit nop\n";
    static const char trap_cp[] = "mov b32 $r0 1.0\ntrap\nexit nop\n";
    static const struct {
        enum tp_stage stage;
        const char *text, *want;
        uint32_t at;
    } rows[] = {{TP_VERTEX, trap_vp, "vertex program test: ", 0},
                {TP_GEOMETRY, trap_gp, "geometry program test: ", 16},
                {TP_FRAGMENT, rest_fp, "fragment program test: ", 32},
                {TP_COMPUTE, trap_cp, "compute program test: ", 8}};
    static const float screen[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    static const uint32_t grid[3] = {1, 1, 1}, block[2][3] = {{7, 1, 1}, {9, 1, 1}};
    for (unsigned first = 0; first < 4; first++)
        for (unsigned second = 0; second < 4; second++) {
            FIXTURE(f, 2, NULL, 32);
            fixture_vertices(&f, screen, 3);
            for (int i = 0; i < 2; i++) {
                const unsigned r = i ? second : first;
                fixture_bind(&f, rows[r].stage, rows[r].text);
                if (rows[r].stage == TP_COMPUTE)
                    OK(&f, context_dispatch(f.context, grid, block[i], NULL, 0));
                else
                    OK(&f, tp_draw_arrays(f.context,
                                          TP_POINTS + (rows[r].stage != TP_GEOMETRY) * TP_TRIANGLES,
                                          0, 3));
                OK(&f, tp_bind_program(f.context, TP_GEOMETRY, NULL));
                OK(&f, tp_bind_program(f.context, TP_VERTEX, f.vp));
                OK(&f, tp_bind_program(f.context, TP_FRAGMENT, f.fp));
                OK(&f, tp_bind_program(f.context, TP_COMPUTE, NULL));
            }
            /* of two draws or two grids the first; a grid after a draw */
            const bool grids[2] = {first == 3, second == 3};
            const unsigned told[2] = {grids[0] && !grids[1] ? second : first,
                                      grids[0] ? first : second};
            const int count = grids[0] != grids[1] ? 2 : 1;
            for (int i = 0; i < count; i++) {
                char want[200];
                *f.log = 0;
                assert_int_equal(tp_finish(f.context), TP_ERROR_TRAP);
                snprintf(want, sizeof want,
                         "%sDECODE_ERROR TRAP_INSTRUCTION at 0x%x, warp 0, lanes 0x",
                         rows[told[i]].want, rows[told[i]].at);
                if (told[i] == 3) /* the threads of the first failing launch */
                    strcat(want, grids[0] ? "0000007f" : "000001ff");
                if (strncmp(tp_message(f.device), want, strlen(want)) != 0)
                    fail_msg("%u, then %u: '%s', not '%s'", first, second, tp_message(f.device),
                             want);
                assert_string_equal(f.log, tp_message(f.device));
            }
            OK(&f, tp_finish(f.context));
        }
}

/* Many draws cover all tiles, and no warp ends by itself. A tile spends one budget, not a budget
 * for each draw. Later draws of another program over the same tiles are complete. */
DRAW_TEST(test_endless, 2, SIZE) {
    enum { DRAWS = 20, TILES = 8 * 8, BUDGET = 1 << 22 };
    static const float screen[4][8] = {{-1, -1, 0, 1, 1, 1, 1, 1},
                                       {1, -1, 0, 1, 1, 1, 1, 1},
                                       {1, 1, 0, 1, 1, 1, 1, 1},
                                       {-1, 1, 0, 1, 1, 1, 1, 1}};
    struct tp_statistics s;
    fixture_bind(f, TP_FRAGMENT, endless_fp);
    fixture_vertices(f, v, 3 * TRIANGLES);
    for (int i = 0; i < DRAWS; i++)
        OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3 * TRIANGLES));
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    assert_non_null(strstr(tp_message(f->device), "TIMEOUT"));
    OK(f, tp_get_statistics(f->context, &s));
    assert_in_range(s.instructions, (uint64_t)TILES * BUDGET, (uint64_t)TILES * BUDGET * 5 / 4);

    tp_reset_statistics(f->context);
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3 * TRIANGLES));
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    fixture_draw(f, TP_QUADS, screen, 4);
    assert_int_equal(tp_finish(f->context), TP_ERROR_TRAP);
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
}

BEFORE_TESTS {
    make_vertices();
    return 0;
}
