/* The program's floating-point mode has no effect: the pixels are those of the plain mode, nothing
 * traps, and the program has its mode afterwards. */
#define _GNU_SOURCE /* feenableexcept */
#include "base/fp_mode.h"
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include <fenv.h>

enum { SIZE = 64, MIPS = 8, VERTICES = 300 };

struct results {
    uint8_t drawn[SIZE * SIZE * 4], scaled[SIZE * SIZE * 4];
    uint32_t mean[MIPS / 2][MIPS / 2];
};

static float vertex[VERTICES][8];
static uint32_t texel[MIPS][MIPS]; /* half of the texels are denormals */

static void make_inputs(void) {
    for (unsigned i = 0; i < VERTICES; i++) {
        const float turn = 0.07f * (float)i, r = i % 3 == 1 ? 0.2f : 0.9f, t = (float)i / VERTICES;
        memcpy(vertex[i], (float[8]){r * cosf(turn), r * sinf(turn), t, 1.3f, t, 1 - t, 0.3f, 1},
               sizeof vertex[i]);
    }
    for (uint32_t i = 0; i < MIPS * MIPS; i++)
        texel[i / MIPS][i % MIPS] = (i & 4 ? 0x3f000001 : 0x1001) + 3 * i * i;
}

/* Makes calls of each kind. They assemble a number (its last bits are the sign of blue), compute
 * vertices and tiles, take means, and copy with a scale. */
static void draw(int threads, struct results *out) {
    FIXTURE(f, threads, NULL, SIZE);
    fixture_bind(&f, TP_FRAGMENT,
                 ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
                 "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\ninterp $r2 v[0xc] $r4\n"
                 "interp $r3 v[0x10] $r4\nmov b32 $r2 0.7\nshl b32 $r2 $r2 29\nexit nop\n");
    OK(&f, tp_set_viewport(f.context, 0, 0.3f, 0.1f, SIZE / 1.1f, SIZE / 1.3f));
    OK(&f, tp_set_blend(f.context, 0, &fixture_add));
    fixture_depth(&f, TP_LEQUAL);
    OK(&f, tp_clear(f.context, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, vertex[7], 0.7f, 0));
    fixture_draw(&f, TP_TRIANGLES, vertex, VERTICES);
    fixture_read(&f);
    memcpy(out->drawn, f.pixels, sizeof out->drawn);

    const struct tp_texture_info mipmapped =
        TEXTURE_INFO(TP_TEXTURE_2D, TP_FORMAT_R32F, MIPS, MIPS, .levels = 2);
    tp_texture *const mips = fixture_texture(&f, &mipmapped);
    OK(&f, tp_texture_write(f.context, mips, 0, 0, texel, sizeof texel[0]));
    OK(&f, tp_texture_generate_mipmaps(f.context, mips));
    OK(&f, tp_texture_read(f.context, mips, 1, 0, out->mean, sizeof out->mean[0]));

    tp_texture *const scaled = fixture_picture(&f, TP_FORMAT_RGBA8, SIZE, SIZE);
    const struct tp_rect all = {0, 0, SIZE, SIZE}, part = {3, 5, 41, 37};
    OK(&f, tp_texture_blit(f.context, (struct tp_texture_place){scaled, 0, 0}, &all,
                           (struct tp_texture_place){f.color, 0, 0}, &part, true));
    OK(&f, tp_texture_read(f.context, scaled, 0, 0, out->scaled, (size_t)SIZE * 4));
}

/* ---- modes ---- */

static void round_up(void) {
    fesetround(FE_UPWARD);
}

static void flush(void) {
    fp_set_mode(fp_mode() | FP_FLUSH);
}

static void trap(void) {
#ifdef __GLIBC__
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
#endif
}

/* The thread's floating-point mode, and the C library's rounding direction. */
struct mode {
    unsigned mode;
    int direction;
};

static struct mode mode_now(void) {
    return (struct mode){fp_mode() & ~(unsigned)FP_STICKY, fegetround()};
}

/* The results of 1 and 2 threads in a mode are those of one thread in the plain mode. */
static void check_mode(void (*enter)(void)) {
    static struct results plain, other;
    make_inputs();
    draw(1, &plain);
    for (int threads = 1; threads <= 2; threads++) {
        fenv_t usual;
        const unsigned usual_mode = fp_mode();
        fegetenv(&usual);
        memset(&other, 0xee, sizeof other);
#ifdef FP_HOST_MODE /* else no mode of the host may change */
        enter();
#else
        (void)enter;
#endif
        const struct mode before = mode_now();
        draw(threads, &other);
        const struct mode after = mode_now();
        fesetenv(&usual);
        fp_set_mode(usual_mode);
        assert_int_equal(after.mode, before.mode);
        assert_int_equal(after.direction, before.direction);
        assert_memory_equal(other.drawn, plain.drawn, sizeof plain.drawn);
        assert_memory_equal(other.mean, plain.mean, sizeof plain.mean);
        assert_memory_equal(other.scaled, plain.scaled, sizeof plain.scaled);
    }
}

TEST(test_rounding) {
    check_mode(round_up);
}

TEST(test_flush) {
    check_mode(flush);
}

TEST(test_traps) {
    check_mode(trap);
}
