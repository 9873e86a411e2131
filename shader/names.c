/* Names of decode errors, chip variants and program types. Knows no encodings. */
#include "shader/isa/isa.h"

const char *decode_error_name(enum decode_error error) {
    switch (error) {
#define X(e, bit)                                                                                  \
    case DECODE_##e:                                                                               \
        return #e;
        DECODE_ERROR_LIST(X)
#undef X
    case DECODE_OK:
        return "NONE";
    }
    return "UNKNOWN";
}

static const char *const variant_names[ISA_VARIANTS] = {
    [ISA_G80] = "g80",     [ISA_G84] = "g84",     [ISA_G200] = "g200",   [ISA_MCP77] = "mcp77",
    [ISA_GT215] = "gt215", [ISA_GF100] = "gf100", [ISA_GK104] = "gk104", [ISA_G64] = "g64"};
/* CUDA's names of variants. */
static const struct {
    const char *name;
    enum isa_variant variant;
} target_names[] = {{"sm_20", ISA_GF100}, {"sm_21", ISA_GF100}, {"sm_30", ISA_GK104}};
static const char *const type_names[PROGRAM_TYPES] = {
    [PROGRAM_VP] = "vp", [PROGRAM_GP] = "gp",   [PROGRAM_FP] = "fp",
    [PROGRAM_CP] = "cp", [PROGRAM_TCP] = "tcp", [PROGRAM_TEP] = "tep"};
static const char *const stage_names[PROGRAM_TYPES] = {[PROGRAM_VP] = "vertex",
                                                       [PROGRAM_GP] = "geometry",
                                                       [PROGRAM_FP] = "fragment",
                                                       [PROGRAM_CP] = "compute",
                                                       [PROGRAM_TCP] = "tessellation control",
                                                       [PROGRAM_TEP] = "tessellation evaluation"};

static int find_name(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return i;
    return -1;
}

const char *isa_variant_name(enum isa_variant v) {
    return (unsigned)v < ISA_VARIANTS ? variant_names[v] : "unknown";
}

int isa_variant_from_name(const char *name) {
    for (size_t i = 0; i < sizeof target_names / sizeof *target_names; i++)
        if (!strcmp(target_names[i].name, name))
            return target_names[i].variant;
    return find_name(variant_names, ISA_VARIANTS, name);
}

/* Chipset numbers, tesla-isa.md §1. */
enum isa_variant isa_variant_from_chipset(uint32_t chipset) {
    switch (chipset) {
    case 0x50:
        return ISA_G80;
    case 0xa0:
        return ISA_G200;
    case 0xaa:
    case 0xac:
        return ISA_MCP77;
    }
    if (chipset >= 0xc0)
        return ISA_GF100;
    return chipset > 0xa0 ? ISA_GT215 : ISA_G84;
}

const char *program_stage_name(enum program_type t) {
    return (unsigned)t < PROGRAM_TYPES ? stage_names[t] : "unknown";
}

const char *program_type_name(enum program_type t) {
    return (unsigned)t < PROGRAM_TYPES ? type_names[t] : "unknown";
}

int program_type_from_name(const char *name) {
    return find_name(type_names, PROGRAM_TYPES, name);
}
