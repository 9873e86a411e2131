/* The engine of a device when the system refuses executable memory, or a second mapping of it. If
 * no engine was requested, the interpreter runs programs, and the log says so once. A request for
 * native code fails. */
#define _GNU_SOURCE
#include "tests/test.h"

#include "include/teslapipe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

static bool no_execution, no_second;

int mprotect(void *at, size_t size, int protection) {
    static int (*next)(void *, size_t, int);
    if (no_execution && (protection & PROT_EXEC)) {
        errno = EACCES;
        return -1;
    }
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "mprotect");
    return next(at, size, protection);
}

void *mremap(void *at, size_t old, size_t size, int flags, ...) {
    static void *(*next)(void *, size_t, size_t, int, ...);
    if (no_second && old == 0) {
        errno = EINVAL;
        return MAP_FAILED;
    }
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "mremap");
    va_list rest;
    va_start(rest, flags);
    void *const to = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    return next(at, old, size, flags, to);
}

static int lines;
static char last[256];

static void note(void *self, int level, const char *line) {
    (void)self, (void)level;
    lines++;
    snprintf(last, sizeof last, "%s", line);
}

static tp_device *make(const char *engine, enum tp_result want) {
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .engine = engine, .log = note};
    tp_device *device = NULL;
    lines = 0;
    assert_int_equal(tp_device_create(&info, &device), want);
    return device;
}

static bool has_native(void) {
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .engine = "native"};
    tp_device *device = NULL;
    const bool has = tp_device_create(&info, &device) == TP_OK;
    tp_device_destroy(device);
    return has;
}

static void check_refusal(const char *reason) {
    tp_device *device = make(NULL, TP_OK);
    assert_int_equal(lines, 1);
    assert_non_null(strstr(last, "the interpreter runs programs"));
    assert_non_null(strstr(last, reason));
    tp_device_destroy(device);
    assert_int_equal(tp_device_create(NULL, &device), TP_OK);
    tp_device_destroy(device);
    device = make("interp", TP_OK);
    assert_int_equal(lines, 0);
    tp_device_destroy(device);
    assert_null(make("native", TP_ERROR_MEMORY));
    assert_non_null(strstr(tp_message(NULL), "no executable memory"));
    assert_non_null(strstr(tp_message(NULL), reason));
}

TEST(test_refused) {
    if (!has_native())
        skip();
    no_execution = true;
    check_refusal(strerror(EACCES));
    no_execution = false;
    no_second = true;
    check_refusal(strerror(EINVAL));
    no_second = false;
    tp_device *const device = make(NULL, TP_OK);
    assert_int_equal(lines, 0);
    tp_device_destroy(device);
}
