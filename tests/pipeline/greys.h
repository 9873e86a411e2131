/* Fixture: programs that write one value as grey, squares and rows of points for them, and the red
 * of a pixel, on a target of 64 x 64 pixels. */
#ifndef TESTS_PIPELINE_GREYS_H
#define TESTS_PIPELINE_GREYS_H

#include "tests/pipeline/fixture.h"

enum { SIZE = 64 };

#define PASS_POSITION                                                                              \
    "mov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 o[0x8] a[0x8]\nmov b32 o[0xc] a[0xc]\n"
/* Writes $r0 as the colour. */
#define GREY                                                                                       \
    "mov b32 o[0x10] $r0\nmov b32 o[0x14] $r0\nmov b32 o[0x18] $r0\nexit mov b32 o[0x1c] $r0\n"

static const float square[4][8] = {{-1, -1, 0, 1, 1, 1, 1, 1},
                                   {1, -1, 0, 1, 1, 1, 1, 1},
                                   {1, 1, 0, 1, 1, 1, 1, 1},
                                   {-1, 1, 0, 1, 1, 1, 1, 1}};

static inline uint32_t red_at(const struct fixture *f, uint32_t x, uint32_t y) {
    return fixture_pixel(f, x, y) & 0xff;
}

/* A row of points at every other pixel. */
static inline void make_row(float v[][8], uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const float all[8] = {(float)(4 * i + 1) / SIZE - 1, 0.01f, 0, 1, 1, 1, 1, 1};
        memcpy(v[i], all, sizeof all);
    }
}

enum {
    T_AT = 1024,
    T_BYTES = 4 * SIZE * SIZE,
    T_ROOM = T_BYTES + 2 * T_AT,
    OLD = 9,
    NEW = 5,
    SHOWN = 100
};

struct drawn_words {
    struct fixture f;
    tp_buffer *words;
    tp_program *constant_vp, *constant_fp;
    uint32_t word[T_ROOM / 4];
};

#define NUMBERED "cvt rn f32 $r0 u32 $r0\nmul f32 $r0 $r0 0x3b808081\n"

static inline void open_words(struct drawn_words *w, int threads) {
    static const char vp_text[] =
        ".attr 0 xyzw\n.output position o[0x0]\n.output varying o[0x10] 4\n" PASS_POSITION
        "ld $r0 b32 c0[0x100]\n" NUMBERED GREY;
    static const char fp_text[] =
        ".interpolants position=w smooth=4\nld $r0 b32 c0[0x100]\n" NUMBERED
        "mov b32 $r1 $r0\nmov b32 $r2 $r0\nmov b32 $r3 1.0\nexit nop\n";
    fixture_open(&w->f, threads, NULL, SIZE);
    w->words = fixture_buffer(&w->f, T_ROOM, NULL);
    w->constant_vp = fixture_program(&w->f, TP_VERTEX, vp_text);
    w->constant_fp = fixture_program(&w->f, TP_FRAGMENT, fp_text);
}

static inline void close_words(struct drawn_words *w) {
    fixture_close(&w->f);
}

static inline void draw_point(struct fixture *f, uint32_t first) {
    OK(f, draw_begin(f->context, TP_POINTS, DRAW_INSTANCE_FIRST));
    OK(f, draw_arrays(f->context, first, 1));
    OK(f, draw_end(f->context));
}

#endif
