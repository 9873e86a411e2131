/* The stencils of operations that Fermi and generic64 compute differently from Tesla, and of their
 * predicates: made of the handlers in exec_fermi_*.c, as in stencils.c. Compiled apart, because
 * denormals count: MXCSR may be plain where they run. STENCIL_FLUSH makes the operations with FTZ,
 * for programs in which MXCSR flushes; STENCIL_STRIPS makes stencils for strips, as in stencils.c.
 */
#if defined(__AVX512F__) || defined(STENCIL_STRIPS)
#define STENCIL_RAW_NAN
#else
#define STENCIL_RARE_NAN
#endif
#include "shader/exec_fermi_float.c"
#include "shader/exec_fermi_int.c"
#include "shader/native/stencil_code.h"

static const struct program fermi_program = {.type = PROGRAM_CP, .variant = ISA_GF100};
static const struct warp_env fermi_env = {.program = &fermi_program};

#define OPERATION(name, handler, lanes, result, ...)                                               \
    HANDLER_STENCIL(name, lanes, (__VA_ARGS__), {                                                  \
        struct call call = {w, &fermi_env, &linked, m, SHAPE_ANY, &io};                            \
        io.flags = (struct flags *)((char *)w + (intptr_t)HOLE_FLAGS);                             \
        do_##handler(&call);                                                                       \
        result(io.out);                                                                            \
    })
#if defined(STENCIL_REGISTERS)
#define X(name, handler, ...)                                                                      \
    OPERATION(name, handler, LANES_ALL, RESULT, .cdst = NO_FLAGS_DST, __VA_ARGS__)
#else
#define X(name, handler, ...)                                                                      \
    OPERATION(name, handler, LANES_ALL, RESULT, .cdst = NO_FLAGS_DST, __VA_ARGS__)                 \
    OPERATION(name##_m, handler, m, RESULT_MASKED, .cdst = NO_FLAGS_DST, __VA_ARGS__)
#endif
#if defined(STENCIL_FLUSH)
SHAPE_FTZ_LIST(X)
#if defined(__AVX2__)
SHAPE_FTZ_CVT_LIST(X)
#endif
#else
SHAPE_FERMI_LIST(X)
#if defined(__AVX2__)
SHAPE_FERMI_CVT_LIST(X)
#endif
#endif
#undef X

#if !defined(STENCIL_FLUSH) && !defined(STENCIL_STRIPS)
#define X(name, handler, ...)                                                                      \
    OPERATION(name, handler, LANES_ALL, RESULT, __VA_ARGS__)                                       \
    OPERATION(name##_m, handler, m, RESULT_MASKED, __VA_ARGS__)
SHAPE_FERMI_FLAGS_LIST(X)
#undef X

/* ---- predicates: bytes from the warp at FLAGS, VIEW, AT ---- */

STENCIL(guard) {
    m = active & *AT_WARP(const lane_mask, HOLE_FLAGS);
    GO(NEXT);
}

STENCIL(guard_not) {
    m = active & ~*AT_WARP(const lane_mask, HOLE_FLAGS);
    GO(NEXT);
}

/* Writes a comparison (all ones in the lanes where it holds) to one predicate; to two predicates,
 * combined with a third. */
#define PSET(name, lanes, with)                                                                    \
    STENCIL(name) {                                                                                \
        const lane_mask holds = lanes_to_mask(SOURCE(0, a));                                       \
        const lane_mask p = *AT_WARP(const lane_mask, HOLE_AT);                                    \
        lane_mask *const first = AT_WARP(lane_mask, HOLE_FLAGS);                                   \
        lane_mask *const second = AT_WARP(lane_mask, HOLE_VIEW);                                   \
        *first = (*first & ~(lanes)) | (fermi_logic(with, holds, p) & (lanes));                    \
        *second = (*second & ~(lanes)) | (fermi_logic(with, ~holds, p) & (lanes));                 \
        GO(NEXT);                                                                                  \
    }
PSET(pset_and, LANES_ALL, PLOGIC_AND)
PSET(pset_or, LANES_ALL, PLOGIC_OR)
PSET(pset_xor, LANES_ALL, PLOGIC_XOR)
PSET(pset_and_m, m, PLOGIC_AND)
PSET(pset_or_m, m, PLOGIC_OR)
PSET(pset_xor_m, m, PLOGIC_XOR)

STENCIL(pset) {
    *AT_WARP(lane_mask, HOLE_FLAGS) = lanes_to_mask(SOURCE(0, a));
    GO(NEXT);
}

STENCIL(pset_m) {
    lane_mask *const p = AT_WARP(lane_mask, HOLE_FLAGS);
    *p = (*p & ~m) | (lanes_to_mask(SOURCE(0, a)) & m);
    GO(NEXT);
}

STENCIL(selp) {
    RESULT(lanes_select(*AT_WARP(const lane_mask, HOLE_FLAGS), SOURCE(0, a), SOURCE(1, b)));
}

#if !defined(__AVX512F__)
STENCIL(selp_m) {
    RESULT_MASKED(lanes_select(*AT_WARP(const lane_mask, HOLE_FLAGS), SOURCE(0, a), SOURCE(1, b)));
}
#endif
#endif
