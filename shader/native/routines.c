/* Code that exists once in a program and is called or jumped to from blocks: long stencils, control
 * instructions that divide a warp, a call of fmad's handler with all registers saved around it. In:
 * the routines that blocks use (lowering.routines). Out: their code, behind all blocks.
 */
#include "shader/native/lower.h"

static void move_row(struct lowering *c, enum stencil_id id, const uint8_t reg[2], uint32_t at) {
    struct filling f = filled();
    for (int i = 0; i < 2; i++)
        f.reg[i] = f.reg[RESULT_REGISTER + i] = reg[i];
    f.hole[HOLE_AT_S0] = f.hole[HOLE_AT_D] = at;
    emit_stencil(&c->e, id, &f);
}

/* Emits the rare part of an fmad: code that moves the operands to the rows that the handler reads,
 * calls the handler, and moves its result back to registers. */
void lower_value(struct lowering *c, const struct apart *a) {
    uint32_t *routine = &c->routines.mad[a->sat];
    if (!*routine)
        *routine = emit_labels(&c->e, 1);
    c->e.stencil = a->strips ? c->e.set->strips : c->e.set->stencil;
    for (uint32_t i = 0; i < 3; i++)
        move_row(c, ST_store, a->reg + 2 * i, (uint32_t)lower_row_at(OPERANDS + i));
    emit_call(&c->e, *routine);
    move_row(c, ST_load, a->reg + RESULT_REGISTER, (uint32_t)lower_row_at(OPERANDS + 3));
    emit_jump(&c->e, a->back);
    c->e.stencil = c->e.set->stencil;
}

#define MAD_OPERAND {.file = FILE_R, .type = TYPE_F32}
#define MAD_OP(...)                                                                                \
    {.code = OP_FMAD,                                                                              \
     .words = 1,                                                                                   \
     .type = TYPE_F32,                                                                             \
     .pred = PRED_ALWAYS,                                                                          \
     .cdst = NO_FLAGS_DST,                                                                         \
     .dst = MAD_OPERAND,                                                                           \
     .src = {MAD_OPERAND, MAD_OPERAND, MAD_OPERAND},                                               \
     __VA_ARGS__}
#define MAD_LINKED(n)                                                                              \
    {.op = &mad_ops[n],                                                                            \
     .dst = OPERANDS + 3,                                                                          \
     .src = {OPERANDS, OPERANDS + 1, OPERANDS + 2},                                                \
     .keep = {~0u, ~0u, ~0u},                                                                      \
     .space = SPACE_NONE}
static const struct op mad_ops[2] = {MAD_OP(.sat = false), MAD_OP(.sat = true)};
static const struct linked_op mad_linked[2] = {MAD_LINKED(0), MAD_LINKED(1)};

/* Saves all vector registers to the scratch rows, or restores them. A row holds two registers of
 * AVX-512, or four registers of AVX2, a strip each. */
static void move_all(struct lowering *c, bool back) {
    const uint32_t first = offsetof(struct warp, native.scratch);
    _Static_assert(WARP_SCRATCH == REGISTERS / 2, "room for all");
    if (!c->e.set->strips) {
        for (uint8_t i = 0; i < REGISTERS; i += 2)
            move_row(c, back ? ST_load : ST_store, (uint8_t[]){i, i + 1},
                     first + i / 2 * (uint32_t)sizeof(u32x32));
        return;
    }
    for (uint8_t i = 0; i < REGISTERS / 2; i++)
        move_row(c, back ? ST_bring_back : ST_save, (uint8_t[]){i, i}, first + i * STRIP_BYTES);
}

/* A routine that calls fmad's handler with all registers saved around it. */
static void put_mad(struct lowering *c, int sat) {
    SIMD_CHOICE(select, exec_alu_select);
    struct filling f = filled();
    if (c->e.set->strips)
        c->e.stencil = c->e.set->strips;
    move_all(c, false);
    f.hole[HOLE_AT_FN] = (int64_t)(intptr_t)select[c->simd](&mad_ops[sat]);
    f.hole[HOLE_AT_LINKED] = (int64_t)(intptr_t)&mad_linked[sat];
    emit_stencil(&c->e, ST_call, &f);
    move_all(c, true);
    c->e.stencil = c->e.set->stencil;
    emit_return(&c->e);
}

static uint32_t control_label(struct lowering *c, enum stencil_id routine, uint32_t word) {
    uint32_t *label = &c->routines.stencil[routine];
    struct filling f = filled();
    if (!*label)
        *label = emit_labels(&c->e, 1);
    f.hole[HOLE_AT_PC] = lower_pc(c, word);
    emit_stencil(&c->e, ST_set_pc, &f);
    return *label;
}

void lower_go_to_control(struct lowering *c, enum stencil_id routine, uint32_t word) {
    emit_jump(&c->e, control_label(c, routine, word));
}

void lower_call_split(struct lowering *c, uint32_t word) {
    emit_short_call(&c->e, control_label(c, ST_split, word));
}

/* The exit of ST_split to the interpreter. The interpreter executes and counts the branch at w->pc,
 * so the earlier count of the branch is taken back. */
static void put_unsplit(struct lowering *c, uint32_t label) {
    struct filling f = filled();
    emit_bind(&c->e, label);
    emit_drop_call(&c->e);
    f.hole[HOLE_AT_AT] = 1;
    emit_stencil(&c->e, ST_uncount, &f);
    f.exit[EXIT_LEAVE] = c->leave_label;
    emit_stencil(&c->e, ST_running, &f);
}

static bool is_jumped_to(int id) {
    return id == ST_join || id == ST_break_out || id == ST_return_ || id == ST_exit_;
}

void lower_routines(struct lowering *c) {
    struct filling own = rows_own_registers();
    const uint32_t unsplit = emit_labels(&c->e, 1);
    own.hole[HOLE_AT_CODE] = (int64_t)(intptr_t)c->code;
    own.hole[HOLE_AT_S0] = (uint32_t)lower_row_at(OPERANDS);
    own.hole[HOLE_AT_D] = (uint32_t)lower_row_at(OPERANDS + 3);
    for (int id = 0; id < STENCILS; id++) {
        if (!c->routines.stencil[id])
            continue;
        emit_tag(&c->e, native_tag_of_routine((uint32_t)id));
        emit_bind(&c->e, c->routines.stencil[id]);
        own.exit[EXIT_LEAVE] = id == ST_split ? unsplit : c->leave_label;
        emit_stencil(&c->e, (enum stencil_id)id, &own);
        if (!is_jumped_to(id))
            emit_return(&c->e);
    }
    for (int sat = 0; sat < 2; sat++) {
        if (!c->routines.mad[sat])
            continue;
        emit_tag(&c->e, native_tag_of_routine(ST_fmad));
        emit_bind(&c->e, c->routines.mad[sat]);
        put_mad(c, sat);
    }
    if (c->routines.stencil[ST_split])
        put_unsplit(c, unsplit);
}
