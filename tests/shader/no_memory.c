/* Shader functions without memory: every allocation fails in turn, once or from then on, while text
 * is assembled and printed, and programs are made, run natively, stepped, traced and launched. Each
 * call reports the failure or gives the usual result. A program without native code, or without its
 * variant for many lanes, still runs. Nothing stays allocated. */
#include "tests/failing_allocator.h"

#include "shader/cta.h"
#include "shader/program.h"
#include "shader/spread.h"
#include "shader/stepper.h"
#include "shader/trace.h"
#include "tests/shader/warp_case.h"

#include <unistd.h>

enum { ENOUGH = 100000 };

static long turn; /* number of the allocation that fails */

static void arm(void) {
    atomic_store(&left, turn);
}

/* Returns true if the failing allocation was reached. */
static bool disarm(void) {
    const long l = atomic_exchange(&left, -1);
    return l < 0 || (for_good && l == 0);
}

/* Calls work(self) for each allocation that it makes, from the first on, and lets this one fail.
 * work() arms the failure, does its work, disarms, checks that the result is right or refused,
 * frees everything, and returns whether the failing allocation was reached. At least `least`
 * allocations must be reached. */
static void each_fails(bool (*work)(const void *), const void *self, long least) {
    if (!OWN_ALLOCATOR)
        skip();
    turn = ENOUGH;
    assert_false(work(self)); /* the first call may allocate memory that the process keeps */
    for (int way = 0; way < 2; way++) {
        bool asked = true;
        long n = 0;
        for (for_good = way; asked && n < ENOUGH; n++) {
            const long before = atomic_load(&held);
            turn = n;
            asked = work(self);
            if (atomic_load(&held) != before)
                fail_msg("allocation %ld: %ld more are held", n, atomic_load(&held) - before);
        }
        assert_in_range(n - 1, least, ENOUGH - 2);
    }
    for_good = false;
}

/* ---- text and words ---- */

struct source {
    struct isa_target target;
    char text[20000];
    bool has_header;
};

static void say(char *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsprintf(text + strlen(text), format, args);
    va_end(args);
}

static bool mentions_memory(const char *message) {
    return strstr(message, "out of memory") || strstr(message, "Cannot allocate memory");
}

/* A text with enough lines, labels and tokens to make each array grow. */
static struct source tesla_source(void) {
    struct source s = {.target = {ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS}, .has_header = true};
    say(s.text, ".regs 20\n.equ #step 4\n.const three $r3\n");
    for (int i = 0; i < 90; i++)
        say(s.text, "L%d: add b32 $r%d $r1 #step\n_local: bra #_local\nbra #L%d\n", i, i % 16,
            (i * 7 + 3) % 90);
    say(s.text, ".b8 1 2 3\n.align 8\n.b64 0x1122334455667788\nexit nop\n");
    return s;
}

static struct source fermi_source(void) {
    struct source s = {.target = {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS}};
    for (int i = 0; i < 70; i++)
        say(s.text, "L%d: add b32 $r%d $r1 0x%x\nbra #L%d\n", i, i % 16, i * 3000,
            (i * 7 + 3) % 70);
    say(s.text, "exit\n");
    return s;
}

static struct source asfermi_source(void) {
    struct source s = {.target = {ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI}};
    say(s.text, "!Kernel one\n");
    for (int i = 0; i < 70; i++)
        say(s.text, "!Label L%d\nIADD R%d, R1, 0x%x;\nBRA !L%d;\n", i, i % 16, i * 3,
            (i * 7 + 3) % 70);
    say(s.text, "EXIT;\n!EndKernel\n");
    return s;
}

static struct source g64_source(void) {
    struct source s = {.target = {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}};
    for (int i = 0; i < 150; i++)
        say(s.text, "MOV R%d, R%d;\n", i % 16, i % 7);
    return s;
}

static bool assemble_source(const struct source *s, struct asm_result *r, char message[512]) {
    struct program_header header = {0};
    return !isa_assemble(s->target, s->text, strlen(s->text), "test",
                         s->has_header ? &header : NULL, r, message, 512);
}

static struct asm_result words_of(const struct source *s) {
    struct asm_result r;
    char message[512] = "";
    if (!assemble_source(s, &r, message))
        fail_msg("%s", message);
    return r;
}

static bool assembles(const void *self) {
    const struct source *s = self;
    struct asm_result r, right = words_of(s);
    char message[512] = "";
    arm();
    const bool done = assemble_source(s, &r, message), asked = disarm();
    if (!done && !(asked && mentions_memory(message)))
        fail_msg("allocation %ld: %s", turn, message);
    if (done) {
        assert_int_equal(r.count, right.count);
        assert_memory_equal(r.words, right.words, r.count * sizeof *r.words);
        assert_memory_equal(r.lines, right.lines, r.count * sizeof *r.lines);
        asm_result_free(&r);
    } else {
        assert_null(r.words);
        assert_null(r.lines);
    }
    asm_result_free(&right);
    return asked;
}

static bool assembles_a_line(const void *self) {
    const struct isa_target target = {ISA_G80, PROGRAM_VP, SYNTAX_ENVYAS};
    const char text[] = "add b32 $r1 $r2 $r3";
    struct op op = {0};
    char message[256] = "";
    (void)self;
    arm();
    const bool done =
                   isa_assemble_line(target, text, strlen(text), 0, &op, message, sizeof message),
               asked = disarm();
    if (!done && !(asked && mentions_memory(message)))
        fail_msg("allocation %ld: %s", turn, message);
    assert_true(!done || op.code == OP_IADD);
    return asked;
}

static bool disassembles(const void *self) {
    const struct source *s = self;
    bool asked = false;
    struct asm_result code = words_of(s);
    for (int form = ISA_SOURCE; form <= ISA_LISTING; form++) {
        size_t length, right_length;
        char *right =
            isa_disassemble(s->target, code.words, code.count, code.base, form, &right_length);
        assert_non_null(right);
        arm();
        char *text = isa_disassemble(s->target, code.words, code.count, code.base, form, &length);
        const bool now = disarm();
        assert_true(text || now);
        if (text) {
            assert_int_equal(length, right_length);
            assert_string_equal(text, right);
        }
        free(text);
        free(right);
        asked |= now;
    }
    asm_result_free(&code);
    return asked;
}

TEST(test_text) {
    static struct source s[4];
    s[0] = tesla_source(), s[1] = fermi_source(), s[2] = asfermi_source(), s[3] = g64_source();
    for (int i = 0; i < 4; i++) {
        each_fails(assembles, &s[i], i < 3 ? 60 : 3);
        each_fails(disassembles, &s[i], 10);
    }
    each_fails(assembles_a_line, NULL, 1);
}

/* A vector may fail for want of memory only. */
static void note_vector(void *self, unsigned line, const char *vector, const char *expected,
                        const char *got) {
    (void)line, (void)vector, (void)expected;
    *(bool *)self |= !mentions_memory(got);
}

static bool checks_vectors(const void *self) {
    bool wrong = false;
    struct isa_vector_report report = {.self = &wrong, .fail = note_vector};
    FILE *in = fopen(self, "r");
    assert_non_null(in);
    char buffer[512];
    setvbuf(in, buffer, _IOFBF, sizeof buffer);
    arm();
    const int r = isa_check_vectors(in, ISA_ASSEMBLE, &report);
    const bool asked = disarm();
    atomic_fetch_add(&held, 1); /* getline's buffer, which the C library allocates itself */
    fclose(in);
    assert_true((r == 0 && !wrong && report.passed == 1) || asked);
    assert_true(r < 0 || report.passed + report.failed == 1);
    return asked;
}

TEST(test_vectors) {
    char path[] = "/tmp/teslapipe-memory-XXXXXX";
    const char line[] = "gt215 vp 10008200\tmov b32 $r0 $r1\n";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, line, strlen(line)) == (ssize_t)strlen(line));
    close(file);
    each_fails(checks_vectors, path, 2);
    remove(path);
}

/* ---- programs ---- */

static const char fragment_text[] =
    "interp $r0 v[0x0]\ninterp $r1 v[0x4]\nmul f32 $r4 $r0 c0[0x10]\n"
    "texauto live $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n"
    "add f32 $r0 $r0 c1[0x8]\nexit mov b32 $r1 $r4\n";

/* Compares everything visible in a program with a program made with enough memory. */
static void assert_same_program(const struct program *p, const struct program *right) {
    assert_int_equal(p->word_count, right->word_count);
    assert_memory_equal(p->words, right->words, 4 * p->word_count);
    assert_memory_equal(&p->header, &right->header, sizeof p->header);
    assert_int_equal(p->tex_slot_count, right->tex_slot_count);
    assert_memory_equal(p->tex_slot, right->tex_slot, p->tex_slot_count * sizeof *p->tex_slot);
    assert_string_equal(p->name, right->name);
    assert_int_equal(p->linked != NULL, 1);
}

static struct program *make_program(struct program_error *error) {
    return program_from_text(PROGRAM_FP, ISA_GT215, fragment_text, strlen(fragment_text), "test",
                             error);
}

static bool makes_programs(const void *self) {
    (void)self;
    struct program_error error = {""};
    struct program *right = make_program(&error);
    if (!right)
        fail_msg("%s", error.text);
    arm();
    struct program *p = make_program(&error);
    const bool asked = disarm();
    if (!p && !(asked && mentions_memory(error.text)))
        fail_msg("allocation %ld: %s", turn, error.text);
    if (p)
        assert_same_program(p, right);
    program_unref(p);
    program_unref(right);
    return asked;
}

static bool reads_programs(const void *self) {
    struct program_error error = {""};
    arm();
    struct program *p = program_from_file(self, ISA_GT215, &error);
    const bool asked = disarm();
    if (!p && !(asked && mentions_memory(error.text)))
        fail_msg("allocation %ld: %s", turn, error.text);
    program_unref(p);
    return asked;
}

static bool spreads(const void *self) {
    (void)self;
    struct program_error error;
    struct program *p = make_program(&error);
    assert_non_null(p);
    arm();
    const struct program_spread *s = program_spread(p);
    const bool asked = disarm();
    assert_true(s || asked);
    if (s) {
        assert_int_equal(s->count, 2);
        assert_int_equal(s->program->tex_slot_count, 1);
        assert_string_equal(s->program->name, "test");
    }
    program_unref(p);
    return asked;
}

TEST(test_programs) {
    each_fails(makes_programs, NULL, 15);
    each_fails(spreads, NULL, 8);
    char path[] = "/tmp/teslapipe-memory-XXXXXX.fp";
    const int file = mkstemps(path, 3);
    assert_true(file >= 0);
    for (int i = 0; i < 1000; i++) /* more than one read buffer */
        assert_int_equal(write(file, "// no code at all\n", 18), 18);
    assert_int_equal(write(file, fragment_text, strlen(fragment_text)), strlen(fragment_text));
    close(file);
    each_fails(reads_programs, path, 15);
    remove(path);
}

/* ---- native code ---- */

static const struct run_text {
    enum program_type type;
    const char *text;
} runs[] = {
    /* forks, one inside the other, with results of both ways */
    {PROGRAM_VP,
     "joinat #J\nand b32 $c0 $r1 $r0 $r7\n(e $c0) bra #B\nmul $r2 u16 $r0l u16 $r0l\nadd f32 $r3 $r0 $r2\nbra #J\n"
     "B: add b32 $r2 $r0 7\nJ: join mov b32 $r4 $r2\nmov b32 o[0x0] $r4\nexit mov b32 o[0x4] $r3\n"},
    /* a loop, a call, and calls of handlers */
    {PROGRAM_VP,
     "add b32 $r1 $r0 1\nbreakaddr #END\nLOOP: add b32 $r2 $r2 $r1\nst b32 l[0x4] $r2\ncall #F\n"
     "add b32 $r1 $r1 0xffffffff\nlong and b32 $c0 # $r1 $r1\n(e $c0) break\nbra #LOOP\n"
     "END: ld b32 $r3 l[0x4]\nmov b32 o[0x0] $r3\nsin f32 $r5 $r3\nmov b32 o[0x4] $r5\nexit nop\n"
     "F: xor b32 $r6 $r6 $r1\nmov b32 o[0x8] $r6\nret\n"},
};

/* Creates a service and native code while allocations fail; the program's results stay the same. */
static bool runs_natively(const void *self) {
    const struct run_text *t = self;
    struct warp_case c, right;
    bool asked;
    case_open(&right, t->type, t->text);
    case_run(&right);
    case_open(&c, t->type, t->text);
    arm();
    struct native *native = native_create(simd_best());
    c.env.native = native;
    const enum warp_status status = warp_run(c.w, &c.env);
    asked = disarm();
    assert_true(native || asked || !native_usable());
    assert_int_equal(status, WARP_DONE);
    assert_memory_equal(c.out, right.out, CASE_OUT * sizeof *c.out);
    if (native) { /* now with memory */
        struct native_statistics s;
        memset(c.out, 0, CASE_OUT * sizeof *c.out);
        c.w->emit = NULL;
        memset(c.w->r, 0, sizeof c.w->r);
        warp_start(c.w, &c.env, LANES_ALL, 0);
        c.w->r[0] = lanes_iota();
        case_run(&c);
        assert_memory_equal(c.out, right.out, CASE_OUT * sizeof *c.out);
        native_get_statistics(native, &s);
        assert_int_equal(s.programs, 1);
    }
    case_close(&c);
    case_close(&right);
    native_destroy(native);
    return asked;
}

TEST(test_native_code) {
    if (!native_usable())
        skip();
    for (size_t i = 0; i < LENGTH(runs); i++)
        each_fails(runs_natively, &runs[i], 20);
    setenv("TESLAPIPE_GDB", "1", 1);
    each_fails(runs_natively, &runs[0], 20);
    unsetenv("TESLAPIPE_GDB");
}

/* ---- stepping, tracing, blocks ---- */

static const char stepped_text[] =
    "add b32 $r1 $r0 1\nmov b32 $r2 b32 s[0x10]\nst b32 l[0x4] $r1\nst b32 s[0x14] $r1\n"
    "bar inc wait 0 all\nexit mov b32 $r3 $r1\n";

static bool steps(const void *self) {
    (void)self;
    uint32_t words[4] = {7, 8, 9, 10}, seen;
    CASE(c, PROGRAM_CP, stepped_text);
    c.g[3] = (struct global_view){.data = (uint8_t *)words, .limit = sizeof words};
    struct warp *const two = case_rows(2 * sizeof *two);
    c.block.warp_count = 2;
    for (int i = 0; i < 2; i++) {
        two[i] = *c.w;
        two[i].stack = two[i].own_stack;
        two[i].warp_id = (uint32_t)i;
    }
    arm();
    struct stepper *s = stepper_create_block(two, 2, 1, &c.env);
    const struct stepper_edit edit = {STEPPER_R, 1, 1u << 5, 100};
    bool edited = false;
    if (s) {
        stepper_step(s);
        edited = stepper_set(s, &edit);
        stepper_goto(s, UINT64_MAX);
    }
    const bool asked = disarm();
    assert_true((s && edited) || asked);
    if (s) {
        assert_int_equal(stepper_status(s), WARP_DONE);
        assert_int_equal(stepper_warp(s)->r[3][5], edited ? 100 : 6);
        assert_int_equal(stepper_warp(s)->r[3][4], 5);
        assert_true(stepper_global(s, 3, 12, &seen) && seen == 10);
    }
    stepper_destroy(s);
    free(two);
    return asked;
}

static bool traces(const void *self) {
    (void)self;
    static char said[400000];
    CASE(c, runs[1].type, runs[1].text);
    memset(said, 0, sizeof said);
    FILE *out = fmemopen(said, sizeof said, "w");
    setvbuf(out, NULL, _IONBF, 0);
    const struct trace_options options = {out, 1, 0};
    arm();
    const enum warp_status status = trace_warp(c.w, &c.env, &options);
    const bool asked = disarm();
    fclose(out);
    assert_true(status == WARP_DONE || (status == WARP_RUNNING && asked));
    assert_true(status == WARP_DONE ? strstr(said, "ended after") != NULL
                                    : strstr(said, "stopped after 0") != NULL);
    return asked;
}

static bool launches(const void *self) {
    const enum isa_variant variant = *(const enum isa_variant *)self;
    struct warp_stats stats = {0};
    struct cta_error error;
    const char *why;
    struct warp_env env = {
        .program = case_program(PROGRAM_CP, variant,
                                variant == ISA_G200 ? "bar inc wait 0 all\nexit nop\n" : "exit\n"),
        .simd = simd_best(),
        .call_limit = UINT32_MAX};
    const struct cta_launch launch = {.threads = {64, 1, 1}, .grid = {1, 1, 1}};
    arm();
    struct cta *b = cta_create(&env, &launch, &why);
    const bool asked = disarm();
    if (!b && !(asked && mentions_memory(why)))
        fail_msg("%s", why);
    if (b)
        assert_int_equal(cta_run(b, 0, 0, 0, &stats, &error), 0);
    cta_destroy(b);
    program_unref((struct program *)env.program);
    return asked;
}

TEST(test_sessions) {
    static const enum isa_variant variants[] = {ISA_G200, ISA_GF100};
    each_fails(steps, NULL, 12);
    each_fails(traces, NULL, 2);
    for (int i = 0; i < 2; i++)
        each_fails(launches, &variants[i], 5);
}
