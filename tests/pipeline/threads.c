/* For the thread sanitizer: two contexts on two threads of one device, each with its own workers.
 * They share programs and a vertex buffer while both create, draw, read and destroy, and programs
 * are compiled. The pictures must be those of one context with the interpreter. */
#include "tests/pipeline/fixture.h"

#include <pthread.h>

enum { SIZE = 150, FRAMES = 12, N = 3000 };

struct job {
    struct fixture *shared;
    uint32_t hash[FRAMES];
};

static uint32_t hash_of(const uint8_t *p, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

static tp_texture *make_target(struct fixture *f, enum tp_format format) {
    const struct tp_texture_info t = {
        .kind = TP_TEXTURE_2D, .format = format, .width = SIZE, .height = SIZE};
    tp_texture *texture = NULL;
    if (tp_texture_create(f->device, &t, &texture) != TP_OK)
        abort();
    return texture;
}

static void setup(struct fixture *f, tp_context *c) {
    const struct tp_depth_state depth = {.test = true, .write = true, .func = TP_LESS};
    tp_bind_program(c, TP_VERTEX, f->vp);
    tp_bind_program(c, TP_FRAGMENT, f->fp);
    tp_set_depth(c, &depth);
    tp_bind_vertices(c, 0, f->vertices, 0, 32, 0);
    tp_set_attribute(c, 0, 0, 0, 4, TP_FLOAT32);
    tp_set_attribute(c, 1, 0, 16, 4, TP_FLOAT32);
}

/* Draws frame i into its own targets, with some of the triangles. */
static uint32_t draw_frame(struct fixture *f, tp_context *c, uint32_t i) {
    uint8_t pixels[SIZE * SIZE * 4];
    tp_texture *color = make_target(f, TP_FORMAT_RGBA8), *zeta = make_target(f, TP_FORMAT_Z32F);
    tp_set_target(c, color, zeta);
    tp_clear(c, TP_CLEAR_COLOR | TP_CLEAR_DEPTH, NULL, 1, 0);
    for (uint32_t k = 0; k < 10; k++)
        if (tp_draw_arrays(c, TP_TRIANGLES, 30 * i + 3 * k, N / 2) != TP_OK)
            abort();
    tp_texture_destroy(zeta); /* still bound, so kept alive */
    if (tp_texture_read_rgba8(c, color, pixels) != TP_OK)
        abort();
    tp_texture_destroy(color);
    return hash_of(pixels, sizeof pixels);
}

static void *run(void *arg) {
    struct job *job = arg;
    tp_context *c;
    if (tp_context_create(job->shared->device, &c) != TP_OK)
        abort();
    setup(job->shared, c);
    for (uint32_t i = 0; i < FRAMES; i++)
        job->hash[i] = draw_frame(job->shared, c, i);
    tp_draw_arrays(c, (enum tp_primitive)99, 0, 3); /* each thread has its own last message */
    if (!strstr(tp_message(job->shared->device), "primitive 99"))
        abort();
    tp_context_destroy(c);
    return NULL;
}

static float v[N][8];

static void make_vertices(void) {
    uint64_t seed = 3;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 8; k++) {
            v[i][k] = random_float(&seed, k < 2 ? -1 : 0, 1);
        }
        v[i][3] = 1;
        for (int k = 0; k < 2 && i % 3; k++)
            v[i][k] = v[i - i % 3][k] + v[i][k] * .2f;
    }
}

static void run_alone(uint32_t hash[FRAMES]) {
    make_vertices();
    FIXTURE_ENGINE(f, 3, NULL, "interp", 16);
    fixture_vertices(&f, v, N);
    struct job alone = {.shared = &f};
    run(&alone);
    memcpy(hash, alone.hash, sizeof alone.hash);
    assert_true(hash[0] != hash[1]);
}

static void run_pair(const char *engine) {
    uint32_t alone[FRAMES];
    run_alone(alone);
    FIXTURE_ENGINE(f, 3, NULL, engine, 16);
    fixture_vertices(&f, v, N);
    struct job pair[2] = {{.shared = &f}, {.shared = &f}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run, &pair[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_memory_equal(pair[i].hash, alone, sizeof alone);
    }
    struct tp_statistics s;
    OK(&f, tp_get_statistics(f.context, &s));
    const bool native = strcmp(tp_device_engine(f.device), "native") == 0;
    assert_int_equal(s.programs_compiled, native ? 2 : 0);
}

/* Both contexts make native code of the same programs, if the build has it. */
TEST(test_two_contexts) {
    run_pair(NULL);
}

TEST(test_two_contexts_interpreted) {
    run_pair("interp");
}
