/* Bytes arrive while the GPU draws: the planes of a film, the tiles of a map. */
#include "bench/waits/waits.h"

/* ---- video: three planes of 1920 x 1080 a frame ---- */

enum { FILM_WIDTH = 1920, FILM_HEIGHT = 1080, PLANES = 3 };
static uint8_t *plane[PLANES];
static GLuint plane_texture[PLANES], film;

static void build_video(void) {
    static const char *const name[PLANES] = {"luma", "blue", "red"};
    film = draw_program("video");
    for (int i = 0; i < PLANES; i++) {
        plane[i] = make_bytes(FILM_WIDTH * FILM_HEIGHT, (uint32_t)i);
        plane_texture[i] = texture(GL_R8, FILM_WIDTH, FILM_HEIGHT);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        glUniform1i(uniform(film, name[i]), i);
    }
}

static void draw_video(void) {
    for (GLuint i = 0; i < PLANES; i++) {
        bind_texture(i, plane_texture[i]);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, FILM_WIDTH, FILM_HEIGHT, GL_RED, GL_UNSIGNED_BYTE,
                        plane[i]);
    }
    glUseProgram(film);
    draw_whole();
}

const struct workload video = {"video", build_video, draw_video};

/* ---- tiles: a map of 8 x 5 tiles; 20 times in a frame a tile is replaced, between draws ---- */

enum { TILE = 256, COLUMNS = 8, ROWS = 5, REPLACED = 16, PICTURES = 4 };
static struct quads quads;
static GLuint tile[COLUMNS * ROWS];
static uint8_t *picture[PICTURES];

static void replace_tile(int i, int with) {
    bind_texture(0, tile[i]);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, TILE, TILE, GL_RGBA, GL_UNSIGNED_BYTE, picture[with]);
}

static void build_tiles(void) {
    quads = quads_program();
    for (int i = 0; i < PICTURES; i++)
        picture[i] = make_bytes(4 * TILE * TILE, (uint32_t)i);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        tile[i] = texture(GL_RGBA8, TILE, TILE);
        replace_tile(i, i % PICTURES);
    }
}

static void draw_tile(int i) {
    const float width = 2.0f / COLUMNS, height = 2.0f / ROWS;
    bind_texture(0, tile[i]);
    draw_quad(&quads, -1 + width * (float)(i % COLUMNS), -1 + height * (float)(i / COLUMNS), width,
              height, 0.5f, 0);
}

/* Of the first 32 tiles, every second one is replaced before it is drawn. After each ten tiles, one
 * of the ten is replaced and drawn again. */
static void draw_tiles(void) {
    glUseProgram(quads.program);
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        if (i % 2 && i < 2 * REPLACED)
            replace_tile(i, (i + 1) % PICTURES);
        draw_tile(i);
        if (i % 10 == 9) {
            replace_tile(i - 4, (i + 2) % PICTURES);
            draw_tile(i - 4);
        }
    }
}

const struct workload tiles = {"tiles", build_tiles, draw_tiles};
