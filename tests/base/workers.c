/* Worker threads: each index of many short jobs runs once, on a worker of the job, and all threads
 * run at the same time. Also the log. */
#include "base/fp_mode.h"
#include "base/log.h"
#include "base/workers.h"
#include "tests/test.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

struct job {
    int threads;
    _Atomic uint32_t count, done[1000], bad;
};

static void step(void *self, uint32_t index, int worker) {
    struct job *j = self;
    if (index >= j->count || worker < 0 || worker >= j->threads)
        j->bad++;
    else
        j->done[index]++;
}

TEST(test_each_once) {
    static struct job j;
    for (int threads = 1; threads <= 5; threads++) {
        struct workers *w = workers_create(threads, NULL, NULL);
        assert_non_null(w);
        for (int n = 0; n < 300; n++) {
            memset(&j, 0, sizeof j);
            j.threads = threads;
            j.count = n % 3 ? (uint32_t)n : (uint32_t)(n % 7);
            workers_run(w, j.count, step, &j);
            assert_int_equal(j.bad, 0);
            for (uint32_t i = 0; i < 1000; i++)
                assert_int_equal(j.done[i], i < j.count);
        }
        workers_destroy(w);
    }
    assert_null(workers_create(0, NULL, NULL));
    assert_null(workers_create(-1, NULL, NULL));
    workers_destroy(NULL);
}

/* A program may block a signal in its own threads and wait for it, also after workers were made. */
TEST(test_no_signals) {
    const struct timespec second = {.tv_sec = 1};
    struct workers *w = workers_create(3, NULL, NULL);
    sigset_t set, before;
    assert_non_null(w);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    assert_int_equal(sigtimedwait(&set, NULL, &second), SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    workers_destroy(w);
}

static void note_mode(void *self, uint32_t index, int worker) {
    struct job *j = self;
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)index;
    j->bad += worker > 0 && (fp_mode() & ~(unsigned)FP_STICKY) != FP_PLAIN;
    j->done[worker > 0]++;
    nanosleep(&moment, NULL);
}

/* Workers compute in the plain mode, whatever the mode of the program is. */
TEST(test_plain_mode) {
    static struct job j;
    const unsigned before = fp_mode();
    fp_set_mode(FP_PLAIN | FP_FLUSH | fp_rounding(2));
    struct workers *w = workers_create(3, NULL, NULL);
    assert_int_equal(fp_mode() & ~(unsigned)FP_STICKY, FP_PLAIN | FP_FLUSH | fp_rounding(2));
    fp_set_mode(before);
    assert_non_null(w);
    for (int i = 0; i < 100 && !j.done[1]; i++)
        workers_run(w, 30, note_mode, &j);
    assert_true(j.done[1] > 0);
    assert_int_equal(j.bad, 0);
    workers_destroy(w);
}

/* Returns when each thread is in a call of its own, or after ten seconds. */
static void meet(void *self, uint32_t index, int worker) {
    struct job *j = self;
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)index;
    j->done[worker]++;
    j->count++;
    for (int i = 0; j->count < (uint32_t)j->threads && i < 10000; i++)
        nanosleep(&moment, NULL);
    if (j->count < (uint32_t)j->threads)
        j->bad++;
}

TEST(test_all_at_once) {
    static struct job j;
    for (int threads = 1; threads <= 5; threads++) {
        struct workers *w = workers_create(threads, NULL, NULL);
        memset(&j, 0, sizeof j);
        j.threads = threads;
        workers_run(w, (uint32_t)threads, meet, &j);
        assert_int_equal(j.bad, 0);
        for (int i = 0; i < threads; i++)
            assert_int_equal(j.done[i], 1);
        workers_destroy(w);
    }
}

static char last[2000];
static int lines;
static void keep(void *self, enum log_level level, const char *line) {
    (void)self;
    (void)level;
    strcpy(last, line);
    lines++;
}

TEST(test_log) {
    const struct log log = {.level = LOG_WARNING, .write = keep};
    log_message(&log, LOG_INFO, "dropped");
    assert_int_equal(lines, 0);
    log_message(&log, LOG_WARNING, "%s %d", "method", 5);
    assert_string_equal(last, "method 5");
    log_message(&log, LOG_ERROR, "%3000d", 1);
    assert_int_equal(strlen(last), 1023);
    assert_int_equal(lines, 2);
    log_message(NULL, LOG_ERROR, "no log, no crash");
}
