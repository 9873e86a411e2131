/* Reads of memory that an earlier draw writes, by draws, conditions and the CPU: the read touches
 * the first or the last word of the target. Also writes to memory that a queued draw reads. */
#include "pipeline/context.h"
#include "tests/pipeline/greys.h"
#include "tests/shapes.h"

/* The ways to read an element. Most read its neighbours, too, before or behind it. */
enum reader {
    INDEX_1,
    INDEX_2,
    INDEX_4,
    ARRAY,
    VERTEX_CONSTANT,
    FRAGMENT_CONSTANT,
    INLINE_CONSTANTS,
    CONDITION_FIRST,
    CONDITION_SECOND,
    BYTES,
    READERS
};

/* Fills the buffer with OLD and queues a draw that fills the target with NEW. Readers draw points
 * into the middle of the same target. */
static void draw_words(struct drawn_words *w) {
    static const float fill[3][8] = {WHOLE(0, NEW / 255.f, 0, 0, 0)};
    struct fixture *f = &w->f;
    struct state *s = &f->context->state;
    float v[3 + 16][8];
    for (int i = 0; i < T_ROOM / 4; i++)
        w->word[i] = OLD;
    OK(f, tp_bind_program(f->context, TP_VERTEX, f->vp));
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, f->fp));
    OK(f, tp_buffer_write(f->context, w->words, 0, w->word, sizeof w->word));
    make_row(v + 3, 16);
    memcpy(v, fill, sizeof fill);
    for (int i = 0; i < 16; i++)
        v[3 + i][4] = (float)(SHOWN + i) / 255;
    fixture_vertices(f, (const float(*)[8])v, 3 + 16);
    OK(f, tp_finish(f->context));
    s->color[0] = TARGET(tp_buffer_address(w->words) + T_AT, FORMAT_RGBA8_UNORM, SIZE, SIZE,
                         4 * SIZE, .linear = true);
    s->zeta_enable = false;
    state_touch(s, GROUP_TARGET);
    OK(f, draw_begin(f->context, TP_TRIANGLES, DRAW_INSTANCE_FIRST));
    OK(f, draw_arrays(f->context, 0, 3));
    OK(f, draw_end(f->context));
    s->array[0].start += sizeof fill; /* the following draws draw the points */
    state_touch(s, GROUP_FETCH);
    assert_false(context_idle(f->context));
}

/* The red of the pixel that point i drew. */
static uint32_t shown(struct drawn_words *w, uint32_t i) {
    OK(&w->f, tp_buffer_read(w->f.context, w->words, 0, w->word, sizeof w->word));
    return w->word[T_AT / 4 + (SIZE / 2 - 1) * SIZE + 2 * i] & 0xff;
}

/* Reads the element at this byte, together with elements before it or behind it. Returns the value
 * found. */
static uint32_t read_word(struct drawn_words *w, enum reader reader, uint32_t at, bool behind) {
    enum { MORE = 3 };
    struct fixture *f = &w->f;
    tp_context *const c = f->context;
    struct state *s = &c->state;
    const uint64_t address = tp_buffer_address(w->words) + at;
    float v[16][8];
    uint8_t byte;
    bool equal;
    switch (reader) {
    case ARRAY:
        s->array[1] = (struct vertex_array){.enable = true,
                                            .start = address - (behind ? 0 : 4 * MORE),
                                            .limit = address + 3 + (behind ? 4 * MORE : 0),
                                            .stride = 4};
        s->attribute[1] = (struct vertex_attribute){.array = 1, .format = 0x0a, .type = 0x12};
        state_touch(s, GROUP_FETCH);
        draw_point(f, behind ? 0 : MORE);
        return shown(w, behind ? 0 : MORE);
    case VERTEX_CONSTANT:
    case FRAGMENT_CONSTANT:
        OK(f, tp_bind_program(c, reader == VERTEX_CONSTANT ? TP_VERTEX : TP_FRAGMENT,
                              reader == VERTEX_CONSTANT ? w->constant_vp : w->constant_fp));
        s->const_buffer[3].address = address - 0x100;
        s->const_buffer[3].size = 0x104 + (behind ? 64 : 0);
        s->const_binding[reader == VERTEX_CONSTANT ? PROGRAM_VP : PROGRAM_FP][0] = 3;
        state_touch(s, GROUP_CONSTANT);
        draw_point(f, 1);
        return shown(w, 1);
    case INLINE_CONSTANTS: /* the vertices survive if the draw has to flush first */
        s->const_buffer[3].address = address - 0x100;
        s->const_buffer[3].size = 0x104 + (behind ? 64 : 0);
        for (int stage = 0; stage < 2; stage++) {
            OK(f, tp_bind_program(c, stage ? TP_FRAGMENT : TP_VERTEX,
                                  stage ? w->constant_fp : w->constant_vp));
            s->const_binding[stage ? PROGRAM_FP : PROGRAM_VP][0] = 3;
        }
        state_touch(s, GROUP_CONSTANT);
        make_row(v, 16);
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(f, draw_vertex_data(c, (const uint32_t *)v, 16 * 8));
        OK(f, draw_end(c));
        for (uint32_t i = 0; i < 15; i++)
            if (shown(w, i) != shown(w, 15))
                return 1000 + i;
        return shown(w, 15);
    case CONDITION_FIRST: /* once the target is drawn, the two values differ */
    case CONDITION_SECOND:
        s->condition_mode = 3;
        s->condition_address = address - (reader == CONDITION_FIRST ? 4 : 20);
        equal = context_condition(c);
        s->condition_mode = 1;
        return equal ? OLD : NEW;
    case BYTES:
        OK(f, tp_buffer_read(c, w->words, at, &byte, 1));
        return byte;
    default: {
        const uint32_t size = 1u << reader;
        OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
        OK(f, draw_indices_memory(c, address - (behind ? 0 : MORE * size), MORE + 1, size));
        OK(f, draw_end(c));
        return shown(w, NEW) == SHOWN + NEW ? NEW : OLD;
    }
    }
}

/* A read of memory that is being drawn returns the drawn pixels, also if it touches only the
 * target's first or last bytes. Bytes just before and behind the target are unchanged. */
TEST(test_read_at_ends) {
    static const uint32_t places[][2] = {
        {T_AT, NEW}, {T_AT + T_BYTES - 4, NEW}, {T_AT - 4, OLD}, {T_AT + T_BYTES, OLD}};
    static struct drawn_words w;
    open_words(&w, 1);
    for (uint32_t i = 0; i < 2 * 4 * READERS; i++) {
        const uint32_t *place = places[i / 2 % 4];
        const enum reader reader = (enum reader)(i / 8);
        if ((reader <= INDEX_4 && place[1] == OLD) || /* other indices may be NEW */
            (reader == CONDITION_FIRST && place[0] != T_AT + T_BYTES - 4) ||
            (reader == CONDITION_SECOND && place[0] != T_AT))
            continue;
        draw_words(&w);
        const uint32_t got = read_word(&w, reader, place[0], i & 1);
        if (got != place[1])
            fail_msg("reader %u, byte %d of the target, %s the others: %u, not %u", reader,
                     (int)place[0] - T_AT, i & 1 ? "before" : "behind", got, place[1]);
    }
    close_words(&w);
}

/* Memory that a queued draw reads must not be written before the read. The write touches the first
 * or the last byte of indices in memory, pushed indices or arrays. */
TEST(test_written_at_ends) {
    enum { FIRST = 512, COUNT = 4, PUSHED = INDEX_4 + 1, BYTE_ARRAY, WAYS };
    static struct drawn_words w;
    open_words(&w, 1);
    struct fixture *f = &w.f;
    tp_context *const c = f->context;
    struct state *s = &c->state;
    float v[16][8];
    make_row(v, 16);
    for (int i = 0; i < 16; i++)
        v[i][4] = (float)(SHOWN + i) / 255;
    fixture_vertices(f, (const float(*)[8])v, 16);
    const uint64_t address = tp_buffer_address(w.words) + FIRST;
    uint8_t *const memory = memory_at(f->device->memory, address, 64);
    for (uint32_t i = 0; i < 4 * WAYS; i++) {
        const uint32_t way = i / 4, size = way <= INDEX_4 ? 1u << way : way == PUSHED ? 2 : 1;
        const bool last = i & 1, again = i & 2; /* repeats the draw */
        const uint32_t at = last ? COUNT * size - 1 : 0;
        s->attribute[1] = (struct vertex_attribute){.offset = 16, .format = 1, .type = 0x3f};
        if (way == BYTE_ARRAY) {
            s->array[1] = (struct vertex_array){
                .enable = true, .start = address, .limit = address + COUNT - 1, .stride = 1};
            s->attribute[1] = (struct vertex_attribute){.array = 1, .format = 0x1d, .type = 0x12};
        }
        state_touch(s, GROUP_FETCH);
        for (int turn = 0; turn <= again; turn++) {
            OK(f, tp_clear(c, TP_CLEAR_COLOR, NULL, 1, 0));
            OK(f, tp_finish(c));
            for (uint32_t k = 0; k < COUNT; k++)
                memcpy(memory + k * size, &(uint32_t){OLD}, size);
            OK(f, draw_begin(c, TP_POINTS, DRAW_INSTANCE_FIRST));
            OK(f, way == BYTE_ARRAY ? draw_arrays(c, 0, COUNT)
                  : way == PUSHED   ? draw_indices_pushed(c, memory, COUNT, size)
                                    : draw_indices_memory(c, address, COUNT, size));
            OK(f, draw_end(c));
            assert_false(context_idle(c));
            context_before_write(c, address + at, 1);
            memcpy(memory + at / size * size, &(uint32_t){NEW},
                   size); /* the whole element: after the call above, no draw reads it */
        }
        fixture_read(f);
        for (uint32_t k = 0; k < 16; k++) {
            const uint32_t want = way == BYTE_ARRAY ? (k < COUNT ? OLD : 0)
                                  : k == OLD        ? SHOWN + OLD
                                                    : 0;
            if (red_at(f, 2 * k, SIZE / 2 - 1) != want)
                fail_msg("way %u, %s byte, %s: point %u is %u", way, last ? "last" : "first",
                         again ? "again" : "once", k, red_at(f, 2 * k, SIZE / 2 - 1));
        }
    }
    close_words(&w);
}
