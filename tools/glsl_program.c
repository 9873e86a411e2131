/* Writes a program of a draw as a program file: directives for its header, and its code from
 * address 0 on with labels and with the names of the source as comments. In: struct glsl. Out: text
 * that assembles to the same words and the same header. */
#define _GNU_SOURCE
#include "tools/glsl.h"

#include "shader/isa/isa.h"
#include "shader/sph.h"

#include <stdlib.h>

enum { NOTE = 512, TEXT_COLUMN = 44 };

const char *glsl_extension(enum program_type stage) {
    static const char *const names[PROGRAM_TYPES] = {"vert", "geom", "frag",
                                                     "comp", "tesc", "tese"};
    return names[stage];
}

/* ---- names ---- */

/* Writes ".x" to ".w", or "[n]". */
static void component_text(char text[16], uint32_t i, bool vector) {
    if (vector && i < 4)
        snprintf(text, 16, ".%c", "xyzw"[i]);
    else
        snprintf(text, 16, "[%u]", i);
}

/* Writes the name of byte `offset`, which uniform u at p contains. Returns false if the byte lies
 * elsewhere. */
static bool name_uniform(const struct glsl_uniform *u, const struct glsl_place *p, uint32_t offset,
                         char *text, size_t size) {
    const struct glsl_type *t = u->type;
    const uint32_t columns = u->row_major ? t->rows : t->columns;
    const uint32_t rows = u->row_major ? t->columns : t->rows;
    for (uint32_t e = 0; e < u->count; e++)
        for (uint32_t c = 0; c < columns; c++) {
            const uint32_t at = p->offset + e * p->array_stride + c * p->column_stride;
            if (offset - at >= 4 * rows || (e && !p->array_stride) || (c && !p->column_stride))
                continue;
            const uint32_t row = (offset - at) / 4;
            char element[16] = "", column[16] = "", component[16] = "";
            if (u->count > 1)
                snprintf(element, sizeof element, "[%u]", e);
            if (t->columns > 1)
                snprintf(column, sizeof column, "[%u]", u->row_major ? row : c);
            if (t->rows > 1)
                component_text(component, u->row_major ? c : row, true);
            snprintf(text, size, "%s%s%s%s", u->name, element, column, component);
            return true;
        }
    return false;
}

/* Writes the name of a byte of c<slot>[], like "lights[1].color.y". Returns false if no uniform is
 * there. */
static bool glsl_name_constant(const struct glsl *g, enum program_type stage, unsigned slot,
                               uint32_t offset, char *text, size_t size) {
    for (size_t i = 0; i < g->uniforms; i++)
        if (g->uniform[i].place[stage].slot == (int)slot &&
            name_uniform(&g->uniform[i], &g->uniform[i].place[stage], offset, text, size))
            return true;
    return false;
}

/* Writes the name of a word of the vertex program's a[]. A Tesla's a[] has the enabled components
 * of the attributes, then ids; a Fermi's words have fixed meanings. */
static bool name_attribute(const struct glsl *g, uint32_t word, char *text, size_t size) {
    const struct program_header *h = &g->stage[PROGRAM_VP].header;
    const bool fermi = g->stage[PROGRAM_VP].program->rows != NULL;
    uint32_t at = 0, attribute = 16, component = 0;
    if (fermi && word - A_GENERIC < 64) {
        attribute = (word - A_GENERIC) / 4;
        component = word % 4;
    }
    for (uint32_t i = 0; i < 64 && !fermi; i++) {
        if (!(h->attr_enable[i / 32] >> i % 32 & 1))
            continue;
        if (at++ == word) {
            attribute = i / 4;
            component = i % 4;
        }
    }
    if (attribute == 16) {
        const bool vertex = !fermi && h->builtin_enable & BUILTIN_VERTEX_ID && word == at;
        snprintf(text, size, "%s",
                 fermi    ? word == A_INSTANCE_ID ? "gl_InstanceID"
                            : word == A_VERTEX_ID ? "gl_VertexID"
                                                  : ""
                 : vertex ? "gl_VertexID"
                          : "gl_InstanceID");
        return *text;
    }
    for (size_t i = 0; i < g->inputs; i++)
        for (uint32_t k = 0; k < 16; k++)
            if (g->input[i].attribute[k] == (int)attribute) {
                const struct glsl_input *n = &g->input[i];
                char element[16] = "", part[16];
                component_text(part, component, true);
                if (n->count * n->type->columns > 1)
                    snprintf(element, sizeof element, "[%u]", k);
                snprintf(text, size, "%s%s%s", n->name, element, n->type->rows > 1 ? part : "");
                return true;
            }
    return false;
}

/* Writes the name of the varying in a result slot, on a Fermi in an a[] word. */
static bool name_slot(const struct glsl *g, uint32_t slot, char *text, size_t size) {
    for (size_t i = 0; g->varyings_known && i < g->varyings; i++)
        for (uint32_t k = 0; k < g->varying[i].words; k++)
            if (g->varying[i].slot[k] == slot) {
                char part[16] = "";
                if (g->varying[i].words > 1)
                    component_text(part, k, g->varying[i].words <= 4);
                snprintf(text, size, "%s%s", g->varying[i].name, part);
                return true;
            }
    return false;
}

static enum program_type last_stage(const struct glsl *g) {
    return g->stage[PROGRAM_GP].program    ? PROGRAM_GP
           : g->stage[PROGRAM_TEP].program ? PROGRAM_TEP
                                           : PROGRAM_VP;
}

static const char *slot_meaning(const struct glsl *g, uint32_t slot) {
    const struct semantic_state *m = &g->semantic;
    return slot == m->point_size                                       ? "gl_PointSize"
           : slot == m->layer                                          ? "gl_Layer"
           : slot == m->viewport                                       ? "gl_ViewportIndex"
           : slot == m->primitive_id                                   ? "gl_PrimitiveID"
           : m->clip_count && slot - m->clip < (uint32_t)m->clip_count ? "gl_ClipDistance"
                                                                       : NULL;
}

/* Writes the name of a word of the map that Fermi's stages share: a varying, or a value that the
 * machine uses. */
static bool name_word(const struct glsl *g, uint32_t word, char *text, size_t size) {
    static const struct {
        uint8_t word, count;
        const char *name;
    } own[] = {{A_POSITION, 4, "gl_Position"},
               {A_POINT_SIZE, 1, "gl_PointSize"},
               {A_LAYER, 1, "gl_Layer"},
               {A_VIEWPORT, 1, "gl_ViewportIndex"},
               {A_PRIMITIVE_ID, 1, "gl_PrimitiveID"},
               {A_CLIP_DISTANCE, 8, "gl_ClipDistance"},
               {A_POINT_COORD, 2, "gl_PointCoord"},
               {A_TESS_COORD, 2, "gl_TessCoord"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (word - own[i].word < own[i].count) {
            char part[16] = "";
            if (own[i].count > 1)
                component_text(part, word - own[i].word, own[i].count <= 4);
            snprintf(text, size, "%s%s", own[i].name, part);
            return true;
        }
    return word >= A_GENERIC && name_slot(g, word, text, size);
}

/* Writes the names of o[] word `word` of a stage on Tesla: those of all slots that the word
 * feeds. */
static bool name_result(const struct glsl *g, enum program_type stage, uint32_t word, char *text,
                        size_t size) {
    const struct program_header *h = &g->stage[stage].header;
    size_t used = 0;
    *text = 0;
    if (g->stage[stage].program->rows || stage != last_stage(g))
        return false;
    for (uint32_t slot = 0; slot < h->map_size && used + GLSL_NAME < size; slot++) {
        char name[GLSL_NAME + 16] = "";
        const char *const meaning = slot_meaning(g, slot);
        if (h->result_map[slot] != word)
            continue;
        if (slot < 4)
            snprintf(name, sizeof name, "gl_Position.%c", "xyzw"[slot]);
        else if (meaning)
            snprintf(name, sizeof name, "%s", meaning);
        else if (!name_slot(g, slot, name, sizeof name))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
    return used;
}

/* Writes the name of a word with a fragment's position or facing on Fermi. */
static bool name_fragment_word(uint32_t word, char *text, size_t size) {
    if (word == A_FACING)
        snprintf(text, size, "gl_FrontFacing");
    else if (word == A_POSITION + 3)
        snprintf(text, size, "1/w");
    else if (word - A_POSITION < 3)
        snprintf(text, size, "gl_FragCoord.%c", "xyz"[word - A_POSITION]);
    else
        return false;
    return true;
}

/* Returns 1 + the component of the point coordinates (x, y, 0, 1) that replaces a slot when points
 * are drawn; 0: the slot keeps its value. */
static uint32_t point_component(const struct program_header *h, uint32_t slot) {
    const uint32_t n = h->point_coord[slot / 8 & 15] >> 4 * (slot % 8) & 15;
    return n <= 4 ? n : 0;
}

bool glsl_find_point_coord(struct glsl *g) {
    const char *const source = g->stage[PROGRAM_FP].source;
    struct program_header *const h = &g->stage[PROGRAM_FP].header;
    const struct program_header *const from = &g->stage[last_stage(g)].header;
    const uint32_t first = h->interpolant_ctrl >> 8 & 0xff,
                   end = first + (h->interpolant_ctrl >> 16 & 0xff);
    uint32_t at = 0, count = 0;
    if (g->stage[PROGRAM_FP].program->rows || !source || !strstr(source, "gl_PointCoord"))
        return true;
    for (uint32_t slot = first; slot < end && slot < RESULT_MAP_SLOTS; slot++) {
        char name[GLSL_NAME + 16];
        if (point_component(h, slot))
            return true;
        if (slot < from->map_size && from->result_map[slot] == RESULT_ZERO &&
            !slot_meaning(g, slot) && !name_slot(g, slot, name, sizeof name))
            at = count++ ? at : slot;
    }
    if (count == 2)
        for (uint32_t i = 0; i < 2; i++)
            h->point_coord[(at + i) / 8] |= (1 + i) << 4 * ((at + i) % 8);
    return count == 2 || !count;
}

/* Writes the name of a v[] word on Tesla: components of the position, then slots. */
static bool name_varying(const struct glsl *g, uint32_t word, char *text, size_t size) {
    const uint32_t control = g->stage[PROGRAM_FP].header.interpolant_ctrl;
    uint32_t at = 0;
    if (word == 0xff) {
        snprintf(text, size, "gl_FrontFacing");
        return true;
    }
    for (uint32_t i = 0; i < 4; i++)
        if (control >> (24 + i) & 1 && at++ == word) {
            if (i == 3)
                snprintf(text, size, "1/w");
            else
                snprintf(text, size, "gl_FragCoord.%c", "xyz"[i]);
            return true;
        }
    const uint32_t slot = (control >> 8 & 0xff) + word - at;
    const uint32_t point = point_component(&g->stage[PROGRAM_FP].header, slot);
    const char *const meaning = slot_meaning(g, slot);
    if (name_slot(g, slot, text, size))
        return true;
    if (point == 1 || point == 2)
        snprintf(text, size, "gl_PointCoord.%c", "xy"[point - 1]);
    else if (meaning)
        snprintf(text, size, "%s", meaning);
    return *text;
}

static bool name_operand(const struct glsl *g, enum program_type stage, const struct operand *o,
                         bool is_result, char *text, size_t size) {
    const bool fermi = g->stage[stage].program->rows != NULL;
    *text = 0;
    switch (o->file) {
    case FILE_CONST:
        if (!glsl_name_constant(g, stage, o->index, o->value & 0xffff, text, size))
            return false;
        if (!operand_is_fixed(o) && strlen(text) + 4 < size)
            strcat(text, "...");
        return true;
    case FILE_ATTR:
    case FILE_VARYING:
    case FILE_OUT:
        if (!operand_is_fixed(o))
            return false;
        break;
    default:
        return false;
    }
    const uint32_t word = o->value / 4 & 0xff;
    if (stage == PROGRAM_VP && o->file == FILE_ATTR && !is_result)
        return name_attribute(g, word, text, size);
    if (fermi && stage == PROGRAM_FP && name_fragment_word(word, text, size))
        return true;
    if (fermi)
        return (stage == PROGRAM_FP || (is_result && stage == last_stage(g))) &&
               name_word(g, word, text, size);
    if (o->file == FILE_VARYING)
        return stage == PROGRAM_FP && name_varying(g, word, text, size);
    return o->file == FILE_OUT && name_result(g, stage, word, text, size);
}

static void append_name(char *text, size_t size, const char *name) {
    const size_t used = strlen(text);
    if (*name && used + strlen(name) + 3 < size)
        snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

/* Appends the names of all words of an operand. */
static void append_operand(const struct glsl *g, enum program_type stage, const struct operand *o,
                           bool is_result, char *text, size_t size) {
    char name[NOTE];
    struct operand word = *o;
    const unsigned bytes = type_bytes(o->mem);
    for (unsigned i = 0; i < bytes || !i; i += 4, word.value += 4)
        if (name_operand(g, stage, &word, is_result, name, sizeof name))
            append_name(text, size, name);
}

/* Writes the GLSL names of the operands that an instruction reads and writes, separated by ", ", or
 * "". */
static void glsl_name_operands(const struct glsl *g, enum program_type stage, const struct op *op,
                               char *text, size_t size) {
    char name[NOTE];
    *text = 0;
    append_operand(g, stage, &op->dst, true, text, size);
    for (int i = 0; i < 3; i++)
        append_operand(g, stage, &op->src[i], false, text, size);
    for (size_t i = 0; op_infos[op->code].class == CLASS_TEXTURE && i < g->samplers; i++) {
        const struct glsl_sampler *s = &g->sampler[i];
        if (s->slot[stage] < 0 || (uint32_t)op->tex.tic - (uint32_t)s->slot[stage] >= s->count)
            continue;
        snprintf(name, sizeof name, s->count > 1 ? "%s[%u]" : "%s", s->name,
                 op->tex.tic - (uint32_t)s->slot[stage]);
        append_name(text, size, name);
    }
}

/* ---- directives ---- */

static void put_attributes(FILE *out, const struct glsl *g, const struct program_header *h) {
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t mask = h->attr_enable[i / 8] >> i % 8 * 4 & 15;
        if (!mask)
            continue;
        fprintf(out, ".attr %u ", i);
        for (int k = 0; k < 4; k++)
            if (mask >> k & 1)
                putc("xyzw"[k], out);
        for (size_t n = 0; n < g->inputs; n++)
            for (uint32_t k = 0; k < 16; k++)
                if (g->input[n].attribute[k] == (int)i)
                    fprintf(out, "  // %s", g->input[n].name);
        putc('\n', out);
    }
}

static void put_builtins(FILE *out, const struct program_header *h, enum program_type stage) {
    const bool vertex = stage == PROGRAM_VP && h->builtin_enable & BUILTIN_VERTEX_ID;
    const bool primitive = stage == PROGRAM_GP && h->builtin_enable & BUILTIN_PRIMITIVE_ID;
    const bool instance = h->builtin_enable & BUILTIN_INSTANCE_ID;
    if (!vertex && !primitive && !instance)
        return;
    fprintf(out, ".builtin%s%s%s\n",
            !vertex                      ? ""
            : h->builtin_enable & 0x1000 ? " vertex_id_from_first"
                                         : " vertex_id",
            instance ? " instance_id" : "", primitive ? " primitive_id" : "");
}

/* Returns the number of slots, from `slot` on, that one line can name: they have consecutive o[]
 * words, or all have the same constant. */
static uint32_t run_length(const struct program_header *h, uint32_t slot, uint32_t end) {
    const uint8_t first = h->result_map[slot];
    uint32_t n = 1;
    while (slot + n < end &&
           h->result_map[slot + n] == (first >= RESULT_ZERO ? first : (uint8_t)(first + n)))
        n++;
    return n;
}

static uint32_t put_meaning(FILE *out, const struct program_header *h,
                            const struct semantic_state *m, uint32_t slot) {
    static const char *const names[] = {"point_size", "layer", "viewport", "primitive_id"};
    const uint8_t slots[] = {m->point_size, m->layer, m->viewport, m->primitive_id};
    for (int i = 0; i < 4; i++)
        if (slots[i] == slot && (h->result_map[slot] < RESULT_ZERO || i == 3)) {
            fprintf(out, ".output %s o[0x%x]\n", names[i],
                    h->result_map[slot] < RESULT_ZERO ? 4u * h->result_map[slot] : 0);
            return 1;
        }
    if (m->clip_count && m->clip == slot &&
        run_length(h, slot, slot + m->clip_count) == m->clip_count) {
        fprintf(out, ".output clip o[0x%x] %u\n", 4u * h->result_map[slot], m->clip_count);
        return m->clip_count;
    }
    for (uint32_t side = 0; m->color_count && side < 2; side++)
        for (uint32_t i = 0; i + 4 <= m->color_count; i += 4)
            if ((side ? m->color_back : m->color_front) + i == slot &&
                run_length(h, slot, slot + 4) == 4 && (!side || m->color_back != m->color_front)) {
                fprintf(out, ".output %s_color%u o[0x%x]\n", side ? "back" : "front", i / 4,
                        4u * h->result_map[slot]);
                return 4;
            }
    return 0;
}

static bool has_meaning(const struct semantic_state *m, uint32_t slot) {
    return slot == m->point_size || slot == m->layer || slot == m->viewport ||
           slot == m->primitive_id || (m->clip_count && slot == m->clip) ||
           (m->color_count &&
            (slot - m->color_front < m->color_count || slot - m->color_back < m->color_count));
}

static void put_slot_names(FILE *out, const struct glsl *g, bool last, uint32_t slot,
                           uint32_t count) {
    char name[NOTE];
    bool any = false;
    for (uint32_t i = 0; last && i < count; i++)
        if (name_slot(g, slot + i, name, sizeof name)) {
            fprintf(out, any ? ", %s" : "  // %s", name);
            any = true;
        }
    putc('\n', out);
}

static void put_outputs(FILE *out, const struct glsl *g, const struct program_header *h,
                        bool last) {
    static const struct semantic_state none = {0xff, 0xff, 0xff, 0xff, 0xff,
                                               0,    0xff, 0xff, 0,    false};
    const struct semantic_state *m = last ? &g->semantic : &none;
    uint32_t slot = 0;
    if (h->map_size >= 4 && run_length(h, 0, 4) == 4 && h->result_map[0] < RESULT_ZERO) {
        fprintf(out, ".output position o[0x%x]\n", 4u * h->result_map[0]);
        slot = 4;
    }
    while (slot < h->map_size) {
        const uint32_t meant = slot >= 4 ? put_meaning(out, h, m, slot) : 0;
        uint32_t end = slot + 1;
        slot += meant;
        if (meant)
            continue;
        while (end < h->map_size && end != 4 && !has_meaning(m, end))
            end++;
        const uint32_t n = run_length(h, slot, end);
        if (h->result_map[slot] >= RESULT_ZERO)
            fprintf(out, ".output %s %u", h->result_map[slot] == RESULT_ONE ? "one" : "zero", n);
        else
            fprintf(out, ".output varying o[0x%x] %u", 4u * h->result_map[slot], n);
        put_slot_names(out, g, last, slot, n);
        slot += n;
    }
}

/* Returns the key in .interpolants of a word that is not flat. 0: smooth, 1: noperspective, 2 to 5:
 * component x to w of "point". */
static uint32_t word_kind(const struct program_header *h, uint32_t slot) {
    const uint32_t point = point_component(h, slot);
    return point ? 1 + point : h->noperspective[slot / 32 & 3] >> slot % 32 & 1;
}

/* Writes the keys of words that are not flat. */
static void put_nonflat(FILE *out, const struct program_header *h, uint32_t first, uint32_t count) {
    for (uint32_t i = 0, n; i < count; i += n) {
        const uint32_t kind = word_kind(h, first + i);
        for (n = 1; i + n < count; n++)
            if (word_kind(h, first + i + n) != (kind >= 2 ? kind + n : kind))
                break;
        if (kind >= 2)
            fprintf(out, " point=%.*s", (int)n, &"xyzw"[kind - 2]);
        else
            fprintf(out, " %s=%u", kind ? "noperspective" : "smooth", n);
    }
}

static void put_interpolants(FILE *out, const struct program_header *h) {
    const uint32_t c = h->interpolant_ctrl, first = c >> 8 & 0xff;
    const uint32_t nonflat = c >> 16 & 0xff, count = c & 0xff;
    fprintf(out, ".interpolants position=");
    for (int i = 0; i < 4; i++)
        if ((c >> 24 | 8) >> i & 1)
            putc("xyzw"[i], out);
    put_nonflat(out, h, first, nonflat);
    if (count > nonflat)
        fprintf(out, " flat=%u", count - nonflat);
    if (first != 4)
        fprintf(out, " first=%u", first);
    putc('\n', out);
}

static void put_primitive(FILE *out, const struct program_header *h) {
    static const char *const names[] = {"points", "line_strip", "triangle_strip"};
    if (h->gp_out_primitive >= 1 && h->gp_out_primitive <= 3)
        fprintf(out, ".primitive %s\n", names[h->gp_out_primitive - 1]);
    fprintf(out, ".vertices %u\n", h->gp_max_vertices ? h->gp_max_vertices : 1);
}

static void put_fragment(FILE *out, const struct program_header *h, bool fermi) {
    uint32_t targets = h->fp_results / 4;
    if (fermi)
        for (targets = 0; h->fp_targets >> 4 * targets;)
            targets++;
    if ((fermi ? targets > 1 : h->fp_control & FP_MULTIPLE_RESULTS))
        fprintf(out, ".targets %u\n", targets > 2 ? targets > 8 ? 8 : targets : 2);
    if (!fermi)
        fprintf(out, ".results %u\n", h->fp_results);
    if (h->fp_control & FP_EXPORTS_Z)
        fprintf(out, ".depth\n");
    if (h->fp_control & FP_USES_KILL)
        fprintf(out, ".kill\n");
    if (fermi && h->fp_control & FP_EXPORTS_SAMPLE_MASK)
        fprintf(out, ".sample_mask\n");
}

static void put_directives(FILE *out, const struct glsl *g, enum program_type stage) {
    const struct program *p = g->stage[stage].program;
    const struct program_header *h = &g->stage[stage].header;
    const bool fermi = isa_set_of(p->variant) != SET_TESLA;
    fprintf(out, ".variant %s\n.regs %u\n", isa_variant_name(p->variant),
            h->reg_count ? h->reg_count : 1);
    if (h->local_size)
        fprintf(out, ".local 0x%x\n", h->local_size);
    if (!fermi && stage == PROGRAM_VP)
        put_attributes(out, g, h);
    if (!fermi && (stage == PROGRAM_VP || stage == PROGRAM_GP)) {
        put_builtins(out, h, stage);
        fprintf(out, ".results %u\n", h->result_count);
        put_outputs(out, g, h, stage == last_stage(g));
    }
    if (stage == PROGRAM_GP)
        put_primitive(out, h);
    if (stage == PROGRAM_GP && fermi && h->gp_invocations > 1)
        fprintf(out, ".invocations %u\n", h->gp_invocations);
    if (stage == PROGRAM_TCP)
        fprintf(out, ".vertices %u\n", h->patch_vertices ? h->patch_vertices : 1);
    if (stage == PROGRAM_FP) {
        if (!fermi)
            put_interpolants(out, h);
        put_fragment(out, h, fermi);
    }
}

/* ---- code ---- */

/* Returns the new address of an instruction. The driver's functions that the program calls follow
 * the program's own words, at the next multiple of 8. */
static uint32_t new_address(const struct program *p, uint32_t address) {
    const uint32_t own = program_own_words(p), word = program_word(p, address);
    return 4 * (word < own ? word : word - (p->word_count - p->library_words) + ((own + 1) & ~1u));
}

static bool *find_targets(const struct program *p) {
    bool *target = calloc(p->word_count + 1, sizeof *target);
    for (uint32_t i = 0; target && i < p->word_count; i += p->ops[i].words)
        if (op_has(&p->ops[i], TRAIT_TARGET) && program_word(p, p->ops[i].target) < p->word_count)
            target[program_word(p, p->ops[i].target)] = true;
    return target;
}

/* Writes the line of a branch with a label for its address. */
static void put_branch(FILE *out, const struct program *p, const struct op *op, const char *line,
                       int length, int *column) {
    char address[24];
    const char *at = NULL;
    snprintf(address, sizeof address, "0x%x", op->target);
    for (const char *s = line; (s = strstr(s, address)) && s < line + length; s++)
        at = s;
    if (!at || program_word(p, op->target) >= p->word_count) {
        *column = fprintf(out, "%.*s", length, line);
        return;
    }
    const int before = (int)(at - line), after = before + (int)strlen(address);
    *column = fprintf(out, "%.*s#at_%x%.*s", before, line, new_address(p, op->target),
                      length - after, line + after);
}

static void put_line(FILE *out, const struct glsl *g, enum program_type stage, const struct op *op,
                     const char *line, int length) {
    const struct program *p = g->stage[stage].program;
    char note[NOTE];
    int column;
    const bool noted = memmem(line, (size_t)length, "//", 2) != NULL;
    if (op_has(op, TRAIT_TARGET))
        put_branch(out, p, op, line, length, &column);
    else
        column = fprintf(out, "%.*s", length, line);
    glsl_name_operands(g, stage, op, note, sizeof note);
    if (*note && noted)
        fprintf(out, "; %s", note);
    else if (*note)
        fprintf(out, "%*s// %s", column < TEXT_COLUMN ? TEXT_COLUMN - column : 1, "", note);
    putc('\n', out);
}

static void put_words(FILE *out, const struct glsl *g, enum program_type stage, uint32_t first,
                      uint32_t count, const bool *target) {
    const struct program *p = g->stage[stage].program;
    const struct isa_target isa = {p->variant, stage, SYNTAX_ENVYAS};
    size_t length;
    char *text = isa_disassemble(isa, p->words + first, count, program_address(p, first),
                                 ISA_SOURCE, &length);
    const char *line = text;
    for (uint32_t i = first; line && *line && i < first + count; i += p->ops[i].words) {
        const int n = (int)strcspn(line, "\n");
        if (target[i])
            fprintf(out, "at_%x:\n", new_address(p, program_address(p, i)));
        put_line(out, g, stage, &p->ops[i], line, n);
        line += n + (line[n] == '\n');
    }
    free(text);
}

/* Returns the number of words that the driver wrote for the program itself. The program's own words
 * may be more: if the last instruction exits under the predicate "never", the word behind the
 * instruction counts as reachable. */
static uint32_t count_words(const struct program *p, const bool *target) {
    const uint32_t own = program_own_words(p);
    uint32_t last = 0;
    for (uint32_t i = 0; i < own; i += p->ops[i].words)
        if (p->ops[i].code != OP_ILLEGAL || target[i])
            last = i;
    const struct op *op = &p->ops[last];
    return op->exit || op_has(op, TRAIT_LEAVES) ? last + op->words : own;
}

void glsl_write_program(FILE *out, const struct glsl *g, enum program_type stage) {
    const struct program *p = g->stage[stage].program;
    bool *target = find_targets(p);
    if (!target)
        return;
    fprintf(out, "// %s program of %s%s%s.\n// Made by %s (%s).\n", program_stage_name(stage),
            g->name, g->stage[stage].file ? ": " : "",
            g->stage[stage].file ? g->stage[stage].file : "", g->command, g->driver);
    put_directives(out, g, stage);
    putc('\n', out);
    put_words(out, g, stage, 0, count_words(p, target), target);
    if (p->library_words) {
        fprintf(out, "\n// The driver's own functions.\n.align 8\n");
        put_words(out, g, stage, p->word_count - p->library_words, p->library_words, target);
    }
    free(target);
}
