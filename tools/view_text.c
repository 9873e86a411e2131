/* Lines of text in a window: SDL2_ttf draws them with DejaVu Sans Mono, or with the font that
 * $TESLAPIPE_FONT names. In: UTF-8. Out: pixels on the renderer.
 */
#include "tools/view_text.h"

#include "base/bits.h"

#include <SDL_ttf.h>
#include <stdio.h>
#include <stdlib.h>

struct view_text {
    SDL_Renderer *renderer;
    TTF_Font *font;
    int line, width;
};

struct view_text *view_text_open(SDL_Renderer *renderer, int height, const char **why) {
    static const char *const paths[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
                                        "/usr/share/fonts/dejavu/DejaVuSansMono.ttf"};
    const char *own = getenv("TESLAPIPE_FONT");
    struct view_text *t = calloc(1, sizeof *t);
    *why = "out of memory";
    if (!t)
        return NULL;
    *why = "no font: DejaVu Sans Mono is not installed, and TESLAPIPE_FONT names no other";
    t->renderer = renderer;
    if (TTF_Init() == 0) {
        t->font = own ? TTF_OpenFont(own, height) : NULL;
        for (size_t i = 0; !t->font && i < sizeof paths / sizeof *paths; i++)
            t->font = TTF_OpenFont(paths[i], height);
    }
    if (!t->font) {
        free(t);
        return NULL;
    }
    t->line = TTF_FontLineSkip(t->font);
    TTF_SizeUTF8(t->font, "M", &t->width, NULL);
    return t;
}

void view_text_close(struct view_text *t) {
    if (!t)
        return;
    TTF_CloseFont(t->font);
    TTF_Quit();
    free(t);
}

int view_text_line(const struct view_text *t) {
    return t ? t->line : 16;
}

int view_text_width(const struct view_text *t) {
    return t ? t->width : 8;
}

void view_text_put(struct view_text *t, int x, int y, int width, const char *line,
                   SDL_Color color) {
    SDL_Surface *s = t && *line ? TTF_RenderUTF8_Blended(t->font, line, color) : NULL;
    SDL_Texture *texture = s ? SDL_CreateTextureFromSurface(t->renderer, s) : NULL;
    if (texture) {
        const int w = s->w < width ? s->w : width;
        const SDL_Rect from = {0, 0, w, s->h}, to = {x, y, w, s->h};
        SDL_RenderCopy(t->renderer, texture, &from, &to);
        SDL_DestroyTexture(texture);
    }
    SDL_FreeSurface(s);
}

void view_word(char *text, size_t size, uint32_t word) {
    if (bits_look_float(word))
        snprintf(text, size, "%.6g", (double)bits_float(word));
    else
        snprintf(text, size, word < 10 ? "%u" : "0x%x", word);
}

void view_text_box(struct view_text *t, int y, const char *lines, SDL_Color color) {
    enum { LEFT = 16 };
    char line[512];
    int count = 1, longest = 0, length = 0;
    for (const char *c = lines; *c; c++) {
        count += *c == '\n';
        length = *c == '\n' ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    const int width = longest * view_text_width(t);
    const SDL_Rect box = {LEFT - 6, y - 4, width + 12, count * view_text_line(t) + 8};
    if (!t)
        return;
    SDL_SetRenderDrawBlendMode(t->renderer, SDL_BLENDMODE_BLEND);
    SDL_SetRenderDrawColor(t->renderer, 0, 0, 0, 170);
    SDL_RenderFillRect(t->renderer, &box);
    for (int i = 0; *lines && i < count; i++) {
        const size_t n = strcspn(lines, "\n");
        SDL_strlcpy(line, lines, n + 1 < sizeof line ? n + 1 : sizeof line);
        view_text_put(t, LEFT, y + i * t->line, width, line, color);
        lines += n + (lines[n] == '\n');
    }
}
