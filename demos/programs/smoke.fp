/* A wisp: a soft disc with noise in it. The flame adds light, the smoke covers.
 * v: 1/w, flame r g b, smoke, place in the noise, u v. */
.include "common.macros"
.interpolants position=w smooth=7

    clip_w $r0
    interp $r8 v[0x4] $r0
    interp $r9 v[0x8] $r0
    interp $r10 v[0xc] $r0
    interp $r11 v[0x10] $r0
    interp $r6 v[0x14] $r0
    interp $r12 v[0x18] $r0
    interp $r13 v[0x1c] $r0
    mul f32 $r4 $r12 0.16
    mul f32 $r5 $r13 0.16
    texauto all $r4:#:#:# $t0 $s0 $r4:$r5:$r6 0x0 0x0 0x0
    // $r5: (1 - r^2)^2
    mul f32 $r5 $r12 $r12
    add f32 $r5 (mul $r13 $r13) $r5
    add f32 $r5 neg $r5 1.0
    max f32 $r5 $r5 $r127
    mul f32 $r5 $r5 $r5
    mul f32 $r4 $r4 $r5
    mul f32 $r0 $r8 $r4
    mul f32 $r1 $r9 $r4
    mul f32 $r2 $r10 $r4
    mul f32 $r3 $r11 $r4
    // smoke is grey, and warm where flames are
    mul f32 $r4 $r3 0.20
    add f32 $r0 $r0 $r4
    mul f32 $r4 $r3 0.21
    add f32 $r1 $r1 $r4
    mul f32 $r4 $r3 0.25
    exit add rn f32 $r2 $r2 $r4
