/* The render node's ioctls one by one, as clients of the kernel's interface use them: a table of
 * refused requests with their errors, buffers and their sizes, channels, names, PRIME.
 * usage: ioctls GL_RENDERER (NVxx, which names the chip) */
#define _GNU_SOURCE
#include "node_client.h"

#include <sys/stat.h>

/* ---- the driver's version and parameters ---- */

static int parameter(uint64_t which, uint64_t *value) {
    struct drm_nouveau_getparam p = {.param = which, .value = 0x5a5a};
    const int result = ask(GETPARAM, &p);
    *value = p.value;
    return result;
}

/* Texts are cut to the given space, and their whole length is returned. */
static void texts(void) {
    static const char *const want[] = {"nouveau", "20120801", "teslapipe", "pci:0000:01:00.0"};
    for (int which = 0; which < 4; which++)
        for (size_t room = 0; room < 20; room++) {
            char text[3][24], expected[24];
            size_t length[3];
            memset(text, '#', sizeof text);
            memset(expected, '#', sizeof expected);
            memcpy(expected, want[which], room < strlen(want[which]) ? room : strlen(want[which]));
            struct drm_version v = {.name = text[0],
                                    .name_len = room,
                                    .date = text[1],
                                    .date_len = room,
                                    .desc = text[2],
                                    .desc_len = room};
            struct drm_unique u = {.unique = text[0], .unique_len = room};
            equal(
                "ask for a text with less or more room",
                (uint64_t)(which < 3 ? ask(DRM_IOCTL_VERSION, &v) : ask(DRM_IOCTL_GET_UNIQUE, &u)),
                0);
            length[0] = which < 3 ? v.name_len : u.unique_len;
            length[1] = v.date_len;
            length[2] = v.desc_len;
            verdict(want[which], memcmp(text[which % 3], expected, sizeof expected) == 0 &&
                                     length[which % 3] == strlen(want[which]));
        }
    struct drm_version nowhere = {.name_len = 9, .date_len = 9, .desc_len = 9};
    struct drm_unique neither = {.unique_len = 9};
    verdict("without room for texts, only their lengths are told",
            !ask(DRM_IOCTL_VERSION, &nowhere) && !ask(DRM_IOCTL_GET_UNIQUE, &neither) &&
                nowhere.name_len == 7 && nowhere.date_len == 8 && nowhere.desc_len == 9 &&
                neither.unique_len == 16);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void itself(uint32_t chipset) {
    char name[16] = "", shorter[4] = "zzz";
    struct drm_version v = {.name = name, .name_len = sizeof name};
    struct drm_get_cap cap = {.capability = DRM_CAP_PRIME};
    uint64_t value;
    gives("ask for the version", ask(DRM_IOCTL_VERSION, &v), 0);
    verdict("the version is nouveau 1.3.1", v.version_major == 1 && v.version_minor == 3 &&
                                                v.version_patchlevel == 1 && v.name_len == 7 &&
                                                strcmp(name, "nouveau") == 0);
    struct drm_unique u = {.unique = name, .unique_len = sizeof name};
    memset(name, 0, sizeof name);
    gives("ask for the device's address", ask(DRM_IOCTL_GET_UNIQUE, &u), 0);
    verdict("the device's address is that of its PCI slot",
            u.unique_len == 16 && memcmp(name, "pci:0000:01:00.0", sizeof name) == 0);
    v = (struct drm_version){.name = shorter, .name_len = 2};
    ask(DRM_IOCTL_VERSION, &v);
    verdict("a name is cut to the room for it", strcmp(shorter, "noz") == 0);
    gives("ask for the capability of PRIME", ask(DRM_IOCTL_GET_CAP, &cap), 0);
    equal("PRIME can import and export", cap.value, DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT);
    cap.capability = DRM_CAP_DUMB_BUFFER;
    gives("ask for the capability of dumb buffers", ask(DRM_IOCTL_GET_CAP, &cap), 0);
    equal("a render node without a display has no dumb buffers", cap.value, 0);
    const struct {
        uint64_t which, value;
    } known[] = {{NOUVEAU_GETPARAM_PCI_VENDOR, 0x10de}, {NOUVEAU_GETPARAM_CHIPSET_ID, chipset},
                 {NOUVEAU_GETPARAM_BUS_TYPE, 1},        {NOUVEAU_GETPARAM_VM_VRAM_BASE, 0},
                 {NOUVEAU_GETPARAM_HAS_BO_USAGE, 1},    {NOUVEAU_GETPARAM_HAS_PAGEFLIP, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        gives("ask for a parameter", parameter(known[i].which, &value), 0);
        equal("a parameter has its value", value, known[i].value);
    }
    gives("ask for the number of units", parameter(NOUVEAU_GETPARAM_GRAPH_UNITS, &value), 0);
    verdict("the GPU has at least one unit", (value & 0xffff) != 0);
    uint64_t wrong = 0;
    for (int i = 0; i < 100; i++) {
        const uint64_t before = now_ns();
        parameter(NOUVEAU_GETPARAM_PTIMER_TIME, &value);
        wrong += value < before || value > now_ns();
    }
    equal("the timer is the system's clock", wrong, 0);
    texts();
    gives("ask for an unknown parameter", parameter(99, &value), EINVAL);
}

/* ---- buffers ---- */

static void buffers(void) {
    static const struct {
        uint64_t size, rounded, boundary;
        uint32_t align, domain, tile_flags, in;
        int result;
    } rows[] = {
        {1, PAGE, PAGE, 0, VRAM, 0, VRAM, 0},
        {PAGE, PAGE, PAGE, 0, GART, 0, GART, 0},
        {PAGE + 1, 2 * PAGE, PAGE, 4, VRAM | GART, 0, VRAM, 0},
        {PAGE, PAGE, 1 << 20, 1 << 20, VRAM, 0, VRAM, 0},
        {PAGE, PAGE, 1 << 16, 0, VRAM, 0x7000, VRAM, 0}, /* block-linear */
        {PAGE, PAGE, 1 << 17, 1 << 17, VRAM, 0x7000, VRAM, 0},
        {0, 0, 1, 0, VRAM, 0, 0, ENOMEM},
        {PAGE, 0, 1, 3, VRAM, 0, 0, ENOMEM}, /* not a power of two */
        {UINT64_C(1) << 40, 0, 1, 0, VRAM, 0, 0, ENOMEM},
        {UINT64_MAX, 0, 1, 0, VRAM, 0, 0, ENOMEM}, /* would overflow to 0 when rounded up */
        {UINT64_MAX - PAGE + 2, 0, 1, 0, GART, 0, 0, ENOMEM},
    };
    struct drm_nouveau_gem_info info;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gives("make a buffer",
              new_buffer(rows[i].size, rows[i].align, rows[i].domain, rows[i].tile_flags, &info),
              rows[i].result);
        if (rows[i].result)
            continue;
        equal("a buffer's size is rounded up to pages", info.size, rows[i].rounded);
        equal("a buffer is in one domain", info.domain, rows[i].in);
        verdict("a buffer's address is aligned",
                info.offset && info.offset % rows[i].boundary == 0);
        struct drm_nouveau_gem_info again;
        memset(&again, 0xff, sizeof again);
        again.handle = info.handle;
        gives("ask for a buffer's description", ask(GEM_INFO, &again), 0);
        verdict("a buffer's description is that of its making",
                memcmp(&again, &info, sizeof info) == 0 && again.tile_flags == rows[i].tile_flags &&
                    again.tile_mode == 0x40);
        void *at =
            mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, node, (off_t)info.map_handle);
        verdict("a new buffer can be mapped and is zero",
                at != MAP_FAILED && !((uint32_t *)at)[info.size / 4 - 1]);
        memset(at, 0x77, info.size);
        munmap(at, info.size);
        at = mmap(NULL, info.size, PROT_READ, MAP_SHARED, node, (off_t)info.map_handle);
        verdict("a buffer keeps its bytes without a mapping",
                at != MAP_FAILED && ((uint8_t *)at)[info.size - 1] == 0x77);
        munmap(at, info.size);
        gives("close a buffer", close_buffer(info.handle), 0);
        gives("close a buffer that is closed already", close_buffer(info.handle), ENOENT);
        gives("ask for the description of a closed buffer", ask(GEM_INFO, &again), ENOENT);
    }
    gives("close handle 0", close_buffer(0), ENOENT);
    gives("close a handle that does not exist", close_buffer(0xffffff), ENOENT);
    struct drm_nouveau_gem_cpu_prep prep = {.handle = 0xffff};
    struct drm_nouveau_gem_cpu_fini fini = {.handle = 0xffff};
    gives("wait for a buffer that does not exist", ask(CPU_PREP, &prep), ENOENT);
    gives("end the use of a buffer that does not exist", ask(CPU_FINI, &fini), ENOENT);
}

/* Copied descriptors of a node share its buffers, also if the copy is the program's standard
 * input. */
static void copies(void) {
    struct drm_nouveau_gem_info info;
    const int input = dup(0), first = node;
    const int copy[] = {dup(first), dup2(first, 0), fcntl(first, F_DUPFD, 120),
                        fcntl(first, F_DUPFD_CLOEXEC, 121)};
    new_buffer(PAGE, 0, VRAM, 0, &info);
    for (int i = 0; i < 4; i++) {
        struct drm_nouveau_gem_info same = {.handle = info.handle};
        node = copy[i];
        gives("ask for a buffer through a copied descriptor", ask(GEM_INFO, &same), 0);
        equal("a copied descriptor gives the same buffer", same.offset, info.offset);
        verdict("a copied descriptor maps the buffer", mmap(NULL, PAGE, PROT_READ, MAP_SHARED, node,
                                                            (off_t)same.map_handle) != MAP_FAILED);
        if (i != 1)
            close(node);
    }
    verdict("restore the standard input", dup2(input, 0) == 0);
    close(input);
    node = first;
    close_buffer(info.handle);
}

/* Of 200 buffers, each has a handle and an address of its own. A new buffer gets the lowest free
 * handle. */
static void handles(void) {
    struct drm_nouveau_gem_info info[200], next;
    uint64_t overlaps = 0, known = 0;
    for (int i = 0; i < 200; i++) {
        new_buffer(PAGE, 0, GART, 0, &info[i]);
        struct drm_nouveau_gem_info same = {.handle = info[i].handle}; /* the last valid handle */
        known += ask(GEM_INFO, &same) == 0 && same.offset == info[i].offset;
    }
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < i; k++)
            overlaps += info[i].handle == info[k].handle || info[i].offset == info[k].offset;
    equal("no two of 200 buffers share a handle or an address", overlaps, 0);
    equal("each of 200 buffers is known by its handle", known, 200);
    close_buffer(info[150].handle);
    close_buffer(info[20].handle);
    new_buffer(PAGE, 0, GART, 0, &next);
    equal("a new buffer gets the lowest free handle", next.handle, info[20].handle);
    new_buffer(PAGE, 0, GART, 0, &next);
    equal("a further buffer gets the next free handle", next.handle, info[150].handle);
    for (int i = 0; i < 200; i++)
        close_buffer(info[i].handle);
}

/* ---- channels and objects ---- */

static void channels(void) {
    enum { MOST = 64 };
    int32_t number[MOST], again;
    struct drm_nouveau_channel_alloc all;
    memset(&all, 0xff, sizeof all);
    gives("make a channel", ask(CHANNEL_ALLOC, &all), 0);
    verdict("a channel's description is complete", all.channel == 1 &&
                                                       all.pushbuf_domains == (VRAM | GART) &&
                                                       !all.notifier_handle && !all.nr_subchan);
    free_channel(all.channel);
    for (int i = 0; i < MOST; i++) {
        gives("make one of 64 channels", new_channel(&number[i]), 0);
        equal("channels have the numbers from 1 on", (uint64_t)number[i], (uint64_t)i + 1);
    }
    gives("make a 65th channel", new_channel(&again), ENOSPC);
    gives("free a channel", free_channel(number[40]), 0);
    gives("free a channel that is freed already", free_channel(number[40]), ENODEV);
    gives("make a channel after one was freed", new_channel(&again), 0);
    equal("a new channel gets the freed number", (uint64_t)again, (uint64_t)number[40]);
    struct drm_nouveau_notifierobj_alloc notifier;
    memset(&notifier, 0xff, sizeof notifier);
    notifier.channel = (uint32_t)number[0];
    gives("make a notifier", ask(NOTIFIER_ALLOC, &notifier), 0);
    equal("a notifier is at offset 0", notifier.offset, 0);
    struct drm_nouveau_gem_pushbuf probe;
    memset(&probe, 0xff, sizeof probe);
    probe.channel = (uint32_t)number[0];
    probe.nr_push = probe.nr_buffers = probe.nr_relocs = 0;
    gives("submit nothing", ask(PUSHBUF, &probe), 0);
    verdict("an empty submission tells the memory that there is",
            probe.vram_available == 1 << 30 && probe.gart_available == 1 << 30 && !probe.suffix0 &&
                !probe.suffix1);
    static const int32_t missing[] = {0, -1, MOST + 1, 1 << 30};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        struct drm_nouveau_notifierobj_alloc notifier = {.channel = (uint32_t)missing[i]};
        struct drm_nouveau_gpuobj_free f = {.channel = missing[i]};
        gives("free a channel that does not exist", free_channel(missing[i]), ENODEV);
        gives("make an object in a channel that does not exist", new_object(missing[i], 1, 0x5039),
              ENODEV);
        gives("free an object in a channel that does not exist", ask(GPUOBJ_FREE, &f), ENODEV);
        gives("make a notifier in a channel that does not exist", ask(NOTIFIER_ALLOC, &notifier),
              ENODEV);
    }
    gives("make an object", new_object(number[0], 0x11, 0x5039), 0);
    gives("make an object with a handle that is taken", new_object(number[0], 0x11, 0x502d),
          EINVAL);
    gives("make an object with the same handle in another channel",
          new_object(number[1], 0x11, 0x502d), 0);
    gives("make an object of a class that does not exist", new_object(number[0], 0x12, 0x1234),
          EINVAL);
    struct drm_nouveau_gpuobj_free f = {.channel = number[0], .handle = 0x11};
    gives("free an object", ask(GPUOBJ_FREE, &f), 0);
    gives("make an object with a handle that was freed", new_object(number[0], 0x11, 0x502d), 0);
    for (int i = 0; i < MOST; i++)
        gives("free each of 64 channels", free_channel(number[i]), 0);
}

/* ---- NVIF: the newer way to name objects ---- */

struct nvif {
    uint8_t version, type, padding[4], owner, route;
    uint64_t token, object;
    union {
        struct {
            uint8_t version, padding[6], route;
            uint64_t token, object;
            uint32_t handle;
            int32_t class;
        } new;
        struct {
            uint8_t version, number, padding[6], info_version, platform;
            uint16_t chipset;
            uint8_t revision, family, unused[2];
            uint64_t ram_size, ram_user;
            char chip[16], name[64];
        } device;
        struct {
            uint8_t version, count, padding[6];
            struct {
                int32_t class;
                int16_t least, most;
            } list[8];
        } classes;
    };
};
enum { NVIF_NOP, NVIF_SCLASS, NVIF_NEW, NVIF_DEL, NVIF_MTHD, NVIF_HEAD = 24 };

static int nvif(struct nvif *n, size_t size) {
    return ask(_IOC(_IOC_READ | _IOC_WRITE, 'd', DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF, size), n);
}

static int nvif_new(int32_t channel, uint64_t name, uint32_t handle, int32_t class) {
    struct nvif n = {.type = NVIF_NEW, .route = 0xff, .token = (uint64_t)channel};
    n.new.object = name;
    n.new.handle = handle;
    n.new.class = class;
    return nvif(&n, NVIF_HEAD + sizeof n.new);
}

static int nvif_delete(uint64_t name) {
    return nvif(&(struct nvif){.type = NVIF_DEL, .object = name}, NVIF_HEAD);
}

static void names(void) {
    int32_t one, two;
    new_channel(&one);
    new_channel(&two);
    gives("make a named object", nvif_new(one, 71, 0x21, 0x5039), 0);
    gives("make an object with a named object's handle", new_object(one, 0x21, 0x502d), EINVAL);
    gives("make a second named object", nvif_new(one, 72, 0x22, 0x502d), 0);
    gives("make a named object with the same handle in another channel",
          nvif_new(two, 73, 0x21, 0x502d), 0);
    gives("make a named object in a channel that does not exist", nvif_new(99, 74, 0x21, 0x502d),
          ENODEV);
    gives("make a named object of a class that does not exist", nvif_new(one, 75, 0x23, 0x1234),
          EINVAL);
    gives("delete a named object", nvif_delete(71), 0);
    gives("make an object with a deleted object's handle", new_object(one, 0x21, 0x5039), 0);
    gives("make an object with the handle of a second named object", new_object(one, 0x22, 0x502d),
          EINVAL);
    gives("make an object with the handle of a named object in another channel",
          new_object(two, 0x21, 0x502d), EINVAL);
    gives("delete a name that does not exist", nvif_delete(12345), 0);
    gives("delete the name 0", nvif_delete(0), 0);
    gives("other named objects outlive these deletions", new_object(one, 0x22, 0x502d), EINVAL);
    for (uint64_t i = 0; i < 600; i++) /* more than the table holds */
        if (nvif_new(two, 1000 + i, 0x100, 0x502d) || nvif_delete(1000 + i)) {
            verdict("make and delete 600 named objects in turn", false);
            break;
        }
    for (int32_t i = 0, own; i < 300; i++) { /* channels that end with their objects */
        new_channel(&own);
        if (nvif_new(own, 5000, 0x100, 0x502d)) {
            verdict("make 300 channels with a named object in turn", false);
            break;
        }
        free_channel(own);
    }
    gives("make a named object after 300 channels ended", nvif_new(two, 5001, 0x101, 0x502d), 0);
    int32_t five[5]; /* more than the table holds: the excess ones live as long as their channel */
    uint64_t wrong = 0, freed = 0;
    for (uint32_t i = 0; i < 300; i++) {
        wrong += i % 60 == 0 && new_channel(&five[i / 60]);
        wrong += nvif_new(five[i / 60], 6000 + i, 0x1000 + i, 0x502d) != 0;
    }
    for (uint32_t i = 0; i < 300; i++)
        wrong += nvif_delete(6000 + i) != 0;
    equal("make 300 named objects, then delete them", wrong, 0);
    for (uint32_t i = 0; i < 300; i++)
        freed += new_object(five[i / 60], 0x1000 + i, 0x502d) == 0;
    equal("the table holds 256 names: three and 253 of the 300", freed, 253);
    for (int i = 0; i < 5; i++)
        free_channel(five[i]);
    nvif_delete(5001);
    gives("make an object with the handle of a name from before the 300",
          new_object(two, 0x101, 0x502d), 0);
    free_channel(one);
    free_channel(two);
    new_channel(&one);
    gives("make a named object with the name and handle of a freed channel's",
          nvif_new(one, 72, 0x22, 0x502d), 0);
    free_channel(one);
}

static void newer(uint32_t chipset) {
    static const struct {
        const char *what;
        struct nvif n;
        size_t size;
        int result;
    } rows[] = {
        {"NVIF: no operation", {.type = NVIF_NOP}, NVIF_HEAD, 0},
        {"NVIF: less than a header", {.type = NVIF_NOP}, NVIF_HEAD - 1, EINVAL},
        {"NVIF: another version", {.version = 1}, NVIF_HEAD, EINVAL},
        {"NVIF: an unknown type", {.type = 9}, NVIF_HEAD, ENOSYS},
        {"NVIF: make a device", {.type = NVIF_NEW, .new.class = 0x80}, NVIF_HEAD + 32, 0},
        {"NVIF: make a device, a byte short",
         {.type = NVIF_NEW, .new.class = 0x80},
         NVIF_HEAD + 31,
         EINVAL},
        {"NVIF: make an object without a channel",
         {.type = NVIF_NEW, .new.class = 0x5039},
         NVIF_HEAD + 32,
         EINVAL},
        {"NVIF: a list of classes, a byte short", {.type = NVIF_SCLASS}, NVIF_HEAD + 7, EINVAL},
        {"NVIF: describe the device, a byte short",
         {.type = NVIF_MTHD},
         NVIF_HEAD + 8 + 103,
         EINVAL},
        {"NVIF: an unknown method of the device",
         {.type = NVIF_MTHD, .device.number = 1},
         NVIF_HEAD + 8 + 104,
         EINVAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nvif n = rows[i].n;
        gives(rows[i].what, nvif(&n, rows[i].size), rows[i].result);
    }
    struct nvif n = {.type = NVIF_SCLASS, .classes.count = 7};
    gives("ask for the classes", nvif(&n, NVIF_HEAD + sizeof n.classes), 0);
    const bool fermi = chipset >= 0xc0;
    equal("a Tesla lists no classes, a Fermi five", n.classes.count, fermi ? 5 : 0);
    equal("a Fermi lists its 3D class", (uint64_t)n.classes.list[2].class,
          !fermi            ? 0
          : chipset == 0xc1 ? 0x9197
                            : 0x9097);
    n = (struct nvif){.type = NVIF_SCLASS, .classes.count = 2};
    gives("ask for two classes", nvif(&n, NVIF_HEAD + sizeof n.classes), 0);
    equal("two classes are stored if two are asked for", (uint64_t)n.classes.list[2].class, 0);
    n = (struct nvif){.type = NVIF_MTHD};
    gives("ask for the device's description", nvif(&n, NVIF_HEAD + 8 + 104), 0);
    const bool igp = chipset == 0xaa || chipset == 0xac || chipset == 0xaf;
    equal("the device's description has the chip", n.device.chipset, chipset);
    equal("the device's description has the platform", n.device.platform, igp ? 0 : 3);
    equal("the device's description has the family", n.device.family, fermi ? 7 : 6);
    equal("the device's description has the revision", n.device.revision, 0xa2);
    verdict("the device's description has the memory",
            n.device.ram_size == n.device.ram_user && n.device.ram_size >= 1 << 28);
    verdict("the device's description has its names",
            n.device.chip[0] && strstr(n.device.name, "teslapipe"));
    names();
}

/* ---- PRIME, and requests that are no ioctls ---- */

/* Objects that two nodes of a process share exist until both nodes have closed them, in either
 * order. */
static void two_nodes(void) {
    const int first = node, second = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    for (int order = 0; order < 2; order++) {
        struct drm_nouveau_gem_info info, again;
        new_buffer(PAGE, 0, VRAM, 0, &info);
        struct drm_prime_handle p = {.handle = info.handle, .fd = -1};
        gives("export a buffer", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
        struct drm_prime_handle q = {.fd = p.fd};
        node = second;
        gives("import a buffer in the other node", ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q), 0);
        close(p.fd);
        node = order ? second : first;
        close_buffer(order ? q.handle : info.handle);
        node = order ? first : second;
        again = (struct drm_nouveau_gem_info){.handle = order ? info.handle : q.handle};
        gives("a buffer that one node closed is known to the other", ask(GEM_INFO, &again), 0);
        equal("a buffer that one node closed keeps its address", again.offset, info.offset);
        volatile uint32_t *at =
            mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, node, (off_t)again.map_handle);
        verdict("a buffer that one node closed can be mapped",
                at != MAP_FAILED && (at[5] = 7) == 7);
        struct drm_nouveau_gem_info other;
        new_buffer(PAGE, 0, VRAM, 0, &other);
        verdict("a new buffer does not get the address of a buffer in use",
                other.offset != info.offset);
        close_buffer(other.handle);
        close_buffer(again.handle);
        node = first;
    }
    close(second);
}

static void prime(void) {
    struct drm_nouveau_gem_info info;
    new_buffer(2 * PAGE, 0, VRAM, 0x7000, &info);
    struct drm_prime_handle p = {.handle = info.handle, .flags = DRM_CLOEXEC, .fd = -1};
    gives("export a block-linear buffer", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    equal("an exported descriptor has FD_CLOEXEC if it was asked for",
          (uint64_t)(fcntl(p.fd, F_GETFD) & FD_CLOEXEC), FD_CLOEXEC);
    struct drm_prime_handle q = {.fd = p.fd};
    gives("import the buffer that was exported", ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q), 0);
    equal("an own buffer is imported by its own handle", q.handle, info.handle);
    p.flags = 0;
    close(p.fd);
    ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
    equal("an exported descriptor has no FD_CLOEXEC if none was asked for",
          (uint64_t)(fcntl(p.fd, F_GETFD) & FD_CLOEXEC), 0);
    close_buffer(info.handle);
    q = (struct drm_prime_handle){.fd = p.fd};
    gives("import a buffer after its handle was closed", ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q), 0);
    struct drm_nouveau_gem_info again = {.handle = q.handle};
    ask(GEM_INFO, &again);
    verdict("an imported buffer has its size, layout and domain",
            again.size == 2 * PAGE && again.tile_flags == 0x7000 && again.tile_mode == 0x40 &&
                again.domain == VRAM);
    close_buffer(q.handle);
    close(p.fd);
    two_nodes();
    p = (struct drm_prime_handle){.handle = 0xffff};
    gives("export a buffer that does not exist", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), ENOENT);
    const int file = memfd_create("something else", 0);
    verdict("make a file that is no buffer", ftruncate(file, 2 * PAGE) == 0);
    q = (struct drm_prime_handle){.fd = file};
    gives("import a file that is no buffer", ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q), EINVAL);
    close(file);
    static const struct {
        const char *name;
        int64_t bytes;
        int result;
    } files[] = {
        {"teslapipe-bo 2 0 0", 2 * PAGE, 0},      {"teslapipe-bo 2 0 0", PAGE, EINVAL},
        {"teslapipe-bo 2 40 7000", 2 * PAGE, 0},  {"teslapipe-bo 2 0 0", 2 * PAGE + 64, EINVAL},
        {"teslapipe-bo 2 0", 2 * PAGE, EINVAL},   {"teslapipe-bo", 2 * PAGE, EINVAL},
        {"teslapipe-box 2 0 0", 2 * PAGE, EINVAL}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const int own = memfd_create(files[i].name, 0);
        verdict("make a file with a buffer's name", ftruncate(own, files[i].bytes) == 0);
        q = (struct drm_prime_handle){.fd = own};
        gives(files[i].name, ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q), files[i].result);
        if (!files[i].result) {
            again.handle = q.handle;
            ask(GEM_INFO, &again);
            const bool tiled = strchr(files[i].name, '4') != NULL;
            verdict("a file with a buffer's name and size becomes a buffer",
                    again.size == PAGE && again.domain == VRAM);
            verdict("a buffer from a file has the layout in the file's name",
                    again.tile_mode == (tiled ? 0x40 : 0) &&
                        again.tile_flags == (tiled ? 0x7000 : 0));
            close_buffer(q.handle);
        }
        close(own);
    }
    struct drm_nouveau_gem_info mine;
    new_buffer(PAGE, 0, VRAM, 0, &mine);
    p = (struct drm_prime_handle){.handle = mine.handle, .fd = -1};
    ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
    const int theirs = memfd_create("teslapipe-bo 2 0 0", 0);
    q = (struct drm_prime_handle){.fd = theirs};
    verdict("another process's buffer does not become an own one",
            ftruncate(theirs, 2 * PAGE) == 0 && !ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q) &&
                q.handle != mine.handle);
    close(theirs);
    close(p.fd);
    close_buffer(mine.handle);
    close_buffer(q.handle);
    q = (struct drm_prime_handle){.fd = 9999};
    gives("import a descriptor that is not open", ask(DRM_IOCTL_PRIME_FD_TO_HANDLE, &q), EBADF);
}

/* ---- exports ---- */

enum { EXPORTERS = 4 };
static uint32_t shared_handle;
static pthread_barrier_t exporters;

static void *export_in_thread(void *fd) {
    struct drm_prime_handle p = {.handle = shared_handle, .flags = DRM_CLOEXEC, .fd = -1};
    pthread_barrier_wait(&exporters);
    ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
    *(int *)fd = p.fd;
    return NULL;
}

static ino_t inode_of(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* The first export of a buffer waits for work. Other threads export the buffer during the wait. */
static void exports_at_once(uint32_t chipset) {
    enum { ROUNDS = 20 };
    int others = 0;
    struct world w;
    open_world(&w);
    pthread_barrier_init(&exporters, NULL, EXPORTERS);
    for (int i = 0; i < ROUNDS; i++) {
        struct drm_nouveau_gem_info info;
        pthread_t thread[EXPORTERS];
        int fd[EXPORTERS];
        new_buffer(PAGE, 0, VRAM, 0, &info);
        shared_handle = info.handle;
        w.word[0] = chipset >= 0xc0 ? 0x20000000 : 0; /* a header without data */
        w.s.push[0] = (struct drm_nouveau_gem_pushbuf_push){.bo_index = 0, .length = 4};
        submit(&w.s, w.channel, 2, 1, 0);
        for (int k = 0; k < EXPORTERS; k++)
            if (pthread_create(&thread[k], NULL, export_in_thread, &fd[k]))
                abort();
        for (int k = 0; k < EXPORTERS; k++) {
            pthread_join(thread[k], NULL);
            others += inode_of(fd[k]) != inode_of(fd[0]) || fd[k] < 0;
        }
        for (int k = 0; k < EXPORTERS; k++)
            close(fd[k]);
        close_buffer(info.handle);
    }
    equal("threads that export one buffer get one file", (uint64_t)others, 0);
    pthread_barrier_destroy(&exporters);
    close_world(&w);
}

/* A line that is put before those of /proc/self/maps; "": none. */
static char false_line[256];

FILE *fopen(const char *path, const char *mode) {
    static __typeof__(fopen) *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "fopen");
    FILE *file = next(path, mode), *both;
    if (!file || !false_line[0] || strcmp(path, "/proc/self/maps") != 0 || !(both = tmpfile()))
        return file;
    fputs(false_line, both);
    for (int c; (c = getc(file)) != EOF;)
        putc(c, both);
    fclose(file);
    rewind(both);
    return both;
}

/* The number of the inode behind the GPU's memory. */
static unsigned long memory_inode(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned long inode = 0;
    while (maps && !inode && fgets(line, sizeof line, maps))
        if (strstr(line, "/memfd:teslapipe-memory"))
            sscanf(line, "%*s %*s %*s %*s %lu", &inode);
    if (maps)
        fclose(maps);
    return inode;
}

/* A file of another file system may have the number of the inode behind the GPU's memory. */
static void same_inode_elsewhere(void) {
    struct drm_nouveau_gem_info info;
    volatile uint8_t *own =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const unsigned long inode = memory_inode();
    new_buffer(PAGE, 0, VRAM, 0, &info);
    own[0] = 0x5a;
    snprintf(false_line, sizeof false_line, "%lx-%lx rw-p %08lx fe:7b %lu /a/file\n",
             (unsigned long)(uintptr_t)own, (unsigned long)(uintptr_t)own + PAGE,
             (unsigned long)info.offset, inode);
    struct drm_prime_handle p = {.handle = info.handle, .fd = -1};
    gives("export a buffer", ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), 0);
    false_line[0] = 0;
    verdict("an export leaves mappings of other files alone", inode && own[0] == 0x5a);
    munmap((void *)own, PAGE);
    close(p.fd);
    close_buffer(info.handle);
}

/* The number of lines of a file. */
static long lines_of(const char *path) {
    FILE *f = fopen(path, "r");
    long n = 0;
    for (int c; f && (c = getc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static long resident_kib(void) {
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (PAGE / 1024);
}

/* Closed objects leave no resources: nodes with channels, exported buffers. */
static void nothing_is_left(void) {
    enum { ROUNDS = 60, SLACK_KIB = 8192 };
    long kib = 0, maps = 0, blocks = 0;
    const int plain = dup(node);
    close(plain);
    for (int i = 0; i < 2 * ROUNDS; i++) {
        if (i == ROUNDS) {
            kib = resident_kib();
            maps = lines_of("/proc/self/maps");
            blocks = heap_blocks;
        }
        const int before = node;
        int32_t channel;
        struct drm_nouveau_gem_info info;
        node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
        for (int k = 0; k < 3; k++) {
            new_channel(&channel);
            new_object(channel, 1, 0x502d);
        }
        new_buffer(4 * PAGE, 0, VRAM, 0, &info);
        struct drm_prime_handle p = {.handle = info.handle, .fd = -1};
        ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
        close(p.fd);
        close(node);
        node = before;
    }
    verdict("closed nodes leave no resident memory", resident_kib() - kib < SLACK_KIB);
    verdict("closed nodes leave no blocks of the heap", heap_blocks - blocks < ROUNDS / 4);
    verdict("closed nodes leave no mappings", lines_of("/proc/self/maps") - maps < 8);
    const int last = dup(node);
    equal("closed nodes leave no descriptors", (uint64_t)last, (uint64_t)plain);
    close(last);
}

/* A buffer can be as large as the free memory. When it is closed, the memory is free again. */
static void all_memory(void) {
    struct drm_nouveau_gem_info info[5];
    uint64_t most;
    for (int round = 0; round < 2; round++)
        for (uint32_t domain = VRAM; domain <= GART; domain += GART - VRAM) {
            parameter(domain == VRAM ? NOUVEAU_GETPARAM_FB_SIZE : NOUVEAU_GETPARAM_AGP_SIZE, &most);
            verdict("the GPU tells at least 256 MiB", most >= 1 << 28 && most % 4 == 0);
            for (int i = 0; i < 4; i++)
                gives("make a buffer of a quarter of the memory",
                      new_buffer(most / 4, 0, domain, 0, &info[i]), 0);
            gives("make a buffer when the memory is full", new_buffer(PAGE, 0, domain, 0, &info[4]),
                  ENOMEM);
            for (int i = 0; i < 4; i++)
                close_buffer(info[i].handle);
        }
}

/* mmap of parts of a buffer: any of its pages and none behind it; also at a requested address. */
static void windows(void) {
    struct drm_nouveau_gem_info info;
    new_buffer(4 * PAGE, 0, GART, 0, &info);
    static const struct {
        uint64_t from, length;
        bool right;
    } rows[] = {{0, 4 * PAGE, true},         {PAGE, 3 * PAGE, true},   {3 * PAGE, PAGE, true},
                {3 * PAGE, PAGE + 1, false}, {0, 4 * PAGE + 1, false}, {4 * PAGE, PAGE, false},
                {4 * PAGE - 1, 1, true},     {5 * PAGE, 1, false}};
    uint8_t *all =
        mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, node, (off_t)info.map_handle);
    for (int i = 0; i < 4; i++)
        memset(all + i * PAGE, 0x10 + i, PAGE);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        errno = 0;
        const uint8_t *at = mmap(NULL, rows[i].length, PROT_READ, MAP_SHARED, node,
                                 (off_t)(info.map_handle + rows[i].from));
        verdict("mmap() of any pages of a buffer succeeds, and of none behind it",
                rows[i].right ? at != MAP_FAILED && at[0] == 0x10 + rows[i].from / PAGE
                              : at == MAP_FAILED && errno == EINVAL);
    }
    uint8_t *own = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *fixed = mmap(own, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, node,
                          (off_t)(info.map_handle + PAGE));
    verdict("mmap() puts pages of a buffer at a requested address",
            fixed == own && fixed[0] == 0x11 && fixed[PAGE] == 0x12);
    fixed[5] = 0x77;
    equal("two mappings of a buffer show the same bytes", all[PAGE + 5], 0x77);
    struct drm_prime_handle p = {.handle = info.handle, .fd = -1};
    ask(DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);
    fixed[6] = 0x78;
    all[2 * PAGE] = 0x79;
    const uint8_t *theirs = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, p.fd, 0);
    verdict("mappings show the same bytes after the buffer was exported",
            all[PAGE + 6] == 0x78 && fixed[PAGE] == 0x79 && theirs[PAGE + 6] == 0x78 &&
                theirs[0] == 0x10 && theirs[4 * PAGE - 1] == 0x13);
    fixed = mmap(own, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, node,
                 (off_t)(info.map_handle + 2 * PAGE));
    verdict("mmap() puts pages of an exported buffer at a requested address",
            fixed == own && fixed[0] == 0x79 && fixed[PAGE] == 0x13);
    munmap((void *)theirs, 4 * PAGE);
    close(p.fd);
    close_buffer(info.handle);
    equal("mmap() refuses a closed buffer",
          mmap(NULL, PAGE, PROT_READ, MAP_SHARED, node, (off_t)info.map_handle) == MAP_FAILED
              ? (uint64_t)errno
              : 0,
          EINVAL);
}

static void refusals(void) {
    uint64_t space[32] = {0};
    gives("an ioctl with an unknown number of the driver",
          ask(DRM_IOWR(DRM_COMMAND_BASE + 0x5e, uint64_t), space), EINVAL);
    gives("an ioctl of another driver", ask(_IOWR('x', 0, uint64_t), space), ENOTTY);
    gives("an ioctl of displays", ask(DRM_IOWR(0xa0, uint64_t[8]), space), EOPNOTSUPP);
    gives("an ioctl with a number behind those of displays",
          ask(DRM_IOWR(0xd0, uint64_t[8]), space), EINVAL);
    space[0] = NOUVEAU_GETPARAM_CHIPSET_ID;
    gives("an ioctl with too short an argument",
          ask(DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GETPARAM, uint64_t), space), EINVAL);
    gives("an ioctl without an argument", ask(GETPARAM, NULL), EINVAL);
    gives("an ioctl of masters on a render node", ask(DRM_IOCTL_AUTH_MAGIC, space), EACCES);
}

static void descriptors_from_0(void) {
    prime();
    windows();
    nothing_is_left();
}

int main(int argc, char **argv) {
    const uint32_t chipset = open_node(argc, argv);
    if (!chipset)
        return 2;
    itself(chipset);
    buffers();
    handles();
    copies();
    channels();
    windows();
    all_memory();
    nothing_is_left();
    newer(chipset);
    prime();
    exports_at_once(chipset);
    same_inode_elsewhere();
    refusals();
    without_input(descriptors_from_0);
    close(node);
    return summary();
}
