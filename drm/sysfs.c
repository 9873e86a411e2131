/* The fake tree, as a table. The device is a PCI board at 0000:01:00.0 whose ids are those of the
 * configured chip; /sys/dev/char/226:128/device and 226:0/device lead to it, as on a real system.
 * Its card node has no display: programs that open card0 for GBM get what the render node gives.
 */
#include "drm/sysfs.h"

#include "drm/gpu.h"

#include <stdio.h>
#include <string.h>

#define DEVICE "/sys/devices/pci0000:00/0000:01:00.0"
#define CHAR_DEVICE "/sys/dev/char/226:"
#define DRM_CLASS "/sys/class/drm/"
#define NODES "card0 renderD128"

struct entry {
    enum sysfs_kind kind;
    const char *path;
    const char *text; /* %1$x is the PCI device id; of a directory: its entries' names */
};

#define NODE_ENTRIES(name, minor)                                                                  \
    {SYSFS_NODE, "/dev/dri/" name, ""},                                                            \
        {SYSFS_LINK, CHAR_DEVICE minor, "../.." DEVICE "/drm/" name},                              \
        {SYSFS_DIRECTORY, DEVICE "/drm/" name, "dev uevent"},                                      \
        {SYSFS_FILE, DEVICE "/drm/" name "/dev", "226:" minor "\n"},                               \
        {SYSFS_FILE, DEVICE "/drm/" name "/uevent",                                                \
         "MAJOR=226\nMINOR=" minor "\nDEVNAME=dri/" name "\nDEVTYPE=drm_minor\n"}

static const struct entry tree[] = {
    {SYSFS_DIRECTORY, "/dev/dri", NODES},
    {SYSFS_DIRECTORY, "/sys/class/drm", NODES},
    {SYSFS_DIRECTORY, DEVICE, "drm"},
    {SYSFS_DIRECTORY, DEVICE "/drm", NODES},
    NODE_ENTRIES("renderD128", "128"),
    NODE_ENTRIES("card0", "0"),
    {SYSFS_LINK, DEVICE "/subsystem", "../../../bus/pci"},
    {SYSFS_FILE, DEVICE "/uevent",
     "DRIVER=nouveau\nPCI_CLASS=30000\nPCI_ID=10DE:%1$04X\nPCI_SUBSYS_ID=10DE:%1$04X\n"
     "PCI_SLOT_NAME=0000:01:00.0\n"},
    {SYSFS_FILE, DEVICE "/vendor", "0x10de\n"},
    {SYSFS_FILE, DEVICE "/device", "0x%1$04x\n"},
    {SYSFS_FILE, DEVICE "/subsystem_vendor", "0x10de\n"},
    {SYSFS_FILE, DEVICE "/subsystem_device", "0x%1$04x\n"},
    {SYSFS_FILE, DEVICE "/revision", "0xa2\n"},
    {SYSFS_FILE, DEVICE "/class", "0x030000\n"},
};

/* Drops "//", "/./" and a trailing "/"; false if it does not fit. */
static bool tidy(const char *path, char *out, size_t size) {
    size_t n = 0;
    for (const char *p = path; *p;) {
        const size_t length = strcspn(p, "/");
        if (length && !(length == 1 && *p == '.')) {
            if (n + length + 2 > size)
                return false;
            out[n++] = '/';
            memcpy(out + n, p, length);
            n += length;
        }
        p += length + (p[length] == '/');
    }
    out[n] = 0;
    return true;
}

/* Writes the canonical form of path: what CHAR_DEVICE/device leads to. */
static bool canonical(const char *path, char *out, size_t size) {
    static const char *const device_links[] = {
        CHAR_DEVICE "128/device",
        CHAR_DEVICE "0/device",
        DEVICE "/drm/renderD128/device",
        DEVICE "/drm/card0/device",
        DRM_CLASS "renderD128/device",
        DRM_CLASS "card0/device",
    };
    char tidied[160];
    if (*path != '/' || !tidy(path, tidied, sizeof tidied))
        return false;
    for (size_t i = 0; i < sizeof device_links / sizeof *device_links; i++) {
        const size_t length = strlen(device_links[i]);
        if (strncmp(tidied, device_links[i], length) == 0 &&
            (!tidied[length] || tidied[length] == '/'))
            return (size_t)snprintf(out, size, DEVICE "%s", tidied + length) < size;
    }
    return (size_t)snprintf(out, size, "%s", tidied) < size;
}

struct sysfs_entry sysfs_find(const char *path) {
    struct sysfs_entry e = {.kind = SYSFS_NONE};
    if (!path || (strncmp(path, "/sys", 4) != 0 && strncmp(path, "/dev", 4) != 0) ||
        !canonical(path, e.path, sizeof e.path))
        return e;
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        if (strcmp(tree[i].path, e.path) == 0) {
            e.kind = tree[i].kind;
            e.inode = NODE_INODE + (unsigned)i;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
            snprintf(e.text, sizeof e.text, tree[i].text, chip_configured()->pci_device);
#pragma GCC diagnostic pop
        }
    return e;
}

bool sysfs_is_card(const struct sysfs_entry *e) {
    return strcmp(e->path, "/dev/dri/card0") == 0;
}

bool sysfs_list(const struct sysfs_entry *directory, size_t index, char *name, size_t size) {
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
        if (strcmp(tree[i].path, directory->path) != 0)
            continue;
        const char *at = tree[i].text;
        while (index-- && *at) {
            at += strcspn(at, " ");
            at += *at == ' ';
        }
        return (size_t)snprintf(name, size, "%.*s", (int)strcspn(at, " "), at) < size && *name;
    }
    return false;
}
