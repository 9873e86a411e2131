/* Surfaces and textures in short: the fields that most tests set, then others as designators. */
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

#endif
