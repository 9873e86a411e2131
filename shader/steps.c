/* Records the steps of a warp as differences: of each step the rows and masks that it changed, as
 * old xor new, so that the cursor applies them in both directions. Stacks are lists of entries that
 * share their lower parts. In: a stepping session. Out: the record and its cursor.
 */
#include "shader/steps.h"

#include "base/arena.h"
#include "shader/isa/isa.h"
#include "shader/sph.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MOST = WARP_REGS + 4 + STEPS_LOCAL + 256 + 1, NO_NODE = 0xffffffff, NAME = 16 };

struct row_change {
    uint32_t row;
    uint32_t toggled[LANES];
};

struct mask_change {
    uint32_t mask, toggled;
};

/* A stack entry and the entry below it. */
struct stack_node {
    struct stack_entry entry;
    uint32_t below;
};

struct warp_steps {
    enum program_type type;
    char *program;
    lane_mask launched, helpers;
    enum warp_status end;
    char fault[128];
    uint32_t wait_barrier;
    struct steps_code *code;
    uint32_t codes;
    size_t code_capacity;
    int32_t place[LANES][3]; /* the pixel, vertex, primitive, patch or thread of each lane */
    bool placed;
    struct warp_step *step;
    uint32_t count;
    size_t step_capacity;
    struct row_change *change;
    size_t changes, change_capacity;
    struct mask_change *mask_change;
    size_t mask_changes, mask_capacity;
    struct stack_node *node;
    size_t nodes, node_capacity;
    uint32_t last_pc, last_stack; /* after the last step */
    uint32_t rows;
    char (*row_name)[NAME];
    bool row_used[ROWS_MOST], mask_used[STEPS_MASKS];
    /* at the cursor */
    uint32_t at;
    uint32_t (*row)[LANES];
    lane_mask mask[STEPS_MASKS];
};

/* A recording in progress. */
struct recorder {
    struct warp_steps *out;
    struct stepper *stepper;
    const u32x32 *from[ROWS_MOST];
    u32x32 emitted;
    uint32_t stack[WARP_STACK_MAX]; /* node of each entry after the last step */
    uint32_t depth;
    bool failed;
};

/* ---- recorded values ---- */

static void add_row(struct recorder *r, const u32x32 *from, const char *format, uint32_t number) {
    struct warp_steps *s = r->out;
    if (s->rows == ROWS_MOST)
        return;
    r->from[s->rows] = from;
    snprintf(s->row_name[s->rows++], NAME, format, number);
}

/* The words that a Fermi's program writes have the addresses of its map. */
static void add_results(struct recorder *r, const struct warp *w, const struct program *p) {
    if (!p->rows)
        for (uint32_t i = 0; w->out && i < w->out_count; i++)
            add_row(r, &w->out[i], "o[0x%x]", 4 * i);
    for (uint32_t word = 0; p->rows && w->out && word < A_WORDS; word++)
        if (p->rows->out[word] != ROW_NONE && p->rows->out[word] < w->out_count)
            add_row(r, &w->out[p->rows->out[word]], "a[0x%x]", 4 * word);
}

static void add_rows(struct recorder *r) {
    const struct warp *w = stepper_warp(r->stepper);
    const struct program *p = stepper_env(r->stepper)->program;
    for (uint32_t i = 0; i < p->header.reg_count && i < WARP_REGS; i++)
        add_row(r, &w->r[i], "$r%u", i);
    for (uint32_t i = 1; i < 5 && isa_set_of(p->variant) == SET_TESLA; i++)
        add_row(r, &w->a[i], "$a%u", i);
    for (uint32_t i = 0; w->local && i < (w->local_size + 3) / 4 && i < STEPS_LOCAL; i++)
        add_row(r, &w->local[i], "l[0x%x]", 4 * i);
    if (p->type != PROGRAM_FP)
        add_results(r, w, p);
    if (p->type == PROGRAM_GP)
        add_row(r, &r->emitted, "emitted", 0);
}

static void read_masks(const struct warp *w, lane_mask mask[STEPS_MASKS]) {
    mask[STEPS_ACTIVE] = w->active;
    mask[STEPS_INVISIBLE] = w->dead & w->launched;
    mask[STEPS_BROKE] = w->broke;
    mask[STEPS_CONTINUED] = w->fermi.continued;
    mask[STEPS_RETURNED] = w->returned;
    mask[STEPS_EXITED] = w->exited & w->launched;
    for (int n = 0; n < 4; n++) {
        mask[STEPS_FLAGS + 4 * n] = w->c[n].z;
        mask[STEPS_FLAGS + 4 * n + 1] = w->c[n].s;
        mask[STEPS_FLAGS + 4 * n + 2] = w->c[n].c;
        mask[STEPS_FLAGS + 4 * n + 3] = w->c[n].o;
    }
    for (int n = 0; n < PRED_TRUE; n++)
        mask[STEPS_PREDICATES + n] = w->fermi.p[n];
}

static bool take_code(struct warp_steps *s, const struct program *p) {
    const struct isa_target target = {p->variant, p->type, SYNTAX_ENVYAS};
    char text[256], sentence[512];
    for (uint32_t i = 0; i < p->word_count; i += p->ops[i].words ? p->ops[i].words : 1) {
        if (!ARRAY_ROOM(s->code, s->code_capacity, s->codes + 1))
            return false;
        sentence[0] = '\0';
        isa_print(target, &p->ops[i], text, sizeof text);
        isa_explain_op(target, &p->ops[i], sentence, sizeof sentence);
        struct steps_code *c = &s->code[s->codes++];
        *c = (struct steps_code){program_address(p, i), strdup(text), strdup(sentence)};
        if (!c->text || !c->sentence)
            return false;
    }
    return true;
}

/* Notes the lanes' pixels, numbers of vertices, primitives and patches, or threads. */
static void take_places(struct warp_steps *s, const struct warp *w) {
    const struct cta_shared *b = w->cta;
    for (uint32_t i = 0; i < LANES; i++) {
        int32_t *place = s->place[i];
        if (s->type == PROGRAM_FP) {
            place[0] = w->origin[0] + (int32_t)floorf(w->x[i]);
            place[1] = w->origin[1] + (int32_t)floorf(w->y[i]);
            s->placed = true;
        } else if (s->type == PROGRAM_CP && b && b->size[0] && b->size[1]) {
            const uint32_t n = w->warp_id * LANES + i;
            place[0] = (int32_t)(n % b->size[0]);
            place[1] = (int32_t)(n / b->size[0] % b->size[1]);
            place[2] = (int32_t)(n / b->size[0] / b->size[1]);
            s->placed = true;
        } else if (w->number && s->launched >> i & 1) {
            place[0] = (int32_t)w->number[i];
            place[1] = w->instance ? (int32_t)w->instance[i] : 0;
            s->placed = true;
        }
    }
}

/* ---- the recording ---- */

static bool same_entry(const struct stack_entry *a, const struct stack_entry *b) {
    return a->type == b->type && a->pc == b->pc && a->mask == b->mask;
}

/* Makes nodes of the stack entries that are new. Returns the node of the top entry. */
static uint32_t note_stack(struct recorder *r, const struct warp *w) {
    struct warp_steps *s = r->out;
    uint32_t same = 0;
    while (same < r->depth && same < w->stack_top &&
           same_entry(&s->node[r->stack[same]].entry, &w->stack[same]))
        same++;
    r->depth = same;
    for (; r->depth < w->stack_top && r->depth < WARP_STACK_MAX; r->depth++) {
        if (!ARRAY_ROOM(s->node, s->node_capacity, s->nodes + 1)) {
            r->failed = true;
            break;
        }
        s->node[s->nodes] =
            (struct stack_node){w->stack[r->depth], r->depth ? r->stack[r->depth - 1] : NO_NODE};
        r->stack[r->depth] = (uint32_t)s->nodes++;
    }
    return r->depth ? r->stack[r->depth - 1] : NO_NODE;
}

/* Notes the changes of rows since the last step. Returns the number of changes. */
static uint32_t note_rows(struct recorder *r) {
    struct warp_steps *s = r->out;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->rows; i++) {
        if (memcmp(s->row[i], r->from[i], sizeof s->row[i]) == 0)
            continue;
        if (!ARRAY_ROOM(s->change, s->change_capacity, s->changes + 1)) {
            r->failed = true;
            break;
        }
        struct row_change *c = &s->change[s->changes++];
        c->row = i;
        s->row_used[i] = true;
        for (int lane = 0; lane < LANES; lane++) {
            c->toggled[lane] = s->row[i][lane] ^ (*r->from[i])[lane];
            s->row[i][lane] ^= c->toggled[lane];
        }
        count++;
    }
    return count;
}

static uint32_t note_masks(struct recorder *r) {
    struct warp_steps *s = r->out;
    lane_mask now[STEPS_MASKS];
    uint32_t count = 0;
    read_masks(stepper_warp(r->stepper), now);
    for (uint32_t i = 0; i < STEPS_MASKS; i++) {
        if (now[i] == s->mask[i])
            continue;
        if (!ARRAY_ROOM(s->mask_change, s->mask_capacity, s->mask_changes + 1)) {
            r->failed = true;
            break;
        }
        s->mask_change[s->mask_changes++] = (struct mask_change){i, s->mask[i] ^ now[i]};
        s->mask[i] = now[i];
        s->mask_used[i] |= now[i] != 0;
        count++;
    }
    return count;
}

static void note_emitted(struct recorder *r) {
    for (unsigned i = 0; i < LANES; i++)
        r->emitted[i] = stepper_emitted(r->stepper, i);
}

static void take_step(struct recorder *r) {
    struct warp_steps *s = r->out;
    const struct warp *w = stepper_warp(r->stepper);
    struct warp_step step = {.pc = w->pc,
                             .active = w->active,
                             .depth = w->stack_top,
                             .stack = s->last_stack,
                             .change = (uint32_t)s->changes,
                             .mask_change = (uint32_t)s->mask_changes};
    if (stepper_step(r->stepper) == WARP_WAITING)
        return;
    step.guard = stepper_executed(r->stepper);
    note_emitted(r);
    step.changes = note_rows(r);
    step.mask_changes = note_masks(r);
    s->last_stack = note_stack(r, w);
    s->last_pc = w->pc;
    if (r->failed || !ARRAY_ROOM(s->step, s->step_capacity, s->count + 1))
        r->failed = true;
    else
        s->step[s->count++] = step;
}

static bool has_room(const struct warp_steps *s, uint32_t most) {
    return s->count < most && s->changes < STEPS_BYTES / sizeof *s->change &&
           s->nodes < STEPS_BYTES / sizeof *s->node;
}

/* Sets the cursor's values to those of the session. */
static void take_start(struct recorder *r) {
    struct warp_steps *s = r->out;
    const struct warp *w = stepper_warp(r->stepper);
    for (uint32_t i = 0; i < s->rows; i++) {
        memcpy(s->row[i], r->from[i], sizeof s->row[i]);
        for (int lane = 0; lane < LANES; lane++)
            s->row_used[i] |= s->row[i][lane] != 0;
    }
    read_masks(w, s->mask);
    for (int i = 0; i < STEPS_MASKS; i++)
        s->mask_used[i] = s->mask[i] != 0;
    s->last_pc = w->pc;
    s->last_stack = note_stack(r, w);
}

static void take_end(struct recorder *r) {
    struct warp_steps *s = r->out;
    const struct warp *w = stepper_warp(r->stepper);
    s->end = stepper_status(r->stepper);
    s->wait_barrier = w->wait_barrier;
    if (s->end == WARP_ERROR)
        warp_error_print(&w->error, s->fault, sizeof s->fault);
    else if (s->end == WARP_WAITING)
        snprintf(s->fault, sizeof s->fault,
                 "waits at barrier %u, which other warps of the block do not reach",
                 w->wait_barrier);
    else if (s->end == WARP_RUNNING)
        snprintf(s->fault, sizeof s->fault, "the record ends here, after %u steps", s->count);
}

static bool record(struct recorder *r, uint32_t most) {
    struct warp_steps *s = r->out;
    const struct warp *w = stepper_warp(r->stepper);
    const struct program *p = stepper_env(r->stepper)->program;
    s->type = p->type;
    s->program = strdup(p->name ? p->name : "");
    s->launched = w->launched;
    s->helpers = w->dead & w->launched;
    s->row_name = calloc(ROWS_MOST, sizeof *s->row_name);
    s->row = calloc(ROWS_MOST, sizeof *s->row);
    if (!s->program || !s->row_name || !s->row || !take_code(s, p))
        return false;
    take_places(s, w);
    add_rows(r);
    take_start(r);
    while (!r->failed && stepper_status(r->stepper) == WARP_RUNNING && has_room(s, most))
        take_step(r);
    take_end(r);
    s->at = s->count;
    steps_goto(s, 0);
    return !r->failed;
}

struct warp_steps *steps_record(struct stepper *stepper, uint32_t most) {
    struct warp_steps *s = stepper ? calloc(1, sizeof *s) : NULL;
    struct recorder *r = aligned_alloc(128, (sizeof *r + 127) / 128 * 128);
    bool ok = s && r;
    if (ok) {
        memset(r, 0, sizeof *r);
        r->out = s;
        r->stepper = stepper;
        ok = record(r, most ? most : STEPS_MOST);
    }
    free(r);
    if (ok)
        return s;
    steps_free(s);
    return NULL;
}

static struct warp_steps *record_own(struct stepper *stepper, uint32_t most) {
    struct warp_steps *s = steps_record(stepper, most);
    stepper_destroy(stepper);
    return s;
}

struct warp_steps *steps_of_warp(const struct warp *start, const struct warp_env *env,
                                 uint32_t most) {
    return record_own(stepper_create(start, env), most);
}

struct warp_steps *steps_of_block(const struct warp *warps, uint32_t count, uint32_t selected,
                                  const struct warp_env *env, uint32_t most) {
    return record_own(stepper_create_block(warps, count, selected, env), most);
}

void steps_free(struct warp_steps *s) {
    if (!s)
        return;
    for (uint32_t k = 0; k < s->codes; k++) {
        free(s->code[k].text);
        free(s->code[k].sentence);
    }
    free(s->code);
    free(s->program);
    free(s->step);
    free(s->change);
    free(s->mask_change);
    free(s->node);
    free(s->row_name);
    free(s->row);
    free(s);
}

/* ---- the whole ---- */

enum program_type steps_type(const struct warp_steps *s) {
    return s->type;
}

const char *steps_program(const struct warp_steps *s) {
    return s->program;
}

lane_mask steps_launched(const struct warp_steps *s) {
    return s->launched;
}

uint32_t steps_count(const struct warp_steps *s) {
    return s->count;
}

const struct warp_step *steps_get(const struct warp_steps *s, uint32_t i) {
    return &s->step[i];
}

uint32_t steps_code_count(const struct warp_steps *s) {
    return s->codes;
}

const struct steps_code *steps_code_get(const struct warp_steps *s, uint32_t k) {
    return &s->code[k];
}

uint32_t steps_code_at(const struct warp_steps *s, uint32_t address) {
    uint32_t k = 0;
    while (k < s->codes && s->code[k].address != address)
        k++;
    return k;
}

enum warp_status steps_end(const struct warp_steps *s, const char **text) {
    *text = s->fault;
    return s->end;
}

int steps_lane_name(const struct warp_steps *s, unsigned lane, char *text, size_t size) {
    const int32_t *p = s->place[lane % LANES];
    if (!s->placed || !(s->launched >> lane % LANES & 1))
        return snprintf(text, size, "lane %u", lane);
    switch (s->type) {
    case PROGRAM_FP:
        return snprintf(text, size, "pixel %d,%d", p[0], p[1]);
    case PROGRAM_CP:
        return snprintf(text, size, "thread %d,%d,%d", p[0], p[1], p[2]);
    case PROGRAM_TCP:
    case PROGRAM_TEP:
        return snprintf(text, size, "%s %d of patch %d",
                        s->type == PROGRAM_TCP ? "output vertex" : "point", p[1], p[0]);
    default:
        return snprintf(text, size, "%s %d", s->type == PROGRAM_GP ? "primitive" : "vertex", p[0]);
    }
}

/* ---- the cursor ---- */

/* A change is a difference (xor): applying it a second time undoes it. */
static void toggle(struct warp_steps *s, const struct warp_step *step) {
    for (uint32_t k = 0; k < step->changes; k++) {
        const struct row_change *c = &s->change[step->change + k];
        for (int lane = 0; lane < LANES; lane++)
            s->row[c->row][lane] ^= c->toggled[lane];
    }
    for (uint32_t k = 0; k < step->mask_changes; k++) {
        const struct mask_change *c = &s->mask_change[step->mask_change + k];
        s->mask[c->mask] ^= c->toggled;
    }
}

void steps_goto(struct warp_steps *s, uint32_t at) {
    at = at < s->count ? at : s->count;
    while (s->at < at)
        toggle(s, &s->step[s->at++]);
    while (s->at > at)
        toggle(s, &s->step[--s->at]);
}

uint32_t steps_at(const struct warp_steps *s) {
    return s->at;
}

uint32_t steps_pc(const struct warp_steps *s) {
    if (s->at < s->count)
        return s->step[s->at].pc;
    return s->end == WARP_DONE ? STEPS_NOWHERE : s->last_pc;
}

lane_mask steps_mask(const struct warp_steps *s, enum steps_mask which) {
    return s->mask[which];
}

uint32_t steps_rows(const struct warp_steps *s) {
    return s->rows;
}

const char *steps_row_name(const struct warp_steps *s, uint32_t row) {
    return s->row_name[row];
}

const uint32_t *steps_row(const struct warp_steps *s, uint32_t row) {
    return s->row[row];
}

uint32_t steps_change(const struct warp_steps *s, uint32_t i, uint32_t k, uint32_t before[LANES],
                      uint32_t after[LANES]) {
    const struct row_change *c = &s->change[s->step[i].change + k];
    const uint32_t *now = s->row[c->row];
    for (int lane = 0; lane < LANES; lane++) {
        const uint32_t other = now[lane] ^ c->toggled[lane];
        before[lane] = i < s->at ? other : now[lane];
        after[lane] = i < s->at ? now[lane] : other;
    }
    return c->row;
}

uint32_t steps_value(const struct warp_steps *s, uint32_t i, uint32_t k, unsigned lane,
                     uint32_t *value) {
    const uint32_t row = s->change[s->step[i].change + k].row;
    const uint32_t behind = s->step[i].change + s->step[i].changes;
    const size_t now = s->at < s->count ? s->step[s->at].change : s->changes;
    *value = s->row[row][lane];
    for (size_t c = behind; c < now; c++)
        *value ^= s->change[c].row == row ? s->change[c].toggled[lane] : 0;
    return row;
}

bool steps_row_used(const struct warp_steps *s, uint32_t row) {
    return s->row_used[row];
}

bool steps_mask_used(const struct warp_steps *s, enum steps_mask which) {
    return s->mask_used[which];
}

/* ---- states of lanes ---- */

static uint32_t top_node(const struct warp_steps *s) {
    return s->at < s->count ? s->step[s->at].stack : s->last_stack;
}

/* The state of a lane that is neither running nor at its end. */
static enum steps_state waiting_state(const struct warp_steps *s, unsigned lane) {
    if (s->mask[STEPS_BROKE] >> lane & 1)
        return LANE_LEFT_LOOP;
    if (s->mask[STEPS_CONTINUED] >> lane & 1)
        return LANE_NEXT_ROUND;
    return s->mask[STEPS_RETURNED] >> lane & 1 ? LANE_RETURNED : LANE_MEETS;
}

/* True if a stack entry of this type lets a lane in this state go on. LANE_MEETS stands for all
 * waiting lanes that have left no loop, round or call. */
static bool frees(enum stack_type type, enum steps_state state) {
    switch (state) {
    case LANE_LEFT_LOOP:
        return type == STACK_PREBREAK;
    case LANE_NEXT_ROUND:
        return type == STACK_PRECONT;
    case LANE_RETURNED:
        return type == STACK_CALL || type == STACK_CALL_LIM;
    default:
        return type != STACK_QUADON;
    }
}

struct steps_lane steps_lane(const struct warp_steps *s, unsigned lane) {
    struct steps_lane l = {LANE_UNUSED, STEPS_NOWHERE, STEPS_NOWHERE,
                           s->mask[STEPS_INVISIBLE] >> lane & 1};
    if (!(s->launched >> lane & 1))
        return l;
    if (s->mask[STEPS_EXITED] >> lane & 1) {
        l.state = LANE_ENDED;
        return l;
    }
    if (s->mask[STEPS_ACTIVE] >> lane & 1) {
        l.state = s->at == s->count && s->end == WARP_WAITING ? LANE_BARRIER : LANE_RUNS;
        l.pc = steps_pc(s);
        return l;
    }
    l.state = waiting_state(s, lane);
    uint32_t entry = 0;
    for (uint32_t n = top_node(s); n != NO_NODE; n = s->node[n].below, entry++) {
        const struct stack_entry *e = &s->node[n].entry;
        if (!(e->mask >> lane & 1) || !frees((enum stack_type)e->type, l.state))
            continue;
        l.pc = e->pc;
        l.entry = entry;
        if (l.state == LANE_MEETS && e->type == STACK_BRANCH)
            l.state = LANE_OTHER_WAY;
        break;
    }
    return l;
}

void steps_lanes(const struct warp_steps *s, struct steps_lane lane[LANES]) {
    for (unsigned i = 0; i < LANES; i++)
        lane[i] = steps_lane(s, i);
}

uint32_t steps_stack(const struct warp_steps *s, struct steps_entry *entry, uint32_t most) {
    struct steps_lane lane[LANES];
    uint32_t depth = 0;
    steps_lanes(s, lane);
    for (uint32_t n = top_node(s); n != NO_NODE; n = s->node[n].below, depth++) {
        const struct stack_entry *e = &s->node[n].entry;
        if (depth >= most)
            continue;
        entry[depth] = (struct steps_entry){(enum stack_type)e->type, e->pc, e->mask, 0};
        for (unsigned i = 0; i < LANES; i++)
            entry[depth].waiting |= (lane_mask)(lane[i].entry == depth) << i;
    }
    return depth;
}

/* ---- names ---- */

const char *steps_state_name(enum steps_state state) {
    static const char *const names[LANE_STATES] = {
        [LANE_UNUSED] = "is not used",
        [LANE_RUNS] = "runs",
        [LANE_OTHER_WAY] = "waits to take the other way of a branch",
        [LANE_MEETS] = "waits where the ways of a branch meet",
        [LANE_LEFT_LOOP] = "has left a loop and waits for its other lanes",
        [LANE_NEXT_ROUND] = "waits for the next round of a loop",
        [LANE_RETURNED] = "has returned and waits for the other lanes of the call",
        [LANE_BARRIER] = "waits at a barrier",
        [LANE_ENDED] = "has ended",
    };
    return (unsigned)state < LANE_STATES ? names[state] : "?";
}

const char *steps_mask_name(enum steps_mask mask) {
    static const char *const names[STEPS_MASKS] = {
        "active", "invisible", "broke", "continued", "returned", "exited", "$c0.z", "$c0.s",
        "$c0.c",  "$c0.o",     "$c1.z", "$c1.s",     "$c1.c",    "$c1.o",  "$c2.z", "$c2.s",
        "$c2.c",  "$c2.o",     "$c3.z", "$c3.s",     "$c3.c",    "$c3.o",  "$p0",   "$p1",
        "$p2",    "$p3",       "$p4",   "$p5",       "$p6",      "$p7",    "$p8",   "$p9",
        "$p10",   "$p11",      "$p12",  "$p13",      "$p14",     "$p15"};
    return (unsigned)mask < STEPS_MASKS ? names[mask] : "?";
}

const char *steps_entry_name(enum stack_type type) {
    static const char *const names[] = {
        [STACK_BRANCH] = "other way of a branch",
        [STACK_CALL] = "return from a call",
        [STACK_CALL_LIM] = "return from a limited call",
        [STACK_PREBREAK] = "behind the loop",
        [STACK_QUADON] = "before quadon",
        [STACK_JOINAT] = "ways meet",
        [STACK_PRECONT] = "next round of the loop",
        [STACK_LONGJMP] = "long jump",
    };
    return (unsigned)type < sizeof names / sizeof *names && names[type] ? names[type] : "?";
}
