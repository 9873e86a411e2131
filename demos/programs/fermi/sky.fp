// A clear sky behind everything: horizon, zenith, and a glow round the sun. a[0x80]: direction.
.variant gf100
.include "common.macros"
.const sun_x c0[0x40]
.const sun_y c0[0x44]
.const sun_z c0[0x48]

    interp pass f32 $r4 a[0x80] 0x0 0x0
    interp pass f32 $r5 a[0x84] 0x0 0x0
    interp pass f32 $r6 a[0x88] 0x0 0x0
    normalize $r4 $r5 $r6 $r7
    // $r3 = (1 - height)^3: share of the horizon
    mov b32 $r8 1.0
    max f32 $r3 $r5 0x0
    add rn f32 $r3 $r8 neg $r3
    mul rn f32 $r7 $r3 $r3
    mul rn f32 $r3 $r3 $r7
    add rn f32 $r7 $r8 neg $r3
    mul rn f32 $r0 $r3 c0[0x80]
    mul rn f32 $r1 $r3 c0[0x84]
    mul rn f32 $r2 $r3 c0[0x88]
    fma rn f32 $r0 $r7 c0[0x90] $r0
    fma rn f32 $r1 $r7 c0[0x94] $r1
    fma rn f32 $r2 $r7 c0[0x98] $r2
    // sun: cosine to the powers of 8 (a glow) and 1024 (a disc)
    dot $r3 $r4 $r5 $r6 sun_x sun_y sun_z
    max f32 $r3 $r3 0x0
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mul f32 $r7 $r3 0.2
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mul rn f32 $r3 $r3 $r3
    mov b32 $r4 3.0
    fma rn f32 $r7 $r3 $r4 $r7
    add rn f32 $r0 $r0 $r7
    mov b32 $r4 0.8
    fma rn f32 $r1 $r7 $r4 $r1
    mov b32 $r4 0.5
    fma rn f32 $r2 $r7 $r4 $r2
    gammas $r4
    mov b32 $r3 1.0
    exit
