/* The picture of a display, through its ioctls one by one: modes, flips and their events, vertical
 * blanks, planes, cursors, properties, atomic commits. Each request's refusals, and its effects,
 * which the counterpart reads back.
 * usage: kms_commits (with a card that has a display) */
#define _GNU_SOURCE
#include "kms_client.h"

/* ---- legacy modes ---- */

static struct drm_mode_crtc crtc_now(void) {
    struct drm_mode_crtc c = {.crtc_id = crtc, .gamma_size = 7};
    ask(DRM_IOCTL_MODE_GETCRTC, &c);
    return c;
}

static bool is_on(bool on) {
    struct drm_mode_get_encoder e = {.encoder_id = encoder};
    struct drm_mode_get_connector c = {.connector_id = connector};
    ask(DRM_IOCTL_MODE_GETENCODER, &e);
    ask(DRM_IOCTL_MODE_GETCONNECTOR, &c);
    return e.crtc_id == (on ? crtc : 0) && c.encoder_id == (on ? encoder : 0) &&
           sequence_now().active == on && e.possible_crtcs == 1 && e.possible_clones == 0 &&
           c.connection == 1 && c.subpixel == 1 && (bool)crtc_now().mode_valid == on;
}

static void modes(const struct frame *f, const struct frame *large) {
    const uint32_t nobody = NOBODY;
    struct drm_mode_modeinfo half = mode, flat = mode, thin = mode, huge = mode;
    half.hdisplay /= 2;
    flat.vdisplay = 0;
    thin.hdisplay = 0;
    huge.hdisplay = 8193;
    verdict("at first the CRTC is on, as a console leaves it", is_on(true));
    verdict("at first the mode is the preferred one", strcmp(crtc_now().mode.name, mode.name) == 0);
    gives("set a mode", set_crtc(f->fb, 0, 0, &mode), 0);
    verdict("with a mode the CRTC is on", is_on(true));
    struct drm_mode_crtc c = crtc_now();
    verdict("the CRTC tells its framebuffer and mode",
            c.fb_id == f->fb && !c.x && !c.y && !c.gamma_size &&
                memcmp(&c.mode, &mode, sizeof mode) == 0);
    gives("show a part of a larger framebuffer", set_crtc(large->fb, 3, 5, &mode), 0);
    c = crtc_now();
    verdict("the CRTC tells the part's place", c.fb_id == large->fb && c.x == 3 && c.y == 5);
    gives("show another part of the same framebuffer", set_crtc(UINT32_MAX, 6, 7, &mode), 0);
    c = crtc_now();
    verdict("the CRTC tells the other part's place", c.fb_id == large->fb && c.x == 6 && c.y == 7);
    gives("show the last part that fits", set_crtc(large->fb, width, height, &mode), 0);
    gives("set a mode of half the width", set_crtc(f->fb, 0, 0, &half), 0);
    c = crtc_now();
    verdict("the CRTC tells half the width",
            c.mode.hdisplay == width / 2 && c.mode.vdisplay == height);
    const struct {
        const char *what;
        uint32_t fb, x, y;
        const struct drm_mode_modeinfo *mode;
        int error;
    } wrong[] = {
        {"a part one column too far right", large->fb, width + 1, 0, &mode, ENOSPC},
        {"a part one line too far down", large->fb, 0, height + 1, &mode, ENOSPC},
        {"a part far beyond the framebuffer", large->fb, 8192, 0, &mode, ENOSPC},
        {"a part at column 8193", large->fb, 8193, 0, &mode, EINVAL},
        {"a part at line 8193", large->fb, 0, 8193, &mode, EINVAL},
        {"a mode without width", large->fb, 0, 0, &thin, EINVAL},
        {"a mode without height", large->fb, 0, 0, &flat, EINVAL},
        {"a mode that is too wide", large->fb, 0, 0, &huge, EINVAL},
        {"a mode with a framebuffer that does not exist", NOBODY, 0, 0, &mode, ENOENT},
    };
    const long blocks = heap_blocks;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        gives(wrong[i].what, set_crtc(wrong[i].fb, wrong[i].x, wrong[i].y, wrong[i].mode),
              wrong[i].error);
    equal("refused modes leave no memory behind", (uint64_t)(heap_blocks - blocks), 0);
    const struct drm_mode_crtc now = crtc_now();
    verdict("refused modes change nothing",
            now.fb_id == c.fb_id && memcmp(&now.mode, &c.mode, sizeof c.mode) == 0);
#define SET_CRTC(what, error, connectors, count, ...)                                              \
    ROW(what, DRM_IOCTL_MODE_SETCRTC, error, drm_mode_crtc,                                        \
        .set_connectors_ptr = (uintptr_t)(connectors), .count_connectors = count, .fb_id = f->fb,  \
        .mode = mode, __VA_ARGS__)
    TRY(SET_CRTC("a mode for a CRTC that does not exist", ENOENT, &connector, 1, .crtc_id = NOBODY,
                 .mode_valid = 1),
        SET_CRTC("a mode for a connector that does not exist", ENOENT, &nobody, 1, .crtc_id = crtc,
                 .mode_valid = 1),
        SET_CRTC("a mode without a connector", EINVAL, &connector, 0, .crtc_id = crtc,
                 .mode_valid = 1),
        SET_CRTC("a mode for two connectors", EINVAL, &connector, 2, .crtc_id = crtc,
                 .mode_valid = 1),
        SET_CRTC("a connector without a mode", EINVAL, &connector, 1, .crtc_id = crtc));
    gives("switch the CRTC off", set_crtc(0, 0, 0, NULL), 0);
    verdict("the CRTC is off", is_on(false));
    equal("the CRTC has no framebuffer when it is off", crtc_now().fb_id, 0);
    TRY(ROW("a flip while the CRTC is off", DRM_IOCTL_MODE_PAGE_FLIP, EBUSY,
            drm_mode_crtc_page_flip, .crtc_id = crtc, .fb_id = f->fb),
        ROW("read a table of gamma", DRM_IOCTL_MODE_GETGAMMA, EINVAL, drm_mode_crtc_lut,
            .crtc_id = crtc, .gamma_size = 256),
        ROW("set a table of gamma", DRM_IOCTL_MODE_SETGAMMA, EINVAL, drm_mode_crtc_lut,
            .crtc_id = crtc, .gamma_size = 256),
        ROW("set an empty table of gamma", DRM_IOCTL_MODE_SETGAMMA, 0, drm_mode_crtc_lut,
            .crtc_id = crtc),
        ROW("a table of gamma of a CRTC that does not exist", DRM_IOCTL_MODE_GETGAMMA, ENOENT,
            drm_mode_crtc_lut, .crtc_id = NOBODY));
    gives("switch the CRTC on again", set_crtc(f->fb, 0, 0, &mode), 0);
}

/* ---- events ---- */

static uint64_t now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void flips(const struct frame two[2], const struct frame *alpha, const struct frame *small) {
    struct drm_event_vblank e;
#define FLIP(what, error, crtc, fb, ...)                                                           \
    ROW(what, DRM_IOCTL_MODE_PAGE_FLIP, error, drm_mode_crtc_page_flip, .crtc_id = (crtc),         \
        .fb_id = (fb), __VA_ARGS__)
    TRY(FLIP("a flip without waiting for the blank", EINVAL, crtc, two[1].fb,
             .flags = DRM_MODE_PAGE_FLIP_ASYNC),
        FLIP("a flip with a reserved field", EINVAL, crtc, two[1].fb, .reserved = 1),
        FLIP("a flip of a CRTC that does not exist", ENOENT, NOBODY, two[1].fb),
        FLIP("a flip to a framebuffer that does not exist", ENOENT, crtc, NOBODY),
        FLIP("a flip to another format", EINVAL, crtc, alpha->fb),
        FLIP("a flip to a smaller framebuffer", ENOSPC, crtc, small->fb));
    const uint64_t before = now_us();
    const uint64_t sequence = sequence_now().sequence;
    gives("a flip with an event", flip(two[1].fb, DRM_MODE_PAGE_FLIP_EVENT, UINT64_C(0x123456789a)),
          0);
    equal("the CRTC tells the new framebuffer at once", crtc_now().fb_id, two[1].fb);
    gives("a second flip before the blank", flip(two[0].fb, 0, 0), EBUSY);
    verdict("another client ends meanwhile",
            close(open("/dev/dri/card0", O_RDWR | O_CLOEXEC)) == 0);
    verdict("the flip's event comes", next_event(&e, 3000));
    const uint64_t at = (uint64_t)e.tv_sec * 1000000 + e.tv_usec;
    verdict("the event is one of a flip, with the flip's data",
            e.base.type == DRM_EVENT_FLIP_COMPLETE && e.user_data == UINT64_C(0x123456789a) &&
                e.crtc_id == crtc);
    verdict("the event's time is that of the flip", at + 20000 >= before && at <= now_us());
    verdict("the event's number is that of a blank since the flip",
            e.sequence >= (uint32_t)sequence && e.sequence <= (uint32_t)sequence_now().sequence);
    gives("a flip without an event", flip(two[0].fb, 0, 5), 0);
    gives("set a mode, which waits for the flip", set_crtc(two[0].fb, 0, 0, &mode), 0);
    verdict("no event comes of a flip without an event",
            poll(&(struct pollfd){card, POLLIN, 0}, 1, 30) == 0);
}

/* A window that does not answer delays a program by a few seconds at most. */
static void sleeping_window(uint32_t fb) {
    const uint64_t before = now_us();
    kill(getppid(), SIGSTOP);
    gives("set a mode while the window sleeps", set_crtc(fb, 0, 0, &mode), 0);
    kill(getppid(), SIGCONT);
    verdict("the mode is set after some seconds",
            now_us() - before > 2000000 && now_us() - before < 60000000);
}

static int wait_blank(union drm_wait_vblank *w, uint32_t type, uint32_t sequence);

/* A requested blank event comes after the flips that are already complete. */
static void flips_and_blanks(const struct frame two[2]) {
    for (int i = 0; i < 8; i++) {
        struct drm_event_vblank e;
        union drm_wait_vblank w;
        gives("a flip in a sequence of flips and blanks",
              flip(two[i % 2].fb, DRM_MODE_PAGE_FLIP_EVENT, 1), 0);
        verdict("the event of a flip in the sequence comes",
                next_event(&e, 3000) && e.base.type == DRM_EVENT_FLIP_COMPLETE);
        gives("ask for the last blank", wait_blank(&w, _DRM_VBLANK_RELATIVE, 0), 0);
        verdict("the last blank is not before the flip",
                (uint64_t)w.reply.tval_sec * 1000000 + (uint64_t)w.reply.tval_usec >=
                    (uint64_t)e.tv_sec * 1000000 + e.tv_usec);
    }
}

static int wait_blank(union drm_wait_vblank *w, uint32_t type, uint32_t sequence) {
    *w = (union drm_wait_vblank){.request = {(enum drm_vblank_seq_type)type, sequence, 31}};
    return ask(DRM_IOCTL_WAIT_VBLANK, w);
}

static void blanks(void) {
    enum { ABS = _DRM_VBLANK_ABSOLUTE, REL = _DRM_VBLANK_RELATIVE, NEXT = _DRM_VBLANK_NEXTONMISS };
    static const struct {
        const char *what;
        uint32_t type, sequence;
        int error;
    } wrong[] = {
        {"a blank with a signal", REL | _DRM_VBLANK_SIGNAL, 0, EINVAL},
        {"a blank of the secondary CRTC", REL | _DRM_VBLANK_SECONDARY, 0, EINVAL},
        {"a blank of CRTC number 1", REL | 1 << _DRM_VBLANK_HIGH_CRTC_SHIFT, 0, EINVAL},
        {"a blank with an unknown flag", REL | 0x100, 0, EINVAL},
        {"a blank that is too far in the future", REL, 400, EBUSY},
    };
    union drm_wait_vblank w;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        gives(wrong[i].what, wait_blank(&w, wrong[i].type, wrong[i].sequence), wrong[i].error);
    const struct drm_crtc_get_sequence first = sequence_now();
    const uint64_t start = now_us();
    verdict("the last blank is at most a second ago",
            (uint64_t)first.sequence_ns / 1000 <= start &&
                start - (uint64_t)first.sequence_ns / 1000 < 1000000);
    gives("wait for 0 further blanks", wait_blank(&w, REL, 0), 0);
    verdict("the wait for 0 blanks gives the present number",
            w.reply.sequence - (uint32_t)first.sequence <= 60);
    gives("wait for a blank that is past", wait_blank(&w, ABS, (uint32_t)first.sequence - 5), 0);
    verdict("the wait for a past blank gives the present number",
            w.reply.sequence - (uint32_t)first.sequence <= 60);
    const uint32_t now = (uint32_t)sequence_now().sequence;
    gives("wait for 3 further blanks", wait_blank(&w, REL, 3), 0);
    const uint64_t told = (uint64_t)w.reply.tval_sec * 1000000 + (uint64_t)w.reply.tval_usec;
    const struct drm_crtc_get_sequence then = sequence_now();
    verdict("the wait for 3 blanks gives a number 3 higher",
            w.reply.sequence - now >= 3 && w.reply.sequence <= (uint32_t)then.sequence);
    verdict("the wait for 3 blanks gives the time of a blank",
            told <= now_us() && now_us() - told < 1000000 && told >= start + 2 * 16000);
    const double period =
        (double)(then.sequence_ns - first.sequence_ns) / (double)(then.sequence - first.sequence);
    verdict("there are 60 blanks a second", period > 16666000 && period < 16667000);
    gives("wait for a blank by number", wait_blank(&w, ABS, (uint32_t)then.sequence + 2), 0);
    equal("the wait for a number gives that number", w.reply.sequence, (uint32_t)then.sequence + 2);
    gives("wait for a past blank or else the next",
          wait_blank(&w, ABS | NEXT, (uint32_t)then.sequence), 0);
    verdict("the wait for a past blank or the next gives the next",
            (int32_t)(w.reply.sequence - (uint32_t)then.sequence) >= 3);
    struct drm_event_vblank e;
    const uint32_t asked = (uint32_t)sequence_now().sequence;
    gives("ask for an event in 2 blanks", wait_blank(&w, REL | _DRM_VBLANK_EVENT, 2), 0);
    verdict("the event of a blank comes", next_event(&e, 3000) && e.base.type == DRM_EVENT_VBLANK &&
                                              e.user_data == 31 && e.crtc_id == crtc);
    verdict("the event is one of 2 blanks later",
            e.sequence - asked >= 2 && e.sequence <= (uint32_t)sequence_now().sequence);
}

static void sequences(void) {
    enum { REL = DRM_CRTC_SEQUENCE_RELATIVE, NEXT = DRM_CRTC_SEQUENCE_NEXT_ON_MISS };
    TRY(ROW("the number of blanks of a CRTC that does not exist", DRM_IOCTL_CRTC_GET_SEQUENCE,
            ENOENT, drm_crtc_get_sequence, .crtc_id = NOBODY),
        ROW("an event of a CRTC that does not exist", DRM_IOCTL_CRTC_QUEUE_SEQUENCE, ENOENT,
            drm_crtc_queue_sequence, .crtc_id = NOBODY),
        ROW("an event with unknown flags", DRM_IOCTL_CRTC_QUEUE_SEQUENCE, EINVAL,
            drm_crtc_queue_sequence, .crtc_id = crtc, .flags = 4));
    static const struct {
        uint32_t flags;
        int64_t ahead, at_least; /* relative to the current number */
    } rows[] = {{REL, 2, 2},        {0, 2, 2},    {NEXT, 0, 1}, {NEXT, -9, 1},
                {NEXT | REL, 0, 1}, {NEXT, 2, 2}, {0, -1, -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t now = sequence_now().sequence, base = rows[i].flags & REL ? 0 : now;
        struct drm_crtc_queue_sequence q = {.crtc_id = crtc,
                                            .flags = rows[i].flags,
                                            .user_data = 500 + i,
                                            .sequence = base + (uint64_t)rows[i].ahead};
        struct drm_event_crtc_sequence e;
        gives("ask for an event at a number", ask(DRM_IOCTL_CRTC_QUEUE_SEQUENCE, &q), 0);
        const int64_t ahead = (int64_t)(q.sequence - now);
        verdict("the answer tells the event's number",
                ahead >= rows[i].at_least && ahead <= rows[i].at_least + 60);
        verdict("the event at a number comes",
                next_event(&e, 3000) && e.base.type == DRM_EVENT_CRTC_SEQUENCE &&
                    e.user_data == 500 + i && e.sequence == q.sequence);
        const struct drm_crtc_get_sequence then = sequence_now();
        verdict("the event does not come before its number", then.sequence >= q.sequence);
        verdict("the event's time is that of its number",
                then.sequence_ns - e.time_ns ==
                    ((int64_t)then.sequence - (int64_t)q.sequence) * 16666666);
    }
}

/* ---- planes, cursors, properties ---- */

static uint64_t property(uint32_t object, uint32_t type, const char *name, uint32_t *id) {
    uint32_t ids[32];
    uint64_t values[32];
    struct drm_mode_obj_get_properties o = {.props_ptr = (uintptr_t)ids,
                                            .prop_values_ptr = (uintptr_t)values,
                                            .count_props = 32,
                                            .obj_id = object,
                                            .obj_type = type};
    if (ask(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &o))
        return UINT64_MAX;
    for (uint32_t i = 0; i < o.count_props; i++) {
        struct drm_mode_get_property p = {.prop_id = ids[i]};
        ask(DRM_IOCTL_MODE_GETPROPERTY, &p);
        if (strcmp(p.name, name) == 0) {
            *id = ids[i];
            return values[i];
        }
    }
    *id = 0;
    return UINT64_MAX;
}

static uint64_t of_plane(int i, const char *name) {
    uint32_t id;
    return property(plane[i], DRM_MODE_OBJECT_PLANE, name, &id);
}

static bool plane_is(int i, uint32_t fb) {
    struct drm_mode_get_plane p = {.plane_id = plane[i], .gamma_size = 7};
    ask(DRM_IOCTL_MODE_GETPLANE, &p);
    return !p.gamma_size && p.fb_id == fb && p.crtc_id == (fb ? crtc : 0) && p.possible_crtcs == 1;
}

static void cursors(const struct frame *small, const struct frame *tiny) {
    enum { BO = DRM_MODE_CURSOR_BO, MOVE = DRM_MODE_CURSOR_MOVE };
    static const struct {
        const char *what;
        /* handle: 0 none, 1 64 x 64, 2 one page, 3 not a buffer */
        uint32_t flags, width, height, handle;
        int error;
    } rows[] = {
        {"a cursor call with no flags", 0, 64, 64, 1, EINVAL},
        {"a cursor call with an unknown flag", 4, 64, 64, 1, EINVAL},
        {"a cursor that is too wide", BO, 65, 64, 1, EINVAL},
        {"a cursor that is too high", BO, 64, 65, 1, EINVAL},
        {"a move of a cursor that is too wide", MOVE, 65, 0, 0, EINVAL},
        {"a move of a cursor that is too high", MOVE, 0, 65, 0, EINVAL},
        {"a cursor of a buffer that does not exist", BO, 64, 64, 3, ENOENT},
        {"a cursor larger than its buffer", BO, 64, 17, 2, EINVAL},
        {"a cursor as large as its buffer", BO, 64, 16, 2, 0},
        {"show a cursor", BO, 64, 64, 1, 0},
        {"move the cursor", MOVE, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t handle[] = {0, small->handle, tiny->handle, 0xffff};
        gives(
            rows[i].what,
            set_cursor(rows[i].flags, -3, 9, rows[i].width, rows[i].height, handle[rows[i].handle]),
            rows[i].error);
    }
    TRY(ROW("a cursor on a CRTC that does not exist", DRM_IOCTL_MODE_CURSOR, ENOENT,
            drm_mode_cursor, .flags = MOVE, .crtc_id = NOBODY));
    const uint32_t fb = (uint32_t)of_plane(1, "FB_ID");
    struct drm_mode_fb_cmd2 f = {.fb_id = fb};
    gives("the cursor has a framebuffer", ask(DRM_IOCTL_MODE_GETFB2, &f), 0);
    verdict("the cursor's framebuffer has the buffer's size and format",
            f.width == 64 && f.height == 64 && f.pitches[0] == 256 && !f.offsets[0] &&
                f.pixel_format == DRM_FORMAT_ARGB8888);
    ask(DRM_IOCTL_GEM_CLOSE, &(struct drm_gem_close){.handle = f.handles[0]});
    verdict("the cursor's plane has the cursor's place and size",
            plane_is(1, fb) && of_plane(1, "CRTC_X") == (uint64_t)-3 &&
                of_plane(1, "CRTC_Y") == 9 && of_plane(1, "CRTC_W") == 64 &&
                of_plane(1, "SRC_W") == 64 << 16 && of_plane(1, "CRTC_H") == 64 &&
                of_plane(1, "SRC_H") == 64 << 16);
    gives("show a smaller cursor at another place",
          set_cursor(BO | MOVE, 11, 12, 32, 16, small->handle), 0);
    verdict("the plane has the smaller cursor's place and size",
            of_plane(1, "CRTC_X") == 11 && of_plane(1, "CRTC_Y") == 12 &&
                of_plane(1, "CRTC_W") == 32 && of_plane(1, "CRTC_H") == 16 &&
                of_plane(1, "SRC_H") == 16 << 16);
    verdict("the smaller cursor has another framebuffer", of_plane(1, "FB_ID") != fb);
    f = (struct drm_mode_fb_cmd2){.fb_id = fb};
    gives("the first cursor's framebuffer is gone", ask(DRM_IOCTL_MODE_GETFB2, &f), ENOENT);
    verdict("the smaller cursor is shown from its corner on",
            !of_plane(1, "SRC_X") && !of_plane(1, "SRC_Y") && of_plane(1, "SRC_W") == 32 << 16);
    const uint32_t last = (uint32_t)of_plane(1, "FB_ID");
    gives("hide the cursor", set_cursor(BO, 0, 0, 0, 0, 0), 0);
    verdict("the plane of a hidden cursor is off", plane_is(1, 0) && of_plane(1, "CRTC_X") == 11);
    f = (struct drm_mode_fb_cmd2){.fb_id = last};
    gives("the hidden cursor's framebuffer is gone", ask(DRM_IOCTL_MODE_GETFB2, &f), ENOENT);
}

static void planes(const struct frame *f, const struct frame *large, const struct frame *small) {
    const uint32_t w = width << 16, h = height << 16, s = 64 << 16;
    const struct {
        const char *what;
        int plane;
        uint32_t fb, crtc, source[4], size[2];
        int32_t at[2];
        int error;
    } rows[] = {
        {"no such plane", 2, f->fb, crtc, {0, 0, w, h}, {width, height}, {0}, ENOENT},
        {"no framebuffer", 0, NOBODY, crtc, {0, 0, w, h}, {width, height}, {0}, ENOENT},
        {"no such CRTC", 0, f->fb, NOBODY, {0, 0, w, h}, {width, height}, {0}, ENOENT},
        {"stretched in width", 0, f->fb, crtc, {0, 0, w / 2, h}, {width, height}, {0}, ERANGE},
        {"stretched in height", 0, f->fb, crtc, {0, 0, w, h / 2}, {width, height}, {0}, ERANGE},
        {"shrunk a little", 0, large->fb, crtc, {0, 0, w + 1, h}, {width, height}, {0}, ERANGE},
        {"beyond its right edge", 0, f->fb, crtc, {1 << 16, 0, w, h}, {width, height}, {0}, ENOSPC},
        {"beyond its lower edge", 0, f->fb, crtc, {0, 1 << 16, w, h}, {width, height}, {0}, ENOSPC},
        {"on half the height", 0, f->fb, crtc, {0, 0, w, h / 2}, {width, height / 2}, {0}, EINVAL},
        {"on half the width", 0, f->fb, crtc, {0, 0, w / 2, h}, {width / 2, height}, {0}, EINVAL},
        {"one pixel right", 0, f->fb, crtc, {0, 0, w, h}, {width, height}, {1, 0}, EINVAL},
        {"one pixel up", 0, f->fb, crtc, {0, 0, w, h}, {width, height}, {0, -1}, EINVAL},
        {"a whole screen", 0, large->fb, crtc, {2 << 16, 3 << 16, w, h}, {width, height}, {0}, 0},
        {"the cursor plane", 1, small->fb, crtc, {0, 0, s, s}, {64, 64}, {-5, 6}, 0},
        {"a cursor too wide", 1, large->fb, crtc, {0, 0, s + 65536, s}, {65, 64}, {0}, EINVAL},
        {"a cursor too high", 1, large->fb, crtc, {0, 0, s, s + 65536}, {64, 65}, {0}, EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_mode_set_plane p = {.plane_id =
                                           rows[i].plane < 2 ? plane[rows[i].plane] : plane[1] + 1,
                                       .crtc_id = rows[i].crtc,
                                       .fb_id = rows[i].fb,
                                       .crtc_x = rows[i].at[0],
                                       .crtc_y = rows[i].at[1],
                                       .crtc_w = rows[i].size[0],
                                       .crtc_h = rows[i].size[1],
                                       .src_x = rows[i].source[0],
                                       .src_y = rows[i].source[1],
                                       .src_w = rows[i].source[2],
                                       .src_h = rows[i].source[3]};
        gives(rows[i].what, ask(DRM_IOCTL_MODE_SETPLANE, &p), rows[i].error);
    }
    verdict("both planes have their framebuffers",
            plane_is(0, large->fb) && plane_is(1, small->fb));
    verdict("the primary plane has its source and its size",
            of_plane(0, "SRC_X") == 2 << 16 && of_plane(0, "SRC_Y") == 3 << 16 &&
                of_plane(0, "SRC_W") == w && of_plane(0, "SRC_H") == h &&
                of_plane(0, "CRTC_W") == width && of_plane(0, "CRTC_H") == height);
    verdict("the cursor plane has its place",
            of_plane(1, "CRTC_X") == (uint64_t)-5 && of_plane(1, "CRTC_Y") == 6);
    for (int i = 1; i >= 0; i--)
        TRY(ROW("switch a plane off", DRM_IOCTL_MODE_SETPLANE, 0, drm_mode_set_plane,
                .plane_id = plane[i]));
    verdict("both planes are off", plane_is(0, 0) && plane_is(1, 0));
}

static int set_object(uint32_t object, uint32_t type, const char *name, uint64_t value) {
    uint32_t id;
    property(object, type, name, &id);
    struct drm_mode_obj_set_property o = {
        .value = value, .prop_id = id, .obj_id = object, .obj_type = type};
    return ask(DRM_IOCTL_MODE_OBJ_SETPROPERTY, &o);
}

static bool is_active(void) {
    return sequence_now().active;
}

static void properties(const struct frame *f) {
    enum { CONNECTOR = DRM_MODE_OBJECT_CONNECTOR, CRTC = DRM_MODE_OBJECT_CRTC };
    uint32_t dpms, id, ids[2] = {0, 77};
    set_crtc(f->fb, 0, 0, &mode);
    equal("at first DPMS is on", property(connector, CONNECTOR, "DPMS", &dpms), DRM_MODE_DPMS_ON);
    for (uint64_t value = 1; value <= 3; value++) {
        gives("switch DPMS to a level of sleep", set_object(connector, CONNECTOR, "DPMS", value),
              0);
        equal("all levels of sleep read as off", property(connector, CONNECTOR, "DPMS", &id),
              DRM_MODE_DPMS_OFF);
        verdict("the CRTC of a sleeping connector is not active",
                !is_active() && !property(crtc, CRTC, "ACTIVE", &id) && crtc_now().mode_valid);
        gives("a flip during sleep", flip(f->fb, 0, 0), EBUSY);
        gives("switch DPMS on", set_object(connector, CONNECTOR, "DPMS", 0), 0);
        verdict("the CRTC is active after sleep",
                is_active() && property(crtc, CRTC, "ACTIVE", &id) == 1);
    }
    gives("an unknown level of DPMS", set_object(connector, CONNECTOR, "DPMS", 4), EINVAL);
    TRY(ROW("switch the primary plane off", DRM_IOCTL_MODE_SETPLANE, 0, drm_mode_set_plane,
            .plane_id = plane[0]));
    verdict("the CRTC is active without a primary plane", is_active());
    gives("a flip without a primary plane", flip(f->fb, 0, 0), EBUSY);
    set_crtc(f->fb, 0, 0, &mode);
    gives("set link-status to bad", set_object(connector, CONNECTOR, "link-status", 1), 0);
    equal("link-status reads as bad", property(connector, CONNECTOR, "link-status", &id), 1);
    gives("set link-status to good", set_object(connector, CONNECTOR, "link-status", 0), 0);
    gives("an unknown link-status", set_object(connector, CONNECTOR, "link-status", 2), EINVAL);
    gives("a change of non-desktop", set_object(connector, CONNECTOR, "non-desktop", 0), EINVAL);
    gives("a change of a plane's type", set_object(plane[0], DRM_MODE_OBJECT_PLANE, "type", 1),
          EINVAL);
    TRY(ROW("a property of the connector, set at the CRTC", DRM_IOCTL_MODE_OBJ_SETPROPERTY, ENOENT,
            drm_mode_obj_set_property, .prop_id = dpms, .obj_id = crtc),
        ROW("a property of an object that does not exist", DRM_IOCTL_MODE_OBJ_SETPROPERTY, ENOENT,
            drm_mode_obj_set_property, .prop_id = dpms, .obj_id = NOBODY),
        ROW("set property 0", DRM_IOCTL_MODE_OBJ_SETPROPERTY, ENOENT, drm_mode_obj_set_property,
            .obj_id = connector),
        ROW("set a property that does not exist", DRM_IOCTL_MODE_OBJ_SETPROPERTY, ENOENT,
            drm_mode_obj_set_property, .prop_id = NOBODY, .obj_id = connector),
        ROW("set DPMS by the connector's own ioctl", DRM_IOCTL_MODE_SETPROPERTY, 0,
            drm_mode_connector_set_property, .value = 3, .prop_id = dpms,
            .connector_id = connector),
        ROW("set DPMS by the connector's ioctl at a CRTC", DRM_IOCTL_MODE_SETPROPERTY, ENOENT,
            drm_mode_connector_set_property, .prop_id = dpms, .connector_id = crtc),
        ROW("describe property 0", DRM_IOCTL_MODE_GETPROPERTY, ENOENT, drm_mode_get_property,
            .prop_id = 0),
        ROW("describe property 18", DRM_IOCTL_MODE_GETPROPERTY, ENOENT, drm_mode_get_property,
            .prop_id = 18),
        ROW("the properties of a CRTC as a connector", DRM_IOCTL_MODE_OBJ_GETPROPERTIES, ENOENT,
            drm_mode_obj_get_properties, .obj_id = crtc, .obj_type = CONNECTOR),
        ROW("the properties of an object of any kind", DRM_IOCTL_MODE_OBJ_GETPROPERTIES, 0,
            drm_mode_obj_get_properties, .obj_id = crtc),
        ROW("the properties of an encoder", DRM_IOCTL_MODE_OBJ_GETPROPERTIES, EINVAL,
            drm_mode_obj_get_properties, .obj_id = encoder),
        ROW("the properties of an object that does not exist", DRM_IOCTL_MODE_OBJ_GETPROPERTIES,
            ENOENT, drm_mode_obj_get_properties, .obj_id = NOBODY));
    verdict("DPMS set by the connector's own ioctl has an effect", !is_active());
    struct drm_mode_obj_get_properties few = {
        .props_ptr = (uintptr_t)ids, .count_props = 1, .obj_id = connector};
    ask(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &few);
    verdict("no property is listed if there is not room for all",
            few.count_props == 4 && !ids[0] && ids[1] == 77);
    set_crtc(0, 0, 0, NULL);
    gives("switch DPMS on without a mode", set_object(connector, CONNECTOR, "DPMS", 0), 0);
    verdict("the CRTC is not active without a mode", !is_active());
}

/* ---- atomic commits ---- */

struct change {
    uint32_t object, type;
    const char *name;
    uint64_t value;
};
#define OF_CRTC crtc, DRM_MODE_OBJECT_CRTC
#define OF_CONNECTOR connector, DRM_MODE_OBJECT_CONNECTOR
#define OF_PLANE plane[0], DRM_MODE_OBJECT_PLANE
#define OF_CURSOR plane[1], DRM_MODE_OBJECT_PLANE

/* Consecutive entries with the same object are one object with several properties. */
static int commit(uint32_t flags, uint64_t data, const struct change *c, size_t count) {
    uint32_t objects[32], counts[32] = {0}, ids[32], n = 0;
    uint64_t values[32];
    for (size_t i = 0; i < count; i++) {
        if (!n || objects[n - 1] != c[i].object)
            objects[n++] = c[i].object;
        counts[n - 1]++;
        ids[i] = NOBODY;
        values[i] = c[i].value;
        if (c[i].name)
            property(c[i].object, c[i].type, c[i].name, &ids[i]);
    }
    return ask(DRM_IOCTL_MODE_ATOMIC,
               &(struct drm_mode_atomic){.flags = flags,
                                         .count_objs = n,
                                         .objs_ptr = (uintptr_t)objects,
                                         .count_props_ptr = (uintptr_t)counts,
                                         .props_ptr = (uintptr_t)ids,
                                         .prop_values_ptr = (uintptr_t)values,
                                         .user_data = data});
}
#define COMMIT(flags, ...)                                                                         \
    commit(flags, 99, (const struct change[]){__VA_ARGS__},                                        \
           sizeof((const struct change[]){__VA_ARGS__}) / sizeof(struct change))
#define SHOW(fb)                                                                                   \
    {OF_PLANE, "FB_ID", fb}, {OF_PLANE, "CRTC_ID", crtc},                                          \
        {OF_PLANE, "SRC_W", (uint64_t)width << 16}, {OF_PLANE, "SRC_H", (uint64_t)height << 16},   \
        {OF_PLANE, "CRTC_W", width}, {                                                             \
        OF_PLANE, "CRTC_H", height                                                                 \
    }

/* Sizes of modes alone: without a plane, nothing else can be wrong. */
static void mode_sizes(void) {
    static const struct {
        uint16_t width, height;
        int error;
    } rows[] = {{0, 100, EINVAL},
                {100, 0, EINVAL},
                {8193, 100, EINVAL},
                {100, 8193, EINVAL},
                {8192, 100, 0},
                {100, 8192, 0},
                {1, 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_mode_modeinfo m = mode;
        int error;
        m.hdisplay = rows[i].width;
        m.vdisplay = rows[i].height;
        const uint32_t id = blob(&m, sizeof m, &error);
        gives("a commit of a mode of some size",
              COMMIT(DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_ATOMIC_ALLOW_MODESET,
                     {OF_PLANE, "FB_ID", 0}, {OF_PLANE, "CRTC_ID", 0}, {OF_CRTC, "MODE_ID", id},
                     {OF_CRTC, "ACTIVE", 1}, {OF_CONNECTOR, "CRTC_ID", crtc}),
              rows[i].error);
        ask(DRM_IOCTL_MODE_DESTROYPROPBLOB, &(struct drm_mode_destroy_blob){id});
    }
}

static void atomic(const struct frame two[2]) {
    enum {
        TEST = DRM_MODE_ATOMIC_TEST_ONLY,
        ASIDE = DRM_MODE_ATOMIC_NONBLOCK,
        MODESET = DRM_MODE_ATOMIC_ALLOW_MODESET,
        EVENT = DRM_MODE_PAGE_FLIP_EVENT
    };
    int error;
    const uint32_t id = blob(&mode, sizeof mode, &error),
                   shorter = blob(&mode, sizeof mode - 1, &error);
    TRY(ROW("a commit with unknown flags", DRM_IOCTL_MODE_ATOMIC, EINVAL, drm_mode_atomic,
            .flags = 0x800),
        ROW("a commit without waiting for the blank", DRM_IOCTL_MODE_ATOMIC, EINVAL,
            drm_mode_atomic, .flags = DRM_MODE_PAGE_FLIP_ASYNC),
        ROW("a commit with a reserved field", DRM_IOCTL_MODE_ATOMIC, EINVAL, drm_mode_atomic,
            .reserved = 1),
        ROW("a test with an event", DRM_IOCTL_MODE_ATOMIC, EINVAL, drm_mode_atomic,
            .flags = TEST | EVENT),
        ROW("an empty commit with an event", DRM_IOCTL_MODE_ATOMIC, EINVAL, drm_mode_atomic,
            .flags = EVENT),
        ROW("an empty commit", DRM_IOCTL_MODE_ATOMIC, 0, drm_mode_atomic, .flags = 0));
    mode_sizes();
    gives("a blob that is too short for a mode", COMMIT(MODESET, {OF_CRTC, "MODE_ID", shorter}),
          EINVAL);
    gives("a blob that does not exist", COMMIT(MODESET, {OF_CRTC, "MODE_ID", NOBODY}), EINVAL);
    gives("a commit of a mode without a connector", COMMIT(MODESET, {OF_CRTC, "MODE_ID", id}),
          EINVAL);
    gives("a commit of a connector without a mode",
          COMMIT(MODESET, {OF_CONNECTOR, "CRTC_ID", crtc}), EINVAL);
    gives("a connector on a CRTC that does not exist",
          COMMIT(MODESET, {OF_CONNECTOR, "CRTC_ID", NOBODY}), EINVAL);
    gives("an active CRTC without a mode", COMMIT(MODESET, {OF_CRTC, "ACTIVE", 1}), EINVAL);
    gives("a CRTC neither active nor not", COMMIT(MODESET, {OF_CRTC, "ACTIVE", 2}), EINVAL);
    gives("a commit of a plane's type", COMMIT(MODESET, {OF_PLANE, "type", 1}), EINVAL);
    gives("a commit of a property that does not exist", COMMIT(MODESET, {OF_PLANE, NULL, 1}),
          ENOENT);
    gives("a commit of an object that does not exist", COMMIT(MODESET, {NOBODY, 0, NULL, 1}),
          ENOENT);
    gives("a commit of an encoder, which has no properties",
          ask(DRM_IOCTL_MODE_ATOMIC,
              &(struct drm_mode_atomic){.count_objs = 1,
                                        .objs_ptr = (uintptr_t)&encoder,
                                        .count_props_ptr = (uintptr_t)&(uint32_t){0}}),
          ENOENT);
    gives("a commit of a framebuffer that does not exist", COMMIT(0, {OF_PLANE, "FB_ID", NOBODY}),
          EINVAL);
    gives("a framebuffer's number with a 33rd bit",
          COMMIT(0, {OF_PLANE, "FB_ID", two[0].fb | UINT64_C(1) << 32}), EINVAL);
    gives("a plane with a framebuffer and no CRTC", COMMIT(0, {OF_PLANE, "FB_ID", two[0].fb}),
          EINVAL);
    gives("the least place of a plane", COMMIT(0, {OF_CURSOR, "CRTC_X", (uint64_t)INT32_MIN}), 0);
    gives("a place below the least one", COMMIT(0, {OF_CURSOR, "CRTC_X", (uint64_t)INT32_MIN - 1}),
          EINVAL);
    gives("the greatest place of a plane", COMMIT(0, {OF_CURSOR, "CRTC_Y", INT32_MAX}), 0);
    gives("a place above the greatest one",
          COMMIT(0, {OF_CURSOR, "CRTC_Y", INT32_MAX + UINT64_C(1)}), EINVAL);
    gives("the greatest place in a source", COMMIT(0, {OF_CURSOR, "SRC_X", UINT32_MAX}), 0);
    gives("a place in a source above the greatest one",
          COMMIT(0, {OF_CURSOR, "SRC_X", UINT32_MAX + UINT64_C(1)}), EINVAL);
    verdict("the plane has these places", of_plane(1, "CRTC_X") == (uint64_t)INT32_MIN &&
                                              of_plane(1, "CRTC_Y") == INT32_MAX &&
                                              of_plane(1, "SRC_X") == UINT32_MAX);
    COMMIT(0, {OF_CURSOR, "CRTC_X", 0}, {OF_CURSOR, "CRTC_Y", 0}, {OF_CURSOR, "SRC_X", 0});
#define ALL_ON(flags)                                                                              \
    COMMIT(flags, {OF_CONNECTOR, "CRTC_ID", crtc}, {OF_CRTC, "MODE_ID", id},                       \
           {OF_CRTC, "ACTIVE", 1}, SHOW(two[0].fb))
    gives("switch all on without ALLOW_MODESET", ALL_ON(0), EINVAL);
    gives("test a commit that switches all on", ALL_ON(MODESET | TEST), 0);
    verdict("the test changes nothing", is_on(false) && !of_plane(0, "FB_ID"));
    gives("switch all on", ALL_ON(MODESET | EVENT), 0);
    verdict("all is on", is_on(true) && plane_is(0, two[0].fb));
    struct drm_event_vblank e;
    verdict("the event of the commit comes",
            next_event(&e, 3000) && e.user_data == 99 && e.base.type == DRM_EVENT_FLIP_COMPLETE);
    gives("destroy the mode's blob",
          ask(DRM_IOCTL_MODE_DESTROYPROPBLOB, &(struct drm_mode_destroy_blob){id}), 0);
    verdict("the mode stays without its blob",
            crtc_now().mode_valid && crtc_now().mode.hdisplay == width);
    gives("a commit of the other framebuffer, not waited for", COMMIT(ASIDE, SHOW(two[1].fb)), 0);
    gives("a second commit before the blank", COMMIT(ASIDE, SHOW(two[0].fb)), EBUSY);
    gives("a test before the blank", COMMIT(ASIDE | TEST, SHOW(two[0].fb)), 0);
    gives("a commit before the blank that is waited for", COMMIT(0, SHOW(two[0].fb)), 0);
    gives("a list of objects at an invalid address",
          ask(DRM_IOCTL_MODE_ATOMIC, &(struct drm_mode_atomic){.count_objs = 1, .objs_ptr = 8}),
          EFAULT);
    gives("switch all off",
          COMMIT(MODESET, {OF_CONNECTOR, "CRTC_ID", 0}, {OF_CRTC, "MODE_ID", 0},
                 {OF_CRTC, "ACTIVE", 0}, {OF_PLANE, "FB_ID", 0}, {OF_PLANE, "CRTC_ID", 0}),
          0);
    verdict("all is off", is_on(false) && plane_is(0, 0));
    struct drm_mode_get_blob g = {.blob_id = id};
    gives("the blob is gone with the mode", ask(DRM_IOCTL_MODE_GETPROPBLOB, &g), ENOENT);
}

int main(void) {
    find();
    gives("atomic", client_cap(DRM_CLIENT_CAP_ATOMIC, 1), 0);
    ask(DRM_IOCTL_MODE_GETPLANERESOURCES,
        &(struct drm_mode_get_plane_res){.count_planes = 2, .plane_id_ptr = (uintptr_t)plane});
    const struct frame two[2] = {make_frame(width, height, 24), make_frame(width, height, 24)};
    const struct frame alpha = make_frame(width, height, 32),
                       large = make_frame(2 * width, 2 * height, 24);
    const struct frame small = make_frame(64, 64, 24), tiny = make_frame(8, 16, 24);
    modes(&two[0], &large);
    flips(two, &alpha, &small);
    flips_and_blanks(two);
    sleeping_window(two[0].fb);
    blanks();
    sequences();
    cursors(&small, &tiny);
    planes(&two[0], &large, &small);
    properties(&two[0]);
    atomic(two);
    return summary();
}
