/* The table of operations (shader/ops.inc) against decoders and handlers, on random words of every
 * instruction set. The rules: a decoded instruction has no parts that its line in the table does
 * not list; it changes only the places of op_writes(), and depends only on the registers of
 * op_reads(). Also tests the sentences that explain instructions. */
#include "base/memory.h"
#include "shader/isa/table.h"
#include "shader/warp.h"
#include "tests/test.h"

enum { DECODED = 200000, EXECUTED = 400 };

/* Half of Tesla's words get the bits of the common long form, which random words seldom have. */
static void random_instruction(enum isa_variant v, uint32_t word[2]) {
    word[0] = random_word();
    word[1] = random_word();
    if (isa_set_of(v) != SET_TESLA || random_word() % 2)
        return;
    word[0] |= 1;
    word[1] &= 0xe07fffff & ~0x001f0003u;
}

static void check_columns(const struct op *op, enum isa_variant v) {
    const struct op_info *info = &op_infos[op->code];
    const bool control = op_class(op) == CLASS_CONTROL;
    if (!(info->sets >> isa_set_of(v) & 1))
        fail_msg("%s, %s: not of this set", isa_variant_name(v), info->name);
    for (int k = info->sources; k < 3; k++)
        if (op->src[k].file != FILE_NONE)
            fail_msg("%s, %s: has source %d", isa_variant_name(v), info->name, k);
    if (op->cdst != NO_FLAGS_DST && !op_has(op, TRAIT_FLAGS))
        fail_msg("%s, %s: writes $c", isa_variant_name(v), info->name);
    /* an addend, not an address */
    if (op->target && !op_has(op, TRAIT_TARGET) && op->code != OP_BRA_INDIRECT)
        fail_msg("%s, %s: has a target", isa_variant_name(v), info->name);
    if (control && op->pred != PRED_ALWAYS && !op_has(op, TRAIT_PREDICABLE))
        fail_msg("%s, %s: is predicated", isa_variant_name(v), info->name);
    if (!control && (op_has(op, TRAIT_TARGET) || op_has(op, TRAIT_LEAVES)))
        fail_msg("%s: no control", info->name);
}

TEST(test_columns) {
    random_start(1);
    for (int v = 0; v < ISA_VARIANTS; v++) {
        for (int i = 0; i < DECODED; i++) {
            const struct isa_target target = {(enum isa_variant)v, i % PROGRAM_TYPES,
                                              SYNTAX_ENVYAS};
            uint32_t word[2];
            struct op op;
            random_instruction((enum isa_variant)v, word);
            isa_decode(target, word, 2, 0, &op);
            check_columns(&op, (enum isa_variant)v);
        }
    }
}

/* ---- what is read and written ---- */

static struct warp before, one, other;
static uint8_t constants[0x10000], shared[0x4000];
static int16_t locks[0x1000];
static struct cta_shared cta = {
    .s = shared, .s_size = sizeof shared, .warp_count = 1, .lock_owner = locks};
static struct global_view views[16];
static struct gpu_memory *memory;

static void fill(u32x32 *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (int lane = 0; lane < LANES; lane++)
            rows[i][lane] = random_word();
}

static bool in_set(const uint64_t r[2], uint32_t n) {
    return r[n / 64] >> n % 64 & 1;
}

/* Changes the registers that op neither reads nor writes. */
static void disturb(struct warp *w, const struct op_places *reads, const struct op_places *writes,
                    uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!in_set(reads->r, i) && !in_set(writes->r, i))
            fill(&w->r[i], 1);
}

static void check_warps(const struct op *op, const struct op_places *writes, uint32_t count) {
    const char *name = opcode_name((enum opcode)op->code);
    for (uint32_t i = 0; i < count; i++) {
        if (!in_set(writes->r, i) && memcmp(&one.r[i], &before.r[i], sizeof one.r[i]))
            fail_msg("%s changes $r%u", name, i);
        if (in_set(writes->r, i) && memcmp(&one.r[i], &other.r[i], sizeof one.r[i]))
            fail_msg("%s: $r%u depends on a register that it does not read", name, i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (!(writes->c >> i & 1) && memcmp(&one.c[i], &before.c[i], sizeof one.c[i]) &&
            op_class(op) != CLASS_PREDICATE)
            fail_msg("%s changes $c%u", name, i);
        if (memcmp(&one.c[i], &other.c[i], sizeof one.c[i]))
            fail_msg("%s: $c%u depends on a register that it does not read", name, i);
    }
}

static bool is_checked(const struct op *op) {
    switch (op_class(op)) {
    case CLASS_MOVE:
    case CLASS_INTEGER:
    case CLASS_CONVERSION:
    case CLASS_FLOAT:
    case CLASS_FUNCTION:
    case CLASS_DOUBLE:
    case CLASS_PREDICATE:
    case CLASS_WARP:
    case CLASS_MEMORY:
        return !op->exit && !op->join;
    default:
        return false;
    }
}

static void check_execution(struct program *p, const struct op *op) {
    struct warp_env env = {.program = p, .simd = SIMD_BASE};
    const uint32_t count = p->header.reg_count;
    const struct op_places reads = op_reads(op), writes = op_writes(op);
    env.g = views;
    if (isa_set_of(p->variant) != SET_TESLA)
        env.memory = memory;
    for (int i = 0; i < 16; i++)
        env.c[i] = (struct const_view){constants, sizeof constants};
    warp_start(&before, &env, LANES_ALL, 0);
    fill(before.r, count);
    fill(before.a + 1, 7);
    for (int i = 0; i < 4; i++)
        before.c[i] = (struct flags){random_word(), random_word(), random_word(), random_word()};
    for (int i = 0; i < PRED_TRUE; i++)
        before.fermi.p[i] = random_word();
    before.cta = &cta;
    memcpy(&one, &before, sizeof one);
    memcpy(&other, &before, sizeof other);
    one.stack = one.own_stack;
    other.stack = other.own_stack;
    disturb(&other, &reads, &writes, count);
    warp_step(&one, &env);
    warp_step(&other, &env);
    check_warps(op, &writes, count);
}

TEST(test_places) {
    static const enum isa_variant variants[] = {ISA_GT215, ISA_GF100, ISA_GK104, ISA_G64};
    uint32_t done[OPCODES] = {0};
    random_start(2);
    memory = memory_create(1 << 20, -1);
    memset(locks, 0xff, sizeof locks);
    for (size_t i = 0; i < sizeof constants; i++)
        constants[i] = (uint8_t)random_word();
    for (size_t v = 0; v < LENGTH(variants); v++) {
        const struct isa_target target = {variants[v], PROGRAM_CP, SYNTAX_ENVYAS};
        const struct program_header header = {.reg_count =
                                                  isa_set_of(variants[v]) == SET_TESLA ? 128 : 64};
        for (int i = 0; i < DECODED; i++) {
            uint32_t word[4] = {0};
            struct op op;
            random_instruction(variants[v], word);
            isa_decode(target, word, 2, 0, &op);
            if (!is_checked(&op) || done[op.code]++ > EXECUTED)
                continue;
            struct program *p =
                program_from_words(PROGRAM_CP, variants[v], &header, word, 4, 0, 0, "ops", NULL);
            assert_non_null(p);
            check_execution(p, &p->ops[0]);
            program_unref(p);
        }
    }
    memory_destroy(memory);
}

/* The sentence about an instruction ends with its flags. */
TEST(test_sentences_of_flags) {
    static const struct {
        enum isa_variant variant;
        uint32_t words[2];
        const char *sentence;
    } rows[] = {
        {ISA_GT215, {0xf0000001, 0xe0000780}, "Does nothing."},
        {ISA_GT215, {0xf0000201, 0xc0000780}, "Emits the vertex in o[]."},
        {ISA_GT215, {0xf0000001, 0xe0000781}, "Does nothing. Then the threads end."},
        {ISA_GT215,
         {0xf0000001, 0xe0000782},
         "Does nothing. First, lanes wait here for those that took another way."},
        {ISA_GF100,
         {0x00001df4, 0x40000000},
         "Does nothing. Then its lanes wait where the ways meet."},
    };
    for (unsigned i = 0; i < LENGTH(rows); i++) {
        const struct isa_target target = {rows[i].variant, PROGRAM_GP, SYNTAX_ENVYAS};
        char sentence[256];
        struct op op;
        isa_decode(target, rows[i].words, 2, 0, &op);
        isa_explain_op(target, &op, sentence, sizeof sentence);
        assert_string_equal(sentence, rows[i].sentence);
    }
}

/* The forms of an instruction show what may be left out, and what is chosen. */
TEST(test_forms) {
    static const struct {
        enum isa_variant variant;
        const char *name, *form;
    } rows[] = {
        {ISA_GT215, "cvt", "cvt [neg] [abs] [sat] (rn|rm|rp|rz) f32 [$c] D (u16|s16|u8|s8) A"},
        {ISA_GF100, "set",
         "set [ftz] $p $p (false|lt|eq|le|gt|ne|ge|num|...) f32 [neg] [abs] A [neg] [abs] B [and $p]"},
        {ISA_G64, "ADD", "ADD[.U][.SAT] D, A, B"},
    };
    for (unsigned i = 0; i < LENGTH(rows); i++) {
        const struct isa_target target = {rows[i].variant, PROGRAM_FP, SYNTAX_ENVYAS};
        char *text = NULL, line[128];
        size_t size;
        FILE *const to = open_memstream(&text, &size);
        assert_true(isa_explain_name(target, rows[i].name, to));
        fclose(to);
        snprintf(line, sizeof line, "\n    %s\n", rows[i].form);
        if (!strstr(text, line))
            fail_msg("%s", text);
        free(text);
    }
}

/* Every encoding row of every set has a sentence (shader/isa/explain.inc). Placeholders are
 * replaced by operands, and no optional part in brackets is left. */
TEST(test_sentences) {
    static const enum isa_variant sets[] = {ISA_G200, ISA_GT215, ISA_GF100, ISA_GK104, ISA_G64};
    for (unsigned s = 0; s < LENGTH(sets); s++) {
        const struct isa *const isa = isa_of(sets[s]);
        for (unsigned i = 0; i < isa->row_count; i++)
            for (int type = 0; type < PROGRAM_TESLA_TYPES; type++) {
                const struct isa_target target = {sets[s], (enum program_type)type, SYNTAX_ENVYAS};
                char sentence[256];
                struct op op;
                isa_decode(target, isa->rows[i].bits, 2, 0, &op);
                isa_explain_op(target, &op, sentence, sizeof sentence);
                const size_t length = strlen(sentence);
                if (op.code == OP_ILLEGAL) {
                    assert_int_equal(length, 0);
                    continue;
                }
                if (length < 5 || sentence[length - 1] != '.')
                    fail_msg("%s, row %u (%s) has no sentence", isa_variant_name(sets[s]), i,
                             opcode_name(op.code));
                assert_null(strstr(sentence, "[,"));
                assert_null(strstr(sentence, "[D"));
            }
    }
}
