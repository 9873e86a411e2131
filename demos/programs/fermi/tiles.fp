// Tiles of two colours; far away they become one, in the haze. a[0x80]: x, view depth, z.
.variant gf100
.include "common.macros"

    clip_w $r4
    interp mul f32 $r5 a[0x80] $r4 0x0
    interp mul f32 $r6 a[0x84] $r4 0x0
    interp mul f32 $r7 a[0x88] $r4 0x0
    // $r8 = 1 on tiles whose numbers add up to an odd one, faded to 1/2 by depth
    add f32 $r8 $r5 -0.5                    // the nearest whole number is now the one below
    add f32 $r9 $r7 -0.5
    add f32 $r8 $r8 0x4b400000              // 1.5 * 2^23: its lowest bit is 1
    add f32 $r9 $r9 0x4b400000
    add b32 $r8 $r8 $r9
    and b32 $r8 $r8 0x1
    to_float $r8 $r8
    mov b32 $r9 -0.055
    mov b32 $r10 1.25
    fma sat rn f32 $r9 $r6 $r9 $r10
    mov b32 $r10 -0.5
    add rn f32 $r8 $r8 $r10
    mov b32 $r10 0.5
    fma rn f32 $r8 $r8 $r9 $r10
    mov b32 $r0 0.11
    mov b32 $r1 0.13
    mov b32 $r2 0.17
    mov b32 $r9 0.66
    mix $r0 $r9 $r8
    mov b32 $r9 0.63
    mix $r1 $r9 $r8
    mov b32 $r9 0.57
    mix $r2 $r9 $r8
    // haze: (depth / distance)^2
    mul f32 $r3 $r6 0.045
    mul rn f32 $r3 $r3 $r3
    min f32 $r3 $r3 1.0
    mov b32 $r9 c0[0x40]
    mix $r0 $r9 $r3
    mov b32 $r9 c0[0x44]
    mix $r1 $r9 $r3
    mov b32 $r9 c0[0x48]
    mix $r2 $r9 $r3
    gammas $r9
    mov b32 $r3 1.0
    exit
