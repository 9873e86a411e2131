/* teslapipe why --check: compares the history of random pixels with independent references. The
 * last written colour must be the picture's. The verdicts of one draw are compared with brute
 * force: the draw is made without tests, then with one more test at a time, on targets that are
 * filled with one of two patterns. A texel that keeps its pattern in both runs was not written. In:
 * a playback. Out: a line with numbers. */
#include "tools/cmd_why.h"

#include "tools/history_text.h"

#include <stdlib.h>

/* Tests in the order in which the reference enables them. At level n the tests before n are
 * enabled. */
enum level {
    LEVEL_CLIP,
    LEVEL_CULL,
    LEVEL_SCISSOR,
    LEVEL_WINDOW,
    LEVEL_STIPPLE,
    LEVEL_SAMPLE,
    LEVEL_ALPHA,
    LEVEL_ZETA,
    LEVEL_MASK,
    LEVELS = LEVEL_MASK + 2 /* at the last level all tests are enabled */
};
enum { PATTERNS = 2 };

/* The last level at which the reference still writes a primitive with this verdict; -1: none. */
static const int removed_at[] = {
    [RASTER_DEGENERATE] = -1,
    [RASTER_CLIPPED] = LEVEL_CLIP,
    [RASTER_CULLED] = LEVEL_CULL,
    [RASTER_SCISSORED] = LEVEL_SCISSOR,
    [RASTER_NOT_COVERED] = -1,
    [RASTER_WINDOWED] = LEVEL_WINDOW,
    [RASTER_STIPPLED] = LEVEL_STIPPLE,
    [RASTER_SAMPLE_MASKED] = LEVEL_SAMPLE,
    [RASTER_BOUNDS_FAILED] = LEVEL_ZETA,
    [RASTER_STENCIL_FAILED] = LEVEL_ZETA,
    [RASTER_ZETA_FAILED] = LEVEL_ZETA,
    [RASTER_DISCARDED] = -1,
    [RASTER_TRAPPED] = -1,
    [RASTER_ALPHA_FAILED] = LEVEL_ALPHA,
    [RASTER_REMOVED] = LEVEL_ALPHA,
    [RASTER_NO_COLOR] = LEVEL_MASK,
    [RASTER_WRITTEN] = LEVELS,
};

struct check {
    const struct playback *playback;
    struct raster_probe_pixel *pixel;
    uint32_t pixels;
    struct history *history;
    bool failed;
    uint64_t draws, draw; /* the draw under test */
    /* state after the last draw, or of the draw under test */
    struct state state, own;           /* own: the draw's own state, before the check changes it */
    const struct target_state *target; /* of state: colour output 0, or NULL */
    enum level level;
    uint8_t pattern;
    struct surface surface; /* of target */
    struct work_observer work;
    bool samples_target; /* the draw under test samples its own target */
    tp_device *device;
    uint8_t (*texel)[16]; /* [pixels] */
    bool *inside;         /* [pixels] the target has this texel */
    /* results */
    uint64_t colours, wrong_colours, verdicts, wrong_verdicts, by_verdict[RASTER_WRITTEN + 1];
};

static const struct target_state *color_target(const struct state *s) {
    const struct target_state *t = &s->color[s->color_map[0] & (RASTER_TARGETS - 1)];
    return s->color_count && t->address && t->format != FORMAT_NONE ? t : NULL;
}

static void read_texels(struct check *c) {
    uint32_t shift_x, shift_y;
    surface_sample_shift(c->state.samples, &shift_x, &shift_y);
    for (uint32_t i = 0; i < c->pixels; i++) {
        const struct raster_probe_pixel *p = &c->pixel[i];
        const uint32_t x = ((uint32_t)p->x << shift_x) + ((p->sample & 1) | (p->sample >> 1 & 2));
        const uint32_t y = ((uint32_t)p->y << shift_y) + (p->sample >> 1 & 1);
        memset(c->texel[i], 0, sizeof c->texel[i]);
        c->inside[i] = c->target && p->sample < c->state.samples &&
                       target_texel(c->device, c->target, x, y, c->texel[i]);
    }
}

/* ---- the first run: the size of the picture ---- */

static void use_state(struct check *c, const tp_context *context) {
    c->device = context->device;
    c->state = context->state;
    c->target = color_target(&c->state);
    if (c->target)
        target_surface(c->device, c->target, &c->surface);
}

static void note_state(void *self, tp_context *context, uint64_t draw) {
    struct check *c = self;
    if (!c->draw || draw == c->draw)
        use_state(c, context);
}

static enum work_extent begin_work(void *, enum work_kind) {
    return WORK_WHOLE;
}

static void note_touch(void *self, const struct touch *t) {
    struct check *c = self;
    if (t->use == USE_TEXTURE && c->target)
        c->samples_target |= t->address < c->target->address + surface_layer_bytes(&c->surface) &&
                             c->target->address < t->address + t->size;
}

/* Notes the draw's state, and whether the draw samples its target. */
static void observe_draw(void *self, tp_context *context, uint64_t draw) {
    struct check *c = self;
    c->work = (struct work_observer){.self = c, .begin = begin_work, .touch = note_touch};
    context->work = draw == c->draw ? &c->work : NULL;
    if (draw == c->draw)
        use_state(c, context);
}

static void choose_pixels(struct check *c, unsigned *seed) {
    uint32_t shift_x, shift_y;
    surface_sample_shift(c->state.samples, &shift_x, &shift_y);
    for (uint32_t i = 0; i < c->pixels; i++) {
        c->pixel[i].x = (int32_t)((unsigned)rand_r(seed) % (c->target->width >> shift_x));
        c->pixel[i].y = (int32_t)((unsigned)rand_r(seed) % (c->target->height >> shift_y));
        c->pixel[i].sample = (unsigned)rand_r(seed) % c->state.samples;
    }
}

/* ---- the second run: the history ---- */

static void create_history(void *self, tp_device *device) {
    struct check *c = self;
    const struct history_options options = {.all = true};
    c->device = device;
    c->history = history_create(device, c->pixel, c->pixels, &options);
}

static void watch_context(void *self, tp_context *context) {
    struct check *c = self;
    c->failed |= !c->history || !history_watch(c->history, context);
}

static void write_memory(void *self, uint64_t address, uint64_t size, uint64_t draw) {
    struct check *c = self;
    if (c->history)
        history_memory(c->history, address, size, draw);
}

static const struct history_entry *last_change(const struct history_entry *const *e, size_t n) {
    while (n-- > 0)
        if (e[n]->kind != HISTORY_PRIMITIVE || e[n]->verdict == RASTER_WRITTEN)
            return e[n];
    return NULL;
}

/* Writes a clear's colour as the target's format stores it. */
static void stored_color(const struct history_entry *e, uint32_t word[4]) {
    uint8_t texel[16] = {0};
    memcpy(word, e->after, 4 * sizeof *word);
    if (e->kind != HISTORY_CLEAR)
        return;
    uint32_t packed[4] = {0};
    format_encode(e->format, word, packed);
    memcpy(texel, packed, sizeof texel);
    format_decode(e->format, texel, word);
}

static void tell_wrong(const struct check *c, uint32_t i, const char *what) {
    fprintf(stderr, "%s: pixel %d,%d sample %u: %s\n", playback_name(c->playback), c->pixel[i].x,
            c->pixel[i].y, c->pixel[i].sample, what);
}

static void compare_colors(struct check *c) {
    read_texels(c);
    for (uint32_t i = 0; i < c->pixels; i++) {
        size_t n;
        uint32_t told[4], there[4];
        if (!c->inside[i])
            continue;
        const struct history_entry *const *e =
            history_select(c->history, i, c->target->address, &c->surface, 0, &n);
        const struct history_entry *last = last_change(e, n);
        if (!last || (last->kind == HISTORY_CLEAR && last->clear.color_mask != 15))
            continue;
        stored_color(last, told);
        format_decode(c->target->format, c->texel[i], there);
        c->colours++;
        if (memcmp(told, there, sizeof told) == 0)
            continue;
        if (!c->wrong_colours++) {
            tell_wrong(c, i, "the last written colour is not the picture's");
            history_print(stderr, c->history, last, false);
            print_color(stderr, there, c->target->format);
            putc('\n', stderr);
        }
    }
}

/* ---- further runs: one draw, with more and more tests ---- */

static void fill_target(tp_device *device, const struct target_state *t, uint8_t pattern) {
    struct surface s;
    if (!target_surface(device, t, &s))
        return;
    const uint64_t bytes = surface_layer_bytes(&s);
    memset(s.data, pattern, bytes < s.size ? bytes : s.size);
}

static void switch_tests(struct state *s, enum level level) {
    if (level <= LEVEL_CLIP) {
        s->depth_clip_off = true;
        s->clip_enable = 0;
    }
    if (level <= LEVEL_CULL)
        s->setup.cull = 0;
    for (int i = 0; i < STATE_VIEWPORTS && level <= LEVEL_SCISSOR; i++)
        s->viewport[i].scissor_enable = false;
    if (level <= LEVEL_SCISSOR)
        s->screen_scissor_enable = false;
    if (level <= LEVEL_WINDOW)
        s->limits.rect_mode = 0;
    if (level <= LEVEL_STIPPLE)
        s->setup.polygon_stipple = false;
    if (level <= LEVEL_SAMPLE)
        s->sample.mask = UINT32_MAX;
    if (level <= LEVEL_ALPHA)
        s->color_op.alpha_test = s->color_op.alpha_to_coverage = false;
    if (level <= LEVEL_ZETA)
        s->zeta_test.depth_test = s->zeta_test.stencil_test = s->zeta_test.bounds_test = false;
    for (int i = 0; i < RASTER_TARGETS; i++) {
        s->color_op.blend[i].enable = false;
        if (level <= LEVEL_MASK)
            s->color_op.mask[i] = 15;
    }
    s->color_op.logic_op_enable = false;
    s->touched = ~0u;
}

static void change_draw(void *self, tp_context *context, uint64_t draw) {
    struct check *c = self;
    if (draw != c->draw)
        return;
    c->own = context->state;
    use_state(c, context);
    context_flush(context);
    if (c->target)
        fill_target(c->device, c->target, c->pattern);
    switch_tests(&context->state, c->level);
}

static void look_at_draw(void *self, tp_context *context, uint64_t draw) {
    struct check *c = self;
    if (draw != c->draw)
        return;
    context_flush(context);
    read_texels(c);
    context->state = c->own;
    context->state.touched = ~0u;
}

/* Finds the pixels that the draw writes at this level. */
static int find_written(struct check *c, bool *written) {
    const struct playback_hooks hooks = {.self = c, .before = change_draw, .after = look_at_draw};
    static const uint8_t patterns[PATTERNS] = {0x11, 0x6e};
    int code = EXIT_FINE;
    memset(written, 0, c->pixels);
    for (int k = 0; k < PATTERNS && code == EXIT_FINE; k++) {
        struct played played;
        c->pattern = patterns[k];
        c->target = NULL;
        code = playback_run(c->playback, c->draw, &hooks, &played);
        const uint32_t bytes = c->target ? format_info(c->target->format)->bytes : 0;
        for (uint32_t i = 0; i < c->pixels; i++)
            for (uint32_t b = 0; b < bytes; b++)
                written[i] |= c->texel[i][b] != patterns[k];
        playback_end(&played);
    }
    return code;
}

/* Returns the history's answer for the draw at a pixel and level: 0 not written, 1 written, -1
 * undecided: a program that did not run would decide. */
static int predict_history(const struct check *c, uint32_t i, enum level level, bool count[]) {
    size_t n;
    const struct history_entry *const *e =
        history_select(c->history, i, c->target->address, &c->surface, 0, &n);
    const bool kills = c->state.header[PROGRAM_FP].fp_control & FP_USES_KILL;
    int answer = 0;
    for (size_t k = 0; k < n; k++) {
        if (e[k]->draw != c->draw || e[k]->kind != HISTORY_PRIMITIVE)
            continue;
        const enum raster_verdict v = e[k]->verdict;
        count[v] = true;
        if ((int)level > removed_at[v])
            continue;
        const bool unsure = (!e[k]->ran && (kills || c->state.fp_sample_mask)) ||
                            v == RASTER_REMOVED ||
                            (removed_at[v] == LEVEL_ZETA && level == LEVEL_ZETA &&
                             (c->state.color_op.alpha_test || c->state.color_op.alpha_to_coverage));
        if (!unsure)
            return 1;
        answer = -1;
    }
    return answer;
}

static void compare_level(struct check *c, enum level level, const bool *written) {
    for (uint32_t i = 0; i < c->pixels; i++) {
        if (!c->inside[i])
            continue;
        bool count[RASTER_WRITTEN + 1] = {false};
        const int told = predict_history(c, i, level, count);
        for (int v = 0; v <= RASTER_WRITTEN && level == 0; v++)
            c->by_verdict[v] += count[v];
        if (told < 0)
            continue;
        c->verdicts++;
        if (told == written[i])
            continue;
        char text[128];
        snprintf(text, sizeof text, "draw %llu, level %d: %s written, the history says otherwise",
                 (unsigned long long)c->draw, level, written[i] ? "is" : "is not");
        if (!c->wrong_verdicts++)
            tell_wrong(c, i, text);
    }
}

/* Returns true if brute force can test the draw: the draw has a target of one layer, rasterizes,
 * runs a fragment program, and does not sample its target. */
static bool can_compare(const struct check *c) {
    return c->target && c->state.layers <= 1 && c->state.rasterize &&
           c->state.program[PROGRAM_FP] && !c->samples_target;
}

static int check_verdicts(struct check *c) {
    const struct playback_hooks hooks = {.self = c, .before = observe_draw};
    bool *written = calloc(c->pixels, 1);
    struct played played;
    int code = written ? playback_run(c->playback, c->draw, &hooks, &played)
                       : command_failed(c->playback->command, "out of memory");
    if (!written)
        return code;
    playback_end(&played);
    for (int level = 0; level < LEVELS && code == EXIT_FINE && can_compare(c); level++) {
        c->level = (enum level)level;
        code = find_written(c, written);
        if (code == EXIT_FINE && c->target)
            compare_level(c, (enum level)level, written);
    }
    free(written);
    return code;
}

/* ---- the whole ---- */

static int report_counts(const struct check *c) {
    printf("%s: %llu colours, %llu wrong; draw %llu of %llu: %llu verdicts, %llu wrong:",
           playback_name(c->playback), (unsigned long long)c->colours,
           (unsigned long long)c->wrong_colours, (unsigned long long)c->draw,
           (unsigned long long)c->draws, (unsigned long long)c->verdicts,
           (unsigned long long)c->wrong_verdicts);
    for (int v = 0; v <= RASTER_WRITTEN; v++)
        if (c->by_verdict[v])
            printf(" %s %llu,", history_verdict_name((enum raster_verdict)v),
                   (unsigned long long)c->by_verdict[v]);
    putchar('\n');
    return c->wrong_colours || c->wrong_verdicts || c->failed ? EXIT_FAILED : EXIT_FINE;
}

static int check_history(struct check *c, unsigned *seed) {
    const struct playback_hooks hooks = {.self = c,
                                         .device = create_history,
                                         .context = watch_context,
                                         .memory = write_memory,
                                         .after = note_state};
    struct played played;
    choose_pixels(c, seed);
    c->draw = 0;
    /* Replays up to the last draw only, because programs free their targets before they end. */
    int code = playback_run(c->playback, c->draws, &hooks, &played);
    if (c->history)
        history_end(c->history);
    c->failed |= !c->history || history_incomplete(c->history);
    if (code == EXIT_FINE && !c->failed)
        compare_colors(c);
    playback_end(&played);
    c->draw = 1 + ((unsigned)rand_r(seed) >> 8) % c->draws;
    return code != EXIT_FINE || c->failed ? code : check_verdicts(c);
}

int why_check(const struct playback *playback, uint32_t pixels, unsigned seed) {
    struct check c = {.playback = playback, .pixels = pixels};
    const struct playback_hooks hooks = {.self = &c, .after = note_state};
    struct played played;
    c.pixel = calloc(pixels, sizeof *c.pixel);
    c.texel = calloc(pixels, sizeof *c.texel);
    c.inside = calloc(pixels, sizeof *c.inside);
    const bool memory = c.pixel && c.texel && c.inside;
    int code = memory ? playback_run(playback, 0, &hooks, &played)
                      : command_failed(playback->command, "out of memory");
    if (memory) {
        c.draws = played.draws;
        playback_end(&played);
    }
    if (code == EXIT_FINE && c.target && c.draws)
        code = check_history(&c, &seed);
    const int told = code == EXIT_FINE ? report_counts(&c) : code;
    history_free(c.history);
    free(c.pixel);
    free(c.texel);
    free(c.inside);
    return told;
}
