/* A body becomes a square through its middle that faces the eye, wide enough for the ball.
 * p: as nbody.vp.  o: clip position; place on the square as the camera sees it; of the body: middle,
 * radius, heat, sun, what hides the sky, amount, its number. */
.include "common.macros"
.primitive triangle_strip
.vertices 4
.output position o[0x0]
.output varying o[0x10] 14
.const scale_x c0[0x40]
.const scale_y c0[0x44]
.const depth_scale c0[0x48]
.const depth_offset c0[0x4c]

.macro corner x y
    mov b32 $r8 \x
    mov b32 $r9 \y
    // the middle, and a step along both sides of the square
    add f32 $r10 (mul $r8 $r4) $r0
    add f32 $r10 (mul $r9 $r5) $r10
    mov b32 $r11 $r1
    add f32 $r11 (mul $r9 $r6) $r11
    add f32 $r12 (mul $r8 $r14) $r2
    add f32 $r12 (mul $r9 $r7) $r12
    mul rn f32 o[0x0] $r10 scale_x
    mul rn f32 o[0x4] $r11 scale_y
    mul rn f32 $r13 $r12 depth_scale
    add rn f32 o[0x8] $r13 depth_offset
    cvt neg f32 $r13 f32 $r12
    mov b32 o[0xc] $r13
    mov b32 o[0x10] $r10
    mov b32 o[0x14] $r11
    mov b32 o[0x18] $r12
    mov b32 o[0x1c] $r0
    mov b32 o[0x20] $r1
    mov b32 o[0x24] $r2
    mov b32 o[0x28] $r3
    mov b32 o[0x2c] p[$a1+0x20]
    mov b32 o[0x30] p[$a1+0x24]
    mov b32 o[0x34] p[$a1+0x28]
    mov b32 o[0x38] p[$a1+0x2c]
    mov b32 o[0x3c] p[$a1+0x30]
    mov b32 o[0x40] p[$a1+0x34]
    mov b32 o[0x44] p[$a1+0x38]
    emit
.endm

    shl $a1 a[0x0] 0x0
    mov b32 $r0 p[$a1+0x10]
    mov b32 $r1 p[$a1+0x14]
    mov b32 $r2 p[$a1+0x18]
    mov b32 $r3 p[$a1+0x1c]
    // half the side: r d / sqrt(d^2 - r^2), a bit more
    mul f32 $r4 $r0 $r0
    add f32 $r4 (mul $r1 $r1) $r4
    add f32 $r4 (mul $r2 $r2) $r4
    mul f32 $r5 $r3 $r3
    add f32 $r5 $r4 neg $r5
    mov b32 $r6 1.0e-4
    max f32 $r5 $r5 $r6
    rsqrt f32 $r5 $r5
    mul f32 $r6 $r5 $r3
    rsqrt f32 $r7 $r4                 // 1 / distance
    mul f32 $r5 $r4 $r7
    mul f32 $r6 $r6 $r5
    mul f32 $r6 $r6 1.01              // half the side
    // sides: (z, 0, -x) of length 1, and at right angles to it and to the way
    mul f32 $r8 $r0 $r0
    add f32 $r8 (mul $r2 $r2) $r8
    add f32 $r8 $r8 1.0e-9
    rsqrt f32 $r8 $r8
    mul f32 $r4 $r2 $r8
    mul f32 $r14 $r0 $r8
    cvt neg f32 $r14 f32 $r14
    // (x, y, z) / d cross (a, 0, c) = (y c, z a - x c, -y a) / d
    mul f32 $r9 $r1 $r7
    mul f32 $r5 $r9 $r14
    mul f32 $r10 $r9 $r4
    mul f32 $r11 $r2 $r4
    mul f32 $r12 $r0 $r14
    add f32 $r11 $r11 neg $r12
    mul f32 $r11 $r11 $r7
    cvt neg f32 $r10 f32 $r10
    scale $r4 $r14 $r5 $r6
    mul f32 $r7 $r10 $r6
    mul f32 $r6 $r11 $r6
    corner -1.0 -1.0
    corner 1.0 -1.0
    corner -1.0 1.0
    corner 1.0 1.0
    exit restart
