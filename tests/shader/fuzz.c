/* Runs the fuzz targets decode, asm, program and exec of tests/fuzz without a fuzzer, on some
 * thousand random inputs that are the same in every run. */
#define LLVMFuzzerTestOneInput fuzz_decode
#include "tests/fuzz/fuzz_decode.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_asm
#include "tests/fuzz/fuzz_asm.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_program
#include "tests/fuzz/fuzz_program.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_exec
#include "tests/fuzz/fuzz_exec.c"
#include "tests/test.h"
#undef LLVMFuzzerTestOneInput

typedef int target_fn(const uint8_t *data, size_t size);

/* A random word of an instruction, which is mostly long and mostly executed in all lanes. */
static uint32_t instruction_word(bool second) {
    const uint32_t w = random_word() ^ random_word() << 16;
    if (second)
        return (w & 0xe3fff87c) | (random_word() % 4 ? 0x780 : w & 0xf80) |
               (random_word() % 8 ? 0 : w & 3);
    return (w & ~3u) | (random_word() % 4 ? 1 : w & 3);
}

static void random_words(target_fn *target, size_t setup, int rounds) {
    random_start(setup);
    for (int i = 0; i < rounds; i++) {
        uint32_t words[4 + 128];
        const size_t count = 2 + random_word() % 63;
        uint8_t *const bytes = (uint8_t *)words;
        for (size_t k = 0; k < setup; k++)
            bytes[k] = (uint8_t)random_word();
        for (size_t k = 0; k < 2 * count; k++) {
            const uint32_t w = instruction_word(k & 1);
            memcpy(bytes + setup + 4 * k, &w, 4);
        }
        target(bytes, setup + 8 * count);
    }
}

static const char sample_text[] =
    "start:\n long mov b32 $r1 0x3f800000\n(lg $c0) bra #start\nadd b32 $c1 $r2 $r3 c1[$a1+0x4]\n"
    "interp $r1 cent v[0x10] $r2\ntexauto live $r0:$r1:#:$r2 $t3 $s4 $r0:$r1 0x0 0x0 0x0\n"
    ".align 8\n.equ #k 0x10\n.b32 1 2 3\nexit (no $c3) nop // end\n/* c */ join nop; trap\n";

/* Runs the target on its sample with some bytes replaced, removed or repeated. */
static void random_text(target_fn *target, int rounds) {
    random_start(7);
    for (int i = 0; i < rounds; i++) {
        char text[2 * sizeof sample_text + 2];
        size_t size = 2;
        text[0] = (char)random_word();
        text[1] = (char)random_word();
        for (size_t k = 0; k + 1 < sizeof sample_text && size < sizeof text; k++) {
            const uint32_t what = random_word() % 80;
            if (what == 0)
                continue;
            if (what == 1)
                k = random_word() % (sizeof sample_text - 1);
            text[size++] = what == 2 ? (char)random_word() : sample_text[k];
        }
        target((const uint8_t *)text, size);
    }
}

TEST(test_decode) {
    random_words(fuzz_decode, 2, 3000);
}

TEST(test_asm) {
    random_text(fuzz_asm, 3000);
}

TEST(test_program) {
    random_text(fuzz_program, 3000);
}

TEST(test_exec) {
    random_words(fuzz_exec, SETUP, 3000);
}
