/* Queries, fences and counters of the 3D class. In: QUERY_* registers. Out: words in GPU memory.
 * Fences are written when all earlier work is done (channel_finish). Reports of samples are written
 * by the next flush, before the fences. Other results are written at once, those with a counter
 * after a wait that makes the counter final. Facts: tesla-3d.md §7.
 */
#include "fifo/engine_3d.h"

#include <stdlib.h>

enum { GET_COUNTER = 1 << 23, GET_SHORT = 1 << 28, GET_SELECT_SHIFT = 24, GET_INDEX_SHIFT = 5 };
enum { SELECT_ZERO = 0, SELECT_SAMPLES = 1, SELECT_NO_OVERFLOW = 2, SELECT_STREAM_OFFSET = 0xd };

/* The counters in the order of their numbers in QUERY_GET. */
static const uint8_t counters[] = {
    COUNTER_VERTICES,          COUNTER_PRIMITIVES_IN, COUNTER_VP_LAUNCHES,
    COUNTER_GP_LAUNCHES,       COUNTER_GP_PRIMITIVES, COUNTER_PRIMITIVES_WRITTEN,
    COUNTER_PRIMITIVES_NEEDED, COUNTER_CLIP_IN,       COUNTER_CLIP_OUT,
    COUNTER_FP_LAUNCHES,
};

static void write_fence(struct channel *c, const struct fence *f) {
    uint32_t *at = memory_at(channel_memory(c), f->address, f->is_short ? 4 : 16);
    if (!at)
        return;
    if (!f->is_short) {
        const uint64_t now = channel_time(c);
        at[1] = 0;
        at[2] = (uint32_t)now;
        at[3] = (uint32_t)(now >> 32);
    }
    __atomic_store_n(at, f->sequence, __ATOMIC_RELEASE);
}

void query_3d_finish(struct engine *e) {
    struct engine_3d *t = (struct engine_3d *)e;
    for (size_t i = 0; i < t->fence_count; i++)
        write_fence(e->channel, &t->fence[i]);
    t->fence_count = 0;
}

bool query_3d_awaits(const struct engine *e, uint64_t address, uint64_t size) {
    const struct engine_3d *t = (const struct engine_3d *)e;
    bool awaits = false;
    for (size_t i = 0; i < t->fence_count; i++) {
        const struct fence *f = &t->fence[i];
        awaits |= f->address < address + size && address < f->address + (f->is_short ? 4 : 16);
    }
    return awaits;
}

static void add_fence(struct engine_3d *t, struct fence f) {
    if (ARRAY_ROOM(t->fence, t->fence_capacity, t->fence_count + 1)) {
        t->fence[t->fence_count++] = f;
    } else {
        channel_finish(t->base.channel);
        write_fence(t->base.channel, &f);
    }
}

/* Classes below 8397 count a generated primitive only if it streams out: a G92 fails the tests that
 * count without transform feedback (hardware-differences.md). The rule of later classes is not
 * known; here later classes count all primitives, as OpenGL asks. */
static enum counter counter_of(const struct engine *e, uint32_t select) {
    if (counters[select] == COUNTER_PRIMITIVES_NEEDED && e->class_id >= 0x8397)
        return COUNTER_PRIMITIVES_GENERATED;
    return counters[select];
}

/* Writes a report of four words: the 64-bit counter, then the 64-bit time. */
static void get_counter(struct engine *e, uint64_t address, uint32_t select) {
    if (select >= sizeof counters) {
        engine_complain(e, M_QUERY_GET, "counter %u", select);
        return;
    }
    const uint64_t value = context_counter(engine_context(e), counter_of(e, select));
    const uint64_t words[2] = {value, channel_time(e->channel)};
    void *at = channel_write_at(e->channel, address, sizeof words);
    if (at)
        memcpy(at, words, sizeof words);
}

static uint32_t query_value(struct engine *e, uint32_t select, uint32_t index) {
    tp_context *c = engine_context(e);
    switch (select) {
    case SELECT_NO_OVERFLOW:
        return context_counter(c, COUNTER_PRIMITIVES_NEEDED) ==
               context_counter(c, COUNTER_PRIMITIVES_WRITTEN);
    case SELECT_STREAM_OFFSET: /* set when a draw is queued (scene_call) */
        return c->state.stream.buffer[index & 3].offset;
    default:
        engine_complain(e, M_QUERY_GET, "query %u", select);
        return 0;
    }
}

static void write_report(struct channel *c, uint64_t to, uint32_t sequence, uint32_t value) {
    uint32_t *at = memory_at(channel_memory(c), to, 16);
    const uint64_t now = channel_time(c);
    if (!at)
        return;
    at[1] = value;
    at[2] = (uint32_t)now;
    at[3] = (uint32_t)(now >> 32);
    __atomic_store_n(at, sequence, __ATOMIC_RELEASE);
}

void query_3d_report(void *channel, uint64_t address, uint32_t sequence, uint64_t samples) {
    write_report(channel, address, sequence, (uint32_t)samples);
}

/* Reports the samples passed. The report is noted, and the next flush writes it. Without memory
 * for the note, the report is written at once. */
static void get_samples(struct engine *e, uint64_t to, uint32_t sequence) {
    tp_context *c = engine_context(e);
    if (channel_write_at(e->channel, to, 16) && !context_report_samples(c, to, 16, sequence))
        write_report(e->channel, to, sequence,
                     (uint32_t)context_counter(c, COUNTER_SAMPLES_PASSED));
}

static void get_report(struct engine *e, uint32_t get) {
    const uint32_t select = get >> GET_SELECT_SHIFT & 0xf;
    const uint64_t to = reg_address(e, M_QUERY_ADDRESS_HIGH);
    const uint32_t sequence = reg_at(e, M_QUERY_SEQUENCE);
    if (to & 3) {
        engine_complain(e, M_QUERY_ADDRESS_LOW, "unaligned address");
    } else if ((get & GET_SHORT) || (select == SELECT_ZERO && !(get & GET_COUNTER))) {
        add_fence((struct engine_3d *)e, (struct fence){to, sequence, (get & GET_SHORT) != 0});
    } else if (get & GET_COUNTER) {
        get_counter(e, to, select);
    } else if (select == SELECT_SAMPLES) {
        get_samples(e, to, sequence);
    } else {
        const uint32_t value = query_value(e, select, get >> GET_INDEX_SHIFT & 7);
        if (channel_write_at(e->channel, to, 16))
            write_report(e->channel, to, sequence, value);
    }
}

void query_3d_get(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    work_begin(engine_context(e), WORK_COPY);
    get_report(e, *data);
    work_end(engine_context(e));
}

/* ---- Fermi ---- */

/* Writes a short report that names no stage of the hardware to wait for. The report is written at
 * once: macros write their results in this way, and the next command may read them. */
static void write_now(struct engine *e, uint64_t to, uint32_t sequence) {
    void *at = channel_write_at(e->channel, to, sizeof sequence);
    if (at)
        memcpy(at, &sequence, sizeof sequence);
}

/* Bits 23 to 27 of Fermi's QUERY_GET select the counter that is reported. The statistic counters[n]
 * has the number 2n + 1. */
enum { FERMI_SELECTION_SHIFT = 23, FERMI_SHORT = 1 << 28, FERMI_UNIT = 0xf << 12 };
enum {
    SELECTION_TIME = 0,
    SELECTION_SAMPLES = 2,
    SELECTION_OVERFLOW = 6,
    SELECTION_GENERATED = 0x12,
    SELECTION_OFFSET = 0x1a,
    SELECTION_PATCHES = 0x1b,
    SELECTION_EVALUATIONS = 0x1d,
    SELECTION_ANY_OVERFLOW = 0x1e,
};

/* Writes a report of a 64-bit value and the 64-bit time. */
static void write_wide(struct engine *e, uint64_t to, uint64_t value) {
    const uint64_t words[2] = {value, channel_time(e->channel)};
    void *at = channel_write_at(e->channel, to, sizeof words);
    if (at)
        memcpy(at, words, sizeof words);
}

/* The number of lost primitives, which grows with each overflow; the driver compares two
 * reports. */
static uint32_t stream_overflows(tp_context *c, uint32_t stream) {
    return (uint32_t)(context_stream_counter(c, COUNTER_PRIMITIVES_NEEDED, stream) -
                      context_stream_counter(c, COUNTER_PRIMITIVES_WRITTEN, stream));
}

/* Sets *value to the 64-bit counter that a selection names. False if there is no such counter. */
static bool wide_value(tp_context *c, uint32_t selection, uint32_t stream, uint64_t *value) {
    switch (selection) {
    case SELECTION_GENERATED:
        *value = context_stream_counter(c, COUNTER_PRIMITIVES_GENERATED, stream);
        return true;
    case SELECTION_PATCHES:
        *value = context_counter(c, COUNTER_PATCHES);
        return true;
    case SELECTION_EVALUATIONS:
        *value = context_counter(c, COUNTER_EVALUATIONS);
        return true;
    }
    const uint32_t n = selection / 2;
    if (!(selection & 1) || n >= sizeof counters)
        return false;
    *value = context_stream_counter(c, counters[n], stream);
    return true;
}

static void report_value(struct engine *e, uint64_t to, uint32_t selection, uint32_t index) {
    tp_context *c = engine_context(e);
    uint32_t value = 0;
    uint64_t wide;
    switch (selection) {
    case SELECTION_OVERFLOW:
        value = stream_overflows(c, index);
        break;
    case SELECTION_ANY_OVERFLOW:
        for (uint32_t i = 0; i < STATE_STREAMS; i++)
            value += stream_overflows(c, i);
        break;
    case SELECTION_OFFSET:
        value = c->state.stream.buffer[index & 3].offset;
        break;
    default:
        if (wide_value(c, selection, index, &wide))
            write_wide(e, to, wide);
        else
            engine_complain(e, M_QUERY_GET_FERMI, "query %x", selection);
        return;
    }
    if (channel_write_at(e->channel, to, 16))
        write_report(e->channel, to, reg_at(e, M_QUERY_SEQUENCE), value);
}

static void get_fermi_report(struct engine *e, uint32_t get) {
    const uint32_t selection = get >> FERMI_SELECTION_SHIFT & 0x1f;
    const uint32_t sequence = reg_at(e, M_QUERY_SEQUENCE);
    const uint64_t to = reg_address(e, M_QUERY_ADDRESS_HIGH);
    const bool is_short = get & FERMI_SHORT;
    if (to & 3)
        engine_complain(e, M_QUERY_ADDRESS_LOW, "unaligned address");
    else if (is_short && !(get & FERMI_UNIT))
        write_now(e, to, sequence);
    else if (is_short || selection == SELECTION_TIME)
        add_fence((struct engine_3d *)e, (struct fence){to, sequence, is_short});
    else if (selection == SELECTION_SAMPLES)
        get_samples(e, to, sequence);
    else
        report_value(e, to, selection, get >> GET_INDEX_SHIFT & 7);
}

void fermi_query_get(struct engine *e, uint32_t, const uint32_t *data, uint32_t) {
    work_begin(engine_context(e), WORK_COPY);
    get_fermi_report(e, *data);
    work_end(engine_context(e));
}

void query_3d_counter_reset(struct engine *e, uint32_t address, const uint32_t *data, uint32_t) {
    static const struct {
        uint8_t code, counter;
    } resets[] = {
        {0x01, COUNTER_SAMPLES_PASSED},    {0x10, COUNTER_PRIMITIVES_WRITTEN},
        {0x11, COUNTER_PRIMITIVES_NEEDED}, {0x11, COUNTER_PRIMITIVES_GENERATED},
        {0x12, COUNTER_VERTICES},          {0x13, COUNTER_PRIMITIVES_IN},
        {0x15, COUNTER_VP_LAUNCHES},       {0x1a, COUNTER_GP_LAUNCHES},
        {0x1b, COUNTER_GP_PRIMITIVES},     {0x1c, COUNTER_CLIP_IN},
        {0x1d, COUNTER_CLIP_OUT},          {0x1e, COUNTER_FP_LAUNCHES},
    };
    bool known = false;
    for (size_t i = 0; i < sizeof resets / sizeof *resets; i++)
        if (resets[i].code == *data) {
            context_counter_reset(engine_context(e), resets[i].counter);
            known = true;
        }
    if (!known)
        engine_complain(e, address, "counter %x", *data);
}
