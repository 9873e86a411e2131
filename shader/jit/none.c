/* In place of the compiler in builds without one (make JIT=0): there never is a compiler, and every
 * program stays in the interpreter.
 */
#include "shader/jit/compiler.h"

#include <stdio.h>

bool compiler_open(char *error, size_t error_size) {
    snprintf(error, error_size, "this build has no JIT");
    return false;
}

struct compiler *compiler_create(enum simd_level simd, char *error, size_t error_size) {
    (void)simd;
    snprintf(error, error_size, "this build has no JIT");
    return NULL;
}

void compiler_destroy(struct compiler *c) {
    (void)c;
}

jit_fn *compiler_compile(struct compiler *c, const struct program *p, uint32_t mode,
                         struct compiled_code **code, char *error, size_t error_size) {
    (void)c, (void)p, (void)mode;
    *code = NULL;
    snprintf(error, error_size, "this build has no JIT");
    return NULL;
}

void compiler_free_code(struct compiler *c, struct compiled_code *code) {
    (void)c, (void)code;
}
