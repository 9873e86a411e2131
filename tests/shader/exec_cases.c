/* Executes every instruction of the opcode map at least once. A case is program text with a fixed
 * start state and the expected changes (tests/shader/cases/NAME.txt). The whole state is compared,
 * so registers and words that a case does not name must keep their values. Also tests the opcode
 * map (tesla-isa.md §3.3): every filled cell has a case, every blank cell is an illegal opcode. */
#include "tests/shader/warp_case.h"

#include <glob.h>

enum { GLOBAL_WORDS = 16, PRIM_WORDS = 4 * 0x20, CONST_WORDS = 64, SHARED_WORDS = 64, LOG = 256 };

/* The start state, lane i:
 *   $r0 i   $r1 12345678   $r2 80000001   $r3 100 + i   $r4 1.0   $r5 2.5   $r6 -3.0   $r7 00070003
 *   $r8d 1.5   $r10d 2.0   $r12d -0.25   $r14 4 * i   $r15 ffffffff   $r16 i as a float
 *   $rN d0000000 + N   $a1 4 * i   $a2 8   $a3 40   $a4 i   $cN (i + N) & 15
 *   a[] word k a000 + 100 * k + i   p[] word k 7 * k   c<n>[] word k 1000000 * n + 8 * k
 *   s[] word k 51000000 + k   g0[] word k 91000000 + k   o[] l[] 0
 *   v[] word 0 = 2.0, word 1 = x, word 2 = 7.0; flat values f1a70000 + word; x = i, centroid + 0.5
 */
/* A case in tests/shader/cases/NAME.txt is a line
 *     VARIANT TYPE: INSTRUCTION[; INSTRUCTION...][ => CHANGES or !ERROR]
 * and, indented by four blanks below it, the calls of the texture and emit ports. Changes are
 * separated by blanks: NAME[@LANES]=VALUE[+STEP][&MASK][|BITS], all hexadecimal, VALUE for lane 0
 * and STEP more in each lane; NAME=- leaves the lanes open. NAME is rN, aN, cN (decimal N), oN, lN,
 * sN, gN (word N), dead, reads or writes (out-of-range accesses). */
struct exec_case {
    enum isa_variant variant;
    enum program_type type;
    char text[512];
    char changes[512], error[512]; /* "": nothing changes; no error */
    char calls[256];               /* a line each */
};

static struct exec_case cases[512];
static size_t case_count;

/* Reads one line of a file: a comment, a case, or, indented, the next call of the case before. */
static void read_line(char *line, const char *path, int number) {
    struct exec_case *x = &cases[case_count];
    char variant[16], type[8];
    int length = 0;
    if (*line == '#')
        return;
    if (*line == ' ') {
        char *calls = cases[case_count - 1].calls;
        snprintf(calls + strlen(calls), sizeof x->calls - strlen(calls), "%s\n", line + 4);
        return;
    }
    if (case_count == LENGTH(cases) ||
        sscanf(line, "%15s %7[^:]: %n", variant, type, &length) != 2 || !length ||
        isa_variant_from_name(variant) < 0 || program_type_from_name(type) < 0)
        fail_msg("%s:%d: %s", path, number, line);
    char *end = strstr(line, " => ");
    const char *result = end ? end + 4 : "";
    if (end)
        *end = 0;
    *x = (struct exec_case){.variant = (enum isa_variant)isa_variant_from_name(variant),
                            .type = (enum program_type)program_type_from_name(type)};
    snprintf(x->text, sizeof x->text, "%s", line + length);
    for (char *at = x->text; (at = strchr(at, ';'));)
        *at = '\n';
    snprintf(*result == '!' ? x->error : x->changes, sizeof x->changes, "%s",
             result + (*result == '!'));
    case_count++;
}

BEFORE_TESTS {
    glob_t files;
    if (glob("tests/shader/cases/*.txt", 0, NULL, &files))
        return -1;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *in = fopen(files.gl_pathv[i], "r");
        char line[1024];
        for (int number = 1; in && fgets(line, sizeof line, in); number++) {
            line[strcspn(line, "\n")] = 0;
            read_line(line, files.gl_pathv[i], number);
        }
        if (!in || fclose(in))
            return -1;
    }
    globfree(&files);
    return 0;
}

/* ---- the state compared */

enum { PARTS = 10, STATE_WORDS = 4096 };

static const struct attribute_plane planes[3] = {
    {2, 0, 0, 0xf1a70000}, {0, 1, 0, 0xf1a70001}, {7, 0, 0, 0xf1a70002}};
static const struct attribute_planes attribute_planes = {~0u, 3, planes};

struct sampler {
    struct tex_binding binding;
    struct machine *m;
};

struct machine {
    struct warp_case c;
    struct sampler sampler;
    const struct tex_binding *slot;
    struct emit_port emit;
    uint32_t consts[16][CONST_WORDS], prim[PRIM_WORDS];
    _Alignas(16) uint32_t g[GLOBAL_WORDS];
    char calls[LOG];
};

static void say(struct machine *m, const char *format, ...) {
    va_list list;
    const size_t n = strlen(m->calls);
    va_start(list, format);
    vsnprintf(m->calls + n, sizeof m->calls - n, format, list);
    va_end(list);
}

static void on_sample(const struct tex_binding *binding, const struct tex_call *r, u32x32 *reg,
                      lane_mask lanes) {
    static const char *const kinds[] = {"auto", "fetch",    "bias", "lod",   "size",
                                        "prep", "querylod", "csaa", "gather"};
    const struct tex_fields *t = (const struct tex_fields *)r; /* the call: the first member */
    struct machine *m = ((const struct sampler *)binding)->m;
    for (uint32_t k = 0; k < r->source_count; k++) /* consecutive registers from $r20 */
        assert_int_equal(reg[k][31], 0xd0000014 + k);
    say(m, "%s t%d s%d n%d mask %x lanes %08x%s%s %d %d %d\n", kinds[r->op], t->tic, t->tsc,
        r->source_count, r->result_mask, lanes, r->cube ? " cube" : "", r->quads ? " deriv" : "",
        r->offset[0], r->offset[1], r->offset[2]);
    for (uint32_t k = 0; k < 4; k++)
        if (r->result_mask >> k & 1)
            lanes_store(reg++, lanes_splat(0x100 + k), lanes);
}

static void on_emit(void *self, const u32x32 *out, lane_mask m, uint32_t stream) {
    (void)out, (void)stream;
    say(self, "emit %08x\n", m);
}

static void on_restart(void *self, lane_mask m, uint32_t stream) {
    (void)stream;
    say(self, "restart %08x\n", m);
}

static void fill_registers(struct warp *w) {
    static const uint32_t fixed[] = {
        0, 0x12345678, 0x80000001, 0,          0x3f800000, 0x40200000, 0xc0400000, 0x00070003,
        0, 0x3ff80000, 0,          0x40000000, 0,          0xbfd00000, 0,          0xffffffff};
    for (uint32_t n = 0; n < CASE_REGS; n++)
        w->r[n] = lanes_splat(n < 16 ? fixed[n] : 0xd0000000 + n);
    w->r[0] = lanes_iota();
    w->r[3] = 100 + lanes_iota();
    w->r[14] = 4 * lanes_iota();
    w->a[1] = 4 * lanes_iota();
    w->a[2] = lanes_splat(8);
    w->a[3] = lanes_splat(0x40);
    w->a[4] = lanes_iota();
    for (uint32_t i = 0; i < LANES; i++) {
        const float f = (float)i;
        memcpy((uint32_t *)&w->r[16] + i, &f, 4);
        w->x[i] = f;
        w->cx[i] = f + 0.5f;
        for (uint32_t n = 0; n < 4; n++) {
            const uint32_t c = i + n;
            w->c[n].z |= (c & 1) << i;
            w->c[n].s |= (c >> 1 & 1) << i;
            w->c[n].c |= (c >> 2 & 1) << i;
            w->c[n].o |= (c >> 3 & 1) << i;
        }
    }
}

static void fill_memory(struct machine *m) {
    struct warp_case *c = &m->c;
    for (uint32_t n = 0; n < 16; n++) {
        for (uint32_t k = 0; k < CONST_WORDS; k++)
            m->consts[n][k] = 0x1000000 * n + 8 * k;
        c->env.c[n] = (struct const_view){(const uint8_t *)m->consts[n], sizeof m->consts[n]};
    }
    for (uint32_t k = 0; k < CASE_ATTR; k++)
        c->attr[k] = 0xa000 + 0x100 * k + lanes_iota();
    for (uint32_t k = 0; k < PRIM_WORDS; k++)
        m->prim[k] = 7 * k;
    for (uint32_t k = 0; k < SHARED_WORDS; k++)
        memcpy(c->shared + 4 * k, &(uint32_t){0x51000000 + k}, 4);
    for (uint32_t k = 0; k < GLOBAL_WORDS; k++)
        m->g[k] = 0x91000000 + k;
    c->g[0] = (struct global_view){.data = (uint8_t *)m->g, .limit = sizeof m->g};
}

static void machine_open(struct machine *m, const struct exec_case *x, enum simd_level level) {
    char text[1024];
    struct warp *w;
    memset(m, 0, sizeof *m);
    /* another short instruction, so that a short one before it need not be lengthened */
    snprintf(text, sizeof text, "%s\nmov b32 $r62 $r62\nexit nop\n", x->text);
    case_open_at(&m->c, level, x->type, x->variant, LANES_ALL, text);
    for (uint32_t i = 0; i < m->c.program->word_count; i++) /* without facts of the whole program */
        m->c.program->ops[i].tex.alone = false;
    fill_memory(m);
    fill_registers(w = m->c.w);
    m->emit = (struct emit_port){m, on_emit, on_restart};
    m->sampler.m = m;
    for (int i = 0; i < TEX_OPS; i++)
        m->sampler.binding.kernel[i] = on_sample;
    m->slot = &m->sampler.binding;
    m->c.env.tex = &m->slot;
    w->emit = &m->emit;
    w->prim = m->prim;
    w->prim_count = PRIM_WORDS;
    w->planes[0] = &attribute_planes;
    w->uniform_planes = true;
    w->sample_id = 3;
    w->warp_id = 5;
    w->phys_id = 0x230000;
    w->dead = 0x0000ffff;
}

/* A part of the state: rows of lanes, or words (of one lane). */
struct part {
    const char *name;
    const void *at;
    uint32_t count, lanes;
};

/* Writes the list of parts. In `flags`, Z S C O of each lane are bits 0 to 3. */
static void list_parts(const struct machine *m, uint32_t flags[4][LANES], uint32_t bad[2],
                       struct part part[PARTS]) {
    const struct warp *w = m->c.w;
    const struct part parts[PARTS] = {{"dead", &w->dead, 1, 1},
                                      {"reads", &bad[0], 1, 1},
                                      {"writes", &bad[1], 1, 1},
                                      {"r", w->r, CASE_REGS, LANES},
                                      {"a", w->a, 8, LANES},
                                      {"c", flags, 4, LANES},
                                      {"o", m->c.out, CASE_OUT, LANES},
                                      {"l", m->c.local, CASE_LOCAL / 4, LANES},
                                      {"s", m->c.shared, SHARED_WORDS, 1},
                                      {"g", m->g, GLOBAL_WORDS, 1}};
    bad[0] = (uint32_t)w->stats.bad_reads;
    bad[1] = (uint32_t)w->stats.bad_writes;
    for (int n = 0; n < 4; n++)
        for (unsigned i = 0; i < LANES; i++)
            flags[n][i] = flags_of_lane(&w->c[n], i);
    memcpy(part, parts, sizeof parts);
}

/* The words of all parts, in order. */
static void save(const struct machine *m, struct part part[PARTS], uint32_t words[STATE_WORDS]) {
    uint32_t flags[4][LANES], bad[2];
    list_parts(m, flags, bad, part);
    for (int i = 0; i < PARTS; i++) {
        memcpy(words, part[i].at, 4 * part[i].count * part[i].lanes);
        words += part[i].count * part[i].lanes;
    }
}

/* ---- the state that a case expects */

/* The result that a case expects: words of parts, and lanes of $r that the case leaves open. */
struct expected {
    struct part part[PARTS];
    uint32_t words[STATE_WORDS];
    lane_mask open[CASE_REGS];
};

/* Finds the row or word that a name stands for. */
static uint32_t *find(struct expected *e, const char *name, size_t length, uint32_t *lanes) {
    const size_t letters = strcspn(name, "0123456789@=");
    const uint32_t n = (uint32_t)strtoul(name + letters, NULL, 10);
    uint32_t *words = e->words;
    for (const struct part *p = e->part; p < e->part + PARTS; p++) {
        *lanes = p->lanes;
        if (strlen(p->name) == letters && !strncmp(name, p->name, letters) && n < p->count)
            return words + n * p->lanes;
        words += p->count * p->lanes;
    }
    fail_msg("no such thing: %.*s", (int)length, name);
    return NULL;
}

static uint32_t hex(const char **at) {
    char *end;
    const uint32_t v = (uint32_t)strtoul(*at, &end, 16);
    *at = end;
    return v;
}

/* Applies one change, NAME[@LANES]=VALUE[+STEP][&MASK][|BITS], to the expected state; returns the
 * text after it. */
static const char *foretell(struct expected *e, const char *at) {
    const char *name = at;
    uint32_t count, *row = find(e, name, strcspn(name, "@="), &count);
    uint32_t lanes = LANES_ALL, step = 0, mask = ~0u, bits = 0;
    at += strcspn(at, "@=");
    if (*at == '@')
        at++, lanes = hex(&at);
    assert_int_equal(*at++, '=');
    if (*at == '-') {
        e->open[strtoul(name + 1, NULL, 10)] |= lanes;
        return at + 1;
    }
    const uint32_t value = hex(&at);
    if (*at == '+' || *at == '-')
        step = hex(&at); /* reads the sign, too */
    if (*at == '&')
        at++, mask = hex(&at);
    if (*at == '|')
        at++, bits = hex(&at);
    for (uint32_t i = 0; i < count; i++)
        if (lanes >> i & 1)
            row[i] = ((value + step * i) & mask) | bits;
    return at;
}

/* ---- comparing */

static unsigned differences;

/* Reports the first difference in each part. */
static void compare(const struct exec_case *x, const struct machine *m, const struct expected *e) {
    static uint32_t got[STATE_WORDS];
    struct part part[PARTS];
    save(m, part, got);
    const uint32_t *is = got, *want = e->words;
    for (const struct part *p = part; p < part + PARTS; p++) {
        for (uint32_t i = 0; i < p->count * p->lanes; i++) {
            const uint32_t row = i / p->lanes, lane = i % p->lanes;
            if (is[i] == want[i] || (*p->name == 'r' && p->lanes > 1 && e->open[row] >> lane & 1))
                continue;
            print_error("%s\n  %s%u[%u] is %08x, not %08x\n", x->text, p->name, row, lane, is[i],
                        want[i]);
            differences++;
            break;
        }
        is += p->count * p->lanes;
        want += p->count * p->lanes;
    }
    if (strcmp(m->calls, x->calls)) {
        print_error("%s\n  calls: %s", x->text, m->calls);
        differences++;
    }
}

static void check_end(const struct exec_case *x, const struct warp *w, enum warp_status status) {
    char text[128] = "no error";
    if (status == WARP_ERROR)
        warp_error_print(&w->error, text, sizeof text);
    if (status != (*x->error ? WARP_ERROR : WARP_DONE) || (*x->error && strcmp(text, x->error))) {
        print_error("%s\n  %s\n", x->text, text);
        differences++;
    }
}

static void run_case(const struct exec_case *x, enum simd_level level) {
    static struct machine m;
    static struct expected e;
    machine_open(&m, x, level);
    memset(&e, 0, sizeof e);
    save(&m, e.part, e.words);
    for (const char *at = x->changes; *at; at += strspn(at, " "))
        at = foretell(&e, at);
    check_end(x, m.c.w, warp_run(m.c.w, &m.c.env));
    compare(x, &m, &e);
    case_close(&m.c);
}

TEST(test_cases) {
    differences = 0;
    assert_true(case_count > 250);
    FOR_EACH_LEVEL(level) {
        for (size_t i = 0; i < case_count; i++)
            run_case(&cases[i], level);
    }
    assert_int_equal(differences, 0);
}

/* ---- the opcode map */

/* Forms of each primary opcode: S short, I immediate, 0-7 long, C control, c short control. */
static const char *const map[16] = {
    "01234567C",   "SI0123C",     "SI0C",       "SI034567C", "SI0C",      "S0C",
    "SI01234567C", "SI01234567C", "S0C",        "S023456Cc", "01234567C", "SI013456Cc",
    "SI0234C",     "I01234567C",  "SI01234567", "S0123467",
};

static char form_letter(uint32_t w0, uint32_t w1) {
    if ((w0 & 3) == 1)
        return (w1 & 3) == 3 ? 'I' : (char)('0' + (w1 >> 29));
    return "S cC"[w0 & 3];
}

static bool is_in_map(uint32_t primary, char form) {
    return strchr(map[primary], form) != NULL;
}

/* Steps through a case and marks the cells of the instructions that it executes. */
static void note_cells(const struct exec_case *x, bool seen[16][128]) {
    static struct machine m;
    enum warp_status status = WARP_RUNNING;
    machine_open(&m, x, SIMD_BASE);
    while (status == WARP_RUNNING) {
        const struct op *op = &m.c.program->ops[m.c.w->pc / 4];
        if (op->code != OP_ILLEGAL)
            seen[op->w[0] >> 28][(unsigned)form_letter(op->w[0], op->w[1])] = true;
        status = warp_step(m.c.w, &m.c.env);
    }
    case_close(&m.c);
}

TEST(test_every_cell_has_a_case) {
    static bool seen[16][128];
    for (size_t i = 0; i < case_count; i++)
        note_cells(&cases[i], seen);
    for (uint32_t p = 0; p < 16; p++)
        for (const char *f = map[p]; *f; f++)
            if (!seen[p][(unsigned)*f])
                fail_msg("no case for primary %x, form %c", p, *f);
}

/* Words outside the map are illegal, whatever their other bits are, on every chip and in every
 * program type. */
TEST(test_blank_cells) {
    unsigned blanks = 0;
    for (int n = 0; n < 400000; n++) {
        const uint32_t w[2] = {random_word(), random_word()};
        struct op op;
        if (is_in_map(w[0] >> 28, form_letter(w[0], w[1])))
            continue;
        blanks++;
        isa_decode(
            (struct isa_target){n % ISA_TESLA_VARIANTS, n / 8 % PROGRAM_TYPES, SYNTAX_ENVYAS}, w, 2,
            0, &op);
        assert_int_equal(op.code, OP_ILLEGAL);
        assert_int_equal(op.error, DECODE_ILLEGAL_OPCODE);
    }
    assert_true(blanks > 40000);
}

/* A program run on its own has no textures bound. Every sample is 0 then: only the requested
 * components are written, in live lanes. */
TEST(test_no_textures) {
    for (int mask = 1; mask < 16; mask++) {
        char text[128], at[32] = "";
        for (int i = 0, r = 4; i < 4; i++) {
            strcat(at, i ? ":" : "");
            if (mask >> i & 1)
                snprintf(at + strlen(at), sizeof at - strlen(at), "$r%d", r++);
            else
                strcat(at, "#");
        }
        snprintf(text, sizeof text, "texauto all %s $t0 $s0 $r4:$r5 0 0 0\nexit nop\n", at);
        CASE(c, PROGRAM_FP, text);
        for (int r = 4; r < 9; r++)
            c.w->r[r] = lanes_splat(0x3f000000);
        case_run(&c);
        for (int r = 4; r < 9; r++)
            for (int lane = 0; lane < LANES; lane++)
                assert_int_equal(c.w->r[r][lane],
                                 r < 4 + __builtin_popcount((unsigned)mask) ? 0 : 0x3f000000);
    }
}
