/* Marks: places in the queue, and how many samples had passed before each. What is queued between two marks is an
 * interval; a tile's thread adds what passes there to its own sums, one for each interval. In: marks, on the calling
 * thread; counts of stretches that belong to one interval. Out: a number for each mark when nothing is queued any
 * more. Must not know who asks.
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
