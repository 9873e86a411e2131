/* Glowing rock: hottest where it faces the eye, with a few darker plates.
 * v: 1/w, world x y z, normal. */
.interpolants position=w smooth=6
.const eye_x c0[0x40]
.const eye_y c0[0x44]
.const eye_z c0[0x48]
.const glow_r c0[0x80]
.const glow_g c0[0x84]
.const glow_b c0[0x88]
.const pulse c0[0x8c]

    interp $r0 v[0x0]
    rcp f32 $r0 $r0
    interp $r1 v[0x4] $r0
    interp $r2 v[0x8] $r0
    interp $r3 v[0xc] $r0
    interp $r4 v[0x10] $r0
    interp $r5 v[0x14] $r0
    interp $r6 v[0x18] $r0
    add rn f32 $r1 neg $r1 eye_x
    add rn f32 $r2 neg $r2 eye_y
    add rn f32 $r3 neg $r3 eye_z
    mul rn f32 $r7 $r1 $r1
    add f32 $r7 (mul $r2 $r2) $r7
    add f32 $r7 (mul $r3 $r3) $r7
    rsqrt f32 $r7 $r7
    mul f32 $r1 $r1 $r7
    mul f32 $r2 $r2 $r7
    mul f32 $r3 $r3 $r7
    mul rn f32 $r7 $r4 $r1
    add f32 $r7 (mul $r5 $r2) $r7
    add f32 $r7 (mul $r6 $r3) $r7
    max f32 $r7 $r7 $r127
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
    add f32 $r0 (mul $r5 0.5) $r0
    add f32 $r1 (mul $r5 0.55) $r1
    add f32 $r2 (mul $r5 0.25) $r2
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
