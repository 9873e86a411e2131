/* teslapipe-mpi check: replays the recordings of a list and compares the hash of all memory with
 * the list's, on every chip, engine and SIMD level that is asked for. A run goes to the next rank
 * that is free. In: a list. Out: a table, a JUnit file, an exit code.
 */
#include "mpi/farm.h"

#include "tools/html_text.h"
#include "tools/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

enum { MAX_CHOICES = 8, MAX_PATH_BYTES = 1024 };

/* One line of the list: "HASH FILE [CHIP]". The file lies beside the list unless its path begins
 * with a slash; ".tpr" may be missing. The hash is that of a run on CHIP, or without CHIP on the
 * recording's own chip. */
struct recording_line {
    uint64_t hash;
    char file[MAX_PATH_BYTES], chip[16];
};

/* The values "A,B" of an option. Without the option there is one choice, the default, whose name is
 * NULL. */
struct choices {
    const char *name[MAX_CHOICES];
    int count;
    char text[128];
};

enum verdict { VERDICT_NONE, VERDICT_RIGHT, VERDICT_WRONG, VERDICT_FAILED, VERDICT_RUNS };
static const char *const verdict_names[] = {"not run", "right", "wrong", "failed", "runs"};

struct result {
    uint32_t verdict; /* enum verdict; RUNS: the list has no hash for that chip */
    float seconds;
    uint64_t hash;
    char why[240], host[64];
};

struct check {
    struct farm *farm;
    const struct command *command;
    const char *folder, *junit;
    int threads;
    struct choices chips, engines, simds;
    struct recording_line *line;
    size_t lines;
    struct result *result; /* [run_count] */
    struct share_board board;
};

static uint64_t run_count(const struct check *k) {
    return k->lines * (uint64_t)(k->chips.count * k->engines.count * k->simds.count);
}

/* One run: a recording and a choice of each kind. */
struct run {
    const struct recording_line *line;
    const char *chip, *engine, *simd;
};

static struct run run_of(const struct check *k, uint64_t i) {
    struct run r;
    r.simd = k->simds.name[i % (uint64_t)k->simds.count];
    i /= (uint64_t)k->simds.count;
    r.engine = k->engines.name[i % (uint64_t)k->engines.count];
    i /= (uint64_t)k->engines.count;
    r.chip = k->chips.name[i % (uint64_t)k->chips.count];
    r.line = &k->line[i / (uint64_t)k->chips.count];
    return r;
}

/* ---- the list ---- */

static const char *take_choices(struct choices *c, const char *text, const char *right) {
    c->count = 0;
    snprintf(c->text, sizeof c->text, "%s", text);
    for (char *word = strtok(c->text, ","); word; word = strtok(NULL, ",")) {
        const char *at = strstr(right, word);
        const size_t length = strlen(word);
        if (!at || (at > right && at[-1] != ' ') || (at[length] && at[length] != ' ') ||
            c->count == MAX_CHOICES)
            return right;
        c->name[c->count++] = word;
    }
    return c->count ? NULL : right;
}

static const char *take_chips(void *self, const char *text) {
    return take_choices(self, text, "g80 g84 g200 mcp77 gt215");
}
static const char *take_engines(void *self, const char *text) {
    return take_choices(self, text, "interp native");
}
static const char *take_simds(void *self, const char *text) {
    return take_choices(self, text, "base avx2 avx512");
}

static bool take_line(struct check *k, char *text) {
    struct recording_line l = {.hash = 0};
    text[strcspn(text, "\n#")] = 0;
    const int n = sscanf(text, "%16" SCNx64 " %1023s %15s", &l.hash, l.file, l.chip);
    if (n <= 0)
        return text[strspn(text, " \t")] == 0;
    struct recording_line *more = n < 2 ? NULL : realloc(k->line, (k->lines + 1) * sizeof *k->line);
    if (!more)
        return false;
    k->line = more;
    k->line[k->lines++] = l;
    return true;
}

/* Reads the list. Returns an exit code, after a message on failure. */
static int read_list(struct check *k, const char *path) {
    char text[2048];
    int number = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return command_failed(k->command, "%s: %s", path, strerror(errno));
    while (fgets(text, sizeof text, file)) {
        number++;
        if (!take_line(k, text)) {
            fclose(file);
            return command_failed(k->command, "%s:%d: must be HASH FILE [CHIP]", path, number);
        }
    }
    const int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error)
        return command_failed(k->command, "%s: %s", path, strerror(error));
    return k->lines ? EXIT_FINE : command_failed(k->command, "%s: an empty list", path);
}

static void find_file(const struct check *k, const struct recording_line *l, char *path,
                      size_t size) {
    const char *dot = strrchr(l->file, '.');
    snprintf(path, size, "%s%s%s", l->file[0] == '/' ? "" : k->folder, l->file,
             dot && strcmp(dot, ".tpr") == 0 ? "" : ".tpr");
}

/* ---- runs ---- */

static void check_run(struct check *k, uint64_t i) {
    const struct run r = run_of(k, i);
    const struct tp_device_info info = {.threads = k->threads, .simd = r.simd, .engine = r.engine};
    struct result *result = &k->result[i];
    char path[2 * MAX_PATH_BYTES];
    const double start = seconds_now();
    find_file(k, r.line, path, sizeof path);
    snprintf(result->host, sizeof result->host, "%s", k->farm->host);
    const bool own = !r.chip || strcmp(r.chip, r.line->chip) == 0;
    if (!recording_hash(path, info, r.chip, &result->hash, result->why, sizeof result->why))
        result->verdict = VERDICT_FAILED;
    else if (r.chip ? !own : r.line->chip[0] != 0)
        result->verdict = VERDICT_RUNS;
    else
        result->verdict = result->hash == r.line->hash ? VERDICT_RIGHT : VERDICT_WRONG;
    if (result->verdict == VERDICT_WRONG)
        snprintf(result->why, sizeof result->why, "hash %016" PRIx64 ", recorded %016" PRIx64,
                 result->hash, r.line->hash);
    result->seconds = (float)(seconds_now() - start);
}

static void run_label(const struct run *r, char *text, size_t size) {
    snprintf(text, size, "%s %s %s", r->chip ? r->chip : "own", r->engine ? r->engine : "best",
             r->simd ? r->simd : "best");
}

static void tell_run(const struct check *k, uint64_t i) {
    const struct run r = run_of(k, i);
    char label[64];
    run_label(&r, label, sizeof label);
    if (k->result[i].why[0])
        command_failed(k->command, "%s: %s (%s): %s", k->farm->host, r.line->file, label,
                       k->result[i].why);
}

static void run_all(struct check *k, struct job_progress *progress) {
    const struct timespec pause = {0, 5000000};
    for (;;) {
        const uint64_t i = (uint64_t)board_add(&k->board, SHARE_NEXT, 1);
        if (i >= run_count(k) || job_stopped())
            break;
        check_run(k, i);
        tell_run(k, i);
        board_add(&k->board, k->result[i].why[0] ? SHARE_FAILED : SHARE_DRAWN, 1);
        if (k->farm->rank == 0)
            job_progress_show(
                progress, &(struct job_counts){(uint64_t)board_number(&k->board, SHARE_DRAWN), 0,
                                               (uint64_t)board_number(&k->board, SHARE_FAILED)});
    }
    board_add(&k->board, SHARE_LEFT, 1);
    while (k->farm->rank == 0 && board_number(&k->board, SHARE_LEFT) < k->farm->ranks)
        nanosleep(&pause, NULL);
}

/* Sends the results of all ranks to rank 0. Each run was made by one rank. */
static void gather(struct check *k) {
    const int bytes = (int)sizeof(struct result);
    for (int rank = 1; rank < k->farm->ranks; rank++) {
        if (k->farm->rank != 0 && k->farm->rank != rank)
            continue;
        for (uint64_t i = 0; k->farm->rank == rank && i < run_count(k); i++)
            if (k->result[i].verdict != VERDICT_NONE)
                MPI_Send(&k->result[i], bytes, MPI_BYTE, 0, 1 + (int)i, MPI_COMM_WORLD);
        if (k->farm->rank == rank)
            MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        for (int tag = 1; k->farm->rank == 0 && tag;) {
            MPI_Status status;
            MPI_Probe(rank, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            tag = status.MPI_TAG;
            MPI_Recv(tag ? &k->result[tag - 1] : NULL, tag ? bytes : 0, MPI_BYTE, rank, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* ---- reports ---- */

static void put_case(FILE *out, const struct check *k, uint64_t i) {
    const struct run r = run_of(k, i);
    const struct result *result = &k->result[i];
    char label[64];
    run_label(&r, label, sizeof label);
    fprintf(out, "  <testcase classname=\"%s\" name=\"", label);
    html_put(out, r.line->file, strlen(r.line->file));
    fprintf(out, "\" time=\"%.3f\">", (double)result->seconds);
    if (result->verdict == VERDICT_WRONG || result->verdict == VERDICT_FAILED) {
        fprintf(out, "<failure message=\"");
        html_put(out, result->why, strlen(result->why));
        fprintf(out, "\"/>");
    } else if (result->verdict != VERDICT_RIGHT) {
        fprintf(out, "<skipped message=\"%s\"/>", verdict_names[result->verdict]);
    }
    fprintf(out, "</testcase>\n");
}

static bool write_junit(const struct check *k, const uint64_t count[5]) {
    struct new_file made;
    if (!new_file_open(&made, k->junit))
        return false;
    fprintf(made.file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"teslapipe replays\" "
            "tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" skipped=\"%" PRIu64 "\">\n",
            run_count(k), count[VERDICT_WRONG] + count[VERDICT_FAILED],
            count[VERDICT_NONE] + count[VERDICT_RUNS]);
    for (uint64_t i = 0; i < run_count(k); i++)
        put_case(made.file, k, i);
    fprintf(made.file, "</testsuite>\n");
    return new_file_close(&made, k->junit, !ferror(made.file));
}

/* Prints a line for each combination of chip, engine and level. */
static void print_table(const struct check *k) {
    const uint64_t kinds = run_count(k) / k->lines;
    printf("%-28s %8s %8s %8s %8s %8s %10s\n", "chip engine level", "right", "wrong", "failed",
           "no hash", "not run", "seconds");
    for (uint64_t kind = 0; kind < kinds; kind++) {
        uint64_t count[5] = {0};
        double seconds = 0;
        char label[64];
        const struct run r = run_of(k, kind);
        run_label(&r, label, sizeof label);
        for (uint64_t i = kind; i < run_count(k); i += kinds) {
            count[k->result[i].verdict]++;
            seconds += (double)k->result[i].seconds;
        }
        printf("%-28s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10.1f\n",
               label, count[VERDICT_RIGHT], count[VERDICT_WRONG], count[VERDICT_FAILED],
               count[VERDICT_RUNS], count[VERDICT_NONE], seconds);
    }
}

static int report(const struct check *k) {
    uint64_t count[5] = {0};
    for (uint64_t i = 0; i < run_count(k); i++)
        count[k->result[i].verdict]++;
    print_table(k);
    if (k->junit && !write_junit(k, count))
        return command_failed(k->command, "%s: %s", k->junit, strerror(errno));
    if (count[VERDICT_WRONG] || count[VERDICT_FAILED])
        return EXIT_FAILED;
    return count[VERDICT_NONE] ? EXIT_INCOMPLETE : EXIT_FINE;
}

static int check_list(struct check *k, const char *path) {
    struct job_progress progress;
    char folder[MAX_PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    slash ? slash[1] = 0 : (folder[0] = 0);
    k->folder = folder;
    const int code = read_list(k, path), rank_0_code = farm_agree(code);
    int all;
    MPI_Allreduce(&code, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    farm_speak(k->farm);
    if (code != EXIT_FINE && rank_0_code == EXIT_FINE)
        command_failed(k->command, "%s: %s cannot be read here", k->farm->host, path);
    if (all != EXIT_FINE) /* every machine must be able to read the list */
        return all;
    k->result = calloc(run_count(k), sizeof *k->result);
    if (!k->result || !board_open(&k->board, k->farm, 0))
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    job_catch_signals();
    job_progress_begin(&progress, "check", run_count(k));
    run_all(k, &progress);
    board_close(&k->board);
    gather(k);
    return farm_agree(k->farm->rank == 0 ? report(k) : EXIT_FINE);
}

int check_with(struct farm *farm, int argc, char **argv) {
    struct check k = {.farm = farm,
                      .threads = farm->threads,
                      .chips = {.count = 1},
                      .engines = {.count = 1},
                      .simds = {.count = 1}};
    struct option_call chips = {take_chips, &k.chips, NULL};
    struct option_call engines = {take_engines, &k.engines, NULL};
    struct option_call simds = {take_simds, &k.simds, NULL};
    const struct option_spec options[] = {
        {"--chips", "A,B", OPTION_EACH, &chips, "g80,g84,g200,mcp77,gt215 (the recording's)"},
        {"--engines", "A,B", OPTION_EACH, &engines, "interp,native (the best)"},
        {"--simd", "A,B", OPTION_EACH, &simds, "base,avx2,avx512 (the best)"},
        {"--junit", "FILE", OPTION_TEXT, &k.junit, "a JUnit report"},
        THREADS_OPTION(&k.threads),
        {0},
    };
    const struct command command = {
        "check",
        "LIST [options]",
        "Replays the recordings of a list, lines \"HASH FILE [CHIP]\", and compares the hash of all "
        "memory.\nExit codes: 0 all right, 1 some wrong, 3 some not run, 2 usage.",
        options,
        "mpirun -n 8 teslapipe-mpi check list --junit report.xml",
    };
    int code;
    k.command = &command;
    const int count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    if (count != 1)
        return command_usage(&command, "give one list (see --help)");
    code = check_list(&k, argv[1]);
    free(k.line);
    free(k.result);
    return code;
}
