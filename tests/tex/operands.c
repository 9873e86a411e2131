/* The operands, lanes and results of a texture instruction: missing operands, dead lanes, masks of
 * results. */
#include "tests/tex/calls.h"
#include "tests/shapes.h"
#include "tex/wrap.h"

/* Operands that an instruction does not have are 0, regardless of the registers behind its own. */
TEST(test_missing_operands) {
    static const struct {
        enum tex_dim dim;
        int operands;
    } kinds[] = {{TEX_1D, 1}, {TEX_2D, 2}, {TEX_3D, 3}, {TEX_1D_ARRAY, 2}, {TEX_2D_ARRAY, 3}};
    for (size_t n = 0; n < LENGTH(kinds); n++)
        for (int linear = 0; linear < 2; linear++) {
            struct tex_image i =
                image(FORMAT_R32_FLOAT, kinds[n].dim, 8,
                      kinds[n].operands > 1 && kinds[n].dim != TEX_1D_ARRAY ? 8 : 1);
            i.depth = kinds[n].dim == TEX_3D ? 4 : 1;
            i.layers = kinds[n].dim == TEX_1D_ARRAY || kinds[n].dim == TEX_2D_ARRAY ? 3 : 1;
            TEXTURE(t, i);
            FILL(&t, (float)(100 * z + 10 * y + x));
            const struct tex_sampler s = SAMPLER(linear, 1, .wrap = {0, 0, 0}, .max_lod = 15);
            for (int given = 1; given <= kinds[n].operands; given++) {
                struct call whole = {
                    .args = {.op = TEX_OP_AUTO, .source_count = (uint8_t)kinds[n].operands}};
                for (int lane = 0; lane < LANES; lane++)
                    for (int k = 0; k < given; k++)
                        set(&whole, k, lane, 0.37f * (float)(k + 1) + (float)lane / 32);
                struct call part = whole;
                part.args.source_count = (uint8_t)given;
                for (int k = given; k < 4; k++)
                    part.reg[k] = lanes_splat(k == 2 ? 2 : 0x3f2e147b);
                run(&t.view, &s, &whole);
                run(&t.view, &s, &part);
                for (int lane = 0; lane < LANES; lane++)
                    if (value(&whole, 0, lane) != value(&part, 0, lane))
                        fail_msg("kind %zu, %d operands, lane %d: %g, not %g", n, given, lane,
                                 (double)value(&part, 0, lane), (double)value(&whole, 0, lane));
            }
        }
}

/* Without a reference, a sampler that compares gives depths, like one that does not compare. */
TEST(test_missing_reference) {
    TEXTURE(t, image(FORMAT_Z32_FLOAT, TEX_2D, 8, 8));
    FILL(&t, (float)(y + 1) / 16 + (float)x / 64);
    for (int linear = 0; linear < 2; linear++) {
        const struct tex_sampler plain = {
            .mip = 1, .max_lod = 15, .mag_linear = linear, .min_linear = linear};
        struct tex_sampler compares = plain;
        struct call depths = {.args = {.op = TEX_OP_AUTO, .source_count = 2}};
        for (int lane = 0; lane < LANES; lane++)
            for (int k = 0; k < 4; k++) /* what lies behind the operands is no reference */
                set(&depths, k, lane, 0.37f * (float)(k + 1) + (float)lane / 32);
        struct call compared = depths;
        compares.compare = true;
        compares.compare_func = 1;
        run(&t.view, &plain, &depths);
        run(&t.view, &compares, &compared);
        assert_memory_equal(compared.reg, depths.reg, 4 * sizeof depths.reg[0]);
    }
}

TEST(test_dead_lanes) {
    static const lane_mask masks[] = {1, 0x80000000u, 0x00f0f00fu, 0xfffffffeu, 0x0000ffffu};
    TEXTURE(t, image(FORMAT_R32_FLOAT, TEX_2D, 1, 1));
    put_float(&t, 0, 0, 0, 0, 3);
    for (int smooth = 0; smooth < 2; smooth++)
        for (size_t i = 0; i < LENGTH(masks); i++) {
            const struct tex_sampler s = {.mip = 1, .mag_linear = smooth, .min_linear = smooth};
            struct call c = {.args = {.op = TEX_OP_AUTO, .source_count = 2, .lanes = masks[i]}};
            one(&t, &s, &c, 0.25f, 0.75f, 7, 8);
            for (int lane = 0; lane < LANES; lane++) {
                const bool live = masks[i] >> lane & 1;
                assert_true(value(&c, 0, lane) == (live ? 3.0f : 0.25f));
                assert_true(value(&c, 3, lane) == (live ? 1.0f : 8.0f));
            }
        }
}

/* For most texture operations, the requested results are written to consecutive registers, and no
 * other register changes. */
TEST(test_masks) {
    static const struct {
        uint8_t op, sources;
        bool integers;
    } ops[] = {{TEX_OP_AUTO, 2, false},    {TEX_OP_BIAS, 3, false}, {TEX_OP_LOD, 3, false},
               {TEX_OP_FETCH, 3, true},    {TEX_OP_SIZE, 1, true},  {TEX_OP_GATHER, 2, false},
               {TEX_OP_QUERYLOD, 2, false}};
    struct tex_image i = image(FORMAT_RGBA8_UNORM, TEX_2D, 8, 4);
    i.levels = 2;
    TEXTURE(t, i);
    for (uint32_t n = 0; n < 32 + 8; n++) {
        const uint8_t texel[4] = {(uint8_t)(n * 3 + 1), (uint8_t)(n * 5 + 2), (uint8_t)(n * 7 + 3),
                                  (uint8_t)(n + 100)};
        put(&t, n >= 32, n < 32 ? n % 8 : n % 4, n < 32 ? n / 8 : (n - 32) / 4, 0, texel);
    }
    for (unsigned k = 0; k < LENGTH(ops); k++)
        for (int smooth = 0; smooth < 2; smooth++) {
            const struct tex_sampler s = {
                .mip = 3, .max_lod = 15, .mag_linear = smooth, .min_linear = smooth};
            struct call all = {
                .args = {.op = ops[k].op, .source_count = ops[k].sources, .deriv = true}};
            for (int lane = 0; lane < LANES; lane++)
                for (int r = 0; r < 4; r++) {
                    if (ops[k].integers)
                        all.reg[r][lane] =
                            r == ops[k].sources - 1 ? lane & 1 : (uint32_t)(lane % 4 >> r);
                    else
                        set(&all, r, lane, 0.03f * (float)(lane * (r + 1) % 23));
                }
            const struct call in = all;
            run(&t.view, &s, &all);
            for (uint8_t mask = 1; mask < 15; mask++) {
                struct call c = in;
                c.args.result_mask = mask;
                run(&t.view, &s, &c);
                int row = 0;
                for (int r = 0; r < 4; r++)
                    if (mask >> r & 1)
                        assert_memory_equal(&c.reg[row++], &all.reg[r], sizeof c.reg[0]);
                for (; row < 4; row++)
                    assert_memory_equal(&c.reg[row], &in.reg[row], sizeof c.reg[0]);
            }
        }
}
