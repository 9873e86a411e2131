/* Recordings as the work of a job (tools/recording_work.h). A replay continues from frame to frame;
 * for an earlier frame it begins again. If frames are skipped, the replay leaves out the draws on
 * which no picture depends (fifo/needs.h). The picture of a frame is the target in the buffer that
 * was presented, else the first colour target that is bound at the end of the frame. */
#include "tools/recording_work.h"

#include <stdlib.h>

static void end_replay(struct recording_work *r) {
    replay_close(r->replay);
    if (r->device)
        tp_device_destroy(r->device);
    r->replay = NULL;
    r->device = NULL;
    r->next = 0;
    r->left.number = 0;
}

/* ---- the picture of a frame ---- */

static bool lies_in(const struct target_state *t, const struct replay_frame *f) {
    return t->format != FORMAT_NONE && t->address >= f->address &&
           t->address - f->address < f->size;
}

/* Finds the picture among the targets of all channels, the last used channel first. */
static bool find_picture(const struct replay_result *result, const struct replay_frame *f,
                         struct target_state *target) {
    if (!result->channel)
        return false;
    for (uint32_t i = 0; i <= result->channel_count; i++) {
        struct channel *c = i ? result->all[i - 1] : result->channel;
        const struct state *s = &channel_context(c)->state;
        for (int k = 0; k < RASTER_TARGETS; k++)
            if (lies_in(&s->color[k], f)) {
                *target = s->color[k];
                return true;
            }
    }
    const struct state *s = &channel_context(result->channel)->state;
    *target = s->color[s->color_map[0] & (RASTER_TARGETS - 1)];
    return s->color_count && target->format != FORMAT_NONE;
}

static bool find_surface(void *self, const struct replay_result *result,
                         const struct replay_frame *f, struct surface *surface, uint64_t *address) {
    const struct recording_work *r = self;
    struct target_state target;
    if (!find_picture(result, f, &target) || !target_surface(r->left.device, &target, surface))
        return false;
    *address = target.address;
    return true;
}

/* ---- work that is left out ---- */

enum { RESTARTS = 3 };

/* Returns how much of the next draw or clear is drawn. Work beyond the end of the list is drawn in
 * full. */
static enum work_extent begin_work(void *self, enum work_kind kind) {
    struct left_out *l = self;
    if (kind != WORK_DRAW && kind != WORK_CLEAR)
        return WORK_WHOLE;
    const enum work_extent extent = l->needed.extent && l->number < l->needed.count
                                        ? (enum work_extent)l->needed.extent[l->number]
                                        : WORK_WHOLE;
    if (ARRAY_ROOM(l->done, l->capacity, l->number + 1)) {
        l->done[l->number++] = (uint8_t)extent;
        return extent;
    }
    l->needed = (struct needed){0}; /* out of memory: draws everything from here on */
    l->restarts = RESTARTS;
    return WORK_WHOLE;
}

static void observe_channel(void *self, struct channel *c) {
    channel_context(c)->work = &((struct left_out *)self)->work;
}

static void say_nothing(void *, int, const char *) {
}

static bool open_needs(struct recording_work *r, char *why, size_t size) {
    const struct recording_options *o = r->options;
    struct left_out *l = &r->left;
    struct tp_device_info info = o->info;
    info.threads = 1;
    info.log = say_nothing;
    if (!(l->device = recording_device_for(o->path, info, NULL, why, size)))
        return false;
    const struct needs_port port = {r, find_surface};
    return (l->needs = needs_open(o->path, l->device, o->every_flush, &port, why, size));
}

/* Returns true if a picture needs work that the replay left out. */
static bool lacks(const struct left_out *l) {
    for (uint64_t i = 0; i < l->number; i++)
        if (l->done[i] <
            (i < l->needed.count && l->needed.extent ? l->needed.extent[i] : WORK_WHOLE))
            return true;
    return false;
}

/* Prints, once, why frames before the first requested one are drawn. */
static void tell_needed(struct recording_work *r, uint64_t number) {
    struct left_out *l = &r->left;
    if (l->told || !l->needed.frames_before || r->share) /* one process prints for all */
        return;
    l->told = true;
    command_failed(
        r->options->command, "frame %llu needs draws of %llu of the frames before it: %s",
        (unsigned long long)number, (unsigned long long)l->needed.frames_before, l->needed.why);
}

/* Decides which draws before this frame are left out. If the replay has left out a draw that is
 * needed now, the replay begins again. If the needs are not known, no draw is left out. */
static void leave_out(struct recording_work *r, uint64_t number) {
    const struct recording_options *o = r->options;
    struct left_out *l = &r->left;
    const bool in_order = number <= r->next && r->shares == 1;
    char why[1024];
    if (l->decided || (in_order && !l->needs))
        return;
    const struct needs_range one = {number, number, 1},
                             all = {o->frames.first, o->frames.last, o->frames.step};
    const bool known =
        l->restarts < RESTARTS && (l->needs || open_needs(r, why, sizeof why)) &&
        needs_of(l->needs, o->all ? &all : &one, r->shares > 1, &l->needed, why, sizeof why);
    if (!known)
        l->needed = (struct needed){0};
    l->decided = o->all || !known;
    tell_needed(r, number);
    if (r->replay && lacks(l)) {
        l->restarts++;
        end_replay(r);
    }
}

static void close_left_out(struct left_out *l) {
    needs_close(l->needs);
    if (l->device)
        tp_device_destroy(l->device);
    free(l->done);
}

/* ---- frames ---- */

static bool begin_replay(struct recording_work *r, char *why, size_t size) {
    const struct recording_options *o = r->options;
    end_replay(r);
    r->device = recording_device_for(o->path, o->info, NULL, why, size);
    if (!r->device)
        return false;
    r->device->log.level = LOG_ERROR;
    r->left.work = (struct work_observer){
        .self = &r->left, .share = r->share, .shares = r->shares, .begin = begin_work};
    r->left.replay = (struct replay_observer){.self = &r->left, .channel = observe_channel};
    r->replay = replay_open(o->path, r->device, o->every_flush, &r->left.replay, why, size);
    return r->replay;
}

static bool begin_frame(void *self, uint64_t number, struct size *size, char *why,
                        size_t why_size) {
    struct recording_work *r = self;
    struct replay_frame f = {0};
    int result = 0;
    const bool there = r->replay && r->next == number + 1;
    if (!there)
        leave_out(r, number);
    if (!there && (!r->replay || number < r->next) && !begin_replay(r, why, why_size))
        return false;
    for (; result == 0 && r->next <= number; r->next++)
        result = replay_next(r->replay, &f, why, why_size);
    if (result > 0)
        snprintf(why, why_size, "the recording ends before this frame");
    if (result != 0) {
        end_replay(r);
        return false;
    }
    if (!there && !find_picture(replay_result(r->replay), &f, &r->target)) {
        r->target = (struct target_state){0};
        if (!r->options->every_flush) { /* the first submissions may precede the first picture */
            snprintf(why, why_size, "no colour target is bound at the end of the frame");
            return false;
        }
    }
    *size = (struct size){r->target.width, r->target.height};
    return true;
}

static void share_bands(void *self, uint32_t index, uint32_t count) {
    struct recording_work *r = self;
    r->share = index;
    r->shares = count;
}

static bool read_rows(void *self, uint64_t, uint32_t y, uint32_t count, void *rows, char *why,
                      size_t why_size) {
    const struct recording_work *r = self;
    if (target_rows(r->device, &r->target, y, count, r->options->floats, rows))
        return true;
    snprintf(why, why_size, "the target of the frame has no memory");
    return false;
}

void recording_work_open(struct recording_work *r, const struct recording_options *options) {
    *r = (struct recording_work){
        .work = {.begin = begin_frame,
                 .rows = read_rows,
                 .share = share_bands,
                 .band_rows = options->band_rows ? options->band_rows : 1u << 20},
        .options = options,
        .shares = 1,
    };
    r->work.self = r;
}

void recording_work_close(struct recording_work *r) {
    end_replay(r);
    close_left_out(&r->left);
}
