/* A program that computes the same in every pixel runs once a tile. Picture and counters must be
 * those of a draw in which every warp runs the program. */
#include "tests/raster/fixture.h"

enum { SIZE = 136 }; /* two tiles and a part of a third */

static struct op code[2];
static uint8_t reached[] = {1, 1};
static uint32_t runs;

static void constant_color(struct warp *w) {
    for (int i = 0; i < 8; i++) /* some values are beyond 0 and 1 */
        w->r[i] =
            (u32x32)lanes_splat_f(i % 4 == 1 ? 1.5f * (float)(i - 3) : 0.1f + 0.11f * (float)i);
    w->stats.instructions += 3;
    w->stats.lane_instructions += 3 * (uint32_t)__builtin_popcount(w->active);
    runs++;
}

/* Writes mov $r0 c0[0]; exit nop, or a mov with a source that differs from lane to lane. */
static void write_program(struct fixture *f, uint8_t file) {
    code[0] = (struct op){.code = OP_MOV,
                          .words = 1,
                          .pred = PRED_ALWAYS,
                          .guard = PRED_TRUE,
                          .lane_mask4 = 0xf,
                          .dst = {.file = FILE_R},
                          .src = {{.file = file}}};
    code[1] = (struct op){
        .code = OP_NOP, .words = 1, .pred = PRED_ALWAYS, .guard = PRED_TRUE, .exit = true};
    f->program.ops = code;
    f->program.word_count = 2;
    f->program.reached = reached;
    program_find_facts(&f->program);
}

static void randomize_state(struct fixture *f, uint64_t *seed) {
    static const uint16_t factors[] = {BLEND_ONE, BLEND_ZERO, BLEND_SRC_ALPHA,
                                       BLEND_ONE_MINUS_SRC_ALPHA, BLEND_DST_COLOR};
    struct raster_state *s = &f->state;
    s->multiple_results = random_next(seed) & 1;
    for (int i = 0; i < 2; i++) {
        const uint16_t src = factors[random_next(seed) % 5], dst = factors[random_next(seed) % 5];
        s->color.mask[i] = random_next(seed) % 4 ? 15 : (uint8_t)(random_next(seed) & 15);
        s->color.blend[i] = (struct blend_target){random_next(seed) & 1, EQUATION_ADD, src, dst,
                                                  EQUATION_ADD,          src,          dst};
    }
    s->color.clamp = random_next(seed) & 3;
    s->sample.count = random_next(seed) & 1;
    s->sample.shading = random_next(seed) % 4 == 0;
    if (random_next(seed) % 4 == 0)
        s->sample.mask = (uint32_t)random_next(seed);
    s->color.alpha_test = random_next(seed) % 4 == 0;
    s->color.alpha_func = random_next(seed) & 1 ? FUNC_GREATER : FUNC_LESS;
    s->color.alpha_ref = 0.4f;
    s->color.alpha_to_coverage = random_next(seed) % 8 == 0;
    s->color.alpha_to_one = random_next(seed) % 8 == 0;
    s->zeta.depth_test = random_next(seed) % 3 == 0;
    s->zeta.depth_write = random_next(seed) & 1;
    s->zeta.depth_func = FUNC_LESS;
}

/* A few triangles and a rectangle that covers the picture. */
static void random_scene(struct fixture *f, uint64_t *seed, struct raster_prim *prim[6]) {
    rectangle(f, 0, 0, SIZE, SIZE, 0.5f, prim);
    for (int i = 2; i < 6; i++) {
        struct raster_vertex v[3];
        const float size = i == 5 ? 60000 : i == 4 ? 8 * SIZE : SIZE;
        for (int k = 0; k < 3; k++)
            v[k] = vertex_near(seed, SIZE / 2, SIZE / 2, size + SIZE / 2, 0, 1);
        if (i == 5)
            aim_edge(v, SIZE, SIZE, seed);
        prim[i] = triangle(f, v);
    }
}

static void draw(struct fixture *f, enum simd_level level, uint64_t seed, uint32_t samples,
                 uint8_t file) {
    fixture_init(f, SIZE, SIZE, samples);
    f->simd = level;
    fixture_color(f, random_next(&seed) & 1 ? FORMAT_RGBA8_UNORM : FORMAT_RGBA16_FLOAT, false);
    fixture_color(f, FORMAT_BGRA8_UNORM, random_next(&seed) & 1);
    fixture_zeta(f, FORMAT_Z24S8, false);
    for (int i = 0; i < 2; i++)
        memset(f->targets.color[i].data, 0x37, f->targets.color[i].size);
    memset(f->targets.zeta.data, 0xa9, f->targets.zeta.size);
    randomize_state(f, &seed);
    write_program(f, file);
    struct raster_prim *prim[6];
    random_scene(f, &seed, prim);
    fragment_stage = constant_color;
    runs = 0;
    fixture_draw(f, prim, 6);
}

TEST(test_same_as_running_every_warp) {
    for (uint64_t seed = 1; seed < 400; seed++) {
        struct fixture every, once;
        const uint32_t samples = seed % 3 ? 1 : 4;
        draw(&every, simd_best(), seed, samples, FILE_VARYING);
        const uint32_t all_runs = runs;
        draw(&once, (enum simd_level)(seed % (simd_best() + 1)), seed, samples, FILE_CONST);
        assert_true(runs <= all_runs);
        if (!once.state.color.alpha_to_one)
            assert_true(runs <= 9); /* nine tiles */
        assert_memory_equal(&every.counters, &once.counters, sizeof every.counters);
        for (int i = 0; i < 2; i++)
            assert_memory_equal(every.targets.color[i].data, once.targets.color[i].data,
                                once.targets.color[i].size);
        assert_memory_equal(every.targets.zeta.data, once.targets.zeta.data,
                            once.targets.zeta.size);
        fixture_free(&every);
        fixture_free(&once);
    }
}

static uint32_t samples_seen;

static void see_samples(struct warp *w) {
    samples_seen |= 1u << w->sample_id;
}

/* With sample shading, a program runs once for each sample and knows the sample's number; otherwise
 * it runs once, as sample 0. */
TEST(test_sample_numbers) {
    for (int i = 0; i < 12; i++) {
        struct raster_prim *prim[2];
        const uint32_t samples = 1u << (i % 4);
        FIXTURE(f, fixture_init, TILE_SIZE, TILE_SIZE, samples);
        f.simd = (enum simd_level)((unsigned)i % (simd_best() + 1u));
        fixture_color(&f, FORMAT_RGBA8_UNORM, false);
        write_program(&f, FILE_VARYING);
        f.state.sample.shading = i / 4 == 1;
        f.state.exports_sample_mask = i / 4 == 2;
        fragment_stage = see_samples;
        samples_seen = 0;
        rectangle(&f, 0, 0, TILE_SIZE, TILE_SIZE, 0, prim);
        fixture_draw(&f, prim, 2);
        if (samples_seen != (f.state.sample.shading ? (1u << samples) - 1 : 1))
            fail_msg("%u samples, %d: %x", samples, i / 4, samples_seen);
    }
}

static float shade;

static void one_shade(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)lanes_splat_f(shade);
    runs++;
}

/* Results are kept for one draw and its constants only. */
TEST(test_every_draw_runs) {
    FIXTURE(f, fixture_init, TILE_SIZE, TILE_SIZE, 1);
    fixture_color(&f, FORMAT_RGBA8_UNORM, false);
    write_program(&f, FILE_CONST);
    fragment_stage = one_shade;
    struct draw_plan plan, again;
    plan_init(&plan, &f.state, f.simd);
    plan_init(&again, &f.state, f.simd);
    const struct warp_env other = f.fp;
    const struct {
        const struct draw_plan *plan;
        const struct warp_env *fp;
        uint8_t result;
    } draws[] = {{&plan, &f.fp, 51},
                 {&plan, &f.fp, 51}, /* the draw as before: the kept result is used */
                 {&plan, &other, 153},
                 {&again, &other, 204}};
    struct raster_tile *t = raster_tile_create(f.simd);
    for (int i = 0; i < 4; i++) {
        struct raster_prim *prim[2];
        raster_tile_begin(t, &f.targets, 0, 0, 0);
        rectangle(&f, 0, 0, TILE_SIZE, TILE_SIZE, 0, prim);
        for (int k = 0; k <= i; k++) {
            shade = 0.2f * (float)(k + 1);
            raster_tile_draw(t, draws[k].plan, draws[k].fp, (const struct raster_prim *const *)prim,
                             2, false, &f.counters);
        }
        raster_tile_end(t);
        assert_int_equal(*texel_at(&f.targets.color[0], 9, 9), draws[i].result);
    }
    raster_tile_free(t);
}
