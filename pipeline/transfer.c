/* A blit or upload, row by row: texels fetched (nearest or bilinear), converted to the
 * destination's format, stored through a raster operation. In: surfaces and, for every column and
 * line of the rectangle, its texels. Out: pixels in memory. Knows neither registers nor draws.
 */
#include "pipeline/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static uint32_t clamped(double v, uint32_t size) {
    return v < 0 ? 0 : v >= size ? size - 1 : (uint32_t)v;
}

void transfer_axis(struct axis *axis, uint32_t count, const struct transfer_scale *s,
                   bool bilinear) {
    for (uint32_t i = 0; i < count; i++) {
        const double at = s->source + (s->first + i) * s->step;
        if (bilinear) {
            const double low = floor(at - 0.5);
            axis->texel[i] = clamped(low, s->size);
            axis->next[i] = clamped(low + 1, s->size);
            axis->weight[i] = (float)(at - 0.5 - low);
        } else {
            axis->texel[i] = clamped(floor(at), s->size);
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

static float as_float(uint32_t word) {
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

static uint32_t as_word(float f) {
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

/* Between a number and an integer format the values are kept. */
static void convert_class(enum pixel_format from, enum pixel_format to, uint32_t n,
                          uint32_t rgba[4][FORMAT_ROW]) {
    const bool is_signed = format_info(format_is_integer(to) ? to : from)->type == COMPONENT_SINT;
    if (format_is_integer(from) == format_is_integer(to))
        return;
    for (int c = 0; c < 4; c++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t v = rgba[c][i];
            const float f = as_float(v);
            if (!format_is_integer(to))
                rgba[c][i] = as_word(is_signed ? (float)(int32_t)v : (float)v);
            else if (is_signed)
                rgba[c][i] = (uint32_t)(int32_t)fmaxf(-2147483648.0f, fminf(f, 2147483520.0f));
            else
                rgba[c][i] = (uint32_t)fmaxf(0, fminf(f, 4294967040.0f));
        }
}

/* How texels of one format become texels of another when all their components are bytes: byte i of
 * the result is the byte of the source that starts at bit[i], under mask[i], or'ed with what is
 * constant. Found by trying. */
struct shuffle {
    uint32_t bit[4], mask[4], ones;
};

static bool made_of_bytes(enum pixel_format f) {
    const struct format_info *i = format_info(f);
    bool bytes = i->bytes == 4 && i->type == COMPONENT_UNORM && !i->srgb && !i->zeta;
    for (int c = 0; c < 4; c++)
        bytes = bytes && (i->bits[c] == 0 || (i->bits[c] == 8 && i->shift[c] % 8 == 0));
    return bytes;
}

static bool find_shuffle(enum pixel_format from, enum pixel_format to, struct shuffle *s) {
    static const uint8_t texel[4] = {1, 2, 3, 4};
    uint32_t rgba[4];
    uint8_t result[4];
    if (!made_of_bytes(from) || !made_of_bytes(to))
        return false;
    format_unpack(from, texel, rgba);
    format_pack(to, rgba, result);
    *s = (struct shuffle){0};
    for (int i = 0; i < 4; i++) {
        const bool constant = result[i] == 0 || result[i] == 255;
        s->bit[i] = constant ? 0 : 8u * (result[i] - 1u);
        s->mask[i] = constant ? 0 : 255;
        s->ones |= result[i] == 255 ? 255u << 8 * i : 0;
    }
    return true;
}

static void shuffle_row(const struct shuffle *s, const uint8_t *from, uint32_t n, uint8_t *to) {
    const struct shuffle k = *s;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t in, out = k.ones;
        memcpy(&in, from + 4 * i, sizeof in);
        for (uint32_t b = 0; b < 4; b++)
            out |= (in >> k.bit[b] & k.mask[b]) << 8 * b;
        memcpy(to + 4 * i, &out, sizeof out);
    }
}

/* ---- rows ---- */

/* A row of a surface, and how many of its texels lie in memory. */
struct row {
    uint8_t *data;
    struct surface_row place;
    uint32_t bytes, texels; /* of a texel; that may be accessed */
};

static struct row row_of(const struct surface *s, uint32_t y, uint32_t layer) {
    struct row r = {s->data, surface_row(s, y, s->linear ? 0 : layer),
                    format_info(s->format)->bytes, 0};
    const uint64_t left = s->size > r.place.first ? s->size - r.place.first : 0;
    if (y < s->height && left) /* of a block-linear layer, rows are in memory whole or not at all */
        r.texels = s->linear && left / r.bytes < s->width ? (uint32_t)(left / r.bytes) : s->width;
    return r;
}

static bool linear(const struct row *r) {
    return r->place.step == SURFACE_PIECE;
}

/* Bytes of n texels from column x that lie in one piece. */
static uint32_t piece(const struct row *r, uint32_t x, uint32_t n) {
    const uint32_t left = linear(r) ? n * r->bytes : SURFACE_PIECE - x * r->bytes % SURFACE_PIECE;
    return left < n * r->bytes ? left : n * r->bytes;
}

static void gather(const struct row *r, const uint32_t *column, uint32_t n, bool consecutive,
                   uint8_t *out) {
    if (consecutive) {
        for (uint32_t x = column[0]; n;) {
            const uint32_t run = piece(r, x, n);
            memcpy(out, r->data + surface_row_offset(&r->place, x * r->bytes), run);
            out += run;
            x += run / r->bytes;
            n -= run / r->bytes;
        }
        return;
    }
#define TEXELS(bytes)                                                                              \
    case bytes:                                                                                    \
        for (uint32_t i = 0; i < n; i++)                                                           \
            memcpy(out + i * bytes, r->data + surface_row_offset(&r->place, column[i] * bytes),    \
                   bytes);                                                                         \
        break
    switch (r->bytes) {
        TEXELS(1);
        TEXELS(2);
        TEXELS(4);
        TEXELS(8);
        TEXELS(16);
    }
#undef TEXELS
}

static void scatter(const struct row *r, uint32_t x, uint32_t n, const struct rop *rop,
                    const uint8_t *texels) {
    while (n) {
        const uint32_t run = piece(r, x, n);
        uint8_t *at = r->data + surface_row_offset(&r->place, x * r->bytes);
        if (rop->code == ROP_SOURCE)
            memcpy(at, texels, run);
        else
            for (uint32_t i = 0; i < run; i++)
                at[i] = rop_byte(rop->code, rop->pattern[i % r->bytes & 3], texels[i], at[i]);
        texels += run;
        x += run / r->bytes;
        n -= run / r->bytes;
    }
}

/* What is the same for all rows, and the row under way. */
struct work {
    const struct transfer *t;
    bool consecutive; /* columns of the source */
    bool same, shuffled;
    struct shuffle shuffle;
    uint8_t *texels; /* in the destination's format */
};

/* Two columns of two lines (bilinear), in the middle of each four. */
static void filter(const struct work *w, const struct row lines[2], float weight_y, uint32_t first,
                   uint32_t n, uint32_t rgba[4][FORMAT_ROW]) {
    const struct axis *x = &w->t->x;
    const enum pixel_format format = w->t->src.format;
    uint32_t tap[4][4][FORMAT_ROW];
    uint8_t texels[FORMAT_ROW * MAX_TEXEL];
    for (int k = 0; k < 4; k++) {
        gather(&lines[k >> 1], (k & 1 ? x->next : x->texel) + first, n, false, texels);
        format_unpack_row(format, texels, n, tap[k]);
    }
    for (int c = 0; c < 4; c++)
        for (uint32_t i = 0; i < n; i++) {
            const float wu = x->weight[first + i];
            const float top = as_float(tap[0][c][i]) * (1 - wu) + as_float(tap[1][c][i]) * wu;
            const float low = as_float(tap[2][c][i]) * (1 - wu) + as_float(tap[3][c][i]) * wu;
            rgba[c][i] = as_word(top * (1 - weight_y) + low * weight_y);
        }
}

/* Columns first to first + n of the rectangle, at most FORMAT_ROW, into w->texels. */
static void convert(const struct work *w, const struct row lines[2], float weight_y, uint32_t first,
                    uint32_t n) {
    const struct transfer *t = w->t;
    uint8_t *out = w->texels + (size_t)first * format_info(t->dst.format)->bytes;
    uint32_t rgba[4][FORMAT_ROW];
    if (t->bilinear) {
        filter(w, lines, weight_y, first, n, rgba);
    } else {
        uint8_t texels[FORMAT_ROW * MAX_TEXEL];
        gather(lines, t->x.texel + first, n, w->consecutive, texels);
        if (w->shuffled) {
            shuffle_row(&w->shuffle, texels, n, out);
            return;
        }
        format_unpack_row(t->src.format, texels, n, rgba);
    }
    convert_class(t->src.format, t->dst.format, n, rgba);
    format_pack_row(t->dst.format, rgba, n, out);
}

/* Columns first to end of the rectangle, all in memory on both sides. */
static void run_columns(const struct work *w, const struct row lines[2], const struct row *to,
                        float weight_y, uint32_t first, uint32_t end) {
    const struct transfer *t = w->t;
    if (w->same && !t->bilinear)
        gather(lines, t->x.texel + first, end - first, w->consecutive,
               w->texels + (size_t)first * to->bytes);
    else
        for (uint32_t i = first; i < end; i += FORMAT_ROW)
            convert(w, lines, weight_y, i, end - i < FORMAT_ROW ? end - i : FORMAT_ROW);
    scatter(to, (uint32_t)t->rect.x0 + first, end - first, &t->rop,
            w->texels + (size_t)first * to->bytes);
}

static bool column_in(const struct transfer *t, uint32_t i, uint32_t texels) {
    return t->x.texel[i] < texels && (!t->bilinear || t->x.next[i] < texels);
}

static void run_line(const struct work *w, uint32_t line) {
    const struct transfer *t = w->t;
    const uint32_t x0 = (uint32_t)t->rect.x0;
    const struct row lines[2] = {
        row_of(&t->src, t->y.texel[line], t->src_layer),
        row_of(&t->src, (t->bilinear ? t->y.next : t->y.texel)[line], t->src_layer),
    };
    const struct row to = row_of(&t->dst, (uint32_t)t->rect.y0 + line, t->dst_layer);
    const uint32_t readable = lines[0].texels < lines[1].texels ? lines[0].texels : lines[1].texels;
    uint32_t end = (uint32_t)t->rect.x1 < to.texels ? (uint32_t)t->rect.x1 : to.texels;
    end = end > x0 ? end - x0 : 0;
    for (uint32_t i = 0; i < end;) {
        const uint32_t first = i;
        while (i < end && column_in(t, i, readable))
            i++;
        if (i > first)
            run_columns(w, lines, &to, t->bilinear ? t->y.weight[line] : 0, first, i);
        i += i < end;
    }
}

static bool are_consecutive(const uint32_t *column, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (column[i] != column[0] + i)
            return false;
    return true;
}

bool transfer_run(const struct transfer *t) {
    const uint32_t width = (uint32_t)(t->rect.x1 - t->rect.x0);
    struct work w = {
        .t = t,
        .same = t->src.format == t->dst.format,
        .consecutive = are_consecutive(t->x.texel, width),
        .texels = malloc((size_t)width * MAX_TEXEL),
    };
    if (!w.texels)
        return false;
    w.shuffled = find_shuffle(t->src.format, t->dst.format, &w.shuffle);
    for (uint32_t line = 0; line < (uint32_t)(t->rect.y1 - t->rect.y0); line++)
        run_line(&w, line);
    free(w.texels);
    return true;
}
