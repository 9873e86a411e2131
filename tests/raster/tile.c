/* Tiles are loaded from memory and written back. Partial writes and clears keep all other texels,
 * for every format, layout and sample count. Nothing is written outside of a surface's memory, even
 * if the target claims to be larger. */
#include "tests/raster/fixture.h"

static void nothing(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = lanes_splat(0);
}

static bool renderable(enum pixel_format f) {
    const struct format_info *i = format_info(f);
    return !i->compressed && i->bytes != 12 && i != format_info(FORMAT_RGB9E5_FLOAT);
}

static void randomize(struct surface *s, uint64_t *seed) {
    for (uint64_t i = 0; i < s->size; i++)
        s->data[i] = (uint8_t)random_next(seed);
}

/* Clears a rectangle of every tile. what: the clear, without its rectangle. */
static void clear_all(struct fixture *f, struct raster_clear what, struct raster_rect r) {
    struct raster_tile *t = raster_tile_create(f->simd);
    what.rect = r;
    for (uint32_t y = 0; y < f->targets.height; y += TILE_SIZE) {
        for (uint32_t x = 0; x < f->targets.width; x += TILE_SIZE) {
            raster_tile_begin(t, &f->targets, 0, (int32_t)x, (int32_t)y);
            raster_tile_clear(t, &what);
            raster_tile_end(t);
        }
    }
    raster_tile_free(t);
}

/* The bits of a zeta texel that hold depth or stencil. */
static uint64_t used_bits(const struct format_info *f) {
    const uint64_t z = f->bits[0] ? (UINT64_C(2) << (f->bits[0] - 1)) - 1 : 0;
    const uint64_t s = f->bits[1] ? 255 : 0;
    return z << f->shift[0] | s << f->shift[1];
}

enum parts { ALL_PARTS, DEPTH_ONLY, SOME_STENCIL, STENCIL_ONLY, PARTS };
enum { STENCIL_MASK = 0x3c };

/* The bits of a zeta texel that a clear of `parts` sets. */
static uint64_t cleared_bits(const struct format_info *f, enum parts parts) {
    struct format_info part = *f;
    if (!f->zeta || parts == ALL_PARTS)
        return UINT64_MAX;
    if (parts >= SOME_STENCIL)
        return f->bits[1] ? (uint64_t)(parts == SOME_STENCIL ? STENCIL_MASK : 0xff) << f->shift[1]
                          : 0;
    part.bits[1] = 0;
    return used_bits(&part);
}

static void check_partial_clear(enum pixel_format format, bool linear, uint32_t samples,
                                uint32_t width, uint32_t height, uint32_t inset, enum parts parts) {
    uint64_t seed = format * 8u + samples;
    const struct format_info *info = format_info(format);
    FIXTURE(f, fixture_init, width, height, samples);
    if (info->zeta)
        fixture_zeta(&f, format, linear);
    else
        fixture_color(&f, format, linear);
    struct surface *s = info->zeta ? &f.targets.zeta : &f.targets.color[0];
    randomize(s, &seed);
    uint8_t *before = malloc(s->size);
    memcpy(before, s->data, s->size);
    const struct raster_rect r = {3, 2, (int32_t)(width - inset), (int32_t)(height - inset)};
    struct raster_clear c = {.color_mask = info->zeta ? 0 : 15,
                             .depth = info->zeta && parts < SOME_STENCIL,
                             .stencil = info->zeta && parts != DEPTH_ONLY,
                             .stencil_value = 0x5a,
                             .stencil_mask = parts == SOME_STENCIL ? STENCIL_MASK : 0xff,
                             .depth_value = 0.25f,
                             .color = {1, 2, 3, 4}};
    clear_all(&f, c, r);
    uint32_t sx, sy;
    surface_sample_shift(samples, &sx, &sy);
    uint64_t expect[2] = {0, 0};
    const uint32_t zeta[4] = {0x3e800000, 0x5a, 0, 0};
    format_encode(format, info->zeta ? zeta : c.color, expect);
    const uint64_t sets = cleared_bits(info, parts);
    for (uint32_t y = 0; y < height << sy; y++) {
        for (uint32_t x = 0; x < width << sx; x++) {
            const int32_t px = (int32_t)(x >> sx), py = (int32_t)(y >> sy);
            const bool in = px >= r.x0 && px < r.x1 && py >= r.y0 && py < r.y1;
            const uint64_t offset = surface_offset(s, x * info->bytes, y, 0);
            uint64_t got[2] = {0, 0}, old[2] = {0, 0};
            memcpy(got, s->data + offset, info->bytes);
            memcpy(old, before + offset, info->bytes);
            const uint64_t mask = info->zeta ? used_bits(info) : UINT64_MAX;
            const uint64_t right = in ? (old[0] & ~sets) | (expect[0] & sets) : old[0];
            if (((got[0] ^ right) & mask) || got[1] != (in ? expect : old)[1])
                fail_msg("%s linear %d samples %u parts %d texel %u,%u: %llx, expected %llx",
                         info->name, linear, samples, parts, x, y, (unsigned long long)got[0],
                         (unsigned long long)right);
            memcpy(before + offset, s->data + offset, info->bytes);
        }
    }
    assert_memory_equal(before, s->data, s->size); /* padding is unchanged */
    free(before);
}

TEST(test_partial_clears_keep_the_rest) {
    for (int f = FORMAT_NONE + 1; f < FORMATS; f++) {
        for (int linear = 0; linear < 2 && renderable(f); linear++) {
            for (int parts = 0; parts < (format_info(f)->zeta ? PARTS : 1); parts++) {
                for (uint32_t inset = 0; inset < 3; inset += 2) { /* 0: to the surface's edge */
                    check_partial_clear(f, linear, 1, 83, 70, inset, parts);
                    check_partial_clear(f, linear, 1, 131, 128, inset, parts);
                    check_partial_clear(f, linear, 2, 71, 9, inset, parts);
                    check_partial_clear(f, linear, 4, 67, 66, inset, parts);
                    check_partial_clear(f, linear, 8, 21, 18, inset, parts);
                }
            }
        }
    }
}

TEST(test_masked_clears) {
    FIXTURE(f, fixture_init, 64, 64, 1);
    fixture_color(&f, FORMAT_RGBA8_UNORM, false);
    fixture_zeta(&f, FORMAT_Z24S8, false);
    memset(f.targets.color[0].data, 0x11, f.targets.color[0].size);
    memset(f.targets.zeta.data, 0x22, f.targets.zeta.size);
    const struct raster_rect all = {0, 0, 64, 64};
    clear_all(&f, (struct raster_clear){.color_mask = 5, .color = {0x3f800000, 0x3f800000, 0, 0}},
              all);
    clear_all(&f,
              (struct raster_clear){.stencil = true, .stencil_value = 0xff, .stencil_mask = 0x0f},
              all);
    uint32_t color, zeta;
    memcpy(&color, texel_at(&f.targets.color[0], 33, 21), 4);
    memcpy(&zeta, texel_at(&f.targets.zeta, 33, 21), 4);
    assert_int_equal(color, 0x110011ff);
    assert_int_equal(zeta, 0x2f222222);
}

/* ---- clears on top of each other ---- */

static void half(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)lanes_splat_f(0.5f);
}

/* A random clear with one of a few colours, rectangles and masks, so that clears of a block are
 * often equal. */
static struct raster_clear some_clear(uint64_t *seed) {
    static const uint32_t value[3] = {0, 0x3f000000, 0x3f800000};
    struct raster_clear c = {.color_mask = random_next(seed) % 4 ? 15 : 5,
                             .depth = random_next(seed) % 4,
                             .stencil = random_next(seed) % 4,
                             .stencil_value = (uint8_t)random_next(seed),
                             .stencil_mask = random_next(seed) % 4 ? 0xff : 0x3c,
                             .depth_value = random_float(seed, 0, 1),
                             .rect = {0, 0, 64, 64}};
    for (int i = 0; i < 4; i++)
        c.color[i] = value[random_next(seed) % 3];
    if (random_next(seed) % 2)
        c.rect = (struct raster_rect){
            (int32_t)(random_next(seed) % 40), (int32_t)(random_next(seed) % 40),
            (int32_t)(40 + random_next(seed) % 25), (int32_t)(40 + random_next(seed) % 25)};
    return c;
}

/* Clears and triangles between one begin and end of the tile must give the same as with a write
 * back and reload after each step. */
static void check_sequence(uint64_t from, uint32_t samples, enum pixel_format zeta) {
    struct fixture f[2];
    fragment_stage = half;
    for (int i = 0; i < 2; i++) {
        uint64_t seed = from;
        /* some blocks reach beyond the target */
        fixture_init(&f[i], 60 + from % 5, 61 + from % 4, samples);
        f[i].simd = from % (simd_best() + 1);
        fixture_color(&f[i], FORMAT_RGBA8_UNORM, from & 1);
        fixture_zeta(&f[i], zeta, false);
        randomize(&f[i].targets.color[0], &seed);
        memset(f[i].targets.zeta.data, 0x40, f[i].targets.zeta.size);
        f[i].state.zeta = tested_depths(FUNC_LESS);
        f[i].state.color.blend[0] = (struct blend_target){
            from & 2, EQUATION_ADD, BLEND_ONE, BLEND_ONE, EQUATION_ADD, BLEND_ONE, BLEND_ZERO};
        struct draw_plan plan;
        plan_init(&plan, &f[i].state, f[i].simd);
        struct raster_tile *t = raster_tile_create(f[i].simd);
        raster_tile_begin(t, &f[i].targets, 0, 0, 0);
        for (int step = 0; step < 12; step++) {
            if (random_next(&seed) % 2) {
                const struct raster_clear c = some_clear(&seed);
                raster_tile_clear(t, &c);
            } else {
                struct raster_vertex v[3];
                for (int k = 0; k < 3; k++)
                    v[k] = vertex_near(&seed, 32, 32, 52, 0, 1);
                const struct raster_prim *p = triangle(&f[i], v);
                raster_tile_draw(t, &plan, &f[i].fp, &p, p != NULL, false, &f[i].counters);
            }
            if (!i)
                continue;
            raster_tile_end(t);
            raster_tile_begin(t, &f[i].targets, 0, 0, 0);
        }
        raster_tile_end(t);
        raster_tile_free(t);
    }
    assert_same_targets(&f[0], &f[1]);
    fixture_free(&f[0]);
    fixture_free(&f[1]);
}

TEST(test_clears_in_sequence) {
    static const enum pixel_format zeta[] = {FORMAT_Z24S8, FORMAT_Z16_UNORM, FORMAT_Z32_FLOAT,
                                             FORMAT_S8Z24, FORMAT_Z32_FLOAT_S8};
    for (uint64_t round = 0; round < 300; round++)
        check_sequence(round, 1u << round % 4, zeta[round / 4 % LENGTH(zeta)]);
}

/* The surface is smaller than the target, in extent, in memory, or in both. */
TEST(test_hostile_surfaces) {
    static const uint64_t cut[] = {0, 1, 63, 64, 4000, 5000};
    fragment_stage = nothing;
    for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
        for (int linear = 0; linear < 2; linear++) {
            FIXTURE(f, fixture_init, 100, 100, 1);
            fixture_color(&f, FORMAT_RGBA16_FLOAT, linear);
            fixture_zeta(&f, FORMAT_Z32_FLOAT_S8, linear);
            struct surface whole[2] = {f.targets.color[0], f.targets.zeta};
            for (int j = 0; j < 2; j++) {
                struct surface *s = j ? &f.targets.zeta : &f.targets.color[0];
                memset(s->data, 0xa5, s->size);
                s->size = cut[i];
                s->width = i & 1 ? 1u << 31 : 40;
                s->height = i & 1 ? UINT32_MAX : 100;
                s->pitch = linear ? UINT32_MAX - 3 : 0;
            }
            struct raster_prim *p[2];
            f.state.zeta = tested_depths(FUNC_ALWAYS);
            rectangle(&f, 0, 0, 100, 100, 0.5f, p);
            fixture_draw(&f, p, 2);
            for (int j = 0; j < 2; j++) {
                for (uint64_t b = cut[i]; b < whole[j].size; b++)
                    assert_int_equal(whole[j].data[b], 0xa5);
                *(j ? &f.targets.zeta : &f.targets.color[0]) = whole[j];
            }
        }
    }
}

/* The memory ends anywhere in the last texels of a target: nothing is written behind its end, and
 * all bytes more than 1024 bytes before the end are written. */
TEST(test_targets_cut_short) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_RGBA32_FLOAT,
                                                FORMAT_R8_UNORM, FORMAT_RG16_FLOAT};
    fragment_stage = ones;
    for (int i = 0; i < 4 * 2 * 2; i++) {
        const bool linear = i & 1;
        const uint32_t size = i & 2 ? 2 * TILE_SIZE : 100;
        FIXTURE(f, fixture_init, size, size, 1);
        fixture_color(&f, formats[i / 4], linear);
        struct surface *s = &f.targets.color[0];
        const uint64_t whole = s->size;
        struct raster_prim *p[2];
        rectangle(&f, 0, 0, (float)size, (float)size, 0.5f, p);
        uint8_t *all = malloc(whole);
        fixture_draw(&f, p, 2);
        memcpy(all, s->data, whole);
        for (uint64_t cut = 0; cut <= 260; cut += cut < 16 ? 1 : 4) {
            memset(s->data, 0, whole);
            s->size = whole - cut;
            fixture_draw(&f, p, 2);
            for (uint64_t b = 0; b < whole; b++)
                if (b >= whole - cut ? s->data[b] != 0
                                     : b + 1024 < whole - cut && s->data[b] != all[b])
                    fail_msg("%d, %d bytes less: byte %d of %d", i, (int)cut, (int)b, (int)whole);
        }
        s->size = whole;
        free(all);
    }
}

/* Rows of a large linear target are written whole, also if they do not begin at the host's cache
 * lines. */
TEST(test_rows_between_lines) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM, FORMAT_RGBA16_FLOAT,
                                                FORMAT_RGBA32_FLOAT};
    for (uint32_t i = 0; i < 4 * LENGTH(formats); i++) {
        const enum pixel_format format = formats[i / 4];
        const uint32_t width = 760 + i % 4 * 4, height = 768, bytes = format_info(format)->bytes;
        const uint32_t one[4] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
        uint8_t texel[16];
        struct raster_prim *p[2];
        fragment_stage = ones;
        FIXTURE(f, fixture_init, width, height, 1);
        fixture_color(&f, format, true);
        struct surface *s = &f.targets.color[0];
        const struct surface whole = *s;
        s->pitch = width * bytes;
        s->data = aligned_alloc(64, (s->size + 63) & ~UINT64_C(63));
        memset(s->data, 0, s->size);
        rectangle(&f, 0, 0, (float)width, (float)height, 0.5f, p);
        fixture_draw(&f, p, 2);
        format_encode(format, one, texel);
        for (uint64_t b = 0; b < s->size; b++)
            assert_int_equal(s->data[b],
                             b < (uint64_t)width * height * bytes ? texel[b % bytes] : 0);
        free(s->data);
        *s = whole;
    }
}

/* Clear, draw and store count their time in stages of their own, and leave the profile in the stage
 * in which they found it. */
TEST(test_stages) {
    enum { NEVER, BEFORE, AFTER, TIMES }; /* when zeta is tested */
    for (unsigned i = 0; i < 2 * TIMES; i++) {
        const unsigned zeta = i % TIMES;
        struct raster_prim *p[2];
        struct draw_plan plan;
        struct profile profile = {.stage = STAGE_COVER};
        fragment_stage = ones;
        FIXTURE(f, fixture_init, 64, 64, i < TIMES ? 1 : 4);
        fixture_color(&f, FORMAT_RGBA8_UNORM, false);
        fixture_zeta(&f, FORMAT_Z24S8, false);
        f.state.zeta.depth_test = zeta != NEVER;
        f.state.zeta.depth_write = zeta != NEVER;
        f.state.zeta.depth_func = FUNC_ALWAYS;
        f.state.uses_kill = zeta == AFTER;
        rectangle(&f, 0, 0, 64, 64, 0.5f, p);
        plan_init(&plan, &f.state, f.simd);
        struct raster_tile *t = raster_tile_create(f.simd);
        raster_tile_set_profile(t, &profile);
        raster_tile_begin(t, &f.targets, 0, 0, 0);
        raster_tile_clear(t, &(struct raster_clear){.rect = {0, 0, 64, 64}, .color_mask = 15});
        assert_int_equal(profile.stage, STAGE_COVER);
        raster_tile_draw(t, &plan, &f.fp, (const struct raster_prim *const *)p, 2, false,
                         &f.counters);
        assert_int_equal(profile.stage, STAGE_COVER);
        raster_tile_end(t);
        assert_int_equal(profile.stage, STAGE_COVER);
        raster_tile_free(t);
        assert_true(profile.count[STAGE_CLEAR] == 1 && profile.count[STAGE_STORE] == 1);
        assert_true(profile.count[STAGE_SHADE] && profile.count[STAGE_COLOR]);
        assert_true((profile.count[STAGE_ZETA] > 0) == (zeta != NEVER));
    }
}

TEST(test_missing_targets_and_layers) {
    fragment_stage = nothing;
    FIXTURE(f, fixture_init, 64, 64, 1);
    fixture_color(&f, FORMAT_RGBA8_UNORM, true);
    memset(f.targets.color[0].data, 7, f.targets.color[0].size);
    struct raster_prim *p[2];
    rectangle(&f, 0, 0, 64, 64, 0.5f, p);
    struct draw_plan plan;
    plan_init(&plan, &f.state, f.simd);
    struct raster_tile *t = raster_tile_create(f.simd);
    raster_tile_begin(t, &f.targets, 5, 0, 0); /* layer 5 does not exist */
    raster_tile_draw(t, &plan, &f.fp, (const struct raster_prim *const *)p, 2, false, &f.counters);
    raster_tile_end(t);
    raster_tile_free(t);
    assert_int_equal(f.targets.color[0].data[0], 7);
    struct surface kept = f.targets.color[0];
    f.targets.color[0] = (struct surface){0};
    f.state.zeta.depth_test = true; /* without a zeta buffer the test passes */
    fixture_draw(&f, p, 2);
    f.targets.color[0] = kept;
}
