/* Finds the set-up of a compute object that the driver did not submit. Mesa 22.3 writes the set-up
 * into the screen's pushbuffer, behind the last submission, and never submits it; later versions
 * submit it. In: the words behind the submission. Out: the number of words of the set-up. Knows
 * method headers and SET_OBJECT, not the methods of a class.
 */
#include "drm/unsent.h"

#include <stdbool.h>

enum { SUBCHANNEL = 7 << 13, METHOD = 0x1ffc };

static uint32_t data_words(uint32_t header) {
    return header >> 18 & 0x7ff;
}

/* True for a method header of this subchannel, incrementing or not. Unwritten memory is 0, which is
 * no header. */
static bool is_header(uint32_t word, uint32_t subchannel) {
    return (word & 0xa0030003) == 0 && (word & SUBCHANNEL) == subchannel && data_words(word);
}

uint32_t unsent_setup(const uint32_t *word, uint32_t count, uint32_t handle) {
    const uint32_t subchannel = count ? word[0] & SUBCHANNEL : 0;
    uint32_t at = 0;
    if (count < 2 || word[0] & METHOD || data_words(word[0]) != 1 || word[1] != handle)
        return 0;
    while (at < count && is_header(word[at], subchannel) && data_words(word[at]) < count - at)
        at += 1 + data_words(word[at]);
    return at;
}
