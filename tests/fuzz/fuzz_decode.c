/* Fuzz target: any words decode to an instruction or a named error, and print; a printed
 * instruction can be encoded. In: byte 0 variant, byte 1 program type (top bit: asfermi's syntax),
 * then words. */
#include "tests/shader/encode.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 6)
        return 0;
    struct isa_target target = {data[0] % ISA_VARIANTS, data[1] % PROGRAM_TYPES, SYNTAX_ENVYAS};
    if (data[1] & 0x80 && isa_set_of(target.variant) == SET_FERMI)
        target.syntax = SYNTAX_ASFERMI;
    const size_t count = (size - 2) / 4;
    /* the exact size, so that ASan finds reads behind the end */
    uint32_t *words = malloc(count * 4);
    if (!words)
        return 0;
    memcpy(words, data + 2, count * 4);
    for (size_t i = 0; i < count; i++) {
        struct op op;
        char text[256];
        uint32_t again[2];
        isa_decode(target, words + i, count - i, (uint32_t)(4 * i), &op);
        if (op.words < 1 || op.words > 2 || op.words > count - i || op.code >= OPCODES)
            abort();
        if (op.code == OP_ILLEGAL && strcmp(decode_error_name(op.error), "UNKNOWN") == 0)
            abort();
        isa_print(target, &op, text, sizeof text);
        isa_print(target, &op, text, 3); /* a buffer that is too short */
        if (op.code != OP_ILLEGAL)
            isa_encode(target, &op, again);
    }
    free(words);
    return 0;
}
