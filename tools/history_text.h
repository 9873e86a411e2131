/* The history of a pixel in words, for terminals and for programs. */
#ifndef TOOLS_HISTORY_TEXT_H
#define TOOLS_HISTORY_TEXT_H

#include "pipeline/debug/history.h"

#include <stdio.h>

/* Prints an entry: one line, and further lines about tests and colours. inputs: also vertices and
 * interpolated inputs. */
void history_print(FILE *out, const struct history *h, const struct history_entry *e, bool inputs);
/* Prints the first line only. */
void history_print_line(FILE *out, const struct history *h, const struct history_entry *e);
/* Prints an entry as a JSON object. */
void history_json(FILE *out, const struct history *h, const struct history_entry *e);
/* Prints a line without newline that names the cause of the colour; it contains no quotes. */
void history_cause(FILE *out, const struct history *h, const struct history_entry *const *e,
                   size_t count);
/* (r, g, b, a) of a format's components, as format_decode gives them. */
void print_color(FILE *out, const uint32_t word[4], enum pixel_format format);

#endif
