/* A texture, lit from one side, by the sky and by the ground, on both sides of a surface.
 * v: 1/w, x y z, normal, u v. */
.interpolants position=w smooth=8
.const eye_x c0[0x40]
.const eye_y c0[0x44]
.const eye_z c0[0x48]
.const light_x c0[0x50]
.const light_y c0[0x54]
.const light_z c0[0x58]
.const albedo_r c0[0x60]
.const albedo_g c0[0x64]
.const albedo_b c0[0x68]
.const sky_r c0[0x70]
.const sky_g c0[0x74]
.const sky_b c0[0x78]
.const ground_r c0[0x80]
.const ground_g c0[0x84]
.const ground_b c0[0x88]

    interp $r0 v[0x0]
    rcp f32 $r0 $r0
    interp $r1 v[0x4] $r0
    interp $r2 v[0x8] $r0
    interp $r3 v[0xc] $r0
    interp $r4 v[0x10] $r0
    interp $r5 v[0x14] $r0
    interp $r6 v[0x18] $r0
    interp $r8 v[0x1c] $r0
    interp $r9 v[0x20] $r0
    texauto all $r8:$r9:$r10:$r11 $t0 $s0 $r8:$r9 0x0 0x0 0x0
    // $r1..3: from here to the eye, $r4..6: normal
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
    mul rn f32 $r7 $r4 $r4
    add f32 $r7 (mul $r5 $r5) $r7
    add f32 $r7 (mul $r6 $r6) $r7
    rsqrt f32 $r7 $r7
    mul f32 $r4 $r4 $r7
    mul f32 $r5 $r5 $r7
    mul f32 $r6 $r6 $r7
    // a normal that looks away is turned round
    mul rn f32 $r7 $r4 $r1
    add f32 $r7 (mul $r5 $r2) $r7
    add f32 $c0 $r7 (mul $r6 $r3) $r7
    (l $c0) cvt neg f32 $r4 f32 $r4
    (l $c0) cvt neg f32 $r5 f32 $r5
    (l $c0) cvt neg f32 $r6 f32 $r6
    cvt abs f32 $r7 f32 $r7
    // $r0: light; $r12: highlight (n.h)^32
    mul rn f32 $r0 $r4 light_x
    add f32 $r0 (mul $r5 light_y) $r0
    add f32 $r0 (mul $r6 light_z) $r0
    max f32 $r0 $r0 $r127
    add rn f32 $r1 $r1 light_x
    add rn f32 $r2 $r2 light_y
    add rn f32 $r3 $r3 light_z
    mul rn f32 $r12 $r1 $r1
    add f32 $r12 (mul $r2 $r2) $r12
    add f32 $r12 (mul $r3 $r3) $r12
    rsqrt f32 $r12 $r12
    mul f32 $r1 $r1 $r12
    mul f32 $r2 $r2 $r12
    mul f32 $r3 $r3 $r12
    mul rn f32 $r12 $r4 $r1
    add f32 $r12 (mul $r5 $r2) $r12
    add f32 $r12 (mul $r6 $r3) $r12
    max f32 $r12 $r12 $r127
    mul f32 $r12 $r12 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r12 $r12 $r0
    mul f32 $r12 $r12 0.22
    // $r5: how much of the sky the surface sees, $r6: of the ground
    mul f32 $r5 $r5 0.5
    add f32 $r5 $r5 0.5
    add f32 $r6 neg $r5 1.0
    // $r1..3: ambient + light
    mul rn f32 $r1 $r5 sky_r
    mul rn f32 $r2 $r5 sky_g
    mul rn f32 $r3 $r5 sky_b
    add f32 $r1 (mul $r6 ground_r) $r1
    add f32 $r2 (mul $r6 ground_g) $r2
    add f32 $r3 (mul $r6 ground_b) $r3
    add f32 $r1 (mul $r0 1.15) $r1
    add f32 $r2 (mul $r0 1.08) $r2
    add f32 $r3 (mul $r0 0.95) $r3
    // texels are stored as square roots
    mul f32 $r8 $r8 $r8
    mul f32 $r9 $r9 $r9
    mul f32 $r10 $r10 $r10
    mul rn f32 $r8 $r8 albedo_r
    mul rn f32 $r9 $r9 albedo_g
    mul rn f32 $r10 $r10 albedo_b
    add f32 $r0 (mul $r1 $r8) $r12
    add f32 $r1 (mul $r2 $r9) $r12
    add f32 $r2 (mul $r3 $r10) $r12
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
