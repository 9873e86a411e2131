/* Replaces native code in builds without it, as with gcc: every program is interpreted. */
#include "shader/native/native.h"

#include <errno.h>

bool native_usable(void) {
    return false;
}

struct native *native_create(enum simd_level) {
    errno = ENOSYS;
    return NULL;
}

void native_destroy(struct native *) {
}

void native_get_statistics(struct native *, struct native_statistics *s) {
    *s = (struct native_statistics){0};
}

const struct native_code *native_find(const struct warp *, const struct warp_env *) {
    return NULL;
}

bool native_prepare(const struct native_code *, struct warp *, const struct warp_env *) {
    return false;
}

enum warp_status native_run(const struct native_code *, struct warp *, const struct warp_env *) {
    return WARP_RUNNING;
}

const struct native_code *native_bold(const struct native_code *) {
    return NULL;
}

bool native_was_right(const struct native_code *) {
    return true;
}

void native_release(struct program *) {
}
