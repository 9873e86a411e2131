/* Instructions as steps (stencils with their places and registers), for compile.c, which decides
 * about blocks and control. struct lowering is the state of the compiler for one program.
 */
#pragma once

#include "shader/native/blocks.h"
#include "shader/native/machine_code.h"
#include "shader/native/row_registers.h"

/* The lanes in the mask m of native code: the active lanes in which a predicate holds. code:
 * Tesla's test of a $c (reg), or LANES_GUARD: predicate register reg, LANES_GUARD_NOT: its
 * negation. */
enum { LANES_GUARD = 32, LANES_GUARD_NOT, LANES_CODES };
struct lanes_state {
    uint8_t code, reg;
    bool stale; /* the $c or predicate has changed since m was made */
};

/* Code apart: code for rare paths, placed behind the last block. */
enum apart_kind {
    APART_STOP,
    APART_CONTROL,
    /* goes to a routine of CONTROL_ROUTINE_LIST; the routine of a branch returns, and a jump
     * follows */
    APART_DIVIDE,
    APART_CALL,
    APART_VALUE,
    APART_EDGE,  /* a branch to a block that expects everything in memory */
    APART_ENTER, /* an entry to a block that expects values in registers */
    APART_LOOP,  /* a branch back to a loop that expects values in registers */
};
struct apart {
    enum apart_kind kind;
    uint32_t label, word;
    uint32_t back; /* the label to continue at */
    /* instructions to subtract: counted, but not executed. APART_ENTER: instructions to count */
    uint32_t left;
    struct forks_need forks; /* APART_ENTER: the need of the blocks that are counted */
    /* Lists in the saved values. before: values newer than memory (APART_LOOP: all). after: values
     * that must be in registers at `back`. */
    uint32_t before, befores, after, afters;
    uint8_t reg[ARGUMENT_REGISTERS]; /* APART_VALUE: registers of the stencil that failed */
    bool sat, strips;                /* APART_VALUE: of the operation that failed */
    uint16_t routine;                /* APART_DIVIDE */
    exec_fn *handler;                /* APART_CALL */
};

/* Code that exists once per program: long stencils, and a call of fmad's handler with all registers
 * saved around it. */
struct routines {
    uint32_t stencil[STENCILS]; /* labels; 0: not used */
    uint32_t mad[2];            /* labels, by sat */
};

/* Rows in registers: a loop of consecutive blocks exists twice. The first round begins with all
 * values in memory, later rounds with the values that registers held at the end of the first. */
struct loop {
    bool again;          /* the current code is the second copy */
    bool closes;         /* the first copy has just ended */
    uint32_t first, end; /* block numbers; first: NO_BLOCK outside of loops with two copies */
    uint32_t label;      /* of the second copy */
    /* The values in registers at the start of the second copy: a list in the saved values. */
    uint32_t head, heads;
    struct rows rows; /* the values of `head` as a state of rows */
};

/* Facts about the active lanes: registers that hold the same known word in all of them, and (a bit
 * each) the $c that a comparison has set in all of them. */
struct known_words {
    uint64_t has[WARP_REGS / 64];
    uint32_t word[WARP_REGS];
    uint8_t truths;
};

struct lowering {
    const struct program *p;
    struct native_code *code;
    enum simd_level simd;
    bool bytes; /* stencils of BYTES_LIST may be used: the CPU has the instructions */
    /* the stencils of ROUTINE_LIST exist once in the program, and are called */
    bool calls_functions;
    uint32_t mode;
    int version;
    struct emitter e;
    struct rows rows;
    struct native_blocks blocks;
    struct lanes_state lanes;
    uint32_t first_label, leave_label;
    struct apart *apart;
    uint32_t aparts;
    size_t apart_room;
    struct rows_saved saved;
    struct routines routines;
    uint32_t block; /* number of the current block */
    /* the current block begins with the values that the block before left in registers */
    bool carries;
    /* instructions of following blocks that were counted with the current block */
    uint32_t left;
    struct forks_need forks; /* the need of the blocks that were counted together */
    struct loop loop;
    uint32_t inside; /* number of forks around the current instruction */
    uint32_t strips; /* the label at which the current code for strips begins (strips.c) */
    struct lanes_state opened; /* in strips: the lanes of m */
    uint32_t word;             /* the current instruction */
    /* the stencil for the instruction at pair_word and the next instruction, or ST_NONE */
    enum stencil_id pair;
    uint32_t pair_word;
    uint32_t through; /* the instructions before this word are done already */
    struct known_words known;
    /* the current instruction's slow ways, as indices of apart; the label at their end */
    uint32_t slow[4], slows, slow_back;
    uint32_t instructions, called;
    uint32_t calls[OPCODES]; /* handler calls by operation */
    bool failed;
};

/* Rows in which routines and handlers get operands and leave results: three, then one. */
enum { OPERANDS = WARP_REGS + 2 };

static inline struct filling filled(void) {
    return (struct filling){.exit = {0}};
}

/* The place of a row of r[], in bytes from the warp. */
static inline int32_t lower_row_at(uint32_t row) {
    return (int32_t)(offsetof(struct warp, r) + row * sizeof(u32x32));
}

/* Each section below is a file. Functions call those of their own section and of sections above.
 * Only lower_knows_word(), lower_truths_after() and lower_is_carried() are also called from
 * sections above their own. */

/* ---- lower.c ---- */

uint32_t lower_pc(const struct lowering *c, uint32_t word);
void lower_put_off(struct lowering *c, struct apart a);
/* The place of a predicate, in bytes from the warp. */
uint32_t lower_predicate_at(unsigned number);
/* Makes m hold the lanes of a Tesla predicate, or of a code of lanes_state. */
void lower_lanes(struct lowering *c, unsigned pred, unsigned reg);
void lower_guard(struct lowering *c, unsigned guard); /* the lanes of a guard of struct op */
/* True if the code must not write all 32 lanes of a result. */
bool lower_is_masked(const struct lowering *c);
/* Makes m hold the lanes in which an operation is executed. */
void lower_lanes_of(struct lowering *c, const struct op *op);
/* Opens a slow way of the current instruction, for stencils that fail: code apart calls handler
 * (NULL: the instruction's own), which executes the whole instruction, and returns behind the
 * instruction. Returns the label of that code. */
uint32_t lower_open_slow_way(struct lowering *c, exec_fn *handler);
/* Called after an instruction: its slow ways return here. */
void lower_close_slow_ways(struct lowering *c);
/* True if an operand can be a value. */
bool lower_has_source(const struct operand *o);
/* True if all sources of op can be values. */
bool lower_has_sources(const struct op *op);
/* True if an operand is a word at an address per lane. */
bool lower_is_indexed(const struct lowering *c, const struct operand *o);
bool lower_has_dest(const struct operand *o);
uint32_t lower_address_at(unsigned n);
/* Makes a value: the carry of a $c, 0 or 1. */
int lower_carry(struct lowering *c, unsigned reg);
/* Makes a value: a word of vertices, `at` words behind their handles. handle: the value that has
 * the handles. */
int lower_vertex_word(struct lowering *c, int handle, uint32_t at);
/* Makes a value: an operand without its sign modifiers. row: its row if it is a register. */
int lower_plain_source(struct lowering *c, const struct operand *o, uint32_t row);
/* Makes a value: source i of op. */
int lower_source(struct lowering *c, const struct op *op, int i, const struct linked_op *l);
/* Writes a value to some lanes of the row at a place. mask: a value, all ones in the lanes to
 * write; `others`: in the other lanes. */
void lower_merge_at(struct lowering *c, uint32_t at, int mask, bool others, int v);
/* Makes a value, all ones in the lanes of the current instruction; *others: in the other lanes. */
int lower_lanes_row(struct lowering *c, bool *others);
/* Makes two values ready to be merged. True: both may have raw NaNs. False: neither may. */
bool lower_raw_together(struct lowering *c, int *a, int *b);
/* Writes a value to the row at a place, in the lanes in which the operation is executed. */
void lower_put_row_at(struct lowering *c, uint32_t at, int v);
/* Writes a value to the destination of an operation. */
void lower_put(struct lowering *c, const struct operand *o, uint32_t row, int value);
/* Writes a value to a row of o[]. */
void lower_put_out(struct lowering *c, uint32_t row, int v);
/* lower_put() for a value that need not be a temporary. */
void lower_put_moved(struct lowering *c, const struct op *op, uint32_t row, int v);
/* Strips: makes a value of the mask at a place, which a comparison has set: all ones in the lanes
 * where the comparison holds. */
int lower_truth(struct lowering *c, uint32_t at);
/* Strips: makes `holds`, a temporary, the result of the comparison that sets the mask at a place,
 * in the lanes of the current instruction. */
void lower_put_truth(struct lowering *c, uint32_t at, int holds);
/* True if one stencil executes the instruction at `word` and the next one (PAIR_LIST). */
bool lower_begins_pair(const struct lowering *c, uint32_t word);
/* Lowers an operation that has a stencil. False: nothing was done. */
bool lower_operation(struct lowering *c, uint32_t word);

/* ---- routines.c: code that is called from blocks ---- */

void lower_value(struct lowering *c, const struct apart *a);
void lower_routines(struct lowering *c);
/* Emit a jump to a routine of CONTROL_ROUTINE_LIST, or a call of ST_split, for the instruction at a
 * word. For ST_exit_: at the word behind the instruction with the exit flag. Rows must be in
 * memory. */
void lower_go_to_control(struct lowering *c, enum stencil_id routine, uint32_t word);
void lower_call_split(struct lowering *c, uint32_t word);

/* ---- products.c ---- */

/* Lowers the instruction at a word and those behind it as one product of 32-bit factors: its lower
 * word, or its upper word. False: nothing was done. */
bool lower_product(struct lowering *c, uint32_t word);
/* The word behind the instructions at a word if they are one step, the upper word of a product. 0:
 * they are not. */
uint32_t lower_upper_product_end(const struct lowering *c, uint32_t word);
/* Registers that hold known words: notes them after an instruction; forgets them where code is
 * entered. */
void lower_note_words(struct lowering *c, const struct linked_op *l);
void lower_know_nothing(struct lowering *c);
/* True if all active lanes of a register hold the same known word. */
bool lower_knows_word(const struct lowering *c, uint32_t reg, uint32_t *word);

/* ---- lower_fermi.c ---- */

/* Lowers an operation of Fermi or generic64. False: nothing was done. */
bool lower_fermi(struct lowering *c, uint32_t word);
/* True if op is one step from rows to a row, without predicates and $c. */
bool lower_fermi_is_row(const struct op *op);
/* True if op is several steps that strips can do. */
bool lower_fermi_is_steps(const struct lowering *c, const struct op *op);
/* The predicate that a comparison sets if it sets one predicate and no row, else PRED_TRUE. */
unsigned lower_fermi_truth(const struct op *op);

/* ---- bursts.c ---- */

/* The handler of the burst of loads or stores that begins at a word, or NULL. *end: the word behind
 * the burst. */
exec_fn *lower_burst(const struct lowering *c, uint32_t word, uint32_t *end);
/* If block k is a loop that waits for locks, fills f for ST_lock_loop, which executes all its
 * rounds. False: block k does not wait for locks. */
bool lower_lock_loop(struct lowering *c, const struct native_block *k, struct filling *f);
/* Lowers loads or stores of words of s[] or g[], or loads of words of c[] at a base register, alone
 * or as a burst. False: nothing was done. */
bool lower_words(struct lowering *c, uint32_t word);

/* ---- instructions.c ---- */

void lower_instruction(struct lowering *c, uint32_t word);
bool lower_is_skipped(const struct linked_op *l);
/* True for sums with the carry of a $c that are made of steps. */
bool lower_is_carried(const struct op *op);
/* True if op only sets a $c by a comparison, in all active lanes. */
bool lower_is_truth(const struct lowering *c, const struct op *op);
/* The truths of struct known_words after an instruction. */
uint8_t lower_truths_after(const struct lowering *c, const struct op *op, uint8_t truths);
/* True if strips can make op's lanes, from predicates or from the $c that comparisons have set. */
bool lower_has_lanes(const struct lowering *c, const struct op *op, uint8_t truths);
/* True if strips can do the instruction at a word. */
bool lower_fits_strips(struct lowering *c, uint32_t word);

/* ---- strips.c ---- */

/* Called before the instruction at `at`. If instructions from there on work on strips, opens strips
 * and returns the word up to which they do; lower_close_strips() is called there. Otherwise returns
 * `at`. */
uint32_t lower_open_strips(struct lowering *c, uint32_t at, uint32_t end);
void lower_close_strips(struct lowering *c);

/* ---- lower_forks.c ---- */

/* Lowers instructions and forks up to `end`, or to a control instruction outside of forks. */
void lower_line(struct lowering *c, uint32_t at, uint32_t end);
