/* Stone in the light of seven fires and a little moon; noise makes its colour and its bumps.
 * v: 1/w, world x y z, normal, r g b, roughness. */
.include "common.macros"
.interpolants position=w smooth=10
.const eye_x c0[0x40]
.const eye_y c0[0x44]
.const eye_z c0[0x48]
.const fog_r c0[0x50]
.const fog_g c0[0x54]
.const fog_b c0[0x58]
.const fog c0[0x5c]
.const moon_x c0[0x60]
.const moon_y c0[0x64]
.const moon_z c0[0x68]
.const moon c0[0x6c]

// $r16 += light of the fire at c0[at]: strength * cosine / (distance^2 + a little)
.macro fire x y z strength
    add rn f32 $r12 neg $r4 \x
    add rn f32 $r13 neg $r5 \y
    add rn f32 $r14 neg $r6 \z
    dot $r15 $r12 $r13 $r14 $r12 $r13 $r14
    dot $r11 $r12 $r13 $r14 $r8 $r9 $r10
    rsqrt f32 $r12 $r15
    mul f32 $r11 $r11 $r12
    add f32 $r11 $r11 0.12
    max f32 $r11 $r11 $r127
    add f32 $r15 $r15 0.3
    rcp f32 $r15 $r15
    mul f32 $r11 $r11 $r15
    mul rn f32 $r11 $r11 \strength
    add f32 $r16 $r16 $r11
.endm

    clip_w $r0
    interp $r4 v[0x4] $r0
    interp $r5 v[0x8] $r0
    interp $r6 v[0xc] $r0
    interp $r8 v[0x10] $r0
    interp $r9 v[0x14] $r0
    interp $r10 v[0x18] $r0
    interp $r17 v[0x1c] $r0
    interp $r18 v[0x20] $r0
    interp $r19 v[0x24] $r0
    // $r20..23: coarse noise, $r24..27: fine noise
    mul f32 $r20 $r4 0.21
    mul f32 $r21 $r5 0.21
    mul f32 $r22 $r6 0.21
    mul f32 $r24 $r4 0.71
    mul f32 $r25 $r5 0.71
    mul f32 $r26 $r6 0.71
    texauto all $r20:$r21:$r22:$r23 $t0 $s0 $r20:$r21:$r22 0x0 0x0 0x0
    texauto all $r24:$r25:$r26:$r27 $t0 $s0 $r24:$r25:$r26 0x0 0x0 0x0
    // bumps
    normalize $r8 $r9 $r10 $r11
    interp $r11 v[0x28] $r0
    mov b32 $r12 -0.5
    add f32 $r25 $r25 $r12
    add f32 $r26 $r26 $r12
    add f32 $r27 $r27 $r12
    add f32 $r21 $r21 $r12
    add f32 $r22 $r22 $r12
    add f32 $r23 $r23 $r12
    add f32 $r25 $r25 $r21
    add f32 $r26 $r26 $r22
    add f32 $r27 $r27 $r23
    add_scaled $r8 $r9 $r10 $r11 $r25 $r26 $r27
    normalize $r8 $r9 $r10 $r11
    // patches
    add f32 $r20 $r20 $r24
    mul f32 $r20 $r20 0.9
    add f32 $r20 $r20 0.2
    scale $r17 $r18 $r19 $r20
    mov b32 $r16 0x0
    fire c0[0x70] c0[0x74] c0[0x78] c0[0x7c]
    fire c0[0x80] c0[0x84] c0[0x88] c0[0x8c]
    fire c0[0x90] c0[0x94] c0[0x98] c0[0x9c]
    fire c0[0xa0] c0[0xa4] c0[0xa8] c0[0xac]
    fire c0[0xb0] c0[0xb4] c0[0xb8] c0[0xbc]
    fire c0[0xc0] c0[0xc4] c0[0xc8] c0[0xcc]
    fire c0[0xd0] c0[0xd4] c0[0xd8] c0[0xdc]
    // moon
    cosine $r11 $r8 $r9 $r10 moon_x moon_y moon_z
    mul rn f32 $r11 $r11 moon
    add f32 $r11 $r11 0.012
    mul f32 $r12 $r16 3.2
    mul f32 $r13 $r16 1.35
    mul f32 $r14 $r16 0.42
    mul f32 $r15 $r11 0.55
    add f32 $r12 $r12 $r15
    mul f32 $r15 $r11 0.75
    add f32 $r13 $r13 $r15
    add f32 $r14 $r14 $r11
    mul f32 $r0 $r17 $r12
    mul f32 $r1 $r18 $r13
    mul f32 $r2 $r19 $r14
    // fog: 2^(-distance)
    add rn f32 $r4 neg $r4 eye_x
    add rn f32 $r5 neg $r5 eye_y
    add rn f32 $r6 neg $r6 eye_z
    dot $r7 $r4 $r5 $r6 $r4 $r5 $r6
    rsqrt f32 $r8 $r7
    mul f32 $r7 $r7 $r8
    mul rn f32 $r7 $r7 fog
    cvt neg f32 $r7 f32 $r7
    preex2 f32 $r7 $r7
    ex2 f32 $r7 $r7
    scale $r0 $r1 $r2 $r7
    add f32 $r7 neg $r7 1.0
    add_scaled $r0 $r1 $r2 $r7 fog_r fog_g fog_b
    gamma
