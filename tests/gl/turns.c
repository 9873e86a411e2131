/* Buffers shared by processes, and the waits between them: the page behind a buffer's bytes
 * (drm/turns.h), with this program in the role of the other process, too; the time limit of a wait
 * for a stuck process; yields.
 * usage: turns GL_RENDERER (NVxx) */
#define _GNU_SOURCE
#include "../../drm/turns.h"
#include "node_client.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

static struct turns *turns;

static uint64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Takes the next ticket for another process, which may be dead. */
static uint32_t take_as(pid_t process) {
    const uint32_t ticket = turns_ticket(turns->last) + 1;
    turns->last = (uint64_t)ticket << 32 | (uint32_t)process;
    return ticket;
}

static void end_as_other(uint32_t ticket) {
    turns->done = ticket;
    syscall(SYS_futex, &turns->done, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void *end_soon(void *ticket) {
    usleep(150000);
    end_as_other((uint32_t)(uintptr_t)ticket);
    return NULL;
}

/* Lets the GPU write a word of the shared buffer; the methods are at this place. */
static void write_from(struct world *w, uint32_t place, uint32_t value) {
    gives("submit a word for the shared buffer",
          push(w, w->channel, place, release(w->word + place / 4, w->data.offset, value)), 0);
}

static void write_word(struct world *w, uint32_t value) {
    write_from(w, 0, value);
}

static void open_shared(struct world *w, uint32_t chipset) {
    struct stat st;
    open_world(w);
    struct drm_prime_handle p = {.handle = w->data.handle, .fd = -1};
    gives("export the buffer", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    verdict("a shared buffer's file has a page for turns",
            fstat(p.fd, &st) == 0 && st.st_size == PAGE + TURNS_BYTES);
    turns = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, PAGE);
    close(p.fd);
    verdict("the page for turns is empty at first", !turns->last && !turns->done && !turns->draws);
    equal("the page for turns names the chip", turns->chipset, chipset);
}

static void tickets(struct world *w) {
    for (uint32_t i = 1; i <= 3; i++) {
        write_word(w, i);
        equal("a submission takes the next ticket for this process", turns->last,
              (uint64_t)i << 32 | (uint32_t)getpid());
        wait_for(w->data.handle, 0);
        equal("the ticket of work that was waited for is done", turns->done, i);
        equal("work that was waited for has written its word", w->result[0], i);
    }
    equal("work without draws counts no draw", turns->draws, 0);
    for (uint32_t i = 1, last = 3; i <= 12; i++) { /* tickets wrap around, some after large steps */
        last += i < 9 ? 0x60000000 : 1;
        last = i == 8 ? UINT32_MAX - 1 : last;
        turns->last = (uint64_t)last << 32 | (uint32_t)getpid();
        turns->done = last;
        const uint64_t start = now_ms();
        write_word(w, 10 + i);
        wait_for(w->data.handle, 0);
        verdict("the next ticket follows, also where numbers wrap around",
                turns_ticket(turns->last) == last + 1 && turns->done == last + 1 &&
                    now_ms() - start < 1000);
        last++;
    }
}

/* The shared buffer may be at any place in a submission's list of buffers. */
static void places(struct world *w) {
    const uint64_t start = now_ms();
    struct drm_nouveau_gem_info own;
    new_buffer(PAGE, 0, VRAM, 0, &own);
    for (uint32_t place = 0; place < 3; place++) {
        struct submission s = {0};
        uint32_t next = 0;
        for (uint32_t i = 0; i < 3; i++)
            s.bo[i] = (struct drm_nouveau_gem_pushbuf_bo){.handle = i == place ? w->data.handle
                                                                    : next++   ? own.handle
                                                                               : w->push.handle,
                                                          .valid_domains = VRAM | GART,
                                                          .presumed.valid = 1};
        s.push[0] = (struct drm_nouveau_gem_pushbuf_push){
            .bo_index = place == 0, .length = release(w->word, w->data.offset, 70 + place)};
        const uint32_t before = turns_ticket(turns->last);
        gives("submit with the shared buffer at a place in the list",
              submit(&s, w->channel, 3, 1, 0), 0);
        equal("a submission takes one ticket", turns_ticket(turns->last), before + 1);
        wait_for(w->data.handle, 0);
        verdict("the work is done, whatever the shared buffer's place",
                w->result[0] == 70 + place && turns->done == before + 1);
    }
    verdict("no wait runs into its time limit", now_ms() - start < 1500);
    close_buffer(own.handle);
}

/* The other process waits for our work before it ends its own; our next work waits for the other
 * process's work. */
static void *end_after_ours(void *ticket) {
    for (int i = 0; i < 20000 && (int32_t)(turns->done - ((uint32_t)(uintptr_t)ticket - 1)) < 0;
         i++)
        usleep(50);
    end_as_other((uint32_t)(uintptr_t)ticket);
    return NULL;
}

static void nobody_waits_in_a_ring(struct world *w) {
    const uint64_t start = now_ms();
    uint64_t right = 0;
    for (uint32_t i = 0; i < 20; i++) {
        pthread_t thread;
        write_word(w, 300 + i);
        const uint32_t ticket = take_as(getppid());
        write_word(w, 400 + i);
        pthread_create(&thread, NULL, end_after_ours, (void *)(uintptr_t)ticket);
        wait_for(w->data.handle, 0);
        right += w->result[0] == 400 + i;
        pthread_join(thread, NULL);
    }
    equal("work of two processes that wait for each other is done in turns", right, 20);
    verdict("no wait of two processes runs into its time limit", now_ms() - start < 1500);
}

/* Work of two processes that names many shared buffers in opposite orders. If one process took a
 * ticket before the other at one buffer and after the other at another, each would wait for the
 * other. */
enum { RING = 64, RING_ROUNDS = 3000 };

static void submit_ring(const struct world *w, const uint32_t *handle, bool reversed) {
    struct drm_nouveau_gem_pushbuf_bo bo[RING + 1] = {
        {.handle = w->push.handle, .valid_domains = GART, .presumed.valid = 1}};
    struct drm_nouveau_gem_pushbuf_push words = {.length = 8};
    struct drm_nouveau_gem_pushbuf p = {.channel = (uint32_t)w->channel,
                                        .nr_buffers = RING + 1,
                                        .buffers = (uintptr_t)bo,
                                        .nr_push = 1,
                                        .push = (uintptr_t)&words};
    uint32_t failures = 0;
    memset(w->word, 0, 8); /* a method without words */
    for (int i = 0; i < RING; i++)
        bo[1 + i] =
            (struct drm_nouveau_gem_pushbuf_bo){.handle = handle[reversed ? RING - 1 - i : i],
                                                .valid_domains = VRAM,
                                                .presumed.valid = 1};
    for (int i = 0; i < RING_ROUNDS; i++) {
        failures += ask(PUSHBUF, &p) != 0;
        if (i % 4 == 3)
            failures += wait_for(handle[0], 0) != 0;
    }
    equal("submit with many shared buffers", failures, 0);
}

static void opposite_orders(const struct world *w) {
    int fd[RING];
    uint32_t handle[RING];
    for (int i = 0; i < RING; i++) {
        struct drm_nouveau_gem_info info;
        new_buffer(PAGE, 0, VRAM, 0, &info);
        struct drm_prime_handle p = {.handle = handle[i] = info.handle, .fd = -1};
        ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
        fd[i] = p.fd;
    }
    atomic_bool *const ready =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t child = fork();
    if (!child) {
        struct world own;
        node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
        open_world(&own);
        for (int i = 0; i < RING; i++) {
            struct drm_prime_handle p = {.fd = fd[i]};
            ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);
            handle[i] = p.handle;
        }
        *ready = true;
        submit_ring(&own, handle, true);
        _exit(failed != 0);
    }
    for (int i = 0; i < 5000 && !*ready; i++)
        usleep(1000);
    const uint64_t start = now_ms();
    submit_ring(w, handle, false);
    child_ends("another process submits with the same buffers in the opposite order", child);
    verdict("no wait of processes that name many buffers runs into its time limit",
            now_ms() - start < 1900);
    munmap(ready, PAGE);
    for (int i = 0; i < RING; i++) {
        close(fd[i]);
        close_buffer(handle[i]);
    }
}

/* A process that waits for our work is woken when the work is complete. */
static void *await_change(void *woken) {
    const uint32_t done = turns->done;
    const struct timespec most = {3, 0};
    *(bool *)woken = syscall(SYS_futex, &turns->done, FUTEX_WAIT, done, &most, NULL, 0) == 0;
    return NULL;
}

static void wakes_others(struct world *w) {
    bool woken = false;
    pthread_t thread;
    pthread_create(&thread, NULL, await_change, &woken);
    usleep(50000);
    write_word(w, 20);
    wait_for(w->data.handle, 0);
    pthread_join(thread, NULL);
    verdict("the end of our work wakes a process that waits for it", woken);
}

static void *ask_something(void *took) {
    const uint64_t start = now_ms();
    usleep(50000);
    gives("another thread's request is answered while one waits", wait_for(0xffff, 0), ENOENT);
    *(uint64_t *)took = now_ms() - start;
    return NULL;
}

/* Our work waits while another process is at work. */
static void waits_for_others(struct world *w) {
    const pid_t living = getppid();
    pthread_t thread, asker;
    uint64_t start = now_ms(), took = 0;
    uint32_t ticket = take_as(living);
    gives("a buffer is busy while another process is at work",
          wait_for(w->data.handle, NOUVEAU_GEM_CPU_PREP_NOWAIT), EBUSY);
    pthread_create(&thread, NULL, end_soon, (void *)(uintptr_t)ticket);
    pthread_create(&asker, NULL, ask_something, &took);
    gives("wait for another process's work", wait_for(w->data.handle, 0), 0);
    verdict("the wait ends when the other process's work is done",
            now_ms() - start >= 140 && now_ms() - start < 1500);
    gives("a buffer is free after the other process's work",
          wait_for(w->data.handle, NOUVEAU_GEM_CPU_PREP_NOWAIT), 0);
    pthread_join(thread, NULL);
    pthread_join(asker, NULL);
    verdict("another thread's request is answered at once", took < 140);

    ticket = take_as(living); /* our next work comes after this ticket */
    write_word(w, 30);
    equal("our work takes the ticket behind the other process's", turns_ticket(turns->last),
          ticket + 1);
    usleep(100000);
    verdict("our work is not done before the other process's",
            w->result[0] != 30 && turns->done == ticket - 1);
    start = now_ms();
    gives("yield while another process is at work", sched_yield(), 0);
    verdict("a yield does not wait for the other process's work", now_ms() - start < 700);
    end_as_other(ticket);
    wait_for(w->data.handle, 0);
    verdict("our work is done after the other process's",
            w->result[0] == 30 && turns->done == ticket + 1);
    write_word(w, 31); /* the next work waits for no other process */
    start = now_ms();
    wait_for(w->data.handle, 0);
    verdict("the next work waits for no other process",
            w->result[0] == 31 && now_ms() - start < 1000);
}

/* The wait for another process's work comes directly after work of our own. */
static void behind_own_work(struct world *w) {
    struct drm_nouveau_gem_info own;
    struct submission s = w->s;
    new_buffer(PAGE, 0, VRAM, 0, &own);
    s.bo[1].handle = own.handle;
    memset(w->word + 128, 0, PAGE - 512); /* methods without words */
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t ticket = take_as(getppid());
        for (uint32_t k = 0; k < 40; k++) {
            s.push[0] =
                (struct drm_nouveau_gem_pushbuf_push){.offset = 512 + k % 3 * 16, .length = 8};
            submit(&s, w->channel, 2, 1, 0);
        }
        write_word(w, 600 + i);
        usleep(10000);
        verdict("work of a turn waits, although other work came before", w->result[0] != 600 + i);
        end_as_other(ticket);
        wait_for(w->data.handle, 0);
        equal("work is done when it is its turn", w->result[0], 600 + i);
    }
    close_buffer(own.handle);
}

/* Work that waits in the queue takes more work into its turn, unless another process has asked for
 * the buffer since, or the buffer was given to the window. */
static void one_turn(struct world *w) {
    const uint32_t other = take_as(getppid());
    write_word(w, 700);
    usleep(20000); /* the thread has taken the work and waits */
    write_from(w, 512, 701);
    write_from(w, 532, 702); /* directly behind the words of 701 */
    write_from(w, 256, 703);
    equal("work that waits takes more work into its turn", turns_ticket(turns->last), other + 2);
    turns->handed++;
    write_from(w, 768, 704);
    equal("work takes a new ticket after the window was given the buffer",
          turns_ticket(turns->last), other + 3);
    const uint32_t another = take_as(getppid());
    write_from(w, 1024, 705);
    equal("work takes a new ticket after another process's", turns_ticket(turns->last),
          another + 1);
    end_as_other(other);
    for (int i = 0; i < 3000 && turns->done != another - 1; i++)
        usleep(1000);
    verdict("work with earlier tickets is done before the other process's",
            turns->done == another - 1 && w->result[0] == 704);
    end_as_other(another);
    wait_for(w->data.handle, 0);
    verdict("work with a later ticket is done after the other process's",
            turns->done == another + 1 && w->result[0] == 705);
}

/* A wait ends when the other process is dead. It also ends after some seconds if the process
 * lives. */
static void gives_up(struct world *w) {
    uint64_t start = now_ms();
    const pid_t dead = fork();
    if (!dead)
        _exit(0);
    waitpid(dead, NULL, 0);
    uint32_t ticket = take_as(dead);
    gives("wait for the work of a process that ended", wait_for(w->data.handle, 0), 0);
    verdict("the wait for a process that ended is short", now_ms() - start < 1000);
    equal("the ticket of a process that ended counts as done", turns->done, ticket);
    ticket = take_as(getppid());
    start = now_ms();
    gives("wait for the work of a process that does not get on", wait_for(w->data.handle, 0), 0);
    const uint64_t took = now_ms() - start;
    verdict("the wait for a process that does not get on ends after two seconds",
            took >= 1500 && took < 8000);
    equal("the ticket of a process that does not get on counts as done", turns->done, ticket);
}

/* A yield completes queued work. Without queued work it succeeds, too. */
static void *yield_idle(void *result) {
    for (int i = 0; i < 20; i++)
        *(int *)result |= sched_yield();
    return NULL;
}

static void yields(struct world *w) {
    int results = 0, other = 0;
    pthread_t thread;
    for (uint32_t i = 0; i < 50; i++) {
        write_word(w, 100 + i);
        for (int k = 0; k < 1000 && w->result[0] != 100 + i; k++)
            results |= sched_yield();
        results |= w->result[0] != 100 + i;
        results |= sched_yield();
    }
    struct timespec t; /* also at the turn of a second, which summary() checks */
    do
        clock_gettime(CLOCK_REALTIME, &t);
    while (t.tv_nsec < 999000000);
    for (const time_t second = t.tv_sec; t.tv_sec == second; clock_gettime(CLOCK_REALTIME, &t)) {
        write_word(w, 99);
        results |= sched_yield();
    }
    equal("yields complete queued work", (uint64_t)results, 0);
    pthread_create(&thread, NULL, yield_idle, &other);
    pthread_join(thread, NULL);
    equal("a thread that has submitted nothing yields", (uint64_t)other, 0);
    const pid_t child = fork();
    if (!child)
        _exit(sched_yield() != 0);
    child_ends("a child yields", child);
}

/* Submissions with many buffers, most of them not shared, up to the largest number that a
 * submission may name, three times. */
static void many_buffers(struct world *w) {
    enum { MOST = NOUVEAU_GEM_MAX_BUFFERS };
    static struct drm_nouveau_gem_pushbuf_bo all[MOST];
    static const uint32_t counts[] = {2, 32, 63, 64, 65, 66, 500, MOST};
    uint32_t failures = 0;
    for (int i = 0; i < MOST; i++) {
        struct drm_nouveau_gem_info info = i ? w->data : w->push;
        if (i > 1)
            failures += new_buffer(PAGE, 0, GART, 0, &info) != 0;
        all[i] = (struct drm_nouveau_gem_pushbuf_bo){
            .handle = info.handle, .valid_domains = VRAM | GART, .presumed.valid = 1};
    }
    equal("make as many buffers as a submission may have", failures, 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t k = 0; k < 3; k++) { /* three submissions, one directly behind the other */
            struct drm_nouveau_gem_pushbuf_push push = {.offset = 20 * k};
            push.length = release(w->word + 5 * k, w->data.offset, 1000 + 10 * (uint32_t)i + k);
            struct drm_nouveau_gem_pushbuf p = {.channel = (uint32_t)w->channel,
                                                .nr_buffers = counts[i],
                                                .buffers = (uintptr_t)all,
                                                .nr_push = 1,
                                                .push = (uintptr_t)&push};
            gives("submit with many buffers", ask(PUSHBUF, &p), 0);
            gives("wait for the last buffer of a submission",
                  wait_for(all[counts[i] - 1].handle, 0), 0);
            equal("a submission with many buffers has written its word", w->result[0],
                  1000 + 10 * (uint32_t)i + k);
        }
    for (int i = 2; i < MOST; i++)
        close_buffer(all[i].handle);
}

/* A thread that submits faster than work is done must wait. No work is done here, because another
 * process has the shared buffer. */
struct submitter {
    struct world *world;
    int32_t channel;
    bool alike; /* each submission continues the last one and is added to it */
    atomic_uint done;
};

static void *submit_on(void *self) {
    struct submitter *s = self;
    struct submission work = s->world->s;
    struct drm_nouveau_gem_info own;
    new_buffer(PAGE, 0, VRAM, 0, &own);
    work.bo[1].handle = own.handle;
    for (uint32_t i = 0; i < 1500; i++) {
        work.push[0] = (struct drm_nouveau_gem_pushbuf_push){
            .offset = 512 + (s->alike ? i * 2 : i % 3 * 8), .length = s->alike ? 2 : 8};
        if (submit(&work, s->channel, 2, 1, 0))
            break;
        s->done++;
    }
    wait_for(own.handle, 0);
    close_buffer(own.handle);
    return NULL;
}

static void limit(struct world *w) {
    for (int alike = 0; alike < 2; alike++) {
        struct submitter s = {.world = w, .alike = alike};
        pthread_t thread;
        memset(w->word + 128, 0, PAGE - 512); /* methods without words */
        new_channel(&s.channel);
        const uint32_t ticket = take_as(getppid());
        write_word(w, 50);
        usleep(20000);
        pthread_create(&thread, NULL, submit_on, &s);
        uint32_t before;
        do { /* waits until the thread stops */
            before = s.done;
            usleep(100000);
        } while (before != s.done);
        verdict("1023 submissions wait, and the next one must wait", before == 1023);
        end_as_other(ticket);
        pthread_join(thread, NULL);
        equal("all submissions are made when the buffer is free", s.done, 1500);
        free_channel(s.channel);
    }
}

static uint64_t cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* A fence that is only polled arrives, whatever kind of work comes between the polls. Afterwards no
 * thread works on. */
static void polled(struct world *w) {
    for (uint32_t i = 0; i < 30; i++) {
        const uint64_t start = now_ms();
        write_word(w, 200 + i);
        while (now_ms() - start < 3000 && wait_for(w->data.handle, NOUVEAU_GEM_CPU_PREP_NOWAIT))
            if (i % 3 == 1)
                usleep(200);
            else if (i % 3 == 2)
                usleep(5000);
        verdict("a fence arrives that is only polled",
                now_ms() - start < 3000 && w->result[0] == 200 + i);
    }
    usleep(50000);
    const uint64_t before = cpu_ms();
    usleep(250000);
    verdict("no thread works while there is no work", cpu_ms() - before < 80);
}

int main(int argc, char **argv) {
    struct world w;
    const uint32_t chipset = open_node(argc, argv);
    if (!chipset)
        return 2;
    open_shared(&w, chipset);
    tickets(&w);
    places(&w);
    nobody_waits_in_a_ring(&w);
    opposite_orders(&w);
    wakes_others(&w);
    waits_for_others(&w);
    behind_own_work(&w);
    one_turn(&w);
    gives_up(&w);
    yields(&w);
    many_buffers(&w);
    limit(&w);
    polled(&w);
    close_world(&w);
    close(node);
    return summary();
}
