/* Water: Fresnel's share of the mirrored sky and sun, the rest its own colour, foam on high crests,
 * haze.  v: 1/w, world x y z, slope x z. */
.include "common.macros"
.interpolants position=w smooth=5
.const eye_x c0[0x40]
.const eye_y c0[0x44]
.const eye_z c0[0x48]
.const sun_x c0[0x70]
.const sun_y c0[0x74]
.const sun_z c0[0x78]
.const inverse_distance c0[0x7c]
.const deep_r c0[0x80]
.const deep_g c0[0x84]
.const deep_b c0[0x88]
.const sky_r c0[0x90]
.const sky_g c0[0x94]
.const sky_b c0[0x98]
.const haze_r c0[0xa0]
.const haze_g c0[0xa4]
.const haze_b c0[0xa8]

    clip_w $r0
    interp $r1 v[0x4] $r0
    interp $r2 v[0x8] $r0
    interp $r3 v[0xc] $r0
    interp $r4 v[0x10] $r0
    interp $r6 v[0x14] $r0
    mov b32 $r16 $r2                  // height
    add rn f32 $r1 neg $r1 eye_x
    add rn f32 $r2 neg $r2 eye_y
    add rn f32 $r3 neg $r3 eye_z
    // $r15: haze = (distance / full)^2
    dot $r15 $r1 $r2 $r3 $r1 $r2 $r3
    mul rn f32 $r15 $r15 inverse_distance
    mul rn f32 $r15 $r15 inverse_distance
    mov b32 $r17 1.0
    min f32 $r15 $r15 $r17
    normalize $r1 $r2 $r3 $r7
    // $r4..6: normal (-slope x, 1, -slope z)
    cvt neg f32 $r4 f32 $r4
    mov b32 $r5 1.0
    cvt neg f32 $r6 f32 $r6
    normalize $r4 $r5 $r6 $r7
    // $r7: n.v; $r8: Fresnel
    cosine $r7 $r4 $r5 $r6 $r1 $r2 $r3
    add f32 $r8 neg $r7 1.0
    mul f32 $r9 $r8 $r8
    mul f32 $r9 $r9 $r9
    mul f32 $r8 $r8 $r9
    mul f32 $r8 $r8 0.72
    add f32 $r8 $r8 0.03
    // $r9..11: mirrored direction 2 (n.v) n - v
    add f32 $r7 $r7 $r7
    add f32 $r9 (mul $r4 $r7) neg $r1
    add f32 $r10 (mul $r5 $r7) neg $r2
    add f32 $r11 (mul $r6 $r7) neg $r3
    // $r7: sun = (r.sun)^256
    cosine $r7 $r9 $r10 $r11 sun_x sun_y sun_z
    power8 $r7
    mul f32 $r12 $r7 0.35
    power8 $r7
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 $r7
    add f32 $r7 (mul $r7 9.0) $r7
    add f32 $r7 $r7 $r12
    // sky: haze at the horizon, blue above
    max f32 $r10 $r10 $r127
    min f32 $r10 $r10 $r17
    add f32 $r11 neg $r10 1.0
    mul f32 $r11 $r11 $r11
    add f32 $r10 neg $r11 1.0
    mul rn f32 $r0 $r10 sky_r
    mul rn f32 $r1 $r10 sky_g
    mul rn f32 $r2 $r10 sky_b
    add_scaled $r0 $r1 $r2 $r11 haze_r haze_g haze_b
    add f32 $r0 $r0 $r7
    add f32 $r1 (mul $r7 0.85) $r1
    add f32 $r2 (mul $r7 0.6) $r2
    scale $r0 $r1 $r2 $r8
    // the water's own light: more, and greener, the higher it stands
    add f32 $r9 neg $r8 1.0
    mul f32 $r10 $r16 1.4
    add f32 $r10 $r10 1.0
    max f32 $r10 $r10 $r127
    mul f32 $r10 $r10 $r9
    add_scaled $r0 $r1 $r2 $r10 deep_r deep_g deep_b
    // foam
    add f32 $r10 $r16 -0.34
    mul f32 $r10 $r10 2.2
    max f32 $r10 $r10 $r127
    min f32 $r10 $r10 $r17
    mul f32 $r10 $r10 $r10
    mul f32 $r10 $r10 0.55
    add f32 $r0 $r0 $r10
    add f32 $r1 $r1 $r10
    add f32 $r2 $r2 $r10
    into_fog $r0 $r1 $r2 $r15 $r16 haze_r haze_g haze_b
    gamma
