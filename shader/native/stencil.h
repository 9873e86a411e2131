/* Stencils as data: machine code and the places to fill in, as native/extract.c takes them out of
 * an object file and native/emit.c uses them. One set per SIMD level.
 */
#pragma once

#include "base/simd.h"
#include "shader/native/conventions.h"
#include "shader/native/shapes.h"

#include <stddef.h>

enum patch_kind {
    PATCH_HOLE32, /* which: enum hole; the value plus addend */
    PATCH_HOLE64,
    PATCH_POOL,     /* distance to byte `addend` of the pool */
    PATCH_EXIT,     /* which: enum stencil_exit; distance plus addend */
    PATCH_HOT,      /* in the cold part: distance to byte `addend` of the hot part */
    PATCH_COLD,     /* in the hot part: distance to byte `addend` of the cold part */
    PATCH_REGISTER, /* which: argument 0..7; addend: enum x86_field of the instruction at `at` */
};

struct stencil_patch {
    uint16_t at;  /* byte in the hot or cold part */
    uint8_t cold; /* in the cold part */
    uint8_t kind, which;
    int32_t addend;
};

/* A stencil's hot part continues with the code that follows it in memory; its cold part is placed
 * elsewhere. */
struct stencil {
    uint32_t code;      /* first byte in set.code: the hot part, then the cold part */
    uint16_t hot, cold; /* bytes; both 0: the level lacks the stencil */
    uint32_t patch;     /* first in set.patch */
    uint16_t patches;
    uint8_t fixed;     /* bit per argument register that cannot be renamed */
    uint32_t clobbers; /* bit per vector register used as a temporary */
};

struct stencil_set {
    const uint8_t *code;
    uint32_t code_size, patches;
    const struct stencil_patch *patch;
    const uint8_t *pool; /* constants, 64-byte aligned, which code addresses */
    uint32_t pool_size;
    const struct stencil *strips; /* the stencils of strips (conventions.h), or NULL */
    struct stencil stencil[STENCILS];
};

extern const struct stencil_set SIMD_CAT(stencils, base), SIMD_CAT(stencils, avx2),
    SIMD_CAT(stencils, avx512);
