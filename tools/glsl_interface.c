/* The interface of a GLSL program on the hardware. In: the facts and the recording of
 * glsl_inside.c, or a draw of any recording. Out: struct glsl: programs, and the place of each name
 * of the source (bytes of c[], slots of textures, attributes, result slots). The places are read
 * from the state at the draws, because the driver does not publish them. */
#include "tools/glsl.h"

#include "shader/sph.h"
#include "tex/tex.h"
#include "tools/playback.h"
#include "tools/state_text.h"

#include <errno.h>
#include <stdlib.h>

/* ---- types ---- */

static const struct glsl_type types[] = {
    {0x1406, "float", 1, 1, 'f'},
    {0x8b50, "vec2", 1, 2, 'f'},
    {0x8b51, "vec3", 1, 3, 'f'},
    {0x8b52, "vec4", 1, 4, 'f'},
    {0x1404, "int", 1, 1, 'i'},
    {0x8b53, "ivec2", 1, 2, 'i'},
    {0x8b54, "ivec3", 1, 3, 'i'},
    {0x8b55, "ivec4", 1, 4, 'i'},
    {0x1405, "uint", 1, 1, 'u'},
    {0x8dc6, "uvec2", 1, 2, 'u'},
    {0x8dc7, "uvec3", 1, 3, 'u'},
    {0x8dc8, "uvec4", 1, 4, 'u'},
    {0x8b56, "bool", 1, 1, 'b'},
    {0x8b57, "bvec2", 1, 2, 'b'},
    {0x8b58, "bvec3", 1, 3, 'b'},
    {0x8b59, "bvec4", 1, 4, 'b'},
    {0x8b5a, "mat2", 2, 2, 'f'},
    {0x8b5b, "mat3", 3, 3, 'f'},
    {0x8b5c, "mat4", 4, 4, 'f'},
    {0x8b65, "mat2x3", 2, 3, 'f'},
    {0x8b66, "mat2x4", 2, 4, 'f'},
    {0x8b67, "mat3x2", 3, 2, 'f'},
    {0x8b68, "mat3x4", 3, 4, 'f'},
    {0x8b69, "mat4x2", 4, 2, 'f'},
    {0x8b6a, "mat4x3", 4, 3, 'f'},
#define SAMPLER(number, name) {number, name, 1, 1, 's'}
#define SAMPLERS(kind, number, integer, natural)                                                   \
    SAMPLER(number, "sampler" kind), SAMPLER(integer, "isampler" kind),                            \
        SAMPLER(natural, "usampler" kind)
    SAMPLERS("1D", 0x8b5d, 0x8dc9, 0x8dd1),
    SAMPLERS("2D", 0x8b5e, 0x8dca, 0x8dd2),
    SAMPLERS("3D", 0x8b5f, 0x8dcb, 0x8dd3),
    SAMPLERS("Cube", 0x8b60, 0x8dcc, 0x8dd4),
    SAMPLERS("2DRect", 0x8b63, 0x8dcd, 0x8dd5),
    SAMPLERS("1DArray", 0x8dc0, 0x8dce, 0x8dd6),
    SAMPLERS("2DArray", 0x8dc1, 0x8dcf, 0x8dd7),
    SAMPLERS("Buffer", 0x8dc2, 0x8dd0, 0x8dd8),
    SAMPLERS("2DMS", 0x9108, 0x9109, 0x910a),
    SAMPLERS("2DMSArray", 0x910b, 0x910c, 0x910d),
    SAMPLERS("CubeArray", 0x900c, 0x900e, 0x900f),
    SAMPLER(0x8b61, "sampler1DShadow"),
    SAMPLER(0x8b62, "sampler2DShadow"),
    SAMPLER(0x8b64, "sampler2DRectShadow"),
    SAMPLER(0x8dc3, "sampler1DArrayShadow"),
    SAMPLER(0x8dc4, "sampler2DArrayShadow"),
    SAMPLER(0x8dc5, "samplerCubeShadow"),
    SAMPLER(0x900d, "samplerCubeArrayShadow"),
#undef SAMPLERS
#undef SAMPLER
};

const struct glsl_type *glsl_type_find(uint32_t gl) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].gl == gl)
            return &types[i];
    return NULL;
}

/* ---- facts ---- */

struct facts {
    struct glsl *g;
    char *field[12];
    int fields;
};

static long number_of(const struct facts *f, int i) {
    return i < f->fields ? strtol(f->field[i], NULL, 10) : 0;
}

static const struct glsl_type *type_of(const struct facts *f) {
    return glsl_type_find((uint32_t)number_of(f, 2));
}

/* Sets a new element to 0 and writes the name in field 1 to its beginning. Returns the element. */
static void *named(const struct facts *f, void *element, size_t size) {
    memset(element, 0, size);
    snprintf(element, GLSL_NAME, "%s", f->fields > 1 ? f->field[1] : "");
    return element;
}

/* Adds an element, which begins with its name. Returns NULL when out of memory. */
#define ADD(f, member, counter, capacity)                                                          \
    (ARRAY_ROOM((f)->g->member, (f)->g->capacity, (f)->g->counter + 1)                             \
         ? named(f, &(f)->g->member[(f)->g->counter++], sizeof *(f)->g->member)                    \
         : NULL)

static bool add_uniform(struct facts *f) {
    struct glsl_uniform *u = ADD(f, uniform, uniforms, uniform_capacity);
    if (!u)
        return false;
    u->type = type_of(f);
    u->count = (uint32_t)number_of(f, 3);
    u->first_mark = (uint32_t)number_of(f, 4);
    u->block = (int)number_of(f, 5);
    u->offset = (uint32_t)number_of(f, 6);
    u->array_stride = (uint32_t)number_of(f, 7);
    u->column_stride = (uint32_t)number_of(f, 8);
    u->row_major = number_of(f, 9) != 0;
    for (int i = 0; i < GLSL_STAGES; i++)
        u->place[i].slot = -1;
    return u->type != NULL;
}

static bool add_sampler(struct facts *f) {
    struct glsl_sampler *s = ADD(f, sampler, samplers, sampler_capacity);
    if (!s)
        return false;
    s->type = type_of(f);
    s->count = (uint32_t)number_of(f, 3);
    s->unit = (uint32_t)number_of(f, 4);
    memset(s->slot, -1, sizeof s->slot);
    return s->type != NULL;
}

static bool add_block(struct facts *f) {
    struct glsl_block *b = ADD(f, block, blocks, block_capacity);
    if (!b)
        return false;
    b->size = (uint32_t)number_of(f, 2);
    memset(b->slot, -1, sizeof b->slot);
    return true;
}

static bool add_input(struct facts *f) {
    struct glsl_input *n = ADD(f, input, inputs, input_capacity);
    if (!n)
        return false;
    n->type = type_of(f);
    n->count = (uint32_t)number_of(f, 3);
    n->location = (int)number_of(f, 4);
    memset(n->attribute, -1, sizeof n->attribute);
    return n->type != NULL;
}

static bool add_output(struct facts *f) {
    struct glsl_output *o = ADD(f, output, outputs, output_capacity);
    if (!o)
        return false;
    o->type = type_of(f);
    o->location = (int)number_of(f, 3);
    o->index = (int)number_of(f, 4);
    return o->type != NULL;
}

static bool add_varying(struct facts *f) {
    struct glsl_varying *v = ADD(f, varying, varyings, varying_capacity);
    const struct glsl_type *t = type_of(f);
    if (!v || !t)
        return false;
    v->first_word = f->g->capture_words;
    v->words = (uint32_t)number_of(f, 3) * t->columns * t->rows;
    f->g->capture_words += v->words;
    memset(v->slot, -1, sizeof v->slot);
    return v->words <= sizeof v->slot;
}

static bool add_driver(struct facts *f) {
    snprintf(f->g->driver, sizeof f->g->driver, "%s", f->fields > 1 ? f->field[1] : "");
    return true;
}

static bool add_draw(struct facts *f) {
    return f->fields == 2;
}

static const struct {
    const char *kind;
    bool (*add)(struct facts *f);
} kinds[] = {
    {"uniform", add_uniform}, {"sampler", add_sampler}, {"block", add_block},
    {"input", add_input},     {"output", add_output},   {"varying", add_varying},
    {"driver", add_driver},   {"draw", add_draw},
};

static bool take_line(struct facts *f, char *line) {
    f->fields = 0;
    for (char *rest = line, *word; f->fields < 12 && (word = strsep(&rest, "\t"));)
        f->field[f->fields++] = word;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(f->field[0], kinds[i].kind) == 0)
            return kinds[i].add(f);
    return false;
}

bool glsl_read_facts(struct glsl *g, const char *path, char *why, size_t size) {
    struct facts f = {.g = g};
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    FILE *in = fopen(path, "re");
    if (!in) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return false;
    }
    for (ssize_t n; ok && (n = getline(&line, &room, in)) > 0;) {
        line[n - (line[n - 1] == '\n')] = 0;
        ok = take_line(&f, line);
        if (!ok)
            snprintf(why, size, "unknown fact: %s", line);
    }
    free(line);
    fclose(in);
    return ok;
}

/* ---- draws ---- */

/* Reads the draws in the order in which glsl_inside.c makes them. */
struct reader {
    struct glsl *g;
    tp_device *device;
    struct sources sources;
    uint64_t only; /* the draw of the user's recording; 0: all draws of glsl_inside()'s recording */
    uint64_t draws;
    uint32_t bits; /* draws with bools so far */
    /* for each c0[] word, the number of its bool as far as the draws have shown it */
    uint32_t *flags[GLSL_STAGES];
    uint32_t flag_words[GLSL_STAGES];
    bool found, failed;
};

enum { C_WORDS = 1 << 14 };

/* Returns the current words of c<slot>[]; NULL: none. */
static const uint32_t *words_of(tp_context *c, int stage, unsigned slot, uint32_t *count) {
    const struct state *s = &c->state;
    const int id = s->const_binding[stage][slot];
    if (id < 0)
        return NULL;
    const struct const_buffer *b = &s->const_buffer[id & (STATE_CONST_BUFFERS - 1)];
    context_before_read(c, b->address, b->size ? b->size : 1);
    const uint64_t extent = memory_extent(c->device->memory, b->address);
    const uint64_t bytes = b->size < extent ? b->size : extent;
    *count = (uint32_t)(bytes / 4 < C_WORDS ? bytes / 4 : C_WORDS);
    return *count ? memory_at(c->device->memory, b->address, 4ull * *count) : NULL;
}

/* Copies the constants that the program can read; if it computes addresses, all up to the last word
 * that is not 0. */
static bool keep_constants(struct reader *r, tp_context *c, int stage, unsigned slot) {
    struct glsl_program *p = &r->g->stage[stage];
    struct glsl_constants *k = &p->constants[slot];
    uint32_t count;
    const uint32_t *word = words_of(c, stage, slot, &count);
    const uint32_t reach = (p->program->facts.const_extent[slot] + 3) / 4;
    if (!word)
        return true;
    count = reach < count ? reach : count;
    while (count && reach >= C_WORDS && !word[count - 1])
        count--;
    k->word = malloc((count + 1) * sizeof *k->word);
    k->of_driver = calloc(count + 1, sizeof *k->of_driver);
    if (!k->word || !k->of_driver)
        return false;
    k->count = count;
    memcpy(k->word, word, count * sizeof *word);
    for (uint32_t i = 0; i < count; i++)
        k->of_driver[i] = word[i] != 0;
    return true;
}

/* Finds the attribute of each location. All arrays lie in one buffer; that of a location begins at
 * byte 64 * location. */
static void find_inputs(struct glsl *g, const struct state *s) {
    uint64_t first = UINT64_MAX;
    const struct program_header *h = &s->header[PROGRAM_VP];
    int lowest = 16;
    for (size_t i = 0; i < g->inputs; i++)
        if (g->input[i].location >= 0 && g->input[i].location < lowest)
            lowest = g->input[i].location;
    for (int i = 0; i < STATE_ATTRIBUTES; i++) {
        const struct vertex_attribute *a = &s->attribute[i];
        const uint64_t at = s->array[a->array & (STATE_ARRAYS - 1)].start + a->offset;
        const bool fermi = s->program[PROGRAM_VP] && s->program[PROGRAM_VP]->rows;
        if (!a->constant && a->format && (fermi || h->attr_enable[i / 8] >> i % 8 * 4 & 15) &&
            at < first)
            first = at;
    }
    for (int i = 0; i < STATE_ATTRIBUTES; i++) {
        const struct vertex_attribute *a = &s->attribute[i];
        const uint64_t at = s->array[a->array & (STATE_ARRAYS - 1)].start + a->offset;
        const uint64_t location = (at - first) / 64 + (uint64_t)lowest;
        for (size_t k = 0; !a->constant && a->format && at >= first && k < g->inputs; k++) {
            struct glsl_input *n = &g->input[k];
            const uint64_t offset = location - (uint64_t)n->location;
            if (n->location >= 0 && offset < 16 && offset < n->count * n->type->columns)
                n->attribute[offset] = i;
        }
    }
}

/* Finds the textures of each sampler: the texture of unit n is n + 1 texels wide. */
static void find_samplers(struct reader *r, tp_context *c, int stage) {
    const struct program *p = r->g->stage[stage].program;
    for (unsigned slot = 0; slot < STATE_TEXTURES; slot++) {
        uint32_t word[8];
        struct tex_view view;
        char why[256];
        const struct state *s = &c->state;
        if (!(p->facts.textures >> slot & 1) ||
            !state_descriptor(&s->tic[stage][slot], &s->tic_table, c->device->memory, word) ||
            tex_view_decode(word, c->device->memory, &view, why, sizeof why) != 0)
            continue;
        for (size_t i = 0; i < r->g->samplers; i++) {
            struct glsl_sampler *t = &r->g->sampler[i];
            const bool multisample = strstr(t->type->name, "MS") != NULL;
            const uint32_t unit =
                (multisample && view.samples == 1 ? view.width / 2 : view.width) - 1;
            if (unit >= t->unit && unit < t->unit + t->count && t->slot[stage] < 0)
                t->slot[stage] = (int)slot - (int)(unit - t->unit);
        }
    }
}

static uint32_t named_slots(const struct program *p) {
    uint32_t slots = 0;
    for (uint32_t i = 0; i < p->word_count; i += p->ops[i].words)
        for (int k = 0; k < 3; k++)
            if (p->ops[i].src[k].file == FILE_CONST)
                slots |= 1u << (p->ops[i].src[k].index & 15);
    return slots;
}

static bool keep_program(struct reader *r, tp_context *c, int stage) {
    struct glsl_program *p = &r->g->stage[stage];
    const struct state *s = &c->state;
    p->program = program_ref(s->program[stage]);
    p->header = s->header[stage];
    for (unsigned slot = 0; slot < STATE_CONST_SLOTS; slot++)
        if (named_slots(p->program) >> slot & 1 && !keep_constants(r, c, stage, slot))
            return false;
    find_samplers(r, c, stage);
    return true;
}

/* Reads the state of the draw with the initial values. */
static void read_initial(struct reader *r, tp_context *c) {
    struct glsl *g = r->g;
    const struct state *s = &c->state;
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        if (s->program[stage] && !keep_program(r, c, stage))
            r->failed = true;
    g->semantic = s->semantic;
    g->per_sample = s->sample.shading;
    g->sample_mask = s->fp_sample_mask;
    memcpy(g->stage[PROGRAM_FP].header.point_coord, s->point_coord_map, sizeof s->point_coord_map);
    g->tess_mode = s->tess_mode;
    g->patch_vertices = s->patch_vertices;
    find_inputs(g, s);
}

/* ---- places of uniforms ---- */

/* The place of a word among the words of its uniform. */
struct word_number {
    uint32_t element, column, row;
};

static struct word_number split_number(const struct glsl_uniform *u, uint32_t i) {
    const uint32_t rows = u->type->rows, columns = u->type->columns;
    return (struct word_number){i / (rows * columns), i / rows % columns, i % rows};
}

/* Notes that word i of the uniform lies at this byte of c<slot>[]. Word 0 gives the offset; the
 * first words of element 1 and of column 1 give the strides. */
static void place_word(struct glsl_uniform *u, int stage, unsigned slot, uint32_t i,
                       uint32_t offset) {
    struct glsl_place *p = &u->place[stage];
    const struct word_number n = split_number(u, i);
    if (!n.element && !n.column && !n.row) {
        p->slot = (int)slot;
        p->offset = offset;
    } else if (p->slot == (int)slot && n.element == 1 && !n.column && !n.row) {
        p->array_stride = offset - p->offset;
    } else if (p->slot == (int)slot && n.column == 1 && !n.element && !n.row) {
        p->column_stride = offset - p->offset;
    }
}

static void place_mark(struct glsl *g, int stage, unsigned slot, uint32_t mark, uint32_t offset) {
    for (size_t i = 0; i < g->uniforms; i++) {
        struct glsl_uniform *u = &g->uniform[i];
        const uint32_t words = u->count * u->type->columns * u->type->rows;
        if (u->block < 0 && u->type->base != 'b' && mark - u->first_mark < words)
            place_word(u, stage, slot, mark - u->first_mark, offset);
    }
}

/* Notes the place of a uniform block, which is found by its first word. The places of the members
 * in the block come from OpenGL. */
static void place_block(struct glsl *g, int stage, unsigned slot, uint32_t number) {
    if (number >= g->blocks)
        return;
    g->block[number].slot[stage] = (int)slot;
    for (size_t i = 0; i < g->uniforms; i++) {
        struct glsl_uniform *u = &g->uniform[i];
        if (u->block == (int)number)
            u->place[stage] =
                (struct glsl_place){(int)slot, u->offset, u->array_stride, u->column_stride};
    }
}

/* Notes that word i holds a uniform. Then the word is not the driver's, and belongs to the
 * constants even if the program computes its address. */
static bool note_uniform(struct glsl_constants *k, uint32_t i) {
    if (i >= k->count) {
        uint32_t *word = realloc(k->word, (i + 1) * sizeof *word);
        k->word = word ? word : k->word;
        bool *of_driver = word ? realloc(k->of_driver, (i + 1) * sizeof *of_driver) : NULL;
        if (!of_driver)
            return false;
        k->of_driver = of_driver;
        memset(word + k->count, 0, (i + 1 - k->count) * sizeof *word);
        memset(of_driver + k->count, 0, (i + 1 - k->count) * sizeof *of_driver);
        k->count = i + 1;
    }
    k->of_driver[i] = false;
    return true;
}

/* Notes the words of a block as uniforms with the value 0, up to the size that OpenGL tells; the
 * bound buffer is larger. */
static bool read_block(struct glsl *g, int stage, unsigned slot, uint32_t number) {
    struct glsl_constants *k = &g->stage[stage].constants[slot];
    place_block(g, stage, slot, number);
    const uint32_t count = number < g->blocks ? (g->block[number].size + 3) / 4 : 0;
    k->count = k->count < count ? k->count : count;
    for (uint32_t i = 0; i < k->count; i++)
        k->word[i] = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!note_uniform(k, i))
            return false;
    return true;
}

static void read_marks(struct reader *r, tp_context *c) {
    struct glsl *g = r->g;
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage)) {
        const struct program *p = g->stage[stage].program;
        for (unsigned slot = 0; p && slot < STATE_CONST_SLOTS; slot++) {
            uint32_t count;
            const uint32_t *word =
                p->facts.const_slots >> slot & 1 ? words_of(c, stage, slot, &count) : NULL;
            if (word && count && slot && word[0] >> 24 == GLSL_MARK >> 24 &&
                !(word[0] & (C_WORDS - 1)) && word[count - 1] >> 24 == GLSL_MARK >> 24) {
                r->failed |= !read_block(g, stage, slot, (word[0] & 0xffffff) / C_WORDS);
                continue;
            }
            for (uint32_t i = 0; word && i < count; i++)
                if (word[i] >> 24 == GLSL_MARK >> 24) {
                    place_mark(g, stage, slot, word[i] & 0xffffff, 4 * i);
                    r->failed |= !note_uniform(&g->stage[stage].constants[slot], i);
                }
        }
    }
}

/* Returns the number of bools outside of blocks. */
static uint32_t count_bools(const struct glsl *g) {
    uint32_t bools = 0;
    for (size_t i = 0; i < g->uniforms; i++)
        if (g->uniform[i].type->base == 'b' && g->uniform[i].block < 0)
            bools += g->uniform[i].count * g->uniform[i].type->rows;
    return bools;
}

/* Reads a draw with bools: if a word of c0[] is true here, the number of its bool has this bit. */
static void read_bit(struct reader *r, tp_context *c) {
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage)) {
        const struct program *p = r->g->stage[stage].program;
        uint32_t count;
        const uint32_t *word = p && p->facts.const_slots & 1 ? words_of(c, stage, 0, &count) : NULL;
        if (!word)
            continue;
        if (!r->flags[stage])
            r->flags[stage] = calloc(C_WORDS, sizeof *r->flags[stage]);
        if (!r->flags[stage]) {
            r->failed = true;
            return;
        }
        r->flag_words[stage] = count;
        for (uint32_t i = 0; i < count; i++)
            if (word[i] == UINT32_MAX || word[i] == 0x3f800000 || word[i] == 1)
                r->flags[stage][i] |= 1u << r->bits;
    }
    r->bits++;
}

/* Finds the bools, by the numbers that the draws have shown. */
static void place_flags(struct reader *r) {
    struct glsl *g = r->g;
    const uint32_t bools = count_bools(g);
    for (int stage = 0; stage < PROGRAM_TYPES; stage++)
        for (uint32_t i = 0; r->flags[stage] && i < r->flag_words[stage]; i++) {
            const uint32_t number = r->flags[stage][i] - 1;
            struct glsl_constants *k = &g->stage[stage].constants[0];
            if (number >= bools)
                continue;
            for (size_t u = 0; u < g->uniforms; u++) {
                struct glsl_uniform *f = &g->uniform[u];
                if (f->type->base != 'b' || f->block >= 0 ||
                    number - f->first_mark >= f->count * f->type->rows)
                    continue;
                place_word(f, stage, 0, number - f->first_mark, 4 * i);
                r->failed |= !note_uniform(k, i);
            }
        }
}

/* ---- varyings ---- */

/* Returns true if the programs have the same instructions. Their addresses may differ, so branches,
 * which contain addresses, are not compared. */
static bool same_code(const struct program *a, const struct program *b) {
    if (!a || !b || a->word_count != b->word_count)
        return false;
    for (uint32_t i = 0; i < a->word_count; i += a->ops[i].words)
        if (!op_has(&a->ops[i], TRAIT_TARGET) &&
            memcmp(a->words + i, b->words + i, a->ops[i].words * sizeof *a->words) != 0)
            return false;
    return true;
}

/* Reads the slots of the varyings from a program that captures them. own: this is the user's
 * program. Another program's slots are those of the user's program if both have the same fragment
 * code and, on a Tesla, the same interpolants. */
static void read_capture(struct reader *r, tp_context *c, bool own) {
    struct glsl *g = r->g;
    const struct state *s = &c->state;
    const enum program_type last = g->stage[PROGRAM_GP].program    ? PROGRAM_GP
                                   : g->stage[PROGRAM_TEP].program ? PROGRAM_TEP
                                                                   : PROGRAM_VP;
    const struct program *fp = g->stage[PROGRAM_FP].program;
    const struct program_header *h = &g->stage[last].header;
    g->varyings_known = own;
    if (!own && fp && fp->rows)
        g->varyings_known = s->stream.enable && same_code(fp, s->program[PROGRAM_FP]);
    else if (!own)
        g->varyings_known = s->header[PROGRAM_FP].interpolant_ctrl ==
                                g->stage[PROGRAM_FP].header.interpolant_ctrl &&
                            h->map_size <= s->header[last].map_size && s->stream.enable &&
                            same_code(fp, s->program[PROGRAM_FP]);
    for (size_t i = 0; i < g->varyings; i++) {
        struct glsl_varying *v = &g->varying[i];
        for (uint32_t k = 0; k < v->words; k++) {
            const uint8_t slot = s->stream.buffer[0].slot[v->first_word + k];
            const struct attribute_rows *rows = s->program[last] ? s->program[last]->rows : NULL;
            if (!rows && slot < h->map_size)
                v->slot[k] = slot;
            for (uint32_t w = 0; rows && slot < s->header[last].map_size && w < A_WORDS; w++)
                if (rows->out[w] == s->header[last].result_map[slot] && rows->out[w] != ROW_NONE)
                    v->slot[k] = (uint8_t)w;
        }
    }
}

static void read_sources(struct reader *r) {
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage)) {
        const char *text = sources_find(&r->sources, r->sources.current, (enum program_type)stage);
        struct glsl_program *p = &r->g->stage[stage];
        if (text && p->program)
            p->source = strdup(text);
    }
}

static void before_draw(void *self, tp_context *c, uint64_t draw) {
    struct reader *r = self;
    r->draws = draw;
    if (r->only && draw == r->only) {
        read_initial(r, c);
        read_sources(r);
        r->found = true;
    }
    if (r->only)
        return;
    const uint32_t bits = glsl_bool_draws(count_bools(r->g));
    if (draw == 1) {
        read_initial(r, c);
        if (c->state.stream.enable)
            read_capture(r, c, true);
    } else if (draw == 2) {
        read_marks(r, c);
    } else if (draw - 3 < bits) {
        read_bit(r, c);
    } else if (draw - 3 == bits) {
        read_capture(r, c, false);
    }
}

static bool read_recording(struct reader *r, const struct command *command, const char *path) {
    const struct playback_hooks hooks = {.self = r, .before = before_draw, .sources = &r->sources};
    const struct tp_device_info info = {.warp_budget = 100000, .threads = r->only ? 0 : 1};
    struct replay_result result = {0};
    char why[512];
    int code;
    tp_device *device = recording_device(command, path, info, &code);
    if (!device)
        return false;
    device->log.level = LOG_ERROR;
    r->device = device;
    bool ok = recording_play(path, device, r->only, &hooks, &result, why, sizeof why) == 0;
    if (!ok)
        command_failed(command, "%s", why);
    else if (r->failed)
        ok = command_failed(command, "out of memory") == EXIT_FINE;
    place_flags(r);
    sources_free(&r->sources);
    for (int i = 0; i < GLSL_STAGES; i++)
        free(r->flags[i]);
    replay_free(&result);
    tp_device_destroy(device);
    return ok;
}

bool glsl_read_recording(struct glsl *g, const struct command *command, const char *path) {
    struct reader r = {.g = g};
    if (!read_recording(&r, command, path))
        return false;
    if (g->stage[PROGRAM_VP].program)
        return true;
    command_failed(command, "the driver has drawn nothing: %s has no draws", path);
    return false;
}

int glsl_read_draw(struct glsl *g, const struct command *command, const char *path, uint64_t draw) {
    struct reader r = {.g = g, .only = draw};
    if (!read_recording(&r, command, path))
        return EXIT_FAILED;
    if (r.found)
        return EXIT_FINE;
    return command_usage(command, "%s has %llu draws, there is no draw %llu", path,
                         (unsigned long long)r.draws, (unsigned long long)draw);
}

void glsl_free(struct glsl *g) {
    for (int i = 0; i < GLSL_STAGES; i++) {
        program_unref(g->stage[i].program);
        free(g->stage[i].source);
        for (int k = 0; k < 16; k++) {
            free(g->stage[i].constants[k].word);
            free(g->stage[i].constants[k].of_driver);
        }
    }
    free(g->uniform);
    free(g->sampler);
    free(g->block);
    free(g->input);
    free(g->varying);
    free(g->output);
}
