/* Writes the interface of a GLSL program as a table for people and as a C header for programs
 * (include/teslapipe_glsl.h). In: struct glsl. Out: text. */
#define _GNU_SOURCE
#include "tools/glsl.h"
#include "base/bits.h"

#include "shader/isa/isa.h"

#include <ctype.h>
#include <stdlib.h>

static const char *const stage_enums[GLSL_STAGES] = {"TP_VERTEX",       "TP_GEOMETRY",
                                                     "TP_FRAGMENT",     "TP_COMPUTE",
                                                     "TP_TESS_CONTROL", "TP_TESS_EVALUATION"};

/* Writes a type like "vec4" or "vec4[3]". */
static const char *type_text(const struct glsl_type *t, uint32_t count, char text[48]) {
    if (count > 1)
        snprintf(text, 48, "%s[%u]", t->name, count);
    else
        snprintf(text, 48, "%s", t->name);
    return text;
}

/* ---- the table ---- */

static void table_inputs(FILE *out, const struct glsl *g) {
    char type[48];
    fprintf(out, "\nInputs of the vertex program\n");
    for (size_t i = 0; i < g->inputs; i++) {
        const struct glsl_input *n = &g->input[i];
        fprintf(out, "  %-28s %-10s", n->name, type_text(n->type, n->count, type));
        if (n->location < 0)
            fprintf(out, " of the machine");
        else if (n->attribute[0] < 0)
            fprintf(out, " location %d, not read", n->location);
        else
            fprintf(out, " location %d: attribute %d", n->location, n->attribute[0]);
        for (uint32_t k = 1; k < 16 && n->location >= 0; k++)
            if (n->attribute[k] >= 0)
                fprintf(out, ", %d", n->attribute[k]);
        putc('\n', out);
    }
}

static void table_place(FILE *out, const struct glsl_uniform *u, int stage) {
    const struct glsl_place *p = &u->place[stage];
    if (p->slot < 0)
        return;
    fprintf(out, "    %-10s c%d[0x%x]", program_stage_name((enum program_type)stage), p->slot,
            p->offset);
    if (u->count > 1)
        fprintf(out, ", elements 0x%x apart", p->array_stride);
    if (u->type->columns > 1)
        fprintf(out, ", %s 0x%x apart", u->row_major ? "rows" : "columns", p->column_stride);
    putc('\n', out);
}

static void table_uniforms(FILE *out, const struct glsl *g) {
    char type[48];
    fprintf(out, "\nUniforms\n");
    for (size_t i = 0; i < g->uniforms; i++) {
        const struct glsl_uniform *u = &g->uniform[i];
        bool any = false;
        fprintf(out, "  %-28s %s%s%s\n", u->name, type_text(u->type, u->count, type),
                u->block >= 0 ? ", of block " : "", u->block >= 0 ? g->block[u->block].name : "");
        for (int stage = 0; stage < GLSL_STAGES; stage++) {
            table_place(out, u, stage);
            any |= u->place[stage].slot >= 0;
        }
        if (!any)
            fprintf(out, "    no program reads it\n");
    }
    for (size_t i = 0; i < g->blocks; i++) {
        fprintf(out, "  block %-22s %u bytes:", g->block[i].name, g->block[i].size);
        for (int stage = 0; stage < GLSL_STAGES; stage++)
            if (g->block[i].slot[stage] >= 0)
                fprintf(out, " %s c%d[]", program_stage_name((enum program_type)stage),
                        g->block[i].slot[stage]);
        putc('\n', out);
    }
}

static void table_samplers(FILE *out, const struct glsl *g) {
    char type[48];
    fprintf(out, "\nSamplers\n");
    for (size_t i = 0; i < g->samplers; i++) {
        const struct glsl_sampler *s = &g->sampler[i];
        bool any = false;
        fprintf(out, "  %-28s %s:", s->name, type_text(s->type, s->count, type));
        for (int stage = 0; stage < GLSL_STAGES; stage++)
            if (s->slot[stage] >= 0) {
                fprintf(out, "%s %s $t%d", any ? "," : "",
                        program_stage_name((enum program_type)stage), s->slot[stage]);
                any = true;
            }
        fprintf(out, any ? "\n" : " no program reads it\n");
    }
}

static void table_varyings(FILE *out, const struct glsl *g) {
    const bool fermi = g->stage[PROGRAM_VP].program && g->stage[PROGRAM_VP].program->rows;
    fprintf(out, "\nVaryings into the fragment program\n");
    for (size_t i = 0; g->varyings_known && i < g->varyings; i++) {
        const struct glsl_varying *v = &g->varying[i];
        bool any = false;
        fprintf(out, "  %-28s", v->name);
        for (uint32_t k = 0; k < v->words; k++)
            if (v->slot[k] != 0xff) {
                fprintf(out, fermi ? "%s a[0x%x]" : "%s %u",
                        any     ? ","
                        : fermi ? ""
                                : " slots",
                        v->slot[k] * (fermi ? 4u : 1u));
                any = true;
            }
        fprintf(out, any ? "\n" : " not read\n");
    }
    if (!g->varyings_known)
        fprintf(out, "  their names are not known; the program files have their slots\n");
}

static void table_results(FILE *out, const struct glsl *g) {
    fprintf(out, "\nResults\n");
    for (size_t i = 0; i < g->outputs; i++) {
        const struct glsl_output *o = &g->output[i];
        if (o->location < 0)
            fprintf(out, "  %-28s %s\n", o->name, o->type->name);
        else
            fprintf(out, "  %-28s %-10s target %d%s\n", o->name, o->type->name, o->location,
                    o->index ? ", second colour of blending" : "");
    }
    const struct program_header *h = &g->stage[PROGRAM_FP].header;
    if (g->stage[PROGRAM_FP].program)
        fprintf(out, "  %u result registers%s%s%s\n", h->fp_results,
                h->fp_control & FP_EXPORTS_Z ? ", the last one is the depth" : "",
                h->fp_control & FP_USES_KILL ? ", discards" : "",
                h->fp_control & FP_MULTIPLE_RESULTS ? "" : ", $r0 to $r3 go to all targets");
}

static void table_constants(FILE *out, const struct glsl *g) {
    fprintf(out, "\nConstants that are no uniforms (value when no uniform is set)\n");
    for (int stage = 0; stage < GLSL_STAGES; stage++)
        for (int slot = 0; slot < 16; slot++) {
            const struct glsl_constants *k = &g->stage[stage].constants[slot];
            for (uint32_t i = 0; i < k->count; i++)
                if (k->of_driver[i])
                    fprintf(out, "  %-10s c%d[0x%x] = 0x%08x (%g)\n",
                            program_stage_name((enum program_type)stage), slot, 4 * i, k->word[i],
                            (double)bits_float(k->word[i]));
        }
}

void glsl_write_table(FILE *out, const struct glsl *g) {
    fprintf(out, "%s, made by %s (%s)\n", g->name, g->command, g->driver);
    for (int i = 0; i < GLSL_STAGES; i++)
        if (g->stage[i].program)
            fprintf(out, "  %s.%s%s%s: %u words, %u registers\n", g->name,
                    program_type_name((enum program_type)i), g->stage[i].file ? " of " : "",
                    g->stage[i].file ? g->stage[i].file : "", g->stage[i].program->word_count,
                    g->stage[i].header.reg_count);
    table_inputs(out, g);
    table_uniforms(out, g);
    table_samplers(out, g);
    table_varyings(out, g);
    table_results(out, g);
    table_constants(out, g);
    if (g->per_sample)
        fprintf(out, "\nThe fragment program runs per sample: tp_sample_state.per_sample.\n");
    if (g->sample_mask)
        fprintf(out, "\nThe fragment program exports a mask: tp_sample_state.program_mask.\n");
    if (g->semantic.clip_count)
        fprintf(out, "\nClip distances count if tp_raster_state.clip_distances says so.\n");
}

/* ---- the C header ---- */

static void put_upper(FILE *out, const char *name) {
    bool gap = false;
    for (; *name; name++) {
        gap |= !isalnum((unsigned char)*name);
        if (!isalnum((unsigned char)*name))
            continue;
        if (gap)
            putc('_', out);
        gap = false;
        putc(toupper((unsigned char)*name), out);
    }
}

static void put_define(FILE *out, const struct glsl *g, const char *kind, const char *name) {
    fprintf(out, "#define ");
    put_upper(out, g->name);
    fprintf(out, "_%s_", kind);
    put_upper(out, name);
}

static void header_defines(FILE *out, const struct glsl *g) {
    static const char *const kinds[GLSL_STAGES] = {"VERTEX",  "GEOMETRY",     "FRAGMENT",
                                                   "COMPUTE", "TESS_CONTROL", "TESS_EVALUATION"};
    fprintf(out, "/* Attributes of inputs; bytes of uniforms in c[]; slots of textures. */\n");
    for (size_t i = 0; i < g->inputs; i++)
        if (g->input[i].attribute[0] >= 0) {
            put_define(out, g, "IN", g->input[i].name);
            fprintf(out, " %d /* %s */\n", g->input[i].attribute[0], g->input[i].type->name);
        }
    for (int stage = 0; stage < GLSL_STAGES; stage++) {
        for (size_t i = 0; i < g->uniforms; i++) {
            const struct glsl_uniform *u = &g->uniform[i];
            char type[48];
            if (u->place[stage].slot < 0)
                continue;
            put_define(out, g, kinds[stage], u->name);
            fprintf(out, " 0x%x /* c%d[]: %s */\n", u->place[stage].offset, u->place[stage].slot,
                    type_text(u->type, u->count, type));
        }
        for (size_t i = 0; i < g->samplers; i++)
            if (g->sampler[i].slot[stage] >= 0) {
                put_define(out, g, kinds[stage], g->sampler[i].name);
                fprintf(out, " %d /* $t: %s */\n", g->sampler[i].slot[stage],
                        g->sampler[i].type->name);
            }
        for (size_t i = 0; i < g->blocks; i++)
            if (g->block[i].slot[stage] >= 0) {
                put_define(out, g, kinds[stage], g->block[i].name);
                fprintf(out, "_BLOCK %d /* c[] */\n", g->block[i].slot[stage]);
            }
    }
}

/* Writes a program's text as C strings, one for each line, without comments. */
static void header_text(FILE *out, const struct glsl *g, enum program_type stage) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    glsl_write_program(memory, g, stage);
    fclose(memory);
    fprintf(out, "static const char %s_%s[] =", g->name, program_type_name(stage));
    for (const char *line = text; line && *line;) {
        size_t length = strcspn(line, "\n");
        const char *const next = line + length + (line[length] == '\n');
        const char *const comment = memmem(line, length, "//", 2);
        length = comment ? (size_t)(comment - line) : length;
        while (length && line[length - 1] == ' ')
            length--;
        if (length)
            fprintf(out, "\n    \"%.*s\\n\"", (int)length, line);
        line = next;
    }
    fprintf(out, ";\n");
    free(text);
}

static void header_words(FILE *out, const struct glsl *g, int stage, int slot) {
    const struct glsl_constants *k = &g->stage[stage].constants[slot];
    fprintf(out, "static const uint32_t %s_%s_c%d[] = {", g->name,
            program_type_name((enum program_type)stage), slot);
    for (uint32_t i = 0; i < k->count; i++)
        fprintf(out, "%s0x%x%s", i % 8 ? " " : "\n    ", k->word[i], i + 1 < k->count ? "," : "");
    fprintf(out, "};\n");
}

static void header_uniforms(FILE *out, const struct glsl *g) {
    fprintf(out, "static const struct tp_glsl_uniform %s_uniforms[] = {\n", g->name);
    for (size_t i = 0; i < g->uniforms; i++)
        for (int stage = 0; stage < GLSL_STAGES; stage++) {
            const struct glsl_uniform *u = &g->uniform[i];
            const struct glsl_place *p = &u->place[stage];
            if (p->slot >= 0)
                fprintf(out, "    {\"%s\", %s, %d, 0x%x, %u, %u, %u, %u, %u, '%c', %s},\n", u->name,
                        stage_enums[stage], p->slot, p->offset, u->count, u->type->columns,
                        u->type->rows, p->array_stride, p->column_stride, u->type->base,
                        u->row_major ? "true" : "false");
        }
    fprintf(out,
            "    {NULL, TP_VERTEX, 0, 0, 0, 0, 0, 0, 0, 'f', false}};\n"
            "static const struct tp_glsl_sampler %s_samplers[] = {\n",
            g->name);
    for (size_t i = 0; i < g->samplers; i++)
        for (int stage = 0; stage < GLSL_STAGES; stage++)
            if (g->sampler[i].slot[stage] >= 0)
                fprintf(out, "    {\"%s\", %s, %d, %u},\n", g->sampler[i].name, stage_enums[stage],
                        g->sampler[i].slot[stage], g->sampler[i].count);
    fprintf(out,
            "    {NULL, TP_VERTEX, 0, 0}};\nstatic const struct tp_glsl_input %s_inputs[] = {\n",
            g->name);
    for (size_t i = 0; i < g->inputs; i++)
        for (int k = 0; k < 16; k++) {
            const struct glsl_input *n = &g->input[i];
            char element[16] = "";
            if (k)
                snprintf(element, sizeof element, "[%d]", k);
            if (n->attribute[k] >= 0)
                fprintf(out, "    {\"%s%s\", %d},\n", n->name, element, n->attribute[k]);
        }
    fprintf(out, "    {NULL, 0}};\n");
}

static void header_constants(FILE *out, const struct glsl *g) {
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            fprintf(out, "static const struct tp_glsl_constants %s_constants[] = {\n", g->name);
        for (int stage = 0; stage < GLSL_STAGES; stage++)
            for (int slot = 0; slot < 16; slot++) {
                const struct glsl_constants *k = &g->stage[stage].constants[slot];
                if (!k->count)
                    continue;
                if (!pass)
                    header_words(out, g, stage, slot);
                else
                    fprintf(out, "    {%s, %d, %u, %s_%s_c%d},\n", stage_enums[stage], slot,
                            k->count, g->name, program_type_name((enum program_type)stage), slot);
            }
    }
    fprintf(out, "    {TP_VERTEX, 0, 0, NULL}};\n");
}

static void header_tessellation(FILE *out, const struct glsl *g) {
    static const char *const domains[] = {"TP_ISOLINES", "TP_DOMAIN_TRIANGLE", "TP_DOMAIN_QUAD"};
    if (!g->stage[PROGRAM_TEP].program)
        return;
    fprintf(
        out,
        "/* Set .vertices to those of a patch that is drawn, and levels if there is no control program. */\n"
        "static const struct tp_tessellation_state %s_tessellation = {\n"
        "    .vertices = %u, .domain = %s, .spacing = (enum tp_spacing)%d, .points = %s, "
        ".clockwise = %s};\n",
        g->name, g->patch_vertices, domains[(unsigned)g->tess_mode.domain % 3],
        (int)g->tess_mode.spacing, g->tess_mode.primitives == TESS_POINTS ? "true" : "false",
        g->tess_mode.clockwise ? "true" : "false");
}

void glsl_write_header(FILE *out, const struct glsl *g) {
    fprintf(out, "/* Made by %s (%s). */\n#ifndef ", g->command, g->driver);
    put_upper(out, g->name);
    fprintf(out, "_GLSL_H\n#define ");
    put_upper(out, g->name);
    fprintf(out, "_GLSL_H\n\n#include <teslapipe_glsl.h>\n\n");
    header_defines(out, g);
    putc('\n', out);
    for (int stage = 0; stage < GLSL_STAGES; stage++)
        if (g->stage[stage].program)
            header_text(out, g, (enum program_type)stage);
    header_constants(out, g);
    header_uniforms(out, g);
    header_tessellation(out, g);
    fprintf(out, "static const struct tp_glsl_program %s_programs[] = {\n", g->name);
    for (int stage = 0; stage < GLSL_STAGES; stage++)
        if (g->stage[stage].program)
            fprintf(out, "    {%s, \"%s.%s\", %s_%s},\n", stage_enums[stage], g->name,
                    program_type_name((enum program_type)stage), g->name,
                    program_type_name((enum program_type)stage));
    fprintf(
        out,
        "    {TP_VERTEX, NULL, NULL}};\nstatic const struct tp_glsl %s_glsl = {%s_programs, %s_uniforms, "
        "%s_samplers, %s_inputs,\n                                      %s_constants};\n\n#endif\n",
        g->name, g->name, g->name, g->name, g->name, g->name);
}
