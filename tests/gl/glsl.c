/* Compares the programs that `teslapipe glsl` wrote with the recorded machine code and state of the
 * corpus:
 *   glsl CORPUS VARIANT FOLDER
 * For each CORPUS/NAME.txt, FOLDER/NAME.vp, .gp and .fp must give the words of CORPUS/NAME.vp.bin
 * ..., except addresses in branches, and headers that agree with the recorded registers. Prints
 * failures and a line "N passed, N failed". */
#define _GNU_SOURCE
#include "shader/isa/isa.h"
#include "shader/program.h"

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned passed, failed;

static void verdict(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void verdict(bool right, const char *format, ...) {
    va_list args;
    passed += right;
    failed += !right;
    if (right)
        return;
    printf("FAIL ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

/* The value of a register in the text of a recording; 0 if the register is missing. */
static uint32_t value_of(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return (uint32_t)strtoul(strchr(line, '=') + 1, NULL, 0);
    }
    return 0;
}

static uint32_t stage_value(const char *text, const char *stage, const char *name) {
    char full[64];
    snprintf(full, sizeof full, "%s_%s", stage, name);
    return value_of(text, full);
}

static char *read_file(const char *path, size_t *size) {
    FILE *in = fopen(path, "r");
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *text = calloc(1, *size + 1);
    if (!text || fread(text, 1, *size, in) != *size)
        exit(2);
    fclose(in);
    return text;
}

/* True if the instructions are the same; branches must go to the same places within the program. */
static bool same_code(const struct program *a, const struct program *b) {
    if (a->word_count != b->word_count)
        return false;
    for (uint32_t i = 0; i < a->word_count; i += a->ops[i].words) {
        const struct op *x = &a->ops[i], *y = &b->ops[i];
        if (x->code != y->code || x->words != y->words ||
            (op_has(x, TRAIT_TARGET) ? x->target - a->base != y->target - b->base
                                     : memcmp(x->w, y->w, sizeof x->w) != 0))
            return false;
    }
    return true;
}

static bool same_map(const struct program_header *h, const char *text, const char *stage,
                     uint32_t const0) {
    if (h->map_size != stage_value(text, stage, "RESULT_MAP_SIZE"))
        return false;
    for (uint32_t i = 0; i < h->map_size; i++) {
        char name[32];
        snprintf(name, sizeof name, "RESULT_MAP(%u)", i / 4);
        const uint32_t word = stage_value(text, stage, name) >> i % 4 * 8 & 0xff;
        const uint32_t want = word < const0 ? word : word == const0 + 1 ? RESULT_ONE : RESULT_ZERO;
        /* the slot of the primitive's number has no word to compare */
        if (h->result_map[i] != want && i != h->slot_primitive_id)
            return false;
    }
    return true;
}

static bool same_slot(uint8_t slot, uint32_t recorded, bool enabled) {
    return slot == (enabled && recorded ? recorded : 0xff);
}

static void check_results(const struct program_header *h, const char *text, const char *name,
                          const char *stage, bool last, uint32_t const0) {
    const uint32_t clip = value_of(text, "SEMANTIC_CLIP"), size = value_of(text, "SEMANTIC_PTSZ");
    verdict(same_map(h, text, stage, const0), "%s: result map of %s", name, stage);
    verdict(h->result_count == stage_value(text, stage, "REG_ALLOC_RESULT"), "%s: results of %s",
            name, stage);
    if (!last)
        return;
    /* if the program writes no size, the state's size is used */
    const uint32_t slot = size >> 4 & 0xff;
    const bool written = size & 1 && slot < h->map_size && h->result_map[slot] < RESULT_ZERO;
    verdict(same_slot(h->slot_point_size, slot, written), "%s: point size", name);
    verdict(same_slot(h->slot_primitive_id, value_of(text, "SEMANTIC_PRIM_ID") & 0xff,
                      !value_of(text, "GP_ENABLE")),
            "%s: number of the primitive", name);
    verdict(h->clip_count == (clip >> 8 & 0xf) && (!h->clip_count || h->slot_clip == (clip & 0xff)),
            "%s: clip distances", name);
}

static void check_vertex(const struct program_header *h, const char *text, const char *name) {
    const bool last = !value_of(text, "GP_ENABLE");
    verdict(h->attr_enable[0] == value_of(text, "VP_ATTR_EN(0)") &&
                h->attr_enable[1] == value_of(text, "VP_ATTR_EN(1)"),
            "%s: attributes", name);
    verdict((h->builtin_enable & ~0x100u) == (value_of(text, "VP_GP_BUILTIN_ATTR_EN") & 0x1011),
            "%s: the inputs for numbers of vertex and instance", name);
    check_results(h, text, name, "VP", last, 0x40);
}

static void check_geometry(const struct program_header *h, const char *text, const char *name) {
    verdict(h->gp_out_primitive == value_of(text, "GP_OUTPUT_PRIMITIVE_TYPE"), "%s: primitive",
            name);
    verdict(h->gp_max_vertices == value_of(text, "GP_VERTEX_OUTPUT_COUNT"), "%s: vertices", name);
    check_results(h, text, name, "GP", true, 0x80);
}

static void check_fragment(const struct program_header *h, const char *text, const char *name) {
    const uint32_t control = value_of(text, "FP_INTERPOLANT_CTRL");
    bool linear = true;
    verdict(h->interpolant_ctrl == control, "%s: interpolants %08x, not %08x", name,
            h->interpolant_ctrl, control);
    verdict(h->fp_results == value_of(text, "FP_RESULT_COUNT"), "%s: results", name);
    verdict(h->fp_control == value_of(text, "FP_CONTROL"), "%s: control", name);
    for (uint32_t i = 0; i < (control >> 16 & 0xff); i++) {
        char bits[32];
        const uint32_t slot = (control >> 8 & 0xff) + i;
        snprintf(bits, sizeof bits, "NOPERSPECTIVE_BITMAP(%u)", slot / 32);
        linear &= ((h->noperspective[slot / 32] ^ value_of(text, bits)) >> slot % 32 & 1) == 0;
    }
    verdict(linear, "%s: words without perspective", name);
}

static void check_stage(const char *corpus, const char *folder, const char *name, const char *text,
                        enum isa_variant variant, enum program_type type) {
    static const char *const upper[] = {"VP", "GP", "FP"};
    const char *const stage = upper[type], *const lower = program_type_name(type);
    char path[PATH_MAX];
    size_t size;
    struct program_error error;
    const struct program_header none = {.reg_count = 64};
    snprintf(path, sizeof path, "%s/%s.%s.bin", corpus, name, lower);
    char *words = read_file(path, &size);
    if (!words)
        return;
    const uint32_t base = stage_value(text, stage, "START_ID");
    struct program *want = program_from_words(type, variant, &none, (uint32_t *)words, size / 4,
                                              base, base, "recorded", &error);
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, lower);
    struct program *got = program_from_file(path, variant, &error);
    verdict(got != NULL, "%s.%s: %s", name, lower, error.text);
    if (got) {
        verdict(same_code(want, got), "%s.%s: other machine code", name, lower);
        verdict(got->header.reg_count == stage_value(text, stage, "REG_ALLOC_TEMP"),
                "%s.%s: registers", name, lower);
        if (type == PROGRAM_VP)
            check_vertex(&got->header, text, name);
        else if (type == PROGRAM_GP)
            check_geometry(&got->header, text, name);
        else
            check_fragment(&got->header, text, name);
    }
    program_unref(got);
    program_unref(want);
    free(words);
}

int main(int argc, char **argv) {
    DIR *dir = argc == 4 ? opendir(argv[1]) : NULL;
    const int variant = argc == 4 ? isa_variant_from_name(argv[2]) : -1;
    if (!dir || variant < 0)
        return 2;
    for (struct dirent *d; (d = readdir(dir));) {
        char path[PATH_MAX], name[64], fragment[PATH_MAX];
        size_t size;
        const size_t length = strlen(d->d_name);
        if (length < 5 || length > 60 || strcmp(d->d_name + length - 4, ".txt") != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length - 4, d->d_name);
        snprintf(path, sizeof path, "%s/%s", argv[1], d->d_name);
        snprintf(fragment, sizeof fragment, "%s/%s.fp.bin", argv[1], name);
        FILE *there = fopen(fragment, "r");
        if (!there)
            continue;
        fclose(there);
        char *text = read_file(path, &size);
        for (int type = PROGRAM_VP; type <= PROGRAM_FP; type++)
            check_stage(argv[1], argv[3], name, text, (enum isa_variant)variant,
                        (enum program_type)type);
        free(text);
    }
    closedir(dir);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
