/* Fermi 3D programs in one warp, in both engines at every level: emitted vertices, interpolation,
 * pixel data, code in two parts (fermi-isa.md §6.7, §9). Expected values are computed in plain C.
 * tests/shader/programs/stages.txt has small programs of each stage. */
#include "tests/shader/fermi_stage.h"

static uint32_t mark(unsigned row, int lane) {
    return 0x10000 * (row + 1) + (uint32_t)lane;
}

static void fill(u32x32 *rows, unsigned count) {
    for (unsigned r = 0; r < count; r++)
        for (int lane = 0; lane < LANES; lane++)
            rows[r][lane] = mark(r, lane);
}

static void all_lanes_are(u32x32 row, uint32_t want) {
    for (int lane = 0; lane < LANES; lane++)
        assert_int_equal(row[lane], want);
}

/* ---- geometry programs ---- */

struct emitted {
    uint32_t row[4][LANES], stream[4][LANES];
    unsigned count[LANES], restarts[LANES];
};

static void on_emit(void *self, const u32x32 *out, lane_mask m, uint32_t stream) {
    struct emitted *e = self;
    for (; m; m &= m - 1) {
        const int lane = __builtin_ctz(m);
        const unsigned n = e->count[lane]++;
        assert_true(n < 4);
        e->row[n][lane] = out[1][lane];
        e->stream[n][lane] = stream;
    }
}

static void on_restart(void *self, lane_mask m, uint32_t stream) {
    struct emitted *e = self;
    for (; m; m &= m - 1)
        e->restarts[__builtin_ctz(m)] += 1 + stream;
}

/* Vertex n of a lane has its words at handle + 0x20 * row; the pipeline chooses the handles. */
TEST(test_geometry) {
    FOR_EACH_ENGINE(level, native) {
        STAGE(s);
        struct emitted e = {0};
        const struct emit_port port = {&e, on_emit, on_restart};
        const u32x32 invocation = lanes_iota() % 3;
        header_begin(s.header, PROGRAM_GP);
        header_in(s.header, 0x60);
        header_in(s.header, 0x70);
        header_in(s.header, 0x84);
        header_in(s.header, 0x88);
        header_out(s.header, 0x70);
        header_out(s.header, 0x80);
        stage_open(&s, level, native, PROGRAM_GP,
                   "ld $r1 p[0x1]\nld b32 $r2 a[0x84] $r1\n"
                   "ld b64 $r4:$r5 a[0x88] $r1\n" /* 8c has no row */
                   "ld b32 $r6 a[0x60] 0x0\nmov b32 $r7 $invoc\nmov b32 $r8 $laneid\n"
                   "and b32 $r9 $r8 0x1\nld $r10 p[$r9+0x0]\nld b32 $r11 a[0x70] $r10\n"
                   "ld b32 $r12 a[0x84] 0x0\n" /* handle 0 */
                   "st b32 a[0x80] $r2 $r0\nout emit $r0 $r0 0x0\nst b32 a[0x80] $r6 $r0\n"
                   "set $p0 0x1 lt u32 $r8 0x5\n$p0 out emit restart $r0 $r0 0x0\n"
                   "out emit $r0 $r0 $r8\nexit\n");
        fill(s.prim, STAGE_ROWS);
        for (unsigned n = 0; n < 7; n++)
            for (int lane = 0; lane < LANES; lane++)
                s.attr[n][lane] = n < 6 ? n * 5 * LANES + (uint32_t)lane : 777 + (uint32_t)lane;
        s.w->invocation = &invocation;
        s.w->emit = &port;
        stage_run(&s);
        for (int lane = 0; lane < LANES; lane++) {
            assert_int_equal(s.w->r[2][lane], mark(5 + 1, lane));
            assert_int_equal(s.w->r[4][lane], mark(5 + 2, lane));
            assert_int_equal(s.w->r[5][lane], 0);
            assert_int_equal(s.w->r[6][lane], 777 + lane);
            assert_int_equal(s.w->r[7][lane], lane % 3);
            assert_int_equal(s.w->r[11][lane], mark(lane & 1 ? 5 : 0, lane));
            assert_int_equal(s.w->r[12][lane], mark(1, 0));
            const bool low = lane < 5;
            assert_int_equal(e.count[lane], low ? 3 : 2);
            assert_int_equal(e.restarts[lane], low);
            assert_int_equal(e.row[0][lane], mark(6, lane));
            assert_int_equal(e.row[1][lane], 777 + lane);
            assert_int_equal(e.stream[0][lane], 0);
            assert_int_equal(e.stream[low ? 2 : 1][lane], lane & 3);
        }
    }
}

/* ---- fragment programs ---- */

static const struct attribute_plane planes[2][6] = {{{2, 0.25f, -0.5f, 11},        /* 7c */
                                                     {3, 0.125f, 0.75f, 12},       /* 80 */
                                                     {1e-38f, 1e-39f, 3e-39f, 13}, /* 84 */
                                                     {-7, 2.5f, 0.1f, 0x7fc12345}, /* 280 */
                                                     {5, 0, 0, 0x80000001},        /* 64, flat */
                                                     {6, 1, 1, 16}},
                                                    {{4, -0.25f, 0.5f, 21},
                                                     {-3, 0.3f, 0.7f, 22},
                                                     {INFINITY, 1, 2, 23},
                                                     {-1e-38f, 2e-39f, 0.1f, 24},
                                                     {5, 0, 0, 25},
                                                     {6, 1, 1, 26}}};
enum { PLANES = 5 };

struct pixels {
    struct attribute_planes set[2];
    uint32_t position[4];
    u32x32 coverage;
};

static void place_pixels(struct fermi_stage *s, struct pixels *p, int kind) {
    for (int k = 0; k < 2; k++)
        p->set[k] = (struct attribute_planes){k ? 0 : ~0u, PLANES, planes[k]};
    for (int lane = 0; lane < LANES; lane++) {
        ((float *)&s->w->x)[lane] = (float)(lane / 4 * 2 + lane % 2) + 0.5f;
        ((float *)&s->w->y)[lane] = (float)(lane / 2 % 2 + 3 * (lane / 8)) + 0.5f;
    }
    s->w->cx = s->w->x + 0.25f;
    s->w->cy = s->w->y - 0.125f;
    for (int q = 0; q < 8; q++)
        s->w->planes[q] = kind == 2 && q == 5 ? NULL : &p->set[kind ? q & 1 : 0];
    s->w->uniform_planes = kind == 0;
}

static uint32_t bits(float f) {
    uint32_t v;
    memcpy(&v, &f, 4);
    return v;
}

static float flushed(float f) {
    return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

/* The plane's value at a place, with each operation rounded and flushed. */
static float plane_value(const struct attribute_plane *p, float x, float y) {
    const float dx = flushed(flushed(p->dx) * x), dy = flushed(flushed(p->dy) * y);
    return flushed(flushed(flushed(p->base) + dx) + dy);
}

static void fragment_header(struct fermi_stage *s) {
    header_begin(s->header, PROGRAM_FP);
    header_plane(s->header, 0x7c, SPH_PERSPECTIVE);
    header_plane(s->header, 0x80, SPH_PERSPECTIVE);
    header_plane(s->header, 0x84, SPH_LINEAR);
    header_plane(s->header, 0x300, SPH_PERSPECTIVE);
    header_plane(s->header, 0x64, SPH_FLAT);
}

TEST(test_interpolation) {
    FOR_EACH_ENGINE(level, native)
    for (int kind = 0; kind < 3; kind++) {
        struct fermi_stage s;
        struct pixels p;
        fragment_header(&s);
        stage_open(&s, level, native, PROGRAM_FP,
                   "interp pass f32 $r1 a[0x7c] 0x0 0x0\ninterp mul f32 $r2 a[0x80] $r30 0x0\n"
                   "interp pass f32 $r3 cent a[0x84] 0x0 0x0\ninterp sc f32 $r4 a[0x300] $r30 0x0\n"
                   "interp flat f32 $r5 a[0x64] 0x0 0x0\ninterp flat f32 $r6 a[0x3fc] 0x0 0x0\n"
                   "interp mul f32 $r7 off a[0x80] $r30 $r31\n"
                   "interp mul sat f32 $r8 a[0x80] $r30 0x0\ninterp flat f32 $r9 a[0x300] 0x0 0x0\n"
                   "interp flat f32 $r10 a[0x88] 0x0 0x0\n" /* without plane */
                   "interp pass f32 $r11 a[0x3fc] 0x0 0x0\n"
                   "interp pass f32 $r12 a[$r32+0x80] 0x0 0x0\n"
                   "interp pass f32 $r13 cent a[0x80] 0x0 0x0\nexit\n");
        place_pixels(&s, &p, kind);
        for (int lane = 0; lane < LANES; lane++) {
            s.w->r[30][lane] = bits(lane == 3 ? 0 : lane == 4 ? 1e-38f : 0.3f * (float)lane - 2);
            s.w->r[31][lane] = (uint32_t)(lane * 64 & 0xffff) | (uint32_t)(-lane * 100) << 16;
            s.w->r[32][lane] = lane % 3 * 4u;
        }
        stage_run(&s);
        for (int lane = 0; lane < LANES; lane++) {
            const struct attribute_planes *set = s.w->planes[lane / 4];
            static const struct attribute_plane none;
            const float x = s.w->x[lane], y = s.w->y[lane], cx = s.w->cx[lane], cy = s.w->cy[lane];
            float factor, value;
            const uint32_t word = s.w->r[30][lane];
            memcpy(&factor, &word, 4);
            factor = flushed(factor);
#define PLANE(n) (set ? &set->plane[n] : &none)
            uint32_t want[14];
            want[1] = bits(plane_value(PLANE(0), x, y));
            want[2] = bits(value = flushed(plane_value(PLANE(1), x, y) * factor));
            want[3] = bits(plane_value(PLANE(2), cx, cy));
            want[4] = bits(flushed(plane_value(PLANE(3), x, y) * factor));
            want[5] = PLANE(4)->flat;
            want[6] = set ? set->facing : 0;
            want[7] = bits(
                flushed(plane_value(PLANE(1), x + (float)lane / 64, y - (float)lane * 100 / 4096) *
                        factor));
            want[8] = bits(value <= 0 || value != value ? 0 : value > 1 ? 1 : value);
            want[9] = PLANE(3)->flat;
            want[10] = want[11] = 0;
            want[12] = lane % 3 == 2 ? 0 : bits(plane_value(PLANE(1 + lane % 3), x, y));
            want[13] = bits(plane_value(PLANE(1), cx, cy));
            for (int r = 1; r <= 13; r++)
                if (s.w->r[r][lane] != want[r] && (want[r] & 0x7fffffff) <= 0x7f800000)
                    fail_msg("level %u, native %d, kind %d, lane %d, $r%d: %08x, not %08x", level,
                             native, kind, lane, r, s.w->r[r][lane], want[r]);
        }
        stage_close(&s);
    }
}

/* Interpolation gives the same bits as on Tesla, with denormals and NaNs, too. */
TEST(test_interpolation_as_tesla) {
    FOR_EACH_ENGINE(level, native)
    for (int kind = 0; kind < 2; kind++) {
        struct fermi_stage s, t;
        struct pixels p;
        static const char text[] = "interp $r1 v[0x0]\ninterp $r2 v[0x4] $r30\n"
                                   "interp $r3 cent v[0x8]\ninterp $r4 v[0xc] $r30\n"
                                   "interp $r5 v[0x8] $r30\nexit nop\n";
        fragment_header(&s);
        stage_open(&s, level, native, PROGRAM_FP,
                   "interp pass f32 $r1 a[0x7c] 0x0 0x0\ninterp mul f32 $r2 a[0x80] $r30 0x0\n"
                   "interp pass f32 $r3 cent a[0x84] 0x0 0x0\ninterp sc f32 $r4 a[0x300] $r30 0x0\n"
                   "interp mul f32 $r5 a[0x84] $r30 0x0\nexit\n");
        t = s;
        t.w = case_rows(sizeof *t.w);
        t.program = made_of_code(PROGRAM_FP, ISA_GT215, STAGE_REGS, text);
        t.env.program = t.program;
        warp_start(t.w, &t.env, LANES_ALL, 0);
        place_pixels(&s, &p, kind);
        place_pixels(&t, &p, kind);
        for (int lane = 0; lane < LANES; lane++)
            s.w->r[30][lane] = t.w->r[30][lane] =
                lane < 8 ? (uint32_t)lane << 20 : bits(0.37f * (float)lane - 3);
        s.w->r[30][9] = t.w->r[30][9] = 0xffc00001;
        s.w->r[30][10] = t.w->r[30][10] = bits(-INFINITY);
        stage_run(&s);
        stage_run(&t);
        for (int r = 1; r <= 5; r++)
            assert_memory_equal(&s.w->r[r], &t.w->r[r], sizeof s.w->r[r]);
        program_unref(t.program);
        warp_free(t.w);
        free(t.w);
        stage_close(&s);
    }
}

TEST(test_pixel_facts) {
    FOR_EACH_ENGINE(level, native) {
        STAGE(s);
        struct pixels p;
        fragment_header(&s);
        stage_open(&s, level, native, PROGRAM_FP,
                   "pixinfo $r1 0x1 samplecnt pix[0x0]\npixinfo $r2 0x1 covmask pix[0x0]\n"
                   "pixinfo $r3 $p1 covered pix[0x2]\nmov b32 $r0 $laneid\n"
                   "pixinfo $r4 0x1 offset pix[$r0+0x1]\npixinfo $r5 0x1 cent_offset pix[0x0]\n"
                   "pixinfo $r6 0x1 sampleid pix[0x0]\nselp b32 $r7 $r0 0x0 $p1\n"
                   "mov b32 $r8 $ydir\nexit\n");
        place_pixels(&s, &p, 0);
        for (int lane = 0; lane < LANES; lane++)
            p.coverage[lane] = (uint32_t)lane % 16;
        for (uint32_t i = 0; i < 4; i++)
            p.position[i] = 0x10001 * (i + 1);
        s.w->sample_count = 4;
        s.w->coverage = &p.coverage;
        s.w->sample_position = p.position;
        s.w->sample_id = 3;
        stage_run(&s);
        all_lanes_are(s.w->r[1], 4);
        all_lanes_are(s.w->r[5], 0x400 | 0xfe00u << 16);
        all_lanes_are(s.w->r[6], 3);
        all_lanes_are(s.w->r[8], bits(1));
        for (int lane = 0; lane < LANES; lane++) {
            const bool covered = lane >> 2 & 1;
            assert_int_equal(s.w->r[2][lane], lane % 16);
            assert_int_equal(s.w->r[3][lane], covered);
            assert_int_equal(s.w->r[4][lane], lane < 3 ? 0x10001 * (lane + 2) : 0);
            assert_int_equal(s.w->r[7][lane], covered ? lane : 0);
        }
    }
}

/* ---- code in two parts ---- */

/* The library lies before the program, behind it, or directly at its end. */
TEST(test_library) {
    static const uint32_t bases[] = {0x80000, 0x100, STAGE_BASE + 4 * 16};
    for (size_t i = 0; i < LENGTH(bases); i++)
        FOR_EACH_ENGINE(level, native) {
            STAGE(s);
            char text[512];
            header_begin(s.header, PROGRAM_VP);
            snprintf(text, sizeof text,
                     ".section #C 0x%x\nadd b32 $r0 $r0 0x1\nset $p0 0x1 lt u32 $r0 0x14\n"
                     "$p0 ret\nadd b32 $r0 $r0 $r0\nret\n",
                     bases[i]);
            struct asm_result library = assembled(ISA_GF100, PROGRAM_VP, text);
            snprintf(text, sizeof text,
                     "long mov b32 $r0 $laneid\ncall abs 0x%x\nlong mov b32 $r1 $r0\n"
                     "call abs 0x%x\nlepc $r2\nlong nop\nlong nop\nexit\n",
                     bases[i], bases[i]);
            struct program *p =
                stage_program(&s, PROGRAM_VP, text, library.words, library.count, bases[i]);
            for (uint32_t w = 0; w < p->word_count; w++)
                assert_int_equal(program_word(p, program_address(p, w)), w);
            assert_true(program_word(p, bases[i] + 4 * (uint32_t)library.count) >= p->word_count);
            assert_true(program_word(p, bases[i] - 4) >= program_own_words(p) || i == 2);
            stage_start(&s, level, native, p, LANES_ALL, 0);
            stage_run(&s);
            for (int lane = 0; lane < LANES; lane++) {
                const int once = lane < 19 ? lane + 1 : 2 * lane + 2;
                assert_int_equal(s.w->r[1][lane], once);
                assert_int_equal(s.w->r[0][lane], once < 19 ? once + 1 : 2 * once + 2);
                assert_int_equal(s.w->r[2][lane], STAGE_BASE + 5 * 8);
            }
            assert_int_equal(s.w->stack_top, 0);
            asm_result_free(&library);
        }
}

/* A warp that runs past the end of the program or of the library fails there. */
TEST(test_parts_end) {
    for (int part = 0; part < 2; part++)
        FOR_EACH_ENGINE(level, native) {
            STAGE(s);
            header_begin(s.header, PROGRAM_VP);
            struct asm_result library = assembled(
                ISA_GF100, PROGRAM_VP, ".section #C 0x2000\nlong mov b32 $r1 0x5\nlong nop\n");
            struct program *p = stage_program(
                &s, PROGRAM_VP, part ? "call abs 0x2000\nexit\n" : "long mov b32 $r0 0x1\n",
                library.words, library.count, 0x2000);
            stage_start(&s, level, native, p, LANES_ALL, 0);
            assert_int_equal(warp_run(s.w, &s.env), WARP_ERROR);
            assert_int_equal(s.w->error.code, MP_DECODE_ERROR);
            assert_int_equal(s.w->error.address, part ? 0x2010 : STAGE_BASE + 8);
            all_lanes_are(s.w->r[1], part ? 5 : 0);
            asm_result_free(&library);
        }
}

TEST(test_refused) {
    static const uint32_t words[4] = {0x00001de7, 0x80000000, 0x00001de7, 0x80000000};
    struct attribute_rows rows;
    struct program_error error;
    struct program_code code = {.words = words,
                                .word_count = 4,
                                .base = 0x100,
                                .entry = 0x100,
                                .library = words,
                                .library_words = 4,
                                .library_base = 0x108};
    memset(&rows, 0xff, sizeof rows);
    assert_null(program_from_code(PROGRAM_VP, ISA_GF100, NULL, &code, "test", &error));
    assert_non_null(strstr(error.text, "overlap"));
    code.library_base = 0x200;
    assert_null(program_from_code(PROGRAM_VP, ISA_GF100, NULL, &code, "test", &error));
    assert_non_null(strstr(error.text, "header"));
    code.rows = &rows;
    assert_null(program_from_code(PROGRAM_TEP, ISA_GT215, NULL, &code, "test", &error));
    struct program *p = program_from_code(PROGRAM_TEP, ISA_GF100, NULL, &code, "test", &error);
    assert_non_null(p);
    program_unref(p);
}

/* ---- facts of the code ---- */

TEST(test_facts) {
    static const struct {
        const char *text;
        bool harmless, infallible;
    } rows[] = {{"interp pass f32 $r0 a[0x7c] 0x0 0x0\nexit\n", true, true},
                {"mov b32 $r0 0x1\n$p0 discard\nexit\n", false, true},
                {"mov b32 $r0 0x1\n$p0 exit\nexit\n", false, false},
                {"join nop\nexit\n", false, false},
                {"st b32 wb g[$r2d] $r1\nexit\n", false, false},
                {"sustp wb zero img[0x0] 1d $r0 $r4:$r5:$r6:$r7\nexit\n", false, false},
                {"texcsaa p all dfp $r0:$r1:#:# $t0 $s0 $r0:$r1:$r2\nexit\n", false, false},
                {"mov b32 $r0 0x1\n", false, false}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct fermi_stage s;
        fragment_header(&s);
        struct program *p = stage_program(&s, PROGRAM_FP, rows[i].text, NULL, 0, 0);
        if (p->facts.harmless != rows[i].harmless || p->facts.infallible != rows[i].infallible)
            fail_msg("%s: harmless %d, infallible %d", rows[i].text, p->facts.harmless,
                     p->facts.infallible);
        program_unref(p);
    }
}
