/* Jobs (tools/job.h): one frame, the loop over frames, signals, progress, exit codes.
 */
#include "tools/job.h"

#include "tools/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- signals ---- */

static volatile sig_atomic_t stop_signal;

static void note_signal(int number) {
    stop_signal = number;
}

void job_catch_signals(void) {
    struct sigaction act = {.sa_handler = note_signal};
    act.sa_flags = (int)SA_RESETHAND; /* a second signal ends the process at once */
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
}

bool job_stopped(void) {
    return stop_signal != 0;
}

/* ---- options ---- */

int check_job_options(const struct command *command, const struct job_options *o) {
    if (o->stream && (o->movie || o->format || o->resume))
        return command_usage(command, "--stdout goes without --format, --movie and --resume");
    if (o->stream && o->many)
        return command_usage(command, "--stdout takes one scene or recording");
    if (o->movie && o->many)
        return command_usage(command, "--movie takes one scene or recording");
    if (o->movie && picture_format(o->format) == PICTURE_Y4M)
        return command_usage(command, "--movie takes pictures of the formats png, exr and ppm");
    if ((o->movie || o->resume) && !o->numbered)
        return command_usage(command, "%s goes with --frames", o->movie ? "--movie" : "--resume");
    return EXIT_FINE;
}

/* ---- one frame ---- */

static void frame_name(const struct job *job, uint64_t number, char *name, size_t size) {
    const char *extension = picture_extension(job->format);
    if (job->frames.numbered)
        snprintf(name, size, "%s-%04" PRIu64 ".%s", job->name, number, extension);
    else
        snprintf(name, size, "%s.%s", job->name, extension);
}

void job_frame_path(const struct job *job, uint64_t number, char *path, size_t size) {
    char name[512];
    frame_name(job, number, name, sizeof name);
    snprintf(path, size, "%s/%s", job->folder, name);
}

bool frame_file_open(struct frame_file *f, const struct job *job, uint64_t number,
                     const struct size *size, bool continues) {
    const struct picture_info info = {size->width, size->height, job->format, job->rate, continues};
    char path[PATH_MAX];
    *f = (struct frame_file){.number = number};
    job_frame_path(job, number, path, sizeof path);
    if (!job->stream && !new_file_open(&f->made, path)) {
        f->failed = true;
        return picture_fail(&f->picture, "%s", strerror(errno));
    }
    f->begun = true;
    f->failed = !picture_begin(&f->picture, job->stream ? stdout : f->made.file, &info);
    return !f->failed;
}

bool frame_file_rows(struct frame_file *f, const void *rows, uint32_t count) {
    f->failed |= !picture_rows(&f->picture, rows, count);
    return !f->failed;
}

/* Closes a file that is whole. The line in the manifest is written before the file gets its name,
 * because a file without a line would be drawn again. */
static bool keep_file(struct frame_file *f, const struct job *job, struct manifest *m,
                      const char *path) {
    char name[512];
    frame_name(job, f->number, name, sizeof name);
    if (m->path && !manifest_add(m, name, f->made.file))
        return picture_fail(&f->picture, "%s: %s", m->path, strerror(errno));
    return new_file_close(&f->made, path, true) || picture_fail(&f->picture, "%s", strerror(errno));
}

bool frame_file_close(struct frame_file *f, const struct job *job, struct manifest *m, bool keep) {
    char path[PATH_MAX];
    if (!keep)
        picture_fail(&f->picture, "not drawn");
    if (f->begun && !picture_end(&f->picture))
        f->failed |= keep;
    if (job->stream || !f->made.file)
        return keep && !f->failed;
    job_frame_path(job, f->number, path, sizeof path);
    if (keep && !f->failed)
        f->failed = !keep_file(f, job, m, path);
    if (f->made.file)
        new_file_close(&f->made, path, false);
    return keep && !f->failed;
}

/* Draws a frame. Sets *io if the file could not be written. */
static bool draw_frame(const struct job *job, struct manifest *m, uint64_t number, bool continues,
                       char *why, size_t why_size, bool *io) {
    const struct work *work = job->work;
    struct frame_file f;
    struct size size;
    *io = false;
    if (!work->begin(work->self, number, &size, why, why_size))
        return false;
    if (!size.width)
        return true;
    const uint32_t most = work->band_rows < size.height ? work->band_rows : size.height;
    void *rows = malloc((size_t)most * size.width * picture_pixel_bytes(job->format));
    if (!rows) {
        snprintf(why, why_size, "out of memory for %u rows of %u pixels", most, size.width);
        return false;
    }
    bool drawn = true, ok = frame_file_open(&f, job, number, &size, continues);
    for (uint32_t y = 0; ok && drawn && y < size.height; y += most) {
        const uint32_t count = size.height - y < most ? size.height - y : most;
        drawn = work->rows(work->self, number, y, count, rows, why, why_size);
        ok = drawn && frame_file_rows(&f, rows, count);
    }
    free(rows);
    ok = frame_file_close(&f, job, m, drawn);
    *io = f.failed;
    if (f.failed)
        snprintf(why, why_size, "%s", f.picture.why);
    return ok;
}

/* ---- frames ---- */

void job_tell_failure(const struct job *job, uint64_t number, const char *host, const char *why) {
    char path[PATH_MAX];
    job_frame_path(job, number, path, sizeof path);
    if (job->stream)
        snprintf(path, sizeof path, "frame %" PRIu64, number);
    command_failed(job->command, "%s%s%s: %s", host ? host : "", host ? ": " : "", path, why);
}

bool job_is_kept(const struct job *job, const struct manifest *m, uint64_t number) {
    char name[512];
    frame_name(job, number, name, sizeof name);
    return job->resume && manifest_is_whole(m, name);
}

void job_draw(const struct job *job, struct manifest *m, const struct job_source *source,
              const char *host) {
    uint64_t index;
    bool first = true, io = false;
    while (!io && !job_stopped() && source->take(source->self, &index)) {
        const uint64_t number = frame_number(&job->frames, index);
        char why[1024] = "";
        enum job_event event = JOB_DRAWN;
        if (!job->stream && job_is_kept(job, m, number))
            event = JOB_KEPT;
        else if (!draw_frame(job, m, number, !first, why, sizeof why, &io))
            event = JOB_FAILED;
        if (event == JOB_FAILED)
            job_tell_failure(job, number, host, why);
        first = false;
        io |= event == JOB_FAILED && job->stream; /* a stream must have no gaps */
        source->tell(source->self, index, event);
    }
}

bool job_open(const struct job *job, struct manifest *m, int *exit_code) {
    char path[PATH_MAX];
    *m = (struct manifest){0};
    *exit_code = EXIT_FAILED;
    if (job->stream)
        return true;
    if (mkdir(job->folder, 0777) != 0 && errno != EEXIST) {
        command_failed(job->command, "%s: %s", job->folder, strerror(errno));
        return false;
    }
    if (!job->frames.numbered)
        return true;
    snprintf(path, sizeof path, "%s/%s.manifest", job->folder, job->name);
    if (!manifest_open(m, path)) {
        command_failed(job->command, "%s: %s", path, strerror(errno));
        return false;
    }
    if (job->resume && m->job && strcmp(m->job, job->identity) != 0) {
        *exit_code = command_usage(job->command, "--resume: %s is of another job: %s; not: %s",
                                   path, m->job, job->identity);
        return false;
    }
    if (manifest_begin(m, job->identity))
        return true;
    command_failed(job->command, "%s: %s", path, strerror(errno));
    return false;
}

int job_end(const struct job *job, const struct job_counts *c, uint64_t total, double seconds) {
    const uint64_t done = c->drawn + c->kept;
    FILE *out = job->stream ? stderr : stdout;
    if (done == total && job->frames.numbered && !job->stream)
        fprintf(out, "%s: %" PRIu64 " frames in %.3f s, %" PRIu64 " of them kept\n", job->name,
                total, seconds, c->kept);
    if (done == total)
        return EXIT_FINE;
    if (!job->frames.numbered || job->stream)
        return EXIT_FAILED;
    if (job_stopped())
        command_failed(job->command, "%s: ended by a signal", job->name);
    fprintf(out,
            "%s: incomplete: %" PRIu64 " of %" PRIu64 " frames, %" PRIu64
            " failed; --resume goes on\n",
            job->name, done, total, c->failed);
    return EXIT_INCOMPLETE;
}

/* ---- one process alone ---- */

struct alone {
    const struct job *job;
    uint64_t next, total;
    struct job_counts counts;
    struct job_progress progress;
    struct movie movie;
    uint64_t complete; /* all frames below this index are complete files */
};

static bool take_next(void *self, uint64_t *index) {
    struct alone *a = self;
    *index = a->next;
    return a->next < a->total && ++a->next;
}

static bool is_complete(void *self, uint64_t index) {
    return index < ((struct alone *)self)->complete;
}

static void count_frame(void *self, uint64_t index, enum job_event event) {
    struct alone *a = self;
    a->counts.drawn += event == JOB_DRAWN;
    a->counts.kept += event == JOB_KEPT;
    a->counts.failed += event == JOB_FAILED;
    job_progress_show(&a->progress, &a->counts);
    if (event != JOB_FAILED && a->complete == index)
        a->complete++;
    if (a->job->movie)
        movie_feed(a->job, &a->movie, is_complete, a);
}

static int run_alone(void *, const struct job *job, const char *why) {
    struct manifest m;
    int code;
    if (why)
        return command_failed(job->command, "%s", why);
    struct alone a = {.job = job, .total = frame_count(&job->frames)};
    const struct job_source source = {&a, take_next, count_frame};
    if (!job_open(job, &m, &code))
        return code;
    if (job->movie && !movie_begin(job, &a.movie))
        return EXIT_FAILED;
    const double start = seconds_now();
    job_catch_signals();
    job_progress_begin(&a.progress, job->name, a.total);
    job_draw(job, &m, &source, NULL);
    code = job_end(job, &a.counts, a.total, seconds_now() - start);
    manifest_close(&m);
    if (job->movie && !movie_end(job, &a.movie) && code == EXIT_FINE)
        code = EXIT_FAILED;
    return code;
}

const struct job_runner job_alone = {.run = run_alone, .prints = true};

/* ---- progress ---- */

enum { BAR = 40, LINES_APART = 10 /* seconds */ };

void job_progress_begin(struct job_progress *p, const char *name, uint64_t total) {
    const double now = seconds_now();
    *p = (struct job_progress){.name = name, .total = total, .start = now, .shown = now};
}

/* Writes a time like "12 s", "3 min", "2.5 h". */
static void format_time(double seconds, char *text, size_t size) {
    if (seconds < 120)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
}

void job_progress_show(struct job_progress *p, const struct job_counts *c) {
    const double now = seconds_now();
    const uint64_t done = c->drawn + c->kept + c->failed;
    const bool terminal = isatty(STDERR_FILENO), last = done == p->total;
    if (p->total < 2 || (!terminal && now - p->shown < LINES_APART) ||
        (terminal && !last && now - p->shown < 0.1))
        return;
    char left[32];
    const double spent = now - p->start;
    /* frames that were kept took no time */
    const double each = c->drawn + c->failed ? spent / (double)(c->drawn + c->failed) : 0;
    format_time(each * (double)(p->total - done), left, sizeof left);
    p->shown = now;
    if (!terminal) {
        fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " frames, %" PRIu64 " failed, %s left\n",
                p->name, done, p->total, c->failed, left);
        return;
    }
    const int filled = (int)(done * BAR / p->total);
    fprintf(stderr, "\r%-12s [%.*s%*s] %" PRIu64 "/%" PRIu64 " %s left \033[K%s", p->name, filled,
            "########################################", BAR - filled, "", done, p->total, left,
            last ? "\n" : "");
    fflush(stderr);
}
