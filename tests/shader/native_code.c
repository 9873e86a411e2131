/* Both engines on systematic programs: instances of every encoding row, every control structure
 * inside every other, products of 32 bits and forms close to them, whole programs. The engines must
 * leave the same warp and memory at every SIMD level; instances of encoding rows must also give the
 * same at every level. */
#include "tests/shader/random_words.h"
#include "tests/shader/two_engines.h"

/* ---- programs ---- */

enum { MOST_TEXT = 1 << 14, REGISTERS = 127, SIZES = 239 };

static struct start_rows start;

/* Runs the words at every level of this machine with both engines. */
static void compare_words(const struct setup *setup, const uint32_t *words, size_t count,
                          uint64_t number) {
    static uint8_t input[SETUP + 4 * MAX_WORDS];
    static const lane_mask launched[] = {LANES_ALL, 0x0ff0f00f};
    struct setup s = *setup;
    assert_true(count <= MAX_WORDS);
    memcpy(input + SETUP, words, 4 * count);
    for (unsigned k = 0; k < LENGTH(launched); k++) {
        s.launched = launched[k];
        for (unsigned level = 0; level <= (unsigned)simd_best(); level++) {
            s.level = (uint8_t)level;
            memcpy(input, &s, SETUP);
            compare_started(input, SETUP + 4 * count, &start, number);
        }
    }
}

/* ---- encoding rows ---- */

enum { INSTANCES = 10, PROGRAMS = 4 };

/* Runs instances of the encoding row, one after the other. Returns false if no instance goes
 * straight on. */
static bool check_row(struct isa_target target, const struct encoding_row *row, uint64_t number) {
    static const uint64_t ends[] = {[SET_TESLA] = 0xe0000781f0000001,
                                    [SET_FERMI] = 0x8000000000001de7,
                                    [SET_G64] = UINT64_C(0x46) << 48};
    const enum isa_set set = isa_set_of(target.variant);
    uint32_t words[2 * (INSTANCES + 1)];
    const struct setup s = {.variant = target.variant,
                            .type = set == SET_TESLA ? target.type : PROGRAM_VP,
                            .mode = (uint8_t)random_below(16),
                            .regs = set == SET_TESLA ? REGISTERS : 62,
                            .sizes = SIZES};
    fill_start(&start);
    for (int i = 0; i < INSTANCES; i++)
        if (!straight_pair(target, row, words + 2 * i))
            return false;
    memcpy(words + 2 * INSTANCES, &ends[set], 8);
    compare_words(&s, words, 2 * (INSTANCES + 1), number);
    return true;
}

TEST(test_rows) {
    static const struct isa_target sets[] = {
        {ISA_G200, PROGRAM_VP, SYNTAX_ENVYAS},  {ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS},
        {ISA_GT215, PROGRAM_GP, SYNTAX_ENVYAS}, {ISA_G200, PROGRAM_CP, SYNTAX_ENVYAS},
        {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS}, {ISA_GK104, PROGRAM_CP, SYNTAX_ENVYAS},
        {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}};
    unsigned rows = 0;
    for (size_t s = 0; s < LENGTH(sets); s++) {
        const struct isa *isa = isa_of(sets[s].variant);
        for (unsigned i = 0; i < isa->row_count; i++, rows++) {
            random_start(rows);
            for (int k = 0; k < PROGRAMS; k++)
                check_row(sets[s], &isa->rows[i], rows);
        }
    }
    assert_true(rows > 500);
}

/* ---- control structures, one inside the other ---- */

/* In texts, @ is the inner structure; %0 to %6 are registers of a window, %0 the lane's number; #J
 * is a label of this structure; ? sets a $c of this depth in some lanes; ! and ^ are predicates
 * that hold in those lanes and in the others; & is a counter of this depth, which starts at 0. */
struct shape {
    const char *text;
    bool discards;
};
static const struct shape shapes[] = {
    {"@", false},
    {"@add b32 %1 %1 %4\n@", false},
    {"joinat #J\n?! bra #T\n@bra #J\n#T: @#J: join nop\n", false},
    {"joinat #J\n?! bra #J\n@#J: join add b32 %1 %1 %2\n", false},
    {"joinat #J\n?^ bra #T\nbra #J\n#T: @#J: join nop\n", false},
    {"joinat #J\n?! bra #T\n@bra #J\n#T: @bra #J\n#J: join nop\n", false},
    {"joinat #J\nadd rn f32 %3 %1 %2\n?@! bra #J\nadd rn f32 %3 %3 %1\n#J: join mul rn f32 %2 %3 %3\n",
     false},
    {"?! bra #S\n@#S: add b32 %1 %1 %3\n", false},
    {"?! bra #S\n@bra #E\n#S: @#E: nop\n", false},
    {"#L: @add b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n", false},
    {"breakaddr #E\n#L: @add b32 & & 0x1\nset $c3 # g u32 & %6\n(lg $c3) break\nbra #L\n#E: nop\n",
     false},
    {"breakaddr #E\n#L: add rn f32 %5 %1 %2\n?! break\n@add b32 & & 0x1\nset $c3 # l u32 & %6\n"
     "(lg $c3) bra #L\nbreak\n#E: nop\n",
     false},
    {"breakaddr #E\n#L: @^ break\nadd b32 & & 0x1\nset $c3 # g u32 & %6\n(lg $c3) break\n@bra #L\n#E: nop\n",
     false},
    {"#L: add b32 & & 0x1\n?! bra #E\n@set $c3 # l u32 & %6\n(lg $c3) bra #L\n#E: nop\n", false},
    {"#L: joinat #J\n?! bra #J\n@#J: join add b32 %5 %5 %1\nadd b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n",
     false},
    {"?! bra #M\n#L: @#M: add b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n", false},
    {"bra #O\n#F: @?! ret\nadd rn f32 %1 %2 %3\nret\n#O: call #F\nadd b32 %1 %1 %2\ncall #F\n",
     false},
    {"preret #O\n@?! ret\nadd rn f32 %1 %2 %3\nret\n#O: nop\n", false},
    {"?! bra #X\nbra #Y\n#X: exit add b32 %1 %1 %2\n#Y: @", false},
    {"?! bra #Y\nexit add b32 %1 %1 %2\n#Y: @", false},
    {"@bra #N\n#N: quadon\nmov b32 %4 %5\nbra #M\n#M: quadpop\n@", false},
    {"add rn f32 %1 %2 %3\nquadon\nmov b32 %4 %5\nadd rn f32 %5 %1 %4\nquadpop\n@", false},
    {"@?! discard\nadd rn f32 %1 %1 %2\n", true},
    {"#L: @add b32 & & 0x1\n?! bra #S\ndiscard\n#S: set $c3 # l u32 & %6\n(lg $c3) bra #L\n", true},
    {"#L: @discard\nadd b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n", true},
    {"?^ bra #I\njoinat #J\n?! bra #T\n@#I: add b32 %1 %1 %2\nbra #J\n#T: @#J: join nop\n", false},
    {"joinat #J\n?! bra #T\n@bra #J\n#T: @#I: add b32 & & 0x1\n#J: join nop\n"
     "set $c3 # l u32 & %6\n(lg $c3) bra #I\n",
     false},
    {"@?! bra #N\nbra 0x3ffff8\n#N: @", false},
    {"#L: @?^ discard\nadd b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n", true},
};
enum { SHAPES = LENGTH(shapes), BODIES_OF_EACH = 4 };

struct body {
    enum program_type type;
    const char *text;
};
#define F(d, a, b) "add f32 $r" #d " $r" #a " $r" #b "\n"
#define PRODUCT(high_low, rest) high_low "shl b32 $r18 $r18 0x10\n" rest
#define LOW "add $r18 (mul u16 $r16l $r17l) $r18\n"
static const struct body bodies[] = {
    {PROGRAM_FP, "add b32 %1 %1 %6\n"},
    {PROGRAM_FP,
     "add rn f32 %1 %2 %3\nmul rn f32 %2 %1 neg %3\nadd f32 %3 (mul %1 %2) %3\nadd b32 %4 %4 %1\n"},
    {PROGRAM_FP, F(16, 17, 18) F(19, 20, 21) F(22, 23, 24) F(25, 26, 27) F(28, 29, 30) F(31, 32, 33)
                     F(17, 16, 34) F(18, 19, 35) F(20, 22, 36) F(21, 25, 16) F(23, 28, 37)
                         F(24, 31, 19) F(38, 39, 40) F(41, 42, 43) F(26, 38, 41) F(44, 16, 45)},
    {PROGRAM_FP,
     "mov b32 $r63 %1\nadd b32 $r64 $r63 %2\nmov b32 $r63 %3\nadd b32 $r64 $r64 $r63\nmov b32 $r126 $r64\n"
     "mov b32 $r0 $r126\nmov b32 $r126 %2\nmov b32 $r1 $r0\nmov b32 $r2 $r126\nmov b32 $r0 $r2\n"
     "mov b32 $r54 $r63\n"},
    {PROGRAM_FP,
     "mov b32 %1 %2\nmov b32 $r53 0x3f800000\nmov b32 %2 $r53\nld %4 b32 c1[0x10]\nmov b32 %5 %4\n"
     "xor b32 %1 %1 %5\n"},
    {PROGRAM_FP,
     "mul rn f32 %1 %2 %3\nadd b32 %4 %1 %2\nmin f32 %5 abs %1 neg %2\nmax f32 %2 neg abs %5 %3\n"
     "xor b32 %3 %5 %2\nadd rn f32 %4 %1 neg c2[0x14]\nadd f32 %1 neg (mul %4 %2) neg %5\nadd f32 %4 (mul %1 %3) neg %2\n"},
    {PROGRAM_FP, PRODUCT("mul $r18 u16 $r16l u16 $r17h\nadd $r18 (mul u16 $r16h $r17l) $r18\n",
                         LOW) "add b32 %1 %1 $r18\n"},
    {PROGRAM_FP, "mov b32 $r17 0x1234\n" PRODUCT("mul $r18 u16 $r16h u16 $r17l\n",
                                                 LOW) "xor b32 $r16 $r16 $r18\n"
                                                      "mov b32 $r18 %1\n"},
    {PROGRAM_FP,
     "presin f32 %1 %2\nsin f32 %1 %1\npreex2 f32 %2 %3\nex2 f32 %2 %2\nrsqrt f32 %3 %1\nrcp f32 %3 %3\n"
     "lg2 f32 %4 abs %2\nrcp f32 %5 neg %4\npresin f32 %4 %5\ncos f32 %5 %4\n"},
    {PROGRAM_FP,
     "mul rn f32 %1 %2 neg %3\npresin f32 %4 %1\npreex2 f32 %5 neg %1\npreex2 f32 %2 %1\n"},
    {PROGRAM_FP,
     "rcp f32 %1 %2\nrcp f32 %2 %3\nrcp f32 %3 %1\nrcp f32 %4 %2\nrcp f32 %5 %3\nlg2 f32 %1 %4\n"
     "lg2 f32 %2 %5\nrsqrt f32 %3 %2\nrsqrt f32 %4 %3\nadd rn f32 %5 %5 %4\n"},
    {PROGRAM_FP,
     "shl $a1 %0 0x2\nadd $a2 $a1 0x10\nld %2 b32 c1[$a1+0x8]\nadd b32 %4 %4 c2[$a2+0x4]\n"
     "add rn f32 %1 %2 %4\n(lg $c0) shl $a1 %2 0x2\nld %3 b32 c3[$a1+0x0]\n"},
    {PROGRAM_FP,
     "add rn f32 %1 %1 c2[0x10]\nmul rn f32 %2 %1 c2[0x14]\nmul rn f32 %3 %2 c2[0x10]\nadd b32 %4 %4 c4[0x80]\n"
     "add rn f32 %5 %1 c2[0x14]\n"},
    {PROGRAM_FP,
     "mov b32 $r16 0x1\nmov b32 $r17 0x2\nmov b32 $r18 0x3\nmov b32 $r19 0x4\nmov b32 $r20 0x5\n"
     "interp $r21 v[0x4]\nadd b32 %1 %1 c1[0x0]\nadd b32 %1 %1 c1[0x4]\nadd b32 %1 %1 c1[0x8]\n"
     "add b32 %1 %1 c1[0xc]\nadd b32 %1 %1 c2[0x0]\nadd b32 %1 %1 c2[0x4]\nadd b32 %1 %1 c2[0x8]\n"
     "add b32 %1 %1 c2[0xc]\nadd b32 %1 %1 c3[0x0]\nadd b32 %1 %1 c3[0x4]\nadd b32 %1 %1 c3[0x8]\n"
     "add b32 %1 %1 c3[0xc]\nadd b32 %2 %2 c4[0x0]\nadd b32 %2 %2 c4[0x4]\nadd b32 %2 %2 c1[0x4]\n"
     "interp $r22 v[0x4]\nadd b32 %3 %3 c1[0x0]\nmov b32 $r23 0x2\n"},
    {PROGRAM_FP,
     "add b16 $r16l $r17h $r18l\nmov b16 $r16h $r17l\nadd b32 $r18 $r16 $r17\nadd b16 $r17h $r18h $r16l\n"
     "mul $r19 u16 $r17l u16 $r16h\n"},
    {PROGRAM_FP,
     "(l13) mov b32 %1 %2\nadd b32 %3 %1 %2\n(l0) mov b32 %2 %5\nmul rn f32 %4 %2 %1\n"},
    {PROGRAM_FP,
     "set $c2 # l u32 %0 %2\n(lg $c2) mov b32 %1 %3\n(e $c2) add rn f32 %2 %1 %4\n(lg $c2) add b32 %5 %1 %2\n"
     "add b32 $c2 %1 %1 %2\n(lg $c2) mul rn f32 %3 %3 %1\n"},
    {PROGRAM_FP,
     "interp %1 v[0x4]\ninterp %2 v[0x8] %1\n(lg $c0) interp %3 v[0x4] %2\ninterp %4 flat v[0xc]\n"
     "add rn f32 %5 %1 %3\n"},
    {PROGRAM_FP,
     "add rn f32 %1 %2 %3\nst b32 l[0x8] %1\nadd rn f32 %2 %1 %4\nld b32 %3 l[0x8]\n(lg $c0) ld b32 %4 l[0xc]\n"},
    {PROGRAM_VP,
     "add rn f32 o[0x4] %1 %2\nmov b32 o[0x8] %3\n(lg $c0) mov b32 o[0xc] %1\nmov b16 o[0x10] $r17l\n"
     "add rn f32 %1 a[0x4] %2\nmul rn f32 %2 %1 neg %3\nmov b32 %4 a[0x8]\n"},
    {PROGRAM_CP,
     "mov b32 %1 b32 s[0x10]\nadd b32 %2 b32 s[0x14] %1\nadd b32 %3 u16 s[0x16] %2\nst b32 s[0x18] %3\n"},
    {PROGRAM_CP, "add rn f32 %1 %2 %3\nbar inc wait 0x0 all\nadd b32 %2 %2 %1\n"},
    {PROGRAM_GP, "shl $a1 %0 0x1\nmov b32 %1 p[$a1+0x8]\nadd b32 %2 p[$a1+0x4] %1\n"},
};
enum { BODIES = LENGTH(bodies) };

struct text {
    char at[MOST_TEXT];
    size_t length;
    unsigned window, labels;
};

static void __attribute__((format(printf, 2, 3))) put_text(struct text *t, const char *format,
                                                           ...) {
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, list);
    va_end(list);
    assert_true(t->length < sizeof t->at);
}

/* Writes structure list[depth] with the deeper ones inside. */
static void put_shape(struct text *t, const char *const *list, int depth, int count) {
    enum { COUNTER = 48, LIMIT = 52 };
    static const uint32_t limits[] = {12, 20, 6};
    const unsigned labels = ++t->labels;
    if (strchr(list[depth], '&'))
        put_text(t, "mov b32 $r%d 0x0\n", COUNTER + depth);
    for (const char *s = list[depth]; *s; s++) {
        if (*s == '@' && depth + 1 < count)
            put_shape(t, list, depth + 1, count);
        else if (*s == '%')
            put_text(t, "$r%u", t->window + (unsigned)(*++s - '0'));
        else if (*s == '&')
            put_text(t, "$r%d", COUNTER + depth);
        else if (*s == '?')
            put_text(t, "mov b32 $r%d 0x%x\nset $c%d # l u32 $r%u $r%d\n", LIMIT, limits[depth],
                     depth, t->window, LIMIT);
        else if (*s == '!' || *s == '^')
            put_text(t, "(%s $c%d)", *s == '!' ? "lg" : "e", depth);
        else if (*s == '#' && s[1] >= 'A' && s[1] <= 'Z')
            put_text(t, s > list[depth] && s[-1] == ' ' ? "#%c%u" : "%c%u", s[1], labels), s++;
        else
            put_text(t, "%c", *s);
    }
}

/* Sets rows of the window: %0 the lane's number, %6 the number of loop rounds; other rows hold the
 * numbers of fill_start(). */
static void set_rows(unsigned window) {
    fill_start(&start);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        start.r[window][lane] = lane;
        start.r[window + 6][lane] = 1 + lane % 3;
    }
}

/* Assembles a text, adds its end, and compares both engines. */
static void run_target(struct text *t, struct isa_target target, uint8_t stack_limit,
                       uint64_t number) {
    const bool tesla = isa_set_of(target.variant) == SET_TESLA;
    const uint8_t registers = tesla ? REGISTERS : 62;
    const struct setup setup = {.variant = target.variant,
                                .type = tesla ? target.type : PROGRAM_VP,
                                .mode = number % 2 ? 8 : 0, /* sometimes the fast arithmetic */
                                .regs = registers,
                                .sizes = SIZES,
                                .call_limit = 2,
                                .stack_limit = stack_limit,
                                .helpers = 0x000f0000};
    struct asm_result code;
    char message[512] = "";
    put_text(t, tesla ? "exit nop\n" : "exit\n");
    if (isa_assemble(target, t->at, t->length, "code", NULL, &code, message, sizeof message))
        fail_msg("%s\n%s", message, t->at);
    set_rows(t->window);
    compare_words(&setup, code.words, code.count, number);
    asm_result_free(&code);
}

static void run_program(struct text *t, enum program_type type, uint8_t stack_limit,
                        uint64_t number) {
    const enum isa_variant variant = type == PROGRAM_CP ? ISA_G200 : ISA_GT215;
    run_target(t, (struct isa_target){variant, type, SYNTAX_ENVYAS}, stack_limit, number);
}

TEST(test_shapes) {
    static const unsigned windows[] = {0, 58, 120};
    static struct text t;
    unsigned number = 0;
    for (int outer = 0; outer < SHAPES; outer++)
        for (int inner = 0; inner < SHAPES; inner++) {
            random_start(number);
            for (int k = 0; k < BODIES_OF_EACH; k++, number++) {
                const struct body *b = &bodies[number % BODIES];
                const bool discards = shapes[outer].discards || shapes[inner].discards;
                const char *const list[] = {shapes[outer].text, shapes[inner].text,
                                            discards && b->type != PROGRAM_FP ? bodies[k].text
                                                                              : b->text};
                t = (struct text){.window = windows[number % 3]};
                put_shape(&t, list, 0, 3);
                run_program(&t, discards ? PROGRAM_FP : b->type, number % 7 == 6 ? 2 : 0, number);
            }
        }
}

/* ---- how long a fork or a loop may be ---- */

TEST(test_lengths) {
    static const struct {
        const char *before, *after;
    } kinds[] = {{"joinat #J1\nset $c0 # l u32 $r0 $r6\n(lg $c0) bra #J1\n", "J1: join nop\n"},
                 {"L1: ", "add b32 $r8 $r8 0x1\nset $c0 # l u32 $r8 $r6\n(lg $c0) bra #L1\n"}};
    static struct text t;
    for (size_t kind = 0; kind < LENGTH(kinds); kind++)
        for (unsigned sums = 116; sums < 132; sums++) {
            t = (struct text){.window = 0};
            put_text(&t, "%s", kinds[kind].before);
            for (unsigned i = 0; i < sums; i++)
                put_text(&t, "long add rn f32 $r1 $r1 $r%u\n", 2 + i % 4);
            put_text(&t, "%s", kinds[kind].after);
            run_program(&t, PROGRAM_FP, 0, sums);
        }
}

/* ---- products of 32 bits, and forms close to them ---- */

/* The low and high halves of the factors x and y, and an instruction before the product. In texts
 * x, X, y and Y stand for these halves, % for their type, B for the intermediate register, D for
 * the result. */
static const struct factors {
    const char *before, *low[2], *high[2], *type;
} factors[] = {
    {"", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"", {"$r63l", "$r0l"}, {"$r63h", "$r0h"}, "u16"},
    {"", {"$r16l", "$r16l"}, {"$r16h", "$r16h"}, "u16"},
    {"", {"$r16l", "c1[0x10]"}, {"$r16h", "c1[0x12]"}, "u16"},
    {"", {"$r16l", "c1[0x10]"}, {"$r16h", "c2[0x12]"}, "u16"},
    {"", {"$r16l", "c1[0x10]"}, {"$r16h", "c1[0x16]"}, "u16"},
    {"mov b32 $r17 0x56781234\n", {"$r16l", "$r17l"}, {"$r16h", "0x5678"}, "u16"},
    {"mov b32 $r17 0x56781234\n", {"$r16l", "$r17l"}, {"$r16h", "0x5679"}, "u16"},
    {"", {"$r16l", "0x1234"}, {"$r16h", "0x0"}, "u16"},
    {"", {"0x1234", "$r16l"}, {"0x1", "$r16h"}, "u16"},
    {"", {"$r16l", "0xffff"}, {"$r16h", "0x0"}, "u16"},
    {"mov b32 $r17 0x1234\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r17 0xffff\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r17 0x10000\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r17 0x12\nmov b32 $r17 $r1\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r17 0x12\n(e $c0) mov b32 $r17 $r1\n",
     {"$r16l", "$r17l"},
     {"$r16h", "$r17h"},
     "u16"},
    {"mov b32 $r17 0x12\nmov b16 $r17h $r1l\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r17 $r1\n(lg $c0) bra #K\nmov b32 $r17 0x12\nK: nop\n",
     {"$r16l", "$r17l"},
     {"$r16h", "$r17h"},
     "u16"},
    {"mov b32 $r17 0x12\nbra #K\nK: nop\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r17 0x1234\nmov b32 $r1 $r2\nmov b32 $r40 $r2\n",
     {"$r16l", "$r17l"},
     {"$r16h", "$r17h"},
     "u16"},
    {"mov b32 $r17 0x1234\nld b128 $r12q l[0x0]\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r17 0x1234\nld b64 $r16d l[0x0]\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"mov b32 $r16 0x12\n", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "u16"},
    {"", {"$r16l", "$r17l"}, {"$r16h", "$r17h"}, "s16"},
    {"mov b32 $r17 0x1234\ntexauto live $r16:$r17:$r18:$r19 $t0 $s0 $r16:$r17 0x0 0x0 0x0\n",
     {"$r16l", "$r17l"},
     {"$r16h", "$r17h"},
     "u16"},
    {"mov b32 $r17 0x1234\ntexgather live $r16:$r17:$r18:$r19 $t0 $s0 $r16:$r17 0x0 0x0 0x0\n",
     {"$r16l", "$r17l"},
     {"$r16h", "$r17h"},
     "u16"},
};
static const char *const products[] = {
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % X % y\nadd B (mul % x Y) B\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % Y % x\nadd B (mul % y X) B\nshl b32 B B 0x10\nadd D (mul % y x) B\n",
    "mul B % X % y\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % x % Y\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % X % y\nadd B (mul % X y) B\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0xf\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0x10\nadd D (mul % X y) B\n",
    "mul B % x % Y\nadd B (mul % X y) $r20\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0x10\nadd D (mul % x y) $r20\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0x10\nsub D (mul % x y) B\n",
    "mul B % x % Y\nsub B (mul % X y) B\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd $r20 (mul % X y) B\nshl b32 B $r20 0x10\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 $r20 B 0x10\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshr u32 B B 0x10\nadd D (mul % x y) B\n",
    "(lg $c0) mul B % x % Y\n(lg $c0) add B (mul % X y) B\n(lg $c0) shl b32 B B $r21\n(lg $c0) add D (mul % x y) B\n",
    "mul B % x % Y\n(lg $c0) add B (mul % X y) B\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul $c1 B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0x10\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0x10\nnop\nadd D (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nshl b32 B B 0x10\nadd o[0x10] (mul % x y) B\n",
    "mul B % x % Y\nadd B (mul % X y) B\nbra #N\nN: shl b32 B B 0x10\nadd D (mul % x y) B\n",
};
/* Code behind the product that leaves, overwrites, partly overwrites or reads the intermediate
 * register. */
static const char *const behind[] = {
    "",
    "mov b32 B $r1\n",
    "mov b16 $r18l $r1l\n",
    "mov b32 $r2 B\nmov b32 B $r1\n",
    "(e $c0) mov b32 B $r1\n",
    "(l1) mov b32 B $r1\n",
    "mov b16 $r2l $r18h\nmov b32 B $r1\n",
    "add b32 $r2 $r2 D\nadd b32 B $r1 $r2\n",
    "add b32 B B D\n",
    "st b32 l[0x8] $r1\nmov b32 B $r1\n",
    "rcp f32 $r1 $r1\nmov b32 B $r1\n",
    "bra #M\nM: mov b32 B $r1\n",
    "(lg $c0) add b32 $r1 $r1 $r2\nmov b32 B 0x5\n",
    "discard\nmov b32 B $r1\n",
    "add b32 $r2 $r1 c1[0x8]\nmov b32 B $r2\n",
    "add b32 $r2 $r1 c1[$a1+0x8]\nmov b32 B $r2\n",
    "add $r2 (mul u16 $r1l u16 $r2l) B\nmov b32 B $r1\n",
    "add $r2 (mul u16 $r1l $r2l) B\nmov b32 B $r1\n",
    "mov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\n"
    "mov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\n"
    "mov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 B $r1\n",
    "mov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\n"
    "mov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\n"
    "mov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 $r1 $r2\nmov b32 $r2 $r1\nmov b32 B $r1\n",
};
enum { FACTOR_PAIRS = LENGTH(factors), PRODUCT_FORMS = LENGTH(products), BEHIND = LENGTH(behind) };

static void put_product(struct text *t, const struct factors *f, const char *text, const char *to) {
    for (const char *s = text; *s; s++)
        if (*s == 'x' || *s == 'y')
            put_text(t, "%s", s > text && s[-1] == '0' ? (char[]){*s, 0} : f->low[*s == 'y']);
        else if (*s == '%')
            put_text(t, "%s", f->type);
        else if (*s == 'X' || *s == 'Y')
            put_text(t, "%s", f->high[*s == 'Y']);
        else if (*s == 'B' || *s == 'D')
            put_text(t, "%s", *s == 'B' ? "$r18" : to);
        else
            put_text(t, "%c", *s);
}

/* Compares both engines if the text assembles; some halves are not allowed everywhere. */
static bool run_if_any(struct text *t, unsigned number) {
    struct asm_result code;
    char message[512] = "";
    const enum program_type type = strstr(t->at, "o[") ? PROGRAM_VP : PROGRAM_FP;
    if (isa_assemble((struct isa_target){ISA_GT215, type, SYNTAX_ENVYAS}, t->at, t->length, "code",
                     NULL, &code, message, sizeof message))
        return false;
    asm_result_free(&code);
    run_program(t, type, 0, number);
    return true;
}

TEST(test_products) {
    static struct text t;
    unsigned number = 0, assembled = 0;
    for (int product = 0; product < PRODUCT_FORMS; product++)
        for (int factor = 0; factor < FACTOR_PAIRS; factor++) {
            for (int k = 0; k < BEHIND; k++, number++) {
                const char *const to = number % 5 == 0 ? "$r18" : number % 5 == 1 ? "$r16" : "$r19";
                if (product && factor && k != number % 3 &&
                    k != 1) /* all endings for the first form or factors only */
                    continue;
                t = (struct text){.window = 0};
                put_text(&t, "mov b32 $r21 0x10\n%s", factors[factor].before);
                put_product(&t, &factors[factor], products[product], to);
                put_product(&t, &factors[factor], behind[k], to);
                assembled += run_if_any(&t, number);
            }
        }
    assert_true(assembled > 500);
}

/* The upper word of a product, and forms close to it: another $c, predicate, shift, half, constant
 * or register. */
#define UPPER_START "mul B % x % Y\nadd $c0 B (mul % X y) B\nshl b32 $r20 B 0x10\n"
#define UPPER_LOW "add $c1 # (mul % x y) $r20\n"
#define UPPER_PARTS "mov b32 $r20 0x10000\nshr u32 B B 0x10\n"
#define UPPER_CARRY UPPER_LOW UPPER_PARTS
#define UPPER_SUM "(c $c0) add b32 $r20 B $r20\n(nc $c0) mov b32 $r20 B\n"
#define UPPER_END "addc D (mul % X Y) $r20 $c1\n"
static const char *const uppers[] = {
    (UPPER_START UPPER_CARRY UPPER_SUM UPPER_END),
    ("mul B % Y % x\nadd $c2 B (mul % y X) B\nshl b32 $r20 B 0x10\nadd $c3 # (mul % y x) $r20\n"
     "mov b32 $r22 0x10000\nshr u32 $r23 B 0x10\n(c $c2) add b32 $r24 $r22 $r23\n"
     "(nc $c2) mov b32 $r24 $r23\naddc D (mul % Y X) $r24 $c3\n"),
    ("mul B % X % y\nadd $c0 B (mul % x Y) B\nshl b32 $r20 B 0x10\n" UPPER_CARRY UPPER_SUM
         UPPER_END),
    ("mul B % x % Y\nadd B (mul % X y) B\nshl b32 $r20 B 0x10\n" UPPER_LOW
     "mov b32 $r22 0x10000\nshr u32 B B 0x10\n(c $c0) add b32 $r20 B $r22\n(nc $c0) mov b32 $r20 B\n" UPPER_END),
    ("add b32 $r2 $r1 $r2\nmov b32 $r17 0x56781234\nadd b32 $r3 $r2 $r1\n"
     "mul B u16 $r16l u16 0x5678\nadd B (mul u16 $r16h 0x1234) B\nshl b32 $r20 B 0x10\n"
     "add $c1 # (mul u16 $r16l $r17l) $r20\n" UPPER_PARTS UPPER_SUM
     "addc D (mul u16 $r16h $r17h) $r20 $c1\n"),
    (UPPER_START UPPER_CARRY UPPER_SUM "addc D (mul % X Y) $r20 $c0\n"),
    (UPPER_START UPPER_CARRY "(nc $c0) add b32 $r20 B $r20\n(c $c0) mov b32 $r20 B\n" UPPER_END),
    (UPPER_START UPPER_CARRY "(c $c1) add b32 $r20 B $r20\n(nc $c1) mov b32 $r20 B\n" UPPER_END),
    (UPPER_START UPPER_CARRY "(c $c0) add b32 $r20 B $r20\n(nc $c0) mov b32 $r22 B\n" UPPER_END),
    (UPPER_START UPPER_CARRY UPPER_SUM "addc D (mul % X y) $r20 $c1\n"),
    (UPPER_START UPPER_CARRY UPPER_SUM "addc D (mul % X Y) B $c1\n"),
    (UPPER_START UPPER_CARRY UPPER_SUM "add D (mul % X Y) $r20\n"),
    (UPPER_START UPPER_CARRY UPPER_SUM "addc $c1 D (mul % X Y) $r20 $c1\n"),
    (UPPER_START "add $c0 # (mul % x y) $r20\n" UPPER_PARTS UPPER_SUM
                 "addc D (mul % X Y) $r20 $c0\n"),
    (UPPER_START "add $c1 $r24 (mul % x y) $r20\n" UPPER_PARTS UPPER_SUM UPPER_END),
    (UPPER_START UPPER_LOW "mov b32 $r20 0x8000\nshr u32 B B 0x10\n" UPPER_SUM UPPER_END),
    (UPPER_START UPPER_LOW "mov b32 $r20 0x10000\nshr s32 B B 0x10\n" UPPER_SUM UPPER_END),
    (UPPER_START UPPER_LOW "mov b32 $r20 0x10000\nshr u32 B B 0xf\n" UPPER_SUM UPPER_END),
    (UPPER_START "add $c1 # (mul % x y) B\n" UPPER_PARTS UPPER_SUM UPPER_END),
    (UPPER_START UPPER_LOW "mov b32 B 0x10000\nshr u32 $r20 B 0x10\n" UPPER_SUM UPPER_END),
    ("mul B % x % Y\nadd B (mul % X y) B\nshl b32 $r20 B 0x10\n" UPPER_CARRY UPPER_SUM UPPER_END),
    ("mul B % x % Y\nadd $c0 B (mul % x Y) B\nshl b32 $r20 B 0x10\n" UPPER_CARRY UPPER_SUM
         UPPER_END),
    ("mul B % x % Y\nadd $c0 B (mul % X y) B\nshl b32 $r20 B 0xf\n" UPPER_CARRY UPPER_SUM
         UPPER_END),
    ("mul B % x % Y\nadd $c0 B (mul % X y) B\nshl b32 B B 0x10\nadd $c1 # (mul % x y) B\n" UPPER_PARTS
         UPPER_SUM UPPER_END),
    ("mul B % x % Y\nadd $c0 B (mul % X y) B\nshl b32 $r17 B 0x10\nadd $c1 # (mul % x y) $r17\n" UPPER_PARTS
         UPPER_SUM UPPER_END),
};
/* Code behind the upper word: $c and registers are overwritten, or read, or left. */
static const char *const behind_upper[] = {
    "set $c0 # g u32 $r0 $r1\nset $c1 # l u32 $r2 $r1\nmov b32 B $r1\nmov b32 $r20 $r2\n",
    "set $c0 # g u32 $r0 $r1\nset $c1 # l u32 $r2 $r1\nadd b32 $r2 B $r20\n",
    "set $c0 # g u32 D $r1\n(e $c0) mov b32 $r1 $r2\nset $c1 # l u32 $r2 $r1\nmov b32 B $r1\n",
    "(c $c1) mov b32 $r1 $r2\nset $c0 # g u32 $r0 $r1\nset $c1 # l u32 $r2 $r1\n",
    "set $c0 # g u32 $r0 $r1\n(e $c0) set $c1 # l u32 $r2 $r1\n",
    ("set $c2 # g u32 $r0 $r1\nset $c3 # l u32 $r2 $r1\nadd $c0 # (mul u16 $r1l $r2l) $r3\n"
     "add $c1 # (mul u16 $r1l $r2l) $r3\naddc $r1 (mul u16 $r0l $r2h) $r4 $c1\n"),
    "",
};

TEST(test_upper_words) {
    static struct text t;
    unsigned number = 0, assembled = 0;
    for (size_t form = 0; form < LENGTH(uppers); form++)
        for (int factor = 0; factor < FACTOR_PAIRS; factor++)
            for (size_t k = 0; k < LENGTH(behind_upper); k++, number++) {
                const char *const to = number % 5 == 0 ? "$r18" : number % 5 == 1 ? "$r16" : "$r19";
                if (form && factor && k != number % LENGTH(behind_upper))
                    continue;
                t = (struct text){.window = 0};
                put_text(&t, "mov b32 $r21 0x10\n%s", factors[factor].before);
                if (number % 7 == 3) /* in some lanes */
                    put_text(&t, "joinat #Z\n(lg $c3) bra #Z\n");
                put_product(&t, &factors[factor], uppers[form], to);
                put_product(&t, &factors[factor], behind_upper[k], to);
                if (number % 7 == 3)
                    put_text(&t, "Z: join nop\n");
                assembled += run_if_any(&t, number);
            }
    assert_true(assembled > 200);
}

/* ---- whole programs ---- */

TEST(test_whole) {
    static const char *const rows[] = {
        /* a branch into the middle of a long instruction, whose second word is an instruction by
         * itself */
        "(lg $c0) bra 0x14\nlong mov b32 $r1 $r2\nlong add b32 $r2 $r1 $r1\nadd b32 $r1 $r1 $r2\nmov b32 $r3 $r1\n",
        /* a branch back into the middle of a long instruction */
        "mov b32 $r1 $r2\nmov b32 $r2 $r3\nlong mov b32 $r1 $r2\n(lg $c0) bra 0xc\nmov b32 $r3 $r1\n",
        /* back to the start */
        "mov b32 $r1 $r2\nadd b32 $r48 $r48 0x1\nset $c3 # l u32 $r48 $r6\n(lg $c3) bra 0x0\n",
        /* back to the second instruction */
        "mov b32 $r1 $r2\nnop\nL: add b32 $r48 $r48 0x1\nset $c3 # l u32 $r48 $r6\n(lg $c3) bra #L\n",
        /* to itself */
        "mov b32 $r1 $r2\nL: (lg $c3) bra #L\nadd b32 $r1 $r1 $r3\n",
        /* to the next instruction */
        "mov b32 $r1 $r2\n(lg $c0) bra #L\nL: add b32 $r1 $r1 $r3\nbra #M\nM: mov b32 $r4 $r1\n",
        /* fork at the start */
        "joinat #J\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\nmov b32 $r3 $r1\n",
        /* forks in a row */
        "joinat #J\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\njoinat #K\n(lg $c1) bra #K\n"
        "mov b32 $r1 $r3\nK: join nop\nmov b32 $r3 $r1\n",
        /* the join belongs to another fork */
        "joinat #K\n(lg $c0) bra #K\nmov b32 $r1 $r2\nJ: join nop\nK: join nop\n",
        /* the join is behind the end */
        "joinat #K\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\nexit nop\nK: nop\n",
        /* the join is before the fork */
        "K: nop\njoinat #K\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\n",
        /* a branch that all lanes take */
        "joinat #J\nbra #J\nmov b32 $r1 $r2\nJ: join nop\n",
        /* branch to itself in a fork */
        "joinat #J\nL: (lg $c0) bra #L\nmov b32 $r1 $r2\nJ: join nop\n",
        /* branch back in a fork */
        "joinat #J\nL: mov b32 $r1 $r2\n(lg $c0) bra #L\nmov b32 $r1 $r2\nJ: join nop\n",
        /* a fork without a branch */
        "joinat #J\nmov b32 $r1 $r2\nJ: join nop\n",
        /* the first way ends in exit */
        "joinat #J\n(lg $c0) bra #T\nexit nop\nT: mov b32 $r1 $r2\nJ: join nop\n",
        /* break out of a fork */
        "breakaddr #E\njoinat #J\n(lg $c0) bra #T\nbreak\nT: mov b32 $r1 $r2\nJ: join nop\nE: nop\n",
        /* a break leads all lanes into a loop, where a float has the bits of an integer then */
        "mov b32 $r1 0xffffffff\nmov b32 $r2 $r1\nbreakaddr #E\nbreakaddr #M\nbreak\n"
        "L: (lg $c3) break\nadd rn f32 $r1 $r3 $r4\n(lg $c2) break\n"
        "M: set $c3 # e u32 $r2 $r2\nbra #L\nE: nop\n",
        /* nine forks */
        "joinat #A\n(lg $c0) bra #A\njoinat #B\n(e $c1) bra #B\njoinat #C\n(lg $c2) bra #C\njoinat #D\n"
        "(e $c3) bra #D\njoinat #E\n(l $c0) bra #E\njoinat #F\n(l $c1) bra #F\njoinat #G\n(l $c2) bra #G\n"
        "joinat #H\n(l $c3) bra #H\njoinat #I\n(g $c0) bra #I\nmov b32 $r1 $r2\nI: join nop\nH: join nop\n"
        "G: join nop\nF: join nop\nE: join nop\nD: join nop\nC: join nop\nB: join nop\nA: join nop\n",
        /* unreachable code behind branches */
        "bra #L\nmov b32 $r1 $r2\nL: breakaddr #E\nbreak\nmov b32 $r1 $r3\nE: preret #R\nret\n"
        "mov b32 $r1 $r4\nR: mov b32 $r5 $r1\nexit nop\nmov b32 $r1 $r2\n",
        /* fused pairs of functions */
        "presin f32 $r1 $r2\nsin f32 $r1 $r1\npresin f32 $r1 $r2\nsin f32 $r3 $r1\npresin f32 $r1 $r2\nmov b32 $r4 $r1\n"
        "sin f32 $r1 $r1\npresin f32 $r1 $r2\nbra #L\nL: sin f32 $r1 $r1\npresin f32 $r1 $r2\n(lg $c0) cos f32 $r1 $r1\n"
        "rsqrt f32 $r1 $r2\nrcp f32 $r1 neg $r1\nrsqrt f32 $r1 $r2\nrcp f32 $r1 $r1\npreex2 f32 $r5 $r1\nex2 f32 $r5 $r5\n"
        "(lg $c1) preex2 f32 $r5 $r1\n(lg $c1) ex2 f32 $r5 $r5\n(lg $c1) presin f32 $r5 $r1\n(lg $c2) sin f32 $r5 $r5\n",
        /* predicated instructions in a row */
        "(lg $c0) mov b32 $r1 $r2\n(lg $c0) add b32 $c0 $r2 $r2 $r3\n(lg $c0) mov b32 $r3 $r1\n(lg $c1) mov b32 $r4 $r1\n"
        "(lg $c1) add b32 $c0 $r2 $r2 $r3\n(lg $c1) mov b32 $r1 $r4\n(e $c1) mov b32 $r2 $r4\nmov b32 $r4 $r5\n"
        "(e $c1) mov b32 $r5 $r4\n",
    };
    static struct text t;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        t = (struct text){.window = 0};
        put_text(&t, "%s", rows[i]);
        run_program(&t, PROGRAM_FP, 0, i);
    }
}

/* Fermi: instructions that join, guards, calls, loops with break and continue. */
TEST(test_fermi) {
#define SOME "set $p0 0x1 lt u32 $r0 $r9\n"
#define AGAIN "add b32 $r5 $r5 0x1\nset $p1 0x1 lt u32 $r5 $r6\n$p1 bra #L\n"
#define TEXTURE "tex t lzero all dfp $r2:$r3:$r4:$r5 t2d $t0 $s0 $r9:$r10 ()\n"
#define INTO "mov b32 $r1 0xffffffff\nprebrk #E\n"
#define AT_M                                                                                       \
    "L: $p1 brk\nadd rn f32 $r1 $r3 $r4\n$p2 brk\nM: set $p1 0x1 eq u32 $r5 $r5\nbra #L\nE: nop\n"
#define SUM "add rn f32 $r1 $r2 $r3\nadd b32 $r2 $r2 $r1\n"
    static const char *const rows[] = {
        SUM "joinat #J\n" SOME "$p0 bra #T\n" SUM "join nop\nT: join add b32 $r2 $r2 $r3\nJ: " SUM,
        "L: joinat #J\n" SOME
        "$p0 bra #T\nadd b32 $r1 $r1 $r2\njoin nop\nT: join add b32 $r2 $r2 $r3\nJ: nop\n" AGAIN,
        "L: " SUM AGAIN SUM,
        "L: " SUM "(not $p0) add b32 $r3 $r3 $r1\n" SOME "$p0 mul rn f32 $r4 $r1 $r2\n" AGAIN,
        "L: " SUM "join add b32 $r3 $r3 $r1\n" AGAIN,
        "L: " SUM "join nop\n" SUM AGAIN,
        "joinat #J\nL: " SUM "join add b32 $r3 $r3 $r1\nJ: " AGAIN,
        "joinat #J\nL: " SUM SOME "$p0 bra #E\n" SUM "join nop\nJ: " AGAIN "E: " SUM,
        "prebrk #E\nL: " SUM SOME "$p0 brk\n" SUM AGAIN "brk\nE: " SUM,
        "prebrk #E\nL: " SUM "precont #C\n" SOME "$p0 cont\n" SUM "cont\nC: nop\n" AGAIN
        "brk\nE: " SUM,
        "call #F\n" SUM "exit\nF: " SOME "$p0 ret\n" SUM "ret\n",
        SOME "$p0 exit\n" SUM,
        SOME "(not $p0) bra #S\n" SUM "S: " SUM,
        /* a break, or an indirect branch, leads into a loop, where a float has an integer's bits */
        INTO "prebrk #M\nbrk\n" AT_M,
        INTO "mov b32 $r9 0x0\nbra $r9 abs #M\n" AT_M,
        /* the routine's argument is one word for all lanes, then the load calls its handler */
        "rcp f32 $r1 0x0\nld b32 $r4 c1[$r5+0x4]\nadd b32 $r7 $r2 0x0\n",
        SUM "ex2 f32 $r4 neg $r1\nsin f32 $r5 neg $r1\npresin f32 $r7 $r1\nadd rn f32 $r8 $r2 neg "
            "$r3\npreex2 f32 $r8 neg $r8\n",
        SUM
        "set $p2 $p3 lt u32 $r0 $r2 and $p0\nselp b32 $r4 $r1 $r2 $p2\nselp b32 $r7 $r1 $r2 not $p3\n$p3 add b32 $r1 $r1 $r4\n",
        /* the results of a texture instruction take the place of known words */
        "mov b32 $r2 0x3f800000\nmov b32 $r3 0x3f800000\nmov b32 $r9 0x7fc12345\nmov b32 $r10 $r9\n" TEXTURE
        "min ftz f32 $r6 $r7 $r2\nmax ftz f32 $r8 $r1 $r3\n",
    };
    static struct text t;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        t = (struct text){.window = 0};
        put_text(&t, "%s", rows[i]);
        run_target(&t, (struct isa_target){ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS}, 0, i);
    }
}

/* Random sequences of comparisons and of instructions that depend on them. In forms, % is a
 * register, & a $c or predicate, @ a test of it, ~ a comparison. */
struct condition_forms {
    struct isa_target target;
    const char *before, *behind; /* in some lanes only, and their end */
    const char *form[16], *test[8], *comparison[6];
    unsigned conditions;
};
static const struct condition_forms conditions[] = {
    {{ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS},
     "joinat #Z\n(lg $c3) bra #Z\n",
     "Z: join nop\n",
     {"set $c& # ~ u32 % %", "set $c& # ~ s32 % %", "set $c& # ~ f32 % neg %",
      "set $c& # ~ f32 % abs %", "(@ $c&) mov b32 % %",
      "(lg $c1) mov b32 $r5 %\n(e $c1) mov b32 $r5 %", "(@ $c&) add b32 % % %",
      "(@ $c&) add rn f32 % % %", "add b32 % % %", "mul rn f32 % % %", "(@ $c&) xor b32 % % %",
      "(l $c2) mov b32 $r6 %\n(ge $c2) mov b32 $r6 %", "add b32 $c& % % %",
      "(@ $c&) set $c& # ~ u32 % %", "(@ $c&) mov b16 $r16h $r17l", "(@ $c&) set % ~ s32 % %"},
     {"e", "lg", "l", "ge", "c", "nc", "g", "le"},
     {"l", "e", "le", "g", "lg", "ge"},
     4},
    {{ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS},
     "joinat #T\nset $p6 0x1 lt u32 $r0 $r9\n$p6 bra #Z\n",
     "Z: join nop\nT: nop\n",
     {"set $p& 0x1 ~ u32 % %", "set $p& 0x1 ~ s32 % %", "set $p& 0x1 ~ f32 % neg %",
      "set $p& 0x1 ~ f32 % abs % and $p&", "@ $p& mov b32 % %", "@ $p& mov b32 % %",
      "@ $p& add b32 % % %", "@ $p& add rn f32 % % %", "add b32 % % %", "mul rn f32 % % %",
      "@ $p& xor b32 % % %", "selp b32 % % % $p&", "selp b32 % % % not $p&",
      "@ $p& set $p& 0x1 ~ u32 % %", "@ $p& set $p& 0x1 ~ s32 % % or not $p&",
      "set $p& $p& ~ u32 % % xor $p&"},
     {"", "(not", "", "(not", "", "(not", "", "(not"},
     {"lt", "eq", "le", "gt", "ne", "ge"},
     6},
};

static void put_form(struct text *t, const struct condition_forms *c, const char *form) {
    bool open = false;
    for (; *form; form++) {
        const char *const test = *form == '@' ? c->test[random_below(8)] : "";
        if (*form == '%')
            put_text(t, "$r%u", (unsigned)(1 + random_below(19)));
        else if (*form == '&')
            put_text(t, "%u%s", (unsigned)random_below(c->conditions), open ? ")" : "");
        else if (*form == '~')
            put_text(t, "%s", c->comparison[random_below(6)]);
        else if (*form == '@')
            put_text(t, "%s", test);
        else
            put_text(t, "%c", *form);
        open = *test == '(' || (open && *form != '&');
    }
    put_text(t, "\n");
}

TEST(test_conditions) {
    enum { PROGRAMS_OF_EACH = 400, LENGTH_OF_EACH = 28 };
    static struct text t;
    for (size_t set = 0; set < LENGTH(conditions); set++)
        for (unsigned number = 0; number < PROGRAMS_OF_EACH; number++) {
            const struct condition_forms *const c = &conditions[set];
            random_start(number);
            t = (struct text){.window = 0};
            if (number % 3 == 1)
                put_text(&t, "%s", c->before);
            for (int i = 0; i < LENGTH_OF_EACH; i++)
                put_form(&t, c, c->form[random_below(number % 2 ? 12 : LENGTH(c->form))]);
            if (number % 3 == 1)
                put_text(&t, "%s", c->behind);
            run_target(&t, c->target, 0, number);
        }
}

/* Bit fields at known places, read and replaced, in all lanes and in some, and parts of words
 * converted; each result is added to a sum. Fields that begin or end beyond the word, or have no
 * bits, are among them. */
TEST(test_bit_fields) {
    static const unsigned from[] = {0, 1, 7, 16, 31, 32, 40},
                          bits[] = {0, 1, 5, 16, 25, 31, 32, 33};
    static const char *const forms[] = {"ext u32 $r4 $r1 0x%x",     "ext s32 $r4 $r2 0x%x",
                                        "ext rev u32 $r4 $r3 0x%x", "ins b32 $r4 $r1 0x%x $r2",
                                        "$p0 ext s32 $r4 $r1 0x%x", "$p0 ins b32 $r4 $r2 0x%x $r3"};
    static const char *const types[] = {"u8 0x0",  "u8 0x3",  "s8 0x1",      "s8 0x3",
                                        "u16 0x1", "s16 0x0", "neg s16 0x1", "abs s8 0x2"};
    static const char *const to[] = {"rn f32", "rz f32", "s32", "u32", "sat s32"};
    const struct isa_target target = {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS};
    static struct text t;
    for (size_t form = 0; form < 2 * LENGTH(forms); form++)
        for (size_t i = 0; i < LENGTH(from); i++) {
            t = (struct text){.window = 0};
            put_text(&t, "set $p0 0x1 lt u32 $r0 $r9\n%s", form % 2 ? "$p0 bra #S\nS: nop\n" : "");
            for (size_t k = 0; k < LENGTH(bits); k++) {
                put_text(&t, forms[form / 2], from[i] | bits[k] << 8);
                put_text(&t, "\nadd b32 $r5 $r5 $r4\nshl b32 $r5 $r5 0x1\n");
            }
            run_target(&t, target, 0, i);
        }
    for (size_t i = 0; i < LENGTH(to); i++) {
        t = (struct text){.window = 0};
        for (size_t k = 0; k < LENGTH(types); k++)
            put_text(&t, "cvt %s $r4 %s $r%zu\nadd b32 $r5 $r5 $r4\nshl b32 $r5 $r5 0x1\n", to[i],
                     types[k], k % 3);
        run_target(&t, target, 0, i);
    }
}

/* Fermi's comparisons with each kind of result, combined with every kind of predicate, in all lanes
 * and in some. Programs add each result to a sum, so the compiler drops no comparison. */
TEST(test_fermi_comparisons) {
    static const char *const to[] = {"$p2",     "$p2 0x1",    "$p2 $p3", "b32 $r4",
                                     "f32 $r4", "b32 $r4 $c", "$p2 $c"};
    static const char *const what[] = {"lt u32 $r0 $r9", "ge s32 $r1 $r2",
                                       "lt f32 $r2 $r3", "nan f32 $r1 $r2",
                                       "ne s32 $r0 0x3", "ltu f32 abs $r1 0x49200000"};
    static const char *const with[] = {"and 0x1",     "and $p0",     "and not $p0", "or 0x1",
                                       "or $p0",      "or not $p0",  "xor 0x1",     "xor $p0",
                                       "xor not $p1", "and not 0x1", "or not 0x1"};
    enum { TO = LENGTH(to), WHAT = LENGTH(what), WITH = LENGTH(with) };
    static struct text t;
    unsigned assembled = 0;
    for (int i = 0; i < TO * WHAT * 4; i++) {
        const struct isa_target target = {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS};
        const char *const a = to[i % TO], *const b = what[i / TO % WHAT],
                          *const guard = i / TO / WHAT % 2 ? "$p1 " : "";
        const bool some = i / TO / WHAT / 2;
        char message[512] = "";
        t = (struct text){.window = 0};
        put_text(&t, "set $p0 0x1 lt u32 $r0 $r9\nset $p1 0x1 le u32 $r0 $r6\n%s",
                 some ? "$p0 bra #S\nS: nop\n" : "");
        for (int k = 0; k < WITH; k++) {
            struct text before = t;
            struct asm_result code;
            put_text(&t, "%sset %s %s %s\n", guard, a, b, with[k]);
            if (a[0] == '$')
                put_text(&t, "$p2 add b32 $r5 $r5 0x%x\n$p3 add b32 $r7 $r7 0x%x\n", 1 << k,
                         1 << k);
            else
                put_text(&t, "add b32 $r5 $r5 $r4\nshl b32 $r5 $r5 0x1\n");
            if (isa_assemble(target, t.at, t.length, "code", NULL, &code, message,
                             sizeof message)) {
                t = before;
                continue;
            }
            asm_result_free(&code);
            assembled++;
        }
        run_target(&t, target, 0, (uint64_t)i);
    }
    assert_in_range(assembled, TO * WHAT * 4 * WITH / 2, TO * WHAT * 4 * WITH);
}
