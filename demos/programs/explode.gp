/* Throws a triangle out along its normal, tumbling, and emits it flat.
 * p: x y z of three corners.  o: clip position, world x y z, normal, r g b. */
.primitive triangle_strip
.vertices 3
.output position o[0x0]
.output varying o[0x10] 9
.const mx_x c0[0x0]
.const mx_y c0[0x4]
.const mx_z c0[0x8]
.const mx_w c0[0xc]
.const my_x c0[0x10]
.const my_y c0[0x14]
.const my_z c0[0x18]
.const my_w c0[0x1c]
.const mz_x c0[0x20]
.const mz_y c0[0x24]
.const mz_z c0[0x28]
.const mz_w c0[0x2c]
.const mw_x c0[0x30]
.const mw_y c0[0x34]
.const mw_z c0[0x38]
.const mw_w c0[0x3c]
.const progress c0[0x5c]
.const land_r c0[0x60]
.const land_g c0[0x64]
.const land_b c0[0x68]
.const sea_r c0[0x70]
.const sea_g c0[0x74]
.const sea_b c0[0x78]

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
    mul f32 $r9 $r5 $r7
    add f32 $r9 (mul $r4 $r8) neg $r9
    mul f32 $r10 $r3 $r8
    add f32 $r10 (mul $r5 $r6) neg $r10
    mul f32 $r11 $r4 $r6
    add f32 $r11 (mul $r3 $r7) neg $r11
    mul rn f32 $r12 $r9 $r9
    add f32 $r12 (mul $r10 $r10) $r12
    add f32 $r12 (mul $r11 $r11) $r12
    rsqrt f32 $r12 $r12
    mul f32 $r9 $r9 $r12
    mul f32 $r10 $r10 $r12
    mul f32 $r11 $r11 $r12
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
    mul rn f32 $r6 $r3 $r3
    add f32 $r6 (mul $r4 $r4) $r6
    add f32 $r6 (mul $r5 $r5) $r6
    rsqrt f32 $r6 $r6
    mul f32 $r3 $r3 $r6
    mul f32 $r4 $r4 $r6
    mul f32 $r5 $r5 $r6
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
    mul f32 $r26 $r26 $r21
    mul f32 $r27 $r27 $r21
    mul f32 $r28 $r28 $r21
    // centre moves out, normal turns with the triangle: n cos + (axis x n) sin
    add f32 $r12 (mul $r9 $r22) $r12
    add f32 $r13 (mul $r10 $r22) $r13
    add f32 $r14 (mul $r11 $r22) $r14
    mul f32 $r6 $r5 $r10
    add f32 $r6 (mul $r4 $r11) neg $r6
    mul f32 $r7 $r3 $r11
    add f32 $r7 (mul $r5 $r9) neg $r7
    mul f32 $r8 $r4 $r9
    add f32 $r8 (mul $r3 $r10) neg $r8
    mul f32 $r9 $r9 $r24
    mul f32 $r10 $r10 $r24
    mul f32 $r11 $r11 $r24
    add f32 $r9 (mul $r6 $r23) $r9
    add f32 $r10 (mul $r7 $r23) $r10
    add f32 $r11 (mul $r8 $r23) $r11
    // corner: r cos + (axis x r) sin + axis (axis . r) (1 - cos), moved to the centre
    mul f32 $r6 $r5 $r1
    add f32 $r6 (mul $r4 $r2) neg $r6
    mul f32 $r7 $r3 $r2
    add f32 $r7 (mul $r5 $r0) neg $r7
    mul f32 $r8 $r4 $r0
    add f32 $r8 (mul $r3 $r1) neg $r8
    mul rn f32 $r29 $r3 $r0
    add f32 $r29 (mul $r4 $r1) $r29
    add f32 $r29 (mul $r5 $r2) $r29
    mul f32 $r29 $r29 $r25
    mul f32 $r6 $r6 $r23
    add f32 $r6 (mul $r0 $r24) $r6
    add f32 $r6 (mul $r3 $r29) $r6
    add f32 $r6 $r6 $r12
    mul f32 $r7 $r7 $r23
    add f32 $r7 (mul $r1 $r24) $r7
    add f32 $r7 (mul $r4 $r29) $r7
    add f32 $r7 $r7 $r13
    mul f32 $r8 $r8 $r23
    add f32 $r8 (mul $r2 $r24) $r8
    add f32 $r8 (mul $r5 $r29) $r8
    add f32 $r8 $r8 $r14
    mul rn f32 $r29 $r6 mx_x
    mul rn f32 $r30 $r6 mx_y
    mul rn f32 $r31 $r6 mx_z
    mul rn f32 $r32 $r6 mx_w
    add f32 $r29 (mul $r7 my_x) $r29
    add f32 $r30 (mul $r7 my_y) $r30
    add f32 $r31 (mul $r7 my_z) $r31
    add f32 $r32 (mul $r7 my_w) $r32
    add f32 $r29 (mul $r8 mz_x) $r29
    add f32 $r30 (mul $r8 mz_y) $r30
    add f32 $r31 (mul $r8 mz_z) $r31
    add f32 $r32 (mul $r8 mz_w) $r32
    add rn f32 o[0x0] $r29 mw_x
    add rn f32 o[0x4] $r30 mw_y
    add rn f32 o[0x8] $r31 mw_z
    add rn f32 $r32 $r32 mw_w
    mov b32 o[0xc] $r32
    mov b32 o[0x10] $r6
    mov b32 o[0x14] $r7
    mov b32 o[0x18] $r8
    mov b32 o[0x1c] $r9
    mov b32 o[0x20] $r10
    mov b32 o[0x24] $r11
    mov b32 o[0x28] $r26
    mov b32 o[0x2c] $r27
    mov b32 o[0x30] $r28
    emit
    // corner: r cos + (axis x r) sin + axis (axis . r) (1 - cos), moved to the centre
    mul f32 $r6 $r5 $r16
    add f32 $r6 (mul $r4 $r17) neg $r6
    mul f32 $r7 $r3 $r17
    add f32 $r7 (mul $r5 $r15) neg $r7
    mul f32 $r8 $r4 $r15
    add f32 $r8 (mul $r3 $r16) neg $r8
    mul rn f32 $r29 $r3 $r15
    add f32 $r29 (mul $r4 $r16) $r29
    add f32 $r29 (mul $r5 $r17) $r29
    mul f32 $r29 $r29 $r25
    mul f32 $r6 $r6 $r23
    add f32 $r6 (mul $r15 $r24) $r6
    add f32 $r6 (mul $r3 $r29) $r6
    add f32 $r6 $r6 $r12
    mul f32 $r7 $r7 $r23
    add f32 $r7 (mul $r16 $r24) $r7
    add f32 $r7 (mul $r4 $r29) $r7
    add f32 $r7 $r7 $r13
    mul f32 $r8 $r8 $r23
    add f32 $r8 (mul $r17 $r24) $r8
    add f32 $r8 (mul $r5 $r29) $r8
    add f32 $r8 $r8 $r14
    mul rn f32 $r29 $r6 mx_x
    mul rn f32 $r30 $r6 mx_y
    mul rn f32 $r31 $r6 mx_z
    mul rn f32 $r32 $r6 mx_w
    add f32 $r29 (mul $r7 my_x) $r29
    add f32 $r30 (mul $r7 my_y) $r30
    add f32 $r31 (mul $r7 my_z) $r31
    add f32 $r32 (mul $r7 my_w) $r32
    add f32 $r29 (mul $r8 mz_x) $r29
    add f32 $r30 (mul $r8 mz_y) $r30
    add f32 $r31 (mul $r8 mz_z) $r31
    add f32 $r32 (mul $r8 mz_w) $r32
    add rn f32 o[0x0] $r29 mw_x
    add rn f32 o[0x4] $r30 mw_y
    add rn f32 o[0x8] $r31 mw_z
    add rn f32 $r32 $r32 mw_w
    mov b32 o[0xc] $r32
    mov b32 o[0x10] $r6
    mov b32 o[0x14] $r7
    mov b32 o[0x18] $r8
    mov b32 o[0x1c] $r9
    mov b32 o[0x20] $r10
    mov b32 o[0x24] $r11
    mov b32 o[0x28] $r26
    mov b32 o[0x2c] $r27
    mov b32 o[0x30] $r28
    emit
    // corner: r cos + (axis x r) sin + axis (axis . r) (1 - cos), moved to the centre
    mul f32 $r6 $r5 $r19
    add f32 $r6 (mul $r4 $r20) neg $r6
    mul f32 $r7 $r3 $r20
    add f32 $r7 (mul $r5 $r18) neg $r7
    mul f32 $r8 $r4 $r18
    add f32 $r8 (mul $r3 $r19) neg $r8
    mul rn f32 $r29 $r3 $r18
    add f32 $r29 (mul $r4 $r19) $r29
    add f32 $r29 (mul $r5 $r20) $r29
    mul f32 $r29 $r29 $r25
    mul f32 $r6 $r6 $r23
    add f32 $r6 (mul $r18 $r24) $r6
    add f32 $r6 (mul $r3 $r29) $r6
    add f32 $r6 $r6 $r12
    mul f32 $r7 $r7 $r23
    add f32 $r7 (mul $r19 $r24) $r7
    add f32 $r7 (mul $r4 $r29) $r7
    add f32 $r7 $r7 $r13
    mul f32 $r8 $r8 $r23
    add f32 $r8 (mul $r20 $r24) $r8
    add f32 $r8 (mul $r5 $r29) $r8
    add f32 $r8 $r8 $r14
    mul rn f32 $r29 $r6 mx_x
    mul rn f32 $r30 $r6 mx_y
    mul rn f32 $r31 $r6 mx_z
    mul rn f32 $r32 $r6 mx_w
    add f32 $r29 (mul $r7 my_x) $r29
    add f32 $r30 (mul $r7 my_y) $r30
    add f32 $r31 (mul $r7 my_z) $r31
    add f32 $r32 (mul $r7 my_w) $r32
    add f32 $r29 (mul $r8 mz_x) $r29
    add f32 $r30 (mul $r8 mz_y) $r30
    add f32 $r31 (mul $r8 mz_z) $r31
    add f32 $r32 (mul $r8 mz_w) $r32
    add rn f32 o[0x0] $r29 mw_x
    add rn f32 o[0x4] $r30 mw_y
    add rn f32 o[0x8] $r31 mw_z
    add rn f32 $r32 $r32 mw_w
    mov b32 o[0xc] $r32
    mov b32 o[0x10] $r6
    mov b32 o[0x14] $r7
    mov b32 o[0x18] $r8
    mov b32 o[0x1c] $r9
    mov b32 o[0x20] $r10
    mov b32 o[0x24] $r11
    mov b32 o[0x28] $r26
    mov b32 o[0x2c] $r27
    mov b32 o[0x30] $r28
    emit
    exit restart
