/* Sizes of targets and of their memory. */
#include "pipeline/context_private.h"
#include "shader/cta.h"
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

enum { SIZE = 16 };

/* The largest targets work; larger ones and targets that exceed their memory are refused with a
 * message, in draws and in clears. Valid targets afterwards work as usual. */
DRAW_TEST(test_targets, 1, SIZE) {
    enum { WIDE = 8192 * 4 };
    static const struct raster_rect all = {0, 0, SIZE, SIZE};
    static const float whole[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    static const struct {
        uint32_t width, height, layers;
        uint8_t tile_h, tile_d;
        bool is_3d, linear;
        const char *says; /* expected message; NULL: the target works */
    } rows[] = {
        {SIZE, SIZE, 1, 0, 0, false, true, NULL},
        {WIDE, 1, 1, 0, 0, false, true, NULL},
        {WIDE + 1, 1, 1, 0, 0, false, true, "too large"},
        {1, WIDE + 1, 1, 0, 0, false, true, "too large"},
        {0, SIZE, 1, 0, 0, false, true, "too large"},
        {SIZE, 0, 1, 0, 0, false, true, "too large"},
        {SIZE, SIZE, 512, 0, 0, false, true, NULL},
        {SIZE, SIZE, 513, 0, 0, false, true, "too large"},
        {SIZE, SIZE, 513, 0, 0, true, false, NULL},
        {SIZE, SIZE, 2048, 0, 0, true, false, NULL},
        {SIZE, SIZE, 2049, 0, 0, true, false, "too large"},
        {SIZE, SIZE, 1, 5, 5, false, false, NULL},
        {SIZE, SIZE, 1, 6, 0, false, false, "too large"},
        {SIZE, SIZE, 1, 0, 6, false, false, "too large"},
        {WIDE, WIDE, 1, 0, 0, false, false, "does not fit"},
    };
    tp_context *const c = f->context;
    struct state *const s = &c->state;
    fixture_vertices(f, whole, 3);
    tp_buffer *b = fixture_buffer(f, 4 << 20, NULL);
    const struct target_state color = s->color[0], zeta = s->zeta;
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        const size_t r = i / 2;
        const bool of_zeta = i & 1;
        if (of_zeta && rows[r].is_3d)
            continue;
        struct target_state *t = of_zeta ? &s->zeta : &s->color[0];
        *t = TARGET(tp_buffer_address(b), of_zeta ? FORMAT_Z24S8 : FORMAT_RGBA8_UNORM,
                    rows[r].width, rows[r].height, rows[r].width * 4, .linear = rows[r].linear,
                    .tile_h = rows[r].tile_h, .tile_d = rows[r].tile_d, .layer_stride = 4096);
        s->color_count = !of_zeta;
        s->zeta_enable = of_zeta;
        s->layers = rows[r].layers;
        s->layers_3d = rows[r].is_3d;
        state_touch(s, GROUP_TARGET);
        char what[40];
        snprintf(what, sizeof what, "%s target 0: %ux%u", of_zeta ? "zeta" : "colour",
                 rows[r].width, rows[r].height);
        for (int clear = 0; clear < 2; clear++) {
            OK(f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
            OK(f, draw_arrays(c, 0, 3));
            const enum tp_result ended = draw_end(c);
            const enum tp_result got =
                clear ? context_clear(c, CLEAR_COLOR_BITS | CLEAR_DEPTH, 0, 0, 1, &all) : ended;
            if (rows[r].says ? got != TP_ERROR_INVALID : got != TP_OK)
                fail_msg("row %zu, %s, %s: %d", r, what, clear ? "clear" : "draw", got);
            if (rows[r].says && (!strstr(tp_message(f->device), rows[r].says) ||
                                 strncmp(tp_message(f->device), what, strlen(what))))
                fail_msg("row %zu: '%s', not '%s ... %s'", r, tp_message(f->device), what,
                         rows[r].says);
        }
        s->color[0] = color;
        s->zeta = zeta;
        s->layers = s->color_count = 1;
        s->layers_3d = false;
        s->zeta_enable = true;
        state_touch(s, GROUP_TARGET);
        OK(f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        OK(f, draw_arrays(c, 0, 3));
        OK(f, draw_end(c));
        fixture_read(f);
        assert_int_equal(fixture_count(f), SIZE * SIZE);
        OK(f, tp_clear(c, TP_CLEAR_COLOR, NULL, 1, 0));
        OK(f, tp_finish(c));
    }
}

/* Without a target, the raster area is the intersection of the screen scissor and the scissor. A
 * new screen scissor applies to the next draw. When targets come back, they set the area again. */
DRAW_TEST(test_no_surface, 2, SIZE) {
    static const float whole[3][8] = {WHOLE(0, 1, 1, 1, 1)};
    static const struct {
        struct raster_rect screen;
        uint32_t color_count, samples;
    } rows[] = {
        {{0, 0, 100, 70}, 0, 100 * 70}, {{0, 0, 100, 70}, 2, 100 * 70}, {{10, 5, 30, 9}, 0, 20 * 4},
        {{0, 0, 8192, 1}, 1, 8192},     {{0, 0, 65535, 1}, 0, 8192},    {{0, 0, 0, 70}, 0, 0},
        {{0, 0, 64, 64}, 0, 64 * 64},
    };
    tp_context *const c = f->context;
    struct state *const s = &c->state;
    const struct state before = *s;
    fixture_vertices(f, whole, 3);
    s->screen_scissor_enable = true;
    s->viewport[0].scissor_enable = false;
    s->viewport[0].scale[0] = s->viewport[0].translate[0] = 8192;
    s->viewport[0].scale[1] = s->viewport[0].translate[1] = 64;
    memset(&s->color, 0, sizeof s->color);
    s->zeta_enable = false;
    s->sample.count = true;
    s->layers = 7;
    for (int g = 0; g < STATE_GROUPS; g++)
        state_touch(s, (enum state_group)g);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tp_statistics stat;
        if (s->color_count != rows[i].color_count)
            state_touch(s, GROUP_TARGET);
        s->color_count = rows[i].color_count;
        s->screen_scissor = rows[i].screen;
        state_touch(s, GROUP_VIEW);
        tp_reset_statistics(c);
        OK(f, draw_begin(c, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
        OK(f, draw_arrays(c, 0, 3));
        OK(f, draw_end(c));
        OK(f, tp_get_statistics(c, &stat));
        if (stat.samples_passed != rows[i].samples)
            fail_msg("row %zu: %llu samples", i, (unsigned long long)stat.samples_passed);
    }
    *s = before;
    for (int g = 0; g < STATE_GROUPS; g++)
        state_touch(s, (enum state_group)g);
    fixture_draw(f, TP_TRIANGLES, whole, 3);
    fixture_read(f);
    assert_int_equal(fixture_count(f), SIZE * SIZE);
}
