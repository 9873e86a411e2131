/* Replaces native code in builds without it, as with gcc: every program is interpreted. */
#include "shader/native/native.h"

#include <errno.h>

bool native_usable(void) {
    return false;
}

struct native *native_create(enum simd_level simd) {
    (void)simd;
    errno = ENOSYS;
    return NULL;
}

void native_destroy(struct native *n) {
    (void)n;
}

void native_get_statistics(struct native *n, struct native_statistics *s) {
    (void)n;
    *s = (struct native_statistics){0};
}

const struct native_code *native_find(const struct warp *w, const struct warp_env *env) {
    (void)w, (void)env;
    return NULL;
}

bool native_prepare(const struct native_code *code, struct warp *w, const struct warp_env *env) {
    (void)code, (void)w, (void)env;
    return false;
}

enum warp_status native_run(const struct native_code *code, struct warp *w,
                            const struct warp_env *env) {
    (void)code, (void)w, (void)env;
    return WARP_RUNNING;
}

const struct native_code *native_bold(const struct native_code *code) {
    (void)code;
    return NULL;
}

bool native_was_right(const struct native_code *code) {
    (void)code;
    return true;
}

void native_release(struct program *p) {
    (void)p;
}
