/* A point becomes a square that faces the camera.  p: clip position, size, r g b.
 * o: clip position, r g b, u v from -1 to 1. */
.primitive triangle_strip
.vertices 4
.output position o[0x0]
.output varying o[0x10] 5
.const extent_x c0[0x40]
.const extent_y c0[0x44]

// The corner that lies (x, y) from the point, at (u, v)
.macro corner x y u v
    add rn f32 o[0x0] $r0 \x
    add rn f32 o[0x4] $r1 \y
    mov b32 o[0x8] p[$a1+0x8]
    mov b32 o[0xc] p[$a1+0xc]
    mov b32 o[0x10] p[$a1+0x14]
    mov b32 o[0x14] p[$a1+0x18]
    mov b32 o[0x18] p[$a1+0x1c]
    mov b32 o[0x1c] \u
    mov b32 o[0x20] \v
.endm

    shl $a1 a[0x0] 0x0
    mov b32 $r0 p[$a1]
    mov b32 $r1 p[$a1+0x4]
    mov b32 $r2 p[$a1+0x10]
    mul rn f32 $r3 $r2 extent_y
    mul rn f32 $r2 $r2 extent_x
    mov b32 $r4 -1.0
    mov b32 $r5 1.0
    corner "neg $r2" "neg $r3" $r4 $r4
    emit
    corner $r2 "neg $r3" $r5 $r4
    emit
    corner "neg $r2" $r3 $r4 $r5
    emit
    corner $r2 $r3 $r5 $r5
    emit
    exit restart
