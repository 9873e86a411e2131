/* Assembles the text of a test's program. */
#ifndef TESTS_ASSEMBLED_H
#define TESTS_ASSEMBLED_H

#include "shader/isa/isa.h"
#include "tests/test.h"

/* Assembles the text; the test fails if the text has a mistake. asm_result_free() frees the
 * result. */
static inline struct asm_result assembled(enum isa_variant variant, enum program_type type,
                                          const char *text) {
    const struct isa_target target = {variant, type, SYNTAX_ENVYAS};
    struct asm_result code;
    char message[512] = "";
    if (isa_assemble(target, text, strlen(text), "test", NULL, &code, message, sizeof message))
        fail_msg("%s%s", text, message);
    return code;
}

/* Writes the words of the program to `to` and returns their number. */
static inline uint32_t put_assembled(void *to, enum isa_variant variant, enum program_type type,
                                     const char *text) {
    struct asm_result code = assembled(variant, type, text);
    const uint32_t count = (uint32_t)code.count;
    memcpy(to, code.words, count * sizeof *code.words);
    asm_result_free(&code);
    return count;
}

#endif
