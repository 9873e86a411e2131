/* Aliased lines: hand-drawn pictures of every kind of end; random lines compared with the
 * diamond-exit rule computed pixel by pixel; the joints of long strips. */
#include "tests/raster/fixture.h"

enum { SIZE = 12 };

static void white(struct warp *w) {
    for (int i = 0; i < 4; i++)
        w->r[i] = (u32x32)lanes_splat_f(1);
}

static struct raster_prim *line(struct fixture *f, const float end[4]) {
    const struct raster_vertex v[2] = {vertex_at(end[0], end[1], 0), vertex_at(end[2], end[3], 0)};
    const struct raster_vertex *const p[2] = {&v[0], &v[1]};
    return fixture_line(f, p, (struct face){.front = true}, NULL);
}

/* Draws the line. touched gets one byte a pixel, 1 if the line drew it. */
static void draw(struct fixture *f, const float end[4], uint8_t *touched) {
    const struct surface *s = &f->targets.color[0];
    struct raster_prim *p = line(f, end);
    fragment_stage = white;
    memset(s->data, 0, s->size);
    if (p)
        fixture_draw(f, &p, 1);
    for (uint32_t y = 0; y < f->targets.height; y++)
        for (uint32_t x = 0; x < f->targets.width; x++)
            touched[y * f->targets.width + x] = *texel_at(s, x, y) != 0;
}

/* Expected pixels, the upper left 6x4: '#' is drawn, rows are divided by blanks. */
static const struct {
    const char *what;
    float end[4];
    float width;
    const char *drawn;
} pictures[] = {
    {"right", {1.5f, 1.5f, 4.5f, 1.5f}, 1, "...... .###.. ...... ......"},
    {"left", {4.5f, 1.5f, 1.5f, 1.5f}, 1, "...... ..###. ...... ......"},
    {"down", {2.5f, 0.5f, 2.5f, 3.5f}, 1, "..#... ..#... ..#... ......"},
    {"up", {2.5f, 3.5f, 2.5f, 0.5f}, 1, "...... ..#... ..#... ..#..."},
    {"right and down", {0.5f, 0.5f, 4.5f, 2.5f}, 1, "##.... ..##.. ...... ......"},
    {"right and up", {0.5f, 2.5f, 4.5f, 0.5f}, 1, "...#.. .##... #..... ......"},
    {"left and up", {4.5f, 2.5f, 0.5f, 0.5f}, 1, ".#.... ..##.. ....#. ......"},
    {"left and down", {4.5f, 0.5f, 0.5f, 2.5f}, 1, "...##. .##... ...... ......"},
    {"down and right", {0.5f, 0.5f, 2.5f, 3.5f}, 1, "#..... .#.... .#.... ......"},
    {"diagonal", {0.5f, 0.5f, 3.5f, 3.5f}, 1, "#..... .#.... ..#... ......"},
    {"between corners", {0, 0, 4, 4}, 1, "#..... .#.... ..#... ...#.."},
    /* ends beyond the pixel's centre: inside the diamond the line has not left the pixel yet,
     * outside the diamond it has */
    {"starts inside", {1.875f, 1.5f, 4.5f, 1.5f}, 1, "...... .###.. ...... ......"},
    {"starts behind", {1.875f, 1.75f, 4.5f, 1.75f}, 1, "...... ..##.. ...... ......"},
    {"ends inside", {1.5f, 1.5f, 4.875f, 1.5f}, 1, "...... .###.. ...... ......"},
    {"ends behind", {1.5f, 1.75f, 4.875f, 1.75f}, 1, "...... .####. ...... ......"},
    {"starts inside, left", {4.125f, 1.5f, 1.5f, 1.5f}, 1, "...... ..###. ...... ......"},
    {"starts behind, left", {4.125f, 1.75f, 1.5f, 1.75f}, 1, "...... ..##.. ...... ......"},
    {"within a diamond", {1.25f, 1.5f, 1.75f, 1.5f}, 1, "...... ...... ...... ......"},
    {"through a diamond", {1.1f, 1.75f, 1.9f, 1.75f}, 1, "...... .#.... ...... ......"},
    {"beside a diamond", {1.875f, 1.75f, 2.125f, 1.75f}, 1, "...... ...... ...... ......"},
    /* on the diamond's edges: the lower two edges and the lower corner belong to the diamond */
    {"starts on the lower right", {1.75f, 1.75f, 4.5f, 1.75f}, 1, "...... .###.. ...... ......"},
    {"starts on the upper right", {1.75f, 1.25f, 4.5f, 1.25f}, 1, "...... ..##.. ...... ......"},
    {"ends on the lower right", {1.5f, 1.75f, 4.75f, 1.75f}, 1, "...... .###.. ...... ......"},
    {"ends on the upper right", {1.5f, 1.25f, 4.75f, 1.25f}, 1, "...... .####. ...... ......"},
    {"starts at the lower corner", {1.5f, 2, 4.5f, 2}, 1, "...... .###.. ...... ......"},
    {"down from the lower corner", {1.5f, 2, 1.5f, 3.5f}, 1, "...... .#.... .#.... ......"},
    {"down from the right corner", {2, 1.5f, 2, 3.5f}, 1, "...... .#.... .#.... ......"},
    {"right from the right corner", {2, 1.5f, 4.5f, 1.5f}, 1, "...... ..##.. ...... ......"},
    {"down to the right corner", {2, 0.5f, 2, 1.5f}, 1, ".#.... ...... ...... ......"},
    /* wide lines: the diamonds of the line moved by (width - 1) / 2, repeated towards higher
     * coordinates */
    {"2 wide", {1.5f, 2, 4.5f, 2}, 2, "...... .###.. .###.. ......"},
    {"2 wide, starts in its diamond", {1.875f, 2, 4.5f, 2}, 2, "...... .###.. .###.. ......"},
    {"2 wide, starts behind", {1.875f, 1.5f, 4.5f, 1.5f}, 2, "..##.. ..##.. ...... ......"},
    {"3 wide", {1.5f, 1.5f, 4.5f, 1.5f}, 3, ".###.. .###.. .###.. ......"},
    {"3 wide, down", {2.5f, 0.5f, 2.5f, 2.5f}, 2.6f, ".###.. .###.. ...... ......"},
    {"width rounds", {1.5f, 1.5f, 4.5f, 1.5f}, 1.4f, "...... .###.. ...... ......"},
    {"width 0", {1.5f, 1.5f, 4.5f, 1.5f}, 0, "...... .###.. ...... ......"},
    {"a negative width", {1.5f, 1.5f, 4.5f, 1.5f}, -3, "...... .###.. ...... ......"},
    {"no width", {1.5f, 1.5f, 4.5f, 1.5f}, NAN, "...... .###.. ...... ......"},
    {"a point", {2, 2, 2, 2}, 5, "...... ...... ...... ......"},
};

TEST(test_pictures) {
    uint8_t touched[SIZE * SIZE];
    FIXTURE(f, fixture_init, SIZE, SIZE, 1);
    fixture_color(&f, FORMAT_R8_UNORM, true);
    for (size_t i = 0; i < LENGTH(pictures); i++) {
        char text[] = "...... ...... ...... ......";
        f.state.setup.line_width = pictures[i].width;
        draw(&f, pictures[i].end, touched);
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 6; x++)
                text[7 * y + x] = touched[y * SIZE + x] ? '#' : '.';
        if (strcmp(text, pictures[i].drawn) != 0)
            fail_msg("%s: %s, not %s", pictures[i].what, text, pictures[i].drawn);
    }
}

/* ---- the rule, pixel by pixel ---- */

/* True if a point is in the pixel's diamond. Coordinates are from the pixel's centre, in 1/(256 *
 * scale) pixel. */
static bool in_diamond(int64_t x, int64_t y, int64_t scale, bool x_major) {
    const int64_t outside = llabs(x) + llabs(y) - SUBPIXEL_HALF * scale;
    return outside < 0 || (outside == 0 && (y > 0 || (!x_major && y == 0 && x > 0)));
}

struct fraction {
    int64_t above, below; /* numerator, denominator > 0 */
};

static bool less(struct fraction a, struct fraction b) {
    return a.above * b.below < b.above * a.below;
}

/* True if the line from a to a + d draws the pixel (24.8, from the pixel's centre): a part of the
 * line is in the diamond, and its end is not. */
static bool draws(int64_t ax, int64_t ay, int64_t dx, int64_t dy, bool x_major) {
    struct fraction from = {0, 1}, to = {1, 1};
    for (int side = 0; side < 4; side++) { /* limits from..to to the closed diamond */
        const int64_t sx = side & 1 ? 1 : -1, sy = side & 2 ? 1 : -1;
        const int64_t at = sx * ax + sy * ay - SUBPIXEL_HALF, step = sx * dx + sy * dy;
        const struct fraction cut = {step > 0 ? -at : at, llabs(step)};
        if (step == 0 && at > 0)
            return false;
        if (step > 0 && less(cut, to))
            to = cut;
        if (step < 0 && less(from, cut))
            from = cut;
    }
    if (less(to, from) || in_diamond(ax + dx, ay + dy, 1, x_major))
        return false;
    const struct fraction middle = {from.above * to.below + to.above * from.below,
                                    2 * from.below * to.below};
    const struct fraction at[3] = {from, middle, to};
    for (int i = 0; i < 3; i++)
        if (in_diamond(ax * at[i].below + dx * at[i].above, ay * at[i].below + dy * at[i].above,
                       at[i].below, x_major))
            return true;
    return false;
}

static void check_against_the_rule(struct fixture *f, const float end[4]) {
    const int64_t ax = lrintf(end[0] * SUBPIXEL), ay = lrintf(end[1] * SUBPIXEL);
    const int64_t dx = lrintf(end[2] * SUBPIXEL) - ax, dy = lrintf(end[3] * SUBPIXEL) - ay;
    const bool x_major = llabs(dx) >= llabs(dy);
    const int width = (int)f->state.setup.line_width, shift = (width - 1) * SUBPIXEL_HALF;
    uint8_t touched[SIZE * SIZE];
    draw(f, end, touched);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            bool drawn = false;
            for (int k = 0; k < width && (dx || dy); k++) { /* the diamond k pixels before */
                const int64_t cx = (x - (x_major ? 0 : k)) * SUBPIXEL + SUBPIXEL_HALF;
                const int64_t cy = (y - (x_major ? k : 0)) * SUBPIXEL + SUBPIXEL_HALF;
                drawn |= draws(ax - (x_major ? 0 : shift) - cx, ay - (x_major ? shift : 0) - cy, dx,
                               dy, x_major);
            }
            if (drawn != touched[y * SIZE + x])
                fail_msg("%g %g to %g %g, %d wide: (%d, %d) is %s", end[0], end[1], end[2], end[3],
                         width, x, y, drawn ? "left out" : "drawn");
        }
}

/* Random lines with ends on multiples of 1/8, 1/4 or 1/256 pixel, short and long. */
TEST(test_lines_follow_the_rule) {
    uint64_t seed = 77;
    FIXTURE(f, fixture_init, SIZE, SIZE, 1);
    fixture_color(&f, FORMAT_R8_UNORM, true);
    for (int round = 0; round < 8000; round++) {
        float end[4];
        const float grid = round & 1 ? 8 : round & 2 ? 4 : SUBPIXEL;
        const float far = round & 4 ? 3 : SIZE + 2;
        f.state.setup.line_width = (float)(1 + (round & 8 ? random_next(&seed) % 4 : 0));
        for (int i = 0; i < 2; i++)
            end[i] = roundf(random_float(&seed, 3, 9) * grid) / grid;
        for (int i = 2; i < 4; i++)
            end[i] = roundf((end[i - 2] + random_float(&seed, -far, far)) * grid) / grid;
        check_against_the_rule(&f, end);
        arena_reset(&f.arena);
    }
}

/* ---- strips ---- */

enum { STRIPS = 26, SEGMENTS = 300, WIDE = 512, MOST = 64 };

struct pixel {
    int x, y;
};

/* Lists the line's pixels from its first to its last; returns their number. */
static int pixels(struct fixture *f, const float end[4], struct pixel out[MOST]) {
    const struct raster_prim *p = line(f, end);
    const bool x_major = fabsf(end[2] - end[0]) >= fabsf(end[3] - end[1]);
    int n = 0;
    for (int y = p ? p->bounds.y0 : 0; p && y < p->bounds.y1; y++)
        for (int x = p->bounds.x0; x < p->bounds.x1; x++)
            if (raster_prim_covers(p, &(struct raster_probe_pixel){.x = x, .y = y}, 1))
                out[n++] = (struct pixel){x, y};
    for (int i = 1; i < n; i++) /* one pixel in each column (row): sorts them along the line */
        for (int k = i; k > 0; k--) {
            const struct pixel a = out[k - 1], b = out[k];
            const float forward = x_major ? (float)(b.x - a.x) * (end[2] - end[0])
                                          : (float)(b.y - a.y) * (end[3] - end[1]);
            if (forward > 0)
                break;
            out[k - 1] = b, out[k] = a;
        }
    return n;
}

/* Joints of random strips: there is no gap between the last pixel of a segment and the first of the
 * next. Two segments draw the same pixel only where a turn enters the pixel's diamond again. */
TEST(test_joints) {
    uint64_t seed = 3;
    int joints = 0, gaps = 0, straight = 0, turned = 0;
    FIXTURE(f, fixture_init, WIDE, WIDE, 1);
    for (int strip = 0; strip < STRIPS; strip++) {
        struct pixel last[MOST], next[MOST];
        float at[2] = {WIDE / 2, WIDE / 2}, angle = 0;
        int had = 0, kind = 0;
        for (int i = 0; i < SEGMENTS; i++) {
            angle += random_float(&seed, -1, 1);
            const float length = random_float(&seed, 1, 12);
            const float end[4] = {at[0], at[1], at[0] + length * cosf(angle),
                                  at[1] + length * sinf(angle)};
            const int octant = (fabsf(end[2] - at[0]) >= fabsf(end[3] - at[1]) ? 0 : 4) |
                               (end[2] > at[0]) | (end[3] > at[1]) << 1;
            const int n = pixels(&f, end, next);
            if (n && had) {
                const int dx = abs(next[0].x - last[had - 1].x),
                          dy = abs(next[0].y - last[had - 1].y);
                joints++;
                gaps += dx > 1 || dy > 1;
                turned += dx + dy == 0 && octant != kind;
                straight += dx + dy == 0 && octant == kind;
            }
            if (n) {
                memcpy(last, next, sizeof last);
                had = n, kind = octant;
            }
            at[0] = end[2], at[1] = end[3];
            /* turns back to the middle */
            if (fabsf(at[0] - WIDE / 2) > 200 || fabsf(at[1] - WIDE / 2) > 200)
                angle = atan2f(WIDE / 2 - at[1], WIDE / 2 - at[0]);
            arena_reset(&f.arena);
        }
    }
    assert_in_range(joints, 7500, STRIPS * SEGMENTS);
    assert_int_equal(gaps, 0);
    assert_int_equal(straight, 0);
    assert_in_range(turned, 100, 150); /* turns that enter a diamond again */
}

/* In a wide aliased line, all pixels of a column (row) have the line's value at the middle of the
 * column. In a thin line, a pixel has the value of the point of the line nearest to its centre. */
TEST(test_values_across) {
    static const float ends[][4] = {
        {1, 3, 11, 8}, {11, 8, 1, 3}, {3, 1, 8, 11}, {7, 11, 4, 1}, {1, 6, 11, 6}};
    for (size_t i = 0; i < 5 * LENGTH(ends); i++) {
        const float *e = ends[i / 5], dx = e[2] - e[0], dy = e[3] - e[1];
        const bool x_major = fabsf(dx) >= fabsf(dy);
        struct raster_vertex v[2] = {vertex_at(e[0], e[1], 0.25f), vertex_at(e[2], e[3], 0.75f)};
        const struct raster_vertex *const p[2] = {&v[0], &v[1]};
        uint32_t drawn = 0;
        FIXTURE(f, fixture_init, SIZE, SIZE, 1);
        fixture_zeta(&f, FORMAT_Z32_FLOAT, false);
        memset(f.targets.zeta.data, 0, f.targets.zeta.size);
        f.state.program = NULL;
        f.state.setup.line_width = (float)(i % 5 + 1);
        f.state.zeta = tested_depths(FUNC_ALWAYS);
        struct raster_prim *one = fixture_line(&f, p, (struct face){.front = true}, NULL);
        fixture_draw(&f, &one, 1);
        for (uint32_t y = 0; y < SIZE; y++)
            for (uint32_t x = 0; x < SIZE; x++) {
                const float z = float_at(&f.targets.zeta, x, y, 0);
                const float from_x = (float)x + 0.5f - e[0], from_y = (float)y + 0.5f - e[1];
                const float t = i % 5 == 0 ? (from_x * dx + from_y * dy) / (dx * dx + dy * dy)
                                : x_major  ? from_x / dx
                                           : from_y / dy;
                if (z != 0 && fabsf(z - (0.25f + 0.5f * t)) > 1e-5f)
                    fail_msg("line %zu, width %zu: %g at %u, %u, not %g", i / 5, i % 5 + 1, z, x, y,
                             0.25f + 0.5f * t);
                drawn += z != 0;
            }
        assert_true(drawn >= 10 * (i % 5 + 1));
    }
}
