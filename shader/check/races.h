/* Races on the words of s[], g[] and images: accesses by two threads of a grid, or by two
 * fragments, vertices or primitives of a draw, that nothing orders. Order comes from a program's
 * sequence in one warp, from barriers in one CTA, and from atomic operations and locks that both
 * warps have executed since the first access. In: accesses in the order of their execution. Out:
 * the access that conflicts with a new one. Must not know findings.
 */
#pragma once

#include "shader/check/access.h"

/* A warp's place in the order of work: one for each warp of a launch, or of a draw that writes
 * memory. */
struct warp_time {
    uint32_t cta;    /* number of the CTA in the launch */
    uint32_t warp;   /* in the CTA */
    uint32_t phase;  /* barriers passed */
    uint64_t atomic; /* the time of the warp's last atomic operation; 0: none */
    bool drawn;      /* of a draw: each warp counts as a CTA of its own */
    uint8_t stage;   /* of a draw: enum program_type */
    bool repeats;    /* a vertex may be run twice; both runs count as one thread */
};

/* One thread's access to a word. */
struct race_access {
    const struct warp_time *by; /* NULL: none */
    uint32_t phase, address;    /* barriers passed then; the instruction */
    uint8_t lane, bytes;        /* bit per byte of the word */
    uint8_t kind;               /* enum access_kind */
    uint32_t value;             /* of a write */
    bool silent; /* a write of a draw that left the word as it was, so reads see no difference */
    uint32_t place[2]; /* of a draw: pixel; vertex and instance; number of the primitive */
    uint64_t time;
};

struct races;

struct races *races_create(void); /* NULL when out of memory */
void races_free(struct races *r);
/* A launch begins: no access to memory is known. */
void races_launch(struct races *r);
/* A CTA begins: no access to s[] is known. */
void races_cta(struct races *r);
/* A warp's time, valid until races_launch(); NULL when out of memory. */
struct warp_time *races_warp(struct races *r, uint32_t cta, uint32_t warp);
bool races_incomplete(const struct races *r); /* out of memory, or too many words */

/* Notes an access of a lane to a word of s[] (shared) or of g[]. Returns the earlier access that
 * conflicts with it, valid until the next call, or NULL. Writes of equal values do not conflict. */
const struct race_access *races_note(struct races *r, bool shared, uint64_t word,
                                     const struct race_access *t);

/* ---- bytes of s[] that the CTA has written ---- */

/* Notes a write of bytes [at, at + size). */
void races_written(struct races *r, uint64_t at, uint32_t size);
/* True if the CTA has written all of the bytes. */
bool races_is_written(const struct races *r, uint64_t at, uint32_t size);
