/* Short forms of surfaces, textures, samplers, targets and draws: first the fields that most tests
 * set, then any other fields as designators. */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#define SURFACE(of, w, h, d, ...)                                                                  \
    (struct surface) {                                                                             \
        .format = (of), .width = (w), .height = (h), .depth = (d), __VA_ARGS__                     \
    }
#define IMAGE(of, kind, w, h, layer_count, level_count, ...)                                       \
    (struct tex_image) {                                                                           \
        .format = (of), .dim = (kind), .width = (w), .height = (h), .depth = 1,                    \
        .layers = (layer_count), .levels = (level_count), __VA_ARGS__                              \
    }
#define SAMPLER(linear, level_filter, ...)                                                         \
    (struct tex_sampler) {                                                                         \
        .mag_linear = (linear), .min_linear = (linear), .mip = (level_filter), __VA_ARGS__         \
    }
#define TEXTURE_INFO(what, of, w, h, ...)                                                          \
    (struct tp_texture_info) {                                                                     \
        .kind = (what), .format = (of), .width = (w), .height = (h), __VA_ARGS__                   \
    }
#define TARGET(at, of, w, h, row, ...)                                                             \
    (struct target_state) {                                                                        \
        .address = (at), .format = (of), .width = (w), .height = (h), .pitch = (row), __VA_ARGS__  \
    }
#define DRAW_INFO(kind, n, ...)                                                                    \
    (struct tp_draw_info) {                                                                        \
        .primitive = (kind), .count = (n), __VA_ARGS__                                             \
    }

#endif
