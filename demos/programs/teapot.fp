/* Blinn-Phong with a sky above and a ground below, and a reflecting rim as glaze has it.
 * v: 1/w, world x y z, normal. */
.include "common.macros"
.interpolants position=w smooth=6
.const eye_x c0[0x40]
.const eye_y c0[0x44]
.const eye_z c0[0x48]
.const light_x c0[0x50]
.const light_y c0[0x54]
.const light_z c0[0x58]
.const shininess c0[0x5c]
.const albedo_r c0[0x60]
.const albedo_g c0[0x64]
.const albedo_b c0[0x68]
.const sky_r c0[0x70]
.const sky_g c0[0x74]
.const sky_b c0[0x78]
.const gloss c0[0x7c]
.const ground_r c0[0x80]
.const ground_g c0[0x84]
.const ground_b c0[0x88]

    surface
    face_eye
    // $r8: light on the surface
    cosine $r8 $r4 $r5 $r6 light_x light_y light_z
    // $r9..11: half way between eye and light; $r12: highlight = (n.h)^shininess * light
    half_way $r9 $r10 $r11 $r1 $r2 $r3 light_x light_y light_z $r12
    cosine $r12 $r4 $r5 $r6 $r9 $r10 $r11
    lg2 f32 $r12 $r12
    mul rn f32 $r12 $r12 shininess
    preex2 f32 $r12 $r12
    ex2 f32 $r12 $r12
    mul f32 $r12 $r12 $r8
    mul rn f32 $r12 $r12 gloss
    // $r7: (1 - n.v)^4, the rim that mirrors the sky
    add f32 $r7 neg $r7 1.0
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 0.6
    // $r5: how much of the sky the surface sees, $r6: of the ground
    hemisphere $r5 $r6
    // albedo * (ambient + light) + highlight + rim * sky
    mul rn f32 $r0 $r5 sky_r
    mul rn f32 $r1 $r5 sky_g
    mul rn f32 $r2 $r5 sky_b
    add_scaled $r0 $r1 $r2 $r6 ground_r ground_g ground_b
    add_scaled $r0 $r1 $r2 $r8 1.9 1.8 1.6
    mul rn f32 $r0 $r0 albedo_r
    mul rn f32 $r1 $r1 albedo_g
    mul rn f32 $r2 $r2 albedo_b
    add_scaled $r0 $r1 $r2 $r7 sky_r sky_g sky_b
    add f32 $r0 $r0 $r12
    add f32 $r1 $r1 $r12
    add f32 $r2 $r2 $r12
    gamma
