/* Stepping sessions: a private copy of the warp and all it writes to, and a copy of that copy from
 * before the first instruction. Going back restores the latter and runs again, with the same edits
 * at the same places; the interpreter is deterministic, so that the past is the same each time.
 */
#include "shader/stepper.h"

#include "base/arena.h"

#include <stdlib.h>

enum { GLOBALS = 16 };

struct timed_edit {
    uint64_t at; /* instructions executed before it */
    struct stepper_edit edit;
};

/* A stretch of memory that the program may write: now and at the start. */
struct memory_copy {
    uint8_t *now, *start;
    size_t size;
};

struct stepper {
    struct warp warp;  /* the session's */
    struct warp start; /* before the first instruction */
    struct warp_env env;
    struct memory_copy out, local, shared, locks, global[GLOBALS];
    struct global_view view[GLOBALS];
    struct block_shared block, block_start;
    struct emit_port emit;
    uint32_t emitted[LANES];
    uint64_t count;
    enum warp_status status;
    struct timed_edit *edit; /* in the order of their places */
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

static void count_emit(void *self, const u32x32 *out, lane_mask m) {
    struct stepper *s = self;
    (void)out;
    for (; m; m &= m - 1)
        s->emitted[__builtin_ctz(m)]++;
}

static void ignore_restart(void *self, lane_mask m) {
    (void)self, (void)m;
}

/* The start's stack is empty, so that it never lives on the heap. */
static void begin(struct stepper *s) {
    warp_free(&s->warp);
    s->warp = s->start;
    s->warp.stack = s->warp.own_stack;
    s->warp.stack_capacity = WARP_STACK;
    rewind_memory(&s->out);
    rewind_memory(&s->local);
    rewind_memory(&s->shared);
    rewind_memory(&s->locks);
    for (int i = 0; i < GLOBALS; i++)
        rewind_memory(&s->global[i]);
    s->block = s->block_start;
    memset(s->emitted, 0, sizeof s->emitted);
    s->count = 0;
    s->status = WARP_RUNNING;
}

static bool copy_block(struct stepper *s, const struct block_shared *b) {
    if (!b)
        return true;
    const size_t locks = b->lock_owner ? b->s_size / 4 * sizeof *b->lock_owner : 0;
    if (!copy_memory(&s->shared, b->s, b->s_size) || !copy_memory(&s->locks, b->lock_owner, locks))
        return false;
    s->block_start = *b;
    s->block_start.s = s->shared.now;
    s->block_start.lock_owner = b->lock_owner ? (int16_t *)s->locks.now : NULL;
    s->start.block = &s->block;
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

struct stepper *stepper_create(const struct warp *start, const struct warp_env *env) {
    struct stepper *s = aligned(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->start = *start;
    s->env = *env;
    s->env.observer = NULL;
    const size_t out = start->out ? start->out_count * sizeof *start->out : 0;
    const size_t local = start->local ? (start->local_size + 3) / 4 * sizeof *start->local : 0;
    if (!copy_memory(&s->out, start->out, out) || !copy_memory(&s->local, start->local, local) ||
        !copy_block(s, start->block) || !copy_global(s, env->g)) {
        stepper_destroy(s);
        return NULL;
    }
    s->start.out = out ? (u32x32 *)s->out.now : NULL;
    s->start.local = local ? (u32x32 *)s->local.now : NULL;
    s->emit = (struct emit_port){s, count_emit, ignore_restart};
    s->start.emit = &s->emit;
    s->warp.stack = s->warp.own_stack;
    begin(s);
    return s;
}

void stepper_destroy(struct stepper *s) {
    if (!s)
        return;
    if (s->warp.stack)
        warp_free(&s->warp);
    free_memory(&s->out);
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

uint32_t stepper_emitted(const struct stepper *s, unsigned lane) {
    return s->emitted[lane % LANES];
}

enum warp_status stepper_step(struct stepper *s) {
    if (s->status == WARP_DONE || s->status == WARP_ERROR)
        return s->status;
    s->status = warp_step(&s->warp, &s->env);
    if (s->status != WARP_WAITING)
        s->count++;
    return s->status;
}

static void apply(struct stepper *s, const struct stepper_edit *e) {
    struct warp *w = &s->warp;
    for (lane_mask rest = e->lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest), bit = 1u << lane;
        struct flags *c = &w->c[e->row & 3];
        switch (e->space) {
        case STEPPER_R:
            w->r[e->row][lane] = e->value;
            break;
        case STEPPER_A:
            w->a[e->row][lane] = e->value & 0xffff;
            break;
        case STEPPER_C:
            c->z = e->value & 1 ? c->z | bit : c->z & ~bit;
            c->s = e->value & 2 ? c->s | bit : c->s & ~bit;
            c->c = e->value & 4 ? c->c | bit : c->c & ~bit;
            c->o = e->value & 8 ? c->o | bit : c->o & ~bit;
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
    if (!array_grow((void **)&s->edit, &s->edit_capacity, s->edit_count + 1, sizeof *s->edit))
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
