/* The list of quirks, and the search for QUIRK_POSITION, which program_code.c calls for new
 * programs. In: a program's words. Out: the words as the driver meant them. Must not know state or
 * memory. docs/mesa-versions.md describes the faults.
 */
#include "fifo/quirks.h"

const struct quirk quirks[QUIRKS] = {
    [QUIRK_POSITION] = {"position", "gl_FragCoord is multiplied by w (Mesa 25 and 26): position "
                                    "words are interpolated without the factor"},
    [QUIRK_SCISSOR] = {"scissor", "a Fermi's new context keeps the scissor of another context's "
                                  "blit: a blit leaves the largest scissor"},
};

/* The known facts of a register's content. */
struct content {
    enum { OTHER, INTERPOLATED, RECIPROCAL } kind;
    /* byte offset in v[] of the interpolated word, or of the word whose reciprocal the register
     * holds */
    uint32_t word;
};
enum { REGISTERS = 128 };

static const struct content *content_of(const struct content *r, const struct operand *o) {
    static const struct content other;
    return o->file == FILE_R && !o->flags && o->value < REGISTERS ? &r[o->value] : &other;
}

/* The content of op's destination after op. */
static struct content result_of(const struct content *r, const struct op *op) {
    if (op->code == OP_INTERP && op->src[1].file == FILE_NONE && operand_is_fixed(&op->src[0]) &&
        op->interp_mode != INTERP_FLAT)
        return (struct content){INTERPOLATED, op->src[0].value};
    const struct content *from = content_of(r, &op->src[0]);
    if (op->code == OP_RCP && from->kind == INTERPOLATED)
        return (struct content){RECIPROCAL, from->word};
    return (struct content){OTHER, 0};
}

static void note_result(struct content *r, const struct op *op) {
    const struct content result = result_of(r, op);
    const struct op_places written = op_writes(op);
    for (uint32_t i = 0; i < REGISTERS; i++)
        if (written.r[i / 64] >> i % 64 & 1)
            r[i] = result;
}

/* True if op interpolates a position word with the reciprocal of the interpolated w as factor. The
 * position comes first in v[], and w is its last word. So the position words are those up to the
 * word whose reciprocal is the factor. */
static bool is_scaled_position(const struct content *r, const struct op *op) {
    const struct content *factor = content_of(r, &op->src[1]);
    return op->code == OP_INTERP && factor->kind == RECIPROCAL && operand_is_fixed(&op->src[0]) &&
           op->src[0].value <= factor->word;
}

/* Turns the form with a factor into the plain form (tesla-isa.md §6.8). */
static void drop_factor(uint32_t *w, bool is_long) {
    if (is_long)
        w[1] &= ~(1u << 17);
    else
        w[0] &= ~(1u << 25);
}

uint32_t quirk_position(struct isa_target target, uint32_t *words, uint32_t count) {
    struct content r[REGISTERS];
    uint32_t found = 0;
    memset(r, 0, sizeof r);
    for (uint32_t at = 0; at < count;) {
        struct op op;
        isa_decode(target, words + at, count - at, at * 4, &op);
        if (is_scaled_position(r, &op)) {
            drop_factor(words + at, op.words == 2);
            found++;
        }
        note_result(r, &op);
        at += op.words;
    }
    return found;
}
