/* Makes programs whose lanes see different constants. If several draws of one program share a warp,
 * each word of c[] that the program names becomes a row, one value per lane: a row of a[] (Tesla),
 * or a register behind those that a program can name (Fermi, whose arithmetic has no operands in
 * a[]). In: a decoded program. Out: a copy with these operands replaced, and a list of the words
 * that the rows hold. Only straight lines with constant addresses are possible. Knows no draw.
 */
#include "shader/spread.h"

#include "shader/exec.h"
#include "shader/sph.h"

#include <stdlib.h>

static bool is_named(const struct op *op, const struct operand *o) {
    return operand_is_fixed_word(o) && o->value <= 0xfffc &&
           (op->code != OP_LD || op->dst.type == TYPE_B32);
}

/* The number of the word's row. A new word is added; -1: there is no room. */
static int number_of(struct program_spread *s, uint8_t slot, uint32_t offset) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->word[i].slot == slot && s->word[i].offset == offset)
            return (int)i;
    if (s->count == SPREAD_WORDS)
        return -1;
    s->word[s->count] = (struct spread_word){slot, (uint16_t)offset};
    s->need[slot] = s->need[slot] > offset + 4 ? s->need[slot] : offset + 4;
    s->slots |= 1u << slot;
    return (int)s->count++;
}

/* ---- Tesla: operands of a[] ---- */

static bool replace(struct program_spread *s, struct op *op, struct operand *o) {
    if (o->file == FILE_ATTR) {
        const uint32_t rows = o->value / 4 + 1;
        s->attr_rows = s->attr_rows > rows ? s->attr_rows : rows;
        return operand_is_fixed(o);
    }
    if (o->file != FILE_CONST)
        return true;
    const int number = is_named(op, o) ? number_of(s, o->index & 15, o->value) : -1;
    o->file = FILE_ATTR;
    o->index = 0;
    o->value = 4 * (SPREAD_FIRST + (uint32_t)number);
    if (op->code == OP_LD)
        op->lane_mask4 = 0xf;
    return number >= 0;
}

static bool replace_all(struct program_spread *s, struct program *p) {
    for (uint32_t i = program_word(p, p->entry); i < p->word_count; i += p->ops[i].words) {
        for (int k = 0; k < 3; k++)
            if (!replace(s, &p->ops[i], &p->ops[i].src[k]))
                return false;
        if (p->ops[i].exit)
            return true;
    }
    return false;
}

/* ---- copies ---- */

static void *copy_of(const void *from, size_t size) {
    void *to = malloc(size ? size : 1);
    if (to && size)
        memcpy(to, from, size);
    return to;
}

/* A program without code, of the kind of `from`. */
static struct program *like_program(const struct program *from) {
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->refs = 1;
    p->type = from->type;
    p->variant = from->variant;
    p->header = from->header;
    p->base = from->base;
    p->entry = from->entry;
    p->name = strdup(from->name);
    p->rows = from->rows ? copy_of(from->rows, sizeof *p->rows) : NULL;
    if (p->name && (p->rows || !from->rows))
        return p;
    program_unref(p);
    return NULL;
}

/* A copy without the parts that are made from the ops. */
static struct program *copy_program(const struct program *from) {
    struct program *p = like_program(from);
    if (!p)
        return NULL;
    p->word_count = from->word_count;
    p->tex_slot_count = from->tex_slot_count;
    p->words = copy_of(from->words, p->word_count * sizeof *p->words);
    p->ops = copy_of(from->ops, p->word_count * sizeof *p->ops);
    p->reached = copy_of(from->reached, p->word_count);
    p->tex_slot = copy_of(from->tex_slot, p->tex_slot_count * sizeof *p->tex_slot);
    if (p->words && p->ops && p->reached && (p->tex_slot || !p->tex_slot_count))
        return p;
    program_unref(p);
    return NULL;
}

/* ---- Fermi: registers ---- */

/* INSTRUCTION: words of each instruction in the copy, also of short forms. MOST_OPS: the most
 * instructions that one instruction becomes. */
enum { INSTRUCTION = 2, MOST_OPS = 4 };

static struct operand register_operand(uint8_t type, uint32_t n) {
    return (struct operand){.file = FILE_R, .type = type, .value = n};
}

/* Gives a program without code room for `most` instructions of two words. */
static bool begin_code(struct program *p, uint32_t most) {
    p->entry = p->base;
    p->words = calloc(most, INSTRUCTION * sizeof *p->words);
    p->ops = calloc(most, INSTRUCTION * sizeof *p->ops);
    p->reached = calloc(most, INSTRUCTION);
    return p->words && p->ops && p->reached;
}

static void add_op(struct program *p, const struct op *op) {
    p->ops[p->word_count] = *op;
    p->ops[p->word_count].words = INSTRUCTION;
    p->reached[p->word_count] = 1;
    p->word_count += INSTRUCTION;
}

/* The number of words that op loads, if it is a load of c[] at a constant address inside one bank;
 * else 0. */
static uint32_t words_loaded(const struct op *op) {
    const struct operand *o = &op->src[0];
    const uint32_t bytes = o->mem == TYPE_B96 ? 12 : type_bytes(o->mem);
    const uint32_t align = o->mem == TYPE_B96 ? 4 : bytes;
    const bool fixed = op->code == OP_LD && o->file == FILE_CONST && operand_is_fixed(o) &&
                       o->index < 16 && !fermi_const_runs_on(op);
    return fixed && bytes >= 4 && o->value % align == 0 && o->value <= 0x10000 - bytes ? bytes / 4
                                                                                       : 0;
}

/* Replaces a load by a move of each word. */
static bool add_moves(struct program_spread *s, struct program *p, const struct op *load,
                      uint32_t words) {
    const struct operand *o = &load->src[0];
    struct op move = *load;
    move.code = OP_MOV;
    move.type = TYPE_B32;
    move.lane_mask4 = 0xf;
    move.sub = 0;
    move.src[1] = move.src[2] = (struct operand){0};
    for (uint32_t k = 0; k < words; k++) {
        const int number = number_of(s, o->index, o->value + 4 * k);
        if (number < 0)
            return false;
        move.src[0] = register_operand(TYPE_B32, SPREAD_REGISTER + (uint32_t)number);
        move.dst = register_operand(TYPE_B32, load->dst.value + k);
        if (load->dst.file == FILE_R)
            add_op(p, &move);
    }
    return true;
}

static bool replace_source(struct program_spread *s, const struct op *op, struct operand *o) {
    if (o->file != FILE_CONST)
        return true;
    const bool plain = op->code == OP_MOV || op_is_arithmetic(op);
    const int number = plain && is_named(op, o) && o->index < 16 && operand_registers(o) == 1
                           ? number_of(s, o->index, o->value)
                           : -1;
    const uint8_t flags = o->flags;
    *o = register_operand(o->type, SPREAD_REGISTER + (uint32_t)number);
    o->flags = flags;
    return number >= 0;
}

/* True if the instruction's registers are allocated. A register beyond the allocation reads 0, but
 * in the copy, which has more registers, it may hold a constant. */
static bool has_registers(const struct program *p, const struct op *op) {
    const struct op_places reads = op_reads(op), writes = op_writes(op);
    struct op_places allocated = {{0}, 0, 0};
    places_add_registers(&allocated, 0, p->header.reg_count);
    return !((reads.r[0] | writes.r[0]) & ~allocated.r[0]) && !(reads.r[1] | writes.r[1]);
}

static bool add_all(struct program_spread *s, const struct program *from, struct program *p) {
    for (uint32_t i = program_word(from, from->entry); i < from->word_count;
         i += from->ops[i].words) {
        struct op op = from->ops[i];
        const uint32_t words = words_loaded(&op);
        if (!has_registers(from, &op) || op_class(&op) == CLASS_TEXTURE)
            return false;
        if (words && !add_moves(s, p, &op, words))
            return false;
        for (int k = 0; k < 3 && !words; k++)
            if (!replace_source(s, &op, &op.src[k]))
                return false;
        if (!words)
            add_op(p, &op);
        if (op.exit || op.code == OP_EXIT)
            return true;
    }
    return false;
}

/* Makes a program that reads its constants from registers, which the caller fills. */
static struct program *make_fermi(struct program_spread *s, const struct program *from) {
    struct program *p =
        from->header.reg_count <= (uint32_t)SPREAD_REGISTER ? like_program(from) : NULL;
    if (!p)
        return NULL;
    s->in_registers = true;
    const bool made = begin_code(p, MOST_OPS * (from->word_count / INSTRUCTION + 1)) &&
                      add_all(s, from, p) && s->count;
    p->header.reg_count = (uint16_t)(SPREAD_REGISTER + s->count);
    if (!made || exec_link(p)) {
        program_unref(p);
        return NULL;
    }
    program_find_facts(p);
    p->facts.cleared[0] = from->facts.cleared[0];
    p->facts.cleared[1] = 0;
    return p;
}

/* ---- programs of both instruction sets ---- */

static struct program *make_tesla(struct program_spread *s, const struct program *from) {
    struct program *p = copy_program(from);
    if (!p)
        return NULL;
    if (!replace_all(s, p) || !s->count || exec_link(p)) {
        program_unref(p);
        return NULL;
    }
    program_find_facts(p);
    return p;
}

/* Tries to spread a program. NULL: no memory for a result. A result without a program: the program
 * cannot be spread, or memory is short. */
static struct program_spread *make(const struct program *from) {
    static struct program *(*const makers[ISA_SETS])(struct program_spread *,
                                                     const struct program *) = {
        [SET_TESLA] = make_tesla, [SET_FERMI] = make_fermi};
    struct program_spread *s = calloc(1, sizeof *s);
    const enum isa_set set = isa_set_of(from->variant);
    if (s && from->facts.infallible && makers[set])
        s->program = makers[set](s, from);
    return s;
}

const struct program_spread *program_spread(struct program *p) {
    struct program_spread *s = __atomic_load_n(&p->spread, __ATOMIC_ACQUIRE);
    if (!s && (s = make(p))) {
        struct program_spread *other = NULL;
        if (!__atomic_compare_exchange_n(&p->spread, &other, s, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            program_spread_free(s); /* another thread was first */
            s = other;
        }
    }
    return s && s->program ? s : NULL;
}

void program_spread_free(struct program_spread *s) {
    if (s)
        program_unref(s->program);
    free(s);
}
