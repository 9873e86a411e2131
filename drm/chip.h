/* The chips that a render node can stand for, with their names for --chip and TESLAPIPE_CHIP.
 * Included by the node and by `teslapipe gl`.
 */
#pragma once

#include "teslapipe.h"

#include <stdlib.h>
#include <strings.h>

struct chip {
    const char *name;
    uint32_t chipset; /* NVIDIA's number */
    enum tp_chip variant;
    uint16_t pci_device;
    /* The answer to GRAPH_UNITS. Tesla: a mask of TPs in bits 0-15, a mask of MPs per TP from bit
     * 24 on. Fermi: the number of GPCs in bits 0-7, the number of MPs from bit 8 on. */
    uint32_t units;
};

/* PCI id and unit counts of a common board of each chip. */
static const struct chip chips[] = {
    {"gt215", 0xa3, TP_CHIP_GT215, 0x0ca3, 0x0700000f},
    {"gt216", 0xa5, TP_CHIP_GT215, 0x0a20, 0x07000003},
    {"gt218", 0xa8, TP_CHIP_GT215, 0x0a65, 0x03000001},
    {"mcp89", 0xaf, TP_CHIP_GT215, 0x08a0, 0x07000003},
    {"g80", 0x50, TP_CHIP_G80, 0x0191, 0x030000ff},
    {"g84", 0x84, TP_CHIP_G84, 0x0400, 0x03000003},
    {"g86", 0x86, TP_CHIP_G84, 0x0422, 0x03000001},
    {"g92", 0x92, TP_CHIP_G84, 0x0611, 0x030000ff},
    {"g94", 0x94, TP_CHIP_G84, 0x0622, 0x0300000f},
    {"g96", 0x96, TP_CHIP_G84, 0x0640, 0x03000003},
    {"g98", 0x98, TP_CHIP_G84, 0x06e4, 0x01000001},
    {"g200", 0xa0, TP_CHIP_G200, 0x05e1, 0x070003ff},
    {"mcp77", 0xaa, TP_CHIP_MCP77, 0x0848, 0x01000001},
    {"mcp79", 0xac, TP_CHIP_MCP77, 0x0861, 0x03000001},
    {"gf100", 0xc0, TP_CHIP_GF100, 0x06c0, 0x0f04},
    {"gf108", 0xc1, TP_CHIP_GF100, 0x0de1, 0x0201},
    {"gf106", 0xc3, TP_CHIP_GF100, 0x0dc4, 0x0401},
    {"gf104", 0xc4, TP_CHIP_GF100, 0x0e22, 0x0702},
    {"gf110", 0xc8, TP_CHIP_GF100, 0x1080, 0x1004},
    {"gf114", 0xce, TP_CHIP_GF100, 0x1200, 0x0802},
    {"gf116", 0xcf, TP_CHIP_GF100, 0x1244, 0x0401},
    {"gf117", 0xd7, TP_CHIP_GF100, 0x1140, 0x0201},
    {"gf119", 0xd9, TP_CHIP_GF100, 0x104a, 0x0101},
};

/* Finds a chip by name or hexadecimal number ("0xa3"); NULL if there is none. */
static inline const struct chip *chip_find(const char *name) {
    char *end;
    const unsigned long number = strtoul(name, &end, 16);
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (strcasecmp(name, chips[i].name) == 0 || (!*end && number == chips[i].chipset))
            return &chips[i];
    return NULL;
}
