/* Makes the process's GPU from the environment: TESLAPIPE_CHIP, _LOG, _THREADS, _SIMD, _ENGINE,
 * _ARITHMETIC, _BUDGET, _QUIRKS, _RECORD, _TIMELINE. Out: one struct gpu. Knows no ioctl and no
 * pixel.
 */
#define _GNU_SOURCE
#include "drm/gpu.h"

#include "base/timeline.h"
#include "drm/check.h"
#include "drm/ci.h"
#include "drm/held.h"
#include "fifo/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const struct chip *chip_configured(void) {
    const char *name = getenv("TESLAPIPE_CHIP");
    const struct chip *chip = name ? chip_find(name) : NULL;
    return chip ? chip : &chips[0];
}

static const char *const level_names[] = {"error", "warning", "info", "debug"};

/* Writes a line to the log file. The first failure, as on a full disk, is reported on stderr. */
static void write_line(void *self, enum log_level level, const char *line) {
    static bool reported;
    FILE *file = self;
    const bool fits = fprintf(file, "teslapipe: %s: %s\n", level_names[level], line) >= 0;
    if ((fits && fflush(file) == 0) || reported)
        return;
    reported = true;
    const struct log stderr_log = {.level = LOG_ERROR};
    log_message(&stderr_log, LOG_ERROR, "the log is not complete: writing failed: %s",
                strerror(errno));
}

/* The level of this name, or -1. The name "profile" is level info and sets *profile. */
static int find_level(const char *name, size_t length, bool *profile) {
    *profile = length == 7 && strncasecmp(name, "profile", length) == 0;
    if (*profile)
        return LOG_INFO;
    for (int i = 0; i < 4; i++)
        if (strlen(level_names[i]) == length && strncasecmp(name, level_names[i], length) == 0)
            return i;
    return -1;
}

/* Reads TESLAPIPE_LOG=LEVEL[:FILE]. Without the variable, warnings and errors go to stderr. %p in
 * FILE is the number of the process. Returns true if the level is "profile": info, with profiles of
 * the pipeline. */
static bool configure_log(struct log *log) {
    const char *setting = getenv("TESLAPIPE_LOG");
    *log = (struct log){.level = LOG_WARNING};
    if (!setting || !*setting)
        return false;
    const size_t length = strcspn(setting, ":");
    bool profile;
    const int level = find_level(setting, length, &profile);
    if (level >= 0)
        log->level = (enum log_level)level;
    else
        log_message(log, LOG_ERROR,
                    "TESLAPIPE_LOG=%s: the levels are error, warning, info, debug and profile",
                    setting);
    if (!setting[length])
        return profile;
    char path[PATH_MAX];
    FILE *file = ci_expand(setting + length + 1, path, sizeof path) ? fopen(path, "ae") : NULL;
    if (file)
        held_mark(fileno(file));
    if (file)
        *log = (struct log){log->level, write_line, file};
    else
        log_message(log, LOG_ERROR, "cannot log to %s: %s", setting + length + 1, strerror(errno));
    return profile;
}

static void device_log(void *self, int level, const char *line) {
    log_message(&((struct gpu *)self)->log, (enum log_level)level, "%s", line);
}

/* The number in a variable, from 0 to `most`; 0 if the variable is not set or wrong. */
static long long configured_number(const struct log *log, const char *name, long long most) {
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return 0;
    const long long number = strtoll(text, &end, 10);
    if (!*end && number >= 0 && number <= most)
        return number;
    log_message(log, LOG_ERROR, "%s=%s: a number from 1 to %lld, or 0", name, text, most);
    return 0;
}

/* GPUs made so far by this process and those that it was forked from; under process_lock */
static unsigned generations;

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu *process_gpu;

/* Runs at exit: completes the recording, and writes the report of the memory check and the time
 * line. The process fails if the recording is not complete or the check has findings. */
static void end_process(void) {
    /* NULL in a forked child that has made no GPU: recording and reports are its parent's */
    struct gpu *g = process_gpu;
    const char *path = getenv("TESLAPIPE_TIMELINE");
    char why[512];
    int status = 0;
    if (!g)
        return;
    struct record *record = g->record;
    g->record = NULL;
    if (record && record_close(record) != 0) {
        log_message(&g->log, LOG_ERROR, "the recording is not complete: writing failed");
        status = 1;
    }
    if (g->check && check_end(g) && !status)
        status = CHECK_EXIT;
    if (timeline_on && !timeline_write(path, why, sizeof why))
        log_message(&g->log, LOG_ERROR, "no time line: %s", why);
    if (!status)
        return;
    fflush(NULL);
    _exit(status);
}

static enum tp_arithmetic configured_arithmetic(struct log *log) {
    const char *name = getenv("TESLAPIPE_ARITHMETIC");
    const bool fast = name && strcmp(name, "fast") == 0;
    if (name && *name && !fast && strcmp(name, "exact") != 0)
        log_message(log, LOG_ERROR, "TESLAPIPE_ARITHMETIC=%s: exact or fast", name);
    return fast ? TP_ARITHMETIC_FAST : TP_ARITHMETIC_EXACT;
}

/* A program that submits each draw on its own takes this lock 10,000 times a frame, each time for a
 * fraction of a microsecond. So a thread that finds the lock taken spins for a moment before it
 * sleeps. */
static void init_lock(pthread_mutex_t *lock) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

static struct gpu *gpu_make(void) {
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    const bool profile = configure_log(&g->log);
    g->chip = chip_configured();
    const char *name = getenv("TESLAPIPE_CHIP");
    if (name && *name && !chip_find(name))
        log_message(&g->log, LOG_ERROR, "TESLAPIPE_CHIP=%s is no chip: this is a %s", name,
                    g->chip->name);
    g->generation = generations++;
    g->process = (uint32_t)getpid();
    const char *timeline = getenv("TESLAPIPE_TIMELINE");
    if (timeline && *timeline && !timeline_on)
        timeline_start("program");
    const struct tp_device_info info = {
        .chip = g->chip->variant,
        .threads = check_wanted() ? 1 : (int)configured_number(&g->log, "TESLAPIPE_THREADS", 256),
        .warp_budget = (uint64_t)configured_number(&g->log, "TESLAPIPE_BUDGET", 1000000000000000),
        .simd = getenv("TESLAPIPE_SIMD"),
        .engine = getenv("TESLAPIPE_ENGINE"),
        .arithmetic = configured_arithmetic(&g->log),
        .log = device_log,
        .log_self = g,
    };
    const int file = memfd_create("teslapipe-memory", MFD_CLOEXEC);
    const int refused = file < 0 ? errno : 0;
    const int high = held_move(file); /* the memory duplicates it to a still higher number */
    const bool made = high >= 0 && device_create(&info, high, &g->device) == TP_OK;
    held_close(high);
    if (!made) {
        log_message(&g->log, LOG_ERROR, "no GPU: %s%s",
                    refused ? "the system refuses memfd_create: " : "",
                    refused ? strerror(refused) : device_message(NULL));
        free(g);
        return NULL;
    }
    g->device->log.level = g->log.level;
    g->device->profile = profile;
    g->memory = g->device->memory;
    g->memory_fd = held_mark(memory_file(g->memory));
    if (check_wanted())
        check_start(g);
    const char *record = getenv("TESLAPIPE_RECORD");
    char path[PATH_MAX];
    if (record && *record &&
        !(ci_expand(record, path, sizeof path) &&
          (g->record = record_create(path, g->chip->chipset))))
        log_message(&g->log, LOG_ERROR, "cannot record to %s", record);
    if (g->record)
        held_mark(record_file(g->record));
    static bool ends; /* end_process() is registered, in forked children, too */
    if (!ends)
        ends = atexit(end_process) == 0;
    ci_begin();
    const char *quirks = getenv("TESLAPIPE_QUIRKS");
    g->quirks = quirks && *quirks == '1';
    init_lock(&g->lock);
    pthread_cond_init(&g->work, NULL);
    pthread_cond_init(&g->done, NULL);
    if (queue_start(g)) {
        log_message(&g->log, LOG_ERROR, "no GPU: no thread to execute submissions");
        device_destroy(g->device);
        free(g);
        return NULL;
    }
    return g;
}

struct gpu *gpu_find(void) {
    return __atomic_load_n(&process_gpu, __ATOMIC_ACQUIRE);
}

bool gpu_maps(const void *address, size_t length) {
    const struct gpu *g = __atomic_load_n(&process_gpu, __ATOMIC_ACQUIRE);
    return g && memory_contains(g->memory, address, length);
}

static void before_fork(void) {
    pthread_mutex_lock(&process_lock);
    if (process_gpu)
        pthread_mutex_lock(&process_gpu->lock);
}

static void after_fork_parent(void) {
    if (process_gpu)
        pthread_mutex_unlock(&process_gpu->lock);
    pthread_mutex_unlock(&process_lock);
}

/* A forked child has no executing thread and shares the memory with its parent. So the inherited
 * GPU is dead in the child. */
static void after_fork_child(void) {
    if (process_gpu) {
        process_gpu->dead = true;
        pthread_mutex_unlock(&process_gpu->lock);
    }
    process_gpu = NULL;
    pthread_mutex_unlock(&process_lock);
}

struct gpu *gpu_get(void) {
    static bool fork_handled;
    pthread_mutex_lock(&process_lock);
    if (!fork_handled)
        fork_handled = pthread_atfork(before_fork, after_fork_parent, after_fork_child) == 0;
    if (!process_gpu)
        process_gpu = gpu_make();
    struct gpu *g = process_gpu;
    pthread_mutex_unlock(&process_lock);
    return g;
}
