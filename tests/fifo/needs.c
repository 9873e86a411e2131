/* A picture of a recording leaves out clears that it does not need: clears whose surface is cleared
 * again, copied over or freed before the picture. In doubt no clear is left out. */
#include "fifo/needs.h"
#include "tests/fifo/words.h"
#include "tests/test.h"
#include "tests/shapes.h"

#include <unistd.h>

enum {
    CHIPSET = 0xa3,
    AT = 0x100000,   /* surfaces A, B, ... of 64x64 pixels */
    APART = 0x10000, /* distance of surfaces */
    BYTES = 64 * 64 * 4,
    SURFACES = 4,
    WORDS = 8192,
    PUSHES = AT + SURFACES * APART,
    REPORTS = PUSHES + WORDS * 4,
    ALL = REPORTS + 4096 - AT,
};

static char path[] = "/tmp/teslapipe-needs-XXXXXX";

enum { TWO_D = 2, THREE_D = 3, M2MF = 5 }; /* subchannels */

struct story {
    struct record *record;
    uint32_t word[WORDS], before[WORDS], count;
};

static void method(struct story *s, uint32_t subchannel, uint32_t address, uint32_t count,
                   const uint32_t *data) {
    assert_true(s->count + count < WORDS);
    s->word[s->count++] = count << 18 | subchannel << 13 | address;
    memcpy(s->word + s->count, data, count * 4);
    s->count += count;
}

static void one(struct story *s, uint32_t subchannel, uint32_t address, uint32_t data) {
    method(s, subchannel, address, 1, &data);
}

static uint32_t place(char surface) {
    return AT + (uint32_t)(surface - 'A') * APART;
}

/* Clears the first `rows` rows of a surface of side x side pixels; inner: without their first 8
 * rows and 8 columns. what: the word of CLEAR_BUFFERS. */
static void clear(struct story *s, char surface, uint32_t side, uint32_t rows, uint32_t what,
                  bool inner) {
    const uint32_t screen[] = {side << 16, rows << 16},
                   part[] = {(side - 8) << 16 | 8, (rows - 8) << 16 | 8};
    METHOD(s, THREE_D, 0x200, 0, place(surface), 0xd5, 0x20, 0);
    METHOD(s, THREE_D, 0x1240, side, side);
    one(s, THREE_D, 0x121c, 1);
    one(s, THREE_D, 0x1224, 1);
    method(s, THREE_D, 0xff4, 2, inner ? part : screen);
    one(s, THREE_D, 0x143c, 0);
    one(s, THREE_D, 0x19d0, what);
}

/* Clears depth (1) or stencil (2) of a surface. */
static void clear_zeta(struct story *s, char surface, uint32_t what) {
    one(s, THREE_D, 0x121c, 0);
    METHOD(s, THREE_D, 0xfe0, 0, place(surface), 0x14, 0x20, 0);
    METHOD(s, THREE_D, 0x1228, 64, 64, 1);
    one(s, THREE_D, 0x1538, 1);
    METHOD(s, THREE_D, 0xff4, 64 << 16, 64 << 16);
    one(s, THREE_D, 0x143c, 0);
    one(s, THREE_D, 0x19d0, what);
    one(s, THREE_D, 0x1538, 0);
}

static void copy(struct story *s, uint32_t from, uint32_t to, uint32_t bytes) {
    one(s, M2MF, 0x200, 1);
    one(s, M2MF, 0x21c, 1);
    METHOD(s, M2MF, 0x238, 0, 0);
    METHOD(s, M2MF, 0x30c, from, to, bytes, bytes, bytes, 1, 0x101, 0);
}

/* Blits from the pixel (x, y) on to the same place of another surface, in slice `slice` of
 * `slices`. */
static void blit(struct story *s, char from, char to, uint32_t x, uint32_t y, uint32_t slice,
                 uint32_t slices) {
    METHOD(s, TWO_D, 0x200, 0xd5, 0, 0x20, slices, slice, 0, 64, 64, 0, place(to));
    METHOD(s, TWO_D, 0x230, 0xd5, 0, 0x20, 1, 0, 0, 64, 64, 0, place(from));
    METHOD(s, TWO_D, 0x8b0, x, y, 64 - x, 64 - y, 0, 1, 0, 1, 0, x, 0, y);
}

/* Ends a frame. */
static void submit(struct story *s, const struct channel *c) {
    record_changes(s->record, PUSHES, (const uint8_t *)s->word, (uint8_t *)s->before,
                   sizeof s->word);
    record_push(s->record, c, PUSHES, sizeof s->word); /* methods of zeros have no effect */
    record_finish(s->record, c);
    memset(s->word, 0, sizeof s->word);
    s->count = 0;
}

static void upload(struct story *s, char surface) {
    static uint8_t now[BYTES], before[BYTES];
    memset(before, 1, sizeof before);
    record_changes(s->record, place(surface), now, before, sizeof now);
}

/* Records a story: "X!" clears surface X, "X." half of X, "X:" all but the left and upper sides of
 * X, "X," the red of X, "Xd" and "Xs" the depth and the stencil of X, "x!" a surface of 32x32
 * pixels in its place. "XcY" copies X to Y, "X*" copies a texel of X over commands. "X-Y" copies
 * half of X to the first half of Y, "X+Y" to the second. "X=Y" blits all of X to Y, "X>Y" all but
 * the left side, "X/Y" all but the upper side, "X0Y" and "X1Y" to the first and the second of two
 * slices. "Xu" is an upload by the CPU. "|" ends a frame. */
static void tell(struct story *s, const struct channel *c, const char *text) {
    for (; *text; text++) {
        const bool small = text[0] >= 'a';
        const char surface = (char)(small ? text[0] - 'a' + 'A' : text[0]);
        if (text[0] == ' ')
            continue;
        if (text[0] == '|') {
            submit(s, c);
            continue;
        }
        if (text[1] == '!')
            clear(s, surface, small ? 32 : 64, small ? 32 : 64, 0x3c, false);
        else if (text[1] == '.')
            clear(s, surface, 64, 32, 0x3c, false);
        else if (text[1] == ':')
            clear(s, surface, 64, 64, 0x3c, true);
        else if (text[1] == ',')
            clear(s, surface, 64, 64, 0x04, false);
        else if (text[1] == 'd' || text[1] == 's')
            clear_zeta(s, surface, text[1] == 'd' ? 1 : 2);
        else if (text[1] == 'u')
            upload(s, surface);
        else if (text[1] == '*')
            copy(s, place(surface), PUSHES + WORDS * 4 - 4, 4);
        else if (strchr("=>/", text[1]))
            blit(s, surface, text[2], text[1] == '>' ? 8 : 0, text[1] == '/' ? 8 : 0, 0, 1);
        else if (text[1] == '0' || text[1] == '1')
            blit(s, surface, text[2], 0, 0, (uint32_t)(text[1] - '0'), 2);
        else if (text[1] == '+')
            copy(s, place(surface), place(text[2]) + BYTES / 2, BYTES / 2);
        else if (text[1] == '-')
            copy(s, place(surface), place(text[2]), BYTES / 2);
        else if (text[1] == 'c')
            copy(s, place(surface), place(text[2]), BYTES);
        text += strchr("c=>/01+-", text[1]) ? 2 : 1;
    }
}

static bool picture_of(void *self, const struct replay_result *result,
                       const struct replay_frame *frame, struct surface *surface,
                       uint64_t *address) {
    const char *name = self;
    (void)result, (void)frame;
    *surface = SURFACE(format_from_color_code(0xd5), 64, 64, 1, .is_3d = true, .tile_h = 2);
    *address = place(*name);
    return true;
}

static void record_story(const char *text) {
    static struct story s;
    static const struct channel *const c = (const void *)&s;
    memset(&s, 0, sizeof s);
    s.record = record_create(path, CHIPSET);
    assert_non_null(s.record);
    record_alloc(s.record, AT, ALL);
    record_channel(s.record, c);
    record_object(s.record, c, 0xbeef5097, 0x8597);
    record_object(s.record, c, 0xbeef5039, 0x5039);
    record_object(s.record, c, 0xbeef502d, 0x502d);
    one(&s, THREE_D, 0, 0xbeef5097);
    one(&s, M2MF, 0, 0xbeef5039);
    one(&s, TWO_D, 0, 0xbeef502d);
    tell(&s, c, text);
    assert_int_equal(record_close(s.record), 0);
}

static tp_device *new_device(void) {
    const struct tp_device_info info = {.chip = TP_CHIP_GT215, .threads = 1, .memory = 1 << 28};
    tp_device *d;
    assert_int_equal(tp_device_create(&info, &d), TP_OK);
    return d;
}

/* extents: one digit for each clear: 0 left out, 1 shared, 2 whole. */
TEST(test_needed_clears) {
    static const struct {
        const char *story, picture[2], *extents;
        bool shared;
        uint32_t first, step, frames_before;
        const char *why;
    } rows[] = {
        /* a complete clear hides earlier clears */
        {"A!A.|A!A.|", "A", "0022", false, 1, 1, 0, ""},
        {"A!|A.|", "A", "22", false, 1, 1, 1, "frame 1 draws over pixels of frame 0"},
        {"A!|A,|", "A", "22", false, 1, 1, 1, "draws over pixels"},
        {"A!|A:|", "A", "22", false, 1, 1, 1, "draws over pixels"},
        {"A!|A!|A.|A.|", "A", "0222", false, 3, 1, 2, ""},
        {"A!|B!|A.|", "A", "202", false, 2, 1, 1, ""},
        /* depth and stencil lie in planes of one surface */
        {"As|Ad|As|Ad|", "A", "0022", false, 3, 1, 1, "draws over pixels"},
        {"AsAd|Ad|", "A", "202", false, 1, 1, 1, "draws over pixels"},
        {"As|Ad|Ad|", "A", "202", false, 2, 1, 1, "draws over pixels"},
        /* a copy's source is needed if the copy's result is needed */
        {"A!|B!AcB|", "B", "22", false, 1, 1, 1, "frame 1 reads memory that is drawn in frame 0"},
        {"A!|AcB|B!|", "B", "02", false, 2, 1, 0, ""},
        {"A!|AcB|BcC|", "C", "2", false, 2, 1, 1, ""},
        {"A!|AcB|A!|", "A", "02", false, 2, 1, 0, ""},
        {"A!|A+B|AcB|B-C|", "C", "2", false, 3, 1, 1, "reads memory that is drawn"},
        {"C!|C0B|A1B|", "B", "2", false, 2, 1, 1, ""},
        {"B!|A=B|", "B", "0", false, 1, 1, 0, ""},
        {"B!|A>B|", "B", "2", false, 1, 1, 1, ""},
        {"B!|A/B|", "B", "2", false, 1, 1, 1, ""},
        /* memory that the CPU writes */
        {"A!|Au|A.|", "A", "02", false, 2, 1, 0, ""},
        /* a surface of another shape hides nothing */
        {"A!|a!|", "A", "22", false, 1, 1, 1, ""},
        {"A!|a!|A!|", "A", "222", false, 2, 1, 2, ""},
        /* pictures of several frames */
        {"A!|A!|A!|A!|", "A", "0101", true, 1, 2, 0, ""},
        {"A!|A!|A!|A!|", "A", "0202", false, 1, 2, 0, ""},
        /* shares: sources of copies are drawn whole, other surfaces only in the rank's rows */
        {"A!A.|A!A.|", "A", "0011", true, 1, 1, 0, ""},
        {"B!|A!|BcC|", "C", "20", true, 2, 1, 1, ""},
        {"A!|B!|AcB B.|", "B", "221", true, 2, 1, 2, ""},
        {"A!|a!|", "A", "22", true, 1, 1, 1, ""},
        /* commands may have been drawn over: everything is needed */
        {"A!|A*|A!|", "A", "", false, 2, 1, 2, "commands or descriptors of frame"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char why[256], extents[32] = "";
        tp_device *device = new_device();
        const struct needs_port port = {(void *)rows[i].picture, picture_of};
        record_story(rows[i].story);
        struct needs *n = needs_open(path, device, true, &port, why, sizeof why);
        struct needed needed;
        assert_non_null(n);
        uint32_t frames = 0;
        for (const char *p = rows[i].story; *p; p++)
            frames += *p == '|';
        const struct needs_range range = {rows[i].first, frames - 1, rows[i].step};
        assert_true(needs_of(n, &range, rows[i].shared, &needed, why, sizeof why));
        for (uint64_t k = 0; k < needed.count; k++)
            extents[k] = (char)('0' + needed.extent[k]);
        if (strcmp(extents, rows[i].extents) != 0 ||
            needed.frames_before != rows[i].frames_before || !strstr(needed.why, rows[i].why))
            fail_msg("row %zu, %s: %s, %u frames, '%s'", i, rows[i].story, extents,
                     (unsigned)needed.frames_before, needed.why);
        needs_close(n);
        tp_device_destroy(device);
    }
}

/* Frames may be asked for in any order. A missing file gives an error. */
TEST(test_questions) {
    char why[256];
    tp_device *device = new_device();
    const struct needs_port port = {(void *)"A", picture_of};
    record_story("A!|A.|A!|");
    struct needs *n = needs_open(path, device, true, &port, why, sizeof why);
    assert_non_null(n);
    struct needed needed;
    for (uint64_t frame = 3; frame-- > 0;) {
        const struct needs_range range = {frame, frame, 1};
        assert_true(needs_of(n, &range, false, &needed, why, sizeof why));
        assert_int_equal(needed.count, 3);
        assert_int_equal(needed.extent[2], frame == 2 ? WORK_WHOLE : WORK_LEFT_OUT);
        assert_int_equal(needed.extent[0], frame == 2 ? WORK_LEFT_OUT : WORK_WHOLE);
    }
    needs_close(n);
    assert_null(needs_open("/nowhere", device, true, &port, why, sizeof why));
    assert_non_null(strstr(why, "/nowhere: No such file"));
    tp_device_destroy(device);
}

BEFORE_TESTS {
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

AFTER_TESTS {
    return unlink(path);
}
