/* The interpreter's linked form and the contract between its parts. exec_alu.c links and executes
 * arithmetic; exec_memory.c loads, stores and atomics; exec_special.c quad, interp, texture, emit;
 * flow.c runs the warp (fetch, predicate, join/exit, divergence stack) and calls them.
 */
#ifndef SHADER_EXEC_H
#define SHADER_EXEC_H

#include "shader/warp.h"

struct linked_op;

/* Executes one instruction in the lanes of m (never 0). Reads and writes registers, flags, memory;
 * touches no control state. May set w->error (code != MP_NONE) for run-time traps. */
typedef void exec_fn(struct warp *w, const struct warp_env *env, const struct linked_op *op,
                     lane_mask m);

struct linked_op {
    exec_fn *fn[SIMD_LEVELS]; /* NULL for control instructions, which flow.c executes itself */
    const struct op *op;
    /* Rows of warp.r for register operands, limits of the allocation applied: sources beyond it are
     * WARP_REGS (reads 0), destinations WARP_REGS + 1 (dropped). Halves: row of the containing
     * register. Unused operands: WARP_REGS. */
    uint16_t dst, src[3];
    uint32_t next; /* address of the following instruction */
    /* Instructions from here on that need nothing but their fn: no predicate, join, exit, control,
     * clock or trap. They lie one behind the other; this one takes `words` entries. */
    uint32_t run;
    uint8_t words;
    bool skipped; /* does nothing: its destination is not allocated */
    /* The one source that is the same word in all lanes, if any: an immediate, or a whole word at a
     * fixed offset of c[space]. */
    uint8_t space; /* 0..15, SPACE_IMMEDIATE, or SPACE_NONE */
    uint32_t word; /* the immediate or the byte offset */
    /* Source modifiers of floats: (bits & keep) ^ flip. */
    uint32_t keep[3], flip[3];
};
enum { SPACE_IMMEDIATE = 16, SPACE_NONE };

#ifdef TP_STENCIL
/* A stencil (native/) gives the operands and takes the result itself. slow: more effort is needed (late), in
 * the end the handler's. */
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

/* Handler for a decoded op at each SIMD level, or NULL if this part does not execute it.
 * Each part has one selector per level; exec_link asks them in turn. */
SIMD_DECLARE(exec_fn *, exec_alu_select, (const struct op *op));
SIMD_DECLARE(exec_fn *, exec_memory_select, (const struct op *op));
SIMD_DECLARE(exec_fn *, exec_special_select, (const struct op *op));

/* Memory operands of ordinary instructions (c[], s[], a[], p[] as a source) and post-increment of $a:
 * value of operand o in all lanes of m (other lanes: unspecified), zero- or sign-extended to 32 bits
 * as o->mem says. Owned by exec_memory.c, one build per level. */
SIMD_DECLARE(void, exec_load_operand,
             (struct warp * w, const struct warp_env *env, const struct operand *o, lane_mask m,
              u32x32 *value));
/* One v[] word in all lanes, before interp's factor; NaNs as the host has them. */
struct varying {
    u32x32 value;
    lane_mask missing; /* lanes whose quad has no such word: they read 0 */
};
/* Interpolation in full generality, and one word of it; of exec_special.c. */
SIMD_DECLARE(void, exec_interp,
             (struct warp * w, const struct warp_env *env, const struct linked_op *op,
              lane_mask m));
SIMD_DECLARE(void, exec_varying,
             (struct warp * w, uint32_t word, uint32_t mode, struct varying *v));
/* Several words at once, NaNs canonical: w->native.varying[i] becomes what use[i] says. False, with nothing
 * said about the rows, where some quad has no such word. */
struct varying_use {
    uint16_t word;
    uint8_t mode; /* enum interp_mode */
};
SIMD_DECLARE(bool, exec_varyings, (struct warp * w, const struct varying_use *use, uint32_t count));

#endif
