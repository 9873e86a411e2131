/* Coordinates: cube faces, layers, and the slice of texels that a vector of lanes samples. In:
 * operands. Out: positions on a face or in a volume, and their slice. All arithmetic is exact or a
 * fixed sequence of f32 operations. Must not know formats.
 */
#pragma once

#include "tex/address.h"
#include "tex/request.h"

/* ---- cube faces ---- */

struct cube_coord {
    f32xv s, t; /* -1..1 on the face */
    i32xv face; /* +x -x +y -y +z -z */
};

/* Finds the coordinates of (x, y, z) on a given face; the major component is scaled to 1. */
LANES_INLINE void cube_on_face(f32xv x, f32xv y, f32xv z, i32xv face, struct cube_coord *out) {
    const i32xv axis = face >> 1, negative = -(face & 1);
    const i32xv is_x = axis == 0, is_y = axis == 1;
    const u32xv flip = (u32xv)negative & 0x80000000u;
    const f32xv major = vec_abs(vec_blend_f(is_x, x, vec_blend_f(is_y, y, z)));
    /* +x: (-z, -y)  -x: (z, -y)  +y: (x, z)  -y: (x, -z)  +z: (x, -y)  -z: (-x, -y) */
    const f32xv sx = (f32xv)((u32xv)z ^ 0x80000000u ^ flip);
    const f32xv sz = (f32xv)((u32xv)x ^ flip);
    const f32xv ty = (f32xv)((u32xv)z ^ flip);
    const f32xv one = vec_max_f(major, vec_splat_f(0x1p-20f));
    out->s = vec_blend_f(is_x, sx, vec_blend_f(is_y, x, sz)) / one;
    out->t = vec_blend_f(is_y, ty, -y) / one;
    out->face = face;
}

/* Returns the face of the component with the greatest magnitude; ties go to z, then to y. */
LANES_INLINE i32xv cube_face(f32xv x, f32xv y, f32xv z) {
    const f32xv ax = vec_abs(x), ay = vec_abs(y), az = vec_abs(z);
    const i32xv is_z = (az >= ax) & (az >= ay);
    const i32xv is_y = ~is_z & (ay >= ax);
    const i32xv axis = (is_z & 2) | (is_y & 1);
    const f32xv major = vec_blend_f(is_z, z, vec_blend_f(is_y, y, x));
    return (axis << 1) + (i32xv)((u32xv)major >> 31);
}

/* ---- positions ---- */

struct position {
    f32xv coord[3];   /* s t r; cube: on the face, 0..1 */
    i32xv face;       /* cube: 0..5 */
    f32xv on_face[2]; /* cube: -1..1 */
};

LANES_INLINE void position_load(const struct request *q, struct key k, int vec,
                                struct position *p) {
    if (!KEY(k, cube)) {
        VEC_UNROLL
        for (int i = 0; i < KEY(k, axes); i++)
            p->coord[i] = vec_load(q->coord[i], vec);
        p->face = (i32xv){0};
        return;
    }
    const f32xv x = vec_load(q->coord[0], vec), y = vec_load(q->coord[1], vec),
                z = vec_load(q->coord[2], vec);
    struct cube_coord c;
    cube_on_face(x, y, z, cube_face(x, y, z), &c);
    p->coord[0] = c.s * 0.5f + 0.5f;
    p->coord[1] = c.t * 0.5f + 0.5f;
    p->on_face[0] = c.s;
    p->on_face[1] = c.t;
    p->face = c.face;
}

/* Computes the positions of all vectors that have live lanes. */
LANES_INLINE void positions_load(const struct request *q, struct key k, struct position p[VECS]) {
    for (int vec = 0; vec < VECS; vec++)
        if (vec_mask(q->lanes, vec))
            position_load(q, k, vec, &p[vec]);
}

/* ---- slices ---- */

/* Returns the layers of a vector. Indices beyond the end become the last layer. */
LANES_INLINE u32xv slice_layers(const struct request *q, struct key k, int vec, i32xv face) {
    const struct tex_view *v = q->bound->view;
    const u32xv layer = (u32xv)vec_load(q->layer, vec);
    if (!KEY(k, cube))
        return vec_min_unsigned(layer, v->layers - 1 - (u32xv){0});
    if (q->layer == &no_operand)
        return (u32xv)face;
    return vec_min_unsigned(layer, v->layers / 6 - 1 - (u32xv){0}) * 6 + (u32xv)face;
}

/* Finds the layer or face of each lane, and the place where it begins. In most calls all lanes have
 * the same layer or face. */
LANES_INLINE void slice_find(const struct request *q, struct key k, int vec,
                             const struct position *p, uint32_t mask, struct texel_slice *slice) {
    const struct tex_view *v = q->bound->view;
    const uint32_t stride = (uint32_t)v->layer_stride;
    slice->base = v->data;
    slice->scattered = false;
    if (!KEY(k, layers))
        return;
    const u32xv layer = slice_layers(q, k, vec, p->face);
    uint32_t index[VEC_LANES];
    memcpy(index, &layer, sizeof index);
    const uint32_t one = index[__builtin_ctz(mask)];
    if (vec_where((i32xv)(layer != one)) & mask) {
        slice->layer = layer * stride;
        slice->scattered = true;
    } else {
        slice->base += (size_t)one * stride;
    }
}

/* Sets the slice of a level. If a part of the image is not readable, offsets count from the first
 * byte of the view, so that each offset can be checked. */
LANES_INLINE void slice_enter(struct key k, const struct tex_view *v, int level,
                              const struct texel_slice *of, struct texel_slice *slice) {
    const struct tex_level *l = &v->level[level];
    slice->level = l;
    if (KEY(k, whole)) {
        slice->base = of->base + l->offset;
        slice->scattered = of->scattered;
        if (of->scattered)
            slice->layer = of->layer;
        return;
    }
    const uint32_t offset = (uint32_t)(of->base - v->data + (ptrdiff_t)l->offset);
    slice->layer = (of->scattered ? of->layer : (u32xv){0}) + offset;
    slice->base = v->data;
    slice->scattered = true;
}

/* ---- seams ---- */

/* The neighbours of each face, four entries a face: left, right, above, below. The low three bits
 * of an entry are the neighbouring face. The other bits say how x and y on that face follow from
 * the position along the edge: a coordinate is this position (ALONG) or 0, and with BACK it counts
 * from the other side. */
enum { X_ALONG = 8, X_BACK = 16, Y_ALONG = 32, Y_BACK = 64 };
static const uint32_t cube_edges[24] = {
    4 | X_BACK | Y_ALONG,
    5 | Y_ALONG,
    2 | X_BACK | Y_ALONG | Y_BACK,
    3 | X_BACK | Y_ALONG,
    5 | X_BACK | Y_ALONG,
    4 | Y_ALONG,
    2 | Y_ALONG,
    3 | Y_ALONG | Y_BACK,
    1 | X_ALONG,
    0 | X_ALONG | X_BACK,
    5 | X_ALONG | X_BACK,
    4 | X_ALONG,
    1 | X_ALONG | X_BACK | Y_BACK,
    0 | X_ALONG | Y_BACK,
    4 | X_ALONG | Y_BACK,
    5 | X_ALONG | X_BACK | Y_BACK,
    1 | X_BACK | Y_ALONG,
    0 | Y_ALONG,
    2 | X_ALONG | Y_BACK,
    3 | X_ALONG,
    0 | X_BACK | Y_ALONG,
    1 | Y_ALONG,
    2 | X_ALONG | X_BACK,
    3 | X_ALONG | X_BACK | Y_BACK,
};

/* Returns all ones in the lanes whose entry has the bit. */
LANES_INLINE i32xv cube_edge_bit(u32xv entry, uint32_t bit) {
    return (i32xv)(entry << __builtin_clz(bit)) >> 31;
}

/* Moves cube taps that lie off their face by one texel to the neighbouring face. Lanes on their
 * face get undefined values. A tap beyond a corner is first moved back in x, because only three
 * texels meet at a corner. */
LANES_INLINE void cube_cross_edge(i32xv n, i32xv face, i32xv *x, i32xv *y, i32xv *out_face) {
    const i32xv off_y = (*y < 0) | (*y >= n);
    const i32xv far = (vec_blend_int(off_y, *y, *x) < 0) + 1;
    const i32xv along = vec_min(vec_max(vec_blend_int(off_y, *x, *y), (i32xv){0}), n - 1);
    const u32xv index = (u32xv)(face * 4 + (off_y & 2) + far);
    const u32xv entry = vec_gather_bytes((const uint8_t *)cube_edges, index << 2);
    const i32xv x_back = cube_edge_bit(entry, X_BACK), y_back = cube_edge_bit(entry, Y_BACK);
    *out_face = (i32xv)(entry & 7);
    *x = ((along & cube_edge_bit(entry, X_ALONG)) ^ x_back) + (x_back & n);
    *y = ((along & cube_edge_bit(entry, Y_ALONG)) ^ y_back) + (y_back & n);
}
