/* Messages over Unix sockets, each with at most one file descriptor. In: bytes and a descriptor or
 * -1. Out: the results of sendmsg and recvmsg. Knows nothing of the messages' meaning.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

union fd_room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* Returns the number of bytes sent, or -1 with errno. The sender keeps its descriptor, too. */
static inline ssize_t send_with_fd(int socket, const void *data, size_t size, int fd, int flags) {
    struct iovec bytes = {(void *)(uintptr_t)data, size};
    union fd_room room = {0};
    struct msghdr m = {.msg_iov = &bytes, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = &room;
        m.msg_controllen = sizeof room;
        room.header.cmsg_level = SOL_SOCKET;
        room.header.cmsg_type = SCM_RIGHTS;
        room.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&room.header), &fd, sizeof fd);
    }
    return sendmsg(socket, &m, flags | MSG_NOSIGNAL);
}

/* Returns the number of bytes received, 0 at the end, or -1 with errno. *fd: the descriptor that
 * came with the bytes, closed on exec, or -1. */
static inline ssize_t receive_with_fd(int socket, void *data, size_t size, int *fd, int flags) {
    struct iovec bytes = {data, size};
    union fd_room room;
    struct msghdr m = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
    const ssize_t n = recvmsg(socket, &m, flags | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    *fd = -1;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return n;
}
