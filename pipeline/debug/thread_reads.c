/* Collects the reads of one thread (thread_reads.h). In: a warp before an instruction, and the
 * pages that programs have written. Out: a list of addresses, each with the bytes that were read. A
 * sample's texels are found by halving ranges of addresses; ranges that no program has written are
 * skipped.
 */
#include "pipeline/debug/thread_reads.h"

#include "base/arena.h"
#include "pipeline/debug/texel_shadow.h"
#include "shader/check/access.h"
#include "shader/check/sample_trial.h"
#include "shader/stack.h"
#include "shader/stepper.h"

/* ---- pages ---- */

enum { PAGE = 4096 };

void written_pages_add(struct written_pages *p, uint64_t address, uint64_t size) {
    const uint64_t first = address & ~(uint64_t)(PAGE - 1);
    const uint64_t end = (address + size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    for (uint64_t at = first; at < end; at += PAGE) {
        const struct range r = ranges_after(&p->set, at);
        if (r.size && r.address <= at)
            continue;
        if (!ranges_reserve(&p->set, 1)) {
            p->incomplete = true;
            return;
        }
        ranges_merge(&p->set, (struct range){at, PAGE});
    }
}

static bool written_pages_any(const struct written_pages *p, uint64_t address, uint64_t size) {
    const struct range r = ranges_after(&p->set, address);
    return r.size && r.address < address + size;
}

void written_pages_free(struct written_pages *p) {
    ranges_free(&p->set);
}

/* ---- the list ---- */

/* One instruction in one lane, whose reads are collected. */
struct reading {
    struct thread_reads *r;
    const struct warp *w;
    const struct warp_env *env;
    const struct op *op;
    unsigned lane;
};

static bool is_known(const struct thread_reads *r, uint64_t address, uint32_t size) {
    for (size_t i = 0; i < r->count; i++)
        if (r->read[i].address == address && r->read[i].size == size)
            return true;
    return false;
}

static void add_read(const struct reading *t, uint64_t address, uint32_t size, bool texel) {
    struct thread_reads *r = t->r;
    const struct program *p = t->env->program;
    size = size < READ_BYTES ? size : READ_BYTES;
    if (!address || !written_pages_any(r->pages, address, size) || is_known(r, address, size))
        return;
    if (r->count == THREAD_READS || !ARRAY_ROOM(r->read, r->capacity, r->count + 1)) {
        r->cut = true;
        return;
    }
    struct thread_read *n = &r->read[r->count++];
    *n = (struct thread_read){.address = address, .size = size, .at = t->w->pc, .texel = texel};
    program_print(p, t->op, n->text, sizeof n->text);
    struct gpu_memory *const memory = t->env->memory ? t->env->memory : r->memory;
    const void *const bytes = memory_at(memory, address, size);
    if (bytes)
        memcpy(n->bytes, bytes, size);
}

/* ---- samples ---- */

static bool outside_range(void *self, uint64_t address, uint64_t size) {
    const struct thread_reads *r = self;
    return address >= r->end || address + size <= r->first;
}

static uint64_t ranges_asked(void *self) {
    return ((const struct thread_reads *)self)->asked;
}

static const struct tex_binding *shadow_of(void *self, const struct tex_binding *binding,
                                           uint32_t slot) {
    struct thread_reads *r = self;
    return texel_shadow(r->shadows, r->memory, binding, slot);
}

/* True if the sample reads a texel in [first, end). */
static bool samples_range(const struct reading *t, uint64_t first, uint64_t end) {
    struct thread_reads *r = t->r;
    const struct other_textures shadows = {r, shadow_of};
    lane_mask found = 0;
    if (!written_pages_any(r->pages, first, end - first))
        return false;
    r->first = first;
    r->end = end;
    r->asked++;
    r->cut |= !sample_trial(t->w, t->env, t->op, 1u << t->lane, &shadows, &r->copy, &found);
    return found >> t->lane & 1;
}

/* Adds the texels in [first, end) that the sample reads, at most *most, by halving the range.
 * bytes: the size of a texel. */
static void find_texels(const struct reading *t, uint64_t first, uint64_t end, uint32_t bytes,
                        uint32_t *most) {
    if (!*most || !samples_range(t, first, end))
        return;
    if (end - first <= bytes) {
        add_read(t, first, bytes, true);
        --*most;
        return;
    }
    const uint64_t middle = first + ((end - first) / bytes + 1) / 2 * bytes;
    find_texels(t, first, middle, bytes, most);
    find_texels(t, middle, end, bytes, most);
}

static bool reads_texels(const struct op *op) {
    return op_samples_texels(op) || op->code == OP_TEXFETCH ||
           (op->code == OP_TEX && op->sub == FTEX_FETCH);
}

static bool make_shadows(struct thread_reads *r) {
    const struct written_memory written = {r, outside_range, outside_range, ranges_asked};
    if (!r->shadows)
        r->shadows = texel_shadows_create(&written);
    return r->shadows;
}

static void note_texels(const struct reading *t) {
    const struct op *op = t->op;
    const bool handle = op->code == OP_TEX && op->ftex.indirect;
    const uint32_t first = handle ? 0 : op->tex.slot;
    const uint32_t end = handle ? t->env->program->tex_slot_count : first + 1;
    if (!t->env->tex || !make_shadows(t->r)) {
        t->r->cut |= t->env->tex != NULL;
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        const struct tex_bound *b = (const struct tex_bound *)t->env->tex[i];
        const struct tex_view *v = b ? b->view : NULL;
        uint32_t most = SAMPLE_TEXELS;
        if (!v || !v->valid || !v->size || !v->bytes)
            continue;
        const uint64_t at = memory_address(t->r->memory, v->data);
        find_texels(t, at, at + v->size, v->bytes, &most);
    }
    t->r->cut |= texel_shadows_incomplete(t->r->shadows);
}

/* ---- instructions ---- */

static void note_accesses(const struct reading *t) {
    struct access list[ACCESSES];
    struct image_access image;
    const uint32_t count = access_list(t->w, t->env, t->op, 1u << t->lane, list);
    for (uint32_t i = 0; i < count; i++)
        if (list[i].kind != ACCESS_WRITE)
            add_read(t, access_address(t->env, t->r->memory, &list[i], t->lane), list[i].size,
                     false);
    if (access_image(t->w, t->env, t->op, 1u << t->lane, &image) && image.kind != ACCESS_WRITE &&
        image.lanes)
        add_read(t, image.at[t->lane], image.size, true);
}

void thread_reads_note(struct thread_reads *r, const struct written_pages *pages,
                       const struct warp *w, const struct warp_env *env, unsigned lane) {
    const struct linked_op *l = flow_fetch(env, w->pc);
    if (!l || l->op->code == OP_ILLEGAL)
        return;
    const struct reading t = {r, w, env, l->op, lane};
    r->pages = pages;
    note_accesses(&t);
    if (reads_texels(l->op))
        note_texels(&t);
}

bool thread_reads_run(struct thread_reads *r, const struct written_pages *pages,
                      const struct warp *start, const struct warp_env *env, unsigned lane) {
    struct stepper *s = stepper_create(start, env);
    while (s && stepper_status(s) == WARP_RUNNING && !r->cut) {
        const size_t known = r->count;
        thread_reads_note(r, pages, stepper_warp(s), stepper_env(s), lane);
        stepper_step(s);
        if (!(stepper_executed(s) >> lane & 1))
            r->count = known;
    }
    stepper_destroy(s);
    return s != NULL;
}

void thread_reads_free(struct thread_reads *r) {
    free(r->read);
    free(r->copy);
    texel_shadows_free(r->shadows);
    *r = (struct thread_reads){0};
}
