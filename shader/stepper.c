/* Stepping sessions: a private copy of the warp and of all memory it can write, and a second copy
 * from before the first instruction. A step back restores the second copy and executes again, with
 * the same edits at the same places. The interpreter is deterministic, so each replay is the same.
 */
#include "shader/stepper.h"

#include "base/arena.h"
#include "base/memory_copy.h"
#include "shader/cta.h"
#include "shader/sph.h"

#include <stdlib.h>

enum {
    GLOBALS = 16,
    OTHERS_TURN = 1 << 12 /* instructions of a turn of the other warps, and between two turns */
};

struct timed_edit {
    uint64_t at; /* instructions executed before the edit */
    struct stepper_edit edit;
};

/* Memory that the program may write: its contents now, and at the start of the session. */
struct memory_copy {
    uint8_t *now, *start;
    size_t size;
};

struct other_warp {
    struct warp warp, start;
    struct memory_copy local;
    enum warp_status status;
};

struct stepper {
    struct warp warp;  /* the warp of the session */
    struct warp start; /* before the first instruction */
    struct warp_env env;
    struct memory_copy out, patch, local, shared, locks, global[GLOBALS];
    struct gpu_memory *memory, *original; /* Fermi: the copy that the program writes; or NULL */
    struct global_view view[GLOBALS];
    uint32_t global_locks[WARP_LOCKS]; /* of g[]; free at the start */
    struct cta_shared cta, cta_start;
    struct other_warp *other;
    uint32_t others;
    uint64_t turn; /* the count at which the other warps last had a turn */
    struct emit_port emit;
    uint32_t emitted[LANES];
    struct warp_observer observer;
    lane_mask executed; /* the lanes of the last instruction */
    uint64_t count;
    enum warp_status status;
    struct timed_edit *edit; /* sorted by `at` */
    size_t edit_count, edit_capacity;
};

static void *aligned(size_t size) {
    return aligned_alloc(128, (size + 255) / 128 * 128);
}

static bool copy_memory(struct memory_copy *m, const void *from, size_t size) {
    m->size = size;
    m->now = aligned(size);
    m->start = aligned(size);
    if (!m->now || !m->start)
        return false;
    if (size) {
        memcpy(m->now, from, size);
        memcpy(m->start, from, size);
    }
    return true;
}

static void free_memory(struct memory_copy *m) {
    free(m->now);
    free(m->start);
}

static void rewind_memory(struct memory_copy *m) {
    if (m->size)
        memcpy(m->now, m->start, m->size);
}

static void count_emit(void *self, const u32x32 *, lane_mask m, uint32_t) {
    struct stepper *s = self;
    for (; m; m &= m - 1)
        s->emitted[__builtin_ctz(m)]++;
}

static void ignore_restart(void *, lane_mask, uint32_t) {
}

static void note_executed(void *self, const struct warp *w, const struct warp_env *,
                          const struct op *, lane_mask m) {
    struct stepper *s = self;
    if (w == &s->warp)
        s->executed = m;
}

/* Copies the start state. The stack is empty at the start, so own_stack has room enough. */
static void begin_warp(struct warp *w, const struct warp *start) {
    warp_free(w);
    *w = *start;
    w->stack = w->own_stack;
    w->stack_capacity = WARP_STACK;
}

static void begin(struct stepper *s) {
    begin_warp(&s->warp, &s->start);
    for (uint32_t i = 0; i < s->others; i++) {
        begin_warp(&s->other[i].warp, &s->other[i].start);
        rewind_memory(&s->other[i].local);
        s->other[i].status = WARP_RUNNING;
    }
    s->turn = 0;
    rewind_memory(&s->out);
    rewind_memory(&s->patch);
    if (s->memory && s->count)
        memory_copy_again(s->memory, s->original);
    rewind_memory(&s->local);
    rewind_memory(&s->shared);
    rewind_memory(&s->locks);
    for (int i = 0; i < GLOBALS; i++)
        rewind_memory(&s->global[i]);
    memset(s->global_locks, 0, sizeof s->global_locks);
    s->cta = s->cta_start;
    memset(s->emitted, 0, sizeof s->emitted);
    s->count = 0;
    s->executed = 0;
    s->status = WARP_RUNNING;
}

static bool copy_cta(struct stepper *s, const struct cta_shared *b) {
    if (!b)
        return true;
    const size_t locks = b->lock_owner ? b->s_size / 4 * sizeof *b->lock_owner : 0;
    if (!copy_memory(&s->shared, b->s, b->s_size) || !copy_memory(&s->locks, b->lock_owner, locks))
        return false;
    s->cta_start = *b;
    s->cta_start.s = s->shared.now;
    s->cta_start.lock_owner = b->lock_owner ? (int16_t *)s->locks.now : NULL;
    s->start.cta = &s->cta;
    return true;
}

static bool copy_global(struct stepper *s, const struct global_view *g) {
    uint64_t total = 0;
    if (!g)
        return true;
    for (int i = 0; i < GLOBALS; i++) {
        const uint64_t size = g[i].data ? g[i].limit : 0;
        if (size > STEPPER_GLOBAL || (total += size) > STEPPER_GLOBAL ||
            !copy_memory(&s->global[i], g[i].data, size))
            return false;
        s->view[i] = g[i];
        s->view[i].data = size ? s->global[i].now : NULL;
    }
    s->env.g = s->view;
    return true;
}

/* A Fermi's program that may write memory gets a copy of the whole memory. The header of a 3D
 * program says whether the program writes; a compute program has no header. */
static bool copy_whole(struct stepper *s, const struct warp_env *env) {
    if (!env->memory || (env->program->rows && !env->program->header.writes_memory))
        return true;
    s->original = env->memory;
    s->memory = s->env.memory = memory_copy(env->memory, STEPPER_GLOBAL);
    warp_use_memory(&s->start, s->memory); /* not the original memory */
    return s->memory;
}

struct stepper *stepper_create(const struct warp *start, const struct warp_env *env) {
    struct stepper *s = aligned(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->start = *start;
    s->env = *env;
    s->observer = (struct warp_observer){.self = s, .before = note_executed};
    s->env.observer = &s->observer;
    if (env->locks)
        s->env.locks = s->global_locks;
    const size_t out = start->out ? start->out_count * sizeof *start->out : 0;
    const size_t local = start->local ? (start->local_size + 3) / 4 * sizeof *start->local : 0;
    const size_t patch = start->patch ? start->patch_count * sizeof *start->patch : 0;
    if (!copy_memory(&s->out, start->out, out) || !copy_memory(&s->patch, start->patch, patch) ||
        !copy_memory(&s->local, start->local, local) || !copy_cta(s, start->cta) ||
        !copy_global(s, env->g) || !copy_whole(s, env)) {
        stepper_destroy(s);
        return NULL;
    }
    s->start.out = out ? (u32x32 *)s->out.now : NULL;
    s->start.patch = patch ? (u32x32 *)s->patch.now : NULL;
    s->start.local = local ? (u32x32 *)s->local.now : NULL;
    s->emit = (struct emit_port){s, count_emit, ignore_restart};
    s->start.emit = &s->emit;
    s->warp.stack = s->warp.own_stack;
    begin(s);
    return s;
}

/* Copies the warps of the CTA except the selected one. */
static bool copy_others(struct stepper *s, const struct warp *warps, uint32_t count,
                        uint32_t selected) {
    s->other = count > 1 ? aligned((count - 1) * sizeof *s->other) : NULL;
    if (count > 1 && !s->other)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (i == selected)
            continue;
        struct other_warp *o = &s->other[s->others++];
        memset(o, 0, sizeof *o);
        o->start = warps[i];
        o->start.cta = &s->cta;
        o->warp.stack = o->warp.own_stack;
        const size_t rows = warps[i].local ? (warps[i].local_size + 3) / 4 : 0;
        if (!copy_memory(&o->local, warps[i].local, rows * sizeof *warps[i].local))
            return false;
        o->start.local = rows ? (u32x32 *)o->local.now : NULL;
    }
    return true;
}

struct stepper *stepper_create_block(const struct warp *warps, uint32_t count, uint32_t selected,
                                     const struct warp_env *env) {
    struct stepper *s = stepper_create(&warps[selected], env);
    if (s && !copy_others(s, warps, count, selected)) {
        stepper_destroy(s);
        return NULL;
    }
    if (s)
        begin(s);
    return s;
}

void stepper_destroy(struct stepper *s) {
    if (!s)
        return;
    for (uint32_t i = 0; i < s->others; i++) {
        warp_free(&s->other[i].warp);
        free_memory(&s->other[i].local);
    }
    free(s->other);
    if (s->warp.stack)
        warp_free(&s->warp);
    free_memory(&s->out);
    free_memory(&s->patch);
    memory_destroy(s->memory);
    free_memory(&s->local);
    free_memory(&s->shared);
    free_memory(&s->locks);
    for (int i = 0; i < GLOBALS; i++)
        free_memory(&s->global[i]);
    free(s->edit);
    free(s);
}

const struct warp *stepper_warp(const struct stepper *s) {
    return &s->warp;
}

const struct warp_env *stepper_env(const struct stepper *s) {
    return &s->env;
}

uint64_t stepper_count(const struct stepper *s) {
    return s->count;
}

enum warp_status stepper_status(const struct stepper *s) {
    return s->status;
}

lane_mask stepper_executed(const struct stepper *s) {
    return s->executed;
}

uint32_t stepper_emitted(const struct stepper *s, unsigned lane) {
    return s->emitted[lane % LANES];
}

/* Runs each of the other warps until it waits or ends, or for a limited number of instructions.
 * True if one of them executed any. */
static bool run_others(struct stepper *s) {
    bool progress = false;
    s->turn = s->count;
    for (uint32_t i = 0; i < s->others; i++) {
        struct other_warp *o = &s->other[i];
        const uint64_t before = o->warp.executed;
        for (uint32_t n = 0; n < OTHERS_TURN && o->status != WARP_DONE && o->status != WARP_ERROR;
             n++) {
            o->status = warp_step(&o->warp, &s->env);
            if (o->status == WARP_WAITING)
                break;
            if (o->status == WARP_DONE)
                cta_warp_ended(&s->cta);
        }
        progress |= o->warp.executed != before;
    }
    return progress;
}

/* True if the barrier at which the selected warp waits lets it continue. */
static bool is_open(const struct stepper *s) {
    return s->cta.phase[s->warp.wait_barrier] != s->warp.wait_phase;
}

/* Executes the selected warp's next instruction. If the warp then waits at a barrier, the other
 * warps run until the barrier opens or none of them can run. */
static enum warp_status step_cta(struct stepper *s) {
    if (s->count - s->turn >= OTHERS_TURN)
        run_others(s);
    const enum warp_status status = warp_step(&s->warp, &s->env);
    if (status != WARP_WAITING)
        return status;
    while (!is_open(s) && run_others(s)) {
    }
    return is_open(s) ? WARP_RUNNING : WARP_WAITING;
}

enum warp_status stepper_step(struct stepper *s) {
    if (s->status == WARP_DONE || s->status == WARP_ERROR)
        return s->status;
    s->executed = 0;
    s->status = s->others ? step_cta(s) : warp_step(&s->warp, &s->env);
    if (s->status != WARP_WAITING)
        s->count++;
    return s->status;
}

static void apply(struct stepper *s, const struct stepper_edit *e) {
    struct warp *w = &s->warp;
    for (lane_mask rest = e->lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        switch (e->space) {
        case STEPPER_R:
            w->r[e->row][lane] = e->value;
            break;
        case STEPPER_A:
            w->a[e->row][lane] = e->value & 0xffff;
            break;
        case STEPPER_C:
            flags_set_lane(&w->c[e->row & 3], lane, e->value);
            break;
        case STEPPER_OUT:
            w->out[e->row][lane] = e->value;
            break;
        case STEPPER_LOCAL:
            w->local[e->row][lane] = e->value;
            break;
        }
    }
}

void stepper_goto(struct stepper *s, uint64_t count) {
    if (count < s->count) {
        begin(s);
        while (s->edit_count && s->edit[s->edit_count - 1].at > count)
            s->edit_count--;
        for (size_t i = 0; i < s->edit_count; i++) {
            while (s->count < s->edit[i].at && stepper_step(s) == WARP_RUNNING) {
            }
            apply(s, &s->edit[i].edit);
        }
    }
    while (s->count < count && stepper_step(s) == WARP_RUNNING) {
    }
}

static bool row_exists(const struct stepper *s, const struct stepper_edit *e) {
    const uint32_t rows[] = {
        [STEPPER_R] = s->env.program->header.reg_count,
        [STEPPER_A] = 5,
        [STEPPER_C] = 4,
        [STEPPER_OUT] = s->warp.out ? s->warp.out_count : 0,
        [STEPPER_LOCAL] = s->warp.local ? (s->warp.local_size + 3) / 4 : 0,
    };
    return e->row < rows[e->space] && (e->space != STEPPER_A || e->row > 0);
}

bool stepper_set(struct stepper *s, const struct stepper_edit *edit) {
    if (!row_exists(s, edit))
        return false;
    if (!ARRAY_ROOM(s->edit, s->edit_capacity, s->edit_count + 1))
        return false;
    s->edit[s->edit_count++] = (struct timed_edit){s->count, *edit};
    apply(s, edit);
    return true;
}

bool stepper_global(const struct stepper *s, unsigned space, uint64_t address, uint32_t *word) {
    const struct memory_copy *m = &s->global[space % GLOBALS];
    if (address > m->size || m->size - address < 4)
        return false;
    memcpy(word, m->now + address, 4);
    return true;
}

bool stepper_result(const struct stepper *s, uint32_t word, unsigned lane, uint32_t *value) {
    const struct attribute_rows *rows = s->env.program->rows;
    const uint8_t row = rows && word < A_WORDS ? rows->out[word] : ROW_NONE;
    if (row == ROW_NONE || row >= s->warp.out_count)
        return false;
    *value = s->warp.out[row][lane];
    return true;
}
