// Places the particles for one moment: each one's place and colour follow from its number and the time
// alone. They stream along a knot, whirl round its thread, and some fly off.
// Parameters: c0[0x20] address of the buffer (64 bits), c0[0x28] time in seconds, c0[0x2c] 1 / number.
// A particle: x y z, size of its sprite; red green blue, 0.
.variant gf100

// f = the next random number, 0 to 1, from the state in $r0; $r0 is a hash of the number before
.macro random f
    mul $r0 u32 $r0 u32 0x2c1b3c6d
    shr u32 $r20 $r0 clamp 0xf
    xor b32 $r0 $r0 $r20
    mul $r0 u32 $r0 u32 0x297a2d39
    shr u32 $r20 $r0 clamp 0xd
    xor b32 $r0 $r0 $r20
    shr u32 $r20 $r0 clamp 0x8
    cvt rn f32 \f u32 $r20
    mul f32 \f \f 0x33800000                // 2^-24
.endm
// s, c = sine and cosine of a
.macro sine s c a
    presin f32 $r20 \a
    sin f32 \s $r20
    cos f32 \c $r20
.endm

    mov b32 $r0 $tidx
    mov b32 $r1 $ctaidx
    mov b32 $r2 $ntidx
    add $r0 (mul u32 $r1 u32 $r2) $r0
    mov b32 $r30 $r0                        // number
    cvt rn f32 $r2 u32 $r0
    mul rn f32 $r2 $r2 c0[0x2c]             // number as a share, 0 to 1
    add b32 $r0 $r0 0x9e3779b9
    random $r3
    random $r4
    random $r5
    random $r6
    mov b32 $r7 c0[0x28]
    // $r8: angle along the thread
    mov b32 $r8 0.022
    fma rn f32 $r8 $r7 $r8 $r2
    mul f32 $r8 $r8 0x40c90fdb              // 2 pi
    // $r10..$r12: the thread, a trefoil knot
    add rn f32 $r9 $r8 $r8
    sine $r13 $r14 $r8
    sine $r15 $r16 $r9
    mov b32 $r9 2.0
    fma rn f32 $r10 $r15 $r9 $r13           // sin a + 2 sin 2a
    mul f32 $r16 $r16 -2.0
    add rn f32 $r11 $r14 $r16               // cos a - 2 cos 2a
    mul f32 $r9 $r8 3.0
    sine $r12 $r17 $r9
    mul f32 $r12 $r12 -0.75                 // - sin 3a
    // $r18, $r19: outward in the plane of the knot
    mul rn f32 $r18 $r10 $r10
    fma rn f32 $r18 $r11 $r11 $r18
    rsqrt f32 $r18 $r18
    mul rn f32 $r19 $r11 $r18
    mul rn f32 $r18 $r10 $r18
    // $r21: distance from the thread, most of them near; $r22: share of life for those that fly off
    mul rn f32 $r21 $r3 $r3
    mul rn f32 $r21 $r21 $r3
    mov b32 $r9 0.85
    mov b32 $r15 0.07
    fma rn f32 $r21 $r21 $r9 $r15
    mov b32 $r22 0.21
    mov b32 $r9 7.0
    mul rn f32 $r9 $r5 $r9
    fma rn f32 $r22 $r7 $r22 $r9
    cvt rmi f32 $r9 f32 $r22
    add rn f32 $r22 $r22 neg $r9
    set $p0 0x1 gt f32 $r6 0.125
    $p0 mov b32 $r22 0x0
    fma rn f32 $r21 $r22 1.5 $r21
    // $r23: angle round the thread; near ones turn faster
    mov b32 $r9 1.9
    add rn f32 $r9 $r9 neg $r3
    mul rn f32 $r9 $r9 $r7
    mov b32 $r15 0x40c90fdb
    fma rn f32 $r23 $r4 $r15 $r9
    fma rn f32 $r23 $r8 3.0 $r23
    sine $r24 $r25 $r23
    mul rn f32 $r24 $r24 $r21
    mul rn f32 $r25 $r25 $r21
    fma rn f32 $r10 $r18 $r25 $r10
    fma rn f32 $r11 $r19 $r25 $r11
    add rn f32 $r12 $r12 $r24
    // up is y: the knot lies in x and z, and rises where it flies off
    mov b32 $r16 $r10
    mov b32 $r18 $r11
    mov b32 $r9 1.3
    add rn f32 $r17 $r12 $r9
    fma rn f32 $r17 $r22 0.75 $r17
    // $r26: brightness, less for far and for old ones; $r19: size
    mov b32 $r9 1.0
    add rn f32 $r26 $r9 neg $r22
    mul rn f32 $r26 $r26 $r26
    mul f32 $r9 $r3 $r3
    mov b32 $r15 1.15
    add rn f32 $r9 $r15 neg $r9
    mul rn f32 $r26 $r26 $r9
    mov b32 $r19 0.017
    fma rn f32 $r19 $r5 0.03125 $r19
    // colours turn along the thread; the middle is white
    mul f32 $r27 $r3 1.4
    add rn f32 $r27 $r27 $r8
    sine $r24 $r25 $r27
    mov b32 $r9 0.13
    mov b32 $r15 0.10
    fma rn f32 $r4 $r24 $r15 $r9            // red
    mov b32 $r15 -0.085
    mov b32 $r9 0.10
    fma rn f32 $r5 $r24 $r15 $r9            // green
    mov b32 $r15 0.06
    fma rn f32 $r5 $r25 $r15 $r5
    mov b32 $r15 -0.11
    mov b32 $r9 0.19
    fma rn f32 $r6 $r25 $r15 $r9            // blue
    mul rn f32 $r4 $r4 $r26
    mul rn f32 $r5 $r5 $r26
    mul rn f32 $r6 $r6 $r26
    mov b32 $r7 0x0
    // 32 bytes a particle
    shl b32 $r30 $r30 clamp 0x5
    add b32 $r28 $c $r30 c0[0x20]
    mov b32 $r29 c0[0x24]
    add b32 $r29 $r29 0x0 $c
    st b128 wb g[$r28d] $r16q
    st b128 wb g[$r28d+0x10] $r4q
    exit
