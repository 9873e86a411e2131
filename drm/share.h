/* What processes that share a buffer object tell each other about it: a page behind its bytes in
 * the memfd. Work on the buffer is numbered by tickets, over all processes: whoever takes one may
 * touch the buffer when all before it are done, as a kernel's implicit fences order it. Used by the
 * node on both sides and by the window, which only looks. Everything is atomic or constant.
 */
#ifndef DRM_SHARE_H
#define DRM_SHARE_H

#include <stdatomic.h>
#include <stdint.h>

enum { SHARE_BYTES = 4096 };
/* The memfd's name, by which an importing process knows it: domain, tile_mode, tile_flags. */
#define SHARE_NAME "teslapipe-bo %x %x %x"

struct share {
    _Atomic uint64_t last;  /* ticket << 32 | process that took it */
    _Atomic uint32_t done;  /* every ticket up to this one */
    uint32_t chipset;       /* of the GPU the buffer was made on */
    _Atomic uint64_t draws; /* of the process that drew last, up to then */
};

static inline uint32_t share_ticket(uint64_t last) {
    return (uint32_t)(last >> 32);
}

/* Tickets wrap round. */
static inline int share_is_done(struct share *s, uint32_t ticket) {
    return (int32_t)(atomic_load(&s->done) - ticket) >= 0;
}

/* Takes a ticket; *before is the one that its work comes after. A process that was the last to take one, too, does
 * its work in order: it has waited for others before. */
static inline uint32_t share_take(struct share *s, uint32_t process, uint32_t *before) {
    uint64_t last = atomic_load(&s->last);
    uint32_t ticket;
    do
        ticket = share_ticket(last) + 1;
    while (!atomic_compare_exchange_weak(&s->last, &last, (uint64_t)ticket << 32 | process));
    *before = (uint32_t)last != process ? ticket - 1 : atomic_load(&s->done);
    return ticket;
}

/* The work of a ticket, and of all before it, is complete. Wakes who waits in share_wait. */
void share_done(struct share *s, uint32_t ticket);
/* Waits until a ticket is done. A process that died with work outstanding, or one that does not get
 * on for two seconds, is not waited for. */
void share_wait(struct share *s, uint32_t ticket);

#endif
