/* Text over a picture (tools/overlay.h). Glyphs are the axis-aligned rectangles of stb_easy_font.
 */
#include "tools/overlay.h"

#include <stb/stb_easy_font.h>
#include <stdio.h>

enum { MAX_RECTANGLES = 6000, PADDING = 6 };

struct corner { /* what stb_easy_font_print writes, four a rectangle */
    float x, y, z;
    uint8_t color[4];
};

struct picture {
    uint8_t *rgba;
    int width, height;
};

/* Mixes color into the pixels of a rectangle; weight 0..256. */
static void fill(const struct picture *p, int x0, int y0, int x1, int y1, const uint8_t color[3],
                 int weight) {
    x0 = x0 < 0 ? 0 : x0;
    y0 = y0 < 0 ? 0 : y0;
    x1 = x1 > p->width ? p->width : x1;
    y1 = y1 > p->height ? p->height : y1;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            uint8_t *pixel = p->rgba + 4 * ((long)y * p->width + x);
            for (int c = 0; c < 3; c++)
                pixel[c] = (uint8_t)((pixel[c] * (256 - weight) + color[c] * weight) >> 8);
        }
}

void overlay_text(uint8_t *rgba, int width, int height, int x, int y, int scale, const char *text,
                  const uint8_t color[3]) {
    static const uint8_t shade[3] = {10, 12, 18};
    static struct corner corners[MAX_RECTANGLES * 4];
    char copy[2048]; /* stb_easy_font takes char *, and does not write to it */
    snprintf(copy, sizeof copy, "%s", text);
    const struct picture p = {rgba, width, height};
    int pad = PADDING * scale;
    fill(&p, x, y, x + stb_easy_font_width(copy) * scale + 2 * pad,
         y + stb_easy_font_height(copy) * scale + 2 * pad, shade, 190);
    int count = stb_easy_font_print(0, 0, copy, NULL, corners, sizeof corners);
    for (int i = 0; i < count; i++) {
        const struct corner *low = &corners[4 * i], *high = low + 2;
        fill(&p, x + pad + (int)low->x * scale, y + pad + (int)low->y * scale,
             x + pad + (int)high->x * scale, y + pad + (int)high->y * scale, color, 256);
    }
}
