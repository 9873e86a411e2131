/* Written state of warps: see shadow.h. In: ops and lanes. Out: lanes that read a place without
 * having written it. Registers beyond the allocation read 0 by rule and count as written. Must not
 * know findings.
 */
#include "shader/check/shadow.h"

#include "shader/exec_fermi_graphics.h"
#include "shader/sph.h"

#include <stdlib.h>

/* ---- the halves of registers that an instruction reads and writes ---- */

static void add_registers(struct half_set *h, uint32_t first, uint32_t count) {
    for (uint32_t n = 2 * first; n < 2 * (first + count) && n < SHADOW_HALVES; n++)
        h->bits[n / 64] |= UINT64_C(1) << n % 64;
}

static void add_operand(struct half_set *h, const struct operand *o) {
    if (o->file == FILE_R)
        add_registers(h, o->value, operand_registers(o));
    else if (o->file == FILE_RH && o->value < SHADOW_HALVES)
        h->bits[o->value / 64] |= UINT64_C(1) << o->value % 64;
}

static void add_base(struct half_set *h, const struct operand *o) {
    if (o->file == FILE_GLOBAL && !(o->flags & OPERAND_BASED))
        add_registers(h, o->value, 1);
    else if (o->flags & OPERAND_BASED)
        add_registers(h, o->areg, o->flags & OPERAND_WIDE ? 2 : 1);
}

/* Fermi's texture instructions have two vectors of sources. */
static void add_texture_sources(struct half_set *h, const struct op *op) {
    if (op->code == OP_TEX) {
        add_registers(h, op->ftex.first, op->tex.call.source_count);
        add_registers(h, op->ftex.second, op->ftex.second_count);
    } else if (op_is_tesla_texture(op)) {
        add_registers(h, op->tex.base, op->tex.call.source_count);
    }
}

/* Adds the data registers of a load or store: as many as the access has words. */
static void add_data(struct half_set *h, const struct operand *data, const struct operand *memory) {
    if (data->file == FILE_R && memory->file >= FILE_CONST)
        add_registers(h, data->value, type_bits(memory->mem) / 32);
}

static struct half_set reads_of(const struct op *op) {
    struct half_set h = {{0}};
    for (int k = 0; k < 3; k++) {
        if (!(op->code == OP_LD_PAIR && k == 1)) /* there src[1] is a result */
            add_operand(&h, &op->src[k]);
        add_base(&h, &op->src[k]);
    }
    add_base(&h, &op->dst);
    if (op_has(op, TRAIT_READS_DST))
        add_operand(&h, &op->dst);
    if (op->code == OP_ST || op->code == OP_ST_UNLOCK)
        add_data(&h, &op->src[0], &op->dst);
    add_texture_sources(&h, op);
    return h;
}

static struct half_set writes_of(const struct op *op) {
    struct half_set h = {{0}};
    add_operand(&h, &op->dst);
    if (op->code == OP_LD || op->code == OP_LD_LOCK || op->code == OP_LD_PAIR)
        add_data(&h, &op->dst, &op->src[0]);
    if (op->code == OP_LD_PAIR) {
        add_operand(&h, &op->src[1]);
        add_data(&h, &op->src[1], &op->src[2]);
    }
    if (op_class(op) == CLASS_TEXTURE)
        add_registers(&h, op->tex.base,
                      (uint32_t)__builtin_popcount(op->tex.call.result_mask & 15));
    return h;
}

static bool is_copy(const struct op *op) {
    const bool registers = op->src[0].file == FILE_R || op->src[0].file == FILE_RH;
    const bool same = op->dst.file == op->src[0].file || op->dst.file == FILE_OUT;
    return op->code == OP_MOV && registers && same;
}

/* ---- reads ---- */

struct reader {
    const struct shadow *s;
    struct unwritten *list;
    uint32_t count;
    lane_mask m;
};

static void note_read(struct reader *r, enum operand_file file, uint32_t number,
                      lane_mask written) {
    const lane_mask lanes = r->m & ~written;
    if (lanes && r->count < SHADOW_READS)
        r->list[r->count++] = (struct unwritten){file, number, lanes};
}

static bool reads_flags(const struct op *op) {
    return (op->pred != PRED_ALWAYS && op->pred != PRED_NEVER) || op->carry_in ||
           op->code == OP_MOV_FROM_FLAGS ||
           ((op->code == OP_IADD || op->code == OP_IMAD) && op->add_kind == ADD_ADDC);
}

/* Predicates and flags are read in all active lanes: they choose the lanes in which the instruction
 * is executed. */
static void read_conditions(struct reader *r, const struct op *op) {
    const uint32_t guard = op->guard & ~(uint32_t)PRED_NOT;
    const lane_mask m = r->m;
    r->m = r->s->w->active & ~r->s->w->dead;
    if (reads_flags(op))
        note_read(r, FILE_C, op->pred_reg & 3, r->s->c[op->pred_reg & 3]);
    if (guard < PRED_TRUE)
        note_read(r, FILE_NULL, guard, r->s->p[guard]);
    r->m = m;
}

static void read_addresses(struct reader *r, const struct op *op) {
    const struct operand *o[4] = {&op->dst, &op->src[0], &op->src[1], &op->src[2]};
    for (int k = 0; k < 4; k++) {
        const bool address = o[k]->areg && !(o[k]->flags & OPERAND_BASED) &&
                             o[k]->file >= FILE_CONST && o[k]->file <= FILE_VARYING;
        const uint32_t n = address                     ? o[k]->areg & 7u
                           : k && o[k]->file == FILE_A ? o[k]->value & 7
                                                       : 0;
        if (n)
            note_read(r, FILE_A, n, r->s->a[n]);
    }
}

/* Marks a reported place as written, so that each place is reported once. */
static void forgive(struct shadow *s, const struct unwritten *u) {
    if (u->file == FILE_R) {
        s->half[2 * u->number] |= u->lanes;
        s->half[2 * u->number + 1] |= u->lanes;
    } else if (u->file == FILE_A) {
        s->a[u->number] |= u->lanes;
    } else if (u->file == FILE_C) {
        s->c[u->number] |= u->lanes;
    } else {
        s->p[u->number] |= u->lanes;
    }
}

uint32_t shadow_reads(struct shadow *s, const struct warp_env *env, const struct op *op,
                      lane_mask m, struct unwritten list[SHADOW_READS]) {
    struct reader r = {s, list, 0, m & ~s->w->dead};
    const uint32_t allocated = env->program->header.reg_count;
    const struct half_set h = is_copy(op) ? (struct half_set){{0}} : reads_of(op);
    for (uint32_t k = 0; k < SHADOW_HALVES / 64; k++)
        for (uint64_t rest = h.bits[k], halves; rest; rest &= ~halves) {
            const uint32_t n = 32 * k + (uint32_t)__builtin_ctzll(rest) / 2;
            halves = rest & UINT64_C(3) << 2 * (n % 32);
            if (n < allocated)
                note_read(&r, FILE_R, n,
                          (halves >> 2 * (n % 32) & 1 ? s->half[2 * n] : LANES_ALL) &
                              (halves >> 2 * (n % 32) & 2 ? s->half[2 * n + 1] : LANES_ALL));
        }
    if (isa_set_of(env->program->variant) == SET_TESLA)
        read_addresses(&r, op);
    read_conditions(&r, op);
    for (uint32_t i = 0; i < r.count; i++)
        forgive(s, &list[i]);
    return r.count;
}

lane_mask shadow_local(struct shadow *s, const struct access *a) {
    lane_mask unwritten = 0;
    for (lane_mask rest = a->lanes & ~a->outside; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint64_t end = a->at[i] + a->size;
        for (uint64_t word = a->at[i] / 4; 4 * word < end && word < s->local_words; word++) {
            if (a->kind != ACCESS_WRITE && !(s->local[word] >> i & 1))
                unwritten |= 1u << i;
            s->local[word] |= 1u << i;
        }
    }
    return unwritten & ~s->w->dead;
}

/* ---- writes ---- */

/* Notes for each of the lanes m which row of o[] an instruction writes. written: the lanes in which
 * the stored value comes from written registers; in the other lanes the row counts as unwritten. */
static void write_tesla_out(struct shadow *s, const struct operand *o, lane_mask m,
                            lane_mask written) {
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint32_t base = o->areg ? s->w->a[o->areg & 7][i] : 0;
        const uint32_t row = ((base + o->value) & 0xffff) >> 2;
        if (row < SHADOW_OUT)
            s->out[row] = (s->out[row] & ~(1u << i)) | (written & 1u << i);
    }
}

static void write_fermi_out(struct shadow *s, const struct warp_env *env, const struct op *op,
                            lane_mask m) {
    const struct operand *o = &op->dst;
    const uint32_t words = type_bits(o->mem) / 32;
    for (lane_mask rest = m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint32_t base =
            o->flags & OPERAND_BASED && o->areg < WARP_REGS ? s->w->r[o->areg][i] : 0;
        for (uint32_t k = 0; k < words; k++) {
            const uint8_t row = fermi_attribute_row(env->program, op, (base + o->value) / 4 + k);
            if (row != ROW_NONE)
                s->out[row] |= 1u << i;
        }
    }
}

static void write_out(struct shadow *s, const struct warp_env *env, const struct op *op,
                      lane_mask m) {
    lane_mask written = m;
    if (is_copy(op) && op->src[0].file == FILE_R &&
        op->src[0].value < env->program->header.reg_count)
        written &= ~shadow_unwritten(s, op->src[0].value, m);
    if (isa_set_of(env->program->variant) == SET_TESLA && op->dst.file == FILE_OUT)
        write_tesla_out(s, &op->dst, m, written);
    else if (op->code == OP_ST && (op->dst.file == FILE_OUT || op->dst.file == FILE_ATTR))
        write_fermi_out(s, env, op, m);
}

static void copy_registers(struct shadow *s, const struct warp_env *env, const struct op *op,
                           lane_mask m) {
    const bool half = op->dst.file == FILE_RH;
    const uint32_t to = half ? op->dst.value : 2 * op->dst.value;
    const uint32_t from = half ? op->src[0].value : 2 * op->src[0].value;
    const uint32_t count = half ? 1 : 2 * operand_registers(&op->dst);
    for (uint32_t k = 0; k < count && to + k < SHADOW_HALVES && from + k < SHADOW_HALVES; k++) {
        const bool zero = (from + k) / 2 >= env->program->header.reg_count;
        const lane_mask written = zero ? LANES_ALL : s->half[from + k];
        s->half[to + k] = (s->half[to + k] & ~m) | (written & m);
    }
}

static void write_conditions(struct shadow *s, const struct op *op, lane_mask m) {
    if (op->cdst != NO_FLAGS_DST)
        s->c[op->cdst & 3] |= m;
    if (op->dst.file == FILE_C)
        s->c[op->dst.value & 3] |= m;
    if (op->dst.file == FILE_A)
        s->a[op->dst.value & 7] |= m;
    for (int k = 0; k < 2; k++)
        if (op->pdst[k] <= PRED_TRUE)
            s->p[op->pdst[k]] |= m;
    if (op->code == OP_R2P || op->code == OP_WRITE_FLAGS)
        for (int k = 0; k < PRED_COUNT; k++)
            s->p[k] |= m;
}

void shadow_writes(struct shadow *s, const struct warp_env *env, const struct op *op, lane_mask m) {
    if (op->code == OP_MOV || (op->code == OP_LD && op->src[0].file == FILE_ATTR))
        m &= isa_set_of(env->program->variant) == SET_TESLA ? (op->lane_mask4 & 15) * 0x11111111u
                                                            : LANES_ALL;
    write_out(s, env, op, m);
    write_conditions(s, op, m);
    if (is_copy(op) && op->dst.file != FILE_OUT) {
        copy_registers(s, env, op, m);
        return;
    }
    const struct half_set h = writes_of(op);
    for (uint32_t k = 0; k < SHADOW_HALVES / 64; k++)
        for (uint64_t rest = h.bits[k]; rest; rest &= rest - 1)
            s->half[64 * k + (uint32_t)__builtin_ctzll(rest)] |= m;
}

lane_mask shadow_unwritten(const struct shadow *s, uint32_t n, lane_mask m) {
    return n < WARP_REGS ? m & ~(s->half[2 * n] & s->half[2 * n + 1]) : 0;
}

/* ---- begin and end ---- */

bool shadow_start(struct shadow *s, const struct warp *w, const struct warp_env *env) {
    const uint32_t words = w->local ? (w->local_size + 3) / 4 : 0;
    lane_mask *local = s->local;
    uint32_t capacity = s->local_capacity;
    if (words > capacity) {
        free(local);
        local = malloc(words * sizeof *local);
        capacity = local ? words : 0;
    }
    memset(s, 0, sizeof *s);
    s->local = local;
    s->local_capacity = capacity;
    s->local_words = words <= capacity ? words : 0;
    if (s->local_words)
        memset(s->local, 0, words * sizeof *local);
    s->w = w;
    /* $r0 has the thread ids (tesla-isa.md §2.3) */
    if (w->cta && isa_set_of(env->program->variant) == SET_TESLA)
        s->half[0] = s->half[1] = LANES_ALL;
    s->p[PRED_TRUE] = LANES_ALL;
    return words <= capacity;
}

void shadow_free(struct shadow *s) {
    free(s->local);
    *s = (struct shadow){0};
}
