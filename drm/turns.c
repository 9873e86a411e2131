/* Waiting for the work of other processes on a shared buffer: a futex on the last finished ticket
 * (drm/turns.h).
 */
#define _GNU_SOURCE
#include "drm/turns.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 20000000, WAITS = 100 };

void turns_done(struct turns *s, uint32_t ticket) {
    uint32_t done = atomic_load(&s->done);
    while ((int32_t)(ticket - done) > 0)
        if (atomic_compare_exchange_weak(&s->done, &done, ticket)) {
            syscall(SYS_futex, &s->done, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
            return;
        }
}

static bool is_dead(uint32_t process) {
    return kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

void turns_wait(struct turns *s, uint32_t ticket) {
    const struct timespec moment = {0, WAIT_NS};
    for (int i = 0; i < WAITS && !turns_is_done(s, ticket); i++) {
        const uint32_t done = atomic_load(&s->done);
        if ((int32_t)(done - ticket) >= 0)
            return;
        syscall(SYS_futex, &s->done, FUTEX_WAIT, done, &moment, NULL, 0);
        if (is_dead((uint32_t)atomic_load(&s->last)))
            break;
    }
    turns_done(s, ticket);
}
