/* The stencils of operations that Fermi and generic64 compute differently from Tesla, made of the
 * handlers in exec_fermi_*.c, as in stencils.c; and those of their predicates, their loads and
 * stores of words, and their loops that wait for locks. Compiled apart, because denormals count:
 * these stencils also run where MXCSR keeps denormals. STENCIL_FLUSH makes the operations with FTZ,
 * for programs in which MXCSR flushes; STENCIL_STRIPS makes stencils for strips, as in stencils.c.
 */
#if defined(__AVX512F__) || defined(STENCIL_STRIPS)
#define STENCIL_RAW_NAN
#else
#define STENCIL_RARE_NAN
#endif
#include "shader/exec_fermi_float.c"
#include "shader/exec_fermi_int.c"
#include "shader/fermi_span.h"
#include "shader/native/stencil_code.h"

static const struct program fermi_program = {.type = PROGRAM_CP, .variant = ISA_GF100};
static const struct warp_env fermi_env = {.program = &fermi_program};

#define OPERATION(name, handler, lanes, result, ...)                                               \
    HANDLER_STENCIL(name, lanes, (__VA_ARGS__), {                                                  \
        struct call call = {w, &fermi_env, &linked, m, SHAPE_ANY, &io};                            \
        io.flags = (struct flags *)((char *)w + (intptr_t)HOLE_FLAGS);                             \
        do_##handler(&call);                                                                       \
        result(io.out);                                                                            \
    })
#define X(name, handler, ...)                                                                      \
    OPERATION(name, handler, LANES_ALL, RESULT, .cdst = NO_FLAGS_DST, __VA_ARGS__)                 \
    IN_MEMORY(OPERATION(name##_m, handler, m, RESULT_MASKED, .cdst = NO_FLAGS_DST, __VA_ARGS__))
#if defined(STENCIL_FLUSH)
SHAPE_FTZ_LIST(X)
#if defined(__AVX2__)
SHAPE_FTZ_CVT_LIST(X)
#endif
#else
SHAPE_FERMI_LIST(X)
#if defined(__AVX2__)
SHAPE_FERMI_CVT_LIST(X)
#endif
#endif
#undef X

#if !defined(STENCIL_FLUSH) && !defined(STENCIL_STRIPS)
#define X(name, handler, ...)                                                                      \
    OPERATION(name, handler, LANES_ALL, RESULT, __VA_ARGS__)                                       \
    OPERATION(name##_m, handler, m, RESULT_MASKED, __VA_ARGS__)
SHAPE_FERMI_FLAGS_LIST(X)
#undef X

#if defined(__AVX2__)
/* ---- loads and stores of words: each lane's address is its base plus HOLE_AT */

/* Where the words of the lanes m lie: at data + offset; if `uniform`, at data for all lanes. */
struct places {
    const uint8_t *data;
    u32x32 offset;
    bool uniform;
};

/* The word of one lane of a source. */
#if defined(__AVX512F__)
static inline uint32_t lane_of(u32x32 v, int lane) {
    /* with a known lane, clang would use an instruction whose registers cannot be renamed */
    __asm__("" : "+r"(lane));
    const union row r = {.v = v};
    const __m512i word = _mm512_permutex2var_epi32(r.h[0], _mm512_set1_epi32(lane), r.h[1]);
    return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(word));
}
#define LANE_OF(n, x, lane) lane_of(SOURCE(n, x), lane)
#else
#define LANE_OF(n, x, lane) (AT_WARP(const uint32_t, HOLE_S##n)[lane])
#endif

static inline bool differ(u32x32 v, uint32_t word, lane_mask m) {
    return m & lanes_to_mask((u32x32)(v != lanes_splat(word)));
}

/* Finds words of an array of `size` bytes. first: the base of one lane of m. wrap: the bits of
 * addresses. False: an address is out of range or not aligned; then the handler executes the
 * instruction. */
static inline bool array_places(const uint8_t *data, uint32_t size, uint32_t wrap, u32x32 base,
                                uint32_t first, uint32_t bytes, uint32_t align, lane_mask m,
                                struct places *p) {
    const uint32_t plus = (uint32_t)(uintptr_t)HOLE_AT, at = (first + plus) & wrap;
    if (at & (align - 1) || at >= size || bytes > size - at)
        return false;
    p->data = data;
    p->uniform = !differ(base, first, m);
    if (p->uniform) {
        p->data += at;
        return true;
    }
    p->offset = (base + plus) & wrap;
    return !(m & lanes_to_mask((u32x32)(((base ^ first) & (align - 1)) != 0) |
                               (u32x32)(p->offset > lanes_splat(size - bytes))));
}

/* The view of c[] in the environment. Addresses have 16 bits. */
#define CONST_VIEW ((const struct const_view *)((const char *)env + (intptr_t)HOLE_VIEW))

/* Finds words of g[] in the allocation that the warp's hint at HOLE_VIEW names. False, too, if
 * lanes have different high words of the base. */
static inline bool global_places(const struct warp *w, u32x32 low, u32x32 high, uint32_t first,
                                 uint32_t first_high, uint32_t bytes, uint32_t align, lane_mask m,
                                 struct places *p) {
    const struct memory_hint *const hint = AT_WARP(const struct memory_hint, HOLE_VIEW);
    const uint64_t base =
        ((uint64_t)first_high << 32) + (uint64_t)(int64_t)(int32_t)(intptr_t)HOLE_AT;
    const uint64_t at = base + first, into = at - hint->address;
    const uint64_t size = hint->end - hint->address;
    if (at & (align - 1) || into >= size || bytes > size - into || differ(high, first_high, m))
        return false;
    p->uniform = !differ(low, first, m);
    if (p->uniform) {
        p->data = w->fermi.host + at;
        return true;
    }
    const uint64_t below = hint->address > base ? hint->address - base : 0;
    const uint64_t end = hint->end - bytes - base - below;
    const uint64_t most = UINT32_MAX - below < end ? UINT32_MAX - below : end;
    p->data = w->fermi.host + base + below;
    p->offset = low - (uint32_t)below;
    return !(m & lanes_to_mask((u32x32)(((low ^ first) & (align - 1)) != 0) |
                               (u32x32)(p->offset > lanes_splat(most < SPAN_MOST ? (uint32_t)most
                                                                                 : SPAN_MOST))));
}

LANES_INLINE void load_places(const struct places *p, unsigned words, lane_mask m, u32x32 *v) {
    if (p->uniform) {
        for (unsigned k = 0; k < words; k++)
            v[k] = lanes_splat(read_word(p->data + 4 * k));
    } else if (words != 3 && span_is_dense(p->offset, 4 * words, m)) {
        const uint8_t *const from = p->data + p->offset[0];
        if (words == 1)
            memcpy(v, from, sizeof *v);
        else
            span_load_dense(from, words, v);
    } else {
        for (unsigned k = 0; k < words; k++)
            v[k] = gather_words(p->data + 4 * k, p->offset, m);
    }
}

#define SHARED_PLACES(bytes, align)                                                                \
    array_places(w->cta->s, w->cta->s_size, UINT32_MAX, SOURCE(0, a), LANE_OF(0, a, first), bytes, \
                 align, m, &places)
#define CONST_PLACES(bytes, align)                                                                 \
    array_places(CONST_VIEW->data, CONST_VIEW->size, 0xffff, SOURCE(0, a), LANE_OF(0, a, first),   \
                 bytes, align, m, &places)
#define GLOBAL_PLACES(bytes, align)                                                                \
    global_places(w, SOURCE(0, a), SOURCE(1, b), LANE_OF(0, a, first), LANE_OF(1, b, first),       \
                  bytes, align, m, &places)

#define LOAD(name, find)                                                                           \
    STENCIL(name) {                                                                                \
        const int first = __builtin_ctz(m | 1u << 31);                                             \
        struct places places;                                                                      \
        u32x32 v = lanes_splat(0);                                                                 \
        if (m) {                                                                                   \
            if (__builtin_expect(!find(4, 4), 0)) {                                                \
                NO_RESULT;                                                                         \
                GO(SLOW);                                                                          \
            }                                                                                      \
            load_places(&places, 1, m, &v);                                                        \
        }                                                                                          \
        RESULT(v);                                                                                 \
    }
LOAD(shared_load, SHARED_PLACES)
LOAD(global_load, GLOBAL_PLACES)
LOAD(const_load, CONST_PLACES)

/* Loads two to four words to rows in memory. HOLE_FLAGS: the alignment in bytes. */
#define LOAD_WORDS(name, find, words)                                                              \
    STENCIL(name) {                                                                                \
        const int first = __builtin_ctz(m | 1u << 31);                                             \
        struct places places;                                                                      \
        u32x32 v[4];                                                                               \
        if (m) {                                                                                   \
            if (__builtin_expect(!find(4 * words, (uint32_t)(uintptr_t)HOLE_FLAGS), 0))            \
                GO(SLOW);                                                                          \
            load_places(&places, words, m, v);                                                     \
            lanes_store(AT_WARP(u32x32, HOLE_D), v[0], m);                                         \
            lanes_store(AT_WARP(u32x32, HOLE_D1), v[1], m);                                        \
            if (words > 2)                                                                         \
                lanes_store(AT_WARP(u32x32, HOLE_D2), v[2], m);                                    \
            if (words > 3)                                                                         \
                lanes_store(AT_WARP(u32x32, HOLE_D3), v[3], m);                                    \
        }                                                                                          \
        GO(NEXT);                                                                                  \
    }
LOAD_WORDS(shared_load_2, SHARED_PLACES, 2)
LOAD_WORDS(shared_load_3, SHARED_PLACES, 3)
LOAD_WORDS(shared_load_4, SHARED_PLACES, 4)
LOAD_WORDS(global_load_2, GLOBAL_PLACES, 2)
LOAD_WORDS(global_load_3, GLOBAL_PLACES, 3)
LOAD_WORDS(global_load_4, GLOBAL_PLACES, 4)
LOAD_WORDS(const_load_2, CONST_PLACES, 2)
LOAD_WORDS(const_load_3, CONST_PLACES, 3)
LOAD_WORDS(const_load_4, CONST_PLACES, 4)

/* Stores rows if all 32 lanes write and their words follow each other in memory; the handler does
 * all other stores. may: the lanes of m that may write. HOLE_FLAGS: the alignment in bytes. */
#define STORE_WORDS(name, find, may, words)                                                        \
    STENCIL(name) {                                                                                \
        const int first = __builtin_ctz(m | 1u << 31);                                             \
        struct places places;                                                                      \
        if (m) {                                                                                   \
            if (__builtin_expect(                                                                  \
                    (may) != LANES_ALL || !find(4 * words, (uint32_t)(uintptr_t)HOLE_FLAGS) ||     \
                        places.uniform || !span_is_dense(places.offset, 4 * words, LANES_ALL),     \
                    0))                                                                            \
                GO(SLOW);                                                                          \
            uint8_t *const to = (uint8_t *)places.data + places.offset[0];                         \
            const u32x32 *const v[4] = {                                                           \
                AT_WARP(const u32x32, HOLE_D), AT_WARP(const u32x32, HOLE_D1),                     \
                AT_WARP(const u32x32, HOLE_D2), AT_WARP(const u32x32, HOLE_D3)};                   \
            span_store_dense(to, words, v);                                                        \
        }                                                                                          \
        GO(NEXT);                                                                                  \
    }
STORE_WORDS(shared_store, SHARED_PLACES, m, 1)
STORE_WORDS(shared_store_2, SHARED_PLACES, m, 2)
STORE_WORDS(shared_store_4, SHARED_PLACES, m, 4)
STORE_WORDS(global_store, GLOBAL_PLACES, m & ~w->dead, 1)
STORE_WORDS(global_store_2, GLOBAL_PLACES, m & ~w->dead, 2)
STORE_WORDS(global_store_4, GLOBAL_PLACES, m & ~w->dead, 4)
#endif

/* Runs all rounds of a loop that waits for locks, and goes on behind the loop (TARGET). If it
 * cannot, the code of the loop follows (NEXT). */
STENCIL(lock_loop) {
    const bool done = HOLE_64(exec_fermi_lock_loop_fn *, HOLE_FN)(
        w, env, HOLE_64(const struct linked_op *, HOLE_LINKED), m, (uint32_t)(uintptr_t)HOLE_AT);
    NO_ROWS;
    if (done)
        GO(TARGET);
    GO(NEXT);
}

/* ---- predicates: HOLE_FLAGS, HOLE_VIEW and HOLE_AT are their places, in bytes from the warp */

STENCIL(guard) {
    m = active & *AT_WARP(const lane_mask, HOLE_FLAGS);
    GO(NEXT);
}

STENCIL(guard_not) {
    m = active & ~*AT_WARP(const lane_mask, HOLE_FLAGS);
    GO(NEXT);
}

/* Combines a comparison (all ones in the lanes where it holds) with the predicate at HOLE_AT and
 * writes the result to HOLE_FLAGS; writes the combination with the inverted comparison to
 * HOLE_VIEW. */
#define PSET(name, lanes, with)                                                                    \
    STENCIL(name) {                                                                                \
        const lane_mask holds = lanes_to_mask(SOURCE(0, a));                                       \
        const lane_mask p = *AT_WARP(const lane_mask, HOLE_AT);                                    \
        lane_mask *const first = AT_WARP(lane_mask, HOLE_FLAGS);                                   \
        lane_mask *const second = AT_WARP(lane_mask, HOLE_VIEW);                                   \
        *first = (*first & ~(lanes)) | (fermi_logic(with, holds, p) & (lanes));                    \
        *second = (*second & ~(lanes)) | (fermi_logic(with, ~holds, p) & (lanes));                 \
        GO(NEXT);                                                                                  \
    }
PSET(pset_and, LANES_ALL, PLOGIC_AND)
PSET(pset_or, LANES_ALL, PLOGIC_OR)
PSET(pset_xor, LANES_ALL, PLOGIC_XOR)
PSET(pset_and_m, m, PLOGIC_AND)
PSET(pset_or_m, m, PLOGIC_OR)
PSET(pset_xor_m, m, PLOGIC_XOR)

STENCIL(pset) {
    *AT_WARP(lane_mask, HOLE_FLAGS) = lanes_to_mask(SOURCE(0, a));
    GO(NEXT);
}

STENCIL(pset_m) {
    lane_mask *const p = AT_WARP(lane_mask, HOLE_FLAGS);
    *p = (*p & ~m) | (lanes_to_mask(SOURCE(0, a)) & m);
    GO(NEXT);
}

STENCIL(selp) {
    RESULT(lanes_select(*AT_WARP(const lane_mask, HOLE_FLAGS), SOURCE(0, a), SOURCE(1, b)));
}

#if !defined(__AVX512F__)
STENCIL(selp_m) {
    RESULT_MASKED(lanes_select(*AT_WARP(const lane_mask, HOLE_FLAGS), SOURCE(0, a), SOURCE(1, b)));
}
#endif
#endif
