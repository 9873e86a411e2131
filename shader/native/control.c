/* Control instructions that native code does not have in line. The functions execute the steps of
 * stack.h and find the code of the resulting address. In: a warp at a control instruction. Out: a
 * code address, which may be that of the return to the interpreter.
 */
#include "shader/fermi.h"
#include "shader/native/machine_code.h"

static const void *leave(const struct native_code *code, enum warp_status status) {
    return code->memory + code->leave[status];
}

static const void *follow(const struct native_code *code, struct warp *w, const struct linked_op *l,
                          enum go go) {
    switch (go) {
    case GO_NEXT:
        return native_arrive(code, w, l->next, false);
    case GO_TARGET:
        return native_arrive(code, w, l->op->target, false);
    case GO_PC:
        return native_arrive(code, w, w->pc, false);
    case GO_DONE:
        return leave(code, WARP_DONE);
    default:
        return leave(code, WARP_ERROR);
    }
}

#define CONTROL_LIST(X)                                                                            \
    X(BRA, bra)                                                                                    \
    X(JOINAT, joinat)                                                                              \
    X(PREBREAK, prebreak)                                                                          \
    X(BREAK, break)                                                                                \
    X(CALL, call)                                                                                  \
    X(RET, ret) X(PRERET, preret) X(DISCARD, discard) X(QUADON, quadon) X(QUADPOP, quadpop)

#define X(opcode, name)                                                                            \
    static const void *control_##name(struct warp *w, const struct warp_env *env,                  \
                                      const struct linked_op *l, lane_mask m,                      \
                                      const struct native_code *code) {                            \
        return follow(code, w, l, flow_##name(w, env, l, m));                                      \
    }
CONTROL_LIST(X)
#undef X

static const void *control_fermi(struct warp *w, const struct warp_env *env,
                                 const struct linked_op *l, lane_mask m,
                                 const struct native_code *code) {
    (void)m; /* fermi_control tests the guard itself */
    return follow(code, w, l, fermi_control(w, env, l));
}

const void *native_fermi_join(struct warp *w, const struct warp_env *, const struct linked_op *l,
                              lane_mask m, const struct native_code *code) {
    return follow(code, w, l, fermi_join(w, m));
}

native_control_fn *native_control(enum isa_variant variant, enum opcode code) {
    static native_control_fn *const fermi[OPCODES] = {
        [OP_BRA] = control_fermi,       [OP_CALL] = control_fermi,     [OP_PRERET] = control_fermi,
        [OP_JOINAT] = control_fermi,    [OP_PREBREAK] = control_fermi, [OP_PRECONT] = control_fermi,
        [OP_BREAK] = control_fermi,     [OP_CONT] = control_fermi,     [OP_RET] = control_fermi,
        [OP_EXIT] = control_fermi,      [OP_DISCARD] = control_fermi,  [OP_LONGJMP] = control_fermi,
        [OP_PRELONGJMP] = control_fermi};
    static native_control_fn *const functions[OPCODES] = {
#define X(opcode, name) [OP_##opcode] = control_##name,
        CONTROL_LIST(X)
#undef X
    };
    return isa_set_of(variant) == SET_TESLA ? functions[code] : fermi[code];
}
