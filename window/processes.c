/* The processes of a window: Xwayland, the program, what these start, and a guard that cleans up if
 * this process is killed. Everything started here carries the folder's name in its environment: by
 * that it is found in the end, wherever it went.
 */
#define _GNU_SOURCE
#include "window/window.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct processes processes;

static const char marker[] = "TESLAPIPE_WINDOW";
enum { ASK_MS = 4000, LOOK_MS = 10 }; /* a busy machine's programs want to tidy up, too */
static int guard_pipe = -1;

static const char *base_folder(void) {
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    return runtime && *runtime && access(runtime, W_OK) == 0 ? runtime : "/tmp";
}

/* Does a process carry the marker? Reads only what the user may read. */
static bool is_ours(const char *pid) {
    char path[64], text[65536];
    char wanted[128];
    const int length =
        snprintf(wanted, sizeof wanted, "%s=%s", marker, processes.folder) + 1; /* with its end */
    snprintf(path, sizeof path, "/proc/%.16s/environ", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : -1;
    if (fd >= 0)
        close(fd);
    return n > 0 && memmem(text, (size_t)n, wanted, (size_t)length) != NULL;
}

/* Sends a signal to all of ours; how many there were. */
static int signal_all(int number) {
    int count = 0;
    DIR *d = opendir("/proc");
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        const pid_t pid = (pid_t)atoi(e->d_name);
        if (pid <= 1 || pid == getpid() || !is_ours(e->d_name))
            continue;
        kill(pid, number);
        count++;
    }
    if (d)
        closedir(d);
    return count;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind, (void)where;
    remove(path);
    return 0;
}

/* With what programs put into it, where it is their XDG_RUNTIME_DIR: links are not followed. */
static void remove_folder(void) {
    enum { OPEN_FOLDERS = 16 };
    nftw(processes.folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void pause_ms(long ms) {
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void end_all(void) {
    signal_all(SIGTERM);
    for (int waited = 0; signal_all(0) && waited < ASK_MS; waited += LOOK_MS) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        pause_ms(LOOK_MS);
    }
    while (signal_all(SIGKILL)) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        pause_ms(LOOK_MS);
    }
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    remove_folder();
}

/* Outlives this process by a moment: the pipe ends when this process does. */
static bool start_guard(void) {
    int ends[2];
    char byte;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const pid_t pid = fork();
    if (pid == 0) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        setsid();
        close(ends[1]);
        while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
            ;
        if (access(processes.folder, F_OK) == 0)
            end_all();
        _exit(0);
    }
    close(ends[0]);
    guard_pipe = ends[1];
    return pid > 0;
}

bool processes_create(void) {
    snprintf(processes.folder, sizeof processes.folder, "%.40s/teslapipe-XXXXXX", base_folder());
    if (!mkdtemp(processes.folder))
        return false;
    return start_guard();
}

pid_t processes_start(char *const argv[], const char *const variables[]) {
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setenv(marker, processes.folder, 1);
    for (int i = 0; variables[i]; i++)
        putenv((char *)(uintptr_t)variables[i]);
    if (!getenv("XDG_RUNTIME_DIR"))
        setenv("XDG_RUNTIME_DIR", processes.folder, 1);
    execvp(argv[0], argv);
    fprintf(stderr, "teslapipe gl: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

void processes_end(void) {
    end_all();
    if (guard_pipe >= 0)
        close(guard_pipe);
    guard_pipe = -1;
}

static bool address_of(const char *folder, const char *name, struct sockaddr_un *a) {
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    return (size_t)snprintf(a->sun_path, sizeof a->sun_path, "%s/%s", folder, name) <
           sizeof a->sun_path;
}

int processes_listen(const char *name, int type) {
    struct sockaddr_un a;
    const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd >= 0 && address_of(processes.folder, name, &a) &&
        bind(fd, (const struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool answers(const char *folder) {
    struct sockaddr_un a;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool yes = fd >= 0 && address_of(folder, "wayland", &a) &&
                     connect(fd, (const struct sockaddr *)&a, sizeof a) == 0;
    if (fd >= 0)
        close(fd);
    return yes;
}

bool processes_find(char *folder, size_t size) {
    time_t newest = 0;
    DIR *d = opendir(base_folder());
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        char path[256];
        struct stat st;
        if (strncmp(e->d_name, "teslapipe-", 10) != 0)
            continue;
        const int length = snprintf(path, sizeof path, "%s/%s", base_folder(), e->d_name);
        if (length < 0 || (size_t)length >= sizeof path) /* not one of ours */
            continue;
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != getuid() ||
            st.st_mtime < newest || !answers(path))
            continue;
        newest = st.st_mtime;
        snprintf(folder, size, "%s", path);
    }
    if (d)
        closedir(d);
    return newest != 0;
}

bool processes_have(const char *name) {
    const char *path = getenv("PATH");
    while (path && *path) {
        char file[PATH_MAX];
        const int length = (int)strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", length, path, name);
        if (access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}
