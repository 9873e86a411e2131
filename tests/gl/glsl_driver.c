/* Draws the scene of glsl_scene.h with OpenGL: glsl_driver OUT STAGE=FILE..., STAGE as vp, tcp,
 * tep, gp, fp. */
#define GL_GLEXT_PROTOTYPES
#include "glsl_scene.h"
#include "surfaceless.h"

#include <GL/glcorearb.h>

/* Attaches a stage. Returns true if it is a fragment program that reads the place in a point. */
static int attach(GLuint program, const char *stage, const char *path) {
    static char text[1 << 16];
    const GLchar *source = text;
    FILE *in = fopen(path, "r");
    if (!in)
        exit(2);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    const GLuint s = glCreateShader(stage[0] == 'v'   ? GL_VERTEX_SHADER
                                    : stage[0] == 'g' ? GL_GEOMETRY_SHADER
                                    : stage[0] != 't' ? GL_FRAGMENT_SHADER
                                    : stage[1] == 'c' ? GL_TESS_CONTROL_SHADER
                                                      : GL_TESS_EVALUATION_SHADER);
    glShaderSource(s, 1, &source, NULL);
    glCompileShader(s);
    glAttachShader(program, s);
    return strstr(text, "gl_PointCoord") != NULL;
}

static char base_of(GLenum type) {
    return type == GL_INT || (type >= GL_INT_VEC2 && type <= GL_INT_VEC4)      ? 'i'
           : type == GL_UNSIGNED_INT || (type >= 0x8dc6 && type <= 0x8dc8)     ? 'u'
           : type == GL_BOOL || (type >= GL_BOOL_VEC2 && type <= GL_BOOL_VEC4) ? 'b'
                                                                               : 'f';
}

/* The number of columns and rows of a type. */
static void shape_of(GLenum type, int *columns, int *rows) {
    static const struct {
        GLenum type;
        int columns, rows;
    } matrices[] = {{GL_FLOAT_MAT2, 2, 2},   {GL_FLOAT_MAT3, 3, 3},   {GL_FLOAT_MAT4, 4, 4},
                    {GL_FLOAT_MAT2x3, 2, 3}, {GL_FLOAT_MAT2x4, 2, 4}, {GL_FLOAT_MAT3x2, 3, 2},
                    {GL_FLOAT_MAT3x4, 3, 4}, {GL_FLOAT_MAT4x2, 4, 2}, {GL_FLOAT_MAT4x3, 4, 3}};
    *columns = 1;
    *rows = type >= GL_FLOAT_VEC2 && type <= GL_FLOAT_VEC4 ? (int)(type - GL_FLOAT_VEC2) + 2
            : type >= GL_INT_VEC2 && type <= GL_INT_VEC4   ? (int)(type - GL_INT_VEC2) + 2
            : type >= GL_BOOL_VEC2 && type <= GL_BOOL_VEC4 ? (int)(type - GL_BOOL_VEC2) + 2
            : type >= 0x8dc6 && type <= 0x8dc8             ? (int)(type - 0x8dc6) + 2
                                                           : 1;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        if (matrices[i].type == type) {
            *columns = matrices[i].columns;
            *rows = matrices[i].rows;
        }
}

static void set_texture(const char *name, GLenum type, GLuint unit, GLint location) {
    static uint32_t texels[SCENE_TEXTURE * SCENE_TEXTURE * SCENE_TEXTURE];
    const GLenum target = type == GL_SAMPLER_3D         ? GL_TEXTURE_3D
                          : type == GL_SAMPLER_CUBE     ? GL_TEXTURE_CUBE_MAP
                          : type == GL_SAMPLER_2D_ARRAY ? GL_TEXTURE_2D_ARRAY
                                                        : GL_TEXTURE_2D;
    const int depth = type == GL_SAMPLER_2D_SHADOW, n = SCENE_TEXTURE;
    const GLenum internal = depth ? GL_DEPTH_COMPONENT32F : GL_RGBA8;
    const GLenum format = depth ? GL_DEPTH_COMPONENT : GL_RGBA;
    const GLenum kind = depth ? GL_FLOAT : GL_UNSIGNED_BYTE;
    GLuint texture;
    scene_texels(name, depth, SCENE_TEXTURE * SCENE_TEXTURE * SCENE_TEXTURE, texels);
    glActiveTexture(GL_TEXTURE0 + unit);
    glGenTextures(1, &texture);
    glBindTexture(target, texture);
    if (target == GL_TEXTURE_2D)
        glTexImage2D(target, 0, (GLint)internal, n, n, 0, format, kind, texels);
    else if (target == GL_TEXTURE_CUBE_MAP)
        for (GLenum face = 0; face < 6; face++)
            glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, n, n, 0, format, kind,
                         texels + face * n * n);
    else
        glTexImage3D(target, 0, GL_RGBA8, n, n, n, 0, format, kind, texels);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    if (depth) {
        glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
        glTexParameteri(target, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    }
    glUniform1i(location, (GLint)unit);
}

static int is_sampler(GLenum type) {
    return (type >= GL_SAMPLER_1D && type <= GL_SAMPLER_2D_RECT_SHADOW) ||
           type == GL_SAMPLER_2D_ARRAY;
}

static void set_uniform(GLuint program, const char *name, const char *plain, GLenum type,
                        GLint size) {
    static uint32_t value[1024];
    int columns, rows;
    const char base = base_of(type);
    const GLint at = glGetUniformLocation(program, name);
    const float *const f = (const float *)value;
    shape_of(type, &columns, &rows);
    for (uint32_t i = 0; i < (uint32_t)(size * columns * rows); i++)
        value[i] = scene_uniform(plain, base, i);
    void (*const floats[])(GLint, GLsizei, const GLfloat *) = {glUniform1fv, glUniform2fv,
                                                               glUniform3fv, glUniform4fv};
    void (*const integers[])(GLint, GLsizei, const GLint *) = {glUniform1iv, glUniform2iv,
                                                               glUniform3iv, glUniform4iv};
    void (*const naturals[])(GLint, GLsizei, const GLuint *) = {glUniform1uiv, glUniform2uiv,
                                                                glUniform3uiv, glUniform4uiv};
    void (*const matrices[3][3])(GLint, GLsizei, GLboolean, const GLfloat *) = {
        {glUniformMatrix2fv, glUniformMatrix2x3fv, glUniformMatrix2x4fv},
        {glUniformMatrix3x2fv, glUniformMatrix3fv, glUniformMatrix3x4fv},
        {glUniformMatrix4x2fv, glUniformMatrix4x3fv, glUniformMatrix4fv}};
    if (columns > 1)
        matrices[columns - 2][rows - 2](at, size, GL_FALSE, f);
    else if (base == 'f')
        floats[rows - 1](at, size, f);
    else if (base == 'u')
        naturals[rows - 1](at, size, value);
    else
        integers[rows - 1](at, size, (const GLint *)value);
}

/* Writes a member of block `block` into the block's bytes. */
static void set_member(GLuint program, GLuint index, const char *plain, GLenum type, GLint size,
                       uint8_t *bytes) {
    GLint offset, array, matrix, row_major;
    int columns, rows;
    const char base = base_of(type);
    glGetActiveUniformsiv(program, 1, &index, GL_UNIFORM_OFFSET, &offset);
    glGetActiveUniformsiv(program, 1, &index, GL_UNIFORM_ARRAY_STRIDE, &array);
    glGetActiveUniformsiv(program, 1, &index, GL_UNIFORM_MATRIX_STRIDE, &matrix);
    glGetActiveUniformsiv(program, 1, &index, GL_UNIFORM_IS_ROW_MAJOR, &row_major);
    shape_of(type, &columns, &rows);
    for (int e = 0, i = 0; e < size; e++)
        for (int c = 0; c < columns; c++)
            for (int r = 0; r < rows; r++, i++) {
                uint32_t word = scene_uniform(plain, base, (uint32_t)i);
                word = base == 'b' && word ? UINT32_MAX : word;
                memcpy(bytes + offset + e * array +
                           (row_major ? r * matrix + 4 * c : c * matrix + 4 * r),
                       &word, 4);
            }
}

static void set_uniforms(GLuint program) {
    static uint8_t bytes[8][16384];
    GLint count;
    GLuint unit = 0;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (GLuint i = 0; i < (GLuint)count; i++) {
        char name[128], plain[128];
        GLint size, block;
        GLenum type;
        glGetActiveUniform(program, i, sizeof name, NULL, &size, &type, name);
        glGetActiveUniformsiv(program, 1, &i, GL_UNIFORM_BLOCK_INDEX, &block);
        strcpy(plain, name);
        if (strlen(plain) > 3 && strcmp(plain + strlen(plain) - 3, "[0]") == 0)
            plain[strlen(plain) - 3] = 0;
        if (block >= 0) {
            set_member(program, i, plain, type, size, bytes[block & 7]);
        } else if (is_sampler(type)) {
            for (GLint k = 0; k < size; k++) {
                char element[160];
                snprintf(element, sizeof element, size > 1 ? "%s[%d]" : "%s", plain, k);
                set_texture(element, type, unit++, glGetUniformLocation(program, element));
            }
        } else {
            set_uniform(program, name, plain, type, size);
        }
    }
    glGetProgramiv(program, GL_ACTIVE_UNIFORM_BLOCKS, &count);
    for (GLuint i = 0; i < (GLuint)count && i < 8; i++) {
        GLuint buffer;
        glGenBuffers(1, &buffer);
        glBindBufferBase(GL_UNIFORM_BUFFER, i, buffer);
        glBufferData(GL_UNIFORM_BUFFER, sizeof bytes[i], bytes[i], GL_STATIC_DRAW);
        glUniformBlockBinding(program, i, i);
    }
}

static void set_inputs(GLuint program) {
    GLint count;
    GLuint array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &count);
    for (GLuint n = 0; n < (GLuint)count; n++) {
        static uint32_t data[4 * SCENE_VERTICES];
        char name[128];
        GLint size;
        GLenum type;
        GLuint buffer;
        int columns, rows;
        glGetActiveAttrib(program, n, sizeof name, NULL, &size, &type, name);
        const GLint location = glGetAttribLocation(program, name);
        shape_of(type, &columns, &rows);
        for (int c = 0; location >= 0 && c < columns; c++) {
            char column[160];
            const GLuint at = (GLuint)(location + c);
            snprintf(column, sizeof column, c ? "%s[%d]" : "%s", name, c);
            for (uint32_t i = 0; i < 4 * SCENE_VERTICES; i++)
                data[i] = scene_input(column, base_of(type) != 'f', i / 4, i % 4);
            glGenBuffers(1, &buffer);
            glBindBuffer(GL_ARRAY_BUFFER, buffer);
            glBufferData(GL_ARRAY_BUFFER, sizeof data, data, GL_STATIC_DRAW);
            if (base_of(type) == 'f')
                glVertexAttribPointer(at, 4, GL_FLOAT, GL_FALSE, 16, NULL);
            else
                glVertexAttribIPointer(at, 4, base_of(type) == 'u' ? GL_UNSIGNED_INT : GL_INT, 16,
                                       NULL);
            glEnableVertexAttribArray(at);
        }
    }
}

int main(int argc, char **argv) {
    static float pixels[SCENE_SIZE * SCENE_SIZE * 4];
    struct scene_head head = {.mode = GL_TRIANGLES, .targets = 1};
    GLenum all[SCENE_TARGETS];
    GLint ok;
    GLuint framebuffer;
    int geometry = 0, sprites = 0;
    if (argc < 3)
        return 2;
    if (!make_context(EGL_OPENGL_API, 3, 3))
        exit(77);
    const GLuint program = glCreateProgram();
    for (int i = 2; i < argc; i++) {
        sprites |= attach(program, argv[i], strchr(argv[i], '=') + 1);
        if (argv[i][0] == 't')
            head.mode = GL_PATCHES;
        geometry |= argv[i][0] == 'g';
    }
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok)
        return 1;
    glUseProgram(program);
    if (sprites)
        head.mode = GL_POINTS;
    if (geometry)
        glGetProgramiv(program, GL_GEOMETRY_INPUT_TYPE, (GLint *)&head.mode);
    static const char *const outputs[] = {"o1", "o2", "o3"};
    for (uint32_t i = 0; i < 3; i++)
        if (glGetFragDataLocation(program, outputs[i]) >= 0)
            head.targets = i + 2;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    for (GLenum i = 0; i < head.targets; i++) {
        GLuint buffer;
        all[i] = GL_COLOR_ATTACHMENT0 + i;
        glGenRenderbuffers(1, &buffer);
        glBindRenderbuffer(GL_RENDERBUFFER, buffer);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA32F, SCENE_SIZE, SCENE_SIZE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, all[i], GL_RENDERBUFFER, buffer);
    }
    glDrawBuffers((GLsizei)head.targets, all);
    glViewport(0, 0, SCENE_SIZE, SCENE_SIZE);
    glClear(GL_COLOR_BUFFER_BIT);
    /* the driver does not move sprites' slots when it adds clip distances to a program */
    if (!sprites)
        glEnable(GL_CLIP_DISTANCE0);
    glPointSize(SCENE_POINT);
    set_uniforms(program);
    set_inputs(program);
    glDrawArraysInstanced(head.mode, SCENE_FIRST, SCENE_COUNT, SCENE_INSTANCES);
    FILE *out = fopen(argv[1], "wb");
    fwrite(&head, sizeof head, 1, out);
    for (GLenum i = 0; i < head.targets; i++) {
        glReadBuffer(all[i]);
        glReadPixels(0, 0, SCENE_SIZE, SCENE_SIZE, GL_RGBA, GL_FLOAT, pixels);
        fwrite(pixels, sizeof pixels, 1, out);
    }
    fclose(out);
    return glGetError() != 0;
}
