/* A clear sky behind everything: horizon, zenith, and a glow round the sun.
 * v: 1/w (1), direction. */
.interpolants position=w smooth=3
.const sun_x c0[0x40]
.const sun_y c0[0x44]
.const sun_z c0[0x48]
.const horizon_r c0[0x80]
.const horizon_g c0[0x84]
.const horizon_b c0[0x88]
.const zenith_r c0[0x90]
.const zenith_g c0[0x94]
.const zenith_b c0[0x98]

    interp $r4 v[0x4]
    interp $r5 v[0x8]
    interp $r6 v[0xc]
    mul rn f32 $r7 $r4 $r4
    add f32 $r7 (mul $r5 $r5) $r7
    add f32 $r7 (mul $r6 $r6) $r7
    rsqrt f32 $r7 $r7
    mul f32 $r4 $r4 $r7
    mul f32 $r5 $r5 $r7
    mul f32 $r6 $r6 $r7
    // $r3 = (1 - height)^3 of the horizon, $r7 of the zenith
    max f32 $r3 $r5 $r127
    add f32 $r3 neg $r3 1.0
    mul f32 $r7 $r3 $r3
    mul f32 $r3 $r3 $r7
    add f32 $r7 neg $r3 1.0
    mul rn f32 $r0 $r3 horizon_r
    mul rn f32 $r1 $r3 horizon_g
    mul rn f32 $r2 $r3 horizon_b
    add f32 $r0 (mul $r7 zenith_r) $r0
    add f32 $r1 (mul $r7 zenith_g) $r1
    add f32 $r2 (mul $r7 zenith_b) $r2
    // sun: a glow, and a disc
    mul rn f32 $r3 $r4 sun_x
    add f32 $r3 (mul $r5 sun_y) $r3
    add f32 $r3 (mul $r6 sun_z) $r3
    max f32 $r3 $r3 $r127
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    mul f32 $r7 $r3 0.2
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    mul f32 $r3 $r3 $r3
    add f32 $r7 (mul $r3 3.0) $r7
    add f32 $r0 $r0 $r7
    add f32 $r1 (mul $r7 0.8) $r1
    add f32 $r2 (mul $r7 0.5) $r2
    // gamma 2: colours are stored as their square roots
    add f32 $r0 $r0 1.0e-6
    rsqrt f32 $r4 $r0
    add f32 $r1 $r1 1.0e-6
    rsqrt f32 $r5 $r1
    add f32 $r2 $r2 1.0e-6
    rsqrt f32 $r6 $r2
    mov b32 $r3 1.0
    mul f32 $r0 $r0 $r4
    mul f32 $r1 $r1 $r5
    exit mul rn f32 $r2 $r2 $r6
