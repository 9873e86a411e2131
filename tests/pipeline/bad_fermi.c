/* Bad input of a Fermi's draws and launches: numbers of vertices in patches, levels from state and
 * from programs, images and g[] outside of memory, counts up to 2^32 - 1. The work is bounded,
 * wrong counts are errors, and no memory is touched that programs may not touch. */
#include "tests/pipeline/fixture.h"

#include "pipeline/context.h"

enum { SIZE = 32, GUARD = 4096 };

static const char vertex[] = "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\n"
                             "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nexit\n";
static const char white[] = "mov b32 $r0 0x3f800000\nmov b32 $r1 $r0\nmov b32 $r2 $r0\n"
                            "mov b32 $r3 $r0\nexit\n";

static const char *const engines[] = {"interp", "native"};

static uint32_t painted(struct fixture *f) {
    fixture_read(f);
    return fixture_count(f);
}

/* ---- patches ---- */

/* The first %x is the word of all outer levels, the second that of both inner levels. */
#define CONTROL                                                                                    \
    ".vertices 4\nmov b32 $r8 $invoc\nld $r8 p[$r8+0x0]\nld b128 $r0:$r1:$r2:$r3 a[0x70] $r8\n"    \
    "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nmov b32 $r9 0x%x\nmov b32 $r10 0x%x\n"                   \
    "st patch b32 a[0x0] $r9 0x0\nst patch b32 a[0x4] $r9 0x0\nst patch b32 a[0x8] $r9 0x0\n"      \
    "st patch b32 a[0xc] $r9 0x0\nst patch b32 a[0x10] $r10 0x0\nst patch b32 a[0x14] $r10 0x0\n"  \
    "exit\n"
static const char evaluate[] = "ld $r8 p[0x0]\nld $r9 p[0x3]\nmov b32 $r12 $laneid\n"
                               "ld b64 $r0:$r1 a[0x70] $r8\nld b64 $r2:$r3 a[0x70] $r9\n"
                               "ld b32 $r4 out a[0x2f0] $r12\nld b32 $r5 out a[0x2f4] $r12\n"
                               "add rn f32 $r2 $r2 neg $r0\nadd rn f32 $r3 $r3 neg $r1\n"
                               "fma f32 $r0 $r2 $r4 $r0\nfma f32 $r1 $r3 $r5 $r1\n"
                               "mov b32 $r2 0x0\nmov b32 $r3 0x3f800000\n"
                               "st b128 a[0x70] $r0:$r1:$r2:$r3 0x0\nexit\n";

/* Draws one patch over the whole target. */
static enum tp_result draw_patch(struct fixture *f, uint32_t vertices) {
    static const float v[4][8] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    OK(f, tp_clear(f->context, TP_CLEAR_COLOR, NULL, 1, 0));
    fixture_vertices(f, v, 4);
    return tp_draw_arrays(f->context, TP_PATCHES, 0, vertices);
}

static void set_patches(struct fixture *f, float outer, float inner) {
    const struct tp_tessellation_state t = {.vertices = 4,
                                            .domain = TP_DOMAIN_QUAD,
                                            .outer = {outer, outer, outer, outer},
                                            .inner = {inner, inner}};
    OK(f, tp_set_tessellation(f->context, &t));
}

/* tp_set_tessellation() refuses patches of no vertices or of more than 32. If a command stream sets
 * such a number, the draw is refused. The next draw works. */
TEST(test_vertices_of_patches) {
    static const uint32_t wrong[] = {0, 33, 34, 255};
    for (size_t i = 0; i < LENGTH(engines); i++) {
        struct fixture f;
        if (!fixture_open_chip(&f, TP_CHIP_GF100, 1, engines[i], SIZE))
            continue;
        fixture_bind(&f, TP_VERTEX, vertex);
        fixture_bind(&f, TP_FRAGMENT, white);
        fixture_bind(&f, TP_TESS_EVALUATION, evaluate);
        for (size_t k = 0; k < LENGTH(wrong); k++) {
            char text[64];
            struct tp_tessellation_state t = {.vertices = wrong[k]};
            snprintf(text, sizeof text, "%u", wrong[k]);
            assert_int_equal(tp_set_tessellation(f.context, &t), TP_ERROR_INVALID);
            assert_non_null(strstr(tp_message(f.device), text));
            set_patches(&f, 2, 2);
            f.context->state.patch_vertices = (uint8_t)wrong[k];
            snprintf(text, sizeof text, "patches of %u vertices (1 to 32)", wrong[k]);
            assert_int_equal(draw_patch(&f, 68), TP_ERROR_INVALID);
            assert_non_null(strstr(tp_message(f.device), text));
            assert_int_equal(painted(&f), 0);
            set_patches(&f, 2, 2);
            OK(&f, draw_patch(&f, 4));
            assert_int_equal(painted(&f), SIZE * SIZE);
        }
        fixture_close(&f);
    }
}

static const struct level {
    float value;
    /* true if the patch is drawn when all outer (inner) levels have this value */
    bool outer_draws, inner_draws;
} bad_levels[] = {
    {NAN, false, true},   {-NAN, false, true},   {INFINITY, true, true}, {-INFINITY, false, true},
    {-1, false, true},    {-1e30f, false, true}, {0, false, true},       {-0.0f, false, true},
    {1e-40f, true, true}, {3e38f, true, true},   {65, true, true},
};

/* An outer level that is NaN or not above 0 drops the patch. Such an inner level counts as 1.
 * Levels above 64 count as 64. Levels come from the state or from a control program. Every patch
 * that is not dropped covers the target. */
TEST(test_levels) {
    for (size_t i = 0; i < LENGTH(engines); i++)
        for (size_t k = 0; k < 2 * LENGTH(bad_levels); k++) {
            const struct level *l = &bad_levels[k / 2];
            const bool outer = k % 2;
            const float o = outer ? l->value : 3, n = outer ? 3 : l->value;
            const uint32_t want = (outer ? l->outer_draws : l->inner_draws) ? SIZE * SIZE : 0;
            struct fixture f;
            char text[1024];
            if (!fixture_open_chip(&f, TP_CHIP_GF100, 1, engines[i], SIZE))
                continue;
            fixture_bind(&f, TP_VERTEX, vertex);
            fixture_bind(&f, TP_FRAGMENT, white);
            fixture_bind(&f, TP_TESS_EVALUATION, evaluate);
            set_patches(&f, o, n);
            OK(&f, draw_patch(&f, 4));
            assert_int_equal(painted(&f), want);
            snprintf(text, sizeof text, CONTROL, float_bits(o), float_bits(n));
            fixture_bind(&f, TP_TESS_CONTROL, text);
            set_patches(&f, 1, 1);
            OK(&f, draw_patch(&f, 4));
            assert_int_equal(painted(&f), want);
            assert_true(context_counter(f.context, COUNTER_EVALUATIONS) <= 2 * 65 * 65);
            fixture_close(&f);
        }
}

/* ---- memory ---- */

/* Accesses the address in c0[0x0] and image 0 at the coordinates in c0[0x8], and the image that the
 * first coordinate numbers. The fragment's colour is opaque black. */
static const char everywhere[] =
    "ld b64 $r8d c0[0x0]\nmov b32 $r4 0x55\nmov b32 $r5 $r4\nmov b32 $r6 $r4\nmov b32 $r7 $r4\n"
    "mov b32 $r20 0x0\nmov b32 $r21 0x0\nld b64 $r14d c0[0x8]\n"
    "ld b32 $r20 ca g[$r8d]\nld b128 $r16q ca g[$r8d]\nld b64 $r18d ca g[$r8d+0x7ffff8]\n"
    "st b32 wb g[$r8d] $r4\nst b128 wb g[$r8d] $r4q\nst u8 wb g[$r8d+0xfff] $r4\n"
    "st b64 wb g[$r8d+-0x800000] $r4d\nld add u32 $r16 g[$r8d] $r4\nred add u32 g[$r8d+0x10] $r4\n"
    "suldb b32 $r16 ca zero img[0x0] 2d $r14:$r15\nsuldb b128 $r16q ca clamp img[0x0] 2d $r14:$r15\n"
    "sustb wb zero img[0x0] 2d $r14:$r15 b32 $r4\nsustb wb clamp img[0x0] 2d $r14:$r15 b128 $r4q\n"
    "sustp wb zero img[0x0] 2d $r14:$r15 $r4:$r5:$r6:$r7\n"
    "sustp wb clamp img[0x0] 2d $r14:$r15 $r4:$r5:$r6:$r7\n"
    "suldb b32 $r21 ca zero img[$r14] 2d $r14:$r15\nsustp wb zero img[$r14] 2d $r14:$r15 $r4:$r5:$r6:$r7\n"
    "mov b32 $r0 0x0\nmov b32 $r1 0x0\nmov b32 $r2 0x0\nmov b32 $r3 0x3f800000\nexit\n";

/* Draws with this address, with `image` as image 0, and with the coordinates at[]. */
static void access_all(struct fixture *f, uint64_t address, const struct image_view *image,
                       const uint32_t at[2]) {
    static const float v[3][8] = {{-1, 1, 0, 1}, {3, 1, 0, 1}, {-1, -3, 0, 1}};
    const uint32_t constants[4] = {(uint32_t)address, (uint32_t)(address >> 32), at[0], at[1]};
    OK(f, tp_set_constants(f->context, TP_FRAGMENT, 0, constants, sizeof constants));
    f->context->state.image[0] = *image;
    state_touch(&f->context->state, GROUP_TEXTURE);
    fixture_vertices(f, v, 3);
    OK(f, tp_draw_arrays(f->context, TP_TRIANGLES, 0, 3));
    OK(f, tp_finish(f->context));
}

static void check_guard(const struct fixture *f, uint64_t guard) {
    const uint8_t *bytes = memory_at(f->device->memory, guard, GUARD);
    for (int i = 0; i < GUARD; i++)
        assert_int_equal(bytes[i], 0xa5);
}

/* Addresses in no allocation, at the ends of the address space and beyond, and images with an
 * impossible size, format or block height: accesses change nothing in a neighbouring allocation,
 * and the draws are drawn. */
TEST(test_memory_outside) {
    static const uint32_t coordinates[][2] = {
        {0, 0}, {0xffffffff, 0}, {0, 0xffffffff}, {0x7fffffff, 0x80000000}, {63, 63}};
    static const uint32_t sizes[] = {0, 1, 0xffff, 0x10000, 0x7fffffff, 0xffffffff};
    for (size_t i = 0; i < LENGTH(engines); i++) {
        struct fixture f;
        if (!fixture_open_chip(&f, TP_CHIP_GF100, 1, engines[i], SIZE))
            continue;
        const uint64_t guard = memory_alloc(f.device->memory, GUARD, 4096);
        const uint64_t addresses[] = {0,
                                      1,
                                      0xfff,
                                      guard - 64,
                                      guard + GUARD,
                                      UINT64_C(64) << 20,
                                      UINT64_C(1) << 32,
                                      (UINT64_C(1) << 40) - 16,
                                      UINT64_C(1) << 63,
                                      UINT64_MAX - 7,
                                      UINT64_MAX - 0x7fffff};
        memset(memory_at(f.device->memory, guard, GUARD), 0xa5, GUARD);
        fixture_bind(&f, TP_VERTEX, vertex);
        fixture_bind(&f, TP_FRAGMENT, everywhere);
        for (size_t a = 0; a < LENGTH(addresses); a++)
            for (size_t k = 0; k < LENGTH(coordinates) * LENGTH(sizes); k++) {
                if (memory_extent(f.device->memory, addresses[a]))
                    continue; /* the allocator has used this range */
                struct image_view image = {.address = addresses[a],
                                           .format = k % 3 ? FORMAT_RGBA8_UNORM : FORMAT_NONE,
                                           .width = sizes[k % LENGTH(sizes)],
                                           .height = sizes[(k + a) % LENGTH(sizes)],
                                           .linear = k & 1,
                                           .tile_h = (uint8_t)(k % 6)};
                access_all(&f, addresses[a], &image, coordinates[k / LENGTH(sizes)]);
            }
        check_guard(&f, guard);
        assert_int_equal(painted(&f), SIZE * SIZE); /* also the last draw is drawn */
        fixture_close(&f);
    }
}

/* ---- counts ---- */

/* Draws of up to 2^32 - 1 vertices or indices are refused at once. The next draw works. */
TEST(test_counts) {
    static const float v[3][8] = {{-1, 1, 0, 1}, {3, 1, 0, 1}, {-1, -3, 0, 1}};
    static const uint32_t most = UINT32_MAX;
    struct fixture f;
    if (!fixture_open_chip(&f, TP_CHIP_GF100, 1, "interp", SIZE))
        return;
    fixture_bind(&f, TP_VERTEX, vertex);
    fixture_bind(&f, TP_FRAGMENT, white);
    fixture_vertices(&f, v, 3);
    assert_int_equal(tp_draw_arrays(f.context, TP_TRIANGLES, 0, most), TP_ERROR_INVALID);
    assert_int_equal(tp_draw_arrays(f.context, TP_TRIANGLES, most, most), TP_ERROR_INVALID);
    OK(&f, draw_begin(f.context, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    OK(&f,
       draw_indices_memory(f.context, UINT64_MAX - 3, 3, 4)); /* indices outside of memory are 0 */
    OK(&f, draw_end(f.context));
    const uint64_t before = context_work(f.context);
    OK(&f, draw_begin(f.context, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    draw_indices_memory(f.context, 0, most, 4);
    assert_int_equal(draw_end(f.context), TP_ERROR_INVALID);
    assert_int_equal(context_work(f.context), before + 1);
    OK(&f, tp_clear(f.context, TP_CLEAR_COLOR, NULL, 1, 0));
    OK(&f, tp_draw_arrays(f.context, TP_TRIANGLES, 0, 3));
    assert_int_equal(context_work(f.context), before + 3); /* two more: a draw and its primitive */
    assert_int_equal(painted(&f), SIZE * SIZE);
    fixture_close(&f);
}
