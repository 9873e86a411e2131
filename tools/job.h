/* A job: frames of a scene or recording as files in a folder, or as one stream. A job can be
 * restarted; its exit code says whether it is complete. render, replay and teslapipe-mpi share this
 * code. In: the list of frames, the work that draws them, the source that says which frame is next.
 * Out: files that are whole or absent, a manifest, progress, an exit code. Must not know scenes,
 * recordings or MPI. */
#pragma once

#include "base/new_file.h"
#include "tools/picture.h"
#include "tools/tool.h"

#include <sys/types.h>

/* The work of a job: draws the frames. Functions return false with the reason in why[]. */
struct work {
    void *self;
    /* Prepares the frame. size: of the frame's picture; width 0: the frame has no picture and no
     * file. */
    bool (*begin)(void *self, uint64_t frame, struct size *size, char *why, size_t why_size);
    /* Draws rows y to y + count - 1 into memory: RGBA, bytes or floats. y is a multiple of
     * band_rows. */
    bool (*rows)(void *self, uint64_t frame, uint32_t y, uint32_t count, void *rows, char *why,
                 size_t why_size);
    /* Called before the first frame if other processes draw a part of the bands: only bands b with
     * b % count == index will be asked for. May be NULL. */
    void (*share)(void *self, uint32_t index, uint32_t count);
    uint32_t band_rows; /* the most rows that are asked for at once; a multiple of 64 */
};

struct job {
    const struct command *command;
    const struct work *work;
    const char *folder, *name; /* files are FOLDER/NAME-0000.png ..., or FOLDER/NAME.png */
    struct frame_range frames;
    enum picture_format format;
    double rate;         /* pictures a second in a stream or movie */
    bool resume, stream; /* stream: all frames go to standard output */
    /* The options that the frames depend on, as text. --resume keeps no frames of a job with
     * another identity. */
    const char *identity;
    bool split;        /* processes share each frame */
    const char *movie; /* file that ffmpeg makes of all frames; NULL: none */
};

enum job_event { JOB_DRAWN, JOB_KEPT, JOB_FAILED };
/* Gives a process frames to draw and receives the results. */
struct job_source {
    void *self;
    /* Sets *index to the next frame's index in the list. Returns false at the end. */
    bool (*take)(void *self, uint64_t *index);
    void (*tell)(void *self, uint64_t index, enum job_event event);
};

/* Runs jobs, by a process alone or by one of many. */
struct job_runner {
    void *self;
    /* Called once, when the options are valid; may be NULL. */
    void (*start)(void *self);
    /* Returns an exit code. why: NULL, or the reason why this process cannot draw; then job->work
     * is NULL. */
    int (*run)(void *self, const struct job *job, const char *why);
    int threads; /* threads of each process; 0: one for each CPU */
    bool splits; /* the runner supports --split */
    bool prints; /* prints the names of single pictures */
};
extern const struct job_runner job_alone;

struct job_counts {
    uint64_t drawn, kept, failed;
};

/* Options of commands that run jobs, in a struct with the fields resume, format, stream, movie. */
#define JOB_OPTIONS(o)                                                                             \
    {"--resume", NULL, OPTION_FLAG, &(o).resume, "skips pictures whose files are whole"},          \
        {"--format", "FORMAT", OPTION_PICTURE, &(o).format,                                        \
         "png, exr (floats), ppm or y4m (png)"},                                                   \
        {"--stdout", "y4m", OPTION_STREAM, &(o).stream, "all pictures to standard output"},        \
        {"--movie", "FILE", OPTION_TEXT, &(o).movie, "a movie of the pictures, by ffmpeg"}
struct job_options {
    const char *stream, *movie, *format;
    bool resume, numbered, many; /* many: more than one scene or recording */
};
/* Returns EXIT_FINE, or EXIT_USAGE after a message about options that contradict each other. */
int check_job_options(const struct command *command, const struct job_options *o);
enum { SPLIT_ROWS = 64 }; /* with --split: rows that a process draws at a time */

void job_frame_path(const struct job *job, uint64_t number, char *path, size_t size);
/* Makes the folder and opens the manifest. Returns false after a message, with *exit_code set. */
struct manifest;
bool job_open(const struct job *job, struct manifest *m, int *exit_code);
/* Draws the frames that the source gives, until the source has no more, a signal ends the job, or a
 * file or the stream fails. Messages name the frame. host: name of this machine for messages, or
 * NULL. */
void job_draw(const struct job *job, struct manifest *m, const struct job_source *source,
              const char *host);
/* Returns true if the job resumes and the frame's file is whole. */
bool job_is_kept(const struct job *job, const struct manifest *m, uint64_t number);
void job_tell_failure(const struct job *job, uint64_t number, const char *host, const char *why);

/* The file of a frame while it is written. */
struct frame_file {
    struct new_file made;
    struct picture_writer picture; /* picture.why: the reason of a failure */
    uint64_t number;
    bool begun, failed;
};
bool frame_file_open(struct frame_file *f, const struct job *job, uint64_t number,
                     const struct size *size, bool continues);
bool frame_file_rows(struct frame_file *f, const void *rows, uint32_t count);
/* Closes the file. keep: the file gets its name and its line in the manifest; else the file is
 * removed. Returns true if the frame is whole. */
bool frame_file_close(struct frame_file *f, const struct job *job, struct manifest *m, bool keep);

/* Prints a line about a job of `total` frames and returns its exit code. */
int job_end(const struct job *job, const struct job_counts *counts, uint64_t total, double seconds);
/* From now on SIGTERM and SIGINT end the job after the current frame. job_stopped() returns true
 * after such a signal. */
void job_catch_signals(void);
bool job_stopped(void);

/* Progress on stderr: on a terminal a bar with an estimate; elsewhere a line every ten seconds. */
struct job_progress {
    const char *name;
    uint64_t total;
    double start, shown;
};
void job_progress_begin(struct job_progress *p, const char *name, uint64_t total);
void job_progress_show(struct job_progress *p, const struct job_counts *counts);

/* A movie of the files, in their order, by ffmpeg. The caller feeds files as they become
 * complete. */
struct movie {
    FILE *pipe;
    pid_t process;
    uint64_t next; /* index of the next frame */
    bool failed;
};
bool movie_begin(const struct job *job, struct movie *m);
/* Feeds complete frames from m->next on. is_there: tells whether the file of an index is
 * complete. */
void movie_feed(const struct job *job, struct movie *m,
                bool (*is_there)(void *self, uint64_t index), void *self);
/* Returns false after a message if ffmpeg failed or frames are missing. */
bool movie_end(const struct job *job, struct movie *m);
