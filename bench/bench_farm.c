/* `teslapipe bench farm`: frames per second of one process with one and two threads, and of one and
 * two ranks of teslapipe-mpi with one thread each. The difference between one rank and one process
 * is the cost of rank 0. In: a scene; teslapipe-mpi beside this program; mpirun. Out: a table with
 * the scene's serial share. */
#include "bench/serial.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_bench_farm(int argc, char **argv);

enum { RUNS = 4 };
static const struct farm_run {
    const char *name, *start, *program;
    int threads;
} runs[RUNS] = {
    {"one process, one thread", "", "teslapipe", 1},
    {"one process, two threads", "", "teslapipe", 2},
    {"one rank", "mpirun --oversubscribe -n 1 ", "teslapipe-mpi", 1},
    {"two ranks", "mpirun --oversubscribe -n 2 ", "teslapipe-mpi", 1},
};

/* Returns the frames per second, computed from the time that the job prints; 0 if the job
 * failed. */
static double run_job(const struct farm_run *run, const char *programs, const char *scene,
                      const char *folder, int frames, const struct size *size) {
    char text[3 * PATH_MAX], line[256];
    double seconds = 0, took;
    snprintf(text, sizeof text,
             "%s'%s/%s' render %s --frames %d --size %ux%u --threads %d -o '%s' 2>/dev/null",
             run->start, programs, run->program, scene, frames, size->width, size->height,
             run->threads, folder);
    FILE *job = popen(text, "r");
    while (job && fgets(line, sizeof line, job))
        if (sscanf(line, "%*[^:]: %*d frames in %lf s", &took) == 1)
            seconds = took;
    return job && pclose(job) == 0 && seconds > 0 ? frames / seconds : 0;
}

/* The kinds of runs alternate. The best run of each kind counts, because other work on the machine
 * only slows runs. */
static bool measure(const char *programs, const char *scene, const char *folder, int frames,
                    const struct size *size, int turns, double best[RUNS]) {
    for (int turn = 0; turn < turns; turn++)
        for (int i = 0; i < RUNS; i++) {
            const double rate = run_job(&runs[i], programs, scene, folder, frames, size);
            best[i] = rate > best[i] ? rate : best[i];
        }
    for (int i = 0; i < RUNS; i++)
        if (best[i] <= 0)
            return false;
    return true;
}

int cmd_bench_farm(int argc, char **argv) {
    static struct size size = {1280, 720};
    static int frames = 60, turns = 3;
    static const struct option_spec options[] = {
        {"--size", "WxH", OPTION_SIZE, &size, "pixels (1280x720)"},
        {"--frames", "N", OPTION_COUNT, &frames, "pictures of each run (60)"},
        {"--turns", "N", OPTION_COUNT, &turns, "runs of each; the best counts (3)"},
        {0},
    };
    static const struct command command = {
        "bench farm",
        "[SCENE] [options]",
        "Measures frames written as PNG files by one process and by ranks of teslapipe-mpi.",
        options,
        NULL,
    };
    char programs[PATH_MAX], folder[] = "/tmp/teslapipe-farm-XXXXXX", text[128];
    double best[RUNS] = {0};
    COMMAND_PARSE(code, count);
    const char *scene = count ? argv[1] : "lights";
    if (count > 1 || !command_scene(&command, scene))
        return count > 1 ? command_usage(&command, "takes one scene") : EXIT_USAGE;
    if (!own_folder(programs) || !mkdtemp(folder))
        return command_failed(&command, "no folder for the pictures");
    const bool ok = measure(programs, scene, folder, frames, &size, turns, best);
    snprintf(text, sizeof text, "rm -rf '%s'", folder);
    if (system(text) != 0 || !ok)
        return command_failed(&command, "a run failed (teslapipe-mpi and mpirun are needed)");
    printf("%s, %ux%u, %d frames\n%-28s %10s %10s\n", scene, size.width, size.height, frames, "",
           "frames/s", "factor");
    for (int i = 0; i < RUNS; i++)
        printf("%-28s %10.2f %10.3f\n", runs[i].name, best[i], best[i] / best[0]);
    struct serial s;
    if (!serial_of_scene(&command, command_scene(&command, scene), &size, frames, &s))
        return EXIT_FAILED;
    printf("serial share of the drawing: %.1f %% (decode %.1f, prepare %.1f, merge %.1f)\n",
           100 * serial_share(&s), 100 * s.decode / s.all, 100 * s.prepare / s.all,
           100 * s.merge / s.all);
    return EXIT_FINE;
}
