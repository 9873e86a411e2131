/* teslapipe glsl: GLSL as program files for the library. In: GLSL files, which the stock driver
 * compiles in a child process under `teslapipe gl`, or a draw of a recording. Out: a program file
 * for each stage, a table of the interface, a C header, a page. Must not know OpenGL: glsl_inside.c
 * does.
 */
#define _GNU_SOURCE
#include "tools/cmd_gl.h"
#include "tools/glsl.h"

#include "shader/isa/isa.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct options {
    const char *chip, *output, *name, *capture, *recording;
    int draw;
    bool html;
};

/* ---- names of files ---- */

/* Returns the stage that the extension of a GLSL file names; -1: none. */
static int stage_of(const char *path) {
    const char *const dot = strrchr(path, '.');
    for (int stage = 0; dot && stage < PROGRAM_TYPES; stage = next_draw_type(stage))
        if (strcmp(dot + 1, glsl_extension((enum program_type)stage)) == 0)
            return stage;
    return -1;
}

/* The output's name is the file's name without folder and extension, as a C identifier. */
static void name_output(const char *path, char name[64]) {
    const char *const slash = strrchr(path, '/'), *const base = slash ? slash + 1 : path;
    snprintf(name, 64, "%s%.*s", isdigit((unsigned char)*base) ? "_" : "", (int)strcspn(base, "."),
             base);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/* ---- the child ---- */

/* Runs `teslapipe gl --record RECORDING -- teslapipe glsl --inside FACTS STAGE=FILE...`. Returns
 * the child's exit code. */
static int run_child(const struct command *command, const struct options *o, const char *recording,
                     char **inside) {
    char self[PATH_MAX];
    int status = -1;
    own_path(self);
    const pid_t child = fork();
    if (child == 0) {
        char *argv[64] = {self,
                          (char[]){"gl"},
                          (char[]){"--chip"},
                          (char *)o->chip,
                          (char[]){"--record"},
                          (char *)recording,
                          (char[]){"--budget"},
                          (char[]){"100000"},
                          (char[]){"--log"},
                          (char[]){"error:/dev/null"},
                          (char[]){"--threads"},
                          (char[]){"1"},
                          (char[]){"--"},
                          self,
                          (char[]){"glsl"}};
        int n = 0;
        while (argv[n])
            n++;
        for (int i = 0; inside[i] && n < 63; i++)
            argv[n++] = inside[i];
        execv(self, argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return command_failed(command, "cannot start a process: %s", strerror(errno));
    if (WIFSIGNALED(status))
        return command_failed(command, "the driver crashed: %s", strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

/* Returns the arguments behind `teslapipe glsl`, malloc'd in one piece with their texts. */
static char **inside_arguments(const struct options *o, const char *facts, int count,
                               char **files) {
    size_t size = (size_t)(count + 40) * sizeof(char *) + strlen(facts) + 64;
    for (int i = 0; i < count; i++)
        size += strlen(files[i]) + 16;
    size += o->capture ? 12 * 40 + strlen(o->capture) : 0;
    char **const list = calloc(1, size);
    if (!list)
        return NULL;
    char *text = (char *)(list + count + 40);
    int n = 0;
#define TEXT(...)                                                                                  \
    do {                                                                                           \
        list[n++] = text;                                                                          \
        text += sprintf(text, __VA_ARGS__) + 1;                                                    \
    } while (0)
    TEXT(GLSL_INSIDE);
    TEXT("%s", facts);
    for (int i = 0; i < count; i++)
        TEXT("%s=%s", program_type_name((enum program_type)stage_of(files[i])), files[i]);
    for (const char *c = o->capture; c && *c && n < count + 36; c += strspn(c, ", ")) {
        const int length = (int)strcspn(c, ", ");
        TEXT("capture=%.*s", length, c);
        c += length;
    }
#undef TEXT
    return list;
}

static bool read_sources(struct glsl *g, const struct command *command, int count, char **files) {
    for (int i = 0; i < count; i++) {
        struct glsl_program *p = &g->stage[stage_of(files[i])];
        size_t size;
        free(p->source);
        p->file = files[i];
        p->source = read_whole_text(command, files[i], &size);
        if (!p->source)
            return false;
    }
    return true;
}

static int compile_files(struct glsl *g, const struct command *command, const struct options *o,
                         int count, char **files) {
    char folder[] = "/tmp/teslapipe-glsl-XXXXXX", facts[64], recording[64], why[512];
    if (!mkdtemp(folder))
        return command_failed(command, "%s: %s", folder, strerror(errno));
    snprintf(facts, sizeof facts, "%s/facts", folder);
    snprintf(recording, sizeof recording, "%s/recording", folder);
    char **inside = inside_arguments(o, facts, count, files);
    int code = inside ? run_child(command, o, recording, inside)
                      : command_failed(command, "out of memory");
    free(inside);
    if (code == EXIT_FINE && !glsl_read_facts(g, facts, why, sizeof why))
        code = command_failed(command, "%s", why);
    if (code == EXIT_FINE && !glsl_read_recording(g, command, recording))
        code = EXIT_FAILED;
    unlink(facts);
    unlink(recording);
    rmdir(folder);
    return code;
}

/* ---- output ---- */

typedef void write_fn(FILE *out, const struct glsl *g);

struct output {
    const struct glsl *glsl;
    write_fn *write; /* NULL: the program of the stage */
    enum program_type stage;
};

static void put_output(void *self, FILE *out) {
    const struct output *o = self;
    if (o->write)
        o->write(out, o->glsl);
    else
        glsl_write_program(out, o->glsl, o->stage);
}

static int write_one(const struct command *command, const struct options *o, const struct glsl *g,
                     const char *extension, write_fn *write, enum program_type stage) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.%s", o->output, g->name, extension);
    struct output output = {g, write, stage};
    return write_text_file(command, path, put_output, &output);
}

static int write_source(const struct command *command, const struct options *o,
                        const struct glsl *g, enum program_type stage) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.%s", o->output, g->name, glsl_extension(stage));
    return write_whole_file(command, path, g->stage[stage].source, strlen(g->stage[stage].source));
}

static int write_all(const struct command *command, const struct options *o, const struct glsl *g) {
    if (mkdir(o->output, 0777) != 0 && errno != EEXIST)
        return command_failed(command, "%s: %s", o->output, strerror(errno));
    int code = EXIT_FINE;
    for (int stage = 0; stage < PROGRAM_TYPES && code == EXIT_FINE; stage = next_draw_type(stage))
        if (g->stage[stage].program)
            code = write_one(command, o, g, program_type_name((enum program_type)stage), NULL,
                             (enum program_type)stage);
    for (int stage = 0; stage < PROGRAM_TYPES && code == EXIT_FINE; stage = next_draw_type(stage))
        if (o->recording && g->stage[stage].source)
            code = write_source(command, o, g, (enum program_type)stage);
    if (code == EXIT_FINE)
        code = write_one(command, o, g, "txt", glsl_write_table, PROGRAM_VP);
    if (code == EXIT_FINE)
        code = write_one(command, o, g, "h", glsl_write_header, PROGRAM_VP);
    if (code == EXIT_FINE && o->html)
        code = write_one(command, o, g, "html", glsl_write_html, PROGRAM_VP);
    return code;
}

static int check_files(const struct command *command, int count, char **files) {
    int seen[PROGRAM_TYPES] = {0};
    for (int i = 0; i < count; i++) {
        const int stage = stage_of(files[i]);
        if (stage < 0)
            return command_usage(
                command, "%s: the names of GLSL files end in .vert, .tesc, .tese, .geom or .frag%s",
                files[i],
                strcmp(files[i] + strlen(files[i]) - (strlen(files[i]) > 4 ? 5 : 0), ".comp") == 0
                    ? "; compute programs are written in assembly (docs/glsl.md)"
                    : "");
        if (seen[stage]++)
            return command_usage(command, "%s: a second file with the %s program", files[i],
                                 program_stage_name((enum program_type)stage));
        if (access(files[i], R_OK) != 0)
            return command_failed(command, "%s: %s", files[i], strerror(errno));
    }
    if (!seen[PROGRAM_VP] || !seen[PROGRAM_FP])
        return command_usage(command, "a .vert and a .frag file are needed (see --help)");
    return EXIT_FINE;
}

/* Writes the command line, for the first line of each output file. */
static void describe(const struct options *o, int count, char **files, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "teslapipe glsl");
    if (o->recording)
        used += (size_t)snprintf(text + used, size - used, " --from-recording %s --draw %d",
                                 o->recording, o->draw);
    for (int i = 0; i < count && used < size; i++) {
        const char *const slash = strrchr(files[i], '/');
        used += (size_t)snprintf(text + used, size - used, " %s", slash ? slash + 1 : files[i]);
    }
    if (!o->recording && used < size)
        snprintf(text + used, size - used, " --chip %s", o->chip);
}

static int run(const struct command *command, struct options *o, int count, char **files) {
    static char made[512];
    char name[64];
    struct glsl g = {.command = made};
    int code = o->recording ? EXIT_FINE : check_files(command, count, files);
    if (o->recording && count)
        code = command_usage(command, "--from-recording takes no GLSL files");
    if (!o->recording && o->draw)
        code = command_usage(command, "--draw goes with --from-recording");
    if (o->recording && (o->chip || o->capture))
        code = command_usage(command, "%s goes without --from-recording",
                             o->chip ? "--chip" : "--capture");
    if (code != EXIT_FINE)
        return code;
    if (!gl_has_chip("glsl", o->chip))
        return EXIT_USAGE;
    o->draw = o->draw ? o->draw : 1;
    o->chip = o->chip ? o->chip : "gt215";
    name_output(o->name ? o->name : o->recording ? "draw" : files[0], name);
    if (!name[0])
        return command_usage(command, "the output has no name: give --name NAME");
    g.name = name;
    describe(o, count, files, made, sizeof made);
    if (o->recording) {
        snprintf(g.driver, sizeof g.driver, "draw %d", o->draw);
        code = glsl_read_draw(&g, command, o->recording, (uint64_t)o->draw);
    } else {
        code = compile_files(&g, command, o, count, files);
        if (code == EXIT_FINE && !read_sources(&g, command, count, files))
            code = EXIT_FAILED;
        if (code == EXIT_FINE && !glsl_find_point_coord(&g))
            command_failed(command,
                           "warning: gl_PointCoord: this version of the driver does not tell its "
                           "slots; write point=xy in .interpolants");
    }
    if (code == EXIT_FINE)
        code = write_all(command, o, &g);
    if (code == EXIT_FINE && g.semantic.color_clamp && g.semantic.color_count)
        command_failed(command, "warning: the clamping of gl_FrontColor is left out");
    glsl_free(&g);
    return code;
}

COMMAND(glsl) {
    struct options o = {.output = "."};
    const struct option_spec options[] = {
        {"--chip", "CHIP", OPTION_TEXT, &o.chip, "as of `teslapipe gl` (gt215)"},
        {"-o", "DIR", OPTION_TEXT, &o.output, "the folder of the output (.)"},
        {"--name", "NAME", OPTION_TEXT, &o.name, "of the output (that of the first file)"},
        {"--capture", "NAMES", OPTION_TEXT, &o.capture,
         "varyings for transform feedback, with commas between them"},
        {"--from-recording", "FILE", OPTION_TEXT, &o.recording,
         "the programs of a draw of a recording in place of GLSL files"},
        {"--draw", "N", OPTION_COUNT, &o.draw, "with --from-recording: the draw (1)"},
        {"--html", NULL, OPTION_FLAG, &o.html,
         "also write NAME.html: GLSL and machine code side by side"},
        {0},
    };
    const struct command command = {
        "glsl",
        "FILE.vert [FILE.tesc FILE.tese] [FILE.geom] FILE.frag [options]",
        "Compiles GLSL with Mesa's nouveau driver and writes program files for the library:\n"
        "NAME.vp, NAME.gp, NAME.fp (and .tcp, .tep for a Fermi), NAME.txt with the places of uniforms,\n"
        "samplers, inputs and varyings, NAME.h with all of it for C programs (docs/glsl.md).",
        options,
        "teslapipe glsl mesh.vert mesh.frag -o build\n"
        "teslapipe glsl --from-recording frames.tpr --draw 12 -o out",
    };
    int code;
    if (argc > 1 && strcmp(argv[1], GLSL_INSIDE) == 0)
        return glsl_inside(argc - 2, argv + 2);
    const int count = command_parse(&command, argc, argv, &code);
    return count < 0 ? code : run(&command, &o, count, argv + 1);
}
