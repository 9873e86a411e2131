/* Wide and tiled accesses, atomics, interpolation, votes and the texture and emit ports, at every
 * SIMD level of this machine. tests/shader/programs/memory.txt has the rules of single accesses. */
#include "tests/shared_path.h"
#include "tests/shader/warp_case.h"

static void open_at(struct warp_case *c, enum simd_level level, enum program_type type,
                    const char *text) {
    case_open_at(c, level, type, ISA_G200, LANES_ALL, text);
}

/* Wide accesses of l[] at a fixed address, at addresses that differ, and at a register address that
 * is equal in all lanes: the words are in order, the lowest first. */
TEST(test_wide_local) {
    static const char *const places[] = {"l[0x10]", "l[$a1+0x10]", "l[$a2+0x0]", "l[0x1f]"};
    for (int n = 0; n < 12; n++)
        FOR_EACH_LEVEL(level) {
            const uint32_t words = 1u << n / 4;
            const char *const suffix = words == 4   ? "q"
                                       : words == 2 ? "d"
                                                    : "",
                              *const at = places[n % 4];
            char text[256];
            struct warp_case c;
            snprintf(text, sizeof text, "st b%u %s $r4%s\nld b%u $r8%s %s\nexit nop\n", 32 * words,
                     at, suffix, 32 * words, suffix, at);
            open_at(&c, level, PROGRAM_VP, text);
            for (uint32_t k = 0; k < 4; k++)
                c.w->r[4 + k] = lanes_iota() + 0x100 * (k + 1);
            c.w->a[1] = (lanes_iota() & 1) * 16;
            c.w->a[2] = lanes_splat(0x20);
            case_run(&c);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                const uint32_t byte = n % 4 == 0   ? 0x10
                                      : n % 4 == 1 ? 0x10 + lane % 2 * 16
                                      : n % 4 == 2 ? 0x20
                                                   : 0x1f;
                const uint32_t first = byte / (4 * words) * words;
                for (uint32_t row = 0; row < CASE_LOCAL / 4; row++) {
                    const uint32_t k = row - first, want = k < words ? lane + 0x100 * (k + 1) : 0;
                    if (c.local[row][lane] != want)
                        fail_msg("%s: row %u, lane %u: %x, not %x", text, row, lane,
                                 c.local[row][lane], want);
                }
                for (uint32_t k = 0; k < words; k++)
                    assert_int_equal(c.w->r[8 + k][lane], lane + 0x100 * (k + 1));
            }
            case_close(&c);
        }
}

/* Tiled g[]: three rows of one or two tiles of 64 bytes by 8 rows; the pitch is the size of a row
 * of tiles in bytes. */
TEST(test_global_2d) {
    enum { SIZE = 2 * 3 * 512 };
    FOR_EACH_LEVEL(level)
    for (uint32_t tiles = 1; tiles <= 2; tiles++) {
        static _Alignas(16) uint8_t image[SIZE];
        uint32_t outside = 0;
        memset(image, 0, sizeof image);
        struct warp_case c;
        open_at(&c, level, PROGRAM_CP,
                "mov b32 $r2 7\nand b32 $r2 $r0 $r2\nshl b32 $r2 $r2 18\n"
                "shl b32 $r1 $r0 2\nor b32 $r1 $r1 $r2\n" /* x = 4 i, y = 4 (i & 7) */
                "st b32 g0[$r1] $r0\nld b32 $r3 g0[$r1]\nexit nop\n");
        c.g[0] = (struct global_view){image, 3 * tiles * 512, true, tiles * 512, 1};
        case_run(&c);
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t x = 4 * i, y = 4 * (i & 7);
            const bool inside = x < 64 * tiles && y < 24;
            outside += !inside;
            assert_int_equal(c.w->r[3][i], inside ? i : 0);
            if (!inside)
                continue;
            const uint32_t at = ((y / 8 * tiles + x / 64) * 8 + y % 8) * 64 + x % 64;
            assert_int_equal(image[at], i);
        }
        assert_int_equal(c.w->stats.bad_writes, outside);
        case_close(&c);
    }
}

TEST(test_atomic_trap) {
    uint32_t word = 0;
    struct warp_case c;
    const struct op op = {
        .code = OP_RED, .atomic = ATOMIC_TRAP, .dst = {.file = FILE_GLOBAL, .mem = TYPE_U32}};
    open_at(&c, simd_best(), PROGRAM_CP, "red add u32 g0[$r0] $r1\nexit nop\n");
    c.g[0] = (struct global_view){.data = (uint8_t *)&word, .limit = 4};
    struct linked_op l = {.op = &op};
    exec_memory_select_base (&op)(c.w, &c.env, &l, 1);
    assert_int_equal(c.w->error.code, MP_DECODE_ERROR);
    assert_int_equal(c.w->error.decode, DECODE_TRAP_INSTRUCTION);
    case_close(&c);
}

static uint64_t hex(const char *s) {
    return strtoull(s, NULL, 16);
}

/* Runs one line with tag A of the execution vectors; the head of that file describes the format. */
static bool atomic_vector(const char *line, enum simd_level level) {
    char variant[8], in[3][20], out[20], old[20];
    uint32_t words[4] = {0, 0, 0xf0000001, 0xe0000781}, mode, cc; /* ..., exit nop */
    if (sscanf(line, "A %7s %x %x %x %x %19s %19s %19s -> %19s %19s", variant, &words[0], &words[1],
               &mode, &cc, in[0], in[1], in[2], out, old) != 10)
        return false;
    struct program *p = made_of_words(PROGRAM_CP, isa_variant_from_name(variant), 16, words, 4);
    struct warp *w = case_rows(sizeof *w);
    _Alignas(16) uint64_t memory = hex(in[0]);
    const bool wide = strlen(out) > 8;
    struct global_view g[16];
    for (int i = 0; i < 16; i++)
        g[i] = (struct global_view){.data = (uint8_t *)&memory, .limit = 8};
    const struct warp_env env = {
        .program = p, .simd = level, .mode = mode, .g = g, .native = test_native(level)};
    warp_start(w, &env, 1, 0);
    const uint64_t data = hex(in[1]), swap = hex(in[2]);
    w->r[wide ? 4 : 5][0] = (uint32_t)data;
    w->r[6][0] = (uint32_t)swap;
    if (wide) {
        w->r[5][0] = data >> 32;
        w->r[7][0] = swap >> 32;
    }
    const bool done = warp_run(w, &env) == WARP_DONE;
    uint64_t got = wide ? w->r[8][0] | (uint64_t)w->r[9][0] << 32 : w->r[7][0];
    const bool returns = (words[1] & 0xe0000000) == 0xe0000000;
    if (!done || memory != hex(out) || (returns && got != hex(old)))
        fail_msg("%s: %s memory %llx old %llx", line, done ? "" : mp_error_name(w->error.code),
                 (unsigned long long)memory, (unsigned long long)got);
    program_unref(p);
    free(w);
    return true;
}

TEST(test_atomic_vectors) {
    char path[512], line[512];
    FILE *f = fopen(shared_path(path, sizeof path, "vectors/exec-public.txt"), "r");
    if (!f)
        skip();
    int lines = 0;
    while (fgets(line, sizeof line, f))
        lines += atomic_vector(line, lines % (simd_best() + 1));
    fclose(f);
    assert_true(lines > 400);
}

/* ---- interp ---- */

static void set_positions(struct warp *w) {
    for (int i = 0; i < LANES; i++) {
        w->x[i] = 10.5f + i % 2 + i / 4 * 2;
        w->y[i] = 20.5f + i / 2 % 2;
        w->cx[i] = w->x[i] + 0.25f;
        w->cy[i] = w->y[i] - 0.125f;
    }
}

static float plane_at(const struct attribute_planes *s, int n, float x, float y) {
    const struct attribute_plane *p = &s->plane[n];
    const float across = p->dx * x, down = p->dy * y, left = p->base + across;
    return left + down;
}

TEST(test_interp) {
    const struct attribute_plane planes[2][3] = {
        {{1.5f, 0.1f, -0.3f, 0x12345678}, {1e30f, 3e29f, 7.f, 2}, {0.25f, 0, 1e-3f, 3}},
        {{-2.5f, 0.7f, 0.9f, 0x9abcdef0}, {3.f, 1.f / 3, 1e-20f, 4}, {NAN, 1, 1, 5}},
    };
    const struct attribute_planes sets[2] = {{~0u, 3, planes[0]}, {0, 3, planes[1]}};
    FOR_EACH_LEVEL(level) {
        for (int uniform = 0; uniform < 2; uniform++) {
            struct warp_case c;
            open_at(&c, level, PROGRAM_FP,
                    "mov b32 $r9 2\n"
                    "mov b32 $r8 4\nand b32 $r7 $r0 $r8\nshl $a1 $r7 0\n" /* 0 or 4, by quad */
                    "interp $r1 v[0x0]\n"
                    "interp $r2 cent v[0x4]\n"
                    "interp $r3 flat v[0x0]\n"
                    "interp $r4 v[0x4] neg $r9\n" /* r9 is a denormal: counts as zero */
                    "interp $r5 v[$a1+0x4]\n"
                    "interp $r6 v[0xc]\n"
                    "interp $r10 flat v[0x3fc]\n"
                    "interp $r11 v[0x8]\n"
                    "exit nop\n");
            set_positions(c.w);
            for (int q = 0; q < 8; q++)
                c.w->planes[q] = &sets[uniform ? 0 : q & 1];
            c.w->uniform_planes = uniform;
            case_run(&c);
            for (int i = 0; i < LANES; i++) {
                const struct attribute_planes *s = c.w->planes[i / 4];
                const float x = c.w->x[i], y = c.w->y[i];
                const float v1 = plane_at(s, 1, x, y);
                assert_true(bits_float(c.w->r[1][i]) == plane_at(s, 0, x, y));
                assert_true(bits_float(c.w->r[2][i]) == plane_at(s, 1, c.w->cx[i], c.w->cy[i]));
                assert_int_equal(c.w->r[3][i], s->plane[0].flat);
                assert_int_equal(c.w->r[4][i], v1 < 0 ? 0 : 0x80000000);
                const bool nan = isnan(s->plane[2].base);
                if (!(i & 4))
                    assert_true(bits_float(c.w->r[5][i]) == v1);
                else
                    assert_int_equal(c.w->r[5][i], c.w->r[11][i]);
                assert_int_equal(c.w->r[6][i], 0);
                assert_int_equal(c.w->r[10][i], s->facing);
                if (nan)
                    assert_int_equal(c.w->r[11][i], 0x7fffffff);
                else
                    assert_true(bits_float(c.w->r[11][i]) == plane_at(s, 2, x, y));
            }
            assert_int_equal(c.w->stats.bad_reads, 32);
            case_close(&c);
        }
    }
}

/* Many words of v[] and c[] in use at once, so that native code keeps them in each kind of place.
 * Random sums and moves are compared with a model. */
TEST(test_many_words) {
    enum { WORDS = 32, REGS = 24, STEPS = 160 };
    static uint32_t constants[WORDS];
    struct attribute_plane planes[WORDS];
    random_start(1);
    for (uint32_t i = 0; i < WORDS; i++) {
        planes[i] = (struct attribute_plane){(float)(1000 + i), 0, 0, i};
        constants[i] = 0x9e3779b9u * (i + 1);
    }
    const struct attribute_planes set = {~0u, WORDS, planes};
    for (int n = 0; n < 60; n++) {
        static char text[STEPS * 48];
        uint32_t model[REGS] = {0};
        size_t at = 0;
        for (int i = 0; i < STEPS; i++) {
            const uint32_t random = random_word();
            const uint32_t to = 1 + random % (REGS - 1), a = 1 + random / 64 % (REGS - 1),
                           word = random >> 27;
            const float f = planes[word].base;
            switch (random >> 25 & 3) {
            case 0:
                at += (size_t)sprintf(text + at, "add b32 $r%u $r%u c0[0x%x]\n", to, a, 4 * word);
                model[to] = model[a] + constants[word];
                break;
            case 1:
                at += (size_t)sprintf(text + at, "xor b32 $r%u $r%u $r%u\n", to, a,
                                      1 + word % (REGS - 1));
                model[to] = model[a] ^ model[1 + word % (REGS - 1)];
                break;
            default:
                at += (size_t)sprintf(text + at, "interp $r%u v[0x%x]\n", to, 4 * word);
                memcpy(&model[to], &f, 4);
            }
        }
        strcpy(text + at, "exit nop\n");
        FOR_EACH_LEVEL(level) {
            struct warp_case c;
            open_at(&c, level, PROGRAM_FP, text);
            c.env.c[0] = (struct const_view){(const uint8_t *)constants, sizeof constants};
            set_positions(c.w);
            for (int q = 0; q < 8; q++)
                c.w->planes[q] = &set;
            c.w->uniform_planes = true;
            memset(&c.w->r[1], 0, (REGS - 1) * sizeof c.w->r[0]);
            case_run(&c);
            for (int r = 1; r < REGS; r++)
                for (int lane = 0; lane < LANES; lane++)
                    if (c.w->r[r][lane] != model[r])
                        fail_msg("program %d, level %d: $r%d of lane %d: %08x, not %08x", n, level,
                                 r, lane, c.w->r[r][lane], model[r]);
            case_close(&c);
        }
    }
}

/* ---- vote, ports ---- */

/* A vote from each $c into each $c; the other $c keep their values. */
TEST(test_votes_of_registers) {
    FOR_EACH_LEVEL(level)
    for (unsigned i = 0; i < 4 * 4 * 2; i++) {
        const unsigned from = i & 3, to = i >> 2 & 3;
        const bool all = i >> 4;
        struct warp_case c;
        char text[256];
        snprintf(text, sizeof text,
                 "mov b32 $r9 3\nsub b32 $c%u # $r0 $r9\n(%s $c%u) vote %s $c%u\nexit nop\n", from,
                 all ? "lg" : "e", from, all ? "all" : "any", to);
        open_at(&c, level, PROGRAM_CP, text);
        case_run(&c);
        for (unsigned k = 0; k < 4; k++) {
            const lane_mask s = k == to ? (all ? 0 : LANES_ALL) : k == from ? 7 : 0;
            const lane_mask z = k == to ? (all ? LANES_ALL : 0) : k == from ? 8 : 0;
            if (c.w->c[k].s != s || c.w->c[k].z != z)
                fail_msg("%s: $c%u", text, k);
        }
        case_close(&c);
    }
}

struct seen {
    struct tex_binding binding; /* must be first */
    struct tex_call call;
    lane_mask sampled;
    uint32_t src[4];
    int samples, emits, restarts;
    lane_mask lanes;
};

static void sample(const struct tex_binding *binding, const struct tex_call *call, u32x32 *reg,
                   lane_mask m) {
    struct seen *s = (struct seen *)binding;
    s->call = *call;
    s->sampled = m;
    s->samples++;
    for (int k = 0; k < call->source_count; k++)
        s->src[k] = reg[k][7];
    for (uint32_t k = 0; k < 4; k++)
        if (call->result_mask >> k & 1)
            lanes_store(reg++, lanes_splat(100 + k), m);
}

static void sampled_by(struct warp_case *c, struct seen *seen, const struct tex_binding **slot) {
    for (int i = 0; i < TEX_OPS; i++)
        seen->binding.kernel[i] = sample;
    slot[0] = slot[1] = &seen->binding;
    c->env.tex = slot;
}

TEST(test_texture) {
    FOR_EACH_LEVEL(level) {
        struct warp_case c;
        struct seen seen = {0};
        const struct tex_binding *slot[2];
        open_at(&c, level, PROGRAM_FP,
                "mov b32 $r9 4\nand b32 $c0 # $r0 $r9\n(lg $c0) discard\n"
                "mov b32 $r4 44\nmov b32 $r5 55\nmov b32 $r6 66\nmov b32 $r7 77\n"
                "texbias live $r4:#:$r5:$r6 $t3 $s2 $r4:$r5:$r6 0x1 0xffffffffffffffff 0x2\n"
                "texauto all #:#:#:# $t0 $s0 $r4:$r5 0x0 0x0 0x0\n"
                "exit nop\n");
        sampled_by(&c, &seen, slot);
        case_run(&c);
        assert_int_equal(seen.samples, 1);
        assert_int_equal(seen.call.op, TEX_OP_BIAS);
        assert_int_equal(c.env.program->tex_slot[0].tic, 3);
        assert_int_equal(c.env.program->tex_slot[0].tsc, 2);
        assert_int_equal(seen.call.source_count, 3);
        assert_int_equal(seen.call.result_mask, 0xd);
        assert_int_equal(seen.call.offset[1], -1);
        assert_true(seen.call.quads);
        assert_int_equal(seen.sampled, 0x0f0f0f0f);
        assert_int_equal(seen.src[0], 44);
        assert_int_equal(seen.src[2], 66);
        assert_int_equal(c.w->r[4][0], 100);
        assert_int_equal(c.w->r[5][0], 102);
        assert_int_equal(c.w->r[6][0], 103);
        assert_int_equal(c.w->r[7][0], 77);
        assert_int_equal(c.w->r[4][4], 44); /* a discarded lane keeps its value */
        case_close(&c);
    }
}

/* A texture instruction may name registers that the program does not have: these sources read 0,
 * and these results are dropped. Tried for each mask and position. */
TEST(test_textures_beyond_the_registers) {
    static const char *const masks[] = {"$r%u:#:#:#",         "#:$r%u:#:#",    "#:#:#:$r%u",
                                        "$r%u:$r%u:#:#",      "#:$r%u:#:$r%u", "$r%u:#:$r%u:$r%u",
                                        "$r%u:$r%u:$r%u:$r%u"};
    static const uint8_t results[][4] = {{0}, {1}, {3}, {0, 1}, {1, 3}, {0, 2, 3}, {0, 1, 2, 3}};
    static const uint8_t counts[] = {1, 1, 1, 2, 2, 3, 4};
    FOR_EACH_LEVEL(level)
    for (uint32_t i = 0; i < sizeof counts; i++)
        for (uint32_t base = CASE_REGS - 5; base < CASE_REGS; base++) {
            struct warp_case c;
            struct seen seen = {0};
            const struct tex_binding *slot[2];
            char vector[64], text[160];
            snprintf(vector, sizeof vector, masks[i], base, base + 1, base + 2, base + 3);
            snprintf(text, sizeof text, "texauto all %s $t0 $s0 $r%u:$r%u 0x0 0x0 0x0\nexit nop\n",
                     vector, base, base + 1);
            open_at(&c, level, PROGRAM_FP, text);
            sampled_by(&c, &seen, slot);
            for (uint32_t n = CASE_REGS - 5; n < CASE_REGS; n++)
                c.w->r[n] = lanes_splat(n);
            case_run(&c);
            assert_int_equal(seen.src[0], base);
            assert_int_equal(seen.src[1], base + 1 < CASE_REGS ? base + 1 : 0);
            for (uint32_t n = CASE_REGS - 5; n < CASE_REGS; n++) {
                const uint32_t k = n - base,
                               want = n >= base && k < counts[i] ? 100u + results[i][k] : n;
                if (c.w->r[n][9] != want)
                    fail_msg("%s: $r%u is %u, not %u", text, n, c.w->r[n][9], want);
            }
            /* the row that stands for missing registers stays 0 */
            assert_int_equal(c.w->r[WARP_REGS][9], 0);
            case_close(&c);
        }
}

/* Texture calls treat lanes as quads in fragment programs; in other programs only if the
 * instruction says `deriv`. */
TEST(test_quads) {
    struct warp_case c;
    struct seen seen = {0};
    const struct tex_binding *slot[2];
    open_at(&c, simd_best(), PROGRAM_VP,
            "texauto all $r4:$r5:$r6:$r7 $t0 $s0 $r4:$r5 0x0 0x0 0x0\n"
            "exit nop\n");
    sampled_by(&c, &seen, slot);
    case_run(&c);
    assert_false(seen.call.quads);
    case_close(&c);
    open_at(&c, simd_best(), PROGRAM_VP,
            "texauto all deriv $r4:$r5:$r6:$r7 $t0 $s0 $r4:$r5 0x0 0x0 0x0\nexit nop\n");
    sampled_by(&c, &seen, slot);
    case_run(&c);
    assert_true(seen.call.quads);
    case_close(&c);
}

static void on_emit(void *self, const u32x32 *out, lane_mask m, uint32_t stream) {
    (void)stream;
    struct seen *s = self;
    assert_int_equal(s->restarts, 0);
    assert_int_equal((*out)[1], 1);
    s->emits++;
    s->lanes = m;
}

static void on_restart(void *self, lane_mask m, uint32_t stream) {
    (void)stream;
    struct seen *s = self;
    assert_int_equal(m, s->lanes);
    s->restarts++;
}

TEST(test_emit) {
    FOR_EACH_LEVEL(level) {
        struct seen seen = {0};
        const struct emit_port port = {&seen, on_emit, on_restart};
        CASE_AT(c, level, PROGRAM_GP, ISA_G80, 0x7, "mov b32 o[0x0] $r0\nemit\nexit restart\n");
        c.w->emit = &port;
        case_run(&c);
        assert_int_equal(seen.emits, 1);
        assert_int_equal(seen.restarts, 1);
        assert_int_equal(seen.lanes, 7);
    }
}
