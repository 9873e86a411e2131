/* Crust: lit from outside; what shows its inner side glows.  v: 1/w, world x y z, normal, r g b. */
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
    interp $r10 v[0x24] $r0
    // $r11: light of the core on the inner side, n.p / |p|^3
    mul rn f32 $r11 $r4 $r1
    add f32 $r11 (mul $r5 $r2) $r11
    add f32 $r11 (mul $r6 $r3) $r11
    mul rn f32 $r12 $r1 $r1
    add f32 $r12 (mul $r2 $r2) $r12
    add f32 $r12 (mul $r3 $r3) $r12
    rsqrt f32 $r12 $r12
    mul f32 $r11 $r11 $r12
    mul f32 $r12 $r12 $r12
    mul f32 $r11 $r11 $r12
    max f32 $r11 $r11 $r127
    mul rn f32 $r13 $r11 glow_r
    mul rn f32 $r14 $r11 glow_g
    mul rn f32 $r15 $r11 glow_b
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
    // $r7: light; $r11: air, (1 - n.v)^3
    mul rn f32 $r7 $r4 light_x
    add f32 $r7 (mul $r5 light_y) $r7
    add f32 $r7 (mul $r6 light_z) $r7
    max f32 $r7 $r7 $r127
    mul f32 $r7 $r7 1.5
    add f32 $r7 $r7 0.12
    mul rn f32 $r11 $r4 $r1
    add f32 $r11 (mul $r5 $r2) $r11
    add f32 $r11 (mul $r6 $r3) $r11
    add f32 $r11 neg $r11 1.0
    mul f32 $r12 $r11 $r11
    mul f32 $r11 $r11 $r12
    mul f32 $r11 $r11 $r7
    mul f32 $r8 $r8 $r7
    mul f32 $r9 $r9 $r7
    mul f32 $r10 $r10 $r7
    add f32 $r8 (mul $r11 0.10) $r8
    add f32 $r9 (mul $r11 0.28) $r9
    add f32 $r10 (mul $r11 0.60) $r10
    // $facing is 0 on back faces, else a NaN: slct takes its first operand on 0
    interp $r7 flat v[0x3fc]
    slct b32 $r0 $r13 $r8 f32 $r7
    slct b32 $r1 $r14 $r9 f32 $r7
    slct b32 $r2 $r15 $r10 f32 $r7
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
