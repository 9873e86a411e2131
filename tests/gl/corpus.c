/* The corpus's GLSL programs on one driver, and a comparison of two drivers' results.
 *   corpus run FOLDER OUT RENDERER [NAME]     runs every program (or one), writes its pixels and
 *                                             captured vertices to OUT
 *   corpus compare REFERENCE TRIED [-v]       prints a verdict for each program
 * In: FOLDER/NAME.vert .geom .frag .tf (default.vert if there is no .vert). The inputs are the same
 * in every run: uniforms by reflection, textures of every type, a grid of triangles
 * (corpus_scene.h), in several rounds. */
#include "corpus_context.h"
#include "corpus_records.h"
#include "corpus_scene.h"
#include "corpus_textures.h"

#include <dirent.h>
#include <limits.h>

enum { MAX_TARGETS = 4, MAX_SAMPLERS = 4, CAPTURE_BYTES = 1 << 18 };

enum { ROUND_TRIANGLES, ROUND_WILD, ROUND_PACKED, ROUND_POINTS, ROUNDS };

static const struct round rounds[ROUNDS] = {
    [ROUND_TRIANGLES] = {"triangles", VALUES_PLAIN, GL_RGBA32F, GL_TRIANGLES, false, false, false,
                         GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_REPEAT},
    [ROUND_WILD] = {"wild", VALUES_WILD, GL_RGBA32F, GL_TRIANGLES, false, false, true,
                    GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR, GL_MIRRORED_REPEAT},
    [ROUND_PACKED] = {"packed", VALUES_PLAIN, GL_RGBA8, GL_TRIANGLES, true, true, false,
                      GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST, GL_CLAMP_TO_BORDER},
    [ROUND_POINTS] = {"points", VALUES_POINTS, GL_RGBA32F, GL_POINTS, false, false, false,
                      GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE},
};

/* Programs that the wild round leaves out, and why: most have undefined results in GLSL. */
static const struct {
    const char *name, *why;
} tame_only[] = {
    {"f_sqrt_rsq", "roots of negative numbers"},
    {"f_exp_log", "logarithms of negative numbers"},
    {"v_transcend", "powers of negative numbers"},
    {"i_convert", "negative numbers to uint"},
    {"i_mod", "remainders of negative numbers"},
    {"i_div", "a quotient of more than 24 bits, which float cannot hold, next to a smaller one"},
    {"m_const_array", "an index out of bounds"},
    {"g_lines_adj", "more vertices than max_vertices"},
    {"v_loop", "runs for 2^31 turns"},
    {"c_nested", "runs for 2^31 turns"},
};

struct program_text {
    char name[40];
    char *vertex, *geometry, *fragment, *capture;
};

static char *read_text(const char *folder, const char *name, const char *extension) {
    char path[PATH_MAX];
    char *text = NULL;
    snprintf(path, sizeof path, "%s/%s%s", folder, name, extension);
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    size_t capacity = 0;
    if (getdelim(&text, &capacity, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static struct program_text read_program(const char *folder, const char *name) {
    struct program_text p = {.vertex = read_text(folder, name, ".vert"),
                             .geometry = read_text(folder, name, ".geom"),
                             .fragment = read_text(folder, name, ".frag"),
                             .capture = read_text(folder, name, ".tf")};
    snprintf(p.name, sizeof p.name, "%.39s", name);
    return p;
}

static void free_program(struct program_text *p) {
    free(p->vertex);
    free(p->geometry);
    free(p->fragment);
    free(p->capture);
}

/* ---- uniforms ---- */

static void identity_with_noise(uint32_t seed, float m[16]) {
    for (uint32_t i = 0; i < 16; i++)
        m[i] = (i % 5 == 0) + 0.15f * (hash_float(seed, i) - 0.5f);
}

/* Sets one element of an active uniform to a value that follows from its type and running
 * number. */
static void set_uniform(GLint location, GLenum type, uint32_t seed) {
    float f[16];
    GLint n[4];
    for (uint32_t i = 0; i < 4; i++) {
        f[i] = 0.1f + 0.6f * hash_float(seed, 70 + i);
        n[i] = (GLint[4]){3, 7, 2, 5}[(i + seed) % 4];
    }
    switch (type) {
    case GL_FLOAT:
        glUniform1fv(location, 1, f);
        break;
    case GL_FLOAT_VEC4:
        glUniform4fv(location, 1, f);
        break;
    case GL_INT:
        glUniform1iv(location, 1, n);
        break;
    case GL_INT_VEC4:
        glUniform4iv(location, 1, n);
        break;
    case GL_FLOAT_MAT4:
        identity_with_noise(seed, f);
        glUniformMatrix4fv(location, 1, GL_FALSE, f);
        break;
    default:
        give_up(EXIT_FAILURE, "a uniform of type 0x%x: corpus.c sets none of that type", type);
    }
}

static void set_uniforms(GLuint program, const struct round *round, const GLuint *samplers) {
    GLint count = 0;
    GLuint unit = 0;
    glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
    for (GLuint i = 0; i < (GLuint)count; i++) {
        char name[64], element[80];
        GLint size;
        GLenum type;
        glGetActiveUniform(program, i, sizeof name, NULL, &size, &type, name);
        if (glGetUniformLocation(program, name) < 0)
            continue; /* a member of a block */
        glActiveTexture(GL_TEXTURE0 + unit);
        if (bind_texture_for(type)) {
            set_sampler(samplers[unit], type, round->min_filter, round->mag_filter, round->wrap);
            glBindSampler(unit, samplers[unit]);
            glUniform1i(glGetUniformLocation(program, name), (GLint)unit++);
            continue;
        }
        name[strcspn(name, "[")] = 0;
        for (GLint k = 0; k < size; k++) {
            snprintf(element, sizeof element, size > 1 ? "%s[%d]" : "%s", name, k);
            set_uniform(glGetUniformLocation(program, element), type, i * 64 + (uint32_t)k);
        }
    }
}

static void set_blocks(GLuint program) {
    static GLuint buffers[4];
    float values[256];
    GLint count = 0;
    if (!buffers[0])
        glGenBuffers(4, buffers);
    glGetProgramiv(program, GL_ACTIVE_UNIFORM_BLOCKS, &count);
    for (GLuint i = 0; i < (GLuint)count && i < 4; i++) {
        for (uint32_t k = 0; k < 256; k++)
            values[k] = 1.5f * hash_float(200 + i, k) - 0.5f;
        glBindBufferBase(GL_UNIFORM_BUFFER, i, buffers[i]);
        glBufferData(GL_UNIFORM_BUFFER, sizeof values, values, GL_STREAM_DRAW);
        glUniformBlockBinding(program, i, i);
    }
}

/* ---- drawing ---- */

struct machine {
    FILE *out;
    GLuint framebuffer, array, vertices, capture[3], samplers[MAX_SAMPLERS], query;
    GLuint colour[2][MAX_TARGETS], depth; /* [0] RGBA32F, [1] RGBA8 */
};

static void create_machine(struct machine *m) {
    static const GLenum formats[2] = {GL_RGBA32F, GL_RGBA8};
    glGenFramebuffers(1, &m->framebuffer);
    glGenVertexArrays(1, &m->array);
    glGenBuffers(1, &m->vertices);
    glGenBuffers(3, m->capture);
    glGenSamplers(MAX_SAMPLERS, m->samplers);
    glGenQueries(1, &m->query);
    glGenRenderbuffers(1, &m->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, m->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, TARGET_WIDTH, TARGET_HEIGHT);
    for (int f = 0; f < 2; f++) {
        glGenRenderbuffers(MAX_TARGETS, m->colour[f]);
        for (int i = 0; i < MAX_TARGETS; i++) {
            glBindRenderbuffer(GL_RENDERBUFFER, m->colour[f][i]);
            glRenderbufferStorage(GL_RENDERBUFFER, formats[f], TARGET_WIDTH, TARGET_HEIGHT);
        }
    }
    glBindVertexArray(m->array);
    glBindBuffer(GL_ARRAY_BUFFER, m->vertices);
    glBindFramebuffer(GL_FRAMEBUFFER, m->framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, m->depth);
    glViewport(0, 0, TARGET_WIDTH, TARGET_HEIGHT);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
}

/* The number of the program's colour outputs, by their names in the corpus. */
static int count_targets(GLuint program) {
    int count = 1;
    static const char *const names[] = {"o1", "o2", "o3"};
    for (int i = 0; i < 3; i++) {
        const GLint location = glGetFragDataLocation(program, names[i]);
        if (location >= count)
            count = location + 1;
    }
    return count;
}

static void clear_targets(const struct machine *m, const struct round *round, int targets) {
    static const GLenum all[MAX_TARGETS] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
                                            GL_COLOR_ATTACHMENT2, GL_COLOR_ATTACHMENT3};
    for (int i = 0; i < MAX_TARGETS; i++)
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, all[i], GL_RENDERBUFFER,
                                  i < targets ? m->colour[round->target == GL_RGBA8][i] : 0);
    glDrawBuffers(targets, all);
    glClearColor(0.25f, 0.5f, 0.125f, 0.75f);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

static void set_round_state(GLuint program, const struct program_text *p,
                            const struct round *round) {
    const bool dual = glGetFragDataIndex(program, "o1") == 1;
    enable(GL_BLEND, round->blend);
    glBlendFunc(GL_SRC_ALPHA, dual ? GL_SRC1_COLOR : GL_ONE_MINUS_SRC_ALPHA);
    enable(GL_DEPTH_CLAMP, round->depth_clamp);
    const bool clips = strstr(p->geometry ? p->geometry : p->vertex, "gl_ClipDistance") != NULL;
    for (GLenum i = 0; i < 6; i++)
        enable(GL_CLIP_DISTANCE0 + i, clips && (i < 2 || (i == 5 && !p->geometry)));
}

static GLenum input_mode(GLuint program, const struct program_text *p, const struct round *round) {
    GLint mode = (GLint)round->mode;
    if (p->geometry)
        glGetProgramiv(program, GL_GEOMETRY_INPUT_TYPE, &mode);
    return (GLenum)mode;
}

static void read_targets(const struct machine *m, const struct program_text *p,
                         const struct round *round, int targets) {
    static float pixels[TARGET_WIDTH * TARGET_HEIGHT * 4];
    const bool bytes = round->target == GL_RGBA8;
    for (int i = 0; i < targets; i++) {
        char part[32];
        snprintf(part, sizeof part, i ? "%s target %d" : "%s", round->name, i);
        glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)i);
        glReadPixels(0, 0, TARGET_WIDTH, TARGET_HEIGHT, GL_RGBA,
                     bytes ? GL_UNSIGNED_BYTE : GL_FLOAT, pixels);
        write_record(m->out, p->name, part, bytes ? RECORD_BYTES : RECORD_FLOATS, 4, TARGET_WIDTH,
                     pixels, sizeof pixels / (bytes ? 4 : 1));
    }
}

/* OpenGL leaves the value of a noperspective input undefined if a vertex lies behind the eye.
 * Programs with such an input get no vertex behind the eye. */
static enum attribute_values values_of(const struct program_text *p, const struct round *round) {
    const bool linear = strcmp(p->name, "s_interp_all") == 0 || strcmp(p->name, "v_many_out") == 0;
    return round->values == VALUES_WILD && linear ? VALUES_AHEAD : round->values;
}

static void draw_round(const struct machine *m, GLuint program, const struct program_text *p,
                       const struct round *round) {
    const int targets = count_targets(program);
    const GLenum mode = input_mode(program, p, round);
    glUseProgram(program);
    set_uniforms(program, round, m->samplers);
    set_blocks(program);
    clear_targets(m, round, targets);
    set_round_state(program, p, round);
    const int count = bind_scene(mode, values_of(p, round), round->packed);
    glDrawArraysInstanced(mode, 0, count, 2);
    read_targets(m, p, round, targets);
}

static bool takes_round(const struct program_text *p, int round) {
    const size_t n = sizeof tame_only / sizeof *tame_only;
    size_t i = 0;
    if (round == ROUND_POINTS) /* if the vertex stage writes a size */
        return !p->geometry && strncmp(p->name, "s_", 2) == 0;
    while (round == ROUND_WILD && i < n && strcmp(tame_only[i].name, p->name) != 0)
        i++;
    return round != ROUND_WILD || i == n;
}

/* ---- capturing vertices ---- */

/* The varyings to capture: those of the .tf file; otherwise the position and `c`. */
static int captured_varyings(const struct program_text *p, char *words, const char *names[4],
                             GLenum *mode) {
    int count = 0;
    *mode = GL_INTERLEAVED_ATTRIBS;
    strcpy(words, p->capture ? p->capture : "gl_Position c");
    for (char *word = strtok(words, " \n"); word && count < 4; word = strtok(NULL, " \n")) {
        if (strcmp(word, "SEPARATE") == 0)
            *mode = GL_SEPARATE_ATTRIBS;
        else
            names[count++] = word;
    }
    return count;
}

static void capture_vertices(const struct machine *m, GLuint program, const struct program_text *p,
                             const struct round *round, int buffers) {
    static const GLenum outputs[][2] = {
        {GL_POINTS, GL_POINTS}, {GL_LINE_STRIP, GL_LINES}, {GL_TRIANGLE_STRIP, GL_TRIANGLES}};
    static char data[CAPTURE_BYTES];
    const GLenum mode = input_mode(program, p, round);
    GLint made = -1;
    GLuint written = 0;
    GLenum primitive = mode;
    glUseProgram(program);
    set_uniforms(program, round, m->samplers);
    set_blocks(program);
    const int count = bind_scene(mode, round->values, round->packed);
    if (p->geometry)
        glGetProgramiv(program, GL_GEOMETRY_OUTPUT_TYPE, &made);
    for (int i = 0; i < 3; i++)
        primitive = (GLenum)made == outputs[i][0] ? outputs[i][1] : primitive;
    memset(data, 0x5a, sizeof data);
    for (int i = 0; i < buffers; i++) {
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)i, m->capture[i]);
        glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof data, data, GL_STREAM_READ);
    }
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, m->query);
    glBeginTransformFeedback(primitive);
    glDrawArraysInstanced(mode, 0, count, 2);
    glEndTransformFeedback();
    glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
    glDisable(GL_RASTERIZER_DISCARD);
    glGetQueryObjectuiv(m->query, GL_QUERY_RESULT, &written);
    write_record(m->out, p->name, "primitives captured", RECORD_INTEGERS, 1, 1, &written,
                 sizeof written);
    for (int i = 0; i < buffers; i++) {
        char part[32];
        snprintf(part, sizeof part, "capture %d", i);
        glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, m->capture[i]);
        glGetBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof data, data);
        write_record(m->out, p->name, part, RECORD_FLOATS, 1, 8, data, sizeof data);
        /* below chip 0xa0 the driver divides by a buffer's stride, which is 0 for buffers that a
         * later capture does not use */
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)i, 0);
    }
}

/* ---- a program ---- */

static void run_program(const struct machine *m, const struct program_text *p, const char *name) {
    const struct stage_text stages[] = {{GL_VERTEX_SHADER, p->vertex},
                                        {GL_GEOMETRY_SHADER, p->geometry},
                                        {GL_FRAGMENT_SHADER, p->fragment}};
    char why[2000] = "", capture[60];
    const char *fault = driver_fault(name);
    if (fault) {
        write_record(m->out, name, "skipped", RECORD_SKIP, 0, 0, fault, strlen(fault) + 1);
        return;
    }
    snprintf(capture, sizeof capture, "%s capture", name);
    GLuint program = link_program(stages, 3, NULL, 0, GL_INTERLEAVED_ATTRIBS, why, sizeof why);
    if (!program) {
        write_record(m->out, name, "skipped", RECORD_SKIP, 0, 0, why, strlen(why) + 1);
        return;
    }
    for (int r = 0; r < ROUNDS; r++) {
        if (takes_round(p, r))
            draw_round(m, program, p, &rounds[r]);
    }
    glDeleteProgram(program);
    if ((strstr(p->vertex, "out vec4 c;") || p->geometry) && !driver_fault(capture)) {
        char words[200];
        const char *names[4];
        GLenum mode;
        const int count = captured_varyings(p, words, names, &mode);
        program = link_program(stages, 3, names, count, mode, why, sizeof why);
        if (!program)
            write_record(m->out, name, "capture", RECORD_ERROR, 0, 0, why, strlen(why));
        else
            capture_vertices(m, program, p, &rounds[ROUND_TRIANGLES],
                             mode == GL_SEPARATE_ATTRIBS ? count : 1);
        glDeleteProgram(program);
    }
    const GLenum error = glGetError();
    if (error != GL_NO_ERROR) {
        snprintf(why, sizeof why, "GL error 0x%x", error);
        write_record(m->out, name, "error", RECORD_ERROR, 0, 0, why, strlen(why));
    }
}

static int is_fragment_program(const struct dirent *entry) {
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".frag") == 0;
}

static int run(const char *folder, const char *out, const char *renderer, const char *only) {
    struct dirent **entries = NULL;
    struct machine m = {0};
    const int count = scandir(folder, &entries, is_fragment_program, alphasort);
    if (count <= 0)
        give_up(EXIT_SKIPPED, "%s holds no programs", folder);
    if (!(m.out = fopen(out, "wb")))
        give_up(EXIT_FAILURE, "cannot write %s", out);
    create_context(renderer);
    create_machine(&m);
    for (int i = 0; i < count; i++) {
        entries[i]->d_name[strlen(entries[i]->d_name) - 5] = 0;
        struct program_text p = read_program(folder, entries[i]->d_name);
        if (!p.vertex)
            p.vertex = read_text(folder, "default", ".vert");
        if (!only || strcmp(only, p.name) == 0)
            run_program(&m, &p, p.name);
        free_program(&p);
        free(entries[i]);
    }
    free(entries);
    return fclose(m.out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The reasons for all differences between llvmpipe and teslapipe beyond rounding. The first
 * matching row counts. */
static const struct tolerance tolerances[] = {
    {"t_", "packed", 5.5 / 255, 0, 0.01,
     "nearest texels and levels, then two draws of 8-bit blending"},
    {NULL, "packed", 2.5 / 255, 0, 0.01,
     "two draws of 8-bit blending, each rounded in its own places"},
    {"t_2d_projlod", "wild", 2e-2, 2e-2, 0.02, "coordinates divided by a q that changes sign"},
    {"t_sh", NULL, 0.06, 0.02, 0.01,
     "between two levels' comparisons; llvmpipe's LOD is up to 0.045 too small"},
    {"t_", NULL, 0.012, 0.01, 0.01,
     "8-bit filter weights; llvmpipe's LOD is up to 0.045 too small"},
    {"s_pointcoord", "points", 5e-3, 0, 0.01,
     "positions snap to 1/256 pixel before the point is measured"},
    {"g_lines_adj", NULL, 6e-3, 1e-3, 0.01,
     "llvmpipe takes values where the line crosses the column, not at"
     " the foot of the pixel centre (OpenGL 3.3, 3.5.1)"},
    {"g_tri_adj", NULL, 6e-3, 1e-3, 0.01, "as g_lines_adj"},
    {"g_primid", NULL, 2e-4, 2e-4, 0.09,
     "llvmpipe drops a geometry program's wide points whose centre is outside of the view; boards"
     " draw them"},
    {"g_explode", "wild", 2e4, 1e-3, 0.01, "values of 1e9"},
    {"f_inverse", NULL, 2e-3, 2e-2, 0.01, "matrices that are nearly singular"},
    {"f_div_rcp", "wild", 1e-3, 1e-2, 0.01, "quotients by nearly 0"},
    {"f_pow", "wild", 1e-3, 2e-3, 0.01, "powers of nearly 0"},
    {"c_loop_divergent", "wild", 1e-3, 2e-3, 0.01, "31 turns of a recursion that amplifies"},
    {NULL, "wild", 2e-4, 2e-4, 0.008, "f32 arithmetic whose last bits large values multiply"},
    {NULL, NULL, 2e-4, 2e-4, 0.004,
     "f32 arithmetic that differs in its last bits; pixels on edges"},
};

int main(int argc, char **argv) {
    if (argc >= 5 && strcmp(argv[1], "run") == 0)
        return run(argv[2], argv[3], argv[4], argv[5]);
    if (argc >= 4 && strcmp(argv[1], "compare") == 0)
        return compare_runs(argv[2], argv[3], tolerances, argc > 4 && strcmp(argv[4], "-v") == 0);
    fprintf(stderr,
            "usage: corpus run FOLDER OUT RENDERER [NAME] | corpus compare REFERENCE TRIED [-v]\n");
    return 2;
}
