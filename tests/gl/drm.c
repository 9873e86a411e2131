/* Stress on the kernel driver's interface: 100,000 textures with constant memory use, fork, buffers
 * passed between processes, contexts in threads.
 * usage: drm GL_RENDERER */
#define _GNU_SOURCE
#include "drm_context.h"

#include <errno.h>
#include <libdrm/drm.h>
#include <libdrm/nouveau_drm.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

static const char *renderer;

static struct gbm_device *open_device(void) {
    return gbm_create_device(open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC));
}

static long resident_kib(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        pages = -1;
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void make_textures(int count) {
    static unsigned char texels[32 * 32 * 4];
    for (int i = 0; i < count; i++) {
        GLuint t;
        glGenTextures(1, &t);
        glBindTexture(GL_TEXTURE_2D, t);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        glDeleteTextures(1, &t);
    }
    glFinish();
}

/* The memory in use must not grow. The slack includes 64 MiB of freed pages that base/memory.c may
 * keep. */
static void textures_stay_flat(void) {
    enum { WARM_UP = 10000, COUNT = 100000, SLACK_KIB = 8192 + 65536 };
    make_textures(WARM_UP);
    const long before = resident_kib();
    make_textures(COUNT - WARM_UP);
    const long after = resident_kib();
    printf("%d textures: %ld KiB resident, then %ld KiB\n", COUNT, before, after);
    verdict("textures: no error", glGetError() == GL_NO_ERROR);
    verdict("textures: memory stays flat", before > 0 && after - before < SLACK_KIB);
}

static bool child_succeeded(pid_t child) {
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

/* The child opens the node itself, draws, and reports success; the parent draws meanwhile. */
static void fork_and_draw(GLint location) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        EGLDisplay d;
        const bool current =
            make_gbm_context(open_device(), &d) != EGL_NO_CONTEXT && renderer_is(renderer);
        if (!current)
            _exit(2);
        new_target(GL_RGBA8, 0, WIDTH, HEIGHT);
        const GLint own = use_picture_program();
        for (int i = 0; i < 50; i++)
            if (!picture_reads_back(own, 100 + i))
                _exit(3);
        _exit(0);
    }
    int wrong = 0;
    for (int i = 0; i < 50; i++)
        wrong += !picture_reads_back(location, i);
    verdict("fork: the parent draws on", wrong == 0);
    verdict("fork: the child draws", child_succeeded(child));
    verdict("fork: the parent draws after the child's end", picture_reads_back(location, 77));
}

struct shared_buffer {
    unsigned stride;
    int blue;
};

/* Sends or receives a descriptor with its description. */
static bool transfer(int socket, bool send, int *fd, struct shared_buffer *about) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec data = {about, sizeof *about};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    if (send) {
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        *c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(c), fd, sizeof *fd);
        return sendmsg(socket, &m, 0) == (ssize_t)sizeof *about;
    }
    if (recvmsg(socket, &m, 0) != (ssize_t)sizeof *about || !CMSG_FIRSTHDR(&m))
        return false;
    memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof *fd);
    return true;
}

/* Draws the picture after much other work, so that a read without a wait would miss it. */
static void draw_slowly(GLint location, int blue) {
    enum { PICTURES = 6000 };
    GLint target;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &target);
    new_target(GL_RGBA8, 0, WIDTH, HEIGHT);
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    for (int i = 0; i < PICTURES; i++)
        draw_picture(location, blue);
    glDisable(GL_BLEND);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
    draw_picture(location, blue);
}

/* The importing process: checks the exporter's picture, draws its own picture into the buffer and
 * answers. */
static int import_process(int socket) {
    struct shared_buffer about;
    EGLDisplay d;
    int fd;
    memset(&about, 0, sizeof about);
    struct gbm_device *device = open_device();
    if (make_gbm_context(device, &d) == EGL_NO_CONTEXT || !renderer_is(renderer) ||
        !transfer(socket, true, &(int){1}, &about) || !transfer(socket, false, &fd, &about))
        return 2;
    if (wrong_in_import(device, fd, about.stride, about.blue, false) != 0)
        return 3;
    struct gbm_import_fd_data from = {fd, WIDTH, HEIGHT, about.stride, GBM_FORMAT_ARGB8888};
    if (!target_buffer_object(d,
                              gbm_bo_import(device, GBM_BO_IMPORT_FD, &from, GBM_BO_USE_RENDERING)))
        return 4;
    draw_slowly(use_picture_program(), about.blue + 1);
    glFlush();
    const bool sent = transfer(socket, true, &fd, &about);
    glFinish(); /* unfinished work would end with the process */
    return sent ? 0 : 5;
}

/* Runs this program again with one end of a socket as its argument. *socket is the other end. */
static pid_t start_other(const char *self, const char *mode, int *socket) {
    char number[16];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair))
        abort();
    snprintf(number, sizeof number, "%d", pair[1]);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        close(pair[0]);
        execl(self, self, renderer, mode, number, (char *)NULL);
        _exit(127);
    }
    close(pair[1]);
    *socket = pair[0];
    return child;
}

/* A process that receives the node in a message, as X clients do with DRI3, and draws on it. */
static int receiving_process(int socket) {
    struct shared_buffer about;
    EGLDisplay d;
    int fd;
    if (!transfer(socket, false, &fd, &about) ||
        make_gbm_context(gbm_create_device(dup(fd)), &d) == EGL_NO_CONTEXT ||
        !renderer_is(renderer))
        return 2;
    new_target(GL_RGBA8, 0, WIDTH, HEIGHT);
    return picture_reads_back(use_picture_program(), 9) ? 0 : 3;
}

static void pass_the_node(const char *self, const char *path) {
    char text[64];
    int socket, fd = open(path, O_RDWR | O_CLOEXEC);
    struct shared_buffer about = {0};
    const pid_t child = start_other(self, "--receive", &socket);
    const bool sent = transfer(socket, true, &fd, &about);
    snprintf(text, sizeof text, "%s: received in a message, it draws", path);
    verdict(text, child_succeeded(child) && sent);
    close(socket);
    close(fd);
}

/* GBM works on the card node without a display and without a master. */
static void card_node(void) {
    struct drm_auth auth = {0};
    EGLDisplay d;
    const int fd = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    errno = 0;
    verdict("card0: no client is master",
            ioctl(fd, DRM_IOCTL_AUTH_MAGIC, &auth) == -1 && errno == EACCES);
    verdict("card0: GBM draws on it",
            make_gbm_context(gbm_create_device(fd), &d) != EGL_NO_CONTEXT && renderer_is(renderer));
}

/* Objects made in both ways: by number on a channel, and through NVIF with a name chosen by the
 * client. */
static void both_ways_of_objects(void) {
    struct {
        uint8_t version, type, padding[4], owner, route;
        uint64_t token, object;
        uint8_t new_version, new_padding[6], new_route;
        uint64_t new_token, new_object;
        uint32_t handle;
        int32_t class;
    } nvif = {.type = 2, .route = 0xff, .new_object = 77, .handle = 0xbeef5039, .class = 0x5039};
    const unsigned long request = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
                                       DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF, sizeof nvif);
    struct drm_nouveau_channel_alloc channel = {0};
    const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    verdict("make a channel", ioctl(fd,
                                    DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC,
                                             struct drm_nouveau_channel_alloc),
                                    &channel) == 0);
    struct drm_nouveau_grobj_alloc old = {channel.channel, 0xbeef502d, 0x502d};
    verdict(
        "make an object by the channel's number",
        ioctl(fd,
              DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GROBJ_ALLOC, struct drm_nouveau_grobj_alloc),
              &old) == 0);
    nvif.token = (uint64_t)channel.channel;
    verdict("make an object by name", ioctl(fd, request, &nvif) == 0);
    verdict("an object with a handle that is taken is refused", ioctl(fd, request, &nvif) == -1);
    nvif.type = 3;
    nvif.object = 77;
    verdict("delete an object by its name", ioctl(fd, request, &nvif) == 0);
    nvif.type = 2;
    verdict("make an object with a deleted object's handle", ioctl(fd, request, &nvif) == 0);
    nvif.token = 63;
    verdict("an object in a channel that does not exist is refused",
            ioctl(fd, request, &nvif) == -1 && errno == ENODEV);
    nvif.type = 99;
    verdict("an unknown NVIF request is refused",
            ioctl(fd, request, &nvif) == -1 && errno == ENOSYS);
    verdict("half a NVIF request is refused", ioctl(fd,
                                                    _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
                                                         DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF, 8),
                                                    &nvif) == -1 &&
                                                  errno == EINVAL);
    close(fd);
}

static void pass_between_processes(const char *self, uint32_t use, const char *name) {
    char text[64];
    int socket;
    EGLDisplay d;
    const pid_t child = start_other(self, "--import", &socket);
    struct gbm_device *device = open_device();
    struct shared_buffer about = {0, 40}, ready;
    int fd = -1;
    transfer(socket, false, &fd, &ready);
    fd = -1;
    if (make_gbm_context(device, &d) != EGL_NO_CONTEXT) {
        struct gbm_bo *bo =
            gbm_bo_create(device, WIDTH, HEIGHT, GBM_FORMAT_ARGB8888, use | GBM_BO_USE_RENDERING);
        if (target_buffer_object(d, bo)) {
            fd = gbm_bo_get_fd(bo); /* the first export waits for all work */
            draw_slowly(use_picture_program(), about.blue);
            glFlush(); /* the other process's work comes after this drawing */
            about.stride = gbm_bo_get_stride(bo);
        }
    }
    struct shared_buffer answer;
    int returned = -1;
    const bool answered = fd >= 0 && transfer(socket, true, &fd, &about) &&
                          transfer(socket, false, &returned, &answer);
    close(socket);
    snprintf(text, sizeof text, "PRIME, %s: the other process sees the picture", name);
    verdict(text, child_succeeded(child) && answered);
    snprintf(text, sizeof text, "PRIME, %s: the other process's picture is seen here", name);
    verdict(text, answered &&
                      wrong_in_import(device, returned, about.stride, about.blue + 1, false) == 0);
}

static void *draw_in_thread(void *argument) {
    const int first = *(const int *)argument;
    static const int wrong = 1;
    EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    const EGLContext c = make_context(d, EGL_NO_CONFIG_KHR);
    const void *result = c == EGL_NO_CONTEXT || !renderer_is(renderer) ? &wrong : NULL;
    if (!result) {
        new_target(GL_RGBA8, 0, WIDTH, HEIGHT);
        const GLint location = use_picture_program();
        for (int i = 0; i < 300; i++)
            if (!picture_reads_back(location, first + i % 100))
                result = &wrong;
        eglMakeCurrent(d, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(d, c);
    }
    return (void *)result;
}

static void contexts_in_threads(void) {
    static const int first[2] = {0, 120};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, draw_in_thread, (void *)&first[i]))
            abort();
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(thread[i], &result);
        verdict("threads: a context's 300 pictures", result == NULL);
    }
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    renderer = argv[1];
    if (argc == 4 && strcmp(argv[2], "--import") == 0)
        return import_process(atoi(argv[3]));
    if (argc == 4 && strcmp(argv[2], "--receive") == 0)
        return receiving_process(atoi(argv[3]));
    EGLDisplay d = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    verdict("the renderer is the chip",
            make_context(d, EGL_NO_CONFIG_KHR) != EGL_NO_CONTEXT && renderer_is(renderer));
    if (failed)
        return summary();
    new_target(GL_RGBA8, 0, WIDTH, HEIGHT);
    const GLint location = use_picture_program();
    verdict("one context draws", picture_reads_back(location, 5));
    textures_stay_flat();
    fork_and_draw(location);
    contexts_in_threads();
    pass_between_processes(argv[0], GBM_BO_USE_LINEAR, "linear");
    pass_between_processes(argv[0], 0, "tiled");
    pass_the_node(argv[0], "/dev/dri/renderD128");
    pass_the_node(argv[0], "/dev/dri/card0");
    card_node();
    both_ways_of_objects();
    return summary();
}
