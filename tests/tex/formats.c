/* Format codes of the TIC, each as a row with the places of its components in a texel. Texels are
 * fetched and sampled with every type, the same for all components and mixed, and compared with
 * scalar decoding. Also: which component a comparison reads, wide buffers, sizes and tile modes of
 * images. */
#include "tests/tex/calls.h"

#include "base/convert.h"

enum { TEXELS = 16 };

/* The comments have the names of the hardware's lists. Component 0 of a row has the lowest bits. */
static const struct code {
    uint8_t code, bytes, bits[4], shift[4];
} codes[] = {
    {0x01, 16, {32, 32, 32, 32}, {0, 32, 64, 96}}, /* R32_G32_B32_A32 */
    {0x02, 12, {32, 32, 32}, {0, 32, 64}},         /* R32_G32_B32 */
    {0x03, 8, {16, 16, 16, 16}, {0, 16, 32, 48}},  /* R16_G16_B16_A16 */
    {0x04, 8, {32, 32}, {0, 32}},                  /* R32_G32 */
    {0x05, 8, {32, 8, 24}, {0, 32, 40}},           /* R32_B24G8 */
    {0x07, 4, {8, 8, 8}, {0, 8, 16}},              /* X8B8G8R8 */
    {0x08, 4, {8, 8, 8, 8}, {0, 8, 16, 24}},       /* A8B8G8R8 */
    {0x09, 4, {10, 10, 10, 2}, {0, 10, 20, 30}},   /* A2B10G10R10 */
    {0x0c, 4, {16, 16}, {0, 16}},                  /* R16_G16 */
    {0x0d, 4, {24, 8}, {0, 24}},                   /* G8R24 */
    {0x0e, 4, {8, 24}, {0, 8}},                    /* G24R8 */
    {0x0f, 4, {32}, {0}},                          /* R32 */
    {0x12, 2, {4, 4, 4, 4}, {0, 4, 8, 12}},        /* A4B4G4R4 */
    {0x13, 2, {1, 5, 5, 5}, {0, 1, 6, 11}},        /* A5B5G5R1 */
    {0x14, 2, {5, 5, 5, 1}, {0, 5, 10, 15}},       /* A1B5G5R5 */
    {0x15, 2, {5, 6, 5}, {0, 5, 11}},              /* B5G6R5 */
    {0x16, 2, {5, 5, 6}, {0, 5, 10}},              /* B6G5R5 */
    {0x18, 2, {8, 8}, {0, 8}},                     /* G8R8 */
    {0x1b, 2, {16}, {0}},                          /* R16 */
    {0x1d, 1, {8}, {0}},                           /* R8 */
    {0x1e, 1, {4, 4}, {0, 4}},                     /* G4R4 */
    {0x29, 4, {8, 24}, {0, 8}},                    /* Z24S8 */
    {0x2a, 4, {24}, {0}},                          /* X8Z24 */
    {0x2b, 4, {24, 8}, {0, 24}},                   /* S8Z24 */
    {0x2f, 4, {32}, {0}},                          /* ZF32 */
    {0x30, 8, {32, 8}, {0, 32}},                   /* ZF32_X24S8 */
    {0x3a, 2, {16}, {0}},                          /* Z16 */
};

/* The same texels twice: linear, and in tiles of 64 bytes by four rows. */
struct row_of_texels {
    struct gpu_memory *memory;
    uint64_t address, tiled;
    uint8_t *texel;
};

static void open_row(struct row_of_texels *r) {
    r->memory = memory_create(1 << 20, -1);
    r->address = memory_alloc(r->memory, 4096, 4096);
    r->tiled = memory_alloc(r->memory, 4096, 4096);
    r->texel = memory_at(r->memory, r->address, 4096);
}

static void close_row(struct row_of_texels *r) {
    memory_destroy(r->memory);
}

/* A row that is freed at the end of the C block. */
#define ROW(r)                                                                                     \
    struct row_of_texels r __attribute__((cleanup(close_row)));                                    \
    open_row(&r)

static void copy_to_tiles(const struct row_of_texels *r, size_t bytes) {
    uint8_t *tile = memory_at(r->memory, r->tiled, 4096);
    for (size_t i = 0; i < bytes; i++)
        tile[i / 64 * 256 + i % 64] = r->texel[i];
}

/* Decodes a view of a row of TEXELS texels. */
static void view_of(const struct row_of_texels *r, uint8_t code, const uint8_t type[4],
                    const uint8_t swizzle[4], bool tiled, struct tex_view *v) {
    const uint64_t at = tiled ? r->tiled : r->address;
    uint32_t tic[8] = {code,
                       (uint32_t)at,
                       (uint32_t)(at >> 32) | TEX_2D << 14 | (tiled ? 0 : 1u << 18) | 1u << 31,
                       tiled ? 0 : 1024,
                       TEXELS,
                       1 | 1 << 16,
                       0,
                       0};
    for (int c = 0; c < 4; c++)
        tic[0] |= (uint32_t)type[c] << (6 + 3 * c) | (uint32_t)swizzle[c] << (18 + 3 * c);
    assert_int_equal(tex_view_decode(tic, r->memory, v, NULL, 0), 0);
}

/* The bits of component c. */
static uint32_t field_of(const struct code *f, const uint8_t *texel, int c) {
    uint32_t value = 0;
    for (int i = 0; i < f->bits[c]; i++) {
        const int at = f->shift[c] + i;
        value |= (uint32_t)(texel[at / 8] >> at % 8 & 1) << i;
    }
    return value;
}

/* The value of a float with 5 bits of exponent and m of mantissa, and a sign bit if `sign`. */
static double small_float(uint32_t v, int m, bool sign) {
    const int e = (int)(v >> m & 31);
    const double fraction = (double)(v & ((1u << m) - 1)) / (double)(1u << m);
    const double size = e == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                        : e == 0 ? ldexp(fraction, -14)
                                 : ldexp(1 + fraction, e - 15);
    return sign && v >> 15 & 1 ? -size : size;
}

static int32_t signed_of(uint32_t v, int bits) {
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* The value of component bits; integers are exact. */
static double number_of(uint32_t v, int bits, uint8_t type) {
    float f;
    switch (type) {
    case COMPONENT_SNORM:
        return fmax(signed_of(v, bits) / (ldexp(1, bits - 1) - 1), -1);
    case COMPONENT_UNORM:
        return v / (ldexp(1, bits) - 1);
    case COMPONENT_SINT:
        return signed_of(v, bits);
    case COMPONENT_UINT:
        return v;
    default:
        memcpy(&f, &v, 4);
        return bits == 32   ? (double)f
               : bits == 16 ? small_float(v, 10, true)
                            : small_float(v, bits - 5, false);
    }
}

/* Returns true if a component of so many bits can have the type. */
static bool has_type(int bits, uint8_t type) {
    if (type == COMPONENT_FLOAT)
        return bits == 32 || bits == 16;
    return bits > 1 || type != COMPONENT_SNORM;
}

static void check(const struct code *f, const uint8_t type[4], const uint8_t swizzle[4],
                  const struct call *c, const struct row_of_texels *r, int lane, const char *how) {
    for (int i = 0; i < 4; i++) {
        const int from = swizzle[i] - 2;
        const uint32_t field = field_of(f, r->texel + (lane % TEXELS) * f->bytes, from),
                       got = c->reg[i][lane];
        const double want = f->bits[from] ? number_of(field, f->bits[from], type[from]) : 0;
        float value;
        memcpy(&value, &got, 4);
        const bool integer = type[from] == COMPONENT_SINT || type[from] == COMPONENT_UINT;
        const double is = !f->bits[from]                 ? (double)got
                          : type[from] == COMPONENT_SINT ? (double)(int32_t)got
                          : integer                      ? (double)got
                                                         : (double)value;
        const bool same = isnan(want)
                              ? isnan(is)
                              : is == want || (!integer && fabs(is - want) <= fabs(want) * 0x1p-23);
        if (!same)
            fail_msg("code %02x, %s, texel %d, component %d of type %d: %g, not %g", f->code, how,
                     lane % TEXELS, from, type[from], is, want);
    }
}

static void try_types(struct row_of_texels *r, const struct code *f, const uint8_t type[4],
                      bool backwards) {
    const uint8_t swizzle[4] = {backwards ? 5 : 2, backwards ? 4 : 3, backwards ? 3 : 4,
                                backwards ? 2 : 5};
    const struct tex_sampler s = {.mip = 1, .max_anisotropy = 1, .wrap = {2, 2, 2}};
    const struct tex_sampler linear = {
        .mip = 1, .max_anisotropy = 1, .wrap = {2, 2, 2}, .mag_linear = true, .min_linear = true};
    struct tex_view v;
    u32x32 filtered[4];
    /* texels of random bits, of only ones and only zeros */
    for (uint32_t i = 0; i < TEXELS * f->bytes; i++)
        r->texel[i] = i / f->bytes == 0 ? 0xff : i / f->bytes == 1 ? 0 : (uint8_t)random_word();
    bool filters =
        true; /* false with integers: read as floats they are denormals, which depend on MXCSR */
    for (int c = 0; c < 4; c++) {
        filters &= !f->bits[c] || (type[c] != COMPONENT_SINT && type[c] != COMPONENT_UINT);
        for (int i = 0; i < TEXELS && f->bits[c] == 32; i++)
            r->texel[i * f->bytes + f->shift[c] / 8 + 3] |= 0x20;
    }
    copy_to_tiles(r, TEXELS * (size_t)f->bytes);
    for (int tiled = 0; tiled < (64 % f->bytes ? 1 : 2); tiled++) {
        view_of(r, f->code, type, swizzle, tiled, &v);
        struct call fetch = {.args = {.op = TEX_OP_FETCH, .source_count = 3}};
        struct call sample = {.args = {.op = TEX_OP_AUTO, .source_count = 2}}, filter = sample;
        for (int lane = 0; lane < LANES; lane++) {
            fetch.reg[0][lane] = (uint32_t)lane % TEXELS;
            set(&sample, 0, lane, ((float)(lane % TEXELS) + 0.5f) / TEXELS);
            set(&filter, 0, lane, ((float)(lane % TEXELS) + 0.125f * (float)(lane / 8)) / TEXELS);
            set(&filter, 1, lane, 0.3f);
        }
        run(&v, &s, &fetch);
        run(&v, &s, &sample);
        if (filters)
            run(&v, &linear, &filter);
        for (int lane = 0; lane < LANES; lane++) {
            check(f, type, swizzle, &fetch, r, lane, "fetched");
            check(f, type, swizzle, &sample, r, lane, "sampled");
        }
        if (tiled)
            assert_memory_equal(filter.reg, filtered, sizeof filtered);
        memcpy(filtered, filter.reg, sizeof filtered);
    }
}

TEST(test_codes) {
    static const uint8_t types[] = {COMPONENT_SNORM, COMPONENT_UNORM, COMPONENT_SINT,
                                    COMPONENT_UINT, COMPONENT_FLOAT};
    ROW(r);
    for (size_t k = 0; k < LENGTH(codes); k++)
        for (int first = 0; first < 5; first++)
            for (int step = 0; step < 5; step++) { /* step 0: all components have the same type */
                uint8_t type[4];
                bool known = true;
                for (int c = 0; c < 4; c++) {
                    type[c] = types[(first + c * step) % 5];
                    known &= !codes[k].bits[c] || has_type(codes[k].bits[c], type[c]);
                }
                if (!known)
                    continue;
                try_types(&r, &codes[k], type, false);
                try_types(&r, &codes[k], type, true);
            }
}

/* The shorter floats without a sign: 11, 11 and 10 bits. */
TEST(test_short_floats) {
    static const struct code f = {0x21, 4, {11, 11, 10}, {0, 11, 22}};
    static const uint8_t type[4] = {COMPONENT_FLOAT, COMPONENT_FLOAT, COMPONENT_FLOAT,
                                    COMPONENT_FLOAT};
    ROW(r);
    for (int i = 0; i < 20; i++)
        try_types(&r, &f, type, i & 1);
}

/* All other codes are refused, but for those of blocks and of shared exponents. */
TEST(test_unknown_codes) {
    static const uint8_t others[] = {0x10, 0x11, 0x17 /* BPTC */, 0x20, 0x21, 0x24, 0x25, 0x26,
                                     0x27, 0x28};
    ROW(r);
    for (uint32_t code = 0; code < 64; code++) {
        const uint32_t tic[8] = {code | 2 << 6 | 2 << 9 | 2 << 12 | 2 << 15,
                                 (uint32_t)r.address,
                                 (uint32_t)(r.address >> 32) | TEX_2D << 14,
                                 0,
                                 4,
                                 4 | 1 << 16,
                                 0,
                                 0};
        bool known = false;
        struct tex_view v;
        for (size_t k = 0; k < LENGTH(codes); k++)
            known |= codes[k].code == code;
        for (size_t k = 0; k < sizeof others; k++)
            known |= others[k] == code;
        assert_int_equal(tex_view_decode(tic, r.memory, &v, NULL, 0), known ? 0 : -1);
        assert_int_equal(v.valid, known);
    }
}

/* A comparison reads the depth, wherever the depth lies beside a stencil; in other formats it reads
 * the first component. */
TEST(test_compared) {
    static const struct {
        uint8_t code, types[2], component;
    } rows[] = {
        {0x29, {COMPONENT_UINT, COMPONENT_UNORM}, 1},
        {0x2a, {COMPONENT_UNORM, COMPONENT_UNORM}, 0},
        {0x2b, {COMPONENT_UNORM, COMPONENT_UINT}, 0},
        {0x2f, {COMPONENT_FLOAT, COMPONENT_FLOAT}, 0},
        {0x30, {COMPONENT_FLOAT, COMPONENT_UINT}, 0},
        {0x3a, {COMPONENT_UNORM, COMPONENT_UNORM}, 0},
        {0x0d, {COMPONENT_UNORM, COMPONENT_UINT}, 0},
        {0x0c, {COMPONENT_UNORM, COMPONENT_UNORM}, 0},
        {0x04, {COMPONENT_FLOAT, COMPONENT_FLOAT}, 0},
        {0x0f, {COMPONENT_FLOAT, COMPONENT_FLOAT}, 0},
    };
    static const uint8_t swizzle[4] = {2, 2, 2, 7};
    ROW(r);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct code *f = codes;
        while (f->code != rows[i].code)
            f++;
        const uint8_t type[4] = {rows[i].types[0], rows[i].types[1], rows[i].types[1],
                                 rows[i].types[1]};
        struct tex_view v;
        view_of(&r, rows[i].code, type, swizzle, false, &v);
        for (int other = 0; other < 2; other++) { /* all other bits are ones or zeros */
            const int bits = f->bits[rows[i].component], shift = f->shift[rows[i].component];
            const float half = 0.5f;
            uint64_t texel = other ? UINT64_MAX : 0, depth = UINT64_C(1) << (bits - 1);
            if (type[rows[i].component] == COMPONENT_FLOAT)
                depth = 0, memcpy(&depth, &half, 4);
            const uint64_t mask = (UINT64_C(1) << bits) - 1;
            texel = (texel & ~(mask << shift)) | depth << shift;
            for (uint32_t k = 0; k < TEXELS; k++)
                memcpy(r.texel + k * f->bytes, &texel, f->bytes);
            const struct tex_sampler s = {
                .mip = 1, .max_anisotropy = 1, .compare = true, .compare_func = 1}; /* less */
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3}};
            for (int lane = 0; lane < LANES; lane++)
                set(&c, 2, lane,
                    /* lanes with a reference below the depth 0.5 pass */
                    (float)lane / 32 + 1.0f / 64);
            run(&v, &s, &c);
            for (int lane = 0; lane < LANES; lane++)
                if (value(&c, 0, lane) != (lane < 16 ? 1.0f : 0.0f))
                    fail_msg("code %02x, the rest %d: %g of lane %d", rows[i].code, other,
                             value(&c, 0, lane), lane);
        }
    }
}

/* A buffer may be as wide as the addresses of memory; texels outside of memory read 0. */
TEST(test_wide_buffers) {
    static const struct {
        uint8_t code, bytes;
        uint32_t width;
        bool right;
    } rows[] = {
        {0x1d, 1, 0xffff, true},      {0x1d, 1, 0x10000, true},     {0x1d, 1, 0x3fffffff, true},
        {0x01, 16, 0x7ffffff, true},  {0x01, 16, 0x8000000, false}, {0x01, 16, 0x3fffffff, false},
        {0x04, 8, 0xfffffff, true},   {0x04, 8, 0x10000000, false}, {0x02, 12, 0xaaaaaaa, true},
        {0x02, 12, 0xaaaaaab, false}, {0x1d, 1, 0, false}};
    ROW(r);
    memset(r.texel, 0x3f, 4096);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const uint32_t tic[8] = {rows[i].code | 4 << 6 | 4 << 9 | 4 << 12 | 4 << 15 | 2u << 18,
                                 (uint32_t)r.address,
                                 (uint32_t)(r.address >> 32) | TEX_BUFFER << 14 | 1u << 18,
                                 0,
                                 rows[i].width,
                                 1,
                                 0,
                                 0};
        struct tex_view v;
        char why[128] = "";
        if ((tex_view_decode(tic, r.memory, &v, why, sizeof why) == 0) != rows[i].right)
            fail_msg("code %02x, %u texels: %s", rows[i].code, rows[i].width, why);
        if (!rows[i].right)
            continue;
        const struct tex_sampler s = {.mip = 1};
        struct call c = {.args = {.op = TEX_OP_FETCH, .source_count = 2}};
        for (int lane = 0; lane < LANES; lane++)
            c.reg[0][lane] = lane & 1   ? rows[i].width - 1
                             : lane & 2 ? 4096u / rows[i].bytes - 1
                                        : 0;
        run(&v, &s, &c);
        const uint32_t there = 0x3f3f3f3fu >> (rows[i].bytes == 1 ? 24 : 0);
        for (int lane = 0; lane < LANES; lane++)
            assert_int_equal(c.reg[0][lane], lane & 1 ? 0 : there);
    }
}

/* Bytes and tile modes of images. An image whose kind has no depth, layers or levels counts as one
 * of depth 1, one layer or one level. */
TEST(test_layouts) {
    static const struct {
        enum pixel_format format;
        enum tex_dim dim;
        uint32_t width, height, depth, layers, levels;
        uint64_t bytes, stride;
        uint8_t tile_h, tile_d;
    } rows[] = {
        {FORMAT_RGBA8_UNORM, TEX_2D, 16, 16, 1, 1, 1, 1024, 1024, 2, 0},
        {FORMAT_RGBA8_UNORM, TEX_2D, 16, 16, 9, 1, 1, 1024, 1024, 2, 0}, /* 2D: no depth */
        {FORMAT_RGBA8_UNORM, TEX_2D, 17, 16, 1, 0, 0, 2048, 2048, 2, 0},
        {FORMAT_RGBA8_UNORM, TEX_2D, 16, 17, 1, 1, 1, 2048, 2048, 3, 0},
        {FORMAT_RGBA8_UNORM, TEX_2D, 16, 16, 1, 1, 3, 1024 + 512 + 256, 1024 + 512 + 256, 2, 0},
        {FORMAT_RGBA8_UNORM, TEX_2D_ARRAY, 16, 16, 1, 3, 3, 3 * 2048, 2048, 2, 0},
        {FORMAT_RGBA8_UNORM, TEX_CUBE, 16, 16, 1, 6, 1, 6 * 1024, 1024, 2, 0},
        {FORMAT_RGBA8_UNORM, TEX_3D, 16, 16, 4, 1, 1, 4096, 4096, 2, 2},
        {FORMAT_RGBA8_UNORM, TEX_3D, 16, 16, 5, 1, 1, 8192, 8192, 2, 3},
        {FORMAT_RGBA8_UNORM, TEX_3D, 16, 16, 0, 1, 1, 1024, 1024, 2, 0},
        {FORMAT_RGBA8_UNORM, TEX_3D, 16, 16, 4, 1, 2, 4096 + 1024, 4096 + 1024, 2, 2},
        {FORMAT_RGBA8_UNORM, TEX_2D, 16, 0, 1, 1, 1, 256, 256, 0, 0},
        {FORMAT_DXT1, TEX_2D, 64, 64, 1, 1, 1, 2048, 2048, 2, 0},
        {FORMAT_DXT5, TEX_2D, 64, 64, 1, 1, 1, 4096, 4096, 2, 0},
        {FORMAT_DXT1, TEX_2D, 66, 65, 1, 1, 1, 3 * 2048, 3 * 2048, 3, 0},
        {FORMAT_R8_UNORM, TEX_2D, 64, 512, 1, 1, 1, 64 * 512, 64 * 512, 4, 0},
        {FORMAT_RGB32_FLOAT, TEX_2D, 16, 4, 1, 1, 1, 3 * 256, 3 * 256, 0, 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct tex_level level[TEX_MAX_LEVELS];
        uint64_t stride;
        const struct tex_image im = {.format = rows[i].format,
                                     .dim = rows[i].dim,
                                     .width = rows[i].width,
                                     .height = rows[i].height,
                                     .depth = rows[i].depth,
                                     .layers = rows[i].layers,
                                     .levels = rows[i].levels};
        const uint64_t bytes = tex_image_layout(&im, level, &stride);
        if (bytes != rows[i].bytes || stride != rows[i].stride ||
            level[0].tile_h != rows[i].tile_h || level[0].tile_d != rows[i].tile_d)
            fail_msg("row %zu: %u bytes, layers %u apart, tiles %u %u", i, (unsigned)bytes,
                     (unsigned)stride, level[0].tile_h, level[0].tile_d);
        assert_int_equal(tex_image_layout(&im, NULL, NULL), bytes);
    }
    const struct tex_image tall = {
        .format = FORMAT_R8_UNORM, .dim = TEX_2D, .width = 1, .height = 1, .levels = 20};
    assert_int_equal(tex_image_layout(&tall, NULL, NULL), TEX_MAX_LEVELS * 256);
}
