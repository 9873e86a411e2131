/* Turns of processes at a buffer object that they share, kept in a page behind the buffer's bytes
 * in the memfd. Tickets number the work on the buffer over all processes. The holder of a ticket
 * may use the buffer when all tickets before it are done, as with a kernel's implicit fences. The
 * render nodes of all processes write the page. The window writes `handed` only. All fields are
 * atomic or constant.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { TURNS_BYTES = 4096 };
/* The name of a shared buffer's memfd. An importing process reads domain, tile_mode and tile_flags
 * from the name. */
#define SHARED_NAME "teslapipe-bo %x %x %x"

struct turns {
    _Atomic uint64_t last;  /* the last ticket << 32 | process that took it */
    _Atomic uint32_t done;  /* all tickets up to this number are done */
    uint32_t chipset;       /* of the GPU that made the buffer */
    _Atomic uint64_t draws; /* channel_draws of the process that drew last */
    /* Counts how often the buffer changes hands: at a ticket of another process than the ticket
     * before, and when the window system gets the buffer as a picture. If the count has changed
     * since a process's last ticket, the process has given the buffer away, so its drawing there
     * was a frame. */
    _Atomic uint32_t handed;
    _Atomic uint32_t taker; /* the process that takes tickets here (turns_enter); 0: none */
};

static inline uint32_t turns_ticket(uint64_t last) {
    return (uint32_t)(last >> 32);
}

/* Ticket numbers wrap round, hence the signed difference. */
static inline int turns_is_done(struct turns *s, uint32_t ticket) {
    return (int32_t)(atomic_load(&s->done) - ticket) >= 0;
}

/* Takes a ticket. The work under this ticket must wait for ticket *before. If the process itself
 * took the last ticket, there is no need to wait, since a process does its work in order: *before
 * is then a ticket that is done. */
static inline uint32_t turns_take(struct turns *s, uint32_t process, uint32_t *before) {
    uint64_t last = atomic_load(&s->last);
    uint32_t ticket;
    do
        ticket = turns_ticket(last) + 1;
    while (!atomic_compare_exchange_weak(&s->last, &last, (uint64_t)ticket << 32 | process));
    if ((uint32_t)last != process)
        atomic_fetch_add(&s->handed, 1);
    *before = (uint32_t)last != process ? ticket - 1 : atomic_load(&s->done);
    return ticket;
}

/* True if this ticket of this process is still the last one and the buffer has not changed hands
 * since `handed` was read. */
static inline bool turns_holds(struct turns *s, uint32_t ticket, uint32_t process,
                               uint32_t handed) {
    return atomic_load(&s->last) == ((uint64_t)ticket << 32 | process) &&
           atomic_load(&s->handed) == handed;
}

/* Keeps other processes from taking tickets until turns_leave(). A process enters all buffers of a
 * submission before its first ticket, in an order that all processes use, and leaves them after its
 * last ticket. Otherwise two processes might each be first at one of two buffers, and wait for each
 * other. A process that died in between, or that has not left after some 50 ms, no longer
 * keeps the others out. */
void turns_enter(struct turns *s, uint32_t process);
static inline void turns_leave(struct turns *s, uint32_t process) {
    atomic_compare_exchange_strong(&s->taker, &process, 0);
}

/* Marks a ticket and all tickets before it as done. Wakes the processes in turns_wait. */
void turns_done(struct turns *s, uint32_t ticket);
/* Waits until a ticket is done. Gives up after about two seconds, or when the process that took the
 * last ticket has died; the ticket then counts as done. */
void turns_wait(struct turns *s, uint32_t ticket);
