/* Rows in registers or in memory: see row_registers.h. */
#include "shader/native/row_registers.h"
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>

/* The order in which registers are taken. Registers 8 to 11 hold no values: they are temporaries of
 * small stencils. 6 and 7 come last: some stencils can leave their results only there. */
static const uint8_t register_order[] = {31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
                                         17, 16, 0,  1,  2,  3,  4,  5,  15, 14, 13, 12, 6,  7};
/* The order for strips, whose stencils use registers 4 to 6 as temporaries. */
static const uint8_t strip_order[] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 0, 1, 2, 3};
enum { NOT_IN_REGISTER = 0xff };

void rows_open(struct rows *r, struct emitter *e, bool registers) {
    *r = (struct rows){.e = e, .registers = registers};
}

static struct filling no_filling(void) {
    return (struct filling){.exit = {0}};
}

static uint32_t bits_of(const struct value *v) {
    return v->kind == VALUE_NONE || v->reg[0] == NOT_IN_REGISTER
               ? 0
               : 1u << v->reg[0] | 1u << v->reg[1];
}

/* Rows in memory: the bit of the scratch row that holds a value; 0 if it is in none. */
static uint16_t scratch_bit(const struct value *v) {
    const int64_t row = ((int64_t)v->place - (int64_t)offsetof(struct warp, native.scratch)) /
                        (int64_t)sizeof(u32x32);
    const bool inside =
        v->place >= (int32_t)offsetof(struct warp, native.scratch) && row < WARP_SCRATCH;
    return inside ? (uint16_t)(1u << row) : 0; /* the v[] words lie behind the scratch rows */
}

static void drop(struct rows *r, struct value *v) {
    if (r->registers)
        r->taken &= ~bits_of(v);
    else
        r->scratch &= (uint16_t)~scratch_bit(v);
    *v = (struct value){0};
}

static void set_sources(const struct rows *r, struct filling *f, const int source[3]) {
    for (int i = 0; i < 3; i++) {
        const struct value *v = source[i] == NO_VALUE ? NULL : &r->v[source[i]];
        f->reg[2 * i] = v ? v->reg[0] : 0;
        f->reg[2 * i + 1] = v ? v->reg[1] : 0;
        f->hole[HOLE_AT_S0 + i] = v ? v->place : 0;
    }
}

/* ---- registers ---- */

/* The number of the $r whose row the value is; if it is none, at least WARP_REGS. */
static uint32_t register_of(const struct value *v) {
    return v->kind == VALUE_ROW ? (v->at - (uint32_t)offsetof(struct warp, r)) / sizeof(u32x32)
                                : WARP_REGS;
}

static int truth_number(const struct rows *r, uint32_t at) {
    for (uint32_t i = 0; i < r->truths; i++)
        if (r->truth[i].at == at)
            return (int)i;
    return -1;
}

/* The stencil for register n of STRIP_TRUTHS, from the stencil for register 0. */
static enum stencil_id truth_step(enum stencil_id first, int n) {
    return (enum stencil_id)((int)first + n * (ST_truth_put_1 - ST_truth_put_0));
}

static void store_truth(struct rows *r, const struct value *v) {
    struct filling f = no_filling();
    const int n = truth_number(r, v->at);
    f.reg[0] = f.reg[1] = v->reg[0];
    emit_stencil(r->e, truth_step(r->truth[n].put ? ST_truth_change_0 : ST_truth_put_0, n), &f);
    r->truth[n].put = true;
}

static void store(struct rows *r, const struct value *v) {
    struct filling f = no_filling();
    const uint32_t n = register_of(v);
    if (v->kind == VALUE_TRUTH) {
        store_truth(r, v);
        return;
    }
    if (n < WARP_REGS)
        r->stored[n / 64] |= UINT64_C(1) << n % 64;
    f.reg[0] = v->reg[0];
    f.reg[1] = v->reg[1];
    f.hole[HOLE_AT_D] = v->at;
    emit_stencil(r->e, v->raw_nan ? ST_store_canon : ST_store, &f);
}

/* Strips: notes whether the NaNs of a row in memory may be raw. Returns the note from before. */
static bool note_raw(struct rows *r, const struct value *row, bool raw) {
    const uint32_t n = register_of(row);
    if (n >= WARP_REGS)
        return false;
    const uint64_t bit = UINT64_C(1) << n % 64;
    const bool was = r->raw[n / 64] & bit;
    r->raw[n / 64] = (r->raw[n / 64] & ~bit) | (raw ? bit : 0);
    return was;
}

/* In strips, a row that leaves its register may come back, so its NaNs stay raw in memory. */
static void evict(struct rows *r, struct value *v) {
    const bool stays_raw = r->strips && v->raw_nan && register_of(v) < WARP_REGS;
    if (stays_raw)
        v->raw_nan = false;
    if (v->dirty)
        store(r, v);
    if (stays_raw)
        note_raw(r, v, true);
    drop(r, v);
}

static int find_register(const struct rows *r, uint32_t avoid) {
    const uint8_t *const order = r->strips ? strip_order : register_order;
    const size_t count = r->strips ? sizeof strip_order : sizeof register_order;
    for (size_t i = 0; i < count; i++)
        if (!((r->taken | avoid) >> order[i] & 1))
            return order[i];
    return -1;
}

static struct value *oldest(struct rows *r) {
    struct value *best = NULL;
    for (int i = 0; i < VALUES; i++) {
        struct value *v = &r->v[i];
        if (v->kind != VALUE_NONE && !v->pinned && (!best || v->used < best->used))
            best = v;
    }
    return best;
}

static uint8_t take_register(struct rows *r, uint32_t avoid) {
    for (;;) {
        const int n = find_register(r, avoid);
        if (n >= 0) {
            r->taken |= 1u << n;
            return (uint8_t)n;
        }
        struct value *v = oldest(r);
        assert(v);
        evict(r, v);
    }
}

/* Empties the registers of mask: values are moved to other registers, written back or dropped. */
static void clear_registers(struct rows *r, uint32_t mask) {
    for (int i = 0; i < VALUES && (r->taken & mask); i++) {
        struct value *v = &r->v[i];
        if (!(bits_of(v) & mask))
            continue;
        const bool uniform = v->reg[0] == v->reg[1];
        if (!v->pinned && !v->dirty && v->kind != VALUE_TEMP) {
            drop(r, v);
            continue;
        }
        for (int h = 0; h < 2 - uniform; h++) {
            if (!(mask >> v->reg[h] & 1))
                continue;
            int n = find_register(r, mask);
            if (n < 0 && !v->pinned) {
                evict(r, v);
                break;
            }
            n = n < 0 ? take_register(r, mask) : n;
            r->taken |= 1u << n;
            emit_move(r->e, (unsigned)n, v->reg[h]);
            r->taken &= ~(1u << v->reg[h]);
            v->reg[h] = (uint8_t)n;
            if (uniform)
                v->reg[1] = v->reg[0];
        }
    }
}

/* ---- strips ---- */

void rows_open_strips(struct rows *r, int32_t lanes_at, bool masked, bool flags) {
    rows_clear(r);
    r->masked = masked;
    r->flags = flags;
    r->truths = 0;
    r->e->stencil = r->e->set->strips;
    r->registers = r->strips = true;
    r->lanes_at = lanes_at;
}

void rows_close_strips(struct rows *r) {
    static const enum stencil_id end[2][2] = {{ST_pred_end_0, ST_pred_end_m_0},
                                              {ST_flags_end_0, ST_flags_end_m_0}};
    for (uint32_t i = 0; i < r->truths; i++) {
        struct filling f = no_filling();
        f.hole[HOLE_AT_FLAGS] = r->truth[i].at;
        emit_stencil(r->e, truth_step(end[r->flags][r->masked], (int)i), &f);
    }
    r->e->stencil = r->e->set->stencil;
    r->registers = r->strips = false;
}

/* ---- values ---- */

static int new_value(struct rows *r, enum value_kind kind) {
    for (;;) {
        for (int i = 0; i < VALUES; i++) {
            if (r->v[i].kind != VALUE_NONE)
                continue;
            r->v[i] = (struct value){.kind = (uint8_t)kind,
                                     .reg = {NOT_IN_REGISTER, NOT_IN_REGISTER},
                                     .pinned = true,
                                     .used = ++r->now};
            return i;
        }
        struct value *v = oldest(r);
        assert(v);
        evict(r, v);
    }
}

/* Takes a scratch row for a value that is not a row of the warp. */
static void take_scratch(struct rows *r, struct value *v) {
    while (r->scratch == (1u << WARP_SCRATCH) - 1) {
        struct value *old = NULL;
        for (int i = 0; i < VALUES; i++) {
            struct value *o = &r->v[i];
            if (o->kind != VALUE_NONE && !o->pinned && o->kind != VALUE_ROW &&
                (!old || o->used < old->used))
                old = o;
        }
        assert(old);
        drop(r, old);
    }
    const unsigned n = (unsigned)__builtin_ctz(~(unsigned)r->scratch);
    r->scratch |= (uint16_t)(1u << n);
    v->place = (int32_t)(offsetof(struct warp, native.scratch) + n * sizeof(u32x32));
}

static bool is_uniform_step(enum stencil_id id) {
    return id == ST_imm || id == ST_const_word || id == ST_shared_word;
}

/* Chooses the place of the result of stencil id: registers or a scratch row. */
static void place_result(struct rows *r, struct value *v, enum stencil_id id) {
    const struct stencil *s = &r->e->stencil[id];
    if (!r->registers) {
        take_scratch(r, v);
        return;
    }
    if (s->fixed) {
        v->reg[0] = RESULT_REGISTER;
        v->reg[1] = RESULT_REGISTER + 1;
        r->taken |= bits_of(v);
        return;
    }
    const bool one = r->strips || is_uniform_step(id);
    v->reg[0] = take_register(r, s->clobbers);
    v->reg[1] = one ? v->reg[0] : take_register(r, s->clobbers);
}

void rows_prepare(struct rows *r, enum stencil_id id) {
    const struct stencil *s = &r->e->stencil[id];
    const uint32_t result = s->fixed ? 3u << RESULT_REGISTER : 0;
    if (r->registers)
        clear_registers(r, s->clobbers | result);
}

static void run_into(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                     const struct value *to) {
    set_sources(r, f, source);
    f->reg[RESULT_REGISTER] = to->reg[0];
    f->reg[RESULT_REGISTER + 1] = to->reg[1];
    f->hole[HOLE_AT_D] = to->place;
    emit_stencil(r->e, id, f);
}

static enum stencil_id fetching(const struct rows *r, enum value_kind kind, uint32_t at) {
    const int n = kind == VALUE_TRUTH ? truth_number(r, at) : -1;
    switch (kind) {
    case VALUE_TRUTH:
        return n < 0 ? ST_truth : truth_step(ST_truth_get_0, n);
    case VALUE_ROW:
        return ST_load;
    case VALUE_CONST:
        return ST_const_word;
    case VALUE_SHARED:
        return ST_shared_word;
    case VALUE_IMM:
        return ST_imm;
    case VALUE_ACTIVE:
        return ST_active_row;
    default:
        return r->strips ? ST_load : ST_mask_row;
    }
}

static void fetch(struct rows *r, const struct value *v) {
    struct filling f = no_filling();
    const enum stencil_id id = fetching(r, v->kind, v->at);
    f.reg[RESULT_REGISTER] = v->reg[0];
    f.reg[RESULT_REGISTER + 1] = v->reg[1];
    f.hole[HOLE_AT_S0] = v->kind == VALUE_MASK ? r->lanes_at : v->at;
    f.hole[HOLE_AT_FLAGS] = v->at;
    f.hole[HOLE_AT_D] = v->place;
    f.hole[HOLE_AT_VIEW] =
        (int64_t)(offsetof(struct warp_env, c) + v->space * sizeof(struct const_view));
    f.hole[HOLE_AT_AT] = v->at;
    if (v->kind == VALUE_IMM)
        f.exit[EXIT_CONSTANT] = emit_word(r->e, v->at);
    emit_stencil(r->e, id, &f);
    if (is_uniform_step(id) && v->reg[1] != v->reg[0]) /* an argument of a routine */
        emit_move(r->e, v->reg[1], v->reg[0]);
}

int rows_find(struct rows *r, enum value_kind kind, unsigned space, uint32_t at) {
    for (int i = 0; i < VALUES; i++) {
        struct value *v = &r->v[i];
        if (v->kind == kind && v->at == at && v->space == space) {
            v->pinned = true;
            v->used = ++r->now;
            return i;
        }
    }
    return NO_VALUE;
}

int rows_get(struct rows *r, enum value_kind kind, unsigned space, uint32_t at) {
    const int here = rows_find(r, kind, space, at);
    if (here != NO_VALUE)
        return here;
    const int n = new_value(r, kind);
    struct value *v = &r->v[n];
    v->at = at;
    v->space = (uint8_t)space;
    if (kind == VALUE_ROW && !r->registers) {
        v->place = (int32_t)at;
        return n;
    }
    rows_prepare(r, fetching(r, kind, at));
    place_result(r, v, fetching(r, kind, at));
    fetch(r, v);
    v->raw_nan = v->dirty = r->strips && note_raw(r, v, false);
    return n;
}

int rows_at(struct rows *r, int32_t place) {
    const int n = new_value(r, VALUE_TEMP);
    r->v[n].place = place;
    return n;
}

int rows_begin_step(struct rows *r, enum stencil_id id) {
    rows_prepare(r, id);
    const int n = new_value(r, VALUE_TEMP);
    place_result(r, &r->v[n], id);
    return n;
}

void rows_end_step(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                   int result) {
    run_into(r, id, source, f, &r->v[result]);
}

int rows_run(struct rows *r, enum stencil_id id, const int source[3], struct filling *f) {
    const int n = rows_begin_step(r, id);
    rows_end_step(r, id, source, f, n);
    return n;
}

struct filling rows_own_registers(void) {
    struct filling f = no_filling();
    for (int i = 0; i < ARGUMENT_REGISTERS; i++)
        f.reg[i] = (uint8_t)i;
    return f;
}

/* Moves a value to the registers of the first source, for a stencil that is called and not
 * renamed. */
static void move_to_argument(struct rows *r, struct value *v) {
    const uint32_t arguments = 3;
    if (v->reg[0] == 0 && v->reg[1] == 1)
        return;
    clear_registers(r, arguments);
    r->taken = (r->taken & ~bits_of(v)) | arguments;
    for (uint8_t h = 0; h < 2; h++) {
        emit_move(r->e, h, v->reg[h]);
        v->reg[h] = h;
    }
}

int rows_call(struct rows *r, enum stencil_id id, int source, uint32_t label) {
    const uint32_t results = 3u << RESULT_REGISTER;
    move_to_argument(r, &r->v[source]);
    clear_registers(r, r->e->stencil[id].clobbers | results);
    emit_call(r->e, label);
    const int n = new_value(r, VALUE_TEMP);
    r->v[n].reg[0] = RESULT_REGISTER;
    r->v[n].reg[1] = RESULT_REGISTER + 1;
    r->taken |= results;
    return n;
}

void rows_run_only(struct rows *r, enum stencil_id id, const int source[3], struct filling *f) {
    rows_prepare(r, id);
    set_sources(r, f, source);
    emit_stencil(r->e, id, f);
}

void rows_run_to(struct rows *r, enum stencil_id id, const int source[3], struct filling *f,
                 int32_t place) {
    set_sources(r, f, source);
    f->hole[HOLE_AT_D] = place;
    emit_stencil(r->e, id, f);
}

int rows_canonical(struct rows *r, int value) {
    if (!r->v[value].raw_nan)
        return value;
    struct filling f = no_filling();
    const int n = rows_run(r, ST_canon, (int[]){value, NO_VALUE, NO_VALUE}, &f);
    struct value *old = &r->v[value], *new = &r->v[n];
    if (old->kind == VALUE_ROW) { /* the row takes the registers of the canonical value */
        const uint8_t a = old->reg[0], b = old->reg[1];
        old->reg[0] = new->reg[0];
        old->reg[1] = new->reg[1];
        new->reg[0] = a;
        new->reg[1] = b;
        old->raw_nan = false;
        old->was_raw = true;
        drop(r, new);
        return value;
    }
    new->was_raw = true;
    return n;
}

int rows_copy(struct rows *r, int value) {
    const int n = new_value(r, VALUE_TEMP);
    struct value *v = &r->v[n];
    const struct value *from = &r->v[value];
    v->reg[0] = v->reg[1] = take_register(r, 0);
    emit_move(r->e, v->reg[0], from->reg[0]);
    if (from->reg[1] != from->reg[0]) {
        v->reg[1] = take_register(r, 0);
        emit_move(r->e, v->reg[1], from->reg[1]);
    }
    v->raw_nan = from->raw_nan;
    v->was_raw = from->was_raw;
    return n;
}

static void drop_kind(struct rows *r, enum value_kind kind, uint32_t at) {
    for (int i = 0; i < VALUES; i++)
        if (r->v[i].kind == kind && r->v[i].at == at)
            drop(r, &r->v[i]);
    note_raw(r, &(struct value){.kind = (uint8_t)kind, .at = at}, false);
}

static void bind_as(struct rows *r, int value, enum value_kind kind, uint32_t at) {
    drop_kind(r, kind, at);
    struct value *v = &r->v[value];
    v->kind = (uint8_t)kind;
    v->at = at;
    v->space = 0;
    v->dirty = kind != VALUE_MASK;
}

void rows_bind(struct rows *r, int value, uint32_t at) {
    bind_as(r, value, VALUE_ROW, at);
}

void rows_bind_truth(struct rows *r, int value, uint32_t at) {
    if (truth_number(r, at) < 0) {
        assert(r->truths < STRIP_TRUTHS);
        r->truth[r->truths].at = at;
        r->truth[r->truths++].put = false;
    }
    bind_as(r, value, VALUE_TRUTH, at);
}

void rows_bind_mask(struct rows *r, int value, uint32_t at) {
    bind_as(r, value, VALUE_MASK, at);
}

void rows_release_others(struct rows *r, int value) {
    for (int i = 0; i < VALUES; i++) {
        if (i == value)
            continue;
        r->v[i].pinned = false;
        if (r->v[i].kind == VALUE_TEMP)
            drop(r, &r->v[i]);
    }
}

void rows_release(struct rows *r) {
    rows_release_others(r, NO_VALUE);
}

void rows_forget(struct rows *r, enum value_kind kind) {
    for (int i = 0; i < VALUES; i++)
        if (r->v[i].kind == kind)
            drop(r, &r->v[i]);
}

void rows_write_back(struct rows *r, uint32_t at) {
    for (int i = 0; i < VALUES; i++) {
        struct value *v = &r->v[i];
        if (v->kind != VALUE_ROW || v->at != at || !v->dirty)
            continue;
        store(r, v);
        v->dirty = false;
    }
}

void rows_drop(struct rows *r, uint32_t at) {
    drop_kind(r, VALUE_ROW, at);
}

/* Strips: makes the NaNs of all values that will be written back canonical. One test for all values
 * is shorter than a step for each value, and NaNs are rare. */
static void settle_strips(struct rows *r) {
    enum { FEWEST = 2, MOST = 10 }; /* at least two values to test; registers have to be left */
    int raw[VALUES], count = 0, dirty = 0;
    for (int i = 0; i < VALUES; i++) {
        if (r->v[i].kind != VALUE_NONE && !r->v[i].dirty)
            drop(r, &r->v[i]);
        dirty += r->v[i].dirty;
        if (r->v[i].dirty && r->v[i].raw_nan)
            raw[count++] = i;
    }
    if (count < FEWEST || dirty > MOST)
        return;
    struct filling f = no_filling();
    const int nan = rows_run(r, ST_nan_pair, (int[]){raw[0], raw[1], NO_VALUE}, &f);
    for (int i = 2; i < count; i += 2)
        rows_run_only(r, ST_nan_more, (int[]){raw[i], raw[i + 1 < count ? i + 1 : i], nan}, &f);
    f.exit[EXIT_TARGET] = emit_labels(r->e, 1);
    rows_run_only(r, ST_nan_none, (int[]){nan, NO_VALUE, NO_VALUE}, &f);
    drop(r, &r->v[nan]);
    for (int i = 0; i < count; i++) {
        rows_run_only(r, ST_nan_settle, (int[]){NO_VALUE, NO_VALUE, raw[i]}, &f);
        r->v[raw[i]].raw_nan = false;
    }
    emit_bind(r->e, f.exit[EXIT_TARGET]);
}

void rows_flush(struct rows *r) {
    if (r->strips)
        settle_strips(r);
    for (int i = 0; i < VALUES; i++)
        if (r->v[i].dirty)
            store(r, &r->v[i]);
    rows_clear(r);
}

/* Brings rows with raw NaNs from memory to registers. False: there are none. */
static bool fetch_raw(struct rows *r) {
    enum { MOST = 8 };
    int count = 0;
    for (uint32_t n = 0; n < WARP_REGS && count < MOST; n++) {
        if (!(r->raw[n / 64] >> n % 64 & 1))
            continue;
        rows_get(r, VALUE_ROW, 0, (uint32_t)(offsetof(struct warp, r) + n * sizeof(u32x32)));
        count++;
    }
    rows_release(r);
    return count;
}

void rows_end_strip(struct rows *r) {
    do
        rows_flush(r);
    while (fetch_raw(r));
}

static void split(struct rows *r, struct value *v) {
    if (r->strips)
        return;
    const uint8_t n = take_register(r, 0);
    emit_move(r->e, n, v->reg[0]);
    v->reg[1] = n;
}

void rows_merge(struct rows *r, int mask, bool others, int value, int row) {
    struct filling f = no_filling();
    if (r->v[row].reg[0] == r->v[row].reg[1])
        split(r, &r->v[row]);
    rows_run_only(r, others ? ST_merge_not : ST_merge, (int[]){mask, value, row}, &f);
    r->v[row].dirty = true;
}

void rows_watch(struct rows *r) {
    memset(r->stored, 0, sizeof r->stored);
}

void rows_drop_stored(struct rows *r) {
    for (int i = 0; i < VALUES; i++) {
        const uint32_t n = register_of(&r->v[i]);
        if (n < WARP_REGS && !r->v[i].dirty && r->stored[n / 64] >> n % 64 & 1)
            drop(r, &r->v[i]);
    }
}

void rows_split(struct rows *r) {
    for (int i = 0; i < VALUES; i++) {
        struct value *v = &r->v[i];
        v->pinned = true;
        if (v->kind == VALUE_ROW && v->reg[0] == v->reg[1])
            split(r, v);
        v->pinned = false;
    }
}

void rows_settle(struct rows *r) {
    for (int i = 0; i < VALUES; i++) {
        struct value *v = &r->v[i];
        v->pinned = true;
        if (v->kind == VALUE_ROW)
            rows_canonical(r, i);
        v->pinned = false;
    }
    rows_split(r);
}

void rows_unsettle(struct rows *r) {
    for (int i = 0; i < VALUES; i++)
        if (r->v[i].kind == VALUE_ROW && r->v[i].was_raw)
            r->v[i].raw_nan = true;
}

void rows_clear(struct rows *r) {
    for (int i = 0; i < VALUES; i++)
        if (r->v[i].kind != VALUE_NONE)
            drop(r, &r->v[i]);
}

/* ---- out of line ---- */

uint32_t rows_save(const struct rows *r, struct rows_saved *s, bool dirty) {
    const uint32_t first = s->count;
    if (!ARRAY_ROOM(s->v, s->room, s->count + (size_t)VALUES)) {
        s->failed = true;
        return 0;
    }
    for (int i = 0; i < VALUES; i++) {
        const struct value *v = &r->v[i];
        const bool apart = r->registers || v->kind != VALUE_ROW;
        if (v->kind != VALUE_NONE && (dirty ? v->dirty : apart))
            s->v[s->count++] = *v;
    }
    return s->count - first;
}

/* Writes all values back as they are. Then makes values with raw NaNs canonical and writes them
 * again: by then enough registers are free. */
void rows_spill(struct rows *r, const struct value *saved, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct value v = saved[i];
        v.raw_nan = false;
        store(r, &v);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct value v = saved[i];
        if (!v.raw_nan)
            continue;
        v.reg[0] = 30;
        v.reg[1] = 31;
        fetch(r, &v);
        store(r, &v);
    }
}

void rows_restore(struct rows *r, const struct value *saved, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        fetch(r, &saved[i]);
}

/* ---- from one place to another ---- */

enum { SPARE_REGISTER = 11 }; /* holds no value */

static const struct value *find(const struct value *list, uint32_t count, const struct value *v) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i].kind == v->kind && list[i].at == v->at && list[i].space == v->space)
            return &list[i];
    return NULL;
}

/* True if a value can be moved with its NaNs. Otherwise it goes through memory, to become
 * canonical. */
static bool may_stay(const struct value *from, const struct value *to) {
    return from && to && (to->raw_nan || !from->raw_nan);
}

static bool is_source(const uint8_t source[REGISTERS], unsigned n) {
    for (unsigned i = 0; i < REGISTERS; i++)
        if (source[i] == n)
            return true;
    return false;
}

/* Moves registers in parallel: source[n] is the register that goes to n, or NOT_IN_REGISTER. */
static void move_registers(struct emitter *e, uint8_t source[REGISTERS]) {
    bool left = true;
    while (left) {
        bool moved = left = false;
        unsigned stuck = 0;
        for (unsigned n = 0; n < REGISTERS; n++) {
            if (source[n] == NOT_IN_REGISTER)
                continue;
            if (is_source(source, n)) {
                left = true;
                stuck = n;
                continue;
            }
            emit_move(e, n, source[n]);
            source[n] = NOT_IN_REGISTER;
            moved = true;
        }
        if (left && !moved) { /* a cycle */
            emit_move(e, SPARE_REGISTER, stuck);
            for (unsigned n = 0; n < REGISTERS; n++)
                if (source[n] == stuck)
                    source[n] = SPARE_REGISTER;
        }
    }
}

void rows_match(struct rows *r, const struct value *from, uint32_t froms, const struct value *to,
                uint32_t tos) {
    uint8_t source[REGISTERS];
    memset(source, NOT_IN_REGISTER, sizeof source);
    for (uint32_t i = 0; i < froms; i++) {
        const struct value *t = find(to, tos, &from[i]);
        if (from[i].dirty && !(may_stay(&from[i], t) && t->dirty))
            store(r, &from[i]);
    }
    for (uint32_t i = 0; i < tos; i++) {
        const struct value *f = find(from, froms, &to[i]);
        for (int h = 0; may_stay(f, &to[i]) && h < 2; h++)
            if (f->reg[h] != to[i].reg[h])
                source[to[i].reg[h]] = f->reg[h];
    }
    move_registers(r->e, source);
    for (uint32_t i = 0; i < tos; i++)
        if (!may_stay(find(from, froms, &to[i]), &to[i]))
            fetch(r, &to[i]);
}

/* ---- where ways meet ---- */

void rows_hold(struct rows *r, uint32_t at) {
    r->v[rows_get(r, VALUE_ROW, 0, at)].dirty = true;
}

static void canonical_where_it_was(struct rows *r, const struct value *saved, uint32_t count) {
    for (int i = 0; i < VALUES; i++) {
        struct value *v = &r->v[i];
        const struct value *was = v->raw_nan ? find(saved, count, v) : NULL;
        v->pinned = true;
        if (was && !was->raw_nan)
            rows_canonical(r, i);
        v->pinned = false;
    }
}

void rows_meet(struct rows *r, struct value *saved, uint32_t *count) {
    struct value now[VALUES];
    uint32_t nows = 0, kept = 0;
    if (!r->registers) {
        rows_clear(r);
        return;
    }
    canonical_where_it_was(r, saved, *count);
    for (int i = 0; i < VALUES; i++)
        if (r->v[i].kind != VALUE_NONE)
            now[nows++] = r->v[i];
    for (uint32_t i = 0; i < *count; i++) {
        const struct value *here = find(now, nows, &saved[i]);
        if (!saved[i].dirty && !here)
            continue;
        saved[kept] = saved[i];
        saved[kept++].was_raw &= here && here->was_raw;
    }
    *count = kept;
    rows_match(r, now, nows, saved, kept);
    rows_clear(r);
    for (uint32_t i = 0; i < kept; i++) {
        r->v[i] = saved[i];
        r->taken |= bits_of(&saved[i]);
    }
}
