/* Tiles that fade into the haze, with the shadows of the balls. The shadows of things that stand still
 * are in a texture.  v: 1/w, world x y z, normal, r g b w. */
.include "common.macros"
.interpolants position=w smooth=10
.const sun_x c0[0x40]
.const sun_y c0[0x44]
.const sun_z c0[0x48]
.const horizon_r c0[0x80]
.const horizon_g c0[0x84]
.const horizon_b c0[0x88]

// A ball: x, y, z, w = 1 / squared radius. $r4, $r5: place on the floor. $r6 *= share of the sun's
// light that passes the ball; $r7 *= share of the light of the sky. $r8 to $r12 are lost
.macro shade x y z w
    mov b32 $r9 0x0
    add rn f32 $r8 neg $r4 \x
    add rn f32 $r9 $r9 \y
    add rn f32 $r10 neg $r5 \z
    // $r11 = along the sun's ray, $r12 = squared distance
    dot $r12 $r8 $r9 $r10 $r8 $r9 $r10
    dot $r11 $r8 $r9 $r10 sun_x sun_y sun_z
    // the ray passes at squared distance $r11: dark inside the ball, soft beyond
    mul f32 $r11 $r11 $r11
    add f32 $r11 $r12 neg $r11
    mul rn f32 $r11 $r11 \w
    add f32 $r11 $r11 -0.55
    mul f32 $r11 $r11 1.3
    max f32 $r11 $r11 $r127
    min f32 $r11 $r11 $r13
    mul f32 $r6 $r6 $r11
    // the share of the sky that the ball hides: about r^2 h / d^3, less than r^2 / d^2
    mul rn f32 $r12 $r12 \w
    rcp f32 $r12 $r12
    add f32 $r12 neg $r12 1.0
    max f32 $r12 $r12 $r127
    mul f32 $r7 $r7 $r12
.endm

    clip_w $r0
    interp $r4 v[0x4] $r0
    interp $r5 v[0xc] $r0
    mul f32 $r8 $r4 0.25
    mul f32 $r9 $r5 0.25
    texauto all $r8:$r9:$r10:# $t1 $s1 $r8:$r9 0 0 0
    mul f32 $r0 $r8 $r8
    mul f32 $r1 $r9 $r9
    mul f32 $r2 $r10 $r10
    mul f32 $r8 $r4 0.04166667           // 24 units wide
    mul f32 $r9 $r5 0.04166667
    add f32 $r8 $r8 0.5
    add f32 $r9 $r9 0.5
    texauto all $r8:#:#:# $t2 $s2 $r8:$r9 0 0 0
    mov b32 $r6 $r8
    mov b32 $r7 1.0
    mov b32 $r13 1.0
    shade c1[0x0] c1[0x4] c1[0x8] c1[0xc]
    shade c1[0x10] c1[0x14] c1[0x18] c1[0x1c]
    shade c1[0x20] c1[0x24] c1[0x28] c1[0x2c]
    shade c1[0x30] c1[0x34] c1[0x38] c1[0x3c]
    shade c1[0x40] c1[0x44] c1[0x48] c1[0x4c]
    shade c1[0x50] c1[0x54] c1[0x58] c1[0x5c]
    shade c1[0x60] c1[0x64] c1[0x68] c1[0x6c]
    shade c1[0x70] c1[0x74] c1[0x78] c1[0x7c]
    shade c1[0x80] c1[0x84] c1[0x88] c1[0x8c]
    shade c1[0x90] c1[0x94] c1[0x98] c1[0x9c]
    mul f32 $r8 $r6 1.25
    mul f32 $r9 $r6 1.05
    mul f32 $r10 $r6 0.75
    add_scaled $r8 $r9 $r10 $r7 0.30 0.34 0.46
    mul f32 $r0 $r0 $r8
    mul f32 $r1 $r1 $r9
    mul f32 $r2 $r2 $r10
    // haze: $r7 = d^2 / (d^2 + 27^2)
    mul f32 $r6 $r4 $r4
    add f32 $r6 (mul $r5 $r5) $r6
    add f32 $r7 $r6 700.0
    rcp f32 $r7 $r7
    mul f32 $r8 $r7 700.0
    mul f32 $r7 $r7 $r6
    scale $r0 $r1 $r2 $r8
    add_scaled $r0 $r1 $r2 $r7 horizon_r horizon_g horizon_b
    gamma
