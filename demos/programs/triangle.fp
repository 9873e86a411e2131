/* Perspective-correct colour, stored as its square root (gamma 2).  v: 1/w, r g b. */
.interpolants position=w smooth=3

    interp $r3 v[0x0]
    rcp f32 $r3 $r3
    interp $r0 v[0x4] $r3
    interp $r1 v[0x8] $r3
    interp $r2 v[0xc] $r3
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
