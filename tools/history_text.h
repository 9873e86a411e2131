/* The history of a pixel as text for people and as JSON. */
#pragma once

#include "pipeline/debug/history.h"

#include <stdio.h>

/* Prints an entry: one line, and more lines about tests and colours. If `inputs` is true, also
 * prints vertices and interpolated inputs. */
void history_print(FILE *out, const struct history *h, const struct history_entry *e, bool inputs);
/* Prints an entry as a JSON object. */
void history_json(FILE *out, const struct history *h, const struct history_entry *e);
/* Prints the cause of the colour as one line, without newline and without double quotes. */
void history_cause(FILE *out, const struct history *h, const struct history_entry *const *e,
                   size_t count);
/* Returns the entry that decided the colour; NULL: none. */
const struct history_entry *history_decided(const struct history_entry *const *e, size_t count);
/* Prints "an image store of launch 1 after draw 0 (cp, cp@7f000, thread 3,2,0 of block 0,1,0) at
 * 0x0000a0". */
void stored_print(FILE *out, const struct stored *s);
/* Prints the options of `teslapipe debug` that stop at the thread: "--pixel 10,12 --draw 1". */
void stored_debug_print(FILE *out, const struct stored *s);
/* Prints the store as members of a JSON object, with the bytes. */
void stored_json(FILE *out, const struct stored *s);
/* Prints bytes as words of four bytes; the last word may be shorter. */
void stored_bytes_print(FILE *out, const uint8_t *bytes, uint32_t size);
/* Prints (r, g, b, a) with the components of a format as format_decode() gives them. */
void print_color(FILE *out, const uint32_t word[4], enum pixel_format format);
