/* Reports of sample counts that do not wait: random sequences of draws, resets and reports give the
 * same numbers as with a wait after each report, for any number of threads. A reader or writer of a
 * report's memory finds the report there. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/context_private.h"

enum { SIZE = 160, QUADS = 200, STEPS = 3000, REPORTS = 5000, REPORT_BYTES = 16 };

struct world {
    struct fixture f;
    tp_texture *other; /* target */
    uint64_t seed;
    bool waits; /* waits after each report */
    uint32_t told, asked;
    uint32_t sequence[REPORTS];
    uint64_t samples[REPORTS];
};

static uint32_t next(struct world *w, uint32_t n) {
    return (uint32_t)random_next(&w->seed) % n;
}

static void note_report(void *self, uint64_t address, uint32_t sequence, uint64_t samples) {
    struct world *w = self;
    assert_int_equal(address, 0x1000 + REPORT_BYTES * (uint64_t)w->told);
    w->sequence[w->told] = sequence;
    w->samples[w->told++] = samples;
}

static void note_anything(void *self, uint64_t address, uint32_t sequence, uint64_t samples) {
    (void)self, (void)address, (void)sequence, (void)samples;
}

static void open_world(struct world *w, int threads) {
    static float v[QUADS * 4][8];
    memset(w, 0, sizeof *w);
    fixture_open(&w->f, threads, NULL, SIZE);
    w->other = fixture_picture(&w->f, TP_FORMAT_RGBA8, SIZE, SIZE);
    w->seed = 7;
    for (int i = 0; i < QUADS; i++) {
        const float side = (float)(next(w, 10) ? 1 + next(w, 12) : 100) / SIZE;
        const float x = (float)next(w, 2000) / 1000 - 1, y = (float)next(w, 2000) / 1000 - 1;
        for (int k = 0; k < 4; k++) {
            v[4 * i + k][0] = x + (k & 1 ? side : 0);
            v[4 * i + k][1] = y + (k & 2 ? side : 0);
            v[4 * i + k][2] = (float)next(w, 1000) / 1000;
            v[4 * i + k][3] = v[4 * i + k][4] = v[4 * i + k][7] = 1;
        }
    }
    fixture_vertices(&w->f, v, QUADS * 4);
    fixture_depth(&w->f, TP_LESS);
    OK(&w->f, tp_count_samples(w->f.context, true));
    w->f.context->reports.self = w;
    w->f.context->reports.write = note_report;
}

static void ask(struct world *w) {
    tp_context *c = w->f.context;
    assert_true(context_report_samples(c, 0x1000 + REPORT_BYTES * (uint64_t)w->asked, REPORT_BYTES,
                                       3 * w->asked));
    w->asked++;
    if (w->waits) {
        context_flush(c);
        assert_int_equal(w->told, w->asked);
        assert_int_equal(context_counter(c, COUNTER_SAMPLES_PASSED), w->samples[w->told - 1]);
    }
}

static void step(struct world *w) {
    tp_context *c = w->f.context;
    const uint32_t what = next(w, 40), value = next(w, QUADS);
    const struct tp_depth_state depth = {.test = value & 1, .write = true, .func = TP_LESS};
    if (what < 22)
        OK(&w->f, tp_draw_arrays(c, TP_TRIANGLE_STRIP, 4 * value, 4));
    else if (what < 24)
        OK(&w->f, tp_draw(c, &DRAW_INFO(TP_TRIANGLE_STRIP, 4, .first = 4 * value, .instances = 3)));
    else if (what < 26)
        OK(&w->f, tp_set_depth(c, &depth));
    else if (what < 28)
        OK(&w->f, tp_count_samples(c, value & 3));
    else if (what < 29)
        OK(&w->f, tp_set_target(c, value & 1 ? w->other : w->f.color, w->f.zeta));
    else if (what < 30)
        OK(&w->f, tp_clear(c, TP_CLEAR_DEPTH, NULL, 1, 0));
    else if (what < 34)
        context_counter_reset(c, COUNTER_SAMPLES_PASSED);
    else if (w->asked < REPORTS)
        ask(w);
    if (!next(w, 300))
        context_flush(c);
}

static void close_world(struct world *w) {
    fixture_close(&w->f);
}

TEST(test_random) {
    static struct world first, w;
    static const int threads[] = {1, 2, 5};
    for (int i = 0; i < 4; i++) {
        open_world(&w, i ? threads[i - 1] : 2);
        w.waits = !i;
        for (int k = 0; k < STEPS; k++)
            step(&w);
        context_flush(w.f.context);
        assert_int_equal(w.told, w.asked);
        for (uint32_t k = 0; k < w.told; k++)
            assert_int_equal(w.sequence[k], 3 * k);
        if (!i)
            first = w;
        assert_int_equal(first.told, w.told);
        for (uint32_t k = 0; k < w.told; k++)
            if (first.samples[k] != w.samples[k])
                fail_msg("%d threads, report %u: %llu samples, not %llu", threads[i - 1], k,
                         (unsigned long long)w.samples[k], (unsigned long long)first.samples[k]);
        close_world(&w);
    }
    uint32_t numbers = 0;
    for (uint32_t k = 1; k < first.told; k++)
        numbers += first.samples[k] != first.samples[k - 1] && first.samples[k] > 0;
    assert_true(numbers > 100);
}

/* Counters of the front end are known before there are pixels; counters of fragment programs are
 * not. */
TEST(test_front_counters) {
    static const float v[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    for (int threads = 1; threads <= 2; threads++) {
        FIXTURE(f, threads, NULL, SIZE);
        for (uint32_t i = 1; i <= 3; i++) {
            fixture_draw(&f, TP_TRIANGLES, v, 3);
            assert_int_equal(context_counter(f.context, COUNTER_PRIMITIVES_IN), i);
            assert_int_equal(context_counter(f.context, COUNTER_VERTICES), 3 * i);
            assert_false(context_idle(f.context));
        }
        assert_int_equal(context_counter(f.context, COUNTER_FP_LAUNCHES), SIZE * SIZE);
        assert_true(context_idle(f.context));
    }
}

/* ---- readers of reports ---- */

static void write_number(void *self, uint64_t address, uint32_t sequence, uint64_t samples) {
    struct fixture *f = self;
    uint32_t *at = memory_at(f->context->device->memory, address, REPORT_BYTES);
    at[0] = sequence;
    at[1] = (uint32_t)samples;
}

struct looking {
    struct fixture f;
    tp_buffer *memory;
    uint64_t address;
    const uint32_t *words;
};

/* Queues a report of a whole target of samples, without a wait. */
static void open_looking(struct looking *l) {
    static const float v[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    fixture_open(&l->f, 2, NULL, SIZE);
    l->memory = fixture_buffer(&l->f, 256, NULL);
    l->address = tp_buffer_address(l->memory);
    l->words = memory_at(l->f.context->device->memory, l->address, 256);
    l->f.context->reports.self = &l->f;
    l->f.context->reports.write = write_number;
    OK(&l->f, tp_count_samples(l->f.context, true));
    fixture_draw(&l->f, TP_TRIANGLES, v, 3);
    assert_true(context_report_samples(l->f.context, l->address + 32, REPORT_BYTES, 77));
    assert_int_equal(l->words[9], 0);
    assert_false(context_idle(l->f.context));
}

static void close_looking(struct looking *l) {
    context_flush(l->f.context);
    fixture_close(&l->f);
}

TEST(test_readers) {
    static const struct {
        uint32_t offset, size;
        bool meets;
    } row[] = {{0, 32, false}, {48, 100, false}, {0, 33, true},
               {47, 1, true},  {36, 4, true},    {0, 256, true}};
    for (size_t i = 0; i < 2 * (LENGTH(row)); i++) {
        struct looking l;
        open_looking(&l);
        (i & 1 ? context_before_read
               : context_before_write)(l.f.context, l.address + row[i / 2].offset, row[i / 2].size);
        assert_int_equal(l.words[8], row[i / 2].meets ? 77 : 0);
        assert_int_equal(l.words[9], row[i / 2].meets ? SIZE * SIZE : 0);
        close_looking(&l);
    }
}

/* A clear is conditional on two reports, and left out if they differ. */
TEST(test_condition) {
    struct looking l;
    open_looking(&l);
    OK(&l.f, tp_set_condition(l.f.context, TP_IF_EQUAL, l.memory, 32));
    OK(&l.f, tp_clear(l.f.context, TP_CLEAR_COLOR, NULL, 1, 0));
    OK(&l.f, tp_set_condition(l.f.context, TP_IF_ALWAYS, NULL, 0));
    fixture_read(&l.f);
    assert_int_equal(fixture_count(&l.f), SIZE * SIZE); /* the target was not cleared */
    close_looking(&l);
}

/* A query of the profile finishes the queued work and writes the reports. */
TEST(test_profiled) {
    struct tp_profile profile;
    struct looking l;
    open_looking(&l);
    OK(&l.f, tp_get_profile(l.f.context, &profile));
    assert_int_equal(l.words[9], SIZE * SIZE);
    assert_true(context_idle(l.f.context));
    close_looking(&l);
}

/* A draw has a texture or constants where a queued report will be written. The report is written
 * before the draw captures the texture or the constants. */
TEST(test_captured) {
    static const char *const programs[] = {
        ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\ninterp $r0 v[0x4]\ninterp $r1 v[0x8]\n"
        "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n",
        "ld $r0 b32 c0[0x24]\nmov b32 $r1 $r0\nmov b32 $r2 $r0\nexit mov b32 $r3 $r0\n"};
    for (int constants = 0; constants < 2; constants++) {
        struct looking l;
        open_looking(&l);
        tp_context *const c = l.f.context;
        tp_texture *texture = fixture_picture(&l.f, TP_FORMAT_RGBA8, 16, 16);
        fixture_bind(&l.f, TP_FRAGMENT, programs[constants]);
        OK(&l.f, tp_bind_texture(c, TP_FRAGMENT, 0, texture, NULL));
        OK(&l.f, tp_bind_constants(c, TP_FRAGMENT, 0, l.memory, 0, 256));
        const uint32_t *const word = c->state.tic[PROGRAM_FP][0].word;
        const uint64_t address =
            constants ? l.address + 32 : word[1] | (uint64_t)(word[2] & 0xff) << 32;
        context_flush(c);
        OK(&l.f, tp_draw_arrays(c, TP_TRIANGLES, 0, 3));
        assert_true(context_report_samples(c, address, REPORT_BYTES, 99));
        const uint32_t *const at = memory_at(c->device->memory, address, REPORT_BYTES);
        assert_int_not_equal(at[0], 99);
        OK(&l.f, tp_draw_arrays(c, TP_TRIANGLES, 0, 3));
        assert_int_equal(at[0], 99);
        OK(&l.f, tp_finish(c));
        OK(&l.f, tp_bind_program(c, TP_FRAGMENT, NULL));
        close_looking(&l);
    }
}

/* A draw or a clear writes to a target where a queued report will be written. The report is written
 * before the pixels. */
TEST(test_written_over) {
    for (int clears = 0; clears < 2; clears++) {
        struct looking l;
        open_looking(&l);
        tp_context *const c = l.f.context;
        l.f.color = fixture_texture(
            &l.f, &TEXTURE_INFO(TP_TEXTURE_2D, TP_FORMAT_RGBA8, SIZE, SIZE, .linear = true));
        const uint64_t address = tp_texture_address(l.f.color);
        assert_true(context_report_samples(c, address, REPORT_BYTES, 99));
        OK(&l.f, tp_set_target(c, l.f.color, l.f.zeta));
        if (clears)
            OK(&l.f, tp_clear(c, TP_CLEAR_COLOR, (const float[4]){1, 1, 1, 1}, 1, 0));
        else
            OK(&l.f, tp_draw_arrays(c, TP_TRIANGLES, 0, 3));
        fixture_read(&l.f);
        for (uint32_t x = 0; x < REPORT_BYTES / 4; x++)
            assert_int_equal(fixture_pixel(&l.f, x, 0), 0xffffffff);
        close_looking(&l);
    }
}

/* The same for vertices where a report will be written, in a repeated draw without a change of
 * state. */
TEST(test_fetched) {
    struct looking l;
    open_looking(&l);
    tp_context *const c = l.f.context;
    OK(&l.f, tp_bind_vertices(c, 0, l.memory, 0, 32, 0));
    for (int i = 0; i < 3; i++) {
        OK(&l.f, tp_draw_arrays(c, TP_TRIANGLES, 0, 3));
        assert_int_equal(l.words[9], i < 2 ? SIZE * SIZE : 0);
        context_before_write(c, l.address + 32, REPORT_BYTES); /* as before any other write */
        memset((uint32_t *)l.words + 8, 0, REPORT_BYTES);
        if (!i)
            assert_true(context_report_samples(c, l.address + 32, REPORT_BYTES, 78));
    }
    close_looking(&l);
}

/* Several reports at any places, in any order. A reader of a byte of a report waits, and no other
 * reader does. After the reports are written, no reader waits. */
TEST(test_many_places) {
    enum { BASE = 0x2000, SPAN = 96 };
    static const struct {
        uint32_t offset, size;
    } place[] = {{16, 4}, {20, 16}, {40, 16}, {64, 1}, {0, 16}};
    enum { PLACES = LENGTH(place) };
    static struct world w;
    open_world(&w, 1);
    tp_context *const c = w.f.context;
    c->reports.write = note_anything;
    context_flush(c);
    for (uint32_t order = 0; order < PLACES * PLACES * PLACES; order++) {
        const uint32_t chosen[3] = {order % PLACES, order / PLACES % PLACES,
                                    order / (PLACES * PLACES)};
        bool taken[SPAN + 32] = {false};
        assert_true(context_idle(c));
        for (int i = 0; i < 3; i++) {
            assert_true(context_report_samples(c, BASE + place[chosen[i]].offset,
                                               place[chosen[i]].size, 1));
            for (uint32_t k = 0; k < place[chosen[i]].size; k++)
                taken[16 + place[chosen[i]].offset + k] = true;
        }
        const bool same =
            chosen[0] == chosen[1] || chosen[0] == chosen[2] || chosen[1] == chosen[2];
        for (uint32_t at = 0; at < SPAN && !same; at++)
            for (uint32_t size = 1; size <= 17; size += 8) {
                bool meets = false;
                for (uint32_t k = 0; k < size && at + k < SPAN + 32; k++)
                    meets |= taken[at + k];
                if (context_awaits_report(c, BASE - 16 + at, size) != meets)
                    fail_msg("order %u: %u bytes at %d", order, size, (int)at - 16);
            }
        context_flush(c);
        for (uint32_t at = 0; at < SPAN; at++)
            assert_false(context_awaits_report(c, BASE - 16 + at, 8));
    }
    close_world(&w);
}

/* At most 4096 reports are pending, which bounds the search through them. */
TEST(test_no_more_than_so_many) {
    static struct world w;
    open_world(&w, 2);
    OK(&w.f, tp_draw_arrays(w.f.context, TP_TRIANGLE_STRIP, 0, 4));
    while (w.asked < REPORTS)
        ask(&w);
    assert_int_equal(w.told, 4096);
    context_flush(w.f.context);
    assert_int_equal(w.told, REPORTS);
    for (int i = 1; i < REPORTS; i++)
        assert_int_equal(w.samples[i], w.samples[0]);
    assert_true(w.samples[0] > 0);
    close_world(&w);
}
