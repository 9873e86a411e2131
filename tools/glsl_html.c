/* GLSL and machine code side by side, as a page that needs no server: a section for each stage,
 * with the source on the left and the program file on the right; above them lists of names. A click
 * marks a name on both sides; the driver keeps no line numbers that could link the sides. In:
 * struct glsl. Out: HTML. */
#define _GNU_SOURCE
#include "tools/html_text.h"
#include "tools/glsl.h"

#include "shader/isa/isa.h"

#include <ctype.h>
#include <stdlib.h>

static const char style[] =
    "body{font:15px/1.4 sans-serif;margin:1em 2em;color:#222;background:#fff}"
    "pre{font:13px/1.45 monospace;margin:0;white-space:pre;tab-size:4}"
    ".pair{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1.5em;"
    "border-top:1px solid #ccc;padding:.5em 0 1.5em}.side{overflow-x:auto}"
    ".n{cursor:pointer;color:#0645ad}.n:hover{text-decoration:underline}"
    ".on{background:#ffe27a}.line.on{background:#fff3c4}.c{color:#777}"
    ".kind{margin:.2em 0}.kind b{display:inline-block;min-width:7em}.kind .n{margin-right:1em}";

static const char script[] =
    "document.addEventListener('click',function(e){"
    "var n=e.target.closest('.n');if(!n)return;var on=!n.classList.contains('on');"
    "document.querySelectorAll('.on').forEach(function(x){x.classList.remove('on')});"
    "if(on)document.querySelectorAll('.n').forEach(function(x){"
    "if(x.dataset.n===n.dataset.n){x.classList.add('on');"
    "var l=x.closest('.line');if(l)l.classList.add('on')}})});";

/* ---- names ---- */

/* Returns the length of a name up to its first index or member. */
static size_t base_length(const char *name) {
    return strcspn(name, ".[");
}

enum { KINDS = 5 };
static const char *const kind_names[KINDS] = {"Uniforms", "Samplers", "Inputs", "Varyings",
                                              "Results"};

/* Returns name i of a kind, or NULL behind the last one. */
static const char *name_at(const struct glsl *g, int kind, size_t i) {
    switch (kind) {
    case 0:
        return i < g->uniforms ? g->uniform[i].name : NULL;
    case 1:
        return i < g->samplers ? g->sampler[i].name : NULL;
    case 2:
        return i < g->inputs ? g->input[i].name : NULL;
    case 3:
        return i < g->varyings && g->varyings_known ? g->varying[i].name : NULL;
    default:
        return i < g->outputs ? g->output[i].name : NULL;
    }
}

static bool is_known(const struct glsl *g, const char *word, size_t length) {
    if (length > 3 && strncmp(word, "gl_", 3) == 0)
        return true;
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; name_at(g, kind, i); i++)
            if (base_length(name_at(g, kind, i)) == length &&
                strncmp(name_at(g, kind, i), word, length) == 0)
                return true;
    return false;
}

static void put_name(FILE *out, const char *word, size_t length) {
    fprintf(out, "<span class=\"n\" data-n=\"%.*s\">%.*s</span>", (int)length, word, (int)length,
            word);
}

/* Writes text with its known names as links. A name behind a point is a member and not linked. */
static void put_names(FILE *out, const struct glsl *g, const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length && (isalnum((unsigned char)text[i + n]) || text[i + n] == '_'))
            n++;
        const bool member = i && text[i - 1] == '.';
        if (n && !member && is_known(g, text + i, n))
            put_name(out, text + i, n);
        else
            html_put(out, text + i, n ? n : 1);
        i += n ? n : 1;
    }
}

/* ---- the two sides ---- */

/* Writes a piece of a line; linked: with its known names as links. */
static void put_piece(FILE *out, const struct glsl *g, const char *text, size_t length,
                      bool linked) {
    if (linked)
        put_names(out, g, text, length);
    else
        html_put(out, text, length);
}

/* Writes lines. Names are linked in GLSL (is_source), but not in its comments; in machine code,
 * names are linked in comments only. */
static void put_lines(FILE *out, const struct glsl *g, const char *text, bool is_source) {
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const char *const comment = memmem(text, length, "//", 2);
        const size_t code = comment ? (size_t)(comment - text) : length;
        fputs("<span class=\"line\">", out);
        put_piece(out, g, text, code, is_source);
        if (comment) {
            fputs("<span class=\"c\">", out);
            put_piece(out, g, comment, length - code, !is_source);
            fputs("</span>", out);
        }
        fputs("</span>\n", out);
        text += length + (text[length] == '\n');
    }
}

static void put_stage(FILE *out, const struct glsl *g, enum program_type stage) {
    const struct glsl_program *p = &g->stage[stage];
    char *code = NULL;
    size_t size;
    FILE *memory = open_memstream(&code, &size);
    if (!memory)
        return;
    glsl_write_program(memory, g, stage);
    fclose(memory);
    fprintf(out, "<section><h2>The %s program</h2>\n<div class=\"pair\"><div class=\"side\"><pre>",
            program_stage_name(stage));
    if (p->source)
        put_lines(out, g, p->source, true);
    else
        fputs("The source is not known.", out);
    fputs("</pre></div><div class=\"side\"><pre>", out);
    put_lines(out, g, code, false);
    fputs("</pre></div></div></section>\n", out);
    free(code);
}

static bool listed_before(const struct glsl *g, int kind, size_t i) {
    const char *const name = name_at(g, kind, i);
    for (size_t k = 0; k < i; k++)
        if (base_length(name_at(g, kind, k)) == base_length(name) &&
            strncmp(name_at(g, kind, k), name, base_length(name)) == 0)
            return true;
    return false;
}

void glsl_write_html(FILE *out, const struct glsl *g) {
    static const enum program_type order[] = {PROGRAM_VP, PROGRAM_TCP, PROGRAM_TEP, PROGRAM_GP,
                                              PROGRAM_FP};
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>%s</title>"
            "<style>%s</style></head><body>\n<h1>%s</h1>\n<p>GLSL on the left, machine code on the "
            "right (",
            g->name, style, g->name);
    html_put(out, g->driver, strlen(g->driver));
    fputs(
        "). A click on a name marks it on both sides. The driver keeps no line numbers, so no line "
        "of the one side belongs to a line of the other.</p>\n",
        out);
    for (int kind = 0; kind < KINDS; kind++) {
        if (!name_at(g, kind, 0))
            continue;
        fprintf(out, "<p class=\"kind\"><b>%s</b> ", kind_names[kind]);
        for (size_t i = 0; name_at(g, kind, i); i++)
            if (!listed_before(g, kind, i))
                put_name(out, name_at(g, kind, i), base_length(name_at(g, kind, i)));
        fputs("</p>\n", out);
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (g->stage[order[i]].program)
            put_stage(out, g, order[i]);
    fprintf(out, "<script>%s</script>\n</body></html>\n", script);
}
