/* A particle becomes a square that faces the camera, turned.  p: clip position; size, cosine, sine,
 * flame r g b, smoke, place in the noise.
 * o: clip position, flame r g b, smoke, place in the noise, u v from -1 to 1. */
.primitive triangle_strip
.vertices 4
.output position o[0x0]
.output varying o[0x10] 7
.const extent_x c0[0xe0]
.const extent_y c0[0xe4]

// u, v: 1 or -1
.macro corner u v
    mov b32 $r6 \u
    mov b32 $r7 \v
    mul f32 $r8 $r6 $r2
    mul f32 $r9 $r7 $r3
    add f32 $r8 $r8 neg $r9
    mul f32 $r9 $r6 $r3
    add f32 $r9 (mul $r7 $r2) $r9
    mul rn f32 $r8 $r8 extent_x
    mul rn f32 $r9 $r9 extent_y
    add rn f32 o[0x0] $r0 $r8
    add rn f32 o[0x4] $r1 $r9
    mov b32 o[0x8] p[$a1+0x8]
    mov b32 o[0xc] p[$a1+0xc]
    mov b32 o[0x10] p[$a1+0x1c]
    mov b32 o[0x14] p[$a1+0x20]
    mov b32 o[0x18] p[$a1+0x24]
    mov b32 o[0x1c] p[$a1+0x28]
    mov b32 o[0x20] p[$a1+0x2c]
    mov b32 o[0x24] $r6
    mov b32 o[0x28] $r7
.endm

    shl $a1 a[0x0] 0x0
    mov b32 $r0 p[$a1]
    mov b32 $r1 p[$a1+0x4]
    mov b32 $r4 p[$a1+0x10]
    mov b32 $r2 p[$a1+0x14]
    mov b32 $r3 p[$a1+0x18]
    mul f32 $r2 $r2 $r4
    mul f32 $r3 $r3 $r4
    corner -1.0 -1.0
    emit
    corner 1.0 -1.0
    emit
    corner -1.0 1.0
    emit
    corner 1.0 1.0
    emit
    exit restart
