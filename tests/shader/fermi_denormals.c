/* Denormals in Fermi's programs: an instruction flushes denormals if it says so, whatever the other
 * instructions of its program say. A result is flushed if it is below 2^-126 after rounding to 24
 * bits. Programs run with different floating-point modes of the host, depending on whether most of
 * their instructions flush. Both engines are tested at every SIMD level. Rules: fermi-isa.md §7. */
#include "tests/shader/fermi_stage.h"

#include <math.h>

#define NORMAL 0x00800000u   /* 2^-126 */
#define BELOW 0x007fffffu    /* the largest denormal */
#define LESS_ONE 0x3f7fffffu /* 1 - 2^-24 */
#define ONE 0x3f800000u
#define MINUS(v) ((v) | 0x80000000u)

/* text computes $r4 from $r1, $r2 and $r3. */
struct row {
    const char *text;
    uint32_t a, b, c, want;
};

static const struct row rows[] = {
    {"add rn f32 $r4 $r1 $r2", BELOW, 1, 0, NORMAL},
    {"add ftz rn f32 $r4 $r1 $r2", BELOW, 1, 0, 0},
    {"add ftz rn f32 $r4 $r1 $r2", NORMAL + 1, MINUS(NORMAL), 0, 0},
    {"add rn f32 $r4 $r1 $r2", NORMAL + 1, MINUS(NORMAL), 0, 1},
    {"mul rn f32 $r4 $r1 $r2", BELOW, ONE, 0, BELOW},
    {"mul ftz rn f32 $r4 $r1 $r2", MINUS(BELOW), ONE, 0, MINUS(0)},
    /* 2^-126 - 2^-150 has 24 bits, so it is flushed; as a denormal it would round to 2^-126 */
    {"mul rn f32 $r4 $r1 $r2", LESS_ONE, NORMAL, 0, NORMAL},
    {"mul ftz rn f32 $r4 $r1 $r2", LESS_ONE, NORMAL, 0, 0},
    {"mul ftz rn f32 $r4 $r1 $r2", LESS_ONE, MINUS(NORMAL), 0, MINUS(0)},
    {"fma rn f32 $r4 $r1 $r2 $r3", LESS_ONE, NORMAL, 0, NORMAL},
    {"fma ftz rn f32 $r4 $r1 $r2 $r3", LESS_ONE, NORMAL, 0, 0},
    /* (1 - 2^-13) (1 + 2^-13) = 1 - 2^-26, which rounds to 1 in 24 bits */
    {"mul ftz rn f32 $r4 $r1 $r2", 0x3f7ff800, NORMAL | 1 << 10, 0, NORMAL},
    {"fma ftz rn f32 $r4 $r1 $r2 $r3", 0x3f7ff800, NORMAL | 1 << 10, 0, NORMAL},
    {"fma ftz rn f32 $r4 $r1 $r2 $r3", ONE, 0, NORMAL, NORMAL},
    {"fma ftz rn f32 $r4 $r1 $r2 $r3", 0x7f7fffff, BELOW, MINUS(NORMAL), MINUS(NORMAL)},
    {"fma rn f32 $r4 $r1 $r2 $r3", ONE, BELOW, 1, NORMAL},
    {"fma ftz rn f32 $r4 $r1 $r2 $r3", ONE, BELOW, 1, 0},
    {"min ftz f32 $r4 $r1 $r2", BELOW, ONE, 0, 0},
    {"min f32 $r4 $r1 $r2", BELOW, ONE, 0, BELOW},
    {"set b32 $r4 gt f32 $r1 $r2", BELOW, 0, 0, 0xffffffff},
    {"set ftz b32 $r4 gt f32 $r1 $r2", BELOW, 0, 0, 0},
    {"set ftz b32 $r4 eq f32 $r1 $r2", BELOW, 0, 0, 0xffffffff},
    {"cvt rpi s32 $r4 f32 $r1", 1, 0, 0, 1},
    {"cvt ftz rpi s32 $r4 f32 $r1", 1, 0, 0, 0},
    {"cvt ftz f32 $r4 neg f32 $r1", 1, 0, 0, MINUS(0)},
    {"quadop rn f32 sub subr sub subr $r4 dall dx $r1 $r2", NORMAL, BELOW, 0, 1},
};

/* The program gets four more instructions that all flush, or all do not; their results are not
 * used. */
static void check(const struct row *row, bool others_flush, enum simd_level level, bool native) {
    const char *const other =
        others_flush ? "add ftz rn f32 $r5 $r1 $r2\n" : "add rn f32 $r5 $r1 $r2\n";
    char text[512];
    STAGE(s);
    snprintf(text, sizeof text, "%s%s%s\n%s%sexit\n", other, other, row->text, other, other);
    header_begin(s.header, PROGRAM_FP);
    stage_open(&s, level, native, PROGRAM_FP, text);
    for (int lane = 0; lane < LANES; lane++) {
        s.w->r[1][lane] = row->a;
        s.w->r[2][lane] = row->b;
        s.w->r[3][lane] = row->c;
    }
    stage_run(&s);
    if (s.w->r[4][0] != row->want)
        fail_msg("%s, others flush %d, level %d, native %d: %08x, not %08x", row->text,
                 others_flush, (int)level, native, s.w->r[4][0], row->want);
}

TEST(test_every_instruction_has_its_own_rule) {
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (int others = 0; others < 2; others++)
            FOR_EACH_ENGINE(level, native)
    check(&rows[i], others, level, native);
}
