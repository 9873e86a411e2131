/* Arithmetic vectors at every SIMD level: a file of results of the hardware (TESLAPIPE_SHARED), our
 * own vectors for rules beyond it, derivatives of quads, and malformed lines. */
#include "shader/vectors.h"
#include "tests/shader/alu_fixture.h"
#include "tests/shared_path.h"

/* ---- the vector file ---- */

static void print_line(void *self, unsigned line, const char *text, const char *got) {
    (void)self;
    print_error("line %u: %s\n  got %s\n", line, text, got);
}

/* Making native code takes long, so with native code each SIMD level tests its share of the
 * instructions. */
static FILE *vectors_for(FILE *in, int simd) {
    if (!test_native((enum simd_level)simd))
        return in;
    char line[512], before[20] = "", now[20] = "";
    int instruction = 0;
    FILE *out = tmpfile();
    assert_non_null(out);
    while (fgets(line, sizeof line, in)) {
        sscanf(line, "%*s %*s %8s %8s", now, now + 8); /* the instruction's words */
        instruction += strcmp(now, before) != 0;
        memcpy(before, now, sizeof before);
        if (instruction % ((int)simd_best() + 1) == simd)
            fputs(line, out);
    }
    rewind(out);
    return out;
}

TEST(test_vectors) {
    char path[4096];
    FILE *in = fopen(shared_path(path, sizeof path, "vectors/exec-public.txt"), "r");
    if (!in)
        skip();
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        struct vectors_report report = {.fail = print_line};
        rewind(in);
        FILE *const part = vectors_for(in, simd);
        assert_int_equal(
            vectors_run(part, (enum simd_level)simd, test_native((enum simd_level)simd), &report),
            0);
        assert_int_equal(report.failed, 0);
        assert_true(report.passed > (part == in ? 20000 : 5000));
        if (part != in)
            fclose(part);
    }
    fclose(in);
}

/* Computed by hand from tesla-isa.md §6 and §7: rules that the vector file does not reach. */
static const char own_vectors[] =
    /* integer: addc, mul u16 x s16, sad, set le, max, and not */
    "I g80 30401039 000307d0 0 4 7fff 0 0 -> 8000 a\n"
    "I g80 400a101d 000047d0 0 0 ffff ffff 0 -> ffff0001 2\n"
    "I g80 500a101d 080187d0 0 0 fffe 3 10 -> 00000015 0\n"
    "I g80 3005081d 6c00c7d0 0 0 ffffffff 0 0 -> ffffffff 2\n"
    "I g80 3005081d 6c00c7d0 0 0 1 0 0 -> 00000000 1\n"
    "I g80 300a1039 880007d0 0 0 ffff 1 0 -> 0001 0\n"
    "I g80 300a1039 800007d0 0 0 ffff 1 0 -> ffff 2\n"
    "I g80 d00a1039 000107d0 0 0 0f0f ffff 0 -> f0f0 2\n"
    /* set lu f32: less, greater, unordered, denormals equal */
    "F g80 b005081d 600247c0 0 f 3f800000 40000000 0 -> ffffffff 2\n"
    "F g80 b005081d 600247c0 0 f 40000000 3f800000 0 -> 00000000 1\n"
    "F g80 b005081d 600247c0 0 f 7fc00000 0 0 -> ffffffff 2\n"
    "F g80 b005081d 600247c0 0 f 80000001 00000001 0 -> 00000000 1\n"
    /* max f32; min f32 with neg S2 */
    "F g80 b005081d 800007c0 0 f 80000000 00000000 0 -> 00000000 1\n"
    "F g80 b005081d 800007c0 0 f 7fc00000 bf800000 0 -> bf800000 2\n"
    "F g80 b005081d 800007c0 0 f 7fc00000 ffc00000 0 -> 7fffffff 3\n"
    "F g80 b005081d a80007c0 0 f 3f800000 40000000 0 -> c0000000 2\n"
    "F g80 b005081d a80007c0 0 f 00000000 00000000 0 -> 80000000 1\n"
    /* slct: a negative denormal is not negative; NaN selects S2; the selected bits are unchanged */
    "F g80 c005081d 400187c0 0 f ffc00001 22222222 80000001 -> ffc00001 2\n"
    "F g80 c005081d 400187c0 0 f 11111111 22222222 bf800000 -> 22222222 0\n"
    "F g80 c005081d 400187c0 0 f 11111111 80000000 7fc00000 -> 80000000 1\n"
    /* fadd sat, fmul sat (not on g80) */
    "F g80 b000081d 200187c0 0 f c0000000 0 3f800000 -> 00000000 1\n"
    "F g80 b000081d 200187c0 0 f 3f800000 0 3f800000 -> 3f800000 0\n"
    "F g80 c005081d 001007c0 0 f 40000000 40000000 0 -> 40800000 0\n"
    "F g200 c005081d 001007c0 0 f 40000000 40000000 0 -> 3f800000 0\n"
    /* fmad sat of NaN: SAT_NAN per chip, sources or any; ZERO_WINS */
    "F gt215 e005081d 200187c0 80000 f 7fc00000 3f800000 3f800000 -> 00000000 1\n"
    "F gt215 e005081d 200187c0 80000 f 7f800000 0 3f800000 -> 00000000 1\n"
    "F g200 e005081d 200187c0 80000 f 7f800000 0 3f800000 -> 7fffffff 3\n"
    "F g200 e005081d 200187c0 80000 f 7f800000 0 7fc00000 -> 00000000 1\n"
    "F g84 e005081d 200187c0 80000 f 7fc00000 0 3f800000 -> 7fffffff 3\n"
    "F gt215 e005081d 200187c0 80002 f 0 7fc00000 3f800000 -> 00000000 1\n"
    "F gt215 e005081d 200187c0 2 f 0 7fc00000 3f000000 -> 3f000000 0\n"
    /* cvt f16 from u32: the chip drops high bits */
    "F g80 a0000839 400047c0 0 f 000007ff 0 0 -> 67ff 0\n"
    "F g80 a0000839 400047c0 0 f 00000801 0 0 -> 6800 0\n"
    "F g80 a0000839 400047c0 0 f 3fffffe0 0 0 -> 0000 1\n"
    "F g80 a0000839 400047c0 0 f 00010000 0 0 -> 7c00 0\n"
    "F g80 a0000839 400047c0 0 f 02000001 0 0 -> 3c00 0\n"
    /* cvt rp f16 from f32: underflow to a denormal or to zero, overflow by direction */
    "F g80 a0000839 c00447c0 0 f 2f000000 0 0 -> 0001 0\n"
    "F g80 a0000839 c00447c0 0 f 2e800000 0 0 -> 0000 1\n"
    "F g80 a0000839 c00447c0 0 f ae800000 0 0 -> 8000 1\n"
    "F g80 a0000839 c00447c0 0 f 477fe001 0 0 -> 7c00 0\n"
    "F g80 a0000839 c00447c0 0 f c77fe001 0 0 -> fbff 2\n"
    "F g80 a0000839 c00447c0 0 f 7fc00000 0 0 -> 7fff 3\n"
    /* cvt sat f16 from u16, s8 and neg u8 from u16 */
    "F g80 a0001039 400807c0 0 f 0002 0 0 -> 3c00 0\n"
    "F g80 a0001039 080807c0 0 f 0080 0 0 -> 007f 0\n"
    "F g80 a0001039 200807c0 0 f 0005 0 0 -> 0000 1\n"
    /* preex2, presin, ex2 sat */
    "S g80 b0000811 c0004780 0 5 c1000000 0 0 -> 84000000 5\n"
    "S g80 b0000811 c0004780 0 a c1000000 0 0 -> 84000000 a\n"
    "S g80 b0000811 c0004780 0 f 3f800000 0 0 -> 00800000 f\n"
    "S g80 b0000811 c0004780 0 f c1000000 0 0 -> 84000000 f\n"
    "S g80 b0000811 c0004780 0 f 43000000 0 0 -> 40800000 f\n"
    "S g80 b0000811 c0004780 0 f ffc00000 0 0 -> c0000000 f\n"
    "S g80 b0000811 c0000780 0 f 3f800000 0 0 -> 00517cc1 f\n"
    "S g80 b0000811 c0000780 0 f ff800000 0 0 -> c0800000 f\n"
    "S g80 90000811 c8000780 0 f 00800000 0 0 -> 3f800000 f\n"
    "S g200 90000811 c8000780 80000 f 40000000 0 0 -> 00000000 f\n"
    "S g80 90000811 c8000780 80000 f 40000000 0 0 -> 7fffffff f\n"
    /* quadop add subr subr subr l2; dx outside fragment programs */
    "Q g200 c012081d 814187c0 0 0 0 0 3f800000 0 40000000 -> 40400000 0\n"
    "Q g200 c012081d 814187c0 0 1 0 0 3f800000 0 40000000 -> 3f800000 0\n"
    "Q g84 c004081d 8ec187c0 0 0 3f800000 0 0 0 3f800000 -> 00000000 1\n"
    "Q g84 c004081d 8ec187c0 1 0 3f800000 0 0 0 3f800000 -> 7f800000 0\n"
    /* denormal immediates are flushed like registers, also where a compiler folds constants */
    "F g80 e03f0919 0807ffff 0 f f9d0c0c2 ccf60000 80000001 -> 00000000 f\n"
    "F g80 e07f8919 0807ffff 0 f 7f000000 00800001 b5141cea -> 35141cea f\n";

TEST(test_own_vectors) {
    FILE *in = fmemopen((void *)own_vectors, sizeof own_vectors - 1, "r");
    assert_non_null(in);
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        struct vectors_report report = {.fail = print_line};
        rewind(in);
        assert_int_equal(
            vectors_run(in, (enum simd_level)simd, test_native((enum simd_level)simd), &report), 0);
        assert_int_equal(report.failed, 0);
        assert_int_equal(report.passed, 62);
    }
    fclose(in);
}

static void fill_quads(struct warp *w, const void *data) {
    (void)data;
    for (int i = 0; i < LANES; i++) /* 1, 2, 4, 8 in each quad */
        w->r[2][i] = 0x3f800000u + ((uint32_t)(i & 3) << 23);
}

/* Derivatives as compilers write them: dx and dy of 1, 2, 4, 8. */
TEST(test_derivatives) {
    static const uint32_t words[] = {
        0xc0140405, 0x89808780, /* quadop f32 sub subr sub subr $r1 dx $r2 $r2 */
        0xc015040d, 0x8a408780, /* quadop f32 sub sub subr subr $r3 dy $r2 $r2 */
        0xf0000001, 0xe0000781,
    };
    static const uint32_t dx[4] = {0x3f800000, 0x3f800000, 0x40800000, 0x40800000};
    static const uint32_t dy[4] = {0x40400000, 0x40c00000, 0x40400000, 0x40c00000};
    struct program *p = made_of_words(PROGRAM_FP, ISA_G80, 8, words, LENGTH(words));
    for (int simd = 0; simd <= (int)simd_best(); simd++) {
        run(p, (enum simd_level)simd, 0, LANES_ALL, fill_quads, NULL);
        for (int i = 0; i < LANES; i++) {
            assert_int_equal(warp->r[1][i], dx[i & 3]);
            assert_int_equal(warp->r[3][i], dy[i & 3]);
        }
    }
    program_unref(p);
}

/* A right line passes. A right line with one wrong field fails, for each field. */
TEST(test_vector_fields) {
    static const char right[] = "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2";
    static const char *const instead[12][5] = {{"X", "II", "1"},
                                               {"g81", "gt", "8"},
                                               {"2000103x", "zz", "-"},
                                               {"x00307d0", "----"},
                                               {"z"},
                                               {"q"},
                                               {"fff8000g"},
                                               {"-ffffff8c?"},
                                               {"x"},
                                               {"=>", ">", "-"},
                                               {"fffe", "g"},
                                               {"3", "h"}};
    for (int field = 0; field < 12; field++)
        for (int k = 0; k < 6; k++) { /* the last round leaves a field out */
            char text[256] = "", parts[256], *next = parts;
            if (k < 5 && !instead[field][k])
                continue;
            strcpy(parts, right);
            for (int i = 0; i < 12; i++) {
                const char *part = strsep(&next, " ");
                const char *const shown = i != field ? part : k < 5 ? instead[field][k] : "";
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                         shown);
            }
            strcat(text, "\n");
            FILE *in = fmemopen(text, strlen(text), "r");
            struct vectors_report report = {0};
            assert_int_equal(vectors_run(in, SIMD_BASE, NULL, &report), 0);
            fclose(in);
            if (report.passed != 0 || report.failed != 1)
                fail_msg("%u passed: %s", report.passed, text);
        }
    FILE *in = fmemopen((void *)right, strlen(right), "r");
    struct vectors_report report = {0};
    assert_int_equal(vectors_run(in, SIMD_BASE, NULL, &report), 0);
    fclose(in);
    assert_true(report.passed == 1 && report.failed == 0);
}

TEST(test_vectors_bad_lines) {
    static const char text[] =
        "# comment\n"
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n" /* right */
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> fffe 2\n" /* wrong value */
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 3\n" /* wrong flags */
        "I g81 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n"
        "I g80 20001039 000307d0 0 a ffff8000\n"
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff => ffff 2\n"
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2 0\n"
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff\n"
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c -> ffff 2\n"
        "I g80 20001039 000307d0 0 a ffff8000 ffffff8c 0000zfff -> ffff 2\n"
        "I g80 -------- 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n"
        "II g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n"
        "X g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n"
        "Q g80 20001039 000307d0 0 a ffff8000 ffffff8c 00007fff -> ffff 2\n"
        "nonsense\n"
        "F g80 00000000 -------- 0 a 0 0 0 -> 00000000 f\n"; /* illegal opcode */
    FILE *in = fmemopen((void *)text, sizeof text - 1, "r");
    assert_non_null(in);
    struct vectors_report report = {0};
    assert_int_equal(vectors_run(in, SIMD_BASE, test_native(SIMD_BASE), &report), 0);
    fclose(in);
    assert_int_equal(report.passed, 1);
    assert_int_equal(report.failed, 15);
}
