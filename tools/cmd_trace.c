/* teslapipe trace: executes one warp of a program and prints it instruction by instruction. In: a
 * program file, start values from the command line or a file; out: the trace on stdout. Textures
 * read 0 here; everything else runs as in a draw.
 */
#include "shader/trace.h"
#include "shader/isa/isa.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int cmd_trace(int argc, char **argv);

enum { FAILED = 1, USAGE = 2, WORDS = 0x4000, ROWS = 128, PLANES = 128 };

static const char usage[] =
    "usage: teslapipe trace PROGRAM [options]\n"
    "  --type vp|gp|fp|cp    for raw .bin files; others carry their type as extension\n"
    "  -m CHIP               g80 g84 g200 mcp77 gt215 (default gt215)\n"
    "  --in TARGET=VALUES    start values (repeatable); VALUES are separated by commas\n"
    "  --inputs FILE         the same, one assignment a line, # starts a comment\n"
    "  --lanes MASK          lanes that run (default 0xffffffff)\n"
    "  --helpers MASK        of them, fragment lanes that run for derivatives only\n"
    "  --lane N, --quad N    print changes in this lane or quad only\n"
    "  --steps N             stop after N instructions\n"
    "targets: r5 and a[0x8] take a value for every lane, or lane 0, 1, 2 ...; c0[0x10], s[0x10],\n"
    "  g0[0x0] and p[0x0] take consecutive words; v[0x4]=base,dx,dy takes a plane through pixel "
    "0,0\n"
    "values: 12, 0x1f, 1.5 (a float, by its point), or lane (the lane's number)\n";

/* Everything that one warp can see, in the largest sizes. */
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
    const char *program;
    int type; /* -1: taken from the file name */
    enum isa_variant variant;
    lane_mask lanes, helpers;
    struct trace_options trace;
};

static int complain_of(int code, const char *format, const char *what) {
    fputs("teslapipe trace: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return code;
}

/* ---- start values ---- */

static bool parse_value(const char *text, size_t length, uint32_t lane, uint32_t *word) {
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (strcmp(copy, "lane") == 0) {
        *word = lane;
        return true;
    }
    if (strchr(copy, '.')) {
        const float f = strtof(copy, &end);
        memcpy(word, &f, 4);
    } else {
        *word = (uint32_t)strtoll(copy, &end, 0);
    }
    return *end == '\0';
}

/* Parses up to n values; their number, or -1 on an error or too many values. */
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

/* A single value is for all lanes. */
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

/* Parses "c0[0x10]": file letter, optional space number, offset. */
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

/* "r5=1.5", "c0[0x10]=1,2,3" */
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

static int read_inputs(struct warp_setup *s, const char *path) {
    char *line = NULL;
    size_t size = 0;
    int number = 0, result = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return complain_of(FAILED, "cannot read %s", path);
    while (!result && getline(&line, &size, f) >= 0) {
        number++;
        squeeze_spaces(line);
        if (line[0] && !assign_register(s, line)) {
            fprintf(stderr,
                    "teslapipe trace: %s:%d: expected TARGET=VALUES, as in r5=1.5 or "
                    "c0[0x10]=1,2,3\n",
                    path, number);
            result = FAILED;
        }
    }
    if (!result && ferror(f))
        result = complain_of(FAILED, "cannot read %s", path);
    free(line);
    fclose(f);
    return result;
}

/* ---- options ---- */

static bool parse_number(const char *text, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0); /* strtoull accepts -1 as a large number */
    return end != text && *end == '\0' && errno == 0 && isdigit((unsigned char)*text);
}

static int parse_name(struct options *o, const char *option, const char *value) {
    const bool chip = strcmp(option, "-m") == 0;
    const int n = chip ? isa_variant_from_name(value) : program_type_from_name(value);
    if (n < 0)
        return complain_of(USAGE,
                           chip ? "-m %s: expected g80 g84 g200 mcp77 or gt215"
                                : "--type %s: expected vp gp fp or cp",
                           value);
    if (chip)
        o->variant = (enum isa_variant)n;
    else
        o->type = n;
    return 0;
}

static int parse_option(struct options *o, struct warp_setup *s, const char *option,
                        const char *value) {
    if (strcmp(option, "-m") == 0 || strcmp(option, "--type") == 0)
        return parse_name(o, option, value);
    if (strcmp(option, "--inputs") == 0)
        return read_inputs(s, value);
    if (strcmp(option, "--in") == 0)
        return assign_register(s, value)
                   ? 0
                   : complain_of(USAGE,
                                 "--in %s: expected TARGET=VALUES, as in r5=1.5 "
                                 "or c0[0x10]=1,2,3",
                                 value);
    uint64_t n;
    if (!parse_number(value, &n))
        return complain_of(USAGE, "%s: not a number", value);
    if (strcmp(option, "--lanes") == 0)
        o->lanes = (lane_mask)n;
    else if (strcmp(option, "--helpers") == 0)
        o->helpers = (lane_mask)n;
    else if (strcmp(option, "--steps") == 0)
        o->trace.max_steps = n;
    else if (strcmp(option, "--lane") == 0 && n < LANES)
        o->trace.show = 1u << n;
    else if (strcmp(option, "--quad") == 0 && n < LANES / 4)
        o->trace.show = 15u << 4 * n;
    else
        return complain_of(USAGE, "%s: no such option, or out of range", option);
    return 0;
}

static int parse_arguments(struct options *o, struct warp_setup *s, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (o->program)
                return complain_of(USAGE, "one program only, %s is a second", argv[i]);
            o->program = argv[i];
            continue;
        }
        if (i + 1 == argc)
            return complain_of(USAGE, "%s needs a value", argv[i]);
        const int result = parse_option(o, s, argv[i], argv[i + 1]);
        if (result)
            return result;
        i++;
    }
    if (o->program)
        return 0;
    fputs(usage, stderr);
    return USAGE;
}

/* ---- the program ---- */

static struct program *load_raw(const struct options *o, struct program_error *error) {
    static uint32_t words[1 << 16];
    const struct program_header header = {
        .reg_count = WARP_REGS, .local_size = 0x10000, .result_count = ROWS};
    FILE *f = fopen(o->program, "rb");
    if (!f) {
        snprintf(error->text, sizeof error->text, "cannot read %s", o->program);
        return NULL;
    }
    const size_t count = fread(words, 4, sizeof words / 4, f);
    fclose(f);
    return program_from_words((enum program_type)o->type, o->variant, &header, words, count, 0, 0,
                              o->program, error);
}

static struct program *load_program(const struct options *o) {
    struct program_error error = {{0}};
    struct program *p =
        o->type >= 0 ? load_raw(o, &error) : program_from_file(o->program, o->variant, &error);
    if (!p)
        complain_of(FAILED, "%s", error.text);
    return p;
}

/* ---- the warp ---- */

/* Eight quads, placed as in a block of 8 x 4 pixels. */
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

static int trace_program(const struct options *o, struct warp_setup *s) {
    struct program *p = load_program(o);
    if (!p)
        return FAILED;
    bind_memory(s, p);
    if (p->type == PROGRAM_FP)
        place_quads(s);
    warp_start(&s->w, &s->env, o->lanes, o->helpers);
    if (p->type == PROGRAM_CP)
        s->w.r[0] = lanes_iota();
    for (int i = 0; i < WARP_REGS && i < p->header.reg_count; i++)
        if (s->has_start[i])
            s->w.r[i] = s->start[i];
    const enum warp_status status = trace_warp(&s->w, &s->env, &o->trace);
    warp_free(&s->w);
    program_unref(p);
    return status == WARP_ERROR ? FAILED : 0;
}

int cmd_trace(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    struct options o = {.type = -1,
                        .variant = ISA_GT215,
                        .lanes = LANES_ALL,
                        .trace = {.out = stdout, .show = LANES_ALL}};
    struct warp_setup *s = aligned_alloc(128, sizeof *s);
    if (!s)
        return complain_of(FAILED, "%s", "out of memory");
    memset(s, 0, sizeof *s);
    int result = parse_arguments(&o, s, argc, argv);
    if (result == 0)
        result = trace_program(&o, s);
    free(s);
    return result;
}
