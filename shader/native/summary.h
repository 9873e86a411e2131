/* Tells tools about native code, so that they can name programs and instructions: `perf` by a map
 * file (TESLAPIPE_PERF_MAP=1), gdb by its interface for just-in-time compilers (TESLAPIPE_GDB=1).
 * Writes the code to files for disassemblers (TESLAPIPE_NATIVE_DUMP=DIR).
 */
#pragma once

#include "shader/native/machine_code.h"

/* True if a tool will ask which code belongs to which instruction. */
bool report_wanted(void);
void report_made(struct native_code *code, const struct native_build *build);
void report_freed(struct native_code *code);

/* gdb.c: registers symbols with gdb. False: out of memory. */
struct gdb_symbol {
    uint32_t at, size; /* from code->memory */
    char name[64];
};
bool gdb_register(struct native_code *code, const struct gdb_symbol *symbol, uint32_t symbols);
void gdb_unregister(struct native_code *code);
