/* The fake tree, as a table. The device is a PCI board at 0000:01:00.0 whose ids are those of the
 * configured chip; /sys/dev/char/226:128/device leads to it, as on a real system.
 */
#include "drm/sysfs.h"

#include "drm/gpu.h"

#include <stdio.h>
#include <string.h>

#define DEVICE "/sys/devices/pci0000:00/0000:01:00.0"
#define CHAR_DEVICE "/sys/dev/char/226:128"

struct entry {
    enum sysfs_kind kind;
    const char *path;
    const char *text; /* %1$x is the PCI device id */
};

static const struct entry tree[] = {
    {SYSFS_DIRECTORY, "/dev/dri", "renderD128"},
    {SYSFS_NODE, "/dev/dri/renderD128", ""},
    {SYSFS_DIRECTORY, "/sys/class/drm", "renderD128"},
    {SYSFS_LINK, CHAR_DEVICE, "../.." DEVICE "/drm/renderD128"},
    {SYSFS_DIRECTORY, DEVICE, "drm"},
    {SYSFS_DIRECTORY, DEVICE "/drm", "renderD128"},
    {SYSFS_DIRECTORY, DEVICE "/drm/renderD128", "dev"},
    {SYSFS_FILE, DEVICE "/drm/renderD128/dev", "226:128\n"},
    {SYSFS_FILE, DEVICE "/drm/renderD128/uevent",
     "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
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
        CHAR_DEVICE "/device", DEVICE "/drm/renderD128/device", "/sys/class/drm/renderD128/device"};
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

const char *sysfs_list(const struct sysfs_entry *directory, size_t index) {
    for (size_t i = 0; index == 0 && i < sizeof tree / sizeof *tree; i++)
        if (strcmp(tree[i].path, directory->path) == 0)
            return tree[i].text;
    return NULL;
}
