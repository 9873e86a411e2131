/* teslapipe diff: the first draw, pixel and instruction at which two recordings differ. In: two
 * recordings. Out: a report. Each recording is replayed to hash the targets after every draw and at
 * the end, then up to the first draw that differs, and again with a trace of the pixel's fragment.
 */
#include "tools/playback.h"
#include "base/bits.h"

#include "shader/stepper.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TARGETS = RASTER_TARGETS + 1 /* zeta */, TRACE_MAX = 1 << 20 };

/* The words of a lane's state: $r, $a, $c, and the predicates as bits of one word. */
enum { WORD_A = WARP_REGS, WORD_C = WORD_A + 8, WORD_P = WORD_C + 4, LANE_WORDS };

struct diff_change {
    uint32_t word, value;
};

struct diff_step {
    uint32_t pc;
    size_t change; /* index of the first change of this step */
    uint32_t changes;
    char text[64]; /* cut off, but long enough to tell instructions apart */
    char same[64]; /* the text with a relative target: the same wherever the program lies */
};

struct trace {
    struct diff_step *step;
    size_t count, capacity;
    struct diff_change *change;
    size_t changes, change_capacity;
    bool discarded;
    enum warp_status end; /* WARP_RUNNING: the trace is cut short */
};

/* The targets after a draw. A target that is not bound has hash 0 and no format. */
struct moment {
    uint64_t hash[TARGETS];
    enum pixel_format format[TARGETS];
};

struct diff_side {
    struct playback playback;
    struct played played;
    struct moment *moment; /* [draws], after each draw */
    size_t draws, capacity;
    struct moment end; /* after the recording */
    bool decoded;      /* hashes are of components, not of bytes: formats differ */
    bool out_of_memory;
    /* results of the draw that differs, or of the end of the recording */
    struct state state;
    uint64_t wanted;
    struct moment before; /* the targets before draw `wanted` */
    bool tracing;
    int x, y;
    struct trace trace;
    struct warp_observer observer;
};

static const char *name_of(const struct diff_side *s) {
    return s->playback.file;
}

/* ---- targets ---- */

static const struct target_state *target_of(const struct state *s, unsigned i) {
    if (i == RASTER_TARGETS)
        return s->zeta_enable ? &s->zeta : NULL;
    return i < s->color_count ? &s->color[s->color_map[i] & (RASTER_TARGETS - 1)] : NULL;
}

/* Writes target i with all its layers as a surface. Returns false if the target is not bound. */
static bool surface_of(const tp_device *device, const struct state *state, unsigned i,
                       struct surface *s) {
    const struct target_state *t = target_of(state, i);
    if (!t || !target_surface(device, t, s))
        return false;
    s->depth = state->layers ? state->layers : 1;
    if (t->layers && t->layers < s->depth)
        s->depth = t->layers;
    s->is_3d = s->depth == 1 || (i < RASTER_TARGETS && state->layers_3d);
    s->layer_stride = t->layer_stride;
    if (!s->is_3d && !s->layer_stride) /* all layers are the same */
        s->depth = 1;
    while (s->depth > 1 && surface_offset(s, 0, 0, s->depth - 1) >= s->size)
        s->depth--; /* the last layer begins outside of the memory */
    return true;
}

/* Copies a texel. A texel outside of the surface's memory is zero. */
static void copy_texel(const struct surface *s, const uint32_t at[3], uint8_t texel[16]) {
    const uint32_t bytes = format_info(s->format)->bytes;
    const uint64_t from = surface_offset(s, at[0] * bytes, at[1], at[2]);
    memset(texel, 0, 16);
    if (from + bytes <= s->size)
        memcpy(texel, s->data + from, bytes);
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Hashes the bytes of `count` rows of texels: a single row, or rows of the same tiles, whose lines
 * follow each other in memory. */
static uint64_t hash_rows(uint64_t hash, const struct surface *s, uint32_t y, uint32_t count,
                          uint32_t z) {
    const struct surface_row row = surface_row(s, y, z);
    const uint32_t bytes = s->width * format_info(s->format)->bytes;
    uint64_t part[4] = {hash, 1, 2, 3}; /* four hashes, because the CPU computes them in parallel */
    for (uint32_t x = 0; x < bytes; x += SURFACE_LINE) {
        const uint32_t n = bytes - x < SURFACE_LINE ? bytes - x : SURFACE_LINE;
        uint64_t from = surface_row_offset(&row, x);
        for (uint32_t j = 0; j < count; j++, from += SURFACE_LINE) {
            uint64_t line[SURFACE_LINE / 8] = {0};
            if (n == SURFACE_LINE && from + SURFACE_LINE <= s->size)
                memcpy(line, s->data + from, SURFACE_LINE);
            else if (from + n <= s->size)
                memcpy(line, s->data + from, n);
            for (int i = 0; i < SURFACE_LINE / 8; i++)
                part[i % 4] = mix(part[i % 4], line[i]);
        }
    }
    return mix(mix(part[0], part[1]), mix(part[2], part[3]));
}

static uint64_t hash_decoded(uint64_t hash, const struct surface *s, uint32_t y, uint32_t z) {
    for (uint32_t x = 0; x < s->width; x++) {
        uint8_t texel[16];
        uint32_t word[4];
        copy_texel(s, (const uint32_t[3]){x, y, z}, texel);
        format_decode(s->format, texel, word);
        for (int i = 0; i < 4; i++)
            hash = mix(hash, word[i]);
    }
    return hash;
}

static void take_moment(const struct diff_side *s, const struct state *state, struct moment *m) {
    memset(m, 0, sizeof *m);
    for (unsigned i = 0; i < TARGETS; i++) {
        struct surface surface;
        if (!surface_of(s->played.device, state, i, &surface))
            continue;
        m->format[i] = surface.format;
        m->hash[i] = mix(mix(surface.width, surface.height), surface.depth);
        const uint32_t step = surface.linear || s->decoded ? 1 : 4u << surface.tile_h;
        for (uint32_t z = 0; z < surface.depth; z++)
            for (uint32_t y = 0; y < surface.height; y += step) {
                const uint32_t rest = surface.height - y;
                m->hash[i] = s->decoded
                                 ? hash_decoded(m->hash[i], &surface, y, z)
                                 : hash_rows(m->hash[i], &surface, y, rest < step ? rest : step, z);
            }
    }
}

/* ---- replays ---- */

static void before_draw(void *self, tp_context *c, uint64_t draw) {
    struct diff_side *s = self;
    if (draw != s->wanted)
        return;
    if (s->tracing) {
        context_observe(c, PROGRAM_FP, &s->observer);
    } else {
        context_flush(c);
        take_moment(s, &c->state, &s->before);
    }
}

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct diff_side *s = self;
    if (s->wanted) {
        if (draw == s->wanted)
            s->state = c->state;
        if (s->tracing && draw == s->wanted)
            context_observe(c, PROGRAM_FP, NULL);
        return;
    }
    context_flush(c);
    if (ARRAY_ROOM(s->moment, s->capacity, s->draws + 1))
        take_moment(s, &c->state, &s->moment[s->draws++]);
    else
        s->out_of_memory = true;
}

/* Keeps the state of the last channel, and hashes its targets. */
static void at_end(void *self) {
    struct diff_side *s = self;
    struct channel *c = s->played.result.channel;
    if (s->wanted || !c)
        return;
    s->state = channel_context(c)->state;
    take_moment(s, &s->state, &s->end);
}

/* Replays both recordings up to draw `wanted` (0: all). The devices stay open, so that their memory
 * can be read afterwards. */
static int replay_both(struct diff_side side[2], uint64_t wanted) {
    int code = EXIT_FINE;
    for (struct diff_side *s = side; s < side + 2 && code == EXIT_FINE; s++) {
        const struct playback_hooks hooks = {
            .self = s, .before = before_draw, .after = after_draw, .done = at_end};
        s->wanted = wanted;
        s->draws = wanted ? s->draws : 0;
        code = playback_run(&s->playback, wanted, &hooks, &s->played);
        if (code == EXIT_FINE && s->out_of_memory)
            code = command_failed(s->playback.command, "%s: out of memory", name_of(s));
    }
    return code;
}

static void close_both(struct diff_side side[2]) {
    playback_end(&side[0].played);
    playback_end(&side[1].played);
}

/* ---- the first pixel ---- */

/* The first texel that differs, in the first target that differs. */
struct found {
    unsigned target;
    char name[16];
    bool shape; /* one recording lacks the target, or the sizes differ: there is no texel */
    struct surface surface[2];
    uint64_t texels; /* number of texels that differ */
    uint32_t at[3];  /* the first of them: column, row, layer */
};

static bool same_texel(const struct surface s[2], const uint32_t at[3]) {
    uint8_t p[16], q[16];
    uint32_t a[4], b[4];
    copy_texel(&s[0], at, p);
    copy_texel(&s[1], at, q);
    if (s[0].format == s[1].format)
        return memcmp(p, q, sizeof p) == 0;
    format_decode(s[0].format, p, a);
    format_decode(s[1].format, q, b);
    return memcmp(a, b, sizeof a) == 0;
}

static void compare_texels(struct found *f) {
    const struct surface *s = f->surface;
    f->texels = 0;
    for (uint32_t z = 0; z < s->depth; z++)
        for (uint32_t y = 0; y < s->height; y++)
            for (uint32_t x = 0; x < s->width; x++) {
                const uint32_t at[3] = {x, y, z};
                if (!same_texel(s, at) && !f->texels++)
                    memcpy(f->at, at, sizeof at);
            }
}

/* Returns false if all targets are equal. */
static bool find_difference(const struct diff_side side[2], struct found *f) {
    for (unsigned i = 0; i < TARGETS; i++) {
        struct surface *const s = f->surface;
        bool bound[2];
        for (int k = 0; k < 2; k++)
            bound[k] = surface_of(side[k].played.device, &side[k].state, i, &s[k]);
        f->target = i;
        snprintf(f->name, sizeof f->name, i == RASTER_TARGETS ? "zeta" : "colour %u", i);
        for (int k = 0; k < 2; k++)
            if (!bound[k])
                s[k].width = s[k].height = s[k].depth = 0;
        f->shape =
            s[0].width != s[1].width || s[0].height != s[1].height || s[0].depth != s[1].depth;
        if (f->shape)
            return true;
        compare_texels(f);
        if (f->texels)
            return true;
    }
    return false;
}

static void print_shape(const struct diff_side *s, const struct surface *surface) {
    printf("  %s: ", name_of(s));
    if (!surface->width)
        printf("not bound\n");
    else if (surface->depth > 1)
        printf("%ux%u, %u layers\n", surface->width, surface->height, surface->depth);
    else
        printf("%ux%u\n", surface->width, surface->height);
}

static void print_texel(const struct diff_side *s, const struct surface *surface,
                        const uint32_t at[3]) {
    const struct format_info *f = format_info(surface->format);
    uint8_t texel[16];
    uint32_t word[4];
    copy_texel(surface, at, texel);
    format_decode(surface->format, texel, word);
    printf("  %s:", name_of(s));
    for (int i = 0; i < 4 && (i < 2 || !f->zeta); i++) {
        if (f->type == COMPONENT_SINT || f->type == COMPONENT_UINT || (f->zeta && i == 1))
            printf(" %u", word[i]);
        else
            printf(" %.9g", (double)bits_float(word[i]));
    }
    putchar('\n');
}

/* Completes the line that describes the difference, and prints the size or the texel of each
 * side. */
static void print_difference(const struct diff_side side[2], const struct found *f) {
    printf("%s, ", f->name);
    if (f->shape)
        printf("not of the same size\n");
    else if (f->surface[0].depth > 1)
        printf("%" PRIu64 " texels, the first at %u,%u of layer %u\n", f->texels, f->at[0],
               f->at[1], f->at[2]);
    else
        printf("%" PRIu64 " texels, the first at %u,%u\n", f->texels, f->at[0], f->at[1]);
    for (int i = 0; i < 2; i++)
        if (f->shape)
            print_shape(&side[i], &f->surface[i]);
        else
            print_texel(&side[i], &f->surface[i], f->at);
}

/* ---- the first instruction ---- */

static void read_lane(const struct warp *w, unsigned lane, uint32_t word[LANE_WORDS]) {
    for (uint32_t i = 0; i < WARP_REGS; i++)
        word[i] = w->r[i][lane];
    for (uint32_t i = 0; i < 8; i++)
        word[WORD_A + i] = w->a[i][lane] & 0xffff;
    for (uint32_t i = 0; i < 4; i++)
        word[WORD_C + i] = flags_of_lane(&w->c[i], lane);
    word[WORD_P] = 0;
    for (uint32_t i = 0; i < PRED_TRUE; i++)
        word[WORD_P] |= (w->fermi.p[i] >> lane & 1) << i;
}

/* Returns false when out of memory. */
static bool note_step(struct trace *t, struct diff_step step, const uint32_t before[LANE_WORDS],
                      const uint32_t now[LANE_WORDS]) {
    step.change = t->changes;
    for (uint32_t i = 0; i < LANE_WORDS; i++) {
        if (now[i] == before[i])
            continue;
        if (!ARRAY_ROOM(t->change, t->change_capacity, t->changes + 1))
            return false;
        t->change[t->changes++] = (struct diff_change){i, now[i]};
    }
    step.changes = (uint32_t)(t->changes - step.change);
    if (!ARRAY_ROOM(t->step, t->capacity, t->count + 1))
        return false;
    t->step[t->count++] = step;
    return true;
}

static void print_op(const struct program *p, uint32_t at, struct diff_step *step) {
    struct op op = p->ops[at];
    program_print(p, &op, step->text, sizeof step->text);
    if (op_has(&op, TRAIT_TARGET))
        op.target -= step->pc;
    program_print(p, &op, step->same, sizeof step->same);
}

/* Returns false when out of memory. */
static bool trace_lane(struct trace *t, struct stepper *s, unsigned lane) {
    const struct warp_env *env = stepper_env(s);
    uint32_t word[2][LANE_WORDS];
    t->count = t->changes = 0;
    for (int n = 0; stepper_status(s) == WARP_RUNNING && n < TRACE_MAX; n++) {
        const struct warp *w = stepper_warp(s);
        const uint32_t at = program_word(env->program, w->pc);
        const bool active = w->active >> lane & 1;
        struct diff_step step = {.pc = w->pc};
        if (at < env->program->word_count)
            print_op(env->program, at, &step);
        read_lane(w, lane, word[0]);
        stepper_step(s);
        read_lane(w, lane, word[1]);
        if (active && !note_step(t, step, word[0], word[1]))
            return false;
    }
    t->end = stepper_status(s);
    t->discarded = stepper_warp(s)->dead >> lane & 1;
    return true;
}

/* Traces the fragment of a warp that lies at the pixel, in place of an earlier fragment's trace. */
static void look_at_warp(void *self, const struct warp *w, const struct warp_env *env) {
    struct diff_side *s = self;
    for (lane_mask m = w->launched & ~w->dead; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        if (w->origin[0] + (int)floorf(w->x[lane]) != s->x ||
            w->origin[1] + (int)floorf(w->y[lane]) != s->y)
            continue;
        struct stepper *stepper = stepper_create(w, env);
        if (!stepper || !trace_lane(&s->trace, stepper, lane))
            s->out_of_memory = true;
        stepper_destroy(stepper);
        return;
    }
}

/* Returns how many of the first changes of step i are equal in both traces. */
static uint32_t same_changes(const struct trace *a, const struct trace *b, size_t i) {
    const struct diff_step *p = &a->step[i], *q = &b->step[i];
    uint32_t n = 0;
    while (n < p->changes && n < q->changes &&
           memcmp(&a->change[p->change + n], &b->change[q->change + n], sizeof *a->change) == 0)
        n++;
    return n;
}

/* Prints step i with change number k, from 0, if the step has so many changes. */
static void print_step(const struct diff_side *s, size_t i, uint32_t k) {
    const struct diff_step *t = &s->trace.step[i];
    printf("  %s: 0x%06x  %s", name_of(s), t->pc, t->text);
    if (k < t->changes) {
        const struct diff_change *c = &s->trace.change[t->change + k];
        if (c->word < WORD_A)
            printf("  -> $r%u = 0x%08x (%.9g)", c->word, c->value, (double)bits_float(c->value));
        else if (c->word < WORD_C)
            printf("  -> $a%u = 0x%04x", c->word - WORD_A, c->value);
        else if (c->word < WORD_P)
            printf("  -> $c%u = 0x%x", c->word - WORD_C, c->value);
        else
            printf("  -> predicates 0x%02x", c->value);
    }
    putchar('\n');
}

/* Prints how the fragment goes on after its first n instructions. */
static void print_rest(const struct diff_side *s, size_t n) {
    const struct trace *t = &s->trace;
    if (t->count > n)
        print_step(s, n, 0);
    else
        printf("  %s: the fragment %s\n", name_of(s),
               t->end == WARP_ERROR     ? "fails"
               : t->end == WARP_RUNNING ? "goes on"
               : t->discarded           ? "is discarded"
                                        : "ends");
}

static void compare_traces(const struct diff_side side[2]) {
    const struct trace *a = &side[0].trace, *b = &side[1].trace;
    const size_t n = a->count < b->count ? a->count : b->count;
    if (!a->count || !b->count) {
        for (int i = 0; i < 2; i++)
            printf("  %s: %s fragment at that pixel in this draw\n", name_of(&side[i]),
                   side[i].trace.count ? "there is a" : "no");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const bool program = strcmp(a->step[i].same, b->step[i].same) != 0;
        const uint32_t k = same_changes(a, b, i);
        if (!program && k == a->step[i].changes && k == b->step[i].changes)
            continue;
        printf("instruction %zu of the fragment is the first to differ%s:\n", i + 1,
               program ? ": another program, or another way through it" : "");
        print_step(&side[0], i, k);
        print_step(&side[1], i, k);
        return;
    }
    if (a->count != b->count || a->discarded != b->discarded || a->end != b->end) {
        printf("the fragments run equally for %zu instructions, then:\n", n);
        print_rest(&side[0], n);
        print_rest(&side[1], n);
    } else if (a->end == WARP_RUNNING) {
        printf("the last fragment there runs equally in both for %zu instructions; "
               "no further ones are compared\n",
               n);
    } else {
        printf("the last fragment there computes the same in both: tests, blending or an earlier "
               "fragment differ\n");
    }
}

/* ---- the whole ---- */

static int explain_difference(struct diff_side side[2], uint64_t draw, const uint32_t at[3]) {
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
    compare_traces(side);
    return EXIT_FAILED;
}

/* Compares the targets after this draw. Returns EXIT_FINE if they are equal although their hashes
 * differ. */
static int look_at_draw(struct diff_side side[2], uint64_t draw) {
    struct found found;
    int code = replay_both(side, draw);
    if (code != EXIT_FINE || !find_difference(side, &found)) {
        close_both(side);
        return code;
    }
    printf("draw %" PRIu64 " is the first to differ: ", draw);
    print_difference(side, &found);
    const bool layered = found.surface[0].depth > 1;
    close_both(side);
    if (found.shape)
        return EXIT_FAILED;
    if (side[0].before.hash[found.target] != side[1].before.hash[found.target])
        printf("(%s differs before the draw, too: a clear, a copy, a grid or the CPU changed it)\n",
               found.name);
    if (side[0].state.samples <= 1 && side[1].state.samples <= 1 && !layered)
        return explain_difference(side, draw, found.at);
    if (layered)
        printf("(layered: no fragment is looked at)\n");
    else
        printf("(multisampled: positions are those of samples; no fragment is looked at)\n");
    return EXIT_FAILED;
}

/* Hashes the targets of both recordings. The devices stay open. If a target's formats differ,
 * hashes components in place of bytes. */
static int hash_both(struct diff_side side[2]) {
    int code = replay_both(side, 0);
    const size_t n = side[0].draws < side[1].draws ? side[0].draws : side[1].draws;
    bool same = memcmp(side[0].end.format, side[1].end.format, sizeof side[0].end.format) == 0;
    for (size_t i = 0; i < n && same; i++)
        same = memcmp(side[0].moment[i].format, side[1].moment[i].format,
                      sizeof side[0].end.format) == 0;
    if (code != EXIT_FINE || same)
        return code;
    side[0].decoded = side[1].decoded = true;
    close_both(side);
    return replay_both(side, 0);
}

static bool same_moment(const struct moment *a, const struct moment *b) {
    return memcmp(a->hash, b->hash, sizeof a->hash) == 0;
}

static int diff_sides(struct diff_side side[2]) {
    struct found found;
    int code = hash_both(side);
    const size_t n = side[0].draws < side[1].draws ? side[0].draws : side[1].draws;
    size_t i = 0;
    if (code != EXIT_FINE)
        return code;
    while (i < n && same_moment(&side[0].moment[i], &side[1].moment[i]))
        i++;
    if (i == n && side[0].draws == side[1].draws && !same_moment(&side[0].end, &side[1].end) &&
        find_difference(side, &found)) {
        printf("%zu draws, the same pictures after each, but not at the end: ", n);
        print_difference(side, &found);
        return EXIT_FAILED;
    }
    close_both(side);
    for (; i < n && code == EXIT_FINE; i++)
        if (!same_moment(&side[0].moment[i], &side[1].moment[i]))
            code = look_at_draw(side, i + 1);
    if (code != EXIT_FINE)
        return code;
    if (side[0].draws == side[1].draws) {
        printf("%zu draws, the same pictures after each\n", n);
        return EXIT_FINE;
    }
    printf("the first %zu draws leave the same pictures; then %s goes on\n", n,
           name_of(&side[side[0].draws < side[1].draws]));
    return EXIT_FAILED;
}

COMMAND(diff) {
    static const struct option_spec options[] = {{0}};
    const struct command command = {
        "diff",
        "A B",
        "The first draw, pixel and instruction at which two recordings differ (teslapipe gl --record).\n"
        "Compares the targets after each draw and at the end; not the memory that grids write.\n"
        "Exit code 0: no difference; 1: there is one, or a file cannot be read.",
        options,
        "teslapipe diff before.tpr after.tpr",
    };
    static struct diff_side side[2];
    COMMAND_PARSE(code, count);
    if (count != 2)
        return command_usage(&command, "takes two recordings (see --help)");
    for (int i = 0; i < 2; i++)
        side[i] = (struct diff_side){.playback = {.command = &command, .file = argv[1 + i]}};
    code = diff_sides(side);
    close_both(side);
    for (int i = 0; i < 2; i++) {
        free(side[i].moment);
        free(side[i].trace.step);
        free(side[i].trace.change);
    }
    return code;
}
