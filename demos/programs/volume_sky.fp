/* A sky, and below the horizon a calm sea in haze, with the glitter of the sun.
 * v: 1/w (1), direction. */
.include "common.macros"
.interpolants position=w smooth=3
.const eye_y c0[0x4]
.const sun_x c0[0x40]
.const sun_y c0[0x44]
.const sun_z c0[0x48]
.const water_r c0[0x50]
.const water_g c0[0x54]
.const water_b c0[0x58]
.const haze_by_distance c0[0x5c]
.const waves c0[0x60]
.const change c0[0x64]
.const horizon_r c0[0x80]
.const horizon_g c0[0x84]
.const horizon_b c0[0x88]

    interp $r4 v[0x4]
    interp $r5 v[0x8]
    interp $r6 v[0xc]
    normalize $r4 $r5 $r6 $r7
    sky_color $r0 $r1 $r2 $r4 $r5 $r6 $r7 $r8
    // $r12: how rough the water is there; for all pixels, because a level needs those of the whole quad
    rcp f32 $r9 $r5
    cvt neg f32 $r9 f32 $r9
    mul rn f32 $r9 $r9 eye_y
    mul rn f32 $r9 $r9 waves
    mul f32 $r12 $r4 $r9
    mul f32 $r13 $r6 $r9
    ld $r14 b32 change
    texauto all $r12:#:#:# $t0 $s0 $r12:$r13:$r14 0x0 0x0 0x0
    set $c0 # ge f32 $r5 $r127
    joinat #painted
    (lg $c0) bra #painted
    // $r7: 2^(-distance to the water), $r8: the water's mirror image of the sun
    mov b32 $r7 $r5
    rcp f32 $r7 $r7
    mul rn f32 $r7 $r7 eye_y
    mul rn f32 $r7 $r7 haze_by_distance
    preex2 f32 $r7 $r7
    ex2 f32 $r7 $r7
    cvt neg f32 $r8 f32 $r5
    cosine $r8 $r4 $r8 $r6 sun_x sun_y sun_z
    power8 $r8
    mul f32 $r9 $r8 $r8
    mul f32 $r9 $r9 $r9
    mul f32 $r9 $r9 $r12
    mul f32 $r8 $r8 0.15
    add f32 $r8 $r8 $r9
    mul f32 $r12 $r12 0.9
    add f32 $r12 $r12 0.5
    mul rn f32 $r0 $r12 water_r
    mul rn f32 $r1 $r12 water_g
    mul rn f32 $r2 $r12 water_b
    add f32 $r0 $r0 $r8
    mul f32 $r9 $r8 0.7
    add f32 $r1 $r1 $r9
    mul f32 $r9 $r8 0.4
    add f32 $r2 $r2 $r9
    scale $r0 $r1 $r2 $r7
    add f32 $r7 neg $r7 1.0
    add_scaled $r0 $r1 $r2 $r7 horizon_r horizon_g horizon_b
painted:
    join nop
    gamma
