/* v[] words, one by one and many at once (shader/exec_special.c), compared with a model: planes,
 * flat words, centroids and the visible side. The quads of a warp share planes, have their own,
 * have planes for few words, or have none. */
#include "shader/exec.h"
#include "tests/shader/warp_case.h"

#include <math.h>

static const struct attribute_planes *sets(int i) {
    static const struct attribute_plane many[] = {
        {1, 2, 3, 4}, {5.5f, 6.25f, -7, 8}, {9, -0.5f, 11, 12}};
    static const struct attribute_plane few[] = {{-1, 0.125f, 3, 104}, {50, 60, 70, 108}};
    static const struct attribute_plane huge[] = {
        {INFINITY, -INFINITY, 1, 0x7fa00000}, {3e38f, 3e38f, -INFINITY, 5}, {2, 3, 4, 6}};
    static const struct attribute_planes all[] = {{~0u, 3, many}, {0, 2, few}, {0}, {0, 3, huge}};
    return i != 2 ? &all[i] : NULL;
}

/* The set of planes of each quad, and whether all quads are declared to use the first set. */
static const struct {
    int quad[8];
    bool uniform;
} layouts[] = {
    {{0, 0, 0, 0, 0, 0, 0, 0}, true},  {{1, 1, 1, 1, 1, 1, 1, 1}, true},
    {{2, 2, 2, 2, 2, 2, 2, 2}, true},  {{0, 0, 0, 0, 0, 0, 0, 0}, false},
    {{0, 1, 0, 1, 1, 0, 0, 1}, false}, {{0, 1, 0, 1, 1, 0, 0, 2}, false},
    {{2, 1, 0, 1, 1, 0, 0, 1}, false}, {{2, 2, 2, 2, 2, 2, 2, 2}, false},
    {{0, 0, 0, 0, 0, 0, 0, 1}, false}, {{3, 3, 3, 3, 3, 3, 3, 3}, true},
    {{0, 3, 0, 3, 0, 0, 0, 3}, false},
};
enum { FACING_WORD = 0x3fc / 4, CANONICAL_NAN = 0x7fffffff };
static const uint32_t words[] = {0, 1, 2, 3, FACING_WORD};
static const uint8_t modes[] = {INTERP_PLAIN, INTERP_FLAT, INTERP_CENTROID};

/* Computes the word in a lane. Returns false if the lane's planes lack the word. */
static bool expect(const struct warp *w, int lane, uint32_t word, uint8_t mode, uint32_t *bits) {
    const struct attribute_planes *set = w->planes[w->uniform_planes ? 0 : lane / 4];
    const bool centroid = mode == INTERP_CENTROID;
    *bits = 0;
    if (mode == INTERP_FLAT && word == FACING_WORD) {
        *bits = set ? set->facing : 0;
        return true;
    }
    if (!set || word >= set->count)
        return false;
    const struct attribute_plane *p = &set->plane[word];
    const float x = centroid ? w->cx[lane] : w->x[lane], y = centroid ? w->cy[lane] : w->y[lane];
    const float across = p->dx * x, down = p->dy * y, value = (p->base + across) + down;
    memcpy(bits, &value, sizeof value);
    if (isnan(value))
        *bits = CANONICAL_NAN;
    if (mode == INTERP_FLAT)
        *bits = p->flat;
    return true;
}

static void check_layout(struct warp *w, enum simd_level level, int layout) {
    static bool (*const many[])(struct warp *, const struct varying_use *, uint32_t) =
        SIMD_TABLE(exec_varyings);
    static void (*const one[])(struct warp *, uint32_t, uint32_t, struct varying *) =
        SIMD_TABLE(exec_varying);
    struct varying_use have[16];
    uint32_t count = 0;
    for (int q = 0; q < 8; q++)
        w->planes[q] = sets(layouts[layout].quad[q]);
    w->uniform_planes = layouts[layout].uniform;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t k = 0; k < sizeof modes; k++) {
            const struct varying_use use = {(uint16_t)words[i], modes[k]};
            struct varying v;
            lane_mask missing = 0;
            one[level](w, use.word, use.mode, &v);
            const bool all = many[level](w, &use, 1);
            for (int lane = 0; lane < LANES; lane++) {
                uint32_t bits;
                const bool has = expect(w, lane, use.word, use.mode, &bits);
                missing |= (lane_mask)!has << lane;
                if (bits == CANONICAL_NAN && (v.value[lane] & INT32_MAX) > 0x7f800000)
                    v.value[lane] = CANONICAL_NAN; /* as the callers of exec_varying() do */
                if ((has && v.value[lane] != bits) ||
                    (has && all && w->native.varying[0][lane] != bits))
                    fail_msg("level %d, layout %d, word %u, mode %u, lane %d: %x and %x, not %x",
                             (int)level, layout, use.word, use.mode, lane, v.value[lane],
                             w->native.varying[0][lane], bits);
            }
            if (v.missing != missing || all != !missing)
                fail_msg("level %d, layout %d, word %u, mode %u: %x, not %x are missing; all: %d",
                         (int)level, layout, use.word, use.mode, v.missing, missing, all);
            if (all)
                have[count++] = use;
        }
    if (count == 0)
        return;
    assert_true(many[level](w, have, count)); /* in their order */
    for (uint32_t i = 0; i < count; i++)
        for (int lane = 0; lane < LANES; lane++) {
            uint32_t bits;
            expect(w, lane, have[i].word, have[i].mode, &bits);
            assert_int_equal(w->native.varying[i][lane], bits);
        }
    have[count] = (struct varying_use){7, INTERP_PLAIN};
    assert_false(many[level](w, have, count + 1));
}

TEST(test_varyings) {
    struct warp *w = case_rows(sizeof *w);
    for (int block = 0; block < 2; block++) { /* lanes of a block have few different x and y */
        for (int lane = 0; lane < LANES; lane++) {
            w->x[lane] = (float)(block ? lane % 2 + lane / 4 % 4 * 2 : lane % 8) + 0.5f;
            w->y[lane] = (float)(block ? lane / 2 % 2 + lane / 16 * 2 : lane / 8) + 0.5f;
            w->cx[lane] = w->x[lane] + 0.25f;
            w->cy[lane] = w->y[lane] - 0.125f * (float)(lane % 3);
        }
        FOR_EACH_LEVEL(level)
        for (int layout = 0; layout < (int)(LENGTH(layouts)); layout++)
            check_layout(w, level, layout);
    }
    free(w);
}
