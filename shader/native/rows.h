/* Where the rows of a warp are while code is made: in vector registers (AVX-512), written back when
 * something may look at them, or always in memory. In: rows, words and steps that are wanted; out:
 * stencils with their registers and places filled in. Knows no instruction.
 */
#ifndef SHADER_NATIVE_ROWS_H
#define SHADER_NATIVE_ROWS_H

#include "shader/native/emit.h"
#include "shader/warp.h"

enum value_kind {
    VALUE_NONE,
    VALUE_ROW,    /* at: bytes from the warp */
    VALUE_CONST,  /* at: offset in c[space] */
    VALUE_SHARED, /* at: offset in s[] */
    VALUE_IMM,    /* at: the word */
    VALUE_MASK,   /* all ones in the lanes of m */
    VALUE_ACTIVE, /* likewise of the active lanes */
    VALUE_TEMP,
};

struct value {
    uint8_t kind, space;
    uint8_t reg[2]; /* of lanes 0-15 and 16-31; the same one if all lanes are */
    bool dirty;     /* a row newer than memory has it */
    bool raw_nan;   /* NaNs are not canonical */
    bool was_raw;   /* they are, and whatever is a NaN may become so again: nothing but floats */
    bool pinned;    /* in use */
    uint32_t at, used;
    int32_t place; /* rows in memory: bytes from the warp */
};

enum { VALUES = 40, REGISTERS = 32 };

struct rows {
    struct emitter *e;
    bool registers;
    bool strips;      /* registers hold strips: one is a value, reg[1] is reg[0] */
    int32_t lanes_at; /* in strips: where VALUE_MASK or VALUE_ACTIVE stands */
    struct value v[VALUES];
    uint32_t taken; /* bit per vector register */
    uint32_t now;
    uint64_t stored[WARP_REGS / 64]; /* bit per register written back since rows_watch() */
    uint16_t scratch;                /* bit per scratch row taken (rows in memory) */
};

/* Numbers of values; NO_VALUE where an operand is not used. */
enum { NO_VALUE = -1 };

void rows_open(struct rows *r, struct emitter *e, bool registers);
/* Where rows are in memory: from here on, until they are closed, strips of them are in registers, with the
 * set's stencils for that. Nothing may fail in between. */
void rows_open_strips(struct rows *r, int32_t lanes_at);
void rows_close_strips(struct rows *r);
/* All is where memory has it; what registers hold is forgotten. */
void rows_flush(struct rows *r);
/* Rows in registers are as they may come from memory, too: any bits, any of them in any lane. */
void rows_settle(struct rows *r);
/* From here on what is written back is noted; what was noted and is still in registers goes. */
void rows_watch(struct rows *r);
void rows_drop_stored(struct rows *r);
/* Rows of floats may have NaNs that are not canonical from here on. */
void rows_unsettle(struct rows *r);
/* Rows that are one register become two: they may be anything later. */
void rows_split(struct rows *r);
/* Nothing is in registers; nothing is written back. */
void rows_clear(struct rows *r);
/* Ends an instruction: nothing is in use, temporaries go. */
void rows_release(struct rows *r);
void rows_forget(struct rows *r, enum value_kind kind);

int rows_get(struct rows *r, enum value_kind kind, unsigned space, uint32_t at);
/* Rows in memory: a temporary that stands at a place, bytes from the warp. */
int rows_at(struct rows *r, int32_t place);
/* Stencil id on up to three values; the result is a new temporary. Holes beside places: f. */
int rows_run(struct rows *r, enum stencil_id id, const int source[3], struct filling *f);
/* In two steps: between them everything is where it will be when the stencil runs. */
int rows_begin_step(struct rows *r, enum stencil_id id);
void rows_end_step(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                   int result);
/* Calls a stencil of one source that stands at a label; the result is a new temporary. */
int rows_call(struct rows *r, enum stencil_id id, int source, uint32_t label);
/* The registers that a stencil has without renaming. */
struct filling rows_own_registers(void);
/* Likewise, without a result. */
void rows_run_only(struct rows *r, enum stencil_id id, const int source[3], struct filling *f);
/* Rows in memory: likewise, the result goes to a place. */
void rows_run_to(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                 int32_t place);
/* The same with canonical NaNs. */
int rows_canonical(struct rows *r, int value);
int rows_copy(struct rows *r, int value);
/* A value takes the place of a row in the lanes that mask has. */
void rows_merge(struct rows *r, int mask, int value, int row);
/* Makes a temporary the content of the row at `at`. */
void rows_bind(struct rows *r, int value, uint32_t at);

/* What rows held at some point: for code that stands apart. Appended to a list that grows. */
struct rows_saved {
    struct value *v;
    uint32_t count, room;
    bool failed; /* out of memory */
};
/* Rows that are newer than memory (dirty), or all values; returns how many. */
uint32_t rows_save(const struct rows *r, struct rows_saved *s, bool dirty);
/* Writes such rows back; registers may hold anything afterwards. */
void rows_spill(struct rows *r, const struct value *v, uint32_t count);
/* Brings values back to where they were. */
void rows_restore(struct rows *r, const struct value *v, uint32_t count);
/* The row at `at` is in registers, to be written back some time. */
void rows_hold(struct rows *r, uint32_t at);
/* Brings values back to where they were when all were saved; those that have gone and can be had again are
 * taken off the list. */
void rows_meet(struct rows *r, struct value *saved, uint32_t *count);
/* Brings values from where they are (from) to where other code expects them (to). */
void rows_match(struct rows *r, const struct value *from, uint32_t froms, const struct value *to,
                uint32_t tos);

#endif
