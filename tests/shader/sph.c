/* Headers of Fermi's 3D programs (fermi-isa.md §9): the order of rows, limits, headers of random
 * words and of other stages, and headers made from code. */
#include "tests/shader/fermi_stage.h"

static void read_as(const uint32_t h[SPH_WORDS], enum program_type type, struct program_header *f,
                    struct attribute_rows *rows) {
    memset(f, 0x55, sizeof *f);
    memset(rows, 0x55, sizeof *rows);
    assert_true(sph_read(h, type, f, rows));
}

/* The rows are a list without holes, in the order of `want`. */
static void rows_are(const uint8_t row[A_WORDS], unsigned count, const uint16_t *want,
                     unsigned wanted) {
    unsigned found = 0;
    assert_int_equal(count, wanted);
    for (unsigned i = 0; i < wanted; i++)
        assert_int_equal(row[want[i] / 4], i);
    for (unsigned a = 0; a < A_WORDS; a++)
        found += row[a] != ROW_NONE;
    assert_int_equal(found, wanted);
}

TEST(test_vertex) {
    static const uint16_t in[] = {0x84, 0x8c, 0x90, 0x170, 0x17c, 0x2fc, 0x2f8},
                          out[] = {0x64, 0x70, 0x74, 0x78, 0x7c, 0x80, 0x280, 0x2c0, 0x338};
    uint32_t h[SPH_WORDS];
    struct program_header f;
    struct attribute_rows rows;
    header_begin(h, PROGRAM_VP);
    for (size_t i = 0; i < LENGTH(in); i++)
        header_in(h, in[i]);
    for (size_t i = 0; i < LENGTH(out); i++)
        header_out(h, out[i]);
    h[1] = 0x30; /* size of l[] in bytes */
    read_as(h, PROGRAM_VP, &f, &rows);
    rows_are(rows.in, rows.in_count, in, LENGTH(in));
    rows_are(rows.out, rows.out_count, out, LENGTH(out));
    assert_int_equal(f.attr_enable[0], 0x1a);
    assert_int_equal(f.attr_enable[1], 0x90000000);
    assert_int_equal(f.builtin_enable, 0x11);
    assert_int_equal(f.result_count, LENGTH(out));
    assert_int_equal(f.local_size, 0x30);
    assert_false(f.writes_memory);
    assert_int_equal(f.reg_count, 0x5555); /* the header does not contain the number of registers */
}

TEST(test_geometry) {
    static const uint16_t in[] = {0x70, 0x7c, 0x80, 0x300, 0x37c}, out[] = {0x40, 0x70, 0x3a0};
    static const uint8_t primitives[][2] = {{1, 1}, {6, 2}, {7, 3}, {5, 0}};
    uint32_t h[SPH_WORDS];
    struct program_header f;
    struct attribute_rows rows;
    for (size_t k = 0; k < LENGTH(primitives); k++) {
        header_begin(h, PROGRAM_GP);
        for (size_t i = 0; i < LENGTH(in); i++)
            header_in(h, in[i]);
        for (size_t i = 0; i < LENGTH(out); i++)
            header_out(h, out[i]);
        header_in(h, 0x60); /* a word of the primitive, not of a vertex */
        h[0] |= 5u << 28 | 1u << 16;
        h[2] = (uint32_t)(3 * k) << 24;
        h[3] = (uint32_t)primitives[k][0] << 24 | 0x123456;
        h[4] = 0xff000 | 1024;
        read_as(h, PROGRAM_GP, &f, &rows);
        rows_are(rows.in, rows.in_count, in, LENGTH(in));
        rows_are(rows.out, rows.out_count, out, LENGTH(out));
        assert_int_equal(f.builtin_enable, 0x100);
        assert_int_equal(f.gp_out_primitive, primitives[k][1]);
        assert_int_equal(f.gp_max_vertices, 1024);
        assert_int_equal(f.gp_invocations, k ? 3 * k : 1);
        assert_int_equal(f.gp_streams, 5);
        assert_true(f.writes_memory);
    }
}

TEST(test_fragment) {
    static const uint16_t planes[] = {0x70,  0x7c, /* position */
                                      0x84,  0x270, 0x284, 0x288, 0x280, 0x28c, 0x2e0,
                                      0x300, 0x60,  0x64,  0x80,  0x29c, 0x37c /* flat */};
    static const uint16_t order[] = {0x70,  0x7c, 0x84, 0x270, 0x280, 0x284, 0x288, 0x28c, 0x2e0,
                                     0x300, 0x60, 0x64, 0x80,  0x290, 0x294, 0x298, 0x29c, 0x37c};
    static const uint8_t modes[] = {
        SPH_LINEAR,      SPH_LINEAR,      SPH_LINEAR,      SPH_PERSPECTIVE, SPH_PERSPECTIVE,
        SPH_PERSPECTIVE, SPH_PERSPECTIVE, SPH_PERSPECTIVE, SPH_PERSPECTIVE, SPH_LINEAR,
        SPH_FLAT,        SPH_FLAT,        SPH_FLAT,        SPH_FLAT,        SPH_FLAT,
        SPH_FLAT,        SPH_FLAT,        SPH_FLAT};
    uint32_t h[SPH_WORDS];
    struct program_header f;
    struct attribute_rows rows;
    header_begin(h, PROGRAM_FP);
    for (size_t i = 0; i < LENGTH(planes); i++) {
        const uint16_t a = planes[i];
        const bool flat = a == 0x80 || a == 0x29c || a == 0x37c, linear = a == 0x84 || a == 0x300;
        if (a != 0x280 && a != 0x28c) /* has a plane because another word of its vector is read */
            header_plane(h, a, flat ? SPH_FLAT : linear ? SPH_LINEAR : SPH_PERSPECTIVE);
    }
    h[0] |= 1 << 14 | 1 << 15;
    h[18] = 0xf010f;
    h[19] = 2;
    read_as(h, PROGRAM_FP, &f, &rows);
    rows_are(rows.in, rows.in_count, order, LENGTH(order));
    for (size_t i = 0; i < LENGTH(order); i++) {
        assert_int_equal(rows.plane[i].word, order[i] / 4);
        assert_int_equal(rows.plane[i].mode, modes[i]);
    }
    assert_int_equal(rows.out_count, 0);
    assert_int_equal(f.fp_control, FP_MULTIPLE_RESULTS | FP_USES_KILL | FP_EXPORTS_Z);
    assert_int_equal(f.fp_results, 13);
    assert_int_equal(f.fp_targets, 0xf010f);
    h[0] &= ~(3u << 14);
    h[18] = 8;
    h[19] = 1;
    read_as(h, PROGRAM_FP, &f, &rows);
    assert_int_equal(f.fp_control, FP_EXPORTS_SAMPLE_MASK);
    assert_int_equal(f.fp_results, 5);
}

TEST(test_control) {
    static const uint16_t in[] = {0x70, 0x84}, out[] = {0x7c, 0x90};
    uint32_t h[SPH_WORDS];
    struct program_header f;
    struct attribute_rows rows;
    header_begin(h, PROGRAM_TCP);
    for (int i = 0; i < 2; i++) {
        header_in(h, in[i]);
        header_out(h, out[i]);
    }
    h[1] = 12u << 24;
    h[2] = 32u << 24;
    read_as(h, PROGRAM_TCP, &f, &rows);
    rows_are(rows.in, rows.in_count, in, 2);
    rows_are(rows.out, rows.out_count, out, 2);
    assert_int_equal(f.patch_words, 12);
    assert_int_equal(f.patch_vertices, 32);
}

/* Whatever a header contains, its rows are within bounds. */
TEST(test_any_words) {
    uint64_t seed = 1;
    for (int n = 0; n < 3000; n++) {
        static const enum program_type types[] = {PROGRAM_VP,  PROGRAM_GP,  PROGRAM_FP,
                                                  PROGRAM_TCP, PROGRAM_TEP, PROGRAM_CP};
        const enum program_type type = types[n % 6];
        uint32_t h[SPH_WORDS];
        struct program_header f = {0};
        struct attribute_rows rows;
        for (int i = 0; i < SPH_WORDS; i++)
            h[i] = n < 6    ? 0
                   : n < 12 ? ~0u
                            : (uint32_t)random_next(&seed) | (n & 8 ? ~0u << n % 32 : 0);
        const bool kind = sph_read(h, type, &f, &rows);
        if (n < 12)
            assert_false(kind);
        unsigned in = 0, out = 0;
        for (int a = 0; a < A_WORDS; a++) {
            in += rows.in[a] != ROW_NONE;
            out += rows.out[a] != ROW_NONE;
            assert_true(rows.in[a] == ROW_NONE || rows.in[a] < rows.in_count);
            assert_true(rows.out[a] == ROW_NONE || rows.out[a] < rows.out_count);
        }
        assert_int_equal(in, rows.in_count);
        assert_int_equal(out, rows.out_count);
        if (type == PROGRAM_FP)
            assert_true(rows.in_count <= SPH_PLANES);
        if (n < 6)
            assert_int_equal(in + out, 0);
        assert_true(f.local_size <= 0x10000);
    }
}

/* ---- headers made from code ---- */

static void make_header(enum program_type type, const char *text, struct program_header *f,
                        struct attribute_rows *rows) {
    const struct isa_target target = {ISA_GF100, type, SYNTAX_ENVYAS};
    struct program_header told = {0};
    struct asm_result code;
    uint32_t h[SPH_WORDS];
    char message[512] = "";
    if (isa_assemble(target, text, strlen(text), "test", &told, &code, message, sizeof message))
        fail_msg("%s", message);
    sph_make(target, &told, code.words, code.count, code.base, h);
    read_as(h, type, f, rows);
    asm_result_free(&code);
}

TEST(test_made_vertex) {
    static const uint16_t in[] = {0x80, 0x84, 0x88, 0x8c, 0x94, 0x2fc}, out[] = {0x70, 0x74, 0x280};
    struct program_header f;
    struct attribute_rows rows;
    make_header(PROGRAM_VP,
                "ld b128 $r0:$r1:$r2:$r3 a[0x80] 0x0\nld b32 $r4 a[0x94] 0x0\n"
                "ld b32 $r5 a[0x2fc] 0x0\nst b64 a[0x70] $r0:$r1 0x0\nst b32 a[0x280] $r5 0x0\n"
                "st b32 wb l[0x24] $r5\nexit\n",
                &f, &rows);
    rows_are(rows.in, rows.in_count, in, LENGTH(in));
    rows_are(rows.out, rows.out_count, out, LENGTH(out));
    assert_int_equal(f.local_size, 0x30);
}

/* An access with a register may reach all generic words from its address on. */
TEST(test_made_indirect) {
    struct program_header f;
    struct attribute_rows rows;
    make_header(PROGRAM_VP, "ld b32 $r0 a[$r1+0x160] 0x0\nst b32 a[$r1+0x1f0] $r0 0x0\nexit\n", &f,
                &rows);
    assert_int_equal(rows.in_count, 8); /* the words of the last two attributes */
    assert_int_equal(rows.out_count, (0x280 - 0x1f0) / 4);
}

TEST(test_made_control) {
    static const uint16_t in[] = {0x70, 0x80}, out[] = {0x80, 0x84};
    struct program_header f;
    struct attribute_rows rows;
    make_header(PROGRAM_TCP,
                ".vertices 5\nld $r1 p[0x2]\nld b32 $r2 a[0x70] $r1\nld b32 $r3 a[0x80] $r1\n"
                "ld b32 $r4 a[0x60] 0x0\nst b32 a[0x80] $r2 0x0\nld b32 $r5 out a[0x84] $r3\n"
                "st patch b32 a[0x34] $r2 0x0\nexit\n",
                &f, &rows);
    rows_are(rows.in, rows.in_count, in, LENGTH(in));
    rows_are(rows.out, rows.out_count, out, LENGTH(out));
    assert_int_equal(f.patch_vertices, 5);
    assert_int_equal(f.patch_words, 0x38 / 4);
    assert_true(f.builtin_enable & 0x100); /* the primitive id is no input of a vertex */
}

TEST(test_made_geometry) {
    struct program_header f;
    struct attribute_rows rows;
    make_header(PROGRAM_GP,
                ".primitive line_strip\n.vertices 7\n.invocations 3\nld $r1 p[0x0]\n"
                "ld b32 $r2 a[0x78] $r1\nst b32 a[0x64] $r2 0x0\nout emit $r2 $r2 0x0\nexit\n",
                &f, &rows);
    assert_int_equal(f.gp_out_primitive, 2);
    assert_int_equal(f.gp_max_vertices, 7);
    assert_int_equal(f.gp_invocations, 3);
    assert_int_equal(f.gp_streams, 1);
    assert_int_equal(rows.in[0x78 / 4], 0);
    assert_int_equal(rows.out[0x64 / 4], 0);
}

TEST(test_made_fragment) {
    struct program_header f;
    struct attribute_rows rows;
    make_header(PROGRAM_FP,
                ".targets 2\n.depth\n.sample_mask\ninterp pass f32 $r1 a[0x7c] 0x0 0x0\n"
                "interp mul f32 $r2 a[0x90] $r1 0x0\ninterp flat f32 $r3 a[0x64] 0x0 0x0\n"
                "interp pass f32 $r4 a[0x84] 0x0 0x0\ninterp flat f32 $r5 a[0x98] 0x0 0x0\n"
                "interp mul f32 $r6 a[0x304] $r1 0x0\ndiscard\nexit\n",
                &f, &rows);
    static const struct sph_plane want[] = {
        {0x7c / 4, SPH_LINEAR},       {0x84 / 4, SPH_LINEAR}, {0x90 / 4, SPH_PERSPECTIVE},
        {0x304 / 4, SPH_PERSPECTIVE}, {0x64 / 4, SPH_FLAT},   {0x98 / 4, SPH_FLAT}};
    assert_int_equal(rows.in_count, LENGTH(want));
    for (size_t i = 0; i < LENGTH(want); i++) {
        assert_int_equal(rows.plane[i].word, want[i].word);
        assert_int_equal(rows.plane[i].mode, want[i].mode);
    }
    assert_int_equal(f.fp_targets, 0xff);
    assert_int_equal(f.fp_results, 10);
    assert_int_equal(f.fp_control,
                     FP_MULTIPLE_RESULTS | FP_EXPORTS_Z | FP_EXPORTS_SAMPLE_MASK | FP_USES_KILL);
}
