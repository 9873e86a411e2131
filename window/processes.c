/* The processes of a window: Xwayland, the program, their children, and a guard that cleans up if
 * this process is killed. All processes that are started here have the folder's name in their
 * environment. A process that loses its parent becomes a child of this process. By these two marks
 * all of them are found at the end.
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
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct processes processes;

static const char marker[] = "TESLAPIPE_WINDOW";
/* Times for processes to end by themselves; long, because the machine may be busy. The X server is
 * asked to end after the other processes. */
enum { ASK_MS = 4000, ASK_X_MS = 1000, LOOK_MS = 10, MAX_FAMILY = 64 };
static int guard_pipe = -1;
static pid_t guard;
static unsigned long long guard_start;

/* The folder in which the window's folder is made. Its name must be short enough for sockets, and
 * absolute for programs that change their working directory. */
static const char *base_folder(void) {
    enum { MOST = sizeof processes.folder - sizeof "/teslapipe-XXXXXX" };
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    return runtime && *runtime == '/' && strlen(runtime) <= MOST && access(runtime, W_OK) == 0
               ? runtime
               : "/tmp";
}

static FILE *open_proc(pid_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return fopen(path, "re");
}

/* True if the process has the marker in its environment. False also if the user may not read the
 * environment. */
static bool is_marked(pid_t pid) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%s=%s", marker, processes.folder);
    FILE *f = open_proc(pid, "environ");
    char *variable = NULL;
    size_t size = 0;
    bool found = false;
    while (f && !found && getdelim(&variable, &size, 0, f) > 0)
        found = strcmp(variable, wanted) == 0;
    free(variable);
    if (f)
        fclose(f);
    return found;
}

/* Facts of a process from /proc. parent is 0 if the process does not exist. */
struct origin {
    char state; /* 'Z': the process is ending; its last threads may still need the CPU */
    int parent;
    unsigned long long start;
};

static struct origin origin_of(pid_t pid) {
    char line[512] = "";
    struct origin o = {0};
    FILE *f = open_proc(pid, "stat");
    if (f && fgets(line, sizeof line, f) &&
        strrchr(line, ')')) /* the name before the last ")" may contain any character */
        sscanf(strrchr(line, ')'),
               ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
               "%*d %*d %*d %*d %llu",
               &o.state, &o.parent, &o.start);
    if (f)
        fclose(f);
    return o;
}

/* True for a child of this process that was started after the guard, and for its descendants.
 * Children that this process had before its exec are older; they do not belong to the window. */
static bool is_descendant(pid_t pid) {
    for (int i = 0; i < MAX_FAMILY && pid > 1; i++) {
        const struct origin o = origin_of(pid);
        if (o.parent == getpid())
            return o.start > guard_start;
        pid = o.parent;
    }
    return false;
}

/* Sends a signal to all processes of the window except `but`. Returns how many of them are not yet
 * ending. */
static int signal_all(int number, pid_t but) {
    int count = 0;
    DIR *d = opendir("/proc");
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        const pid_t pid = (pid_t)atoi(e->d_name);
        if (pid <= 1 || pid == getpid() || pid == guard || pid == but ||
            !(is_marked(pid) || is_descendant(pid)))
            continue;
        kill(pid, number);
        count += origin_of(pid).state != 'Z';
    }
    if (d)
        closedir(d);
    return count;
}

static int remove_entry(const char *path, const struct stat *, int, struct FTW *) {
    remove(path);
    return 0;
}

/* Removes the folder with all files in it; programs use the folder as XDG_RUNTIME_DIR. Does not
 * follow links. */
static void remove_folder(void) {
    enum { OPEN_FOLDERS = 16 };
    nftw(processes.folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void pause_ms(int ms) {
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void reap_children(void) {
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

/* Asks all processes of the window except `but` to end, and waits at most `ms` milliseconds for
 * their end. */
static void ask_to_end(pid_t but, int ms, void (*serve)(int ms)) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    now = start;
    signal_all(SIGTERM, but);
    signal_all(SIGCONT, but); /* a stopped process cannot end */
    while (signal_all(0, but) &&
           (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < ms) {
        serve(LOOK_MS);
        reap_children();
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

/* True if a descendant of this process exists. A process that has ended exists until its parent has
 * waited for it. */
static bool has_family(void) {
    bool found = false;
    DIR *d = opendir("/proc");
    const struct dirent *e;
    while (d && !found && (e = readdir(d))) {
        const pid_t pid = (pid_t)atoi(e->d_name);
        found = pid > 1 && pid != getpid() && pid != guard && is_descendant(pid);
    }
    if (d)
        closedir(d);
    return found;
}

/* Waits until all descendants are gone, since the last threads of a killed process need a moment.
 * Processes left behind would become children of the caller or of init. */
static void wait_for_family(void) {
    enum { MOST_MS = 5000 };
    for (int ms = 0; has_family() && ms < MOST_MS; ms += LOOK_MS) {
        reap_children();
        pause_ms(LOOK_MS);
    }
    reap_children();
}

/* Ends all processes of the window and removes the folder. `serve` handles the processes' requests
 * meanwhile, because a process that waits for a display does not end. */
static void end_all(void (*serve)(int ms)) {
    if (processes.xwayland)
        ask_to_end(processes.xwayland, ASK_MS, serve);
    ask_to_end(0, processes.xwayland ? ASK_X_MS : ASK_MS, serve);
    while (signal_all(SIGKILL, 0)) {
        reap_children();
        pause_ms(LOOK_MS);
    }
    reap_children();
    remove_folder();
}

/* Starts the guard, which waits for the end of the pipe and then cleans up. The pipe closes when
 * this process ends. */
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
            end_all(pause_ms);
        _exit(0);
    }
    close(ends[0]);
    guard_pipe = ends[1];
    guard = pid;
    guard_start = origin_of(pid).start;
    return pid > 0;
}

bool processes_create(void) {
    snprintf(processes.folder, sizeof processes.folder, "%.*s/teslapipe-XXXXXX",
             (int)(sizeof processes.folder - sizeof "/teslapipe-XXXXXX"), base_folder());
    if (!mkdtemp(processes.folder))
        return false;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!start_guard())
        return false;
    /* Start times count ticks. Wait for the next tick, so that the window's processes are younger
     * than the guard. */
    pause_ms((int)(1000 / sysconf(_SC_CLK_TCK)) + 1);
    return true;
}

pid_t processes_start(char *const argv[], const char *const variables[], int errors) {
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (errors >= 0)
        dup2(errors, STDERR_FILENO);
    setenv(marker, processes.folder, 1);
    for (int i = 0; variables[i]; i++)
        putenv((char *)(uintptr_t)variables[i]);
    if (!getenv("XDG_RUNTIME_DIR"))
        setenv("XDG_RUNTIME_DIR", processes.folder, 1);
    execvp(argv[0], argv);
    fprintf(stderr, "teslapipe gl: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

void processes_end(void (*serve)(int ms)) {
    end_all(serve ? serve : pause_ms);
    wait_for_family();
    if (guard_pipe >= 0) {
        close(guard_pipe);
        while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
            ;
    }
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

/* True if a window accepts connections in this folder. */
static bool has_window(const char *folder) {
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
        if (length < 0 || (size_t)length >= sizeof path) /* names of windows' folders are shorter */
            continue;
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != getuid() ||
            st.st_mtime < newest || !has_window(path))
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
