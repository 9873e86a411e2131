/* Compute programs of Fermi and generic64: places of branches, doubles, attributes, tests of $c,
 * random programs. tests/shader/programs/fermi.txt has small programs and arithmetic. */
#include "shader/isa/table.h"
#include "tests/shader/job.h"
#include "tests/shader/random_words.h"
#include "tests/shader/warp_case.h"

static const enum isa_variant sets[] = {ISA_GF100, ISA_G64};

#define FOR_EACH_SET(set, level)                                                                   \
    for (int set = 0; set < 2; set++)                                                              \
    FOR_EACH_LEVEL(level)

/* Branch targets in c[]: absolute or relative to the next instruction, at a fixed place or at one
 * that a register selects. Lanes that do not branch may have any target. An instruction that
 * prepares a target is followed by the instruction that goes there. */
TEST(test_places_in_constants) {
    static const struct {
        const char *text, *then;
        bool absolute;
    } rows[] = {
        {"bra c0[0x10]", "", true},
        {"bra pcrel c0[0x10]", "", false},
        {"bra c0[$r3+0x10]", "", true},
        {"bra pcrel c0[$r3+0x10]", "", false},
        {"$p0 bra c0[$r3+0x10]", "", true},
        {"$p0 bra pcrel c0[$r3+0x10]", "", false},
        {"call c0[0x10]", "", true},
        {"call pcrel c0[0x10]", "", false},
        {"prelongjmp pcrel c0[0x10]", "longjmp\n", false},
        {"prebrk pcrel c0[0x10]", "brk\n", false},
        {"precont pcrel c0[0x10]", "cont\n", false},
        {"preret pcrel c0[0x10]", "ret\n", false},
        {"joinat pcrel c0[0x10]", "join nop\n", false},
    };
    for (size_t i = 0; i < LENGTH(rows); i++)
        FOR_EACH_LEVEL(level) {
            const bool some = rows[i].text[0] == '$';
            uint32_t table[4 + LANES], target = 0, next = 0;
            char text[256];
            snprintf(
                text, sizeof text,
                "mov b32 $r1 0x1\nshl b32 $r3 $r0 clamp 0x2\nset $p0 0x1 lt u32 $r0 0x10\n%s\n%smov b32 $r1 0x2\n"
                "exit\nadd b32 $r1 $r1 0x10\nexit\n",
                rows[i].text, rows[i].then);
            CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
            for (uint32_t w = 0; w < c.program->word_count; w += c.program->ops[w].words) {
                const unsigned code = c.program->ops[w].code;
                if (code == OP_IADD)
                    target = 4 * w;
                if (code == OP_BRA_INDIRECT || code == OP_CALL_INDIRECT || code == OP_PUSH_INDIRECT)
                    next = 4 * (w + c.program->ops[w].words);
            }
            assert_true(target && next);
            for (uint32_t k = 0; k < 4 + LANES; k++)
                table[k] = k < 4 || (some && k >= 4 + 16) ? 0x1000 + k
                                                          : target - (rows[i].absolute ? 0 : next);
            c.env.c[0] = (struct const_view){(const uint8_t *)table, sizeof table};
            case_run(&c);
            for (uint32_t k = 0; k < LANES; k++)
                if (c.w->r[1][k] != (some && k >= 16 ? 2 : 0x11))
                    fail_msg("%s: %x in lane %u", rows[i].text, c.w->r[1][k], k);
        }
}

/* Double precision: operands $r8d, $r10d, $r12d, result $r4d. Products, sums and roundings;
 * modifiers for each operand. */
TEST(test_doubles) {
    static const struct {
        const char *text;
        double a, b, d, result;
    } rows[] = {
        {"add rn f64 $r4d $r8d $r10d", 1, 2, 9, 3},
        {"add rn f64 $r4d $r8d neg $r10d", 1, 2, 9, -1},
        {"mul rn f64 $r4d $r8d $r10d", 3, 5, 9, 15},
        {"fma rn f64 $r4d $r8d $r10d $r12d", 3, 5, 9, 24},
        {"fma rn f64 $r4d neg $r8d $r10d $r12d", 3, 5, 9, -6},
        {"fma rn f64 $r4d $r8d $r10d neg $r12d", 3, 5, 9, 6},
        {"fma rp f64 $r4d $r8d $r10d $r12d", 1, 1, 0x1p-60, 1 + 0x1p-52},
        {"fma rm f64 $r4d $r8d $r10d $r12d", 1, 1, 0x1p-60, 1},
        {"fma rz f64 $r4d $r8d $r10d $r12d", 1, -1, 0x1p-60, -1 + 0x1p-53},
        {"fma rn f64 $r4d $r8d $r10d $r12d", 1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29, 0x1p-60},
        {"add rp f64 $r4d $r8d $r10d", 1, 0x1p-60, 9, 1 + 0x1p-52},
        {"mul rm f64 $r4d $r8d $r10d", -1 - 0x1p-52, 1 + 0x1p-52, 9, -1 - 0x1.8p-51},
        {"min f64 $r4d $r8d $r10d", 3, 5, 9, 3},
        {"max f64 $r4d $r8d $r10d", 3, 5, 9, 5},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        FOR_EACH_LEVEL(level) {
            const double in[] = {rows[i].a, rows[i].b, rows[i].d};
            char text[128];
            snprintf(text, sizeof text, "%s\nexit\n", rows[i].text);
            CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
            for (int k = 0; k < 3; k++) {
                uint32_t word[2];
                memcpy(word, &in[k], 8);
                c.w->r[8 + 2 * k] = lanes_splat(word[0]);
                c.w->r[9 + 2 * k] = lanes_splat(word[1]);
            }
            case_run(&c);
            for (int k = 0; k < LANES; k++) {
                const uint32_t word[2] = {c.w->r[4][k], c.w->r[5][k]};
                double got;
                memcpy(&got, word, 8);
                if (got != rows[i].result)
                    fail_msg("%s: %a, not %a (level %d)", rows[i].text, got, rows[i].result, level);
            }
        }
    }
}

/* A source out of range is counted once, also where a NaN makes the operation a rare one. */
TEST(test_missing_doubles) {
    FOR_EACH_LEVEL(level) {
        struct warp_case c;
        case_open_at(&c, level, PROGRAM_CP, ISA_GF100, LANES_ALL,
                     "max f64 $r4d $r8d c1[0x8]\nexit\n");
        c.w->r[8] = lanes_splat(0);
        c.w->r[9] = lanes_splat(0x7ff80000);
        assert_int_equal(warp_run(c.w, &c.env), WARP_DONE);
        assert_int_equal(c.w->stats.bad_reads, 2 * LANES); /* two words a lane */
        case_close(&c);
    }
}

/* gk104's mad: each factor and the addend is a whole register or a part of it, signed or
 * unsigned. */
TEST(test_parts) {
    static const struct {
        const char *name;
        unsigned shift, bits;
        bool sign;
    } parts[] = {{"u32", 0, 32, false},   {"u24", 0, 24, false}, {"u16l", 0, 16, false},
                 {"u16h", 16, 16, false}, {"s32", 0, 32, true},  {"s24", 0, 24, true},
                 {"s16l", 0, 16, true},   {"s16h", 16, 16, true}};
    static const uint32_t values[] = {0xfedcba98, 0x8001ffff};
    uint32_t known = 0;
    for (unsigned i = 0; i < 8 * 8 * 8; i++) {
        const unsigned at[3] = {i % 8, i / 8 % 8, i / 64};
        char text[128], message[256];
        uint32_t part[3];
        struct op op;
        snprintf(text, sizeof text, "mad b32 $r4 %s $r1 %s $r2 %s $r3", parts[at[0]].name,
                 parts[at[1]].name, parts[at[2]].name);
        if (!isa_assemble_line((struct isa_target){ISA_GK104, PROGRAM_CP, SYNTAX_ENVYAS}, text,
                               strlen(text), 0, &op, message, sizeof message))
            continue;
        known |= 1u << at[0] | 1u << (8 + at[1]) | 1u << (16 + at[2]);
        for (int k = 0; k < 3; k++) {
            const unsigned shift = parts[at[k]].shift, rest = 32 - parts[at[k]].bits;
            const uint32_t v = values[k & 1] >> shift << rest;
            part[k] = parts[at[k]].sign ? (uint32_t)((int32_t)v >> rest) : v >> rest;
        }
        strcat(text, "\nexit\n");
        CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GK104, LANES_ALL, text);
        for (int k = 0; k < 3; k++)
            c.w->r[1 + k] = lanes_splat(values[k & 1]);
        case_run(&c);
        if (c.w->r[4][7] != part[0] * part[1] + part[2])
            fail_msg("%s: %08x, not %08x", text, c.w->r[4][7], part[0] * part[1] + part[2]);
    }
    assert_int_equal(known, 0x7766ff); /* each part occurs where the encoding allows it */
}

/* Reads, writes and interpolates attributes: words in, words out, a factor and a plane. */
TEST(test_attributes) {
    static const struct attribute_plane planes[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    static const struct attribute_planes set = {~0u, 2, planes};
    static const char *const texts[] = {
        "ld b64 $r4:$r5 a[0x8] 0x0\nst b32 a[0x4] $r5 0x0\nmov b32 $r1 0x40000000\n"
        "interp mul f32 $r6 a[0x4] $r1 0x0\nexit\n",
        "MOVI R1, 0\nMOVHI R1, 0x100\nMOVI R2, 0\nLDA.64 R4, [R2+8]\nSTA [R2+4], R5\n"
        "IPA R6, R1, 4\nEXIT\n"};
    FOR_EACH_SET(set_, level) {
        CASE_AT(c, level, PROGRAM_CP, sets[set_], LANES_ALL, texts[set_]);
        c.attr[2] = lanes_iota();
        c.attr[3] = lanes_iota() * 3;
        c.w->x = __builtin_convertvector(lanes_iota(), f32x32);
        for (int q = 0; q < 8; q++)
            c.w->planes[q] = &set;
        case_run(&c);
        for (uint32_t i = 0; i < LANES; i++) {
            const float v = 2 * (5 + 6 * (float)i);
            assert_int_equal(c.w->r[4][i], i);
            assert_int_equal(c.out[1][i], 3 * i);
            assert_memory_equal((uint32_t *)&c.w->r[6] + i, &v, 4);
        }
    }
}

enum { RANDOM_BUDGET = 500 };

/* At the end of a warp of 32 lanes all lanes have exited; lanes at a barrier, or with an error,
 * have not. An error has a code; only a wrong encoding has a decode error. A warp that ran out of
 * time has used all of its budget. */
static void check_end(const struct warp *w, enum warp_status status) {
    const struct warp_error *e = &w->error;
    assert_in_range(status, WARP_DONE, WARP_ERROR);
    assert_int_equal(w->active == 0, status == WARP_DONE);
    assert_int_equal(w->exited == LANES_ALL, status == WARP_DONE);
    assert_in_range(w->executed, 0, RANDOM_BUDGET);
    if (status != WARP_ERROR)
        return;
    assert_in_range(e->code, MP_NONE + 1, MP_STACK_OVERFLOW);
    assert_int_equal(e->decode != DECODE_OK, e->code == MP_DECODE_ERROR);
    assert_int_equal(e->lanes, w->active);
    if (e->code == MP_TIMEOUT)
        assert_int_equal(w->executed, RANDOM_BUDGET);
}

/* Makes a random legal instruction of 8 bytes. Few of these instructions branch, and their targets
 * mostly lie within the program; few instructions are of the kinds that end in an error. */
static void any_instruction(struct isa_target target, uint32_t at, uint32_t bytes,
                            uint32_t pair[2]) {
    const struct isa *isa = isa_of(target.variant);
    for (;;) {
        const struct encoding_row *row = &isa->rows[random_below(isa->row_count)];
        const bool not_built =
            row->code == OP_VIDEO2 || row->code == OP_VIDEO4 || row->code == OP_SURFACE;
        struct op op;
        if (not_built && random_below(50))
            continue;
        if (random_below(8)) {
            if (straight_pair(target, row, pair))
                return;
            continue;
        }
        instance(isa, row, pair);
        isa_decode(target, pair, 2, at, &op);
        if (op.code != OP_ILLEGAL && op.words == 2 && (op.target < bytes || !random_below(50)))
            return;
    }
}

/* Random instructions as programs end in a result or a named error, and in nothing else. */
TEST(test_random_programs) {
    uint32_t ends[WARP_RUNNING] = {0};
    uint64_t executed = 0;
    random_start(7);
    for (int n = 0; n < 3000; n++) {
        enum { WORDS = 48 };
        static const enum isa_variant variants[] = {ISA_GF100, ISA_GK104, ISA_G64};
        const struct isa_target target = {variants[n % 3], PROGRAM_CP, SYNTAX_ENVYAS};
        const struct program_header header = {.reg_count = 63, .local_size = CASE_LOCAL};
        struct program_error error;
        uint32_t w[WORDS];
        CASE_AT(c, simd_best(), PROGRAM_CP, target.variant, LANES_ALL,
                target.variant == ISA_G64 ? "EXIT" : "long exit");
        memcpy(w + WORDS - 2, c.program->ops[0].w, 8);
        for (uint32_t i = 0; i < WORDS - 2; i += 2)
            any_instruction(target, 4 * i, sizeof w, w + i);
        program_unref(c.program);
        c.program =
            program_from_words(PROGRAM_CP, target.variant, &header, w, WORDS, 0, 0, "r", &error);
        assert_non_null(c.program);
        c.env.program = c.program;
        c.env.budget = RANDOM_BUDGET;
        warp_start(c.w, &c.env, LANES_ALL, 0);
        const enum warp_status status = warp_run(c.w, &c.env);
        check_end(c.w, status);
        ends[status]++;
        executed += c.w->executed;
    }
    assert_true(ends[WARP_DONE] > 2000 && ends[WARP_WAITING] && ends[WARP_ERROR] > 300);
    assert_true(executed > 3000 * 25);
}

/* True if a test of $c holds for these flags (fermi-isa.md §5). Tests 0 to 15 are bit masks of
 * less, equal, greater, unordered; 16 to 23 test flags; from 24 on tests are false. In flags, bit 0
 * is Z, then S, C, O. */
static bool test_holds(unsigned test, unsigned flags) {
    const bool z = flags & 1, s = flags & 2, c = flags & 4, o = flags & 8;
    const bool holds[8] = {!o, !c, !s, !(c && !z), c && !z, s, c, o};
    const unsigned bit = z && s ? 8 : s ? 1 : z ? 2 : 4;
    return test < 16 ? test & bit : test < 24 && holds[test - 16];
}

TEST(test_flags) {
    FOR_EACH_LEVEL(level)
    for (unsigned test = 0; test < 32; test++) {
        char text[128];
        struct warp_case c;
        snprintf(text, sizeof text, "%s%s bra #A\nlong mov b32 $r1 0x2\nA: exit\n",
                 isa_fermi_tests[test], test == 15 ? "" : " $c");
        case_open_at(&c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
        c.w->r[1] = lanes_splat(7);
        for (unsigned lane = 0; lane < LANES; lane++) {
            c.w->c[0].z |= (lane & 1) << lane;
            c.w->c[0].s |= (lane >> 1 & 1) << lane;
            c.w->c[0].c |= (lane >> 2 & 1) << lane;
            c.w->c[0].o |= (lane >> 3 & 1) << lane;
        }
        case_run(&c);
        for (unsigned lane = 0; lane < LANES;
             lane++) { /* with O, signed tests are corrected (not checked) */
            const bool goes = c.w->r[1][lane] == 7;
            if (goes != test_holds(test, lane & 15) && !(lane & 8 && test > 0 && test < 15))
                fail_msg("%s, flags %x: %s", isa_fermi_tests[test], lane & 15,
                         goes ? "goes" : "stays");
        }
        case_close(&c);
    }
}
