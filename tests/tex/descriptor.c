/* TIC and TSC: what builders write, the decoder reads back; fields are compared with tesla-3d.md
 * §4.2, one by one; descriptors of random words. With any descriptor, sampling stays inside the
 * allocation and every SIMD level gives the same results. The allocation lies between inaccessible
 * pages, once right behind the first, once right before the last. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "tests/tex/fixture.h"
#include "tests/tex/texture.h"
#include "tests/shapes.h"

static void assert_level(const struct tex_level *a, const struct tex_level *b) {
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->tile_h, b->tile_h);
    assert_int_equal(a->tile_d, b->tile_d);
}

TEST(test_round_trip) {
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

/* Each storage code decodes with any types of components: to the format with the types if one
 * exists, else to another format of that storage. */
TEST(test_types_of_codes) {
    struct gpu_memory *m = memory_create(1 << 20, -1);
    const uint64_t at = memory_alloc(m, 65536, 65536);
    unsigned others = 0;
    for (enum pixel_format f = FORMAT_NONE + 1; f < FORMATS; f++) {
        struct tex_image made = image(f, TEX_2D, 4, 4);
        made.address = at;
        uint32_t tic[8], again[8];
        tex_image_tic(&made, 0, 0, tic);
        if (!(tic[0] & 0x3f) || format_info(f)->srgb)
            continue;
        for (uint32_t type = 1; type < 8; type++) {
            struct tex_view v;
            char why[128] = "";
            tic[0] = (tic[0] & ~(7u << 6)) | type << 6;
            if (tex_view_decode(tic, m, &v, why, sizeof why) != 0)
                fail_msg("%s as type %u: %s", format_name(f), type, why);
            struct tex_image named = made;
            named.format = v.format;
            tex_image_tic(&named, 0, 0, again);
            assert_int_equal(again[0] & 0x3f, tic[0] & 0x3f);
            assert_false(format_info(v.format)->srgb); /* sRGB is a bit of the descriptor */
            others += format_info(v.format)->type != type;
            if (format_info(f)->type == type && format_info(f)->bits[0] &&
                !format_info(f)->shift[0])
                assert_int_equal(format_info(v.format)->type, type);
        }
    }
    assert_true(others > 10);
    memory_destroy(m);
}

/* The builder writes a descriptor that the decoder refuses for an image that no descriptor can
 * express. */
TEST(test_no_such_format) {
    struct gpu_memory *m = memory_create(1 << 20, -1);
    static const enum pixel_format none[] = {FORMATS, FORMATS + 1, (enum pixel_format) - 1};
    for (size_t i = 0; i < LENGTH(none); i++) {
        struct tex_image made = image(none[i], TEX_2D, 4, 4);
        made.address = 0x1000;
        uint32_t tic[8];
        char why[128] = "";
        struct tex_view v;
        tex_image_tic(&made, 0, 0, tic);
        assert_int_equal(tic[0] & 0x3f, 0);
        assert_int_not_equal(tex_view_decode(tic, m, &v, why, sizeof why), 0);
    }
    memory_destroy(m);
}

/* A texture of 300x200 RGBA8 takes 0x4c000 bytes in tiles of 64 rows; tesla-3d.md §3 has the
 * figures. */
TEST(test_known_words) {
    struct tex_image i = image(FORMAT_BGRA8_SRGB, TEX_2D, 300, 200);
    i.address = 0x1234567800;
    i.levels = 9;
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

/* All 40 bits of an address are encoded and decoded. The message about an address outside of the
 * memory has the address. */
TEST(test_addresses) {
    struct gpu_memory *m = memory_create(1 << 20, -1);
    for (int bit = 8; bit < 40; bit++)
        for (int more = 0; more < 2; more++) {
            struct tex_image i = image(FORMAT_RGBA8_UNORM, TEX_2D, 8, 8);
            struct tex_level level[TEX_MAX_LEVELS];
            uint32_t tic[8];
            char why[128] = "", said[32];
            struct tex_view v;
            tex_image_layout(&i, level, NULL);
            i.address = UINT64_C(1) << bit | (more ? UINT64_C(0xa5c3000000) : 0);
            tex_image_tic(&i, 0, 0, tic);
            assert_int_equal(tic[1] | (uint64_t)(tic[2] & 0xff) << 32, i.address);
            if (tex_view_decode(tic, m, &v, why, sizeof why) == 0)
                continue; /* the address lies in the memory */
            snprintf(said, sizeof said, "%010llx", (unsigned long long)i.address);
            if (!strstr(why, said))
                fail_msg("%s: %s", said, why);
        }
    memory_destroy(m);
}

/* A level's tiles are as high as those of the first level, or as high as the next power of two of
 * the level's rows (of texels or blocks), if that is less. */
TEST(test_tiles_of_levels) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_R8_UNORM, FORMAT_DXT1,
                                                FORMAT_DXT5, FORMAT_RGBA32_FLOAT};
    for (size_t f = 0; f < LENGTH(formats); f++)
        for (uint32_t height = 1; height <= 600; height += 1 + height / 7) {
            struct tex_image i = image(formats[f], TEX_2D, 700, height);
            i.levels = 10;
            struct tex_level level[TEX_MAX_LEVELS];
            uint64_t stride, size = tex_image_layout(&i, level, &stride), end = 0;
            const uint32_t block = format_info(formats[f])->block_h;
            for (int l = 0; l < 10; l++) {
                const uint32_t h = height >> l ? height >> l : 1, rows = (h + block - 1) / block;
                uint32_t tile_h = 0;
                while (tile_h < level[0].tile_h && 4u << tile_h < rows)
                    tile_h++;
                assert_int_equal(level[l].height, h);
                if (level[l].tile_h != tile_h)
                    fail_msg("%s, height %u, level %d: tiles of %u, not %u",
                             format_name(formats[f]), height, l, 4u << level[l].tile_h,
                             4u << tile_h);
                assert_int_equal(level[l].offset, end);
                const uint32_t across =
                    (level[l].width + block - 1) / block * format_info(formats[f])->bytes;
                end += (uint64_t)((across + 63) / 64 * 64) *
                       ((rows + (4u << tile_h) - 1) / (4u << tile_h) * (4u << tile_h));
            }
            assert_true(size >= end);
        }
}

TEST(test_rejects) {
    struct gpu_memory *m = memory_create(1 << 20, -1);
    struct tex_image i = image(FORMAT_RGBA8_UNORM, TEX_2D, 16, 16);
    i.address = memory_alloc(m, 4096, 256);
    uint32_t good[8], bad[8];
    char why[128];
    struct tex_view v;
    tex_image_tic(&i, 0, 0, good);
    assert_int_equal(tex_view_decode(good, m, &v, why, sizeof why), 0);
    enum { TYPE = 0xf << 14, PITCH = 1 << 18 };
    const struct {
        int word;
        uint32_t mask, value;
        const char *says;
        uint32_t mask2, value2; /* bits of word 2 that are replaced, and their new value */
    } cases[] = {
        {0, 0x3f, 0x3f, "format 3f", 0, 0},
        {2, TYPE, 0xf << 14, "type f", 0, 0},
        {2, TYPE, 9 << 14, "type 9", 0, 0},
        {1, 0xffffffff, 0, "outside", 0, 0},
        {2, 7 << 22, 7 << 22, "tile mode 7,0", 0, 0},
        {2, 7 << 22, 6 << 22, "tile mode 6,0", 0, 0},
        {2, 7 << 25, 7 << 25, "tile mode 2,7", TYPE, TEX_3D << 14},
        {2, 7 << 25, 6 << 25, "tile mode 2,6", TYPE, TEX_3D << 14},
        {4, 0x3fffffff, 0, "size 0x16", 0, 0},
        {5, 0xffff, 0, "size 16x0", 0, 0},
        {4, 0x3fffffff, 0x10000, "out of range", 0, 0},
        {5, 0xf0000000, 0xf0000000, "levels", 0, 0},
        {5, 0xf0000000, 0x10000000, "2 levels", PITCH, PITCH},
        {5, 0xfff0000, 2 << 16, "layers or slices", TYPE | PITCH, TEX_2D_ARRAY << 14 | PITCH},
        {5, 0xfff0000, 2 << 16, "layers or slices", TYPE | PITCH, TEX_3D << 14 | PITCH},
        {2, 0, 0, "must be linear", TYPE, TEX_BUFFER << 14},
        /* a texture with one layer: the depth has no meaning */
        {5, 0xfff0000, 0xfff << 16, NULL, 0, 0},
        {2, 7 << 25, 7 << 25, NULL, 0, 0}, /* the depth of tiles has no meaning either */
        {4, 0x3fffffff, 0xffff, NULL, 0, 0},
        {2, 7 << 22, 5 << 22, NULL, 0, 0},
        {5, 0xf0000000, 0xe0000000, NULL, 0, 0}, /* the 15 levels of 16384 texels */
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        memcpy(bad, good, sizeof bad);
        bad[2] = (bad[2] & ~cases[c].mask2) | cases[c].value2;
        bad[cases[c].word] = (bad[cases[c].word] & ~cases[c].mask) | cases[c].value;
        if (!cases[c].says) {
            assert_int_equal(tex_view_decode(bad, m, &v, why, sizeof why), 0);
            continue;
        }
        assert_int_equal(tex_view_decode(bad, m, &v, why, sizeof why), -1);
        assert_false(v.valid);
        if (!strstr(why, cases[c].says))
            fail_msg("\"%s\" does not say \"%s\"", why, cases[c].says);
        assert_int_equal(tex_view_decode(bad, m, &v, NULL, 0), -1);
    }
    memory_destroy(m);
}

static uint32_t field(const uint32_t *words, int word, int low, int count) {
    return words[word] >> low & ((1u << count) - 1);
}

/* Every field of a TIC stands where tesla-3d.md §4.2 says and does not depend on other fields,
 * which are random. */
TEST(test_fields_of_views) {
    struct gpu_memory *m = memory_create(1 << 20, -1);
    const uint64_t address = memory_alloc(m, 4096, 256);
    for (int round = 0; round < 4000; round++) {
        uint32_t tic[8];
        struct tex_view v;
        for (int i = 0; i < 8; i++)
            tic[i] = random_word();
        const uint32_t dim = (uint32_t)round % 9, depth = random_word() % 5,
                       last = random_word() % 4;
        const bool flat = dim == TEX_BUFFER || dim == TEX_2D_NOMIP, linear = dim == TEX_BUFFER;
        tic[0] = (tic[0] & ~0x3fu) | 0x08; /* RGBA8 */
        tic[1] = (uint32_t)address;
        tic[2] = (tic[2] & ~(0xffu | 0xf << 14 | 1 << 18 | 0x3f << 22)) |
                 (uint32_t)(address >> 32) | dim << 14 | (uint32_t)linear << 18 |
                 random_word() % (6 - (tic[7] >> 31)) << 22 | random_word() % 6 << 25;
        tic[4] = (tic[4] & 0xc0000000) | (1 + random_word() % 40);
        tic[5] = (1 + random_word() % 40) | depth << 16 | last << 28;
        if (tex_view_decode(tic, m, &v, NULL, 0) != 0)
            fail_msg("%08x %08x %08x %08x", tic[0], tic[2], tic[4], tic[5]);
        const bool one_row = dim == TEX_1D || dim == TEX_1D_ARRAY || dim == TEX_BUFFER;
        const bool cube = dim == TEX_CUBE || dim == TEX_CUBE_ARRAY;
        const bool layered = dim == TEX_1D_ARRAY || dim == TEX_2D_ARRAY;
        const uint32_t many = depth ? depth : 1;
        const uint32_t levels = flat ? 1 : last + 1;
        uint32_t from = flat ? 0 : field(tic, 7, 0, 4), to = flat ? 0 : field(tic, 7, 4, 4);
        to = to < levels ? to : levels - 1;
        from = from < to ? from : to;
        assert_int_equal(v.dim, dim);
        assert_int_equal(v.width, field(tic, 4, 0, 30));
        assert_int_equal(v.height, one_row ? 1 : field(tic, 5, 0, 16));
        assert_int_equal(v.depth, dim == TEX_3D ? many : 1);
        assert_int_equal(v.layers, cube ? 6 * many : layered ? many : 1);
        assert_int_equal(v.level_count, levels);
        assert_int_equal(v.first_level, from);
        assert_int_equal(v.last_level, to);
        assert_int_equal(v.linear, linear);
        /* the bit in word 7 that makes tiles twice as high */
        assert_int_equal(v.level[0].tile_h, field(tic, 2, 22, 3) + (tic[7] >> 31));
        assert_int_equal(v.level[0].tile_d, dim == TEX_3D ? field(tic, 2, 25, 3) : 0);
        for (int i = 0; i < 4; i++)
            assert_int_equal(v.swizzle[i], field(tic, 0, 18 + 3 * i, 3));
    }
    memory_destroy(m);
}

TEST(test_fields_of_samplers) {
    static const uint8_t anisotropy[8] = {1, 2, 4, 6, 8, 10, 12, 16};
    for (int round = 0; round < 4000; round++) {
        uint32_t tsc[8], again[8];
        struct tex_sampler s, back;
        for (int i = 0; i < 8; i++)
            tsc[i] = random_word();
        tex_sampler_decode(tsc, &s);
        for (int i = 0; i < 3; i++)
            assert_int_equal(s.wrap[i], field(tsc, 0, 3 * i, 3));
        assert_int_equal(s.compare, field(tsc, 0, 9, 1));
        assert_int_equal(s.compare_func, field(tsc, 0, 10, 3));
        assert_int_equal(s.skip_srgb_decode, !field(tsc, 0, 13, 1));
        assert_int_equal(s.max_anisotropy, anisotropy[field(tsc, 0, 20, 3)]);
        assert_int_equal(s.mag_linear, field(tsc, 1, 0, 2) == 2);
        assert_int_equal(s.min_linear, field(tsc, 1, 4, 2) == 2);
        assert_int_equal(s.mip, field(tsc, 1, 6, 2) ? field(tsc, 1, 6, 2) : 1);
        const int32_t bias = (int32_t)field(tsc, 1, 12, 13);
        assert_true(s.lod_bias == (float)(bias >= 4096 ? bias - 8192 : bias) / 256);
        assert_true(s.min_lod == (float)field(tsc, 2, 0, 12) / 256);
        assert_true(s.max_lod == (float)field(tsc, 2, 12, 12) / 256);
        assert_memory_equal(s.border, &tsc[4], 16);
        assert_memory_equal(s.border_bits, &tsc[4], 16);
        /* A descriptor that is built from the decoded sampler decodes to the same sampler,
         * regardless of the words that it replaces. */
        s.lod_bias = s.lod_bias < -15 ? -15 : s.lod_bias > 15 ? 15 : s.lod_bias;
        s.max_lod = s.max_lod > 15.99f ? 15.99609375f : s.max_lod;
        s.min_lod = s.min_lod > 15.99f ? 15.99609375f : s.min_lod;
        memset(again, round & 1 ? 0xff : 0, sizeof again);
        tex_sampler_tsc(&s, again);
        assert_int_equal(again[3], 0);
        tex_sampler_decode(again, &back);
        assert_memory_equal(back.wrap, s.wrap, sizeof s.wrap);
        assert_memory_equal(back.border_bits, s.border_bits, sizeof s.border_bits);
        assert_true(back.compare == s.compare && back.compare_func == s.compare_func &&
                    back.mag_linear == s.mag_linear && back.min_linear == s.min_linear &&
                    back.mip == s.mip && back.lod_bias == s.lod_bias && back.min_lod == s.min_lod &&
                    back.max_lod == s.max_lod && back.max_anisotropy == s.max_anisotropy &&
                    back.skip_srgb_decode == s.skip_srgb_decode);
    }
}

/* Textures fill the last line of their last tile, right before an inaccessible page. No sample
 * reads behind the last texel, for each set of live lanes. The results are those of the same
 * texture at another place. */
static void check_last_line(const struct tex_image *image, bool seamless) {
    struct tex_image i = *image;
    const uint64_t size = tex_image_layout(&i, NULL, NULL), room = (size + 4095) / 4096 * 4096;
    struct gpu_memory *m = memory_create(1 << 20, -1);
    i.address = memory_alloc(m, size, 65536);
    uint8_t *pages = mmap(NULL, room + 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(mprotect(pages, room, PROT_READ | PROT_WRITE), 0);
    uint8_t *roomy = memory_at(m, i.address, size), *exact = pages + room - size;
    for (uint64_t k = 0; k < size; k++)
        exact[k] = roomy[k] = (uint8_t)(random_word() & 0x3f);
    uint32_t tic[8];
    tex_image_tic(&i, 0, 0, tic);
    for (int round = 0; round < 24; round++) {
        struct tex_view v;
        u32x32 src[4], got[2][4];
        const struct tex_sampler s = SAMPLER(
            round & 1, 1, .wrap = {(uint8_t)(random_word() % 8), (uint8_t)(random_word() % 8), 2});
        const struct tex_args a = {.op = round % 6 == 5 && i.dim != TEX_3D ? TEX_OP_GATHER
                                                                           : TEX_OP_AUTO,
                                   .source_count = 3,
                                   .result_mask = 15,
                                   .cube = i.dim == TEX_CUBE,
                                   .seamless = seamless,
                                   .lanes = random_word() | 1};
        for (int k = 0; k < 4; k++)
            for (int lane = 0; lane < LANES; lane++) {
                const bool live = a.lanes >> lane & 1;
                const float inner = 0.5f - (float)(random_word() % 256) / 1024;
                const float x = live && seamless ? inner : 1 - (float)(random_word() % 64) / 1024;
                memcpy((uint32_t *)&src[k] + lane, &x, 4);
            }
        for (int level = 0; level <= (int)simd_best(); level++)
            for (int where = 0; where < 2; where++) {
                assert_int_equal(tex_view_decode(tic, m, &v, NULL, 0), 0);
                assert_true(v.whole && v.size == size);
                v.data = where ? exact : roomy;
                memcpy(got[where], src, sizeof src);
                tex_run((enum simd_level)level, &v, &s, &a, got[where]);
                assert_memory_equal(got[where], got[0], sizeof got[0]);
            }
    }
    munmap(pages, room + 65536);
    memory_destroy(m);
}

TEST(test_last_line) {
    static const enum pixel_format formats[] = {
        FORMAT_R8_UNORM,   FORMAT_R16_UNORM,    FORMAT_RGBA8_UNORM, FORMAT_R32_FLOAT,
        FORMAT_RG32_FLOAT, FORMAT_RGBA32_FLOAT, FORMAT_DXT1,        FORMAT_DXT5};
    for (size_t f = 0; f < LENGTH(formats); f++)
        for (int dim = 0; dim < 4; dim++) {
            const struct format_info *info = format_info(formats[f]);
            const uint32_t side = 64u * info->block_w / info->bytes;
            const struct tex_image i = {.format = formats[f],
                                        .dim = dim < 2    ? TEX_2D
                                               : dim == 2 ? TEX_3D
                                                          : TEX_CUBE,
                                        .width = side,
                                        .height = dim == 3 ? side : 64,
                                        .depth = dim == 2 ? 4 : 1,
                                        .layers = dim == 3 ? 6 : 1,
                                        .levels = 1,
                                        .linear = dim == 1,
                                        .pitch = dim == 1 ? 64 : 0,
                                        .normalized = true};
            check_last_line(&i, false);
            if (dim == 3)
                check_last_line(&i, true);
        }
}

/* The texels are read from `exact`, which lies beside an inaccessible page, so that a read outside
 * of the texture faults. */
static bool hostile_case(struct gpu_memory *m, uint64_t address, const uint8_t *exact,
                         uint64_t size) {
    uint32_t tic[8], tsc[8];
    for (int i = 0; i < 8; i++) {
        tic[i] = random_word() & random_word();
        tsc[i] = random_word() & random_word();
    }
    tic[1] = (uint32_t)address;
    tic[2] &= ~0xffu;
    tic[4] = random_word() >> (random_word() % 20 + 10);
    tic[5] = (tic[5] & 0xff000000) | (random_word() & random_word() & 0xff0000) |
             (random_word() >> (random_word() % 14 + 16));
    if (random_word() & 1)
        tic[2] = (tic[2] & ~(0xfu << 14)) | (random_word() % 9) << 14;
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
                src[i][lane] = op == TEX_OP_FETCH  ? random_word() % 64
                               : random_word() & 1 ? random_word()
                                                   : 0x3f000000 + random_word() % 0x1000000;
        struct tex_args a = {.op = (uint8_t)op,
                             .source_count = (uint8_t)(1 + random_word() % 4),
                             .result_mask = 15,
                             .cube = random_word() & 1,
                             .deriv = random_word() & 1,
                             .fake_infinite = random_word() & 1,
                             .seamless = random_word() & 1,
                             .lanes = random_word() | 1};
        for (int i = 0; i < 3; i++)
            a.offset[i] = random_word() & 1 ? (int8_t)(random_word() % 16 - 8) : 0;
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

TEST(test_hostile) {
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
            exact[i] = (uint8_t)random_word();
        for (int i = 0; i < 3000; i++)
            valid += hostile_case(m, address, exact, sizes[n]);
        munmap(pages, room + 2 * 65536);
        memory_free(m, address);
    }
    memory_destroy(m);
    /* with fewer valid descriptors most cases would test nothing */
    assert_in_range(valid, 5000, 30000);
}
