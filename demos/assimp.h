/* The functions of assimp that the model scene calls. The library is opened together with a model,
 * because the library and its dependencies are larger than all the rest of the program.
 */
#ifndef DEMOS_ASSIMP_H
#define DEMOS_ASSIMP_H

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdbool.h>

#define ASSIMP_FUNCTIONS(X)                                                                        \
    X(ImportFile) X(ReleaseImport) X(GetErrorString) X(GetMaterialString) X(GetMaterialColor)

/* The steps that assimp does to a model. Points and lines are left out by the scene: sorting them
 * out here costs a quarter of the time. */
enum {
    ASSIMP_STEPS = aiProcess_Triangulate | aiProcess_PreTransformVertices |
                   aiProcess_GenSmoothNormals | aiProcess_JoinIdenticalVertices |
                   aiProcess_FlipUVs | aiProcess_ImproveCacheLocality |
                   aiProcess_ValidateDataStructure
};

struct assimp {
#define X(name) __typeof__(&ai##name) name;
    ASSIMP_FUNCTIONS(X)
#undef X
};

/* Opens the library, which then stays open. False with the loader's message in *why if there is
 * none. */
bool assimp_open(struct assimp *a, const char **why);

#endif
