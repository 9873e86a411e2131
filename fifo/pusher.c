/* The DMA pusher, the entrance of fifo/: reads method words from memory, keeps the decoder's state
 * across entries, binds class objects to subchannels and executes the channel's own methods
 * (semaphores). Methods that start Fermi's macros go to the macro processor, which sends methods to
 * the engine. In: ranges of GPU memory. Out: methods to engines. Must not know the methods of
 * engines. Word formats: tesla-3d.md §2; fermi-3d.md §2.
 */
#include "fifo/engine.h"
#include "fifo/macro.h"

#include "base/timeline.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>

enum { SUBCHANNELS = 8, OBJECTS = 64, SEEN = 1024 };

/* Methods below 0x100 belong to the channel, not to the bound object. */
enum {
    SET_OBJECT = 0x00,
    SEMAPHORE_ADDRESS_HIGH = 0x10,
    SEMAPHORE_ADDRESS_LOW = 0x14,
    SEMAPHORE_SEQUENCE = 0x18,
    SEMAPHORE_TRIGGER = 0x1c,
    REFERENCE_COUNT = 0x50,
    ENGINE_METHODS = 0x100,
};
enum { ACQUIRE_EQUAL = 1, WRITE_LONG = 2, ACQUIRE_GEQUAL = 4, ACQUIRE_MASK = 8 };

struct push_decoder {
    uint32_t address, subchannel;
    uint32_t remaining; /* data words of the current method that have not come yet */
    enum { FIXED, INCREASING, INCREASING_ONCE } mode;
    bool count_next; /* the next word is the count of a long method */
};

struct channel {
    tp_device *device;
    tp_context *context;
    uint32_t chipset;
    struct push_decoder decoder;
    struct class_object {
        uint32_t handle;
        struct engine *engine; /* NULL: free */
    } object[OBJECTS];
    struct engine *bound[SUBCHANNELS];
    struct memory_hint reads, writes; /* where the last accesses were */
    uint32_t semaphore[4];            /* values of the methods 0x10 .. 0x1c */
    uint64_t fragment_code;
    struct macro *macro; /* NULL until the first use; Fermi only */
    bool busy;
    bool data_stays;           /* see channel_data_stays */
    uint64_t draws, last_draw; /* draws so far; nothing is executed after draw last_draw */
    const struct draw_observer *draw_observer;
    uint64_t patience; /* ns for which an acquire waits */
    bool clock_stopped;
    bool quirks;
    uint32_t endless;    /* macros that reached MACRO_LIMIT or MACRO_WORK */
    bool hung;           /* the channel is dead, and ignores all words */
    bool lacked_memory;  /* see channel_lacked_memory */
    uint32_t seen[SEEN]; /* hashes of log lines, see channel_first_time */
};

struct channel *channel_create(tp_device *device, uint32_t chipset) {
    struct channel *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->device = device;
    c->chipset = chipset;
    c->last_draw = UINT64_MAX;
    c->patience = UINT64_C(2000000000);
    if (context_create(device, &c->context) != TP_OK) {
        free(c);
        return NULL;
    }
    return c;
}

void channel_destroy(struct channel *c) {
    if (!c)
        return;
    channel_finish(c);
    for (int i = 0; i < OBJECTS; i++)
        engine_destroy(c->object[i].engine);
    context_destroy(c->context);
    free(c->macro);
    free(c);
}

/* ---- objects ---- */

static struct class_object *find_object(struct channel *c, uint32_t handle) {
    for (int i = 0; i < OBJECTS; i++)
        if (c->object[i].engine && c->object[i].handle == handle)
            return &c->object[i];
    return NULL;
}

int channel_object_create(struct channel *c, uint32_t handle, uint32_t class_id) {
    if (find_object(c, handle))
        return -1;
    for (int i = 0; i < OBJECTS; i++) {
        struct class_object *o = &c->object[i];
        if (o->engine)
            continue;
        o->handle = handle;
        o->engine = engine_create(c, class_id);
        if (!o->engine)
            log_message(channel_log(c), LOG_ERROR, "no engine of class %04x", class_id);
        return o->engine ? 0 : -1;
    }
    return -1;
}

int channel_object_destroy(struct channel *c, uint32_t handle) {
    struct class_object *o = find_object(c, handle);
    if (!o)
        return -1;
    channel_finish(c);
    for (int i = 0; i < SUBCHANNELS; i++)
        if (c->bound[i] == o->engine)
            c->bound[i] = NULL;
    engine_destroy(o->engine);
    o->engine = NULL;
    for (int i = 0; i < OBJECTS; i++) /* the context's state may be that of the deleted object */
        if (c->object[i].engine)
            c->object[i].engine->dirty = UINT64_MAX;
    return 0;
}

/* ---- the channel, for engines ---- */

struct tp_context *channel_context(struct channel *c) {
    c->busy = true;
    return c->context;
}

struct tp_context *channel_threads(struct channel *c) {
    return c->context;
}

struct gpu_memory *channel_memory(struct channel *c) {
    return c->device->memory;
}

const struct log *channel_log(struct channel *c) {
    return &c->device->log;
}

uint32_t channel_chipset(const struct channel *c) {
    return c->chipset;
}

uint64_t channel_work_limit(const struct channel *c) {
    return c->device->work_limit;
}

uint64_t channel_time(const struct channel *c) {
    return c->clock_stopped ? 0 : clock_ns(CLOCK_MONOTONIC);
}

bool channel_first_time(struct channel *c, uint32_t key, const char *text) {
    uint32_t hash = key * 2654435761u;
    for (const char *p = text; *p; p++)
        hash = (hash ^ (uint8_t)*p) * 16777619u;
    for (uint32_t i = 0; i < SEEN; i++) {
        uint32_t *slot = &c->seen[(hash + i) % SEEN];
        if (*slot == hash)
            return false;
        if (!*slot) {
            *slot = hash;
            return true;
        }
    }
    return false;
}

static void *access_at(struct channel *c, struct memory_hint *hint, uint64_t address, uint64_t size,
                       const char *what) {
    void *at = memory_near(c->device->memory, hint, address, size);
    if (!at && channel_first_time(c, (uint32_t)(address >> 12), what))
        log_message(channel_log(c), LOG_WARNING,
                    "page fault: %s of %" PRIu64 " bytes at %010" PRIx64, what, size, address);
    return at;
}

void *channel_read_at(struct channel *c, uint64_t address, uint64_t size) {
    context_before_read(c->context, address, size);
    return access_at(c, &c->reads, address, size, "read");
}

void *channel_write_at(struct channel *c, uint64_t address, uint64_t size) {
    context_before_write(c->context, address, size);
    return access_at(c, &c->writes, address, size, "write");
}

uint64_t channel_fragment_code(const struct channel *c) {
    return c->fragment_code;
}

void channel_set_fragment_code(struct channel *c, uint64_t address) {
    c->fragment_code = address;
}

bool channel_data_stays(const struct channel *c) {
    return c->data_stays;
}

bool channel_condition(struct channel *c, uint32_t mode, uint64_t address) {
    struct state *s = &c->context->state;
    const uint8_t saved_mode = s->condition_mode;
    const uint64_t saved_address = s->condition_address;
    s->condition_mode = (uint8_t)mode;
    s->condition_address = address;
    const bool holds = context_condition(c->context);
    s->condition_mode = saved_mode;
    s->condition_address = saved_address;
    return holds;
}

/* ---- the channel's own methods ---- */

/* Finishes all earlier work of the channel; then only another channel can release the semaphore.
 * After a wait of `patience` the channel is dead; the hardware would kill the channel, too. */
static void semaphore_acquire(struct channel *c, uint64_t address, uint32_t trigger) {
    channel_finish(c);
    const uint64_t deadline = channel_time(c) + c->patience;
    const volatile uint32_t *word = access_at(c, &c->reads, address, 4, "semaphore acquire");
    const uint32_t want = c->semaphore[2];
    while (word) {
        const uint32_t is = *word;
        if (trigger == ACQUIRE_EQUAL    ? is == want
            : trigger == ACQUIRE_GEQUAL ? (int32_t)(is - want) >= 0
                                        : (is & want) != 0) {
            context_memory_changed(c->context); /* the releasing channel may have written */
            return;
        }
        if (channel_time(c) >= deadline) {
            log_message(channel_log(c), LOG_ERROR,
                        "semaphore at %010" PRIx64
                        " is %08x and never became %08x: the channel is dead",
                        address, is, want);
            c->hung = true;
            return;
        }
        sched_yield();
    }
}

static void semaphore_write(struct channel *c, uint64_t address) {
    channel_finish(c);
    uint32_t *at = channel_write_at(c, address, 16);
    const uint64_t now = channel_time(c);
    if (!at)
        return;
    at[2] = (uint32_t)now;
    at[3] = (uint32_t)(now >> 32);
    at[1] = 0;
    __atomic_store_n(&at[0], c->semaphore[2], __ATOMIC_RELEASE);
}

static void run_semaphore(struct channel *c) {
    const uint64_t address = (uint64_t)(c->semaphore[0] & 0xff) << 32 | (c->semaphore[1] & ~3u);
    const uint32_t trigger = c->semaphore[3] & 0xf;
    if (trigger == WRITE_LONG)
        semaphore_write(c, address & ~UINT64_C(15));
    else if (trigger == ACQUIRE_EQUAL || trigger == ACQUIRE_GEQUAL || trigger == ACQUIRE_MASK)
        semaphore_acquire(c, address, trigger);
    else
        log_message(channel_log(c), LOG_WARNING, "SEMAPHORE_TRIGGER %x is unknown", trigger);
}

/* Finds an object by its class: Fermi's driver names the class in place of the handle. */
static struct class_object *find_class(struct channel *c, uint32_t class_id) {
    for (int i = 0; i < OBJECTS; i++)
        if (c->object[i].engine && c->object[i].engine->class_id == class_id)
            return &c->object[i];
    return NULL;
}

static bool channel_is_fermi(const struct channel *c) {
    return c->chipset >= 0xc0;
}

static void bind_engine(struct channel *c, uint32_t subchannel, uint32_t handle) {
    struct class_object *o = find_object(c, handle);
    if (!o && channel_is_fermi(c))
        o = find_class(c, handle & 0xffff);
    if (!o && channel_first_time(c, subchannel, "SET_OBJECT"))
        log_message(channel_log(c), LOG_ERROR, "SET_OBJECT: no object %08x", handle);
    log_message(channel_log(c), LOG_DEBUG, "subchannel %u: object %08x", subchannel, handle);
    c->bound[subchannel] = o ? o->engine : NULL;
}

static void channel_method(struct channel *c, uint32_t subchannel, uint32_t address,
                           uint32_t data) {
    switch (address) {
    case SET_OBJECT:
        bind_engine(c, subchannel, data);
        break;
    case SEMAPHORE_TRIGGER:
        c->semaphore[3] = data;
        run_semaphore(c);
        break;
    case SEMAPHORE_ADDRESS_HIGH:
    case SEMAPHORE_ADDRESS_LOW:
    case SEMAPHORE_SEQUENCE:
        c->semaphore[(address - SEMAPHORE_ADDRESS_HIGH) / 4] = data;
        break;
    case REFERENCE_COUNT:
        break;
    default:
        if (channel_first_time(c, address, "channel method"))
            log_message(channel_log(c), LOG_WARNING,
                        "ILLEGAL_METHOD %04x of the channel, data %08x", address, data);
    }
}

/* ---- the decoder ---- */

/* Executes the leading words that belong to the channel's own methods. Returns their number. */
static uint32_t send_to_channel(struct channel *c, const uint32_t *data, uint32_t count) {
    struct push_decoder *d = &c->decoder;
    uint32_t done = 0;
    while (done < count && d->address < ENGINE_METHODS && !c->hung) {
        channel_method(c, d->subchannel, d->address, data[done++]);
        d->address += d->mode != FIXED ? 4 : 0;
        d->mode = d->mode == INCREASING_ONCE ? FIXED : d->mode;
    }
    return done;
}

/* ---- macros ---- */

struct macro *channel_macro(struct channel *c) {
    if (!c->macro)
        c->macro = calloc(1, sizeof *c->macro);
    if (!c->macro && channel_first_time(c, 0, "no macro processor"))
        log_message(channel_log(c), LOG_ERROR, "out of memory for the macro processor");
    return c->macro;
}

/* Sends one word of a macro to the engine. The word lies on the stack, so a draw must copy it if it
 * is an index. */
static void send_from_macro(void *engine, uint32_t address, uint32_t data) {
    struct channel *c = ((struct engine *)engine)->channel;
    const bool stays = c->data_stays;
    c->data_stays = false;
    engine_method(engine, address, &data, 1, false);
    c->data_stays = stays;
}

static uint32_t register_for_macro(void *engine, uint32_t address) {
    return engine_register(engine, address);
}

/* The number of primitives of all draws of the channel, plus one for each draw. */
static uint64_t work_for_macro(void *engine) {
    return context_work(channel_context(((struct engine *)engine)->channel));
}

/* Counts macros that reached a limit. A single word starts such a macro, which costs up to
 * MACRO_LIMIT instructions and MACRO_WORK primitives. So after several of them the channel is dead;
 * the hardware would kill the channel at the first one. */
static void count_endless(struct channel *c) {
    enum { ENDLESS_MOST = 4 };
    if (++c->endless < ENDLESS_MOST)
        return;
    log_message(channel_log(c), LOG_ERROR, "%u endless macros: the channel is dead", c->endless);
    c->hung = true;
}

/* Passes one word to the macro processor: the word starts a macro or is a parameter. */
static void run_macro(struct channel *c, struct engine *e, uint32_t address, uint32_t data) {
    struct macro *m = channel_macro(c);
    const struct macro_port port = {e, send_from_macro, register_for_macro, work_for_macro};
    if (!m)
        return;
    const uint32_t number = (address - MACRO_START) / 8;
    const enum macro_result result =
        address & 4 ? macro_parameter(m, &port, data) : macro_start(m, &port, number, data);
    const uint32_t key = number < MACRO_COUNT ? number : MACRO_COUNT;
    if (macro_is_error(result) && channel_first_time(c, key, macro_text(result)))
        log_message(channel_log(c), LOG_WARNING, "macro %u: %s", number, macro_text(result));
    if (result == MACRO_ENDLESS || result == MACRO_TOO_MUCH)
        count_endless(c);
}

static __attribute__((noinline)) void run_macros(struct channel *c, struct engine *e,
                                                 uint32_t address, const uint32_t *data,
                                                 uint32_t count, bool increment) {
    for (uint32_t i = 0; i < count && !c->hung; i++)
        run_macro(c, e, address + (increment ? 4 * i : 0), data[i]);
}

/* Sends words of the current method to an engine, or to the macro processor if the method starts or
 * feeds a macro. The addresses of increasing methods may begin below MACRO_START and reach it. */
static inline void send_to_engine(struct channel *c, struct engine *e, uint32_t address,
                                  const uint32_t *data, uint32_t count, bool increment) {
    const uint32_t room = address < MACRO_START ? (MACRO_START - address) / 4 : 0;
    const bool all = (!increment && room) || count < room || !channel_is_fermi(c);
    const uint32_t below = all ? count : room;
    if (below)
        engine_method(e, address, data, below, increment);
    if (below < count)
        run_macros(c, e, address + 4 * below, data + below, count - below, increment);
}

static void send_in_mode(struct channel *c, struct engine *e, const uint32_t *data,
                         uint32_t count) {
    struct push_decoder *d = &c->decoder;
    if (d->mode == INCREASING_ONCE) {
        send_to_engine(c, e, d->address, data, 1, false);
        d->mode = FIXED;
        d->address += 4;
        data++;
        if (!--count)
            return;
    }
    send_to_engine(c, e, d->address, data, count, d->mode == INCREASING);
    d->address += d->mode == INCREASING ? 4 * count : 0;
}

/* Executes count words of the current method: first those of the channel's own methods, then those
 * of the bound engine. */
static void send_methods(struct channel *c, const uint32_t *data, uint32_t count) {
    struct push_decoder *d = &c->decoder;
    const uint32_t done = d->address < ENGINE_METHODS ? send_to_channel(c, data, count) : 0;
    struct engine *e = c->bound[d->subchannel];
    d->remaining -= count;
    if (done == count || c->hung)
        return;
    if (e)
        send_in_mode(c, e, data + done, count - done);
    else if (channel_first_time(c, d->subchannel, "no object"))
        log_message(channel_log(c), LOG_WARNING,
                    "method %04x on subchannel %u, which has no object", d->address, d->subchannel);
    if (!e)
        d->address += d->mode == INCREASING ? 4 * (count - done) : 0;
}

/* Decodes a method header: the word behind the data of the last method. False if the word is no
 * header. */
static bool take_header(struct push_decoder *d, uint32_t word) {
    d->address = word & 0x1ffc;
    d->subchannel = word >> 13 & 7;
    d->count_next = false;
    if ((word & 0xe0030003) == 0 || (word & 0xe0030003) == 0x40000000) {
        d->mode = word & 0x40000000 ? FIXED : INCREASING;
        d->remaining = word >> 18 & 0x7ff;
        return true;
    }
    if ((word & 0xffff0003) == 0x00030000) {
        d->mode = FIXED;
        d->count_next = true;
        return true;
    }
    return false;
}

/* Decodes a method header of a Fermi. A header of kind 4 contains its data word, which is executed
 * at once. False if the word is not a header. */
static bool take_fermi_header(struct channel *c, uint32_t word) {
    enum { INCREASE = 1, STAY = 3, IMMEDIATE = 4, INCREASE_ONCE = 5 };
    struct push_decoder *d = &c->decoder;
    const uint32_t kind = word >> 29, field = word >> 16 & 0x1fff;
    d->address = (word & 0x1fff) << 2;
    d->subchannel = word >> 13 & 7;
    d->remaining = field;
    d->mode = kind == INCREASE ? INCREASING : kind == INCREASE_ONCE ? INCREASING_ONCE : FIXED;
    if (kind == IMMEDIATE) {
        d->remaining = 1;
        send_methods(c, &field, 1);
    } else if (kind != INCREASE && kind != STAY && kind != INCREASE_ONCE) {
        d->remaining = 0;
        return false;
    }
    return true;
}

/* A packet may continue in another buffer whose words are results of earlier work, such as a query
 * or a fence. Waits for such results. */
static void await_results(struct channel *c, uint64_t address, uint32_t bytes) {
    bool awaits = false;
    for (int i = 0; i < OBJECTS; i++) {
        const struct engine *e = c->object[i].engine;
        awaits |= e && e->class->awaits && e->class->awaits(e, address, bytes);
    }
    if (awaits)
        channel_finish(c);
}

static void execute_entry(struct channel *c, uint64_t address, uint32_t length) {
    struct push_decoder *d = &c->decoder;
    const bool whole = (uint64_t)d->remaining * 4 >= length;
    const uint32_t bytes = whole ? length : length & (ENTRY_NO_PREFETCH - 1);
    if (channel_is_fermi(c))
        await_results(c, address, bytes);
    const uint32_t *word = bytes ? channel_read_at(c, address, bytes) : NULL;
    const uint32_t count = word && !(address & 3) ? bytes / 4 : 0;
    const uint64_t began = timeline_begin();
    const int was = context_enter(c->context, STAGE_DECODE);
    c->data_stays = d->remaining >= count;
    for (uint32_t i = 0; i < count && c->draws < c->last_draw && !c->hung;) {
        if (d->remaining) {
            const uint32_t n = d->remaining < count - i ? d->remaining : count - i;
            send_methods(c, word + i, n);
            i += n;
        } else if (d->count_next) {
            d->remaining = word[i++];
            d->count_next = false;
        } else if (channel_is_fermi(c) ? !take_fermi_header(c, word[i++])
                                       : !take_header(d, word[i++])) {
            log_message(channel_log(c), LOG_ERROR,
                        "INVALID_CMD %08x in the pushbuffer at %010" PRIx64 ", the rest is skipped",
                        word[i - 1], address + 4 * (i - 1));
            break;
        }
    }
    context_leave(c->context, was);
    timeline_end_run(TIMELINE_SUBMISSION, began, count);
}

void channel_execute_all(struct channel *c, const struct push *entry, uint32_t count) {
    context_memory_changed(c->context); /* the CPU may have written before the submission */
    for (uint32_t i = 0; i < count; i++)
        execute_entry(c, entry[i].address, entry[i].length);
}

void channel_execute(struct channel *c, uint64_t address, uint32_t length) {
    channel_execute_all(c, &(const struct push){address, length}, 1);
}

void channel_finish(struct channel *c) {
    const enum tp_result result = context_finish(c->context);
    c->lacked_memory |= result == TP_ERROR_MEMORY;
    if (result != TP_OK && channel_first_time(c, 0, device_message(c->device)))
        log_message(channel_log(c), LOG_WARNING, "%s", device_message(c->device));
    for (int i = 0; i < OBJECTS; i++) {
        struct engine *e = c->object[i].engine;
        if (e && e->class->finish)
            e->class->finish(e);
    }
    c->busy = false;
    if (c->device->profile)
        context_log_profile(c->context);
}

uint64_t channel_draws(const struct channel *c) {
    return c->draws;
}

bool channel_lacked_memory(const struct channel *c) {
    return c->lacked_memory;
}

void channel_lack_memory(struct channel *c) {
    c->lacked_memory = true;
}

void channel_before_draw(struct channel *c) {
    if (c->draw_observer)
        c->draw_observer->before(c->draw_observer->self, c);
}

void channel_count_draw(struct channel *c) {
    if (c->draw_observer)
        c->draw_observer->after(c->draw_observer->self, c);
    c->draws++;
}

void channel_observe_draws(struct channel *c, const struct draw_observer *observer) {
    c->draw_observer = observer;
}

void channel_stop_after(struct channel *c, uint64_t draws) {
    c->last_draw = draws;
}

void channel_set_patience(struct channel *c, uint64_t ns) {
    c->patience = ns;
}

void channel_set_quirks(struct channel *c, bool quirks) {
    c->quirks = quirks;
}

bool channel_quirks(const struct channel *c) {
    return c->quirks;
}

void channel_stop_clock(struct channel *c) {
    c->clock_stopped = true;
}

bool channel_busy(const struct channel *c) {
    return c->busy;
}
