/* The state of a warp that has been written: registers, $a, $c, predicates, l[], o[]; lane by lane.
 * In: instructions as they are executed. Out: lanes that read state which they have not written. A
 * move copies the state of its source. Must not know findings.
 */
#pragma once

#include "shader/check/access.h"

enum { SHADOW_OUT = 256, SHADOW_HALVES = 2 * WARP_REGS };

/* A set of halves of registers: bit n is half n & 1 of $r(n / 2). */
struct half_set {
    uint64_t bits[SHADOW_HALVES / 64];
};

struct shadow {
    const struct warp *w;          /* NULL: unused */
    lane_mask half[SHADOW_HALVES]; /* lanes that have written each half */
    lane_mask a[8], c[4], p[PRED_COUNT + 1];
    lane_mask out[SHADOW_OUT]; /* rows of o[] */
    lane_mask *local;          /* words of l[] */
    uint32_t local_words, local_capacity;
};

/* Begins with a warp that is about to run. False when out of memory. */
bool shadow_start(struct shadow *s, const struct warp *w, const struct warp_env *env);
void shadow_free(struct shadow *s);

/* A register that an instruction reads in lanes that have not written it. */
struct unwritten {
    enum operand_file file; /* FILE_R, FILE_A, FILE_C; FILE_NULL: a predicate */
    uint32_t number;
    lane_mask lanes;
};
enum { SHADOW_READS = 16 };
/* Lists the places that an instruction reads in lanes of m that have not written them; called
 * before the instruction's execution. Returns the number of entries. The places count as written
 * afterwards. */
uint32_t shadow_reads(struct shadow *s, const struct warp_env *env, const struct op *op,
                      lane_mask m, struct unwritten list[SHADOW_READS]);
/* Notes the words of an access to l[] as written. Returns the lanes that read a word which they had
 * not written before. */
lane_mask shadow_local(struct shadow *s, const struct access *a);
/* Notes the results of an instruction in lanes m. */
void shadow_writes(struct shadow *s, const struct warp_env *env, const struct op *op, lane_mask m);
/* The lanes of m that have not written all of $rN. */
lane_mask shadow_unwritten(const struct shadow *s, uint32_t n, lane_mask m);
