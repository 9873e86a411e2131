/* teslapipe run: executes a compute kernel on files. In: a .cp program, grid and block sizes, files
 * bound as g[] spaces, parameter words; out: files written from g[] spaces, statistics on stderr.
 */
#include "shader/block.h"
#include "shader/isa/isa.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int cmd_run(int argc, char **argv);

enum { FAILED = 1, USAGE = 2, SPACES = 16 };

static const char usage[] =
    "usage: teslapipe run PROGRAM.cp --grid X[,Y] --block X[,Y[,Z]] [options]\n"
    "  --buffer N=FILE       bind a copy of FILE as g[N], 0 to 15\n"
    "  --buffer N=zero:SIZE  bind SIZE zero bytes as g[N]\n"
    "  --out N=FILE          write g[N] to FILE afterwards\n"
    "  --param WORD...       words at s[0x10] on: 12, 0x1f or 1.5\n"
    "  -m CHIP               g80 g84 g200 mcp77 gt215 (default g200)\n"
    "  --stats               instructions and out-of-range accesses on stderr\n";

struct run {
    const char *program;
    enum isa_variant variant;
    struct block_launch launch;
    uint32_t params[BLOCK_PARAMS];
    struct global_view g[SPACES];
    const char *out[SPACES];
    bool stats;
};

static int complain(int code, const char *format, const char *what) {
    fputs("teslapipe run: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return code;
}

/* "a,b,c" into up to n values of 1 to 65535; missing ones are 1. */
static bool parse_sizes(const char *text, uint16_t *v, int n) {
    for (int i = 0; i < n; i++)
        v[i] = 1;
    for (int i = 0; i < n; i++) {
        char *end;
        const unsigned long value = strtoul(text, &end, 0);
        if (end == text || value == 0 || value > 0xffff)
            return false;
        v[i] = (uint16_t)value;
        if (*end == '\0')
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    return false;
}

/* "N=rest": returns rest, or NULL. */
static const char *parse_space(const char *text, unsigned *n) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '=' || value >= SPACES)
        return NULL;
    *n = (unsigned)value;
    return end + 1;
}

/* A word: an integer, or a float when it has a decimal point. */
static bool parse_word(const char *text, uint32_t *word) {
    char *end;
    if (strchr(text, '.')) {
        const float f = strtof(text, &end);
        memcpy(word, &f, 4);
    } else {
        *word = (uint32_t)strtoll(text, &end, 0);
    }
    return end != text && *end == '\0';
}

/* Buffers are aligned and padded for 128-bit accesses. */
static uint8_t *new_buffer(size_t size) {
    const size_t padded = (size + 127) / 128 * 128 + 128;
    uint8_t *data = padded < size ? NULL : aligned_alloc(128, padded);
    if (data)
        memset(data, 0, padded);
    return data;
}

static int read_buffer(struct global_view *g, const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        if (f)
            fclose(f);
        return complain(FAILED, "cannot read %s", path);
    }
    const long size = ftell(f);
    rewind(f);
    g->data = size < 0 ? NULL : new_buffer((size_t)size);
    const bool ok = g->data && fread(g->data, 1, (size_t)size, f) == (size_t)size;
    fclose(f);
    if (!ok)
        return complain(FAILED, "cannot read %s", path);
    g->limit = (uint64_t)size;
    return 0;
}

static int bind_buffer(struct run *r, const char *text) {
    unsigned n;
    const char *what = parse_space(text, &n);
    if (!what)
        return complain(USAGE, "--buffer %s: expected N=FILE or N=zero:SIZE, N 0 to 15", text);
    free(r->g[n].data);
    r->g[n] = (struct global_view){0};
    if (strncmp(what, "zero:", 5) != 0)
        return read_buffer(&r->g[n], what);
    char *end;
    const unsigned long long size = strtoull(what + 5, &end, 0);
    if (end == what + 5 || *end || size > 1ull << 32)
        return complain(USAGE, "--buffer %s: SIZE is a number of bytes up to 4 GiB", text);
    r->g[n].data = new_buffer(size);
    if (!r->g[n].data)
        return complain(FAILED, "--buffer %s: out of memory", text);
    r->g[n].limit = size;
    return 0;
}

static int add_param(struct run *r, const char *text) {
    if (r->launch.param_count == BLOCK_PARAMS)
        return complain(USAGE, "--param %s: at most 64 words", text);
    if (!parse_word(text, &r->params[r->launch.param_count++]))
        return complain(USAGE, "--param %s: expected a number", text);
    return 0;
}

static int parse_value(struct run *r, const char *option, const char *value) {
    unsigned n;
    if (strcmp(option, "--grid") == 0)
        return parse_sizes(value, r->launch.grid, 2)
                   ? 0
                   : complain(USAGE, "--grid %s: expected X[,Y], each 1 to 65535", value);
    if (strcmp(option, "--block") == 0)
        return parse_sizes(value, r->launch.block, 3)
                   ? 0
                   : complain(USAGE, "--block %s: expected X[,Y[,Z]]", value);
    if (strcmp(option, "--buffer") == 0)
        return bind_buffer(r, value);
    if (strcmp(option, "--out") == 0) {
        const char *path = parse_space(value, &n);
        if (!path)
            return complain(USAGE, "--out %s: expected N=FILE, N 0 to 15", value);
        r->out[n] = path;
        return 0;
    }
    if (strcmp(option, "-m") == 0) {
        const int variant = isa_variant_from_name(value);
        if (variant < 0)
            return complain(USAGE, "-m %s: expected g80 g84 g200 mcp77 or gt215", value);
        r->variant = (enum isa_variant)variant;
        return 0;
    }
    return complain(USAGE, "unknown option %s", option);
}

static bool is_number(const char *text) {
    uint32_t word;
    return parse_word(text, &word);
}

static int parse(struct run *r, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        int result = 0;
        if (strcmp(argv[i], "--stats") == 0) {
            r->stats = true;
        } else if (argv[i][0] != '-') {
            if (r->program)
                return complain(USAGE, "one program only, %s is a second", argv[i]);
            r->program = argv[i];
        } else if (i + 1 == argc) {
            return complain(USAGE, "%s needs a value", argv[i]);
        } else if (strcmp(argv[i], "--param") == 0) {
            do
                result = add_param(r, argv[++i]);
            while (result == 0 && i + 1 < argc && is_number(argv[i + 1]));
        } else {
            result = parse_value(r, argv[i], argv[i + 1]);
            i++;
        }
        if (result)
            return result;
    }
    if (!r->program || !r->launch.grid[0] || !r->launch.block[0]) {
        fputs(usage, stderr);
        return USAGE;
    }
    return 0;
}

static int report(const struct run *r, const struct block_error *e) {
    char text[128];
    warp_error_print(&e->warp, text, sizeof text);
    fprintf(stderr, "teslapipe run: %s: block %u,%u warp %u: %s%s\n", r->program, e->block[0],
            e->block[1], e->warp_id, text,
            e->deadlock ? " (deadlock: every warp left waits at a barrier)" : "");
    return FAILED;
}

static int run_grid(struct run *r, const struct program *p, struct warp_stats *stats) {
    const struct warp_env env = {.program = p, .simd = simd_best(), .g = r->g,
                                 .call_limit = UINT32_MAX};
    const char *why;
    struct block *b = block_create(&env, &r->launch, &why);
    if (!b)
        return complain(FAILED, "cannot launch: %s", why);
    struct block_error error;
    int result = 0;
    for (uint32_t y = 0; y < r->launch.grid[1] && !result; y++)
        for (uint32_t x = 0; x < r->launch.grid[0] && !result; x++)
            result = block_run(b, (uint16_t)x, (uint16_t)y, stats, &error);
    block_destroy(b);
    return result ? report(r, &error) : 0;
}

static int write_outputs(const struct run *r) {
    for (int n = 0; n < SPACES; n++) {
        if (!r->out[n])
            continue;
        FILE *f = fopen(r->out[n], "wb");
        const size_t size = r->g[n].limit;
        bool ok = f && (size == 0 || fwrite(r->g[n].data, 1, size, f) == size);
        if (f && fclose(f) != 0)
            ok = false;
        if (!ok)
            return complain(FAILED, "cannot write %s", r->out[n]);
    }
    return 0;
}

static int run(struct run *r) {
    struct program_error error;
    struct program *p = program_from_file(r->program, r->variant, &error);
    if (!p) {
        fprintf(stderr, "teslapipe run: %s\n", error.text);
        return FAILED;
    }
    struct warp_stats stats = {0};
    int result = run_grid(r, p, &stats);
    if (!result)
        result = write_outputs(r);
    if (r->stats)
        fprintf(stderr, "%llu warp instructions, %llu lane instructions, %llu reads and %llu writes "
                        "out of range\n",
                (unsigned long long)stats.instructions, (unsigned long long)stats.lane_instructions,
                (unsigned long long)stats.bad_reads, (unsigned long long)stats.bad_writes);
    program_unref(p);
    return result;
}

int cmd_run(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    struct run r = {.variant = ISA_G200};
    r.launch.params = r.params;
    int result = parse(&r, argc, argv);
    if (result == 0)
        result = run(&r);
    for (int n = 0; n < SPACES; n++)
        free(r.g[n].data);
    return result;
}
