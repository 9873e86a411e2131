/* Integer, logic, predicate, vote and move instructions of Fermi and generic64. In: a linked op and
 * the lanes it runs in. Out: registers, predicates, $c. Compiled once per SIMD level. Knows no
 * control flow and no memory. Facts: fermi-isa.md §6.1 to §6.5 and §7; generic64-isa.md §4.
 */
#include "shader/alu/cvt.h"
#include "shader/fermi.h"

LANES_INLINE bool is_g64(const struct call *c) {
    return c->env->program->variant == ISA_G64;
}

/* Source i, inverted if its modifier says so. */
LANES_INLINE u32x32 logic_source(const struct call *c, int i) {
    const u32x32 v = fermi_source(c, i);
    return op_of(c)->src[i].flags & OPERAND_NOT ? ~v : v;
}

/* Writes a word, and $c with its Z and S; C and O become 0 (fermi-isa.md §7). */
LANES_INLINE void put_result(const struct call *c, u32x32 v) {
    put_int_only(c, v, 32);
}

/* ---- moves ---- */

FERMI_HANDLER(mov) {
    c->m &= lanes_of_mask4(op_of(c)->lane_mask4);
    put(c, fermi_source(c, 0));
}

FERMI_HANDLER(mov_high) {
    put(c, (c->w->r[c->l->dst] & 0x3fffff) | fermi_source(c, 0) << 22);
}

LANES_INLINE u32x32 thread_index(const struct call *c, int axis) {
    const struct cta_shared *b = c->w->cta;
    u32x32 id = lanes_splat(0);
    if (!b || !b->size[0] || !b->size[1]) /* the warp belongs to no CTA, as in a trace */
        return axis ? id : lanes_iota() + LANES * c->w->warp_id;
    const uint32_t first = c->w->warp_id * LANES, nx = b->size[0], ny = b->size[1];
    if (!(nx & (nx - 1)) && !(ny & (ny - 1))) {
        const u32x32 t = lanes_iota() + first, rest = t >> __builtin_ctz(nx);
        return axis == 0 ? t & (nx - 1) : axis == 1 ? rest & (ny - 1) : rest >> __builtin_ctz(ny);
    }
    uint32_t at[3] = {first % nx, first / nx % ny, first / nx / ny};
    for (uint32_t i = 0; i < LANES; i++) {
        id[i] = at[axis];
        if (++at[0] < nx)
            continue;
        at[0] = 0;
        if (++at[1] < ny)
            continue;
        at[1] = 0;
        at[2]++;
    }
    return id;
}

/* Special registers, fermi-isa.md §2. */
enum fermi_special {
    SR_LANEID = 0,
    SR_VIRTCFG = 2,
    SR_VIRTID = 3,
    SR_PRIM_TYPE = 16,
    SR_INVOCATION_ID,
    SR_Y_DIRECTION,
    SR_THREAD_KILL,
    SR_TID = 32,
    SR_TID_X,
    SR_TID_Y,
    SR_TID_Z,
    SR_CTAID_X = 37,
    SR_CTAID_Y,
    SR_CTAID_Z,
    SR_NTID,
    SR_NTID_X,
    SR_NTID_Y,
    SR_NTID_Z,
    SR_GRIDID,
    SR_NCTAID_X,
    SR_NCTAID_Y,
    SR_NCTAID_Z,
    SR_SWINLO,
    SR_SWINSZ,
    SR_SMEMSZ,
    SR_SMEMBANKS,
    SR_LWINLO,
    SR_LWINSZ,
    SR_LMEMLOSZ,
    SR_EQMASK = 56,
    SR_LTMASK,
    SR_LEMASK,
    SR_GTMASK,
    SR_GEMASK,
    SR_CLOCKLO = 80,
    SR_CLOCKHI,
};

/* Masks of the lanes whose number is equal to, less than ... the lane's own number. */
LANES_INLINE u32x32 lane_masks(unsigned special) {
    const u32x32 bit = lanes_splat(1) << lanes_iota();
    const u32x32 below = bit - 1;
    switch (special) {
    case SR_EQMASK:
        return bit;
    case SR_LTMASK:
        return below;
    case SR_LEMASK:
        return below | bit;
    case SR_GTMASK:
        return ~(below | bit);
    default:
        return ~below;
    }
}

/* Special registers without a case read 0. */
LANES_INLINE u32x32 fermi_special(const struct call *c, uint32_t n) {
    enum { WARPS = 48, MPS = 1, BANKS = 32 }; /* the machine that a program sees */
    static const struct cta_shared none = {.size = {1, 1, 1}, .grid = {1, 1, 1}};
    const struct cta_shared *b = c->w->cta ? c->w->cta : &none;
    switch (n) {
    case SR_LANEID:
        return lanes_iota();
    case SR_VIRTCFG:
        return lanes_splat(WARPS << 8 | MPS << 20);
    case SR_VIRTID:
        return lanes_splat((c->w->warp_id & 31) << 8 | (c->w->phys_id >> 16 & 0x1ff) << 20);
    case SR_PRIM_TYPE:
        return lanes_splat(c->w->patch_vertices << 8);
    case SR_INVOCATION_ID:
        return c->w->invocation ? *c->w->invocation : lanes_splat(0);
    case SR_Y_DIRECTION:
        return lanes_splat(0x3f800000);
    case SR_THREAD_KILL:
        return lanes_from_mask(c->w->dead);
    case SR_TID:
        return thread_index(c, 0) | thread_index(c, 1) << 16 | thread_index(c, 2) << 26;
    case SR_TID_X:
    case SR_TID_Y:
    case SR_TID_Z:
        return thread_index(c, (int)(n - SR_TID_X));
    case SR_CTAID_X:
    case SR_CTAID_Y:
    case SR_CTAID_Z:
        return lanes_splat(b->at[n - SR_CTAID_X]);
    case SR_NTID:
        return lanes_splat(b->size[0] | b->size[1] << 16 | b->size[2] << 26);
    case SR_NTID_X:
    case SR_NTID_Y:
    case SR_NTID_Z:
        return lanes_splat(b->size[n - SR_NTID_X]);
    case SR_GRIDID:
        return lanes_splat(b->grid_id);
    case SR_NCTAID_X:
    case SR_NCTAID_Y:
    case SR_NCTAID_Z:
        return lanes_splat(b->grid[n - SR_NCTAID_X]);
    case SR_SWINLO:
        return lanes_splat((uint32_t)FERMI_S_WINDOW << FERMI_WINDOW_SHIFT);
    case SR_LWINLO:
        return lanes_splat((uint32_t)FERMI_L_WINDOW << FERMI_WINDOW_SHIFT);
    case SR_SWINSZ:
    case SR_LWINSZ:
        return lanes_splat(1u << FERMI_WINDOW_SHIFT);
    case SR_SMEMSZ:
        return lanes_splat(b->s_size);
    case SR_SMEMBANKS:
        return lanes_splat(BANKS);
    case SR_LMEMLOSZ:
        return lanes_splat(c->w->local_size);
    case SR_EQMASK:
    case SR_LTMASK:
    case SR_LEMASK:
    case SR_GTMASK:
    case SR_GEMASK:
        return lane_masks(n);
    case SR_CLOCKLO:
        return lanes_splat((uint32_t)c->w->executed);
    case SR_CLOCKHI:
        return lanes_splat((uint32_t)(c->w->executed >> 32));
    default:
        return lanes_splat(0);
    }
}

/* generic64's special registers, by Fermi's numbers. Two of them have no equivalent in Fermi
 * (generic64-isa.md §4). */
LANES_INLINE u32x32 g64_special(const struct call *c, uint32_t n) {
    enum { G64_WARPID = 13, G64_ACTIVEMASK = 15, G64_SPECIALS };
    static const uint8_t number[G64_SPECIALS] = {SR_TID_X,   SR_TID_Y,    SR_TID_Z,    SR_CTAID_X,
                                                 SR_CTAID_Y, SR_CTAID_Z,  SR_NTID_X,   SR_NTID_Y,
                                                 SR_NTID_Z,  SR_NCTAID_X, SR_NCTAID_Y, SR_NCTAID_Z,
                                                 SR_LANEID,  SR_LANEID,   SR_CLOCKLO};
    if (n == G64_WARPID)
        return lanes_splat(c->w->warp_id);
    if (n == G64_ACTIVEMASK)
        return lanes_splat(c->w->active);
    return fermi_special(c, number[n % G64_SPECIALS]);
}

FERMI_HANDLER(s2r) {
    const uint32_t n = op_of(c)->src[0].value;
    put(c, is_g64(c) ? g64_special(c, n) : fermi_special(c, n));
}

FERMI_HANDLER(lepc) {
    put(c, lanes_splat(c->l->next));
}

FERMI_HANDLER(b2r) {
    const struct cta_shared *b = c->w->cta;
    put(c, lanes_splat(b ? b->arrived[op_of(c)->bar_id % WARP_BARRIERS] : 0));
}

#ifndef TP_STENCIL
static void nothing(struct warp *, const struct warp_env *, const struct linked_op *, lane_mask) {
}
#endif

FERMI_HANDLER(cctl) {
    put(c, lanes_splat(0));
}

/* ---- addition ---- */

LANES_INLINE u32x32 carry_bit(const struct call *c) {
    return lanes_from_mask(c->w->c[0].c) & 1;
}

/* Saturation is that of signed numbers; generic64 saturates unsigned numbers, too. */
LANES_INLINE enum int_sat saturation(const struct op *op, unsigned kind) {
    return !op->sat               ? INT_WRAP
           : op->type != TYPE_U32 ? INT_SAT_SIGNED
           : kind == ADD_SUB      ? INT_SAT_ZERO
                                  : INT_SAT_LARGEST;
}

LANES_INLINE void add_words(const struct call *c, unsigned kind, u32x32 x, u32x32 y) {
    const struct op *op = op_of(c);
    const u32x32 k = op->carry_in ? carry_bit(c) : int_carry((enum add_kind)kind);
    put_int(c, int_add(x, y, (enum add_kind)kind, k, 32, saturation(op, kind)), 32);
}

FERMI_HANDLER(iadd) {
    add_words(c, op_of(c)->add_kind, fermi_source(c, 0), fermi_source(c, 1));
}

FERMI_HANDLER(iscadd) {
    add_words(c, op_of(c)->add_kind, fermi_source(c, 0) << op_of(c)->count, fermi_source(c, 1));
}

/* ---- multiplication ---- */

LANES_INLINE u64x32 widened(u32x32 v, unsigned type) {
    return type_is_signed(type) ? (u64x32) __builtin_convertvector((i32x32)v, i64x32)
                                : __builtin_convertvector(v, u64x32);
}

LANES_INLINE u64x32 product(const struct call *c) {
    const struct op *op = op_of(c);
    const u64x32 a = widened(fermi_source(c, 0), op->src[0].type);
    return a * widened(fermi_source(c, 1), op->src[1].type);
}

LANES_INLINE u32x32 high_or_low(const struct op *op, u64x32 v) {
    return __builtin_convertvector(op->high ? v >> 32 : v, u32x32);
}

/* generic64: clamps to the 32 bits of the operation's type. */
LANES_INLINE u32x32 clamped(u64x32 v, unsigned type) {
    u32x32 r;
    for (int i = 0; i < LANES; i++) {
        const int64_t n = (int64_t)v[i];
        if (type == TYPE_U32)
            r[i] = v[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)v[i];
        else
            r[i] = n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? (uint32_t)INT32_MIN : (uint32_t)n;
    }
    return r;
}

FERMI_HANDLER(imul) {
    const u64x32 v = product(c);
    const bool clamp = op_of(c)->sat && !op_of(c)->high;
    put_result(c, clamp ? clamped(v, op_of(c)->type) : high_or_low(op_of(c), v));
}

FERMI_HANDLER(imad) {
    const struct op *op = op_of(c);
    const u64x32 v = product(c);
    if (is_g64(c) && op->sat)
        put_result(c, clamped(v + widened(fermi_source(c, 2), op->type), op->type));
    else
        add_words(c, op->add_kind, high_or_low(op, v), fermi_source(c, 2));
}

FERMI_HANDLER(sad) {
    const struct op *op = op_of(c);
    const u32x32 d = int_distance(fermi_source(c, 0), fermi_source(c, 1), type_is_signed(op->type));
    add_words(c, ADD_ADD, d, fermi_source(c, 2));
}

/* The part of a factor or addend that MAD24 of GK104 uses: the word, 24 bits or 16 bits. */
LANES_INLINE u32x32 mad_part(u32x32 v, unsigned part) {
    enum { WHOLE, LOW_24, LOW_16, HIGH_16, SIGNED };
    const bool sign = part & SIGNED;
    switch (part & 3) {
    case WHOLE:
        return v;
    case LOW_24:
        return int_extend(v, 24, sign);
    case LOW_16:
        return int_extend(v, 16, sign);
    default:
        return int_extend(v >> 16, 16, sign);
    }
}

FERMI_HANDLER(mad24) {
    const struct op *op = op_of(c);
    const u32x32 product =
        mad_part(fermi_source(c, 0), op->part[0]) * mad_part(fermi_source(c, 1), op->part[1]);
    const u32x32 addend = mad_part(fermi_source(c, 2), op->parts_sum);
    put_int(c, int_add(product, addend, ADD_ADD, int_carry(ADD_ADD), 32, saturation(op, ADD_ADD)),
            32);
}

/* ---- comparison and selection ---- */

/* The upper word of a longer comparison reads the $c of the lower words' comparison. */
FERMI_HANDLER(iset) {
    const struct op *op = op_of(c);
    const struct flags *f = &c->w->c[0];
    const u32x32 a = fermi_source(c, 0), b = fermi_source(c, 1);
    const bool sign = type_is_signed(op->type);
    fermi_put_set(c, op->carry_in ? int_set_above(a, b, lanes_from_mask(f->c),
                                                  lanes_from_mask(f->z), op->cond, sign)
                                  : int_set(a, b, op->cond, sign));
}

FERMI_HANDLER(imnmx) {
    const struct op *op = op_of(c);
    const u32x32 a = fermi_source(c, 0), b = fermi_source(c, 1);
    const u32x32 less = int_set(a, b, COND_LESS, type_is_signed(op->type));
    const u32x32 min = lanes_from_mask(fermi_predicate(c->w, op->psrc[0]));
    put_result(c, lanes_blend(~(less ^ min), a, b));
}

FERMI_HANDLER(slct) {
    const struct op *op = op_of(c);
    const u32x32 holds =
        int_set(fermi_source(c, 2), lanes_splat(0), op->cond, type_is_signed(op->src[2].type));
    put(c, lanes_blend(holds, fermi_source(c, 0), fermi_source(c, 1)));
}

FERMI_HANDLER(selp) {
    const u32x32 holds = lanes_from_mask(fermi_predicate(c->w, op_of(c)->psrc[0]));
    put(c, lanes_blend(holds, fermi_source(c, 0), fermi_source(c, 1)));
}

FERMI_HANDLER(pset) {
    const struct op *op = op_of(c);
    fermi_put_set(c, lanes_from_mask(fermi_logic(op->plogic[0], fermi_predicate(c->w, op->psrc[0]),
                                                 fermi_predicate(c->w, op->psrc[1]))));
}

FERMI_HANDLER(cset) {
    fermi_put_set(c, lanes_from_mask(fermi_test(&c->w->c[0], op_of(c)->cond)));
}

/* Votes over the lanes that execute the instruction. dst gets the ballot. */
FERMI_HANDLER(vote) {
    const lane_mask p = fermi_predicate(c->w, op_of(c)->psrc[0]) & c->m;
    const unsigned kind = op_of(c)->sub;
    const bool holds = kind == VOTE_ALL   ? p == c->m
                       : kind == VOTE_ANY ? p != 0
                                          : p == 0 || p == c->m;
    fermi_put_predicate(c, 0, holds ? LANES_ALL : 0);
    put(c, lanes_splat(p));
}

/* shfl after PTX's rules: each lane reads the lane `from`, and the predicate tells whether that
 * lane is in the segment. Lanes that do not execute the instruction give 0. */
FERMI_HANDLER(shfl) {
    enum { INDEX, UP, DOWN, BUTTERFLY };
    const u32x32 a = fermi_source(c, 0), b = fermi_source(c, 1) & 31, bounds = fermi_source(c, 2);
    u32x32 v;
    lane_mask inside = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const unsigned mask = bounds[lane] >> 8 & 31, clamp = bounds[lane] & 31;
        const unsigned last = (lane & mask) | (clamp & ~mask);
        unsigned from = lane;
        bool in = false;
        switch (op_of(c)->sub) {
        case INDEX:
            from = (lane & mask) | (b[lane] & ~mask);
            in = from <= last;
            break;
        case UP:
            from = lane - b[lane];
            in = (int)from >= (int)last;
            break;
        case DOWN:
            from = lane + b[lane];
            in = from <= last;
            break;
        case BUTTERFLY:
            from = lane ^ b[lane];
            in = from <= last;
            break;
        }
        from = in ? from & 31 : lane;
        v[lane] = c->m >> from & 1 ? a[from] : 0;
        inside |= (lane_mask)in << lane;
    }
    put(c, v);
    fermi_put_predicate(c, 0, inside);
}

/* ---- flags and predicates as words ---- */

LANES_INLINE u32x32 predicate_word(const struct warp *w, unsigned count) {
    u32x32 v = lanes_splat(0);
    for (unsigned i = 0; i < count; i++)
        v |= lanes_from_mask(w->fermi.p[i]) & 1u << i;
    return v;
}

LANES_INLINE void set_predicates(struct call *c, u32x32 v, u32x32 mask, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        const lane_mask m = c->m & lanes_to_mask(mask << (31 - i));
        c->w->fermi.p[i] = (c->w->fermi.p[i] & ~m) | (lanes_to_mask(v << (31 - i)) & m);
    }
}

enum { FERMI_PREDICATES = 7, G64_PREDICATES = 16 };

FERMI_HANDLER(read_flags) {
    const struct flags *f = &c->w->c[0];
    const unsigned shift = op_of(c)->high ? 16 : 0;
    u32x32 v = predicate_word(c->w, FERMI_PREDICATES) | (lanes_from_mask(f->z) & 1u << 12) |
               (lanes_from_mask(f->s) & 1u << 13) | (lanes_from_mask(f->c) & 1u << 14) |
               (lanes_from_mask(f->o) & 1u << 15);
    put(c, ((v & fermi_source(c, 1)) << shift) | fermi_source(c, 0));
}

FERMI_HANDLER(write_flags) {
    struct flags *f = &c->w->c[0];
    lane_mask *flag[4] = {&f->z, &f->s, &f->c, &f->o};
    const u32x32 v = fermi_source(c, 0) >> (op_of(c)->high ? 16 : 0), mask = fermi_source(c, 1);
    set_predicates(c, v, mask, FERMI_PREDICATES);
    for (int i = 0; i < 4; i++) {
        const lane_mask m = c->m & lanes_to_mask(mask << (19 - i));
        *flag[i] = (*flag[i] & ~m) | (lanes_to_mask(v << (19 - i)) & m);
    }
}

FERMI_HANDLER(p2r) {
    put(c, predicate_word(c->w, G64_PREDICATES));
}

FERMI_HANDLER(r2p) {
    set_predicates(c, fermi_source(c, 0), fermi_source(c, 1), G64_PREDICATES);
}

/* ---- bits ---- */

FERMI_HANDLER(logic) {
    const struct op *op = op_of(c);
    const u32x32 a = logic_source(c, 0);
    const u32x32 b = logic_source(c, 1);
    put_result(c, int_logic(a, b, (enum logic_kind)op->logic));
}

LANES_INLINE u32x32 reversed(u32x32 v) {
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
    return v >> 16 | v << 16;
}

LANES_INLINE u32x32 shift_count(const struct call *c) {
    const u32x32 n = fermi_source(c, 1);
    return op_of(c)->wrap ? n & 31 : n;
}

FERMI_HANDLER(shl) {
    put_result(c, int_shift_left(fermi_source(c, 0), shift_count(c)));
}

FERMI_HANDLER(shr) {
    const struct op *op = op_of(c);
    const u32x32 a = fermi_source(c, 0);
    put_result(c, int_shift_right(op->reverse ? reversed(a) : a, shift_count(c),
                                  type_is_signed(op->type)));
}

FERMI_HANDLER(rotl) {
    const u32x32 a = fermi_source(c, 0), n = fermi_source(c, 1) & 31;
    put_result(c, a << n | a >> (-n & 31));
}

/* The lowest n bits, n below 256. */
LANES_INLINE u32x32 low_bits(u32x32 n) {
    return (u32x32)(n > 31) | ((lanes_splat(1) << (n & 31)) - 1);
}

FERMI_HANDLER(bfe) {
    const struct op *op = op_of(c);
    const u32x32 b = fermi_source(c, 1), start = b & 0xff, length = b >> 8 & 0xff;
    const u32x32 ones = low_bits(length), beyond = (u32x32)(start > 31);
    u32x32 a = fermi_source(c, 0), v;
    if (op->reverse)
        a = reversed(a);
    if (type_is_signed(op->type)) {
        const u32x32 end = start + length,
                     top = lanes_blend((u32x32)(end > 32), lanes_splat(31), (end - 1) & 31);
        const u32x32 fill = -(a >> top & 1) & (u32x32)(length != 0);
        v = (u32x32)((i32x32)a >> (i32x32)lanes_blend(beyond, lanes_splat(31), start));
        v = (v & ones) | (fill & ~ones);
    } else {
        v = a >> (start & 31) & ~beyond & ones;
    }
    put_result(c, v);
}

FERMI_HANDLER(bfi) {
    const u32x32 a = fermi_source(c, 0), b = fermi_source(c, 1), into = fermi_source(c, 2);
    const u32x32 start = b & 31, inside = (u32x32)((b & 0xff) < 32);
    const u32x32 mask = low_bits(b >> 8 & 0xff) << start & inside;
    put_result(c, (into & ~mask) | (a << start & mask));
}

FERMI_HANDLER(bfind) {
    const struct op *op = op_of(c);
    u32x32 a = logic_source(c, 0);
    if (type_is_signed(op->type))
        a ^= int_sign_fill(a);
    const u32x32 zeros = cvt_leading_zeros(a);
    const u32x32 v = op->shift_amount ? zeros : 31 - zeros;
    put_result(c, v | (u32x32)(a == 0));
}

FERMI_HANDLER(clz) {
    const u32x32 a = fermi_source(c, 0);
    put_result(c, lanes_blend((u32x32)(a == 0), lanes_splat(32), cvt_leading_zeros(a)));
}

FERMI_HANDLER(brev) {
    put_result(c, reversed(fermi_source(c, 0)));
}

/* Fermi counts the bits that are set in both sources; generic64 has one source. */
FERMI_HANDLER(popc) {
    const struct op *op = op_of(c);
    u32x32 v = logic_source(c, 0);
    if (op->src[1].file != FILE_NONE)
        v &= logic_source(c, 1);
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f;
    put(c, v * 0x01010101u >> 24);
}

/* The selectors of PTX's prmt modes, for control values 0 to 3. */
LANES_INLINE uint32_t prmt_selector(unsigned mode, uint32_t n) {
    static const uint16_t table[7][4] = {
        [1] = {0x3210, 0x4321, 0x5432, 0x6543}, [2] = {0x5670, 0x6701, 0x7012, 0x0123},
        [3] = {0x0000, 0x1111, 0x2222, 0x3333}, [4] = {0x3210, 0x3211, 0x3222, 0x3333},
        [5] = {0x0000, 0x1110, 0x2210, 0x3210}, [6] = {0x1010, 0x3232, 0x1010, 0x3232}};
    return mode ? table[mode][n & 3] : n;
}

FERMI_HANDLER(prmt) {
    const u32x32 a = fermi_source(c, 0), b = fermi_source(c, 1), other = fermi_source(c, 2);
    u32x32 v = lanes_splat(0);
    for (int i = 0; i < LANES; i++) {
        const uint64_t bytes = a[i] | (uint64_t)other[i] << 32;
        const uint32_t selector = prmt_selector(op_of(c)->sub, b[i]);
        for (int k = 0; k < 4; k++) {
            const uint32_t s = selector >> (4 * k) & 15;
            const uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 0xff;
            v[i] |= (s & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << (8 * k);
        }
    }
    put(c, v);
}

/* ---- generic64's own ---- */

FERMI_HANDLER(idiv) {
    const u32x32 a = fermi_source(c, 0), b = fermi_source(c, 1);
    const bool sign = op_of(c)->type == TYPE_S32, rest = op_of(c)->code == OP_IREM;
    u32x32 v;
    for (int i = 0; i < LANES; i++) {
        if (b[i] == 0)
            v[i] = rest ? a[i] : 0;
        else if (!sign)
            v[i] = rest ? a[i] % b[i] : a[i] / b[i];
        else
            v[i] = (uint32_t)(rest ? (int64_t)(int32_t)a[i] % (int32_t)b[i]
                                   : (int64_t)(int32_t)a[i] / (int32_t)b[i]);
    }
    put(c, v);
}

FERMI_HANDLER(iabs) {
    const u32x32 a = fermi_source(c, 0);
    put(c, op_of(c)->type == TYPE_U32 ? a : (a ^ int_sign_fill(a)) - int_sign_fill(a));
}

FERMI_HANDLER(ineg) {
    put(c, -fermi_source(c, 0));
}

/* ---- video: parts of words, an exact result, clamped, combined (fermi-isa.md §6.4) ---- */

LANES_INLINE int64_t part_of(uint32_t v, unsigned part, bool sign) {
    if (part == 6)
        return sign ? (int64_t)(int32_t)v : v;
    if (part >= 4) {
        const uint32_t h = v >> (16 * (part - 4)) & 0xffff;
        return sign ? (int16_t)h : (int64_t)h;
    }
    const uint32_t b = v >> (8 * part) & 0xff;
    return sign ? (int8_t)b : (int64_t)b;
}

LANES_INLINE bool video_compare(int64_t a, int64_t b, unsigned cond) {
    return (cond & COND_LESS && a < b) || (cond & COND_EQUAL && a == b) ||
           (cond & COND_GREATER && a > b);
}

LANES_INLINE int64_t video_result(const struct op *op, int64_t a, int64_t b, int64_t third) {
    const uint64_t n = op->wrap ? (uint64_t)b & 31 : (uint64_t)b > 32 ? 32 : (uint64_t)b;
    switch (op->sub) {
    case VIDEO_ADD:
        return a + b;
    case VIDEO_SUB:
        return a - b;
    case VIDEO_SUBR:
        return b - a;
    case VIDEO_ADDPO:
        return a + b + 1;
    case VIDEO_MIN:
        return a < b ? a : b;
    case VIDEO_MAX:
        return a > b ? a : b;
    case VIDEO_ABSDIFF:
        return a > b ? a - b : b - a;
    case VIDEO_SET:
        return video_compare(a, b, op->cond);
    case VIDEO_SHR:
        return a >> n;
    case VIDEO_SHL:
        return (int64_t)((uint64_t)a << n);
    case VIDEO_MAD: {
        static const uint8_t shift[] = {0, 7, 15, 0};
        const int64_t p = op->add_kind == ADD_SUBR ? -(a * b) : a * b;
        const int64_t t = op->add_kind == ADD_SUB ? -third : third;
        return (p + t + (op->add_kind == ADD_PO)) >> shift[op->count & 3];
    }
    default:
        return b;
    }
}

LANES_INLINE uint32_t video_combined(const struct op *op, int64_t r, uint32_t third) {
    const bool sign = op->dst.type == TYPE_S32;
    if (op->sat) {
        const int64_t low = sign ? INT32_MIN : 0, high = sign ? INT32_MAX : UINT32_MAX;
        r = r < low ? low : r > high ? high : r;
    }
    const uint32_t v = (uint32_t)r;
    switch (op->parts_sum) {
    case 0:
        return (third & 0xffff) | v << 16;
    case 1:
        return (third & 0xffff0000u) | (v & 0xffff);
    case 2:
        return (third & 0xffffff00u) | (v & 0xff);
    case 3:
        return (third & 0xff00ffffu) | (v & 0xff) << 16;
    case 4:
        return v + third;
    case 5:
        return sign ? ((int32_t)v < (int32_t)third ? v : third) : v < third ? v : third;
    case 6:
        return sign ? ((int32_t)v > (int32_t)third ? v : third) : v > third ? v : third;
    default:
        return v;
    }
}

FERMI_HANDLER(video) {
    const struct op *op = op_of(c);
    const bool sa = type_is_signed(op->src[0].type), sb = type_is_signed(op->src[1].type);
    const u32x32 a = fermi_source(c, 0), b = fermi_source(c, 1);
    const u32x32 third = op->src[2].file == FILE_NONE ? c->w->r[c->l->dst] : fermi_source(c, 2);
    u32x32 v;
    u32x32 holds;
    for (int i = 0; i < LANES; i++) {
        const int64_t y = op->src[1].file == FILE_IMM
                              ? sb ? (int16_t)op->src[1].value : (int64_t)op->src[1].value
                              : part_of(b[i], op->part[1], sb);
        const int64_t t = sa || sb ? (int64_t)(int32_t)third[i] : (int64_t)third[i];
        const int64_t r = video_result(op, part_of(a[i], op->part[0], sa), y, t);
        holds[i] = r != 0 ? ~0u : 0;
        v[i] = op->sub == VIDEO_MAD ? (uint32_t)r : video_combined(op, r, third[i]);
    }
    if (op->dst.file == FILE_NONE)
        fermi_put_set(c, holds);
    else
        put_result(c, v);
}

#ifndef TP_STENCIL
exec_fn *SIMD_FN(exec_fermi_int_select)(const struct op *op) {
    static exec_fn *const handlers[OPCODES] = {
        [OP_MOV] = mov,
        [OP_MOV_HIGH] = mov_high,
        [OP_S2R] = s2r,
        [OP_LEPC] = lepc,
        [OP_B2R] = b2r,
        [OP_PMEVENT] = nothing,
        [OP_MEMBAR] = nothing,
        [OP_FENCE] = nothing,
        [OP_TEXBAR] = nothing,
        [OP_NOP] = nothing,
        [OP_CCTL] = cctl,
        [OP_IADD] = iadd,
        [OP_ISCADD] = iscadd,
        [OP_IMUL] = imul,
        [OP_IMAD] = imad,
        [OP_SAD] = sad,
        [OP_ISET] = iset,
        [OP_IMNMX] = imnmx,
        [OP_SELP] = selp,
        [OP_PSET] = pset,
        [OP_CSET] = cset,
        [OP_VOTE] = vote,
        [OP_READ_FLAGS] = read_flags,
        [OP_WRITE_FLAGS] = write_flags,
        [OP_P2R] = p2r,
        [OP_R2P] = r2p,
        [OP_LOGIC] = logic,
        [OP_SHL] = shl,
        [OP_SHR] = shr,
        [OP_ROTL] = rotl,
        [OP_BFE] = bfe,
        [OP_BFI] = bfi,
        [OP_BFIND] = bfind,
        [OP_CLZ] = clz,
        [OP_BREV] = brev,
        [OP_POPC] = popc,
        [OP_PRMT] = prmt,
        [OP_IDIV] = idiv,
        [OP_IREM] = idiv,
        [OP_IABS] = iabs,
        [OP_INEG] = ineg,
        [OP_VIDEO] = video,
        [OP_SHFL] = shfl,
        [OP_MAD24] = mad24,
    };
    if (op->code == OP_SLCT)
        return op->src[2].type == TYPE_F32 ? NULL : slct;
    if (op->code == OP_MAD24 && op->sub) /* the effect of .sd is not documented */
        return NULL;
    return handlers[op->code];
}
#endif
