/* Reads headers of Fermi's 3D programs: see sph.h. Facts: fermi-isa.md §9. */
#include "shader/sph.h"

enum {
    MAP_FIRST_BIT = 5 * 32, /* of the header: the bit of input word 0 */
    MAP_BITS = 240,         /* words of a map; the outputs follow the inputs */
    LOCAL_MAX = 0x10000,
    ATTRIBUTES = 16
};

static uint32_t bits_of(const uint32_t *word, unsigned n, unsigned at, unsigned count) {
    return word[n] >> at & ((1u << count) - 1);
}

static bool bit_of(const uint32_t *word, unsigned bit) {
    return word[bit / 32] >> bit % 32 & 1;
}

/* True if the header of a stage before the rasterizer names a word as its input or output. */
static bool names(const uint32_t *word, bool output, unsigned a) {
    return a < MAP_BITS && bit_of(word, MAP_FIRST_BIT + (output ? MAP_BITS : 0) + a);
}

/* ---- stages before the rasterizer ---- */

static void number(uint8_t row[A_WORDS], uint8_t *count, unsigned a) {
    if (row[a] == ROW_NONE && *count < ROW_NONE - 1)
        row[a] = (*count)++;
}

static void read_attributes(const uint32_t *word, struct program_header *h,
                            struct attribute_rows *rows) {
    memset(h->attr_enable, 0, sizeof h->attr_enable);
    h->builtin_enable = 0;
    for (unsigned i = 0; i < 4 * ATTRIBUTES; i++)
        if (names(word, false, A_GENERIC + i)) {
            h->attr_enable[i / 32] |= 1u << i % 32;
            number(rows->in, &rows->in_count, A_GENERIC + i);
        }
    if (names(word, false, A_VERTEX_ID)) {
        h->builtin_enable |= BUILTIN_VERTEX_ID;
        number(rows->in, &rows->in_count, A_VERTEX_ID);
    }
    if (names(word, false, A_INSTANCE_ID)) {
        h->builtin_enable |= BUILTIN_INSTANCE_ID;
        number(rows->in, &rows->in_count, A_INSTANCE_ID);
    }
}

static void read_vertices(const uint32_t *word, struct program_header *h,
                          struct attribute_rows *rows) {
    h->builtin_enable = names(word, false, A_PRIMITIVE_ID) ? BUILTIN_PRIMITIVE_ID : 0;
    for (unsigned a = 0; a < MAP_BITS; a++)
        if (a != A_PRIMITIVE_ID && names(word, false, a))
            number(rows->in, &rows->in_count, a);
}

static void read_geometry(const uint32_t *word, struct program_header *h) {
    static const uint8_t primitives[16] = {[1] = 1, [6] = 2, [7] = 3};
    const uint32_t invocations = bits_of(word, 2, 24, 8);
    h->gp_out_primitive = primitives[bits_of(word, 3, 24, 4)];
    h->gp_max_vertices = (uint16_t)bits_of(word, 4, 0, 12);
    h->gp_invocations = (uint8_t)(invocations ? invocations : 1);
    h->gp_streams = (uint8_t)bits_of(word, 0, 28, 4);
}

static void read_control(const uint32_t *word, struct program_header *h) {
    h->patch_words = (uint8_t)bits_of(word, 1, 24, 8);
    h->patch_vertices = (uint8_t)bits_of(word, 2, 24, 8);
}

/* ---- fragment programs ---- */

static bool is_within(unsigned a, unsigned first, unsigned count) {
    return a - first < count;
}

/* The mode of a word by its own bits. */
static enum sph_mode named_mode(const uint32_t *word, unsigned a) {
    enum { SYSTEM = 8, GENERICS = 128, COLORS = 8, SINGLE = 11, TEXTURES = 32 };
    if (is_within(a, A_PRIMITIVE_ID, SYSTEM)) /* flat words, and the position */
        return !bits_of(word, 5, 24 + a - A_PRIMITIVE_ID, 1) ? SPH_OFF
               : a < A_POSITION                              ? SPH_FLAT
                                                             : SPH_LINEAR;
    if (is_within(a, A_CLIP_DISTANCE, SINGLE)) /* also point coordinates, fog: one bit each */
        return bits_of(word, 14, 16 + a - A_CLIP_DISTANCE, 1) ? SPH_PERSPECTIVE : SPH_OFF;
    unsigned two_bits = 0;
    if (is_within(a, A_GENERIC, GENERICS) || is_within(a, A_COLOR, COLORS))
        two_bits = 2 * a;
    else if (is_within(a, A_TEXTURE_COORD, TEXTURES))
        two_bits = 2 * a - 32;
    else
        return SPH_OFF;
    return (enum sph_mode)bits_of(word, 4 + two_bits / 32, two_bits % 32, 2);
}

/* The mode of a word. If any word of a colour is read, all its words are read, in the mode of the
 * first word that is read. */
static enum sph_mode mode_of(const uint32_t *word, unsigned a) {
    enum { VECTOR = 4 };
    enum sph_mode mode = SPH_OFF;
    if (!is_within(a, A_COLOR, 2 * VECTOR))
        return named_mode(word, a);
    for (unsigned k = 0; !mode && k < VECTOR; k++)
        mode = named_mode(word, a / VECTOR * VECTOR + k);
    return mode;
}

static void add_plane(struct attribute_rows *rows, unsigned a, enum sph_mode mode) {
    if (rows->in_count == SPH_PLANES)
        return;
    rows->plane[rows->in_count] = (struct sph_plane){(uint8_t)a, (uint8_t)mode};
    rows->in[a] = rows->in_count++;
}

static void read_planes(const uint32_t *word, struct attribute_rows *rows) {
    for (unsigned a = A_POSITION; a < A_POSITION + 4; a++)
        if (mode_of(word, a))
            add_plane(rows, a, SPH_LINEAR);
    for (unsigned flat = 0; flat < 2; flat++)
        for (unsigned a = 0; a < A_WORDS; a++) {
            const enum sph_mode mode = mode_of(word, a);
            if (mode && (mode == SPH_FLAT) == flat && !is_within(a, A_POSITION, 4))
                add_plane(rows, a, mode);
        }
}

static void read_results(const uint32_t *word, struct program_header *h) {
    const bool mask = word[19] & 1, depth = word[19] & 2;
    unsigned targets = 0;
    for (unsigned i = 0; i < 8; i++)
        targets += bits_of(word, 18, 4 * i, 4) != 0;
    h->fp_targets = word[18];
    h->fp_results = (uint8_t)(4 * targets + mask + depth);
    h->fp_control = (word[0] >> 14 & 1 ? FP_MULTIPLE_RESULTS : 0) |
                    (word[0] >> 15 & 1 ? FP_USES_KILL : 0) | (mask ? FP_EXPORTS_SAMPLE_MASK : 0) |
                    (depth ? FP_EXPORTS_Z : 0);
}

/* ---- all ---- */

static bool is_of_type(const uint32_t *word, enum program_type type) {
    static const uint8_t kinds[PROGRAM_TYPES] = {
        [PROGRAM_VP] = 1, [PROGRAM_GP] = 4, [PROGRAM_FP] = 5, [PROGRAM_TCP] = 2, [PROGRAM_TEP] = 3};
    const uint32_t layout = type == PROGRAM_FP ? 2 : 1, kind = bits_of(word, 0, 10, 4);
    return type != PROGRAM_CP && bits_of(word, 0, 0, 5) == layout && kind == kinds[type];
}

bool sph_read(const uint32_t word[SPH_WORDS], enum program_type type, struct program_header *h,
              struct attribute_rows *rows) {
    const uint32_t local = bits_of(word, 1, 0, 24);
    memset(rows, 0, sizeof *rows);
    memset(rows->in, ROW_NONE, sizeof rows->in);
    memset(rows->out, ROW_NONE, sizeof rows->out);
    h->local_size = local < LOCAL_MAX ? local : LOCAL_MAX;
    h->writes_memory = bits_of(word, 0, 16, 1);
    if (type == PROGRAM_FP) {
        read_planes(word, rows);
        read_results(word, h);
    } else if (type != PROGRAM_CP) {
        if (type == PROGRAM_VP)
            read_attributes(word, h, rows);
        else
            read_vertices(word, h, rows);
        for (unsigned a = 0; a < MAP_BITS; a++)
            if (names(word, true, a))
                number(rows->out, &rows->out_count, a);
    }
    if (type == PROGRAM_GP)
        read_geometry(word, h);
    if (type == PROGRAM_TCP)
        read_control(word, h);
    h->result_count = rows->out_count;
    return is_of_type(word, type);
}
