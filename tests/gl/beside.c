/* A program that draws nothing, run with the preloaded library: the resources that the library
 * takes from it, and the library's messages if the system refuses a request. For
 * tests/gl/beside.sh.
 * usage: beside stacks|dumps|no-memfd|no-sysfs|no-exec
 *        beside no-exec PROGRAM ARGUMENT...     runs the program without executable memory */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "verdicts.h"

static int open_node(void) {
    return open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
}

static void *nothing(void *self) {
    return self;
}

/* Threads with the smallest stacks can start, although thread-local storage is taken from their
 * stacks. */
static void stacks(void) {
    static const size_t sizes[] = {16384, 32768, 65536, 131072};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        verdict("the size of a stack can be set",
                pthread_attr_setstacksize(&attributes, sizes[i]) == 0);
        const int error = pthread_create(&thread, &attributes, nothing, NULL);
        verdict("a thread with a small stack starts", error == 0);
        if (!error)
            pthread_join(thread, NULL);
    }
}

/* A core dump leaves out all large mappings. */
static void dumps(void) {
    const int node = open_node();
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[512];
    unsigned long kib = 0, large = 0, dumped = 0;
    verdict("the node opens", node >= 0);
    while (maps && fgets(line, sizeof line, maps)) {
        sscanf(line, "Size: %lu", &kib);
        if (strncmp(line, "VmFlags:", 8) == 0 && kib > 16 << 10) {
            large++;
            dumped += !strstr(line, " dd");
        }
    }
    verdict("GPU memory is mapped", large >= 1);
    verdict("no large mapping is dumped", dumped == 0);
    if (maps)
        fclose(maps);
}

/* From now on the system call `number` fails with EPERM. If protection is not 0, the call fails
 * only if its third argument has this bit. */
static int refuse(unsigned number, unsigned protection) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, protection ? protection : 0xffffffff, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    if (!protection) /* any argument */
        filter[3] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 0, 0, 0);
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program);
}

static void no_memfd(void) {
    verdict("install a filter that refuses memfd_create", !refuse(SYS_memfd_create, 0));
    for (int i = 0; i < 2; i++) {
        errno = 0;
        verdict("the node does not open without memfd_create, with that call's error",
                open_node() < 0 && errno == EPERM);
    }
}

/* Drivers read sysfs first, and do not open the node if that fails. */
static void no_sysfs(void) {
    verdict("install a filter that refuses memfd_create", !refuse(SYS_memfd_create, 0));
    verdict("a file of sysfs does not open without memfd_create",
            open("/sys/dev/char/226:128/device/uevent", O_RDONLY | O_CLOEXEC) < 0);
}

static bool refuse_exec(void) {
    return refuse(SYS_mprotect, PROT_EXEC) == 0;
}

static void no_exec(void) {
    verdict("install a filter that refuses executable memory", refuse_exec());
    verdict("the node opens without executable memory", open_node() >= 0);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"stacks", stacks},
                 {"dumps", dumps},
                 {"no-memfd", no_memfd},
                 {"no-sysfs", no_sysfs},
                 {"no-exec", no_exec}};
    if (argc > 2 && strcmp(argv[1], "no-exec") == 0 && refuse_exec())
        execv(argv[2], argv + 2);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (argc == 2 && strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    return summary();
}
