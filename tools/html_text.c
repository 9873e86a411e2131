/* Text in an HTML page: see html_text.h. */
#include "tools/html_text.h"

void html_put(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\n':
        case '\t':
            putc(text[i], out);
            break;
        default:
            putc((unsigned char)text[i] < 0x20 ? ' ' : text[i], out);
        }
}
