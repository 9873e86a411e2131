/* The memory checker: an observer of warps that looks at each instruction before it is executed.
 * In: warps, and facts of the draw that they belong to. Out: findings. Warps run on one thread at a
 * time; results stay the same bits. Must not know the pipeline.
 */
#pragma once

#include "shader/check/findings.h"
#include "shader/warp.h"

/* An attribute that comes from an array: its rows of a[], and the number of elements that lie in
 * the array (inside). */
struct check_fetch {
    uint8_t attribute, row, rows;
    uint32_t divisor; /* instances per element; 0: an element a vertex */
    uint32_t instance_base;
    uint64_t inside;
};

/* The texels that have been written, one by one. written(): true if texel x, y, z (z: the layer of
 * an array) of a level of the texture in a stage's slot has been written, or if that is not known.
 * shadow(): a binding to sample in place of the program's. Its samples are 0 if all texels that
 * they read have been written. NULL: all texels have been written, or that is not known. Of each
 * slot one shadow is in use at a time. */
struct check_texels {
    void *self;
    bool (*written)(void *self, enum program_type stage, uint32_t slot, uint32_t level,
                    const uint32_t at[3]);
    const struct tex_binding *(*shadow)(void *self, const struct tex_binding *binding,
                                        uint32_t slot);
};

/* The draw that the next warps belong to. */
struct check_draw {
    uint64_t number;
    uint32_t fresh[PROGRAM_TYPES];     /* bit per $t: nothing has written its texture yet */
    uint32_t needed[PROGRAM_TYPES][8]; /* bit per row of o[] that is read after the program */
    uint32_t unmade[8];  /* bit per v[] word: no stage before the fragment program makes it */
    uint64_t results[2]; /* bit per $r of the fragment program that is read after it */
    struct check_fetch fetch[16];
    uint32_t fetches;
    struct check_texels texels; /* written NULL: texels are not checked */
};

struct checker;

/* not_finite: reports where NaN and infinity first appear. NULL when out of memory. The findings
 * must outlive the checker. */
struct checker *checker_create(struct findings *findings, bool not_finite);
void checker_free(struct checker *c); /* NULL is fine */
/* The observer for all programs of a context. A grid must run on one thread. */
const struct warp_observer *checker_observer(const struct checker *c);
void checker_draw(struct checker *c, const struct check_draw *draw);
/* Adds a finding about the draw that belongs to no instruction. */
void checker_report(struct checker *c, enum finding_kind kind, const char *what);
/* True if memory ran out, so that some checks were left out. */
bool checker_incomplete(const struct checker *c);
