/* Writes what the second pass reads into four targets: colour (RGBA8), normal (16-bit integers),
 * distance (a float), number of the instance and material (a 32-bit integer).
 * v: 1/w, normal, r g b material, distance; flat: number. */
.include "common.macros"
.interpolants position=w smooth=8 flat=1
.targets 4

    clip_w $r15
    interp $r0 v[0x10] $r15
    interp $r1 v[0x14] $r15
    interp $r2 v[0x18] $r15
    roots
    mov b32 $r3 1.0
    interp $r4 v[0x4] $r15
    interp $r5 v[0x8] $r15
    interp $r6 v[0xc] $r15
    normalize $r4 $r5 $r6 $r7
    scale $r4 $r5 $r6 32767.0
    cvt rni s32 $r4 f32 $r4
    cvt rni s32 $r5 f32 $r5
    cvt rni s32 $r6 f32 $r6
    mov b32 $r7 0x0
    interp $r8 v[0x20] $r15
    // $r12: number * 256 + material
    interp $r12 flat v[0x24]
    add b32 $r12 $r12 0x1
    shl b32 $r12 $r12 0x8
    interp $r13 v[0x1c] $r15
    cvt rni u32 $r13 f32 $r13
    or b32 $r12 $r12 $r13
    mov b32 $r9 0x0
    mov b32 $r10 0x0
    mov b32 $r11 0x0
    mov b32 $r13 0x0
    mov b32 $r14 0x0
    mov b32 $r15 0x0
    exit nop
