/* The zeta ROP compared with a scalar reference over random states, values and masks. Whole tiles
 * are drawn with early and with late zeta, which must give the same picture and the same sample
 * counts. */
#include "tests/raster/fixture.h"

static zrop_fn *select_level(enum simd_level level, const struct zrop_key *k) {
    static zrop_fn *(*const select[])(const struct zrop_key *) = SIMD_TABLE(zrop_select);
    return select[level](k);
}

static bool passes(uint16_t func, double a, double b) {
    switch (func) {
    case FUNC_NEVER:
        return false;
    case FUNC_LESS:
        return a < b;
    case FUNC_EQUAL:
        return a == b;
    case FUNC_LEQUAL:
        return a <= b;
    case FUNC_GREATER:
        return a > b;
    case FUNC_NOTEQUAL:
        return a != b;
    case FUNC_GEQUAL:
        return a >= b;
    default:
        return true;
    }
}

static uint8_t stencil_result(const struct stencil_face *f, uint16_t op, uint8_t s) {
    int v = s;
    switch (op) {
    case STENCIL_ZERO:
        v = 0;
        break;
    case STENCIL_REPLACE:
        v = f->ref;
        break;
    case STENCIL_INCR:
        v = s == 255 ? 255 : s + 1;
        break;
    case STENCIL_DECR:
        v = s == 0 ? 0 : s - 1;
        break;
    case STENCIL_INVERT:
        v = ~s;
        break;
    case STENCIL_INCR_WRAP:
        v = s + 1;
        break;
    case STENCIL_DECR_WRAP:
        v = s - 1;
        break;
    }
    return (uint8_t)((v & f->write_mask) | (s & ~f->write_mask));
}

/* Tests one fragment as the specification says. */
static bool fragment(const struct zrop_key *k, double z, uint32_t z_word, double stored,
                     uint32_t *depth, uint32_t *stencil, bool front) {
    const struct zeta_state *s = &k->state;
    double bounds[2];
    for (int i = 0; i < 2; i++) {
        float f;
        memcpy(&f, &k->bounds_word[i], 4);
        bounds[i] = k->is_float ? f : k->bounds_word[i];
    }
    if (s->bounds_test && (stored < bounds[0] || stored > bounds[1]))
        return false;
    const struct stencil_face *f = &s->face[s->two_sided && !front];
    const bool test = s->stencil_test && k->has_stencil;
    if (test && !passes(f->func, f->ref & f->func_mask, *stencil & f->func_mask)) {
        *stencil = stencil_result(f, f->fail, (uint8_t)*stencil);
        return false;
    }
    const bool pass = !s->depth_test || passes(s->depth_func, z, stored);
    if (test)
        *stencil = stencil_result(f, pass ? f->zpass : f->zfail, (uint8_t)*stencil);
    if (pass && s->depth_test && s->depth_write)
        *depth = z_word;
    return pass;
}

static struct stencil_face random_face(uint64_t *seed) {
    static const uint16_t ops[] = {STENCIL_ZERO,      STENCIL_KEEP,     STENCIL_REPLACE,
                                   STENCIL_INCR,      STENCIL_DECR,     STENCIL_INVERT,
                                   STENCIL_INCR_WRAP, STENCIL_DECR_WRAP};
    struct stencil_face f = {.func = (uint16_t)(FUNC_NEVER + random_next(seed) % 8)};
    f.fail = ops[random_next(seed) % 8];
    f.zfail = ops[random_next(seed) % 8];
    f.zpass = ops[random_next(seed) % 8];
    f.ref = (uint8_t)random_next(seed);
    f.func_mask = (uint8_t)(random_next(seed) | random_next(seed));
    f.write_mask = (uint8_t)(random_next(seed) | random_next(seed));
    return f;
}

static struct zrop_key random_key(uint64_t *seed) {
    const uint32_t r = (uint32_t)random_next(seed);
    struct zrop_key k = {.is_float = r & 1, .has_stencil = r & 2};
    k.state = (struct zeta_state){.depth_test = r & 12,
                                  .depth_write = r & 16,
                                  .bounds_test = !(r & 96),
                                  .stencil_test = r & 128,
                                  .two_sided = r & 256,
                                  .depth_func = (uint16_t)(FUNC_NEVER + random_next(seed) % 8)};
    k.state.face[0] = random_face(seed);
    k.state.face[1] = random_face(seed);
    const float bounds[2] = {0.25f, 0.75f};
    for (int i = 0; i < 2; i++) {
        k.bounds_word[i] = (uint32_t)(bounds[i] * 255);
        if (k.is_float)
            memcpy(&k.bounds_word[i], &bounds[i], 4);
    }
    return k;
}

TEST(test_random_state) {
    uint64_t seed = 23;
    for (int round = 0; round < 20000; round++) {
        const struct zrop_key k = random_key(&seed);
        u32x32 z, rows[2], old[2];
        double zv[LANES], stored[LANES];
        for (int i = 0; i < LANES; i++) {
            /* few values, so that equality occurs */
            const uint32_t a = (uint32_t)random_next(&seed) % 8 * 32,
                           b = (uint32_t)random_next(&seed) % 8 * 32;
            const float fa = (float)a / 256, fb = (float)b / 256;
            uint32_t wa = a, wb = b;
            if (k.is_float)
                memcpy(&wa, &fa, 4), memcpy(&wb, &fb, 4);
            z[i] = wa, old[0][i] = wb, old[1][i] = (uint32_t)random_next(&seed) & 255;
            zv[i] = k.is_float ? fa : a, stored[i] = k.is_float ? fb : b;
        }
        rows[0] = old[0], rows[1] = old[1];
        const lane_mask m = round & 1 ? LANES_ALL : (lane_mask)random_next(&seed);
        const bool front = round & 2;
        const enum simd_level level = (enum simd_level)(round % ((int)simd_best() + 1));
        const lane_mask got = select_level(level, &k)(&k, &z, rows, m, front);
        for (int i = 0; i < LANES; i++) {
            uint32_t depth = old[0][i], stencil = old[1][i];
            const bool expect =
                m >> i & 1 && fragment(&k, zv[i], z[i], stored[i], &depth, &stencil, front);
            assert_int_equal(got >> i & 1, expect);
            assert_int_equal(rows[0][i], depth);
            assert_int_equal(rows[1][i], stencil);
        }
    }
}

/* Fragment stages: the first keeps every lane, the second kills lanes by their position. */
static void colored(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)(w->x * 0.004f + w->y * 0.003f);
}

static void killing(struct warp *w) {
    colored(w);
    for (int i = 0; i < LANES; i++) {
        if (((int)w->x[i] ^ (int)w->y[i]) & 1)
            w->dead |= 1u << i;
    }
}

enum { SIZE = 96, PRIMS = 60 };

static enum simd_level scene_level;

static void draw_scene(struct fixture *f, bool kill, bool claim_kill, uint32_t samples,
                       enum pixel_format zeta, uint16_t func) {
    uint64_t seed = 77;
    static struct raster_prim *p[PRIMS];
    fixture_init(f, SIZE, SIZE, samples);
    f->simd = scene_level;
    fixture_color(f, FORMAT_RGBA8_UNORM, false);
    fixture_zeta(f, zeta, false);
    f->state.color.blend[0] = (struct blend_target){
        true, EQUATION_ADD, BLEND_SRC_ALPHA, BLEND_ONE, EQUATION_ADD, BLEND_ONE, BLEND_DST_COLOR};
    memset(f->targets.zeta.data, 0x3f, f->targets.zeta.size);
    f->state.sample.count = true;
    f->state.uses_kill = claim_kill;
    f->state.zeta = tested_depths(func);
    fragment_stage = kill ? killing : colored;
    for (int i = 0; i < PRIMS; i++) {
        struct raster_vertex v[3];
        for (int j = 0; j < 3; j++)
            v[j] = vertex_near(&seed, SIZE / 2, SIZE / 2, SIZE / 2 + 20, 0, 1);
        p[i] = triangle(f, v);
    }
    fixture_draw(f, p, PRIMS);
}

static void check_early_is_late(uint32_t samples, enum pixel_format zeta, uint16_t func) {
    struct fixture early, late;
    draw_scene(&early, false, false, samples, zeta, func);
    draw_scene(&late, false, true, samples, zeta, func);
    assert_memory_equal(early.targets.color[0].data, late.targets.color[0].data,
                        early.targets.color[0].size);
    assert_memory_equal(early.targets.zeta.data, late.targets.zeta.data, early.targets.zeta.size);
    assert_int_equal(early.counters.samples_passed, late.counters.samples_passed);
    assert_true(early.counters.samples_passed > 0);
    fixture_free(&early);
    fixture_free(&late);
}

TEST(test_early_and_late_agree) {
    const enum pixel_format formats[] = {FORMAT_Z16_UNORM, FORMAT_Z24S8,     FORMAT_S8Z24,
                                         FORMAT_X8Z24,     FORMAT_Z32_FLOAT, FORMAT_Z32_FLOAT_S8};
    for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
        for (uint16_t func = FUNC_LESS; func <= FUNC_ALWAYS; func++) {
            if (func != FUNC_EQUAL)
                check_early_is_late(1, formats[f], func);
        }
        check_early_is_late(4, formats[f], FUNC_LESS);
        check_early_is_late(8, formats[f], FUNC_GEQUAL);
    }
}

TEST(test_levels_agree) {
    const enum pixel_format formats[] = {FORMAT_Z24S8, FORMAT_Z32_FLOAT};
    for (int i = 0; i < 4; i++) {
        for (scene_level = SIMD_BASE; scene_level < simd_best(); scene_level++) {
            struct fixture f[2];
            draw_scene(&f[0], i & 1, i & 1, i & 2 ? 4 : 1, formats[i & 1], FUNC_LESS);
            scene_level++;
            draw_scene(&f[1], i & 1, i & 1, i & 2 ? 4 : 1, formats[i & 1], FUNC_LESS);
            scene_level--;
            assert_same_targets(&f[0], &f[1]);
            assert_int_equal(f[0].counters.warps, f[1].counters.warps);
            fixture_free(&f[0]);
            fixture_free(&f[1]);
        }
    }
    scene_level = simd_best();
}

/* The second fragment equals the stored depth, until the first fragment, which waits in the packer,
 * has been written. */
TEST(test_waiting_quads_count) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    fixture_color(&f, FORMAT_R8_UNORM, false);
    fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
    f.state.uses_kill = true;
    f.state.zeta = tested_depths(FUNC_NOTEQUAL);
    fragment_stage = colored;
    const float depth[2] = {0.5f, 0}; /* the buffer holds 0 */
    struct raster_prim *p[2];
    for (int i = 0; i < 2; i++) {
        const struct raster_vertex v[3] = {vertex_at(4, 4, depth[i]), vertex_at(6, 4, depth[i]),
                                           vertex_at(4, 6, depth[i])};
        p[i] = triangle(&f, v);
    }
    fixture_draw(&f, p, 2);
    float z;
    memcpy(&z, texel_at(&f.targets.zeta, 4, 4), 4);
    assert_true(z == 0);
    assert_int_equal(f.counters.warps, 2);
}

/* Killed fragments write no depth. */
TEST(test_killed_fragments_write_no_depth) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    fixture_color(&f, FORMAT_RGBA8_UNORM, false);
    fixture_zeta(&f, FORMAT_Z24S8, false);
    memset(f.targets.zeta.data, 0xff, f.targets.zeta.size);
    f.state.uses_kill = true;
    f.state.zeta = tested_depths(FUNC_LESS);
    fragment_stage = killing;
    struct raster_prim *p[2];
    rectangle(&f, 0, 0, 64, 64, 0.5f, p);
    fixture_draw(&f, p, 2);
    for (uint32_t y = 0; y < 64; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            uint32_t z;
            memcpy(&z, texel_at(&f.targets.zeta, x, y), 4);
            assert_int_equal(z & 0xffffff, (x ^ y) & 1 ? 0xffffff : 0x800000);
        }
    }
}

/* A stored depth is the nearest code to the plane's value at the pixel centre. */
TEST(test_depth_values) {
    const enum pixel_format formats[] = {FORMAT_Z16_UNORM, FORMAT_Z24S8, FORMAT_S8Z24,
                                         FORMAT_Z32_FLOAT};
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        FIXTURE(f, fixture_init, 100, 80, 1);
        fixture_zeta(&f, formats[i], true);
        f.state.program = NULL;
        f.state.zeta = tested_depths(FUNC_ALWAYS);
        const struct raster_vertex v[3] = {vertex_at(0, 0, -0.1f), vertex_at(200, 0, 0.9f),
                                           vertex_at(0, 400, 1.7f)};
        struct raster_prim *p = triangle(&f, v);
        fixture_draw(&f, &p, 1);
        for (uint32_t y = 0; y < 80; y++) {
            for (uint32_t x = 0; x < 100; x++) {
                const double plane = -0.1f + (x + 0.5) * ((double)0.9f + (double)0.1f) / 200 +
                                     (y + 0.5) * ((double)1.7f + (double)0.1f) / 400;
                const double exact = fmin(fmax(plane, 0), 1);
                uint32_t rgba[4];
                float depth;
                format_decode(formats[i], texel_at(&f.targets.zeta, x, y), rgba);
                memcpy(&depth, rgba, 4);
                const double max = i == 0 ? 65535 : 16777215;
                assert_true(fabs(depth - exact) * max < 0.501 + (i ? 0.5 : 0));
            }
        }
    }
}

enum { DRAWS = 12, SCATTERED = 30 };

/* One tile, a dozen draws of random triangles with random tests, and clears between them. bounds:
 * use the known depth bounds of blocks. */
static void draw_scattered(struct fixture *f, uint64_t seed, bool bounds) {
    struct raster_tile *t = raster_tile_create(f->simd);
    raster_tile_begin(t, &f->targets, 0, 0, 0);
    for (int n = 0; n < DRAWS; n++) {
        struct raster_state s = f->state;
        s.zeta = (struct zeta_state){.depth_test = true,
                                     .depth_write = random_next(&seed) % 8 != 0,
                                     .depth_func = (uint16_t)(FUNC_NEVER + random_next(&seed) % 8)};
        if (random_next(&seed) % 4 != 0)
            s.zeta.depth_func = n % 8 < 4 ? FUNC_LESS : FUNC_GEQUAL;
        s.zeta.stencil_test = random_next(&seed) % 8 == 0;
        s.zeta.face[0] = s.zeta.face[1] = (struct stencil_face){
            FUNC_ALWAYS, STENCIL_KEEP, STENCIL_INCR_WRAP, STENCIL_KEEP, 0, 255, 255};
        s.uses_kill = random_next(&seed) % 3 == 0;
        if (random_next(&seed) % 3 == 0) {
            const float at = random_float(&seed, -40, 40);
            const struct raster_clear clear = {.rect = {(int32_t)at, 0, (int32_t)at + 64, 64},
                                               .depth = true,
                                               .depth_value = random_float(&seed, 0, 1)};
            raster_tile_clear(t, &clear);
        }
        const struct raster_prim *p[SCATTERED];
        uint32_t count = 0;
        for (int i = 0; i < SCATTERED; i++) {
            struct raster_vertex v[3];
            const float size = i % 3 ? 8 : 90, z = random_float(&seed, 0, 1);
            const float x = random_float(&seed, 0, 64), y = random_float(&seed, 0, 64);
            for (int k = 0; k < 3; k++)
                v[k] = vertex_near(&seed, x, y, size, i % 2 ? z : -0.2f, i % 2 ? z : 1.2f);
            p[count] = triangle(f, v);
            count += p[count] != NULL;
        }
        struct draw_plan plan;
        plan_init(&plan, &s, f->simd);
        if (!bounds)
            plan.hides = HIDES_NEVER;
        raster_tile_draw(t, &plan, &f->fp, p, count, false, &f->counters);
    }
    raster_tile_end(t);
    raster_tile_free(t);
}

TEST(test_bounds_hide_only_the_hidden) {
    const enum pixel_format formats[] = {FORMAT_Z24S8, FORMAT_Z32_FLOAT, FORMAT_Z16_UNORM};
    uint64_t looked_at[2] = {0};
    fragment_stage = killing;
    for (int round = 0; round < 90; round++) {
        struct fixture f[2];
        for (int i = 0; i < 2; i++) {
            fixture_init(&f[i], 64, 64, 1u << round % 3);
            f[i].simd = round / 3 % (simd_best() + 1);
            fixture_color(&f[i], FORMAT_RGBA8_UNORM, false);
            fixture_zeta(&f[i], formats[round / 2 % 3], false);
            memset(f[i].targets.zeta.data, 0x3f, f[i].targets.zeta.size);
            draw_scattered(&f[i], (uint64_t)round, i);
            looked_at[i] += f[i].counters.early_rejected;
        }
        assert_same_targets(&f[0], &f[1]);
        /* with late zeta, the number of fragments depends on how many were waiting */
        const uint64_t fragments = f[0].counters.fragments, some = fragments / 100;
        assert_in_range(f[1].counters.fragments, fragments - some, fragments + some);
        fixture_free(&f[0]);
        fixture_free(&f[1]);
    }
    assert_true(looked_at[1] < looked_at[0] * 3 / 4);
}
