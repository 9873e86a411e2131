/* The places of a warp's rows while code is made: in vector registers (AVX-512), written back
 * before other code reads them, or always in memory. In: the rows, words and steps that are needed.
 * Out: stencils with their registers and places filled in. Knows no instruction.
 */
#ifndef SHADER_NATIVE_ROW_REGISTERS_H
#define SHADER_NATIVE_ROW_REGISTERS_H

#include "shader/native/emit.h"
#include "shader/warp.h"

enum value_kind {
    VALUE_NONE,
    VALUE_ROW,    /* at: bytes from the warp */
    VALUE_CONST,  /* at: offset in c[space] */
    VALUE_SHARED, /* at: offset in s[] */
    VALUE_IMM,    /* at: the word */
    VALUE_MASK,   /* all ones in the lanes of m */
    VALUE_ACTIVE, /* the same for the active lanes */
    VALUE_TEMP,
};

struct value {
    uint8_t kind, space;
    uint8_t reg[2]; /* of lanes 0-15 and 16-31; equal if all lanes are equal */
    bool dirty;     /* a row that is newer than memory */
    bool raw_nan;   /* NaNs are not canonical */
    bool was_raw;   /* NaNs are canonical but may become raw again: the row holds only floats */
    bool pinned;    /* in use */
    uint32_t at, used;
    int32_t place; /* rows in memory: bytes from the warp */
};

enum { VALUES = 40, REGISTERS = 32 };

struct rows {
    struct emitter *e;
    bool registers;
    bool strips;      /* registers hold strips: one register is a value, reg[1] is reg[0] */
    int32_t lanes_at; /* in strips: the place of VALUE_MASK or VALUE_ACTIVE */
    struct value v[VALUES];
    uint32_t taken; /* bit per vector register */
    uint32_t now;
    uint64_t stored[WARP_REGS / 64]; /* bit per register written back since rows_watch() */
    uint16_t scratch;                /* bit per scratch row taken (rows in memory) */
};

/* Values are numbered. NO_VALUE: an operand is not used. */
enum { NO_VALUE = -1 };

void rows_open(struct rows *r, struct emitter *e, bool registers);
/* Rows in memory: until strips are closed, strips of rows are in registers, and the set's stencils
 * for strips are used. Code between the two calls must not be able to fail. */
void rows_open_strips(struct rows *r, int32_t lanes_at);
void rows_close_strips(struct rows *r);
/* Writes all rows back to memory and forgets the values in registers. */
void rows_flush(struct rows *r);
/* Forgets the known facts about rows in registers. Like rows from memory they may then have any
 * bits in any lane. */
void rows_settle(struct rows *r);
/* From here on rows that are written back are noted; rows_drop_stored() forgets those that are
 * still in registers. */
void rows_watch(struct rows *r);
void rows_drop_stored(struct rows *r);
/* From here on rows of floats may have NaNs that are not canonical. */
void rows_unsettle(struct rows *r);
/* Rows in one register become rows in two: they may hold anything later. */
void rows_split(struct rows *r);
/* Forgets all values in registers without writing them back. */
void rows_clear(struct rows *r);
/* Ends an instruction: no value is in use, temporaries are freed. */
void rows_release(struct rows *r);
void rows_forget(struct rows *r, enum value_kind kind);
/* Writes the row at a place back, if it is newer than memory; forgets it without that. */
void rows_write_back(struct rows *r, uint32_t at);
void rows_drop(struct rows *r, uint32_t at);

int rows_get(struct rows *r, enum value_kind kind, unsigned space, uint32_t at);
/* Rows in memory: a temporary at a place, in bytes from the warp. */
int rows_at(struct rows *r, int32_t place);
/* Runs stencil id on up to three values. The result is a new temporary. f: holes other than
 * places. */
int rows_run(struct rows *r, enum stencil_id id, const int source[3], struct filling *f);
/* rows_run() in two steps. Between them all values are at their places for the stencil. */
int rows_begin_step(struct rows *r, enum stencil_id id);
void rows_end_step(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                   int result);
/* Calls a stencil with one source whose code is at a label. The result is a new temporary. */
int rows_call(struct rows *r, enum stencil_id id, int source, uint32_t label);
/* The registers of a stencil that is not renamed. */
struct filling rows_own_registers(void);
/* Empties the registers that a stencil changes, as rows_begin_step() does, for a stencil without a
 * result. */
void rows_prepare(struct rows *r, enum stencil_id id);
/* rows_run without a result. */
void rows_run_only(struct rows *r, enum stencil_id id, const int source[3], struct filling *f);
/* Rows in memory: rows_run with the result at a place. */
void rows_run_to(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                 int32_t place);
/* The value with canonical NaNs. */
int rows_canonical(struct rows *r, int value);
int rows_copy(struct rows *r, int value);
/* A value replaces a row in the lanes of mask. */
void rows_merge(struct rows *r, int mask, int value, int row);
/* Makes a temporary the content of the row at `at`. */
void rows_bind(struct rows *r, int value, uint32_t at);

/* A list of values at some point, for code apart. Lists are appended. */
struct rows_saved {
    struct value *v;
    uint32_t count, room;
    bool failed; /* out of memory */
};
/* Saves the rows that are newer than memory (dirty), or all values. Returns their number. */
uint32_t rows_save(const struct rows *r, struct rows_saved *s, bool dirty);
/* Writes such rows back. Registers may hold anything afterwards. */
void rows_spill(struct rows *r, const struct value *v, uint32_t count);
/* Restores values to their registers. */
void rows_restore(struct rows *r, const struct value *v, uint32_t count);
/* Brings the row at `at` into registers; it will be written back later. */
void rows_hold(struct rows *r, uint32_t at);
/* Restores values to the registers that they had when all were saved. Values that are gone and can
 * be made again are removed from the list. */
void rows_meet(struct rows *r, struct value *saved, uint32_t *count);
/* Moves values from the registers that they have (from) to those that other code expects (to). */
void rows_match(struct rows *r, const struct value *from, uint32_t froms, const struct value *to,
                uint32_t tos);

#endif
