/* The memory checker: an observer of warps that looks at each instruction before it is executed. In:
 * warps, and facts of the draw that they belong to. Out: findings. Warps run on one thread at a
 * time; results stay the same bits. Must not know the pipeline.
 */
#ifndef SHADER_CHECK_CHECKER_H
#define SHADER_CHECK_CHECKER_H

#include "shader/check/findings.h"
#include "shader/warp.h"

/* An attribute that comes from an array: its rows of a[], and how many elements the array has. */
struct check_fetch {
    uint8_t attribute, row, rows;
    uint32_t divisor; /* instances per element; 0: an element a vertex */
    uint32_t instance_base;
    uint64_t inside;
};

/* Facts of single texels. written: true if something has written texel x, y, z (of an array the layer)
 * of a level of the texture in a slot of a stage, or if that is not known. shadow: a binding in place
 * of a program's, whose samples are 0 where all texels read have been written; NULL: all have been, or
 * that is not known. One shadow a slot is in use at a time. */
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
    uint32_t unmade[8];  /* bit per v[] word: no stage before the fragment program writes it */
    uint64_t results[2]; /* bit per $r of the fragment program that is read then */
    struct check_fetch fetch[16];
    uint32_t fetches;
    struct check_texels texels; /* written NULL: none */
};

struct checker;

/* not_finite: reports where NaN and infinity first appear. NULL when out of memory. The findings
 * must outlive the checker. */
struct checker *checker_create(struct findings *findings, bool not_finite);
void checker_free(struct checker *c); /* NULL is fine */
/* For all programs of a context. A grid must run on one thread. */
const struct warp_observer *checker_observer(const struct checker *c);
void checker_draw(struct checker *c, const struct check_draw *draw);
/* Adds a finding of the draw that has no instruction. */
void checker_report(struct checker *c, enum finding_kind kind, uint32_t detail, const char *what);
/* Out of memory: something was not checked. */
bool checker_incomplete(const struct checker *c);

#endif
