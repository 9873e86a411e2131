/* The objects of a display and their owners, through the ioctls one by one: capabilities of cards
 * and clients, masters, dumb buffers, framebuffers, blobs. Each request's refusals and answers;
 * structs of other versions; objects left by a client.
 * usage: kms_objects (with a card that has a display) */
#define _GNU_SOURCE
#include "kms_client.h"

#include "../../base/pass_fd.h"

#include <sys/uio.h>

/* ---- buffers and framebuffers ---- */

static void dumb_buffers(void) {
    static const struct {
        uint32_t width, height, bpp, pitch;
        uint64_t size;
        int error;
    } rows[] = {
        {1, 1, 32, 256, PAGE, 0},          {64, 64, 32, 256, 4 * PAGE, 0},
        {65, 9, 32, 512, 2 * PAGE, 0},     {100, 10, 16, 256, PAGE, 0},
        {129, 1, 15, 512, PAGE, 0},        {256, 16, 8, 256, PAGE, 0},
        {257, 17, 8, 512, 3 * PAGE, 0},    {60, 1, 24, 256, PAGE, 0},
        {32768, 1, 1, 32768, 8 * PAGE, 0}, {1, 32768, 32, 256, 2048 * PAGE, 0},
        {0, 1, 32, 0, 0, EINVAL},          {1, 0, 32, 0, 0, EINVAL},
        {1, 1, 0, 0, 0, EINVAL},           {1, 1, 33, 0, 0, EINVAL},
        {32769, 1, 32, 0, 0, EINVAL},      {1, 32769, 32, 0, 0, EINVAL},
        {32768, 32768, 32, 0, 0, ENOMEM},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int error;
        const struct drm_mode_create_dumb d =
            dumb(rows[i].width, rows[i].height, rows[i].bpp, &error);
        struct drm_mode_map_dumb m = {.handle = d.handle};
        struct drm_mode_destroy_dumb end = {d.handle};
        equal("make a dumb buffer", (uint64_t)error, (uint64_t)rows[i].error);
        if (error)
            continue;
        equal("a dumb buffer's lines are multiples of 256 bytes", d.pitch, rows[i].pitch);
        equal("a dumb buffer's size is whole pages", d.size, rows[i].size);
        gives("ask where a dumb buffer is mapped", ask(DRM_IOCTL_MODE_MAP_DUMB, &m), 0);
        volatile uint8_t *at =
            mmap(NULL, d.size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)m.offset);
        verdict("a dumb buffer's last byte can be written",
                at != MAP_FAILED && (at[d.size - 1] = 7) == 7);
        gives("destroy a dumb buffer", ask(DRM_IOCTL_MODE_DESTROY_DUMB, &end), 0);
        gives("destroy a dumb buffer that is destroyed already",
              ask(DRM_IOCTL_MODE_DESTROY_DUMB, &end), EINVAL);
        gives("ask where a destroyed dumb buffer is mapped", ask(DRM_IOCTL_MODE_MAP_DUMB, &m),
              ENOENT);
    }
}

/* A buffer of 64 lines of 256 bytes holds the framebuffers of the rows with error 0. */
static void framebuffers(void) {
    static const struct {
        const char *what;
        uint32_t width, height, pitch, offset, format, flags;
        int error;
    } rows[] = {
        {"a framebuffer that fills its buffer", 64, 64, 256, 0, DRM_FORMAT_XRGB8888, 0, 0},
        {"a framebuffer with a line more than its buffer", 64, 65, 256, 0, DRM_FORMAT_XRGB8888, 0,
         EINVAL},
        {"a framebuffer with an offset of a line", 64, 63, 256, 256, DRM_FORMAT_ARGB8888, 0, 0},
        {"a framebuffer with an offset that is a pixel too large", 64, 63, 256, 260,
         DRM_FORMAT_ARGB8888, 0, EINVAL},
        {"a framebuffer with an offset inside a pixel", 64, 63, 256, 2, DRM_FORMAT_ARGB8888, 0,
         EINVAL},
        {"a framebuffer with a pitch shorter than its lines", 64, 1, 255, 0, DRM_FORMAT_XBGR8888, 0,
         EINVAL},
        {"a framebuffer with a pitch longer than its lines", 32, 32, 512, 0, DRM_FORMAT_XBGR8888, 0,
         0},
        {"a framebuffer whose last line ends with the buffer", 64, 32, 512, 256,
         DRM_FORMAT_ABGR8888, 0, 0},
        {"a framebuffer whose last line ends a pixel behind the buffer", 65, 32, 512, 256,
         DRM_FORMAT_ABGR8888, 0, EINVAL},
        {"a framebuffer with the largest pitch", 1, 1, 131072, 0, DRM_FORMAT_ABGR8888, 0, 0},
        {"a framebuffer with a pitch that is too large", 1, 1, 131076, 0, DRM_FORMAT_ABGR8888, 0,
         EINVAL},
        {"a framebuffer without width", 0, 1, 256, 0, DRM_FORMAT_XRGB8888, 0, EINVAL},
        {"a framebuffer without height", 1, 0, 256, 0, DRM_FORMAT_XRGB8888, 0, EINVAL},
        {"a framebuffer of an unsupported format", 64, 64, 256, 0, DRM_FORMAT_RGB565, 0, EINVAL},
        {"a framebuffer with modifiers", 64, 64, 256, 0, DRM_FORMAT_XRGB8888, DRM_MODE_FB_MODIFIERS,
         EINVAL},
    };
    int error;
    const uint32_t handle = dumb(64, 64, 32, &error).handle;
    struct drm_mode_create_dumb wide = dumb(8193, 1, 32, &error), high = dumb(1, 8193, 32, &error);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_mode_fb_cmd2 f = {.width = rows[i].width,
                                     .height = rows[i].height,
                                     .pixel_format = rows[i].format,
                                     .flags = rows[i].flags,
                                     .handles = {handle},
                                     .pitches = {rows[i].pitch},
                                     .offsets = {rows[i].offset}};
        gives(rows[i].what, ask(DRM_IOCTL_MODE_ADDFB2, &f), rows[i].error);
        struct drm_mode_fb_cmd old = {.fb_id = f.fb_id};
        struct drm_mode_fb_cmd2 back = {.fb_id = f.fb_id}, theirs = back;
        if (rows[i].error)
            continue;
        gives("ask of a framebuffer with GETFB2", ask(DRM_IOCTL_MODE_GETFB2, &back), 0);
        verdict("GETFB2 gives what ADDFB2 was given",
                back.width == f.width && back.height == f.height && back.flags == 0 &&
                    back.pixel_format == f.pixel_format && back.pitches[0] == f.pitches[0] &&
                    back.offsets[0] == f.offsets[0] && !back.handles[1] && !back.pitches[1]);
        gives("ask of a framebuffer with GETFB", ask(DRM_IOCTL_MODE_GETFB, &old), 0);
        const bool alpha =
            f.pixel_format == DRM_FORMAT_ARGB8888 || f.pixel_format == DRM_FORMAT_ABGR8888;
        verdict("GETFB gives what ADDFB2 was given",
                old.width == f.width && old.height == f.height && old.pitch == f.pitches[0] &&
                    old.bpp == 32 && old.depth == (alpha ? 32 : 24));
        verdict("each answer to the master has a new handle",
                old.handle && back.handles[0] && old.handle != back.handles[0]);
        gives("another client asks of a framebuffer with GETFB2",
              ask_of(other, DRM_IOCTL_MODE_GETFB2, &theirs), 0);
        equal("GETFB2 gives a handle to the master only", theirs.handles[0], 0);
        for (int k = 0; k < 2; k++)
            ask(DRM_IOCTL_GEM_CLOSE,
                &(struct drm_gem_close){.handle = k ? old.handle : back.handles[0]});
        gives("remove another client's framebuffer", ask_of(other, DRM_IOCTL_MODE_RMFB, &f.fb_id),
              ENOENT);
        gives("remove a framebuffer", ask(DRM_IOCTL_MODE_RMFB, &f.fb_id), 0);
        gives("remove a framebuffer that is removed already", ask(DRM_IOCTL_MODE_RMFB, &f.fb_id),
              ENOENT);
        gives("ask of a removed framebuffer with GETFB", ask(DRM_IOCTL_MODE_GETFB, &old), ENOENT);
        gives("ask of a removed framebuffer with GETFB2", ask(DRM_IOCTL_MODE_GETFB2, &back),
              ENOENT);
    }
#define ADDFB(what, error, ...)                                                                    \
    ROW(what, DRM_IOCTL_MODE_ADDFB, error, drm_mode_fb_cmd, 0, __VA_ARGS__)
#define ADDFB2(what, error, ...)                                                                   \
    ROW(what, DRM_IOCTL_MODE_ADDFB2, error, drm_mode_fb_cmd2, .width = 1, .height = 1,             \
        .pixel_format = DRM_FORMAT_XRGB8888, .pitches = {256}, __VA_ARGS__)
    /* width, height, pitch, bits, depth, buffer */
    TRY(ADDFB("a framebuffer of 16 bits a pixel", EINVAL, 1, 1, 256, 16, 24, handle),
        ADDFB("a framebuffer of depth 16", EINVAL, 1, 1, 256, 32, 16, handle),
        ADDFB("a framebuffer of a buffer that does not exist", ENOENT, 1, 1, 256, 32, 24, 0xffff),
        ADDFB("a framebuffer that is too wide", EINVAL, 8193, 1, wide.pitch, 32, 24, wide.handle),
        ADDFB("the widest framebuffer", 0, 8192, 1, wide.pitch, 32, 24, wide.handle),
        ADDFB("a framebuffer that is too high", EINVAL, 1, 8193, high.pitch, 32, 24, high.handle),
        ADDFB("the highest framebuffer", 0, 1, 8192, high.pitch, 32, 32, high.handle),
        ADDFB2("a framebuffer without a handle", EINVAL, .flags = 0),
        ADDFB2("a framebuffer with a handle of plane 1", EINVAL, .handles = {handle, handle}),
        ADDFB2("a framebuffer with a handle of plane 2", EINVAL, .handles = {handle, 0, handle}),
        ADDFB2("a framebuffer with a handle of plane 3", EINVAL, .handles = {handle, 0, 0, handle}),
        ROW("report changes of a framebuffer that does not exist", DRM_IOCTL_MODE_DIRTYFB, ENOENT,
            drm_mode_fb_dirty_cmd, .fb_id = NOBODY));
}

/* The error of process_vm_readv() and process_vm_writev() (without_copies); 0: they copy. */
static int no_copies;

/* GETRESOURCES lists the caller's own framebuffers only. */
static void lists(void) {
    uint32_t ids[4] = {0, 0, 77, 0}, fewer[2] = {0, 77};
    const struct frame a = make_frame(16, 16, 24), b = make_frame(16, 16, 24);
    struct drm_mode_card_res none = {0}, r = {.count_fbs = 4, .fb_id_ptr = (uintptr_t)ids};
    gives("count the framebuffers", ask(DRM_IOCTL_MODE_GETRESOURCES, &none), 0);
    gives("another client counts its framebuffers",
          ask_of(other, DRM_IOCTL_MODE_GETRESOURCES, &(struct drm_mode_card_res){0}), 0);
    const uint32_t before = none.count_fbs;
    r.count_fbs = 4;
    ask(DRM_IOCTL_MODE_GETRESOURCES, &r);
    verdict("the list of framebuffers begins with the newest",
            r.count_fbs == before && ids[0] == b.fb && ids[1] == a.fb);
    equal("framebuffers have 1 to 8192 pixels a side",
          (uint64_t)r.min_width << 48 | (uint64_t)r.min_height << 32 | r.max_width << 16 |
              r.max_height,
          UINT64_C(0x0001000120002000));
    r = (struct drm_mode_card_res){.count_fbs = 1, .fb_id_ptr = (uintptr_t)fewer};
    ask(DRM_IOCTL_MODE_GETRESOURCES, &r);
    verdict("a short list of framebuffers is filled, and the count is that of all",
            r.count_fbs == before && fewer[0] == b.fb && fewer[1] == 77);
    struct drm_mode_card_res theirs = {.count_fbs = 4, .fb_id_ptr = (uintptr_t)ids};
    ask_of(other, DRM_IOCTL_MODE_GETRESOURCES, &theirs);
    equal("a client's framebuffers are not in another client's list", theirs.count_fbs, 0);
    r = (struct drm_mode_card_res){.count_fbs = 1, .fb_id_ptr = 8};
    if (!no_copies)
        gives("a list of framebuffers at a bad address", ask(DRM_IOCTL_MODE_GETRESOURCES, &r),
              EFAULT);
    ask(DRM_IOCTL_MODE_RMFB, &(uint32_t){a.fb});
    ask(DRM_IOCTL_MODE_RMFB, &(uint32_t){b.fb});
    none = (struct drm_mode_card_res){0};
    ask(DRM_IOCTL_MODE_GETRESOURCES, &none);
    equal("removed framebuffers are not counted", none.count_fbs, before - 2);
}

/* If there is room for a whole list, the whole list is stored, and the bytes behind it stay. A bad
 * address is an error. */
static void each_list(void) {
    enum { ROOM = 64, BEHIND = 0x77 };
    static const uint32_t sizes[] = {4, 8, 4, sizeof(struct drm_mode_modeinfo)};
    uint8_t bytes[4][ROOM * 8], all[4][ROOM * 8];
    uint32_t counts[4] = {0};
    for (int which = 0; which < 5;
         which++) { /* each of the four lists at a good and at a bad address */
        for (int nowhere = 0; nowhere < 2; nowhere++) {
            struct drm_mode_get_connector c = {.connector_id = connector};
            memset(bytes, BEHIND, sizeof bytes);
            c.props_ptr = nowhere && which == 0 ? 8 : (uintptr_t)bytes[0];
            c.prop_values_ptr = nowhere && which == 1 ? 8 : (uintptr_t)bytes[1];
            c.encoders_ptr = nowhere && which == 2 ? 8 : (uintptr_t)bytes[2];
            c.modes_ptr = nowhere && which == 3 ? 8 : (uintptr_t)bytes[3];
            c.count_props = 4;
            c.count_encoders = 1;
            c.count_modes = 1;
            const int error = ask(DRM_IOCTL_MODE_GETCONNECTOR, &c);
            equal("a list of a connector is refused only if its address is bad", (uint64_t)error,
                  nowhere && which < 4 ? EFAULT : 0);
            if (error)
                continue;
            counts[0] = counts[1] = c.count_props;
            counts[2] = c.count_encoders;
            counts[3] = c.count_modes;
            for (int i = 0; i < 4; i++)
                verdict("a list of a connector is stored whole, with nothing behind it",
                        bytes[i][counts[i] * sizes[i]] == BEHIND &&
                            bytes[i][counts[i] * sizes[i] - 1] != BEHIND);
            memcpy(all, bytes, sizeof all);
        }
    }
    struct drm_mode_obj_get_properties o = {.props_ptr = (uintptr_t)bytes[0],
                                            .prop_values_ptr = (uintptr_t)bytes[1],
                                            .count_props = 4,
                                            .obj_id = connector};
    gives("ask for a connector's properties", ask(DRM_IOCTL_MODE_OBJ_GETPROPERTIES, &o), 0);
    verdict("GETCONNECTOR and OBJ_GETPROPERTIES give the same properties",
            memcmp(all[0], bytes[0], 16) == 0 && memcmp(all[1], bytes[1], 32) == 0);
    verdict("a connector has the display's encoder and mode",
            memcmp(all[2], &encoder, 4) == 0 && memcmp(all[3], &mode, sizeof mode) == 0);
    for (int which = 0; which < 3; which++) {
        uint32_t ids[3][2] = {{77, 77}, {77, 77}, {77, 77}};
        struct drm_mode_card_res r = {.crtc_id_ptr = (uintptr_t)ids[0],
                                      .encoder_id_ptr = (uintptr_t)ids[1],
                                      .connector_id_ptr = (uintptr_t)ids[2]};
        *(which == 0 ? &r.count_crtcs : which == 1 ? &r.count_encoders : &r.count_connectors) = 1;
        gives("ask for a card's objects, with room for one kind",
              ask(DRM_IOCTL_MODE_GETRESOURCES, &r), 0);
        for (int i = 0; i < 3; i++)
            verdict("only the list that there is room for is stored",
                    (ids[i][0] != 77) == (i == which) && ids[i][1] == 77);
        verdict("a card has one CRTC, one encoder and one connector",
                r.count_crtcs == 1 && r.count_encoders == 1 && r.count_connectors == 1);
        *(which == 0 ? &r.crtc_id_ptr : which == 1 ? &r.encoder_id_ptr : &r.connector_id_ptr) = 8;
        gives("a list of a card's objects at a bad address", ask(DRM_IOCTL_MODE_GETRESOURCES, &r),
              EFAULT);
    }
    for (int i = 0; i < 2; i++) {
        uint32_t formats[5] = {77, 77, 77, 77, 77};
        const uint32_t count = i ? 1 : 4;
        struct drm_mode_get_plane p = {.plane_id = plane[i],
                                       .count_format_types = count,
                                       .format_type_ptr = (uintptr_t)formats};
        gives("ask for a plane's formats", ask(DRM_IOCTL_MODE_GETPLANE, &p), 0);
        verdict("all formats of a plane are stored, and nothing behind them",
                formats[count - 1] != 77 && formats[count] == 77);
    }
    uint32_t both[3] = {77, 77, 77};
    struct drm_mode_get_plane_res p = {.count_planes = 2, .plane_id_ptr = (uintptr_t)both};
    gives("ask for the planes", ask(DRM_IOCTL_MODE_GETPLANERESOURCES, &p), 0);
    verdict("both planes are stored, and nothing behind them",
            both[0] == plane[0] && both[1] == plane[1] && both[2] == 77);
}

/* ---- clients ---- */

static uint32_t count_planes(void) {
    struct drm_mode_get_plane_res p = {.count_planes = 2, .plane_id_ptr = (uintptr_t)plane};
    return ask(DRM_IOCTL_MODE_GETPLANERESOURCES, &p) ? 99 : p.count_planes;
}

static int atomic_commit(uint32_t flags) {
    return ask(DRM_IOCTL_MODE_ATOMIC, &(struct drm_mode_atomic){.flags = flags});
}

static void capabilities(void) {
    static const struct {
        uint64_t which, value;
    } rows[] = {
        {DRM_CAP_DUMB_BUFFER, 1},
        {DRM_CAP_VBLANK_HIGH_CRTC, 1},
        {DRM_CAP_DUMB_PREFERRED_DEPTH, 24},
        {DRM_CAP_DUMB_PREFER_SHADOW, 0},
        {DRM_CAP_PRIME, 3},
        {DRM_CAP_TIMESTAMP_MONOTONIC, 1},
        {DRM_CAP_ASYNC_PAGE_FLIP, 0},
        {DRM_CAP_CURSOR_WIDTH, 64},
        {DRM_CAP_CURSOR_HEIGHT, 64},
        {DRM_CAP_ADDFB2_MODIFIERS, 0},
        {DRM_CAP_PAGE_FLIP_TARGET, 0},
        {DRM_CAP_CRTC_IN_VBLANK_EVENT, 1},
        {DRM_CAP_SYNCOBJ, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct drm_get_cap c = {rows[i].which, 99};
        gives("ask for a capability", ask(DRM_IOCTL_GET_CAP, &c), 0);
        equal("a capability has its value", c.value, rows[i].value);
    }
    struct drm_nouveau_getparam flips = {.param = NOUVEAU_GETPARAM_HAS_PAGEFLIP};
    ask(DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GETPARAM, struct drm_nouveau_getparam), &flips);
    equal("the driver's parameters tell that pages can be flipped", flips.value, 1);
    gives("an atomic commit by a client that did not ask for them", atomic_commit(0), EOPNOTSUPP);
    static const struct {
        uint64_t which, value;
        int error;
        uint32_t planes;
        int atomic;
    } caps[] = {
        {DRM_CLIENT_CAP_UNIVERSAL_PLANES, 2, EINVAL, 0, EOPNOTSUPP},
        {DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1, 0, 2, EOPNOTSUPP},
        {DRM_CLIENT_CAP_UNIVERSAL_PLANES, 0, 0, 0, EOPNOTSUPP},
        {DRM_CLIENT_CAP_ATOMIC, 3, EINVAL, 0, EOPNOTSUPP},
        {DRM_CLIENT_CAP_ATOMIC, 2, 0, 2, 0},
        {DRM_CLIENT_CAP_ATOMIC, 0, 0, 0, EOPNOTSUPP},
        {DRM_CLIENT_CAP_ATOMIC, 1, 0, 2, 0},
        {DRM_CLIENT_CAP_STEREO_3D, 1, 0, 2, 0},
        {DRM_CLIENT_CAP_STEREO_3D, 2, EINVAL, 2, 0},
        {DRM_CLIENT_CAP_ASPECT_RATIO, 1, 0, 2, 0},
        {DRM_CLIENT_CAP_ASPECT_RATIO, 2, EINVAL, 2, 0},
        {99, 1, EINVAL, 2, 0},
    };
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
        gives("set a client's capability", client_cap(caps[i].which, caps[i].value), caps[i].error);
        equal("a client's capabilities choose how many planes the client sees", count_planes(),
              caps[i].planes);
        gives("only a client with the atomic capability commits",
              atomic_commit(DRM_MODE_ATOMIC_TEST_ONLY), caps[i].atomic);
    }
}

/* ---- masters ---- */

static void masters(void) {
    static const unsigned long only_masters[] = {
        DRM_IOCTL_SET_VERSION,          DRM_IOCTL_AUTH_MAGIC,    DRM_IOCTL_MODE_SETCRTC,
        DRM_IOCTL_MODE_CURSOR,          DRM_IOCTL_MODE_SETGAMMA, DRM_IOCTL_MODE_SETPROPERTY,
        DRM_IOCTL_MODE_PAGE_FLIP,       DRM_IOCTL_MODE_DIRTYFB,  DRM_IOCTL_MODE_SETPLANE,
        DRM_IOCTL_MODE_OBJ_SETPROPERTY, DRM_IOCTL_MODE_CURSOR2,  DRM_IOCTL_MODE_ATOMIC};
    static const unsigned long anyones[] = {
        DRM_IOCTL_MODE_GETRESOURCES,   DRM_IOCTL_MODE_GETCRTC,
        DRM_IOCTL_MODE_GETENCODER,     DRM_IOCTL_MODE_GETCONNECTOR,
        DRM_IOCTL_MODE_GETGAMMA,       DRM_IOCTL_MODE_GETPROPERTY,
        DRM_IOCTL_MODE_GETPROPBLOB,    DRM_IOCTL_MODE_GETFB,
        DRM_IOCTL_MODE_ADDFB,          DRM_IOCTL_MODE_RMFB,
        DRM_IOCTL_MODE_CREATE_DUMB,    DRM_IOCTL_MODE_GETPLANE,
        DRM_IOCTL_MODE_ADDFB2,         DRM_IOCTL_MODE_OBJ_GETPROPERTIES,
        DRM_IOCTL_MODE_CREATEPROPBLOB, DRM_IOCTL_MODE_GETFB2,
        DRM_IOCTL_CRTC_GET_SEQUENCE,   DRM_IOCTL_SET_CLIENT_CAP};
    struct drm_auth a = {0}, again = {0}, theirs = {0};
    for (size_t i = 0; i < sizeof only_masters / sizeof *only_masters; i++)
        gives("a request of masters by a client that is none",
              ask_of(other, only_masters[i], (uint64_t[32]){0}), EACCES);
    for (size_t i = 0; i < sizeof anyones / sizeof *anyones; i++)
        verdict("a client that is no master may make this request",
                ask_of(other, anyones[i], (uint64_t[32]){0}) != EACCES);
    ask(DRM_IOCTL_GET_MAGIC, &a);
    ask(DRM_IOCTL_GET_MAGIC, &again);
    ask_of(other, DRM_IOCTL_GET_MAGIC, &theirs);
    verdict("a client has one magic number, and no other client has the same",
            a.magic && a.magic == again.magic && theirs.magic && theirs.magic != a.magic);
    gives("the master admits a client", ask(DRM_IOCTL_AUTH_MAGIC, &theirs), 0);
    gives("the master admits the number 0", ask(DRM_IOCTL_AUTH_MAGIC, &(struct drm_auth){0}),
          EINVAL);
    gives("another client becomes master beside the master",
          ask_of(other, DRM_IOCTL_SET_MASTER, NULL), EBUSY);
    gives("the master becomes master again", ask(DRM_IOCTL_SET_MASTER, NULL), 0);
    gives("a client that is no master ceases to be master",
          ask_of(other, DRM_IOCTL_DROP_MASTER, NULL), EINVAL);
    gives("the master ceases to be master", ask(DRM_IOCTL_DROP_MASTER, NULL), 0);
    gives("a former master ceases to be master", ask(DRM_IOCTL_DROP_MASTER, NULL), EINVAL);
    gives("a former master admits a client", ask(DRM_IOCTL_AUTH_MAGIC, &theirs), EACCES);
    gives("another client becomes master after the first",
          ask_of(other, DRM_IOCTL_SET_MASTER, NULL), 0);
    gives("another client ceases to be master", ask_of(other, DRM_IOCTL_DROP_MASTER, NULL), 0);
    gives("the first client becomes master again", ask(DRM_IOCTL_SET_MASTER, NULL), 0);
    char name[64] = "";
    struct drm_unique u = {.unique = name, .unique_len = sizeof name};
    struct drm_set_version v = {0};
    gives("ask for the card's address before the version is set", ask(DRM_IOCTL_GET_UNIQUE, &u), 0);
    equal("the card has no address before the version is set", u.unique_len, 0);
    gives("set the version of the interface", ask(DRM_IOCTL_SET_VERSION, &v), 0);
    verdict("the versions are 1.4 of the interface and 1.3 of the driver",
            v.drm_di_major == 1 && v.drm_di_minor == 4 && v.drm_dd_major == 1 &&
                v.drm_dd_minor == 3);
    u.unique_len = sizeof name;
    ask(DRM_IOCTL_GET_UNIQUE, &u);
    verdict("the card has an address after the version is set",
            u.unique_len == 16 && strcmp(name, "pci:0000:01:00.0") == 0);
}

/* ---- blobs ---- */

static void blobs(void) {
    static uint8_t bytes[65537], back[65537];
    static const struct {
        uint32_t length;
        int error;
    } rows[] = {{1, 0}, {65536, 0}, {0, EINVAL}, {65537, EINVAL}};
    int error;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t id = blob(bytes, rows[i].length, &error);
        struct drm_mode_get_blob g = {.blob_id = id}, all = {id, rows[i].length, (uintptr_t)back};
        struct drm_mode_get_blob less = {id, rows[i].length - 1, (uintptr_t)back};
        struct drm_mode_destroy_blob d = {id};
        equal("make a blob", (uint64_t)error, (uint64_t)rows[i].error);
        if (error)
            continue;
        gives("ask for a blob's length", ask(DRM_IOCTL_MODE_GETPROPBLOB, &g), 0);
        equal("a blob has the length that it was made with", g.length, rows[i].length);
        memset(back, 9, sizeof back);
        ask(DRM_IOCTL_MODE_GETPROPBLOB, &less);
        verdict("a blob's bytes are not stored where they have too little room",
                less.length == rows[i].length && back[0] == 9);
        struct drm_mode_get_blob more = {id, rows[i].length + 1, (uintptr_t)back};
        ask(DRM_IOCTL_MODE_GETPROPBLOB, &more);
        verdict("a blob's bytes are not stored where they have too much room",
                more.length == rows[i].length && back[0] == 9);
        gives("ask for a blob's bytes", ask(DRM_IOCTL_MODE_GETPROPBLOB, &all), 0);
        verdict("a blob has the bytes that it was made with",
                memcmp(back, bytes, rows[i].length) == 0 && back[rows[i].length] == 9);
        gives("another client asks for a blob's bytes",
              ask_of(other, DRM_IOCTL_MODE_GETPROPBLOB, &all), 0);
        gives("another client destroys a blob", ask_of(other, DRM_IOCTL_MODE_DESTROYPROPBLOB, &d),
              EPERM);
        gives("destroy a blob", ask(DRM_IOCTL_MODE_DESTROYPROPBLOB, &d), 0);
        gives("destroy a blob that is destroyed already", ask(DRM_IOCTL_MODE_DESTROYPROPBLOB, &d),
              ENOENT);
        gives("ask for the bytes of a destroyed blob", ask(DRM_IOCTL_MODE_GETPROPBLOB, &all),
              ENOENT);
    }
    blob((const void *)8, 4, &error);
    equal("make a blob from a bad address", (uint64_t)error, EFAULT);
}

/* Structs of another size than the kernel's: missing fields count as 0, and additional fields keep
 * their bytes. */
static void sizes(void) {
    uint64_t space[40];
    memset(space, 0x55, sizeof space);
    struct drm_mode_crtc *c = (void *)space;
    c->crtc_id = crtc;
    gives("a request with the beginning of a struct",
          ioctl(card, _IOWR('d', 0xa1, char[20]), space), 0);
    verdict("a short struct's answer ends with the struct", c->fb_id == 0 && c->x == 0x55555555);
    memset(space, 0x55, sizeof space);
    c->crtc_id = crtc;
    gives("a request with a longer struct",
          ioctl(card, _IOWR('d', 0xa1, char[sizeof *c + 16]), space), 0);
    verdict("a longer struct keeps its additional bytes",
            c->x == 0 && ((uint8_t *)space)[sizeof *c] == 0x55);
    gives("a request with a number that no request has", ask(DRM_IOWR(0xcf, uint64_t), space),
          EOPNOTSUPP);
}

/* Checks a whole answer byte by byte, in a struct that was filled with 0xa5. Fields without a
 * meaning are 0 or keep their bytes. */
#define ANSWER(what, request, type, in, out)                                                       \
    do {                                                                                           \
        struct type got, want;                                                                     \
        memset(&got, 0xa5, sizeof got);                                                            \
        struct type *a = &got;                                                                     \
        in;                                                                                        \
        memcpy(&want, &got, sizeof got);                                                           \
        gives(what, ask(request, &got), 0);                                                        \
        a = &want;                                                                                 \
        out;                                                                                       \
        verdict(what, memcmp(&got, &want, sizeof got) == 0);                                       \
    } while (0)

static void answers(void) {
    const struct frame f = make_frame(64, 64, 32);
    ANSWER("the answer for a CRTC", DRM_IOCTL_MODE_GETCRTC, drm_mode_crtc, a->crtc_id = crtc,
           (a->fb_id = a->x = a->y = a->gamma_size = 0, a->mode_valid = 1, a->mode = mode));
    ANSWER("the answer for an encoder", DRM_IOCTL_MODE_GETENCODER, drm_mode_get_encoder,
           a->encoder_id = encoder,
           (a->encoder_type = DRM_MODE_ENCODER_VIRTUAL, a->crtc_id = crtc, a->possible_crtcs = 1,
            a->possible_clones = 0));
    ANSWER("the answer for a connector", DRM_IOCTL_MODE_GETCONNECTOR, drm_mode_get_connector,
           (a->connector_id = connector, a->count_modes = a->count_props = a->count_encoders = 0),
           (a->count_modes = 1, a->count_props = 4, a->count_encoders = 1, a->encoder_id = encoder,
            a->connector_type = DRM_MODE_CONNECTOR_VIRTUAL, a->connector_type_id = 1,
            a->connection = 1, a->mm_width = width * 265 / 1000, a->mm_height = height * 265 / 1000,
            a->subpixel = 1));
    ANSWER("the answer for a plane", DRM_IOCTL_MODE_GETPLANE, drm_mode_get_plane,
           (a->plane_id = plane[0], a->count_format_types = 3),
           (a->crtc_id = a->fb_id = a->gamma_size = 0, a->possible_crtcs = 1,
            a->count_format_types = 4));
    ANSWER("the answer for the cursor's plane", DRM_IOCTL_MODE_GETPLANE, drm_mode_get_plane,
           (a->plane_id = plane[1], a->count_format_types = 0),
           (a->crtc_id = a->fb_id = a->gamma_size = 0, a->possible_crtcs = 1,
            a->count_format_types = 1));
    ANSWER("the answer of GETFB2", DRM_IOCTL_MODE_GETFB2, drm_mode_fb_cmd2, a->fb_id = f.fb,
           (memset(a, 0, sizeof *a), a->fb_id = f.fb, a->width = a->height = 64,
            a->pixel_format = DRM_FORMAT_ARGB8888, a->pitches[0] = f.pitch,
            a->handles[0] = got.handles[0]));
    ANSWER("the answer of GETFB", DRM_IOCTL_MODE_GETFB, drm_mode_fb_cmd, a->fb_id = f.fb,
           (a->width = a->height = 64, a->pitch = f.pitch, a->bpp = a->depth = 32,
            a->handle = got.handle));
    ANSWER("the answer of SET_VERSION", DRM_IOCTL_SET_VERSION, drm_set_version, (void)a,
           (a->drm_di_major = 1, a->drm_di_minor = 4, a->drm_dd_major = 1, a->drm_dd_minor = 3));
    ANSWER("the answer of CREATE_DUMB", DRM_IOCTL_MODE_CREATE_DUMB, drm_mode_create_dumb,
           (a->width = 65, a->height = 3, a->bpp = 32),
           (a->handle = got.handle, a->pitch = 512, a->size = PAGE));
    ANSWER("the answer of MAP_DUMB", DRM_IOCTL_MODE_MAP_DUMB, drm_mode_map_dumb,
           a->handle = f.handle, a->offset = (uint64_t)f.handle << 36);
    static const struct {
        const char *what, *name;
        uint32_t id, given, flags, values, enums;
    } properties[] = {{"the answer for a property of type range", "ACTIVE", 5, 0,
                       DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, 2, 0},
                      {"the answer for a property of type blob", "MODE_ID", 6, 9,
                       DRM_MODE_PROP_BLOB | DRM_MODE_PROP_ATOMIC, 0, 0},
                      {"the answer for a property of type object", "FB_ID", 8, 0,
                       DRM_MODE_PROP_OBJECT | DRM_MODE_PROP_ATOMIC, 1, 0},
                      {"the answer for a property of type enum", "type", 7, 2,
                       DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE, 3, 3}};
    for (int i = 0; i < 4; i++)
        ANSWER(properties[i].what, DRM_IOCTL_MODE_GETPROPERTY, drm_mode_get_property,
               (a->prop_id = properties[i].id,
                a->count_values = a->count_enum_blobs = properties[i].given),
               (a->flags = properties[i].flags,
                strncpy(a->name, properties[i].name, sizeof a->name),
                a->count_values = properties[i].values, a->count_enum_blobs = properties[i].enums));
    ANSWER("the answer of CRTC_GET_SEQUENCE", DRM_IOCTL_CRTC_GET_SEQUENCE, drm_crtc_get_sequence,
           a->crtc_id = crtc,
           (a->active = 1, a->sequence = got.sequence, a->sequence_ns = got.sequence_ns));
    struct drm_mode_fb_cmd theirs = {.fb_id = f.fb, .handle = 99};
    gives("another client asks of a framebuffer with GETFB",
          ask_of(other, DRM_IOCTL_MODE_GETFB, &theirs), 0);
    equal("GETFB gives a handle to the master only", theirs.handle, 0);
    ask(DRM_IOCTL_MODE_RMFB, &(uint32_t){f.fb});
}

/* A descriptor that is received in a message belongs to the same client as the descriptor that was
 * sent, also if the card has several clients. */
static void messages(void) {
    const int all[] = {card, other, open("/dev/dri/card0", O_RDWR | O_CLOEXEC)};
    int pair[2], got = -1;
    char byte;
    verdict("make a pair of sockets", socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (int i = 0; i < 3; i++) {
        struct drm_auth theirs = {0}, same = {0};
        ask_of(all[i], DRM_IOCTL_GET_MAGIC, &theirs);
        verdict("send a client's descriptor in a message",
                send_with_fd(pair[0], "x", 1, all[i], 0) == 1 &&
                    receive_with_fd(pair[1], &byte, 1, &got, 0) == 1);
        verdict("the received descriptor has a new number", got >= 0 && got != all[i]);
        gives("ask for the magic number through the received descriptor",
              ask_of(got, DRM_IOCTL_GET_MAGIC, &same), 0);
        equal("the received descriptor belongs to the client that was sent", same.magic,
              theirs.magic);
        close(got);
        gives("the client stays when the received descriptor is closed",
              ask_of(all[i], DRM_IOCTL_GET_MAGIC, &same), 0);
    }
    close(all[2]);
    close(pair[0]);
    close(pair[1]);
}

static void waits_end(void) {
    const long before = heap_blocks;
    for (int i = 0; i < 20; i++) {
        const int client = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
        gives("a client that soon ends asks for an event in 100 blanks",
              queue_sequence(client, 100, DRM_CRTC_SEQUENCE_RELATIVE, 0), 0);
        close(client);
    }
    verdict("clients that end leave no memory behind", heap_blocks - before < 10);
}

/* A client that ends leaves no objects. */
static void ends(void) {
    const int third = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    struct drm_mode_create_dumb d = {.width = 64, .height = 64, .bpp = 32};
    ask_of(third, DRM_IOCTL_MODE_CREATE_DUMB, &d);
    struct drm_mode_fb_cmd f = {
        .width = 64, .height = 64, .pitch = 256, .bpp = 32, .depth = 24, .handle = d.handle};
    struct drm_mode_create_blob b = {.data = (uintptr_t)&mode, .length = sizeof mode};
    gives("a third client makes a framebuffer", ask_of(third, DRM_IOCTL_MODE_ADDFB, &f), 0);
    gives("a third client makes a blob", ask_of(third, DRM_IOCTL_MODE_CREATEPROPBLOB, &b), 0);
    for (int i = 0; i < 3; i++) /* the third client waits between two waits of the master */
        gives(
            "ask for an event in 3 blanks",
            queue_sequence(i == 1 ? third : card, 3, DRM_CRTC_SEQUENCE_RELATIVE, 70 + (uint64_t)i),
            0);
    struct drm_mode_fb_cmd look = {.fb_id = f.fb_id};
    gives("the master asks of the third client's framebuffer", ask(DRM_IOCTL_MODE_GETFB, &look), 0);
    gives("the master asks for the third client's blob",
          ask(DRM_IOCTL_MODE_GETPROPBLOB, &(struct drm_mode_get_blob){.blob_id = b.blob_id}), 0);
    close(third);
    uint64_t who = 0;
    for (int i = 0; i < 2; i++) {
        struct drm_event_crtc_sequence e = {0};
        if (next_event(&e, 5000))
            who += e.user_data;
    }
    equal("clients get their events after another waiting client ended", who, 70 + 72);
    gives("ask of the framebuffer of a client that ended", ask(DRM_IOCTL_MODE_GETFB, &look),
          ENOENT);
    gives("ask for the blob of a client that ended",
          ask(DRM_IOCTL_MODE_GETPROPBLOB, &(struct drm_mode_get_blob){.blob_id = b.blob_id}),
          ENOENT);
    ask(DRM_IOCTL_DROP_MASTER, NULL);
    const int fourth = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    gives("a client that opens a card without a master is master",
          ask_of(fourth, DRM_IOCTL_AUTH_MAGIC, &(struct drm_auth){1}), 0);
    close(fourth);
    gives("another client becomes master after the master ended", ask(DRM_IOCTL_SET_MASTER, NULL),
          0);
}

/* A kernel without process_vm_readv() and process_vm_writev(), or one that refuses them to this
 * process: everything works, except that wrong addresses are not refused. */
#define COPY(name)                                                                                 \
    ssize_t name(pid_t pid, const struct iovec *own, unsigned long n, const struct iovec *theirs,  \
                 unsigned long m, unsigned long flags) {                                           \
        static __typeof__(name) *next;                                                             \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        errno = no_copies;                                                                         \
        return no_copies ? -1 : next(pid, own, n, theirs, m, flags);                               \
    }
COPY(process_vm_readv)
COPY(process_vm_writev)

static void without_copies(void) {
    static const int errors[] = {ENOSYS, EPERM};
    for (int i = 0; i < 2; i++) {
        uint8_t back[sizeof mode];
        int error;
        no_copies = errors[i];
        const uint32_t id = blob(&mode, sizeof mode, &error);
        struct drm_mode_get_blob g = {id, sizeof mode, (uintptr_t)back};
        equal("make a blob where the kernel does not copy", (uint64_t)error, 0);
        gives("ask for a blob where the kernel does not copy", ask(DRM_IOCTL_MODE_GETPROPBLOB, &g),
              0);
        verdict("a blob keeps its bytes where the kernel does not copy",
                memcmp(back, &mode, sizeof mode) == 0);
        ask(DRM_IOCTL_MODE_DESTROYPROPBLOB, &(struct drm_mode_destroy_blob){id});
        sizes();
        lists();
    }
    no_copies = EFAULT;
    gives("ask for the objects of a card while copies fail",
          ask(DRM_IOCTL_MODE_GETRESOURCES, &(struct drm_mode_card_res){0}), EFAULT);
    no_copies = 0;
}

int main(void) {
    const int keys = open("/dev/input/event0", O_RDONLY | O_CLOEXEC);
    verdict("the keyboard's device opens", keys > 0);
    close(0); /* tests descriptor 0 as the card */
    find();
    capabilities();
    masters();
    dumb_buffers();
    framebuffers();
    lists();
    each_list();
    blobs();
    sizes();
    answers();
    messages();
    without_copies();
    waits_end();
    ends();
    close(keys);
    return summary();
}
