/* How much the other bodies hide of sky and sun from each body. Tiles in s[], as in nbody.cp.
 * g0[] the bodies, g1[] for each: the way to what hides the sky, how much it hides; share of the sun
 * that comes through, three words of 0.  Parameters: bodies, direction of the sun. */
.include "common.macros"
.shared 0x840
.const bodies s[0x10]
.const sun_x s[0x14]
.const sun_y s[0x18]
.const sun_z s[0x1c]

    cvt u32 $r1 u16 $r0l              // thread
    mov b32 $r2 u16 s[0xc]            // block
    shl b32 $r2 $r2 7
    add b32 $r2 $r2 $r1
    shl b32 $r32 $r2 5                // this body, in bytes
    ld b128 $r4q g0[$r32]             // $r4..7: place, radius
    ld $r28 b32 sun_x
    ld $r29 b32 sun_y
    ld $r30 b32 sun_z
    rcp f32 $r31 $r7
    mov b32 $r8 0x0                   // $r8..10: way, $r11: amount
    mov b32 $r9 0x0
    mov b32 $r10 0x0
    mov b32 $r11 0x0
    mov b32 $r12 1.0                  // sun
    mov b32 $r35 b32 bodies
    shl b32 $r36 $r1 5                // this thread's body of a tile
    shl $a2 $r1 4
    mov b32 $r38 0x0
    mov b32 $r39 -1
    mov b32 $r40 -128
    mov b32 $r41 1.0

next_tile:
    ld b128 $r16q g0[$r36]
    st b32 s[$a2+0x40] $r16
    st b32 s[$a2+0x44] $r17
    st b32 s[$a2+0x48] $r18
    st b32 s[$a2+0x4c] $r19
    bar inc wait 0x0 all              // the tile is complete
    mov b32 $r37 128
    shl $a1 $r38 0x0
next_body:
    add rn f32 $r16 b32 s[$a1+0x40] neg $r4
    add rn f32 $r17 b32 s[$a1+0x44] neg $r5
    add rn f32 $r18 b32 s[$a1+0x48] neg $r6
    ld $r19 b32 s[$a1+0x4c]
    mul f32 $r20 $r16 $r16
    add f32 $r20 (mul $r17 $r17) $r20
    add f32 $r20 (mul $r18 $r18) $r20
    add f32 $r20 $r20 1.0e-6
    // the share of the sphere that the other body takes, along the way to it
    rsqrt f32 $r21 $r20
    mul f32 $r22 $r21 $r19
    mul f32 $r22 $r22 $r22
    min f32 $r22 $r22 $r41
    mul f32 $r21 $r21 $r22
    add_scaled $r8 $r9 $r10 $r21 $r16 $r17 $r18
    add f32 $r11 $r11 $r22
    // $r21: distance of the other body towards the sun, $r20: its distance from that line
    mul f32 $r21 $r16 $r28
    add f32 $r21 (mul $r17 $r29) $r21
    add f32 $r21 (mul $r18 $r30) $r21
    add f32 $r20 neg (mul $r21 $r21) $r20
    max f32 $r20 $r20 $r38
    add f32 $r20 $r20 1.0e-9
    rsqrt f32 $r22 $r20
    mul f32 $r20 $r20 $r22
    add f32 $r20 $r19 neg $r20
    mul f32 $r20 $r20 $r31
    mul f32 $r20 $r20 0.6
    add f32 $r20 $r20 0.3
    max f32 $r20 $r20 $r38
    min f32 $r20 $r20 $r41
    set $c0 # le f32 $r21 $r38
    (lg $c0) mov b32 $r20 $r38        // behind this body, seen from the sun
    add f32 $r20 $r41 neg $r20
    min f32 $r12 $r12 $r20
    add $a1 $a1 0x10
    add b32 $c0 $r37 $r37 $r39
    (lg $c0) bra #next_body
    bar inc wait 0x0 all              // all have read the tile
    add b32 $r36 $r36 0x1000
    add b32 $c0 $r35 $r35 $r40
    (lg $c0) bra #next_tile

    // the body's own share is 1, without a direction
    add f32 $r11 $r11 -1.0
    mov b32 $r13 0x0
    mov b32 $r14 0x0
    mov b32 $r15 0x0
    add b32 $r33 $r32 16
    st b128 g1[$r32] $r8q
    exit st b128 g1[$r33] $r12q
