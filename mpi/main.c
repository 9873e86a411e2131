/* teslapipe-mpi: render, replay and check on the ranks of an MPI job, with the arguments that
 * teslapipe takes. In: the ranks that mpirun or srun started. Out: the same files as one process
 * writes. Must not know how frames are drawn.
 */
#define _GNU_SOURCE
#include "mpi/farm.h"

#include "tools/cmd_render.h"
#include "tools/cmd_replay.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 256 };

static void print_usage(FILE *to) {
    fprintf(to, "usage: mpirun -n N teslapipe-mpi COMMAND [arguments]\n\n"
                "Frames and recordings on many processes. Commands:\n"
                "  render   draw demo scenes: as teslapipe render, and --split\n"
                "  replay   write frames of a recording: as teslapipe replay, and --split\n"
                "  check    replay recordings and compare their hashes\n\n"
                "teslapipe-mpi COMMAND --help tells more.\n");
}

/* ---- the ranks ---- */

/* True if all ranks have the same version; otherwise rank 0 prints a message. */
static bool check_versions(const struct farm *f) {
    char version[NAME] = "", *all = calloc((size_t)f->ranks, 2 * NAME), own[2 * NAME] = "";
    bool same = true;
    snprintf(version, sizeof version, "%s", tp_version());
    snprintf(own, sizeof own, "%s", version);
    snprintf(own + NAME, NAME, "%s", f->host);
    MPI_Allgather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 1; all && same && i < f->ranks; i++) {
        const char *other = all + (size_t)i * sizeof own;
        same = strcmp(all, other) == 0;
        if (!same && f->rank == 0)
            fprintf(stderr,
                    "teslapipe-mpi: rank 0 on %s is teslapipe %s, rank %d on %s is teslapipe %s: "
                    "all must be of one version\n",
                    all + NAME, all, i, other + NAME, other);
    }
    free(all);
    return same;
}

static int cores_of_host(void) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

static int cores_of_process(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : cores_of_host();
}

/* Finds this rank's number, its machine and its number of threads. Ranks on one machine divide its
 * cores among them. */
static void find_place(struct farm *f) {
    MPI_Comm host;
    int host_rank, first, length;
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->ranks);
    MPI_Get_processor_name(f->host, &length);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, f->rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &f->on_host);
    MPI_Comm_rank(host, &host_rank);
    MPI_Comm_free(&host);
    first = host_rank == 0;
    MPI_Allreduce(&first, &f->hosts, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int share = cores_of_host() / f->on_host, own = cores_of_process();
    f->threads = share < own ? share : own;
    if (f->threads < 1)
        f->threads = 1;
}

/* Silences ranks other than 0 while options are read, because rank 0 prints the messages. */
static void silence_ranks(struct farm *f) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    f->standard_error = f->rank && nowhere >= 0 ? dup(STDERR_FILENO) : -1;
    if (f->standard_error >= 0) {
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    if (nowhere >= 0)
        close(nowhere);
}

void farm_speak(void *self) {
    struct farm *f = self;
    if (f->standard_error >= 0) {
        fflush(stderr);
        dup2(f->standard_error, STDERR_FILENO);
        close(f->standard_error);
        f->standard_error = -1;
    }
    if (f->rank == 0)
        fprintf(stderr, "teslapipe-mpi: %d ranks on %d %s; here %d, each of %d %s\n", f->ranks,
                f->hosts, f->hosts == 1 ? "machine" : "machines", f->on_host, f->threads,
                f->threads == 1 ? "thread" : "threads");
}

int farm_agree(int code) {
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

static int run_command(struct farm *f, int argc, char **argv) {
    const struct job_runner runner = {.self = f,
                                      .start = farm_speak,
                                      .run = farm_run,
                                      .threads = f->threads,
                                      .splits = true,
                                      .prints = f->rank == 0};
    if (strcmp(argv[1], "render") == 0)
        return render_with(&runner, argc - 1, argv + 1);
    if (strcmp(argv[1], "replay") == 0)
        return replay_with(&runner, argc - 1, argv + 1);
    if (strcmp(argv[1], "check") == 0)
        return check_with(f, argc - 1, argv + 1);
    fprintf(stderr, "teslapipe-mpi: no command named %s (see teslapipe-mpi --help)\n", argv[1]);
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
    struct farm f = {0};
    int level;
    command_program = "teslapipe-mpi";
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--version") == 0) {
        if (argv[1][2] == 'h')
            print_usage(stdout);
        else
            printf("teslapipe %s\n", tp_version());
        return EXIT_FINE;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    find_place(&f);
    int code = EXIT_FAILED;
    if (check_versions(&f)) {
        silence_ranks(&f);
        code = run_command(&f, argc, argv);
    }
    fflush(stdout);
    MPI_Finalize();
    return f.rank == 0 ? code : EXIT_FINE;
}
