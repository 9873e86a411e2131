/* Operations of the texture unit against results worked out by hand: wrap modes, LOD, comparison,
 * gather, size, cube faces and their seams, compressed blocks, swizzles. run() (calls.h) compares
 * SIMD levels and denormal modes. */
#include "tests/tex/calls.h"
#include "tests/shapes.h"

/* The texels are 10 20 30 40, the border is 100. */
TEST(test_wraps) {
    static const float u[8] = {-1.3f, -0.3f, -0.05f, 0.0f, 0.375f, 1.0f, 1.1f, 2.3f};
    static const float nearest[8][8] = {
        {30, 30, 40, 10, 20, 10, 10, 20}, /* repeat */
        {30, 20, 10, 10, 20, 40, 40, 20}, /* mirror */
        {10, 10, 10, 10, 20, 40, 40, 40}, /* edge */
        {100, 100, 100, 10, 20, 100, 100, 100}, {10, 10, 10, 10, 20, 40, 40, 40},
        {40, 20, 10, 10, 20, 40, 40, 40}, /* mirror once, edge */
        {100, 20, 10, 10, 20, 100, 100, 100},   {40, 20, 10, 10, 20, 40, 40, 40},
    };
    static const float linear_at_1[8] = {25, 40, 40, 70, 70, 40, 70, 70}; /* u = 1 */
    static const float linear_at_0[8] = {25, 10, 10, 55, 55, 10, 10, 10}; /* u = 0 */
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_1D, 4, 1));
    FILL(&t, 10.0f * (float)(x + 1));
    for (uint8_t wrap = 0; wrap < 8; wrap++) {
        struct tex_sampler s = {.wrap = {wrap}, .mip = 1, .border = {100, 0, 0, 0}};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 1}};
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 0, lane, u[lane & 7]);
        run(&t.view, &s, &c);
        for (int i = 0; i < 8; i++)
            if (value(&c, 0, i) != nearest[wrap][i])
                fail_msg("wrap %d at %g: %g, want %g", wrap, (double)u[i], (double)value(&c, 0, i),
                         (double)nearest[wrap][i]);
        s.mag_linear = s.min_linear = true;
        c = (struct call){.args = {.op = TEX_OP_AUTO, .source_count = 1}};
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 0, lane, (float)(lane & 1));
        run(&t.view, &s, &c);
        assert_true(value(&c, 0, 0) == linear_at_0[wrap] && value(&c, 0, 1) == linear_at_1[wrap]);
        /* NaN, infinite and huge coordinates still select a texel */
        for (int lane = 0; lane < LANES; lane++)
            set(&c, 0, lane, lane & 1 ? NAN : lane & 2 ? INFINITY : -3e38f);
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++)
            assert_true(value(&c, 0, lane) >= 10 && value(&c, 0, lane) <= 100);
    }
}

/* Level l holds the value l; the step between lanes selects the level. */
TEST(test_lod) {
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_2D, 64, 64), 1, 7));
    FILL(&t, (float)l);
    struct tex_sampler s = {.mip = 3, .max_lod = 15};
    static const float steps[4] = {1, 2, 5.656854f, 1000}; /* texels: levels 0, 1, 2.5, 6 */
    static const float want[4] = {0, 1, 2.5f, 6};
    struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
    for (int lane = 0; lane < LANES; lane++) {
        set(&c, 0, lane, (float)(lane & 1) * steps[lane >> 2 & 3] / 64);
        set(&c, 1, lane, (float)(lane >> 1 & 1) * 0.5f / 64);
    }
    const struct call walk = c;
    run(&t.view, &s, &c);
    for (int lane = 0; lane < LANES; lane++)
        assert_true(fabsf(value(&c, 0, lane) - want[lane >> 2 & 3]) < 0.005f);
    c = walk;
    s.lod_bias = 1;
    s.max_lod = 4.5f;
    run(&t.view, &s, &c);
    for (int lane = 0; lane < LANES; lane++)
        assert_true(fabsf(value(&c, 0, lane) - fminf(want[lane >> 2 & 3] + 1, 4.5f)) < 0.005f);
    c = walk; /* TEXQUERYLOD: x is the LOD after the clamp, y before, both with 8 fractional bits */
    c.args.op = TEX_OP_QUERYLOD;
    run(&t.view, &s, &c);
    assert_int_equal(c.reg[0][0], 256);
    assert_int_equal((int32_t)c.reg[1][0], 256);
    assert_int_equal(c.reg[0][12], 4 * 256 + 128);
    assert_int_equal((int32_t)c.reg[1][12], (int32_t)lrint(256 * (log2(1000) + 1)));
    s = (struct tex_sampler){.mip = 2, .max_lod = 15};
    c = walk; /* without derivatives: the first level (automatic LOD) or the last */
    c.args.deriv = false;
    run(&t.view, &s, &c);
    assert_true(value(&c, 0, 12) == 0);
    c = walk;
    c.args.deriv = false;
    c.args.fake_infinite = true;
    run(&t.view, &s, &c);
    assert_true(value(&c, 0, 0) == 6);
    c = walk;
    c.args.op = TEX_OP_LOD;
    c.args.source_count = 3;
    for (int lane = 0; lane < LANES; lane++)
        set(&c, 2, lane, (float)lane * 0.25f);
    run(&t.view, &s, &c);
    for (int lane = 0; lane < LANES; lane++) /* half-way rounds up: docs/textures.md */
        assert_true(value(&c, 0, lane) == fminf(floorf((float)lane * 0.25f + 0.5f), 6));
}

TEST(test_shadow) {
    /* results by function: never, less, equal ... */
    static const float pass[8] = {0, 0.5f, 0, 0.5f, 0.5f, 1, 0.5f, 1};
    static const float pass_equal[8] = {0, 0, 1, 1, 0, 0, 1, 1};
    TEXTURE(t, image(FORMAT_Z32_FLOAT, TEX_2D, 2, 1));
    put_float(&t, 0, 0, 0, 0, 0.25f);
    put_float(&t, 0, 1, 0, 0, 0.75f);
    for (uint8_t func = 0; func < 8; func++) {
        const struct tex_sampler s =
            SAMPLER(true, 1, .wrap = {2, 2, 2}, .compare = true, .compare_func = func);
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3}};
        for (int lane = 0; lane < LANES; lane++) {
            set(&c, 0, lane, lane & 1 ? 0.5f : 0.25f); /* between texels, or on the first */
            set(&c, 1, lane, 0.5f);
            set(&c, 2, lane, lane & 1 ? 0.5f : 0.25f);
        }
        run(&t.view, &s, &c);
        assert_true(value(&c, 0, 5) == pass[func] && value(&c, 1, 5) == pass[func]);
        assert_true(value(&c, 0, 4) == pass_equal[func] && value(&c, 3, 5) == 1.0f);
    }
}

TEST(test_gather_and_size) {
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_2D_ARRAY, 8, 4), 3, 3));
    FILL(&t, (float)(100 * z + 10 * y + x));
    const struct tex_sampler s = {.wrap = {0, 2, 2}, .mip = 3, .max_lod = 15};
    struct call c = {.args = {.op = TEX_OP_GATHER, .source_count = 3}};
    for (int lane = 0; lane < LANES; lane++) {
        set(&c, 0, lane, lane & 1 ? 0.5f : 0.0f); /* columns 3 4, or 7 0 */
        set(&c, 1, lane, 0.5f);                   /* rows 1 2 */
        c.reg[2][lane] = lane & 2 ? 7 : 1;        /* layer 7 is layer 2 */
    }
    run(&t.view, &s, &c);
    static const float want[4][4] = {
        {127, 120, 110, 117}, {123, 124, 114, 113}, {227, 220, 210, 217}, {223, 224, 214, 213}};
    for (int lane = 0; lane < LANES; lane++)
        for (int k = 0; k < 4; k++)
            assert_true(value(&c, k, lane) == want[lane & 3][k]);
    for (uint32_t turn = 0; turn < 8; turn++) { /* four levels, and one level in all lanes */
        const uint32_t each = turn < 4 ? 1 : 0;
        c = (struct call){.args = {.op = TEX_OP_SIZE, .source_count = 1}};
        for (uint32_t lane = 0; lane < LANES; lane++)
            c.reg[0][lane] = (lane * each + turn) & 3;
        run(&t.view, &s, &c);
        static const uint32_t size[4][4] = {{8, 4, 3, 3}, {4, 2, 3, 3}, {2, 1, 3, 3}, {0, 0, 0, 3}};
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (int k = 0; k < 4; k++)
                assert_int_equal(c.reg[k][lane], size[(lane * each + turn) & 3][k]);
    }
}

/* A gather on a 1D texture: the left texel is results 0 and 3, the right one results 1 and 2. */
TEST(test_gather_of_lines) {
    for (int layers = 1; layers <= 3; layers += 2) {
        TEXTURE(t, layered(image(FORMAT_R32_FLOAT, layers > 1 ? TEX_1D_ARRAY : TEX_1D, 8, 1),
                           (uint32_t)layers, 1));
        FILL(&t, (float)(100 * z + x));
        const struct tex_sampler s = {.wrap = {2, 2, 2}, .mip = 3, .max_lod = 15};
        struct call c = {.args = {.op = TEX_OP_GATHER, .source_count = layers > 1 ? 2 : 1}};
        for (int lane = 0; lane < LANES; lane++) {
            set(&c, 0, lane, (float)(lane & 7) / 8); /* between texels lane - 1 and lane */
            c.reg[1][lane] = (uint32_t)(lane >> 3) % 3;
        }
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++) {
            const int right = lane & 7, left = right ? right - 1 : 0,
                      z = layers > 1 ? 100 * ((lane >> 3) % 3) : 0;
            const int want[4] = {left, right, right, left};
            for (int k = 0; k < 4; k++)
                if (value(&c, k, lane) != (float)(z + want[k]))
                    fail_msg("%d layers, lane %d, result %d: %g", layers, lane, k,
                             (double)value(&c, k, lane));
        }
    }
}

/* A gathered texel is the component of the texel that texfetch finds there. */
TEST(test_gathered_components) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UNORM,  FORMAT_R8_UNORM,
                                                FORMAT_RGBA16_FLOAT, FORMAT_R32_FLOAT,
                                                FORMAT_RG16_UNORM,   FORMAT_RGBA8_UINT};
    static const int step[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    enum { SIZE = 8 };
    for (size_t n = 0; n < LENGTH(formats); n++) {
        TEXTURE(t, image(formats[n], TEX_2D, SIZE, SIZE));
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = 0; x < SIZE; x++) {
                const float texel[4] = {(float)(rand() % 1000), (float)(rand() % 99), 0.25f, -1.5f};
                put(&t, 0, x, y, 0, texel);
            }
        for (uint8_t component = 0; component < 4; component++) {
            const struct tex_sampler s = {.wrap = {2, 2, 2}, .mip = 1};
            struct call c = {
                .args = {.op = TEX_OP_GATHER, .source_count = 2, .component = component}};
            for (int lane = 0; lane < LANES; lane++) {
                set(&c, 0, lane, (float)(lane % 7 + 1) / SIZE);
                set(&c, 1, lane, (float)(lane / 5 + 1) / SIZE);
            }
            run(&t.view, &s, &c);
            for (int k = 0; k < 4; k++) {
                struct call at = {.args = {.op = TEX_OP_FETCH, .source_count = 3}};
                for (int lane = 0; lane < LANES; lane++) {
                    at.reg[0][lane] = (uint32_t)(lane % 7 + step[k][0]);
                    at.reg[1][lane] = (uint32_t)(lane / 5 + step[k][1]);
                }
                run(&t.view, &s, &at);
                assert_memory_equal(&c.reg[k], &at.reg[component], sizeof c.reg[k]);
            }
        }
    }
}

/* OpenGL's table of cube faces, written a second time: sc, tc, ma. */
static int gl_face(const float d[3], float *s, float *t) {
    const float a[3] = {fabsf(d[0]), fabsf(d[1]), fabsf(d[2])};
    const int axis = a[0] > a[1] && a[0] > a[2] ? 0 : a[1] > a[2] ? 1 : 2;
    const int face = 2 * axis + (d[axis] < 0);
    const float sc[6] = {-d[2], d[2], d[0], d[0], d[0], -d[0]};
    const float tc[6] = {-d[1], -d[1], d[2], -d[2], -d[1], -d[1]};
    *s = (sc[face] / a[axis] + 1) / 2;
    *t = (tc[face] / a[axis] + 1) / 2;
    return face;
}

static void random_direction(float d[3]) {
    float max = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = (float)(rand() % 2001 - 1000) / 1000.0f;
        max = fmaxf(max, fabsf(d[i]));
    }
    for (int i = 0; i < 3; i++)
        /* the division that a program does: tesla-isa.md §6.9 */
        d[i] = max > 0 ? d[i] / max : 1.0f;
}

TEST(test_cube_faces) {
    enum { N = 16 };
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_CUBE, N, N), 6, 1));
    FILL(&t, (float)(z * 256 + y * 16 + x));
    const struct tex_sampler s = {.mip = 1};
    for (int round = 0; round < 200; round++) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true}};
        struct call p = {.args = {.op = TEX_OP_PREP, .source_count = 4, .cube = true}};
        float d[LANES][3];
        for (int lane = 0; lane < LANES; lane++) {
            random_direction(d[lane]);
            for (int k = 0; k < 3; k++) {
                set(&c, k, lane, d[lane][k]);
                set(&p, k, lane, d[lane][k]);
            }
            p.reg[3][lane] = 2;
        }
        run(&t.view, &s, &c);
        run(&t.view, &s, &p);
        for (int lane = 0; lane < LANES; lane++) {
            float u, v;
            const int face = gl_face(d[lane], &u, &v);
            const float *e = d[lane];
            if (fabsf(fabsf(e[0]) - fabsf(e[1])) < 1e-6f ||
                fabsf(fabsf(e[1]) - fabsf(e[2])) < 1e-6f ||
                fabsf(fabsf(e[0]) - fabsf(e[2])) < 1e-6f || fabsf(u * N - rintf(u * N)) < 1e-4f ||
                fabsf(v * N - rintf(v * N)) < 1e-4f)
                continue;
            assert_true(value(&c, 0, lane) ==
                        (float)(face * 256 + (int)(v * N) * 16 + (int)(u * N)));
            assert_int_equal(p.reg[2][lane], 12 + face);
            assert_true(fabsf(value(&p, 0, lane) - u) < 1e-6f &&
                        fabsf(value(&p, 1, lane) - v) < 1e-6f);
        }
    }
}

/* In a quad that reaches over an edge, each lane has the LOD that its own face shows. */
TEST(test_cube_lod) {
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_CUBE, 64, 64), 6, 7));
    FILL(&t, (float)l);
    const struct tex_sampler s = {.mip = 3, .max_lod = 15};
    struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 3, .cube = true}};
    /* lanes are 32 texels apart on -y; lane 0 lies on -x */
    for (int lane = 0; lane < LANES; lane++) {
        const float x = -1.5f + (float)(lane & 1), z = 0.125f * (float)(lane >> 1 & 1);
        const float major = fmaxf(fabsf(x), 1);
        set(&c, 0, lane, x / major);
        set(&c, 1, lane, -1 / major);
        set(&c, 2, lane, z / major);
    }
    run(&t.view, &s, &c);
    for (int lane = 1; lane < LANES; lane += 2)
        assert_true(fabsf(value(&c, 0, lane) - 5) < 0.005f);
}

/* The step is eight texels by two: an anisotropic sample takes the level of step 8 / n and the mean
 * of n probes along the long side. */
TEST(test_anisotropy) {
    static const uint8_t most[4] = {1, 2, 4, 16}, probes[4] = {1, 2, 4, 4};
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_2D, 64, 64), 1, 7));
    FILL(&t, (float)(x * x) + 4096 * (float)l);
    for (int n = 0; n < 4; n++) {
        struct tex_sampler s =
            SAMPLER(true, 2, .wrap = {2, 2, 2}, .max_lod = 15, .max_anisotropy = most[n]);
        struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
        for (int lane = 0; lane < LANES; lane++) {
            set(&c, 0, lane, (32 + 8 * (float)(lane & 1)) / 64);
            set(&c, 1, lane, (32 + 2 * (float)(lane >> 1 & 1)) / 64);
        }
        const struct call quads = c;
        run(&t.view, &s, &c);
        const int level = 3 - (int)log2(probes[n]);
        double mean = 0;
        for (int k = 1; k <= probes[n]; k++) {
            const double x = (32 + 8 * (k / (probes[n] + 1.0) - 0.5)) / (1 << level) - 0.5;
            const double x0 = floor(x), f = rint((x - x0) * 256) / 256;
            mean += (x0 * x0 * (1 - f) + (x0 + 1) * (x0 + 1) * f + 4096 * level) / probes[n];
        }
        for (int lane = 0; lane < LANES; lane += 2)
            assert_true(fabs(value(&c, 0, lane) - mean) < 0.01);
        c = quads; /* TEXQUERYLOD returns the same level */
        c.args.op = TEX_OP_QUERYLOD;
        run(&t.view, &s, &c);
        assert_int_equal(c.reg[0][0], level * 256);
        c = quads; /* with nearest texels there is only one probe */
        s.min_linear = s.mag_linear = false;
        run(&t.view, &s, &c);
        assert_true(value(&c, 0, 0) == 16 + 4096 * 3);
    }
}

/* A view that sets the filter, as the driver's resolve of 8 samples does: each pixel is the mean of
 * its 4x2 texels, and the sampler's anisotropy has no effect. */
static void check_resolve(enum pixel_format format) {
    TEXTURE(t, image(format, TEX_2D, 16, 8));
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 16; x++) {
            const uint32_t byte = x * x + y;
            if (format == FORMAT_RGBA8_UNORM)
                put(&t, 0, x, y, 0, &byte);
            else
                put_float(&t, 0, x, y, 0, (float)byte / 255);
        }
    uint32_t tic[8];
    char why[200];
    tex_image_tic(&t.image, 0, 0, tic);
    tic[2] &= 0x7fffffff; /* unnormalized coordinates */
    tic[3] = 0x20000000;
    tic[6] = 0x88000000;
    assert_int_equal(tex_view_decode(tic, t.memory, &t.view, why, sizeof why), 0);
    const struct tex_sampler s = {
        .wrap = {2, 2, 2}, .mip = 1, .max_anisotropy = 1, .mag_linear = true, .min_linear = true};
    struct call c = {.args = {.op = TEX_OP_AUTO, .deriv = true, .source_count = 2}};
    for (int lane = 0; lane < LANES; lane++) {
        set(&c, 0, lane, 4 * ((float)(lane / 4 % 2 * 2 + (lane & 1)) + 0.5f));
        set(&c, 1, lane, 2 * ((float)(lane / 8 % 2 * 2 + (lane >> 1 & 1)) + 0.5f));
    }
    run(&t.view, &s, &c);
    for (int lane = 0; lane < LANES; lane++) {
        const int px = lane / 4 % 2 * 2 + (lane & 1), py = lane / 8 % 2 * 2 + (lane >> 1 & 1);
        float mean = 0;
        for (int i = 0; i < 8; i++)
            mean += (float)((4 * px + i % 4) * (4 * px + i % 4) + 2 * py + i / 4) / (8 * 255);
        assert_true(fabsf(value(&c, 0, lane) - mean) < 1e-4f);
    }
}

TEST(test_resolve) {
    check_resolve(FORMAT_R32_FLOAT);
    check_resolve(FORMAT_RGBA8_UNORM);
}

/* A smooth function of the direction stays smooth across edges and corners with seamless
 * filtering. */
TEST(test_cube_seams) {
    enum { N = 8 };
    TEXTURE(t, layered(image(FORMAT_RGBA32_FLOAT, TEX_CUBE, N, N), 6, 1));
    for (uint32_t f = 0; f < 6; f++)
        for (uint32_t y = 0; y < N; y++)
            for (uint32_t x = 0; x < N; x++) {
                const float s = (2 * (float)x + 1) / N - 1, v = (2 * (float)y + 1) / N - 1;
                const float d[6][4] = {{1, -v, -s, 1}, {-1, -v, s, 1}, {s, 1, v, 1},
                                       {s, -1, -v, 1}, {s, -v, 1, 1},  {-s, -v, -1, 1}};
                put(&t, 0, x, y, f, d[f]);
            }
    const struct tex_sampler s = {.mip = 1, .mag_linear = true, .min_linear = true};
    float worst[2] = {0, 0};
    for (int round = 0; round < 300; round++) {
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true}};
        float d[LANES][3];
        c.args.seamless = round & 1;
        for (int lane = 0; lane < LANES; lane++) {
            random_direction(d[lane]);
            d[lane][lane % 3] = copysignf(1, d[lane][lane % 3]); /* near edges */
            for (int k = 0; k < 3; k++)
                set(&c, k, lane, d[lane][k]);
        }
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++)
            for (int k = 0; k < 3; k++)
                worst[round & 1] = fmaxf(worst[round & 1], fabsf(value(&c, k, lane) - d[lane][k]));
    }
    assert_true(worst[1] < 0.095f); /* at a corner three quarters of the weight are 1/8 off */
    assert_true(worst[0] > 0.12f);  /* clamped to the face: half a texel off, 1/8 */
}

static void fetch_block(struct texture *t, uint32_t out[16][4]) {
    capture(t);
    const struct tex_sampler s = {.mip = 1};
    struct call c = {.args = {.op = TEX_OP_FETCH, .source_count = 2}};
    for (int lane = 0; lane < LANES; lane++) {
        c.reg[0][lane] = (uint32_t)lane & 3;
        c.reg[1][lane] = (uint32_t)lane >> 2 & 3;
    }
    run(&t->view, &s, &c);
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 4; k++)
            out[i][k] = c.reg[k][i];
}

TEST(test_blocks) {
    static const uint8_t dxt1[2][8] = {
        /* red, blue, codes 0 1 2 3: mode of four colours */
        {0x00, 0xf8, 0x1f, 0x00, 0xe4, 0, 0, 0},
        /* blue, red: mode of three colours and transparent */
        {0x1f, 0x00, 0x00, 0xf8, 0xe4, 0, 0, 0},
    };
    static const uint8_t ramp[2][8] = {{210, 0, 0x88, 0xc6, 0xfa, 0, 0, 0},
                                       {0, 100, 0x88, 0xc6, 0xfa, 0, 0, 0}};
    static const uint8_t ramps[2][8] = {{210, 0, 180, 150, 120, 90, 60, 30},
                                        {0, 100, 20, 40, 60, 80, 0, 255}};
    uint32_t got[16][4];
    struct texture t;
    make(&t, image(FORMAT_DXT1, TEX_2D, 4, 4));
    static const uint8_t rgba[2][4][4] = {
        {{255, 0, 0, 255}, {0, 0, 255, 255}, {170, 0, 85, 255}, {85, 0, 170, 255}},
        {{0, 0, 255, 255}, {255, 0, 0, 255}, {128, 0, 128, 255}, {0, 0, 0, 0}}};
    for (int n = 0; n < 2; n++) {
        put(&t, 0, 0, 0, 0, dxt1[n]);
        fetch_block(&t, got);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 4; k++)
                assert_int_equal(got[i][k], float_bits((float)rgba[n][i][k] * (1.0f / 255.0f)));
    }
    memory_destroy(t.memory);
    make(&t, image(FORMAT_RGTC1_UNORM, TEX_2D, 4, 4));
    for (int n = 0; n < 2; n++) {
        put(&t, 0, 0, 0, 0, ramp[n]); /* codes 0 1 .. 7 */
        fetch_block(&t, got);
        for (int i = 0; i < 8; i++)
            assert_int_equal(got[i][0], float_bits((float)ramps[n][i] * (1.0f / 255.0f)));
        assert_true(got[0][1] == 0 && got[0][2] == 0 && got[0][3] == float_bits(1.0f));
    }
    memory_destroy(t.memory);
    make(&t, image(FORMAT_DXT5, TEX_2D, 4, 4));
    uint8_t dxt5[16];
    memcpy(dxt5, ramp[0], 8);
    memcpy(dxt5 + 8, dxt1[1], 8); /* DXT5 always has four colours */
    put(&t, 0, 0, 0, 0, dxt5);
    fetch_block(&t, got);
    assert_int_equal(got[2][3], float_bits(180 * (1.0f / 255.0f)));
    assert_int_equal(got[3][0], float_bits(170 * (1.0f / 255.0f)));
    memory_destroy(t.memory);
    make(&t, image(FORMAT_DXT3, TEX_2D, 4, 4));
    memcpy(dxt5, "\x10\x32\x54\x76\x98\xba\xdc\xfe", 8);
    put(&t, 0, 0, 0, 0, dxt5);
    fetch_block(&t, got);
    for (int i = 0; i < 16; i++)
        assert_int_equal(got[i][3], float_bits((float)(17 * i) * (1.0f / 255.0f)));
    memory_destroy(t.memory);
}

/* ---- reference: one texel of a block, as the specifications define it ---- */

static uint32_t ref_load(const uint8_t *p, int bytes) {
    uint32_t v = 0;
    for (int i = 0; i < bytes; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}

/* round((a * (d - k) + b * k) / d), for negative end points, too. */
static int32_t ref_mix(int32_t a, int32_t b, int32_t k, int32_t d) {
    const int32_t n = 2 * (a * (d - k) + b * k);
    return (n + (n < 0 ? -d : d)) / (2 * d);
}

static void ref_565(uint32_t c, int32_t rgb[3]) {
    const uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;
    rgb[0] = (int32_t)(r << 3 | r >> 2);
    rgb[1] = (int32_t)(g << 2 | g >> 4);
    rgb[2] = (int32_t)(b << 3 | b >> 2);
}

/* The colour half of a DXT block. Only DXT1 has the mode of three colours. */
static void ref_color(const uint8_t *block, uint32_t texel, bool dxt1, int32_t rgba[4]) {
    const uint32_t c0 = ref_load(block, 2), c1 = ref_load(block + 2, 2);
    const uint32_t code = ref_load(block + 4, 4) >> (2 * texel) & 3;
    int32_t a[3], b[3];
    ref_565(c0, a);
    ref_565(c1, b);
    const bool three = dxt1 && c0 <= c1;
    const int32_t divisor = three ? 2 : 3;
    const int32_t k = code == 0 ? 0 : code == 1 ? divisor : (int32_t)code - 1;
    const bool black = three && code == 3;
    for (int i = 0; i < 3; i++)
        rgba[i] = black ? 0 : ref_mix(a[i], b[i], k, divisor);
    rgba[3] = black ? 0 : 255;
}

/* An 8-byte block of one interpolated component: DXT5 alpha, RGTC. */
static int32_t ref_ramp(const uint8_t *block, uint32_t texel, bool is_signed) {
    const int32_t a = is_signed ? (int8_t)block[0] : block[0];
    const int32_t b = is_signed ? (int8_t)block[1] : block[1];
    const uint64_t codes = (uint64_t)ref_load(block + 6, 2) << 32 | ref_load(block + 2, 4);
    const int32_t code = (int32_t)(codes >> (3 * texel) & 7);
    if (code < 2)
        return code ? b : a;
    if (a > b)
        return ref_mix(a, b, code - 1, 7);
    if (code < 6)
        return ref_mix(a, b, code - 1, 5);
    return code == 7 ? (is_signed ? 127 : 255) : (is_signed ? -127 : 0);
}

static void ref_texel(int storage, bool is_signed, const uint8_t *block, uint32_t texel,
                      int32_t rgba[4]) {
    switch (storage) {
    case TEX_STORE_DXT1:
        ref_color(block, texel, true, rgba);
        break;
    case TEX_STORE_DXT3:
        ref_color(block + 8, texel, false, rgba);
        rgba[3] = (block[texel / 2] >> (4 * (texel & 1)) & 15) * 17;
        break;
    case TEX_STORE_DXT5:
        ref_color(block + 8, texel, false, rgba);
        rgba[3] = ref_ramp(block, texel, false);
        break;
    case TEX_STORE_RGTC2:
        rgba[1] = ref_ramp(block + 8, texel, is_signed);
        rgba[0] = ref_ramp(block, texel, is_signed);
        break;
    default:
        rgba[0] = ref_ramp(block, texel, is_signed);
        break;
    }
}

/* Random blocks of every kind decode to the texels of the scalar reference. */
TEST(test_random_blocks) {
    static const enum pixel_format formats[] = {
        FORMAT_DXT1,        FORMAT_DXT3,        FORMAT_DXT5,       FORMAT_RGTC1_UNORM,
        FORMAT_RGTC1_SNORM, FORMAT_RGTC2_UNORM, FORMAT_RGTC2_SNORM};
    for (int f = 0; f < 7; f++) {
        TEXTURE(t, image(formats[f], TEX_2D, 4, 4));
        const bool is_signed = format_info(formats[f])->type == COMPONENT_SNORM;
        for (int round = 0; round < 400; round++) {
            uint8_t block[16];
            uint32_t got[16][4];
            for (int i = 0; i < 16; i++)
                block[i] = (uint8_t)(rand() >> 5);
            put(&t, 0, 0, 0, 0, block);
            fetch_block(&t, got);
            for (uint32_t i = 0; i < 16; i++) {
                int32_t want[4] = {0};
                ref_texel(t.view.storage, is_signed, block, i, want);
                for (int k = 0; k < 4; k++) {
                    if (!t.view.bits[k])
                        continue;
                    const float w = is_signed ? fmaxf((float)want[k] * (1.0f / 127.0f), -1.0f)
                                              : (float)want[k] * (1.0f / 255.0f);
                    assert_int_equal(got[i][k], float_bits(w));
                }
            }
        }
    }
}

/* The constants of a swizzle replace texels and the border. */
TEST(test_swizzle) {
    TEXTURE(t, image(FORMAT_R8_UNORM, TEX_2D, 4, 4));
    struct tex_sampler s =
        SAMPLER(true, 1, .wrap = {3, 3, 3}, .border = {0.25f, 0.5f, 0.75f, 0.125f});
    struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
    for (int lane = 0; lane < LANES; lane++) {
        set(&c, 0, lane, lane & 1 ? 0.0f : 0.5f); /* half of the lanes on the border, half inside */
        set(&c, 1, lane, 0.5f);
    }
    run(&t.view, &s, &c);
    static const float want[2][4] = {{0, 0, 0, 1}, {0.125f, 0.25f, 0.375f, 0.5625f}};
    for (int lane = 0; lane < LANES; lane++)
        for (int k = 0; k < 4; k++)
            assert_true(value(&c, k, lane) == want[lane & 1][k]);
    const struct tex_view broken = {.valid = false};
    run(&broken, &s, &c);
    for (int k = 0; k < 4; k++)
        assert_int_equal(c.reg[k][9], 0);
}

/* Textures of 8-bit UNORM components are summed as integers and rounded once: the same texels give
 * the same bits with each wrap mode and offset. */
TEST(test_exact_sums) {
    TEXTURE(t, image(FORMAT_RGBA8_UNORM, TEX_2D, 16, 16));
    for (uint32_t y = 0; y < 16; y++)
        for (uint32_t x = 0; x < 16; x++)
            put(&t, 0, x, y, 0, &(uint32_t){(x * 0x9e3779b9u) ^ (y * 0x85ebca6bu)});
    struct call plain = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
    struct call moved = plain;
    moved.args.offset[0] = 2;
    moved.args.offset[1] = -3;
    /* in eighths of a texel; no footprint crosses an edge */
    for (int lane = 0; lane < LANES; lane++) {
        set(&plain, 0, lane, (float)(32 + lane) / 128);
        set(&plain, 1, lane, (float)(96 - lane) / 128);
        set(&moved, 0, lane, (float)(32 + lane) / 128 - 2.0f / 16);
        set(&moved, 1, lane, (float)(96 - lane) / 128 + 3.0f / 16);
    }
    const struct call first = plain;
    for (uint8_t wrap = 0; wrap < 8; wrap++) {
        const struct tex_sampler s =
            SAMPLER(true, 1, .wrap = {wrap, wrap, wrap}, .border = {1, 1, 1, 1});
        struct call c = first, with = moved;
        run(&t.view, &s, &c);
        run(&t.view, &s, &with);
        if (wrap == 0)
            plain = c;
        assert_memory_equal(c.reg, plain.reg, sizeof c.reg);
        assert_memory_equal(with.reg, plain.reg, sizeof c.reg);
    }
}

/* A component that the format does not have is 0, for any value of the unused bits and with each
 * filter. */
TEST(test_absent) {
    TEXTURE(t, image(FORMAT_RGBA8_UNORM, TEX_2D, 4, 4));
    uint32_t tic[8];
    for (uint32_t i = 0; i < 16; i++)
        put(&t, 0, i & 3, i >> 2, 0, &(uint32_t){0xffffffffu});
    tex_image_tic(&t.image, 0, 0, tic);
    tic[0] = (tic[0] & ~0x3fu) | 0x07; /* X8B8G8R8; the swizzle takes w from the highest bits */
    assert_int_equal(tex_view_decode(tic, t.memory, &t.view, NULL, 0), 0);
    for (int linear = 0; linear < 2; linear++) {
        const struct tex_sampler s = {.mip = 1, .mag_linear = linear, .min_linear = linear};
        struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        run(&t.view, &s, &c);
        assert_true(value(&c, 0, 0) == 1.0f && value(&c, 3, 0) == 0.0f);
    }
}

/* A sample of a single level has the bits of a mix with another level: no signalling NaN, no
 * negative zero. */
TEST(test_lone_level) {
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_2D, 4, 4), 1, 2));
    for (uint32_t x = 0; x < 4; x++)
        for (uint32_t y = 0; y < 4; y++)
            put(&t, 0, x, y, 0, &(uint32_t){x < 2 ? 0x7f800001u : 0x80000000u});
    const struct tex_sampler s = {.wrap = {2, 2, 2}, .mip = 3, .max_lod = 15};
    struct call c = {.args = {.op = TEX_OP_LOD, .source_count = 3}};
    for (int lane = 0; lane < LANES; lane++) {
        set(&c, 0, lane, lane & 1 ? 0.9f : 0.1f);
        set(&c, 2, lane, lane < 16 ? 0.0f : 0.5f); /* wide SIMD levels handle both halves at once */
    }
    run(&t.view, &s, &c);
    for (int lane = 0; lane < LANES; lane++)
        if (lane < 16)
            assert_int_equal(c.reg[0][lane], lane & 1 ? 0 : 0x7fffffff);
}
