/* GPU memory when the host's memory is exhausted: frees succeed, so that no range is lost. */
#include "base/memory.h"
#include "tests/failing_allocator.h"
#include "tests/random.h"
#include "tests/test.h"

enum { SIZE = 64 << 20, PIECE = 4096, PIECES = 2000 };

/* Frees every other range, so that there are as many free ranges as possible. Then frees the
 * remaining ranges. */
TEST(test_frees_without_memory) {
    static uint64_t address[PIECES];
    uint64_t now, peak, seed = 1;
    struct gpu_memory *m = memory_create(SIZE, -1);
    assert_non_null(m);
    for (int i = 0; i < PIECES; i++) {
        address[i] = memory_alloc(m, PIECE - 256 * (uint32_t)(random_next(&seed) % 8), PIECE);
        assert_int_not_equal(address[i], 0);
        memset(memory_at(m, address[i], 100), 0xee, 100);
    }
    for_good = true;
    left = 0;
    for (int odd = 1; odd >= 0; odd--)
        for (int i = odd; i < PIECES; i += 2)
            memory_free(m, address[i]);
    left = -1;
    memory_usage(m, &now, &peak);
    assert_int_equal(now, 0);
    const uint64_t all = memory_alloc(m, SIZE - PIECE, PIECE);
    assert_int_equal(all, PIECE);
    for (int i = 0; i < PIECES; i++) {
        static const uint8_t zeros[100];
        assert_memory_equal(memory_at(m, address[i], 100), zeros, 100);
    }
    memory_destroy(m);
}
