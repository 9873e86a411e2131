/* Made by teslapipe glsl shadow.vert shadow.frag --chip gt215 (NVA3, 3.3 (Core Profile) Mesa 22.3.6). */
#ifndef GLSL_SHADOW_PROGRAMS_GLSL_H
#define GLSL_SHADOW_PROGRAMS_GLSL_H

#include <teslapipe_glsl.h>

/* Attributes of inputs; bytes of uniforms in c[]; slots of textures. */
#define GLSL_SHADOW_PROGRAMS_IN_POSITION 0 /* vec3 */
#define GLSL_SHADOW_PROGRAMS_VERTEX_LIGHT_MATRIX 0x0 /* c0[]: mat4 */

static const char glsl_shadow_programs_vp[] =
    ".variant gt215\n"
    ".regs 4\n"
    ".attr 0 xyz\n"
    ".results 4\n"
    ".output position o[0x0]\n"
    ".output zero 1\n"
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
    "exit add rn f32 o[0xc] $r3 c0[0x3c]\n";
static const char glsl_shadow_programs_fp[] =
    ".variant gt215\n"
    ".regs 4\n"
    ".interpolants position=w\n"
    ".results 4\n"
    "exit (never) nop\n";
static const uint32_t glsl_shadow_programs_vp_c0[] = {
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0,
    0x0, 0x0, 0x0};
static const struct tp_glsl_constants glsl_shadow_programs_constants[] = {
    {TP_VERTEX, 0, 19, glsl_shadow_programs_vp_c0},
    {TP_VERTEX, 0, 0, NULL}};
static const struct tp_glsl_uniform glsl_shadow_programs_uniforms[] = {
    {"light_matrix", TP_VERTEX, 0, 0x0, 1, 4, 4, 0, 16, 'f', false},
    {NULL, TP_VERTEX, 0, 0, 0, 0, 0, 0, 0, 'f', false}};
static const struct tp_glsl_sampler glsl_shadow_programs_samplers[] = {
    {NULL, TP_VERTEX, 0, 0}};
static const struct tp_glsl_input glsl_shadow_programs_inputs[] = {
    {"position", 0},
    {NULL, 0}};
static const struct tp_glsl_program glsl_shadow_programs_programs[] = {
    {TP_VERTEX, "glsl_shadow_programs.vp", glsl_shadow_programs_vp},
    {TP_FRAGMENT, "glsl_shadow_programs.fp", glsl_shadow_programs_fp},
    {TP_VERTEX, NULL, NULL}};
static const struct tp_glsl glsl_shadow_programs_glsl = {glsl_shadow_programs_programs, glsl_shadow_programs_uniforms, glsl_shadow_programs_samplers, glsl_shadow_programs_inputs,
                                      glsl_shadow_programs_constants};

#endif
