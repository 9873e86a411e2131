/* The form of stencils: the state that they pass on, operands and results, exits. For stencils.c
 * and stencils_fermi.c, which are compiled at build time and never linked.
 */
#pragma once

#include "shader/exec.h"
#include "shader/native/conventions.h"
#include "shader/native/shapes.h"

#define X(name) extern char HOLE_##name[];
HOLE_LIST(X)
#undef X

/* IN_MEMORY: stencils that write their results in some lanes, for rows in memory only. Elsewhere
 * rows are passed in vector registers. */
#if defined(__AVX512F__) || defined(STENCIL_STRIPS)
#define IN_MEMORY(...)
#else
#define IN_MEMORY(...) __VA_ARGS__
#endif

#if defined(__AVX512F__)
typedef __m512i half_row;
union row {
    u32x32 v;
    half_row h[2];
};
#define ROW_STATE                                                                                  \
    , half_row a0, half_row a1, half_row b0, half_row b1, half_row c0, half_row c1, half_row r0,   \
        half_row r1
#define SAME_ROWS , a0, a1, b0, b1, c0, c1, r0, r1
#define SOURCE(n, x) (((union row){.h = {x##0, x##1}}).v)
#define NO_ROWS                                                                                    \
    do {                                                                                           \
        NO_ROW(a0);                                                                                \
        NO_ROW(a1);                                                                                \
        NO_ROW(b0);                                                                                \
        NO_ROW(b1);                                                                                \
        NO_ROW(c0);                                                                                \
        NO_ROW(c1);                                                                                \
        NO_ROW(r0);                                                                                \
        NO_ROW(r1);                                                                                \
    } while (0)
#define NO_ROW(x) __asm__ volatile("" : "=v"(x))
#define NO_RESULT                                                                                  \
    NO_ROW(r0);                                                                                    \
    NO_ROW(r1)
#elif defined(STENCIL_STRIPS)
/* Code for one strip of a row is compiled from code for four equal strips; the compiler removes the
 * code of the other three. */
typedef __m256i strip_row;
union row {
    u32x32 v;
    strip_row h[4];
};
#define ROW_STATE                                                                                  \
    , char *strip, uint32_t t0, uint32_t t1, uint32_t t2, uint32_t t3, strip_row a0, strip_row b0, \
        strip_row c0, strip_row r0
#define SAME_ROWS , strip, t0, t1, t2, t3, a0, b0, c0, r0
#define SOURCE(n, x) (((union row){.h = {x##0, x##0, x##0, x##0}}).v)
#define AT_STRIP(type, hole) ((type *)(strip + (intptr_t)(hole)))
/* The part of a row outside of the warp that belongs to this strip. */
#define STRIP_OF(row) ((strip_row *)((char *)(row) + (strip - (char *)w)))
#define NO_ROW(x) __asm__ volatile("" : "=x"(x))
#define NO_ROWS                                                                                    \
    do {                                                                                           \
        NO_ROW(a0);                                                                                \
        NO_ROW(b0);                                                                                \
        NO_ROW(c0);                                                                                \
        NO_ROW(r0);                                                                                \
    } while (0)
#define NO_RESULT NO_ROW(r0)
#else
#define ROW_STATE
#define SAME_ROWS
#define SOURCE(n, x) (*AT_WARP(const u32x32, HOLE_S##n))
#define NO_ROWS (void)0
#define NO_RESULT (void)0
#endif
#define AT_WARP(type, hole) ((type *)((char *)w + (intptr_t)(hole)))
/* The arguments of a stencil. m: the lanes of the instruction; active: the active lanes of the
 * warp. The warp is the second argument, because an address in the first, r12, takes one more
 * byte. */
#define STATE const struct warp_env *env, struct warp *w, lane_mask m, lane_mask active ROW_STATE

typedef void __attribute__((preserve_none)) stencil_fn(STATE);
#define X(name) extern stencil_fn name;
EXIT_LIST(X)
#undef X
#define HOLE_64(type, hole)                                                                        \
    ({                                                                                             \
        type address_;                                                                             \
        __asm__("movabsq $" #hole ", %0" : "=r"(address_));                                        \
        address_;                                                                                  \
    })
#define GO(to) __attribute__((musttail)) return to(env, w, m, active SAME_ROWS)
/* Stencils are found by their names, st_... */
#define STENCIL(name)                                                                              \
    stencil_fn st_##name;                                                                          \
    void __attribute__((preserve_none)) st_##name(STATE)

/* RESULT_AND: ends a stencil with a result and continues at an exit. RESULT_UNIFORM: the same word
 * in all lanes; with AVX-512 one register serves both halves. */
#if defined(__AVX512F__)
#define RESULT_AND(value, way)                                                                     \
    do {                                                                                           \
        const union row result = {.v = (value)};                                                   \
        r0 = result.h[0];                                                                          \
        r1 = result.h[1];                                                                          \
        GO(way);                                                                                   \
    } while (0)
#define RESULT_UNIFORM(word)                                                                       \
    do {                                                                                           \
        r0 = _mm512_set1_epi32((int)(word));                                                       \
        GO(NEXT);                                                                                  \
    } while (0)
#define RESULT_MASKED_AND RESULT_AND
#elif defined(STENCIL_STRIPS)
#define RESULT_AND(value, way)                                                                     \
    do {                                                                                           \
        const union row result = {.v = (value)};                                                   \
        r0 = result.h[0];                                                                          \
        GO(way);                                                                                   \
    } while (0)
#define RESULT_UNIFORM(word)                                                                       \
    do {                                                                                           \
        r0 = _mm256_set1_epi32((int)(word));                                                       \
        GO(NEXT);                                                                                  \
    } while (0)
#define RESULT_MASKED_AND RESULT_AND
#else
#define RESULT_AND(value, way)                                                                     \
    do {                                                                                           \
        *AT_WARP(u32x32, HOLE_D) = (value);                                                        \
        GO(way);                                                                                   \
    } while (0)
#define RESULT_UNIFORM(word) RESULT(lanes_splat(word))
#define RESULT_MASKED_AND(value, way)                                                              \
    do {                                                                                           \
        u32x32 *const to = AT_WARP(u32x32, HOLE_D);                                                \
        *to = lanes_select(m, (value), *to);                                                       \
        GO(way);                                                                                   \
    } while (0)
#endif

/* The stencil of a handler. constants: the members of op, a list in parentheses. io has the sources
 * and the lanes whose flags count. The body calls the handler and ends the stencil. */
#define HANDLER_STENCIL(name, lanes, constants, ...)                                               \
    STENCIL(name) {                                                                                \
        static const struct op op = {LISTED constants};                                            \
        static const struct linked_op linked = {.op = &op, .keep = {~0u, ~0u, ~0u}};               \
        struct stencil_io io = {.in = {SOURCE(0, a), SOURCE(1, b), SOURCE(2, c)}};                 \
        io.flag_lanes = lanes;                                                                     \
        __VA_ARGS__                                                                                \
    }
#define LISTED(...) __VA_ARGS__

#define RESULT(value) RESULT_AND(value, NEXT)
#define RESULT_MASKED(value) RESULT_MASKED_AND(value, NEXT)
