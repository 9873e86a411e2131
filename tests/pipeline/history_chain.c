/* The history of every sample of a small target over random draws, clears and copies. The values
 * before and after each entry form a chain without gaps, which ends in the target's content.
 * Entries name the primitives that were overwritten; removal by scissor or culling is reported for
 * exactly the primitives concerned. On one tile, and where four tiles meet. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/context.h"
#include "pipeline/debug/history.h"

enum {
    SIZE = 12,
    DRAWS = 14,
    TRIANGLES = 4,
    MOST = SIZE * SIZE * 8,
    OUTSIDE = 3,
    CLEARED = 5 /* number of the draw that a clear precedes */
};

struct scene {
    struct fixture f;
    uint32_t samples;
    uint64_t seed;
    int32_t origin; /* place of the drawn square in the target, on both axes */
    float v[DRAWS][3 * TRIANGLES][8];
    struct { /* one for each draw */
        struct tp_rect scissor;
        bool cull_front, cull_back, clear, copy;
    } draw[DRAWS];
    struct raster_probe_pixel at[MOST + OUTSIDE];
    uint32_t pixels;
    uint32_t before[DRAWS][MOST][2], after[DRAWS][MOST][2]; /* colour and zeta words */
};

static float rnd(struct scene *s) {
    return random_float(&s->seed, 0, 1);
}

static void make_scene(struct scene *s, uint32_t samples, uint32_t seed, int32_t origin) {
    const uint32_t o = (uint32_t)origin;
    s->samples = samples;
    s->origin = origin;
    s->seed = seed;
    for (int d = 0; d < DRAWS; d++) {
        for (int i = 0; i < 3 * TRIANGLES; i++)
            for (int k = 0; k < 8; k++)
                s->v[d][i][k] = k < 2    ? 3 * rnd(s) - 1.5f
                                : k == 2 ? 1.6f * rnd(s) - 0.8f
                                : k == 3 ? 1
                                         : rnd(s);
        s->draw[d].scissor =
            (struct tp_rect){o + (uint32_t)(rnd(s) * 5), o + (uint32_t)(rnd(s) * 5), 7, 8};
        s->draw[d].cull_front = rnd(s) < 0.2f;
        s->draw[d].cull_back = rnd(s) < 0.2f;
        s->draw[d].clear = d == CLEARED;
        s->draw[d].copy = d % 4 == 3;
    }
    s->pixels = 0;
    for (int32_t y = SIZE - 1; y >= 0; y--) /* not in order of address */
        for (int32_t x = 0; x < SIZE; x++)
            for (uint32_t k = 0; k < samples; k++)
                s->at[s->pixels++] = (struct raster_probe_pixel){origin + x, origin + y, 0, k};
    s->at[s->pixels] = (struct raster_probe_pixel){origin + SIZE, origin + 4, 0,
                                                   0}; /* two pixels and a sample outside */
    s->at[s->pixels + 1] = (struct raster_probe_pixel){origin + 3, origin + SIZE, 0, 0};
    s->at[s->pixels + 2] = (struct raster_probe_pixel){origin + 4, origin + 4, 0, samples};
}

static void open_scene(struct scene *s) {
    struct fixture *f = &s->f;
    const uint32_t size = (uint32_t)s->origin + SIZE;
    fixture_open(f, 1, NULL, size);
    fixture_samples(f, size, size, s->samples);
    OK(f, tp_set_viewport(f->context, 0, (float)s->origin, (float)s->origin, SIZE, SIZE));
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH | TP_CLEAR_STENCIL, NULL, 1, 7));
    fixture_depth(f, TP_LEQUAL);
    OK(f, tp_set_blend(f->context, 0,
                       &(struct tp_blend_target){.enable = true,
                                                 .src_rgb = TP_SRC_ALPHA,
                                                 .dst_rgb = TP_ONE_MINUS_SRC_ALPHA,
                                                 .src_alpha = TP_FACTOR_ONE,
                                                 .dst_alpha = TP_FACTOR_ONE}));
}

/* ---- the content of the targets ---- */

static struct surface shape_of(const struct target_state *t) {
    return SURFACE(t->format, t->width, t->height, 1, .linear = t->linear, .pitch = t->pitch,
                   .tile_h = t->tile_h, .tile_d = t->tile_d);
}

/* The address of a sample. Samples of a pixel lie beside and below each other. */
static uint64_t address_of(const struct scene *s, const struct target_state *t,
                           const struct raster_probe_pixel *p) {
    static const uint8_t place[9][8][2] = {
        [1] = {{0, 0}},
        [2] = {{0, 0}, {1, 0}},
        [4] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}},
        [8] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {3, 0}, {2, 1}, {3, 1}}};
    static const uint8_t across[9] = {[1] = 1, [2] = 2, [4] = 2, [8] = 4},
                         down[9] = {[1] = 1, [2] = 1, [4] = 2, [8] = 2};
    const struct surface shape = shape_of(t);
    const uint32_t x = (uint32_t)p->x * across[s->samples] + place[s->samples][p->sample][0];
    const uint32_t y = (uint32_t)p->y * down[s->samples] + place[s->samples][p->sample][1];
    return t->address + surface_offset(&shape, 4 * x, y, 0);
}

static uint32_t word_of(const struct scene *s, const struct target_state *t,
                        const struct raster_probe_pixel *p) {
    uint32_t word;
    memcpy(&word, memory_at(s->f.device->memory, address_of(s, t, p), 4), 4);
    return word;
}

/* Copies to some samples of the colour target, word by word. */
static void copy_words(struct scene *s, int d) {
    for (uint32_t i = (uint32_t)d; i < s->pixels; i += 7) {
        const uint64_t address = address_of(s, &s->f.context->state.color[0], &s->at[i]);
        const uint32_t texel = 0xff102030 + 0x01050301 * i;
        context_before_write(s->f.context, address, 4);
        memcpy(memory_at(s->f.device->memory, address, 4), &texel, 4);
    }
}

static void before_draw(struct scene *s, int d) {
    static const uint32_t texels[4] = {0xff102030, 0x80405060, 0x00708090, 0x12345678};
    struct fixture *f = &s->f;
    if (s->draw[d].clear)
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH,
                       (const float[4]){0.2f, 0.4f, 0.6f, 1}, 0.9f, 0));
    if (s->draw[d].copy && s->samples > 1)
        copy_words(s, d);
    else if (s->draw[d].copy)
        OK(f, tp_texture_write_rect(
                  f->context, f->color, 0, 0,
                  &(struct tp_rect){(uint32_t)(s->origin + d % 9), (uint32_t)s->origin + 4, 2, 2},
                  texels, 8));
    OK(f, tp_set_scissor(f->context, 0, s->draw[d].scissor.x, s->draw[d].scissor.y,
                         s->draw[d].scissor.width, s->draw[d].scissor.height));
    OK(f, tp_set_raster(f->context, &(struct tp_raster_state){.cull_front = s->draw[d].cull_front,
                                                              .cull_back = s->draw[d].cull_back}));
}

static void read_all(struct scene *s, uint32_t to[MOST][2]) {
    const struct state *st = &s->f.context->state;
    OK(&s->f, tp_finish(s->f.context));
    for (uint32_t i = 0; i < s->pixels; i++) {
        to[i][0] = word_of(s, &st->color[0], &s->at[i]);
        to[i][1] = word_of(s, &st->zeta, &s->at[i]);
    }
}

/* ---- the content of the history ---- */

/* The entry's texel as the word that the target holds. */
static uint32_t packed(const struct history_entry *e, const uint32_t v[4]) {
    uint8_t bytes[4];
    uint32_t word;
    if (e->color_target < 0)
        return v[0] | v[1] << 24;
    format_encode(e->format, v, bytes);
    memcpy(&word, bytes, 4);
    return word;
}

static bool writes(const struct history_entry *e) {
    return e->kind != HISTORY_PRIMITIVE || e->verdict == RASTER_WRITTEN;
}

static bool faces_front(const struct scene *s, int d, uint32_t triangle) {
    const float(*v)[8] = &s->v[d][3 * triangle];
    return (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[1][1] - v[0][1]) * (v[2][0] - v[0][0]) >
           0;
}

static void check_primitive(const struct scene *s, const struct history *h,
                            const struct history_entry *e, uint32_t pixel) {
    const struct traced_primitive *p = history_primitive(h, e);
    const struct raster_probe_pixel *at = &s->at[pixel];
    const int d = (int)e->draw - 1;
    assert_non_null(p);
    assert_int_equal(p->draw, e->draw);
    assert_true(p->number < TRIANGLES && p->primitive == p->number && p->instance == 0 &&
                p->vertices == 3 && p->maker == PROGRAM_VP);
    for (uint32_t k = 0; k < 3; k++) {
        assert_int_equal(p->vertex[k].number, 3 * p->number + k);
        assert_memory_equal(p->vertex[k].clip, s->v[d][3 * p->number + k], 16);
    }
    const bool front = faces_front(s, d, p->number),
               inside = (uint32_t)at->x - s->draw[d].scissor.x < 7 &&
                        (uint32_t)at->y - s->draw[d].scissor.y < 8;
    const bool culled = front ? s->draw[d].cull_front : s->draw[d].cull_back;
    if (e->verdict == RASTER_SCISSORED)
        assert_true(!inside && !culled);
    else if (e->verdict == RASTER_CULLED)
        assert_true(culled);
    else
        assert_true(inside && !culled);
    assert_int_equal(e->front, front);
    if (e->verdict < RASTER_NOT_COVERED)
        return;
    assert_true(e->zeta_tested || e->verdict == RASTER_NOT_COVERED);
    assert_int_equal(e->zeta_passed, e->verdict == RASTER_WRITTEN);
    if (e->verdict != RASTER_WRITTEN)
        return;
    assert_true(e->ran && e->inputs == 5);
    for (uint32_t k = 0; k < 4 && e->color_target == 0; k++) {
        float source;
        memcpy(&source, &e->source[k], 4);
        assert_float_equal(source, e->input[k + 1].value / e->input[0].value, 1e-4);
        assert_int_equal(e->input[k + 1].slot, 4 + k);
    }
}

static void check_pixel(const struct scene *s, struct history *h, uint32_t pixel, bool zeta) {
    const struct target_state *t = zeta ? &s->f.context->state.zeta : &s->f.context->state.color[0];
    const struct surface shape = shape_of(t);
    size_t count, at = 0;
    const struct history_entry *const *e = history_select(h, pixel, t->address, &shape, 0, &count);
    for (size_t i = 0; i < count; i++) {
        bool later = false;
        for (size_t k = i + 1; k < count; k++)
            later |= writes(e[k]);
        assert_int_equal(e[i]->overwritten, writes(e[i]) && later);
        assert_int_equal(e[i]->pixel, pixel);
        assert_int_equal(e[i]->color_target, zeta ? -1 : 0);
    }
    for (int d = 0; d < DRAWS; d++) {
        const uint32_t before = s->before[d][pixel][zeta], after = s->after[d][pixel][zeta];
        uint32_t now = before, last = 0;
        const size_t first = at;
        for (; at < count && e[at]->draw == (uint64_t)d && e[at]->kind != HISTORY_PRIMITIVE; at++)
            if (e[at]->kind == HISTORY_COPY) {
                assert_true(s->draw[d].copy && !zeta);
                assert_int_equal(packed(e[at], e[at]->after), before);
            } else {
                assert_true(s->draw[d].clear);
            }
        /* values that a clear hides are unknown, if no entry read them */
        bool looked = d >= CLEARED;
        for (size_t k = at; k < count && e[k]->draw <= CLEARED; k++)
            looked |= e[k]->kind == HISTORY_PRIMITIVE && e[k]->verdict >= RASTER_NOT_COVERED;
        if (d && looked && before != s->after[d - 1][pixel][zeta] &&
            at == first) /* changes by other work have entries, too */
            fail_msg("%u samples, pixel %d, %d, zeta %d: nothing before draw %d; copy %d, clear %d",
                     s->samples, s->at[pixel].x, s->at[pixel].y, zeta, d, s->draw[d].copy,
                     s->draw[d].clear);
        for (; at < count && e[at]->draw == (uint64_t)d + 1 && e[at]->kind == HISTORY_PRIMITIVE;
             at++) {
            check_primitive(s, h, e[at], pixel);
            assert_true(history_primitive(h, e[at])->number >= last);
            last = history_primitive(h, e[at])->number;
            if (e[at]->verdict < RASTER_NOT_COVERED)
                continue;
            assert_int_equal(packed(e[at], e[at]->before), now);
            if (writes(e[at]))
                now = packed(e[at], e[at]->after);
        }
        if (now != after)
            fail_msg("%u samples, pixel %d, %d sample %u, draw %d: %08x, not %08x", s->samples,
                     s->at[pixel].x, s->at[pixel].y, s->at[pixel].sample, d, now, after);
    }
    assert_int_equal(at, count);
}

static void check_outside(const struct scene *s, struct history *h, uint32_t pixel) {
    const struct target_state *t = &s->f.context->state.color[0];
    const struct surface shape = shape_of(t);
    size_t count;
    const struct history_entry *const *e = history_select(h, pixel, t->address, &shape, 0, &count);
    for (size_t i = 0; i < count; i++)
        if (e[i]->kind != HISTORY_PRIMITIVE || e[i]->verdict >= RASTER_NOT_COVERED)
            fail_msg("pixel %d, %d sample %u: kind %d", s->at[pixel].x, s->at[pixel].y,
                     s->at[pixel].sample, e[i]->kind);
}

static void check_scene(uint32_t samples, uint32_t seed, int32_t origin) {
    static struct scene s;
    make_scene(&s, samples, seed, origin);
    for (int watched = 0; watched < 2; watched++) {
        struct history *h = NULL;
        open_scene(&s);
        OK(&s.f, tp_finish(s.f.context));
        if (watched) {
            h = history_create(s.f.device, s.at, s.pixels + OUTSIDE, NULL);
            assert_non_null(h);
            assert_true(history_watch(h, s.f.context));
        }
        for (int d = 0; d < DRAWS; d++) {
            before_draw(&s, d);
            if (!watched)
                read_all(&s, s.before[d]);
            fixture_draw(&s.f, TP_TRIANGLES, (const float(*)[8])s.v[d], 3 * TRIANGLES);
            if (!watched)
                read_all(&s, s.after[d]);
        }
        if (watched) {
            history_end(h);
            assert_false(history_incomplete(h));
            for (uint32_t i = 0; i < s.pixels; i++)
                for (int zeta = 0; zeta < 2; zeta++)
                    check_pixel(&s, h, i, zeta);
            for (uint32_t i = s.pixels; i < s.pixels + OUTSIDE; i++)
                check_outside(&s, h, i);
            history_free(h);
        }
        fixture_close(&s.f);
    }
}

TEST(test_chains) {
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        check_scene(samples, samples + 3, 0);
    check_scene(1, 99, 0);
    for (uint32_t samples = 1; samples <= 8; samples *= 2)
        check_scene(samples, samples + 20, TILE_SIZE - SIZE / 2);
}

/* Draws a triangle and returns the pixel's history entry with its trace, valid until the history is
 * freed. */
static const struct history_entry *draw_traced(struct fixture *f,
                                               const struct raster_probe_pixel *at,
                                               const float (*vertices)[8], struct history **h) {
    const struct target_state *t = &f->context->state.color[0];
    size_t count;
    *h = history_create(f->device, at, 1, &(struct history_options){.trace = true});
    assert_true(history_watch(*h, f->context));
    fixture_draw(f, TP_TRIANGLES, vertices, 3);
    history_end(*h);
    const struct surface shape = shape_of(t);
    const struct history_entry *const *e = history_select(*h, 0, t->address, &shape, 0, &count);
    assert_int_equal(count, 1);
    return e[0];
}

/* Traces of fragments: each instruction, its changes, the end, and which instruction discarded the
 * fragment. */
TEST(test_traces) {
    static const char discard_fp[] =
        ".interpolants position=w smooth=4\nmov b32 $r0 1.0\nmov b32 $r1 2.0\ndiscard\nexit nop\n";
    static const float whole[3][8] = {WHOLE(0, 1, 0.5f, 0.25f, 1)};
    static const uint32_t color[4] = {0x3f800000, 0x3f000000, 0x3e800000, 0x3f800000};
    const struct raster_probe_pixel at = {5, 6, 0, 0};
    for (int discards = 0; discards < 2; discards++) {
        FIXTURE(f, 1, NULL, SIZE);
        if (discards)
            fixture_bind(&f, TP_FRAGMENT, discard_fp);
        OK(&f, tp_finish(f.context));
        struct history *h;
        const struct history_entry *e = draw_traced(&f, &at, whole, &h);
        const struct lane_trace *trace = e->trace;
        assert_non_null(trace);
        assert_int_equal(trace->lane & 3, (at.x & 1) | (at.y & 1) << 1);
        assert_false(trace->cut);
        assert_int_equal(trace->discarded, discards);
        assert_int_equal(e->verdict, discards ? RASTER_DISCARDED : RASTER_WRITTEN);
        assert_int_equal(e->discarded_by, discards ? 0x10 : HISTORY_NO_ADDRESS);
        assert_true(trace->count >= (discards ? 3 : 7));
        uint32_t pc = 0, r[WARP_REGS] = {0};
        for (size_t i = 0; i < trace->count; i++) {
            assert_true(i == 0 || trace->step[i].pc > pc);
            pc = trace->step[i].pc;
            for (uint32_t k = 0; k < trace->step[i].changes; k++) {
                const struct trace_change *c = &trace->change[trace->step[i].change + k];
                r[c->reg] = c->value;
            }
        }
        for (int k = 0; k < 4 && !discards; k++)
            assert_int_equal(r[k], color[k]);
        if (discards)
            assert_true(r[0] == 0x3f800000 && r[1] == 0x40000000);
        history_free(h);
    }
}

/* A long trace is cut, and says so. */
TEST(test_long_traces) {
    static const float whole[3][8] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    const struct raster_probe_pixel at = {5, 6, 0, 0};
    for (unsigned times = 1 << 18; times <= 1 << 19; times *= 2) { /* loops of two instructions */
        char text[256];
        FIXTURE(f, 1, NULL, SIZE);
        snprintf(text, sizeof text,
                 ".interpolants position=w smooth=4\nmov b32 $r4 0x%x\nmov b32 $r5 1\n"
                 "again: sub b32 $c0 $r4 $r4 $r5\n(lg $c0) bra #again\nexit nop\n",
                 times);
        fixture_bind(&f, TP_FRAGMENT, text);
        OK(&f, tp_finish(f.context));
        OK(&f, tp_set_scissor(f.context, 0, at.x, at.y, 1, 1));
        struct history *h;
        const struct history_entry *e = draw_traced(&f, &at, whole, &h);
        const bool cut = 2 * times + 3 > TRACE_STEPS;
        assert_int_equal(e->trace->cut, cut);
        assert_int_equal(e->trace->count, cut ? TRACE_STEPS : 2 * times + 3);
        history_free(h);
    }
}
