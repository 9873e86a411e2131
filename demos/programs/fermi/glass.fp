// Glass goes into the list of its pixel, in any order: no colour is written.
// c0[0xc0]: address of the heads of the lists, a word a pixel, 8192 in a row, 0 = empty. c0[0xc8]:
// address of the nodes, 16 bytes each: next node, depth, colour (8 bits each: r g b opacity), 0. The
// first word of node 0 counts the nodes. c0[0xd0]: the number of nodes there is room for.
// a[0x80]: x y z of the world; a[0x90]: normal.
.variant gf100
.include "common.macros"

// word = word with 8 bits of f (0 to 1) at bit n; f and t are lost
.macro pack word f n t
    mov b32 \t 255.0
    mul sat rn f32 \f \f 1.0
    mul rn f32 \f \f \t
    to_bits \f \f
    and b32 \f \f 0xff
    shl b32 \f \f clamp \n
    or b32 \word \word \f
.endm

    clip_w $r4
    interp mul f32 $r16 a[0x80] $r4 0x0
    interp mul f32 $r17 a[0x84] $r4 0x0
    interp mul f32 $r18 a[0x88] $r4 0x0
    interp mul f32 $r20 a[0x90] $r4 0x0
    interp mul f32 $r21 a[0x94] $r4 0x0
    interp mul f32 $r22 a[0x98] $r4 0x0
    normalize $r20 $r21 $r22 $r23
    // $r24..$r26: to the eye; $r7: its cosine with the normal, made positive
    mov b32 $r24 c0[0x80]
    mov b32 $r25 c0[0x84]
    mov b32 $r26 c0[0x88]
    add rn f32 $r24 $r24 neg $r16
    add rn f32 $r25 $r25 neg $r17
    add rn f32 $r26 $r26 neg $r18
    normalize $r24 $r25 $r26 $r23
    dot $r7 $r20 $r21 $r22 $r24 $r25 $r26
    // $r28..$r30: mirrored; the same for both sides of the normal
    add rn f32 $r6 $r7 $r7
    fma rn f32 $r28 $r20 $r6 neg $r24
    fma rn f32 $r29 $r21 $r6 neg $r25
    fma rn f32 $r30 $r22 $r6 neg $r26
    // $r8: (1 - cosine)^3, the edge
    mov b32 $r9 1.0
    add rn f32 $r8 $r9 neg abs $r7
    mul rn f32 $r10 $r8 $r8
    mul rn f32 $r8 $r8 $r10
    // $r11: light from the sun, through and through; $r12: the sun's glint, power 64
    dot $r11 $r20 $r21 $r22 c0[0x90] c0[0x94] c0[0x98]
    dot $r12 $r28 $r29 $r30 c0[0x90] c0[0x94] c0[0x98]
    max f32 $r12 $r12 0x0
    mul rn f32 $r12 $r12 $r12
    mul rn f32 $r12 $r12 $r12
    mul rn f32 $r12 $r12 $r12
    mul rn f32 $r12 $r12 $r12
    mul rn f32 $r12 $r12 $r12
    mul rn f32 $r12 $r12 $r12
    mov b32 $r13 0.30
    mov b32 $r14 0.70
    and b32 $r11 $r11 0x7fffffff
    fma rn f32 $r11 $r11 $r13 $r14
    // colour: the glass, brighter at the edge, the sky above it mirrored there, the glint
    mov b32 $r13 0.5
    fma sat rn f32 $r13 $r29 $r13 $r13
    mul rn f32 $r13 $r13 $r8
    mul f32 $r13 $r13 0.6
    mul rn f32 $r0 $r11 c0[0xa0]
    mul rn f32 $r1 $r11 c0[0xa4]
    mul rn f32 $r2 $r11 c0[0xa8]
    add rn f32 $r14 $r13 $r12
    add rn f32 $r0 $r0 $r14
    add rn f32 $r1 $r1 $r14
    fma rn f32 $r2 $r13 0.5 $r2
    add rn f32 $r2 $r2 $r14
    // opacity
    mov b32 $r3 c0[0xac]
    mov b32 $r14 0.55
    fma rn f32 $r3 $r8 $r14 $r3
    add rn f32 $r3 $r3 $r12
    mov b32 $r6 0x0
    pack $r6 $r0 0x0 $r14
    pack $r6 $r1 0x8 $r14
    pack $r6 $r2 0x10 $r14
    pack $r6 $r3 0x18 $r14
    // a node: $r9 = its number, from 1
    ld b64 $r10d c0[0xc8]
    mov b32 $r8 0x1
    ld add u32 $r9 g[$r10d] $r8
    add b32 $r9 $r9 0x1
    set $p0 0x1 lt u32 $r9 c0[0xd0]
    // the head of pixel x, y is at 4 * (8192 * (y mod 8192) + x mod 8192)
    interp pass f32 $r14 a[0x70] 0x0 0x0
    interp pass f32 $r15 a[0x74] 0x0 0x0
    interp pass f32 $r5 a[0x78] 0x0 0x0
    pixel_head $r14 $r15 c0[0xc0] c0[0xc4]
    shl b32 $r16 $r9 clamp 0x4
    add b32 $r10 $c $r10 $r16
    add b32 $r11 $r11 0x0 $c
    $p0 exch b32 $r4 g[$r14d] $r9
    mov b32 $r7 0x0
    $p0 st b128 wb g[$r10d] $r4q
    mov b32 $r0 0x0
    mov b32 $r1 0x0
    mov b32 $r2 0x0
    mov b32 $r3 0x0
    exit
