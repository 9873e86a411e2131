/* Transfers (transfer.h): a blit or upload, row by row. Texels are fetched (nearest or bilinear),
 * converted to the destination's format, and stored through a raster operation. In: surfaces and,
 * for every column and row of the rectangle, the source texels. Out: pixels in memory. Must not
 * know registers or draws.
 */
#include "pipeline/transfer/transfer.h"

#include "pipeline/transfer/copy_rows.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_TEXEL = 16 };

bool transfer_open(struct transfer *t) {
    const size_t w = (size_t)(t->rect.x1 - t->rect.x0), h = (size_t)(t->rect.y1 - t->rect.y0);
    uint32_t *m = malloc(3 * (w + h) * sizeof *m);
    if (!m)
        return false;
    t->x = (struct axis){m, m + w, (float *)(m + 2 * w)};
    m += 3 * w;
    t->y = (struct axis){m, m + h, (float *)(m + 2 * h)};
    return true;
}

static uint32_t clamp_coordinate(double v, uint32_t size) {
    return v < 0 ? 0 : v >= size ? size - 1 : (uint32_t)v;
}

void transfer_axis(struct axis *axis, uint32_t count, const struct transfer_scale *s,
                   bool bilinear) {
    for (uint32_t i = 0; i < count; i++) {
        const double at = s->source + (s->first + i) * s->step;
        if (bilinear) {
            const double low = floor(at - 0.5);
            axis->texel[i] = clamp_coordinate(low, s->size);
            axis->next[i] = clamp_coordinate(low + 1, s->size);
            axis->weight[i] = (float)(at - 0.5 - low);
        } else {
            axis->texel[i] = clamp_coordinate(at, s->size);
        }
    }
}

void transfer_close(struct transfer *t) {
    free(t->x.texel);
}

static uint8_t rop_byte(uint8_t code, uint8_t p, uint8_t s, uint8_t d) {
    uint8_t result = 0;
    for (int i = 0; i < 8; i++)
        if (code >> i & 1)
            result |= (i & 4 ? p : ~p) & (i & 2 ? s : ~s) & (i & 1 ? d : ~d);
    return result;
}

/* ---- from one format to another ---- */

SIMD_CHOICE(unpack_row, format_decode_row);
SIMD_CHOICE(pack_row, format_encode_row);
SIMD_CHOICE(shuffle_row, row_shuffle);
SIMD_CHOICE(convert_class, row_convert_class);
SIMD_CHOICE(filter_row, row_filter);

static bool made_of_bytes(enum pixel_format f) {
    const struct format_info *i = format_info(f);
    bool bytes = i->bytes == 4 && i->type == COMPONENT_UNORM && !i->srgb && !i->zeta;
    for (int c = 0; c < 4; c++)
        bytes = bytes && (i->bits[c] == 0 || (i->bits[c] == 8 && i->shift[c] % 8 == 0));
    return bytes;
}

/* Finds the order of bytes by converting a test texel. False if components of a format are not
 * whole bytes. */
static bool find_shuffle(enum pixel_format from, enum pixel_format to, struct shuffle *s) {
    static const uint8_t texel[4] = {1, 2, 3, 4};
    uint32_t rgba[4];
    uint8_t result[4];
    if (!made_of_bytes(from) || !made_of_bytes(to))
        return false;
    format_decode(from, texel, rgba);
    format_encode(to, rgba, result);
    *s = (struct shuffle){0};
    for (int i = 0; i < 4; i++) {
        const bool constant = result[i] == 0 || result[i] == 255;
        s->bit[i] = constant ? 0 : 8u * (result[i] - 1u);
        s->mask[i] = constant ? 0 : 255;
        s->ones |= result[i] == 255 ? 255u << 8 * i : 0;
    }
    return true;
}

/* ---- rows ---- */

/* A row of a surface. */
struct texel_row {
    uint8_t *data;
    struct surface_row place;
    uint32_t bytes, texels; /* bytes of a texel; texels that lie in memory */
};

static struct texel_row row_of(const struct surface *s, uint32_t y, uint32_t layer) {
    struct texel_row r = {s->data, surface_row(s, y, s->linear ? 0 : layer),
                          format_info(s->format)->bytes, 0};
    const uint64_t left = s->size > r.place.first ? s->size - r.place.first : 0;
    if (y < s->height && left) /* rows of a block-linear layer lie in memory whole or not at all */
        r.texels = s->linear && left / r.bytes < s->width ? (uint32_t)(left / r.bytes) : s->width;
    return r;
}

static bool is_linear(const struct texel_row *r) {
    return r->place.step == SURFACE_LINE;
}

/* The step of the source column from one pixel to the next: one column forwards, one column
 * backwards (mirrored), or any other step. */
enum column_order { COLUMNS_ANY, COLUMNS_FORWARDS, COLUMNS_BACKWARDS };

/* Returns the number of texels, at most n, that lie side by side in memory from column x on:
 * rightwards, or leftwards for COLUMNS_BACKWARDS. */
static uint32_t contiguous_texels(const struct texel_row *r, uint32_t x, uint32_t n,
                                  enum column_order order) {
    const uint32_t before = x * r->bytes % SURFACE_LINE / r->bytes;
    const uint32_t left =
        order == COLUMNS_BACKWARDS ? before + 1 : SURFACE_LINE / r->bytes - before;
    return is_linear(r) || n < left ? n : left;
}

static uint8_t *texel_at(const struct texel_row *r, uint32_t x) {
    return r->data + surface_row_offset(&r->place, x * r->bytes);
}

/* Copies `run` bytes that lie side by side. A full line is copied with a constant size, which
 * avoids a call of memcpy(). */
static void copy_line(uint8_t *to, const uint8_t *from, uint32_t run) {
    if (run == SURFACE_LINE)
        memcpy(to, from, SURFACE_LINE);
    else
        memcpy(to, from, run);
}

/* Copies n texels of this size to `out`; the expression `from` is the address of texel i. */
#define COPY_TEXELS_OF(size, from)                                                                 \
    case size:                                                                                     \
        for (uint32_t i = 0; i < n; i++)                                                           \
            memcpy(out + (size_t)i * (size), from, size);                                          \
        break
#define COPY_TEXELS(bytes, from)                                                                   \
    switch (bytes) {                                                                               \
        COPY_TEXELS_OF(1, from);                                                                   \
        COPY_TEXELS_OF(2, from);                                                                   \
        COPY_TEXELS_OF(4, from);                                                                   \
        COPY_TEXELS_OF(8, from);                                                                   \
        COPY_TEXELS_OF(16, from);                                                                  \
    }

static void copy_backwards(const uint8_t *last, uint32_t bytes, uint32_t n, uint8_t *out) {
    COPY_TEXELS(bytes, last - (size_t)i * bytes)
}

static void copy_scattered(const struct texel_row *r, const uint32_t *column, uint32_t n,
                           uint8_t *out) {
    COPY_TEXELS(r->bytes, texel_at(r, column[i]))
}

static void gather_texels(const struct texel_row *r, const uint32_t *column, uint32_t n,
                          enum column_order order, uint8_t *out) {
    if (order == COLUMNS_ANY) {
        copy_scattered(r, column, n, out);
        return;
    }
    for (uint32_t done = 0, run; done < n; done += run, out += run * r->bytes) {
        const uint8_t *at = texel_at(r, column[done]);
        run = contiguous_texels(r, column[done], n - done, order);
        if (order == COLUMNS_FORWARDS)
            copy_line(out, at, run * r->bytes);
        else
            copy_backwards(at, r->bytes, run, out);
    }
}

static void combine_texels(const struct rop *rop, uint32_t bytes, const uint8_t *from, uint32_t run,
                           uint8_t *at) {
    for (uint32_t i = 0; i < run; i++)
        at[i] = rop_byte(rop->code, rop->pattern[i % bytes & 3], from[i], at[i]);
}

static void scatter_texels(const struct texel_row *r, uint32_t x, uint32_t n, const struct rop *rop,
                           const uint8_t *texels) {
    for (uint32_t done = 0, run; done < n; done += run, texels += run * r->bytes) {
        run = contiguous_texels(r, x + done, n - done, COLUMNS_FORWARDS);
        if (rop->code == ROP_SOURCE)
            copy_line(texel_at(r, x + done), texels, run * r->bytes);
        else
            combine_texels(rop, r->bytes, texels, run * r->bytes, texel_at(r, x + done));
    }
}

/* The data of the transfer that all rows share, and a buffer. */
struct transfer_work {
    const struct transfer *t;
    enum simd_level simd;
    enum column_order order;
    uint32_t columns_read;
    bool same, shuffled;
    struct shuffle shuffle;
    uint8_t *texels; /* columns of a row, in the destination's format */
};

/* Filters n columns bilinearly: each pixel takes two columns of two rows. */
static void filter_texels(const struct transfer_work *w, const struct texel_row lines[2],
                          float weight_y, uint32_t first, uint32_t n,
                          uint32_t rgba[4][FORMAT_ROW]) {
    const struct axis *x = &w->t->x;
    uint32_t tap[4][4][FORMAT_ROW];
    uint8_t texels[FORMAT_ROW * MAX_TEXEL];
    for (int k = 0; k < 4; k++) {
        gather_texels(&lines[k >> 1], (k & 1 ? x->next : x->texel) + first, n, COLUMNS_ANY, texels);
        unpack_row[w->simd](w->t->src.format, texels, n, tap[k]);
    }
    for (int c = 0; c < 4; c++)
        filter_row[w->simd]((const uint32_t *const[]){tap[0][c], tap[1][c], tap[2][c], tap[3][c]},
                            x->weight + first, weight_y, n, rgba[c]);
}

/* Applies transfer.grey and transfer.dropped. */
static void colour_texels(const struct transfer *t, uint32_t n, uint32_t rgba[4][FORMAT_ROW]) {
    const struct format_info *info = format_info(t->src.format);
    if (t->grey && info->bits[0] && !info->bits[1] && !info->bits[3] &&
        !format_is_integer(t->src.format))
        for (int c = 1; c < 3; c++)
            memcpy(rgba[c], rgba[0], n * sizeof **rgba);
    for (int c = 0; c < 4; c++)
        if (t->dropped >> c & 1)
            memset(rgba[c], 0, n * sizeof **rgba);
}

/* Fetches columns first to first + n of the rectangle, at most FORMAT_ROW, in the destination's
 * format. */
static void convert_texels(const struct transfer_work *w, const struct texel_row lines[2],
                           float weight_y, uint32_t first, uint32_t n, uint8_t *out) {
    const struct transfer *t = w->t;
    uint32_t rgba[4][FORMAT_ROW];
    if (t->bilinear) {
        filter_texels(w, lines, weight_y, first, n, rgba);
    } else {
        uint8_t texels[FORMAT_ROW * MAX_TEXEL];
        gather_texels(lines, t->x.texel + first, n, w->order, texels);
        if (w->shuffled) {
            shuffle_row[w->simd](&w->shuffle, texels, n, out);
            return;
        }
        unpack_row[w->simd](t->src.format, texels, n, rgba);
    }
    colour_texels(t, n, rgba);
    convert_class[w->simd](t->src.format, t->dst.format, n, rgba);
    pack_row[w->simd](t->dst.format, rgba, n, out);
}

/* A row of the rectangle, and its columns that lie in the memory of the source and of the
 * destination. */
struct line_transfer {
    struct texel_row from[2], to;
    float weight_y;
    uint32_t readable, end;
};

static struct line_transfer line_of(const struct transfer *t, uint32_t line) {
    const uint32_t x0 = (uint32_t)t->rect.x0, x1 = (uint32_t)t->rect.x1;
    struct line_transfer l = {
        .from = {row_of(&t->src, t->y.texel[line], t->src_layer),
                 row_of(&t->src, (t->bilinear ? t->y.next : t->y.texel)[line], t->src_layer)},
        .to = row_of(&t->dst, (uint32_t)t->rect.y0 + line, t->dst_layer),
        .weight_y = t->bilinear ? t->y.weight[line] : 0,
    };
    const uint32_t end = x1 < l.to.texels ? x1 : l.to.texels;
    l.readable = l.from[0].texels < l.from[1].texels ? l.from[0].texels : l.from[1].texels;
    l.end = end > x0 ? end - x0 : 0;
    return l;
}

/* Transfers columns [first, end), which lie in memory on both sides. */
static void run_columns(const struct transfer_work *w, const struct line_transfer *l,
                        uint32_t first, uint32_t end) {
    const struct transfer *t = w->t;
    if (w->same && !t->bilinear)
        gather_texels(l->from, t->x.texel + first, end - first, w->order, w->texels);
    else
        for (uint32_t i = first; i < end; i += FORMAT_ROW)
            convert_texels(w, l->from, l->weight_y, i, end - i < FORMAT_ROW ? end - i : FORMAT_ROW,
                           w->texels + (size_t)(i - first) * l->to.bytes);
    scatter_texels(&l->to, (uint32_t)t->rect.x0 + first, end - first, &t->rop, w->texels);
}

static bool column_in(const struct transfer *t, uint32_t i, uint32_t texels) {
    return t->x.texel[i] < texels && (!t->bilinear || t->x.next[i] < texels);
}

/* Returns the greatest source column that the rectangle reads, plus 1. */
static uint32_t columns_read(const struct transfer *t, uint32_t width) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < width; i++)
        end = t->x.texel[i] < end ? end : t->x.texel[i] + 1;
    for (uint32_t i = 0; t->bilinear && i < width; i++)
        end = t->x.next[i] < end ? end : t->x.next[i] + 1;
    return end;
}

/* Transfers columns [i, end), where source and destination have them. */
static void run_line(const struct transfer_work *w, const struct line_transfer *l, uint32_t i,
                     uint32_t end) {
    end = end < l->end ? end : l->end;
    while (i < end) {
        const uint32_t first = i;
        if (w->columns_read <= l->readable)
            i = end;
        while (i < end && column_in(w->t, i, l->readable))
            i++;
        if (i > first)
            run_columns(w, l, first, i);
        i += i < end;
    }
}

/* Prefetches texels [x, end) of a row that is used soon, because processors do not predict the step
 * from tile to tile. */
static void fetch_ahead(const struct texel_row *r, uint32_t x, uint32_t end, bool write) {
    end = end < r->texels ? end : r->texels;
    for (uint64_t at = (uint64_t)x * r->bytes; at < (uint64_t)end * r->bytes; at += SURFACE_LINE) {
        const uint8_t *p = r->data + surface_row_offset(&r->place, (uint32_t)at);
        if (write)
            __builtin_prefetch(p, 1);
        else
            __builtin_prefetch(p, 0);
    }
}

enum {
    BAND = 8,             /* rows that are transferred together: they follow each other in a tile */
    COLUMNS = FORMAT_ROW, /* columns at once */
};

static void run_band(const struct transfer_work *w, uint32_t first, uint32_t count,
                     uint32_t columns) {
    const uint32_t width = (uint32_t)(w->t->rect.x1 - w->t->rect.x0);
    const uint32_t to = (uint32_t)w->t->rect.x0, from = w->t->x.texel[0];
    struct line_transfer line[BAND];
    for (uint32_t i = 0; i < count; i++)
        line[i] = line_of(w->t, first + i);
    for (uint32_t x = 0; x < width; x += columns) {
        const uint32_t next = x + columns, after = next + columns;
        for (uint32_t i = 0; i < count; i++) {
            if (next < width && w->order == COLUMNS_FORWARDS) {
                fetch_ahead(line[i].from, from + next, from + after, false);
                fetch_ahead(&line[i].to, to + next, to + after, true);
            }
            run_line(w, &line[i], x, width - x < columns ? width : next);
        }
    }
}

static enum column_order order_of(const uint32_t *texel, uint32_t n) {
    const uint32_t step = n < 2 || texel[1] > texel[0] ? 1 : (uint32_t)-1;
    for (uint32_t i = 1; i < n; i++)
        if (texel[i] != texel[0] + i * step)
            return COLUMNS_ANY;
    return step == 1 ? COLUMNS_FORWARDS : COLUMNS_BACKWARDS;
}

/* ---- the rectangle ---- */

enum {
    SHARE_BYTES = 128 << 10, /* bytes for which it pays to wake a thread */
    SHARE_ROWS = 8,          /* a share has a multiple of this number of rows */
    SHARES = 16,
    /* as SHARE_BYTES, for copies from tiles to tiles, which one thread does at memory's speed */
    TILES_BYTES = 4 << 20,
    TILES_ROWS = 128 /* rows of the highest tile, so that shares have whole tiles */
};

static uint32_t divide_up(uint32_t n, uint32_t by) {
    return n / by + (n % by != 0);
}

/* Returns the number of rows in one share: a multiple of `multiple` with more than `bytes` bytes,
 * or all rows. */
static uint32_t share_rows(uint32_t rows, uint64_t row_bytes, uint32_t bytes, uint32_t multiple) {
    const uint64_t worth = bytes / (row_bytes ? row_bytes : 1) + 1;
    const uint32_t least = divide_up(rows, SHARES);
    const uint64_t n = worth > least ? worth : least;
    return n < rows ? divide_up((uint32_t)n, multiple) * multiple : rows;
}

/* Copies of at least STREAMED bytes are written past the cache: other data would push their result
 * out of the cache that all cores share before the result is read. */
enum { STREAMED = 4 << 20 };

struct shared_copy {
    const struct copy_side *to, *from;
    uint32_t length, rows, share;
    enum copy_way way;
};

static void copy_share(void *self, uint32_t index, int) {
    const struct shared_copy *c = self;
    const uint32_t first = index * c->share, left = c->rows - first;
    copy_rectangle(c->to, c->from, c->length, first, left < c->share ? left : c->share, c->way);
}

void transfer_copy(tp_context *c, const struct copy_side *to, const struct copy_side *from,
                   uint32_t length, uint32_t rows) {
    const bool tiles = !to->surface->linear && !from->surface->linear;
    const uint32_t share = tiles ? share_rows(rows, length, TILES_BYTES, TILES_ROWS)
                                 : share_rows(rows, length, SHARE_BYTES, SHARE_ROWS);
    struct shared_copy copy = {to, from, length, rows, share, COPY_PLAIN};
    if ((uint64_t)length * rows >= STREAMED)
        copy.way = COPY_STREAMED;
    if (!rows)
        return;
    if (copy_depends_on_order(to, from, length, rows))
        copy_rectangle(to, from, length, 0, rows, COPY_IN_ORDER);
    else
        context_share(c, divide_up(rows, copy.share), copy_share, &copy);
}

/* True if all texels of these columns and rows are in memory. */
static bool all_in_memory(const struct surface *s, uint32_t x, uint32_t y, uint32_t layer,
                          uint32_t width, uint32_t height) {
    const struct texel_row first = row_of(s, y, layer), last = row_of(s, y + height - 1, layer);
    return x + width <= first.texels && x + width <= last.texels;
}

/* Copies the rectangle as rows of bytes, if texels keep their bytes and their order and all of them
 * are in memory; otherwise returns false. */
static bool copy_texels(tp_context *c, const struct transfer_work *w, uint32_t width,
                        uint32_t height) {
    const struct transfer *t = w->t;
    const uint32_t bytes = format_info(t->dst.format)->bytes;
    const uint32_t x = t->x.texel[0], y = t->y.texel[0];
    const uint32_t to_x = (uint32_t)t->rect.x0, to_y = (uint32_t)t->rect.y0;
    const struct copy_side to = {&t->dst, to_x * bytes, to_y, t->dst.linear ? 0 : t->dst_layer};
    const struct copy_side from = {&t->src, x * bytes, y, t->src.linear ? 0 : t->src_layer};
    if (!w->same || w->order != COLUMNS_FORWARDS || t->bilinear || t->rop.code != ROP_SOURCE ||
        order_of(t->y.texel, height) != COLUMNS_FORWARDS ||
        !all_in_memory(&t->src, x, y, t->src_layer, width, height) ||
        !all_in_memory(&t->dst, to_x, to_y, t->dst_layer, width, height) ||
        copy_depends_on_order(&to, &from, width * bytes, height))
        return false;
    transfer_copy(c, &to, &from, width * bytes, height);
    return true;
}

struct shared_lines {
    const struct transfer_work *work;
    uint8_t *texels;        /* a buffer of `columns` texels for each thread */
    uint32_t columns, band; /* columns and rows at once */
    uint32_t lines, share;
};

static void run_share(void *self, uint32_t index, int worker) {
    const struct shared_lines *s = self;
    struct transfer_work w = *s->work;
    const uint32_t first = index * s->share, left = s->lines - first;
    const uint32_t end = first + (left < s->share ? left : s->share);
    w.texels = s->texels + (size_t)worker * s->columns * MAX_TEXEL;
    for (uint32_t i = first; i < end; i += s->band)
        run_band(&w, i, end - i < s->band ? end - i : s->band, s->columns);
}

/* Transfers all rows. If source and destination overlap, whole rows are transferred in order on one
 * thread. False when out of memory. */
static bool run_lines(tp_context *c, const struct transfer_work *w, uint32_t width,
                      uint32_t height) {
    const struct transfer *t = w->t;
    const struct copy_side to = {.surface = &t->dst}, from = {.surface = &t->src};
    const uint32_t row_bytes = width * format_info(t->dst.format)->bytes;
    const bool divisible = !copy_depends_on_order(&to, &from, row_bytes, height);
    struct shared_lines s = {
        .work = w,
        .columns = divisible ? COLUMNS : width,
        .band = divisible ? BAND : 1,
        .lines = height,
        .share = divisible
                     ? share_rows(height, (uint64_t)width * MAX_TEXEL, SHARE_BYTES, SHARE_ROWS)
                     : height,
    };
    s.texels = malloc((size_t)s.columns * MAX_TEXEL * (divisible ? (size_t)c->device->threads : 1));
    if (!s.texels)
        return false;
    context_share(c, divide_up(height, s.share), run_share, &s);
    free(s.texels);
    return true;
}

bool transfer_run(tp_context *c, const struct transfer *t) {
    const uint32_t width = (uint32_t)(t->rect.x1 - t->rect.x0);
    const uint32_t height = (uint32_t)(t->rect.y1 - t->rect.y0);
    struct transfer_work w = {
        .t = t,
        .simd = c->device->simd,
        .same = t->src.format == t->dst.format,
        .order = order_of(t->x.texel, width),
        .columns_read = columns_read(t, width),
    };
    if (copy_texels(c, &w, width, height))
        return true;
    w.shuffled = !t->dropped && find_shuffle(t->src.format, t->dst.format, &w.shuffle);
    return run_lines(c, &w, width, height);
}
