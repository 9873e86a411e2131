/* The history of a pixel in the viewer. In: a playback, which is run once with a history that keeps
 * traces. Out: lines of text. The next instruction is marked; beside each instruction stands its
 * last result in the fragment's registers. */
#include "tools/view_pixel.h"

#include "tools/history_text.h"
#include "tools/why_run.h"

#include <stdlib.h>

struct code_line {
    uint32_t address;
    char *text;
};

enum { STEPS = 1 << 14 /* steps of a warp that are recorded */ };

struct story {
    char *lines;             /* as `why` prints them */
    struct lane_trace trace; /* count 0: the entry has no trace */
    uint64_t draw;
    /* number of the program's run at this pixel in this draw, from 1; 0: the program did not run */
    uint32_t hit;
    struct traced_primitive primitive; /* vertices 0: not known */
    struct stored store;               /* hit 0: the entry is no store */
    struct code_line *code;
    size_t code_count, code_capacity;
};

struct view_pixel {
    int x, y;
    struct story *story;
    size_t stories, capacity, selected;
    size_t step; /* number of executed instructions in the selected trace */
    char *cause;
    /* the step view */
    struct view_steps *view; /* NULL: closed */
    struct playback playback;
    unsigned vertex; /* vertex of the primitive, from 1; 0: the fragment */
    struct warp_steps *steps;
};

/* ---- asking ---- */

static void list_code(struct story *s, const struct program *p) {
    char text[256];
    for (uint32_t i = 0; i < p->word_count; i += p->ops[i].words ? p->ops[i].words : 1) {
        program_print(p, &p->ops[i], text, sizeof text);
        if (ARRAY_ROOM(s->code, s->code_capacity, s->code_count + 1))
            s->code[s->code_count++] = (struct code_line){program_address(p, i), strdup(text)};
    }
}

static void add_story(struct view_pixel *v, const struct history *h,
                      const struct history_entry *e) {
    size_t size;
    if (!ARRAY_ROOM(v->story, v->capacity, v->stories + 1))
        return;
    struct story *s = &v->story[v->stories++];
    memset(s, 0, sizeof *s);
    FILE *out = open_memstream(&s->lines, &size);
    if (out) {
        history_print(out, h, e, false);
        fclose(out);
    }
    s->draw = e->draw;
    for (const struct story *before = s; before > v->story && e->ran && !s->hit;)
        s->hit = (--before)->draw == e->draw && before->hit ? before->hit + 1 : 0;
    s->hit += e->ran && !s->hit;
    if (history_primitive(h, e))
        s->primitive = *history_primitive(h, e);
    if (e->store)
        s->store = *e->store;
    if (!e->trace)
        return;
    if (e->trace->program)
        list_code(s, e->trace->program);
    s->trace = *e->trace; /* the trace is moved, because the history no longer needs it */
    program_unref((struct program *)(uintptr_t)s->trace.program);
    s->trace.program = NULL;
    *e->trace = (struct lane_trace){0};
}

static void take_history(struct view_pixel *v, const struct why_run *r) {
    size_t count, size;
    const struct history_entry *const *e =
        history_select(r->history, 0, r->asked.address, &r->asked.surface, 0, &count);
    FILE *out = open_memstream(&v->cause, &size);
    if (out) {
        history_cause(out, r->history, e, count);
        fclose(out);
    }
    for (size_t i = 0; i < count; i++)
        add_story(v, r->history, e[i]);
    for (size_t i = 0; i < v->stories; i++)
        if (v->story[i].trace.count)
            v->selected = i;
    v->step = v->stories ? v->story[v->selected].trace.count : 0;
}

struct view_pixel *view_pixel_ask(const struct playback *p, uint64_t last, int x, int y) {
    struct view_pixel *v = calloc(1, sizeof *v);
    struct why_run run = {
        .playback = *p, .where = {.x = x, .y = y}, .draw = last, .options = {.trace = true}};
    if (!v)
        return NULL;
    v->playback = *p;
    v->x = x;
    v->y = y;
    const bool ok = why_run(&run) == EXIT_FINE && !run.failed && run.asked.address;
    if (ok)
        take_history(v, &run);
    why_run_end(&run);
    if (ok)
        return v;
    view_pixel_free(v);
    return NULL;
}

/* ---- the step view ---- */

static void close_steps(struct view_pixel *v) {
    view_steps_close(v->view);
    steps_free(v->steps);
    v->view = NULL;
    v->steps = NULL;
    v->vertex = 0;
}

struct view_steps *view_pixel_steps(const struct view_pixel *v) {
    return v->view;
}

struct warp_search {
    struct warp_catch caught;
    uint64_t draw;
};

/* A compute launch has no draw number, so the search for its warp begins with the context. */
static void new_context(void *self, tp_context *c) {
    struct warp_search *s = self;
    if (s->caught.place.stage == PROGRAM_CP)
        warp_catch_begin(&s->caught, c);
}

static void begin_search(void *self, tp_context *c, uint64_t draw) {
    struct warp_search *s = self;
    if (draw == s->draw && s->caught.place.stage != PROGRAM_CP)
        warp_catch_begin(&s->caught, c);
}

static void end_search(void *self, tp_context *c, uint64_t draw) {
    struct warp_search *s = self;
    if (draw == s->draw && s->caught.place.stage != PROGRAM_CP)
        warp_catch_end(&s->caught, c);
}

/* Opens the step view on a warp of the selected entry's draw; closes the view if no warp is
 * found. */
static void open_steps(struct view_pixel *v, struct warp_place place, uint32_t hit) {
    struct warp_search s = {.caught = {.place = place, .hit = hit, .most = STEPS},
                            .draw = v->story[v->selected].draw};
    const struct playback_hooks hooks = {
        .self = &s, .context = new_context, .before = begin_search, .after = end_search};
    struct played played;
    playback_run(&v->playback, place.stage == PROGRAM_CP ? 0 : s.draw, &hooks, &played);
    playback_end(&played);
    close_steps(v);
    v->steps = s.caught.steps;
    v->view = v->steps ? view_steps_open(v->steps, s.caught.lane) : NULL;
}

static void open_fragment(struct view_pixel *v) {
    const uint32_t hit = v->story[v->selected].hit;
    const struct stored *const store = &v->story[v->selected].store;
    if (store->hit)
        open_steps(v, store->place, store->hit);
    else if (hit)
        open_steps(v, (struct warp_place){.stage = PROGRAM_FP, .x = v->x, .y = v->y}, hit);
}

void view_pixel_toggle_steps(struct view_pixel *v) {
    if (v->view)
        close_steps(v);
    else if (v->stories)
        open_fragment(v);
}

/* Returns the place of a vertex in the program that made the vertex. The stage of this program says
 * which numbers name the place. */
static struct warp_place vertex_place(const struct traced_primitive *p, unsigned vertex) {
    const uint32_t number = p->vertex[vertex].number;
    struct warp_place place = {.stage = p->maker, .number = number, .instance = p->instance};
    if (p->maker == PROGRAM_GP || p->maker == PROGRAM_TEP)
        place.number = p->number;
    if (p->maker == PROGRAM_TEP)
        place.instance = number;
    return place;
}

void view_pixel_next_vertex(struct view_pixel *v) {
    const struct traced_primitive *p = &v->story[v->selected].primitive;
    const unsigned next = v->vertex + 1, most = p->maker == PROGRAM_GP ? 1 : p->vertices;
    if (next <= most) {
        open_steps(v, vertex_place(p, next - 1), 0);
        v->vertex = next;
    }
    if (next > most || !v->view)
        open_fragment(v);
}

void view_pixel_free(struct view_pixel *v) {
    if (!v)
        return;
    close_steps(v);
    for (size_t i = 0; i < v->stories; i++) {
        struct story *s = &v->story[i];
        for (size_t k = 0; k < s->code_count; k++)
            free(s->code[k].text);
        free(s->code);
        free(s->lines);
        lane_trace_free(&s->trace);
    }
    free(v->story);
    free(v->cause);
    free(v);
}

/* ---- moving ---- */

static size_t moved_within(size_t at, int by, size_t most) {
    if (by < 0)
        return at < (size_t)-by ? 0 : at - (size_t)-by;
    return most - at < (size_t)by ? most : at + (size_t)by;
}

void view_pixel_select(struct view_pixel *v, int by) {
    if (!v->stories)
        return;
    close_steps(v);
    v->selected = moved_within(v->selected, by, v->stories - 1);
    v->step = v->story[v->selected].trace.count;
}

void view_pixel_step(struct view_pixel *v, int by) {
    if (v->stories)
        v->step = moved_within(v->step, by, v->story[v->selected].trace.count);
}

void view_pixel_title(const struct view_pixel *v, char *title, size_t size) {
    if (v->view) {
        view_steps_title(v->view, title, size);
        return;
    }
    snprintf(title, size, "pixel %d,%d: entry %zu of %zu, step %zu of %zu", v->x, v->y,
             v->stories ? v->selected + 1 : 0, v->stories, v->step,
             v->stories ? v->story[v->selected].trace.count : 0);
}

/* ---- drawing ---- */

static const SDL_Color value = {150, 220, 160, 255};

/* A rectangle for lines of text, from top to bottom. */
struct text_lines {
    struct view_text *text;
    int x, y, width, end;
    bool shortened; /* code follows below, in a rectangle of its own */
};

/* Writes a line. Above code, "..." takes the place of the last line that fits. */
static void put_line(struct text_lines *l, const char *line, SDL_Color color) {
    const int height = view_text_line(l->text);
    if (l->y + height > l->end)
        return;
    if (l->y + 2 * height > l->end && l->shortened) {
        view_text_put(l->text, l->x, l->y, l->width, "...", faint);
        l->y += height;
        return;
    }
    view_text_put(l->text, l->x, l->y, l->width, line, color);
    l->y += view_text_line(l->text);
}

/* Writes text; long lines continue in the next line. */
static void put_wrapped(struct text_lines *l, const char *text, SDL_Color color) {
    const int fit = l->width / view_text_width(l->text);
    char line[512];
    const int room = fit<1 ? 1 : fit>(int) sizeof line - 1 ? (int)sizeof line - 1 : fit;
    while (*text) {
        int n = (int)strcspn(text, "\n"), most = n < room ? n : room;
        while (most < n && most > room / 2 && text[most] != ' ')
            most--;
        snprintf(line, sizeof line, "%.*s", most, text);
        put_line(l, line, color);
        text += most;
        text += *text == '\n' || *text == ' ';
    }
}

static void put_entries(struct text_lines *l, const struct view_pixel *v) {
    const int room = (l->end - l->y) / view_text_line(l->text);
    const size_t shown = room < 12 ? 3 : 6;
    const size_t first = v->selected >= shown ? v->selected - shown + 1 : 0;
    char line[256];
    for (size_t i = first; i < v->stories && i < first + shown; i++) {
        const char *text = v->story[i].lines ? v->story[i].lines : "";
        snprintf(line, sizeof line, "%s %.*s", i == v->selected ? ">" : " ",
                 (int)strcspn(text, "\n"), text);
        put_line(l, line, i == v->selected ? marked : plain);
    }
}

/* Writes the registers that the last execution of the instruction at this address changed. */
static void last_values(const struct lane_trace *t, size_t steps, uint32_t address, char *text,
                        size_t size) {
    size_t used = 0;
    text[0] = '\0';
    while (steps > 0 && (t->step[steps - 1].pc != address || !t->step[steps - 1].active))
        steps--;
    for (uint32_t k = 0; steps && k < t->step[steps - 1].changes && used < size; k++) {
        const struct trace_change *const c = &t->change[t->step[steps - 1].change + k];
        char word[24];
        view_word(word, sizeof word, c->value);
        used += (size_t)snprintf(text + used, size - used, "$r%u = %s  ", c->reg, word);
    }
}

/* Returns the column of values, in characters: behind the code, or `room` if there is no room for
 * values behind the code. */
static int code_column(const struct story *s, int room) {
    enum { LEAST = 30, MOST = 50, FRONT = 14, VALUE = 18 };
    int column = LEAST;
    for (size_t i = 0; i < s->code_count; i++) {
        const int length = s->code[i].text ? (int)strlen(s->code[i].text) + FRONT : 0;
        column = length > column ? length : column;
    }
    column = column > MOST ? MOST : column;
    return column + VALUE <= room ? column : room;
}

static void put_code(struct text_lines *l, const struct story *s, size_t step) {
    const uint32_t here = step < s->trace.count ? s->trace.step[step].pc : UINT32_MAX;
    const int line = view_text_line(l->text), room = (l->end - l->y) / line;
    const int wide = view_text_width(l->text);
    const int column = code_column(s, l->width / wide) * wide;
    const bool below = column >= l->width; /* values are on lines of their own */
    size_t at = s->code_count;
    for (size_t i = 0; i < s->code_count; i++)
        at = s->code[i].address == here ? i : at;
    const int lines = below ? room / 2 : room; /* number of instructions */
    const size_t half = lines > 2 ? (size_t)lines / 2 : 1;
    const size_t first = at < half || s->code_count <= (size_t)lines ? 0
                         : at + half > s->code_count                 ? s->code_count - (size_t)lines
                                                                     : at - half;
    for (size_t i = first; i < s->code_count && l->y + line <= l->end; i++) {
        char text[320], values[160];
        snprintf(text, sizeof text, "%s0x%06x  %s", i == at ? "=> " : "   ", s->code[i].address,
                 s->code[i].text ? s->code[i].text : "");
        last_values(&s->trace, step, s->code[i].address, values, sizeof values);
        view_text_put(l->text, l->x, l->y, values[0] && !below ? column : l->width, text,
                      i == at     ? marked
                      : values[0] ? plain
                                  : faint);
        if (!below)
            view_text_put(l->text, l->x + column + 8, l->y, l->width - column - 8, values, value);
        l->y += line;
        if (below && values[0] && l->y + line <= l->end) {
            view_text_put(l->text, l->x + 6 * wide, l->y, l->width - 6 * wide, values, value);
            l->y += line;
        }
    }
}

void view_pixel_draw(const struct view_pixel *v, SDL_Renderer *renderer, struct view_text *text,
                     const SDL_Rect *where) {
    if (v->view) {
        view_steps_draw(v->view, renderer, text, where);
        return;
    }
    /* the lower two fifths are kept for the code */
    const bool code = v->stories && v->story[v->selected].trace.count;
    const int end = where->y + where->h;
    struct text_lines l = {
        text, where->x + 8, where->y + 6, where->w - 16, code ? where->y + where->h * 6 / 10 : end,
        code};
    char title[128];
    SDL_SetRenderDrawColor(renderer, 24, 26, 32, 255);
    SDL_RenderFillRect(renderer, where);
    view_pixel_title(v, title, sizeof title);
    put_line(&l, title, plain);
    put_entries(&l, v);
    if (v->cause) {
        put_wrapped(&l, "cause:", faint);
        put_wrapped(&l, v->cause, plain);
    }
    l.y += view_text_line(text) / 2;
    if (!v->stories)
        return;
    const struct story *s = &v->story[v->selected];
    if (s->lines && strchr(s->lines, '\n'))
        put_wrapped(&l, strchr(s->lines, '\n') + 1, faint);
    l.y += view_text_line(text) / 2;
    l.end = end;
    l.shortened = false;
    put_line(&l,
             s->trace.count ? "left, right: back, forward; up, down: other entries; w: the warp"
                            : "(no program ran)",
             faint);
    if (s->trace.count)
        put_code(&l, s, v->step);
}
