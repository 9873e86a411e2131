/* teslapipe run: executes a compute kernel on files. In: a .cp program, grid and block sizes, files
 * bound as g[] spaces, parameter words; out: files written from g[] spaces, statistics on stderr.
 */
#include "tools/cmd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_run(int argc, char **argv);

enum { FAILED = 1, USAGE = 2, SPACES = 16, PARAMS = 64 };

static const char usage[] =
    "usage: teslapipe run PROGRAM.cp --grid X[,Y[,Z]] --block X[,Y[,Z]] [options]\n"
    "  --buffer N=FILE       bind a copy of FILE as g[N], 0 to 15\n"
    "  --buffer N=zero:SIZE  bind SIZE zero bytes as g[N]\n"
    "  --out N=FILE          write g[N] to FILE afterwards\n"
    "  --param WORD...       words at s[0x10] on: 12, 0x1f or 1.5\n"
    "  -m CHIP               g80 g84 g200 mcp77 gt215 gf100 gk104 g64 (default g200)\n"
    "  --threads N           worker threads (default: one per CPU)\n"
    "  --engine NAME         interp or native (default: native)\n"
    "  --stats               instructions and out-of-range accesses on stderr\n";

static const char *const chips[] = {"g80",   "g84",   "g200",  "mcp77",
                                    "gt215", "gf100", "gk104", "g64"}; /* enum tp_chip */

/* The contents of g[n]: a file, or a number of zero bytes. */
struct kernel_space {
    const char *file;
    uint64_t zeros;
    tp_buffer *buffer;
    const char *out;
};

struct kernel_run {
    const char *program;
    struct tp_device_info info;
    uint32_t grid[3], block[3];
    uint32_t params[PARAMS];
    unsigned param_count;
    struct kernel_space g[SPACES];
    bool stats;
    const struct run_hooks *hooks; /* NULL: none */
};

static int complain_of(int code, const char *format, const char *what) {
    fputs("teslapipe run: ", stderr);
    fprintf(stderr, format, what);
    fputc('\n', stderr);
    return code;
}

/* Parses "a,b,c": up to n values from 1 to 65535. Missing values are 1. */
static bool parse_sizes(const char *text, uint32_t *v, int n) {
    for (int i = 0; i < n; i++)
        v[i] = 1;
    for (int i = 0; i < n; i++) {
        char *end;
        const unsigned long value = strtoul(text, &end, 0);
        if (end == text || value == 0 || value > 0xffff)
            return false;
        v[i] = (uint32_t)value;
        if (*end == '\0')
            return true;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    return false;
}

/* Parses "N=rest"; returns rest, or NULL. */
static const char *parse_space(const char *text, unsigned *n) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '=' || value >= SPACES)
        return NULL;
    *n = (unsigned)value;
    return end + 1;
}

/* Parses a word: an integer, or a float if it has a decimal point. */
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

static int bind_buffer(struct kernel_run *r, const char *text) {
    unsigned n;
    const char *what = parse_space(text, &n);
    if (!what)
        return complain_of(USAGE, "--buffer %s: expected N=FILE or N=zero:SIZE, N 0 to 15", text);
    r->g[n].file = what;
    r->g[n].zeros = 0;
    if (strncmp(what, "zero:", 5) != 0)
        return 0;
    char *end;
    r->g[n].zeros = strtoull(what + 5, &end, 0);
    if (end == what + 5 || *end || r->g[n].zeros == 0 || r->g[n].zeros > 1ull << 32)
        return complain_of(USAGE, "--buffer %s: SIZE is a number of bytes, 1 to 4 GiB", text);
    return 0;
}

static int add_param(struct kernel_run *r, const char *text) {
    if (r->param_count == PARAMS)
        return complain_of(USAGE, "--param %s: at most 64 words", text);
    if (!parse_word(text, &r->params[r->param_count++]))
        return complain_of(USAGE, "--param %s: expected a number", text);
    return 0;
}

static int parse_chip(struct kernel_run *r, const char *value) {
    for (int i = 0; i <= TP_CHIP_G64; i++) {
        if (strcmp(chips[i], value) == 0) {
            r->info.chip = (enum tp_chip)i;
            return 0;
        }
    }
    return complain_of(USAGE, "-m %s: expected g80 g84 g200 mcp77 gt215 gf100 gk104 or g64", value);
}

static int parse_value(struct kernel_run *r, const char *option, const char *value) {
    unsigned n;
    if (strcmp(option, "--grid") == 0)
        return parse_sizes(value, r->grid, 3)
                   ? 0
                   : complain_of(USAGE, "--grid %s: expected X[,Y[,Z]], each 1 to 65535", value);
    if (strcmp(option, "--block") == 0)
        return parse_sizes(value, r->block, 3)
                   ? 0
                   : complain_of(USAGE, "--block %s: expected X[,Y[,Z]]", value);
    if (strcmp(option, "--buffer") == 0)
        return bind_buffer(r, value);
    if (strcmp(option, "--out") == 0) {
        const char *path = parse_space(value, &n);
        if (!path)
            return complain_of(USAGE, "--out %s: expected N=FILE, N 0 to 15", value);
        r->g[n].out = path;
        return 0;
    }
    if (strcmp(option, "-m") == 0)
        return parse_chip(r, value);
    if (strcmp(option, "--engine") == 0) {
        r->info.engine = value;
        return 0;
    }
    if (strcmp(option, "--threads") == 0) {
        char *end;
        const long threads = strtol(value, &end, 10);
        if (end == value || *end || threads < 1 || threads > 256)
            return complain_of(USAGE, "--threads %s: 1 to 256", value);
        r->info.threads = (int)threads;
        return 0;
    }
    return complain_of(USAGE, "unknown option %s", option);
}

static bool is_number(const char *text) {
    uint32_t word;
    return parse_word(text, &word);
}

static int parse_arguments(struct kernel_run *r, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        int result = 0;
        if (strcmp(argv[i], "--stats") == 0) {
            r->stats = true;
        } else if (argv[i][0] != '-') {
            if (r->program)
                return complain_of(USAGE, "one program only, %s is a second", argv[i]);
            r->program = argv[i];
        } else if (i + 1 == argc) {
            return complain_of(USAGE, "%s needs a value", argv[i]);
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
    if (!r->program || !r->grid[0] || !r->block[0]) {
        fputs(usage, stderr);
        return USAGE;
    }
    return 0;
}

enum { MAX_FILE = 1 << 30 };

/* Reads a whole file; NULL if it cannot be read or is larger than a gigabyte. */
static void *read_file(const char *path, uint64_t *size) {
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    size_t length = 0, room = 0;
    while (f) {
        if (length == room) {
            room = room ? room * 2 : 1 << 16;
            char *more = room > MAX_FILE ? NULL : realloc(data, room);
            if (!more)
                break;
            data = more;
        }
        const size_t n = fread(data + length, 1, room - length, f);
        length += n;
        if (n == 0) {
            const bool ok = !ferror(f);
            fclose(f);
            *size = length;
            if (ok)
                return data;
            f = NULL;
        }
    }
    if (f)
        fclose(f);
    free(data);
    return NULL;
}

static int tell_failure(const tp_device *device) {
    return complain_of(FAILED, "%s", tp_message(device));
}

static int bind_spaces(struct kernel_run *r, tp_device *device, tp_context *context) {
    for (unsigned n = 0; n < SPACES; n++) {
        struct kernel_space *g = &r->g[n];
        uint64_t size = g->zeros;
        if (!g->file)
            continue;
        void *data = size ? NULL : read_file(g->file, &size);
        if (!data && !size)
            return complain_of(FAILED, "cannot read %s", g->file);
        const bool ok = tp_buffer_create(device, size, data, &g->buffer) == TP_OK &&
                        tp_bind_global(context, n, g->buffer, 0, size) == TP_OK;
        free(data);
        if (!ok)
            return tell_failure(device);
    }
    return 0;
}

static int write_file(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(data, 1, size, f) == size;
    if (f && fclose(f) != 0)
        ok = false;
    return ok ? 0 : complain_of(FAILED, "cannot write %s", path);
}

static int write_outputs(const struct kernel_run *r, tp_device *device, tp_context *context) {
    int result = 0;
    for (int n = 0; n < SPACES && !result; n++) {
        const struct kernel_space *g = &r->g[n];
        if (!g->out)
            continue;
        if (!g->buffer)
            return complain_of(USAGE, "--out to %s: nothing is bound there", g->out);
        const uint64_t size = tp_buffer_size(g->buffer);
        void *data = malloc(size);
        if (!data)
            return complain_of(FAILED, "%s", "out of memory");
        result = tp_buffer_read(context, g->buffer, 0, data, size) == TP_OK
                     ? write_file(g->out, data, size)
                     : tell_failure(device);
        free(data);
    }
    return result;
}

static void print_stats(tp_context *context) {
    struct tp_statistics s;
    if (tp_get_statistics(context, &s) != TP_OK)
        return;
    fprintf(stderr,
            "%llu warps, %llu warp instructions, %llu lane instructions, "
            "%llu reads and %llu writes out of range\n",
            (unsigned long long)s.compute_warps, (unsigned long long)s.instructions,
            (unsigned long long)s.lane_instructions, (unsigned long long)s.bad_reads,
            (unsigned long long)s.bad_writes);
}

static int dispatch_grid(struct kernel_run *r, tp_device *device, tp_context *context) {
    tp_program *program = NULL;
    const size_t length = strlen(r->program);
    if (length < 3 || strcmp(r->program + length - 3, ".cp") != 0)
        return complain_of(USAGE, "%s: only compute programs (.cp) run on their own", r->program);
    int result = bind_spaces(r, device, context);
    if (result)
        return result;
    if (r->hooks)
        r->hooks->prepare(r->hooks->self, device, context);
    if (tp_program_from_file(device, r->program, &program) != TP_OK ||
        tp_bind_program(context, TP_COMPUTE, program) != TP_OK ||
        tp_dispatch_3d(context, r->grid, r->block, r->params, r->param_count) != TP_OK ||
        tp_finish(context) != TP_OK)
        result = tell_failure(device);
    else
        result = write_outputs(r, device, context);
    if (!result && r->stats)
        print_stats(context);
    tp_program_destroy(program);
    return result;
}

/* Results report failures; the command prints each once, with its own name. */
static void ignore_log(void *self, int level, const char *line) {
    (void)self, (void)level, (void)line;
}

static int run_program(struct kernel_run *r) {
    r->info.log = ignore_log;
    tp_device *device = NULL;
    tp_context *context = NULL;
    int result;
    if (tp_device_create(&r->info, &device) != TP_OK ||
        tp_context_create(device, &context) != TP_OK)
        result = tell_failure(device);
    else
        result = dispatch_grid(r, device, context);
    for (int n = 0; n < SPACES; n++)
        tp_buffer_destroy(r->g[n].buffer);
    tp_context_destroy(context);
    tp_device_destroy(device);
    return result;
}

int cmd_run(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    struct kernel_run r = {.info = {.chip = TP_CHIP_G200}};
    const int result = parse_arguments(&r, argc, argv);
    return result ? result : run_program(&r);
}

int run_watched(int argc, char **argv, const struct run_hooks *hooks) {
    struct kernel_run r = {.info = {.chip = TP_CHIP_G200}, .hooks = hooks};
    const int result = parse_arguments(&r, argc, argv);
    r.info.threads = 1;
    return result ? result : run_program(&r);
}
