/* GPU memory against a simple model, over random allocations and frees; zeroed pages; shared files;
 * several threads at once; the arena. */
#define _GNU_SOURCE
#include "base/arena.h"
#include "base/memory.h"
#include "tests/test.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <unistd.h>

static int memfd(void) {
    return memfd_create("test", 0);
}

TEST(test_basics) {
    struct gpu_memory *m = memory_create(1ull << 36, -1); /* 64 GiB of addresses */
    assert_non_null(m);
    const uint64_t a = memory_alloc(m, 1000, 0), b = memory_alloc(m, 1ull << 33, 65536);
    assert_true(a && b && a % 256 == 0 && b % 65536 == 0);
    assert_int_equal(memory_extent(m, a), 1000);
    assert_int_equal(memory_extent(m, a + 999), 1);
    assert_int_equal(memory_extent(m, a + 1000), 0);
    assert_int_equal(memory_extent(m, 0), 0);
    assert_int_equal(memory_extent(m, UINT64_MAX), 0);
    assert_non_null(memory_at(m, a, 1000));
    assert_null(memory_at(m, a, 1001));
    assert_null(memory_at(m, a + 1, 1000));
    assert_null(memory_at(m, b, UINT64_MAX));
    memory_free(m, a + 256); /* not the start of a range: the call does nothing */
    assert_int_equal(memory_extent(m, a), 1000);
    memory_free(m, 0);
    uint64_t now, peak;
    memory_usage(m, &now, &peak);
    assert_int_equal(now, 1000 + (1ull << 33));
    memory_free(m, b);
    memory_usage(m, &now, &peak);
    assert_int_equal(now, 1000);
    assert_int_equal(peak, 1000 + (1ull << 33));
    assert_int_equal(memory_alloc(m, 0, 0), 0);
    assert_int_equal(memory_alloc(m, 1ull << 37, 0), 0);
    assert_int_equal(memory_alloc(m, UINT64_MAX - 5, 0), 0);
    assert_int_equal(memory_alloc(m, 100, 3), 0);
    assert_int_equal(memory_alloc(m, 100, 1ull << 63), 0);
    memory_destroy(m);
    assert_null(memory_create(0, -1));
    assert_null(memory_create(UINT64_MAX, -1));
    memory_destroy(NULL);
}

struct owned {
    uint64_t address, size;
    uint8_t value;
};

/* Ranges never overlap, start zeroed and keep their contents. Freed space is used again. */
static void random_use(int fd) {
    enum { SLOTS = 200 };
    struct gpu_memory *m = memory_create(64 << 20, fd);
    struct owned slot[SLOTS] = {{0}};
    assert_non_null(m);
    for (int n = 0; n < 20000; n++) {
        struct owned *o = &slot[random_word() % SLOTS];
        if (o->address) {
            const uint8_t *p = memory_at(m, o->address, o->size);
            assert_non_null(p);
            assert_int_equal(p[0], o->value);
            assert_int_equal(p[o->size / 2], o->value);
            assert_int_equal(p[o->size - 1], o->value);
            memory_free(m, o->address);
            assert_null(memory_at(m, o->address, 1));
            *o = (struct owned){0};
            continue;
        }
        o->size = 1 + random_word() % (random_word() & 7 ? 2000 : 300000);
        o->value = (uint8_t)(1 + random_word() % 255);
        o->address = memory_alloc(m, o->size, 1ull << (random_word() % 17));
        if (!o->address)
            continue;
        uint8_t *p = memory_at(m, o->address, o->size);
        for (uint64_t i = 0; i < o->size; i++)
            assert_int_equal(p[i], 0);
        memset(p, o->value, o->size);
    }
    for (int i = 0; i < SLOTS; i++)
        memory_free(m, slot[i].address);
    uint64_t now, peak;
    memory_usage(m, &now, &peak);
    assert_int_equal(now, 0);
    /* the memory is one free range again */
    assert_int_not_equal(memory_alloc(m, (64 << 20) - 65536, 65536), 0);
    memory_destroy(m);
}

TEST(test_random) {
    random_use(-1);
    const int fd = memfd();
    random_use(fd);
    close(fd);
}

TEST(test_shared_file) {
    const int fd = memfd();
    struct gpu_memory *m = memory_create(1 << 20, fd);
    const uint64_t a = memory_alloc(m, 8192, 4096);
    memcpy(memory_at(m, a, 5), "hello", 5);
    char seen[5];
    assert_int_equal(pread(fd, seen, 5, (off_t)a), 5);
    assert_memory_equal(seen, "hello", 5);
    memory_free(m, a);
    assert_int_equal(pread(fd, seen, 5, (off_t)a), 5);
    assert_memory_equal(seen, "\0\0\0\0\0", 5);
    memory_destroy(m);
    close(fd);
}

/* Freed pages go back to the system: allocations of 100 GB, one after the other, need less than 1
 * GB of the host's memory. */
TEST(test_pages_return) {
    struct gpu_memory *m = memory_create(1ull << 34, -1);
    for (int i = 0; i < 2000; i++) {
        const uint64_t size = 50ull << 20, a = memory_alloc(m, size, 0);
        uint8_t *p = memory_at(m, a, size);
        assert_int_equal(p[(uint64_t)i * 4096], 0);
        p[(uint64_t)i * 4096] = 1;
        memory_free(m, a);
    }
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    memory_destroy(m);
    assert_true(use.ru_maxrss < 1 << 20); /* KiB */
}

/* Pages of small freed ranges are kept for the next allocation, up to a limit. */
TEST(test_kept_pages) {
    enum { RANGES = 60, RANGE = 4 << 20, FEW = 4 };
    const int fd = memfd();
    struct gpu_memory *m = memory_create(1ull << 30, fd);
    for (int few = 1; few >= 0; few--) {
        const int n = few ? FEW : RANGES;
        uint64_t a[RANGES];
        for (int i = 0; i < n; i++) {
            a[i] = memory_alloc(m, RANGE, 0);
            memset(memory_at(m, a[i], RANGE), 1, RANGE);
        }
        for (int i = 0; i < n; i++)
            memory_free(m, a[i]);
        struct stat st;
        assert_int_equal(fstat(fd, &st), 0);
        const uint64_t kept = (uint64_t)st.st_blocks * 512;
        assert_true(few ? kept >= FEW * RANGE : kept <= 64 << 20);
    }
    /* pages that are taken again are no longer counted as kept */
    for (int i = 0; i < RANGES; i++) {
        const uint64_t again = memory_alloc(m, RANGE, 0);
        struct stat st;
        memset(memory_at(m, again, RANGE), 1, RANGE);
        memory_free(m, again);
        assert_int_equal(fstat(fd, &st), 0);
        assert_true((uint64_t)st.st_blocks * 512 >= RANGE);
    }
    memory_destroy(m);
    close(fd);
}

static void *churn(void *arg) {
    struct gpu_memory *m = arg;
    for (int i = 0; i < 3000; i++) {
        const uint64_t a = memory_alloc(m, 5000, 256);
        uint8_t *p = memory_at(m, a, 5000);
        if (!p || p[17])
            return (void *)"not zero";
        p[17] = 1;
        if (memory_extent(m, a + 17) != 4983)
            return (void *)"extent";
        memory_free(m, a);
    }
    return NULL;
}

TEST(test_threads) {
    struct gpu_memory *m = memory_create(1 << 26, -1);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, churn, m), 0);
    for (int i = 0; i < 4; i++) {
        void *bad = NULL;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
    memory_destroy(m);
}

TEST(test_arena) {
    struct arena a;
    arena_init(&a);
    uint8_t *p[300];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++) {
            const size_t size = i == 50 ? 1 << 20 : (size_t)i * 37;
            p[i] = arena_alloc(&a, size);
            assert_non_null(p[i]);
            assert_int_equal((uintptr_t)p[i] % 64, 0);
            memset(p[i], i, size);
        }
        for (int i = 1; i < 300; i++)
            assert_true(p[i][0] == (uint8_t)i && p[i][i * 37 - 1] == (uint8_t)i);
        arena_reset(&a);
    }
    assert_null(arena_alloc(&a, SIZE_MAX));
    arena_free(&a);
    arena_free(&a);
}

/* A lookup with a hint gives the result of a lookup without it, after any allocations and frees. */
TEST(test_hints) {
    struct gpu_memory *m = memory_create(1ull << 32, -1);
    struct memory_hint hint = {0};
    uint64_t at[8] = {0};
    for (int i = 0; i < 20000; i++) {
        uint64_t *a = &at[random_word() % 8];
        if (random_word() % 8 == 0) {
            memory_free(m, *a);
            *a = random_word() % 4 ? memory_alloc(m, 1 + random_word() % 3000, 0) : 0;
        }
        const uint64_t address = *a + random_word() % 3000, size = 1 + random_word() % 300;
        assert_ptr_equal(memory_near(m, &hint, address, size), memory_at(m, address, size));
    }
    memory_destroy(m);
}
