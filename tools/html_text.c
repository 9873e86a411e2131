/* Text in an HTML page: see html_text.h. */
#include "tools/html_text.h"

#include <stdbool.h>
#include <string.h>

/* Returns the length of the character at c in bytes; 0: no UTF-8, or no character that XML allows.
 * room: the number of bytes from c to the end of the text. */
static size_t character_bytes(const char *c, size_t room) {
    const unsigned char *const b = (const unsigned char *)c;
    const size_t length = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
    if (length > room || b[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((b[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xf0 && b[1] < 0x90),
               beyond = (b[0] == 0xed && b[1] >= 0xa0) || (b[0] == 0xf4 && b[1] >= 0x90),
               none = b[0] == 0xef && b[1] == 0xbf && b[2] >= 0xbe; /* U+FFFE, U+FFFF */
    return overlong || beyond || none ? 0 : length;
}

void html_put(FILE *out, const char *text, size_t length) {
    static const char special[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (const char *c = text; c < text + length; c++) {
        const char *const found = *c ? strchr(special, *c) : NULL;
        const size_t bytes = character_bytes(c, length - (size_t)(c - text));
        if (found)
            fputs(names[found - special], out);
        else if (bytes > 1)
            fwrite(c, 1, bytes, out);
        else
            putc(!bytes                                                 ? '?'
                 : (unsigned char)*c < 0x20 && *c != '\n' && *c != '\t' ? ' '
                                                                        : *c,
                 out);
        c += bytes > 1 ? bytes - 1 : 0;
    }
}
