/* Movies: the files of frames are piped, in order and unchanged, to ffmpeg, which decodes them. The
 * movie gets its name when it is whole. In: a job's frames. Out: a movie. */
#define _GNU_SOURCE
#include "tools/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Writes the name of the unfinished movie. The extension, that of the movie, tells ffmpeg the
 * format. */
static void part_name(const struct job *job, char *path, size_t size) {
    const char *slash = strrchr(job->movie, '/');
    const int folder = slash ? (int)(slash + 1 - job->movie) : 0;
    snprintf(path, size, "%.*s.part-%ld-%s", folder, job->movie, (long)getpid(),
             job->movie + folder);
}

static pid_t start_ffmpeg(const struct job *job, int input, const char *path) {
    char rate[32], codec[8];
    pid_t child;
    posix_spawn_file_actions_t actions;
    snprintf(rate, sizeof rate, "%g", job->rate);
    snprintf(codec, sizeof codec, "%s", picture_extension(job->format));
    const char *const arguments[] = {"ffmpeg",  "-nostdin",   "-y",         "-loglevel", "error",
                                     "-f",      "image2pipe", "-framerate", rate,        "-c:v",
                                     codec,     "-i",         "-",          "-pix_fmt",  "yuv420p",
                                     "-preset", "veryfast",   path,         NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    errno = posix_spawnp(&child, "ffmpeg", &actions, NULL, (char *const *)(uintptr_t)arguments,
                         environ);
    const int error = errno;
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error ? -1 : child;
}

bool movie_begin(const struct job *job, struct movie *m) {
    char path[PATH_MAX];
    int ends[2];
    *m = (struct movie){0};
    part_name(job, path, sizeof path);
    signal(SIGPIPE, SIG_IGN); /* a write after ffmpeg's end fails and does not end this process */
    if (pipe2(ends, O_CLOEXEC) == 0) {
        m->process = start_ffmpeg(job, ends[0], path);
        close(ends[0]);
        m->pipe = m->process > 0 ? fdopen(ends[1], "wb") : NULL;
    }
    if (!m->pipe)
        command_failed(job->command, "--movie: ffmpeg: %s%s", strerror(errno),
                       errno == ENOENT ? "; it makes the movie and must be installed" : "");
    return m->pipe;
}

static bool copy_file(FILE *to, const char *path) {
    char piece[1 << 16];
    size_t n;
    FILE *from = fopen(path, "rbe");
    if (!from && errno == ENOENT)
        return true; /* a frame without picture */
    while (from && (n = fread(piece, 1, sizeof piece, from)) > 0)
        if (fwrite(piece, 1, n, to) != n)
            break;
    const bool ok = from && !ferror(from) && !ferror(to);
    if (from)
        fclose(from);
    return ok;
}

void movie_feed(const struct job *job, struct movie *m,
                bool (*is_there)(void *self, uint64_t index), void *self) {
    char path[PATH_MAX];
    while (!m->failed && m->next < frame_count(&job->frames) && is_there(self, m->next)) {
        job_frame_path(job, frame_number(&job->frames, m->next++), path, sizeof path);
        m->failed = !copy_file(m->pipe, path);
    }
}

bool movie_end(const struct job *job, struct movie *m) {
    char path[PATH_MAX];
    int status = -1;
    const uint64_t total = frame_count(&job->frames);
    part_name(job, path, sizeof path);
    m->failed |= fclose(m->pipe) != 0;
    while (waitpid(m->process, &status, 0) < 0 && errno == EINTR) {
    }
    const bool whole = m->next == total && !m->failed && status == 0;
    if (whole && rename(path, job->movie) == 0)
        return true;
    if (m->next < total && !m->failed)
        command_failed(job->command, "%s: no movie, because frames are missing", job->movie);
    else if (!whole)
        command_failed(job->command, "%s: ffmpeg failed", job->movie);
    else
        command_failed(job->command, "%s: %s", job->movie, strerror(errno));
    unlink(path);
    return false;
}
