/* The OpenGL part of `teslapipe glsl`, which runs under `teslapipe gl --record`: compiles and links
 * shaders, writes OpenGL's facts about the program, and draws, so that the driver uploads code and
 * constants. In: GLSL files. Out: a file of facts, messages with file and line. Must not know
 * machine code.
 *
 * The draws, in this order: with the uniforms' initial values; with a mark in each word of each
 * uniform that is no bool; as often as glsl_bool_draws() says, in draw k with those bools true
 * whose number has bit k; without --capture, by another program that captures the varyings. */
#include "tools/gl_context.h"
#include "tools/glsl.h"

#include "shader/isa/isa.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { TARGETS = 8, TARGET_SIZE = 16, MAX_SHADERS = 8, MAX_CAPTURE = 64 };

struct shader {
    enum program_type stage;
    const char *file;
    char *text;
};

struct inside {
    FILE *facts;
    struct shader shader[MAX_SHADERS];
    int shaders;
    const char *capture[MAX_CAPTURE]; /* names that --capture gives */
    int captured;
    GLuint program;
    uint32_t marks; /* number of marks so far */
    uint32_t bools;
    GLuint unit; /* number of texture units so far */
};

static const GLenum stage_enums[PROGRAM_TYPES] = {
    [PROGRAM_VP] = GL_VERTEX_SHADER,           [PROGRAM_TCP] = GL_TESS_CONTROL_SHADER,
    [PROGRAM_TEP] = GL_TESS_EVALUATION_SHADER, [PROGRAM_GP] = GL_GEOMETRY_SHADER,
    [PROGRAM_FP] = GL_FRAGMENT_SHADER,
};

static const struct command inside_command = {.name = "glsl"};

static bool make_context(void) {
    int version[2];
    const enum gl_made made = gl_make_context(version);
    if (made == GL_NO_LIBRARY)
        command_failed(&inside_command, "%s (Debian: libegl1)", dlerror());
    else if (made != GL_MADE)
        command_failed(&inside_command, "no OpenGL 3.3 context; `teslapipe gl --check` tells why");
    return made == GL_MADE;
}

/* ---- messages of the compiler ---- */

/* Prints a line of Mesa's log, "0:12(5): error: ..." with the shader's number, line and column, as
 * "file:12:5: error: ...". */
static void print_line(const char *file, const char *line, int length) {
    int source, row, column, used = 0;
    if (sscanf(line, "%d:%d(%d): %n", &source, &row, &column, &used) == 3 && used)
        fprintf(stderr, "%s:%d:%d: %.*s\n", file, row, column, length - used, line + used);
    else if (length > 1)
        fprintf(stderr, "%s: %.*s\n", file, length, line);
}

static void print_log(const char *file, const char *log) {
    while (*log) {
        const int length = (int)strcspn(log, "\n");
        print_line(file, log, length);
        log += length + (log[length] == '\n');
    }
}

static GLuint compile_shader(const struct shader *s) {
    char log[16384] = "";
    GLint ok = 0;
    const GLuint name = GL(CreateShader)(stage_enums[s->stage]);
    if (!name) {
        command_failed(&inside_command, "%s: this chip has no %s programs", s->file,
                       program_stage_name(s->stage));
        return 0;
    }
    GL(ShaderSource)(name, 1, (const GLchar *const *)&s->text, NULL);
    GL(CompileShader)(name);
    GL(GetShaderiv)(name, GL_COMPILE_STATUS, &ok);
    GL(GetShaderInfoLog)(name, sizeof log, NULL, log);
    print_log(s->file, log); /* warnings, too */
    return ok ? name : 0;
}

/* Links the shaders and captures the varyings `capture`. Returns 0 after a message; quiet: without
 * one. */
static GLuint link_shaders(const struct inside *n, const GLuint *shaders, int count,
                           const char *const *capture, bool quiet) {
    char log[16384] = "";
    GLint ok = 0;
    const GLuint program = GL(CreateProgram)();
    for (int i = 0; i < n->shaders; i++)
        GL(AttachShader)(program, shaders[i]);
    if (count)
        GL(TransformFeedbackVaryings)(program, count, capture, GL_INTERLEAVED_ATTRIBS);
    GL(LinkProgram)(program);
    GL(GetProgramiv)(program, GL_LINK_STATUS, &ok);
    GL(GetProgramInfoLog)(program, sizeof log, NULL, log);
    if (!quiet)
        print_log("link", log);
    return ok ? program : 0;
}

/* ---- uniforms ---- */

static void tell_uniform(struct inside *n, GLuint index) {
    char name[GLSL_NAME];
    GLint size, block, offset, stride, columns, row_major;
    GLenum type;
    GL(GetActiveUniform)(n->program, index, sizeof name, NULL, &size, &type, name);
    const struct glsl_type *t = glsl_type_find(type);
    if (!t) {
        fprintf(stderr, "teslapipe glsl: warning: uniform %s has a type (0x%x) that is left out\n",
                name, type);
        return;
    }
#define ASK(what, value) GL(GetActiveUniformsiv)(n->program, 1, &index, what, value)
    ASK(GL_UNIFORM_BLOCK_INDEX, &block);
    ASK(GL_UNIFORM_OFFSET, &offset);
    ASK(GL_UNIFORM_ARRAY_STRIDE, &stride);
    ASK(GL_UNIFORM_MATRIX_STRIDE, &columns);
    ASK(GL_UNIFORM_IS_ROW_MAJOR, &row_major);
#undef ASK
    const size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, "[0]") == 0)
        name[length - 3] = 0;
    if (t->base == 's') {
        fprintf(n->facts, "sampler\t%s\t%u\t%d\t%u\n", name, type, size, n->unit);
        n->unit += (GLuint)size;
        return;
    }
    fprintf(n->facts, "uniform\t%s\t%u\t%d\t%u\t%d\t%d\t%d\t%d\t%d\n", name, type, size,
            t->base == 'b' ? n->bools : n->marks, block, offset, stride, columns, row_major);
    if (t->base == 'b' && block < 0)
        n->bools += (uint32_t)size * t->columns * t->rows;
    else if (block < 0)
        n->marks += (uint32_t)size * t->columns * t->rows;
}

static GLuint count_of(const struct inside *n, GLenum list) {
    GLint count = 0;
    GL(GetProgramiv)(n->program, list, &count);
    return (GLuint)count;
}

static void tell_uniforms(struct inside *n) {
    char name[GLSL_NAME];
    for (GLuint i = 0; i < count_of(n, GL_ACTIVE_UNIFORM_BLOCKS); i++) {
        GLint size = 0;
        GL(GetActiveUniformBlockiv)(n->program, i, GL_UNIFORM_BLOCK_DATA_SIZE, &size);
        GL(GetActiveUniformBlockName)(n->program, i, sizeof name, NULL, name);
        fprintf(n->facts, "block\t%s\t%d\n", name, size);
    }
    for (GLuint i = 0; i < count_of(n, GL_ACTIVE_UNIFORMS); i++)
        tell_uniform(n, i);
}

typedef void matrix_fn(GLint, GLsizei, GLboolean, const GLfloat *);

static matrix_fn *matrix_setter(const struct glsl_type *t) {
    matrix_fn *const setters[5][5] = {
        [2] = {[2] = GL(UniformMatrix2fv),
               [3] = GL(UniformMatrix2x3fv),
               [4] = GL(UniformMatrix2x4fv)},
        [3] = {[2] = GL(UniformMatrix3x2fv),
               [3] = GL(UniformMatrix3fv),
               [4] = GL(UniformMatrix3x4fv)},
        [4] = {[2] = GL(UniformMatrix4x2fv),
               [3] = GL(UniformMatrix4x3fv),
               [4] = GL(UniformMatrix4fv)},
    };
    return setters[t->columns][t->rows];
}

static void set_words(const struct glsl_type *t, GLint location, GLsizei count, const void *words) {
    if (t->base == 'f' && t->columns > 1) {
        matrix_setter(t)(location, count, GL_FALSE, words);
        return;
    }
    void (*const floats[])(GLint, GLsizei, const GLfloat *) = {GL(Uniform1fv), GL(Uniform2fv),
                                                               GL(Uniform3fv), GL(Uniform4fv)};
    void (*const integers[])(GLint, GLsizei, const GLint *) = {GL(Uniform1iv), GL(Uniform2iv),
                                                               GL(Uniform3iv), GL(Uniform4iv)};
    void (*const naturals[])(GLint, GLsizei, const GLuint *) = {GL(Uniform1uiv), GL(Uniform2uiv),
                                                                GL(Uniform3uiv), GL(Uniform4uiv)};
    if (t->base == 'f')
        floats[t->rows - 1](location, count, words);
    else if (t->base == 'u')
        naturals[t->rows - 1](location, count, words);
    else
        integers[t->rows - 1](location, count, words);
}

/* Sets uniforms outside of blocks. bit < 0: sets those that are no bools to marks. Else sets each
 * bool to true if its number has the bit. Bools count from 1, marks from 0, in tell_uniform()'s
 * order. */
static void set_uniforms(const struct inside *n, int bit) {
    uint32_t mark = 0, flag = 0;
    for (GLuint i = 0; i < count_of(n, GL_ACTIVE_UNIFORMS); i++) {
        char name[GLSL_NAME];
        GLint size, block;
        GLenum type;
        GL(GetActiveUniform)(n->program, i, sizeof name, NULL, &size, &type, name);
        GL(GetActiveUniformsiv)(n->program, 1, &i, GL_UNIFORM_BLOCK_INDEX, &block);
        const struct glsl_type *t = glsl_type_find(type);
        if (!t || t->base == 's' || block >= 0)
            continue;
        const uint32_t words = (uint32_t)size * t->columns * t->rows;
        const bool is_bool = t->base == 'b';
        uint32_t *value = malloc(words * sizeof *value);
        for (uint32_t k = 0; value && k < words; k++)
            value[k] = is_bool ? bit >= 0 && (flag + k + 1) >> bit & 1 : GLSL_MARK | (mark + k);
        if (value && (is_bool ? bit >= 0 : bit < 0))
            set_words(t, GL(GetUniformLocation)(n->program, name), size, value);
        free(value);
        flag += is_bool ? words : 0;
        mark += is_bool ? 0 : words;
    }
}

/* Fills the uniform blocks: words of block i have the value GLSL_MARK | i << 14 | number. */
static void set_blocks(const struct inside *n) {
    static uint32_t word[1 << 14];
    for (GLuint i = 0; i < count_of(n, GL_ACTIVE_UNIFORM_BLOCKS); i++) {
        GLuint buffer;
        GLint size = 0;
        GL(GetActiveUniformBlockiv)(n->program, i, GL_UNIFORM_BLOCK_DATA_SIZE, &size);
        for (uint32_t k = 0; k < 1 << 14; k++)
            word[k] = GLSL_MARK | i << 14 | k;
        GL(GenBuffers)(1, &buffer);
        GL(BindBufferBase)(GL_UNIFORM_BUFFER, i, buffer);
        GL(BufferData)(GL_UNIFORM_BUFFER, sizeof word, word, GL_STATIC_DRAW);
        GL(UniformBlockBinding)(n->program, i, i);
    }
}

/* ---- textures: unit n has a texture n + 1 texels wide ---- */

static void make_texture(GLenum target, GLuint unit, char base, bool shadow) {
    const GLsizei w = (GLsizei)unit + 1;
    const GLenum internal = shadow        ? GL_DEPTH_COMPONENT24
                            : base == 'i' ? GL_RGBA32I
                            : base == 'u' ? GL_RGBA32UI
                                          : GL_RGBA8;
    const GLenum format = shadow ? GL_DEPTH_COMPONENT : base == 'f' ? GL_RGBA : GL_RGBA_INTEGER;
    const GLenum type = base == 'f' ? GL_FLOAT : base == 'i' ? GL_INT : GL_UNSIGNED_INT;
    GLuint name;
    GL(ActiveTexture)(GL_TEXTURE0 + unit);
    GL(GenTextures)(1, &name);
    GL(BindTexture)(target, name);
    if (target == GL_TEXTURE_BUFFER) {
        GLuint buffer;
        GL(GenBuffers)(1, &buffer);
        GL(BindBuffer)(GL_TEXTURE_BUFFER, buffer);
        GL(BufferData)(GL_TEXTURE_BUFFER, w * 16, NULL, GL_STATIC_DRAW);
        GL(TexBuffer)(GL_TEXTURE_BUFFER, base == 'f' ? GL_RGBA32F : internal, buffer);
    } else if (target == GL_TEXTURE_2D_MULTISAMPLE) {
        GL(TexImage2DMultisample)(target, 4, internal, w, 1, GL_TRUE);
    } else if (target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY) {
        GL(TexImage3DMultisample)(target, 4, internal, w, 1, 1, GL_TRUE);
    } else if (target == GL_TEXTURE_1D) {
        GL(TexImage1D)(target, 0, (GLint)internal, w, 0, format, type, NULL);
    } else if (target == GL_TEXTURE_CUBE_MAP) {
        for (GLenum face = 0; face < 6; face++)
            GL(TexImage2D)(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, (GLint)internal, w, w, 0,
                           format, type, NULL);
    } else if (target == GL_TEXTURE_CUBE_MAP_ARRAY) {
        GL(TexImage3D)(target, 0, (GLint)internal, w, w, 6, 0, format, type, NULL);
    } else if (target == GL_TEXTURE_3D || target == GL_TEXTURE_2D_ARRAY) {
        GL(TexImage3D)(target, 0, (GLint)internal, w, 1, 1, 0, format, type, NULL);
    } else {
        GL(TexImage2D)(target, 0, (GLint)internal, w, 1, 0, format, type, NULL);
    }
    if (target != GL_TEXTURE_BUFFER && target != GL_TEXTURE_2D_MULTISAMPLE &&
        target != GL_TEXTURE_2D_MULTISAMPLE_ARRAY) {
        GL(TexParameteri)(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        GL(TexParameteri)(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
}

static const struct sampler_target {
    GLenum sampler, target;
    char base;
    bool shadow;
} sampler_targets[] = {
#define KIND(name, target)                                                                         \
    {GL_SAMPLER_##name, target, 'f', false}, {GL_INT_SAMPLER_##name, target, 'i', false}, {        \
        GL_UNSIGNED_INT_SAMPLER_##name, target, 'u', false                                         \
    }
    KIND(1D, GL_TEXTURE_1D),
    KIND(2D, GL_TEXTURE_2D),
    KIND(3D, GL_TEXTURE_3D),
    KIND(CUBE, GL_TEXTURE_CUBE_MAP),
    KIND(1D_ARRAY, GL_TEXTURE_1D_ARRAY),
    KIND(2D_ARRAY, GL_TEXTURE_2D_ARRAY),
    KIND(CUBE_MAP_ARRAY, GL_TEXTURE_CUBE_MAP_ARRAY),
    KIND(2D_RECT, GL_TEXTURE_RECTANGLE),
    KIND(BUFFER, GL_TEXTURE_BUFFER),
    KIND(2D_MULTISAMPLE, GL_TEXTURE_2D_MULTISAMPLE),
    KIND(2D_MULTISAMPLE_ARRAY, GL_TEXTURE_2D_MULTISAMPLE_ARRAY),
#undef KIND
    {GL_SAMPLER_1D_SHADOW, GL_TEXTURE_1D, 'f', true},
    {GL_SAMPLER_2D_SHADOW, GL_TEXTURE_2D, 'f', true},
    {GL_SAMPLER_CUBE_SHADOW, GL_TEXTURE_CUBE_MAP, 'f', true},
    {GL_SAMPLER_1D_ARRAY_SHADOW, GL_TEXTURE_1D_ARRAY, 'f', true},
    {GL_SAMPLER_2D_ARRAY_SHADOW, GL_TEXTURE_2D_ARRAY, 'f', true},
    {GL_SAMPLER_CUBE_MAP_ARRAY_SHADOW, GL_TEXTURE_CUBE_MAP_ARRAY, 'f', true},
    {GL_SAMPLER_2D_RECT_SHADOW, GL_TEXTURE_RECTANGLE, 'f', true},
};

static void set_samplers(const struct inside *n) {
    GLuint unit = 0;
    for (GLuint i = 0; i < count_of(n, GL_ACTIVE_UNIFORMS); i++) {
        char name[GLSL_NAME];
        GLint size, units[64];
        GLenum type;
        GL(GetActiveUniform)(n->program, i, sizeof name, NULL, &size, &type, name);
        const struct glsl_type *t = glsl_type_find(type);
        if (!t || t->base != 's')
            continue;
        for (GLint k = 0; k < size && k < 64; k++) {
            units[k] = (GLint)unit;
            for (size_t s = 0; s < sizeof sampler_targets / sizeof *sampler_targets; s++)
                if (sampler_targets[s].sampler == type)
                    make_texture(sampler_targets[s].target, unit, sampler_targets[s].base,
                                 sampler_targets[s].shadow);
            unit++;
        }
        GL(Uniform1iv)(GL(GetUniformLocation)(n->program, name), size < 64 ? size : 64, units);
    }
}

/* ---- inputs and outputs ---- */

/* Tells the inputs and sets their arrays: the array of location n begins at byte 64 n, so that the
 * hardware's state shows which attribute takes the location. */
static void tell_inputs(const struct inside *n) {
    GLuint array, buffer;
    GL(GenVertexArrays)(1, &array);
    GL(BindVertexArray)(array);
    GL(GenBuffers)(1, &buffer);
    GL(BindBuffer)(GL_ARRAY_BUFFER, buffer);
    GL(BufferData)(GL_ARRAY_BUFFER, 4096, NULL, GL_STATIC_DRAW);
    for (GLuint i = 0; i < count_of(n, GL_ACTIVE_ATTRIBUTES); i++) {
        char name[GLSL_NAME];
        GLint size;
        GLenum type;
        GL(GetActiveAttrib)(n->program, i, sizeof name, NULL, &size, &type, name);
        const struct glsl_type *t = glsl_type_find(type);
        const GLint location = GL(GetAttribLocation)(n->program, name);
        fprintf(n->facts, "input\t%s\t%u\t%d\t%d\n", name, type, size, location);
        for (GLint k = 0; t && location >= 0 && k < size * t->columns && location + k < 16; k++) {
            const GLuint at = (GLuint)(location + k);
            const void *offset = (const void *)(uintptr_t)(64 * at);
            if (t->base == 'f')
                GL(VertexAttribPointer)(at, 4, GL_FLOAT, GL_FALSE, 16, offset);
            else
                GL(VertexAttribIPointer)(at, 4, t->base == 'u' ? GL_UNSIGNED_INT : GL_INT, 16,
                                         offset);
            GL(EnableVertexAttribArray)(at);
        }
    }
}

static void tell_outputs(const struct inside *n) {
    GLint count = 0;
    GL(GetProgramInterfaceiv)(n->program, GL_PROGRAM_OUTPUT, GL_ACTIVE_RESOURCES, &count);
    for (GLuint i = 0; i < (GLuint)count; i++) {
        static const GLenum what[] = {GL_TYPE, GL_LOCATION};
        char name[GLSL_NAME];
        GLint value[2] = {0, -1};
        GL(GetProgramResourceName)(n->program, GL_PROGRAM_OUTPUT, i, sizeof name, NULL, name);
        GL(GetProgramResourceiv)(n->program, GL_PROGRAM_OUTPUT, i, 2, what, 2, NULL, value);
        fprintf(n->facts, "output\t%s\t%d\t%d\t%d\n", name, value[0], value[1],
                value[1] >= 0 ? GL(GetFragDataIndex)(n->program, name) : 0);
    }
}

/* ---- drawing ---- */

static void make_targets(void) {
    GLenum all[TARGETS];
    GLuint name;
    GL(GenFramebuffers)(1, &name);
    GL(BindFramebuffer)(GL_FRAMEBUFFER, name);
    for (GLenum i = 0; i < TARGETS; i++) {
        all[i] = GL_COLOR_ATTACHMENT0 + i;
        GL(ActiveTexture)(GL_TEXTURE0);
        GL(GenTextures)(1, &name);
        GL(BindTexture)(GL_TEXTURE_2D, name);
        GL(TexImage2D)(GL_TEXTURE_2D, 0, GL_RGBA8, TARGET_SIZE, TARGET_SIZE, 0, GL_RGBA,
                       GL_UNSIGNED_BYTE, NULL);
        GL(FramebufferTexture2D)(GL_FRAMEBUFFER, all[i], GL_TEXTURE_2D, name, 0);
    }
    GL(DrawBuffers)(TARGETS, all);
    GL(Viewport)(0, 0, TARGET_SIZE, TARGET_SIZE);
    GL(Enable)(GL_SCISSOR_TEST);
    GL(Scissor)(0, 0, 0, 0);
    GL(Enable)(0x8642); /* GL_PROGRAM_POINT_SIZE */
}

static bool has_stage(const struct inside *n, enum program_type stage) {
    bool found = false;
    for (int i = 0; i < n->shaders; i++)
        found |= n->shader[i].stage == stage;
    return found;
}

static GLenum draw_mode(const struct inside *n) {
    GLint mode = GL_TRIANGLES;
    if (has_stage(n, PROGRAM_TEP))
        mode = GL_PATCHES;
    else if (has_stage(n, PROGRAM_GP))
        GL(GetProgramiv)(n->program, GL_GEOMETRY_INPUT_TYPE, &mode);
    return (GLenum)mode;
}

static void draw_once(const struct inside *n) {
    GL(DrawArrays)(draw_mode(n), 0, 6);
    GL(Finish)();
}

/* ---- varyings ---- */

/* Lists the outputs, except gl_..., of the last stage before the rasterizer. To find them, links a
 * program of that stage alone. */
static int list_varyings(const struct inside *n, const GLuint *shaders, char names[][GLSL_NAME],
                         int room) {
    int last = -1, found = 0;
    GLint count = 0, ok = 0;
    static const enum program_type order[] = {PROGRAM_VP, PROGRAM_TEP, PROGRAM_GP};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (int i = 0; i < n->shaders; i++)
            last = n->shader[i].stage == order[k] ? i : last;
    const GLuint program = GL(CreateProgram)();
    GL(ProgramParameteri)(program, GL_PROGRAM_SEPARABLE, GL_TRUE);
    GL(AttachShader)(program, shaders[last]);
    GL(LinkProgram)(program);
    GL(GetProgramiv)(program, GL_LINK_STATUS, &ok);
    if (ok)
        GL(GetProgramInterfaceiv)(program, GL_PROGRAM_OUTPUT, GL_ACTIVE_RESOURCES, &count);
    for (GLuint i = 0; i < (GLuint)count && found < room; i++) {
        GL(GetProgramResourceName)(program, GL_PROGRAM_OUTPUT, i, GLSL_NAME, NULL, names[found]);
        found += strncmp(names[found], "gl_", 3) != 0;
    }
    for (int i = 0; i < found; i++) { /* arrays are captured as a whole */
        char *const end = names[i] + strlen(names[i]);
        if (end - names[i] > 3 && strcmp(end - 3, "[0]") == 0)
            end[-3] = 0;
    }
    return found;
}

static void capture_draw(struct inside *n) {
    static const GLenum made[][2] = {
        {GL_POINTS, GL_POINTS}, {GL_LINE_STRIP, GL_LINES}, {GL_TRIANGLE_STRIP, GL_TRIANGLES}};
    GLuint buffer;
    GLint type = 0;
    GLenum primitive = draw_mode(n);
    if (has_stage(n, PROGRAM_GP)) {
        GL(GetProgramiv)(n->program, GL_GEOMETRY_OUTPUT_TYPE, &type);
        for (size_t i = 0; i < sizeof made / sizeof *made; i++)
            primitive = made[i][0] == (GLenum)type ? made[i][1] : primitive;
    } else if (has_stage(n, PROGRAM_TEP)) {
        GLint points = 0, mode = 0;
        GL(GetProgramiv)(n->program, GL_TESS_GEN_POINT_MODE, &points);
        GL(GetProgramiv)(n->program, GL_TESS_GEN_MODE, &mode);
        primitive = points ? GL_POINTS : mode == GL_ISOLINES ? GL_LINES : GL_TRIANGLES;
    }
    GL(GenBuffers)(1, &buffer);
    GL(BindBufferBase)(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    GL(BufferData)(GL_TRANSFORM_FEEDBACK_BUFFER, 1 << 16, NULL, GL_STREAM_READ);
    GL(BeginTransformFeedback)(primitive);
    draw_once(n);
    GL(EndTransformFeedback)();
}

/* Draws with the varyings captured: the state of the driver then has their result slots. */
static void tell_varyings(struct inside *n, const GLuint *shaders) {
    static char names[MAX_CAPTURE][GLSL_NAME];
    const char *list[MAX_CAPTURE];
    const int count = list_varyings(n, shaders, names, MAX_CAPTURE);
    GLuint program = 0;
    int used = 0;
    for (int i = 0; i < count; i++) { /* only varyings that can be captured */
        list[used++] = names[i];
        const GLuint with = link_shaders(n, shaders, used, list, true);
        used -= !with;
        program = with ? with : program;
    }
    if (!used || !program)
        return;
    n->program = program;
    for (GLuint i = 0; i < (GLuint)used; i++) {
        char name[GLSL_NAME];
        GLsizei size = 0;
        GLenum type = 0;
        GL(GetTransformFeedbackVarying)(program, i, sizeof name, NULL, &size, &type, name);
        fprintf(n->facts, "varying\t%s\t%u\t%d\n", name, type, size);
    }
    GL(UseProgram)(program);
    set_samplers(n);
    set_blocks(n);
    capture_draw(n);
    fprintf(n->facts, "draw\tcapture\n");
}

/* ---- all ---- */

static int read_arguments(struct inside *n, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        char *const equal = strchr(argv[i], '=');
        if (!equal || n->shaders == MAX_SHADERS)
            return EXIT_USAGE;
        *equal = 0;
        if (strcmp(argv[i], "capture") == 0 && n->captured < MAX_CAPTURE) {
            n->capture[n->captured++] = equal + 1;
            continue;
        }
        const int stage = program_type_from_name(argv[i]);
        size_t size;
        struct shader *s = &n->shader[n->shaders++];
        if (stage < 0 || stage == PROGRAM_CP)
            return EXIT_USAGE;
        s->stage = (enum program_type)stage;
        s->file = equal + 1;
        s->text = read_whole_text(&inside_command, s->file, &size);
        if (!s->text)
            return EXIT_FAILED;
    }
    return n->shaders ? EXIT_FINE : EXIT_USAGE;
}

static int compile_and_draw(struct inside *n) {
    GLuint shaders[MAX_SHADERS];
    bool ok = true;
    for (int i = 0; i < n->shaders; i++) {
        shaders[i] = compile_shader(&n->shader[i]);
        ok &= shaders[i] != 0;
    }
    n->program = ok ? link_shaders(n, shaders, n->captured, n->capture, false) : 0;
    if (!n->program)
        return EXIT_FAILED;
    fprintf(n->facts, "driver\t%s, %s\n", (const char *)GL(GetString)(GL_RENDERER),
            (const char *)GL(GetString)(GL_VERSION));
    make_targets();
    tell_inputs(n);
    tell_uniforms(n);
    tell_outputs(n);
    if (n->marks >= GLSL_MARKS)
        return command_failed(&inside_command, "too many words of uniforms");
    GL(UseProgram)(n->program);
    set_samplers(n);
    set_blocks(n);
    if (n->captured)
        capture_draw(n);
    else
        draw_once(n);
    fprintf(n->facts, "draw\tinitial\n");
    set_uniforms(n, -1);
    draw_once(n);
    fprintf(n->facts, "draw\tmarks\n");
    for (uint32_t bit = 0; bit < glsl_bool_draws(n->bools); bit++) {
        set_uniforms(n, (int)bit);
        draw_once(n);
        fprintf(n->facts, "draw\tbit\n");
    }
    if (!n->captured)
        tell_varyings(n, shaders);
    const GLenum error = GL(GetError)();
    return error ? command_failed(&inside_command, "OpenGL error 0x%x", error) : EXIT_FINE;
}

int glsl_inside(int argc, char **argv) {
    struct inside n = {0};
    const int read = argc < 2 ? EXIT_USAGE : read_arguments(&n, argc - 1, argv + 1);
    if (read != EXIT_FINE)
        return read;
    if (!make_context())
        return EXIT_FAILED;
    n.facts = fopen(argv[0], "we");
    if (!n.facts)
        return command_failed(&inside_command, "%s: cannot be written", argv[0]);
    int code = compile_and_draw(&n);
    if (fclose(n.facts) != 0)
        code = EXIT_FAILED;
    for (int i = 0; i < n.shaders; i++)
        free(n.shader[i].text);
    return code;
}
