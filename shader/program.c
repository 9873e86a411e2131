/* Programs: machine code decoded once, with its header. In: words, program text or a file. Out: an
 * immutable, reference-counted struct program. Knows neither the pipeline nor the contents of files
 * other than text.
 */
#include "shader/program.h"
#include "base/read_file.h"

#include "shader/exec.h"
#include "shader/isa/isa.h"
#include "shader/native/native.h"
#include "shader/sph.h"
#include "shader/spread.h"

#include <stdlib.h>

enum { MAX_WORDS = 1 << 22, MAX_TEXT = (1 << 26) - 1 };

static struct program *refuse(struct program_error *error, const char *name, const char *why) {
    if (error)
        snprintf(error->text, sizeof error->text, "%s: %s", name ? name : "program", why);
    return NULL;
}

enum { TEX_PAIRS = 256 * 32, TEX_UNITS = 16 };
enum { NO_REGISTER = 63 }; /* Fermi's $r63 */

static uint8_t tesla_texture(unsigned code) {
    static const uint8_t kinds[OPCODES] = {
        [OP_TEXAUTO] = TEX_OP_AUTO,         [OP_TEXFETCH] = TEX_OP_FETCH,
        [OP_TEXBIAS] = TEX_OP_BIAS,         [OP_TEXLOD] = TEX_OP_LOD,
        [OP_TEXSIZE] = TEX_OP_SIZE,         [OP_TEXPREP] = TEX_OP_PREP,
        [OP_TEXQUERYLOD] = TEX_OP_QUERYLOD, [OP_TEXCSAA] = TEX_OP_CSAA,
        [OP_TEXGATHER] = TEX_OP_GATHER};
    return kinds[code];
}

static void add_operand(struct ftex_fields *t, uint32_t n) {
    if (t->operands < FTEX_OPERANDS)
        t->operand[t->operands++] = (uint8_t)(n < 255 ? n : 255);
}

static bool has_lod(unsigned op) {
    return op == TEX_OP_LOD || op == TEX_OP_BIAS || op == TEX_OP_FETCH;
}

/* The first vector of sources has the layer or handle and the coordinates, the second vector
 * {sample} {lod or bias} {offsets} {depth reference}. With explicit derivatives the offsets follow
 * the coordinates. */
static void list_operands(struct op *op) {
    enum { NONE = 255 };
    struct ftex_fields *t = &op->ftex;
    const bool array = ftex_is_array(t), level = op->sub == FTEX_FETCH ? t->lod : t->lod & 2;
    uint32_t n = t->first + (uint32_t)(array || t->indirect), second = t->second;
    t->operands = 0;
    t->layer = FTEX_OPERANDS;
    const uint32_t sample = t->multisample ? second++ : NONE;
    for (unsigned i = 0; i < ftex_coordinates(t); i++)
        add_operand(t, n++);
    if (array) {
        t->layer = t->operands;
        add_operand(t, t->first);
    }
    const uint32_t lod = level && has_lod(op->tex.call.op) ? second++ : NONE;
    if (t->offsets)
        t->offset_word = (uint8_t)(op->sub == FTEX_GRAD ? n : second++);
    if (t->shadow)
        add_operand(t, second + (t->offsets == 2));
    if (op->tex.call.op == TEX_OP_FETCH_SAMPLE)
        add_operand(t, sample);
    else if (has_lod(op->tex.call.op))
        add_operand(t, lod);
}

/* Translates a texture instruction of Fermi or generic64 to Tesla's terms. generic64 names its
 * registers as operands. */
static void finish_fermi_texture(enum isa_variant variant, struct op *op) {
    static const uint8_t kinds[] = {
        [FTEX_FETCH] = TEX_OP_FETCH,        [FTEX_GATHER] = TEX_OP_GATHER,
        [FTEX_QUERY_LOD] = TEX_OP_QUERYLOD, [FTEX_QUERY] = TEX_OP_SIZE,
        [FTEX_CSAA] = TEX_OP_CSAA,          [FTEX_GRAD] = TEX_OP_AUTO};
    static const uint8_t lods[8] = {[FTEX_LOD_ZERO] = TEX_OP_LOD,
                                    [FTEX_LOD_LOD] = TEX_OP_LOD,
                                    [FTEX_LOD_LODA] = TEX_OP_LOD,
                                    [FTEX_LOD_BIAS] = TEX_OP_BIAS,
                                    [FTEX_LOD_BIASA] = TEX_OP_BIAS};
    struct ftex_fields *t = &op->ftex;
    op->tex.call.op = op->sub == FTEX_SAMPLE ? lods[t->lod & 7] : kinds[op->sub];
    if (op->sub == FTEX_FETCH && t->multisample)
        op->tex.call.op = TEX_OP_FETCH_SAMPLE;
    if (op->sub == FTEX_QUERY && t->component == FTEX_QUERY_TYPE)
        op->tex.call.op = TEX_OP_TYPE;
    op->tex.call.cube = t->target == FTEX_CUBE || t->target == FTEX_CUBE_ARRAY;
    op->tex.call.component = op->sub == FTEX_GATHER      ? t->component
                             : op->sub == FTEX_QUERY_LOD ? variant != ISA_G64
                                                         : 0;
    if (variant == ISA_G64) {
        op->tex.base = (uint8_t)op->dst.value;
        t->second = (uint8_t)op->src[1].value;
    }
    if (variant == ISA_G64 || op->sub == FTEX_QUERY)
        t->first = op->src[0].file == FILE_R ? (uint8_t)op->src[0].value : NO_REGISTER;
    list_operands(op);
}

static void decode_part(struct program *p, uint32_t first, uint32_t end) {
    const struct isa_target target = {p->variant, p->type, SYNTAX_ENVYAS};
    for (uint32_t i = first; i < end; i++)
        isa_decode(target, p->words + i, end - i, program_address(p, i), &p->ops[i]);
}

/* Decodes the instruction at each word, because any word may be a branch target. The word between
 * the two parts of the code decodes as illegal. */
static void decode_all(struct program *p) {
    const uint32_t own = program_own_words(p);
    decode_part(p, 0, own);
    if (!p->library_words)
        return;
    decode_part(p, own, own + 1);
    decode_part(p, own + 1, p->word_count);
}

/* The number of the pair in the program's list. A new pair is added; there is room. */
static uint16_t tex_slot_of(struct program *p, uint8_t tic, uint8_t tsc) {
    uint32_t n = 0;
    while (n < p->tex_slot_count && (p->tex_slot[n].tic != tic || p->tex_slot[n].tsc != tsc))
        n++;
    if (n == p->tex_slot_count)
        p->tex_slot[p->tex_slot_count++] = (struct tex_slot){tic, tsc};
    return (uint16_t)n;
}

/* Adds the pairs that a register may name: a texture and a sampler of the same number. */
static void add_all_units(struct program *p) {
    for (uint8_t i = 0; i < TEX_UNITS; i++)
        tex_slot_of(p, i, i);
}

/* Fills the members of texture instructions that depend on the program: use of quads, slots. There
 * are at most 256 $t and 32 $s, so slots fit. */
static bool finish_textures(struct program *p) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->word_count; i++)
        count += p->reached[i] && op_class(&p->ops[i]) == CLASS_TEXTURE;
    if (!count)
        return true;
    count += TEX_UNITS;
    p->tex_slot = malloc((count < TEX_PAIRS ? count : TEX_PAIRS) * sizeof *p->tex_slot);
    if (!p->tex_slot)
        return false;
    for (uint32_t i = 0; i < p->word_count; i++) {
        struct op *op = &p->ops[i];
        if (!p->reached[i] || op_class(op) != CLASS_TEXTURE)
            continue;
        if (op->code == OP_TEX)
            finish_fermi_texture(p->variant, op);
        else
            op->tex.call.op = tesla_texture(op->code);
        const uint32_t known = p->tex_slot_count;
        op->tex.call.quads = op->tex.deriv || p->type == PROGRAM_FP;
        op->tex.slot = tex_slot_of(p, op->tex.tic, op->tex.tsc);
        op->tex.call.first = p->tex_slot_count > known;
        if (op->code == OP_TEX && op->ftex.indirect)
            add_all_units(p);
    }
    return true;
}

static unsigned max_unsigned(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/* The number of the last register of a set, plus 1; 0 for the empty set. */
static unsigned registers_end(const struct op_places *s) {
    return s->r[1]   ? 128u - (unsigned)__builtin_clzll(s->r[1])
           : s->r[0] ? 64u - (unsigned)__builtin_clzll(s->r[0])
                     : 0;
}

/* The number of registers that an allocation needs for op. */
static unsigned op_registers(const struct op *op, unsigned zero) {
    struct op_places reads = op_reads(op);
    const struct op_places writes = op_writes(op);
    if (op->code == OP_TEX && zero < 128) /* the sources are the operands of the call */
        reads.r[zero / 64] &= ~(UINT64_C(1) << zero % 64);
    return max_unsigned(registers_end(&reads), registers_end(&writes));
}

/* True if register `reg`, which reads 0 by convention and need not be allocated, is the operand. */
static bool is_zero_register(const struct operand *o, unsigned reg) {
    return o->file == FILE_R && o->value == reg;
}

static unsigned op_registers_except(const struct op *op, unsigned zero) {
    struct op copy = *op;
    for (int i = 0; i < 3; i++)
        if (is_zero_register(&copy.src[i], zero))
            copy.src[i].file = FILE_NONE;
    return op_registers(&copy, zero);
}

static unsigned count_registers(const struct program *p, unsigned zero) {
    unsigned n = 1;
    for (uint32_t i = 0; i < p->word_count; i += p->ops[i].words)
        n = max_unsigned(n, op_registers_except(&p->ops[i], zero));
    return n;
}

/* The registers to allocate if the header does not say. By convention $r63 (if the program does not
 * use it) or $r127 reads 0: sources that name it do not count unless other operands need it. */
static uint16_t derive_reg_count(const struct program *p) {
    if (isa_set_of(p->variant) != SET_TESLA)
        return 64; /* the registers that Fermi and generic64 can name */
    unsigned n = count_registers(p, 63);
    if (n > 63)
        n = count_registers(p, 127);
    if (p->type == PROGRAM_FP)
        n = max_unsigned(n, p->header.fp_results);
    return n > 128 ? 128 : n;
}

static void no_slots(struct program_header *h) {
    h->slot_point_size = h->slot_layer = h->slot_viewport = h->slot_primitive_id = h->slot_clip =
        0xff;
    memset(h->slot_color, 0xff, sizeof h->slot_color);
}

static bool copy_rows(struct program *p, const struct attribute_rows *rows) {
    if (!rows)
        return true;
    p->rows = malloc(sizeof *rows);
    if (p->rows)
        *p->rows = *rows;
    return p->rows;
}

/* Copies the words of both parts. Parts that follow each other without a gap become one. */
static bool allocate(struct program *p, const struct program_code *code, const char *name) {
    const uint32_t own = (uint32_t)code->word_count, more = (uint32_t)code->library_words;
    const bool apart = more && code->library_base != code->base + 4 * own;
    p->library_base = apart ? code->library_base : 0;
    p->library_words = apart ? more : 0;
    p->word_count = own + apart + more;
    p->words = malloc((p->word_count + 1) * sizeof *p->words);
    p->ops = malloc(p->word_count * sizeof *p->ops);
    p->name = strdup(name ? name : "program");
    if (!p->words || !p->ops || !p->name || !copy_rows(p, code->rows))
        return false;
    memcpy(p->words, code->words, own * sizeof *p->words);
    p->words[own] = 0; /* the word between the parts */
    if (more)
        memcpy(p->words + own + apart, code->library, more * sizeof *p->words);
    return true;
}

/* True if the parts have no address in common. */
static bool parts_lie_apart(const struct program_code *c) {
    const uint64_t own = c->base + 4 * (uint64_t)c->word_count,
                   library = c->library_base + 4 * (uint64_t)c->library_words;
    return c->library_base >= own || library <= c->base;
}

static bool is_known(enum program_type type, enum isa_variant variant, bool has_rows) {
    switch (isa_set_of(variant)) {
    case SET_TESLA:
        return type != PROGRAM_TCP && type != PROGRAM_TEP;
    case SET_FERMI:
        return type == PROGRAM_CP || has_rows;
    default:
        return type == PROGRAM_CP;
    }
}

static const char *fault_of(enum program_type type, enum isa_variant variant,
                            const struct program_code *code) {
    if (code->word_count == 0)
        return "the program is empty; it needs at least one instruction";
    if (code->word_count > MAX_WORDS || code->library_words > MAX_WORDS)
        return "the program is larger than the 16 MiB of code space";
    if (code->base % 8 || code->entry % 4 || (code->library_words && code->library_base % 8))
        return "the base address must be a multiple of 8 and the entry of 4";
    if (code->library_words && !parts_lie_apart(code))
        return "the program and the code that it calls overlap";
    if (!is_known(type, variant, code->rows))
        return isa_set_of(variant) == SET_FERMI
                   ? "a 3D program of this instruction set needs a header"
                   : "the instruction set has no such programs";
    return NULL;
}

struct program *program_from_code(enum program_type type, enum isa_variant variant,
                                  const struct program_header *header,
                                  const struct program_code *code, const char *name,
                                  struct program_error *error) {
    const char *fault = fault_of(type, variant, code);
    struct program *p = fault ? NULL : calloc(1, sizeof *p);
    if (!p)
        return refuse(error, name, fault ? fault : "out of memory");
    p->refs = 1;
    p->type = type;
    p->variant = variant;
    p->base = code->base;
    p->entry = code->entry;
    if (header)
        p->header = *header;
    else
        no_slots(&p->header);
    if (!allocate(p, code, name)) {
        program_unref(p);
        return refuse(error, name, "out of memory");
    }
    decode_all(p);
    if (p->header.reg_count == 0)
        p->header.reg_count = derive_reg_count(p);
    if (!program_find_reached(p) || !finish_textures(p) || exec_link(p)) {
        program_unref(p);
        return refuse(error, name, "out of memory");
    }
    program_find_unseen(p); /* before program_find_facts, which needs the results */
    program_find_facts(p);
    return p;
}

struct program *program_from_words(enum program_type type, enum isa_variant variant,
                                   const struct program_header *header, const uint32_t *words,
                                   size_t word_count, uint32_t base, uint32_t entry,
                                   const char *name, struct program_error *error) {
    const struct program_code code = {
        .words = words, .word_count = word_count, .base = base, .entry = entry};
    return program_from_code(type, variant, header, &code, name, error);
}

/* Makes a program of assembled code. A Fermi's 3D program gets its header from the code. */
static struct program *from_assembled(struct isa_target target, struct program_header *header,
                                      const struct asm_result *code, const char *name,
                                      struct program_error *error) {
    uint32_t sph[SPH_WORDS];
    struct attribute_rows rows;
    struct program_code all = {
        .words = code->words, .word_count = code->count, .base = code->base, .entry = code->base};
    if (isa_set_of(target.variant) == SET_FERMI && target.type != PROGRAM_CP) {
        sph_make(target, header, code->words, code->count, code->base, sph);
        sph_read(sph, target.type, header, &rows);
        all.rows = &rows;
    }
    return program_from_code(target.type, target.variant, header, &all, name, error);
}

static struct program *from_source(enum program_type type, enum isa_variant variant,
                                   const struct isa_source *source, struct program_error *error) {
    struct program_header header = {0};
    struct asm_result code;
    char message[sizeof error->text] = "";
    no_slots(&header);
    struct isa_target target = {variant, type, SYNTAX_ENVYAS};
    if (isa_assemble_source(target, source, &header, &code, message, sizeof message)) {
        if (error)
            memcpy(error->text, message, sizeof message);
        return NULL;
    }
    struct program *p = from_assembled(target, &header, &code, source->name, error);
    /* if memory is short, the program has no text: only debuggers miss the text */
    if (p && code.text) {
        p->text = code.text;
        code.text = NULL;
    } else if (p && (p->text = malloc(source->length + 1))) {
        memcpy(p->text, source->text, source->length);
        p->text[source->length] = '\0';
    }
    if (p && p->text) {
        p->lines = code.lines;
        code.lines = NULL;
    }
    asm_result_free(&code);
    return p;
}

struct program *program_from_text(enum program_type type, enum isa_variant variant,
                                  const char *text, size_t length, const char *name,
                                  struct program_error *error) {
    const struct isa_source source = {.text = text, .length = length, .name = name};
    return from_source(type, variant, &source, error);
}

struct program *program_from_file(const char *path, enum isa_variant variant,
                                  struct program_error *error) {
    const char *dot = strrchr(path, '.');
    int type = dot ? program_type_from_name(dot + 1) : -1;
    if (type < 0)
        return refuse(error, path,
                      "the extension must tell the program type: .vp, .tcp, .tep, .gp, .fp or .cp");
    size_t length;
    const char *why;
    char *text =
        read_file(path, MAX_TEXT, false, "the file is too large for a program", &length, &why);
    if (!text)
        return refuse(error, path, why);
    const struct isa_source source = {
        .text = text, .length = length, .name = path, .is_file = true};
    struct program *p = from_source(type, variant, &source, error);
    free(text);
    return p;
}

int program_print(const struct program *p, const struct op *op, char *text, size_t size) {
    const struct isa_target target = {p->variant, p->type, SYNTAX_ENVYAS};
    return isa_print(target, op, text, size);
}

struct program *program_ref(struct program *p) {
    __atomic_add_fetch(&p->refs, 1, __ATOMIC_RELAXED);
    return p;
}

void program_unref(struct program *p) {
    if (!p || __atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    native_release(p);
    program_spread_free(p->spread);
    exec_unlink(p);
    free(p->words);
    free(p->ops);
    free(p->reached);
    free(p->tex_slot);
    free(p->rows);
    free(p->name);
    free(p->text);
    free(p->lines);
    free(p);
}
