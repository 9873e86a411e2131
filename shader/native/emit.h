/* Strings stencils together: copies them one behind the other, fills their holes, renames their
 * vector registers, directs their exits to labels. Cold parts are collected and placed behind all
 * hot parts. Knows no instruction. Used by row_registers.c and the files above it (lower.h).
 */
#pragma once

#include "shader/native/stencil.h"

enum { UNBOUND = -1 };

/* The values that a copy of a stencil is filled with. */
struct filling {
    uint8_t reg[ARGUMENT_REGISTERS];
    int64_t hole[HOLES];
    uint32_t exit[EXITS]; /* labels; NEXT and BACK need none */
};

struct cold_part {
    const struct stencil *stencil;
    uint32_t label, hot; /* the cold part's label; the byte at which the hot part starts */
    uint32_t tag;
    struct filling filling;
};

/* From byte `at` on, code belongs to `tag`, a number that the caller chooses, for tools. */
struct emit_mark {
    uint32_t at, tag;
};

struct emitter {
    const struct stencil_set *set;
    const struct stencil *stencil; /* the stencils to copy: the set's, or those of strips */
    uint8_t *bytes;
    size_t size, room;
    int32_t *label; /* the byte of each label, or UNBOUND */
    uint32_t labels;
    struct {
        uint32_t at, label;
        int32_t addend;
    } *jump; /* 32-bit distances to labels */
    uint32_t jumps;
    struct {
        uint32_t at;
        int32_t to;
    } *pool; /* 32-bit distances to bytes of the pool */
    uint32_t pools;
    struct {
        uint32_t word, label;
    } *word; /* words behind the code */
    uint32_t words;
    struct cold_part *cold;
    uint32_t colds;
    struct emit_mark *mark; /* `mark` is filled if `marking` */
    uint32_t marks, tag;
    size_t label_room, jump_room, pool_room, word_room, cold_room, mark_room;
    bool marking;
    bool failed; /* out of memory: nothing more is emitted */
};

/* e: all zero, or used for another program: then its memory is used again. */
void emit_open(struct emitter *e, const struct stencil_set *set);
void emit_close(struct emitter *e);
/* Makes `count` new labels. Returns the first. */
uint32_t emit_labels(struct emitter *e, uint32_t count);
void emit_bind(struct emitter *e, uint32_t label);
void emit_stencil(struct emitter *e, enum stencil_id id, const struct filling *f);
/* Code from here on belongs to `tag`; so do its cold parts. */
void emit_tag(struct emitter *e, uint32_t tag);
void emit_bytes(struct emitter *e, const void *bytes, size_t size);
void emit_jump(struct emitter *e, uint32_t label);
/* Calls the code at a label, which ends with a return. */
void emit_call(struct emitter *e, uint32_t label);
/* As emit_call(), where no vector is kept on the stack, so that the stack needs no alignment.
 * emit_drop_call() removes the return address from the stack. */
void emit_short_call(struct emitter *e, uint32_t label);
void emit_drop_call(struct emitter *e);
void emit_return(struct emitter *e);
/* Copies a vector register, as wide as the current stencils use it. */
void emit_move(struct emitter *e, unsigned to, unsigned from);
/* The label of a word that emit_words() will place behind the code. */
uint32_t emit_word(struct emitter *e, uint32_t word);
/* emit_cold() places the cold parts here, emit_words() the words. */
void emit_cold(struct emitter *e);
void emit_words(struct emitter *e);
/* Resolves jumps; every label that is used must be bound. */
void emit_settle(struct emitter *e);
