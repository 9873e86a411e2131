/* Instructions as steps, for compile.c, which decides about blocks and control. */
#ifndef SHADER_NATIVE_LOWER_H
#define SHADER_NATIVE_LOWER_H

#include "shader/native/blocks.h"
#include "shader/native/machine_code.h"
#include "shader/native/row_registers.h"

/* The lanes in m: those active lanes in which a predicate holds. Codes beyond Tesla's predicates: a
 * predicate register, and a negated one. */
enum { LANES_GUARD = 32, LANES_GUARD_NOT, LANES_CODES };
struct lanes_state {
    uint8_t code, reg;
    bool stale; /* the $c or predicate has changed since */
};

/* Code placed after the last block: rare paths and shared routines. */
enum apart_kind {
    APART_STOP,
    APART_CONTROL,
    APART_DIVIDE, /* goes to a routine of CONTROL_ROUTINE_LIST; returns after a split */
    APART_CALL,
    APART_VALUE,
    APART_EDGE,  /* a branch to a block that has everything in memory */
    APART_ENTER, /* an entry to a block that has values in registers */
    APART_LOOP,  /* a branch back to a loop that has values in registers */
};
struct apart {
    enum apart_kind kind;
    uint32_t label, word;
    uint32_t back;           /* the label to continue at */
    uint32_t left;           /* instructions that were counted and will not be executed */
    struct forks_need forks; /* APART_ENTER */
    /* Lists in the saved values: those newer than memory (APART_LOOP: all); those that must be in
     * registers at `back`. */
    uint32_t before, befores, after, afters;
    uint8_t reg[ARGUMENT_REGISTERS]; /* APART_VALUE: registers of the stencil that failed */
    bool sat, strips;                /* the same */
    uint16_t routine;                /* APART_DIVIDE */
    exec_fn *handler;                /* APART_CALL */
};

/* Code that exists once per program: long stencils, and fmad's handler with all registers saved
 * around it. */
struct routines {
    uint32_t stencil[STENCILS]; /* labels; 0: not used */
    uint32_t mad[2];            /* labels, by sat */
};

/* A loop of consecutive blocks exists twice: the first round begins with all values in memory,
 * later rounds with the values that registers held at the end of the first. */
struct loop {
    bool again;          /* this is the second copy */
    bool closes;         /* the first copy has just ended */
    uint32_t first, end; /* block numbers; first: NO_BLOCK outside of such loops */
    uint32_t label;      /* of the second copy */
    uint32_t head,
        /* the values in registers at the start of the second copy, in the saved values */
        heads;
    struct rows rows; /* the same as a state of rows */
};

/* Registers that hold the same known word in all active lanes. */
struct known_words {
    uint64_t has[WARP_REGS / 64];
    uint32_t word[WARP_REGS];
};

struct lowering {
    const struct program *p;
    struct native_code *code;
    enum simd_level simd;
    bool bytes;           /* stencils of BYTES_LIST may be used */
    bool calls_functions; /* those of ROUTINE_LIST exist once in the program */
    uint32_t mode;
    int version;
    struct emitter e;
    struct rows rows;
    struct native_blocks blocks;
    struct lanes_state lanes;
    uint32_t first_label, leave_label;
    struct apart *apart;
    uint32_t aparts, apart_room;
    struct rows_saved saved;
    struct routines routines;
    uint32_t block; /* its number */
    bool carries;   /* the block begins with the values that the block before left in registers */
    uint32_t left;  /* instructions of following blocks that were counted together with this one */
    struct forks_need forks; /* of the blocks counted together */
    struct loop loop;
    uint32_t inside; /* number of forks around the instruction */
    uint32_t strips; /* the label at which code for strips begins (strips.c) */
    uint32_t word;   /* the instruction */
    /* the stencil for the instruction at pair_word and the next one, or ST_NONE */
    enum stencil_id pair;
    uint32_t pair_word;
    uint32_t through; /* the instructions before this word are done */
    struct known_words known;
    uint32_t slow[4], slows,
        slow_back; /* the ways by the handler: indices of apart, and the label at their end */
    uint32_t instructions, called;
    uint32_t calls[OPCODES]; /* called, by operation */
    bool failed;
};

/* Rows of operands and results for handlers: three, then one. */
enum { OPERANDS = WARP_REGS + 2 };

static inline struct filling filled(void) {
    return (struct filling){.exit = {0}};
}

/* Bytes from the warp to a row of registers. */
static inline int32_t lower_row_at(uint32_t row) {
    return (int32_t)(offsetof(struct warp, r) + row * sizeof(u32x32));
}

/* Each section below calls only the sections above it. */

/* ---- lower.c ---- */

uint32_t lower_pc(const struct lowering *c, uint32_t word);
void lower_put_off(struct lowering *c, struct apart a);
/* Makes m hold the lanes of a predicate. */
void lower_lanes(struct lowering *c, unsigned pred, unsigned reg);
void lower_guard(struct lowering *c, unsigned guard); /* of struct op */
/* True if only some lanes' results count. */
bool lower_is_masked(const struct lowering *c);
/* Makes m hold the lanes in which an operation is executed. */
void lower_lanes_of(struct lowering *c, const struct op *op);
/* The handler, or the instruction's own (NULL), executes it where one of its stencils fails: by code apart that
 * returns behind the instruction. Returns the label to go to. */
uint32_t lower_open_slow_way(struct lowering *c, exec_fn *handler);
/* Called after an instruction: its ways by the handler return here. */
void lower_close_slow_ways(struct lowering *c);
/* True if an operand can be a value; if all sources can; if it is a word at an address per lane. */
bool lower_has_source(const struct operand *o);
bool lower_has_sources(const struct op *op);
bool lower_is_indexed(const struct lowering *c, const struct operand *o);
bool lower_has_dest(const struct operand *o);
uint32_t lower_address_at(unsigned n);
/* Makes a value of operand o without sign modifiers (row: its row if it is a register), or of
 * source i of op. */
/* A word of the vertices whose handles are a value, `at` words behind them. */
int lower_vertex_word(struct lowering *c, int handle, uint32_t at);
int lower_plain_source(struct lowering *c, const struct operand *o, uint32_t row);
int lower_source(struct lowering *c, const struct op *op, int i, const struct linked_op *l);
/* Write a value: to some lanes of the row at a place; to the active or masked lanes; to the
 * destination of an operation; to o[]; the same for a value that is not a temporary. */
void lower_merge_at(struct lowering *c, uint32_t at, int mask, int v);
void lower_put_row_at(struct lowering *c, uint32_t at, int v);
void lower_put(struct lowering *c, const struct operand *o, uint32_t row, int value);
void lower_put_out(struct lowering *c, uint32_t row, int v);
void lower_put_moved(struct lowering *c, const struct op *op, uint32_t row, int v);
/* Lowers an operation that has a stencil. False: nothing was done. */
bool lower_operation(struct lowering *c, uint32_t word);

/* ---- routines.c: code that is called from blocks ---- */

void lower_value(struct lowering *c, const struct apart *a);
void lower_routines(struct lowering *c);
/* Jumps to a routine of CONTROL_ROUTINE_LIST, or calls it, for the instruction at a word, or behind
 * it. Rows are in memory. */
void lower_go_to_control(struct lowering *c, enum stencil_id routine, uint32_t word);
void lower_call_split(struct lowering *c, uint32_t word);

/* ---- products.c ---- */

/* Lowers the instruction and the two or three behind it as one product of 32 bits. False: nothing
 * was done. */
bool lower_product(struct lowering *c, uint32_t word);
/* Note which registers hold known words: after an instruction, and where code is entered. */
void lower_note_words(struct lowering *c, const struct linked_op *l);
void lower_know_nothing(struct lowering *c);

/* ---- lower_fermi.c ---- */

/* Lowers an operation of Fermi or generic64. False: nothing was done. */
bool lower_fermi(struct lowering *c, uint32_t word);
/* True if it is one step from rows to a row, without predicates and $c. */
bool lower_fermi_is_row(const struct op *op);

/* ---- bursts.c ---- */

/* The handler of the burst of loads or stores that begins at a word, and the word behind the burst.
 * NULL: there is none. */
exec_fn *lower_burst(const struct lowering *c, uint32_t word, uint32_t *end);
/* Fills the stencil that executes all rounds of a block which is a loop that waits for locks. False: it
 * is not. */
bool lower_lock_loop(struct lowering *c, const struct native_block *k, struct filling *f);
/* Lowers loads or stores of words of s[] or g[], alone or as a burst. False: nothing was done. */
bool lower_words(struct lowering *c, uint32_t word);

/* ---- instructions.c ---- */

void lower_instruction(struct lowering *c, uint32_t word);
bool lower_is_skipped(const struct linked_op *l);
/* True if the instruction at a word can be done with strips of rows. */
bool lower_fits_strips(struct lowering *c, uint32_t word);

/* ---- strips.c ---- */

/* Called before instructions, up to `end`. Returns the word up to which they work on strips: `at`
 * if they do not. lower_close_strips() is called behind them. */
uint32_t lower_open_strips(struct lowering *c, uint32_t at, uint32_t end);
void lower_close_strips(struct lowering *c);

/* ---- lower_forks.c ---- */

/* Lowers instructions and forks in a row, up to `end` or to a control instruction outside of
 * forks. */
void lower_line(struct lowering *c, uint32_t at, uint32_t end);

#endif
