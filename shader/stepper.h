/* A stepping session on one warp: forwards one instruction at a time, backwards by executing again
 * from the start. Values can be changed by hand on the way. In: a warp that is about to run, and
 * its environment. Neither is changed: the session works on copies of registers, stack, o[], l[],
 * s[] and (up to STEPPER_GLOBAL bytes) of g[], and has locks of its own. Knows no user interface
 * and no file.
 */
#pragma once

#include "shader/warp.h"

enum { STEPPER_GLOBAL = 1 << 28 };

/* A change of a value between two steps. */
struct stepper_edit {
    enum stepper_space { STEPPER_R, STEPPER_A, STEPPER_C, STEPPER_OUT, STEPPER_LOCAL } space;
    uint32_t row;    /* register number; 4-byte word of o[] and l[] */
    lane_mask lanes; /* lanes in which the value changes */
    uint32_t value;  /* of $c: Z S C O in bits 0 to 3 */
};

struct stepper;

/* NULL if memory is short, or if g[] has more than STEPPER_GLOBAL bytes. The warp's inputs, the
 * constants and the program must outlive the session. */
struct stepper *stepper_create(const struct warp *start, const struct warp_env *env);
/* A session on one warp of a CTA, with copies of the CTA's other warps. The other warps run
 * whenever the selected warp waits at a barrier, and from time to time, because the selected warp
 * may wait for memory that they write. */
struct stepper *stepper_create_block(const struct warp *warps, uint32_t count, uint32_t selected,
                                     const struct warp_env *env);
void stepper_destroy(struct stepper *s); /* NULL is fine */

/* The present state of the warp, and the environment in which the warp runs. */
const struct warp *stepper_warp(const struct stepper *s);
const struct warp_env *stepper_env(const struct stepper *s);
/* Instructions executed since the start. */
uint64_t stepper_count(const struct stepper *s);
/* The lanes in which the last instruction was executed; 0 if a join took the warp elsewhere
 * first. */
lane_mask stepper_executed(const struct stepper *s);
/* WARP_RUNNING before the end. */
enum warp_status stepper_status(const struct stepper *s);
/* Vertices that a geometry program has emitted so far in this lane, without restarts. */
uint32_t stepper_emitted(const struct stepper *s, unsigned lane);

/* Executes one instruction; at the end of the program only returns the status. WARP_WAITING: at a
 * barrier that the other warps of the CTA never reach. */
enum warp_status stepper_step(struct stepper *s);
/* Goes to the state after `count` instructions (or to the end, if that is earlier). Edits before
 * that point apply; going back discards later edits. */
void stepper_goto(struct stepper *s, uint64_t count);
/* Changes a value at the current place. False if the program has no such row, or memory is
 * short. */
bool stepper_set(struct stepper *s, const struct stepper_edit *edit);
/* A 4-byte word of g[space] as the session sees it. False if the word is out of range. */
bool stepper_global(const struct stepper *s, unsigned space, uint64_t address, uint32_t *word);

/* The word a[4 * word] that a Fermi's program writes in this lane; false: the program does not
 * write a[4 * word]. */
bool stepper_result(const struct stepper *s, uint32_t word, unsigned lane, uint32_t *value);
