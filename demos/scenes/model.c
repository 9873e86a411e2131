/* model: any model file that assimp reads, with textures read by stb_image, on a turntable. Shows
 * trilinear mipmapping, and a texture and a colour for each material. The file is that of --model,
 * or demos/models/balloon.glb. If a model or a texture cannot be read, the scene ends with
 * one message. */
#include "demos/assimp.h"
#include "demos/shapes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

enum { MAX_TEXTURE = 8192 };

struct vertex {
    struct vec3 position, normal;
    float u, v;
};

struct part { /* one mesh: one draw */
    struct demo_mesh mesh;
    tp_texture *texture;
    struct vec4 color; /* linear */
};

struct constants { /* c0[] of both stages */
    struct mat4 view_projection;
    struct vec4 eye;
    struct vec4 light;  /* 0x50: direction to the light */
    struct vec4 albedo; /* 0x60 */
    struct vec4 sky;    /* 0x70: ambient from above */
    struct vec4 ground; /* 0x80: ambient from below */
};

struct model {
    struct assimp assimp;
    struct demo_pass pass;
    struct part *parts;
    unsigned part_count;
    struct vec3 center;
    float radius;
};

/* ---- Textures ----------------------------------------------------------------------------- */

static tp_texture *upload(struct demo *demo, const char *what, uint8_t *pixels, int width,
                          int height) {
    if (!pixels) {
        demo_fail(demo, "model: texture %s: %s", what, stbi_failure_reason());
        return NULL;
    }
    tp_texture *texture = NULL;
    if (width > MAX_TEXTURE || height > MAX_TEXTURE)
        demo_fail(demo, "model: texture %s: %dx%d is larger than %dx%d", what, width, height,
                  MAX_TEXTURE, MAX_TEXTURE);
    else
        texture =
            demo_texture(demo, TP_FORMAT_RGBA8, (uint32_t)width, (uint32_t)height, true, pixels);
    stbi_image_free(pixels);
    return texture;
}

/* A texture inside the model file: compressed bytes when its height is 0, else BGRA texels. */
static tp_texture *embedded_texture(struct demo *demo, const char *name,
                                    const struct aiTexture *t) {
    int width = 0, height = 0;
    if (t->mHeight == 0) {
        uint8_t *pixels = stbi_load_from_memory((const uint8_t *)t->pcData, (int)t->mWidth, &width,
                                                &height, NULL, 4);
        return upload(demo, name, pixels, width, height);
    }
    if (t->mWidth > MAX_TEXTURE || t->mHeight > MAX_TEXTURE) {
        demo_fail(demo, "model: texture %s: %ux%u is larger than %dx%d", name, t->mWidth,
                  t->mHeight, MAX_TEXTURE, MAX_TEXTURE);
        return NULL;
    }
    return demo_texture(demo, TP_FORMAT_BGRA8, t->mWidth, t->mHeight, true, t->pcData);
}

static tp_texture *file_texture(struct demo *demo, const char *model, const char *name) {
    char path[PATH_MAX];
    const char *slash = strrchr(model, '/');
    int folder = slash && name[0] != '/' ? (int)(slash - model) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, model, name);
    for (char *c = path; *c; c++) /* paths written by Windows programs */
        if (*c == '\\')
            *c = '/';
    int width = 0, height = 0;
    uint8_t *pixels = stbi_load(path, &width, &height, NULL, 4);
    return upload(demo, path, pixels, width, height);
}

static tp_texture *white_texture(struct demo *demo) {
    static const uint8_t white[4] = {255, 255, 255, 255};
    return demo_texture(demo, TP_FORMAT_RGBA8, 1, 1, false, white);
}

static tp_texture *material_texture(struct demo *demo, const char *model,
                                    const struct aiScene *scene,
                                    const struct aiMaterial *material) {
    const struct assimp *ai = &((struct model *)demo->state)->assimp;
    struct aiString name;
    if (ai->GetMaterialString(material, AI_MATKEY_TEXTURE(aiTextureType_DIFFUSE, 0), &name) !=
            aiReturn_SUCCESS &&
        ai->GetMaterialString(material, AI_MATKEY_TEXTURE(aiTextureType_BASE_COLOR, 0), &name) !=
            aiReturn_SUCCESS)
        return white_texture(demo);
    if (name.data[0] == '*') {
        unsigned long index = strtoul(name.data + 1, NULL, 10);
        if (index < scene->mNumTextures)
            return embedded_texture(demo, name.data, scene->mTextures[index]);
    }
    return file_texture(demo, model, name.data);
}

/* ---- Meshes ------------------------------------------------------------------------------- */

static bool load_vertices(struct demo *demo, struct part *part, const struct aiMesh *mesh) {
    struct vertex *vertices = malloc(mesh->mNumVertices * sizeof *vertices);
    uint32_t *indices = malloc((size_t)mesh->mNumFaces * 3 * sizeof *indices);
    bool ok = vertices && indices;
    if (!ok)
        demo_fail(demo, "model: out of memory");
    for (unsigned i = 0; ok && i < mesh->mNumVertices; i++) {
        const struct aiVector3D *p = &mesh->mVertices[i];
        const struct aiVector3D zero = {0}, *n = mesh->mNormals ? &mesh->mNormals[i] : &zero;
        const struct aiVector3D *t = mesh->mTextureCoords[0] ? &mesh->mTextureCoords[0][i] : &zero;
        vertices[i] = (struct vertex){{p->x, p->y, p->z}, {n->x, n->y, n->z}, t->x, t->y};
    }
    for (unsigned i = 0; ok && i < mesh->mNumFaces; i++)
        for (unsigned k = 0; k < 3 && mesh->mFaces[i].mNumIndices == 3; k++)
            indices[part->mesh.count++] = mesh->mFaces[i].mIndices[k];
    ok = ok &&
         (part->mesh.vertices =
              demo_buffer(demo, vertices, mesh->mNumVertices * sizeof *vertices)) &&
         (part->mesh.indices = demo_buffer(demo, indices, mesh->mNumFaces * 3 * sizeof *indices));
    free(vertices);
    free(indices);
    return ok;
}

static bool load_part(struct demo *demo, struct part *part, const char *path,
                      const struct aiScene *scene, const struct aiMesh *mesh) {
    const struct aiMaterial *material = scene->mMaterials[mesh->mMaterialIndex];
    const struct assimp *ai = &((struct model *)demo->state)->assimp;
    struct aiColor4D color;
    part->color = (struct vec4){1, 1, 1, 1};
    if (ai->GetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS)
        part->color = (struct vec4){color.r * color.r, color.g * color.g, color.b * color.b, 1};
    part->texture = material_texture(demo, path, scene, material);
    return part->texture && load_vertices(demo, part, mesh);
}

/* Computes the centre and the radius of the box around the model. */
static void measure(struct model *m, const struct aiScene *scene) {
    struct vec3 low = v3(1e30f, 1e30f, 1e30f), high = v3(-1e30f, -1e30f, -1e30f);
    for (unsigned i = 0; i < scene->mNumMeshes; i++)
        for (unsigned k = 0; k < scene->mMeshes[i]->mNumVertices; k++) {
            const struct aiVector3D *p = &scene->mMeshes[i]->mVertices[k];
            low = v3(fminf(low.x, p->x), fminf(low.y, p->y), fminf(low.z, p->z));
            high = v3(fmaxf(high.x, p->x), fmaxf(high.y, p->y), fmaxf(high.z, p->z));
        }
    struct vec3 half = v3_scale(v3_sub(high, low), 0.5f);
    m->center = v3_add(low, half);
    m->radius = sqrtf(v3_dot(half, half));
    m->radius = m->radius > 0 ? m->radius : 1;
}

static bool load_scene(struct demo *demo, const char *path, const struct aiScene *scene) {
    struct model *m = demo->state;
    m->parts = demo_memory(demo, scene->mNumMeshes * sizeof *m->parts);
    if (!m->parts)
        return false;
    measure(m, scene);
    for (unsigned i = 0; i < scene->mNumMeshes; i++) {
        const struct aiMesh *mesh = scene->mMeshes[i];
        if (mesh->mNumVertices == 0 || mesh->mNumFaces == 0 ||
            !(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE))
            continue;
        if (!load_part(demo, &m->parts[m->part_count++], path, scene, mesh))
            return false;
    }
    return m->part_count > 0 || demo_fail(demo, "model: %s has no triangles", path);
}

static bool init(struct demo *demo) {
    struct model *m = demo->state;
    char shipped[PATH_MAX];
    const char *path = demo->options.model;
    if (!path) {
        if (!demo_find_data("models/balloon.glb", shipped, sizeof shipped))
            return demo_fail(demo, "model: models/balloon.glb not found (set TESLAPIPE_DATA to the "
                                   "folder that has programs/ and models/)");
        path = shipped;
    }
    const char *why;
    if (!assimp_open(&m->assimp, &why))
        return demo_fail(demo, "model: assimp is needed to read models (Debian: libassimp5): %s",
                         why);
    const struct aiScene *scene = m->assimp.ImportFile(path, ASSIMP_STEPS);
    if (!scene)
        return demo_fail(demo, "model: %s: %s", path, m->assimp.GetErrorString());
    bool ok = load_scene(demo, path, scene);
    m->assimp.ReleaseImport(scene);
    return ok && demo_load_pass(demo, &m->pass, "model.vp", NULL, "model.fp");
}

/* ---- Frames ------------------------------------------------------------------------------- */

static bool draw_part(struct demo *demo, const struct part *part, struct constants *c) {
    struct model *m = demo->state;
    c->albedo = part->color;
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0, part->texture, &demo_trilinear));
    return demo_constants(demo, &m->pass, c, sizeof *c) &&
           demo_draw_floats(demo, &part->mesh, (const unsigned[]){3, 3, 2}, 3);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct model *m = demo->state;
    struct demo_camera camera =
        demo_orbit_camera(f, v3(0, 0, 0), 2.65f, 0.5 + 0.4 * f->time, 0.12, 0.72, 0.05f, 30);
    struct mat4 fit = mat4_mul(mat4_scale(v3(1 / m->radius, 1 / m->radius, 1 / m->radius)),
                               mat4_translate(v3_scale(m->center, -1)));
    struct vec3 eye = v3_add(v3_scale(camera.eye, m->radius), m->center);
    /* The light stays to the right of the camera while the table turns. */
    const float *v = camera.view.m;
    struct vec3 right = v3(v[0], v[4], v[8]), back = v3(v[2], v[6], v[10]);
    struct vec3 light = v3_normalize(
        v3_add(v3_add(v3_scale(right, 0.75f), v3_scale(back, 0.55f)), v3(0, 0.75f, 0)));
    struct constants c = {
        .view_projection = mat4_mul(camera.view_projection, fit),
        .eye = {eye.x, eye.y, eye.z, 1},
        .light = {light.x, light.y, light.z, 0},
        .sky = {0.34f, 0.40f, 0.48f, 0},
        .ground = {0.17f, 0.15f, 0.12f, 0},
    };
    if (!demo_clear(demo, v3(0.20f, 0.38f, 0.60f)) || !demo_opaque(demo) ||
        !demo_raster(demo, f, (struct tp_raster_state){0}) ||
        !demo_use_pass(demo, &m->pass, NULL, 0))
        return false;
    for (unsigned i = 0; i < m->part_count; i++)
        if (!draw_part(demo, &m->parts[i], &c))
            return false;
    return true;
}

DEMO_SCENE(model, TP_CHIP_GT215, "a model file with trilinear textures (--model FILE)");
