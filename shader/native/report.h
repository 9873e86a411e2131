/* Tells tools about native code: `perf` through a map file (TESLAPIPE_PERF_MAP=1), gdb through its
 * interface for just-in-time compilers, so that both name program and instruction.
 */
#ifndef SHADER_NATIVE_REPORT_H
#define SHADER_NATIVE_REPORT_H

#include "shader/native/code.h"

void report_made(const struct native_code *code);
void report_freed(const struct native_code *code);

#endif
