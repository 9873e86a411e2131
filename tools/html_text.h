/* Text in an HTML page, for reports in HTML and JUnit's XML. */
#pragma once

#include <stdio.h>

/* Writes `length` bytes as HTML text that may also stand in a double-quoted attribute. Control
 * characters other than newlines and tabs become blanks, and bytes that are not UTF-8 become question
 * marks, because XML knows neither. */
void html_put(FILE *out, const char *text, size_t length);
