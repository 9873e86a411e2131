/* What the engines have in common: a class described by its method table, an instance with its
 * register shadow, and the dispatch from a method word to a handler. Knows no method's meaning.
 */
#ifndef FIFO_ENGINE_H
#define FIFO_ENGINE_H

#include "fifo/fifo.h"

enum { METHOD_SPACE = 0x2000, METHOD_WORDS = METHOD_SPACE / 4 };

struct engine;

/* Executes a method: count words of data for the method at address. Handlers of methods that are
 * not `bulk` get one word at a time. The register shadow already holds the (last) word. */
typedef void method_fn(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count);

struct method {
    uint16_t address;
    uint8_t count, stride; /* an array: count entries, stride bytes apart; both 0 otherwise */
    uint8_t unit; /* the part of the state it belongs to: sets bit `unit` of engine.dirty */
    bool bulk;    /* several words sent to one address come in one call */
    const char *name;
    method_fn *call; /* NULL: the value is kept for later, nothing happens now */
};

struct engine_class {
    const char *name;
    const struct method *method;
    size_t method_count;
    struct engine *(*create)(struct channel *c,
                             uint32_t class_id); /* sets nothing of `struct engine` */
    void (*destroy)(struct engine *e);
    void (*finish)(
        struct engine *e); /* writes what waits for queued work; NULL: nothing ever does */
};

struct engine {
    const struct engine_class *class;
    uint32_t class_id;
    struct channel *channel;
    const struct log *log;
    uint64_t dirty;                    /* units whose registers were written */
    uint32_t reg[METHOD_WORDS];        /* the last value of every method, by address / 4 */
    uint16_t method_at[METHOD_WORDS];  /* index in class->method, plus 1; 0 = no such method */
    uint8_t unknown[METHOD_WORDS / 8]; /* already logged */
};

/* An instance of class_id, or NULL (no such class, or out of memory). */
struct engine *engine_create(struct channel *c, uint32_t class_id);
void engine_destroy(struct engine *e);
/* Sends words, at least one, to a method: all to the same address, or to consecutive ones, of
 * which those beyond METHOD_SPACE are nobody's. */
void engine_method(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count,
                   bool increment);

static inline uint32_t reg_at(const struct engine *e, uint32_t address) {
    return e->reg[address / 4];
}
static inline uint64_t reg_address(const struct engine *e, uint32_t high) {
    return (uint64_t)(reg_at(e, high) & 0xff) << 32 | reg_at(e, high + 4);
}
static inline float reg_float(const struct engine *e, uint32_t address) {
    union {
        uint32_t u;
        float f;
    } v = {reg_at(e, address)};
    return v.f;
}

/* CALL_LIMIT_LOG, one stage's nibble: 0 none, n: 2^(n-1), 0xf any (tesla-isa.md §10.3). */
static inline uint32_t engine_call_limit(uint32_t nibble) {
    nibble &= 0xf;
    return nibble == 0xf ? UINT32_MAX : nibble ? 1u << (nibble - 1) : 0;
}

/* Const buffers, which the 3D and the compute class write alike. CB_DEF_SET: word = id << 16 |
 * size (0: 64 KiB). */
void engine_define_constants(struct engine *e, uint64_t address, uint32_t word);
/* CB_DATA: words go where *position (CB_ADDR: word offset << 8 | id) points, which moves on. */
void engine_write_constants(struct engine *e, uint32_t method, uint32_t *position,
                            const uint32_t *data, uint32_t count);

/* Complains about an illegal value as the hardware's DATA_ERROR would; once per method and text. */
void engine_complain(struct engine *e, uint32_t address, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The channel as engines see it. */
void channel_before_draw(struct channel *c);
void channel_count_draw(struct channel *c); /* after it */
struct gpu_memory *channel_memory(struct channel *c);
/* The context for the help of its threads: unlike channel_context, leaves nothing to be
 * finished. */
struct tp_context *channel_threads(struct channel *c);
const struct log *channel_log(struct channel *c);
uint32_t channel_chipset(const struct channel *c);
uint64_t channel_work_limit(const struct channel *c); /* tp_device.work_limit */
uint64_t channel_time(const struct channel *c);       /* ns */
/* True the first time text (with key) is given: log lines that would come with every draw come
 * once. */
bool channel_first_time(struct channel *c, uint32_t key, const char *text);
/* Bounded access to memory for an engine, after what is queued has been taken care of; NULL (and
 * a page fault in the log) unless the whole range is allocated. */
void *channel_read_at(struct channel *c, uint64_t address, uint64_t size);
void *channel_write_at(struct channel *c, uint64_t address, uint64_t size);
/* The segment that fragment and compute programs have in common: FP_ADDRESS of the 3D class and
 * CP_ADDRESS of the compute class set one register (nouveau never sends the latter and has compute
 * code in the fragment programs' segment). */
uint64_t channel_fragment_code(const struct channel *c);
void channel_set_fragment_code(struct channel *c, uint64_t address);
/* Whether the method's data are an entry of their own: not the words of a pushbuffer, which may
 * be written anew as soon as they are read, but a buffer that a driver pushes, which stays as it
 * is until what was submitted with it is done. */
bool channel_data_stays(const struct channel *c);
/* A condition in the form of COND_MODE on that address. */
bool channel_condition(struct channel *c, uint32_t mode, uint64_t address);

extern const struct engine_class engine_m2mf, engine_2d, engine_3d, engine_compute;

#endif
