/* An SDL2 program for tests/gl/window.sh: draws a still picture that depends on the events so far,
 * prints the events that it handles on stdout, and saves its picture as NAME-N.png when p is
 * pressed. h hides the window and shows it again; q crashes the program.
 * usage: window NAME */
#include <SDL.h>
#include <SDL_opengl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

static SDL_Window *window;
static int width, height, presses, pictures;

static void draw(void) {
    glViewport(0, 0, width, height);
    glClearColor(0.2f, (float)(presses % 5) * 0.2f, 0.6f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0, 0);
    glVertex2f(-0.9f, -0.8f);
    glColor3f(0, 1, 0);
    glVertex2f(0.7f, -0.6f);
    glColor3f(1, 1, 0);
    glVertex2f(-0.5f, 0.9f);
    glEnd();
}

static void save(const char *name) {
    char path[512];
    unsigned char *rows = malloc((size_t)width * (size_t)height * 4);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (unsigned)width,
                       .height = (unsigned)height,
                       .format = PNG_FORMAT_RGBA};
    draw();
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rows);
    for (int i = 0; i < width * height; i++)
        rows[4 * i + 3] = 255;
    snprintf(path, sizeof path, "%s-%d.png", name, pictures++);
    if (png_image_write_to_file(&image, path, 0, rows, -4 * width, NULL))
        printf("saved %s\n", path);
    free(rows);
}

static void handle(const SDL_Event *e, const char *name) {
    if (e->type == SDL_KEYDOWN) {
        printf("key %s\n", SDL_GetKeyName(e->key.keysym.sym));
        if (e->key.keysym.sym == SDLK_p)
            save(name);
        else if (e->key.keysym.sym == SDLK_h) {
            SDL_HideWindow(window);
            SDL_ShowWindow(window);
        } else if (e->key.keysym.sym == SDLK_q)
            abort();
        else if (e->key.keysym.sym >= SDLK_a && e->key.keysym.sym <= SDLK_z)
            presses++; /* modifiers do not count: window.sh presses ctrl+alt+s for a picture */
    } else if (e->type == SDL_MOUSEBUTTONDOWN)
        printf("button %d at %d %d\n", e->button.button, e->button.x, e->button.y);
    else if (e->type == SDL_MOUSEMOTION)
        printf("motion %d %d\n", e->motion.x, e->motion.y);
    else if (e->type == SDL_MOUSEWHEEL)
        printf("wheel %d\n", e->wheel.y);
    else if (e->type == SDL_WINDOWEVENT && e->window.event == SDL_WINDOWEVENT_SHOWN)
        printf("shown\n");
    else if (e->type == SDL_WINDOWEVENT && e->window.event == SDL_WINDOWEVENT_SIZE_CHANGED) {
        width = e->window.data1;
        height = e->window.data2;
        printf("size %d %d\n", width, height);
    }
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 2 || SDL_Init(SDL_INIT_VIDEO) != 0)
        return 2;
    window =
        SDL_CreateWindow("still picture", 0, 0, 320, 200, SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE);
    if (!window || !SDL_GL_CreateContext(window))
        return 3;
    SDL_GetWindowSize(window, &width, &height);
    SDL_ShowCursor(SDL_DISABLE); /* the cursor would appear in screenshots */
    printf("%s on %s\n", (const char *)glGetString(GL_RENDERER), SDL_GetCurrentVideoDriver());
    for (SDL_Event e = {0}; e.type != SDL_QUIT;) {
        draw();
        SDL_GL_SwapWindow(window);
        while (SDL_PollEvent(&e) && e.type != SDL_QUIT)
            handle(&e, argv[1]);
    }
    printf("closed\n");
    SDL_Quit();
    return 5;
}
