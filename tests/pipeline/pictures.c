/* Draws, copies, uploads and read-backs of pictures happen in the order of the calls. Random work
 * among a few pictures must leave and read the same texels, whether or not each piece of work is
 * finished before the next. */
#include "tests/pipeline/fixture.h"

enum { SIDE = 200, TEXELS = SIDE * SIDE, PICTURES = 4, ROUNDS = 300 };

struct pictures {
    struct fixture f;
    tp_texture *picture[PICTURES];
    tp_program *sample;
    bool finishes; /* after each piece of work */
};

static const char sample_fp[] =
    ".interpolants position=w smooth=4\ninterp $r4 v[0x0]\nrcp f32 $r4 $r4\n"
    "interp $r0 v[0x4] $r4\ninterp $r1 v[0x8] $r4\n"
    "texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n";

/* Rectangles of four corners, each x y z w, s t. */
static float corner[4 * ROUNDS][8];

static void make_corners(uint64_t *seed) {
    for (int i = 0; i < ROUNDS; i++) {
        float at[2][4]; /* place and size, in the target and in the texture */
        for (int k = 0; k < 8; k++)
            at[k / 4][k % 4] = (float)(random_next(seed) % 1000) / 1000;
        for (int k = 0; k < 4; k++) {
            const float x = (float)(k & 1), y = (float)(k >> 1);
            const float one[8] = {
                2 * at[0][0] - 1 + x * at[0][2], 2 * at[0][1] - 1 + y * at[0][3], 0, 1,
                at[1][0] + x * at[1][2],         at[1][1] + y * at[1][3]};
            memcpy(corner[4 * i + k], one, sizeof one);
        }
    }
}

static void pictures_open(struct pictures *p, int threads, bool finishes) {
    struct fixture *f = &p->f;
    fixture_open(f, threads, NULL, SIDE);
    p->finishes = finishes;
    p->sample = fixture_program(f, TP_FRAGMENT, sample_fp);
    for (int i = 0; i < PICTURES; i++) {
        p->picture[i] = fixture_picture(f, TP_FORMAT_RGBA8, SIDE, SIDE);
        OK(f, tp_set_target(f->context, p->picture[i], NULL));
        OK(f, tp_clear(f->context, TP_CLEAR_COLOR, (const float[4]){0.1f, 0.2f, 0.3f, 1}, 0, 0));
    }
    OK(f, tp_bind_program(f->context, TP_FRAGMENT, p->sample));
    fixture_vertices(f, (const float(*)[8])corner, 4 * ROUNDS);
}

static void pictures_close(struct pictures *p) {
    OK(&p->f, tp_bind_program(p->f.context, TP_FRAGMENT, p->f.fp));
    fixture_close(&p->f);
}

struct work {
    enum { CLEAR, DRAW, UPLOAD, COPY, BLIT, READ, KINDS } kind;
    uint32_t to, from, number;
    struct tp_rect to_rect, from_rect; /* for UPLOAD, COPY, READ: rectangles of equal size */
    bool linear;
};

static struct tp_rect random_rect(uint64_t *seed, uint32_t most) {
    const uint32_t w = 1 + (uint32_t)(random_next(seed) % most),
                   h = 1 + (uint32_t)(random_next(seed) % most);
    return (struct tp_rect){(uint32_t)(random_next(seed) % (SIDE - w + 1)),
                            (uint32_t)(random_next(seed) % (SIDE - h + 1)), w, h};
}

static struct work random_work(uint64_t *seed, uint32_t number) {
    const uint32_t kind = (uint32_t)(random_next(seed) % KINDS);
    const uint32_t most = random_next(seed) % 2 ? SIDE : 20;
    struct work w = {.kind = kind,
                     .to = (uint32_t)(random_next(seed) % PICTURES),
                     .number = number,
                     .to_rect = random_rect(seed, most),
                     .from_rect = random_rect(seed, most),
                     .linear = random_next(seed) % 2};
    w.from = (w.to + 1 + (uint32_t)(random_next(seed) % (PICTURES - 1))) % PICTURES;
    if (kind == COPY) {
        w.from_rect.width = w.to_rect.width;
        w.from_rect.height = w.to_rect.height;
        w.from_rect.x = (uint32_t)(random_next(seed) % (SIDE - w.to_rect.width + 1));
        w.from_rect.y = (uint32_t)(random_next(seed) % (SIDE - w.to_rect.height + 1));
    }
    return w;
}

/* Does one piece of work. A read stores its texels in `texels`. */
static void do_work(struct pictures *p, const struct work *w, uint32_t *texels) {
    tp_context *const c = p->f.context;
    tp_texture *const to = p->picture[w->to], *const from = p->picture[w->from];
    const struct tp_texture_place to_place = {to, 0, 0}, from_place = {from, 0, 0};
    if (w->kind == CLEAR || w->kind == DRAW)
        OK(&p->f, tp_set_target(c, to, NULL));
    if (w->kind == CLEAR) {
        OK(&p->f, tp_clear(c, TP_CLEAR_COLOR,
                           (const float[4]){(float)w->number / ROUNDS, 0.5f, 0, 1}, 0, 0));
    } else if (w->kind == DRAW) {
        OK(&p->f, tp_bind_texture(c, TP_FRAGMENT, 0, from, NULL));
        OK(&p->f, tp_draw_arrays(c, TP_TRIANGLE_STRIP, 4 * w->number, 4));
    } else if (w->kind == UPLOAD) {
        for (uint32_t i = 0; i < TEXELS; i++)
            texels[i] = i * 2654435761u + w->number;
        OK(&p->f, tp_texture_write_rect(c, to, 0, 0, &w->to_rect, texels, SIDE * 4));
        memset(texels, 0, TEXELS * 4); /* an upload takes the data at the time of the call */
    } else if (w->kind == COPY) {
        OK(&p->f,
           tp_texture_copy(c, to_place, w->to_rect.x, w->to_rect.y, from_place, &w->from_rect));
    } else if (w->kind == BLIT) {
        OK(&p->f, tp_texture_blit(c, to_place, &w->to_rect, from_place, &w->from_rect, w->linear));
    } else {
        OK(&p->f, tp_texture_read_rect(c, to, 0, 0, &w->to_rect, texels, SIDE * 4));
    }
    if (p->finishes)
        OK(&p->f, tp_finish(c));
}

static void check_pictures(int threads, uint64_t seed) {
    struct pictures p[2];
    static uint32_t texels[2][TEXELS];
    make_corners(&seed);
    pictures_open(&p[0], 1, true);
    pictures_open(&p[1], threads, false);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const struct work w = random_work(&seed, i);
        if (w.kind == READ && random_next(&seed) % 4)
            continue; /* most reads are left out: each read finishes the work before it */
        memset(texels, 0, sizeof texels);
        for (int k = 0; k < 2; k++)
            do_work(&p[k], &w, texels[k]);
        if (memcmp(texels[0], texels[1], sizeof texels[0]) != 0)
            fail_msg("%d threads: read %u sees other texels", threads, i);
    }
    for (int n = 0; n < PICTURES; n++) {
        for (int k = 0; k < 2; k++)
            OK(&p[k].f,
               tp_texture_read(p[k].f.context, p[k].picture[n], 0, 0, texels[k], SIDE * 4));
        if (memcmp(texels[0], texels[1], sizeof texels[0]) != 0)
            fail_msg("%d threads: picture %d has other texels", threads, n);
    }
    pictures_close(&p[0]);
    pictures_close(&p[1]);
}

TEST(test_pictures) {
    for (uint64_t seed = 1; seed <= 6; seed++)
        check_pictures(seed % 2 ? 1 : 3, seed);
}
