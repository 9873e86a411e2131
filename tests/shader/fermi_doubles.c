/* Fermi's doubles, in both engines at every SIMD level, in programs that run while the host flushes
 * denormals and in others: arithmetic and comparisons against f64.h, which computes lane by lane,
 * and conversions against plain C. Sources are registers, constants and immediates with modifiers.
 * Rules: fermi-isa.md §6.6 and §7. */
#include "shader/alu/f64.h"
#include "tests/random.h"
#include "tests/shader/warp_case.h"

#include <math.h>

enum { A = 8, B = 10, C = 12, D = 4, ROUNDS = 1500 };
static const char *const roundings[] = {"rn", "rm", "rp", "rz"};

/* Instructions that want denormals flushed. They outnumber the one operation of a program that
 * wants denormals kept, so the host flushes while the program runs. */
static const char flushing[] = "add ftz rn f32 $r30 $r31 $r32\nadd ftz rn f32 $r30 $r31 $r32\n"
                               "mul ftz rn f32 $r30 $r31 $r32\n";

static uint64_t any_double(bool rare) {
    static const uint64_t special[] = {
        0,
        F64_SIGN,
        1,
        F64_SIGN | 1,
        F64_FRACTION,
        1ull << 52,
        F64_INF,
        F64_INF | F64_SIGN,
        F64_INF | 1,
        F64_SIGN | F64_INF | 0x123,
        F64_INF | F64_QUIET | 77,
        F64_INF | 0x100000000,
        F64_INF - 1,
        0x7fd8000000000000, /* its reciprocal is denormal */
        0x3ff0000000000000,
        0x3fe0000000000000,
        0xbff8000000000000,
        0x4004000000000000,
        0x41dfffffffe00000, /* 2^31 - 0.5 */
        0xc1e0000000100000, /* -2^31 - 0.5 */
        0x41efffffffe00000, /* 2^32 - 0.5 */
        0x41f0000000000000,
        0x380fffffffffffff, /* below 2^-126 */
        0x3690000000000000, /* 2^-150 */
        0x47efffffffffffff,
        0x4330000000000001,
    };
    uint64_t v;
    if (rare && random_below(3) == 0)
        return special[random_below(LENGTH(special))];
    const double d = ((double)random_word() - 0x1p31) * (1 + (double)random_word() * 0x1p-52) *
                     ldexp(1, -(int)random_below(40));
    memcpy(&v, &d, sizeof v);
    return rare && random_below(4) == 0 ? v ^ (uint64_t)random_below(2047) << 52 : v;
}

/* Doubles of one of three kinds: all are ordinary, all may be rare values, or one lane's may. */
static u64x32 any_row(void) {
    const uint32_t kind = random_below(3), lane = random_below(LANES);
    u64x32 v;
    for (uint32_t i = 0; i < LANES; i++)
        v[i] = any_double(kind == 0 || (kind == 1 && i == lane));
    return v;
}

static void set_pair(struct warp_case *c, int r, u64x32 v) {
    c->w->r[r] = f64_low(v);
    c->w->r[r + 1] = f64_high(v);
}

static u64x32 pair(const struct warp_case *c, int r) {
    return f64_join(c->w->r[r], c->w->r[r + 1]);
}

/* ---- arithmetic ---- */

struct form {
    enum { ADD, MUL, FMA, SET, MIN, MAX, KINDS } kind;
    enum round_mode mode;
    unsigned flags[3], cond;
    bool constant, flags_written;
};

static struct form any_form(void) {
    struct form f = {.kind = random_below(KINDS),
                     .mode = random_below(2) ? ROUND_RN : (enum round_mode)random_below(4),
                     .cond = 1 + random_below(14),
                     .constant = random_below(4) == 0,
                     .flags_written = random_below(4) == 0};
    for (int i = 0; i < 3; i++)
        f.flags[i] = random_below(2) ? 0
                     : f.kind == MUL ? 0
                     : f.kind == FMA ? (i == 1 ? 0 : random_below(2) * OPERAND_NEG)
                                     : random_below(4);
    return f;
}

static const char *modifiers(unsigned flags) {
    return flags == (OPERAND_ABS | OPERAND_NEG) ? "neg abs "
           : flags == OPERAND_ABS               ? "abs "
           : flags == OPERAND_NEG               ? "neg "
                                                : "";
}

static void print_form(const struct form *f, char *text, size_t size, bool flushes) {
    static const char *const conds[] = {"",    "lt",  "eq",  "le",  "gt",  "ne",  "ge", "num",
                                        "nan", "ltu", "equ", "leu", "gtu", "neu", "geu"};
    static const char *const names[] = {"add", "mul", "fma", "set", "min", "max"};
    const char *const second = f->constant ? "c1[0x8]" : "$r10d";
    const int at = snprintf(text, size, "%s", flushes ? flushing : "");
    if (f->kind == SET)
        snprintf(text + at, size - (size_t)at, "set $p1 0x1 %s f64 %s$r8d %s%s\nexit\n",
                 conds[f->cond], modifiers(f->flags[0]), modifiers(f->flags[1]), second);
    else
        snprintf(text + at, size - (size_t)at, "%s%s%s f64 $r4d %s%s$r8d %s%s%s%s%s\nexit\n",
                 names[f->kind], f->kind < SET ? " " : "", f->kind < SET ? roundings[f->mode] : "",
                 f->flags_written ? "$c " : "", modifiers(f->flags[0]), modifiers(f->flags[1]),
                 second, f->kind == FMA ? " " : "", f->kind == FMA ? modifiers(f->flags[2]) : "",
                 f->kind == FMA ? "$r12d" : "");
}

static u64x32 expected(const struct form *f, const u64x32 v[3]) {
    const u64x32 a = f64_modify(v[0], f->flags[0]), b = f64_modify(v[1], f->flags[1]);
    const u64x32 c = f64_modify(v[2], f->flags[2]);
    u32x32 holds;
    switch (f->kind) {
    case ADD:
        return f64_add(a, b, f->mode);
    case MUL:
        return f64_mul(a, b, f->mode);
    case FMA:
        return f64_fma(a, b, c, f->mode);
    case SET:
        holds = f64_set(a, b, f->cond);
        return f64_join(holds, holds);
    default:
        return f64_min_max(a, b, f->kind == MAX);
    }
}

static void check_form(const struct form *f, const char *text, enum simd_level level, bool native,
                       lane_mask m, const u64x32 v[3]) {
    CASE_AT(c, level, PROGRAM_CP, ISA_GF100, m, text);
    const uint64_t constant[2] = {0, v[1][0]};
    c.env.native = native ? test_native_get(level) : NULL;
    c.env.c[1] = (struct const_view){(const uint8_t *)constant, sizeof constant};
    set_pair(&c, A, v[0]);
    set_pair(&c, B, v[1]);
    set_pair(&c, C, v[2]);
    case_run(&c);
    const u64x32 want = expected(f, v), got = pair(&c, D);
    const lane_mask zero = lanes_to_mask(f64_flag_z(want)), sign = lanes_to_mask(f64_flag_s(want));
    for (int i = 0; i < LANES; i++) {
        const bool holds = c.w->fermi.p[1] >> i & 1;
        if (m >> i & 1 && (f->kind == SET ? holds != (want[i] & 1) : got[i] != want[i]))
            fail_msg("%s of %016llx, %016llx, %016llx, level %d, native %d: %016llx, not %016llx",
                     text, (unsigned long long)v[0][i], (unsigned long long)v[1][i],
                     (unsigned long long)v[2][i], (int)level, native, (unsigned long long)got[i],
                     (unsigned long long)want[i]);
    }
    if (f->flags_written && f->kind != SET)
        assert_true(!((c.w->c[0].z ^ zero) & m) && !((c.w->c[0].s ^ sign) & m));
}

TEST(test_arithmetic) {
    random_start(61);
    for (int n = 0; n < ROUNDS; n++) {
        const struct form f = any_form();
        const lane_mask m = random_below(2) ? LANES_ALL : random_word() | 1;
        u64x32 v[3] = {any_row(), any_row(), any_row()};
        char text[256];
        if (f.constant)
            v[1] = f64_splat(any_double(true));
        print_form(&f, text, sizeof text, n & 1);
        FOR_EACH_LEVEL(level)
        for (int native = 0; native < 2; native++)
            check_form(&f, text, level, native, m, v);
    }
}

/* ---- conversions ---- */

static double rounded(double v, int mode) {
    return mode == ROUND_RM   ? floor(v)
           : mode == ROUND_RP ? ceil(v)
           : mode == ROUND_RZ ? trunc(v)
                              : rint(v);
}

static double modified(double v, unsigned flags) {
    v = flags & OPERAND_ABS ? fabs(v) : v;
    return flags & OPERAND_NEG ? -v : v;
}

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return isnan(v) ? 0x7fffffffffffffff : bits;
}

static double value_of(uint64_t bits) {
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* An integer type, of `bits` bits. */
struct integer {
    const char *name;
    int bits;
    bool is_signed;
};
static const struct integer integers[] = {{"u32", 32, false}, {"s32", 32, true}, {"u16", 16, false},
                                          {"s16", 16, true},  {"u8", 8, false},  {"s8", 8, true}};

static uint32_t to_integer(double v, const struct integer *t, int mode) {
    const double most = ldexp(1, t->bits - t->is_signed) - 1, least = t->is_signed ? -most - 1 : 0;
    if (isnan(v))
        return 0;
    v = rounded(v, mode);
    return (uint32_t)(int64_t)(v < least ? least : v > most ? most : v);
}

static int64_t read_integer(uint32_t word, const struct integer *t, unsigned part) {
    int64_t v = word >> part * (unsigned)t->bits & (uint32_t)((1ull << t->bits) - 1);
    return t->is_signed && v >> (t->bits - 1) ? v - ((int64_t)1 << t->bits) : v;
}

enum direction { TO_INTEGER, TO_INTEGRAL, FROM_INTEGER, DIRECTIONS };

/* Makes text, and the results of source v. */
static void make_conversion(char *text, size_t size, bool flushes, u64x32 v, u64x32 *want) {
    const enum direction d = (enum direction)random_below(DIRECTIONS);
    const struct integer *t = &integers[random_below(d == TO_INTEGER ? 4 : 6)];
    const unsigned flags = random_below(4), mode = random_below(4);
    const unsigned part = t->bits < 32 ? random_below(32 / (unsigned)t->bits) : 0;
    const int at = snprintf(text, size, "%s", flushes ? flushing : "");
    char part_text[8] = "";
    text += at;
    size -= (size_t)at;
    if (t->bits < 32)
        snprintf(part_text, sizeof part_text, "0x%x ", part);
    if (d == FROM_INTEGER)
        snprintf(text, size, "cvt %s f64 $r4d %s%s %s$r8\nexit\n", roundings[mode],
                 modifiers(flags), t->name, part_text);
    else
        snprintf(text, size, "cvt %si %s $r4%s %sf64 $r8d\nexit\n", roundings[mode],
                 d == TO_INTEGER ? t->name : "f64", d == TO_INTEGER ? "" : "d", modifiers(flags));
    for (int i = 0; i < LANES; i++) {
        const double x = modified(value_of(v[i]), flags);
        const double n = (double)read_integer((uint32_t)v[i], t, part);
        (*want)[i] = d == TO_INTEGER    ? to_integer(x, t, (int)mode)
                     : d == TO_INTEGRAL ? bits_of(rounded(x, (int)mode))
                                        : bits_of(modified(n, flags) + 0.0); /* no negative zero */
    }
}

TEST(test_integers) {
    random_start(62);
    for (int n = 0; n < ROUNDS; n++) {
        const lane_mask m = random_below(2) ? LANES_ALL : random_word() | 1;
        const u64x32 v = any_row();
        char text[256];
        u64x32 want;
        make_conversion(text, sizeof text, n & 1, v, &want);
        FOR_EACH_LEVEL(level)
        for (int native = 0; native < 2; native++) {
            CASE_AT(c, level, PROGRAM_CP, ISA_GF100, m, text);
            c.env.native = native ? test_native_get(level) : NULL;
            set_pair(&c, A, v);
            case_run(&c);
            const u64x32 got = pair(&c, D);
            for (int i = 0; i < LANES; i++)
                if (m >> i & 1 && got[i] != want[i])
                    fail_msg("%s of %016llx, level %d, native %d: %016llx, not %016llx", text,
                             (unsigned long long)v[i], (int)level, native,
                             (unsigned long long)got[i], (unsigned long long)want[i]);
        }
    }
}

/* The high word of 1/x or 1/sqrt(x), where x has the low word 0. Denormals are kept, as x and as
 * results. */
static u32x32 reciprocals(u32x32 high, unsigned flags, bool root) {
    u32x32 want;
    for (int i = 0; i < LANES; i++) {
        const double x = modified(value_of((uint64_t)high[i] << 32), flags);
        want[i] = (uint32_t)(bits_of(1 / (root ? sqrt(x) : x)) >> 32);
    }
    return want;
}

TEST(test_reciprocals) {
    random_start(64);
    for (int n = 0; n < ROUNDS; n++) {
        const lane_mask m = random_below(2) ? LANES_ALL : random_word() | 1;
        const u32x32 high = f64_high(any_row());
        const unsigned flags = random_below(4);
        const bool root = random_below(2);
        const u32x32 want = reciprocals(high, flags, root);
        char text[256];
        snprintf(text, sizeof text, "%s%s $r4 %s$r8\nexit\n", n & 1 ? flushing : "",
                 root ? "rsqrt64h" : "rcp64h", modifiers(flags));
        FOR_EACH_LEVEL(level)
        for (int native = 0; native < 2; native++) {
            CASE_AT(c, level, PROGRAM_CP, ISA_GF100, m, text);
            c.env.native = native ? test_native_get(level) : NULL;
            c.w->r[A] = high;
            case_run(&c);
            for (int i = 0; i < LANES; i++) {
                const uint32_t got = c.w->r[D][i];
                const bool is_nan = (got & 0x7fffffff) > 0x7ff00000;
                if (m >> i & 1 && (is_nan ? 0x7fffffff : got) != want[i])
                    fail_msg("%s of %08x, level %d, native %d: %08x, not %08x", text, high[i],
                             (int)level, native, got, want[i]);
            }
        }
    }
}

/* One denormal is kept though the host flushes denormals. */
TEST(test_denormals_of_singles) {
    char text[256];
    snprintf(text, sizeof text, "%scvt f64 $r4d f32 $r8\ncvt rn f32 $r6 f64 $r4d\nexit\n",
             flushing);
    random_start(63);
    FOR_EACH_LEVEL(level)
    for (uint32_t n = 0; n < 2 * LANES; n++) {
        CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
        c.env.native = n & 1 ? test_native_get(level) : NULL;
        c.w->r[A] = lanes_splat(0x3f800000);
        c.w->r[A][n / 2] = random_word() >> 9 >> n / 4 | (random_word() & 0x80000000) | 1;
        case_run(&c);
        for (int i = 0; i < LANES; i++)
            assert_int_equal(c.w->r[6][i], c.w->r[A][i]);
    }
}

static u64x32 splat(double v) {
    return f64_splat(bits_of(v));
}

/* A denormal is more than 0, on either side of a comparison. As an addend it decides how a product
 * half-way between two doubles is rounded. */
TEST(test_denormals) {
    const uint64_t constant[2] = {0, F64_SIGN | 1};
    char text[512];
    snprintf(text, sizeof text,
             "%sset $p1 0x1 lt f64 $r8d $r10d\nset $p2 0x1 gt f64 $r10d $r8d\n"
             "fma rn f64 $r4d $r12d $r14d c1[0x8]\nexit\n",
             flushing);
    FOR_EACH_LEVEL(level) {
        CASE_AT(c, level, PROGRAM_CP, ISA_GF100, LANES_ALL, text);
        c.env.c[1] = (struct const_view){(const uint8_t *)constant, sizeof constant};
        set_pair(&c, A, f64_splat(0));
        set_pair(&c, B, f64_splat(1));
        set_pair(&c, C, splat(3));
        set_pair(&c, C + 2, splat(0x1p52 + 1));
        case_run(&c);
        assert_int_equal(c.w->fermi.p[1] & c.w->fermi.p[2], LANES_ALL);
        assert_int_equal(pair(&c, D)[7], bits_of(3 * 0x1p52 + 2));
    }
}
