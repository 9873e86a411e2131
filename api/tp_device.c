/* Devices, contexts and their statistics. In: options. Out: a context that belongs to the API and
 * holds references of every object that the state names. Must not know draws.
 */
#include "api/api.h"

#include <stdlib.h>

/* ---- devices ---- */

TP_API const char *tp_version(void) {
    return TP_VERSION;
}

TP_API const char *tp_message(const tp_device *device) {
    return device_message(device);
}

TP_API enum tp_result tp_device_create(const struct tp_device_info *info, tp_device **device) {
    FP_PLAIN_BLOCK;
    API_GIVEN(NULL, device);
    return device_create(info, -1, device);
}

TP_API void tp_device_destroy(tp_device *device) {
    FP_PLAIN_BLOCK;
    device_destroy(device);
}

TP_API int tp_device_threads(const tp_device *device) {
    return device ? device->threads : 0;
}

TP_API const char *tp_device_simd(const tp_device *device) {
    return device ? simd_name(device->simd) : "";
}

TP_API const char *tp_device_engine(const tp_device *device) {
    return device ? device_engine(device) : "";
}

/* ---- contexts ---- */

TP_API enum tp_result tp_context_create(tp_device *device, tp_context **context) {
    FP_PLAIN_BLOCK;
    API_GIVEN(device, context);
    *context = NULL;
    API_GIVEN(NULL, device);
    struct api_context *a = calloc(1, sizeof *a);
    if (!a)
        return device_fail(device, TP_ERROR_MEMORY, "out of memory for a context");
    const enum tp_result result = context_create(device, context);
    if (result != TP_OK) {
        free(a);
        return result;
    }
    device_ref(device);
    (*context)->state.sample.multisample = true; /* as in a zeroed tp_raster_state */
    (*context)->owner.self = a;
    (*context)->owner.work_done = api_release_retired;
    return TP_OK;
}

static void unref_buffers(tp_buffer **buffer, size_t count) {
    for (size_t i = 0; i < count; i++)
        resource_unref(buffer[i] ? &buffer[i]->resource : NULL);
}

static void unref_textures(tp_texture **texture, size_t count) {
    for (size_t i = 0; i < count; i++)
        resource_unref(texture[i] ? &texture[i]->resource : NULL);
}

TP_API void tp_context_destroy(tp_context *c) {
    FP_PLAIN_BLOCK;
    if (!c)
        return;
    if (api_shown == c) {
        api_refuse_shown(c, __func__);
        return;
    }
    struct api_context *a = api_bound(c);
    tp_device *const device = c->device;
    api_debug_forget(c);
    context_destroy(c);
    free(a->stop);
    unref_textures(&a->texture[0][0], PROGRAM_TYPES * STATE_TEXTURES);
    unref_buffers(&a->constants[0][0], PROGRAM_TYPES * STATE_CONST_SLOTS);
    unref_buffers(&a->own_constants[0][0], PROGRAM_TYPES * STATE_CONST_SLOTS);
    unref_buffers(a->vertices, STATE_ARRAYS);
    unref_buffers(a->global, STATE_GLOBALS);
    unref_buffers(&a->buffer_texture[0][0], PROGRAM_TYPES * STATE_TEXTURES);
    unref_buffers(a->stream, STATE_STREAMS);
    unref_buffers(&a->condition, 1);
    unref_textures(a->color, RASTER_TARGETS);
    unref_textures(&a->zeta, 1);
    for (int i = 0; i < PROGRAM_TYPES; i++)
        program_unref(a->program[i]);
    free(a->retired);
    free(a);
    device_destroy(device);
}

TP_API enum tp_result tp_finish(tp_context *c) {
    API_CONTEXT(c);
    return context_finish(c);
}

TP_API enum tp_result tp_get_statistics(tp_context *c, struct tp_statistics *statistics) {
    API_CONTEXT(c);
    API_GIVEN(c->device, statistics);
    context_statistics(c, statistics);
    return TP_OK;
}

TP_API enum tp_result tp_get_profile(tp_context *c, struct tp_profile *profile) {
    API_CONTEXT(c);
    API_GIVEN(c->device, profile);
    context_take_profile(c, profile);
    return TP_OK;
}

TP_API void tp_reset_statistics(tp_context *c) {
    FP_PLAIN_BLOCK;
    if (c && api_shown == c)
        api_refuse_shown(c, __func__);
    else if (c)
        context_reset_statistics(c);
}
