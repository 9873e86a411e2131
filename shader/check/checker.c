/* Checks each instruction before its execution: the memory and texels that it accesses, the
 * registers that it reads, races, barriers and derivatives in divergent flow; then its result; and
 * the program's outputs when the program ends or emits a vertex. In: the calls of an
 * observer. Out: findings. Accesses that only the interpreter finds out of range (attributes of
 * Fermi, varyings) are known from its counters.
 */
#include "shader/check/checker.h"
#include "base/format_text.h"

#include "base/bits.h"
#include "base/c_locale.h"
#include "shader/check/races.h"
#include "shader/check/sample_trial.h"
#include "shader/check/shadow.h"
#include "shader/exec_fermi_graphics.h"
#include "shader/isa/isa.h"
#include "shader/registers.h"
#include "shader/stack.h"

#include <math.h>
#include <pthread.h>

enum { TRACKED = 64, FETCH_ROWS = 80 };

struct tracked {
    struct shadow shadow;
    /* NULL: races are not checked, because the warp is neither in a grid nor in a draw that writes
     * memory, or memory is short */
    struct warp_time *time;
    lane_mask dead_at_start;
    /* by row of a[]: lanes whose vertex lies outside of the array */
    lane_mask vertex_outside[FETCH_ROWS];
    uint8_t attribute[FETCH_ROWS];
    /* the current instruction */
    const struct op *op;
    uint32_t address;
    uint64_t bad; /* the interpreter's count of accesses out of range before the instruction */
    bool outside; /* the checker has found an access out of range or misaligned */
    lane_mask infinite; /* lanes in which a source is not finite */
};

struct checker {
    pthread_mutex_t lock;
    struct findings *findings;
    struct warp_observer observer;
    struct races *races;
    struct check_draw draw;
    bool not_finite, incomplete;
    uint64_t launches, time;
    uint32_t ctas, drawn; /* CTAs of the launch; warps of the draw that write memory */
    struct tracked *tracked[TRACKED], *last; /* by warp; `last`: the last warp found */
    struct warp *copy;                       /* for trials of instructions; NULL: not made yet */
    const struct program *hashed; /* the program whose hash is known, during a draw or launch */
    uint64_t hash;
};

/* ---- findings ---- */

/* One instruction of one warp. */
struct place {
    struct checker *c;
    const struct warp *w;
    const struct warp_env *env;
    struct tracked *t;
};

static uint64_t hash_of(struct checker *c, const struct program *p) {
    if (c->hashed == p)
        return c->hash;
    uint64_t hash = p->type + UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < p->word_count; i++)
        hash = (hash ^ p->words[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    c->hashed = p;
    return c->hash = hash ? hash : 1;
}

static void name_place(const struct place *p, int lane, char *text, size_t size) {
    const struct warp *w = p->w;
    const struct cta_shared *b = w->cta;
    if (b) {
        const uint32_t n = w->warp_id * LANES + (uint32_t)lane, x = b->size[0], y = b->size[1];
        snprintf(text, size, "thread (%u, %u, %u) of block (%u, %u, %u)", n % x, n / x % y,
                 n / x / y, b->at[0], b->at[1], b->at[2]);
    } else if (p->env->program->type == PROGRAM_FP) {
        snprintf(text, size, "pixel (%d, %d)", w->origin[0] + (int)floorf(w->x[lane]),
                 w->origin[1] + (int)floorf(w->y[lane]));
    } else if (w->number && p->env->program->type == PROGRAM_VP) {
        snprintf(text, size, "vertex %u, instance %u", w->number[lane],
                 w->instance ? w->instance[lane] : 0);
    } else if (w->number) {
        snprintf(text, size, "primitive %u", w->number[lane]);
    } else {
        snprintf(text, size, "%s program", program_type_name(p->env->program->type));
    }
}

/* Counts a fault in these lanes. True if the fault is the first of its kind at this instruction:
 * then *n is filled, except its sentence (n->what), and the caller adds *n. False: no lanes, or the
 * fault is known. */
static bool is_first(const struct place *p, enum finding_kind kind, uint32_t detail,
                     lane_mask lanes, struct finding *n) {
    struct checker *c = p->c;
    const struct program *program = p->env->program;
    if (!lanes)
        return false;
    const uint64_t hash = hash_of(c, program);
    struct finding *known = findings_find(c->findings, kind, hash, p->t->address, detail);
    if (known) {
        known->count += lanes_count(lanes);
        return false;
    }
    *n = (struct finding){.kind = kind,
                          .program = hash,
                          .address = p->t->address,
                          .detail = detail,
                          .number = p->w->cta ? c->launches : c->draw.number,
                          .launch = p->w->cta,
                          .lanes = lanes,
                          .count = lanes_count(lanes)};
    const char *slash = strrchr(program->name, '/');
    snprintf(n->name, sizeof n->name, "%s", slash ? slash + 1 : program->name);
    snprintf(n->text, sizeof n->text, "(no instruction)");
    if (p->t->op)
        program_print(program, p->t->op, n->text, sizeof n->text);
    name_place(p, __builtin_ctz(lanes), n->where, sizeof n->where);
    return true;
}

__attribute__((format(printf, 3, 4))) static void add(const struct place *p, struct finding *n,
                                                      const char *format, ...) {
    C_LOCALE_BLOCK;
    FORMAT_TEXT(n->what, format);
    findings_add(p->c->findings, n);
}

void checker_report(struct checker *c, enum finding_kind kind, const char *what) {
    pthread_mutex_lock(&c->lock);
    struct finding *known = findings_find(c->findings, kind, 0, 0, 0);
    struct finding n = {.kind = kind, .number = c->draw.number, .count = 1};
    snprintf(n.what, sizeof n.what, "%s", what);
    if (known)
        known->count++;
    else
        findings_add(c->findings, &n);
    pthread_mutex_unlock(&c->lock);
}

/* ---- memory ---- */

/* Names the byte that a lane accesses: "c1[0x20]". */
static void name_byte(const struct access *a, int lane, char text[32]) {
    const bool indexed =
        a->file == FILE_CONST || (a->file == FILE_GLOBAL && a->limit != UINT64_MAX);
    if (indexed)
        snprintf(text, 32, "%s%u[0x%llx]", isa_memory_name(a->file), a->index,
                 (unsigned long long)a->at[lane]);
    else
        snprintf(text, 32, "%s[0x%llx]", isa_memory_name(a->file), (unsigned long long)a->at[lane]);
}

/* Word k of the data of a store, or the low bytes of a store of less than a word. */
static uint32_t stored_word(const struct place *p, const struct access *a, uint32_t k, int lane) {
    const struct operand *d = a->data;
    if (!d || (d->file != FILE_R && d->file != FILE_RH))
        return 0;
    if (d->file == FILE_RH)
        return p->w->r[source_row(p->env, d->value / 2)][lane] >> (d->value & 1 ? 16 : 0) & 0xffff;
    const uint32_t v = p->w->r[source_row(p->env, d->value + k)][lane];
    return a->size < 4 ? v & ((1u << 8 * a->size) - 1) : v;
}

static void check_range(const struct place *p, const struct access *a, lane_mask visible) {
    static const char *const verbs[] = {"reads", "writes", "changes"};
    const uint32_t detail = (uint32_t)a->file << 16 | (uint32_t)a->index << 8 | a->kind;
    struct finding n;
    char byte[32], limit[48] = "not in memory";
    p->t->outside |= a->outside || a->misaligned;
    if (is_first(p, FINDING_OUTSIDE, detail, a->outside & visible, &n)) {
        const int lane = __builtin_ctz(n.lanes);
        name_byte(a, lane, byte);
        if (a->limit != UINT64_MAX)
            snprintf(limit, sizeof limit, "the end is at 0x%llx", (unsigned long long)a->limit);
        if (a->data)
            add(p, &n, "writes 0x%x, %u bytes, to %s; %s", stored_word(p, a, 0, lane), a->size,
                byte, limit);
        else
            add(p, &n, "%s %u bytes at %s; %s", verbs[a->kind], a->size, byte, limit);
    }
    if (is_first(p, FINDING_MISALIGNED, detail, a->misaligned & visible, &n)) {
        name_byte(a, __builtin_ctz(n.lanes), byte);
        add(p, &n, "%s %u bytes at an address that is no multiple of its size, near %s",
            verbs[a->kind], a->size, byte);
    }
}

static void check_local(const struct place *p, const struct access *a) {
    struct finding n;
    char byte[32];
    if (!is_first(p, FINDING_LOCAL, 0, shadow_local(&p->t->shadow, a), &n))
        return;
    name_byte(a, __builtin_ctz(n.lanes), byte);
    add(p, &n, "reads %s, which the thread has not written", byte);
}

static void check_shared(const struct place *p, const struct access *a) {
    lane_mask unwritten = 0;
    struct finding n;
    char byte[32];
    for (lane_mask rest = a->lanes & ~a->outside; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        if (a->kind != ACCESS_WRITE && !races_is_written(p->c->races, a->at[i], a->size))
            unwritten |= 1u << i;
    }
    for (lane_mask rest = a->lanes & ~a->outside; rest; rest &= rest - 1)
        if (a->kind != ACCESS_READ)
            races_written(p->c->races, a->at[__builtin_ctz(rest)], a->size);
    if (!is_first(p, FINDING_SHARED, 0, unwritten, &n))
        return;
    name_byte(a, __builtin_ctz(n.lanes), byte);
    add(p, &n, "reads %s, which no thread of the block has written", byte);
}

/* Names the thread of a grid, or the invocation of a draw, that made the other access. */
static void name_other(const struct place *p, const struct race_access *other, char *text,
                       size_t size) {
    const enum program_type type = p->env->program->type;
    if (!other->by->drawn)
        snprintf(text, size, "warp %u, lane %u of block %u", other->by->warp, other->lane,
                 other->by->cta);
    else if (type == PROGRAM_FP)
        snprintf(text, size, "a fragment of pixel (%d, %d)", (int)other->place[0],
                 (int)other->place[1]);
    else
        snprintf(text, size, "%s %u", type == PROGRAM_VP ? "vertex" : "primitive", other->place[0]);
}

/* Reports a race. byte: the byte's name, "g[0x100]". */
static void report_race(const struct place *p, const char *byte, const struct race_access *now,
                        const struct race_access *other) {
    static const char *const did[] = {"read", "written", "changed"};
    static const char *const does[] = {"reads", "writes", "changes"};
    struct finding n;
    char value[32] = "", whose[64];
    if (!is_first(p, FINDING_RACE, other->address << 4 | now->kind, 1u << now->lane, &n))
        return;
    name_other(p, other, whose, sizeof whose);
    if (now->kind == ACCESS_WRITE)
        snprintf(value, sizeof value, " (0x%x)", now->value);
    add(p, &n, "%s %s%s, which %s has %s (0x%x) at 0x%06x; %s", does[now->kind], byte, value, whose,
        did[other->kind], other->value, other->address,
        other->by->drawn ? "the draw orders them in no way" : "no barrier lies between");
}

static uint64_t race_word(const struct access *a, int lane) {
    const bool space = a->file == FILE_GLOBAL && a->limit != UINT64_MAX;
    return a->at[lane] / 4 + (space ? (uint64_t)a->index << 32 : 0);
}

/* The first word of an access of `size` bytes at `at`, as races.h describes it; the caller fills
 * the value. */
static struct race_access race_access_of(const struct place *p, uint64_t at, uint32_t size,
                                         uint8_t kind, int lane) {
    const struct warp *w = p->w;
    struct race_access t = {.by = p->t->time,
                            .phase = p->t->time->phase,
                            .address = p->t->address,
                            .lane = (uint8_t)lane,
                            .bytes = (uint8_t)(size >= 4 ? 15 : ((1u << size) - 1) << (at & 3)),
                            .kind = kind,
                            .time = p->c->time};
    if (p->env->program->type == PROGRAM_FP) {
        t.place[0] = (uint32_t)(w->origin[0] + (int)floorf(w->x[lane]));
        t.place[1] = (uint32_t)(w->origin[1] + (int)floorf(w->y[lane]));
    } else if (w->number) {
        t.place[0] = w->number[lane];
        t.place[1] = w->instance ? w->instance[lane] : 0;
    }
    return t;
}

/* In a draw only loads and stores may race: programs read counters that other invocations change by
 * atomic operations, and that is no fault. */
static bool may_race(const struct place *p, uint8_t kind) {
    return p->t->time && (!p->t->time->drawn || kind != ACCESS_ATOMIC);
}

/* True if a draw stores a whole word that the memory holds already. */
static bool is_silent(const struct place *p, const struct race_access *t, uint64_t at,
                      uint32_t size) {
    const void *now = p->t->time->drawn && t->kind == ACCESS_WRITE && size >= 4
                          ? memory_at(p->env->memory, at, 4)
                          : NULL;
    return now && memcmp(now, &t->value, 4) == 0;
}

static lane_mask race_lanes(const struct place *p, lane_mask m) {
    return p->env->program->type == PROGRAM_FP ? m & ~p->w->dead : m;
}

static void check_races(const struct place *p, const struct access *a) {
    const bool lock = p->t->op->code == OP_LD_LOCK || p->t->op->code == OP_ST_UNLOCK;
    const uint8_t kind = lock ? ACCESS_ATOMIC : a->kind;
    if (!may_race(p, kind))
        return;
    for (lane_mask rest = race_lanes(p, a->lanes & ~a->outside); rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        struct race_access now = race_access_of(p, a->at[i], a->size, kind, i);
        for (uint32_t k = 0; k < (a->size > 4 ? a->size / 4u : 1); k++) {
            char byte[32];
            now.value = stored_word(p, a, k, i);
            now.silent = is_silent(p, &now, a->at[i] + 4ull * k, a->size);
            const struct race_access *other =
                races_note(p->c->races, a->file == FILE_SHARED, race_word(a, i) + k, &now);
            if (!other)
                continue;
            name_byte(a, i, byte);
            report_race(p, byte, &now, other);
        }
    }
}

static void check_images(const struct place *p, lane_mask m) {
    struct image_access a;
    struct finding n;
    if (!access_image(p->w, p->env, p->t->op, m, &a))
        return;
    p->t->outside |= a.outside != 0;
    if (is_first(p, FINDING_OUTSIDE, 0x10000, a.outside & ~p->w->dead, &n))
        add(p, &n, "%s a texel outside of the image of %ux%u",
            a.kind == ACCESS_READ ? "reads" : "writes", a.width, a.height);
    if (!may_race(p, a.kind))
        return;
    for (lane_mask rest = a.lanes; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        struct race_access now = race_access_of(p, a.at[i], a.size, a.kind, i);
        for (uint32_t k = 0; k < (a.size > 4 ? a.size / 4u : 1); k++) {
            char byte[48];
            now.value = a.word[k][i];
            now.silent = is_silent(p, &now, a.at[i] + 4ull * k, a.size);
            const struct race_access *other = races_note(p->c->races, false, a.at[i] / 4 + k, &now);
            snprintf(byte, sizeof byte, "the image's texel at g[0x%llx]",
                     (unsigned long long)a.at[i]);
            if (other)
                report_race(p, byte, &now, other);
        }
    }
}

/* Checks the row of a[] that a vertex program reads in lanes m. */
static void check_fetched(const struct place *p, uint64_t row, lane_mask m) {
    struct finding n;
    const lane_mask outside = row < FETCH_ROWS ? p->t->vertex_outside[row] & m & ~p->w->dead : 0;
    if (outside && is_first(p, FINDING_VERTEX, p->t->attribute[row], outside, &n))
        add(p, &n, "reads attribute %u of a vertex that lies beyond the end of its array",
            p->t->attribute[row]);
}

static void check_tesla_fetched(const struct place *p, const struct access *a) {
    for (lane_mask rest = a->lanes, same; rest; rest &= ~same) {
        const uint64_t row = a->at[__builtin_ctz(rest)] / 4;
        same = 0;
        for (lane_mask m = rest; m; m &= m - 1)
            if (a->at[__builtin_ctz(m)] / 4 == row)
                same |= m & -m;
        check_fetched(p, row, same);
    }
}

/* Checks Fermi's words of a[] at fixed addresses. */
static void check_fermi_fetched(const struct place *p, lane_mask m) {
    const struct op *op = p->t->op;
    const struct operand *o = &op->src[0];
    if (op->code != OP_LD || o->file != FILE_ATTR || !operand_is_fixed(o) ||
        isa_set_of(p->env->program->variant) != SET_FERMI)
        return;
    for (uint32_t k = 0; k < type_bits(o->mem) / 32; k++)
        check_fetched(p, fermi_attribute_row(p->env->program, op, o->value / 4 + k), m);
}

static bool is_atomic(const struct op *op) {
    return op->code == OP_ATOM || op->code == OP_RED || op->code == OP_LD_LOCK ||
           op->code == OP_ST_UNLOCK;
}

static void check_memory(const struct place *p, lane_mask m) {
    struct access list[ACCESSES];
    const uint32_t count = access_list(p->w, p->env, p->t->op, m, list);
    for (uint32_t i = 0; i < count; i++) {
        const struct access *a = &list[i];
        check_range(p, a, ~p->w->dead);
        if (a->file == FILE_LOCAL)
            check_local(p, a);
        if (a->file == FILE_SHARED)
            check_shared(p, a);
        if (a->file == FILE_SHARED || a->file == FILE_GLOBAL)
            check_races(p, a);
        if (a->file == FILE_ATTR && p->env->program->type == PROGRAM_VP)
            check_tesla_fetched(p, a);
    }
    if (p->t->op->code == OP_SURFACE)
        check_images(p, m);
    if (p->env->program->type == PROGRAM_VP)
        check_fermi_fetched(p, m);
    if (p->t->time && m && is_atomic(p->t->op))
        p->t->time->atomic = p->c->time;
}

/* ---- registers and outputs ---- */

static void check_registers(const struct place *p, lane_mask m) {
    static const char *const names[] = {
        [FILE_NULL] = "$p", [FILE_R] = "$r", [FILE_A] = "$a", [FILE_C] = "$c"};
    struct unwritten list[SHADOW_READS];
    const uint32_t count = shadow_reads(&p->t->shadow, p->env, p->t->op, m, list);
    for (uint32_t i = 0; i < count; i++) {
        struct finding n;
        if (is_first(p, FINDING_REGISTER, (uint32_t)list[i].file << 8 | list[i].number,
                     list[i].lanes, &n))
            add(p, &n, "reads %s%u, which the lane has not written", names[list[i].file],
                list[i].number);
    }
}

/* Reports a word that a fragment program interpolates and no stage makes. */
static void check_interpolated(const struct place *p, lane_mask m) {
    const struct op *op = p->t->op;
    const bool fermi = isa_set_of(p->env->program->variant) == SET_FERMI;
    const uint32_t word =
        fermi ? flow_fetch(p->env, p->t->address)->attr[0] : (uint32_t)op->src[0].value / 4;
    struct finding n;
    if (!operand_is_fixed(&op->src[0]) || word >= 256 ||
        !(p->c->draw.unmade[word / 32] >> word % 32 & 1))
        return;
    if (is_first(p, FINDING_OUTPUT, word, m & ~p->w->dead, &n))
        add(p, &n, "reads %c[0x%x], which no stage before it writes", fermi ? 'a' : 'v',
            (uint32_t)op->src[0].value);
}

/* Checks outputs that are read later: of a vertex or tessellation evaluation program at its end, of
 * a geometry program at each emit. */
static void check_outputs(const struct place *p, lane_mask m) {
    const uint32_t *needed = p->c->draw.needed[p->env->program->type];
    for (uint32_t row = 0; row < SHADOW_OUT; row++) {
        struct finding n;
        if (needed[row / 32] >> row % 32 & 1 &&
            is_first(p, FINDING_OUTPUT, row, m & ~p->t->shadow.out[row], &n))
            add(p, &n, "o[0x%x] is read by later stages, and the program has not written it",
                4 * row);
    }
}

static void check_results(const struct place *p, lane_mask m) {
    for (uint32_t r = 0; r < WARP_REGS; r++) {
        struct finding n;
        if (p->c->draw.results[r / 64] >> r % 64 & 1 &&
            is_first(p, FINDING_OUTPUT, r, shadow_unwritten(&p->t->shadow, r, m), &n))
            add(p, &n, "$r%u is a result of the program, which has not written it", r);
    }
}

/* ---- divergence ---- */

static void check_barrier(const struct place *p, lane_mask m) {
    const lane_mask missing = ~p->w->exited & ~m;
    struct finding n;
    if (is_first(p, FINDING_BARRIER, 0, missing ? m : 0, &n))
        add(p, &n, "a barrier in divergent flow: lanes %08x do not reach it here", missing);
}

static bool needs_quad(const struct op *op) {
    switch (op->code) {
    case OP_TEXAUTO:
    case OP_TEXBIAS:
    case OP_TEXQUERYLOD:
        return op->tex.call.quads;
    case OP_TEX:
        return (op->sub == FTEX_SAMPLE || op->sub == FTEX_QUERY_LOD) &&
               (op->ftex.lod == FTEX_LOD_AUTO || op->ftex.lod == FTEX_LOD_BIAS ||
                op->ftex.lod == FTEX_LOD_BIASA);
    default:
        return op->code == OP_QUADOP;
    }
}

/* Reports the lanes of m whose quad lacks a lane that was launched and not discarded. */
static void check_derivative(const struct place *p, lane_mask m) {
    const lane_mask discarded = p->w->dead & ~p->t->dead_at_start;
    const lane_mask missing = p->w->launched & ~m & ~discarded;
    lane_mask quads = 0;
    for (int q = 0; q < LANES; q += 4)
        if (missing >> q & 15)
            quads |= 15u << q;
    struct finding n;
    if (is_first(p, FINDING_DERIVATIVE, 0, m & ~p->w->dead & quads, &n))
        add(p, &n, "differences within a quad whose lanes %08x have branched away",
            missing & 15u << (__builtin_ctz(n.lanes) & ~3));
}

/* ---- textures ---- */

static void check_fresh(const struct place *p, lane_mask m) {
    const struct op *op = p->t->op;
    const uint32_t tic = op->tex.tic;
    const bool size = op->code == OP_TEXSIZE || (op->code == OP_TEX && op->sub == FTEX_QUERY);
    struct finding n;
    if (!size && tic < 32 && p->c->draw.fresh[p->env->program->type] >> tic & 1 &&
        is_first(p, FINDING_FRESH, tic, m & ~p->w->dead, &n))
        add(p, &n, "samples texture %u, and nothing has been drawn, cleared or copied there", tic);
}

/* The texels that lanes fetch, and the level that each lane fetches from. */
struct texels {
    const struct tex_binding *binding; /* NULL: not known */
    uint32_t coordinates;              /* number of coordinates: x, y, z; or x, y and the layer */
    u32x32 at[5], level;
};

static u32x32 register_of(const struct place *p, uint32_t n) {
    return p->w->r[source_row(p->env, n)];
}

static void find_tesla_texels(const struct place *p, struct texels *t) {
    const struct op *op = p->t->op;
    const uint32_t sources = op->tex.call.source_count;
    t->coordinates = sources > 1 ? sources - 1 : 1;
    t->level = sources > 1 ? register_of(p, op->tex.base + sources - 1u) : lanes_splat(0);
    for (uint32_t k = 0; k < t->coordinates && k < 3; k++)
        t->at[k] = register_of(p, op->tex.base + k) + (uint32_t)op->tex.call.offset[k];
}

/* Fermi's first vector of sources has the layer of an array, then the coordinates. The second has
 * the level, then a word of offsets with four bits for each, as far as the instruction has them. */
static void find_fermi_texels(const struct place *p, struct texels *t) {
    const struct ftex_fields *f = &p->t->op->ftex;
    const bool array = ftex_is_array(f);
    uint32_t second = f->second;
    for (uint32_t k = 0; k < ftex_coordinates(f); k++)
        t->at[t->coordinates++] = register_of(p, f->first + array + k);
    t->level = f->lod ? register_of(p, second++) : lanes_splat(0);
    const u32x32 offsets = f->offsets ? register_of(p, second) : lanes_splat(0);
    for (uint32_t k = 0; k < t->coordinates; k++)
        t->at[k] += (u32x32)((i32x32)(offsets << (28 - 4 * k)) >> 28);
    if (array)
        t->at[t->coordinates++] = register_of(p, f->first) & 0xffff;
}

/* Reports texels that nothing has written. Lanes m fetch texels inside of the texture. */
static void check_fetched_texels(const struct place *p, const struct texels *t, lane_mask m) {
    const struct check_texels *facts = &p->c->draw.texels;
    const enum program_type stage = p->env->program->type;
    const uint32_t slot = p->t->op->tex.tic;
    lane_mask fresh = 0;
    struct finding n;
    if (!facts->written || slot >= 32 || p->c->draw.fresh[stage] >> slot & 1 || p->w->cta)
        return;
    for (lane_mask rest = m & ~p->w->dead; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        uint32_t at[3] = {0};
        for (uint32_t k = 0; k < t->coordinates && k < 3; k++)
            at[k] = t->at[k][i];
        if (!facts->written(facts->self, stage, slot, t->level[i], at))
            fresh |= 1u << i;
    }
    if (is_first(p, FINDING_FRESH, 0x100 | slot, fresh, &n)) {
        const int i = __builtin_ctz(n.lanes);
        add(p, &n,
            "fetches texel (%u, %u, %u) of level %u of texture %u, and nothing has been drawn, "
            "cleared or copied there",
            t->at[0][i], t->coordinates > 1 ? t->at[1][i] : 0, t->coordinates > 2 ? t->at[2][i] : 0,
            t->level[i], slot);
    }
}

/* Checks the coordinates of fetched texels; the texture unit tells the sizes of the levels. */
static void check_texel(const struct place *p, lane_mask m) {
    static const char axes[] = "xyz";
    const struct op *op = p->t->op;
    struct texels t = {.binding = p->env->tex ? p->env->tex[op->tex.slot] : NULL};
    struct tex_call call = {.op = TEX_OP_SIZE, .source_count = 1, .result_mask = 7};
    u32x32 size[4];
    lane_mask inside = m;
    if (!t.binding || !m || (op->code == OP_TEX && (op->ftex.indirect || op->ftex.multisample)))
        return;
    if (op->code == OP_TEX)
        find_fermi_texels(p, &t);
    else
        find_tesla_texels(p, &t);
    size[0] = t.level;
    t.binding->kernel[TEX_OP_SIZE](t.binding, &call, size, m);
    for (uint32_t k = 0; k < t.coordinates && k < 3; k++) {
        const u32x32 outside = (u32x32)(t.at[k] >= size[k]) & (u32x32)(size[k] != 0);
        struct finding n;
        inside &= ~lanes_to_mask((u32x32)(t.at[k] >= size[k]));
        if (is_first(p, FINDING_TEXEL, k, lanes_to_mask(outside) & m & ~p->w->dead, &n)) {
            const int lane = __builtin_ctz(n.lanes);
            add(p, &n, "fetches a texel at %c = %d; level %u of texture %u has %u there", axes[k],
                (int)t.at[k][lane], t.level[lane], op->tex.tic, size[k][lane]);
        }
    }
    check_fetched_texels(p, &t, inside);
}

/* The texture unit tells which texels a sample reads: the instruction is tried on shadow textures
 * (check_texels). */
static void check_sampled_texels(const struct place *p, lane_mask m) {
    const struct check_texels *facts = &p->c->draw.texels;
    const struct other_textures shadows = {facts->self, facts->shadow};
    const struct op *op = p->t->op;
    const uint32_t tic = op->tex.tic;
    lane_mask found;
    struct finding n;
    if (!facts->shadow || p->w->cta || !op_samples_texels(op) ||
        (tic < 32 && p->c->draw.fresh[p->env->program->type] >> tic & 1))
        return;
    if (!sample_trial(p->w, p->env, op, m, &shadows, &p->c->copy, &found)) {
        p->c->incomplete = true;
        return;
    }
    if (!is_first(p, FINDING_FRESH, 0x200 | tic, found & ~p->w->dead, &n))
        return;
    const int lane = __builtin_ctz(n.lanes);
    const uint32_t first = op->code == OP_TEX
                               ? op->ftex.first + (ftex_is_array(&op->ftex) || op->ftex.indirect)
                               : op->tex.base;
    add(p, &n,
        "samples texture %u at (%g, %g), and nothing has been drawn, cleared or copied into some "
        "texel of the sample",
        tic, (double)bits_float(register_of(p, first)[lane]),
        (double)bits_float(register_of(p, first + 1)[lane]));
}

/* ---- numbers ---- */

static lane_mask not_finite(u32x32 v) {
    return lanes_to_mask((u32x32)((v & 0x7f800000u) == 0x7f800000u));
}

static bool computes_float(const struct op *op) {
    const bool class = op_class(op) == CLASS_FLOAT || op_class(op) == CLASS_FUNCTION ||
                       op->code == OP_CVT || op->code == OP_INTERP;
    return class && op->type != TYPE_F64 && op->code != OP_FSET && op->code != OP_PRESIN &&
           op->code != OP_PREEX2 && op->dst.file == FILE_R && type_bits(op->dst.type) == 32 &&
           (op->code != OP_CVT || op->type == TYPE_F32);
}

/* The lanes in which a source is not finite. */
static lane_mask infinite_sources(const struct place *p) {
    lane_mask m = 0;
    for (int k = 0; k < 3; k++) {
        const struct operand *o = &p->t->op->src[k];
        uint32_t word = 0;
        if (o->file == FILE_R)
            m |= not_finite(p->w->r[source_row(p->env, o->value)]);
        else if (o->file == FILE_IMM)
            word = o->value;
        else if (o->file == FILE_CONST && operand_is_fixed_word(o))
            const_word(p->env, o->index & 15, o->value & 0xffff, &word);
        if ((word & 0x7f800000u) == 0x7f800000u)
            m = LANES_ALL;
    }
    return m;
}

static void check_finite(const struct place *p, lane_mask m) {
    const u32x32 v = p->w->r[source_row(p->env, p->t->op->dst.value)];
    struct finding n;
    if (is_first(p, FINDING_NOT_FINITE, 0, not_finite(v) & m & ~p->t->infinite & ~p->w->dead, &n)) {
        const uint32_t word = v[__builtin_ctz(n.lanes)];
        add(p, &n, "%s appears in $r%u; all operands are finite",
            word & 0x7fffff ? "NaN" : "infinity", p->t->op->dst.value);
    }
}

/* ---- the observer ---- */

static struct tracked *find_tracked(struct checker *c, const struct warp *w) {
    if (c->last && c->last->shadow.w == w)
        return c->last;
    for (int i = 0; i < TRACKED; i++)
        if (c->tracked[i] && c->tracked[i]->shadow.w == w)
            return c->last = c->tracked[i];
    return NULL;
}

static struct tracked *new_tracked(struct checker *c) {
    for (int i = 0; i < TRACKED; i++) {
        if (!c->tracked[i])
            c->tracked[i] = calloc(1, sizeof *c->tracked[i]);
        if (!c->tracked[i] || !c->tracked[i]->shadow.w)
            return c->tracked[i];
    }
    return NULL;
}

static bool is_beyond(const struct check_fetch *f, const struct warp *w, int lane) {
    const uint64_t instance = w->instance ? w->instance[lane] : 0;
    const uint64_t at =
        f->divisor ? (uint32_t)(instance / f->divisor + f->instance_base) : w->number[lane];
    return at >= f->inside;
}

/* Finds the vertices that lie outside of the arrays they come from. */
static void locate_vertices(const struct checker *c, struct tracked *t, const struct warp *w) {
    memset(t->vertex_outside, 0, sizeof t->vertex_outside);
    for (uint32_t i = 0; i < c->draw.fetches && w->number; i++) {
        const struct check_fetch *f = &c->draw.fetch[i];
        lane_mask outside = 0;
        for (lane_mask rest = w->launched; rest; rest &= rest - 1)
            if (is_beyond(f, w, __builtin_ctz(rest)))
                outside |= rest & -rest;
        for (uint32_t row = f->row; row < (uint32_t)f->row + f->rows && row < FETCH_ROWS; row++) {
            t->vertex_outside[row] = outside;
            t->attribute[row] = f->attribute;
        }
    }
}

/* The time of a warp of a draw whose program writes memory; else NULL. */
static struct warp_time *drawn_time(struct checker *c, const struct warp_env *env) {
    if (!env->program->header.writes_memory || !env->memory)
        return NULL;
    struct warp_time *t = races_warp(c->races, c->drawn++, 0);
    if (t) {
        t->drawn = true;
        t->stage = (uint8_t)env->program->type;
        t->repeats = env->program->type == PROGRAM_VP;
    }
    return t;
}

static void warp_starts(void *self, const struct warp *w, const struct warp_env *env) {
    struct checker *c = self;
    pthread_mutex_lock(&c->lock);
    struct tracked *t = find_tracked(c, w);
    t = t ? t : new_tracked(c);
    if (t) {
        c->incomplete |= !shadow_start(&t->shadow, w, env);
        t->dead_at_start = w->dead;
        t->op = NULL;
        t->address = w->pc;
        t->time = w->cta ? races_warp(c->races, c->ctas, w->warp_id) : drawn_time(c, env);
        if (env->program->type == PROGRAM_VP)
            locate_vertices(c, t, w);
    }
    c->incomplete |= !t;
    pthread_mutex_unlock(&c->lock);
}

static void check_end(const struct place *p) {
    const lane_mask lanes = p->w->launched & ~p->w->dead;
    struct finding n;
    if (p->w->error.code != MP_NONE) {
        char text[96];
        p->t->address = p->w->error.address;
        warp_error_print(&p->w->error, text, sizeof text);
        if (is_first(p, FINDING_ERROR, p->w->error.code, p->w->error.lanes, &n))
            add(p, &n, "%s", text);
    } else if (p->env->program->type == PROGRAM_VP || p->env->program->type == PROGRAM_TEP) {
        check_outputs(p, lanes);
    } else if (p->env->program->type == PROGRAM_FP) {
        check_results(p, lanes);
    }
}

static void warp_ends(void *self, const struct warp *w, const struct warp_env *env) {
    struct checker *c = self;
    pthread_mutex_lock(&c->lock);
    const struct place p = {c, w, env, find_tracked(c, w)};
    if (p.t) {
        check_end(&p);
        p.t->shadow.w = NULL;
    }
    pthread_mutex_unlock(&c->lock);
}

static void block_starts(void *self, const struct warp *warps, uint32_t, const struct warp_env *) {
    struct checker *c = self;
    const struct cta_shared *b = warps[0].cta;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < TRACKED; i++) /* left over from a CTA that has failed */
        if (c->tracked[i] && c->tracked[i]->time)
            c->tracked[i]->shadow.w = NULL;
    if (!b->at[0] && !b->at[1] && !b->at[2]) {
        races_launch(c->races);
        c->launches++;
        c->ctas = 0;
        c->hashed = NULL;
    } else {
        races_cta(c->races);
        c->ctas++;
    }
    races_written(c->races, 0, b->s_given);
    pthread_mutex_unlock(&c->lock);
}

static bool emits(const struct op *op) {
    return (op->code == OP_EMIT || op->code == OP_OUT) && op->emit;
}

static void check_instruction(const struct place *p, lane_mask m) {
    const struct op *op = p->t->op;
    check_registers(p, m);
    if (op->code == OP_BAR && p->w->cta) {
        check_barrier(p, m);
        p->t->time->phase += isa_set_of(p->env->program->variant) == SET_TESLA
                                 ? op->bar_wait
                                 : op->sub != BAR_ARRIVE;
    }
    if (!m)
        return;
    check_memory(p, m);
    if (p->env->program->type == PROGRAM_FP && needs_quad(op))
        check_derivative(p, m);
    if (op->code == OP_INTERP && p->env->program->type == PROGRAM_FP)
        check_interpolated(p, m);
    if (op_class(op) == CLASS_TEXTURE) {
        check_fresh(p, m);
        check_sampled_texels(p, m);
    }
    if (op->code == OP_TEXFETCH || (op->code == OP_TEX && op->sub == FTEX_FETCH))
        check_texel(p, m);
    if (emits(op))
        check_outputs(p, m);
    p->t->infinite = p->c->not_finite && computes_float(op) ? infinite_sources(p) : 0;
    shadow_writes(&p->t->shadow, p->env, op, m);
}

static void before(void *self, const struct warp *w, const struct warp_env *env,
                   const struct op *op, lane_mask m) {
    struct checker *c = self;
    pthread_mutex_lock(&c->lock);
    const struct place p = {c, w, env, find_tracked(c, w)};
    if (p.t && (!w->cta || p.t->time)) {
        c->time++;
        p.t->op = op;
        p.t->address = w->pc;
        p.t->bad = w->stats.bad_reads + w->stats.bad_writes;
        p.t->outside = false;
        check_instruction(&p, m);
    }
    pthread_mutex_unlock(&c->lock);
}

static void after(void *self, const struct warp *w, const struct warp_env *env, const struct op *op,
                  lane_mask m) {
    struct checker *c = self;
    pthread_mutex_lock(&c->lock);
    const struct place p = {c, w, env, find_tracked(c, w)};
    struct finding n;
    if (p.t) {
        const bool bad = w->stats.bad_reads + w->stats.bad_writes != p.t->bad && !p.t->outside;
        if (bad && is_first(&p, FINDING_OUTSIDE, 0, m & ~w->dead, &n))
            add(&p, &n, "an operand of the instruction is out of range in some lane");
        if (c->not_finite && computes_float(op))
            check_finite(&p, m);
    }
    pthread_mutex_unlock(&c->lock);
}

struct checker *checker_create(struct findings *findings, bool not_finite) {
    struct checker *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->findings = findings;
    c->not_finite = not_finite;
    c->observer = (struct warp_observer){.self = c,
                                         .start = warp_starts,
                                         .end = warp_ends,
                                         .cta = block_starts,
                                         .before = before,
                                         .after = after};
    c->races = races_create();
    pthread_mutex_init(&c->lock, NULL);
    if (c->races)
        return c;
    checker_free(c);
    return NULL;
}

void checker_free(struct checker *c) {
    if (!c)
        return;
    for (int i = 0; i < TRACKED; i++) {
        if (c->tracked[i])
            shadow_free(&c->tracked[i]->shadow);
        free(c->tracked[i]);
    }
    races_free(c->races);
    free(c->copy);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

const struct warp_observer *checker_observer(const struct checker *c) {
    return &c->observer;
}

void checker_draw(struct checker *c, const struct check_draw *draw) {
    pthread_mutex_lock(&c->lock);
    c->draw = *draw;
    c->hashed = NULL;
    if (c->drawn)
        races_launch(c->races);
    c->drawn = 0;
    pthread_mutex_unlock(&c->lock);
}

bool checker_incomplete(const struct checker *c) {
    return c->incomplete || races_incomplete(c->races);
}
