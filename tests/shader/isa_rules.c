/* Rules for every instruction: the encoding of an op decodes to the same op, or the op is refused;
 * the fields of the op; named choices, bits and lengths. tests/shader/texts/notations.txt has each
 * notation's numbers, names and limits. */
#include "shader/isa/dotted.h"
#include "tests/assembled.h"
#include "tests/shader/encode.h"
#include "tests/test.h"

static const struct isa_target tesla = {ISA_GT215, PROGRAM_CP, SYNTAX_ENVYAS},
                               fermi = {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS},
                               asfermi = {ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI},
                               g64 = {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS};

static struct op decoded(struct isa_target target, uint32_t w0, uint32_t w1) {
    struct op op;
    isa_decode(target, (uint32_t[]){w0, w1}, 2, 0, &op);
    return op;
}

/* ---- ops with altered fields ---- */

#define M(m) offsetof(struct op, m)
#define OPERAND(o)                                                                                 \
    {M(o.file), 1, FILE_PRIM}, {M(o.type), 1, TYPE_B96}, {M(o.mem), 1, TYPE_B96},                  \
        {M(o.index), 1, 15}, {M(o.areg), 1, 7}, {M(o.flags), 1, 15}, {M(o.value), 4, 0x1ff}

/* The parts of Tesla's instructions: place and size in struct op, and the highest value that is
 * tried. */
static const struct {
    uint16_t at, size;
    uint32_t most;
} parts[] = {
    {M(pred), 1, 31},
    {M(pred_reg), 1, 3},
    {M(cdst), 1, 4},
    {M(type), 1, TYPE_B96},
    {M(exit), 1, 1},
    {M(join), 1, 1},
    {M(sat), 1, 1},
    {M(high), 1, 1},
    {M(integral), 1, 1},
    {M(limited), 1, 1},
    {M(sfu), 1, 1},
    {M(emit), 1, 1},
    {M(restart), 1, 1},
    {M(vote_any), 1, 1},
    {M(vote_all), 1, 1},
    {M(round), 1, 3},
    {M(cond), 1, 15},
    {M(add_kind), 1, 4},
    {M(logic), 1, 3},
    {M(atomic), 1, 15},
    {M(lane_mask4), 1, 15},
    {M(quad_lane), 1, 7},
    {M(quad_ops[0]), 1, 3},
    {M(quad_ops[1]), 1, 3},
    {M(quad_ops[2]), 1, 3},
    {M(quad_ops[3]), 1, 3},
    {M(interp_mode), 1, 2},
    {M(bar_inc), 1, 1},
    {M(bar_wait), 1, 1},
    {M(bar_all), 1, 1},
    {M(bar_id), 1, 16},
    {M(bar_count), 2, 0x1000},
    {M(target), 4, 0x2000000},
    OPERAND(dst),
    OPERAND(src[0]),
    OPERAND(src[1]),
    OPERAND(src[2]),
    {M(tex.tic), 1, 255},
    {M(tex.tsc), 1, 32},
    {M(tex.call.source_count), 1, 5},
    {M(tex.call.result_mask), 1, 16},
    {M(tex.base), 1, 128},
    {M(tex.call.cube), 1, 1},
    {M(tex.live), 1, 1},
    {M(tex.deriv), 1, 1},
    {M(tex.call.offset[0]), 1, 255},
    {M(tex.call.offset[1]), 1, 255},
    {M(tex.call.offset[2]), 1, 255},
};
enum { PARTS = LENGTH(parts) };

static uint32_t get(const struct op *op, size_t part) {
    uint32_t v = 0;
    memcpy(&v, (const uint8_t *)op + parts[part].at, parts[part].size);
    return v;
}

static void set(struct op *op, size_t part, uint32_t v) {
    memcpy((uint8_t *)op + parts[part].at, &v, parts[part].size);
}

/* If an altered op has an encoding, the encoding decodes to the altered op. */
TEST(test_altered_ops) {
    unsigned encoded = 0, refused = 0;
    for (unsigned n = 0; n < 30 * isa_tesla.row_count; n++) {
        const struct encoding_row *row = &isa_tesla.rows[n % isa_tesla.row_count];
        const struct isa_target target = {random_word() % ISA_TESLA_VARIANTS,
                                          random_word() % PROGRAM_TYPES, SYNTAX_ENVYAS};
        const uint32_t w0 = (random_word() & random_word() & ~row->mask[0]) | row->bits[0];
        const uint32_t w1 = (random_word() & random_word() & ~row->mask[1]) | row->bits[1];
        const struct op op = decoded(target, w0, w1);
        if (op.code == OP_ILLEGAL)
            continue;
        for (size_t part = 0; part < PARTS; part++) {
            struct op altered = op, back;
            uint32_t w[2];
            const uint32_t v = random_word() % (parts[part].most + 1);
            set(&altered, part, v);
            const int words = isa_encode(target, &altered, w);
            *(words ? &encoded : &refused) += 1;
            if (!words)
                continue;
            isa_decode(target, w, (size_t)words, 0, &back);
            assert_int_equal(back.code, op.code);
            assert_int_equal(back.words, words);
            for (size_t k = 0; k < PARTS; k++)
                if (get(&back, k) != get(&altered, k))
                    fail_msg("%08x %08x, byte %u made %u: byte %u is %u, not %u", w0, w1,
                             parts[part].at, v, parts[k].at, get(&back, k), get(&altered, k));
        }
    }
    assert_true(encoded > 10000);
    assert_true(refused > 10000);
}

/* BAR takes a barrier and a count, each a register or a number. */
TEST(test_barriers) {
    static const char *const texts[] = {"BAR.RED.POPC R0, R1, R2",
                                        "BAR.RED.POPC R0, 0xf, 0xfff",
                                        "BAR.RED.POPC R0, 0xf, R2",
                                        "BAR.RED.POPC R0, R1, 0xfff",
                                        "BAR.RED.POPC R0, RZ",
                                        "BAR.RED.POPC R0, 0x0",
                                        "BAR.RED.AND RZ, P0, RZ, R3",
                                        "BAR.ARV RZ, RZ",
                                        "BAR.ARV 0x1, RZ",
                                        "BAR.ARV RZ, 0x20",
                                        "BAR.ARV R62, R62"};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct op op;
        char text[256] = "";
        if (!isa_assemble_line(asfermi, texts[i], strlen(texts[i]), 0, &op, text, sizeof text))
            fail_msg("%s: %s", texts[i], text);
        isa_print(asfermi, &op, text, sizeof text);
        assert_string_equal(text, texts[i]);
    }
}

/* Fermi's notations write tests of $c; the op holds the test's number. */
TEST(test_tests_of_flags) {
    char text[256], source[300];
    struct op op, again;
    for (uint32_t i = 0; i < 32; i++) {
        op = decoded(fermi, 0x00001c07 | i << 5, 0x80000000);
        assert_int_equal(op.code, OP_EXIT);
        assert_int_equal(op.pred, i);
        isa_print(fermi, &op, text, sizeof text);
        assert_int_equal(strstr(text, " $c exit") != NULL, i != PRED_ALWAYS);
        snprintf(source, sizeof source, "long %s", text);
        struct asm_result r = assembled(fermi.variant, fermi.type, source);
        assert_memory_equal(r.words, op.w, sizeof op.w);
        asm_result_free(&r);
        op = decoded(asfermi, 0x00001c04 | i << 5, 0x40000000);
        isa_print(asfermi, &op, text, sizeof text);
        assert_int_equal(strstr(text, "NOP CC.") != NULL, i != PRED_ALWAYS);
        if (!isa_assemble_line(asfermi, text, strlen(text), 0, &again, text, sizeof text))
            fail_msg("%s", text);
        assert_memory_equal(again.w, op.w, sizeof op.w);
    }
}

/* Barrier numbers and thread counts keep all their bits in the op. */
TEST(test_numbers_of_ops) {
    for (uint32_t id = 0; id < 16; id++)
        for (uint32_t count = 1; count < 0x1000; count = 2 * count + 1) {
            char text[128], message[256];
            struct op op;
            snprintf(text, sizeof text, "BAR.ARV 0x%x, 0x%x", id, count);
            if (!isa_assemble_line(asfermi, text, strlen(text), 0, &op, message, sizeof message))
                fail_msg("%s: %s", text, message);
            const struct op read = decoded(fermi, op.w[0], op.w[1]);
            assert_int_equal(read.bar_id, id);
            assert_int_equal(read.bar_count, count);
            snprintf(text, sizeof text, "bar inc wait 0x%x 0x%x", id, count);
            if (!isa_assemble_line(tesla, text, strlen(text), 0, &op, message, sizeof message))
                fail_msg("%s: %s", text, message);
            assert_int_equal(op.bar_id, id);
            assert_int_equal(op.bar_count, count);
            assert_int_equal(decoded(tesla, op.w[0], op.w[1]).bar_count, count);
            char again[128];
            isa_print(tesla, &op, again, sizeof again);
            assert_string_equal(again, text);
        }
}

/* An instruction that is illegal, or that the notation cannot write, is printed as its words, with
 * the reason or the name of the instruction. */
TEST(test_raw_words) {
    static const struct {
        const struct isa_target *target;
        uint32_t w[2];
        const char *text;
    } rows[] = {
        {&tesla, {0x00000000, 0}, ".b32 0x00000000 // ILLEGAL_OPCODE"},
        {&tesla, {0xf0000201, 0xc0000780}, ".b32 0xf0000201 0xc0000780 // EMIT_NON_GP"},
        {&asfermi, {0x00000007, 0}, "!RawInstruction 0x00000007 0x00000000 // bra"},
        {&fermi, {0x0000000f, 0}, ".b32 0x0000000f // ILLEGAL_INSTR_ENCODING"},
        {&fermi, {0x00000007, 0xf0000000}, ".b32 0x00000007 0xf0000000 // ILLEGAL_INSTR_ENCODING"},
        {&asfermi,
         {0x00000007, 0xf0000000},
         "!RawInstruction 0x00000007 0xf0000000 // ILLEGAL_INSTR_ENCODING"},
        {&asfermi, {0x00001c08, 0}, "!RawInstruction 0x00001c08 // nop"},
        {&g64, {0xffffffff, 0xffffffff}, ".b32 0xffffffff 0xffffffff // ILLEGAL_INSTR_ENCODING"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[256];
        const struct op op = decoded(*rows[i].target, rows[i].w[0], rows[i].w[1]);
        const int length = isa_print(*rows[i].target, &op, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(length, strlen(text));
        for (size_t size = 0; size < strlen(rows[i].text) + 2; size++) { /* each size: cut to fit */
            char *part = malloc(size);
            assert_int_equal(isa_print(*rows[i].target, &op, size ? part : NULL, size), length);
            if (size) {
                assert_int_equal(strlen(part), size <= (size_t)length ? size - 1 : (size_t)length);
                assert_memory_equal(part, text, strlen(part));
            }
            free(part);
        }
    }
}

static bool has_kind(const struct isa *isa, const struct encoding_row *row, enum field_kind kind) {
    for (const uint16_t *f = row->fields; *f; f++)
        if (isa->fields[*f].kind == kind)
            return true;
    return false;
}

/* Fermi's register 63 is written as 0, except as the first register of a vector, a pair or a
 * quad. */
TEST(test_zero_register) {
    unsigned zeros = 0;
    for (int v = ISA_GF100; v <= ISA_GK104; v++)
        for (unsigned i = 0; i < isa_fermi.row_count; i++) {
            const struct encoding_row *row = &isa_fermi.rows[i];
            if (has_kind(&isa_fermi, row, PLAIN_VECTOR) ||
                has_kind(&isa_fermi, row, PLAIN_MASKED) || has_kind(&isa_fermi, row, PLAIN_TEX1) ||
                has_kind(&isa_fermi, row, PLAIN_TEX2))
                continue;
            uint64_t w = row->bits[0] | (uint64_t)row->bits[1] << 32;
            for (const uint16_t *f = row->fields; *f; f++)
                if (isa_fermi.fields[*f].kind == PLAIN_REG)
                    w |= (uint64_t)FERMI_RZ << isa_fermi.fields[*f].pos;
            const struct isa_target target = {(enum isa_variant)v, PROGRAM_CP, SYNTAX_ENVYAS};
            const struct op op = decoded(target, (uint32_t)w, (uint32_t)(w >> 32));
            char text[256];
            isa_print(target, &op, text, sizeof text);
            zeros += strstr(text, " 0x0") != NULL;
            for (const char *at = text; (at = strstr(at, "$r63")); at += 4)
                if (at[4] != 'd' && at[4] != 'q')
                    fail_msg("%s", text);
        }
    assert_true(zeros > 200);
}

/* Words of the encoding row: the field `field` holds v, the bits of other fields are random and
 * mostly 0. */
static uint64_t with_choice(const struct isa *isa, const struct encoding_row *row,
                            const struct field *field, uint32_t v) {
    const uint64_t fixed = row->mask[0] | (uint64_t)row->mask[1] << 32,
                   low = (1u << field->len) - 1;
    const uint64_t high = (1u << field->len2) - 1;
    uint64_t w = 0, own = low << field->pos | high << field->pos2;
    for (const uint16_t *f = row->fields; *f; f++)
        w |= dot_field_mask(&isa->fields[*f]) & (random_word() | (uint64_t)random_word() << 32) &
             (random_word() | (uint64_t)random_word() << 32);
    w = (w & ~fixed) | row->bits[0] | (uint64_t)row->bits[1] << 32;
    return (w & ~own) | (v & low) << field->pos | (uint64_t)(v >> field->len) << field->pos2;
}

/* Every named choice of the dotted notations can be written: some words print with the name, and
 * the text assembles to the same words. */
TEST(test_choices) {
    static const struct isa_target targets[] = {{ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI},
                                                {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}};
    for (int t = 0; t < 2; t++) {
        const struct isa *isa = isa_notation(targets[t]);
        unsigned found = 0, missing = 0;
        for (unsigned i = 0; i < isa->row_count; i++)
            for (const uint16_t *f = isa->rows[i].fields; *f; f++) {
                const struct field *field = &isa->fields[*f];
                for (unsigned v = 0;
                     field->kind == DOT_CHOICE && v < 1u << (field->len + field->len2); v++) {
                    char text[256] = "", name[32], message[256];
                    struct op op, again;
                    bool right = !field->choice[v].name;
                    snprintf(name, sizeof name, ".%s", right ? "" : field->choice[v].name);
                    for (int tries = 0; tries < 100 && !right; tries++) {
                        const uint64_t w = with_choice(isa, &isa->rows[i], field, v);
                        op = decoded(targets[t], (uint32_t)w, (uint32_t)(w >> 32));
                        if (op.code == OP_ILLEGAL)
                            continue;
                        isa_print(targets[t], &op, text, sizeof text);
                        right = (!name[1] || strstr(text, name)) &&
                                isa_assemble_line(targets[t], text, strlen(text), 0, &again,
                                                  message, sizeof message) &&
                                !memcmp(again.w, op.w, sizeof op.w);
                    }
                    *(right ? &found : &missing) += 1;
                }
            }
        assert_true(found > 200);
        /* asfermi: 57 choices have a shorter text in another encoding row, or bits without a name
         * */
        assert_int_equal(missing, t ? 0 : 57);
    }
}

/* In generic64 every bit counts: words that differ in one bit are illegal or have another text. */
TEST(test_every_bit_counts) {
    unsigned other = 0, none = 0;
    for (unsigned i = 0; i < 4 * isa_g64.row_count; i++) {
        const struct encoding_row *row = &isa_g64.rows[i / 4];
        static const struct field nothing;
        const uint64_t w = with_choice(&isa_g64, row, &nothing, 0);
        const struct op op = decoded(g64, (uint32_t)w, (uint32_t)(w >> 32));
        char text[256], changed[256];
        if (op.code == OP_ILLEGAL)
            continue;
        isa_print(g64, &op, text, sizeof text);
        for (int bit = 0; bit < 64; bit++) {
            const uint64_t x = w ^ UINT64_C(1) << bit;
            const struct op at = decoded(g64, (uint32_t)x, (uint32_t)(x >> 32));
            isa_print(g64, &at, changed, sizeof changed);
            *(at.code == OP_ILLEGAL ? &none : &other) += 1;
            if (!strcmp(text, changed))
                fail_msg("%s: bit %d", text, bit);
        }
    }
    assert_true(none > 1000 && other > 1000);
}

/* Every short instruction has a long form, which is used before another long instruction. Both
 * forms mean the same. */
TEST(test_lengthened) {
    unsigned lengthened = 0;
    for (int type = 0; type < PROGRAM_TYPES; type++)
        for (unsigned i = 0; i < 10 * isa_tesla.row_count; i++) {
            const struct encoding_row *row = &isa_tesla.rows[i / 10];
            const struct isa_target target = {(enum isa_variant)(i % ISA_TESLA_VARIANTS),
                                              (enum program_type)type, SYNTAX_ENVYAS};
            const struct op op =
                decoded(target, row->bits[0] | (random_word() & random_word() & ~row->mask[0]), 0);
            char text[256], source[600];
            if (op.code == OP_ILLEGAL || op.words != 1)
                continue;
            isa_print(target, &op, text, sizeof text);
            snprintf(source, sizeof source, "%s\nlong mov b32 $r1 $r2", text);
            struct asm_result both = assembled(target.variant, target.type, source);
            assert_int_equal(both.count, 4);
            assert_true(both.words[2] == 0x10000405 && both.words[3] == 0x0403c780);
            const struct op longer = decoded(target, both.words[0], both.words[1]);
            asm_result_free(&both);
            assert_int_equal(longer.words, 2);
            assert_int_equal(longer.code, op.code);
            for (size_t k = 0; k < PARTS; k++)
                if (get(&longer, k) != get(&op, k))
                    fail_msg("%s: byte %u is %u, not %u", text, parts[k].at, get(&longer, k),
                             get(&op, k));
            lengthened++;
        }
    assert_true(lengthened > 500);
}
