/* Fuzz target: any code with any words ends in a named result of the macro processor, and its sends
 * stay inside of the method space. In: byte 0 number of words of code, then the code, then pairs of
 * a byte (start, parameter or upload) and a word. */
#include "fifo/macro.h"

#include <stdlib.h>
#include <string.h>

enum { SPACE = 0x4000, CALLS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t reg[SPACE / 4];

static void keep_word(void *self, uint32_t method, uint32_t word) {
    (void)self;
    if (method >= SPACE || method % 4)
        abort();
    reg[method / 4] = word;
}
static uint32_t read_word(void *self, uint32_t method) {
    (void)self;
    if (method >= SPACE || method % 4)
        abort();
    return reg[method / 4];
}

/* The method of a call: mostly the start or a parameter of one of the first macros. */
static uint32_t method_of(uint8_t kind) {
    static const uint32_t uploads[] = {MACRO_UPLOAD_POSITION, MACRO_UPLOAD_WORD, MACRO_NUMBER,
                                       MACRO_ENTRY};
    return kind < 0xf0 ? MACRO_START + kind % 32 * 4 : uploads[kind % 4];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct macro_port port = {.send = keep_word, .read = read_word};
    struct macro *m = calloc(1, sizeof *m);
    if (!m || size < 1) {
        free(m);
        return 0;
    }
    memset(reg, 0, sizeof reg);
    size_t at = 1;
    for (uint32_t i = 0; i < data[0] && at + 4 <= size; i++, at += 4)
        memcpy(&m->code[i], data + at, 4);
    for (int i = 0; i < CALLS && at + 5 <= size; i++, at += 5) {
        uint32_t word;
        memcpy(&word, data + at + 1, 4);
        enum macro_result result = MACRO_RESULTS;
        if (!macro_method(m, &port, method_of(data[at]), word, &result) || result >= MACRO_RESULTS)
            abort();
        if (m->state == MACRO_RUNNING || m->reg[0] || result == MACRO_NESTED)
            abort();
        if (result == MACRO_ENDLESS) /* one endless macro takes long enough */
            break;
    }
    free(m);
    return 0;
}
