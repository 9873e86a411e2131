/* The constants of a stage: the bytes of c[] that its program can reach are copied out of memory
 * when a draw is captured; draws that find the same bytes share the copy. In: GROUP_CONSTANT,
 * memory. Out: views of copies in the scene's memory. Must not know programs beyond the constants
 * they read.
 */
#include "pipeline/state/build.h"

#include <string.h>

/* Finds the host address of the buffer and how many bytes may be read there. */
static void locate_buffer(tp_context *c, const struct const_buffer *b, struct const_copy *copy) {
    if (copy->located && copy->address == b->address &&
        copy->located >= c->p->captured.event[EVENT_MAPPED])
        return;
    *copy = (struct const_copy){.address = b->address, .located = scene_now(c->p->scene)};
    copy->host = memory_view(c->device->memory, b->address, &copy->extent);
}

/* Bytes of a buffer that the program can reach. */
static uint32_t reach(tp_context *c, const struct const_buffer *b, struct const_copy *copy,
                      uint32_t need) {
    locate_buffer(c, b, copy);
    const uint32_t size = b->size < need ? b->size : need;
    return copy->extent < size ? (uint32_t)copy->extent : size;
}

/* From now on constants_written() looks at this copy. */
static void note_copy(struct captured *p, int id, uint64_t epoch) {
    if (p->copied_epoch != epoch)
        p->copied_count = 0;
    p->copied_epoch = epoch;
    p->copied[p->copied_count++] = (uint8_t)id;
}

static bool capture_const(tp_context *c, int id, uint32_t need, struct const_view *view) {
    struct captured *p = &c->p->captured;
    struct const_copy *copy = &p->const_copy[id];
    const uint32_t size = reach(c, &c->state.const_buffer[id], copy, need);
    *view = (struct const_view){NULL, size};
    if (!size)
        return true;
    const uint64_t epoch = scene_epoch(c->p->scene);
    if (copy->epoch != epoch || copy->size < size || memcmp(copy->data, copy->host, size) != 0) {
        uint8_t *bytes = scene_alloc(c->p->scene, size);
        if (!bytes)
            return false;
        memcpy(bytes, copy->host, size);
        if (copy->epoch != epoch)
            note_copy(p, id, epoch);
        copy->epoch = epoch;
        copy->data = bytes;
        copy->size = size;
    }
    view->data = copy->data;
    return true;
}

void settle_constants(tp_context *c, enum program_type stage) {
    const struct program_facts *f = &c->state.program[stage]->facts;
    for (uint32_t rest = f->const_slots; rest; rest &= rest - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(rest);
        const int id = c->state.const_binding[stage][slot] & (STATE_CONST_BUFFERS - 1);
        const struct const_buffer *b = &c->state.const_buffer[id];
        if (c->state.const_binding[stage][slot] < 0)
            continue;
        const uint32_t size = reach(c, b, &c->p->captured.const_copy[id], f->const_extent[slot]);
        if (size)
            context_before_read(c, b->address, size);
    }
}

static bool capture_slot(tp_context *c, enum program_type stage, unsigned slot,
                         struct const_view *view) {
    const uint32_t extent = c->state.program[stage]->facts.const_extent[slot];
    const int id = c->state.const_binding[stage][slot];
    *view = (struct const_view){NULL, 0};
    return id < 0 || capture_const(c, id & (STATE_CONST_BUFFERS - 1), extent, view);
}

bool capture_constants(tp_context *c, enum program_type stage, struct warp_env *env) {
    for (uint32_t rest = c->state.program[stage]->facts.const_slots; rest; rest &= rest - 1) {
        const unsigned slot = (unsigned)__builtin_ctz(rest);
        if (!capture_slot(c, stage, slot, &env->c[slot]))
            return false;
    }
    return true;
}

bool renew_constants(tp_context *c, enum program_type stage, const struct warp_env **env) {
    struct const_view now[STATE_CONST_SLOTS];
    const uint32_t slots = c->state.program[stage]->facts.const_slots;
    bool same = true;
    for (uint32_t rest = slots; rest; rest &= rest - 1) {
        const unsigned i = (unsigned)__builtin_ctz(rest);
        if (!capture_slot(c, stage, i, &now[i]))
            return false;
        same &= now[i].data == (*env)->c[i].data && now[i].size == (*env)->c[i].size;
    }
    if (same)
        return true;
    struct warp_env *copy = scene_alloc(c->p->scene, sizeof *copy);
    if (!copy)
        return false;
    *copy = **env;
    for (uint32_t rest = slots; rest; rest &= rest - 1)
        copy->c[__builtin_ctz(rest)] = now[__builtin_ctz(rest)];
    *env = copy;
    return true;
}

void constants_written(tp_context *c, uint64_t address, uint64_t size) {
    const struct captured *p = &c->p->captured;
    if (p->copied_epoch != scene_epoch(c->p->scene))
        return;
    for (uint32_t i = 0; i < p->copied_count; i++) {
        const struct const_copy *copy = &p->const_copy[p->copied[i]];
        if (copy->address < address + size && address < copy->address + copy->size)
            note_event(c, EVENT_CONSTANTS);
    }
}
