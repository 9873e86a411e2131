/* The places of a warp's rows while code is made: in vector registers (AVX-512; AVX2 in strips),
 * written back before other code reads them, or always in memory. In: the rows, words and steps
 * that are needed. Out: stencils with their registers and places filled in. Knows no instruction.
 */
#pragma once

#include "shader/native/emit.h"
#include "shader/warp.h"

enum value_kind {
    VALUE_NONE,
    VALUE_ROW,    /* at: bytes from the warp */
    VALUE_CONST,  /* at: offset in c[space] */
    VALUE_SHARED, /* at: offset in s[] */
    VALUE_IMM,    /* at: the word */
    /* All ones in the lanes of m (stencil_code.h). In strips, at: 0 for the lanes of m, else a
     * number for the lanes of an instruction (lower_lanes_row()) */
    VALUE_MASK,
    VALUE_ACTIVE, /* all ones in the active lanes */
    /* in strips: all ones where a comparison holds. at: the lane mask of the predicate, or of the
     * flag s of the $c that the comparison has set */
    VALUE_TRUTH,
    VALUE_TEMP,
};

struct value {
    uint8_t kind, space;
    /* registers of lanes 0-15 and 16-31; one register twice if all lanes are equal */
    uint8_t reg[2];
    bool dirty;   /* a row that is newer than memory */
    bool raw_nan; /* NaNs are not canonical */
    bool was_raw; /* NaNs are canonical, and may become raw: the row holds only floats */
    bool pinned;  /* in use by the current step */
    uint32_t at, used;
    int32_t place; /* rows in memory: the place, in bytes from the warp */
};

enum { VALUES = 40, REGISTERS = 32 };

struct rows {
    struct emitter *e;
    bool registers;
    bool strips; /* registers hold strips: one register is a value, reg[1] is reg[0] */
    bool masked; /* in strips: not all lanes are active */
    bool flags;  /* in strips: comparisons set $c, not predicates */
    /* In strips: the truths that comparisons have set, each with a register of STRIP_TRUTHS. put:
     * the register has the bits of the current strip. */
    struct {
        uint32_t at;
        bool put;
    } truth[STRIP_TRUTHS];
    uint32_t truths;
    /* In strips: bit per register whose row in memory may have NaNs that are not canonical */
    uint64_t raw[WARP_REGS / 64];
    int32_t lanes_at; /* in strips: the place of the row for VALUE_MASK */
    struct value v[VALUES];
    uint32_t taken; /* bit per vector register */
    uint32_t now;
    uint64_t stored[WARP_REGS / 64]; /* bit per register written back since rows_watch() */
    uint16_t scratch;                /* bit per scratch row taken (rows in memory) */
};

/* Values are named by their index in rows.v. NO_VALUE: an operand that is not used. */
enum { NO_VALUE = -1 };

void rows_open(struct rows *r, struct emitter *e, bool registers);
/* Rows in memory: until strips are closed, strips of rows are in registers, and the set's stencils
 * for strips are used. No step until rows_close_strips() may be able to fail. */
void rows_open_strips(struct rows *r, int32_t lanes_at, bool masked, bool flags);
/* rows_end_strip(): called at the end of a strip. rows_close_strips(): called behind the last
 * strip. */
void rows_end_strip(struct rows *r);
void rows_close_strips(struct rows *r);
/* Writes all rows that are newer than memory back and forgets the values in registers. */
void rows_flush(struct rows *r);
/* Makes rows in registers like rows from memory: their NaNs become canonical, and each has two
 * registers. */
void rows_settle(struct rows *r);
/* rows_watch(): from here on rows that are written back are noted. rows_drop_stored(): forgets
 * those of the noted rows that are still in registers. */
void rows_watch(struct rows *r);
void rows_drop_stored(struct rows *r);
/* Allows rows of floats to have NaNs that are not canonical, from here on. */
void rows_unsettle(struct rows *r);
/* Gives rows that are in one register two: later their lanes may differ. */
void rows_split(struct rows *r);
/* Forgets all values in registers without writing them back. */
void rows_clear(struct rows *r);
/* Ends an instruction: no value is in use any more, temporaries are freed. rows_release_others():
 * the same for all values but one, within an instruction of many steps. */
void rows_release(struct rows *r);
void rows_release_others(struct rows *r, int value);
void rows_forget(struct rows *r, enum value_kind kind);
/* Writes the row at a place back if it is newer than memory. rows_drop(): forgets the row without
 * writing it back. */
void rows_write_back(struct rows *r, uint32_t at);
void rows_drop(struct rows *r, uint32_t at);

int rows_get(struct rows *r, enum value_kind kind, unsigned space, uint32_t at);
/* The value if a register holds it, else NO_VALUE. */
int rows_find(struct rows *r, enum value_kind kind, unsigned space, uint32_t at);
/* Rows in memory: a temporary at a place, in bytes from the warp. */
int rows_at(struct rows *r, int32_t place);
/* Runs stencil id on up to three values. Returns a new temporary, the result. f: the holes that are
 * not places of rows. */
int rows_run(struct rows *r, enum stencil_id id, const int source[3], struct filling *f);
/* rows_run() in two steps. After the first, all values are where they are when the stencil runs. */
int rows_begin_step(struct rows *r, enum stencil_id id);
void rows_end_step(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                   int result);
/* Calls the code of a stencil with one source. Returns a new temporary, the result. */
int rows_call(struct rows *r, enum stencil_id id, int source, uint32_t label);
/* The register numbers of a stencil that is not renamed. */
struct filling rows_own_registers(void);
/* Empties the registers that a stencil without a result changes, as rows_begin_step() does for a
 * stencil with a result. */
void rows_prepare(struct rows *r, enum stencil_id id);
/* rows_run() for a stencil without a result. */
void rows_run_only(struct rows *r, enum stencil_id id, const int source[3], struct filling *f);
/* Rows in memory: rows_run() with the result written to a place. */
void rows_run_to(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                 int32_t place);
/* Returns the value with canonical NaNs: a row is changed; for another value a new one is made. */
int rows_canonical(struct rows *r, int value);
int rows_copy(struct rows *r, int value);
/* `value` replaces `row` in the lanes of `mask`; in strips, `others`: in the other lanes. */
void rows_merge(struct rows *r, int mask, bool others, int value, int row);
/* Makes a temporary the content of the row at `at`. */
void rows_bind(struct rows *r, int value, uint32_t at);
/* In strips: makes a temporary the truth at `at`, or the mask of a number. At most STRIP_TRUTHS
 * places can get a truth before strips are closed. */
void rows_bind_truth(struct rows *r, int value, uint32_t at);
void rows_bind_mask(struct rows *r, int value, uint32_t at);

/* Lists of values as they were at some points, for code apart. A list is its first index and its
 * length. */
struct rows_saved {
    struct value *v;
    uint32_t count;
    size_t room;
    bool failed; /* out of memory */
};
/* Appends the rows that are newer than memory (dirty), or all values. Returns their number. */
uint32_t rows_save(const struct rows *r, struct rows_saved *s, bool dirty);
/* Writes back a list of rows that are newer than memory. Afterwards no register has a known
 * value. */
void rows_spill(struct rows *r, const struct value *v, uint32_t count);
/* Loads a list of values into their registers. */
void rows_restore(struct rows *r, const struct value *v, uint32_t count);
/* Brings the row at `at` into registers and marks it as newer than memory. */
void rows_hold(struct rows *r, uint32_t at);
/* Makes registers hold a list of all values again. A value that is gone, and can be made again, is
 * removed from the list. */
void rows_meet(struct rows *r, struct value *saved, uint32_t *count);
/* Moves values from the registers that hold them (from) to the registers that other code expects
 * (to). */
void rows_match(struct rows *r, const struct value *from, uint32_t froms, const struct value *to,
                uint32_t tos);
