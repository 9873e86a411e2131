/* Buffers of the C API, and the lifetime of resources. In: sizes, ranges and data, checked here.
 * Out: GPU memory with reference counts. Must not know which bindings there are.
 */
#include "api/api.h"

#include <stdlib.h>

/* ---- resources ---- */

void resource_unref(struct resource *r) {
    if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL))
        return;
    tp_device *const device = r->device;
    memory_free(device->memory, r->address);
    free(r); /* the resource is the first member of its object */
    device_destroy(device);
}

void api_keep(tp_context *c, struct resource *r) {
    struct api_context *a = api_bound(c);
    if (a->retired_count && a->retired[a->retired_count - 1] == r)
        return;
    if (!ARRAY_ROOM(a->retired, a->retired_capacity, a->retired_count + 1)) {
        FP_PLAIN_BLOCK;
        context_flush(c); /* no memory for the list: finish the work that may need the object */
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
    if (was && !context_idle(c))
        api_keep(c, was);
    resource_unref(was);
    *slot = to;
}

void api_release_retired(void *self) {
    struct api_context *a = self;
    while (a->retired_count)
        resource_unref(a->retired[--a->retired_count]);
}

/* ---- buffers ---- */

TP_API enum tp_result tp_buffer_create(tp_device *device, uint64_t size, const void *data,
                                       tp_buffer **buffer) {
    API_MAKES(device, buffer);
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
    device_ref(device);
    if (data)
        memcpy(memory_at(device->memory, address, size), data, size);
    *buffer = b;
    return TP_OK;
}

TP_API void tp_buffer_destroy(tp_buffer *buffer) {
    resource_unref(buffer ? &buffer->resource : NULL);
}

TP_API uint64_t tp_buffer_size(const tp_buffer *buffer) {
    return buffer ? buffer->resource.size : 0;
}

TP_API uint64_t tp_buffer_address(const tp_buffer *buffer) {
    return buffer ? buffer->resource.address : 0;
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
    API_CONTEXT(c);
    API_OBJECT(c, buffer, "buffer");
    API_TRY(check_range(buffer, offset, size, "writing"));
    if (!size)
        return TP_OK;
    API_GIVEN(c->device, data);
    const uint64_t address = buffer->resource.address + offset;
    context_before_write(c, address, size);
    memcpy(memory_at(c->device->memory, address, size), data, size);
    return TP_OK;
}

TP_API void *tp_buffer_map(tp_context *c, tp_buffer *buffer, uint64_t offset, uint64_t size) {
    FP_PLAIN_BLOCK;
    if (!c || !buffer || buffer->resource.device != c->device) {
        device_fail(c ? c->device : NULL, TP_ERROR_INVALID, "%s: no context or buffer of it",
                    __func__);
        return NULL;
    }
    if (api_shown == c) {
        api_refuse_shown(c, __func__);
        return NULL;
    }
    if (check_range(buffer, offset, size, "mapping") != TP_OK)
        return NULL;
    context_flush(c);
    context_memory_changed(c);
    return memory_at(c->device->memory, buffer->resource.address + offset, size);
}

TP_API enum tp_result tp_buffer_copy(tp_context *c, tp_buffer *to, uint64_t to_offset,
                                     tp_buffer *from, uint64_t from_offset, uint64_t size) {
    API_CONTEXT(c);
    API_OBJECT(c, to, "buffer");
    API_OBJECT(c, from, "buffer");
    API_TRY(check_range(to, to_offset, size, "copying"));
    API_TRY(check_range(from, from_offset, size, "copying"));
    if (!size)
        return TP_OK;
    const uint64_t target = to->resource.address + to_offset;
    context_flush(c);
    context_before_write(c, target, size);
    memmove(memory_at(c->device->memory, target, size),
            memory_at(c->device->memory, from->resource.address + from_offset, size), size);
    return TP_OK;
}

TP_API enum tp_result tp_buffer_read(tp_context *c, tp_buffer *buffer, uint64_t offset, void *data,
                                     uint64_t size) {
    API_CONTEXT(c);
    API_OBJECT(c, buffer, "buffer");
    API_TRY(check_range(buffer, offset, size, "reading"));
    if (!size)
        return TP_OK;
    API_GIVEN(c->device, data);
    context_flush(c);
    memcpy(data, memory_at(c->device->memory, buffer->resource.address + offset, size), size);
    return TP_OK;
}
