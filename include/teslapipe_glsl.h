/* Programs that `teslapipe glsl` made of GLSL, for C programs (docs/glsl.md). The command writes a
 * header NAME.h with a struct tp_glsl. This header has the types of NAME.h, and functions that
 * set uniforms, bind textures and find attributes by the names of the GLSL source. A program that
 * includes both needs no driver:
 *
 *     #include "mesh.h"
 *     struct tp_glsl_state mesh;
 *     tp_glsl_create(device, &mesh_glsl, &mesh);
 *     tp_glsl_set(&mesh, "mvp", matrix, 1);
 *     tp_glsl_bind_texture(context, &mesh, "picture", texture, &sampler);
 *     tp_set_attribute(context, MESH_IN_POSITION, 0, 0, 3, TP_FLOAT32);
 *     tp_glsl_bind(context, &mesh);
 *     tp_draw_arrays(context, TP_TRIANGLES, 0, 3);
 */
#ifndef TESLAPIPE_GLSL_H
#define TESLAPIPE_GLSL_H

#include "teslapipe.h"

#include <stdlib.h>
#include <string.h>

enum { TP_GLSL_STAGES = 6, TP_GLSL_CONSTANTS = 32 };

/* A uniform of one stage. A uniform that two stages use is listed twice. */
struct tp_glsl_uniform {
    const char *name;
    enum tp_stage stage;
    unsigned slot, offset;                /* at byte `offset` of c<slot>[] */
    unsigned count, columns, rows;        /* elements of an array; columns (1 for a vector); rows */
    unsigned array_stride, column_stride; /* bytes */
    char base;                            /* 'f' float, 'i' int, 'u' uint, 'b' bool */
    bool row_major; /* column_stride is then the stride of rows (uniform blocks only) */
};
struct tp_glsl_sampler {
    const char *name;
    enum tp_stage stage;
    unsigned slot, count; /* $t<slot> and $s<slot>, and count - 1 behind them */
};
struct tp_glsl_input {
    const char *name;
    unsigned attribute; /* number for tp_set_attribute */
};
/* c<slot>[] of a stage, with the initial values of uniforms and the driver's own constants. */
struct tp_glsl_constants {
    enum tp_stage stage;
    unsigned slot, words;
    const uint32_t *initial;
};
struct tp_glsl_program {
    enum tp_stage stage;
    const char *name, *text;
};
/* The programs and their names. Each list ends with a NULL name, `constants` with a NULL
 * initial. */
struct tp_glsl {
    const struct tp_glsl_program *program;
    const struct tp_glsl_uniform *uniform;
    const struct tp_glsl_sampler *sampler;
    const struct tp_glsl_input *input;
    const struct tp_glsl_constants *constants;
};

/* The programs on a device, and the current values of the uniforms. */
struct tp_glsl_state {
    const struct tp_glsl *glsl;
    tp_program *program[TP_GLSL_STAGES];
    uint32_t *words[TP_GLSL_CONSTANTS];
};

static inline void tp_glsl_destroy(struct tp_glsl_state *state) {
    for (int i = 0; i < TP_GLSL_STAGES; i++)
        tp_program_destroy(state->program[i]);
    for (int i = 0; i < TP_GLSL_CONSTANTS; i++)
        free(state->words[i]);
    memset(state, 0, sizeof *state);
}

/* Assembles the programs and sets the initial values. On failure nothing is left to destroy. */
static inline enum tp_result tp_glsl_create(tp_device *d, const struct tp_glsl *glsl,
                                            struct tp_glsl_state *state) {
    enum tp_result result = TP_OK;
    memset(state, 0, sizeof *state);
    state->glsl = glsl;
    for (const struct tp_glsl_program *p = glsl->program; p->name && result == TP_OK; p++)
        result = tp_program_from_text(d, p->stage, p->text, p->name, &state->program[p->stage]);
    for (int i = 0; result == TP_OK && i < TP_GLSL_CONSTANTS && glsl->constants[i].initial; i++) {
        const size_t size = glsl->constants[i].words * sizeof(uint32_t);
        state->words[i] = (uint32_t *)malloc(size);
        if (state->words[i])
            memcpy(state->words[i], glsl->constants[i].initial, size);
        else
            result = TP_ERROR_MEMORY;
    }
    if (result != TP_OK)
        tp_glsl_destroy(state);
    return result;
}

/* True if name is `stem`, or stem[n] with n below count; *element is then n, or 0. */
static inline bool tp_glsl_is(const char *name, const char *stem, unsigned count,
                              unsigned *element) {
    const size_t length = strlen(stem);
    char *end = NULL;
    *element = 0;
    if (strncmp(stem, name, length) != 0 || !name[length])
        return strcmp(stem, name) == 0;
    if (name[length] != '[' || name[length + 1] < '0' || name[length + 1] > '9')
        return false;
    const unsigned long n = strtoul(name + length + 1, &end, 10);
    *element = (unsigned)n;
    return n < count && strcmp(end, "]") == 0;
}

static inline void tp_glsl_put(struct tp_glsl_state *state, const struct tp_glsl_uniform *u,
                               unsigned first, const uint32_t *value, unsigned count) {
    const struct tp_glsl_constants *c = state->glsl->constants;
    if (count > u->count - first)
        count = u->count - first;
    for (unsigned i = 0; i < TP_GLSL_CONSTANTS && c[i].initial; i++) {
        if (c[i].stage != u->stage || c[i].slot != u->slot)
            continue;
        for (unsigned k = 0; k < count * u->columns * u->rows; k++) {
            const unsigned row = k % u->rows, column = k / u->rows % u->columns;
            const unsigned element = first + k / (u->rows * u->columns);
            const unsigned offset = u->offset + element * u->array_stride +
                                    (u->row_major ? row : column) * u->column_stride +
                                    4 * (u->row_major ? column : row);
            if (offset / 4 < c[i].words)
                state->words[i][offset / 4] = u->base == 'b' && value[k] ? 0xffffffffu : value[k];
        }
    }
}

/* Sets `count` elements of a uniform ("light", "weights", "weights[3]", "lights[1].color") in all
 * stages that use it. values: in OpenGL's form: packed words, matrices column by column, bools as
 * words. Values beyond the end of an array are ignored. Later calls of tp_glsl_bind use the values.
 * TP_ERROR_INVALID if the programs have no such uniform or element. The compiler leaves out
 * uniforms without an effect. */
static inline enum tp_result tp_glsl_set(struct tp_glsl_state *state, const char *name,
                                         const void *values, unsigned count) {
    bool found = false;
    for (const struct tp_glsl_uniform *u = state->glsl->uniform; u->name; u++) {
        unsigned first;
        if (!tp_glsl_is(name, u->name, u->count, &first))
            continue;
        found = true;
        tp_glsl_put(state, u, first, (const uint32_t *)values, count);
    }
    return found ? TP_OK : TP_ERROR_INVALID;
}

/* Binds a texture and a sampler to a sampler of the GLSL source ("picture", "pictures[2]"), in all
 * stages. TP_ERROR_INVALID also if the programs lack the sampler. */
static inline enum tp_result tp_glsl_bind_texture(tp_context *c, const struct tp_glsl_state *state,
                                                  const char *name, tp_texture *texture,
                                                  const struct tp_sampler_info *sampler) {
    enum tp_result result = TP_ERROR_INVALID;
    for (const struct tp_glsl_sampler *s = state->glsl->sampler; s->name; s++) {
        unsigned element;
        if (!tp_glsl_is(name, s->name, s->count, &element))
            continue;
        result = tp_bind_texture(c, s->stage, s->slot + element, texture, sampler);
        if (result != TP_OK)
            return result;
    }
    return result;
}

/* The number of an input for tp_set_attribute; -1: no program reads an input of this name. */
static inline int tp_glsl_attribute(const struct tp_glsl *glsl, const char *name) {
    for (const struct tp_glsl_input *i = glsl->input; i->name; i++)
        if (strcmp(i->name, name) == 0)
            return (int)i->attribute;
    return -1;
}

/* Binds programs and constants, with the values that the uniforms have now. Vertex, geometry and
 * fragment programs that the source lacks are unbound; tessellation and compute programs stay. */
static inline enum tp_result tp_glsl_bind(tp_context *c, const struct tp_glsl_state *state) {
    enum tp_result result = TP_OK;
    for (int i = 0; i < TP_GLSL_STAGES && result == TP_OK; i++)
        if (state->program[i] || i == TP_GEOMETRY || i == TP_VERTEX || i == TP_FRAGMENT)
            result = tp_bind_program(c, (enum tp_stage)i, state->program[i]);
    const struct tp_glsl_constants *k = state->glsl->constants;
    for (int i = 0; result == TP_OK && i < TP_GLSL_CONSTANTS && k[i].initial; i++)
        result = tp_set_constants(c, k[i].stage, k[i].slot, state->words[i],
                                  k[i].words * (unsigned)sizeof(uint32_t));
    return result;
}

#endif
