/* What the compiler of native code makes of programs: which stencils one behind the other, on which registers,
 * places and words, with which moves and jumps, pinned (tests/shader/pinned.h). A result may be right and the way to
 * it long: that a loop keeps its rows in registers or a fork needs no stack is seen here alone. In: every row
 * of the encoding tables, and every shape of control in every other, around bodies that want something of the
 * compiler; out: a hash of all levels. So that it does not depend on what clang makes of stencils, their sizes
 * and temporaries are made up. Then both engines run each of them and must leave the same.
 */
#define emit_stencil made_stencil
#define emit_bind made_bind
#define emit_move made_move
#define emit_call made_call
#define emit_short_call made_short_call
#define emit_drop_call made_drop_call
#define emit_return made_return
#define emit_jump made_jump
#include "shader/native/emit.c"
#undef emit_stencil
#undef emit_bind
#undef emit_move
#undef emit_call
#undef emit_short_call
#undef emit_drop_call
#undef emit_return
#undef emit_jump

#include "tests/fences.h"
#include "tests/shader/two_engines.h"

#include "shader/native/machine_code.h"
#include "tests/shader/pinned.h"

__typeof__(made_stencil) emit_stencil;
__typeof__(made_bind) emit_bind;
__typeof__(made_move) emit_move;
__typeof__(made_call) emit_call, emit_short_call;
__typeof__(made_drop_call) emit_drop_call, emit_return;
__typeof__(made_jump) emit_jump;

/* ---- stencils with sizes and temporaries of their own ---- */

static const char *const names[STENCILS] = {
#define X(name, ...) [ST_##name] = #name, [ST_##name##_m] = #name "_m",
    SHAPE_LIST(X) SHAPE_ZERO_LIST(X) SHAPE_TABLE_LIST(X) SHAPE_FLAGS_LIST(X) SHAPE_FERMI_LIST(X)
        SHAPE_FERMI_FLAGS_LIST(X) PAIR_LIST(X)
#undef X
#define X(name, ...) [ST_##name##_only] = #name "_only", [ST_##name##_only_m] = #name "_only_m",
            SHAPE_SET_FLAGS_LIST(X)
#undef X
#define X(name) [ST_##name##_bytes] = #name "_bytes",
                BYTES_LIST(X)
#undef X
#define X(code) [ST_pred_##code] = "pred_" #code,
                    PREDICATE_LIST(X)
#undef X
#define X(name) [ST_##name] = #name,
                        STEP_LIST(X) STEP_REGISTER_LIST(X) STEP_STRIP_LIST(X) STEP_MEMORY_LIST(X)
#undef X
};

static const bool is_long[STENCILS] = {
#define X(name) [ST_##name] = true,
    ROUTINE_LIST(X)
#undef X
};

/* Like the real ones in which of them there are; short ones have the temporaries that all short ones have,
 * long ones more, some have to have their results where they have them. */
static struct stencil made_up(const struct stencil *real, int id, bool strips) {
    const uint32_t kind =
        hash_bytes(2166136261u, names[id] ? names[id] : "", names[id] ? strlen(names[id]) : 0);
    struct stencil s = {.hot = (uint16_t)(8 + kind % 120)};
    if (!real->hot)
        return (struct stencil){0};
    s.clobbers = strips ? 0x70 : 0xf00;
    if (kind % 5 == 0)
        s.clobbers |= strips ? 0x3000 : 0xf000;
    if (strips && kind % 11 == 0)
        s.hot = 201;
    if (is_long[id] && !strips)
        s.clobbers |= 0x1ff03c;
    if (!strips && (is_long[id] || kind % 17 == 0))
        s.fixed = 0xc0;
    return s;
}

static const struct stencil_set *const real_sets[] = {&stencils_base, &stencils_avx2,
                                                      &stencils_avx512};
static struct stencil_set made_sets[SIMD_LEVELS];
static struct stencil made_strips[STENCILS];

static void make_sets(void) {
    static const uint8_t code[256];
    for (int level = 0; level < SIMD_LEVELS; level++) {
        struct stencil_set *s = &made_sets[level];
        *s = (struct stencil_set){
            .code = code, .code_size = sizeof code, .patch = real_sets[level]->patch};
        for (int id = 1; id < STENCILS; id++) {
            s->stencil[id] = made_up(&real_sets[level]->stencil[id], id, false);
            if (real_sets[level]->strips)
                made_strips[id] = made_up(&real_sets[level]->strips[id], id, true);
        }
        if (real_sets[level]->strips)
            s->strips = made_strips;
    }
}

/* ---- what is said of a program ---- */

static struct {
    const struct program *program; /* NULL: nothing is noted */
    enum simd_level level;
    uint32_t hash;
} noted;

static void __attribute__((format(printf, 1, 2))) note_line(const char *format, ...) {
    char line[400];
    va_list list;
    if (!noted.program)
        return;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    noted.hash = hash_text(noted.hash, line);
}

#define ROWS_AT(name, member, size)                                                                \
    {name, offsetof(struct warp, member), sizeof((struct warp *)0)->member, size}
/* A place in the warp by its name. */
static void print_place(char *text, size_t room, int64_t at) {
    static const struct {
        const char *name;
        size_t first, bytes, each;
    } parts[] = {ROWS_AT("r", r, sizeof(u32x32)),
                 ROWS_AT("a", a, sizeof(u32x32)),
                 ROWS_AT("c", c, sizeof(struct flags)),
                 ROWS_AT("p", fermi.p, sizeof(lane_mask)),
                 ROWS_AT("forked", native.forked, sizeof(lane_mask)),
                 ROWS_AT("scratch", native.scratch, STRIP_BYTES),
                 ROWS_AT("varying", native.varying, sizeof(u32x32))};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (at >= (int64_t)parts[i].first && at < (int64_t)(parts[i].first + parts[i].bytes)) {
            const size_t in = (size_t)at - parts[i].first;
            snprintf(text, room, " %s%zu%s", parts[i].name, in / parts[i].each,
                     in % parts[i].each ? "+" : "");
            return;
        }
    snprintf(text, room, " %lld", (long long)at);
}

/* What is filled in at a hole; functions and the program's code have addresses that say nothing. */
static void print_hole(char *text, size_t room, enum stencil_id id, int hole, int64_t value) {
    const int64_t words =
        (value - (int64_t)(intptr_t)noted.program->linked->op) / (int64_t)sizeof(struct linked_op);
    const bool pset = id >= ST_pset && id <= ST_pset_xor_m;
    if (hole == HOLE_AT_FN || hole == HOLE_AT_CODE)
        return;
    if (hole == HOLE_AT_LINKED && words >= 0 && words < noted.program->word_count)
        snprintf(text, room, " word%lld", (long long)words);
    else if (hole == HOLE_AT_LINKED)
        snprintf(text, room, " own");
    else if (hole == HOLE_AT_VIEW && !pset)
        snprintf(text, room, " c%lld[]",
                 (long long)((value - (int64_t)offsetof(struct warp_env, c)) /
                             (int64_t)sizeof(struct const_view)));
    else if (hole <= HOLE_AT_FLAGS || hole == HOLE_AT_VIEW || pset)
        print_place(text, room, value);
    else
        snprintf(text, room, " %lld", (long long)value);
}

void emit_stencil(struct emitter *e, enum stencil_id id, const struct filling *f) {
    if (noted.program) {
        const bool strips = e->stencil == e->set->strips;
        const struct stencil_set *set = real_sets[noted.level];
        const struct stencil *s = strips ? &set->strips[id] : &set->stencil[id];
        uint32_t holes = 0, exits = 0, registers = 0;
        char text[300] = "";
        if (!s->hot)
            fail_msg("level %d has no stencil %s%s", (int)noted.level, names[id],
                     strips ? " for strips" : "");
        for (const struct stencil_patch *p = set->patch + s->patch;
             p < set->patch + s->patch + s->patches; p++) {
            holes |= (p->kind == PATCH_HOLE32 || p->kind == PATCH_HOLE64) ? 1u << p->which : 0;
            exits |= p->kind == PATCH_EXIT ? 1u << p->which : 0;
            registers |= p->kind == PATCH_REGISTER ? 1u << p->which : 0;
        }
        for (int i = 0; i < ARGUMENT_REGISTERS; i++)
            if (registers >> i & 1)
                snprintf(text + strlen(text), sizeof text - strlen(text), " %%%d", f->reg[i]);
        for (int i = 0; i < HOLES; i++)
            if (holes >> i & 1)
                print_hole(text + strlen(text), sizeof text - strlen(text), id, i, f->hole[i]);
        for (int i = EXIT_SLOW; i < EXITS; i++)
            if (exits >> i & 1)
                snprintf(text + strlen(text), sizeof text - strlen(text), " >%u", f->exit[i]);
        note_line("%s%s%s", strips ? "strip " : "", names[id], text);
    }
    made_stencil(e, id, f);
}

void emit_bind(struct emitter *e, uint32_t label) {
    note_line("%u:", label);
    made_bind(e, label);
}

void emit_move(struct emitter *e, unsigned to, unsigned from) {
    note_line("move %%%u %%%u", to, from);
    made_move(e, to, from);
}

void emit_call(struct emitter *e, uint32_t label) {
    note_line("call >%u", label);
    made_call(e, label);
}

void emit_short_call(struct emitter *e, uint32_t label) {
    note_line("short call >%u", label);
    made_short_call(e, label);
}

void emit_drop_call(struct emitter *e) {
    note_line("drop call");
    made_drop_call(e);
}

void emit_return(struct emitter *e) {
    note_line("return");
    made_return(e);
}

void emit_jump(struct emitter *e, uint32_t label) {
    note_line("jump >%u", label);
    made_jump(e, label);
}

static void note_code(const struct native_code *code, const struct native_build *build) {
    const struct native_need *n = &code->need;
    note_line("%zu bytes, %u instructions, %u called", build->size, build->instructions,
              build->called);
    for (int i = 0; i < OPCODES; i++)
        if (build->calls[i])
            note_line("%u %s", build->calls[i], opcode_name((enum opcode)i));
    note_line("spaces %x, shared %u, attr %u, out %u", n->spaces, n->shared, n->attr, n->out);
    for (int i = 0; i < 16; i++)
        if (n->constant[i])
            note_line("c%d %u", i, n->constant[i]);
    for (uint32_t i = 0; i < n->varyings; i++)
        note_line("v[%u] mode %u", n->varying[i].word, n->varying[i].mode);
    for (uint32_t i = 0; i < code->words; i++)
        note_line("%u: %d %d %d %d", i, code->entry[i][0], code->entry[i][1], code->entry[i][2],
                  code->entry[i][3]);
    for (int i = 0; i < 4; i++)
        note_line("leave %d", code->leave[i]);
}

/* Of all levels, the last with permutations of bytes and without. */
static uint32_t hash_code(const struct program *p, uint32_t mode) {
    struct lowering *memory = native_memory_new();
    noted.hash = 2166136261u;
    for (int i = 0; i <= SIMD_LEVELS; i++) {
        struct native_code code = {.program = p, .mode = mode};
        struct native_build build = {0};
        noted.program = p;
        noted.level = i < SIMD_LEVELS ? i : SIMD_AVX512;
        note_line("level %d", i);
        assert_true(native_compile(memory, &code, &made_sets[noted.level], noted.level,
                                   i == SIMD_LEVELS, &build));
        note_code(&code, &build);
        noted.program = NULL;
        free(code.entry);
    }
    native_memory_delete(memory);
    return noted.hash;
}

/* ---- programs ---- */

enum { MOST_TEXT = 1 << 14, REGISTERS = 127, SIZES = 239 };

static struct start_rows start;

/* What both engines leave of the words, at every level of this machine. */
static void compare_words(const struct setup *setup, const uint32_t *words, size_t count,
                          uint64_t number) {
    static uint8_t input[SETUP + 4 * MAX_WORDS];
    static const lane_mask launched[] = {LANES_ALL, 0x0ff0f00f};
    struct setup s = *setup;
    assert_true(count <= MAX_WORDS);
    memcpy(input + SETUP, words, 4 * count);
    for (unsigned level = 0; level <= (unsigned)simd_best(); level++)
        for (size_t k = 0; test_native_get(level) && k < sizeof launched / sizeof *launched; k++) {
            s.level = (uint8_t)level;
            s.launched = launched[k];
            memcpy(input, &s, SETUP);
            compare_started(input, SETUP + 4 * count, &start, number);
        }
}

static struct program *make_program(struct isa_target target, unsigned registers,
                                    const uint32_t *words, size_t count) {
    const struct program_header header = {
        .reg_count = registers, .local_size = START_LOCAL, .shared_size = SIZES * 4};
    struct program_error error;
    struct program *p = program_from_words(target.type, target.variant, &header, words, count, 0, 0,
                                           "code", &error);
    assert_non_null(p);
    return p;
}

/* ---- rows of the encoding tables ---- */

enum { INSTANCES = 10, PROGRAMS = 2 };

static uint32_t hash_instances(struct isa_target target, const struct row *row, uint64_t number) {
    static const uint64_t ends[] = {[SET_TESLA] = 0xe0000781f0000001,
                                    [SET_FERMI] = 0x8000000000001de7,
                                    [SET_G64] = UINT64_C(0x46) << 48};
    const enum isa_set set = isa_set_of(target.variant);
    const unsigned registers = set == SET_TESLA ? REGISTERS : 62;
    uint32_t words[2 * (INSTANCES + 1)];
    const struct setup s = {.variant = target.variant,
                            .type = set == SET_TESLA ? target.type : PROGRAM_VP,
                            .mode = (uint8_t)random_below(8),
                            .regs = (uint8_t)registers,
                            .sizes = SIZES};
    fill_start(&start);
    for (int i = 0; i < INSTANCES; i++)
        if (!straight_pair(target, row, words + 2 * i))
            return 0;
    memcpy(words + 2 * INSTANCES, &ends[set], 8);
    struct program *p = make_program(target, registers, words, 2 * (INSTANCES + 1));
    const uint32_t h = hash_code(p, (s.mode & 3u) | (uint32_t)(s.mode & 4) << 17);
    program_unref(p);
    compare_words(&s, words, 2 * (INSTANCES + 1), number);
    return h;
}

static void test_rows(void **state) {
    static const struct {
        const char *name;
        struct isa_target target;
    } sets[] = {{"gt200-vp", {ISA_G200, PROGRAM_VP, SYNTAX_ENVYAS}},
                {"gt215-fp", {ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS}},
                {"gt215-gp", {ISA_GT215, PROGRAM_GP, SYNTAX_ENVYAS}},
                {"gt200-cp", {ISA_G200, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"gf100", {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"gk104", {ISA_GK104, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"g64", {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}}};
    struct pins pins = pins_open("native_rows");
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        const struct isa *isa = isa_of(sets[s].target.variant);
        for (unsigned i = 0; i < isa->row_count; i++) {
            char key[LINE];
            uint32_t h = 0;
            make_key(key, sets[s].name, &isa->rows[i]);
            for (int k = 0; k < PROGRAMS; k++)
                h = h * 16777619u + hash_instances(sets[s].target, &isa->rows[i], pins.lines);
            pin(&pins, key, h);
        }
    }
    assert_true(pins.lines > 500);
    pins_close(&pins);
}

/* ---- shapes of control, one in the other ---- */

/* In texts: @ what is inside; %0 to %6 registers of a window, %0 the lane's number; # labels of this use, as
 * #J; ? sets a $c of this depth in some lanes, ! and ^ are predicates of those and of the others; & a counter
 * of this depth, set to 0 before. */
struct shape {
    const char *name, *text;
    bool discards;
};
static const struct shape shapes[] = {
    {"line", "@", false},
    {"twice", "@add b32 %1 %1 %4\n@", false},
    {"fork", "joinat #J\n?! bra #T\n@bra #J\n#T: @#J: join nop\n", false},
    {"one way", "joinat #J\n?! bra #J\n@#J: join add b32 %1 %1 %2\n", false},
    {"other way", "joinat #J\n?^ bra #T\nbra #J\n#T: @#J: join nop\n", false},
    {"two branches", "joinat #J\n?! bra #T\n@bra #J\n#T: @bra #J\n#J: join nop\n", false},
    {"work before",
     "joinat #J\nadd rn f32 %3 %1 %2\n?@! bra #J\nadd rn f32 %3 %3 %1\n#J: join mul rn f32 %2 %3 %3\n",
     false},
    {"bare", "?! bra #S\n@#S: add b32 %1 %1 %3\n", false},
    {"bare else", "?! bra #S\n@bra #E\n#S: @#E: nop\n", false},
    {"loop", "#L: @add b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n", false},
    {"endless",
     "breakaddr #E\n#L: @add b32 & & 0x1\nset $c3 # g u32 & %6\n(lg $c3) break\nbra #L\n#E: nop\n",
     false},
    {"break",
     "breakaddr #E\n#L: add rn f32 %5 %1 %2\n?! break\n@add b32 & & 0x1\nset $c3 # l u32 & %6\n"
     "(lg $c3) bra #L\nbreak\n#E: nop\n",
     false},
    {"breaks",
     "breakaddr #E\n#L: @^ break\nadd b32 & & 0x1\nset $c3 # g u32 & %6\n(lg $c3) break\n@bra #L\n#E: nop\n",
     false},
    {"out of a loop",
     "#L: add b32 & & 0x1\n?! bra #E\n@set $c3 # l u32 & %6\n(lg $c3) bra #L\n#E: nop\n", false},
    {"join in a loop",
     "#L: joinat #J\n?! bra #J\n@#J: join add b32 %5 %5 %1\nadd b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n",
     false},
    {"into a loop", "?! bra #M\n#L: @#M: add b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n",
     false},
    {"call",
     "bra #O\n#F: @?! ret\nadd rn f32 %1 %2 %3\nret\n#O: call #F\nadd b32 %1 %1 %2\ncall #F\n",
     false},
    {"return", "preret #O\n@?! ret\nadd rn f32 %1 %2 %3\nret\n#O: nop\n", false},
    {"exit", "?! bra #X\nbra #Y\n#X: exit add b32 %1 %1 %2\n#Y: @", false},
    {"exit in line", "?! bra #Y\nexit add b32 %1 %1 %2\n#Y: @", false},
    {"stop", "@bra #N\n#N: quadon\nmov b32 %4 %5\nbra #M\n#M: quadpop\n@", false},
    {"quads", "add rn f32 %1 %2 %3\nquadon\nmov b32 %4 %5\nadd rn f32 %5 %1 %4\nquadpop\n@", false},
    {"discard", "@?! discard\nadd rn f32 %1 %1 %2\n", true},
    {"discard of all in a loop",
     "#L: @add b32 & & 0x1\n?! bra #S\ndiscard\n#S: set $c3 # l u32 & %6\n(lg $c3) bra #L\n", true},
    {"discard at the end of a round",
     "#L: @discard\nadd b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n", true},
    {"into a fork",
     "?^ bra #I\njoinat #J\n?! bra #T\n@#I: add b32 %1 %1 %2\nbra #J\n#T: @#J: join nop\n", false},
    {"back into a fork",
     "joinat #J\n?! bra #T\n@bra #J\n#T: @#I: add b32 & & 0x1\n#J: join nop\n"
     "set $c3 # l u32 & %6\n(lg $c3) bra #I\n",
     false},
    {"outside", "@?! bra #N\nbra 0x3ffff8\n#N: @", false},
    {"discard in a loop",
     "#L: @?^ discard\nadd b32 & & 0x1\nset $c3 # l u32 & %6\n(lg $c3) bra #L\n", true},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, BODIES_OF_EACH = 4 };

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
enum { BODIES = sizeof bodies / sizeof *bodies };

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

/* The text list[depth], around the others of the list. */
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

/* %0 is the lane's number, %6 how often loops go round, other rows are small floats and NaNs of all kinds. */
static void set_rows(unsigned window) {
    fill_start(&start);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        start.r[window][lane] = lane;
        start.r[window + 6][lane] = 1 + lane % 3;
    }
}

/* A text with its end, by the compiler and by both engines; its hash. */
static uint32_t hash_target(struct text *t, struct isa_target target, uint8_t stack_limit,
                            uint64_t number) {
    const bool tesla = isa_set_of(target.variant) == SET_TESLA;
    const uint8_t registers = tesla ? REGISTERS : 62;
    const struct setup setup = {.variant = target.variant,
                                .type = tesla ? target.type : PROGRAM_VP,
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
    if (shows)
        print_message("%s", t->at);
    struct program *p = make_program(target, registers, code.words, code.count);
    const uint32_t h = hash_code(p, 0);
    program_unref(p);
    set_rows(t->window);
    compare_words(&setup, code.words, code.count, number);
    asm_result_free(&code);
    return h;
}

static uint32_t hash_program(struct text *t, enum program_type type, uint8_t stack_limit,
                             uint64_t number) {
    const enum isa_variant variant = type == PROGRAM_CP ? ISA_G200 : ISA_GT215;
    return hash_target(t, (struct isa_target){variant, type, SYNTAX_ENVYAS}, stack_limit, number);
}

static void test_shapes(void **state) {
    static const unsigned windows[] = {0, 58, 120};
    static struct text t;
    struct pins pins = pins_open("native_shapes");
    unsigned number = 0;
    (void)state;
    for (int outer = 0; outer < SHAPES; outer++)
        for (int inner = 0; inner < SHAPES; inner++) {
            char key[LINE];
            uint32_t h = 0;
            snprintf(key, sizeof key, "%s / %s", shapes[outer].name, shapes[inner].name);
            begin_key(key);
            for (int k = 0; k < BODIES_OF_EACH; k++, number++) {
                const struct body *b = &bodies[number % BODIES];
                const bool discards = shapes[outer].discards || shapes[inner].discards;
                const char *const list[] = {shapes[outer].text, shapes[inner].text,
                                            discards && b->type != PROGRAM_FP ? bodies[k].text
                                                                              : b->text};
                t = (struct text){.window = windows[number % 3]};
                put_shape(&t, list, 0, 3);
                h = h * 16777619u + hash_program(&t, discards ? PROGRAM_FP : b->type,
                                                 number % 7 == 6 ? 2 : 0, number);
            }
            pin(&pins, key, h);
        }
    pins_close(&pins);
}

/* ---- how long a fork or a loop may be ---- */

static void test_lengths(void **state) {
    static const struct {
        const char *name, *before, *after;
    } kinds[] = {
        {"fork", "joinat #J1\nset $c0 # l u32 $r0 $r6\n(lg $c0) bra #J1\n", "J1: join nop\n"},
        {"loop", "L1: ", "add b32 $r8 $r8 0x1\nset $c0 # l u32 $r8 $r6\n(lg $c0) bra #L1\n"}};
    static struct text t;
    struct pins pins = pins_open("native_lengths");
    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (unsigned sums = 116; sums < 132; sums++) {
            char key[LINE];
            snprintf(key, sizeof key, "%s of %u", kinds[kind].name, sums);
            begin_key(key);
            t = (struct text){.window = 0};
            put_text(&t, "%s", kinds[kind].before);
            for (unsigned i = 0; i < sums; i++)
                put_text(&t, "long add rn f32 $r1 $r1 $r%u\n", 2 + i % 4);
            put_text(&t, "%s", kinds[kind].after);
            pin(&pins, key, hash_program(&t, PROGRAM_FP, 0, sums));
        }
    pins_close(&pins);
}

/* ---- products of 32 bits, and what is nearly one ---- */

/* Halves of the factors x and y: low and high; what stands before. In texts x, X, y, Y are these halves, % their
 * type, B the register between, D the result. */
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
/* What becomes of the register between, behind: nothing, it is written again, or some of it, or read. */
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
enum {
    FACTOR_PAIRS = sizeof factors / sizeof *factors,
    PRODUCT_FORMS = sizeof products / sizeof *products,
    BEHIND = sizeof behind / sizeof *behind
};

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

/* A text by the compiler and by both engines if it assembles: not every half may stand everywhere. */
static uint32_t hash_if_any(struct text *t, unsigned number) {
    struct asm_result code;
    char message[512] = "";
    const enum program_type type = strstr(t->at, "o[") ? PROGRAM_VP : PROGRAM_FP;
    if (isa_assemble((struct isa_target){ISA_GT215, type, SYNTAX_ENVYAS}, t->at, t->length, "code",
                     NULL, &code, message, sizeof message)) {
        if (shows)
            print_message("%s\n%s", message, t->at);
        return 0;
    }
    asm_result_free(&code);
    return hash_program(t, type, 0, number);
}

static void test_products(void **state) {
    static struct text t;
    struct pins pins = pins_open("native_products");
    unsigned number = 0, assembled = 0;
    (void)state;
    for (int product = 0; product < PRODUCT_FORMS; product++)
        for (int factor = 0; factor < FACTOR_PAIRS; factor++) {
            char key[LINE];
            uint32_t h = 0;
            snprintf(key, sizeof key, "product %d of factors %d", product, factor);
            begin_key(key);
            for (int k = 0; k < BEHIND; k++, number++) {
                const char *const to = number % 5 == 0 ? "$r18" : number % 5 == 1 ? "$r16" : "$r19";
                if (product && factor && k != number % 3 &&
                    k != 1) /* all of them behind the first ones */
                    continue;
                t = (struct text){.window = 0};
                put_text(&t, "mov b32 $r21 0x10\n%s", factors[factor].before);
                put_product(&t, &factors[factor], products[product], to);
                put_product(&t, &factors[factor], behind[k], to);
                const uint32_t one = hash_if_any(&t, number);
                assembled += one != 0;
                h = h * 16777619u + one;
            }
            pin(&pins, key, h);
        }
    print_message("%u of %u products\n", assembled, number);
    assert_true(assembled > 500);
    pins_close(&pins);
}

/* ---- whole programs ---- */

static void test_whole(void **state) {
    static const struct {
        const char *name, *text;
    } rows[] = {
        /* a branch into the midst of a long instruction, whose second word is one of its own */
        {"second word",
         "(lg $c0) bra 0x14\nlong mov b32 $r1 $r2\nlong add b32 $r2 $r1 $r1\nadd b32 $r1 $r1 $r2\nmov b32 $r3 $r1\n"},
        {"its own second word",
         "mov b32 $r1 $r2\nmov b32 $r2 $r3\nlong mov b32 $r1 $r2\n(lg $c0) bra 0xc\nmov b32 $r3 $r1\n"},
        {"back to the start",
         "mov b32 $r1 $r2\nadd b32 $r48 $r48 0x1\nset $c3 # l u32 $r48 $r6\n(lg $c3) bra 0x0\n"},
        {"back behind the start",
         "mov b32 $r1 $r2\nnop\nL: add b32 $r48 $r48 0x1\nset $c3 # l u32 $r48 $r6\n(lg $c3) bra #L\n"},
        {"to itself", "mov b32 $r1 $r2\nL: (lg $c3) bra #L\nadd b32 $r1 $r1 $r3\n"},
        {"to what is next",
         "mov b32 $r1 $r2\n(lg $c0) bra #L\nL: add b32 $r1 $r1 $r3\nbra #M\nM: mov b32 $r4 $r1\n"},
        {"fork at the start",
         "joinat #J\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\nmov b32 $r3 $r1\n"},
        {"forks in a row",
         "joinat #J\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\njoinat #K\n(lg $c1) bra #K\n"
         "mov b32 $r1 $r3\nK: join nop\nmov b32 $r3 $r1\n"},
        {"join of another fork",
         "joinat #K\n(lg $c0) bra #K\nmov b32 $r1 $r2\nJ: join nop\nK: join nop\n"},
        {"join behind the end",
         "joinat #K\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\nexit nop\nK: nop\n"},
        {"join before", "K: nop\njoinat #K\n(lg $c0) bra #J\nmov b32 $r1 $r2\nJ: join nop\n"},
        {"branch of all", "joinat #J\nbra #J\nmov b32 $r1 $r2\nJ: join nop\n"},
        {"branch to itself in a fork",
         "joinat #J\nL: (lg $c0) bra #L\nmov b32 $r1 $r2\nJ: join nop\n"},
        {"branch back in a fork",
         "joinat #J\nL: mov b32 $r1 $r2\n(lg $c0) bra #L\nmov b32 $r1 $r2\nJ: join nop\n"},
        {"no branch", "joinat #J\nmov b32 $r1 $r2\nJ: join nop\n"},
        {"first way ends",
         "joinat #J\n(lg $c0) bra #T\nexit nop\nT: mov b32 $r1 $r2\nJ: join nop\n"},
        {"break out of a fork",
         "breakaddr #E\njoinat #J\n(lg $c0) bra #T\nbreak\nT: mov b32 $r1 $r2\nJ: join nop\nE: nop\n"},
        {"nine forks",
         "joinat #A\n(lg $c0) bra #A\njoinat #B\n(e $c1) bra #B\njoinat #C\n(lg $c2) bra #C\njoinat #D\n"
         "(e $c3) bra #D\njoinat #E\n(l $c0) bra #E\njoinat #F\n(l $c1) bra #F\njoinat #G\n(l $c2) bra #G\n"
         "joinat #H\n(l $c3) bra #H\njoinat #I\n(g $c0) bra #I\nmov b32 $r1 $r2\nI: join nop\nH: join nop\n"
         "G: join nop\nF: join nop\nE: join nop\nD: join nop\nC: join nop\nB: join nop\nA: join nop\n"},
        {"code behind branches",
         "bra #L\nmov b32 $r1 $r2\nL: breakaddr #E\nbreak\nmov b32 $r1 $r3\nE: preret #R\nret\n"
         "mov b32 $r1 $r4\nR: mov b32 $r5 $r1\nexit nop\nmov b32 $r1 $r2\n"},
        {"pairs",
         "presin f32 $r1 $r2\nsin f32 $r1 $r1\npresin f32 $r1 $r2\nsin f32 $r3 $r1\npresin f32 $r1 $r2\nmov b32 $r4 $r1\n"
         "sin f32 $r1 $r1\npresin f32 $r1 $r2\nbra #L\nL: sin f32 $r1 $r1\npresin f32 $r1 $r2\n(lg $c0) cos f32 $r1 $r1\n"
         "rsqrt f32 $r1 $r2\nrcp f32 $r1 neg $r1\nrsqrt f32 $r1 $r2\nrcp f32 $r1 $r1\npreex2 f32 $r5 $r1\nex2 f32 $r5 $r5\n"
         "(lg $c1) preex2 f32 $r5 $r1\n(lg $c1) ex2 f32 $r5 $r5\n(lg $c1) presin f32 $r5 $r1\n(lg $c2) sin f32 $r5 $r5\n"},
        {"lanes again",
         "(lg $c0) mov b32 $r1 $r2\n(lg $c0) add b32 $c0 $r2 $r2 $r3\n(lg $c0) mov b32 $r3 $r1\n(lg $c1) mov b32 $r4 $r1\n"
         "(lg $c1) add b32 $c0 $r2 $r2 $r3\n(lg $c1) mov b32 $r1 $r4\n(e $c1) mov b32 $r2 $r4\nmov b32 $r4 $r5\n"
         "(e $c1) mov b32 $r5 $r4\n"},
    };
    static struct text t;
    struct pins pins = pins_open("native_whole");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin_key(rows[i].name);
        t = (struct text){.window = 0};
        put_text(&t, "%s", rows[i].text);
        pin(&pins, rows[i].name, hash_program(&t, PROGRAM_FP, 0, i));
    }
    pins_close(&pins);
}

/* Fermi's: joins behind instructions, guards, calls, loops left and gone on with. */
static void test_fermi(void **state) {
#define SOME "set $p0 0x1 lt u32 $r0 $r9\n"
#define AGAIN "add b32 $r5 $r5 0x1\nset $p1 0x1 lt u32 $r5 $r6\n$p1 bra #L\n"
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
        SUM
        "set $p2 $p3 lt u32 $r0 $r2 and $p0\nselp b32 $r4 $r1 $r2 $p2\nselp b32 $r7 $r1 $r2 not $p3\n$p3 add b32 $r1 $r1 $r4\n",
    };
    static struct text t;
    struct pins pins = pins_open("native_fermi");
    unsigned assembled = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct isa_target target = {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS};
        char key[LINE], message[512] = "";
        struct asm_result code;
        snprintf(key, sizeof key, "program %zu", i);
        begin_key(key);
        t = (struct text){.window = 0};
        put_text(&t, "%s", rows[i]);
        if (isa_assemble(target, t.at, t.length, "code", NULL, &code, message, sizeof message)) {
            print_message("%zu: %s\n", i, message);
            continue;
        }
        asm_result_free(&code);
        assembled++;
        pin(&pins, key, hash_target(&t, target, 0, i));
    }
    assert_int_equal(assembled, sizeof rows / sizeof *rows);
    pins_close(&pins);
}

/* Fermi's comparisons, whatever they write, combined with every kind of predicate: one behind the other, each with its
 * result added to a sum. */
static void test_fermi_comparisons(void **state) {
    static const char *const to[] = {"$p2",     "$p2 0x1",    "$p2 $p3", "b32 $r4",
                                     "f32 $r4", "b32 $r4 $c", "$p2 $c"};
    static const char *const what[] = {"lt u32 $r0 $r9", "ge s32 $r1 $r2", "lt f32 $r2 $r3",
                                       "nan f32 $r1 $r2", "ne s32 $r0 0x3"};
    static const char *const with[] = {"and 0x1",     "and $p0",     "and not $p0", "or 0x1",
                                       "or $p0",      "or not $p0",  "xor 0x1",     "xor $p0",
                                       "xor not $p1", "and not 0x1", "or not 0x1"};
    enum {
        TO = sizeof to / sizeof *to,
        WHAT = sizeof what / sizeof *what,
        WITH = sizeof with / sizeof *with
    };
    static struct text t;
    struct pins pins = pins_open("native_fermi_comparisons");
    unsigned assembled = 0;
    (void)state;
    for (int i = 0; i < TO * WHAT * 2; i++) {
        const struct isa_target target = {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS};
        const char *const a = to[i % TO], *const b = what[i / TO % WHAT],
                          *const guard = i / TO / WHAT ? "$p1 " : "";
        char key[LINE], message[512] = "";
        snprintf(key, sizeof key, "%sset %s %s", guard, a, b);
        begin_key(key);
        t = (struct text){.window = 0};
        put_text(&t, "set $p0 0x1 lt u32 $r0 $r9\nset $p1 0x1 le u32 $r0 $r6\n");
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
        pin(&pins, key, hash_target(&t, target, 0, (uint64_t)i));
    }
    assert_in_range(assembled, TO * WHAT * 2 * WITH / 2, TO * WHAT * 2 * WITH);
    pins_close(&pins);
}

int main(void) {
    make_sets();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_fermi),
        cmocka_unit_test(test_fermi_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
