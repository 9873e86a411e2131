/* Frames on many ranks: each rank takes the number of the next frame from the board, draws the
 * frame and writes its file. Rank 0 draws, too; between its frames it shows the progress of all
 * ranks and feeds the movie. If a frame fails, the others are still drawn. In: a job. Out: files,
 * and one exit code for all ranks.
 */
#include "mpi/farm.h"

#include "tools/manifest.h"

#include <time.h>
#include <unistd.h>

struct frames {
    struct share_board board;
    const struct job *job;
    uint64_t total;
    struct job_progress progress;
    struct movie movie;
};

static bool take_frame(void *self, uint64_t *index) {
    struct frames *f = self;
    *index = (uint64_t)board_add(&f->board, SHARE_NEXT, 1);
    return *index < f->total;
}

static bool is_complete(void *self, uint64_t index) {
    return board_is_marked(&((struct frames *)self)->board, index);
}

static struct job_counts count_all(struct frames *f) {
    return (struct job_counts){(uint64_t)board_number(&f->board, SHARE_DRAWN),
                               (uint64_t)board_number(&f->board, SHARE_KEPT),
                               (uint64_t)board_number(&f->board, SHARE_FAILED)};
}

/* Rank 0's work between frames: progress and movie. */
static void look_after(struct frames *f) {
    const struct job_counts counts = count_all(f);
    job_progress_show(&f->progress, &counts);
    if (f->job->movie)
        movie_feed(f->job, &f->movie, is_complete, f);
}

static void tell_frame(void *self, uint64_t index, enum job_event event) {
    struct frames *f = self;
    if (event != JOB_FAILED)
        board_mark(&f->board, index);
    board_add(&f->board,
              event == JOB_DRAWN  ? SHARE_DRAWN
              : event == JOB_KEPT ? SHARE_KEPT
                                  : SHARE_FAILED,
              1);
    if (f->board.farm->rank == 0)
        look_after(f);
}

static void await_others(struct frames *f) {
    const struct timespec pause = {0, 5000000};
    while (board_number(&f->board, SHARE_LEFT) < f->board.farm->ranks) {
        look_after(f);
        nanosleep(&pause, NULL);
    }
    look_after(f);
}

static int draw_frames(struct farm *farm, const struct job *job, struct manifest *m) {
    struct frames f = {.job = job, .total = frame_count(&job->frames)};
    const struct job_source source = {&f, take_frame, tell_frame};
    int code = EXIT_FINE;
    if (farm->rank == 0 && job->movie && !movie_begin(job, &f.movie))
        code = EXIT_FAILED;
    if ((code = farm_agree(code)) != EXIT_FINE)
        return code;
    if (!board_open(&f.board, farm, f.total))
        return command_failed(job->command, "MPI has no memory for %d numbers", SHARE_NUMBERS);
    const double start = seconds_now();
    job_catch_signals();
    job_progress_begin(&f.progress, job->name, f.total);
    if (job->work)
        job_draw(job, m, &source, farm->host);
    board_add(&f.board, SHARE_LEFT, 1);
    if (farm->rank == 0) {
        await_others(&f);
        const struct job_counts counts = count_all(&f);
        code = job_end(job, &counts, f.total, seconds_now() - start);
        if (job->movie && !movie_end(job, &f.movie) && code == EXIT_FINE)
            code = EXIT_FAILED;
    }
    board_close(&f.board);
    return farm_agree(code);
}

int farm_run(void *self, const struct job *job, const char *why) {
    struct farm *farm = self;
    struct manifest m;
    int code = EXIT_FINE;
    if (why)
        command_failed(job->command, "%s takes no part: %s", farm->host, why);
    if (job->split)
        return split_run(farm, job);
    /* rank 0 comes first: it makes the folder and the manifest */
    if (farm->rank == 0 && job_open(job, &m, &code))
        code = EXIT_FINE;
    if ((code = farm_agree(code)) != EXIT_FINE)
        return code;
    struct job absent = *job;
    if (farm->rank != 0 && !job_open(job, &m, &code)) {
        command_failed(job->command, "%s: takes no part", farm->host);
        absent.work = NULL;
    }
    code = draw_frames(farm, &absent, &m);
    manifest_close(&m);
    return code;
}
