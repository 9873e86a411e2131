/* A clear sky behind everything: horizon, zenith, and a glow round the sun.
 * v: 1/w (1), direction. */
.include "common.macros"
.interpolants position=w smooth=3
.const sun_x c0[0x40]
.const sun_y c0[0x44]
.const sun_z c0[0x48]

    interp $r4 v[0x4]
    interp $r5 v[0x8]
    interp $r6 v[0xc]
    normalize $r4 $r5 $r6 $r7
    sky_color $r0 $r1 $r2 $r4 $r5 $r6 $r3 $r7
    // sun: a glow, and a disc
    cosine $r3 $r4 $r5 $r6 sun_x sun_y sun_z
    power8 $r3
    mul f32 $r7 $r3 0.2
    power8 $r3
    power8 $r3
    mul f32 $r3 $r3 $r3
    add f32 $r7 (mul $r3 3.0) $r7
    add f32 $r0 $r0 $r7
    add f32 $r1 (mul $r7 0.8) $r1
    add f32 $r2 (mul $r7 0.5) $r2
    gamma
