/* Text in an HTML page: the report of a recording and the page of `teslapipe glsl`. */
#ifndef TOOLS_HTML_TEXT_H
#define TOOLS_HTML_TEXT_H

#include <stdio.h>

/* Writes `length` bytes of text as HTML text, or as the value of an attribute in double quotes. Control characters
 * other than ends of lines and tabs become blanks. */
void html_put(FILE *out, const char *text, size_t length);

#endif
