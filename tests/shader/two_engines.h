/* Compares everything that a warp leaves behind, interpreted and as native code, on the worlds of
 * tests/fuzz/fuzz_exec.c. For the differential tests. */
#ifndef TESTS_TWO_ENGINES_H
#define TESTS_TWO_ENGINES_H

#include "tests/test.h"

#define LLVMFuzzerTestOneInput fuzz_exec
#include "tests/fuzz/fuzz_exec.c"
#undef LLVMFuzzerTestOneInput

#include "shader/isa/isa.h"
#include "tests/shader/test_native.h"

#define SAME(member)                                                                               \
    do {                                                                                           \
        if (memcmp(&a->member, &b->member, sizeof a->member))                                      \
            return #member;                                                                        \
    } while (0)

/* True if the rows agree in all launched lanes. The other lanes are undefined. */
static bool same_rows(const u32x32 *a, const u32x32 *b, lane_mask launched) {
    return !(lanes_to_mask((u32x32)(*a != *b)) & launched);
}

static bool same_flags(const struct flags *a, const struct flags *b, lane_mask launched) {
    return !(((a->z ^ b->z) | (a->s ^ b->s) | (a->c ^ b->c) | (a->o ^ b->o)) & launched);
}

/* The name of the first part in which two warps that ran the same program differ, or NULL. */
static const char *difference(const struct warp *a, const struct warp *b) {
    static char text[64];
    char error[2][128];
    for (int i = 0; i <= WARP_REGS; i++) {
        snprintf(text, sizeof text, "$r%d", i);
        if (!same_rows(&a->r[i], &b->r[i], a->launched))
            return text;
    }
    for (int i = 0; i < 8; i++)
        if (!same_rows(&a->a[i], &b->a[i], a->launched))
            return "$a";
    for (int i = 0; i < 4; i++)
        if (!same_flags(&a->c[i], &b->c[i], a->launched))
            return "$c";
    SAME(active);
    SAME(dead);
    SAME(exited);
    SAME(stack_top);
    SAME(limited_calls);
    SAME(wait_barrier);
    SAME(stats.instructions);
    SAME(stats.lane_instructions);
    SAME(stats.bad_reads);
    SAME(stats.bad_writes);
    for (int i = 0; i < PRED_TRUE; i++)
        if ((a->fermi.p[i] ^ b->fermi.p[i]) & a->launched)
            return "$p";
    SAME(executed);
    warp_error_print(&a->error, error[0], sizeof error[0]);
    warp_error_print(&b->error, error[1], sizeof error[1]);
    return strcmp(error[0], error[1]) ? "error" : NULL;
}

static void check_same(const struct warp *interpreted, const struct warp *compiled, uint64_t seed) {
    const char *what = difference(interpreted, compiled);
    if (what)
        fail_msg("TESLAPIPE_SEED=%llu: results differ in %s", (unsigned long long)seed, what);
}

static bool same_memory(const struct memory *a, const struct memory *b, lane_mask launched) {
    if (!a->rows)
        return memcmp(a->data, b->data, a->size) == 0;
    const u32x32 *x = a->data, *y = b->data;
    for (size_t i = 0; i < a->size / sizeof *x; i++)
        if (!same_rows(&x[i], &y[i], launched))
            return false;
    return true;
}

static void compare_worlds(const struct world *a, const struct world *b, uint64_t seed) {
    const char *what = a->calls != b->calls ? "calls of ports" : NULL;
    if (memcmp(&a->stats, &b->stats, sizeof a->stats))
        fail_msg("TESLAPIPE_SEED=%llu: instructions %llu %llu, lanes %llu %llu, reads %llu %llu, "
                 "writes %llu %llu",
                 (unsigned long long)seed, (unsigned long long)a->stats.instructions,
                 (unsigned long long)b->stats.instructions,
                 (unsigned long long)a->stats.lane_instructions,
                 (unsigned long long)b->stats.lane_instructions,
                 (unsigned long long)a->stats.bad_reads, (unsigned long long)b->stats.bad_reads,
                 (unsigned long long)a->stats.bad_writes, (unsigned long long)b->stats.bad_writes);
    for (int i = 1; i < a->block_count; i++) /* warp 0 is the compared warp itself */
        if (!same_memory(&a->block[i], &b->block[i], a->setup.launched))
            what = "memory";
    for (uint32_t i = 1; a->memory && i <= BUFFERS; i++)
        if (memcmp(memory_at(a->memory, i * BUFFER_AT, BUFFER_SIZE),
                   memory_at(b->memory, i * BUFFER_AT, BUFFER_SIZE), BUFFER_SIZE))
            what = "GPU memory";
    char error[2][128];
    warp_error_print(&a->error, error[0], sizeof error[0]);
    warp_error_print(&b->error, error[1], sizeof error[1]);
    if (strcmp(error[0], error[1]))
        fail_msg("TESLAPIPE_SEED=%llu: first: %s; second: %s", (unsigned long long)seed, error[0],
                 error[1]);
    if (what)
        fail_msg("TESLAPIPE_SEED=%llu: results differ in %s", (unsigned long long)seed, what);
}

/* True if the program lets lanes run that were not launched (quadon), or reads neighbours. Such a
 * program needs whole quads. code: instructions of 8 bytes. */
static inline bool uses_quads(const void *code, size_t size, struct isa_target target) {
    for (size_t at = 0; at + 8 <= size; at += 8) {
        uint32_t w[2];
        struct op op;
        memcpy(w, (const char *)code + at, sizeof w);
        isa_decode(target, w, 2, (uint32_t)at, &op);
        if (op.code == OP_QUADON || op.code == OP_QUADOP)
            return true;
    }
    return false;
}

static inline lane_mask quads_of_lanes(lane_mask m) {
    return ((m | m >> 1 | m >> 2 | m >> 3) & 0x11111111) * 15;
}

/* Runs two inputs that differ at most in their level, each natively if it has a service. Both start
 * with the rows of `start`, or without rows. Returns how many instructions were executed. */
static inline uint64_t compare_runs(const void *const input[2], size_t size,
                                    struct native *const native[2], const struct start_rows *start,
                                    uint64_t seed) {
    struct world world[2] = {{.calls = 1, .start = start}, {.calls = 1, .start = start}};
    struct warp *w[2];
    for (int i = 0; i < 2; i++) {
        w[i] = take(&world[i], sizeof *w[i]);
        memset(w[i], 0, sizeof *w[i]);
        assert_true(world_run(&world[i], input[i], size, native[i], w[i]));
    }
    compare_worlds(&world[0], &world[1], seed);
    check_same(w[0], w[1], seed);
    const uint64_t instructions = world[0].stats.instructions;
    for (int i = 0; i < 2; i++) {
        warp_free(w[i]);
        world_free(&world[i]);
    }
    return instructions;
}

/* Runs an input of fuzz_exec with both engines at its level, and interpreted at the base level. */
static inline uint64_t compare_started(const void *input, size_t size,
                                       const struct start_rows *start, uint64_t seed) {
    static uint8_t base[SETUP + 4 * MAX_WORDS];
    struct setup setup;
    memcpy(&setup, input, SETUP);
    if (setup.level % (simd_best() + 1)) {
        const size_t most = size < sizeof base ? size : sizeof base;
        memcpy(base, input, most);
        base[offsetof(struct setup, level)] = SIMD_BASE;
        compare_runs((const void *[]){base, input}, most, (struct native *[]){NULL, NULL}, start,
                     seed);
    }
    struct native *const native = test_native_get(setup.level % (simd_best() + 1));
    return compare_runs((const void *[]){input, input}, size, (struct native *[]){NULL, native},
                        start, seed);
}

static inline uint64_t compare_engines(const void *input, size_t size, uint64_t seed) {
    return compare_started(input, size, NULL, seed);
}

static inline uint32_t special_word(uint32_t kind) {
    static const uint32_t words[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                     0xff800000, 0x7fc12345, 0x7f800001, 1,          0xffffffff,
                                     0x7fffffff, 0x00800000, 0x807fffff, 0x4b000001, 0x3effffff,
                                     0xffff8000, 0x00007fff, 0x4f000000};
    return words[kind % (sizeof words / sizeof *words)];
}

/* Fills rows with large and small integers, floats near 1, special values, and random bits. */
static inline void fill_start(struct start_rows *s) {
    for (uint32_t i = 0; i < WARP_REGS; i++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t v = random_word();
            const uint32_t kind = random_below(8);
            s->r[i][lane] = kind < 2   ? v
                            : kind < 4 ? (v & 0x80ffffff) | (0x7c + (v >> 24 & 7)) << 23
                            : kind < 6 ? v & 0xff
                                       : special_word(v);
        }
    for (uint32_t i = random_below(8); i < WARP_REGS; i += 2 + random_below(8)) {
        const uint32_t at = (1 + random_below(BUFFERS)) * BUFFER_AT + random_below(64) * 4;
        const uint32_t stride = random_below(4) ? 4u << random_below(3) : random_below(8);
        s->r[i & ~1u] = lanes_iota() * stride + at; /* addresses of GPU memory */
        s->r[i | 1] = lanes_splat(0);
    }
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            s->a[i][lane] = random_below(64) * (i % 2 ? 4 : 1);
    for (uint32_t i = 0; i < 4; i++)
        s->c[i] = (struct flags){random_word(), random_word(), random_word(), random_word()};
    for (uint32_t i = 0; i < PRED_TRUE; i++)
        s->p[i] = random_word();
}

#endif
