/* teslapipe run: executes a compute kernel on files. In: a .cp program, grid and block sizes, files
 * bound as g[] spaces, parameter words; out: files written from g[] spaces, statistics on stderr.
 */
#include "tools/cmd_run.h"

#include "shader/isa/isa.h"
#include "tools/check_report.h"

#include <stdlib.h>

enum { SPACES = 16, PARAMS = 64 };

/* The contents of g[n]: a file, or a number of zero bytes. */
struct kernel_space {
    const char *file;
    uint64_t zeros;
    tp_buffer *buffer;
    const char *out;
};

struct kernel_run {
    const struct command *command;
    const char *program, *chip;
    struct tp_device_info info;
    uint32_t grid[3], block[3];
    uint32_t params[PARAMS];
    unsigned param_count;
    struct kernel_space g[SPACES];
    bool stats;
    struct check_options check;
    struct check_report report;
    const struct run_hooks *hooks; /* NULL: none */
};

/* Parses "a,b,c": up to three values from 1 to 65535. Missing values are 1. */
static bool parse_sizes(const char *text, uint32_t v[3]) {
    v[0] = v[1] = v[2] = 1;
    for (int i = 0; i < 3; i++) {
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

/* Parses "N=rest". Returns rest, or NULL. */
static const char *parse_space(const char *text, unsigned *n) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '=' || value >= SPACES)
        return NULL;
    *n = (unsigned)value;
    return end + 1;
}

static const char *take_buffer(void *self, const char *text) {
    struct kernel_run *r = self;
    unsigned n;
    const char *what = parse_space(text, &n);
    if (!what)
        return "expected N=FILE or N=zero:SIZE, N 0 to 15";
    if (r->g[n].file)
        return "g[N] has a buffer already";
    r->g[n].file = what;
    r->g[n].zeros = 0;
    if (strncmp(what, "zero:", 5) != 0)
        return NULL;
    char *end;
    r->g[n].zeros = strtoull(what + 5, &end, 0);
    const bool right = end != what + 5 && !*end && what[5] != '-' && r->g[n].zeros != 0 &&
                       r->g[n].zeros <= 1ull << 32;
    return right ? NULL : "SIZE is a number of bytes, 1 to 4 GiB";
}

static const char *take_out(void *self, const char *text) {
    struct kernel_run *r = self;
    unsigned n;
    const char *path = parse_space(text, &n);
    if (!path)
        return "expected N=FILE, N 0 to 15";
    if (r->g[n].out)
        return "g[N] is written to a file already";
    r->g[n].out = path;
    return NULL;
}

static const char *take_param(void *self, const char *text) {
    struct kernel_run *r = self;
    if (r->param_count == PARAMS)
        return "at most 64 words";
    return word_from_text(text, &r->params[r->param_count++])
               ? NULL
               : "expected a number of 32 bits, as 12, 0x1f or 1.5";
}

static bool is_number(const char *text) {
    uint32_t word;
    return word_from_text(text, &word);
}

static const char *take_grid(void *self, const char *text) {
    return parse_sizes(text, ((struct kernel_run *)self)->grid)
               ? NULL
               : "expected X[,Y[,Z]], each 1 to 65535";
}

static const char *take_block(void *self, const char *text) {
    return parse_sizes(text, ((struct kernel_run *)self)->block) ? NULL : "expected X[,Y[,Z]]";
}

_Static_assert((int)ISA_G80 == TP_CHIP_G80 && (int)ISA_G64 == TP_CHIP_G64, "the same chips");
/* Refuses outputs of spaces that have no buffer. */
static int check_outputs(const struct kernel_run *r) {
    for (int n = 0; n < SPACES; n++)
        if (r->g[n].out && !r->g[n].file)
            return command_usage(r->command, "--out to %s: nothing is bound there", r->g[n].out);
    return EXIT_FINE;
}

static int tell_failure(const struct kernel_run *r, const tp_device *device) {
    return command_failed(r->command, "%s", tp_message(device));
}

static int bind_spaces(struct kernel_run *r, tp_device *device, tp_context *context) {
    for (unsigned n = 0; n < SPACES; n++) {
        struct kernel_space *g = &r->g[n];
        size_t size = g->zeros;
        if (!g->file)
            continue;
        void *data = size ? NULL : read_whole_file(r->command, g->file, &size);
        if (!data && !g->zeros)
            return EXIT_FAILED;
        if (!size) {
            free(data);
            return command_failed(r->command, "%s: is empty; a buffer has at least 1 byte",
                                  g->file);
        }
        const bool ok = tp_buffer_create(device, size, data, &g->buffer) == TP_OK &&
                        tp_bind_global(context, n, g->buffer, 0, size) == TP_OK;
        free(data);
        if (!ok)
            return tell_failure(r, device);
    }
    return 0;
}

static int write_outputs(const struct kernel_run *r, tp_device *device, tp_context *context) {
    int result = 0;
    for (int n = 0; n < SPACES && !result; n++) {
        const struct kernel_space *g = &r->g[n];
        if (!g->out)
            continue;
        const uint64_t size = tp_buffer_size(g->buffer);
        void *data = malloc(size);
        if (!data)
            return command_failed(r->command, "out of memory");
        result = tp_buffer_read(context, g->buffer, 0, data, size) == TP_OK
                     ? write_whole_file(r->command, g->out, data, size)
                     : tell_failure(r, device);
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
        return command_usage(r->command, "%s: only compute programs (.cp) run on their own",
                             r->program);
    int result = bind_spaces(r, device, context);
    if (result)
        return result;
    if (r->hooks)
        r->hooks->prepare(r->hooks->self, device, context);
    if (r->report.check)
        memory_check_watch(r->report.check, context);
    if (tp_program_from_file(device, r->program, &program) != TP_OK ||
        tp_bind_program(context, TP_COMPUTE, program) != TP_OK ||
        tp_dispatch_3d(context, r->grid, r->block, r->params, r->param_count) != TP_OK ||
        tp_finish(context) != TP_OK)
        result = tell_failure(r, device);
    else
        result = write_outputs(r, device, context);
    if (!result && r->stats)
        print_stats(context);
    if (r->report.check)
        memory_check_leave(context);
    tp_program_destroy(program);
    return result;
}

static int run_program(struct kernel_run *r) {
    r->info.log = command_log;
    tp_device *device = NULL;
    tp_context *context = NULL;
    int result;
    if (tp_device_create(&r->info, &device) != TP_OK ||
        tp_context_create(device, &context) != TP_OK)
        result = tell_failure(r, device);
    else
        result = dispatch_grid(r, device, context);
    for (int n = 0; n < SPACES; n++)
        tp_buffer_destroy(r->g[n].buffer);
    tp_context_destroy(context);
    tp_device_destroy(device);
    return result;
}

/* Runs the program and, with --check, reports findings. The exit code of the report, if not 0, has
 * priority over that of the program. */
static int run_checked(struct kernel_run *r) {
    if (!r->check.check)
        return run_program(r);
    int code = check_report_begin(&r->report, r->command, &r->check);
    if (code != EXIT_FINE)
        return code;
    r->info.threads = 1;
    code = run_program(r);
    const int found = check_report_end(&r->report, NULL);
    return found != EXIT_FINE ? found : code;
}

static int run_with(struct kernel_run *r, int argc, char **argv) {
    struct option_call buffer = {take_buffer, r, NULL}, out = {take_out, r, NULL},
                       param = {take_param, r, is_number}, grid = {take_grid, r, NULL},
                       block = {take_block, r, NULL};
    const struct option_spec options[] = {
        {"--grid", "X[,Y[,Z]]", OPTION_EACH, &grid, "blocks"},
        {"--block", "X[,Y[,Z]]", OPTION_EACH, &block, "threads of a block"},
        {"--buffer", "N=FILE", OPTION_EACH, &buffer,
         "bind a copy of FILE as g[N], 0 to 15; N=zero:SIZE: SIZE zero bytes"},
        {"--out", "N=FILE", OPTION_EACH, &out, "write g[N] to FILE afterwards"},
        {"--param", "WORD...", OPTION_EACH, &param, "words at s[0x10] on: 12, 0x1f or 1.5"},
        {"-m", "CHIP", OPTION_CHIP, &r->chip, "g80 g84 g200 (default) mcp77 gt215 gf100 gk104 g64"},
        THREADS_OPTION(&r->info.threads),
        ENGINE_OPTION(&r->info.engine),
        {"--stats", NULL, OPTION_FLAG, &r->stats,
         "instructions and out-of-range accesses on stderr"},
        CHECK_OPTIONS(r->check),
        {0},
    };
    const struct command command = {
        r->hooks ? "debug" : "run",
        "PROGRAM.cp --grid X[,Y[,Z]] --block X[,Y[,Z]] [options]",
        "Runs a compute program on files.",
        options,
        "teslapipe run sum.cp --grid 64 --block 256 --buffer 0=in.bin --buffer 1=zero:65536 "
        "--out 1=out.bin",
    };
    COMMAND_PARSE(code, count);
    if (count > 1)
        return command_usage(&command, "one program only, %s is a second", argv[2]);
    if (!count || !r->grid[0] || !r->block[0])
        return command_usage(&command, "give a program, --grid and --block (see --help)");
    r->program = argv[1];
    r->command = &command;
    if (r->chip)
        r->info.chip = (enum tp_chip)isa_variant_from_name(r->chip);
    if (r->hooks)
        r->info.threads = 1;
    code = check_options_hold(&command, &r->check);
    if (code == EXIT_FINE)
        code = check_outputs(r);
    return code != EXIT_FINE ? code : run_checked(r);
}

COMMAND(run) {
    struct kernel_run r = {.info = {.chip = TP_CHIP_G200}};
    return run_with(&r, argc, argv);
}

int run_watched(int argc, char **argv, const struct run_hooks *hooks) {
    struct kernel_run r = {.info = {.chip = TP_CHIP_G200}, .hooks = hooks};
    return run_with(&r, argc, argv);
}
