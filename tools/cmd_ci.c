/* `teslapipe ci`: runs a command, such as `meson test`, without a display on each chip of a list,
 * and inspects every process that drew. In: the command; the notes that the preload library writes
 * (drm/ci.h). Out: a summary, a JUnit report, recordings and logs of failed processes. Must not
 * know graphics. */
#define _GNU_SOURCE
#include "drm/chip.h"
#include "base/arena.h"
#include "tools/html_text.h"
#include "base/new_file.h"
#include "tools/tool.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* SKIPPED: the exit code of skipped tests for meson, automake and piglit. */
enum { CHIPS = 16, LINE = 4096, SKIPPED = 77 };

struct ci {
    const struct command *command;
    const struct chip *chip[CHIPS];
    int chips;
    const char *junit, *folder;
    double timeout;
    bool headless, no_record, keep;
    char path[PATH_MAX]; /* the absolute path of the folder */
};

/* A process that made a GPU, or drew with another driver. */
struct process {
    long number;
    char line[LINE], error[LINE], other[64];
    int status; /* -1: killed */
    size_t errors;
};

struct run {
    struct process *process;
    size_t count, failed, skipped;
    int status; /* the command's exit code; 128 + n after signal n */
    bool timed_out;
    double seconds;
};

/* ---- options --------------------------------------------------------------------------------- */

/* Takes "g84,g200" or "all". */
static const char *take_chips(void *self, const char *text) {
    struct ci *ci = self;
    static char right[512];
    if (strcmp(text, "all") == 0)
        text = "g80,g84,g200,mcp77,gt215";
    ci->chips = 0;
    for (const char *t = text; *t || !ci->chips; t += *t == ',') {
        char name[16];
        const size_t length = strcspn(t, ",");
        snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, t);
        if (!chip_find(name) || ci->chips == CHIPS) {
            size_t used = (size_t)snprintf(right, sizeof right, "must be all, or some of:");
            for (size_t i = 0; i < sizeof chips / sizeof *chips && used < sizeof right; i++)
                used += (size_t)snprintf(right + used, sizeof right - used, " %s", chips[i].name);
            return right;
        }
        ci->chip[ci->chips++] = chip_find(name);
        t += length;
    }
    return NULL;
}

/* ---- one chip -------------------------------------------------------------------------------- */

static void chip_path(const struct ci *ci, const struct chip *chip, const char *name,
                      char path[2 * PATH_MAX]) {
    snprintf(path, 2 * PATH_MAX, "%s/%s/%s", ci->path, chip->name, name);
}

static void process_path(const struct ci *ci, const struct chip *chip, long number,
                         const char *kind, char path[2 * PATH_MAX]) {
    char name[64];
    snprintf(name, sizeof name, "%ld.%s", number, kind);
    chip_path(ci, chip, name, path);
}

/* Returns the number of a file like "123.begin"; 0: the file has another name. */
static long number_of(const char *name, const char *kind) {
    char *end;
    const long number = strtol(name, &end, 10);
    return number > 0 && *end == '.' && (!kind || strcmp(end + 1, kind) == 0) ? number : 0;
}

/* Makes the folder of a chip and removes files that an earlier run left there. */
static bool clear_folder(const struct ci *ci, const struct chip *chip) {
    char path[2 * PATH_MAX];
    chip_path(ci, chip, "", path);
    if (mkdir(path, 0777) && errno != EEXIST)
        return false;
    DIR *const folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        chip_path(ci, chip, e->d_name, path);
        if (number_of(e->d_name, NULL))
            unlink(path);
    }
    return folder && closedir(folder) == 0;
}

/* Runs in the child: sets the environment and becomes `teslapipe gl`. */
static void start(const struct ci *ci, const struct chip *chip, char **words) {
    char self[PATH_MAX], text[3 * PATH_MAX], path[2 * PATH_MAX];
    size_t count = 0, n = 0;
    while (words[count])
        count++;
    char **arguments = calloc(count + 8, sizeof *arguments);
    if (!arguments || !own_path(self))
        _exit(EXIT_FAILED);
    chip_path(ci, chip, "", path);
    setenv("TESLAPIPE_CI", path, 1);
    chip_path(ci, chip, "%p.log", path);
    snprintf(text, sizeof text, "warning:%s", path);
    setenv("TESLAPIPE_LOG", text, 1);
    chip_path(ci, chip, "%p.tpr", path);
    if (ci->no_record)
        unsetenv("TESLAPIPE_RECORD");
    else
        setenv("TESLAPIPE_RECORD", path, 1);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    const char *const before[] = {
        self, "gl", "--chip", chip->name, ci->headless ? "--headless" : NULL, "--"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (before[i])
            arguments[n++] = (char *)before[i];
    for (size_t i = 0; i < count; i++)
        arguments[n++] = words[i];
    setpgid(0, 0);
    execv(self, arguments);
    _exit(EXIT_FAILED);
}

/* The command's process group; 0: no command runs. A terminal's Ctrl-C does not reach the group. */
static volatile pid_t group;
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};

static void end_group(int number) {
    kill(-group, number);
    signal(number, SIG_DFL);
    raise(number);
}

/* From now on, an ending signal to this process reaches the command's processes, too. */
static void share_signals(pid_t child) {
    setpgid(child, child); /* the child does so itself, perhaps later */
    group = child;
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++)
        signal(ending_signals[i], end_group);
}

/* Waits for the command; after the timeout its processes are killed. */
static void wait_for(const struct ci *ci, pid_t child, struct run *run) {
    const double begin = seconds_now();
    int status = 0;
    share_signals(child);
    while (waitpid(child, &status, ci->timeout > 0 ? WNOHANG : 0) == 0) {
        if (seconds_now() - begin > ci->timeout && !run->timed_out) {
            run->timed_out = true;
            kill(-child, SIGKILL);
        }
        usleep(20000);
    }
    group = 0;
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++)
        signal(ending_signals[i], SIG_DFL);
    run->seconds = seconds_now() - begin;
    run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Reads the first line of a file, without the newline; "" if there is none. */
static void read_line(const char *path, char *line, size_t size) {
    FILE *const f = fopen(path, "re");
    if (!f || !fgets(line, (int)size, f))
        line[0] = 0;
    line[strcspn(line, "\n")] = 0;
    if (f)
        fclose(f);
}

static void read_errors(const char *path, struct process *p) {
    char line[LINE];
    FILE *const f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        const char *const text = strstr(line, "error: ");
        if (text && p->errors++ == 0)
            snprintf(p->error, sizeof p->error, "%s", text + 7);
    }
    if (f)
        fclose(f);
}

static int by_number(const void *a, const void *b) {
    const struct process *const x = a, *const y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Reads the notes of all processes. Returns false when out of memory. */
static bool read_notes(const struct ci *ci, const struct chip *chip, struct run *run) {
    char path[2 * PATH_MAX], text[16];
    size_t room = 0;
    chip_path(ci, chip, "", path);
    DIR *const folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        const long number = number_of(e->d_name, "begin");
        if (!number)
            continue;
        if (!ARRAY_ROOM(run->process, room, run->count + 1)) {
            closedir(folder);
            return false;
        }
        struct process *const p = &run->process[run->count++];
        *p = (struct process){.number = number};
        process_path(ci, chip, number, "begin", path);
        read_line(path, p->line, sizeof p->line);
        while (*p->line && p->line[strlen(p->line) - 1] == ' ')
            p->line[strlen(p->line) - 1] = 0;
        process_path(ci, chip, number, "other", path);
        read_line(path, p->other, sizeof p->other);
        process_path(ci, chip, number, "end", path);
        read_line(path, text, sizeof text);
        p->status = *text ? atoi(text) : -1;
        process_path(ci, chip, number, "log", path);
        read_errors(path, p);
    }
    if (folder)
        closedir(folder);
    if (run->count)
        qsort(run->process, run->count, sizeof *run->process, by_number);
    return true;
}

/* Writes the reason of a failure, or "" if the process passed. */
static void verdict(const struct process *p, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    if (p->other[0])
        used += (size_t)snprintf(text, size, "drew with %s, not with this GPU", p->other);
    if (p->status < 0 && used < size)
        used +=
            (size_t)snprintf(text + used, size - used, "%skilled by a signal", used ? "; " : "");
    else if (p->status && p->status != SKIPPED && used < size)
        used += (size_t)snprintf(text + used, size - used, "%sexit status %d", used ? "; " : "",
                                 p->status);
    if (p->errors && used < size)
        snprintf(text + used, size - used, "%s%zu error%s of the GPU: %s", used ? "; " : "",
                 p->errors, p->errors == 1 ? "" : "s", p->error);
}

/* Removes the notes of a process; its recording and log, too, if they are empty or the process
 * passed. */
static void remove_files(const struct ci *ci, const struct chip *chip, long number, bool passed) {
    static const char *const kinds[] = {"begin", "end", "other", "log", "tpr"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[2 * PATH_MAX];
        struct stat st;
        process_path(ci, chip, number, kinds[i], path);
        if (i < 3 || passed || (stat(path, &st) == 0 && st.st_size == 0))
            unlink(path);
    }
}

static void print_failure(const struct ci *ci, const struct chip *chip, const struct process *p,
                          const char *why) {
    char path[2 * PATH_MAX];
    printf("  FAILED %s: %s\n", p->line, why);
    process_path(ci, chip, p->number, "tpr", path);
    if (access(path, R_OK) == 0)
        printf("    recording %s; why a pixel is wrong: teslapipe why %s X Y\n", path, path);
}

/* Prints the summary of a chip. Without --keep, keeps only recordings and logs of failures. */
static void summarize(const struct ci *ci, const struct chip *chip, struct run *run) {
    char why[2 * LINE];
    for (size_t i = 0; i < run->count; i++) {
        verdict(&run->process[i], why, sizeof why);
        run->failed += *why != 0;
        run->skipped += run->process[i].status == SKIPPED && !*why;
    }
    printf("%s: %zu process%s drew, %zu failed, %zu skipped; the command %s %d after %.1f s\n",
           chip->name, run->count, run->count == 1 ? "" : "es", run->failed, run->skipped,
           run->timed_out ? "was stopped by --timeout, status" : "ended with", run->status,
           run->seconds);
    if (!run->count)
        printf("  FAILED: no process opened the GPU. teslapipe gl --check tests what is needed; "
               "programs that want a window need --headless.\n");
    for (size_t i = 0; i < run->count; i++) {
        const struct process *const p = &run->process[i];
        verdict(p, why, sizeof why);
        if (*why)
            print_failure(ci, chip, p, why);
        if (!ci->keep)
            remove_files(ci, chip, p->number, !*why);
    }
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_failure(FILE *to, const char *why) {
    fprintf(to, "><failure message=\"");
    html_put(to, why, strlen(why));
    fprintf(to, "\"/></testcase>\n");
}

/* Writes a suite for a chip: a case for each process, and one for the command. */
static void put_suite(FILE *to, const struct chip *chip, const struct run *run, const char *name) {
    const bool command_failed = run->status != 0 || !run->count;
    char why[2 * LINE];
    fprintf(
        to,
        "<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n",
        chip->name, run->count + 1, run->failed + command_failed, run->skipped, run->seconds);
    for (size_t i = 0; i < run->count; i++) {
        verdict(&run->process[i], why, sizeof why);
        fprintf(to, "<testcase classname=\"%s\" name=\"", chip->name);
        html_put(to, run->process[i].line, strlen(run->process[i].line));
        putc('"', to);
        if (*why)
            put_failure(to, why);
        else if (run->process[i].status == SKIPPED)
            fprintf(to, "><skipped/></testcase>\n");
        else
            fprintf(to, "/>\n");
    }
    fprintf(to, "<testcase classname=\"%s\" name=\"command: ", chip->name);
    html_put(to, name, strlen(name));
    fprintf(to, "\" time=\"%.3f\"", run->seconds);
    snprintf(why, sizeof why, "%s, status %d",
             !run->count      ? "no process opened the GPU"
             : run->timed_out ? "stopped by --timeout"
                              : "failed",
             run->status);
    if (command_failed)
        put_failure(to, why);
    else
        fprintf(to, "/>\n");
    fprintf(to, "</testsuite>\n");
}

static bool write_junit(const struct ci *ci, const struct run *run, const char *name) {
    struct new_file made;
    if (!new_file_open(&made, ci->junit))
        return false;
    fprintf(made.file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (int i = 0; i < ci->chips; i++)
        put_suite(made.file, ci->chip[i], &run[i], name);
    fprintf(made.file, "</testsuites>\n");
    return new_file_close(&made, ci->junit, !ferror(made.file));
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_chip(const struct ci *ci, const struct chip *chip, char **words, struct run *run) {
    if (!clear_folder(ci, chip))
        return command_failed(ci->command, "%s/%s: %s", ci->path, chip->name, strerror(errno));
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        start(ci, chip, words);
    if (child < 0)
        return command_failed(ci->command, "no process can be started: %s", strerror(errno));
    wait_for(ci, child, run);
    if (!read_notes(ci, chip, run))
        return command_failed(ci->command, "out of memory");
    summarize(ci, chip, run);
    return run->status || run->failed || !run->count ? EXIT_FAILED : EXIT_FINE;
}

static int run_all(struct ci *ci, char **words) {
    struct run run[CHIPS] = {0};
    int code = EXIT_FINE;
    if ((mkdir(ci->folder, 0777) && errno != EEXIST) || !realpath(ci->folder, ci->path))
        return command_failed(ci->command, "-o %s: %s", ci->folder, strerror(errno));
    for (int i = 0; i < ci->chips; i++)
        if (run_chip(ci, ci->chip[i], words, &run[i]) != EXIT_FINE)
            code = EXIT_FAILED;
    if (ci->junit && !write_junit(ci, run, words[0]))
        code = command_failed(ci->command, "%s: %s", ci->junit, strerror(errno));
    for (int i = 0; i < ci->chips; i++)
        free(run[i].process);
    return code;
}

COMMAND(ci) {
    struct ci ci = {.chip = {&chips[0]}, .chips = 1, .folder = "teslapipe-ci"};
    struct option_call chip_list = {take_chips, &ci, NULL};
    const struct option_spec options[] = {
        {"--chips", "A,B", OPTION_EACH, &chip_list,
         "chips, as g84,g200,gt215; all: g80,g84,g200,mcp77,gt215 (gt215)"},
        {"--junit", "FILE", OPTION_TEXT, &ci.junit, "a JUnit report: a suite for each chip"},
        {"-o", "FOLDER", OPTION_TEXT, &ci.folder,
         "where logs and recordings of failures go: FOLDER/CHIP (teslapipe-ci)"},
        {"--headless", NULL, OPTION_FLAG, &ci.headless,
         "give programs a hidden display, if they need a window"},
        {"--no-record", NULL, OPTION_FLAG, &ci.no_record, "no recordings: faster"},
        {"--keep", NULL, OPTION_FLAG, &ci.keep, "keep recordings and logs of all processes"},
        {"--timeout", "SECONDS", OPTION_PERIOD, &ci.timeout,
         "time limit of the command on each chip (none)"},
        {0},
    };
    const struct command command = {
        "ci",
        "[options] [--] PROGRAM [arguments]",
        "Runs PROGRAM, such as meson test or piglit, with Mesa's nouveau driver on each chip, without a\n"
        "display. Fails if PROGRAM fails, and if one of its processes that draws fails, is killed, gets\n"
        "errors of the GPU, or draws with another driver. Exit code 0: all is well; 1: not. A process\n"
        "that exits with 77 is skipped. docs/ci.md has job files.",
        options,
        "teslapipe ci -- meson test -C build\n"
        "teslapipe ci --chips g84,g200,gt215 --junit report.xml -- ./run-tests",
    };
    int code;
    ci.command = &command;
    const int program = command_parse_program(&command, argc, argv, &code);
    if (program < 0)
        return code;
    if (program == argc)
        return command_usage(&command, "which program? (see --help)");
    return run_all(&ci, argv + program);
}
