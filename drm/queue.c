/* The queue of submissions and the thread that executes them, between node.c and the channels of
 * fifo/. In: submissions in order. Out: their completion. Execution does not wait for the results
 * of the submission before. Results are completed when a thread, another process or a submission
 * needs them, when the queue stays empty for a moment, or when too many are outstanding. So a fence
 * that the program polls is always reached. Knows channels, not methods.
 */
#define _GNU_SOURCE
#include "drm/gem.h"

#include "base/threads.h"
#include "base/timeline.h"
#include "fifo/record.h"

#include <fcntl.h>
#include <libdrm/drm.h>
#include <libdrm/nouveau_drm.h>
#include <stdio.h>
#include <unistd.h>

enum {
    QUEUE_LIMIT = 1024,
    QUEUE_RESUME = QUEUE_LIMIT / 2, /* a thread that the limit stopped goes on at this length */
    WAKE_AT = 512,                  /* this many queued submissions wake a lingering thread */
    OUTSTANDING_LIMIT = 65536,      /* large, as a driver may submit every draw on its own */
    SPARES = 64,                    /* submissions kept for reuse */
    TAKEN_AT_ONCE = 128,            /* submissions executed while the lock is released */
    PUSHES = 128,                   /* least room for ranges in a submission */
    LINGER_NS = 250000,             /* wait for more work before results are completed */
    LINGER_SHARED_NS = 100000,      /* LINGER_NS if another process may need the results */
    AGAIN_NS = 50000, /* the first of the further waits for a submitting thread without CPU */
    AGAIN_MOST = 8,   /* number of further waits, each twice as long as the wait before */
    YIELD_NS = 1000000
};

struct submission *submission_new(struct gpu *g, struct channel *channel, uint32_t push_count,
                                  uint32_t bo_count) {
    const uint32_t pushes = push_count > PUSHES ? push_count : PUSHES;
    const size_t size = sizeof(struct submission) + pushes * sizeof(struct push) +
                        bo_count * (sizeof(struct gem_bo *) + sizeof(struct turn));
    struct submission *s = g->spare;
    size_t room = s ? s->room : 0;
    if (room >= size) {
        g->spare = s->next;
        g->spares--;
    } else {
        room = size;
        s = malloc(size);
    }
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->room = room;
    s->channel = channel;
    s->count = 1;
    s->push_count = push_count;
    s->push_room = pushes;
    s->bo_count = bo_count;
    s->bo = (struct gem_bo **)(s + 1);
    s->push = (struct push *)(s->bo + bo_count);
    s->turn = (struct turn *)(s->push + pushes);
    return s;
}

void submission_free(struct gpu *g, struct submission *s) {
    for (uint32_t i = 0; i < s->bo_count; i++)
        gem_unref(g, s->bo[i]);
    if (g->spares == SPARES) {
        free(s);
        return;
    }
    s->next = g->spare;
    g->spare = s;
    g->spares++;
}

/* Orders shared buffers by the inode of their memfd, which is the same in all processes. */
static int compare_files(const void *a, const void *b) {
    const ino_t first = (*(struct gem_bo *const *)a)->prime_ino,
                second = (*(struct gem_bo *const *)b)->prime_ino;
    return (first > second) - (first < second);
}

/* Lists the submission's shared buffers in their order, each once. Returns their number. */
static uint32_t list_shared(const struct submission *s, struct gem_bo **shared) {
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < s->bo_count; i++)
        if (s->bo[i]->turns)
            shared[count++] = s->bo[i];
    if (count > 1)
        qsort(shared, count, sizeof *shared, compare_files);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || shared[kept - 1] != shared[i])
            shared[kept++] = shared[i];
    return kept;
}

/* Takes a turn at each buffer that is shared with other processes. This submission then comes after
 * all work on the buffer that those processes have submitted so far. */
static void take_turns(const struct gpu *g, struct submission *s) {
    struct gem_bo *shared[NOUVEAU_GEM_MAX_BUFFERS];
    const uint32_t count = list_shared(s, shared);
    s->takes_turns = count > 0;
    if (!count)
        return;
    for (uint32_t i = 0; i < count; i++)
        turns_enter(shared[i]->turns, g->process);
    memset(s->turn, 0, s->bo_count * sizeof *s->turn);
    for (uint32_t i = 0; i < s->bo_count; i++) {
        struct gem_bo *bo = s->bo[i];
        if (!bo->turns)
            continue;
        struct turn *t = &s->turn[i];
        t->taken = true;
        t->ticket = turns_take(bo->turns, g->process, &t->before);
        t->handed = atomic_load(&bo->turns->handed);
    }
    for (uint32_t i = 0; i < count; i++)
        turns_leave(shared[i]->turns, g->process);
}

/* True if the submission's tickets are still the last ones of its shared buffers, and the window
 * has got none of these buffers since. Then more work may be added under the same tickets. */
static bool holds_turns(const struct gpu *g, const struct submission *s) {
    for (uint32_t i = 0; i < s->bo_count && s->takes_turns; i++) {
        const struct turn *t = &s->turn[i];
        if (t->taken && !turns_holds(s->bo[i]->turns, t->ticket, g->process, t->handed))
            return false;
    }
    return true;
}

static void end_turns(const struct submission *s) {
    for (uint32_t i = 0; i < s->bo_count && s->takes_turns; i++) {
        if (!s->turn[i].taken)
            continue;
        s->bo[i]->turns->draws = channel_draws(s->channel);
        turns_done(s->bo[i]->turns, s->turn[i].ticket);
    }
}

/* Completes the results of all executed submissions. Called and returns with the lock held. */
static void complete_submission(struct gpu *g) {
    struct submission *s = g->executed;
    if (!s)
        return;
    const uint64_t began = timeline_begin(), sequence = s->sequence;
    g->executed = g->shared_last = NULL;
    pthread_mutex_unlock(&g->lock);
    for (const struct submission *i = s; i; i = i->next)
        if (channel_busy(i->channel))
            channel_finish(i->channel);
    pthread_mutex_lock(&g->lock);
    while (s) {
        struct submission *next = s->next;
        g->completed = s->sequence > g->completed ? s->sequence : g->completed;
        end_turns(s);
        submission_free(g, s);
        s = next;
    }
    pthread_cond_broadcast(&g->done);
    timeline_end(TIMELINE_COMPLETE, began, sequence, 0, NULL);
}

/* The time ns from now, for pthread_cond_timedwait. */
static struct timespec in_nanoseconds(long ns) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ns;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* Waits at most ns for a submission; false if none came. lingers: submitting threads need not wake
 * this thread until WAKE_AT submissions wait. */
static bool wait_for_more(struct gpu *g, long ns, bool lingers) {
    const struct timespec until = in_nanoseconds(ns);
    g->lingers = lingers;
    const int result = pthread_cond_timedwait(&g->work, &g->lock, &until);
    g->lingers = false;
    return result == 0 || g->queued;
}

/* Processor time of the submitting thread in ns; -1 if the thread has ended. */
static int64_t submitter_time(const struct gpu *g) {
    struct timespec t;
    return clock_gettime(g->submitter, &t) ? -1 : (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* True if the submitting thread is ready to run. Linux makes the number of a thread's CPU clock
 * from the number of the thread (CPUCLOCK_PID). */
static bool submitter_ready(const struct gpu *g) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", ~(g->submitter >> 3));
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return name_end && !strncmp(name_end, ") R", 3);
}

static bool others_may_wait(const struct gpu *g) {
    for (const struct submission *s = g->executed; s; s = s->next)
        if (s->takes_turns)
            return true;
    return false;
}

/* Waits for more work. False if none came in time; the caller then completes executed work. The
 * wait is longer while the program's thread is ready but has no CPU: the thread will probably
 * continue its frame, and waiting costs less than completing half of a frame. */
static bool await_work(struct gpu *g) {
    if (!g->executed) {
        pthread_cond_wait(&g->work, &g->lock);
        return true;
    }
    if (wait_for_more(g, others_may_wait(g) ? LINGER_SHARED_NS : LINGER_NS, true))
        return true;
    int64_t before = submitter_time(g);
    for (int i = 0; i < AGAIN_MOST && submitter_ready(g) && !others_may_wait(g); i++) {
        if (wait_for_more(g, (long)AGAIN_NS << i, false))
            return true;
        const int64_t now = submitter_time(g);
        if (now < 0 || now - before > AGAIN_NS / 2) /* the thread runs but does not submit */
            return false;
        before = now;
    }
    return false;
}

static bool wait_for_work(struct gpu *g) {
    const uint64_t began = timeline_begin();
    const bool none = !g->executed, more = await_work(g);
    if (none)
        timeline_end(TIMELINE_SLEEP, began, 0, 0, "no submission");
    else
        timeline_end(TIMELINE_WAIT, began, 0, 0, "another submission");
    return more;
}

/* Waits for the turns of a submission. Before a wait, executed work is completed, because the other
 * processes may be waiting for it. */
static void await_turns(struct gpu *g, const struct submission *s) {
    for (uint32_t i = 0; i < s->bo_count && s->takes_turns; i++) {
        struct turns *turns = s->turn[i].taken ? s->bo[i]->turns : NULL;
        if (!turns || turns_is_done(turns, s->turn[i].before))
            continue;
        complete_submission(g);
        pthread_mutex_unlock(&g->lock);
        const uint64_t began = timeline_begin();
        turns_wait(turns, s->turn[i].before);
        timeline_end(TIMELINE_WAIT, began, 0, 0, "another process's work");
        pthread_mutex_lock(&g->lock);
    }
}

/* Removes the first entry from the queue, and the entries behind it that can be executed together
 * with it: they use no turns and follow no work of another channel. Returns the entries as a list.
 * *count is their number of submissions, added ones included. */
static struct submission *take_submissions(struct gpu *g, uint32_t *count) {
    struct submission *first = g->queue_first, *last = first;
    *count = first->count;
    while (*count < TAKEN_AT_ONCE && last->next && !last->takes_turns && !last->next->takes_turns &&
           !last->next->follows) {
        last = last->next;
        *count += last->count;
    }
    g->queue_first = last->next;
    g->queue_last = last->next ? g->queue_last : NULL;
    last->next = NULL;
    return first;
}

/* True if both submissions are of one channel and use the same buffers. */
static bool are_alike(const struct submission *a, const struct submission *b) {
    return a->channel == b->channel && a->bo_count == b->bo_count &&
           !memcmp(a->bo, b->bo, b->bo_count * sizeof *b->bo);
}

/* Adds a submission to those whose results are outstanding. If the newest of them is alike, the
 * submission replaces it, and its later tickets stand for the earlier tickets. */
static void add_executed(struct gpu *g, struct submission *s) {
    struct submission *last = g->executed;
    const bool alike = last && are_alike(last, s);
    s->next = alike ? last->next : last; /* newest first */
    g->executed = s;
    g->shared_last = s->takes_turns ? s : g->shared_last;
    if (alike)
        submission_free(g, last);
}

/* True if this submission and the last executed one with shared buffers have no shared buffer in
 * common. Then the earlier submission has ended a frame, for which the display waits. */
static bool begins_frame(const struct gpu *g, const struct submission *s) {
    const struct submission *last = g->shared_last;
    if (!last || !s->takes_turns)
        return false;
    for (uint32_t i = 0; i < s->bo_count; i++)
        for (uint32_t j = 0; j < last->bo_count && s->turn[i].taken; j++)
            if (last->turn[j].taken && last->bo[j] == s->bo[i])
                return false;
    return true;
}

static void execute_list(struct gpu *g, struct submission *first) {
    const bool frame = begins_frame(g, first);
    if (frame || first->follows > g->completed)
        complete_submission(g);
    if (frame)
        timeline_end(TIMELINE_FRAME, timeline_begin(), first->sequence, 0, NULL);
    await_turns(g, first);
    const uint64_t began = timeline_begin();
    pthread_mutex_unlock(&g->lock);
    for (const struct submission *s = first; s; s = s->next)
        channel_execute_all(s->channel, s->push, s->push_count);
    timeline_end(TIMELINE_WORK, began, 0, 0, NULL);
    pthread_mutex_lock(&g->lock);
    for (struct submission *s = first, *next; s; s = next) {
        next = s->next;
        add_executed(g, s);
    }
}

static void *execute_queue(void *self) {
    struct gpu *g = self;
    uint32_t outstanding = 0;
    timeline_thread("GPU", -1);
    pthread_mutex_lock(&g->lock);
    for (;;) {
        const bool wanted =
            g->executed && g->wanted <= g->executed->sequence && g->wanted > g->completed;
        if (wanted || outstanding >= OUTSTANDING_LIMIT) {
            complete_submission(g);
            outstanding = 0;
        } else if (g->queue_first) {
            uint32_t count;
            struct submission *first = take_submissions(g, &count);
            if (g->queued >= QUEUE_RESUME && g->queued - count < QUEUE_RESUME)
                pthread_cond_broadcast(&g->done);
            g->queued -= count;
            execute_list(g, first);
            outstanding += count;
        } else if (!wait_for_work(g)) {
            complete_submission(g);
            outstanding = 0;
        }
    }
    return NULL;
}

int queue_start(struct gpu *g) {
    const char *synchronous = getenv("TESLAPIPE_SYNC");
    g->synchronous = synchronous && *synchronous == '1';
    return thread_start(&g->thread, execute_queue, g) == 0 ? 0 : -1;
}

/* Records what the CPU changed in a submission's buffers since the last comparison. With `to` NULL
 * nothing is recorded, and the changes count as the GPU's. */
static void record_memory(struct gpu *g, const struct submission *s, struct record *to) {
    for (uint32_t i = 0; i < s->bo_count; i++) {
        struct gem_bo *bo = s->bo[i];
        const uint8_t *now = memory_at(g->memory, bo->address, bo->size);
        if (bo->recorded && to)
            record_changes(to, bo->address, now, bo->recorded, bo->size);
        else if (bo->recorded)
            memcpy(bo->recorded, now, bo->size);
    }
}

static void wake_thread(struct gpu *g) {
    if (!g->lingers || g->queued >= WAKE_AT)
        pthread_cond_signal(&g->work);
}

/* Moves the ranges of a submission into the queue's last submission, if both are alike and the last
 * has room and still holds its turns. */
static bool absorb_submission(struct gpu *g, struct submission *s) {
    struct submission *last = g->queue_last;
    if (!last || s->follows || s->push_count > last->push_room - last->push_count ||
        last->shares != g->shares || !are_alike(last, s) || !holds_turns(g, last))
        return false;
    memcpy(last->push + last->push_count, s->push, s->push_count * sizeof *s->push);
    last->push_count += s->push_count;
    last->count += s->count;
    last->sequence = s->sequence;
    g->queued += s->count;
    submission_free(g, s);
    wake_thread(g);
    return true;
}

static void enqueue_submission(struct gpu *g, struct submission *s) {
    g->queued += s->count;
    s->next = NULL;
    *(g->queue_last ? &g->queue_last->next : &g->queue_first) = s;
    g->queue_last = s;
    wake_thread(g);
}

/* Waits for the condition `done`, without being a cancellation point: a cancelled thread would keep
 * the lock, and the kernel's ioctls are no cancellation points either. */
static void await_done(struct gpu *g) {
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_cond_wait(&g->done, &g->lock);
    pthread_setcancelstate(state, &state);
}

void queue_await_room(struct gpu *g) {
    for (uint32_t limit = QUEUE_LIMIT; g->queued >= limit; limit = QUEUE_RESUME)
        await_done(g);
}

/* Called before a submission is recorded. If the submission draws into another shared buffer than
 * the one drawn last, or into a buffer that the window system got in the meantime, a frame has
 * ended and is recorded. */
static void record_presented(struct gpu *g, const struct submission *s) {
    const struct gem_bo *drawn = NULL;
    for (uint32_t i = 0; s->takes_turns && i < s->bo_count; i++) {
        if (!s->turn[i].taken)
            continue;
        drawn = s->bo[i];
        if (drawn->address == g->drawn_address && g->drawn_size)
            break;
    }
    if (!drawn)
        return;
    const uint32_t handed = atomic_load(&drawn->turns->handed);
    if (drawn->address == g->drawn_address && g->drawn_size && handed == g->drawn_handed)
        return;
    if (g->drawn_size && !g->shows_frames)
        record_frame(g->record, s->channel, g->drawn_address, g->drawn_size);
    g->drawn_address = drawn->address;
    g->drawn_size = drawn->size;
    g->drawn_handed = handed;
}

void queue_record_frame(struct gpu *g, uint64_t address, uint64_t size) {
    if (!g->record || !g->submitted)
        return;
    queue_await_turn(g);
    g->shows_frames = true;
    record_frame(g->record, NULL, address, size);
}

/* Records a submission, executes it and waits. Then takes over the GPU's changes of memory, so that
 * changes found before the next submission are the CPU's. */
static void submit_recorded(struct gpu *g, struct submission *s) {
    g->held = true;
    record_presented(g, s);
    record_memory(g, s, g->record);
    for (uint32_t i = 0; i < s->push_count; i++)
        record_push(g->record, s->channel, s->push[i].address, s->push[i].length);
    record_finish(g->record, s->channel);
    struct submission *copy = submission_new(g, s->channel, 0, s->bo_count);
    for (uint32_t i = 0; copy && i < s->bo_count; i++) {
        copy->bo[i] = s->bo[i];
        copy->bo[i]->refs++;
    }
    const uint64_t sequence = s->sequence;
    enqueue_submission(g, s);
    queue_wait(g, sequence);
    if (copy) {
        record_memory(g, copy, NULL);
        submission_free(g, copy);
    }
    g->held = false;
    pthread_cond_broadcast(&g->done);
}

void queue_await_turn(struct gpu *g) {
    while (g->held)
        await_done(g);
}

/* Notes the submission as the last user of its buffers. Sets s->follows. */
static void note_use(const struct gpu *g, struct submission *s) {
    s->follows = 0;
    for (uint32_t i = 0; i < s->bo_count; i++) {
        struct gem_bo *bo = s->bo[i];
        if (bo->last_user != s->channel && bo->last_use > g->completed && bo->last_use > s->follows)
            s->follows = bo->last_use;
        bo->last_user = s->channel;
        bo->last_use = s->sequence;
    }
}

void queue_submit(struct gpu *g, struct submission *s) {
    s->sequence = ++g->submitted;
    s->shares = g->shares;
    pthread_getcpuclockid(pthread_self(), &g->submitter);
    note_use(g, s);
    const uint64_t sequence = s->sequence;
    if (!absorb_submission(g, s)) {
        take_turns(g, s);
        if (g->record) {
            submit_recorded(g, s);
            return;
        }
        enqueue_submission(g, s);
    }
    queue_await_room(g);
    if (g->synchronous)
        queue_wait(g, sequence);
}

/* The buffers keep their last_use: the added range completes together with the rest. */
uint64_t queue_extend(struct gpu *g, const struct channel *channel, uint64_t sequence,
                      struct push range) {
    struct submission *s = g->queue_last;
    if (!s || s->sequence != sequence || s->channel != channel || s->push_count == s->push_room ||
        s->shares != g->shares || !holds_turns(g, s))
        return 0; /* if g->shares has grown, a buffer of the submission may be shared by now */
    const uint64_t now = ++g->submitted;
    pthread_getcpuclockid(pthread_self(), &g->submitter);
    s->push[s->push_count++] = range;
    s->sequence = now;
    s->count++;
    g->queued++;
    wake_thread(g);
    return now;
}

static void want_sequence(struct gpu *g, uint64_t sequence) {
    if (sequence > g->wanted) {
        g->wanted = sequence;
        pthread_cond_signal(&g->work);
    }
}

void queue_wait(struct gpu *g, uint64_t sequence) {
    const uint64_t began = g->completed < sequence ? timeline_begin() : 0;
    want_sequence(g, sequence);
    while (g->completed < sequence)
        await_done(g);
    timeline_end(TIMELINE_WAIT, began, 0, 0, "results of a submission");
}

void queue_drain(struct gpu *g) {
    queue_await_turn(g);
    g->held = true;
    queue_wait(g, g->submitted);
    g->held = false;
    pthread_cond_broadcast(&g->done);
}

void queue_hurry(struct gpu *g) {
    want_sequence(g, g->submitted);
}

bool queue_yield(struct gpu *g) {
    const uint64_t sequence = g->submitted;
    const struct timespec until = in_nanoseconds(YIELD_NS);
    if (g->completed >= sequence)
        return false;
    want_sequence(g, sequence);
    while (g->completed < sequence)
        if (pthread_cond_timedwait(&g->done, &g->lock, &until) != 0)
            break;
    return true;
}
