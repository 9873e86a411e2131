/* The memory checker in a program that draws through the node: each channel is checked, and the
 * report is written when the program exits. In: the environment: TESLAPIPE_CHECK_MEMORY=1,
 * TESLAPIPE_CHECK_JSON=FILE, TESLAPIPE_SUPPRESSIONS=FILE, TESLAPIPE_NOT_FINITE=1. Out: the report
 * on stderr, or as JSON in the file. Must not know ioctls.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "drm/check.h"

#include "drm/gpu.h"
#include "fifo/channel_check.h"

#include <errno.h>
#include <unistd.h>

/* The value of a variable; NULL if it is not set or empty. */
static const char *text_of(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is_set(const char *name) {
    const char *value = text_of(name);
    return value && *value == '1';
}

bool check_wanted(void) {
    return is_set("TESLAPIPE_CHECK_MEMORY");
}

void check_start(struct gpu *g) {
    char why[512];
    g->check = channel_check_create(is_set("TESLAPIPE_NOT_FINITE"),
                                    text_of("TESLAPIPE_SUPPRESSIONS"), why, sizeof why);
    if (!g->check)
        log_message(&g->log, LOG_ERROR, "no memory check: %s", why);
}

void check_channel(const struct gpu *g, struct channel *c) {
    if (g->check)
        channel_check_watch(g->check, c);
}

/* Returns the number of findings. */
static size_t write_report(const struct gpu *g, const struct channel_check *k) {
    const char *path = text_of("TESLAPIPE_CHECK_JSON");
    char title[96];
    snprintf(title, sizeof title, "teslapipe gl: %s, process %d", program_invocation_short_name,
             (int)getpid());
    if (channel_check_incomplete(k))
        log_message(&g->log, LOG_ERROR, "out of memory: not everything was checked");
    FILE *out = path ? fopen(path, "ae") : stderr;
    if (!out) {
        log_message(&g->log, LOG_ERROR, "%s: %s", path, strerror(errno));
        out = stderr;
    }
    const size_t count = channel_check_report(k, title, out != stderr, out);
    if (out != stderr)
        fclose(out);
    return count;
}

bool check_end(struct gpu *g) {
    pthread_mutex_lock(&g->lock);
    queue_wait(g, g->submitted);
    const struct channel_check *k = g->check;
    g->check = NULL;
    pthread_mutex_unlock(&g->lock);
    return k && write_report(g, k);
}
