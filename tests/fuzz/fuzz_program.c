/* Fuzz target: any text of a program file loads or gives a message. In: byte 0 variant, byte 1
 * program type, then the text. */
#include "shader/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    char *text = malloc(size - 1);
    if (!text)
        return 0;
    memcpy(text, data + 2, size - 2);
    struct program_error error = {{0}};
    struct program *p = program_from_text(data[1] % PROGRAM_TYPES, data[0] % ISA_VARIANTS, text,
                                          size - 2, "fuzz", &error);
    if (!p && error.text[0] == '\0')
        abort();
    program_unref(p);
    free(text);
    return 0;
}
