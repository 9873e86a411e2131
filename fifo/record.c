/* Recorded command streams: writer and player of one file format. In: what reached the channels.
 * Out: a file, or the same calls again. The file: a magic number, the chipset, then chunks of a
 * header and, for DATA, bytes. All numbers little-endian.
 */
#include "fifo/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "TPR2"; "TPR1" had no end chunk, so that one that was cut could look whole. */
enum { MAGIC = 0x32525054, MAGIC_WITHOUT_END = 0x31525054, GRANULE = 256, MAX_CHANNELS = 64 };
enum chunk_type {
    CHUNK_ALLOC = 1,
    CHUNK_FREE,
    CHUNK_DATA,
    CHUNK_CHANNEL,
    CHUNK_OBJECT,
    CHUNK_PUSH,
    CHUNK_FINISH,
    CHUNK_END
};

struct chunk {
    uint16_t type, channel;
    uint32_t value;         /* class, or length of a pushbuffer entry */
    uint64_t address, size; /* OBJECT: address is the handle */
};

struct record {
    FILE *file;
    bool failed;
    const struct channel *channel[MAX_CHANNELS];
    uint32_t channel_count;
};

static void put(struct record *r, const void *data, size_t size) {
    r->failed |= fwrite(data, 1, size, r->file) != size;
}

static void put_chunk(struct record *r, struct chunk chunk) {
    put(r, &chunk, sizeof chunk);
}

struct record *record_create(const char *path, uint32_t chipset) {
    const uint32_t head[2] = {MAGIC, chipset};
    struct record *r = calloc(1, sizeof *r);
    if (!r || !(r->file = fopen(path, "wbe"))) {
        free(r);
        return NULL;
    }
    put(r, head, sizeof head);
    return r;
}

int record_close(struct record *r) {
    if (!r)
        return 0;
    put_chunk(r, (struct chunk){.type = CHUNK_END});
    const int result = fclose(r->file) == 0 && !r->failed ? 0 : -1;
    free(r);
    return result;
}

void record_alloc(struct record *r, uint64_t address, uint64_t size) {
    put_chunk(r, (struct chunk){.type = CHUNK_ALLOC, .address = address, .size = size});
}

void record_free(struct record *r, uint64_t address) {
    put_chunk(r, (struct chunk){.type = CHUNK_FREE, .address = address});
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
            put_chunk(r,
                      (struct chunk){.type = CHUNK_DATA, .address = address + i, .size = end - i});
            put(r, before + i, end - i);
        }
        i = end + GRANULE;
    }
}

/* A channel's number in the file. A new channel at the address of a dead one takes its place. */
static uint16_t number(const struct record *r, const struct channel *c) {
    for (uint32_t i = r->channel_count; i-- > 0;)
        if (r->channel[i] == c)
            return (uint16_t)i;
    return 0;
}

void record_channel(struct record *r, const struct channel *c) {
    if (r->channel_count == MAX_CHANNELS) {
        r->failed = true;
        return;
    }
    r->channel[r->channel_count] = c;
    put_chunk(r, (struct chunk){.type = CHUNK_CHANNEL, .channel = (uint16_t)r->channel_count++});
}

void record_object(struct record *r, const struct channel *c, uint32_t handle, uint32_t class_id) {
    put_chunk(r, (struct chunk){.type = CHUNK_OBJECT,
                                .channel = number(r, c),
                                .value = class_id,
                                .address = handle});
}

void record_push(struct record *r, const struct channel *c, uint64_t address, uint32_t length) {
    put_chunk(
        r, (struct chunk){
               .type = CHUNK_PUSH, .channel = number(r, c), .value = length, .address = address});
}

void record_finish(struct record *r, const struct channel *c) {
    put_chunk(r, (struct chunk){.type = CHUNK_FINISH, .channel = number(r, c)});
    fflush(r->file);
}

/* ---- replay ---- */

static FILE *open_recording(const char *path, uint32_t *chipset, bool *has_end) {
    uint32_t head[2];
    FILE *file = fopen(path, "rbe");
    if (file && (fread(head, sizeof head, 1, file) != 1 ||
                 (head[0] != MAGIC && head[0] != MAGIC_WITHOUT_END))) {
        fclose(file);
        errno = EINVAL;
        return NULL;
    }
    if (file) {
        *chipset = head[1];
        *has_end = head[0] == MAGIC;
    }
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

static bool read_data(FILE *file, struct gpu_memory *memory, const struct chunk *k) {
    void *to = memory_at(memory, k->address, k->size);
    return to && fread(to, 1, k->size, file) == k->size;
}

static uint64_t draws_of(const struct replay_result *result) {
    uint64_t draws = 0;
    for (uint32_t i = 0; i < result->channel_count; i++)
        draws += channel_draws(result->all[i]);
    return draws;
}

/* A replay's observer, told through each channel's. */
struct numbering {
    const struct replay_observer *observer;
    const struct replay_result *result;
    struct draw_observer of_channel;
};

static void before_draw(void *self, struct channel *c) {
    const struct numbering *n = self;
    n->observer->before(n->observer->self, c, draws_of(n->result) + 1);
}

static void after_draw(void *self, struct channel *c) {
    const struct numbering *n = self;
    n->observer->after(n->observer->self, c, draws_of(n->result) + 1);
}

/* Carries out one chunk; false if it makes no sense. */
static bool play(FILE *file, tp_device *device, uint32_t chipset, const struct chunk *k,
                 struct replay_result *result) {
    struct channel *c = k->channel < result->channel_count ? result->all[k->channel] : NULL;
    switch (k->type) {
    case CHUNK_ALLOC:
        return memory_alloc_at(device->memory, k->address, k->size);
    case CHUNK_FREE:
        memory_free(device->memory, k->address);
        return true;
    case CHUNK_DATA:
        return read_data(file, device->memory, k);
    case CHUNK_CHANNEL:
        if (result->channel_count == MAX_CHANNELS || k->channel != result->channel_count)
            return false;
        if (!(c = channel_create(device, chipset)))
            return false;
        channel_set_patience(c, 0); /* one after the other: nobody could release it later */
        result->all[result->channel_count++] = c;
        return true;
    case CHUNK_OBJECT:
        return c && channel_object_create(c, (uint32_t)k->address, k->value) == 0;
    case CHUNK_PUSH:
        result->channel = c;
        if (c)
            channel_execute(c, k->address, k->value);
        return c;
    case CHUNK_FINISH:
        if (c)
            channel_finish(c);
        return c;
    default:
        return false;
    }
}

int record_replay(const char *path, tp_device *device, uint64_t last,
                  const struct replay_observer *observer, struct replay_result *result, char *why,
                  size_t why_size) {
    struct numbering numbering = {observer, result, {&numbering, before_draw, after_draw}};
    uint32_t chipset = 0;
    bool has_end = false, ended = false, stopped = false;
    FILE *file = open_recording(path, &chipset, &has_end);
    struct chunk k;
    int code = 0;
    *result = (struct replay_result){0};
    if (!file) {
        snprintf(why, why_size, "%s: %s", path,
                 errno == EINVAL ? "not a recording" : strerror(errno));
        return -1;
    }
    while (!code && !ended && fread(&k, sizeof k, 1, file) == 1) {
        const long at = ftell(file) - (long)sizeof k;
        if (k.type == CHUNK_PUSH && last) {
            const uint64_t done = draws_of(result);
            if ((stopped = done >= last))
                break;
            if (k.channel < result->channel_count)
                channel_stop_after(result->all[k.channel],
                                   channel_draws(result->all[k.channel]) + (last - done));
        }
        if ((ended = k.type == CHUNK_END))
            continue;
        if (!play(file, device, chipset, &k, result)) {
            snprintf(why, why_size, "%s: chunk %u at byte %ld is damaged", path, k.type, at);
            code = -1;
        } else if (observer && k.type == CHUNK_CHANNEL) {
            channel_observe_draws(result->all[k.channel], &numbering.of_channel);
        }
    }
    if (!code && ((has_end && !ended && !stopped) || ferror(file))) {
        snprintf(why, why_size, "%s: is cut off at byte %ld", path, ftell(file));
        code = -1;
    }
    fclose(file);
    for (uint32_t i = 0; i < result->channel_count; i++) {
        channel_finish(result->all[i]);
        channel_observe_draws(result->all[i], NULL);
    }
    result->draws = draws_of(result);
    return code;
}

void replay_free(struct replay_result *result) {
    for (uint32_t i = 0; i < result->channel_count; i++)
        channel_destroy(result->all[i]);
    *result = (struct replay_result){0};
}
