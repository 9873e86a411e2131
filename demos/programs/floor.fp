/* A pool of light that fades into the background.  v: 1/w, world x z. */
.include "common.macros"
.interpolants position=w smooth=2
.const background_r c0[0x90]
.const background_g c0[0x94]
.const background_b c0[0x98]
.const inverse_radius c0[0x9c]

    clip_w $r0
    interp $r1 v[0x4] $r0
    interp $r2 v[0x8] $r0
    // $r1: distance / radius, at most 1; $r2: its smoothstep
    mul f32 $r1 $r1 $r1
    add f32 $r1 (mul $r2 $r2) $r1
    add f32 $r1 $r1 1.0e-6
    rsqrt f32 $r2 $r1
    mul f32 $r1 $r1 $r2
    mul rn f32 $r1 $r1 inverse_radius
    mov b32 $r3 1.0
    min f32 $r1 $r1 $r3
    mul f32 $r2 $r1 -2.0
    add f32 $r2 $r2 3.0
    mul f32 $r2 $r2 $r1
    mul f32 $r2 $r2 $r1
    add f32 $r4 neg $r2 1.0
    // wood-coloured light * (1 - t) + background * t
    mul f32 $r0 $r4 0.36
    mul f32 $r1 $r4 0.29
    mul f32 $r5 $r4 0.22
    add f32 $r0 (mul $r2 background_r) $r0
    add f32 $r1 (mul $r2 background_g) $r1
    add f32 $r2 (mul $r2 background_b) $r5
    gamma
