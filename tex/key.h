/* How the sampler's stages see their key: a part of it is constant in each instance, the rest comes
 * from the binding. What is constant lies in a constant structure, so that compilers fold it at
 * once, whatever else they know. Stages take a struct key by value.
 */
#ifndef TEX_KEY_H
#define TEX_KEY_H

#include "tex/tex.h"

enum { KEY_ANY = 0xff };

struct key {
    const struct tex_key *fixed; /* fields that are not KEY_ANY */
    const struct tex_key *rest;
};

#define KEY(k, field) ((k).fixed->field != KEY_ANY ? (k).fixed->field : (k).rest->field)

/* Nothing is constant. */
#define KEY_ALL_ANY                                                                                \
    .fetch = KEY_ANY, .sum = KEY_ANY, .axes = KEY_ANY, .wrap = {KEY_ANY, KEY_ANY, KEY_ANY},          \
    .mip = KEY_ANY, .mag_linear = KEY_ANY, .min_linear = KEY_ANY, .cube = KEY_ANY,                   \
    .layers = KEY_ANY, .array = KEY_ANY, .seamless = KEY_ANY, .normalized = KEY_ANY, .border = KEY_ANY,                \
    .linear = KEY_ANY, .whole = KEY_ANY, .aniso = KEY_ANY, .offsets = KEY_ANY, .lod = KEY_ANY
static const struct tex_key key_any = {KEY_ALL_ANY};

#endif
