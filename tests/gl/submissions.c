/* Work submitted to the render node: refusals, order and waits, relocations, reused buffers,
 * commands that drivers leave out.
 * usage: submissions GL_RENDERER (NVxx, which names the chip) */
#define _GNU_SOURCE
#include "../../drm/unsent.c"
#include "node_client.h"

#include <fenv.h>
#include <signal.h>
#include <sys/wait.h>

static void submissions(void) {
    WORLD(w);
    struct submission *const s = &w.s;
    const uint32_t bytes = release(w.word, w.data.offset + 16, 0xcafe);
    s->push[0] = (struct drm_nouveau_gem_pushbuf_push){.bo_index = 0, .length = bytes};
    for (int i = 1; i < 4; i++) { /* words behind the last one of each push are not decoded */
        s->push[i] = (struct drm_nouveau_gem_pushbuf_push){.bo_index = 9999, .length = 8};
        s->reloc[i - 1].bo_index = s->reloc[i - 1].reloc_bo_index = 9999;
        s->bo[i].handle = i > 1 ? 0xffff : s->bo[i].handle;
    }
    gives("submit a push", submit(s, w.channel, 2, 1, 0), 0);
    int busy = 0;
    for (int i = 0; i < 200 && !busy; i++) { /* submitted work is not done immediately */
        submit(s, w.channel, 2, 1, 0);
        busy = wait_for(w.data.handle, NOUVEAU_GEM_CPU_PREP_NOWAIT);
    }
    equal("submitted work is under way for a while", (uint64_t)busy, EBUSY);
    verdict("a submission tells the memory that is left",
            s->p.vram_available > 1 << 28 && s->p.gart_available > 1 << 28);
    gives("wait until the work ends", wait_for(w.data.handle, 0), 0);
    equal("the work has written its word", w.result[4], 0xcafe);
    gives("no work is under way after the wait",
          wait_for(w.data.handle, NOUVEAU_GEM_CPU_PREP_NOWAIT), 0);
    gives("submit nothing", submit(s, w.channel, 0, 0, 0), 0);

    static const struct {
        const char *what;
        uint32_t channels, bos, pushes, relocs, index;
        uint64_t offset, length;
        int result;
    } wrong[] = {
        {"submit to a channel that does not exist", 1, 2, 1, 0, 0, 0, 8, ENODEV},
        {"submit too many pushes", 0, 2, NOUVEAU_GEM_MAX_PUSH + 1, 0, 0, 0, 8, EINVAL},
        {"submit too many buffers", 0, NOUVEAU_GEM_MAX_BUFFERS + 1, 1, 0, 0, 0, 8, EINVAL},
        {"submit too many relocations", 0, 2, 1, NOUVEAU_GEM_MAX_RELOCS + 1, 0, 0, 8, EINVAL},
        {"submit a push of a buffer that is not in the list", 0, 2, 1, 0, 2, 0, 8, EINVAL},
        {"submit a push behind the buffer's end", 0, 2, 1, 0, 0, PAGE + 4, 0, EINVAL},
        {"submit a push over the buffer's end", 0, 2, 1, 0, 0, PAGE - 16, 20, EINVAL},
        {"submit a push of 0 bytes at the buffer's end", 0, 2, 1, 0, 1, PAGE, 0, 0},
        {"submit a push up to the buffer's end", 0, 2, 1, 0, 1, PAGE - 16, 16, 0},
        {"submit a push with a length of more than 32 bits", 0, 2, 1, 0, 0, 0, UINT64_C(1) << 32,
         EINVAL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s->push[0] = (struct drm_nouveau_gem_pushbuf_push){
            .bo_index = wrong[i].index, .offset = wrong[i].offset, .length = wrong[i].length};
        gives(wrong[i].what,
              submit(s, w.channel + (int32_t)wrong[i].channels, wrong[i].bos, wrong[i].pushes,
                     wrong[i].relocs),
              wrong[i].result);
    }
    gives("submit relocations without buffers",
          ask(PUSHBUF, &(struct drm_nouveau_gem_pushbuf){.channel = (uint32_t)w.channel,
                                                         .nr_push = 1,
                                                         .push = (uintptr_t)s->push,
                                                         .nr_relocs = 1,
                                                         .relocs = (uintptr_t)s->reloc}),
          EINVAL);
    s->bo[1].handle = 0xffff;
    gives("submit a buffer that does not exist", push(&w, w.channel, 0, bytes), ENOENT);
    s->bo[1].handle = w.data.handle;

    /* many submissions run in order: the last one's value remains, and every one ran */
    for (uint32_t i = 1; i <= 3000; i++) {
        const uint32_t at = i % 64 * 40;
        if (i % 64 == 0)
            wait_for(w.push.handle, 0); /* the words of this buffer are rewritten */
        release(w.word + at / 4, w.data.offset + i % 256 * 16, i);
        if (push(&w, w.channel, at, bytes)) {
            verdict("each of 3000 submissions succeeds", false);
            break;
        }
    }
    wait_for(w.data.handle, 0);
    uint64_t late = 0;
    for (uint32_t i = 3000 - 255; i <= 3000; i++)
        late += w.result[i % 256 * 4] != i;
    equal("3000 submissions are executed in order", late, 0);
}

/* Submits words at `at` that write `value` to the buffer `to`, and waits for the buffer. Returns
 * true if the words were executed. */
static bool follow(struct world *w, const struct drm_nouveau_gem_info *to, uint32_t at,
                   uint32_t value) {
    volatile uint32_t *const word = map(to);
    const uint32_t bytes = release(w->word + at / 4, to->offset, value);
    w->s.bo[1].handle = to->handle;
    const bool done = !push(w, w->channel, at, bytes) && !wait_for(to->handle, 0) && *word == value;
    munmap((void *)word, PAGE);
    return done;
}

/* Submissions one behind the other in the buffer of words, as a driver makes them when it submits
 * each draw. Their buffers are waited for: buffers that the submission before did not have, and a
 * new buffer with the handle of a closed one. */
static void followers(void) {
    enum { BYTES = 20, ROUNDS = 50 };
    uint64_t others = 0, renewed = 0, same = 0;
    WORLD(w);
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        struct drm_nouveau_gem_info other, again;
        new_buffer(PAGE, 0, VRAM, 0, &other);
        release(w.word, w.data.offset, i);
        w.s.bo[1].handle = w.data.handle;
        push(&w, w.channel, 0, BYTES);
        others += follow(&w, &other, BYTES, i);
        release(w.word + 2 * BYTES / 4, other.offset, i);
        w.s.push[0].offset = 2 * BYTES;
        submit(&w.s, w.channel, 2, 1, 0);
        close_buffer(other.handle);
        new_buffer(PAGE, 0, VRAM, 0, &again);
        same += again.handle == other.handle;
        renewed += follow(&w, &again, 3 * BYTES, i);
        close_buffer(again.handle);
        wait_for(w.push.handle, 0);
    }
    uint64_t late = 0;
    for (uint32_t i = 1; i <= ROUNDS; i++) { /* the same buffers each time, waited for once */
        for (uint32_t k = 0; k < 32; k++) {
            release(w.word + k * BYTES / 4, w.data.offset + 16 * k, i);
            w.s.bo[1].handle = w.data.handle;
            push(&w, w.channel, k * BYTES, BYTES);
        }
        wait_for(w.data.handle, 0);
        for (uint32_t k = 0; k < 32; k++)
            late += w.result[4 * k] != i;
    }
    equal("a wait covers submissions behind others with the same buffers", late, 0);
    equal("a wait covers a submission behind another with other buffers", others, ROUNDS);
    equal("a wait covers a new buffer with a closed buffer's handle", renewed, ROUNDS);
    equal("a new buffer gets the closed buffer's handle", same, ROUNDS);
}

/* A submission that continues behind the last submission is checked like all others: the words must
 * lie in the buffer. */
static void behind_the_last(void) {
    static const struct {
        uint64_t offset, length;
        int result;
    } rows[] = {{PAGE - 16, 16, 0},
                {PAGE - 16, 20, EINVAL},
                {PAGE, 0, 0},
                {PAGE, 4, EINVAL},
                {PAGE - 16, UINT64_C(1) << 32, EINVAL},
                {8, PAGE - 8, 0},
                {8, PAGE - 4, EINVAL}};
    WORLD(w);
    memset(w.word, 0, PAGE); /* methods without words */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gives("submit before a push that continues", push(&w, w.channel, rows[i].offset - 8, 8), 0);
        gives("submit a push that continues the last one",
              push(&w, w.channel, rows[i].offset, rows[i].length), rows[i].result);
    }
    for (uint32_t i = 0; i < 40; i++) { /* at an offset in another buffer, beyond its end */
        push(&w, w.channel, 0, 8);
        w.s.push[0] = (struct drm_nouveau_gem_pushbuf_push){
            .bo_index = 1, .offset = w.push.offset + 8 - w.data.offset, .length = 8};
        gives("submit a push that continues the last one only by its address",
              submit(&w.s, w.channel, 2, 1, 0), EINVAL);
    }
    wait_for(w.push.handle, 0);
    uint32_t both = 0;
    for (uint32_t i = 1; i <= 40; i++) { /* with more pushes */
        release(w.word + 64, w.data.offset, i);
        push(&w, w.channel, 0, 8);
        w.s.push[0].offset = 8;
        w.s.push[1] = (struct drm_nouveau_gem_pushbuf_push){.offset = 256, .length = 20};
        submit(&w.s, w.channel, 2, 2, 0);
        wait_for(w.data.handle, 0);
        both += w.result[0] == i;
    }
    equal("two pushes of which one continues the last are executed", both, 40);
    for (uint32_t relocs = 0; relocs < 2; relocs++) /* with relocations */
        for (uint32_t i = 0; i < 40; i++) {
            w.word[100] = 0;
            w.s.bo[0].presumed.valid = w.s.bo[1].presumed.valid = 1;
            push(&w, w.channel, 0, 8);
            w.s.bo[0].presumed.valid = w.s.bo[1].presumed.valid = 0;
            w.s.push[0].offset = 8;
            w.s.reloc[0] = (struct drm_nouveau_gem_pushbuf_reloc){
                .reloc_bo_index = 0, .reloc_bo_offset = 400, .data = 0x77 + i};
            gives("submit a push that continues the last one, with relocations or none",
                  submit(&w.s, w.channel, 2, 1, relocs), 0);
            equal("the relocation of a push that continues is applied", w.word[100],
                  relocs ? 0x77 + i : 0);
        }
    wait_for(w.push.handle, 0);
}

/* A program that continues behind its channel's last submission stays in this channel, even if
 * other channels submitted in between. Each channel has its own semaphore address, which the test
 * sends. */
static void two_channels(void) {
    int32_t second;
    uint64_t right = 0;
    WORLD(w);
    new_channel(&second);
    for (uint32_t i = 1; i <= 50; i++) {
        const uint32_t first = release(w.word, w.data.offset, i),
                       again[] = {2 << 18 | 0x18, i + 1000, 2};
        memcpy(w.word + first / 4, again, sizeof again);
        release(w.word + 64, w.data.offset + 64, i);
        push(&w, w.channel, 0, first);
        push(&w, second, 256, 20);
        push(&w, w.channel, first, sizeof again);
        wait_for(w.data.handle, 0);
        right += w.result[0] == i + 1000 && w.result[16] == i;
    }
    equal("work that continues stays in its channel", right, 50);
    free_channel(second);
}

/* Writes a method with its values to subchannel 1. */
static uint32_t *put(uint32_t *at, uint32_t method, uint32_t count, const uint32_t *values) {
    *at++ = count << 18 | 1 << 13 | method;
    memcpy(at, values, count * sizeof *values);
    return at + count;
}
#define PUT(method, ...)                                                                           \
    at = put(at, method, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                     \
             (const uint32_t[]){__VA_ARGS__})

enum { OBJECT_3D = 0x31, OBJECT_COPY = 0x32, CLEARED = 16 * 4 * 4 };

/* Writes words that clear 16x4 pixels of four bytes at an address to one byte value. Returns their
 * number of bytes. */
static uint32_t clear_words(uint32_t *word, uint64_t to, uint32_t byte) {
    const float level = (float)byte / 255;
    uint32_t *at = word, bits;
    memcpy(&bits, &level, sizeof bits);
    PUT(0x0000, OBJECT_3D);
    PUT(0x0200, (uint32_t)(to >> 32), (uint32_t)to, 0xcf /* A8R8G8B8 */, 0, CLEARED / 4);
    PUT(0x121c, 1);                 /* RT_CONTROL: one target */
    PUT(0x1224, 1);                 /* RT_ARRAY_MODE: one layer */
    PUT(0x1240, 16, 4);             /* RT_HORIZ, RT_VERT */
    PUT(0x0ff4, 16 << 16, 4 << 16); /* SCREEN_SCISSOR */
    PUT(0x0d80, bits, bits, bits, bits);
    PUT(0x19d0, 0x3c); /* CLEAR_BUFFERS */
    return (uint32_t)((char *)at - (char *)word);
}

static uint32_t copy_words(uint32_t *word, uint64_t from, uint64_t to) {
    uint32_t *at = word;
    PUT(0x0000, OBJECT_COPY);
    PUT(0x0200, 1); /* LINEAR_IN */
    PUT(0x021c, 1); /* LINEAR_OUT */
    PUT(0x0238, (uint32_t)(from >> 32), (uint32_t)(to >> 32));
    PUT(0x030c, (uint32_t)from, (uint32_t)to, CLEARED, CLEARED, CLEARED, 1, 0x101, 0);
    return (uint32_t)((char *)at - (char *)word);
}

/* A channel's work on a buffer comes after another channel's work on it, even if the
 * other work is not complete: one channel draws pixels, another channel copies the pixels. */
static void drawn_by_another(uint32_t chipset) {
    const int32_t class = chipset == 0x50   ? 0x5097
                          : chipset < 0xa0  ? 0x8297
                          : chipset == 0xa0 ? 0x8397
                                            : 0x8597;
    int32_t second;
    uint64_t right = 0;
    WORLD(w);
    new_channel(&second);
    gives("make a 3D object", new_object(w.channel, OBJECT_3D, class), 0);
    gives("make a copy object", new_object(second, OBJECT_COPY, 0x5039), 0);
    for (uint32_t i = 1; i <= 50; i++) {
        const uint64_t to = w.data.offset + PAGE / 2;
        push(&w, w.channel, 0, clear_words(w.word, w.data.offset, i));
        push(&w, second, 1024, copy_words(w.word + 256, w.data.offset, to));
        wait_for(w.data.handle, 0);
        right += w.result[PAGE / 8] == i * 0x01010101;
    }
    equal("a copy comes after another channel's draw into the buffer", right, 50);
    free_channel(second);
}

/* Submitted work is done even if its channel, or an object that it uses, is freed directly
 * afterwards. */
static void closed_at_once(void) {
    enum { EACH = 24, BYTES = 32, ROUNDS = 40 };
    uint64_t of_channel = 0, of_object = 0;
    WORLD(w);
    for (uint32_t i = 1; i <= 2 * ROUNDS; i++) {
        const bool object = i > ROUNDS;
        int32_t channel;
        new_channel(&channel);
        new_object(channel, 0x77, 0x5039);
        for (uint32_t k = 0; k < EACH; k++) {
            release(w.word + k * BYTES / 4, w.data.offset + 16 * k, i);
            push(&w, channel, k * BYTES, 20);
        }
        if (object)
            ask(GPUOBJ_FREE, &(struct drm_nouveau_gpuobj_free){.channel = channel, .handle = 0x77});
        else
            free_channel(channel);
        for (uint32_t k = 0; k < EACH; k++)
            *(object ? &of_object : &of_channel) += w.result[4 * k] == i;
        if (object)
            free_channel(channel);
    }
    equal("work is done when its channel is freed at once", of_channel, ROUNDS * EACH);
    equal("work is done when its object is freed at once", of_object, ROUNDS * EACH);
}

/* Memory whose end is followed by an inaccessible page. */
static void *end_of_memory(size_t bytes) {
    const size_t room = (bytes + PAGE - 1) / PAGE * PAGE;
    uint8_t *const at =
        mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(at + room, PAGE, PROT_NONE);
    return at + room - bytes;
}

/* Nothing is read behind the lists of a submission, whatever their lengths. */
static void lists_at_the_end(void) {
    static const uint32_t rows[][3] = {
        {1, 1, 0},
        {2, 2, 1},
        {63, 1, 0},
        {64, 1, 0},
        {65, 1, 2},
        {64, 3, 64},
        {NOUVEAU_GEM_MAX_BUFFERS, NOUVEAU_GEM_MAX_PUSH, NOUVEAU_GEM_MAX_RELOCS}};
    WORLD(w);
    memset(w.word, 0, PAGE); /* methods without words */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_nouveau_gem_pushbuf_bo *const bo = end_of_memory(rows[i][0] * sizeof *bo);
        struct drm_nouveau_gem_pushbuf_push *const push = end_of_memory(rows[i][1] * sizeof *push);
        struct drm_nouveau_gem_pushbuf_reloc *const reloc =
            end_of_memory(rows[i][2] * sizeof *reloc);
        struct drm_nouveau_gem_pushbuf p = {.channel = (uint32_t)w.channel,
                                            .nr_buffers = rows[i][0],
                                            .buffers = (uintptr_t)bo,
                                            .nr_push = rows[i][1],
                                            .push = (uintptr_t)push,
                                            .nr_relocs = rows[i][2],
                                            .relocs = (uintptr_t)reloc};
        for (uint32_t k = 0; k < rows[i][0]; k++)
            bo[k].handle = w.push.handle;
        for (uint32_t k = 0; k < rows[i][2]; k++)
            reloc[k] = (struct drm_nouveau_gem_pushbuf_reloc){
                .reloc_bo_offset = 2048 + 4 * (k % 64), .data = k + 1, .bo_index = k % rows[i][0]};
        for (uint32_t k = 0; k < 3; k++) { /* one behind the other */
            for (uint32_t j = 0; j < rows[i][1]; j++)
                push[j] = (struct drm_nouveau_gem_pushbuf_push){
                    .bo_index = j % rows[i][0], .offset = 8 * k, .length = 8};
            gives("submit lists that end with the memory", ask(PUSHBUF, &p), 0);
        }
        if (rows[i][2])
            equal("the last relocation of the list is applied", w.word[512 + (rows[i][2] - 1) % 64],
                  rows[i][2]);
        wait_for(w.push.handle, 0);
        memset(w.word, 0, PAGE);
    }
}

static int32_t compute_class(uint32_t chipset) {
    return chipset >= 0xa3 && chipset != 0xaa && chipset != 0xac ? 0x85c0 : 0x50c0;
}

enum { SUB = 6 << 13, SETUP = 10, CONSTANT = 8 };

/* Writes methods that write a value to an address, as a constant of buffer 0. */
static void write_constant(uint32_t word[CONSTANT], uint64_t address, uint32_t value) {
    const uint32_t words[CONSTANT] = {3 << 18 | SUB | 0x2a4, /* CB_DEF: buffer 0, 256 bytes */
                                      (uint32_t)(address >> 32),
                                      (uint32_t)address,
                                      0x100,
                                      1 << 18 | SUB | 0x238, /* CB_ADDR */
                                      0,
                                      1 << 18 | SUB | 0x23c,
                                      value};
    memcpy(word, words, sizeof words);
}

/* Writes the binding of an object, and behind it methods that write a constant. */
static void write_setup(uint32_t word[SETUP], uint64_t address, uint32_t handle) {
    word[0] = 1 << 18 | SUB;
    word[1] = handle;
    write_constant(word + 2, address, 0xbeef);
}

/* A driver may write the set-up of its compute object behind its last submission and never submit
 * it (drm/unsent.c). The set-up is executed before the next submission: the binding of the object
 * to a subchannel and the following methods for it. Here the methods write a word as constant 0 of
 * a buffer. */
static void unsent(uint32_t chipset) {
    enum { HANDLE = 1, END = 64 };
    enum when { NEVER, BEFORE, BEHIND };
    const int32_t class = compute_class(chipset);
    const uint32_t binding[2] = {1 << 18 | SUB, HANDLE};
    static const struct {
        const char *what;
        enum when created; /* the object: before or behind the last submission */
        bool in_place;     /* the next submission begins in the place of the set-up */
        bool freed, done;
    } rows[] = {
        {"a set-up behind the last submission is executed", BEHIND, false, false, true},
        {"a set-up without an object is not executed", NEVER, false, false, false},
        {"a set-up in the place of the next submission is not executed", BEHIND, true, false,
         false},
        {"a set-up of a freed channel's object is not executed", BEHIND, false, true, false},
        {"a set-up of an object from before is not executed", BEFORE, false, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_nouveau_gem_info gone, below, hole, above, far;
        /* a lower handle than the handles before, memory on both sides */
        new_buffer(PAGE, 0, VRAM, 0, &below);
        new_buffer(2 * PAGE, 0, VRAM, 0, &hole);
        new_buffer(PAGE, 0, VRAM, 0, &above);
        close_buffer(hole.handle);
        new_buffer(PAGE, 1 << 20, VRAM, 0, &far);
        new_buffer(PAGE, 1 << 20, VRAM, 0, &gone);
        WORLD(w);
        verdict("the buffers lie as the test needs", below.offset < w.push.offset &&
                                                         w.push.offset < above.offset &&
                                                         above.handle < w.push.handle);
        close_buffer(gone.handle); /* a lower handle without a buffer */
        struct submission *const s = &w.s;
        uint32_t *to = w.word + END / 4;
        release(w.word, w.data.offset + 32, 1);
        s->push[0] = (struct drm_nouveau_gem_pushbuf_push){.offset = END - 20, .length = 20};
        memmove(w.word + (END - 20) / 4, w.word, 20);
        if (rows[i].created == BEFORE)
            gives("make an object before the last submission", new_object(w.channel, HANDLE, class),
                  0);
        gives("submit the last push before the set-up", submit(s, w.channel, 2, 1, 0), 0);
        if (rows[i].created == BEHIND)
            gives("make an object after the last submission", new_object(w.channel, HANDLE, class),
                  0);
        if (rows[i].freed) {
            free_channel(w.channel);
            new_channel(&w.channel);
        }
        memcpy(to, binding, sizeof binding);
        to += sizeof binding / sizeof *binding;
        write_constant(to, w.data.offset, 0xbeef + (uint32_t)i);
        release(w.word + 1024 / 4, w.data.offset + 32, 2);
        s->push[0] = (struct drm_nouveau_gem_pushbuf_push){.offset = 1024, .length = 20};
        if (rows[i].in_place) { /* only the semaphore, in the place of the set-up */
            release(w.word + END / 4, w.data.offset + 32, 2);
            s->push[0].offset = END;
        }
        gives("submit a push after the set-up", submit(s, w.channel, 2, 1, 0), 0);
        wait_for(w.data.handle, 0);
        equal("the push after the set-up is executed", w.result[8], 2);
        equal(rows[i].what, w.result[0], rows[i].done ? 0xbeef + i : 0);
        memset((void *)w.result, 0, PAGE);
        submit(s, w.channel, 2, 1, 0);
        wait_for(w.data.handle, 0);
        equal("the set-up is executed once", w.result[0], 0);
        close_buffer(below.handle);
        close_buffer(above.handle);
        close_buffer(far.handle);
    }
}

/* The number of words that count as a set-up. Headers are count << 18 | subchannel << 13 | method,
 * with bit 30 for methods that do not increment. */
static void unsent_words(void) {
    enum { HANDLE = 7, ONCE = 1 << 30, A = 3 << 13, B = 4 << 13 };
    static const struct {
        const char *what;
        uint32_t words[8], count, setup;
    } rows[] = {
        {"no word is a set-up of 0 words", {0}, 0, 0},
        {"half a binding is no set-up", {1 << 18 | A}, 1, 0},
        {"a binding is a set-up", {1 << 18 | A, HANDLE}, 2, 2},
        {"a binding on subchannel 0 is a set-up", {1 << 18, HANDLE}, 2, 2},
        {"a binding on subchannel 7 is a set-up", {1 << 18 | 7 << 13, HANDLE}, 2, 2},
        {"a binding that does not increment is a set-up", {ONCE | 1 << 18 | A, HANDLE}, 2, 2},
        {"a binding of another object is no set-up", {1 << 18 | A, HANDLE + 1}, 2, 0},
        {"a binding of 0 words is no set-up", {A, HANDLE}, 2, 0},
        {"a binding of 2 words is no set-up", {2 << 18 | A, HANDLE, HANDLE}, 3, 0},
        {"a binding of 1025 words is no set-up", {1025u << 18 | A, HANDLE}, 2, 0},
        {"method 4 is no set-up", {1 << 18 | A | 4, HANDLE}, 2, 0},
        {"method 0x1ffc is no set-up", {1 << 18 | A | 0x1ffc, HANDLE}, 2, 0},
        {"a jump is no set-up", {0x20000000 | 1 << 18 | A, HANDLE}, 2, 0},
        {"a long header is no set-up", {0x80000000 | 1 << 18 | A, HANDLE}, 2, 0},
        {"a call is no set-up", {1 << 18 | A | 2, HANDLE}, 2, 0},
        {"an old jump is no set-up", {1 << 18 | A | 1, HANDLE}, 2, 0},
        {"a return is no set-up", {0x20000 | 1 << 18 | A, HANDLE}, 2, 0},
        {"a binding with bit 16 is no set-up", {0x10000 | 1 << 18 | A, HANDLE}, 2, 0},
        {"a set-up ends before zeros", {1 << 18 | A, HANDLE, 0, 0}, 4, 2},
        {"a set-up includes a method", {1 << 18 | A, HANDLE, 1 << 18 | A | 0x100, 9}, 4, 4},
        {"a set-up includes a method of three words",
         {1 << 18 | A, HANDLE, 3 << 18 | A | 0x1ffc, 9, 0, 9},
         6,
         6},
        {"a set-up includes several methods",
         {1 << 18 | A, HANDLE, 1 << 18 | A | 4, 0, ONCE | 2 << 18 | A | 8, 1, 2},
         7,
         7},
        {"a set-up ends before a method that lacks a word",
         {1 << 18 | A, HANDLE, 3 << 18 | A | 0x100, 9, 9},
         5,
         2},
        {"a set-up ends before a method that lacks its only word",
         {1 << 18 | A, HANDLE, 1 << 18 | A | 0x100},
         3,
         2},
        {"a set-up ends before another subchannel's method",
         {1 << 18 | A, HANDLE, 1 << 18 | B | 0x100, 9},
         4,
         2},
        {"a set-up ends before another subchannel's method, whatever follows",
         {1 << 18 | A, HANDLE, 1 << 18 | B | 0x100, 9, 1 << 18 | A | 0x100, 9},
         6,
         2},
        {"a set-up ends before a method of 2047 words that lacks words",
         {1 << 18 | A, HANDLE, 0x7ffu << 18 | A, 9},
         4,
         2},
        {"a set-up includes another binding", {1 << 18 | A, HANDLE, 1 << 18 | A, HANDLE}, 4, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t *const words = end_of_memory(rows[i].count * sizeof *words);
        memcpy(words, rows[i].words, rows[i].count * sizeof *words);
        equal(rows[i].what, unsent_setup(words, rows[i].count, HANDLE), rows[i].setup);
    }
    static uint32_t many[2050]; /* the longest method */
    many[0] = 0x7ffu << 18 | A;
    equal("the longest method alone is no set-up", unsent_setup(many, 2048, 0), 0);
    memmove(many + 2, many, 4);
    many[0] = 1 << 18 | A;
    many[1] = HANDLE;
    equal("a set-up ends before the longest method that lacks a word",
          unsent_setup(many, 2049, HANDLE), 2);
    equal("a set-up includes the longest method", unsent_setup(many, 2050, HANDLE), 2050);
}

/* An object may be made between two submissions, the second of which continues behind the first.
 * Words behind the second submission are not a set-up of this object. */
static void unsent_before(uint32_t chipset) {
    enum { HANDLE = 7 };
    const int32_t class = compute_class(chipset);
    WORLD(w);
    uint32_t setup[SETUP];
    write_setup(setup, w.data.offset, HANDLE);
    for (uint32_t at = 0; at <= 40; at += 20)
        release(w.word + at / 4, w.data.offset + 32, at + 1);
    memcpy(w.word + 40 / 4, setup, sizeof setup);
    release(w.word + 1024 / 4, w.data.offset + 32, 99);
    static const uint32_t places[] = {0, 20, 1024};
    for (int i = 0; i < 3; i++) {
        gives("submit one of three pushes", push(&w, w.channel, places[i], 20), 0);
        if (i == 0)
            gives("make an object between two pushes", new_object(w.channel, HANDLE, class), 0);
    }
    wait_for(w.data.handle, 0);
    equal("the last of three pushes is executed", w.result[8], 99);
    equal("words behind a push that continues are no set-up of an older object", w.result[0], 0);
}

/* A submission in another buffer does not continue the last submission, even if its offset
 * follows. */
static void other_buffers(void) {
    struct world a, b;
    uint64_t right = 0;
    open_world(&a);
    open_world(&b);
    for (uint32_t i = 1; i <= 50; i++) {
        release(a.word, a.data.offset, i);
        release(a.word + 5, a.data.offset + 16, 0xbad);
        release(b.word + 5, b.data.offset, i);
        push(&a, a.channel, 0, 20);
        push(&b, a.channel, 20, 20);
        wait_for(a.data.handle, 0);
        wait_for(b.data.handle, 0);
        right += a.result[0] == i && b.result[0] == i && !a.result[4];
    }
    equal("a push in another buffer at the next offset is executed", right, 50);
    close_world(&a);
    close_world(&b);
}

/* The search stops at the end of the buffer: a method with a word behind the end is ignored. */
static void unsent_at_the_end(uint32_t chipset) {
    enum { HANDLE = 0xc0de };
    const int32_t class = compute_class(chipset);
    for (uint32_t more = 0; more < 2; more++) { /* missing words of the last method */
        WORLD(w);
        uint32_t words[SETUP];
        write_setup(words, w.data.offset, HANDLE);
        words[8] += more << 18;
        const uint32_t end = PAGE - sizeof words;
        release(w.word + (end - 20) / 4, w.data.offset + 32, 1);
        gives("submit a push before the set-up", push(&w, w.channel, end - 20, 20), 0);
        gives("make an object for a set-up at the buffer's end",
              new_object(w.channel, HANDLE, class), 0);
        memcpy(w.word + end / 4, words, sizeof words);
        release(w.word + 1024 / 4, w.data.offset + 32, 2);
        gives("submit a push after the set-up", push(&w, w.channel, 1024, 20), 0);
        wait_for(w.data.handle, 0);
        equal("the push after the set-up is executed", w.result[8], 2);
        equal("a set-up is executed only if it ends in its buffer", w.result[0], more ? 0 : 0xbeef);
    }
}

/* A set-up that consists of a binding in the buffer's last two words. */
static void unsent_binding_at_the_end(uint32_t chipset) {
    enum { HANDLE = 0xc0de };
    const int32_t class = compute_class(chipset);
    WORLD(w);
    uint32_t binding[SETUP], *const use = binding + 2;
    const uint32_t bytes = sizeof binding - 8;
    write_setup(binding, w.data.offset, HANDLE);
    release(w.word + (PAGE - 28) / 4, w.data.offset + 32, 1);
    gives("submit a push before the binding", push(&w, w.channel, PAGE - 28, 20), 0);
    gives("make an object for a binding at the buffer's end", new_object(w.channel, HANDLE, class),
          0);
    memcpy(w.word + (PAGE - 8) / 4, binding, 8);
    memcpy(w.word + 1024 / 4, use, bytes);
    gives("submit methods that need the binding", push(&w, w.channel, 1024, bytes), 0);
    wait_for(w.data.handle, 0);
    equal("a binding in the buffer's last words is executed", w.result[0], 0xbeef);
}

/* A relocation writes an address into a buffer if the presumed address is not valid. */
static void relocations(void) {
    enum { LOW = NOUVEAU_GEM_RELOC_LOW, HIGH = NOUVEAU_GEM_RELOC_HIGH, OR = NOUVEAU_GEM_RELOC_OR };
    static const struct {
        const char *what;
        uint32_t target, flags, data, offset, presumed, at;
        int result;
    } rows[] = {
        {"relocation: the low half of an address", 1, LOW, 0x10, 8, 0, 0, 0},
        {"relocation: the high half of an address", 1, HIGH, 0x10, 8, 0, 0, 0},
        {"relocation: the high half of an address, with a carry", 1, HIGH, UINT32_MAX, 8, 0, 0, 0},
        {"relocation: neither half", 1, 0, 0x1234, 8, 0, 0, 0},
        {"relocation: with the bits for VRAM", 1, LOW | OR, 0, 8, 0, 0, 0},
        {"relocation: with the bits for GART", 0, LOW | OR, 0, 8, 0, 0, 0},
        {"relocation: of a buffer whose presumed address is valid", 1, LOW, 0x10, 8, 1, 0, 0},
        {"relocation: into the buffer's last word", 1, LOW, 0x10, PAGE - 4, 0, 0, 0},
        {"relocation: behind the buffer's end", 1, LOW, 0x10, PAGE, 0, 0, EINVAL},
        {"relocation: half behind the buffer's end", 1, LOW, 0x10, PAGE - 2, 0, 0, EINVAL},
        {"relocation: of a buffer that is not in the list", 2, LOW, 0x10, 8, 0, 0, EINVAL},
        {"relocation: into a buffer that is not in the list", 1, LOW, 0x10, 8, 0, 2, EINVAL},
    };
    WORLD(w);
    struct submission *const s = &w.s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(w.word, 0, PAGE);
        const uint64_t address = rows[i].target ? w.data.offset : w.push.offset;
        uint64_t want = rows[i].flags & LOW    ? address + rows[i].data
                        : rows[i].flags & HIGH ? (address + rows[i].data) >> 32
                                               : rows[i].data;
        if (rows[i].flags & OR)
            want |= rows[i].target ? 0x1 : 0x2;
        s->bo[0].presumed.valid = s->bo[1].presumed.valid = rows[i].presumed;
        s->push[0] = (struct drm_nouveau_gem_pushbuf_push){.offset = 2048, .length = 0};
        s->reloc[0] = (struct drm_nouveau_gem_pushbuf_reloc){.reloc_bo_index = rows[i].at,
                                                             .reloc_bo_offset = rows[i].offset,
                                                             .bo_index = rows[i].target,
                                                             .flags = rows[i].flags,
                                                             .data = rows[i].data,
                                                             .vor = 0x1,
                                                             .tor = 0x2};
        gives(rows[i].what, submit(s, w.channel, 2, 1, 1), rows[i].result);
        wait_for(w.push.handle, 0);
        if (!rows[i].result)
            equal("a relocation writes its word", w.word[rows[i].offset / 4],
                  rows[i].presumed ? 0 : (uint32_t)want);
    }
    /* bit per buffer: its presumed address is valid */
    for (uint32_t valid = 0; valid < 4; valid++)
        for (uint32_t target = 0; target < 2; target++) {
            w.word[2] = 0;
            s->bo[0].presumed.valid = valid & 1;
            s->bo[1].presumed.valid = valid >> 1;
            s->reloc[0] = (struct drm_nouveau_gem_pushbuf_reloc){
                .reloc_bo_offset = 8, .bo_index = target, .data = 0x1234};
            gives("submit a relocation", submit(s, w.channel, 2, 1, 1), 0);
            wait_for(w.push.handle, 0);
            equal("a relocation writes its word unless the presumed address is valid", w.word[2],
                  valid >> target & 1 ? 0 : 0x1234);
        }
}

/* With TESLAPIPE_SYNC=1, submitted work is done on return, also if it continues a similar
 * submission. Tested in child processes, because the variable is read once. */
static void synchronous(void) {
    static const struct {
        const char *value;
        bool waits;
    } rows[] = {{"1", true}, {"10", true}, {NULL, false}, {"", false}, {"0", false}, {"01", false}};
    const int first = node;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fflush(stdout);
        const pid_t pid = fork();
        if (pid == 0) {
            uint32_t busy = 0;
            if (rows[i].value)
                setenv("TESLAPIPE_SYNC", rows[i].value, 1);
            node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
            WORLD(w);
            for (uint32_t k = 0; k < 400; k++) {
                const uint32_t at = k % 8 * 20;
                const uint32_t bytes = release(w.word + at / 4, w.data.offset, k);
                busy += push(&w, w.channel, at, bytes) != 0;
                busy += wait_for(w.data.handle, NOUVEAU_GEM_CPU_PREP_NOWAIT) != 0;
                if (k % 8 == 7)
                    wait_for(w.push.handle, 0);
            }
            _exit(rows[i].waits ? busy != 0 : busy == 0);
        }
        char what[80];
        snprintf(what, sizeof what, "TESLAPIPE_SYNC=%s: work %s on return",
                 rows[i].value ? rows[i].value : "(unset)",
                 rows[i].waits ? "is done" : "may be under way");
        child_ends(what, pid);
    }
    node = first;
}

/* An unknown method causes a warning. */
static void illegal_method(void) {
    WORLD(w);
    const uint32_t words[] = {1 << 18, 7, 1 << 18 | 0x1ffc, 0};
    memcpy(w.word, words, sizeof words);
    new_object(w.channel, 7, 0x502d);
    gives("submit a method that does not exist", push(&w, w.channel, 0, sizeof words), 0);
    gives("work with a method that does not exist ends", wait_for(w.data.handle, 0), 0);
}

/* Other threads submit to a channel while objects of the channel are made and deleted, and while
 * the channel is freed. The submissions copy beyond the ends of their buffers, and their object may
 * be gone, so messages are dropped. */
static atomic_int submitted_by_thread;

static void *submit_until_refused(void *world) {
    const struct world *w = world;
    struct submission s = w->s;
    s.push[0] = (struct drm_nouveau_gem_pushbuf_push){.length = 256};
    while (submit(&s, w->channel, 2, 1, 0) == 0)
        submitted_by_thread++;
    return NULL;
}

static void freed_meanwhile(void) {
    enum { ROUNDS = 10, LINES = 2000, THREADS = 2 };
    int refused = 0;
    const int messages = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread[THREADS];
        struct world w;
        open_world(&w);
        new_object(w.channel, OBJECT_COPY, 0x5039);
        memset(w.word, 0, 256); /* methods without words */
        copy_words(w.word, w.data.offset, w.data.offset + 1024);
        w.word[copy_words(w.word, w.data.offset, w.data.offset + 1024) / 4 - 3] = LINES;
        submitted_by_thread = 0;
        for (int k = 0; k < THREADS; k++)
            if (pthread_create(&thread[k], NULL, submit_until_refused, &w))
                abort();
        while (submitted_by_thread < 10)
            usleep(100);
        struct drm_nouveau_gpuobj_free f = {.channel = w.channel, .handle = OBJECT_COPY};
        refused += new_object(w.channel, 5, 0x502d) != 0;
        refused += ask(GPUOBJ_FREE, &f) != 0;
        refused += free_channel(w.channel) != 0;
        for (int k = 0; k < THREADS; k++)
            pthread_join(thread[k], NULL);
        munmap(w.word, PAGE);
        munmap((void *)w.result, PAGE);
        close_buffer(w.push.handle);
        close_buffer(w.data.handle);
    }
    dup2(messages, STDERR_FILENO);
    close(messages);
    close(nowhere);
    equal("a channel is freed while threads submit to it", (uint64_t)refused, 0);
}

/* A program may block a signal in its own threads and wait for it, also after its first
 * submission. */
static void signals(void) {
    const struct timespec second = {.tv_sec = 1};
    sigset_t set, before;
    WORLD(w);
    w.word[0] = 0;
    push(&w, w.channel, 0, 4);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    equal("the program gets a signal that it waits for",
          kill(getpid(), SIGUSR1) == 0 ? (uint64_t)sigtimedwait(&set, NULL, &second) : 0, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A child of vfork() has its parent's memory. What the child does with descriptors changes none of
 * the parent's: here as Python's subprocess does, and with each call. */
static void child_of_vfork(void) {
    WORLD(w);
    w.word[0] = 0;
    const int plain = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int way = 0; way < 4; way++) {
        const pid_t child = vfork();
        if (child == 0) {
            if (way == 0)
                close_range(3, ~0u, 0);
            else if (way == 1)
                closefrom(3);
            else if (way == 2)
                close(node);
            else
                dup2(plain, node);
            _exit(0);
        }
        child_ends("a child of vfork() ends", child);
        gives("a channel works after a child of vfork() closed its node", push(&w, w.channel, 0, 4),
              0);
    }
    close(plain);
}

/* Closes all descriptors above standard error but the node, in several ways; or puts other files in
 * the place of low numbers. */
static void close_others(int way) {
    for (int fd = 3; way == 3 && fd < 64; fd++)
        if (fd != node)
            dup2(STDERR_FILENO, fd);
    if (way == 0) {
        close_range(3, (unsigned)node - 1, 0);
        close_range((unsigned)node + 1, ~0u, 0);
    }
    for (int fd = 3; way > 0 && way < 3 && fd < (way == 1 ? 1024 : node); fd++)
        if (fd != node)
            close(fd);
    if (way == 2)
        closefrom(node + 1);
}

/* A program may close all descriptors that it does not know and then draw on. Other files then get
 * the numbers. */
static void closes_descriptors(void) {
    for (int way = 0; way < 4; way++) {
        WORLD(w);
        struct drm_nouveau_gem_info later;
        struct drm_prime_handle p = {.handle = w.data.handle, .fd = -1}, again = p;
        gives("export a buffer", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
        close_others(way);
        int plain[64];
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
            plain[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
        new_buffer(PAGE, 0, VRAM, 0, &later);
        verdict("words of a buffer are written after the program closed all descriptors",
                follow(&w, &later, 0, 0x5151));
        gives("export a buffer again after the program closed all descriptors",
              ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &again), 0);
        w.result[0] = 0x77;
        uint32_t *const bytes = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, again.fd, 0);
        verdict("an exported buffer has its bytes after the program closed all descriptors",
                bytes != MAP_FAILED && bytes[0] == 0x77);
        if (bytes != MAP_FAILED)
            munmap(bytes, PAGE);
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
            close(plain[i]);
        close(again.fd);
        close_buffer(later.handle);
    }
    close_others(0); /* the files of the last way */
}

static void *wait_and_end(void *world) {
    wait_for(((struct world *)world)->data.handle, 0);
    pthread_testcancel();
    return NULL;
}

/* A thread is cancelled while it waits for a submission. */
static void cancelled(void) {
    pthread_t thread;
    void *result = NULL;
    WORLD(w);
    const uint32_t acquire[] = {4 << 18 | 0x10, (uint32_t)(w.data.offset >> 32),
                                (uint32_t)w.data.offset, 7, 1};
    memcpy(w.word, acquire, sizeof acquire);
    push(&w, w.channel, 0, sizeof acquire);
    if (pthread_create(&thread, NULL, wait_and_end, &w))
        abort();
    usleep(20000);
    pthread_cancel(thread);
    usleep(20000);
    w.result[0] = 7;
    pthread_join(thread, &result);
    verdict("a thread is cancelled behind its wait", result == PTHREAD_CANCELED);
    alarm(20);
    gives("the node answers after a waiting thread was cancelled", wait_for(w.data.handle, 0), 0);
    alarm(0);
}

int main(int argc, char **argv) {
    void *const own = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int unmapped = munmap(own, PAGE); /* before there is a GPU */
    feenableexcept(FE_INEXACT);             /* the mode of this thread, not of the GPU's */
    const uint32_t chipset = open_node(argc, argv);
    fedisableexcept(FE_INEXACT);
    if (!chipset)
        return 2;
    equal("munmap works before there is a GPU", (uint64_t)unmapped, 0);
    submissions();
    followers();
    behind_the_last();
    two_channels();
    drawn_by_another(chipset);
    closed_at_once();
    freed_meanwhile();
    lists_at_the_end();
    unsent(chipset);
    unsent_words();
    unsent_before(chipset);
    other_buffers();
    unsent_at_the_end(chipset);
    unsent_binding_at_the_end(chipset);
    relocations();
    synchronous();
    illegal_method();
    signals();
    cancelled();
    child_of_vfork();
    closes_descriptors();
    close(node);
    return summary();
}
