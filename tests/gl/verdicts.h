/* Verdicts of the test programs in tests/gl: counts of passes and failures, names of failures, and
 * the last line, from which a script takes the counts. A program prints no other line that begins
 * with FAIL. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;

static inline void verdict(const char *what, bool right) {
    *(right ? &passed : &failed) += 1;
    if (!right)
        printf("FAIL %s\n", what);
}

static inline void equal(const char *what, uint64_t got, uint64_t want) {
    verdict(what, got == want);
    if (got != want)
        printf("    %llx, expected %llx\n", (unsigned long long)got, (unsigned long long)want);
}

/* Compares the result of a call, which is a number, or 0 or an error. */
static inline void gives(const char *what, int got, int want) {
    equal(what, (uint64_t)got, (uint64_t)want);
}

/* The error of a call that returns a descriptor, 0 or -1. 0: no error. 9999: the call returned
 * another value. */
static inline int error_of(int result) {
    return result >= 0 ? 0 : result == -1 ? errno : 9999;
}

/* Waits for a child, which succeeds if it ends with code 0. */
static inline void child_ends(const char *what, pid_t pid) {
    int status = -1;
    verdict(what, waitpid(pid, &status, 0) == pid && status == 0);
}

/* Calls a function while descriptor 0 is closed: the first open in it then gets the valid
 * descriptor 0. */
static inline void without_input(void (*something)(void)) {
    const int input = fcntl(0, F_DUPFD, 200);
    close(0);
    something();
    dup2(input, 0);
    close(input);
}

/* Prints the program's last line; returns its exit code. */
static inline int summary(void) {
#ifdef NEXT_LOCK
    equal("only the owner of a lock unlocks it or waits with it", lock_faults, 0);
    verdict("few waits begin after their time limit", late_waits <= 20 + timed_waits / 2);
#endif
#ifdef HEAP_H
    equal("no block of memory is written behind its end", heap_faults, 0);
#endif
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
