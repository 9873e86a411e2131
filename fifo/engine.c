/* Engine objects and method dispatch: the pusher hands over methods, this file keeps their values
 * and calls the engines' handlers. In: a class number, method addresses and words. Out: handler
 * calls and register values. Knows the list of classes and their tables; must not know the meaning
 * of methods.
 */
#include "fifo/engine.h"
#include "base/format_text.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    uint32_t id;
    const struct engine_class *class;
} classes[] = {
    {0x5039, &engine_m2mf},       {0x502d, &engine_2d},           {0x5097, &engine_3d},
    {0x8297, &engine_3d},         {0x8397, &engine_3d},           {0x8597, &engine_3d},
    {0x8697, &engine_3d},         {0x50c0, &engine_compute},      {0x85c0, &engine_compute},
    {0x9039, &engine_m2mf_fermi}, {0x902d, &engine_2d},           {0x9097, &engine_3d_fermi},
    {0x9197, &engine_3d_fermi},   {0x9297, &engine_3d_fermi},     {0x90c0, &engine_compute_fermi},
    {0x906e, &engine_software},   {0xfffffff9, &engine_software},
};

/* Enters every method of the class and every entry of its arrays into place[]. Numbers without a
 * method get a place in reg[], too, because macros use unknown methods as memory. */
static void index_methods(struct engine *e) {
    const struct engine_class *class = e->class;
    const uint32_t first = class->number && engine_is_fermi(e) ? METHOD_SPACE_TESLA / 4 : 0;
    for (uint32_t i = 0; i < METHOD_WORDS; i++)
        e->place[i].home = (uint16_t)(first + i);
    for (size_t i = 0; i < class->method_count; i++) {
        const struct method *m = &class->method[i];
        const struct method_number n =
            class->number ? class->number[i] : (struct method_number){m->address, m->stride};
        for (uint32_t k = 0; n.first != NO_METHOD && k < (m->count ? m->count : 1u); k++)
            e->place[(n.first + k * n.stride) / 4] = (struct method_place){
                (uint16_t)(i + 1), (uint16_t)((m->address + k * m->stride) / 4)};
    }
}

struct engine *engine_create(struct channel *c, uint32_t class_id) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (classes[i].id != class_id)
            continue;
        struct engine *e = calloc(1, classes[i].class->size);
        if (!e)
            return NULL;
        e->class = classes[i].class;
        e->class_id = class_id;
        e->channel = c;
        e->log = channel_log(c);
        e->space = engine_is_fermi(e) ? METHOD_SPACE : METHOD_SPACE_TESLA;
        e->dirty = UINT64_MAX;
        index_methods(e);
        if (e->class->start)
            e->class->start(e);
        return e;
    }
    return NULL;
}

void engine_destroy(struct engine *e) {
    if (e && e->class->stop)
        e->class->stop(e);
    free(e);
}

static void unknown_method(struct engine *e, uint32_t address, uint32_t data) {
    uint8_t *logged = &e->unknown[address / 32];
    const uint8_t bit = (uint8_t)(1 << (address / 4) % 8);
    if (!(*logged & bit))
        log_message(channel_log(e->channel), LOG_WARNING,
                    "%s (%04x): ILLEGAL_METHOD %04x, data %08x", e->class->name, e->class_id,
                    address, data);
    *logged |= bit;
}

/* At level debug, logs a method: name, index in its array, data. */
static void trace_method(const struct engine *e, const struct method *m, uint32_t address,
                         const uint32_t *data, uint32_t count) {
    const struct log *log = e->log;
    char index[16] = "";
    if (m->count)
        snprintf(index, sizeof index, "(%u)",
                 (4 * e->place[address / 4].home - m->address) / m->stride);
    if (count == 1)
        log_message(log, LOG_DEBUG, "%s %04x %s%s = %08x", e->class->name, address, m->name, index,
                    *data);
    else
        log_message(log, LOG_DEBUG, "%s %04x %s%s = %08x ... %u words", e->class->name, address,
                    m->name, index, *data, count);
}

/* Sets the register of the method at this address and marks its unit as dirty. Returns the
 * method, or NULL if there is none. */
static inline const struct method *touch_method(struct engine *e, uint32_t address,
                                                struct method_place at, uint32_t data) {
    e->reg[at.home] = data;
    if (!at.method) {
        unknown_method(e, address, data);
        return NULL;
    }
    const struct method *m = &e->class->method[at.method - 1];
    e->dirty |= UINT64_C(1) << m->unit;
    return m;
}

static void send_consecutive(struct engine *e, uint32_t address, const uint32_t *data,
                             uint32_t count) {
    const bool traced = e->log->level >= LOG_DEBUG;
    for (uint32_t i = 0; i < count && address < e->space; i++, address += 4) {
        const struct method_place at = e->place[address / 4];
        const struct method *m = touch_method(e, address, at, data[i]);
        if (m && traced)
            trace_method(e, m, address, data + i, 1);
        if (m && m->call)
            m->call(e, 4u * at.home, data + i, 1);
    }
}

/* Sends all words to one method, in one call if the method is bulk. */
static void send_to_one(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    const struct method_place at = e->place[address / 4];
    const struct method *m = touch_method(e, address, at, data[count - 1]);
    if (m && e->log->level >= LOG_DEBUG)
        trace_method(e, m, address, data, count);
    if (!m || !m->call)
        return;
    if (m->bulk) {
        m->call(e, 4u * at.home, data, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        e->reg[at.home] = data[i];
        m->call(e, 4u * at.home, data + i, 1);
    }
}

uint32_t engine_register(const struct engine *e, uint32_t address) {
    return e->reg[e->place[address % METHOD_SPACE / 4].home];
}

void engine_method(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count,
                   bool increment) {
    if (increment)
        send_consecutive(e, address, data, count);
    else
        send_to_one(e, address, data, count);
}

void engine_complain(struct engine *e, uint32_t address, const char *format, ...) {
    char text[256];
    FORMAT_TEXT(text, format);
    if (!channel_first_time(e->channel, address, text))
        return;
    const char *name = "?";
    for (uint32_t i = 0; i < METHOD_WORDS; i++)
        if (4u * e->place[i].home == address && e->place[i].method) {
            name = e->class->method[e->place[i].method - 1].name;
            address = 4 * i;
            break;
        }
    log_message(channel_log(e->channel), LOG_WARNING, "%s (%04x): DATA_ERROR at %s (%04x): %s",
                e->class->name, e->class_id, name, address, text);
}

void engine_check(struct engine *e, uint32_t address, enum tp_result result) {
    if (result == TP_ERROR_MEMORY)
        channel_lack_memory(e->channel);
    if (result != TP_OK)
        engine_complain(e, address, "%s", device_message(engine_context(e)->device));
}

void engine_define_constants(struct engine *e, uint64_t address, uint32_t word) {
    const uint32_t size = word & 0xffff;
    state_touch(&engine_context(e)->state, GROUP_CONSTANT);
    engine_context(e)->state.const_buffer[word >> 16 & 0x7f] =
        (struct const_buffer){.address = address, .size = size ? size : 0x10000};
}

void engine_bind_constants(struct engine *e, enum program_type stage, uint32_t word) {
    struct state *s = &engine_context(e)->state;
    const int16_t id = word & 1 ? (int16_t)(word >> 12 & 0x7f) : -1;
    state_touch(s, GROUP_CONSTANT);
    s->const_binding[stage][word >> 8 & 0xf] = id;
    if (stage == PROGRAM_VP)
        s->const_binding[PROGRAM_CP][word >> 8 & 0xf] = id;
}

void engine_write_constants(struct engine *e, uint32_t method, uint32_t *position,
                            const uint32_t *data, uint32_t count) {
    const struct const_buffer *b = &engine_context(e)->state.const_buffer[*position & 0x7f];
    const uint64_t offset = (uint64_t)(*position >> 8 & 0x3fff) * 4, bytes = 4ull * count;
    *position = (*position & 0x7f) | ((*position >> 8) + count) << 8;
    if (offset + bytes > b->size) {
        engine_complain(e, method, "beyond the end of constant buffer %u", *position & 0x7f);
        return;
    }
    void *at = channel_write_at(e->channel, b->address + offset, bytes);
    if (at)
        memcpy(at, data, bytes);
}
