/* The place of a memory access of Fermi and generic64: its size, its host address in one lane, and
 * the array that a lane's address lies in. In: an operand and addresses (fermi_span.h). For
 * exec_fermi_memory.c and exec_fermi_atomics.c; must not know the purpose of the access. Facts:
 * fermi-isa.md §2, §4.4.
 */
#pragma once

#include "shader/fermi_span.h"
#include "shader/local.h"

/* The alignment of an access in bytes. An access of 96 bits is three words, so 4. */
static inline unsigned size_of(const struct operand *o) {
    return o->mem == TYPE_B96 ? 4 : type_bytes(o->mem);
}

static inline unsigned words_of(const struct operand *o) {
    const unsigned size = size_of(o);
    return o->mem == TYPE_B96 ? 3 : size > 4 ? size / 4 : 1;
}

static inline unsigned bytes_of(const struct operand *o) {
    const unsigned size = size_of(o), words = words_of(o);
    return words > 1 ? 4 * words : size;
}

/* Without GPU memory, space n of warp_env.g begins at (n + 1) << 40. Its first 128 MiB are also at
 * (n + 1) << 27, for 32-bit addresses. */
enum { SPACES = 16, LOW_SHIFT = 27, HIGH_SHIFT = 40 };

static inline uint8_t *global_at(const struct warp_env *env, uint64_t at, unsigned size) {
    const unsigned shift = at >> 32 ? HIGH_SHIFT : LOW_SHIFT;
    const uint64_t n = at >> shift, offset = at & ((1ull << shift) - 1);
    if (!env->g || n == 0 || n > SPACES)
        return NULL;
    const struct global_view *g = &env->g[n - 1];
    return offset + size <= g->limit ? g->data + offset : NULL;
}

static inline uint8_t *shared_at(const struct warp *w, uint32_t at, unsigned size) {
    const struct cta_shared *b = w->cta;
    return b && (uint64_t)at + size <= b->s_size ? b->s + at : NULL;
}

/* l[] is stored as rows of words, one lane next to the other: an access is made word by word. */
static inline uint8_t *local_at(struct warp *w, int lane, uint32_t at, unsigned size) {
    if (!w->local || size > 4 || (uint64_t)at + size > w->local_size)
        return NULL;
    local_written(w, at); /* a load counts as a store, too */
    return (uint8_t *)((uint32_t *)&w->local[at / 4] + lane) + at % 4;
}

/* The window that an address of g[] lies in: FERMI_S_WINDOW or FERMI_L_WINDOW; 0: none. In GPU
 * memory only 32-bit addresses have windows. */
static inline unsigned window_of(const struct call *c, const struct operand *o, uint64_t at) {
    const uint64_t n = at >> FERMI_WINDOW_SHIFT;
    const bool is = n == FERMI_S_WINDOW || n == FERMI_L_WINDOW;
    return is && !(c->env->memory && o->flags & OPERAND_WIDE) ? (unsigned)n : 0;
}

/* The host address of an access of `size` bytes. An access to l[] has at most one word. NULL if out
 * of range. */
static inline uint8_t *place(const struct call *c, const struct operand *o, int lane, uint64_t at,
                             unsigned size) {
    const uint32_t offset = (uint32_t)at & ((1u << FERMI_WINDOW_SHIFT) - 1);
    switch (o->file) {
    case FILE_SHARED:
        return shared_at(c->w, (uint32_t)at, size);
    case FILE_LOCAL:
        return local_at(c->w, lane, (uint32_t)at, size);
    case FILE_GLOBAL:
        switch (window_of(c, o, at)) {
        case FERMI_S_WINDOW:
            return shared_at(c->w, offset, size);
        case FERMI_L_WINDOW:
            return local_at(c->w, lane, offset, size);
        default:
            return c->env->memory ? memory_near(c->env->memory, hint_of(c), at, size)
                                  : global_at(c->env, at, size);
        }
    default:
        return NULL;
    }
}

/* ---- arrays that lanes share ---- */

static inline bool global_span(const struct call *c, const struct operand *o, uint64_t at,
                               struct span *s) {
    const unsigned shift = at >> 32 ? HIGH_SHIFT : LOW_SHIFT;
    const uint64_t n = at >> shift, windows = (uint64_t)FERMI_S_WINDOW << FERMI_WINDOW_SHIFT;
    if (window_of(c, o, at))
        return false;
    if (!c->env->memory) {
        if (!c->env->g || n == 0 || n > SPACES)
            return false;
        const struct global_view *g = &c->env->g[n - 1];
        const uint64_t most = 1ull << shift;
        *s = (struct span){n << shift, g->limit < most ? g->limit : most, g->data};
        return true;
    }
    if (!span_of_memory(c, at, s))
        return false;
    if (!(o->flags & OPERAND_WIDE) && s->start + s->size > windows)
        s->size = windows > s->start ? windows - s->start : 0;
    return true;
}

/* Finds the array that the first lane of m accesses. False: no array contains the address, or the
 * access is to l[], which is no array, or goes through a window. */
static inline bool find_span(const struct call *c, const struct operand *o,
                             const struct lane_addresses *a, lane_mask m, struct span *s) {
    const uint64_t at = span_address(a, __builtin_ctz(m));
    const struct cta_shared *b = c->w->cta;
    switch (o->file) {
    case FILE_SHARED:
        *s = (struct span){0, b ? b->s_size : 0, b ? b->s : NULL};
        return b;
    case FILE_CONST: {
        const uint64_t bank = o->index + (at >> 16);
        if (bank >= 16)
            return false;
        const struct const_view *v = &c->env->c[bank];
        *s = (struct span){at & ~0xffffull, v->size, (uint8_t *)v->data};
        return true;
    }
    case FILE_GLOBAL:
        return global_span(c, o, at, s);
    default:
        return false;
    }
}
