/* Cases of `bench units` on Fermi: the tessellator divides patches, fragments access images and
 * memory, and plain vertices and fragments run. cases_vertices.c and cases_pixels.c have the plain
 * cases on Tesla. */
#include "bench/cases.h"
#include "pipeline/context.h"

#include <stdio.h>

static const char vertex_program[] = "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\n"
                                     "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nexit\n";

/* ---- patches ---- */

/* The position is (u, v). */
static const char evaluation_program[] =
    "mov b32 $r8 $laneid\nld b32 $r0 out a[0x2f0] $r8\nld b32 $r1 out a[0x2f4] $r8\n"
    "mov b32 $r2 0x0\nmov b32 $r3 0x3f800000\nst b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nexit\n";
static const char control_program[] =
    ".vertices 4\nmov b32 $r8 $invoc\nld $r8 p[$r8+0x0]\nld b128 $r0:$r1:$r2:$r3 a[0x70] $r8\n"
    "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nmov b32 $r9 0x40800000\n"
    "st patch b32 a[0x0] $r9 0x0\nst patch b32 a[0x4] $r9 0x0\nst patch b32 a[0x8] $r9 0x0\n"
    "st patch b32 a[0xc] $r9 0x0\nst patch b32 a[0x10] $r9 0x0\nst patch b32 a[0x14] $r9 0x0\n"
    "exit\n";

struct patches {
    enum tp_domain domain;
    float level;
    bool controlled;
    uint32_t count, triangles; /* patches of a draw; triangles of a patch */
};

static bool open_patches(struct bench *b) {
    const struct patches *p = b->self->of;
    const struct tp_tessellation_state t = {.vertices = 4,
                                            .domain = p->domain,
                                            .outer = {p->level, p->level, p->level, p->level},
                                            .inner = {p->level, p->level}};
    const struct tp_raster_state discard = {.discard = true};
    return bench_floats(b, NULL, UINT64_C(64) * p->count, 1) &&
           tp_set_tessellation(b->context, &t) == TP_OK &&
           tp_set_raster(b->context, &discard) == TP_OK &&
           bench_program(b, TP_VERTEX, vertex_program) &&
           bench_program(b, TP_TESS_EVALUATION, evaluation_program) &&
           (!p->controlled || bench_program(b, TP_TESS_CONTROL, control_program));
}

static bool draw_patches(struct bench *b, double *count) {
    const struct patches *p = b->self->of;
    *count = (double)p->count * p->triangles;
    return tp_draw_arrays(b->context, TP_PATCHES, 0, 4 * p->count) == TP_OK;
}

#define PATCHES(name, ...)                                                                         \
    {                                                                                              \
        name, open_patches, draw_patches, &(struct patches) {                                      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
static const struct bench_case patch_cases[] = {
    PATCHES("quads, level 4", TP_DOMAIN_QUAD, 4, false, 8192, 32),
    PATCHES("quads, level 16", TP_DOMAIN_QUAD, 16, false, 512, 512),
    PATCHES("quads, level 64", TP_DOMAIN_QUAD, 64, false, 32, 8192),
    PATCHES("patch triangles, level 16", TP_DOMAIN_TRIANGLE, 16, false, 512, 384),
    PATCHES("quads, control program", TP_DOMAIN_QUAD, 4, true, 8192, 32),
};

BENCH_TABLE(patches, "M triangles/s", patch_cases, TP_CHIP_GF100);

/* ---- accesses ---- */

/* Each fragment of the target makes at most one access. $r0, $r1: x and y of the pixel; $r2, $r3:
 * byte offsets of the pixel's column and row; $r4: the buffer's address, after OWN_WORD the address
 * of the pixel's word. */
static const char fragment_begin[] =
    "interp pass f32 $r0 a[0x70] 0x0 0x0\ncvt rzi u32 $r0 f32 $r0\n"
    "interp pass f32 $r1 a[0x74] 0x0 0x0\ncvt rzi u32 $r1 f32 $r1\n"
    "shl b32 $r2 $r0 clamp 0x2\nshl b32 $r3 $r1 clamp 0xc\nld b64 $r4d c0[0x0]\n";
static const char fragment_end[] = "mov b32 $r0 $r8\nmov b32 $r1 $r8\nmov b32 $r2 $r8\n"
                                   "mov b32 $r3 $r8\nexit\n";
#define OWN_WORD "add b32 $r3 $r3 $r2\nadd b32 $r4 $r4 $r3\n"
#define PUT_ZERO "mov b32 $r8 0x0\nmov b32 $r9 0x0\nmov b32 $r10 0x0\nmov b32 $r11 0x0\n"
#define IMAGE " img[0x0] 2d "

/* The triangle covers the whole target. Buffer and image share memory, which has a word for each
 * pixel; a word is a texel of the image. */
static bool open_access(struct bench *b) {
    enum { WORDS = BENCH_SIZE * BENCH_SIZE };
    static const float v[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s", fragment_begin, (const char *)b->self->of, fragment_end);
    if (!bench_buffer(b, 1, NULL, WORDS * sizeof(uint32_t)))
        return false;
    const uint64_t address = tp_buffer_address(b->buffer[1]);
    state_touch(&b->context->state, GROUP_TEXTURE);
    b->context->state.image[0] = (struct image_view){.address = address,
                                                     .format = FORMAT_RGBA8_UNORM,
                                                     .width = BENCH_SIZE,
                                                     .height = BENCH_SIZE,
                                                     .tile_h = 2};
    return bench_floats(b, v, sizeof v, 1) && bench_program(b, TP_VERTEX, vertex_program) &&
           bench_program(b, TP_FRAGMENT, text) &&
           tp_set_constants(b->context, TP_FRAGMENT, 0, &address, sizeof address) == TP_OK;
}

static bool draw_access(struct bench *b, double *count) {
    *count = BENCH_SIZE * BENCH_SIZE;
    return tp_draw_arrays(b->context, TP_TRIANGLES, 0, 3) == TP_OK;
}

static const struct bench_case access_cases[] = {
    {"no access", open_access, draw_access, "mov b32 $r8 $r0\n"},
    {"load", open_access, draw_access, OWN_WORD "ld b32 $r8 g[$r4d]\n"},
    {"store", open_access, draw_access, OWN_WORD "mov b32 $r8 $r0\nst b32 wb g[$r4d] $r8\n"},
    {"add, each its word", open_access, draw_access,
     OWN_WORD "mov b32 $r8 0x1\nred add u32 g[$r4d] $r8\n"},
    {"add, all one word", open_access, draw_access, "mov b32 $r8 0x1\nred add u32 g[$r4d] $r8\n"},
    {"add with result, one word", open_access, draw_access,
     "mov b32 $r9 0x1\nld add u32 $r8 g[$r4d] $r9\n"},
    {"image load", open_access, draw_access,
     "mov b32 $r3 $r1\nsuldb b32 $r8 ca zero" IMAGE "$r2:$r3\n"},
    {"image store of words", open_access, draw_access,
     "mov b32 $r3 $r1\nmov b32 $r8 $r0\nsustb wb zero" IMAGE "$r2:$r3 b32 $r8\n"},
    {"image store of rgba8", open_access, draw_access,
     PUT_ZERO "sustp wb zero" IMAGE "$r0:$r1 $r8:$r9:$r10:$r11\n"},
};

BENCH_TABLE(accesses, "M fragments/s", access_cases, TP_CHIP_GF100);

/* ---- programs ---- */

enum { VERTICES = 300 << 10 };

static bool open_vertices(struct bench *b) {
    const struct tp_raster_state discard = {.discard = true};
    return bench_floats(b, NULL, VERTICES * UINT64_C(16), 1) &&
           bench_program(b, TP_VERTEX, vertex_program) &&
           tp_set_raster(b->context, &discard) == TP_OK;
}

static bool draw_vertices(struct bench *b, double *count) {
    *count = VERTICES;
    return tp_draw_arrays(b->context, TP_TRIANGLES, 0, VERTICES) == TP_OK;
}

/* Fragments of four interpolated words. */
static bool open_fragments(struct bench *b) {
    static const float v[3][8] = {
        {-1, -1, 0, 1, 0, 0, 0, 1}, {3, -1, 0, 1, 1, 0, 0, 1}, {-1, 3, 0, 1, 0, 1, 0, 1}};
    static const char vertex[] =
        "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\nld b128 $r4:$r5:$r6:$r7 a[0x90] 0x0\n"
        "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nst b128 a[0x80] $r4:$r5:$r6:$r7 0x0\nexit\n";
    static const char fragment[] =
        "interp pass f32 $r4 a[0x7c] 0x0 0x0\nrcp f32 $r4 $r4\n"
        "interp mul f32 $r0 a[0x80] $r4 0x0\ninterp mul f32 $r1 a[0x84] $r4 0x0\n"
        "interp mul f32 $r2 a[0x88] $r4 0x0\ninterp mul f32 $r3 a[0x8c] $r4 0x0\nexit\n";
    return bench_floats(b, v, sizeof v, 2) && bench_program(b, TP_VERTEX, vertex) &&
           bench_program(b, TP_FRAGMENT, fragment);
}

static const struct bench_case program_cases[] = {
    {"fermi vertices", open_vertices, draw_vertices, NULL},
    {"fermi fragments", open_fragments, draw_access, NULL},
};

BENCH_TABLE(fermi, "M a second", program_cases, TP_CHIP_GF100);
