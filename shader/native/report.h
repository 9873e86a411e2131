/* Tells tools about native code: `perf` through a map file (TESLAPIPE_PERF_MAP=1), gdb through its
 * interface for just-in-time compilers (TESLAPIPE_GDB=1), so that both name program and instruction.
 */
#ifndef SHADER_NATIVE_REPORT_H
#define SHADER_NATIVE_REPORT_H

#include "shader/native/code.h"

/* Does somebody want to know which code is which instruction's? */
bool report_wanted(void);
void report_made(struct native_code *code, const struct native_build *build);
void report_freed(struct native_code *code);

/* gdb.c: from an array of named pieces of memory to what gdb reads; false: out of memory. */
struct gdb_piece {
    uint32_t at, size; /* from code->memory */
    char name[64];
};
bool gdb_register(struct native_code *code, const struct gdb_piece *piece, uint32_t pieces);
void gdb_unregister(struct native_code *code);

#endif
