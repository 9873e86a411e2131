/* The device: SIMD level, engine, memory, and the last failure of each thread. In: struct
 * tp_device_info. Out: the device that contexts share. Must not know draws.
 */
#include "pipeline/context.h"
#include "base/format_text.h"

#include "shader/native/native.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The last failure of this thread, for device_message(). */
static _Thread_local struct {
    const tp_device *device;
    char text[1024];
} last_failure;

enum tp_result device_fail(const tp_device *device, enum tp_result code, const char *format, ...) {
    FORMAT_TEXT(last_failure.text, format);
    last_failure.device = device;
    return code;
}

const char *device_message(const tp_device *device) {
    return last_failure.device == device ? last_failure.text : "";
}

enum { MAX_THREADS = 256 };
/* Sizes of the address space, in bytes. If the owner asks for no size, the device takes the
 * default, or the greatest half, quarter ... of it that the process may reserve. */
static const uint64_t default_memory = UINT64_C(1) << (sizeof(void *) > 4 ? 36 : 30),
                      smallest_memory = UINT64_C(64) << 20;
static const uint64_t most_memory = UINT64_C(1) << 40; /* addresses have 40 bits */
static const uint64_t default_work_limit = UINT64_C(1) << 28;

static void write_log(void *self, enum log_level level, const char *line) {
    const tp_device *d = self;
    d->log_line(d->log_self, (int)level, line);
}

static enum tp_result choose_simd(const struct tp_device_info *info, enum simd_level *simd) {
    *simd = simd_best();
    if (!info->simd)
        return TP_OK;
    const int level = simd_from_name(info->simd);
    if (level < 0)
        return device_fail(NULL, TP_ERROR_INVALID, "unknown SIMD level '%s': base, avx2 or avx512",
                           info->simd);
    if (level > (int)*simd)
        return device_fail(NULL, TP_ERROR_INVALID, "this CPU has no %s; its best is %s", info->simd,
                           simd_name(*simd));
    *simd = (enum simd_level)level;
    return TP_OK;
}

static enum tp_result check_info(const struct tp_device_info *info) {
    if ((unsigned)info->chip > TP_CHIP_G64)
        return device_fail(NULL, TP_ERROR_INVALID, "unknown chip %d (0 to %d)", (int)info->chip,
                           TP_CHIP_G64);
    if (info->threads < 0 || info->threads > MAX_THREADS)
        return device_fail(NULL, TP_ERROR_INVALID,
                           "%d threads: 0 (one per CPU) to %d can be asked for", info->threads,
                           MAX_THREADS);
    if ((unsigned)info->arithmetic > TP_ARITHMETIC_FAST)
        return device_fail(NULL, TP_ERROR_INVALID, "unknown arithmetic %d (0: exact, 1: fast)",
                           (int)info->arithmetic);
    if (info->memory > most_memory)
        return device_fail(NULL, TP_ERROR_INVALID,
                           "%llu bytes of memory: addresses have 40 bits, so 0x%llx at most",
                           (unsigned long long)info->memory, (unsigned long long)most_memory);
    return TP_OK;
}

/* Creates the engine of this name; fails if this build does not have the engine. name NULL: native
 * code, or the interpreter if this build has no native code or the system refuses executable
 * memory. */
static enum tp_result choose_engine(tp_device *d, const char *name) {
    const bool native = name ? strcmp(name, "native") == 0 : native_usable();
    if (!native && name && strcmp(name, "interp") != 0)
        return device_fail(NULL, TP_ERROR_INVALID, "unknown engine '%s': interp or native", name);
    if (native && !native_usable())
        return device_fail(NULL, TP_ERROR_INVALID, "no engine 'native': this build has none");
    if (!native || (d->native = native_create(d->simd)))
        return TP_OK;
    const char *const reason = strerror(errno);
    if (name)
        return device_fail(NULL, TP_ERROR_MEMORY, "engine 'native': no executable memory: %s",
                           reason);
    /* The warning is logged at any log level, because programs run many times slower from now on.
     */
    const struct log log = {LOG_WARNING, d->log.write, d->log.self};
    log_message(&log, LOG_WARNING,
                "the interpreter runs programs, slowly: no executable memory for native code: %s",
                reason);
    return TP_OK;
}

static struct gpu_memory *reserve_memory(uint64_t wish, int memory_fd) {
    if (wish)
        return memory_create(wish, memory_fd);
    struct gpu_memory *memory = NULL;
    for (uint64_t size = default_memory; !memory && size >= smallest_memory; size /= 2)
        memory = memory_create(size, memory_fd);
    return memory;
}

enum tp_result device_create(const struct tp_device_info *info, int memory_fd, tp_device **device) {
    static const struct tp_device_info defaults = {.chip = TP_CHIP_GT215};
    enum simd_level simd;
    *device = NULL;
    if (!info)
        info = &defaults;
    enum tp_result result = check_info(info);
    if (result == TP_OK)
        result = choose_simd(info, &simd);
    if (result != TP_OK)
        return result;
    simd_load_constants();
    tp_device *d = calloc(1, sizeof *d);
    if (!d || !(d->memory = reserve_memory(info->memory, memory_fd))) {
        free(d);
        return device_fail(NULL, TP_ERROR_MEMORY, "cannot reserve %llu bytes of address space",
                           (unsigned long long)(info->memory ? info->memory : smallest_memory));
    }
    d->refs = 1;
    d->warp_budget = info->warp_budget;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    d->threads = info->threads        ? info->threads
                 : cpus > MAX_THREADS ? MAX_THREADS
                 : cpus > 0           ? (int)cpus
                                      : 1;
    d->simd = simd;
    d->variant = (enum isa_variant)info->chip;
    d->fast = info->arithmetic == TP_ARITHMETIC_FAST;
    d->work_limit = default_work_limit;
    d->log_line = info->log;
    d->log_self = info->log_self;
    d->log = (struct log){info->log ? LOG_DEBUG : LOG_ERROR, info->log ? write_log : NULL, d};
    result = choose_engine(d, info->engine);
    if (result != TP_OK) {
        device_destroy(d);
        return result;
    }
    *device = d;
    return TP_OK;
}

void device_ref(tp_device *device) {
    __atomic_add_fetch(&device->refs, 1, __ATOMIC_RELAXED);
}

void device_destroy(tp_device *device) {
    if (!device || __atomic_sub_fetch(&device->refs, 1, __ATOMIC_ACQ_REL))
        return;
    native_destroy(device->native);
    memory_destroy(device->memory);
    free(device);
}

const char *device_engine(const tp_device *device) {
    return device->native ? "native" : "interp";
}
