/* tp_dispatch: a grid's blocks on several threads give what one thread gives; bound ranges, limits
 * and failures as the caller sees them.
 */
#include "include/teslapipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct machine {
    tp_device *device;
    tp_context *context;
};

static void machine_open(struct machine *m, int threads) {
    const struct tp_device_info info = {.chip = TP_CHIP_G200, .threads = threads};
    assert_int_equal(tp_device_create(&info, &m->device), TP_OK);
    assert_int_equal(tp_context_create(m->device, &m->context), TP_OK);
}

static void machine_close(struct machine *m) {
    tp_context_destroy(m->context);
    tp_device_destroy(m->device);
}

static tp_program *bind_text(struct machine *m, const char *text) {
    tp_program *p;
    if (tp_program_from_text(m->device, TP_COMPUTE, text, "test.cp", &p) != TP_OK)
        fail_msg("%s", tp_message(m->device));
    assert_int_equal(tp_bind_program(m->context, TP_COMPUTE, p), TP_OK);
    return p;
}

static tp_buffer *bind_buffer(struct machine *m, unsigned slot, const void *data, uint64_t size) {
    tp_buffer *b;
    assert_int_equal(tp_buffer_create(m->device, size, data, &b), TP_OK);
    assert_int_equal(tp_bind_global(m->context, slot, b, 0, size), TP_OK);
    return b;
}

/* Blocks on different threads add to the same counters. */
static void test_histogram(void **state) {
    (void)state;
    enum { N = 100000 };
    uint8_t *data = malloc(N);
    uint32_t expected[256] = {0}, counts[256];
    for (uint32_t i = 0; i < N; i++) {
        data[i] = (uint8_t)(i * i >> 7);
        expected[data[i]]++;
    }
    for (int threads = 1; threads <= 5; threads += 2) {
        struct machine m;
        tp_program *p;
        machine_open(&m, threads);
        if (tp_program_from_file(m.device, "demos/programs/compute/histogram.cp", &p) != TP_OK)
            fail_msg("%s", tp_message(m.device));
        assert_int_equal(tp_bind_program(m.context, TP_COMPUTE, p), TP_OK);
        tp_buffer *in = bind_buffer(&m, 0, data, N), *out = bind_buffer(&m, 1, NULL, 1024);
        const uint32_t grid[2] = {40, 1}, block[3] = {96, 1, 1}, size = N;
        assert_int_equal(tp_dispatch(m.context, grid, block, &size, 1), TP_OK);
        assert_int_equal(tp_finish(m.context), TP_OK);
        assert_int_equal(tp_buffer_read(m.context, out, 0, counts, sizeof counts), TP_OK);
        assert_memory_equal(counts, expected, sizeof expected);
        struct tp_statistics s;
        assert_int_equal(tp_get_statistics(m.context, &s), TP_OK);
        assert_int_equal(s.compute_warps, 40 * 3);
        assert_int_equal(s.bad_reads + s.bad_writes, 0);
        tp_buffer_destroy(in);
        tp_buffer_destroy(out);
        tp_program_destroy(p);
        machine_close(&m);
    }
    free(data);
}

/* Every block finds its own number; writes beyond the bound range are dropped and counted. */
static void test_block_ids_and_limits(void **state) {
    (void)state;
    struct machine m;
    machine_open(&m, 3);
    tp_program *p = bind_text(&m, "mov b32 $r1 u16 s[0xe]\nmov b32 $r2 u16 s[0x8]\n"
                                  "mul $r1 u16 $r1l u16 $r2l\nmov b32 $r3 u16 s[0xc]\n"
                                  "add b32 $r1 $r1 $r3\nmov b32 $r2 $r1\nshl b32 $r1 $r1 2\n"
                                  "st b32 g5[$r1] $r2\nexit nop\n");
    tp_buffer *out = bind_buffer(&m, 5, NULL, 4 * 60);
    const uint32_t grid[2] = {9, 7}, block[3] = {1, 1, 1};
    assert_int_equal(tp_dispatch(m.context, grid, block, NULL, 0), TP_OK);
    uint32_t words[60];
    assert_int_equal(tp_buffer_read(m.context, out, 0, words, sizeof words), TP_OK);
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(words[i], i);
    struct tp_statistics s;
    assert_int_equal(tp_get_statistics(m.context, &s), TP_OK);
    assert_int_equal(s.bad_writes, 3);
    tp_buffer_destroy(out);
    tp_program_destroy(p);
    machine_close(&m);
}

static void test_failures(void **state) {
    (void)state;
    struct machine m;
    machine_open(&m, 2);
    const uint32_t grid[2] = {3, 1}, block[3] = {32, 1, 1}, large[3] = {600, 1, 1},
                   none[2] = {0, 1};
    assert_int_equal(tp_dispatch(m.context, grid, block, NULL, 0), TP_ERROR_INVALID);
    tp_program *p = bind_text(&m, "long nop\ntrap\nlong nop\n");
    assert_int_equal(tp_dispatch(m.context, grid, large, NULL, 0), TP_ERROR_INVALID);
    assert_int_equal(tp_dispatch(m.context, none, block, NULL, 0), TP_ERROR_INVALID);
    assert_int_equal(tp_dispatch(m.context, grid, block, NULL, 0), TP_OK);
    assert_int_equal(tp_finish(m.context), TP_ERROR_TRAP);
    assert_non_null(strstr(tp_message(m.device), "TRAP_INSTRUCTION"));
    assert_non_null(strstr(tp_message(m.device), "test.cp"));
    assert_int_equal(tp_finish(m.context), TP_OK); /* told once */
    tp_program_destroy(p);
    machine_close(&m);
}

/* Blocks 0 to 3 take long and block 3 fails; all others fail at once, elsewhere in the code. The
 * failure told is block 3's, whatever thread was first. */
static void test_lowest_failure_is_told(void **state) {
    (void)state;
    char first[256] = "";
    for (int threads = 1; threads <= 4; threads++) {
        struct machine m;
        machine_open(&m, threads);
        tp_program *p = bind_text(&m, "mov b32 $r1 u16 s[0xc]\nmov b32 $r2 3\n"
                                      "mov b32 $r3 20000\nmov b32 $r4 1\n"
                                      "sub b32 $c0 # $r1 $r2\n(g $c0) bra #quick\n"
                                      "loop: sub b32 $c1 $r3 $r3 $r4\n(lg $c1) bra #loop\n"
                                      "(e $c0) bra #slow\nexit nop\n"
                                      "quick: long trap\n"
                                      "slow: long trap\n");
        const uint32_t grid[2] = {64, 1}, block[3] = {32, 1, 1};
        assert_int_equal(tp_dispatch(m.context, grid, block, NULL, 0), TP_OK);
        assert_int_equal(tp_finish(m.context), TP_ERROR_TRAP);
        if (threads == 1)
            snprintf(first, sizeof first, "%s", tp_message(m.device));
        assert_non_null(strstr(tp_message(m.device), "TRAP_INSTRUCTION at 0x58"));
        assert_string_equal(tp_message(m.device), first);
        tp_program_destroy(p);
        machine_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_block_ids_and_limits),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_lowest_failure_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
