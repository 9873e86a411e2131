/* The steps that compiled programs take between handlers: what handlers.c defines as bitcode and
 * lower.c calls by name. Declarations only.
 */
#ifndef SHADER_JIT_STEPS_H
#define SHADER_JIT_STEPS_H

#include "shader/exec.h"

/* Control instructions that are compiled; the others go back to the interpreter. X(opcode, name) */
#define JIT_CONTROL_LIST(X)                                                                        \
    X(BRA, bra)                                                                                    \
    X(JOINAT, joinat)                                                                              \
    X(PREBREAK, prebreak)                                                                          \
    X(BREAK, break) X(CALL, call) X(RET, ret) X(PRERET, preret) X(DISCARD, discard)

exec_fn *jit_keep(void);
void jit_varying(struct warp *w, uint32_t word, uint32_t mode, struct varying *v);
void jit_interp(struct warp *w, const struct warp_env *env, const struct linked_op *l, lane_mask m,
                const struct varying *v);
void jit_assume(const struct warp_env *env, uint32_t mode, uint32_t type, uint32_t variant,
                uint32_t reg_count);
bool jit_accepts(const struct warp *w, const struct warp_env *env, uint32_t mode);
bool jit_is_full(const struct warp *w);
uint32_t jit_pc(const struct warp *w);
lane_mask jit_active(const struct warp *w);
lane_mask jit_predicate(const struct warp *w, uint32_t reg, uint32_t code);
bool jit_budget(const struct warp *w, const struct warp_env *env, uint32_t instructions);
void jit_executed(struct warp *w, uint32_t instructions);
void jit_count(struct warp *w, uint32_t instructions);
uint32_t jit_stop(struct warp *w, uint32_t pc);
uint32_t jit_join(struct warp *w, uint32_t pc);
uint32_t jit_exit(struct warp *w, const struct warp_env *env, uint32_t next);
#define X(code, name)                                                                              \
    uint32_t jit_##name(struct warp *w, const struct warp_env *env, const struct linked_op *l,     \
                        uint32_t pc, lane_mask p);
JIT_CONTROL_LIST(X)
#undef X

#endif
