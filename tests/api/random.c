/* Random calls of the C API, valid and invalid: objects of several kinds are made, bound, used and
 * destroyed in any order, on two devices. Every error has a message; an object of another device is
 * refused; results and memory are the same for any number of threads, for both engines, and beside
 * another thread's context. In a wild run, descriptors and programs are random words, too; nothing
 * may crash. TESLAPIPE_SEED=n starts with seed n; TESLAPIPE_SOAK=1 starts with the time of day and
 * runs until a run fails. */
#include "tests/pipeline/fixture.h"

#include "include/teslapipe_debug.h"

#include <pthread.h>
#include <time.h>

enum { SLOTS = 6, ZETA_SLOT = 5, CALLS = 500, SIDE = 48, BYTES = 4096, DEVICES = 2 };
enum { FORMATS = TP_FORMAT_RGTC2_SNORM + 1 };

struct world {
    uint64_t random;
    tp_device *device[DEVICES]; /* device[0] has all contexts */
    tp_context *context;
    tp_buffer *buffer[DEVICES][SLOTS];
    tp_texture *texture[DEVICES][SLOTS];
    tp_program *program[DEVICES][SLOTS];
    tp_debug_history *history;
    bool wild;
    bool foreign; /* the call was given an object of the other device */
    uint64_t hash;
};

/* ---- random arguments ---- */

static uint32_t bits(struct world *w) {
    return (uint32_t)random_next(&w->random);
}

static bool one_in(struct world *w, uint32_t n) {
    return bits(w) % n == 0;
}

/* A number from 0 to n - 1, seldom a number beyond. */
static uint32_t number(struct world *w, uint32_t n) {
    static const uint32_t beyond[] = {1, 2, 100, 0x7fffffff, 0x80000000, UINT32_MAX};
    const uint32_t among = bits(w) % n;
    return one_in(w, 40) ? n - 1 + beyond[bits(w) % 6] : among;
}

static bool yes(struct world *w) {
    return bits(w) & 1;
}

static float value(struct world *w) {
    static const float odd[] = {0, -0.0f, 1e30f, -1e30f, 1e-40f, 0x1p31f, 0.5f, 255};
    const uint32_t nan = 0x7fc00000 | (bits(w) & 0x80000000);
    float f;
    memcpy(&f, &nan, 4);
    return one_in(w, 60)   ? f
           : one_in(w, 30) ? odd[bits(w) % 8]
                           : (float)(int32_t)bits(w) * 0x1p-30f;
}

/* The index of a device: that of the context or, seldom, the other. */
static int side(struct world *w) {
    return one_in(w, 25) && w->device[1];
}

#define TAKE(kind)                                                                                 \
    static tp_##kind *a_##kind(struct world *w) {                                                  \
        const int of = side(w);                                                                    \
        tp_##kind *const o = one_in(w, 30) ? NULL : w->kind[of][bits(w) % SLOTS];                  \
        w->foreign |= o && of;                                                                     \
        return o;                                                                                  \
    }
TAKE(buffer)
TAKE(texture)
TAKE(program)

static struct tp_rect a_rect(struct world *w) {
    return (struct tp_rect){number(w, 12), number(w, 12), 1 + number(w, 12), 1 + number(w, 12)};
}

/* 0 in three of four calls, otherwise a number below n. */
static uint32_t seldom(struct world *w, uint32_t n) {
    return one_in(w, 4) ? number(w, n) : 0;
}

/* Data to write. There is room for all rows of the tallest texture at the greatest pitch, SIDE * 16
 * bytes. */
static uint8_t scratch[(SIDE + 110) * SIDE * 16];
static _Thread_local uint8_t taken[sizeof scratch];

/* ---- the calls ---- */

static const char *const texts[] = {
    pass_vp,
    smooth_fp,
    ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\ninterp $r0 v[0x4] $r4\n"
    "interp $r1 v[0x8] $r4\ntexauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n",
    ".interpolants position=w smooth=4\nagain: bra #again\nexit nop\n",
    ".primitive triangle_strip\n.vertices 3\n.builtin primitive_id\n.output position o[0x0]\n"
    ".output varying o[0x10] 4\nshl $a1 a[0x0] 0\nmov b32 $r0 p[$a1]\nmov b32 o[0x0] $r0\n"
    "mov b32 $r0 p[$a1+0x4]\nmov b32 o[0x4] $r0\nmov b32 o[0x10] $r0\nemit\nmov b32 o[0x0] $r1\nemit\n"
    "mov b32 o[0x4] $r1\nemit\nexit nop\n",
    "mov b32 $r1 $r0\nand b32 $r2 $r0 0xffff\nshl b32 $r2 $r2 0x2\nst b32 g0[$r2] $r1\nld b32 $r3 g1[$r2]\n"
    "exit nop\n",
};
static const enum tp_stage stages[] = {TP_VERTEX,   TP_FRAGMENT, TP_FRAGMENT,
                                       TP_FRAGMENT, TP_GEOMETRY, TP_COMPUTE};

static enum tp_result make_buffer(struct world *w) {
    const int of = bits(w) % 8 == 0 && w->device[1];
    tp_buffer **b = &w->buffer[of][bits(w) % SLOTS];
    const uint64_t size = one_in(w, 20) ? (uint64_t)number(w, 3) << 39 : 1 + bits(w) % BYTES;
    tp_buffer_destroy(*b);
    *b = NULL;
    return tp_buffer_create(w->device[of], size, yes(w) && size <= BYTES ? scratch : NULL, b);
}

static enum tp_result make_texture(struct world *w) {
    const int of = bits(w) % 8 == 0 && w->device[1];
    tp_texture **t = &w->texture[of][bits(w) % SLOTS];
    const enum tp_texture_kind kind = yes(w) ? TP_TEXTURE_2D : (enum tp_texture_kind)number(w, 7);
    const bool arrays = kind == TP_TEXTURE_1D_ARRAY || kind == TP_TEXTURE_2D_ARRAY;
    const bool cubes = kind == TP_TEXTURE_CUBE || kind == TP_TEXTURE_CUBE_ARRAY,
               flat = kind == TP_TEXTURE_2D;
    const uint32_t edge = 1 + number(w, SIDE);
    const struct tp_texture_info info = {
        .kind = kind,
        .format = t == &w->texture[of][ZETA_SLOT] && !one_in(w, 4) ? TP_FORMAT_Z24S8
                  : yes(w)                                         ? TP_FORMAT_RGBA8
                           : (enum tp_format)number(w, FORMATS),
        .width = edge,
        .height = cubes                                                  ? edge
                  : kind == TP_TEXTURE_1D || kind == TP_TEXTURE_1D_ARRAY ? 1
                                                                         : 1 + number(w, SIDE),
        .depth = kind == TP_TEXTURE_3D ? number(w, 4) : seldom(w, 2),
        .layers = arrays                          ? number(w, 8)
                  : kind == TP_TEXTURE_CUBE_ARRAY ? 6 * number(w, 3)
                                                  : 0,
        .levels = seldom(w, 4),
        .samples = flat && one_in(w, 4) ? 1u << number(w, 4) % 8 : 0,
        .mipmaps = seldom(w, 2) & 1,
        .linear = flat && one_in(w, 6)};
    tp_texture_destroy(*t);
    *t = NULL;
    return tp_texture_create(w->device[of], &info, t);
}

static enum tp_result make_program(struct world *w) {
    const int of = bits(w) % 8 == 0 && w->device[1];
    tp_program **p = &w->program[of][bits(w) % SLOTS];
    const uint32_t i = bits(w) % 6;
    char text[1024];
    tp_program_destroy(*p);
    *p = NULL;
    if (w->wild && one_in(w, 2)) {
        uint32_t words[32];
        for (int k = 0; k < 32; k++)
            words[k] = bits(w) & (yes(w) ? 0xffffffff : 0x0fffffff);
        return tp_program_from_words(w->device[of], (enum tp_stage)number(w, 4), words,
                                     bits(w) % 33, bits(w) & 0xfff8, "", "words", p);
    }
    snprintf(text, sizeof text, "%s", texts[i]);
    if (one_in(w, 6))
        text[bits(w) % strlen(text)] = (char)(bits(w) & 0x7f);
    return tp_program_from_text(
        w->device[of], one_in(w, 10) ? (enum tp_stage)number(w, 4) : stages[i], text, "text", p);
}

static enum tp_result write_buffer(struct world *w) {
    return tp_buffer_write(w->context, a_buffer(w), number(w, BYTES), scratch, number(w, BYTES));
}

static enum tp_result copy_buffer(struct world *w) {
    tp_buffer *const to = a_buffer(w);
    return tp_buffer_copy(w->context, to, number(w, BYTES / 2), a_buffer(w), number(w, BYTES / 2),
                          number(w, BYTES / 4));
}

static enum tp_result map_buffer(struct world *w) {
    const uint64_t offset = number(w, BYTES), size = number(w, 64);
    uint8_t *const at = tp_buffer_map(w->context, a_buffer(w), offset, size);
    if (at && size)
        at[size - 1] ^= (uint8_t)bits(w);
    return at ? TP_OK : TP_ERROR_INVALID;
}

static enum tp_result write_texture(struct world *w) {
    const struct tp_rect r = a_rect(w);
    tp_texture *const t = a_texture(w);
    const uint32_t level = seldom(w, 3), layer = seldom(w, 4),
                   pitch = one_in(w, 8) ? bits(w) % 400 : SIDE * 16;
    return yes(w) ? tp_texture_write(w->context, t, level, layer, scratch, pitch)
                  : tp_texture_write_rect(w->context, t, level, layer, one_in(w, 20) ? NULL : &r,
                                          scratch, pitch);
}

static enum tp_result read_texture(struct world *w) {
    const struct tp_rect r = a_rect(w);
    tp_texture *const t = a_texture(w);
    const uint32_t level = seldom(w, 3), layer = seldom(w, 4),
                   pitch = one_in(w, 8) ? bits(w) % 400 : SIDE * 16;
    return yes(w) ? tp_texture_read(w->context, t, level, layer, taken, pitch)
                  : tp_texture_read_rect(w->context, t, level, layer, one_in(w, 20) ? NULL : &r,
                                         taken, pitch);
}

static enum tp_result copy_texture(struct world *w) {
    const struct tp_texture_place to = {a_texture(w), seldom(w, 2), seldom(w, 2)},
                                  from = {a_texture(w), seldom(w, 2), seldom(w, 2)};
    const struct tp_rect a = a_rect(w), b = a_rect(w);
    return yes(w) ? tp_texture_copy(w->context, to, number(w, 8), number(w, 8), from,
                                    one_in(w, 9) ? NULL : &a)
                  : tp_texture_blit(w->context, to, one_in(w, 9) ? NULL : &a, from,
                                    one_in(w, 9) ? NULL : &b, yes(w));
}

static enum tp_result mipmaps(struct world *w) {
    return tp_texture_generate_mipmaps(w->context, a_texture(w));
}

static enum tp_result bind_texture(struct world *w) {
    const struct tp_sampler_info s = {.wrap = {number(w, 8), number(w, 8), number(w, 8)},
                                      .mag = number(w, 2),
                                      .min = number(w, 2),
                                      .mip = number(w, 3),
                                      .lod_bias = value(w),
                                      .min_lod = value(w),
                                      .max_lod = value(w),
                                      .compare = one_in(w, 8),
                                      .compare_func = yes(w) ? 0 : 0x200 + number(w, 8),
                                      .border = {value(w), value(w), value(w), value(w)},
                                      .max_anisotropy = number(w, 17)};
    return tp_bind_texture(w->context, one_in(w, 3) ? (enum tp_stage)number(w, 4) : TP_FRAGMENT,
                           yes(w) ? 0 : number(w, 16), a_texture(w), yes(w) ? &s : NULL);
}

static enum tp_result bind_words(struct world *w) {
    uint32_t tic[8], tsc[8];
    if (!w->wild) /* results of reads at random addresses depend on the machine */
        return tp_bind_buffer_texture(w->context, TP_FRAGMENT, number(w, 16), a_buffer(w),
                                      256ull * number(w, 8), (enum tp_format)number(w, 60),
                                      number(w, 256));
    const bool described =
        tp_texture_describe(w->texture[0][bits(w) % SLOTS], 0, number(w, 2), tic) == TP_OK;
    for (int i = 0; i < 8; i++) {
        tic[i] = described && !one_in(w, 6) ? tic[i]
                 : described                ? tic[i] ^ 1u << bits(w) % 32
                                            : bits(w);
        tsc[i] = bits(w);
    }
    return tp_bind_descriptors(w->context, TP_FRAGMENT, yes(w) ? 0 : number(w, 16), tic, tsc);
}

static enum tp_result set_targets(struct world *w) {
    struct tp_target color[8] = {{.texture = NULL}}, zeta = {.texture = NULL};
    const uint32_t count = one_in(w, 3) ? number(w, 9) : 1;
    for (uint32_t i = 0; i < count && i < 8; i++)
        color[i] = (struct tp_target){a_texture(w), one_in(w, 3) ? seldom(w, 3) : 0,
                                      one_in(w, 3) ? seldom(w, 3) : 0, one_in(w, 5)};
    if (!one_in(w, 3))
        zeta.texture = w->texture[0][one_in(w, 8) ? bits(w) % SLOTS : ZETA_SLOT];
    return tp_set_targets(w->context, count, color, &zeta);
}

static enum tp_result bind_program(struct world *w) {
    tp_program *const p = a_program(w);
    return tp_bind_program(w->context,
                           p || one_in(w, 4) ? (enum tp_stage)number(w, 4) : TP_GEOMETRY, p);
}

static enum tp_result constants(struct world *w) {
    const enum tp_stage stage = (enum tp_stage)number(w, 4);
    const unsigned slot = number(w, 16);
    return yes(w) ? tp_set_constants(w->context, stage, slot, scratch, number(w, BYTES))
                  : tp_bind_constants(w->context, stage, slot, a_buffer(w), 256ull * number(w, 8),
                                      number(w, BYTES));
}

static enum tp_result vertices(struct world *w) {
    tp_buffer *const b = a_buffer(w);
    return tp_bind_vertices(w->context, yes(w) ? 0 : number(w, 16), b, number(w, 64),
                            yes(w) ? 32 : number(w, 4096), one_in(w, 4) ? number(w, 3) : 0);
}

static enum tp_result attribute(struct world *w) {
    const float v[4] = {value(w), value(w), value(w), value(w)};
    const unsigned i = yes(w) ? bits(w) & 1 : number(w, 16);
    if (one_in(w, 5))
        return tp_set_attribute_constant(w->context, i, v);
    return tp_set_attribute(
        w->context, i, yes(w) ? 0 : number(w, 16), number(w, 64), 1 + number(w, 4),
        yes(w)
            ? TP_FLOAT32
            : (enum tp_attribute_type)(number(w, TP_SNORM32 + 1) | (one_in(w, 6) ? TP_BGRA : 0u)));
}

static enum tp_result place_views(struct world *w) {
    const float scale[3] = {SIDE * value(w), SIDE * value(w), value(w)},
                move[3] = {SIDE * value(w), SIDE * value(w), value(w)};
    const struct tp_rect r[8] = {a_rect(w), a_rect(w)};
    switch (bits(w) % 6) {
    case 0:
        return tp_set_viewport_transform(w->context, number(w, 16), scale, move);
    case 1:
        return tp_set_viewport(w->context, 0, 0, 0, SIDE, SIDE);
    case 2:
        return tp_set_depth_range(w->context, number(w, 16), value(w), value(w));
    case 3:
        return tp_set_scissor(w->context, one_in(w, 2) ? 0 : number(w, 16), number(w, 8),
                              number(w, 8), number(w, SIDE), number(w, SIDE));
    case 4:
        return tp_set_window_rectangles(w->context, (enum tp_windows)number(w, 3), number(w, 9), r);
    default:
        return tp_set_window_coordinates(w->context, one_in(w, 4));
    }
}

static enum tp_func func(struct world *w) {
    return yes(w) ? 0 : (enum tp_func)(0x200 + number(w, 8));
}

static enum tp_result zeta_state(struct world *w) {
    static const uint16_t ops[] = {0x1e00, 0, 0x1e01, 0x1e02, 0x1e03, 0x150a, 0x8507, 0x8508, 7};
    struct tp_stencil_face face[2];
    for (int i = 0; i < 2; i++)
        face[i] = (struct tp_stencil_face){
            func(w),          ops[number(w, 8) % 9], ops[bits(w) % 8], ops[bits(w) % 8],
            (uint8_t)bits(w), (uint8_t)bits(w),      (uint8_t)bits(w)};
    if (yes(w))
        return tp_set_stencil(w->context,
                              &(struct tp_stencil_state){one_in(w, 5), yes(w), face[0], face[1]});
    return tp_set_depth(w->context, &(struct tp_depth_state){one_in(w, 4), one_in(w, 4), func(w),
                                                             one_in(w, 6), value(w), value(w)});
}

static float width(struct world *w) {
    return one_in(w, 8) ? 8 * value(w) : (float)(bits(w) & 63) / 8;
}

static enum tp_result raster_state(struct world *w) {
    const struct tp_raster_state s = {
        .cull_front = one_in(w, 8),
        .cull_back = one_in(w, 8),
        .front_clockwise = yes(w),
        .polygon_front = one_in(w, 4) ? (enum tp_polygon_mode)number(w, 3) : TP_POLYGON_FILL,
        .polygon_back = one_in(w, 4) ? (enum tp_polygon_mode)number(w, 3) : TP_POLYGON_FILL,
        .provoking_first = yes(w),
        .line_width = width(w),
        .point_size = 3 * width(w),
        .point_sprite = one_in(w, 4),
        .offset_fill = one_in(w, 4),
        .offset_line = one_in(w, 4),
        .offset_factor = value(w),
        .offset_units = value(w),
        .offset_clamp = value(w),
        .depth_clamp = one_in(w, 3),
        .discard = one_in(w, 12),
        .multisample_off = one_in(w, 3),
        .clip_distances = one_in(w, 6) ? number(w, 256) : 0,
        .center_integer = one_in(w, 5),
        .near_at_zero = one_in(w, 4),
        .flat_colors = one_in(w, 4),
        .early_tests = one_in(w, 4)};
    return tp_set_raster(w->context, &s);
}

static enum tp_result color_state(struct world *w) {
    static const uint16_t factors[] = {0,      1,      0x300,  0x301,  0x302,  0x303,  0x304,
                                       0x305,  0x306,  0x307,  0x308,  0x8001, 0x8002, 0x8003,
                                       0x8004, 0x8589, 0x88f9, 0x88fa, 0x88fb, 9};
    const struct tp_blend_target b = {yes(w),
                                      yes(w) ? 0 : 0x8006 + number(w, 6),
                                      0,
                                      factors[number(w, 19) % 20],
                                      factors[bits(w) % 19],
                                      factors[bits(w) % 19],
                                      factors[bits(w) % 19]};
    const float color[4] = {value(w), value(w), value(w), value(w)};
    switch (bits(w) % 4) {
    case 0:
        return tp_set_blend(w->context, yes(w) ? TP_ALL_TARGETS : number(w, 8), &b);
    case 1:
        return tp_set_blend_color(w->context, color);
    case 2:
        return tp_set_color_mask(w->context, number(w, 8), number(w, 16));
    default:
        return tp_set_output(
            w->context,
            &(struct tp_output_state){one_in(w, 5), one_in(w, 2) ? 0 : 0x1500 + number(w, 16),
                                      one_in(w, 5), func(w), value(w), number(w, 256)});
    }
}

static enum tp_result other_state(struct world *w) {
    struct tp_pattern_state p = {.smooth_points = one_in(w, 4),
                                 .smooth_lines = one_in(w, 4),
                                 .smooth_polygons = one_in(w, 4),
                                 .line_stipple = one_in(w, 4),
                                 .line_pattern = (uint16_t)bits(w),
                                 .line_factor = (uint16_t)number(w, 257),
                                 .polygon_stipple = one_in(w, 4)};
    for (int i = 0; i < 32; i++)
        p.polygon_pattern[i] = bits(w);
    switch (bits(w) % 5) {
    case 0:
        return tp_set_patterns(w->context, &p);
    case 1:
        return tp_set_samples(w->context,
                              &(struct tp_sample_state){one_in(w, 4), one_in(w, 4), one_in(w, 4),
                                                        one_in(w, 8), one_in(w, 3) ? bits(w) : 0});
    case 2:
        return tp_set_edge_flag(w->context, !one_in(w, 4));
    case 3:
        return tp_set_seamless_cubes(w->context, yes(w));
    default:
        return tp_bind_global(w->context, yes(w) ? bits(w) & 1 : number(w, 16), a_buffer(w),
                              256ull * number(w, 4), number(w, BYTES));
    }
}

static enum tp_result clear(struct world *w) {
    const float color[4] = {value(w), value(w), value(w), value(w)};
    const struct tp_rect r = a_rect(w);
    const struct tp_clear_info part = {.what = yes(w) ? TP_CLEAR_COLOR : number(w, 8),
                                       .target = seldom(w, 8),
                                       .color_mask = number(w, 16),
                                       .first_layer = seldom(w, 4),
                                       .layers = seldom(w, 3),
                                       .rect = yes(w) ? &r : NULL,
                                       .color = {.f = {color[0], color[1], color[2], color[3]}},
                                       .depth = value(w),
                                       .stencil = (uint8_t)bits(w),
                                       .stencil_mask = (uint8_t)bits(w)};
    return yes(w) ? tp_clear(w->context, yes(w) ? TP_CLEAR_COLOR : number(w, 8),
                             yes(w) ? color : NULL, value(w), (uint8_t)bits(w))
                  : tp_clear_part(w->context, &part);
}

static enum tp_result draw(struct world *w) {
    struct tp_draw_info d = {.primitive = (enum tp_primitive)number(w, 14),
                             .first = number(w, 20),
                             .count = number(w, 60),
                             .instances = one_in(w, 4) ? bits(w) % 4 : 0,
                             .first_instance = one_in(w, 4) ? number(w, 4) : 0};
    if (d.count > BYTES || d.first > BYTES) /* a draw of so many vertices is valid, and slow */
        d.count = 3;
    if (yes(w)) {
        d.index_buffer = a_buffer(w);
        d.index_offset = number(w, 64);
        d.index_type = (enum tp_index_type)number(w, 3);
        d.base_vertex = (int32_t)number(w, 16);
        d.restart = one_in(w, 3);
        d.restart_index = number(w, 256);
    }
    return tp_draw(w->context, &d);
}

static enum tp_result draw_inline(struct world *w) {
    const uint32_t words = one_in(w, 3) ? number(w, 12) : 8, count = bits(w) % 40;
    bool flags[40];
    for (int i = 0; i < 40; i++)
        flags[i] = yes(w);
    const enum tp_primitive primitive = (enum tp_primitive)number(w, 14);
    const bool *const given = yes(w) ? flags : NULL;
    const enum tp_result r = tp_draw_inline(w->context, primitive, scratch, words, count, given);
    const char *const take = strstr(tp_message(w->device[0]), "constant take ");
    if (r == TP_OK || !take)
        return r;
    /* the message has the right number */
    const uint32_t right = (uint32_t)strtoul(take + 14, NULL, 10);
    return tp_draw_inline(w->context, primitive, scratch, right, count, given);
}

static enum tp_result streams(struct world *w) {
    struct tp_stream_info s = {
        .interleaved = yes(w), .stride = 4 * number(w, 12), .count = 1 + bits(w) % 2};
    uint32_t bytes = 0;
    enum tp_result r;
    switch (bits(w) % 8) {
    case 0:
        for (uint32_t i = 0; i < s.count; i++) {
            s.stream[i].buffer = a_buffer(w);
            s.stream[i].offset = 4 * number(w, 8);
            s.stream[i].size = yes(w) ? 0 : number(w, 1024);
            s.stream[i].words = number(w, 9);
        }
        for (int i = 0; i < 72; i++)
            s.map[i] = yes(w) ? (uint8_t)bits(w) : 0;
        return tp_set_streams(w->context, &s);
    case 1:
        return tp_pause_streams(w->context, yes(w));
    case 2:
        return tp_draw_stream(w->context, (enum tp_primitive)number(w, 14), number(w, 4), 32);
    case 3:
        r = tp_get_stream_bytes(w->context, number(w, 4), &bytes);
        w->hash = (w->hash ^ bytes) * 0x100000001b3;
        return r;
    default:
        return tp_set_streams(w->context, NULL);
    }
}

static enum tp_result dispatch(struct world *w) {
    const uint32_t grid[3] = {1 + number(w, 4), 1 + seldom(w, 3), 1},
                   block[3] = {1 + number(w, 70), 1 + seldom(w, 3), 1 + seldom(w, 3)};
    const uint32_t params[3] = {bits(w), bits(w), bits(w)};
    return yes(w) ? tp_dispatch(w->context, grid, block, params, bits(w) % 4)
                  : tp_dispatch_3d(w->context, grid, block, params, bits(w) % 4);
}

static enum tp_result count(struct world *w) {
    uint64_t samples = 0;
    enum tp_result r;
    switch (bits(w) % 4) {
    case 0:
        return tp_query_begin(w->context);
    case 1:
        r = tp_query_end(w->context, &samples);
        break;
    case 2:
        r = tp_get_counter(w->context, (enum tp_counter)number(w, 11), &samples);
        break;
    default:
        return tp_count_samples(w->context, yes(w));
    }
    w->hash = (w->hash ^ samples) * 0x100000001b3;
    return r;
}

static enum tp_result condition(struct world *w) {
    const enum tp_condition c = one_in(w, 3) ? (enum tp_condition)number(w, 5) : TP_IF_ALWAYS;
    const bool was = w->foreign;
    tp_buffer *const b = a_buffer(w);
    if (c == TP_IF_ALWAYS || c == TP_IF_NEVER)
        w->foreign = was; /* the call does not read the buffer */
    return tp_set_condition(w->context, c, b, 16ull * number(w, 16));
}

static enum tp_result debug(struct world *w) {
    const struct tp_debug_pixel at[2] = {
        {number(w, SIDE), number(w, SIDE), 0, 0},
        {number(w, SIDE), number(w, SIDE), number(w, 2), number(w, 4)}};
    struct tp_debug_entry e;
    size_t n = 0;
    if (!w->history)
        return tp_debug_history_begin(w->context, at, 1 + bits(w) % 2, &w->history);
    enum tp_result r = tp_debug_history_end(w->context);
    tp_texture *const t = w->texture[0][bits(w) % SLOTS];
    if (r == TP_OK && (r = tp_debug_history_count(w->history, number(w, 2), t, &n)) == TP_OK && n)
        r = tp_debug_history_get(w->history, 0, t, bits(w) % n, &e);
    w->hash = (w->hash ^ n) * 0x100000001b3;
    tp_debug_history_destroy(w->history);
    w->history = NULL;
    return r;
}

static enum tp_result finish(struct world *w) {
    return tp_finish(w->context);
}

static enum tp_result destroy(struct world *w) {
    const uint32_t of = one_in(w, 3), i = bits(w) % SLOTS;
    switch (bits(w) % 32) {
    case 0: /* the device of all contexts lives on */
        tp_device_destroy(w->device[1]);
        w->device[1] = NULL;
        break;
    case 1:
    case 2:
        tp_program_destroy(w->program[of][i]);
        w->program[of][i] = NULL;
        break;
    case 3:
    case 4:
        tp_buffer_destroy(w->buffer[of][i]);
        w->buffer[of][i] = NULL;
        break;
    case 5:
    case 6:
        tp_texture_destroy(w->texture[of][i]);
        w->texture[of][i] = NULL;
        break;
    }
    return TP_OK;
}

static const struct {
    const char *name;
    enum tp_result (*call)(struct world *w);
    uint8_t often;
} calls[] = {
    {"make_buffer", make_buffer, 3},
    {"make_texture", make_texture, 5},
    {"make_program", make_program, 3},
    {"write_buffer", write_buffer, 2},
    {"copy_buffer", copy_buffer, 1},
    {"map_buffer", map_buffer, 1},
    {"write_texture", write_texture, 2},
    {"read_texture", read_texture, 2},
    {"copy_texture", copy_texture, 2},
    {"mipmaps", mipmaps, 1},
    {"bind_texture", bind_texture, 3},
    {"bind_words", bind_words, 2},
    {"set_targets", set_targets, 8},
    {"bind_program", bind_program, 8},
    {"constants", constants, 2},
    {"vertices", vertices, 3},
    {"attribute", attribute, 3},
    {"place_views", place_views, 3},
    {"zeta_state", zeta_state, 2},
    {"raster_state", raster_state, 2},
    {"color_state", color_state, 3},
    {"other_state", other_state, 3},
    {"clear", clear, 3},
    {"draw", draw, 14},
    {"draw_inline", draw_inline, 4},
    {"streams", streams, 2},
    {"dispatch", dispatch, 2},
    {"count", count, 2},
    {"condition", condition, 1},
    {"debug", debug, 1},
    {"finish", finish, 1},
    {"destroy", destroy, 1},
};

/* ---- runs ---- */

static void quiet(void *self, int level, const char *line) {
    (void)self, (void)level, (void)line;
}

static tp_device *device_of(enum tp_chip chip, int threads, const char *simd, const char *engine) {
    tp_device *device;
    const struct tp_device_info info = {.chip = chip,
                                        .threads = threads,
                                        .simd = simd,
                                        .engine = engine,
                                        .memory = 1 << 30,
                                        .warp_budget = 2000,
                                        .log = quiet};
    assert_int_equal(tp_device_create(&info, &device), TP_OK);
    return device;
}

static void mix(struct world *w, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        w->hash = (w->hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3;
}

/* Adds the content of all objects to the hash. */
static void mix_memory(struct world *w) {
    for (int i = 0; i < SLOTS; i++) {
        tp_buffer *const b = w->buffer[0][i];
        const uint64_t size = b ? tp_buffer_size(b) : 0;
        if (b && tp_buffer_read(w->context, b, 0, taken, size) == TP_OK)
            mix(w, taken, size);
        memset(taken, 0, sizeof taken); /* rows may be shorter than their pitch */
        if (w->texture[0][i] &&
            tp_texture_read(w->context, w->texture[0][i], 0, 0, taken, SIDE * 16) == TP_OK)
            mix(w, taken, (size_t)SIDE * SIDE * 16);
    }
}

/* Makes and binds an object of every kind, so that most draws draw. */
static void furnish(struct world *w) {
    struct tp_texture_info info = {.kind = TP_TEXTURE_2D, .width = SIDE, .height = SIDE};
    for (int of = 0; of < DEVICES; of++)
        for (int i = 0; i < SLOTS; i++) {
            assert_int_equal(tp_buffer_create(w->device[of], BYTES, scratch, &w->buffer[of][i]),
                             TP_OK);
            info.format = i == ZETA_SLOT ? TP_FORMAT_Z24S8 : TP_FORMAT_RGBA8;
            assert_int_equal(tp_texture_create(w->device[of], &info, &w->texture[of][i]), TP_OK);
            assert_int_equal(tp_program_from_text(w->device[of], stages[i], texts[i], "first",
                                                  &w->program[of][i]),
                             TP_OK);
        }
    assert_int_equal(tp_set_target(w->context, w->texture[0][0], w->texture[0][ZETA_SLOT]), TP_OK);
    assert_int_equal(tp_bind_vertices(w->context, 0, w->buffer[0][0], 0, 32, 0), TP_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(tp_set_attribute(w->context, i, 0, 16 * i, 4, TP_FLOAT32), TP_OK);
        assert_int_equal(tp_bind_program(w->context, stages[i], w->program[0][i]), TP_OK);
    }
}

static void empty(struct world *w) {
    const int first = (int)(bits(w) % SLOTS);
    if (yes(w))
        tp_context_destroy(w->context), w->context = NULL;
    for (int of = 0; of < DEVICES; of++)
        for (int i = 0; i < SLOTS; i++) {
            const int k = (first + i) % SLOTS;
            tp_buffer_destroy(w->buffer[of][k]);
            tp_texture_destroy(w->texture[of][k]);
            tp_program_destroy(w->program[of][k]);
        }
    tp_context_destroy(w->context);
    tp_debug_history_destroy(w->history);
    tp_device_destroy(w->device[1]);
}

static uint32_t chosen_call(struct world *w) {
    uint32_t sum = 0, i = 0;
    for (size_t k = 0; k < LENGTH(calls); k++)
        sum += calls[k].often;
    for (uint32_t rest = bits(w) % sum; rest >= calls[i].often; i++)
        rest -= calls[i].often;
    return i;
}

/* Makes the calls of the seed. Returns a hash of all results and of the memory's contents. The
 * caller keeps the device. */
static uint64_t run(uint64_t seed, tp_device *device, bool wild) {
    struct world w = {.random = (seed + 1) * 0x9e3779b97f4a7c15, .wild = wild, .hash = seed};
    w.device[0] = device;
    w.device[1] = device_of(TP_CHIP_GT215, 1, NULL, "interp");
    assert_int_equal(tp_context_create(device, &w.context), TP_OK);
    furnish(&w);
    for (int n = 0; n < CALLS; n++) {
        const uint32_t i = chosen_call(&w);
        w.foreign = false;
        const enum tp_result r = calls[i].call(&w);
        if ((unsigned)r > TP_ERROR_CANCELLED || (w.foreign && r != TP_ERROR_INVALID))
            fail_msg("TESLAPIPE_SEED=%llu: call %d, %s%s: %d", (unsigned long long)seed, n,
                     calls[i].name, w.foreign ? " with what is another device's" : "", (int)r);
        if (r != TP_OK && !tp_message(device)[0] && !tp_message(w.device[1])[0] &&
            !tp_message(NULL)[0])
            fail_msg("TESLAPIPE_SEED=%llu: call %d, %s: %d without a message",
                     (unsigned long long)seed, n, calls[i].name, (int)r);
        w.hash = (w.hash ^ (uint64_t)r) * 0x100000001b3;
        if (n % 50 == 49 && !wild)
            mix_memory(&w);
    }
    empty(&w);
    return w.hash;
}

/* ---- tests ---- */

static uint64_t first_seed(void) {
    const char *first = getenv("TESLAPIPE_SEED"), *soak = getenv("TESLAPIPE_SOAK");
    return first ? strtoull(first, NULL, 0) : soak && *soak == '1' ? (uint64_t)time(NULL) << 20 : 0;
}

static bool goes_on(uint64_t done, uint64_t wanted) {
    const char *soak = getenv("TESLAPIPE_SOAK");
    return done < wanted || (soak && *soak == '1');
}

/* Runs on a new device, which is destroyed before its objects. */
static uint64_t run_alone(uint64_t seed, int threads, const char *simd, const char *engine,
                          bool wild) {
    tp_device *const device = device_of(TP_CHIP_GT215, threads, simd, engine);
    const uint64_t hash = run(seed, device, wild);
    tp_device_destroy(device);
    return hash;
}

TEST(test_same_everywhere) {
    const uint64_t first = first_seed();
    for (uint64_t i = 0; goes_on(i, 12); i++) {
        const uint64_t one = run_alone(first + i, 1, "base", "interp", false);
        if (run_alone(first + i, 3, NULL, NULL, false) != one)
            fail_msg("TESLAPIPE_SEED=%llu: three threads give something else",
                     (unsigned long long)(first + i));
    }
}

TEST(test_wild) {
    const uint64_t first = first_seed();
    for (uint64_t i = 0; i < 12; i++)
        run_alone(first + i, 2, NULL, i & 1 ? NULL : "interp", true);
}

/* Two threads, each with a context on the same device, get the results that they get alone. */
struct beside {
    tp_device *device;
    uint64_t seed, hash;
};

static void *run_beside(void *self) {
    struct beside *b = self;
    b->hash = run(b->seed, b->device, false);
    return NULL;
}

TEST(test_side_by_side) {
    const uint64_t first = first_seed();
    for (uint64_t i = 0; i < 4; i++) {
        tp_device *const device = device_of(TP_CHIP_GT215, 2, NULL, NULL);
        struct beside b[2] = {{device, first + 2 * i, 0}, {device, first + 2 * i + 1, 0}};
        pthread_t thread[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(pthread_create(&thread[k], NULL, run_beside, &b[k]), 0);
        for (int k = 0; k < 2; k++)
            pthread_join(thread[k], NULL);
        tp_device_destroy(device);
        for (int k = 0; k < 2; k++)
            if (b[k].hash != run_alone(b[k].seed, 1, NULL, "interp", false))
                fail_msg("TESLAPIPE_SEED=%llu: beside another something else",
                         (unsigned long long)b[k].seed);
    }
}

/* Fills scratch[]: of each 64 words, 48 are floats between -2 and 2, and 16 are integers below
 * 256. */
BEFORE_TESTS {
    random_start(1);
    for (size_t i = 0; i < sizeof scratch / 4; i++) {
        const uint32_t word = random_word(), small = word >> 24;
        const float f = (float)(int32_t)word * 0x1p-30f;
        memcpy(scratch + 4 * i, i % 64 < 48 ? (const void *)&f : &small, 4);
    }
    return 0;
}
