/* The tessellator: numbers of points and primitives, edges that fit together, areas, winding,
 * topology, senseless levels, and results equal to those of Direct3D 11's reference (as in
 * llvmpipe), in the same order. Rules: fermi-3d.md §7. */
#include "pipeline/tessellate/tessellate.h"

#include "tests/test.h"

enum { ONE = 0x10000, SPACINGS = 3 };

static struct tess_output out, other;

AFTER_TESTS {
    tess_output_free(&out);
    tess_output_free(&other);
    return 0;
}

static struct tess_mode mode_of(enum tess_domain domain, enum tess_spacing spacing) {
    return (struct tess_mode){domain, spacing,
                              domain == TESS_ISOLINES ? TESS_LINES : TESS_TRIANGLE_LIST, false};
}

static struct tess_levels levels(float a, float b, float c, float d, float i, float j) {
    return (struct tess_levels){{a, b, c, d}, {i, j}};
}

static struct tess_levels same_levels(float l) {
    return levels(l, l, l, l, l, l);
}
/* Levels 0 to 3 are outer, 4 and 5 inner. */
static float *level_of(struct tess_levels *l, int i) {
    return i < 4 ? &l->outer[i] : &l->inner[i - 4];
}

static void run(enum tess_domain domain, enum tess_spacing spacing, struct tess_levels l) {
    assert_true(tessellate(mode_of(domain, spacing), &l, &out));
}

/* ---- numbers ---- */

/* The number of segments of a side at a level: rounded up to a whole, odd or even number. */
static uint32_t segments(float level, enum tess_spacing spacing) {
    static const uint32_t least[] = {1, 1, 2}, most[] = {64, 63, 64};
    uint32_t n = (uint32_t)ceilf(level);
    if (spacing == TESS_ODD)
        n |= 1;
    if (spacing == TESS_EVEN)
        n += n & 1;
    return n < least[spacing] ? least[spacing] : n > most[spacing] ? most[spacing] : n;
}

TEST(test_counts) {
    for (int spacing = 0; spacing < SPACINGS; spacing++)
        for (float level = 0.25f; level < 70; level += 0.25f) {
            const uint32_t n = segments(level, spacing);
            run(TESS_QUADS, spacing, same_levels(level));
            assert_int_equal(out.points, (n + 1) * (n + 1));
            assert_int_equal(out.indices, 3 * 2 * n * n);
            run(TESS_ISOLINES, spacing, same_levels(level));
            const uint32_t lines = segments(level, TESS_EQUAL);
            assert_int_equal(out.points, lines * (n + 1));
            assert_int_equal(out.indices, 2 * lines * n);
            run(TESS_TRIANGLES, spacing, same_levels(level));
            /* rings with n, n - 2, ... segments on three sides */
            uint32_t points = 0, triangles = 0;
            for (uint32_t k = n; k > 0 && k <= n; k -= 2) {
                points += 3 * k;
                triangles += k == 1 ? 1 : 3 * (k + k - 2);
            }
            assert_int_equal(out.points, points + !(n & 1));
            assert_int_equal(out.indices, 3 * triangles);
        }
}

TEST(test_bounds) {
    struct tess_levels most = same_levels(1e30f);
    run(TESS_QUADS, TESS_EQUAL, most);
    assert_int_equal(out.points, TESS_MAX_POINTS);
    assert_int_equal(out.indices, TESS_MAX_INDICES);
    static const float any[] = {0,        -0.0f, -1,    1e-40f,    1e-30f, 0.5f,     1,
                                1.00001f, 2,     2.5f,  2.999999f, 3,      62.9f,    63.0001f,
                                64,       65,    1e30f, INFINITY,  NAN,    -INFINITY};
    for (int round = 0; round < 3000; round++) {
        struct tess_levels l;
        for (int i = 0; i < 6; i++)
            *level_of(&l, i) = any[random_below(LENGTH(any))];
        const int domain = (int)random_below(3);
        run(domain, random_below(3), l);
        assert_true(out.points <= TESS_MAX_POINTS && out.indices <= TESS_MAX_INDICES);
        assert_int_equal(out.indices % (domain == TESS_ISOLINES ? 2 : 3), 0);
        bool drawn = true;
        for (int i = 0; i < 2 + domain; i++)
            drawn = drawn && l.outer[i] > 0;
        assert_int_equal(out.points > 0, drawn);
        assert_int_equal(out.indices > 0, drawn);
        for (uint32_t i = 0; i < out.points; i++) {
            const struct tess_point *p = &out.point[i];
            assert_true(p->u >= 0 && p->u <= 1 && p->v >= 0 && p->v <= 1);
            assert_true(domain != TESS_TRIANGLES || p->u + p->v <= 1);
        }
        for (uint32_t i = 0; i < out.indices; i++)
            assert_true(out.index[i] < out.points);
    }
}

/* Neither inner levels nor outer levels that the domain does not have drop a patch. */
TEST(test_dropped) {
    static const float bad[] = {0, -0.0f, -1, NAN, -INFINITY};
    static const int counting[] = {2, 3, 4};
    for (int domain = 0; domain < 3; domain++)
        for (size_t b = 0; b < LENGTH(bad); b++)
            for (int at = 0; at < 6; at++) {
                struct tess_levels l = same_levels(5);
                *level_of(&l, at) = bad[b];
                run(domain, TESS_EQUAL, l);
                assert_int_equal(out.points > 0, at >= counting[domain]);
                assert_int_equal(out.indices > 0, at >= counting[domain]);
            }
    struct tess_levels l = same_levels(4);
    assert_true(tessellate((struct tess_mode){.domain = 3, .primitives = TESS_POINTS}, &l, &out));
    assert_int_equal(out.points + out.indices, 0);
    /* an unknown spacing counts as equal */
    assert_true(tessellate((struct tess_mode){TESS_QUADS, 3, TESS_TRIANGLE_LIST, false}, &l, &out));
    assert_int_equal(out.points, 25);
    run(TESS_QUADS, TESS_EQUAL, same_levels(1e-40f)); /* very small, but not dropped */
    assert_int_equal(out.points, 4);
    static const uint32_t signalling = 0x7f800001;
    memcpy(&l.outer[1], &signalling, 4);
    run(TESS_QUADS, TESS_EQUAL, l);
    assert_int_equal(out.points, 0);
}

/* An inner level of 1 counts as slightly more if any other level is above 1. */
TEST(test_inside_of_more) {
    static const uint32_t points[] = {
        [TESS_EQUAL] = 4 * 5 + 1, [TESS_ODD] = 4 * 5 + 4, [TESS_EVEN] = 4 * 6 + 1};
    for (int spacing = 0; spacing < SPACINGS; spacing++) {
        run(TESS_QUADS, spacing, levels(5, 5, 5, 5, 1, 1));
        assert_int_equal(out.points, points[spacing]);
    }
    run(TESS_QUADS, TESS_EQUAL, levels(1, 1, 1, 1, 1, 3)); /* the other inner level */
    assert_int_equal(out.points, 4 + 2);
    run(TESS_TRIANGLES, TESS_EQUAL, levels(1, 1, 2, 1, 1, 1));
    assert_int_equal(out.points, 4 + 1);
    /* levels that the domain does not have */
    run(TESS_TRIANGLES, TESS_EQUAL, levels(1, 1, 1, 9, 1, 9));
    assert_int_equal(out.points, 3);
    /* levels have steps of 2^-16; equal spacing notices any level above 1 */
    const float half_step = 1 + 0.5f / ONE, more = 1 + 0.6f / ONE;
    static const uint32_t odd[] = {4, 16}, equal[] = {9, 9};
    for (int k = 0; k < 2; k++) {
        run(TESS_QUADS, TESS_ODD, same_levels(k ? more : half_step));
        assert_int_equal(out.points, odd[k]);
        run(TESS_QUADS, TESS_EQUAL, same_levels(k ? more : half_step));
        assert_int_equal(out.points, equal[k]);
    }
}

/* ---- edges ---- */

static uint32_t fixed(float x) {
    const float f = x * ONE;
    assert_true(f == floorf(f) && f >= 0 && f <= ONE);
    return (uint32_t)f;
}

/* Marks the points on an outer edge, a bit for each position. Points of edges come first; while a
 * side grows, inner points may lie on an edge, too. */
static void edge_bits(enum tess_domain domain, int edge, uint8_t bits[ONE + 1]) {
    uint32_t outer = domain == TESS_ISOLINES ? out.points : 0;
    for (int i = 0; i < 2 + (int)domain && domain != TESS_ISOLINES; i++)
        outer += segments(out.levels.outer[i], out.mode.spacing);
    memset(bits, 0, ONE + 1);
    for (uint32_t i = 0; i < outer; i++) {
        const uint32_t u = fixed(out.point[i].u), v = fixed(out.point[i].v);
        const bool on = edge == 0              ? u == 0
                        : edge == 1            ? v == 0
                        : edge == 3            ? v == ONE
                        : domain == TESS_QUADS ? u == ONE
                                               : u + v == ONE;
        if (on)
            bits[edge & 1 ? u : v] = 1;
    }
}

static float random_level(float most) {
    return random_below(3) ? 1 + (float)random_below(1u << 20) / (1 << 20) * (most - 1)
                           : 1 + (float)random_below((uint32_t)most);
}

static struct tess_levels random_levels(float most) {
    struct tess_levels l;
    for (int i = 0; i < 6; i++)
        *level_of(&l, i) = random_level(most);
    return l;
}

/* The points of an edge depend on its own level only, on each edge of each domain, from both
 * ends. */
TEST(test_edges_fit) {
    static uint8_t want[ONE + 1], have[ONE + 1];
    for (int round = 0; round < 400; round++) {
        const enum tess_spacing spacing = random_below(3);
        const float level = random_level(round & 1 ? 64 : 8);
        run(TESS_QUADS, spacing, same_levels(level));
        edge_bits(TESS_QUADS, 0, want);
        uint32_t count = 0;
        for (uint32_t t = 0; t <= ONE; t++) {
            count += want[t];
            assert_int_equal(want[t], want[ONE - t]);
        }
        /* points may coincide while segments begin to grow */
        assert_true(count <= segments(level, spacing) + 1);
        assert_true(spacing != TESS_EQUAL || count == segments(level, spacing) + 1);
        for (int domain = TESS_TRIANGLES; domain <= TESS_QUADS; domain++)
            for (int edge = 0; edge < 2 + domain; edge++) {
                struct tess_levels l = random_levels(64);
                l.outer[edge] = level;
                run(domain, spacing, l);
                edge_bits(domain, edge, have);
                assert_memory_equal(have, want, sizeof have);
            }
        /* along an isoline */
        run(TESS_ISOLINES, spacing, levels(3, level, 1, 1, 1, 1));
        edge_bits(TESS_ISOLINES, 1, have);
        assert_memory_equal(have, want, sizeof have);
    }
}

/* Isolines lie at equal distances; none lies at v = 1. */
TEST(test_isolines) {
    run(TESS_ISOLINES, TESS_ODD, levels(3.5f, 2, 1, 1, 1, 1));
    static const uint32_t at[] = {0, 10923, 54613, 65536};
    assert_int_equal(out.points, 16);
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(fixed(out.point[i].u), at[i % 4]);
        assert_int_equal(fixed(out.point[i].v), i / 4 * 16384);
    }
    assert_int_equal(out.indices, 24);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(out.index[i], i / 6 * 4 + i % 6 / 2 + i % 2);
}

/* ---- triangles ---- */

static int64_t twice_area(const struct tess_output *o, const uint16_t *t) {
    int64_t u[3], v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = fixed(o->point[t[i]].u);
        v[i] = fixed(o->point[t[i]].v);
    }
    return (u[1] - u[0]) * (v[2] - v[0]) - (v[1] - v[0]) * (u[2] - u[0]);
}

static bool on_border(enum tess_domain domain, const struct tess_point *a,
                      const struct tess_point *b) {
    if (domain == TESS_TRIANGLES && a->u + a->v == 1 && b->u + b->v == 1)
        return true;
    return (a->u == b->u && (a->u == 0 || (a->u == 1 && domain == TESS_QUADS))) ||
           (a->v == b->v && (a->v == 0 || (a->v == 1 && domain == TESS_QUADS)));
}

/* The mesh has no gaps: each edge belongs to two triangles that run along it in opposite
 * directions, or to one triangle and lies on the border; Euler's formula holds; all points are
 * used. So no point lies inside another triangle's edge. */
static void check_mesh(enum tess_domain domain, uint32_t border) {
    static uint8_t taken[TESS_MAX_POINTS][TESS_MAX_POINTS / 8 + 1];
    memset(taken, 0, sizeof taken);
    for (uint32_t i = 0; i < out.indices; i++) {
        const uint16_t a = out.index[i], b = out.index[i % 3 == 2 ? i - 2 : i + 1];
        assert_true(a != b);
        assert_false(taken[a][b / 8] >> (b % 8) & 1);
        taken[a][b / 8] |= (uint8_t)(1u << (b % 8));
    }
    uint32_t inner = 0, outer = 0;
    static bool used[TESS_MAX_POINTS];
    memset(used, 0, sizeof used);
    for (uint32_t i = 0; i < out.indices; i++) {
        const uint16_t a = out.index[i], b = out.index[i % 3 == 2 ? i - 2 : i + 1];
        used[a] = true;
        if (taken[b][a / 8] >> (a % 8) & 1) {
            inner++;
        } else {
            outer++;
            assert_true(on_border(domain, &out.point[a], &out.point[b]));
        }
    }
    for (uint32_t i = 0; i < out.points; i++)
        assert_true(used[i]);
    assert_int_equal(outer, border);
    assert_int_equal((int)out.points - (int)(inner / 2 + outer) + (int)(out.indices / 3), 1);
}

TEST(test_meshes) {
    for (int round = 0; round < 600; round++) {
        const enum tess_domain domain = random_below(2) ? TESS_QUADS : TESS_TRIANGLES;
        const enum tess_spacing spacing = random_below(3);
        struct tess_levels l = round < 192 ? same_levels(1 + (float)(round / 3))
                                           : random_levels((float)(2 << random_below(6)));
        const bool whole = random_below(2) || round < 192;
        for (int i = 0; i < 6 && whole; i++) {
            float *one = level_of(&l, i);
            *one = (float)segments(*one, spacing);
        }
        run(domain, spacing, l);
        uint32_t border = 0;
        for (int i = 0; i < 2 + (int)domain; i++)
            border += segments(l.outer[i], spacing);
        check_mesh(domain, border);
        int64_t sum = 0;
        for (uint32_t i = 0; i < out.indices; i += 3) {
            const int64_t area = twice_area(&out, &out.index[i]);
            assert_true(area >= 0);
            /* a triangle may be flat only while segments begin to grow, or inside a level of 1 */
            assert_true(area > 0 || !whole || spacing == TESS_ODD);
            sum += area;
        }
        assert_true(sum == (domain == TESS_QUADS ? 2 : 1) * (int64_t)ONE * ONE);
    }
}

TEST(test_winding_and_points) {
    for (int round = 0; round < 100; round++) {
        struct tess_mode mode = mode_of(1 + random_below(2), random_below(3));
        const struct tess_levels l = random_levels(20);
        assert_true(tessellate(mode, &l, &out));
        mode.clockwise = true;
        assert_true(tessellate(mode, &l, &other));
        assert_int_equal(out.points, other.points);
        assert_int_equal(out.indices, other.indices);
        assert_memory_equal(out.point, other.point, out.points * sizeof *out.point);
        for (uint32_t i = 0; i < out.indices; i++) /* the first point stays first */
            assert_int_equal(other.index[i], out.index[i % 3 == 0   ? i
                                                       : i % 3 == 1 ? i + 1
                                                                    : i - 1]);
        mode.primitives = random_below(2) ? TESS_POINTS : TESS_LINES;
        assert_true(tessellate(mode, &l, &other));
        assert_int_equal(out.points, other.points);
        assert_int_equal(other.indices, other.points);
        assert_memory_equal(out.point, other.point, out.points * sizeof *out.point);
        for (uint32_t i = 0; i < other.indices; i++)
            assert_int_equal(other.index[i], i);
    }
}

/* ---- the reference's results ---- */

/* Triangles for whole levels. Each point is a digit to the base 36. */
static const struct {
    enum tess_domain domain;
    struct tess_levels levels;
    const char *triangles;
} listed[] = {
    {TESS_QUADS, {{1, 1, 1, 1}, {1, 1}}, "013123"},
    {TESS_QUADS, {{2, 2, 2, 2}, {2, 2}}, "018128238348458568678708"},
    {TESS_QUADS, {{3, 3, 3, 3}, {3, 3}}, "01cc1dd1223d34dd4ee4556e67ee7ff7889f9affaccabb0ccefcde"},
    {TESS_QUADS,
     {{1, 2, 3, 4}, {5, 5}},
     "a0bb0cc01c1d12dd2ee2ff2g23g34gg4hh4ii45i5j56j67jj7k78kk8l89ll9a90a"
     "abmbnmbcncdndeneonefofgoghohpohipijpjkpkmpklmlammopmno"},
    /* the middle is one cell wide */
    {TESS_QUADS, {{1, 1, 1, 1}, {3, 5}}, "40550660161771881282992aa23a3bb3443045bb5a59a569679978"},
    {TESS_QUADS, {{1, 1, 1, 1}, {5, 3}}, "40550151661771272882992393aa3bb30b0445646bb67b7aa78a89"},
    {TESS_QUADS, {{1, 1, 1, 1}, {3, 4}}, "405501516617712728823839934430945958856867"},
    {TESS_QUADS, {{1, 1, 1, 1}, {4, 3}}, "405501516612627728823839930904456469967978"},
    /* the middle has no width */
    {TESS_QUADS, {{1, 1, 1, 1}, {2, 4}}, "405501516612625523534430"},
    {TESS_QUADS, {{1, 1, 1, 1}, {4, 2}}, "401415512526623635530504"},
    {TESS_TRIANGLES, {{1, 1, 1, 0}, {1, 0}}, "012"},
    {TESS_TRIANGLES, {{2, 2, 2, 0}, {2, 0}}, "016126236346456506"},
    {TESS_TRIANGLES, {{3, 3, 3, 0}, {3, 0}}, "01991aa1223a34aa4bb4556b67bb799788099ab"},
    {TESS_TRIANGLES,
     {{1, 2, 3, 0}, {5, 0}},
     "60770880181912992aa2bb2c23c34cc4dd4ee45e5650667f7gf78g89g9agahgabhbchcdhdfhdefe6ffgh"},
    {TESS_TRIANGLES,
     {{13, 1, 1, 0}, {6, 0}},
     "01f12ff2g23g34gg4h45h56hh6778h89hh9i9aiabiibjbcjcdjjdkkdlldelemmenneooeppe0p0qq0f"
     "fgrgsrghsshisitijtjktkutkluulmumvmnvnovowvopwwpqwqrqfrrsxstxtuxuvxvwxwrx"},
};

TEST(test_listed) {
    for (size_t k = 0; k < LENGTH(listed); k++) {
        run(listed[k].domain, TESS_EQUAL, listed[k].levels);
        assert_int_equal(out.indices, strlen(listed[k].triangles));
        for (uint32_t i = 0; i < out.indices; i++)
            assert_int_equal("0123456789abcdefghijklmnopqrstuvwxyz"[out.index[i]],
                             listed[k].triangles[i]);
    }
}

static void expect_points(const int *uv, uint32_t count) {
    assert_int_equal(out.points, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(fixed(out.point[i].u), uv[2 * i]);
        assert_int_equal(fixed(out.point[i].v), uv[2 * i + 1]);
    }
}

/* Positions of points: a level between two numbers of segments, and rings of a triangle. */
TEST(test_places) {
    run(TESS_TRIANGLES, TESS_EQUAL, same_levels(4));
    static const int four[] = {0,     65536, 0,     49152, 0,     32768, 0,     16384, 0,     0,
                               16384, 0,     32768, 0,     49152, 0,     65536, 0,     49152, 16384,
                               32768, 32768, 16384, 49152, 10923, 43690, 10923, 27306, 10922, 10923,
                               27306, 10923, 43690, 10923, 27306, 27307, 21845, 21845};
    expect_points(four, 19);
    run(TESS_QUADS, TESS_ODD, same_levels(2));
    static const int two[] = {0,     65536, 0,     54613, 0,     10923, 0,     0,
                              10923, 0,     54613, 0,     65536, 0,     65536, 10923,
                              65536, 54613, 65536, 65536, 54613, 65536, 10923, 65536,
                              10923, 54613, 10923, 10923, 54613, 10923, 54613, 54613};
    expect_points(two, 16);
}

/* All results for a grid of levels, in both windings, as a hash of the vertices in their order. The
 * expected values are llvmpipe's. */
TEST(test_reference) {
    static const uint32_t hashes[3][SPACINGS] = {
        {0x9c304435, 0x5719c1c7, 0x57596ca1},
        {0xb2c8625b, 0x92801d7f, 0xfc4c7a81},
        {0x4ae89d3a, 0x60f009be, 0x16c89fe1},
    };
    for (int domain = 0; domain < 3; domain++)
        for (int spacing = 0; spacing < SPACINGS; spacing++) {
            uint32_t hash = 2166136261;
            for (int n = 0; n < 200; n++) {
                struct tess_levels l;
                for (int i = 0; i < 6; i++)
                    *level_of(&l, i) = 0.5f + (float)((n * (7 + 2 * i) + i * 13) % 257) / 4;
                struct tess_mode mode = mode_of(domain, spacing);
                mode.clockwise = n & 1;
                assert_true(tessellate(mode, &l, &out));
                hash = (hash ^ out.indices) * 16777619;
                for (uint32_t i = 0; i < out.indices; i++) {
                    hash = (hash ^ fixed(out.point[out.index[i]].u)) * 16777619;
                    hash = (hash ^ fixed(out.point[out.index[i]].v)) * 16777619;
                }
            }
            assert_int_equal(hash, hashes[domain][spacing]);
        }
}

/* A kept result is used for equal input only. */
TEST(test_again) {
    const struct tess_mode first = {TESS_QUADS, TESS_ODD, TESS_TRIANGLE_LIST, false};
    const struct tess_mode changed[] = {{TESS_TRIANGLES, TESS_ODD, TESS_TRIANGLE_LIST, false},
                                        {TESS_QUADS, TESS_EVEN, TESS_TRIANGLE_LIST, false},
                                        {TESS_QUADS, TESS_ODD, TESS_POINTS, false},
                                        {TESS_QUADS, TESS_ODD, TESS_TRIANGLE_LIST, true}};
    const struct tess_levels l = levels(2, 3, 4, 5, 6, 7);
    for (size_t k = 0; k < LENGTH(changed) + 6; k++) {
        struct tess_levels m = l;
        if (k >= LENGTH(changed))
            *level_of(&m, (int)(k - LENGTH(changed))) += 1.5f;
        const struct tess_mode mode = k < LENGTH(changed) ? changed[k] : first;
        struct tess_output fresh = {0};
        assert_true(tessellate(mode, &m, &fresh));
        assert_true(tessellate(first, &l, &out));
        assert_true(tessellate(first, &l, &out));
        assert_true(tessellate(mode, &m, &out));
        assert_int_equal(out.points, fresh.points);
        assert_int_equal(out.indices, fresh.indices);
        assert_memory_equal(out.point, fresh.point, out.points * sizeof *out.point);
        assert_memory_equal(out.index, fresh.index, out.indices * sizeof *out.index);
        tess_output_free(&fresh);
        assert_null(fresh.point);
    }
}
