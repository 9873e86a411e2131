/* Made by teslapipe glsl mesh.vert mesh.frag --chip gt215 (NVA3, 3.3 (Core Profile) Mesa 22.3.6). */
#ifndef GLSL_MESH_PROGRAMS_GLSL_H
#define GLSL_MESH_PROGRAMS_GLSL_H

#include <teslapipe_glsl.h>

/* Attributes of inputs; bytes of uniforms in c[]; slots of textures. */
#define GLSL_MESH_PROGRAMS_IN_POSITION 0 /* vec3 */
#define GLSL_MESH_PROGRAMS_IN_NORMAL 1 /* vec3 */
#define GLSL_MESH_PROGRAMS_IN_TEXCOORD 2 /* vec2 */
#define GLSL_MESH_PROGRAMS_VERTEX_CAMERA_MATRIX 0x0 /* c0[]: mat4 */
#define GLSL_MESH_PROGRAMS_VERTEX_LIGHT_MATRIX 0x40 /* c0[]: mat4 */
#define GLSL_MESH_PROGRAMS_FRAGMENT_LIGHT_PLACE 0x0 /* c0[]: vec3 */
#define GLSL_MESH_PROGRAMS_FRAGMENT_LIGHT_COLOR 0x10 /* c0[]: vec3 */
#define GLSL_MESH_PROGRAMS_FRAGMENT_EYE 0x20 /* c0[]: vec3 */
#define GLSL_MESH_PROGRAMS_FRAGMENT_AMBIENT 0x30 /* c0[]: vec3 */
#define GLSL_MESH_PROGRAMS_FRAGMENT_SHINE 0x40 /* c0[]: float */
#define GLSL_MESH_PROGRAMS_FRAGMENT_PICTURE 0 /* $t: sampler2D */
#define GLSL_MESH_PROGRAMS_FRAGMENT_SHADOW_MAP 1 /* $t: sampler2DShadow */

static const char glsl_mesh_programs_vp[] =
    ".variant gt215\n"
    ".regs 4\n"
    ".attr 0 xyz\n"
    ".attr 1 xyz\n"
    ".attr 2 xy\n"
    ".results 16\n"
    ".output position o[0x0]\n"
    ".output varying o[0x10] 12\n"
    ".output zero 1\n"
    "mov b32 o[0x28] a[0x0]\n"
    "mov b32 o[0x2c] a[0x4]\n"
    "mov b32 o[0x30] a[0x8]\n"
    "mul rn f32 $r0 a[0x4] c0[0x50]\n"
    "mul rn f32 $r1 a[0x4] c0[0x54]\n"
    "mul rn f32 $r2 a[0x4] c0[0x58]\n"
    "mul rn f32 $r3 a[0x4] c0[0x5c]\n"
    "add f32 $r0 (mul a[0x0] c0[0x40]) $r0\n"
    "add f32 $r1 (mul a[0x0] c0[0x44]) $r1\n"
    "add f32 $r2 (mul a[0x0] c0[0x48]) $r2\n"
    "add f32 $r3 (mul a[0x0] c0[0x4c]) $r3\n"
    "add f32 $r0 (mul a[0x8] c0[0x60]) $r0\n"
    "add f32 $r1 (mul a[0x8] c0[0x64]) $r1\n"
    "add f32 $r2 (mul a[0x8] c0[0x68]) $r2\n"
    "add f32 $r3 (mul a[0x8] c0[0x6c]) $r3\n"
    "add rn f32 o[0x10] $r0 c0[0x70]\n"
    "add rn f32 o[0x14] $r1 c0[0x74]\n"
    "add rn f32 o[0x18] $r2 c0[0x78]\n"
    "add rn f32 o[0x1c] $r3 c0[0x7c]\n"
    "mul rn f32 $r0 a[0x4] c0[0x10]\n"
    "mul rn f32 $r1 a[0x4] c0[0x14]\n"
    "mul rn f32 $r2 a[0x4] c0[0x18]\n"
    "mul rn f32 $r3 a[0x4] c0[0x1c]\n"
    "add f32 $r0 (mul a[0x0] c0[0x0]) $r0\n"
    "add f32 $r1 (mul a[0x0] c0[0x4]) $r1\n"
    "add f32 $r2 (mul a[0x0] c0[0x8]) $r2\n"
    "add f32 $r3 (mul a[0x0] c0[0xc]) $r3\n"
    "add f32 $r0 (mul a[0x8] c0[0x20]) $r0\n"
    "add f32 $r1 (mul a[0x8] c0[0x24]) $r1\n"
    "add f32 $r2 (mul a[0x8] c0[0x28]) $r2\n"
    "add f32 $r3 (mul a[0x8] c0[0x2c]) $r3\n"
    "add rn f32 o[0x0] $r0 c0[0x30]\n"
    "add rn f32 o[0x4] $r1 c0[0x34]\n"
    "add rn f32 o[0x8] $r2 c0[0x38]\n"
    "add rn f32 o[0xc] $r3 c0[0x3c]\n"
    "mov b32 o[0x34] a[0xc]\n"
    "mov b32 o[0x38] a[0x10]\n"
    "mov b32 o[0x3c] a[0x14]\n"
    "mov b32 o[0x20] a[0x18]\n"
    "exit mov b32 o[0x24] a[0x1c]\n";
static const char glsl_mesh_programs_fp[] =
    ".variant gt215\n"
    ".regs 19\n"
    ".interpolants position=w smooth=12\n"
    ".results 4\n"
    "interp $r0 v[0x0]\n"
    "rcp f32 $r3 $r0\n"
    "interp $r2 v[0x24] $r3\n"
    "interp $r0 v[0x28] $r3\n"
    "interp $r1 v[0x2c] $r3\n"
    "interp $r4 v[0x30] $r3\n"
    "mul f32 $r5 $r4 $r4\n"
    "add f32 $r5 (mul $r1 $r1) $r5\n"
    "add f32 $r5 (mul $r0 $r0) $r5\n"
    "rsqrt f32 $r5 $r5\n"
    "mul f32 $r6 $r0 $r5\n"
    "mul f32 $r7 $r1 $r5\n"
    "mul f32 $r4 $r4 $r5\n"
    "interp $r0 v[0x14] $r3\n"
    "interp $r1 v[0x18] $r3\n"
    "interp $r5 v[0x1c] $r3\n"
    "interp $r8 v[0x20] $r3\n"
    "add rn f32 $r9 neg $r5 c0[0x0]\n"
    "add rn f32 $r10 neg $r8 c0[0x4]\n"
    "add rn f32 $r11 neg $r2 c0[0x8]\n"
    "mul f32 $r12 $r11 $r11\n"
    "add f32 $r12 (mul $r10 $r10) $r12\n"
    "add f32 $r12 (mul $r9 $r9) $r12\n"
    "rsqrt f32 $r12 $r12\n"
    "mul f32 $r9 $r9 $r12\n"
    "mul f32 $r10 $r10 $r12\n"
    "mul rn f32 $r11 $r11 $r12\n"
    "add rn f32 $r5 neg $r5 c0[0x20]\n"
    "add rn f32 $r8 neg $r8 c0[0x24]\n"
    "add rn f32 $r2 neg $r2 c0[0x28]\n"
    "mul f32 $r12 $r2 $r2\n"
    "add f32 $r12 (mul $r8 $r8) $r12\n"
    "add f32 $r12 (mul $r5 $r5) $r12\n"
    "mul f32 $r13 $r4 $r11\n"
    "rsqrt f32 $r12 $r12\n"
    "add f32 $r13 (mul $r7 $r10) $r13\n"
    "add f32 $r13 (mul $r6 $r9) $r13\n"
    "max f32 $r14 $r13 $r63\n"
    "add f32 $r9 (mul $r5 $r12) $r9\n"
    "add f32 $r10 (mul $r8 $r12) $r10\n"
    "add f32 $r11 (mul $r2 $r12) $r11\n"
    "mul f32 $r2 $r11 $r11\n"
    "add f32 $r2 (mul $r10 $r10) $r2\n"
    "add f32 $r2 (mul $r9 $r9) $r2\n"
    "rsqrt f32 $r2 $r2\n"
    "mul f32 $r5 $r9 $r2\n"
    "mul f32 $r8 $r10 $r2\n"
    "mul f32 $r2 $r11 $r2\n"
    "mul f32 $r2 $r4 $r2\n"
    "add f32 $r2 (mul $r7 $r8) $r2\n"
    "add f32 $r2 (mul $r6 $r5) $r2\n"
    "max f32 $r2 $r2 $r63\n"
    "lg2 f32 $r2 $r2\n"
    "mul rn f32 $r2 $r2 c0[0x40]\n"
    "preex2 f32 $r2 $r2\n"
    "ex2 f32 $r4 $r2\n"
    "set $c0 # l f32 $r63 $r13\n"
    "(e $c0) mov b32 $r4 $r63\n"
    "texauto all $r0:$r1:$r2:# $t0 $s0 $r0:$r1 0x0 0x0 0x0\n"
    "mul f32 $r4 $r4 0x3ecccccd\n"
    "add f32 $r7 (mul $r0 $r14) $r4\n"
    "add f32 $r11 (mul $r1 $r14) $r4\n"
    "add f32 $r12 (mul $r2 $r14) $r4\n"
    "interp $r4 v[0x4] $r3\n"
    "interp $r5 v[0x8] $r3\n"
    "interp $r6 v[0xc] $r3\n"
    "interp $r3 v[0x10] $r3\n"
    "rcp f32 $r3 $r3\n"
    "mul f32 $r4 $r4 $r3\n"
    "mul f32 $r5 $r5 $r3\n"
    "mul f32 $r3 $r6 $r3\n"
    "mov b32 $r6 0x3f000000\n"
    "add f32 $r13 (mul $r4 $r6) $r6\n"
    "add f32 $r14 (mul $r5 $r6) $r6\n"
    "add f32 $r3 (mul $r3 $r6) $r6\n"
    "mov b32 $r4 $r63\n"
    "texsize all $r4:$r5:#:# $t1 $s0 $r4\n"
    "cvt rn f32 $r4 s32 $r4\n"
    "cvt rn f32 $r5 s32 $r5\n"
    "rcp f32 $r15 $r4\n"
    "rcp f32 $r16 $r5\n"
    "add f32 $r17 neg $r15 $r13\n"
    "add f32 $r18 neg $r16 $r14\n"
    "mov b32 $r4 $r17\n"
    "mov b32 $r5 $r18\n"
    "mov b32 $r6 $r3\n"
    "mov b32 $r8 $r13\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "mov b32 $r9 $r18\n"
    "mov b32 $r10 $r3\n"
    "texauto all $r8:#:#:# $t1 $s1 $r8:$r9:$r10 0x0 0x0 0x0\n"
    "add f32 $r8 $r4 $r8\n"
    "add f32 $r9 $r13 $r15\n"
    "mov b32 $r4 $r9\n"
    "mov b32 $r5 $r18\n"
    "mov b32 $r6 $r3\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "add f32 $r8 $r8 $r4\n"
    "mov b32 $r10 $r14\n"
    "mov b32 $r4 $r17\n"
    "mov b32 $r5 $r10\n"
    "mov b32 $r6 $r3\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "add f32 $r8 $r8 $r4\n"
    "mov b32 $r4 $r13\n"
    "mov b32 $r5 $r10\n"
    "mov b32 $r6 $r3\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "add f32 $r8 $r8 $r4\n"
    "mov b32 $r4 $r9\n"
    "mov b32 $r5 $r10\n"
    "mov b32 $r6 $r3\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "add f32 $r8 $r8 $r4\n"
    "add f32 $r10 $r14 $r16\n"
    "mov b32 $r4 $r17\n"
    "mov b32 $r5 $r10\n"
    "mov b32 $r6 $r3\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "add f32 $r8 $r8 $r4\n"
    "mov b32 $r4 $r13\n"
    "mov b32 $r5 $r10\n"
    "mov b32 $r6 $r3\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "add f32 $r8 $r8 $r4\n"
    "mov b32 $r4 $r9\n"
    "mov b32 $r5 $r10\n"
    "mov b32 $r6 $r3\n"
    "texauto all $r4:#:#:# $t1 $s1 $r4:$r5:$r6 0x0 0x0 0x0\n"
    "add rn f32 $r3 $r8 $r4\n"
    "mul rn f32 $r4 $r7 c0[0x10]\n"
    "mul rn f32 $r5 $r11 c0[0x14]\n"
    "mul rn f32 $r6 $r12 c0[0x18]\n"
    "mul f32 $r3 $r3 0x3de38e39\n"
    "mul f32 $r4 $r4 $r3\n"
    "mul f32 $r5 $r5 $r3\n"
    "mul rn f32 $r3 $r6 $r3\n"
    "add f32 $r0 (mul $r0 c0[0x30]) $r4\n"
    "add f32 $r1 (mul $r1 c0[0x34]) $r5\n"
    "add f32 $r2 (mul $r2 c0[0x38]) $r3\n"
    "mov b32 $r3 0x3f800000\n"
    "exit (never) nop\n";
static const uint32_t glsl_mesh_programs_vp_c0[] = {
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x0, 0x0, 0x0};
static const uint32_t glsl_mesh_programs_fp_c0[] = {
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x42200000, 0x0, 0x0, 0x0};
static const struct tp_glsl_constants glsl_mesh_programs_constants[] = {
    {TP_VERTEX, 0, 35, glsl_mesh_programs_vp_c0},
    {TP_FRAGMENT, 0, 20, glsl_mesh_programs_fp_c0},
    {TP_VERTEX, 0, 0, NULL}};
static const struct tp_glsl_uniform glsl_mesh_programs_uniforms[] = {
    {"camera_matrix", TP_VERTEX, 0, 0x0, 1, 4, 4, 0, 16, 'f', false},
    {"light_matrix", TP_VERTEX, 0, 0x40, 1, 4, 4, 0, 16, 'f', false},
    {"light.place", TP_FRAGMENT, 0, 0x0, 1, 1, 3, 0, 0, 'f', false},
    {"light.color", TP_FRAGMENT, 0, 0x10, 1, 1, 3, 0, 0, 'f', false},
    {"eye", TP_FRAGMENT, 0, 0x20, 1, 1, 3, 0, 0, 'f', false},
    {"ambient", TP_FRAGMENT, 0, 0x30, 1, 1, 3, 0, 0, 'f', false},
    {"shine", TP_FRAGMENT, 0, 0x40, 1, 1, 1, 0, 0, 'f', false},
    {NULL, TP_VERTEX, 0, 0, 0, 0, 0, 0, 0, 'f', false}};
static const struct tp_glsl_sampler glsl_mesh_programs_samplers[] = {
    {"picture", TP_FRAGMENT, 0, 1},
    {"shadow_map", TP_FRAGMENT, 1, 1},
    {NULL, TP_VERTEX, 0, 0}};
static const struct tp_glsl_input glsl_mesh_programs_inputs[] = {
    {"position", 0},
    {"normal", 1},
    {"texcoord", 2},
    {NULL, 0}};
static const struct tp_glsl_program glsl_mesh_programs_programs[] = {
    {TP_VERTEX, "glsl_mesh_programs.vp", glsl_mesh_programs_vp},
    {TP_FRAGMENT, "glsl_mesh_programs.fp", glsl_mesh_programs_fp},
    {TP_VERTEX, NULL, NULL}};
static const struct tp_glsl glsl_mesh_programs_glsl = {glsl_mesh_programs_programs, glsl_mesh_programs_uniforms, glsl_mesh_programs_samplers, glsl_mesh_programs_inputs,
                                      glsl_mesh_programs_constants};

#endif
