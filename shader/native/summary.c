/* Tells tools about native code: see summary.h. */
#include "shader/native/summary.h"

#include "shader/native/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_set(const char *name) {
    return getenv(name) != NULL;
}

bool report_wanted(void) {
    return is_set("TESLAPIPE_PERF_MAP") || is_set("TESLAPIPE_GDB");
}

static const char *const routine_names[STENCILS] = {[ST_fmad] = "fmad",
#define X(name) [ST_##name] = #name,
                                                    ROUTINE_LIST(X) CONTROL_ROUTINE_LIST(X)
#undef X
#define X(name) [ST_##name##_bytes] = #name,
                                                        BYTES_LIST(X)
#undef X
};

/* Names a symbol by program, address and operation: fp@7f9c0+0x7ff90_fmad, with .divergent
 * in code for divergent warps. */
static void name_symbol(const struct native_code *code, uint32_t tag, char *name, size_t size) {
    const struct program *p = code->program;
    const uint32_t word = tag / 2;
    const char *slash = strrchr(p->name, '/'), *label = slash ? slash + 1 : p->name;
    if (tag >= TAG_ROUTINES && tag != TAG_WAYS)
        snprintf(name, size, "%.30s_%s.routine", label, routine_names[tag - TAG_ROUTINES]);
    else if (tag == TAG_WAYS || word >= p->word_count)
        snprintf(name, size, "%.30s", label);
    else
        snprintf(name, size, "%.30s+0x%x_%s%s", label, program_address(p, word),
                 opcode_name(p->ops[word].code), tag & 1 ? ".divergent" : "");
}

/* The symbols of the code, malloc'd, or NULL. *symbols: their number. */
static struct gdb_symbol *symbols_of(const struct native_code *code,
                                     const struct native_build *build, uint32_t *symbols) {
    struct gdb_symbol *symbol = malloc((build->marks + 1ull) * sizeof *symbol);
    *symbols = 0;
    for (uint32_t i = 0; symbol && i < build->marks; i++) {
        const uint32_t at = build->mark[i].at;
        const uint32_t end = i + 1 < build->marks ? build->mark[i + 1].at : (uint32_t)code->size;
        if (end <= at)
            continue;
        struct gdb_symbol *g = &symbol[(*symbols)++];
        g->at = at;
        g->size = end - at;
        name_symbol(code, build->mark[i].tag, g->name, sizeof g->name);
    }
    return symbol;
}

/* TESLAPIPE_NATIVE_DUMP=DIR writes the code's bytes to a file, for a disassembler. */
static void dump(const struct native_code *code) {
    static int number;
    const char *folder = getenv("TESLAPIPE_NATIVE_DUMP");
    char path[4096];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%d-%lx.bin", folder,
             __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED),
             (unsigned long)(uintptr_t)code->memory);
    FILE *out = fopen(path, "wb");
    if (!out)
        return;
    fwrite(code->memory, 1, code->size, out);
    fclose(out);
}

static void add_to_map(const struct native_code *code, const struct gdb_symbol *symbol,
                       uint32_t symbols) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    FILE *map = fopen(path, "a");
    if (!map)
        return;
    for (uint32_t i = 0; i < symbols; i++)
        fprintf(map, "%lx %x %s\n", (unsigned long)(uintptr_t)(code->memory + symbol[i].at),
                (unsigned)symbol[i].size, symbol[i].name);
    fclose(map);
}

void report_made(struct native_code *code, const struct native_build *build) {
    dump(code);
    if (!report_wanted())
        return;
    uint32_t symbols;
    struct gdb_symbol *symbol = symbols_of(code, build, &symbols);
    if (!symbol)
        return;
    if (is_set("TESLAPIPE_PERF_MAP"))
        add_to_map(code, symbol, symbols);
    if (is_set("TESLAPIPE_GDB"))
        gdb_register(code, symbol, symbols);
    free(symbol);
}

void report_freed(struct native_code *code) {
    gdb_unregister(code);
}
