/* The fake tree, as tables. The device is a PCI board at 0000:01:00.0 with the ids of the
 * configured chip. Links lead to it as on a real system. If there is a display, the tree also has
 * input devices and their entries in udev's database.
 */
#include "drm/sysfs.h"

#include "drm/evdev.h"
#include "drm/gpu.h"
#include "drm/screen.h"

#include <stdio.h>

#define PCI "/sys/devices/pci0000:00"
#define DEVICE PCI "/0000:01:00.0"
#define INPUTS "/sys/devices/virtual/input"
#define CHAR_DEVICE "/sys/dev/char/"
#define NODES "card0 renderD128"
#define UDEV_DATA "/run/udev/data/"

struct entry {
    enum sysfs_kind kind;
    const char *path;
    /* contents of a file (%1$x: the PCI device id), target of a link, or a directory's entries */
    const char *text;
    uint16_t major, minor;
};

#define NODE_ENTRIES(name, number)                                                                 \
    {SYSFS_NODE, "/dev/dri/" name, "", NODE_MAJOR, number},                                        \
        {SYSFS_LINK, CHAR_DEVICE "226:" #number,                                                   \
         "../../devices/pci0000:00/0000:01:00.0/drm/" name, 0, 0},                                 \
        {SYSFS_LINK, "/sys/class/drm/" name, "../../devices/pci0000:00/0000:01:00.0/drm/" name, 0, \
         0},                                                                                       \
        {SYSFS_DIRECTORY, DEVICE "/drm/" name, "dev device subsystem uevent", 0, 0},               \
        {SYSFS_LINK, DEVICE "/drm/" name "/device", "../../../0000:01:00.0", 0, 0},                \
        {SYSFS_LINK, DEVICE "/drm/" name "/subsystem", "../../../../../class/drm", 0, 0},          \
        {SYSFS_FILE, DEVICE "/drm/" name "/dev", "226:" #number "\n", 0, 0},                       \
        {SYSFS_FILE, DEVICE "/drm/" name "/uevent",                                                \
         "MAJOR=226\nMINOR=" #number "\nDEVNAME=dri/" name "\nDEVTYPE=drm_minor\n", 0, 0}

static const struct entry tree[] = {
    {SYSFS_DIRECTORY, "/dev/dri", NODES, 0, 0},
    {SYSFS_DIRECTORY, "/sys/class/drm", NODES, 0, 0},
    {SYSFS_ANCESTOR, PCI, "0000:01:00.0", 0, 0},
    {SYSFS_DIRECTORY, DEVICE, "drm", 0, 0},
    {SYSFS_DIRECTORY, DEVICE "/drm", NODES, 0, 0},
    NODE_ENTRIES("renderD128", 128),
    NODE_ENTRIES("card0", 0),
    {SYSFS_LINK, DEVICE "/subsystem", "../../../bus/pci", 0, 0},
    {SYSFS_FILE, DEVICE "/uevent",
     "DRIVER=nouveau\nPCI_CLASS=30000\nPCI_ID=10DE:%1$04X\nPCI_SUBSYS_ID=10DE:%1$04X\n"
     "PCI_SLOT_NAME=0000:01:00.0\n",
     0, 0},
    {SYSFS_FILE, DEVICE "/vendor", "0x10de\n", 0, 0},
    {SYSFS_FILE, DEVICE "/device", "0x%1$04x\n", 0, 0},
    {SYSFS_FILE, DEVICE "/subsystem_vendor", "0x10de\n", 0, 0},
    {SYSFS_FILE, DEVICE "/subsystem_device", "0x%1$04x\n", 0, 0},
    {SYSFS_FILE, DEVICE "/revision", "0xa2\n", 0, 0},
    {SYSFS_FILE, DEVICE "/class", "0x030000\n", 0, 0},
    {SYSFS_FILE, DEVICE "/boot_vga", "1\n", 0, 0},
};

#define INPUT_ENTRIES(number, minor, name, properties)                                             \
    {SYSFS_NODE, "/dev/input/event" #number, "", EVDEV_MAJOR, minor},                              \
        {SYSFS_LINK, CHAR_DEVICE "13:" #minor,                                                     \
         "../../devices/virtual/input/input" #number "/event" #number, 0, 0},                      \
        {SYSFS_LINK, "/sys/class/input/input" #number,                                             \
         "../../devices/virtual/input/input" #number, 0, 0},                                       \
        {SYSFS_LINK, "/sys/class/input/event" #number,                                             \
         "../../devices/virtual/input/input" #number "/event" #number, 0, 0},                      \
        {SYSFS_DIRECTORY, INPUTS "/input" #number, "event" #number " name subsystem uevent", 0,    \
         0},                                                                                       \
        {SYSFS_FILE, INPUTS "/input" #number "/name", name "\n", 0, 0},                            \
        {SYSFS_FILE, INPUTS "/input" #number "/uevent", "NAME=\"" name "\"\n", 0, 0},              \
        {SYSFS_LINK, INPUTS "/input" #number "/subsystem", "../../../../class/input", 0, 0},       \
        {SYSFS_DIRECTORY, INPUTS "/input" #number "/event" #number, "dev device subsystem uevent", \
         0, 0},                                                                                    \
        {SYSFS_FILE, INPUTS "/input" #number "/event" #number "/dev", "13:" #minor "\n", 0, 0},    \
        {SYSFS_FILE, INPUTS "/input" #number "/event" #number "/uevent",                           \
         "MAJOR=13\nMINOR=" #minor "\nDEVNAME=input/event" #number "\n", 0, 0},                    \
        {SYSFS_LINK, INPUTS "/input" #number "/event" #number "/device", "../../input" #number, 0, \
         0},                                                                                       \
        {SYSFS_LINK, INPUTS "/input" #number "/event" #number "/subsystem",                        \
         "../../../../../class/input", 0, 0},                                                      \
        {SYSFS_FILE, UDEV_DATA "c13:" #minor, "I:1\nE:ID_INPUT=1\n" properties "V:1\n", 0, 0},     \
        {SYSFS_FILE, UDEV_DATA "+input:input" #number, "I:1\nE:ID_INPUT=1\n" properties "V:1\n",   \
         0, 0}

/* Entries that exist only if there is a display. They hide the system's input devices. */
static const struct entry display_tree[] = {
    {SYSFS_DIRECTORY, "/dev/input", "event0 event1", 0, 0},
    {SYSFS_DIRECTORY, "/sys/class/input", "event0 event1 input0 input1", 0, 0},
    {SYSFS_ANCESTOR, "/sys/class", "drm input", 0, 0},
    {SYSFS_ANCESTOR, INPUTS, "input0 input1", 0, 0},
    INPUT_ENTRIES(0, 64, "teslapipe keyboard", "E:ID_INPUT_KEY=1\nE:ID_INPUT_KEYBOARD=1\n"),
    INPUT_ENTRIES(1, 65, "teslapipe pointer", "E:ID_INPUT_MOUSE=1\n"),
    {SYSFS_FILE, UDEV_DATA "c226:0", "I:1\nG:seat\nG:master-of-seat\nV:1\n", 0, 0},
    {SYSFS_FILE, UDEV_DATA "c226:128", "I:1\nV:1\n", 0, 0},
};

static const struct entry *find_entry(const char *path) {
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        if (strcmp(tree[i].path, path) == 0)
            return &tree[i];
    for (size_t i = 0; screen_is_there() && i < sizeof display_tree / sizeof *display_tree; i++)
        if (strcmp(display_tree[i].path, path) == 0)
            return &display_tree[i];
    return NULL;
}

/* Appends the components of a path to the canonical path in out[]. Follows links of the fake tree,
 * except in the last component. False if the result does not fit or links are nested too deeply. */
static bool walk_path(const char *path, char *out, size_t size, int depth) {
    for (const char *p = path + strspn(path, "/"), *next; *p; p = next) {
        const size_t length = strcspn(p, "/"), n = strlen(out);
        next = p + length + strspn(p + length, "/");
        if (length == 1 && *p == '.')
            continue;
        if (length == 2 && p[0] == '.' && p[1] == '.') {
            char *slash = strrchr(out, '/');
            if (slash)
                *slash = 0;
            continue;
        }
        if (n + length + 2 > size)
            return false;
        snprintf(out + n, size - n, "/%.*s", (int)length, p);
        const struct entry *e = *next ? find_entry(out) : NULL;
        if (!e || e->kind != SYSFS_LINK)
            continue;
        out[n] = 0;
        if (!depth || !walk_path(e->text, out, size, depth - 1))
            return false;
    }
    return true;
}

bool sysfs_path(const char *base, const char *path, char *out, size_t size) {
    enum { LINKS = 4 };
    *out = 0;
    return (*path == '/' || walk_path(base, out, size, LINKS)) && walk_path(path, out, size, LINKS);
}

struct sysfs_entry sysfs_find(const char *path) {
    static const char *const places[] = {"/sys", "/dev", "/run/udev"};
    struct sysfs_entry e = {.kind = SYSFS_NONE};
    bool near = false;
    for (size_t i = 0; path && *path == '/' && i < sizeof places / sizeof *places; i++)
        near |= strstr(path, places[i]) != NULL; /* also "//dev" or "/usr/../dev" */
    const struct entry *found =
        near && sysfs_path("/", path, e.path, sizeof e.path) ? find_entry(e.path) : NULL;
    if (!found)
        return e;
    e.kind = found->kind;
    e.inode =
        NODE_INODE +
        (found >= display_tree && found < display_tree + sizeof display_tree / sizeof *display_tree
             ? (unsigned)(sizeof tree / sizeof *tree + (size_t)(found - display_tree))
             : (unsigned)(found - tree));
    e.major = found->major;
    e.minor = found->minor;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
    snprintf(e.text, sizeof e.text, found->text, chip_configured()->pci_device);
#pragma GCC diagnostic pop
    return e;
}

struct sysfs_entry sysfs_follow(const char *path) {
    enum { LINKS = 8 };
    struct sysfs_entry e = sysfs_find(path);
    for (int i = 0; i < LINKS && e.kind == SYSFS_LINK; i++) {
        char target[sizeof e.path];
        *strrchr(e.path, '/') = 0;
        if (!sysfs_path(e.path, e.text, target, sizeof target))
            break;
        e = sysfs_find(target);
    }
    return e;
}

bool sysfs_list(const struct sysfs_entry *directory, size_t index, char *name, size_t size) {
    const struct entry *e = find_entry(directory->path);
    const char *at = e ? e->text : "";
    while (index-- && *at) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    return (size_t)snprintf(name, size, "%.*s", (int)strcspn(at, " "), at) < size && *name;
}
