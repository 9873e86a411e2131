/* Metal that mirrors the cube map: polished where the pattern says so, else brushed. The polished part
 * reads the level that the quad's derivatives ask for, the brushed one a small level, whose texels are
 * wider than the seams between faces.
 * v: 1/w, world x y z, normal, body x y z, r g b roughness. */
.include "common.macros"
.include "cube.macros"
.interpolants position=w smooth=13
.const pattern c0[0x5c]

// s, c = sine, cosine of x
.macro circle s c x
    presin f32 \s \x
    cos f32 \c \s
    sin f32 \s \s
.endm

    clip_w $r0
    // $r16: 0 polished .. 1 brushed: the bands of a gyroid, sin x cos y + sin y cos z + sin z cos x
    interp $r10 v[0x1c] $r0
    interp $r11 v[0x20] $r0
    interp $r12 v[0x24] $r0
    mul rn f32 $r10 $r10 pattern
    mul rn f32 $r11 $r11 pattern
    mul rn f32 $r12 $r12 pattern
    circle $r13 $r10 $r10
    circle $r14 $r11 $r11
    circle $r15 $r12 $r12
    mul f32 $r16 $r13 $r11
    add f32 $r16 (mul $r14 $r12) $r16
    add f32 $r16 (mul $r15 $r10) $r16
    cvt abs f32 $r16 f32 $r16
    add f32 $r16 $r16 -0.36
    mul f32 $r16 $r16 18.0
    interp $r17 v[0x34] $r0
    add f32 $r16 $r16 $r17               // roughness 100: brushed everywhere; -100: nowhere
    mov b32 $r17 1.0
    max f32 $r16 $r16 $r127
    min f32 $r16 $r16 $r17
    interp $r1 v[0x4] $r0
    interp $r2 v[0x8] $r0
    interp $r3 v[0xc] $r0
    interp $r4 v[0x10] $r0
    interp $r5 v[0x14] $r0
    interp $r6 v[0x18] $r0
    interp $r20 v[0x28] $r0
    interp $r21 v[0x2c] $r0
    interp $r22 v[0x30] $r0
    normalize $r4 $r5 $r6 $r7
    to_eye $r1 $r2 $r3 $r7
    mirrored $r8 $r9 $r10 $r4 $r5 $r6 $r1 $r2 $r3 $r7 $r11
    mov b32 $r12 $r8
    mov b32 $r13 $r9
    mov b32 $r14 $r10
    mov b32 $r15 4.0
    texauto cube all $r8:$r9:$r10:# $t0 $s0 $r8:$r9:$r10
    texlod cube all $r12:$r13:$r14:# $t0 $s0 $r12:$r13:$r14:$r15
    // brushed metal is a little darker; texels are stored as square roots
    mul f32 $r8 $r8 $r8
    mul f32 $r9 $r9 $r9
    mul f32 $r10 $r10 $r10
    mul f32 $r12 $r12 $r12
    mul f32 $r13 $r13 $r13
    mul f32 $r14 $r14 $r14
    scale $r12 $r13 $r14 0.55
    add f32 $r12 $r12 neg $r8
    add f32 $r13 $r13 neg $r9
    add f32 $r14 $r14 neg $r10
    add_scaled $r8 $r9 $r10 $r16 $r12 $r13 $r14
    // colour of the metal, white where the view grazes it: c + (1 - c) (1 - n.v)^4
    cvt abs f32 $r7 f32 $r7
    add f32 $r7 neg $r7 1.0
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 $r7
    add f32 $r1 neg $r20 1.0
    add f32 $r2 neg $r21 1.0
    add f32 $r3 neg $r22 1.0
    add_scaled $r20 $r21 $r22 $r7 $r1 $r2 $r3
    mul f32 $r0 $r8 $r20
    mul f32 $r1 $r9 $r21
    mul f32 $r2 $r10 $r22
    gamma
