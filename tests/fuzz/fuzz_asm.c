/* Fuzz target: any text assembles or gives a message. In: byte 0 variant, byte 1 program type (top
 * bit: asfermi's syntax), then the text, which is not terminated. */
#include "shader/isa/isa.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    struct isa_target target = {data[0] % ISA_VARIANTS, data[1] % PROGRAM_TYPES, SYNTAX_ENVYAS};
    if (data[1] & 0x80 && isa_set_of(target.variant) == SET_FERMI)
        target.syntax = SYNTAX_ASFERMI;
    char *text = malloc(size > 2 ? size - 2 : 1); /* the exact size, but never 0 */
    if (!text)
        return 0;
    memcpy(text, data + 2, size - 2);
    struct asm_result result;
    char message[256] = "";
    if (isa_assemble(target, text, size - 2, "fuzz", NULL, &result, message, sizeof message) == 0)
        asm_result_free(&result);
    else if (message[0] == '\0')
        abort(); /* a failure must have a message */
    free(text);
    return 0;
}
