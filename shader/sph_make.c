/* Makes the header of a Fermi's 3D program from its code: the words of a[] that instructions read,
 * write and interpolate. In: code, and the facts that directives gave. Out: the words of the
 * header, as the hardware takes them. Facts: fermi-isa.md §9.
 */
#include "shader/isa/isa.h"
#include "shader/sph.h"

enum {
    INPUT_BITS = 5 * 32,
    MAP_WORDS = 240,
    OUTPUT_BITS = INPUT_BITS + MAP_WORDS,
    VECTORS_END = (0x80 + 32 * 16) / 4, /* behind the generic words */
    LEVEL_WORDS = 6,                    /* of a patch; every control program has them */
    LOCAL_MAX = 0x10000
};

struct making {
    uint32_t *sph;
    enum program_type type;
    uint32_t patch_words, local_bytes;
    bool discards;
};

static void set_bit(uint32_t *word, unsigned bit) {
    word[bit / 32] |= 1u << bit % 32;
}

static void put_bits(uint32_t *word, unsigned n, unsigned at, uint32_t value) {
    word[n] |= value << at;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* ---- accesses of a[] ---- */

/* The word behind an access. An access with an address register may reach the last generic word. */
static uint32_t end_of(const struct operand *o) {
    const uint32_t first = o->value / 4, words = o->mem == TYPE_B96 ? 3 : type_bytes(o->mem) / 4;
    const bool based = o->flags & OPERAND_BASED;
    return based && first < VECTORS_END ? VECTORS_END : first + words;
}

static void note_words(struct making *m, unsigned map, const struct operand *o) {
    for (uint32_t a = o->value / 4; a < end_of(o) && a < MAP_WORDS; a++)
        set_bit(m->sph, map + a);
}

static void note_load(struct making *m, const struct op *op) {
    const struct operand *o = &op->src[0];
    const bool coordinate =
        m->type == PROGRAM_TEP && op->sub & ATTRIBUTE_OUT && o->value / 4 - A_TESS_COORD < 2;
    if (op->sub & ATTRIBUTE_PATCH)
        m->patch_words = larger(m->patch_words, end_of(o));
    else if (!coordinate)
        note_words(m, op->sub & ATTRIBUTE_OUT ? OUTPUT_BITS : INPUT_BITS, o);
}

static void note_store(struct making *m, const struct op *op) {
    if (op->sub & ATTRIBUTE_PATCH)
        m->patch_words = larger(m->patch_words, end_of(&op->dst));
    else
        note_words(m, OUTPUT_BITS, &op->dst);
}

/* Sets the bits of a plane. A word that is read in several ways has the mode that is found
 * first. */
static void note_plane(struct making *m, const struct op *op) {
    static const uint8_t modes[] = {[FINTERP_PASS] = SPH_LINEAR,
                                    [FINTERP_MUL] = SPH_PERSPECTIVE,
                                    [FINTERP_FLAT] = SPH_FLAT,
                                    [FINTERP_SC] = SPH_PERSPECTIVE};
    const uint32_t a = op->src[0].value / 4;
    unsigned two_bits;
    if (a >= A_PRIMITIVE_ID && a < A_GENERIC) {
        set_bit(m->sph, 5 * 32 + 24 + a - A_PRIMITIVE_ID);
        return;
    }
    if (a >= A_CLIP_DISTANCE && a < A_TESS_COORD) {
        set_bit(m->sph, 14 * 32 + 16 + a - A_CLIP_DISTANCE);
        return;
    }
    if (a >= A_GENERIC && a < A_CLIP_DISTANCE)
        two_bits = 4 * 32 + 2 * a;
    else if (a >= A_TEXTURE_COORD && a < A_TEXTURE_COORD + 32)
        two_bits = 4 * 32 + 2 * a - 32;
    else
        return;
    if (!(m->sph[two_bits / 32] >> two_bits % 32 & 3))
        put_bits(m->sph, two_bits / 32, two_bits % 32, modes[op->interp_mode & 3]);
}

static void note_op(struct making *m, const struct op *op) {
    if (op->code == OP_INTERP)
        note_plane(m, op);
    else if (op->code == OP_LD && op->src[0].file == FILE_ATTR)
        note_load(m, op);
    else if (op->code == OP_ST && op->dst.file == FILE_ATTR)
        note_store(m, op);
    const struct operand *const both[] = {&op->dst, &op->src[0]};
    for (unsigned i = 0; i < 2; i++)
        if (both[i]->file == FILE_LOCAL)
            m->local_bytes =
                larger(m->local_bytes, (both[i]->value & 0xffffff) + type_bytes(both[i]->mem));
    m->discards |= op->code == OP_DISCARD;
}

/* ---- the header ---- */

static void put_facts(const struct making *m, const struct program_header *h) {
    static const uint8_t kinds[PROGRAM_TYPES] = {
        [PROGRAM_VP] = 1, [PROGRAM_GP] = 4, [PROGRAM_FP] = 5, [PROGRAM_TCP] = 2, [PROGRAM_TEP] = 3};
    static const uint8_t primitives[4] = {0, 1, 6, 7};
    enum { VERSION = 3 };
    const bool fragment = m->type == PROGRAM_FP;
    const uint32_t local = larger(m->local_bytes, h->local_size);
    put_bits(m->sph, 0, 0, fragment ? 2 : 1);
    put_bits(m->sph, 0, 5, VERSION);
    put_bits(m->sph, 0, 10, kinds[m->type]);
    put_bits(m->sph, 1, 0, local < LOCAL_MAX ? (local + 15) & ~15u : LOCAL_MAX);
    if (fragment) {
        put_bits(m->sph, 0, 14, (h->fp_control & FP_MULTIPLE_RESULTS) != 0);
        put_bits(m->sph, 0, 15, m->discards || h->fp_control & FP_USES_KILL);
        m->sph[18] = h->fp_targets;
        m->sph[19] = (h->fp_control & FP_EXPORTS_SAMPLE_MASK ? 1 : 0) |
                     (h->fp_control & FP_EXPORTS_Z ? 2 : 0);
    }
    if (m->type == PROGRAM_TCP) {
        put_bits(m->sph, 1, 24, larger(m->patch_words, LEVEL_WORDS) & 0xff);
        put_bits(m->sph, 2, 24, h->patch_vertices);
    }
    if (m->type == PROGRAM_GP) {
        put_bits(m->sph, 0, 28, h->gp_streams ? h->gp_streams : 1);
        put_bits(m->sph, 2, 24, h->gp_invocations);
        put_bits(m->sph, 3, 24, primitives[h->gp_out_primitive & 3]);
        put_bits(m->sph, 4, 0, h->gp_max_vertices);
    }
}

void sph_make(struct isa_target target, const struct program_header *h, const uint32_t *words,
              size_t count, uint32_t base, uint32_t sph[SPH_WORDS]) {
    struct making m = {.sph = sph, .type = target.type};
    struct op op;
    memset(sph, 0, SPH_WORDS * sizeof *sph);
    for (size_t i = 0; i < count; i += op.words ? op.words : 1) {
        isa_decode(target, words + i, count - i, base + 4 * (uint32_t)i, &op);
        note_op(&m, &op);
    }
    put_facts(&m, h);
}
