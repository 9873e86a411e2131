/* One frame on many ranks. The unit of work is a band: some rows of tiles of a frame. Each rank
 * takes the next band from the board, draws it and sends it to rank 0. Rank 0 writes the bands in
 * order. A replay draws all bands of a frame before the first one can be read; so the bands of
 * recordings are dealt to the ranks beforehand, and each rank draws only its own. A rank may draw
 * AHEAD bands that rank 0 has not taken yet, so memory holds few bands of each rank. Bands that
 * rank 0 draws wait in own[]. In: a job. Out: the same files as those of one process.
 */
#include "mpi/farm.h"

#include "tools/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AHEAD = 2, TAGS = 16384 };

struct band {
    uint64_t unit;
    void *rows;
    uint32_t bytes; /* 0: the band could not be drawn */
    MPI_Request request;
};

struct split {
    struct share_board board;
    struct farm *farm;
    const struct job *job;
    struct size size;
    uint32_t band_rows, bands; /* rows of a band; bands of a frame */
    uint64_t *frame, frames;   /* numbers of the frames to be drawn */
    struct band own[AHEAD];    /* bands drawn by this rank that wait to be taken or sent */
    uint32_t own_count;
    bool taken_all; /* there is no further unit for this rank */
    /* Dealt bands: this rank draws the bands b of a frame with b % shares == share. shares 0: bands
     * are taken from the board instead. */
    uint32_t share, shares;
    uint64_t dealt; /* the next unit that next_dealt looks at */
};

static uint64_t unit_count(const struct split *s) {
    return s->frames * s->bands;
}

static uint32_t rows_of(const struct split *s, uint64_t unit) {
    const uint32_t y = (uint32_t)(unit % s->bands) * s->band_rows;
    return s->size.height - y < s->band_rows ? s->size.height - y : s->band_rows;
}

static size_t row_bytes(const struct split *s) {
    return (size_t)s->size.width * picture_pixel_bytes(s->job->format);
}

/* Finds the next of the dealt units that belongs to this rank. A *unit of unit_count() or more
 * means that no unit is left. False if the job was ended. */
static bool next_dealt(struct split *s, uint64_t *unit) {
    while (s->dealt < unit_count(s) && s->dealt % s->bands % s->shares != s->share)
        s->dealt++;
    *unit = s->dealt++;
    /* drain() ends the job by adding to SHARE_NEXT */
    return board_add(&s->board, SHARE_NEXT, 0) == 0;
}

static bool next_unit(struct split *s, uint64_t *unit) {
    if (s->taken_all || !s->job->work)
        return false;
    if (s->shares)
        s->taken_all = !next_dealt(s, unit);
    else
        *unit = (uint64_t)board_add(&s->board, SHARE_NEXT, 1);
    s->taken_all |= *unit >= unit_count(s);
    return !s->taken_all;
}

/* Begins a frame. Fails if its size differs from that of the first frame. */
static bool begin_frame(const struct split *s, uint64_t frame, char *why, size_t why_size) {
    const struct work *work = s->job->work;
    struct size size;
    if (!work->begin(work->self, frame, &size, why, why_size))
        return false;
    if (size.width == s->size.width && size.height == s->size.height)
        return true;
    snprintf(why, why_size, "%ux%u pixels, the first frame %ux%u: --split takes one size",
             size.width, size.height, s->size.width, s->size.height);
    return false;
}

/* Draws the next unit into *b. False if no unit is left. */
static bool draw_unit(struct split *s, struct band *b) {
    const struct work *work = s->job->work;
    char why[1024];
    uint64_t unit;
    if (!next_unit(s, &unit))
        return false;
    const uint64_t frame = s->frame[unit / s->bands];
    const uint32_t rows = rows_of(s, unit);
    *b = (struct band){.unit = unit, .request = MPI_REQUEST_NULL};
    b->rows = malloc(rows * row_bytes(s));
    snprintf(why, sizeof why, "out of memory for %u rows", rows);
    if (b->rows && begin_frame(s, frame, why, sizeof why) &&
        work->rows(work->self, frame, (uint32_t)(unit % s->bands) * s->band_rows, rows, b->rows,
                   why, sizeof why))
        b->bytes = (uint32_t)(rows * row_bytes(s));
    else
        job_tell_failure(s->job, frame, s->farm->host, why);
    return true;
}

/* Waits until rank 0 has taken a band. MPI_Wait() would keep a core busy that another rank may
 * need. */
static void await_sent(struct band *b) {
    const struct timespec pause = {0, 200000};
    int sent = 0;
    while (MPI_Test(&b->request, &sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !sent)
        nanosleep(&pause, NULL);
}

/* The work of a rank other than 0: draws units and sends them in order. */
static void serve(struct split *s) {
    for (uint64_t n = 0;; n++) {
        struct band *b = &s->own[n % AHEAD];
        if (n >= AHEAD) {
            await_sent(b);
            free(b->rows);
            b->rows = NULL;
        }
        if (!draw_unit(s, b)) {
            b->request = MPI_REQUEST_NULL;
            break;
        }
        MPI_Issend(b->rows, (int)b->bytes, MPI_BYTE, 0, (int)(b->unit % TAGS), MPI_COMM_WORLD,
                   &b->request);
    }
    for (int i = 0; i < AHEAD; i++) {
        if (s->own[i].rows)
            await_sent(&s->own[i]);
        free(s->own[i].rows);
    }
    board_add(&s->board, SHARE_LEFT, 1);
}

/* Receives a band that another rank has sent; status is that of the probe. */
static struct band receive_band(uint64_t unit, const MPI_Status *status) {
    int bytes = 0;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    struct band b = {.unit = unit, .bytes = (uint32_t)bytes};
    b.rows = malloc((size_t)bytes + 1);
    if (!b.rows)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    MPI_Recv(b.rows, bytes, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return b;
}

/* Rank 0: returns a unit, its own or another rank's. Draws further units of its own while it
 * waits. */
static struct band get_unit(struct split *s, uint64_t unit) {
    const struct timespec pause = {0, 200000};
    for (;;) {
        MPI_Status status;
        int there = 0;
        if (s->own_count && s->own[0].unit == unit) {
            const struct band b = s->own[0];
            memmove(s->own, s->own + 1, --s->own_count * sizeof *s->own);
            return b;
        }
        MPI_Iprobe(MPI_ANY_SOURCE, (int)(unit % TAGS), MPI_COMM_WORLD, &there, &status);
        if (there)
            return receive_band(unit, &status);
        if (s->own_count < AHEAD && draw_unit(s, &s->own[s->own_count]))
            s->own_count++;
        else
            nanosleep(&pause, NULL);
    }
}

/* Rank 0: collects the bands of a frame and writes its file. index: position in frame[]. */
static bool collect_frame(struct split *s, struct manifest *m, uint64_t index) {
    struct frame_file f;
    bool drawn = true, ok = frame_file_open(&f, s->job, s->frame[index], &s->size, index > 0);
    for (uint32_t i = 0; i < s->bands; i++) { /* take all bands: other ranks wait for that */
        const struct band b = get_unit(s, index * s->bands + i);
        drawn &= b.bytes != 0;
        ok = ok && drawn && frame_file_rows(&f, b.rows, rows_of(s, b.unit));
        free(b.rows);
    }
    const bool there = frame_file_close(&f, s->job, m, drawn);
    if (f.failed)
        job_tell_failure(s->job, s->frame[index], s->farm->host, f.picture.why);
    return there;
}

/* Ends the job between two frames. No rank takes another unit, and bands under way are dropped. */
static void drain(struct split *s) {
    const struct timespec pause = {0, 200000};
    board_add(&s->board, SHARE_NEXT, (int64_t)1 << 48);
    while (s->own_count)
        free(s->own[--s->own_count].rows);
    while (board_number(&s->board, SHARE_LEFT) < s->farm->ranks - 1) {
        MPI_Status status;
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (there)
            free(receive_band(0, &status).rows);
        else
            nanosleep(&pause, NULL);
    }
}

struct collected {
    struct split *split;
    uint64_t done;
};

static bool is_there(void *self, uint64_t index) {
    return index < ((struct collected *)self)->done;
}

static int collect(struct split *s, struct manifest *m, uint64_t kept) {
    const double start = seconds_now();
    const uint64_t total = frame_count(&s->job->frames);
    struct job_counts counts = {.kept = kept};
    struct job_progress progress;
    struct movie movie;
    if (s->job->movie && !movie_begin(s->job, &movie))
        return EXIT_FAILED;
    job_progress_begin(&progress, s->job->name, total);
    for (uint64_t i = 0; i < s->frames && !job_stopped(); i++) {
        *(collect_frame(s, m, i) ? &counts.drawn : &counts.failed) += 1;
        job_progress_show(&progress, &counts);
    }
    drain(s);
    int code = job_end(s->job, &counts, total, seconds_now() - start);
    if (s->job->movie) {
        struct collected all = {s, code == EXIT_FINE ? total : 0};
        movie_feed(s->job, &movie, is_there, &all);
        code = movie_end(s->job, &movie) ? code : code == EXIT_FINE ? EXIT_FAILED : code;
    }
    return code;
}

/* Gives all ranks the list of frames that are to be drawn. Returns the number of frames that are
 * kept (rank 0). */
static uint64_t list_frames(struct split *s, const struct manifest *m) {
    const uint64_t total = frame_count(&s->job->frames);
    uint64_t kept = 0;
    s->frame = calloc(total, sizeof *s->frame);
    for (uint64_t i = 0; s->farm->rank == 0 && s->frame && i < total; i++) {
        const uint64_t number = frame_number(&s->job->frames, i);
        if (job_is_kept(s->job, m, number))
            kept++;
        else
            s->frame[s->frames++] = number;
    }
    MPI_Bcast(&s->frames, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (s->frame)
        MPI_Bcast(s->frame, (int)s->frames, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return kept;
}

/* Deals bands to the ranks that can draw, if the work must know its bands before a frame. */
static void deal_bands(struct split *s) {
    const struct work *work = s->job->work;
    int can = work != NULL, before = 0, all = 0, deals = work && work->share;
    MPI_Exscan(&can, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &deals, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    s->share = s->farm->rank ? (uint32_t)before : 0;
    s->shares = deals ? (uint32_t)all : 0;
    if (work && work->share)
        work->share(work->self, s->share, s->shares);
}

/* Sets the size of pictures and bands on all ranks as rank 0 finds them. Fails if rank 0 cannot
 * draw. */
static int agree_on_size(struct split *s) {
    char why[1024] = "";
    const struct work *work = s->job->work;
    uint32_t shape[3] = {0};
    if (s->farm->rank == 0 && work &&
        work->begin(work->self, s->job->frames.first, &s->size, why, sizeof why)) {
        shape[0] = s->size.width;
        shape[1] = s->size.height;
        shape[2] = work->band_rows;
    }
    MPI_Bcast(shape, 3, MPI_UINT32_T, 0, MPI_COMM_WORLD);
    s->size = (struct size){shape[0], shape[1]};
    s->band_rows = shape[2];
    s->bands = shape[2] ? (shape[1] + shape[2] - 1) / shape[2] : 0;
    if (s->bands)
        return EXIT_FINE;
    if (s->farm->rank == 0 && work)
        job_tell_failure(s->job, s->job->frames.first, s->farm->host,
                         why[0] ? why : "no picture, so that there is nothing to split");
    return EXIT_FAILED;
}

int split_run(struct farm *farm, const struct job *job) {
    struct split s = {.farm = farm, .job = job};
    struct manifest m = {0};
    int code = EXIT_FINE;
    if (farm->rank == 0 && job_open(job, &m, &code))
        code = EXIT_FINE;
    if ((code = farm_agree(code)) != EXIT_FINE)
        return code;
    deal_bands(&s);
    if ((code = agree_on_size(&s)) != EXIT_FINE)
        return code;
    const uint64_t kept = list_frames(&s, &m);
    if (!board_open(&s.board, farm, 0))
        return command_failed(job->command, "MPI has no memory");
    job_catch_signals();
    if (farm->rank == 0)
        code = collect(&s, &m, kept);
    else
        serve(&s);
    board_close(&s.board);
    manifest_close(&m);
    free(s.frame);
    return farm_agree(code);
}
