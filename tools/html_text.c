/* Text in an HTML page: see html_text.h. */
#include "tools/html_text.h"

#include <string.h>

void html_put(FILE *out, const char *text, size_t length) {
    static const char special[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (const char *c = text; c < text + length; c++) {
        const char *const found = *c ? strchr(special, *c) : NULL;
        if (found)
            fputs(names[found - special], out);
        else
            putc((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t' ? ' ' : *c, out);
    }
}
