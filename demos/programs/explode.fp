/* Crust: lit from outside; what shows its inner side glows.  v: 1/w, world x y z, normal, r g b. */
.include "common.macros"
.interpolants position=w smooth=9
.const eye_x c0[0x40]
.const eye_y c0[0x44]
.const eye_z c0[0x48]
.const light_x c0[0x50]
.const light_y c0[0x54]
.const light_z c0[0x58]
.const glow_r c0[0x80]
.const glow_g c0[0x84]
.const glow_b c0[0x88]

    surface
    interp $r8 v[0x1c] $r0
    interp $r9 v[0x20] $r0
    interp $r10 v[0x24] $r0
    // $r11: light of the core on the inner side, n.p / |p|^3
    dot $r11 $r4 $r5 $r6 $r1 $r2 $r3
    dot $r12 $r1 $r2 $r3 $r1 $r2 $r3
    rsqrt f32 $r12 $r12
    mul f32 $r11 $r11 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r11 $r11 $r12
    max f32 $r11 $r11 $r127
    mul rn f32 $r13 $r11 glow_r
    mul rn f32 $r14 $r11 glow_g
    mul rn f32 $r15 $r11 glow_b
    to_eye $r1 $r2 $r3 $r7
    // $r7: light; $r11: air, (1 - n.v)^3
    cosine $r7 $r4 $r5 $r6 light_x light_y light_z
    mul f32 $r7 $r7 1.5
    add f32 $r7 $r7 0.12
    dot $r11 $r4 $r5 $r6 $r1 $r2 $r3
    add f32 $r11 neg $r11 1.0
    mul f32 $r12 $r11 $r11
    mul f32 $r11 $r11 $r12
    scale $r11 $r8 $r9 $r7
    mul f32 $r10 $r10 $r7
    add_scaled $r8 $r9 $r10 $r11 0.10 0.28 0.60
    // $facing is 0 on back faces, else a NaN: slct takes its first operand on 0
    interp $r7 flat v[0x3fc]
    slct b32 $r0 $r13 $r8 f32 $r7
    slct b32 $r1 $r14 $r9 f32 $r7
    slct b32 $r2 $r15 $r10 f32 $r7
    gamma
