/* Recorded command streams: writer and player of one file format. drm/ writes while it serves a
 * driver; the tools replay. In: calls of channels and memory. Out: a file, or the same calls again.
 * The file: a magic number, the chipset, then chunks. A chunk is a header; behind the headers of
 * DATA and SOURCE are bytes. All numbers are little-endian.
 */
#include "fifo/record.h"

#include "base/timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* "TPR2". The older "TPR1" had no end chunk, so a truncated file could look complete. */
enum { MAGIC = 0x32525054, MAGIC_WITHOUT_END = 0x31525054, GRANULE = 256 };
enum chunk_type {
    CHUNK_ALLOC = 1,
    CHUNK_FREE,
    CHUNK_DATA,
    CHUNK_CHANNEL,
    CHUNK_OBJECT,
    CHUNK_PUSH,
    CHUNK_FINISH,
    CHUNK_END,
    CHUNK_SOURCE, /* the text follows; SOURCE and USE only occur in recordings of OpenGL programs */
    CHUNK_USE
};

struct record_chunk {
    uint16_t type, channel;
    /* OBJECT: the class; PUSH: the length; FINISH: FRAME_ENDS or 0; SOURCE: the stage */
    uint32_t value;
    /* OBJECT: address is the handle. FINISH: address and size of the presented buffer. SOURCE, USE:
     * address is the number of the program. */
    uint64_t address, size;
};
enum { FRAME_ENDS = 1 };

struct record {
    FILE *file;
    bool failed;
    const struct channel *channel[RECORD_CHANNELS]; /* NULL: closed */
    uint32_t channel_count;
};

static void write_bytes(struct record *r, const void *data, size_t size) {
    r->failed |= fwrite(data, 1, size, r->file) != size;
}

static void put_chunk(struct record *r, struct record_chunk chunk) {
    write_bytes(r, &chunk, sizeof chunk);
}

struct record *record_create(const char *path, uint32_t chipset) {
    const uint32_t head[2] = {MAGIC, chipset};
    struct record *r = calloc(1, sizeof *r);
    if (!r || !(r->file = fopen(path, "wbe"))) {
        free(r);
        return NULL;
    }
    write_bytes(r, head, sizeof head);
    return r;
}

int record_file(const struct record *r) {
    return fileno(r->file);
}

int record_close(struct record *r) {
    if (!r)
        return 0;
    put_chunk(r, (struct record_chunk){.type = CHUNK_END});
    const int result = fclose(r->file) == 0 && !r->failed ? 0 : -1;
    free(r);
    return result;
}

void record_alloc(struct record *r, uint64_t address, uint64_t size) {
    put_chunk(r, (struct record_chunk){.type = CHUNK_ALLOC, .address = address, .size = size});
}

void record_free(struct record *r, uint64_t address) {
    put_chunk(r, (struct record_chunk){.type = CHUNK_FREE, .address = address});
}

void record_changes(struct record *r, uint64_t address, const uint8_t *now, uint8_t *before,
                    uint64_t size) {
    for (uint64_t i = 0; i < size;) {
        uint64_t end = i;
        while (end < size &&
               memcmp(now + end, before + end, size - end < GRANULE ? size - end : GRANULE) != 0)
            end += size - end < GRANULE ? size - end : GRANULE;
        if (end > i) {
            memcpy(before + i, now + i, end - i);
            put_chunk(r, (struct record_chunk){
                             .type = CHUNK_DATA, .address = address + i, .size = end - i});
            write_bytes(r, before + i, end - i);
        }
        i = end + GRANULE;
    }
}

/* The number in the file of the newest channel at address c; 0 for NULL. Channels that were freed
 * may have had the same address; each had a number of its own. */
static uint16_t channel_number(const struct record *r, const struct channel *c) {
    for (uint32_t i = c ? r->channel_count : 0; i-- > 0;)
        if (r->channel[i] == c)
            return (uint16_t)i;
    return 0;
}

/* The first number without an open channel, once all numbers are used. */
static uint32_t free_number(const struct record *r) {
    uint32_t i = r->channel_count;
    if (i == RECORD_CHANNELS)
        for (i = 0; i < RECORD_CHANNELS && r->channel[i]; i++)
            ;
    return i;
}

void record_channel(struct record *r, const struct channel *c) {
    const uint32_t number = free_number(r);
    if (number == RECORD_CHANNELS) {
        r->failed = true;
        return;
    }
    r->channel_count += number == r->channel_count;
    r->channel[number] = c;
    put_chunk(r, (struct record_chunk){.type = CHUNK_CHANNEL, .channel = (uint16_t)number});
}

void record_channel_closed(struct record *r, const struct channel *c) {
    const uint16_t number = channel_number(r, c);
    if (r->channel[number] == c)
        r->channel[number] = NULL;
}

void record_object(struct record *r, const struct channel *c, uint32_t handle, uint32_t class_id) {
    put_chunk(r, (struct record_chunk){.type = CHUNK_OBJECT,
                                       .channel = channel_number(r, c),
                                       .value = class_id,
                                       .address = handle});
}

void record_push(struct record *r, const struct channel *c, uint64_t address, uint32_t length) {
    put_chunk(r, (struct record_chunk){.type = CHUNK_PUSH,
                                       .channel = channel_number(r, c),
                                       .value = length,
                                       .address = address});
}

void record_finish(struct record *r, const struct channel *c) {
    put_chunk(r, (struct record_chunk){.type = CHUNK_FINISH, .channel = channel_number(r, c)});
    fflush(r->file);
}

void record_frame(struct record *r, const struct channel *c, uint64_t address, uint64_t size) {
    put_chunk(r, (struct record_chunk){.type = CHUNK_FINISH,
                                       .channel = channel_number(r, c),
                                       .value = FRAME_ENDS,
                                       .address = address,
                                       .size = size});
}

void record_source(struct record *r, uint64_t program, enum program_type stage, const char *text,
                   size_t length) {
    put_chunk(r, (struct record_chunk){
                     .type = CHUNK_SOURCE, .value = stage, .address = program, .size = length});
    write_bytes(r, text, length);
}

void record_use(struct record *r, uint64_t program) {
    put_chunk(r, (struct record_chunk){.type = CHUNK_USE, .address = program});
}

/* ---- replay ---- */

static FILE *open_recording(const char *path, uint32_t *chipset, bool *has_end) {
    uint32_t head[2] = {0};
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NULL;
    /* a recording is opened several times and its size is asked for, so it must allow seeks */
    int error = fseek(file, 0, SEEK_SET) == 0 ? 0 : errno;
    const bool whole = !error && fread(head, sizeof head, 1, file) == 1;
    if (!error && ferror(file))
        error = errno;
    else if (!error && head[0] != MAGIC && head[0] != MAGIC_WITHOUT_END)
        error = (head[0] & 0xffffff) == (MAGIC & 0xffffff) ? ENOTSUP : EINVAL;
    else if (!error && !whole)
        error = EINVAL;
    if (error) {
        fclose(file);
        errno = error;
        return NULL;
    }
    *chipset = head[1];
    *has_end = head[0] == MAGIC;
    return file;
}

uint32_t record_chipset(const char *path) {
    uint32_t chipset = 0;
    bool has_end;
    FILE *file = open_recording(path, &chipset, &has_end);
    if (file)
        fclose(file);
    return chipset;
}

static bool read_data(FILE *file, struct gpu_memory *memory, const struct record_chunk *k) {
    void *to = memory_at(memory, k->address, k->size);
    return to && fread(to, 1, k->size, file) == k->size;
}

static uint64_t draws_of(const struct replay_result *result) {
    uint64_t draws = result->replaced_draws;
    for (uint32_t i = 0; i < result->channel_count; i++)
        draws += channel_draws(result->all[i]);
    return draws;
}

/* A running replay. Observers of its channels call the replay's observer. */
struct player {
    FILE *file;
    bool has_end; /* the format has an end chunk: a file without one is cut */
    tp_device *device;
    uint32_t chipset;
    const struct replay_observer *observer;
    struct replay_result *result;
    struct draw_observer of_channel;
    /* live allocations in order of creation; only kept if memory is hashed */
    struct allocation {
        uint64_t address, size;
    } *alive;
    size_t alive_count, alive_capacity;
};

static void before_draw(void *self, struct channel *c) {
    const struct player *p = self;
    p->observer->before(p->observer->self, c, draws_of(p->result) + 1);
}

static void after_draw(void *self, struct channel *c) {
    const struct player *p = self;
    p->observer->after(p->observer->self, c, draws_of(p->result) + 1);
}

static bool wants_hashes(const struct player *p) {
    return p->observer && p->observer->hash;
}

static void finish_all(struct player *p) {
    for (uint32_t i = 0; i < p->result->channel_count; i++)
        channel_finish(p->result->all[i]);
}

/* Adds an allocation's bytes to the hash. Sizes are multiples of eight, because allocations consist
 * of whole pages. */
static void hash_memory(struct player *p, const struct allocation *a) {
    const uint8_t *data = memory_at(p->device->memory, a->address, a->size);
    uint64_t hash = *p->observer->hash;
    for (uint64_t i = 0; data && i + 8 <= a->size; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    *p->observer->hash = hash;
}

static bool play_alloc(struct player *p, const struct record_chunk *k) {
    if (wants_hashes(p)) {
        if (!ARRAY_ROOM(p->alive, p->alive_capacity, p->alive_count + 1))
            return false;
        p->alive[p->alive_count++] = (struct allocation){k->address, k->size};
    }
    return memory_alloc_at(p->device->memory, k->address, k->size);
}

static void play_free(struct player *p, const struct record_chunk *k) {
    for (size_t i = 0; i < p->alive_count; i++) {
        if (p->alive[i].address != k->address)
            continue;
        finish_all(p);
        hash_memory(p, &p->alive[i]);
        memmove(&p->alive[i], &p->alive[i + 1], (--p->alive_count - i) * sizeof *p->alive);
        break;
    }
    memory_free(p->device->memory, k->address);
}

/* True if all numbers are used. Then a CHANNEL chunk closes the channel that has its number. */
static bool all_numbers_used(const struct replay_result *result) {
    return result->channel_count == RECORD_CHANNELS;
}

/* Destroys a channel whose number gets another channel. */
static void forget_channel(struct replay_result *result, struct channel *c) {
    channel_finish(c);
    result->replaced_draws += channel_draws(c);
    result->lacked_memory |= channel_lacked_memory(c);
    if (result->channel == c)
        result->channel = NULL;
    channel_destroy(c);
}

static bool play_channel(struct player *p, const struct record_chunk *k) {
    struct replay_result *result = p->result;
    struct channel *c;
    const bool again = all_numbers_used(result);
    if (again && p->observer && p->observer->channel)
        return false; /* the observer keeps the channel that would be destroyed */
    if ((again ? k->channel >= RECORD_CHANNELS : k->channel != result->channel_count) ||
        !(c = channel_create(p->device, p->chipset)))
        return false;
    /* entries run one after the other, so no other channel could release a semaphore later */
    channel_set_patience(c, 0);
    if (wants_hashes(p))
        channel_stop_clock(c);
    if (p->observer && p->observer->before)
        channel_observe_draws(c, &p->of_channel);
    if (again)
        forget_channel(result, result->all[k->channel]);
    result->channel_count += !again;
    result->all[k->channel] = c;
    if (p->observer && p->observer->channel)
        p->observer->channel(p->observer->self, c);
    return true;
}

static void tell_memory(const struct player *p, const struct record_chunk *k) {
    if (p->observer && p->observer->memory)
        p->observer->memory(p->observer->self, k->address,
                            k->type == CHUNK_FREE ? memory_extent(p->device->memory, k->address)
                                                  : k->size);
}

static bool play_data(const struct player *p, const struct record_chunk *k) {
    const uint64_t began = timeline_begin();
    const bool ok = read_data(p->file, p->device->memory, k);
    timeline_end(TIMELINE_DATA, began, k->size, 0, NULL);
    return ok;
}

enum { MAX_SOURCE = 1 << 26 /* bytes */ };

static bool play_source(const struct player *p, const struct record_chunk *k) {
    char *text = k->size <= MAX_SOURCE ? malloc((size_t)k->size + 1) : NULL;
    const bool ok = text && k->value < PROGRAM_TYPES && fread(text, 1, k->size, p->file) == k->size;
    if (ok && p->observer && p->observer->source) {
        text[k->size] = 0;
        p->observer->source(p->observer->self, k->address, (enum program_type)k->value, text,
                            strlen(text));
    }
    free(text);
    return ok;
}

/* Finishes the channel's work. The timeline gets a completion, and a frame if the chunk ends
 * one. */
static void play_finish(struct channel *c, const struct record_chunk *k) {
    const uint64_t began = timeline_begin();
    channel_finish(c);
    timeline_end(TIMELINE_COMPLETE, began, 0, 0, NULL);
    if (k->value == FRAME_ENDS)
        timeline_end(TIMELINE_FRAME, began, 0, 0, NULL);
}

/* Executes one chunk; false if the chunk is invalid. */
static bool play_chunk(struct player *p, const struct record_chunk *k) {
    struct replay_result *result = p->result;
    struct channel *c = k->channel < result->channel_count ? result->all[k->channel] : NULL;
    switch (k->type) {
    case CHUNK_ALLOC:
        return play_alloc(p, k);
    case CHUNK_FREE:
        tell_memory(p, k);
        play_free(p, k);
        return true;
    case CHUNK_DATA:
        tell_memory(p, k);
        return play_data(p, k);
    case CHUNK_CHANNEL:
        return play_channel(p, k);
    case CHUNK_OBJECT:
        return c && channel_object_create(c, (uint32_t)k->address, k->value) == 0;
    case CHUNK_PUSH:
        result->channel = c;
        if (c)
            channel_execute(c, k->address, k->value);
        return c;
    case CHUNK_FINISH:
        if (c)
            play_finish(c, k);
        return c;
    case CHUNK_SOURCE:
        return play_source(p, k);
    case CHUNK_USE:
        if (p->observer && p->observer->use)
            p->observer->use(p->observer->self, k->address);
        return true;
    default:
        return false;
    }
}

/* Called before a submission, and before a channel is closed. True if draw number `last` is done;
 * otherwise the channel is told to stop after that draw. */
static bool is_reached(const struct replay_result *result, const struct record_chunk *k,
                       uint64_t last) {
    const uint64_t done = draws_of(result);
    if (done >= last)
        return true;
    if (k->channel < result->channel_count)
        channel_stop_after(result->all[k->channel],
                           channel_draws(result->all[k->channel]) + (last - done));
    return false;
}

/* True if the file ends within the chunk's data. Only for data that the player would read: text, or
 * bytes of allocated memory. */
static bool is_cut(const struct player *p, const struct record_chunk *k) {
    struct stat st;
    const bool placed =
        k->type == CHUNK_SOURCE ||
        (k->type == CHUNK_DATA && memory_at(p->device->memory, k->address, k->size));
    return placed && fstat(fileno(p->file), &st) == 0 &&
           (uint64_t)st.st_size - (uint64_t)ftell(p->file) < k->size;
}

/* True if a frame ends with this chunk. */
static bool ends_frame(const struct record_chunk *k, bool every_flush) {
    return k->type == CHUNK_FINISH && (k->value == FRAME_ENDS) != every_flush;
}

/* The place at which a player stops, at the latest at the end of the file. With `last`: before the
 * first submission or closing of a channel that follows draw `last`. With `frames`: at the end of a
 * frame. */
struct play_end {
    uint64_t last;
    bool frames, every_flush;
    struct record_chunk chunk; /* out: the last chunk that ended a frame; zeros: none has */
    bool pushed;               /* out: there was a submission */
};

/* Plays chunks up to the end. Returns -1 with the reason in why[]. A recording whose program
 * crashed or was killed has no end chunk; it is played up to its last whole chunk. */
static int play_all(struct player *p, struct play_end *e, char *why, size_t why_size) {
    struct record_chunk k;
    long at = ftell(p->file);
    e->pushed = false;
    while (fread(&k, sizeof k, 1, p->file) == 1 && !is_cut(p, &k)) {
        const bool closes = k.type == CHUNK_CHANNEL && all_numbers_used(p->result);
        if (k.type == CHUNK_END ||
            ((k.type == CHUNK_PUSH || closes) && e->last && is_reached(p->result, &k, e->last)))
            return 0;
        errno = 0;
        if (!play_chunk(p, &k)) {
            snprintf(why, why_size,
                     errno == ENOMEM ? "chunk %u at byte %ld: out of memory"
                                     : "chunk %u at byte %ld is damaged",
                     k.type, at);
            return -1;
        }
        at = ftell(p->file);
        e->pushed |= k.type == CHUNK_PUSH;
        if (e->frames && e->pushed && ends_frame(&k, e->every_flush)) {
            e->chunk = k;
            return 0;
        }
    }
    if (ferror(p->file)) {
        snprintf(why, why_size, "reading at byte %ld: %s", at, strerror(errno));
        return -1;
    }
    if (p->has_end || ftell(p->file) != at)
        p->result->cut_at = (uint64_t)at;
    return 0;
}

static void explain_open(const char *path, char *why, size_t why_size) {
    snprintf(why, why_size, "%s: %s", path,
             errno == ENOTSUP  ? "a recording of another version of teslapipe"
             : errno == EINVAL ? "not a recording"
                               : strerror(errno));
}

static bool player_open(struct player *p, const char *path, tp_device *device,
                        const struct replay_observer *observer, struct replay_result *result,
                        char *why, size_t why_size) {
    *p = (struct player){.device = device, .observer = observer, .result = result};
    p->of_channel = (struct draw_observer){p, before_draw, after_draw};
    *result = (struct replay_result){0};
    p->file = open_recording(path, &p->chipset, &p->has_end);
    if (!p->file)
        explain_open(path, why, why_size);
    return p->file;
}

static void sum_up(struct replay_result *result) {
    result->draws = draws_of(result);
    for (uint32_t i = 0; i < result->channel_count; i++)
        result->lacked_memory |= channel_lacked_memory(result->all[i]);
}

static void player_close(struct player *p) {
    if (p->file)
        fclose(p->file);
    finish_all(p);
    for (uint32_t i = 0; i < p->result->channel_count; i++)
        channel_observe_draws(p->result->all[i], NULL);
    for (size_t i = 0; i < p->alive_count; i++)
        hash_memory(p, &p->alive[i]);
    free(p->alive);
    sum_up(p->result);
}

int record_replay(const char *path, tp_device *device, uint64_t last,
                  const struct replay_observer *observer, struct replay_result *result, char *why,
                  size_t why_size) {
    char reason[128];
    struct player p;
    struct play_end end = {.last = last};
    if (!player_open(&p, path, device, observer, result, why, why_size))
        return -1;
    const int code = play_all(&p, &end, reason, sizeof reason);
    if (code)
        snprintf(why, why_size, "%s: %s", path, reason);
    player_close(&p);
    return code;
}

/* ---- frame by frame ---- */

struct replay {
    struct player player;
    struct replay_result result;
    struct play_end end;
    uint64_t frames; /* played */
};

struct replay *replay_open(const char *path, tp_device *device, bool every_flush,
                           const struct replay_observer *observer, char *why, size_t why_size) {
    struct replay *r = calloc(1, sizeof *r);
    if (!r) {
        snprintf(why, why_size, "out of memory");
        return NULL;
    }
    r->end = (struct play_end){.frames = true, .every_flush = every_flush};
    if (player_open(&r->player, path, device, observer, &r->result, why, why_size))
        return r;
    free(r);
    return NULL;
}

int replay_next(struct replay *r, struct replay_frame *frame, char *why, size_t why_size) {
    if (play_all(&r->player, &r->end, why, why_size) != 0)
        return -1;
    finish_all(&r->player);
    sum_up(&r->result);
    if (r->result.lacked_memory) {
        snprintf(why, why_size, "out of memory in the replay: work was left out");
        return -1;
    }
    if (!r->end.pushed)
        return 1;
    *frame = (struct replay_frame){.number = r->frames++};
    if (r->end.chunk.value == FRAME_ENDS) {
        frame->address = r->end.chunk.address;
        frame->size = r->end.chunk.size;
    }
    return 0;
}

const struct replay_result *replay_result(const struct replay *r) {
    return &r->result;
}

void replay_close(struct replay *r) {
    if (!r)
        return;
    player_close(&r->player);
    replay_free(&r->result);
    free(r);
}

uint64_t record_count_frames(const char *path, bool every_flush, char *why, size_t why_size) {
    uint32_t chipset;
    bool has_end, pushed = false;
    uint64_t frames = 0;
    struct record_chunk k;
    struct stat st;
    FILE *file = open_recording(path, &chipset, &has_end);
    if (!file) {
        explain_open(path, why, why_size);
        return 0;
    }
    const bool sized = fstat(fileno(file), &st) == 0;
    while (sized && fread(&k, sizeof k, 1, file) == 1 && k.type != CHUNK_END) {
        if ((k.type == CHUNK_DATA || k.type == CHUNK_SOURCE) &&
            (k.size > (uint64_t)st.st_size - (uint64_t)ftell(file) ||
             fseek(file, (long)k.size, SEEK_CUR) != 0))
            break;
        pushed |= k.type == CHUNK_PUSH;
        if (pushed && ends_frame(&k, every_flush)) {
            frames++;
            pushed = false;
        }
    }
    fclose(file);
    snprintf(why, why_size, "%s: has no frame", path);
    return frames + pushed;
}

void replay_free(struct replay_result *result) {
    for (uint32_t i = 0; i < result->channel_count; i++)
        channel_destroy(result->all[i]);
    *result = (struct replay_result){0};
}
