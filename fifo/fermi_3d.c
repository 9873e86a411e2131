/* Methods of Fermi's 3D class (9097 .. 9297) with an immediate effect that Tesla's class does not
 * have, or has in another form: draws, clears, constants, bindings, transform feedback, uploads of
 * macros. In: method words. Out: pipeline calls. Must not know OpenGL. Facts: fermi-3d.md §4.
 */
#include "fifo/engine_3d.h"
#include "fifo/macro.h"

#include <math.h>

/* ---- macros ---- */

void macro_upload(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    struct macro *m = channel_macro(e->channel);
    enum macro_result result = MACRO_DONE;
    if (m && macro_method(m, NULL, address - FERMI_HOME, *data, &result) && macro_is_error(result))
        engine_complain(e, address, "%s", macro_text(result));
}

/* ---- draws ---- */

enum { BEGIN_NEXT = 1 << 26, BEGIN_SAME = 1 << 27, BEGIN_PRIMITIVE = 0xff };

void fermi_begin(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_3d_begin(e, address, *data & BEGIN_PRIMITIVE,
                    *data & BEGIN_NEXT   ? DRAW_INSTANCE_NEXT
                    : *data & BEGIN_SAME ? DRAW_INSTANCE_SAME
                                         : DRAW_INSTANCE_FIRST);
}

/* Draws indices of an array in memory. Indices beyond the array's limit are dropped. */
void fermi_index_batch(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    const uint32_t format = reg_at(e, M_INDEX_FORMAT), first = reg_at(e, M_INDEX_BATCH_FIRST);
    const uint64_t start = reg_address(e, M_INDEX_ARRAY_START_HIGH);
    const uint64_t end = reg_address(e, M_INDEX_ARRAY_LIMIT_HIGH) + 1;
    if (!engine_3d_in_draw(e, address))
        return;
    if (format > 2) {
        engine_complain(e, M_INDEX_FORMAT, "index format %u", format);
        return;
    }
    const uint64_t at = start + ((uint64_t)first << format);
    const uint64_t most = end > at ? (end - at) >> format : 0;
    if (*data > most)
        engine_complain(e, address, "%u indices from %u on, but the array ends after %llu", *data,
                        first, (unsigned long long)(end > start ? (end - start) >> format : 0));
    engine_check(e, address,
                 draw_indices_memory(engine_context(e), at, *data < most ? *data : (uint32_t)most,
                                     1u << format));
}

/* ---- current attributes ---- */

enum { ATTR_SNORM = 1, ATTR_UNORM, ATTR_SINT, ATTR_UINT, ATTR_USCALED, ATTR_SSCALED, ATTR_FLOAT };

static uint32_t float_bits(float v) {
    union {
        float f;
        uint32_t u;
    } bits = {v};
    return bits.u;
}

static float half_value(uint32_t h) {
    const int exponent = (int)(h >> 10 & 31);
    const float mantissa = (float)(h & 0x3ff);
    const float v = exponent == 31 ? (h & 0x3ff ? NAN : INFINITY)
                    : exponent     ? ldexpf(1024 + mantissa, exponent - 25)
                                   : ldexpf(mantissa, -24);
    return h & 0x8000 ? -v : v;
}

/* The attribute's word for a component: integers are extended to 32 bits, others become floats. */
static uint32_t component_word(uint32_t raw, unsigned bits, unsigned type) {
    const uint32_t v = bits == 32 ? raw : raw & ((1u << bits) - 1);
    const int32_t s = bits == 32 ? (int32_t)raw : (int32_t)(v << (32 - bits)) >> (32 - bits);
    const double most = (double)((UINT64_C(1) << bits) - 1),
                 half = (double)(UINT64_C(1) << (bits - 1));
    switch (type) {
    case ATTR_SNORM:
        return float_bits((float)(s < -(half - 1) ? -1.0 : s / (half - 1)));
    case ATTR_UNORM:
        return float_bits((float)(v / most));
    case ATTR_USCALED:
        return float_bits((float)v);
    case ATTR_SSCALED:
        return float_bits((float)s);
    case ATTR_SINT:
        return (uint32_t)s;
    case ATTR_FLOAT:
        return bits == 16 ? float_bits(half_value(v)) : v;
    default:
        return v;
    }
}

/* VTX_ATTR_DEFINE sets a current attribute: its first word names the attribute and the form of the
 * words that follow. */
void fermi_attribute(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    static const uint8_t sizes[8] = {0, 8, 16, 0, 32};
    const uint32_t define = reg_at(e, M_VTX_ATTR_DEFINE), word = (address - M_VTX_ATTR_DEFINE) / 4;
    const uint32_t i = define & 0xff, components = define >> 8 & 7;
    const unsigned bits = sizes[define >> 12 & 7], type = define >> 16 & 7;
    if (!word)
        return;
    if (i >= STATE_ATTRIBUTES || !bits || components < 1 || components > 4) {
        engine_complain(e, M_VTX_ATTR_DEFINE, "attribute %u, %u components of %u bits", i,
                        components, bits);
        return;
    }
    struct state *s = &engine_context(e)->state;
    const unsigned each = 32 / bits;
    const bool integer = type == ATTR_SINT || type == ATTR_UINT;
    state_touch(s, GROUP_FETCH);
    for (unsigned k = 0; k < each; k++) {
        const uint32_t component = (word - 1) * each + k;
        if (component < components)
            s->current[i][component] = component_word(*data >> bits % 32 * k, bits, type);
    }
    for (uint32_t k = components; k < 4; k++)
        s->current[i][k] = k < 3 ? 0 : integer ? 1 : 0x3f800000;
}

/* ---- clears ---- */

enum { REGION_STENCIL_MASK = 1, REGION_SCISSOR = 0x100, REGION_VIEWPORT = 0x1000 };

/* CLEAR_REGION tells what limits a clear. Without its bits for scissor and viewport, only the
 * screen scissor limits clears. */
void fermi_clear(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    const uint32_t region = reg_at(e, M_CLEAR_REGION);
    struct state *s = &engine_context(e)->state;
    state_3d_update_targets((struct engine_3d *)e);
    struct raster_rect rect = s->screen_scissor;
    if (region & REGION_VIEWPORT)
        raster_rect_limit(&rect, &s->viewport[0].rect);
    if (region & REGION_SCISSOR && s->viewport[0].scissor_enable)
        raster_rect_limit(&rect, &s->viewport[0].scissor);
    engine_3d_clear(e, address, *data, &rect, region & REGION_STENCIL_MASK);
}

/* ---- constants and textures ---- */

/* The stages of the entries of the binding methods, in order. */
static const uint8_t bind_stage[5] = {PROGRAM_VP, PROGRAM_TCP, PROGRAM_TEP, PROGRAM_GP, PROGRAM_FP};

void fermi_bind_constants(struct engine *e, enum program_type stage, uint32_t slot, bool valid,
                          uint64_t address, uint32_t size) {
    struct state *s = &engine_context(e)->state;
    const uint32_t id = (uint32_t)stage * STATE_CONST_SLOTS + slot;
    if (slot >= STATE_CONST_SLOTS) {
        engine_complain(e, M_CB_BIND, "c[] index %u", slot);
        return;
    }
    state_touch(s, GROUP_CONSTANT);
    s->const_buffer[id] = (struct const_buffer){.address = address, .size = size};
    s->const_binding[stage][slot] = valid ? (int16_t)id : -1;
}

/* Binds the buffer of CB_ADDRESS and CB_SIZE to a stage. */
void fermi_cb_bind(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    fermi_bind_constants(e, bind_stage[(address - M_CB_BIND) / 32], *data >> 4 & 0x1f, *data & 1,
                         reg_address(e, M_CB_ADDRESS_HIGH), reg_at(e, M_CB_SIZE));
}

void fermi_write_constants(struct engine *e, uint32_t method, uint64_t address, uint32_t size,
                           uint32_t *position, const uint32_t *data, uint32_t count) {
    const uint32_t offset = *position;
    *position += 4 * count;
    if ((uint64_t)offset + 4ull * count > size) {
        engine_complain(e, method, "beyond the end of a constant buffer");
        return;
    }
    void *at = channel_write_at(e->channel, address + offset, 4ull * count);
    if (at)
        memcpy(at, data, 4ull * count);
}

void fermi_cb_data(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count) {
    fermi_write_constants(e, address, reg_address(e, M_CB_ADDRESS_HIGH), reg_at(e, M_CB_SIZE),
                          &e->reg[M_CB_POS / 4], data, count);
}

void fermi_bind_tic(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_3d_bind_tic(e, address, bind_stage[(address - M_BIND_TIC_FERMI) / 32], *data);
}

void fermi_bind_tsc(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_3d_bind_tsc(e, address, bind_stage[(address - M_BIND_TSC_FERMI) / 32], *data);
}

/* Later draws read programs and constants from memory again. */
void fermi_barrier(struct engine *e, uint32_t, const uint32_t *, uint32_t) {
    context_memory_changed(engine_context(e));
}

/* ---- transform feedback ---- */

void fermi_tfb_offset(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    engine_context(e)->state.stream.buffer[(address - M_TFB_BUFFER_OFFSET) / 32].offset = *data;
}
