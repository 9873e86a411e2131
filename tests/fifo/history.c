/* Compares pixel histories with pictures, over the recordings of tests/golden/streams, at random
 * pixels. For each draw the history gives the target's values before and after. A draw without a
 * written entry leaves the pixel unchanged. The last written colour is that of the picture. */
#include "pipeline/debug/history.h"

#include "fifo/record.h"
#include "tests/test.h"

#include <dirent.h>

enum { MAX_DRAWS = 64, PIXELS = 40, WORDS = 4 };

static const char folder[] = "tests/golden/streams";

/* The pixel that one replay watches. */
struct watch {
    tp_device *device;
    struct history *history; /* NULL: instead, the pixel is read after every draw */
    struct raster_probe_pixel where;
    uint64_t target;
    struct target_state last; /* colour target 0 of the last draw */
    uint8_t samples;
    struct { /* for each draw: true if `target` was drawn into, and the texel afterwards */
        bool into;
        uint32_t word[WORDS];
    } draw[MAX_DRAWS + 1];
};

static bool read_texel(const struct watch *w, const struct target_state *t, uint32_t *word) {
    const uint64_t extent = memory_extent(w->device->memory, t->address);
    struct surface s = target_layout(t);
    s.data = memory_at(w->device->memory, t->address, 1);
    const uint32_t bytes = format_info(t->format)->bytes;
    const uint64_t at = surface_offset(&s, (uint32_t)w->where.x * bytes, (uint32_t)w->where.y, 0);
    if (!s.data || at + bytes > extent)
        return false;
    format_decode(t->format, s.data + at, word);
    return true;
}

static void before_draw(void *self, struct channel *c, uint64_t draw) {
    (void)self;
    channel_context(c)->draw_number = draw - 1;
}

static void after_draw(void *self, struct channel *c, uint64_t draw) {
    struct watch *w = self;
    const struct state *s = &channel_context(c)->state;
    assert_in_range(draw, 1, MAX_DRAWS);
    w->last = s->color[s->color_map[0] & (RASTER_TARGETS - 1)];
    w->samples = s->samples;
    if (w->history)
        return;
    w->draw[draw].into = w->last.address == w->target;
    context_flush(channel_context(c));
    if (w->draw[draw].into)
        read_texel(w, &w->last, w->draw[draw].word);
}

static void new_channel(void *self, struct channel *c) {
    struct watch *w = self;
    if (w->history)
        assert_true(history_watch(w->history, channel_context(c)));
}

/* Replays the recording. If there is a history, it is complete afterwards. */
static uint64_t replay(const char *path, struct watch *w, bool keep_device) {
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .threads = 1};
    const struct replay_observer observer = {
        .self = w, .before = before_draw, .after = after_draw, .channel = new_channel};
    struct replay_result result;
    char why[256] = "";
    if (!w->device)
        assert_int_equal(device_create(&info, -1, &w->device), TP_OK);
    if (record_replay(path, w->device, 0, &observer, &result, why, sizeof why) != 0)
        fail_msg("%s", why);
    if (w->history)
        history_end(w->history);
    const uint64_t draws = result.draws;
    replay_free(&result);
    if (!keep_device) {
        device_destroy(w->device);
        w->device = NULL;
    }
    return draws;
}

static bool written(const struct history_entry *e) {
    return e->kind == HISTORY_PRIMITIVE && e->verdict == RASTER_WRITTEN;
}

static void check_pixel(const char *path, struct watch *truth, uint64_t draws) {
    struct watch w = {.where = truth->where};
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .threads = 1};
    assert_int_equal(device_create(&info, -1, &w.device), TP_OK);
    w.history = history_create(w.device, &w.where, 1, &(struct history_options){.all = true});
    assert_non_null(w.history);
    replay(path, &w, true);
    size_t count, at = 0;
    const struct surface surface = target_layout(&truth->last);
    const struct history_entry *const *e =
        history_select(w.history, 0, truth->target, &surface, 0, &count);
    for (uint64_t draw = 1; draw <= draws; draw++) {
        const struct history_entry *last = NULL, *first = NULL;
        bool cleared = false;
        for (; at < count && e[at]->draw < draw; at++)
            cleared |= e[at]->kind == HISTORY_CLEAR;
        for (; at < count && e[at]->draw == draw && e[at]->kind == HISTORY_PRIMITIVE; at++) {
            first = !first && written(e[at]) ? e[at] : first;
            last = written(e[at]) ? e[at] : last;
        }
        if (!truth->draw[draw].into) {
            assert_null(last);
            continue;
        }
        const uint32_t *now = truth->draw[draw].word, *was = truth->draw[draw - 1].word;
        if (last && memcmp(last->after, now, sizeof last->after) != 0)
            fail_msg("%s: pixel %d,%d draw %d: the history's last colour is not the target's", path,
                     w.where.x, w.where.y, (int)draw);
        const bool known = draw > 1 && truth->draw[draw - 1].into && !cleared;
        if (known && first && memcmp(first->before, was, sizeof first->before) != 0)
            fail_msg("%s: pixel %d,%d draw %d: there was another colour before", path, w.where.x,
                     w.where.y, (int)draw);
        if (known && !last && memcmp(now, was, sizeof w.draw[0].word) != 0)
            fail_msg("%s: pixel %d,%d draw %d: it changed, and the history knows nothing", path,
                     w.where.x, w.where.y, (int)draw);
    }
    history_free(w.history);
    device_destroy(w.device);
}

TEST(test_recordings) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    int files = 0;
    unsigned seed = 1;
    for (const struct dirent *f; (f = readdir(d));) {
        char path[512];
        if (!strstr(f->d_name, ".tpr"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        if (record_chipset(path) != 0xa3)
            continue;
        struct watch size = {0};
        replay(path, &size, false);
        if (!size.last.address || size.samples > 1)
            continue;
        for (int i = 0; i < PIXELS; i++) {
            struct watch truth = {.target = size.last.address};
            truth.where.x = rand_r(&seed) % (int)size.last.width;
            truth.where.y = rand_r(&seed) % (int)size.last.height;
            const uint64_t draws = replay(path, &truth, false);
            check_pixel(path, &truth, draws);
        }
        files++;
    }
    closedir(d);
    assert_in_range(files, 8, 1000);
}
