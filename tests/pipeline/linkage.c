/* The connection of a Fermi's programs (pipeline/state/linkage.h): a word that a stage writes at an
 * address of a[] is read by the next stage at the same address. Result maps, slots and meanings
 * follow from program headers.
 * Rules: fermi-3d.md §5; fermi-isa.md §9. */
#include "pipeline/state/linkage.h"

#include "tests/shader/fermi_stage.h"

static struct program *make(enum program_type type, const uint32_t header[SPH_WORDS]) {
    struct fermi_stage one = {0};
    memcpy(one.header, header, sizeof one.header);
    return stage_program(&one, type, "exit\n", NULL, 0, 0);
}

static void begin(uint32_t header[SPH_WORDS], enum program_type type) {
    header_begin(header, type);
    header[3] = type == PROGRAM_GP ? 7u << 24 : 0; /* triangle strip */
}

static void outputs(uint32_t header[SPH_WORDS], uint32_t address, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        header_out(header, address + 4 * i);
}

static void planes(uint32_t header[SPH_WORDS], uint32_t address, uint32_t words,
                   enum sph_mode mode) {
    for (uint32_t i = 0; i < words; i++)
        header_plane(header, address + 4 * i, mode);
}

static const uint8_t *map_of(const struct state *s, enum program_type type, uint32_t slots) {
    assert_int_equal(s->header[type].map_size, slots);
    return s->header[type].result_map;
}

static struct state s;

static struct program *vp, *gp, *fp;

static void link_them(uint32_t replaced) {
    state_init(&s);
    s.program[PROGRAM_VP] = vp;
    s.program[PROGRAM_GP] = gp;
    s.program[PROGRAM_FP] = fp;
    state_link(&s, replaced);
}

static void drop(void) {
    program_unref(vp);
    program_unref(gp);
    program_unref(fp);
    vp = gp = fp = NULL;
}

/* The position comes first, then the planes that are not flat, then the flat planes. A word that no
 * stage writes is 0, or 1.0 if it is a w. */
TEST(test_planes) {
    uint32_t v[SPH_WORDS], f[SPH_WORDS];
    begin(v, PROGRAM_VP);
    outputs(v, 0x70, 4); /* rows 0 to 3 */
    outputs(v, 0x80, 2); /* rows 4, 5 */
    outputs(v, 0xa0, 4); /* rows 6 to 9 */
    begin(f, PROGRAM_FP);
    planes(f, 0x7c, 1, SPH_LINEAR); /* w of the position */
    planes(f, 0x80, 4, SPH_PERSPECTIVE);
    planes(f, 0xa0, 1, SPH_FLAT);
    planes(f, 0xac, 1, SPH_LINEAR);
    vp = make(PROGRAM_VP, v);
    fp = make(PROGRAM_FP, f);
    link_them(0);
    static const uint8_t expected[] = {0, 1, 2, 3, 4, 5, RESULT_ZERO, RESULT_ONE, 9, 6};
    assert_memory_equal(map_of(&s, PROGRAM_VP, LENGTH(expected)), expected, sizeof expected);
    /* w; five words that are not flat, from slot 4 on; six words in all */
    assert_int_equal(s.header[PROGRAM_FP].interpolant_ctrl, 8u << 24 | 5 << 16 | 4 << 8 | 6);
    assert_int_equal(s.header[PROGRAM_FP].noperspective[0], 1 << 8);
    assert_int_equal(s.semantic.point_size & s.semantic.layer & s.semantic.viewport &
                         s.semantic.clip & s.semantic.color_front & s.semantic.primitive_id,
                     0xff);
    drop();
}

/* Slots of point size, layer, viewport and eight clip distances follow, if the program writes
 * them. */
TEST(test_meanings) {
    uint32_t v[SPH_WORDS];
    begin(v, PROGRAM_VP);
    outputs(v, 0x64, 7);  /* layer, viewport, point size, position: rows 0 to 6 */
    outputs(v, 0x2c4, 2); /* clip distances 1 and 2: rows 7, 8 */
    vp = make(PROGRAM_VP, v);
    link_them(0);
    static const uint8_t expected[] = {
        3, 4, 5,          6,           2,           0,           1,         RESULT_ZERO,
        7, 8, RESULT_ONE, RESULT_ZERO, RESULT_ZERO, RESULT_ZERO, RESULT_ONE};
    assert_memory_equal(map_of(&s, PROGRAM_VP, LENGTH(expected)), expected, sizeof expected);
    assert_int_equal(s.semantic.point_size, 4);
    assert_int_equal(s.semantic.layer, 5);
    assert_int_equal(s.semantic.viewport, 6);
    assert_int_equal(s.semantic.clip, 7);
    assert_int_equal(s.semantic.clip_count, 8);
    drop();
}

/* A colour has a slot for its back side: the back colour if the program writes it, otherwise the
 * colour itself. In points, point coordinates are replaced. */
TEST(test_colors_and_points) {
    uint32_t v[SPH_WORDS], f[SPH_WORDS];
    begin(v, PROGRAM_VP);
    outputs(v, 0x70, 4);
    outputs(v, 0x280, 4); /* rows 4 to 7 */
    outputs(v, 0x2a0, 2); /* rows 8, 9 */
    begin(f, PROGRAM_FP);
    planes(f, 0x280, 1, SPH_PERSPECTIVE); /* one word is read, but all four get slots */
    planes(f, 0x2e0, 2, SPH_PERSPECTIVE); /* point coordinates */
    vp = make(PROGRAM_VP, v);
    fp = make(PROGRAM_FP, f);
    link_them(0);
    static const uint8_t expected[] = {0, 1,           2,           3, 4, 5, 6,
                                       7, RESULT_ZERO, RESULT_ZERO, 8, 9, 6, 7};
    assert_memory_equal(map_of(&s, PROGRAM_VP, LENGTH(expected)), expected, sizeof expected);
    assert_int_equal(s.semantic.color_front, 4);
    assert_int_equal(s.semantic.color_count, 4);
    assert_int_equal(s.semantic.color_back, 10);
    assert_int_equal(s.point_coord_map[1], 0x21);
    drop();
}

/* The map of a stage before a geometry program contains the rows that this program reads. The
 * primitive id is the word that the last program writes at a[0x40], or else the pipeline's
 * number. */
TEST(test_stages) {
    uint32_t v[SPH_WORDS], g[SPH_WORDS], f[SPH_WORDS];
    begin(v, PROGRAM_VP);
    outputs(v, 0x80, 1); /* row 0 */
    outputs(v, 0x90, 1); /* row 1 */
    begin(g, PROGRAM_GP);
    header_in(g, 0x8c);  /* row 0 */
    header_in(g, 0x90);  /* row 1 */
    outputs(g, 0x40, 1); /* row 0 */
    outputs(g, 0x70, 4);
    begin(f, PROGRAM_FP);
    planes(f, 0x60, 1, SPH_FLAT);
    vp = make(PROGRAM_VP, v);
    fp = make(PROGRAM_FP, f);
    link_them(0);
    assert_int_equal(s.semantic.primitive_id, 4);
    gp = make(PROGRAM_GP, g);
    link_them(0);
    static const uint8_t before[] = {RESULT_ONE, 1}, last[] = {1, 2, 3, 4, 0};
    assert_memory_equal(map_of(&s, PROGRAM_VP, LENGTH(before)), before, sizeof before);
    assert_memory_equal(map_of(&s, PROGRAM_GP, LENGTH(last)), last, sizeof last);
    assert_int_equal(s.semantic.primitive_id, 0xff);
    drop();
}

/* More words than slots: the excess words get no slot, and nothing is written behind the map. */
TEST(test_too_many) {
    uint32_t v[SPH_WORDS], f[SPH_WORDS];
    begin(v, PROGRAM_VP);
    begin(f, PROGRAM_FP);
    memset(v + 1, 0xff, sizeof v - sizeof *v);
    memset(f + 1, 0xff, sizeof f - sizeof *f);
    vp = make(PROGRAM_VP, v);
    fp = make(PROGRAM_FP, f);
    link_them(0xff);
    assert_in_range(s.header[PROGRAM_VP].map_size, 4, RESULT_MAP_SLOTS);
    for (uint32_t word = 0; word < 2 * A_WORDS; word++)
        (void)state_link_word(&s, word);
    assert_int_equal(s.header[PROGRAM_VP].map_size, RESULT_MAP_SLOTS);
    assert_int_equal(state_link_word(&s, 0x70 / 4), 0); /* the position has a slot */
    assert_int_equal(state_link_word(&s, 0x3fc / 4), 0xff);
    drop();
}

/* All that OpenGL lets a program write has slots: 31 varyings of four words, position, size, layer,
 * viewport and eight clip distances. Words that are captured, too, need no second slot, but for
 * colours, which may be clamped. */
TEST(test_most_words) {
    uint32_t v[SPH_WORDS], f[SPH_WORDS];
    begin(v, PROGRAM_VP);
    begin(f, PROGRAM_FP);
    outputs(v, 0x64, 3 + 4 + 4 * 31); /* layer, viewport, size, position, varyings */
    outputs(v, 0x280, 4);             /* a colour */
    outputs(v, 0x2c0, 8);
    planes(f, 0x80, 4 * 30, SPH_PERSPECTIVE);
    planes(f, 0x280, 4, SPH_PERSPECTIVE);
    vp = make(PROGRAM_VP, v);
    fp = make(PROGRAM_FP, f);
    link_them(0);
    const uint32_t first = s.semantic.clip, size = s.header[PROGRAM_VP].map_size;
    assert_int_equal(s.semantic.clip_count, 8);
    assert_in_range(s.semantic.point_size, 4, size - 1);
    assert_in_range(s.semantic.layer, 4, size - 1);
    assert_in_range(s.semantic.viewport, 4, size - 1);
    assert_in_range(first, 4, size - 8);
    assert_int_equal(s.semantic.color_count, 4);
    for (uint32_t i = 0; i < 4 * 30; i++)
        assert_int_equal(state_link_word(&s, 0x80 / 4 + i), 4 + i);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(state_link_word(&s, 0x2c0 / 4 + i), first + i);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(state_link_word(&s, 0x70 / 4 + i), i);
    assert_int_equal(s.header[PROGRAM_VP].map_size, size);
    assert_int_equal(state_link_word(&s, 0x280 / 4), size);
    drop();
}
