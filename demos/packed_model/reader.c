/* Replaces demos/assimp.c in a web page: reads the page's model (packed_model.h) into assimp's
 * structures. */
#include "demos/packed_model/packed_model.h"

#include "demos/assimp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct material {
    struct aiMaterial own; /* the part that callers see; stays empty */
    struct aiString texture[MODEL_TEXTURES];
    struct aiColor4D color;
    uint32_t has_color;
};

static char message[64];

static uint32_t get(FILE *in) {
    uint32_t word = 0;
    return fread(&word, sizeof word, 1, in) == 1 ? word : 0;
}

/* Returns `count` elements of `size` bytes; NULL when out of memory, or if the file is too
 * short. */
static void *get_all(FILE *in, size_t count, size_t size) {
    void *all = calloc(count + 1, size);
    if (all && fread(all, size, count, in) == count)
        return all;
    free(all);
    return NULL;
}

static bool get_texture(FILE *in, struct aiTexture *t) {
    t->mWidth = get(in);
    t->pcData = get_all(in, t->mWidth, 1);
    return t->pcData;
}

static bool get_material(FILE *in, struct material *m) {
    for (int i = 0; i < MODEL_TEXTURES; i++) {
        m->texture[i].length = get(in);
        if (m->texture[i].length >= sizeof m->texture[i].data ||
            fread(m->texture[i].data, 1, m->texture[i].length, in) != m->texture[i].length)
            return false;
    }
    m->has_color = get(in);
    return fread(&m->color, sizeof m->color, 1, in) == 1;
}

static bool get_mesh(FILE *in, struct aiMesh *m) {
    m->mMaterialIndex = get(in);
    m->mPrimitiveTypes = get(in);
    m->mNumVertices = get(in);
    const bool normals = get(in), coordinates = get(in);
    m->mNumFaces = get(in);
    m->mVertices = get_all(in, m->mNumVertices, sizeof *m->mVertices);
    m->mNormals = normals ? get_all(in, m->mNumVertices, sizeof *m->mNormals) : NULL;
    m->mTextureCoords[0] =
        coordinates ? get_all(in, m->mNumVertices, sizeof *m->mTextureCoords[0]) : NULL;
    m->mFaces = calloc(m->mNumFaces + 1, sizeof *m->mFaces);
    bool whole = m->mVertices && m->mFaces && (!normals || m->mNormals) &&
                 (!coordinates || m->mTextureCoords[0]);
    for (unsigned i = 0; whole && i < m->mNumFaces; i++) {
        m->mFaces[i].mNumIndices = get(in);
        m->mFaces[i].mIndices = get_all(in, m->mFaces[i].mNumIndices, sizeof(unsigned));
        whole = m->mFaces[i].mIndices;
    }
    return whole;
}

static void release(const struct aiScene *scene) {
    for (unsigned i = 0; i < scene->mNumMeshes && scene->mMeshes; i++) {
        struct aiMesh *m = scene->mMeshes[i];
        for (unsigned k = 0; m && m->mFaces && k < m->mNumFaces; k++)
            free(m->mFaces[k].mIndices);
        if (m)
            free(m->mFaces), free(m->mVertices), free(m->mNormals), free(m->mTextureCoords[0]);
        free(m);
    }
    for (unsigned i = 0; i < scene->mNumMaterials && scene->mMaterials; i++)
        free(scene->mMaterials[i]);
    for (unsigned i = 0; i < scene->mNumTextures && scene->mTextures; i++) {
        if (scene->mTextures[i])
            free(scene->mTextures[i]->pcData);
        free(scene->mTextures[i]);
    }
    free(scene->mMeshes);
    free(scene->mMaterials);
    free(scene->mTextures);
    free((void *)(uintptr_t)scene);
}

static bool get_scene(FILE *in, struct aiScene *s) {
    bool whole = true;
    s->mNumTextures = get(in);
    s->mNumMaterials = get(in);
    s->mNumMeshes = get(in);
    s->mTextures = calloc(s->mNumTextures + 1, sizeof(void *));
    s->mMaterials = calloc(s->mNumMaterials + 1, sizeof(void *));
    s->mMeshes = calloc(s->mNumMeshes + 1, sizeof(void *));
    if (!s->mTextures || !s->mMaterials || !s->mMeshes)
        return false;
    for (unsigned i = 0; whole && i < s->mNumTextures; i++) {
        s->mTextures[i] = calloc(1, sizeof *s->mTextures[i]);
        whole = s->mTextures[i] && get_texture(in, s->mTextures[i]);
    }
    for (unsigned i = 0; whole && i < s->mNumMaterials; i++) {
        struct material *const m = calloc(1, sizeof *m);
        s->mMaterials[i] = &m->own;
        whole = m && get_material(in, m);
    }
    for (unsigned i = 0; whole && i < s->mNumMeshes; i++) {
        s->mMeshes[i] = calloc(1, sizeof *s->mMeshes[i]);
        whole = s->mMeshes[i] && get_mesh(in, s->mMeshes[i]);
    }
    return whole;
}

static const struct aiScene *import(const char *path, unsigned steps) {
    FILE *in = fopen(path, "rb");
    struct aiScene *scene = in ? calloc(1, sizeof *scene) : NULL;
    (void)steps; /* writer.c applied the steps when the page was built */
    const bool whole = scene && get_scene(in, scene);
    if (in)
        fclose(in);
    if (whole)
        return scene;
    snprintf(message, sizeof message, "the page's model is damaged");
    if (scene)
        release(scene);
    return NULL;
}

static const char *error_string(void) {
    return message;
}

static enum aiReturn material_string(const struct aiMaterial *own, const char *, unsigned type,
                                     unsigned index, struct aiString *out) {
    const struct material *m = (const struct material *)own;
    for (int i = 0; i < MODEL_TEXTURES; i++)
        if (type == (unsigned)model_textures[i] && !index && m->texture[i].length) {
            *out = m->texture[i];
            return aiReturn_SUCCESS;
        }
    return aiReturn_FAILURE;
}

static enum aiReturn material_color(const struct aiMaterial *own, const char *, unsigned, unsigned,
                                    struct aiColor4D *out) {
    const struct material *m = (const struct material *)own;
    if (!m->has_color)
        return aiReturn_FAILURE;
    *out = m->color;
    return aiReturn_SUCCESS;
}

bool assimp_open(struct assimp *a, const char **) {
    *a = (struct assimp){.ImportFile = import,
                         .ReleaseImport = release,
                         .GetErrorString = error_string,
                         .GetMaterialString = material_string,
                         .GetMaterialColor = material_color};
    return true;
}
