/* teslapipe trace: executes one warp of a program and prints it instruction by instruction. In: a
 * program file, start values from the command line or a file; out: the trace on stdout. Textures
 * read 0 here; everything else runs as in a draw.
 */
#include "shader/trace.h"
#include "tools/isa_options.h"

#include <ctype.h>
#include <stdlib.h>

enum { WORDS = 0x4000, ROWS = 128, PLANES = 128 };
/* An endless loop ends after this many steps, with some hundred MB of text. */
enum { DEFAULT_STEPS = 1000000 };

/* Everything that one warp can access, in the largest sizes. */
struct warp_setup {
    struct warp w;
    u32x32 attr[ROWS], out[ROWS], start[WARP_REGS];
    u32x32 local[0x10000 / 4];
    bool has_start[WARP_REGS];
    uint32_t c[16][WORDS], g[16][WORDS], s[WORDS], prim[WORDS];
    struct attribute_plane plane[PLANES];
    struct attribute_planes planes;
    struct cta_shared cta;
    struct global_view views[16];
    struct warp_env env;
};

struct options {
    const char *program, *chip, *type; /* type NULL: taken from the file name */
    const char *vcd;
    int lane, quad; /* -1: all */
    lane_mask lanes, helpers;
    uint64_t steps;
};

/* ---- start values ---- */

static bool parse_value(const char *text, size_t length, uint32_t lane, uint32_t *word) {
    char copy[64];
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *word = lane;
    return strcmp(copy, "lane") == 0 || word_from_text(copy, word);
}

/* Parses up to n values. Returns their number, or -1 after a mistake or too many values. */
static int parse_values(const char *text, uint32_t *v, int n) {
    int count = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        if (count == n || !parse_value(text, length, (uint32_t)count, &v[count]))
            return -1;
        count++;
        if (text[length] == '\0')
            return count;
        text += length + 1;
    }
}

/* Sets a row of registers; a single value is for all lanes. */
static bool set_row(u32x32 *row, const char *text) {
    uint32_t v[LANES] = {0};
    const int count = parse_values(text, v, LANES);
    if (count < 0)
        return false;
    for (int i = 0; i < LANES; i++) {
        if (count == 1)
            parse_value(text, strlen(text), (uint32_t)i, &v[i]);
        (*row)[i] = v[i];
    }
    return true;
}

static bool set_words(uint32_t *space, unsigned long at, const char *text) {
    return at % 4 == 0 && at / 4 < WORDS && parse_values(text, space + at / 4, WORDS - at / 4) > 0;
}

static bool set_plane(struct warp_setup *s, unsigned long at, const char *text) {
    uint32_t v[3] = {0};
    if (at / 4 >= PLANES || parse_values(text, v, 3) < 1)
        return false;
    struct attribute_plane *p = &s->plane[at / 4];
    memcpy(&p->base, &v[0], 4);
    memcpy(&p->dx, &v[1], 4);
    memcpy(&p->dy, &v[2], 4);
    p->flat = v[0];
    return true;
}

/* Sets a place such as c0[0x10] (file, space, offset). Returns false if there is none. */
static bool set_memory(struct warp_setup *s, char file, unsigned long space, unsigned long at,
                       const char *values) {
    switch (file) {
    case 'a':
        return at / 4 < ROWS && set_row(&s->attr[at / 4], values);
    case 'c':
        return space < 16 && set_words(s->c[space], at, values);
    case 'g':
        return space < 16 && set_words(s->g[space], at, values);
    case 's':
        return set_words(s->s, at, values);
    case 'p':
        return set_words(s->prim, at * 4, values);
    case 'v':
        return set_plane(s, at, values);
    default:
        return false;
    }
}

/* Parses and executes an assignment: "r5=1.5", "c0[0x10]=1,2,3". */
static bool assign_register(struct warp_setup *s, const char *text) {
    char *end;
    const char file = text[0];
    if (!file)
        return false;
    const unsigned long number = strtoul(text + 1, &end, 10);
    if (file == 'r') {
        if (end == text + 1 || *end != '=' || number >= WARP_REGS)
            return false;
        s->has_start[number] = true;
        return set_row(&s->start[number], end + 1);
    }
    if (*end != '[')
        return false;
    const unsigned long at = strtoul(end + 1, &end, 0);
    if (end[0] != ']' || end[1] != '=')
        return false;
    return set_memory(s, file, number, at, end + 2);
}

/* Removes blanks and a trailing comment. */
static void squeeze_spaces(char *line) {
    char *to = line;
    for (const char *from = line; *from && *from != '#'; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
    *to = '\0';
}

/* The arguments of --in and --inputs, in their order. */
struct inputs {
    struct input {
        const char *text;
        bool is_file;
    } *input;
    int count;
};

static const char *take_assignment(void *self, const char *text) {
    struct inputs *in = self;
    in->input[in->count++] = (struct input){text, false};
    return NULL;
}

static const char *take_file(void *self, const char *text) {
    struct inputs *in = self;
    in->input[in->count++] = (struct input){text, true};
    return NULL;
}

static const char right_assignment[] = "expected TARGET=VALUES, as in r5=1.5 or c0[0x10]=1,2,3";

static int read_inputs(const struct command *command, struct warp_setup *s, const char *path) {
    char *line = NULL, *text;
    size_t size = 0;
    int number = 0, result = EXIT_FINE;
    FILE *f = open_whole_text(command, path, &text);
    if (!f)
        return EXIT_FAILED;
    while (result == EXIT_FINE && getline(&line, &size, f) >= 0) {
        number++;
        squeeze_spaces(line);
        if (line[0] && !assign_register(s, line))
            result = command_failed(command, "%s:%d: %s", path, number, right_assignment);
    }
    free(line);
    fclose(f);
    free(text);
    return result;
}

static int assign_inputs(const struct command *command, struct warp_setup *s,
                         const struct inputs *in) {
    int code = EXIT_FINE;
    for (int i = 0; i < in->count && code == EXIT_FINE; i++) {
        const char *const text = in->input[i].text;
        if (in->input[i].is_file)
            code = read_inputs(command, s, text);
        else if (!assign_register(s, text))
            code = command_usage(command, "--in %s: %s", text, right_assignment);
    }
    return code;
}

/* ---- the warp ---- */

/* Places the eight quads of the warp as a block of 8 x 4 pixels. */
static void place_quads(struct warp_setup *s) {
    struct warp *w = &s->w;
    for (int i = 0; i < LANES; i++) {
        w->x[i] = 0.5f + (float)(i / 4 % 4 * 2 + (i & 1));
        w->y[i] = 0.5f + (float)(i / 16 * 2 + (i >> 1 & 1));
    }
    w->cx = w->x;
    w->cy = w->y;
    s->planes = (struct attribute_planes){.facing = ~0u, .count = PLANES, .plane = s->plane};
    for (int q = 0; q < 8; q++)
        w->planes[q] = &s->planes;
    w->uniform_planes = true;
}

static void bind_memory(struct warp_setup *s, const struct program *p) {
    struct warp *w = &s->w;
    s->env = (struct warp_env){.program = p, .simd = simd_best(), .call_limit = UINT32_MAX};
    for (int i = 0; i < 16; i++) {
        s->env.c[i] = (struct const_view){(const uint8_t *)s->c[i], sizeof s->c[i]};
        s->views[i] = (struct global_view){.data = (uint8_t *)s->g[i], .limit = sizeof s->g[i]};
    }
    s->env.g = s->views;
    w->attr = s->attr;
    w->attr_count = ROWS;
    w->out = s->out;
    w->out_count = ROWS;
    w->prim = s->prim;
    w->prim_count = WORDS;
    w->local = s->local;
    w->local_size = p->header.local_size < sizeof s->local / LANES ? p->header.local_size : 0x10000;
    s->cta = (struct cta_shared){.s = (uint8_t *)s->s, .s_size = 0x4000, .warp_count = 1};
    w->cta = p->type == PROGRAM_CP ? &s->cta : NULL;
}

static lane_mask shown_lanes(const struct options *o) {
    return o->lane >= 0 ? 1u << o->lane : o->quad >= 0 ? 15u << 4 * o->quad : LANES_ALL;
}

struct waves {
    struct warp_setup *setup;
    struct trace_options trace;
    enum warp_status status;
};

static void write_waves(void *self, FILE *out) {
    struct waves *v = self;
    v->trace.out = out;
    v->status = wave_warp(&v->setup->w, &v->setup->env, &v->trace);
}

/* Runs the warp and prints the run, or writes waveforms. Sets *code after a failure. */
static enum warp_status run_warp(const struct command *command, const struct options *o,
                                 struct warp_setup *s, int *code) {
    struct waves v = {s, {stdout, shown_lanes(o), o->steps}, WARP_DONE};
    if (!o->vcd)
        return trace_warp(&s->w, &s->env, &v.trace);
    *code = write_text_file(command, o->vcd, write_waves, &v);
    return v.status;
}

static int trace_program(const struct command *command, const struct options *o,
                         struct warp_setup *s) {
    int code = EXIT_FINE;
    const struct isa_target target = {
        .variant = o->chip ? (enum isa_variant)isa_variant_from_name(o->chip) : ISA_GT215,
        .type = o->type ? (enum program_type)program_type_from_name(o->type) : PROGRAM_VP};
    struct program *p = load_program(command, target, o->program, o->type);
    if (!p)
        return EXIT_FAILED;
    bind_memory(s, p);
    if (p->type == PROGRAM_FP)
        place_quads(s);
    warp_start(&s->w, &s->env, o->lanes, o->helpers);
    if (p->type == PROGRAM_CP)
        s->w.r[0] = lanes_iota();
    for (int i = 0; i < WARP_REGS && i < p->header.reg_count; i++)
        if (s->has_start[i])
            s->w.r[i] = s->start[i];
    const enum warp_status status = run_warp(command, o, s, &code);
    if (status == WARP_RUNNING && o->steps == DEFAULT_STEPS)
        command_failed(command, "the program did not end; --steps N goes on to N instructions");
    warp_free(&s->w);
    program_unref(p);
    return status == WARP_ERROR ? EXIT_FAILED : code;
}

static int trace_with(struct warp_setup *s, struct inputs *in, int argc, char **argv) {
    struct options o = {.lanes = LANES_ALL, .lane = -1, .quad = -1, .steps = DEFAULT_STEPS};
    struct option_call assign = {take_assignment, in, NULL}, file = {take_file, in, NULL};
    const struct option_spec options[] = {
        {"-m", "CHIP", OPTION_CHIP, &o.chip, "g80 g84 g200 mcp77 gt215 (default) gf100 gk104 g64"},
        {"--type", "TYPE", OPTION_STAGE, &o.type,
         "vp, tcp, tep, gp, fp or cp: PROGRAM is raw words (default: its extension tells)"},
        {"--in", "TARGET=VALUES", OPTION_EACH, &assign, "start values, see above"},
        {"--inputs", "FILE", OPTION_EACH, &file,
         "a file of start values, one assignment a line; # starts a comment"},
        {"--lanes", "MASK", OPTION_WORD, &o.lanes, "lanes that run (0xffffffff)"},
        {"--helpers", "MASK", OPTION_WORD, &o.helpers,
         "those of the lanes that run for derivatives only (fragment programs)"},
        {"--lane", "N", OPTION_LANE, &o.lane, "print changes in this lane only"},
        {"--quad", "N", OPTION_QUAD, &o.quad, "print changes in this quad only"},
        {"--steps", "N", OPTION_LONG, &o.steps, "stop after N instructions (1000000)"},
        {"--vcd", "FILE", OPTION_TEXT, &o.vcd,
         "instead of text: masks, stack depth and registers, for waveform viewers"},
        {0},
    };
    const struct command command = {
        "trace",
        "PROGRAM [options]",
        "Executes one warp and prints it instruction by instruction. PROGRAM is a program file (.vp,\n"
        ".fp ...), or with --type a file of raw words. Start values (--in, repeatable) are separated\n"
        "by commas.\n"
        "targets: r5 and a[0x8] take one value for all lanes, or one each for lanes 0, 1, 2 ...;\n"
        "  c0[0x10], s[0x10], g0[0x0] and p[0x0] take consecutive words; v[0x4]=base,dx,dy takes a\n"
        "  plane through pixel 0,0\n"
        "values: 12, 0x1f, 1.5 (a float, by its point), or lane (the lane's number)",
        options,
        "teslapipe trace loop.fp --in r0=lane --lanes 0xf",
    };
    COMMAND_PARSE(code, count);
    if (count != 1)
        return command_usage(
            &command, count ? "one program only, %s is a second" : "which program? (see --help)%s",
            count ? argv[2] : "");
    if (o.lane >= 0 && o.quad >= 0)
        return command_usage(&command, "--lane goes without --quad");
    o.program = argv[1];
    code = assign_inputs(&command, s, in);
    return code == EXIT_FINE ? trace_program(&command, &o, s) : code;
}

COMMAND(trace) {
    struct warp_setup *s = aligned_alloc(128, sizeof *s);
    struct inputs in = {.input = calloc((size_t)argc, sizeof *in.input)};
    int result = EXIT_FAILED;
    if (s && in.input) {
        memset(s, 0, sizeof *s);
        result = trace_with(s, &in, argc, argv);
    } else {
        fputs("teslapipe trace: out of memory\n", stderr);
    }
    free(in.input);
    free(s);
    return result;
}
