/* Threads beside those of the program that uses this code. */
#pragma once

#include "base/fp_mode.h"

#include <pthread.h>
#include <signal.h>

/* Starts a thread on which the program's settings have no effect. The thread's floating-point mode
 * is plain, even if the program rounds up or traps exceptions. The thread takes no signals sent to
 * the process: the program may block a signal in its own threads and wait for the signal, or leave
 * a handler by a jump. Faults of the thread itself still reach the program's handlers. Returns 0 or
 * an error, as pthread_create(). */
static inline int thread_start(pthread_t *thread, void *(*run)(void *), void *self) {
#if defined(__wasm__) /* has no signals and no modes */
    return pthread_create(thread, NULL, run, self);
#else
    FP_PLAIN_BLOCK; /* a new thread has the mode of its maker */
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const int result = pthread_create(thread, NULL, run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
#endif
}
