/* Setup of up to sixteen triangles, lines, dashes or points at a time, compared with setup of one
 * at a time (tests/raster/reference.h): the records must be equal bit by bit, at every SIMD level
 * and in every state that setup reads. Primitives that culling drops must cover no sample. */
#include "tests/raster/reference.h"

enum { COUNT = 75, SLOTS = 12, GROUPS = (3 * COUNT + 31) / 32, LAYERS = 3 };
enum { LAYER_ROW = SLOTS + WINDOW_ROWS, VIEWPORT_ROW, STRIDE = VIEWPORT_ROW + 2 };
enum { OUTSIDE = 6, LOST = 8, CLIP = 16 };

struct set {
    struct raster_vertex vertex[3 * COUNT];
    uint32_t slot[3 * COUNT][RASTER_SLOTS];
    uint32_t code[3 * COUNT];
    u32x32 row[GROUPS * STRIDE];
    uint32_t corner[3 * COUNT]; /* the vertices of triangles, a permutation */
    uint8_t provoking[COUNT];
    uint32_t layer[3 * COUNT], viewport[3 * COUNT];
    float size[3 * COUNT]; /* of points */
    bool has_layers, has_viewports;
    uint16_t draw_layer; /* for vertices without a layer; LAYERS is one too high */
};

static void put(struct set *s, uint32_t n, uint32_t row, uint32_t value) {
    ((uint32_t *)&s->row[n / LANES * STRIDE + row])[n % LANES] = value;
}

/* The rows of a vertex hold its slots in reverse order, then its window coordinates. */
static void fill_rows(const struct raster_state *state, struct set *s) {
    for (uint32_t n = 0; n < 3 * COUNT; n++) {
        const struct raster_vertex *v = &s->vertex[n];
        int32_t window[2] = {0, 0};
        const bool drawn = raster_snap(state, v, window);
        for (uint32_t i = 0; i < SLOTS; i++)
            put(s, n, SLOTS - 1 - i, s->slot[n][i]);
        put(s, n, SLOTS + WINDOW_X, (uint32_t)window[0]);
        put(s, n, SLOTS + WINDOW_Y, (uint32_t)window[1]);
        put(s, n, SLOTS + WINDOW_Z, float_bits(v->z));
        put(s, n, SLOTS + WINDOW_RHW, float_bits(v->rhw));
        put(s, n, SLOTS + WINDOW_CODE, s->code[n] | (drawn ? 0 : LOST));
        put(s, n, LAYER_ROW, s->layer[n]);
        put(s, n, VIEWPORT_ROW, s->viewport[n]);
    }
}

/* Mostly small triangles; some are large, thin, degenerate, far out or not finite. */
static void random_set(uint64_t *seed, struct set *s) {
    s->has_layers = random_next(seed) % 3 == 0;
    s->has_viewports = random_next(seed) % 3 == 0;
    s->draw_layer = (uint16_t)(random_next(seed) % (LAYERS + 1));
    for (uint32_t i = 0; i < COUNT; i++) {
        static const float sizes[] = {0.5f, 1, 2, 3, 20, 500, 60000};
        const float size = sizes[random_next(seed) % 7];
        const float x = random_float(seed, -20, 140), y = random_float(seed, -20, 120);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t n = s->corner[3 * i + k];
            struct raster_vertex *v = &s->vertex[n];
            *v = vertex_near(seed, x, y, size, -0.2f, 1.2f);
            if (random_next(seed) % 4 == 0)
                v->x = (float)(int)v->x + 0.5f, v->y = (float)(int)v->y + 0.5f;
            if (random_next(seed) % 100 == 0)
                v->x = 70000;
            if (random_next(seed) % 100 == 0)
                v->rhw = 1 / 0.0f;
            else
                v->rhw = random_float(seed, 0.01f, 3);
            s->layer[n] = (uint32_t)random_next(seed) % (LAYERS + 2);
            s->viewport[n] = (uint32_t)random_next(seed) % 18;
            s->code[n] = random_next(seed) % 3 ? 0 : 1u << random_next(seed) % 3;
            if (random_next(seed) % 20 == 0)
                s->code[n] |= CLIP;
            static const float points[] = {-1, 0, 1, 1.5f, 2, 3, 7.25f, 40, 9000, 0.0f / 0.0f};
            s->size[n] = points[random_next(seed) % 10];
            for (uint32_t j = 0; j < SLOTS; j++)
                s->slot[n][j] = float_bits(random_float(seed, -9, 9));
            v->slot = s->slot[n];
        }
        s->provoking[i] = (uint8_t)(random_next(seed) % 3);
    }
}

static void randomize_state(struct fixture *f, uint64_t *seed) {
    static const uint8_t samples[] = {1, 1, 2, 4, 8};
    fixture_init(f, 100, 90, samples[random_next(seed) % 5]);
    struct raster_state *s = &f->state;
    const uint64_t r = random_next(seed);
    s->setup.cull =
        (uint8_t)(((r & 7) == 0 ? CULL_FRONT : 0) | ((r >> 3 & 3) == 0 ? CULL_BACK : 0));
    s->setup.front_ccw = r >> 5 & 1;
    s->setup.pixel_center_integer = r >> 6 & 1;
    s->sample.multisample = s->sample.multisample && (r >> 7 & 3);
    s->setup.polygon_smooth = (r >> 9 & 7) == 0;
    s->setup.polygon_stipple = r >> 12 & 1;
    s->setup.offset_enable[2] = r >> 13 & 1;
    s->setup.offset_factor = 1.5f;
    s->setup.offset_units = 3;
    s->limits.depth_clamp = r >> 14 & 1;
    s->view[0].depth.near = 0.1f;
    s->view[0].scissor = (struct raster_rect){-3, 2, 95, 1000};
    for (int i = 1; i < RASTER_VIEWPORTS; i++)
        s->view[i].scissor = (struct raster_rect){i, -i, 100 - i, 90 - 2 * i};
    f->targets.layers = LAYERS;
    static const uint8_t zeta[] = {FORMAT_NONE, FORMAT_Z16_UNORM, FORMAT_Z24S8, FORMAT_Z32_FLOAT};
    /* each format has its own unit of polygon offset */
    f->targets.zeta.format = zeta[random_next(seed) % 4];
    for (s->word_count = 0; s->word_count < 14; s->word_count++) {
        const uint8_t kind = (uint8_t)(s->word_count < 8 ? s->word_count : WORD_PERSPECTIVE);
        const bool position = kind == WORD_POSITION || s->word_count > 10;
        const uint8_t slot = (uint8_t)(random_next(seed) % (position ? 4 : SLOTS));
        s->word[s->word_count] = (struct raster_word){
            position ? WORD_POSITION : kind, slot,
            !position && random_next(seed) % 2 ? (uint8_t)(random_next(seed) % SLOTS) : slot, 0};
        if (position || kind == WORD_PERSPECTIVE || kind == WORD_LINEAR)
            s->word[s->word_count].flags = (uint8_t)(random_next(seed) % 8 & 3);
    }
}

/* Compares random sets in random states, at every SIMD level. `stride` permutes the corners.
 * Returns what the comparisons counted. */
static uint32_t compare_sets(uint64_t seed, int rounds, uint32_t stride,
                             void (*alter)(struct raster_state *s, int round),
                             void (*compare)(struct fixture *f, const struct set *s,
                                             enum simd_level simd, uint32_t *count)) {
    uint32_t count = 0;
    struct set *s = aligned_alloc(128, (sizeof *s + 127) & ~(size_t)127);
    for (int round = 0; round < rounds; round++) {
        FIXTURE(f, randomize_state, &seed);
        if (alter)
            alter(&f.state, round);
        for (uint32_t i = 0; i < 3 * COUNT; i++)
            s->corner[i] = (i * stride + (uint32_t)round) % (3 * COUNT);
        random_set(&seed, s);
        fill_rows(&f.state, s);
        for (int simd = 0; simd <= (int)simd_best(); simd++)
            compare(&f, s, (enum simd_level)simd, &count);
    }
    free(s);
    return count;
}

/* True if the primitive covers any sample within its bounds. */
static bool covers(const struct raster_state *s, const struct prim *p) {
    const unsigned shift = p->multisample ? (unsigned)__builtin_ctz(s->targets->samples) : 0;
    for (int32_t y = p->base.bounds.y0; y < p->base.bounds.y1; y++) {
        for (int32_t x = p->base.bounds.x0; x < p->base.bounds.x1; x++) {
            for (unsigned i = 0; i < 1u << shift; i++) {
                const int64_t sx = x * SUBPIXEL + sample_position[shift][i][0] * 16;
                const int64_t sy = y * SUBPIXEL + sample_position[shift][i][1] * 16;
                bool in = true;
                for (uint32_t k = 0; k < 3; k++) {
                    const struct prim_edge e = prim_edge(p, k);
                    in &= e.a * sx + e.b * sy + e.c >= 0;
                }
                if (in)
                    return true;
            }
        }
    }
    return false;
}

static void compare_prims(const struct raster_state *s, const struct prim *a,
                          const struct prim *b) {
    assert_memory_equal(&a->base, &b->base, sizeof a->base);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->front, b->front);
    assert_int_equal(a->multisample, b->multisample);
    assert_int_equal(a->stippled, b->stippled);
    assert_int_equal(a->smooth, b->smooth);
    assert_int_equal(a->viewport, b->viewport);
    assert_memory_equal(a->corner, b->corner, sizeof a->corner);
    assert_memory_equal(&a->z, &b->z, 3 * sizeof a->z); /* z, zdx, zdy */
    assert_int_equal(a->origin_x, b->origin_x);
    assert_memory_equal(a->plane, b->plane, s->word_count * sizeof(struct attribute_plane));
}

/* The layer and viewport that a primitive takes from its provoking vertex. */
static struct face info_of(const struct set *s, uint32_t provoking) {
    struct face info = {.front = true, .layer = s->has_layers ? 0 : s->draw_layer};
    if (s->has_layers && s->layer[provoking] < LAYERS)
        info.layer = (uint16_t)s->layer[provoking];
    if (s->has_viewports)
        info.viewport = s->viewport[provoking] % RASTER_VIEWPORTS;
    return info;
}

/* The reference's record of a triangle, and how its clip codes classify it: to be clipped, or
 * outside. */
struct expected {
    const struct prim *prim;
    bool clip, outside;
};

static struct expected expect(struct fixture *f, const struct set *s, uint32_t i) {
    const struct raster_vertex *v[3];
    uint32_t every = OUTSIDE, any = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t n = s->corner[3 * i + k];
        v[k] = &s->vertex[n];
        every &= s->code[n];
        any |= s->code[n];
    }
    int64_t area;
    struct face info = info_of(s, s->corner[3 * i + s->provoking[i]]);
    info.provoking = s->provoking[i];
    info.front = raster_facing(&f->state, v, &area);
    return (struct expected){reference_triangle(f, v, info), any & CLIP, every};
}

static struct raster_vertices vertices_of(const struct set *s) {
    struct raster_vertices v = {.word = (const uint32_t *)s->row,
                                .stride = STRIDE,
                                .window = SLOTS,
                                .layer = s->draw_layer,
                                .layer_row = s->has_layers ? LAYER_ROW : RASTER_NO_ROW,
                                .viewport_row = s->has_viewports ? VIEWPORT_ROW : RASTER_NO_ROW};
    for (uint8_t i = 0; i < SLOTS; i++)
        v.row[i] = (uint8_t)(SLOTS - 1 - i);
    return v;
}

static void compare_batch(struct fixture *f, enum simd_level simd, const struct raster_vertices *v,
                          const struct raster_triangles *t, const uint32_t *some,
                          const struct prim *const *want, uint32_t n) {
    struct raster_prim *got[RASTER_SETUP_MOST];
    assert_true(raster_setup_triangles(simd, &f->state, &f->arena, v, t, some, n, got));
    while (n--)
        compare_prims(&f->state, (const struct prim *)got[n], want[n]);
}

static void compare_triangles(struct fixture *f, const struct set *s, enum simd_level simd,
                              uint32_t *dropped) {
    const struct raster_vertices v = vertices_of(s);
    const struct raster_triangles t = {s->corner, s->provoking, COUNT, OUTSIDE, LOST, CLIP};
    uint32_t kept[COUNT], n = 0, next = 0, some[RASTER_SETUP_MOST];
    uint64_t drawn = 0;
    const struct prim *want[RASTER_SETUP_MOST];
    const uint32_t count = raster_cull[simd](&f->state, &v, &t, kept, &drawn);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct expected e = expect(f, s, i);
        const bool has = next < count && (kept[next] & ~RASTER_CLIP) == i;
        if (e.outside || e.clip) {
            assert_int_equal(has, !e.outside);
            if (has)
                assert_true(kept[next++] & RASTER_CLIP);
            continue;
        }
        if (!has) {
            assert_true(!e.prim || !covers(&f->state, e.prim));
            *dropped += e.prim != NULL;
            continue;
        }
        assert_non_null(e.prim);
        want[n] = e.prim;
        some[n++] = kept[next++];
        if (n == 1 + i % RASTER_SETUP_MOST || n == RASTER_SETUP_MOST) {
            compare_batch(f, simd, &v, &t, some, want, n);
            n = 0;
        }
    }
    if (n)
        compare_batch(f, simd, &v, &t, some, want, n);
    assert_int_equal(next, count);
}

TEST(test_batches) {
    const uint32_t dropped = compare_sets(5, 400, 7, NULL, compare_triangles);
    assert_true(dropped / ((uint32_t)simd_best() + 1) > 300); /* small triangles between samples */
}

/* ---- points ---- */

/* Checks points one by one. A third of them belong to back-facing polygons. */
static void compare_points(struct fixture *f, const struct set *s, enum simd_level simd,
                           uint32_t *made) {
    enum { POINTS = 3 * COUNT };
    const struct raster_vertices v = vertices_of(s);
    uint32_t kept[POINTS], vertex[POINTS], next = 0, n = 0;
    uint8_t front[POINTS];
    for (uint32_t i = 0; i < POINTS; i++) {
        vertex[i] = i;
        front[i] = i % 3 != 0;
    }
    const struct raster_points p = {vertex, vertex, s->size, front, POINTS, LOST};
    const uint32_t count = raster_cull_points[simd](&f->state, &v, &p, kept);
    const struct prim *want[RASTER_SETUP_MOST];
    for (uint32_t i = 0; i < POINTS; i++) {
        struct face info = info_of(s, i);
        info.front = front[i];
        const struct prim *w =
            s->code[i] & LOST ? NULL : reference_point(f, &s->vertex[i], s->size[i], info);
        assert_int_equal(next < count && kept[next] == i, w != NULL);
        if (!w)
            continue;
        next++;
        want[n++] = w;
        if (n != 1 + i % RASTER_SETUP_MOST && n != RASTER_SETUP_MOST && next != count)
            continue;
        struct raster_prim *got[RASTER_SETUP_MOST];
        assert_true(
            raster_setup_points(simd, &f->state, &f->arena, &v, &p, kept + next - n, n, got));
        for (; n; n--)
            compare_prims(&f->state, (const struct prim *)got[n - 1], want[n - 1]);
    }
    assert_int_equal(next, count);
    *made += count;
}

static void alter_points(struct raster_state *s, int round) {
    s->setup.offset_enable[0] = round & 1;
    s->setup.point_sprite = round & 2;
    s->setup.point_origin_lower_left = round & 4;
    s->setup.point_smooth = round & 8;
}

TEST(test_points) {
    assert_true(compare_sets(9, 200, 1, alter_points, compare_points) > 10000);
}

/* ---- faces ---- */

static void compare_faces(struct fixture *f, const struct set *s, enum simd_level simd,
                          uint32_t *made) {
    const struct raster_vertices v = vertices_of(s);
    const struct raster_triangles t = {s->corner, s->provoking, COUNT, OUTSIDE, LOST, CLIP};
    uint32_t kept[COUNT], next = 0;
    const uint32_t count = raster_faces[simd](&f->state, &v, &t, kept);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t *n = &s->corner[3 * i];
        const struct raster_vertex *const corner[] = {&s->vertex[n[0]], &s->vertex[n[1]],
                                                      &s->vertex[n[2]]};
        int64_t area;
        const bool front = raster_facing(&f->state, corner, &area);
        const bool clip = (s->code[n[0]] | s->code[n[1]] | s->code[n[2]]) & CLIP;
        const bool culled = f->state.setup.cull & (front ? CULL_FRONT : CULL_BACK);
        if (s->code[n[0]] & s->code[n[1]] & s->code[n[2]] & OUTSIDE || (culled && !clip))
            continue;
        assert_true(next < count);
        assert_int_equal(kept[next] & ~(RASTER_CLIP | RASTER_FRONT), i);
        assert_int_equal((kept[next] & RASTER_CLIP) != 0, clip);
        if (!clip)
            assert_int_equal((kept[next] & RASTER_FRONT) != 0, front);
        next++;
    }
    assert_int_equal(next, count);
    *made += count;
}

TEST(test_faces) {
    assert_true(compare_sets(21, 100, 1, NULL, compare_faces) > 1000);
}

/* ---- lines ---- */

/* The record of line i. The provoking vertex of some lines is the third corner of their polygon,
 * which is no end of the line. */
static const struct prim *expect_line(struct fixture *f, const struct set *s, uint32_t i,
                                      const struct raster_lines *l, uint32_t steps,
                                      const struct raster_dash *visible) {
    const uint32_t *n = &l->vertex[2 * i];
    struct raster_vertex end[2] = {s->vertex[n[0]], s->vertex[n[1]]};
    const struct raster_vertex *const v[2] = {&end[0], &end[1]};
    struct face info = info_of(s, l->provoking[i]);
    uint32_t slot[RASTER_SLOTS];
    struct raster_dash in;
    assert_int_equal(reference_steps(&f->state, v, info, &in), steps);
    assert_memory_equal(&in, visible, sizeof in);
    info.front = l->front[i];
    info.provoking = l->provoking[i] == n[1];
    memcpy(slot, s->slot[n[info.provoking]], sizeof slot);
    end[info.provoking].slot = slot;
    if (l->provoking[i] != n[info.provoking]) /* flat words come from the provoking vertex */
        for (uint32_t k = 0; k < f->state.word_count; k++)
            if (f->state.word[k].kind == WORD_FLAT)
                slot[f->state.word[k].slot] = s->slot[l->provoking[i]][f->state.word[k].slot];
    return reference_line(f, v, info, l->dash ? &l->dash[i] : NULL);
}

static void compare_lines(struct fixture *f, const struct set *s, enum simd_level simd, bool dashed,
                          uint32_t *made) {
    const struct raster_vertices v = vertices_of(s);
    uint32_t vertex[2 * COUNT], provoking[COUNT], kept[COUNT], next = 0, n = 0;
    uint8_t front[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t k = 0; k < 2; k++)
            vertex[2 * i + k] = s->corner[3 * i + k];
        provoking[i] = s->corner[3 * i + s->provoking[i]];
        front[i] = i % 3 != 0;
    }
    struct raster_lines l = {vertex, provoking, front, NULL, COUNT, LOST};
    struct raster_dash visible[COUNT], dash[COUNT];
    uint32_t steps[COUNT];
    raster_line_steps[simd](&f->state, &v, &l, steps, visible);
    /* dashes of various lengths, some up to the line's end */
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t length = visible[i].to - visible[i].from;
        dash[i].from = visible[i].from + (length >> (1 + i % 5));
        dash[i].to = i % 7 ? dash[i].from + (length >> (i % 4 + 1)) : steps[i];
    }
    l.dash = dashed ? dash : NULL;
    const uint32_t count = raster_cull_lines[simd](&f->state, &v, &l, kept);
    const struct prim *want[RASTER_SETUP_MOST];
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct prim *p = expect_line(f, s, i, &l, steps[i], &visible[i]);
        assert_int_equal(next < count && kept[next] == i, p != NULL);
        if (!p)
            continue;
        next++;
        want[n++] = p;
        if (n != 1 + i % RASTER_SETUP_MOST && n != RASTER_SETUP_MOST && next != count)
            continue;
        struct raster_prim *got[RASTER_SETUP_MOST + 1];
        got[n] = NULL;
        assert_true(
            raster_setup_lines(simd, &f->state, &f->arena, &v, &l, kept + next - n, n, got));
        assert_null(got[n]);
        for (; n; n--)
            compare_prims(&f->state, (const struct prim *)got[n - 1], want[n - 1]);
    }
    assert_int_equal(next, count);
    *made += count;
}

static void alter_lines(struct raster_state *s, int round) {
    static const float widths[] = {0.3f, 1, 1.5f, 2, 3, 7.3f, 2000};
    s->setup.line_width = widths[round % 7];
    s->setup.line_smooth = round % 5 == 0;
    s->setup.offset_enable[1] = round & 1;
    for (uint32_t i = 0; i < s->word_count; i++) { /* a slot of flat words has no other words */
        const bool flat = s->word[i].kind == WORD_FLAT;
        s->word[i].slot = flat ? SLOTS - 1 : s->word[i].slot % (SLOTS - 1);
        s->word[i].back_slot = s->word[i].slot;
        s->word[i].flags |= flat ? 0 : WORD_NO_FLAT;
    }
}

static void compare_all_lines(struct fixture *f, const struct set *s, enum simd_level simd,
                              uint32_t *made) {
    compare_lines(f, s, simd, false, made);
    compare_lines(f, s, simd, true, made);
}

TEST(test_lines) {
    assert_true(compare_sets(31, 300, 1, alter_lines, compare_all_lines) > 10000);
}
