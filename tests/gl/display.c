/* Compares the descriptions that the display and its input devices give with tables: resources,
 * modes of the window's size, planes, properties with their ranges and names, for legacy and atomic
 * clients; the codes of keyboard and pointer.
 * usage: display WIDTH HEIGHT (of the window) */
#include "verdicts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

static int card;
static uint32_t width, height;

/* ---- the display ---- */

static void check_mode(const drmModeModeInfo *m, uint32_t w, uint32_t h, bool preferred) {
    char name[32];
    snprintf(name, sizeof name, "%ux%u", w, h);
    verdict(name, strcmp(m->name, name) == 0);
    equal("a mode has the width in its name", m->hdisplay, w);
    equal("a mode has the height in its name", m->vdisplay, h);
    verdict("a mode's lines have 48 pixels before the pulse, 32 of pulse, 80 after",
            m->hsync_start == w + 48 && m->hsync_end == w + 80 && m->htotal == w + 160);
    verdict("a mode's frame has 3 lines before the pulse, 5 of pulse, 22 after",
            m->vsync_start == h + 3 && m->vsync_end == h + 8 && m->vtotal == h + 30);
    equal("a mode has positive horizontal and negative vertical pulses", m->flags,
          DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_NVSYNC);
    equal("a mode has 60 frames a second", m->vrefresh, 60);
    equal("a mode's clock is pixels a frame times 60", m->clock,
          (uint64_t)m->htotal * m->vtotal * 60 / 1000);
    equal("the window's mode is the preferred one", !!(m->type & DRM_MODE_TYPE_PREFERRED),
          preferred);
}

static void modes(const drmModeConnector *c) {
    static const uint32_t sizes[][2] = {{1920, 1080}, {1280, 1024}, {1280, 720},
                                        {1024, 768},  {800, 600},   {640, 480}};
    int n = 1;
    check_mode(&c->modes[0], width, height, true);
    for (int i = 0; i < 6; i++) {
        const bool own = sizes[i][0] == width && sizes[i][1] == height;
        if (sizes[i][0] > width || sizes[i][1] > height || own)
            continue;
        if (n < c->count_modes)
            check_mode(&c->modes[n], sizes[i][0], sizes[i][1], false);
        n++;
    }
    equal("a connector has the window's mode and the usual smaller ones", (uint64_t)c->count_modes,
          (uint64_t)n);
}

static void resources(uint32_t *crtc, uint32_t *connector) {
    drmModeRes *r = drmModeGetResources(card);
    verdict("a card has one CRTC, one connector and one encoder",
            r && r->count_crtcs == 1 && r->count_connectors == 1 && r->count_encoders == 1);
    verdict("framebuffers may have 1 to at least 4096 pixels a side",
            r && r->min_width == 1 && r->min_height == 1 && r->max_width >= 4096 &&
                r->max_height >= 4096);
    if (!r)
        exit(1);
    *crtc = r->crtcs[0];
    *connector = r->connectors[0];
    drmModeConnector *c = drmModeGetConnector(card, r->connectors[0]);
    drmModeEncoder *e = drmModeGetEncoder(card, r->encoders[0]);
    verdict("the connector is connected", c && c->connection == DRM_MODE_CONNECTED);
    verdict("the connector is a virtual one",
            c && c->connector_type == DRM_MODE_CONNECTOR_VIRTUAL && c->connector_type_id == 1);
    verdict("the connector has the card's encoder",
            c && e && c->count_encoders == 1 && c->encoders[0] == r->encoders[0]);
    verdict("the encoder is a virtual one of the first CRTC",
            e && e->possible_crtcs == 1 && e->encoder_type == DRM_MODE_ENCODER_VIRTUAL);
    if (c) { /* a size of 96 pixels an inch */
        equal("the display's width in millimetres fits 96 points an inch", c->mmWidth,
              width * 265 / 1000);
        equal("the display's height in millimetres fits 96 points an inch", c->mmHeight,
              height * 265 / 1000);
        modes(c);
    }
    const uint32_t missing[] = {0, *crtc + 100, 0xffffffff};
    for (int i = 0; i < 3; i++) {
        verdict("a connector that does not exist is refused",
                !drmModeGetConnector(card, missing[i]) && errno == ENOENT);
        verdict("an encoder that does not exist is refused",
                !drmModeGetEncoder(card, missing[i]) && errno == ENOENT);
        verdict("a CRTC that does not exist is refused",
                !drmModeGetCrtc(card, missing[i]) && errno == ENOENT);
        verdict("a plane that does not exist is refused",
                !drmModeGetPlane(card, missing[i]) && errno == ENOENT);
    }
    drmModeFreeConnector(c);
    drmModeFreeEncoder(e);
    drmModeFreeResources(r);
}

/* ---- properties ---- */

enum { CONNECTOR, CRTC, PLANE };
struct property {
    int of;
    bool atomic; /* visible to atomic clients only */
    const char *name;
    uint32_t flags;
    uint64_t least, most; /* of a range */
    const char *names[4]; /* of an enumeration, from 0 on */
};
static const struct property properties[] = {
    {CONNECTOR, false, "DPMS", DRM_MODE_PROP_ENUM, 0, 0, {"On", "Standby", "Suspend", "Off"}},
    {CONNECTOR, false, "link-status", DRM_MODE_PROP_ENUM, 0, 0, {"Good", "Bad"}},
    {CONNECTOR, false, "non-desktop", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, 0, 1, {0}},
    {CONNECTOR, true, "CRTC_ID", DRM_MODE_PROP_OBJECT, DRM_MODE_OBJECT_CRTC, 0, {0}},
    {CRTC, true, "ACTIVE", DRM_MODE_PROP_RANGE, 0, 1, {0}},
    {CRTC, true, "MODE_ID", DRM_MODE_PROP_BLOB, 0, 0, {0}},
    {PLANE,
     false,
     "type",
     DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE,
     0,
     0,
     {"Overlay", "Primary", "Cursor"}},
    {PLANE, true, "FB_ID", DRM_MODE_PROP_OBJECT, DRM_MODE_OBJECT_FB, 0, {0}},
    {PLANE, true, "CRTC_ID", DRM_MODE_PROP_OBJECT, DRM_MODE_OBJECT_CRTC, 0, {0}},
    {PLANE, true, "SRC_X", DRM_MODE_PROP_RANGE, 0, UINT32_MAX, {0}},
    {PLANE, true, "SRC_Y", DRM_MODE_PROP_RANGE, 0, UINT32_MAX, {0}},
    {PLANE, true, "SRC_W", DRM_MODE_PROP_RANGE, 0, UINT32_MAX, {0}},
    {PLANE, true, "SRC_H", DRM_MODE_PROP_RANGE, 0, UINT32_MAX, {0}},
    {PLANE, true, "CRTC_X", DRM_MODE_PROP_SIGNED_RANGE, (uint64_t)INT32_MIN, INT32_MAX, {0}},
    {PLANE, true, "CRTC_Y", DRM_MODE_PROP_SIGNED_RANGE, (uint64_t)INT32_MIN, INT32_MAX, {0}},
    {PLANE, true, "CRTC_W", DRM_MODE_PROP_RANGE, 0, INT32_MAX, {0}},
    {PLANE, true, "CRTC_H", DRM_MODE_PROP_RANGE, 0, INT32_MAX, {0}},
};

static void check_property(const struct property *p, uint32_t id) {
    drmModePropertyRes *got = drmModeGetProperty(card, id);
    int names = 0;
    while (names < 4 && p->names[names])
        names++;
    verdict(p->name, got && strcmp(got->name, p->name) == 0);
    if (!got)
        return;
    equal(p->name, got->flags & ~(uint32_t)DRM_MODE_PROP_ATOMIC, p->flags);
    equal("a property has as many names as the table", (uint64_t)got->count_enums, (uint64_t)names);
    for (int i = 0; i < names && i < got->count_enums; i++)
        verdict(p->names[i],
                strcmp(got->enums[i].name, p->names[i]) == 0 && got->enums[i].value == (uint64_t)i);
    const uint32_t kind = p->flags & ~(uint32_t)DRM_MODE_PROP_IMMUTABLE;
    if (kind == DRM_MODE_PROP_RANGE || kind == DRM_MODE_PROP_SIGNED_RANGE)
        verdict(p->name,
                got->count_values == 2 && got->values[0] == p->least && got->values[1] == p->most);
    if (kind == DRM_MODE_PROP_OBJECT)
        verdict(p->name, got->count_values == 1 && got->values[0] == p->least);
    drmModeFreeProperty(got);
}

/* Checks the properties of an object, in the order of the table. type: the value of a plane's first
 * property. */
static void check_object(int of, uint32_t object, uint32_t kind, bool atomic, uint64_t type) {
    drmModeObjectProperties *list = drmModeObjectGetProperties(card, object, kind);
    uint32_t n = 0;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        if (properties[i].of != of || (properties[i].atomic && !atomic))
            continue;
        if (list && n < list->count_props)
            check_property(&properties[i], list->props[n]);
        n++;
    }
    verdict("an object has a list of properties", list != NULL);
    equal("an object has as many properties as the table", list ? list->count_props : 0, n);
    if (of == PLANE && list)
        equal("a plane's first property is its type", list->prop_values[0], type);
    drmModeFreeObjectProperties(list);
}

static void planes(bool atomic, uint32_t crtc, uint32_t connector) {
    drmModePlaneRes *r = drmModeGetPlaneResources(card);
    equal("a card has two planes", r ? r->count_planes : 0, 2);
    for (uint32_t i = 0; r && i < r->count_planes; i++) {
        drmModePlane *p = drmModeGetPlane(card, r->planes[i]);
        verdict("a plane belongs to the first CRTC",
                p && p->possible_crtcs == 1 && p->plane_id == r->planes[i]);
        equal("a plane has its number of formats", p ? p->count_formats : 0, i ? 1 : 4);
        drmModeFreePlane(p);
        check_object(PLANE, r->planes[i], DRM_MODE_OBJECT_PLANE, atomic, i + 1);
    }
    if (r && r->count_planes == 2) {
        verdict("the number before the first plane is no plane",
                !drmModeGetPlane(card, r->planes[0] - 1));
        verdict("the number behind the last plane is no plane",
                !drmModeGetPlane(card, r->planes[1] + 1));
    }
    drmModeFreePlaneResources(r);
    check_object(CONNECTOR, connector, DRM_MODE_OBJECT_CONNECTOR, atomic, 0);
    check_object(CRTC, crtc, DRM_MODE_OBJECT_CRTC, atomic, 0);
}

/* ---- input devices ---- */

struct codes {
    int device, type, first, last;
};
static const struct codes codes[] = {
    {0, 0, EV_SYN, EV_KEY},
    {0, 0, EV_REP, EV_REP},
    {0, EV_KEY, KEY_ESC, KEY_MICMUTE},
    {0, EV_REP, REP_DELAY, REP_MAX},
    {1, 0, EV_SYN, EV_ABS},
    {1, EV_KEY, BTN_LEFT, BTN_EXTRA},
    {1, EV_ABS, ABS_X, ABS_Y},
    {1, EV_REL, REL_HWHEEL, REL_HWHEEL},
    {1, EV_REL, REL_WHEEL, REL_WHEEL},
};

static bool can(int device, int type, int code) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].device == device && codes[i].type == type && code >= codes[i].first &&
            code <= codes[i].last)
            return true;
    return false;
}

/* Checks the result of each request, by its number, with a buffer larger than the answer.
 * EVIOCGBIT, EVIOCGABS and clocks have tests of their own. */
static void requests(int fd, int number, const char *name) {
    enum { ROOM = 200, KEYS = KEY_CNT / 8 };
    const struct input_id id = {
        .bustype = BUS_VIRTUAL, .vendor = 0, .product = (uint16_t)(number + 1), .version = 1};
    static const int version = EV_VERSION;
    static const unsigned repeat[2] = {250, 33};
    static const uint8_t none[KEYS];
    const struct {
        unsigned number;
        int result, error;
        const void *bytes;
        size_t size;
    } known[] = {{0x01, 0, 0, &version, sizeof version},
                 {0x02, 0, 0, &id, sizeof id},
                 {0x03, number ? -1 : 0, ENOSYS, repeat, number ? 0 : sizeof repeat},
                 {0x06, (int)strlen(name) + 1, 0, name, strlen(name) + 1},
                 {0x07, -1, ENOENT, NULL, 0},
                 {0x08, -1, ENOENT, NULL, 0},
                 {0x09, KEYS, 0, none, KEYS},
                 {0x18, KEYS, 0, none, KEYS},
                 {0x19, KEYS, 0, none, KEYS},
                 {0x1a, KEYS, 0, none, KEYS},
                 {0x1b, KEYS, 0, none, KEYS},
                 {0x90, 0, 0, NULL, 0},
                 {0x91, 0, 0, NULL, 0}};
    int wrong = 0;
    for (unsigned n = 0; n < 256; n++) {
        if ((n >= 0x20 && n < 0x40 + ABS_CNT) || n == 0xa0)
            continue;
        size_t k = 0;
        while (k < sizeof known / sizeof *known && known[k].number != n)
            k++;
        const bool is_known = k < sizeof known / sizeof *known;
        const size_t size = is_known ? known[k].size : 0;
        uint8_t got[ROOM], want[ROOM];
        memset(got, 0x77, ROOM);
        memset(want, 0x77, ROOM);
        if (size)
            memcpy(want, known[k].bytes, size);
        const int result = ioctl(fd, _IOC(_IOC_READ, 'E', n, ROOM), got);
        wrong += result != (is_known ? known[k].result : -1) ||
                 (result < 0 && errno != (is_known ? known[k].error : EINVAL));
        wrong += memcmp(got, want, ROOM) != 0;
        wrong +=
            n < 0x90 && (ioctl(fd, _IOC(_IOC_READ, 'E', n, ROOM), NULL) != -1 || errno != EFAULT);
        memset(got, 0x77, ROOM);
        if (size > 3 && (ioctl(fd, _IOC(_IOC_READ, 'E', n, 3), got) < 0 ||
                         memcmp(got, want, 3) != 0 || got[3] != 0x77))
            wrong++;
    }
    equal("each request of an input device has its result, whatever its number", (uint64_t)wrong,
          0);
}

static void device(int number) {
    static const char *const names[] = {"teslapipe keyboard", "teslapipe pointer"};
    char path[32], name[64] = "", two[4] = "###";
    int version = 0, clock = 1, wrong = 77;
    unsigned repeat[2] = {0};
    struct input_id id = {0};
    snprintf(path, sizeof path, "/dev/input/event%d", number);
    const int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    verdict(path, fd >= 0);
    struct stat st;
    verdict("a device's node has its device number",
            fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
                st.st_rdev == makedev(13, 64 + (unsigned)number));
    verdict("a device has the version of the interface",
            ioctl(fd, EVIOCGVERSION, &version) == 0 && version == EV_VERSION);
    verdict("a device has its bus and product",
            ioctl(fd, EVIOCGID, &id) == 0 && id.bustype == BUS_VIRTUAL && id.product == number + 1);
    equal("the length of a device's name is told",
          (uint64_t)ioctl(fd, EVIOCGNAME(sizeof name), name), strlen(names[number]) + 1);
    verdict("a device has its name", strcmp(name, names[number]) == 0);
    verdict("a short buffer gets the beginning of a device's name",
            ioctl(fd, EVIOCGNAME(2), two) == 2 && memcmp(two, "te#", 3) == 0);
    verdict("a device has no physical place",
            ioctl(fd, EVIOCGPHYS(sizeof name), name) < 0 && errno == ENOENT);
    const int repeats = ioctl(fd, EVIOCGREP, repeat);
    verdict("only the keyboard repeats keys, with its times",
            number ? repeats < 0 : repeats == 0 && repeat[0] == 250 && repeat[1] == 33);
    for (int type = 0; type < EV_CNT; type++) {
        uint8_t bits[KEY_CNT / 8] = {0};
        int differ = ioctl(fd, EVIOCGBIT(type, sizeof bits), bits) < 0;
        for (int code = 0; code < KEY_CNT; code++)
            differ += (bits[code / 8] >> code % 8 & 1) != can(number, type, code);
        equal("a device sends the codes of the table only", (uint64_t)differ, 0);
    }
    for (int axis = 0; axis < 3; axis++) {
        struct input_absinfo a = {-7, -7, -7, -7, -7, -7};
        const int got = ioctl(fd, EVIOCGABS(axis), &a);
        if (!number || axis == 2)
            verdict("an axis that does not exist is refused", got < 0 && errno == EINVAL);
        else
            verdict("an axis has the window's range and begins in its middle",
                    got == 0 && !a.minimum && a.maximum == (int32_t)(axis ? height : width) - 1 &&
                        a.value == (int32_t)(axis ? height : width) / 2 && !a.fuzz && !a.flat &&
                        !a.resolution);
    }
    requests(fd, number, names[number]);
    uint8_t keys[KEY_CNT / 8] = {1};
    verdict("no key is held at the beginning",
            ioctl(fd, EVIOCGKEY(sizeof keys), keys) >= 0 && !keys[0]);
    verdict("a device can be grabbed", ioctl(fd, EVIOCGRAB, (void *)1) == 0);
    verdict("a device can be released", ioctl(fd, EVIOCGRAB, NULL) == 0);
    verdict("a device takes a known clock and refuses an unknown one",
            ioctl(fd, EVIOCSCLOCKID, &clock) == 0 && ioctl(fd, EVIOCSCLOCKID, &wrong) < 0);
    verdict("a request without an argument is refused",
            ioctl(fd, EVIOCGVERSION, NULL) < 0 && errno == EFAULT &&
                ioctl(fd, EVIOCSCLOCKID, NULL) < 0 && errno == EFAULT);
    verdict("an unknown request of input devices is refused",
            ioctl(fd, _IOR('E', 0x05, int), &version) < 0 && errno == EINVAL);
    verdict("a request of a card is refused", ioctl(fd, DRM_IOCTL_VERSION, NULL) < 0);
    struct input_event none;
    verdict("a device has no event at the beginning",
            read(fd, &none, sizeof none) < 0 && errno == EAGAIN);
    close(fd);
}

int main(int argc, char **argv) {
    uint32_t crtc, connector;
    if (argc < 3)
        return 2;
    width = (uint32_t)atoi(argv[1]);
    height = (uint32_t)atoi(argv[2]);
    card = open("/dev/dri/card0", O_RDWR | O_CLOEXEC);
    verdict("the card opens", card >= 0);
    resources(&crtc, &connector);
    drmModePlaneRes *r = drmModeGetPlaneResources(card);
    equal("a client without capabilities sees no planes", r ? r->count_planes : 9, 0);
    drmModeFreePlaneResources(r);
    gives("ask to see all planes", drmSetClientCap(card, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
    planes(false, crtc, connector);
    gives("ask for atomic commits", drmSetClientCap(card, DRM_CLIENT_CAP_ATOMIC, 1), 0);
    planes(true, crtc, connector);
    device(0);
    device(1);
    close(card);
    return summary();
}
