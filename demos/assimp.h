/* The functions of assimp that the model scene calls. The first model loads the library, because
 * the library and its dependencies are larger than the rest of the program. */
#pragma once

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdbool.h>

#define ASSIMP_FUNCTIONS(X)                                                                        \
    X(ImportFile) X(ReleaseImport) X(GetErrorString) X(GetMaterialString) X(GetMaterialColor)

/* The steps that assimp applies to a model. The scene itself leaves out points and lines: assimp
 * would spend a quarter of its time on their removal. */
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

/* Loads the library, which then stays loaded. Returns false with the loader's message in *why if
 * that fails. */
bool assimp_open(struct assimp *a, const char **why);
