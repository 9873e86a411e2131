/* Memory of native code: nothing is writable and executable, code that is freed makes room for other code and
 * harms none, a process that was forked off leaves its parent's code alone.
 */
#define _GNU_SOURCE
#include "tests/warp_case.h"

#include <sys/wait.h>
#include <unistd.h>

/* o[0] is the lane's number plus a constant, after enough instructions to fill more than a page. */
static void open_sum(struct warp_case *c, struct native *native, uint32_t number) {
    char text[4096];
    int at = 0;
    for (int i = 0; i < 40; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "add b32 $r0 $r0 0x%x\n", number + 1);
    snprintf(text + at, sizeof text - (size_t)at, "mov b32 o[0x0] $r0\nexit nop\n");
    case_open(c, PROGRAM_VP, text);
    c->env.native = native;
}

static void run_sum(struct warp_case *c, uint32_t number) {
    warp_start(c->w, &c->env, LANES_ALL, 0);
    c->w->r[0] = lanes_iota();
    case_run(c);
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(c->out[0][lane], lane + 40 * (number + 1));
}

static uint64_t programs_of(struct native *native) {
    struct native_statistics s;
    native_get_statistics(native, &s);
    return s.programs;
}

static struct native *service(void) {
    if (!native_usable())
        skip();
    struct native *native = native_create(simd_best());
    assert_non_null(native);
    return native;
}

/* Mappings of no file of the disk that can be executed; fails for one that can be written, too. */
static int executable_mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[512], access[8], path[256];
    int count = 0;
    while (fgets(line, sizeof line, maps)) {
        path[0] = 0;
        assert_true(sscanf(line, "%*s %7s %*s %*s %*s %255s", access, path) >= 1);
        const bool executable = strchr(access, 'x') != NULL;
        assert_false(executable && strchr(access, 'w'));
        count += executable && (!path[0] || strstr(path, "/dev/zero"));
    }
    fclose(maps);
    return count;
}

static void test_never_both(void **state) {
    (void)state;
    const int before = executable_mappings();
    struct native *native = service();
    struct warp_case c;
    open_sum(&c, native, 1);
    run_sum(&c, 1);
    assert_int_equal(programs_of(native), 1);
    assert_int_equal(executable_mappings(), before + 1);
    case_close(&c);
    native_destroy(native);
    assert_int_equal(executable_mappings(), before);
}

/* More code than what is got at first; every third freed, others in their places, all of them right. */
static void test_places(void **state) {
    (void)state;
    enum { COUNT = 150 };
    static struct warp_case c[COUNT];
    struct native *native = service();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            if (round && i % 3 != round)
                continue;
            if (round)
                case_close(&c[i]);
            open_sum(&c[i], native, round * COUNT + i);
            run_sum(&c[i], round * COUNT + i);
        }
        for (uint32_t i = 0; i < COUNT; i++)
            run_sum(&c[i], (i % 3 && i % 3 <= round ? i % 3 : 0) * COUNT + i);
    }
    assert_int_equal(programs_of(native), COUNT + 2 * COUNT / 3);
    for (uint32_t i = 0; i < COUNT; i++)
        case_close(&c[i]);
    native_destroy(native);
}

static void in_child(struct warp_case *old, struct native *native) {
    struct warp_case other;
    run_sum(old, 1);
    open_sum(&other, native, 7);
    run_sum(&other, 7);
    assert_int_equal(programs_of(native), 1);
    case_close(old);
    case_close(&other);
    native_destroy(native);
}

static void test_forked(void **state) {
    (void)state;
    struct native *native = service();
    struct warp_case c, more;
    open_sum(&c, native, 1);
    run_sum(&c, 1);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        in_child(&c, native); /* a failure ends the test in the child, with another status than that */
        _exit(42);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    run_sum(&c, 1);
    open_sum(&more, native, 2);
    run_sum(&more, 2);
    assert_int_equal(programs_of(native), 2);
    case_close(&c);
    case_close(&more);
    native_destroy(native);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_both),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_forked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
