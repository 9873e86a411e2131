/* Fixture: one Fermi 3D program with its header, and one warp that runs it, in both engines. In:
 * assembly text and a header, which names the words of a[]. Out: a warp with rows of its own. */
#ifndef TESTS_FERMI_STAGE_H
#define TESTS_FERMI_STAGE_H

#include "shader/exec.h"
#include "shader/isa/isa.h"
#include "shader/sph.h"
#include "tests/shader/made.h"
#include "tests/shader/test_native.h"
#include "tests/test.h"

enum { STAGE_ROWS = 64, STAGE_REGS = 63, STAGE_BASE = 0x1050 };

struct fermi_stage {
    uint32_t header[SPH_WORDS];
    struct attribute_rows rows;
    struct program *program;
    struct warp_env env;
    struct warp *w;
    u32x32 *attr, *out, *prim, *patch, *local;
};

/* Headers have the layout of fermi-isa.md §9. */
static inline void header_begin(uint32_t h[SPH_WORDS], enum program_type type) {
    static const uint8_t kinds[PROGRAM_TYPES] = {
        [PROGRAM_VP] = 1, [PROGRAM_GP] = 4, [PROGRAM_FP] = 5, [PROGRAM_TCP] = 2, [PROGRAM_TEP] = 3};
    memset(h, 0, SPH_WORDS * sizeof *h);
    h[0] = 0x20060 | (type == PROGRAM_FP ? 2 : 1) | (uint32_t)kinds[type] << 10;
}

/* a: a byte address. */
static inline void header_in(uint32_t h[SPH_WORDS], unsigned a) {
    h[5 + a / 128] |= 1u << a / 4 % 32;
}

static inline void header_out(uint32_t h[SPH_WORDS], unsigned a) {
    h[13 + (a - 0x40) / 128] |= 1u << (a - 0x40) / 4 % 32;
}

/* For PROGRAM_FP: an input word with its interpolation mode. */
static inline void header_plane(uint32_t h[SPH_WORDS], unsigned a, enum sph_mode mode) {
    if (a >= 0x60 && a < 0x80)
        h[5] |= 1u << (24 + (a - 0x60) / 4);
    else if (a >= 0x2c0 && a < 0x300)
        h[14] |= 1u << (16 + (a - 0x2c0) / 4);
    else if (a >= 0x300)
        h[15 + (a - 0x300) / 64] |= (uint32_t)mode << a / 4 % 16 * 2;
    else
        h[6 + (a - 0x80) / 64] |= (uint32_t)mode << a / 4 % 16 * 2;
}

static inline struct program *stage_program(const struct fermi_stage *s, enum program_type type,
                                            const char *text, const uint32_t *library,
                                            size_t library_words, uint32_t library_base) {
    struct program_header header = {.reg_count = STAGE_REGS};
    struct program_error error;
    struct attribute_rows rows;
    char *whole = malloc(strlen(text) + 32);
    assert_non_null(whole);
    sprintf(whole, ".section #C 0x%x\n%s", STAGE_BASE, text);
    struct asm_result code = assembled(ISA_GF100, type, whole);
    assert_true(sph_read(s->header, type, &header, &rows));
    const struct program_code parts = {.words = code.words,
                                       .word_count = code.count,
                                       .base = code.base,
                                       .entry = code.base,
                                       .library = library,
                                       .library_words = library_words,
                                       .library_base = library_base,
                                       .rows = &rows};
    struct program *p = program_from_code(type, ISA_GF100, &header, &parts, "test", &error);
    if (!p)
        fail_msg("%s", error.text);
    asm_result_free(&code);
    free(whole);
    return p;
}

static inline void stage_start(struct fermi_stage *s, enum simd_level level, bool native,
                               struct program *p, lane_mask launched, lane_mask helpers) {
    s->program = p;
    s->rows = *p->rows;
    s->attr = case_rows(STAGE_ROWS * sizeof *s->attr);
    s->out = case_rows(STAGE_ROWS * sizeof *s->out);
    s->prim = case_rows(STAGE_ROWS * sizeof *s->prim);
    s->patch = case_rows(STAGE_ROWS * sizeof *s->patch);
    s->local = case_rows(STAGE_ROWS * sizeof *s->local);
    s->w = case_rows(sizeof *s->w);
    s->env = (struct warp_env){.program = p,
                               .simd = level,
                               .call_limit = UINT32_MAX,
                               .budget = 100000,
                               .native = native ? test_native_get(level) : NULL};
    struct warp *w = s->w;
    w->attr = s->attr;
    w->attr_count = STAGE_ROWS;
    w->out = s->out;
    w->out_count = STAGE_ROWS;
    w->prim = (const uint32_t *)s->prim;
    w->prim_count = STAGE_ROWS * LANES;
    w->patch = s->patch;
    w->patch_count = STAGE_ROWS;
    w->local = s->local;
    w->local_size = STAGE_ROWS * 4;
    warp_start(w, &s->env, launched, helpers);
}

static inline void stage_open(struct fermi_stage *s, enum simd_level level, bool native,
                              enum program_type type, const char *text) {
    struct program *p = stage_program(s, type, text, NULL, 0, 0);
    stage_start(s, level, native, p, LANES_ALL, 0);
}

static inline void stage_close(struct fermi_stage *s) {
    warp_free(s->w);
    program_unref(s->program);
    free(s->w);
    free(s->attr);
    free(s->out);
    free(s->prim);
    free(s->patch);
    free(s->local);
}

/* A stage that is opened later in the block, and closed at its end. */
#define STAGE(s) struct fermi_stage s __attribute__((cleanup(stage_close)))

static inline void stage_run(struct fermi_stage *s) {
    if (warp_run(s->w, &s->env) != WARP_DONE) {
        char text[128];
        warp_error_print(&s->w->error, text, sizeof text);
        fail_msg("%s", text);
    }
}

/* Both engines at each level that the machine has. */
#define FOR_EACH_ENGINE(level, native)                                                             \
    for (enum simd_level level = 0; level <= simd_best(); level++)                                 \
        for (int native = 0; native < 2; native++)

#endif
