/* The linked form of a program, and the interface between the parts of the interpreter. link.c
 * makes the form. For Tesla, exec_alu.c executes arithmetic, exec_memory.c loads, stores and
 * atomics, exec_special.c interpolation, votes, textures and emit; exec_fermi_*.c do the same for
 * Fermi and generic64. flow.c and flow_fermi.c run the warp (fetch, predicate, join and exit,
 * divergence stack) and call these parts.
 */
#pragma once

#include "base/fp_mode.h"
#include "shader/warp.h"

struct linked_op;

/* Executes one instruction in the lanes of m (never 0). Reads and writes registers, flags and
 * memory, but no control state. May set w->error (code != MP_NONE) for a run-time trap. */
typedef void exec_fn(struct warp *w, const struct warp_env *env, const struct linked_op *op,
                     lane_mask m);

struct linked_op {
    /* NULL: control, which flow.c or flow_fermi.c executes, or an instruction that is an error */
    exec_fn *fn[SIMD_LEVELS];
    const struct op *op;
    /* Rows of warp.r for register operands; halves: the row of the containing register. A source
     * that is no register or beyond the allocation is WARP_REGS (reads 0), such a destination is
     * WARP_REGS + 1 (dropped). */
    uint16_t dst, src[3];
    uint32_t next; /* address of the following instruction */
    /* The number of instructions from here on that need nothing but their fn: no predicate, join,
     * exit, control, clock or trap. The instructions' entries are consecutive; this instruction
     * takes `words` entries. */
    uint32_t run;
    uint8_t words;
    /* Fermi's accesses to a[] at a fixed address: the row of each word (sph.h), or ROW_NONE;
     * interpolation: the plane */
    uint8_t attr[4];
    bool skipped; /* has no effect: the destination is not allocated */
    /* The source that is the same word in all lanes, if there is one: an immediate, or a whole word
     * at a fixed offset of c[space]. */
    uint8_t space; /* 0..15, SPACE_IMMEDIATE, or SPACE_NONE */
    uint32_t word; /* the immediate or the byte offset */
    /* Source modifiers of floats: (bits & keep) ^ flip. */
    uint32_t keep[3], flip[3];
};
enum { SPACE_IMMEDIATE = 16, SPACE_NONE };

#ifdef TP_STENCIL
/* Operands and result of a stencil (native/). late: this is the second attempt, which takes rarer
 * operands, too. slow: the attempt has failed. If the second attempt fails, the handler executes
 * the instruction. */
struct stencil_io {
    u32x32 in[3], out;
    struct flags *flags;
    lane_mask flag_lanes;
    bool late, slow;
};
#endif

struct linked_program {
    struct linked_op *op; /* one per word of the program, as program.ops */
    uint32_t count;
};

/* Fills p->linked from p->ops; called once when a program is made. 0 or -1 (out of memory). */
int exec_link(struct program *p);
void exec_unlink(struct program *p);

/* Each part's selector: the handler of a decoded op at a SIMD level, or NULL if this part does not
 * execute it. exec_link asks the selectors of all parts in turn. */
SIMD_DECLARE(exec_fn *, exec_alu_select, (const struct op *op));
SIMD_DECLARE(exec_fn *, exec_memory_select, (const struct op *op));
SIMD_DECLARE(exec_fn *, exec_special_select, (const struct op *op));

/* Loads the memory operand o of an ordinary instruction (c[], s[], a[], p[]) into *value, and
 * applies post-increment of $a. Lanes of m get the value, zero- or sign-extended to 32 bits as
 * o->mem says; other lanes are unspecified. One build per SIMD level, in exec_memory.c. */
SIMD_DECLARE(void, exec_load_operand,
             (struct warp * w, const struct warp_env *env, const struct operand *o, lane_mask m,
              u32x32 *value));
/* One v[] word in all lanes, before the factor of interp. exec_varying() leaves NaNs alone. */
struct varying {
    u32x32 value;
    lane_mask missing; /* lanes whose quad lacks the word: value is 0 there */
};
/* Interpolation in its general form, and one word of it (exec_special.c). */
SIMD_DECLARE(void, exec_interp,
             (struct warp * w, const struct warp_env *env, const struct linked_op *op,
              lane_mask m));
SIMD_DECLARE(void, exec_varying,
             (struct warp * w, uint32_t word, uint32_t mode, struct varying *v));
/* Fermi's interpolation: one plane at the pixels' places, in all lanes. Denormals must count as 0
 * (FP_FLUSH), as for all instruction sets. */
struct interpolation {
    uint32_t word;        /* the plane */
    uint32_t mode;        /* enum interp_mode */
    const u32x32 *offset; /* two signed 4.12 numbers, x in the low half, from the centre; or NULL */
};
SIMD_DECLARE(void, exec_interpolate,
             (struct warp * w, const struct interpolation *i, struct varying *v));
/* Evaluates several words: w->native.varying[i] becomes the word use[i], with canonical NaNs. False
 * if some quad lacks a word; then the rows are unspecified. */
struct varying_use {
    uint16_t word;
    uint8_t mode; /* enum interp_mode */
};
SIMD_DECLARE(bool, exec_varyings, (struct warp * w, const struct varying_use *use, uint32_t count));
