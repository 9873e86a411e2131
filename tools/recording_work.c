/* Recordings as the work of a job (tools/recording_work.h). A replay goes on from frame to frame;
 * for an earlier frame it begins again. The picture of a frame is the target in the buffer that was
 * presented, else the first colour target that is bound at the end of the frame.
 */
#include "tools/recording_work.h"

#include "pipeline/context.h"

#include <string.h>

static void end_replay(struct recording_work *r) {
    replay_close(r->replay);
    if (r->device)
        tp_device_destroy(r->device);
    r->replay = NULL;
    r->device = NULL;
    r->next = 0;
}

static bool begin_replay(struct recording_work *r, char *why, size_t size) {
    const struct recording_options *o = r->options;
    end_replay(r);
    r->device = recording_device_for(o->path, o->info, NULL, why, size);
    if (!r->device)
        return false;
    r->device->log.level = LOG_ERROR;
    r->replay = replay_open(o->path, r->device, o->every_flush, NULL, why, size);
    return r->replay;
}

static bool lies_in(const struct target_state *t, const struct replay_frame *f) {
    return t->format != FORMAT_NONE && t->address >= f->address &&
           t->address - f->address < f->size;
}

/* Finds the picture among the targets of all channels, the last used one first. */
static bool find_picture(struct recording_work *r, const struct replay_frame *f) {
    const struct replay_result *result = replay_result(r->replay);
    if (!result->channel)
        return false;
    for (uint32_t i = 0; i <= result->channel_count; i++) {
        struct channel *c = i ? result->all[i - 1] : result->channel;
        const struct state *s = &channel_context(c)->state;
        for (int k = 0; k < RASTER_TARGETS; k++)
            if (lies_in(&s->color[k], f)) {
                r->target = s->color[k];
                return true;
            }
    }
    const struct state *s = &channel_context(result->channel)->state;
    r->target = s->color[s->color_map[0] & (RASTER_TARGETS - 1)];
    return s->color_count && r->target.format != FORMAT_NONE;
}

static bool begin_frame(void *self, uint64_t number, struct size *size, char *why,
                        size_t why_size) {
    struct recording_work *r = self;
    struct replay_frame f = {0};
    int result = 0;
    const bool there = r->replay && r->next == number + 1;
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
    if (!there && !find_picture(r, &f)) {
        r->target = (struct target_state){0};
        if (!r->options->every_flush) { /* submissions may come before the first picture */
            snprintf(why, why_size, "no colour target is bound at the end of the frame");
            return false;
        }
    }
    *size = (struct size){r->target.width, r->target.height};
    return true;
}

static bool read_rows(void *self, uint64_t number, uint32_t y, uint32_t count, void *rows,
                      char *why, size_t why_size) {
    const struct recording_work *r = self;
    (void)number;
    if (target_rows(r->device, &r->target, y, count, r->options->floats, rows))
        return true;
    snprintf(why, why_size, "the target of the frame has no memory");
    return false;
}

void recording_work_open(struct recording_work *r, const struct recording_options *options) {
    *r = (struct recording_work){
        .work = {.begin = begin_frame,
                 .rows = read_rows,
                 .band_rows = options->band_rows ? options->band_rows : 1u << 20},
        .options = options,
    };
    r->work.self = r;
}

void recording_work_close(struct recording_work *r) {
    end_replay(r);
}
