/* A texture, lit from one side, by the sky and by the ground, on both sides of a surface.
 * v: 1/w, x y z, normal, u v. */
.include "common.macros"
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

    surface
    interp $r8 v[0x1c] $r0
    interp $r9 v[0x20] $r0
    texauto all $r8:$r9:$r10:$r11 $t0 $s0 $r8:$r9 0x0 0x0 0x0
    face_eye
    // $r0: light; $r12: highlight (n.h)^32
    cosine $r0 $r4 $r5 $r6 light_x light_y light_z
    half_way $r1 $r2 $r3 $r1 $r2 $r3 light_x light_y light_z $r12
    cosine $r12 $r4 $r5 $r6 $r1 $r2 $r3
    power8 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r12 $r12 $r0
    mul f32 $r12 $r12 0.22
    // $r5: how much of the sky the surface sees, $r6: of the ground
    hemisphere $r5 $r6
    // $r1..3: ambient + light
    mul rn f32 $r1 $r5 sky_r
    mul rn f32 $r2 $r5 sky_g
    mul rn f32 $r3 $r5 sky_b
    add_scaled $r1 $r2 $r3 $r6 ground_r ground_g ground_b
    add_scaled $r1 $r2 $r3 $r0 1.15 1.08 0.95
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
    gamma
