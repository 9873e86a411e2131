/* GLSL for the recording (`teslapipe gl --keep-source`). In: calls of libteslapipe-source.so, which
 * sees the program's calls of OpenGL. Out: chunks of the recording, in the order of submissions.
 * Must not know OpenGL.
 */
#include "drm/gpu.h"
#include "drm/preload.h"
#include "fifo/record.h"

/* Records the text of one stage of a program. With text NULL, records that later submissions draw
 * with this program. */
EXPORT void teslapipe_keep_source(uint64_t program, int stage, const char *text, size_t length);
EXPORT void teslapipe_keep_source(uint64_t program, int stage, const char *text, size_t length) {
    struct gpu *g = gpu_find();
    if (!g || stage < 0 || stage >= PROGRAM_TYPES)
        return;
    pthread_mutex_lock(&g->lock);
    queue_await_turn(g);
    if (g->record && text)
        record_source(g->record, program, (enum program_type)stage, text, length);
    else if (g->record)
        record_use(g->record, program);
    pthread_mutex_unlock(&g->lock);
}
