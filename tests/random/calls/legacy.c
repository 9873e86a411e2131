/* The compatibility profile: lights, fog, texture environments and coordinates, clip planes, alpha
 * test, stipples, display lists, evaluators, pixel transfer, bitmaps, feedback and selection. */
#define CONTEXT                                                                                    \
    ((const EGLint[]){EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE})
#include "calls.h"

enum { WIDTH = 48, HEIGHT = 40 };

static const GLenum compare[] = {GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                 GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};

/* Enables the capability once in n calls, on average; disables it otherwise. Returns true if it is
 * enabled. */
static bool enable(GLenum capability, int n) {
    const bool on = seldom(n);
    (on ? glEnable : glDisable)(capability);
    if (on)
        text("enable %x", capability);
    return on;
}

static const float *values(float low, float high) {
    static float v[16];
    for (int i = 0; i < 16; i++)
        v[i] = real(low, high);
    return v;
}

static void lights(void) {
    enable(GL_LIGHTING, 2);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, values(0, 0.5f));
    glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, seldom(2));
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, seldom(2));
    glLightModeli(GL_LIGHT_MODEL_COLOR_CONTROL,
                  seldom(2) ? GL_SEPARATE_SPECULAR_COLOR : GL_SINGLE_COLOR);
    for (int i = 0; i < 8; i++) {
        const GLenum l = GL_LIGHT0 + (GLenum)i;
        enable(l, 3);
        float at[4];
        memcpy(at, values(-2, 2), sizeof at);
        at[3] = seldom(2);
        text("light %d at %g %g %g %g", i, at[0], at[1], at[2], at[3]);
        glLightfv(l, GL_POSITION, at);
        glLightfv(l, GL_AMBIENT, values(0, 0.3f));
        glLightfv(l, GL_DIFFUSE, values(0, 1));
        glLightfv(l, GL_SPECULAR, values(0, 1));
        glLightfv(l, GL_SPOT_DIRECTION, values(-1, 1));
        const bool spot = seldom(3);
        glLightf(l, GL_SPOT_CUTOFF, spot ? real(20, 90) : 180);
        glLightf(l, GL_SPOT_EXPONENT, spot ? real(0, 5) : 0);
        glLightf(l, GL_CONSTANT_ATTENUATION, real(0.5f, 1));
        glLightf(l, GL_LINEAR_ATTENUATION, seldom(2) ? real(0, 1) : 0);
        glLightf(l, GL_QUADRATIC_ATTENUATION, seldom(2) ? real(0, 1) : 0);
    }
    const GLenum faces = seldom(2) ? GL_FRONT_AND_BACK : GL_FRONT;
    glMaterialfv(faces, GL_AMBIENT, values(0, 1));
    glMaterialfv(faces, GL_DIFFUSE, values(0, 1));
    glMaterialfv(faces, GL_SPECULAR, values(0, 1));
    glMaterialfv(faces, GL_EMISSION, values(0, 0.3f));
    glMaterialf(faces, GL_SHININESS, seldom(3) ? 0 : real(0, 30));
    static const GLenum tracked[] = {GL_AMBIENT, GL_DIFFUSE, GL_SPECULAR, GL_EMISSION,
                                     GL_AMBIENT_AND_DIFFUSE};
    glColorMaterial(faces, PICK(tracked));
    enable(GL_COLOR_MATERIAL, 2);
}

static void fog(void) {
    static const GLenum modes[] = {GL_LINEAR, GL_EXP, GL_EXP2};
    enable(GL_FOG, 4);
    glFogi(GL_FOG_MODE, (GLint)PICK(modes));
    glFogf(GL_FOG_DENSITY, real(0, 2));
    glFogf(GL_FOG_START, real(0, 1));
    glFogf(GL_FOG_END, real(1, 3));
    glFogfv(GL_FOG_COLOR, values(0, 1));
    glFogi(GL_FOG_COORD_SRC, seldom(3) ? GL_FOG_COORD : GL_FRAGMENT_DEPTH);
}

static void environment(void) {
    static const GLenum modes[] = {GL_REPLACE, GL_MODULATE, GL_DECAL,  GL_BLEND,
                                   GL_ADD,     GL_COMBINE,  GL_COMBINE},
                        combine[] = {GL_REPLACE,     GL_MODULATE, GL_ADD,      GL_ADD_SIGNED,
                                     GL_INTERPOLATE, GL_SUBTRACT, GL_DOT3_RGB, GL_DOT3_RGBA},
                        sources[] = {GL_TEXTURE,  GL_CONSTANT, GL_PRIMARY_COLOR,
                                     GL_PREVIOUS, GL_TEXTURE0, GL_TEXTURE1},
                        operands[] = {GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_SRC_ALPHA,
                                      GL_ONE_MINUS_SRC_ALPHA};
    const GLenum mode = PICK(modes);
    glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, (GLint)mode);
    glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, values(0, 1));
    const GLenum rgb = PICK(combine), alpha = combine[below(6)];
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, (GLint)rgb);
    glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_ALPHA, (GLint)alpha);
    text("  environment %x combine %x %x", mode, rgb, alpha);
    for (GLenum i = 0; i < 3; i++) {
        const GLenum s = PICK(sources), a = PICK(sources), o = PICK(operands),
                     p = operands[2 + below(2)];
        glTexEnvi(GL_TEXTURE_ENV, GL_SOURCE0_RGB + i, (GLint)s);
        glTexEnvi(GL_TEXTURE_ENV, GL_SOURCE0_ALPHA + i, (GLint)a);
        glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND0_RGB + i, (GLint)o);
        glTexEnvi(GL_TEXTURE_ENV, GL_OPERAND0_ALPHA + i, (GLint)p);
        text("  source %x %x operand %x %x", s, a, o, p);
    }
    glTexEnvf(GL_TEXTURE_ENV, GL_RGB_SCALE, (float)(1 << below(3)));
    glTexEnvf(GL_TEXTURE_ENV, GL_ALPHA_SCALE, (float)(1 << below(3)));
}

static void coordinates(void) {
    static const GLenum modes[] = {GL_OBJECT_LINEAR, GL_EYE_LINEAR, GL_SPHERE_MAP,
                                   GL_REFLECTION_MAP, GL_NORMAL_MAP};
    for (GLenum c = 0; c < 3; c++) { /* not Q: quotients by values near 0 differ too much */
        enable(GL_TEXTURE_GEN_S + c, 4);
        const GLenum mode = modes[below(c < 2 ? 5 : c == 2 ? 2 : 2)];
        text("  generation %u %x", c, mode);
        glTexGeni(GL_S + c, GL_TEXTURE_GEN_MODE, (GLint)mode);
        glTexGenfv(GL_S + c, GL_OBJECT_PLANE, values(-1, 1));
        glTexGenfv(GL_S + c, GL_EYE_PLANE, values(-1, 1));
    }
}

/* Textures vary slowly, so that small differences of coordinates stay small. */
static void units(void) {
    static const GLenum formats[] = {
        GL_RGBA, GL_RGB, GL_ALPHA, GL_LUMINANCE, GL_LUMINANCE_ALPHA, GL_INTENSITY};
    for (int u = 0; u < 2; u++) {
        glActiveTexture(GL_TEXTURE0 + (GLenum)u);
        float texels[8][8][4];
        for (int i = 0; i < 64; i++)
            for (int c = 0; c < 4; c++)
                texels[i / 8][i % 8][c] = (float)(abs(i / 8 - 4) + abs(i % 8 - 4) + c) / 12;
        const GLenum format = PICK(formats);
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, 8, 8, 0, GL_RGBA, GL_FLOAT, texels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        enable(GL_TEXTURE_2D, 3);
        text("  unit %d format %x", u, format);
        environment();
        coordinates();
        glMatrixMode(GL_TEXTURE);
        glLoadIdentity();
        if (seldom(3))
            glRotatef(real(0, 90), 0, 0, 1);
    }
    glActiveTexture(GL_TEXTURE0);
}

static void fragments(void) {
    enable(GL_ALPHA_TEST, 4);
    const GLenum alpha = PICK(compare);
    const float reference = (float)below(10) / 10 + 0.03f;
    glAlphaFunc(alpha, reference);
    enable(GL_COLOR_SUM, 4);
    enable(GL_DEPTH_TEST, 3);
    const GLenum depth = PICK(compare);
    glDepthFunc(depth);
    text("alpha %x %g, depth %x", alpha, reference, depth);
    enable(GL_NORMALIZE, 2);
    enable(GL_RESCALE_NORMAL, 4);
    enable(GL_BLEND, 4);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glShadeModel(seldom(3) ? GL_FLAT : GL_SMOOTH);
    for (GLenum i = 0; i < 6; i++) {
        const double plane[4] = {real(-1, 1), real(-1, 1), real(-1, 1), real(0, 1)};
        enable(GL_CLIP_PLANE0 + i, 12);
        glClipPlane(GL_CLIP_PLANE0 + i, plane);
    }
    enable(GL_CULL_FACE, 8);
    glFrontFace(seldom(2) ? GL_CW : GL_CCW);
    GLubyte pattern[128];
    for (int i = 0; i < 128; i++)
        pattern[i] = (GLubyte)below(256);
    enable(GL_POLYGON_STIPPLE, 6);
    glPolygonStipple(pattern);
}

static void vertex(void) {
    glNormal3fv(values(-1, 1));
    glColor4fv(values(0, 1));
    glSecondaryColor3fv(values(0, 0.5f));
    glFogCoordf(real(0, 2));
    glMultiTexCoord2fv(GL_TEXTURE0, values(-1, 1));
    glMultiTexCoord2fv(GL_TEXTURE1, values(-1, 1));
    if (seldom(4))
        glMaterialfv(GL_FRONT, GL_DIFFUSE, values(0, 1));
    glVertex3f((float)below(WIDTH + 1), (float)below(HEIGHT + 1), real(-0.4f, 0.4f));
}

static void shapes(void) {
    /* no quads: each driver cuts a quad that is not flat or not convex in its own way */
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_POLYGON};
    const GLenum mode = PICK(modes);
    const int n = between(3, mode == GL_POLYGON ? 3 : 12);
    text("begin %x, %d vertices", mode, n);
    glBegin(mode);
    for (int i = 0; i < n; i++)
        vertex();
    glEnd();
}

static void evaluator(void) {
    float points[4][4][3], colours[2][2][4];
    for (int i = 0; i < 16; i++) {
        points[i / 4][i % 4][0] = (float)(i % 4) * WIDTH / 3;
        points[i / 4][i % 4][1] = (float)(i / 4) * HEIGHT / 3;
        points[i / 4][i % 4][2] = real(-0.3f, 0.3f);
    }
    memcpy(colours, values(0, 1), sizeof colours);
    glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 4, 0, 1, 12, 4, &points[0][0][0]);
    glMap2f(GL_MAP2_COLOR_4, 0, 1, 4, 2, 0, 1, 8, 2, &colours[0][0][0]);
    glEnable(GL_MAP2_VERTEX_3);
    enable(GL_MAP2_COLOR_4, 2);
    enable(GL_AUTO_NORMAL, 2);
    const int u = between(1, 8), v = between(1, 8);
    text("evaluate %d %d", u, v);
    glMapGrid2f(u, 0, 1, v, 0, 1);
    glEvalMesh2(GL_FILL, 0, u, 0, v);
    glDisable(GL_MAP2_VERTEX_3);
    glDisable(GL_MAP2_COLOR_4);
    glDisable(GL_AUTO_NORMAL);
}

static void pixel_transfer(bool scaled, bool mapped) {
    static const GLenum scales[] = {GL_RED_SCALE, GL_GREEN_SCALE, GL_BLUE_SCALE, GL_ALPHA_SCALE},
                        biases[] = {GL_RED_BIAS, GL_GREEN_BIAS, GL_BLUE_BIAS, GL_ALPHA_BIAS};
    for (int i = 0; i < 4; i++) {
        glPixelTransferf(scales[i], scaled ? real(0.5f, 1.5f) : 1);
        glPixelTransferf(biases[i], scaled ? real(-0.2f, 0.2f) : 0);
        glPixelMapfv(GL_PIXEL_MAP_R_TO_R + (GLenum)i, 16, values(0, 1));
    }
    glPixelTransferi(GL_MAP_COLOR, mapped);
    text("transfer: scales %d map %d", scaled, mapped);
}

static void pixels(void) {
    static uint8_t data[16 * 16 * 4];
    static const GLenum formats[] = {GL_RGBA,
                                     GL_RGB,
                                     GL_BGRA,
                                     GL_LUMINANCE,
                                     GL_RED,
                                     GL_ALPHA,
                                     GL_LUMINANCE_ALPHA,
                                     GL_DEPTH_COMPONENT,
                                     GL_STENCIL_INDEX};
    for (int i = 0; i < (int)sizeof data; i++)
        data[i] = (uint8_t)below(256);
    glWindowPos2i(below(WIDTH), below(HEIGHT));
    glDisable(GL_ALPHA_TEST);     /* docs/opengl.md: Tesla's driver leaves the test out */
    for (int u = 0; u < 2; u++) { /* the coordinates of the units are undefined here */
        glActiveTexture(GL_TEXTURE0 + (GLenum)u);
        glDisable(GL_TEXTURE_2D);
    }
    glActiveTexture(GL_TEXTURE0);
    pixel_transfer(seldom(3), seldom(5));
    glPixelZoom((float)between(1, 2), (float)between(1, 2));
    const int w = between(1, 16), h = between(1, 16), kind = below(4);
    if (kind == 0) {
        text("bitmap %d %d", w, h);
        glBitmap(w, h, (float)below(4), (float)below(4), 5, 0, data);
    } else if (kind == 1) {
        const int x = below(WIDTH - 16), y = below(HEIGHT - 16);
        text("copy %d %d at %d %d", w, h, x, y);
        glCopyPixels(x, y, w, h, GL_COLOR);
    } else {
        const GLenum format = PICK(formats);
        text("draw pixels %d %d format %x", w, h, format);
        glDrawPixels(w, h, format, GL_UNSIGNED_BYTE, data);
    }
    pixel_transfer(false, false);
}

static void back_to_pipeline(void) {
    static float data[4096];
    static GLuint names[256];
    const bool select = seldom(2);
    for (GLenum i = 0; i < 6; i++) /* each driver gives clipped vertices in its own order */
        glDisable(GL_CLIP_PLANE0 + i);
    memset(data, 0, sizeof data);
    memset(names, 0, sizeof names);
    glFeedbackBuffer(4096, GL_4D_COLOR_TEXTURE, data);
    glSelectBuffer(256, names);
    glRenderMode(select ? GL_SELECT : GL_FEEDBACK);
    glInitNames();
    glPushName(7);
    shapes();
    glLoadName(9);
    shapes();
    const int n = glRenderMode(GL_RENDER);
    text("%s: %d", select ? "select" : "feedback", n);
    report("feedback count", -1, &n, 1);
    if (!select && n > 0) /* Mesa computes these values on the CPU; the driver chooses the code */
        report_most("feedback", 0.02f, 5, data, n);
    for (int i = 0; select && i < n; i++)
        report("name", -1, names + 4 * i + 3, 1);
}

static void calls(uint32_t seed) {
    static GLuint buffers[2];
    (void)seed;
    if (!buffers[0]) {
        glBindFramebuffer(GL_FRAMEBUFFER, name_of(glGenFramebuffers));
        glGenRenderbuffers(2, buffers);
        glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                  buffers[0]);
        glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, WIDTH, HEIGHT);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                                  buffers[1]);
        glViewport(0, 0, WIDTH, HEIGHT);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    }
    glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    glOrtho(-1, 1, -1, 1, 0, 2);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glTranslatef(-1, -1, -1);
    glScalef(2.0f / WIDTH, 2.0f / HEIGHT, 1);
    for (int k = between(1, 4); k > 0; k--) {
        lights();
        fog();
        units();
        fragments();
        glMatrixMode(GL_MODELVIEW);
        const int kind = below(8);
        if (kind == 0) {
            pixels();
        } else if (kind == 1) {
            back_to_pipeline();
        } else if (kind == 2) {
            evaluator();
        } else if (kind == 3) {
            const GLuint list = glGenLists(1);
            text("list");
            glNewList(list, seldom(2) ? GL_COMPILE_AND_EXECUTE : GL_COMPILE);
            glPushAttrib(GL_ALL_ATTRIB_BITS);
            glPushMatrix();
            glTranslatef((float)between(-9, 9), (float)between(-9, 9), 0);
            shapes();
            glPopMatrix();
            glPopAttrib();
            glEndList();
            glCallList(list);
            glDeleteLists(list, 1);
        } else {
            shapes();
        }
        static uint8_t bytes[WIDTH * HEIGHT * 4];
        static float picture[WIDTH * HEIGHT * 4], depths[WIDTH * HEIGHT];
        glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
        for (int i = 0; i < WIDTH * HEIGHT * 4; i++)
            picture[i] = (float)bytes[i] / 255;
        report_most("picture", 0.03f, 3, picture, SIZE(picture));
        glReadPixels(0, 0, WIDTH, HEIGHT, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
        report_most("depth", 0.01f, 3, depths, SIZE(depths));
        report_errors();
    }
}
