/* A draw's state as named lines of text, for the debugger and for reports. */
#pragma once

#include "pipeline/context.h"

/* Called for each line: a group ("zeta"), a name ("depth test"), a value ("less"). */
typedef void state_line_fn(void *self, const char *group, const char *name, const char *value);

/* Lists programs, vertices, targets, raster, zeta and colour; of features, those that are on. */
void state_text(const struct state *s, state_line_fn *line, void *self);
/* Lists the targets only. */
void state_targets_text(const struct state *s, state_line_fn *line, void *self);
/* Lists the bound textures: slot, dimensions, size, layers, levels, format. Descriptors are read
 * from memory. */
void state_textures_text(const struct state *s, struct gpu_memory *memory, state_line_fn *line,
                         void *self);
/* Reads the eight words of the descriptor that a binding names. False if the binding or the table
 * has no such descriptor. */
bool state_descriptor(const struct descriptor_binding *b, const struct descriptor_table *t,
                      struct gpu_memory *memory, uint32_t word[8]);
/* The names of the state's functions, factors, equations and logic operations: "less", "src alpha",
 * "add". */
const char *func_name(unsigned func);
const char *factor_name(unsigned factor);
const char *equation_name(unsigned equation);
const char *logic_op_name(unsigned op);
