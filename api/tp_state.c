/* Bindings and state of the C API: each function checks its arguments and writes fields of the
 * hardware state. In: public structs. Out: tp_context.state. Must not know when work runs.
 */
#include "api/api.h"

#include "pipeline/front/primitive_assembly.h"

#include "pipeline/state/from_gl.h"

static uint32_t or_default(uint32_t value, uint32_t otherwise) {
    return value ? value : otherwise;
}

static enum tp_result check_index(tp_context *c, const char *what, unsigned index, unsigned limit) {
    return index < limit ? TP_OK
                         : context_fail(c, TP_ERROR_INVALID, "%s %u: there are 0 to %u", what,
                                        index, limit - 1);
}

static enum tp_result check_slot(tp_context *c, enum tp_stage stage, const char *what,
                                 unsigned slot, unsigned limit) {
    if ((unsigned)stage >= PROGRAM_TYPES)
        return context_fail(c, TP_ERROR_INVALID, "unknown stage %d", (int)stage);
    return check_index(c, what, slot, limit);
}

/* ---- textures ---- */

static void sampler_words(const struct tp_sampler_info *info, uint32_t tsc[8]) {
    static const struct tp_sampler_info nearest;
    const struct tp_sampler_info *i = info ? info : &nearest;
    struct tex_sampler s = {
        .compare = i->compare,
        .compare_func = (uint8_t)(or_default(i->compare_func, TP_ALWAYS) - TP_NEVER) & 7,
        .mag_linear = i->mag == TP_FILTER_LINEAR,
        .min_linear = i->min == TP_FILTER_LINEAR,
        .mip = (uint8_t)(i->mip + 1),
        .lod_bias = i->lod_bias,
        .min_lod = i->min_lod,
        .max_lod = i->max_lod == 0 && i->mip != TP_MIP_NONE ? 15 : i->max_lod,
        .max_anisotropy =
            i->max_anisotropy < 16 ? (uint8_t)(i->max_anisotropy + !i->max_anisotropy) : 16,
    };
    for (int k = 0; k < 3; k++)
        s.wrap[k] = i->wrap[k];
    memcpy(s.border, i->border, sizeof s.border);
    memcpy(s.border_bits, i->border, sizeof s.border_bits);
    tex_sampler_tsc(&s, tsc);
}

static enum tp_result check_sampler(tp_context *c, const struct tp_sampler_info *s) {
    if (!s)
        return TP_OK;
    for (int k = 0; k < 3; k++)
        if ((unsigned)s->wrap[k] > TP_WRAP_MIRROR_ONCE)
            return context_fail(c, TP_ERROR_INVALID, "sampler: unknown wrap mode %d",
                                (int)s->wrap[k]);
    if ((unsigned)s->mag > TP_FILTER_LINEAR || (unsigned)s->min > TP_FILTER_LINEAR ||
        (unsigned)s->mip > TP_MIP_LINEAR)
        return context_fail(c, TP_ERROR_INVALID, "sampler: unknown filter");
    if (s->compare && s->compare_func &&
        (s->compare_func < TP_NEVER || s->compare_func > TP_ALWAYS))
        return context_fail(c, TP_ERROR_INVALID, "sampler: unknown compare function 0x%x",
                            s->compare_func);
    return TP_OK;
}

TP_API enum tp_result tp_bind_texture(tp_context *c, enum tp_stage stage, unsigned slot,
                                      tp_texture *texture, const struct tp_sampler_info *sampler) {
    API_CONTEXT(c);
    API_OWN(c, texture, "texture");
    API_TRY(check_slot(c, stage, "texture slot", slot, STATE_TEXTURES));
    API_TRY(check_sampler(c, sampler));
    if (texture && texture->info.samples > 1)
        return context_fail(c, TP_ERROR_INVALID,
                            "texture slot %u: a multisample texture cannot be sampled", slot);
    struct descriptor_binding *tic = &c->state.tic[stage][slot], *tsc = &c->state.tsc[stage][slot];
    API_REBIND(c, &api_bound(c)->texture[stage][slot], texture);
    API_REBIND(c, &api_bound(c)->buffer_texture[stage][slot], (tp_buffer *)NULL);
    state_touch(&c->state, GROUP_TEXTURE);
    memset(tic, 0, sizeof *tic);
    memset(tsc, 0, sizeof *tsc);
    if (!texture)
        return TP_OK;
    tic->valid = tic->raw = tsc->valid = tsc->raw = true;
    tex_image_tic(&texture->image, 0, texture->info.levels - 1, tic->word);
    sampler_words(sampler, tsc->word);
    return TP_OK;
}

enum { MOST_TEXELS = (1 << 30) - 1, MOST_BYTES = INT32_MAX }; /* of a buffer texture */

TP_API enum tp_result tp_bind_buffer_texture(tp_context *c, enum tp_stage stage, unsigned slot,
                                             tp_buffer *buffer, uint64_t offset,
                                             enum tp_format format, uint32_t count) {
    API_CONTEXT(c);
    API_TRY(check_slot(c, stage, "texture slot", slot, STATE_TEXTURES));
    if (!buffer)
        return tp_bind_texture(c, stage, slot, NULL, NULL);
    API_OWN(c, buffer, "buffer");
    const struct format_info *f = format_info(api_format(format));
    if (api_format(format) == FORMAT_NONE || f->zeta || f->compressed)
        return context_fail(c, TP_ERROR_INVALID,
                            "buffer texture: format %d cannot be read from a buffer", (int)format);
    if (!count || count > MOST_TEXELS || (uint64_t)count * f->bytes > MOST_BYTES || offset % 256 ||
        offset > buffer->resource.size ||
        (uint64_t)count * f->bytes > buffer->resource.size - offset)
        return context_fail(
            c, TP_ERROR_INVALID,
            "buffer texture: %u texels at offset %llu of a buffer of %llu: must lie inside the "
            "buffer and begin at a multiple of 256, at most %d texels in less than 2 GiB",
            count, (unsigned long long)offset, (unsigned long long)buffer->resource.size,
            MOST_TEXELS);
    const struct tex_image image = {.address = buffer->resource.address + offset,
                                    .format = api_format(format),
                                    .dim = TEX_BUFFER,
                                    .width = count,
                                    .height = 1,
                                    .linear = true};
    uint32_t tic[8], tsc[8];
    tex_image_tic(&image, 0, 0, tic);
    sampler_words(NULL, tsc);
    const enum tp_result bound = tp_bind_descriptors(c, stage, slot, tic, tsc);
    API_REBIND(c, &api_bound(c)->buffer_texture[stage][slot], buffer);
    return bound;
}

TP_API enum tp_result tp_set_seamless_cubes(tp_context *c, bool seamless) {
    API_CONTEXT_ONLY(c);
    state_touch(&c->state, GROUP_TEXTURE);
    c->state.seamless_cube = seamless;
    return TP_OK;
}

TP_API enum tp_result tp_bind_descriptors(tp_context *c, enum tp_stage stage, unsigned slot,
                                          const uint32_t tic[8], const uint32_t tsc[8]) {
    API_CONTEXT_ONLY(c);
    API_TRY(check_slot(c, stage, "texture slot", slot, STATE_TEXTURES));
    API_REBIND(c, &api_bound(c)->texture[stage][slot], (tp_texture *)NULL);
    API_REBIND(c, &api_bound(c)->buffer_texture[stage][slot], (tp_buffer *)NULL);
    state_touch(&c->state, GROUP_TEXTURE);
    struct descriptor_binding *const binding[2] = {&c->state.tic[stage][slot],
                                                   &c->state.tsc[stage][slot]};
    const uint32_t *const words[2] = {tic, tsc};
    for (int i = 0; i < 2; i++) {
        memset(binding[i], 0, sizeof *binding[i]);
        if (!words[i])
            continue;
        binding[i]->valid = binding[i]->raw = true;
        memcpy(binding[i]->word, words[i], 32);
    }
    return TP_OK;
}

/* ---- targets ---- */

static enum tp_result check_target(tp_context *c, const struct tp_target *t, bool zeta,
                                   unsigned index) {
    const char *const what = zeta ? "zeta" : "colour";
    if (t->texture->resource.device != c->device)
        return context_fail(c, TP_ERROR_INVALID, "%s target %u: the texture is another device's",
                            what, index);
    const struct tp_texture_info *i = &t->texture->info;
    const struct format_info *f = format_info(api_format(i->format));
    if (!zeta && !f->zeta && !format_color_code(api_format(i->format)))
        return context_fail(c, TP_ERROR_INVALID, "colour target %u: nothing can be drawn into %s",
                            index, f->name);
    if (f->zeta != zeta)
        return context_fail(c, TP_ERROR_INVALID, "%s target %u: format %s is %sa depth format",
                            what, index, f->name, zeta ? "not " : "");
    if (zeta && i->kind == TP_TEXTURE_3D)
        return context_fail(c, TP_ERROR_INVALID, "zeta target: a 3D texture holds no zeta");
    if (t->level >= i->levels)
        return context_fail(c, TP_ERROR_INVALID, "%s target %u: level %u, the texture has %u", what,
                            index, t->level, i->levels);
    if (t->level && t->texture->window.width)
        return context_fail(c, TP_ERROR_INVALID, "%s target %u: level %u of a window: must be 0",
                            what, index, t->level);
    if (t->layer >= api_level_layers(t->texture, t->level))
        return context_fail(c, TP_ERROR_INVALID, "%s target %u: layer %u, the texture has %u", what,
                            index, t->layer, api_level_layers(t->texture, t->level));
    if (t->layered && t->layer)
        return context_fail(c, TP_ERROR_INVALID, "%s target %u: layered, so layer must be 0", what,
                            index);
    return TP_OK;
}

void api_target_state(const struct tp_target *t, struct target_state *out) {
    struct surface s;
    api_level_surface(t->texture, t->level, &s);
    *out = (struct target_state){
        .address = t->texture->resource.address + t->texture->level[t->level].offset,
        .format = s.format,
        .linear = s.linear,
        .pitch = s.pitch,
        .width = s.width,
        .height = s.height,
        .tile_h = s.tile_h,
        .tile_d = s.tile_d,
        .layer_stride = s.layer_stride,
    };
    /* A tile of a 3D level may hold several slices, so a slice may begin inside a tile. */
    if (!t->layered)
        out->address += surface_offset(&s, 0, 0, t->layer);
}

struct target_facts { /* properties of all targets together */
    uint32_t width, height, layers, samples;
    bool is_3d, layered_3d, layered_other; /* kinds of colour targets */
    bool any;
    struct picture_window window;
};

static enum tp_result add_facts(tp_context *c, const struct tp_target *t, struct target_facts *f) {
    const uint32_t w = api_level_width(t->texture, t->level),
                   h = api_level_height(t->texture, t->level);
    const uint32_t layers = t->layered ? api_level_layers(t->texture, t->level) : 1;
    const uint32_t samples = t->texture->info.samples;
    if (f->any && f->samples != samples)
        return context_fail(c, TP_ERROR_INVALID, "targets with %u and %u samples cannot be mixed",
                            f->samples, samples);
    if (f->any && memcmp(&f->window, &t->texture->window, sizeof f->window) != 0)
        return context_fail(c, TP_ERROR_INVALID,
                            "targets need the same window (tp_texture_set_window)");
    f->window = t->texture->window;
    f->width = !f->any || w < f->width ? w : f->width;
    f->height = !f->any || h < f->height ? h : f->height;
    f->layers = !f->any || layers < f->layers ? layers : f->layers;
    f->samples = samples;
    f->any = true;
    return TP_OK;
}

/* Notes how the layers of a colour target lie in memory. Fails if layered 3D textures meet layered
 * textures of other kinds. A single slice of a 3D texture may stand beside targets of any kind. */
static enum tp_result add_kind(tp_context *c, const struct tp_target *t, struct target_facts *f) {
    const bool is_3d = t->texture->info.kind == TP_TEXTURE_3D;
    f->is_3d |= is_3d;
    f->layered_3d |= is_3d && t->layered;
    f->layered_other |= !is_3d && t->layered;
    if (f->layered_3d && f->layered_other)
        return context_fail(c, TP_ERROR_INVALID,
                            "layered targets of 3D textures cannot be mixed with others");
    return TP_OK;
}

static enum tp_result gather_facts(tp_context *c, unsigned count, const struct tp_target *color,
                                   const struct tp_target *zeta, struct target_facts *facts) {
    for (unsigned i = 0; i <= count; i++) {
        const struct tp_target *const t = i < count ? &color[i] : zeta;
        if (!t || !t->texture)
            continue;
        API_TRY(check_target(c, t, i == count, i == count ? 0 : i));
        API_TRY(add_facts(c, t, facts));
        if (i < count)
            API_TRY(add_kind(c, t, facts));
    }
    return TP_OK;
}

TP_API enum tp_result tp_set_targets(tp_context *c, unsigned color_count,
                                     const struct tp_target *color, const struct tp_target *zeta) {
    API_CONTEXT(c);
    if (color_count)
        API_GIVEN(c->device, color);
    struct state *s = &c->state;
    struct target_facts facts = {.samples = 1, .layers = 1};
    if (color_count > RASTER_TARGETS)
        return context_fail(c, TP_ERROR_INVALID, "%u colour targets: at most %d", color_count,
                            RASTER_TARGETS);
    API_TRY(gather_facts(c, color_count, color, zeta, &facts));
    s->color_count = (uint8_t)color_count;
    state_touch(s, GROUP_TARGET);
    for (unsigned i = 0; i < RASTER_TARGETS; i++) {
        tp_texture *texture = i < color_count ? color[i].texture : NULL;
        API_REBIND(c, &api_bound(c)->color[i], texture);
        memset(&s->color[i], 0, sizeof s->color[i]);
        if (texture)
            api_target_state(&color[i], &s->color[i]);
    }
    API_REBIND(c, &api_bound(c)->zeta, zeta ? zeta->texture : NULL);
    memset(&s->zeta, 0, sizeof s->zeta);
    if (zeta && zeta->texture)
        api_target_state(zeta, &s->zeta);
    s->samples = (uint8_t)facts.samples;
    s->layers = facts.layers;
    s->layers_3d = facts.is_3d;
    s->window = facts.window;
    if (facts.window.width) {
        facts.width = facts.window.width;
        facts.height = facts.window.height;
    }
    tp_set_viewport(c, 0, 0, 0, (float)facts.width, (float)facts.height);
    return tp_set_scissor(c, 0, 0, 0, facts.width, facts.height);
}

TP_API enum tp_result tp_set_target(tp_context *c, tp_texture *color, tp_texture *zeta) {
    API_CONTEXT(c);
    const struct tp_target targets[2] = {{.texture = color}, {.texture = zeta}};
    return tp_set_targets(c, color ? 1 : 0, &targets[0], &targets[1]);
}

TP_API enum tp_result tp_set_tessellation(tp_context *c, const struct tp_tessellation_state *t) {
    API_CONTEXT(c);
    API_GIVEN_AS(c->device, t, "state");
    struct state *s = &c->state;
    if (!t->vertices || t->vertices > PATCH_VERTICES)
        return context_fail(c, TP_ERROR_INVALID, "patches of %u vertices (1 to %d)", t->vertices,
                            PATCH_VERTICES);
    if ((unsigned)t->domain > TP_DOMAIN_QUAD || (unsigned)t->spacing > TP_SPACING_EVEN)
        return context_fail(c, TP_ERROR_INVALID, "unknown domain or spacing of patches");
    state_touch(s, GROUP_PROGRAM);
    s->patch_vertices = (uint8_t)t->vertices;
    s->tess_mode = (struct tess_mode){.domain = (enum tess_domain)t->domain,
                                      .spacing = (enum tess_spacing)t->spacing,
                                      .primitives = t->points                  ? TESS_POINTS
                                                    : t->domain == TP_ISOLINES ? TESS_LINES
                                                                               : TESS_TRIANGLE_LIST,
                                      .clockwise = t->clockwise};
    memcpy(s->tess_levels.outer, t->outer, sizeof t->outer);
    memcpy(s->tess_levels.inner, t->inner, sizeof t->inner);
    return TP_OK;
}

/* ---- programs and constants ---- */

TP_API enum tp_result tp_bind_program(tp_context *c, enum tp_stage stage, tp_program *program) {
    API_CONTEXT_ONLY(c);
    if (program && program->device != c->device)
        return context_fail(c, TP_ERROR_INVALID, "%s: the program is another device's", __func__);
    if (program)
        stage = (enum tp_stage)program->program->type;
    if ((unsigned)stage >= PROGRAM_TYPES)
        return context_fail(c, TP_ERROR_INVALID, "unknown stage %d", (int)stage);
    struct program *p = program ? program_ref(program->program) : NULL;
    state_bind_program(&c->state, (enum program_type)stage, p);
    program_unref(api_bound(c)->program[stage]); /* queued draws hold their own references */
    api_bound(c)->program[stage] = p;
    return TP_OK;
}

static void define_constants(tp_context *c, enum tp_stage stage, unsigned slot, uint64_t address,
                             uint32_t size) {
    const int id = (int)stage * STATE_CONST_SLOTS + (int)slot;
    state_touch(&c->state, GROUP_CONSTANT);
    c->state.const_buffer[id] = (struct const_buffer){address, (size + 255) & ~255u};
    c->state.const_binding[stage][slot] = (int16_t)(address ? id : -1);
}

TP_API enum tp_result tp_bind_constants(tp_context *c, enum tp_stage stage, unsigned slot,
                                        tp_buffer *buffer, uint64_t offset, uint32_t size) {
    API_CONTEXT_ONLY(c);
    API_OWN(c, buffer, "buffer");
    API_TRY(check_slot(c, stage, "constant slot", slot, STATE_CONST_SLOTS));
    if (buffer && (offset % 256 || size > 0x10000 || offset > buffer->resource.size ||
                   size > buffer->resource.size - offset))
        return context_fail(
            c, TP_ERROR_INVALID,
            "constants: %u bytes at offset %llu of a buffer of %llu: at most 65536 bytes, which "
            "must lie inside the buffer and begin at a multiple of 256",
            size, (unsigned long long)offset, (unsigned long long)buffer->resource.size);
    API_REBIND(c, &api_bound(c)->constants[stage][slot], buffer);
    define_constants(c, stage, slot, buffer ? buffer->resource.address + offset : 0, size);
    return TP_OK;
}

TP_API enum tp_result tp_set_constants(tp_context *c, enum tp_stage stage, unsigned slot,
                                       const void *data, uint32_t size) {
    API_CONTEXT_ONLY(c);
    API_GIVEN(c->device, data);
    API_TRY(check_slot(c, stage, "constant slot", slot, STATE_CONST_SLOTS));
    if (!size || size > 0x10000)
        return context_fail(c, TP_ERROR_INVALID, "constants: %u bytes: 1 to 65536 can be set",
                            size);
    tp_buffer **own = &api_bound(c)->own_constants[stage][slot];
    if (!*own || (*own)->resource.size < size) {
        tp_buffer *bigger;
        API_TRY(tp_buffer_create(c->device, (size + 255) & ~255u, NULL, &bigger));
        API_REBIND(c, own, bigger);
        tp_buffer_destroy(bigger);
    }
    API_REBIND(c, &api_bound(c)->constants[stage][slot], (tp_buffer *)NULL);
    const uint64_t address = (*own)->resource.address;
    void *to = memory_at(c->device->memory, address, size);
    memcpy(to, data, size); /* earlier draws have captured the old contents */
    define_constants(c, stage, slot, address, size);
    return TP_OK;
}

/* ---- vertices ---- */

TP_API enum tp_result tp_bind_vertices(tp_context *c, unsigned array, tp_buffer *buffer,
                                       uint64_t offset, uint32_t stride, uint32_t divisor) {
    API_CONTEXT_ONLY(c);
    API_OWN(c, buffer, "buffer");
    API_TRY(check_index(c, "vertex array", array, STATE_ARRAYS));
    if (buffer && offset >= buffer->resource.size)
        return context_fail(
            c, TP_ERROR_INVALID, "vertex array %u: offset %llu is behind the buffer of %llu bytes",
            array, (unsigned long long)offset, (unsigned long long)buffer->resource.size);
    API_REBIND(c, &api_bound(c)->vertices[array], buffer);
    struct vertex_array *a = &c->state.array[array];
    state_touch(&c->state, GROUP_FETCH);
    memset(a, 0, sizeof *a);
    if (!buffer)
        return TP_OK;
    a->enable = true;
    a->per_instance = divisor != 0;
    a->divisor = divisor;
    a->stride = stride;
    a->start = buffer->resource.address + offset;
    a->limit = buffer->resource.address + buffer->resource.size - 1;
    return TP_OK;
}

/* bits of the first component; 10 and 11: the components have different sizes */
static const struct {
    uint8_t bits, type;
} attribute_types[] = {
    [TP_FLOAT32] = {32, 0x3f},
    [TP_FLOAT16] = {16, 0x3f},
    [TP_UNORM8] = {8, 0x12},
    [TP_SNORM8] = {8, 0x09},
    [TP_UNORM16] = {16, 0x12},
    [TP_SNORM16] = {16, 0x09},
    [TP_UINT8] = {8, 0x24},
    [TP_SINT8] = {8, 0x1b},
    [TP_UINT16] = {16, 0x24},
    [TP_SINT16] = {16, 0x1b},
    [TP_UINT32] = {32, 0x24},
    [TP_SINT32] = {32, 0x1b},
    [TP_USCALED8] = {8, 0x2d},
    [TP_SSCALED8] = {8, 0x36},
    [TP_USCALED16] = {16, 0x2d},
    [TP_SSCALED16] = {16, 0x36},
    [TP_UNORM10_10_10_2] = {10, 0x12},
    [TP_SNORM10_10_10_2] = {10, 0x09},
    [TP_UINT10_10_10_2] = {10, 0x24},
    [TP_SINT10_10_10_2] = {10, 0x1b},
    [TP_USCALED10_10_10_2] = {10, 0x2d},
    [TP_SSCALED10_10_10_2] = {10, 0x36},
    [TP_FLOAT11_11_10] = {11, 0x3f},
    [TP_USCALED32] = {32, 0x2d},
    [TP_SSCALED32] = {32, 0x36},
    [TP_UNORM32] = {32, 0x12},
    [TP_SNORM32] = {32, 0x09},
};

/* The hardware's format code for 1 to 4 components of `bits` bits each (10 and 11: packed
 * formats). */
static uint8_t attribute_format(uint8_t bits, unsigned components) {
    static const uint8_t code[3][4] = {
        {0x1d, 0x18, 0x13, 0x0a}, {0x1b, 0x0f, 0x05, 0x03}, {0x12, 0x04, 0x02, 0x01}};
    return bits == 11   ? 0x31
           : bits == 10 ? 0x30
                        : code[bits == 8    ? 0
                               : bits == 16 ? 1
                                            : 2][components - 1];
}

TP_API enum tp_result tp_set_attribute(tp_context *c, unsigned attribute, unsigned array,
                                       uint32_t offset, unsigned components,
                                       enum tp_attribute_type type) {
    API_CONTEXT_ONLY(c);
    API_TRY(check_index(c, "attribute", attribute, STATE_ATTRIBUTES));
    API_TRY(check_index(c, "vertex array", array, STATE_ARRAYS));
    const bool bgra = ((unsigned)type & TP_BGRA) != 0;
    type = (enum tp_attribute_type)((unsigned)type & ~(unsigned)TP_BGRA);
    if ((unsigned)type >= sizeof attribute_types / sizeof *attribute_types)
        return context_fail(c, TP_ERROR_INVALID, "attribute %u: unknown type 0x%x", attribute,
                            (unsigned)type | (bgra ? TP_BGRA : 0));
    const uint8_t bits = attribute_types[type].bits;
    const unsigned fixed = bits == 10 ? 4 : bits == 11 ? 3 : components;
    if (components < 1 || components > 4)
        return context_fail(c, TP_ERROR_INVALID, "attribute %u: %u components: must be 1 to 4",
                            attribute, components);
    if (components != fixed)
        return context_fail(c, TP_ERROR_INVALID, "attribute %u: %u components: this type needs %u",
                            attribute, components, fixed);
    if (offset > UINT16_MAX)
        return context_fail(c, TP_ERROR_INVALID, "attribute %u: offset %u: at most 65535",
                            attribute, offset);
    struct vertex_attribute *a = &c->state.attribute[attribute];
    state_touch(&c->state, GROUP_FETCH);
    memset(a, 0, sizeof *a);
    a->array = (uint8_t)array;
    a->offset = (uint16_t)offset;
    a->format = attribute_format(attribute_types[type].bits, components);
    a->type = attribute_types[type].type;
    a->bgra = bgra;
    a->given = true;
    return TP_OK;
}

TP_API enum tp_result tp_set_attribute_constant(tp_context *c, unsigned attribute,
                                                const float value[4]) {
    API_CONTEXT_ONLY(c);
    API_GIVEN(c->device, value);
    API_TRY(check_index(c, "attribute", attribute, STATE_ATTRIBUTES));
    state_touch(&c->state, GROUP_FETCH);
    c->state.attribute[attribute].constant = true;
    c->state.attribute[attribute].given = true;
    memcpy(c->state.current[attribute], value, sizeof c->state.current[attribute]);
    return TP_OK;
}

/* ---- viewport ---- */

TP_API enum tp_result tp_set_viewport_transform(tp_context *c, unsigned index, const float scale[3],
                                                const float translate[3]) {
    API_CONTEXT_ONLY(c);
    API_GIVEN(c->device, scale);
    API_GIVEN(c->device, translate);
    API_TRY(check_index(c, "viewport", index, STATE_VIEWPORTS));
    state_touch(&c->state, GROUP_VIEW);
    memcpy(c->state.viewport[index].scale, scale, 3 * sizeof *scale);
    memcpy(c->state.viewport[index].translate, translate, 3 * sizeof *translate);
    return TP_OK;
}

TP_API enum tp_result tp_set_window_coordinates(tp_context *c, bool on) {
    API_CONTEXT_ONLY(c);
    state_touch(&c->state, GROUP_VIEW);
    c->state.viewport_transform = !on;
    return TP_OK;
}

TP_API enum tp_result tp_set_viewport(tp_context *c, unsigned index, float x, float y, float width,
                                      float height) {
    API_CONTEXT(c);
    API_TRY(check_index(c, "viewport", index, STATE_VIEWPORTS));
    const float scale[3] = {width / 2, -height / 2, 0.5f};
    const float translate[3] = {x + width / 2, y + height / 2, 0.5f};
    if (!(width >= 0 && height >= 0))
        return context_fail(c, TP_ERROR_INVALID,
                            "viewport of %gx%g pixels: a side must not be negative", (double)width,
                            (double)height);
    c->state.viewport[index].depth.near = 0;
    c->state.viewport[index].depth.far = 1;
    return tp_set_viewport_transform(c, index, scale, translate);
}

TP_API enum tp_result tp_set_depth_range(tp_context *c, unsigned index, float near_value,
                                         float far_value) {
    API_CONTEXT(c);
    API_TRY(check_index(c, "viewport", index, STATE_VIEWPORTS));
    struct viewport_state *v = &c->state.viewport[index];
    state_touch(&c->state, GROUP_VIEW);
    v->depth.near = near_value;
    v->depth.far = far_value;
    v->scale[2] = (far_value - near_value) / 2;
    v->translate[2] = (far_value + near_value) / 2;
    return TP_OK;
}

TP_API enum tp_result tp_set_scissor(tp_context *c, unsigned index, uint32_t x, uint32_t y,
                                     uint32_t width, uint32_t height) {
    API_CONTEXT_ONLY(c);
    enum { FAR = 1 << 20 };
    API_TRY(check_index(c, "scissor", index, STATE_VIEWPORTS));
    const uint64_t x1 = (uint64_t)x + width, y1 = (uint64_t)y + height;
    state_touch(&c->state, GROUP_VIEW);
    c->state.viewport[index].scissor_enable = true;
    c->state.viewport[index].scissor =
        (struct raster_rect){(int32_t)(x < FAR ? x : FAR), (int32_t)(y < FAR ? y : FAR),
                             (int32_t)(x1 < FAR ? x1 : FAR), (int32_t)(y1 < FAR ? y1 : FAR)};
    return TP_OK;
}

/* ---- depth, stencil, raster, blend ---- */

static bool func_ok(uint32_t func) {
    return !func || (func >= TP_NEVER && func <= TP_ALWAYS);
}

TP_API enum tp_result tp_set_depth(tp_context *c, const struct tp_depth_state *d) {
    API_CONTEXT_ONLY(c);
    API_GIVEN_AS(c->device, d, "state");
    struct zeta_state *z = &c->state.zeta_test;
    if (!func_ok(d->func))
        return context_fail(c, TP_ERROR_INVALID, "depth: unknown function 0x%x", d->func);
    state_touch(&c->state, GROUP_ZETA);
    z->depth_test = d->test;
    z->depth_write = d->write;
    z->depth_func = compare_func_from_gl(or_default(d->func, TP_ALWAYS));
    z->bounds_test = d->bounds_test;
    z->bounds[0] = d->bounds_min;
    z->bounds[1] = d->bounds_max;
    return TP_OK;
}

static bool stencil_op_ok(uint32_t op) {
    return op == TP_KEEP || op == TP_ZERO || op == TP_REPLACE || op == TP_INCR || op == TP_DECR ||
           op == TP_INVERT || op == TP_INCR_WRAP || op == TP_DECR_WRAP;
}

static bool stencil_ok(const struct tp_stencil_face *f) {
    return func_ok(f->func) && stencil_op_ok(f->fail) && stencil_op_ok(f->depth_fail) &&
           stencil_op_ok(f->pass);
}

/* The state's operation. OpenGL's 0 sets the stencil to zero, the API's 0 is TP_KEEP. */
static uint8_t stencil_op(enum tp_stencil_op op) {
    return op == TP_KEEP ? STENCIL_KEEP : op == TP_ZERO ? STENCIL_ZERO : stencil_op_from_gl(op);
}

static struct stencil_face stencil_face(const struct tp_stencil_face *f) {
    return (struct stencil_face){compare_func_from_gl(or_default(f->func, TP_ALWAYS)),
                                 stencil_op(f->fail),
                                 stencil_op(f->depth_fail),
                                 stencil_op(f->pass),
                                 f->ref,
                                 f->read_mask,
                                 f->write_mask};
}

TP_API enum tp_result tp_set_stencil(tp_context *c, const struct tp_stencil_state *s) {
    API_CONTEXT_ONLY(c);
    API_GIVEN_AS(c->device, s, "state");
    if (!stencil_ok(&s->front) || (s->two_sided && !stencil_ok(&s->back)))
        return context_fail(c, TP_ERROR_INVALID, "stencil: unknown function or operation");
    state_touch(&c->state, GROUP_ZETA);
    c->state.zeta_test.stencil_test = s->test;
    c->state.zeta_test.two_sided = s->two_sided;
    c->state.zeta_test.face[0] = stencil_face(&s->front);
    c->state.zeta_test.face[1] = stencil_face(s->two_sided ? &s->back : &s->front);
    return TP_OK;
}

TP_API enum tp_result tp_set_raster(tp_context *c, const struct tp_raster_state *r) {
    API_CONTEXT(c);
    API_GIVEN_AS(c->device, r, "state");
    static const uint16_t modes[] = {POLYGON_FILL, POLYGON_LINE, POLYGON_POINT};
    struct state *s = &c->state;
    if ((unsigned)r->polygon_front > TP_POLYGON_POINT ||
        (unsigned)r->polygon_back > TP_POLYGON_POINT)
        return context_fail(c, TP_ERROR_INVALID, "raster: unknown polygon mode");
    if (!(r->line_width >= 0) || !(r->point_size >= 0))
        return context_fail(c, TP_ERROR_INVALID, "raster: negative line width or point size");
    if ((r->clip_distances | r->cull_distances) > 0xff)
        return context_fail(c, TP_ERROR_INVALID, "raster: clip distances 0x%x: there are 0 to 7",
                            r->clip_distances | r->cull_distances);
    state_touch(s, GROUP_RASTER);
    state_touch(s, GROUP_VIEW);   /* depth clamping, clip distances */
    state_touch(s, GROUP_SAMPLE); /* multisampling */
    s->setup.cull = (uint8_t)((r->cull_front ? CULL_FRONT : 0) | (r->cull_back ? CULL_BACK : 0));
    s->setup.front_ccw = !r->front_clockwise;
    s->polygon_mode[0] = modes[r->polygon_front];
    s->polygon_mode[1] = modes[r->polygon_back];
    s->provoking_last = !r->provoking_first;
    s->setup.line_width = r->line_width > 0 ? r->line_width : 1;
    s->point_size = r->point_size > 0 ? r->point_size : 1;
    s->setup.point_sprite = r->point_sprite;
    s->setup.offset_enable[0] = r->offset_point;
    s->setup.offset_enable[1] = r->offset_line;
    s->setup.offset_enable[2] = r->offset_fill;
    s->setup.offset_factor = r->offset_factor;
    s->setup.offset_units = r->offset_units;
    s->setup.offset_clamp = r->offset_clamp;
    s->depth_clip_off = s->limits.depth_clamp = r->depth_clamp;
    s->rasterize = !r->discard;
    s->sample.multisample = !r->multisample_off;
    s->clip_enable = (uint8_t)r->clip_distances;
    s->clip_mode = 0;
    for (unsigned i = 0; i < STATE_CLIP_PLANES; i++)
        s->clip_mode |= (r->cull_distances >> i & 1) << 4 * i;
    s->setup.point_origin_lower_left = r->sprite_lower_left;
    s->setup.pixel_center_integer = r->center_integer;
    s->clip_z_zero = r->near_at_zero;
    s->flat_shade = r->flat_colors;
    s->early_tests = r->early_tests;
    return TP_OK;
}

static bool factor_ok(uint32_t f) {
    return f <= TP_FACTOR_ONE || f == TP_FACTOR_ZERO ||
           (f >= TP_SRC_COLOR && f <= TP_SRC_ALPHA_SATURATE) ||
           (f >= TP_CONSTANT_COLOR && f <= TP_ONE_MINUS_CONSTANT_ALPHA) || f == TP_SRC1_ALPHA ||
           (f >= TP_SRC1_COLOR && f <= TP_ONE_MINUS_SRC1_ALPHA);
}

static bool equation_ok(uint32_t e) {
    return !e || (e >= TP_ADD && e <= TP_MAX) || e == TP_SUBTRACT || e == TP_REVERSE_SUBTRACT;
}

/* The state's factor. OpenGL's 0 is the factor zero, the API's 0 is the default `otherwise`. */
static uint8_t blend_factor(enum tp_factor f, enum tp_factor otherwise) {
    const uint32_t factor = or_default(f, otherwise);
    return factor == TP_FACTOR_ZERO ? BLEND_ZERO : blend_factor_from_gl(factor);
}

TP_API enum tp_result tp_set_blend(tp_context *c, unsigned target,
                                   const struct tp_blend_target *b) {
    API_CONTEXT_ONLY(c);
    API_GIVEN_AS(c->device, b, "state");
    if (target != TP_ALL_TARGETS && target >= RASTER_TARGETS)
        return check_index(c, "colour target", target, RASTER_TARGETS);
    if (!equation_ok(b->equation_rgb) || !equation_ok(b->equation_alpha) ||
        !factor_ok(b->src_rgb) || !factor_ok(b->dst_rgb) || !factor_ok(b->src_alpha) ||
        !factor_ok(b->dst_alpha))
        return context_fail(c, TP_ERROR_INVALID, "blend: unknown equation or factor");
    state_touch(&c->state, GROUP_COLOR);
    const struct blend_target t = {
        .enable = b->enable,
        .equation_rgb = blend_equation_from_gl(or_default(b->equation_rgb, TP_ADD)),
        .src_rgb = blend_factor(b->src_rgb, TP_FACTOR_ONE),
        .dst_rgb = blend_factor(b->dst_rgb, TP_FACTOR_ZERO),
        .equation_a = blend_equation_from_gl(or_default(b->equation_alpha, TP_ADD)),
        .src_a = blend_factor(b->src_alpha, TP_FACTOR_ONE),
        .dst_a = blend_factor(b->dst_alpha, TP_FACTOR_ZERO)};
    for (unsigned i = 0; i < RASTER_TARGETS; i++)
        if (target == TP_ALL_TARGETS || target == i)
            c->state.color_op.blend[i] = t;
    return TP_OK;
}

TP_API enum tp_result tp_set_blend_color(tp_context *c, const float color[4]) {
    API_CONTEXT_ONLY(c);
    API_GIVEN(c->device, color);
    state_touch(&c->state, GROUP_COLOR);
    memcpy(c->state.color_op.blend_color, color, sizeof c->state.color_op.blend_color);
    return TP_OK;
}

TP_API enum tp_result tp_set_color_mask(tp_context *c, unsigned target, unsigned mask) {
    API_CONTEXT_ONLY(c);
    if (target != TP_ALL_TARGETS && target >= RASTER_TARGETS)
        return check_index(c, "colour target", target, RASTER_TARGETS);
    for (unsigned i = 0; i < RASTER_TARGETS; i++)
        if (target == TP_ALL_TARGETS || target == i)
            c->state.color_op.mask[i] = mask & 0xf;
    state_touch(&c->state, GROUP_COLOR);
    return TP_OK;
}

TP_API enum tp_result tp_bind_global(tp_context *c, unsigned slot, tp_buffer *buffer,
                                     uint64_t offset, uint64_t size) {
    API_CONTEXT_ONLY(c);
    API_OWN(c, buffer, "buffer");
    API_TRY(check_index(c, "g[] slot", slot, STATE_GLOBALS));
    if (buffer && (offset > buffer->resource.size || size > buffer->resource.size - offset))
        return context_fail(c, TP_ERROR_INVALID,
                            "g%u[]: %llu bytes at offset %llu do not lie inside the buffer of %llu",
                            slot, (unsigned long long)size, (unsigned long long)offset,
                            (unsigned long long)buffer->resource.size);
    API_REBIND(c, &api_bound(c)->global[slot], buffer);
    memset(&c->state.global[slot], 0, sizeof c->state.global[slot]);
    if (buffer) {
        c->state.global[slot].address = buffer->resource.address + offset;
        c->state.global[slot].limit = size;
    }
    return TP_OK;
}
