/* Makes the process's GPU from the environment: TESLAPIPE_CHIP, TESLAPIPE_LOG, TESLAPIPE_THREADS,
 * TESLAPIPE_SIMD, TESLAPIPE_ENGINE. Out: one struct gpu. Knows no ioctl and no pixel.
 */
#define _GNU_SOURCE
#include "drm/gpu.h"

#include "fifo/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

/* PCI ids and unit counts of a common board each. */
static const struct chip chips[] = {
    {"gt215", 0xa3, TP_CHIP_GT215, 0x0ca3, 0x0700000f},
    {"gt216", 0xa5, TP_CHIP_GT215, 0x0a20, 0x07000003},
    {"gt218", 0xa8, TP_CHIP_GT215, 0x0a65, 0x03000001},
    {"mcp89", 0xaf, TP_CHIP_GT215, 0x08a0, 0x07000003},
    {"g80", 0x50, TP_CHIP_G80, 0x0191, 0x030000ff},
    {"g84", 0x84, TP_CHIP_G84, 0x0400, 0x03000003},
    {"g86", 0x86, TP_CHIP_G84, 0x0422, 0x03000001},
    {"g92", 0x92, TP_CHIP_G84, 0x0611, 0x030000ff},
    {"g94", 0x94, TP_CHIP_G84, 0x0622, 0x0300000f},
    {"g96", 0x96, TP_CHIP_G84, 0x0640, 0x03000003},
    {"g98", 0x98, TP_CHIP_G84, 0x06e4, 0x01000001},
    {"g200", 0xa0, TP_CHIP_G200, 0x05e1, 0x070003ff},
    {"mcp77", 0xaa, TP_CHIP_MCP77, 0x0848, 0x01000001},
    {"mcp79", 0xac, TP_CHIP_MCP77, 0x0861, 0x03000001},
};

const struct chip *chip_configured(void) {
    const char *name = getenv("TESLAPIPE_CHIP");
    for (size_t i = 0; name && *name && i < sizeof chips / sizeof *chips; i++) {
        char *end;
        const unsigned long number = strtoul(name, &end, 16);
        if (strcasecmp(name, chips[i].name) == 0 || (!*end && number == chips[i].chipset))
            return &chips[i];
    }
    return &chips[0];
}

static void write_line(void *self, enum log_level level, const char *line) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    FILE *file = self;
    fprintf(file, "teslapipe: %s: %s\n", names[level], line);
    fflush(file);
}

/* TESLAPIPE_LOG=LEVEL[:FILE]; warnings and errors to stderr without it. */
static void configure_log(struct log *log) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    const char *setting = getenv("TESLAPIPE_LOG");
    *log = (struct log){.level = LOG_WARNING};
    if (!setting)
        return;
    const size_t length = strcspn(setting, ":");
    for (int i = 0; i < 4; i++)
        if (strlen(names[i]) == length && strncasecmp(setting, names[i], length) == 0)
            log->level = (enum log_level)i;
    FILE *file = setting[length] ? fopen(setting + length + 1, "ae") : NULL;
    if (file)
        *log = (struct log){log->level, write_line, file};
}

static void device_log(void *self, int level, const char *line) {
    log_message(&((struct gpu *)self)->log, (enum log_level)level, "%s", line);
}

static unsigned generations; /* under process_lock */

static struct gpu *make(void) {
    struct gpu *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    configure_log(&g->log);
    g->chip = chip_configured();
    g->generation = generations++;
    const char *threads = getenv("TESLAPIPE_THREADS");
    const struct tp_device_info info = {
        .chip = g->chip->variant,
        .threads = threads ? atoi(threads) : 0,
        .simd = getenv("TESLAPIPE_SIMD"),
        .engine = getenv("TESLAPIPE_ENGINE"),
        .log = device_log,
        .log_self = g,
    };
    g->memory_fd = memfd_create("teslapipe-memory", MFD_CLOEXEC);
    if (g->memory_fd < 0 || device_create(&info, g->memory_fd, &g->device) != TP_OK) {
        log_message(&g->log, LOG_ERROR, "no GPU: %s",
                    g->memory_fd < 0 ? "memfd_create failed" : tp_message(NULL));
        if (g->memory_fd >= 0)
            close(g->memory_fd);
        free(g);
        return NULL;
    }
    g->device->log.level = g->log.level;
    g->memory = g->device->memory;
    const char *record = getenv("TESLAPIPE_RECORD");
    if (record && *record && !(g->record = record_create(record, g->chip->chipset)))
        log_message(&g->log, LOG_ERROR, "cannot record to %s", record);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->work, NULL);
    pthread_cond_init(&g->done, NULL);
    if (queue_start(g)) {
        log_message(&g->log, LOG_ERROR, "no GPU: no thread to execute submissions");
        close(g->memory_fd);
        tp_device_destroy(g->device);
        free(g);
        return NULL;
    }
    return g;
}

static pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu *process_gpu;

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

/* The child has no executing thread and shares the memory's bytes with its parent: it keeps off. */
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
        process_gpu = make();
    struct gpu *g = process_gpu;
    pthread_mutex_unlock(&process_lock);
    return g;
}
