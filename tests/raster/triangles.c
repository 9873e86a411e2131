/* Coverage of many triangles, points and lines at a time. Over random states and primitives,
 * pictures, depths and counts must be those of the general way (COVER_GENERAL), and the known
 * bounds of a block's depths must hold. */
#include "tests/raster/fixture.h"

enum { WIDTH = 150, HEIGHT = 70, COUNT = 90 };

/* Colours that depend on the place and on the primitive. */
static void shade_stage(struct warp *w) {
    const float *x = (const float *)&w->x, *y = (const float *)&w->y;
    float out[4][LANES];
    for (int i = 0; i < LANES; i++) {
        const struct attribute_plane *p = w->planes[w->uniform_planes ? 0 : i / 4]->plane;
        out[0][i] = x[i] / TILE_SIZE;
        out[1][i] = y[i] / TILE_SIZE;
        out[2][i] = (p->base + p->dx * x[i]) + p->dy * y[i];
        out[3][i] = 0.25f;
    }
    memcpy(w->r, out, sizeof out);
}

static void discarding_stage(struct warp *w) {
    shade_stage(w);
    w->dead |= 0x11111111;
}

static void random_zeta(struct fixture *f, uint64_t *seed) {
    static const enum pixel_format formats[] = {FORMAT_Z24S8, FORMAT_Z16_UNORM, FORMAT_Z32_FLOAT};
    static const uint16_t funcs[] = {FUNC_LESS,    FUNC_LESS,   FUNC_LEQUAL, FUNC_LEQUAL,
                                     FUNC_GREATER, FUNC_GEQUAL, FUNC_ALWAYS, FUNC_EQUAL};
    struct zeta_state *z = &f->state.zeta;
    if (random_next(seed) % 5 == 0)
        return;
    fixture_zeta(f, formats[random_next(seed) % 3], random_next(seed) & 1);
    z->depth_test = random_next(seed) % 8 != 0;
    z->depth_write = random_next(seed) % 4 != 0;
    z->depth_func = funcs[random_next(seed) % 8];
    z->stencil_test = random_next(seed) % 5 == 0;
    z->two_sided = random_next(seed) & 1;
    for (int i = 0; i < 2; i++)
        z->face[i] = (struct stencil_face){FUNC_LEQUAL,
                                           STENCIL_KEEP,
                                           STENCIL_INCR_WRAP,
                                           (uint16_t)(i ? STENCIL_DECR_WRAP : STENCIL_INVERT),
                                           (uint8_t)random_next(seed),
                                           15,
                                           255};
    for (uint64_t i = 0; i < f->targets.zeta.size && random_next(seed) % 2; i += 4) {
        const uint32_t word = (uint32_t)random_next(seed) & 0x3fffffff;
        memcpy(f->targets.zeta.data + i, &word, i + 4 <= f->targets.zeta.size ? 4 : 2);
    }
}

static void randomize_state(struct fixture *f, uint64_t *seed) {
    struct raster_state *s = &f->state;
    fixture_init(f, WIDTH, HEIGHT, random_next(seed) % 3 ? 1 : 1u << random_next(seed) % 4);
    s->sample.multisample &= random_next(seed) % 8 != 0;
    s->sample.mask = random_next(seed) % 4 ? UINT32_MAX : (uint32_t)random_next(seed);
    fixture_color(f, FORMAT_RGBA8_UNORM, random_next(seed) & 1);
    random_zeta(f, seed);
    s->word_count = (uint8_t)(1 + random_next(seed) % 9);
    for (uint32_t i = 0; i < s->word_count; i++)
        s->word[i] = (struct raster_word){i ? WORD_LINEAR : WORD_PERSPECTIVE, 4, 4, 0};
    s->color.blend[0].enable = random_next(seed) & 1;
    s->color.blend[0].dst_rgb = s->color.blend[0].dst_a = BLEND_ONE;
    s->sample.count = random_next(seed) & 1;
    s->uses_kill = random_next(seed) % 3 == 0;
    /* if set, zeta may be tested before the program */
    f->program.facts.infallible = random_next(seed) & 1;
    s->limits.depth_clamp = random_next(seed) % 3 == 0;
    s->limits.rect_mode = random_next(seed) % 8 == 0;
    s->setup.line_width = random_next(seed) % 2 ? 1 : random_float(seed, 0.5f, 9);
    if (random_next(seed) & 1)
        s->setup.line_width = roundf(s->setup.line_width);
    s->limits.rect[0] = (struct raster_rect){20, 10, 90, 50};
    s->setup.polygon_stipple = random_next(seed) % 8 == 0;
    for (int i = 0; i < 32; i++)
        s->setup.stipple_pattern[i] = (uint32_t)random_next(seed);
    for (int i = 0; i < 2; i++) {
        s->view[i].depth.near = random_float(seed, 0, 0.4f);
        s->view[i].depth.far = random_float(seed, 0.6f, 1);
        if (random_next(seed) & 1)
            s->view[i].scissor = (struct raster_rect){5 + i, 3, WIDTH - 9, HEIGHT - 6 - i};
    }
    fragment_stage = s->uses_kill ? discarding_stage : shade_stage;
}

/* Rounds to half pixels, so that edges pass through pixel centres and along pixel borders. */
static float to_half(float x) {
    return roundf(2 * x) / 2;
}

/* A primitive of a few pixels or of some dozen blocks, sometimes long; NULL if it covers
 * nothing. */
static struct raster_prim *random_prim(struct fixture *f, uint64_t *seed) {
    static const float sizes[] = {1.5f, 4, 12, 60, 300};
    const float size = sizes[random_next(seed) % (random_next(seed) % 8 ? 4 : 5)];
    const float x = random_float(seed, -4, WIDTH + 4), y = random_float(seed, -4, HEIGHT + 4);
    const float depth = random_float(seed, -0.2f, 1.2f), steep = random_next(seed) % 4 ? 0.02f : 3;
    const bool halves = random_next(seed) % 4 == 0;
    uint32_t slot[3][RASTER_SLOTS] = {{0}};
    struct raster_vertex v[3];
    for (int i = 0; i < 3; i++) {
        const float value = random_float(seed, 0, 1);
        const float vx = x + random_float(seed, -size, size),
                    vy = y + random_float(seed, -size, size);
        memcpy(&slot[i][4], &value, sizeof value);
        v[i] = vertex_at(halves ? to_half(vx) : vx, halves ? to_half(vy) : vy,
                         depth + random_float(seed, -steep, steep));
        v[i].slot = slot[i];
    }
    const struct raster_vertex *const p[3] = {&v[0], &v[1], &v[2]};
    int64_t area;
    struct face face = {.viewport = random_next(seed) & 1};
    face.front = raster_facing(&f->state, p, &area);
    if (random_next(seed) % 8 == 0)
        return fixture_point(f, v, size, face);
    if (random_next(seed) % 4 == 0)
        return fixture_line(f, p, face, NULL);
    return fixture_triangle(f, p, face);
}

/* Draws primitives [0, n) of a tile, `together` at a time; one at a time if `together` is 0. */
static void draw(struct fixture *f, struct raster_tile *t, const struct draw_plan *plan,
                 const struct raster_prim *const *list, uint32_t n, uint32_t together) {
    together = together ? together : 1;
    for (uint32_t i = 0; i < n; i += together)
        raster_tile_draw(t, plan, &f->fp, list + i, n - i < together ? n - i : together,
                         i + together < n, &f->counters);
}

static void check_bounds(const struct raster_tile *t) {
    if (t->zeta.format == FORMAT_NONE)
        return;
    for (uint32_t block = 0; block < TILE_BLOCKS; block++) {
        for (uint32_t s = 0; s < t->samples && block_bit(t->zeta.valid, block); s++) {
            const i32x32 z = (i32x32)*tile_rows(&t->zeta, s, block);
            for (int i = 0; i < LANES; i++)
                assert_true(t->bound_low[block] <= z[i] && z[i] <= t->bound_high[block]);
        }
    }
}

static void draw_all(struct fixture *f, struct raster_prim *const *prim, uint32_t together) {
    struct raster_tile *t = raster_tile_create(f->simd);
    struct draw_plan plan;
    plan_init(&plan, &f->state, f->simd);
    if (!together)
        plan.cover = COVER_GENERAL;
    for (int32_t y = 0; y < HEIGHT; y += TILE_SIZE) {
        for (int32_t x = 0; x < WIDTH; x += TILE_SIZE) {
            const struct raster_prim *list[COUNT];
            uint32_t n = 0;
            for (uint32_t i = 0; i < COUNT; i++) {
                if (prim[i] && raster_prim_tile(&f->targets, prim[i], x, y))
                    list[n++] = prim[i];
            }
            raster_tile_begin(t, &f->targets, 0, x, y);
            draw(f, t, &plan, list, n, together);
            check_bounds(t);
            raster_tile_end(t);
        }
    }
    raster_tile_free(t);
}

struct result {
    struct surface color, zeta;
    struct raster_counters counters;
};

/* Takes picture and counters out of the fixture, and restores its targets. */
static struct result take(struct fixture *f, const uint8_t *color, const uint8_t *zeta) {
    struct result r = {f->targets.color[0], f->targets.zeta, f->counters};
    r.color.data = malloc(r.color.size);
    memcpy(r.color.data, f->targets.color[0].data, r.color.size);
    memcpy(f->targets.color[0].data, color, r.color.size);
    r.zeta.data = malloc(r.zeta.size + 1);
    if (r.zeta.size) {
        memcpy(r.zeta.data, f->targets.zeta.data, r.zeta.size);
        memcpy(f->targets.zeta.data, zeta, r.zeta.size);
    }
    f->counters = (struct raster_counters){0};
    return r;
}

/* late: early tests do not see fragments that still wait, so a few more or fewer of the fragments
 * that late zeta rejects may run. */
static void compare(struct result *a, const struct result *b, bool late) {
    assert_memory_equal(a->color.data, b->color.data, b->color.size);
    if (b->zeta.size)
        assert_memory_equal(a->zeta.data, b->zeta.data, b->zeta.size);
    assert_int_equal(a->counters.samples_passed, b->counters.samples_passed);
    const uint64_t n = b->counters.fragments, some = late ? n / 50 : 0;
    assert_in_range(a->counters.fragments, n - some, n + some);
    free(a->color.data);
    free(a->zeta.data);
}

TEST(test_together_as_the_general_way) {
    uint64_t seed = 11;
    for (int round = 0; round < 240; round++) {
        struct fixture f;
        randomize_state(&f, &seed);
        struct raster_prim *prim[COUNT];
        for (uint32_t i = 0; i < COUNT; i++)
            prim[i] = random_prim(&f, &seed);
        struct surface *c = &f.targets.color[0], *z = &f.targets.zeta;
        uint8_t *color = malloc(c->size), *zeta = malloc(z->size + 1);
        memcpy(color, c->data, c->size);
        if (z->size)
            memcpy(zeta, z->data, z->size);
        f.simd = SIMD_BASE;
        draw_all(&f, prim, 0);
        struct result want = take(&f, color, zeta);
        for (int level = SIMD_BASE; level <= (int)simd_best(); level++) {
            static const uint32_t together[] = {1, 16, 50};
            for (int i = 0; i < 3; i++) {
                f.simd = (enum simd_level)level;
                draw_all(&f, prim, together[i]);
                struct result got = take(&f, color, zeta);
                compare(&got, &want, f.state.uses_kill);
            }
        }
        free(want.color.data);
        free(want.zeta.data);
        free(color);
        free(zeta);
        fixture_free(&f);
    }
}

/* A draw that discards fragments and writes depths only. */
static void only_depths(struct fixture *f, uint64_t *seed) {
    static const uint16_t funcs[] = {FUNC_LESS, FUNC_LEQUAL, FUNC_GREATER, FUNC_GEQUAL};
    struct raster_state *s = &f->state;
    do {
        randomize_state(f, seed);
        if (f->targets.zeta.format != FORMAT_NONE)
            break;
        fixture_free(f);
    } while (true);
    s->zeta = tested_depths(funcs[random_next(seed) % 4]);
    s->uses_kill = true;
    s->sample.count = false;
    s->limits.rect_mode = false;
    s->setup.polygon_stipple = false;
    s->color.mask[0] = 0;
    f->program.facts.infallible = true;
    fragment_stage = discarding_stage;
}

static bool is_any_order(struct fixture *f) {
    struct draw_plan plan;
    plan_init(&plan, &f->state, f->simd);
    return plan.any_order;
}

/* Draws that write or read more than depths must keep the order of their primitives. */
static void check_order_asked(struct fixture *f) {
    const struct raster_state s = f->state;
    assert_true(is_any_order(f));
    f->state.color.mask[0] = 1;
    assert_false(is_any_order(f));
    f->state = s;
    f->state.sample.count = true;
    assert_false(is_any_order(f));
    f->state = s;
    f->state.zeta.bounds_test = true;
    assert_false(is_any_order(f));
    f->state = s;
    f->state.zeta.depth_func = FUNC_ALWAYS;
    assert_false(is_any_order(f));
    f->state.zeta.depth_func = FUNC_EQUAL;
    assert_false(is_any_order(f));
    f->state = s;
    f->state.zeta.stencil_test = true;
    assert_int_equal(is_any_order(f), f->targets.zeta.format != FORMAT_Z24S8);
    f->state = s;
    f->program.facts.infallible = false;
    assert_false(is_any_order(f));
    f->program.facts.infallible = true;
}

TEST(test_nearest_depths_first) {
    uint64_t seed = 5, in_order = 0, sorted = 0;
    for (int round = 0; round < 40; round++) {
        struct fixture f;
        only_depths(&f, &seed);
        check_order_asked(&f);
        struct raster_prim *prim[COUNT];
        for (uint32_t i = 0; i < COUNT; i++)
            prim[i] = random_prim(&f, &seed);
        struct surface *c = &f.targets.color[0], *z = &f.targets.zeta;
        uint8_t *color = malloc(c->size), *zeta = malloc(z->size);
        memcpy(color, c->data, c->size);
        memcpy(zeta, z->data, z->size);
        f.simd = (enum simd_level)(round % ((int)simd_best() + 1));
        draw_all(&f, prim, 0);
        struct result want = take(&f, color, zeta);
        draw_all(&f, prim, COUNT);
        struct result got = take(&f, color, zeta);
        assert_memory_equal(got.zeta.data, want.zeta.data, want.zeta.size);
        assert_memory_equal(got.color.data, want.color.data, want.color.size);
        in_order += want.counters.fragments;
        sorted += got.counters.fragments;
        free(want.color.data);
        free(want.zeta.data);
        free(got.color.data);
        free(got.zeta.data);
        free(color);
        free(zeta);
        fixture_free(&f);
    }
    assert_true(sorted < in_order * 9 / 10);
}
