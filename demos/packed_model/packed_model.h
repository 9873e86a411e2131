/* The file that replaces the model file in a web page: the model as assimp reads it, in words of 32
 * bits.
 *
 *     number of textures, of materials, of meshes
 *     texture: size, bytes as in the model file
 *     material: for each kind of texture (MODEL_TEXTURES): length of its name, 0: none; the name;
 *               whether there is a colour; 4 floats
 *     mesh: material, primitive types, number of vertices, whether there are normals, whether there
 *           are texture coordinates, number of faces; positions, normals, coordinates, 3 floats
 *           each; of each face: number of corners, indices */
#pragma once

#include <assimp/material.h>

enum { MODEL_TEXTURES = 2 };
static const enum aiTextureType model_textures[MODEL_TEXTURES] = {aiTextureType_DIFFUSE,
                                                                  aiTextureType_BASE_COLOR};
