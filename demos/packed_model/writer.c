/* Writes the model of a web page (packed_model.h) when the page is built. In: a model file. Out: a
 * file that the page's machine reads. */
#include "demos/packed_model/packed_model.h"

#include "demos/assimp.h"

#include <stdio.h>
#include <string.h>

static void put(FILE *out, uint32_t word) {
    fwrite(&word, sizeof word, 1, out);
}

static void put_texture(FILE *out, const struct aiTexture *t) {
    const uint32_t size = t->mHeight ? 0 : t->mWidth; /* only compressed textures */
    put(out, size);
    fwrite(t->pcData, 1, size, out);
}

static void put_material(FILE *out, const struct assimp *ai, const struct aiMaterial *m) {
    struct aiColor4D color = {0};
    for (int i = 0; i < MODEL_TEXTURES; i++) {
        struct aiString name = {0};
        if (ai->GetMaterialString(m, AI_MATKEY_TEXTURE(model_textures[i], 0), &name) !=
            aiReturn_SUCCESS)
            name.length = 0;
        put(out, (uint32_t)name.length);
        fwrite(name.data, 1, name.length, out);
    }
    put(out, ai->GetMaterialColor(m, AI_MATKEY_COLOR_DIFFUSE, &color) == aiReturn_SUCCESS);
    fwrite(&color, sizeof color, 1, out);
}

static void put_mesh(FILE *out, const struct aiMesh *m) {
    const struct aiVector3D *const list[] = {m->mVertices, m->mNormals, m->mTextureCoords[0]};
    put(out, m->mMaterialIndex);
    put(out, m->mPrimitiveTypes);
    put(out, m->mNumVertices);
    put(out, m->mNormals != NULL);
    put(out, m->mTextureCoords[0] != NULL);
    put(out, m->mNumFaces);
    for (int i = 0; i < 3; i++)
        if (list[i])
            fwrite(list[i], sizeof *list[i], m->mNumVertices, out);
    for (unsigned i = 0; i < m->mNumFaces; i++) {
        put(out, m->mFaces[i].mNumIndices);
        fwrite(m->mFaces[i].mIndices, 4, m->mFaces[i].mNumIndices, out);
    }
}

static void put_scene(FILE *out, const struct assimp *ai, const struct aiScene *scene) {
    put(out, scene->mNumTextures);
    put(out, scene->mNumMaterials);
    put(out, scene->mNumMeshes);
    for (unsigned i = 0; i < scene->mNumTextures; i++)
        put_texture(out, scene->mTextures[i]);
    for (unsigned i = 0; i < scene->mNumMaterials; i++)
        put_material(out, ai, scene->mMaterials[i]);
    for (unsigned i = 0; i < scene->mNumMeshes; i++)
        put_mesh(out, scene->mMeshes[i]);
}

int main(int argc, char **argv) {
    struct assimp ai;
    const char *why = "usage: model-writer MODEL FILE";
    if (argc != 3 || !assimp_open(&ai, &why)) {
        fprintf(stderr, "model-writer: %s\n", why);
        return 1;
    }
    const struct aiScene *scene = ai.ImportFile(argv[1], ASSIMP_STEPS);
    FILE *out = scene ? fopen(argv[2], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "model-writer: %s: %s\n", argv[1], scene ? argv[2] : ai.GetErrorString());
        return 1;
    }
    put_scene(out, &ai, scene);
    ai.ReleaseImport(scene);
    return fclose(out) != 0;
}
