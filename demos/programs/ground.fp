/* Ground into fog.  v: 1/w, r g b, fog. */
.interpolants position=w smooth=4
.const fog_r c0[0x60]
.const fog_g c0[0x64]
.const fog_b c0[0x68]

    interp $r3 v[0x0]
    rcp f32 $r3 $r3
    interp $r0 v[0x4] $r3
    interp $r1 v[0x8] $r3
    interp $r2 v[0xc] $r3
    interp $r4 v[0x10] $r3
    // into the distance: colour * (1 - fog) + fog colour * fog
    add f32 $r5 neg $r4 1.0
    mul f32 $r0 $r0 $r5
    mul f32 $r1 $r1 $r5
    mul f32 $r2 $r2 $r5
    add f32 $r0 (mul $r4 fog_r) $r0
    add f32 $r1 (mul $r4 fog_g) $r1
    add f32 $r2 (mul $r4 fog_b) $r2
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
