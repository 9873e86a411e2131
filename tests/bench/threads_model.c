/* The model of N threads (bench/threads_model.c): each rule of the schedule, with the times that
 * follow from it. */
#include "bench/threads_model.h"
#include "tests/test.h"

enum { MOST = 8 };

static const struct row {
    const char *rule;
    struct model_work work;
    struct {
        int threads;
        double span, busy, idle[MODEL_CAUSES];
    } takes;
} rows[] = {
#define LIST(...)                                                                                  \
    (const double[]) {                                                                             \
        __VA_ARGS__                                                                                \
    }
#define PASSES(...)                                                                                \
    (const struct model_pass[]) {                                                                  \
        __VA_ARGS__                                                                                \
    }
    {"no work", {.caller = 3}, {4, 3, 3, {9, 0, 0, 0}}},
    {"one thread does all and never waits",
     {4, LIST(1, 4), LIST(10, 20), LIST(1, 2), 2, PASSES({2, 0, 3}), 1, LIST(5, 6, 7)},
     {1, 55, 55, {0}}},
    {"a task begins when it is submitted",
     {10, LIST(2, 10), LIST(5, 5), LIST(0, 0), 2, NULL, 0, NULL},
     {2, 15, 20, {5, 5, 0, 0}}},
    {"tasks are merged in their order, by one thread at a time",
     {0, LIST(0, 0, 0), LIST(4, 2, 1), LIST(3, 3, 3), 3, NULL, 0, NULL},
     {3, 13, 16, {0, 5, 18, 0}}},
    {"the caller helps when it has made all draws",
     {2, LIST(2, 2), LIST(6, 6), LIST(0, 0), 2, NULL, 0, NULL},
     {2, 8, 14, {2, 0, 0, 0}}},
    {"tiles wait for their merges; the last one keeps the others waiting",
     {0, LIST(0), LIST(2), LIST(1), 1, PASSES({1, 0, 4}), 1, LIST(4, 3, 1, 1)},
     {3, 7, 12, {0, 4, 2, 3}}},
    {"a pass waits for the pass before, while tasks go on",
     {0, LIST(0, 0), LIST(2, 3), LIST(0, 1), 2, PASSES({1, 0, 1}, {2, 1, 1}), 2, LIST(6, 6)},
     {2, 15, 18, {0, 0, 1, 11}}},
    {"a pass without tiles is no wait",
     {0, LIST(0), LIST(2), LIST(1), 1, PASSES({1, 0, 0}, {1, 0, 1}), 2, LIST(4)},
     {1, 7, 7, {0}}},
#undef PASSES
#undef LIST
};

TEST(test_rules) {
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct row *r = &rows[i];
        struct model_time t = {0};
        double idle = 0;
        assert_true(model_add(&r->work, r->takes.threads, &t));
        for (int k = 0; k < MODEL_CAUSES; k++)
            idle += t.idle[k];
        if (t.span != r->takes.span || t.busy != r->takes.busy ||
            memcmp(t.idle, r->takes.idle, sizeof t.idle) != 0)
            fail_msg("%s: span %g, busy %g, idle %g %g %g %g", r->rule, t.span, t.busy, t.idle[0],
                     t.idle[1], t.idle[2], t.idle[3]);
        assert_true(idle == t.span * r->takes.threads - t.busy);
    }
}

/* Random work: more threads are never slower than one thread, and never faster than the longest
 * chain or than all work divided by the threads. */
TEST(test_bounds) {
    random_start(3);
    for (int run = 0; run < 500; run++) {
        double ready[MOST], task[MOST], merge[MOST], tile[MOST * MOST], all = 0, longest = 0;
        struct model_pass pass[2];
        const uint32_t tasks = 1 + random_below(MOST), half = tasks / 2;
        for (uint32_t i = 0; i < tasks; i++) {
            ready[i] = (i ? ready[i - 1] : 0) + random_below(10);
            all += task[i] = random_below(100);
            all += merge[i] = random_below(5);
            longest = task[i] > longest ? task[i] : longest;
        }
        pass[0] = (struct model_pass){half, 0, random_below(MOST)};
        pass[1] = (struct model_pass){tasks, pass[0].tiles, random_below(MOST)};
        for (uint32_t i = 0; i < pass[0].tiles + pass[1].tiles; i++) {
            all += tile[i] = random_below(50);
            longest = tile[i] > longest ? tile[i] : longest;
        }
        const double caller = ready[tasks - 1] + random_below(10);
        const struct model_work w = {caller, ready, task, merge, tasks, pass, 2, tile};
        all += caller;
        for (int threads = 1; threads <= 16; threads *= 2) {
            struct model_time t = {0};
            assert_true(model_add(&w, threads, &t));
            assert_true(t.busy == all && t.span <= all && t.span * threads >= all);
            assert_true(t.span >= longest && t.span >= caller);
            assert_true(threads > 1 || t.span == all);
            const double share = model_idle_share(&t, threads);
            assert_true(share >= 0 && share < 1);
        }
    }
}
