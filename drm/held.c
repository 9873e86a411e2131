/* The set of held descriptors (held.h): a bit for each number. Numbers above the limit are not
 * kept.
 */
#include "drm/held.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

enum { NUMBERS = 16384 };
static atomic_uint held[NUMBERS / 32];

int held_mark(int fd) {
    if ((unsigned)fd < NUMBERS)
        atomic_fetch_or(&held[fd / 32], 1u << fd % 32);
    return fd;
}

int held_move(int fd) {
    const int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HELD_FIRST);
    if (high < 0) /* the process may be limited to lower numbers */
        return held_mark(fd);
    close(fd);
    return held_mark(high);
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
