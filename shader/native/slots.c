/* Build tool: writes a C file with the table that finds an operation's stencil by the key of its
 * shape. Out: the file that the argument names. Two shapes with the same key fail the build.
 */
#include "shader/native/keys.h"

#include <stdio.h>
#include <stdlib.h>

static struct shape_slot slots[SHAPE_SLOTS];

static void add(struct op op, uint64_t beside, enum stencil_id id) {
    const uint64_t key = shape_key(&op) | beside;
    struct shape_slot *s = &slots[shape_slot_of(slots, key)];
    if (s->id != ST_NONE) {
        fprintf(stderr, "stencils %u and %u have the same key\n", s->id, id);
        exit(1);
    }
    *s = (struct shape_slot){key, (uint16_t)id};
}

static void fill(void) {
#define X(name, handler, ...) add((struct op){.cdst = NO_FLAGS_DST, __VA_ARGS__}, 0, ST_##name);
    SHAPE_LIST(X)
    SHAPE_TABLE_LIST(X)
    SHAPE_FAST_LIST(X)
    SHAPE_FAST_TABLE_LIST(X)
#undef X
#define X(name, handler, ...)                                                                      \
    add((struct op){.cdst = NO_FLAGS_DST, __VA_ARGS__}, SHAPE_ZERO, ST_##name);
    SHAPE_ZERO_LIST(X)
    SHAPE_FAST_ZERO_LIST(X)
#undef X
#define X(name, handler, ...) add((struct op){__VA_ARGS__}, 0, ST_##name);
    SHAPE_FLAGS_LIST(X)
#undef X
#define X(name, handler, ...)                                                                      \
    add((struct op){.cdst = NO_FLAGS_DST, __VA_ARGS__}, SHAPE_FERMI, ST_##name);
    SHAPE_FERMI_LIST(X)
    SHAPE_FERMI_CVT_LIST(X)
    SHAPE_FTZ_LIST(X)
    SHAPE_FTZ_CVT_LIST(X)
#undef X
#define X(name, handler, ...) add((struct op){__VA_ARGS__}, SHAPE_FERMI, ST_##name);
    SHAPE_FERMI_FLAGS_LIST(X)
#undef X
}

int main(int argc, char **argv) {
    FILE *out = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: slots FILE\n");
        return 1;
    }
    fill();
    fprintf(out, "#include \"shader/native/keys.h\"\n"
                 "const struct shape_slot shape_slots[SHAPE_SLOTS] = {\n");
    for (int i = 0; i < SHAPE_SLOTS; i++)
        if (slots[i].id != ST_NONE)
            fprintf(out, "[%d] = {0x%llxu, %u},\n", i, (unsigned long long)slots[i].key,
                    slots[i].id);
    fprintf(out, "};\n");
    return fclose(out) != 0;
}
