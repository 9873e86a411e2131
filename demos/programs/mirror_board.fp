/* The board, or the table: a texture in the lamp's light, with the soft shadows of the pieces, from a
 * loop over c1[]. Alpha says how little the varnish mirrors.
 * v: 1/w, world x y z, normal, r g b w; r: 1 / width of the texture, g: its middle, b: light. */
.include "common.macros"
.include "mirror.macros"
.interpolants position=w smooth=10
.const slant_x c0[0x70]
.const slant_z c0[0x74]
.const end c0[0x78]

    clip_w $r0
    interp $r1 v[0x4] $r0
    interp $r2 v[0x8] $r0
    interp $r3 v[0xc] $r0
    interp $r8 v[0x1c] $r0
    interp $r9 v[0x20] $r0
    interp $r7 v[0x24] $r0
    mov b32 $r10 $r9
    add f32 $r9 (mul $r3 $r8) $r10
    add f32 $r8 (mul $r1 $r8) $r10
    texauto all $r8:$r9:$r10:# $t0 $s0 $r8:$r9 0 0 0
    mul f32 $r8 $r8 $r8
    mul f32 $r9 $r9 $r9
    mul f32 $r10 $r10 $r10
    // $r11: light of the lamp after all pieces.  A piece in c1[]: x z, shadow's length, 1 / its square,
    // radius; 32 bytes
    mov b32 $r11 1.0
    mov b32 $r12 0x0
    mov b32 $r4 1.0
    breakaddr #shaded
piece:
    shl $a1 $r12 0x0
    add rn f32 $r13 neg $r1 c1[$a1]
    add rn f32 $r14 neg $r3 c1[$a1+0x4]
    // $r15: where along the shadow, 0 to 1
    mul rn f32 $r15 $r13 slant_x
    add f32 $r15 (mul $r14 slant_z) $r15
    mul rn f32 $r15 $r15 c1[$a1+0xc]
    cvt neg f32 $r15 f32 $r15
    max f32 $r15 $r15 $r127
    min f32 $r15 $r15 $r4
    // $r13, $r14: from the shadow's axis; $r16: their distance
    mul rn f32 $r16 $r15 c1[$a1+0x8]
    add f32 $r13 (mul $r16 slant_x) $r13
    add f32 $r14 (mul $r16 slant_z) $r14
    mul f32 $r16 $r13 $r13
    add f32 $r16 (mul $r14 $r14) $r16
    add f32 $r16 $r16 1.0e-6
    rsqrt f32 $r13 $r16
    mul f32 $r16 $r16 $r13
    // narrower and softer along its way: 1 in the light at distance radius (1.1 - 0.3 t) + softness
    mul f32 $r13 $r15 -0.35
    add f32 $r13 $r13 0.8
    mul rn f32 $r13 $r13 c1[$a1+0x10]
    add f32 $r16 $r16 neg $r13
    mul f32 $r15 $r15 0.22
    add f32 $r15 $r15 0.12
    rcp f32 $r15 $r15
    mul f32 $r16 $r16 $r15
    max f32 $r16 $r16 $r127
    min f32 $r16 $r16 $r4
    mul f32 $r13 $r16 -2.0
    add f32 $r13 $r13 3.0
    mul f32 $r16 $r16 $r16
    mul f32 $r16 $r16 $r13
    mul f32 $r11 $r11 $r16
    add b32 $r12 $r12 0x20
    set $c0 # ge u32 $r12 end
    (lg $c0) break
    bra #piece
shaded:
    // light: the lamp, the walls
    mul f32 $r12 $r11 $r7
    mul f32 $r13 $r12 1.5
    mul f32 $r14 $r12 1.28
    mul f32 $r15 $r12 0.95
    mul f32 $r7 $r7 0.5
    add_scaled $r13 $r14 $r15 $r7 0.62 0.70 0.86
    mul f32 $r8 $r8 $r13
    mul f32 $r9 $r9 $r14
    mul f32 $r10 $r10 $r15
    // away from the middle the board fades into the walls: 1 / (1 + (d / 9)^4) is left
    mul f32 $r13 $r1 $r1
    add f32 $r13 (mul $r3 $r3) $r13
    mul f32 $r13 $r13 0.014
    mul f32 $r13 $r13 $r13
    add f32 $r13 $r13 1.0
    rcp f32 $r13 $r13
    mul f32 $r0 $r8 $r13
    mul f32 $r16 $r9 $r13
    mul f32 $r10 $r10 $r13
    add f32 $r13 neg $r13 1.0
    add_scaled $r0 $r16 $r10 $r13 0.085 0.060 0.052
    // the lamp's highlight on the varnish
    to_eye $r1 $r2 $r3 $r4
    mov b32 $r17 $r2
    half_way $r1 $r2 $r3 $r1 $r2 $r3 lamp_x lamp_y lamp_z $r4
    max f32 $r2 $r2 $r127
    power8 $r2
    mul f32 $r2 $r2 $r2
    mul f32 $r2 $r2 $r2
    mul f32 $r2 $r2 $r12
    add_scaled $r0 $r16 $r10 $r2 0.22 0.18 0.13
    mov b32 $r1 $r16
    mov b32 $r2 $r10
    // $r7: the share that is not mirrored: 0.86 - 0.6 (1 - v.y)^3
    add f32 $r7 neg $r17 1.0
    mul f32 $r8 $r7 $r7
    mul f32 $r7 $r7 $r8
    mul f32 $r7 $r7 -0.75
    add f32 $r7 $r7 0.82
    roots
    mov b32 $r3 $r7
    exit nop
