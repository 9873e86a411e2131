/* Faces of cubes: weights inside a face, wrap modes on a face, LODs of quads that look at several
 * faces. */
#include "tests/tex/calls.h"
#include "tests/tex/levels.h"
#include "tests/shapes.h"
#include "tex/wrap.h"

/* Inside a face, the four texels are weighted in 1/256 along each axis, with and without seamless
 * filtering. Each face has its own values. */
TEST(test_faces) {
    enum { SIDE = 8, AT = 14 };
    static const float axes[6][3][3] = {
        /* for each face the directions to the right, down, and to the middle of the face */
        {{0, 0, -1}, {0, -1, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, -1, 0}, {-1, 0, 0}},
        {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},   {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
        {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    TEXTURE(t, layered(image(FORMAT_R32_FLOAT, TEX_CUBE, SIDE, SIDE), 6, 1));
    for (uint32_t n = 0; n < 6 * SIDE * SIDE; n++)
        put_float(&t, 0, n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE, (float)(n * n % 251));
    for (int n = 0; n < 6 * AT * AT * 2; n++) {
        const struct tex_sampler s = {.mip = 1, .mag_linear = true, .min_linear = true};
        struct call c = {
            .args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true, .seamless = n & 1}};
        const int face = n / 2 % 6, x = 128 + n / 12 % AT * 133,
                  y = 128 + n / 12 / AT * 127; /* in 1/256 texel */
        const int u = x - 128, v = y - 128, left = u / 256, top = v / 256;
        double want = 0;
        for (int k = 0; k < 4; k++) {
            const int column = left + (k & 1), row = top + (k >> 1),
                      m = (face * SIDE + row) * SIDE + column;
            const int weight =
                (k & 1 ? u % 256 : 256 - u % 256) * (k >> 1 ? v % 256 : 256 - v % 256);
            want += weight ? weight * (double)(m * m % 251) / 65536 : 0;
        }
        for (int lane = 0; lane < LANES; lane++)
            for (int a = 0; a < 3; a++)
                set(&c, a, lane,
                    axes[face][2][a] + axes[face][0][a] * ((float)x / (128 * SIDE) - 1) +
                        axes[face][1][a] * ((float)y / (128 * SIDE) - 1));
        run(&t.view, &s, &c);
        if (value(&c, 0, 9) != (float)want)
            fail_msg("face %d, %g %g%s: %g, not %g", face, x / 256.0, y / 256.0,
                     n & 1 ? ", seamless" : "", value(&c, 0, 9), want);
    }
}

/* Without seamless filtering the wrap modes apply on the face, as they apply to a 2D texture with
 * the same texels. Seamless filtering ignores the wrap modes. */
TEST(test_wraps_on_a_face) {
    enum { SIDE = 4, STEPS = 40 };
    struct texture cube, face;
    make(&face, image(FORMAT_R32_FLOAT, TEX_2D, SIDE, SIDE));
    make(&cube, layered(image(FORMAT_R32_FLOAT, TEX_CUBE, SIDE, SIDE), 6, 1));
    for (uint32_t n = 0; n < 6 * SIDE * SIDE; n++) {
        put_float(&cube, 0, n % SIDE, n / SIDE % SIDE, n / SIDE / SIDE, (float)(n * n % 251));
        if (n / SIDE / SIDE == 4) /* +Z */
            put_float(&face, 0, n % SIDE, n / SIDE % SIDE, 0, (float)(n * n % 251));
    }
    for (int n = 0; n < 8 * 8 * 2; n++) {
        struct tex_sampler s =
            SAMPLER(n & 1, 1, .wrap = {(uint8_t)(n / 2 % 8), (uint8_t)(n / 16), 0},
                    .border = {777, 0, 0, 0});
        for (int step = 0; step <= STEPS; step++) {
            struct call on = {.args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true}};
            struct call flat = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
            const float x = (float)step / STEPS, y = (float)(step * 7 % (STEPS + 1)) / STEPS;
            const float sx = 2 * x - 1, sy = 2 * y - 1;
            const float got = one(&cube, &s, &on, sx, -sy, 1, 0);
            const float want = one(&face, &s, &flat, 0.5f * sx + 0.5f, 0.5f * sy + 0.5f, 0, 0);
            if (got != want)
                fail_msg("wrap %d %d, %s, at %g %g: %g, not %g", s.wrap[0], s.wrap[1],
                         n & 1 ? "linear" : "nearest", x, y, got, want);
            if (n < 2) { /* seamless filtering ignores the wrap modes */
                struct call seamless = {
                    .args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true, .seamless = true}};
                float first = 0;
                for (uint8_t mode = 0; mode < 8; mode++) {
                    s.wrap[0] = s.wrap[1] = mode;
                    const float v = one(&cube, &s, &seamless, sx, -sy, 1, 0);
                    first = mode ? first : v;
                    assert_true(v == first);
                }
                s.wrap[0] = s.wrap[1] = 0;
            }
        }
    }
    memory_destroy(cube.memory);
    memory_destroy(face.memory);
}

/* The LOD of a lane whose quad looks at several faces. The lane projects the directions of the
 * whole quad on the plane of its own face: it divides them by their components along the face's
 * axis. */
static double lod_across(const float at[4][3], int lane, int side) {
    const float *own = at[lane];
    const float size[3] = {fabsf(own[0]), fabsf(own[1]), fabsf(own[2])};
    const int axis = size[2] >= size[0] && size[2] >= size[1] ? 2 : size[1] >= size[0] ? 1 : 0;
    double on[3][2], longest = 0;
    for (int k = 0; k < 3; k++) {
        const double major = fmax(fabs((double)at[k][axis]), 0x1p-20);
        /* a sign has no effect on the length of a step */
        on[k][0] = at[k][axis == 0 ? 2 : 0] / major;
        on[k][1] = at[k][axis == 1 ? 2 : 1] / major;
    }
    for (int k = 1; k < 3; k++) {
        const double x = (on[k][0] - on[0][0]) * side / 2, y = (on[k][1] - on[0][1]) * side / 2;
        longest = fmax(longest, x * x + y * y);
    }
    return log2(longest) / 2;
}

TEST(test_lods_across_faces) {
    uint64_t seed = 9;
    unsigned across = 0;
    TEXTURE_BY(t, make_levels, TEX_CUBE, 32, 32, 1, 6);
    for (int round = 0; round < 400; round++) {
        const struct tex_sampler s = {
            .mip = 3, .max_lod = 15, .mag_linear = true, .min_linear = true};
        struct call c = {
            .args = {.op = TEX_OP_AUTO, .source_count = 3, .cube = true, .deriv = true}};
        float at[LANES][3];
        for (int lane = 0; lane < LANES; lane++)
            for (int a = 0; a < 3; a++) {
                /* the range of the quad's direction, and of the lane's difference from it */
                const float r = random_float(&seed, -1, 1);
                at[lane][a] = lane & 3 ? at[lane & ~3][a] + r * (round & 1 ? 0.2f : 0.03f) : r;
                /* every other round: directions near edges of faces */
                if (round & 2 && !(lane & 3))
                    at[lane][a] = a == round / 4 % 3 ? at[lane][a] : at[lane][a] < 0 ? -1 : 1;
                set(&c, a, lane, at[lane][a]);
            }
        run(&t.view, &s, &c);
        for (int lane = 0; lane < LANES; lane++) {
            const float(*quad)[3] = (const float(*)[3])at[lane & ~3];
            const double lod = lod_across(quad, lane & 3, 32),
                         want = level_model(lod, &s, 0, LEVELS - 1);
            const float got = value(&c, 0, lane), face = floorf(got / 8192);
            if (fabs((double)got - 8192 * (double)face - want) > 1.5)
                fail_msg("round %d, lane %d, face %g: LOD %g / 256, not %g", round, lane, face,
                         got - 8192 * face, want);
            const int major = (int)face / 2;
            for (int k = 0; k < 4; k++)
                across += fabsf(quad[k][major]) < fabsf(quad[k][(major + 1) % 3]);
        }
    }
    assert_true(across > 1000);
}
