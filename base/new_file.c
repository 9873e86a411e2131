/* Files that get their name when they are whole (base/new_file.h).
 */
#define _GNU_SOURCE
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool name_file(struct new_file *p, const char *path) {
    char host[64] = "";
    gethostname(host, sizeof host - 1); /* several machines may write into one folder */
    const int n = snprintf(p->name, sizeof p->name, "%s.%s.%ld.part", path, host, (long)getpid());
    if (n < (int)sizeof p->name)
        return true;
    p->name[0] = 0;
    errno = ENAMETOOLONG;
    return false;
}

bool new_file_open(struct new_file *p, const char *path) {
    struct stat st;
    char folder[PATH_MAX];
    *p = (struct new_file){.in_place = lstat(path, &st) == 0 && !S_ISREG(st.st_mode)};
    if (p->in_place)
        return (p->file = fopen(path, "wbe")) != NULL;
    snprintf(folder, sizeof folder, "%s", path);
    char *const slash = strrchr(folder, '/');
    if (slash)
        slash[1] = 0;
    const int fd = open(slash ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd >= 0)
        p->file = fdopen(fd, "w+b");
    else if (name_file(p, path))
        p->file = fopen(p->name, "w+be");
    return p->file != NULL;
}

/* Gives a whole file its name. */
static bool place_file(struct new_file *p, const char *path) {
    char own[32];
    if (p->in_place)
        return true;
    if (!p->name[0]) {
        snprintf(own, sizeof own, "/proc/self/fd/%d", fileno(p->file));
        if (linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST || !name_file(p, path))
            return false;
        unlink(p->name);
        if (linkat(AT_FDCWD, own, AT_FDCWD, p->name, AT_SYMLINK_FOLLOW) != 0)
            return false;
    }
    return rename(p->name, path) == 0;
}

bool new_file_close(struct new_file *p, const char *path, bool keep) {
    bool ok = keep && p->file && fflush(p->file) == 0 && place_file(p, path);
    const int error = errno;
    if (p->file && fclose(p->file) != 0)
        ok = false;
    if (!ok && p->name[0])
        unlink(p->name);
    p->file = NULL;
    errno = error;
    return ok;
}
