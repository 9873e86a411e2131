/* The step view: each row is an instruction, a mask or a stack entry, each column a lane, so that
 * the way of a lane is one column. The colour of a cell says what the lane did in the instruction,
 * or that the lane waits there. In: a record of steps, moved to one step. Out: rectangles and text
 * on the renderer. Must not know the source of the record. */
#include "tools/view_steps.h"

#include <stdio.h>
#include <stdlib.h>

enum { STACK_MOST = 8, NEVER = 0xffffffff, QUAD_GAP = 3, MARGIN = 8, PAGE = 16 };

struct view_steps {
    struct warp_steps *s;
    unsigned lane;
    uint32_t known_at; /* the cursor for which last[] is valid */
    unsigned known_lane;
    uint32_t *last;         /* for each instruction: the last step before the cursor, or NEVER */
    uint32_t *last_in_lane; /* `last` among steps that the selected lane executed */
    uint32_t *code_of;      /* for each step: the index of its instruction */
    uint32_t first;         /* first instruction that is shown */
    int longest;            /* characters of the longest instruction */
    /* columns, set by the last drawing */
    int cells_x, cell;
};

/* ---- colours ---- */

static const SDL_Color value_color = {150, 220, 160, 255}, runs = {90, 215, 115, 255},
                       held = {52, 98, 62, 255}, did = {70, 118, 190, 255},
                       held_before = {44, 66, 100, 255}, was_off = {42, 44, 52, 255},
                       never = {30, 32, 38, 255}, empty = {36, 38, 46, 255};
static const SDL_Color wait_color[LANE_STATES] = {
    [LANE_UNUSED] = {30, 32, 38, 255},       [LANE_RUNS] = {90, 215, 115, 255},
    [LANE_OTHER_WAY] = {255, 190, 70, 255},  [LANE_MEETS] = {235, 125, 60, 255},
    [LANE_LEFT_LOOP] = {205, 125, 235, 255}, [LANE_NEXT_ROUND] = {150, 130, 245, 255},
    [LANE_RETURNED] = {80, 205, 215, 255},   [LANE_BARRIER] = {240, 85, 85, 255},
    [LANE_ENDED] = {92, 95, 105, 255},
};

/* ---- the record ---- */

struct view_steps *view_steps_open(struct warp_steps *s, unsigned lane) {
    struct view_steps *v = calloc(1, sizeof *v);
    const uint32_t codes = steps_code_count(s), count = steps_count(s);
    if (!v)
        return NULL;
    v->s = s;
    v->lane = lane % LANES;
    v->known_at = NEVER;
    v->last = calloc(codes + 1, sizeof *v->last);
    v->last_in_lane = calloc(codes + 1, sizeof *v->last_in_lane);
    v->code_of = calloc(count + 1, sizeof *v->code_of);
    if (!v->last || !v->last_in_lane || !v->code_of) {
        view_steps_close(v);
        return NULL;
    }
    for (uint32_t k = 0; k < codes; k++) {
        const int length = (int)strlen(steps_code_get(s, k)->text);
        v->longest = length > v->longest ? length : v->longest;
    }
    /* most steps go on with the next instruction, which needs no search */
    for (uint32_t i = 0; i < count; i++)
        v->code_of[i] =
            i && v->code_of[i - 1] + 1 < codes &&
                    steps_code_get(s, v->code_of[i - 1] + 1)->address == steps_get(s, i)->pc
                ? v->code_of[i - 1] + 1
                : steps_code_at(s, steps_get(s, i)->pc);
    return v;
}

void view_steps_close(struct view_steps *v) {
    if (!v)
        return;
    free(v->last);
    free(v->last_in_lane);
    free(v->code_of);
    free(v);
}

/* Finds the last steps of each instruction before the cursor. */
static void find_last(struct view_steps *v) {
    const uint32_t at = steps_at(v->s);
    /* results for the same lane and an earlier cursor are kept */
    const bool on = v->known_at <= at && v->known_lane == v->lane;
    for (uint32_t k = 0; k <= steps_code_count(v->s) && !on; k++)
        v->last[k] = v->last_in_lane[k] = NEVER;
    for (uint32_t i = on ? v->known_at : 0; i < at; i++) {
        v->last[v->code_of[i]] = i;
        if (steps_get(v->s, i)->guard >> v->lane & 1)
            v->last_in_lane[v->code_of[i]] = i;
    }
    v->known_at = at;
    v->known_lane = v->lane;
}

/* ---- moving ---- */

void view_steps_move(struct view_steps *v, int by) {
    const int64_t at = (int64_t)steps_at(v->s) + by;
    steps_goto(v->s, at < 0 ? 0 : at > UINT32_MAX - 1 ? UINT32_MAX : (uint32_t)at);
}

/* Moves to the next or previous step in which the selected lane takes part. */
static void move_in_lane(struct view_steps *v, int by) {
    const uint32_t count = steps_count(v->s);
    int64_t i = (int64_t)steps_at(v->s) + by;
    while (i >= 0 && i < count && !(steps_get(v->s, (uint32_t)i)->active >> v->lane & 1))
        i += by;
    steps_goto(v->s, i < 0 ? 0 : (uint32_t)i);
}

/* Moves to the next or previous step whose active lanes differ from those of the step before. */
static void move_to_split(struct view_steps *v, int by) {
    const uint32_t count = steps_count(v->s), at = steps_at(v->s);
    int64_t i = (int64_t)at + by;
    while (i > 0 && i < count &&
           steps_get(v->s, (uint32_t)i)->active == steps_get(v->s, (uint32_t)i - 1)->active)
        i += by;
    steps_goto(v->s, i < 0 ? 0 : (uint32_t)i);
}

bool view_steps_key(struct view_steps *v, SDL_Keycode key) {
    static const struct {
        SDL_Keycode key;
        int step, lane;
    } keys[] = {{SDLK_LEFT, -1, 0},          {SDLK_RIGHT, 1, 0},
                {SDLK_PAGEUP, -PAGE, 0},     {SDLK_PAGEDOWN, PAGE, 0},
                {SDLK_HOME, -0x7fffffff, 0}, {SDLK_END, 0x7fffffff, 0},
                {SDLK_UP, 0, LANES - 1},     {SDLK_DOWN, 0, 1}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key) {
            v->lane = (v->lane + (unsigned)keys[i].lane) % LANES;
            if (keys[i].step)
                view_steps_move(v, keys[i].step);
            return true;
        }
    if (key == SDLK_n || key == SDLK_b)
        move_in_lane(v, key == SDLK_n ? 1 : -1);
    else if (key == SDLK_d || key == SDLK_a)
        move_to_split(v, key == SDLK_d ? 1 : -1);
    return key == SDLK_n || key == SDLK_b || key == SDLK_d || key == SDLK_a;
}

static int lane_x(const struct view_steps *v, unsigned lane) {
    return v->cells_x + (int)lane * v->cell + (int)(lane / 4) * QUAD_GAP;
}

void view_steps_click(struct view_steps *v, int x) {
    for (unsigned i = 0; i < LANES; i++)
        if (x >= lane_x(v, i) && x < lane_x(v, i) + v->cell)
            v->lane = i;
}

void view_steps_title(const struct view_steps *v, char *title, size_t size) {
    char name[64];
    steps_lane_name(v->s, v->lane, name, sizeof name);
    snprintf(title, size, "%s: step %u of %u, lane %u %s", name, steps_at(v->s), steps_count(v->s),
             v->lane, steps_state_name(steps_lane(v->s, v->lane).state));
}

/* ---- cells ---- */

/* The layout of a frame: a rectangle for rows, one below the other. */
struct sheet {
    struct view_steps *v;
    SDL_Renderer *renderer;
    struct view_text *text;
    SDL_Rect area;
    int y, line, wide; /* height of a row; width of a character */
    int text_width, value_x, value_width;
};

static void fill(const struct sheet *t, int x, int y, int w, int h, SDL_Color c) {
    const SDL_Rect r = {x, y, w, h};
    SDL_SetRenderDrawColor(t->renderer, c.r, c.g, c.b, 255);
    SDL_RenderFillRect(t->renderer, &r);
}

/* Draws a lane's cell in the current row. Invisible lanes, whose results are dropped, have small
 * cells. */
static void put_cell(const struct sheet *t, unsigned lane, SDL_Color color, bool small) {
    const int inset = small ? t->line / 4 : 1, size = t->v->cell - 1;
    const int side = small ? size / 4 : 0;
    fill(t, lane_x(t->v, lane) + side, t->y + inset, size - 2 * side, t->line - 2 * inset, color);
}

static void put_text(const struct sheet *t, const char *text, SDL_Color color) {
    view_text_put(t->text, t->area.x + MARGIN, t->y, t->text_width, text, color);
}

static void put_value(const struct sheet *t, const char *text, SDL_Color color) {
    view_text_put(t->text, t->value_x, t->y, t->value_width, text, color);
}

static void put_line(struct sheet *t, const char *text, SDL_Color color) {
    view_text_put(t->text, t->area.x + MARGIN, t->y, t->area.w - 2 * MARGIN, text, color);
    t->y += t->line;
}

/* ---- instructions ---- */

/* Writes the results of the instruction's last execution in the selected lane. */
static void last_values(const struct view_steps *v, uint32_t code, char *text, size_t size) {
    const uint32_t i = v->last_in_lane[code];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t k = 0; i != NEVER && k < steps_get(v->s, i)->changes && used + 32 < size; k++) {
        uint32_t now;
        const uint32_t row = steps_value(v->s, i, k, v->lane, &now);
        char word[24];
        view_word(word, sizeof word, now);
        used += (size_t)snprintf(text + used, size - used, "%s%s = %s", used ? "  " : "",
                                 steps_row_name(v->s, row), word);
    }
}

/* Returns the colour of a lane's cell by the last execution of the instruction. */
static SDL_Color past_color(const struct view_steps *v, uint32_t code, unsigned lane) {
    const uint32_t i = v->last[code];
    if (i == NEVER)
        return never;
    const struct warp_step *step = steps_get(v->s, i);
    return step->guard >> lane & 1 ? did : step->active >> lane & 1 ? held_before : was_off;
}

static void put_code_cells(const struct sheet *t, uint32_t code, const struct steps_lane *lane) {
    const struct view_steps *v = t->v;
    const uint32_t address = steps_code_get(v->s, code)->address, at = steps_at(v->s);
    const bool here = address == steps_pc(v->s);
    const lane_mask guard = at < steps_count(v->s) ? steps_get(v->s, at)->guard : LANES_ALL;
    for (unsigned i = 0; i < LANES; i++) {
        SDL_Color color = past_color(v, code, i);
        if (lane[i].pc == address && lane[i].state != LANE_RUNS)
            color = wait_color[lane[i].state];
        else if (here && lane[i].state == LANE_RUNS)
            color = guard >> i & 1 ? runs : held;
        else if (lane[i].state == LANE_UNUSED)
            color = never;
        put_cell(t, i, color, lane[i].invisible);
    }
}

static void put_code(struct sheet *t, uint32_t code, const struct steps_lane *lane) {
    struct view_steps *v = t->v;
    const struct steps_code *c = steps_code_get(v->s, code);
    const bool here = c->address == steps_pc(v->s);
    char text[320], values[160];
    snprintf(text, sizeof text, "%s%06x %s", here ? ">" : " ", c->address, c->text);
    last_values(v, code, values, sizeof values);
    put_text(t, text, here ? marked : v->last[code] == NEVER ? faint : plain);
    put_code_cells(t, code, lane);
    put_value(t, values, value_color);
    t->y += t->line;
}

/* Returns the instruction that must be visible: the next instruction; at the end the last
 * instruction. */
static uint32_t code_shown(const struct view_steps *v) {
    const uint32_t next = steps_code_at(v->s, steps_pc(v->s)), at = steps_at(v->s);
    return next == steps_code_count(v->s) && at ? v->code_of[at - 1] : next;
}

/* Draws `rows` rows of code, with the next instruction among them. */
static void put_codes(struct sheet *t, uint32_t rows, const struct steps_lane *lane) {
    struct view_steps *v = t->v;
    const uint32_t codes = steps_code_count(v->s), at = code_shown(v);
    const int end = t->y + (int)rows * t->line;
    if (at < codes && (at < v->first + 1 || at + 2 > v->first + rows))
        v->first = at > rows / 2 ? at - rows / 2 : 0;
    if (v->first + rows > codes)
        v->first = codes > rows ? codes - rows : 0;
    find_last(v);
    for (uint32_t k = v->first; k < codes && k < v->first + rows; k++)
        put_code(t, k, lane);
    t->y = end;
}

/* ---- stack and masks ---- */

static void put_stack(struct sheet *t, uint32_t rows, const struct steps_lane *lane) {
    struct steps_entry entry[STACK_MOST];
    const uint32_t most = rows < STACK_MOST ? rows : STACK_MOST;
    const uint32_t depth = steps_stack(t->v->s, entry, most);
    const int end = t->y + (int)rows * t->line;
    char text[96];
    if (!depth)
        put_text(t, " stack is empty", faint);
    for (uint32_t k = 0; k < depth && k < most; k++) {
        const bool more = k + 1 == most && depth > most;
        int n = snprintf(text, sizeof text, " stack %u: %s", k, steps_entry_name(entry[k].type));
        if (entry[k].type != STACK_QUADON)
            n += snprintf(text + n, sizeof text - (size_t)n, ", %06x", entry[k].pc);
        put_text(t, text, plain);
        for (unsigned i = 0; i < LANES; i++)
            put_cell(t, i,
                     entry[k].waiting >> i & 1 ? wait_color[lane[i].state]
                     : entry[k].mask >> i & 1  ? held_before
                                               : empty,
                     lane[i].invisible);
        snprintf(text, sizeof text, "and %u more", depth - most);
        put_value(t, more ? text : "", faint);
        t->y += t->line;
    }
    t->y = end;
}

static void put_mask(struct sheet *t, const char *name, lane_mask m, SDL_Color color,
                     const struct steps_lane *lane) {
    char text[48];
    snprintf(text, sizeof text, " %-10s %08x", name, m);
    put_text(t, text, plain);
    for (unsigned i = 0; i < LANES; i++)
        put_cell(t, i, m >> i & 1 ? color : empty, lane[i].invisible);
    t->y += t->line;
}

/* Draws the active lanes, and the other masks that the program ever sets. */
static void put_masks(struct sheet *t, uint32_t rows, const struct steps_lane *lane) {
    const struct warp_steps *s = t->v->s;
    const int end = t->y + (int)rows * t->line;
    put_mask(t, "active", steps_mask(s, STEPS_ACTIVE), runs, lane);
    for (int k = STEPS_FLAGS; k < STEPS_MASKS && t->y + t->line <= end; k++)
        if (steps_mask_used(s, (enum steps_mask)k))
            put_mask(t, steps_mask_name((enum steps_mask)k), steps_mask(s, (enum steps_mask)k), did,
                     lane);
    t->y = end;
}

/* ---- the text below ---- */

static void put_legend(struct sheet *t) {
    static const struct {
        const SDL_Color *color;
        const char *text;
    } items[] = {{&runs, "runs"},
                 {&held, "predicate false"},
                 {&did, "ran"},
                 {&wait_color[LANE_OTHER_WAY], "other way"},
                 {&wait_color[LANE_MEETS], "ways meet"},
                 {&wait_color[LANE_LEFT_LOOP], "left loop"},
                 {&wait_color[LANE_NEXT_ROUND], "next round"},
                 {&wait_color[LANE_RETURNED], "returned"}};
    int x = t->area.x + MARGIN;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const int width = t->wide * (int)strlen(items[i].text);
        fill(t, x, t->y + t->line / 4, t->line / 2, t->line / 2, *items[i].color);
        x += t->line / 2 + 4;
        view_text_put(t->text, x, t->y, width, items[i].text, faint);
        x += width + t->wide;
    }
    t->y += t->line;
}

/* Writes text that continues in the next lines, at most `rows`. */
static void put_wrapped(struct sheet *t, const char *text, int rows, SDL_Color color) {
    const int room = (t->area.w - 2 * MARGIN) / t->wide, end = t->y + rows * t->line;
    char line[512];
    while (*text && t->y < end) {
        const int n = (int)strlen(text);
        int most = n < room ? n : room;
        while (most < n && most > room / 2 && text[most] != ' ')
            most--;
        most = most < (int)sizeof line ? most : (int)sizeof line - 1;
        snprintf(line, sizeof line, "%.*s", most, text);
        put_line(t, line, color);
        text += most;
        text += *text == ' ';
    }
    t->y = end;
}

/* Writes the next instruction in full and its sentence; or that the program has ended. */
static void put_next(struct sheet *t) {
    const struct warp_steps *s = t->v->s;
    const uint32_t code = steps_code_at(s, steps_pc(s)), at = steps_at(s);
    const char *fault, *sentence = "";
    char text[400];
    const enum warp_status end = steps_end(s, &fault);
    if (at == steps_count(s))
        snprintf(text, sizeof text, "%s", end == WARP_DONE ? "the warp has ended" : fault);
    else if (code == steps_code_count(s))
        snprintf(text, sizeof text, "%06x is outside of the program", steps_pc(s));
    else
        snprintf(text, sizeof text, "next, in %d of %d lanes: %s",
                 __builtin_popcount(steps_get(s, at)->guard), __builtin_popcount(steps_launched(s)),
                 steps_code_get(s, code)->text);
    if (at < steps_count(s) && code < steps_code_count(s))
        sentence = steps_code_get(s, code)->sentence;
    put_line(t, text, marked);
    put_wrapped(t, sentence, t->area.w < 100 * t->wide ? 2 : 1, faint);
}

static void put_lane(struct sheet *t) {
    const struct view_steps *v = t->v;
    const struct steps_lane l = steps_lane(v->s, v->lane);
    char name[64], text[256], where[48] = "";
    steps_lane_name(v->s, v->lane, name, sizeof name);
    if (l.state != LANE_RUNS && l.pc != STEPS_NOWHERE)
        snprintf(where, sizeof where, ", goes on at %06x", l.pc);
    snprintf(text, sizeof text, "lane %u, %s: %s%s%s", v->lane, name, steps_state_name(l.state),
             where, l.invisible ? " (invisible: a helper, or discarded)" : "");
    put_line(t, text, plain);
}

/* Writes the changes of the last step in the selected lane. Sets changed[row] for the changed
 * registers. */
static void put_changes(struct sheet *t, bool *changed) {
    const struct view_steps *v = t->v;
    const uint32_t at = steps_at(v->s);
    uint32_t before[LANES], after[LANES];
    char text[400], was[24], now[24];
    size_t used = (size_t)snprintf(text, sizeof text, "last step:");
    for (uint32_t k = 0; at && k < steps_get(v->s, at - 1)->changes; k++) {
        const uint32_t row = steps_change(v->s, at - 1, k, before, after);
        if (before[v->lane] == after[v->lane] || used + 80 > sizeof text)
            continue;
        changed[row] = true;
        view_word(was, sizeof was, before[v->lane]);
        view_word(now, sizeof now, after[v->lane]);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s: %s -> %s",
                                 used > 12 ? "," : "", steps_row_name(v->s, row), was, now);
    }
    put_line(t, used > 12 ? text : "last step: no register of this lane",
             used > 12 ? value_color : faint);
}

static void put_registers(struct sheet *t, const bool *changed) {
    enum { COLUMN = 22 };
    const struct view_steps *v = t->v;
    const int columns = (t->area.w - 2 * MARGIN) / (COLUMN * t->wide);
    const int most = (t->area.y + t->area.h - t->y) / t->line;
    int count = 0, n = 0;
    for (uint32_t i = 0; i < steps_rows(v->s); i++)
        count += steps_row_used(v->s, i);
    if (columns < 1 || most < 1)
        return;
    int rows = (count + columns - 1) / columns;
    rows = rows > most ? most : rows;
    for (uint32_t i = 0; i < steps_rows(v->s) && n < columns * rows; i++) {
        char text[80], now[24];
        if (!steps_row_used(v->s, i))
            continue;
        view_word(now, sizeof now, steps_row(v->s, i)[v->lane]);
        snprintf(text, sizeof text, "%s = %s", steps_row_name(v->s, i), now);
        view_text_put(t->text, t->area.x + MARGIN + n / rows * COLUMN * t->wide,
                      t->y + n % rows * t->line, (COLUMN - 1) * t->wide, text,
                      changed[i] ? marked : plain);
        n++;
    }
}

/* ---- the whole ---- */

static void put_header(struct sheet *t) {
    struct view_steps *v = t->v;
    char text[192];
    view_steps_title(v, text, sizeof text);
    put_line(t, text, plain);
    const char *path = steps_program(v->s), *name = strrchr(path, '/');
    snprintf(text, sizeof text, " %s", name ? name + 1 : path);
    put_text(t, text, faint);
    for (unsigned i = 0; i < LANES; i += 4) {
        snprintf(text, sizeof text, "%u", i);
        view_text_put(t->text, lane_x(v, i), t->y, 4 * v->cell, text, faint);
    }
    put_value(t, "arrows, n b, d a, w", faint);
    t->y += t->line;
}

static void frame_lane(const struct sheet *t, int top, int bottom) {
    const SDL_Rect r = {lane_x(t->v, t->v->lane) - 1, top, t->v->cell + 1, bottom - top};
    SDL_SetRenderDrawColor(t->renderer, plain.r, plain.g, plain.b, 255);
    SDL_RenderDrawRect(t->renderer, &r);
}

/* Places the columns: code, cells, values. Values have at least a fifth of the width, cells at
 * least five pixels; code has the width that it needs if there is room. */
static void place_columns(struct sheet *t) {
    enum { LEAST = 36 /* characters: room for the names of stack entries */, FRONT = 9 };
    struct view_steps *v = t->v;
    const int room = t->area.w - 4 * MARGIN, gaps = LANES / 4 * QUAD_GAP;
    const int longest = v->longest + FRONT > LEAST ? v->longest + FRONT : LEAST;
    v->cell = room / 3 / LANES;
    v->cell = v->cell < 5 ? 5 : v->cell > 16 ? 16 : v->cell;
    const int cells = LANES * v->cell + gaps, most = room - cells - room / 5;
    t->text_width = longest * t->wide < most ? longest * t->wide : most;
    t->value_width = room - cells - t->text_width;
    v->cells_x = t->area.x + MARGIN + t->text_width + MARGIN;
    t->value_x = v->cells_x + cells + MARGIN;
}

void view_steps_draw(struct view_steps *v, SDL_Renderer *renderer, struct view_text *text,
                     const SDL_Rect *where) {
    struct sheet t = {.v = v,
                      .renderer = renderer,
                      .text = text,
                      .area = *where,
                      .y = where->y + 4,
                      .line = view_text_line(text),
                      .wide = view_text_width(text)};
    struct steps_lane lane[LANES];
    const uint32_t lines = (uint32_t)(where->h / t.line), some = lines < 34 ? 3 : 5;
    const uint32_t registers = lines < 34 ? 3 : 5, others = 2 * some + registers + 8;
    bool *const changed = calloc(steps_rows(v->s) + 1, sizeof *changed);
    fill(&t, where->x, where->y, where->w, where->h, (SDL_Color){24, 26, 32, 255});
    place_columns(&t);
    steps_lanes(v->s, lane);
    put_header(&t);
    const int top = t.y;
    put_codes(&t, lines > others + 4 ? lines - others : 4, lane);
    put_stack(&t, some, lane);
    put_masks(&t, some, lane);
    frame_lane(&t, top, t.y);
    put_legend(&t);
    put_next(&t);
    put_lane(&t);
    if (changed) {
        put_changes(&t, changed);
        put_registers(&t, changed);
    }
    free(changed);
}
