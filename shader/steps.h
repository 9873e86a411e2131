/* The steps of one warp as a table, to be shown: addresses and texts of instructions, masks,
 * divergence stack, and registers of all lanes before and after each step. In: a stepping session
 * at its start, which is run to its end. Out: a value of its own that outlives warp, program and
 * device; a cursor goes through it forwards and back. Knows no file, no window and no page.
 */
#pragma once

#include "shader/stepper.h"

enum {
    STEPS_MOST = 1 << 16,       /* recorded steps */
    STEPS_BYTES = 48 << 20,     /* memory for changes of rows, and as much for stack entries */
    STEPS_LOCAL = 64,           /* words of l[] that are recorded */
    STEPS_NOWHERE = 0xffffffff, /* no address */
};

/* Masks with a bit per lane. */
enum steps_mask {
    STEPS_ACTIVE,    /* run now */
    STEPS_INVISIBLE, /* helper pixels, discarded pixels: run, but results are dropped */
    STEPS_BROKE,     /* have left a loop and wait for the loop's other lanes */
    STEPS_CONTINUED, /* wait for the loop's next round (Fermi) */
    STEPS_RETURNED,  /* have returned and wait for the other lanes of the call */
    STEPS_EXITED,
    STEPS_FLAGS,                         /* $c0: Z, S, C, O; then $c1, $c2, $c3 */
    STEPS_PREDICATES = STEPS_FLAGS + 16, /* $p0 to $p6 (Fermi), P0 to P15 (generic64) */
    STEPS_MASKS = STEPS_PREDICATES + PRED_TRUE
};

struct warp_step {
    uint32_t pc;
    lane_mask active; /* before the instruction */
    /* lanes in which the instruction was executed: active, and the predicate held. 0 also if a join
     * took the warp elsewhere first */
    lane_mask guard;
    uint32_t depth;                            /* entries on the stack before the instruction */
    uint32_t change, changes;                  /* of registers; see steps_change() */
    uint32_t mask_change, mask_changes, stack; /* private */
};

/* An instruction of the program. */
struct steps_code {
    uint32_t address;
    char *text;     /* as the disassembler prints it */
    char *sentence; /* the sentence of the instruction; "": none */
};

/* The state of a lane at the cursor. */
enum steps_state {
    LANE_UNUSED,
    LANE_RUNS,
    LANE_OTHER_WAY,  /* waits to take the other way of a branch */
    LANE_MEETS,      /* waits at the place where both ways meet */
    LANE_LEFT_LOOP,  /* has left a loop; waits for the other lanes of the loop */
    LANE_NEXT_ROUND, /* waits for the loop's next round */
    LANE_RETURNED,   /* waits for the other lanes of a call */
    LANE_BARRIER,    /* waits at a barrier that does not open */
    LANE_ENDED,
    LANE_STATES
};
struct steps_lane {
    enum steps_state state;
    uint32_t pc; /* where the lane goes on; STEPS_NOWHERE: nowhere */
    /* the number of the stack entry that the lane waits for, from 0 at the top; STEPS_NOWHERE:
     * none */
    uint32_t entry;
    bool invisible; /* a helper, or discarded */
};

/* An entry of the divergence stack at the cursor. */
struct steps_entry {
    enum stack_type type;
    uint32_t pc;
    lane_mask mask;
    lane_mask waiting; /* lanes that wait for this entry */
};

struct warp_steps;

/* Runs the session to its end, or for `most` steps (0: STEPS_MOST), and records it; then the cursor
 * is at the start. The caller still owns the session. NULL when out of memory, or if s is NULL. */
struct warp_steps *steps_record(struct stepper *s, uint32_t most);
/* As steps_record(), with a session that the function makes: of one warp that is about to run, or
 * of warp `selected` of a CTA. */
struct warp_steps *steps_of_warp(const struct warp *start, const struct warp_env *env,
                                 uint32_t most);
struct warp_steps *steps_of_block(const struct warp *warps, uint32_t count, uint32_t selected,
                                  const struct warp_env *env, uint32_t most);
void steps_free(struct warp_steps *s); /* NULL is fine */

/* ---- the whole ---- */

enum program_type steps_type(const struct warp_steps *s);
const char *steps_program(const struct warp_steps *s); /* the program's name */
lane_mask steps_launched(const struct warp_steps *s);
uint32_t steps_count(const struct warp_steps *s);
const struct warp_step *steps_get(const struct warp_steps *s, uint32_t i); /* i < count */
/* The instructions in the order of their addresses. */
uint32_t steps_code_count(const struct warp_steps *s);
const struct steps_code *steps_code_get(const struct warp_steps *s, uint32_t k);
/* The number of the instruction at an address; steps_code_count() if there is none. */
uint32_t steps_code_at(const struct warp_steps *s, uint32_t address);
/* The status with which the record ends; WARP_RUNNING: the record is cut short. *text: the fault,
 * or "". */
enum warp_status steps_end(const struct warp_steps *s, const char **text);
/* The name of a lane's work, as snprintf: "pixel 12,34", "vertex 7", "thread 5,0,0". */
int steps_lane_name(const struct warp_steps *s, unsigned lane, char *text, size_t size);

/* ---- the cursor. At `at` it stands behind `at` steps, before step number `at` */

uint32_t steps_at(const struct warp_steps *s);
void steps_goto(struct warp_steps *s, uint32_t at); /* limited to the count */
/* The address of the next instruction; STEPS_NOWHERE at the end of the warp. */
uint32_t steps_pc(const struct warp_steps *s);
lane_mask steps_mask(const struct warp_steps *s, enum steps_mask which);
/* Registers and memory words of 32 lanes: $r0 ..., $a1 to $a4 (Tesla), words of o[] (Fermi:
 * a[]) and l[], emitted vertices. */
uint32_t steps_rows(const struct warp_steps *s);
const char *steps_row_name(const struct warp_steps *s, uint32_t row);
const uint32_t *steps_row(const struct warp_steps *s, uint32_t row); /* [LANES] */
/* Change number k of step i, which must be the last step before or the first behind the cursor:
 * returns the row; before, after: its values. */
uint32_t steps_change(const struct warp_steps *s, uint32_t i, uint32_t k, uint32_t before[LANES],
                      uint32_t after[LANES]);
/* Change number k of step i, which is any step before the cursor: returns the row; *value: the
 * row's value in one lane after the step. */
uint32_t steps_value(const struct warp_steps *s, uint32_t i, uint32_t k, unsigned lane,
                     uint32_t *value);
/* True if the row, or the mask, is not 0 at some step. */
bool steps_row_used(const struct warp_steps *s, uint32_t row);
bool steps_mask_used(const struct warp_steps *s, enum steps_mask which);
struct steps_lane steps_lane(const struct warp_steps *s, unsigned lane);
/* The state and place of each lane at the cursor. */
void steps_lanes(const struct warp_steps *s, struct steps_lane lane[LANES]);
/* Entries of the stack from the top, at most `most`; returns the depth. */
uint32_t steps_stack(const struct warp_steps *s, struct steps_entry *entry, uint32_t most);

/* "runs", "waits to take the other way of a branch" ... */
const char *steps_state_name(enum steps_state state);
const char *steps_mask_name(enum steps_mask mask); /* "active", "$c0.z", "$p0" ... */
const char *steps_entry_name(enum stack_type type);
