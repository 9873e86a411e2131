/* Devices, programs and buffers of the C API. In: what the caller asks for, checked here. Out:
 * objects with memory behind them. Must not know draws.
 */
#include "pipeline/api.h"

#include "shader/jit/jit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };
static const uint64_t default_memory = UINT64_C(64) << 30;
static const uint64_t default_work_limit = UINT64_C(1) << 28;

/* ---- device ---- */

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
    if ((unsigned)info->chip > TP_CHIP_GT215)
        return device_fail(NULL, TP_ERROR_INVALID, "unknown chip %d (0 to %d)", (int)info->chip,
                           TP_CHIP_GT215);
    if (info->threads < 0 || info->threads > MAX_THREADS)
        return device_fail(NULL, TP_ERROR_INVALID,
                           "%d threads: 0 (one per CPU) to %d can be asked for", info->threads,
                           MAX_THREADS);
    return TP_OK;
}

/* The engine that was asked for by name is there, or it is an error; without a name there may be no
 * LLVM, and programs stay interpreted. */
static enum tp_result choose_engine(tp_device *d, const char *name) {
    char why[256];
    const char *engine = name ? name : TP_JIT ? "jit" : "interp";
    if (strcmp(engine, "interp") == 0)
        return TP_OK;
    d->jit_wait = strcmp(engine, "jit-wait") == 0;
    if (!d->jit_wait && strcmp(engine, "jit") != 0)
        return device_fail(NULL, TP_ERROR_INVALID, "unknown engine '%s': interp, jit or jit-wait",
                           engine);
    d->jit = jit_create(d->simd, d->jit_wait);
    if (!d->jit)
        return device_fail(NULL, TP_ERROR_MEMORY, "out of memory for the engine");
    if (name && !jit_usable(d->jit, why, sizeof why))
        return device_fail(NULL, TP_ERROR_INVALID, "no engine '%s': %s", name, why);
    return TP_OK;
}

void device_open_library(tp_device *device) {
    if (device->jit)
        jit_open_library();
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
    tp_device *d = calloc(1, sizeof *d);
    const uint64_t size = info->memory ? info->memory : default_memory;
    if (!d || !(d->memory = memory_create(size, memory_fd))) {
        free(d);
        return device_fail(NULL, TP_ERROR_MEMORY, "cannot reserve %llu bytes of address space",
                           (unsigned long long)size);
    }
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    d->threads = info->threads        ? info->threads
                 : cpus > MAX_THREADS ? MAX_THREADS
                 : cpus > 0           ? (int)cpus
                                      : 1;
    d->simd = simd;
    d->variant = (enum isa_variant)info->chip;
    d->work_limit = default_work_limit;
    d->log_line = info->log;
    d->log_self = info->log_self;
    d->log = (struct log){info->log ? LOG_DEBUG : LOG_ERROR, info->log ? write_log : NULL, d};
    result = choose_engine(d, info->engine);
    if (result != TP_OK) {
        tp_device_destroy(d);
        return result;
    }
    *device = d;
    return TP_OK;
}

TP_API enum tp_result tp_device_create(const struct tp_device_info *info, tp_device **device) {
    return device_create(info, -1, device);
}

TP_API void tp_device_destroy(tp_device *device) {
    if (!device)
        return;
    jit_destroy(device->jit);
    memory_destroy(device->memory);
    free(device);
}

TP_API int tp_device_threads(const tp_device *device) {
    return device->threads;
}

TP_API const char *tp_device_simd(const tp_device *device) {
    return simd_name(device->simd);
}

TP_API const char *tp_device_engine(const tp_device *device) {
    if (!device->jit || !jit_usable(device->jit, NULL, 0))
        return "interp";
    return device->jit_wait ? "jit-wait" : "jit";
}

/* ---- programs ---- */

static enum tp_result wrap_program(tp_device *device, struct program *p,
                                   const struct program_error *error, tp_program **program) {
    *program = NULL;
    if (!p)
        return device_fail(device, TP_ERROR_PROGRAM, "%s", error->text);
    struct tp_program *t = malloc(sizeof *t);
    if (!t) {
        program_unref(p);
        return device_fail(device, TP_ERROR_MEMORY, "out of memory for program %s", p->name);
    }
    *t = (struct tp_program){p, device};
    *program = t;
    return TP_OK;
}

TP_API enum tp_result tp_program_from_file(tp_device *device, const char *path,
                                           tp_program **program) {
    struct program_error error = {{0}};
    *program = NULL;
    if (access(path, R_OK) != 0)
        return device_fail(device, TP_ERROR_IO, "%s: cannot be read", path);
    return wrap_program(device, program_from_file(path, device->variant, &error), &error, program);
}

TP_API enum tp_result tp_program_from_text(tp_device *device, enum tp_stage type, const char *text,
                                           const char *name, tp_program **program) {
    struct program_error error = {{0}};
    *program = NULL;
    if ((unsigned)type >= PROGRAM_TYPES)
        return device_fail(device, TP_ERROR_INVALID, "unknown stage %d", (int)type);
    struct program *p = program_from_text((enum program_type)type, device->variant, text,
                                          strlen(text), name ? name : "program", &error);
    return wrap_program(device, p, &error, program);
}

/* The facts of directives alone: the header of a program that consists of them. */
static bool read_directives(tp_device *device, enum tp_stage type, const char *directives,
                            const char *name, struct program_header *header) {
    struct program_error error = {{0}};
    static const char body[] = "\nexit nop\n";
    const size_t n = strlen(directives);
    char *text = malloc(n + sizeof body);
    struct program *p = NULL;
    if (text) {
        memcpy(text, directives, n);
        memcpy(text + n, body, sizeof body);
        p = program_from_text((enum program_type)type, device->variant, text, n + sizeof body - 1,
                              name, &error);
    }
    free(text);
    if (p)
        *header = p->header;
    else
        device_fail(device, TP_ERROR_PROGRAM, "%s", error.text);
    program_unref(p);
    return p;
}

TP_API enum tp_result tp_program_from_words(tp_device *device, enum tp_stage type,
                                            const uint32_t *words, size_t count, uint32_t base,
                                            const char *directives, const char *name,
                                            tp_program **program) {
    struct program_error error = {{0}};
    struct program_header header;
    *program = NULL;
    name = name ? name : "program";
    if ((unsigned)type >= PROGRAM_TYPES)
        return device_fail(device, TP_ERROR_INVALID, "unknown stage %d", (int)type);
    if (!read_directives(device, type, directives ? directives : "", name, &header))
        return TP_ERROR_PROGRAM;
    struct program *p = program_from_words((enum program_type)type, device->variant, &header, words,
                                           count, base, base, name, &error);
    return wrap_program(device, p, &error, program);
}

TP_API void tp_program_destroy(tp_program *program) {
    if (!program)
        return;
    program_unref(program->program);
    free(program);
}

/* ---- resources ---- */

void resource_unref(struct resource *r) {
    if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL))
        return;
    memory_free(r->device->memory, r->address);
    free(r); /* the first member of what it is part of */
}

void api_keep(tp_context *c, struct resource *r) {
    struct api_context *a = c->p->api;
    if (a->retired_count && a->retired[a->retired_count - 1] == r)
        return;
    if (!front_grow((void **)&a->retired, &a->retired_capacity, a->retired_count + 1,
                    sizeof *a->retired)) {
        context_flush(c); /* no room to remember it: be done with what may need it */
        return;
    }
    __atomic_add_fetch(&r->refs, 1, __ATOMIC_RELAXED);
    a->retired[a->retired_count++] = r;
}

void api_rebind(tp_context *c, struct resource **slot, struct resource *to) {
    struct resource *was = *slot;
    if (was == to)
        return;
    if (to)
        __atomic_add_fetch(&to->refs, 1, __ATOMIC_RELAXED);
    if (was && !scene_empty(c->p->scene))
        api_keep(c, was);
    resource_unref(was);
    *slot = to;
}

void api_release_retired(tp_context *c) {
    struct api_context *a = c->p->api;
    while (a->retired_count)
        resource_unref(a->retired[--a->retired_count]);
}

bool api_context_create(tp_context *c) {
    c->p->api = calloc(1, sizeof *c->p->api);
    return c->p->api;
}

static void unref_buffers(tp_buffer **buffer, size_t count) {
    for (size_t i = 0; i < count; i++)
        resource_unref(buffer[i] ? &buffer[i]->resource : NULL);
}

static void unref_textures(tp_texture **texture, size_t count) {
    for (size_t i = 0; i < count; i++)
        resource_unref(texture[i] ? &texture[i]->resource : NULL);
}

void api_context_destroy(tp_context *c) {
    struct api_context *a = c->p->api;
    api_release_retired(c);
    unref_textures(&a->texture[0][0], PROGRAM_TYPES * STATE_TEXTURES);
    unref_buffers(&a->constants[0][0], PROGRAM_TYPES * STATE_CONST_SLOTS);
    unref_buffers(&a->own_constants[0][0], PROGRAM_TYPES * STATE_CONST_SLOTS);
    unref_buffers(a->vertices, STATE_ARRAYS);
    unref_buffers(a->global, STATE_GLOBALS);
    unref_textures(a->color, RASTER_TARGETS);
    unref_textures(&a->zeta, 1);
    for (int i = 0; i < PROGRAM_TYPES; i++)
        program_unref(a->program[i]);
    free(a->retired);
    free(a);
}

/* ---- buffers ---- */

TP_API enum tp_result tp_buffer_create(tp_device *device, uint64_t size, const void *data,
                                       tp_buffer **buffer) {
    *buffer = NULL;
    if (!size)
        return device_fail(device, TP_ERROR_INVALID, "a buffer of 0 bytes: at least 1 is needed");
    tp_buffer *b = calloc(1, sizeof *b);
    const uint64_t address = b ? memory_alloc(device->memory, size, 256) : 0;
    if (!address) {
        free(b);
        return device_fail(device, TP_ERROR_MEMORY, "out of memory for a buffer of %llu bytes",
                           (unsigned long long)size);
    }
    b->resource = (struct resource){1, device, address, size};
    if (data)
        memcpy(memory_at(device->memory, address, size), data, size);
    *buffer = b;
    return TP_OK;
}

TP_API void tp_buffer_destroy(tp_buffer *buffer) {
    resource_unref(buffer ? &buffer->resource : NULL);
}

TP_API uint64_t tp_buffer_size(const tp_buffer *buffer) {
    return buffer->resource.size;
}

TP_API uint64_t tp_buffer_address(const tp_buffer *buffer) {
    return buffer->resource.address;
}

static enum tp_result check_range(const tp_buffer *b, uint64_t offset, uint64_t size,
                                  const char *what) {
    if (offset <= b->resource.size && size <= b->resource.size - offset)
        return TP_OK;
    return device_fail(b->resource.device, TP_ERROR_INVALID,
                       "%s %llu bytes at offset %llu of a buffer of %llu bytes", what,
                       (unsigned long long)size, (unsigned long long)offset,
                       (unsigned long long)b->resource.size);
}

TP_API enum tp_result tp_buffer_write(tp_context *c, tp_buffer *buffer, uint64_t offset,
                                      const void *data, uint64_t size) {
    const enum tp_result result = check_range(buffer, offset, size, "writing");
    if (result != TP_OK || !size)
        return result;
    const uint64_t address = buffer->resource.address + offset;
    context_before_write(c, address, size);
    memcpy(memory_at(c->device->memory, address, size), data, size);
    return TP_OK;
}

TP_API enum tp_result tp_buffer_read(tp_context *c, tp_buffer *buffer, uint64_t offset, void *data,
                                     uint64_t size) {
    const enum tp_result result = check_range(buffer, offset, size, "reading");
    if (result != TP_OK || !size)
        return result;
    context_flush(c);
    memcpy(data, memory_at(c->device->memory, buffer->resource.address + offset, size), size);
    return TP_OK;
}
