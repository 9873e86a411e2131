/* `teslapipe bench alu`: lane-instructions per second of the shader core on one core, for small
 * loops of one kind of instruction and for small programs of many kinds. In: command line. Out: a
 * line for each kind, a column for each SIMD level; for native code also the time to make the
 * code. */
#include "shader/isa/isa.h"
#include "shader/native/native.h"
#include "tools/tool.h"

#include <stdlib.h>

int cmd_bench_alu(int argc, char **argv);

enum { UNROLL = 16, ACCUMULATORS = 8, TEXT_SIZE = 16384, LOOPS = 0x20 };

/* A measured loop. `body` is printed UNROLL * ACCUMULATORS times, once if `whole` is set. Each %d
 * in it becomes the number of one of the accumulator registers $r8..$r15. */
struct kind {
    const char *name, *body;
    bool whole; /* body is the text of the whole loop */
};

/* Murmur's finalizer. Products of 32 bits consist of 16-bit products, as in the code of
 * compilers. */
#define MULTIPLY_BY_R16                                                                            \
    "mul $r9 u16 $r8l u16 $r16h\n"                                                                 \
    "add $r9 (mul u16 $r8h $r16l) $r9\n"                                                           \
    "shl b32 $r9 $r9 0x10\n"                                                                       \
    "add $r8 (mul u16 $r8l $r16l) $r9\n"
#define FOLD(bits) "shr u32 $r9 $r8 " #bits "\nxor b32 $r8 $r8 $r9\n"
static const char hash_text[] = "mov b32 $r16 0x85ebca6b\n"
                                "xor b32 $r8 $r8 $r3\n" FOLD(0x10) MULTIPLY_BY_R16 FOLD(0xd)
                                    MULTIPLY_BY_R16 FOLD(0x10) "add b32 $r8 $r8 $r60\n";

/* One octave of value noise: four sine hashes, mixed by a smooth curve. $r1, $r2: the place. */
#define SINE_HASH(to, x, y)                                                                        \
    "mul f32 $r20 " x " 12.9898\n"                                                                 \
    "add f32 $r20 (mul " y " $r21) $r20\n"                                                         \
    "presin f32 $r20 $r20\n"                                                                       \
    "sin f32 $r20 $r20\n"                                                                          \
    "mul f32 $r20 $r20 437.585453\n"                                                               \
    "cvt rmi f32 $r22 f32 $r20\n"                                                                  \
    "add f32 " to " $r20 neg $r22\n"
#define MIX(to, a, b, by) "add f32 $r22 " b " neg " a "\nadd f32 " to " (mul $r22 " by ") " a "\n"
#define SMOOTH(to, of)                                                                             \
    "mul f32 $r22 " of " 2.0\n"                                                                    \
    "add f32 $r22 neg $r22 3.0\n"                                                                  \
    "mul f32 " to " " of " " of "\n"                                                               \
    "mul f32 " to " " to " $r22\n"
static const char noise_text[] =
    "mov b32 $r21 78.233\n"
    "cvt rn f32 $r1 u32 $r3\n"
    "mul f32 $r1 $r1 0.37\n"
    "add f32 $r2 $r2 0.61\n"
    "cvt rmi f32 $r8 f32 $r1\n"
    "cvt rmi f32 $r9 f32 $r2\n"
    "add f32 $r10 $r1 neg $r8\n"
    "add f32 $r11 $r2 neg $r9\n"
    "add f32 $r12 $r8 1.0\n"
    "add f32 $r13 $r9 1.0\n" SINE_HASH("$r14", "$r8", "$r9") SINE_HASH("$r15", "$r12", "$r9")
        SINE_HASH("$r16", "$r8", "$r13") SINE_HASH("$r17", "$r12", "$r13") SMOOTH("$r18", "$r10")
            SMOOTH("$r19", "$r11") MIX("$r14", "$r14", "$r15", "$r18")
                MIX("$r16", "$r16", "$r17", "$r18") MIX("$r8", "$r14", "$r16", "$r19");

/* Up to 64 iterations; neighbouring lanes leave after different numbers of iterations. */
static const char mandelbrot_text[] = "cvt rn f32 $r14 u32 $r3\n"
                                      "mul f32 $r14 $r14 0.03\n"
                                      "add f32 $r14 $r14 -0.8\n"
                                      "mov b32 $r8 0x0\n"
                                      "mov b32 $r9 0x0\n"
                                      "mov b32 $r10 0x40\n"
                                      "mov b32 $r15 4.0\n"
                                      "mov b32 $r16 0.3\n"
                                      "breakaddr #done\n"
                                      "turn:\n"
                                      "mul f32 $r11 $r8 $r8\n"
                                      "mul f32 $r12 $r9 $r9\n"
                                      "add f32 $r13 $r11 $r12\n"
                                      "set $c1 # g f32 $r13 $r15\n"
                                      "(lg $c1) break\n"
                                      "add f32 $r8 $r8 $r8\n"
                                      "add f32 $r9 (mul $r8 $r9) $r16\n"
                                      "add f32 $r8 $r11 neg $r12\n"
                                      "add f32 $r8 $r8 $r14\n"
                                      "add b32 $c1 $r10 $r10 $r61\n"
                                      "(lg $c1) bra #turn\n"
                                      "break\n"
                                      "done:\n"
                                      "nop\n";

/* Blinn-Phong: two vectors of length one, a half vector, a power. */
#define DOT(to, a, b)                                                                              \
    "mul f32 " to " $r" #a "0 $r" #b "0\n"                                                         \
    "add f32 " to " (mul $r" #a "1 $r" #b "1) " to "\n"                                            \
    "add f32 " to " (mul $r" #a "2 $r" #b "2) " to "\n"
#define NORMALIZE(v)                                                                               \
    DOT("$r8", v, v)                                                                               \
    "rsqrt f32 $r8 $r8\n"                                                                          \
    "mul f32 $r" #v "0 $r" #v "0 $r8\n"                                                            \
    "mul f32 $r" #v "1 $r" #v "1 $r8\n"                                                            \
    "mul f32 $r" #v "2 $r" #v "2 $r8\n"
static const char lighting_text[] =
    "cvt rn f32 $r10 u32 $r3\n"
    "add f32 $r10 $r10 c0[0x10]\n"
    "mov b32 $r11 0.5\n"
    "mov b32 $r12 2.0\n"
    "mov b32 $r20 0.3\n"
    "add f32 $r21 $r10 -7.0\n"
    "mov b32 $r22 0.7\n" NORMALIZE(1) NORMALIZE(2)
        DOT("$r13", 1, 2) "max f32 $r13 $r13 $r63\n"
                          "add f32 $r30 $r10 $r20\n"
                          "add f32 $r31 $r11 $r21\n"
                          "add f32 $r32 $r12 $r22\n" NORMALIZE(3)
                              DOT("$r14", 1, 3) "max f32 $r14 $r14 $r63\n"
                                                "lg2 f32 $r14 $r14\n"
                                                "mul f32 $r14 $r14 32.0\n"
                                                "preex2 f32 $r14 $r14\n"
                                                "ex2 f32 $r14 $r14\n"
                                                "mov b32 $r15 0.8\n"
                                                "add f32 $r40 (mul $r13 $r15) $r14\n"
                                                "add f32 $r41 (mul $r13 c0[0x10]) $r14\n"
                                                "cvt sat f32 $r41 f32 $r41\n";

/* The length of a vector by a square root, as in the code of compilers. */
#define LENGTH_OF(to, v) DOT(to, v, v) "rsqrt f32 " to " " to "\nrcp f32 " to " " to "\n"
#define ABSOLUTE(to, of) "max f32 " to " " of " neg " of "\n"
/* |of| - half, but at least 0. */
#define OUTSIDE(to, of, half)                                                                      \
    ABSOLUTE(to, of) "add f32 " to " " to " -" half "\nmax f32 " to " " to " $r63\n"

/* Steps of a ray through the union of a ball and a box. */
#define MARCH                                                                                      \
    LENGTH_OF("$r13", 1)                                                                           \
    "add f32 $r13 $r13 -1.0\n" OUTSIDE("$r20", "$r10", "0.6") OUTSIDE("$r21", "$r11", "0.4")       \
        OUTSIDE("$r22", "$r12", "0.7") LENGTH_OF("$r14", 2) "add f32 $r14 $r14 -0.1\n"             \
                                                            "min f32 $r13 $r13 $r14\n"             \
                                                            "add f32 $r10 (mul $r13 $r16) $r10\n"  \
                                                            "add f32 $r11 (mul $r13 $r17) $r11\n"  \
                                                            "add f32 $r12 (mul $r13 $r18) $r12\n"
static const char sdf_text[] = "cvt rn f32 $r10 u32 $r3\n"
                               "mul f32 $r10 $r10 0.03\n"
                               "add f32 $r10 $r10 -0.5\n"
                               "mov b32 $r11 0.2\n"
                               "mov b32 $r12 -4.0\n"
                               "mov b32 $r16 0.1\n"
                               "mov b32 $r17 0.05\n"
                               "mov b32 $r18 0.99\n" MARCH MARCH MARCH MARCH;

/* Long mathematics: two rounds of functions and sums of products. */
#define CALCULATE                                                                                  \
    "mul f32 $r11 $r10 1.7\npresin f32 $r11 $r11\nsin f32 $r11 $r11\n"                             \
    "presin f32 $r12 $r10\ncos f32 $r12 $r12\n"                                                    \
    "add f32 $r13 (mul $r11 $r12) $r10\n"                                                          \
    "add f32 $r14 (mul $r13 $r13) $r1\n"                                                           \
    "lg2 f32 $r15 $r14\nmul f32 $r15 $r15 2.2\npreex2 f32 $r15 $r15\nex2 f32 $r15 $r15\n"          \
    "rcp f32 $r16 $r14\nadd f32 $r15 (mul $r15 $r16) $r11\n"                                       \
    "add f32 $r17 (mul $r15 $r2) $r12\nadd f32 $r17 (mul $r17 $r2) $r13\n"                         \
    "add f32 $r17 (mul $r17 $r1) $r11\nadd f32 $r10 (mul $r17 $r2) $r16\n"
static const char math_text[] =
    "cvt rn f32 $r10 u32 $r3\nmul f32 $r10 $r10 0.11\n" CALCULATE CALCULATE;

/* A rounded rectangle with a border: its distance, two smooth edges, mixed colours. */
static const char gui_text[] =
    "cvt rn f32 $r10 u32 $r3\n"
    "add f32 $r10 $r10 -16.0\n"
    "mov b32 $r11 3.0\n"
    "mov b32 $r23 0.1\n" OUTSIDE("$r20", "$r10", "10.0")
        OUTSIDE("$r21", "$r11", "2.0") "mul f32 $r12 $r20 $r20\n"
                                       "add f32 $r12 (mul $r21 $r21) $r12\n"
                                       "add f32 $r12 $r12 $r23\n"
                                       "rsqrt f32 $r13 $r12\n"
                                       "rcp f32 $r13 $r13\n"
                                       "add f32 $r13 $r13 -4.0\n"
                                       "add f32 $r14 $r13 0.5\n"
                                       "cvt sat f32 $r14 f32 $r14\n"
                                       "add f32 $r15 $r13 1.5\n"
                                       "cvt sat f32 $r15 f32 $r15\n" SMOOTH("$r16", "$r14")
                                           SMOOTH("$r17", "$r15") MIX("$r18", "$r1", "$r2", "$r16")
                                               MIX("$r19", "$r2", "$r1", "$r17")
                                                   MIX("$r8", "$r18", "$r19", "$r14");

/* Four samples along a ray: height, density, and the loss of three colours. */
#define SAMPLE_AIR                                                                                 \
    LENGTH_OF("$r14", 1)                                                                           \
    "add f32 $r14 neg $r14 1.0\n"                                                                  \
    "mul f32 $r14 $r14 8.0\npreex2 f32 $r14 $r14\nex2 f32 $r14 $r14\n"                             \
    "add f32 $r15 (mul $r14 $r2) $r15\n"                                                           \
    "add f32 $r10 $r10 0.1\nadd f32 $r11 (mul $r2 $r16) $r11\nadd f32 $r12 $r12 0.2\n"
#define LOSE(to, factor)                                                                           \
    "mul f32 " to " $r15 " factor "\npreex2 f32 " to " " to "\nex2 f32 " to " " to "\n"
static const char air_text[] =
    "cvt rn f32 $r10 u32 $r3\n"
    "mul f32 $r10 $r10 0.03\n"
    "mov b32 $r11 1.0\n"
    "mov b32 $r12 0.1\n"
    "mov b32 $r15 0.0\n"
    "mov b32 $r16 0.2\n" SAMPLE_AIR SAMPLE_AIR SAMPLE_AIR SAMPLE_AIR LOSE("$r20", "-0.3")
        LOSE("$r21", "-0.7") LOSE("$r22", "-1.6") DOT("$r8", 2, 2);

static const struct kind tesla[] = {
    {"fmad", "add f32 $r%1$d (mul $r1 $r2) $r%1$d\n", false},
    {"fmad c[]", "add f32 $r%1$d (mul $r1 c0[0x10]) $r%1$d\n", false},
    {"fadd", "add f32 $r%1$d $r%1$d $r1\n", false},
    {"iadd", "add b32 $r%1$d $r%1$d $r3\n", false},
    {"logic", "xor b32 $r%1$d $r%1$d $r3\n", false},
    {"rcp", "rcp f32 $r%1$d $r%1$d\n", false},
    {"rcp alike", "rcp f32 $r%1$d $r1\n", false},
    {"lg2", "lg2 f32 $r%1$d $r1\n", false},
    {"sine", "presin f32 $r%1$d $r%1$d\nsin f32 $r%1$d $r%1$d\n", false},
    {"max", "max f32 $r%1$d $r%1$d $r1\n", false},
    {"floor", "cvt rmi f32 $r%1$d f32 $r%1$d\n", false},
    {"saturate", "cvt sat f32 $r%1$d f32 $r%1$d\n", false},
    {"branchy",
     "and b32 $c1 # $r3 $r60\n"
     "joinat #after\n"
     "(e $c1) bra #other\n"
     "add b32 $r8 $r8 $r3\n"
     "add f32 $r9 (mul $r1 $r2) $r9\n"
     "bra #after\n"
     "other:\n"
     "xor b32 $r8 $r8 $r3\n"
     "add f32 $r9 $r9 $r1\n"
     "after:\n"
     "join nop\n",
     true},
    {"hash", hash_text, true},
    {"noise", noise_text, true},
    {"mandelbrot", mandelbrot_text, true},
    {"lighting", lighting_text, true},
    {"sdf", sdf_text, true},
    {"math", math_text, true},
    {"gui", gui_text, true},
    {"air", air_text, true},
    {0},
};
static const struct kind fermi[] = {
    {"fma", "fma rn f32 $r%1$d $r1 $r2 $r%1$d\n", false},
    {"fma c[]", "fma rn f32 $r%1$d $r1 c0[0x10] $r%1$d\n", false},
    {"fma ftz", "fma ftz rn f32 $r%1$d $r1 $r2 $r%1$d\n", false},
    {"fadd", "add rn f32 $r%1$d $r%1$d $r1\n", false},
    {"iadd", "add b32 $r%1$d $r%1$d $r3\n", false},
    {"imad", "add $r%1$d (mul u32 $r3 u32 $r61) $r%1$d\n", false},
    {"logic", "xor b32 $r%1$d $r%1$d $r3\n", false},
    {"select", "set $p1 0x1 lt u32 $r%1$d $r3\nselp b32 $r%1$d $r3 $r%1$d $p1\n", false},
    {"rcp", "rcp f32 $r%1$d $r%1$d\n", false},
    {"lg2", "lg2 f32 $r%1$d $r1\n", false},
    {"branchy",
     "and b32 $r4 $r3 $r60\n"
     "set $p1 0x1 eq u32 $r4 0x0\n"
     "joinat #after\n"
     "$p1 bra #other\n"
     "add b32 $r8 $r8 $r3\n"
     "fma rn f32 $r9 $r1 $r2 $r9\n"
     "join nop\n"
     "other:\n"
     "xor b32 $r8 $r8 $r3\n"
     "add rn f32 $r9 $r9 $r1\n"
     "join nop\n"
     "after:\n",
     true},
    {0},
};
static const struct kind g64[] = {
    {"ffma", "FFMA R%1$d, R1, R2, R%1$d\n", false},
    {"fadd", "FADD R%1$d, R%1$d, R1\n", false},
    {"iadd", "ADD R%1$d, R%1$d, R3\n", false},
    {"imad", "MAD R%1$d, R3, R61, R%1$d\n", false},
    {"logic", "XOR R%1$d, R%1$d, R3\n", false},
    {"select", "SETLT.U P1, R%1$d, R3\nSEL R%1$d, R3, R%1$d, P1\n", false},
    {"rcp", "RCP R%1$d, R%1$d\n", false},
    {"lg2", "LG2 R%1$d, R1\n", false},
    {"branchy",
     "AND R4, R3, R60\n"
     "SETEQ P1, R4, 0\n"
     "SSY after\n"
     "@P1 BRA other\n"
     "ADD R8, R8, R3\n"
     "FFMA R9, R1, R2, R9\n"
     "SYNC\n"
     "other:\n"
     "XOR R8, R8, R3\n"
     "FADD R9, R9, R1\n"
     "SYNC\n"
     "after:\n",
     true},
    {0},
};

/* The loop of an instruction set. $r1 = 1.1, $r2 = 0.9, $r3 = lane, $r60 = loop count, $r61 = -1;
 * accumulators begin with 1 and a little more in each lane. */
static const struct dialect {
    const struct kind *kinds;
    const char *prologue, *accumulator, *epilogue;
} dialects[ISA_SETS] = {
    [SET_TESLA] = {tesla,
                   "mov $r3 $physid\nmov b32 $r1 0x3f8ccccd\nmov b32 $r2 0x3f666666\n"
                   "mov b32 $r60 0x%x\nmov b32 $r61 0xffffffff\n",
                   "mov b32 $r%1$d 0x3f800000\nor b32 $r%1$d $r%1$d $r3\n",
                   "add b32 $c0 $r60 $r60 $r61\n(lg $c0) bra #loop\nexit nop\n"},
    [SET_FERMI] = {fermi,
                   "mov b32 $r3 $laneid\nmov b32 $r1 0x3f8ccccd\nmov b32 $r2 0x3f666666\n"
                   "mov b32 $r60 0x%x\nmov b32 $r61 0xffffffff\n",
                   "mov b32 $r%1$d 0x3f800000\nor b32 $r%1$d $r%1$d $r3\n",
                   "add b32 $r60 $r60 $r61\nset $p0 0x1 ne s32 $r60 0x0\n$p0 bra #loop\nexit\n"},
    [SET_G64] =
        {g64,
         "S2R R3, LANE\nMOVI R1, 838861\nMOVHI R1, 0xfe\nMOVI R2, -1677722\nMOVHI R2, 0xfd\n"
         "MOVI R60, %d\nMOVI R61, -1\n",
         "MOVI R%1$d, 0\nMOVHI R%1$d, 0xfe\nOR R%1$d, R%1$d, R3\n",
         "ADD R60, R60, R61\nSETNE P0, R60, 0\n@P0 BRA loop\nEXIT\n"},
};

__attribute__((format(printf, 2, 0))) static void append(char *text, const char *format,
                                                         int value) {
    const size_t used = strlen(text);
    snprintf(text + used, TEXT_SIZE - used, format, value);
}

static void write_text(const struct dialect *d, const struct kind *kind, char *text) {
    text[0] = '\0';
    append(text, d->prologue, LOOPS);
    for (int i = 0; i < ACCUMULATORS; i++)
        append(text, d->accumulator, 8 + i);
    append(text, "loop:\n", 0);
    for (int i = 0; i < (kind->whole ? 1 : UNROLL * ACCUMULATORS); i++)
        append(text, kind->body, 8 + i % ACCUMULATORS);
    append(text, d->epilogue, 0);
}

static struct program *make_program(enum isa_variant variant, const struct kind *kind,
                                    char *message, size_t size) {
    /* fragment programs on a Tesla, because fragment programs get bold code (docs/native.md) */
    const enum program_type type = isa_set_of(variant) == SET_TESLA ? PROGRAM_FP : PROGRAM_CP;
    const struct isa_target target = {variant, type, SYNTAX_ENVYAS};
    const struct program_header header = {.reg_count = 64};
    struct program_error error = {.text = "out of memory"};
    struct asm_result code;
    char text[TEXT_SIZE];
    write_text(&dialects[isa_set_of(variant)], kind, text);
    if (isa_assemble(target, text, strlen(text), kind->name, NULL, &code, message, size))
        return NULL;
    struct program *p = program_from_words(target.type, target.variant, &header, code.words,
                                           code.count, 0, 0, kind->name, &error);
    asm_result_free(&code);
    if (!p)
        snprintf(message, size, "%s", error.text);
    return p;
}

/* The settings of a measurement. native: a service for each level, or NULL to interpret. */
struct plan {
    enum isa_variant variant;
    int first, last;  /* SIMD levels */
    double duration;  /* seconds for each figure */
    const char *only; /* name of a kind, or NULL */
    bool fast;        /* the fast arithmetic */
    struct native *native[SIMD_LEVELS];
};

/* Returns the best of several runs, in G lane-instructions a second; negative if the program
 * fails. */
static double measure_program(const struct program *p, struct warp *w, enum simd_level simd,
                              struct native *native, double duration) {
    static const float constants[64] = {[4] = 0.9f};
    const struct warp_env env = {
        .program = p,
        .simd = simd,
        .native = native,
        .c[0] = {(const uint8_t *)constants, sizeof constants},
    };
    warp_keep(w, &env, false);
    double best = 0;
    const double end = seconds_now() + duration;
    do {
        w->stats = (struct warp_stats){0};
        const double start = seconds_now();
        if (warp_launch(w, &env, LANES_ALL, 0) != WARP_DONE)
            return -1;
        const double rate = (double)w->stats.lane_instructions / (seconds_now() - start) * 1e-9;
        best = rate > best ? rate : best;
    } while (seconds_now() < end);
    warp_keep(w, NULL, false);
    return best;
}

/* A program holds native code for few levels, so each level gets a program of its own. */
static int run_level(const struct command *command, const struct kind *kind, struct warp *w,
                     const struct plan *plan, int simd) {
    char message[512];
    struct program *p = make_program(plan->variant, kind, message, sizeof message);
    if (!p)
        return command_failed(command, "%s", message);
    if (plan->fast)
        program_set_fast(p);
    const double rate =
        measure_program(p, w, (enum simd_level)simd, plan->native[simd], plan->duration);
    program_unref(p);
    if (rate < 0)
        return command_failed(command, "%s: %s", kind->name, mp_error_name(w->error.code));
    printf("%9.2f", rate);
    fflush(stdout);
    return EXIT_FINE;
}

/* Prints the time spent since `before` to make the code of a kind. */
static void print_making(struct native *native, const struct native_statistics *before) {
    struct native_statistics now;
    native_get_statistics(native, &now);
    const double instructions = (double)(now.instructions - before->instructions);
    printf("%9.2f %9.0f", (double)(now.nanoseconds - before->nanoseconds) * 1e-3 / instructions,
           (double)(now.bytes - before->bytes) / instructions);
}

static int run_kind(const struct command *command, const struct kind *kind, struct warp *w,
                    const struct plan *plan) {
    struct native *const last = plan->native[plan->last];
    struct native_statistics before = {0};
    int exit_code = EXIT_FINE;
    if (last)
        native_get_statistics(last, &before);
    printf("%-10s", kind->name);
    for (int simd = plan->first; simd <= plan->last && exit_code == EXIT_FINE; simd++)
        exit_code = run_level(command, kind, w, plan, simd);
    if (last && exit_code == EXIT_FINE)
        print_making(last, &before);
    putchar('\n');
    return exit_code;
}

static int run_all(const struct command *command, const struct plan *plan) {
    struct warp *w = aligned_alloc(_Alignof(struct warp), sizeof *w);
    if (!w)
        return command_failed(command, "out of memory");
    memset(w, 0, sizeof *w);
    printf("G lane-instructions a second, one core, %s, %s\n%-10s", isa_variant_name(plan->variant),
           plan->native[plan->first] ? "native" : "interp", "");
    for (int simd = plan->first; simd <= plan->last; simd++)
        printf("%9s", simd_name((enum simd_level)simd));
    if (plan->native[plan->last])
        printf("%9s %9s", "us/op", "bytes/op");
    putchar('\n');
    int exit_code = EXIT_FINE;
    const struct kind *k = dialects[isa_set_of(plan->variant)].kinds;
    for (; k->name && exit_code == EXIT_FINE; k++)
        if (!plan->only || strcmp(k->name, plan->only) == 0)
            exit_code = run_kind(command, k, w, plan);
    warp_free(w);
    free(w);
    return exit_code;
}

/* Makes a native code service for each level, unless the engine is "interp". */
static int open_engine(const struct command *command, const char *name, struct plan *plan) {
    const bool native = name ? strcmp(name, "native") == 0 : native_usable();
    if (!native && name && strcmp(name, "interp") != 0)
        return command_usage(command, "no engine %s; there are interp and native", name);
    if (native && !native_usable())
        return command_usage(command, "no engine native: this build has none");
    for (int simd = plan->first; native && simd <= plan->last; simd++)
        if (!(plan->native[simd] = native_create((enum simd_level)simd)))
            return command_failed(command, "out of memory");
    return EXIT_FINE;
}

int cmd_bench_alu(int argc, char **argv) {
    const char *simd = NULL, *engine = NULL, *chip = "g200";
    struct plan plan = {.last = (int)simd_best(), .duration = 0.2};
    const struct option_spec options[] = {
        {"-m", "CHIP", OPTION_TEXT, &chip, "g80 to gt215, gf100, gk104 or g64 (default: g200)"},
        {"--simd", "LEVEL", OPTION_SIMD, &simd, "base, avx2 or avx512 only (default: each)"},
        ENGINE_OPTION(&engine),
        {"--only", "NAME", OPTION_TEXT, &plan.only, "one kind of code only"},
        FAST_OPTION(&plan.fast),
        SECONDS_OPTION(&plan.duration, "time for each figure (default 0.2)"),
        {0},
    };
    const struct command command = {
        "bench alu",
        "[options]",
        "Measures the shader core's arithmetic on one core, in lane-instructions a second.",
        options,
        NULL,
    };
    COMMAND_PARSE(exit_code, arguments);
    if (arguments)
        return command_usage(&command, "takes no arguments, only options");
    const int variant = isa_variant_from_name(chip);
    if (variant < 0)
        return command_usage(
            &command, "-m %s: must be g80, g84, g200, mcp77, gt215, gf100, gk104 or g64", chip);
    plan.variant = (enum isa_variant)variant;
    if (simd) {
        plan.first = plan.last = command_simd(&command, simd);
        if (plan.first < 0)
            return EXIT_USAGE;
    }
    exit_code = open_engine(&command, engine, &plan);
    if (exit_code == EXIT_FINE)
        exit_code = run_all(&command, &plan);
    for (int i = 0; i < SIMD_LEVELS; i++)
        native_destroy(plan.native[i]);
    return exit_code;
}
