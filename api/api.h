/* The C API's objects and the bindings of a context. The room stands at the head of the pipeline:
 * its functions check arguments, write struct state and call pipeline/. Objects are reference
 * counted: the caller holds one reference, each binding another one. A reference that queued work
 * may need is dropped at the next flush. For the files of this room only.
 */
#pragma once

#include "base/fp_mode.h"
#include "include/teslapipe_debug.h"
#include "pipeline/context.h"
#include "tex/tex.h"

struct resource {
    int refs; /* atomic */
    tp_device *device;
    uint64_t address, size;
};

struct tp_buffer {
    struct resource resource;
};

struct tp_texture {
    struct resource resource;
    struct tp_texture_info info;
    struct tex_image image;
    struct tex_level level[TEX_MAX_LEVELS];
    uint64_t layer_stride;
    struct picture_window window; /* as tp_texture_set_window set it */
};

struct tp_program {
    struct program *program;
    tp_device *device;
};

struct api_context {
    tp_texture *texture[PROGRAM_TYPES][STATE_TEXTURES];
    tp_buffer *constants[PROGRAM_TYPES][STATE_CONST_SLOTS];
    tp_buffer *own_constants[PROGRAM_TYPES][STATE_CONST_SLOTS]; /* of tp_set_constants */
    tp_buffer *vertices[STATE_ARRAYS];
    tp_buffer *global[STATE_GLOBALS];
    tp_buffer *buffer_texture[PROGRAM_TYPES][STATE_TEXTURES];
    tp_buffer *stream[STATE_STREAMS], *condition;
    tp_texture *color[RASTER_TARGETS], *zeta;
    struct program *program[PROGRAM_TYPES];
    tp_debug_history *watched; /* the current history, or NULL */
    struct api_break *stop;    /* of tp_debug_break, or NULL */
    struct resource **retired;
    size_t retired_count, retired_capacity;
};

/* The context whose warp this thread shows to the function of tp_debug_break; NULL: none. The
 * thread holds up the context's work, so a call that waits for that work would wait for itself. */
extern _Thread_local const tp_context *api_shown;
enum tp_result api_refuse_shown(const tp_context *c, const char *function);
/* Guards at the beginning of functions. A function that computes has FP_PLAIN_BLOCK, of its own or
 * in API_CONTEXT or API_MAKES. API_CONTEXT: a context is given, and this thread does not hold up
 * its work. API_CONTEXT_ONLY: the same where the function only copies state or calls other
 * functions of the API. API_GIVEN: an argument is not NULL. API_GIVEN_AS: the same, for arguments
 * with another name in the public header. API_TRY: a check or a call succeeds; otherwise its result
 * is returned. */
#define API_CONTEXT(c)                                                                             \
    FP_PLAIN_BLOCK;                                                                                \
    API_CONTEXT_ONLY(c)
#define API_CONTEXT_ONLY(c)                                                                        \
    do {                                                                                           \
        if (!(c))                                                                                  \
            return device_fail(NULL, TP_ERROR_INVALID, "%s: no context", __func__);                \
        if (api_shown == (c))                                                                      \
            return api_refuse_shown(c, __func__);                                                  \
    } while (0)
#define API_TRY(call)                                                                              \
    do {                                                                                           \
        const enum tp_result tried_ = (call);                                                      \
        if (tried_ != TP_OK)                                                                       \
            return tried_;                                                                         \
    } while (0)
#define API_GIVEN(device, what) API_GIVEN_AS(device, what, #what)
#define API_GIVEN_AS(device, what, name)                                                           \
    do {                                                                                           \
        if (!(what))                                                                               \
            return device_fail(device, TP_ERROR_INVALID, "%s: " name " is NULL", __func__);        \
    } while (0)
/* API_MAKES: for functions that make an object of a device; *out is NULL until then. */
#define API_MAKES(device, out)                                                                     \
    FP_PLAIN_BLOCK;                                                                                \
    do {                                                                                           \
        API_GIVEN(device, out);                                                                    \
        *(out) = NULL;                                                                             \
        API_GIVEN(NULL, device);                                                                   \
    } while (0)
/* API_OWN: the object, if there is one, is of the context's device. API_OBJECT: there is an object,
 * and it is of the context's device. */
#define API_OWN(c, object, what)                                                                   \
    do {                                                                                           \
        if ((object) && (object)->resource.device != (c)->device)                                  \
            return context_fail(c, TP_ERROR_INVALID, "%s: the " what " is another device's",       \
                                __func__);                                                         \
    } while (0)
#define API_OBJECT(c, object, what)                                                                \
    do {                                                                                           \
        API_GIVEN((c)->device, object);                                                            \
        API_OWN(c, object, what);                                                                  \
    } while (0)

/* The bindings of a context that tp_context_create made. */
static inline struct api_context *api_bound(const tp_context *c) {
    return c->owner.self;
}
/* Drops the references that only queued work needed. self: struct api_context. */
void api_release_retired(void *self);

/* Replaces a binding. The old object lives until the queued work is done. */
void api_rebind(tp_context *c, struct resource **slot, struct resource *to);
#define API_REBIND(c, slot, object)                                                                \
    do {                                                                                           \
        struct resource *was_ = *(slot) ? &(*(slot))->resource : NULL;                             \
        *(slot) = (object);                                                                        \
        api_rebind(c, &was_, *(slot) ? &(*(slot))->resource : NULL);                               \
    } while (0)
/* Keeps an object until the queued work is done. */
void api_keep(tp_context *c, struct resource *r);
void resource_unref(struct resource *r); /* NULL is fine */

enum pixel_format api_format(enum tp_format format);
/* Describes one level of a texture as a surface at its GPU address. */
void api_level_surface(const tp_texture *t, uint32_t level, struct surface *s);
uint32_t api_level_width(const tp_texture *t, uint32_t level);
uint32_t api_level_height(const tp_texture *t, uint32_t level);
/* Checks that a rectangle lies in a level and layer and that rows of pitch bytes hold it.
 * Refuses multisample and compressed textures. */
enum tp_result api_check_rect(const tp_texture *t, uint32_t level, uint32_t layer,
                              const struct tp_rect *r, size_t pitch);
uint32_t api_level_layers(const tp_texture *t, uint32_t level);

/* tp_debug.c: ends the history of a context that is being destroyed. */
void api_debug_forget(tp_context *c);
/* tp_state.c: makes the fields of the state for a target. */
void api_target_state(const struct tp_target *t, struct target_state *out);
