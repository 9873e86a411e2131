/* SIMD levels: every hot file is compiled once per level from one source, and the level is chosen
 * at run time. A file in the Makefile's SIMD list is built with -DTP_SIMD=base|avx2|avx512 and
 * names its entry points SIMD_FN(name). All levels give the same bits. A build with -DTP_BASE_ONLY
 * has one level (32-bit processors have too few registers).
 */
#pragma once

#include <stdbool.h>

enum simd_level { SIMD_BASE, SIMD_AVX2, SIMD_AVX512, SIMD_LEVELS };

#define SIMD_CAT2(a, b) a##_##b
#define SIMD_CAT(a, b) SIMD_CAT2(a, b)
#ifdef TP_SIMD
#define SIMD_FN(name) SIMD_CAT(name, TP_SIMD)
#endif

/* SIMD_DECLARE declares the three builds of one entry point. SIMD_TABLE is the initialiser of a
 * table of them, indexed by enum simd_level:
 *   SIMD_DECLARE(void, tile_run, (struct tile *t))   ->   tile_run_base, tile_run_avx2, ...
 *   SIMD_TABLE(tile_run)                              ->   { tile_run_base, ... } initialiser */
#ifdef TP_BASE_ONLY
#define SIMD_DECLARE(ret, name, args) ret SIMD_CAT(name, base) args
#define SIMD_TABLE(name) {SIMD_CAT(name, base), SIMD_CAT(name, base), SIMD_CAT(name, base)}
#else
#define SIMD_DECLARE(ret, name, args)                                                              \
    ret SIMD_CAT(name, base) args;                                                                 \
    ret SIMD_CAT(name, avx2) args;                                                                 \
    ret SIMD_CAT(name, avx512) args
#define SIMD_TABLE(name) {SIMD_CAT(name, base), SIMD_CAT(name, avx2), SIMD_CAT(name, avx512)}
#endif

/* Defines a table `name` of the builds of one entry point, indexed by enum simd_level. */
#define SIMD_CHOICE(name, function)                                                                \
    static const __typeof__(&SIMD_CAT(function, base)) name[SIMD_LEVELS] = SIMD_TABLE(function)

/* The best level this CPU and its operating system support. */
enum simd_level simd_best(void);
/* True if table look-ups by permutations of registers are faster than gathers of 16 words. A gather
 * takes some 20 cycles on AMD's processors (Zen 4), and some 30 on Intel's processors before
 * Sapphire Rapids (Ice Lake), because of their microcode against gather data sampling. On Sapphire
 * Rapids it takes 8. */
bool simd_gathers_slowly(void);
bool simd_permutes_bytes(void); /* AVX-512 VBMI, which some processors of the avx512 level lack */
/* Loads all pages of the read-only data of this program or library, stencils included, into memory.
 * Otherwise a masked operation with no live lane is slow: such an operation never reads its
 * operand, so the operand's page stays absent, and while the page is absent each such operation
 * takes some 400 cycles (Zen 4). The first program is also spared the page faults. */
void simd_load_constants(void);
/* "base", "avx2", "avx512". */
const char *simd_name(enum simd_level level);
/* The level with this name; -1: there is none. */
int simd_from_name(const char *name);
