/* A step of bodies that attract each other, touch, and are warmed by friction. A thread is a body; a
 * block reads all bodies in tiles of 128 into s[], with a barrier before and behind each tile.
 * g0[] the bodies, g1[] the same a step later: place, radius; velocity, heat.
 * Parameters: bodies, seconds, gravity, stiffness, friction, what is left of the heat. */
.include "common.macros"
.shared 0x1040
.const bodies s[0x10]
.const seconds s[0x14]
.const gravity s[0x18]
.const stiffness s[0x1c]
.const friction s[0x20]
.const kept s[0x24]
.equ #tile 0x40

    cvt u32 $r1 u16 $r0l              // thread
    mov b32 $r2 u16 s[0xc]            // block
    shl b32 $r2 $r2 7
    add b32 $r2 $r2 $r1
    shl b32 $r32 $r2 5                // this body, in bytes
    add b32 $r33 $r32 16
    ld b128 $r4q g0[$r32]             // $r4..7: place, radius
    ld b128 $r8q g0[$r33]             // $r8..11: velocity, heat
    mul f32 $r34 $r7 $r7
    mul f32 $r34 $r34 $r7             // mass: radius^3
    mov b32 $r12 0x0                  // $r12..14: acceleration
    mov b32 $r13 0x0
    mov b32 $r14 0x0
    mov b32 $r15 0x0                  // warmth
    mov b32 $r35 b32 bodies
    shl b32 $r36 $r1 5                // this thread's body of a tile
    shl $a2 $r1 5
    mov b32 $r38 0x0
    mov b32 $r39 -1
    mov b32 $r40 -128

next_tile:
    add b32 $r37 $r36 16
    ld b128 $r16q g0[$r36]
    ld b128 $r20q g0[$r37]
    st b32 s[$a2+0x40] $r16
    st b32 s[$a2+0x44] $r17
    st b32 s[$a2+0x48] $r18
    st b32 s[$a2+0x4c] $r19
    st b32 s[$a2+0x50] $r20
    st b32 s[$a2+0x54] $r21
    st b32 s[$a2+0x58] $r22
    bar inc wait 0x0 all              // the tile is complete
    mov b32 $r37 128
    shl $a1 $r38 0x0
next_body:
    // $r16..18: way to the other body, $r19: its radius
    add rn f32 $r16 b32 s[$a1+0x40] neg $r4
    add rn f32 $r17 b32 s[$a1+0x44] neg $r5
    add rn f32 $r18 b32 s[$a1+0x48] neg $r6
    ld $r19 b32 s[$a1+0x4c]
    mul f32 $r20 $r16 $r16
    add f32 $r20 (mul $r17 $r17) $r20
    add f32 $r20 (mul $r18 $r18) $r20
    add f32 $r20 $r20 0.0004
    rsqrt f32 $r21 $r20               // 1 / distance
    mul f32 $r22 $r19 $r19
    mul f32 $r22 $r22 $r19            // its mass
    mul f32 $r23 $r21 $r21
    mul f32 $r23 $r23 $r21
    mul f32 $r23 $r23 $r22
    mul rn f32 $r23 b32 gravity $r23  // pull, by distance
    // $r24: how deep the two bodies overlap
    mul f32 $r20 $r20 $r21
    add f32 $r24 $r7 $r19
    add f32 $r24 $r24 neg $r20
    set $c0 # le f32 $r24 $r38
    joinat #apart
    (lg $c0) bra #apart
    // $r22: the other body's share of both masses
    add f32 $r25 $r34 $r22
    rcp f32 $r25 $r25
    mul f32 $r22 $r22 $r25
    mul f32 $r24 $r22 $r24
    mul rn f32 $r24 b32 stiffness $r24
    mul f32 $r24 $r24 $r21
    add f32 $r23 $r23 neg $r24
    mul rn f32 $r22 b32 friction $r22
    add rn f32 $r24 b32 s[$a1+0x50] neg $r8
    add rn f32 $r25 b32 s[$a1+0x54] neg $r9
    add rn f32 $r26 b32 s[$a1+0x58] neg $r10
    add_scaled $r12 $r13 $r14 $r22 $r24 $r25 $r26
    mul f32 $r24 $r24 $r24
    add f32 $r24 (mul $r25 $r25) $r24
    add f32 $r24 (mul $r26 $r26) $r24
    add f32 $r15 (mul $r24 $r22) $r15
apart:
    join nop
    add_scaled $r12 $r13 $r14 $r23 $r16 $r17 $r18
    add $a1 $a1 0x20
    add b32 $c0 $r37 $r37 $r39
    (lg $c0) bra #next_body
    bar inc wait 0x0 all              // all have read the tile
    add b32 $r36 $r36 0x1000
    add b32 $c0 $r35 $r35 $r40
    (lg $c0) bra #next_tile

    ld $r16 b32 seconds
    add_scaled $r8 $r9 $r10 $r16 $r12 $r13 $r14
    add_scaled $r4 $r5 $r6 $r16 $r8 $r9 $r10
    mul rn f32 $r11 b32 kept $r11
    add f32 $r11 (mul $r15 $r16) $r11
    st b128 g1[$r32] $r4q
    exit st b128 g1[$r33] $r8q
