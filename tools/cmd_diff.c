/* teslapipe diff: the first draw, pixel and instruction at which two recordings differ. In: two
 * recordings. Out: a report. Each recording is replayed three times: to hash the targets after
 * every draw, up to the first draw that differs, and again with a trace of the pixel's fragment.
 */
#include "tools/playback.h"
#include "base/bits.h"

#include "base/arena.h"
#include "shader/stepper.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = RASTER_TARGETS + 1 /* zeta */, TRACE_MAX = 1 << 20 };

/* The effect of one instruction on the pixel's lane. */
struct diff_step {
    uint32_t pc;
    uint32_t reg, value; /* the first register that changed; WARP_REGS: none */
    char text[64];       /* cut off, but long enough to tell instructions apart */
};

struct trace {
    struct diff_step *step;
    size_t count, capacity;
    bool discarded;
    enum warp_status end;
};

/* One of the two recordings. */
struct diff_side {
    struct playback playback;
    struct played played;
    uint64_t (*hash)[TARGETS]; /* for each draw: a hash of each target's bytes in memory */
    size_t draws, capacity;
    /* results of the draw that differs */
    struct state state;
    uint64_t wanted;
    bool tracing;
    int x, y;
    struct trace trace;
    struct warp_observer observer;
};

/* ---- hashes of targets after each draw ---- */

/* Hashes the memory of a target's first layer. */
static uint64_t hash_memory(const tp_device *device, const struct target_state *t) {
    struct surface s;
    if (!target_surface(device, t, &s))
        return 0;
    const uint64_t bytes = surface_layer_bytes(&s), size = bytes < s.size ? bytes : s.size;
    uint64_t hash = format_info(t->format)->bytes;
    for (uint64_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, s.data + i, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

static const struct target_state *target_of(const struct state *s, unsigned i) {
    if (i == RASTER_TARGETS)
        return s->zeta_enable ? &s->zeta : NULL;
    return i < s->color_count ? &s->color[s->color_map[i] & (RASTER_TARGETS - 1)] : NULL;
}

static void before_draw(void *self, tp_context *c, uint64_t draw) {
    struct diff_side *s = self;
    if (s->tracing && draw == s->wanted)
        context_observe(c, PROGRAM_FP, &s->observer);
}

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct diff_side *s = self;
    const struct state *state = &c->state;
    if (s->wanted) {
        if (draw == s->wanted)
            s->state = *state;
        if (s->tracing && draw == s->wanted)
            context_observe(c, PROGRAM_FP, NULL);
        return;
    }
    context_flush(c);
    if (!ARRAY_ROOM(s->hash, s->capacity, s->draws + 1))
        return;
    for (unsigned i = 0; i < TARGETS; i++) {
        const struct target_state *t = target_of(state, i);
        s->hash[s->draws][i] = t ? hash_memory(s->played.device, t) : 0;
    }
    s->draws++;
}

/* Replays both up to draw `wanted` (0: all). The devices stay, so that their memory can be read
 * afterwards. */
static int replay_both(struct diff_side side[2], uint64_t wanted) {
    int code = EXIT_FINE;
    for (struct diff_side *s = side; s < side + 2 && code == EXIT_FINE; s++) {
        const struct playback_hooks hooks = {.self = s, .before = before_draw, .after = after_draw};
        s->wanted = wanted;
        code = playback_run(&s->playback, wanted, &hooks, &s->played);
    }
    return code;
}

static void close_both(struct diff_side side[2]) {
    playback_end(&side[0].played);
    playback_end(&side[1].played);
}

/* ---- the first pixel ---- */

/* Counts the texels of a target that differ and finds the first one. */
static uint64_t compare_target(const struct diff_side side[2], unsigned target, uint32_t at[2]) {
    const struct target_state *a = target_of(&side[0].state, target);
    const struct target_state *b = target_of(&side[1].state, target);
    uint64_t count = 0;
    if (!a || !b)
        return 0;
    const uint32_t w = a->width < b->width ? a->width : b->width;
    const uint32_t h = a->height < b->height ? a->height : b->height;
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            uint8_t p[16] = {0}, q[16] = {0};
            const uint32_t m = target_texel(side[0].played.device, a, x, y, p);
            const uint32_t n = target_texel(side[1].played.device, b, x, y, q);
            if (m == n && memcmp(p, q, sizeof p) == 0)
                continue;
            if (!count++)
                at[0] = x, at[1] = y;
        }
    return count;
}

static void print_texel(const struct diff_side *s, unsigned target, uint32_t x, uint32_t y) {
    const struct target_state *t = target_of(&s->state, target);
    const struct format_info *f = format_info(t->format);
    uint8_t texel[16] = {0};
    uint32_t word[4];
    target_texel(s->played.device, t, x, y, texel);
    format_decode(t->format, texel, word);
    printf("  %s:", s->playback.file);
    for (int i = 0; i < 4 && (i < 2 || !f->zeta); i++) {
        if (f->type == COMPONENT_SINT || f->type == COMPONENT_UINT || (f->zeta && i == 1))
            printf(" %u", word[i]);
        else
            printf(" %.9g", (double)bits_float(word[i]));
    }
    putchar('\n');
}

/* ---- the first instruction ---- */

static void trace_lane(struct trace *t, struct stepper *s, unsigned lane) {
    static u32x32 before[WARP_REGS];
    const struct warp_env *env = stepper_env(s);
    t->count = 0;
    while (stepper_status(s) == WARP_RUNNING && t->count < TRACE_MAX) {
        const struct warp *w = stepper_warp(s);
        const uint32_t at = program_word(env->program, w->pc);
        const bool active = w->active >> lane & 1;
        memcpy(before, w->r, sizeof before);
        struct diff_step step = {.pc = w->pc, .reg = WARP_REGS};
        if (at < env->program->word_count)
            program_print(env->program, &env->program->ops[at], step.text, sizeof step.text);
        stepper_step(s);
        for (uint32_t i = WARP_REGS; i-- > 0;)
            if (w->r[i][lane] != before[i][lane])
                step.reg = i, step.value = w->r[i][lane];
        if (active && ARRAY_ROOM(t->step, t->capacity, t->count + 1))
            t->step[t->count++] = step;
    }
    t->end = stepper_status(s);
    t->discarded = stepper_warp(s)->dead >> lane & 1;
}

/* Keeps the last fragment at the pixel. */
static void look_at_warp(void *self, const struct warp *w, const struct warp_env *env) {
    struct diff_side *s = self;
    for (lane_mask m = w->launched & ~w->dead; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        if (w->origin[0] + (int)floorf(w->x[lane]) != s->x ||
            w->origin[1] + (int)floorf(w->y[lane]) != s->y)
            continue;
        struct stepper *stepper = stepper_create(w, env);
        if (stepper)
            trace_lane(&s->trace, stepper, lane);
        stepper_destroy(stepper);
        return;
    }
}

static void print_step(const struct diff_side *s, size_t i) {
    const struct diff_step *t = &s->trace.step[i];
    printf("  %s: 0x%06x  %s", s->playback.file, t->pc, t->text);
    if (t->reg < WARP_REGS)
        printf("  -> $r%u = 0x%08x (%.9g)", t->reg, t->value, (double)bits_float(t->value));
    putchar('\n');
}

static void compare_traces(const struct diff_side side[2]) {
    const struct trace *a = &side[0].trace, *b = &side[1].trace;
    const size_t n = a->count < b->count ? a->count : b->count;
    if (!a->count || !b->count) {
        for (int i = 0; i < 2; i++)
            printf("  %s: %s fragment at that pixel in this draw\n", side[i].playback.file,
                   side[i].trace.count ? "there is a" : "no");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const bool program = strcmp(a->step[i].text, b->step[i].text) != 0;
        if (!program && a->step[i].reg == b->step[i].reg && a->step[i].value == b->step[i].value)
            continue;
        printf("instruction %zu of the fragment is the first to differ%s:\n", i + 1,
               program ? ": another program, or another way through it" : "");
        print_step(&side[0], i);
        print_step(&side[1], i);
        return;
    }
    if (a->count != b->count || a->discarded != b->discarded)
        printf("the fragments run equally for %zu instructions, then only one goes on\n", n);
    else
        printf("the last fragment there computes the same in both: tests, blending or an earlier "
               "fragment differ\n");
}

/* ---- the whole ---- */

static int explain_difference(struct diff_side side[2], uint64_t draw, const uint32_t at[2]) {
    for (int i = 0; i < 2; i++) {
        side[i].x = (int)at[0];
        side[i].y = (int)at[1];
        side[i].tracing = true;
        side[i].observer = (struct warp_observer){.self = &side[i], .start = look_at_warp};
    }
    const int code = replay_both(side, draw);
    close_both(side);
    if (code != EXIT_FINE)
        return code;
    if (side[0].state.samples > 1)
        printf("(multisampled: positions are those of samples; no fragment is looked at)\n");
    else
        compare_traces(side);
    return EXIT_FAILED;
}

/* Compares the texels after this draw. Returns EXIT_FINE if they are equal although the memory
 * differs. */
static int look_at_draw(struct diff_side side[2], uint64_t draw) {
    int code = replay_both(side, draw);
    uint32_t at[2] = {0};
    unsigned target = 0;
    uint64_t count = 0;
    for (; code == EXIT_FINE && target < TARGETS; target++)
        if ((count = compare_target(side, target, at)))
            break;
    if (code == EXIT_FINE && count) {
        char name[16] = "zeta";
        if (target < RASTER_TARGETS)
            snprintf(name, sizeof name, "colour %u", target);
        printf("draw %" PRIu64 " is the first to differ: %s, %" PRIu64
               " texels, the first at %u,%u\n",
               draw, name, count, at[0], at[1]);
        print_texel(&side[0], target, at[0], at[1]);
        print_texel(&side[1], target, at[0], at[1]);
        close_both(side);
        return explain_difference(side, draw, at);
    }
    close_both(side);
    return code;
}

static int diff_sides(struct diff_side side[2]) {
    int code = replay_both(side, 0);
    close_both(side);
    const size_t n = side[0].draws < side[1].draws ? side[0].draws : side[1].draws;
    for (size_t i = 0; i < n && code == EXIT_FINE; i++)
        if (memcmp(side[0].hash[i], side[1].hash[i], sizeof side[0].hash[i]) != 0)
            code = look_at_draw(side, i + 1);
    if (code != EXIT_FINE)
        return code;
    if (side[0].draws == side[1].draws) {
        printf("%zu draws, the same pictures after each\n", n);
        return EXIT_FINE;
    }
    printf("the first %zu draws leave the same pictures; then %s goes on\n", n,
           side[side[0].draws < side[1].draws].playback.file);
    return EXIT_FAILED;
}

COMMAND(diff) {
    static const struct option_spec options[] = {{0}};
    const struct command command = {
        "diff",
        "A B",
        "The first draw, pixel and instruction at which two recordings differ (teslapipe gl --record).\n"
        "Exit code 0: none; 1: there is one, or a file cannot be read.",
        options,
        "teslapipe diff before.tpr after.tpr",
    };
    static struct diff_side side[2];
    int code;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    if (count != 2)
        return command_usage(&command, "takes two recordings (see --help)");
    for (int i = 0; i < 2; i++)
        side[i] = (struct diff_side){.playback = {.command = &command, .file = argv[1 + i]}};
    code = diff_sides(side);
    close_both(side);
    for (int i = 0; i < 2; i++) {
        free(side[i].hash);
        free(side[i].trace.step);
    }
    return code;
}
