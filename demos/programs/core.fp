/* Glowing rock: hottest where it faces the eye, with a few darker plates.
 * v: 1/w, world x y z, normal. */
.include "common.macros"
.interpolants position=w smooth=6
.const eye_x c0[0x40]
.const eye_y c0[0x44]
.const eye_z c0[0x48]
.const glow_r c0[0x80]
.const glow_g c0[0x84]
.const glow_b c0[0x88]
.const pulse c0[0x8c]

    surface
    to_eye $r1 $r2 $r3 $r7
    cosine $r7 $r4 $r5 $r6 $r1 $r2 $r3
    // plates: product of three waves, 0.6 .. 1
    mul f32 $r4 $r4 9.0
    mul f32 $r5 $r5 11.0
    mul f32 $r6 $r6 10.0
    presin f32 $r4 $r4
    sin f32 $r4 $r4
    presin f32 $r5 $r5
    sin f32 $r5 $r5
    presin f32 $r6 $r6
    cos f32 $r6 $r6
    add f32 $r4 $r4 $r5
    add f32 $r4 $r4 $r6
    mul f32 $r4 $r4 0.1
    add f32 $r4 $r4 0.75
    mul rn f32 $r4 $r4 pulse
    mul f32 $r5 $r7 $r4
    add f32 $r6 $r5 0.25
    mul rn f32 $r0 $r6 glow_r
    mul rn f32 $r1 $r6 glow_g
    mul rn f32 $r2 $r6 glow_b
    mul f32 $r5 $r5 $r5
    add_scaled $r0 $r1 $r2 $r5 0.5 0.55 0.25
    gamma
