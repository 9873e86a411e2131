/* The common parts of all engines: a class described by its method table, an object with its
 * register shadow, and the dispatch from a method word to a handler. Stands between the pusher and
 * the engines. Must not know the meaning of methods.
 */
#pragma once

#include "fifo/fifo.h"

/* Sizes of the space of method numbers, and of the register shadow. Each method has a home, a byte
 * offset in the register shadow. In the 3D classes the home is Tesla's number of the method, or
 * METHOD_SPACE_TESLA plus Fermi's number if only Fermi has the method. So code that reads registers
 * serves both generations. In other classes the home is the number. */
enum {
    METHOD_SPACE_TESLA = 0x2000,
    METHOD_SPACE = 0x8000,
    METHOD_WORDS = METHOD_SPACE / 4,
    REGISTER_WORDS = (METHOD_SPACE_TESLA + METHOD_SPACE) / 4
};

struct engine;

/* Executes the method whose home is address, with count words of data. A method that is not `bulk`
 * gets one word at a time. The register shadow already holds the last word. */
typedef void method_fn(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count);

struct method {
    uint16_t address;      /* the method's home */
    uint8_t count, stride; /* an array: count entries, stride bytes apart; both 0 otherwise */
    /* unit of the state that the method belongs to: a write sets bit `unit` of engine.dirty */
    uint8_t unit;
    bool bulk; /* one call may take several words that are sent to one address */
    const char *name;
    method_fn *call; /* NULL: only the register keeps the value */
};
/* For a list METHODS(X) of an engine with X(name, home, count, stride, bulk, call). */
#define METHOD_ADDRESS(name, home, ...) name = home,
#define METHOD_ROW(name, home, count, stride, bulk, call)                                          \
    {home, count, stride, 0, bulk, #name, call},
/* A method's number in one of several classes that share a table. */
struct method_number {
    uint16_t first; /* NO_METHOD: the class lacks the method */
    uint8_t stride;
};
enum { NO_METHOD = 0xffff };

struct engine_class {
    const char *name;
    size_t size; /* bytes of an object, which begins with its `struct engine` */
    const struct method *method;
    const struct method_number *number; /* [method_count]; NULL: numbers are homes */
    size_t method_count;
    void (*start)(struct engine *e);  /* sets first values of an object; may be NULL */
    void (*stop)(struct engine *e);   /* frees memory of an object; may be NULL */
    void (*finish)(struct engine *e); /* writes results that wait for queued work; may be NULL */
    /* True if finish() would write into this range of memory; may be NULL. */
    bool (*awaits)(const struct engine *e, uint64_t address, uint64_t size);
};

struct engine {
    const struct engine_class *class;
    uint32_t class_id;
    struct channel *channel;
    const struct log *log;
    uint32_t space;               /* bytes of method numbers of the class */
    uint64_t dirty;               /* bit u: a register of unit u was written */
    uint32_t reg[REGISTER_WORDS]; /* the last value of each method, at home / 4 */
    struct method_place {
        uint16_t method;               /* index in class->method, plus 1; 0 = no such method */
        uint16_t home;                 /* index in reg[] */
    } place[METHOD_WORDS];             /* by number / 4 */
    uint8_t unknown[METHOD_WORDS / 8]; /* bit set of logged unknown methods */
};

/* Makes an object of class_id; NULL if there is no such class or no memory. */
struct engine *engine_create(struct channel *c, uint32_t class_id);
void engine_destroy(struct engine *e);
/* Sends words (at least one) to a method by number: all to one address, or to consecutive
 * addresses. Words beyond the engine's space are dropped. */
void engine_method(struct engine *e, uint32_t address, const uint32_t *data, uint32_t count,
                   bool increment);
/* The last value sent to the method of this number. */
uint32_t engine_register(const struct engine *e, uint32_t address);

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

/* The CALL_LIM entries on a warp's stack that one stage's nibble of CALL_LIMIT_LOG allows. 0:
 * none; n: 2^(n-1); 0xf: any number (tesla-isa.md §10.3). */
static inline uint32_t engine_call_limit(uint32_t nibble) {
    nibble &= 0xf;
    return nibble == 0xf ? UINT32_MAX : nibble ? 1u << (nibble - 1) : 0;
}

/* CB_DEF_SET of the 3D and the compute class: sets address and size of a const buffer. word: id <<
 * 16 | size in bytes (0: 64 KiB). */
void engine_define_constants(struct engine *e, uint64_t address, uint32_t word);

/* SET_PROGRAM_CB: binds a const buffer to a stage. Compute programs share the table of bindings of
 * vertex programs (tesla-3d.md §4), so the compute class passes PROGRAM_VP. */
void engine_bind_constants(struct engine *e, enum program_type stage, uint32_t word);
/* CB_DATA: writes words at *position (CB_ADDR: word offset << 8 | id) and advances *position. */
void engine_write_constants(struct engine *e, uint32_t method, uint32_t *position,
                            const uint32_t *data, uint32_t count);

/* Logs an illegal value (the hardware's DATA_ERROR), once for each method and text. */
void engine_complain(struct engine *e, uint32_t address, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Logs once why the pipeline refused a call. */
void engine_check(struct engine *e, uint32_t address, enum tp_result result);

/* ---- the channel, for engines ---- */
void channel_before_draw(struct channel *c);
void channel_count_draw(struct channel *c); /* after a draw */
/* Notes that work is left out for want of memory. */
void channel_lack_memory(struct channel *c);
struct gpu_memory *channel_memory(struct channel *c);
/* The context, for the use of its threads only. Unlike channel_context, this call does not mark the
 * channel as busy. */
struct tp_context *channel_threads(struct channel *c);
const struct log *channel_log(struct channel *c);
uint32_t channel_chipset(const struct channel *c);
bool channel_quirks(const struct channel *c);
/* True on a G80, whose texture descriptors do not name the levels of the view. */
static inline bool engine_lacks_levels(const struct engine *e) {
    return channel_chipset(e->channel) == 0x50;
}
uint64_t channel_work_limit(const struct channel *c); /* tp_device.work_limit */
uint64_t channel_time(const struct channel *c);       /* ns */
/* True at the first call with this text and key. A caller logs only then, so that a fault of every
 * draw gives one line. */
bool channel_first_time(struct channel *c, uint32_t key, const char *text);
/* A range of GPU memory for an engine. The call first waits for queued work that conflicts with the
 * access. Returns NULL, and logs a page fault, unless the whole range is allocated. */
void *channel_read_at(struct channel *c, uint64_t address, uint64_t size);
void *channel_write_at(struct channel *c, uint64_t address, uint64_t size);
/* The address of the code segment of fragment and compute programs. FP_ADDRESS of the 3D class and
 * CP_ADDRESS of the compute class both set it: nouveau never sends CP_ADDRESS and puts compute code
 * into the segment of fragment programs. */
uint64_t channel_fragment_code(const struct channel *c);
void channel_set_fragment_code(struct channel *c, uint64_t address);
/* True if the current method's data stay unchanged until the submission is done, because the data
 * alone make up an entry of the indirect buffer. Other words of a pushbuffer may be overwritten as
 * soon as they are read. */
bool channel_data_stays(const struct channel *c);
/* Evaluates the condition of a COND_MODE at this address. True if work is to be done. The state's
 * own condition stays as it is. */
bool channel_condition(struct channel *c, uint32_t mode, uint64_t address);

/* The macro processor, which 3D and compute share. */
struct macro *channel_macro(struct channel *c);

extern const struct engine_class engine_m2mf, engine_2d, engine_3d, engine_compute;
extern const struct engine_class engine_m2mf_fermi, engine_3d_fermi, engine_compute_fermi,
    engine_software;

static inline tp_context *engine_context(struct engine *e) {
    return channel_context(e->channel);
}

/* Class numbers from hexadecimal 9000 on are Fermi's. */
enum { FERMI_CLASSES = 0x9000 };
static inline bool engine_is_fermi(const struct engine *e) {
    return e->class_id >= FERMI_CLASSES;
}
/* The tile height of a block-linear surface, as log2 of units of 4 rows. mode: the surface's tile
 * mode word, in which Fermi counts units of 8 rows, Tesla units of 4. */
static inline uint8_t engine_tile_height(const struct engine *e, uint32_t mode) {
    return (uint8_t)((mode >> 4 & 0xf) + engine_is_fermi(e));
}
