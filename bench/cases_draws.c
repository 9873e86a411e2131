/* Cases of `bench units`: draws of one small quad each, which differ in the change between two
 * draws: none, constants, or a part of the state. The changed value cycles through eight values (of
 * programs, two), as with badly sorted draws. */
#include "bench/cases.h"

enum { DRAWS = 4000, VALUES = BENCH_TEXTURES, TEXELS = 4, SIDE = 8 /* pixels of a quad */ };

static const char vertex_program[] =
    ".attr 0 xy\n.output position o[0x0]\n.output varying o[0x10] 4\n"
    "mov b32 $r4 1.0\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\n"
    "mul f32 $r0 $r4 c0[0x0]\nmov b32 o[0x8] $r0\nmov b32 o[0xc] $r4\nmov b32 o[0x10] a[0x0]\n"
    "mov b32 o[0x14] a[0x4]\nmul f32 $r0 $r4 c0[0x4]\n"
    "mov b32 o[0x18] $r0\nexit mov b32 o[0x1c] $r4\n";
static const char *const fragment_programs[2] = {
    ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n",
    ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\ninterp $r2 v[0xc] $r4\n"
    "interp $r3 v[0x10] $r4\nexit nop\n"};

enum change {
    NOTHING,
    VERTEX_CONSTANTS,
    FRAGMENT_CONSTANTS,
    SCISSOR,
    BLENDING,
    DEPTH,
    TEXTURE,
    VERTICES,
    PROGRAM
};

static bool open_textures(struct bench *b) {
    const struct tp_texture_info t = {
        .kind = TP_TEXTURE_2D, .format = TP_FORMAT_RGBA8, .width = TEXELS, .height = TEXELS};
    for (int i = 0; i < VALUES; i++)
        if (tp_texture_create(b->device, &t, &b->texture[i]) != TP_OK)
            return false;
    return tp_bind_texture(b->context, TP_FRAGMENT, 0, b->texture[0], NULL) == TP_OK;
}

static bool open_programs(struct bench *b) {
    for (int i = 0; i < 2; i++)
        if (tp_program_from_text(b->device, TP_FRAGMENT, fragment_programs[i], "bench",
                                 &b->other[i]) != TP_OK)
            return false;
    return bench_program(b, TP_VERTEX, vertex_program) &&
           tp_bind_program(b->context, TP_FRAGMENT, b->other[0]) == TP_OK;
}

/* Prepares the quads, in rows and columns, with gaps as wide as a quad. */
static bool open_draws(struct bench *b) {
    static float v[DRAWS][4][2];
    const float side = 2.0f * SIDE / BENCH_SIZE;
    const float value[4] = {0, 0.5f, 0.5f, 1};
    for (int i = 0; i < DRAWS; i++) {
        const int cells = BENCH_SIZE / SIDE / 2;
        const float x = (float)(i % cells) * 2 * side - 1, y = (float)(i / cells) * 2 * side - 1;
        for (int k = 0; k < 4; k++) {
            v[i][k][0] = x + (k & 1 ? side : 0);
            v[i][k][1] = y + (k & 2 ? side : 0);
        }
    }
    return tp_set_constants(b->context, TP_VERTEX, 0, value, sizeof value) == TP_OK &&
           open_textures(b) && open_programs(b) && bench_buffer(b, 0, v, sizeof v) &&
           tp_bind_vertices(b->context, 0, b->buffer[0], 0, sizeof v[0][0], 0) == TP_OK &&
           tp_set_attribute(b->context, 0, 0, 0, 2, TP_FLOAT32) == TP_OK;
}

static bool change_state(struct bench *b, enum change what, uint32_t i) {
    const uint32_t n = i % VALUES;
    const float value[4] = {0.1f * (float)n, 0.5f, 0.5f, 1};
    const struct tp_blend_target blend = {
        .enable = n & 1, .src_rgb = TP_SRC_ALPHA, .dst_rgb = n & 2 ? 1 : 0, .src_alpha = n >> 2};
    const struct tp_depth_state depth = {.test = n & 1, .write = n & 2, .func = TP_ALWAYS - n / 4};
    switch (what) {
    case NOTHING:
        return true;
    case VERTEX_CONSTANTS:
    case FRAGMENT_CONSTANTS:
        return tp_set_constants(b->context, what == VERTEX_CONSTANTS ? TP_VERTEX : TP_FRAGMENT, 0,
                                value, sizeof value) == TP_OK;
    case SCISSOR:
        return tp_set_scissor(b->context, 0, n, 0, BENCH_SIZE, BENCH_SIZE) == TP_OK;
    case BLENDING:
        return tp_set_blend(b->context, 0, &blend) == TP_OK;
    case DEPTH:
        return tp_set_depth(b->context, &depth) == TP_OK;
    case TEXTURE:
        return tp_bind_texture(b->context, TP_FRAGMENT, 0, b->texture[n], NULL) == TP_OK;
    case VERTICES:
        return tp_bind_vertices(b->context, 0, b->buffer[0], 8 * n, 8, 0) == TP_OK;
    case PROGRAM:
        return tp_bind_program(b->context, TP_FRAGMENT, b->other[n & 1]) == TP_OK;
    }
    return false;
}

static bool draw_draws(struct bench *b, double *count) {
    *count = DRAWS - VALUES; /* up to VALUES vertices are skipped at the start of vertex arrays */
    for (uint32_t i = 0; i < DRAWS - VALUES; i++)
        if (!change_state(b, *(const enum change *)b->self->of, i) ||
            tp_draw_arrays(b->context, TP_TRIANGLE_STRIP, 4 * i, 4) != TP_OK)
            return false;
    return true;
}

static const struct bench_case cases[] = {
    {"no change", open_draws, draw_draws, &(enum change){NOTHING}},
    {"vertex constants", open_draws, draw_draws, &(enum change){VERTEX_CONSTANTS}},
    {"fragment constants", open_draws, draw_draws, &(enum change){FRAGMENT_CONSTANTS}},
    {"scissor", open_draws, draw_draws, &(enum change){SCISSOR}},
    {"blending", open_draws, draw_draws, &(enum change){BLENDING}},
    {"depth test", open_draws, draw_draws, &(enum change){DEPTH}},
    {"texture", open_draws, draw_draws, &(enum change){TEXTURE}},
    {"vertex array", open_draws, draw_draws, &(enum change){VERTICES}},
    {"program", open_draws, draw_draws, &(enum change){PROGRAM}},
};

BENCH_TABLE(draws, "M draws/s", cases, TP_CHIP_GT215);
