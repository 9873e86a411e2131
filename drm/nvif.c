/* NVIF: requests behind a common header, to make or delete an object, to describe the device, or to
 * list the classes of a channel. In: the bytes of an ioctl. Out: answers in place, and calls of the
 * node. The layout is the kernel's (nvif/ioctl.h and nvif/cl0080.h).
 */
#include "drm/nvif.h"

#include "drm/node.h"

#include <errno.h>
#include <stdio.h>

enum { TYPE_NOP, TYPE_SCLASS, TYPE_NEW, TYPE_DEL, TYPE_MTHD };
enum { CLASS_DEVICE = 0x80, ROUTE_CHANNEL = 0xff, DEVICE_INFO = 0 };
enum { PLATFORM_IGP = 0, PLATFORM_PCIE = 3, FAMILY_TESLA = 6, FAMILY_FERMI = 7 };

struct header {
    uint8_t version, type, padding[4], owner, route;
    uint64_t token, object;
};
struct new_object {
    uint8_t version, padding[6], route;
    uint64_t token, object;
    uint32_t handle;
    int32_t class;
};
struct nvif_method {
    uint8_t version, number, padding[6];
};
struct device_info {
    uint8_t version, platform;
    uint16_t chipset;
    uint8_t revision, family, padding[2];
    uint64_t ram_size, ram_user;
    char chip[16], name[64];
};
struct classes {
    uint8_t version, count, padding[6];
    struct {
        int32_t class;
        int16_t least, most;
    } list[];
};

/* The object with this name; for name 0 a free place. NULL if there is none. */
static struct nvif_object *find_object(struct nvif_table *t, uint64_t name) {
    for (int i = 0; i < NVIF_OBJECTS; i++)
        if (t->object[i].name == name)
            return &t->object[i];
    return NULL;
}

static int new_object(struct node *n, struct nvif_table *t, const struct header *h,
                      const struct new_object *o) {
    if (o->class == CLASS_DEVICE)
        return 0;
    if (h->route != ROUTE_CHANNEL)
        return -EINVAL;
    const int result = node_object_create(n, (int64_t)h->token, o->handle, (uint32_t)o->class);
    struct nvif_object *place = find_object(t, 0);
    if (result == 0 && place) /* without a place, the object lives as long as its channel */
        *place = (struct nvif_object){o->object, (int64_t)h->token, o->handle};
    return result;
}

void nvif_forget(struct nvif_table *t, int64_t channel) {
    for (int i = 0; i < NVIF_OBJECTS; i++)
        if (t->object[i].channel == channel)
            t->object[i].name = 0;
}

/* Deletes the object with this name. An unknown name is no error: the name may be that of a device,
 * or of an object that was freed with its channel. */
static int delete_object(struct node *n, struct nvif_table *t, uint64_t name) {
    struct nvif_object *o = name ? find_object(t, name) : NULL;
    if (o) {
        o->name = 0;
        node_object_destroy(n, o->channel, o->handle);
    }
    return 0;
}

static int device_info(const struct chip *chip, struct device_info *info) {
    const bool igp = chip->chipset == 0xaa || chip->chipset == 0xac || chip->chipset == 0xaf;
    *info = (struct device_info){
        .platform = igp ? PLATFORM_IGP : PLATFORM_PCIE,
        .chipset = (uint16_t)chip->chipset,
        .revision = 0xa2,
        .family = chip->variant == TP_CHIP_GF100 ? FAMILY_FERMI : FAMILY_TESLA,
        .ram_size = GPU_VRAM,
        .ram_user = GPU_VRAM,
    };
    snprintf(info->chip, sizeof info->chip, "%s", chip->name);
    snprintf(info->name, sizeof info->name, "NV%X (teslapipe)", chip->chipset);
    return 0;
}

/* The 3D class of a Fermi chip. */
static int32_t fermi_3d_class(uint32_t chipset) {
    return chipset == 0xc1 ? 0x9197 : chipset == 0xc8 || chipset >= 0xd7 ? 0x9297 : 0x9097;
}

/* Lists the classes of a channel, as many as there is room for, and their number. A Tesla's list is
 * empty: clients know its classes from the chip. */
static int list_classes(const struct chip *chip, struct classes *c, size_t room) {
    const int32_t fermi[] = {0x9039, 0x902d, fermi_3d_class(chip->chipset), 0x90c0, 0x906e};
    const uint8_t count =
        chip->variant == TP_CHIP_GF100 ? (uint8_t)(sizeof fermi / sizeof *fermi) : 0;
    for (size_t i = 0; i < count && i < c->count && i < room; i++) {
        c->list[i].class = fermi[i];
        c->list[i].least = c->list[i].most = 0;
    }
    c->count = count;
    return 0;
}

int nvif_call(struct node *n, struct nvif_table *t, const struct chip *chip, void *argument,
              size_t size) {
    struct header *h = argument;
    uint8_t *rest = (uint8_t *)argument + sizeof *h;
    if (size < sizeof *h || h->version != 0)
        return -EINVAL;
    size -= sizeof *h;
    switch (h->type) {
    case TYPE_NOP:
        return 0;
    case TYPE_NEW:
        return size < sizeof(struct new_object)
                   ? -EINVAL
                   : new_object(n, t, h, (const struct new_object *)rest);
    case TYPE_DEL:
        return delete_object(n, t, h->object);
    case TYPE_SCLASS:
        return size < sizeof(struct classes)
                   ? -EINVAL
                   : list_classes(chip, (struct classes *)rest,
                                  (size - sizeof(struct classes)) /
                                      sizeof *((struct classes *)0)->list);
    case TYPE_MTHD:
        if (size < sizeof(struct nvif_method) + sizeof(struct device_info) ||
            ((const struct nvif_method *)rest)->number != DEVICE_INFO)
            return -EINVAL;
        return device_info(chip, (struct device_info *)(rest + sizeof(struct nvif_method)));
    }
    return -ENOSYS;
}
