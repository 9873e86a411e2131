/* Shadows of textures (pipeline/debug/texel_shadow.h): an instruction may request the shadows of
 * all its slots, whatever was requested before, and all are valid at the same time. */
#include "pipeline/debug/texel_shadow.h"
#include "tests/test.h"
#include "tests/shapes.h"

enum { TEXTURES = 300, SLOTS = 128, SIZE = 8 };

static bool nothing(void *self, uint64_t address, uint64_t size) {
    (void)self, (void)address, (void)size;
    return false;
}

static uint64_t no_changes(void *self) {
    (void)self;
    return 0;
}

struct texture {
    struct tex_view view;
    struct tex_bound bound;
};

static void make_texture(struct texture *t, struct gpu_memory *memory, enum pixel_format format,
                         const struct tex_sampler *sampler) {
    struct tex_image image = IMAGE(format, TEX_2D, SIZE, SIZE, 1, 1, .normalized = true);
    uint32_t tic[8];
    image.address = memory_alloc(memory, tex_image_layout(&image, NULL, NULL), 256);
    assert_true(image.address != 0);
    tex_image_tic(&image, 0, 0, tic);
    assert_int_equal(tex_view_decode(tic, memory, &t->view, NULL, 0), 0);
    tex_bind(&t->bound, &t->view, sampler, 0, SIMD_BASE);
}

/* Samples the shadow. The result is not 0, because no texel was written. */
static void check_sample(const struct tex_binding *shadow, uint32_t slot) {
    const struct tex_call call = {.op = TEX_OP_LOD, .source_count = 3, .result_mask = 1};
    u32x32 reg[4] = {{0}};
    assert_non_null(shadow);
    shadow->kernel[TEX_OP_LOD](shadow, &call, reg, LANES_ALL);
    if (lanes_to_mask((u32x32)(reg[0] != 0)) != LANES_ALL)
        fail_msg("slot %u: a texel counts as written", slot);
}

TEST(test_all_slots_are_valid_together) {
    static struct texture texture[TEXTURES];
    static const struct tex_sampler sampler = {.mip = 1, .max_lod = 15, .max_anisotropy = 1};
    const struct written_memory written = {NULL, nothing, nothing, no_changes};
    struct gpu_memory *memory = memory_create(64 << 20, -1);
    struct texel_shadows *shadows = texel_shadows_create(&written);
    assert_non_null(memory);
    assert_non_null(shadows);
    for (int i = 0; i < TEXTURES; i++)
        make_texture(&texture[i], memory, FORMAT_RGBA8_UNORM, &sampler);
    for (uint32_t first = 0; first + SLOTS <= TEXTURES; first += 43) {
        const struct tex_binding *of_slot[SLOTS];
        for (uint32_t i = 0; i < SLOTS; i++)
            of_slot[i] =
                texel_shadow(shadows, memory, &texture[first + SLOTS - 1 - i].bound.binding, i);
        for (uint32_t i = 0; i < SLOTS; i++)
            check_sample(of_slot[i], i);
    }
    assert_false(texel_shadows_incomplete(shadows));
    texel_shadows_free(shadows);
    memory_destroy(memory);
}

/* The memory below *self has been written. */
static bool below(void *self, uint64_t address, uint64_t) {
    return address < *(const uint64_t *)self;
}

/* Integers are not filtered, so a texel's result does not depend on its neighbours. */
TEST(test_integers_beside_unwritten_texels) {
    static const enum pixel_format formats[] = {FORMAT_RGBA8_UINT, FORMAT_R32_UINT,
                                                FORMAT_RGBA32_SINT, FORMAT_RGBA8_UNORM};
    static const struct tex_sampler sampler = {
        .wrap = {2, 2, 2}, .mip = 1, .max_lod = 15, .mag_linear = true, .min_linear = true};
    for (size_t i = 0; i < LENGTH(formats); i++) {
        struct gpu_memory *memory = memory_create(64 << 20, -1);
        struct texture t;
        make_texture(&t, memory, formats[i], &sampler);
        uint64_t written =
            memory_address(memory, t.view.data) + format_info(formats[i])->bytes; /* one texel */
        const struct written_memory of = {&written, below, nothing, no_changes};
        struct texel_shadows *shadows = texel_shadows_create(&of);
        const struct tex_binding *shadow = texel_shadow(shadows, memory, &t.bound.binding, 0);
        const struct tex_call call = {.op = TEX_OP_LOD, .source_count = 3, .result_mask = 1};
        u32x32 reg[4] = {(u32x32)lanes_splat_f(0.9f / SIZE), (u32x32)lanes_splat_f(0.9f / SIZE)};
        shadow->kernel[TEX_OP_LOD](shadow, &call, reg, LANES_ALL);
        assert_int_equal(reg[0][0] == 0, i < 3);
        texel_shadows_free(shadows);
        memory_destroy(memory);
    }
}
