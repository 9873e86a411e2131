/* A soft disc: (1 - r^2)^3 of the colour.  v: 1/w, r g b, u v. */
.include "common.macros"
.interpolants position=w smooth=5

    clip_w $r6
    interp $r0 v[0x4] $r6
    interp $r1 v[0x8] $r6
    interp $r2 v[0xc] $r6
    interp $r4 v[0x10] $r6
    interp $r5 v[0x14] $r6
    mul f32 $r4 $r4 $r4
    add f32 $r4 (mul $r5 $r5) $r4
    add f32 $r4 neg $r4 1.0
    max f32 $r4 $r4 $r127
    mul f32 $r5 $r4 $r4
    mul f32 $r4 $r4 $r5
    mov b32 $r3 1.0
    mul f32 $r0 $r0 $r4
    mul f32 $r1 $r1 $r4
    exit mul rn f32 $r2 $r2 $r4
