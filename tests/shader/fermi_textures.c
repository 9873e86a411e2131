/* Texture instructions of Fermi and generic64, built bit by bit (fermi-isa.md §6.7): the registers
 * of each operand and their order for tex/, offsets that differ from lane to lane, four offsets,
 * derivatives, and places of results. The tests' sampler returns a hash of all its operands, so
 * that each row has one right result in each lane. */
#include "base/fp_mode.h"
#include "tests/shader/warp_case.h"

enum { D = 4, A = 16, B = 24, TIC = 5, TSC = 3, MARK = 0x5eed };
enum { LOD_AUTO, LOD_ZERO, LOD_BIAS, LOD_LOD, LOD_BIASA = 6, LOD_LODA };

static struct tex_binding binding[2];

static uint32_t mixed(uint32_t h, uint32_t word) {
    return (h ^ word) * 0x9e3779b1u + (h >> 15);
}

/* Hashes the parameters of a call other than its sources. */
static uint32_t mix_call(bool right, unsigned op, bool cube, bool quads, unsigned component,
                         const int8_t offset[3]) {
    uint32_t h = mixed(right, op);
    h = mixed(h, (uint32_t)cube << 1 | quads);
    h = mixed(h, component);
    for (int i = 0; i < 3; i++)
        h = mixed(h, (uint32_t)offset[i]);
    return h;
}

static void answer(const struct tex_binding *b, const struct tex_call *t, u32x32 *reg,
                   lane_mask m) {
    u32x32 source[8];
    memcpy(source, reg, t->source_count * sizeof *source);
    assert_int_equal(fp_mode() & FP_FLUSH, FP_FLUSH); /* tex/ expects that denormals are flushed */
    for (; m; m &= m - 1) {
        const int lane = __builtin_ctz(m);
        uint32_t h = mix_call(b == &binding[1], t->op, t->cube, t->quads, t->component, t->offset);
        int result = 0;
        for (int i = 0; i < t->source_count; i++)
            for (int k = t->quads ? lane & ~3 : lane; k <= (t->quads ? lane | 3 : lane); k++)
                h = mixed(h, source[i][k]);
        for (uint32_t c = 0; c < 4; c++)
            if (t->result_mask >> c & 1)
                reg[result++][lane] = mixed(h, c);
    }
}

/* One texture instruction, by the fields of its word. */
struct row {
    unsigned byte; /* the opcode byte */
    unsigned target, mask, lod, component;
    bool shadow, off, off8, live;
};

static uint64_t word_of(const struct row *r, unsigned t, unsigned s, unsigned d) {
    return UINT64_C(6) | (uint64_t)(r->byte == 0xa0 ? r->component : 0) << 5 | UINT64_C(1) << 7 |
           (uint64_t)r->live << 9 | UINT64_C(7) << 10 | (uint64_t)d << 14 | (uint64_t)A << 20 |
           (uint64_t)B << 26 | (uint64_t)t << 32 | (uint64_t)s << 40 | (uint64_t)r->mask << 46 |
           (uint64_t)r->target << 51 | (uint64_t)r->off << 54 | (uint64_t)r->off8 << 55 |
           (uint64_t)r->shadow << 56 | (uint64_t)r->lod << 57 | (uint64_t)r->byte << 56;
}

static struct program *program_of(const uint64_t *words, uint32_t count) {
    const struct program_header header = {.reg_count = CASE_REGS, .local_size = CASE_LOCAL};
    struct program_error error;
    uint32_t w[8];
    for (uint32_t i = 0; i < count; i++) {
        w[2 * i] = (uint32_t)words[i];
        w[2 * i + 1] = (uint32_t)(words[i] >> 32);
    }
    struct program *p =
        program_from_words(PROGRAM_CP, ISA_GF100, &header, w, 2 * count, 0, 0, "test", &error);
    assert_non_null(p);
    return p;
}

static int8_t field(uint32_t word, unsigned at, unsigned bits) {
    const int v = (int)(word >> at & ((1u << bits) - 1));
    return (int8_t)(v >= 1 << (bits - 1) ? v - (1 << bits) : v);
}

static float number(const struct warp *w, unsigned reg, int lane) {
    const uint32_t word = w->r[reg][lane];
    float f;
    memcpy(&f, &word, 4);
    return f;
}

/* The expected component c of a lane. */
static uint32_t expect(const struct row *r, const struct warp *w, int lane, uint32_t c) {
    static const uint8_t coordinates[] = {1, 1, 2, 2, 3, 0, 3, 3};
    const bool array = r->target == 1 || r->target == 3 || r->target == 7, cube = r->target >= 6;
    const bool gather = r->byte == 0xa0, grad = r->byte == 0xe0, fetch = r->byte == 0x90;
    const unsigned n = coordinates[r->target], bits = gather ? 8 : 4;
    const bool four = r->off8 && gather, samples = r->off8 && fetch;
    const unsigned op = samples                      ? TEX_OP_FETCH_SAMPLE
                        : fetch                      ? TEX_OP_FETCH
                        : gather                     ? TEX_OP_GATHER
                        : r->byte == 0xb0            ? TEX_OP_QUERYLOD
                        : grad || r->lod == LOD_AUTO ? TEX_OP_AUTO
                        : r->lod & 1                 ? TEX_OP_LOD
                                                     : TEX_OP_BIAS;
    unsigned first = A + array, second = B;
    uint32_t source[8], lod = 0, sample = 0, count = 0, offsets = 0;
    for (unsigned i = 0; i < n; i++)
        source[count++] = w->r[first++][lane];
    if (array)
        source[count++] = w->r[A][lane] & 0xffff;
    if (samples)
        sample = w->r[second++][lane];
    if (fetch ? r->lod : r->lod & 2)
        lod = w->r[second++][lane];
    if (four) {
        offsets = w->r[second + c / 2][lane] >> 16 * (c & 1) & 0xffff;
        second += 2;
    } else if (r->off) {
        offsets = grad ? w->r[first][lane] : w->r[second++][lane];
    }
    if (r->shadow)
        source[count++] = w->r[second][lane];
    if (op == TEX_OP_LOD || op == TEX_OP_BIAS || op == TEX_OP_FETCH)
        source[count++] = lod;
    if (samples)
        source[count++] = sample;
    int8_t offset[3] = {0};
    for (unsigned i = 0; (r->off || four) && i < (gather ? 2 : 3); i++)
        offset[i] = field(offsets, bits * i, bits);
    uint32_t h =
        mix_call(true, op, cube, grad, gather ? r->component : op == TEX_OP_QUERYLOD, offset);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < (grad ? 4 : 1); k++) {
            uint32_t word = source[i];
            if (grad && i < n) {
                const float v = number(w, A + array + i, lane) +
                                (k & 1 ? number(w, B + 2 * i, lane) : 0) +
                                (k & 2 ? number(w, B + 2 * i + 1, lane) : 0);
                memcpy(&word, &v, 4);
            }
            h = mixed(h, word);
        }
    /* with four offsets, each result is the last texel of a gather */
    return mixed(h, four ? 3 : c);
}

static void check(const struct row *r, enum simd_level level) {
    static const struct tex_binding *const bindings[] = {&binding[0], &binding[1]};
    static const uint64_t end = 0x8000000000001de7;
    const struct row other = {.byte = 0x80, .target = 2, .mask = 1};
    const uint64_t words[] = {word_of(&other, 9, 1, 50), word_of(r, TIC, TSC, D), end};
    const lane_mask dead = 0x00f00402;
    CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, "exit\n");
    program_unref(c.program);
    c.program = program_of(words, 3);
    c.env.program = c.program;
    c.env.tex = bindings;
    warp_start(c.w, &c.env, LANES_ALL, dead);
    for (uint32_t n = 0; n < 32; n++) /* small numbers; offsets that some lanes share */
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const float f = (float)(n * 3 + lane % 7) * 0.25f;
            memcpy((uint32_t *)&c.w->r[n] + lane, &f, 4);
            if (n >= B && r->byte != 0xe0)
                c.w->r[n][lane] = (n + lane % 5) * 0x1234567u;
        }
    if (r->byte == 0xe0 && r->off)
        c.w->r[A + (r->target + 3) / 2] = lanes_iota() % 3 * 0x3a7;
    for (uint32_t n = D; n < D + 5; n++)
        c.w->r[n] = lanes_splat(MARK);
    case_run(&c);
    for (int lane = 0; lane < LANES; lane++) {
        unsigned at = D;
        for (uint32_t k = 0; k < 4; k++) {
            if (!(r->mask >> k & 1))
                continue;
            const uint32_t want = r->live && dead >> lane & 1 ? MARK : expect(r, c.w, lane, k);
            if (c.w->r[at++][lane] != want)
                fail_msg(
                    "opcode %x, target %u, lod %u, mask %x, component %u%s%s%s%s: lane %d, component %u",
                    r->byte, r->target, r->lod, r->mask, r->component, r->shadow ? ", shadow" : "",
                    r->off ? ", off" : "", r->off8 ? ", off8" : "", r->live ? ", live" : "", lane,
                    k);
        }
        assert_int_equal(c.w->r[at][lane], MARK);
    }
}

static const uint8_t targets[] = {0, 1, 2, 3, 4, 6, 7}, masks[] = {0xf, 1, 2, 4, 8, 5, 0xe};

TEST(test_samples) {
    static const uint8_t lods[] = {LOD_AUTO, LOD_ZERO, LOD_BIAS, LOD_LOD, LOD_BIASA, LOD_LODA};
    unsigned turn = 0;
    for (size_t t = 0; t < sizeof targets; t++)
        for (size_t l = 0; l < sizeof lods; l++)
            for (int more = 0; more < 4; more++) {
                const struct row row = {.byte = 0x80,
                                        .target = targets[t],
                                        .mask = masks[turn % 7],
                                        .lod = lods[l],
                                        .shadow = more & 1,
                                        .off = more & 2,
                                        .live = turn & 1};
                check(&row, turn++ % (simd_best() + 1));
            }
}

TEST(test_fetches) {
    for (unsigned i = 0; i < 6 * sizeof targets; i++) {
        const struct row row = {.byte = 0x90,
                                .target = targets[i / 6],
                                .mask = masks[i % 7],
                                .lod = i & 1,
                                .off = i % 6 / 2 == 1,
                                .off8 = i % 6 / 2 == 2}; /* off8 is a sample number here */
        check(&row, i % (simd_best() + 1));
    }
}

TEST(test_gathers) {
    for (unsigned i = 0; i < 4 * 3 * 2 * sizeof targets; i++) {
        const struct row row = {.byte = 0xa0,
                                .target = targets[i / 24],
                                .mask = masks[i % 7],
                                .component = i & 3,
                                .off = i / 4 % 3 == 1,
                                .off8 = i / 4 % 3 == 2,
                                .shadow = i / 12 & 1,
                                .live = i % 5 == 0};
        if (row.target != 7 || !row.off) /* the encoding has no room for an offset */
            check(&row, i % (simd_best() + 1));
    }
}

/* Derivative instructions with one and two coordinates. */
TEST(test_derivatives) {
    for (unsigned i = 0; i < 4 * 7; i++) {
        const struct row row = {.byte = 0xe0,
                                .target = i & 3,
                                .mask = masks[i / 4],
                                .off = i / 4 & 1,
                                .live = i / 4 == 3};
        check(&row, i % (simd_best() + 1));
    }
}

TEST(test_query_of_levels) {
    for (unsigned i = 0; i < sizeof targets; i++) {
        const struct row row = {.byte = 0xb0, .target = targets[i], .mask = 3};
        check(&row, simd_best());
    }
}

/* A register names the texture and the sampler, in the bits above the layer. In the program's list
 * of bindings, its own pair comes first, then the units. A unit beyond the list reads 0. */
TEST(test_indirect) {
    enum { LAYERS = 3, UNIT = 7, NONE = 40 };
    for (unsigned target = 2; target <= LAYERS; target++)
        FOR_EACH_LEVEL(level) {
            const struct row r = {.byte = 0x80, .target = target, .mask = 0xf};
            const struct tex_binding *bindings[17];
            const uint64_t words[] = {word_of(&r, TIC, TSC, D) | UINT64_C(1) << 50,
                                      0x8000000000001de7};
            for (size_t i = 0; i < LENGTH(bindings); i++)
                bindings[i] = &binding[i == 1 + UNIT];
            CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, "exit\n");
            program_unref(c.program);
            c.program = program_of(words, 2);
            assert_int_equal(c.program->tex_slot_count, LENGTH(bindings));
            c.env.program = c.program;
            c.env.tex = bindings;
            warp_start(c.w, &c.env, LANES_ALL, 0);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const uint32_t unit = lane == 9 ? NONE : lane & 1 ? 2 : UNIT;
                c.w->r[A][lane] = unit << 23 | unit % 16 << 16 | (lane + 3);
                c.w->r[A + 1][lane] = lane * 5;
                c.w->r[A + 2][lane] = lane * 77;
            }
            case_run(&c);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                uint32_t h = mix_call(!(lane & 1), TEX_OP_AUTO, false, false, 0, (int8_t[3]){0});
                h = mixed(mixed(h, lane * 5), lane * 77);
                if (target == LAYERS)
                    h = mixed(h, lane + 3);
                for (uint32_t k = 0; k < 4; k++)
                    assert_int_equal(c.w->r[D + k][lane], lane == 9 ? 0 : mixed(h, k));
            }
        }
}

/* Queries of sample positions have no answer: the program fails. */
TEST(test_what_is_not_answered) {
    static const struct {
        uint64_t bits;
        bool runs;
    } rows[] = {{UINT64_C(0x80) << 56, true},
                {UINT64_C(0x90) << 56, true},
                {UINT64_C(0x90) << 56 | UINT64_C(1) << 55, true},
                {UINT64_C(0xc0) << 56, true},
                {UINT64_C(0xc0) << 56 | UINT64_C(1) << 54, true},
                {UINT64_C(0xc0) << 56 | UINT64_C(2) << 54, false},
                {UINT64_C(0xd0) << 56, false},
                {UINT64_C(0xe0) << 56, true}};
    static const struct tex_binding *const bindings[] = {&binding[1]};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct row plain = {.target = 2, .mask = 3};
        const uint64_t words[] = {word_of(&plain, TIC, TSC, D) | rows[i].bits, 0x8000000000001de7};
        CASE_AT(c, simd_best(), PROGRAM_CP, ISA_GF100, LANES_ALL, "exit\n");
        program_unref(c.program);
        c.program = program_of(words, 2);
        c.env.program = c.program;
        c.env.tex = bindings;
        warp_start(c.w, &c.env, LANES_ALL, 0);
        if (rows[i].runs)
            case_run(&c);
        else
            case_fails(&c, MP_DECODE_ERROR, DECODE_ILLEGAL_INSTR_ENCODING, 0, LANES_ALL);
    }
}

/* generic64: results, coordinates and level are in separate registers; the dimension is part of the
 * name. */
TEST(test_g64) {
    static const struct {
        const char *name;
        unsigned coordinates;
    } dims[] = {{"1D", 1}, {"2D", 2}, {"3D", 3}, {"CUBE", 3}};
    static const struct {
        const char *name;
        unsigned op;
        bool level;
    } ops[] = {{"TEX", TEX_OP_AUTO, false}, {"TXL", TEX_OP_LOD, true}, {"TXF", TEX_OP_FETCH, true}};
    static const struct tex_binding *const bindings[] = {&binding[1]};
    for (unsigned i = 0; i < 4 * 3 * 3; i++) {
        const unsigned dim = i % 4, op = i / 4 % 3, mask = (unsigned[]){15, 2, 9}[i / 12];
        static const int8_t offset[3];
        char text[96];
        snprintf(text, sizeof text, "%s.%s R4, R16, R24, 3:2:%u\nEXIT\n", ops[op].name,
                 dims[dim].name, mask);
        CASE_AT(c, i % (simd_best() + 1), PROGRAM_CP, ISA_G64, LANES_ALL, text);
        c.env.tex = bindings;
        for (uint32_t n = 0; n < 32; n++)
            c.w->r[n] = n >= D && n < D + 5 ? lanes_splat(MARK) : (lanes_iota() + n) * 0x10101;
        case_run(&c);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            unsigned at = D;
            uint32_t h = mix_call(true, ops[op].op, dim == 3, false, 0, offset);
            for (uint32_t k = 0; k < dims[dim].coordinates; k++)
                h = mixed(h, (lane + A + k) * 0x10101);
            if (ops[op].level)
                h = mixed(h, (lane + B) * 0x10101);
            for (uint32_t k = 0; k < 4; k++)
                if (mask >> k & 1 && c.w->r[at++][lane] != mixed(h, k))
                    fail_msg("%s: lane %u, component %u", text, lane, k);
            assert_int_equal(c.w->r[at][lane], MARK);
        }
    }
}

BEFORE_TESTS {
    for (int i = 0; i < 2; i++)
        for (int op = 0; op < TEX_OPS; op++)
            binding[i].kernel[op] = answer;
    return 0;
}
