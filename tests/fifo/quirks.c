/* Quirks: the corrections of known faults of drivers. In fragment programs, a position word must be
 * interpolated without a factor (tesla-isa.md §6.8); the position words end with w, whose
 * reciprocal is the factor. On a Fermi, the scissor of a blit must not hold for the next draw. */
#include "fifo/program_code.h"
#include "fifo/quirks.h"
#include "tests/fifo/fermi.h"

static struct program *assemble(const char *text) {
    struct program_error error;
    struct program *p =
        program_from_text(PROGRAM_FP, ISA_GT215, text, strlen(text), "test", &error);
    if (!p)
        fail_msg("%s", error.text);
    return p;
}

static const struct {
    const char *what, *text, *mended; /* mended NULL: unchanged */
    uint32_t found;
} rows[] = {
    {"as the driver writes it",
     "interp $r0 v[0xc]\nrcp f32 $r1 $r0\ninterp $r0 v[0x0] $r1\ninterp $r4 v[0x4] $r1\n"
     "interp $r2 v[0x8] $r1\ninterp $r3 v[0xc] $r1\nexit nop\n",
     "interp $r0 v[0xc]\nrcp f32 $r1 $r0\ninterp $r0 v[0x0]\ninterp $r4 v[0x4]\n"
     "interp $r2 v[0x8]\ninterp $r3 v[0xc]\nexit nop\n",
     4},
    {"in long forms, at the centroid",
     "long interp $r0 v[0x4]\nlong rcp f32 $r0 $r0\nlong interp $r1 cent v[0x0] $r0\nexit nop\n",
     "long interp $r0 v[0x4]\nlong rcp f32 $r0 $r0\nlong interp $r1 cent v[0x0]\nexit nop\n", 1},
    {"where w is the only position word",
     "interp $r0 v[0x0]\nrcp f32 $r0 $r0\ninterp $r1 v[0x0] $r0\ninterp $r2 v[0x4] $r0\nexit nop\n",
     "interp $r0 v[0x0]\nrcp f32 $r0 $r0\ninterp $r1 v[0x0]\ninterp $r2 v[0x4] $r0\nexit nop\n", 1},
    {"a factor with a sign",
     "interp $r0 v[0x4]\nrcp f32 $r0 $r0\nlong interp $r1 v[0x0] neg $r0\nexit nop\n", NULL, 0},
    {"varyings keep the factor",
     "interp $r0 v[0xc]\nrcp f32 $r1 $r0\ninterp $r0 v[0x10] $r1\ninterp $r2 v[0x14] $r1\n"
     "interp $r3 v[0x0]\nexit nop\n",
     NULL, 0},
    {"a factor that is no reciprocal", "interp $r1 v[0xc]\ninterp $r0 v[0x0] $r1\nexit nop\n", NULL,
     0},
    {"the reciprocal of something else",
     "mov b32 $r0 2.0\nrcp f32 $r1 $r0\ninterp $r0 v[0x0] $r1\nexit nop\n", NULL, 0},
    {"a copy of w", "interp $r0 v[0xc]\nmov b32 $r1 $r0\ninterp $r2 v[0x0] $r1\nexit nop\n", NULL,
     0},
    {"the reciprocal of an indexed word",
     "long interp $r0 v[$a1+0xc]\nrcp f32 $r1 $r0\ninterp $r2 v[0x0] $r1\nexit nop\n", NULL, 0},
    {"an indexed word",
     "interp $r0 v[0xc]\nrcp f32 $r1 $r0\nlong interp $r2 v[$a1+0x0] $r1\nexit nop\n", NULL, 0},
    {"a register that is written anew",
     "interp $r0 v[0xc]\nrcp f32 $r1 $r0\nmov b32 $r1 2.0\ninterp $r0 v[0x0] $r1\nexit nop\n", NULL,
     0},
    {"the reciprocal of a flat word",
     "interp $r0 flat v[0xc]\nrcp f32 $r1 $r0\ninterp $r0 v[0x0] $r1\nexit nop\n", NULL, 0},
    {"of a product",
     "interp $r0 v[0xc]\nrcp f32 $r1 $r0\ninterp $r0 v[0x10] $r1\nrcp f32 $r1 $r0\n"
     "interp $r2 v[0x0] $r1\nexit nop\n",
     NULL, 0},
};

TEST(test_position) {
    const struct isa_target target = {ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program *p = assemble(rows[i].text),
                       *wanted = assemble(rows[i].mended ? rows[i].mended : rows[i].text);
        const uint32_t found = quirk_position(target, p->words, p->word_count);
        if (found != rows[i].found)
            fail_msg("%s: %u words, not %u", rows[i].what, found, rows[i].found);
        assert_int_equal(p->word_count, wanted->word_count);
        for (uint32_t at = 0; at < p->word_count; at += wanted->ops[at].words) {
            char text[2][128];
            struct op op;
            isa_decode(target, p->words + at, p->word_count - at, 4 * at, &op);
            isa_print(target, &op, text[0], sizeof text[0]);
            isa_print(target, &wanted->ops[at], text[1], sizeof text[1]);
            if (strcmp(text[0], text[1]) != 0)
                fail_msg("%s: %s, not %s", rows[i].what, text[0], text[1]);
        }
        program_unref(p);
        program_unref(wanted);
    }
}

/* A channel with quirks corrects programs. A corrected program is found again by the uncorrected
 * words that memory has. */
TEST_WITH(test_channel, setup, teardown) {
    static struct code_cache cache;
    enum { SEGMENT = 0x1000 };
    struct program *p = assemble(rows[0].text);
    memcpy(f->bytes + SEGMENT, p->words, 4 * p->word_count);
    f->device->log.level = LOG_INFO;
    for (int on = 0; on < 2; on++) {
        channel_set_quirks(f->channel, on);
        const struct program *found =
            code_find(&cache, f->channel, PROGRAM_FP, f->data + SEGMENT, 0, 8);
        assert_non_null(found);
        assert_non_null(strstr(f->last, "multiplies 4 position words by w"));
        assert_non_null(
            strstr(f->last, on ? " takes the factor away" : " would take the factor away"));
        assert_int_equal(found->ops[2].src[1].file, on ? FILE_NONE : FILE_R);
        assert_memory_equal(f->bytes + SEGMENT, p->words, 4 * p->word_count);
        assert_ptr_equal(code_find(&cache, f->channel, PROGRAM_FP, f->data + SEGMENT, 0, 8), found);
        f->bytes[SEGMENT + 3] ^= 1; /* makes another program */
        assert_ptr_not_equal(code_find(&cache, f->channel, PROGRAM_FP, f->data + SEGMENT, 0, 8),
                             found);
        f->bytes[SEGMENT + 3] ^= 1;
        code_cache_free(&cache);
        memset(&cache, 0, sizeof cache);
    }
    program_unref(p);
}

static void send_scissor(struct fixture *f, uint32_t width) {
    head(f, INCREASE, F3D, 0xe04, 2);
    put(f, width << 16);
    put(f, 0xffffu << 16);
}

/* With quirks, the scissor that is set for a blit (VIEWPORT_TRANSFORM_EN 0) does not hold behind
 * the blit. A scissor that is set later holds. A clear within the scissor shows which scissor
 * holds. */
TEST_WITH(test_scissor, setup_fermi, teardown) {
    enum { SIDE = 16, BLIT = 4, LATER = 7 };
    const uint32_t target[] = {HIGH_LOW(f->data), SIDE * 4, SIDE, 0xd5, 0x1000};
    head(f, INCREASE, F3D, 0x800, LENGTH(target));
    for (uint32_t i = 0; i < LENGTH(target); i++)
        put(f, target[i]);
    send(f, F3D, 0x121c, 0x076543210u << 4 | 1);
    head(f, INCREASE, F3D, 0xff4, 2); /* the screen scissor */
    put(f, SIDE << 16);
    put(f, SIDE << 16);
    send(f, F3D, 0x10f8, 0x100); /* clears are limited by the scissor */
    send(f, F3D, 0xe00, 1);
    head(f, INCREASE, F3D, 0xd80, 4);
    for (uint32_t i = 0; i < 4; i++)
        put(f, 0x3f800000);
    for (uint32_t row = 0; row < 4; row++) {
        const bool on = row & 1, later = row & 2;
        const uint32_t width = later ? LATER : on ? SIDE : BLIT;
        memset(f->bytes, 0, SIDE * SIDE * 4);
        channel_set_quirks(f->channel, on);
        send(f, F3D, 0x192c, 0);
        send_scissor(f, BLIT);
        send(f, F3D, 0x192c, 1);
        if (later)
            send_scissor(f, LATER);
        send(f, F3D, 0x19d0, 0x3c);
        assert_string_equal(complaint(f), "");
        channel_finish(f->channel);
        for (uint32_t x = 0; x < SIDE; x++)
            if (word_at(f, 4 * x) != (x < width ? 0xffffffff : 0))
                fail_msg("quirks %u, scissor %u: pixel %u", on, width, x);
    }
}
