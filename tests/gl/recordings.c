/* The content of a recording (fifo/record.h) of a program's work, step by step: memory that is
 * allocated and freed, channels, objects, the CPU's writes since the last submission (but not the
 * GPU's), ranges. Each submission is in the file when it is done.
 * usage: recordings GL_RENDERER (NVxx) */
#define _GNU_SOURCE
#include "node_client.h"

#include <sys/wait.h>

enum { ALLOC = 1, FREE, DATA, CHANNEL, OBJECT, PUSH, FINISH, END };
struct chunk {
    uint16_t type, channel;
    uint32_t value;
    uint64_t address, size;
};

static FILE *recording;
static struct drm_nouveau_gem_info buffers[8]; /* submissions name addresses by these buffers */
static int buffer_count;

/* Writes an address as buffer and offset: "b+0x10" is 16 bytes behind the beginning of the second
 * buffer. */
static void name_place(char *out, size_t size, uint64_t address) {
    for (int i = 0; i < buffer_count; i++)
        if (address >= buffers[i].offset && address - buffers[i].offset < buffers[i].size) {
            snprintf(out, size, "%c+%llx", 'a' + i,
                     (unsigned long long)(address - buffers[i].offset));
            return;
        }
    snprintf(out, size, "?");
}

/* Compares the chunks that were written since the last call. */
static void expect(const char *what, const char *expected) {
    char got[2048] = "", place[32];
    struct chunk c;
    clearerr(recording);
    while (fread(&c, sizeof c, 1, recording) == 1) {
        const size_t n = strlen(got);
        name_place(place, sizeof place, c.address);
        if (c.type == DATA)
            fseek(recording, (long)c.size, SEEK_CUR);
        const char *sep = n ? "; " : "";
        switch (c.type) {
        case ALLOC:
            snprintf(got + n, sizeof got - n, "%salloc %s %llx", sep, place,
                     (unsigned long long)c.size);
            break;
        case FREE:
            snprintf(got + n, sizeof got - n, "%sfree %s", sep, place);
            break;
        case DATA:
            snprintf(got + n, sizeof got - n, "%sdata %s %llx", sep, place,
                     (unsigned long long)c.size);
            break;
        case CHANNEL:
            snprintf(got + n, sizeof got - n, "%schannel %d", sep, c.channel);
            break;
        case OBJECT:
            snprintf(got + n, sizeof got - n, "%sobject %x of %x in %d", sep, (unsigned)c.address,
                     c.value, c.channel);
            break;
        case PUSH:
            snprintf(got + n, sizeof got - n, "%spush %s %x in %d", sep, place, c.value, c.channel);
            break;
        default:
            snprintf(got + n, sizeof got - n, "%s%s %d", sep,
                     c.type != FINISH ? "?"
                     : c.value        ? "frame"
                                      : "finish",
                     c.channel);
        }
    }
    verdict(what, strcmp(got, expected) == 0);
    if (strcmp(got, expected) != 0)
        printf("    \"%s\", expected\n    \"%s\"\n", got, expected);
}

static struct world world;

static void know(const struct drm_nouveau_gem_info *info) {
    buffers[buffer_count++] = *info;
}

/* Makes the GPU write a word at the beginning of buffer `to`, by a pushbuffer at offset `at`, and
 * waits for the GPU. */
static void write_to(const struct drm_nouveau_gem_info *to, uint32_t at, uint32_t value) {
    world.s.bo[1].handle = to->handle;
    world.s.push[0] = (struct drm_nouveau_gem_pushbuf_push){
        .offset = at, .length = release(world.word + at / 4, to->offset, value)};
    gives("submit a word", submit(&world.s, world.channel, 2, 1, 0), 0);
    gives("a submission that is recorded is done on return",
          wait_for(to->handle, NOUVEAU_GEM_CPU_PREP_NOWAIT), 0);
}

static void step_by_step(uint32_t chipset) {
    uint32_t head[2] = {0};
    struct drm_nouveau_gem_info unseen, theirs = {0};
    open_world(&world);
    know(&world.push);
    know(&world.data);
    write_to(&world.data, 0, 1);
    equal("the GPU has written the word", world.result[0], 1);
    verdict("the recording begins with its head and the chip",
            fread(head, sizeof head, 1, recording) == 1 && memcmp(head, "TPR2", 4) == 0 &&
                head[1] == chipset);
    expect("the first submission: channel, memory and data",
           "channel 0; alloc a+0 1000; alloc b+0 1000; data a+0 100; push a+0 14 in 0; finish 0");
    write_to(&world.data, 0, 1);
    expect("the same submission again: no data", "push a+0 14 in 0; finish 0");
    write_to(&world.data, 0x400, 2);
    expect("words at another place: their data only",
           "data a+400 100; push a+400 14 in 0; finish 0");
    world.result[0x300 / 4] = 7;
    world.result[0xffc / 4] = 7;
    write_to(&world.data, 0x400, 2);
    expect("words that the CPU wrote: their data",
           "data b+300 100; data b+f00 100; push a+400 14 in 0; finish 0");
    world.result[0] = 9; /* the GPU's writes are known */
    world.result[0] = 2;
    write_to(&world.data, 0x400, 2);
    expect("words that have their old values again: no data", "push a+400 14 in 0; finish 0");
    gives("make an object", new_object(world.channel, 0x77, 0x502d), 0);
    gives("make an object with a handle that is taken", new_object(world.channel, 0x77, 0x502d),
          EINVAL);
    world.s.push[0] = (struct drm_nouveau_gem_pushbuf_push){.offset = 0, .length = 20};
    world.s.push[1] = (struct drm_nouveau_gem_pushbuf_push){.offset = 0x400, .length = 20};
    submit(&world.s, world.channel, 2, 2, 0);
    equal("the second of two pushes was executed last", world.result[0], 2);
    expect("a submission of two ranges: the object, two pushes",
           "object 77 of 502d in 0; push a+0 14 in 0; push a+400 14 in 0; finish 0");
    new_buffer(2 * PAGE, 0, VRAM, 0, &unseen);
    know(&unseen);
    write_to(&unseen, 0x800, 3);
    expect("a buffer without a mapping: its memory, no data",
           "alloc c+0 2000; data a+800 100; push a+800 14 in 0; finish 0");
    struct drm_prime_handle p = {.handle = unseen.handle, .fd = -1};
    gives("export the buffer", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    uint32_t *const file = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0);
    equal("the exported file has the GPU's word", file[0], 3);
    write_to(&unseen, 0x800, 3);
    expect("the GPU's word in an exported buffer: no data", "push a+800 14 in 0; finish 0");
    file[0x1010 / 4] = 5;
    write_to(&unseen, 0x800, 3);
    expect("a word that another process wrote: its data",
           "data c+1000 100; push a+800 14 in 0; finish 0");
    munmap(file, 2 * PAGE);
    close(p.fd);
    close_buffer(unseen.handle);
    const int foreign = memfd_create("teslapipe-bo 2 0 0", MFD_CLOEXEC);
    const uint32_t bytes = 0x1234;
    verdict("make a file like another process's buffer",
            ftruncate(foreign, 2 * PAGE) == 0 && pwrite(foreign, &bytes, 4, 0x200) == 4);
    struct drm_prime_handle q = {.fd = foreign};
    gives("import another process's buffer", ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q), 0);
    theirs.handle = q.handle;
    ask(GEM_INFO, &theirs);
    buffer_count = 2; /* may have the freed buffer's place */
    know(&theirs);
    write_to(&theirs, 0x800, 4);
    char text[256];
    const bool same = theirs.offset == unseen.offset;
    snprintf(
        text, sizeof text,
        "free %s; alloc c+0 1000; frame 0; data a+800 100; data c+200 100; push a+800 14 in 0; "
        "finish 0", /* the shared buffer was presented before */
        same ? "c+0" : "?");
    expect("another process's buffer: its memory and data", text);
    close_buffer(theirs.handle);
    int32_t other;
    new_channel(&other);
    gives("make an object in another channel", new_object(other, 0x78, 0x5039), 0);
    world.s.bo[1].handle = world.data.handle;
    world.s.push[0].offset = 0;
    submit(&world.s, other, 2, 1, 0);
    expect("a submission of another channel: channel and object",
           "free c+0; channel 1; object 78 of 5039 in 1; push a+0 14 in 1; finish 1");
    free_channel(other);
}

/* A channel gets the number of a closed one when all numbers were used. */
static void many_channels(void) {
    enum { NUMBERS = 1024, NEXT = 2 };
    struct chunk c = {0};
    int32_t number;
    uint64_t wrong = 0;
    for (int i = NEXT; i < NUMBERS + 2; i++) {
        wrong += new_channel(&number) != 0;
        free_channel(number);
    }
    write_to(&world.data, 0, 6);
    clearerr(recording);
    for (int i = NEXT; i < NUMBERS + 2; i++)
        wrong += fread(&c, sizeof c, 1, recording) != 1 || c.type != CHANNEL ||
                 c.channel != (i < NUMBERS ? i : 1);
    equal("channels have the numbers from 2 on, then 1, the number of a closed channel", wrong, 0);
    expect("the first channel after many others: its submission",
           "data a+0 100; push a+0 14 in 0; finish 0");
}

/* Submissions of several threads are recorded one after the other. */
static void *submit_many(void *unused) {
    struct submission s = world.s;
    (void)unused;
    for (int i = 0; i < 40; i++)
        submit(&s, world.channel, 2, 1, 0);
    return NULL;
}

static void threads(void) {
    pthread_t thread[3];
    struct chunk c;
    uint64_t finished = 0, wrong = 0, open_pushes = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, submit_many, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    clearerr(recording);
    while (fread(&c, sizeof c, 1, recording) == 1) {
        wrong += c.type != PUSH && c.type != FINISH;
        open_pushes = c.type == PUSH ? open_pushes + 1 : 0;
        wrong += open_pushes > 1;
        finished += c.type == FINISH;
    }
    equal("each of 120 submissions is recorded", finished, 120);
    equal("submissions of several threads are recorded one after the other", wrong, 0);
}

static int allocations_left =
    -1; /* calls of malloc that succeed before one fails; -1: none fails */

static bool malloc_fails(const char *name) {
    return strcmp(name, "malloc") == 0 && allocations_left >= 0 && allocations_left-- == 0;
}

/* A buffer is freed, also if the submission that it was recorded with had not enough memory. */
static void without_memory(void) {
    enum { CALLS = 4 };
    struct chunk c;
    struct drm_nouveau_gem_info info;
    uint64_t made = 0, freed = 0;
    heap_fails = malloc_fails;
    for (int i = 0; i < CALLS; i++) {
        new_buffer(PAGE, 0, VRAM, 0, &info);
        world.s.bo[2] = world.s.bo[1];
        world.s.bo[2].handle = info.handle;
        allocations_left = i;
        submit(&world.s, world.channel, 3, 1, 0);
        allocations_left = -1;
        close_buffer(info.handle);
    }
    write_to(&world.data, 0, 6);
    clearerr(recording);
    while (fread(&c, sizeof c, 1, recording) == 1) {
        made += c.type == ALLOC;
        freed += c.type == FREE;
        if (c.type == DATA)
            fseek(recording, (long)c.size, SEEK_CUR);
    }
    verdict("buffers of recorded submissions without memory are made", made >= CALLS / 2);
    equal("buffers of recorded submissions without memory are freed", freed, made);
}

/* A forked child has no GPU and no recording; its end does not end the parent's recording. */
static void child(void) {
    int status = -1;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0)
        exit(7);
    verdict("a child of a recorded program ends",
            waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    equal("a child of a recorded program keeps its exit code", (uint64_t)WEXITSTATUS(status), 7);
}

int main(int argc, char **argv) {
    char path[] = "/tmp/teslapipe-recording.XXXXXX";
    const int fd = mkstemp(path);
    setenv("TESLAPIPE_RECORD", path, 1);
    const uint32_t chipset = open_node(argc, argv);
    if (fd < 0 || !chipset)
        return 2;
    recording = fdopen(fd, "rb");
    setvbuf(recording, NULL, _IONBF, 0);
    unlink(path);
    step_by_step(chipset);
    many_channels();
    child();
    threads();
    without_memory();
    return summary();
}
