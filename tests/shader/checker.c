/* The memory checker: it reports each planted fault with its instruction and lane, and nothing in
 * faultless programs. Results stay those of native code. */
#include "shader/check/checker.h"
#include "shader/cta.h"
#include "tests/shader/warp_case.h"

#include <unistd.h>

enum { WORDS = 256 };

struct job {
    struct program *program;
    struct findings *findings;
    struct checker *checker;
    struct warp_env env;
    struct global_view g[16];
    uint32_t data[WORDS], params[4];
    struct cta_launch launch;
};

static void job_open(struct job *j, enum isa_variant isa, const char *text) {
    struct program_error error;
    memset(j, 0, sizeof *j);
    j->program = program_from_text(PROGRAM_CP, isa, text, strlen(text), "test.cp", &error);
    if (!j->program)
        fail_msg("%s", error.text);
    j->findings = findings_create();
    j->checker = checker_create(j->findings, true);
    j->g[0] = (struct global_view){.data = (uint8_t *)j->data, .limit = sizeof j->data};
    j->env = (struct warp_env){.program = j->program,
                               .simd = simd_best(),
                               .g = j->g,
                               .call_limit = UINT32_MAX,
                               .budget = 1 << 20,
                               .observer = checker_observer(j->checker)};
    j->launch = (struct cta_launch){.threads = {64, 1, 1}, .grid = {2, 1}, .params = j->params};
}

static void job_run(struct job *j) {
    struct warp_stats stats = {0};
    struct cta_error error;
    const char *why;
    struct cta *b = cta_create(&j->env, &j->launch, &why);
    if (!b)
        fail_msg("%s", why);
    for (uint16_t x = 0; x < j->launch.grid[0]; x++)
        if (cta_run(b, x, 0, 0, &stats, &error) != 0)
            break;
    cta_destroy(b);
    assert_false(checker_incomplete(j->checker));
}

static void job_close(struct job *j) {
    checker_free(j->checker);
    findings_free(j->findings);
    program_unref(j->program);
}

/* A program and its only finding. name NULL: there is no finding. */
struct planted {
    enum isa_variant isa;
    const char *text, *name;
    const char *instruction; /* of the finding: a part of its text */
    const char *what;        /* a part of the finding's sentence */
    lane_mask lanes;         /* of the first occurrence */
    uint64_t count;
};

static bool is_planted(const struct planted *p, const struct finding *f) {
    return strcmp(finding_name(f->kind), p->name) == 0 && strstr(f->text, p->instruction) &&
           strstr(f->what, p->what) && f->lanes == p->lanes && f->count == p->count &&
           f->number == 1 && f->launch;
}

/* True if the program has this finding alone. */
static bool finds_planted(const struct planted *p) {
    struct job j;
    job_open(&j, p->isa, p->text);
    job_run(&j);
    const size_t count = findings_count(j.findings);
    const bool right = p->name ? count == 1 && is_planted(p, findings_at(j.findings, 0)) : !count;
    if (!right) {
        findings_print(j.findings, NULL, stderr);
        fprintf(stderr, "expected %s: %s, %s, lanes %08x, %llu in all, of\n%s\n",
                p->name ? p->name : "nothing", p->what, p->instruction, p->lanes,
                (unsigned long long)p->count, p->text);
    }
    job_close(&j);
    return right;
}

/* Put the thread's number in its block, times 4, into $r1 (on Tesla also into $a1). */
#define THREAD "cvt u32 $r1 u16 $r0l\nshl $a1 $r1 2\nshl b32 $r1 $r1 2\n"
#define FERMI_THREAD "mov b32 $r1 $tidx\nshl b32 $r2 $r1 clamp 0x2\nmov b32 $r9 0x5\n"

static const struct planted tesla[] = {
    /* out of range */
    {ISA_G200, THREAD "add b32 $r1 $r1 0x380\nld b32 $r2 g0[$r1]\nexit nop\n", "out-of-range",
     "ld b32 $r2 g0[$r1]", "reads 4 bytes at g0[0x400]; the end is at 0x400", 0xffffffff, 64},
    {ISA_G200, THREAD "add b32 $r1 $r1 0x384\nst b32 g0[$r1] $r1\nexit nop\n", "out-of-range",
     "st b32 g0[$r1] $r1", "writes 0x400, 4 bytes, to g0[0x400]", 0x80000000, 66},
    {ISA_G200, THREAD "red add u32 g1[$r1] $r1\nexit nop\n", "out-of-range", "red add",
     "changes 4 bytes at g1[0x0]; the end is at 0x0", 0xffffffff, 128},
    {ISA_G200, ".shared 64\nmov b32 $r1 1\nst b32 s[0x40] $r1\nexit nop\n", "out-of-range",
     "st b32 s[0x40] $r1", "writes 0x1, 4 bytes, to s[0x40]; the end is at 0x40", 0xffffffff, 128},
    {ISA_G200, ".local 16\nmov b32 $r1 1\nst b32 l[0x10] $r1\nexit nop\n", "out-of-range",
     "st b32 l[0x10] $r1", "l[0x10]", 0xffffffff, 128},
    {ISA_G200, "ld $r1 b32 c2[0x8]\nexit nop\n", "out-of-range", "c2[0x8]",
     "reads 4 bytes at c2[0x8]; the end is at 0x0", 0xffffffff, 128},
    /* never written */
    {ISA_G200, ".regs 8\nadd b32 $r2 $r1 $r0\nexit nop\n", "unwritten-register", "add b32 $r2 $r",
     "reads $r1, which the lane has not written", 0xffffffff, 128},
    {ISA_G200,
     ".regs 8\n" THREAD
     "mov b32 $r4 0x40\nset $c0 # ge u32 $r1 $r4\n(e $c0) mov b32 $r3 $r4\nadd b32 $r2 $r3 $r1\n"
     "exit nop\n",
     "unwritten-register", "add b32 $r2 $r", "$r3", 0xffff0000, 96},
    {ISA_G200, "mov b32 $r2 0\n(e $c1) mov b32 $r1 $r2\nexit nop\n", "unwritten-register",
     "(e $c1)", "$c1", 0xffffffff, 128},
    {ISA_G200, ".shared 64\nld $r1 b32 s[$a1]\nexit nop\n", "unwritten-register", "s[", "$a1",
     0xffffffff, 128},
    {ISA_G200, ".shared 64\nmov b32 $r1 b32 s[0x20]\nexit nop\n", "unwritten-shared", "s[0x20]",
     "reads s[0x20], which no thread of the block has written", 0xffffffff, 128},
    {ISA_G200, ".local 16\nld b32 $r1 l[0x4]\nexit nop\n", "unwritten-local", "l[0x4]",
     "reads l[0x4], which the thread has not written", 0xffffffff, 128},
    /* a move passes on that the register is unwritten */
    {ISA_G200, ".regs 8\nmov b32 $r2 $r1\nadd b32 $r3 $r2 $r0\nexit nop\n", "unwritten-register",
     "add b32 $r3", "reads $r2", 0xffffffff, 128},
    /* races */
    {ISA_G200, ".shared 64\n" THREAD "st b32 s[0x20] $r1\nexit nop\n", "race", "st b32 s[0x20]",
     "writes s[0x20] (0x4), which warp 0, lane 0 of block 0 has written (0x0)", 0x2, 126},
    {ISA_G200,
     ".shared 512\n" THREAD
     "st b32 s[$a1+0x20] $r1\nadd $a2 $a1 0xff80\nmov b32 $r4 0x80\nset $c0 # ge u32 $r1 $r4\n"
     "(lg $c0) ld $r2 b32 s[$a2+0x20]\nexit nop\n",
     "race", "ld $r2 b32 s[", "reads s[0x20], which warp 0, lane 0 of block 0 has written (0x0)",
     0x1, 64},
    {ISA_G200, "mov b32 $r1 0\nmov b32 $r2 u16 s[0xc]\nst b32 g0[$r1] $r2\nexit nop\n", "race",
     "st b32 g0[$r1] $r2",
     "writes g0[0x0] (0x1), which warp 1, lane 31 of block 0 has written (0x0)", 0x1, 1},
    /* barriers */
    {ISA_G200,
     THREAD "mov b32 $r4 0x40\nset $c0 # ge u32 $r1 $r4\njoinat #past\n(lg $c0) bra #past\n"
            "bar inc wait 0x0 all\npast:\njoin nop\nexit nop\n",
     "divergent-barrier", "bar", "lanes ffff0000 do not reach it here", 0x0000ffff, 32},
    /* numbers */
    {ISA_G200, THREAD "cvt rn f32 $r2 u32 $r1\nrcp f32 $r2 $r2\nmul f32 $r3 $r2 $r2\nexit nop\n",
     "not-finite", "rcp f32 $r2 $r2", "infinity appears in $r2", 0x1, 2},
    {ISA_G200, "trap\n", "program-error", "trap", "TRAP_INSTRUCTION at 0x000000", 0xffffffff, 32},
    /* faultless */
    {ISA_G200,
     ".shared 512\n" THREAD "st b32 s[$a1+0x20] $r1\nbar inc wait 0x0 all\n"
     "mov b32 $r3 0xfc\nsub b32 $r3 $r3 $r1\nshl $a2 $r3 0\nld $r2 b32 s[$a2+0x20]\n"
     "st b32 g0[$r1] $r1\nexit nop\n",
     NULL, "", "", 0, 0},
    {ISA_G200,
     "mov b32 $r1 0\nmov b32 $r2 1\nred add u32 g0[$r1] $r2\nmov b32 $r3 4\n"
     "st b32 g0[$r3] $r2\nexit nop\n",
     NULL, "", "", 0, 0}, /* equal values do not conflict */
};

static const struct planted fermi[] = {
    {ISA_GF100, FERMI_THREAD "ld b32 $r3 ca g[$r2+0x8000380]\nexit\n", "out-of-range",
     "ld b32 $r3 ca g[", "reads 4 bytes at g[0x8000400]; not in memory", 0xffffffff, 64},
    {ISA_GF100, FERMI_THREAD "mov b32 $r8 $r9\nst b64 wb g[$r2+0x8000000] $r8d\nexit\n",
     "misaligned", "st b64", "writes 8 bytes at an address that is no multiple of its size",
     0xaaaaaaaa, 64},
    {ISA_GF100, ".shared 64\n" FERMI_THREAD "st b32 s[0x40] $r9\nexit\n", "out-of-range",
     "st b32 s[0x40] $r9", "writes 0x5, 4 bytes, to s[0x40]; the end is at 0x40", 0xffffffff, 128},
    {ISA_GF100, ".local 16\nld b32 $r1 l[0x4]\nexit\n", "unwritten-local", "l[0x4]", "reads l[0x4]",
     0xffffffff, 128},
    {ISA_GF100, ".shared 64\nld b32 $r1 s[0x4]\nexit\n", "unwritten-shared", "s[0x4]",
     "reads s[0x4]", 0xffffffff, 128},
    {ISA_GF100, ".regs 8\nadd b32 $r2 $r3 0x1\nexit\n", "unwritten-register", "add", "$r3",
     0xffffffff, 128},
    {ISA_GF100, "mov b32 $r1 0x0\n$p2 mov b32 $r1 0x1\nexit\n", "unwritten-register", "$p2", "$p2",
     0xffffffff, 128},
    {ISA_GF100, ".shared 64\n" FERMI_THREAD "st b32 s[0x20] $r2\nexit\n", "race", "st b32 s[0x20]",
     "writes s[0x20] (0x4), which warp 0, lane 0 of block 0 has written (0x0)", 0x2, 126},
    {ISA_GF100, "mov b32 $r1 $ctaidx\nmov b32 $r2 0x8000000\nst b32 wb g[$r2] $r1\nexit\n", "race",
     "st b32", "writes g[0x8000000] (0x1), which warp 1, lane 31 of block 0 has written (0x0)", 0x1,
     1},
    {ISA_GF100,
     FERMI_THREAD "set $p0 0x1 lt u32 $r2 0x40\njoinat #past\n$p0 bra #inside\njoin nop\n"
                  "inside:\nbar popc 0x1 0x0 0x0 0x0 0x1\njoin nop\npast:\nexit\n",
     "divergent-barrier", "bar", "do not reach it here", 0x0000ffff, 32},
    {ISA_GF100, "mov b32 $r1 0x0\nrcp f32 $r2 $r1\nexit\n", "not-finite", "rcp",
     "infinity appears in $r2", 0xffffffff, 128},
    {ISA_GF100,
     ".shared 512\n" FERMI_THREAD
     "st b32 s[$r2] $r2\nbar popc 0x1 0x0 0x0 0x0 0x1\nmov b32 $r4 0xfc\nsub b32 $r4 $r4 $r2\n"
     "ld b32 $r5 s[$r4]\nst b32 wb g[$r2+0x8000000] $r2\nexit\n",
     NULL, "", "", 0, 0},
};

static size_t count_wrong(const struct planted *p, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += !finds_planted(&p[i]);
    return wrong;
}

TEST(test_faults_of_tesla) {
    assert_int_equal(count_wrong(tesla, LENGTH(tesla)), 0);
}

TEST(test_faults_of_fermi) {
    assert_int_equal(count_wrong(fermi, LENGTH(fermi)), 0);
}

/* A lock orders the accesses made under it, here to a word of s[] beside the locked one. Without
 * the lock the same accesses are a race. */
TEST(test_locks_order) {
    static const struct planted rows[] = {
        {ISA_GF100,
         ".shared 128\nmov b32 $r9 0x0\nst b32 s[0x40] $r9\nst b32 s[0x44] $r9\n"
         "bar popc 0x1 0x0 0x0 0x0 0x1\n"
         "again:\nld lock b32 $p0 $r5 s[0x40]\n$p0 ld b32 $r6 s[0x44]\n"
         "$p0 add b32 $r6 $r6 0x1\n$p0 st b32 s[0x44] $r6\n$p0 st unlock b32 s[0x40] $r5\n"
         "(not $p0) bra #again\nexit\n",
         NULL, "", "", 0, 0},
        {ISA_GF100,
         ".shared 128\nmov b32 $r9 0x0\nst b32 s[0x44] $r9\nbar popc 0x1 0x0 0x0 0x0 0x1\n"
         "mov b32 $r6 $tidx\nst b32 s[0x44] $r6\nexit\n",
         "race", "st b32 s[0x44] $r6", "writes s[0x44] (0x21), which warp 1, lane 0", 0x2, 126}};
    assert_int_equal(count_wrong(rows, LENGTH(rows)), 0);
}

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
        struct job j;
        char path[] = "/tmp/suppressions-XXXXXX", why[256];
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        FILE *f = fdopen(fd, "w");
        fprintf(f, "%s\n", rows[i].line);
        fclose(f);
        job_open(&j, ISA_G200, tesla[0].text);
        assert_true(findings_suppress(j.findings, path, why, sizeof why));
        job_run(&j);
        assert_int_equal(findings_count(j.findings), rows[i].left);
        char *text = NULL, wanted[32];
        size_t length;
        FILE *const json = open_memstream(&text, &length);
        findings_print_json(j.findings, json);
        fclose(json);
        snprintf(wanted, sizeof wanted, "\"suppressed\": %zu,", 1 - rows[i].left);
        assert_non_null(strstr(text, wanted));
        free(text);
        job_close(&j);
        unlink(path);
    }
}

/* A star stands for any text, slashes, too. */
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
    struct job checked, plain;
    job_open(&checked, ISA_G200, text);
    job_open(&plain, ISA_G200, text);
    plain.env.observer = NULL;
    plain.env.native = test_native(simd_best());
    job_run(&checked);
    job_run(&plain);
    assert_memory_equal(checked.data, plain.data, sizeof plain.data);
    job_close(&checked);
    job_close(&plain);
}
