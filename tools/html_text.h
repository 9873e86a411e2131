/* Text in an HTML page, for the report of a recording and the page of `teslapipe glsl`. */
#pragma once

#include <stdio.h>

/* Writes `length` bytes as HTML text that may also stand in a double-quoted attribute. Control
 * characters other than newlines and tabs become blanks. */
void html_put(FILE *out, const char *text, size_t length);
