/* The sky on the inside of a dome, for the cube map.  v: 1/w, world x y z, normal, r g b w. */
.include "common.macros"
.interpolants position=w smooth=10
.const sun_x c0[0x40]
.const sun_y c0[0x44]
.const sun_z c0[0x48]

    clip_w $r0
    interp $r4 v[0x4] $r0
    interp $r5 v[0x8] $r0
    interp $r6 v[0xc] $r0
    normalize $r4 $r5 $r6 $r7
    sky_color $r0 $r1 $r2 $r4 $r5 $r6 $r7 $r8
    // sun: a disc, larger than the real sun, so that the disc is seen in the ball
    dot $r7 $r4 $r5 $r6 sun_x sun_y sun_z
    add f32 $r7 $r7 -0.965
    mul f32 $r7 $r7 120.0
    mov b32 $r8 4.0
    max f32 $r7 $r7 $r127
    min f32 $r7 $r7 $r8
    add f32 $r0 $r0 $r7
    add f32 $r1 (mul $r7 0.9) $r1
    add f32 $r2 (mul $r7 0.7) $r2
    gamma
