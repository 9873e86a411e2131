/* Fuzz target: any text assembles or gives a message, and the disassembly of its words gives the
 * words again. In: byte 0 variant, byte 1 program type (top bit: asfermi's syntax), then the text,
 * which is not terminated. */
#include "shader/isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(struct isa_target target, const struct asm_result *r) {
    enum { MOST = 10000 }; /* a short text can give many words */
    struct asm_result again;
    char message[256] = "";
    size_t length;
    char *text = r->count > MOST
                     ? NULL
                     : isa_disassemble(target, r->words, r->count, r->base, ISA_SOURCE, &length);
    if (!text)
        return;
    if (isa_assemble(target, text, length, "again", NULL, &again, message, sizeof message) ||
        again.count != r->count || memcmp(again.words, r->words, r->count * 4) != 0) {
        fprintf(stderr, "%s\n%s", message, text);
        abort();
    }
    asm_result_free(&again);
    free(text);
}

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
    if (isa_assemble(target, text, size - 2, "fuzz", NULL, &result, message, sizeof message) == 0) {
        round_trip(target, &result);
        asm_result_free(&result);
    } else if (message[0] == '\0') {
        abort(); /* a failure must have a message */
    }
    free(text);
    return 0;
}
