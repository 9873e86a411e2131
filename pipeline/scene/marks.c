/* Marks: places in the queue at which samples are counted. The draws between two marks are a mark
 * interval; the thread that draws a tile adds passed samples to its own sum for the interval. In:
 * marks, on the calling thread; counts of tile runs, each of one interval. Out: the samples before
 * each mark, once nothing is queued. Must not know queries.
 */
#include "pipeline/scene/queue.h"

#include <stdlib.h>
#include <string.h>

uint64_t scene_mark(struct scene *s) {
    struct marks *m = &s->marks;
    m->interval += m->used;
    m->used = false;
    return m->interval;
}

void marks_count(struct scene *s, int worker, uint64_t interval, uint64_t samples) {
    struct scene_worker *w = &s->worker[worker];
    const size_t i = interval - s->marks.first, had = w->passed_capacity;
    if (!array_grow((void **)&w->passed, &w->passed_capacity, i + 1, sizeof *w->passed)) {
        scene_note_oom(s);
        return;
    }
    memset(w->passed + had, 0, (w->passed_capacity - had) * sizeof *w->passed);
    w->passed[i] += samples;
}

void marks_settle(struct scene *s) {
    struct marks *m = &s->marks;
    const size_t n = m->interval - m->first + 1;
    const bool room =
        array_grow((void **)&m->before, &m->capacity, m->count + n, sizeof *m->before);
    if (!room)
        scene_note_oom(s);
    for (size_t i = 0; i < n; i++) {
        if (room)
            m->before[m->count++] = m->total;
        for (int k = 0; k < s->threads; k++) {
            struct scene_worker *w = &s->worker[k];
            if (i < w->passed_capacity) {
                m->total += w->passed[i];
                w->passed[i] = 0;
            }
        }
    }
    m->first = ++m->interval;
    m->used = false;
}

uint64_t scene_samples(const struct scene *s, uint64_t mark) {
    const struct marks *m = &s->marks;
    const uint64_t i = mark - m->oldest;
    return i < m->count ? m->before[i] : m->total;
}

void scene_forget_marks(struct scene *s) {
    s->marks.oldest = s->marks.first;
    s->marks.count = 0;
}
