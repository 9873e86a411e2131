/* Copies rectangles of bytes between surfaces. In: two surfaces and a place in each. Out: bytes. A
 * band of rows is copied at once, tile column by tile column, because the 64 bytes of neighbouring
 * rows follow each other in a tile. Knows no formats: a position is a byte and a row.
 */
#include "base/copy.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    BAND = 8,            /* rows at once: about as many streams as a processor prefetches */
    MOST_TILES = 1 << 16 /* tiles at once */
};

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Neighbouring rows of one surface, all in one row of tiles. */
struct band {
    uint8_t *data;
    /* in bytes. x: where the copy begins in a row; first: offset of the first row; tile: distance
     * from a tile to the next */
    uint64_t size, x, first, tile;
    uint64_t step; /* bytes between neighbouring rows */
    bool linear;
};

static struct band band_of(const struct copy_side *s, uint32_t row) {
    const struct surface_row place = surface_row(s->surface, s->y + row, s->z);
    return (struct band){
        s->surface->data,  s->surface->size, s->x,
        place.first,       place.step,       s->surface->linear ? s->surface->pitch : SURFACE_LINE,
        s->surface->linear};
}

static uint64_t offset_of(const struct band *b, uint32_t x) {
    const uint64_t at = b->x + x;
    return b->first + at / SURFACE_LINE * b->tile + at % SURFACE_LINE;
}

/* The number of rows from `row` on in the same row of tiles; linear: no limit. */
static uint32_t rows_in_tile(const struct copy_side *s, uint32_t row) {
    const uint32_t height = 4u << s->surface->tile_h;
    return s->surface->linear ? UINT32_MAX : height - (s->y + row) % height;
}

/* The number of bytes from column x to the end of the tile, at most `left`. */
static uint32_t bytes_in_tile(const struct band *b, uint32_t x, uint32_t left) {
    const uint32_t run = b->linear ? left : SURFACE_LINE - (uint32_t)((b->x + x) % SURFACE_LINE);
    return run < left ? run : left;
}

#if defined(__SSE2__)
/* Copies cache lines past the cache, so that the target's old lines are not loaded.
 * False if the target's pieces are not whole lines. */
static bool stream_lines(uint8_t *to, uint64_t to_step, const uint8_t *from, uint64_t from_step,
                         uint32_t rows) {
    enum { LINE = 64 };
    if (((uintptr_t)to | to_step) % LINE)
        return false;
    for (uint32_t i = 0; i < rows; i++) {
        __m128i line[SURFACE_LINE / sizeof(__m128i)];
        memcpy(line, from + i * from_step, sizeof line);
        for (uint32_t k = 0; k < SURFACE_LINE / sizeof *line; k++)
            _mm_stream_si128((__m128i *)(void *)(to + i * to_step) + k, line[k]);
    }
    return true;
}

/* Completes streamed stores before later stores. */
static void end_stream(void) {
    _mm_sfence();
}
#else
static bool stream_lines(uint8_t *, uint64_t, const uint8_t *, uint64_t, uint32_t) {
    return false;
}

static void end_stream(void) {
}
#endif

static void copy_lines(uint8_t *to, uint64_t to_step, const uint8_t *from, uint64_t from_step,
                       uint32_t run, uint32_t rows, bool stream) {
    if (run == SURFACE_LINE) {
        if (stream && stream_lines(to, to_step, from, from_step, rows))
            return;
        if (to_step == SURFACE_LINE && from_step == SURFACE_LINE) {
            memmove(to, from, (size_t)rows * SURFACE_LINE);
            return;
        }
        for (uint32_t i = 0; i < rows; i++) { /* reads, then writes: surfaces may overlap */
            uint8_t line[SURFACE_LINE];
            memcpy(line, from + i * from_step, sizeof line);
            memcpy(to + i * to_step, line, sizeof line);
        }
        return;
    }
    for (uint32_t i = 0; i < rows; i++)
        memmove(to + i * to_step, from + i * from_step, run);
}

static bool inside_band(const struct band *b, uint64_t at, uint32_t run, uint32_t rows) {
    const uint64_t end = (rows - 1) * b->step + run;
    return end <= b->size && at <= b->size - end;
}

/* Prefetches the tile from column x on: hardware prefetchers do not predict its address. */
static void fetch_ahead(const struct band *b, uint32_t x, uint32_t rows, bool write) {
    const uint64_t at = offset_of(b, x);
    if (b->linear || !inside_band(b, at, 1, rows))
        return;
    for (uint32_t i = 0; i < rows; i++) {
        if (write)
            __builtin_prefetch(b->data + at + i * b->step, 1);
        else
            __builtin_prefetch(b->data + at + i * b->step, 0);
    }
}

/* True if the rows are those of whole tiles on both sides. Then neighbouring tiles follow each
 * other in the memory of both surfaces. */
static bool whole_tiles(const struct band *to, const struct band *from, uint32_t rows) {
    const uint64_t tile = (uint64_t)rows * SURFACE_LINE;
    return !to->linear && !from->linear && to->tile == tile && from->tile == tile;
}

static void copy_band(const struct band *to, const struct band *from, uint32_t length,
                      uint32_t height, bool stream) {
    const bool whole = whole_tiles(to, from, height);
    for (uint32_t x = 0, run, tiles; x < length; x += run * tiles) {
        run = bytes_in_tile(from, x, bytes_in_tile(to, x, length - x));
        tiles = whole && run == SURFACE_LINE ? smaller((length - x) / run, MOST_TILES) : 1;
        const uint64_t s = offset_of(from, x), t = offset_of(to, x);
        const uint32_t rows = height * tiles;
        if (x + run < length && !whole) {
            fetch_ahead(from, x + run, smaller(rows, BAND), false);
            if (!stream)
                fetch_ahead(to, x + run, smaller(rows, BAND), true);
        }
        if (inside_band(from, s, run, rows) && inside_band(to, t, run, rows)) {
            copy_lines(to->data + t, to->step, from->data + s, from->step, run, rows, stream);
            continue;
        }
        for (uint32_t i = 0; i < rows; i++) {
            const uint64_t s_row = s + i * from->step, t_row = t + i * to->step;
            if (inside_band(from, s_row, run, 1) && inside_band(to, t_row, run, 1))
                copy_lines(to->data + t_row, 0, from->data + s_row, 0, run, 1, stream);
        }
    }
}

/* The number of rows to copy together: COPY_IN_ORDER: one; between two block-linear surfaces: up to
 * the end of a tile; otherwise at most BAND. */
static uint32_t band_rows(const struct copy_side *to, const struct copy_side *from, uint32_t row,
                          uint32_t end, enum copy_way way) {
    const uint32_t n = smaller(rows_in_tile(to, row), rows_in_tile(from, row));
    if (way == COPY_IN_ORDER)
        return 1;
    return smaller(end - row, to->surface->linear || from->surface->linear ? smaller(n, BAND) : n);
}

void copy_rectangle(const struct copy_side *to, const struct copy_side *from, uint32_t length,
                    uint32_t first, uint32_t rows, enum copy_way way) {
    const uint32_t end = first + rows;
    for (uint32_t row = first, n; row < end; row += n) {
        const struct band source = band_of(from, row), target = band_of(to, row);
        n = band_rows(to, from, row, end, way);
        copy_band(&target, &source, length, n, way == COPY_STREAMED);
    }
    if (way == COPY_STREAMED)
        end_stream();
}

static bool rows_share_memory(const struct surface *s, uint32_t length, uint32_t rows) {
    return s->linear && rows > 1 && s->pitch < length;
}

bool copy_depends_on_order(const struct copy_side *to, const struct copy_side *from,
                           uint32_t length, uint32_t rows) {
    const struct surface *t = to->surface, *f = from->surface;
    const bool shared = (uintptr_t)t->data < (uintptr_t)f->data + f->size &&
                        (uintptr_t)f->data < (uintptr_t)t->data + t->size;
    return shared || rows_share_memory(t, length, rows);
}
