/* Keys as the stages of the sampler use them: in each instance some fields are constant, the others
 * come from the binding. Stages take a struct key by value. The constants are in a constant
 * structure. A file that is compiled for one row (TEX_ROW) has one such structure, and compilers
 * leave out code that the row does not need before they optimize the rest. In other files each key
 * points to its structure.
 */
#pragma once

#include "tex/tex.h"

enum { KEY_ANY = 0xff };

enum {
    WRAP_REPEAT,
    WRAP_MIRROR,
    WRAP_EDGE,
    WRAP_BORDER,
    WRAP_CLAMP,
    WRAP_MIRROR_EDGE,
    WRAP_MIRROR_BORDER,
    WRAP_MIRROR_CLAMP
};

struct key {
    const struct tex_key *rest;
    const struct tex_key *fixed; /* fields that are not KEY_ANY; unused with TEX_ROW */
    /* Always constant: */
    bool inside;   /* all footprints are inside of the level, so there is no border */
    bool each;     /* lanes may be in different levels */
    int component; /* the current component, if the key fixes the decoding */
};

#ifdef TEX_ROW
#define KEY_OF_(name) key_##name
#define KEY_OF(name) KEY_OF_(name)
#define KEY_CONSTANT(k, field) KEY_OF(TEX_ROW).field
#else
#define KEY_CONSTANT(k, field) (k).fixed->field
#endif
#define KEY_FIXED(k, field) (KEY_CONSTANT(k, field) != KEY_ANY)
#define KEY(k, field) (KEY_FIXED(k, field) ? KEY_CONSTANT(k, field) : (k).rest->field)
#define KEY_BORDER(k) (!(k).inside && KEY(k, border))

/* Nothing is constant. */
#define KEY_ALL_ANY                                                                                \
    .fetch = KEY_ANY, .sum = KEY_ANY, .decode = KEY_ANY, .width = KEY_ANY, .axes = KEY_ANY,        \
    .wrap = {KEY_ANY, KEY_ANY, KEY_ANY}, .mip = KEY_ANY, .mag_linear = KEY_ANY,                    \
    .min_linear = KEY_ANY, .cube = KEY_ANY, .layers = KEY_ANY, .array = KEY_ANY,                   \
    .seamless = KEY_ANY, .normalized = KEY_ANY, .border = KEY_ANY, .linear = KEY_ANY,              \
    .whole = KEY_ANY, .aniso = KEY_ANY, .offsets = KEY_ANY, .lod = KEY_ANY, .singly = KEY_ANY

/* X(...), or nothing: the base level of an x86-64 leaves out this row to compile faster, a web page
 * to be smaller. Keys of the row then take a more general row. */
#if VEC_LANES == 4 && (defined __x86_64__ || defined __wasm__)
#define MORE(X, ...)
#else
#define MORE(X, ...) X(__VA_ARGS__)
#endif

static const struct tex_key key_any __attribute__((unused)) = {KEY_ALL_ANY};

/* The fields that key_fits() compares: all but `offsets`, which kernel_find() compares. */
#define KEY_FIELDS(X)                                                                              \
    X(fetch)                                                                                       \
    X(sum)                                                                                         \
    X(decode)                                                                                      \
    X(width)                                                                                       \
    X(axes) X(wrap[0]) X(wrap[1]) X(wrap[2]) X(mip) X(mag_linear) X(min_linear) X(cube) X(layers)  \
        X(array) X(seamless) X(normalized) X(border) X(linear) X(whole) X(aniso) X(lod) X(singly)

/* True if a key has the values of an instance's constants. */
static inline bool key_fits(const struct tex_key *fixed, const struct tex_key *key) {
#define X(field)                                                                                   \
    if (fixed->field != KEY_ANY && fixed->field != key->field)                                     \
        return false;
    KEY_FIELDS(X)
#undef X
    return true;
}
