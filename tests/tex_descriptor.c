/* TIC and TSC: builders against the decoder, field by field against tesla-3d.md, and hostile words:
 * whatever a descriptor says, sampling stays inside the allocation (which lies between pages
 * without access, once flush with the first, once with the last) and every SIMD level agrees.
 */
#define _GNU_SOURCE
#include "tests/tex_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

static uint64_t seed = 7;
static uint32_t rnd(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

static void assert_level(const struct tex_level *a, const struct tex_level *b) {
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->tile_h, b->tile_h);
    assert_int_equal(a->tile_d, b->tile_d);
}

static void test_round_trip(void **state) {
    (void)state;
    struct gpu_memory *m = memory_create(256 << 20, -1);
    for (int f = FORMAT_NONE + 1; f < FORMATS; f++) {
        for (int dim = TEX_1D; dim <= TEX_CUBE_ARRAY; dim++) {
            const bool flat = dim == TEX_BUFFER || dim == TEX_2D_NOMIP;
            const bool cube = dim == TEX_CUBE || dim == TEX_CUBE_ARRAY;
            const bool one_row = dim == TEX_1D || dim == TEX_1D_ARRAY || dim == TEX_BUFFER;
            struct tex_image i = {.format = f,
                                  .dim = dim,
                                  .width = 96,
                                  .height = one_row ? 1 : 80,
                                  .depth = dim == TEX_3D ? 24 : 1,
                                  .levels = flat ? 1 : 5,
                                  .layers = cube                  ? 12
                                            : dim == TEX_2D_ARRAY ? 3
                                                                  : 1,
                                  .linear = dim == TEX_BUFFER,
                                  .normalized = true};
            struct tex_level level[TEX_MAX_LEVELS];
            uint64_t stride;
            const uint64_t size = tex_image_layout(&i, level, &stride);
            const struct format_info *info = format_info(f);
            if (i.linear)
                assert_int_equal(size, 96u / info->block_w * info->bytes);
            i.address = memory_alloc(m, size, 65536);
            assert_int_not_equal(i.address, 0);
            uint32_t tic[8];
            char why[128] = "";
            struct tex_view v;
            tex_image_tic(&i, 0, i.levels - 1, tic);
            if (tex_view_decode(tic, m, &v, why, sizeof why) != 0)
                fail_msg("%s dim %d: %s", format_name(f), dim, why);
            assert_true(v.valid && v.whole);
            assert_int_equal(v.dim, dim);
            assert_int_equal(v.bytes, format_info(f)->bytes);
            assert_int_equal(v.srgb, format_info(f)->srgb);
            assert_int_equal(v.layers, i.layers);
            assert_int_equal(v.level_count, i.levels);
            for (uint32_t l = 0; l < i.levels; l++)
                assert_level(&v.level[l], &level[l]);
            if (i.layers > 1)
                assert_int_equal(v.layer_stride, stride);
            memory_free(m, i.address);
        }
    }
    memory_destroy(m);
}

/* 300x200 RGBA8 takes 0x4c000 bytes and 16 KiB-aligned tiles of 64 rows: tesla-3d.md [M]. */
static void test_known_words(void **state) {
    (void)state;
    struct tex_image i = {.address = 0x1234567800,
                          .format = FORMAT_BGRA8_SRGB,
                          .dim = TEX_2D,
                          .width = 300,
                          .height = 200,
                          .depth = 1,
                          .layers = 1,
                          .levels = 9,
                          .normalized = true};
    struct tex_level level[TEX_MAX_LEVELS];
    tex_image_layout(&i, level, NULL);
    assert_int_equal(level[1].offset, 0x4c000);
    assert_int_equal(level[0].tile_h, 4);
    assert_int_equal(level[3].tile_h, 3); /* 25 rows */
    assert_int_equal(level[8].tile_h, 0);
    uint32_t tic[8];
    tex_image_tic(&i, 1, 4, tic);
    assert_int_equal(tic[0], 0x08 | 2 << 6 | 2 << 9 | 2 << 12 | 2 << 15 | 4 << 18 | 3 << 21 |
                                 2 << 24 | 5 << 27);
    assert_int_equal(tic[1], 0x34567800);
    assert_int_equal(tic[2], 0x12u | 1u << 10 | 1u << 14 | 4u << 22 | 1u << 30 | 1u << 31);
    assert_int_equal(tic[4], 0x80000000u | 300);
    assert_int_equal(tic[5], 200 | 1 << 16 | 8u << 28);
    assert_int_equal(tic[7], 0x41);
    const struct tex_sampler s = {.wrap = {1, 2, 4},
                                  .compare = true,
                                  .compare_func = 3,
                                  .mag_linear = true,
                                  .mip = 3,
                                  .lod_bias = -1.5f,
                                  .min_lod = 0.25f,
                                  .max_lod = 3.0f,
                                  .max_anisotropy = 8,
                                  .border = {1, 0, 0, 0.5f}};
    uint32_t tsc[8];
    struct tex_sampler back;
    tex_sampler_tsc(&s, tsc);
    assert_int_equal(tsc[0], 1 | 2 << 3 | 4 << 6 | 1 << 9 | 3 << 10 | 1 << 13 | 4 << 20);
    assert_int_equal(tsc[1], 2 | 1 << 4 | 3 << 6 | (0x2000 - 384) << 12);
    assert_int_equal(tsc[2], 64 | 768 << 12);
    tex_sampler_decode(tsc, &back);
    assert_true(back.lod_bias == -1.5f && back.min_lod == 0.25f && back.max_lod == 3.0f);
    assert_true(back.compare && back.mag_linear && !back.min_linear && back.mip == 3);
    assert_int_equal(back.max_anisotropy, 8);
    assert_memory_equal(back.border, s.border, 16);
}

static void test_rejects(void **state) {
    (void)state;
    struct gpu_memory *m = memory_create(1 << 20, -1);
    struct tex_image i = {.format = FORMAT_RGBA8_UNORM,
                          .dim = TEX_2D,
                          .width = 16,
                          .height = 16,
                          .depth = 1,
                          .layers = 1,
                          .levels = 1,
                          .normalized = true};
    i.address = memory_alloc(m, 4096, 256);
    uint32_t good[8], bad[8];
    char why[128];
    struct tex_view v;
    tex_image_tic(&i, 0, 0, good);
    assert_int_equal(tex_view_decode(good, m, &v, why, sizeof why), 0);
    const struct {
        int word;
        uint32_t mask, value;
        const char *says;
    } cases[] = {
        {0, 0x3f, 0x3f, "format 3f"},          {2, 0xf << 14, 0xf << 14, "type f"},
        {1, 0xffffffff, 0, "outside"},         {2, 7 << 22, 7 << 22, "tile mode"},
        {4, 0x3fffffff, 0, "size 0x16"},       {4, 0x3fffffff, 1 << 20, "out of range"},
        {5, 0xf0000000, 0xf0000000, "levels"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        memcpy(bad, good, sizeof bad);
        bad[cases[c].word] = (bad[cases[c].word] & ~cases[c].mask) | cases[c].value;
        assert_int_equal(tex_view_decode(bad, m, &v, why, sizeof why), -1);
        assert_false(v.valid);
        if (!strstr(why, cases[c].says))
            fail_msg("\"%s\" does not say \"%s\"", why, cases[c].says);
        assert_int_equal(tex_view_decode(bad, m, &v, NULL, 0), -1);
    }
    memory_destroy(m);
}

/* The view's data moves to `exact`, so that a stray read faults. */
static bool hostile_case(struct gpu_memory *m, uint64_t address, const uint8_t *exact,
                         uint64_t size) {
    uint32_t tic[8], tsc[8];
    for (int i = 0; i < 8; i++) {
        tic[i] = rnd() & rnd();
        tsc[i] = rnd() & rnd();
    }
    tic[1] = (uint32_t)address;
    tic[2] &= ~0xffu;
    tic[4] = rnd() >> (rnd() % 20 + 10);
    tic[5] = (tic[5] & 0xff000000) | (rnd() & rnd() & 0xff0000) | (rnd() >> (rnd() % 14 + 16));
    if (rnd() & 1)
        tic[2] = (tic[2] & ~(0xfu << 14)) | (rnd() % 9) << 14;
    struct tex_view v;
    struct tex_sampler s;
    if (tex_view_decode(tic, m, &v, NULL, 0) == 0) {
        assert_int_equal(v.size, size);
        v.data = exact;
    }
    tex_sampler_decode(tsc, &s);
    for (int op = 0; op <= TEX_OP_GATHER; op++) {
        u32x32 src[4], result[4], first[4];
        for (int i = 0; i < 4; i++)
            for (int lane = 0; lane < LANES; lane++)
                src[i][lane] = op == TEX_OP_FETCH ? rnd() % 64
                               : rnd() & 1        ? rnd()
                                                  : 0x3f000000 + rnd() % 0x1000000;
        struct tex_args a = {.op = (uint8_t)op,
                             .source_count = (uint8_t)(1 + rnd() % 4),
                             .result_mask = 15,
                             .cube = rnd() & 1,
                             .deriv = rnd() & 1,
                             .fake_infinite = rnd() & 1,
                             .seamless = rnd() & 1,
                             .lanes = rnd() | 1};
        for (int i = 0; i < 3; i++)
            a.offset[i] = rnd() & 1 ? (int8_t)(rnd() % 16 - 8) : 0;
        for (int level = 0; level <= (int)simd_best(); level++) {
            memcpy(result, src, sizeof result);
            tex_run((enum simd_level)level, &v, &s, &a, result);
            for (int i = 0; i < 4; i++)
                for (int lane = 0; level && lane < LANES; lane++)
                    if (first[i][lane] != result[i][lane])
                        fail_msg("op %d: %s gives %08x, base %08x", op, simd_name(level),
                                 result[i][lane], first[i][lane]);
            memcpy(first, result, sizeof first);
        }
    }
    return v.valid;
}

static void test_hostile(void **state) {
    (void)state;
    static const uint64_t sizes[] = {4, 4, 17, 17, 250, 250, 4096, 4096, 70000, 70000};
    int valid = 0;
    struct gpu_memory *m = memory_create(1 << 20, -1);
    for (int n = 0; n < 10; n++) {
        const uint64_t address = memory_alloc(m, sizes[n], 256);
        const uint64_t room = (sizes[n] + 4095) / 4096 * 4096;
        uint8_t *pages =
            mmap(NULL, room + 2 * 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(pages, MAP_FAILED);
        assert_int_equal(mprotect(pages + 65536, room, PROT_READ | PROT_WRITE), 0);
        uint8_t *exact = pages + 65536 + (n & 1 ? room - sizes[n] : 0);
        for (uint64_t i = 0; i < sizes[n]; i++)
            exact[i] = (uint8_t)rnd();
        for (int i = 0; i < 3000; i++)
            valid += hostile_case(m, address, exact, sizes[n]);
        munmap(pages, room + 2 * 65536);
        memory_free(m, address);
    }
    memory_destroy(m);
    assert_in_range(valid, 5000, 30000); /* or most cases would test nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_known_words),
        cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
