/* Addresses of a memory access of Fermi and generic64, one a lane, and the array of bytes that they
 * point into. Most accesses of a warp stay in one array; such an access is made for all lanes at
 * once. In: an operand and the lanes. Out: offsets in an array. For fermi_place.h and
 * exec_fermi_surface.c; must not know the purpose of the access. Facts: fermi-isa.md §2, §4.4.
 */
#pragma once

#include "shader/fermi.h"
#include "shader/gather.h"

struct lane_addresses {
    u32x32 low, high;
};

/* An array that an operand's addresses point into: addresses [start, start + size). */
struct span {
    uint64_t start, size;
    uint8_t *data;
};

/* Computes the addresses: base register plus offset. */
LANES_INLINE void span_addresses(const struct call *c, const struct operand *o,
                                 struct lane_addresses *a) {
    const bool wide = o->flags & OPERAND_WIDE;
    a->low = lanes_splat(o->value);
    a->high = lanes_splat(wide && (int32_t)o->value < 0 ? ~0u : 0);
    if (o->flags & OPERAND_BASED) {
        a->low += c->w->r[source_row(c->env, o->areg)];
        if (wide) /* a comparison that holds is -1 */
            a->high += c->w->r[source_row(c->env, o->areg + 1u)] -
                       (u32x32)(a->low < lanes_splat(o->value));
    }
    if (o->file != FILE_CONST)
        return;
    a->high = lanes_splat(0);
    if (isa_set_of(c->env->program->variant) != SET_FERMI || !fermi_const_runs_on(op_of(c)))
        a->low &= 0xffff;
}

LANES_INLINE uint64_t span_address(const struct lane_addresses *a, int lane) {
    return a->low[lane] | (uint64_t)a->high[lane] << 32;
}

/* Aligns addresses down. Returns the number of lanes of m where they were not aligned. */
LANES_INLINE uint32_t span_align(struct lane_addresses *a, uint32_t size, lane_mask m) {
    const u32x32 rest = a->low & (size - 1);
    a->low -= rest;
    return size == 1 ? 0 : lanes_count(m & lanes_to_mask((u32x32)(rest != 0)));
}

/* Gathers take offsets below 2^31. */
enum { SPAN_MOST = 0x7fffff00 };

/* The lanes of m whose `size` bytes lie in the array, with their offsets. */
LANES_INLINE lane_mask span_lanes(const struct span *s, const struct lane_addresses *a,
                                  uint32_t size, lane_mask m, u32x32 *offset) {
    const uint32_t start = (uint32_t)s->start;
    const uint32_t end = s->size < SPAN_MOST ? (uint32_t)s->size : SPAN_MOST;
    if (end < size)
        return 0;
    const u32x32 below = (u32x32)(a->low < lanes_splat(start));
    const u32x32 high = a->high - (uint32_t)(s->start >> 32) + below;
    *offset = a->low - start;
    return m & lanes_to_mask((u32x32)(high == 0) & (u32x32)(*offset <= lanes_splat(end - size)));
}

/* True if the value is the same in all lanes of m. m has at least one lane. */
LANES_INLINE bool span_is_uniform(u32x32 v, lane_mask m) {
    return !(m & lanes_to_mask((u32x32)(v != lanes_splat(v[__builtin_ctz(m)]))));
}

LANES_INLINE struct memory_hint *hint_of(const struct call *c) {
    return &c->w->fermi.hint[WARP_HINT(c->l->next)];
}

/* The allocation of the GPU's memory that contains an address. False if there is none. */
LANES_INLINE bool span_of_memory(const struct call *c, uint64_t at, struct span *s) {
    struct memory_hint *hint = hint_of(c);
    uint8_t *const p = memory_near(c->env->memory, hint, at, 1);
    if (!p)
        return false;
    *s = (struct span){hint->address, hint->end - hint->address, p - (at - hint->address)};
    return true;
}

/* True if all lanes' accesses of `bytes` follow each other. */
LANES_INLINE bool span_is_dense(u32x32 offset, uint32_t bytes, lane_mask m) {
    const u32x32 dense = lanes_splat(offset[0]) + bytes * lanes_iota();
    return m == LANES_ALL && lanes_to_mask((u32x32)(offset == dense)) == LANES_ALL;
}

/* True if the accesses of `bytes` of lanes 0 to 7 follow each other in memory, and so do those of
 * each later group of eight lanes. */
LANES_INLINE bool span_is_dense_by_eight(u32x32 offset, uint32_t bytes) {
    const u32x32 first =
        __builtin_shufflevector(offset, offset, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 16,
                                16, 16, 16, 16, 16, 16, 16, 24, 24, 24, 24, 24, 24, 24, 24);
    return lanes_to_mask((u32x32)(offset - first == (lanes_iota() & 7) * bytes)) == LANES_ALL;
}

/* Every second word of 64, from the first or from the second. */
#define SPAN_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define SPAN_EVEN_MORE 32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62
#define SPAN_ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define SPAN_ODD_MORE 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63

LANES_INLINE void span_split(u32x32 a, u32x32 b, u32x32 *even, u32x32 *odd) {
    *even = __builtin_shufflevector(a, b, SPAN_EVEN, SPAN_EVEN_MORE);
    *odd = __builtin_shufflevector(a, b, SPAN_ODD, SPAN_ODD_MORE);
}

/* Splits rows in which the words of all lanes, two or four a lane, follow each other: v[k] gets
 * word k of each lane. */
LANES_INLINE void span_split_rows(const u32x32 row[4], unsigned words, u32x32 *v) {
    u32x32 even[2], odd[2];
    span_split(row[0], row[1], &even[0], &odd[0]);
    if (words == 2) {
        v[0] = even[0];
        v[1] = odd[0];
        return;
    }
    span_split(row[2], row[3], &even[1], &odd[1]);
    span_split(even[0], even[1], &v[0], &v[2]);
    span_split(odd[0], odd[1], &v[1], &v[3]);
}

/* Loads words of all lanes, two or four a lane, that follow each other in memory. */
LANES_INLINE void span_load_dense(const uint8_t *p, unsigned words, u32x32 *v) {
    u32x32 row[4];
    memcpy(row, p, words * sizeof *row);
    span_split_rows(row, words, v);
}

/* The row of four times eight words. The parts stay in registers: a row that was stored in parts is
 * slow to load. */
LANES_INLINE u32x32 span_row(const uint8_t *a, const uint8_t *b, const uint8_t *c,
                             const uint8_t *d) {
    u32x8 part[4];
    memcpy(&part[0], a, sizeof *part);
    memcpy(&part[1], b, sizeof *part);
    memcpy(&part[2], c, sizeof *part);
    memcpy(&part[3], d, sizeof *part);
    const u32x16 low = __builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                               11, 12, 13, 14, 15);
    const u32x16 high = __builtin_shufflevector(part[2], part[3], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                                11, 12, 13, 14, 15);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                   16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}

/* Loads words of all lanes, one, two or four a lane. The words of lanes 0 to 7 follow each other in
 * memory, and so do those of each later group of eight lanes. */
LANES_INLINE void span_load_by_eight(const uint8_t *data, u32x32 offset, unsigned words,
                                     u32x32 *v) {
    const uint8_t *const p[4] = {data + offset[0], data + offset[8], data + offset[16],
                                 data + offset[24]};
    u32x32 row[4];
    if (words == 1) {
        v[0] = span_row(p[0], p[1], p[2], p[3]);
    } else if (words == 2) {
        row[0] = span_row(p[0], p[0] + 32, p[1], p[1] + 32);
        row[1] = span_row(p[2], p[2] + 32, p[3], p[3] + 32);
        span_split_rows(row, 2, v);
    } else {
        for (int i = 0; i < 4; i++)
            row[i] = span_row(p[i], p[i] + 32, p[i] + 64, p[i] + 96);
        span_split_rows(row, 4, v);
    }
}

#define SPAN_ZIP(a, b, from)                                                                       \
    __builtin_shufflevector(                                                                       \
        a, b, from, from + 32, from + 1, from + 33, from + 2, from + 34, from + 3, from + 35,      \
        from + 4, from + 36, from + 5, from + 37, from + 6, from + 38, from + 7, from + 39,        \
        from + 8, from + 40, from + 9, from + 41, from + 10, from + 42, from + 11, from + 43,      \
        from + 12, from + 44, from + 13, from + 45, from + 14, from + 46, from + 15, from + 47)

typedef u32x32 __attribute__((aligned(4), may_alias)) unaligned_row;

/* Stores words of all lanes, one, two or four a lane, that follow each other in memory: *v[k] has
 * word k of each lane. */
LANES_INLINE void span_store_dense(uint8_t *p, unsigned words, const u32x32 *const v[4]) {
    unaligned_row *const to = (unaligned_row *)p;
    if (words == 1) {
        to[0] = *v[0];
    } else if (words == 2) {
        const u32x32 a = *v[0], b = *v[1];
        to[0] = SPAN_ZIP(a, b, 0);
        to[1] = SPAN_ZIP(a, b, 16);
    } else {
        const u32x32 a = *v[0], b = *v[1], c = *v[2], d = *v[3];
        const u32x32 ac = SPAN_ZIP(a, c, 0), bd = SPAN_ZIP(b, d, 0);
        to[0] = SPAN_ZIP(ac, bd, 0);
        to[1] = SPAN_ZIP(ac, bd, 16);
        const u32x32 ac_high = SPAN_ZIP(a, c, 16), bd_high = SPAN_ZIP(b, d, 16);
        to[2] = SPAN_ZIP(ac_high, bd_high, 0);
        to[3] = SPAN_ZIP(ac_high, bd_high, 16);
    }
}

/* Loads `words` words a lane, in the lanes of m. m has at least one lane. */
LANES_INLINE void span_load(const struct span *s, u32x32 offset, unsigned words, lane_mask m,
                            u32x32 *v) {
    const uint8_t *const p = s->data + offset[__builtin_ctz(m)];
    if (span_is_uniform(offset, m)) {
        for (unsigned k = 0; k < words; k++)
            v[k] = lanes_splat(read_word(p + 4 * k));
    } else if (words != 3 && m == LANES_ALL && span_is_dense_by_eight(offset, 4 * words)) {
        span_load_by_eight(s->data, offset, words, v);
    } else {
        for (unsigned k = 0; k < words; k++)
            v[k] = gather_words(s->data + 4 * k, offset, m);
    }
}

/* Stores words, or 1 or 2 bytes, lane by lane in ascending order. */
LANES_INLINE void span_store(const struct span *s, const u32x32 *offset, unsigned bytes,
                             lane_mask m, const u32x32 *v) {
    /* arrays: clang would read a vector's elements through copies */
    uint32_t at[LANES], word[4][LANES];
    if (bytes == 4 && span_is_dense(*offset, 4, m)) {
        memcpy(s->data + (*offset)[0], v, sizeof *v);
        return;
    }
    memcpy(at, offset, sizeof at);
    memcpy(word, v, (bytes + 3) / 4 * sizeof *v);
    if (bytes == 4 && m == LANES_ALL && span_is_dense_by_eight(*offset, 4)) {
        for (int i = 0; i < LANES; i += 8)
            memcpy(s->data + at[i], &word[0][i], 8 * sizeof word[0][i]);
        return;
    }
    for (; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        uint8_t *const p = s->data + at[i];
        if (bytes < 4)
            memcpy(p, &word[0][i], bytes == 2 ? 2 : 1);
        for (unsigned k = 0; 4 * k + 4 <= bytes; k++)
            memcpy(p + 4 * k, &word[k][i], 4);
    }
}

/* Takes the byte or the two bytes at an offset out of the word around them. */
LANES_INLINE u32x32 span_part(u32x32 word, u32x32 offset, unsigned type) {
    const u32x32 v = word >> ((offset & 3) * 8);
    if (type == TYPE_S8)
        return (u32x32)((i32x32)(v << 24) >> 24);
    if (type == TYPE_S16)
        return (u32x32)((i32x32)(v << 16) >> 16);
    return v & (type_bytes(type) == 1 ? 0xff : 0xffff);
}
