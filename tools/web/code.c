/* The page's functions for code: the assembler, the disassembler, sentences that explain
 * instructions, and programs that run without a scene: one warp with chosen registers, or a grid
 * with its buffer. */
#include "shader/isa/isa.h"
#include "tools/web/web.h"

#include <stdlib.h>

static struct isa_target target_of(const char *chip, const char *type) {
    const int variant = isa_variant_from_name(chip), t = program_type_from_name(type);
    return (struct isa_target){.variant = variant < 0 ? ISA_GT215 : (enum isa_variant)variant,
                               .type = t < 0 ? PROGRAM_FP : (enum program_type)t};
}

/* ---- text to words ---- */

/* Answers line, column and text of a message like "name:12:17: text". A message about another file
 * keeps that file's name in the text. */
static void write_mistake(void *self, const char *message) {
    const char *const name = self;
    const size_t length = strlen(name);
    unsigned line = 1, column = 1;
    int end = 0;
    if (strncmp(message, name, length) == 0 &&
        sscanf(message + length, ":%u:%u: %n", &line, &column, &end) == 2 && end)
        message += length + (size_t)end;
    json_open(&web.json, NULL, '{');
    json_number(&web.json, "line", line);
    json_number(&web.json, "column", column);
    json_string(&web.json, "text", message);
    json_close(&web.json);
}

bool web_check_text(const char *chip, const char *name, const char *text, struct asm_result *out) {
    const char *dot = strrchr(name, '.');
    const struct isa_source source = {.text = text,
                                      .length = strlen(text),
                                      .name = name,
                                      .is_file = dot != NULL,
                                      .report = write_mistake,
                                      .self = (void *)(uintptr_t)name};
    struct asm_result own = {0};
    struct program_header header = {0};
    char last[512];
    json_open(&web.json, "errors", '[');
    const bool right = isa_assemble_source(target_of(chip, dot ? dot + 1 : name), &source, &header,
                                           out ? out : &own, last, sizeof last) == 0;
    json_close(&web.json);
    if (right && !out)
        asm_result_free(&own);
    return right;
}

/* Assembles a text. type: "fp", or a program file of the scene. The answer has:
 *     errors: the mistakes; without mistakes also the following
 *     base, words: the code; lines: the line of each word in `expanded`, or else in the text
 *     places: two numbers for each word, the word's line in the user's text (0: in another file)
 *             and the line that uses the word's macro or file
 *     expanded: the text after the expansion of macros, if it differs from the user's text */
WEB_API const char *web_assemble(const char *chip, const char *type, const char *text) {
    struct asm_result out = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s%s", strchr(type, '.') ? "/data/programs/" : "", type);
    json_begin(&web.json, '{');
    if (web_check_text(chip, path, text, &out)) {
        json_number(&web.json, "base", out.base);
        json_words(&web.json, "words", out.words, out.count);
        json_words(&web.json, "lines", out.lines, out.count);
        json_words(&web.json, "places", (const uint32_t *)out.places, 2 * out.count);
        if (out.text)
            json_string(&web.json, "expanded", out.text);
        asm_result_free(&out);
    }
    return json_end(&web.json);
}

/* Returns the words of a hexadecimal text, malloc'd. Any characters may separate the words. NULL:
 * out of memory. */
static uint32_t *read_words(const char *text, size_t *count) {
    uint32_t *word = malloc((strlen(text) / 2 + 1) * sizeof *word);
    *count = 0;
    for (char *end; word && *text; text = end) {
        while (*text && !strchr("0123456789abcdefABCDEF", *text))
            text++;
        if (!*text)
            break;
        word[(*count)++] = (uint32_t)strtoul(text, &end, 16);
    }
    return word;
}

WEB_API const char *web_disassemble(const char *chip, const char *type, const char *words) {
    size_t count, length;
    uint32_t *word = read_words(words, &count);
    char *text =
        word ? isa_disassemble(target_of(chip, type), word, count, 0, ISA_EXPLAINED, &length)
             : NULL;
    json_begin(&web.json, 0);
    json_string(&web.json, NULL, text);
    free(text);
    free(word);
    return json_end(&web.json);
}

/* ---- sentences ---- */

static const char *answer_printed(struct isa_target target, const char *name) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        if (name)
            isa_explain_name(target, name, out);
        else
            isa_explain_set(target, out);
        fclose(out);
    }
    json_begin(&web.json, 0);
    json_string(&web.json, NULL, text);
    free(text);
    return json_end(&web.json);
}

/* Answers a table of all instructions, in Markdown. */
WEB_API const char *web_instructions(const char *chip) {
    return answer_printed(target_of(chip, "fp"), NULL);
}

/* Answers the sentences and forms of the instructions with this name; "": there is none. */
WEB_API const char *web_explain(const char *chip, const char *name) {
    return answer_printed(target_of(chip, "fp"), name);
}

/* ---- one warp ---- */

enum { WARP_WORDS = 1024, WARP_ROWS = 64 };

/* Everything that one warp can access. */
struct web_warp {
    struct warp w;
    u32x32 attr[WARP_ROWS], out[WARP_ROWS], local[WARP_WORDS];
    uint32_t c[WARP_WORDS], g[WARP_WORDS], s[WARP_WORDS], prim[WARP_WORDS];
    struct attribute_plane plane[WARP_ROWS];
    struct attribute_planes planes;
    struct cta_shared cta;
    struct global_view views[16];
    struct warp_env env;
};

static void bind_warp(struct web_warp *s, const struct program *p) {
    s->env = (struct warp_env){.program = p, .call_limit = UINT32_MAX, .budget = WEB_BUDGET};
    s->env.c[0] = (struct const_view){(const uint8_t *)s->c, sizeof s->c};
    s->views[0] = (struct global_view){.data = (uint8_t *)s->g, .limit = sizeof s->g};
    s->env.g = s->views;
    s->w.attr = s->attr;
    s->w.attr_count = WARP_ROWS;
    s->w.out = s->out;
    s->w.out_count = WARP_ROWS;
    s->w.prim = s->prim;
    s->w.prim_count = WARP_WORDS;
    s->w.local = s->local;
    s->w.local_size = p->header.local_size < 4 * WARP_WORDS ? p->header.local_size : 4 * WARP_WORDS;
    s->cta = (struct cta_shared){.s = (uint8_t *)s->s, .s_size = sizeof s->s, .warp_count = 1};
    s->w.cta = p->type == PROGRAM_CP ? &s->cta : NULL;
    s->planes = (struct attribute_planes){.facing = ~0u, .count = WARP_ROWS, .plane = s->plane};
    for (int q = 0; p->type == PROGRAM_FP && q < LANES / 4; q++)
        s->w.planes[q] = &s->planes;
    s->w.uniform_planes = p->type == PROGRAM_FP;
}

/* Places the eight quads of the warp as a block of 8x4 pixels. v[0x0] (1/w) is 1; every other v[]
 * word grows by 1 a pixel along x and by 8 a pixel along y. */
static void place_warp(struct web_warp *s) {
    for (int i = 0; i < LANES; i++) {
        s->w.x[i] = 0.5f + (float)(i / 4 % 4 * 2 + (i & 1));
        s->w.y[i] = 0.5f + (float)(i / 16 * 2 + (i >> 1 & 1));
    }
    s->w.cx = s->w.x;
    s->w.cy = s->w.y;
    s->plane[0].base = 1; /* 1/w */
    for (int i = 1; i < WARP_ROWS; i++)
        s->plane[i] = (struct attribute_plane){.base = 0, .dx = 1, .dy = 8};
}

/* Sets registers: "l,3,0x10" sets $r0 to the lane's number, $r1 to 3 and $r2 to 16. */
static void start_registers(struct warp *w, const char *start) {
    for (int r = 0; *start && r < WARP_REGS; r++) {
        char *end = NULL;
        w->r[r] = *start == 'l' ? lanes_iota() : lanes_splat((uint32_t)strtoul(start, &end, 0));
        start = strchr(start, ',');
        if (!start)
            return;
        start++;
    }
}

static bool record_warp(struct web_warp *s, const struct program *p, const char *start,
                        uint32_t lanes) {
    bind_warp(s, p);
    place_warp(s);
    warp_start(&s->w, &s->env, lanes, 0);
    start_registers(&s->w, start);
    struct warp_steps *steps = steps_of_warp(&s->w, &s->env, 0);
    warp_free(&s->w);
    web_show_steps(steps, lanes ? (unsigned)__builtin_ctz(lanes) : 0);
    return steps != NULL;
}

/* Runs a program on one warp and shows its steps. */
WEB_API const char *web_warp(const char *chip, const char *type, const char *text,
                             const char *start, uint32_t lanes) {
    const struct isa_target target = target_of(chip, type);
    struct program_error error = {{0}};
    struct program *p =
        program_from_text(target.type, target.variant, text, strlen(text), "text", &error);
    struct web_warp *s = p ? aligned_alloc(128, sizeof *s) : NULL;
    bool recorded = false;
    if (s) {
        memset(s, 0, sizeof *s);
        recorded = record_warp(s, p, start, lanes);
    }
    free(s);
    program_unref(p);
    if (recorded)
        return web_steps();
    return web_fail("%s", p ? "out of memory" : error.text);
}

/* ---- a grid ---- */

struct web_grid {
    tp_device *device;
    tp_context *context;
    tp_program *program;
    tp_buffer *buffer;
    uint32_t *word;
    size_t words;
};

static bool run_grid(struct web_grid *g, const char *chip, const char *text, uint32_t blocks,
                     uint32_t threads, struct warp_catch *catch) {
    const struct tp_device_info info = {.chip = (enum tp_chip)target_of(chip, "cp").variant,
                                        .threads = 1,
                                        .engine = "interp",
                                        .memory = WEB_MEMORY / 4,
                                        .warp_budget = WEB_BUDGET};
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
    const size_t size = g->words * sizeof *g->word;
    if (tp_device_create(&info, &g->device) != TP_OK ||
        tp_context_create(g->device, &g->context) != TP_OK ||
        tp_buffer_create(g->device, size, g->word, &g->buffer) != TP_OK ||
        tp_bind_global(g->context, 0, g->buffer, 0, size) != TP_OK ||
        tp_program_from_text(g->device, TP_COMPUTE, text, "text", &g->program) != TP_OK ||
        tp_bind_program(g->context, TP_COMPUTE, g->program) != TP_OK)
        return false;
    warp_catch_begin(catch, g->context);
    const bool ran =
        tp_dispatch_3d(g->context, grid, block, NULL, 0) == TP_OK && tp_finish(g->context) == TP_OK;
    warp_catch_end(catch, g->context);
    return ran && tp_buffer_read(g->context, g->buffer, 0, g->word, size) == TP_OK;
}

static void close_grid(struct web_grid *g) {
    tp_program_destroy(g->program);
    tp_buffer_destroy(g->buffer);
    tp_context_destroy(g->context);
    tp_device_destroy(g->device);
    free(g->word);
}

/* Runs a compute program. words: content of g0[] before the run, in hexadecimal; the answer has the
 * content after it. Shows the steps of the warp that has this thread of the first block. */
WEB_API const char *web_grid(const char *chip, const char *text, uint32_t blocks, uint32_t threads,
                             const char *words, uint32_t thread) {
    struct web_grid g = {0};
    struct warp_catch catch = {.place = {.stage = PROGRAM_CP, .thread = {thread}}, .hit = 1};
    g.word = read_words(words, &g.words);
    const bool ran = g.word && g.words && run_grid(&g, chip, text, blocks, threads, &catch);
    if (!ran)
        snprintf(web.message, sizeof web.message, "%s",
                 g.word && g.words ? tp_message(g.device) : "no words for g0[]");
    if (catch.steps)
        web_show_steps(catch.steps, catch.lane);
    json_begin(&web.json, '{');
    json_bool(&web.json, "steps", catch.steps != NULL);
    if (!ran)
        json_string(&web.json, "error", web.message);
    if (g.word)
        json_words(&web.json, "words", g.word, g.words);
    json_close(&web.json);
    close_grid(&g);
    return json_end(&web.json);
}
