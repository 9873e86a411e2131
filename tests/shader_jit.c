/* The JIT as a service (shader/jit/jit.c), with a compiler of this test's own in place of LLVM's:
 * who is compiled when, how often, and how long the code lives. Its code only counts its calls and
 * leaves the work to the interpreter, so that results stay right.
 */
#include "shader/jit/compiler.h"
#include "tests/warp_case.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the compiler ---- */

struct compiler {
    enum simd_level simd;
};
struct compiled_code {
    struct compiler *compiler;
};

/* All atomic. */
static struct {
    int created, destroyed, compiled, freed;
    int calls;     /* of compiled code */
    int compiling; /* now */
    bool missing;  /* there is no LLVM */
    bool closed;   /* compiling goes on when this is false */
} fake;

#define GET(member) __atomic_load_n(&fake.member, __ATOMIC_SEQ_CST)
#define SET(member, value) __atomic_store_n(&fake.member, value, __ATOMIC_SEQ_CST)
#define ADD(member, value) __atomic_add_fetch(&fake.member, value, __ATOMIC_SEQ_CST)

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

struct compiler *compiler_create(enum simd_level simd, char *error, size_t error_size) {
    struct compiler *c = GET(missing) ? NULL : malloc(sizeof *c);
    if (!c) {
        snprintf(error, error_size, "no library");
        return NULL;
    }
    ADD(created, 1);
    c->simd = simd;
    return c;
}

bool compiler_open(char *error, size_t error_size) {
    (void)error, (void)error_size;
    return true;
}

void compiler_destroy(struct compiler *c) {
    ADD(destroyed, c != NULL);
    free(c);
}

static enum warp_status count_call(struct warp *w, const struct warp_env *env) {
    (void)w, (void)env;
    ADD(calls, 1);
    return WARP_RUNNING;
}

/* Programs that execute a trap do not compile. */
jit_fn *compiler_compile(struct compiler *c, const struct program *p, uint32_t mode,
                         struct compiled_code **code, char *error, size_t error_size) {
    (void)mode;
    ADD(compiling, 1);
    while (GET(closed))
        nap();
    ADD(compiled, 1);
    *code = p->ops[0].code == OP_TRAP ? NULL : malloc(sizeof **code);
    if (*code)
        (*code)->compiler = c;
    else
        snprintf(error, error_size, "a trap");
    ADD(compiling, -1);
    return *code ? count_call : NULL;
}

void compiler_free_code(struct compiler *c, struct compiled_code *code) {
    assert_ptr_equal(code->compiler, c);
    ADD(freed, 1);
    free(code);
}

static int reset(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    return 0;
}

/* ---- programs: a long loop that leaves `result` in $r1 ---- */

enum { LONG = 0x40000 };

static struct program *make_program(uint32_t result, uint32_t loops) {
    char text[256];
    snprintf(text, sizeof text,
             "mov b32 $r1 0x%x\nmov b32 $r2 0x%x\nmov b32 $r3 0xffffffff\n"
             "again: add b32 $c0 $r2 $r2 $r3\n(lg $c0) bra #again\nexit nop\n",
             result, loops);
    return case_program(PROGRAM_CP, ISA_G200, text);
}

static void check_run(struct program *p, struct jit *jit, enum simd_level simd, uint32_t mode,
                      uint32_t result) {
    struct warp *w = case_rows(sizeof *w);
    const struct warp_env env = {.program = p, .simd = simd, .mode = mode, .jit = jit};
    warp_start(w, &env, LANES_ALL, 0);
    assert_int_equal(warp_run(w, &env), WARP_DONE);
    assert_int_equal(w->r[1][5], result);
    warp_free(w);
    free(w);
}

/* Whether running p calls compiled code. */
static bool runs_code(struct program *p, struct jit *jit, uint32_t mode, uint32_t result) {
    const int before = GET(calls);
    check_run(p, jit, SIMD_BASE, mode, result);
    return GET(calls) > before;
}

/* Waits for what the thread does; fails after ten seconds. */
#define WAIT_UNTIL(condition)                                                                      \
    do {                                                                                           \
        int left_ = 10000;                                                                         \
        while (!(condition) && left_-- > 0)                                                        \
            nap();                                                                                 \
        assert_true(condition);                                                                    \
    } while (0)

/* ---- tests ---- */

static void test_only_hot_programs(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, false);
    struct program *cold = make_program(7, 3), *hot = make_program(8, LONG);
    for (int i = 0; i < 10; i++) {
        assert_false(runs_code(cold, jit, 0, 7));
        check_run(hot, NULL, SIMD_BASE, 0, 8);
    }
    assert_int_equal(GET(created), 0); /* nobody asked */
    WAIT_UNTIL(runs_code(hot, jit, 0, 8));
    assert_int_equal(GET(compiled), 1);
    const int before = GET(calls);
    check_run(hot, NULL, SIMD_BASE, 0, 8);
    assert_int_equal(GET(calls), before);
    struct jit_statistics s;
    jit_get_statistics(jit, &s);
    assert_int_equal(s.compiled, 1);
    assert_int_equal(s.failed, 0);
    assert_true(s.nanoseconds > 0);
    program_unref(cold);
    program_unref(hot);
    jit_destroy(jit);
    assert_int_equal(GET(freed), 1);
    assert_int_equal(GET(destroyed), 1);
}

/* Many short runs are as hot as a long one. */
static void test_heat_adds_up(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, false);
    struct program *p = make_program(1, 200);
    int runs = 0;
    while (!GET(compiled) && runs++ < 1000000)
        check_run(p, jit, SIMD_BASE, 0, 1);
    assert_int_equal(GET(compiled), 1);
    assert_true(runs > 10);
    program_unref(p);
    jit_destroy(jit);
}

/* A long run changes over to code that is made meanwhile. */
static void test_change_over(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, false);
    struct program *p = make_program(1, 20 * LONG);
    assert_true(runs_code(p, jit, 0, 1));
    program_unref(p);
    jit_destroy(jit);
}

/* The interpreter does one instruction each time that compiled code gives up. */
static void test_alternates(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, true);
    struct program *p = make_program(1, 4); /* 3 + 4 * 2 + 1 instructions */
    check_run(p, jit, SIMD_BASE, 0, 1);
    assert_in_range(GET(calls), 2, 12);
    program_unref(p);
    jit_destroy(jit);
}

static struct program *variant_of(const struct program *p, int what) {
    struct program_header h = p->header;
    enum program_type type = p->type;
    enum isa_variant variant = p->variant;
    uint32_t base = p->base, entry = p->entry, count = p->word_count;
    uint32_t *words = malloc(4 * count);
    memcpy(words, p->words, 4 * count);
    switch (what) {
    case 0:
        type = PROGRAM_VP;
        break;
    case 1:
        variant = ISA_GT215;
        break;
    case 2:
        entry += 8;
        break;
    case 3:
        h.reg_count = 4;
        break;
    case 4:
        h.local_size += 16;
        break;
    case 5:
        count--;
        break;
    case 6:
        words[0] ^= 1 << 16; /* the constant */
        break;
    }
    struct program *v =
        program_from_words(type, variant, &h, words, count, base, entry, "variant", NULL);
    free(words);
    assert_non_null(v);
    return v;
}

static bool has_code(struct program *p, struct jit *jit, uint32_t mode) {
    const struct warp_env env = {.program = p, .mode = mode, .jit = jit};
    return jit_find(&env);
}

static void test_same_content_same_code(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, true);
    struct program *p = make_program(5, 3), *same = make_program(5, 3);
    assert_true(has_code(p, jit, 0) && has_code(same, jit, 0));
    assert_int_equal(GET(compiled), 1);
    for (int i = 0; i < 7; i++) {
        struct program *other = variant_of(p, i);
        assert_true(has_code(other, jit, 0));
        assert_int_equal(GET(compiled), 2 + i);
        program_unref(other);
    }
    program_unref(p);
    assert_true(runs_code(same, jit, 0, 5));
    program_unref(same);
    assert_int_equal(GET(freed), 0);
    same = make_program(5, 3); /* found, though nobody had it */
    assert_true(has_code(same, jit, 0));
    assert_int_equal(GET(compiled), 8);
    program_unref(same);
    jit_destroy(jit);
    assert_int_equal(GET(freed), 8);
}

/* A new program of known content does not have to get hot first. */
static void test_known_content_at_once(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, false);
    struct program *p = make_program(5, LONG);
    WAIT_UNTIL(runs_code(p, jit, 0, 5));
    struct program *same = make_program(5, LONG);
    assert_true(has_code(same, jit, 0));
    assert_int_equal(GET(compiled), 1);
    program_unref(p);
    program_unref(same);
    jit_destroy(jit);
}

static void test_old_code_is_freed(void **state) {
    (void)state;
    enum { KEPT = 512, MORE = 20 };
    struct jit *jit = jit_create(SIMD_BASE, true);
    struct program *used = make_program(0xffff, 3);
    assert_true(has_code(used, jit, 0));
    for (int i = 0; i < KEPT + MORE; i++) {
        struct program *p = make_program(i, 3);
        assert_true(has_code(p, jit, 0));
        program_unref(p);
    }
    WAIT_UNTIL(GET(freed) == MORE);
    const int compiled = GET(compiled);
    struct program *newest = make_program(KEPT + MORE - 1, 3), *oldest = make_program(0, 3);
    assert_true(has_code(newest, jit, 0) && has_code(used, jit, 0));
    assert_int_equal(GET(compiled), compiled);
    assert_true(has_code(oldest, jit, 0));
    assert_int_equal(GET(compiled), compiled + 1);
    program_unref(newest);
    program_unref(oldest);
    program_unref(used);
    jit_destroy(jit);
    assert_int_equal(GET(freed), GET(compiled));
}

static void test_failure_is_remembered(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, true);
    for (int i = 0; i < 3; i++) {
        struct program *p = case_program(PROGRAM_CP, ISA_G200, "trap\nexit nop\n");
        struct warp *w = case_rows(sizeof *w);
        const struct warp_env env = {.program = p, .jit = jit};
        warp_start(w, &env, LANES_ALL, 0);
        assert_int_equal(warp_run(w, &env), WARP_ERROR);
        warp_free(w);
        free(w);
        program_unref(p);
    }
    assert_int_equal(GET(compiled), 1);
    struct jit_statistics s;
    jit_get_statistics(jit, &s);
    assert_int_equal(s.failed, 1);
    assert_string_equal(s.error, "a trap");
    jit_destroy(jit);
    assert_int_equal(GET(freed), 0);
}

static void test_modes_and_levels(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, true);
    struct program *p = make_program(5, 3);
    assert_true(runs_code(p, jit, 0, 5));
    assert_true(runs_code(p, jit, MODE_MUL_ZERO_WINS, 5));
    assert_int_equal(GET(compiled), 2);
    assert_false(runs_code(p, jit, MODE_SAT_NAN, 5)); /* both places are taken */
    assert_true(runs_code(p, jit, 0, 5) && runs_code(p, jit, MODE_MUL_ZERO_WINS, 5));
    assert_int_equal(GET(compiled), 2);
    if (simd_best() > SIMD_BASE) { /* not this compiler's level */
        const int before = GET(calls);
        check_run(p, jit, simd_best(), 0, 5);
        assert_int_equal(GET(calls), before);
    }
    program_unref(p);
    jit_destroy(jit);
}

static void test_without_llvm(void **state) {
    (void)state;
    char why[64];
    SET(missing, true);
    struct jit *jit = jit_create(SIMD_BASE, true);
    struct program *p = make_program(5, LONG);
    assert_false(runs_code(p, jit, 0, 5));
    assert_false(jit_usable(jit, why, sizeof why));
    assert_string_equal(why, "no library");
    program_unref(p);
    jit_destroy(jit);
    SET(missing, false);
    jit = jit_create(SIMD_BASE, false);
    assert_true(jit_usable(jit, why, sizeof why));
    jit_destroy(jit);
    assert_int_equal(GET(created), 1);
    assert_int_equal(GET(destroyed), 1);
}

static void test_programs_outlive_it(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, true), *other = jit_create(SIMD_BASE, false);
    struct program *p = make_program(5, 3), *same = make_program(5, 3);
    assert_true(has_code(p, jit, 0) && has_code(same, jit, 0));
    jit_destroy(jit);
    assert_int_equal(GET(freed), 0);
    assert_true(runs_code(p, other, 0, 5));
    program_unref(p);
    assert_true(runs_code(same, other, 0, 5));
    assert_int_equal(GET(freed), 0);
    program_unref(same);
    assert_int_equal(GET(freed), 1);
    assert_int_equal(GET(destroyed), 1);
    jit_destroy(other);
}

static void *open_later(void *arg) {
    (void)arg;
    for (int i = 0; i < 20; i++)
        nap();
    SET(closed, false);
    return NULL;
}

static void test_destroy_with_work_pending(void **state) {
    (void)state;
    enum { N = 10 };
    struct jit *jit = jit_create(SIMD_BASE, false);
    struct program *p[N];
    pthread_t opener;
    SET(closed, true);
    for (int i = 0; i < N; i++) {
        p[i] = make_program(i, LONG);
        assert_false(runs_code(p[i], jit, 0, i));
    }
    WAIT_UNTIL(GET(compiling) == 1);
    assert_int_equal(pthread_create(&opener, NULL, open_later, NULL), 0);
    jit_destroy(jit); /* waits for what is being compiled, and no more */
    pthread_join(opener, NULL);
    assert_int_equal(GET(compiled), 1);
    for (int i = 0; i < N; i++) /* as if nobody had asked */
        check_run(p[i], NULL, SIMD_BASE, 0, i);
    jit = jit_create(SIMD_BASE, true);
    for (int i = 0; i < N; i++)
        assert_true(has_code(p[i], jit, 0));
    assert_int_equal(GET(compiled), N);
    for (int i = 0; i < N; i++)
        program_unref(p[i]);
    jit_destroy(jit);
    assert_int_equal(GET(freed), N);
    assert_int_equal(GET(destroyed), 2);
}

/* Programs that are gone when their turn comes are not compiled. */
static void test_abandoned(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, false);
    struct program *first = make_program(1, LONG), *gone = make_program(2, LONG),
                   *last = make_program(3, LONG);
    SET(closed, true);
    assert_false(runs_code(first, jit, 0, 1));
    WAIT_UNTIL(GET(compiling) == 1);
    assert_false(runs_code(gone, jit, 0, 2));
    assert_false(runs_code(last, jit, 0, 3));
    program_unref(gone);
    SET(closed, false);
    WAIT_UNTIL(runs_code(last, jit, 0, 3));
    assert_int_equal(GET(compiled), 2);
    program_unref(first);
    program_unref(last);
    jit_destroy(jit);
}

enum { THREADS = 6, SHARED = 12 };

struct crowd {
    struct jit *jit;
    struct program *program[SHARED];
};

static void *run_crowd(void *arg) {
    const struct crowd *c = arg;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < SHARED; i++)
            check_run(c->program[i], c->jit, SIMD_BASE, 0, 100 + i / 2);
    for (int i = 0; i < SHARED; i++) { /* programs that come and go */
        struct program *p = make_program(100 + i, 0x10000);
        check_run(p, c->jit, SIMD_BASE, 0, 100 + i);
        program_unref(p);
    }
    return NULL;
}

static void check_crowd(bool wait) {
    struct crowd c = {.jit = jit_create(SIMD_BASE, wait)};
    pthread_t thread[THREADS];
    for (int i = 0; i < SHARED; i++) /* each content twice */
        c.program[i] = make_program(100 + i / 2, 0x10000);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_crowd, &c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_in_range(GET(compiled), wait ? SHARED : 1, SHARED);
    for (int i = 0; i < SHARED; i++)
        program_unref(c.program[i]);
    jit_destroy(c.jit);
    assert_int_equal(GET(freed), GET(compiled));
    assert_int_equal(GET(destroyed), 1);
}

static void test_many_threads(void **state) {
    (void)state;
    check_crowd(false);
}

static void test_many_threads_wait(void **state) {
    (void)state;
    check_crowd(true);
}

/* For the thread sanitizer: the forked child starts a thread. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "die_after_fork=0";
}

/* The process may end while a program is being compiled; a child made by fork has its own thread.
 */
static bool is_child;

static void check_idle(void) {
    if (is_child)
        _exit(GET(compiling) ? 1 : 7);
}

static void test_process_exit(void **state) {
    (void)state;
    struct jit *jit = jit_create(SIMD_BASE, true);
    assert_true(jit_usable(jit, NULL, 0));
    const pid_t child = fork();
    if (child == 0) {
        pthread_t opener;
        is_child = true;
        struct jit *own = jit_create(SIMD_BASE, false);
        SET(closed, true);
        check_run(make_program(1, LONG), own, SIMD_BASE, 0, 1);
        while (!GET(compiling))
            nap();
        pthread_create(&opener, NULL, open_later, NULL);
        exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    jit_destroy(jit);
}

int main(void) {
    atexit(check_idle); /* the first registered runs last, as LLVM's would */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_only_hot_programs, reset),
        cmocka_unit_test_setup(test_heat_adds_up, reset),
        cmocka_unit_test_setup(test_change_over, reset),
        cmocka_unit_test_setup(test_alternates, reset),
        cmocka_unit_test_setup(test_same_content_same_code, reset),
        cmocka_unit_test_setup(test_known_content_at_once, reset),
        cmocka_unit_test_setup(test_old_code_is_freed, reset),
        cmocka_unit_test_setup(test_failure_is_remembered, reset),
        cmocka_unit_test_setup(test_modes_and_levels, reset),
        cmocka_unit_test_setup(test_without_llvm, reset),
        cmocka_unit_test_setup(test_programs_outlive_it, reset),
        cmocka_unit_test_setup(test_destroy_with_work_pending, reset),
        cmocka_unit_test_setup(test_abandoned, reset),
        cmocka_unit_test_setup(test_many_threads, reset),
        cmocka_unit_test_setup(test_many_threads_wait, reset),
        cmocka_unit_test_setup(test_process_exit, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
