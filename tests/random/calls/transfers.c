/* Transfers: pixels go into textures, from texture to texture, and out, with random formats, types,
 * pixel storage, buffers, rectangles and levels. */
#define CONTEXT                                                                                    \
    ((const EGLint[]){EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE})
#include "calls.h"

enum { MOST = 24, TEXTURES = 3, ROOM = 1 << 20 };
enum class { COLOUR, SINT, UINT, DEPTH };

static const struct format {
    GLenum name;
    enum class class;
    float step; /* tolerance; negative: texels are integers, which must be equal */
    int bytes;
} formats[] = {
    {GL_RGBA8, COLOUR, 1 / 255.f, 4},
    {GL_RGB8, COLOUR, 1 / 255.f, 0},
    {GL_RG8, COLOUR, 1 / 255.f, 2},
    {GL_R8, COLOUR, 1 / 255.f, 1},
    {GL_RGBA16, COLOUR, 1e-4f, 8},
    {GL_RG16, COLOUR, 1e-4f, 4},
    {GL_R16, COLOUR, 1e-4f, 2},
    {GL_RGB10_A2, COLOUR, 1 / 3.f, 4},
    {GL_RGB5_A1, COLOUR, 1.f, 0},
    {GL_RGB565, COLOUR, 1 / 31.f, 0},
    {GL_RGBA4, COLOUR, 1 / 15.f, 0},
    {GL_RGBA8_SNORM, COLOUR, 1 / 127.f, 4},
    {GL_RG8_SNORM, COLOUR, 1 / 127.f, 2},
    {GL_R16_SNORM, COLOUR, 1e-4f, 2},
    {GL_SRGB8_ALPHA8, COLOUR, 3 / 255.f, 4},
    {GL_RGBA16F, COLOUR, 1e-3f, 8},
    {GL_RG16F, COLOUR, 1e-3f, 4},
    {GL_R16F, COLOUR, 1e-3f, 2},
    {GL_RGBA32F, COLOUR, 1e-5f, 16},
    {GL_RG32F, COLOUR, 1e-5f, 8},
    {GL_R32F, COLOUR, 1e-5f, 4},
    {GL_R11F_G11F_B10F, COLOUR, 1 / 32.f, 4},
    {GL_RGB9_E5, COLOUR, 1 / 128.f, 0},
    {GL_RGBA8I, SINT, -1, 4},
    {GL_RG16I, SINT, -1, 4},
    {GL_R32I, SINT, -1, 4},
    {GL_RGBA32I, SINT, -1, 16},
    {GL_RGBA8UI, UINT, -1, 4},
    {GL_RG8UI, UINT, -1, 2},
    {GL_RGBA16UI, UINT, -1, 8},
    {GL_R8UI, UINT, -1, 1},
    {GL_RG32UI, UINT, -1, 8},
    {GL_DEPTH_COMPONENT16, DEPTH, 1e-4f, 0},
    {GL_DEPTH_COMPONENT24, DEPTH, 1e-6f, 0},
    {GL_DEPTH_COMPONENT32F, DEPTH, 1e-6f, 0},
    {GL_DEPTH24_STENCIL8, DEPTH, 1e-6f, 0},
};

static const GLenum targets[] = {GL_TEXTURE_2D,       GL_TEXTURE_2D,      GL_TEXTURE_RECTANGLE,
                                 GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D,      GL_TEXTURE_CUBE_MAP,
                                 GL_TEXTURE_1D,       GL_TEXTURE_1D_ARRAY};

/* A level of a cube map has six layers. */
static struct texture {
    GLuint name;
    GLenum target;
    const struct format *format;
    int width, height, layers, levels;
    float step; /* the largest tolerance of all formats through which its texels came */
} textures[TEXTURES];

struct box {
    int level, x, y, z, width, height, depth;
};

static GLuint pack, unpack, framebuffers[2];
static uint8_t client[ROOM];

static int shrunk(int size, int level) {
    return size >> level ? size >> level : 1;
}

static struct box whole(const struct texture *t, int level) {
    return (struct box){.level = level,
                        .width = shrunk(t->width, level),
                        .height =
                            t->target == GL_TEXTURE_1D_ARRAY ? t->height : shrunk(t->height, level),
                        .depth = t->target == GL_TEXTURE_3D ? shrunk(t->layers, level) : t->layers};
}

static struct box part(const struct texture *t) {
    struct box b = whole(t, below(t->levels));
    if (seldom(3))
        return b;
    b.x = below(b.width);
    b.y = below(b.height);
    b.z = below(b.depth);
    b.width = between(1, b.width - b.x);
    b.height = between(1, b.height - b.y);
    b.depth = between(1, b.depth - b.z);
    return b;
}

static void text_box(const char *call, const struct texture *t, const struct box *b) {
    text("%s: texture %d level %d at %d %d %d size %d %d %d", call, (int)(t - textures), b->level,
         b->x, b->y, b->z, b->width, b->height, b->depth);
}

/* A layer of a texture, attached to a framebuffer. */
static GLenum attach_layer(GLenum target, const struct texture *t, int level, int layer) {
    const GLenum at = t->format->name == GL_DEPTH24_STENCIL8 ? GL_DEPTH_STENCIL_ATTACHMENT
                      : t->format->class == DEPTH            ? GL_DEPTH_ATTACHMENT
                                                             : GL_COLOR_ATTACHMENT0;
    const GLuint f = framebuffers[target == GL_DRAW_FRAMEBUFFER];
    glBindFramebuffer(target, f);
    glFramebufferTexture(target, GL_DEPTH_STENCIL_ATTACHMENT, 0, 0);
    glFramebufferTexture(target, GL_COLOR_ATTACHMENT0, 0, 0);
    if (t->target == GL_TEXTURE_CUBE_MAP)
        glFramebufferTexture2D(target, at, GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)layer, t->name,
                               level);
    else if (t->target == GL_TEXTURE_2D || t->target == GL_TEXTURE_RECTANGLE ||
             t->target == GL_TEXTURE_1D)
        glFramebufferTexture(target, at, t->name, level);
    else
        glFramebufferTextureLayer(target, at, t->name, level, layer);
    if (target == GL_DRAW_FRAMEBUFFER)
        glDrawBuffer(t->format->class == DEPTH ? GL_NONE : GL_COLOR_ATTACHMENT0);
    else
        glReadBuffer(t->format->class == DEPTH ? GL_NONE : GL_COLOR_ATTACHMENT0);
    return glCheckFramebufferStatus(target);
}

/* The number of rows of a box in a framebuffer. A layer of a 1D array is attached alone, so it has
 * one row. */
static int rows(const struct texture *t, const struct box *b) {
    return t->target == GL_TEXTURE_1D_ARRAY ? 1 : b->height;
}

static int layer_of(const struct texture *t, const struct box *b) {
    return t->target == GL_TEXTURE_1D_ARRAY ? b->y : b->z;
}

struct layout {
    GLenum format, type;
    int components, bytes;
    bool packed;
};

static struct layout random_layout(enum class class) {
    static const struct {
        GLenum name;
        int components;
    } colours[] = {{GL_RED, 1},  {GL_RG, 2},   {GL_RGB, 3},  {GL_BGR, 3},
                   {GL_RGBA, 4}, {GL_BGRA, 4}, {GL_GREEN, 1}},
      integers[] = {{GL_RED_INTEGER, 1},
                    {GL_RG_INTEGER, 2},
                    {GL_RGB_INTEGER, 3},
                    {GL_RGBA_INTEGER, 4},
                    {GL_BGRA_INTEGER, 4}};
    static const struct {
        GLenum name;
        int bytes, components;
    } types[] = {{GL_UNSIGNED_BYTE, 1, 0},
                 {GL_BYTE, 1, 0},
                 {GL_UNSIGNED_SHORT, 2, 0},
                 {GL_SHORT, 2, 0},
                 {GL_UNSIGNED_INT, 4, 0},
                 {GL_INT, 4, 0},
                 {GL_FLOAT, 4, 0},
                 {GL_HALF_FLOAT, 2, 0},
                 {GL_UNSIGNED_SHORT_5_6_5, 2, 3},
                 {GL_UNSIGNED_SHORT_4_4_4_4_REV, 2, 4},
                 {GL_UNSIGNED_SHORT_5_5_5_1, 2, 4},
                 {GL_UNSIGNED_INT_8_8_8_8, 4, 4},
                 {GL_UNSIGNED_INT_2_10_10_10_REV, 4, 4},
                 {GL_UNSIGNED_INT_10F_11F_11F_REV, 4, 3}};
    struct layout l = {0};
    if (class == DEPTH) {
        l.format = GL_DEPTH_COMPONENT;
        l.components = 1;
    } else if (class == COLOUR) {
        const int i = below(SIZE(colours));
        l.format = colours[i].name;
        l.components = colours[i].components;
    } else {
        const int i = below(SIZE(integers));
        l.format = integers[i].name;
        l.components = integers[i].components;
    }
    for (;;) {
        const int i = below(SIZE(types)), fields = types[i].components;
        const bool real = types[i].name == GL_FLOAT || types[i].name == GL_HALF_FLOAT;
        if (class == DEPTH && (fields || types[i].name == GL_HALF_FLOAT))
            continue;
        if ((class == SINT || class == UINT) && (real || fields))
            continue;
        if (fields && (fields != l.components || (fields == 3 && l.format != GL_RGB)))
            continue;
        l.type = types[i].name;
        l.packed = fields != 0;
        l.bytes = types[i].bytes * (fields ? 1 : l.components);
        return l;
    }
}

/* Sets random pixel storage. Bytes are not swapped together with skipped pixels: Mesa would read
 * behind its own memory. Returns the number of bytes from the first pixel to the end of a box. */
static int storage(bool packing, const struct layout *l, const struct box *b) {
    const bool swap = seldom(6);
    const int alignment = 1 << below(4), row = seldom(3) ? b->width + below(5) : 0,
              image = b->depth > 1 && seldom(3) ? b->height + below(3) : 0,
              skip = !swap && seldom(3) ? below(4) : 0,
              skip_rows = !swap && seldom(3) ? below(3) : 0,
              skip_images = !swap && b->depth > 1 && seldom(4) ? below(2) : 0;
#define STORE(name, value) glPixelStorei(packing ? GL_PACK_##name : GL_UNPACK_##name, value)
    STORE(ALIGNMENT, alignment);
    STORE(ROW_LENGTH, row);
    STORE(IMAGE_HEIGHT, image);
    STORE(SKIP_PIXELS, skip);
    STORE(SKIP_ROWS, skip_rows);
    STORE(SKIP_IMAGES, skip_images);
    STORE(SWAP_BYTES, swap);
    text("  format %x type %x alignment %d row %d image %d skips %d %d %d swap %d", l->format,
         l->type, alignment, row, image, skip, skip_rows, skip_images, swap);
    const int pitch = ((row ? row : b->width) * l->bytes + alignment - 1) / alignment * alignment;
    const int slice = pitch * (image ? image : b->height);
    return slice * (b->depth + skip_images) + pitch * (skip_rows + 1) + l->bytes * (skip + 1);
}

static bool integers(const struct layout *l) {
    return l->format == GL_RED_INTEGER || l->format == GL_RG_INTEGER ||
           l->format == GL_RGB_INTEGER || l->format == GL_RGBA_INTEGER ||
           l->format == GL_BGRA_INTEGER;
}

/* Fills the upload with random values. Floats lie between 0 and 1, halves between 3000 and 3bff.
 * Integers are in the range of every format. */
static void fill(const struct layout *l, int bytes) {
    for (int i = 0; i < bytes; i += 4) {
        uint32_t word = random_word();
        const float f = real(0, 1);
        if (l->type == GL_FLOAT)
            memcpy(&word, &f, 4);
        else if (integers(l))
            word &= l->type == GL_BYTE || l->type == GL_UNSIGNED_BYTE     ? 0x7f7f7f7f
                    : l->type == GL_SHORT || l->type == GL_UNSIGNED_SHORT ? 0x7f007f
                                                                          : 0x7f;
        else if (l->type == GL_HALF_FLOAT)
            word = (word & 0x07ff07ff) | 0x30003000;
        else if (l->type == GL_UNSIGNED_INT_10F_11F_11F_REV)
            word = 0x1a0u | 0x1a0u << 11 | 0xd0u << 22 | (word & 0x07c1f83f);
        memcpy(client + i, &word, 4);
    }
}

/* Puts random pixels to where an upload reads. Returns the pointer for the upload's call. */
static const void *source(const struct layout *l, const struct box *b) {
    const int bytes = storage(false, l, b);
    GLint swap;
    glGetIntegerv(GL_UNPACK_SWAP_BYTES, &swap);
    if (swap && (integers(l) || l->type == GL_FLOAT || l->type == GL_HALF_FLOAT ||
                 l->type == GL_UNSIGNED_INT_10F_11F_11F_REV))
        glPixelStorei(GL_UNPACK_SWAP_BYTES, 0);
    fill(l, bytes);
    if (!seldom(3))
        return client;
    const int offset = 8 * below(5);
    text("  from a buffer, %d", offset);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, unpack);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, bytes + offset, NULL, GL_STREAM_DRAW);
    glBufferSubData(GL_PIXEL_UNPACK_BUFFER, offset, bytes, client);
    return (const void *)(intptr_t)offset;
}

static void image(const struct texture *t, GLenum target, const struct box *b,
                  const struct layout *l, const void *p) {
    const GLint name = (GLint)t->format->name;
    if (t->target == GL_TEXTURE_1D)
        glTexImage1D(target, b->level, name, b->width, 0, l->format, l->type, p);
    else if (t->target == GL_TEXTURE_3D || t->target == GL_TEXTURE_2D_ARRAY)
        glTexImage3D(target, b->level, name, b->width, b->height, b->depth, 0, l->format, l->type,
                     p);
    else
        glTexImage2D(target, b->level, name, b->width, b->height, 0, l->format, l->type, p);
}

static struct layout layout_of(const struct texture *t) {
    return random_layout(t->format->class);
}

static void make(struct texture *t) {
    for (;;) {
        t->format = &PICK(formats);
        t->target = PICK(targets);
        if (t->format->class != DEPTH || t->target != GL_TEXTURE_3D)
            break;
    }
    t->step = t->format->step;
    t->width = between(1, MOST);
    t->height = t->target == GL_TEXTURE_1D         ? 1
                : t->target == GL_TEXTURE_CUBE_MAP ? t->width
                                                   : between(1, MOST);
    t->layers = t->target == GL_TEXTURE_3D         ? between(1, 9)
                : t->target == GL_TEXTURE_2D_ARRAY ? between(1, 5)
                : t->target == GL_TEXTURE_CUBE_MAP ? 6
                                                   : 1;
    int longest = t->width;
    if (t->target != GL_TEXTURE_1D_ARRAY && t->height > longest)
        longest = t->height;
    if (t->target == GL_TEXTURE_3D && t->layers > longest)
        longest = t->layers;
    for (t->levels = 1; t->target != GL_TEXTURE_RECTANGLE && longest >> t->levels; t->levels++)
        if (seldom(2))
            break;
    t->name = name_of(glGenTextures);
    glBindTexture(t->target, t->name);
    text("texture %d: target %x format %x size %d %d %d levels %d", (int)(t - textures), t->target,
         t->format->name, t->width, t->height, t->layers, t->levels);
    glTexParameteri(t->target, GL_TEXTURE_MAX_LEVEL, t->levels - 1);
    for (int level = 0; level < t->levels; level++) {
        struct box b = whole(t, level);
        const bool cube = t->target == GL_TEXTURE_CUBE_MAP;
        for (int face = 0; face < (cube ? 6 : 1); face++) {
            if (cube)
                b.depth = 1;
            const struct layout l = layout_of(t);
            image(t, cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : t->target, &b, &l,
                  source(&l, &b));
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        }
    }
}

static void upload(struct texture *t) {
    struct box b = part(t);
    if (t->target == GL_TEXTURE_CUBE_MAP)
        b.depth = 1;
    const struct layout l = layout_of(t);
    text_box("upload", t, &b);
    const void *p = source(&l, &b);
    if (t->target == GL_TEXTURE_1D)
        glTexSubImage1D(t->target, b.level, b.x, b.width, l.format, l.type, p);
    else if (t->target == GL_TEXTURE_3D || t->target == GL_TEXTURE_2D_ARRAY)
        glTexSubImage3D(t->target, b.level, b.x, b.y, b.z, b.width, b.height, b.depth, l.format,
                        l.type, p);
    else
        glTexSubImage2D(t->target == GL_TEXTURE_CUBE_MAP
                            ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)b.z
                            : t->target,
                        b.level, b.x, b.y, b.width, b.height, l.format, l.type, p);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

/* Reports the pixels of a download: those of integer formats as words, all others as floats. Packed
 * types and swapped bytes are left out. */
static void report_pixels(const struct texture *t, const struct layout *l, const void *pixels,
                          int bytes) {
    static float values[ROOM];
    int n = 0;
    const uint8_t *p = pixels;
    const float step = t->step;
    GLint swap;
    glGetIntegerv(GL_PACK_SWAP_BYTES, &swap);
    /* as an integer of 32 bits, 1.0 overflows in Mesa */
    const bool wide =
        t->format->class == COLOUR && (l->type == GL_INT || l->type == GL_UNSIGNED_INT);
    if (swap || wide || l->packed || t->step < 0) {
        if (!l->packed && !swap && !wide)
            report("integers", -1, pixels, bytes / 4);
        return;
    }
    for (int i = 0; i < bytes; i += l->bytes / l->components) {
        uint32_t w;
        float f;
        memcpy(&w, p + i, 4);
        memcpy(&f, p + i, 4);
        switch (l->type) {
        case GL_UNSIGNED_BYTE:
            f = (float)p[i] / 255;
            break;
        case GL_BYTE:
            f = (float)(int8_t)p[i] / 127;
            break;
        case GL_UNSIGNED_SHORT:
            f = (float)(uint16_t)w / 65535;
            break;
        case GL_SHORT:
            f = (float)(int16_t)w / 32767;
            break;
        case GL_UNSIGNED_INT:
            f = (float)w / 4294967295.f;
            break;
        case GL_INT:
            f = (float)(int32_t)w / 2147483647.f;
            break;
        case GL_HALF_FLOAT: {
            _Float16 h;
            memcpy(&h, p + i, 2);
            f = (float)h;
            break;
        }
        default:
            break;
        }
        values[n++] = f;
    }
    report("pixels",
           2.1f * (step > 1 / 127.f || (l->type != GL_BYTE && l->type != GL_UNSIGNED_BYTE)
                       ? step
                       : 1 / 127.f),
           values, n);
}

/* Reads a texture or a part of a layer of it, by glGetTexImage or glReadPixels. */
static void download(struct texture *t) {
    struct box b = part(t);
    const struct layout l = layout_of(t);
    const bool image = seldom(2);
    if (image)
        b = whole(t, b.level);
    if (t->target == GL_TEXTURE_CUBE_MAP || !image)
        b.depth = 1;
    const int z = t->target == GL_TEXTURE_CUBE_MAP && image ? below(6) : b.z;
    if (!image &&
        attach_layer(GL_READ_FRAMEBUFFER, t, b.level, layer_of(t, &b)) != GL_FRAMEBUFFER_COMPLETE)
        return;
    if (!image)
        b.height = rows(t, &b);
    text_box(image ? "get" : "read", t, &b);
    int bytes = storage(true, &l, &b);
    bytes = (bytes + 7) & ~7;
    memset(client, 0, (size_t)bytes);
    const bool buffer = seldom(3);
    void *p = client;
    if (buffer) {
        glBindBuffer(GL_PIXEL_PACK_BUFFER, pack);
        glBufferData(GL_PIXEL_PACK_BUFFER, bytes, client, GL_STREAM_READ);
        p = NULL;
        text("  into a buffer");
    }
    if (image)
        glGetTexImage(t->target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)z
                                                       : t->target,
                      b.level, l.format, l.type, p);
    else
        glReadPixels(b.x, t->target == GL_TEXTURE_1D_ARRAY ? 0 : b.y, b.width, b.height, l.format,
                     l.type, p);
    if (buffer)
        glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, bytes, client);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    report_pixels(t, &l, client, bytes);
}

static void coarser(struct texture *t, const struct texture *a) {
    if (t->step < a->step)
        t->step = a->step;
}

static void clip_for_pair(const struct texture *a, struct box *from, struct texture *b,
                          struct box *to) {
    coarser(b, a);
    const int height = rows(a, from) < rows(b, to) ? rows(a, from) : rows(b, to);
    from->width = to->width = from->width < to->width ? from->width : to->width;
    from->height = to->height = height;
    from->depth = to->depth = from->depth < to->depth ? from->depth : to->depth;
}

static void copy_tex(struct texture *a, struct texture *t) {
    struct box from = part(a), to = part(t);
    if (a == t || a->format->class != t->format->class || a->format->class == DEPTH ||
        a->format->name == GL_RGB9_E5 || t->format->name == GL_RGB9_E5 ||
        (a->format->name == GL_SRGB8_ALPHA8) != (t->format->name == GL_SRGB8_ALPHA8) ||
        attach_layer(GL_READ_FRAMEBUFFER, a, from.level, layer_of(a, &from)) !=
            GL_FRAMEBUFFER_COMPLETE)
        return;
    clip_for_pair(a, &from, t, &to);
    text_box("copy from", a, &from);
    text_box("copy to", t, &to);
    const int y = a->target == GL_TEXTURE_1D_ARRAY ? 0 : from.y;
    if (t->target == GL_TEXTURE_1D)
        glCopyTexSubImage1D(t->target, to.level, to.x, from.x, y, to.width);
    else if (t->target == GL_TEXTURE_3D || t->target == GL_TEXTURE_2D_ARRAY)
        glCopyTexSubImage3D(t->target, to.level, to.x, to.y, to.z, from.x, y, to.width, to.height);
    else
        glCopyTexSubImage2D(t->target == GL_TEXTURE_CUBE_MAP
                                ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)to.z
                                : t->target,
                            to.level, to.x, to.y, from.x, y, to.width, to.height);
}

static void copy_image(struct texture *a, struct texture *t) {
    struct box from = part(a), to = part(t);
    if (a == t ||
        (a->format != t->format && (!a->format->bytes || a->format->bytes != t->format->bytes ||
                                    a->format->step != t->format->step)))
        return;
    if (a->target == GL_TEXTURE_1D_ARRAY || t->target == GL_TEXTURE_1D_ARRAY)
        return;
    clip_for_pair(a, &from, t, &to);
    text_box("image from", a, &from);
    text_box("image to", t, &to);
    glCopyImageSubData(a->name, a->target, from.level, from.x, from.y, from.z, t->name, t->target,
                       to.level, to.x, to.y, to.z, to.width, to.height, to.depth);
}

static void blit(struct texture *a, struct texture *t) {
    const struct box from = part(a), to = part(t);
    if (a == t || a->format->class != t->format->class ||
        (a->format->class == DEPTH && a->format != t->format) ||
        (a->format->name == GL_SRGB8_ALPHA8) != (t->format->name == GL_SRGB8_ALPHA8) ||
        attach_layer(GL_READ_FRAMEBUFFER, a, from.level, layer_of(a, &from)) !=
            GL_FRAMEBUFFER_COMPLETE ||
        attach_layer(GL_DRAW_FRAMEBUFFER, t, to.level, layer_of(t, &to)) != GL_FRAMEBUFFER_COMPLETE)
        return;
    /* with whole factors no pixel's centre lies on a texel's edge */
    const int fx = between(1, 3), fy = between(1, 3), flip = below(4);
    const int w = from.width < to.width / fx ? from.width : to.width / fx;
    const int fh = rows(a, &from), th = rows(t, &to), h = fh < th / fy ? fh : th / fy;
    if (!w || !h)
        return;
    const int sy = a->target == GL_TEXTURE_1D_ARRAY ? 0 : from.y,
              dy = t->target == GL_TEXTURE_1D_ARRAY ? 0 : to.y;
    int x0 = to.x, x1 = to.x + w * fx, y0 = dy, y1 = dy + h * fy;
    if (flip & 1)
        x0 = x1, x1 = to.x;
    if (flip & 2)
        y0 = y1, y1 = dy;
    coarser(t, a);
    text_box("blit from", a, &from);
    text_box("blit to", t, &to);
    const bool scissor = seldom(4);
    text("  %d %d to %d %d %d %d scissor %d", w, h, x0, y0, x1, y1, scissor);
    if (scissor) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(below(MOST), below(MOST), below(MOST), below(MOST));
    }
    glBlitFramebuffer(from.x, sy, from.x + w, sy + h, x0, y0, x1, y1,
                      a->format->name == GL_DEPTH24_STENCIL8
                          ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT
                      : a->format->class == DEPTH ? GL_DEPTH_BUFFER_BIT
                                                  : GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    glDisable(GL_SCISSOR_TEST);
}

static void clear_texture(struct texture *t) {
    const struct box b = part(t);
    struct layout l = layout_of(t);
    if (t->format->class == DEPTH) {
        l.format = GL_DEPTH_COMPONENT;
        l.type = GL_FLOAT;
    }
    if (t->format->name == GL_DEPTH24_STENCIL8)
        return;
    fill(&l, 32);
    const bool value = !seldom(4);
    text_box("clear", t, &b);
    text("  format %x type %x value %d", l.format, l.type, value);
    glClearTexSubImage(t->name, b.level, b.x, b.y, b.z, b.width, b.height, b.depth, l.format,
                       l.type, value ? client : NULL);
}

static void clear_target(struct texture *t) {
    const struct box b = part(t);
    if (attach_layer(GL_DRAW_FRAMEBUFFER, t, b.level, layer_of(t, &b)) != GL_FRAMEBUFFER_COMPLETE)
        return;
    text_box("clear the target", t, &b);
    const GLfloat f[4] = {real(0, 1), real(0, 1), real(0, 1), real(0, 1)};
    const GLint i[4] = {between(-99, 99), between(-99, 99), between(-99, 99), between(-99, 99)};
    const GLuint u[4] = {(GLuint)below(128), (GLuint)below(128), (GLuint)below(128),
                         (GLuint)below(128)};
    if (seldom(2)) {
        glEnable(GL_SCISSOR_TEST);
        glScissor(b.x, t->target == GL_TEXTURE_1D_ARRAY ? 0 : b.y, b.width, b.height);
    }
    if (seldom(3))
        glColorMask(seldom(2), seldom(2), seldom(2), seldom(2));
    if (t->format->class == COLOUR)
        glClearBufferfv(GL_COLOR, 0, f);
    else if (t->format->class == SINT)
        glClearBufferiv(GL_COLOR, 0, i);
    else if (t->format->class == UINT)
        glClearBufferuiv(GL_COLOR, 0, u);
    else if (t->format->name == GL_DEPTH24_STENCIL8)
        glClearBufferfi(GL_DEPTH_STENCIL, 0, f[0], i[0]);
    else
        glClearBufferfv(GL_DEPTH, 0, f);
    glColorMask(1, 1, 1, 1);
    glDisable(GL_SCISSOR_TEST);
}

static void mipmaps(struct texture *t) {
    if (t->format->class != COLOUR || t->levels == 1 || t->width & (t->width - 1) ||
        t->height & (t->height - 1) || t->layers & (t->layers - 1) || t->format->name == GL_RGB9_E5)
        return;
    text("mipmaps of %d", (int)(t - textures));
    glBindTexture(t->target, t->name);
    glGenerateMipmap(t->target);
}

/* Reports all levels of a texture, as floats or words. */
static void report_texture(struct texture *t, const char *name) {
    const GLenum format = t->format->class == COLOUR  ? GL_RGBA
                          : t->format->class == DEPTH ? GL_DEPTH_COMPONENT
                                                      : GL_RGBA_INTEGER;
    const GLenum type = t->format->class == SINT   ? GL_INT
                        : t->format->class == UINT ? GL_UNSIGNED_INT
                                                   : GL_FLOAT;
    glBindTexture(t->target, t->name);
    for (int level = 0; level < t->levels; level++) {
        const struct box b = whole(t, level);
        const bool cube = t->target == GL_TEXTURE_CUBE_MAP;
        for (int face = 0; face < (cube ? 6 : 1); face++) {
            const int texels = b.width * b.height * (cube ? 1 : b.depth);
            char label[64];
            snprintf(label, sizeof label, "%s, level %d %d", name, level, face);
            memset(client, 0, sizeof client);
            glGetTexImage(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : t->target, level,
                          format, type, client);
            report(label, t->step < 0 ? -1 : 2.1f * t->step, client,
                   texels * (t->format->class == DEPTH ? 1 : 4));
        }
    }
}

static void reset_storage(bool packing) {
    STORE(ALIGNMENT, 4);
    STORE(ROW_LENGTH, 0);
    STORE(IMAGE_HEIGHT, 0);
    STORE(SKIP_PIXELS, 0);
    STORE(SKIP_ROWS, 0);
    STORE(SKIP_IMAGES, 0);
    STORE(SWAP_BYTES, 0);
}

static void calls(uint32_t seed) {
    (void)seed;
    if (!pack) {
        pack = name_of(glGenBuffers);
        unpack = name_of(glGenBuffers);
        glGenFramebuffers(2, framebuffers);
    }
    for (int i = 0; i < TEXTURES; i++)
        make(&textures[i]);
    reset_storage(true);
    for (int k = between(2, 10); k > 0; k--) {
        struct texture *a = &textures[below(TEXTURES)], *t = &textures[below(TEXTURES)];
        glBindTexture(t->target, t->name);
        const int op = below(8);
        op == 0   ? upload(t)
        : op == 1 ? download(t)
        : op == 2 ? copy_tex(a, t)
        : op == 3 ? copy_image(a, t)
        : op == 4 ? blit(a, t)
        : op == 5 ? clear_texture(t)
        : op == 6 ? clear_target(t)
                  : mipmaps(t);
        report_errors();
        reset_storage(true);
        for (int i = 0; texts && i < TEXTURES; i++)
            report_texture(&textures[i], (char[]){'t', (char)('0' + i), 0});
    }
    for (int i = 0; i < TEXTURES; i++) {
        char name[24];
        snprintf(name, sizeof name, "texture%d", i);
        report_texture(&textures[i], name);
        glDeleteTextures(1, &textures[i].name);
    }
}
