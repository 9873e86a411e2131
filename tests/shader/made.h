/* Programs made of words or of text, and zeroed memory for rows. */
#ifndef TESTS_SHADER_MADE_H
#define TESTS_SHADER_MADE_H

#include "shader/program.h"
#include "shader/warp.h"
#include "tests/assembled.h"

/* Zeroed memory; free() frees it. */
static inline void *case_rows(size_t bytes) {
    void *p = aligned_alloc(128, (bytes + 127) / 128 * 128);
    assert_non_null(p);
    memset(p, 0, (bytes + 127) / 128 * 128);
    return p;
}

/* A program whose header has only a number of registers. */
static inline struct program *made_of_words(enum program_type type, enum isa_variant variant,
                                            uint16_t registers, const uint32_t *words,
                                            uint32_t count) {
    const struct program_header header = {.reg_count = registers};
    struct program_error error;
    struct program *p =
        program_from_words(type, variant, &header, words, count, 0, 0, "test", &error);
    assert_non_null(p);
    return p;
}

static inline struct program *made_of_code(enum program_type type, enum isa_variant variant,
                                           uint16_t registers, const char *text) {
    struct asm_result code = assembled(variant, type, text);
    struct program *p = made_of_words(type, variant, registers, code.words, (uint32_t)code.count);
    asm_result_free(&code);
    return p;
}

/* A program of a text with directives. */
static inline struct program *made_of_text(enum program_type type, enum isa_variant variant,
                                           const char *text) {
    struct program_error error = {""};
    struct program *p = program_from_text(type, variant, text, strlen(text), "test", &error);
    if (!p)
        fail_msg("%s%s", text, error.text);
    return p;
}

#endif
