/* Text by a format, for functions with arguments like those of printf(). */
#pragma once

#include <stdarg.h>
#include <stdio.h>

/* Writes to the array `text`. format: the last named parameter of the function. */
#define FORMAT_TEXT(text, format)                                                                  \
    do {                                                                                           \
        va_list format_args;                                                                       \
        va_start(format_args, format);                                                             \
        vsnprintf(text, sizeof(text), format, format_args);                                        \
        va_end(format_args);                                                                       \
    } while (0)
