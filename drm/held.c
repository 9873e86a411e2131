/* The set of held descriptors (held.h): a bit for each number. Numbers above the limit are not
 * kept.
 */
#include "drm/held.h"

#include <stdatomic.h>
#include <unistd.h>

enum { NUMBERS = 16384 };
static atomic_uint held[NUMBERS / 32];

int held_mark(int fd) {
    if ((unsigned)fd < NUMBERS)
        atomic_fetch_or(&held[fd / 32], 1u << fd % 32);
    return fd;
}

void held_close(int fd) {
    if (fd < 0)
        return;
    if (fd < NUMBERS)
        atomic_fetch_and(&held[fd / 32], ~(1u << fd % 32));
    close(fd);
}

bool is_held(int fd) {
    return (unsigned)fd < NUMBERS &&
           atomic_load_explicit(&held[fd / 32], memory_order_relaxed) >> fd % 32 & 1;
}
