/* Tells tools about native code: see report.h. */
#include "shader/native/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void write_map(FILE *map, const struct native_code *code) {
    static const char *const versions[] = {"", ".divergent"};
    int32_t last = -1;
    uint32_t last_word = 0;
    int last_version = 0;
    for (int v = 0; v < CODE_VERSIONS; v++) {
        for (uint32_t i = 0; i < code->words; i++) {
            const int32_t at = code->entry[i][v];
            if (at == NOWHERE)
                continue;
            if (last >= 0 && at > last)
                fprintf(map, "%lx %x %s+0x%x%s\n", (unsigned long)(uintptr_t)(code->memory + last),
                        (unsigned)(at - last), code->program->name,
                        code->program->base + 4 * last_word, versions[last_version]);
            last = at;
            last_word = i;
            last_version = v;
        }
    }
    if (last >= 0)
        fprintf(map, "%lx %x %s+0x%x%s\n", (unsigned long)(uintptr_t)(code->memory + last),
                (unsigned)(code->size - (size_t)last), code->program->name,
                code->program->base + 4 * last_word, versions[last_version]);
}

/* With TESLAPIPE_NATIVE_DUMP=DIR, for those who work on the compiler: the bytes, for a disassembler. */
static void dump(const struct native_code *code) {
    static int number;
    const char *folder = getenv("TESLAPIPE_NATIVE_DUMP");
    char path[4096];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%d-%lx.bin", folder, __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED),
             (unsigned long)(uintptr_t)code->memory);
    FILE *out = fopen(path, "wb");
    if (!out)
        return;
    fwrite(code->memory, 1, code->size, out);
    fclose(out);
}

static void add_to_map(const struct native_code *code) {
    char path[64];
    if (!getenv("TESLAPIPE_PERF_MAP"))
        return;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    FILE *map = fopen(path, "a");
    if (!map)
        return;
    write_map(map, code);
    fclose(map);
}

void report_made(const struct native_code *code) {
    add_to_map(code);
    dump(code);
}

void report_freed(const struct native_code *code) {
    (void)code;
}
