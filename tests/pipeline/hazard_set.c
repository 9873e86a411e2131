/* Sets of address ranges: neighbouring ranges become one, others stay separate as long as there is
 * room, and an added address is always found later. */
#include "pipeline/scene/hazard_set.h"
#include "tests/test.h"

/* Many small buffers, 128 bytes apart, as drivers make them. */
TEST(test_neighbours) {
    struct hazard_set set = {.count = 0};
    for (uint64_t i = 0; i < 1500; i++) {
        assert_false(hazard_meets(&set, 0x10000 + i * 128, 64));
        hazard_add(&set, 0x10000 + i * 128, 64);
    }
    assert_int_equal(set.count, 1);
    hazard_add(&set, 0x10000 - 64, 64); /* extends the range downwards */
    assert_int_equal(set.count, 1);
    assert_true(hazard_meets(&set, 0x10000 - 1, 1));
    assert_false(hazard_meets(&set, 0x10000 - 65, 1));
    hazard_clear(&set);
    assert_false(hazard_meets(&set, 0x10000, 64));
}

/* Small buffers added in any order become one range. */
TEST(test_any_order) {
    enum { MANY = 200 };
    struct hazard_set set = {.count = 0};
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t at = 0x10000 + i * 77 % MANY * 128;
        assert_false(hazard_meets(&set, at, 64));
        hazard_add(&set, at, 64);
        assert_true(hazard_meets(&set, at, 64));
    }
    assert_int_equal(set.count, 1);
}

/* A buffer that lies between two ranges meets neither range. */
TEST(test_between) {
    struct hazard_set set = {.count = 0};
    hazard_add(&set, 0x1000, 128);
    hazard_add(&set, 0x1100, 128);
    assert_int_equal(set.count, 2);
    assert_false(hazard_meets(&set, 0x1080, 128));
}

/* More ranges than there is room for, in an order without neighbours. */
TEST(test_full) {
    enum { MANY = HAZARD_RANGES + 100 };
    struct hazard_set set = {.count = 0};
    for (uint64_t i = 0; i < MANY; i++)
        hazard_add(&set, i * 7 % MANY * 0x1000 + 0x100000, 16);
    assert_int_equal(set.count, HAZARD_RANGES);
    for (uint64_t i = 0; i < MANY; i++)
        assert_true(hazard_meets(&set, i * 0x1000 + 0x100000 + 8, 4));
    assert_false(hazard_meets(&set, 0x100000 - 16, 16));
    /* the set does not contain everything */
    assert_false(hazard_meets(&set, UINT64_C(0x100000000), 16));
}
