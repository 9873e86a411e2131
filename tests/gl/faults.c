/* Requests to the render node if a call of libc fails: each call of each request fails in turn
 * (faults.h). A failed request reports its error, leaves nothing behind, and works the next time.
 * usage: faults GL_RENDERER (NVxx) */
#define _GNU_SOURCE
#include "node_client.h"

#include "faults.h"

#include <dirent.h>
#include <limits.h>
#include <sys/wait.h>

static int open_and_close(void) {
    const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    const int error = error_of(fd);
    if (fd >= 0)
        close(fd);
    return error;
}

/* The process opens its first node, so the GPU is made. */
static int open_first(void) {
    enum { FAILED = 128 }; /* larger than any error */
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(open_and_close() | (fault.name ? 0 : FAILED));
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status))
        return 255;
    if (WEXITSTATUS(status) & FAILED)
        fault.name = NULL;
    return WEXITSTATUS(status) & ~FAILED;
}

static int buffer(void) {
    struct drm_nouveau_gem_info info;
    const int error = new_buffer(2 * PAGE, 0, VRAM, 0, &info);
    return error ? error : close_buffer(info.handle);
}

/* Makes so many buffers that the table of handles grows. */
static int buffers(void) {
    struct drm_nouveau_gem_info info;
    const int first = node, own = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    int error = error_of(own);
    node = own;
    for (int i = 0; i < 65 && !error; i++)
        error = new_buffer(PAGE, 0, GART, 0, &info);
    node = first;
    if (own >= 0)
        close(own);
    return error;
}

static int channel(void) {
    int32_t number;
    const int error = new_channel(&number);
    return error ? error : free_channel(number);
}

static struct world world;

/* The buffer stays usable for the GPU and the CPU; once it is exported, also through the file. */
static int export(void) {
    struct drm_nouveau_gem_info info;
    static uint32_t round;
    round++;
    if (new_buffer(2 * PAGE, 0, VRAM, 0, &info))
        return ENOMEM;
    const struct drm_nouveau_gem_info old = world.data;
    const char *const name = fault.name; /* only later calls fail */
    fault.name = NULL;
    volatile uint32_t *const at = map(&info);
    fault.name = name;
    at[PAGE / 4 - 1] = round;
    struct drm_prime_handle p = {.handle = info.handle, .flags = DRM_CLOEXEC, .fd = -1};
    const int error = ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
    const char *const left = fault.name;
    fault.name = NULL;
    equal("a buffer keeps its bytes when it is exported", at[PAGE / 4 - 1], round);
    world.s.bo[1].handle = info.handle;
    world.s.push[0] =
        (struct drm_nouveau_gem_pushbuf_push){.length = release(world.word, info.offset, round)};
    gives("submit a buffer whose export may have failed", submit(&world.s, world.channel, 2, 1, 0),
          0);
    wait_for(info.handle, 0);
    equal("the GPU writes a buffer whose export may have failed", at[0], round);
    if (error) {
        p = (struct drm_prime_handle){.handle = info.handle, .fd = -1};
        gives("export a buffer after its export failed", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    }
    uint32_t *const file = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0);
    verdict("the exported file has the bytes of the CPU and the GPU",
            file[0] == round && file[PAGE / 4 - 1] == round);
    release(world.word, info.offset, round + 1);
    submit(&world.s, world.channel, 2, 1, 0);
    wait_for(info.handle, 0);
    verdict("the CPU, the GPU and the exported file share the bytes",
            file[0] == round + 1 && at[0] == round + 1);
    munmap(file, PAGE);
    close(p.fd);
    close_buffer(info.handle);
    world.data = old;
    fault.name = left;
    return error;
}

/* Another process's file that cannot become a buffer: the memory reserved for it stays usable. */
static int import(void) {
    const char *const name = fault.name;
    fault.name = NULL;
    const int made = memfd_create("teslapipe-bo 2 0 0", MFD_CLOEXEC),
              file = fcntl(made, F_DUPFD_CLOEXEC, 60);
    close(made); /* the next open gets the lowest number */
    verdict("make a file like another process's buffer", ftruncate(file, 2 * PAGE) == 0);
    struct drm_prime_handle p = {.fd = file};
    fault.name = name;
    const int error = ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);
    const char *const left = fault.name;
    fault.name = NULL;
    if (!error)
        close_buffer(p.handle);
    struct drm_nouveau_gem_info info;
    uint32_t of_file = 0;
    new_buffer(PAGE, 65536, VRAM, 0, &info); /* takes the place that the import would have had */
    volatile uint32_t *const at = map(&info);
    at[0] = 0xbeef;
    verdict("a buffer that follows does not write the file",
            pread(file, &of_file, 4, 0) == 4 && !of_file);
    struct drm_prime_handle q = {.handle = info.handle, .fd = -1};
    gives("export the buffer in the place of the import", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &q), 0);
    uint32_t *const own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, q.fd, 0);
    own[1] = 0xcafe;
    verdict("the buffer in the place of the import has its own memory",
            own[0] == 0xbeef && at[1] == 0xcafe);
    munmap(own, PAGE);
    close(q.fd);
    close_buffer(info.handle);
    close(file);
    fault.name = left;
    return error;
}

/* Submits more pushes than any earlier submission, so no space can be reused. */
static int submission(void) {
    static struct drm_nouveau_gem_pushbuf_push push[NOUVEAU_GEM_MAX_PUSH];
    static uint32_t count = 200;
    count += count < NOUVEAU_GEM_MAX_PUSH;
    struct drm_nouveau_gem_pushbuf p = {.channel = (uint32_t)world.channel,
                                        .nr_buffers = 2,
                                        .buffers = (uintptr_t)world.s.bo,
                                        .nr_push = count,
                                        .push = (uintptr_t)push};
    world.s.bo[1].handle = world.data.handle;
    const int error = ask(PUSHBUF, &p);
    wait_for(world.data.handle, 0);
    return error;
}

/* The files, folders and links that the library shows. */
static int text(void) {
    char got[16] = "";
    const int fd = open("/sys/dev/char/226:128/device/vendor", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_of(fd);
    const char *const left = fault.name;
    fault.name = NULL;
    verdict("a file of the library has its text",
            read(fd, got, sizeof got - 1) == 7 && strcmp(got, "0x10de\n") == 0);
    close(fd);
    fault.name = left;
    return 0;
}

static int stream(void) {
    FILE *const f = fopen("/sys/dev/char/226:128/device/vendor", "r");
    const int error = f ? 0 : errno;
    if (f)
        fclose(f);
    return error;
}

static int folder(void) {
    DIR *const d = opendir("/dev/dri");
    const int error = d ? 0 : errno;
    if (d)
        closedir(d);
    return error;
}

static int link_target(void) {
    char *const path = realpath("/sys/dev/char/226:128", NULL);
    const int error = path ? 0 : errno;
    free(path);
    return error;
}

static void failures(void) {
    try_faults("open a node", open_and_close, "calloc ENOMEM, memfd_create EMFILE, fcntl works");
    try_faults("make a buffer", buffer, "calloc ENOMEM");
    try_faults("make 65 buffers", buffers, "calloc ENOMEM, realloc ENOMEM, memfd_create EMFILE");
    try_faults("make a channel", channel,
               "calloc ENOMEM, calloc works, realloc works, pthread_create works");
    try_faults(
        "export a buffer", export,
        "malloc EIO, malloc works, calloc ENOMEM, memfd_create EMFILE, ftruncate ENOSPC, pwrite EIO, mmap ENOMEM, fstat EIO, "
        "fopen EIO, fcntl works, fcntl EMFILE");
    try_faults("import a buffer", import,
               "calloc ENOMEM, mmap ENOMEM, fstat EIO, fstat ENOMEM, fcntl ENOMEM, fcntl works");
    try_faults("submit a push", submission, "malloc ENOMEM");
    try_faults("open a file", text, "memfd_create EMFILE, write EIO, lseek EIO");
    try_faults(
        "open a file as a stream", stream,
        "malloc ENOMEM, memfd_create EMFILE, write EIO, lseek EIO, fopen EMFILE, fdopen ENOMEM");
    try_faults("open a folder", folder, "calloc ENOMEM, memfd_create EMFILE");
    try_faults("follow a link", link_target, "malloc ENOMEM");
}

int main(int argc, char **argv) {
    if (!open_node(argc, argv))
        return 2;
    open_world(&world);
    failures();
    without_input(failures);
    close_world(&world);
    try_faults("open the first node", open_first, NULL);
    close(node);
    return summary();
}
