/* Polished wood, ivory and gold, which mirror the room a little.
 * v: 1/w, world x y z, normal, r g b metal. */
.include "common.macros"
.include "mirror.macros"
.interpolants position=w smooth=10

    surface
    mov b32 $r20 $r2                    // height above the board
    normalize $r4 $r5 $r6 $r7
    to_eye $r1 $r2 $r3 $r7
    // $r8..10: the mirrored ray, 2 (n . v) n - v; $r7 = n . v
    dot $r7 $r4 $r5 $r6 $r1 $r2 $r3
    add f32 $r11 $r7 $r7
    mul f32 $r8 $r4 $r11
    mul f32 $r9 $r5 $r11
    mul f32 $r10 $r6 $r11
    add f32 $r8 $r8 neg $r1
    add f32 $r9 $r9 neg $r2
    add f32 $r10 $r10 neg $r3
    room $r1 $r2 $r3 $r8 $r9 $r10 $r11 $r12
    // $r11: lamp on the surface; $r12: light of the walls, less near the board
    cosine $r11 $r4 $r5 $r6 lamp_x lamp_y lamp_z
    mul f32 $r11 $r11 1.7
    mul f32 $r12 $r5 0.28
    add f32 $r12 $r12 0.42
    mul f32 $r20 $r20 0.8
    add f32 $r20 $r20 0.45
    mov b32 $r13 1.0
    min f32 $r20 $r20 $r13
    mul f32 $r12 $r12 $r20
    mul f32 $r13 $r11 1.0
    mul f32 $r14 $r11 0.86
    mul f32 $r15 $r11 0.64
    add_scaled $r13 $r14 $r15 $r12 0.62 0.70 0.86
    interp $r16 v[0x1c] $r0
    interp $r17 v[0x20] $r0
    interp $r18 v[0x24] $r0
    interp $r19 v[0x28] $r0
    // dull part: colour * light * (1 - metal)
    add f32 $r4 neg $r19 1.0
    scale $r13 $r14 $r15 $r4
    mul f32 $r13 $r13 $r16
    mul f32 $r14 $r14 $r17
    mul f32 $r15 $r15 $r18
    // mirrored part: 0.05 + colour * metal + (1 - n.v)^4 of the room
    add f32 $r7 neg $r7 1.0
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 $r7
    mul f32 $r7 $r7 0.55
    add f32 $r7 $r7 0.05
    scale $r16 $r17 $r18 $r19
    add f32 $r16 $r16 $r7
    add f32 $r17 $r17 $r7
    add f32 $r18 $r18 $r7
    // gold sees the lamp's light on the room as well
    add_scaled $r1 $r2 $r3 $r19 0.12 0.10 0.07
    mul f32 $r0 $r1 $r16
    mul f32 $r1 $r2 $r17
    mul f32 $r2 $r3 $r18
    add f32 $r0 $r0 $r13
    add f32 $r1 $r1 $r14
    add f32 $r2 $r2 $r15
    gamma
