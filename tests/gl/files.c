/* The system's view of the GPU: nodes, links, directories and files as tables; descriptors that are
 * copied, replaced and inherited; other files stay unchanged. With a display also its input
 * devices, udev's database, and walks through descriptors.
 * usage: files GL_RENDERER [display] (the program starts itself as: inherited FD) */
#define _GNU_SOURCE
#include "verdicts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define PCI "/sys/devices/pci0000:00"
#define DEVICE PCI "/0000:01:00.0"
#define INPUT "/sys/devices/virtual/input"
#define CARD "/sys/devices/pci0000:00/0000:01:00.0/drm/card0"
#define RENDER "/sys/devices/pci0000:00/0000:01:00.0/drm/renderD128"

static void verdict_of(const char *what, const char *of, bool right) {
    char text[512];
    snprintf(text, sizeof text, "%s: %s (errno %d)", of, what, errno);
    verdict(text, right);
}

/* The PCI id of a chipset, as in pci.ids. */
static unsigned pci_id(unsigned chipset) {
    static const unsigned ids[][2] = {
        {0xa3, 0x0ca3}, {0xa5, 0x0a20}, {0xa8, 0x0a65}, {0xaf, 0x08a0}, {0x50, 0x0191},
        {0x84, 0x0400}, {0x86, 0x0422}, {0x92, 0x0611}, {0x94, 0x0622}, {0x96, 0x0640},
        {0x98, 0x06e4}, {0xa0, 0x05e1}, {0xaa, 0x0848}, {0xac, 0x0861}};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i][0] == chipset)
            return ids[i][1];
    return 0;
}

/* ---- tables ---- */

enum { NODE, TEXT, LINK, FOLDER };
struct row {
    int kind;
    const char *path;
    const char *text;   /* of a file (%1$04x is the PCI id), of a link, or the names in a folder */
    const char *target; /* of a link: the final target */
    unsigned major, minor;
};

static const struct row rows[] = {
    {NODE, "/dev/dri/renderD128", "", NULL, 226, 128},
    {NODE, "/dev/dri/card0", "", NULL, 226, 0},
    {FOLDER, "/dev/dri", "card0 renderD128", NULL, 0, 0},
    {FOLDER, "/sys/class/drm", "card0 renderD128", NULL, 0, 0},
    {FOLDER, DEVICE, "drm", NULL, 0, 0},
    {FOLDER, DEVICE "/drm", "card0 renderD128", NULL, 0, 0},
    {FOLDER, CARD, "dev device subsystem uevent", NULL, 0, 0},
    {FOLDER, RENDER, "dev device subsystem uevent", NULL, 0, 0},
    {LINK, "/sys/dev/char/226:128", "../../devices/pci0000:00/0000:01:00.0/drm/renderD128", RENDER,
     0, 0},
    {LINK, "/sys/dev/char/226:0", "../../devices/pci0000:00/0000:01:00.0/drm/card0", CARD, 0, 0},
    {LINK, "/sys/class/drm/card0", "../../devices/pci0000:00/0000:01:00.0/drm/card0", CARD, 0, 0},
    {LINK, CARD "/device", "../../../0000:01:00.0", DEVICE, 0, 0},
    {LINK, RENDER "/device", "../../../0000:01:00.0", DEVICE, 0, 0},
    {LINK, CARD "/subsystem", "../../../../../class/drm", "/sys/class/drm", 0, 0},
    {TEXT, CARD "/dev", "226:0\n", NULL, 0, 0},
    {TEXT, RENDER "/dev", "226:128\n", NULL, 0, 0},
    {TEXT, RENDER "/uevent", "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n",
     NULL, 0, 0},
    {TEXT, "/sys/dev/char/226:128/uevent",
     "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n", NULL, 0, 0},
    {TEXT, "/sys/dev/char/226:0/device/vendor", "0x10de\n", NULL, 0, 0},
    {TEXT, "/sys/dev/char/226:128/../renderD128/dev", "226:128\n", NULL, 0,
     0}, /* ".." of a link's target */
    {TEXT, "/sys/class/drm/card0/device/drm/card0/device/drm/renderD128/dev", "226:128\n", NULL, 0,
     0},
    {TEXT,
     "/sys/class/drm/card0/subsystem/card0/subsystem/renderD128/subsystem/card0/subsystem/renderD128/subsystem/card0/dev",
     "226:0\n", NULL, 0, 0},
    {TEXT, "/sys/class/../class/./drm/../drm/card0/../../../0000:01:00.0/revision", "0xa2\n", NULL,
     0, 0},
    {TEXT, DEVICE "/vendor", "0x10de\n", NULL, 0, 0},
    {TEXT, DEVICE "/device", "0x%1$04x\n", NULL, 0, 0},
    {TEXT, DEVICE "/subsystem_vendor", "0x10de\n", NULL, 0, 0},
    {TEXT, DEVICE "/subsystem_device", "0x%1$04x\n", NULL, 0, 0},
    {TEXT, DEVICE "/revision", "0xa2\n", NULL, 0, 0},
    {TEXT, DEVICE "/class", "0x030000\n", NULL, 0, 0},
    {TEXT, DEVICE "/boot_vga", "1\n", NULL, 0, 0},
    {TEXT, DEVICE "/uevent",
     "DRIVER=nouveau\nPCI_CLASS=30000\nPCI_ID=10DE:%1$04X\nPCI_SUBSYS_ID=10DE:%1$04X\n"
     "PCI_SLOT_NAME=0000:01:00.0\n",
     NULL, 0, 0},
};
static const struct row display_rows[] = {
    {NODE, "/dev/input/event0", "", NULL, 13, 64},
    {NODE, "/dev/input/event1", "", NULL, 13, 65},
    {FOLDER, "/dev/input", "event0 event1", NULL, 0, 0},
    {FOLDER, "/sys/class/input", "event0 event1 input0 input1", NULL, 0, 0},
    {LINK, "/sys/dev/char/13:65", "../../devices/virtual/input/input1/event1",
     INPUT "/input1/event1", 0, 0},
    {LINK, "/sys/class/input/event0", "../../devices/virtual/input/input0/event0",
     INPUT "/input0/event0", 0, 0},
    {LINK, INPUT "/input1/event1/device", "../../input1", INPUT "/input1", 0, 0},
    {TEXT, INPUT "/input0/name", "teslapipe keyboard\n", NULL, 0, 0},
    {TEXT, INPUT "/input1/name", "teslapipe pointer\n", NULL, 0, 0},
    {TEXT, INPUT "/input1/event1/uevent", "MAJOR=13\nMINOR=65\nDEVNAME=input/event1\n", NULL, 0, 0},
    {TEXT, "/run/udev/data/c13:65", "I:1\nE:ID_INPUT=1\nE:ID_INPUT_MOUSE=1\nV:1\n", NULL, 0, 0},
    {TEXT, "/run/udev/data/c226:0", "I:1\nG:seat\nG:master-of-seat\nV:1\n", NULL, 0, 0},
};

static void check_text(const char *path, const char *want) {
    char got[1024] = "", again[1024] = "";
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    verdict_of("a file of the library opens", path, fd >= 0);
    verdict_of("read() gives the file's text", path,
               read(fd, got, sizeof got - 1) >= 0 && strcmp(got, want) == 0);
    close(fd);
    FILE *f = fopen(path, "r");
    verdict_of("a stream gives the file's text", path,
               f && fread(again, 1, sizeof again - 1, f) == strlen(want) &&
                   strcmp(again, want) == 0);
    if (f)
        fclose(f);
}

/* The library's file is absent; a file of the system may be there. */
static void check_no_text(const struct row *r) {
    char got[1024] = "";
    const int fd = r->kind == TEXT ? open(r->path, O_RDONLY | O_CLOEXEC) : -1;
    if (r->kind == TEXT)
        verdict_of("the file is absent without a display", r->path,
                   fd < 0 || read(fd, got, sizeof got - 1) < 0 || strcmp(got, r->text));
    if (fd >= 0)
        close(fd);
}

static void check_link(const struct row *r) {
    char out[PATH_MAX] = "", room[PATH_MAX];
    struct stat to, of;
    verdict_of("readlink() gives the link's text", r->path,
               readlink(r->path, out, sizeof out) == (ssize_t)strlen(r->text) &&
                   strcmp(out, r->text) == 0);
    memset(out, '#', sizeof out);
    verdict_of("readlink() fills a short buffer only", r->path,
               readlink(r->path, out, 5) == 5 && memcmp(out, r->text, 5) == 0 && out[5] == '#');
    verdict_of("realpath() gives the link's final target", r->path,
               realpath(r->path, room) && strcmp(room, r->target) == 0);
    verdict_of("stat() of a link is that of its target", r->path,
               stat(r->path, &to) == 0 && stat(r->target, &of) == 0 && to.st_ino == of.st_ino &&
                   S_ISDIR(to.st_mode));
}

/* Reading goes on at a place that telldir() returned. */
static void check_places(const char *path, DIR *d) {
    char names[64][256];
    long places[64];
    int n = 0;
    for (const struct dirent *e; n < 64; n++) {
        places[n] = telldir(d);
        if (!(e = readdir(d)))
            break;
        snprintf(names[n], sizeof names[n], "%s", e->d_name);
    }
    bool right = n > 2;
    for (int i = n; i-- > 0;) {
        seekdir(d, places[i]);
        const struct dirent *e = readdir(d);
        right &= e && strcmp(e->d_name, names[i]) == 0;
    }
    verdict_of("seekdir() returns to a place of telldir()", path, right);
    rewinddir(d);
}

/* Reads the directory twice from the beginning: each name occurs once, with its inode and kind, by
 * path and by descriptor. */
static void check_stream(const struct row *r, DIR *d) {
    const int fd = dirfd(d);
    struct stat st, at;
    verdict_of("the stream's descriptor is that of the folder", r->path,
               fd >= 0 && fstat(fd, &st) == 0 && stat(r->path, &at) == 0 && S_ISDIR(st.st_mode) &&
                   st.st_ino == at.st_ino);
    for (int round = 0; round < 2; round++) {
        char names[512] = "", path[PATH_MAX];
        int dots = 0;
        for (const struct dirent *e; (e = readdir(d));) {
            if (e->d_name[0] == '.') {
                dots++;
                continue;
            }
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? " " : "",
                     e->d_name);
            verdict_of("the record of an entry has room for the name", e->d_name,
                       e->d_reclen > offsetof(struct dirent, d_name) + strlen(e->d_name));
            snprintf(path, sizeof path, "%s/%s", r->path, e->d_name);
            verdict_of("an entry has the inode and kind of its path", path,
                       lstat(path, &st) == 0 && st.st_ino == e->d_ino &&
                           IFTODT(st.st_mode) == e->d_type);
            verdict_of("fstatat() from the folder finds an entry", path,
                       fstatat(fd, e->d_name, &at, AT_SYMLINK_NOFOLLOW) == 0 &&
                           at.st_ino == st.st_ino);
        }
        verdict_of("a stream gives each name of the folder", r->path,
                   strcmp(names, r->text) == 0 && dots == 2);
        rewinddir(d);
    }
    check_places(r->path, d);
}

static void check_folder(const struct row *r) {
    const int free_number = dup(2);
    close(free_number);
    DIR *d = opendir(r->path);
    verdict_of("opendir() opens a folder", r->path, d != NULL);
    if (d) {
        check_stream(r, d);
        verdict_of("closedir() closes a folder", r->path, closedir(d) == 0);
    }
    const int fd = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    d = fdopendir(fd);
    verdict_of("fdopendir() opens a folder's descriptor", r->path, d && dirfd(d) == fd);
    if (d) {
        check_stream(r, d);
        verdict_of("closedir() closes the descriptor, too", r->path,
                   closedir(d) == 0 && fcntl(fd, F_GETFD) == -1);
    }
    const int now = dup(2);
    verdict_of("listing a folder leaves no descriptor open", r->path, now == free_number);
    close(now);
    verdict_of("a folder cannot be opened for writing", r->path, open(r->path, O_RDWR) < 0);
}

static void check_row(const struct row *r, unsigned id) {
    static const mode_t modes[] = {S_IFCHR | 0666, S_IFREG | 0444, S_IFLNK | 0777, S_IFDIR | 0755};
    char text[512], room[PATH_MAX], round_about[PATH_MAX];
    struct stat st, same;
    snprintf(text, sizeof text, r->text, id, id);
    verdict_of("lstat() finds the path", r->path, lstat(r->path, &st) == 0);
    verdict_of("lstat() gives the kind and permissions", r->path, st.st_mode == modes[r->kind]);
    verdict_of("lstat() gives the device number", r->path,
               st.st_rdev == makedev(r->major, r->minor));
    verdict_of("lstat() gives the size", r->path,
               st.st_size == (r->kind == TEXT ? (off_t)strlen(text) : 0));
    verdict_of("access() finds the path", r->path, access(r->path, R_OK) == 0);
    const char *second = strchr(r->path + 1, '/'), *third = second + 1 + strcspn(second + 1, "/");
    snprintf(round_about, sizeof round_about, "%.*s/..//.%s", (int)(third - r->path), r->path,
             second);
    verdict_of("a roundabout path leads to the same file", round_about,
               lstat(round_about, &same) == 0 && same.st_ino == st.st_ino &&
                   same.st_mode == st.st_mode);
    verdict_of("fstatat() with AT_FDCWD finds the path", r->path,
               fstatat(AT_FDCWD, r->path, &same, AT_SYMLINK_NOFOLLOW) == 0 &&
                   same.st_ino == st.st_ino);
    if (r->kind == TEXT)
        check_text(r->path, text);
    if (r->kind == FOLDER)
        check_folder(r);
    if (r->kind == LINK)
        check_link(r);
    else
        verdict_of("readlink() refuses what is no link", r->path,
                   readlink(r->path, room, sizeof room) < 0 && errno == EINVAL);
}

/* ---- descriptors ---- */

static bool answers(int fd) {
    struct drm_version v = {0};
    return ioctl(fd, DRM_IOCTL_VERSION, &v) == 0 && v.version_major == 1;
}

static void descriptors(void) {
    static const char node[] = "/dev/dri/renderD128";
    struct stat st[2];
    const int fd = open(node, O_RDWR | O_CLOEXEC), other = openat(AT_FDCWD, node, O_RDWR);
    verdict_of("two descriptors of a node have different numbers and answer", node,
               fd >= 0 && other >= 0 && fd != other && answers(fd) && answers(other));
    const int aside = open(node, O_RDWR | O_NONBLOCK);
    verdict_of("a descriptor has O_NONBLOCK only if it was asked for", node,
               !(fcntl(fd, F_GETFL) & O_NONBLOCK) && (fcntl(aside, F_GETFL) & O_NONBLOCK) &&
                   answers(aside));
    close(aside);
    static const char *const others[] = {"//dev/dri/renderD128", "/./dev/dri/renderD128",
                                         "/dev//dri/./renderD128", "/usr/../dev/dri/renderD128",
                                         "/../dev/dri/renderD128"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const int same = open(others[i], O_RDWR);
        verdict_of("another spelling of the path opens the node", others[i],
                   answers(same) && access(others[i], R_OK) == 0 && stat(others[i], &st[0]) == 0 &&
                       S_ISCHR(st[0].st_mode));
        close(same);
    }
    verdict_of("a relative path does not open the node", "dev/dri/renderD128",
               chdir("/tmp") == 0 && open("dev/dri/renderD128", O_RDWR) < 0 &&
                   open("x/../dev/dri/renderD128", O_RDWR) < 0);
    verdict_of("a descriptor has FD_CLOEXEC only if it was asked for", node,
               fcntl(fd, F_GETFD) == FD_CLOEXEC && fcntl(other, F_GETFD) == 0);
    verdict_of("two descriptors of a node are the same device", node,
               fstat(fd, &st[0]) == 0 && fstat(other, &st[1]) == 0 &&
                   st[0].st_ino == st[1].st_ino && st[0].st_rdev == makedev(226, 128) &&
                   S_ISCHR(st[0].st_mode));
    const int card = open("/dev/dri/card0", O_RDWR);
    verdict_of("the card is another device than the render node", "card0",
               fstat(card, &st[1]) == 0 && st[1].st_rdev == makedev(226, 0) &&
                   st[1].st_ino != st[0].st_ino && answers(card));
    close(card);
    const int input = dup(0);
    verdict_of("dup2() puts a node on descriptor 0 and takes it away", node,
               dup2(fd, 0) == 0 && answers(0) && dup2(input, 0) == 0 && !answers(0));
    close(input);
    int copy[4] = {dup(fd), dup2(fd, 90), dup3(fd, 91, O_CLOEXEC), fcntl(fd, F_DUPFD, 95)};
    for (int i = 0; i < 4; i++)
        verdict_of("a copy of a descriptor answers", node, copy[i] >= 0 && answers(copy[i]));
    verdict_of("copies have the numbers that were asked for", node,
               copy[1] == 90 && copy[2] == 91 && copy[3] >= 95);
    verdict_of("copies to bad numbers are refused, and the node still answers", node,
               dup2(fd, -1) < 0 && errno == EBADF && dup2(fd, 1 << 30) < 0 && dup3(fd, -1, 0) < 0 &&
                   answers(fd));
    verdict_of("dup2() onto the same number changes nothing", node,
               dup2(fd, fd) == fd && answers(fd));
    close(fd);
    for (int i = 0; i < 4; i++)
        verdict_of("copies answer after the original was closed", node, answers(copy[i]));
    verdict_of("a closed descriptor does not answer", node, !answers(fd) && errno == EBADF);
    const int plain = open("/dev/null", O_RDWR);
    verdict_of("dup2() puts a file in the place of a node's copy", node,
               dup2(plain, copy[1]) == copy[1]);
    verdict_of("a file in the place of a node's copy is no node", node,
               !answers(copy[1]) && errno == ENOTTY);
    verdict_of("dup2() puts a node in the place of a file", node,
               dup2(copy[0], plain) == plain && answers(plain));
    for (int i = 0; i < 4; i++)
        close(copy[i]);
    verdict_of("the last copies answer after the others were closed", node,
               answers(plain) && answers(other));
    close(plain);
    close(other);
}

/* close_range() and closefrom() close nodes. The descriptors are then other files'. */
static void ranges(void) {
    enum { FIRST = 300, LAST = 303 };
    static const char node[] = "/dev/dri/renderD128";
    const int fd = open(node, O_RDWR | O_CLOEXEC), plain = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int all = 0; all < 2; all++) {
        verdict_of("a copy of a node with a high number answers", node,
                   dup2(fd, FIRST) == FIRST && dup2(fd, LAST) == LAST && answers(FIRST));
        verdict_of("close_range() that only sets FD_CLOEXEC closes no node", node,
                   close_range(FIRST, LAST, CLOSE_RANGE_CLOEXEC) == 0 && answers(FIRST) &&
                       fcntl(LAST, F_GETFD) == FD_CLOEXEC);
        if (all)
            closefrom(FIRST);
        else
            close_range(FIRST, LAST, 0);
        for (int i = FIRST; i <= LAST; i += LAST - FIRST)
            verdict_of("a file in the place of a node of a closed range is no node", node,
                       fcntl(i, F_GETFD) == -1 && syscall(SYS_dup3, plain, i, 0) == i &&
                           !answers(i) && errno == ENOTTY);
        close(FIRST);
        close(LAST);
    }
    verdict_of("a node outside of closed ranges answers", node, answers(fd));
    close(fd);
    close(plain);
}

/* Checks that a call refuses this descriptor. */
#define REFUSED(call) verdict_of(#call, what, (errno = 0, (call) == -1) && errno == EBADF)

/* Numbers that are no descriptors, or larger than a node's can be, go directly to the system. */
static void wild_numbers(void) {
    static const int numbers[] = {-1,    -2,    -1000000000, INT_MIN, INT_MAX, INT_MAX - 1,
                                  16383, 16384, 16385,       1 << 20, 1 << 24};
    char what[32];
    struct stat st;
    struct statfs fs;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const int fd = numbers[i];
        snprintf(what, sizeof what, "descriptor %d", fd);
        REFUSED(ioctl(fd, DRM_IOCTL_VERSION, &(struct drm_version){0}));
        REFUSED(ioctl(fd, _IOR('E', 0x01, int), &st));
        REFUSED(ioctl(fd, FIONREAD, &st));
        REFUSED(fcntl(fd, F_GETFD));
        REFUSED(fcntl(fd, F_DUPFD, 3));
        REFUSED(dup(fd));
        REFUSED(dup2(fd, 3));
        REFUSED(fstat(fd, &st));
        REFUSED(fstatfs(fd, &fs));
        REFUSED(close(fd));
        REFUSED((intptr_t)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0));
    }
    for (int i = 0; i < 3; i++) { /* anonymous memory, whatever the descriptor is */
        const int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC), fd = i == 0   ? -1
                                                                               : i == 1 ? INT_MIN
                                                                                        : node;
        char *const at =
            mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
        verdict_of("anonymous memory can be mapped with any descriptor", "mmap",
                   at != MAP_FAILED && !at[9] && munmap(at, 4096) == 0);
        close(node);
    }
}

/* A node can have descriptors up to MOST - 1. If the system would return a higher one, the call
 * fails as if no descriptor were free. */
static void highest_numbers(void) {
    enum { MOST = 16384 };
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    const struct rlimit before = limit;
    limit.rlim_cur = MOST + 100;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return; /* the system has no such descriptors */
    const int node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC),
              plain = open("/dev/null", O_RDWR | O_CLOEXEC), next = dup(plain);
    close(next);
    verdict_of("a node can have the highest descriptor of the table", "number",
               fcntl(node, F_DUPFD, MOST - 1) == MOST - 1 && answers(MOST - 1));
    close(MOST - 1);
    verdict_of("the highest descriptor can be closed", "number",
               !answers(MOST - 1) && errno == EBADF);
    for (int fd = MOST - 1; fd < MOST + 2; fd++) { /* copies that only the system knows */
        errno = 0;
        verdict_of("a copy that the system makes answers below the table's end only", "number",
                   syscall(SYS_dup3, node, fd, 0) == fd && answers(fd) == (fd < MOST));
        verdict_of("a copy that the system made can be closed", "number",
                   close(fd) == 0 && !answers(fd) && errno == EBADF);
    }
    for (int fd = MOST; fd < MOST + 2; fd++) {
        verdict_of("fcntl() refuses a copy above the table", "number",
                   fcntl(node, F_DUPFD, fd) == -1 && errno == EMFILE);
        verdict_of("a refused copy is not left open", "number",
                   fcntl(fd, F_GETFD) == -1 && errno == EBADF);
        verdict_of("dup2() refuses a copy above the table and leaves none open", "number",
                   dup2(node, fd) == -1 && errno == EMFILE && fcntl(fd, F_GETFD) == -1);
        verdict_of("a file of the system can have a descriptor above the table", "number",
                   dup2(plain, fd) == fd && !answers(fd) && errno == ENOTTY &&
                       fcntl(fd, F_GETFD) == 0);
        verdict_of("a descriptor above the table can be copied and closed", "number",
                   dup2(fd, fd + 2) == fd + 2 && close(fd + 2) == 0 && close(fd) == 0);
    }
    verdict_of("the node answers after all copies were closed", "number", answers(node));
    close(plain);
    close(node);
    const int now = dup(0);
    verdict_of("no descriptor is left open", "number", now == node);
    close(now);
    setrlimit(RLIMIT_NOFILE, &before);
}

/* A process that inherits a descriptor can use it as its own. */
static void inherited(const char *self, const char *path, const char *device) {
    const int fd = open(path, O_RDWR);
    char number[16];
    snprintf(number, sizeof number, "%d", fd);
    const pid_t child = fork();
    if (child == 0) {
        execl(self, self, "inherited", number, device, NULL);
        _exit(99);
    }
    int status = -1;
    waitpid(child, &status, 0);
    verdict_of("a program that inherits a node uses it", path,
               WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(fd);
}

/* If no descriptor is free, the node cannot be opened, and no resource is lost. */
static void no_room(void) {
    struct rlimit limit;
    const int last = dup(2);
    close(last);
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t before = limit.rlim_cur;
    for (int more = 0; more < 2; more++) { /* a display's node takes two descriptors */
        limit.rlim_cur = (rlim_t)(last + more);
        setrlimit(RLIMIT_NOFILE, &limit);
        const int fd = open(more ? "/dev/dri/card0" : "/dev/dri/renderD128", O_RDWR);
        verdict_of("a node does not open when no descriptor is free", "/dev/dri",
                   more ? fd < 0 || (answers(fd) && close(fd) == 0) : fd == -1 && errno == EMFILE);
    }
    limit.rlim_cur = before;
    setrlimit(RLIMIT_NOFILE, &limit);
    const int now = dup(2);
    verdict_of("a node that does not open leaves no descriptor", "/dev/dri", now == last);
    close(now);
}

/* Several folders may be open at once, the library's and the system's, each with its own place. */
static void folders_at_once(void) {
    DIR *d[] = {opendir("/dev/dri"), opendir("/"), opendir("/sys/class/drm"),
                opendir(DEVICE "/drm")};
    int count[4] = {0};
    for (int round = 0; round < 64; round++)
        for (int i = 0; i < 4; i++)
            count[i] += d[i] && readdir(d[i]);
    verdict_of("four folders are listed at once, each from its own place", "/dev/dri",
               count[0] == 4 && count[1] > 5 && count[2] == 4 && count[3] == 4);
    for (int i = 0; i < 4; i++)
        verdict_of("each of four folders is closed", "/dev/dri", d[i] && closedir(d[i]) == 0);
}

static void not_ours(void) {
    static const char *const missing[] = {"/dev/dri/card1",
                                          "/dev/dri/renderD129",
                                          "/sys/class/drm/card0-x",
                                          DEVICE "/drm/card1",
                                          "/dev/dri/card0/x",
                                          "/dev/drix",
                                          "/dev/dri/x/a.b/renderD128",
                                          "/dev/dri/x/.y/renderD128",
                                          "/dev/dri/x/.../renderD128",
                                          "/dev/dri/x/y./renderD128",
                                          "/dev/dri/.renderD128",
                                          "/dev/dri/renderD128.",
                                          "/dev/dri/..renderD128",
                                          "/dev/.dri/renderD128",
                                          "/dev/dri./renderD128",
                                          "/dev/dri/x/../x",
                                          "/x/dev/dri/renderD128",
                                          "/sys/dev/char/226:128/../226:128",
                                          "/sys/class/drm/card0/../renderD129"};
    struct stat st;
    char room[PATH_MAX];
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        verdict_of("stat() and access() do not find the path", missing[i],
                   stat(missing[i], &st) < 0 && access(missing[i], F_OK) < 0);
        verdict_of("the path cannot be opened", missing[i],
                   open(missing[i], O_RDWR) < 0 && !fopen(missing[i], "r"));
        verdict_of("the path is no folder and leads nowhere", missing[i],
                   !opendir(missing[i]) && !realpath(missing[i], room));
    }
    verdict_of("the system's device stays as it was", "/dev/null",
               stat("/dev/null", &st) == 0 && st.st_rdev == makedev(1, 3));
    int zero = open("/dev/zero", O_RDONLY);
    char byte = 1;
    verdict_of("the system's device stays as it was, and is no node", "/dev/zero",
               read(zero, &byte, 1) == 1 && !byte && !answers(zero) && errno == ENOTTY);
    void *at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, zero, 0);
    verdict_of("the system's device can be mapped", "/dev/zero",
               at != MAP_FAILED && !*(char *)at && munmap(at, 4096) == 0);
    close(zero);
    verdict_of("a path that is too long is refused", "/dev/dri",
               access(memset(room, 'x', PATH_MAX - 1), F_OK) < 0);
    DIR *d = opendir(PCI);
    bool board = false;
    for (const struct dirent *e; d && (e = readdir(d));)
        board |= strcmp(e->d_name, "0000:01:00.0") == 0;
    verdict_of("the system's folder has the board among its names", PCI, board);
    if (d)
        closedir(d);
}

struct linux_dirent64 {
    uint64_t ino;
    int64_t off;
    uint16_t reclen;
    uint8_t type;
    char name[];
};

/* A folder of the system to which the library adds a name: the names of both appear, each once. */
static void check_ancestor(const char *path, const char *own) {
    static char bytes[65536];
    char all[8192] = " ", name[300], round_names[8192];
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
    for (long n; fd >= 0 && (n = syscall(SYS_getdents64, fd, bytes, sizeof bytes)) > 0;)
        for (long at = 0; at < n; at += ((struct linux_dirent64 *)(void *)(bytes + at))->reclen)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s ",
                     ((struct linux_dirent64 *)(void *)(bytes + at))->name);
    if (fd >= 0) {
        const int own = open(path, O_RDONLY | O_DIRECTORY);
        verdict_of("open() gives the system's folder", path,
                   own >= 0 && syscall(SYS_getdents64, own, bytes, sizeof bytes) > 0);
        close(own);
        syscall(SYS_close, fd);
    } else
        strcpy(all, " . .. ");
    size_t count = 0, want = 0;
    char copy[256];
    snprintf(copy, sizeof copy, "%s", own);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        snprintf(name, sizeof name, " %s ", word);
        if (!strstr(all, name))
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", word);
    }
    for (const char *at = all + 1; *at; at += strcspn(at, " ") + 1)
        want++;
    const int free_number = dup(2);
    close(free_number);
    DIR *d = opendir(path);
    verdict_of("opendir() opens a folder with names of the system and of the library", path,
               d != NULL);
    verdict_of("the stream has a descriptor", path, d && dirfd(d) >= 0);
    if (d)
        check_places(path, d);
    for (int round = 0; d && round < 3; round++) {
        strcpy(round_names, " ");
        count = 0;
        bool right = true;
        for (;;) {
            const struct dirent *e = round == 1 ? NULL : readdir(d);
            const struct dirent64 *wide = round == 1 ? readdir64(d) : NULL;
            if (!e && !wide)
                break;
            snprintf(name, sizeof name, " %s ", e ? e->d_name : wide->d_name);
            right &= (e ? e->d_reclen : wide->d_reclen) >
                     offsetof(struct dirent, d_name) + strlen(e ? e->d_name : wide->d_name);
            right &= strstr(all, name) && !strstr(round_names, name) &&
                     (e ? e->d_ino : wide->d_ino) != 0;
            snprintf(round_names + strlen(round_names), sizeof round_names - strlen(round_names),
                     "%s", name + 1);
            count++;
        }
        verdict_of("a stream gives each name of the system and of the library once", path,
                   right && count == want);
        rewinddir(d);
    }
    if (d)
        closedir(d);
    const int now = dup(2);
    verdict_of("listing such a folder leaves no descriptor open", path, now == free_number);
    close(now);
}

/* Sockets whose names resemble a device's socket. */
static void other_sockets(bool display) {
    static const struct {
        const char *name; /* '@': abstract name; "%d": this process's number */
        bool full;        /* true: as long as names can be */
    } rows[] = {{"@", false},
                {"@teslapipe", false},
                {"@teslapipe-input", false},
                {"@teslapipe-input 0", false},
                {"@teslapipe-input 0 %d", false},
                {"@teslapipe-input 2 %d 9", false},
                {"@teslapipe-input -1 %d 9", false},
                {"@Teslapipe-input 0 %d 9", false},
                {"@teslapipe-card", false},
                {"@teslapipe-card %d", false},
                {"@teslapipe-card x %d", false},
                {"xteslapipe-input 0 %d 9", false},
                {"xteslapipe-card %d 9", false},
                {"@teslapipe-input 0 %d 9", true},
                {"@teslapipe-card %d 9", true}};
    char folder[] = "/tmp/teslapipe-files.XXXXXX", text[8];
    verdict_of("make a folder for sockets", folder, mkdtemp(folder) && chdir(folder) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sockaddr_un a = {.sun_family = AF_UNIX};
        int n = snprintf(a.sun_path, sizeof a.sun_path, rows[i].name, (int)getpid());
        if (rows[i].full)
            for (; n < (int)sizeof a.sun_path; n++)
                a.sun_path[n] = ' ';
        if (*a.sun_path == '@')
            *a.sun_path = 0;
        const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        verdict_of("make a socket with a name like a device's", rows[i].name,
                   bind(fd, (const struct sockaddr *)&a,
                        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n)) == 0);
        errno = 0;
        verdict_of("a socket that is no device's is no card", rows[i].name,
                   !answers(fd) && errno == ENOTTY);
        verdict_of("a socket that is no device's is no keyboard", rows[i].name,
                   ioctl(fd, _IOR('E', 0x06, text), text) < 0 && errno == ENOTTY);
        close(fd);
        unlink(a.sun_path);
    }
    int pair[2];
    verdict_of("a pair of sockets is no card", "socketpair",
               socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && !answers(pair[0]) &&
                   errno == ENOTTY);
    const int network = socket(AF_INET, SOCK_DGRAM, 0);
    verdict_of("a socket of the network is no card", "AF_INET",
               network < 0 || (!answers(network) && errno == ENOTTY));
    close(network);
    close(pair[0]);
    close(pair[1]);
    if (display) {
        const int keys = open("/dev/input/event0", O_RDONLY | O_CLOEXEC);
        verdict_of("the keyboard's node is a keyboard", "event0",
                   ioctl(keys, _IOR('E', 0x06, text), text) > 0);
        close(keys);
    }
    verdict_of("remove the folder for sockets", folder, chdir("/tmp") == 0 && rmdir(folder) == 0);
}

/* Functions that fortified programs call: if the given buffer is too small, they end the
 * program. */
extern char *__realpath_chk(const char *path, char *out, size_t size);

static void fortified(void) {
    static const char path[] = "/sys/dev/char/226:128";
    static const size_t rooms[] = {PATH_MAX, sizeof RENDER, sizeof RENDER - 1};
    for (int i = 0; i < 3; i++) {
        int status = -1;
        const pid_t pid = fork();
        if (pid == 0) {
            char out[PATH_MAX];
            dup2(open("/dev/null", O_WRONLY), 2); /* hides the message */
            _exit(!__realpath_chk(path, out, rooms[i]) || strcmp(out, RENDER) != 0);
        }
        verdict_of("__realpath_chk ends the program only if the buffer is too small", path,
                   waitpid(pid, &status, 0) == pid && (i < 2 ? status == 0 : WIFSIGNALED(status)));
    }
}

/* After fork, the child's own node is another device than the node that it inherited. */
static void child_nodes(void) {
    const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        struct stat old, new;
        const int own = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
        _exit(!(fstat(fd, &old) == 0 && fstat(own, &new) == 0 &&
                old.st_ino != new.st_ino &&old.st_rdev == new.st_rdev && !answers(fd) &&
                answers(own)));
    }
    verdict_of(
        "a child's own node is another device than the inherited one, and only its own answers",
        "renderD128", waitpid(pid, &status, 0) == pid && status == 0);
    close(fd);
}

/* True if statx and fstatat agree. */
static bool statx_agrees(int directory, const char *path, int flags) {
    struct stat st;
    struct statx x;
    return fstatat(directory, path, &st, flags) == 0 &&
           statx(directory, path, flags, STATX_BASIC_STATS, &x) == 0 && x.stx_mode == st.st_mode &&
           x.stx_ino == st.st_ino && x.stx_size == (uint64_t)st.st_size &&
           x.stx_nlink == st.st_nlink && x.stx_dev_major == major(st.st_dev) &&
           x.stx_rdev_major == major(st.st_rdev) && x.stx_rdev_minor == minor(st.st_rdev) &&
           !(x.stx_attributes & 0x2000); /* a mount point */
}

static void walks(void) {
    struct stat st, want;
    struct statfs fs;
    char out[PATH_MAX] = "";
    const int sys = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int drm = openat(sys, "class/drm", O_PATH | O_CLOEXEC);
    verdict_of("O_PATH opens a folder", "class/drm",
               drm >= 0 && fstat(drm, &st) == 0 && S_ISDIR(st.st_mode));
    verdict_of("the folder is one of sysfs", "class/drm",
               fstatfs(drm, &fs) == 0 && (unsigned long)fs.f_type == SYSFS_MAGIC);
    verdict_of("fstatat() with an empty path gives the folder", "class/drm",
               fstatat(drm, "", &want, AT_EMPTY_PATH) == 0 && want.st_ino == st.st_ino);
    verdict_of("readlinkat() reads a link in the folder", "card0",
               readlinkat(drm, "card0", out, sizeof out) > 0 && strstr(out, "drm/card0"));
    verdict_of("fstatat() sees a link if it does not follow", "card0",
               fstatat(drm, "card0", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode));
    verdict_of("fstatat() follows a link to a folder", "card0",
               fstatat(drm, "card0", &st, 0) == 0 && S_ISDIR(st.st_mode));
    const int link = openat(drm, "card0", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    verdict_of("statx() and fstatat() agree about a link", "card0",
               statx_agrees(drm, "card0", AT_SYMLINK_NOFOLLOW) &&
                   statx_agrees(link, "", AT_EMPTY_PATH) &&
                   fstatat(link, "", &st, AT_EMPTY_PATH) == 0 && S_ISLNK(st.st_mode));
    verdict_of("statx() and fstatat() agree about a folder", "class/drm",
               statx_agrees(drm, "", AT_EMPTY_PATH) && statx_agrees(drm, "card0", 0) &&
                   statx_agrees(sys, "class/drm", 0));
    verdict_of("statx() and fstatat() agree about a node", "card0",
               statx_agrees(AT_FDCWD, "/dev/dri/card0", 0) &&
                   statx_agrees(AT_FDCWD, "/dev/input/event0", AT_SYMLINK_NOFOLLOW));
    verdict_of("statx() and fstatat() agree about a folder of the system", "/usr",
               statx_agrees(AT_FDCWD, "/usr", 0));
    verdict_of("statx() does not find a path that does not exist", "class/nothing",
               !statx_agrees(sys, "class/nothing", 0));
    close(link);
    const int card = openat(drm, "card0", O_PATH | O_CLOEXEC);
    verdict_of("faccessat() finds a file in an opened link's folder", "card0",
               faccessat(card, "uevent", F_OK, 0) == 0 && faccessat(card, "x", F_OK, 0) < 0);
    const int dev = openat(card, "dev", O_RDONLY | O_CLOEXEC);
    verdict_of("openat() opens a file in an opened link's folder", "dev",
               read(dev, out, sizeof out) == 6 && memcmp(out, "226:0\n", 6) == 0);
    const int path = openat(card, "dev", O_PATH | O_NOFOLLOW | O_CLOEXEC);
    char again[32];
    snprintf(again, sizeof again, "/proc/self/fd/%d", path);
    const int reopened = open(again, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    verdict_of("a file that was opened with O_PATH opens again through /proc", "dev",
               fstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 6 &&
                   read(reopened, out, sizeof out) == 6 && memcmp(out, "226:0\n", 6) == 0);
    close(reopened);
    close(path);
    const int up = openat(card, "../../vendor", O_RDONLY | O_CLOEXEC);
    verdict_of("openat() follows two dots from an opened link's folder", "vendor",
               read(up, out, sizeof out) == 7 && memcmp(out, "0x10de\n", 7) == 0);
    const int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    verdict_of("fstatat() finds a node from the root", "dev/dri",
               fstatat(root, "dev/dri/card0", &st, 0) == 0 && S_ISCHR(st.st_mode));
    verdict_of("fstatat() finds a folder from the root", "sys",
               fstatat(root, "sys/class/drm", &st, 0) == 0 && S_ISDIR(st.st_mode));
    static const char *const nodes[][2] = {{"/dev/dri", "card0"},
                                           {"/dev/input", "event1"},
                                           {"/dev", "dri/card0"},
                                           {"/dev", "input/event0"}};
    for (int i = 0; i < 4; i++) {
        const int folder = open(nodes[i][0], O_PATH | O_CLOEXEC),
                  own = openat(folder, nodes[i][1], O_RDWR | O_CLOEXEC);
        verdict_of("openat() opens a node in its folder", nodes[i][1],
                   own >= 0 && fstat(own, &st) == 0 && S_ISCHR(st.st_mode) &&
                       fstatat(folder, nodes[i][1], &st, 0) == 0 && S_ISCHR(st.st_mode) &&
                       faccessat(folder, nodes[i][1], F_OK, 0) == 0);
        close(own);
        close(folder);
    }
    const int pci = open(PCI, O_PATH | O_CLOEXEC);
    const int vendor = openat(pci, "0000:01:00.0/vendor", O_RDONLY | O_CLOEXEC);
    verdict_of("openat() opens a file of the board from the system's folder", "vendor",
               read(vendor, out, sizeof out) == 7 && memcmp(out, "0x10de\n", 7) == 0);
    const int all[] = {sys, drm, card, dev, up, root, pci, vendor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        close(all[i]);
}

static const char *self; /* this program */
static unsigned id;      /* the board's */
static bool display;

static void from_0(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i], id);
    inherited(self, "/dev/dri/renderD128", "128");
    inherited(self, "/dev/dri/card0", "0");
    no_room();
    other_sockets(display);
    if (display)
        walks();
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    if (argc > 2 && strcmp(argv[1], "inherited") == 0) {
        struct stat st;
        const int fd = atoi(argv[2]);
        return !(answers(fd) && fstat(fd, &st) == 0 && argc > 3 &&
                 st.st_rdev == makedev(226, (unsigned)atoi(argv[3])));
    }
    self = argv[0];
    id = pci_id((unsigned)strtoul(argv[1] + 2, NULL, 16));
    display = argc > 2 && strcmp(argv[2], "display") == 0;
    verdict_of("the argument is a known chip", argv[1], id != 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(&rows[i], id);
    for (size_t i = 0; display && i < sizeof display_rows / sizeof *display_rows; i++)
        check_row(&display_rows[i], id);
    for (size_t i = 0; !display && i < sizeof display_rows / sizeof *display_rows; i++)
        check_no_text(&display_rows[i]);
    descriptors();
    ranges();
    inherited(self, "/dev/dri/renderD128", "128");
    inherited(self, "/dev/dri/card0", "0");
    no_room();
    wild_numbers();
    highest_numbers();
    folders_at_once();
    not_ours();
    other_sockets(display);
    fortified();
    child_nodes();
    check_ancestor(PCI, "0000:01:00.0");
    if (display) {
        check_ancestor("/sys/class", "drm input");
        check_ancestor(INPUT, "input0 input1");
        walks();
    }
    without_input(from_0);
    return summary();
}
