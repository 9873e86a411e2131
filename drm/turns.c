/* Waiting for other processes at a shared buffer (drm/turns.h): for their work, by a futex on the
 * last finished ticket; and while they take tickets.
 */
#define _GNU_SOURCE
#include "drm/turns.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_NS = 20000000, WAITS = 100, ENTER_NS = 50000, ENTER_WAITS = 1000 };

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

/* A process takes its tickets in a short time, so turns_leave() wakes no process: a waiting process
 * looks again after ENTER_NS. */
void turns_enter(struct turns *s, uint32_t process) {
    const struct timespec moment = {0, ENTER_NS};
    for (int i = 0; i < ENTER_WAITS; i++) {
        uint32_t other = 0;
        if (atomic_compare_exchange_strong(&s->taker, &other, process))
            return;
        syscall(SYS_futex, &s->taker, FUTEX_WAIT, other, &moment, NULL, 0);
        if (is_dead(other) && atomic_compare_exchange_strong(&s->taker, &other, process))
            return;
    }
    atomic_store(&s->taker, process);
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
