/* The findings of a check of programs: faults with their first place and the number of lanes in
 * which they occurred; a file of suppressions; the list as text and as JSON. Must not know warps.
 */
#pragma once

#include "base/lanes.h"

#include <stddef.h>
#include <stdio.h>

/* X(enumerator, name): the names are those of suppressions and JSON. */
#define FINDING_LIST(X)                                                                            \
    X(OUTSIDE, "out-of-range")                                                                     \
    X(MISALIGNED, "misaligned")                                                                    \
    X(REGISTER, "unwritten-register")                                                              \
    X(SHARED, "unwritten-shared")                                                                  \
    X(LOCAL, "unwritten-local")                                                                    \
    X(OUTPUT, "unwritten-output")                                                                  \
    X(FRESH, "fresh-texture")                                                                      \
    X(TEXEL, "texel-out-of-range")                                                                 \
    X(VERTEX, "vertex-array-out-of-range")                                                         \
    X(INDEX, "index-buffer-out-of-range")                                                          \
    X(FEEDBACK, "feedback-full")                                                                   \
    X(RACE, "race")                                                                                \
    X(BARRIER, "divergent-barrier")                                                                \
    X(DERIVATIVE, "divergent-derivative")                                                          \
    X(NOT_FINITE, "not-finite")                                                                    \
    X(ERROR, "program-error")
enum finding_kind {
#define X(e, name) FINDING_##e,
    FINDING_LIST(X)
#undef X
        FINDING_KINDS
};
const char *finding_name(enum finding_kind k);

struct finding {
    enum finding_kind kind;
    /* These and `kind` are the key of a finding: findings of equal keys are counted together.
     * program: a hash of the machine code; 0: the finding has no instruction. detail: distinguishes
     * findings of one instruction. */
    uint64_t program;
    uint32_t address;
    uint32_t detail;
    /* the first occurrence */
    char name[64];  /* of the program */
    char text[128]; /* of the instruction */
    uint64_t number;
    bool launch;     /* number counts launches, not draws */
    lane_mask lanes; /* lanes in which the finding occurred */
    char where[80];  /* the first lane's thread, pixel, vertex or primitive */
    char what[192];  /* sentence with addresses and values */
    uint64_t count;  /* lanes, in all occurrences */
};

struct findings;

struct findings *findings_create(void); /* NULL when out of memory */
void findings_free(struct findings *f); /* NULL is fine */
/* Returns the finding with this key, for the caller to count; NULL: the finding is new. */
struct finding *findings_find(const struct findings *f, enum finding_kind kind, uint64_t program,
                              uint32_t address, uint32_t detail);
/* Adds a new finding. Beyond the limit of the list, or when out of memory, the finding is dropped
 * and the list is incomplete. */
void findings_add(struct findings *f, const struct finding *first);
size_t findings_count(const struct findings *f);
const struct finding *findings_at(const struct findings *f, size_t i);

/* Reads suppressions: lines "KIND [PROGRAM [ADDRESS]]", each field a pattern of the shell; PROGRAM
 * is a name or a hash. Only findings that are added later are suppressed. False with a message. */
bool findings_suppress(struct findings *f, const char *path, char *why, size_t size);

/* The list, and a last line "TITLE: N findings"; title may be NULL. */
void findings_print(const struct findings *f, const char *title, FILE *out);
/* An object: {"findings": [...], "suppressed": N, "complete": true}. */
void findings_print_json(const struct findings *f, FILE *out);
