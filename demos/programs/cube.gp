/* Draws a triangle into the six faces of a cube map at once: each copy goes to the layer of its face.
 * A face sees 90 degrees, so its clip position is a permutation of the place relative to the cube's
 * centre; faces that have the whole triangle behind them are left out.
 * p: clip position (unused), world x y z, normal, r g b w.  o: clip position, the same, layer. */
.include "common.macros"
.primitive triangle_strip
.vertices 18
.output position o[0x0]
.output varying o[0x10] 10
.output layer o[0x38]
.const center_x c0[0xa0]
.const center_y c0[0xa4]
.const center_z c0[0xa8]
.const depth_scale c0[0xb0]
.const depth_offset c0[0xb4]

// (x, y, z) = corner p, relative to the centre, (u, v, w) = the negative
.macro corner p x y z u v w
    mov b32 \x p[\p+0x10]
    mov b32 \y p[\p+0x14]
    mov b32 \z p[\p+0x18]
    add rn f32 \x \x neg center_x
    add rn f32 \y \y neg center_y
    add rn f32 \z \z neg center_z
    cvt neg f32 \u f32 \x
    cvt neg f32 \v f32 \y
    cvt neg f32 \w f32 \z
.endm

// Emits corner p at (x, y) of the face, `ahead` before its centre. $r20: layer
.macro corner_out p x y ahead
    mov b32 o[0x0] \x
    mov b32 o[0x4] \y
    mul rn f32 $r18 \ahead depth_scale
    add rn f32 o[0x8] $r18 depth_offset
    mov b32 o[0xc] \ahead
    mov b32 o[0x10] p[\p+0x10]
    mov b32 o[0x14] p[\p+0x14]
    mov b32 o[0x18] p[\p+0x18]
    mov b32 o[0x1c] p[\p+0x1c]
    mov b32 o[0x20] p[\p+0x20]
    mov b32 o[0x24] p[\p+0x24]
    mov b32 o[0x28] p[\p+0x28]
    mov b32 o[0x2c] p[\p+0x2c]
    mov b32 o[0x30] p[\p+0x30]
    mov b32 o[0x34] p[\p+0x34]
    mov b32 o[0x38] $r20
    emit
.endm

// A face: its layer; x, y and the direction ahead of the three corners
.macro face layer x1 y1 ahead1 x2 y2 ahead2 x3 y3 ahead3
    max f32 $r18 \ahead1 \ahead2
    max f32 $r18 $r18 \ahead3
    set $c0 # le f32 $r18 $r127
    joinat #_behind\@
    (lg $c0) bra #_behind\@
    mov b32 $r20 \layer
    corner_out $a1 \x1 \y1 \ahead1
    corner_out $a2 \x2 \y2 \ahead2
    corner_out $a3 \x3 \y3 \ahead3
    restart
_behind\@:
    join nop
.endm

    shl $a1 a[0x0] 0x0
    shl $a2 a[0x4] 0x0
    shl $a3 a[0x8] 0x0
    corner $a1 $r0 $r1 $r2 $r9 $r10 $r11
    corner $a2 $r3 $r4 $r5 $r12 $r13 $r14
    corner $a3 $r6 $r7 $r8 $r15 $r16 $r17
    face 0x0 $r11 $r1 $r0 $r14 $r4 $r3 $r17 $r7 $r6        // +x: -z, y
    face 0x1 $r2 $r1 $r9 $r5 $r4 $r12 $r8 $r7 $r15         // -x: z, y
    face 0x2 $r0 $r11 $r1 $r3 $r14 $r4 $r6 $r17 $r7        // +y: x, -z
    face 0x3 $r0 $r2 $r10 $r3 $r5 $r13 $r6 $r8 $r16        // -y: x, z
    face 0x4 $r0 $r1 $r2 $r3 $r4 $r5 $r6 $r7 $r8           // +z: x, y
    face 0x5 $r9 $r1 $r11 $r12 $r4 $r14 $r15 $r7 $r17      // -z: -x, y
    exit nop
