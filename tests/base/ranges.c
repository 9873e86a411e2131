/* Sets of ranges against a map with a byte per unit, and the cost of many ranges. */
#include "base/ranges.h"
#include "tests/random.h"
#include "tests/test.h"

#include <string.h>
#include <time.h>

enum { UNITS = 400, FIRST = 16 };

/* The expected range at or after an address, from a map with a byte per unit: 1 where a range is.
 * Neighbours that touch are one range. */
static struct range after_in(const uint8_t *map, uint64_t address) {
    uint64_t at = address < FIRST ? FIRST : address, begin, end;
    while (at < UNITS && !map[at])
        at++;
    if (at >= UNITS)
        return (struct range){0, 0};
    for (begin = at; begin > FIRST && map[begin - 1];)
        begin--;
    for (end = at; end < UNITS && map[end];)
        end++;
    return (struct range){begin, end - begin};
}

static struct range before_in(const uint8_t *map, uint64_t address) {
    struct range found = {0, 0};
    for (struct range r = after_in(map, 0); r.size && r.address < address;
         r = after_in(map, r.address + r.size))
        found = r;
    return found;
}

static uint64_t fit_in(const uint8_t *map, uint64_t size, uint64_t align) {
    for (uint64_t at = FIRST; at + size <= UNITS; at++)
        if (at % align == 0 && !memchr(map + at, 0, size))
            return at;
    return 0;
}

static void same(struct range a, struct range b) {
    assert_int_equal(a.size, b.size);
    if (a.size)
        assert_int_equal(a.address, b.address);
}

TEST(test_against_a_map) {
    static uint8_t map[UNITS];
    struct range_set s = {0};
    uint64_t seed = 3;
    for (int n = 0; n < 60000; n++) {
        const uint64_t at = FIRST + random_next(&seed) % (UNITS - FIRST);
        const uint64_t most = 1 + random_next(&seed) % 24, size = at + most <= UNITS ? most : 1;
        assert_true(ranges_reserve(&s, 1));
        if (!memchr(map + at, 1, size)) {
            ranges_merge(&s, (struct range){at, size});
            memset(map + at, 1, size);
        } else if (!memchr(map + at, 0, size)) {
            ranges_take(&s, at, size);
            memset(map + at, 0, size);
        }
        if (n % 5000 == 4999) {
            ranges_clear(&s);
            memset(map, 0, sizeof map);
            assert_int_equal(s.count, 0);
        }
        same(ranges_after(&s, at), after_in(map, at));
        same(ranges_before(&s, at), before_in(map, at));
        const uint64_t align = UINT64_C(1) << random_next(&seed) % 6;
        assert_int_equal(ranges_fit(&s, most, align), fit_in(map, most, align));
    }
    ranges_free(&s);
}

/* Many ranges, in any order, cost little time. A linear search would take minutes. */
TEST(test_many) {
    enum { MANY = 300000 };
    struct range_set s = {0};
    const clock_t begun = clock();
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t at = 1000 + (i * 7919 % MANY) * 16;
        assert_true(ranges_reserve(&s, 1));
        ranges_merge(&s, (struct range){at, 8});
    }
    assert_int_equal(s.count, MANY);
    assert_int_equal(ranges_fit(&s, 9, 1), 0);
    for (uint64_t i = 0; i < MANY; i++)
        ranges_remove(&s, ranges_fit(&s, 8, 1));
    assert_int_equal(s.count, 0);
    assert_true(clock() - begun < 20 * (clock_t)CLOCKS_PER_SEC);
    ranges_free(&s);
}
