/* Copies of rectangles of bytes: each byte lands where surface_offset() says, and no other byte
 * changes, for whole copies and for copies in parts. Bytes outside of memory are skipped, of linear
 * surfaces whole rows. Overlapping copies are made in order. */
#include "base/copy.h"
#include "tests/test.h"
#include "tests/shapes.h"

/* A surface with tiles of at most `highest` (tile_h) and `deepest` (tile_d). */
static struct surface random_surface(uint32_t highest, uint32_t deepest) {
    struct surface s = SURFACE(FORMAT_R8_UNORM, 200 + random_below(200), 40 + random_below(60),
                               1 + random_below(3), .is_3d = true, .linear = random_below(3) == 0,
                               .tile_h = (uint8_t)random_below(highest + 1),
                               .tile_d = (uint8_t)random_below(deepest + 1));
    s.pitch = random_below(2) ? s.width + random_below(100) : (s.width + 63) & ~63u;
    s.depth = s.linear ? 1 : s.depth;
    s.size = surface_layer_bytes(&s);
    s.data = aligned_alloc(64, (s.size + 63) & ~UINT64_C(63)); /* whole lines, as in GPU memory */
    assert_non_null(s.data);
    for (uint64_t i = 0; i < s.size; i++)
        s.data[i] = (uint8_t)random_below(256);
    return s;
}

static struct copy_side random_side(const struct surface *s) {
    const uint32_t x = random_below(100);
    return (struct copy_side){s, random_below(2) ? x : x & 64, random_below(20),
                              random_below(s->depth)};
}

/* The rule as a loop over bytes. */
static void copy_bytes(const struct copy_side *to, uint8_t *target, const struct copy_side *from,
                       uint32_t length, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < length; x++) {
            const uint64_t s = surface_offset(from->surface, from->x + x, from->y + y, from->z);
            const uint64_t t = surface_offset(to->surface, to->x + x, to->y + y, to->z);
            if (s < from->surface->size && t < to->surface->size)
                target[t] = from->surface->data[s];
        }
}

/* Copies in two parts, the second part first. `ways`, modulo 9, selects the way of each part. */
static void check_copy(const struct copy_side *to, const struct copy_side *from, uint32_t part,
                       int ways) {
    static const enum copy_way way[3] = {COPY_PLAIN, COPY_STREAMED, COPY_IN_ORDER};
    const uint32_t width = to->surface->width, other = from->surface->width;
    const uint32_t length = 1 + random_below((width < other ? width : other) - 100);
    const uint32_t rows = part + random_below(81 - part);
    const uint64_t size = to->surface->size;
    uint8_t *want = malloc(size);
    memcpy(want, to->surface->data, size);
    copy_bytes(to, want, from, length, rows);
    assert_false(copy_depends_on_order(to, from, length, rows));
    copy_rectangle(to, from, length, part, rows - part, way[ways % 3]);
    copy_rectangle(to, from, length, 0, part, way[ways / 3 % 3]);
    assert_memory_equal(want, to->surface->data, size);
    free(want);
}

TEST(test_random) {
    for (int i = 0; i < 400; i++) {
        struct surface source = random_surface(5, 2), target = random_surface(5, 2);
        const struct copy_side from = random_side(&source), to = random_side(&target);
        check_copy(&to, &from, random_below(81), i);
        free(source.data);
        free(target.data);
    }
}

/* Rows of whole tiles, often of the same size in both surfaces. */
TEST(test_tiles) {
    for (int i = 0; i < 400; i++) {
        struct surface source = random_surface(1, 1), target = random_surface(1, 1);
        struct copy_side from = random_side(&source), to = random_side(&target);
        from.y &= ~7u;
        to.y &= ~7u;
        check_copy(&to, &from, random_below(10) * 8, i);
        free(source.data);
        free(target.data);
    }
}

/* A row of a linear surface is copied only if all of it lies in memory. First the source's memory
 * ends within row 21 of 40, then the target's ends within row 29. */
TEST(test_limits) {
    uint8_t bytes[40 * 64], target[40 * 64] = {0};
    struct surface s = SURFACE(FORMAT_R8_UNORM, 64, 40, 0, .data = bytes, .size = 21 * 64 + 32,
                               .linear = true, .pitch = 64);
    struct surface t = s;
    t.data = target;
    t.size = sizeof target;
    memset(bytes, 7, sizeof bytes);
    copy_rectangle(&(struct copy_side){&t, 0, 0, 0}, &(struct copy_side){&s, 0, 0, 0}, 64, 0, 40,
                   COPY_PLAIN);
    for (int i = 0; i < 40 * 64; i++)
        assert_int_equal(target[i], i < 21 * 64 ? 7 : 0);
    memset(target, 0, sizeof target);
    t.size = 30 * 64 - 1;
    s.size = sizeof bytes;
    copy_rectangle(&(struct copy_side){&t, 0, 0, 0}, &(struct copy_side){&s, 0, 0, 0}, 64, 0, 40,
                   COPY_PLAIN);
    for (int i = 0; i < 40 * 64; i++)
        assert_int_equal(target[i], i < 29 * 64 ? 7 : 0);
}

/* Each row is copied onto the next row. In order, the first row thus reaches all rows. */
TEST(test_order) {
    uint8_t bytes[20 * 100];
    for (int i = 0; i < 20 * 100; i++)
        bytes[i] = (uint8_t)(i / 100);
    struct surface s = SURFACE(FORMAT_R8_UNORM, 100, 20, 0, .data = bytes, .size = sizeof bytes,
                               .linear = true, .pitch = 100);
    const struct copy_side from = {&s, 0, 0, 0}, to = {&s, 0, 1, 0};
    assert_true(copy_depends_on_order(&to, &from, 100, 19));
    copy_rectangle(&to, &from, 100, 0, 19, COPY_IN_ORDER);
    for (int i = 0; i < 20 * 100; i++)
        assert_int_equal(bytes[i], 0);
    struct surface narrow = s, other = s;
    uint8_t elsewhere[20 * 100];
    narrow.pitch = 60;
    other.data = elsewhere;
    assert_true(copy_depends_on_order(&(struct copy_side){&narrow, 0, 0, 0},
                                      &(struct copy_side){&other, 0, 0, 0}, 100, 2));
    assert_false(copy_depends_on_order(&(struct copy_side){&other, 0, 0, 0},
                                       &(struct copy_side){&narrow, 0, 0, 0}, 100, 2));
}
