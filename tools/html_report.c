/* A frame as one static page: every draw with its state and its target before and after; then all
 * programs, with counts for each instruction, and all textures; and warnings. In: a playback. Out:
 * a folder for any browser, without server or scripts. */
#include "tools/html_text.h"
#include "base/format_text.h"
#include "tools/html_report.h"

#include "tools/heat.h"
#include "tools/png.h"
#include "tools/program_counts.h"
#include "tools/state_text.h"
#include "tools/texture_picture.h"
#include "shader/isa/isa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { THUMBNAIL = 200, NAME = 24 };

struct report_draw {
    char before[NAME], after[NAME]; /* files of the pictures; "": none */
    char patches[NAME], legend[160];
    bool same;                  /* the pictures before and after the draw are equal */
    char *state;                /* rows of a table */
    int program[PROGRAM_TYPES]; /* indices of programs; -1: the stage did not run */
    struct tp_statistics statistics;
};

struct report_texture {
    char picture[NAME];
    char what[64];
    uint32_t width, height;
    uint64_t draw;  /* the first draw that uses the texture */
    char place[32]; /* "fragment $t0" */
};

struct report {
    const struct playback *playback;
    const char *directory;
    tp_device *device;
    FILE *out;
    struct report_draw *draw;
    size_t draws, draw_capacity;
    struct report_texture *texture;
    size_t textures, texture_capacity;
    struct program_counts programs;
    struct sources sources;
    /* for each program: number of its GLSL program in the recording; 0: none */
    uint64_t *program_source;
    size_t source_capacity;
    char **warning;
    size_t warnings, warning_capacity;
    struct tp_statistics before;
    struct heat patches; /* the patches of the current draw, if the draw tessellates */
    bool failed;         /* a failure has been printed */
};

/* ---- text ---- */

static void put_escaped(FILE *out, const char *text) {
    html_put(out, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void warn_reader(struct report *r, const char *format,
                                                              ...) {
    char text[512];
    FORMAT_TEXT(text, format);
    for (size_t i = 0; i < r->warnings; i++)
        if (strcmp(r->warning[i], text) == 0)
            return;
    if (ARRAY_ROOM(r->warning, r->warning_capacity, r->warnings + 1) &&
        (r->warning[r->warnings] = strdup(text)))
        r->warnings++;
}

/* ---- pictures ---- */

static uint64_t hash_rows(const uint8_t *rows, size_t bytes, uint32_t width) {
    uint64_t hash = width;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, rows + i, 4);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 31;
    }
    return hash;
}

/* Returns a smaller picture, malloc'd, each pixel of which is a pixel of the larger picture. */
static uint8_t *shrink_rows(const uint8_t *rows, uint32_t *width, uint32_t *height) {
    const uint32_t longest = *width > *height ? *width : *height;
    const uint32_t step = (longest + THUMBNAIL - 1) / THUMBNAIL;
    const uint32_t w = (*width + step - 1) / step, h = (*height + step - 1) / step;
    uint8_t *out = malloc((size_t)w * h * 4);
    for (uint32_t y = 0; out && y < h; y++)
        for (uint32_t x = 0; x < w; x++)
            memcpy(out + 4 * ((size_t)y * w + x), rows + 4 * ((size_t)y * step * *width + x * step),
                   4);
    *width = w;
    *height = h;
    return out;
}

/* Writes a thumbnail and frees the rows. Equal thumbnails are one file, named by a hash. Returns
 * false if there is no picture. */
static bool put_picture(struct report *r, uint8_t *rows, uint32_t width, uint32_t height,
                        char name[NAME]) {
    char path[PATH_MAX], message[256];
    uint8_t *small = rows ? shrink_rows(rows, &width, &height) : NULL;
    name[0] = '\0';
    free(rows);
    if (!small)
        return false;
    snprintf(name, NAME, "%016" PRIx64 ".png", hash_rows(small, (size_t)width * height * 4, width));
    snprintf(path, sizeof path, "%s/img/%s", r->directory, name);
    struct stat there;
    const bool ok =
        stat(path, &there) == 0 || write_png(path, width, height, small, message, sizeof message);
    free(small);
    if (!ok && !r->failed) {
        command_failed(r->playback->command, "%s", message);
        r->failed = true;
    }
    return ok;
}

/* Returns the target to show: colour output 0, or zeta; NULL: none. */
static const struct target_state *target_of(const struct state *s) {
    const struct target_state *t = &s->color[s->color_map[0] & (RASTER_TARGETS - 1)];
    if (s->color_count && t->address && t->format != FORMAT_NONE)
        return t;
    return s->zeta_enable ? &s->zeta : NULL;
}

static void put_target(struct report *r, const struct state *s, char name[NAME]) {
    const struct target_state *t = target_of(s);
    uint8_t *rows = t ? target_picture(r->device, t) : NULL;
    name[0] = '\0';
    if (rows)
        put_picture(r, rows, t->width, t->height, name);
}

/* ---- patches ---- */

/* Begins to note the patches of a draw, sample by sample. */
static void begin_patches(struct report *r, tp_context *c) {
    const struct target_state *t = target_of(&c->state);
    if (t && c->state.program[PROGRAM_TEP] &&
        heat_begin(&r->patches, HEAT_PATCHES, t->width, t->height, c->state.samples))
        heat_attach(&r->patches, c);
}

static void end_patches(struct report *r, tp_context *c, struct report_draw *d) {
    const struct target_state *t = target_of(&c->state);
    if (r->patches.kind == HEAT_NONE)
        return;
    heat_detach(&r->patches, c);
    uint8_t *rows = t ? target_picture(r->device, t) : NULL;
    if (rows) {
        heat_paint(&r->patches, rows);
        heat_legend(&r->patches, d->legend, sizeof d->legend);
        put_picture(r, rows, t->width, t->height, d->patches);
    }
    heat_free(&r->patches);
}

/* ---- draws ---- */

static void put_state_line(void *self, const char *group, const char *name, const char *value) {
    FILE *out = self;
    fputs("<tr><td>", out);
    put_escaped(out, group);
    fputs("</td><td>", out);
    put_escaped(out, name);
    fputs("</td><td>", out);
    put_escaped(out, value);
    fputs("</td></tr>\n", out);
}

static char *state_rows(struct report *r, const struct state *s) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    state_text(s, put_state_line, out);
    state_textures_text(s, r->device->memory, put_state_line, out);
    fclose(out);
    return text;
}

static void note_texture(struct report *r, const struct state *s, enum program_type stage,
                         unsigned slot) {
    struct report_texture t = {.draw = r->draws};
    if (!s->program[stage])
        return;
    uint8_t *rows = texture_picture(s, r->device->memory, stage, slot, &t.width, &t.height, t.what);
    if (!rows || !put_picture(r, rows, t.width, t.height, t.picture))
        return;
    for (size_t i = 0; i < r->textures; i++)
        if (strcmp(r->texture[i].picture, t.picture) == 0)
            return;
    snprintf(t.place, sizeof t.place, "%s $t%u", program_stage_name(stage), slot);
    if (ARRAY_ROOM(r->texture, r->texture_capacity, r->textures + 1))
        r->texture[r->textures++] = t;
}

static void new_context(void *self, tp_context *c) {
    program_counts_watch(&((struct report *)self)->programs, c);
}

static void before_draw(void *self, tp_context *c, uint64_t draw) {
    struct report *r = self;
    if (!ARRAY_ROOM(r->draw, r->draw_capacity, draw))
        return;
    struct report_draw *d = &r->draw[r->draws++];
    memset(d, 0, sizeof *d);
    r->device = c->device;
    context_statistics(c, &r->before);
    d->state = state_rows(r, &c->state);
    put_target(r, &c->state, d->before);
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        for (unsigned i = 0; i < STATE_TEXTURES; i++)
            note_texture(r, &c->state, (enum program_type)stage, i);
    begin_patches(r, c);
}

static void subtract_statistics(struct tp_statistics *a, const struct tp_statistics *b) {
    a->vertices -= b->vertices;
    a->primitives -= b->primitives;
    a->fragments -= b->fragments;
    a->instructions -= b->instructions;
    a->bad_reads -= b->bad_reads;
    a->bad_writes -= b->bad_writes;
}

static void look_for_mistakes(struct report *r, const struct report_draw *d, uint64_t draw) {
    const struct tp_statistics *s = &d->statistics;
    if (!s->primitives)
        warn_reader(r, "draw %" PRIu64 ": no primitive is left after clipping and culling", draw);
    else if (d->same)
        warn_reader(r, "draw %" PRIu64 ": leaves its target as it was", draw);
    if (s->bad_reads || s->bad_writes)
        warn_reader(r, "draw %" PRIu64 ": %llu reads and %llu writes out of range", draw,
                    (unsigned long long)s->bad_reads, (unsigned long long)s->bad_writes);
}

/* Notes the GLSL that the first draw with program i has. */
static void note_source(struct report *r, int i) {
    const size_t had = r->source_capacity;
    if (i < 0 || !ARRAY_ROOM(r->program_source, r->source_capacity, (size_t)i + 1))
        return;
    memset(r->program_source + had, 0, (r->source_capacity - had) * sizeof *r->program_source);
    if (!r->program_source[i])
        r->program_source[i] = r->sources.current;
}

static void after_draw(void *self, tp_context *c, uint64_t draw) {
    struct report *r = self;
    struct report_draw *d = r->draws == draw ? &r->draw[draw - 1] : NULL;
    if (!d)
        return;
    context_statistics(c, &d->statistics);
    subtract_statistics(&d->statistics, &r->before);
    put_target(r, &c->state, d->after);
    end_patches(r, c, d);
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage)) {
        d->program[stage] = program_counts_find(&r->programs, c->state.program[stage]);
        note_source(r, d->program[stage]);
    }
    d->same = strcmp(d->before, d->after) == 0;
    look_for_mistakes(r, d, draw);
    if (context_finish(c) != TP_OK)
        warn_reader(r, "draw %" PRIu64 ": %s", draw, device_message(r->device));
}

/* ---- the page ---- */

static const char style[] =
    "body{font:15px/1.4 sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222;"
    "background:#fff}h1,h2,h3{line-height:1.2}table{border-collapse:collapse}"
    "td,th{padding:.1em .8em .1em 0;text-align:left;vertical-align:top}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    "figure{display:inline-block;margin:0 1em 1em 0}figcaption{font-size:13px;color:#555}"
    "img{border:1px solid #999;image-rendering:pixelated;min-width:64px;background:#888}"
    "code,pre,.code td{font-family:monospace}section{border-top:1px solid #ccc;padding-top:.5em}"
    ".warnings li{color:#a00}tr.never{color:#999}"
    ".pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1em}"
    ".glsl{margin:0;overflow-x:auto;font-size:13px}";

static void put_figure(FILE *out, const char *picture, const char *caption) {
    if (!*picture)
        return;
    fprintf(out, "<figure><img src=\"img/%s\" alt=\"", picture);
    put_escaped(out, caption);
    fputs("\"/><figcaption>", out);
    put_escaped(out, caption);
    fputs("</figcaption></figure>\n", out);
}

static void put_draw(const struct report *r, size_t i) {
    const struct report_draw *d = &r->draw[i];
    const struct tp_statistics *s = &d->statistics;
    FILE *out = r->out;
    fprintf(out, "<section class=\"draw\" id=\"draw%zu\"><h3>Draw %zu</h3>\n", i + 1, i + 1);
    put_figure(out, d->before, "before");
    put_figure(out, d->after, d->same ? "after: the same" : "after");
    put_figure(out, d->patches, d->legend);
    fprintf(out,
            "<p>%llu vertices, %llu primitives, %llu fragments, %llu warp instructions; programs:",
            (unsigned long long)s->vertices, (unsigned long long)s->primitives,
            (unsigned long long)s->fragments, (unsigned long long)s->instructions);
    for (int stage = 0; stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        if (d->program[stage] >= 0)
            fprintf(out, " <a href=\"#program%d\">%s %d</a>", d->program[stage] + 1,
                    program_stage_name(stage), d->program[stage] + 1);
    fprintf(out, "</p>\n<details><summary>State</summary><table>%s</table></details></section>\n",
            d->state ? d->state : "");
}

/* p->listing has lines "word address\tinstruction". */
static void put_instructions(const struct report *r, const struct counted_program *p) {
    const char *line = p->listing;
    while (*line) {
        char *text;
        const uint32_t word = (uint32_t)strtoul(line, &text, 10);
        const uint32_t address = (uint32_t)strtoul(text, &text, 16);
        const size_t length = strcspn(++text, "\n");
        const uint64_t warps = word < p->word_count ? p->warps[word] : 0;
        fprintf(r->out,
                "<tr%s><td>0x%06x</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
                "</td><td>",
                warps ? "" : " class=\"never\"", address, warps,
                word < p->word_count ? p->lanes[word] : 0);
        html_put(r->out, text, length);
        fputs("</td></tr>\n", r->out);
        line = text + length + (text[length] == '\n');
    }
}

static void put_program(const struct report *r, size_t i) {
    const struct counted_program *p = &r->programs.program[i];
    fprintf(r->out, "<section class=\"program\" id=\"program%zu\"><h3>Program %zu: %s, ", i + 1,
            i + 1, program_stage_name(p->type));
    put_escaped(r->out, p->name);
    fprintf(r->out, "</h3>\n<p>%u words, %u registers, run by %" PRIu64 " warps</p>\n",
            p->word_count, p->registers, p->runs);
    const char *const glsl =
        i < r->source_capacity ? sources_find(&r->sources, r->program_source[i], p->type) : NULL;
    if (glsl) {
        fputs("<div class=\"pair\"><pre class=\"glsl\">", r->out);
        put_escaped(r->out, glsl);
        fputs("</pre>\n", r->out);
    }
    fputs(
        "<table class=\"code\"><tr><th>address</th><th class=\"n\">warps</th><th class=\"n\">lanes</th>"
        "<th>instruction</th></tr>\n",
        r->out);
    put_instructions(r, p);
    fputs(glsl ? "</table></div></section>\n" : "</table></section>\n", r->out);
}

static void put_textures(const struct report *r) {
    fprintf(r->out, "<h2 id=\"textures\">Textures (%zu)</h2>\n", r->textures);
    for (size_t i = 0; i < r->textures; i++) {
        char caption[160];
        const struct report_texture *t = &r->texture[i];
        snprintf(caption, sizeof caption, "draw %" PRIu64 ", %s: %s", t->draw, t->place, t->what);
        put_figure(r->out, t->picture, caption);
    }
}

static void put_page(const struct report *r) {
    FILE *out = r->out;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>", out);
    put_escaped(out, playback_name(r->playback));
    fprintf(out, "</title><style>%s</style></head><body>\n<h1>", style);
    put_escaped(out, playback_name(r->playback));
    fprintf(
        out,
        "</h1>\n<p>%zu draws, <a href=\"#programs\">%zu programs</a>, <a href=\"#textures\">%zu "
        "textures</a>, %zu warnings</p>\n",
        r->draws, r->programs.count, r->textures, r->warnings);
    fputs("<h2 id=\"warnings\">Warnings</h2>\n", out);
    fputs(r->warnings ? "<ul class=\"warnings\">\n" : "<p>none</p>\n", out);
    for (size_t i = 0; i < r->warnings; i++) {
        fputs("<li>", out);
        put_escaped(out, r->warning[i]);
        fputs("</li>\n", out);
    }
    fputs(r->warnings ? "</ul>\n<h2>Draws</h2>\n" : "<h2>Draws</h2>\n", out);
    for (size_t i = 0; i < r->draws; i++)
        put_draw(r, i);
    fputs("<h2 id=\"programs\">Programs</h2>\n", out);
    for (size_t i = 0; i < r->programs.count; i++)
        put_program(r, i);
    put_textures(r);
    fputs("</body></html>\n", out);
}

static void release_report(struct report *r) {
    for (size_t i = 0; i < r->draws; i++)
        free(r->draw[i].state);
    for (size_t i = 0; i < r->warnings; i++)
        free(r->warning[i]);
    free(r->draw);
    free(r->texture);
    free(r->warning);
    free(r->program_source);
    sources_free(&r->sources);
    program_counts_free(&r->programs);
}

static bool make_folders(const struct playback *p, const char *directory) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/img", directory);
    if ((mkdir(directory, 0777) == 0 || errno == EEXIST) &&
        (mkdir(path, 0777) == 0 || errno == EEXIST))
        return true;
    command_failed(p->command, "%s: %s", directory, strerror(errno));
    return false;
}

static void put_file(void *self, FILE *out) {
    struct report *r = self;
    r->out = out;
    put_page(r);
}

static int write_page(struct report *r) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/index.html", r->directory);
    if (write_text_file(r->playback->command, path, put_file, r) != EXIT_FINE)
        return EXIT_FAILED;
    printf("%s: %zu draws, %zu programs, %zu textures, %zu warnings\n", path, r->draws,
           r->programs.count, r->textures, r->warnings);
    return EXIT_FINE;
}

int report_write(const struct playback *p, uint64_t last, const char *directory) {
    struct report r = {.playback = p, .directory = directory};
    const struct playback_hooks hooks = {.self = &r,
                                         .context = new_context,
                                         .before = before_draw,
                                         .after = after_draw,
                                         .sources = &r.sources};
    struct playback one_thread = *p;
    struct played played;
    one_thread.threads = 1;
    if (!make_folders(p, directory))
        return EXIT_FAILED;
    int code = playback_run(&one_thread, last, &hooks, &played);
    if (code == EXIT_FINE && last > r.draws)
        code = command_usage(p->command, "%s has %zu draws, there is no draw %llu",
                             playback_name(p), r.draws, (unsigned long long)last);
    if (code == EXIT_FINE)
        code = write_page(&r);
    playback_end(&played);
    release_report(&r);
    return r.failed ? EXIT_FAILED : code;
}
