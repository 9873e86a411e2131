/* The memory checker: it reports each planted fault with its instruction and lane, and nothing in
 * faultless programs (tests/shader/findings/checker.txt). Results stay those of native code. */
#include "shader/check/checker.h"
#include "tests/shader/job.h"
#include "tests/shader/text_rows.h"

#include <sys/resource.h>
#include <unistd.h>

enum { WORDS = 256 };

struct checked {
    struct job job;
    struct findings *findings;
    struct checker *checker;
    uint32_t data[WORDS];
};

static void checked_open(struct checked *c, enum isa_variant isa, const char *text) {
    struct program_error error;
    struct program *const p =
        program_from_text(PROGRAM_CP, isa, text, strlen(text), "test.cp", &error);
    if (!p)
        fail_msg("%s", error.text);
    memset(c, 0, sizeof *c);
    job_open(&c->job, p, simd_best(), (const uint16_t[]){2, 1, 1}, (const uint16_t[]){64, 1, 1});
    bind(&c->job, 0, c->data, sizeof c->data);
    c->findings = findings_create();
    c->checker = checker_create(c->findings, true);
    c->job.env.native = NULL;
    c->job.env.observer = checker_observer(c->checker);
}

static void checked_run(struct checked *c) {
    job_run(&c->job);
    assert_false(checker_incomplete(c->checker));
}

static void checked_close(struct checked *c) {
    checker_free(c->checker);
    findings_free(c->findings);
    job_free(&c->job);
}

/* A row's result is `nothing` or KIND | INSTRUCTION | WHAT | LANES | COUNT. */
static bool is_expected(const struct text_row *r, const struct findings *found) {
    char kind[256], text[256], what[256], lanes[256], count[256];
    const size_t n = findings_count(found);
    const struct finding *f = n ? findings_at(found, 0) : NULL;
    if (!strcmp(r->result, "nothing"))
        return !n;
    if (!result_column(r, 0, kind) || !result_column(r, 1, text) || !result_column(r, 2, what) ||
        !result_column(r, 3, lanes) || !result_column(r, 4, count))
        wrong(r, "five columns");
    return n == 1 && !strcmp(finding_name(f->kind), kind) && strstr(f->text, text) &&
           strstr(f->what, what) && f->lanes == strtoul(lanes, NULL, 16) &&
           f->count == strtoul(count, NULL, 10) && f->number == 1 && f->launch;
}

static void check_row(struct text_row *r) {
    struct checked j;
    checked_open(&j, r->target.variant, r->text);
    checked_run(&j);
    if (!is_expected(r, j.findings)) {
        findings_print(j.findings, NULL, stderr);
        wrong(r, "other findings");
    }
    checked_close(&j);
}

static void run_case(void **state) {
    run_rows(*state, check_row);
}

CASE_FILES("tests/shader/findings/checker.txt", run_case);

/* Puts the thread's number in its block, times 4, into $r1 and $a1. */
#define THREAD "cvt u32 $r1 u16 $r0l\nshl $a1 $r1 2\nshl b32 $r1 $r1 2\n"
static const char out_of_range[] = THREAD "add b32 $r1 $r1 0x380\nld b32 $r2 g0[$r1]\nexit nop\n";

/* A suppression is a kind, a program and an address, each a pattern. */
TEST(test_suppressions) {
    static const struct {
        const char *line;
        size_t left;
    } rows[] = {{"race * *", 1},
                {"out-of-range", 0},
                {"out-* test.cp", 0},
                {"out-of-range other.cp", 1},
                {"# a comment\n\nout-of-range test.cp 0x00002?", 0},
                {"out-of-range test.cp 0x000000", 1}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct checked j;
        char path[] = "/tmp/suppressions-XXXXXX", why[256];
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        FILE *f = fdopen(fd, "w");
        fprintf(f, "%s\n", rows[i].line);
        fclose(f);
        checked_open(&j, ISA_G200, out_of_range);
        assert_true(findings_suppress(j.findings, path, why, sizeof why));
        checked_run(&j);
        assert_int_equal(findings_count(j.findings), rows[i].left);
        char *text = NULL, wanted[32];
        size_t length;
        FILE *const json = open_memstream(&text, &length);
        findings_print_json(j.findings, json);
        fclose(json);
        snprintf(wanted, sizeof wanted, "\"suppressed\": %zu,", 1 - rows[i].left);
        assert_non_null(strstr(text, wanted));
        free(text);
        checked_close(&j);
        unlink(path);
    }
}

/* If memory is missing, no line is reported as a mistake. */
TEST(test_suppressions_without_memory) {
#ifdef SANITIZED
    skip();
#endif
    char path[] = "/tmp/suppressions-XXXXXX", why[256];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (int i = 0; i < 100000; i++)
        dprintf(fd, "race\n");
    close(fd);
    struct findings *const f = findings_create();
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    assert_int_equal(fscanf(statm, "%lu", &pages), 1);
    fclose(statm);
    struct rlimit was, low;
    getrlimit(RLIMIT_AS, &was);
    low = (struct rlimit){pages * (rlim_t)getpagesize() + (8 << 20), was.rlim_max};
    setrlimit(RLIMIT_AS, &low);
    const bool read = findings_suppress(f, path, why, sizeof why);
    setrlimit(RLIMIT_AS, &was);
    assert_false(read);
    assert_non_null(strstr(why, "out of memory"));
    findings_free(f);
    unlink(path);
}

/* A star stands for any text, also for slashes. */
TEST(test_patterns) {
    static const struct {
        const char *line;
        bool suppresses;
    } rows[] = {{"race a* 0x000000", true},      {"race *.fp", true},
                {"race a/?/c.fp", true},         {"race b*", false},
                {"race 00000000000000ab", true}, {"race 00000000000000ac", false}};
    static const struct finding finding = {
        .kind = FINDING_RACE, .program = 0xab, .name = "a/b/c.fp"};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char path[] = "/tmp/suppressions-XXXXXX", why[256];
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        dprintf(fd, "%s\n", rows[i].line);
        close(fd);
        struct findings *const f = findings_create();
        assert_true(findings_suppress(f, path, why, sizeof why));
        findings_add(f, &finding);
        if (findings_count(f) == rows[i].suppresses)
            fail_msg("%s", rows[i].line);
        findings_free(f);
        unlink(path);
    }
}

/* A checked run leaves the same memory as a run without the checker. */
TEST(test_results_are_the_same) {
    static const char text[] =
        THREAD "mov b32 $r2 $r1\nmov b32 $r3 0x80\nset $c0 # ge u32 $r1 $r3\n"
               "(lg $c0) add b32 $r2 $r2 $r1\nst b32 g0[$r1] $r2\nexit nop\n";
    struct checked checked, plain;
    checked_open(&checked, ISA_G200, text);
    checked_open(&plain, ISA_G200, text);
    plain.job.env.observer = NULL;
    plain.job.env.native = test_native(simd_best());
    checked_run(&checked);
    checked_run(&plain);
    assert_memory_equal(checked.data, plain.data, sizeof plain.data);
    checked_close(&checked);
    checked_close(&plain);
}
