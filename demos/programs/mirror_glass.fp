/* The glass in front of its mirror image: a tint, which is stronger near the bevelled rim.
 * v: 1/w, world x y z. */
.include "common.macros"
.interpolants position=w smooth=3
.const center_x c0[0x80]
.const center_y c0[0x84]
.const center_z c0[0x88]
.const inverse_radius c0[0x8c]

    clip_w $r0
    interp $r4 v[0x4] $r0
    interp $r5 v[0x8] $r0
    interp $r6 v[0xc] $r0
    add rn f32 $r4 neg $r4 center_x
    add rn f32 $r5 neg $r5 center_y
    add rn f32 $r6 neg $r6 center_z
    dot $r3 $r4 $r5 $r6 $r4 $r5 $r6
    rsqrt f32 $r4 $r3
    mul f32 $r3 $r3 $r4
    mul rn f32 $r3 $r3 inverse_radius
    // a line at 0.92 of the radius, brighter beyond
    add f32 $r3 $r3 -0.92
    mul f32 $r3 $r3 60.0
    mov b32 $r4 1.0
    max f32 $r3 $r3 $r127
    min f32 $r3 $r3 $r4
    mul f32 $r3 $r3 0.14
    add f32 $r3 $r3 0.07
    mov b32 $r0 0.55
    mov b32 $r1 0.72
    mov b32 $r2 0.78
    exit nop
