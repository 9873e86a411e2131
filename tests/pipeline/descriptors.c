/* The textures and samplers of a draw: bindings from the tables in memory up to their limits,
 * bindings from the state itself, unbound slots, linked samplers, and the levels of class 5097.
 * Tables that are written, up to their last byte, are read again. */
#include "tests/pipeline/fixture.h"
#include "tests/shapes.h"

#include "pipeline/state/build.h"

enum { SIZE = 32, ENTRIES = 8, WIDTH = 4 /* of entry 0; each further entry is a texel wider */ };

static const char sample_fp[] =
    ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\ninterp $r0 v[0x4]\n"
    "interp $r1 v[0x8]\n"
    "texauto live $r0:$r1:$r2:$r3 $t3 $s5 $r0:$r1 0x0 0x0 0x0\nexit nop\n";
enum { TEXTURE = 3, SAMPLER = 5 }; /* the slots that the program names */

struct tables {
    struct fixture f;
    tp_program *fp;
    tp_buffer *memory; /* ENTRIES textures, then ENTRIES samplers */
    tp_texture *texture;
    uint64_t texels;
    uint32_t tic[ENTRIES][8], tsc[ENTRIES][8];
};

static void make_words(struct tables *t, unsigned i) {
    const struct tex_image image = IMAGE(FORMAT_RGBA8_UNORM, TEX_2D, WIDTH + i, 4, 1, 1,
                                         .address = t->texels, .normalized = true);
    const struct tex_sampler sampler = {
        .mip = 1, .max_anisotropy = 1, .border = {(float)(i + 1), 0, 0, 0}};
    tex_image_tic(&image, 0, 0, t->tic[i]);
    tex_sampler_tsc(&sampler, t->tsc[i]);
}

static void write_tables(struct tables *t) {
    OK(&t->f, tp_buffer_write(t->f.context, t->memory, 0, t->tic, sizeof t->tic));
    OK(&t->f, tp_buffer_write(t->f.context, t->memory, sizeof t->tic, t->tsc, sizeof t->tsc));
}

static void open_tables(struct tables *t) {
    static const float v[3][8] = {{0}};
    fixture_open(&t->f, 1, NULL, SIZE);
    tp_context *const c = t->f.context;
    fixture_vertices(&t->f, v, 3);
    t->fp = fixture_program(&t->f, TP_FRAGMENT, sample_fp);
    OK(&t->f, tp_bind_program(c, TP_FRAGMENT, t->fp));
    t->texture = fixture_picture(&t->f, TP_FORMAT_RGBA8, 64, 64);
    OK(&t->f, tp_bind_texture(c, TP_FRAGMENT, TEXTURE, t->texture, NULL));
    t->texels = c->state.tic[PROGRAM_FP][TEXTURE].word[1];
    for (unsigned i = 0; i < ENTRIES; i++)
        make_words(t, i);
    t->memory = fixture_buffer(&t->f, sizeof t->tic + sizeof t->tsc, NULL);
    write_tables(t);
    c->state.tic_table = (struct descriptor_table){tp_buffer_address(t->memory), ENTRIES - 1};
    c->state.tsc_table =
        (struct descriptor_table){tp_buffer_address(t->memory) + sizeof t->tic, ENTRIES - 1};
    for (int i = 0; i < STATE_TEXTURES; i++)
        c->state.tic[PROGRAM_FP][i] = c->state.tsc[PROGRAM_FP][i] = (struct descriptor_binding){0};
}

static void close_tables(struct tables *t) {
    OK(&t->f, tp_bind_program(t->f.context, TP_FRAGMENT, NULL));
    fixture_close(&t->f);
}

#define TABLES(t)                                                                                  \
    struct tables t __attribute__((cleanup(close_tables)));                                        \
    open_tables(&t)

/* The texture bindings of the next draw. */
static const struct tex_bound *bound_now(struct tables *t, const struct draw **draw) {
    struct call_env env;
    enum tp_result result;
    assert_int_equal(prepare_draw(t->f.context), TP_OK);
    *draw = capture_draw(t->f.context, TP_TRIANGLES, NULL, &env, &result);
    if (!*draw)
        fail_msg("%s", tp_message(t->f.device));
    return (const struct tex_bound *)(*draw)->stages->tex[PROGRAM_FP].binding[0];
}

/* Checks the width of the texture and the border of the sampler that the next draw has; 0 and -1
 * stand for none. */
static void check(struct tables *t, const char *what, size_t row, uint32_t width, int border) {
    const struct draw *d;
    state_touch(&t->f.context->state, GROUP_TEXTURE);
    const struct tex_bound *b = bound_now(t, &d);
    const uint32_t got = b->view && b->view->valid ? b->view->width : 0;
    const int has = (int)b->sampler->border[0] - 1; /* an unbound sampler has border 0 */
    if (got != width || has != border)
        fail_msg("%s, row %zu: %u texels wide, border %d; expected %u, %d", what, row, got, has,
                 width, border);
    const struct tex_view *view = d->stages->tex[PROGRAM_FP].view[TEXTURE];
    assert_int_equal(view && view->valid ? view->width : 0, width);
}

TEST(test_tables) {
    static const struct {
        bool valid[2]; /* texture, sampler */
        uint32_t index[2], limit[2];
        uint32_t width;
        int border;
    } rows[] = {
        {{true, true}, {0, 0}, {7, 7}, WIDTH, 0},
        {{true, true}, {6, 7}, {7, 7}, WIDTH + 6, 7},
        {{true, true}, {7, 6}, {7, 7}, WIDTH + 7, 6},
        {{true, true}, {5, 5}, {5, 5}, WIDTH + 5, 5},
        {{true, true}, {5, 5}, {4, 5}, 0, 5},
        {{true, true}, {5, 5}, {5, 4}, WIDTH + 5, -1},
        {{true, true}, {0, 0}, {0, 0}, WIDTH, 0},
        {{true, true}, {1, 1}, {0, 0}, 0, -1},
        {{false, true}, {2, 3}, {7, 7}, 0, 3},
        {{true, false}, {2, 3}, {7, 7}, WIDTH + 2, -1},
        {{true, true}, {1u << 27, 3}, {UINT32_MAX, 7}, 0, 3}, /* 4 GiB away, outside memory */
    };
    TABLES(t);
    struct state *const s = &t.f.context->state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        s->tic[PROGRAM_FP][TEXTURE] =
            (struct descriptor_binding){.valid = rows[i].valid[0], .index = rows[i].index[0]};
        s->tsc[PROGRAM_FP][SAMPLER] =
            (struct descriptor_binding){.valid = rows[i].valid[1], .index = rows[i].index[1]};
        s->tic_table.limit = rows[i].limit[0];
        s->tsc_table.limit = rows[i].limit[1];
        check(&t, "tables", i, rows[i].width, rows[i].border);
        /* words in the state: no table, no limit */
        memcpy(s->tic[PROGRAM_FP][TEXTURE].word, t.tic[1], 32);
        s->tic[PROGRAM_FP][TEXTURE].raw = true;
        check(&t, "raw", i, rows[i].valid[0] ? WIDTH + 1 : 0, rows[i].border);
    }
}

/* Descriptors are decoded once. As long as nothing was finished, draws with the same words share
 * view, sampler and binding. Draws with other words have other ones, and get the first ones again
 * when the first words come back. */
TEST(test_decoded_once) {
    const struct draw *d;
    const struct tex_bound *first[ENTRIES][ENTRIES];
    TABLES(t);
    struct state *const s = &t.f.context->state;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < ENTRIES * ENTRIES; i++) {
            const uint32_t texture = i % ENTRIES, sampler = i / ENTRIES;
            s->tic[PROGRAM_FP][TEXTURE] =
                (struct descriptor_binding){.valid = true, .index = texture};
            s->tsc[PROGRAM_FP][SAMPLER] =
                (struct descriptor_binding){.valid = true, .index = sampler};
            state_touch(s, GROUP_TEXTURE);
            const struct tex_bound *b = bound_now(&t, &d);
            if (!round)
                first[texture][sampler] = b;
            const struct draw *again;
            write_tables(&t); /* the same words give the same draw */
            if (bound_now(&t, &again) != b || again != d)
                fail_msg("texture %u, sampler %u: another draw of the same", texture, sampler);
            if (b->view != first[texture][0]->view || b->sampler != first[0][sampler]->sampler ||
                (round && b != first[texture][sampler]))
                fail_msg("round %u: texture %u, sampler %u are decoded again", round, texture,
                         sampler);
        }
}

/* LINKED_TSC: the sampler has the texture's number, whatever sampler the program names. */
TEST(test_linked) {
    TABLES(t);
    struct state *const s = &t.f.context->state;
    for (unsigned i = 0; i < STATE_TEXTURES; i++) {
        s->tic[PROGRAM_FP][i] = (struct descriptor_binding){.valid = true, .index = i % ENTRIES};
        s->tsc[PROGRAM_FP][i] = (struct descriptor_binding){.valid = true, .index = i % ENTRIES};
    }
    for (int linked = 0; linked < 4; linked++) { /* off and on, twice */
        s->linked_tsc = linked & 1;
        check(&t, "linked", (size_t)linked, WIDTH + TEXTURE, linked & 1 ? TEXTURE : SAMPLER);
    }
    s->linked_tsc = true;
    s->tsc[PROGRAM_FP][SAMPLER].index = 7; /* ignored, as the sampler is linked */
    check(&t, "another's", 0, WIDTH + TEXTURE, TEXTURE);
    s->tsc[PROGRAM_FP][TEXTURE].index = 6;
    check(&t, "its own", 0, WIDTH + TEXTURE, 6);
}

/* Flags of the state apply to bindings: seamless cubes, levels without derivatives. */
TEST(test_flags) {
    const struct draw *d;
    TABLES(t);
    struct state *const s = &t.f.context->state;
    s->tic[PROGRAM_FP][TEXTURE] = (struct descriptor_binding){.valid = true, .index = 1};
    for (int i = 0; i < 8; i++) {
        s->seamless_cube = i & 1;
        s->mode = i & 2 ? MODE_NONFP_DERIV : 0;
        state_touch(s, GROUP_TEXTURE);
        state_touch(s, GROUP_PROGRAM);
        assert_int_equal(bound_now(&t, &d)->flags,
                         (i & 1 ? TEX_SEAMLESS : 0) | (i & 2 ? TEX_FAKE_INFINITE : 0));
    }
}

/* A write to any byte of a table changes the next draw, even without a change of state. */
TEST(test_written_tables) {
    const struct draw *d;
    TABLES(t);
    struct state *const s = &t.f.context->state;
    for (unsigned last = 0; last < ENTRIES; last += ENTRIES - 1) {
        const bool samplers[] = {false, true};
        for (int k = 0; k < 2; k++) {
            s->tic[PROGRAM_FP][TEXTURE] = (struct descriptor_binding){.valid = true, .index = last};
            s->tsc[PROGRAM_FP][SAMPLER] = (struct descriptor_binding){.valid = true, .index = last};
            s->tic_table.limit = s->tsc_table.limit = last;
            check(&t, "before", last, WIDTH + last, (int)last);
            uint32_t(*const words)[8] = samplers[k] ? t.tsc : t.tic;
            uint32_t other[8];
            make_words(&t, (last + 1) % ENTRIES); /* the words of another entry */
            memcpy(other, words[(last + 1) % ENTRIES], sizeof other);
            const uint32_t at = (samplers[k] ? sizeof t.tic : 0) + 32 * last;
            for (uint32_t word = 8; word-- > 0;) /* word by word; the first word is written last */
                OK(&t.f, tp_buffer_write(t.f.context, t.memory, at + 4 * word, &other[word], 4));
            const struct tex_bound *b = bound_now(&t, &d);
            assert_int_equal(b->view->width, WIDTH + (samplers[k] ? last : (last + 1) % ENTRIES));
            assert_true(b->sampler->border[0] ==
                        (float)((samplers[k] ? (last + 1) % ENTRIES : last) + 1));
            write_tables(&t);
        }
    }
}

/* A table is written while another table is in use. A later draw with the first table sees the new
 * words. */
TEST(test_written_behind) {
    TABLES(t);
    struct state *const s = &t.f.context->state;
    tp_buffer *const other = fixture_buffer(&t.f, sizeof t.tic + sizeof t.tsc, NULL);
    for (int i = 0; i < 4; i++) {
        const bool samplers = i & 1, drawn = i & 2; /* drawn: a draw uses the other table */
        struct descriptor_table *const table = samplers ? &s->tsc_table : &s->tic_table;
        const struct descriptor_table first = *table;
        s->tic[PROGRAM_FP][TEXTURE] = (struct descriptor_binding){.valid = true};
        s->tsc[PROGRAM_FP][SAMPLER] = (struct descriptor_binding){.valid = true};
        check(&t, "before", 0, WIDTH, 0);
        *table = (struct descriptor_table){tp_buffer_address(other), ENTRIES - 1};
        if (drawn)
            check(&t, "another table", 0, samplers ? WIDTH : 0, samplers ? -1 : 0);
        uint32_t(*const words)[8] = samplers ? t.tsc : t.tic;
        OK(&t.f, tp_buffer_write(t.f.context, t.memory, samplers ? sizeof t.tic : 0, words[3], 32));
        *table = first;
        check(&t, "written", 0, samplers ? WIDTH : WIDTH + 3, samplers ? 3 : 0);
        write_tables(&t);
    }
}

/* all_levels: word 7 of an entry is ignored and all levels are visible. Words in the state itself
 * are used as they are. */
TEST(test_all_levels) {
    for (int old = 0; old < 2; old++) {
        const struct draw *d;
        TABLES(t);
        struct state *const s = &t.f.context->state;
        s->all_levels = old;
        const struct tex_image image = IMAGE(FORMAT_RGBA8_UNORM, TEX_2D, 16, 16, 1, 4,
                                             .address = t.texels, .normalized = true);
        tex_image_tic(&image, 1, 2, t.tic[0]);
        write_tables(&t);
        for (int raw = 0; raw < 2; raw++) {
            s->tic[PROGRAM_FP][TEXTURE] = (struct descriptor_binding){.valid = true, .raw = raw};
            memcpy(s->tic[PROGRAM_FP][TEXTURE].word, t.tic[0], 32);
            state_touch(s, GROUP_TEXTURE);
            const struct tex_view *v = bound_now(&t, &d)->view;
            const bool all = old && !raw;
            assert_int_equal(v->first_level, all ? 0 : 1);
            assert_int_equal(v->last_level, all ? 3 : 2);
        }
    }
}

/* An impossible texture descriptor is reported in the log once, with its stage and slot, and the
 * draw goes on without the texture. Tried in every slot of the vertex and fragment stages. */
TEST(test_none_that_can_be) {
    static const char text[] =
        "%smov b32 $r0 0\nmov b32 $r1 0\n"
        "texfetch live $r0:$r1:$r2:$r3 $t%u $s0 $r0 0x0 0x0 0x0\n%sexit nop\n";
    for (unsigned i = 0; i < 2 * STATE_TEXTURES; i++) {
        const struct draw *d;
        char program[512], want[64];
        const unsigned texture = i / 2;
        const enum program_type stage = i & 1 ? PROGRAM_FP : PROGRAM_VP;
        TABLES(t);
        struct state *const s = &t.f.context->state;
        snprintf(program, sizeof program, text,
                 i & 1 ? ".interpolants position=w smooth=4\n" : ".output position o[0x0]\n",
                 texture,
                 i & 1 ? ""
                       : "mov b32 o[0x0] $r0\nmov b32 o[0x4] $r1\nmov b32 o[0x8] $r2\n"
                         "mov b32 o[0xc] $r3\n");
        fixture_bind(&t.f, i & 1 ? TP_FRAGMENT : TP_VERTEX, program);
        s->tic[PROGRAM_FP][TEXTURE] = (struct descriptor_binding){.valid = true, .index = 1};
        s->tic[stage][texture] = (struct descriptor_binding){.valid = true, .raw = true};
        memset(s->tic[stage][texture].word, 0xff, 32);
        state_touch(s, GROUP_TEXTURE);
        *t.f.log = 0;
        bound_now(&t, &d);
        snprintf(want, sizeof want, "%s texture %u: ", i & 1 ? "fragment" : "vertex", texture);
        if (strncmp(t.f.log, want, strlen(want)) != 0)
            fail_msg("'%s' is said, not '%s'", t.f.log, want);
        assert_false(d->stages->tex[stage].view[texture]->valid);
        *t.f.log = 0;
        s->color_op.blend_color[0] += 0.25f; /* another draw with the same texture */
        state_touch(s, GROUP_COLOR);
        const struct draw *first = d;
        bound_now(&t, &d);
        assert_ptr_not_equal(d, first);
        assert_string_equal(t.f.log, "");
        OK(&t.f, tp_bind_program(t.f.context, TP_VERTEX, t.f.vp));
        OK(&t.f, tp_bind_program(t.f.context, TP_FRAGMENT, t.fp));
    }
}

/* A buffer with less than a texel is legal: the log says nothing. */
TEST(test_empty_buffer) {
    const struct draw *d;
    TABLES(t);
    struct descriptor_binding *const b = &t.f.context->state.tic[PROGRAM_FP][TEXTURE];
    const struct tex_image image = {
        .address = t.texels, .format = FORMAT_RGBA8_UNORM, .dim = TEX_BUFFER, .linear = true};
    *b = (struct descriptor_binding){.valid = true, .raw = true};
    tex_image_tic(&image, 0, 0, b->word);
    state_touch(&t.f.context->state, GROUP_TEXTURE);
    *t.f.log = 0;
    bound_now(&t, &d);
    assert_string_equal(t.f.log, "");
    assert_false(d->stages->tex[PROGRAM_FP].view[TEXTURE]->valid);
}

/* More textures and samplers than the caches have room for: each draw still has its own. */
TEST(test_more_than_places) {
    enum { MANY = 2000 };
    const struct draw *d;
    TABLES(t);
    struct state *const s = &t.f.context->state;
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        const uint32_t n = i % MANY, sampler = n * 7 % 1000;
        const struct tex_image image = IMAGE(FORMAT_RGBA8_UNORM, TEX_2D, n + 1, 1, 1, 1,
                                             .address = t.texels, .normalized = true);
        const struct tex_sampler one = {
            .mip = 1, .max_anisotropy = 1, .border = {(float)sampler, 0, 0, 0}};
        s->tic[PROGRAM_FP][TEXTURE] = s->tsc[PROGRAM_FP][SAMPLER] =
            (struct descriptor_binding){.valid = true, .raw = true};
        tex_image_tic(&image, 0, 0, s->tic[PROGRAM_FP][TEXTURE].word);
        tex_sampler_tsc(&one, s->tsc[PROGRAM_FP][SAMPLER].word);
        state_touch(s, GROUP_TEXTURE);
        const struct tex_bound *b = bound_now(&t, &d);
        assert_int_equal(b->view->width, n + 1);
        assert_true(b->sampler->border[0] == (float)sampler);
        assert_ptr_equal(b->view, d->stages->tex[PROGRAM_FP].view[TEXTURE]);
    }
}

/* Memory of a texture is allocated after a draw with the texture, then freed and allocated with
 * another size. Draws of the same epoch see the memory that is there. */
TEST(test_memory_comes_and_goes) {
    enum { AT = 1 << 20, BYTES = 4 * SIZE * SIZE };
    static const float whole[3][8] = {WHOLE(0, 0, 0, 0, 1)};
    struct tables t;
    open_tables(&t);
    tp_context *const c = t.f.context;
    struct gpu_memory *const memory = t.f.device->memory;
    const uint64_t at = (tp_buffer_address(t.memory) + AT) & ~(uint64_t)0xfff;
    uint32_t tic[8];
    memcpy(tic, t.tic[0], sizeof tic);
    tic[1] = (uint32_t)at;
    tic[2] = (tic[2] & ~0xffu) | (uint32_t)(at >> 32);
    OK(&t.f, tp_bind_descriptors(c, TP_FRAGMENT, TEXTURE, tic, NULL));
    OK(&t.f, tp_bind_descriptors(c, TP_FRAGMENT, SAMPLER, NULL, t.tsc[0]));
    fixture_vertices(&t.f, whole, 3);
    for (uint32_t size = 0; size <= BYTES; size += BYTES / 2) {
        memory_free(memory, at);
        if (size) {
            assert_true(memory_alloc_at(memory, at, size));
            memset(memory_at(memory, at, size), 0xff, size);
        }
        for (int draws = 0; draws < 2; draws++) {
            OK(&t.f, tp_draw_arrays(c, TP_TRIANGLES, 0, 3));
            const struct stage_state *s = known_stages(c);
            assert_int_equal(s->tex[PROGRAM_FP].view[TEXTURE]->size, size);
        }
        assert_int_equal(scene_epoch(c->p->scene), scene_oldest_epoch(c->p->scene));
    }
    fixture_read(&t.f);
    assert_int_equal(fixture_count(&t.f), SIZE * SIZE);
    memory_free(memory, at);
    close_tables(&t);
}
