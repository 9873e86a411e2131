/* Random programs with textures run with and without the facts of shader/unseen.c (results that no
 * instruction reads). The results must agree. Lanes of the programs diverge, read their neighbours,
 * are woken by quadon and keep results by position. Every sample depends on all its inputs.
 * TESLAPIPE_PROGRAMS=n sets the number of programs. */
#define CASE_REGISTERS 128
#include "tests/shader/warp_case.h"

#include "shader/stack.h"

enum {
    PROGRAMS = 4000,
    KINDS = 4,
    TEXT = 16384,
    VALUES = 12, /* $r0 .. $r11; $r12 and on count rounds */
    NEAR = 8,
    FAR = 64 /* in some programs the values from $r8 on are in $r64 and up */
};

static lane_mask any_lanes(void) {
    return random_below(1 << 16) | random_below(1 << 16) << 16;
}

/* ---- programs ---- */

static bool far;

static uint32_t place(uint32_t value) {
    return far && value >= NEAR ? value - NEAR + FAR : value;
}

static uint32_t any_value(void) {
    return place(random_below(VALUES));
}

struct text {
    char at[TEXT];
    size_t length;
    int labels, loops;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->at + t->length, TEXT - t->length, format, args);
    va_end(args);
    assert_true(t->length < TEXT);
}

static const char *const conditions[] = {"e", "lg"};

static void say_texture(struct text *t) {
    static const char *const kinds[] = {"texauto all", "texauto live", "texauto all deriv"};
    const uint32_t base = place(4 * random_below(3));
    if (random_below(3))
        say(t, "%s $r%u:$r%u:$r%u:$r%u $t0 $s0 $r%u:$r%u 0x0 0x0 0x0\n", kinds[random_below(3)],
            base, base + 1, base + 2, base + 3, base, base + 1);
    else
        say(t, "%s all $r%u:$r%u:#:# $t0 $s0 $r%u:$r%u:$r%u 0x0 0x0 0x0\n",
            random_below(2) ? "texlod" : "texfetch", base, base + 1, base, base + 1, base + 2);
}

static void say_plain(struct text *t) {
    static const char *const ops[] = {"add add add add", "subr subr mov2 mov2", "mov2 add mov2 add",
                                      "sub subr sub subr", "sub sub subr subr"};
    static const char *const lanes[] = {"l0", "l1", "l2", "l3", "dx", "dy"};
    switch (random_below(8)) {
    case 0:
        say(t, "mov b32 $r%u $r%u\n", any_value(), any_value());
        break;
    case 1:
        say(t, "mov b32 $r%u 0x%x\n", any_value(), random_below(1 << 20));
        break;
    case 2:
    case 3:
        say(t, "(l%u) mov b32 $r%u $r%u\n", random_below(4), any_value(), any_value());
        break;
    case 4:
        say(t, "(%s $c%u) mov b32 $r%u $r%u\n", conditions[random_below(2)], random_below(2),
            any_value(), any_value());
        break;
    case 5:
        say(t, "quadop f32 %s $r%u %s $r%u $r%u\n", ops[random_below(5)], any_value(),
            lanes[random_below(6)], any_value(), any_value());
        break;
    case 6:
        say_texture(t);
        break;
    default:
        say(t, "add b32 $r%u $r%u $r%u\n", any_value(), any_value(), any_value());
        break;
    }
}

static void say_condition(struct text *t) {
    say(t, "set $c%u # l u32 $r%u $r%u\n", random_below(2), any_value(), any_value());
}

/* Samples with the coordinates of each lane of the quad in turn, as compilers write gradients;
 * often incomplete. */
static void say_section(struct text *t) {
    const uint32_t from = place(4 * random_below(3)), to = any_value();
    say(t, "quadon\n");
    for (uint32_t lane = 0; lane < 4 && random_below(8); lane++) {
        for (uint32_t k = 0; k < 2 && random_below(16); k++)
            say(t, "quadop f32 add add add add $r%u l%u $r%u $r63\n", from + k, lane, any_value());
        say(t, "texauto all deriv $r%u:$r%u:$r%u:$r%u $t0 $s0 $r%u:$r%u 0x0 0x0 0x0\n", from,
            from + 1, from + 2, from + 3, from, from + 1);
        say(t, "(l%u) mov b32 $r%u $r%u\n", random_below(16) ? lane : random_below(4), to,
            from + random_below(2));
    }
    for (uint32_t n = random_below(3); n; n--)
        say_plain(t);
    say(t, "quadpop\n");
}

static void say_list(struct text *t, int depth);

static void say_fork(struct text *t, int depth) {
    const int label = t->labels++;
    say_condition(t);
    say(t, "joinat #J%d\n(%s $c%u) bra #T%d\n", label, conditions[random_below(2)], random_below(2),
        label);
    say_list(t, depth + 1);
    say(t, "bra #J%d\nT%d: nop\n", label, label);
    if (random_below(2))
        say_list(t, depth + 1);
    say(t, "J%d: join nop\n", label);
}

static void say_loop(struct text *t, int depth) {
    const int label = t->labels++, counter = VALUES + 4 * t->loops++;
    say(t, "mov b32 $r%d 3\nmov b32 $r%d 0xffffffff\nbreakaddr #E%d\nL%d: nop\n", counter,
        counter + 1, label, label);
    say_list(t, depth + 1);
    say_condition(t);
    say(t, "(%s $c%u) break\n", conditions[random_below(2)], random_below(2));
    say_list(t, depth + 1);
    say(t, "add b32 $c3 $r%d $r%d $r%d\n(e $c3) break\nbra #L%d\nE%d: nop\n", counter, counter,
        counter + 1, label, label);
}

static void say_list(struct text *t, int depth) {
    for (uint32_t n = 1 + random_below(5); n; n--)
        switch (t->length < TEXT / 2 ? random_below(10) : 9) {
        case 0:
            if (depth < 3)
                say_fork(t, depth);
            break;
        case 1:
            if (depth < 2 && t->loops < 6)
                say_loop(t, depth);
            break;
        case 2:
        case 3:
            say_section(t);
            break;
        case 4:
            if (!random_below(3))
                say(t, "(%s $c%u) discard\n", conditions[random_below(2)], random_below(2));
            break;
        default:
            say_plain(t);
            break;
        }
}

static void say_program(struct text *t) {
    *t = (struct text){.length = 0};
    say_list(t, 0);
    if (!random_below(4)) { /* some lanes end before the others */
        say_condition(t);
        say(t, "(%s $c%u) bra #Z\n", conditions[random_below(2)], random_below(2));
        say_list(t, 0);
        say(t, "exit nop\nZ: nop\n");
    }
    say_list(t, 0);
    say(t, "exit nop\n");
}

/* ---- samples ---- */

static uint32_t mixed(uint32_t h, uint32_t word) {
    return (h ^ word) * 0x9e3779b1u + (h >> 15);
}

/* The result depends on the lane's coordinates, and on those of the whole quad if the level
 * does. */
static void sample(const struct tex_binding *binding, const struct tex_call *t, u32x32 *reg,
                   lane_mask m) {
    const bool level = t->quads && t->op != TEX_OP_LOD && t->op != TEX_OP_FETCH;
    u32x32 source[4];
    (void)binding;
    memcpy(source, reg, t->source_count * sizeof *source);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t h = 1, result = 0;
        for (uint32_t k = 0; k < t->source_count; k++) {
            h = mixed(h, source[k][lane]);
            for (uint32_t other = lane & ~3u; level && other <= (lane | 3); other++)
                h = mixed(h, source[k][other]);
        }
        for (uint32_t c = 0; c < 4; c++)
            if (t->result_mask >> c & 1 && m >> lane & 1)
                reg[result++][lane] = mixed(h, c);
    }
}

/* ---- with and without ---- */

struct outcome {
    enum warp_status status;
    enum mp_error error;
    lane_mask dead;
    uint32_t result[FEW_RESULTS][LANES]; /* of lanes that are live */
};

/* Runs the program from one of several sets of start values. */
static void run(struct warp_case *c, uint32_t kind, lane_mask helpers, bool few,
                struct outcome *o) {
    struct warp *w = c->w;
    warp_start(w, &c->env, LANES_ALL, helpers);
    for (uint32_t row = 0; row < VALUES; row++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            w->r[place(row)][lane] = mixed(row + kind * VALUES, lane) & 0x3fffffff;
    w->few_results = few;
    memset(o, 0, sizeof *o);
    o->status = warp_run(w, &c->env);
    o->error = w->error.code;
    o->dead = w->dead;
    for (uint32_t row = 0; row < FEW_RESULTS && o->status == WARP_DONE; row++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            o->result[row][lane] = w->dead >> lane & 1 ? 0 : w->r[row][lane];
}

/* Clears the facts. Returns the number of texture instructions that had any. */
static uint32_t forget_unseen(struct program *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->word_count; i++) {
        n += p->ops[i].tex.alone || p->ops[i].tex.unseen;
        p->ops[i].tex.alone = false;
        p->ops[i].tex.unseen = 0;
    }
    return n;
}

TEST(test_unseen) {
    static struct tex_binding binding;
    static const struct tex_binding *const bindings[] = {&binding};
    static struct text text;
    const char *wanted = getenv("TESLAPIPE_PROGRAMS");
    const uint64_t programs = wanted ? strtoull(wanted, NULL, 0) : PROGRAMS;
    uint64_t without = 0, ended = 0;
    for (int op = 0; op < TEX_OPS; op++)
        binding.kernel[op] = sample;
    for (uint64_t i = 0; i < programs; i++) {
        struct outcome some[KINDS], all;
        lane_mask helpers[KINDS];
        random_start(i);
        far = random_below(2);
        say_program(&text);
        CASE_AT(c, simd_best(), PROGRAM_FP, ISA_GT215, LANES_ALL, text.at);
        c.env.tex = bindings;
        c.env.native = i & 1 ? test_native_get(simd_best()) : NULL;
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            helpers[kind] = kind ? any_lanes() & any_lanes() : 0;
            run(&c, kind, helpers[kind], true, &some[kind]);
        }
        if (forget_unseen(c.program)) {
            without++;
            c.env.native = NULL;
            for (uint32_t kind = 0; kind < KINDS; kind++) {
                run(&c, kind, helpers[kind], false, &all);
                ended += all.status == WARP_DONE;
                if (memcmp(&some[kind], &all, sizeof all))
                    fail_msg("program %llu:\n%s", (unsigned long long)i, text.at);
            }
        }
    }
    print_message("%llu of %llu programs leave samples out; their runs end %llu times\n",
                  (unsigned long long)without, (unsigned long long)programs,
                  (unsigned long long)ended);
    assert_true(ended > programs / 50);
}
