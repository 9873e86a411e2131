/* Fermi's conversions among types of 8, 16 and 32 bits, compared with plain C in doubles: random
 * combinations of types, roundings and modifiers, with both engines at every SIMD level. Rules:
 * fermi-isa.md §6.6. */
#include "tests/shader/fermi_stage.h"

#include <fenv.h>
#include <math.h>

enum { FORMS = 1000 };
enum kind { U8, S8, U16, S16, U32, S32, F16, F32, KINDS };
static const char *const names[KINDS] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
static const int sizes[KINDS] = {8, 8, 16, 16, 32, 32, 16, 32};
static const char *const roundings[] = {"rn", "rm", "rp", "rz"};
static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

static bool is_float(enum kind k) {
    return k == F16 || k == F32;
}

static bool is_signed(enum kind k) {
    return k == S8 || k == S16 || k == S32;
}

struct form {
    enum kind to, from;
    int mode, part;
    bool ftz, sat, integral, abs, neg;
};

static struct form any_form(void) {
    struct form f = {.to = random_below(KINDS),
                     .from = random_below(KINDS),
                     .mode = (int)random_below(4),
                     .sat = random_below(3) == 0,
                     .abs = random_below(3) == 0,
                     .neg = random_below(3) == 0};
    const bool from = is_float(f.from), to = is_float(f.to);
    f.ftz = from && random_below(2);
    f.integral = from && (!to || (f.to == f.from && random_below(2)));
    f.part = sizes[f.from] < 32 ? (int)random_below(32 / (uint32_t)sizes[f.from]) : 0;
    if ((from && f.to == F32 && !f.integral) || (!from && !to))
        f.mode = 0;
    f.sat &= from == to || (from && to); /* float to integer always saturates */
    return f;
}

static void print_form(const struct form *f, char *text, size_t size) {
    const bool rounds =
        f->integral || (is_float(f->to) && !is_float(f->from)) || (f->to == F16 && f->from == F32);
    const bool behind = f->from == F16 && is_float(f->to); /* the part follows the register */
    char part[16] = "";
    if (sizes[f->from] < 32)
        snprintf(part, sizeof part, " 0x%x", (unsigned)f->part);
    snprintf(text, size, "cvt %s%s%s%s%s%s $r4 %s%s%s%s $r1%s\nexit\n", f->ftz ? "ftz " : "",
             f->sat ? "sat " : "", rounds ? roundings[f->mode] : "", f->integral ? "i" : "",
             rounds ? " " : "", names[f->to], f->neg ? "neg " : "", f->abs ? "abs " : "",
             names[f->from], behind ? "" : part, behind ? part : "");
}

static double rounded(double v, int mode) {
    return mode == 1 ? floor(v) : mode == 2 ? ceil(v) : mode == 3 ? trunc(v) : rint(v);
}

/* The value of an f16; infinity is 65536, the next step behind the largest number. */
static double half_value(uint32_t h) {
    const int e = (int)(h >> 10 & 31);
    const double f = h & 0x3ff;
    return e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
}

/* The source as a number; a double holds every 32-bit integer exactly. */
static double read_source(const struct form *f, uint32_t word) {
    double v;
    if (f->from == F32) {
        v = f->ftz && !(word & 0x7f800000) ? copysign(0, bits_float(word)) : bits_float(word);
    } else if (f->from == F16) {
        const uint32_t h = word >> f->part * 16;
        v = (h & 0x7fff) > 0x7c00    ? (double)NAN
            : (h & 0x7fff) == 0x7c00 ? (double)INFINITY
                                     : half_value(h & 0x7fff);
        v = h & 0x8000 ? -v : v;
    } else {
        const int size = sizes[f->from];
        int64_t n = word >> f->part * size & (size < 32 ? (1u << size) - 1 : ~0u);
        if (is_signed(f->from) && n >> (size - 1) & 1)
            n -= (int64_t)1 << size;
        v = (double)n;
    }
    if (f->abs)
        v = fabs(v);
    return f->neg ? (is_float(f->from) ? -v : 0 - v) : v;
}

static uint32_t to_integer(const struct form *f, double v) {
    const int size = sizes[f->to];
    const double least = is_signed(f->to) ? -ldexp(1, size - 1) : 0;
    const double most = ldexp(1, size - is_signed(f->to)) - 1;
    if (isnan(v))
        return 0;
    if (is_float(f->from))
        v = rounded(v, f->mode);
    if (is_float(f->from) || f->sat)
        v = v < least ? least : v > most ? most : v;
    const uint32_t word = (uint32_t)(int64_t)v;
    if (size == 8)
        return is_signed(f->to) ? (uint32_t)(int8_t)word : (uint8_t)word;
    if (size == 16)
        return is_signed(f->to) ? (uint32_t)(int16_t)word : (uint16_t)word;
    return word;
}

/* Finds the f16 numbers on both sides of v's magnitude by bisection; then rounds v to one of
 * them. */
static uint32_t to_half(double v, int mode) {
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    const double size = fabs(v);
    uint32_t low = 0, high = 0x7c00;
    if (isnan(v))
        return 0x7fff;
    if (isinf(v))
        return sign | 0x7c00;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        *(half_value(middle) <= size ? &low : &high) = middle;
    }
    const double step = half_value(low + 1) - half_value(low),
                 rest = (size - half_value(low)) / step;
    const bool up = mode == 0   ? rest > 0.5 || (rest == 0.5 && (low & 1))
                    : mode == 1 ? sign && rest > 0
                    : mode == 2 ? !sign && rest > 0
                                : false;
    return sign | (low + up);
}

static uint32_t to_float(const struct form *f, double v) {
    if (f->integral)
        v = rounded(v, f->mode);
    if (f->sat)
        v = isnan(v) || v < 0 ? 0 : v > 1 ? 1 : v;
    if (f->to == F16)
        return to_half(v, f->mode);
    if (isnan(v))
        return 0x7fffffff;
    volatile double exact = v;
    fesetround(modes[f->mode]);
    const volatile float single = (float)exact;
    fesetround(FE_TONEAREST);
    const uint32_t word = float_bits(single);
    return f->ftz && !(word & 0x7f800000) ? word & 0x80000000 : word;
}

static uint32_t any_word(enum kind from) {
    static const uint32_t special[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x7f800000, 0xff800000,
        0x7fc00000, 0xffc12345, 0x3f000000, 0xbf000000, 0x3fc00000, 0xc0200000, 0x3f800000,
        0x3f800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x4effffff, 0x7fffffff, 0xffffffff,
        0xbf800000, 0x7c007c01, 0xfc00fbff, 0x03ff8001, 0x477ff000, 0x477fefff, 0xc7800000,
        0x33000000, 0x33000001, 0xb3800000, 0x387fe000, 0x387ff000, 0x3f801000, 0x3f803000,
        0x00010400, 0x437f8000, 0x43000000, 0xc3008000, 0x477fff80, 0x4b000001, 0x3effffff};
    if (random_below(3) == 0)
        return special[random_below(LENGTH(special))];
    const float f = (float)(random_below(1u << 20)) / 1024 - 512;
    return from == F32 && random_below(2) ? float_bits(f) : random_word();
}

/* Returns false for combinations without an encoding. */
static bool is_encoded(const char *text) {
    struct asm_result code;
    char message[512];
    const struct isa_target target = {ISA_GF100, PROGRAM_VP, SYNTAX_ENVYAS};
    if (isa_assemble(target, text, strlen(text), "t", NULL, &code, message, sizeof message))
        return false;
    asm_result_free(&code);
    return true;
}

TEST(test_conversions) {
    int encoded = 0;
    random_start(31);
    for (int n = 0; n < FORMS; n++) {
        const struct form form = any_form();
        char text[128];
        u32x32 source;
        print_form(&form, text, sizeof text);
        if (!is_encoded(text))
            continue;
        encoded++;
        for (int lane = 0; lane < LANES; lane++)
            source[lane] = any_word(form.from);
        FOR_EACH_ENGINE(level, native) {
            STAGE(s);
            header_begin(s.header, PROGRAM_VP);
            stage_open(&s, level, native, PROGRAM_VP, text);
            s.w->r[1] = source;
            stage_run(&s);
            for (int lane = 0; lane < LANES; lane++) {
                const double v = read_source(&form, source[lane]);
                const uint32_t want = is_float(form.to) ? to_float(&form, v) : to_integer(&form, v);
                if (s.w->r[4][lane] != want)
                    fail_msg("%s of %08x, level %d, native %d: %08x, not %08x", text, source[lane],
                             (int)level, native, s.w->r[4][lane], want);
            }
        }
    }
    assert_true(encoded > FORMS / 2);
}

/* f32 to f64 is exact; f64 to f32 rounds once, to nearest. Every NaN becomes the largest one. */
TEST(test_doubles) {
    static const char *const modifiers[] = {"", "neg ", "abs ", "neg abs "};
    random_start(32);
    for (int n = 0; n < 48; n++) {
        const char *const modifier = modifiers[n & 3];
        const bool wider = n & 4, ftz = n & 8 && wider;
        char text[128];
        u32x32 low, high;
        if (wider)
            snprintf(text, sizeof text, "cvt %sf64 $r4d %sf32 $r2\nexit\n", ftz ? "ftz " : "",
                     modifier);
        else
            snprintf(text, sizeof text, "cvt rn f32 $r4 %sf64 $r2d\nexit\n", modifier);
        for (int lane = 0; lane < LANES; lane++) {
            const float f = bits_float(any_word(F32));
            const double d =
                (double)f * (1 + (double)random_below(1000) * 0x1p-53) * (lane & 1 ? 0x1p-20 : 1);
            uint64_t bits;
            memcpy(&bits, &d, sizeof bits);
            low[lane] = wider ? float_bits(f) : (uint32_t)bits;
            high[lane] = (uint32_t)(bits >> 32);
        }
        FOR_EACH_ENGINE(level, native) {
            STAGE(s);
            header_begin(s.header, PROGRAM_VP);
            stage_open(&s, level, native, PROGRAM_VP, text);
            s.w->r[2] = low;
            s.w->r[3] = high;
            stage_run(&s);
            for (int lane = 0; lane < LANES; lane++) {
                const uint64_t source = low[lane] | (uint64_t)high[lane] << 32;
                double v;
                memcpy(&v, &source, sizeof v);
                if (wider)
                    v = ftz && !(low[lane] & 0x7f800000) ? copysign(0, bits_float(low[lane]))
                                                         : (double)bits_float(low[lane]);
                v = n & 2 ? fabs(v) : v;
                v = n & 1 ? -v : v;
                uint64_t want = isnan(v) ? 0x7fffffff : float_bits((float)v);
                uint64_t got = s.w->r[4][lane];
                if (wider) {
                    memcpy(&want, &v, sizeof want);
                    want = isnan(v) ? 0x7fffffffffffffff : want;
                    got |= (uint64_t)s.w->r[5][lane] << 32;
                }
                if (got != want)
                    fail_msg("%s of %016llx, level %d, native %d: %llx, not %llx", text,
                             (unsigned long long)source, (int)level, native,
                             (unsigned long long)got, (unsigned long long)want);
            }
        }
    }
}
