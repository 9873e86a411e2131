/* Throws a triangle out along its normal, tumbling, and emits it flat.
 * p: x y z of three corners.  o: clip position, world x y z, normal, r g b. */
.include "common.macros"
.primitive triangle_strip
.vertices 3
.output position o[0x0]
.output varying o[0x10] 9
.const progress c0[0x5c]
.const land_r c0[0x60]
.const land_g c0[0x64]
.const land_b c0[0x68]
.const sea_r c0[0x70]
.const sea_g c0[0x74]
.const sea_b c0[0x78]

// (x, y, z) = a x b
.macro cross x y z ax ay az bx by bz
    mul f32 \x \az \by
    add f32 \x (mul \ay \bz) neg \x
    mul f32 \y \ax \bz
    add f32 \y (mul \az \bx) neg \y
    mul f32 \z \ay \bx
    add f32 \z (mul \ax \by) neg \z
.endm

// A corner: r cos + (axis x r) sin + axis (axis . r) (1 - cos), moved to the centre
.macro corner x y z
    cross $r6 $r7 $r8 $r3 $r4 $r5 \x \y \z
    dot $r29 $r3 $r4 $r5 \x \y \z
    mul f32 $r29 $r29 $r25
    mul f32 $r6 $r6 $r23
    add f32 $r6 (mul \x $r24) $r6
    add f32 $r6 (mul $r3 $r29) $r6
    add f32 $r6 $r6 $r12
    mul f32 $r7 $r7 $r23
    add f32 $r7 (mul \y $r24) $r7
    add f32 $r7 (mul $r4 $r29) $r7
    add f32 $r7 $r7 $r13
    mul f32 $r8 $r8 $r23
    add f32 $r8 (mul \z $r24) $r8
    add f32 $r8 (mul $r5 $r29) $r8
    add f32 $r8 $r8 $r14
    project $r29 $r30 $r31 $r32 $r6 $r7 $r8
    mov b32 o[0x10] $r6
    mov b32 o[0x14] $r7
    mov b32 o[0x18] $r8
    mov b32 o[0x1c] $r9
    mov b32 o[0x20] $r10
    mov b32 o[0x24] $r11
    mov b32 o[0x28] $r26
    mov b32 o[0x2c] $r27
    mov b32 o[0x30] $r28
.endm

    shl $a1 a[0x0] 0x0
    shl $a2 a[0x4] 0x0
    shl $a3 a[0x8] 0x0
    mov b32 $r0 p[$a1]
    mov b32 $r1 p[$a1+0x4]
    mov b32 $r2 p[$a1+0x8]
    // $r3..5, $r6..8: edges from the first corner
    add rn f32 $r3 p[$a2] neg $r0
    add rn f32 $r4 p[$a2+0x4] neg $r1
    add rn f32 $r5 p[$a2+0x8] neg $r2
    add rn f32 $r6 p[$a3] neg $r0
    add rn f32 $r7 p[$a3+0x4] neg $r1
    add rn f32 $r8 p[$a3+0x8] neg $r2
    // $r9..11: normal
    cross $r9 $r10 $r11 $r3 $r4 $r5 $r6 $r7 $r8
    normalize $r9 $r10 $r11 $r12
    // $r12..14: centre; corners relative to it: $r0..2, $r15..17, $r18..20
    add rn f32 $r12 $r3 $r6
    add rn f32 $r13 $r4 $r7
    add rn f32 $r14 $r5 $r8
    mov b32 $r21 0.333333343
    add f32 $r12 (mul $r12 $r21) $r0
    add f32 $r13 (mul $r13 $r21) $r1
    add f32 $r14 (mul $r14 $r21) $r2
    add f32 $r0 $r0 neg $r12
    add f32 $r1 $r1 neg $r13
    add f32 $r2 $r2 neg $r14
    add rn f32 $r15 p[$a2] neg $r12
    add rn f32 $r16 p[$a2+0x4] neg $r13
    add rn f32 $r17 p[$a2+0x8] neg $r14
    add rn f32 $r18 p[$a3] neg $r12
    add rn f32 $r19 p[$a3+0x4] neg $r13
    add rn f32 $r20 p[$a3+0x8] neg $r14
    // $r3..5: axis about which the triangle tumbles, along an edge
    normalize $r3 $r4 $r5 $r6
    // $r21: a random number 0..1, made of the triangle's centre
    mul f32 $r21 $r12 91.7
    mov b32 $r22 57.3
    add f32 $r21 (mul $r13 $r22) $r21
    mov b32 $r22 143.1
    add f32 $r21 (mul $r14 $r22) $r21
    presin f32 $r21 $r21
    sin f32 $r21 $r21
    cvt abs f32 $r21 f32 $r21
    // $r22: distance of the flight; $r23, $r24: sine and cosine of the tumbling; $r25: 1 - cosine
    mul f32 $r22 $r21 0.65
    add f32 $r22 $r22 0.15
    mul rn f32 $r22 $r22 progress
    add f32 $r23 $r21 0.3
    mul f32 $r23 $r23 1.5
    mul rn f32 $r23 $r23 progress
    presin f32 $r24 $r23
    sin f32 $r23 $r24
    cos f32 $r24 $r24
    add f32 $r25 neg $r24 1.0
    // colour $r26..28: land or sea by a few waves over the sphere, ice at the poles
    mul f32 $r26 $r12 3.1
    add f32 $r26 (mul $r13 1.3) $r26
    presin f32 $r26 $r26
    sin f32 $r26 $r26
    mul f32 $r27 $r14 2.7
    add f32 $r27 (mul $r12 -1.9) $r27
    add f32 $r27 $r27 1.1
    presin f32 $r27 $r27
    sin f32 $r27 $r27
    mul f32 $r28 $r13 4.3
    add f32 $r28 (mul $r14 3.7) $r28
    presin f32 $r28 $r28
    sin f32 $r28 $r28
    add f32 $r29 $r26 $r27
    add f32 $r29 (mul $r28 0.6) $r29
    add f32 $r29 $r29 -0.25
    mov b32 $r30 0x0
    add rn f32 $r26 $r30 sea_r
    add rn f32 $r27 $r30 sea_g
    add rn f32 $r28 $r30 sea_b
    set $c0 # g f32 $r29 $r30
    (lg $c0) add rn f32 $r26 $r30 land_r
    (lg $c0) add rn f32 $r27 $r30 land_g
    (lg $c0) add rn f32 $r28 $r30 land_b
    mov b32 $r30 0.86
    set $c0 # g f32 abs $r13 $r30
    (lg $c0) mov b32 $r26 $r30
    (lg $c0) mov b32 $r27 $r30
    (lg $c0) mov b32 $r28 $r30
    mul f32 $r21 $r21 0.35
    add f32 $r21 $r21 0.8
    scale $r26 $r27 $r28 $r21
    // centre moves out, normal turns with the triangle: n cos + (axis x n) sin
    add_scaled $r12 $r13 $r14 $r22 $r9 $r10 $r11
    cross $r6 $r7 $r8 $r3 $r4 $r5 $r9 $r10 $r11
    scale $r9 $r10 $r11 $r24
    add_scaled $r9 $r10 $r11 $r23 $r6 $r7 $r8
    corner $r0 $r1 $r2
    emit
    corner $r15 $r16 $r17
    emit
    corner $r18 $r19 $r20
    emit
    exit restart
