/* Fixture: one small program and one warp that runs it. In: assembly text. Out: a started warp with
 * l[], o[] and a[] of its own. */
#ifndef TESTS_WARP_CASE_H
#define TESTS_WARP_CASE_H

#include "shader/exec.h"
#include "tests/shader/made.h"
#include "tests/shader/test_native.h"

#ifndef CASE_REGISTERS
#define CASE_REGISTERS 64
#endif
enum { CASE_REGS = CASE_REGISTERS, CASE_LOCAL = 0x40, CASE_OUT = 16, CASE_ATTR = 8 };

/* Sets $c0 from (lane number & imm), so that branches on it diverge. */
#define LANE_BIT(imm) "mov b32 $r9 " imm "\nand b32 $c0 # $r0 $r9\n"

struct warp_case {
    struct program *program;
    struct warp_env env;
    struct warp *w;
    u32x32 *local, *out, *attr;
    struct cta_shared block;
    uint8_t shared[256];
    int16_t lock_owner[64];
    struct global_view g[16];
};

/* The SIMD levels this machine has. */
#define FOR_EACH_LEVEL(level) for (enum simd_level level = 0; level <= simd_best(); level++)

static inline struct program *case_program(enum program_type type, enum isa_variant variant,
                                           const char *text) {
    const struct program_header header = {.reg_count = CASE_REGS, .local_size = CASE_LOCAL};
    struct asm_result code = assembled(variant, type, text);
    struct program_error error;
    struct program *p =
        program_from_words(type, variant, &header, code.words, code.count, 0, 0, "test", &error);
    assert_non_null(p);
    asm_result_free(&code);
    return p;
}

/* Assembles text and starts a warp of `launched` lanes at the given SIMD level. */
static inline void case_open_at(struct warp_case *c, enum simd_level level, enum program_type type,
                                enum isa_variant variant, lane_mask launched, const char *text) {
    memset(c, 0, sizeof *c);
    c->program = case_program(type, variant, text);
    c->local = case_rows(CASE_LOCAL / 4 * sizeof *c->local);
    c->out = case_rows(CASE_OUT * sizeof *c->out);
    c->attr = case_rows(CASE_ATTR * sizeof *c->attr);
    c->w = case_rows(sizeof *c->w);
    c->env = (struct warp_env){.program = c->program,
                               .simd = level,
                               .g = c->g,
                               .call_limit = UINT32_MAX,
                               .budget = 100000,
                               .native = test_native(level)};
    c->block = (struct cta_shared){
        .s = c->shared, .s_size = sizeof c->shared, .warp_count = 1, .lock_owner = c->lock_owner};
    memset(c->lock_owner, 0xff, sizeof c->lock_owner);
    struct warp *w = c->w;
    w->local = c->local;
    w->local_size = CASE_LOCAL;
    w->out = c->out;
    w->out_count = CASE_OUT;
    w->attr = c->attr;
    w->attr_count = CASE_ATTR;
    w->cta = type == PROGRAM_CP ? &c->block : NULL;
    warp_start(w, &c->env, launched, 0);
    w->r[0] = lanes_iota();
}

static inline void case_open(struct warp_case *c, enum program_type type, const char *text) {
    case_open_at(c, simd_best(), type, type == PROGRAM_CP ? ISA_G200 : ISA_GT215, LANES_ALL, text);
}

static inline void case_close(struct warp_case *c) {
    warp_free(c->w);
    program_unref(c->program);
    free(c->w);
    free(c->local);
    free(c->out);
    free(c->attr);
}

/* A case, closed at the end of the C block. */
#define CASE_AT(c, ...)                                                                            \
    struct warp_case c __attribute__((cleanup(case_close)));                                       \
    case_open_at(&c, __VA_ARGS__)
#define CASE(c, ...)                                                                               \
    struct warp_case c __attribute__((cleanup(case_close)));                                       \
    case_open(&c, __VA_ARGS__)

static inline void case_run(struct warp_case *c) {
    if (warp_run(c->w, &c->env) != WARP_DONE) {
        char text[128];
        warp_error_print(&c->w->error, text, sizeof text);
        fail_msg("%s", text);
    }
}

static inline void case_fails(struct warp_case *c, enum mp_error code, enum decode_error decode,
                              uint32_t address, lane_mask lanes) {
    assert_int_equal(warp_run(c->w, &c->env), WARP_ERROR);
    assert_string_equal(mp_error_name(c->w->error.code), mp_error_name(code));
    assert_int_equal(c->w->error.decode, decode);
    assert_int_equal(c->w->error.address, address);
    assert_int_equal(c->w->error.lanes, lanes);
}

/* Lane n leaves the loop after n + 1 rounds; its sum goes to l[] and o[]. */
#define LOOP_TEXT                                                                                  \
    "add b32 $r1 $r0 1\nmov b32 $r2 0\nbreakaddr #END\nLOOP: add b32 $r2 $r2 $r1\n"                \
    "st b32 l[0x4] $r2\nadd b32 $r1 $r1 0xffffffff\nlong and b32 $c0 # $r1 $r1\n(e $c0) break\n"   \
    "bra #LOOP\nEND: ld b32 $r3 l[0x4]\nmov b32 o[0x0] $r3\n"                                      \
    "exit nop\n"

#endif
