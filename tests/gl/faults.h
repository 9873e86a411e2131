/* Makes one call of libc fail, once, anywhere in this process: the program's definitions take
 * precedence (-rdynamic). In: an operation. Out: a text with the operation's results when each of
 * the operation's calls fails in turn, and whether the operation left descriptors open or memory
 * mapped. */
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* volatile: functions that libc declares `leaf` call back here nevertheless */
static _Thread_local volatile struct {
    const char *name; /* NULL: no call fails */
    int after;        /* the number of calls of this name that succeed first */
} fault;

static bool must_fail(const char *name, int error) {
    if (!fault.name || strcmp(name, fault.name) != 0 || fault.after-- > 0)
        return false;
    fault.name = NULL;
    errno = error;
    return true;
}

#define FAULTY(type, name, parameters, arguments, failure, error)                                  \
    type name parameters {                                                                         \
        static type(*next) parameters;                                                             \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        return must_fail(#name, error) ? failure : next arguments;                                 \
    }
FAULTY(int, memfd_create, (const char *n, unsigned f), (n, f), -1, EMFILE)
FAULTY(int, ftruncate, (int fd, off_t n), (fd, n), -1, ENOSPC)
FAULTY(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), -1, ENOSPC)
FAULTY(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), -1, EIO)
FAULTY(off_t, lseek, (int fd, off_t at, int from), (fd, at, from), -1, EIO)
FAULTY(void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t from),
       (at, n, prot, flags, fd, from), MAP_FAILED, ENOMEM)
FAULTY(int, fstat, (int fd, struct stat *st), (fd, st), -1, EIO)
FAULTY(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
FAULTY(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, ENOMEM)
FAULTY(int, socketpair, (int d, int t, int p, int fds[2]), (d, t, p, fds), -1, EMFILE)
FAULTY(int, socket, (int d, int t, int p), (d, t, p), -1, EMFILE)
FAULTY(int, eventfd, (unsigned n, int flags), (n, flags), -1, EMFILE)
FAULTY(int, bind, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), -1, EACCES)
FAULTY(int, connect, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n), -1, ECONNREFUSED)
FAULTY(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *p),
       (t, a, f, p), EAGAIN, EAGAIN)

int fcntl(int fd, int command, ...) {
    static int (*next)(int, int, ...);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "fcntl");
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    return must_fail("fcntl", EMFILE) ? -1 : next(fd, command, argument);
}

static bool memory_fails(const char *name) {
    return must_fail(name, ENOMEM);
}

static const char *const faults[] = {"malloc", "calloc",  "realloc", "memfd_create",  "ftruncate",
                                     "pwrite", "write",   "lseek",   "mmap",          "fstat",
                                     "fopen",  "fdopen",  "fcntl",   "socketpair",    "bind",
                                     "socket", "connect", "eventfd", "pthread_create"};

/* The number of open descriptors in the low half, of mapped anonymous files in the high half. */
static uint64_t what_is_held(void) {
    uint64_t n = 0;
    char line[512];
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps))
        n += (uint64_t)(strstr(line, "/memfd:") != NULL) << 32;
    if (maps)
        fclose(maps);
    return n;
}

/* True if each failure of the operation leaves a block of the heap behind. A block that is kept for
 * reuse is left behind once only. */
static bool keeps_blocks(int (*operation)(void), const char *name, int after) {
    for (int i = 0; i < 100; i++) {
        const long before = heap_blocks;
        fault.after = after;
        fault.name = name;
        operation();
        fault.name = NULL;
        operation();
        if (heap_blocks <= before)
            return false;
    }
    return true;
}

/* The label of a check: the operation, the call that fails, and the rule. */
static const char *fault_rule(const char *operation, const char *call, const char *rule) {
    static char text[160];
    snprintf(text, sizeof text, "%s while %s fails: %s", operation, call, rule);
    return text;
}

/* The operation returns 0 or an error, and undoes its effects. `expected` lists the calls that the
 * operation makes, each with the operation's error if the call fails; consecutive equal entries
 * appear once. NULL: the operation may return any error of a node. */
static void try_faults(const char *what, int (*operation)(void), const char *expected) {
    char got[1024] = "", one[64], last[64] = "";
    heap_fails = memory_fails;
    gives(what, operation(), 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int after = 0; after < 40; after++) {
            const uint64_t before = what_is_held();
            fault.name = faults[i];
            fault.after = after;
            const int error = operation();
            const bool failed_once = !fault.name;
            fault.name = NULL;
            if (!failed_once)
                break;
            equal(fault_rule(what, faults[i], "descriptors and mappings are given back"),
                  what_is_held(), before);
            gives(fault_rule(what, faults[i], "the next call succeeds"), operation(), 0);
            verdict(fault_rule(what, faults[i], "blocks of the heap are given back"),
                    !keeps_blocks(operation, faults[i], after));
            if (!expected)
                verdict(fault_rule(what, faults[i], "the error is one of a node"),
                        !error || error == ENOMEM || error == ENODEV || error == EMFILE);
            snprintf(one, sizeof one, "%s %s", faults[i], error ? strerrorname_np(error) : "works");
            if (strcmp(one, last) != 0)
                snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", *got ? ", " : "",
                         one);
            strcpy(last, one);
        }
    for (int i = 0; expected && i < 80; i++) /* fills the caches of reusable memory */
        operation();
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; expected && i < 64; i++)
        operation();
    const size_t after = mallinfo2().uordblks; /* other threads also allocate now and then */
    verdict("successful calls give their memory back", !expected || after < before + 64 * 16);
    if (expected && after >= before + 64 * 16)
        printf("    %s: %zu bytes\n", what, after - before);
    const bool right = !expected || strcmp(got, expected) == 0;
    verdict(fault_rule(what, "each call", "the errors are those expected"), right);
    if (!right)
        printf("    \"%s\", expected\n    \"%s\"\n", got, expected);
}
