/* Where the ray through this pixel meets the ball: its light, and its depth in place of the square's.
 * v: 1/w, place on the square; of the body: middle, radius, heat, sun, what hides the sky, amount, its
 * number. */
.include "common.macros"
.interpolants position=w smooth=3 flat=11
.depth
.const depth_scale c0[0x48]
.const depth_offset c0[0x4c]
.const sun_x c0[0x50]
.const sun_y c0[0x54]
.const sun_z c0[0x58]
.const up_x c0[0x60]
.const up_y c0[0x64]
.const up_z c0[0x68]
.const sun_r c0[0x70]
.const sun_g c0[0x74]
.const sun_b c0[0x78]
.const above_r c0[0x80]
.const above_g c0[0x84]
.const above_b c0[0x88]
.const below_r c0[0x90]
.const below_g c0[0x94]
.const below_b c0[0x98]

    clip_w $r0
    interp $r4 v[0x4] $r0
    interp $r5 v[0x8] $r0
    interp $r6 v[0xc] $r0
    interp $r8 flat v[0x10]
    interp $r9 flat v[0x14]
    interp $r10 flat v[0x18]
    interp $r11 flat v[0x1c]
    normalize $r4 $r5 $r6 $r0
    // (t ray - middle)^2 = radius^2
    dot $r0 $r4 $r5 $r6 $r8 $r9 $r10
    dot $r1 $r8 $r9 $r10 $r8 $r9 $r10
    mul f32 $r2 $r11 $r11
    add f32 $r1 $r1 neg $r2
    mul f32 $r2 $r0 $r0
    add f32 $r2 $r2 neg $r1
    set $c0 # l f32 $r2 $r127
    (lg $c0) discard                  // beside the ball
    add f32 $r2 $r2 1.0e-12
    rsqrt f32 $r1 $r2
    mul f32 $r2 $r2 $r1
    add f32 $r0 $r0 neg $r2
    scale $r4 $r5 $r6 $r0
    // $r16: depth, (z scale + offset) / -z, from 0 to 1
    mul rn f32 $r16 $r6 depth_scale
    add rn f32 $r16 $r16 depth_offset
    rcp f32 $r0 $r6
    mul f32 $r16 $r16 $r0
    mul f32 $r16 $r16 -0.5
    add f32 $r16 $r16 0.5
    // $r4..6: normal
    add f32 $r4 $r4 neg $r8
    add f32 $r5 $r5 neg $r9
    add f32 $r6 $r6 neg $r10
    rcp f32 $r0 $r11
    scale $r4 $r5 $r6 $r0
    // $r12: what is open: 1 - what hides, more towards it
    interp $r8 flat v[0x28]
    interp $r9 flat v[0x2c]
    interp $r10 flat v[0x30]
    interp $r11 flat v[0x34]
    dot $r12 $r4 $r5 $r6 $r8 $r9 $r10
    mul f32 $r12 $r12 0.30
    mul f32 $r0 $r11 0.13
    add f32 $r12 $r12 $r0
    max f32 $r12 $r12 $r127
    mul f32 $r12 $r12 -2.0
    preex2 f32 $r12 $r12
    ex2 f32 $r12 $r12
    // $r13: sun, $r14: share of the light from above
    cosine $r13 $r4 $r5 $r6 sun_x sun_y sun_z
    interp $r0 flat v[0x24]
    mul f32 $r13 $r13 $r0
    dot $r14 $r4 $r5 $r6 up_x up_y up_z
    mul f32 $r14 $r14 0.5
    add f32 $r14 $r14 0.5
    mul f32 $r14 $r14 $r12
    add f32 $r15 $r12 neg $r14
    // $r4..6: light
    mul rn f32 $r4 $r13 sun_r
    mul rn f32 $r5 $r13 sun_g
    mul rn f32 $r6 $r13 sun_b
    add_scaled $r4 $r5 $r6 $r14 above_r above_g above_b
    add_scaled $r4 $r5 $r6 $r15 below_r below_g below_b
    // $r8..10: stone from ochre to slate, by the body's number
    interp $r8 flat v[0x38]
    mul f32 $r8 $r8 0.618034
    cvt rmi f32 $r9 f32 $r8
    add f32 $r9 $r8 neg $r9
    mul f32 $r10 $r9 -0.34
    add f32 $r0 $r10 0.62
    mul f32 $r10 $r9 -0.12
    add f32 $r1 $r10 0.46
    mul f32 $r10 $r9 0.16
    add f32 $r2 $r10 0.32
    mul f32 $r0 $r0 $r4
    mul f32 $r1 $r1 $r5
    mul f32 $r2 $r2 $r6
    // glow: h, h^2 / 3, h^4 / 12, more in the middle of the ball than at its rim
    interp $r8 flat v[0x20]
    add f32 $r0 $r0 $r8
    mul f32 $r9 $r8 $r8
    mov b32 $r10 0.30
    add f32 $r1 (mul $r9 $r10) $r1
    mul f32 $r9 $r9 $r9
    mov b32 $r10 0.06
    add f32 $r2 (mul $r9 $r10) $r2
    roots
    mov b32 $r3 1.0
    exit mov b32 $r4 $r16
